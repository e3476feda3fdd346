//! A run cut into the records that fio's outputs show: one for each worker, or one for all workers of
//! a report group that is merged.

use super::samples::{Spread, spread};
use super::warmup;
use crate::original::{Directions, Shown};
use leadline_model::op::Op;
use leadline_model::plan::{Given, Workload};
use leadline_model::sample::{Counts, CpuUse, EndReason, OpCounts, Sample, WorkerTotals};
use leadline_model::units::Nanos;
use leadline_results::run::{Run, StageRun};
use leadline_results::summary::window::own;
use leadline_results::summary::{Part, Window, by_workload, planned};

/// One record: a job in fio's words.
#[derive(Clone, Debug)]
pub(super) struct Record<'a> {
    /// The pattern of its first worker.
    pub(super) plan: &'a Workload,
    /// What is shown of it.
    pub(super) shown: Shown,
    /// It is of one worker, and not of the first.
    pub(super) clone: bool,
    /// How many workers are in it.
    pub(super) jobs: usize,
    /// Kernel thread id of the first; 0 = it did not end normally.
    pub(super) thread_id: i32,
    /// Wall clock at the start of the measured window, milliseconds since 1970 UTC.
    pub(super) start_ms: u64,
    /// Wall clock at the end, milliseconds since 1970 UTC.
    pub(super) end_ms: u64,
    /// From the start of the stage to the end, with the warm-up.
    pub(super) elapsed: Nanos,
    /// Longest window.
    pub(super) window: Nanos,
    /// Sum of all windows.
    pub(super) windows: Nanos,
    /// Everything counted.
    pub(super) counts: Counts,
    /// Interval rates by [`Side::index`].
    pub(super) spreads: BySide<Spread>,
    /// Processor time, summed.
    pub(super) cpu: CpuUse,
    /// First error that ended a worker; 0 = none.
    pub(super) error: i32,
    /// Errors that were ignored: how many, and the first one's number.
    pub(super) passed_over: (u64, i32),
    /// Due I/Os that were never submitted.
    pub(super) unissued: u64,
    /// Last first submission minus first one.
    pub(super) start_skew: Nanos,
}

impl Record<'_> {
    /// The same counts of another pattern.
    pub(super) fn by(self, plan: &Workload) -> Record<'_> {
        Record {
            plan,
            shown: Shown::of(plan),
            clone: self.clone,
            jobs: self.jobs,
            thread_id: self.thread_id,
            start_ms: self.start_ms,
            end_ms: self.end_ms,
            elapsed: self.elapsed,
            window: self.window,
            windows: self.windows,
            counts: self.counts,
            spreads: self.spreads,
            cpu: self.cpu,
            error: self.error,
            passed_over: self.passed_over,
            unissued: self.unissued,
            start_skew: self.start_skew,
        }
    }

    /// Name shown.
    pub(super) fn name(&self) -> &str {
        match &self.shown.clone_name {
            Some(name) if self.clone => name,
            _ => &self.plan.name,
        }
    }

    /// Options given for it, as the user wrote them.
    pub(super) fn given(&self) -> &[Given] {
        &self.plan.given
    }

    /// I/Os and bytes of one direction.
    pub(super) fn amount(&self, side: Side) -> (u64, u64) {
        let ops = side.ops().iter().filter_map(|&op| self.counts.op(op));
        ops.fold((0, 0), |sum, op| (sum.0 + issued(op), sum.1 + op.bytes))
    }

    /// Everything counted in one direction; empty when it did not occur.
    pub(super) fn side(&self, side: Side) -> OpCounts {
        let mut all = OpCounts::default();
        let ops = side.ops().iter().filter_map(|&op| self.counts.op(op));
        ops.for_each(|op| all.merge(op));
        all
    }

    /// Bytes a second of one direction.
    pub(super) fn bytes_per_s(&self, side: Side) -> f64 {
        per_second(self.amount(side).1, self.window)
    }

    /// I/Os a second of one direction; 0 where nothing was moved.
    pub(super) fn iops(&self, side: Side) -> f64 {
        match self.amount(side) {
            (_, 0) => 0.0,
            (ios, _) => per_second(ios, self.window),
        }
    }

    /// Length of the window in whole milliseconds for a direction that moved data; 0 for one that did not.
    pub(super) fn runtime_ms(&self, side: Side) -> u64 {
        match self.amount(side) {
            (_, 0) => 0,
            _ => whole_ms(self.window),
        }
    }

    /// Directions that are shown, by the user's choice.
    pub(super) fn sides(&self) -> &'static [Side] {
        match self.shown.directions {
            Directions::Separate => &Side::ALL[..3],
            Directions::Mixed => &Side::ALL[3..],
            Directions::Both => &Side::ALL,
        }
    }
}

