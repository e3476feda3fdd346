//! Interval rates as fio sums them up: smallest, largest, mean and spread of the bandwidth and of the
//! IOPS over the measured intervals. Unlike fio's, they contain the intervals without any I/O.

use leadline_model::op::Op;
use leadline_model::sample::{Sample, WorkerTotals};
use leadline_model::units::Nanos;
use leadline_results::summary::window::{overlap, own};

/// Rates over the intervals of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spread {
    /// In KiB a second.
    pub(super) bw: Range,
    /// In I/Os a second.
    pub(super) iops: Range,
    /// Number of intervals.
    pub(super) samples: u64,
}

/// Extremes, mean and standard deviation (divisor n - 1) of a set of rates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Range {
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

impl Range {
    fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        if values.is_empty() {
            return Self::default();
        }
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        Self {
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(0.0, f64::max),
            mean,
            deviation: if values.len() < 2 {
                0.0
            } else {
                (squares / (n - 1.0)).sqrt()
            },
        }
    }

    /// Rates of two workloads that ran side by side: they add up, their variances too.
    fn join(&mut self, other: &Self) {
        self.min += other.min;
        self.max += other.max;
        self.mean += other.mean;
        self.deviation = self.deviation.hypot(other.deviation);
    }
}

impl Spread {
    /// Adds another workload of the same group, as fio does.
    pub(super) fn join(&mut self, other: &Self) {
        self.bw.join(&other.bw);
        self.iops.join(&other.iops);
        self.samples += other.samples;
    }
}

/// The interval rates of `ops` together within `window`; of one worker alone when `only` is given. A direction
/// that never did I/O has no samples.
pub(super) fn spread(
    samples: &[&Sample],
    ops: &[Op],
    only: Option<&WorkerTotals>,
    window: (Nanos, Nanos),
) -> Spread {
    let window = only.map_or(window, own);
    let measured = || samples.iter().filter(|s| !s.warmup);
    let longest = measured().map(|s| s.length.0).max().unwrap_or(0);
    let (mut bw, mut iops, mut any) = (Vec::new(), Vec::new(), false);
    let mut take = |sample: &Sample, at_least: u64| {
        let span = (sample.start, Nanos(sample.start.0 + sample.length.0));
        let active = overlap(span, window);
        // The rest of an interval that is cut short is too short for a rate of its own.
        if active.0 == 0 || active.0 < at_least {
            return;
        }
        let (ios, bytes) = counted(sample, ops, only);
        any |= ios > 0.0;
        bw.push(bytes / 1024.0 / active.as_secs_f64());
        iops.push(ios / active.as_secs_f64());
    };
    measured().for_each(|s| take(s, longest / 2));
    if !any {
        return Spread::default();
    }
    Spread {
        bw: Range::of(&bw),
        iops: Range::of(&iops),
        samples: bw.len() as u64,
    }
}

/// I/Os and bytes of `ops` in an interval. For one worker of several: its share of all, in proportion,
/// as intervals do not separate the directions of each worker.
fn counted(sample: &Sample, ops: &[Op], only: Option<&WorkerTotals>) -> (f64, f64) {
    let (mut ios, mut bytes) = (0.0, 0.0);
    for op in ops.iter().filter_map(|&op| sample.counts.op(op)) {
        ios += op.ios as f64;
        bytes += op.bytes as f64;
    }
    let Some(worker) = only else {
        return (ios, bytes);
    };
    let (mut all_ios, mut all_bytes) = (0, 0);
    for op in sample.counts.ops.data() {
        all_ios += op.ios;
        all_bytes += op.bytes;
    }
    let mine = sample
        .workers
        .get(worker.worker as usize)
        .copied()
        .unwrap_or((0, 0));
    let share = |mine: u64, all: u64| {
        if all == 0 {
            0.0
        } else {
            mine as f64 / all as f64
        }
    };
    (
        ios * share(mine.0, all_ios),
        bytes * share(mine.1, all_bytes),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_results::fixture;

    #[test]
    fn intervals_without_io_count() {
        let run = fixture::run();
        let stage = &run.stages[0];
        let samples: Vec<_> = stage.samples.iter().collect();
        let all = (Nanos::ZERO, Nanos::from_secs(8));
        let spread = spread(&samples, &[Op::Read], None, all);
        assert_eq!(spread.samples, 7);
        assert!(spread.iops.min.abs() < f64::EPSILON);
        assert!((spread.iops.mean - 15_000.0 / 7.0).abs() < 1e-6);
        assert!((spread.bw.max - 10_000.0).abs() < 1e-6);
        assert!((spread.iops.deviation - 944.911).abs() < 1e-3);
    }

    #[test]
    fn one_worker_of_several_has_its_own_rates() {
        let run = fixture::run();
        let stage = &run.stages[1];
        let samples: Vec<_> = stage.samples.iter().filter(|s| s.workload == 0).collect();
        let one = spread(
            &samples,
            &[Op::Write],
            Some(&stage.workers[1]),
            (Nanos::ZERO, Nanos::ZERO),
        );
        assert!((one.iops.mean - 500.0).abs() < 0.2, "{one:?}");
        assert_eq!(
            spread(&samples, &[Op::Read], None, (Nanos::ZERO, Nanos::SECOND)),
            Spread::default()
        );
    }
}
