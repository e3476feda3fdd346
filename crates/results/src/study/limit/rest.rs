//! The rest in which spent credits come back.
//!
//! Belongs here: how long it is, and what is in flight after it. Must never: say whether credits came back.

use super::Experiment;
use crate::study::series::DepthCurve;
use crate::summary::measured::{PointResult, SAME};
use leadline_model::units::Nanos;

/// Pause in which credits gather.
const REST: Nanos = Nanos::from_secs(10);

/// A rest, and then as many in flight as at the highest rate of all points like the curve's, at the least: a lower depth may not
/// reach what came back.
pub(super) fn rest(points: &[PointResult], curve: &DepthCurve) -> Experiment {
    let own = &curve.setting;
    let is_like = |p: &&PointResult| {
        let other = &p.setting;
        (other.read_percent, other.block, other.random, other.jobs)
            == (own.read_percent, own.block, own.random, own.jobs)
            && other.think.is_none()
    };
    let of_one = |p: &PointResult| p.rates.iter().copied().fold(0.0, f64::max);
    let alike = || points.iter().filter(is_like);
    let of_all = alike().map(of_one).fold(0.0, f64::max);
    let fastest = alike().filter(|p| of_one(p) * (1.0 + SAME) >= of_all);
    let depths = fastest.map(|p| p.setting.depth);
    Experiment::Rest {
        pause: REST,
        depth: depths.min().unwrap_or(own.depth),
    }
}
