//! The few I/Os of a set that met a stall of the target.
//!
//! Belongs here: distinguishing them from the others by their latency. Must never: say what stalled.

use leadline_model::histogram::{Histogram, lower_bound, upper_bound};
use leadline_model::units::{Nanos, whole};

/// An I/O that takes this multiple of the median was delayed.
const TIMES: u64 = 10;
/// A larger share of the I/Os is a kind of its own.
const MOST: f64 = 0.01;

/// The I/Os of a set that took more than ten times the median, where they are fewer than one of a hundred.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delayed {
    /// Their latencies are above this.
    pub above: Nanos,
    /// How many there are, at least 1.
    pub ios: u64,
    /// Their share of the sum of all latencies, 0 to 1.
    pub share: f64,
    /// The mean latency of the others, seconds.
    pub others_s: f64,
}

impl Delayed {
    /// Those of a set that took longer than `least`, too; `None` where there are none.
    #[must_use]
    pub fn of(latencies: &Histogram, least: Nanos) -> Option<Self> {
        Self::at_most(latencies, least, MOST)
    }

    /// The same where they are no more than this share of the I/Os, 0 to 1.
    pub(crate) fn at_most(latencies: &Histogram, least: Nanos, most: f64) -> Option<Self> {
        let median = lower_bound(latencies.ranked(50.0)?.bucket);
        let above = median.saturating_mul(TIMES).max(least.0);
        let ios = latencies.count_above(above);
        if ios == 0 || ios as f64 > most * latencies.total() as f64 {
            return None;
        }
        let (mut delayed, mut others) = (0.0, 0.0);
        for (bucket, count) in latencies.nonzero() {
            let (low, high) = (lower_bound(bucket), upper_bound(bucket));
            let sum = match low > above {
                true => &mut delayed,
                false => &mut others,
            };
            *sum += (low as f64 + high as f64) / 2.0 * count as f64;
        }
        Some(Self {
            above: Nanos(above),
            ios,
            share: delayed / (delayed + others),
            others_s: others / (latencies.total() - ios) as f64 / 1e9,
        })
    }

    /// Whether they, or the slowest of them, are more than the tail of the other I/Os brings by chance. That tail goes
    /// on as it falls from the slowest tenth to the slowest of a hundred (the generalised Pareto distribution, after
    /// Pickands, 1975), and how many it has is Poisson's; in less than one of ten thousand sets it has as many
    /// (Chernoff's bound).
    #[must_use]
    pub fn is_no_tail(&self, latencies: &Histogram) -> bool {
        /// The logarithm of ten thousand.
        const SURE: f64 = 9.2;
        /// Fewer are chance whatever they take.
        const FEWEST: f64 = 3.0;
        /// From ten times the median on, to more than a hundred times.
        const LEVELS: i32 = 5;
        let tail = Tail::of(latencies);
        (0..LEVELS).any(|doubling| {
            let level = self.above.0 as f64 * 2.0_f64.powi(doubling);
            let ios = latencies.count_above(whole(level)) as f64;
            let expected = tail.above(level).max(f64::MIN_POSITIVE);
            ios >= FEWEST.max(expected) && ios * (ios / expected).ln() - ios + expected >= SURE
        })
    }
}

/// Whether the I/Os of a set that take longer than `level` are those that its tail has by chance: no more than expected of the
/// generalised Pareto distribution of the slowest tenth, give or take three standard deviations of Poisson's.
#[must_use]
pub fn is_of_the_tail(latencies: &Histogram, level: Nanos) -> bool {
    /// With fewer expected, one is none of the tail.
    const FEWEST: f64 = 0.02;
    if latencies.ranked(50.0).is_none() {
        return false;
    }
    let tail = Tail::of(latencies);
    if (level.0 as f64) < tail.last {
        // More than the slowest of a hundred take that long: it is how the I/Os are, as far as they are not one value.
        return tail.first < tail.last;
    }
    // Far beyond the last quantile, the heaviest tail has four I/Os between a tenth of the level and half of it for each above half.
    let (tenth, half) = (level.0 / 10, latencies.count_above(level.0 / 2));
    if tenth as f64 > tail.last && half > 0 && latencies.count_above(tenth) == half {
        return false;
    }
    let expected = tail.above(level.0 as f64);
    let ios = latencies.count_above(level.0) as f64;
    expected >= FEWEST && ios <= expected + 3.0 * expected.max(1.0).sqrt()
}

/// Whether the tail of a set brings an I/O that takes longer than `level` in less than one of ten thousand sets.
#[must_use]
pub fn is_beyond_the_tail(latencies: &Histogram, level: Nanos) -> bool {
    latencies.ranked(50.0).is_some() && Tail::of(latencies).above(level.0 as f64) < 1e-4
}

