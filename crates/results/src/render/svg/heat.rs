//! A latency heat map: time to the right, latency upward on a logarithmic scale, the shade of a cell the
//! share of that interval's I/Os in it. Cells of one shade are one path on a grid of whole numbers, those beside each
//! other one stroke, so that a map stays small.

use super::letters::LetterWeight;
use super::parts::{END, WIDTH};
use super::scale::{Scale, ScaleKind, Unit};
use super::shape::{document, line, px, text, tick_left};
use super::ticks::{ticks, worded};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Shades from faint to full.
pub const SHADES: usize = 7;

/// A heat map.
#[derive(Clone, Debug)]
pub struct Heat {
    /// Unique within the page.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The same in words.
    pub description: String,
    /// Class that gives the colour.
    pub class: String,
    /// Ends of the columns in seconds, rising; one more than there are columns.
    pub edges: Vec<f64>,
    /// Columns: for each (latency in ns, I/Os), by rising latency.
    pub columns: Vec<Vec<(u64, u64)>>,
    /// Height in units; the width is 440.
    pub height: f64,
}

const LEFT: f64 = 50.0;
const RIGHT: f64 = 426.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 34.0;
/// Most columns.
const MOST_COLUMNS: usize = 94;
/// Rows in a factor of two.
const ROWS: f64 = 4.0;

/// The cells of a map as they are drawn.
#[derive(Clone, Debug)]
pub struct HeatCells {
    /// First and last second, with the pixels where they are.
    pub x: [f64; 4],
    /// Lowest and highest latency in nanoseconds, with the pixels where they are: rows are equal parts of its logarithm.
    pub y: [f64; 4],
    /// How many rows there are.
    pub rows: u64,
    /// For each column, all of one width, the I/Os by row from below. The lowest row has what is faster, too.
    pub columns: Vec<BTreeMap<u64, u64>>,
}

impl Heat {
    /// The map as an SVG element.
    #[must_use]
    pub fn draw(&self) -> String {
        let cells = self.cells();
        let floor = self.height - BOTTOM;
        let mut out = String::with_capacity(8192);
        let (wide, high_each) = (
            (RIGHT - LEFT) / cells.columns.len().max(1) as f64,
            (floor - TOP) / cells.rows as f64,
        );
        // What zooms is moved by the group around: the cells have a scale of their own.
        let _ = write!(
            out,
            "<g class=\"moves\"><g><g class=\"cells\" transform=\"translate({} {}) scale({wide:.4} {:.4})\">",
            px(LEFT),
            px(floor),
            -high_each
        );
        for (shade, d) in paths(&cells.columns).iter().enumerate() {
            if !d.is_empty() {
                let class = &self.class;
                let _ = write!(out, "<path class=\"heat h{shade} {class}\" d=\"{d}\"/>");
            }
        }
        out.push_str("</g></g></g>");
        axes(&cells, &mut out);
        document(
            (WIDTH, self.height),
            &self.id,
            (&self.title, &self.description),
            &out,
        )
    }

    /// What is in each cell, and where the cells are.
    #[must_use]
    pub fn cells(&self) -> HeatCells {
        let floor = self.height - BOTTOM;
        let all = self.columns.iter().flatten().filter(|c| c.1 > 0);
        let largest = all.map(|c| c.0.max(1)).max().unwrap_or(2);
        let low = (self.lowest() as f64).log2().floor();
        let high = (largest as f64).log2().ceil().max(low + 1.0);
        let rows = crate::words::whole((high - low) * ROWS).max(1);
        let end = self.edges.last().copied().unwrap_or(1.0).max(1e-9);
        HeatCells {
            x: [0.0, end, LEFT, RIGHT],
            y: [low.exp2(), high.exp2(), floor, TOP],
            rows,
            columns: self.rasterized(low, rows),
        }
    }

    /// Where the map begins, in nanoseconds: one of a thousand I/Os is faster, and is in the lowest row. A single fastest
    /// one would leave half of the map empty.
    fn lowest(&self) -> u64 {
        let mut all: Vec<(u64, u64)> = self.columns.iter().flatten().copied().collect();
        all.sort_unstable();
        let total: u64 = all.iter().map(|c| c.1).sum();
        let mut before = 0;
        let first = all.into_iter().find(|(_, count)| {
            before += count;
            *count > 0 && before * 1000 >= total
        });
        first.map_or(1, |c| c.0.max(1))
    }

    /// The I/Os of each cell, by column of equal length and row. A column of the map may have several intervals, and an
    /// interval several columns.
    fn rasterized(&self, low: f64, rows: u64) -> Vec<BTreeMap<u64, u64>> {
        let end = self.edges.last().copied().unwrap_or(0.0);
        let most = self.columns.len().min(MOST_COLUMNS);
        let mut columns = vec![BTreeMap::new(); most];
        if end <= 0.0 {
            return columns;
        }
        let place = |s: f64| s / end * most as f64;
        for (column, edges) in self.columns.iter().zip(self.edges.windows(2)) {
            // A column belongs to the intervals that have its middle; a short interval to the column it begins in.
            let first = (place(edges[0]) - 0.5).ceil().max(0.0);
            let last = (place(edges[1]) - 0.5).ceil().max(0.0);
            let first = if last > first {
                first
            } else {
                place(edges[0]).floor()
            };
            let last = last.max(first + 1.0);
            let range = crate::words::whole(first)..crate::words::whole(last);
            for at in range.filter_map(|at| usize::try_from(at).ok()) {
                let Some(cells) = columns.get_mut(at) else {
                    continue;
                };
                for &(value, count) in column {
                    let row = (((value.max(1) as f64).log2() - low) * ROWS).floor();
                    let row = crate::words::whole(row.max(0.0)).min(rows - 1);
                    *cells.entry(row).or_insert(0) += count;
                }
            }
        }
        columns
    }
}

