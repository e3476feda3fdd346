//! What differs between the states of the system that a study was measured in.
//!
//! Belongs here: each state against the first, by the comparison of results, as part of the study's answer. Must never:
//! judge a difference (that is `compare`), or what a study means in one state (that is `study`).

mod credits;

use crate::compare::{
    ChangeVerdict, CompareOptions, CompareSide, ComparedFigure, ComparedRow, Comparison,
    PercentChange, RowName, Subject, SubjectFigure, SubjectRow, compare,
};
use crate::run::Run;
use crate::stats::{Interval, over_all};
use crate::study::studies::answer::{Answer, AnswerCell, AnswerTable, AnswerUnit, Column};
use crate::study::studies::{self, LimitBounds, Measured};
use crate::summary::{OpFigures, Summary};
use crate::words::{about, trim_to};
use leadline_model::condition::FigureKind;
use leadline_model::plan::study::Study;

/// The answer of a run that is a study, with what differs between its states; `summary` is the run's.
#[must_use]
pub fn answer_of(run: &Run, summary: &Summary) -> Option<Answer> {
    studies::answer_of(run, summary, |study, answer| {
        if study.arms.len() > 1 {
            add(run, summary, study, answer);
        }
    })
}

/// Fewer rounds in which all states were measured have no interval of ranks.
const ROUNDS: u32 = 6;

/// A state and its comparison with the first.
struct Against {
    side: CompareSide,
    found: Comparison,
}

fn add(run: &Run, summary: &Summary, study: &Study, answer: &mut Answer) {
    let subject = Subject::of_summary("", "", run, summary);
    let mut sides = CompareSide::arms(&subject).into_iter();
    let Some(first) = sides.next() else {
        return;
    };
    let others: Vec<Against> = sides
        .map(|side| Against {
            found: compare(&first, &side, &CompareOptions::default()),
            side,
        })
        .collect();
    let said: Vec<String> = others.iter().map(|o| sentence(&first.name, o)).collect();
    answer.sentences.splice(0..0, said);
    let done = Measured::all(run, summary);
    let limits = Limits::of(study, &done);
    let credits = studies::credits_by_state(study, &done);
    if study.repeats < ROUNDS {
        let so_far = match study.repeats {
            1 => "one round".to_owned(),
            several => format!("{several} rounds"),
        };
        let few = format!(
            "After {so_far}, a difference is called likely at most; {ROUNDS} repeats can show one."
        );
        answer.sentences.insert(others.len(), few);
    }
    let headline: Vec<String> = limits.iter().map(Limits::words).collect();
    answer.sentences.splice(0..0, headline);
    answer.sentences.splice(0..0, credits::words(&credits));
    let prefix = format!("{}/", study.question.name());
    for kind in kinds(&others).into_iter().rev() {
        answer
            .tables
            .insert(0, table(summary, (&first, &others), kind, &prefix));
    }
    if !limits.is_empty() {
        answer.tables.insert(0, table_of_limits(&limits));
    }
    if let Some(table) = credits::table(&credits) {
        answer.tables.insert(0, table);
    }
    if let [only] = limits.as_slice() {
        let change = only.change().map_or(AnswerCell::None, |(low, high)| {
            AnswerCell::Within(Interval {
                value: f64::midpoint(low, high),
                low,
                high,
                settled: true,
            })
        });
        answer.value("limit_change", change, AnswerUnit::Share);
    }
    if let [Against { found, .. }] = others.as_slice()
        && let [row] = found.rows.as_slice()
    {
        add_changes(row, answer);
    }
}

