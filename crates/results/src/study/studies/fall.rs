//! A fall of the rate within a point, when credits run out.
//!
//! Belongs here: both levels, when it fell, and the size of the bucket. Must never: what credits are charged for.

use super::answer::{Answer, AnswerCell, AnswerUnit};
use super::done::Measured;
use crate::stats::{Interval, Shift, level, rate_shift, step_down};
use leadline_model::units::Nanos;

/// The middle one of some rates.
fn middle(rates: &[f64]) -> f64 {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// What passed in intervals of this length at some rates, with their seconds.
fn passed(rates: &[f64], length: Nanos) -> Vec<(f64, f64)> {
    let seconds = length.as_secs_f64();
    rates.iter().map(|rate| (rate * seconds, seconds)).collect()
}

/// Standard deviation of what two intervals of this many seconds at this level do together, in I/Os; 0 where they are
/// too few.
fn noise(rates: &[f64], seconds: f64) -> f64 {
    let count = rates.len() as f64;
    if rates.len() < 2 {
        return 0.0;
    }
    let mean = rates.iter().sum::<f64>() / count;
    let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    (2.0 * squares / (count - 1.0)).sqrt() * seconds
}

/// A point whose last intervals are lower than all before, which are too few for a level: a fall so late, or a stall.
pub(super) struct LateFall {
    /// The rate at the point's start.
    pub(super) high: f64,
    /// That of the last whole interval.
    pub(super) last: f64,
    /// Seconds of the intervals that are lower.
    pub(super) seconds: f64,
    /// I/Os a second and seconds of all intervals.
    passed: Vec<(f64, f64)>,
    /// The first of them that is lower, at least the third.
    first: usize,
}

impl LateFall {
    pub(super) fn of(m: &Measured) -> Option<Self> {
        let each = m.summary.series.iter();
        let mut passed: Vec<(f64, f64)> = each
            .map(|p| (p.data.iops, p.length.as_secs_f64()))
            .collect();
        // A short one at the end has the rest of others.
        let length = passed.first()?.1;
        if passed.last()?.1 < length / 2.0 {
            passed.pop();
        }
        Self::among(passed)
    }

    /// Seconds of its longest interval.
    fn longest(&self) -> f64 {
        self.passed
            .iter()
            .map(|passed| passed.1)
            .fold(0.0, f64::max)
    }

    /// The same of I/Os a second and seconds of intervals.
    fn among(passed: Vec<(f64, f64)>) -> Option<Self> {
        /// Below this share of the higher rate is lower, where more than chance explains it: this number of standard
        /// errors.
        const LOWER: f64 = 0.8;
        const SURE: f64 = 4.0;
        let first: Vec<f64> = passed.get(..3)?.iter().map(|passed| passed.0).collect();
        let high = middle(&first);
        let is_low = |(rate, seconds): &&(f64, f64)| {
            let chance = SURE * (high * seconds).sqrt();
            *rate < LOWER * high && (high - rate) * seconds > chance
        };
        let lower = passed.iter().rev().take_while(is_low).count();
        let is_all = passed.iter().filter(is_low).count() == lower;
        let before = passed.len() - lower;
        (lower > 0 && is_all && before > 1).then(|| Self {
            high,
            first: before,
            last: passed.last().map_or(0.0, |passed| passed.0),
            seconds: passed.iter().rev().take(lower).map(|p| p.1).sum(),
            passed,
        })
    }
}

/// A fall of the rate within a point.
pub(super) struct Fall {
    pub(super) high: f64,
    pub(super) low: f64,
    /// Both with their intervals.
    pub(super) levels: [Interval; 2],
    /// From the point's start.
    pub(super) after: f64,
    /// Seconds of an interval: within one of them it fell.
    length: f64,
    /// Standard deviation of what was done in the two intervals at the change, in I/Os.
    noise: f64,
    /// The pause before may have been too short for a full bucket, which may hold more.
    pub(super) is_part: bool,
}

impl Fall {
    /// The first fall of a point, if there is one.
    pub(super) fn of(m: &Measured) -> Option<Self> {
        let series = &m.summary.series;
        // The last may be short or hold the rest of another.
        let whole = series.split_last()?.1;
        let rates: Vec<f64> = whole.iter().map(|p| p.data.iops).collect();
        let length = whole.first()?.length;
        let shift = rate_shift(&rates, length).filter(|shift| shift.before > shift.after);
        let low = shift.map_or_else(|| middle(&rates[rates.len() / 2..]), |shift| shift.after);
        let early = Self::early(&rates, low, length);
        let step = || step_down(&rates, length);
        early.or_else(|| Self::at_shift(shift.or_else(step)?, &rates, length))
    }

    /// A fall that the beginning of a point shows, from rates that stay above what the rest stays below: also one of
    /// credits that are gone after less than a level has to last.
    fn early(rates: &[f64], low: f64, length: Nanos) -> Option<Self> {
        /// Intervals of the rest that may be above, as a share.
        const STRAY: f64 = 0.05;
        /// The higher rate over the lower one at the least.
        const TIMES: f64 = 1.25;
        let border = f64::midpoint(middle(rates.get(..3)?), low);
        let count = rates.iter().take_while(|rate| **rate > border).count();
        let (before, rest) = rates.split_at(count);
        let above = rest.iter().skip(1).filter(|rate| **rate > border).count();
        let stays = above as f64 <= STRAY * rest.len() as f64 && rest.len() >= 3;
        let high = middle(before);
        let is_fall = count >= 2 && stays && low > 0.0 && high >= TIMES * low;
        is_fall.then(|| {
            // In the last one the rate may have fallen.
            let levels = [
                level(high, &passed(&before[..count - 1], length)),
                level(low, &passed(&rest[1..], length)),
            ];
            let [high, low] = [levels[0].value, levels[1].value];
            // All that was done beyond the lower rate, also in the intervals at the change.
            let more = rates[..=count].iter().map(|rate| (rate - low).max(0.0));
            Self {
                high,
                low,
                levels,
                after: more.sum::<f64>() / (high - low) * length.as_secs_f64(),
                length: length.as_secs_f64(),
                noise: noise(&before[..count - 1], length.as_secs_f64()),
                is_part: false,
            }
        })
    }

    /// A fall so late that its point shows little of the lower rate, or none of it: `again` is the fall after the pause,
    /// which says how low it is.
    pub(super) fn late(m: &Measured, again: &Self) -> Option<Self> {
        let end = LateFall::of(m)?;
        let (high, low) = (end.high, again.low);
        // In the first of them the rate may have fallen.
        let border = f64::midpoint(high, low);
        let mut rest = end.passed.iter().skip(end.first + 1);
        let stays = rest.all(|passed| passed.0 <= border);
        (low > 0.0 && stays && again.is_of(high)).then(|| {
            let more = |(rate, seconds): &(f64, f64)| (rate - low).max(0.0) * seconds;
            let more: f64 = end.passed.iter().map(more).sum();
            let before = end.passed.iter().take(end.first - 1);
            let rates: Vec<f64> = before.clone().map(|passed| passed.0).collect();
            let before: Vec<(f64, f64)> = before.map(|(rate, s)| (rate * s, *s)).collect();
            Self {
                high,
                low,
                levels: [level(high, &before), again.levels[1]],
                after: more / (high - low),
                length: end.longest(),
                noise: noise(&rates, end.longest()),
                is_part: false,
            }
        })
    }

    /// Whether it fell from about this rate.
    fn is_of(&self, high: f64) -> bool {
        /// The higher rates of two falls differ by no more than this share of one of them.
        const SAME: f64 = 0.1;
        (self.high / high - 1.0).abs() < SAME && high > self.low
    }

    fn at_shift(shift: Shift, rates: &[f64], length: Nanos) -> Option<Self> {
        let (high, low) = (shift.before, shift.after);
        if low <= 0.0 {
            return None;
        }
        let levels = [
            level(high, &passed(&rates[..shift.at.saturating_sub(1)], length)),
            level(
                low,
                &passed(rates.get(shift.at + 1..).unwrap_or_default(), length),
            ),
        ];
        let [high, low] = [levels[0].value, levels[1].value];
        // The rate fell within one of the two intervals at the change.
        let edge = rates.get(shift.at.saturating_sub(1)..=shift.at)?;
        let part = edge
            .iter()
            .map(|r| ((r - low) / (high - low)).clamp(0.0, 1.0));
        let whole_before = shift.at.saturating_sub(1) as f64;
        Some(Self {
            high,
            low,
            levels,
            after: (whole_before + part.sum::<f64>()) * length.as_secs_f64(),
            length: length.as_secs_f64(),
            noise: noise(&rates[..shift.at.saturating_sub(1)], length.as_secs_f64()),
            is_part: false,
        })
    }

    /// What the bucket held, in units of which each I/O uses `each`.
    pub(super) fn store_cell(&self, each: f64) -> AnswerCell {
        match (self.is_part, self.store_within()) {
            (true, _) => AnswerCell::AtLeast(self.store() * each),
            (false, Some(store)) => AnswerCell::Within(store.scaled(each)),
            (false, None) => AnswerCell::Number(self.store() * each),
        }
    }

    /// When it fell, in seconds from the point's start: within an interval to either side, as what was done within one is
    /// not distinguished.
    pub(super) fn after_within(&self) -> Interval {
        Interval {
            value: self.after,
            low: (self.after - self.length).max(0.0),
            high: self.after + self.length,
            settled: true,
        }
    }

    /// What the bucket held, with its interval, where the lower level has one: all that was done is counted, so that
    /// the higher one may be without, and when it fell within an interval does not matter; what passed in that one by
    /// chance does.
    pub(super) fn store_within(&self) -> Option<Interval> {
        /// Half of a 95 % interval, in standard deviations.
        const NORMAL: f64 = 1.96;
        let [high, low] = &self.levels;
        low.is_known().then(|| {
            let store = high.less(low).scaled(self.after);
            let chance = NORMAL * self.noise;
            // An I/O may be on either side of the fall.
            Interval {
                low: store.value - (store.value - store.low).hypot(chance) - 1.0,
                high: store.value + (store.high - store.value).hypot(chance) + 1.0,
                settled: low.settled,
                ..store
            }
        })
    }

    /// As single values.
    pub(super) fn values(
        &self,
        high: AnswerCell,
        is_credit: bool,
        refill: AnswerCell,
        answer: &mut Answer,
    ) {
        answer.value("high", high, AnswerUnit::Iops);
        let low = AnswerCell::Within(self.levels[1]);
        answer.value("low", low, AnswerUnit::Iops);
        let after = AnswerCell::Within(self.after_within());
        answer.value("fell_after", after, AnswerUnit::Seconds);
        let store = match is_credit {
            true => self.store_cell(1.0),
            false => AnswerCell::None,
        };
        answer.value("store", store, AnswerUnit::Count);
        answer.value("refill", refill, AnswerUnit::Iops);
    }

    /// Whether a pause brought nothing back: then it is a change, and no credits were seen.
    pub(super) fn is_for_good(&self, after: Option<&Measured>) -> bool {
        /// Rates within this share of each other are the same.
        const SAME: f64 = 0.1;
        after.is_some_and(|m| m.iops() < self.low * (1.0 + SAME))
    }

    /// What was done beyond the lower rate.
    pub(super) fn store(&self) -> f64 {
        (self.high - self.low) * self.after
    }

    /// Whether this number of I/Os is all that was in the bucket: then they may have come back sooner.
    pub(super) fn is_all(&self, back: f64) -> bool {
        /// Practically all of it.
        const ALL: f64 = 0.95;
        back >= ALL * self.store()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(levels: &[(usize, f64)]) -> Option<LateFall> {
        let each = levels
            .iter()
            .flat_map(|(count, level)| vec![(*level, 1.0); *count]);
        LateFall::among(each.collect())
    }

    #[test]
    fn the_last_intervals_alone_are_a_late_fall() {
        let found = of(&[(57, 5e3), (1, 3.4e3), (2, 1e3)]).unwrap();
        assert_eq!((found.high, found.last, found.seconds), (5e3, 1e3, 3.0));
        // What was lower before and rose again falls for other reasons.
        assert!(of(&[(20, 5e3), (5, 1e3), (30, 5e3), (3, 1e3)]).is_none());
        assert!(of(&[(60, 5e3)]).is_none());
        assert!(of(&[(58, 5e3), (2, 4.5e3)]).is_none());
        assert!(of(&[(58, 1e3), (2, 5e3)]).is_none());
        // Few I/Os differ as much by chance.
        assert!(of(&[(58, 10.0), (2, 5.0)]).is_none());
        assert!(of(&[]).is_none());
    }

    /// Twenty seconds of 1,000 +-100, then 200 +-10: it fell within a second of 20 s, and held 16,000 tokens. Two
    /// seconds at the higher level differ by a standard deviation of 100.
    #[test]
    fn the_time_of_a_fall_is_known_to_an_interval_and_the_bucket_to_what_passes_in_one() {
        let up = [900.0, 1000.0, 1100.0, 1000.0].repeat(5);
        let down = [190.0, 200.0, 210.0, 200.0].repeat(8);
        let rates: Vec<f64> = up.into_iter().chain(down).collect();
        let shift = rate_shift(&rates, Nanos::SECOND).unwrap();
        let fall = Fall::at_shift(shift, &rates, Nanos::SECOND).unwrap();
        let after = fall.after_within();
        assert!((after.value - 20.0).abs() < 0.5, "{after:?}");
        assert!((after.high - after.value - 1.0).abs() < 1e-9 && after.settled);
        assert!((after.value - after.low - 1.0).abs() < 1e-9);
        let store = fall.store_within().unwrap();
        assert!(store.low < 16_000.0 && 16_000.0 < store.high, "{store:?}");
        let chance = 1.96 * 2_f64.sqrt() * 70.0;
        assert!(store.high - store.value >= chance && store.value - store.low >= chance);
        // Rates that never differ leave an I/O.
        assert!(noise(&[500.0; 9], 1.0) < 1e-12);
        assert!(noise(&[500.0], 1.0) < 1e-12);
        // By hand: squares 2, twice over one: standard deviation 2, in half a second 1.
        assert!((noise(&[1.0, 3.0], 0.5) - 1.0).abs() < 1e-12);
    }
}
