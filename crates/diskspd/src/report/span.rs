//! What one time span did, put together by thread and target.
//!
//! Belongs here: which worker is which row, which interval falls into which bucket. Must never: lay out.

use super::number::{deviation, rate};
use super::waits::Waits;
use crate::original::{PlanOriginal, WorkloadOriginal};
use crate::profile::TimeSpan;
use leadline_model::facts::FactKey;
use leadline_model::latency::Latency;
use leadline_model::op::{Op, OpMap};
use leadline_model::plan::{Amount, Distribution, FileChoice, Stage, Target, Workload};
use leadline_model::sample::{Counts, EndReason, Moments, Sample, WorkerTotals};
use leadline_model::units::Nanos;
use leadline_results::run::{Run, StageRun};
use leadline_results::summary;
use leadline_results::summary::hosts::of_file;

/// Reads and writes of a bucket.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bucket {
    pub(super) read: Moments,
    pub(super) write: Moments,
}

impl Bucket {
    fn merge(&mut self, other: &Self) {
        self.read.merge(&other.read);
        self.write.merge(&other.write);
    }
}

/// Which I/Os a table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Total,
    Read,
    Write,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Total, Self::Read, Self::Write];

    fn ops(self) -> &'static [Op] {
        match self {
            Self::Total => &[Op::Read, Op::Write],
            Self::Read => &[Op::Read],
            Self::Write => &[Op::Write],
        }
    }

    /// Its I/Os in a bucket.
    pub(super) fn of(self, bucket: &Bucket) -> Moments {
        match self {
            Self::Total => {
                let mut sum = bucket.read;
                sum.merge(&bucket.write);
                sum
            }
            Self::Read => bucket.read,
            Self::Write => bucket.write,
        }
    }
}

/// The I/Os of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    pub(super) ios: u64,
    pub(super) bytes: u64,
    pub(super) latency: Latency,
    /// From the intended start, where that is apart.
    pub(super) response: Option<Latency>,
}

impl Side {
    pub(super) fn of(counts: &Counts, kind: Kind) -> Self {
        let mut all = leadline_model::sample::OpCounts::default();
        for op in kind.ops().iter().filter_map(|&op| counts.op(op)) {
            all.merge(op);
        }
        Self {
            ios: all.ios,
            bytes: all.bytes,
            latency: all.service,
            response: all.response,
        }
    }

    /// Mean and standard deviation (of the population) of the latency in nanoseconds.
    pub(super) fn spread(&self) -> (f64, f64) {
        let l = &self.latency;
        let deviation = deviation(l.count() as f64, l.sum as f64, l.sum_squares);
        (l.mean(), deviation)
    }
}

/// A thread and a target.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) thread: u32,
    pub(super) path: String,
    /// Bytes; `None` = not known.
    pub(super) size: Option<u64>,
    /// Its place among the workloads.
    pub(super) workload: usize,
    /// Its place among the files of a workload that counts them apart.
    pub(super) file: Option<usize>,
    pub(super) counts: Counts,
    /// `None` = not kept by thread.
    pub(super) series: Option<Vec<Bucket>>,
    /// Mean number of I/Os in flight.
    pub(super) queue: f64,
    /// Most there may be.
    pub(super) depth: u32,
}

/// A time span.
pub(super) struct Span<'a> {
    /// From 1.
    pub(super) number: usize,
    pub(super) run: &'a Run,
    pub(super) stage: &'a StageRun,
    pub(super) plan: &'a Stage,
    /// The time that rates are over, in seconds; 0 = nothing was measured.
    pub(super) seconds: f64,
    /// From the first start to the last end, in seconds.
    pub(super) whole: f64,
    /// Whether it reached its measurement; one that was to last no time did.
    pub(super) began: bool,
    /// By thread, then by target.
    pub(super) rows: Vec<Row>,
    pub(super) total: Counts,
    pub(super) threads: u32,
    /// Most I/Os in flight of all threads together.
    pub(super) depth: u64,
    /// `-O`, where it is in effect; else 0.
    pub(super) requests: u64,
    pub(super) latency: bool,
    /// What threads waited for, by thread, and whether that is asked for.
    pub(super) waits: Vec<Waits>,
    pub(super) verbose_stats: bool,
    /// Whether deviations of IOPS are asked for.
    pub(super) deviations: bool,
    pub(super) bucket: Nanos,
    pub(super) series: Vec<Bucket>,
}

