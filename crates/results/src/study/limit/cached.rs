//! Whether a cache held all that was measured.
//!
//! The survey writes what it reads, so a cache as large as that gives hits alone: they are of one kind, and look like a
//! device that is fast. No experiment on the same part of the target tells these apart. Reads of a part that was neither
//! written nor read before do: where they are as fast, no cache took part.

use super::causes::{Cause, Certainty, Limit, interval_of, is_at_once};
use super::round::family_of;
use super::{Experiment, Means};
use crate::study::series::DepthCurve;
use crate::summary::measured::PointResult;
use leadline_model::units::Percent;

/// The first part of the name of such a point.
pub(super) const COLD: &str = "cold";
/// Rates within this share of each other are the same.
const SAME: f64 = 0.1;

/// The reads that separate a cache from these causes, where the targets have a part for them that was not read yet.
pub(super) fn next<'a>(
    points: impl IntoIterator<Item = &'a PointResult>,
    curve: &DepthCurve,
    possible: &[Cause],
    means: Means,
) -> Option<Experiment> {
    let asks = !possible.is_empty() && possible.iter().all(|cause| is_like_a_cache(*cause));
    let is_new = cold_point(points, curve).is_none();
    (means.cold && asks && is_of_reads(curve) && is_new).then_some(Experiment::Cold)
}

/// A limit with what is known of a cache beside it.
pub(super) fn beside(mut limit: Limit, points: &[PointResult], curve: &DepthCurve) -> Limit {
    if !limit.cause().is_some_and(is_like_a_cache) || !is_of_reads(curve) {
        return limit;
    }
    let Some(cold) = cold_point(points, curve) else {
        if limit.cause() == Some(Cause::Concurrency) {
            limit.possible.push(Cause::Cache);
            limit.certainty = Certainty::Unknown;
        }
        limit.certainty = limit.certainty.min(Certainty::Likely);
        return limit;
    };
    limit.cold = Some(cold.iops());
    limit.evidence.push(cold.name.clone());
    let ratio = cold.iops() / limit.iops.max(1e-9);
    if ratio < 1.0 - SAME {
        limit.possible = vec![Cause::Cache];
        limit.certainty = Certainty::Likely;
        (limit.iops, limit.held) = (cold.iops(), cold.figures.span);
        limit.interval = interval_of(cold);
        limit.second = None;
    } else if ratio > 1.0 + SAME {
        // What was never written may need no device.
        limit.certainty = limit.certainty.min(Certainty::Likely);
    }
    limit
}

/// Causes that hits of a cache look like: a cap holds for hits too.
const fn is_like_a_cache(cause: Cause) -> bool {
    is_at_once(cause) || matches!(cause, Cause::Concurrency)
}

fn is_of_reads(curve: &DepthCurve) -> bool {
    curve.setting.read_percent == Some(Percent::ALL)
}

fn cold_point<'a>(
    points: impl IntoIterator<Item = &'a PointResult>,
    curve: &DepthCurve,
) -> Option<&'a PointResult> {
    let is = |p: &&PointResult| {
        let asks = p.setting.read_percent == curve.setting.read_percent;
        family_of(&p.name).0 == COLD && asks && p.figures.data.ios > 0
    };
    points.into_iter().filter(is).last()
}
