//! Values that belong together in pairs: whether their differences tend to one side, and how far.
//!
//! Belongs here: signed ranks, and the interval that they give. Must never: compare values that are no pairs (that is
//! `two_samples`).

use super::interval::of_repeats;
use super::middle::median;
use super::tails;
use super::two_samples::{Chance, Difference, doubled_ranks, inner, mean, rank_of, squares};

/// Most differences for which probabilities are counted; beyond, they are those of a normal distribution.
const COUNTED: usize = 60;

/// The test of signed ranks (Wilcoxon, "Individual comparisons by ranking methods", 1945) of differences, on both
/// sides: differences of 0 are left out, equal distances have their mean rank. `None` without differences.
#[must_use]
pub fn signed_ranks(differences: &[f64]) -> Option<Chance> {
    if differences.is_empty() {
        return None;
    }
    let moved: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let distances: Vec<f64> = moved.iter().map(|d| d.abs()).collect();
    let ranks = doubled_ranks(&distances);
    let up = moved.iter().zip(&ranks).filter(|(d, _)| **d > 0.0);
    let seen: usize = up.map(|(_, rank)| rank).sum();
    if moved.len() > COUNTED {
        let all: f64 = ranks.iter().map(|r| *r as f64).sum();
        let variance: f64 = ranks.iter().map(|r| (*r as f64).powi(2)).sum::<f64>() / 4.0;
        let off = ((seen as f64 - all / 2.0).abs() - 1.0).max(0.0);
        let p = tails::normal(off / variance.sqrt());
        return Some(Chance { p, exact: false });
    }
    let counts = sums(&ranks);
    let below: f64 = counts.iter().take(seen + 1).sum();
    let above: f64 = counts.iter().skip(seen).sum();
    Some(Chance {
        p: (2.0 * below.min(above)).min(1.0),
        exact: true,
    })
}

/// The share of all choices of signs in which those with a plus have each sum.
fn sums(ranks: &[usize]) -> Vec<f64> {
    let most: usize = ranks.iter().sum();
    let mut shares = vec![0.0; most + 1];
    shares[0] = 1.0;
    for &rank in ranks {
        for sum in (0..=most).rev() {
            let with = sum.checked_sub(rank).map_or(0.0, |rest| shares[rest]);
            shares[sum] = f64::midpoint(shares[sum], with);
        }
    }
    shares
}

/// How far the differences lie from 0: the median of the means of all pairs of them, each with itself too (Hodges and
/// Lehmann, 1963), with the interval between two of these means that the test of signed ranks leaves (Tukey, "The
/// simplest signed-rank tests", 1949). `None` without differences; no interval for fewer than six.
#[must_use]
pub fn hodges_lehmann(differences: &[f64]) -> Option<Difference> {
    let count = differences.len();
    if count == 0 {
        return None;
    }
    let mut means: Vec<f64> = (0..count)
        .flat_map(|i| (i..count).map(move |k| (i, k)))
        .map(|(i, k)| f64::midpoint(differences[i], differences[k]))
        .collect();
    means.sort_by(f64::total_cmp);
    let exact = count <= COUNTED;
    let rank = if exact {
        let ranks: Vec<usize> = (1..=count).collect();
        rank_of(&sums(&ranks), 1.0)
    } else {
        let n = count as f64;
        let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
        let rank = n * (n + 1.0) / 4.0 + 0.5 - 1.959_964 * deviation;
        usize::try_from(leadline_model::units::whole(rank.floor())).unwrap_or(0)
    };
    Some(Difference {
        value: median(means.iter().copied())?,
        within: inner(&means, rank),
        exact,
    })
}

