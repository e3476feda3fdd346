//! What differs between several runs, and what changed from the first to each other one.
//!
//! Belongs here: the tables of differences and of changes. Must never: compare or judge anything, which is
//! [`crate::compare`]'s.

use super::subject::measured_on;
use crate::compare::{
    ChangeVerdict, CompareOptions, CompareSide, ComparedFigure, ComparedRow, Comparison,
    PropertyDifference, Subject, compare,
};
use crate::render::compare::{
    change_parts, in_order, sentences_beside_differences, title_of, value_of, verdict_of,
};
use crate::study::several::Named;
use leadline_model::condition::FigureKind;

/// A row of the table of what was measured on what.
pub(super) struct SettingRow {
    pub(super) name: String,
    /// Its value in each run.
    pub(super) values: Vec<String>,
    /// Whether these are not the same.
    pub(super) differs: bool,
}

/// Something that differs between a run and the first one.
pub(super) struct DifferenceRow {
    pub(super) name: String,
    /// Of which run, where there are more than two; else empty.
    pub(super) run: String,
    pub(super) first: String,
    pub(super) other: String,
    /// What it is a part of.
    pub(super) part: DifferencePart,
}

/// What a difference is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DifferencePart {
    /// What was asked.
    Plan,
    /// The work of rows that were put side by side.
    Work,
    /// Hosts, targets, software.
    Environment,
}

impl DifferencePart {
    /// In words, with what it means for the figures.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Plan => "the plan: only what both measured is compared",
            Self::Work => "the work: figures are not comparable",
            Self::Environment => "the environment",
        }
    }
}

/// A run against the first one.
pub(super) struct Changes {
    pub(super) title: String,
    pub(super) names: [String; 2],
    pub(super) answer: String,
    pub(super) sentences: Vec<String>,
    /// Rate, p50 and p99 of each workload.
    pub(super) short: Vec<ChangedRow>,
    /// The same of those that are not comparable, where they are many beside others.
    pub(super) unlike: Vec<ChangedRow>,
    /// What these are, in words.
    pub(super) unlike_words: String,
    /// All figures.
    pub(super) rows: Vec<Changed>,
}

/// A workload in short.
pub(super) struct ChangedRow {
    pub(super) name: String,
    /// Its name in data and for conditions, where that is another; else empty.
    pub(super) code: String,
    /// Why nothing of it was compared, or empty.
    pub(super) unlike: String,
    /// Rate, p50, p99.
    pub(super) cells: Vec<Option<Changed>>,
}

/// A figure of both.
pub(super) struct Changed {
    /// What was measured, in its first row; else empty.
    pub(super) name: String,
    pub(super) figure: String,
    pub(super) values: [String; 2],
    pub(super) change: String,
    /// Its 95 % interval in brackets, or empty.
    pub(super) within: String,
    pub(super) verdict: String,
    /// `better`, `worse` or empty.
    pub(super) class: &'static str,
}

/// What several of these say, taken out of them: for above all, with how many it is of where not of all.
pub(super) fn said_of_several(all: &mut [Changes]) -> Vec<String> {
    let mut said: Vec<(String, usize)> = Vec::new();
    for sentence in all.iter().flat_map(|one| &one.sentences) {
        match said.iter_mut().find(|known| known.0 == *sentence) {
            Some(known) => known.1 += 1,
            None => said.push((sentence.clone(), 1)),
        }
    }
    said.retain(|known| known.1 > 1);
    let is_said = |sentence: &String| said.iter().any(|known| known.0 == *sentence);
    for one in all.iter_mut() {
        one.sentences.retain(|sentence| !is_said(sentence));
    }
    let each = said
        .into_iter()
        .map(|(sentence, count)| match count == all.len() {
            true => sentence,
            false => format!("In {count} of these {} comparisons: {sentence}", all.len()),
        });
    each.collect()
}

/// Each other run compared with the first.
pub(super) fn compared(runs: &[Named<'_>]) -> Vec<Comparison> {
    let side = |named: &Named<'_>| CompareSide {
        name: named.name.clone(),
        subjects: vec![Subject::from_run(&named.name, &named.name, named.run)],
    };
    let mut sides = runs.iter().map(side);
    let Some(first) = sides.next() else {
        return Vec::new();
    };
    let options = CompareOptions::default();
    sides
        .map(|other| compare(&first, &other, &options))
        .collect()
}