/// How many of the slow I/Os are slower still.
///
/// Beyond a high quantile the excess has the generalised Pareto distribution, whatever the latencies have: exponential, or
/// with a longer tail of the shape `xi` above 0, as that of a log-normal distribution of a large sigma looks. The shape comes from
/// the distances of three quantiles whose shares have one ratio (Pickands, "Statistical inference using extreme order
/// statistics", 1975).
struct Tail {
    /// I/Os above the last quantile.
    ios: f64,
    /// The quantile above which a tenth is, nanoseconds.
    first: f64,
    /// The last quantile, nanoseconds.
    last: f64,
    /// Its scale, nanoseconds.
    scale: f64,
    /// From 0, which is exponential, to 1.
    shape: f64,
}

impl Tail {
    fn of(latencies: &Histogram) -> Self {
        /// The share of the I/Os in the tail.
        const TAIL: f64 = 0.1;
        /// This number of I/Os shows how it falls.
        const ENOUGH: f64 = 20.0;
        /// A smaller shape is none.
        const EXPONENTIAL: f64 = 1e-6;
        let total = latencies.total() as f64;
        let slowest = (ENOUGH / total).clamp(MOST, TAIL / 2.0);
        let above = |share: f64| {
            let found = latencies.ranked(100.0 * (1.0 - share));
            found.map_or(0.0, |found| upper_bound(found.bucket) as f64)
        };
        let (first, middle, last) = (above(TAIL), above((TAIL * slowest).sqrt()), above(slowest));
        // The logarithm of the ratio of one share to the next.
        let step = (TAIL / slowest).ln() / 2.0;
        // No narrower than the buckets resolve.
        let least = last / 100.0;
        let (near, far) = ((middle - first).max(least), (last - middle).max(least));
        let shape = ((far / near).ln() / step).clamp(0.0, 1.0);
        let scale = match shape < EXPONENTIAL {
            true => (last - first) / (2.0 * step),
            false => far * shape / (1.0 - (-shape * step).exp()),
        };
        Self {
            ios: total * slowest,
            first,
            last,
            scale: scale.max(least),
            shape,
        }
    }

