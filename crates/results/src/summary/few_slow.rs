//! Whether two parts of a window differ in their rate for a few slow I/Os alone.
//!
//! Belongs here: what makes the difference. Must never: look for the parts, or judge whether they differ by chance.

use super::passed::Passed;
use leadline_model::histogram::{lower_bound, upper_bound};
use leadline_model::latency::Latency;
use leadline_model::sample::Sample;
use std::borrow::Cow;

/// Groups of as many I/Os as are in flight: where as few make the difference, the next window has it elsewhere or not at all.
/// A number of twelve that come at random is off by a quarter.
const FEW: f64 = 12.0;
/// Of all I/Os of the slower part: where the target itself is slower, nearly all take longer.
const SHARE: f64 = 0.3;
/// Which part of the time that the slower part took longer they have to make.
const MOST: f64 = 0.8;
/// Which part of the difference of the rates the mean latencies have to explain: with as many in flight they explain it all.
const EXPLAINED: f64 = 0.3;

/// Intervals on end without an I/O that make a standstill.
const STANDSTILL: usize = 3;
/// More standstills than this are how a part works, as where fewer I/Os end than there are intervals.
const FEW_STANDSTILLS: usize = 3;

/// Whether the part with the lower rate has it because a few of its I/Os took far longer than those of the other part do on
/// average, as the slowest ones of a distribution with a long tail do: these few held the places that others would have had.
/// An I/O may have held its place in one part and ended in the other: then the lower rate is that of a few standstills.
pub(crate) fn differ_by_few(one: &[&Sample], other: &[&Sample]) -> bool {
    let (slow, fast) = in_order(PartOfWindow::of(one), PartOfWindow::of(other));
    slow.is_slow_by_standstills(&fast) || slow.is_slow_by_few(&fast)
}

/// The same of intervals of one point, of whose I/Os together the latencies are known; also where I/Os that had not ended when it
/// did held the places.
pub(crate) fn intervals_differ_by_few(one: &[&Passed], other: &[&Passed], all: &Latency) -> bool {
    let of = |passed: &[&Passed]| PartOfWindow::of_passed(passed, all);
    let (slow, fast) = in_order(of(one), of(other));
    slow.is_slow_by_standstills(&fast) || slow.is_slow_by_few(&fast) || slow.is_slow_by_held(&fast)
}

/// The part with the lower rate, and the other.
fn in_order<'a>(
    one: PartOfWindow<'a>,
    other: PartOfWindow<'a>,
) -> (PartOfWindow<'a>, PartOfWindow<'a>) {
    match one.rate() < other.rate() {
        true => (one, other),
        false => (other, one),
    }
}

/// How many I/Os, the longest first, together take this much longer than the usual one.
fn longest(latency: &Latency, usual: f64, excess: f64) -> f64 {
    let buckets: Vec<(usize, u64)> = latency.histogram.nonzero().collect();
    let (mut count, mut left) = (0.0, excess);
    for (bucket, number) in buckets.into_iter().rev() {
        let top = upper_bound(bucket).min(latency.max);
        let more = f64::midpoint(lower_bound(bucket) as f64, top as f64) - usual;
        if left <= 0.0 || more <= 0.0 {
            break;
        }
        let taken = (left / more).ceil().min(number as f64);
        count += taken;
        left -= taken * more;
    }
    count
}

/// What was done in some intervals.
struct PartOfWindow<'a> {
    /// Latencies that have those of the part among them.
    latency: Cow<'a, Latency>,
    /// I/Os and nanoseconds of each interval.
    each: Vec<(f64, f64)>,
    /// Of how many the latencies are known.
    count: f64,
    /// What these took together, in nanoseconds.
    sum: f64,
}

impl<'a> PartOfWindow<'a> {
    fn of(samples: &[&Sample]) -> Self {
        let mut latency = Latency::default();
        for sample in samples {
            let data = sample.counts.ops.iter().filter(|(op, _)| op.is_data());
            data.for_each(|(_, counts)| latency.merge(&counts.service));
        }
        let each = samples.iter();
        Self {
            each: each
                .map(|s| (s.counts.data_ios() as f64, s.length.0 as f64))
                .collect(),
            count: latency.count() as f64,
            sum: latency.sum as f64,
            latency: Cow::Owned(latency),
        }
    }

    fn of_passed(passed: &[&Passed], all: &'a Latency) -> Self {
        Self {
            each: passed
                .iter()
                .map(|p| (p.ios as f64, p.length.0 as f64))
                .collect(),
            count: passed.iter().map(|p| p.ios as f64).sum(),
            sum: passed.iter().map(|p| p.taken_ns).sum(),
            latency: Cow::Borrowed(all),
        }
    }

    fn ios(&self) -> f64 {
        self.each.iter().map(|(ios, _)| ios).sum()
    }

    fn ns(&self) -> f64 {
        self.each.iter().map(|(_, ns)| ns).sum()
    }

    /// I/Os a nanosecond.
    fn rate(&self) -> f64 {
        self.ios() / self.ns().max(1.0)
    }

    fn mean(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }

    /// Whether a few of its I/Os that ended in it make it slower.
    fn is_slow_by_few(&self, fast: &Self) -> bool {
        let (mean, usual) = (self.mean(), fast.mean());
        let explained = mean / usual.max(1.0) - 1.0;
        let asked = fast.rate() / self.rate().max(1e-9) - 1.0;
        if explained <= 0.0 || explained < EXPLAINED * asked {
            return false;
        }
        let count = self.count;
        let few = FEW * self.in_flight().max(1.0);
        longest(&self.latency, usual, MOST * count * (mean - usual)) <= few.min(SHARE * count)
    }

