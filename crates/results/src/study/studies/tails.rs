//! Percentiles of a point over its repeats and tries.
//!
//! Belongs here: the value from the buckets of all measurements, the interval from how they differ. Must never: average
//! percentiles into a value.

use super::group::{PointGroup, over_all};
use crate::stats::Interval;
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
fn together<'a>(
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
