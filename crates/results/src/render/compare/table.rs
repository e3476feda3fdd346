//! The cells of a comparison, for the terminal and for Markdown.
//!
//! Belongs here: each figure as words. Must never: draw.

use crate::compare::{ChangeVerdict, ComparedFigure, ComparedRow};
use crate::words::{mib_per_s, rate, span, trim_to};
use leadline_model::condition::FigureKind;
use leadline_model::op::Op;

/// Heads of the columns.
pub(super) const HEADS: [&str; 5] = ["", "A", "B", "change (95 %)", "verdict"];

/// A value with its unit.
pub(crate) fn value(kind: FigureKind, value: f64) -> String {
    match kind {
        FigureKind::Iops => rate(value),
        FigureKind::BytesPerS => format!("{} MiB/s", mib_per_s(value)),
        FigureKind::Mean | FigureKind::Percentile(_) | FigureKind::Max => span(value),
    }
}

/// A change with its sign, and its interval where it has one: `-10.0 % [-11.9, -8.1]`.
pub(crate) fn change(figure: &ComparedFigure) -> String {
    match change_parts(figure) {
        (change, within) if within.is_empty() => change,
        (change, within) => format!("{change} {within}"),
    }
}

/// A change and its interval in brackets, each empty where there is none.
pub(crate) fn change_parts(figure: &ComparedFigure) -> (String, String) {
    let Some(change) = figure.change else {
        return Default::default();
    };
    let within = change.within.map_or_else(String::new, |(low, high)| {
        format!("[{}, {}]", signed(low), signed(high))
    });
    (format!("{} %", signed(change.percent)), within)
}

/// What a row of a table is called: its name in data, and in B where that is another. A job that ran beside others is
/// called by its own name: their stage has that of the first of them, as the sum of all shows.
fn title(row: &ComparedRow, all: &[ComparedRow]) -> String {
    let op = row.name.op.map_or("all", Op::name);
    let job = format!("{} {op}", row.name.workload);
    let jobs = [", ", "; "].map(|next| format!("{}{next}", row.name.stage));
    let is_sum = |other: &&ComparedRow| other.name.is_sum_with(&row.name);
    let is_named_for_a_job = all
        .iter()
        .filter(is_sum)
        .any(|sum| jobs.iter().any(|jobs| sum.name.stage.starts_with(jobs)));
    match is_named_for_a_job && row.other.is_none() && row.words == job {
        true => job,
        false => title_of(row, "B"),
    }
}

/// Its name in data, and in B where that is another, with what B is called.
pub(crate) fn title_of(row: &ComparedRow, b: &str) -> String {
    let other = row.other.as_ref();
    let other = other.map_or_else(String::new, |other| format!(" ({b}: {})", other.label()));
    format!("{}{other}", row.name.label())
}

/// With a sign, and no more digits than it deserves.
pub(super) fn signed(percent: f64) -> String {
    match percent.abs() {
        x if x >= 1e6 => "over +1000000".to_owned(),
        x if x >= 99.95 => format!("{percent:+.0}"),
        x if x >= 0.05 => format!("{percent:+.1}"),
        // Rounded to nothing, it has no sign.
        x if x < 0.005 => "0.00".to_owned(),
        _ => format!("{percent:+.2}"),
    }
}

/// The least change that would have been shown, in percent: to one decimal, and never as none.
pub(super) fn least(percent: f64) -> String {
    match percent < 0.05 {
        true => "less than 0.1".to_owned(),
        false => trim_to(percent, 1),
    }
}

/// A change in percent from which on its size no longer says anything, where values vary so much.
pub(super) const DOUBLING: f64 = 100.0;

/// A verdict, and what would have been shown where none is.
pub(crate) fn verdict(figure: &ComparedFigure) -> String {
    let words = figure.verdict_words();
    match (&figure.verdict, figure.detectable) {
        (ChangeVerdict::NotComparable(why), _) => format!("{words}: {why}"),
        // It has its reason.
        (verdict, _) if words != verdict.words() => words.to_owned(),
        (ChangeVerdict::NoDifference, Some(percent)) if percent >= DOUBLING => {
            format!("{words} (not even a doubling is detectable)")
        }
        (ChangeVerdict::NoDifference, Some(percent)) => {
            format!("{words} (detectable from {} %)", least(percent))
        }
        _ => words.to_owned(),
    }
}

/// Its figures as tables have them: rates, percentiles, then the mean and the largest.
pub(crate) fn in_order(row: &ComparedRow) -> Vec<&ComparedFigure> {
    let mut figures: Vec<&ComparedFigure> = row.figures.iter().collect();
    figures.sort_by_key(|figure| match figure.kind {
        FigureKind::Iops | FigureKind::BytesPerS => 0,
        FigureKind::Percentile(_) => 1,
        FigureKind::Mean => 2,
        FigureKind::Max => 3,
    });
    figures
}

/// The rows of a row of `all`: its name, then its figures. What is not comparable at all is one line.
pub(super) fn cells(row: &ComparedRow, all: &[ComparedRow]) -> Vec<[String; 5]> {
    let mut all = vec![[
        title(row, all),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
    ]];
    let shown = |kind, x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| value(kind, x));
    for figure in in_order(row) {
        let said = match row.unlike.is_empty() {
            true => verdict(figure),
            // The reason is given once, above.
            false => figure.verdict.words().to_owned(),
        };
        all.push([
            format!("  {}", figure.kind),
            shown(figure.kind, figure.a),
            shown(figure.kind, figure.b),
            change(figure),
            said,
        ]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::RowName;

    #[test]
    fn what_rounds_to_nothing_has_no_sign_and_is_no_change_of_zero() {
        assert_eq!(signed(-0.001), "0.00");
        assert_eq!(signed(0.004), "0.00");
        assert_eq!(signed(-0.006), "-0.01");
        assert_eq!(least(0.02), "less than 0.1");
        assert_eq!(least(0.06), "0.1");
    }

    #[test]
    fn a_job_beside_others_is_called_by_its_own_name() {
        let row = |stage: &str, workload: &str, words: &str| ComparedRow {
            name: RowName {
                stage: stage.to_owned(),
                workload: workload.to_owned(),
                op: Some(Op::Write),
            },
            other: None,
            words: words.to_owned(),
            repeats: (1, 1),
            unlike: Vec::new(),
            across: Vec::new(),
            overlap: [None; 2],
            apart: [None; 2],
            figures: Vec::new(),
        };
        let with = |sum: &str, workload: &str, words: &str| {
            let all = [row("reader", workload, words), row(sum, "", "")];
            title(&all[0], &all)
        };
        let jobs = "reader, writer";
        assert_eq!(with(jobs, "writer", "writer write"), "writer write");
        // Two jobs of one name have no words: their stages distinguish them.
        assert_eq!(with(jobs, "writer", ""), "reader / writer write");
        // A stage with a name of its own keeps it.
        let own = with("reader", "writer", "writer write");
        assert_eq!(own, "reader / writer write");
    }
}