    /// How many were in flight on average of those that ended in it (Little's law).
    fn in_flight(&self) -> f64 {
        self.sum / self.ns().max(1.0)
    }

    /// Whether it is slower because a few I/Os that did not end in it held places: those that ended took as long as in the other
    /// part, and with as many in flight that gives its rate.
    fn is_slow_by_held(&self, fast: &Self) -> bool {
        /// A place that is held all the time, and most of a second one.
        const FEWEST: f64 = 1.0;
        let asked = fast.rate() / self.rate().max(1e-9) - 1.0;
        let explained = self.mean() / fast.mean().max(1.0) - 1.0;
        let held = fast.in_flight() - self.in_flight();
        explained < EXPLAINED * asked && (FEWEST..=FEW).contains(&held)
    }

    /// Whether it is slower for a few standstills alone: without these its rate is nearer to that of the other.
    fn is_slow_by_standstills(&self, fast: &Self) -> bool {
        let runs = self.each.chunk_by(|a, b| (a.0 > 0.0) == (b.0 > 0.0));
        let still: Vec<_> = runs
            .filter(|run| run[0].0 <= 0.0 && run.len() >= STANDSTILL)
            .collect();
        let stood: f64 = still
            .iter()
            .flat_map(|run| run.iter())
            .map(|(_, ns)| ns)
            .sum();
        let moving = self.ns() - stood;
        let is_few = (1..=FEW_STANDSTILLS).contains(&still.len());
        is_few && moving > 0.0 && self.ios() / moving > f64::midpoint(self.rate(), fast.rate())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::op::Op;
    use leadline_model::sample::Counts;
    use leadline_model::units::Nanos;

    /// Ten intervals of a second with four in flight: as many I/Os of 1 ms as fit beside those of these lengths.
    fn part(long: &[(u64, u64)]) -> Vec<Sample> {
        let one = |at| {
            let mut sample = Sample {
                host: 0,
                stage: 0,
                workload: 0,
                interval: at,
                start: Nanos::from_secs(at),
                length: Nanos::SECOND,
                warmup: false,
                counts: Counts::default(),
                workers: Vec::new(),
                moments: Vec::new(),
            };
            let counts = sample.counts.op_mut(Op::Read);
            let held: u64 = long.iter().map(|(ms, count)| ms * count).sum();
            counts.service.record_many(1_000_000, 4000 - held);
            for (ms, count) in long {
                counts.service.record_many(ms * 1_000_000, *count);
            }
            counts.ios = counts.service.count();
            sample
        };
        (0..10).map(one).collect()
    }

    #[test]
    fn a_few_that_took_long_are_distinguished_from_a_slower_target() {
        let of = |one: &[(u64, u64)], other: &[(u64, u64)]| {
            let (one, other) = (part(one), part(other));
            let (one, other): (Vec<_>, Vec<_>) = (one.iter().collect(), other.iter().collect());
            assert_eq!(differ_by_few(&one, &other), differ_by_few(&other, &one));
            differ_by_few(&one, &other)
        };
        // By hand: one of 800 ms in each second is a fifth of what four slots have, and ten in all.
        assert!(of(&[(800, 1)], &[]));
        // Every second I/O takes 2 ms, or four of five wait for a quota of which there are ten a second.
        assert!(!of(&[(2, 1000)], &[]));
        assert!(!of(&[(40, 40)], &[]));
        // Nothing took longer.
        assert!(!of(&[], &[]));
    }

    /// Of one I/O of 8 s in ten that ends in the other half, and of a rate of one in two intervals.
    #[test]
    fn a_standstill_is_of_the_io_that_ended_after_it() {
        let of = |each: &dyn Fn(u64) -> u64| {
            let mut all = part(&[]);
            for (at, sample) in (0..).zip(&mut all) {
                let counts = sample.counts.op_mut(Op::Read);
                counts.service = Latency::default();
                counts.service.record_many(1_000_000, each(at));
                counts.ios = each(at);
            }
            all
        };
        let differ = |slow: &dyn Fn(u64) -> u64, fast: u64| {
            let (slow, fast) = (of(slow), of(&|_| fast));
            differ_by_few(
                &slow.iter().collect::<Vec<_>>(),
                &fast.iter().collect::<Vec<_>>(),
            )
        };
        assert!(differ(&|at| if at < 2 { 100 } else { 0 }, 100));
        assert!(!differ(&|at| if at < 2 { 30 } else { 0 }, 100));
        assert!(!differ(&|at| at % 2, 1));
        assert!(!differ(&|_| 0, 100));
    }

    /// Three of four places are held by I/Os that end later: a quarter of the rate at the same latency. At four times the latency
    /// the target is slower.
    #[test]
    fn places_that_are_held_leave_less_to_the_others() {
        let mut all = Latency::default();
        all.record_many(1_000_000, 32_000);
        all.record_many(4_000_000, 8000);
        let of = |ios: u64, latency_ns: f64| Passed {
            start: Nanos::ZERO,
            length: Nanos::SECOND,
            warmup: false,
            ios,
            bytes: 4096 * ios,
            writes: 0,
            taken_ns: latency_ns * ios as f64,
        };
        let differ = |latency_ns: f64| {
            let (slow, fast) = (of(1000, latency_ns), of(4000, 1e6));
            intervals_differ_by_few(&[&slow; 8], &[&fast; 8], &all)
        };
        assert!(differ(1e6) && !differ(4e6));
    }
}
