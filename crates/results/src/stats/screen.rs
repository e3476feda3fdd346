//! Screening of factors: the design of Plackett and Burman, folded over, and the effects that it shows.

use super::interval::{Interval, student};

/// Points of the design.
pub const POINTS: usize = 24;
/// Most factors.
pub const MOST: usize = 11;
/// Signs of the first point; those after it are shifted by one each.
const FIRST: [i8; MOST] = [1, 1, -1, 1, 1, 1, -1, -1, -1, 1, -1];

/// The signs of a factor's value in a point, -1 or 1: twelve points, then the same with all signs changed, so that no
/// main effect is mixed with a pair of factors (Plackett and Burman, "The design of optimum multifactorial
/// experiments", 1946; Box and Wilson, 1951, for the fold-over).
#[must_use]
pub fn sign(point: usize, factor: usize) -> i8 {
    let row = point % 12;
    let sign = match row {
        11 => -1,
        row => FIRST[(factor + MOST - row % MOST) % MOST],
    };
    if point < 12 { sign } else { -sign }
}

/// What a factor does: how many times as large the result is at its high value as at its low one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Which factor.
    pub factor: usize,
    /// The ratio with its 95 % interval.
    pub ratio: Interval,
}

/// The effects of `factors` factors on results, of which there are 24 in the order of the points, all above 0; the largest
/// first. `None` where results are missing.
///
/// Effects multiply, so that the model is linear in logarithms; what it leaves, pairs of factors among it, is the
/// error.
#[must_use]
pub fn effects(results: &[f64], factors: usize) -> Option<Vec<Effect>> {
    if results.len() != POINTS
        || !(1..=MOST).contains(&factors)
        || results.iter().any(|r| *r <= 0.0)
    {
        return None;
    }
    let logs: Vec<f64> = results.iter().map(|r| r.ln()).collect();
    let count = POINTS as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let half = |factor: usize| {
        let each = logs.iter().enumerate();
        each.map(|(point, log)| f64::from(sign(point, factor)) * log)
            .sum::<f64>()
            / count
    };
    let halves: Vec<f64> = (0..factors).map(half).collect();
    let left = logs.iter().enumerate().map(|(point, log)| {
        let model = halves.iter().enumerate();
        let model: f64 = model
            .map(|(f, half)| half * f64::from(sign(point, f)))
            .sum();
        (log - mean - model).powi(2)
    });
    let degrees = POINTS - 1 - factors;
    let error = (left.sum::<f64>() / degrees as f64 / count).sqrt();
    let within = 2.0 * student(degrees) * error;
    let effect = |(factor, half): (usize, &f64)| {
        let log = 2.0 * half;
        Effect {
            factor,
            ratio: Interval {
                value: log.exp(),
                low: (log - within).exp(),
                high: (log + within).exp(),
                settled: true,
            },
        }
    };
    let mut effects: Vec<Effect> = halves.iter().enumerate().map(effect).collect();
    let size = |e: &Effect| e.ratio.value.ln().abs();
    effects.sort_by(|a, b| size(b).total_cmp(&size(a)));
    Some(effects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;

    #[test]
    fn each_factor_is_as_often_high_as_low_and_no_two_go_together() {
        for a in 0..MOST {
            let sum: i32 = (0..12).map(|p| i32::from(sign(p, a))).sum();
            assert_eq!(sum, 0, "{a}");
            for b in 0..a {
                let both: i32 = (0..12).map(|p| i32::from(sign(p, a) * sign(p, b))).sum();
                assert_eq!(both, 0, "{a} {b}");
            }
        }
    }

    /// The second row of the published plan for twelve runs is the first, shifted to the right by one.
    #[test]
    fn the_plan_is_the_published_one() {
        let row = |point| -> Vec<i8> { (0..MOST).map(|factor| sign(point, factor)).collect() };
        assert_eq!(row(0), [1, 1, -1, 1, 1, 1, -1, -1, -1, 1, -1]);
        assert_eq!(row(1), [-1, 1, 1, -1, 1, 1, 1, -1, -1, -1, 1]);
        assert_eq!(row(11), [-1; MOST]);
    }

    /// Seven factors of known effects under noise of 5 %: signs and order.
    #[test]
    fn signs_and_order_of_seven_factors_come_out_under_noise() {
        const TRUE: [f64; 7] = [2.0, 0.6, 1.45, 0.77, 1.18, 0.92, 1.0];
        let right = (0..20).filter(|seed| {
            let mut draws = Draws::new(*seed);
            let noise = draws.wander(0.0, POINTS);
            let result = |point: usize| {
                let each = TRUE.iter().enumerate();
                let log: f64 = each
                    .map(|(f, t)| t.ln() / 2.0 * f64::from(sign(point, f)))
                    .sum();
                (log + 0.05 * noise[point]).exp()
            };
            let effects = effects(&(0..POINTS).map(result).collect::<Vec<_>>(), 7).unwrap();
            let order: Vec<usize> = effects.iter().map(|e| e.factor).collect();
            let signs = effects
                .iter()
                .take(6)
                .all(|e| (e.ratio.value > 1.0) == (TRUE[e.factor] > 1.0));
            order == [0, 1, 2, 3, 4, 5, 6] && signs
        });
        assert!(right.count() >= 19);
    }

    #[test]
    fn the_second_half_has_all_signs_of_the_first_changed() {
        for (point, factor) in (0..12).flat_map(|p| (0..MOST).map(move |f| (p, f))) {
            assert_eq!(sign(point + 12, factor), -sign(point, factor));
        }
        // Whatever two factors do together is not in the effect of a factor.
        for (a, b, c) in [(0, 1, 2), (3, 7, 10), (4, 4, 9)] {
            let all = |p| i32::from(sign(p, a) * sign(p, b) * sign(p, c));
            assert_eq!((0..POINTS).map(all).sum::<i32>(), 0);
        }
    }

    /// By hand: two factors that work together leave 0.1 at each point, which none of three effects has. Squares of 24 x
    /// 0.01 over 20 degrees of freedom, of which Student's quantile is 2.086; an effect is twice a mean of 24.
    #[test]
    fn an_effect_has_the_interval_of_what_no_factor_explains() {
        let log = |p: usize| {
            let [a, b, c] = [0, 1, 2].map(|f| f64::from(sign(p, f)));
            0.25 * a - 0.5 * b + 0.1 * b * c
        };
        let results: Vec<f64> = (0..POINTS).map(|p| (3.0 + log(p)).exp()).collect();
        let found = effects(&results, 3).unwrap();
        let half = 2.0 * 2.086 * 0.1 / 20.0_f64.sqrt();
        for (effect, (factor, log)) in found.iter().zip([(1, -1.0), (0, 0.5), (2, 0.0)]) {
            assert_eq!(effect.factor, factor);
            let Interval {
                value, low, high, ..
            } = effect.ratio;
            assert!((value.ln() - log).abs() < 1e-9, "{effect:?}");
            assert!((low.ln() - log + half).abs() < 1e-3, "{effect:?}");
            assert!((high.ln() - log - half).abs() < 1e-3, "{effect:?}");
        }
    }

    #[test]
    fn effects_need_all_results_and_at_most_eleven_factors() {
        let results = [2.0; POINTS];
        assert_eq!(effects(&results, 11).map(|found| found.len()), Some(11));
        assert_eq!(effects(&results, 1).map(|found| found.len()), Some(1));
        assert_eq!((effects(&results, 0), effects(&results, 12)), (None, None));
        assert_eq!(effects(&results[..23], 3), None);
        let mut without = results;
        without[5] = 0.0;
        assert_eq!(effects(&without, 3), None);
    }
}
