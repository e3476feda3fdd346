//! A run of leadline's own as something that can be compared.
//!
//! Belongs here: which stages are results, and where each figure and property comes from. Must never: compute a figure
//! (that is `summary`).

use super::called;
use super::environment::environment;
use super::subject::{LatencyFrom, SeriesPart, Subject, SubjectFigure, SubjectRow};
use crate::run::{Run, StageRun};
use crate::study::series::SECOND_CURVE;
use crate::study::studies::no_answer;
use crate::study::{Replaced, is_result};
use crate::summary::names::{each_once, in_short, stage_name};
use crate::summary::together::together;
use crate::summary::{
    Basis, Figures, OpFigures, Percentile, Point, PointOp, StageSummary, Summary, Trust,
    WorkloadSummary, asked, planned, summarize,
};
use crate::trust::grade::Grades;
use crate::words::whole;
use crate::work::{Properties, Property, PropertyValue, in_common, rest, whole_target};
use leadline_model::condition::FigureKind;
use leadline_model::event::Outcome;
use leadline_model::facts::FactKey;
use leadline_model::op::Op;
use leadline_model::plan::study::Axis;
use leadline_model::plan::{Stage, Target, Workload};
use leadline_model::sample::{EndReason, WorkerTotals};
use leadline_model::units::{Bytes, Nanos};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Percentiles that a subject has, where there are enough samples.
const PERCENTS: [f64; 8] = [50.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];

impl Subject {
    /// Of a run: its stages without fills and trials of a search, by workload and operation. `name` and `source` are
    /// what it is called and where it is kept.
    #[must_use]
    pub fn from_run(name: &str, source: &str, run: &Run) -> Self {
        Self::of_summary(name, source, run, &summarize(run))
    }

    /// The same of a run whose summary is known.
    #[must_use]
    pub fn of_summary(name: &str, source: &str, run: &Run, summary: &Summary) -> Self {
        let mut rows: Vec<(&Stage, SubjectRow)> = Vec::new();
        let replaced = Replaced::of(run, summary);
        for (of, stage) in run.stages.iter().zip(&summary.stages) {
            let plan = planned(run, stage.stage);
            let Some(plan) = plan.filter(|plan| replaced.is_figure(stage.stage, Some(plan))) else {
                continue;
            };
            let first = replaced.first_of(stage.stage);
            let first = first.and_then(|first| planned(run, first));
            let named = first.unwrap_or(plan);
            let own = rows_of(run, of, (plan, named), stage);
            rows.extend(own.into_iter().map(|mut row| {
                row.stage_number = stage.stage;
                row.is_confirmation = first.is_some() && !plan.name.starts_with(SECOND_CURVE);
                (named, row)
            }));
        }
        let study = run.plan.as_ref().and_then(|plan| plan.study.as_deref());
        let states = study.map_or(&[][..], |study| &study.arms).iter();
        let states: Vec<&str> = states.map(|arm| arm.name.as_str()).collect();
        let rows = in_order_of_points(rows, &states);
        Self {
            name: name.to_owned(),
            source: source.to_owned(),
            wall_ms: Some(run.wall_ms),
            properties: environment(run),
            rows,
            doubts: doubts(run)
                .into_iter()
                .chain(without_answer(run, summary))
                .chain(before_a_change(run, summary, &replaced))
                .collect(),
            is_unfinished: run.outcome != Some(Outcome::Complete) || broken_off(run) > 0,
            is_unfit: Grades::of_run(run).run.is_as_bad_as('F'),
        }
        .distinguished()
    }
}

/// Points of a study in the order of what was varied, not in that in which they were drawn to run; states of the system in
/// that of these names; all else as it ran.
fn in_order_of_points(rows: Vec<(&Stage, SubjectRow)>, states: &[&str]) -> Vec<SubjectRow> {
    let family = |stage: &Stage| stage.name.split('/').next().unwrap_or_default().to_owned();
    let mut families: Vec<String> = Vec::new();
    for (stage, _) in &rows {
        let own = family(stage);
        if !families.contains(&own) {
            families.push(own);
        }
    }
    let mut placed: Vec<(usize, &Stage, SubjectRow)> = rows
        .into_iter()
        .map(|(stage, row)| {
            let place = families.iter().position(|known| *known == family(stage));
            (place.unwrap_or(0), stage, row)
        })
        .collect();
    if placed.iter().all(|(_, stage, _)| stage.point.is_some()) {
        placed.sort_by(|(a, one, _), (b, other, _)| {
            a.cmp(b).then_with(|| by_point(one, other, states))
        });
    }
    placed.into_iter().map(|(.., row)| row).collect()
}

