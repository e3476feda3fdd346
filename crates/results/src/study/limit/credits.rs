//! Burst credits: a rate that falls within a point, and the credits spent until then.
//!
//! A token bucket lets I/Os pass at the higher rate while it holds tokens, gains tokens at the lower rate and loses one
//! with each I/O. So what was done beyond the lower rate, since the bucket was full, is what the bucket held when it
//! was empty: (high - low) x time where the rate was the higher one throughout.

use super::fall::{FallWithin, within};
use super::write_cost::{BucketRates, KindCost, Tokens};
use crate::stats::Interval;
use crate::study::levels::{fall_within, last_iops};
use crate::study::series::DepthCurve;
use crate::summary::measured::{Passed, PointResult};
use leadline_model::units::{Nanos, Percent};

/// The rate after a fall is that which is confirmed later, within this share.
const STAYS: f64 = 0.1;

/// Less than this share of what a bucket holds is no difference.
const SAME: f64 = 0.02;

/// A fall from one rate to a lower one, and the size of the bucket, if credits caused it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Credits {
    /// The highest rate that was reached while there were any, I/Os a second.
    pub high: Interval,
    /// Whether no I/O waited for another in the point of that rate: with more in flight it may have been higher.
    pub is_at_least: bool,
    /// The rate until they were spent of the curve's point in which that was: less where its depth allows no more.
    pub before: Interval,
    /// I/Os a second after that.
    pub low: Interval,
    /// When they were first spent, from the start of the run.
    pub fell_at: Nanos,
    /// Between which times that was: what was done within an interval is not distinguished.
    pub fell_between: (Nanos, Nanos),
    /// What was done beyond the lower rate until then, in I/Os of the curve's kind: the whole bucket if it was full at the start.
    /// The least and the most that it may be, which are the same where it is known what a write takes; each with what the
    /// interval of the lower rate makes of it.
    pub store: (Interval, Interval),
    /// The same in bytes.
    pub store_bytes: (Interval, Interval),
    /// What the other kind takes of it, a write beside a curve of reads.
    pub cost: KindCost,
    /// Bytes of an I/O at these rates.
    pub block: u64,
}

impl Credits {
    /// Whether the two rates differ by more than their 95 % intervals together: less is chance, with credits or without.
    pub(super) fn is_seen(&self) -> bool {
        let half = |of: &Interval| (of.high - of.low) / 2.0;
        self.high.value - self.low.value > half(&self.high).hypot(half(&self.low))
    }

    /// When they were first spent, in nanoseconds from the start of the run.
    #[must_use]
    pub fn fell_within(&self) -> Interval {
        let (first, last) = self.fell_between;
        Interval {
            value: self.fell_at.0 as f64,
            low: first.min(self.fell_at).0 as f64,
            high: last.max(self.fell_at).0 as f64,
            settled: true,
        }
    }

    /// For how many seconds a full bucket lasts at the higher rate; `of_bytes` = it holds bytes, of which a larger I/O took more.
    /// `None` where it is not known what it holds.
    #[must_use]
    pub fn last(&self, of_bytes: bool) -> Option<Interval> {
        let ios = self.ios(of_bytes)?;
        let of = |ios: f64, high: f64, low: f64| ios / (high - low).max(1e-9);
        let (high, low) = (&self.high, &self.low);
        let value = of(ios.value, high.value, low.value);
        // A higher lower rate leaves less of what was done to the bucket.
        let of_low =
            [(ios.high, low.low), (ios.low, low.high)].map(|(ios, low)| of(ios, high.value, low));
        let of_high = [high.low, high.high].map(|high| of(ios.value, high, low.value));
        Some(Interval {
            value,
            settled: ios.settled && high.settled,
            ..around(value, [of_low, of_high])
        })
    }

    /// How many seconds an empty bucket takes to refill without I/O, likewise.
    #[must_use]
    pub fn refill(&self, of_bytes: bool) -> Option<Interval> {
        let (ios, low) = (self.ios(of_bytes)?, &self.low);
        let value = ios.value / low.value.max(1e-9);
        let ends = [ios.low / low.high.max(1e-9), ios.high / low.low.max(1e-9)];
        Some(Interval {
            settled: ios.settled,
            ..around(value, [ends])
        })
    }

