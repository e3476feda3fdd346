//! One figure of several measurements of a point, by the rule of the tables of a report: without those that another one has
//! replaced, that of the last one which confirms it, else the mean with its interval; a percentile is that of the buckets of all, which varies as the mean of those of each
//! does. Must never: draw the mean of percentiles.

use super::figure::{Known, PlotFigure};
use super::observed::Observed;
use crate::stats::{Bracket, of_repeats, span_of_disagreement};
use leadline_model::latency::Latency;

/// From this many measurements on their own spread is the interval; below it, what each is sure to.
const ENOUGH: usize = 4;

/// The figure of all these measurements; `None` where they do not have it.
pub(super) fn pooled(same: &[&Observed<'_>], figure: PlotFigure) -> Option<Known> {
    let standing = || same.iter().copied().filter(|o| !o.replaced);
    let confirming = standing().filter(|o| o.confirms);
    let counted: Vec<&Observed<'_>> = match confirming.max_by_key(|o| (o.run, o.stage)) {
        Some(last) => vec![last],
        None if standing().next().is_some() => standing().collect(),
        None => same.to_vec(),
    };
    let each = counted.iter().filter_map(|o| figure.of(o.figures, o.queue));
    let each: Vec<Known> = each.collect();
    let (first, rest) = each.split_first()?;
    if rest.is_empty() {
        return Some(*first);
    }
    match figure {
        PlotFigure::Tail(percent) => {
            let mut all = Latency::default();
            counted.iter().for_each(|o| all.merge(o.figures.response()));
            let own = super::figure::known(crate::summary::percentile(&all, percent)?)?;
            let of_all = each.len() == counted.len();
            Some(match (own.bracket, mean(&each)) {
                (Bracket::Unknown, around) if of_all => moved(own.value, around, &all),
                _ => own,
            })
        }
        PlotFigure::Longest => each.into_iter().max_by(|a, b| a.value.total_cmp(&b.value)),
        _ => Some(mean(&each)),
    }
}

/// A value with the interval around another, as far as there are latencies.
fn moved(value: f64, around: Known, all: &Latency) -> Known {
    let (least, most) = (all.min as f64, all.max as f64);
    let bracket = around
        .bracket
        .ends()
        .map_or(Bracket::Unknown, |(low, high)| {
            let (below, above) = (around.value - low, high - around.value);
            Bracket::Within((value - below).max(least), (value + above).min(most))
        });
    Known { value, bracket }
}

/// The mean of independent figures, whose errors add as squares where they agree, and with the span of all where they do not;
/// of many, with the interval of their own spread.
fn mean(each: &[Known]) -> Known {
    let values: Vec<f64> = each.iter().map(|k| k.value).collect();
    let count = each.len() as f64;
    let value = values.iter().sum::<f64>() / count;
    if each.iter().any(|k| k.bracket == Bracket::AtLeast) {
        return Known {
            value,
            bracket: Bracket::AtLeast,
        };
    }
    if let Some(spread) = of_repeats(&values).filter(|_| each.len() >= ENOUGH) {
        return Known {
            value,
            bracket: Bracket::of(&spread),
        };
    }
    let errors: Option<Vec<(f64, f64)>> = each
        .iter()
        .map(|k| {
            k.bracket
                .ends()
                .map(|(low, high)| (k.value - low, high - k.value))
        })
        .collect();
    let ends = errors
        .is_some()
        .then(|| each.iter().filter_map(|k| k.bracket.ends()));
    if let Some((low, high)) = ends.and_then(span_of_disagreement) {
        return Known {
            value,
            bracket: Bracket::Within(low, high),
        };
    }
    let half = |of: fn(&(f64, f64)) -> f64, errors: &[(f64, f64)]| {
        errors.iter().map(|e| of(e).powi(2)).sum::<f64>().sqrt() / count
    };
    Known {
        value,
        bracket: errors.map_or(Bracket::Unknown, |e| {
            Bracket::Within(value - half(|e| e.0, &e), value + half(|e| e.1, &e))
        }),
    }
}
