//! Two rates beside each other: near enough, or one above the other.
//!
//! Must never: know what a rate is of.

use super::causes::interval_of;
use crate::study::levels::{fell_from, fell_to};
use crate::summary::measured::{PointResult, SAME};
use leadline_model::units::Bytes;

/// An outcome this near to a prediction agrees with it, as a share.
pub(super) const NEAR: f64 = 0.1;
/// Rates of one cap differ by no more than this share beyond their intervals.
pub(super) const EVEN: f64 = 0.01;

/// How many times as long an uneven rate is measured.
const LONGER: u32 = 4;
/// A point with fewer I/Os is measured for longer.
const FEW: u64 = 5000;
/// From this block size on, smaller ones are tried and not larger ones: those in flight must fit in memory.
pub(super) const LARGE: u64 = 64 * Bytes::KIB;

/// The rate of a point over that of another, and between what their 95 % intervals leave it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RateRatio {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl RateRatio {
    pub(super) fn of(over: &PointResult, under: &PointResult) -> Self {
        let value = over.working_iops() / under.working_iops().max(1e-9);
        // Of a point without an interval as much as is called near; one that the series is too short for may be too narrow.
        let part = |p: &PointResult| {
            interval_of(p).map_or(NEAR, |interval| match interval.settled {
                true => interval.relative(),
                false => 4.0 * interval.relative(),
            })
        };
        let off = part(over).hypot(part(under));
        Self {
            value,
            low: value * (1.0 - off),
            high: value * (1.0 + off),
        }
    }

    pub(super) fn scaled(self, times: f64) -> Self {
        Self {
            value: self.value * times,
            low: self.low * times,
            high: self.high * times,
        }
    }

    /// Its standard error as a share of it: a 95 % interval is 1.96 of them to either side.
    pub(super) fn error(self) -> f64 {
        (self.high - self.low) / (2.0 * 1.96 * self.value.max(1e-9))
    }

    /// Whether it is more than 1 beyond the intervals, and by more than the edges of a window make: a law that gives 1 alone does
    /// not give it.
    pub(super) fn is_slightly_above_one(self) -> bool {
        /// Rates of one law differ by less beyond their intervals.
        const EDGES: f64 = 0.002;
        self.low > 1.0 + EDGES
    }

    /// Whether it is more than 1 beyond the intervals, and by more than rates differ without a reason.
    pub(super) fn is_above_one(self) -> bool {
        self.low > 1.0 + EVEN
    }
}

/// Whether a point has the rate of a later one: not one that it fell from, and not one that the later one fell from.
pub(super) fn is_one_rate(point: &PointResult, later: &PointResult) -> bool {
    stays(point, later) && !fell_to(point, later)
}

/// Whether a later point has the rate that a point confirms, and did not fall from it.
pub(super) fn stays(confirmed: &PointResult, later: &PointResult) -> bool {
    confirmed.agrees_with(later) && !fell_from(later, confirmed)
}

/// Whether a value is that, as near as a cause predicts it.
pub(super) fn near(value: f64, expected: f64) -> bool {
    (value / expected - 1.0).abs() <= NEAR
}

/// The block size that is tried first beside this one: four times as large, or a quarter.
pub(super) const fn first_block(block: u64) -> u64 {
    if block >= LARGE { block / 4 } else { block * 4 }
}

/// Standard deviation of a single interval of `of` around the level of `at`, as a share: of the differences between
/// neighbours (von Neumann), which a fall in the middle leaves small.
pub(super) fn interval_noise(at: &PointResult, of: &PointResult) -> f64 {
    let pairs = at.rates.windows(2);
    let count = pairs.len().max(1) as f64;
    let squares: f64 = pairs.map(|pair| (pair[1] - pair[0]).powi(2)).sum();
    let length = |p: &PointResult| p.intervals.last().map_or(1.0, |i| i.length.as_secs_f64());
    let shorter = (length(at) / length(of).max(1e-9)).max(1.0);
    (squares / (2.0 * count) * shorter).sqrt() / at.working_iops().max(1e-9)
}

/// Whether a single interval of a point reached a rate after one at its mean or less: the rate rises by itself then, as where
/// reads come back to what a cache still holds, and needs no pause for it. What gathers while a target stalls comes after a pause.
pub(super) fn rises_to(point: &PointResult, rate: f64) -> bool {
    let low = point.rates.iter().position(|r| *r <= point.working_iops());
    let after = low.map_or(&[][..], |first| &point.rates[first..]);
    !point.is_held_up() && after.iter().any(|r| *r >= rate)
}

/// How many times as long as the other points a rate is observed: longer where it is uneven, or of few I/Os.
pub(super) fn times(point: &PointResult) -> u32 {
    let is_rough = point.unevenness().is_some_and(|v| v > SAME) || point.figures.data.ios < FEW;
    if is_rough { LONGER } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use leadline_model::op::Op;
    use leadline_model::plan::OpMix;

    /// 2,000 a second throughout but for these intervals, each with its rate.
    fn with_waves(waves: &[(usize, u64)]) -> PointResult {
        let own = fixture::workload("w", OpMix::reads(), 4096, 16, 60);
        let plan = fixture::plan(vec![("confirm/4k", vec![own])]);
        let load = Load::simple(Op::Read, 2000, 4096, 200_000, 60);
        let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
        for &(at, ios) in waves {
            run.stages[0].samples[at].counts.op_mut(Op::Read).ios = ios;
        }
        let points = crate::summary::summarize(&run).points(&run);
        points.into_iter().next().unwrap()
    }

    /// A rate that is as high in the middle of a point as after a pause needs no pause; one that is so at the start alone may be
    /// what is left of credits.
    #[test]
    fn a_rate_that_rises_within_a_point_is_brought_by_no_pause() {
        assert!(rises_to(&with_waves(&[(30, 2800), (31, 2600)]), 2750.0));
        assert!(!rises_to(&with_waves(&[(0, 2800), (1, 2600)]), 2750.0));
        assert!(!rises_to(&with_waves(&[]), 2200.0));
    }

    /// 19.6 % to either side are a standard error of 10 %, whatever the unit.
    #[test]
    fn a_ratio_has_the_standard_error_of_its_interval() {
        let ratio = RateRatio {
            value: 2.0,
            low: 2.0 * 0.804,
            high: 2.0 * 1.196,
        };
        assert!((ratio.error() - 0.1).abs() < 1e-12);
        assert!((ratio.scaled(4.0).error() - 0.1).abs() < 1e-12);
    }
}