    /// What the bucket holds, in I/Os of the size that has these rates.
    fn ios(&self, of_bytes: bool) -> Option<Interval> {
        match of_bytes {
            true => Some(Self::known(self.store_bytes)?.scaled(1.0 / self.block.max(1) as f64)),
            false => Self::known(self.store),
        }
    }

    /// Whether the bucket holds another number of I/Os of this size if it holds bytes: I/Os of other sizes were done before.
    pub(super) fn differs_in_bytes(&self) -> bool {
        let of_bytes = |bytes: f64| bytes / self.block.max(1) as f64;
        let differs = |ios: Interval, bytes: Interval| {
            (ios.value - of_bytes(bytes.value)).abs() > SAME * ios.value
        };
        differs(self.store.0, self.store_bytes.0) || differs(self.store.1, self.store_bytes.1)
    }

    /// What a bucket holds, in its unit, where that is known; `None` where it depends on what a write takes.
    #[must_use]
    pub fn known((least, most): (Interval, Interval)) -> Option<Interval> {
        let known = Interval {
            value: f64::midpoint(least.value, most.value),
            low: least.low,
            high: most.high,
            settled: least.settled && most.settled,
        };
        (most.value - least.value <= SAME * most.value).then_some(known)
    }
}

/// A value whose errors of several origins reach to these ends: they add as squares.
fn around<const N: usize>(value: f64, ends: [[f64; 2]; N]) -> Interval {
    let far = |is: &dyn Fn(f64) -> f64| {
        let each = ends
            .iter()
            .map(|pair| is(pair[0]).max(is(pair[1])).max(0.0));
        each.fold(0.0, f64::hypot)
    };
    Interval {
        value,
        low: (value - far(&|end| value - end)).max(0.0),
        high: value + far(&|end| end - value),
        settled: false,
    }
}

/// The first fall within a point of the curve's kind to the rate that was confirmed after it; where a pause brought the
/// higher rate back (`returned`), also one that no measured window shows, in a warm-up or from one point to the next.
pub(super) fn fall(
    points: &[PointResult],
    curve: &DepthCurve,
    confirmed: &PointResult,
    returned: bool,
) -> Option<Credits> {
    let alike = alike(points, curve, confirmed.stage);
    // It may have fallen in the point that confirms it.
    let ended = fall_within(confirmed).map(|[_, after]| after);
    let stayed = ended.map_or(confirmed.iops(), |ended| ended.value);
    let stays = |fall: &FallWithin<'_>| (stayed / fall.low.value - 1.0).abs() <= STAYS;
    let falls: Vec<Option<FallWithin<'_>>> = alike.iter().map(|p| within(p)).collect();
    let seen = falls.iter().flatten().find(|fall| stays(fall));
    let before = alike.iter().zip(&falls).map(|(point, fall)| match fall {
        Some(fall) => (*point, fall.high),
        None => (*point, point.working_known()),
    });
    let (high, is_at_least) = highest(&before.collect::<Vec<_>>(), points)?;
    // Of a few intervals after the fall no interval is known; the run that confirms the rate has one.
    let low = seen.map(|seen| seen.low).filter(Interval::is_known);
    let low = low.unwrap_or_else(|| ended.unwrap_or_else(|| confirmed.working_known()));
    let block = curve.setting.block;
    let rates = BucketRates {
        high: high.value,
        low: low.value,
    };
    let cost = KindCost::of(points, curve, rates);
    let spent_first = Emptied::first(points, block, rates, cost);
    let spent_first = spent_first.filter(|first| match seen {
        Some(seen) => first.at < seen.at,
        None => returned && high.value > low.value * FASTER,
    });
    let own = || {
        seen.map(|seen| Emptied {
            at: seen.at,
            last: seen.last,
        })
    };
    let first = spent_first.or_else(own)?;
    let spent = |of_bytes: bool| {
        let held = |cost_of_one: f64, low: f64| {
            let cost = cost.at(cost_of_one);
            let of_one = if of_bytes { block as f64 } else { 1.0 };
            spent(points, first.last, low * of_one, Tokens { of_bytes, cost })
        };
        let of = |end: f64| {
            let value = held(end, low.value);
            let by_rate = [low.low, low.high].map(|low| held(end, low));
            let by_cost = [-cost.error, cost.error].map(|off| held(end * (1.0 + off), low.value));
            Interval {
                settled: low.settled,
                ..around(value, [by_rate, by_cost])
            }
        };
        (of(cost.least), of(cost.most))
    };
    Some(Credits {
        high,
        is_at_least,
        before: seen.map_or(high, |seen| seen.high),
        low,
        fell_at: first.at,
        fell_between: first.between(points),
        store: spent(false),
        store_bytes: spent(true),
        cost,
        block,
    })
}

