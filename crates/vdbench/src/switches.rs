//! Vdbench's command line: its switches, variables, and what is asked beside the plan.
//!
//! Belongs here: words behind `vdbench`, and general parameters that are no part of a plan. Must never
//! appear here: the grammar of parameter files.

use crate::number::{Unit, number, whole};
use crate::parse::Definition;
use crate::reader::{Reader, Variable};
use crate::table::{Support, row};
use crate::value::{CommandSpec, ErrorSpec, RepeatSpec};
use leadline_dialect::diagnostic::{Diagnostic, nearest};
use leadline_dialect::spec::{RunFile, Takes};
use leadline_dialect::text::Text;
use leadline_model::units::Nanos;

/// Where results go; the directory is not made here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputDirectory {
    /// The path without its sign at the end.
    pub path: String,
    /// What the sign at the end asks for.
    pub naming: Naming,
}

/// What becomes of the name of the output directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// It stays; what is in the directory is overwritten.
    AsGiven,
    /// `dir+`: the next free of `dir`, `dir001`, `dir002` and on.
    Numbered,
    /// `dir.tod`: the date and time are appended.
    Dated,
}

/// How often all runs are repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// So many rounds.
    Times(u64),
    /// No new round begins after so long.
    For(Nanos),
    /// Until something ends it.
    Forever,
}

/// A command of the user's that runs beside a run, here and not on the other hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Texts for a shell, one after the other; `$output` in them is the output directory.
    pub lines: Vec<String>,
    /// Where its output goes.
    pub output: CommandOutput,
    /// A failure ends everything.
    pub abort: bool,
}

/// Where a command's output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutput {
    /// The console and the log file.
    Console,
    /// The summary.
    Summary,
    /// The log file.
    Log,
}

impl Command {
    pub(crate) fn of(spec: CommandSpec) -> Self {
        Self {
            lines: spec.commands,
            output: match spec.output {
                "sum" => CommandOutput::Summary,
                "log" => CommandOutput::Log,
                _ => CommandOutput::Console,
            },
            abort: spec.abort,
        }
    }
}

/// The commands before and after a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageCommands {
    /// Mounts, before everything else.
    pub mount: Option<String>,
    /// Before.
    pub start: Option<Command>,
    /// After.
    pub end: Option<Command>,
}

/// What failed I/Os lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnErrors {
    /// So many of them, over all runs, end everything.
    pub limit: u64,
    /// So long behind the first one everything ends.
    pub after_first: Option<Nanos>,
    /// A text for a shell that runs at the first one, with the output directory, lun, place and size of
    /// the I/O, and error number behind it.
    pub command: Option<String>,
    /// The storage of the first one is left out from then on, and nothing ends.
    pub remove: bool,
}

/// Everything that is asked beside the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Switches {
    /// `-o`.
    pub output: OutputDirectory,
    /// `-s`: the runs are listed, and nothing is done.
    pub simulate: bool,
    /// `monitor=`: a file that ends the run (`end_rd`) or everything (`end_vdbench`).
    pub monitor: Option<String>,
    /// `-l` or `loop=`.
    pub repeat: Option<Repeat>,
    /// `startcmd=` and `endcmd=`, for each stage of the plan.
    pub commands: Vec<StageCommands>,
    /// `mount=` of the hosts that are this machine: texts for a shell, before the first run.
    pub mounts: Vec<String>,
    /// `data_errors=`.
    pub errors: OnErrors,
    /// `abort_failed_skew=`: the largest difference between the share of a workload and the one asked
    /// for, in points of a hundred.
    pub skew_limit: Option<f64>,
    /// `--strict`: warnings are errors.
    pub strict: bool,
    /// `--accept-lost-hosts`: a lost host is no failure.
    pub accept_lost_hosts: bool,
    /// `--accept-unlike-hosts`: targets may lie otherwise on one host than on another.
    pub accept_unlike_hosts: bool,
    /// `--help` or `-h`.
    pub help: bool,
    /// `--leadline-run`.
    pub run_file: RunFile,
    /// `--leadline-force`: pages replace any file that is there.
    pub force: bool,
    /// `--destroy`: devices that may be overwritten although they carry data.
    pub destroy: Vec<String>,
}

