//! Comparing results: whether one is better than another, by how much, and how far that is certain.
//!
//! Belongs here: what can be compared ([`Subject`]), which rows and figures belong together, and the verdict on each
//! ([`compare`]); whether a result keeps a limit ([`asserted`]). Must never: read a file, know who wrote a result, show
//! anything (that is `render`).

mod assertion;
pub(crate) mod called;
mod change;
mod crossing;
mod curves;
mod environment;
mod fail;
mod matching;
mod of_run;
mod planned;
mod rows;
mod selector;
mod subject;
mod sum;
mod verdict;

#[cfg(test)]
mod tests;

pub use assertion::{AssertState, Asserted, asserted};
pub use called::LoneRow;
pub use change::ChangeBasis;
pub use crossing::CurveCrossing;
pub use fail::{ConditionCheck, ConditionState, check_changes};
pub use planned::nothing_in_common;
pub use rows::{CompareSide, PropertyDifference};
pub use subject::{LatencyFrom, RowName, SeriesPart, Subject, SubjectFigure, SubjectRow};
pub use sum::summed;
pub use verdict::{ChangeSurety, ChangeVerdict, FamilyRule};

pub use crate::work::{Properties, Property, PropertyValue};

use crate::stats::{median, two_samples};
use change::{ChangeEvidence, evidence};
use leadline_model::condition::FigureKind;
use leadline_model::seed::{Purpose, derive, number_of};
use leadline_model::units::{Bytes, Nanos};
use matching::matching;
use rows::MatchedRows;
use std::collections::BTreeSet;
use verdict::Judged;

/// How two sides are compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompareOptions {
    /// Properties that may differ although they say that the work is not the same.
    pub across: Vec<Property>,
    /// Figures that are looked at beside the usual ones; they are headlines.
    pub figures: Vec<FigureKind>,
}

/// Two sides with the verdict on each figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// A and B.
    pub sides: [ComparedSide; 2],
    /// What differs in the environment or in options of the plan that are no other work: worth knowing first, and often
    /// what is compared.
    pub notes: Vec<PropertyDifference>,
    /// What both have.
    pub rows: Vec<ComparedRow>,
    /// Rows that only A or only B has.
    pub only: [Vec<LoneRow>; 2],
    /// Where sweeps cross.
    pub crossings: Vec<CurveCrossing>,
    /// By which rule the headline figures were judged together.
    pub rule: FamilyRule,
    /// How many these are.
    pub headlines: usize,
}

/// One side as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparedSide {
    /// What it is called.
    pub name: String,
    /// Where its results are from.
    pub sources: Vec<String>,
    /// What is doubtful about them.
    pub doubts: Vec<String>,
    /// Those of them that did not run to their end: no condition passes on their figures.
    pub unfinished: Vec<String>,
    /// Those of them without a histogram: only the percentiles that they report can be compared.
    pub without_histogram: Vec<String>,
    /// What its rows are called whose figures are those of a second measurement, which confirms a point that was chosen
    /// as the best of several.
    pub confirmed: Vec<String>,
}

/// A row of both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRow {
    /// What it is called in A.
    pub name: RowName,
    /// What it is called in B, where that differs.
    pub other: Option<RowName>,
    /// What was measured, in the words of a report; empty where the name says it, or other rows have the same words.
    pub words: String,
    /// Repeats in A and in B.
    pub repeats: (usize, usize),
    /// What differs in the work: where this is not empty, nothing was compared.
    pub unlike: Vec<PropertyDifference>,
    /// What differs in the work and may.
    pub across: Vec<PropertyDifference>,
    /// The time that the rates of A and of B are of, where that is only the time in which all of their jobs ran.
    pub overlap: [Option<Nanos>; 2],
    /// The time from the first start to the last end in A and in B, where not all jobs of the row ran at any one time: its rates
    /// are of that.
    pub apart: [Option<Nanos>; 2],
    /// Its figures.
    pub figures: Vec<ComparedFigure>,
}