/// What is known of each run before its first figure, those that differ first.
pub(super) fn settings(runs: &[Named<'_>]) -> Vec<SettingRow> {
    let known: Vec<_> = runs.iter().map(|named| measured_on(named.run)).collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in known.iter().flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut all: Vec<SettingRow> = names
        .into_iter()
        .map(|name| {
            let value = |rows: &Vec<(String, String)>| {
                let found = rows.iter().find(|row| row.0 == name);
                found.map_or_else(|| "-".to_owned(), |row| row.1.clone())
            };
            let values: Vec<String> = known.iter().map(value).collect();
            SettingRow {
                name: name.to_owned(),
                differs: values.iter().any(|v| *v != values[0]),
                values,
            }
        })
        .collect();
    all.sort_by_key(|setting| !setting.differs);
    all
}

/// What differs in rows that are compared, each once: the work first, then the environment.
pub(super) fn differences(all: &[Comparison]) -> Vec<DifferenceRow> {
    let mut found: Vec<DifferenceRow> = Vec::new();
    for comparison in all {
        let mut own: Vec<&PropertyDifference> = Vec::new();
        let rows = comparison.rows.iter();
        let work = rows.flat_map(|row| row.unlike.iter().chain(&row.across));
        for one in work.chain(&comparison.notes) {
            if !own.contains(&one) {
                own.push(one);
            }
        }
        let run = match all.len() {
            1 => "",
            _ => comparison.sides[1].name.as_str(),
        };
        found.extend(together(
            own.iter().map(|one| difference(one, run)).collect(),
        ));
    }
    found
}

/// Most values of a property that are named.
const MOST: usize = 3;

/// Differences of one property in one row: points of a curve each at its rate.
fn together(all: Vec<DifferenceRow>) -> Vec<DifferenceRow> {
    let mut groups: Vec<Vec<DifferenceRow>> = Vec::new();
    for row in all {
        match groups.iter_mut().find(|group| group[0].name == row.name) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let list = |group: &[DifferenceRow], of: fn(&DifferenceRow) -> &str| {
        let mut words: Vec<&str> = Vec::new();
        for value in group.iter().map(of) {
            if !words.contains(&value) {
                words.push(value);
            }
        }
        match words.len().saturating_sub(MOST) {
            0 => words.join("; "),
            more => format!("{}; and {more} more", words[..MOST].join("; ")),
        }
    };
    let each = groups.into_iter().filter_map(|group| {
        let first = list(&group, |row| &row.first);
        let other = list(&group, |row| &row.other);
        let row = group.into_iter().next()?;
        Some(DifferenceRow {
            first,
            other,
            ..row
        })
    });
    each.collect()
}

fn difference(one: &PropertyDifference, run: &str) -> DifferenceRow {
    let list = |values: &[crate::compare::PropertyValue]| match values {
        [] => "-".to_owned(),
        some => {
            let words: Vec<String> = some.iter().map(ToString::to_string).collect();
            words.join(" or ")
        }
    };
    DifferenceRow {
        name: format!("{}{}", one.property.title(), one.where_not_all()),
        run: run.to_owned(),
        first: list(&one.a),
        other: list(&one.b),
        part: match one.property.must_be_equal() {
            true => DifferencePart::Work,
            false => DifferencePart::Environment,
        },
    }
}

/// A comparison as the page shows it.
pub(super) fn changes(comparison: &Comparison) -> Changes {
    let [a, b] = &comparison.sides;
    let names = [a.name.as_str(), b.name.as_str()];
    let mut said = sentences_beside_differences(comparison).into_iter();
    let answer = said.next().unwrap_or_default();
    let all = comparison.rows.iter();
    let (like, unlike): (Vec<_>, Vec<_>) = all.partition(|row| row.unlike.is_empty());
    let (shown, folded) = match !like.is_empty() && unlike.len() > MOST_UNLIKE {
        true => (like, unlike),
        false => (comparison.rows.iter().collect(), Vec::new()),
    };
    let in_short = |rows: &[&ComparedRow]| rows.iter().map(|row| short(row, names)).collect();
    Changes {
        title: format!("{} against {}", b.name, a.name),
        names: [a.name.clone(), b.name.clone()],
        answer,
        sentences: said.collect(),
        short: in_short(&shown),
        unlike: in_short(&folded),
        unlike_words: unlike_words(&folded),
        rows: comparison
            .rows
            .iter()
            .flat_map(|row| rows(row, names))
            .collect(),
    }
}

/// More rows than these that are not comparable are folded.
const MOST_UNLIKE: usize = 3;

/// `9 workloads that are not comparable: their rate is not the same`.
fn unlike_words(rows: &[&ComparedRow]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for difference in rows.iter().flat_map(|row| &row.unlike) {
        let name = difference.property.title();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let count = rows.len();
    let is = if names.len() == 1 { "is" } else { "are" };
    let names = names.join(" and ");
    format!("{count} workloads that are not comparable: their {names} {is} not the same")
}

/// A workload's rate, p50 and p99.
fn short(row: &ComparedRow, names: [&str; 2]) -> ChangedRow {
    let is: [fn(FigureKind) -> bool; 3] = [
        FigureKind::is_rate,
        |kind| kind == FigureKind::percentile(50.0),
        |kind| kind == FigureKind::percentile(99.0),
    ];
    let found = |is: &fn(FigureKind) -> bool| row.figures.iter().find(|f| is(f.kind));
    let unlike: Vec<String> = row.unlike.iter().map(|one| one.words_of(names)).collect();
    ChangedRow {
        name: row.called(),
        code: Some(title_of(row, names[1]))
            .filter(|code| *code != row.called())
            .unwrap_or_default(),
        unlike: unlike.join("; "),
        cells: is
            .iter()
            .map(|is| found(is).map(|f| changed(row, f)))
            .collect(),
    }
}

/// Its figures, percentiles before the mean.
fn rows(row: &ComparedRow, names: [&str; 2]) -> Vec<Changed> {
    let each = in_order(row)
        .into_iter()
        .enumerate()
        .map(|(at, figure)| Changed {
            name: if at == 0 {
                match row.other {
                    Some(_) => title_of(row, names[1]),
                    None => row.called(),
                }
            } else {
                String::new()
            },
            ..changed(row, figure)
        });
    each.collect()
}

fn changed(row: &ComparedRow, figure: &ComparedFigure) -> Changed {
    let shown = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| value_of(figure.kind, x));
    let (change, within) = change_parts(figure);
    Changed {
        name: String::new(),
        figure: match figure.kind {
            FigureKind::Iops => "IOPS".to_owned(),
            kind => kind.to_string(),
        },
        values: [shown(figure.a), shown(figure.b)],
        change,
        within,
        // The reason is given once, in the row in short.
        verdict: match row.unlike.is_empty() {
            true => verdict_of(figure),
            false => figure.verdict.words().to_owned(),
        },
        class: match figure.verdict {
            ChangeVerdict::Improved(_) => "better",
            ChangeVerdict::Regressed(_) => "worse",
            _ => "",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::response::tests::curve_run;
    use crate::study::several::named;

    #[test]
    fn many_rows_that_are_not_comparable_are_folded_beside_those_that_are() {
        let page_of = |like: usize| {
            let (a, mut b) = (curve_run(), curve_run());
            b.wall_ms += 1;
            let stages = b.plan.iter_mut().flat_map(|plan| &mut plan.stages);
            for workload in stages.skip(like).flat_map(|stage| &mut stage.workloads) {
                workload.blocks_mut().open.direct = !workload.blocks().open.direct;
            }
            let runs = [("before", &a), ("after", &b)];
            let runs = runs.map(|(name, run)| (Some(name.to_owned()), String::new(), run));
            changes(&compared(&named(&runs))[0])
        };
        let found = page_of(2);
        assert!(found.unlike.len() > MOST_UNLIKE && !found.short.is_empty());
        assert!(found.short.iter().all(|row| row.unlike.is_empty()));
        assert!(found.unlike.iter().all(|row| !row.unlike.is_empty()));
        let count = found.unlike.len();
        assert!(
            found.unlike_words.starts_with(&format!(
                "{count} workloads that are not comparable: their "
            )),
            "{}",
            found.unlike_words
        );
        // Without one that is comparable they are all there is to see.
        let found = page_of(0);
        assert!(found.unlike.is_empty() && found.short.len() > MOST_UNLIKE);
    }
}
