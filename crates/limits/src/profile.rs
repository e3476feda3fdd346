//! Profiles: what an application asks of storage, and whether figures meet it.
//!
//! Belongs here: rows as profiles, what is wrong with one, the comparison. Must never appear here: how the work is done,
//! or where a figure is from.

use crate::file;
use crate::row::{Row, Source};
use crate::sections::PROFILES;
use leadline_dialect::diagnostic::{Diagnostic, Severity, Sources};
use leadline_model::op::Op;
use std::collections::HashSet;

/// The file that is built in, and the name that its diagnostics have.
const BUILT_IN: (&str, &str) = ("profiles.toml", include_str!("profiles.toml"));

/// What an application asks of storage.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its name on a command line.
    pub name: String,
    /// What it is of, in a sentence.
    pub about: String,
    /// Its tests, in order; at least one.
    pub tests: Vec<ProfileTest>,
}

/// One piece of work, and the limit that it has to meet.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileTest {
    /// Its name within the profile.
    pub name: String,
    /// The work, in the words of a job without a target.
    pub job: String,
    /// Source of the work, an address.
    pub job_source: String,
    /// The operation that is judged.
    pub op: Op,
    /// What is asked of it.
    pub requirement: Requirement,
    /// Where the limit is from.
    pub source: Source,
    /// What a reader has to know beside it; empty = nothing.
    pub note: String,
}

/// Which latency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Latency {
    /// The arithmetic mean.
    Mean,
    /// A percentile, above 0 and below 100.
    Percentile(f64),
}

/// A published limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Requirement {
    /// A latency must be below this, in nanoseconds.
    Below(Latency, f64),
    /// At least this many I/Os a second.
    Iops(f64),
    /// At least this many bytes a second.
    Bytes(f64),
}

/// A measured figure in the unit of its requirement, with its 95 % interval where it has one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sampled {
    /// The figure; `None` = nothing was measured, or too little.
    pub value: Option<f64>,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// Whether a figure meets a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judgement {
    /// All of its interval does.
    Pass,
    /// The limit is within its interval, or it has none.
    Undecided,
    /// None of its interval does.
    Fail,
}

impl Judgement {
    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Undecided => "undecided",
            Self::Fail => "fail",
        }
    }
}

impl Requirement {
    /// Whether a figure meets it.
    #[must_use]
    pub fn judge(self, sampled: &Sampled) -> Judgement {
        let (Some(low), Some(high)) = (sampled.low, sampled.high) else {
            return Judgement::Undecided;
        };
        let (passes, fails) = match self {
            Self::Below(_, limit) => (high < limit, low >= limit),
            Self::Iops(limit) | Self::Bytes(limit) => (low >= limit, high < limit),
        };
        match (passes, fails) {
            (true, _) => Judgement::Pass,
            (_, true) => Judgement::Fail,
            _ => Judgement::Undecided,
        }
    }
}

/// Profiles that were read, and what was wrong.
#[derive(Clone, Debug, Default)]
pub struct Profiles {
    /// Those that are right; none where anything is wrong.
    pub profiles: Vec<Profile>,
    /// What is to be said of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that it is about.
    pub sources: Sources,
}

impl Profiles {
    /// The profile of a name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.name == name)
    }
}

/// The profiles that are built in, or those of a user's file (its name and text) in their place.
#[must_use]
pub fn profiles(of: Option<(&str, &str)>) -> Profiles {
    let mut read = Profiles::default();
    let rows = file::read(
        of.unwrap_or(BUILT_IN),
        PROFILES,
        &mut read.sources,
        &mut read.diagnostics,
    );
    let mut seen = HashSet::new();
    for row in &rows {
        let key = (row.text("name").to_owned(), row.text("test").to_owned());
        let is_new = seen.insert(key);
        match test(row, is_new) {
            Ok(test) => add(&mut read.profiles, row, test),
            Err(wrong) => read.diagnostics.push(wrong),
        }
    }
    let is_wrong = |d: &Diagnostic| d.severity == Severity::Error;
    if read.diagnostics.iter().any(is_wrong) {
        read.profiles.clear();
    }
    read
}

fn add(profiles: &mut Vec<Profile>, row: &Row, test: ProfileTest) {
    let about = row.text("about");
    let name = row.text("name");
    let known = profiles.iter_mut().find(|profile| profile.name == name);
    match known {
        Some(profile) => {
            if profile.about.is_empty() {
                about.clone_into(&mut profile.about);
            }
            profile.tests.push(test);
        }
        None => profiles.push(Profile {
            name: name.to_owned(),
            about: about.to_owned(),
            tests: vec![test],
        }),
    }
}

/// The test of a row.
fn test(row: &Row, is_new: bool) -> Result<ProfileTest, Diagnostic> {
    let wrong = |code, message: String, expected: &str| {
        let said = Diagnostic::error(code, message).at(row.at, "");
        Err(said.expected(expected))
    };
    for key in ["name", "test"] {
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        if !row.text(key).chars().all(plain) {
            let message = format!("`{key}` is used in file names");
            return wrong("bad-value", message, "letters, digits, `.`, `-` and `_`");
        }
    }
    if !is_new {
        let message = format!("{} has two tests `{}`", row.text("name"), row.text("test"));
        return wrong("twice", message, "another `test`");
    }
    if !row.text("job_source").contains("://") {
        let message = "`job_source` is not an address".to_owned();
        return wrong("bad-value", message, "where the work is published");
    }
    let requirement = match requirement(row) {
        Ok(requirement) => requirement,
        Err((message, expected)) => return wrong("no-limit", message, expected),
    };
    Ok(ProfileTest {
        name: row.text("test").to_owned(),
        job: row.text("job").to_owned(),
        job_source: row.text("job_source").to_owned(),
        op: match row.text("op") {
            "read" => Op::Read,
            "write" => Op::Write,
            _ => Op::Sync,
        },
        requirement,
        source: row.source.clone(),
        note: row.text("note").to_owned(),
    })
}

fn requirement(row: &Row) -> Result<Requirement, (String, &'static str)> {
    let limits = ["below_ms", "iops_least", "mb_least"].map(|key| row.number(key));
    match (limits, latency(row.text("of"))) {
        ([Some(ms), None, None], Some(of)) => Ok(Requirement::Below(of, ms * 1e6)),
        ([Some(_), None, None], None) => {
            let message = "`below_ms` without `of`".to_owned();
            Err((message, "which latency: `of = \"p99\"` or `of = \"mean\"`"))
        }
        ([None, Some(iops), None], None) => Ok(Requirement::Iops(iops)),
        ([None, None, Some(mb)], None) => Ok(Requirement::Bytes(mb * 1e6)),
        ([None, _, _], Some(_)) => Err(("`of` without `below_ms`".to_owned(), "a latency")),
        (limits, _) => {
            let count = limits.iter().flatten().count();
            let message = format!("a test has one limit, this one has {count}");
            Err((message, "one of below_ms, iops_least, mb_least"))
        }
    }
}

fn latency(of: &str) -> Option<Latency> {
    match of {
        "" => None,
        "mean" => Some(Latency::Mean),
        percentile => {
            let percent = percentile.strip_prefix('p')?.parse().ok()?;
            Some(Latency::Percentile(percent))
        }
    }
}
