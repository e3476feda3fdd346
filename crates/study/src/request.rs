//! A study as it was asked for, with what is asked beside it.
//!
//! Belongs here: the types that reading fills and the caller takes. Must never: read words, or say what is wrong.

use leadline_dialect::diagnostic::Span;
use leadline_model::plan::Study;

/// A study, and what is asked beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The study; its place is the first target as a directory until the caller has looked.
    pub study: Study,
    /// Directory, files or devices; none where each state of the system has its own.
    pub targets: Vec<String>,
    /// Whether the size of the data set was given.
    pub sized: bool,
    /// Bytes that the set has at the least: the most that one of its points uses.
    pub least: u64,
    /// What is asked beside it.
    pub beside: Beside,
    /// Switches of the caller ([`CallerSwitch`]) as words of a command line.
    pub switches: Vec<String>,
    /// Where each option was given, by name, in the sources of what was parsed.
    pub places: Vec<(&'static str, Span)>,
}

impl Request {
    /// Where an option was given; `None` = it was not.
    #[must_use]
    pub fn place(&self, option: &str) -> Option<Span> {
        let places = self.places.iter().rev();
        places
            .clone()
            .find(|place| place.0 == option)
            .map(|place| place.1)
    }
}

/// What is asked beside a study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Name of report and run file, without extension.
    pub out: Option<String>,
    /// Replace what is there.
    pub force: bool,
    /// The result as JSON.
    pub json: bool,
    /// The study's files stay.
    pub keep: bool,
    /// More points than usual are meant.
    pub yes: bool,
    /// Grade at which the command fails: `B`, `C` or `F`.
    pub fail_on_grade: Option<char>,
    /// Files and devices that may be overwritten.
    pub destroy: Vec<String>,
    /// The run file that is taken up.
    pub resume: Option<String>,
}

/// A switch that the caller knows and a study only passes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerSwitch {
    /// Its name, without dashes.
    pub name: &'static str,
    /// Whether it has a value.
    pub takes_value: bool,
    /// What it means: a sentence without its full stop.
    pub help: &'static str,
}
