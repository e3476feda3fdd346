//! What fio's command line says beside the plan: where output goes, in which form, how progress is
//! shown. One table, and the values read from it.
//!
//! Belongs here: what a switch is, and what switches lead to. Must never appear here: options of jobs (see
//! `table`).

mod rows;
mod values;

pub use rows::SWITCHES;

use crate::table::Case;
use leadline_dialect::diagnostic::{Diagnostic, Span};
use leadline_dialect::spec::{RunFile, Support, Takes};
use leadline_dialect::text::Text;

/// A form of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// fio's text for people.
    Normal,
    /// fio's semicolon-separated line; also `minimal` and `csv`.
    Terse,
    /// fio's JSON.
    Json,
    /// fio's JSON with the histograms' bins.
    JsonPlus,
}

/// When the line of progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eta {
    /// On a terminal.
    #[default]
    Auto,
    /// Even without a terminal.
    Always,
    /// Not at all.
    Never,
}

/// Help that was asked for in place of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Help {
    /// `--help`.
    Usage,
    /// `--version`.
    Version,
    /// `--cmdhelp`, of one option or of all.
    Command(Option<String>),
    /// `--enghelp`, of one engine (and one of its options) or of all.
    Engine(Option<String>),
}

/// Everything the command line says that is not the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSwitches {
    /// `--output`: results go to this file rather than to standard output.
    pub output: Option<String>,
    /// `--output-format`: the forms asked for, in order, none twice; never empty.
    pub formats: Vec<OutputFormat>,
    /// `--append-terse` was given.
    pub append_terse: bool,
    /// `--terse-version`, 2 to 5.
    pub terse_version: u8,
    /// `--eta`.
    pub eta: Eta,
    /// `--eta-interval` in milliseconds, at least 250.
    pub eta_interval_ms: u64,
    /// `--eta-newline` in milliseconds; 0 = never.
    pub eta_newline_ms: u64,
    /// `--status-interval` in milliseconds; 0 = never.
    pub status_interval_ms: u64,
    /// `--parse-only`: nothing runs.
    pub parse_only: bool,
    /// `--showcmd`: the jobs are shown as a command line, and nothing runs.
    pub showcmd: bool,
    /// `--section`: only these sections run; empty = all.
    pub sections: Vec<String>,
    /// `--readonly`: a job that writes is an error.
    pub readonly: bool,
    /// `--help`, `--version`, `--cmdhelp` or `--enghelp`: the last one given.
    pub help: Option<Help>,
    /// `--max-jobs`; leadline has no such limit.
    pub max_jobs: Option<u64>,
    /// `--warnings-fatal` or `--strict`: warnings are errors.
    pub strict: bool,
    /// `--aux-path`: where files made by a run go.
    pub aux_path: Option<String>,
    /// `--client`: hosts to run the jobs on, or a file of them.
    pub clients: Vec<String>,
    /// `--leadline-run`.
    pub run_file: RunFile,
    /// `--leadline-force`: results replace any file that is there.
    pub force: bool,
    /// `--destroy`: block devices that may be overwritten although they carry data.
    pub destroy: Vec<String>,
}

impl Default for RunSwitches {
    fn default() -> Self {
        Self {
            output: None,
            formats: vec![OutputFormat::Normal],
            append_terse: false,
            terse_version: 3,
            eta: Eta::Auto,
            eta_interval_ms: 1000,
            eta_newline_ms: 0,
            status_interval_ms: 0,
            parse_only: false,
            showcmd: false,
            sections: Vec::new(),
            readonly: false,
            help: None,
            max_jobs: None,
            strict: false,
            aux_path: None,
            clients: Vec::new(),
            run_file: RunFile::Default,
            force: false,
            destroy: Vec::new(),
        }
    }
}

/// A switch as it was given.
pub(crate) struct Given<'a> {
    value: Option<&'a Text>,
    span: Span,
    sink: &'a mut Vec<Diagnostic>,
}

/// A switch of the command line.
#[derive(Clone, Copy, Debug)]
pub struct SwitchSpec {
    /// Name without the dashes.
    pub name: &'static str,
    /// Whether it takes a value.
    pub takes: Takes,
    /// How far leadline goes with it.
    pub support: Support,
    /// leadline's own: not reachable by a prefix, so that prefixes mean what they mean to fio.
    pub own: bool,
    /// What it does, in one sentence.
    pub help: &'static str,
    /// What it means.
    pub(crate) apply: fn(&mut RunSwitches, &mut Given<'_>),
    /// What it changes; `None` when it changes nothing that a case could show.
    pub case: Option<Case>,
}

const fn switch(
    name: &'static str,
    takes: Takes,
    apply: fn(&mut RunSwitches, &mut Given<'_>),
    help: &'static str,
) -> SwitchSpec {
    SwitchSpec {
        name,
        takes,
        support: Support::Full,
        own: false,
        help,
        apply,
        case: None,
    }
}

const fn refused(
    name: &'static str,
    takes: Takes,
    help: &'static str,
    why: &'static str,
) -> SwitchSpec {
    switch(name, takes, values::none, help).no(why)
}

impl SwitchSpec {
    const fn no(mut self, why: &'static str) -> Self {
        self.support = Support::Refused(why);
        self
    }

    const fn idle(mut self, why: &'static str) -> Self {
        self.support = Support::NoEffect(why);
        self
    }

    const fn own(mut self) -> Self {
        self.own = true;
        self
    }

    /// A test: these words change this.
    const fn case(mut self, words: &'static str, changes: &'static str) -> Self {
        self.case = Some(Case { words, changes });
        self
    }
}

impl RunSwitches {
    /// Takes a switch into account; what is wrong with it is reported.
    pub(crate) fn apply(
        &mut self,
        spec: &'static SwitchSpec,
        value: Option<&Text>,
        span: Span,
        sink: &mut Vec<Diagnostic>,
    ) {
        match spec.support {
            Support::Full => {}
            Support::NoEffect(reason) => {
                let message = format!("`--{}` changes nothing: {reason}", spec.name);
                sink.push(Diagnostic::note("no-effect", message).at(span, ""));
            }
            Support::Refused(reason) => {
                let message = format!("`--{}` is not supported: {reason}", spec.name);
                sink.push(Diagnostic::error("not-supported", message).at(span, ""));
            }
        }
        (spec.apply)(self, &mut Given { value, span, sink });
    }
}

/// The switch of this name.
pub(crate) fn find(name: &str) -> Option<&'static SwitchSpec> {
    SWITCHES.iter().find(|s| s.name == name)
}
