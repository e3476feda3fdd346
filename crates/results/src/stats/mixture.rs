//! Two kinds of I/O in one set of latencies: hits and misses of a cache.

use leadline_model::histogram::{Histogram, lower_bound, upper_bound};
use leadline_model::units::whole;

/// Fewer values say nothing.
const FEWEST: u64 = 1000;
/// The two typical latencies differ by at least this factor.
const APART: f64 = 3.0;
/// Each part has at least this share.
const LEAST: f64 = 0.02;
/// Two parts must explain the values so much better than one (Bayesian information criterion).
const BETTER: f64 = 10.0;
/// Between the modes the density falls below this share of the lower one.
const VALLEY: f64 = 0.5;
/// The counts of the two differ by this number of standard errors: of few values, some lie between the modes by chance.
const SURE: f64 = 4.0;
/// Smallest standard deviation of a logarithm: the width of a bucket.
const NARROW: f64 = 0.01;
/// Most steps of the fit.
const STEPS: usize = 200;

/// A set of latencies that has two parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixture {
    /// Share of the faster part, 0 to 1.
    pub low_share: f64,
    /// Typical latency of the faster part, nanoseconds (median of its log-normal distribution).
    pub low: f64,
    /// That of the slower part.
    pub high: f64,
}

impl Mixture {
    /// Share of the values of another set that are nearer to the faster part, 0 to 1; 0 without values.
    #[must_use]
    pub fn share_of_low(&self, latencies: &Histogram) -> f64 {
        let between = whole((self.low * self.high).sqrt());
        let above = latencies.count_above(between) as f64;
        match latencies.total() {
            0 => 0.0,
            total => 1.0 - above / total as f64,
        }
    }
}

/// A value of the fit: the logarithm of a latency, and how many there are.
type Weighted = (f64, f64);

/// A log-normal part: share, mean and standard deviation of the logarithm.
#[derive(Clone, Copy, Debug)]
struct Component {
    share: f64,
    mean: f64,
    deviation: f64,
}

/// The two parts of `latencies`; `None` where one part explains them, or one of the two is less than 2 %.
///
/// Two log-normal distributions are fitted by expectation and maximisation (Dempster, Laird, Rubin 1977) and compared
/// with one by the Bayesian information criterion (Schwarz 1978); beside that their medians must be a factor of three
/// apart with a valley in the density between them: a queue has a long tail, which two parts fit better than one
/// too, but no valley.
#[must_use]
pub fn mixture(latencies: &Histogram) -> Option<Mixture> {
    if latencies.total() < FEWEST {
        return None;
    }
    let values: Vec<Weighted> = latencies.nonzero().map(weighted).collect();
    let one = part_of(&values, |_| 1.0)?;
    let starts = [0.1, 0.3, 0.5, 0.7, 0.9].map(|share| split(&values, share));
    let fits = starts
        .into_iter()
        .flatten()
        .map(|start| fit(&values, start));
    let (low, high) = fits.max_by(|a, b| {
        let likelihood =
            |(low, high): &(Component, Component)| log_likelihood(&values, &[*low, *high]);
        likelihood(a).total_cmp(&likelihood(b))
    })?;
    let (low, high) = if low.mean <= high.mean {
        (low, high)
    } else {
        (high, low)
    };
    let gain = 2.0 * (log_likelihood(&values, &[low, high]) - log_likelihood(&values, &[one]));
    let criterion = gain - 3.0 * (latencies.total() as f64).ln();
    let is_mixture = criterion > BETTER
        && high.mean - low.mean >= APART.ln()
        && low.share.min(high.share) >= LEAST
        && has_valley(&values, low.mean, high.mean);
    is_mixture.then(|| Mixture {
        low_share: low.share,
        low: low.mean.exp(),
        high: high.mean.exp(),
    })
}

fn weighted((bucket, count): (usize, u64)) -> Weighted {
    let middle = (lower_bound(bucket) as f64 + upper_bound(bucket) as f64) / 2.0;
    (middle.max(1.0).ln(), count as f64)
}