/// The points of the curve's setting at any depth, up to this stage.
fn alike<'a>(points: &'a [PointResult], curve: &DepthCurve, last: u32) -> Vec<&'a PointResult> {
    let alike = points.iter().filter(|point| is_alike(point, curve));
    alike.filter(|point| point.stage <= last).collect()
}

/// Whether a point runs as fast as it can, with the I/Os of a curve: those of another size have another rate, and a bucket of
/// bytes or of I/Os is none of the other.
fn is_alike(point: &PointResult, curve: &DepthCurve) -> bool {
    let setting = &point.setting;
    let as_fast = !setting.paced && setting.think.is_none();
    let asks = setting.read_percent == curve.setting.read_percent;
    asks && as_fast && setting.block == curve.setting.block && setting.random
}

/// The highest rate of some points with the rates that they had before a fall, and whether it is only a lower bound: that of as
/// many in flight, and none with more was as fast.
fn highest(each: &[(&PointResult, Interval)], points: &[PointResult]) -> Option<(Interval, bool)> {
    let higher = |a: (_, Interval), b: (_, Interval)| if b.1.value > a.1.value { b } else { a };
    let (highest, high) = each.iter().copied().reduce(higher)?;
    let is_as_fast = |&(p, rate): &(&PointResult, Interval)| {
        p.in_flight > highest.in_flight && rate.value >= high.value * (1.0 - STAYS)
    };
    let is_shown = each.iter().any(is_as_fast);
    Some((high, !is_shown && is_of_depth(highest, high.value, points)))
}

/// Whether a rate is that of the I/Os in flight of its point, each as quick as one alone: none waited for another. Where one at a
/// time has it and none was measured after a pause, whether it waits for a limit is not known: then it may.
fn is_of_depth(point: &PointResult, rate: f64, points: &[PointResult]) -> bool {
    /// Less than this share of what as many without a queue would do is limited by something else.
    const ALL: f64 = 0.9;
    let shape = |p: &PointResult| (p.setting.read_percent, p.setting.block, p.setting.random);
    let is_alone = |p: &&PointResult| p.in_flight == 1 && shape(p) == shape(point);
    let alone = points.iter().filter(is_alone);
    let medians = alone.filter_map(|p| p.figures.data.service_at(50.0));
    let quickest = medians.map(|median| median.value).min();
    quickest.is_some_and(|one| rate * one.as_secs_f64() >= ALL * point.in_flight as f64)
}

/// A rate above another by this factor is not that one.
const FASTER: f64 = 1.25;
/// An interval has one I/O more or less at each end.
const ENDS: f64 = 2.0;

/// When the credits were first spent, in a point of whatever kind: what its bucket held is known best then.
struct Emptied<'a> {
    /// From the start of the run.
    at: Nanos,
    /// The first interval at the lower rate.
    last: &'a Passed,
}

impl<'a> Emptied<'a> {
    /// Between which times it was: from the start of the interval before the first at the lower rate to the end of that one.
    fn between(&self, points: &[PointResult]) -> (Nanos, Nanos) {
        let intervals = points.iter().flat_map(|point| &point.intervals);
        let before = intervals
            .take_while(|passed| passed.start < self.last.start)
            .last();
        let end = Nanos(self.last.start.0 + self.last.length.0);
        (before.unwrap_or(self.last).start, end)
    }

