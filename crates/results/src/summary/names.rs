//! What stages and workloads are called where they are in one list: no two by one name, and none by the name of
//! another.
//!
//! Belongs here: names. Must never: change what a name is in the plan, which data (JSON, CSV) keep.

use super::asked::properties;
use super::{RateFigures, StageSummary};
use crate::run::Run;
use crate::words::{both_per_s, rate_asked};
use crate::work::{Properties, Property, distinctions, in_common};
use leadline_model::plan::{Rate, Stage, Workload};
use std::collections::HashMap;

/// Most workloads that name their stage.
const MOST: usize = 3;

/// What a stage is called: its name, or, where that is the name of one of several workloads in it (fio has names
/// of jobs only), those of all.
#[must_use]
pub fn stage_name(stage: &Stage) -> String {
    let names = each_once(stage.workloads.iter());
    if names.len() < 2 || !names.contains(&stage.name.as_str()) {
        return stage.name.clone();
    }
    in_short(names)
}

/// The names of workloads, each once.
pub(crate) fn each_once<'a>(workloads: impl Iterator<Item = &'a Workload>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for workload in workloads {
        if !names.contains(&workload.name.as_str()) {
            names.push(&workload.name);
        }
    }
    names
}

/// The first few of several names, and how many more there are.
pub(crate) fn in_short(mut names: Vec<&str>) -> String {
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    match more {
        0 => joined(&names),
        n => format!("{} and {n} more", joined(&names)),
    }
}

/// Names in one line: a comma between two, or a semicolon where a name has a comma of its own.
#[must_use]
pub fn joined(names: &[&str]) -> String {
    match names.iter().any(|name| name.contains(',')) {
        true => names.join("; "),
        false => names.join(", "),
    }
}

/// The requested rate of all these together, in words; `None` if there was none.
pub(crate) fn asked<'a>(rates: impl Iterator<Item = &'a RateFigures>) -> Option<String> {
    let (mut iops, mut bytes) = (0.0, 0.0);
    for rate in rates {
        match rate.asked {
            Rate::Iops(n) => iops += n,
            Rate::Bytes(n) => bytes += n as f64,
        }
    }
    match (iops > 0.0, bytes > 0.0) {
        (true, false) => Some(format!("{} IOPS requested", rate_asked(iops))),
        (false, true) => Some(format!("{} requested", both_per_s(bytes))),
        _ => None,
    }
}

/// How often each name is there.
fn tally<'a>(names: impl Iterator<Item = &'a str>) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    names.for_each(|name| *counts.entry(name.to_owned()).or_insert(0) += 1);
    counts
}

/// Numbers those that still have one name.
fn number<'a>(labels: impl Iterator<Item = &'a mut String>) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for label in labels {
        let count = seen.entry(label.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            *label = format!("{label} ({count})");
        }
    }
}

/// Gives the stages of a run and their workloads labels of their own: the name where there is one of it, else with what
/// distinguishes its work from that of the others, else with a number.
pub(super) fn give(run: &Run, stages: &mut [StageSummary]) {
    for stage in stages.iter_mut() {
        let plan = super::planned(run, stage.stage);
        stage.label = plan.map(stage_name).unwrap_or_default();
    }
    let often = tally(stages.iter().map(|s| s.label.as_str()));
    for (label, _) in often.into_iter().filter(|(_, n)| *n > 1) {
        let mut own: Vec<_> = stages.iter_mut().filter(|s| s.label == label).collect();
        let words = differences(run, &own);
        for (stage, words) in own.iter_mut().zip(words) {
            if !words.is_empty() {
                stage.label = format!("{label}, {words}");
            }
        }
    }
    number(stages.iter_mut().map(|s| &mut s.label));
    let all = stages.iter().flat_map(|s| &s.workloads);
    let often = tally(all.map(|w| w.name.as_str()));
    for stage in stages.iter_mut() {
        let alone = stage.workloads.len() == 1;
        let is_labelled = stage.label != stage.name;
        let here = tally(stage.workloads.iter().map(|w| w.name.as_str()));
        let plan = super::planned(run, stage.stage);
        let planned = plan
            .map(|plan| plan.workloads.as_slice())
            .unwrap_or_default();
        for (number, workload) in stage.workloads.iter_mut().enumerate() {
            workload.label = if often.get(&workload.name) == Some(&1) {
                workload.name.clone()
            } else if alone && workload.name == stage.name {
                stage.label.clone()
            } else {
                let place = planned.get(number).map(|plan| place_of(run, plan));
                let place = place.filter(|_| here.get(&workload.name) > Some(&1));
                let place = place.unwrap_or_default();
                let rate = asked(workload.rates.iter()).filter(|_| !is_labelled);
                let rate = rate.map(|rate| format!(", {rate}")).unwrap_or_default();
                format!("{} / {}{place}{rate}", stage.label, workload.name)
            };
        }
    }
    let all = stages.iter_mut().flat_map(|s| &mut s.workloads);
    number(all.map(|w| &mut w.label));
}

