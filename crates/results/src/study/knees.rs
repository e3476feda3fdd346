//! Knees of latency over rate, and one figure for a whole curve.
//!
//! Belongs here: pure definitions on points of a curve, whatever measured it. A knee is a definition, so there are three.
//! Must never: find the points, or say it in words.

use crate::stats::{Interval, kneedle};
use leadline_model::seed::{Purpose, SplitMix, derive};

/// A point of latency over rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RatePoint {
    /// I/Os a second that completed.
    pub(crate) iops: f64,
    /// Mean latency, in any unit, above 0.
    pub(crate) mean: f64,
    /// The ends of its 95 % interval; the mean itself where none is known.
    pub(crate) within: (f64, f64),
    /// Whether the time series was long enough for that.
    pub(crate) settled: bool,
    /// The rate was not reached: latency then depends on how long it ran.
    pub(crate) saturated: bool,
}

impl RatePoint {
    fn power(&self) -> f64 {
        self.iops / self.mean
    }

    /// A mean that it may have as well: log-normal about its own, with 95 % within its interval.
    fn drawn(&self, random: &mut SplitMix) -> f64 {
        /// Standard deviations from end to end of a 95 % interval.
        const ACROSS: f64 = 2.0 * 1.959_963_984_54;
        let mut share = || random.unit();
        let normal = (-2.0 * share().ln()).sqrt() * (std::f64::consts::TAU * share()).cos();
        // An end at nothing is as far away as the mean twice over.
        let low = self.within.0.max(self.mean / 3.0).min(self.mean);
        let deviation = (self.within.1.max(self.mean) / low).ln() / ACROSS;
        self.mean * (normal * deviation).exp()
    }
}

/// Where the latency turns upwards (Kneedle): a place in `points`, which rise by what was asked. Never one that missed
/// its rate; looked for as far as more was done with each rate.
pub(crate) fn knee(points: &[RatePoint]) -> Option<usize> {
    let means: Vec<f64> = points.iter().map(|p| p.mean).collect();
    knee_of(points, &means)
}

/// The same with these means. A rate that is lower by chance than one before it is taken for that one, as long as a later one is
/// higher; one that was missed ends the curve.
fn knee_of(points: &[RatePoint], means: &[f64]) -> Option<usize> {
    /// By how much a rate is above all before it to be no chance.
    const HIGHER: f64 = 1.005;
    let mut plain: Vec<(f64, f64)> = Vec::new();
    let (mut top, mut rising) = (0.0, 0);
    for (point, mean) in points.iter().zip(means) {
        let most = plain.last().map_or(0.0, |p| p.0);
        if point.saturated && point.iops <= most {
            break;
        }
        plain.push((point.iops.max(most), *mean));
        if point.iops > HIGHER * top {
            (top, rising) = (point.iops, plain.len());
        }
    }
    kneedle(&plain[..rising]).filter(|&knee| !points[knee].saturated)
}

/// Between which places the latency turns upwards, as far as the means are known: those of 95 % of the knees of curves whose means
/// are drawn from their intervals (a parametric bootstrap; Efron and Tibshirani, "An Introduction to the Bootstrap", 1993), with a
/// neighbour on each side, as the curve may turn beside a point.
pub(crate) fn knee_within(points: &[RatePoint]) -> Option<(usize, usize)> {
    const DRAWS: usize = 400;
    const CUT: usize = DRAWS / 40;
    let own = knee(points)?;
    let mut random = SplitMix::new(derive(1, Purpose::Resampling, points.len() as u64));
    let found = (0..DRAWS).map(|_| {
        let means: Vec<f64> = points.iter().map(|p| p.drawn(&mut random)).collect();
        knee_of(points, &means).unwrap_or(own)
    });
    let mut found: Vec<usize> = found.collect();
    found.sort_unstable();
    let (first, last) = (found[CUT].min(own), found[DRAWS - 1 - CUT].max(own));
    Some((first.saturating_sub(1), (last + 1).min(points.len() - 1)))
}

/// By how much a rate has to rise from one point to the next to count as more.
const MORE: f64 = 1.02;
/// By how much the mean latency rises where a curve is called vertical.
const STEEP: f64 = 1.5;

