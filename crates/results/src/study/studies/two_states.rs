//! A point within which the volume changed: its rate is the mean of two states.
//!
//! Belongs here: whether a point is such a one. Must never: compare points, or say what follows (`fell` does).

use super::done::Measured;
use super::slower;
use crate::stats::Interval;
use crate::study::levels::{ShiftWithin, shift_among, shift_within};
use crate::summary::measured::{Passed, PointResult};
use leadline_model::plan::Pace;
use leadline_model::plan::study::Study;
use leadline_model::units::Nanos;

/// A rate that is below this share of an earlier one is of another state.
pub(super) const FELL: f64 = 0.8;

/// The largest change of level within a point.
pub(super) struct ChangeWithin {
    /// I/Os a second before it and after it.
    pub(super) levels: [Interval; 2],
    /// Whether the point has no other change.
    is_only: bool,
}

impl ChangeWithin {
    /// Of a point that runs as fast as it can; not where few slow I/Os or stalls make it. `points` are those of the run.
    pub(super) fn of(m: &Measured, points: &[PointResult]) -> Option<Self> {
        if m.workload.pace != Pace::Closed {
            return None;
        }
        match points.iter().find(|p| p.stage == m.summary.stage) {
            Some(point) => Self::lasting(&shift_within(point)?, m),
            None => Self::of_several(m),
        }
    }

    /// One after which more I/Os ended than were in flight: fewer are those that were held up.
    fn lasting(found: &ShiftWithin<'_>, m: &Measured) -> Option<Self> {
        let after = found.whole.get(found.shift.at..found.shift.ends.1)?;
        let ended: u64 = after.iter().map(|p| p.ios).sum();
        (ended > m.summary.depth_asked).then(|| Self {
            levels: found.levels(),
            is_only: found.shift.changes == 1,
        })
    }

    /// That of several workloads together, unless they stood still.
    fn of_several(m: &Measured) -> Option<Self> {
        let series = m.summary.series.iter();
        let passed: Vec<Passed> = series.map(|p| Passed::of(Nanos::ZERO, p)).collect();
        let found = shift_among(&passed, &m.summary.figures.data.service)?;
        Self::lasting(&found, m).filter(|_| !slower::stood_still(m))
    }

    /// To a lower rate.
    pub(super) fn is_fall(&self) -> bool {
        let [before, after] = &self.levels;
        after.value < FELL * before.value
    }

    /// From one rate to another, once.
    fn is_to_another(&self) -> bool {
        let [before, after] = &self.levels;
        self.is_only && are_far(before.value, after.value)
    }
}

/// Whether a point is of two states of the volume, one after the other; not where a cache that it filled makes it quicker.
pub(super) fn is_of_two(m: &Measured, points: &[PointResult], study: &Study) -> bool {
    let found = ChangeWithin::of(m, points).filter(ChangeWithin::is_to_another);
    found.is_some_and(|found| found.is_fall() || is_done_once(m, study))
}

/// Whether a point has done less than its whole set, with its warm-up: no block comes again from a cache that it filled.
fn is_done_once(m: &Measured, study: &Study) -> bool {
    let bytes_per_s = m.summary.figures.data.bytes_per_s;
    bytes_per_s * m.took.as_secs_f64() < study.scope.dataset as f64
}

/// Whether one of two rates is another one than the other.
pub(super) fn are_far(one: f64, other: f64) -> bool {
    one.min(other) < FELL * one.max(other)
}