    /// Where a point first goes on at the lower one of two rates (I/Os of `block` bytes a second) to its end, warm-ups
    /// included: one that was faster before, or the first after another with no more in flight that was. What is
    /// not of the curve's kind counts as `cost` says; where that is not known, a fall within such a point shows it.
    fn first(
        points: &'a [PointResult],
        block: u64,
        rates: BucketRates,
        cost: KindCost,
    ) -> Option<Self> {
        /// Fewer intervals at a rate are chance.
        const FEWEST: usize = 4;
        let (is_known, cost) = (cost.is_shown(), cost.likely());
        let found = |(place, point): (usize, &'a PointResult)| {
            let own = || Self::of_a_fall(point, rates);
            if let Some(own) = (!is_known && point.iops_of(cost.other) > 0.0)
                .then(own)
                .flatten()
            {
                return Some(own);
            }
            let could_more = || is_faster_with_as_many(points, point, (block, rates.low), cost);
            amounts(point, block, cost).find_map(|amount| {
                let needed = (rates, FEWEST, cost);
                let found = Self::within(&point.intervals, &amount, needed, &could_more)?;
                let is_whole = point.intervals.first() == Some(found.last);
                let earlier = || Self::before_all(&points[..place], block, (rates, cost));
                Some(is_whole.then(earlier).flatten().unwrap_or(found))
            })
        };
        let each = points.iter().enumerate();
        each.filter(|(_, point)| is_as_fast(point)).find_map(found)
    }

    /// The same of these points, after which one is at the lower rate from its start. What is at that rate throughout spends no
    /// credits, so that they were spent before all such points at the end: in the last few intervals of the one before them, or
    /// after it. `None` where it is not one of these points.
    fn before_all(
        points: &'a [PointResult],
        block: u64,
        (rates, cost): (BucketRates, KindCost),
    ) -> Option<Self> {
        let is_at_low = |point: &PointResult| {
            let mut amounts = amounts(point, block, cost);
            is_as_fast(point)
                && amounts.any(|amount| is_all_low(&point.intervals, &amount, rates.low, cost))
        };
        let last = points.iter().rposition(|point| !is_at_low(point))?;
        let before = &points[last];
        let ended = || {
            amounts(before, block, cost)
                .find_map(|amount| Self::at_the_end(&before.intervals, &amount, (rates, cost)))
        };
        let after = || {
            let first = points.get(last + 1)?.intervals.first()?;
            Some(Self {
                at: first.start,
                last: first,
            })
        };
        let ended = is_as_fast(before).then(ended).flatten();
        ended.or_else(after)
    }

    /// The same where a point of another kind of I/O has a fall of its own, which those of two rates allow.
    fn of_a_fall(point: &'a PointResult, rates: BucketRates) -> Option<Self> {
        /// Levels of reads and writes are known to this, as a share.
        const ROUGH: f64 = 1.15;
        let fall = within(point)?;
        let times = fall.high.value / fall.low.value.max(1e-9);
        let is_one = (FASTER..=ROUGH * rates.high / rates.low.max(1e-9)).contains(&times);
        is_one.then_some(Self {
            at: fall.at,
            last: fall.last,
        })
    }

    /// The same in the last few intervals of a point before one that is at the lower rate from its start.
    fn at_the_end(
        intervals: &'a [Passed],
        amount: &dyn Fn(&Passed) -> f64,
        (rates, cost): (BucketRates, KindCost),
    ) -> Option<Self> {
        let (last, rest) = intervals.split_last()?;
        // The last may have the rest of another.
        let whole = match last.length.0 * 2 < rest.last()?.length.0 {
            true => rest,
            false => intervals,
        };
        Self::within(whole, amount, (rates, 1, cost), &|| false)
    }

    /// The same of the intervals of one point, of which N or more are at the lower rate.
    fn within(
        intervals: &'a [Passed],
        amount: &dyn Fn(&Passed) -> f64,
        (BucketRates { high, low }, fewest, cost): (BucketRates, usize, KindCost),
        could_more: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let expected = |p: &Passed| p.length.as_secs_f64() * low;
        let is_high = |p: &Passed| amount(p) > FASTER * expected(p) + ENDS * cost.largest();
        let is_low = |p: &Passed| is_near(amount(p), expected(p), cost);
        let from = intervals.iter().rposition(|p| !is_low(p));
        let (before, after) = intervals.split_at(from.map_or(0, |last| last + 1));
        if after.len() < fewest || !(before.iter().any(is_high) || could_more()) {
            return None;
        }
        let last = after.first()?;
        let at = before.last().map_or(last.start, |edge| {
            let rate = |p: &Passed| amount(p) / p.length.as_secs_f64().max(1e-9);
            let fast = before
                .len()
                .checked_sub(2)
                .map_or(high, |at| rate(&before[at]));
            let part = ((rate(edge) - low) / (fast - low).max(1e-9)).clamp(0.0, 1.0);
            Nanos(edge.start.0 + crate::words::whole(part * edge.length.0 as f64))
        });
        Some(Self { at, last })
    }
}