/// Whether the mean latency rises by half or more from one point to the next without a rate that is 2 % higher: there the
/// curve of latency over rate is vertical, and Kneedle, which looks as far as the rate rises, ends before it.
pub(crate) fn is_vertical(points: &[RatePoint]) -> bool {
    let is =
        |two: &[RatePoint]| two[1].iops < MORE * two[0].iops && two[1].mean >= STEEP * two[0].mean;
    points.windows(2).any(is)
}

/// Where rate over latency is largest, of the points that reached their rate: the first and the last place that have it,
/// to within a billionth.
pub(crate) fn power(points: &[RatePoint]) -> Option<(usize, usize)> {
    let reached = || points.iter().enumerate().filter(|p| !p.1.saturated);
    let most = reached().map(|p| p.1.power()).fold(0.0, f64::max);
    let has_it = |p: &(usize, &RatePoint)| p.1.power() >= most * (1.0 - 1e-9);
    let best: Vec<usize> = reached().filter(has_it).map(|p| p.0).collect();
    Some((*best.first()?, *best.last()?))
}

/// The last point whose latency is at most twice the lowest, before the first that missed its rate or is surely above that:
/// with its whole interval, and twice the upper end of the lowest.
pub(crate) fn within_twice(points: &[RatePoint]) -> Option<usize> {
    let lowest = points.iter().min_by(|a, b| a.mean.total_cmp(&b.mean))?;
    let is_beyond =
        |p: &RatePoint| p.saturated || p.within.0 > 2.0 * lowest.within.1 * (1.0 + 1e-9);
    let before = points.iter().take_while(|p| !is_beyond(p)).count();
    let is_twice = |p: &RatePoint| p.mean <= 2.0 * lowest.mean * (1.0 + 1e-9);
    points[..before].iter().rposition(is_twice)
}

/// Between which places rate over latency is largest, as far as the means of the latencies are known: the points whose
/// ratio may be that of the best one, and a neighbour on each side, as the top of the curve may lie beside a point.
pub(crate) fn power_within(points: &[RatePoint]) -> Option<(usize, usize)> {
    let reached = || points.iter().enumerate().filter(|p| !p.1.saturated);
    let surely = |p: &RatePoint| p.iops / p.within.1.max(p.mean);
    let at_best = |p: &RatePoint| p.iops / p.within.0.min(p.mean);
    let most = reached().map(|p| surely(p.1)).fold(0.0, f64::max);
    let may_be: Vec<usize> = reached()
        .filter(|p| at_best(p.1) >= most)
        .map(|p| p.0)
        .collect();
    let (first, last) = (*may_be.first()?, *may_be.last()?);
    Some((first.saturating_sub(1), (last + 1).min(points.len() - 1)))
}

/// Between which places the latency reaches twice the lowest, as far as both are known: from the last point that is surely
/// below that, before the first which is surely not or missed its rate, to that one; `None` where no point is beyond.
pub(crate) fn twice_within(points: &[RatePoint]) -> Option<(usize, usize)> {
    let lowest = points.iter().min_by(|a, b| a.mean.total_cmp(&b.mean))?;
    let is_beyond = |p: &RatePoint| p.saturated || p.within.0 > 2.0 * lowest.within.1;
    let is_below = |p: &RatePoint| p.within.1 < 2.0 * lowest.within.0;
    let beyond = points.iter().position(is_beyond)?;
    Some((points[..beyond].iter().rposition(is_below)?, beyond))
}

