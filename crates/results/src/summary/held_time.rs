//! The time for which all I/Os in flight wait for the same thing, by their latencies.
//!
//! Belongs here: how long that is together, where intervals are too long to be empty meanwhile. Must never: say what they wait
//! for.

use super::group_spread::come_together;
use super::observed::WorkloadSeries;
use leadline_model::histogram::{lower_bound, upper_bound};
use leadline_model::units::Nanos;

/// I/Os that take more than this multiple of the median wait.
const TIMES: u64 = 10;

/// The I/Os of a closed loop that take far longer than the one in the middle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeldTime {
    /// Their share of the sum of all latencies, 0 to 1. Where all in flight wait at once it is the share of the time.
    pub share: f64,
    /// How often all in flight waited at once; 0 where they wait one by one, as misses of a cache do.
    pub times: f64,
}

impl HeldTime {
    /// That of a workload; none where it runs at a rate or pauses.
    pub(super) fn of(seen: &WorkloadSeries<'_>) -> Self {
        let latencies = &seen.figures.data.service.histogram;
        let median = latencies.ranked(50.0).map(|m| lower_bound(m.bucket));
        let Some(median) = median.filter(|_| seen.runs_freely()) else {
            return Self::default();
        };
        let above = median.saturating_mul(TIMES);
        let (mut held, mut all, mut ios) = (0.0, 0.0, 0.0);
        for (bucket, count) in latencies.nonzero() {
            let middle = (lower_bound(bucket) as f64 + upper_bound(bucket) as f64) / 2.0;
            let sum = middle * count as f64;
            all += sum;
            if lower_bound(bucket) > above {
                held += sum;
                ios += count as f64;
            }
        }
        let depth = seen.depth.max(1) as f64;
        let is_at_once = come_together(&seen.spread(Nanos(above)), depth);
        Self {
            share: held / f64::max(all, 1.0),
            times: if is_at_once { ios / depth } else { 0.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::op::Op;
    use leadline_model::plan::OpMix;
    use leadline_model::sample::Counts;

    /// That of 40 seconds with 1,000 reads of 100 us each, `depth` in flight, and as many slow ones of 50 ms in each second
    /// as `slow` says.
    fn held(depth: u32, slow: impl Fn(usize) -> u64) -> HeldTime {
        let own = fixture::workload("a", OpMix::reads(), 4096, depth, 40);
        let plan = fixture::plan(vec![("s", vec![own])]);
        let load = Load::simple(Op::Read, 1000, 4096, 100_000, 40);
        let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
        let mut all = Counts::default();
        for (at, sample) in run.stages[0].samples.iter_mut().enumerate() {
            sample.counts = Counts::default();
            let one = sample.counts.op_mut(Op::Read);
            one.ios = 1000;
            one.service.record_many(100_000, 1000 - slow(at));
            one.service.record_many(50_000_000, slow(at));
            let of_all = all.op_mut(Op::Read);
            of_all.ios += one.ios;
            of_all.service.merge(&one.service);
        }
        run.stages[0].workers[0].counts = all;
        summarize(&run).stages[0].workloads[0].held
    }

    /// 16 of 1,000 reads take 50 ms, as many as are in flight: 800 of 898 ms of all latencies.
    #[test]
    fn what_waits_together_is_a_share_of_the_time() {
        let found = held(16, |_| 16);
        assert!((found.share - 800.0 / 898.4).abs() < 0.01, "{found:?}");
        assert!((found.times - 40.0).abs() < 1e-9, "{found:?}");
        // Two of three seconds have a standstill.
        let found = held(16, |at| if at % 3 == 0 { 0 } else { 16 });
        assert!((found.times - 26.0).abs() < 1e-9, "{found:?}");
    }

    /// Misses come in any number, and are no time in which all in flight wait.
    #[test]
    fn what_waits_one_by_one_is_never_at_once() {
        let found = held(16, |at| [7, 11, 9, 12, 8, 10][at % 6]);
        assert!(found.times.abs() < 1e-9, "{found:?}");
        assert!(found.share > 0.5, "{found:?}");
    }

    #[test]
    fn ios_that_take_alike_are_none() {
        assert!(held(16, |_| 0).share.abs() < 1e-9);
    }
}
