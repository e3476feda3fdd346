//! What is measured in a row, in the words of a report.
//!
//! Belongs here: words for rows of leadline's own runs. Must never: name a row for data or for a condition: that is
//! [`RowName`](super::RowName)'s.

use super::{ComparedRow, RowName};
use crate::run::Run;
use crate::summary::WorkloadSummary;
use crate::summary::measured::Setting;
use crate::summary::names::asked;
use crate::words::{counted, rate_asked, span, thousands, trim_to, whole};
use leadline_model::op::Op;
use leadline_model::plan::study::{Axis, Coordinate, Role};
use leadline_model::plan::{Dialect, OpMix, Stage, Workload};
use leadline_model::units::Bytes;
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
    match beside(stage, Some(&plan.name), |axis| TIMES.contains(&axis)) {
        _ if words.is_empty() => words,
        more if more.is_empty() => words,
        more => format!("{words}: {}", more.join(", ")),
    }
}

/// All workloads of a point of a study together; empty where its name says it.
pub(super) fn of_all(stage: &Stage) -> String {
    match beside(stage, None, |axis| TIMES.contains(&axis)) {
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

/// At which of several times a point was measured, and in which state of the system: rows of all of them are compared.
const TIMES: [Axis; 4] = [Axis::Arm, Axis::Repeat, Axis::Round, Axis::Try];

/// What a point of a study was set to beside the I/O itself, without what is said of these axes; with the name of a workload
/// which of those that run together it is.
pub(crate) fn beside(
    stage: &Stage,
    workload: Option<&str>,
    is_left_out: impl Fn(Axis) -> bool,
) -> Vec<String> {
    let Some(point) = &stage.point else {
        return Vec::new();
    };
    let fastest = (point.role == Role::Maximum).then(|| "as fast as possible".to_owned());
    let said = point.at.iter().filter(|(axis, _)| !is_left_out(**axis));
    let said = said.filter_map(|(axis, value)| of_axis(*axis, value));
    let mut words: Vec<String> = fastest.into_iter().chain(said).collect();
    let own = workload.map(|name| class(stage, name).unwrap_or(name));
    let own = own.filter(|own| stage.workloads.len() > 1 && !words.iter().any(|w| w == own));
    words.extend(own.map(str::to_owned));
    words
}

/// Which of those that run together in a point of a study a workload of this name is: they have the name of the stage and
/// one of their own; `None` where it has no other.
pub(super) fn class<'n>(stage: &Stage, workload: &'n str) -> Option<&'n str> {
    let own = stage
        .point
        .as_ref()
        .and(workload.strip_prefix(stage.name.as_str()))?;
    let own = own.trim_start_matches('-');
    (!own.is_empty()).then(|| of_class(own))
}

/// A value of what was varied in words; `None` where the words of the I/O say it.
pub(crate) fn of_axis(axis: Axis, value: &Coordinate) -> Option<String> {
    let n = match value {
        Coordinate::Text(text) => {
            return match axis {
                Axis::Order => None,
                Axis::Kind => Some(of_kind(text).to_owned()),
                _ => Some(text.clone()),
            };
        }
        Coordinate::Number(n) => *n,
    };
    let number = trim_to(n, 3);
    let count = |what| counted(&thousands(whole(n)), what);
    Some(match axis {
        Axis::Order
        | Axis::Reads
        | Axis::Block
        | Axis::Depth
        | Axis::Jobs
        | Axis::Rate
        | Axis::ReadRate
        | Axis::WriteRate => return None,
        Axis::Percent => format!("{number} % of the rate"),
        Axis::Hosts => count("host"),
        Axis::Files => count("file"),
        Axis::Skew if n > 0.0 => format!("zipf {number}"),
        Axis::Skew => "all blocks equally likely".to_owned(),
        Axis::Dataset => format!("set of {}", Bytes(whole(n))),
        Axis::Flush => match whole(n) {
            0 => "no fsync".to_owned(),
            1 => "fsync after each write".to_owned(),
            writes => format!("fsync after every {writes} writes"),
        },
        Axis::Direct if n > 0.0 => "direct".to_owned(),
        Axis::Direct => "through the page cache".to_owned(),
        Axis::Think if n > 0.0 => format!("pause of {}", span(n)),
        Axis::Think => "no pauses".to_owned(),
        Axis::Arm | Axis::Group | Axis::Kind | Axis::Engine => number,
        Axis::Repeat | Axis::Round | Axis::Try => format!("{} {number}", axis.name()),
    })
}

