//! Maps made of a table of pairs: a figure over a rate of reads and a rate of writes.
//!
//! Belongs here: which table it is, and how large a tile is. Must never: compute a figure.

use super::tabled::{column, title_of};
use super::view::{Figure, Picture};
use crate::render::svg::{Axis, MapTile, NARROW, ScaleKind, Tiles, Unit, WIDE};
use crate::study::studies::Answer;
use crate::study::studies::answer::{AnswerCell, AnswerTable, AnswerUnit};

/// Height of a map in units: tiles need more room than lines, and more where others lie on them.
const HEIGHT: f64 = 300.0;
const HEIGHT_WIDE: f64 = 560.0;
/// More tiles than these beside each other need the width of two charts.
const MOST_NARROW: f64 = 5.5;
/// How often the distance of two values of the grid may be halved.
const HALVES: u32 = 4;
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
            let size = |value: f64, pitch: f64| pitch / f64::from(1 << halves(value / pitch));
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
    let is_refined = tiles.iter().any(|tile| tile.size.0 < wide * 0.99);
    let most = across.iter().copied().fold(0.0, f64::max) / wide;
    let is_wide = is_refined || most > MOST_NARROW;
    let tiles = Tiles {
        id: format!("map-{number}-{latency}"),
        title: title_of(&format!("{latency} over reads and writes"), table),
        description: format!("{latency} of each pair of rates; the table has the figures."),
        x: axis("reads a second"),
        y: axis("writes a second"),
        unit: Unit::Nanos,
        tiles,
        width: if is_wide { WIDE } else { NARROW },
        height: if is_wide { HEIGHT_WIDE } else { HEIGHT },
    };
    let caption = caption(&tiles, is_refined);
    Some(Figure::of(Picture::Tiles(tiles), caption))
}

/// What shades, signs and numbers of a map mean.
fn caption(tiles: &Tiles, is_refined: bool) -> String {
    let mut words = vec![
        "Stronger colour: slower. \u{2265}: at least that, as less was done than was asked. An empty tile was not measured, since a \
         pair that asks for less could not be done either, or it has too few I/Os."
            .to_owned(),
    ];
    if is_refined {
        words.push("Smaller tiles were measured later, between others.".to_owned());
    }
    let keys = tiles.keys();
    if !keys.is_empty() {
        let keys = keys.join("; ");
        words.push(format!(
            "Numbered tiles, reads and writes a second: {keys}."
        ));
    }
    if tiles.is_short_of_room() {
        words.push("Figures without room are in the table.".to_owned());
    }
    words.join(" ")
}

/// How often the distance of two values of the grid was halved to get to a value, given in such distances.
fn halves(value: f64) -> u32 {
    let is_at = |n: &u32| {
        let steps = value * f64::from(1 << n);
        (steps - steps.round()).abs() < 0.04
    };
    (0..HALVES).find(is_at).unwrap_or(HALVES)
}

/// The distance of the values of the grid: the least of them, which is one step from nothing. `None` without any.
fn pitch(values: &[f64]) -> Option<f64> {
    let least = values.iter().copied().reduce(f64::min)?;
    (least > 0.0).then_some(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::studies::answer::Column;

    /// A map of three by three with pairs at the half, the fourth and the eighth between two of them.
    fn refined() -> AnswerTable {
        let grid = (1..=3).flat_map(|r| (1..=3).map(move |w| (f64::from(r), f64::from(w))));
        let small = [
            (2.5, 2.0),
            (2.25, 2.0),
            (2.125, 2.0),
            (2.0, 2.5),
            (2.0, 2.25),
        ];
        let row = |(reads, writes): (f64, f64)| {
            let numbers = [reads * 1000.0, writes * 1000.0, reads * writes * 1.234e7];
            numbers.map(AnswerCell::Number).to_vec()
        };
        AnswerTable {
            title: String::new(),
            columns: vec![
                Column::new("reads", AnswerUnit::Iops),
                Column::new("writes", AnswerUnit::Iops),
                Column::new("p99", AnswerUnit::Nanos),
            ],
            rows: grid.chain(small).map(row).collect(),
        }
    }

    #[test]
    fn every_figure_of_a_refined_map_stands_in_it_or_below() {
        let table = refined();
        let figure = map(&table, "p99", 0).unwrap();
        for row in &table.rows {
            let [reads, writes, p99] = [0, 1, 2].map(|n| row[n].number().unwrap());
            let short = |v: f64| {
                let number = crate::words::trim_to(v / 1e6, usize::from(v < 1e8));
                [format!(">{number} ms<"), format!(">{number}</text>")]
            };
            let long = format!(
                "{} and {}: ",
                crate::words::thousands(crate::words::whole(reads)),
                crate::words::thousands(crate::words::whole(writes))
            );
            let is_said = short(p99).iter().any(|words| figure.svg.contains(words))
                || figure.caption.contains(&long);
            assert!(is_said, "{long}: {}\n{}", figure.caption, figure.svg);
        }
        // True in the dark, too, where fuller tiles are lighter.
        assert!(figure.caption.starts_with("Stronger colour: slower."));
        // What it is for a pointer: the whole pair.
        assert!(
            figure
                .svg
                .contains("<title>reads a second 2,125, writes a second 2,000: 52.4 ms</title>")
        );
        assert!(
            !figure.caption.contains("without room"),
            "{}",
            figure.caption
        );
    }

    #[test]
    fn maps_of_several_loads_and_states_have_titles_that_differ() {
        let title = |of: &str| {
            let table = AnswerTable {
                title: of.to_owned(),
                ..refined()
            };
            map(&table, "p99", 0).unwrap().title
        };
        assert_eq!(title("Pairs of rates"), "p99 over reads and writes");
        assert_eq!(
            title("Pairs of rates: 64 KiB random, depth 64"),
            "p99 over reads and writes: 64 KiB random, depth 64"
        );
        assert_eq!(
            title("after: Pairs of rates: 4 KiB random, depth 8"),
            "after: p99 over reads and writes: 4 KiB random, depth 8"
        );
    }

    #[test]
    fn a_tile_is_as_large_as_its_distance_from_its_neighbours() {
        assert_eq!([2.0, 2.5, 2.25, 2.125, 3.0006].map(halves), [0, 1, 2, 3, 0]);
    }
}
