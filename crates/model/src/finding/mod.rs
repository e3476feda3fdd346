//! What a result means: verdicts, doubts, limits; and the kinds of them that there are.
//!
//! Belongs here: the form of a finding, and what each kind means for the use of the figures. Must never: look for one.

mod table;

use crate::cure::Cure;
use serde::{Deserialize, Serialize};
use std::fmt;
pub use table::KINDS;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// The figure needs this beside it.
    Warn,
    /// The figure must not be used as it stands.
    Fail,
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable short name (`depth-not-reached`), that of its [`FindingKind`].
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// Stage it is about; `None` = the whole run.
    pub stage: Option<u32>,
    /// Workload within the stage; `None` = all of it.
    pub workload: Option<u32>,
    /// What was found, one sentence with its figures.
    pub text: String,
    /// What to do about it; empty when there is nothing to do.
    pub cure: Cure,
}

impl Finding {
    /// What it means for the use of the figures it is about: that of its severity, and where it warns, that of its kind
    /// (an exception where the kind is not known: it is of another version).
    #[must_use]
    pub fn effect(&self) -> Effect {
        match self.severity {
            Severity::Info => Effect::Note,
            Severity::Fail => Effect::Unusable,
            Severity::Warn => {
                let kind = FindingKind::named(&self.code);
                let effects = kind.map_or(&[][..], |kind| kind.effects).iter().copied();
                let warns = effects.filter(|effect| *effect < Effect::Unusable);
                warns.max().unwrap_or(Effect::Exception)
            }
        }
    }

    /// Whether it is about a workload of a stage; one about the whole run is.
    #[must_use]
    pub fn covers(&self, stage: u32, workload: u32) -> bool {
        let is = |own: Option<u32>, number| own.is_none_or(|own| own == number);
        self.stage.is_none() || (is(self.stage, stage) && is(self.workload, workload))
    }
}

/// What a finding means for the use of the figures it is about, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing.
    Note,
    /// They are marked: decisions have to look at what it says.
    Exception,
    /// Each is biased, the same way each time: good for comparisons with runs that have the same bias.
    CompareOnly,
    /// They are not to be used.
    Unusable,
}

impl Effect {
    /// What may be done with the figures, in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Note => "note: the figures can be used as they are",
            Self::Exception => "exception: the figures it is about are marked",
            Self::CompareOnly => {
                "only compare: the figures it is about have the same bias each time"
            }
            Self::Unusable => "do not use the figures it is about",
        }
    }
}

/// What a kind of finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Caches between the workload and what is to be measured.
    Cache,
    /// What is written and read.
    Data,
    /// What changes over time.
    Time,
    /// The load: what was requested and what came of it.
    Load,
    /// leadline and its host.
    Generator,
    /// The way to the storage.
    Network,
    /// Several hosts.
    Hosts,
    /// Limits and environment.
    Environment,
    /// How the run went and ended.
    Run,
    /// What the text of a job says, and how it was read.
    Job,
}

impl Subject {
    /// All of them, in the order of lists.
    pub const ALL: [Self; 10] = [
        Self::Cache,
        Self::Data,
        Self::Time,
        Self::Load,
        Self::Generator,
        Self::Network,
        Self::Hosts,
        Self::Environment,
        Self::Run,
        Self::Job,
    ];

    /// As a heading.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Cache => "Caches",
            Self::Data => "Data",
            Self::Time => "Time",
            Self::Load => "Load",
            Self::Generator => "leadline and its host",
            Self::Network => "Network",
            Self::Hosts => "Several hosts",
            Self::Environment => "Limits and environment",
            Self::Run => "The run",
            Self::Job => "What a job says",
        }
    }
}

/// A kind of finding: what `leadline explain` and the reference say of its code.
#[derive(Debug)]
pub struct FindingKind {
    /// Its code.
    pub code: &'static str,
    /// What it is about.
    pub subject: Subject,
    /// A few words.
    pub title: &'static str,
    /// What was seen, with its threshold.
    pub saw: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// What to do; empty when there is nothing to do.
    pub cure: &'static str,
    /// Where that is published; empty where it is a plain fact.
    pub source: &'static str,
    /// What it can mean for the use of the figures, the least first.
    pub effects: &'static [Effect],
}