/// Values of the command line that go before those of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overrides {
    pub(crate) elapsed: Option<u64>,
    pub(crate) interval: Option<u64>,
    pub(crate) warmup: Option<u64>,
}

/// A switch.
#[derive(Clone, Copy, Debug)]
pub struct SwitchSpec {
    /// With its dashes.
    pub name: &'static str,
    /// Whether it takes a value.
    pub takes: Takes,
    /// How far leadline goes with it.
    pub support: Support,
    /// What it does, in one sentence.
    pub help: &'static str,
}

const fn switch(name: &'static str, takes: Takes, help: &'static str) -> SwitchSpec {
    SwitchSpec {
        name,
        takes,
        support: Support::Full,
        help,
    }
}

impl SwitchSpec {
    const fn no(mut self, reason: &'static str) -> Self {
        self.support = Support::Refused(reason);
        self
    }

    const fn idle(mut self, reason: &'static str) -> Self {
        self.support = Support::NoEffect(reason);
        self
    }
}

const VALIDATE: &str = "data validation and journals are not supported yet";

/// All switches; where one is the beginning of another the longer stands first.
pub const SWITCHES: &[SwitchSpec] = {
    use Takes::{Nothing, Optional, Value};
    &[
        switch("-f", Value, "Parameter files; several are read as one."),
        switch(
            "-o",
            Value,
            "Output directory; `dir+` numbers it, `dir.tod` dates it.",
        ),
        switch("-s", Nothing, "Lists the runs and does nothing."),
        switch("-tf", Nothing, "A short run on a file system.")
            .no("file system workloads are not supported yet"),
        switch("-t", Nothing, "A short run on a file in /tmp."),
        switch("-e", Value, "elapsed= of all runs."),
        switch("-i", Value, "interval= of all runs."),
        switch("-w", Value, "warmup= of all runs."),
        switch("-m", Value, "Java machines for each host.").idle("there is no Java machine here"),
        switch(
            "-l",
            Optional,
            "Repeats all runs: a number, or a time with s, m or h.",
        ),
        switch("-r", Value, "Begins with this run."),
        switch("-p", Value, "Port.").idle("no port is open"),
        switch("-k", Nothing, "Shows Solaris statistics.").idle("they belong to Solaris"),
        switch("-d", Value, "Switches of Vdbench's insides.").idle("it switches Vdbench's insides"),
        switch("-c", Optional, "Format and cleanup of files.")
            .idle("it is for file system workloads"),
        switch("-v", Optional, "Validates data.").no(VALIDATE),
        switch("-j", Optional, "Keeps journals.").no(VALIDATE),
        switch(
            "--destroy",
            Value,
            "A device that may be overwritten although it carries data.",
        ),
        switch(
            "--accept-lost-hosts",
            Nothing,
            "A lost host is no failure, and the others begin without one that refuses the plan.",
        ),
        switch(
            "--accept-unlike-hosts",
            Nothing,
            "A target may lie on another file system, mount or server on one host than on another.",
        ),
        switch("--strict", Nothing, "Treats warnings as errors."),
        switch(
            "--leadline-run",
            Value,
            "Where leadline's run file goes; `none` for nowhere.",
        ),
        switch(
            "--leadline-force",
            Nothing,
            "Writes pages over files that neither Vdbench nor leadline made.",
        ),
        switch("--help", Nothing, "Shows this help."),
        switch("-h", Nothing, "As `--help`."),
    ]
};

/// Programs that Vdbench's launcher also starts.
const UTILITIES: [&str; 10] = [
    "compare",
    "csim",
    "dsim",
    "edit",
    "jstack",
    "parseflat",
    "print",
    "printjournal",
    "sds",
    "showlba",
];

/// What the command line says.
pub(crate) struct CommandLine {
    pub(crate) switches: Switches,
    pub(crate) overrides: Overrides,
    pub(crate) files: Vec<Text>,
    /// `-r`.
    pub(crate) from: Option<Text>,
    /// `-t`.
    pub(crate) quick: bool,
}

