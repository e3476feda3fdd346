//! How far one figure of B lies from that of A, from repeats, pairs or single runs.
//!
//! Belongs here: which values are compared and by which method. Must never: judge among several figures (that is
//! `verdict`).

use super::rows::{KnownRow, MatchedRows, subjects};
use super::subject::{SeriesPart, SubjectFigure};
use crate::stats::log_ratio::{Within, chance, of_intervals, of_series};
use crate::stats::{Difference, enough, mann_whitney, pairs, two_samples};
use leadline_model::condition::FigureKind;

/// What a change rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeBasis {
    /// Rounds in which both were measured: signed ranks of the differences.
    Rounds,
    /// Repeats of both: ranks.
    Repeats,
    /// Repeats that are too few for ranks: Student's t.
    FewRepeats,
    /// Rounds that are too few for ranks: Student's t of the differences.
    FewRounds,
    /// Repeats within one run of each: how far another run would be from them is not known.
    RepeatsOfOneRun,
    /// One run of each: the spread within them.
    SingleRuns,
    /// Nothing but the two values.
    Values,
}

impl ChangeBasis {
    /// Whether the spread from run to run is known, without a law of the noise: a difference is shown, not only likely.
    #[must_use]
    pub const fn is_firm(self) -> bool {
        matches!(self, Self::Rounds | Self::Repeats)
    }

    /// Whether values are of rounds, one of each side in each.
    #[must_use]
    pub const fn is_paired(self) -> bool {
        matches!(self, Self::Rounds | Self::FewRounds)
    }

    /// Its name in data.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rounds => "rounds",
            Self::Repeats => "repeats",
            Self::FewRepeats => "few-repeats",
            Self::FewRounds => "few-rounds",
            Self::RepeatsOfOneRun => "repeats-of-one-run",
            Self::SingleRuns => "single-runs",
            Self::Values => "values",
        }
    }
}

/// A figure of both sides, before it is judged.
#[derive(Clone, Debug)]
pub(super) struct ChangeEvidence {
    pub(super) kind: FigureKind,
    /// The values of each side: of rounds one a round, in one order.
    pub(super) values: (Vec<f64>, Vec<f64>),
    pub(super) basis: ChangeBasis,
    /// The logarithm of B over A.
    pub(super) change: Difference,
    /// It is the difference of the means of the values; of others it is a median.
    pub(super) of_means: bool,
    /// How often chance makes as large a change.
    pub(super) p: f64,
    /// The smallest change that would have been shown in most cases, as a logarithm; `None` without a spread.
    pub(super) detectable: Option<f64>,
    /// The spread of single values, as a logarithm.
    pub(super) deviation: f64,
}

/// A figure of matched rows; or in words why it cannot be compared.
pub(super) fn evidence(
    rows: &MatchedRows<'_>,
    kind: FigureKind,
    seed: u64,
) -> Result<ChangeEvidence, String> {
    let (a, b) = (logs(&rows.a, kind, "A"), logs(&rows.b, kind, "B"));
    // A latency that neither has is not one of different kinds.
    if !kind.is_rate()
        && (a.is_ok() || b.is_ok())
        && let Some(why) = rows.unlike_latencies(kind)
    {
        return Err(why);
    }
    let (a, b) = (a?, b?);
    if let Some((a, b)) = by_round(rows, &a, &b) {
        return paired(kind, (a, b)).ok_or_else(|| "there are no rounds".to_owned());
    }
    let several_of_one = |rows: &[KnownRow<'_>]| subjects(rows) < 2 && rows.len() > 1;
    let of_one = several_of_one(&rows.a) || several_of_one(&rows.b);
    let values = (by_result(&rows.a, a), by_result(&rows.b, b));
    let mut found = independent(rows, kind, values, seed)?;
    let inside = matches!(found.basis, ChangeBasis::Repeats | ChangeBasis::FewRepeats);
    if of_one && inside {
        found.basis = ChangeBasis::RepeatsOfOneRun;
    }
    let rounded = rounding(rows, kind);
    found.change.within = found
        .change
        .within
        .map(|(low, high)| (low - rounded, high + rounded));
    found.detectable = found.detectable.map(|change| change + rounded);
    Ok(found)
}

/// By how much latencies that are printed in steps may be off, as a logarithm: all repeats alike, so that no spread shows it.
fn rounding(rows: &MatchedRows<'_>, kind: FigureKind) -> f64 {
    if !matches!(kind, FigureKind::Percentile(_) | FigureKind::Max) {
        return 0.0;
    }
    let of = |row: &KnownRow<'_>| {
        let value = row.row.figure_of(kind)?.value;
        (row.row.latency_step > 0.0 && value > 0.0).then(|| (row.row.latency_step / value).ln_1p())
    };
    rows.a
        .iter()
        .chain(&rows.b)
        .filter_map(of)
        .fold(0.0, f64::max)
}