/// The changes of a single point, as values.
fn add_changes(row: &ComparedRow, answer: &mut Answer) {
    for (name, figure) in [
        ("rate_change", rate(row)),
        ("p50_change", percentile(row, 50.0)),
        ("p99_change", percentile(row, 99.0)),
    ] {
        let change = figure.and_then(|f| f.change);
        let cell = change.map_or(AnswerCell::None, |change| {
            let (low, high) = change.within.unwrap_or((change.percent, change.percent));
            AnswerCell::Within(Interval {
                value: change.percent / 100.0,
                low: low / 100.0,
                high: high / 100.0,
                settled: change.within.is_some(),
            })
        });
        answer.value(name, cell, AnswerUnit::Share);
    }
}

/// The bounds of a kind of load in a state, and those in the first one.
struct Limits {
    /// The states by name: the first, and the one that is compared with it.
    states: [String; 2],
    bounds: [LimitBounds; 2],
}

impl Limits {
    /// Of each state but the first, of a study that asks for a limit.
    fn of(study: &Study, done: &[Measured]) -> Vec<Self> {
        let each = studies::limits_by_state(study, done);
        let Some((first, others)) = each.split_first() else {
            return Vec::new();
        };
        let pairs = others.iter().flat_map(|(name, own)| {
            own.iter().filter_map(|bounds| {
                let same = first.1.iter().find(|b| b.load == bounds.load)?;
                Some(Self {
                    states: [first.0.clone(), name.clone()],
                    bounds: [same.clone(), bounds.clone()],
                })
            })
        });
        pairs.collect()
    }

    /// Between which shares the limit changes: from its lower bound to the first state's upper one, and the other way
    /// round; `None` where a bound is missing.
    fn change(&self) -> Option<(f64, f64)> {
        let [first, own] = &self.bounds;
        let low = own.passed? / first.failed?.max(1e-9) - 1.0;
        let high = own.failed? / first.passed?.max(1e-9) - 1.0;
        Some((low, high))
    }

    fn verdict(&self) -> &'static str {
        let [first, own] = &self.bounds;
        let is_above = |a: &LimitBounds, b: &LimitBounds| {
            let ends = a.passed.zip(b.failed);
            ends.is_some_and(|(passed, failed)| passed >= failed)
        };
        match (is_above(own, first), is_above(first, own)) {
            (true, _) => "higher",
            (_, true) => "lower",
            _ if self.change().is_none() => "not known: a bound was not found",
            _ => "no difference shown: the bounds overlap",
        }
    }

    fn words(&self) -> String {
        let [first, own] = &self.bounds;
        let change = self.change().map_or(String::new(), |(low, high)| {
            format!(" ({} to {} %)", signed(100.0 * low), signed(100.0 * high))
        });
        format!(
            "{} against {}, {}: the limit is {} against {}: {}{change}.",
            self.states[1],
            self.states[0],
            own.load,
            bounds_words(own),
            bounds_words(first),
            self.verdict(),
        )
    }

    fn rows(&self) -> [Vec<AnswerCell>; 2] {
        let number = |n: Option<f64>| n.map_or(AnswerCell::None, AnswerCell::Number);
        let change = self.change();
        let row = |at: usize| {
            let bounds = &self.bounds[at];
            let mut row = vec![
                AnswerCell::text(&bounds.load),
                AnswerCell::text(&self.states[at]),
                number(bounds.passed),
                number(bounds.failed),
            ];
            let is_first = at == 0;
            let end = |end: Option<f64>| number(end.filter(|_| !is_first));
            row.extend([
                end(change.map(|c| c.0)),
                end(change.map(|c| c.1)),
                match is_first {
                    true => AnswerCell::None,
                    false => AnswerCell::text(self.verdict()),
                },
            ]);
            row
        };
        [row(0), row(1)]
    }
}

/// `between 527 and 575 IOPS`.
fn bounds_words(bounds: &LimitBounds) -> String {
    match (bounds.passed, bounds.failed) {
        (Some(passed), Some(failed)) => {
            format!("between {} and {} IOPS", about(passed), about(failed))
        }
        (Some(passed), None) => format!("at least {} IOPS", about(passed)),
        (None, Some(failed)) => format!("below {} IOPS", about(failed)),
        (None, None) => "not known".to_owned(),
    }
}

