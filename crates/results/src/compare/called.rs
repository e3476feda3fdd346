//! What is measured in a row, in the words of a report.
//!
//! Belongs here: words for rows of leadline's own runs. Must never: name a row for data or for a condition: that is
//! [`RowName`](super::RowName)'s.

use super::{ComparedRow, RowName};
use crate::run::Run;
use crate::summary::WorkloadSummary;
use crate::summary::measured::Setting;
use crate::summary::names::asked;
use crate::words::{counted, rate_asked};
use leadline_model::op::Op;
use leadline_model::plan::study::{Axis, Coordinate, Role};
use leadline_model::plan::{Dialect, OpMix, Stage, Workload};
use std::collections::{BTreeMap, BTreeSet};

/// A row that only one of two sides has.
#[derive(Clone, Debug, PartialEq)]
pub struct LoneRow {
    /// Its name, in data and for conditions.
    pub name: RowName,
    /// What was measured, in the words of a report; empty where the name says it.
    pub words: String,
}

impl LoneRow {
    /// What it is called in a sentence: what was measured, in words where these are known.
    #[must_use]
    pub fn called(&self) -> String {
        in_words(&self.words, &self.name)
    }
}

/// What a row is called in a sentence.
pub(super) fn in_words(words: &str, name: &RowName) -> String {
    match words {
        "" => name.label(),
        words => words.to_owned(),
    }
}

/// A workload of a stage in words: what a point of a survey or of a study does, as its name is a code; else what its
/// report calls it.
pub(crate) fn workload(run: &Run, stage: &Stage, plan: &Workload, own: &WorkloadSummary) -> String {
    let native = run.plan.as_ref().map(|plan| plan.source.dialect) == Some(Dialect::Native);
    let is_point = native && (stage.point.is_some() || stage.name.contains('/'));
    if !is_point {
        // A label says the state of the system, which rows of two of them do not have in common.
        let in_states = stage
            .point
            .as_ref()
            .is_some_and(|p| p.at.contains_key(&Axis::Arm));
        return match in_states {
            true => String::new(),
            false => own.label.clone(),
        };
    }
    let at = |axis| stage.point.as_ref().and_then(|point| point.at.get(axis));
    let rate = at(&Axis::Rate).and_then(Coordinate::number).or(stage.rate);
    let rate = rate.map(|rate| format!("{} IOPS requested", rate_asked(rate)));
    let rate = rate.or_else(|| asked(own.rates.iter()));
    let rate = rate.map_or_else(String::new, |rate| format!(", {rate}"));
    format!("{}{rate}", Setting::of(plan).words())
}

/// The same with what distinguishes a point of a study from others of the same I/O, as far as that is no time at which it was
/// done.
pub(super) fn of_row(run: &Run, stage: &Stage, plan: &Workload, own: &WorkloadSummary) -> String {
    let words = workload(run, stage, plan, own);
    match beside(stage) {
        _ if words.is_empty() => words,
        more if more.is_empty() => words,
        more => format!("{words}: {}", more.join(", ")),
    }
}

/// All workloads of a point of a study together; empty where its name says it.
pub(super) fn of_all(stage: &Stage) -> String {
    match beside(stage) {
        more if more.is_empty() => String::new(),
        more => format!("all together: {}", more.join(", ")),
    }
}

/// The same with its operation.
pub(super) fn of_sum(words: &str, op: Option<Op>) -> String {
    match op {
        Some(op) if !words.is_empty() => format!("{words}: {}s", op.name()),
        _ => words.to_owned(),
    }
}

/// What a point was set to beside the I/O itself.
fn beside(stage: &Stage) -> Vec<String> {
    let Some(point) = &stage.point else {
        return Vec::new();
    };
    let fastest = (point.role == Role::Maximum).then(|| "as fast as possible".to_owned());
    let said = point.at.iter().filter_map(|(axis, value)| match axis {
        Axis::Kind | Axis::Group | Axis::Skew | Axis::Engine | Axis::Dataset | Axis::Flush => {
            value.text().map(str::to_owned)
        }
        Axis::Percent => value.number().map(|n| format!("{n} % of the rate")),
        Axis::Hosts => value.number().map(|n| counted(&n.to_string(), "host")),
        Axis::Files => value.number().map(|n| counted(&n.to_string(), "file")),
        Axis::Arm
        | Axis::Repeat
        | Axis::Order
        | Axis::Reads
        | Axis::Block
        | Axis::Depth
        | Axis::Jobs
        | Axis::Rate
        | Axis::ReadRate
        | Axis::WriteRate
        | Axis::Round
        | Axis::Try
        | Axis::Direct
        | Axis::Think => None,
    });
    fastest.into_iter().chain(said).collect()
}

/// The same with the operation, which the words of a point say where it does one alone.
pub(super) fn with_op(words: &str, op: Option<Op>, plan: &Workload) -> String {
    let of = match op {
        _ if words.is_empty() => return String::new(),
        None => "all",
        Some(op) => op.name(),
    };
    let setting = Setting::of(plan).words();
    match words.strip_prefix(setting.as_str()) {
        Some(_) if matches!(plan.blocks().mix, OpMix::Only(_)) => words.to_owned(),
        Some(_) if op.is_none() => words.to_owned(),
        Some(_) => format!("{words}: {of}s"),
        // The operation is not what was requested.
        None if words.ends_with("requested") => format!("{words}: {of}"),
        None => format!("{words} {of}"),
    }
}

/// Leaves out words that several rows have.
pub(super) fn distinguish<'a>(rows: impl Iterator<Item = &'a mut ComparedRow>) {
    let mut by_words: BTreeMap<String, Vec<&mut ComparedRow>> = BTreeMap::new();
    for row in rows {
        by_words.entry(row.words.clone()).or_default().push(row);
    }
    for same in by_words.into_values().filter(|same| same.len() > 1) {
        same.into_iter().for_each(|row| row.words.clear());
    }
}

/// Rows of one side whose words are also those of another row, on either side, get their name after these.
pub(super) fn distinguish_lone(rows: &mut [LoneRow], common: &BTreeSet<&str>) {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows.iter() {
        *count.entry(row.words.clone()).or_default() += 1;
    }
    for row in rows.iter_mut().filter(|row| !row.words.is_empty()) {
        if count.get(&row.words) != Some(&1) || common.contains(row.words.as_str()) {
            row.words = format!("{} ({})", row.words, row.name.place());
        }
    }
}