/// Whether a point runs as fast as it can, without a stall.
fn is_as_fast(point: &PointResult) -> bool {
    !point.setting.paced && point.setting.think.is_none() && !point.is_held_up()
}

/// What an interval of a point took of a bucket, in I/Os of `block` bytes, of each kind of bucket: of one of bytes a larger I/O
/// takes more.
fn amounts(
    point: &PointResult,
    block: u64,
    cost: KindCost,
) -> impl Iterator<Item = impl Fn(&Passed) -> f64> {
    let kinds = match point.setting.block == block {
        true => &[false][..],
        false => &[false, true],
    };
    kinds.iter().map(move |&of_bytes| {
        let tokens = Tokens { of_bytes, cost };
        let of_one = if of_bytes { block.max(1) as f64 } else { 1.0 };
        move |passed: &Passed| tokens.of(passed) / of_one
    })
}

/// Whether an amount is the expected one: an interval has one I/O more or less at each end.
fn is_near(amount: f64, expected: f64, cost: KindCost) -> bool {
    (amount - expected).abs() <= (STAYS * expected).max(ENDS * cost.largest())
}

/// Whether intervals are at the rate `low`, each of them and all together: of few I/Os each is off by its ends.
fn is_all_low(
    intervals: &[Passed],
    amount: &dyn Fn(&Passed) -> f64,
    low: f64,
    cost: KindCost,
) -> bool {
    let expected = |p: &Passed| p.length.as_secs_f64() * low;
    let all = intervals.iter();
    let [done, of_low] = [
        all.clone().map(amount).sum::<f64>(),
        all.clone().map(expected).sum(),
    ];
    let mut each = all.map(|p| is_near(amount(p), expected(p), cost));
    !intervals.is_empty() && each.all(|is| is) && is_near(done, of_low, cost)
}

/// Whether another point of these reads and writes, or of each of the two where both are mixed, was faster than `low` with no
/// more in flight: then this one is at that rate by a limit.
fn is_faster_with_as_many(
    points: &[PointResult],
    point: &PointResult,
    (block, low): (u64, f64),
    cost: KindCost,
) -> bool {
    if point.setting.block != block || !point.setting.random {
        return false;
    }
    let is_faster = |share: Option<Percent>| {
        points.iter().any(|p| {
            let setting = &p.setting;
            let as_fast = !setting.paced && setting.think.is_none() && setting.random;
            let is_like = setting.block == block && setting.read_percent == share;
            let no_more = p.in_flight <= point.in_flight;
            as_fast && is_like && no_more && cost.rate_of(p) > low * FASTER
        })
    };
    let own = point.setting.read_percent;
    is_faster(own)
        || [Percent::ALL, Percent::NONE]
            .iter()
            .all(|one| is_faster(Some(*one)))
}

/// What was taken beyond `low` tokens a second from the start of the run to the end of an interval; credits that come back
/// meanwhile are not more than were spent.
fn spent(points: &[PointResult], last: &Passed, low: f64, tokens: Tokens) -> f64 {
    let (mut spent, mut until) = (0.0_f64, Nanos::ZERO);
    let intervals = points.iter().flat_map(|point| &point.intervals);
    for passed in intervals.take_while(|passed| passed.start <= last.start) {
        let end = Nanos(passed.start.0 + passed.length.0);
        let came = end.since(until).as_secs_f64() * low;
        spent = (spent + tokens.of(passed) - came).max(0.0);
        until = end;
    }
    spent
}

/// Whether a point begins faster than `low`, the rate that it goes on with, right after one that left no credits: with as much in
/// flight or more, that had come to `low`, which it would not with credits left. Then it is not a pause that brings the higher
/// rate: each new point does, as where it reads at first what a cache still holds.
pub(super) fn begins_fast(points: &[PointResult], curve: &DepthCurve, low: f64) -> bool {
    let is_like = |p: &PointResult| is_alike(p, curve) && p.figures.data.ios > 0;
    points.windows(2).any(|pair| {
        let (before, point) = (&pair[0], &pair[1]);
        let is_rest = super::family_of(&point.name).0 == "rest";
        let is_pair = is_like(before) && is_like(point) && !is_rest;
        is_pair && has_spent(before, point, low) && is_more_than_came(before, point, low)
    })
}

