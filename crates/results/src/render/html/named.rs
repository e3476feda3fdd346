//! What a row of a page is called: in words first, then by the code of a point of a survey or a study.
//!
//! Belongs here: words from the plan. Must never: name a row for data or for a condition, or compute a figure.

use crate::compare::called;
use crate::run::Run;
use crate::summary::measured::Setting;
use crate::summary::{StageSummary, Summary, WorkloadSummary, planned};
use crate::words::{both_per_s, rate_asked};
use leadline_model::plan::study::{Axis, Coordinate, Role};
use leadline_model::plan::{Dialect, Rate, Stage};
use std::collections::BTreeMap;

/// What one workload is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wording {
    /// What it did, or the name that the user gave it.
    pub(super) name: String,
    /// The code of a point, as findings and conditions name it; empty where the name is the user's.
    pub(super) code: String,
    /// The name without rate and round, of which a search has many.
    pub(super) brief: String,
}

impl Wording {
    /// Both in one line.
    pub(super) fn line(&self) -> String {
        match self.code.as_str() {
            "" => self.name.clone(),
            code => format!("{} ({code})", self.name),
        }
    }
}

/// What all workloads of a run are called, by number of stage and workload.
pub(super) struct Wordings {
    all: BTreeMap<(u32, u32), Wording>,
    /// How many have a name.
    count: BTreeMap<String, usize>,
}

impl Wordings {
    /// Of a run and its summary.
    pub(super) fn of(run: &Run, summary: &Summary) -> Self {
        let mut all = BTreeMap::new();
        let mut count = BTreeMap::new();
        for (stage, workload) in each(summary) {
            let own = wording(run, stage, workload);
            *count.entry(own.name.clone()).or_default() += 1;
            all.insert((stage.stage, workload.workload), own);
        }
        Self { all, count }
    }

    /// Of one workload.
    pub(super) fn get(&self, stage: &StageSummary, workload: &WorkloadSummary) -> Wording {
        let own = self.all.get(&(stage.stage, workload.workload));
        own.cloned().unwrap_or_default()
    }

    /// Of one workload where there is no room for its code: this stands there only if others have the same name.
    pub(super) fn line(&self, stage: &StageSummary, workload: &WorkloadSummary) -> String {
        let own = self.get(stage, workload);
        match self.count.get(&own.name) {
            Some(1) => own.name,
            _ => own.line(),
        }
    }
}

fn wording(run: &Run, stage: &StageSummary, workload: &WorkloadSummary) -> Wording {
    let label = with_rate(run, stage, workload);
    let is_native = run.plan.as_ref().map(|plan| plan.source.dialect) == Some(Dialect::Native);
    let plan = planned(run, stage.stage).filter(|_| is_native);
    let own = plan.and_then(|plan| {
        let own = plan
            .workloads
            .get(usize::try_from(workload.workload).ok()?)?;
        let is_point = plan.point.is_some() || plan.name.contains('/');
        let work = || Setting::of(own).words();
        is_point.then(|| (called::workload(run, plan, own, workload), work()))
    });
    let (Some(plan), Some((name, work))) = (plan, own) else {
        return Wording {
            name: label,
            code: String::new(),
            brief: workload.label.clone(),
        };
    };
    let with = |work: String, beside: Vec<String>| match beside.is_empty() {
        true => work,
        false => format!("{work}: {}", beside.join(", ")),
    };
    Wording {
        name: with(name, more_words(plan, workload, &[])),
        code: workload.label.clone(),
        brief: with(work, more_words(plan, workload, &TIMES)),
    }
}

/// Which of several times it was done.
const TIMES: [Axis; 4] = [Axis::Round, Axis::Try, Axis::Repeat, Axis::Percent];

/// What distinguishes a point from others of the same I/O: state, host group, what a cache held, which round; without what
/// is said of these axes.
fn more_words(plan: &Stage, workload: &WorkloadSummary, without: &[Axis]) -> Vec<String> {
    let Some(point) = &plan.point else {
        return of_survey(plan).into_iter().map(str::to_owned).collect();
    };
    let role = match point.role {
        Role::Fill => Some("writes the data set"),
        Role::Confirmation if without.is_empty() => Some("confirmation"),
        Role::Maximum | Role::Confirmation | Role::Condition | Role::Trial | Role::Point => None,
    };
    let words = called::beside(plan, Some(&workload.name), |axis| without.contains(&axis));
    role.map(str::to_owned).into_iter().chain(words).collect()
}

/// Every workload of every stage.
pub(super) fn each(summary: &Summary) -> impl Iterator<Item = (&StageSummary, &WorkloadSummary)> {
    summary
        .stages
        .iter()
        .flat_map(|s| s.workloads.iter().map(move |w| (s, w)))
}

/// The rate of a step of a study, I/Os a second.
pub(super) fn step_rate(run: &Run, stage: &StageSummary) -> Option<f64> {
    let plan = planned(run, stage.stage)?;
    let point = plan.point.as_ref()?;
    let own = point.at.get(&Axis::Rate).and_then(Coordinate::number);
    own.or(plan.rate)
}

/// The rate that was asked of a workload, in words; `None` where it ran as fast as it could.
fn asked(run: &Run, stage: &StageSummary, workload: &WorkloadSummary) -> Option<String> {
    if let Some(asked) = step_rate(run, stage) {
        return Some(format!("{} IOPS", rate_asked(asked)));
    }
    let several = workload.rates.len() > 1;
    let each = workload.rates.iter().map(|own| {
        let text = match own.asked {
            Rate::Iops(n) => format!("{} IOPS", rate_asked(n)),
            Rate::Bytes(n) => both_per_s(n as f64),
        };
        match several {
            true => format!("{} {text}", own.what()),
            false => text,
        }
    });
    let words = each.collect::<Vec<_>>().join(", ");
    (!words.is_empty()).then_some(words)
}

