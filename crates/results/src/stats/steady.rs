//! Whether a series stays as it is: the length of its warm-up, its trend, its period.

use super::interval::{Interval, student};
use super::middle::median_high;
use super::products::products;

/// Values of a batch of MSER-5.
const BATCH: usize = 5;
/// Batches that a truncated series keeps at least: the variance of fewer says nothing.
const KEPT: usize = 5;

/// How many values at the start of a series to leave out, so that the mean of the rest is known best; `None` for fewer
/// than 50 values.
///
/// MSER-5 (White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for simulation", 2000): of
/// means of five values, those are left out whose removal makes the squared standard error of the mean of the rest
/// smallest. A series of which it would leave out more than half has no steady part (Franklin and White, "Stationarity
/// tests and MSER-5", 2008).
#[must_use]
pub fn mser5(series: &[f64]) -> Option<usize> {
    let means: Vec<f64> = series
        .chunks_exact(BATCH)
        .map(|batch| batch.iter().sum::<f64>() / BATCH as f64)
        .collect();
    if means.len() < 2 * KEPT {
        return None;
    }
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    // About a value of the series: differences of large numbers lose digits.
    let origin = means[means.len() - 1];
    for (start, mean) in means.iter().enumerate().rev() {
        let value = mean - origin;
        count += 1.0;
        sum += value;
        squares += value * value;
        let error = (squares - sum * sum / count).max(0.0) / (count * count);
        if means.len() - start >= KEPT && error <= best.0 {
            best = (error, start);
        }
    }
    Some(best.1 * BATCH)
}

/// How many values at the start of a series differ from the rest: no more than [`mser5`] leaves out; `None` where that says
/// nothing. The smallest error hardly changes with cuts that are later than needed, so that chance has the last word among
/// them: the earliest is taken from which on the values up to that of [`mser5`] have the same mean as those after it, within
/// two standard errors or a five-hundredth, and no five of them have a median that differs by 4.5 of its errors. A value is
/// known to `grain` at best: an interval has whole I/Os.
#[must_use]
pub fn warm_up_end(series: &[f64], grain: f64) -> Option<usize> {
    /// Standard errors from which on the mean of values may be another.
    const MAY_DIFFER: f64 = 2.0;
    /// Those from which on a median of five is another level's, a dip of two values being none.
    const DIFFERS: f64 = 4.5;
    /// The error of a median over that of a mean, of normal values.
    const OF_MEDIAN: f64 = 1.253;
    /// A difference that is none, as a share.
    const SAME: f64 = 0.002;
    let latest = mser5(series)?;
    let rest = &series[latest..];
    let count = rest.len() as f64;
    let mean = rest.iter().sum::<f64>() / count;
    let left: Vec<f64> = rest.iter().map(|x| x - mean).collect();
    let variance = left.iter().map(|x| x * x).sum::<f64>() / count;
    let variance = variance.max(grain * grain / 4.0) * dependence(&left);
    let mut sum = 0.0;
    let mut earliest = latest;
    for (at, value) in series[..latest].iter().enumerate().rev() {
        let five = median_high(series[at..at + BATCH].iter().copied())?;
        let error = OF_MEDIAN * (variance / BATCH as f64).sqrt();
        if (five - mean).abs() > (DIFFERS * error).max(SAME * mean) {
            break;
        }
        let values = (latest - at) as f64;
        sum += value - mean;
        let error = (variance * (1.0 / values + 1.0 / count)).sqrt();
        if (sum / values).abs() <= (MAY_DIFFER * error).max(SAME * mean) {
            earliest = at;
        }
    }
    Some(earliest)
}

/// A straight line through a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// From the first value to the last, in the unit of the values.
    pub change: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom: values less the two of the line.
    degrees: usize,
}

impl Trend {
    /// How much the line rises or falls, with its 95 % interval.
    #[must_use]
    pub fn size(&self) -> Interval {
        around(self.change.abs(), student(self.degrees) * self.error)
    }

    /// The line at the first and the last value of a series of this mean, 0 or more, with 95 % intervals: the errors of the mean
    /// and of half the change, which are independent.
    #[must_use]
    pub fn ends(&self, mean: f64) -> [Interval; 2] {
        let n = (self.degrees + 2) as f64;
        let of_mean = (n + 1.0) / (n - 1.0) / 12.0;
        let error = self.error * (of_mean + 0.25).sqrt();
        let half = self.change / 2.0;
        [mean - half, mean + half]
            .map(|value| around(value.max(0.0), student(self.degrees) * error))
    }
}