/// A figure of both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedFigure {
    /// Which one.
    pub kind: FigureKind,
    /// That of A, in the unit of the figure: the median of its values, or, where the change is one of means of logarithms, their
    /// geometric mean.
    pub a: Option<f64>,
    /// That of B.
    pub b: Option<f64>,
    /// B against A; `None` where they are not comparable.
    pub change: Option<PercentChange>,
    /// What it rests on.
    pub basis: ChangeBasis,
    /// Whether it is one of the figures that are judged first.
    pub headline: bool,
    /// How often chance alone makes such a change, adjusted for the other figures; 1 where it was not judged.
    pub p: f64,
    /// What is said of it.
    pub verdict: ChangeVerdict,
    /// The smallest change in percent, downwards, that would have been shown in 80 % of cases; `None` = not known.
    pub detectable: Option<f64>,
    /// How many repeats of each, or rounds, would show a change as large as this; `None` = not known.
    pub enough: Option<u32>,
    /// Spread of single values, as a logarithm; 0 = not known.
    spread: f64,
    /// How many times as large its statistic has to be as alone.
    stricter: f64,
}

/// A change in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PercentChange {
    /// The estimate.
    pub percent: f64,
    /// Its 95 % interval; `None` where there is none.
    pub within: Option<(f64, f64)>,
    /// Whether the interval was counted; `false` = it follows from a normal distribution.
    pub exact: bool,
}

impl ComparedFigure {
    /// Its verdict in words; of one that is not shown beside an interval without 0, also why.
    #[must_use]
    pub fn verdict_words(&self) -> &'static str {
        match &self.verdict {
            // An interval is of one figure, a verdict of all of them together.
            ChangeVerdict::NoDifference if self.excludes_zero() => {
                "no difference shown (one figure of many)"
            }
            verdict => verdict.words(),
        }
    }

    fn excludes_zero(&self) -> bool {
        let within = self.change.and_then(|change| change.within);
        within.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }

    /// How many repeats show a change of this logarithm.
    fn enough_for(&self, change: f64) -> Option<u32> {
        let paired = self.basis.is_paired();
        let enough = || crate::stats::enough::enough(self.spread, change, paired, self.stricter);
        (self.spread > 0.0).then(enough)
    }
}

/// Compares B with A.
#[must_use]
pub fn compare(a: &CompareSide, b: &CompareSide, options: &CompareOptions) -> Comparison {
    let ((a, copies_a), (b, copies_b)) = (a.without_copies(), b.without_copies());
    let shared = b.shared_with(&a);
    let (a, b) = (&a.with_states_apart(), &b.with_states_apart());
    let matching = matching(a, b);
    let names: Vec<RowName> = matching.rows.iter().map(|row| row.name.clone()).collect();
    let notes = rows::notes(&matching.rows);
    let work: Vec<Vec<PropertyDifference>> = matching.rows.iter().map(unlike_work).collect();
    let parts = |sum: &RowName| -> Vec<PropertyDifference> {
        let each = names.iter().zip(&work);
        let own = each.filter(|(part, _)| sum.is_sum_with(part));
        own.flat_map(|(_, work)| work.clone()).collect()
    };
    let mut found = Vec::new();
    let mut rows = Vec::new();
    for (number, matched) in matching.rows.into_iter().enumerate() {
        let parts = parts(&matched.name);
        let (row, evidence) = compared(number, &matched, parts, options);
        // What the workloads of a stage do together is judged by what each of them does.
        let is_sum = names.iter().any(|part| matched.name.is_sum_with(part));
        found.extend(evidence.into_iter().map(|(row, evidence, headline)| {
            let asked = options.figures.contains(&evidence.kind);
            (row, evidence, headline && (asked || !is_sum))
        }));
        rows.push((matched, row));
    }
    let seed = derive(0, Purpose::Resampling, number_of(b"compare"));
    let places: Vec<usize> = found.iter().map(|f| f.0).collect();
    let all = found.into_iter().map(|f| (f.1, f.2)).collect();
    let mut subjects = a.subjects.iter().chain(&b.subjects);
    let surest = match subjects.any(|subject| subject.is_unfit) {
        true => ChangeSurety::Likely,
        false => ChangeSurety::Shown,
    };
    let (judged, rule) = verdict::judge(all, surest, seed);
    let headlines = judged.iter().filter(|j| j.headline).count();
    for (place, figure) in places.into_iter().zip(judged) {
        if let Some((_, row)) = rows.get_mut(place) {
            row.figures.push(shown(figure));
        }
    }
    for (_, row) in &mut rows {
        row.figures.sort_by_key(|figure| figure.kind);
    }
    called::distinguish(rows.iter_mut().map(|(_, row)| row));
    let mut only = matching.only;
    let words = |rows: &[LoneRow]| rows.iter().map(|row| row.words.clone()).collect::<Vec<_>>();
    let others = [words(&only[1]), words(&only[0])];
    for (lone, other) in only.iter_mut().zip(&others) {
        let paired = rows.iter().map(|(_, row)| row.words.as_str());
        let common: BTreeSet<&str> = paired.chain(other.iter().map(String::as_str)).collect();
        called::distinguish_lone(lone, &common);
    }
    let crossings = crossing::swept(&rows, (a, b));
    Comparison {
        sides: [side(a, copies_a), side(b, [copies_b, shared].concat())],
        notes,
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        only,
        crossings,
        rule,
        headlines,
    }
}