/// I/Os that were asked for: fio counts those that failed, too.
pub(super) const fn issued(op: &OpCounts) -> u64 {
    op.ios + op.errors
}

/// A direction of the data, or all of them summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Read, write or trim.
    Only(Op),
    /// All three.
    Mixed,
}

/// A value for each of [`Side::ALL`].
pub(super) type BySide<T> = [T; Side::ALL.len()];

impl Side {
    /// All of them, by [`Side::index`].
    pub(super) const ALL: [Self; 4] = [
        Self::Only(Op::Read),
        Self::Only(Op::Write),
        Self::Only(Op::Trim),
        Self::Mixed,
    ];

    /// Position in values by side. Syncs have no values of their own.
    pub(super) const fn index(self) -> usize {
        match self {
            Self::Only(Op::Read) => 0,
            Self::Only(Op::Write) => 1,
            Self::Only(Op::Trim) => 2,
            Self::Mixed | Self::Only(Op::Sync) => 3,
        }
    }

    /// fio's name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Only(op) => op.name(),
            Self::Mixed => "mixed",
        }
    }

    /// The operations in it.
    pub(super) const fn ops(self) -> &'static [Op] {
        match self {
            Self::Only(Op::Read) => &[Op::Read],
            Self::Only(Op::Write) => &[Op::Write],
            Self::Only(Op::Trim) => &[Op::Trim],
            Self::Only(Op::Sync) => &[Op::Sync],
            Self::Mixed => &Op::BLOCK,
        }
    }
}

/// Interval rates of every direction.
fn spreads(
    samples: &[&Sample],
    only: Option<&WorkerTotals>,
    window: (Nanos, Nanos),
) -> BySide<Spread> {
    let of = |side: Side| spread(samples, side.ops(), only, window);
    let [read, write, trim] = Op::BLOCK.map(|op| of(Side::Only(op)));
    [read, write, trim, of(Side::Mixed)]
}

/// Rounded to milliseconds, at least 1.
pub(super) fn whole_ms(span: Nanos) -> u64 {
    ((span.0 + 500_000) / 1_000_000).max(1)
}

/// `count` in `span`, a second; 0 for an empty span.
pub(super) fn per_second(count: u64, span: Nanos) -> f64 {
    if span == Nanos::ZERO {
        0.0
    } else {
        count as f64 / span.as_secs_f64()
    }
}

/// The records of a run, in the order of the plan.
pub(super) fn records(run: &Run) -> Vec<Record<'_>> {
    let mut records: Vec<Record<'_>> = Vec::new();
    // Merged groups seen so far: (group, position of the record).
    let mut merged: Vec<(u32, usize)> = Vec::new();
    for stage in &run.stages {
        let workloads = planned(run, stage.stage).map_or(&[][..], |p| &p.workloads);
        for (plan, part) in workloads.iter().zip(by_workload(stage, workloads.len())) {
            if !plan.merge_group {
                records.extend(separate(stage, plan, &part));
                continue;
            }
            let record = together(stage, plan, &part);
            if let Some(&(_, at)) = merged.iter().find(|(group, _)| *group == plan.group) {
                join(&mut records[at], record);
            } else {
                merged.push((plan.group, records.len()));
                records.push(record);
            }
        }
    }
    records
}

/// One record for each worker; one for all when the workers did not end normally.
fn separate<'a>(stage: &StageRun, plan: &'a Workload, part: &Part<'_>) -> Vec<Record<'a>> {
    if part.workers.is_empty() {
        let all = unfinished(stage, plan, &part.samples);
        // No worker was to do I/O: each is there, as in fio.
        let each = if plan.blocks().prepare.create_only {
            plan.clones
        } else {
            1
        };
        let jobs = all.jobs / each.max(1) as usize;
        let mut records = vec![Record { jobs, ..all }; each as usize];
        records.iter_mut().skip(1).for_each(|r| r.clone = true);
        return records;
    }
    // In fio's order, which is not that in which they ended.
    let mut workers = part.workers.clone();
    workers.sort_by_key(|worker| (worker.host, worker.worker));
    let of = |worker: &&WorkerTotals| Record {
        clone: worker.worker > 0,
        ..of_workers(stage, plan, &[*worker], &part.samples)
    };
    workers.iter().map(of).collect()
}

fn together<'a>(stage: &StageRun, plan: &'a Workload, part: &Part<'_>) -> Record<'a> {
    if part.workers.is_empty() {
        unfinished(stage, plan, &part.samples)
    } else {
        of_workers(stage, plan, &part.workers, &part.samples)
    }
}