/// A value of 0 or more that is known to this distance.
fn around(value: f64, half: f64) -> Interval {
    Interval {
        value,
        low: (value - half).max(0.0),
        high: value + half,
        settled: true,
    }
}

/// The line of least squares through a series, and how far its change may be off; `None` for fewer than 10 values.
///
/// The standard error is that of ordinary regression, times `(1 + r) / (1 - r)` in the variance for residuals that
/// depend on each other with the autocorrelation `r`, not below 0 (Bayley and Hammersley, "The effective number of
/// independent observations in an autocorrelated time series", 1946).
#[must_use]
pub fn trend(series: &[f64]) -> Option<Trend> {
    if series.len() < 10 {
        return None;
    }
    let (slope, residuals) = line(series);
    let n = series.len() as f64;
    let squares: f64 = residuals.iter().map(|r| r * r).sum();
    let spread = n * (n * n - 1.0) / 12.0;
    let variance = squares / (n - 2.0) / spread * dependence(&residuals);
    Some(Trend {
        change: slope * (n - 1.0),
        error: variance.sqrt() * (n - 1.0),
        degrees: series.len() - 2,
    })
}

/// How many times the variance of a mean is that of independent values: `(1 + r) / (1 - r)` for residuals with the
/// autocorrelation `r` of neighbours, from 0 to 0.9 (source: see [`trend`]).
#[must_use]
pub fn dependence(residuals: &[f64]) -> f64 {
    let squares: f64 = residuals.iter().map(|r| r * r).sum();
    let products: f64 = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let r = if squares > 0.0 {
        (products / squares).clamp(0.0, 0.9)
    } else {
        0.0
    };
    (1.0 + r) / (1.0 - r)
}

/// The slope of the line of least squares, and what is left of each value above it.
fn line(series: &[f64]) -> (f64, Vec<f64>) {
    let n = series.len() as f64;
    let mean = series.iter().sum::<f64>() / n;
    let middle = (n - 1.0) / 2.0;
    let each = || {
        series
            .iter()
            .enumerate()
            .map(|(i, x)| (i as f64 - middle, x))
    };
    let spread: f64 = each().map(|(t, _)| t * t).sum();
    let slope = each().map(|(t, x)| t * (x - mean)).sum::<f64>() / spread.max(1e-300);
    let residuals = each().map(|(t, x)| x - mean - slope * t).collect();
    (slope, residuals)
}

/// A period found in a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Period {
    /// After how many values.
    pub lag: usize,
    /// The autocorrelation at that distance.
    pub correlation: f64,
    /// The standard deviation of the series around its trend, in the unit of the values.
    pub spread: f64,
}

