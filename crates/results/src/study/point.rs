//! One measured point: what was set, what came out. The input of every study and of every curve.

use crate::run::{Run, StageRun};
use leadline_model::plan::{EngineKind, OpMix, Stage, Workload};
use leadline_model::sample::{Counts, OpCounts};
use leadline_model::units::{Nanos, Op};

/// What was set for a point: two points with equal settings are the same measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Share of reads, 0 to 100; `None` for trims.
    pub read_percent: Option<u8>,
    /// Block size in bytes (the largest when there are several).
    pub block: u64,
    /// Offsets jump rather than follow each other.
    pub random: bool,
    /// Most I/Os in flight of each worker, at least 1.
    pub depth: u32,
    /// Equal workers, at least 1.
    pub jobs: u32,
    /// Past the client's page cache.
    pub direct: bool,
    /// Back end.
    pub engine: EngineKind,
    /// A rate is set: the point is not a maximum.
    pub paced: bool,
}

impl Setting {
    /// The setting of a workload.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        Self {
            read_percent: match workload.mix {
                OpMix::Only(Op::Read) => Some(100),
                OpMix::Only(Op::Write) => Some(0),
                OpMix::ReadWrite { read_percent } => Some(read_percent),
                _ => None,
            },
            block: workload.sizes.max(),
            random: workload.access.order.is_random(),
            depth: workload.depth,
            jobs: workload.clones,
            direct: workload.open.direct,
            engine: workload.engine.kind,
            paced: workload.pace != leadline_model::plan::Pace::Closed,
        }
    }

    /// I/Os in flight over all workers, at most.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        let each = if self.engine.is_async() {
            self.depth
        } else {
            1
        };
        u64::from(each) * u64::from(self.jobs)
    }

    /// In words, shortest first: `4 KiB random read, depth 32, 4 jobs`.
    #[must_use]
    pub fn words(&self) -> String {
        let order = if self.random { "random" } else { "sequential" };
        let op = match self.read_percent {
            Some(100) => "read".to_owned(),
            Some(0) => "write".to_owned(),
            Some(p) => format!("{p} % read, {} % write", 100 - p),
            None => "trim".to_owned(),
        };
        let block = leadline_model::units::Bytes(self.block);
        let jobs = match self.jobs {
            1 => String::new(),
            n => format!(", {n} jobs"),
        };
        format!("{block} {order} {op}, depth {}{jobs}", self.depth)
    }
}

/// What was measured at one point.
#[derive(Clone, Debug)]
pub struct PointResult {
    /// Stage, from 0.
    pub stage: u32,
    /// Name of the stage (`latency/4k-randwrite-qd1`).
    pub name: String,
    /// What was set.
    pub setting: Setting,
    /// What was counted in the measured window, all workers merged.
    pub counts: Counts,
    /// Length of the measured window.
    pub window: Nanos,
    /// Time the stage took with its warm-up, or the window when it has no end.
    pub took: Nanos,
    /// Processor time of the busiest worker over its window, 0 to 1.
    pub cpu: f64,
    /// I/Os a second of each whole interval of the window, in order.
    pub rates: Vec<f64>,
}

impl PointResult {
    /// The point of a stage with exactly one workload; `None` when it has more, or never started.
    #[must_use]
    pub fn of(stage: &Stage, run: &StageRun) -> Option<Self> {
        let [workload] = stage.workloads.as_slice() else {
            return None;
        };
        let mut counts = Counts::default();
        run.workers.iter().for_each(|w| counts.merge(&w.counts));
        let mut window = span_of(run);
        if run.workers.is_empty() {
            let measured = run.samples.iter().filter(|s| !s.warmup);
            for sample in measured {
                counts.merge(&sample.counts);
                window.0 += sample.length.0;
            }
        }
        Some(Self {
            stage: run.stage,
            name: stage.name.clone(),
            setting: Setting::of(workload),
            counts,
            window,
            took: run.end.map_or(window, |end| end.since(run.start)),
            cpu: busiest(run),
            rates: rates_of(run),
        })
    }