/// What a kind of point does, where a study calls it by a code.
pub(crate) fn of_kind(code: &str) -> &str {
    match code {
        "free" => "unthrottled alone",
        "rated" => "rate-limited alone",
        "both" => "both at once",
        "drain" => "spending the credits",
        "after-rest" => "after the rest",
        "alone" => "one at a time",
        "write-other" => "writes other data",
        "read-other" => "reads other data",
        words => words,
    }
}

/// What one of two classes of I/O is called that run at once.
fn of_class(code: &str) -> &str {
    match code {
        "free" => "unthrottled",
        "rated" => "rate-limited",
        words => words,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use leadline_model::plan::StudyPoint;

    /// A point of a study with workloads of these names.
    fn stage(role: Role, at: &[(Axis, Coordinate)], names: &[&str]) -> Stage {
        let workload = |name: &&str| fixture::workload(name, OpMix::reads(), 4096, 8, 1);
        Stage {
            name: "combined/both".to_owned(),
            workloads: names.iter().map(workload).collect(),
            point: Some(StudyPoint {
                role,
                at: at.iter().cloned().collect(),
            }),
            ..Stage::default()
        }
    }

    #[test]
    fn classes_of_io_are_said_in_words() {
        let kind = |code: &str| [(Axis::Kind, Coordinate::Text(code.to_owned()))];
        let names = ["combined/both-free", "combined/both-rated"];
        let both = stage(Role::Point, &kind("both"), &names);
        let of = |name: &str| beside(&both, Some(name), |_| false).join(", ");
        assert_eq!(class(&both, names[0]), Some("unthrottled"));
        assert_eq!(class(&both, &both.name), None);
        assert_eq!(of(names[0]), "both at once, unthrottled");
        assert_eq!(of(names[1]), "both at once, rate-limited");
        assert_eq!(of_all(&both), "all together: both at once");
        let alone = stage(Role::Point, &kind("free"), &names[..1]);
        assert_eq!(
            beside(&alone, Some(names[0]), |_| false),
            ["unthrottled alone"]
        );
        // What a study calls by words stays.
        let cold = stage(Role::Point, &kind("cold, from the cache"), &names[..1]);
        assert_eq!(beside(&cold, None, |_| false), ["cold, from the cache"]);
    }

    #[test]
    fn what_was_varied_is_said_with_its_unit_and_times_are_left_out() {
        let number = Coordinate::Number;
        let at = [
            (Axis::Depth, number(8.0)),
            (Axis::Dataset, number(1_073_741_824.0)),
            (Axis::Flush, number(8.0)),
            (Axis::Skew, number(1.2)),
            (Axis::Think, number(1e6)),
            (Axis::Direct, number(0.0)),
            (Axis::Hosts, number(1.0)),
            (Axis::Round, number(3.0)),
        ];
        let point = stage(Role::Maximum, &at, &["w"]);
        let words = beside(&point, None, |axis| TIMES.contains(&axis)).join("; ");
        assert_eq!(
            words,
            "as fast as possible; 1 host; through the page cache; zipf 1.2; set of 1 GiB; \
             fsync after every 8 writes; pause of 1.00 ms"
        );
        assert!(beside(&point, None, |_| false).contains(&"round 3".to_owned()));
    }
}
