//! A run of leadline's own as something that can be compared.
//!
//! Belongs here: which stages are results, and where each figure and property comes from. Must never: compute a figure
//! (that is `summary`).

use super::property::{Properties, Property, PropertyValue};
use super::subject::{LatencyFrom, SeriesPart, Subject, SubjectFigure, SubjectRow};
use crate::run::Run;
use crate::study::limit::is_experiment;
use crate::study::survey::FILL;
use crate::summary::{
    Figures, OpFigures, Percentile, Point, PointOp, StageSummary, Trust, WorkloadSummary, planned,
    summarize,
};
use crate::trust::grade::Grades;
use crate::words::whole;
use leadline_model::condition::FigureKind;
use leadline_model::event::Outcome;
use leadline_model::facts::FactKey;
use leadline_model::op::Op;
use leadline_model::plan::access::{Distribution, Sizes};
use leadline_model::plan::study::{Axis, Role};
use leadline_model::plan::{Amount, OpMix, Order, Pace, Rate, Stage, Target, Workload};
use leadline_model::units::{Bytes, Nanos, Percent};

/// Percentiles that a subject has, where there are enough samples.
const PERCENTS: [f64; 8] = [50.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];

impl Subject {
    /// Of a run: its stages without fills and trials of a search, by workload and operation. `name` and `source` are
    /// what it is called and where it is kept.
    #[must_use]
    pub fn from_run(name: &str, source: &str, run: &Run) -> Self {
        let summary = summarize(run);
        let mut rows = Vec::new();
        for stage in &summary.stages {
            let Some(plan) = planned(run, stage.stage).filter(|plan| is_result(plan)) else {
                continue;
            };
            rows.extend(rows_of(plan, stage));
        }
        Self {
            name: name.to_owned(),
            source: source.to_owned(),
            wall_ms: Some(run.wall_ms),
            properties: environment(run),
            rows,
            doubts: doubts(run),
            is_unfinished: run.outcome != Some(Outcome::Complete),
        }
    }
}

/// The stage in which Vdbench writes its files.
const FORMAT: &str = "SD_format";

/// Whether a stage is measured for its figures: it is no fill, no conditioning, no trial of a search and no experiment on
/// the limit of a survey.
#[must_use]
pub fn is_result(stage: &Stage) -> bool {
    match &stage.point {
        Some(point) => matches!(point.role, Role::Maximum | Role::Point | Role::Confirmation),
        None => {
            let family = stage.name.split('/').next().unwrap_or_default();
            family != FILL && !is_experiment(&stage.name) && stage.name != FORMAT
        }
    }
}

/// A stage among the rounds of its run.
struct Place {
    /// Its name without the number of its round and its state of the system: rows of one name are compared.
    stage: String,
    arm: String,
    round: Option<u32>,
}

