//! The keys of the JSON form, in order.

use super::figures::{FiguresView, figures};
use super::parts::{self, BalanceView, FactView, HostView, StageHostView, TargetView};
use super::study::{self, StudyView};
use super::verdict::{self, VerdictView};
use crate::run::Run;
use crate::summary::{
    Figures, Part, Point, PointOp, StageSummary, Stalls, WorkloadSummary, by_workload, kernel,
    labels, summarize, workers,
};
use crate::trust::grade::Grades;
use leadline_model::event::{DiskUse, Outcome};
use leadline_model::failure::Failure;
use leadline_model::finding::Finding;
use leadline_model::op::Op;
use leadline_model::plan::{DEFAULT_PERCENTILES, Plan, Rate};
use leadline_model::sample::{EndReason, WorkerTotals};
use leadline_model::units::Nanos;
use serde::Serialize;
use std::collections::BTreeMap;

/// A whole run.
#[derive(Serialize)]
pub(super) struct RunView<'a> {
    form: u32,
    leadline: &'static str,
    title: &'a str,
    wall_ms: u64,
    length_ns: u64,
    outcome: &'static str,
    failure: Option<&'a Failure>,
    verdict: VerdictView,
    study: Option<StudyView>,
    findings: Vec<Finding>,
    hosts: Vec<HostView<'a>>,
    stages: Vec<StageView<'a>>,
    facts: Vec<FactView<'a>>,
    plan: Option<&'a Plan>,
}

#[derive(Serialize)]
struct StageView<'a> {
    stage: u32,
    name: String,
    start_ns: u64,
    end_ns: Option<u64>,
    wall_ms: u64,
    depth_asked: u64,
    figures: FiguresView,
    series: Vec<PointView>,
    workloads: Vec<WorkloadView>,
    hosts: Vec<StageHostView>,
    targets: Vec<TargetView>,
    balance: Option<BalanceView>,
    disks: &'a [DiskUse],
    page_cache_hits: Option<f64>,
    own_io: Vec<parts::OwnIoView>,
    counted: Vec<FactView<'a>>,
}

#[derive(Serialize)]
struct WorkloadView {
    workload: u32,
    name: String,
    group: u32,
    grade: char,
    grade_reason: String,
    depth_asked: u64,
    labels: BTreeMap<&'static str, String>,
    rates: Vec<RateView>,
    stalls: Option<StallsView>,
    figures: FiguresView,
    series: Vec<PointView>,
    workers: Vec<WorkerView>,
}

#[derive(Serialize)]
struct RateView {
    op: &'static str,
    unit: &'static str,
    asked: f64,
    reached: f64,
}

/// When the target stood still.
#[derive(Serialize)]
struct StallsView {
    times: usize,
    first_ns: u64,
    longest_ns: u64,
    total_ns: u64,
    every_ns: Option<u64>,
    iops_between: f64,
    often: bool,
}

impl StallsView {
    fn of(found: &Stalls) -> Self {
        Self {
            times: found.times,
            first_ns: found.first.0,
            longest_ns: found.longest.0,
            total_ns: found.total.0,
            every_ns: found.every.map(|every| every.0),
            iops_between: found.iops,
            often: found.often,
        }
    }
}

#[derive(Serialize)]
struct WorkerView {
    host: u32,
    worker: u32,
    thread_id: i32,
    seed: u64,
    first_submit_ns: Option<u64>,
    window_start_ns: u64,
    window_end_ns: u64,
    end: &'static str,
    failure: Option<Failure>,
    errors: Vec<ErrorView>,
    voluntary: u64,
    involuntary: u64,
    major_faults: u64,
    minor_faults: u64,
    figures: FiguresView,
}

#[derive(Serialize)]
struct ErrorView {
    op: Op,
    number: i32,
    times: u64,
}

#[derive(Serialize)]
struct PointView {
    interval: u64,
    start_ns: u64,
    length_ns: u64,
    warmup: bool,
    ops: BTreeMap<&'static str, PointOpView>,
}

#[derive(Serialize)]
struct PointOpView {
    ios: u64,
    bytes: u64,
    iops: f64,
    bytes_per_s: f64,
    mean_ns: f64,
    p50_ns: Option<u64>,
    p99_ns: Option<u64>,
    max_ns: u64,
    response_p99_ns: Option<u64>,
    response_max_ns: Option<u64>,
}

/// The view of a run.
pub(super) fn of(run: &Run) -> RunView<'_> {
    let (outcome, failure) = match &run.outcome {
        Some(Outcome::Complete) => ("complete", None),
        Some(Outcome::CutShort) => ("cut short", None),
        Some(Outcome::Failed(failure)) => ("failed", Some(failure)),
        None => ("not finished", None),
    };
    let findings = run.findings.clone();
    let grades = Grades::of_run(run);
    let summary = summarize(run);
    let study = study::of(run, &summary);
    // A study says what its points mean together.
    let points = match &study {
        Some(_) => Vec::new(),
        None => summary.points(run),
    };
    let verdict = verdict::of(&points, &findings, &grades.run);
    let stages = run.stages.iter().zip(summary.stages);
    RunView {
        form: super::FORM,
        leadline: env!("CARGO_PKG_VERSION"),
        title: run.plan.as_ref().map_or("", |p| &p.title),
        wall_ms: run.wall_ms,
        length_ns: run.length.0,
        outcome,
        failure,
        verdict,
        study,
        findings,
        hosts: parts::hosts(run),
        stages: stages
            .map(|(of, summary)| stage(run, of, summary, &grades))
            .collect(),
        facts: run.facts.iter().map(parts::fact).collect(),
        plan: run.plan.as_ref(),
    }
}

