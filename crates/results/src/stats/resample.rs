//! What a set of numbers is worth: intervals by resampling, and the number of independent ones.

use super::{mean, quantile, variance};
use leadline_model::seed::SplitMix;

/// A range that holds the true value with a given confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `value` lies within.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// Below `end`, by multiplication (Lemire 2019; its bias is below 2^-40 for any sample here).
fn below(random: &mut SplitMix, end: usize) -> usize {
    let product = u128::from(random.bits()) * end as u128;
    usize::try_from(product >> 64).unwrap_or(0)
}

/// Percentile bootstrap interval of any statistic: Efron and Tibshirani, "An Introduction to the
/// Bootstrap" (1993), chapter 13. `rounds` resamples (1000 is usual), `confidence` 0 to 1. The same
/// seed gives the same interval. `None` for fewer than two values, or when the statistic has none.
#[must_use]
pub fn bootstrap(
    values: &[f64],
    statistic: impl Fn(&[f64]) -> Option<f64>,
    confidence: f64,
    rounds: u32,
    seed: u64,
) -> Option<Interval> {
    if values.len() < 2 {
        return None;
    }
    let mut random = SplitMix::new(seed);
    let mut drawn = vec![0.0; values.len()];
    let mut found = Vec::new();
    for _ in 0..rounds {
        for slot in &mut drawn {
            *slot = values[below(&mut random, values.len())];
        }
        found.push(statistic(&drawn)?);
    }
    let tail = (1.0 - confidence) / 2.0;
    Some(Interval {
        low: quantile(&found, tail)?,
        high: quantile(&found, 1.0 - tail)?,
    })
}

/// How many independent values a series is worth, by batch means: variance of the values over that of
/// the means of batches of the square root of n, times the batch. Flegal and Jones, "Batch Means and
/// Spectral Variance Estimators in Markov Chain Monte Carlo" (2010). At most n; needs 16 values. A
/// constant series is worth n.
#[must_use]
pub fn effective_size(values: &[f64]) -> Option<f64> {
    if values.len() < 16 {
        return None;
    }
    let batch = values.len().isqrt();
    let means: Vec<f64> = values.chunks_exact(batch).filter_map(mean).collect();
    let (all, between) = (variance(values)?, variance(&means)?);
    let n = values.len() as f64;
    if between <= 0.0 {
        return Some(n);
    }
    Some((n * all / (batch as f64 * between)).clamp(1.0, n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::median;

    /// Evenly from 0 to 1.
    fn unit(random: &mut SplitMix) -> f64 {
        (random.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    #[test]
    fn splitmix_is_the_published_one() {
        let mut random = SplitMix::new(1_234_567);
        // First outputs of the authors' reference implementation for this seed.
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn the_bootstrap_covers_the_truth_about_as_often_as_it_says() {
        let mut random = SplitMix::new(42);
        let mut covered = 0;
        for round in 0..300 {
            let values: Vec<f64> = (0..40).map(|_| unit(&mut random)).collect();
            let interval = bootstrap(&values, median, 0.95, 300, round).unwrap();
            covered += u32::from(interval.holds(0.5));
        }
        // 95 % of 300 are 285; a percentile bootstrap of a median falls a little short.
        assert!((265..=298).contains(&covered), "{covered}");
    }

    #[test]
    fn the_bootstrap_repeats_itself_and_needs_two_values() {
        let values = [1.0, 2.0, 3.0, 4.0, 9.0];
        let twice = [7, 7].map(|seed| bootstrap(&values, mean, 0.9, 200, seed));
        assert_eq!(twice[0], twice[1]);
        assert!(twice[0].unwrap().holds(3.8));
        assert_eq!(bootstrap(&[1.0], mean, 0.9, 200, 7), None);
    }

    #[test]
    fn correlated_values_are_worth_fewer() {
        let mut random = SplitMix::new(5);
        let noise: Vec<f64> = (0..10_000).map(|_| unit(&mut random) - 0.5).collect();
        let independent = effective_size(&noise).unwrap();
        assert!((6000.0..=10_000.0).contains(&independent), "{independent}");
        // First-order autoregression of 0.8: n (1 - 0.8) / (1 + 0.8) = n / 9.
        let mut last = 0.0;
        let correlated: Vec<f64> = noise
            .iter()
            .map(|v| {
                last = 0.8 * last + v;
                last
            })
            .collect();
        let size = effective_size(&correlated).unwrap();
        assert!((700.0..=1700.0).contains(&size), "{size}");
        assert_eq!(effective_size(&[1.0; 15]), None);
        assert_eq!(effective_size(&[1.0; 16]), Some(16.0));
    }
}