/// The time spans of a run, in the order they ran.
pub(super) fn all(run: &Run) -> Vec<Span<'_>> {
    let original = run.plan.as_ref().and_then(PlanOriginal::of);
    let mut spans = Vec::new();
    for stage in &run.stages {
        if let Some(plan) = summary::planned(run, stage.stage) {
            spans.push(Span::of(
                run,
                stage,
                plan,
                original.as_ref(),
                spans.len() + 1,
            ));
        }
    }
    spans
}

impl<'a> Span<'a> {
    fn of(
        run: &'a Run,
        stage: &'a StageRun,
        plan: &'a Stage,
        original: Option<&PlanOriginal>,
        number: usize,
    ) -> Self {
        let figures = summary::summarize_stage(run, stage).figures;
        let whole = if stage.workers.is_empty() {
            figures.span
        } else {
            figures.window.whole()
        };
        // The time over which the rates are counted: the same for all rows, and bytes over it give them.
        let seconds = if figures.data.iops > 0.0 {
            figures.data.ios as f64 / figures.data.iops
        } else {
            whole.as_secs_f64()
        };
        let asked = original.and_then(|o| o.span(plan));
        let bucket = Buckets::of(plan, asked, stage, run, whole);
        let mut total = Counts::default();
        stage.workers.iter().for_each(|w| total.merge(&w.counts));
        if stage.workers.is_empty() {
            let measured = stage.samples.iter().filter(|s| !s.warmup);
            measured.for_each(|s| total.merge(&s.counts));
        }
        let mut rows: Vec<Row> = stage
            .workers
            .iter()
            .flat_map(|w| rows_of(run, stage, plan, w, &bucket))
            .collect();
        rows.sort_by_key(|row| (row.thread, row.workload));
        let mut threads: Vec<u32> = rows.iter().map(|row| row.thread).collect();
        threads.dedup();
        let series = bucket.fill(&stage.samples, |sample| Some(pair(&sample.counts)));
        let pool = asked.filter(|span| span.thread_count > 0);
        Self {
            number,
            run,
            stage,
            plan,
            seconds,
            whole: whole.as_secs_f64(),
            began: began(stage, asked),
            rows,
            total,
            threads: u32::try_from(threads.len()).unwrap_or(u32::MAX),
            depth: depth_of(stage, plan),
            requests: pool.map_or(0, |span| u64::from(span.request_count)),
            latency: asked.is_some_and(|span| span.measure_latency),
            waits: Waits::of(stage, plan, |workload, worker| {
                thread_of(plan, workload as usize, worker)
            }),
            verbose_stats: original.is_some_and(|o| o.profile.verbose_stats),
            deviations: asked.is_some_and(|span| span.iops_std_dev),
            bucket: bucket.length,
            series: series.unwrap_or_default(),
        }
    }

    /// Standard deviation of the I/Os a second of these buckets.
    pub(super) fn deviation(&self, series: &[Bucket], kind: Kind) -> f64 {
        let ios = series.iter().map(|b| kind.of(b).ios as f64);
        let (sum, squares) = ios.fold((0.0, 0.0), |(s, q), n| (s + n, q + n * n));
        let spread = deviation(series.len() as f64, sum, squares);
        rate(spread, self.bucket.as_secs_f64())
    }

