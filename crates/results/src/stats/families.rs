//! Several tests at once: how often chance alone makes any of them say that there is a difference.
//!
//! Belongs here: adjusted probabilities of a family of tests. Must never: choose what belongs to a family.

use super::two_samples::{mean, squares};
use leadline_model::seed::{Purpose, SplitMix, derive};

/// Most arrangements that are all gone through; of more, this many are drawn.
const ARRANGED: usize = 10_000;

/// Holm's procedure ("A simple sequentially rejective multiple test procedure", 1979): each probability adjusted for the
/// others of its family, in their order. Those at most 0.05 are shown with 5 % for the family as a whole.
#[must_use]
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b]));
    let mut adjusted = vec![1.0; probabilities.len()];
    let mut largest: f64 = 0.0;
    for (place, &at) in order.iter().enumerate() {
        let left = (probabilities.len() - place) as f64;
        largest = largest.max((left * probabilities[at]).min(1.0));
        adjusted[at] = largest;
    }
    adjusted
}

/// The values of one figure in all repeats: of independent samples the first and the second, of pairs in their order.
pub type TwoSides = (Vec<f64>, Vec<f64>);

/// What rearranging the repeats of a family says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaxT {
    /// The probability of each figure, adjusted for the others.
    pub adjusted: Vec<f64>,
    /// How many times as large a figure's t has to be as alone, to be shown among the others; 1 or more.
    pub stricter: f64,
}

/// Adjusted probabilities of a family of figures that were measured in the same repeats, by the step-down method of
/// Westfall and Young ("Resampling-based multiple testing", 1993, algorithm 2.8) with the largest of Student's t over
/// all rearrangements of whole repeats: figures that rise and fall together count once. All figures have the same number
/// of values on each side. `paired` = the values of both sides belong together: then signs change instead.
#[must_use]
pub fn max_t(figures: &[TwoSides], paired: bool, seed: u64) -> MaxT {
    let Some((a, b)) = figures.first() else {
        return MaxT::default();
    };
    let joined: Vec<Vec<f64>> = figures
        .iter()
        .map(|(a, b)| match paired {
            true => a.iter().zip(b).map(|(a, b)| b - a).collect(),
            false => a.iter().chain(b).copied().collect(),
        })
        .collect();
    let arrangements = match paired {
        true => signs(a.len().min(b.len()), seed),
        false => choices(a.len() + b.len(), b.len(), seed),
    };
    let statistic = |values: &[f64], second: &[bool]| match paired {
        true => t_of_signs(values, second),
        false => t_of_choice(values, second),
    };
    let observed: Vec<f64> = {
        let own = &arrangements[0];
        joined.iter().map(|values| statistic(values, own)).collect()
    };
    let mut order: Vec<usize> = (0..figures.len()).collect();
    order.sort_by(|x, y| observed[*y].total_cmp(&observed[*x]));
    let mut reached = vec![0_usize; figures.len()];
    let (mut every, mut most_of_all) = (Vec::new(), Vec::new());
    for arrangement in &arrangements {
        let mut largest: f64 = 0.0;
        for &at in order.iter().rev() {
            let own = statistic(&joined[at], arrangement);
            largest = largest.max(own);
            reached[at] += usize::from(largest >= observed[at] * (1.0 - 1e-9));
            every.push(own);
        }
        most_of_all.push(largest);
    }
    let mut adjusted = vec![1.0; figures.len()];
    let mut most: f64 = 0.0;
    for at in order {
        most = most.max(reached[at] as f64 / arrangements.len() as f64);
        adjusted[at] = if observed[at] > 0.0 { most } else { 1.0 };
    }
    let alone = critical(every);
    let stricter = match alone > 0.0 {
        true => (critical(most_of_all) / alone).max(1.0),
        false => 1.0,
    };
    MaxT { adjusted, stricter }
}

/// The value that one of twenty exceeds.
fn critical(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = values.len() * 19 / 20;
    values.get(at).copied().unwrap_or(0.0)
}

/// Every choice of `second` of `count` values, that of the last ones first; or a drawn sample of them.
fn choices(count: usize, second: usize, seed: u64) -> Vec<Vec<bool>> {
    let own: Vec<bool> = (0..count).map(|i| i >= count - second.min(count)).collect();
    let ways =
        (0..second.min(count)).fold(1.0, |ways, k| ways * (count - k) as f64 / (k + 1) as f64);
    let mut all = vec![own.clone()];
    if ways <= ARRANGED as f64 {
        let mut next = own.clone();
        while step(&mut next) {
            all.push(next.clone());
        }
        return all;
    }
    let mut source = SplitMix::new(derive(seed, Purpose::Resampling, 0));
    while all.len() < ARRANGED {
        let mut drawn = own.clone();
        shuffle(&mut drawn, &mut source);
        all.push(drawn);
    }
    all
}