fn axes(cells: &HeatCells, out: &mut String) {
    let [low, high, floor, top] = cells.y;
    let scale = Scale::fit(ScaleKind::Log10, [low, high].into_iter(), 0.0, 1.0);
    let inside = |t: &f64| *t >= low * 0.99 && *t <= high * 1.01;
    let inside = scale.ticks().into_iter().filter(inside).collect();
    for (tick, words) in worded(inside, Unit::Nanos) {
        let at = floor - (tick / low).log2() / (high / low).log2() * (floor - top);
        line(out, (LEFT, at), (RIGHT, at), "grid over");
        tick_left(out, at, &words);
    }
    line(out, (LEFT, floor), (RIGHT, floor), "axis");
    let time = Scale::fit(
        ScaleKind::Linear,
        [0.0, cells.x[1]].into_iter(),
        LEFT,
        RIGHT,
    );
    out.push_str("<g class=\"ticks\">");
    for (tick, words) in ticks(&time, Unit::Seconds) {
        let x = time.at(tick);
        line(out, (x, floor), (x, floor + 4.0), "axis");
        // The last one stays in the picture.
        let middle = x.min(END - LetterWeight::Plain.width(&words) / 2.0);
        text(out, (middle, floor + 16.0), "tick mid", &words);
    }
    out.push_str("</g>");
    text(out, (4.0, 13.0), "label", "latency");
    text(out, (RIGHT, floor + 30.0), "label end", "time in the stage");
}

/// A path for each shade: strokes of one row, as long as the shade stays the same.
fn paths(columns: &[BTreeMap<u64, u64>]) -> Vec<String> {
    let mut shades: Vec<BTreeMap<u64, Vec<usize>>> = vec![BTreeMap::new(); SHADES];
    for (at, cells) in columns.iter().enumerate() {
        let total = cells.values().sum();
        for (row, count) in cells {
            if let Some(own) = shades.get_mut(shade_of(*count, total)) {
                own.entry(*row).or_default().push(at);
            }
        }
    }
    let path = |rows: BTreeMap<u64, Vec<usize>>| {
        let mut d = String::new();
        for (row, at) in rows {
            for run in at.chunk_by(|a, b| a + 1 == *b) {
                let _ = write!(d, "M{} {row}.5h{}", run[0], run.len());
            }
        }
        d
    };
    shades.into_iter().map(path).collect()
}

/// Shade of a cell: by powers of about four below all, so that a stray I/O can still be seen.
fn shade_of(count: u64, total: u64) -> usize {
    if count == 0 || total == 0 {
        return SHADES;
    }
    let share = count as f64 / total as f64;
    [0.25, 0.08, 0.02, 0.005, 0.001, 0.0002]
        .iter()
        .position(|edge| share >= *edge)
        .map_or(0, |i| SHADES - 1 - i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_fast_io_does_not_stretch_the_map() {
        let heat = |fast: u64| Heat {
            id: "h".to_owned(),
            title: String::new(),
            description: String::new(),
            class: "all".to_owned(),
            edges: vec![0.0, 1.0],
            columns: vec![vec![(1, fast), (200_000, 5000), (900_000, 4000)]],
            height: 220.0,
        };
        assert_eq!(heat(3).lowest(), 200_000);
        assert!(!heat(3).draw().contains(">100 ns<"));
        assert_eq!(heat(100).lowest(), 1);
    }

    #[test]
    fn a_stray_io_has_the_faintest_shade_and_nothing_has_none() {
        assert_eq!(shade_of(1, 1_000_000), 0);
        assert_eq!(shade_of(600, 1000), SHADES - 1);
        assert_eq!(shade_of(0, 10), SHADES);
    }

    #[test]
    fn cells_of_one_shade_beside_each_other_are_one_stroke_without_gaps() {
        // Intervals of a second, one of them cut by the end of a warm-up.
        let edges = [0.0, 1.0, 1.1, 2.0, 3.0, 4.0, 5.0];
        let heat = Heat {
            id: "h".into(),
            title: "t".into(),
            description: "d".into(),
            class: "read".into(),
            edges: edges.to_vec(),
            columns: vec![vec![(1000, 10)]; 6],
            height: 200.0,
        };
        let svg = heat.draw();
        assert_eq!(
            svg.matches("class=\"heat h6 read\" d=\"M0 3.5h6\"").count(),
            1,
            "{svg}"
        );
        let many = Heat {
            edges: (0..=4000).map(f64::from).collect(),
            columns: vec![vec![(1000, 10), (5000, 10), (90_000, 1)]; 4000],
            ..heat
        };
        assert!(many.draw().len() < 4000, "{}", many.draw().len());
    }

    #[test]
    fn an_empty_map_is_drawn() {
        let heat = Heat {
            id: "h".into(),
            title: "t".into(),
            description: "d".into(),
            class: "read".into(),
            edges: vec![],
            columns: vec![],
            height: 200.0,
        };
        assert!(!heat.draw().contains("NaN"));
    }
}
