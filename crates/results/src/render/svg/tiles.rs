//! A map of a figure over two others: a tile for each pair that was measured, its shade and its text the figure.
//!
//! The values stand in the tiles, so that nothing depends on shade, colour or a pointer; a tile that is too small for
//! its value says it to a pointer and to a screen reader only.

use super::parts::Axis;
use super::scale::{Scale, ScaleKind, Unit};
use super::shape::{document, line, px, text};
use leadline_text::markup::attribute;
use std::fmt::Write as _;

/// Shades from faint to full.
const SHADES: f64 = 7.0;
/// From this shade on, text is light on dark.
const DARK: usize = 5;
const WIDTH: f64 = 440.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 426.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 40.0;
/// Narrower tiles have no text.
const NARROW: f64 = 44.0;

/// A pair and its figure.
#[derive(Clone, Debug)]
pub struct MapTile {
    /// To the right, and up.
    pub at: (f64, f64),
    /// Width and height of what it stands for, in the units of the axes.
    pub size: (f64, f64),
    /// The figure; `None` = it has none that is known.
    pub value: Option<f64>,
    /// The figure is at least that, as more was asked than is done.
    pub beyond: bool,
}

/// A map of tiles.
#[derive(Clone, Debug)]
pub struct Tiles {
    /// Unique within the page.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The same in words.
    pub description: String,
    /// To the right.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// Unit of the figure.
    pub unit: Unit,
    /// Larger tiles first: smaller ones are drawn on them.
    pub tiles: Vec<MapTile>,
    /// Height in units; the width is 440.
    pub height: f64,
}

impl Tiles {
    /// The map as an SVG element.
    #[must_use]
    pub fn draw(&self) -> String {
        let floor = self.height - BOTTOM;
        let end = |of: fn(&MapTile) -> f64| self.tiles.iter().map(of).fold(0.0, f64::max);
        let x = Scale::fit(
            ScaleKind::Linear,
            [0.0, end(|t| t.at.0 + t.size.0 / 2.0)].into_iter(),
            LEFT,
            RIGHT,
        );
        let y = Scale::fit(
            ScaleKind::Linear,
            [0.0, end(|t| t.at.1 + t.size.1 / 2.0)].into_iter(),
            floor,
            TOP,
        );
        let mut out = String::new();
        for tile in &self.tiles {
            self.tile(tile, (&x, &y), &mut out);
        }
        line(&mut out, (LEFT, floor), (RIGHT, floor), "axis");
        for tick in x.ticks() {
            let words = self.x.unit.text(tick);
            text(&mut out, (x.at(tick), floor + 16.0), "tick mid", &words);
        }
        for tick in y.ticks() {
            let words = self.y.unit.text(tick);
            text(&mut out, (LEFT - 6.0, y.at(tick) + 4.0), "tick end", &words);
        }
        text(&mut out, (4.0, 13.0), "label", &self.y.label);
        let at = (RIGHT, floor + 33.0);
        text(&mut out, at, "label end", &self.x.label);
        let words = (self.title.as_str(), self.description.as_str());
        document((WIDTH, self.height), &self.id, words, &out)
    }

    fn tile(&self, tile: &MapTile, (x, y): (&Scale, &Scale), out: &mut String) {
        let ((across, up), (wide, high)) = (tile.at, tile.size);
        let (left, right) = (x.at(across - wide / 2.0), x.at(across + wide / 2.0));
        let (top, bottom) = (y.at(up + high / 2.0), y.at(up - high / 2.0));
        let said = tile.value.map_or_else(
            || "not known".to_owned(),
            |value| {
                let least = if tile.beyond { "\u{2265} " } else { "" };
                format!("{least}{}", self.unit.text(value))
            },
        );
        let pair = format!(
            "{} {}, {} {}: {said}",
            self.x.label,
            self.x.unit.text(across),
            self.y.label,
            self.y.unit.text(up)
        );
        let shade = tile.value.map(|value| self.shade(value));
        let class = shade.map_or_else(|| "tile".to_owned(), |shade| format!("tile all h{shade}"));
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>",
            px(left),
            px(top),
            px((right - left - 1.0).max(1.0)),
            px((bottom - top - 1.0).max(1.0)),
            attribute(&pair)
        );
        if tile.value.is_some() && right - left >= NARROW && bottom - top >= 12.0 {
            let class = match shade.is_some_and(|shade| shade >= DARK) {
                true => "tick mid light",
                false => "tick mid dark",
            };
            let at = (f64::midpoint(left, right), f64::midpoint(top, bottom) + 4.0);
            text(out, at, class, &said);
        }
    }

    /// By equal factors from the least value to the largest.
    fn shade(&self, value: f64) -> usize {
        let values = || self.tiles.iter().filter_map(|tile| tile.value);
        let low = values().fold(f64::INFINITY, f64::min).max(1e-9);
        let high = values().fold(0.0, f64::max).max(low);
        let share = (value.max(low) / low).ln() / (high / low).ln().max(1e-9);
        let shade = (share * SHADES).floor().clamp(0.0, SHADES - 1.0);
        usize::try_from(crate::words::whole(shade)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(at: (f64, f64), size: f64, value: Option<f64>) -> MapTile {
        MapTile {
            at,
            size: (size, size),
            value,
            beyond: value.is_some_and(|value| value > 5e7),
        }
    }

    fn of(tiles: Vec<MapTile>) -> Tiles {
        Tiles {
            id: "m".to_owned(),
            title: "t".to_owned(),
            description: "d".to_owned(),
            x: Axis::new("reads a second", ScaleKind::Linear, Unit::Count),
            y: Axis::new("writes a second", ScaleKind::Linear, Unit::Count),
            unit: Unit::Nanos,
            tiles,
            height: 260.0,
        }
    }

    #[test]
    fn values_stand_in_their_tiles_and_shades_rise_with_them() {
        let map = of(vec![
            tile((1000.0, 1000.0), 1000.0, Some(1e6)),
            tile((2000.0, 1000.0), 1000.0, Some(1e7)),
            tile((2000.0, 2000.0), 1000.0, Some(1e8)),
            tile((1000.0, 2000.0), 1000.0, None),
            tile((1500.0, 1500.0), 100.0, Some(2e6)),
        ]);
        let shades: Vec<usize> = [1e6, 1e7, 1e8].map(|v| map.shade(v)).to_vec();
        assert_eq!(shades, [0, 3, 6]);
        let svg = map.draw();
        for said in [">1 ms</text>", ">10 ms</text>", ">\u{2265} 100 ms</text>"] {
            assert!(svg.contains(said), "{said}: {svg}");
        }
        assert!(svg.contains("not known"), "{svg}");
        // A small one has its value in its title alone.
        assert!(svg.contains("2 ms</title>") && !svg.contains(">2 ms</text>"));
        assert!(!of(Vec::new()).draw().contains("NaN"));
    }
}
