//! What was asked of several runs, where it is not the same: their command lines, and what their plans set.
//!
//! Belongs here: words for that. Must never: look at what was measured, or say what does not differ.

use super::changes::{DifferencePart, DifferenceRow};
use super::tables::as_given;
use super::varied;
use crate::study::is_result;
use crate::study::several::Named;
use crate::work::{
    Property, PropertyValue, RUN_TIME, WARM_UP, of_plan, rest, without_what_follows,
};
use leadline_model::plan::{Dialect, Plan, Target, Workload};
use std::collections::{BTreeMap, BTreeSet};

/// Most values of a property that are named.
const MOST: usize = 6;
/// Characters of a command line that are shown; the report of the run has all.
const LETTERS: usize = 400;

/// What was asked of the runs otherwise, before what differs in the rows that are compared.
pub(super) fn first(runs: &[Named<'_>], rows: Vec<DifferenceRow>) -> Vec<DifferenceRow> {
    let mut all = unlike(runs, &rows);
    all.extend(rows);
    all
}

/// What was asked of the other runs otherwise than of the first, the command lines first. `known` has what is said of
/// rows that are compared: it is not said twice.
fn unlike(runs: &[Named<'_>], known: &[DifferenceRow]) -> Vec<DifferenceRow> {
    let Some((first, others)) = runs.split_first() else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for other in others {
        let run = match others.len() {
            1 => "",
            _ => other.name.as_str(),
        };
        let row = |name: &str, [first, other]: [String; 2]| DifferenceRow {
            name: name.to_owned(),
            run: run.to_owned(),
            first,
            other,
            part: DifferencePart::Plan,
        };
        let is_known = |name: &str| (known.iter()).any(|row| row.name == name && row.run == run);
        let pair = [first, other].map(|named| named.run.plan.as_ref());
        let [Some(a), Some(b)] = pair else {
            continue;
        };
        all.extend(lines(a, b).map(|lines| row("as given", lines)));
        let lists = varied::unlike_of(first.run, other.run).into_iter();
        let lists: Vec<_> = lists.filter(|(name, _)| !is_known(name)).collect();
        all.extend(lists.into_iter().map(|(name, lists)| row(name, lists)));
        // The points of leadline's own runs follow from what was asked, and some from what was measured.
        if [a, b]
            .iter()
            .any(|plan| plan.source.dialect == Dialect::Native)
        {
            continue;
        }
        let set = SETTINGS.iter().map(|setting| (setting.title(), setting));
        let set = set.filter(|(title, _)| !is_known(title));
        all.extend(set.filter_map(|(title, setting)| {
            let values = [a, b].map(|plan| values(plan, *setting));
            let differs = values[0] != values[1];
            differs.then(|| row(title, values.map(|values| list(&values))))
        }));
        let title = Property::Options.title();
        let said: BTreeSet<&str> = all.iter().map(|row| row.name.as_str()).collect();
        let options = options(a, b, &said).filter(|_| !is_known(title));
        all.extend(options.map(|lists| row(title, lists)));
    }
    all
}

/// Something that a plan sets.
#[derive(Clone, Copy)]
enum PlanSetting {
    /// Of the work: what makes figures incomparable.
    Work(Property),
    /// How long it is measured.
    RunTime,
    /// The warm-up before.
    WarmUp,
}

/// What is looked at, in the order in which it is said. Paths and hosts are in the table of what was measured on what.
const SETTINGS: [PlanSetting; 14] = [
    PlanSetting::Work(Property::Mix),
    PlanSetting::Work(Property::BlockSize),
    PlanSetting::Work(Property::Order),
    PlanSetting::Work(Property::Size),
    PlanSetting::Work(Property::Direct),
    PlanSetting::Work(Property::Depth),
    PlanSetting::Work(Property::Jobs),
    PlanSetting::Work(Property::Rate),
    PlanSetting::Work(Property::Arrivals),
    PlanSetting::Work(Property::Sync),
    PlanSetting::Work(Property::Think),
    PlanSetting::Work(Property::Engine),
    PlanSetting::RunTime,
    PlanSetting::WarmUp,
];

impl PlanSetting {
    fn title(self) -> &'static str {
        match self {
            Self::Work(property) => property.title(),
            Self::RunTime => "measured time",
            Self::WarmUp => "warm-up",
        }
    }

    fn of(self, workload: &Workload) -> PropertyValue {
        let none = || PropertyValue::Text("none".to_owned());
        match self {
            Self::Work(property) => of_plan(workload).remove(&property).unwrap_or_else(none),
            Self::RunTime => (workload.stop.runtime).map_or_else(none, PropertyValue::Nanos),
            Self::WarmUp => PropertyValue::Nanos(workload.stop.warmup),
        }
    }
}

/// The different values of a setting in what a plan measures, in the order of its workloads.
fn values(plan: &Plan, setting: PlanSetting) -> Vec<String> {
    let stages = plan.stages.iter().filter(|stage| is_result(stage));
    let mut all: Vec<String> = Vec::new();
    for workload in stages.flat_map(|stage| &stage.workloads) {
        let value = setting.of(workload).to_string();
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// The other options in whose values two plans differ, each by its name; none that follows from what was `said`.
fn options(a: &Plan, b: &Plan, said: &BTreeSet<&str>) -> Option<[String; 2]> {
    let of = |plan: &Plan| {
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for stage in plan.stages.iter().filter(|stage| is_result(stage)) {
            for workload in &stage.workloads {
                let mut own = rest(plan, stage, workload);
                without_what_follows(&mut own, |property| said.contains(property.title()));
                // They are settings with a line of their own.
                own.retain(|name, _| name != RUN_TIME && name != WARM_UP);
                for (name, value) in own {
                    let values = all.entry(name).or_default();
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
            }
        }
        all
    };
    let (a, b) = (of(a), of(b));
    let differs = |name: &&String| {
        b.get(*name)
            .is_some_and(|other| a.get(*name) != Some(other))
    };
    let names: Vec<&String> = a.keys().filter(differs).collect();
    let words = |all: &BTreeMap<String, Vec<String>>| {
        let each = names.iter().filter_map(|name| {
            let values = all.get(*name)?;
            Some(format!("{name} = {}", values.join(" or ")))
        });
        list(&each.collect::<Vec<_>>())
    };
    (!names.is_empty()).then(|| [words(&a), words(&b)])
}

fn list(values: &[String]) -> String {
    match values.len().saturating_sub(MOST) {
        _ if values.is_empty() => "-".to_owned(),
        0 => values.join(", "),
        more => format!("{} and {more} more", values[..MOST].join(", ")),
    }
}

/// Both command lines, where more than the targets and the names of results is not the same.
fn lines(a: &Plan, b: &Plan) -> Option<[String; 2]> {
    let [one, other] = [a, b].map(asked);
    if one == other {
        return None;
    }
    let line = |plan: &Plan| {
        let line = as_given(plan).unwrap_or_else(|| "-".to_owned());
        match line.char_indices().nth(LETTERS) {
            Some((end, _)) => format!("{} \u{2026}", &line[..end]),
            None => line,
        }
    };
    Some([line(a), line(b)])
}

/// The words of a command line that say what is to be measured: without targets and the name of the result.
fn asked(plan: &Plan) -> Vec<String> {
    let targets: Vec<&str> = plan
        .stages
        .iter()
        .flat_map(|stage| &stage.workloads)
        .flat_map(target)
        .collect();
    let mut words = Vec::new();
    let mut is_name = false;
    for word in plan.source.words() {
        let is_target = targets.iter().any(|target| word.ends_with(target));
        let is_out = is_name || word.starts_with("--out=");
        is_name = word == "--out";
        if !is_target && !is_out && !is_name && !word.starts_with("sim:") {
            words.push(word.to_owned());
        }
    }
    words
}

fn target(workload: &Workload) -> Vec<&str> {
    match &workload.blocks().target {
        Target::Paths(paths) => paths.iter().map(String::as_str).collect(),
        Target::Files(set) => set.directories.iter().map(String::as_str).collect(),
        Target::Null { .. } | Target::Simulated(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::run::Run;
    use crate::study::several::named;
    use leadline_model::plan::OpMix;
    use leadline_model::units::Nanos;

    fn run(args: &[&str], dialect: Dialect, change: &dyn Fn(&mut Workload)) -> Run {
        let mut workload = fixture::workload("w", OpMix::reads(), 4096, 8, 5);
        change(&mut workload);
        let mut plan = fixture::plan(vec![("s", vec![workload])]);
        plan.source.dialect = dialect;
        plan.source.args = args.iter().map(ToString::to_string).collect();
        Run {
            plan: Some(plan),
            ..Run::default()
        }
    }

    fn said(a: &Run, b: &Run) -> Vec<[String; 3]> {
        let runs = [("a", a), ("b", b)];
        let runs = runs.map(|(name, run)| (Some(name.to_owned()), String::new(), run));
        let all = unlike(&named(&runs), &[]).into_iter();
        all.map(|row| [row.name, row.first, row.other]).collect()
    }

    #[test]
    fn what_was_asked_is_said_and_names_and_targets_are_not() {
        let native = |args: &[&str]| run(args, Dialect::Native, &|_| {});
        let found = said(
            &native(&["measure", "--quick", "--out", "a", "sim:iops=1"]),
            &native(&["measure", "--quick", "--out=b", "sim:iops=2"]),
        );
        assert_eq!(found, Vec::<[String; 3]>::new());
        let found = said(
            &native(&["measure", "--quick", "/v"]),
            &native(&["measure", "--full", "/v"]),
        );
        let [one] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(one[1], "leadline measure --quick /v");
        assert_eq!(one[2], "leadline measure --full /v");
    }

    #[test]
    fn what_a_plan_sets_is_said_by_name() {
        let plain = run(&["job"], Dialect::Fio, &|_| {});
        let other = run(&["job"], Dialect::Fio, &|workload| {
            workload.depth = 32;
            workload.stop.runtime = Some(Nanos::from_secs(9));
        });
        let found = said(&plain, &other);
        let names: Vec<&str> = found.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(names, ["depth", "measured time"]);
        assert_eq!(found[0][1..], ["8".to_owned(), "32".to_owned()]);
        let other = run(&["job"], Dialect::Fio, &|workload| {
            workload.engine.force_async = 4;
            workload.blocks_mut().mix = OpMix::mixed(50);
        });
        let found = said(&plain, &other);
        let [mix, options] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(mix[0], "share of reads");
        assert_eq!(
            options[1..],
            [
                "I/Os forced to kernel workers (IOSQE_ASYNC) = none",
                "I/Os forced to kernel workers (IOSQE_ASYNC) = 1 of 4"
            ]
        );
        assert_eq!(said(&plain, &plain), Vec::<[String; 3]>::new());
    }
}
