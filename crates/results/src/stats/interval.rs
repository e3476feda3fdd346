//! 95 % intervals of rates and means from a series of slices of time, whose values may depend on each other.

use super::tethered;

/// Fewest values, and batches of values, from which anything is said.
const LEAST: usize = 8;
/// Fewest events: a rate, a mean or a percentile of fewer has no interval.
pub const FEWEST_EVENTS: u64 = 10;
/// Fewest slices of equal counts that those of a settled interval are worth.
const WORTH: f64 = 4.0;
/// Share of the squares of all batches from which on one of them makes the interval by itself: of eight values of a normal
/// distribution one in 300 series has it (Grubbs, "Procedures for detecting outlying observations in samples", 1969), of more
/// values fewer.
const ALONE: f64 = 0.8;
/// An interval that is no wider than this share of its value on either side does not hang on one batch.
const NARROW: f64 = 0.01;
/// Half widths of 95 % intervals beyond which a difference is no chance though many were looked at: 3.5 standard errors, of which
/// such an interval has 1.96 to either side.
pub const OF_MANY: f64 = 3.5 / NORMAL_AT;
/// Quantile of the normal distribution at 97.5 %.
const NORMAL_AT: f64 = 1.959_963_984_54;
/// Quantile of the normal distribution at 90 %: von Neumann's test on both sides at the 20 % level.
const RANDOM_AT: f64 = 1.281_551_565_5;

/// A 95 % interval of a rate or a mean, in the unit of its values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The estimate itself.
    pub value: f64,
    /// Lower end, not below 0 where no value is.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Whether the series was long enough for its dependence: `false` = at least 8 batches that look independent were
    /// not found, and the interval may be too narrow.
    pub settled: bool,
}

impl Interval {
    /// A value of which no interval is known.
    #[must_use]
    pub const fn only(value: f64) -> Self {
        Self {
            value,
            low: value,
            high: value,
            settled: false,
        }
    }

    /// Whether it is one, and not a value alone.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.settled || self.high > self.low
    }

    /// The same of a latency in nanoseconds. These are whole ones, so that no interval is narrower than one: where all I/Os took
    /// the same, one that is not settled would be taken for a value alone.
    #[must_use]
    pub fn of_nanos(self) -> Self {
        match self.is_known() {
            true => self,
            false => Self {
                high: self.high + 1.0,
                ..self
            },
        }
    }

    /// Its ends, with `value` between them: one figure that is computed in two ways may differ in the last digit.
    #[must_use]
    pub fn ends(&self, value: f64) -> (f64, f64) {
        (self.low.min(value), self.high.max(value))
    }

    /// Whether it is no wider than 1 % of its value on either side: such an interval does not hang on one batch.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        self.relative() <= NARROW
    }

    /// Half its width as a share of the value; 0 where the value is 0.
    #[must_use]
    pub fn relative(&self) -> f64 {
        if self.value == 0.0 {
            return 0.0;
        }
        ((self.high - self.low) / (2.0 * self.value)).abs()
    }

    /// How far its farther end is away, as a share of the value; 0 where the value is 0. What is printed after `+-`: of an interval
    /// that reaches further to one side, half its width would exclude that end.
    #[must_use]
    pub fn reach(&self) -> f64 {
        if self.value == 0.0 {
            return 0.0;
        }
        let farther = (self.high - self.value).max(self.value - self.low);
        (farther / self.value).abs()
    }

    /// The product of this and an independent one: the relative errors to each side add as squares.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let (one, two) = (self.shares(), other.shares());
        self.with_shares(self.value * other.value, one, two, other)
    }

    /// This over an independent one, likewise: the more that one may be, the less this is. 0 over nothing.
    #[must_use]
    pub fn over(&self, other: &Self) -> Self {
        let value = match other.value == 0.0 {
            true => 0.0,
            false => self.value / other.value,
        };
        let (below, above) = other.shares();
        self.with_shares(value, self.shares(), (above, below), other)
    }

    /// This less an independent one: the errors add as squares.
    #[must_use]
    pub fn less(&self, other: &Self) -> Self {
        let value = self.value - other.value;
        Self {
            value,
            low: value - (self.value - self.low).hypot(other.high - other.value),
            high: value + (self.high - self.value).hypot(other.value - other.low),
            settled: self.settled && other.settled,
        }
    }

    /// What this has beyond a number that is exact; nothing where it has no more.
    #[must_use]
    pub fn beyond(&self, exact: f64) -> Self {
        let less = |end: f64| (end - exact).max(0.0);
        match self.value > exact {
            true => Self {
                value: less(self.value),
                low: less(self.low),
                high: less(self.high),
                settled: self.settled,
            },
            false => Self::only(0.0),
        }
    }

    /// How far its ends are below and above the value, as shares of that; 0 where the value is 0.
    fn shares(&self) -> (f64, f64) {
        if self.value == 0.0 {
            return (0.0, 0.0);
        }
        let share = |distance: f64| (distance / self.value).abs();
        (share(self.value - self.low), share(self.high - self.value))
    }

    /// A value of 0 or more with the relative errors, below and above, of two others; not below 0.
    fn with_shares(&self, value: f64, one: (f64, f64), two: (f64, f64), other: &Self) -> Self {
        Self {
            value,
            low: (value * (1.0 - one.0.hypot(two.0))).max(0.0),
            high: value * (1.0 + one.1.hypot(two.1)),
            settled: self.settled && other.settled,
        }
    }

    /// The same of something that is no larger than this.
    #[must_use]
    pub fn at_most(&self, most: f64) -> Self {
        Self {
            value: self.value.min(most),
            low: self.low.min(most),
            high: self.high.min(most),
            settled: self.settled,
        }
    }

    /// The same in another unit, or of another estimate of the same: all ends times this.
    #[must_use]
    pub fn scaled(&self, times: f64) -> Self {
        Self {
            value: self.value * times,
            low: self.low * times,
            high: self.high * times,
            settled: self.settled,
        }
    }
}

