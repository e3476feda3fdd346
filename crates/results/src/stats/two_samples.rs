//! Two samples of independent values: whether one tends to be larger, and by how much.
//!
//! Belongs here: ranks and differences of two samples, Student's t where they are too few for ranks. Must never: pair
//! values (that is `pairs`).

use super::interval::student as student_quantile;
use super::middle::median;
use super::tails;

/// Most values of both samples together for which probabilities are counted; beyond, they are those of a normal
/// distribution.
pub const COUNTED: usize = 40;

/// How often chance alone makes a difference as large as the one that was seen, on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// 0 to 1.
    pub p: f64,
    /// Whether all arrangements were counted; `false` = by a normal distribution.
    pub exact: bool,
}

/// How far the second sample lies above the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The estimate.
    pub value: f64,
    /// Its 95 % interval; `None` where there are too few values for one.
    pub within: Option<(f64, f64)>,
    /// Whether the interval follows from counted arrangements; `false` = from a normal distribution.
    pub exact: bool,
}

/// The test of Mann and Whitney ("On a test of whether one of two random variables is stochastically larger than the
/// other", 1947), on both sides: twice the smaller tail of the rank sum over all arrangements of the values, equal
/// values having their mean rank. `None` where a sample is empty.
#[must_use]
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<Chance> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let ranks = doubled_ranks(&all);
    let seen: usize = ranks.iter().take(a.len()).sum();
    if all.len() > COUNTED {
        return Some(by_normal(&ranks, a.len(), seen));
    }
    let counts = subset_sums(&ranks, a.len());
    let total: f64 = counts.iter().sum();
    let below: f64 = counts.iter().take(seen + 1).sum();
    let above: f64 = counts.iter().skip(seen).sum();
    Some(Chance {
        p: (2.0 * below.min(above) / total).min(1.0),
        exact: true,
    })
}

/// Twice the rank of each value; equal ones have their mean rank.
pub(super) fn doubled_ranks(values: &[f64]) -> Vec<usize> {
    let rank = |x: &f64| {
        let below = values.iter().filter(|v| *v < x).count();
        let up_to = values.iter().filter(|v| *v <= x).count();
        below + up_to + 1
    };
    values.iter().map(rank).collect()
}

/// How many subsets of `size` of these numbers have each sum.
fn subset_sums(numbers: &[usize], size: usize) -> Vec<f64> {
    let most: usize = numbers.iter().sum();
    let mut counts = vec![vec![0.0; most + 1]; size + 1];
    counts[0][0] = 1.0;
    for &number in numbers {
        for taken in (1..=size).rev() {
            let (before, after) = counts.split_at_mut(taken);
            let (from, to) = (&before[taken - 1], &mut after[0]);
            for sum in number..=most {
                to[sum] += from[sum - number];
            }
        }
    }
    counts.pop().unwrap_or_default()
}

/// The rank sum as a normal value, with the correction for ties and for its steps.
fn by_normal(ranks: &[usize], first: usize, seen: usize) -> Chance {
    let (n, m) = (first as f64, (ranks.len() - first) as f64);
    let count = n + m;
    let mean = n * (count + 1.0);
    let squares: f64 = ranks
        .iter()
        .map(|r| (*r as f64 - count - 1.0).powi(2))
        .sum();
    let variance = n * m * squares / (count * (count - 1.0));
    let off = ((seen as f64 - mean).abs() - 1.0).max(0.0);
    let p = if variance > 0.0 {
        tails::normal(off / variance.sqrt())
    } else {
        1.0
    };
    Chance { p, exact: false }
}

/// How far `b` lies above `a`: the median of all differences (Hodges and Lehmann, "Estimates of location based on rank
/// tests", 1963), with the interval between two of them that the Mann-Whitney test leaves (Moses, in Walker and Lev,
/// "Statistical inference", 1953). `None` where a sample is empty.
#[must_use]
pub fn hodges_lehmann(a: &[f64], b: &[f64]) -> Option<Difference> {
    let mut differences: Vec<f64> = a
        .iter()
        .flat_map(|x| b.iter().map(move |y| y - x))
        .collect();
    if differences.is_empty() {
        return None;
    }
    differences.sort_by(f64::total_cmp);
    let (rank, exact) = critical(a.len(), b.len());
    Some(Difference {
        value: median(differences.iter().copied())?,
        within: inner(&differences, rank),
        exact,
    })
}

