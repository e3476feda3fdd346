//! Whether a cache held all the data that was measured.
//!
//! The survey writes what it reads, so a cache as large as that gives hits alone: they are of one kind, and look like a
//! device that is fast. No experiment on the same part of the target distinguishes these. Reads of a part that was neither
//! written nor read before do: where they are as fast, no cache took part.

use super::causes::{
    Cause, Certainty, FEWEST_HITS, Limit, capacity, interval_of, is_at_once, last_confirmed,
    share_of_hits,
};
use super::family_of;
use super::{Experiment, Means};
use crate::stats::mixture::{Mixture, mixture};
use crate::stats::rate_shift;
use crate::study::series::DepthCurve;
use crate::summary::measured::{PointResult, Setting};
use leadline_model::plan::Amount;
use leadline_model::units::{Bytes, Percent};

/// The first part of the name of such a point, which reads what was not read before.
pub(super) const COLD: &str = "cold";
/// That of one that reads a set several times as large.
pub(super) const LARGER: &str = "larger";
/// That of one that reads a part of the set again and again.
pub(super) const SMALLER: &str = "smaller";
/// Rates within this share of each other are the same.
pub(crate) const SAME_RATE: f64 = 0.1;

/// The reads that separate a cache from these causes, where the targets have a part for them that was not read yet.
pub(super) fn next<'a>(
    points: impl IntoIterator<Item = &'a PointResult>,
    curve: &DepthCurve,
    possible: &[Cause],
    means: Means,
) -> Option<Experiment> {
    let asks = !possible.is_empty() && possible.iter().all(|cause| is_like_a_cache(*cause));
    let is_new = seen(points, curve, COLD).is_none();
    (means.cold && asks && is_of_reads(curve) && is_new).then_some(Experiment::Cold)
}

/// Whether latencies are of two kinds and nothing has shown yet whether a cache makes them.
pub(super) fn asks_for_a_smaller_set(points: &[PointResult], curve: &DepthCurve) -> bool {
    is_of_reads(curve)
        && !curve.is_in_slices()
        && of_two_kinds(points, curve).is_some()
        && seen(points, curve, SMALLER).is_none()
}

/// Hits and misses, where latencies are of two kinds; `None` where a part of the set has as many of the slower
/// kind, which no cache causes.
pub(super) fn of_a_cache(points: &[PointResult], curve: &DepthCurve) -> Option<Option<Limit>> {
    // What waits for the next slice of a quota is slow as a miss is.
    let (alone, found) = of_two_kinds(points, curve).filter(|_| !curve.is_in_slices())?;
    let smaller = seen(points, curve, SMALLER);
    let misses = |p: &PointResult| 1.0 - found.share_of_low(&p.figures.data.service.histogram);
    let is_cache = smaller.map(|p| misses(p) < (1.0 - found.low_share) / 2.0);
    let (possible, certainty) = match is_cache {
        Some(false) => return None,
        Some(true) => (vec![Cause::Cache], Certainty::Likely),
        None if curve.plateau() => (
            [capacity(), vec![Cause::Cache]].concat(),
            Certainty::Unknown,
        ),
        None => (vec![Cause::Concurrency, Cause::Cache], Certainty::Unknown),
    };
    let mut limit = Limit::new(possible, certainty, curve);
    limit.evidence = vec![alone.name.clone()];
    limit.evidence.extend(smaller.map(|p| p.name.clone()));
    limit.mixture = Some(found);
    limit.mixture_at = (alone.depth_words(), alone.depth_words());
    Some(Some(limit))
}