/// The order of two points by their coordinates, with that of the states of the system; repeats of one stay as they are.
fn by_point(a: &Stage, b: &Stage, states: &[&str]) -> Ordering {
    let is_varied = |axis: &Axis| !matches!(axis, Axis::Repeat | Axis::Try | Axis::Round);
    let of = |stage: &Stage| {
        let at = stage.point.iter().flat_map(|point| point.at.clone());
        at.filter(|(axis, _)| is_varied(axis)).collect::<Vec<_>>()
    };
    let (a, b) = (of(a), of(b));
    let each = a.iter().zip(&b).map(|((axis, one), (other_axis, other))| {
        let place = |name: Option<&str>| states.iter().position(|state| Some(*state) == name);
        let values = match (one.number(), other.number()) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            _ if *axis == Axis::Arm => place(one.text()).cmp(&place(other.text())),
            _ => one.text().cmp(&other.text()),
        };
        axis.cmp(other_axis).then(values)
    });
    let first = each.into_iter().find(|order| order.is_ne());
    first.unwrap_or_else(|| a.len().cmp(&b.len()))
}

/// A stage among the rounds of its run.
#[derive(Clone)]
struct Place {
    /// Its name without the number of its round and its state of the system: rows of one name are compared.
    stage: String,
    arm: String,
    round: Option<u32>,
}

impl Place {
    /// The same with another name.
    fn with_stage(&self, stage: String) -> Self {
        Self {
            stage,
            ..self.clone()
        }
    }

    fn of(stage: &Stage) -> Self {
        let at = |axis| stage.point.as_ref().and_then(|point| point.at.get(axis));
        let arm = at(&Axis::Arm)
            .and_then(|arm| arm.text())
            .unwrap_or_default();
        let number = at(&Axis::Repeat).and_then(|repeat| repeat.number());
        let round = number.and_then(|n| u32::try_from(whole(n)).ok());
        let mark = |letter: char, axis| {
            let number = at(axis).and_then(|n| n.number());
            number.map_or_else(String::new, |n| format!("{letter}{n}"))
        };
        let marks = [
            arm.to_owned(),
            mark('r', &Axis::Repeat),
            mark('t', &Axis::Try),
        ];
        let name = marks
            .iter()
            .fold(stage.name.clone(), |name, mark| without(&name, mark));
        Self {
            stage: name,
            arm: arm.to_owned(),
            round,
        }
    }
}

/// What a report group of jobs of several names is called: it is none of them.
fn group_of(members: &[(&Workload, &WorkloadSummary)]) -> Option<String> {
    let names = each_once(members.iter().map(|member| member.0));
    let is_group = members.iter().all(|member| member.0.merge_group);
    (is_group && names.len() > 1).then(|| in_short(names))
}

/// A name without this word of it, where words are parted by dashes; the word may have some itself.
fn without(name: &str, word: &str) -> String {
    let part = format!("-{word}-");
    let padded = format!("-{name}-");
    match padded.split_once(&part) {
        Some((before, after)) if !word.is_empty() => {
            let whole = format!("{before}-{after}");
            whole.trim_matches('-').to_owned()
        }
        _ => name.to_owned(),
    }
}