/// How far the mean of a series is from its expectation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MeanError {
    /// Standard error of the mean.
    pub(super) error: f64,
    /// Half the width of a 95 % interval, in standard errors.
    pub(super) times: f64,
    /// Whether the batches look independent.
    pub(super) settled: bool,
    /// Which share of the squares about the mean the largest of a batch is, 0 to 1.
    pub(super) largest: f64,
}

impl MeanError {
    /// Half the width of a 95 % interval.
    pub(super) fn half(&self) -> f64 {
        self.times * self.error
    }
}

/// Whether this many events in each slice of time are enough for an interval; `None` where they are not.
///
/// A slice without an event says nothing of what one takes, so that fewer than 8 slices with events have no interval
/// (all of one slice are at its mean, whatever it is), and neither have fewer than ten events. Where most of them are in a few
/// slices, the rest hardly count: they are worth `(sum of n)² / sum of n²` slices of equal counts (Kish, "Survey
/// sampling", 1965), and with fewer than four of these an interval is not settled, which is `Some(false)`.
#[must_use]
pub fn enough_events(counts: impl Iterator<Item = f64>) -> Option<bool> {
    let (mut filled, mut sum, mut squares) = (0, 0.0, 0.0);
    for count in counts.filter(|count| *count > 0.0) {
        filled += 1;
        sum += count;
        squares += count * count;
    }
    let is_enough = filled >= LEAST && sum >= FEWEST_EVENTS as f64;
    is_enough.then_some(sum * sum >= WORTH * squares)
}

