//! The switches themselves: name, value, meaning, help and case of each.
//!
//! Belongs here: rows. Must never appear here: anything that is true of several rows.

use super::{Help, OutputFormat, SwitchSpec, refused, switch, values};
use leadline_dialect::spec::{RunFile, Takes};

const REMOTE: &str = "fio's client and server protocol is not supported";
const TRIGGER: &str = "triggers are not supported yet";
const SELF_TEST: &str = "it is fio's self-test";

/// All switches.
pub const SWITCHES: &[SwitchSpec] = {
    use Takes::{Nothing, Optional, Value};
    &[
        switch(
            "output",
            Value,
            |run, given| run.output = Some(given.owned()),
            "Writes the results to this file.",
        )
        .case("--output=out.txt", "output: Some(out.txt)"),
        switch(
            "output-format",
            Value,
            values::formats,
            "Forms of the results: normal, json, json+; several with `,`.",
        )
        .case("--output-format=json+", "formats: [JsonPlus]"),
        switch(
            "minimal",
            Nothing,
            |run, _| run.formats = vec![OutputFormat::Terse],
            "Terse output.",
        )
        .no(values::TERSE)
        .case("--minimal", "formats: [Terse]"),
        switch(
            "append-terse",
            Nothing,
            |run, _| run.append_terse = true,
            "Adds terse output to the normal one.",
        )
        .no(values::TERSE)
        .case("--append-terse", "append_terse: true"),
        switch(
            "terse-version",
            Value,
            values::terse_version,
            "Version of terse output, 2 to 5.",
        )
        .idle("terse output is not supported yet")
        .case("--terse-version=4", "terse_version: 4"),
        switch(
            "version",
            Nothing,
            |run, _| run.help = Some(Help::Version),
            "Shows the version.",
        )
        .case("--version", "help: Some(Version)"),
        switch(
            "help",
            Nothing,
            |run, _| run.help = Some(Help::Usage),
            "Shows this help.",
        )
        .case("--help", "help: Some(Usage)"),
        switch(
            "cmdhelp",
            Optional,
            |run, given| run.help = Some(Help::Command(given.asked())),
            "Shows help for an option, or for all.",
        )
        .case("--cmdhelp=bs", "help: Some(Command(Some(bs)))"),
        switch(
            "enghelp",
            Optional,
            |run, given| run.help = Some(Help::Engine(given.asked())),
            "Shows help for an engine, or for all.",
        )
        .case("--enghelp=psync", "help: Some(Engine(Some(psync)))"),
        switch(
            "showcmd",
            Nothing,
            |run, _| run.showcmd = true,
            "Shows the jobs as a command line and exits.",
        )
        .case("--showcmd", "showcmd: true"),
        switch(
            "parse-only",
            Nothing,
            |run, _| run.parse_only = true,
            "Parses the jobs and exits.",
        )
        .case("--parse-only", "parse_only: true"),
        switch(
            "readonly",
            Nothing,
            |run, _| run.readonly = true,
            "Refuses jobs that write.",
        )
        .case("--readonly", "readonly: true"),
        switch(
            "section",
            Value,
            |run, given| run.sections.push(given.owned()),
            "Runs only this section; may be given several times.",
        )
        .case("--section=w", "sections: [w]"),
        switch(
            "eta",
            Value,
            values::eta,
            "Shows progress: always, never or auto.",
        )
        .case("--eta=always", "eta: Always"),
        switch(
            "eta-interval",
            Value,
            values::eta_interval,
            "Time between lines of progress, at least 250 ms.",
        )
        .case("--eta-interval=500ms", "eta_interval_ms: 500"),
        switch(
            "eta-newline",
            Value,
            |run, given| run.eta_newline_ms = given.millis().unwrap_or(0),
            "Starts a new line of progress this often.",
        )
        .case("--eta-newline=2", "eta_newline_ms: 2000"),
        switch(
            "status-interval",
            Value,
            values::status_interval,
            "Prints the full results so far this often during the run.",
        )
        .case("--status-interval=5", "status_interval_ms: 5000"),
        switch(
            "max-jobs",
            Value,
            |run, given| run.max_jobs = given.text().trim().parse().ok(),
            "Most jobs of a run.",
        )
        .idle("leadline needs no limit in advance")
        .case("--max-jobs=8", "max_jobs: Some(8)"),
        switch(
            "warnings-fatal",
            Nothing,
            |run, _| run.strict = true,
            "Treats warnings as errors.",
        )
        .case("--warnings-fatal", "strict: true"),
        switch(
            "aux-path",
            Value,
            |run, given| run.aux_path = Some(given.owned()),
            "Directory for files created by a run.",
        )
        .idle("a run creates no files except its targets and its run file")
        .case("--aux-path=/tmp", "aux_path: Some(/tmp)"),
        switch(
            "alloc-size",
            Value,
            values::none,
            "Memory for fio's own use.",
        )
        .idle("leadline needs no such memory"),
        refused(
            "bandwidth-log",
            Optional,
            "Writes logs of throughput.",
            "fio's log files are not supported yet",
        ),
        refused(
            "debug",
            Value,
            "Shows fio's internals.",
            "it shows fio's internals; use `leadline plan`",
        ),
        refused(
            "profile",
            Value,
            "A built-in workload of fio.",
            "built-in profiles of fio are not part of leadline",
        ),
        refused("server", Optional, "Waits for clients.", REMOTE),
        switch(
            "client",
            Value,
            values::client,
            "Runs the jobs on this host too: a host name, or a file with one host name per line; \
             through OpenSSH, without a fio server.",
        )
        .case("--client=h1", "clients: [h1]"),
        refused("remote-config", Value, "Job files on the server.", REMOTE),
        refused(
            "daemonize",
            Value,
            "Runs the server in the background.",
            REMOTE,
        ),
        refused(
            "idle-prof",
            Value,
            "Measures how idle the CPUs are.",
            "leadline always records the CPU's share; the option is not supported",
        ),
        refused(
            "inflate-log",
            Value,
            "Unpacks a compressed log.",
            "fio's log files are not supported yet",
        ),
        refused(
            "merge-blktrace-only",
            Nothing,
            "Merges traces and exits.",
            "replay of recorded I/O is not supported yet",
        ),
        refused(
            "trigger-file",
            Value,
            "File that fires the trigger.",
            TRIGGER,
        ),
        refused(
            "trigger-timeout",
            Value,
            "Time that fires the trigger.",
            TRIGGER,
        ),
        refused("trigger", Value, "Command the trigger starts.", TRIGGER),
        refused(
            "trigger-remote",
            Value,
            "Command the trigger starts on a server.",
            TRIGGER,
        ),
        refused("crctest", Optional, "Measures checksums.", SELF_TEST),
        refused("memcpytest", Optional, "Measures copies.", SELF_TEST),
        refused(
            "dedupe-test",
            Optional,
            "Measures deduplication.",
            SELF_TEST,
        ),
        refused(
            "cpuclock-test",
            Nothing,
            "Tests the CPU's clock.",
            SELF_TEST,
        ),
        switch(
            "leadline-run",
            Value,
            |run, given| run.run_file = RunFile::of(given.text()),
            "Path of leadline's run file; `none` for no run file.",
        )
        .own()
        .case("--leadline-run=none", "run_file: None"),
        switch(
            "leadline-force",
            Nothing,
            |run, _| run.force = true,
            "Overwrites an output file that was written by neither fio nor leadline.",
        )
        .own()
        .case("--leadline-force", "force: true"),
        switch(
            "strict",
            Nothing,
            |run, _| run.strict = true,
            "Treats warnings as errors.",
        )
        .own()
        .case("--strict", "strict: true"),
        switch(
            "destroy",
            Value,
            |run, given| run.destroy.push(given.owned()),
            "Allows overwriting this block device although it contains data.",
        )
        .own()
        .case("--destroy=/dev/sdz", "destroy: [/dev/sdz]"),
    ]
};