fn of_workers<'a>(
    stage: &StageRun,
    plan: &'a Workload,
    workers: &[&WorkerTotals],
    samples: &[&Sample],
) -> Record<'a> {
    let mut window = Window::of(workers.iter().copied());
    let mut counts = Counts::default();
    let mut cpu = CpuUse::default();
    let mut windows = Nanos::ZERO;
    for worker in workers {
        counts.merge(&worker.counts);
        cpu.merge(&worker.cpu);
        let (start, end) = match warmup::span(worker) {
            Some(span) => {
                counts.merge(&warmup::counts(worker, samples));
                span
            }
            None => own(worker),
        };
        windows.0 += end.since(start).0;
        if warmup::span(worker).is_some() {
            window.longest = window.longest.max(end.since(start));
            window.first = window.first.min(start);
        }
    }
    let only = match workers {
        [one] if plan.clones > 1 => Some(*one),
        _ => None,
    };
    Record {
        plan,
        shown: Shown::of(plan),
        clone: false,
        jobs: workers.len(),
        thread_id: workers.first().map_or(0, |w| w.thread_id),
        start_ms: stage.wall_ms + window.first.as_millis(),
        end_ms: stage.wall_ms + window.last.as_millis(),
        elapsed: window.last,
        window: window.longest,
        windows,
        spreads: spreads(samples, only, (window.first, window.last)),
        cpu,
        error: workers
            .iter()
            .map(|w| fatal(w))
            .find(|&e| e != 0)
            .unwrap_or(0),
        passed_over: passed_over(workers),
        unissued: workers.iter().map(|w| w.unissued).sum(),
        start_skew: window.start_skew,
        counts,
    }
}

/// A workload whose workers did not end: what its intervals show.
fn unfinished<'a>(stage: &StageRun, plan: &'a Workload, samples: &[&Sample]) -> Record<'a> {
    let mut counts = Counts::default();
    let measured: Vec<_> = samples.iter().filter(|s| !s.warmup).collect();
    measured.iter().for_each(|s| counts.merge(&s.counts));
    let first = measured.first().map_or(Nanos::ZERO, |s| s.start);
    let last = measured
        .last()
        .map_or(first, |s| Nanos(s.start.0 + s.length.0));
    Record {
        plan,
        shown: Shown::of(plan),
        clone: false,
        jobs: plan.clones as usize,
        thread_id: 0,
        start_ms: stage.wall_ms + first.as_millis(),
        end_ms: stage.wall_ms + last.as_millis(),
        elapsed: last,
        window: last.since(first),
        windows: Nanos(last.since(first).0 * u64::from(plan.clones)),
        counts,
        spreads: spreads(samples, None, (first, last)),
        cpu: CpuUse::default(),
        error: 0,
        passed_over: (0, 0),
        unissued: 0,
        start_skew: Nanos::ZERO,
    }
}

/// Adds a record of the same merged group. Workloads of one group run side by side or one after the
/// other; as in fio the window is the longest one, and interval rates add up.
pub(super) fn join(into: &mut Record<'_>, other: Record<'_>) {
    into.jobs += other.jobs;
    into.end_ms = into.end_ms.max(other.end_ms);
    into.elapsed = into.elapsed.max(other.elapsed);
    into.window = into.window.max(other.window);
    into.windows.0 += other.windows.0;
    into.counts.merge(&other.counts);
    for (mine, theirs) in into.spreads.iter_mut().zip(&other.spreads) {
        mine.join(theirs);
    }
    into.cpu.merge(&other.cpu);
    if into.error == 0 {
        into.error = other.error;
    }
    into.passed_over.0 += other.passed_over.0;
    if into.passed_over.1 == 0 {
        into.passed_over.1 = other.passed_over.1;
    }
    into.unissued += other.unissued;
    into.start_skew = into.start_skew.max(other.start_skew);
}

/// Percent of the windows of all workers that this much processor time is; 0 of windows of no length.
pub(super) fn of_windows(record: &Record<'_>, time: Nanos) -> f64 {
    if record.windows == Nanos::ZERO {
        return 0.0;
    }
    time.0 as f64 * 100.0 / record.windows.0 as f64
}

/// The error that ended a worker; 0 = none did.
pub(super) fn fatal(worker: &WorkerTotals) -> i32 {
    match worker.end {
        EndReason::Error { errno, .. } => errno.max(1),
        _ => 0,
    }
}

fn passed_over(workers: &[&WorkerTotals]) -> (u64, i32) {
    let all = workers.iter().flat_map(|w| &w.errors);
    let total = all.clone().map(|(_, _, times)| times).sum();
    (total, all.map(|(_, number, _)| *number).next().unwrap_or(0))
}