/// The two kinds of latency, and the point that shows them: one I/O at a time, else at the best depth, as where hits come
/// in groups.
fn of_two_kinds<'a>(
    points: &'a [PointResult],
    curve: &DepthCurve,
) -> Option<(&'a PointResult, Mixture)> {
    let best = curve.best_point().stage;
    let deepest = points.iter().find(|p| p.stage == best);
    let alone = curve.alone_point(points).filter(|p| !is_of_levels(p));
    let full = [last_confirmed(points, curve), deepest];
    let full: Vec<&PointResult> = full.into_iter().flatten().collect();
    let (at_most, moving) = (full.first().copied(), |p: &&PointResult| !has_fallen(p));
    alone
        .into_iter()
        .chain(full.into_iter().filter(moving))
        .find_map(|point| {
            let found = mixture(&point.figures.data.service.histogram)?;
            if at_most.is_some_and(|full| lacks_hits(full, &found)) {
                // Hits of one I/O at a time are none of the highest rate.
                return None;
            }
            let fewer = found.low_share.min(1.0 - found.low_share) * point.figures.data.ios as f64;
            // The first I/Os of a deep queue wait less than all that follow.
            let counts = !point.is_held_up() && fewer >= 4.0 * point.in_flight as f64;
            counts.then_some((point, found))
        })
}

/// Whether a point has none of the faster kind, as far as its latencies show it.
fn lacks_hits(point: &PointResult, found: &Mixture) -> bool {
    share_of_hits(point, found).is_some_and(|share| share < FEWEST_HITS)
}

/// Whether the rate varies so much that it changed its level while it was measured: the two kinds may have come one after
/// the other.
fn is_of_levels(point: &PointResult) -> bool {
    point.unevenness().is_some_and(|v| v > 0.3)
}

/// Whether the rate fell to a lower level, as it does when credits are spent.
fn has_fallen(point: &PointResult) -> bool {
    let mut measured = point.intervals.iter().filter(|passed| !passed.warmup);
    let length = measured.next().map(|passed| passed.length);
    let shift = length.and_then(|length| rate_shift(&point.rates, length));
    shift.is_some_and(|shift| shift.after < shift.before)
}

/// The larger set, where it was not read yet in this round.
pub(super) fn next_larger(
    points: &[PointResult],
    curve: &DepthCurve,
    number: u32,
) -> Option<Experiment> {
    let seen = seen(points, curve, LARGER);
    let is_new = seen.is_none_or(|point| family_of(&point.name).1 < number);
    is_new.then_some(Experiment::Larger)
}

/// A limit with what is known of a cache beside it.
pub(super) fn beside(mut limit: Limit, points: &[PointResult], curve: &DepthCurve) -> Limit {
    let larger = seen(points, curve, LARGER);
    if let (Some(found), Some(larger)) = (limit.mixture, larger) {
        let misses = 1.0 - found.share_of_low(&larger.figures.data.service.histogram);
        return instead(limit, larger, misses);
    }
    if !limit.cause().is_some_and(is_like_a_cache) || !is_of_reads(curve) {
        return limit;
    }
    limit.reads_outrun_writes = reads_outrun_writes(points, curve);
    let Some(cold) = larger.or_else(|| seen(points, curve, COLD)) else {
        if limit.cause() == Some(Cause::Concurrency) {
            limit.possible.push(Cause::Cache);
            limit.certainty = Certainty::Unknown;
        }
        limit.certainty = limit.certainty.min(Certainty::Likely);
        return limit;
    };
    let warm = last_confirmed(points, curve);
    let [fastest, slowest] = ratios(cold, warm, limit.iops);
    if fastest < 1.0 - SAME_RATE && !overlap(cold, warm) {
        limit.possible = vec![Cause::Cache];
        limit.second = None;
        limit = instead(limit, cold, 1.0);
        limit.certainty = Certainty::Likely;
    } else {
        limit.evidence.push(cold.name.clone());
        if larger.is_some() || slowest > 1.0 + SAME_RATE {
            // A cache may be larger still; what was never written may need no device.
            limit.certainty = limit.certainty.min(Certainty::Likely);
        }
    }
    limit.cold = Some(cold.figures.data.iops_known());
    limit
}

