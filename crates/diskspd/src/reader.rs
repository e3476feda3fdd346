//! The state of reading a command line: its words, what is to be said about them, what they mean.
//!
//! Belongs here: what all options share. Must never appear here: what an option means.

use crate::profile::{Cache, Flush, Profile, Target, TimeSpan};
use crate::switches::Switches;
use leadline_dialect::diagnostic::{Diagnostic, Severity, Sources, Span};
use leadline_dialect::host::Host;
use std::collections::{BTreeMap, BTreeSet};

/// A word of the command line.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) span: Span,
}

/// An option: a word that begins with a switch character.
#[derive(Clone, Debug)]
pub(super) struct Opt {
    /// The whole word, as typed.
    pub(super) text: String,
    /// What follows the letter.
    pub(super) value: String,
    pub(super) letter: char,
    pub(super) span: Span,
    /// The target right after it: perhaps meant as its value.
    pub(super) next: Option<String>,
}

impl Opt {
    /// The value from byte `from`; empty when there is none.
    pub(super) fn tail(&self, from: usize) -> &str {
        self.value.get(from..).unwrap_or("")
    }

    /// Place of the value.
    pub(super) fn value_span(&self) -> Span {
        let skip = self.text.len() - self.value.len();
        let whole = if self.value.is_empty() { 0 } else { skip };
        self.span.part(whole, self.text.len())
    }
}

/// Caching as the words come in: each property may be said once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Caching {
    pub(super) mode: Option<Cache>,
    pub(super) through: bool,
    pub(super) mapped: bool,
    pub(super) flush: Option<Flush>,
    pub(super) bypass: Option<crate::profile::Bypass>,
}

pub(super) struct Reader<'a> {
    pub(super) host: &'a dyn Host,
    pub(super) sources: Sources,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) switches: Switches,
    pub(super) profile: Profile,
    /// What all targets of a command line share.
    pub(super) target: Target,
    /// The one time span of a command line.
    pub(super) time_span: TimeSpan,
    pub(super) caching: Caching,
    /// The forms without effect that were given.
    pub(super) idle: Vec<(&'static str, Opt)>,
    /// Where each letter was said last.
    pub(super) places: BTreeMap<char, Span>,
    /// The profile that was read: (name, text).
    pub(super) profile_text: Option<(String, String)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(host: &'a dyn Host) -> Self {
        Self {
            host,
            sources: Sources::default(),
            diagnostics: Vec::new(),
            switches: Switches::default(),
            profile: Profile::default(),
            target: Target::new(""),
            time_span: TimeSpan::default(),
            caching: Caching::default(),
            idle: Vec::new(),
            places: BTreeMap::new(),
            profile_text: None,
        }
    }

    pub(super) fn say(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// An error of an option, in DISKSPD's words.
    pub(super) fn wrong(&mut self, code: &'static str, message: impl Into<String>, opt: &Opt) {
        self.say(Diagnostic::error(code, message).at(opt.span, ""));
    }

    /// An option without a proper value, where DISKSPD names only the option.
    pub(super) fn bad_value(&mut self, opt: &Opt, expected: &str) {
        let message = format!("incorrectly provided option: '{}'", opt.text);
        self.say(
            Diagnostic::error("bad-value", message)
                .at(opt.value_span(), "")
                .expected(expected)
                .maybe_hint(glued(opt)),
        );
    }

    /// A size that is none: what DISKSPD says of the option, and of the text.
    pub(super) fn bad_size(&mut self, message: &str, reason: &str, opt: &Opt) {
        self.say(
            Diagnostic::error("bad-size", message)
                .at(opt.value_span(), reason)
                .maybe_hint(glued(opt)),
        );
    }

    /// A number that `atoi` reads otherwise than it looks.
    pub(super) fn bent(&mut self, opt: &Opt, text: &str, value: impl std::fmt::Display) {
        if text.is_empty() {
            return;
        }
        let message = format!(
            "DISKSPD uses the leading digits of `{text}` and ignores the rest; the value is \
             {value}"
        );
        self.say(
            Diagnostic::warning("lenient-number", message)
                .at(opt.value_span(), "")
                .hint("write a whole number without a unit"),
        );
    }

    /// Characters after an option that takes none.
    pub(super) fn no_value(&mut self, opt: &Opt) {
        if !opt.value.is_empty() {
            let message = format!("DISKSPD ignores `{}` here", opt.value);
            self.say(
                Diagnostic::warning("trailing-characters", message)
                    .at(opt.value_span(), "")
                    .hint(format!("write `-{}`", opt.letter)),
            );
        }
    }

    /// Notes that a form has no effect; the table knows why.
    pub(super) fn idle(&mut self, form: &'static str, opt: &Opt) {
        self.idle.push((form, opt.clone()));
    }

    pub(super) fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }

    /// Ends the reading: in the order of the texts, notes once, warnings as errors when they are to be.
    pub(super) fn settle(&mut self) {
        self.diagnostics.sort_by_key(|d| {
            let place = d.labels.first().map(|label| label.span);
            (place.is_none(), place.map(|span| (span.source, span.start)))
        });
        let mut seen = BTreeSet::new();
        self.diagnostics
            .retain(|d| d.severity == Severity::Error || seen.insert((d.code, d.message.clone())));
        if self.switches.strict {
            for diagnostic in &mut self.diagnostics {
                if diagnostic.severity == Severity::Warning {
                    diagnostic.severity = Severity::Error;
                }
            }
        }
    }
}

/// A value that stands apart from its option.
fn glued(opt: &Opt) -> Option<String> {
    let next = opt.next.as_ref().filter(|_| opt.value.is_empty())?;
    Some(format!(
        "write option and value as one word: `{}{next}`",
        opt.text
    ))
}