    /// The targets, each once, in the order they were given.
    pub(super) fn paths(&self) -> Vec<&str> {
        let mut order: Vec<(usize, &str)> = self
            .rows
            .iter()
            .map(|row| (row.workload, row.path.as_str()))
            .collect();
        order.sort_by_key(|&(workload, _)| workload);
        let mut paths: Vec<&str> = Vec::new();
        for (_, path) in order {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// Everything that went to a target.
    pub(super) fn of_path(&self, path: &str) -> Counts {
        let mut sum = Counts::default();
        let rows = self.rows.iter().filter(|row| row.path == path);
        rows.for_each(|row| sum.merge(&row.counts));
        sum
    }

    /// Where the I/Os of a row went by `-rd`, in bytes: (percent, from, to), parts without I/O left out.
    /// Edges lie on multiples of the block, as DISKSPD places them.
    pub(super) fn parts_of(&self, row: &Row) -> Vec<(f64, u64, u64)> {
        let Some(workload) = self.plan.workloads.get(row.workload) else {
            return Vec::new();
        };
        let workload = workload.of_file(row.file.unwrap_or(usize::MAX));
        let (Distribution::Zoned(zones), Some(size)) =
            (&workload.blocks().access.distribution.read, row.size)
        else {
            return Vec::new();
        };
        let base = workload.blocks().region.offset.of(size);
        let end = workload
            .blocks()
            .region
            .end
            .map_or(size, |end| end.min(size));
        let length = end.saturating_sub(base);
        let block = workload.blocks().largest().max(1);
        let (mut percent, mut bytes, mut from, mut parts) = (0_u32, 0_u64, 0_u64, Vec::new());
        for zone in zones {
            match zone.extent {
                Amount::Percent(p) => percent = percent.saturating_add(p).min(100),
                Amount::Bytes(n) => bytes = bytes.saturating_add(n),
            }
            let exact = bytes.saturating_add(Amount::Percent(percent).of(length));
            let to = exact.min(length) / block * block;
            if zone.access_percent > 0.0 {
                parts.push((zone.access_percent, base + from, base + to));
            }
            from = to;
        }
        parts
    }
}

/// Whether any worker reached its measured window.
fn began(stage: &StageRun, asked: Option<&TimeSpan>) -> bool {
    let measured = |s: &Sample| !s.warmup && s.length > Nanos::ZERO;
    let broken =
        |w: &WorkerTotals| matches!(w.end, EndReason::Interrupted | EndReason::Error { .. });
    stage.workers.iter().any(|w| w.window_end > w.window_start)
        || stage.workers.is_empty() && stage.samples.iter().any(measured)
        || asked.is_some_and(|span| span.duration == 0)
            && !stage.workers.is_empty()
            && !stage.workers.iter().any(broken)
}

/// Most I/Os that all workers of a stage together have in flight.
fn depth_of(stage: &StageRun, plan: &Stage) -> u64 {
    let of = |w: &WorkerTotals| plan.workloads.get(w.workload as usize);
    let depths = stage.workers.iter().filter_map(of);
    depths.map(|w| u64::from(w.depth)).sum()
}

/// DISKSPD's number of a worker of a workload.
fn thread_of(plan: &Stage, index: usize, worker: u32) -> u32 {
    let workload = plan.workloads.get(index);
    let first = workload.and_then(|w| Some(WorkloadOriginal::of(w)?.first_thread));
    let before = || plan.workloads.iter().take(index).map(|w| w.clones).sum();
    first.unwrap_or_else(before) + worker
}

/// The rows of a worker: one for each of its targets where these were counted apart, else one.
fn rows_of(
    run: &Run,
    stage: &StageRun,
    plan: &Stage,
    worker: &WorkerTotals,
    buckets: &Buckets,
) -> Vec<Row> {
    let index = worker.workload as usize;
    let Some(workload) = plan.workloads.get(index) else {
        return Vec::new();
    };
    let apart = match &workload.blocks().target {
        Target::Paths(paths) if worker.files.len() == paths.len() => Some(paths),
        _ => None,
    };
    let row = |path: String, counts: &Counts, file: Option<usize>| Row {
        thread: thread_of(plan, index, worker.worker),
        size: size_of(run, &workload.of_file(file.unwrap_or(usize::MAX)), &path),
        path,
        workload: index,
        file,
        counts: counts.clone(),
        series: series_of(stage, workload, worker, file, buckets),
        queue: summary::of_worker(&of_file(worker, counts.clone())).depth_reached,
        depth: match (apart, &workload.blocks().access.file_choice) {
            (Some(paths), FileChoice::EachSlot) => file
                .and_then(|file| workload.blocks().parts.get(file))
                .map_or(workload.depth / files(paths), |part| part.slots),
            _ => workload.depth,
        },
    };
    match apart {
        Some(paths) => (0..)
            .zip(paths.iter().zip(&worker.files))
            .map(|(file, (path, counts))| row(path.clone(), counts, Some(file)))
            .collect(),
        None => vec![row(path_of(workload), &worker.counts, None)],
    }
}

fn files(paths: &[String]) -> u32 {
    u32::try_from(paths.len()).unwrap_or(u32::MAX).max(1)
}

/// The buckets of a worker, or of one of its files; `None` = not kept.
fn series_of(
    stage: &StageRun,
    workload: &Workload,
    worker: &WorkerTotals,
    file: Option<usize>,
    buckets: &Buckets,
) -> Option<Vec<Bucket>> {
    let mine = stage
        .samples
        .iter()
        .filter(|s| s.workload == worker.workload);
    let files = worker.files.len().max(1);
    let place = worker.worker as usize * files + file.unwrap_or(0);
    let alone = workload.clones == 1 && files == 1;
    buckets.fill(mine, |sample| match (alone, file) {
        (true, _) => Some(pair(&sample.counts)),
        (false, None) if files > 1 => None,
        (false, _) => sample.moments.get(place).map(bucket_of),
    })
}

fn bucket_of(moments: &OpMap<Moments>) -> Bucket {
    let of = |op| moments.get(op).copied().unwrap_or_default();
    Bucket {
        read: of(Op::Read),
        write: of(Op::Write),
    }
}

fn pair(counts: &Counts) -> Bucket {
    let of = |op| {
        let mut moments = Moments::default();
        counts.op(op).into_iter().for_each(|c| moments.add(c));
        moments
    };
    Bucket {
        read: of(Op::Read),
        write: of(Op::Write),
    }
}

fn path_of(workload: &Workload) -> String {
    match &workload.blocks().target {
        Target::Paths(paths) => paths.join(", "),
        _ => workload.name.clone(),
    }
}

/// As it was created, or as it was found; of the region when neither is known. A simulated target has the size of its law.
fn size_of(run: &Run, workload: &Workload, path: &str) -> Option<u64> {
    let created = match workload.blocks().region.file_size {
        Some((size, _)) => Some(size),
        None => WorkloadOriginal::of(workload).and_then(|w| w.file_size),
    };
    created.filter(|&n| n > 0).or_else(|| {
        let found = run
            .facts
            .iter()
            .find(|f| f.key() == FactKey::TARGET_SIZE && f.subject == path);
        let bytes = found.and_then(|f| f.value.bytes()).map(|bytes| bytes.0);
        let region = || {
            let size = workload.blocks().region.size?.of(0);
            (size > 0).then(|| workload.blocks().region.offset.of(0) + size)
        };
        let simulated = || match &workload.blocks().target {
            Target::Simulated(target) => Some(target.bytes()),
            _ => None,
        };
        bytes
            .or_else(region)
            .or_else(|| made_before(run, path))
            .or_else(simulated)
    })
}

/// The size a file got in another time span of the run, which was not there when the run began.
fn made_before(run: &Run, path: &str) -> Option<u64> {
    let stages = run.plan.iter().flat_map(|plan| &plan.stages);
    let all = stages.flat_map(|stage| &stage.workloads);
    let mut same = all
        .filter(|w| matches!(&w.blocks().target, Target::Paths(p) if p.iter().any(|p| p == path)));
    same.find_map(|w| WorkloadOriginal::of(w)?.file_size.filter(|&n| n > 0))
}

/// The buckets of a time span: they begin with the measured window.
struct Buckets {
    start: Nanos,
    length: Nanos,
    count: usize,
}

impl Buckets {
    fn of(
        plan: &Stage,
        span: Option<&TimeSpan>,
        stage: &StageRun,
        run: &Run,
        whole: Nanos,
    ) -> Self {
        let shortest = run.plan.as_ref().map_or(Nanos::SECOND, |p| p.interval);
        let length = span.map_or(Nanos::SECOND, |s| {
            Nanos::from_millis(u64::from(s.bucket_ms))
        });
        let length = length.max(shortest).max(Nanos(1));
        let asked = span.map(|s| Nanos::from_secs(u64::from(s.duration)));
        let asked = asked.or_else(|| {
            let times = plan.workloads.iter().filter_map(|w| w.stop.runtime);
            times.max()
        });
        let windows = stage.workers.iter().map(|w| w.window_start);
        let first = || stage.samples.iter().filter(|s| !s.warmup).map(|s| s.start);
        let start = windows.min().or_else(|| first().min()).unwrap_or_default();
        // A run that was cut short has no buckets of the time it did not have.
        let count = match asked {
            // Ticks become nanoseconds on their way here, and may lose one.
            Some(asked) if whole.0 + 1000 >= asked.0 => asked.0.div_ceil(length.0),
            _ => (whole.0 / length.0).max(u64::from(whole > Nanos::ZERO)),
        };
        Self {
            start,
            length,
            count: usize::try_from(count.min(10_000_000)).unwrap_or(0),
        }
    }

    /// The buckets filled from what `of` takes of each measured sample; `None` when it is not there.
    fn fill<'s>(
        &self,
        samples: impl IntoIterator<Item = &'s Sample>,
        of: impl Fn(&Sample) -> Option<Bucket>,
    ) -> Option<Vec<Bucket>> {
        let mut buckets = vec![Bucket::default(); self.count];
        for sample in samples.into_iter().filter(|s| !s.warmup) {
            let bucket = of(sample)?;
            let index = sample.start.since(self.start).0 / self.length.0;
            let slot = usize::try_from(index).ok().and_then(|i| buckets.get_mut(i));
            if let Some(slot) = slot {
                slot.merge(&bucket);
            }
        }
        Some(buckets)
    }
}
