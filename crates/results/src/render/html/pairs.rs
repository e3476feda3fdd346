//! Maps made of a table of pairs: a figure over a rate of reads and a rate of writes.
//!
//! Belongs here: which table it is, and how large a tile is. Must never: compute a figure.

use super::tabled::column;
use super::view::{Figure, Picture};
use crate::render::svg::{Axis, MapTile, ScaleKind, Tiles, Unit};
use crate::study::studies::Answer;
use crate::study::studies::answer::{AnswerCell, AnswerTable, AnswerUnit};

/// Height of a map in units: tiles need more room than lines.
const HEIGHT: f64 = 300.0;
/// Latencies that get a map.
const LATENCIES: [&str; 2] = ["p50", "p99"];

/// The maps of an answer's tables of pairs; none of others.
pub(super) fn figures(answer: &Answer) -> Vec<Figure> {
    let tables = answer.tables.iter().enumerate();
    tables
        .flat_map(|(number, table)| {
            let of = move |name| map(table, name, number);
            LATENCIES.into_iter().filter_map(of)
        })
        .collect()
}

fn map(table: &AnswerTable, latency: &'static str, number: usize) -> Option<Figure> {
    let rate = |name| column(table, name, AnswerUnit::Iops);
    let (reads, writes) = (rate("reads")?, rate("writes")?);
    let value = column(table, latency, AnswerUnit::Nanos)?;
    let of = |row: &Vec<AnswerCell>| {
        let at = (row.get(reads)?.number()?, row.get(writes)?.number()?);
        let cell = row.get(value)?;
        Some((at, cell.number(), matches!(cell, AnswerCell::AtLeast(_))))
    };
    let pairs: Vec<_> = table.rows.iter().filter_map(of).collect();
    let across: Vec<f64> = pairs.iter().map(|pair| pair.0.0).collect();
    let up: Vec<f64> = pairs.iter().map(|pair| pair.0.1).collect();
    let (wide, high) = (pitch(&across)?, pitch(&up)?);
    let mut tiles: Vec<MapTile> = pairs
        .into_iter()
        .map(|(at, value, beyond)| {
            // Those that were put between others are half as large.
            let size = |value: f64, pitch: f64| {
                let off = (value / pitch - (value / pitch).round()).abs();
                if off < 0.02 { pitch } else { pitch / 2.0 }
            };
            let size = (size(at.0, wide), size(at.1, high));
            let least = (size.0 / wide).min(size.1 / high);
            MapTile {
                at,
                size: (wide * least, high * least),
                value,
                beyond,
            }
        })
        .collect();
    tiles.sort_by(|a, b| b.size.0.total_cmp(&a.size.0));
    let axis = |label| Axis::new(label, ScaleKind::Linear, Unit::Count);
    let tiles = Tiles {
        id: format!("map-{number}-{latency}"),
        title: format!("{latency} over reads and writes"),
        description: format!("{latency} of each pair of rates; the table has the figures."),
        x: axis("reads a second"),
        y: axis("writes a second"),
        unit: Unit::Nanos,
        tiles,
        height: HEIGHT,
    };
    let caption = "Darker: slower. \u{2265}: more was asked than was done. An empty tile was not measured, as a pair that asks \
                   for less had not been done, or has too few I/Os.";
    Some(Figure::of(Picture::Tiles(tiles), caption.to_owned()))
}

/// The distance of the values of the grid: the least of them, which is one step from nothing. `None` without any.
fn pitch(values: &[f64]) -> Option<f64> {
    let least = values.iter().copied().reduce(f64::min)?;
    (least > 0.0).then_some(least)
}
