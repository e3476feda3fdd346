//! A result of any tool for the terminal: its rows as a table.
//!
//! Must never: compute a figure that the result does not have.

use super::table::{Align, Table};
use crate::compare::{LatencyFrom, Subject, SubjectRow};
use crate::words::{mib_per_s, rate, span};
use leadline_model::condition::FigureKind;
use std::fmt::Write as _;

/// Percentiles that have a column.
const PERCENTS: [f64; 3] = [50.0, 99.0, 99.9];

/// Where it is from, one line a row, and what must be known of it.
#[must_use]
pub fn subject(subject: &Subject) -> String {
    let mut out = format!("{}\n", subject.name);
    for (property, value) in &subject.properties {
        let _ = writeln!(out, "  {}: {value}", property.name());
    }
    let mut table = Table::default();
    let heads = [
        "result", "IOPS", "MiB/s", "p50", "p99", "p99.9", "mean", "max",
    ];
    table.push(heads.map(str::to_owned).to_vec());
    subject.rows.iter().for_each(|of| table.push(row(of)));
    let align = |c| if c == 0 { Align::Left } else { Align::Right };
    out.push_str(&table.draw(&align, &|_, _, cell| cell.to_owned()));
    let is_of = |from| subject.rows.iter().any(|row| row.latency_from == from);
    if is_of(LatencyFrom::Submitted) {
        let words = LatencyFrom::Submitted.words();
        let _ = writeln!(
            out,
            "percentiles count {words}: submission time is not included"
        );
    }
    if subject.rows.iter().all(|row| row.histogram.is_none()) {
        out.push_str(
            "no histogram fine enough for percentiles: only those stated in the result are shown\n",
        );
    }
    for doubt in &subject.doubts {
        let _ = writeln!(out, "{doubt}");
    }
    out
}

fn row(of: &SubjectRow) -> Vec<String> {
    let cell = |kind, text: fn(f64) -> String| {
        let figure = of.figure_of(kind);
        figure.map_or_else(|| "-".to_owned(), |f| text(f.value))
    };
    let mut cells = vec![
        of.name().label(),
        cell(FigureKind::Iops, rate),
        cell(FigureKind::BytesPerS, mib_per_s),
    ];
    cells.extend(PERCENTS.map(|p| cell(FigureKind::percentile(p), span)));
    cells.extend([FigureKind::Mean, FigureKind::Max].map(|kind| cell(kind, span)));
    cells
}