impl FindingKind {
    /// The kind of a code.
    #[must_use]
    pub fn named(code: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.code == code)
    }

    /// What it can mean for the use of the figures, in words; from the least on.
    #[must_use]
    pub fn effect_words(&self) -> String {
        let words: Vec<&str> = self.effects.iter().map(|effect| effect.words()).collect();
        let mut text = words.join("; or ");
        text.push('.');
        text
    }
}

impl fmt::Display for FindingKind {
    /// All that is known of it, a paragraph each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.code, self.title)?;
        let parts = [
            ("What it saw", self.saw),
            ("Why it matters", self.why),
            ("What to do", self.cure),
            ("What it means for the figures", &self.effect_words()),
            ("Source", self.source),
        ];
        for (head, text) in parts.iter().filter(|part| !part.1.is_empty()) {
            writeln!(f, "\n{head}: {text}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn finding(code: &str, severity: Severity) -> Finding {
        Finding {
            code: code.to_owned(),
            severity,
            stage: None,
            workload: None,
            text: String::new(),
            cure: Cure::none(),
        }
    }

    #[test]
    fn each_kind_has_one_row_that_says_all() {
        let codes: BTreeSet<&str> = KINDS.iter().map(|kind| kind.code).collect();
        assert_eq!(codes.len(), KINDS.len(), "a code stands twice");
        for kind in KINDS {
            let code = kind.code;
            let is_plain = |c: char| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit();
            assert!(!code.is_empty() && code.chars().all(is_plain), "{code}");
            for text in [kind.title, kind.saw, kind.why] {
                assert!(!text.is_empty(), "{code}");
            }
            for text in [kind.saw, kind.why, kind.cure, kind.source] {
                assert!(text.is_empty() || text.ends_with('.'), "{code}: {text}");
            }
            assert!(!kind.title.ends_with('.'), "{code}");
            assert!(
                kind.effects.is_sorted() && !kind.effects.is_empty(),
                "{code}"
            );
        }
    }

    #[test]
    fn a_severity_and_a_kind_give_the_effect() {
        let of = |code, severity| finding(code, severity).effect();
        assert_eq!(of("stall", Severity::Info), Effect::Note);
        assert_eq!(of("stall", Severity::Warn), Effect::Exception);
        assert_eq!(of("stall", Severity::Fail), Effect::Unusable);
        assert_eq!(of("repeated-offsets", Severity::Warn), Effect::CompareOnly);
        // Kinds of two severities: what warns is no failure.
        assert_eq!(of("skew", Severity::Warn), Effect::Exception);
        assert_eq!(of("data-destroyed", Severity::Warn), Effect::Note);
        assert_eq!(of("of-another-version", Severity::Warn), Effect::Exception);
    }

    #[test]
    fn a_kind_is_shown_as_a_paragraph_for_each_thing_that_is_known() {
        let kind = FindingKind {
            code: "far-away",
            subject: Subject::Run,
            title: "It is far",
            saw: "A mile.",
            why: "It takes long.",
            cure: "",
            source: "A map.",
            effects: &[Effect::Note, Effect::Exception],
        };
        let words = [Effect::Note, Effect::Exception].map(Effect::words);
        let effects = format!("{}; or {}.", words[0], words[1]);
        assert_eq!(kind.effect_words(), effects);
        let shown = format!(
            "far-away: It is far\n\nWhat it saw: A mile.\n\nWhy it matters: It takes long.\n\n\
             What it means for the figures: {effects}\n\nSource: A map.\n"
        );
        assert_eq!(kind.to_string(), shown);
    }

    #[test]
    fn a_finding_covers_what_it_is_about() {
        let covers = |stage, workload| {
            let about = Finding {
                stage,
                workload,
                ..finding("x", Severity::Warn)
            };
            about.covers(2, 1)
        };
        assert!(covers(None, None) && covers(Some(2), None) && covers(Some(2), Some(1)));
        assert!(!covers(Some(1), None) && !covers(Some(2), Some(0)));
    }
}