/// The bounds in all states.
fn table_of_limits(limits: &[Limits]) -> AnswerTable {
    let mut rows: Vec<Vec<AnswerCell>> = Vec::new();
    for row in limits.iter().flat_map(Limits::rows) {
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    AnswerTable {
        title: "Highest rate that meets the target, in each state".to_owned(),
        rows,
        columns: vec![
            Column::new("load", AnswerUnit::Text),
            Column::new("state", AnswerUnit::Text),
            Column::new("passed", AnswerUnit::Iops),
            Column::new("failed", AnswerUnit::Iops),
            Column::new("change from", AnswerUnit::Share),
            Column::new("to", AnswerUnit::Share),
            Column::new("verdict", AnswerUnit::Text),
        ],
    }
}

fn rate(row: &ComparedRow) -> Option<&ComparedFigure> {
    row.figures.iter().find(|figure| figure.kind.is_rate())
}

fn percentile(row: &ComparedRow, percent: f64) -> Option<&ComparedFigure> {
    let kind = FigureKind::percentile(percent);
    row.figures.iter().find(|figure| figure.kind == kind)
}

/// The figures that are shown, of those that were compared: rates first.
fn kinds(others: &[Against]) -> Vec<FigureKind> {
    let rows = || others.iter().flat_map(|other| &other.found.rows);
    let all = [
        FigureKind::Iops,
        FigureKind::BytesPerS,
        FigureKind::percentile(50.0),
        FigureKind::percentile(99.0),
    ];
    let has = |kind: &FigureKind| rows().any(|row| row.figures.iter().any(|f| f.kind == *kind));
    all.into_iter().filter(has).collect()
}

/// One state against the first, in words.
fn sentence(first: &str, other: &Against) -> String {
    let rows = &other.found.rows;
    let of = |pick: &dyn Fn(&ComparedRow) -> Option<&ComparedFigure>| {
        let figures: Vec<&ComparedFigure> = rows.iter().filter_map(pick).collect();
        let name = figure_name(figures.first()?.kind);
        Some(format!("{name} {}", figures_words(&figures)))
    };
    let parts = [
        of(&rate),
        of(&|row| percentile(row, 50.0)),
        of(&|row| percentile(row, 99.0)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let name = &other.side.name;
    match parts.is_empty() {
        true => format!("{name} against {first}: no point was measured in both."),
        false => format!("{name} against {first}: {}.", parts.join("; ")),
    }
}

/// The changes of one figure at all points.
fn figures_words(figures: &[&ComparedFigure]) -> String {
    if let [one] = figures {
        let change = one.change.map_or(String::new(), |change| {
            let within = change.within.map_or(String::new(), |(low, high)| {
                format!(" ({} to {} %)", signed(low), signed(high))
            });
            format!("{} %{within}, ", signed(change.percent))
        });
        return format!("{change}{}", one.verdict_words());
    }
    let mut verdicts: Vec<&str> = Vec::new();
    for figure in figures {
        if !verdicts.contains(&figure.verdict_words()) {
            verdicts.push(figure.verdict_words());
        }
    }
    let said = verdicts.into_iter().map(|verdict| {
        let own = figures.iter().filter(|f| f.verdict_words() == verdict);
        let by = range_words(own.clone().filter_map(|f| f.change));
        format!(
            "{verdict} at {} of {} points{by}",
            own.count(),
            figures.len()
        )
    });
    said.collect::<Vec<_>>().join(", ")
}

/// From the least to the largest of several changes, and the ends of all of their intervals where these lie further out.
fn range_words(changes: impl Iterator<Item = PercentChange> + Clone) -> String {
    let ends = |of: fn(&PercentChange) -> (f64, f64)| {
        let each = changes.clone().map(|change| of(&change));
        let both = each.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        both.map(|(low, high)| match (signed(low), signed(high)) {
            (low, high) if low == high => low,
            (low, high) => format!("{low} to {high}"),
        })
    };
    let values = ends(|change| (change.percent, change.percent));
    let within = ends(|change| change.within.unwrap_or((change.percent, change.percent)));
    match (values, within) {
        (Some(values), Some(within)) if values == within => format!(" ({values} %)"),
        (Some(values), Some(within)) => format!(" ({values} %; 95 %: {within} %)"),
        _ => String::new(),
    }
}

fn figure_name(kind: FigureKind) -> String {
    match kind {
        FigureKind::Iops => "IOPS".to_owned(),
        FigureKind::BytesPerS => "throughput".to_owned(),
        other => other.to_string(),
    }
}

fn signed(percent: f64) -> String {
    let plus = if percent > 0.0 { "+" } else { "" };
    format!("{plus}{}", trim_to(percent, 1))
}

/// One figure of all points in all states, and its change from the first state.
fn table(
    summary: &Summary,
    (first, others): (&CompareSide, &[Against]),
    kind: FigureKind,
    prefix: &str,
) -> AnswerTable {
    let (name, unit) = match kind {
        FigureKind::Iops => ("iops".to_owned(), AnswerUnit::Iops),
        FigureKind::BytesPerS => ("throughput".to_owned(), AnswerUnit::BytesPerS),
        kind => (kind.to_string(), AnswerUnit::Nanos),
    };
    let mut points: Vec<&ComparedRow> = Vec::new();
    for row in others.iter().flat_map(|other| &other.found.rows) {
        let has_it = row.figures.iter().any(|figure| figure.kind == kind);
        if has_it && !points.iter().any(|known| known.name == row.name) {
            points.push(row);
        }
    }
    let mut rows = Vec::new();
    for point in points {
        let (name, label) = (&point.name, point.called());
        let label = AnswerCell::text(label.strip_prefix(prefix).unwrap_or(&label));
        let start = |side: &CompareSide, of: &RowName| {
            [
                label.clone(),
                AnswerCell::text(&side.name),
                value(summary, side, of, kind),
            ]
        };
        let mut row = Vec::from(start(first, name));
        row.resize(7, AnswerCell::None);
        rows.push(row);
        for other in others {
            let Some(found) = other.found.rows.iter().find(|row| row.name == *name) else {
                continue;
            };
            let mut row = Vec::from(start(&other.side, found.other.as_ref().unwrap_or(name)));
            row.extend(change(found, kind));
            rows.push(row);
        }
    }
    AnswerTable {
        title: format!("Difference of {} from {}", figure_name(kind), first.name),
        rows,
        columns: vec![
            Column::new("point", AnswerUnit::Text),
            Column::new("state", AnswerUnit::Text),
            Column::new(&name, unit),
            Column::new("change", AnswerUnit::Share),
            Column::new("from", AnswerUnit::Share),
            Column::new("to", AnswerUnit::Share),
            Column::new("verdict", AnswerUnit::Text),
        ],
    }
}

/// The change of a figure, the ends of its interval, and the verdict.
fn change(row: &ComparedRow, kind: FigureKind) -> [AnswerCell; 4] {
    let Some(figure) = row.figures.iter().find(|figure| figure.kind == kind) else {
        return Default::default();
    };
    let share = |percent: f64| AnswerCell::Number(percent / 100.0);
    let within = figure.change.and_then(|change| change.within);
    [
        figure.change.map_or(AnswerCell::None, |c| share(c.percent)),
        within.map_or(AnswerCell::None, |(low, _)| share(low)),
        within.map_or(AnswerCell::None, |(_, high)| share(high)),
        AnswerCell::text(match &figure.verdict {
            ChangeVerdict::NotComparable(why) => why,
            _ => figure.verdict_words(),
        }),
    ]
}

/// A figure of a point in one state, over all its repeats: with the interval that it has in the other tables of the answer.
fn value(summary: &Summary, side: &CompareSide, name: &RowName, kind: FigureKind) -> AnswerCell {
    let rows = side.subjects.iter().flat_map(|subject| &subject.rows);
    let own = rows.filter(|row| row.name() == *name);
    let figures = own.filter_map(|row| {
        let figure = row.figure_of(kind)?;
        Some((figure, within(summary, row, &figure)))
    });
    let figures: Vec<(SubjectFigure, Interval)> = figures.collect();
    match figures.as_slice() {
        [] => AnswerCell::None,
        [(one, _)] if one.at_least => AnswerCell::AtLeast(one.value),
        [(one, _)] if one.low.is_none() || one.high.is_none() => AnswerCell::Number(one.value),
        several => {
            let each: Vec<Interval> = several.iter().map(|(_, within)| *within).collect();
            AnswerCell::Within(over_all(&each))
        }
    }
}

/// The interval of a figure of a row; the value alone where there is none.
fn within(summary: &Summary, row: &SubjectRow, figure: &SubjectFigure) -> Interval {
    match (figure.low, figure.high) {
        (Some(low), Some(high)) => Interval {
            value: figure.value,
            low,
            high,
            settled: measured(summary, row).is_some_and(|of| is_settled(of, figure.kind)),
        },
        _ => Interval::only(figure.value),
    }
}

/// The figures that a row has: those of its stage, or of the workload whose rate it has.
fn measured<'s>(summary: &'s Summary, row: &SubjectRow) -> Option<&'s OpFigures> {
    let mut stages = summary.stages.iter();
    let stage = stages.find(|stage| stage.stage == row.stage_number)?;
    let workloads = stage.workloads.iter().map(|own| &own.figures);
    let each = std::iter::once(&stage.figures).chain(workloads);
    let mut own = each.filter_map(|figures| match row.op {
        Some(op) => figures.op(op),
        None => Some(&figures.data),
    });
    let rate = row.figure(FigureKind::Iops).map(|rate| rate.value);
    own.find(|of| Some(of.iops) == rate)
}

/// Whether the time series was long enough for the interval of a figure.
fn is_settled(of: &OpFigures, kind: FigureKind) -> bool {
    let interval = match kind {
        FigureKind::Iops => of.certainty.iops,
        FigureKind::BytesPerS => of.certainty.bytes_per_s,
        FigureKind::Mean => of.response_mean(),
        FigureKind::Percentile(percent) => {
            let percentile = of.response_at(percent.of_100());
            return percentile.and_then(|p| p.settled).unwrap_or(false);
        }
        FigureKind::Max => None,
    };
    interval.is_some_and(|interval| interval.settled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::op::Op;
    use leadline_model::plan::access::OpMix;
    use leadline_model::plan::study::{Axis, Coordinate, Role};
    use leadline_model::plan::{Plan, StudyPoint};

    /// Repeats of one point in one state, each with its I/Os in ten seconds.
    fn repeats(ios: &[u64]) -> Run {
        let workload = || fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let stages = ios.iter().map(|_| ("p", vec![workload()])).collect();
        let mut plan: Plan = fixture::plan(stages);
        for (stage, repeat) in plan.stages.iter_mut().zip(1_u32..) {
            stage.name = format!("iops/p-one-r{repeat}");
            let at = [
                (Axis::Arm, Coordinate::Text("one".to_owned())),
                (Axis::Repeat, Coordinate::Number(f64::from(repeat))),
            ];
            stage.point = Some(StudyPoint {
                role: Role::Point,
                at: at.into(),
            });
        }
        let load = |ios: &u64| vec![Load::simple(Op::Read, *ios, 4096, 100_000, 10)];
        let loads: Vec<Vec<Load>> = ios.iter().map(load).collect();
        fixture::run_of(&fixture::events_of(plan, &loads))
    }

    /// Also of repeats that do not agree, which are settled nowhere.
    #[test]
    fn a_point_has_one_interval_in_all_tables() {
        for ios in [&[8000][..], &[8000, 7000], &[8000, 7900, 7000]] {
            let run = repeats(ios);
            let summary = summarize(&run);
            let subject = Subject::of_summary("", "", &run, &summary);
            let [side] = &CompareSide::arms(&subject)[..] else {
                panic!("{ios:?}");
            };
            let name = subject.rows[0].name();
            assert!(subject.rows.iter().all(|row| row.name() == name));
            let done = Measured::all(&run, &summary);
            assert_eq!((subject.rows.len(), done.len()), (ios.len(), ios.len()));
            for (kind, of) in [
                (
                    FigureKind::Iops,
                    Measured::iops_within as fn(&Measured) -> Interval,
                ),
                (FigureKind::BytesPerS, Measured::bytes_within),
            ] {
                let known = over_all(&done.iter().map(of).collect::<Vec<_>>());
                let AnswerCell::Within(found) = value(&summary, side, &name, kind) else {
                    panic!("{ios:?}");
                };
                for (found, known) in [
                    (found.value, known.value),
                    (found.low, known.low),
                    (found.high, known.high),
                ] {
                    assert!((found / known - 1.0).abs() < 1e-9, "{found} {known}");
                }
                assert_eq!(found.settled, known.settled, "{ios:?}");
                assert_eq!(found.settled, ios.len() == 1, "{ios:?}");
            }
        }
    }

    /// Ranges whose ends read the same are one figure, and what intervals add is said.
    #[test]
    fn changes_of_several_points_have_their_intervals() {
        let change = |percent, low, high| PercentChange {
            percent,
            within: Some((low, high)),
            exact: true,
        };
        let words = |all: &[PercentChange]| range_words(all.iter().copied());
        assert_eq!(
            words(&[change(100.0, 100.0, 100.0), change(100.01, 99.99, 100.02)]),
            " (+100 %)"
        );
        assert_eq!(
            words(&[change(-3.0, -5.0, -1.0), change(-4.0, -4.5, -3.5)]),
            " (-4 to -3 %; 95 %: -5 to -1 %)"
        );
        assert_eq!(words(&[]), "");
    }

    /// As the table of a comparison does.
    #[test]
    fn an_interval_without_0_beside_no_difference_has_its_reason() {
        let run = crate::fixture::run();
        let subject = Subject::of_summary("", "", &run, &crate::summary::summarize(&run));
        let side = CompareSide {
            name: "one".to_owned(),
            subjects: vec![subject],
        };
        let found = compare(&side, &side, &CompareOptions::default());
        let has_figures = |row: &&ComparedRow| !row.figures.is_empty();
        let mut row = found.rows.iter().find(has_figures).unwrap().clone();
        let of = |low, high| {
            let mut figure = row.figures[0].clone();
            figure.verdict = ChangeVerdict::NoDifference;
            figure.change = Some(PercentChange {
                percent: -16.1,
                within: Some((low, high)),
                exact: true,
            });
            figure
        };
        let (apart, over) = (of(-26.0, -4.7), of(-26.0, 4.7));
        assert_eq!(
            figures_words(&[&apart]),
            "-16.1 % (-26 to -4.7 %), no difference shown (one figure of many)"
        );
        assert_eq!(
            figures_words(&[&over]),
            "-16.1 % (-26 to +4.7 %), no difference shown"
        );
        assert_eq!(
            figures_words(&[&apart, &over]),
            "no difference shown (one figure of many) at 1 of 2 points (-16.1 %; 95 %: -26 to -4.7 %), \
             no difference shown at 1 of 2 points (-16.1 %; 95 %: -26 to +4.7 %)"
        );
        let kind = apart.kind;
        row.figures = vec![apart];
        let [.., verdict] = change(&row, kind);
        let words = "no difference shown (one figure of many)";
        assert_eq!(verdict, AnswerCell::text(words));
    }
}
