//! The gate of a steady state over rounds, as SNIA has it.

use super::interval::{Interval, student};

/// Rounds that are observed together.
pub const ROUNDS: usize = 5;
/// Most rounds.
pub const MOST_ROUNDS: usize = 25;
/// Largest distance of two of them, as a share of their mean.
const RANGE: f64 = 0.2;
/// Largest rise or fall of the line through them, as a share of their mean.
const SLOPE: f64 = 0.1;

/// The first of 25 rounds (from 0) at which it and the four before it are steady: none is further from another than a
/// fifth of their mean, and the line through them rises or falls by no more than a tenth of it (SNIA, "Solid State
/// Storage Performance Test Specification", 2.0.2, 2020). `None` = never.
#[must_use]
pub fn steady_at(rounds: &[f64]) -> Option<usize> {
    let rounds = &rounds[..rounds.len().min(MOST_ROUNDS)];
    let found = rounds.windows(ROUNDS).position(is_steady);
    found.map(|first| first + ROUNDS - 1)
}

fn is_steady(window: &[f64]) -> bool {
    let mean = window.iter().sum::<f64>() / window.len() as f64;
    let most = window.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = window.iter().copied().fold(f64::INFINITY, f64::min);
    let change = slope(window).map_or(0.0, |s| s.value * (window.len() - 1) as f64);
    mean > 0.0 && most - least <= RANGE * mean && change.abs() <= SLOPE * mean
}

/// The change from one round to the next by the line of least squares, with its 95 % interval; `None` for fewer than
/// three rounds.
#[must_use]
pub fn slope(rounds: &[f64]) -> Option<Interval> {
    if rounds.len() < 3 {
        return None;
    }
    let n = rounds.len() as f64;
    let (mean, middle) = (rounds.iter().sum::<f64>() / n, (n - 1.0) / 2.0);
    let each = || {
        rounds
            .iter()
            .enumerate()
            .map(|(i, x)| (i as f64 - middle, *x))
    };
    let spread: f64 = each().map(|(t, _)| t * t).sum();
    let value = each().map(|(t, x)| t * (x - mean)).sum::<f64>() / spread;
    let squares: f64 = each().map(|(t, x)| (x - mean - value * t).powi(2)).sum();
    let half = student(rounds.len() - 2) * (squares / (n - 2.0) / spread).sqrt();
    Some(Interval {
        value,
        low: value - half,
        high: value + half,
        settled: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_rounds_pass_at_the_fifth_and_a_fall_does_not() {
        assert_eq!(steady_at(&[100.0, 101.0, 99.0, 100.0, 100.5]), Some(4));
        assert_eq!(steady_at(&[100.0; 4]), None);
        // A fall of 5 % a round: the line falls by a fifth.
        let falling: Vec<f64> = (0..12).map(|k| 100.0 * 0.95_f64.powi(k)).collect();
        assert_eq!(steady_at(&falling), None);
        let settling = [200.0, 150.0, 120.0, 103.0, 101.0, 100.0, 100.0, 99.0];
        assert_eq!(steady_at(&settling), Some(7));
    }

    #[test]
    fn a_slope_has_the_interval_of_regression() {
        let line = slope(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert!((line.value - 1.0).abs() < 1e-12 && line.high - line.low < 1e-9);
        assert_eq!(slope(&[1.0, 2.0]), None);
    }

    /// By hand, about their mean of 100: 20 apart without a slope, and lines that rise by 10 and by 12.
    #[test]
    fn rounds_may_be_a_fifth_apart_and_their_line_may_rise_by_a_tenth() {
        for (window, at) in [
            ([110.0, 90.0, 100.0, 90.0, 110.0], Some(4)),
            ([110.5, 89.5, 100.0, 89.5, 110.5], None),
            ([95.0, 97.5, 100.0, 102.5, 105.0], Some(4)),
            ([94.0, 97.0, 100.0, 103.0, 106.0], None),
            ([106.0, 103.0, 100.0, 97.0, 94.0], None),
            ([0.0; 5], None),
        ] {
            assert_eq!(steady_at(&window), at, "{window:?}");
        }
    }

    #[test]
    fn what_is_steady_after_the_last_round_is_not_steady() {
        let steady_from = |first: usize| -> Vec<f64> {
            let level = |round: usize| match round < first {
                true => 1000.0 * (1 + round % 2) as f64,
                false => 100.0,
            };
            (0..40).map(level).collect()
        };
        assert_eq!(steady_at(&steady_from(20)), Some(24));
        assert_eq!(steady_at(&steady_from(21)), None);
    }

    /// By hand: 1, 2 and 4 rise by 1.5 each, with squares of 1/6 left, one degree of freedom and a spread of 2.
    #[test]
    fn what_is_left_of_the_line_makes_its_interval() {
        let line = slope(&[1.0, 2.0, 4.0]).unwrap();
        let half = 12.7062 * (1.0_f64 / 12.0).sqrt();
        assert!((line.value - 1.5).abs() < 1e-12, "{line:?}");
        assert!((line.high - 1.5 - half).abs() < 1e-3, "{line:?}");
        assert!((1.5 - line.low - half).abs() < 1e-3, "{line:?}");
    }
}
