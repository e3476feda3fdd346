//! A comparison for the terminal: the answer, what it is of, the table, the conditions.
//!
//! Belongs here: fitting words into a width. Must never: compute.

use super::answer::{asserted_line, check_line, sentences};
use super::table::{HEADS, cells};
use crate::compare::{AssertState, Asserted, Comparison, ConditionCheck, ConditionState};
use crate::render::text::{Align, Style, Table, wrapped};
use std::fmt::Write as _;

/// Most names of results of a side that are shown.
const MOST: usize = 3;

/// A comparison and its conditions.
#[must_use]
pub fn comparison(of: &Comparison, checks: &[ConditionCheck], style: &Style) -> String {
    let mut out = String::new();
    for (place, sentence) in sentences(of).iter().enumerate() {
        let folded = wrapped(sentence, "", "  ", style.width.max(40));
        out.push_str(&if place == 0 {
            style.bold(folded.trim_end()) + "\n"
        } else {
            folded
        });
    }
    out.push('\n');
    for (letter, side) in ["A", "B"].into_iter().zip(&of.sides) {
        let _ = writeln!(out, "{letter}  {}", side_words(&side.name, &side.sources));
    }
    if !of.rows.is_empty() {
        out.push('\n');
        out.push_str(&table(of, style));
    }
    lines(
        &mut out,
        checks
            .iter()
            .map(|c| (check_line(c), c.state == ConditionState::Met)),
        style,
    );
    out
}

/// The figures of each row.
fn table(of: &Comparison, style: &Style) -> String {
    let mut table = Table::default();
    table.push(HEADS.map(str::to_owned).to_vec());
    for row in &of.rows {
        cells(row, &of.rows)
            .into_iter()
            .for_each(|cells| table.push(cells.to_vec()));
    }
    let align = |column: usize| match column {
        1 | 2 => Align::Right,
        _ => Align::Left,
    };
    table.draw(
        &align,
        &|row, column, cell| match (row, column, cell.trim_end()) {
            (0, ..) => style.quiet(cell),
            (_, 4, "regressed") => style.paint("1;31", cell),
            (_, 4, "improved") => style.paint("1;32", cell),
            _ => cell.to_owned(),
        },
    )
}

/// Limits that were asserted, a line each, those that are not kept first.
#[must_use]
pub fn asserted(all: &[Asserted], style: &Style) -> String {
    let mut out = String::new();
    let mut sorted: Vec<&Asserted> = all.iter().collect();
    sorted.sort_by_key(|a| matches!(a.state, AssertState::Kept | AssertState::KeptByValue));
    lines(
        &mut out,
        sorted
            .into_iter()
            .map(|a| (asserted_line(a), a.state.fails(false))),
        style,
    );
    out
}

fn lines(out: &mut String, lines: impl Iterator<Item = (String, bool)>, style: &Style) {
    let mut first = true;
    for (line, strong) in lines {
        if std::mem::take(&mut first) {
            out.push('\n');
        }
        let folded = wrapped(&line, "", "  ", style.width.max(40));
        out.push_str(&if strong {
            style.paint("1;31", folded.trim_end()) + "\n"
        } else {
            folded
        });
    }
}

fn side_words(name: &str, sources: &[String]) -> String {
    let mut shown: Vec<&str> = sources.iter().take(MOST).map(String::as_str).collect();
    let more = format!("and {} more", sources.len().saturating_sub(MOST));
    if sources.len() > MOST {
        shown.push(&more);
    }
    match shown.as_slice() {
        [one] if *one == name => name.to_owned(),
        _ => format!("{name}: {}", shown.join(", ")),
    }
}