/// The part that values have, each counted by a weight between 0 and 1; `None` when that leaves none.
fn part_of(values: &[Weighted], weight: impl Fn(usize) -> f64) -> Option<Component> {
    let total: f64 = values.iter().map(|v| v.1).sum();
    let of = |f: &dyn Fn(f64) -> f64| -> f64 {
        let terms = values.iter().enumerate();
        terms.map(|(i, v)| v.1 * weight(i) * f(v.0)).sum()
    };
    let sum = of(&|_| 1.0);
    if sum <= 0.0 {
        return None;
    }
    let mean = of(&|x| x) / sum;
    let variance = of(&|x| (x - mean).powi(2)) / sum;
    Some(Component {
        share: sum / total,
        mean,
        deviation: variance.sqrt().max(NARROW),
    })
}

/// The values below and above a quantile as a first guess.
fn split(values: &[Weighted], share: f64) -> Option<(Component, Component)> {
    let total: f64 = values.iter().map(|v| v.1).sum();
    let mut seen = 0.0;
    let at = values.iter().position(|v| {
        seen += v.1;
        seen >= share * total
    })?;
    let low = part_of(values, |i| f64::from(u8::from(i <= at)))?;
    let high = part_of(values, |i| f64::from(u8::from(i > at)))?;
    Some((low, high))
}

/// Expectation and maximisation from a first guess.
fn fit(values: &[Weighted], start: (Component, Component)) -> (Component, Component) {
    let (mut low, mut high) = start;
    let mut before = f64::NEG_INFINITY;
    for _ in 0..STEPS {
        let shares: Vec<f64> = values
            .iter()
            .map(|v| {
                let (a, b) = (log_density(v.0, &low), log_density(v.0, &high));
                1.0 / (1.0 + (b - a).exp())
            })
            .collect();
        let Some(parts) = part_of(values, |i| shares[i]).zip(part_of(values, |i| 1.0 - shares[i]))
        else {
            break;
        };
        (low, high) = parts;
        let now = log_likelihood(values, &[low, high]);
        if now - before <= 1e-9 * now.abs() {
            break;
        }
        before = now;
    }
    (low, high)
}

/// Logarithm of a part's share times its density.
fn log_density(x: f64, part: &Component) -> f64 {
    let z = (x - part.mean) / part.deviation;
    part.share.ln() - part.deviation.ln() - z * z / 2.0
}

/// But for a constant.
fn log_likelihood(values: &[Weighted], parts: &[Component]) -> f64 {
    let of = |&(x, count): &Weighted| {
        let logs = parts.iter().map(|part| log_density(x, part));
        let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
        count * (largest + logs.map(|log| (log - largest).exp()).sum::<f64>().ln())
    };
    values.iter().map(of).sum()
}

