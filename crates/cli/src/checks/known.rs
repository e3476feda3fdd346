//! Which limits name something that a plan measures: a name with a mistake is said before the first I/O.
//!
//! Belongs here: the names that rows of a run may have, by its plan. Must never: refuse a name that only the run can know.

use leadline_dialect::diagnostic::nearest;
use leadline_model::condition::Condition;
use leadline_model::op::Op;
use leadline_model::plan::study::Axis;
use leadline_model::plan::{OpMix, Stage, Workload};
use leadline_results::compare::{Subject, SubjectRow, asserted};
use leadline_results::study::is_result;
use leadline_results::summary::names::stage_name;
use leadline_results::work::{Property, in_common, of_plan};
use std::collections::BTreeSet;

/// Most names that are listed.
const MOST: usize = 8;
/// Most stages whose settings are looked at as parts of their names.
const MOST_WITH_SETTINGS: usize = 100;

/// What is said of limits that name nothing of these stages. Where `more` may come than are known, numbers in a name are
/// not looked at: those of a search follow from what it measures.
pub(crate) fn unknown(
    option: &str,
    limits: &[Condition],
    stages: &[Stage],
    more: bool,
) -> Vec<String> {
    let named = limits.iter().filter(|limit| !limit.row.is_empty());
    let mut open: Vec<&Condition> = named.collect();
    let results = || stages.iter().filter(|stage| is_result(stage));
    if open.is_empty() || results().next().is_none() {
        return Vec::new();
    }
    // Names with what was set are seldom meant, and are many: of a long plan the first stages say enough.
    let plain = results().map(|stage| (stage, false));
    let detailed = results()
        .take(MOST_WITH_SETTINGS)
        .map(|stage| (stage, true));
    for (stage, with_settings) in plain.chain(detailed) {
        let rows = rows(stage, with_settings);
        open.retain(|limit| !picks(limit, &rows, more));
        if open.is_empty() {
            return Vec::new();
        }
    }
    let mut names: Vec<&str> = Vec::new();
    for stage in results() {
        let workloads = stage.workloads.iter().map(|w| w.name.as_str());
        for name in [stage.name.as_str()].into_iter().chain(workloads) {
            if !names.contains(&name) && names.len() < 1000 {
                names.push(name);
            }
        }
    }
    let words = |limit: &&Condition| words(option, limit, &names);
    open.iter().map(words).collect()
}

fn words(option: &str, limit: &Condition, names: &[&str]) -> String {
    let near = nearest(&limit.row, names.iter().copied());
    let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    let shown: Vec<&str> = names.iter().take(MOST).copied().collect();
    let more = match names.len().saturating_sub(MOST) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!(
        "error: {option} {}: nothing that is measured is called {}\n  hint: {near}there are {}{more}; an operation that they \
         do, a word of a name and * for any characters will do too",
        limit.text,
        limit.row,
        shown.join(", ")
    )
}

/// Whether a limit is about one of these rows.
fn picks(limit: &Condition, rows: &[SubjectRow], more: bool) -> bool {
    // What distinguishes points of one name stands after a comma, and may be known to the run alone.
    let head = limit.row.split(", ").next().unwrap_or_default();
    let tries: BTreeSet<&str> = [limit.row.as_str(), head].into();
    tries.into_iter().any(|pattern| {
        is_named(limit, pattern, rows.to_vec())
            || more
                && is_named(
                    limit,
                    &without_numbers(pattern),
                    rows.iter().map(plain).collect(),
                )
    })
}

fn is_named(limit: &Condition, pattern: &str, rows: Vec<SubjectRow>) -> bool {
    let subject = Subject {
        rows,
        ..Subject::default()
    };
    let limit = Condition {
        row: pattern.to_owned(),
        ..limit.clone()
    };
    let found = asserted(&subject, &[limit]);
    found.iter().any(|one| !one.row.is_empty())
}

/// A row with names whose numbers are all one.
fn plain(row: &SubjectRow) -> SubjectRow {
    SubjectRow {
        stage: without_numbers(&row.stage),
        workload: without_numbers(&row.workload),
        ..row.clone()
    }
}

fn without_numbers(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c.is_ascii_digit() {
            true if out.ends_with('0') => {}
            true => out.push('0'),
            false => out.push(c),
        }
    }
    out
}

/// All rows that a stage may have in its run: by each name that it and its workloads go by, of each operation, and of all
/// together.
fn rows(stage: &Stage, with_settings: bool) -> Vec<SubjectRow> {
    let mut stages = stage_names(stage);
    if with_settings {
        stages.extend(settings(stage, &stages));
    }
    let mut names: BTreeSet<(String, String, Option<Op>)> = BTreeSet::new();
    for workload in &stage.workloads {
        let own = [Some(&workload.name), workload.definition.as_ref()];
        let own: Vec<&String> = own.into_iter().flatten().collect();
        for name in &stages {
            // A workload that has the name of its stage goes by all names of that.
            let workloads = own.iter().copied().chain([name]);
            for workload_name in workloads.cloned().chain([String::new()]) {
                for op in ops(workload) {
                    names.insert((name.clone(), workload_name.clone(), op));
                }
            }
        }
    }
    let several = stage.workloads.len() > 1;
    for name in stages.iter().filter(|_| several) {
        names.insert((name.clone(), String::new(), None));
    }
    let row = |(stage, workload, op)| SubjectRow {
        stage,
        workload,
        op,
        ..SubjectRow::default()
    };
    names.into_iter().map(row).collect()
}

