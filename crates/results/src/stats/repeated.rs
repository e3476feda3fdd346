//! One figure of several measurements of the same, each with an interval of its own.
//!
//! Belongs here: the mean and what it is sure to. Must never: average percentiles.

use super::interval::{Interval, of_repeats};

/// From this many measurements on their own spread is the interval; below it, what each is sure to.
pub(crate) const ENOUGH: usize = 4;

/// The mean of several measurements of one figure: of at least four with Student's interval of their spread, of fewer with
/// the errors of each added as squares. Where two of the few do not agree within their intervals, these say nothing about a
/// third: then the interval spans all, and is not settled.
#[must_use]
pub fn over_all(each: &[Interval]) -> Interval {
    let values: Vec<f64> = each.iter().map(|i| i.value).collect();
    match of_repeats(&values) {
        Some(repeats) if values.len() >= ENOUGH => repeats,
        _ => pooled(each),
    }
}

/// The mean of independent figures, whose errors add as squares where they agree.
fn pooled(each: &[Interval]) -> Interval {
    let count = each.len().max(1) as f64;
    let mean = |of: fn(&Interval) -> f64| each.iter().map(of).sum::<f64>() / count;
    let squares = |of: fn(&Interval) -> f64| each.iter().map(|i| of(i).powi(2)).sum::<f64>();
    let value = mean(|i| i.value);
    if let Some((low, high)) = span_of_disagreement(each.iter().map(|i| (i.low, i.high))) {
        return Interval {
            value,
            low,
            high,
            settled: false,
        };
    }
    Interval {
        value,
        low: value - squares(|i| i.value - i.low).sqrt() / count,
        high: value + squares(|i| i.high - i.value).sqrt() / count,
        settled: each.iter().all(|i| i.settled),
    }
}

/// The lowest and the highest end of intervals of which two do not overlap; `None` where all do.
fn span_of_disagreement(ends: impl Iterator<Item = (f64, f64)>) -> Option<(f64, f64)> {
    let (lows, highs): (Vec<f64>, Vec<f64>) = ends.unzip();
    let least = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |of: &[f64]| of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (most(&lows) > least(&highs)).then(|| (least(&lows), most(&highs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(value: f64, half: f64) -> Interval {
        Interval {
            value,
            low: value - half,
            high: value + half,
            settled: true,
        }
    }

    #[test]
    fn the_errors_of_measurements_that_agree_add_as_squares() {
        let both = over_all(&[around(100.0, 3.0), around(102.0, 4.0)]);
        assert!(
            (both.value - 101.0).abs() < 1e-9 && both.settled,
            "{both:?}"
        );
        assert!((both.high - 103.5).abs() < 1e-9, "{both:?}");
        assert_eq!(over_all(&[around(5.0, 1.0)]), around(5.0, 1.0));
    }

    #[test]
    fn measurements_that_do_not_agree_are_spanned_and_not_settled() {
        let both = over_all(&[around(20_000.0, 10.0), around(17_500.0, 20.0)]);
        assert!((both.value - 18_750.0).abs() < 1e-9, "{both:?}");
        assert_eq!((both.low, both.high), (17_480.0, 20_010.0));
        assert!(!both.settled);
        // Of four the spread says it.
        let four = [20_000.0, 17_500.0, 20_000.0, 17_500.0].map(|value| around(value, 10.0));
        assert!(over_all(&four).settled && over_all(&four).high > 20_000.0);
    }
}