/// What distinguishes a point of a survey from others of the same I/O.
fn of_survey(plan: &Stage) -> Vec<&'static str> {
    let part = plan.name.split('/').next().unwrap_or_default();
    let has_pauses = plan.workloads.iter().any(|own| own.think.is_some());
    let said = [
        (part == "fill", "writes the data set"),
        (part.starts_with("confirm"), "confirmation"),
        (has_pauses, "with pauses"),
    ];
    let said = said.into_iter().filter(|(is_so, _)| *is_so);
    said.map(|(_, words)| words).collect()
}

/// The name that the user gave, with the rate that was requested, as `p92` or the number of a trial says nothing to a
/// reader.
fn with_rate(run: &Run, stage: &StageSummary, workload: &WorkloadSummary) -> String {
    // A stage may be called by its rate already, and its workloads with it.
    let is_said = |rate: &str| {
        let label = workload.label.as_str();
        label.ends_with(" requested") || format!("{label} ").contains(&format!("rate {rate} "))
    };
    match asked(run, stage, workload).filter(|rate| !is_said(rate)) {
        Some(asked) => format!("{}, {asked} requested", workload.label),
        None => workload.label.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::op::Op;
    use leadline_model::plan::study::{Coordinate, StudyPoint};
    use leadline_model::plan::{OpMix, Plan};

    fn run(plan: Plan) -> Run {
        let load = Load::simple(Op::Read, 100, 4096, 1_000_000, 2);
        let loads: Vec<Vec<Load>> = plan.stages.iter().map(|_| vec![load.clone()]).collect();
        fixture::run_of(&fixture::events_of(plan, &loads))
    }

    fn plan(names: &[&'static str]) -> Plan {
        let read = || fixture::workload("w", OpMix::reads(), 4096, 8, 1);
        let stages = names.iter().map(|name| {
            let mut own = read();
            own.name = (*name).to_owned();
            (*name, vec![own])
        });
        let mut plan = fixture::plan(stages.collect());
        plan.source.dialect = Dialect::Native;
        plan
    }

    fn all(run: &Run) -> Vec<(Wording, String)> {
        let summary = summarize(run);
        let wordings = Wordings::of(run, &summary);
        each(&summary)
            .map(|(stage, own)| (wordings.get(stage, own), wordings.line(stage, own)))
            .collect()
    }

    #[test]
    fn points_of_a_survey_are_named_by_what_they_did() {
        let names = ["fill/a", "latency/b", "depth/c", "confirm/d"];
        let words = "4 KiB random read, depth 8";
        let found = all(&run(plan(&names)));
        let lines: Vec<&str> = found.iter().map(|one| one.1.as_str()).collect();
        // The code is behind words that two have.
        let expected = [
            format!("{words}: writes the data set"),
            format!("{words} (latency/b)"),
            format!("{words} (depth/c)"),
            format!("{words}: confirmation"),
        ];
        assert_eq!(lines, expected);
        let codes: Vec<&str> = found.iter().map(|one| one.0.code.as_str()).collect();
        assert_eq!(codes, names);
    }

    #[test]
    fn points_of_a_study_say_what_was_varied_beside_the_work() {
        let mut plan = plan(&["cache/x-n1", "cache/x-n2"]);
        for (round, stage) in (1_u8..).zip(&mut plan.stages) {
            let at = [
                (Axis::Kind, Coordinate::Text("warm-up".to_owned())),
                (Axis::Round, Coordinate::Number(f64::from(round))),
                (Axis::Depth, Coordinate::Number(8.0)),
            ];
            stage.point = Some(StudyPoint {
                role: Role::Condition,
                at: at.into(),
            });
        }
        let found = all(&run(plan));
        let lines: Vec<&str> = found.iter().map(|one| one.1.as_str()).collect();
        assert_eq!(
            lines,
            [
                "4 KiB random read, depth 8: warm-up, round 1",
                "4 KiB random read, depth 8: warm-up, round 2"
            ]
        );
        // In a list that has each once, both are the same work.
        let brief = "4 KiB random read, depth 8: warm-up";
        assert!(found.iter().all(|one| one.0.brief == brief));
    }

    #[test]
    fn classes_that_run_together_are_named_without_the_name_of_their_stage() {
        let mut plan = plan(&["combined/both"]);
        let mut other = plan.stages[0].workloads[0].clone();
        plan.stages[0].workloads[0].name = "combined/both-free".to_owned();
        other.name = "combined/both-rated".to_owned();
        plan.stages[0].workloads.push(other);
        plan.stages[0].point = Some(StudyPoint {
            role: Role::Point,
            at: [(Axis::Kind, Coordinate::Text("both".to_owned()))].into(),
        });
        let load = Load::simple(Op::Read, 100, 4096, 1_000_000, 2);
        let run = fixture::run_of(&fixture::events_of(plan, &[vec![load.clone(), load]]));
        let names: Vec<String> = all(&run).into_iter().map(|one| one.0.name).collect();
        assert_eq!(
            names,
            [
                "4 KiB random read, depth 8: both at once, unthrottled",
                "4 KiB random read, depth 8: both at once, rate-limited"
            ]
        );
    }

    #[test]
    fn what_the_user_named_keeps_its_name() {
        let mut plan = plan(&["oltp", "a/b"]);
        plan.source.dialect = Dialect::Fio;
        for (wording, line) in all(&run(plan)) {
            assert_eq!(wording.code, "");
            assert_eq!(wording.name, line);
            assert!(["oltp", "a/b"].contains(&line.as_str()), "{line}");
        }
    }
}
