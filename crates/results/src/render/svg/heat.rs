//! A latency heat map: time to the right, latency upward on a logarithmic scale, the shade of a cell the
//! share of that interval's I/Os in it. Cells of one shade are one path, so that a map stays small.

use super::scale::Unit;
use super::shape::{document, line, px, text};
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

const WIDTH: f64 = 440.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 426.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 34.0;
/// Rows in a factor of two.
const ROWS: f64 = 4.0;

impl Heat {
    /// The map as an SVG element.
    #[must_use]
    pub fn draw(&self) -> String {
        let floor = self.height - BOTTOM;
        let values = || {
            self.columns
                .iter()
                .flatten()
                .filter(|c| c.1 > 0)
                .map(|c| c.0.max(1))
        };
        let low = (values().min().unwrap_or(1) as f64).log2().floor();
        let high = (values().max().unwrap_or(2) as f64)
            .log2()
            .ceil()
            .max(low + 1.0);
        let y = |exponent: f64| floor - (exponent - low) / (high - low) * (floor - TOP);
        let end = self.edges.last().copied().unwrap_or(1.0).max(1e-9);
        let x = |s: f64| LEFT + s / end * (RIGHT - LEFT);
        let mut out = String::with_capacity(8192);
        for (shade, d) in self.paths(low, high, &x, &y).iter().enumerate() {
            if !d.is_empty() {
                let class = &self.class;
                let _ = write!(out, "<path class=\"heat h{shade} {class}\" d=\"{d}\"/>");
            }
        }
        self.axes((low, high), (end, floor), &y, &mut out);
        document(
            (WIDTH, self.height),
            &self.id,
            (&self.title, &self.description),
            &out,
        )
    }

    fn paths(
        &self,
        low: f64,
        high: f64,
        x: &impl Fn(f64) -> f64,
        y: &impl Fn(f64) -> f64,
    ) -> Vec<String> {
        let rows = ((high - low) * ROWS).ceil();
        let mut paths = vec![String::new(); SHADES];
        for (column, edges) in self.columns.iter().zip(self.edges.windows(2)) {
            let mut cells = std::collections::BTreeMap::new();
            let total: u64 = column.iter().map(|c| c.1).sum();
            for &(value, count) in column {
                let row = (((value.max(1) as f64).log2() - low) * ROWS)
                    .floor()
                    .clamp(0.0, rows);
                *cells.entry(crate::words::whole(row)).or_insert(0_u64) += count;
            }
            let (left, right) = (x(edges[0]), x(edges[1]));
            for (row, count) in cells {
                let Some(path) = paths.get_mut(shade_of(count, total)) else {
                    continue;
                };
                let bottom = y(low + row as f64 / ROWS);
                let top = y(low + (row as f64 + 1.0) / ROWS);
                let (w, h) = (px(right - left + 0.2), px(top - bottom));
                let _ = write!(path, "M{} {}h{w}v{h}H{}z", px(left), px(bottom), px(left));
            }
        }
        paths
    }

    fn axes(
        &self,
        (low, high): (f64, f64),
        (end, floor): (f64, f64),
        y: &impl Fn(f64) -> f64,
        out: &mut String,
    ) {
        let scale = super::scale::Scale::fit(
            super::scale::ScaleKind::Log10,
            [low.exp2(), high.exp2()].into_iter(),
            0.0,
            1.0,
        );
        let inside = |t: &f64| *t >= low.exp2() * 0.99 && *t <= high.exp2() * 1.01;
        for tick in scale.ticks().into_iter().filter(inside) {
            let at = y(tick.log2());
            line(out, (LEFT, at), (RIGHT, at), "grid over");
            text(
                out,
                (LEFT - 6.0, at + 4.0),
                "tick end",
                &Unit::Nanos.text(tick),
            );
        }
        line(out, (LEFT, floor), (RIGHT, floor), "axis");
        let time = super::scale::Scale::fit(
            super::scale::ScaleKind::Linear,
            [0.0, end].into_iter(),
            LEFT,
            RIGHT,
        );
        for tick in time.ticks() {
            text(
                out,
                (time.at(tick), floor + 16.0),
                "tick mid",
                &Unit::Seconds.text(tick),
            );
        }
        text(out, (4.0, 13.0), "label", "latency");
        text(out, (RIGHT, floor + 30.0), "label end", "time in the stage");
    }
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
    fn a_stray_io_has_the_faintest_shade_and_nothing_has_none() {
        assert_eq!(shade_of(1, 1_000_000), 0);
        assert_eq!(shade_of(600, 1000), SHADES - 1);
        assert_eq!(shade_of(0, 10), SHADES);
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
