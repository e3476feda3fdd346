//! What is said of each figure of a comparison: improved, regressed, no difference shown, not comparable.
//!
//! Belongs here: families of figures, and their verdicts. Must never: compute a change (that is `change`).
//!
//! Each row has two headline figures, its rate and its p99, and where a rate may have been asked for the mean. They are one family, in which chance calls any of them
//! different in at most 5 % of comparisons: by the largest t over rearranged repeats where all have equally many, else
//! by Holm's procedure. (Of 500 changes of 5 % at a spread of 2 % five repeats showed 385 by Holm's, and more than 400 by
//! the largest t: rates and latencies move together, which only that takes into account.) The other figures are a second
//! family, which is judged only where a headline figure is shown to differ; so the 5 % hold for the comparison as a whole.

use super::change::ChangeEvidence;
use crate::stats::enough;
use crate::stats::families::{TwoSides, holm, max_t};
use leadline_model::condition::FigureKind;

/// How often chance may call something different.
const LEVEL: f64 = 0.05;

/// A smaller change, as a logarithm or a share, is none, however small the spread: a single I/O more or less makes as much in a short
/// run.
pub(super) const NO_CHANGE: f64 = 0.0005;
/// A smaller one of few runs, as a logarithm: the beginning and the end of a run alone move its figures by as much.
const LEAST_OF_ONE_RUN: f64 = 0.005;

/// What is said of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeVerdict {
    /// B is better: shown by repeats, or likely from single runs or few repeats.
    Improved(ChangeSurety),
    /// B is worse.
    Regressed(ChangeSurety),
    /// Neither is shown.
    NoDifference,
    /// There is no interval to judge by: more repeats are needed.
    Undecided,
    /// Why it cannot be compared, in words.
    NotComparable(String),
}

/// How sure a difference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeSurety {
    /// Shown by repeats: chance alone says so in at most 5 % of comparisons.
    Shown,
    /// By the spread within single runs, or by the law of few repeats: how far the next run would be off is not known.
    Likely,
}

impl ChangeVerdict {
    /// In words.
    #[must_use]
    pub const fn words(&self) -> &'static str {
        match self {
            Self::Improved(ChangeSurety::Shown) => "improved",
            Self::Improved(ChangeSurety::Likely) => "likely improved",
            Self::Regressed(ChangeSurety::Shown) => "regressed",
            Self::Regressed(ChangeSurety::Likely) => "likely regressed",
            Self::NoDifference => "no difference shown",
            Self::Undecided => "undecided",
            Self::NotComparable(_) => "not comparable",
        }
    }
}

/// By which rule the headline figures were judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyRule {
    /// One figure alone, or none.
    Alone,
    /// Holm's procedure.
    Holm,
    /// The largest t over rearranged repeats.
    MaxT,
}

impl FamilyRule {
    /// Its name in data.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Holm => "holm",
            Self::MaxT => "max-t",
        }
    }
}

/// A figure with its place among the headlines.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) evidence: ChangeEvidence,
    pub(super) headline: bool,
    /// The probability adjusted for its family; 1 where it was not judged.
    pub(super) adjusted: f64,
    /// How many times as large its statistic has to be as alone, for the sake of the others of its family.
    pub(super) stricter: f64,
    pub(super) verdict: ChangeVerdict,
}

/// What a family says of its figures, in their order.
struct Adjusted {
    rule: FamilyRule,
    probabilities: Vec<f64>,
    stricter: f64,
}

/// Judges all figures of a comparison, in their order; none is said surer than `surest`.
pub(super) fn judge(
    all: Vec<(ChangeEvidence, bool)>,
    surest: ChangeSurety,
    seed: u64,
) -> (Vec<Judged>, FamilyRule) {
    let mut judged: Vec<Judged> = all
        .into_iter()
        .map(|(evidence, headline)| Judged {
            evidence,
            headline,
            adjusted: 1.0,
            stricter: 1.0,
            verdict: ChangeVerdict::NoDifference,
        })
        .collect();
    let rule = family(&mut judged, &|j| j.headline, seed);
    let open = judged.iter().any(|j| j.headline && j.adjusted <= LEVEL);
    if open {
        family(&mut judged, &|j| !j.headline, seed);
    }
    for figure in &mut judged {
        figure.verdict = verdict(figure, surest);
    }
    (judged, rule)
}

/// Adjusts the figures of a family: those from repeats, and those that are likely at most, each for themselves.
fn family(judged: &mut [Judged], of: &dyn Fn(&Judged) -> bool, seed: u64) -> FamilyRule {
    let mut rule = FamilyRule::Alone;
    for firm in [true, false] {
        let is_in = |j: &&mut Judged| of(j) && j.evidence.basis.is_firm() == firm;
        let mut own: Vec<&mut Judged> = judged.iter_mut().filter(is_in).collect();
        let found = adjust(&own, firm, seed);
        if firm || rule == FamilyRule::Alone {
            rule = found.rule;
        }
        for (figure, p) in own.iter_mut().zip(found.probabilities) {
            figure.adjusted = p;
            figure.stricter = found.stricter;
        }
    }
    rule
}