/// The rows of a stage, named after the first measurement of its point: those of each member, and where it has several, of
/// all of them together.
fn rows_of(
    run: &Run,
    of: &StageRun,
    (plan, named): (&Stage, &Stage),
    summary: &StageSummary,
) -> Vec<SubjectRow> {
    let place = Place::of(named);
    let members = members(plan, summary);
    let mut rows = Vec::new();
    for member in &members {
        let known = |number: &u32| {
            let own = |w: &&WorkloadSummary| w.workload == *number;
            let planned = plan.workloads.get(*number as usize)?;
            Some((planned, summary.workloads.iter().find(own)?))
        };
        let each: Vec<_> = member.iter().filter_map(known).collect();
        let Some((first, own)) = each.first() else {
            continue;
        };
        let each_work = each.iter();
        let each_work =
            each_work.map(|(own_plan, own)| (own.workload, work_of(run, plan, own_plan, own)));
        let work = work_of_all(of, each_work.collect());
        let name = match &first.definition {
            _ if first.name == summary.name => place.stage.clone(),
            Some(definition) if each.len() > 1 => definition.clone(),
            _ => match called::class(plan, &first.name) {
                // The point is all that it does.
                Some(_) if members.len() == 1 => place.stage.clone(),
                Some(class) => class.to_owned(),
                None => first.name.clone(),
            },
        };
        rows.extend(match each.len() {
            1 => {
                let words = called::of_row(run, plan, first, own);
                let rows = rows_of_one(&place, name, work, (&own.figures, &own.series));
                let named = rows.into_iter().map(|row| SubjectRow {
                    words: called::with_op(&words, row.op, first),
                    ..row
                });
                named.collect()
            }
            _ => {
                let all = together(run, of, member);
                let (place, name) = match group_of(&each) {
                    // The group is all of the stage.
                    Some(group) if members.len() == 1 => (place.with_stage(group), String::new()),
                    Some(group) => (place.clone(), group),
                    None => (place.clone(), name),
                };
                rows_of_one(&place, name, work, (&all.figures, &all.series))
            }
        });
    }
    if members.len() > 1 {
        let work = summary.workloads.iter().filter_map(|own| {
            let planned = plan.workloads.get(own.workload as usize)?;
            Some((own.workload, work_of(run, plan, planned, own)))
        });
        let work = work_of_all(of, work.collect());
        // fio calls what runs together by its first job: all of them are none of it.
        let whole = match stage_name(plan) {
            all if all == plan.name => place,
            all => place.with_stage(all),
        };
        let all = (&summary.figures, summary.series.as_slice());
        let words = called::of_all(plan);
        let sums = rows_of_one(&whole, String::new(), work, all);
        rows.extend(sums.into_iter().map(|row| SubjectRow {
            words: called::of_sum(&words, row.op),
            ..row
        }));
    }
    rows
}

/// What workloads of a stage have in common, each by its number. Those that are on hosts of their own are one workload on
/// all of them: Vdbench's threads of two hosts are two workloads.
fn work_of_all(of: &StageRun, each: Vec<(u32, Properties)>) -> Properties {
    let hosts_of = |workload: u32| -> BTreeSet<u32> {
        let own = of.workers.iter().filter(|w| w.workload == workload);
        own.map(|w| w.host).collect()
    };
    let hosts: Vec<BTreeSet<u32>> = each.iter().map(|(number, _)| hosts_of(*number)).collect();
    let sum: usize = hosts.iter().map(BTreeSet::len).sum();
    let all: BTreeSet<u32> = hosts.into_iter().flatten().collect();
    let several = each.len() > 1;
    let jobs: Vec<Option<PropertyValue>> = each
        .iter()
        .map(|(_, work)| work.get(&Property::Jobs).cloned())
        .collect();
    let mut common = in_common(each.into_iter().map(|(_, work)| work).collect());
    if !several || all.len() < 2 {
        return common;
    }
    let hosts = PropertyValue::Count(all.len() as u64);
    common.insert(Property::HostCount, hosts);
    // Jobs, like the depth, are those of a host.
    if let [Some(first), rest @ ..] = jobs.as_slice()
        && sum == all.len()
        && rest.iter().all(|jobs| jobs.as_ref() == Some(first))
    {
        common.insert(Property::Jobs, first.clone());
    }
    common
}