    /// How many are expected to take more than `level` nanoseconds.
    fn above(&self, level: f64) -> f64 {
        let excess = (level - self.last).max(0.0) / self.scale;
        // The logarithm of 1 + xi x over xi is x where xi is 0.
        let fallen = match self.shape > 0.0 {
            true => (self.shape * excess).ln_1p() / self.shape,
            false => excess,
        };
        self.ios * (-fallen).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::seed::SplitMix;

    #[test]
    fn a_few_long_stalls_are_distinguished_from_the_tail() {
        let mut latencies = Histogram::new();
        assert_eq!(Delayed::of(&latencies, Nanos::ZERO), None);
        latencies.record_many(150_000, 9992);
        assert_eq!(Delayed::of(&latencies, Nanos::ZERO), None);
        latencies.record_many(50_000_000, 8);
        let found = Delayed::of(&latencies, Nanos::ZERO).unwrap();
        assert_eq!(found.ios, 8);
        // 400 ms of 1.9 s.
        assert!((found.share - 0.211).abs() < 0.005, "{found:?}");
        assert!((found.others_s - 150e-6).abs() < 2e-6, "{found:?}");
        assert_eq!(Delayed::of(&latencies, Nanos::SECOND), None);
        assert!(found.is_no_tail(&latencies));
        // One of fifty is a kind of its own.
        latencies.record_many(50_000_000, 200);
        assert_eq!(Delayed::of(&latencies, Nanos::ZERO), None);
    }

    /// `count` exponential latencies of a mean of 1 ms, of which each that is a multiple of `each` met a stall of 20 ms.
    fn exponential(random: &mut SplitMix, count: u64, each: u64) -> Histogram {
        let mut latencies = Histogram::new();
        for number in 1..=count {
            let uniform = random.unit();
            let stall = if number % each == 0 { 2e7 } else { 0.0 };
            latencies.record(whole(-uniform.ln() * 1e6 + stall));
        }
        latencies
    }

    #[test]
    fn the_tail_of_exponential_latencies_is_no_stall() {
        let mut random = SplitMix::new(7);
        let mut found = |count: u64, each: u64| {
            let latencies = exponential(&mut random, count, each);
            let delayed = Delayed::of(&latencies, Nanos::from_millis(5));
            delayed.filter(|d| d.share >= 0.02 && d.is_no_tail(&latencies))
        };
        let (mut clean, mut stalled) = (0, 0);
        for _ in 0..1000 {
            for count in [250, 500, 1000, 2000, 4000] {
                clean += u32::from(found(count, u64::MAX).is_some());
            }
            // Ten of them.
            stalled += u32::from(found(4000, 400).is_some());
        }
        assert!(clean <= 5, "{clean} of 5000");
        assert!(stalled >= 900, "{stalled} of 1000");
    }

    /// Of log-normal latencies with a median of 300 us and a sigma of 1.5, 0.64 of 6,165 take more than 78 ms; of 300 us each,
    /// none, so that one which does met a stall.
    #[test]
    fn a_slow_io_of_a_long_tail_is_of_it() {
        let mut random = SplitMix::new(7);
        let mut share = || random.unit();
        let level = Nanos::from_millis(78);
        let mut long = Histogram::new();
        for _ in 0..6165 {
            let normal = (-2.0 * share().ln()).sqrt() * (std::f64::consts::TAU * share()).cos();
            long.record(whole(3e5 * (1.5 * normal).exp()));
        }
        long.record(100_000_000);
        assert!(is_of_the_tail(&long, level));
        let mut alike = Histogram::new();
        alike.record_many(300_000, 12_360);
        alike.record(99_000_000);
        assert!(!is_of_the_tail(&alike, level));
        assert!(!is_of_the_tail(&Histogram::new(), level));
        // 8 ms are exceeded by 14 of a thousand, more than by the last quantile.
        assert!(is_of_the_tail(&long, Nanos::from_millis(8)));
        // A whole burst of the long ones is none of the tail either.
        long.record_many(100_000_000, 16);
        assert!(!is_of_the_tail(&long, level));
    }

    /// On a busy machine the slowest took 100, 50, 33 ms and so on, a tail of which one of thirty sets has an I/O of 3 s; then there
    /// is one of half a second, too.
    #[test]
    fn an_io_far_beyond_all_others_is_of_no_tail() {
        let set = |more: &[u64]| {
            let mut latencies = Histogram::new();
            latencies.record_many(200_000, 2000);
            (1..=250).for_each(|place| latencies.record(100_000_000 / place));
            more.iter().for_each(|ms| latencies.record(ms * 1_000_000));
            latencies
        };
        let level = Nanos::from_millis(2900);
        assert!(!is_of_the_tail(&set(&[3000]), level));
        assert!(is_of_the_tail(&set(&[3000, 500]), level));
        assert!(is_of_the_tail(&set(&[]), level));
    }

    /// By hand, of 10,000: exponential with a mean of 1 ms, and a Pareto tail that falls by the square.
    #[test]
    fn a_tail_goes_on_as_it_falls() {
        let set = |quantile: &dyn Fn(f64) -> f64| {
            let mut latencies = Histogram::new();
            for number in 0..10_000_u32 {
                let share = (f64::from(number) + 0.5) / 10_000.0;
                latencies.record(whole(quantile(share)));
            }
            Tail::of(&latencies)
        };
        let exponential = set(&|share| -1e6 * share.ln());
        assert!(exponential.shape < 0.03, "{}", exponential.shape);
        assert!((exponential.scale / 1e6 - 1.0).abs() < 0.05);
        assert!((exponential.above(4.6052e6) / 100.0 - 1.0).abs() < 0.05);
        assert!((exponential.above(6.9078e6) / 10.0 - 1.0).abs() < 0.15);
        let pareto = set(&|share| 1e6 * share.powf(-0.5));
        assert!((pareto.shape - 0.5).abs() < 0.03, "{}", pareto.shape);
        assert!(
            (pareto.above(1e8) - 1.0).abs() < 0.2,
            "{}",
            pareto.above(1e8)
        );
        // All alike: as narrow as the buckets resolve.
        let alike = set(&|_| 1e6);
        assert!(alike.shape.abs() < 1e-12 && alike.above(2e6) < 1e-30);
    }

    /// Log-normal latencies of 100 us: those above 5 ms are a tail. Ten of 4,000 that took 50 ms are none.
    #[test]
    fn the_long_tail_of_log_normal_latencies_is_no_stall() {
        let mut random = SplitMix::new(7);
        let mut share = || random.unit();
        let mut found = |sigma: f64, count: u64, stalls: u64| {
            let mut latencies = Histogram::new();
            for number in 0..count {
                let normal = (-2.0 * share().ln()).sqrt() * (std::f64::consts::TAU * share()).cos();
                let stall = if number < stalls { 5e7 } else { 0.0 };
                latencies.record(whole(1e5 * (sigma * normal).exp() + stall));
            }
            let delayed = Delayed::of(&latencies, Nanos::from_millis(5));
            delayed.is_some_and(|d| d.share >= 0.02 && d.is_no_tail(&latencies))
        };
        for sigma in [1.2, 1.5] {
            let clean = (0..100).filter(|_| found(sigma, 4000, 0)).count();
            assert!(clean <= 2, "{sigma}: {clean} of 100");
        }
        let stalled = (0..100).filter(|_| found(0.3, 4000, 10)).count();
        assert!(stalled >= 98, "{stalled} of 100");
    }
}
