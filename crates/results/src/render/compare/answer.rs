//! What a comparison comes to, in sentences; and one line for each condition.
//!
//! Belongs here: the answer in words. Must never: lay out a table.

use super::table::{DOUBLING, change, change_parts, least, signed, value};
use crate::compare::{
    AssertState, Asserted, ChangeBasis, ChangeSurety, ChangeVerdict, ComparedFigure, ComparedRow,
    ComparedSide, Comparison, ConditionCheck, ConditionState, CurveCrossing, LoneRow, Property,
    PropertyDifference,
};
use crate::words::{thousands, trim_to};
use leadline_model::condition::FigureKind;
use leadline_model::units::{Bytes, Nanos};

/// Most figures that a sentence names.
const MOST: usize = 3;

/// The answer first, then what has to be known with it.
#[must_use]
pub fn sentences(comparison: &Comparison) -> Vec<String> {
    said(comparison, ["A", "B"], true)
}

/// The same where what differs has a table of its own: the sides go by their names, as there may be more than two.
pub(crate) fn sentences_beside_differences(comparison: &Comparison) -> Vec<String> {
    let [a, b] = &comparison.sides;
    said(comparison, [&a.name, &b.name], false)
}

/// What the two sides are called in sentences.
type Names<'a> = [&'a str; 2];

fn said(comparison: &Comparison, names: Names<'_>, differences: bool) -> Vec<String> {
    let mut all = vec![answer(comparison, names)];
    // What may be the reason of all comes before what the verdicts rest on.
    if differences && !comparison.notes.is_empty() {
        all.push(format!("Different: {}.", list(&comparison.notes, names)));
    }
    all.extend(basis(comparison));
    // Curves of one volume cross by chance, as half of the draws do.
    let crossings = comparison.crossings.iter().filter(|c| c.share >= 0.9);
    all.extend(crossings.map(|of| crossing(of, names)));
    for (name, side) in names.into_iter().zip(&comparison.sides) {
        let doubts = side.doubts.iter();
        all.extend(doubts.map(|doubt| format!("Doubt about {name}: {doubt}.")));
    }
    all.extend(overlaps(comparison, names));
    all.extend(apart(comparison, names));
    all.extend(confirmed(comparison, names));
    all.extend(without_histogram(comparison, names));
    for (name, only) in names.into_iter().zip(&comparison.only) {
        all.extend(only_in(name, only));
    }
    all.extend(enough(comparison));
    all
}

/// More repeats than these are not worth naming.
const REASONABLE: u32 = 1000;