    /// The points of a run: its stages with exactly one workload, in order.
    #[must_use]
    pub fn all(run: &Run) -> Vec<Self> {
        let Some(plan) = &run.plan else {
            return Vec::new();
        };
        run.stages
            .iter()
            .filter_map(|s| {
                let planned = plan.stages.get(usize::try_from(s.stage).ok()?)?;
                Self::of(planned, s)
            })
            .collect()
    }

    /// What was counted of one kind; nothing when it does not occur.
    #[must_use]
    pub fn op(&self, op: Op) -> Option<&OpCounts> {
        self.counts.op(op).filter(|c| !c.is_empty())
    }

    /// I/Os a second of one kind; 0 without a window.
    #[must_use]
    pub fn iops_of(&self, op: Op) -> f64 {
        per_second(self.counts.op(op).map_or(0, |c| c.ios), self.window)
    }

    /// Bytes a second of one kind; 0 without a window.
    #[must_use]
    pub fn bytes_per_s_of(&self, op: Op) -> f64 {
        per_second(self.counts.op(op).map_or(0, |c| c.bytes), self.window)
    }

    /// I/Os a second of reads, writes and trims together.
    #[must_use]
    pub fn iops(&self) -> f64 {
        Op::DATA.iter().map(|&op| self.iops_of(op)).sum()
    }

    /// Bytes a second of reads, writes and trims together.
    #[must_use]
    pub fn bytes_per_s(&self) -> f64 {
        Op::DATA.iter().map(|&op| self.bytes_per_s_of(op)).sum()
    }

    /// I/Os that failed.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.counts.ops.iter().flatten().map(|c| c.errors).sum()
    }

    /// Mean latency from the intended start over all data operations, in seconds; 0 without I/O.
    #[must_use]
    pub fn mean_latency_s(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for op in Op::DATA.iter().filter_map(|&op| self.counts.op(op)) {
            let latency = op.response();
            sum += latency.mean() * latency.count() as f64;
            count += latency.count() as f64;
        }
        if count > 0.0 { sum / count / 1e9 } else { 0.0 }
    }

    /// Spread of the interval rates: standard deviation over mean; `None` below three intervals.
    #[must_use]
    pub fn variation(&self) -> Option<f64> {
        let n = self.rates.len() as f64;
        if self.rates.len() < 3 {
            return None;
        }
        let mean = self.rates.iter().sum::<f64>() / n;
        let squares: f64 = self.rates.iter().map(|r| (r - mean).powi(2)).sum();
        (mean > 0.0).then(|| (squares / (n - 1.0)).sqrt() / mean)
    }
}

/// `n` in `window`, a second; 0 without a window.
#[must_use]
pub fn per_second(n: u64, window: Nanos) -> f64 {
    match window.0 {
        0 => 0.0,
        _ => n as f64 / window.as_secs_f64(),
    }
}

fn span_of(run: &StageRun) -> Nanos {
    let first = run.workers.iter().map(|w| w.window_start).min();
    let last = run.workers.iter().map(|w| w.window_end).max();
    match (first, last) {
        (Some(first), Some(last)) => last.since(first),
        _ => Nanos::ZERO,
    }
}

fn busiest(run: &StageRun) -> f64 {
    run.workers
        .iter()
        .map(|w| {
            let span = w.window_end.since(w.window_start).as_secs_f64();
            let cpu = w.cpu.user.as_secs_f64() + w.cpu.system.as_secs_f64();
            if span > 0.0 { cpu / span } else { 0.0 }
        })
        .fold(0.0, f64::max)
}

/// Rates of the whole measured intervals: those cut by the warm-up or the end are left out.
fn rates_of(run: &StageRun) -> Vec<f64> {
    let whole = run.samples.iter().map(|s| s.length).max();
    run.samples
        .iter()
        .filter(|s| !s.warmup && Some(s.length) == whole)
        .map(|s| {
            let ios = Op::DATA.iter().filter_map(|&op| s.counts.op(op));
            per_second(ios.map(|c| c.ios).sum(), s.length)
        })
        .collect()
}