/// What a workload was asked to do. One that names no size uses its files as they were before the run.
fn work_of(run: &Run, stage: &Stage, plan: &Workload, own: &WorkloadSummary) -> Properties {
    let mut all = asked::properties(plan, own);
    let options = run.plan.as_ref().map(|whole| rest(whole, stage, plan));
    all.extend(options.map(|all| (Property::Options, PropertyValue::Named(all))));
    let region = &plan.blocks().region;
    let unsaid = region.size.is_none() && region.file_size.is_none() && region.end.is_none();
    if let (Target::Paths(paths), true) = (&plan.blocks().target, unsaid) {
        let size = |path: &String| {
            let mut facts = run.facts.iter();
            let of = facts.find(|f| f.key() == FactKey::TARGET_SIZE && f.subject == *path);
            of?.value.bytes().filter(|bytes| bytes.0 > 0)
        };
        let sizes: Option<Vec<Bytes>> = paths.iter().map(size).collect();
        let sum = sizes.map(|sizes| sizes.iter().map(|bytes| bytes.0).sum());
        let size = sum.and_then(|sum| whole_target(plan, sum));
        all.extend(size.map(|size| (Property::Size, size)));
    }
    all
}

/// The workloads of a stage that are one row: those of a report group that is shown as one record, and those of one
/// definition or name that do the same.
fn members(plan: &Stage, summary: &StageSummary) -> Vec<Vec<u32>> {
    let kind = |planned: &Workload, own: &WorkloadSummary| {
        if planned.merge_group {
            return (planned.group.to_string(), Vec::new());
        }
        let name = planned.definition.as_ref().unwrap_or(&planned.name);
        let work = asked::properties(planned, own);
        let same = [Property::Mix, Property::BlockSize, Property::Order];
        let same = same.map(|key| work.get(&key).map(ToString::to_string));
        (name.clone(), same.to_vec())
    };
    let mut all: Vec<(_, Vec<u32>)> = Vec::new();
    for own in &summary.workloads {
        let Some(planned) = plan.workloads.get(own.workload as usize) else {
            continue;
        };
        let kind = kind(planned, own);
        match all.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, numbers)) => numbers.push(own.workload),
            None => all.push((kind, vec![own.workload])),
        }
    }
    all.into_iter().map(|(_, numbers)| numbers).collect()
}

/// One row an operation; with several, one of all of them together before.
fn rows_of_one(
    place: &Place,
    name: String,
    work: Properties,
    (of, series): (&Figures, &[Point]),
) -> Vec<SubjectRow> {
    let window = &of.window;
    let overlap = (of.basis == Basis::Common).then_some((window.common_start, window.common_end));
    let row = |op: Option<Op>, figures: &OpFigures| SubjectRow {
        stage: place.stage.clone(),
        stage_number: 0,
        workload: name.clone(),
        op,
        words: String::new(),
        arm: place.arm.clone(),
        round: place.round,
        properties: work.clone(),
        latency_from: LatencyFrom::Start,
        mean_from: None,
        latency_step: 0.0,
        figures: figures_of(figures),
        series: series_of(series, op, overlap),
        histogram: (figures.response().count() > 0).then(|| figures.response().histogram.clone()),
        overlap: overlap.map(|_| of.span),
        apart: (of.basis == Basis::Union).then_some(of.span),
        errors: figures.errors,
        is_confirmation: false,
    };
    let data = data_ops(of);
    let mut rows = Vec::new();
    if data.len() > 1 {
        rows.push(row(None, &of.data));
    }
    rows.extend(data.into_iter().map(|(op, figures)| row(Some(op), figures)));
    rows
}

fn data_ops(figures: &Figures) -> Vec<(Op, &OpFigures)> {
    let each = figures.ops.iter().filter(|(op, _)| op.is_data());
    each.filter(|(_, of)| of.ios > 0 || of.errors > 0).collect()
}

