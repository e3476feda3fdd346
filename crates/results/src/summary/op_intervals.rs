//! Intervals of the figures of an operation, as they are kept beside the figures.
//!
//! Belongs here: their shape, and how a percentile takes its interval from it. Must never: compute an interval (that is
//! `certainty` and `stats`).

use super::percentile::{Percentile, Trust, percentile};
use crate::stats::{Interval, Ranks};
use crate::words::whole;
use leadline_model::latency::Latency;
use leadline_model::units::Nanos;

/// What is known of the figures of one operation, or of several together. Nothing where the time series is too short:
/// fewer than 8 intervals in the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpIntervals {
    /// Of the I/Os a second.
    pub iops: Option<Interval>,
    /// Of the bytes a second.
    pub bytes_per_s: Option<Interval>,
    /// Of the service latency.
    pub service: LatencyIntervals,
    /// Of the response latency, where it is kept apart.
    pub response: LatencyIntervals,
}

/// What is known of a latency.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatencyIntervals {
    /// Of the mean, in nanoseconds.
    pub mean: Option<Interval>,
    /// Of percentiles, in nanoseconds, rising.
    pub percentiles: Vec<Ranks>,
}

impl LatencyIntervals {
    /// The value of `latency`, which this is about, at `percent` (0 to 100) with its trust, which follows the effective
    /// number of samples where that is known, and with its interval; `None` when there is no sample.
    #[must_use]
    pub fn percentile(&self, latency: &Latency, percent: f64) -> Option<Percentile> {
        let mut plain = percentile(latency, percent)?;
        let known = self.percentiles.iter();
        let Some(ranks) = known.copied().find(|r| (r.percent - percent).abs() < 1e-9) else {
            plain.value = self.between(latency, &plain);
            return Some(plain);
        };
        plain.value = placed(&ranks, plain.value);
        let share = percent.max(100.0 - percent) / 100.0;
        let beyond = plain.beyond.min(ranks.effective * (1.0 - share));
        // It is what was measured all the same: a single stall may be the whole tail.
        let trust = plain.trust.min(Trust::of(beyond).max(Trust::Doubtful));
        let within = |ns: f64| Nanos(whole(ns)).max(Nanos(latency.min));
        let high = ranks.high.filter(|_| !plain.at_least);
        Some(Percentile {
            beyond,
            trust,
            low: ranks.low.map(|ns| within(ns).min(plain.value)),
            high: high.map(|ns| within(ns).min(Nanos(latency.max)).max(plain.value)),
            settled: Some(ranks.settled),
            ..plain
        })
    }

    /// The value of a percentile that has no interval, between those of the nearest two that have one.
    fn between(&self, latency: &Latency, plain: &Percentile) -> Nanos {
        let value = |ranks: &Ranks| {
            let own = percentile(latency, ranks.percent)?;
            Some(placed(ranks, own.value))
        };
        let known = || self.percentiles.iter();
        let below = known().rev().find(|r| r.percent < plain.percent);
        let above = known().find(|r| r.percent > plain.percent);
        let most = above.and_then(value).unwrap_or(Nanos(u64::MAX));
        let least = below.and_then(value).unwrap_or(Nanos::ZERO);
        plain.value.min(most).max(least)
    }
}

/// A percentile, held to what slices know of where in its bucket it is: better than all together.
fn placed(ranks: &Ranks, value: Nanos) -> Nanos {
    let (least, most) = (whole(ranks.within.0), whole(ranks.within.1));
    Nanos(value.0.max(least).min(most.max(least)))
}