/// The 95 % interval of a ratio of sums over slices of time, each slice as (amount, base): I/Os and seconds for a rate,
/// time waited and I/Os for a mean. Slices may differ in length. `None` for fewer than 8 slices, or where the bases are
/// 0. Whether the events in them are enough is asked apart ([`enough_events`]).
///
/// The ratio is linearised: what a slice adds to its error is its amount less the ratio times its base (delta
/// method; Cochran, "Sampling Techniques" (1977), chapter 6), and the mean of that has the error of batch means (`spread`).
///
/// Not settled where one batch is nearly all of that error and moves the ratio by more than a hundredth: one stall in the
/// window says how long it was, and not how often there is one.
#[must_use]
pub fn ratio(slices: &[(f64, f64)]) -> Option<Interval> {
    let (amount, base) = slices
        .iter()
        .fold((0.0, 0.0), |sum, s| (sum.0 + s.0, sum.1 + s.1));
    if base <= 0.0 {
        return None;
    }
    let value = amount / base;
    let mean_base = base / slices.len() as f64;
    // What the multiplication rounds away is no noise: equal slices are all at the ratio.
    let beyond_rounding = |part: f64, amount: f64| {
        if part.abs() <= 1e-12 * amount.abs() {
            0.0
        } else {
            part
        }
    };
    let parts = slices
        .iter()
        .map(|s| beyond_rounding(s.0 - value * s.1, s.0) / mean_base);
    let spread = spread(&parts.collect::<Vec<_>>())?;
    let half = spread.half();
    let never_negative = slices.iter().all(|s| s.0 >= 0.0 && s.1 >= 0.0);
    let low = value - half;
    Some(Interval {
        value,
        low: if never_negative { low.max(0.0) } else { low },
        high: value + half,
        settled: spread.settled && (spread.largest <= ALONE || half <= NARROW * value.abs()),
    })
}

/// The standard error of the mean of a series whose values may depend on each other; `None` for fewer than 8.
/// Values that make up for each other leave it better known than batches show ([`tethered`]).
///
/// Non-overlapping batch means with Student's t (Glynn and Whitt, "Estimating the asymptotic variance with batch
/// means", 1991). The size of the batches is doubled until their means pass von Neumann's test ("Distribution of the
/// ratio of the mean square successive difference to the variance", 1941) at the 20 % level, as in `SBatch` (Lada,
/// Steiger, Wilson, "SBatch: a spaced batch means procedure for steady-state simulation analysis", 2008); only
/// neighbours that are too alike fail. What dependence is left makes the variance larger by `(1 + r) / (1 - r)`, with
/// `r` the autocorrelation of neighbouring means, not below 0 (Tafazzoli and Wilson, "Skart: a skewness- and
/// autoregression-adjusted batch-means procedure", 2011). Means that passed by chance give too narrow an interval:
/// where batches of twice the size give a wider one, that is taken (AR(1) noise of 0.8 over 600 values: 96 % of the
/// intervals hold instead of 94 %).
pub(super) fn spread(series: &[f64]) -> Option<MeanError> {
    let of = |size: usize| (series.len() / size >= LEAST).then(|| of_batches(series, size));
    let mut size = 1;
    let mut found = of(size)?;
    while !found.settled {
        size *= 2;
        let Some(next) = of(size) else {
            return Some(found);
        };
        found = next;
    }
    let wider = of(2 * size).filter(|next| next.half() > found.half());
    let found = wider.map_or(found, |next| MeanError {
        settled: true,
        ..next
    });
    let nearer = tethered::half(series).filter(|half| *half < found.half());
    Some(nearer.map_or(found, |half| MeanError {
        error: half / NORMAL_AT,
        times: NORMAL_AT,
        settled: true,
        largest: 0.0,
    }))
}

/// The same from batches of this size; what does not fill one is left out at the start.
fn of_batches(series: &[f64], size: usize) -> MeanError {
    let rest = series.len() % size;
    let batches = series[rest..].chunks_exact(size);
    let means: Vec<f64> = batches
        .map(|b| b.iter().sum::<f64>() / size as f64)
        .collect();
    let count = means.len() as f64;
    let mean = means.iter().sum::<f64>() / count;
    let pairs = || means.iter().zip(&means[1..]);
    let squares: f64 = means.iter().map(|m| (m - mean).powi(2)).sum();
    let steps: f64 = pairs().map(|(a, b)| (b - a).powi(2)).sum();
    let products: f64 = pairs().map(|(a, b)| (a - mean) * (b - mean)).sum();
    let times = student(means.len() - 1);
    if squares <= 0.0 {
        return MeanError {
            error: 0.0,
            times,
            settled: true,
            largest: 0.0,
        };
    }
    // Of independent values the ratio is 2 on average, with this variance.
    let variance = 4.0 * (count - 2.0) / (count * count - 1.0);
    let alike = (2.0 - steps / squares) / variance.sqrt();
    let r = (products / squares).clamp(0.0, 0.9);
    let error = squares / (count - 1.0) / count * (1.0 + r) / (1.0 - r);
    MeanError {
        error: error.sqrt(),
        times,
        settled: alike < RANDOM_AT,
        largest: means.iter().map(|m| (m - mean).powi(2)).fold(0.0, f64::max) / squares,
    }
}