/// What repeats in a series at a distance of at least `least` values, three times or more; `None` where nothing does.
///
/// The highest peak of the autocorrelation of the series without its trend (Box, Jenkins and Reinsel, "Time series
/// analysis", 1994, chapter 2), where it is above 0.4 and above four standard errors of noise (`1 / sqrt(n)`: Bartlett,
/// "On the theoretical specification and sampling properties of autocorrelated time-series", 1946), stands clear of
/// the values before it, and repeats at twice the distance. Of peaks that are nearly as high, the first.
#[must_use]
pub fn period(series: &[f64], least: usize) -> Option<Period> {
    /// The autocorrelation of a peak.
    const PEAK: f64 = 0.4;
    let n = series.len();
    let longest = n / 3;
    if n < 12 || least > longest {
        return None;
    }
    let (_, rest) = line(series);
    let squares: f64 = rest.iter().map(|x| x * x).sum();
    if squares <= 0.0 {
        return None;
    }
    let sums = products(&rest, 2 * longest + 1).into_iter();
    let values: Vec<f64> = sums.map(|sum| sum / squares).collect();
    let needed = PEAK.max(4.0 / (n as f64).sqrt());
    let is_peak = |lag: &usize| {
        let lag = *lag;
        let own = values[lag];
        let trough = values[1..lag].iter().copied().fold(f64::INFINITY, f64::min);
        let again = values[2 * lag - 1..=2 * lag + 1].iter().copied();
        own > needed
            && own >= values[lag - 1]
            && own >= values[lag + 1]
            && trough < own / 2.0
            && again.fold(f64::NEG_INFINITY, f64::max) > own / 3.0
    };
    // A shorter period repeats at its multiples, too: it is the one there is.
    let peaks: Vec<usize> = (2..=longest).filter(is_peak).collect();
    let highest = peaks.iter().map(|&lag| values[lag]).fold(0.0, f64::max);
    let lag = *peaks.iter().find(|&&lag| values[lag] >= 0.8 * highest)?;
    (lag >= least).then_some(Period {
        lag,
        correlation: values[lag],
        spread: (squares / n as f64).sqrt(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;

    /// A series of noise of 3 % around a level that each value may have of its own.
    fn noisy(seed: u64, count: usize, level: impl Fn(f64) -> f64) -> Vec<f64> {
        let noise = Draws::new(seed).wander(0.0, count);
        let each = noise.into_iter().enumerate();
        each.map(|(i, e)| level(i as f64) * (1.0 + 0.03 * e))
            .collect()
    }

    #[test]
    fn the_batch_whose_removal_helps_most_is_left_out() {
        // By hand: means 5, 1, 1, ... of ten batches. All: squares 14.4 / 100 = 0.144; without the first: 0.
        let mut series = vec![5.0; 5];
        series.extend([1.0; 45]);
        assert_eq!(mser5(&series), Some(5));
        assert_eq!(mser5(&[1.0; 50]), Some(0));
        assert_eq!(mser5(&[1.0; 49]), None);
    }

    /// 300 values that come up to their level with a time constant, as the published cases.
    #[test]
    fn a_warm_up_is_cut_where_it_is_over() {
        let median = |tau: f64| {
            let mut cuts: Vec<usize> = (0..21)
                .filter_map(|seed| {
                    let level = |t: f64| 1000.0 * (1.0 - 0.5 * (-t / tau).exp());
                    mser5(&noisy(seed, 300, level))
                })
                .collect();
            cuts.sort_unstable();
            cuts[cuts.len() / 2]
        };
        assert!(median(0.001) <= 10, "{}", median(0.001));
        assert!((20..=60).contains(&median(10.0)), "{}", median(10.0));
        assert!((70..=150).contains(&median(30.0)), "{}", median(30.0));
    }

    /// A step has its place, wherever the error happens to be smallest; what comes up slowly is cut as the published cases.
    #[test]
    fn a_warm_up_ends_where_the_values_become_those_of_the_rest() {
        let mut later = 0;
        for seed in 0..40 {
            let step = noisy(seed, 160, |t| if t < 16.0 { 600.0 } else { 1000.0 });
            let end = warm_up_end(&step, 1.0).unwrap();
            assert!((12..=20).contains(&end), "{seed}: {end}");
            later += u32::from(mser5(&step).unwrap() > 25);
        }
        assert!(later > 0);
        // Whole counts of a limit: 625 of each eighth of a second, now and then one more or less.
        let mut counts = vec![375.0; 16];
        counts.extend((0..144).map(|at| match at {
            20 | 57 => 624.0,
            21 | 58 => 626.0,
            _ => 625.0,
        }));
        assert_eq!(warm_up_end(&counts, 1.0), Some(16));
        for (tau, places) in [(10.0, 15..=60), (30.0, 50..=150)] {
            let ends = (0..21).map(|seed| {
                let level = |t: f64| 1000.0 * (1.0 - 0.5 * (-t / tau).exp());
                warm_up_end(&noisy(seed, 300, level), 1.0).unwrap()
            });
            let mut ends: Vec<usize> = ends.collect();
            ends.sort_unstable();
            assert!(places.contains(&ends[10]), "{tau}: {ends:?}");
        }
        assert_eq!(warm_up_end(&[1.0; 60], 1.0), Some(0));
        assert_eq!(warm_up_end(&[1.0; 49], 1.0), None);
    }

    #[test]
    fn a_line_has_its_change_and_its_error() {
        // By hand: 0, 1, ... 9 rises by 9 without error; with steps of +-1 around it the change stays about that.
        let straight: Vec<f64> = (0..10).map(f64::from).collect();
        let found = trend(&straight).unwrap();
        assert!((found.change - 9.0).abs() < 1e-9 && found.error < 1e-9);
        assert_eq!(trend(&straight[..9]), None);
        // The textbook's error of a slope: s / sqrt(sum of squared distances), here of alternating residuals.
        let zigzag: Vec<f64> = (0..40)
            .map(|i| if i % 2 == 0 { 1.0 } else { -1.0 })
            .collect();
        let found = trend(&zigzag).unwrap();
        let spread: f64 = (0..40).map(|i| (f64::from(i) - 19.5).powi(2)).sum();
        assert!(
            (found.error - 39.0 * (40.0 / 38.0 / spread).sqrt()).abs() < 0.05,
            "{found:?}"
        );
    }

    /// 95 % intervals of noise about a line hold its true change and its true ends.
    #[test]
    fn the_intervals_of_a_line_hold_the_truth() {
        let truth = |t: f64| 1000.0 - 2.0 * t;
        let (mut held, mut tried) = ([0, 0, 0], 0);
        for seed in 0..400 {
            let noise = Draws::new(seed).wander(0.0, 60);
            let series: Vec<f64> = (0..60)
                .map(|at| truth(f64::from(at)))
                .zip(noise)
                .map(|(level, e)| level + 30.0 * e)
                .collect();
            let line = trend(&series).unwrap();
            let [first, last] = line.ends(series.iter().sum::<f64>() / 60.0);
            let each = [
                (first, truth(0.0)),
                (last, truth(59.0)),
                (line.size(), 118.0),
            ];
            for (held, (known, truth)) in held.iter_mut().zip(each) {
                *held += u32::from(known.low <= truth && truth <= known.high);
            }
            tried += 1;
        }
        assert!(
            held.iter()
                .all(|held| (tried * 92 / 100..=tried * 98 / 100).contains(held)),
            "{held:?} of {tried}"
        );
    }

    /// Three standard errors and more without a trend, in noise and in noise that wanders.
    #[test]
    fn noise_has_seldom_a_trend() {
        for (r, most) in [(0.0, 12), (0.8, 25)] {
            let drifts = (0..500)
                .filter(|seed| {
                    let found = trend(&Draws::new(*seed).wander(r, 120)).unwrap();
                    found.change.abs() > 3.5 * found.error
                })
                .count();
            assert!(drifts <= most, "{drifts} of 500 at {r}");
        }
        let rising = noisy(1, 60, |t| 1000.0 + 2.0 * t);
        let found = trend(&rising).unwrap();
        assert!((found.change - 118.0).abs() < 40.0 && found.change > 3.5 * found.error);
    }

    #[test]
    fn periodic_dips_have_a_period_and_noise_has_none() {
        for seed in 0..50 {
            let dips = noisy(seed, 120, |t| if t % 10.0 < 1.0 { 600.0 } else { 1000.0 });
            let found = period(&dips, 3).unwrap();
            assert_eq!(found.lag, 10, "{found:?}");
            assert_eq!(period(&dips, 50), None);
        }
        let quick = noisy(9, 90, |t| if t % 2.0 < 1.0 { 900.0 } else { 1000.0 });
        assert_eq!(period(&quick, 3), None);
        let wave = noisy(7, 90, |t| {
            1000.0 + 100.0 * (t * std::f64::consts::TAU / 15.0).sin()
        });
        assert_eq!(period(&wave, 3).map(|p| p.lag), Some(15));
        let alarms = |r: f64| {
            let of = |seed: &u64| period(&Draws::new(*seed).wander(r, 60), 3).is_some();
            (0..500).filter(of).count()
        };
        assert!(
            alarms(0.0) <= 3 && alarms(0.8) <= 10,
            "{} {}",
            alarms(0.0),
            alarms(0.8)
        );
        // A change of level and a trend do not come again.
        let step: Vec<f64> = noisy(3, 90, |t| if t < 40.0 { 1000.0 } else { 500.0 });
        assert_eq!(period(&step, 3), None);
        let slope: Vec<f64> = noisy(3, 90, |t| 1000.0 - 5.0 * t);
        assert_eq!(period(&slope, 3), None);
        assert_eq!(period(&[1.0; 30], 3), None);
    }

    /// The squared standard error of the rest, by its definition, for every cut.
    #[test]
    fn no_other_cut_leaves_a_smaller_error() {
        for seed in 0..20 {
            let series = noisy(seed, 103, |t| 1000.0 - 300.0 * (-t / 15.0).exp());
            let means: Vec<f64> = (0..20)
                .map(|k| series[5 * k..5 * k + 5].iter().sum::<f64>() / 5.0)
                .collect();
            let error = |cut: usize| {
                let rest = &means[cut..];
                let n = rest.len() as f64;
                let mean = rest.iter().sum::<f64>() / n;
                rest.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (n * n)
            };
            let best = (0..=15).min_by(|a, b| error(*a).total_cmp(&error(*b)));
            assert_eq!(mser5(&series), best.map(|cut| 5 * cut), "{seed}");
        }
    }

    /// By hand, the squares of 0 to 9: slope 9, of which 12, 4, -2, -6, -8, -8, -6, -2, 4, 12 are left, with squares of
    /// 528 and products of neighbours of 264: r = 1/2. The variance of the slope is 528 / 8 / 82.5 x 3 = 2.4.
    #[test]
    fn what_is_left_of_a_line_and_depends_on_its_neighbours_widens_its_error() {
        let series: Vec<f64> = (0..10).map(|t| f64::from(t * t)).collect();
        let found = trend(&series).unwrap();
        assert!((found.change - 81.0).abs() < 1e-9, "{found:?}");
        assert!(
            (found.error - 9.0 * 2.4_f64.sqrt()).abs() < 1e-9,
            "{found:?}"
        );
        let (slope, left) = line(&series);
        assert!((slope - 9.0).abs() < 1e-12);
        for (found, truth) in left
            .iter()
            .zip([12.0, 4.0, -2.0, -6.0, -8.0, -8.0, -6.0, -2.0])
        {
            assert!((found - truth).abs() < 1e-9, "{left:?}");
        }
    }

    /// A wave of twelve values: its autocorrelation at one period is that of what is left of it.
    #[test]
    fn periods_are_found_from_the_least_length_to_a_third_of_the_series() {
        let wave = |period: f64, count: u32| -> Vec<f64> {
            let turns = std::f64::consts::TAU / period;
            (0..count).map(|t| (f64::from(t) * turns).cos()).collect()
        };
        let lag = |series: &[f64], least| period(series, least).map(|p| p.lag);
        assert_eq!(lag(&wave(12.0, 120), 12), Some(12));
        assert_eq!(lag(&wave(12.0, 120), 13), None);
        assert_eq!(lag(&wave(12.0, 37), 3), Some(12));
        assert_eq!(lag(&wave(12.0, 33), 3), None);
        let found = period(&wave(12.0, 1200), 3).unwrap();
        assert!((found.correlation - 0.99).abs() < 0.01, "{found:?}");
        assert_eq!(lag(&wave(4.0, 11), 2), None);
        // Three times and no less, however alike the second is to the first.
        assert_eq!(lag(&wave(36.0, 100), 3), None);
    }

    /// One slow wave of the whole series holds neighbours together; a ripple of a half of it repeats every ten values.
    #[test]
    fn a_ripple_on_what_changes_slowly_is_no_period() {
        let turn = |t: usize, period: f64| (t as f64 * std::f64::consts::TAU / period).cos();
        let ripple: Vec<f64> = (0..120)
            .map(|t| turn(t, 120.0) + 0.5 * turn(t, 10.0))
            .collect();
        assert_eq!(period(&ripple, 3), None);
        let alone: Vec<f64> = (0..120).map(|t| turn(t, 10.0)).collect();
        assert_eq!(period(&alone, 3).map(|p| p.lag), Some(10));
    }

    /// Of two alike, half of the squares is in their product: enough for a peak, which does not come again.
    #[test]
    fn two_events_are_no_period_and_three_are_one() {
        let bursts = |places: &[usize]| {
            let mut series = vec![100.0; 240];
            for &place in places {
                series[place..place + 3].fill(200.0);
            }
            period(&series, 3).map(|p| p.lag)
        };
        assert_eq!(bursts(&[100, 140]), None);
        assert_eq!(bursts(&[80, 120, 160]), Some(40));
    }

    /// Two of three distances are of twenty values, the one between them of one more or one less: the first and the third
    /// are 41 or 39 apart, as are the second and the fourth.
    #[test]
    fn a_period_may_vary_by_one_value() {
        for third in [61, 59] {
            let mut series = vec![100.0; 240];
            for place in [20, 40, third, third + 20] {
                series[80 + place] = 200.0;
            }
            assert_eq!(period(&series, 3).map(|p| p.lag), Some(20), "{third}");
        }
    }
}