/// What distinguishes workloads of one definition: the target, and the host where each has a workload of its own:
/// ` on sd1 from h1`.
fn place_of(run: &Run, plan: &Workload) -> String {
    let target = plan.target_name.as_ref();
    let mut place = target.map_or_else(String::new, |name| format!(" on {name}"));
    place.extend(host_of(run, plan).map(|name| format!(" from {name}")));
    place
}

/// What a workload is called within its stage: its name, with target and host where others have the same.
pub(crate) fn name_in_stage(run: &Run, stage: &Stage, plan: &Workload) -> String {
    let same = stage
        .workloads
        .iter()
        .filter(|other| other.name == plan.name);
    let place = (same.count() > 1).then(|| place_of(run, plan));
    format!("{}{}", plan.name, place.unwrap_or_default())
}

/// The host of a workload that runs on one of several.
fn host_of<'a>(run: &'a Run, plan: &Workload) -> Option<&'a str> {
    let several = run.plan.as_ref()?.hosts.len() > 1;
    let host = plan.hosts.single().filter(|_| several)?;
    Some(run.host_label(host))
}

/// In which of their settings the workloads of these stages differ, those of one place with each other, and all of a stage
/// in the rate that they have together: words for each stage, none where stages have another number of workloads.
fn differences(run: &Run, stages: &[&mut StageSummary]) -> Vec<String> {
    let mut works: Vec<Vec<Properties>> = stages
        .iter()
        .map(|stage| {
            let plan = super::planned(run, stage.stage);
            let planned = plan.into_iter().flat_map(|plan| &plan.workloads);
            let each = planned.zip(&stage.workloads);
            each.map(|(plan, own)| properties(plan, own)).collect()
        })
        .collect();
    let mut words: Vec<Vec<String>> = vec![Vec::new(); stages.len()];
    let places = works.iter().map(Vec::len).max().unwrap_or_default();
    if works.iter().any(|own| own.len() != places) {
        return vec![String::new(); stages.len()];
    }
    let rates: Option<Vec<Properties>> = works.iter().map(|own| whole_rate(own)).collect();
    if let Some(rates) = rates.filter(|_| places > 1) {
        let each = rates.iter().map(|rate| ((), rate));
        let each: Vec<_> = each.collect();
        for (words, more) in words.iter_mut().zip(distinctions(&each)) {
            words.extend((!more.is_empty()).then_some(more));
        }
        for own in works.iter_mut().flatten() {
            own.remove(&Property::Rate);
        }
    }
    for place in 0..places {
        let own: Vec<((), &Properties)> = works.iter().map(|own| ((), &own[place])).collect();
        for (words, more) in words.iter_mut().zip(distinctions(&own)) {
            if !more.is_empty() && !words.contains(&more) {
                words.push(more);
            }
        }
    }
    words.into_iter().map(|words| words.join(", ")).collect()
}

/// The rate of all workloads of a stage together; `None` where one of them has none, or one of another kind.
fn whole_rate(of: &[Properties]) -> Option<Properties> {
    let rate = |own: &Properties| own.get(&Property::Rate).cloned();
    let each: Option<Vec<_>> = of.iter().map(rate).collect();
    let each = each?.into_iter();
    let all = in_common(each.map(|rate| [(Property::Rate, rate)].into()).collect());
    all.contains_key(&Property::Rate).then_some(all)
}

#[cfg(test)]
mod tests {
    use crate::fixture::{self, Load};
    use crate::run::Run;
    use crate::summary::summarize;
    use leadline_model::op::{Op, PerOp};
    use leadline_model::plan::{Arrival, HostSet, HostSpec, OpMix, Pace, Rate, Workload};

    fn workload(name: &str, rate: Option<f64>) -> Workload {
        let mut w = fixture::workload(name, OpMix::reads(), 4096, 8, 1);
        if let Some(rate) = rate {
            w.pace = Pace::Open {
                rates: PerOp::splat(None),
                arrival: Arrival::Constant,
                together: Some(Rate::Iops(rate)),
                schedule: Vec::new(),
            };
        }
        w
    }

