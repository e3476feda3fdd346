//! Percentiles of a point over its repeats and tries.
//!
//! Belongs here: the value from the buckets of all measurements, the interval from how they differ. Must never: average
//! percentiles into a value.

use super::group::PointGroup;
use crate::stats::{Interval, over_all};
use crate::summary::Percentile;
use crate::words::whole;
use leadline_model::latency::Latency;
use leadline_model::units::Nanos;

impl PointGroup<'_> {
    /// Latency from the intended start at a percentile, 0 to 100.
    pub(super) fn percentile(&self, percent: f64) -> Option<Percentile> {
        let own = self.counted().map(|m| m.response_at(percent)).collect();
        let latencies = self.counted().map(|m| m.summary.figures.data.response());
        together(percent, own, latencies)
    }

    /// Latency from the submission at a percentile.
    pub(super) fn service_percentile(&self, percent: f64) -> Option<Percentile> {
        let figures = || self.points.iter().map(|m| &m.summary.figures.data);
        let own = figures().map(|data| data.service_at(percent)).collect();
        together(percent, own, figures().map(|data| &data.service))
    }
}

/// One percentile of all these latencies, of which each has its own.
pub(super) fn together<'a>(
    percent: f64,
    own: Vec<Option<Percentile>>,
    latencies: impl Iterator<Item = &'a Latency>,
) -> Option<Percentile> {
    if let [one] = own.as_slice() {
        return *one;
    }
    let mut all = Latency::default();
    latencies.for_each(|latency| all.merge(latency));
    let merged = crate::summary::percentile(&all, percent)?;
    let each: Option<Vec<Interval>> = own
        .iter()
        .map(|one| one.as_ref().and_then(bounds))
        .collect();
    let Some(each) = each.filter(|_| !merged.at_least) else {
        return Some(merged);
    };
    let spread = over_all(&each);
    let value = merged.value.0 as f64;
    if !spread.is_known() || spread.value <= 0.0 {
        return Some(merged);
    }
    // How far the mean of the measurements may be off is how far the value of all may be.
    let scaled = |end: f64| Nanos(whole(value * end / spread.value));
    Some(Percentile {
        low: Some(scaled(spread.low)),
        high: Some(scaled(spread.high)),
        settled: Some(spread.settled),
        ..merged
    })
}

/// What one measurement is sure of; `None` where it is not sure of the value itself.
fn bounds(one: &Percentile) -> Option<Interval> {
    let value = one.shown()?.0 as f64;
    let end = |end: Option<Nanos>| end.map_or(value, |ns| ns.0 as f64);
    let is_whole = one.low.is_some() && one.high.is_some();
    (!one.at_least).then_some(Interval {
        value,
        low: if is_whole { end(one.low) } else { value },
        high: if is_whole { end(one.high) } else { value },
        settled: is_whole && one.settled.unwrap_or(false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::percentile;

    /// Medians of four repeats with a spread of 0.163 ms, and each as good as certain: Student's t with three degrees of freedom,
    /// 3.18 x 0.163 ms / 2.
    #[test]
    fn a_percentile_of_repeats_has_the_interval_of_their_spread() {
        let of = |us: u64| {
            let mut latency = Latency::default();
            latency.record_many(us * 1000, 5000);
            latency
        };
        let each = [1000, 1200, 800, 1000].map(of);
        let own = |latency: &Latency| {
            let found = percentile(latency, 50.0)?;
            Some(Percentile {
                low: Some(found.value),
                high: Some(found.value),
                settled: Some(true),
                ..found
            })
        };
        let repeats = |count: usize| {
            let own = each.iter().take(count).map(own).collect();
            together(50.0, own, each.iter().take(count)).unwrap()
        };
        let four = repeats(4);
        assert!((four.value.0 as f64 / 1e6 - 1.0).abs() < 0.01, "{four:?}");
        let half = |end: Option<Nanos>| (end.unwrap().0 as f64 - four.value.0 as f64).abs() / 1e6;
        assert!((half(four.low) - 0.26).abs() < 0.01, "{four:?}");
        assert!((half(four.high) - 0.26).abs() < 0.01, "{four:?}");
        // One alone has its own, and of two that do not agree the span of both.
        assert_eq!(repeats(1), own(&each[0]).unwrap());
        let two = repeats(2);
        let (low, high) = (two.low.unwrap(), two.high.unwrap());
        assert!(low < two.value && two.value < high, "{two:?}");
        assert!((high.0 - low.0).abs_diff(200_000) < 20_000, "{two:?}");
    }
}