/// How many repeats would show changes as large as those that were seen and are not shown: of the headline figures that
/// need the fewest.
fn enough(comparison: &Comparison) -> Option<String> {
    let rows = comparison.rows.iter();
    let figures = rows.flat_map(|row| row.figures.iter().map(move |figure| (row, figure)));
    let open = figures
        .filter(|(_, figure)| figure.headline && figure.verdict == ChangeVerdict::NoDifference);
    let mut known: Vec<(u32, NamedFigure<'_>)> =
        open.filter_map(|one| Some((one.1.enough?, one))).collect();
    known.sort_by_key(|(enough, _)| *enough);
    let (_, (_, first)) = known.first()?;
    let what = match first.basis {
        ChangeBasis::Rounds => "rounds",
        _ => "repeats of each",
    };
    let reasonable = known.iter().filter(|(enough, _)| *enough < REASONABLE);
    let named: Vec<String> = reasonable
        .take(MOST)
        .map(|(enough, (row, figure))| {
            let seen = change_parts(figure).0;
            format!(
                "about {enough} for {} of {} ({seen})",
                kind(figure),
                row.called()
            )
        })
        .collect();
    let shown = "Where no difference is shown, to show one as large as was measured takes";
    Some(match named.is_empty() {
        true => format!("{shown} {} {what} or more.", thousands(REASONABLE.into())),
        false => format!("{shown}, in {what}: {}.", named.join("; ")),
    })
}

/// Most rows of one side only that are named; `--json` has all.
const MOST_NAMED: usize = 6;

/// What only one side has, if there is something.
fn only_in(side: &str, rows: &[LoneRow]) -> Option<String> {
    let mut names: Vec<String> = rows.iter().map(LoneRow::called).collect();
    let more = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    // Names of rows have commas.
    let named = names.join("; ");
    match (names.as_slice(), more) {
        ([], _) => None,
        (_, 0) => Some(format!("Only in {side}: {named}.")),
        (_, n) => Some(format!("Only in {side}: {named}; and {n} more.")),
    }
}

/// Which rows have the figures of the run that confirms them.
fn confirmed(comparison: &Comparison, names: Names<'_>) -> Option<String> {
    let [one, other] = &comparison.sides;
    // Names of points have commas.
    let of = |side: &ComparedSide| side.confirmed.join("; ");
    let sides = match one.confirmed == other.confirmed {
        true => vec![("both", of(one))],
        false => vec![(names[0], of(one)), (names[1], of(other))],
    };
    let sides = sides.iter().filter(|(_, points)| !points.is_empty());
    let words: Vec<String> = sides
        .map(|(name, points)| format!("In {name}: {points}."))
        .collect();
    let said = match one.confirmed.len().max(other.confirmed.len()) {
        1 => {
            "The best point of a run was measured once more to confirm it; its figures here are those of that run."
        }
        _ => {
            "The best points of a run were measured once more to confirm them; their figures here are those of these runs."
        }
    };
    (!words.is_empty()).then(|| format!("{said} {}", words.join(" ")))
}

/// Of which time the rates of rows are whose jobs did not all start and end together: rows of one time in one sentence.
fn overlaps(comparison: &Comparison, [a, b]: Names<'_>) -> Vec<String> {
    by_time(comparison, |row| row.overlap, [a, b])
        .into_iter()
        .map(|(time, rows)| {
            format!(
                "Rates of {rows} cover the time in which all of their jobs ran {time}, their latencies all I/Os."
            )
        })
        .collect()
}

/// Of which time the rates of rows are of whose jobs not all ran at any one time.
fn apart(comparison: &Comparison, names: Names<'_>) -> Vec<String> {
    by_time(comparison, |row| row.apart, names)
        .into_iter()
        .map(|(time, rows)| {
            format!(
                "Not all jobs of {rows} ran at the same time: rates cover the time from the first start to the last \
                 end {time}."
            )
        })
        .collect()
}

/// Rows that have such a time on either side, with it and on which side: those of one time together, the first of them named.
fn by_time(
    comparison: &Comparison,
    of: fn(&ComparedRow) -> [Option<Nanos>; 2],
    [a, b]: Names<'_>,
) -> Vec<(String, String)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for row in &comparison.rows {
        // A side whose rates are of all of its time has no such one.
        let time = match of(row).map(|span| span.map(|span| span.to_string())) {
            [Some(one), Some(other)] if one == other => format!("({one})"),
            [Some(one), Some(other)] => format!("({one} of {a}, {other} of {b})"),
            [Some(one), None] => format!("({one}; of {a} only)"),
            [None, Some(other)] => format!("({other}; of {b} only)"),
            [None, None] => continue,
        };
        match all.iter_mut().find(|known| known.0 == time) {
            Some((_, names)) => names.push(row.called()),
            None => all.push((time, vec![row.called()])),
        }
    }
    let named = |(time, rows): (String, Vec<String>)| {
        let rest = match rows.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let rows: Vec<String> = rows.into_iter().take(MOST_NAMED).collect();
        (time, format!("{}{rest}", rows.join("; ")))
    };
    all.into_iter().map(named).collect()
}

/// Which side has results without a histogram.
fn without_histogram(comparison: &Comparison, [a, b]: Names<'_>) -> Option<String> {
    let count = |at: usize| comparison.sides[at].without_histogram.len();
    let whose = match (count(0), count(1)) {
        (0, 0) => return None,
        (_, 0) => format!("{a} has results"),
        (0, _) => format!("{b} has results"),
        _ => format!("{a} and {b} have results"),
    };
    Some(format!(
        "{whose} without a histogram that is fine enough for percentiles: only the percentiles that they report can be compared."
    ))
}

fn list(differences: &[PropertyDifference], names: Names<'_>) -> String {
    let each = differences.iter().map(|one| one.words_of(names));
    let words: Vec<String> = each.collect();
    words.join("; ")
}

/// A headline figure with its row.
type NamedFigure<'a> = (&'a ComparedRow, &'a ComparedFigure);

fn answer(comparison: &Comparison, names: Names<'_>) -> String {
    let b = names[1];
    let each = comparison.rows.iter().flat_map(|row| {
        let own = row.figures.iter().filter(|f| f.headline);
        own.map(move |figure| (row, figure))
    });
    let headlines: Vec<NamedFigure<'_>> = each.collect();
    let is = |regressed: bool| {
        let of = move |(_, figure): &&NamedFigure<'_>| match figure.verdict {
            ChangeVerdict::Regressed(_) => regressed,
            ChangeVerdict::Improved(_) => !regressed,
            _ => false,
        };
        headlines.iter().filter(of).copied().collect::<Vec<_>>()
    };
    let (worse, better) = (is(true), is(false));
    let all = headlines.len();
    let deciding = deciding(&headlines);
    let parts = [(worse, "worse"), (better, "better")];
    let said = parts.iter().filter(|part| !part.0.is_empty());
    let said: Vec<String> = said
        .map(|(figures, how)| {
            let surety = surety(figures);
            let of_all = match figures.len() {
                n if n <= MOST => String::new(),
                n if n == all => {
                    format!(" in all {all} figures that decide ({deciding}), most of all")
                }
                n => format!(" in {n} of {all} figures that decide ({deciding}), most of all"),
            };
            format!("{surety}{how}{of_all}: {}", named(figures))
        })
        .collect();
    match said.as_slice() {
        [] => nothing(comparison, &headlines, names),
        said => format!("{b} is {}.", said.join("; and ")),
    }
}