/// The values of these ranks from both ends; `None` for rank 0.
pub(super) fn inner(sorted: &[f64], rank: usize) -> Option<(f64, f64)> {
    let low = sorted.get(rank.checked_sub(1)?)?;
    let high = sorted.get(sorted.len().checked_sub(rank)?)?;
    Some((*low, *high))
}

/// The rank from both ends of the differences at which a 95 % interval ends, 0 = there is none; and whether it was
/// counted.
fn critical(n: usize, m: usize) -> (usize, bool) {
    let count = n + m;
    if count > COUNTED {
        let (a, b) = (n as f64, m as f64);
        let deviation = (a * b * (a + b + 1.0) / 12.0).sqrt();
        let rank = a * b / 2.0 + 0.5 - 1.959_964 * deviation;
        return (
            usize::try_from(leadline_model::units::whole(rank.floor())).unwrap_or(0),
            false,
        );
    }
    let ranks: Vec<usize> = (1..=count).collect();
    let counts = subset_sums(&ranks, n);
    let total: f64 = counts.iter().sum();
    let least = n * (n + 1) / 2;
    (rank_of(&counts[least.min(counts.len())..], total), true)
}

/// The largest number of lowest values that together have at most 2.5 % of the arrangements.
pub(super) fn rank_of(counts: &[f64], total: f64) -> usize {
    let mut sum = 0.0;
    let kept = counts.iter().take_while(|count| {
        sum += **count;
        sum <= 0.025 * total * (1.0 + 1e-12)
    });
    kept.count()
}

/// The difference of the means of two samples of one variance, with Student's interval, and how often chance makes one as
/// large: for samples that are too small for ranks. `None` for fewer than three values, or an empty sample.
#[must_use]
pub fn student(a: &[f64], b: &[f64]) -> Option<(Difference, Chance)> {
    let degrees = (a.len() + b.len()).checked_sub(2).filter(|d| *d > 0)?;
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let value = mean(b) - mean(a);
    let squares = squares(a) + squares(b);
    let error = (squares / degrees as f64 * (1.0 / a.len() as f64 + 1.0 / b.len() as f64)).sqrt();
    let half = student_quantile(degrees) * error;
    let t = value.abs() / error.max(f64::MIN_POSITIVE);
    let shift = Difference {
        value,
        within: Some((value - half, value + half)),
        exact: false,
    };
    let p = match value {
        0.0 => 1.0,
        _ => tails::student(t, degrees),
    };
    Some((shift, Chance { p, exact: false }))
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / (values.len() as f64).max(1.0)
}

