//! Findings that are alike, said once: what, where, in how many places.
//!
//! Belongs here: putting findings of one code together, and their figures to ranges. Must never: leave a
//! kind of finding out, or judge one.

use crate::render::html;
use crate::run::Run;
use leadline_model::finding::{Finding, Severity};
use std::collections::BTreeSet;

/// Most sentences that are said of one kind where they differ in words.
const MOST: usize = 3;

/// All findings of one code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Once {
    /// The gravest of them.
    pub severity: Severity,
    /// Their code.
    pub code: String,
    /// Where, as in `9 of 9 stages` or `fill`; empty for the whole run.
    pub place: String,
    /// What was found; where sentences differ in figures only, from the least to the most.
    pub text: String,
    /// What to do about it; empty when there is nothing to do.
    pub cure: String,
}

impl Once {
    /// `warning[host-busy] in 9 of 9 stages: The processors were busy for 94-100 % ... (what to do)`.
    #[must_use]
    pub fn line(&self) -> String {
        let word = match self.severity {
            Severity::Fail => "failed",
            Severity::Warn => "warning",
            Severity::Info => "note",
        };
        let place = match self.place.as_str() {
            "" => String::new(),
            place => format!(" in {place}"),
        };
        let cure = match self.cure.as_str() {
            "" => String::new(),
            cure => format!(" ({cure})"),
        };
        format!("{word}[{}]{place}: {}{cure}", self.code, self.text)
    }
}

/// The findings of a run that are at least so grave: a word for each code, the gravest first.
#[must_use]
pub fn once(run: &Run, least: Severity) -> Vec<Once> {
    let grave = run.findings.iter().filter(|f| f.severity >= least);
    let mut kinds: Vec<Vec<&Finding>> = Vec::new();
    for finding in grave {
        match kinds.iter_mut().find(|kind| kind[0].code == finding.code) {
            Some(kind) => kind.push(finding),
            None => kinds.push(vec![finding]),
        }
    }
    let mut all: Vec<Once> = kinds.iter().map(|kind| of_kind(run, kind)).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.severity));
    all
}

fn of_kind(run: &Run, kind: &[&Finding]) -> Once {
    // The first of the gravest speaks for all where they cannot be put together.
    let mut worst = kind[0];
    for finding in kind {
        if finding.severity > worst.severity {
            worst = finding;
        }
    }
    let texts: Vec<&str> = kind.iter().map(|f| f.text.as_str()).collect();
    let text = in_one(&texts).unwrap_or_else(|| {
        let mut unlike: Vec<&str> = vec![worst.text.as_str()];
        for text in texts {
            if !unlike.contains(&text) {
                unlike.push(text);
            }
        }
        let more = unlike.len().saturating_sub(MOST);
        unlike.truncate(MOST);
        match more {
            0 => joined(&unlike),
            _ => format!("{} (and {more} more of this kind)", joined(&unlike)),
        }
    });
    Once {
        severity: worst.severity,
        code: worst.code.clone(),
        place: place(run, kind),
        text,
        cure: worst.cure.text.clone(),
    }
}

/// Sentences one after the other; what is none is separated by semicolons.
fn joined(texts: &[&str]) -> String {
    let mut all = String::new();
    for text in texts {
        if !all.is_empty() {
            all += if all.ends_with('.') { " " } else { "; " };
        }
        all += text;
    }
    all
}

fn place(run: &Run, kind: &[&Finding]) -> String {
    let stages: BTreeSet<u32> = kind.iter().filter_map(|f| f.stage).collect();
    let ran: BTreeSet<u32> = run.stages.iter().map(|s| s.stage).collect();
    let workloads: BTreeSet<(u32, u32)> = kind
        .iter()
        .filter_map(|f| f.stage.zip(f.workload))
        .collect();
    match (stages.len(), workloads.len()) {
        (0, _) => String::new(),
        // The only workload there is needs no name.
        (1, 0 | 1) if ran.len() < 2 && is_alone(run, kind[0]) => String::new(),
        (1, 0 | 1) => html::place(run, kind[0]),
        (1, count) => {
            let stage = stages
                .first()
                .and_then(|&s| crate::summary::planned(run, s));
            let all = stage.map_or(count, |s| s.workloads.len());
            format!("{count} of {all} workloads")
        }
        (count, _) => format!("{count} of {} stages", ran.len().max(count)),
    }
}

/// Whether the stage of a finding has one workload.
fn is_alone(run: &Run, finding: &Finding) -> bool {
    let stage = finding.stage.and_then(|s| crate::summary::planned(run, s));
    stage.is_none_or(|s| s.workloads.len() < 2)
}

