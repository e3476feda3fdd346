//! How many repeats are enough, and which difference N repeats can show.
//!
//! Both follow from the normal approximation of a test at 5 % with a chance of 80 % (Cohen, "Statistical power
//! analysis", 1969), and the efficiency of ranks against means, 3/pi, for normal noise.

use super::interval::student;
use super::tails;

/// Quantiles of the normal distribution at 97.5 % and at 80 %, and their sum.
const CHANCE: f64 = 1.959_964;
const POWER: f64 = 0.841_621;
const BOTH: f64 = CHANCE + POWER;
/// Efficiency of ranks.
const RANKS: f64 = 3.0 / std::f64::consts::PI;
/// Fewer repeats on each side show nothing at 95 %, and neither do fewer pairs.
const LEAST: [u32; 2] = [4, 6];
/// More are not counted.
const MOST: u32 = 100_000;
/// How much larger a difference has to be than by the normal approximation, for N repeats on each side from 4 on, to
/// be shown by exact ranks in 80 % of cases: the exact critical values are coarse. Counted in 20,000 drawn pairs of normal
/// samples for each.
const FEW: [f64; 7] = [1.42, 1.28, 1.164, 1.151, 1.083, 1.115, 1.092];
/// The same of N pairs from 6 on, by exact signed ranks.
const FEW_PAIRS: [f64; 7] = [1.535, 1.225, 1.234, 1.203, 1.127, 1.139, 1.129];

/// Repeats on each side, or rounds of pairs, without which nothing is firm.
#[must_use]
pub const fn least(paired: bool) -> usize {
    LEAST[paired as usize] as usize
}

/// How much larger than by the normal approximation a difference has to be, that exact ranks of N repeats or pairs
/// show: as counted, and as extrapolated for more.
#[must_use]
pub fn of_few(repeats: f64, paired: bool) -> f64 {
    let (few, from, rest) = match paired {
        true => (FEW_PAIRS, 6.0, 1.3),
        false => (FEW, 4.0, 0.65),
    };
    let at = leadline_model::units::whole((repeats - from).max(0.0).floor());
    let known = usize::try_from(at).ok().and_then(|at| few.get(at).copied());
    known.unwrap_or(1.0 + rest / repeats)
}

/// The difference that two samples of `n` and `m` values with this standard deviation show in 80 % of cases, in the unit of
/// the deviation.
#[must_use]
pub fn detectable(deviation: f64, n: usize, m: usize) -> f64 {
    let each = 1.0 / n.max(1) as f64 + 1.0 / m.max(1) as f64;
    of_few(2.0 / each, false) * BOTH * deviation * (each / RANKS).sqrt()
}

/// How many times as large a difference has to be, to be shown as often, where its statistic has to be this many times as
/// large: among other figures of one family. The largest t asks for a part of what `few` asks for already: of both the
/// smaller counts by its root, an approximation.
#[must_use]
pub fn among_others(stricter: f64, few: f64) -> f64 {
    let among = (CHANCE * stricter + POWER) / BOTH;
    (among / few.sqrt()).max(among.sqrt())
}

/// How many times as large the statistic of one of N figures has to be as alone, by Bonferroni's rule: a twentieth
/// shared by all of them.
#[must_use]
pub fn of_several(figures: usize) -> f64 {
    let level = 0.05 / figures.max(1) as f64;
    let (mut low, mut high) = (CHANCE, 40.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        match tails::normal(middle) > level {
            true => low = middle,
            false => high = middle,
        }
    }
    low / CHANCE
}

/// The same of `n` differences of pairs with this standard deviation.
#[must_use]
pub fn detectable_in_pairs(deviation: f64, n: usize) -> f64 {
    let n = n.max(1) as f64;
    of_few(n, true) * BOTH * deviation / (n * RANKS).sqrt()
}

/// The same as [`detectable`] where Student's t judges, of samples too few for ranks: their spread is hardly known.
#[must_use]
pub fn detectable_of_few(deviation: f64, n: usize, m: usize) -> f64 {
    let each = 1.0 / n.max(1) as f64 + 1.0 / m.max(1) as f64;
    both_of_student(n + m - 2.min(n + m)) * deviation * each.sqrt()
}

/// The same of a few differences of pairs.
#[must_use]
pub fn detectable_in_few_pairs(deviation: f64, n: usize) -> f64 {
    both_of_student(n.saturating_sub(1)) * deviation / (n.max(1) as f64).sqrt()
}