/// The 95 % interval of the mean of independent repeats: Student's t over their values. `None` for fewer than two.
#[must_use]
pub fn of_repeats(values: &[f64]) -> Option<Interval> {
    let count = values.len() as f64;
    let degrees = values.len().checked_sub(1).filter(|d| *d > 0)?;
    let value = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|v| (v - value).powi(2)).sum();
    let half = student(degrees) * (squares / (count - 1.0) / count).sqrt();
    let low = value - half;
    Some(Interval {
        value,
        low: match values.iter().all(|v| *v >= 0.0) {
            true => low.max(0.0),
            false => low,
        },
        high: value + half,
        settled: true,
    })
}

/// 97.5 % quantile of Student's t with `degrees` degrees of freedom, at least 1 (error below 0.0005): a table below 5, then
/// the expansion of Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), 26.7.5.
pub(super) fn student(degrees: usize) -> f64 {
    const Z: f64 = NORMAL_AT;
    const FEW: [f64; 4] = [12.7062, 4.3027, 3.1824, 2.7764];
    if let Some(quantile) = degrees.checked_sub(1).and_then(|d| FEW.get(d)) {
        return *quantile;
    }
    let (v, z2) = (degrees as f64, Z * Z);
    let poly = |of: &[f64]| of.iter().fold(0.0, |sum, c| sum * z2 + c) * Z;
    let terms = [
        poly(&[1.0, 1.0]) / 4.0,
        poly(&[5.0, 16.0, 3.0]) / 96.0,
        poly(&[3.0, 19.0, 17.0, -15.0]) / 384.0,
        poly(&[79.0, 776.0, 1482.0, -1920.0, -945.0]) / 92_160.0,
    ];
    let mut power = 1.0;
    terms.iter().fold(Z, |sum, term| {
        power /= v;
        sum + term * power
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;

    #[test]
    fn quantiles_of_student_s_t_are_those_of_the_tables() {
        for (degrees, quantile) in [
            (1, 12.706),
            (4, 2.776),
            (5, 2.5706),
            (7, 2.365),
            (9, 2.262),
            (15, 2.131),
            (30, 2.042),
            (599, 1.964),
        ] {
            assert!((student(degrees) - quantile).abs() < 6e-4, "{degrees}");
        }
    }

    /// By hand: eight values, mean 5, squares 20.
    #[test]
    fn the_interval_of_independent_values_is_the_textbook_s() {
        let values = [4.0, 6.0, 3.0, 7.0, 5.0, 3.0, 5.0, 7.0];
        let interval = ratio(&values.map(|v| (v, 1.0))).unwrap();
        let half = 2.3646 * (18.0_f64 / 7.0 / 8.0).sqrt();
        assert!((interval.value - 5.0).abs() < 1e-12 && interval.settled);
        assert!((interval.high - 5.0 - half).abs() < 1e-3, "{interval:?}");
        assert!((interval.relative() - half / 5.0).abs() < 1e-3);
        // Of seven nothing is said, nor of what has no base.
        assert_eq!(ratio(&[(1.0, 1.0); 7]), None);
        assert_eq!(ratio(&[(1.0, 0.0); 80]), None);
    }

    /// By hand: mean 10, standard deviation 1, of three.
    #[test]
    fn the_interval_of_repeats_is_student_s() {
        let three = of_repeats(&[9.0, 10.0, 11.0]).unwrap();
        assert!((three.high - 10.0 - 4.3027 / 3.0_f64.sqrt()).abs() < 1e-3);
        assert!((three.value - 10.0).abs() < 1e-12);
        assert_eq!(of_repeats(&[9.0]), None);
    }

    /// By hand: 8 slices, of which one has n and the others one event each, are worth (n + 7)² / (n² + 7): 4.5 at n = 5,
    /// 3.93 at 6.
    #[test]
    fn events_of_one_slice_say_what_one_slice_does() {
        let of =
            |first: f64| enough_events([&[first], &[1.0; 7][..], &[0.0; 50]].concat().into_iter());
        assert_eq!(of(2.0), None);
        assert_eq!(of(3.0), Some(true));
        assert_eq!(of(6.0), Some(false));
        assert_eq!(of(5.0), Some(true));
        assert_eq!(enough_events([1000.0; 7].into_iter()), None);
        assert_eq!(enough_events([1.0; 10].into_iter()), Some(true));
        assert_eq!(enough_events([1.0; 9].into_iter()), None);
    }

    /// 64 slices of 1,000 I/Os of 1 ms each, one of which has 32 of 3 s besides.
    #[test]
    fn a_mean_that_hangs_on_one_slice_is_not_settled() {
        let slices = |long: f64| -> Vec<(f64, f64)> {
            let one = |at| match at {
                40 => (1e9 + 32.0 * long, 1032.0),
                // Noise of a hundredth.
                at => (1e9 + 1e7 * f64::from(at % 3 - 1), 1000.0),
            };
            (0..64).map(one).collect()
        };
        let stalled = ratio(&slices(3e9)).unwrap();
        assert!(!stalled.settled && stalled.relative() > 0.5, "{stalled:?}");
        // A tenth more in one slice moves the mean by less than a hundredth.
        let hardly = ratio(&slices(4e6)).unwrap();
        assert!(hardly.settled && hardly.relative() < 0.01, "{hardly:?}");
    }

    #[test]
    fn what_never_changes_has_no_width_and_what_only_rises_is_not_settled() {
        // 100 over 0.1 is not 1,000 to the last bit.
        for count in 8..200 {
            assert!(
                ratio(&vec![(100.0, 0.1); count]).unwrap().settled,
                "{count}"
            );
        }
        let flat = ratio(&[(300.0, 3.0); 64]).unwrap();
        assert_eq!((flat.low, flat.high, flat.settled), (100.0, 100.0, true));
        let rising: Vec<_> = (0..64).map(|k| (f64::from(k), 1.0)).collect();
        assert!(!ratio(&rising).unwrap().settled);
    }

    #[test]
    fn the_length_of_slices_does_not_count_as_spread() {
        // 100 a second, in slices of one or two seconds.
        let slices: Vec<_> = (0..60)
            .map(|k| f64::from(1 + k % 2))
            .map(|s| (100.0 * s, s))
            .collect();
        let interval = ratio(&slices).unwrap();
        assert!((interval.high - interval.low).abs() < 1e-9);
    }

    #[test]
    fn dependence_widens_it() {
        let mut draws = Draws::new(3);
        let noise: Vec<_> = draws
            .wander(0.8, 600)
            .into_iter()
            .map(|x| (x + 10.0, 1.0))
            .collect();
        let mut shuffled = noise.clone();
        shuffled.sort_by_key(|v| (v.0.to_bits() >> 3) % 9973);
        let (of, without) = (ratio(&noise).unwrap(), ratio(&shuffled).unwrap());
        // The variance of the mean is (1 + 0.8) / (1 - 0.8) = 9 times as large.
        let times = of.relative() / without.relative();
        assert!((2.0..5.0).contains(&times), "{times}");
    }

    #[test]
    fn an_interval_in_another_unit_has_all_its_ends_there() {
        let seconds = Interval {
            value: 3.0,
            low: 2.0,
            high: 5.0,
            settled: true,
        };
        let found = seconds.scaled(1000.0);
        let truth = Interval {
            value: 3000.0,
            low: 2000.0,
            high: 5000.0,
            settled: true,
        };
        assert_eq!(found, truth);
        // A share has no unit: half of 3 over 3.
        assert!((seconds.relative() - 0.5).abs() < 1e-12);
        assert!((found.relative() - 0.5).abs() < 1e-12);
        assert!((seconds.scaled(-1.0).relative() - 0.5).abs() < 1e-12);
        assert!(seconds.scaled(0.0).relative().abs() < 1e-12);
    }

    /// By hand, of 3 (2 to 5), a third below and two thirds above: 9 less 9 times the root of 2/9, and 1 less the root of 5/9.
    #[test]
    fn the_errors_of_a_product_and_of_a_quotient_go_to_their_sides() {
        let within = |value: f64, low: f64, high: f64| Interval {
            value,
            low,
            high,
            settled: true,
        };
        let is = |found: Interval, low: f64, high: f64| {
            assert!((found.low - low).abs() < 1e-3, "{found:?}");
            assert!((found.high - high).abs() < 1e-3, "{found:?}");
        };
        let three = within(3.0, 2.0, 5.0);
        is(three.times(&three), 4.757, 17.485);
        is(three.over(&three), 0.2546, 1.7454);
        // Of two that may be next to nothing, the product is not below nothing.
        let wide = within(2.0, 0.1, 9.0);
        is(wide.times(&wide), 0.0, 4.0 * (1.0 + 3.5 * 2.0_f64.sqrt()));
        is(wide.over(&wide), 0.0, 1.0 + 3.5_f64.hypot(0.95));
        // What is needed of a rate is no more than what reached it.
        let most = within(3.0, 2.0, 5.0).at_most(2.5);
        assert_eq!((most.value, most.low, most.high), (2.5, 2.0, 2.5));
        // What a latency has beyond a round trip is nothing at least.
        is(three.beyond(2.5), 0.0, 2.5);
        assert!(three.beyond(1.0).is_known() && !three.beyond(3.0).is_known());
    }

    /// Of 0 and 10, Student's interval reaches from -58.5 to 68.5.
    #[test]
    fn an_interval_ends_at_nothing_where_no_value_is_below() {
        let low = |values: &[f64]| of_repeats(values).unwrap().low;
        assert!(low(&[0.0, 10.0]).abs() < 1e-12);
        assert!((low(&[10.0, 20.0]) - 0.0).abs() < 1e-12);
        assert!((low(&[-1.0, 1.0]) + 12.7062).abs() < 1e-3);
        let low = |amounts: [f64; 8]| ratio(&amounts.map(|a| (a, 1.0))).unwrap().low;
        assert!(low([0.0, 0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0]).abs() < 1e-12);
        assert!(low([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0]) < -0.5);
        // A slice of no length is not below nothing.
        let mut bases = [(0.0, 1.0); 8];
        (bases[2], bases[3]) = ((0.0, 0.0), (8.0, 1.0));
        assert!(ratio(&bases).unwrap().low.abs() < 1e-12);
        let mut bases = [(1.0, 1.0); 8];
        bases[3] = (8.0, -0.5);
        assert!(ratio(&bases).unwrap().low < 0.0);
    }

    /// By hand: mean 0, squares 8, products of neighbours 1: r = 1/8. The variance of the mean is 8 / 7 / 8, times
    /// (9/8) / (7/8): 9/49.
    #[test]
    fn neighbours_that_are_alike_widen_the_error_of_the_mean() {
        let series = [1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0];
        let found = of_batches(&series, 1);
        assert!((found.error - 3.0 / 7.0).abs() < 1e-12, "{found:?}");
        assert!((found.half() - 2.3646 * 3.0 / 7.0).abs() < 1e-3);
        // Wherever they lie.
        let moved = of_batches(&series.map(|x| 100.0 + x), 1);
        assert!((moved.error - 3.0 / 7.0).abs() < 1e-9, "{moved:?}");
        // Neighbours that are unlike do not make it smaller: r = -7/8 counts as 0.
        let unlike = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0];
        let found = of_batches(&unlike, 1);
        assert!((found.error - (1.0 / 7.0_f64).sqrt()).abs() < 1e-12);
        assert!(found.settled);
    }

    /// By hand, of eight values: the ratio of von Neumann is 2 on average with the variance 4 x 6 / 63, so that 10 % of
    /// independent ones are below 1.209.
    #[test]
    fn batches_look_independent_by_the_ratio_of_von_neumann() {
        // Steps 14 over squares 11.5: 1.217. Steps 9 over squares 7.5: 1.2.
        for (series, settled) in [
            ([0.0, 1.0, 0.0, 3.0, 3.0, 2.0, 1.0, 0.0], true),
            ([0.0, 1.0, 2.0, 2.0, 3.0, 2.0, 3.0, 1.0], false),
        ] {
            assert_eq!(of_batches(&series, 1).settled, settled, "{series:?}");
            // Wherever they lie and in any unit.
            let moved = series.map(|x| 100.0 - 7.0 * x);
            assert_eq!(of_batches(&moved, 1).settled, settled, "{series:?}");
        }
    }

    #[test]
    fn what_does_not_fill_a_batch_is_left_out_at_the_start() {
        let mut series = vec![1000.0];
        series.extend([1.0, 3.0].repeat(8));
        let found = of_batches(&series, 2);
        assert!(found.error.abs() < 1e-12, "{found:?}");
        assert!((found.times - 2.3646).abs() < 1e-3);
    }

    /// Sixteen values look independent one by one (ratio 1.75), with r = 1/16; means of two alternate: error 1 / sqrt(7).
    #[test]
    fn batches_of_twice_the_size_count_where_they_vary_more() {
        let series = [1.0, 1.0, -1.0, -1.0].repeat(4);
        assert!(of_batches(&series, 1).settled);
        let found = spread(&series).unwrap();
        assert!(
            (found.half() - 2.3646 / 7.0_f64.sqrt()).abs() < 1e-3,
            "{found:?}"
        );
        assert!(found.settled);
        // Values in turns make up for each other: their sums are within 1 of a line.
        let quick = [1.0, -1.0].repeat(8);
        let found = spread(&quick).unwrap();
        assert!((found.half() - 2.0 / 16.0).abs() < 1e-12, "{found:?}");
        assert!(found.half() < of_batches(&quick, 1).half());
    }

    /// By hand: in runs of four the values are too alike one by one. Means of two are 1, 1, -1, -1, ..., which look independent,
    /// with an error of 0.185 and 31 degrees of freedom; means of four alternate: 1 / sqrt(15), and 15 of them.
    #[test]
    fn batches_of_twice_the_size_are_those_twice_as_large_as_the_ones_that_look_independent() {
        let series = [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0].repeat(8);
        assert!(!of_batches(&series, 1).settled && of_batches(&series, 2).settled);
        let found = spread(&series).unwrap();
        assert!((found.error - 1.0 / 15.0_f64.sqrt()).abs() < 1e-9);
        assert!((found.times - 2.1314).abs() < 1e-3, "{found:?}");
    }

    /// A quota of 500 I/Os each 100 ms, in slices of 50, 20 and 78 ms over 10 s: the mean may be off by one of 100 parts.
    #[test]
    fn a_quota_in_parts_is_known_within_two_of_them() {
        for (length, many) in [(50.0, 200), (20.0, 500), (78.0, 128)] {
            for phase in [0.0, 30.0, 99.0] {
                let through = |n: usize| ((n as f64 * length + phase) / 100.0).floor() * 500.0;
                let one = |n: usize| (through(n + 1) - through(n), length / 1000.0);
                let found = ratio(&(0..many).map(one).collect::<Vec<_>>()).unwrap();
                let name = format!("{length} {phase}: {found:?}");
                assert!((0.009..0.045).contains(&found.relative()), "{name}");
                assert!(
                    found.settled && (found.low..=found.high).contains(&5000.0),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn equal_slices_of_a_large_amount_have_no_width_either() {
        for count in 8..100 {
            let interval = ratio(&vec![(1e9, 0.1); count]).unwrap();
            assert!(interval.settled && interval.low >= interval.high, "{count}");
        }
    }
}
