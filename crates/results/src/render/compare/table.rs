//! The cells of a comparison, for the terminal and for Markdown.
//!
//! Belongs here: each figure as words. Must never: draw.

use crate::compare::{ChangeVerdict, ComparedFigure, ComparedRow};
use crate::words::{mib_per_s, rate, span, trim_to};
use leadline_model::condition::FigureKind;

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

/// What a row is called, and in B where that is another name.
pub(crate) fn title(row: &ComparedRow) -> String {
    title_of(row, "B")
}

/// The same with what B is called.
pub(crate) fn title_of(row: &ComparedRow, b: &str) -> String {
    let other = row.other.as_ref();
    let other = other.map_or_else(String::new, |other| format!(" ({b}: {})", other.label()));
    format!("{}{other}", row.name.label())
}

/// With a sign, and no more digits than it deserves.
fn signed(percent: f64) -> String {
    match percent.abs() {
        x if x >= 1e6 => "over +1000000".to_owned(),
        x if x >= 99.95 => format!("{percent:+.0}"),
        x if x >= 0.05 => format!("{percent:+.1}"),
        _ => format!("{percent:+.2}"),
    }
}

/// A change in percent from which on its size no longer says anything, where values vary so much.
pub(super) const DOUBLING: f64 = 100.0;

/// A verdict, and what would have been shown where none is.
pub(crate) fn verdict(figure: &ComparedFigure) -> String {
    let words = figure.verdict.words();
    match (&figure.verdict, figure.detectable) {
        (ChangeVerdict::NotComparable(why), _) => format!("{words}: {why}"),
        // An interval is of one figure, a verdict of all of them together.
        (ChangeVerdict::NoDifference, _) if excludes_zero(figure) => {
            format!("{words} (one figure of many)")
        }
        (ChangeVerdict::NoDifference, Some(percent)) if percent >= DOUBLING => {
            format!("{words} (not even a doubling would be)")
        }
        (ChangeVerdict::NoDifference, Some(percent)) => {
            format!("{words} (from {} % it would)", trim_to(percent, 1))
        }
        _ => words.to_owned(),
    }
}

fn excludes_zero(figure: &ComparedFigure) -> bool {
    let within = figure.change.and_then(|change| change.within);
    within.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
}

/// The rows of a row: its name, then its figures. What is not comparable at all is one line.
pub(super) fn cells(row: &ComparedRow) -> Vec<[String; 5]> {
    let mut all = vec![[
        title(row),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
    ]];
    let shown = |kind, x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| value(kind, x));
    for figure in &row.figures {
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