impl Place {
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

fn rows_of(plan: &Stage, summary: &StageSummary) -> Vec<SubjectRow> {
    let place = Place::of(plan);
    let mut rows = Vec::new();
    for workload in &summary.workloads {
        let Some(planned) = plan.workloads.get(workload.workload as usize) else {
            continue;
        };
        rows.extend(rows_of_workload(&place, planned, workload, summary));
    }
    rows
}

/// One row an operation; with several, one of all of them together before.
fn rows_of_workload(
    place: &Place,
    plan: &Workload,
    summary: &WorkloadSummary,
    of_stage: &StageSummary,
) -> Vec<SubjectRow> {
    let name = if plan.name == of_stage.name {
        place.stage.clone()
    } else {
        plan.name.clone()
    };
    let row = |op: Option<Op>, figures: &OpFigures| SubjectRow {
        stage: place.stage.clone(),
        workload: name.clone(),
        op,
        arm: place.arm.clone(),
        round: place.round,
        properties: properties(plan, summary),
        latency_from: LatencyFrom::Start,
        figures: figures_of(figures),
        series: series_of(&summary.series, op),
        histogram: (figures.response().count() > 0).then(|| figures.response().histogram.clone()),
        errors: figures.errors,
    };
    let data = data_ops(&summary.figures);
    let mut rows = Vec::new();
    if data.len() > 1 {
        rows.push(row(None, &summary.figures.data));
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

fn series_of(points: &[Point], op: Option<Op>) -> Vec<SeriesPart> {
    let measured = points
        .iter()
        .filter(|p| !p.warmup && p.length > Nanos::ZERO);
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

/// What a plan says of the work of a workload; rates and hosts are those of a run.
pub(super) fn planned_work(plan: &Workload) -> Properties {
    let blocks = plan.blocks();
    let count = |n: u32| PropertyValue::Count(u64::from(n));
    let mut all = Properties::from([
        (Property::Mix, mix(blocks.mix)),
        (Property::BlockSize, block_size(plan)),
        (Property::Order, order(plan).into()),
        (Property::Direct, PropertyValue::Flag(blocks.open.direct)),
        (Property::Depth, count(depth(plan))),
        (Property::Jobs, count(plan.clones)),
        (Property::Engine, plan.engine.kind.name().into()),
    ]);
    let own = [
        (Property::Size, size(plan)),
        (Property::Sync, flushes(plan)),
        (Property::Think, pauses(plan)),
    ];
    let own = own.into_iter();
    all.extend(own.filter_map(|(key, value)| Some((key, value?))));
    all
}

fn properties(plan: &Workload, summary: &WorkloadSummary) -> Properties {
    let mut all = planned_work(plan);
    // What is written, or what the files hold.
    let [_, _, _, payload] = summary.labels.texts();
    all.insert(Property::Fill, payload.into());
    let span = PropertyValue::Nanos(summary.figures.span);
    all.insert(Property::RunTime, span);
    let each = u64::from(plan.clones) * u64::from(depth(plan));
    let hosts = summary.depth_asked.checked_div(each);
    all.extend(hosts.map(|n| (Property::HostCount, PropertyValue::Count(n))));
    all.extend(rate(summary).map(|rate| (Property::Rate, rate)));
    all
}

fn mix(mix: OpMix) -> PropertyValue {
    match mix {
        OpMix::Only(Op::Read) => PropertyValue::Percent(Percent::ALL),
        OpMix::Only(Op::Write) => PropertyValue::Percent(Percent::NONE),
        OpMix::ReadWrite { read_percent } => PropertyValue::Percent(read_percent),
        OpMix::Only(op) => op.name().into(),
        OpMix::TrimWrite => "trim, then write".into(),
    }
}

fn block_size(plan: &Workload) -> PropertyValue {
    let sizes = &plan.blocks().sizes;
    let fixed = |op: Op| match sizes.by_op.get(op) {
        Sizes::Fixed(size) => Some(*size),
        _ => None,
    };
    let used = Op::BLOCK
        .into_iter()
        .filter(|op| plan.blocks().mix.has(*op));
    let each: Option<Vec<u64>> = used.map(fixed).collect();
    match each.as_deref() {
        Some([first, rest @ ..]) if rest.iter().all(|size| size == first) => {
            PropertyValue::Bytes(Bytes(*first))
        }
        _ => format!("{} to {}", Bytes(sizes.min()), Bytes(sizes.max())).into(),
    }
}

/// A distribution of offsets that is not uniform.
fn distribution(of: &Distribution) -> Option<String> {
    match of {
        Distribution::Uniform => None,
        Distribution::Zipf { theta, .. } => Some(format!("zipf {theta}")),
        Distribution::Pareto { h, .. } => Some(format!("pareto {h}")),
        Distribution::Normal { deviation, .. } => Some(format!("normal {deviation} %")),
        Distribution::Zoned(zones) => Some(format!("{} zones", zones.len())),
        Distribution::LowEnd(number) => Some(format!("low end {number}")),
        Distribution::HotBand { .. } => Some("hot band".to_owned()),
    }
}

fn order(plan: &Workload) -> String {
    let access = &plan.blocks().access;
    match access.order {
        Order::Sequential { skip: 0 } => "sequential".to_owned(),
        Order::Sequential { skip } => format!("sequential, skipping {skip} bytes"),
        Order::Random { .. } => {
            let used = Op::BLOCK
                .into_iter()
                .filter(|op| plan.blocks().mix.has(*op));
            let mut all: Vec<String> = used
                .filter_map(|op| distribution(access.distribution.get(op)))
                .collect();
            all.dedup();
            all.insert(0, "random".to_owned());
            all.join(", ")
        }
    }
}

/// I/Os in flight of a worker.
fn depth(plan: &Workload) -> u32 {
    if plan.engine.kind.is_async() {
        plan.depth
    } else {
        1
    }
}

fn size(plan: &Workload) -> Option<PropertyValue> {
    let region = &plan.blocks().region;
    match (region.size, region.file_size, &plan.blocks().target) {
        (Some(Amount::Bytes(bytes)), ..) => Some(PropertyValue::Bytes(Bytes(bytes))),
        (Some(Amount::Percent(percent)), ..) => Some(format!("{percent} % of the target").into()),
        (None, Some((least, most)), Target::Files(set)) if least == most => {
            Some(PropertyValue::Bytes(Bytes(least * u64::from(set.count))))
        }
        _ => None,
    }
}

fn rate(summary: &WorkloadSummary) -> Option<PropertyValue> {
    match summary.rates.as_slice() {
        [] => None,
        [one] => Some(match one.asked {
            Rate::Iops(iops) => PropertyValue::Iops(iops),
            Rate::Bytes(bytes) => PropertyValue::BytesPerS(bytes as f64),
        }),
        several => {
            let each = several.iter().map(|rate| match rate.asked {
                Rate::Iops(iops) => format!("{} {}", iops, rate.what()),
                Rate::Bytes(bytes) => format!("{bytes} bytes/s {}", rate.what()),
            });
            Some(each.collect::<Vec<_>>().join(", ").into())
        }
    }
}

fn flushes(plan: &Workload) -> Option<PropertyValue> {
    let sync = &plan.blocks().sync;
    let each = [
        ("fsync", sync.fsync_every),
        ("fdatasync", sync.fdatasync_every),
    ];
    let each = each.into_iter().filter(|(_, every)| *every > 0);
    let words: Vec<String> = each
        .map(|(what, every)| format!("{what} after {every} writes"))
        .collect();
    (!words.is_empty()).then(|| words.join(", ").into())
}

fn pauses(plan: &Workload) -> Option<PropertyValue> {
    let think = plan.think?;
    let changes = matches!(&plan.pace, Pace::Open { schedule, .. } if !schedule.is_empty());
    let more = if changes { ", rate changes" } else { "" };
    Some(format!("{} after {} I/Os{more}", think.pause, think.every).into())
}

/// What is known of the hosts and targets of a run.
fn environment(run: &Run) -> Properties {
    let mut all = Properties::new();
    let mut add = |key: Property, values: Vec<String>| {
        let mut distinct: Vec<String> = Vec::new();
        for value in values {
            if !value.is_empty() && !distinct.contains(&value) {
                distinct.push(value);
            }
        }
        if !distinct.is_empty() {
            all.insert(key, distinct.join(", ").into());
        }
    };
    let facts = |key: FactKey<'static>| run.facts.iter().filter(move |f| f.key() == key);
    let texts = |key| facts(key).map(|f| f.value.to_string()).collect::<Vec<_>>();
    add(Property::Machine, texts(FactKey::MACHINE_SIZE));
    add(Property::Kernel, texts(FactKey::KERNEL_RELEASE));
    add(Property::Cpu, texts(FactKey::CPU_MODEL));
    add(Property::Hosts, texts(FactKey::HOST_NAME));
    let version = texts(FactKey::VERSION).into_iter();
    add(
        Property::Tool,
        version.map(|v| format!("leadline {v}")).collect(),
    );
    add(Property::Mount, mounts(run));
    let devices = facts(FactKey::DEVICE_KIND).chain(facts(FactKey::DEVICE_MODEL));
    add(
        Property::Device,
        devices.map(|f| f.value.to_string()).collect(),
    );
    add(Property::Target, targets(run));
    let number = |key| facts(key).next();
    let cpus = number(FactKey::CPU_COUNT).and_then(|f| f.value.count());
    all.extend(cpus.map(|n| (Property::CpuCount, PropertyValue::Count(n))));
    let memory = number(FactKey::MEMORY).and_then(|f| f.value.bytes());
    all.extend(memory.map(|m| (Property::Memory, PropertyValue::Bytes(m))));
    all
}

/// Kind and options of the file systems that hold targets.
fn mounts(run: &Run) -> Vec<String> {
    let kinds = run.facts.iter().filter(|f| f.key() == FactKey::FILE_SYSTEM);
    let of = |subject: &str, key: FactKey<'_>| {
        let mut found = run
            .facts
            .iter()
            .filter(|f| f.subject == subject && f.key() == key);
        found
            .next()
            .map(|f| format!(" {}", f.value))
            .unwrap_or_default()
    };
    let all = kinds.map(|kind| {
        let options = of(&kind.subject, FactKey::MOUNT_OPTIONS);
        let own = of(&kind.subject, FactKey::FILE_SYSTEM_OPTIONS);
        format!("{}{options}{own}", kind.value)
    });
    all.collect()
}

fn targets(run: &Run) -> Vec<String> {
    let stages = run.plan.iter().flat_map(|plan| &plan.stages);
    let workloads = stages.flat_map(|stage| &stage.workloads);
    workloads
        .flat_map(|w| match &w.blocks().target {
            Target::Paths(paths) => paths.clone(),
            Target::Files(set) => set.directories.clone(),
            Target::Null { .. } => vec!["nothing".to_owned()],
            Target::Simulated(_) => vec!["a simulated volume".to_owned()],
        })
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
    let grade = Grades::of_run(run).run;
    if grade.is_as_bad_as('F') {
        all.push(format!("grade {}: {}", grade.letter, grade.sentence()));
    }
    all
}

impl From<&str> for PropertyValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for PropertyValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

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
        // 15,000 samples: p99 stands, p99.99 does not.
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
            Some("fsync after 100 writes")
        );
        let env = |key| subject.properties.get(&key).map(ToString::to_string);
        assert_eq!(env(Property::Kernel).as_deref(), Some("6.18.0"));
        assert_eq!(env(Property::Cpu).as_deref(), Some("Example 9000"));
        assert_eq!(env(Property::Mount).as_deref(), Some("ext4 rw,relatime"));
        assert_eq!(env(Property::Target).as_deref(), Some("demo"));
    }
}