/// Which figures of each row the answer counts; tables have more of them.
fn deciding(headlines: &[NamedFigure<'_>]) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for kind in headlines.iter().map(|(_, figure)| figure.kind) {
        let name = called(kind);
        if !kinds.contains(&name) {
            kinds.push(name);
        }
    }
    match kinds.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => kinds.concat(),
    }
}

fn surety(figures: &[NamedFigure<'_>]) -> &'static str {
    let shown = |(_, figure): &NamedFigure<'_>| {
        matches!(
            figure.verdict,
            ChangeVerdict::Improved(ChangeSurety::Shown)
                | ChangeVerdict::Regressed(ChangeSurety::Shown)
        )
    };
    if figures.iter().any(shown) {
        ""
    } else {
        "likely "
    }
}

/// The largest changes first.
fn named(figures: &[NamedFigure<'_>]) -> String {
    let size = |figure: &ComparedFigure| {
        let percent = figure.change.map_or(0.0, |change| change.percent);
        (percent / 100.0).ln_1p().abs()
    };
    let mut sorted = figures.to_vec();
    sorted.sort_by(|a, b| size(b.1).total_cmp(&size(a.1)));
    let one = |(row, figure): &NamedFigure<'_>| {
        format!("{} of {} {}", kind(figure), row.called(), change(figure))
    };
    let words: Vec<String> = sorted.iter().take(MOST).map(one).collect();
    words.join("; ")
}

/// What a figure is called in a sentence.
fn kind(figure: &ComparedFigure) -> String {
    called(figure.kind)
}

/// What a figure is called in a sentence.
fn called(kind: FigureKind) -> String {
    match kind {
        FigureKind::Iops => "IOPS".to_owned(),
        kind => kind.to_string(),
    }
}

fn nothing(comparison: &Comparison, headlines: &[NamedFigure<'_>], [a, b]: Names<'_>) -> String {
    if comparison.rows.is_empty() {
        return format!("{a} and {b} have no row in common.");
    }
    if headlines.is_empty() {
        let unlike = comparison.rows.iter().find(|row| !row.unlike.is_empty());
        return match unlike {
            Some(row) => {
                let why = list(&row.unlike, [a, b]);
                format!("{a} and {b} are not comparable: {why}.")
            }
            None => format!("{a} and {b} have no figure that can be compared."),
        };
    }
    if headlines
        .iter()
        .all(|h| h.1.verdict == ChangeVerdict::Undecided)
    {
        return "Undecided: there are single values only, without a spread to judge by.".to_owned();
    }
    let rates = headlines.iter().filter(|h| h.1.kind.is_rate());
    let most = rates.filter_map(|h| h.1.detectable.map(|d| (d, h.1.kind)));
    match most.max_by(|x, y| x.0.total_cmp(&y.0)) {
        // Values without any spread.
        Some((percent, _)) if percent.abs() < 0.05 => "No difference is shown.".to_owned(),
        Some((percent, kind)) if percent >= DOUBLING => format!(
            "No difference is shown. Values of {} vary so much that even a doubling would not have been shown: more \
             repeats or longer points would show smaller changes.",
            called(kind)
        ),
        Some((percent, kind)) => format!(
            "No difference is shown. A change of {} % in {} would have been shown in four of five cases.",
            least(percent),
            called(kind)
        ),
        None => "No difference is shown.".to_owned(),
    }
}

/// What the verdicts rest on, where that is not repeats of both.
fn basis(comparison: &Comparison) -> Option<String> {
    let figures = || comparison.rows.iter().flat_map(|row| &row.figures);
    let has = |basis| figures().any(|f| f.basis == basis && f.change.is_some());
    if has(ChangeBasis::Rounds) || has(ChangeBasis::Repeats) {
        return None;
    }
    if has(ChangeBasis::RepeatsOfOneRun) {
        let words = "One run of each, with repeats inside: how far another run would be from them is not known, so verdicts \
                     are \"likely\" at most. For a firm verdict run each side four times, or both in six rounds.";
        return Some(words.to_owned());
    }
    if has(ChangeBasis::FewRounds) {
        let words = "Few rounds: intervals are Student's, and verdicts \"likely\" at most. Six rounds make a firm verdict.";
        return Some(words.to_owned());
    }
    if has(ChangeBasis::FewRepeats) {
        let words = "Few repeats: intervals are Student's, and verdicts \"likely\" at most. For a firm verdict run each side \
                     four times, or both in six rounds.";
        return Some(words.to_owned());
    }
    (has(ChangeBasis::SingleRuns) || has(ChangeBasis::Values)).then(|| {
        "One run of each: how far the next one would be is not known, so verdicts are \"likely\" at most. For a firm verdict \
         run each side four times, or both in six rounds."
            .to_owned()
    })
}

/// A crossing, and of several curves over one setting which one it is of.
fn crossing(of: &CurveCrossing, [a, b]: Names<'_>) -> String {
    let which = match of.apart.is_empty() {
        true => String::new(),
        false => format!(" at {}", of.apart.join(", ")),
    };
    let (below, above) = if of.b_leads_below { (b, a) } else { (a, b) };
    let number = |x: f64| match of.property {
        Property::Mix => format!("{} %", trim_to(x, 1)),
        Property::BlockSize | Property::Size => Bytes(crate::words::whole(x)).to_string(),
        _ if x >= 1000.0 => crate::words::about(x),
        _ => trim_to(x, 1),
    };
    let doubt = if of.share < 0.975 {
        format!(
            " It is not certain that they cross: {:.0} % of draws do.",
            of.share * 100.0
        )
    } else {
        String::new()
    };
    let name = of.property.title();
    let (at, low, high) = (number(of.at), number(of.within.0), number(of.within.1));
    // `8 to 8` says less than nothing: where it lies is known better than it is written.
    let within = match low == high {
        true => "95 %: the same to its last digit".to_owned(),
        false => format!("95 %: {low} to {high}"),
    };
    let of_both = match of.interpolated {
        true => {
            " They were measured at different settings: each was interpolated at those of the other."
        }
        false => "",
    };
    format!(
        "{} {}{which}: {below} is higher up to {name} {}, {above} from {} on; by interpolation they cross at {at} ({within}).{doubt}{of_both}",
        of.op,
        of.kind,
        number(of.between.0),
        number(of.between.1),
    )
}

/// A condition on a comparison with what became of it: `failed: iops<-3% of a read: -10.0 % (95 %: -11.9 to -8.1 %)`.
#[must_use]
pub fn check_line(check: &ConditionCheck) -> String {
    let row = match check.row.as_str() {
        "" => String::new(),
        row => format!(" of {row}"),
    };
    let change = check.change.map_or_else(String::new, |(value, low, high)| {
        let (value, low, high) = (signed(value), signed(low), signed(high));
        format!(": {value} % (95 %: {low} to {high} %)")
    });
    let more = check.enough.map_or_else(String::new, |n| match n {
        n if n >= 1000 => "; more repeats than is reasonable would decide".to_owned(),
        n => format!("; about {n} repeats would decide"),
    });
    let state = match &check.state {
        ConditionState::Met => "failed",
        ConditionState::NotMet => "passed",
        ConditionState::Open => "undecided",
        ConditionState::Unchecked(why) => {
            return format!("not checked: {}{row}: {why}", check.text);
        }
    };
    format!("{state}: {}{row}{change}{more}", check.text)
}

/// A limit with what became of it: `broken: p99<2ms of a read: 3.10 ms (95 %: 2.90 ms to 3.40 ms)`.
#[must_use]
pub fn asserted_line(asserted: &Asserted) -> String {
    let text = &asserted.condition.text;
    let row = match asserted.row.as_str() {
        "" => String::new(),
        row => format!(" of {row}"),
    };
    let figure = asserted.figure.as_ref().map_or_else(String::new, |figure| {
        let at_least = if figure.at_least { ">= " } else { "" };
        let own = value(figure.kind, figure.value);
        let end = |end: Option<f64>, none: &str| {
            end.map_or_else(|| none.to_owned(), |x| value(figure.kind, x))
        };
        let within = match (figure.low, figure.high) {
            (None, None) => ", without an interval".to_owned(),
            (low, high) => format!(" (95 %: {} to {})", end(low, "-"), end(high, "unknown")),
        };
        format!(": {at_least}{own}{within}")
    });
    let state = match &asserted.state {
        AssertState::Kept | AssertState::KeptByValue => "kept",
        AssertState::Broken | AssertState::BrokenByValue => "broken",
        AssertState::Open => "undecided",
        AssertState::Missing(why) => return format!("not checked: {text}{row}: {why}"),
    };
    format!("{state}: {text}{row}{figure}")
}