/// What a stage may be called: its name, with and without the marks of rounds and states, and those of its workloads.
fn stage_names(stage: &Stage) -> BTreeSet<String> {
    let mut names = BTreeSet::from([stage.name.clone(), stage_name(stage)]);
    names.insert(stage.name.replacen("/confirmation-", "/", 1));
    if let Some(point) = &stage.point {
        let mark = |axis, letter: &str| {
            let value = point.at.get(&axis)?;
            let text = value.text().map(str::to_owned);
            text.or_else(|| Some(format!("{letter}{}", value.number()?)))
        };
        let marks = [
            mark(Axis::Arm, ""),
            mark(Axis::Repeat, "r"),
            mark(Axis::Try, "t"),
        ];
        let bare = |name: &String| {
            let each = marks.iter().flatten();
            each.fold(name.clone(), |name, mark| {
                name.replacen(&format!("-{mark}"), "", 1)
            })
        };
        let bare: Vec<String> = names.iter().map(bare).collect();
        names.extend(bare);
    }
    names
}

/// Names with what the stage was set to, by which points of one name are distinguished.
fn settings(stage: &Stage, names: &BTreeSet<String>) -> Vec<String> {
    let mut set = BTreeSet::new();
    for workload in &stage.workloads {
        for (property, value) in of_plan(workload) {
            set.insert(format!("{} {value}", property.name()));
        }
    }
    let all = in_common(stage.workloads.iter().map(of_plan).collect());
    let rate = all.get(&Property::Rate);
    set.extend(rate.map(|rate| format!("{} {rate}", Property::Rate.name())));
    let with = |name: &String| -> Vec<String> {
        let each = set.iter();
        each.map(|word| format!("{name}, {word}")).collect()
    };
    names.iter().flat_map(with).collect()
}

/// The operations of a workload; with several, all of them together too.
fn ops(workload: &Workload) -> Vec<Option<Op>> {
    match workload.blocks().mix {
        OpMix::Only(op) => vec![Some(op)],
        OpMix::ReadWrite { .. } => vec![None, Some(Op::Read), Some(Op::Write)],
        OpMix::TrimWrite => vec![None, Some(Op::Trim), Some(Op::Write)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_dialect::condition::{LimitsIn, parse};
    use leadline_model::plan::Target;

    fn of(limit: &str, stages: &[Stage], more: bool) -> String {
        let read = parse("--assert", &[limit.to_owned()], LimitsIn::Units);
        assert!(read.diagnostics.is_empty(), "{limit}");
        unknown("--assert", &read.conditions, stages, more).join("\n")
    }

    fn stage(name: &str, workload: &str, mix: OpMix) -> Stage {
        let mut own = Workload::new(workload, Target::Paths(vec!["x".to_owned()]));
        own.blocks_mut().mix = mix;
        Stage {
            name: name.to_owned(),
            workloads: vec![own],
            ..Stage::default()
        }
    }

    #[test]
    fn a_name_of_nothing_is_said_with_what_is_near_it() {
        let point = "depth/4k-randread-qd8-j1";
        let stages = [
            stage(point, point, OpMix::Only(Op::Read)),
            stage("run1", "log", OpMix::mixed(70)),
        ];
        for fine in [
            "p99<1s",
            "run1.p99<1s",
            "log.read.p99<1s",
            "write.p99<1s",
            "run1/log.iops>1",
            "qd8.p99<1s",
            "depth/*.p99<1s",
            "all.iops>1",
            "randread.iops>1",
        ] {
            assert_eq!(of(fine, &stages, false), "", "{fine}");
        }
        for wrong in [
            "nosuch.p99<1s",
            "trim.p99<1s",
            "log.trim.p99<1s",
            "qd16.p99<1s",
            "run.p99<1s",
        ] {
            let said = of(wrong, &stages, false);
            let shown = said.contains("nothing that is measured is called");
            assert!(shown, "{wrong}: {said}");
        }
        let said = of("run2.p99<1s", &stages, false);
        assert!(
            said.contains("did you mean `run1`? there are depth/"),
            "{said}"
        );
        // Of a search the names are not all known: other numbers may come, other words may not.
        assert_eq!(of("qd16.p99<1s", &stages, true), "");
        assert_ne!(of("nosuch.p99<1s", &stages, true), "");
        assert_eq!(of("nosuch.p99<1s", &[], false), "", "nothing is known");
    }
}