fn figures_of(of: &OpFigures) -> Vec<SubjectFigure> {
    let within = |kind, value, interval: Option<crate::stats::Interval>| SubjectFigure {
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        ..SubjectFigure::plain(kind, value)
    };
    let mut all = vec![
        within(FigureKind::Iops, of.iops, of.certainty.iops),
        within(
            FigureKind::BytesPerS,
            of.bytes_per_s,
            of.certainty.bytes_per_s,
        ),
    ];
    let latency = of.response();
    if latency.count() == 0 {
        return all;
    }
    let unfinished = latency.unfinished() > 0;
    all.push(SubjectFigure {
        at_least: unfinished,
        ..within(FigureKind::Mean, latency.mean(), of.response_mean())
    });
    let percentiles = PERCENTS.into_iter().filter_map(|p| of.response_at(p));
    all.extend(percentiles.filter_map(percentile));
    all.push(SubjectFigure {
        at_least: unfinished,
        ..SubjectFigure::plain(FigureKind::Max, latency.max as f64)
    });
    all
}

/// A percentile of enough samples.
fn percentile(of: Percentile) -> Option<SubjectFigure> {
    (of.trust != Trust::TooFew).then(|| SubjectFigure {
        kind: FigureKind::percentile(of.percent),
        value: of.value.0 as f64,
        low: of.low.map(|ns| ns.0 as f64),
        high: of.high.map(|ns| ns.0 as f64),
        at_least: of.at_least,
    })
}

/// The measured intervals that the rates are of: those of the time in which all ran, where that is a part.
fn series_of(points: &[Point], op: Option<Op>, overlap: Option<(Nanos, Nanos)>) -> Vec<SeriesPart> {
    let is_inside = |p: &&Point| {
        let end = Nanos(p.start.0 + p.length.0);
        overlap.is_none_or(|(from, to)| from <= p.start && end <= to)
    };
    let measured = points
        .iter()
        .filter(|p| !p.warmup && p.length > Nanos::ZERO)
        .filter(is_inside);
    let of = |point: &Point| {
        let counts = match op {
            Some(op) => point.op(op).copied().unwrap_or_default(),
            None => point.data,
        };
        SeriesPart {
            seconds: point.length.as_secs_f64(),
            ios: counts.ios as f64,
            bytes: counts.bytes as f64,
            latency_sum: sum_of(&counts),
        }
    };
    measured.map(of).collect()
}

/// The latencies of an interval are known from when I/Os were submitted only: nothing where they count from before.
fn sum_of(counts: &PointOp) -> Option<f64> {
    let same = counts.response_max.is_none();
    same.then_some(counts.mean_ns * counts.ios as f64)
}

/// Stages that are results and that errors ended, but for those of hosts that may be lost.
fn broken_off(run: &Run) -> usize {
    let is_broken = |worker: &WorkerTotals| {
        matches!(worker.end, EndReason::Error { .. }) && run.loss(worker.host).is_none()
    };
    let results = run
        .stages
        .iter()
        .filter(|of| planned(run, of.stage).is_some_and(is_result));
    results
        .filter(|of| of.workers.iter().any(is_broken))
        .count()
}

/// Why a study has no answer, as a doubt; `None` where it has one, and of other runs.
fn without_answer(run: &Run, summary: &Summary) -> Option<String> {
    let why = no_answer(run, summary)?;
    let why = why.strip_prefix("No answer: ").unwrap_or(&why);
    Some(format!(
        "its study has no answer: {}",
        why.trim_end_matches('.')
    ))
}

/// Which stages were measured before the rate of the volume changed for good, or not surely after it, or were paid with credits
/// that came back.
fn before_a_change(run: &Run, summary: &Summary, replaced: &Replaced) -> Vec<String> {
    let is_counted = |stage: &&StageSummary| {
        let plan = planned(run, stage.stage);
        plan.is_some() && replaced.is_figure(stage.stage, plan)
    };
    let mut of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for stage in summary.stages.iter().filter(is_counted) {
        if !replaced.is_since(stage.stage) {
            let names = of.entry(replaced.remark(stage.stage)).or_default();
            names.push(&stage.label);
        }
    }
    let each = of.into_iter();
    each.map(|(remark, names)| format!("{}: {remark}", in_short(names)))
        .collect()
}

