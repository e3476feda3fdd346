//! How far one figure lies above another when each was measured once, from the intervals of time of both.
//!
//! Belongs here: intervals of logarithms of ratios. What one run cannot know, how far the next would be from it, is in none
//! of them. Must never: be taken for the interval of repeats.

use super::interval::{Interval, ratio};
use super::ranks::{block_length, draw_blocks};
use super::tails;
use super::two_samples::{Chance, Difference};
use leadline_model::seed::{Purpose, SplitMix, derive};

/// Resampled series for an interval.
const DRAWN: usize = 400;

/// An estimate with its interval, all above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within {
    /// The estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The logarithm of `b` over `a`, both known with an interval: the distances of their ends add as squares (Donner and
/// Zou, "Closed-form confidence intervals for functions of the normal mean and standard deviation", 2012). `None` where a
/// value is not above 0.
#[must_use]
pub fn of_intervals(a: Within, b: Within) -> Option<Difference> {
    if !(a.value > 0.0 && b.value > 0.0 && a.low > 0.0 && b.low > 0.0) {
        return None;
    }
    let value = (b.value / a.value).ln();
    let below = (b.value / b.low).ln().hypot((a.high / a.value).ln());
    let above = (b.high / b.value).ln().hypot((a.value / a.low).ln());
    Some(Difference {
        value,
        within: Some((value - below, value + above)),
        exact: false,
    })
}

/// The logarithm of the ratio of `b` over `a`, each a ratio of sums over slices of time as (amount, base). Its interval
/// is the union of that of batch means ([`ratio`]) and that of series resampled in blocks (stationary bootstrap;
/// Politis and Romano, 1994). `None` for fewer than 8 slices on a side, or where nothing was done. The same `seed` gives
/// the same interval.
#[must_use]
pub fn of_series(a: &[(f64, f64)], b: &[(f64, f64)], seed: u64) -> Option<Difference> {
    let (of_a, of_b) = (ratio(a)?, ratio(b)?);
    let positive = |i: Interval| Within {
        value: i.value,
        // Of what is almost nothing only the upper end is known.
        low: i.low.max(i.value * 1e-3),
        high: i.high,
    };
    let batches = of_intervals(positive(of_a), positive(of_b))?;
    let (mut below, mut above) = batches.within?;
    let mut values: Vec<f64> = resampled(a, seed, 0)
        .into_iter()
        .zip(resampled(b, seed, 1))
        .filter(|(a, b)| *a > 0.0 && *b > 0.0)
        .map(|(a, b)| (b / a).ln())
        .collect();
    values.sort_by(f64::total_cmp);
    let beyond = values.len() / 40;
    let ends = (values.get(beyond), values.iter().rev().nth(beyond));
    if let (Some(low), Some(high)) = ends {
        (below, above) = (below.min(*low), above.max(*high));
    }
    Some(Difference {
        within: Some((below, above)),
        ..batches
    })
}

/// Ratios of series that are drawn from this one.
fn resampled(slices: &[(f64, f64)], seed: u64, number: u64) -> Vec<f64> {
    let whole = slices
        .iter()
        .fold((0.0, 0.0), |s, x| (s.0 + x.0, s.1 + x.1));
    let value = whole.0 / whole.1;
    let errors: Vec<f64> = slices.iter().map(|s| s.0 - value * s.1).collect();
    let length = block_length(&errors);
    let mut sums = vec![(0.0, 0.0)];
    for slice in slices {
        let last = sums.last().copied().unwrap_or_default();
        sums.push((last.0 + slice.0, last.1 + slice.1));
    }
    let mut source = SplitMix::new(derive(seed, Purpose::Resampling, number));
    let draw = |_| {
        let drawn = draw_blocks(&mut source, slices.len(), length);
        let sum = drawn.iter().fold((0.0, 0.0), |sum, &(from, to)| {
            let (before, after) = (sums[from], sums[to]);
            (sum.0 + after.0 - before.0, sum.1 + after.1 - before.1)
        });
        sum.0 / sum.1
    };
    (0..DRAWN).map(draw).collect()
}

