//! Whether two parts of a window differ in their rate for a few slow I/Os alone.
//!
//! Belongs here: what makes the difference. Must never: look for the parts, or judge whether they differ by chance.

use leadline_model::histogram::{lower_bound, upper_bound};
use leadline_model::latency::Latency;
use leadline_model::sample::Sample;

/// Groups of as many I/Os as are in flight: where as few make the difference, the next window has it elsewhere or not at all.
/// A number of twelve that come at random is off by a quarter.
const FEW: f64 = 12.0;
/// Of all I/Os of the slower part: where the target itself is slower, nearly all take longer.
const SHARE: f64 = 0.3;
/// Which part of the time that the slower part took longer they have to make.
const MOST: f64 = 0.8;
/// Which part of the difference of the rates the mean latencies have to explain: with as many in flight they explain it all.
const EXPLAINED: f64 = 0.3;

/// Whether the part with the lower rate has it because a few of its I/Os took far longer than those of the other part do on
/// average, as the slowest ones of a distribution with a long tail do: these few held the places that others would have had.
pub(super) fn differ_by_few(one: &[&Sample], other: &[&Sample]) -> bool {
    let (one, other) = (PartOfWindow::of(one), PartOfWindow::of(other));
    let (slow, fast) = match one.rate() < other.rate() {
        true => (one, other),
        false => (other, one),
    };
    let (mean, usual) = (slow.latency.mean(), fast.latency.mean());
    let explained = mean / usual.max(1.0) - 1.0;
    let asked = fast.rate() / slow.rate().max(1e-9) - 1.0;
    if explained <= 0.0 || explained < EXPLAINED * asked {
        return false;
    }
    let count = slow.latency.count() as f64;
    let few = FEW * (slow.latency.sum as f64 / slow.ns.max(1.0)).max(1.0);
    longest(&slow.latency, usual, MOST * count * (mean - usual)) <= few.min(SHARE * count)
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
struct PartOfWindow {
    latency: Latency,
    ios: f64,
    ns: f64,
}

impl PartOfWindow {
    fn of(samples: &[&Sample]) -> Self {
        let mut part = Self {
            latency: Latency::default(),
            ios: 0.0,
            ns: 0.0,
        };
        for sample in samples {
            part.ios += sample.counts.data_ios() as f64;
            part.ns += sample.length.0 as f64;
            let data = sample.counts.ops.iter().filter(|(op, _)| op.is_data());
            data.for_each(|(_, counts)| part.latency.merge(&counts.service));
        }
        part
    }

    /// I/Os a nanosecond.
    fn rate(&self) -> f64 {
        self.ios / self.ns.max(1.0)
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
}