    fn run(stages: Vec<(&'static str, Vec<Workload>)>) -> Run {
        let loads: Vec<Vec<Load>> = stages
            .iter()
            .map(|s| vec![Load::simple(Op::Read, 100, 4096, 1_000_000, 2); s.1.len()])
            .collect();
        fixture::run_of(&fixture::events_of(fixture::plan(stages), &loads))
    }

    fn labels(run: &Run) -> (Vec<String>, Vec<String>) {
        let summary = summarize(run);
        let stages = summary.stages.iter().map(|s| s.label.clone()).collect();
        let workloads = summary.stages.iter().flat_map(|s| &s.workloads);
        (stages, workloads.map(|w| w.label.clone()).collect())
    }

    /// The points of a curve, of which each has its `wd1`.
    #[test]
    fn workloads_of_one_name_are_distinguished_by_stage_and_rate() {
        let run = run(vec![
            ("curve_(50%)", vec![workload("wd1", Some(4875.0))]),
            ("curve_(90%)", vec![workload("wd1", Some(1234.5))]),
            ("max", vec![workload("wd1", None), workload("wd2", None)]),
        ]);
        let (stages, workloads) = labels(&run);
        assert_eq!(stages, ["curve_(50%)", "curve_(90%)", "max"]);
        assert_eq!(
            workloads,
            [
                "curve_(50%) / wd1, 4,875 IOPS requested",
                "curve_(90%) / wd1, 1,234.5 IOPS requested",
                "max / wd1",
                "wd2"
            ]
        );
        let shown = crate::render::html::page(&run, crate::fixture::no_recipe);
        assert!(shown.contains("curve_(90%) / wd1, 1,234.5 IOPS requested"));
    }

    /// A workload definition of Vdbench on two storage definitions, each with half of the rate.
    #[test]
    fn workloads_of_one_name_in_a_stage_are_distinguished_by_target() {
        let on = |name: &str, rate: f64| Workload {
            target_name: Some(name.to_owned()),
            ..workload("wd1", Some(rate))
        };
        let run = run(vec![
            ("r_(10%)", vec![on("sd1", 400.0), on("sd2", 400.0)]),
            ("r_(50%)", vec![on("sd1", 2000.0), on("sd2", 2000.0)]),
        ]);
        let (_, workloads) = labels(&run);
        assert_eq!(
            workloads,
            [
                "r_(10%) / wd1 on sd1, 400 IOPS requested",
                "r_(10%) / wd1 on sd2, 400 IOPS requested",
                "r_(50%) / wd1 on sd1, 2,000 IOPS requested",
                "r_(50%) / wd1 on sd2, 2,000 IOPS requested"
            ]
        );
        let shown = crate::render::html::page(&run, crate::fixture::no_recipe);
        assert!(shown.contains("r_(10%) / wd1 on sd1, 400 IOPS requested"));
        assert!(!shown.contains("requested, 400 IOPS requested"));
    }

    /// A workload definition of Vdbench on two hosts, in a list of rates: each host has half of the rate.
    #[test]
    fn workloads_of_one_name_on_hosts_are_distinguished_by_host() {
        let on = |host: u32, rate: f64| Workload {
            target_name: Some("sd1".to_owned()),
            hosts: HostSet::one(host),
            ..workload("wd1", Some(rate))
        };
        let both = |rate: f64| ("run1", vec![on(0, rate / 2.0), on(1, rate / 2.0)]);
        let mut run = run(vec![both(1000.0), both(2000.0)]);
        let hosts = ["h1", "h2"].map(HostSpec::local);
        run.plan.as_mut().unwrap().hosts = hosts.into();
        let (stages, workloads) = labels(&run);
        assert_eq!(stages, ["run1, rate 1,000 IOPS", "run1, rate 2,000 IOPS"]);
        assert_eq!(
            workloads,
            [
                "run1, rate 1,000 IOPS / wd1 on sd1 from h1",
                "run1, rate 1,000 IOPS / wd1 on sd1 from h2",
                "run1, rate 2,000 IOPS / wd1 on sd1 from h1",
                "run1, rate 2,000 IOPS / wd1 on sd1 from h2"
            ]
        );
    }

    /// Where a stage is called by its rate, its workload does not say the same once more.
    #[test]
    fn a_rate_is_said_once() {
        let of = |rate: f64| ("run1", vec![workload("wd1", Some(rate))]);
        let run = run(vec![of(1000.0), of(2000.0)]);
        let page = crate::render::html::page(&run, crate::fixture::no_recipe);
        assert!(page.contains("run1, rate 1,000 IOPS / wd1"), "{page}");
        assert!(!page.contains("wd1, 1,000 IOPS requested"), "{page}");
    }

    #[test]
    fn what_is_alike_in_all_is_numbered() {
        let twice = || ("a", vec![workload("a", Some(100.0))]);
        let (stages, workloads) = labels(&run(vec![
            twice(),
            ("a", vec![workload("a", None)]),
            twice(),
        ]));
        let expected = ["a, rate 100 IOPS", "a", "a, rate 100 IOPS (2)"];
        assert_eq!(
            (stages, workloads),
            (
                expected.map(str::to_owned).to_vec(),
                expected.map(str::to_owned).to_vec()
            )
        );
    }

    /// fio calls what runs together by its first job: what the others did is not the first one's.
    #[test]
    fn a_stage_that_has_the_name_of_one_job_is_called_by_all() {
        let run = run(vec![
            (
                "reader",
                vec![workload("reader", None), workload("writer", None)],
            ),
            ("last", vec![workload("last", None)]),
        ]);
        let (stages, workloads) = labels(&run);
        assert_eq!(stages, ["reader, writer", "last"]);
        assert_eq!(workloads, ["reader", "writer", "last"]);
        let words = crate::study::general::stages(&summarize(&run), &|_| false);
        assert!(words[0].starts_with("reader, writer: "), "{words:?}");
        let page = crate::render::html::page(&run, crate::fixture::no_recipe);
        assert!(
            page.contains("Workloads side by side: reader, writer")
                && !page.contains("reader / writer")
        );
    }
}