/// How often chance makes a difference as large, by the width of its interval and a normal distribution; 1 without an
/// interval.
#[must_use]
pub fn chance(of: &Difference) -> Chance {
    let error = of.within.map(|(low, high)| {
        // The side towards 0 decides.
        let half = if of.value > 0.0 {
            of.value - low
        } else {
            high - of.value
        };
        half / 1.959_964
    });
    let p = match error {
        _ if of.value == 0.0 => 1.0,
        None => 1.0,
        Some(error) => tails::normal(of.value / error.max(f64::MIN_POSITIVE)),
    };
    Chance { p, exact: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;

    fn series(draws: &mut Draws, level: f64, r: f64, spread: f64) -> Vec<(f64, f64)> {
        let noise = draws.wander(r, 120);
        noise
            .into_iter()
            .map(|z| (level * (1.0 + spread * z), 1.0))
            .collect()
    }

    /// By hand: 100 -+ 10 against 200 -+ 20; the logarithms of the ends.
    #[test]
    fn distances_of_two_intervals_add_as_squares() {
        let of = |value: f64| Within {
            value,
            low: value * 0.9,
            high: value * 1.1,
        };
        let found = of_intervals(of(100.0), of(200.0)).unwrap();
        assert!((found.value - 2_f64.ln()).abs() < 1e-12);
        let (low, high) = found.within.unwrap();
        let (down, up) = (-(0.9_f64.ln()), 1.1_f64.ln());
        assert!((found.value - low - down.hypot(up)).abs() < 1e-12);
        assert!((high - found.value - down.hypot(up)).abs() < 1e-12);
        assert_eq!(of_intervals(of(0.0), of(1.0)), None);
    }

    #[test]
    fn the_ratio_of_two_series_is_held_as_often_as_it_says() {
        let mut draws = Draws::new(21);
        let truth = 1.2_f64.ln();
        let mut held = 0;
        for seed in 0..300 {
            let a = series(&mut draws, 1000.0, 0.5, 0.05);
            let b = series(&mut draws, 1200.0, 0.5, 0.05);
            let (low, high) = of_series(&a, &b, seed).unwrap().within.unwrap();
            held += usize::from(low <= truth && truth <= high);
        }
        assert!((280..=299).contains(&held), "{held} of 300");
        let a = series(&mut draws, 1000.0, 0.5, 0.05);
        assert_eq!(of_series(&a, &a, 3), of_series(&a, &a, 3));
        assert_eq!(of_series(&a[..7], &a, 3), None);
        assert_eq!(of_series(&[(0.0, 1.0); 20], &a, 3), None);
    }

    #[test]
    fn chance_follows_the_interval() {
        let of = |value, within| Difference {
            value,
            within,
            exact: false,
        };
        let at_the_end = chance(&of(1.0, Some((0.0, 2.0))));
        assert!((at_the_end.p - 0.05).abs() < 1e-4, "{at_the_end:?}");
        assert!((chance(&of(0.0, Some((-1.0, 1.0)))).p - 1.0).abs() < 1e-12);
        assert!((chance(&of(0.3, None)).p - 1.0).abs() < 1e-12);
        assert!(chance(&of(0.3, Some((0.3, 0.3)))).p < 1e-9);
    }

    #[test]
    fn ends_towards_each_other_go_together() {
        let a = Within {
            value: 100.0,
            low: 90.0,
            high: 120.0,
        };
        let b = Within {
            value: 200.0,
            low: 150.0,
            high: 220.0,
        };
        let (low, high) = of_intervals(a, b).unwrap().within.unwrap();
        let below = (4.0_f64 / 3.0).ln().hypot(1.2_f64.ln());
        let above = 1.1_f64.ln().hypot((10.0_f64 / 9.0).ln());
        assert!((2_f64.ln() - low - below).abs() < 1e-12);
        assert!((high - 2_f64.ln() - above).abs() < 1e-12);
        // The other way round it is the same on the other side.
        let turned = of_intervals(b, a).unwrap().within.unwrap();
        assert!((turned.0 + high).abs() < 1e-12 && (turned.1 + low).abs() < 1e-12);
        for (value, low) in [(0.0, 1.0), (1.0, 0.0)] {
            let none = Within {
                value,
                low,
                high: 2.0,
            };
            assert_eq!((of_intervals(none, b), of_intervals(a, none)), (None, None));
        }
    }

    /// 100 a second in slices of one or two seconds is 100 however it is drawn; independent slices vary as their mean.
    #[test]
    fn drawn_series_vary_about_the_ratio_as_its_error() {
        let slices: Vec<_> = (0..60)
            .map(|k| f64::from(1 + k % 2))
            .map(|s| (100.0 * s, s))
            .collect();
        assert!(
            resampled(&slices, 1, 0)
                .iter()
                .all(|r| (r - 100.0).abs() < 1e-9)
        );
        let noisy = series(&mut Draws::new(2), 1000.0, 0.0, 0.1);
        let drawn = resampled(&noisy, 1, 0);
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let deviation = drawn.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / drawn.len() as f64;
        // A tenth of 1,000 over the root of 120.
        assert!((deviation.sqrt() / (100.0 / 120_f64.sqrt()) - 1.0).abs() < 0.25);
        let whole = noisy.iter().map(|s| s.0).sum::<f64>() / 120.0;
        assert!((mean - whole).abs() < 1.5, "{mean} {whole}");
        assert_ne!(drawn, resampled(&noisy, 1, 1));
    }

    #[test]
    fn an_interval_holds_both_that_of_batches_and_that_of_drawn_series() {
        let mut draws = Draws::new(4);
        let mut wider = (0, 0);
        for seed in 0..40 {
            let a = series(&mut draws, 1000.0, 0.0, 0.1);
            let b = series(&mut draws, 1000.0, 0.0, 0.1);
            let (low, high) = of_series(&a, &b, seed).unwrap().within.unwrap();
            let part = |i: Interval| Within {
                value: i.value,
                low: i.low,
                high: i.high,
            };
            let batches = of_intervals(part(ratio(&a).unwrap()), part(ratio(&b).unwrap()));
            let (from, to) = batches.unwrap().within.unwrap();
            assert!(low <= from && to <= high);
            let drawn = resampled(&a, seed, 0)
                .into_iter()
                .zip(resampled(&b, seed, 1));
            let mut drawn: Vec<f64> = drawn.map(|(a, b)| (b / a).ln()).collect();
            drawn.sort_by(f64::total_cmp);
            // Of 400, 2.5 % on either side.
            assert_eq!((low, high), (from.min(drawn[10]), to.max(drawn[389])));
            wider.0 += usize::from(low < from);
            wider.1 += usize::from(high > to);
        }
        assert!(wider.0 > 0 && wider.1 > 0, "{wider:?}");
    }

    #[test]
    fn a_fall_is_as_likely_as_the_rise_it_mirrors() {
        let of = |value, within| Difference {
            value,
            within: Some(within),
            exact: false,
        };
        let (rise, fall) = (chance(&of(1.0, (0.0, 9.0))), chance(&of(-1.0, (-9.0, 0.0))));
        assert!((rise.p - 0.05).abs() < 1e-4 && (fall.p - rise.p).abs() < 1e-12);
        // Half as wide: 3.92 standard errors.
        assert!(chance(&of(1.0, (0.5, 9.0))).p < 1e-4);
    }

    /// Slices that grow longer, in seconds and in milliseconds.
    #[test]
    fn drawn_series_do_not_depend_on_the_unit_of_time() {
        let noise = Draws::new(12).wander(0.6, 80);
        let each = noise.iter().zip(1_u32..);
        let slices: Vec<(f64, f64)> = each
            .map(|(z, k)| (100.0 * f64::from(k) + 20.0 * z, f64::from(k)))
            .collect();
        let small: Vec<(f64, f64)> = slices.iter().map(|s| (s.0, 1000.0 * s.1)).collect();
        let (seconds, thousandths) = (resampled(&slices, 5, 0), resampled(&small, 5, 0));
        for (a, b) in seconds.iter().zip(&thousandths) {
            assert!((a / b - 1000.0).abs() < 1e-6, "{a} {b}");
        }
    }

    /// A spread of 5 % in 120 slices of both: an error of 0.05 x sqrt(2 / 120), and 1.96 times that on either side.
    #[test]
    fn an_interval_is_as_wide_as_the_noise_of_both_makes_it() {
        let mut draws = Draws::new(15);
        for seed in 0..20 {
            let a = series(&mut draws, 1000.0, 0.0, 0.05);
            let b = series(&mut draws, 1200.0, 0.0, 0.05);
            let found = of_series(&a, &b, seed).unwrap();
            let (low, high) = found.within.unwrap();
            let half = 1.96 * 0.05 * (2.0_f64 / 120.0).sqrt();
            for side in [found.value - low, high - found.value] {
                assert!(
                    (0.75..1.75).contains(&(side / half)),
                    "{seed}: {side} {half}"
                );
            }
        }
    }

    /// One slice of sixteen holds all: in a third of the series that are drawn of it there is nothing.
    #[test]
    fn series_in_which_nothing_was_drawn_do_not_count() {
        let mut rare = vec![(0.0, 1.0); 16];
        rare[5] = (16.0, 1.0);
        let often: Vec<(f64, f64)> = (0..16).map(|k| (1.0 + f64::from(k % 2), 1.0)).collect();
        for (a, b) in [(&rare, &often), (&often, &rare)] {
            let found = of_series(a, b, 9).unwrap();
            let (low, high) = found.within.unwrap();
            // Of what is almost nothing the lower end is taken at a thousandth.
            assert!(low.is_finite() && high.is_finite(), "{low} {high}");
            assert!((high - low) > 1000_f64.ln() && (high - low) < 10.0);
        }
    }
}