/// Reads the words behind `vdbench`.
pub(crate) fn read(reader: &mut Reader<'_>, args: &[String]) -> CommandLine {
    let mut line = CommandLine {
        switches: defaults(),
        overrides: Overrides::default(),
        files: Vec::new(),
        from: None,
        quick: false,
    };
    let texts = words(reader, args);
    let mut words = texts.iter().peekable();
    let mut first = true;
    while let Some(word) = words.next() {
        let text = word.as_str();
        if first && UTILITIES.contains(&text) {
            let message = format!("`vdbench {text}` is not part of leadline");
            let error = Diagnostic::error("not-supported", message).at(word.whole(), "");
            reader.says.push(error);
            break;
        }
        first = false;
        let named = |s: &&SwitchSpec| {
            text == s.name || (s.takes != Takes::Nothing && text.starts_with(s.name))
        };
        let Some(spec) = SWITCHES.iter().find(named) else {
            plain(reader, &mut line, word);
            continue;
        };
        let rest = word.slice(spec.name.len(), word.len());
        let rest = match rest.as_str().strip_prefix('=') {
            Some(_) if spec.name.starts_with("--") => rest.slice(1, rest.len()),
            _ => rest,
        };
        let next = |next: &&Text| match spec.takes {
            Takes::Value => true,
            _ => spec.name == "-l" && value_of_loop(next.as_str()).is_some(),
        };
        let value = if rest.is_empty() {
            words.next_if(next).cloned()
        } else {
            Some(rest)
        };
        take(reader, &mut line, spec, word, value);
    }
    line
}

/// The words as one text that diagnostics point into.
fn words(reader: &mut Reader<'_>, args: &[String]) -> Vec<Text> {
    let mut starts = Vec::with_capacity(args.len());
    let mut all = String::new();
    for arg in args {
        if !all.is_empty() {
            all.push(' ');
        }
        starts.push(all.len());
        all.push_str(arg);
    }
    let source = reader.sources.add("command line", all);
    let place = |(arg, start): (&String, usize)| Text::new(source, start, arg);
    args.iter().zip(starts).map(place).collect()
}

fn defaults() -> Switches {
    Switches {
        output: OutputDirectory {
            path: "output".to_owned(),
            naming: Naming::AsGiven,
        },
        simulate: false,
        monitor: None,
        repeat: None,
        commands: Vec::new(),
        mounts: Vec::new(),
        errors: on_errors(ErrorSpec::default()),
        skew_limit: None,
        strict: false,
        accept_lost_hosts: false,
        accept_unlike_hosts: false,
        help: false,
        run_file: RunFile::Default,
        force: false,
        destroy: Vec::new(),
    }
}

/// A word without a dash: a variable, or one more file.
fn plain(reader: &mut Reader<'_>, line: &mut CommandLine, word: &Text) {
    let text = word.as_str();
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !text.starts_with('-') => {
            reader.variables.push(Variable {
                name: name.to_owned(),
                value: value.to_owned(),
                at: word.whole(),
                used: false,
            });
        }
        None if !text.starts_with('-') && !line.files.is_empty() => line.files.push(word.clone()),
        _ => {
            let near = nearest(
                text,
                SWITCHES.iter().map(|s| s.name).filter(|n| n.len() > 2),
            );
            let hint = near.map(|n| format!("did you mean `{n}`?"));
            reader.says.push(
                Diagnostic::error("unknown-argument", format!("`{text}` is not understood"))
                    .at(word.whole(), "")
                    .expected("`-f FILE`, a switch, or `name=value`")
                    .maybe_hint(hint),
            );
        }
    }
}

