//! The answer of a study as text in cells, for every render.
//!
//! Belongs here: how a value of each unit reads. Must never: compute a value, or draw a table.

use crate::stats::Interval;
use crate::study::studies::answer::{AnswerCell, AnswerTable, AnswerUnit, Column};
use crate::words::{
    give_or_take, mib_per_s, rate, rounded, rounded_mib, rounded_rate, rounded_span, span,
    thousands, trim_to, whole,
};
use leadline_model::units::Bytes;

/// The heads of a table's columns, with their units where the cells do not have them.
pub(crate) fn heads(table: &AnswerTable) -> Vec<String> {
    let head = |column: &Column| match column.unit {
        AnswerUnit::BytesPerS => format!("{} MiB/s", column.name).replace("throughput ", ""),
        AnswerUnit::Iops if column.name == "iops" => "IOPS".to_owned(),
        AnswerUnit::Iops => format!("{} IOPS", column.name),
        _ => column.name.clone(),
    };
    table.columns.iter().map(head).collect()
}

/// A table with percentiles before means.
pub(crate) fn in_order(table: &AnswerTable) -> AnswerTable {
    let order = order(table);
    let row = |row: &Vec<AnswerCell>| {
        let each = order.iter().filter_map(|&column| row.get(column));
        each.cloned().collect()
    };
    let columns = order.iter().filter_map(|&column| table.columns.get(column));
    AnswerTable {
        title: table.title.clone(),
        columns: columns.cloned().collect(),
        rows: table.rows.iter().map(row).collect(),
    }
}

/// The columns of a table in the order in which they are read: a mean stands after the percentiles of the same that follow it.
fn order(table: &AnswerTable) -> Vec<usize> {
    // What it is of (`service`), and which figure.
    let name = |column: usize| {
        let name = table.columns.get(column).map_or("", |c| c.name.as_str());
        name.rsplit_once(' ').unwrap_or(("", name))
    };
    let is_percentile = |figure: &str| {
        let digits = figure.strip_prefix('p');
        digits.is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut order: Vec<usize> = (0..table.columns.len()).collect();
    for at in (0..order.len()).rev() {
        let (of, figure) = name(order[at]);
        if figure != "mean" {
            continue;
        }
        let own = |column: &&usize| name(**column).0 == of && is_percentile(name(**column).1);
        let moved = order[at + 1..].iter().take_while(own).count();
        order[at..=at + moved].rotate_left(1);
    }
    order
}

/// The cells of a row.
pub(crate) fn cells(table: &AnswerTable, row: &[AnswerCell]) -> Vec<String> {
    let columns = table.columns.iter().enumerate();
    columns
        .zip(row)
        .map(|((at, c), cell)| match c.unit {
            AnswerUnit::Share if has_fractions(table, at) => with_decimal(cell),
            unit => text(cell, unit),
        })
        .collect()
}

/// Whether a share of a column is not a whole number of percent, as printed: then all of the column have a decimal.
fn has_fractions(table: &AnswerTable, column: usize) -> bool {
    let cells = table.rows.iter().filter_map(|row| row.get(column));
    let mut values = cells.filter_map(|cell| match cell {
        AnswerCell::Number(n) | AnswerCell::AtLeast(n) | AnswerCell::AtMost(n) => Some(*n),
        AnswerCell::Doubtful(known) | AnswerCell::Within(known) => Some(known.value),
        AnswerCell::None | AnswerCell::Text(_) => None,
    });
    values.any(|share| rounded(share * 100.0, 1).fract() != 0.0)
}

/// A share with one decimal in any case.
fn with_decimal(cell: &AnswerCell) -> String {
    let text = text(cell, AnswerUnit::Share);
    match text.split_once('%') {
        Some((value, rest)) if !value.contains('.') => {
            format!(
                "{}.0{}%{rest}",
                value.trim_end(),
                &value[value.trim_end().len()..]
            )
        }
        _ => text,
    }
}

/// Whether a column is of numbers.
pub(crate) fn is_number(table: &AnswerTable, column: usize) -> bool {
    let unit = table.columns.get(column).map(|c| c.unit);
    unit.is_some_and(|unit| unit != AnswerUnit::Text)
}

/// The columns that say what a row is of, at least one: those before the first figure.
pub(crate) fn settings(table: &AnswerTable) -> usize {
    let units = table.columns.iter().map(|c| c.unit);
    units.take_while(is_setting).count().max(1)
}

pub(crate) fn is_setting(unit: &AnswerUnit) -> bool {
    matches!(
        unit,
        AnswerUnit::Text | AnswerUnit::Count | AnswerUnit::Bytes
    )
}

/// A value as people read it: `-` where there is none, `>=` or `<=` where it is at least or at most that, `~` where few samples show it.
pub(crate) fn text(cell: &AnswerCell, unit: AnswerUnit) -> String {
    match cell {
        AnswerCell::None => "-".to_owned(),
        AnswerCell::Text(text) => text.clone(),
        AnswerCell::Number(n) => number(*n, unit),
        AnswerCell::AtLeast(n) => format!(">= {}", number(*n, unit)),
        AnswerCell::AtMost(n) => format!("<= {}", number(*n, unit)),
        AnswerCell::Doubtful(interval) => format!("~{}", within(interval, unit)),
        AnswerCell::Within(interval) => within(interval, unit),
    }
}

/// What `~` before a figure means, where a table has one.
pub(crate) fn foot<'a>(tables: impl IntoIterator<Item = &'a AnswerTable>) -> Option<&'static str> {
    let mut cells = tables
        .into_iter()
        .flat_map(|table| table.rows.iter().flatten());
    let any = cells.any(|cell| matches!(cell, AnswerCell::Doubtful(_)));
    any.then_some(
        "~ before a percentile: fewer than 100 independent samples lie beyond it, so another run may give a \
         different value.",
    )
}