/// Sentences that are the same but for their figures, as one with ranges; `None` = they differ in words.
fn in_one(texts: &[&str]) -> Option<String> {
    let first: Vec<&str> = texts.first()?.split(' ').collect();
    let mut said: Vec<Word<'_>> = first.iter().map(|word| Word::of(word)).collect();
    for text in &texts[1..] {
        let words: Vec<&str> = text.split(' ').collect();
        if words.len() != said.len() {
            return None;
        }
        for (own, word) in said.iter_mut().zip(words) {
            own.widen(word)?;
        }
    }
    let words: Vec<String> = said.iter().map(Word::shown).collect();
    Some(words.join(" "))
}

/// A word of a sentence; where it is a figure, its least and its most.
struct Word<'a> {
    whole: &'a str,
    figure: Option<NumberInWord<'a>>,
    most: Option<NumberInWord<'a>>,
}

/// A number in a word: what comes before it, what after it, how it is written.
#[derive(Clone, Copy)]
struct NumberInWord<'a> {
    around: (&'a str, &'a str),
    number: f64,
    written: &'a str,
}

impl<'a> Word<'a> {
    fn of(whole: &'a str) -> Self {
        let figure = figure(whole);
        Self {
            whole,
            figure,
            most: figure,
        }
    }

    /// Takes in the word at the same place of another sentence.
    fn widen(&mut self, word: &'a str) -> Option<()> {
        if word == self.whole {
            return Some(());
        }
        let other = figure(word)?;
        let (least, most) = (self.figure?, self.most?);
        if other.around != least.around {
            return None;
        }
        if other.number < least.number {
            self.figure = Some(other);
        }
        if other.number > most.number {
            self.most = Some(other);
        }
        Some(())
    }

    fn shown(&self) -> String {
        match (self.figure, self.most) {
            (Some(least), Some(most)) if least.written != most.written => format!(
                "{}{}-{}{}",
                least.around.0, least.written, most.written, least.around.1
            ),
            _ => self.whole.to_owned(),
        }
    }
}

fn figure(word: &str) -> Option<NumberInWord<'_>> {
    let start = word.find(|c: char| c.is_ascii_digit())?;
    let end = word.rfind(|c: char| c.is_ascii_digit())? + 1;
    let written = &word[start..end];
    let number = written.replace(',', "").parse().ok()?;
    Some(NumberInWord {
        around: (&word[..start], &word[end..]),
        number,
        written,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_differ_in_figures_become_one_with_ranges() {
        let one = in_one(&[
            "Busy for 94 % of 1,000 ms, by 3.5.",
            "Busy for 100 % of 1,000 ms, by 2.",
            "Busy for 97 % of 1,000 ms, by 3.25.",
        ]);
        assert_eq!(
            one.as_deref(),
            Some("Busy for 94-100 % of 1,000 ms, by 2-3.5.")
        );
        assert_eq!(in_one(&["alone 5"]).as_deref(), Some("alone 5"));
        assert_eq!(in_one(&["a 1", "b 1"]), None, "words differ");
        assert_eq!(in_one(&["a", "a b"]), None);
        assert_eq!(
            in_one(&["(of 94%)", "(of 95%)"]).as_deref(),
            Some("(of 94-95%)")
        );
        assert_eq!(in_one(&["5us", "5ms"]), None, "units differ");
    }

    #[test]
    fn a_kind_is_said_once_with_the_gravest_first() {
        let finding = |code: &str, severity, stage, text: &str| Finding {
            code: code.to_owned(),
            severity,
            stage,
            workload: None,
            text: text.to_owned(),
            cure: "do this".into(),
        };
        let run = Run {
            findings: vec![
                finding("small", Severity::Info, None, "of note"),
                finding("busy", Severity::Warn, Some(0), "94 %"),
                finding("busy", Severity::Fail, Some(1), "99 %"),
                finding("unlike", Severity::Warn, Some(0), "a"),
                finding("unlike", Severity::Warn, Some(1), "b"),
                finding("unlike", Severity::Warn, Some(1), "c"),
                finding("unlike", Severity::Warn, Some(1), "d"),
            ],
            ..Run::default()
        };
        let lines = |least| {
            let all = once(&run, least);
            all.iter().map(Once::line).collect::<Vec<_>>()
        };
        assert_eq!(
            lines(Severity::Info),
            [
                "failed[busy] in 2 of 2 stages: 94-99 % (do this)",
                "warning[unlike] in 2 of 2 stages: a; b; c (and 1 more of this kind) (do this)",
                "note[small]: of note (do this)",
            ]
        );
        assert_eq!(lines(Severity::Fail).len(), 1);
    }

    #[test]
    fn sentences_follow_each_other_and_words_are_separated() {
        assert_eq!(
            joined(&["p99 has 9 (too few).", "None had any."]),
            "p99 has 9 (too few). None had any."
        );
        assert_eq!(joined(&["a", "b"]), "a; b");
    }
}