/// Why its figures may not be what they seem.
fn doubts(run: &Run) -> Vec<String> {
    let mut all = Vec::new();
    match &run.outcome {
        Some(Outcome::Complete) => {}
        Some(Outcome::CutShort) => all.push("it was interrupted".to_owned()),
        Some(Outcome::Failed(failure)) => all.push(format!("it failed: {failure}")),
        None => all.push("it has no recorded end".to_owned()),
    }
    let broken = broken_off(run);
    if broken > 0 {
        let stages = if broken == 1 { "stage" } else { "stages" };
        all.push(format!("errors ended {broken} {stages} of it early"));
    }
    let grade = Grades::of_run(run).run;
    if grade.is_as_bad_as('F') {
        all.push(format!("grade {}: {}", grade.letter, grade.sentence()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use leadline_model::plan::study::{Coordinate, Role, StudyPoint};

    fn value(row: &SubjectRow, kind: FigureKind) -> f64 {
        row.figure(kind).unwrap().value
    }

    #[test]
    fn a_run_has_a_row_for_each_workload_and_operation() {
        let subject = Subject::from_run("a", "a.leadline", &fixture::run());
        let labels: Vec<_> = subject.rows.iter().map(|row| row.name().label()).collect();
        assert_eq!(
            labels,
            [
                "latency read",
                "mixed / paced write",
                "mixed / free all",
                "mixed / free read",
                "mixed / free write",
                "mixed all",
                "mixed read",
                "mixed write",
            ]
        );
        // 2,500 a second, and nothing in one second of seven.
        let first = &subject.rows[0];
        let iops = value(first, FigureKind::Iops);
        assert!((iops - 2500.0 * 6.0 / 7.0).abs() < 1.0, "{iops}");
        assert!((value(first, FigureKind::BytesPerS) / iops - 4096.0).abs() < 1e-6);
        assert_eq!(first.series.len(), 7);
        let ios: f64 = first.series.iter().map(|part| part.ios).sum();
        assert!((ios - 15_000.0).abs() < 1e-9);
        assert_eq!(first.histogram.as_ref().map(|h| h.total()), Some(15_000));
        // 15,000 samples are enough for p99, not for p99.99.
        assert!(first.figure(FigureKind::percentile(99.0)).is_some());
        assert!(first.figure(FigureKind::percentile(99.99)).is_none());
        // A rate is kept with latencies from the intended start, which intervals do not sum up.
        assert!(
            subject.rows[1]
                .series
                .iter()
                .all(|p| p.latency_sum.is_none())
        );
        assert!(subject.doubts.is_empty(), "{:?}", subject.doubts);
    }

    #[test]
    fn what_was_set_and_where_is_known() {
        let subject = Subject::from_run("a", "a.leadline", &fixture::run());
        let of = |row: usize, key| {
            subject.rows[row]
                .properties
                .get(&key)
                .map(ToString::to_string)
        };
        assert_eq!(of(0, Property::Mix).as_deref(), Some("100 %"));
        assert_eq!(of(2, Property::Mix).as_deref(), Some("70 %"));
        assert_eq!(of(0, Property::BlockSize).as_deref(), Some("4 KiB"));
        assert_eq!(of(0, Property::Order).as_deref(), Some("random"));
        assert_eq!(of(2, Property::Depth).as_deref(), Some("8"));
        assert_eq!(of(1, Property::Jobs).as_deref(), Some("2"));
        assert_eq!(of(1, Property::Rate).as_deref(), Some("1,000 IOPS"));
        assert_eq!(of(0, Property::Rate), None);
        assert_eq!(
            of(2, Property::Sync).as_deref(),
            Some("fsync after every 100 writes")
        );
        let env = |key| subject.properties.get(&key).map(ToString::to_string);
        assert_eq!(env(Property::Kernel).as_deref(), Some("6.18.0"));
        assert_eq!(env(Property::Cpu).as_deref(), Some("Example 9000"));
        assert_eq!(env(Property::Mount).as_deref(), Some("ext4 rw,relatime"));
        assert_eq!(env(Property::Target).as_deref(), Some("demo"));
    }

    #[test]
    fn points_are_in_the_order_of_what_was_varied() {
        let run = fixture::run();
        let stage = |name: &str, at: &[(Axis, f64)]| {
            let numbers = at.iter().map(|(axis, n)| (*axis, Coordinate::Number(*n)));
            let mut stage = run.plan.as_ref().unwrap().stages[0].clone();
            stage.name = name.to_owned();
            stage.point = Some(StudyPoint {
                role: Role::Point,
                at: numbers.collect(),
            });
            stage
        };
        let depth = |depth: f64, repeat: f64| [(Axis::Depth, depth), (Axis::Repeat, repeat)];
        let stages = [
            stage("mix/b", &[(Axis::Reads, 50.0), (Axis::Depth, 1.0)]),
            stage("depth/qd16", &depth(16.0, 1.0)),
            stage("depth/qd4", &depth(4.0, 2.0)),
            stage("mix/a", &[(Axis::Reads, 0.0), (Axis::Depth, 1.0)]),
            stage("depth/qd4", &depth(4.0, 1.0)),
        ];
        let order = |stages: &[Stage]| -> Vec<String> {
            let named = |(at, stage): (usize, &Stage)| SubjectRow {
                stage: format!("{} {at}", stage.name),
                ..SubjectRow::default()
            };
            let rows = stages
                .iter()
                .enumerate()
                .map(|(at, stage)| (stage, named((at, stage))));
            let rows = in_order_of_points(rows.collect(), &["one", "eight"]);
            rows.into_iter().map(|row| row.stage).collect()
        };
        // States of the system as they were given.
        let state = |name: &str, arm: &str| {
            let mut stage = stage(name, &[(Axis::Depth, 1.0)]);
            let point = stage.point.as_mut().unwrap();
            point.at.insert(Axis::Arm, Coordinate::Text(arm.to_owned()));
            stage
        };
        let arms = [state("iops/b", "eight"), state("iops/a", "one")];
        assert_eq!(order(&arms), ["iops/a 1", "iops/b 0"]);
        let sorted = [
            "mix/a 3",
            "mix/b 0",
            "depth/qd4 2",
            "depth/qd4 4",
            "depth/qd16 1",
        ];
        assert_eq!(order(&stages), sorted);
        // Stages that are no points stay as they ran.
        let plain = stages.map(|stage| Stage {
            point: None,
            ..stage
        });
        assert_eq!(order(&plain)[0], "mix/b 0");
        assert_eq!(order(&plain)[2], "depth/qd4 2");
    }

    #[test]
    fn the_figure_of_a_best_point_is_that_of_the_run_that_confirms_it_alone() {
        use crate::fixture::Load;
        use leadline_model::plan::access::OpMix;

        let workload = fixture::workload("w", OpMix::reads(), 4096, 2, 10);
        let names = [
            "depth/qd2",
            "depth/qd2-t2",
            "depth/confirm-qd2-t3",
            "depth/qd2-t4",
        ];
        let mut plan = fixture::plan(names.map(|name| (name, vec![workload.clone()])).into());
        let roles = [Role::Point, Role::Point, Role::Confirmation, Role::Point];
        for ((stage, role), number) in plan.stages.iter_mut().zip(roles).zip(1_u32..) {
            let mut at = vec![(Axis::Depth, Coordinate::Number(2.0))];
            if number > 1 {
                at.push((Axis::Try, Coordinate::Number(f64::from(number))));
            }
            let at = at.into_iter().collect();
            stage.point = Some(StudyPoint { role, at });
        }
        let rates = [1000, 1010, 900, 1100];
        let mut loads = rates.map(|ios| vec![Load::simple(Op::Read, ios, 4096, 100_000, 10)]);
        let figures = |loads: &[Vec<Load>]| -> Vec<(u32, f64)> {
            let run = fixture::run_of(&fixture::events_of(plan.clone(), loads));
            let rows = Subject::from_run("a", "a.leadline", &run).rows;
            let each = rows
                .iter()
                .map(|row| (row.stage_number, value(row, FigureKind::Iops).round()));
            each.collect()
        };
        assert_eq!(figures(&loads), [(2, 900.0)]);
        // One that was interrupted confirms nothing.
        loads[2][0].adjust = |worker| worker.end = EndReason::Interrupted;
        let left: Vec<u32> = figures(&loads)
            .into_iter()
            .map(|(stage, _)| stage)
            .collect();
        assert_eq!(left, [0, 1, 3]);
    }
}