/// The mean of the differences with Student's interval, and how often chance makes one as large: for pairs that are too
/// few for ranks. `None` for fewer than two.
#[must_use]
pub fn student(differences: &[f64]) -> Option<(Difference, Chance)> {
    let within = of_repeats(differences)?;
    let value = mean(differences);
    let half = within.high - within.value;
    let count = differences.len() as f64;
    let error = (squares(differences) / (count - 1.0) / count).sqrt();
    let p = match value {
        0.0 => 1.0,
        x => tails::student(x / error.max(f64::MIN_POSITIVE), differences.len() - 1),
    };
    let change = Difference {
        value,
        within: Some((value - half, value + half)),
        exact: false,
    };
    Some((change, Chance { p, exact: false }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Depression scale factor of nine patients before and after: Hollander and Wolfe, "Nonparametric statistical
    /// methods" (1973), page 29, in the help of R's `wilcox.test`: V = 40, one-sided p 0.01953, difference 0.46, 95 %
    /// interval 0.010 to 0.786.
    #[test]
    #[expect(clippy::approx_constant, reason = "a published value")]
    fn the_example_of_the_textbook() {
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let differences: Vec<f64> = before.iter().zip(after).map(|(a, b)| a - b).collect();
        let chance = signed_ranks(&differences).unwrap();
        assert!((chance.p - 2.0 * 0.019_531_25).abs() < 1e-12, "{chance:?}");
        let shift = hodges_lehmann(&differences).unwrap();
        assert!((shift.value - 0.46).abs() < 1e-9, "{shift:?}");
        let (low, high) = shift.within.unwrap();
        assert!((low - 0.010).abs() < 1e-9 && (high - 0.786).abs() < 1e-9);
    }

    /// By another way: every choice of signs.
    fn enumerated(differences: &[f64]) -> f64 {
        let moved: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
        let rank = |x: &f64| {
            let below = moved.iter().filter(|v| v.abs() < x.abs()).count() as f64;
            let equal = moved
                .iter()
                .filter(|v| v.abs().total_cmp(&x.abs()).is_eq())
                .count() as f64;
            below + (equal + 1.0) / 2.0
        };
        let ranks: Vec<f64> = moved.iter().map(rank).collect();
        let sum = |signs: u32| -> f64 {
            let plus = ranks
                .iter()
                .enumerate()
                .filter(|(i, _)| signs >> i & 1 == 1);
            plus.map(|(_, rank)| rank).sum()
        };
        let own = moved.iter().enumerate().filter(|(_, d)| **d > 0.0);
        let seen = sum(own.map(|(i, _)| 1 << i).sum());
        let all = 0_u32..1 << moved.len();
        let total = f64::from(1_u32 << moved.len());
        let below = all.clone().filter(|s| sum(*s) <= seen).count() as f64;
        let above = all.filter(|s| sum(*s) >= seen).count() as f64;
        f64::min(1.0, 2.0 * f64::min(below, above) / total)
    }

    #[test]
    fn every_choice_of_signs_counts_once() {
        for differences in [
            vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            vec![1.0, -1.0, 2.0, 2.0, -3.0, 0.0, 4.0],
            vec![0.5, 0.5, 0.5, 0.5, -0.5],
            vec![-1.0, -1.0, -3.0, 4.0],
            vec![-1.0],
            vec![0.0, 0.0],
        ] {
            let chance = signed_ranks(&differences).unwrap();
            assert!(
                (chance.p - enumerated(&differences)).abs() < 1e-12,
                "{differences:?}"
            );
        }
        assert_eq!(signed_ranks(&[]), None);
    }

    #[test]
    fn six_pairs_have_an_interval_and_five_have_none() {
        let six = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let within = hodges_lehmann(&six).unwrap().within;
        // One arrangement of 64 on either side: from the least to the largest.
        assert_eq!(within, Some((1.0, 6.0)));
        assert_eq!(hodges_lehmann(&six[..5]).unwrap().within, None);
        let many: Vec<f64> = (0..100).map(|k| f64::from(k % 7) - 2.0).collect();
        let shift = hodges_lehmann(&many).unwrap();
        let (low, high) = shift.within.unwrap();
        assert!(
            !shift.exact && low > 0.0 && low < 1.0 && high > 1.0 && high < 2.0,
            "{shift:?}"
        );
        assert!(signed_ranks(&many).is_some_and(|c| !c.exact && c.p < 1e-4));
    }

    /// By hand: mean 2, standard deviation 1, of three: t = 3.464 with two degrees of freedom, p = 0.0742.
    #[test]
    fn student_of_pairs_is_the_textbook_s() {
        let (change, chance) = student(&[1.0, 2.0, 3.0]).unwrap();
        let (low, high) = change.within.unwrap();
        let half = 4.302_65 / 3.0_f64.sqrt();
        assert!((low - 2.0 + half).abs() < 1e-3 && (high - 2.0 - half).abs() < 1e-3);
        assert!((chance.p - 0.074_2).abs() < 1e-4, "{chance:?}");
        assert_eq!(student(&[1.0]), None);
    }

    #[test]
    fn beyond_what_is_counted_a_normal_distribution_says_the_same() {
        let of = |count: u32, off: f64| -> Vec<f64> {
            let sign = |k: u32| match k % 9 {
                0 | 2 | 5 | 7 => -1.0,
                _ => 1.0,
            };
            (1..=count).map(|k| sign(k) * f64::from(k) + off).collect()
        };
        for (count, off) in [(64, 0.25), (80, -0.25)] {
            let differences = of(count, off);
            let ranks = doubled_ranks(&differences.iter().map(|d| d.abs()).collect::<Vec<_>>());
            let up = differences.iter().zip(&ranks).filter(|(d, _)| **d > 0.0);
            let seen: usize = up.map(|(_, rank)| rank).sum();
            let counts = sums(&ranks);
            let above: f64 = counts.iter().skip(seen).sum();
            let below: f64 = counts.iter().take(seen + 1).sum();
            let normal = signed_ranks(&differences).unwrap();
            assert!(!normal.exact);
            let p = 2.0 * above.min(below);
            assert!((normal.p - p).abs() < 0.003_2, "{count}: {} {p}", normal.p);
        }
        assert!(signed_ranks(&of(60, 0.25)).unwrap().exact);
        assert!(hodges_lehmann(&of(60, 0.25)).unwrap().exact);
        assert!(!signed_ranks(&of(61, 0.25)).unwrap().exact);
        // The ends are those that counting gives.
        for count in [61, 70, 82, 91] {
            let differences = of(count, 0.25);
            let mut means: Vec<f64> = Vec::new();
            for (i, a) in differences.iter().enumerate() {
                means.extend(differences[i..].iter().map(|b| f64::midpoint(*a, *b)));
            }
            means.sort_by(f64::total_cmp);
            let ranks: Vec<usize> = (1..=count as usize).collect();
            let counted = inner(&means, rank_of(&sums(&ranks), 1.0));
            let found = hodges_lehmann(&differences).unwrap();
            assert_eq!((found.within, found.exact), (counted, false), "{count}");
        }
    }

    #[test]
    fn pairs_without_a_mean_difference_are_chance() {
        let (change, chance) = student(&[-1.0, 1.0, 0.0]).unwrap();
        assert!(change.value.abs() < 1e-12 && (chance.p - 1.0).abs() < 1e-12);
        // Without spread, any difference is none of chance.
        assert!(student(&[2.0, 2.0]).unwrap().1.p < 1e-9);
        // With two: one degree of freedom, t = 3 over 1.
        let p = student(&[2.0, 4.0]).unwrap().1.p;
        assert!((p - 2.0 / std::f64::consts::PI * (1.0_f64 / 3.0).atan()).abs() < 1e-9);
        assert_eq!(hodges_lehmann(&[]), None);
    }
}
