//! Whether the rate changed its level within a point.
//!
//! Must never: say why (`super::limit` does).

use crate::stats::{Shift, rate_shift};
use crate::summary::measured::{Passed, PointResult};
use leadline_model::units::Nanos;

/// A rate below this share of another one is of another level.
const APART: f64 = 0.8;

/// A change of the rate from one level to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LevelChange {
    /// When, from the start of the run.
    pub(crate) at: Nanos,
    /// To a lower level.
    pub(crate) fell: bool,
    /// I/Os a second before it.
    pub(crate) before: f64,
    /// I/Os a second after it.
    pub(crate) after: f64,
}

/// The one change of level within a point, by a fifth or more; `None` where there is none or are several, and in one that
/// was stalled, which falls and rises again.
pub(crate) fn change_within(point: &PointResult) -> Option<LevelChange> {
    let is_steady = point.setting.paced || point.setting.think.is_some();
    if is_steady || point.is_held_up() {
        return None;
    }
    let whole = whole_intervals(point);
    let (_, shift) = shift_of(&whole)?;
    let (least, most) = (shift.before.min(shift.after), shift.before.max(shift.after));
    (shift.changes == 1 && least < APART * most).then(|| LevelChange {
        at: whole[shift.at].start,
        fell: shift.after < shift.before,
        before: shift.before,
        after: shift.after,
    })
}

/// The measured intervals of a point but for the last, which may be short or hold the rest of another.
pub(super) fn whole_intervals(point: &PointResult) -> Vec<&Passed> {
    let mut measured: Vec<&Passed> = point.intervals.iter().filter(|p| !p.warmup).collect();
    measured.pop();
    measured
}

/// The rates of intervals, I/Os a second, and where they change their level; `None` where they do not.
pub(super) fn shift_of(whole: &[&Passed]) -> Option<(Vec<f64>, Shift)> {
    let rates: Vec<f64> = whole.iter().map(|p| p.rate()).collect();
    let shift = rate_shift(&rates, whole.first()?.length)?;
    Some((rates, shift))
}