/// What the rows of a side are called that have the figures of a second measurement, each once.
fn confirmed(of: &CompareSide) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let rows = of.subjects.iter().flat_map(|subject| &subject.rows);
    for row in rows.filter(|row| row.is_confirmation) {
        let name = called::in_words(&row.words, &row.name());
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

fn side(of: &CompareSide, copies: Vec<String>) -> ComparedSide {
    let each = || of.subjects.iter();
    let several = of.subjects.len() > 1;
    let doubts = each().flat_map(|subject| {
        let named = |doubt: &String| match several {
            true => format!("{}: {doubt}", subject.source),
            false => doubt.clone(),
        };
        subject.doubts.iter().map(named)
    });
    ComparedSide {
        name: of.name.clone(),
        sources: each().map(|s| s.source.clone()).collect(),
        doubts: copies.into_iter().chain(doubts).collect(),
        unfinished: each()
            .filter(|subject| subject.is_unfinished)
            .map(|subject| subject.source.clone())
            .collect(),
        confirmed: confirmed(of),
        without_histogram: each()
            .filter(|subject| !subject.rows.is_empty())
            .filter(|subject| subject.rows.iter().all(|row| row.histogram.is_none()))
            .map(|subject| subject.source.clone())
            .collect(),
    }
}

/// A figure with its row, and whether it is a headline.
type RowEvidence = (usize, ChangeEvidence, bool);

/// What differs in the work of a row.
fn unlike_work(matched: &MatchedRows<'_>) -> Vec<PropertyDifference> {
    let mut all = matched.differences();
    all.retain(|difference| difference.property.must_be_equal());
    all
}

/// A row, with what is to be judged of it. `parts` is what differs in the work of those that it is the sum of: what a part
/// cannot be compared for, the sum cannot either.
fn compared(
    number: usize,
    matched: &MatchedRows<'_>,
    parts: Vec<PropertyDifference>,
    options: &CompareOptions,
) -> (ComparedRow, Vec<RowEvidence>) {
    let mut work = unlike_work(matched);
    for part in parts {
        if !work.contains(&part) {
            work.push(part);
        }
    }
    let work = work.into_iter();
    let (across, unlike): (Vec<_>, Vec<_>) =
        work.partition(|d| options.across.contains(&d.property));
    let kinds = kinds(matched, &options.figures);
    let paced = matched.may_be_paced();
    let mut figures = Vec::new();
    let mut found = Vec::new();
    for (place, &kind) in (0_u64..).zip(&kinds) {
        if let Some(why) = reason(&unlike) {
            figures.push(not_comparable(matched, kind, why));
            continue;
        }
        let seed = derive(number as u64, Purpose::Resampling, place);
        match evidence(matched, kind, seed) {
            Ok(evidence) => {
                let asked = options.figures.contains(&kind);
                let headline = verdict::is_headline(kind, &kinds, paced);
                found.push((number, evidence, asked || headline));
            }
            Err(why) => figures.push(not_comparable(matched, kind, why)),
        }
    }
    // A rate that was asked for and kept on both sides says nothing: beside other headlines it would only take from their
    // power.
    let of_latency = |found: &RowEvidence| found.2 && !found.1.kind.is_rate();
    if paced && found.iter().any(of_latency) {
        for (_, evidence, headline) in &mut found {
            let asked = options.figures.contains(&evidence.kind);
            *headline &= asked || !evidence.kind.is_rate() || !verdict::is_none(evidence);
        }
    }
    let row = ComparedRow {
        name: matched.name.clone(),
        other: matched.other.clone(),
        words: words_of(matched),
        repeats: matched.repeats(),
        unlike,
        across,
        overlap: [&matched.a, &matched.b]
            .map(|rows| rows.iter().find_map(|known| known.row.overlap)),
        apart: [&matched.a, &matched.b].map(|rows| rows.iter().find_map(|known| known.row.apart)),
        figures,
    };
    (row, found)
}

/// What was measured, as A says it.
fn words_of(matched: &MatchedRows<'_>) -> String {
    let words = |rows: &[rows::KnownRow<'_>]| rows.first().map(|row| row.row.words.clone());
    words(&matched.a).unwrap_or_default()
}

impl ComparedRow {
    /// What it is called in a sentence: what was measured, in words where these are known.
    #[must_use]
    pub fn called(&self) -> String {
        called::in_words(&self.words, &self.name)
    }
}

fn reason(unlike: &[PropertyDifference]) -> Option<String> {
    let all: Vec<String> = unlike.iter().map(PropertyDifference::words).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// The figures of a row: its rate, mean and percentiles that both sides have, and those that are asked for.
fn kinds(rows: &MatchedRows<'_>, asked: &[FigureKind]) -> Vec<FigureKind> {
    /// From this block size on, throughput is what is talked about.
    const LARGE: u64 = 128 << 10;
    let block = |property| rows.a.first()?.properties.get(&property);
    let large = matches!(
        block(Property::BlockSize),
        Some(PropertyValue::Bytes(Bytes(bytes))) if *bytes >= LARGE
    );
    let rates = match large {
        true => [FigureKind::BytesPerS, FigureKind::Iops],
        false => [FigureKind::Iops, FigureKind::BytesPerS],
    };
    let percentiles = [50.0, 95.0, 99.0, 99.9].map(FigureKind::percentile);
    let has = |kind: &FigureKind| {
        let both = [&rows.a, &rows.b];
        both.iter()
            .all(|side| side.iter().all(|r| r.row.figure_of(*kind).is_some()))
    };
    // A source may say only one of the rates.
    let rate = rates.into_iter().find(has);
    let rest = [FigureKind::Mean].into_iter().chain(percentiles);
    let mut all: Vec<FigureKind> = rate.into_iter().chain(rest.filter(has)).collect();
    all.extend(asked.iter().copied());
    all.sort();
    all.dedup();
    all
}

fn not_comparable(rows: &MatchedRows<'_>, kind: FigureKind, why: String) -> ComparedFigure {
    let middle = |side: &[rows::KnownRow<'_>]| {
        let values = side.iter().filter_map(|r| r.row.figure_of(kind));
        median(values.map(|f| f.value))
    };
    ComparedFigure {
        kind,
        a: middle(&rows.a),
        b: middle(&rows.b),
        change: None,
        basis: ChangeBasis::Values,
        headline: false,
        p: 1.0,
        verdict: ChangeVerdict::NotComparable(why),
        detectable: None,
        enough: None,
        spread: 0.0,
        stricter: 1.0,
    }
}

fn shown(judged: Judged) -> ComparedFigure {
    let enough = verdict::enough_repeats(&judged);
    let detectable = verdict::detectable(&judged);
    let stricter = judged.stricter;
    let evidence = judged.evidence;
    let percent = |log: f64| 100.0 * (log.exp() - 1.0);
    // B over A is then the change, as nearly as can be: the median of three may be far from the mean that it is of.
    let of_means = evidence.of_means;
    let middle = |logs: &[f64]| match of_means {
        true => Some(two_samples::mean(logs).exp()),
        false => median(logs.iter().map(|x| x.exp())),
    };
    ComparedFigure {
        kind: evidence.kind,
        a: middle(&evidence.values.0),
        b: middle(&evidence.values.1),
        change: Some(PercentChange {
            percent: percent(evidence.change.value),
            within: evidence
                .change
                .within
                .map(|(low, high)| (percent(low), percent(high))),
            exact: evidence.change.exact,
        }),
        basis: evidence.basis,
        headline: judged.headline,
        p: judged.adjusted,
        detectable: detectable.map(percent),
        enough,
        spread: evidence.deviation,
        stricter,
        verdict: judged.verdict,
    }
}
