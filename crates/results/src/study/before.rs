//! Which figures of a survey are of before its rate changed.
//!
//! Must never: say why it changed (`super::limit` does).

use super::levels::change_within;
use super::limit::{Limit, is_experiment};
use super::series::{DepthCurve, family_of};
use super::survey::is_fill;
use crate::summary::measured::PointResult;
use crate::words::span;

/// What was measured before the rate changed, as a sentence: figures that no longer hold.
pub(super) fn of_before(
    points: &[PointResult],
    curve: Option<&DepthCurve>,
    limit: Option<&Limit>,
) -> Option<String> {
    let results: Vec<&PointResult> = points.iter().filter(|p| is_result(p, curve)).collect();
    let names = |is: &dyn Fn(&PointResult) -> bool| -> Option<String> {
        let names = results.iter().filter(|p| is(p)).map(|p| p.name.as_str());
        let names: Vec<&str> = names.collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let began = |p: &PointResult| p.intervals.first().map(|first| first.start);
    if let Some(credits) = limit.and_then(|limit| limit.credits) {
        let early = names(&|p| began(p).is_some_and(|start| start < credits.fell_at))?;
        return Some(format!("Measured before the credits were spent: {early}."));
    }
    let between = curve.and_then(|curve| between(points, curve));
    // Where no setting shows a change, one in an experiment is of that alone.
    let within = |p: &PointResult| match between {
        Some((old, new, _)) => p.stage > old && p.stage <= new,
        None => !is_experiment(&p.name),
    };
    let mut changes = points
        .iter()
        .filter(|p| within(p) && !is_fill(p))
        .filter_map(|p| Some((p, change_within(p)?)));
    // What comes again is no change for good.
    let one = changes.next().filter(|_| changes.next().is_none());
    let verb = |fell: bool| if fell { "fell" } else { "rose" };
    match (one, between) {
        (Some((point, change)), _) => {
            let early = names(&|p| {
                began(p).is_some_and(|start| start < change.at) && p.stage != point.stage
            })?;
            Some(format!(
                "The rate {} in {}, {} into the run. Measured before that: {early}.",
                verb(change.fell),
                point.name,
                span(change.at.0 as f64)
            ))
        }
        (None, Some((old, new, fell))) => {
            let early = names(&|p| p.stage <= old)?;
            let unknown = names(&|p| p.stage > old && p.stage < new);
            let unknown =
                unknown.map_or_else(String::new, |n| format!("; before or after it: {n}"));
            Some(format!(
                "Measured before the rate {}: {early}{unknown}.",
                verb(fell)
            ))
        }
        (None, None) => None,
    }
}

/// The last stage before a change of the rate at one setting of the curve, the first after it, and whether it fell.
fn between(points: &[PointResult], curve: &DepthCurve) -> Option<(u32, u32, bool)> {
    let old = curve.earlier.as_ref().unwrap_or(curve.best_point());
    let alike = |p: &&PointResult| {
        p.stage > old.stage && p.setting == old.setting && p.figures.data.ios > 0
    };
    let new = points.iter().filter(alike).find(|p| !p.agrees_with(old))?;
    Some((
        old.stage,
        new.stage,
        new.working_iops() < old.working_iops(),
    ))
}

/// Whether a point is one whose figures are said, beside the curve: no filling and no experiment, and none of a curve that
/// was measured again.
fn is_result(point: &PointResult, curve: Option<&DepthCurve>) -> bool {
    let family = family_of(&point.name).0;
    let is_void = family == "depth" && curve.is_some_and(|curve| curve.earlier.is_some());
    !is_fill(point) && !is_experiment(&point.name) && !is_void
}