fn stage<'a>(
    run: &Run,
    stage: &'a crate::run::StageRun,
    summary: StageSummary,
    grades: &Grades,
) -> StageView<'a> {
    let planned = crate::summary::planned(run, stage.stage);
    let parts = by_workload(stage, summary.workloads.len());
    let workloads = summary.workloads.iter().zip(&parts).map(|(w, part)| {
        let percents = planned
            .and_then(|p| p.workloads.get(w.workload as usize))
            .map_or(&DEFAULT_PERCENTILES[..], |p| &p.percentiles);
        let grade = grades.point(stage.stage, w.workload);
        let mut view = workload(part, w, percents);
        (view.grade, view.grade_reason) = match grade {
            Some(grade) => (grade.letter, grade.reason.clone()),
            None => ('-', String::new()),
        };
        view
    });
    StageView {
        stage: stage.stage,
        start_ns: stage.start.0,
        end_ns: stage.end.map(|e| e.0),
        wall_ms: stage.wall_ms,
        depth_asked: summary.depth_asked,
        figures: figures(&summary.figures, &DEFAULT_PERCENTILES),
        series: summary.series.iter().map(point).collect(),
        workloads: workloads.collect(),
        hosts: summary.hosts.iter().map(parts::stage_host).collect(),
        targets: summary.targets.iter().map(parts::target).collect(),
        balance: summary.balance.map(parts::balance),
        disks: &stage.disks,
        page_cache_hits: kernel::page_cache_hits(run, stage),
        own_io: kernel::hosts(run, stage)
            .iter()
            .map(parts::own_io)
            .collect(),
        counted: stage.counted.iter().map(parts::fact).collect(),
        name: summary.name,
    }
}

fn workload(part: &Part<'_>, summary: &WorkloadSummary, percents: &[f64]) -> WorkloadView {
    let rates = summary.rates.iter().map(|rate| RateView {
        op: rate.what(),
        unit: match rate.asked {
            Rate::Iops(_) => "iops",
            Rate::Bytes(_) => "bytes_per_s",
        },
        asked: rate.asked_value(),
        reached: rate.reached,
    });
    let each = part.workers.iter().zip(workers(part, summary));
    WorkloadView {
        workload: summary.workload,
        name: summary.name.clone(),
        group: summary.group,
        grade: '-',
        grade_reason: String::new(),
        depth_asked: summary.depth_asked,
        labels: labels::AXES
            .into_iter()
            .zip(summary.labels.texts())
            .collect(),
        rates: rates.collect(),
        stalls: summary.sure_stalls().map(StallsView::of),
        figures: figures(&summary.figures, percents),
        series: summary.series.iter().map(point).collect(),
        workers: each.map(|(w, of)| worker(w, &of, percents)).collect(),
    }
}

fn worker(totals: &WorkerTotals, of: &Figures, percents: &[f64]) -> WorkerView {
    let (end, failure) = match &totals.end {
        EndReason::Time => ("time", None),
        EndReason::Size => ("size", None),
        EndReason::Ios => ("ios", None),
        EndReason::Full => ("full", None),
        EndReason::Other => ("other", None),
        EndReason::Interrupted => ("interrupted", None),
        EndReason::Error {
            code, what, cure, ..
        } => (
            "error",
            Some(Failure::new(*code, what.clone(), cure.clone())),
        ),
    };
    let errors = totals
        .errors
        .iter()
        .map(|&(op, number, times)| ErrorView { op, number, times });
    WorkerView {
        host: totals.host,
        worker: totals.worker,
        thread_id: totals.thread_id,
        seed: totals.seed,
        first_submit_ns: totals.first_submit.map(|t| t.0),
        window_start_ns: totals.window_start.0,
        window_end_ns: totals.window_end.0,
        end,
        failure,
        errors: errors.collect(),
        voluntary: totals.cpu.voluntary,
        involuntary: totals.cpu.involuntary,
        major_faults: totals.cpu.major_faults,
        minor_faults: totals.cpu.minor_faults,
        figures: figures(of, percents),
    }
}

fn point(point: &Point) -> PointView {
    let ops = point.ops.iter().map(|(op, of)| (op.name(), point_op(of)));
    PointView {
        interval: point.interval,
        start_ns: point.start.0,
        length_ns: point.length.0,
        warmup: point.warmup,
        ops: ops.collect(),
    }
}

fn point_op(op: &PointOp) -> PointOpView {
    let shown = |p: Option<crate::summary::Percentile>| p.and_then(|p| p.shown()).map(|v| v.0);
    PointOpView {
        ios: op.ios,
        bytes: op.bytes,
        iops: op.iops,
        bytes_per_s: op.bytes_per_s,
        mean_ns: op.mean_ns,
        p50_ns: shown(op.p50),
        p99_ns: shown(op.p99),
        max_ns: op.max.0,
        response_p99_ns: shown(op.response_p99),
        response_max_ns: op.response_max.map(|Nanos(n)| n),
    }
}
