//! The one option table of DISKSPD's language: the parser, the help, the notes on what has no effect, the tests
//! of single options and the generated reference all read it.
//!
//! Belongs here: forms, defaults, support, a sentence of help, the function that reads it and a test case for each
//! option. Must never appear here: what an option does to a profile (see `options`) or to a plan (see `lower`).

mod rows;

use crate::beside::Common;
use crate::reader::{Opt, Reader};
use crate::switches::Switches;
use leadline_dialect::diagnostic::Diagnostic;
pub use leadline_dialect::spec::Support;
use std::cmp::Reverse;

/// Where a form comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// DISKSPD 2.2 and before.
    V22,
    /// DISKSPD 2.3.
    V23,
    /// Leadline's own.
    Own,
}

impl Since {
    /// Name in the reference.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V22 => "2.2",
            Self::V23 => "2.3",
            Self::Own => "leadline",
        }
    }
}

/// When an option is read, and the function that does it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reading {
    /// First, and also beside a profile.
    Beside(fn(&mut Common, &mut Reader<'_>, &Opt)),
    /// First, since others depend on it.
    First(fn(&mut Reader<'_>, &Opt)),
    /// After those.
    Target(fn(&mut Reader<'_>, &Opt)),
    /// Before all, one of leadline's own without a value.
    Flag(fn(&mut Switches)),
    /// Before all, one of leadline's own with a value.
    Value(fn(&mut Switches, String)),
    /// The profile itself.
    Profile,
    /// Help: nothing else is read.
    Help,
}

/// A command line in which an option matters, and what it changes there.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Options with blanks between them, one of this form among them.
    pub words: &'static str,
    /// What a line of the outcome (profile, switches and the plan's short form) says that none says without the
    /// option; after `- `, what no line says any more.
    pub changes: &'static str,
}

/// A form of an option. Several forms may share a letter.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The option with what its value looks like: `-b<size>`.
    pub form: &'static str,
    /// What it is when it is not given; empty = nothing.
    pub default: &'static str,
    /// How far leadline goes with it.
    pub support: Support,
    /// Whose it is.
    pub since: Since,
    /// When it is read, and by what.
    pub(crate) reading: Reading,
    /// What it changes; `None` when it changes nothing that a case could show.
    pub case: Option<Case>,
    /// Chapter of the reference.
    pub category: &'static str,
    /// What it does, in a sentence or two.
    pub help: &'static str,
}

impl OptionSpec {
    /// The character after the dash.
    #[must_use]
    pub fn letter(&self) -> char {
        self.form.chars().nth(1).unwrap_or('-')
    }

    /// Whether it may be beside `-X`.
    #[must_use]
    pub fn with_profile(&self) -> bool {
        !matches!(
            self.reading,
            Reading::First(_) | Reading::Target(_) | Reading::Help
        )
    }

    /// How much of an option's text this form spells, in bytes; `None` when it is of another letter.
    fn spells(&self, opt: &Opt) -> Option<usize> {
        let text = || std::iter::once(opt.letter).chain(opt.value.chars());
        let alike = |one: &str| {
            let literal = one.split(['<', '[', '=']).next().unwrap_or("");
            let length = literal.chars().count().saturating_sub(1);
            literal
                .chars()
                .skip(1)
                .eq(text().take(length))
                .then_some(length)
        };
        let longest = self.form.split(", ").filter_map(alike).max();
        longest.or((self.letter() == opt.letter).then_some(0))
    }
}

const fn opt(form: &'static str, reading: Reading, help: &'static str) -> OptionSpec {
    OptionSpec {
        form,
        default: "",
        support: Support::Full,
        since: Since::V22,
        reading,
        case: None,
        category: "",
        help,
    }
}

impl OptionSpec {
    const fn or(mut self, default: &'static str) -> Self {
        self.default = default;
        self
    }

    const fn idle(mut self, reason: &'static str) -> Self {
        self.support = Support::NoEffect(reason);
        self
    }

    const fn in_23(mut self) -> Self {
        self.since = Since::V23;
        self
    }

    const fn own(mut self) -> Self {
        self.since = Since::Own;
        self
    }

    /// A test: these words change this.
    const fn case(mut self, words: &'static str, changes: &'static str) -> Self {
        self.case = Some(Case { words, changes });
        self
    }
}

/// All forms, chapter by chapter.
pub fn options() -> impl Iterator<Item = OptionSpec> {
    rows::CHAPTERS.iter().flat_map(|(category, specs)| {
        specs
            .iter()
            .map(move |spec| OptionSpec { category, ..*spec })
    })
}

/// Says of each form that was given and has no effect why that is so.
pub(super) fn explain_idle(reader: &mut Reader<'_>) {
    for (form, opt) in std::mem::take(&mut reader.idle) {
        let message = format!("`{}` has no effect: {}", opt.text, idle_reason(form));
        reader.say(Diagnostic::note("no-effect", message).at(opt.span, ""));
    }
}

/// The reason why a form has no effect; empty when it has one.
fn idle_reason(form: &str) -> &'static str {
    let spec = options().find(|spec| spec.form.split(", ").any(|one| one == form));
    match spec.map(|spec| spec.support) {
        Some(Support::NoEffect(reason)) => reason,
        _ => "",
    }
}

/// Whether any form has this letter.
pub(super) fn is_letter(letter: char) -> bool {
    options().any(|spec| spec.since != Since::Own && spec.letter() == letter)
}

/// Whether an option of this letter may be beside `-X`.
pub(super) fn composes(letter: char) -> bool {
    options().any(|spec| spec.letter() == letter && spec.with_profile())
}

/// What reads an option: of the forms of its letter the one that spells most of it.
pub(super) fn reading(opt: &Opt) -> Option<Reading> {
    let forms = options().filter(|spec| spec.since != Since::Own);
    let spelled = forms.filter_map(|spec| Some((spec.spells(opt)?, spec.reading)));
    spelled
        .min_by_key(|(length, _)| Reverse(*length))
        .map(|(_, reading)| reading)
}

/// What reads the option of leadline's own with this name.
pub(super) fn own(name: &str) -> Option<Reading> {
    let spec = options()
        .find(|spec| spec.since == Since::Own && spec.form.split('=').next() == Some(name))?;
    Some(spec.reading)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn forms_are_unique_and_described() {
        let mut seen = BTreeSet::new();
        for spec in options() {
            assert!(seen.insert(spec.form), "{} is there twice", spec.form);
            assert!(spec.form.starts_with('-') && spec.help.len() > 3 && !spec.category.is_empty());
            if let Support::NoEffect(reason) = spec.support {
                assert!(reason.len() > 15, "{} lacks a reason", spec.form);
            }
        }
    }

    #[test]
    fn every_letter_of_diskspd_is_known_and_no_other() {
        let known: String = ('!'..='~').filter(|c| is_letter(*c)).collect();
        assert_eq!(known, ":?BCDFILNOPRSTWXZabcdefghijlnoprstuvwxyz");
        let beside: String = ('!'..='~').filter(|c| composes(*c)).collect();
        assert_eq!(beside, "-:CRWXdvz");
    }
}