/// The rate of a point over that of another one, or over `otherwise`: the higher and the lower of the ratio of the means
/// and that of the rates outside standstills. A point of a few standstills, one more or one less, may have either for its
/// rate, and the ratio of one's mean to the other's rate outside them says nothing.
fn ratios(point: &PointResult, other: Option<&PointResult>, otherwise: f64) -> [f64; 2] {
    let over =
        |rate: fn(&PointResult) -> f64| rate(point) / other.map_or(otherwise, rate).max(1e-9);
    let (mean, working) = (over(PointResult::iops), over(PointResult::working_iops));
    [mean.max(working), mean.min(working)]
}

/// Whether the 95 % intervals of two rates overlap, so that neither is shown to be the lower one.
fn overlap(point: &PointResult, other: Option<&PointResult>) -> bool {
    let of_other = other.and_then(interval_of);
    let both = interval_of(point).zip(of_other);
    both.is_some_and(|(one, other)| one.low <= other.high && other.low <= one.high)
}

/// The same limit with the rate of this point, of which a part are misses.
fn instead(mut limit: Limit, point: &PointResult, misses: f64) -> Limit {
    limit.iops = point.iops() * misses;
    limit.interval = interval_of(point).map(|interval| interval.scaled(misses));
    limit.held = point.figures.span;
    limit.held_in = Some(point.stage);
    limit.evidence.push(point.name.clone());
    limit.cold = Some(limit.known());
    limit
}

/// Whether random writes of a depth that the curve has were slower than the reads: by more than rates differ without a
/// reason, and beyond their intervals.
fn reads_outrun_writes(points: &[PointResult], curve: &DepthCurve) -> bool {
    let is_slower = |write: &PointResult, read: &PointResult| {
        let of_writes = Setting {
            read_percent: Some(Percent::NONE),
            ..read.setting.clone()
        };
        write.setting == of_writes
            && write.figures.data.ios > 0
            && write.working_iops() < read.working_iops() * (1.0 - SAME_RATE)
            && !overlap(write, Some(read))
    };
    let reads = curve.points.iter().chain(curve.alone_point(points));
    let mut pairs = reads.flat_map(|read| points.iter().map(move |write| (write, read)));
    pairs.any(|(write, read)| is_slower(write, read))
}

/// Bytes of each worker's file or part in a set that is larger than one of `size` bytes each: four times, or as much as
/// there is of the `whole` bytes of the target in whole MiB for each of the workers.
pub(in crate::study) fn larger_part(size: u64, jobs: u32, whole: Option<u64>) -> u64 {
    /// A larger set is this many times the survey's.
    const TIMES: u64 = 4;
    let wanted = size.saturating_mul(TIMES);
    let most = whole.map_or(u64::MAX, |whole| {
        let part = whole / u64::from(jobs.max(1));
        part - part % Bytes::MIB
    });
    wanted.min(most)
}

/// Whether the target has room for a set twice as large as the curve's or larger, as far as that is known.
pub(super) fn has_room_for_more(curve: &DepthCurve) -> bool {
    let best = curve.best_point();
    match (best.whole, &best.setting.part.1) {
        (Some(whole), Some(Amount::Bytes(size))) => {
            larger_part(*size, best.setting.jobs, Some(whole)) >= size.saturating_mul(2)
        }
        _ => true,
    }
}

/// Causes that hits of a cache look like: a cap holds for hits too.
const fn is_like_a_cache(cause: Cause) -> bool {
    is_at_once(cause) || matches!(cause, Cause::Concurrency)
}

fn is_of_reads(curve: &DepthCurve) -> bool {
    curve.setting.read_percent == Some(Percent::ALL)
}

/// The last point of a family that is of the curve.
fn seen<'a>(
    points: impl IntoIterator<Item = &'a PointResult>,
    curve: &DepthCurve,
    family: &str,
) -> Option<&'a PointResult> {
    let is = |p: &&PointResult| {
        let asks = p.setting.read_percent == curve.setting.read_percent;
        family_of(&p.name).0 == family && asks && p.figures.data.ios > 0
    };
    points.into_iter().filter(is).last()
}