fn take(
    reader: &mut Reader<'_>,
    line: &mut CommandLine,
    spec: &SwitchSpec,
    word: &Text,
    value: Option<Text>,
) {
    let at = word.whole();
    let text = value.as_ref().map_or("", |v| v.as_str());
    if let Some(error) = wants_number(spec, word, text) {
        return reader.says.push(error);
    }
    match spec.support {
        Support::Refused(reason) => {
            let message = format!("`{}` is not supported: {reason}", spec.name);
            let error = Diagnostic::error("not-supported", message).at(at, "");
            return reader.says.push(error);
        }
        Support::NoEffect(reason) => {
            let message = format!("`{}` changes nothing here: {reason}", spec.name);
            let note = Diagnostic::note("no-effect", message).at(at, "");
            return reader.says.push(note);
        }
        Support::Full => {}
    }
    let mut wrong = |what: &str| {
        let message = format!("`{}` needs {what}", spec.name);
        reader
            .says
            .push(Diagnostic::error("value-not-understood", message).at(at, ""));
    };
    if spec.takes == Takes::Value && text.is_empty() {
        return wrong("a value");
    }
    let seconds = || match number(text, Unit::Time) {
        Some(n) if !n.percent => Some(whole(n.value)),
        _ => None,
    };
    let switches = &mut line.switches;
    match spec.name {
        "-f" => line.files.extend(value),
        "-o" => switches.output = output(text),
        "-s" => switches.simulate = true,
        "-t" => line.quick = true,
        "-e" | "-i" | "-w" => {
            let Some(n) = seconds() else {
                return wrong("a time in seconds");
            };
            let over = &mut line.overrides;
            *match spec.name {
                "-e" => &mut over.elapsed,
                "-i" => &mut over.interval,
                _ => &mut over.warmup,
            } = Some(n);
        }
        "-l" => match value_of_loop(text) {
            Some(repeat) => switches.repeat = Some(repeat),
            None if text.is_empty() => switches.repeat = Some(Repeat::Forever),
            None => wrong("a number of rounds, or a time with s, m or h"),
        },
        "-r" => line.from = value,
        "--destroy" => switches.destroy.push(text.to_owned()),
        "--strict" => switches.strict = true,
        "--accept-lost-hosts" => switches.accept_lost_hosts = true,
        "--accept-unlike-hosts" => switches.accept_unlike_hosts = true,
        "--help" | "-h" => switches.help = true,
        "--leadline-run" => switches.run_file = RunFile::of(text),
        "--leadline-force" => switches.force = true,
        _ => {}
    }
}

/// `-d` takes a number, and nothing else that begins so is a switch.
fn wants_number(spec: &SwitchSpec, word: &Text, text: &str) -> Option<Diagnostic> {
    if spec.name != "-d" || number(text, Unit::Binary).is_some() {
        return None;
    }
    let message = format!("`{}` is not understood", word.as_str());
    let error = Diagnostic::error("unknown-argument", message).at(word.whole(), "");
    Some(error.expected("`-d` and a number, or another switch"))
}

fn output(text: &str) -> OutputDirectory {
    let (path, naming) = match (text.strip_suffix('+'), text.strip_suffix(".tod")) {
        (Some(path), _) => (path, Naming::Numbered),
        (_, Some(path)) => (path, Naming::Dated),
        _ => (text, Naming::AsGiven),
    };
    OutputDirectory {
        path: path.to_owned(),
        naming,
    }
}

fn value_of_loop(text: &str) -> Option<Repeat> {
    let timed = text.ends_with(['s', 'm', 'h']);
    match number(text, Unit::Time)? {
        n if n.percent || n.value < 1.0 => None,
        n if timed => Some(Repeat::For(Nanos::from_secs(whole(n.value)))),
        n => Some(Repeat::Times(whole(n.value))),
    }
}

fn on_errors(spec: ErrorSpec) -> OnErrors {
    OnErrors {
        limit: spec.limit,
        after_first: spec.seconds.map(Nanos::from_secs),
        command: spec.command,
        remove: spec.remove,
    }
}

/// General parameters that are no part of the plan.
pub(crate) fn take_general(switches: &mut Switches, general: &Definition) {
    switches.monitor = general.given(&row::general::MONITOR);
    switches.errors = on_errors(general.effective(&row::general::DATA_ERRORS));
    switches.skew_limit = general.given(&row::general::ABORT_FAILED_SKEW);
    if switches.repeat.is_none() {
        switches.repeat = general.given(&row::general::LOOP).map(|r| match r {
            RepeatSpec::Times(n) => Repeat::Times(n),
            RepeatSpec::Seconds(n) => Repeat::For(Nanos::from_secs(n)),
        });
    }
}
