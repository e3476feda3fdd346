//! Whether the rate changed its level within a point: the one search for it, which all of a study and its verdict read.
//!
//! Must never: say why (`super::limit` does).

use crate::stats::{Interval, OF_MANY, Shift, level, rate_shift};
use crate::summary::few_slow::intervals_differ_by_few;
use crate::summary::measured::{Passed, PointResult};
use crate::words::level_within;
use leadline_model::latency::Latency;
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
    /// Both with their intervals.
    pub(crate) levels: [Interval; 2],
}

impl LevelChange {
    /// The higher rate over the lower one.
    pub(super) fn times(&self) -> f64 {
        self.before.max(self.after) / self.before.min(self.after).max(1e-9)
    }

    /// Both levels in words, times `each` of what the words count; one that lasted for too few slices has no interval.
    pub(crate) fn words(&self, each: f64, words: fn(&Interval) -> String) -> [String; 2] {
        self.levels
            .map(|level| level_within(&level.scaled(each), words))
    }
}

/// The largest change of level within a point, and what it was found in.
pub(super) struct ShiftWithin<'a> {
    /// The measured intervals but for the last, which may be short or hold the rest of another.
    pub(super) whole: Vec<&'a Passed>,
    /// I/Os a second of each.
    pub(super) rates: Vec<f64>,
    /// Where they change their level.
    pub(super) shift: Shift,
}

impl ShiftWithin<'_> {
    /// Both levels with their intervals. In the two intervals at the change it changed.
    pub(super) fn levels(&self) -> [Interval; 2] {
        let Shift {
            at,
            ends: (from, to),
            before,
            after,
            ..
        } = self.shift;
        let passed = |from: usize, to: usize| -> Vec<(f64, f64)> {
            let part = self.whole.get(from..to).unwrap_or_default();
            let each = part.iter().map(|p| (p.rate(), p.length.as_secs_f64()));
            each.map(|(rate, seconds)| (rate * seconds, seconds))
                .collect()
        };
        [
            level(before, &passed(from, at.saturating_sub(1))),
            level(after, &passed(at + 1, to)),
        ]
    }
}

/// The largest change of level within a point that runs as fast as it can; `None` where there is none, in a point that was stalled,
/// which falls and rises again, and where a few slow I/Os make it, as the tail of a distribution does.
pub(super) fn shift_within(point: &PointResult) -> Option<ShiftWithin<'_>> {
    let is_steady = point.setting.paced || point.setting.think.is_some();
    if is_steady || point.is_held_up() {
        return None;
    }
    shift_among(&point.intervals, &point.figures.data.service)
}

/// The same of these intervals, of whose I/Os together the latencies are known.
pub(super) fn shift_among<'a>(intervals: &'a [Passed], all: &Latency) -> Option<ShiftWithin<'a>> {
    let mut whole: Vec<&Passed> = intervals.iter().filter(|p| !p.warmup).collect();
    whole.pop();
    let rates: Vec<f64> = whole.iter().map(|p| p.rate()).collect();
    let shift = rate_shift(&rates, whole.first()?.length)?;
    let before = whole.get(shift.ends.0..shift.at)?;
    let after = whole.get(shift.at..shift.ends.1)?;
    (!intervals_differ_by_few(before, after, all)).then_some(ShiftWithin {
        whole,
        rates,
        shift,
    })
}

/// The one change of level within a point, by a fifth or more; `None` where there is none or are several.
pub(crate) fn change_within(point: &PointResult) -> Option<LevelChange> {
    let found = shift_within(point)?;
    let ShiftWithin { whole, shift, .. } = &found;
    let (least, most) = (shift.before.min(shift.after), shift.before.max(shift.after));
    (shift.changes == 1 && least < APART * most).then(|| LevelChange {
        at: whole[shift.at].start,
        fell: shift.after < shift.before,
        before: shift.before,
        after: shift.after,
        levels: found.levels(),
    })
}

/// The lower rate of a point whose rate fell within it, by a tenth or more; `None` where it did not fall. Its mean is a rate that
/// the volume never had.
pub(crate) fn fallen_to(point: &PointResult) -> Option<f64> {
    let ShiftWithin { shift, .. } = shift_within(point)?;
    (shift.after < shift.before).then_some(shift.after)
}

/// A rate is that of a level if it is no further from it, as a share.
const NEAR: f64 = 0.1;

/// Whether the rate of a point fell within it to that of a later one: its mean is then of two levels, however near it is.
pub(super) fn fell_to(point: &PointResult, later: &PointResult) -> bool {
    let is_later = |level: f64| (later.working_iops() / level - 1.0).abs() <= NEAR;
    change_within(point).is_some_and(|change| change.fell && is_later(change.after))
}

/// Whether the rate of a point fell within it from that of an earlier one. Its mean may agree with that: the mean of two levels has a
/// wide interval.
pub(super) fn fell_from(point: &PointResult, earlier: &PointResult) -> bool {
    let is_earlier = |level: f64| (earlier.working_iops() / level - 1.0).abs() <= NEAR;
    change_within(point).is_some_and(|change| change.fell && is_earlier(change.before))
}

/// The rate from which the rate of a point fell within it, and that to which it fell; `None` where it did not fall.
pub(super) fn fall_within(point: &PointResult) -> Option<[Interval; 2]> {
    let change = change_within(point).filter(|change| change.fell)?;
    Some(change.levels)
}

/// The rate that a point ended with, I/Os a second: where it fell within it, that to which it fell.
pub(super) fn last_iops(point: &PointResult) -> f64 {
    fall_within(point).map_or_else(|| point.working_iops(), |[_, after]| after.value)
}

/// Whether two points do not agree, and their 95 % intervals together do not explain it: those of a rate of one level, whatever a
/// point with a change within it has. They are one of many pairs, some of which differ by more than that by chance.
pub(crate) fn is_apart(one: &PointResult, other: &PointResult) -> bool {
    let half = |p: &PointResult| {
        let known = p.working_known();
        match change_within(p) {
            Some(_) => 0.0,
            None => (known.high - known.low) / 2.0,
        }
    };
    let distance = (one.working_iops() - other.working_iops()).abs();
    !one.agrees_with(other) && distance > OF_MANY * half(one).hypot(half(other))
}
