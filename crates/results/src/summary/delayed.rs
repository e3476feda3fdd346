//! The few I/Os of a set that met a stall of the target.
//!
//! Belongs here: telling them from the others by their latency. Must never: say what stalled.

use leadline_model::histogram::{Histogram, lower_bound, upper_bound};
use leadline_model::units::Nanos;

/// So many times the median is longer than an I/O takes that met nothing.
const TIMES: u64 = 10;
/// A larger share of the I/Os is a kind of its own.
const MOST: f64 = 0.01;

/// The I/Os of a set that took more than ten times the median, where they are fewer than one of a hundred.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delayed {
    /// Latencies above this are theirs.
    pub above: Nanos,
    /// How many there are, at least 1.
    pub ios: u64,
    /// Their share of the sum of all latencies, 0 to 1.
    pub share: f64,
    /// The mean latency of the others, seconds.
    pub others_s: f64,
}

impl Delayed {
    /// Those of a set that took longer than `least`, too; `None` where there are none.
    #[must_use]
    pub fn of(latencies: &Histogram, least: Nanos) -> Option<Self> {
        let median = lower_bound(latencies.ranked(50.0)?.bucket);
        let above = median.saturating_mul(TIMES).max(least.0);
        let ios = latencies.count_above(above);
        if ios == 0 || ios as f64 > MOST * latencies.total() as f64 {
            return None;
        }
        let (mut delayed, mut others) = (0.0, 0.0);
        for (bucket, count) in latencies.nonzero() {
            let (low, high) = (lower_bound(bucket), upper_bound(bucket));
            let sum = match low > above {
                true => &mut delayed,
                false => &mut others,
            };
            *sum += (low as f64 + high as f64) / 2.0 * count as f64;
        }
        Some(Self {
            above: Nanos(above),
            ios,
            share: delayed / (delayed + others),
            others_s: others / (latencies.total() - ios) as f64 / 1e9,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_long_ones_are_told_from_the_others() {
        let mut latencies = Histogram::new();
        assert_eq!(Delayed::of(&latencies, Nanos::ZERO), None);
        latencies.record_many(150_000, 9992);
        assert_eq!(Delayed::of(&latencies, Nanos::ZERO), None);
        latencies.record_many(50_000_000, 8);
        let found = Delayed::of(&latencies, Nanos::ZERO).unwrap();
        assert_eq!(found.ios, 8);
        // 400 ms of 1.9 s.
        assert!((found.share - 0.211).abs() < 0.005, "{found:?}");
        assert!((found.others_s - 150e-6).abs() < 2e-6, "{found:?}");
        assert_eq!(Delayed::of(&latencies, Nanos::SECOND), None);
        // One of fifty is a kind of its own.
        latencies.record_many(50_000_000, 200);
        assert_eq!(Delayed::of(&latencies, Nanos::ZERO), None);
    }
}
