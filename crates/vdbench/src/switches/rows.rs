//! The switches themselves: name, value, meaning, help and case of each.
//!
//! Belongs here: rows. Must never appear here: anything that is true of several rows.

use super::{SwitchSpec, switch, values};
use leadline_dialect::spec::{RunFile, Takes};

const VALIDATE: &str = "data validation and journals are not supported yet";

/// All switches; where one is the beginning of another the longer stands first.
pub const SWITCHES: &[SwitchSpec] = {
    use Takes::{Nothing, Optional, Value};
    &[
        switch(
            "-f",
            Value,
            |line, given| line.files.extend(given.value.clone()),
            "Parameter files; several are read as one.",
        )
        .case("-fp.vdb", "r1: rate"),
        switch(
            "-o",
            Value,
            |line, given| line.switches.output = values::output(given.text()),
            "Output directory; `dir+` numbers it, `dir.tod` dates it.",
        )
        .case("-fp.vdb -oout+", "path: out"),
        switch(
            "-s",
            Nothing,
            |line, _| line.switches.simulate = true,
            "Lists the runs without doing I/O.",
        )
        .case("-fp.vdb -s", "simulate: true"),
        switch(
            "-tf",
            Nothing,
            values::none,
            "A short test run on a file system.",
        )
        .no("file system workloads are not supported yet"),
        switch(
            "-t",
            Nothing,
            |line, _| line.quick = true,
            "A short test run on a file in /tmp.",
        )
        .case("-t", "rd1: rate"),
        switch(
            "-e",
            Value,
            |line, given| line.overrides.elapsed = given.seconds().or(line.overrides.elapsed),
            "elapsed= of all runs.",
        )
        .case("-fp.vdb -e77", "elapsed 77"),
        switch(
            "-i",
            Value,
            |line, given| line.overrides.interval = given.seconds().or(line.overrides.interval),
            "interval= of all runs.",
        )
        .case("-fp.vdb -i5", "interval: 5"),
        switch(
            "-w",
            Value,
            |line, given| line.overrides.warmup = given.seconds().or(line.overrides.warmup),
            "warmup= of all runs.",
        )
        .case("-fp.vdb -w5", "warmup 5"),
        switch("-m", Value, values::none, "JVMs for each host.").idle("leadline does not use Java"),
        switch(
            "-l",
            Optional,
            values::repeat,
            "Repeats all runs: a number, or a time with s, m or h.",
        )
        .or_next(values::is_repeat)
        .case("-fp.vdb -l3", "repeat: Some(Times(3))"),
        switch(
            "-r",
            Value,
            |line, given| line.from = given.value.clone(),
            "Starts with this run.",
        )
        .case("-fp.vdb -rr2", "- r1: rate"),
        switch("-p", Value, values::none, "Port.").idle("leadline opens no port"),
        switch("-k", Nothing, values::none, "Shows Solaris statistics.")
            .idle("it shows statistics of Solaris"),
        switch("-d", Value, values::none, "Internal switches of Vdbench.")
            .idle("it controls internals of Vdbench")
            .only_with(values::is_number),
        switch("-c", Optional, values::none, "Format and cleanup of files.")
            .idle("it is for file system workloads"),
        switch("-v", Optional, values::none, "Validates data.").no(VALIDATE),
        switch("-j", Optional, values::none, "Keeps journals.").no(VALIDATE),
        switch(
            "--destroy",
            Value,
            |line, given| line.switches.destroy.push(given.text().to_owned()),
            "A device that may be overwritten although it contains data.",
        )
        .case("-fp.vdb --destroy=/dev/sdz", "destroy: [/dev/sdz]"),
        switch(
            "--strict",
            Nothing,
            |line, _| line.switches.strict = true,
            "Treats warnings as errors.",
        )
        .case("-fp.vdb --strict", "strict: true"),
        switch(
            "--leadline-run",
            Value,
            |line, given| line.switches.run_file = RunFile::of(given.text()),
            "Path of leadline's run file; `none` for no run file.",
        )
        .case("-fp.vdb --leadline-run=none", "run_file: None"),
        switch(
            "--leadline-force",
            Nothing,
            |line, _| line.switches.force = true,
            "Overwrites output files that neither Vdbench nor leadline wrote.",
        )
        .case("-fp.vdb --leadline-force", "force: true"),
        switch(
            "--help",
            Nothing,
            |line, _| line.switches.help = true,
            "Shows this help.",
        )
        .case("--help", "help: true"),
        switch(
            "-h",
            Nothing,
            |line, _| line.switches.help = true,
            "As `--help`.",
        )
        .case("-h", "help: true"),
    ]
};
