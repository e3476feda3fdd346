//! One figure of several measurements of a point, by the rule of the tables of a report: without those that another one has
//! replaced, that of the last one which confirms it, else the mean with its interval; a percentile is that of the buckets of all, which varies as the mean of those of each
//! does. Must never: draw the mean of percentiles.

use super::figure::{Known, PlotFigure};
use super::observed::Observed;
use crate::stats::{Bracket, ENOUGH, Interval, over_all};
use leadline_model::latency::Latency;

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

/// The mean of independent figures, as the tables of a report have it.
fn mean(each: &[Known]) -> Known {
    let ends = |k: &Known| k.bracket.ends();
    let intervals = each.iter().map(|k| {
        let (low, high) = ends(k).unwrap_or((k.value, k.value));
        Interval {
            value: k.value,
            low,
            high,
            settled: true,
        }
    });
    let all = over_all(&intervals.collect::<Vec<_>>());
    let is_bound = each.iter().any(|k| k.bracket == Bracket::AtLeast);
    let is_known = each.len() >= ENOUGH || each.iter().all(|k| ends(k).is_some());
    Known {
        value: all.value,
        bracket: match (is_bound, is_known) {
            (true, _) => Bracket::AtLeast,
            (false, true) => Bracket::Within(all.low, all.high),
            (false, false) => Bracket::Unknown,
        },
    }
}
