//! What the values of switches mean.
//!
//! Belongs here: meanings too long for a row. Must never appear here: names of switches.

use super::{CommandLine, Given, Naming, OutputDirectory, Repeat};
use crate::number::{Unit, number, whole};
use leadline_dialect::diagnostic::Diagnostic;
use leadline_dialect::text::Text;
use leadline_model::units::Nanos;

impl Given<'_> {
    /// The value; empty when there is none.
    pub(super) fn text(&self) -> &str {
        self.value.as_ref().map_or("", Text::as_str)
    }

    /// The value as a time in seconds.
    pub(super) fn seconds(&mut self) -> Option<u64> {
        match number(self.text(), Unit::Time) {
            Some(n) if !n.percent => Some(whole(n.value)),
            _ => {
                self.wrong("a time in seconds");
                None
            }
        }
    }

    pub(super) fn wrong(&mut self, what: &str) {
        let message = format!("`{}` needs {what}", self.name);
        let error = Diagnostic::error("value-not-understood", message);
        self.says.push(error.at(self.at, ""));
    }
}

/// Of a switch that is not done.
pub(super) fn none(_: &mut CommandLine, _: &mut Given<'_>) {}

pub(super) fn is_number(text: &str) -> bool {
    number(text, Unit::Binary).is_some()
}

pub(super) fn is_repeat(text: &str) -> bool {
    value_of_loop(text).is_some()
}

pub(super) fn repeat(line: &mut CommandLine, given: &mut Given<'_>) {
    match value_of_loop(given.text()) {
        Some(repeat) => line.switches.repeat = Some(repeat),
        None if given.text().is_empty() => line.switches.repeat = Some(Repeat::Forever),
        None => given.wrong("a number of rounds, or a time with s, m or h"),
    }
}

pub(super) fn output(text: &str) -> OutputDirectory {
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
