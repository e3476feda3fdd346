//! Credits of a burst in each state of the system: the two rates, the store and how it fills again.
//!
//! Belongs here: a state against the first one. Must never: what a fall of the rate means (that is `study::studies::burst`).

use super::signed;
use crate::study::studies::answer::{AnswerCell, AnswerTable, AnswerUnit, Column};
use crate::words::about;

/// The table of credits in a state of this name.
pub(super) type StateCredits = (String, AnswerTable);

/// What is compared: its name in words and in the table, its unit, and what a value is called.
const FIGURES: [(&str, &str, AnswerUnit, &str); 4] = [
    ("the higher rate", "high", AnswerUnit::Iops, " IOPS"),
    ("the lower rate", "low", AnswerUnit::Iops, " IOPS"),
    ("the bucket", "bucket", AnswerUnit::Count, " I/Os"),
    ("the refill", "refill", AnswerUnit::Iops, " IOPS"),
];

/// A value without an interval of its own is known this well at best, as a share.
const ALONE: f64 = 0.05;

/// Every other state against the first, a sentence for each load.
pub(super) fn words(each: &[StateCredits]) -> Vec<String> {
    let Some(((first, of_first), others)) = each.split_first() else {
        return Vec::new();
    };
    let of_state = |(state, table): &StateCredits| {
        let mut loads = loads_of(of_first);
        loads.extend(
            loads_of(table)
                .into_iter()
                .filter(|load| row(of_first, load).is_none()),
        );
        let said = loads.iter().map(|load| {
            let label = if loads.len() > 1 {
                format!(", {load}")
            } else {
                String::new()
            };
            let said = match (row(of_first, load), row(table, load)) {
                (Some(before), Some(now)) => difference([(of_first, before), (table, now)]),
                (Some(_), None) => format!("the rate did not fall, unlike in {first}"),
                _ => format!("the rate fell, unlike in {first}"),
            };
            format!("{state} against {first}{label}: {said}.")
        });
        said.collect::<Vec<_>>()
    };
    others.iter().flat_map(of_state).collect()
}

/// All states in one table.
pub(super) fn table(each: &[StateCredits]) -> Option<AnswerTable> {
    let mut rows = Vec::new();
    let mut loads: Vec<String> = Vec::new();
    for load in each.iter().flat_map(|(_, table)| loads_of(table)) {
        if !loads.contains(&load) {
            loads.push(load);
        }
    }
    for load in &loads {
        for (state, table) in each {
            let Some(found) = row(table, load) else {
                continue;
            };
            let mut row = vec![AnswerCell::text(load), AnswerCell::text(state)];
            row.extend(FIGURES.map(|(_, name, unit, _)| cell(table, found, name, unit)));
            rows.push(row);
        }
    }
    let own = FIGURES.map(|(_, name, unit, _)| Column::new(name, unit));
    let names = ["load", "state"].map(|name| Column::new(name, AnswerUnit::Text));
    (!rows.is_empty()).then(|| AnswerTable {
        title: "Credits in each state".to_owned(),
        columns: names.into_iter().chain(own).collect(),
        rows,
    })
}

fn loads_of(table: &AnswerTable) -> Vec<String> {
    let first = table.rows.iter().filter_map(|row| row.first());
    let name = |cell: &AnswerCell| match cell {
        AnswerCell::Text(text) => Some(text.clone()),
        _ => None,
    };
    first.filter_map(name).collect()
}

fn row<'t>(table: &'t AnswerTable, load: &str) -> Option<&'t [AnswerCell]> {
    let is_it = |row: &&Vec<AnswerCell>| row.first() == Some(&AnswerCell::text(load));
    table.rows.iter().find(is_it).map(Vec::as_slice)
}

fn cell(table: &AnswerTable, row: &[AnswerCell], name: &str, unit: AnswerUnit) -> AnswerCell {
    let is_it = |column: &Column| column.name == name && column.unit == unit;
    let at = table.columns.iter().position(is_it);
    at.and_then(|at| row.get(at)).cloned().unwrap_or_default()
}

/// What differs between two rows, the earlier state's first.
fn difference(both: [(&AnswerTable, &[AnswerCell]); 2]) -> String {
    let each = FIGURES.iter().filter_map(|(words, name, unit, after)| {
        let [before, now] = both.map(|(table, row)| cell(table, row, name, *unit));
        let (was, is) = (before.number()?, now.number()?);
        let verdict = verdict(&before, &now);
        let change = match verdict {
            "no difference shown" => String::new(),
            _ => format!(" ({} %)", signed(100.0 * (is / was.max(1e-9) - 1.0))),
        };
        Some(format!(
            "{words} is {}{after} against {}: {verdict}{change}",
            shown(&now),
            shown(&before)
        ))
    });
    each.collect::<Vec<_>>().join("; ")
}

fn shown(cell: &AnswerCell) -> String {
    let number = about(cell.number().unwrap_or_default());
    match cell {
        AnswerCell::AtLeast(_) => format!("at least {number}"),
        AnswerCell::AtMost(_) => format!("at most {number}"),
        _ => number,
    }
}

fn verdict(before: &AnswerCell, now: &AnswerCell) -> &'static str {
    let [was, is] = [before, now].map(ends);
    match (is.0 > was.1, is.1 < was.0) {
        (true, _) => "higher",
        (_, true) => "lower",
        _ => "no difference shown",
    }
}

/// Between which values it is.
fn ends(cell: &AnswerCell) -> (f64, f64) {
    let value = cell.number().unwrap_or_default();
    match cell {
        AnswerCell::Within(interval) | AnswerCell::Doubtful(interval) => {
            (interval.low, interval.high)
        }
        AnswerCell::AtLeast(_) => (value, f64::INFINITY),
        AnswerCell::AtMost(_) => (f64::NEG_INFINITY, value),
        _ => (value * (1.0 - ALONE), value * (1.0 + ALONE)),
    }
}