/// Quantiles of Student's t at 97.5 % and at 80 %, of at least one degree of freedom.
fn both_of_student(degrees: usize) -> f64 {
    const FEW: [f64; 4] = [1.376, 1.061, 0.978, 0.941];
    let degrees = degrees.max(1);
    let power = FEW.get(degrees - 1).copied();
    student(degrees) + power.unwrap_or(POWER * (1.0 + 0.46 / degrees as f64))
}

/// How many repeats on each side, or pairs, show this difference in 80 % of cases, where its statistic has to be `stricter`
/// times as large as alone.
#[must_use]
pub fn enough(deviation: f64, difference: f64, paired: bool, stricter: f64) -> u32 {
    let least = LEAST[usize::from(paired)];
    let shows = |repeats: u32| {
        let few = of_few(f64::from(repeats), paired);
        let repeats = repeats as usize;
        let alone = match paired {
            true => detectable_in_pairs(deviation, repeats),
            false => detectable(deviation, repeats, repeats),
        };
        alone * among_others(stricter, few) <= difference.abs()
    };
    let (mut low, mut high) = (least.saturating_sub(1), MOST);
    if !shows(high) {
        return MOST;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match shows(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;
    use crate::stats::mann_whitney;

    /// 2.8 x CV x sqrt(2/n): of a spread of 5 %, 8.9 % with five repeats and 4.4 % with twenty; more for ranks, and for few.
    #[test]
    fn the_figures_of_the_rule_of_thumb() {
        for (n, percent, few) in [(5, 8.9, 1.28), (10, 6.3, 1.092), (20, 4.4, 1.0325)] {
            let found = detectable(5.0, n, n) * RANKS.sqrt() / few;
            assert!((found - percent).abs() < 0.06, "{n}: {found}");
        }
        let pairs = detectable_in_pairs(1.0, 6) * RANKS.sqrt() / 1.535;
        assert!((pairs - 2.801_6 / 6.0_f64.sqrt()).abs() < 1e-3);
        // A difference that is as large as the spread: 16.4 on each side and half of them in pairs, and the few more.
        assert_eq!(
            (enough(1.0, 1.0, false, 1.0), enough(1.0, 1.0, true, 1.0)),
            (18, 11)
        );
        assert_eq!(
            (enough(0.0, 1.0, false, 1.0), enough(0.0, 1.0, true, 1.0)),
            (4, 6)
        );
        assert_eq!(enough(1.0, 0.0, false, 1.0), 100_000);
    }

    /// By the tables: 1 - 0.025 at 1.96, 1 - 0.0125 at 2.241, 1 - 0.0025 at 2.807.
    #[test]
    fn more_figures_ask_for_more() {
        for (figures, z) in [(1, 1.959_96), (2, 2.241_40), (10, 2.807_03)] {
            let found = of_several(figures) * CHANCE;
            assert!((found - z).abs() < 1e-3, "{figures}: {found}");
        }
        assert!((among_others(1.0, 1.0) - 1.0).abs() < 1e-12);
        let both = (CHANCE * 1.5 + POWER) / BOTH;
        assert!((among_others(1.5, 1.0) - both).abs() < 1e-12);
        assert!((among_others(1.5, 1.28) - both / 1.28_f64.sqrt()).abs() < 1e-12);
        let little = (CHANCE * 1.1 + POWER) / BOTH;
        assert!((among_others(1.1, 1.42) - little.sqrt()).abs() < 1e-12);
        // (2.94 + 0.84)^2 over (1.96 + 0.84)^2 of 16.4.
        assert_eq!(enough(1.0, 1.0, false, 1.5), 31);
    }

    /// Two and two values with a spread of 1, and a difference as large as is claimed to be shown: by Student's t it is, in
    /// about four of five cases.
    #[test]
    fn small_samples_can_show_the_stated_difference() {
        for n in [2, 3] {
            let claimed = detectable_of_few(1.0, n, n);
            let mut draws = Draws::new(3);
            let mut shown = 0;
            for _ in 0..1000 {
                let a = draws.wander(0.0, n);
                let b: Vec<f64> = draws.wander(0.0, n).iter().map(|x| x + claimed).collect();
                let found = crate::stats::two_samples::student(&a, &b);
                shown += usize::from(found.is_some_and(|(_, chance)| chance.p <= 0.05));
            }
            assert!((720..=900).contains(&shown), "{n}: {shown} of 1,000");
        }
        assert!((detectable_in_few_pairs(1.0, 2) - (12.706 + 1.376) / 2.0_f64.sqrt()).abs() < 0.01);
    }

    /// From four repeats and six pairs on exact ranks show what is said of them in about four of five cases.
    #[test]
    fn ranks_of_small_samples_can_show_the_stated_difference() {
        let mut draws = Draws::new(5);
        let mut often = |n: usize, paired: bool| {
            let by = match paired {
                true => detectable_in_pairs(1.0, n),
                false => detectable(1.0, n, n),
            };
            let shown = (0..1000).filter(|_| {
                let mut values =
                    |by: f64| -> Vec<f64> { draws.wander(0.0, n).iter().map(|x| x + by).collect() };
                let chance = match paired {
                    true => crate::stats::pairs::signed_ranks(&values(by)),
                    false => mann_whitney(&values(0.0), &values(by)),
                };
                chance.is_some_and(|chance| chance.p <= 0.05)
            });
            shown.count()
        };
        for (n, paired) in [
            (4, false),
            (5, false),
            (8, false),
            (6, true),
            (7, true),
            (12, true),
        ] {
            let shown = often(n, paired);
            assert!(
                (750..=850).contains(&shown),
                "{n} {paired}: {shown} of 1,000"
            );
        }
    }

    #[test]
    fn that_number_of_repeats_shows_it_in_four_of_five_cases() {
        let n = enough(2.0, 2.5, false, 1.0) as usize;
        let mut draws = Draws::new(8);
        let mut shown = 0;
        for _ in 0..400 {
            let mut draw = |by: f64| -> Vec<f64> {
                draws.wander(0.0, n).iter().map(|x| 2.0 * x + by).collect()
            };
            let (a, b) = (draw(0.0), draw(2.5));
            shown += usize::from(mann_whitney(&a, &b).is_some_and(|c| c.p <= 0.05));
        }
        assert!((290..=350).contains(&shown), "{n}: {shown} of 400");
    }

    /// By hand: 1/5 + 1/20 = 0.25, of ranks 0.25 pi / 3; its root times 2.8016.
    #[test]
    fn samples_of_unlike_size_show_less_than_equal_ones() {
        let found = detectable(2.0, 5, 20);
        // As many as eight on each side.
        let truth = 1.083 * 2.0 * 2.801_585 * (0.25 * std::f64::consts::PI / 3.0).sqrt();
        assert!((found - truth).abs() < 1e-9, "{found}");
        assert!((detectable(2.0, 20, 5) - found).abs() < 1e-12);
        assert!(detectable(2.0, 12, 13) < found);
        // None count as one.
        assert!((detectable(1.0, 0, 0) - detectable(1.0, 1, 1)).abs() < 1e-12);
        assert!((detectable_in_pairs(1.0, 0) - detectable_in_pairs(1.0, 1)).abs() < 1e-12);
    }

    #[test]
    fn half_the_difference_needs_four_times_as_many() {
        for paired in [true, false] {
            let [one, half] = [0.1, 0.05].map(|by| f64::from(enough(1.0, by, paired, 1.0)));
            assert!((half / one - 4.0).abs() < 0.02, "{one} {half}");
            assert_eq!(
                enough(1.0, -0.1, paired, 1.0),
                enough(1.0, 0.1, paired, 1.0)
            );
        }
    }

    /// Quantiles of printed tables at 97.5 % and at 80 %.
    #[test]
    fn a_few_need_the_quantiles_of_student_s_t() {
        for (degrees, half, power) in [
            (1, 12.706, 1.376),
            (2, 4.303, 1.061),
            (3, 3.182, 0.978),
            (4, 2.776, 0.941),
            (5, 2.571, 0.920),
            (10, 2.228, 0.879),
            (30, 2.042, 0.854),
        ] {
            let both: f64 = half + power;
            let n = degrees + 1;
            let pairs = detectable_in_few_pairs(3.0, n);
            assert!(
                (pairs - 3.0 * both / (n as f64).sqrt()).abs() < 0.005,
                "{n}"
            );
            // One value on a side, and all others on the other.
            let sides = detectable_of_few(3.0, 1, n);
            assert!((sides - detectable_of_few(3.0, n, 1)).abs() < 1e-12);
            let each = 1.0 + 1.0 / n as f64;
            assert!((sides - 3.0 * both * each.sqrt()).abs() < 0.01, "{n}");
        }
    }
}
