//! On which points a check failed, so that nothing is concluded from them.
//!
//! Must never: say what would have been concluded.

use crate::summary::measured::PointResult;
use leadline_model::finding::{Effect, Finding};

/// The points on which no check failed.
#[must_use]
pub fn usable(points: &[PointResult], findings: &[Finding]) -> Vec<PointResult> {
    let is_sound = |p: &&PointResult| failures(p, findings).next().is_none();
    points.iter().filter(is_sound).cloned().collect()
}

/// The codes of the checks that failed on a point.
pub(super) fn failures<'a>(
    point: &PointResult,
    findings: &'a [Finding],
) -> impl Iterator<Item = &'a str> + use<'a> {
    of_stage(point.stage, findings)
}

/// The same of the point that a stage is.
pub(super) fn of_stage(stage: u32, findings: &[Finding]) -> impl Iterator<Item = &str> {
    let own = findings.iter().filter(move |f| f.covers(stage, 0));
    let failed = own.filter(|f| f.effect() == Effect::Unusable);
    failed.map(|f| f.code.as_str())
}