fn adjust(own: &[&mut Judged], firm: bool, seed: u64) -> Adjusted {
    let alone: Vec<f64> = own.iter().map(|j| j.evidence.p).collect();
    if own.len() < 2 {
        return Adjusted {
            rule: FamilyRule::Alone,
            probabilities: alone,
            stricter: 1.0,
        };
    }
    let sizes = |j: &Judged| (j.evidence.values.0.len(), j.evidence.values.1.len());
    let first = own.first().map(|j| sizes(j));
    let equal = own.iter().all(|j| Some(sizes(j)) == first);
    let bases = own.first().map(|j| j.evidence.basis);
    let one_basis = own.iter().all(|j| Some(j.evidence.basis) == bases);
    // Repeats of one run of each are ranked as others are; only how far another run would be is not known of them.
    let is_ranked = firm || own.iter().all(|j| j.evidence.change.exact);
    if !is_ranked || !equal || !one_basis {
        return Adjusted {
            rule: FamilyRule::Holm,
            stricter: enough::of_several(alone.len()),
            probabilities: holm(&alone),
        };
    }
    let paired = bases == Some(super::change::ChangeBasis::Rounds);
    let sides: Vec<TwoSides> = own.iter().map(|j| j.evidence.values.clone()).collect();
    let found = max_t(&sides, paired, seed);
    Adjusted {
        rule: FamilyRule::MaxT,
        probabilities: found.adjusted,
        stricter: found.stricter,
    }
}

fn verdict(figure: &Judged, surest: ChangeSurety) -> ChangeVerdict {
    let evidence = &figure.evidence;
    let Some((low, high)) = evidence.change.within else {
        return ChangeVerdict::Undecided;
    };
    // Probability and interval are of two procedures: where they contradict each other, nothing is shown.
    let holds_zero = low <= 0.0 && high >= 0.0;
    if figure.adjusted > LEVEL || holds_zero || is_none(evidence) {
        return ChangeVerdict::NoDifference;
    }
    let surety = match is_firm(evidence) {
        true => surest,
        false => ChangeSurety::Likely,
    };
    if !is_firm(evidence) && evidence.change.value.abs() < LEAST_OF_ONE_RUN {
        return ChangeVerdict::NoDifference;
    }
    let rises = evidence.change.value > 0.0;
    match rises == evidence.kind.is_rate() {
        true => ChangeVerdict::Improved(surety),
        false => ChangeVerdict::Regressed(surety),
    }
}

/// Whether there are as many repeats on each side, or rounds, as a firm verdict takes.
fn is_firm(evidence: &ChangeEvidence) -> bool {
    let [a, b] = [&evidence.values.0, &evidence.values.1].map(Vec::len);
    evidence.basis.is_firm() && a.min(b) >= enough::least(evidence.basis.is_paired())
}

/// Whether a change is none, however small its spread.
pub(super) fn is_none(evidence: &ChangeEvidence) -> bool {
    evidence.change.value.abs() < NO_CHANGE
}

/// How many repeats on each side, or rounds, would show a change as large as the one that was seen; `None` where the spread
/// from run to run is not known. Where it was not shown, more than there are.
pub(super) fn enough_repeats(figure: &Judged) -> Option<u32> {
    let evidence = &figure.evidence;
    let (a, b) = (evidence.values.0.len(), evidence.values.1.len());
    let change = evidence.change.value;
    let paired = evidence.basis.is_paired();
    let known = a + b > 2 && change != 0.0;
    let enough =
        known.then(|| enough::enough(evidence.deviation, change, paired, figure.stricter))?;
    let there = u32::try_from(a.min(b)).unwrap_or(u32::MAX);
    Some(match figure.verdict {
        ChangeVerdict::NoDifference => enough.max(there.saturating_add(1)),
        _ => enough,
    })
}

/// The smallest change that would have been shown in most cases among the others of its family, as a logarithm.
pub(super) fn detectable(figure: &Judged) -> Option<f64> {
    let evidence = &figure.evidence;
    let alone = evidence.detectable?;
    let [a, b] = [&evidence.values.0, &evidence.values.1].map(|values| values.len() as f64);
    let few = match evidence.change.exact {
        true => enough::of_few(2.0 / (1.0 / a + 1.0 / b), evidence.basis.is_paired()),
        false => 1.0,
    };
    Some(alone * enough::among_others(figure.stricter, few))
}

/// Whether a figure is a headline of its row: the rate, and p99, or the mean where there is no p99. The mean too where the
/// rate may be the one that was asked for: of a fixed depth it says the same as the rate (Little), at a fixed rate nothing
/// else does.
pub(super) fn is_headline(kind: FigureKind, kinds: &[FigureKind], may_be_paced: bool) -> bool {
    let p99 = FigureKind::percentile(99.0);
    let mean = may_be_paced || !kinds.contains(&p99);
    kind.is_rate() || kind == p99 || kind == FigureKind::Mean && mean
}
