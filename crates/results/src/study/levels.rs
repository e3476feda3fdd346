//! Whether the rate changed its level within a point.
//!
//! Must never: say why (`super::limit` does).

use crate::stats::rate_shift;
use crate::summary::measured::{Passed, PointResult};
use leadline_model::units::Nanos;

/// A rate below this share of another one is of another level.
const APART: f64 = 0.8;

/// A change of the rate from one level to another.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LevelChange {
    /// When, from the start of the run.
    pub(super) at: Nanos,
    /// To a lower level.
    pub(super) fell: bool,
}

/// The one change of level within a point, by a fifth or more; `None` where there is none or are several, and in one that
/// was stalled, which falls and rises again.
pub(super) fn change_within(point: &PointResult) -> Option<LevelChange> {
    let is_steady = point.setting.paced || point.setting.think.is_some();
    if is_steady || point.is_held_up() {
        return None;
    }
    let measured: Vec<&Passed> = point.intervals.iter().filter(|p| !p.warmup).collect();
    // The last may be short or hold the rest of another.
    let whole = measured.split_last()?.1;
    let rates: Vec<f64> = whole.iter().map(|p| p.rate()).collect();
    let shift = rate_shift(&rates, whole.first()?.length)?;
    let (least, most) = (shift.before.min(shift.after), shift.before.max(shift.after));
    (shift.changes == 1 && least < APART * most).then(|| LevelChange {
        at: whole[shift.at].start,
        fell: shift.after < shift.before,
    })
}