/// The arrangement before this one in the order of binary numbers; false where this is the first.
fn step(choice: &mut [bool]) -> bool {
    let Some(at) = (1..choice.len())
        .rev()
        .find(|&i| choice[i] && !choice[i - 1])
    else {
        return false;
    };
    choice.swap(at - 1, at);
    let after = choice[at + 1..].iter().filter(|c| **c).count();
    let tail = &mut choice[at + 1..];
    let length = tail.len();
    for (i, place) in tail.iter_mut().enumerate() {
        *place = i >= length - after;
    }
    true
}

fn shuffle(values: &mut [bool], source: &mut SplitMix) {
    for i in (1..values.len()).rev() {
        let other = usize::try_from(source.bits() % (i as u64 + 1)).unwrap_or(0);
        values.swap(i, other);
    }
}

/// Every choice of signs of `count` values, that of no change first; or a drawn sample of them.
fn signs(count: usize, seed: u64) -> Vec<Vec<bool>> {
    let of = |bits: u64| (0..count).map(|i| i < 64 && bits >> i & 1 == 1).collect();
    if count <= 13 {
        return (0..1_u64 << count).map(of).collect();
    }
    let mut source = SplitMix::new(derive(seed, Purpose::Resampling, 1));
    let drawn = |_| (0..count).map(|_| source.bits() >> 63 == 1).collect();
    let own = vec![false; count];
    std::iter::once(own)
        .chain((1..ARRANGED).map(drawn))
        .collect()
}

/// Distances this small count as none: values of equal runs differ by rounding.
const NONE: f64 = 1e-9;

/// Student's t of two samples, without its sign.
fn t_of_choice(values: &[f64], second: &[bool]) -> f64 {
    let pick = |side: bool| {
        let own = values.iter().zip(second).filter(move |(_, s)| **s == side);
        own.map(|(v, _)| *v).collect::<Vec<f64>>()
    };
    let (a, b) = (pick(false), pick(true));
    let degrees = (values.len() as f64 - 2.0).max(1.0);
    let variance = (squares(&a) + squares(&b)) / degrees;
    let error = (variance * (1.0 / a.len() as f64 + 1.0 / b.len() as f64)).sqrt();
    (mean(&b) - mean(&a)).abs() / error.max(NONE)
}