/// One value for each of several results: what a result measured several times (repeats, tries of a point that was not
/// steady) is its mean. Of one result all values.
fn by_result(rows: &[KnownRow<'_>], values: Vec<f64>) -> Vec<f64> {
    if subjects(rows) < 2 {
        return values;
    }
    let mut all: Vec<(usize, Vec<f64>)> = Vec::new();
    for (row, value) in rows.iter().zip(values) {
        match all.last_mut().filter(|last| last.0 == row.subject) {
            Some((_, own)) => own.push(value),
            None => all.push((row.subject, vec![value])),
        }
    }
    all.iter().map(|(_, own)| two_samples::mean(own)).collect()
}

/// The logarithms of a figure in all rows.
fn logs(rows: &[KnownRow<'_>], kind: FigureKind, side: &str) -> Result<Vec<f64>, String> {
    let found: Vec<SubjectFigure> = rows.iter().filter_map(|r| r.row.figure_of(kind)).collect();
    let (count, all) = (found.len(), rows.len());
    if count < all {
        let of = if all > 1 {
            format!(" in {} of {all} repeats", all - count)
        } else {
            String::new()
        };
        return Err(format!("{side} has no {kind}{of}"));
    }
    if found.iter().any(|figure| figure.at_least) {
        return Err(format!(
            "the {kind} of {side} falls among I/Os that had not ended"
        ));
    }
    if found.iter().any(|figure| figure.value <= 0.0) {
        return Err(format!("the {kind} of {side} is 0"));
    }
    Ok(found.iter().map(|figure| figure.value.ln()).collect())
}

/// Means of both sides by round, where all rows are of rounds and there are some that both have.
fn by_round(rows: &MatchedRows<'_>, a: &[f64], b: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let of = |rows: &[KnownRow<'_>], values: &[f64]| {
        let rounds: Option<Vec<u32>> = rows.iter().map(|r| r.row.round).collect();
        rounds.map(|rounds| rounds.into_iter().zip(values.to_vec()).collect::<Vec<_>>())
    };
    let same = same_run(rows);
    let (a, b) = (of(&rows.a, a)?, of(&rows.b, b)?);
    let mean = |all: &[(u32, f64)], round: u32| {
        let own: Vec<f64> = all.iter().filter(|v| v.0 == round).map(|v| v.1).collect();
        (!own.is_empty()).then(|| two_samples::mean(&own))
    };
    let mut rounds: Vec<u32> = a.iter().map(|v| v.0).collect();
    rounds.sort_unstable();
    rounds.dedup();
    let both = rounds
        .iter()
        .filter_map(|&r| Some((mean(&a, r)?, mean(&b, r)?)));
    let both: (Vec<f64>, Vec<f64>) = both.unzip();
    (same && both.0.len() > 1).then_some(both)
}

/// Whether both sides are of one run: rounds of different runs have nothing in common but their number.
fn same_run(rows: &MatchedRows<'_>) -> bool {
    let arms = |rows: &[KnownRow<'_>]| rows.iter().all(|r| !r.row.arm.is_empty());
    arms(&rows.a) && arms(&rows.b)
}

fn paired(kind: FigureKind, values: (Vec<f64>, Vec<f64>)) -> Option<ChangeEvidence> {
    let differences: Vec<f64> = values.0.iter().zip(&values.1).map(|(a, b)| b - a).collect();
    let count = differences.len();
    let deviation = deviation(&[&differences]);
    let ranked = pairs::hodges_lehmann(&differences)?;
    let detectable = Some(enough::detectable_in_pairs(deviation, count));
    if ranked.within.is_some() {
        return Some(ChangeEvidence {
            kind,
            basis: ChangeBasis::Rounds,
            change: ranked,
            of_means: false,
            p: pairs::signed_ranks(&differences)?.p,
            detectable,
            deviation,
            values,
        });
    }
    let (change, chance) = pairs::student(&differences)?;
    Some(ChangeEvidence {
        kind,
        basis: ChangeBasis::FewRounds,
        change,
        of_means: true,
        p: chance.p,
        detectable: Some(enough::detectable_in_few_pairs(deviation, count)),
        deviation,
        values,
    })
}

fn independent(
    rows: &MatchedRows<'_>,
    kind: FigureKind,
    values: (Vec<f64>, Vec<f64>),
    seed: u64,
) -> Result<ChangeEvidence, String> {
    let (a, b) = (&values.0, &values.1);
    let (n, m) = (a.len(), b.len());
    let deviation = deviation(&[a, b]);
    let detectable = Some(enough::detectable(deviation, n, m));
    let ranked = two_samples::hodges_lehmann(a, b).ok_or("there are no values")?;
    if ranked.within.is_some() {
        let p = mann_whitney(a, b).map_or(1.0, |chance| chance.p);
        return Ok(ChangeEvidence {
            kind,
            basis: ChangeBasis::Repeats,
            change: ranked,
            of_means: false,
            p,
            detectable,
            deviation,
            values,
        });
    }
    if let Some((change, chance)) = two_samples::student(a, b) {
        return Ok(ChangeEvidence {
            kind,
            basis: ChangeBasis::FewRepeats,
            change,
            of_means: true,
            p: chance.p,
            detectable: Some(enough::detectable_of_few(deviation, n, m)),
            deviation,
            values,
        });
    }
    let single = single(rows, kind, seed);
    let change = single.unwrap_or(ranked);
    let half = change.within.map(|(low, high)| (high - low) / 2.0);
    Ok(ChangeEvidence {
        kind,
        basis: match single {
            Some(_) => ChangeBasis::SingleRuns,
            None => ChangeBasis::Values,
        },
        p: chance(&change).p,
        // 1.96 standard errors are half of it; 2.8 show a change in most cases.
        detectable: half.map(|half| half / 1.96 * 2.8),
        deviation: 0.0,
        change,
        of_means: false,
        values,
    })
}

/// The spread of samples around their own means.
fn deviation(samples: &[&Vec<f64>]) -> f64 {
    let squares: f64 = samples.iter().map(|s| two_samples::squares(s)).sum();
    let degrees: usize = samples.iter().map(|s| s.len().saturating_sub(1)).sum();
    (squares / degrees.max(1) as f64).sqrt()
}

/// One run of each: from their series, else from the intervals of the figures.
fn single(rows: &MatchedRows<'_>, kind: FigureKind, seed: u64) -> Option<Difference> {
    let (a, b) = (rows.a.first()?, rows.b.first()?);
    // Of jobs that overlap in part the series is that of the overlap, as the rates are; latencies are of all I/Os.
    // Of jobs of which none overlap the series lacks the pauses between them, which the rates include.
    let is_whole = |row: &KnownRow<'_>| match kind.is_rate() {
        true => row.row.apart.is_none(),
        false => row.row.overlap.is_none(),
    };
    let series = |row: &KnownRow<'_>| slices(&row.row.series, kind).filter(|_| is_whole(row));
    if let (Some(a), Some(b)) = (series(a), series(b))
        && let Some(found) = of_series(&a, &b, seed)
    {
        return Some(found);
    }
    let within = |row: &KnownRow<'_>| {
        let figure = row.row.figure_of(kind)?;
        Some(Within {
            value: figure.value,
            low: figure.low?,
            high: figure.high?,
        })
    };
    of_intervals(within(a)?, within(b)?)
}

/// The series of a figure as sums and what they are divided by.
pub(super) fn slices(series: &[SeriesPart], kind: FigureKind) -> Option<Vec<(f64, f64)>> {
    let each = series.iter().map(|part| match kind {
        FigureKind::Iops => Some((part.ios, part.seconds)),
        FigureKind::BytesPerS => Some((part.bytes, part.seconds)),
        FigureKind::Mean => Some((part.latency_sum?, part.ios)),
        FigureKind::Percentile(_) | FigureKind::Max => None,
    });
    each.collect()
}