/// A value with half the width of its interval.
fn within(interval: &Interval, unit: AnswerUnit) -> String {
    let value = number(interval.value, unit);
    // A cell is narrow: no blank before the sign.
    give_or_take(&value, shown(interval.value, unit), interval).replace(" %", "%")
}

/// What [`number`] prints, in the unit of its value.
fn shown(value: f64, unit: AnswerUnit) -> f64 {
    match unit {
        AnswerUnit::Iops => rounded_rate(value),
        AnswerUnit::BytesPerS => rounded_mib(value),
        AnswerUnit::Nanos => rounded_span(value),
        AnswerUnit::Seconds => rounded(value, 1),
        AnswerUnit::Bytes => value,
        AnswerUnit::Share => rounded(value, 3),
        AnswerUnit::Count => match value >= 1000.0 {
            true => value.round(),
            false => rounded(value, 1),
        },
        AnswerUnit::Number | AnswerUnit::Text => rounded(value, decimals(value)),
    }
}

/// Three digits, and no more after the decimal point than that.
fn decimals(value: f64) -> u8 {
    match value.abs() {
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        x if x >= 1.0 => 2,
        _ => 3,
    }
}

fn number(value: f64, unit: AnswerUnit) -> String {
    match unit {
        AnswerUnit::Iops => rate(value),
        AnswerUnit::BytesPerS => mib_per_s(value),
        AnswerUnit::Nanos => span(value),
        AnswerUnit::Seconds => format!("{} s", trim_to(value, 1)),
        AnswerUnit::Bytes => Bytes(whole(value)).to_string(),
        AnswerUnit::Share => format!("{} %", trim_to(value * 100.0, 1)),
        // A store of credits may be a fraction more than a whole number.
        AnswerUnit::Count => match value >= 0.0 && (value.fract() == 0.0 || value >= 1000.0) {
            true => thousands(whole(value)),
            false => trim_to(value, 1),
        },
        AnswerUnit::Number | AnswerUnit::Text => trim_to(value, usize::from(decimals(value))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_a_column_have_the_same_digits() {
        let table = |shares: [f64; 3]| AnswerTable {
            title: String::new(),
            columns: vec![crate::study::studies::answer::Column::new(
                "share",
                AnswerUnit::Share,
            )],
            rows: shares.map(|share| vec![AnswerCell::Number(share)]).to_vec(),
        };
        let shown = |table: &AnswerTable| -> Vec<String> {
            let rows = table.rows.iter();
            rows.map(|row| cells(table, row).remove(0)).collect()
        };
        assert_eq!(
            shown(&table([1.06, 1.054, 1.0])),
            ["106.0 %", "105.4 %", "100.0 %"]
        );
        assert_eq!(shown(&table([0.25, 0.5, 1.0])), ["25 %", "50 %", "100 %"]);
    }

    #[test]
    fn values_read_as_their_unit() {
        let within = AnswerCell::Within(Interval {
            value: 48_213.0,
            low: 47_731.0,
            high: 48_695.0,
            settled: true,
        });
        assert_eq!(text(&within, AnswerUnit::Iops), "48,213 +-1.0%");
        assert_eq!(text(&AnswerCell::None, AnswerUnit::Iops), "-");
        assert_eq!(
            text(&AnswerCell::AtLeast(256.0), AnswerUnit::Count),
            ">= 256"
        );
        assert_eq!(
            text(
                &AnswerCell::Doubtful(Interval::only(2e6)),
                AnswerUnit::Nanos
            ),
            "~2.00 ms"
        );
        let few = AnswerCell::Doubtful(Interval {
            value: 2e6,
            low: 1.8e6,
            high: 2.2e6,
            settled: true,
        });
        assert_eq!(text(&few, AnswerUnit::Nanos), "~2.00 ms +-10%");
        assert_eq!(
            text(&AnswerCell::Number(4096.0), AnswerUnit::Bytes),
            "4 KiB"
        );
        assert_eq!(text(&AnswerCell::Number(0.25), AnswerUnit::Share), "25 %");
        let count = |n| text(&AnswerCell::Number(n), AnswerUnit::Count);
        assert_eq!(
            (count(200_000.3), count(8.04)),
            ("200,000".into(), "8".into())
        );
    }
}
