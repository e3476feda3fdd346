//! A fall of the rate within a point, from credits that are spent.
//!
//! Belongs here: both levels, when it fell, and what was in the store. Must never: what credits are charged for.

use super::answer::{Answer, AnswerCell, AnswerUnit};
use super::done::Measured;
use crate::stats::{Interval, Shift, rate_shift, ratio};
use leadline_model::units::Nanos;

/// The middle one of some rates.
fn middle(rates: &[f64]) -> f64 {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// A level with the interval of the mean of its rates, as a share of it: the level alone where they are too few.
fn level(value: f64, rates: &[f64]) -> Interval {
    let slices: Vec<(f64, f64)> = rates.iter().map(|rate| (*rate, 1.0)).collect();
    let found = ratio(&slices).filter(|i| i.value > 0.0);
    found.map_or(Interval::only(value), |i| i.scaled(value / i.value))
}

/// A fall of the rate within a point.
pub(super) struct Fall {
    pub(super) high: f64,
    pub(super) low: f64,
    /// Both with their intervals.
    pub(super) levels: [Interval; 2],
    /// From the point's start.
    pub(super) after: f64,
    /// The pause before may have been too short for a full store: there may be more in it.
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
        early.or_else(|| Self::at_shift(shift?, &rates, length))
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
            // All that was done beyond the lower rate, also in the intervals at the change.
            let more = rates[..=count].iter().map(|rate| (rate - low).max(0.0));
            Self {
                high,
                low,
                levels: [level(high, before), level(low, &rest[1..])],
                after: more.sum::<f64>() / (high - low) * length.as_secs_f64(),
                is_part: false,
            }
        })
    }

    fn at_shift(shift: Shift, rates: &[f64], length: Nanos) -> Option<Self> {
        let (high, low) = (shift.before, shift.after);
        if low <= 0.0 {
            return None;
        }
        // The rate fell within one of the two intervals at the change.
        let edge = rates.get(shift.at.saturating_sub(1)..=shift.at)?;
        let part = edge
            .iter()
            .map(|r| ((r - low) / (high - low)).clamp(0.0, 1.0));
        let whole_before = shift.at.saturating_sub(1) as f64;
        Some(Self {
            high,
            low,
            levels: [
                level(high, &rates[..shift.at.saturating_sub(1)]),
                level(low, rates.get(shift.at + 1..).unwrap_or_default()),
            ],
            after: (whole_before + part.sum::<f64>()) * length.as_secs_f64(),
            is_part: false,
        })
    }

    /// What was in the store, each I/O being so much; nothing of a fall that is none of credits.
    pub(super) fn store_cell(&self, each: f64) -> AnswerCell {
        match self.is_part {
            true => AnswerCell::AtLeast(self.store() * each),
            false => AnswerCell::Number(self.store() * each),
        }
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
        let after = AnswerCell::Number(self.after);
        answer.value("fell_after", after, AnswerUnit::Seconds);
        let store = match is_credit {
            true => self.store_cell(1.0),
            false => AnswerCell::None,
        };
        answer.value("store", store, AnswerUnit::Count);
        answer.value("refill", refill, AnswerUnit::Iops);
    }

    /// Whether a pause brought nothing back: then it is a change, and no store of credits was seen. One I/O alone that was
    /// quicker than the lower rate right after the pause used what there was.
    pub(super) fn is_for_good(&self, after: Option<&Measured>, alone: Option<&Measured>) -> bool {
        /// Rates within this share of each other are the same.
        const SAME: f64 = 0.1;
        let is_low = |m: Option<&Measured>| m.is_some_and(|m| m.iops() < self.low * (1.0 + SAME));
        is_low(after) && (alone.is_none() || is_low(alone))
    }

    /// What was done beyond the lower rate.
    pub(super) fn store(&self) -> f64 {
        (self.high - self.low) * self.after
    }

    /// Whether so many I/Os are all that was in the store: then they may have come back sooner.
    pub(super) fn is_all(&self, back: f64) -> bool {
        /// As good as all of it.
        const ALL: f64 = 0.95;
        back >= ALL * self.store()
    }
}
