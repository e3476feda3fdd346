//! What studies with rates share: the points of a kind of load, those at a rate, and whether it was reached.
//!
//! Belongs here: pure rules that several of them need. Must never: which point is next, or what it means.

use super::combinations::coordinates;
use super::done::Measured;
use super::spec::{Spec, StudyLoad};
use crate::summary::reached::is_missed;
use crate::summary::{Trust, percentile};
use leadline_model::latency::Latency;
use leadline_model::plan::study::{Axis, Coordinate, Coordinates, Role, Study};
use leadline_model::plan::{Arrival, UNDECIDED_IOPS};

/// The points of a kind of load, in the order in which they were measured.
pub(super) fn of_kind<'a>(done: &[&'a Measured], kind: &StudyLoad) -> Vec<&'a Measured> {
    let wanted = coordinates(kind);
    let is_of = |m: &&&Measured| {
        wanted
            .iter()
            .all(|(axis, at)| m.point.at.get(axis) == Some(at))
    };
    done.iter().filter(is_of).copied().collect()
}

/// The points of each repeat apart.
pub(super) fn by_repeat<'a>(done: &[&'a Measured]) -> Vec<Vec<&'a Measured>> {
    let number = |m: &Measured| m.number(Axis::Repeat).map(crate::words::whole);
    let mut numbers: Vec<Option<u64>> = done.iter().map(|m| number(m)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let of = |n| done.iter().copied().filter(|m| number(m) == n).collect();
    numbers.into_iter().map(of).collect()
}

/// The first point with this role.
pub(super) fn with_role<'a>(done: &[&'a Measured], role: Role) -> Option<&'a Measured> {
    done.iter().copied().find(|m| m.role() == role)
}

/// A point of a kind of load, with more that distinguishes it from others.
pub(super) fn point(
    study: &Study,
    role: Role,
    kind: &StudyLoad,
    more: &[(Axis, f64)],
    rate: Option<(f64, Arrival)>,
) -> Spec {
    let mut at = coordinates(kind);
    at.extend(numbers(more));
    let load = StudyLoad {
        rate,
        ..kind.clone()
    };
    Spec::of(role, at, load, study)
}

/// I/Os a second that are this percentage of the highest rate, 1 at the least; `None` = that is not known yet.
pub(super) fn share_of(percent: f64, highest: Option<f64>) -> f64 {
    highest.map_or(UNDECIDED_IOPS, |highest| {
        (percent / 100.0 * highest).max(1.0)
    })
}

/// Numbers as coordinates.
pub(super) fn numbers(values: &[(Axis, f64)]) -> Coordinates {
    let one = |&(axis, n): &(Axis, f64)| (axis, Coordinate::Number(n));
    values.iter().map(one).collect()
}

/// Half the interval, as a logarithm, of a percentile that has none of its own: from ranks, with as many independent
/// samples as the 99th percentile has.
pub(super) fn by_rank(measured: &Measured, percent: f64) -> Option<f64> {
    let latency = measured.summary.figures.data.response();
    let known = measured.response_at(99.0)?;
    known.low?;
    let effective = known.beyond / 0.01;
    let share = percent / 100.0;
    let half = 1.96 * (share * (1.0 - share) / effective.max(1.0)).sqrt();
    if share + half >= 1.0 {
        return None;
    }
    let at = |share: f64| percentile(latency, (100.0 * share).clamp(0.0, 100.0));
    let (low, high) = (at(share - half)?, at(share + half)?);
    let is_known = high.trust != Trust::TooFew;
    is_known.then(|| (high.value.0.max(1) as f64 / low.value.0.max(1) as f64).ln() / 2.0)
}

/// Whether less than 0.98 of a rate was reached, by more I/Os than chance explains.
pub(super) fn missed(measured: &Measured, asked: f64) -> bool {
    is_short(
        asked,
        measured.iops(),
        measured.summary.figures.span.as_secs_f64(),
    )
}

/// The same of figures: I/Os a second asked and reached in this many seconds, whose intended starts are taken as drawn.
pub(super) fn is_short(asked: f64, reached: f64, seconds: f64) -> bool {
    is_missed(Arrival::Poisson, asked, reached, seconds)
}

/// The requested rate of a point, all its loads together, in I/Os a second; `None` where none was.
pub(super) fn asked(measured: &Measured) -> Option<f64> {
    let rates = measured.summary.workloads.iter().flat_map(|w| &w.rates);
    let sum: f64 = rates.map(|rate| rate.asked_value()).sum();
    (sum > 0.0).then_some(sum)
}

/// Whether more I/Os were due at the end of a point and had not ended than a queue has that stays: a fiftieth of all,
/// and more than chance explains, which leaves about twice the root of their number; or enough that half of the
/// latencies are not known.
pub(super) fn is_queued(point: &Measured) -> bool {
    const SHARE: f64 = 0.02;
    let data = &point.summary.figures.data;
    let open = data.response.as_ref().map_or(0, Latency::unfinished) as f64;
    let due = data.ios as f64 + open;
    let is_open = point.response_at(50.0).is_some_and(|p| p.at_least);
    is_open || open > SHARE * due && open > 2.0 * due.sqrt()
}

/// Whether a point missed its rate.
pub(super) fn is_saturated(measured: &Measured) -> bool {
    let seconds = measured.summary.figures.span.as_secs_f64();
    asked(measured).is_some_and(|rate| is_short(rate, measured.iops(), seconds))
}
