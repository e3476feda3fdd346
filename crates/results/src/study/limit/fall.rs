//! A fall of the rate within a point, between whose levels the time of it is found.
//!
//! Must never: say why it fell (`super::credits` does).

use crate::stats::{self, Interval, Shift};
use crate::study::levels::{ShiftWithin, shift_within};
use crate::summary::measured::{Passed, PointResult};
use leadline_model::units::Nanos;

/// A fall within a point.
pub(super) struct FallWithin<'a> {
    pub(super) high: Interval,
    pub(super) low: Interval,
    /// From the start of the run.
    pub(super) at: Nanos,
    /// The first interval at the lower rate.
    pub(super) last: &'a Passed,
}

/// The fall within a point.
pub(super) fn within(point: &PointResult) -> Option<FallWithin<'_>> {
    let ShiftWithin {
        whole,
        rates,
        shift,
    } = shift_within(point)?;
    let (high, low) = (shift.before, shift.after);
    if high <= low || low <= 0.0 || rises(&rates, &shift) {
        return None;
    }
    let before = level(high, &whole[..shift.at.saturating_sub(1)]);
    let after = level(low, whole.get(shift.at + 1..).unwrap_or_default());
    let (high, low) = (before.value, after.value);
    // The rate fell within one of the two intervals at the change.
    let edge = &whole[shift.at.saturating_sub(1)..=shift.at];
    let part = |p: &&&Passed| p.length.0 as f64 * ((p.rate() - low) / (high - low)).clamp(0.0, 1.0);
    let fast = Nanos(crate::words::whole(
        edge.iter().map(|p| part(&p)).sum::<f64>(),
    ));
    Some(FallWithin {
        high: before,
        low: after,
        at: Nanos(edge.first()?.start.0 + fast.0),
        last: whole[shift.at],
    })
}

/// Whether the rate rose before its fall or after it: credits come back in a pause, and a point makes none.
fn rises(rates: &[f64], fall: &Shift) -> bool {
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let (first, last) = rates.split_at(fall.ends.0.min(rates.len()));
    let last = last.get(fall.ends.1 - fall.ends.0..).unwrap_or_default();
    let middle = f64::midpoint(fall.before, fall.after);
    let is_low_before = !first.is_empty() && mean(first) < middle;
    let is_high_after = !last.is_empty() && mean(last) > middle;
    is_low_before || is_high_after
}

/// A level with its interval, from what passed at it.
fn level(rate: f64, passed: &[&Passed]) -> Interval {
    let slices = passed
        .iter()
        .map(|p| (p.ios as f64, p.length.as_secs_f64()));
    stats::level(rate, &slices.collect::<Vec<_>>())
}