/// Whether the density between two logarithms falls below half of that around the lower of them, and not by chance.
fn has_valley(values: &[Weighted], low: f64, high: f64) -> bool {
    /// Steps between the two.
    const BINS: usize = 12;
    let width = (high - low) / BINS as f64;
    let around = |x: f64| -> f64 {
        let near = values.iter().filter(|v| (v.0 - x).abs() <= width / 2.0);
        near.map(|v| v.1).sum()
    };
    let highest = |from: f64| {
        (0..=4)
            .map(|i| around(from + (f64::from(i) - 2.0) * width / 2.0))
            .fold(0.0, f64::max)
    };
    let lower = highest(low).min(highest(high));
    let least = (1..BINS)
        .map(|i| around(low + i as f64 * width))
        .fold(f64::INFINITY, f64::min);
    least < VALLEY * lower && lower - least > SURE * (lower + least).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::seed::SplitMix;

    /// `count` values of a function of two uniform numbers between 0 and 1.
    fn drawn(count: u32, value: impl Fn(f64, f64) -> f64) -> Histogram {
        let mut random = SplitMix::new(7);
        let mut uniform = || random.unit();
        let mut histogram = Histogram::new();
        for _ in 0..count {
            histogram.record(whole(value(uniform(), uniform()).round()));
        }
        histogram
    }

    /// A standard normal value of two uniform ones (Box and Muller).
    fn normal(a: f64, b: f64) -> f64 {
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    #[test]
    fn hits_and_misses_are_two_parts_with_their_shares() {
        for share in [0.05, 0.2, 0.5, 0.9, 0.97] {
            // What is left of the second number above the share is uniform again.
            let rest = |b: f64| (b - share) / (1.0 - share);
            let set = drawn(20_000, |a, b| match b < share {
                true => 50_000.0,
                false => 1e6 * (0.2 * normal(a, rest(b))).exp(),
            });
            let found = mixture(&set).unwrap();
            assert!((found.low_share - share).abs() < 0.01, "{found:?}");
            assert!((found.low / 50_000.0 - 1.0).abs() < 0.05, "{found:?}");
            assert!((found.high / 1e6 - 1.0).abs() < 0.05, "{found:?}");
        }
    }

    #[test]
    fn the_share_of_another_set_is_what_lies_nearer_to_the_faster_part() {
        let mixture = Mixture {
            low_share: 0.5,
            low: 1e4,
            high: 1e6,
        };
        // 1e5 lies between the two.
        let share = |below: u32, above: u32| {
            let mut set = Histogram::new();
            (0..below).for_each(|_| set.record(50_000));
            (0..above).for_each(|_| set.record(200_000));
            mixture.share_of_low(&set)
        };
        assert!((share(30, 10) - 0.75).abs() < 1e-12);
        assert!((share(0, 10) - 0.0).abs() < 1e-12);
        assert!((share(10, 0) - 1.0).abs() < 1e-12);
        assert!((share(0, 0) - 0.0).abs() < 1e-12);
    }

    #[test]
    fn one_part_however_wide_is_one() {
        let sets = [
            drawn(20_000, |_, _| 200_000.0),
            drawn(20_000, |a, _| -a.ln() * 1e6),
            drawn(20_000, |a, b| 5e5 * (1.5 * normal(a, b)).exp()),
            drawn(20_000, |a, _| 1e5 + 2e5 * a),
            // Two parts, of which one is too small, or too near.
            drawn(20_000, |a, b| if b < 0.99 { 1e5 + a } else { 1e6 }),
            drawn(20_000, |a, b| if b < 0.5 { 1e5 + a } else { 2.5e5 }),
            // Too few.
            drawn(500, |a, b| if b < 0.5 { 1e5 + a } else { 1e6 }),
        ];
        for (number, set) in sets.iter().enumerate() {
            assert_eq!(mixture(set), None, "{number}");
        }
    }

    /// A few thousand values have gaps.
    #[test]
    fn a_gap_by_chance_is_no_valley() {
        let mut random = SplitMix::new(11);
        let mut found = 0;
        for set in 0..600 {
            let mut latencies = Histogram::new();
            for _ in 0..[1000, 2000, 4000][set % 3] {
                let uniform = random.unit();
                latencies.record(whole(-uniform.ln() * 1e6));
            }
            found += u32::from(mixture(&latencies).is_some());
        }
        assert_eq!(found, 0);
    }

    /// Half at 100 us, half at 1 ms, each with a spread of a tenth.
    fn halves(count: u32, apart: f64) -> Histogram {
        drawn(count, |a, b| {
            let level = if b < 0.5 { 1e5 } else { apart * 1e5 };
            level * (0.1 * normal(a, (2.0 * b) % 1.0)).exp()
        })
    }

    #[test]
    fn a_thousand_values_and_medians_a_factor_of_three_apart_are_enough() {
        assert!(mixture(&halves(1000, 10.0)).is_some());
        assert_eq!(mixture(&halves(999, 10.0)), None);
        assert!(mixture(&halves(20_000, 3.2)).is_some());
        assert_eq!(mixture(&halves(20_000, 2.8)), None);
    }

    /// The unit of time is of no matter, as far as buckets go.
    #[test]
    fn a_mixture_is_the_same_at_other_speeds() {
        let [slow, fast] = [1e6, 1e4].map(|level| {
            let set = drawn(20_000, |a, b| {
                let times = if b < 0.3 { 1.0 } else { 10.0 };
                let rest = if b < 0.3 { b / 0.3 } else { (b - 0.3) / 0.7 };
                level * times * (0.3 * normal(a, rest)).exp()
            });
            mixture(&set).unwrap()
        });
        assert!((slow.low_share - fast.low_share).abs() < 0.003);
        assert!((slow.low_share - 0.3).abs() < 0.01, "{slow:?}");
        for (a, b) in [(slow.low, fast.low), (slow.high, fast.high)] {
            assert!((a / b / 100.0 - 1.0).abs() < 0.01, "{a} {b}");
        }
    }

    #[test]
    fn a_part_of_weighted_values_has_their_share_mean_and_deviation() {
        let values = [(1.0, 2.0), (3.0, 2.0), (9.0, 4.0)];
        let first_two = part_of(&values, |i| if i < 2 { 1.0 } else { 0.0 }).unwrap();
        let found = [first_two.share, first_two.mean, first_two.deviation];
        // 4 of 8; the mean of 1, 1, 3, 3 and their deviation of 1 each.
        for (found, truth) in found.into_iter().zip([0.5, 2.0, 1.0]) {
            assert!((found - truth).abs() < 1e-12, "{first_two:?}");
        }
        assert!(part_of(&values, |_| 0.0).is_none());
        // 2 of 8 are a quarter, 4 of 8 a half.
        let (low, high) = split(&values, 0.25).unwrap();
        assert!((low.share - 0.25).abs() < 1e-12 && (high.share - 0.75).abs() < 1e-12);
        let (low, high) = split(&values, 0.3).unwrap();
        assert!((low.share - 0.5).abs() < 1e-12 && (high.mean - 9.0).abs() < 1e-12);
    }

    /// By hand: shares of a half at 0 and 2 with deviations of 1 and 2; a value at 1 is a deviation from the first and a
    /// half from the second.
    #[test]
    fn likelihoods_are_those_of_two_normal_distributions() {
        let of = |mean, deviation| Component {
            share: 0.5,
            mean,
            deviation,
        };
        let (low, high) = (of(0.0, 1.0), of(2.0, 2.0));
        let densities = [0.5 * (-0.5_f64).exp(), 0.25 * (-0.125_f64).exp()];
        assert!((log_density(1.0, &low) - densities[0].ln()).abs() < 1e-12);
        assert!((log_density(1.0, &high) - densities[1].ln()).abs() < 1e-12);
        let both = (densities[0] + densities[1]).ln();
        let found = log_likelihood(&[(1.0, 3.0)], &[low, high]);
        assert!((found - 3.0 * both).abs() < 1e-12, "{found}");
    }

    /// Twelve steps from 0 to 12, with N values at each.
    #[test]
    fn a_valley_is_less_than_half_of_the_lower_mode() {
        let valley_of = |many: f64, middle: f64| {
            let heights = [
                10.0, 8.0, 8.0, 7.0, 7.0, 7.0, middle, 7.0, 7.0, 7.0, 8.0, 8.0, 20.0,
            ];
            let places = (0..).map(|step| f64::from(step) + 0.25);
            let values: Vec<Weighted> = places.zip(heights.map(|n| many * n)).collect();
            has_valley(&values, 0.0, 12.0)
        };
        let valley = |middle: f64| valley_of(100.0, middle);
        assert!(valley(4.9) && valley(0.0));
        assert!(!valley(5.0) && !valley(7.0));
        // Ten values beside five are chance.
        assert!(!valley_of(1.0, 4.9));
    }

    /// A thousand values of one wide bell whose halves are moved apart: a valley between two medians a factor of three apart.
    /// Two parts are likelier than one by what the criterion asks of three more numbers (10 and 3 ln 1000) where the gap is wide.
    #[test]
    fn a_small_gap_in_one_part_does_not_make_it_two() {
        let gapped = |gap: f64| {
            let set = drawn(1000, |a, b| {
                let z = normal(a, b);
                1e6 * (z + gap * z.signum()).exp()
            });
            mixture(&set)
        };
        assert_eq!(gapped(0.1), None);
        let found = gapped(0.3).unwrap();
        assert!((found.low_share - 0.5).abs() < 0.05, "{found:?}");
    }
}
