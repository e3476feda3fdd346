//! Vdbench's command line: its switches, variables, and what is asked beside the plan.
//!
//! Belongs here: what a switch is, what switches lead to, and general parameters that are no part of a plan.
//! Must never appear here: the grammar of parameter files.

mod rows;
mod values;
mod words;

pub use rows::SWITCHES;
pub(crate) use words::read;

use crate::definition::Definition;
use crate::table::{Case, Support, row};
use crate::value::{CommandSpec, ErrorSpec, RepeatSpec};
use leadline_dialect::diagnostic::{Diagnostic, Span};
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
    /// This many rounds.
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
    /// This many of them, over all runs, end everything.
    pub limit: u64,
    /// Everything ends this long after the first one.
    pub after_first: Option<Nanos>,
    /// A text for a shell that runs at the first one, with the output directory, lun, place and size of
    /// the I/O, and error number after it.
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

/// A switch as it was given.
pub(crate) struct Given<'a> {
    name: &'static str,
    value: Option<Text>,
    at: Span,
    says: &'a mut Vec<Diagnostic>,
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
    /// What it means.
    pub(crate) apply: fn(&mut CommandLine, &mut Given<'_>),
    /// Which next word is its value although it needs none.
    next: Option<fn(&str) -> bool>,
    /// What must follow its name; anything else there is no switch.
    only: Option<fn(&str) -> bool>,
    /// What it changes; `None` when it is not done.
    pub case: Option<Case>,
}

const fn switch(
    name: &'static str,
    takes: Takes,
    apply: fn(&mut CommandLine, &mut Given<'_>),
    help: &'static str,
) -> SwitchSpec {
    SwitchSpec {
        name,
        takes,
        support: Support::Full,
        help,
        apply,
        next: None,
        only: None,
        case: None,
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

    const fn or_next(mut self, is_value: fn(&str) -> bool) -> Self {
        self.next = Some(is_value);
        self
    }

    const fn only_with(mut self, is_value: fn(&str) -> bool) -> Self {
        self.only = Some(is_value);
        self
    }

    /// A test: these words change this.
    const fn case(mut self, words: &'static str, changes: &'static str) -> Self {
        self.case = Some(Case { words, changes });
        self
    }
}

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
        help: false,
        run_file: RunFile::Default,
        force: false,
        destroy: Vec::new(),
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