/// Overall response time: the area below latency over rate, from the first point to the last that reached its rate
/// (trapezoid), over the distance of both; in the unit of the latency (SPEC, "SPECstorage Solution 2020 Run and Reporting
/// Rules", whose results it reproduces), with the independent errors of all means. `None` for fewer than two points.
pub(crate) fn overall(points: &[RatePoint]) -> Option<Interval> {
    let reached: Vec<&RatePoint> = points.iter().filter(|p| !p.saturated).collect();
    let (first, last) = (reached.first()?, reached.last()?);
    let across = last.iops - first.iops;
    if across <= 0.0 {
        return None;
    }
    // What each latency counts: half of the way to both neighbours.
    let rate = |place: usize| reached[place.min(reached.len() - 1)].iops;
    let share = |place: usize| (rate(place + 1) - rate(place.saturating_sub(1))) / (2.0 * across);
    let each = || reached.iter().enumerate();
    let value: f64 = each().map(|(at, p)| share(at) * p.mean).sum();
    let half = |end: fn(&RatePoint) -> f64| {
        let squares = each().map(|(at, p)| (share(at) * (end(p) - p.mean)).powi(2));
        squares.sum::<f64>().sqrt()
    };
    Some(Interval {
        value,
        low: value - half(|p| p.within.0),
        high: value + half(|p| p.within.1),
        settled: reached.iter().all(|p| p.settled),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten equal steps of load with their latencies in milliseconds, as SPEC publishes them.
    fn published(step: f64, latencies: [f64; 10]) -> Vec<RatePoint> {
        let point = |(n, mean): (u32, f64)| RatePoint {
            iops: f64::from(n) * step,
            mean,
            within: (0.9 * mean, 1.1 * mean),
            settled: true,
            saturated: false,
        };
        (1..).zip(latencies).map(point).collect()
    }

    fn iops(points: &[RatePoint], place: Option<usize>) -> f64 {
        points[place.unwrap()].iops
    }

    fn is(value: f64, wanted: f64, within: f64) {
        assert!((value - wanted).abs() <= within, "{value} is not {wanted}");
    }

    /// SPECstorage 2020 swbuild, result 20231002-00055: overall 1.16 from latencies that are not rounded.
    #[test]
    fn overall_response_time_and_knees_of_a_published_swbuild() {
        let points = published(190.0, [0.6, 0.5, 0.5, 0.6, 0.6, 0.6, 0.7, 0.8, 3.2, 4.9]);
        let found = overall(&points).unwrap();
        is(found.value, 1.139, 0.0005);
        // Nine latencies of one step each, of which the last two are the largest: a tenth of the root of their squares.
        let half = 0.1 * (0.3_f64.powi(2) + 2.45_f64.powi(2) + 3.2_f64.powi(2) + 2.71).sqrt() / 9.0;
        is(found.high - found.value, half, 0.0005);
        is(found.value - found.low, half, 0.0005);
        is(iops(&points, knee(&points)), 1520.0, 0.01);
        let (first, last) = power(&points).unwrap();
        is(points[first].iops, 1140.0, 0.01);
        is(points[last].iops, 1520.0, 0.01);
        is(iops(&points, within_twice(&points)), 1520.0, 0.01);
    }

    /// SPECstorage 2020 eda_blended, result 20240708-00080: overall 1.17.
    #[test]
    fn overall_response_time_and_knees_of_a_published_eda_blended() {
        let points = published(810.0, [0.4, 0.4, 0.4, 0.5, 0.6, 0.8, 1.1, 1.5, 2.6, 4.9]);
        is(overall(&points).unwrap().value, 1.172, 0.0005);
        is(iops(&points, knee(&points)), 6480.0, 0.01);
        let (first, last) = power(&points).unwrap();
        is(points[first].iops, 4050.0, 0.01);
        assert_eq!(first, last);
        is(iops(&points, within_twice(&points)), 4860.0, 0.01);
    }

    /// M/M/1 with 1 ms has its best ratio at half of the highest rate, and twice its lowest latency there too: both are
    /// between the ends, whatever the means of the points are within their intervals.
    #[test]
    fn what_points_leave_open_is_within_the_ends() {
        let rates = [10.0, 300.0, 450.0, 550.0, 700.0, 900.0];
        for off in 0..64_u32 {
            let at = |(number, rate): (usize, f64)| {
                let mean = 1.0 / (1.0 - rate / 1000.0);
                // Up or down by 2 % each, in all ways.
                let sign = if off >> number & 1 == 1 { 1.02 } else { 0.98 };
                let mean = mean * sign;
                RatePoint {
                    iops: rate,
                    mean,
                    within: (0.97 * mean, 1.03 * mean),
                    settled: true,
                    saturated: false,
                }
            };
            let points: Vec<RatePoint> = rates.into_iter().enumerate().map(at).collect();
            for found in [power_within(&points), twice_within(&points)] {
                let (low, high) = found.unwrap();
                let ends = (points[low].iops, points[high].iops);
                assert!(ends.0 <= 500.0 && ends.1 >= 500.0, "{off}: {ends:?}");
                assert!(ends.1 - ends.0 <= 600.0, "{off}: {ends:?}");
            }
        }
        assert_eq!(power_within(&[]), None);
        assert_eq!(twice_within(&[]), None);
    }

    #[test]
    fn a_missed_rate_is_excluded_from_all_figures() {
        let mut points = published(100.0, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 900.0]);
        points[9].saturated = true;
        is(overall(&points).unwrap().value, 1.0, 1e-9);
        assert_eq!(within_twice(&points), Some(8));
        // Neither was the first: then nothing is known.
        points[0].saturated = true;
        assert_eq!(within_twice(&points), None);
        points[0].saturated = false;
        assert_eq!(power(&points), Some((8, 8)));
        assert_eq!(overall(&points[..1]), None);
        assert_eq!(power(&points[9..]), None);
    }

    /// M/D/1 to 97.5 % of its rate in 20 points, whose rates and means are off by chance: the intervals of the knee of all of these
    /// curves have that of the curve itself.
    #[test]
    fn the_interval_of_a_knee_has_that_of_the_curve() {
        let mut random = SplitMix::new(5);
        let mut off = |by: f64| {
            let sum: f64 = (0..12).map(|_| random.unit()).sum();
            (by * (sum - 6.0)).exp()
        };
        let mut curve = |noise: (f64, f64)| -> Vec<RatePoint> {
            let at = |number: u32| {
                let busy = 0.975 * f64::from(number) / 20.0;
                let mean = (1.0 + busy / (2.0 * (1.0 - busy))) * off(noise.1);
                RatePoint {
                    iops: 1000.0 * busy * off(noise.0),
                    mean,
                    within: (mean / (1.0 + 2.0 * noise.1), mean * (1.0 + 2.0 * noise.1)),
                    settled: true,
                    saturated: false,
                }
            };
            (1..=20).map(at).collect()
        };
        let truth = knee(&curve((0.0, 0.0))).unwrap();
        assert!((15..=18).contains(&truth), "{truth}");
        let (mut holds, mut wide) = (0, 0);
        for _ in 0..200 {
            let (low, high) = knee_within(&curve((0.02, 0.15))).unwrap();
            holds += usize::from((low..=high).contains(&truth));
            wide += high - low;
        }
        assert!(holds >= 190, "{holds} of 200");
        assert!(wide <= 200 * 6, "{wide}");
        // What is known well has a knee that is, too.
        let (low, high) = knee_within(&curve((0.0, 0.001))).unwrap();
        assert_eq!((low, high), (truth - 1, truth + 1));
    }

    /// A rate of 620 after one of 630 is of a queue; one that was missed ends the curve.
    #[test]
    fn a_rate_that_is_lower_by_chance_ends_no_curve() {
        let mut points = published(100.0, [1.0, 1.0, 1.0, 1.1, 1.1, 1.2, 1.3, 1.5, 3.0, 9.0]);
        assert_eq!(knee(&points), Some(7));
        (points[5].iops, points[6].iops) = (630.0, 620.0);
        assert_eq!(knee(&points), Some(7));
        points[6].saturated = true;
        assert_ne!(knee(&points), Some(7));
        // At one rate within chance only the latency rises: vertical, and no knee.
        let mut depths = published(100.0, [1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
        let at = |number: usize| 400.0 + (number as f64 - 5.0) * 0.1;
        (4..10).for_each(|number| depths[number].iops = at(number));
        assert_eq!(knee(&depths), None);
        assert!(is_vertical(&depths));
    }

    /// A point in the middle that is above twice the lowest by chance ends nothing, and is not called within it.
    #[test]
    fn what_may_be_chance_is_no_end_of_twice_the_lowest() {
        let mut points = published(100.0, [1.0, 1.1, 2.1, 1.6, 2.2, 4.0, 1.9, 9.0, 9.0, 9.0]);
        points.iter_mut().for_each(|p| p.within = (p.mean, p.mean));
        points[2].within = (1.7, 2.5);
        points[4].within = (1.9, 2.5);
        assert_eq!(within_twice(&points), Some(3));
        // It is surely above, but for the error of the lowest.
        points[2].within = (2.05, 2.15);
        assert_eq!(within_twice(&points), Some(1));
        points[0].within = (0.9, 1.1);
        assert_eq!(within_twice(&points), Some(3));
    }
}