/// Student's t of differences with some signs changed, without its own sign.
fn t_of_signs(values: &[f64], changed: &[bool]) -> f64 {
    let signed: Vec<f64> = values
        .iter()
        .zip(changed)
        .map(|(v, changed)| if *changed { -v } else { *v })
        .collect();
    let count = signed.len() as f64;
    let variance = squares(&signed) / (count - 1.0).max(1.0);
    mean(&signed).abs() / (variance / count).sqrt().max(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;

    /// By hand: 3 x 0.01, then 2 x 0.02, then 0.04, none below the one before. The same as R's `p.adjust` gives.
    #[test]
    fn holm_adjusts_in_steps() {
        let adjusted = holm(&[0.04, 0.01, 0.02]);
        for (found, wanted) in adjusted.iter().zip([0.04, 0.03, 0.04]) {
            assert!((found - wanted).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(holm(&[0.5, 0.6]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn all_choices_are_gone_through_once() {
        let all = choices(6, 3, 0);
        assert_eq!(all.len(), 20);
        assert_eq!(all[0], [false, false, false, true, true, true]);
        let mut distinct = all.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 20);
        assert!(all.iter().all(|c| c.iter().filter(|s| **s).count() == 3));
        assert_eq!(choices(30, 15, 0).len(), ARRANGED);
        assert_eq!(signs(5, 0).len(), 32);
        assert_eq!(signs(20, 0).len(), ARRANGED);
    }

    /// One figure alone is a permutation test: two arrangements of 252 are as far apart as values that do not overlap.
    #[test]
    fn one_figure_alone_is_a_permutation_test() {
        let apart: TwoSides = (
            vec![1.0, 2.0, 3.0, 4.0, 5.0],
            vec![11.0, 12.0, 13.0, 14.0, 15.0],
        );
        assert!(
            (max_t(std::slice::from_ref(&apart), false, 0).adjusted[0] - 2.0 / 252.0).abs() < 1e-12
        );
        assert!(
            (max_t(std::slice::from_ref(&apart), true, 0).adjusted[0] - 2.0 / 32.0).abs() < 1e-12
        );
        // The same figure ten times is as good as once, where Holm would ask for ten times as much.
        let ten = vec![apart; 10];
        assert!(
            max_t(&ten, false, 0)
                .adjusted
                .iter()
                .all(|p| (p - 2.0 / 252.0).abs() < 1e-12)
        );
        let equal: TwoSides = (vec![1.0; 5], vec![1.0; 5]);
        assert!((max_t(&[equal], false, 0).adjusted[0] - 1.0).abs() < 1e-12);
        assert!(max_t(&[], false, 0).adjusted.is_empty());
    }

    #[test]
    fn a_family_of_chance_is_called_different_in_a_twentieth() {
        let mut draws = Draws::new(5);
        let (mut wrong, mut holm_wrong) = (0, 0);
        for run in 0..400 {
            let figures: Vec<TwoSides> = (0..12)
                .map(|_| (draws.wander(0.0, 5), draws.wander(0.0, 5)))
                .collect();
            let adjusted = max_t(&figures, false, run).adjusted;
            wrong += usize::from(adjusted.iter().any(|p| *p <= 0.05));
            let six = figures.iter().take(6);
            let alone = six.filter_map(|(a, b)| super::super::mann_whitney(a, b));
            let alone: Vec<f64> = alone.map(|chance| chance.p).collect();
            holm_wrong += usize::from(holm(&alone).iter().any(|p| *p <= 0.05));
        }
        // 5 % of 400 are 20; 32 or more come in one of 200 tries.
        assert!(wrong < 32, "{wrong}");
        assert!(holm_wrong < 32, "{holm_wrong}");
    }

    #[test]
    fn a_true_difference_is_found_among_others() {
        let mut draws = Draws::new(6);
        let mut found = 0;
        for run in 0..100 {
            let mut figures: Vec<TwoSides> = (0..8)
                .map(|_| (draws.wander(0.0, 5), draws.wander(0.0, 5)))
                .collect();
            figures[3].1.iter_mut().for_each(|v| *v += 5.0);
            found += usize::from(max_t(&figures, false, run).adjusted[3] <= 0.05);
        }
        assert!(found >= 85, "{found}");
    }

    /// By hand. Means 2 and 5, squares 2 and 2, three degrees of freedom: 3 over the root of 4/3 x 5/6. Of 1, 2 and 3 the
    /// mean 2 over 1 / sqrt(3), and of -1, 2 and 3 the mean 4/3 over the root of 26/6 over 3.
    #[test]
    fn statistics_are_student_s() {
        let second = [false, false, false, true, true];
        let t = t_of_choice(&[1.0, 2.0, 3.0, 4.0, 6.0], &second);
        assert!((t - 3.0 / (10.0_f64 / 9.0).sqrt()).abs() < 1e-9, "{t}");
        let t = t_of_signs(&[1.0, 2.0, 3.0], &[false; 3]);
        assert!((t - 2.0 * 3.0_f64.sqrt()).abs() < 1e-9, "{t}");
        let t = t_of_signs(&[1.0, 2.0, 3.0], &[true, false, false]);
        assert!(
            (t - 4.0 / 3.0 / (13.0_f64 / 9.0).sqrt()).abs() < 1e-9,
            "{t}"
        );
    }

    /// 16 over 6 is 8,008, 16 over 8 is 12,870.
    #[test]
    fn up_to_ten_thousand_arrangements_are_all_gone_through() {
        let distinct = |all: &[Vec<bool>]| {
            let mut all = all.to_vec();
            all.sort();
            all.dedup();
            all.len()
        };
        let all = choices(16, 6, 0);
        assert_eq!((all.len(), distinct(&all)), (8008, 8008));
        let all = signs(13, 0);
        assert_eq!((all.len(), distinct(&all)), (8192, 8192));
        assert!(all[0].iter().all(|changed| !changed));
        // Drawn ones differ, and each place is as often on either side.
        for (drawn, own) in [
            (choices(30, 15, 3), choices(4, 2, 0)[0].clone()),
            (signs(14, 3), vec![false; 2]),
        ] {
            assert_eq!(drawn.len(), ARRANGED);
            assert_eq!(
                (drawn[0][0], drawn[0][drawn[0].len() - 1]),
                (own[0], own[own.len() - 1])
            );
            assert!(distinct(&drawn) > 7000, "{}", distinct(&drawn));
            for place in 0..drawn[0].len() {
                let times = drawn.iter().filter(|choice| choice[place]).count();
                // Five standard deviations of 10,000 throws of a coin.
                assert!((4750..=5250).contains(&times), "{place}: {times}");
            }
        }
        let half = choices(30, 15, 3);
        assert!(half.iter().all(|c| c.iter().filter(|s| **s).count() == 15));
        assert_ne!(half, choices(30, 15, 4));
    }

    /// Of five on each side: those apart have 2 arrangements of 252, and those that are the same each way have all.
    #[test]
    fn figures_of_a_family_are_adjusted_in_steps() {
        let apart: TwoSides = (
            vec![1.0, 2.0, 3.0, 4.0, 5.0],
            vec![11.0, 12.0, 13.0, 14.0, 15.0],
        );
        let near: TwoSides = (vec![1.0, 2.0, 3.0, 4.0, 5.0], vec![2.0, 1.0, 4.0, 3.0, 6.0]);
        let alone = max_t(std::slice::from_ref(&near), false, 0).adjusted[0];
        let both = max_t(&[near.clone(), apart.clone()], false, 0).adjusted;
        assert!((both[1] - 2.0 / 252.0).abs() < 1e-12, "{both:?}");
        // The step after the first is as if alone.
        assert!(
            (both[0] - alone).abs() < 1e-12 && alone > 0.5,
            "{both:?} {alone}"
        );
        let turned = max_t(&[apart, near], false, 0).adjusted;
        assert!((turned[0] - both[1]).abs() < 1e-12 && (turned[1] - both[0]).abs() < 1e-12);
    }
}