/// Squares of the distances from the mean.
pub(crate) fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|v| (v - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;

    /// Permeability constants of a membrane, at term and between 12 and 26 weeks: Hollander and Wolfe, "Nonparametric
    /// statistical methods" (1973), page 69, in the help of R's `wilcox.test`: W = 35, one-sided p 0.1272, difference
    /// 0.305, 95 % interval -0.15 to 0.76.
    const TERM: [f64; 10] = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
    const EARLY: [f64; 5] = [1.15, 0.88, 0.90, 0.74, 1.21];

    #[test]
    fn the_example_of_the_textbook() {
        let chance = mann_whitney(&TERM, &EARLY).unwrap();
        assert!(
            chance.exact && (chance.p - 2.0 * 0.127_206).abs() < 1e-5,
            "{chance:?}"
        );
        let shift = hodges_lehmann(&EARLY, &TERM).unwrap();
        assert!((shift.value - 0.305).abs() < 1e-9);
        let (low, high) = shift.within.unwrap();
        assert!((low + 0.15).abs() < 1e-9 && (high - 0.76).abs() < 1e-9);
    }

    /// The documentation of SciPy's `mannwhitneyu`: ages of men and women, exact p = 0.1111.
    #[test]
    fn the_example_of_scipy() {
        let (men, women) = ([19.0, 22.0, 16.0, 29.0, 24.0], [20.0, 11.0, 17.0, 12.0]);
        let chance = mann_whitney(&men, &women).unwrap();
        assert!((chance.p - 1.0 / 9.0).abs() < 1e-12, "{chance:?}");
    }

    /// By another way: every choice of which values are the first sample's.
    fn enumerated(a: &[f64], b: &[f64]) -> f64 {
        let all: Vec<f64> = a.iter().chain(b).copied().collect();
        let wins = |first: u32| {
            let mut sum = 0.0;
            for (i, x) in all.iter().enumerate().filter(|(i, _)| first >> i & 1 == 1) {
                for (k, y) in all.iter().enumerate().filter(|(k, _)| first >> k & 1 == 0) {
                    assert_ne!(i, k);
                    sum += if x > y { 1.0 } else { 0.0 }
                        + if x.total_cmp(y).is_eq() { 0.5 } else { 0.0 };
                }
            }
            sum
        };
        let seen = wins((1 << a.len()) - 1);
        let choices = 0_u32..1 << all.len();
        let choices = choices.filter(|c| c.count_ones() as usize == a.len());
        let (mut below, mut above, mut total) = (0.0, 0.0, 0.0);
        for choice in choices {
            let sum = wins(choice);
            total += 1.0;
            below += if sum <= seen { 1.0 } else { 0.0 };
            above += if sum >= seen { 1.0 } else { 0.0 };
        }
        f64::min(1.0, 2.0 * f64::min(below, above) / total)
    }

    #[test]
    fn every_arrangement_counts_once_with_ties_and_without() {
        for (a, b) in [
            (vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]),
            (vec![1.0, 2.0, 2.0, 5.0], vec![2.0, 3.0, 5.0, 5.0, 7.0]),
            (vec![1.0, 1.0, 1.0, 1.0], vec![1.0, 1.0, 2.0]),
            (vec![3.0], vec![1.0, 2.0, 4.0, 8.0]),
            (vec![2.0; 4], vec![2.0; 4]),
            (
                vec![0.1, 0.4, 0.9, 1.6, 2.5],
                vec![3.0, 3.1, 3.2, 0.2, 2.6, 2.5],
            ),
        ] {
            let chance = mann_whitney(&a, &b).unwrap();
            assert!(
                (chance.p - enumerated(&a, &b)).abs() < 1e-12,
                "{a:?} {b:?} {chance:?}"
            );
        }
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }

    #[test]
    fn the_least_p_of_few_repeats() {
        // 3: 0.10, 4: 0.029, 5: 0.008.
        for (n, p) in [(3, 0.1), (4, 2.0 / 70.0), (5, 2.0 / 252.0)] {
            let a: Vec<f64> = (0..n).map(f64::from).collect();
            let b: Vec<f64> = (0..n).map(|k| f64::from(k) + 100.0).collect();
            assert!((mann_whitney(&a, &b).unwrap().p - p).abs() < 1e-12);
            let shift = hodges_lehmann(&a, &b).unwrap();
            assert!((shift.value - 100.0).abs() < 1e-12);
            assert_eq!(shift.within.is_some(), n > 3);
        }
    }

    #[test]
    fn beyond_what_is_counted_a_normal_distribution_says_the_same() {
        let a: Vec<f64> = (0..20).map(|k| f64::from(k * k % 37)).collect();
        let b: Vec<f64> = (0..20).map(|k| f64::from(k * k % 41) + 6.0).collect();
        let counted = mann_whitney(&a, &b).unwrap();
        let all: Vec<f64> = a.iter().chain(&b).copied().collect();
        let ranks = doubled_ranks(&all);
        let normal = by_normal(&ranks, 20, ranks[..20].iter().sum());
        assert!(counted.exact && !normal.exact);
        assert!(
            (counted.p - normal.p).abs() < 0.005,
            "{counted:?} {normal:?}"
        );
        // Of equal values all is chance.
        let equal = mann_whitney(&[5.0; 21], &[5.0; 21]).unwrap();
        assert!(!equal.exact && (equal.p - 1.0).abs() < 1e-12, "{equal:?}");
        let more: Vec<f64> = (0..21).map(f64::from).collect();
        assert!(!mann_whitney(&a, &more).unwrap().exact);
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        let mut draws = Draws::new(11);
        let (mut held, mut held_t) = (0, 0);
        for _ in 0..1000 {
            let a = draws.wander(0.0, 5);
            let b: Vec<f64> = draws.wander(0.0, 5).iter().map(|x| x + 3.0).collect();
            let holds = |within: Option<(f64, f64)>| {
                let (low, high) = within.unwrap();
                usize::from(low <= 3.0 && 3.0 <= high)
            };
            held += holds(hodges_lehmann(&a, &b).unwrap().within);
            held_t += holds(student(&a, &b).unwrap().0.within);
        }
        // 5 and 5: the largest exact level below 95 % on either side is 96.8 %.
        assert!((950..=985).contains(&held), "{held}");
        assert!((930..=970).contains(&held_t), "{held_t}");
    }

    /// By hand: means 2 and 5, squares 2 and 2, four degrees of freedom, error sqrt(2/3).
    #[test]
    fn student_of_two_samples_is_the_textbook_s() {
        let (shift, chance) = student(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap();
        let half = 2.776_4 * (2.0_f64 / 3.0).sqrt();
        let (low, high) = shift.within.unwrap();
        assert!((low - 3.0 + half).abs() < 1e-3 && (high - 3.0 - half).abs() < 1e-3);
        // t = 3.674 with 4 degrees of freedom: p = 0.0213.
        assert!((chance.p - 0.021_3).abs() < 1e-4, "{chance:?}");
        assert_eq!(student(&[1.0], &[2.0]), None);
        assert!(student(&[1.0], &[2.0, 2.5, 3.0]).is_some());
    }

    /// By counting all arrangements, of 41 values and more too.
    #[test]
    fn the_ends_of_large_samples_are_those_that_counting_gives() {
        for (n, m) in [(20, 21), (21, 20), (15, 30), (30, 30)] {
            let ranks: Vec<usize> = (1..=n + m).collect();
            let counts = subset_sums(&ranks, n);
            let total: f64 = counts.iter().sum();
            let counted = rank_of(&counts[n * (n + 1) / 2..], total);
            let (rank, exact) = critical(n, m);
            assert!(
                !exact && rank.abs_diff(counted) <= 1,
                "{n} {m}: {rank} {counted}"
            );
        }
        assert!(critical(20, 20).1);
    }

    /// By hand: all differences of 0, 1 and 5, 7 are 5, 7, 4, 6.
    #[test]
    fn the_shift_of_two_samples_is_the_median_of_all_differences() {
        let shift = hodges_lehmann(&[0.0, 1.0], &[5.0, 7.0]).unwrap();
        assert!((shift.value - 5.5).abs() < 1e-12 && shift.within.is_none());
        let odd = hodges_lehmann(&[0.0], &[5.0, 7.0, 9.0]).unwrap();
        assert!((odd.value - 7.0).abs() < 1e-12);
        assert_eq!(
            (hodges_lehmann(&[], &[1.0]), hodges_lehmann(&[1.0], &[])),
            (None, None)
        );
        let sorted = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(inner(&sorted, 1), Some((1.0, 4.0)));
        assert_eq!(
            (inner(&sorted, 2), inner(&sorted, 0)),
            (Some((2.0, 3.0)), None)
        );
    }

    /// By hand: one against 2, 2.5 and 3: mean 1.5 apart, squares 0.5 over two degrees of freedom, error the root of 1/3.
    #[test]
    fn student_of_one_value_against_three() {
        let (shift, chance) = student(&[1.0], &[2.0, 2.5, 3.0]).unwrap();
        let half = 4.302_65 / 3.0_f64.sqrt();
        let (low, high) = shift.within.unwrap();
        assert!((shift.value - 1.5).abs() < 1e-12);
        assert!((low - 1.5 + half).abs() < 1e-3 && (high - 1.5 - half).abs() < 1e-3);
        // t = 2.598 with two degrees of freedom: 1 - t / sqrt(2 + t^2).
        let t = 1.5 * 3.0_f64.sqrt();
        assert!((chance.p - (1.0 - t / (2.0 + t * t).sqrt())).abs() < 1e-9);
        assert!((student(&[1.0, 3.0], &[2.0]).unwrap().1.p - 1.0).abs() < 1e-12);
        assert_eq!(
            (
                student(&[], &[1.0, 2.0, 3.0]),
                student(&[1.0, 2.0, 3.0], &[])
            ),
            (None, None)
        );
    }

    /// By hand, of the example of the textbook: 10 from the mean of 25, less a half, over the root of 10 x 5 x 16 / 12 is
    /// 1.1635, of which printed tables have 0.2446.
    #[test]
    fn the_normal_distribution_of_ranks_has_the_textbook_s_variance() {
        let all: Vec<f64> = TERM.iter().chain(&EARLY).copied().collect();
        let ranks = doubled_ranks(&all);
        let found = by_normal(&ranks, 10, ranks[..10].iter().sum());
        assert!(
            !found.exact && (found.p - 0.244_6).abs() < 2e-4,
            "{found:?}"
        );
    }
}