/// Whether a point would have gone on above `low` if there had been credits for the next.
fn has_spent(before: &PointResult, next: &PointResult, low: f64) -> bool {
    /// Above that rate by less.
    const AT_IT: f64 = 1.05;
    before.in_flight >= next.in_flight && end_rate(before).is_some_and(|mean| mean <= low * AT_IT)
}

/// I/Os a second of the last quarter of a point; `None` where it has no whole interval.
fn end_rate(point: &PointResult) -> Option<f64> {
    let last = &point.rates[point.rates.len() * 3 / 4..];
    (!last.is_empty()).then(|| last.iter().sum::<f64>() / last.len() as f64)
}

/// Whether a point ended above the rate `low`, with credits left.
pub(super) fn has_credits_left(point: &PointResult, low: f64) -> bool {
    end_rate(point).is_some_and(|rate| rate > low * FASTER)
}

/// Whether any point before the one that confirms a rate, of whatever kind, fell to that rate of I/Os or of bytes: credits may
/// have been spent in it, as in the fill or in the writes, so that the curve has seen none.
pub(super) fn fell_before(
    points: &[PointResult],
    curve: &DepthCurve,
    confirmed: &PointResult,
) -> bool {
    let end = points.partition_point(|point| point.stage < confirmed.stage);
    let low = last_iops(confirmed);
    let high = low * FASTER;
    let cost = KindCost::of(&points[..end], curve, BucketRates { high, low }).likely();
    Emptied::first(
        &points[..end],
        curve.setting.block,
        BucketRates { high, low },
        cost,
    )
    .is_some()
}

/// Whether a point begins with more I/Os beyond the rate `low` than credits for them can have come since the one before it.
fn is_more_than_came(before: &PointResult, point: &PointResult, low: f64) -> bool {
    /// The first intervals are faster than the rest by this factor.
    const FASTER: f64 = 1.1;
    /// Beyond the credits that came by this factor.
    const MORE: f64 = 2.0;
    let (Some(last), Some(first)) = (before.intervals.last(), point.intervals.first()) else {
        return false;
    };
    let gap = first.start.since(Nanos(last.start.0 + last.length.0));
    let saved = (low - before.working_iops()).max(0.0) * before.took.as_secs_f64();
    let came = low * gap.as_secs_f64() + saved;
    let fast = point
        .intervals
        .iter()
        .take_while(|p| p.rate() > low * FASTER);
    let beyond: f64 = fast
        .map(|p| (p.rate() - low) * p.length.as_secs_f64())
        .sum();
    beyond > MORE * came.max(point.in_flight as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

    /// 3 GiB of bytes at 150 beside 60 MiB/s, of which the survey's large I/Os took a part: 34.1 s, and 51.2 s to refill.
    #[test]
    fn a_bucket_of_bytes_lasts_as_its_bytes_do() {
        let only = Interval::only;
        let of = |mib: f64| only(mib * 256.0);
        let credits = Credits {
            high: of(150.0),
            is_at_least: false,
            before: of(150.0),
            low: of(60.0),
            fell_at: Nanos::ZERO,
            fell_between: (Nanos::ZERO, Nanos::ZERO),
            store: (only(323_000.0), only(323_000.0)),
            store_bytes: (only(3.0 * GIB), only(3.0 * GIB)),
            cost: KindCost::ONE,
            block: 4096,
        };
        let near = |time: Option<Interval>, seconds: f64| {
            time.is_some_and(|time| (time.value / seconds - 1.0).abs() < 0.01)
        };
        assert!(near(credits.last(true), 34.13), "{:?}", credits.last(true));
        assert!(
            near(credits.refill(true), 51.2),
            "{:?}",
            credits.refill(true)
        );
        assert!(
            near(credits.last(false), 14.02),
            "{:?}",
            credits.last(false)
        );
        // What depends on what a write takes is not known.
        let open = Credits {
            store: (only(29_000.0), only(60_000.0)),
            ..credits
        };
        assert_eq!((open.last(false), open.refill(false)), (None, None));
    }
}
