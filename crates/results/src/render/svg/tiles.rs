//! A map of a figure over two others: a tile for each pair that was measured, its shade and its text the figure.
//!
//! The values are written in the tiles, so that nothing depends on shade, colour or a pointer. Smaller tiles lie on larger ones,
//! whose values stand where they still show; a tile without room for its value has a number, and what it stands for is
//! written below the map (`Tiles::keys`). Must never: write over another word or over a tile that is not its own.

use super::parts::Axis;
use super::room::{Patch, TileWord, placed};
use super::scale::{Scale, ScaleKind, Unit, exact};
use super::shape::{document, line, px, text};
use super::ticks::ticks;
use crate::words::{thousands, whole};
use leadline_text::markup::attribute;
use std::fmt::Write as _;

/// Shades from faint to full.
const SHADES: f64 = 7.0;
/// From this shade on, text is light on dark.
const DARK: usize = 5;
const LEFT: f64 = 50.0;
const MARGIN: f64 = 14.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 40.0;

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
    /// Width in units: 440, or 760 where tiles need it.
    pub width: f64,
    /// Height in units.
    pub height: f64,
}

/// Width of a map of few tiles.
pub const NARROW: f64 = 440.0;
/// Width of one of many.
pub const WIDE: f64 = 760.0;

impl Tiles {
    /// Whether it has the width of two charts.
    #[must_use]
    pub const fn is_wide(&self) -> bool {
        self.width > NARROW
    }

    const fn right(&self) -> f64 {
        self.width - MARGIN
    }

    /// The map as an SVG element.
    #[must_use]
    pub fn draw(&self) -> String {
        let floor = self.height - BOTTOM;
        let (x, y) = self.scales();
        let mut out = String::new();
        for (tile, patch) in self.tiles.iter().zip(self.patches()) {
            self.tile(tile, patch, &mut out);
        }
        for word in self.words() {
            self.word(&word, &mut out);
        }
        line(&mut out, (LEFT, floor), (self.right(), floor), "axis");
        for (tick, words) in ticks(&x, self.x.unit) {
            text(&mut out, (x.at(tick), floor + 16.0), "tick mid", &words);
        }
        for (tick, words) in ticks(&y, self.y.unit) {
            text(&mut out, (LEFT - 6.0, y.at(tick) + 4.0), "tick end", &words);
        }
        text(&mut out, (4.0, 13.0), "label", &self.y.label);
        let at = (self.right(), floor + 33.0);
        text(&mut out, at, "label end", &self.x.label);
        let words = (self.title.as_str(), self.description.as_str());
        document((self.width, self.height), &self.id, words, &out)
    }

    /// The text below the map: the number in a tile, the pair and its figure.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let words = self.words();
        let mut keys: Vec<&TileWord> = words.iter().filter(|word| word.key > 0).collect();
        keys.sort_by_key(|word| word.key);
        let said = |word: &&TileWord| {
            let tile = self.tiles.get(word.of)?;
            let rates = (whole(tile.at.0), whole(tile.at.1));
            let (across, up) = (thousands(rates.0), thousands(rates.1));
            Some(format!(
                "{} = {across} and {up}: {}",
                word.key,
                self.exactly(tile)
            ))
        };
        keys.iter().filter_map(said).collect()
    }

    /// Whether a tile has neither its figure nor a number.
    #[must_use]
    pub fn is_short_of_room(&self) -> bool {
        let known = self.tiles.iter().filter(|tile| tile.value.is_some());
        known.count() > self.words().len()
    }

    fn scales(&self) -> (Scale, Scale) {
        let end = |of: fn(&MapTile) -> f64| self.tiles.iter().map(of).fold(0.0, f64::max);
        let fit = |end, from, to| Scale::fit(ScaleKind::Linear, [0.0, end].into_iter(), from, to);
        (
            fit(end(|t| t.at.0 + t.size.0 / 2.0), LEFT, self.right()),
            fit(end(|t| t.at.1 + t.size.1 / 2.0), self.height - BOTTOM, TOP),
        )
    }

    /// Where each tile is.
    fn patches(&self) -> Vec<Patch> {
        let (x, y) = self.scales();
        let of = |tile: &MapTile| {
            let ((across, up), (wide, high)) = (tile.at, tile.size);
            Patch {
                left: x.at(across - wide / 2.0),
                top: y.at(up + high / 2.0),
                right: x.at(across + wide / 2.0),
                bottom: y.at(up - high / 2.0),
            }
        };
        self.tiles.iter().map(of).collect()
    }

    /// What is written in the tiles, and where.
    fn words(&self) -> Vec<TileWord> {
        let said: Vec<String> = self.tiles.iter().map(|tile| self.shortly(tile)).collect();
        placed(&self.patches(), &said)
    }

    /// The figure with at most four digits, or nothing.
    fn shortly(&self, tile: &MapTile) -> String {
        let Some(value) = tile.value else {
            return String::new();
        };
        let words = self.unit.text(value);
        let (number, unit) = words.split_once(' ').unwrap_or((&words, ""));
        // Of hundreds, no part of one.
        let number = match number.split_once('.') {
            Some((long, _)) if long.len() > 2 => crate::words::trim_to(value_of(number), 0),
            _ => number.to_owned(),
        };
        format!("{}{number} {unit}", least(tile))
            .trim_end()
            .to_owned()
    }

    fn exactly(&self, tile: &MapTile) -> String {
        let value = tile.value.map(|value| exact(self.unit, value));
        let known = value.map(|value| format!("{}{value}", least(tile)));
        known.unwrap_or_else(|| "not known".to_owned())
    }

    fn tile(&self, tile: &MapTile, patch: Patch, out: &mut String) {
        let pair = format!(
            "{} {}, {} {}: {}",
            self.x.label,
            thousands(whole(tile.at.0)),
            self.y.label,
            thousands(whole(tile.at.1)),
            self.exactly(tile)
        );
        let shade = tile.value.map(|value| self.shade(value));
        let class = shade.map_or_else(|| "tile".to_owned(), |shade| format!("tile all h{shade}"));
        let [x, y] = [patch.left, patch.top].map(px);
        let (wide, high) = (patch.right - patch.left, patch.bottom - patch.top);
        let [wide, high] = [wide, high].map(|size| (size - 1.0).max(1.0));
        // What is below a tile that lies on others must not shine through it.
        if self.is_on_others(tile) {
            let [wide, high] = [wide, high].map(px);
            let _ = write!(
                out,
                "<rect class=\"paper\" x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\"/>"
            );
        }
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>",
            px(wide),
            px(high),
            attribute(&pair)
        );
    }

    fn is_on_others(&self, tile: &MapTile) -> bool {
        let largest = self.tiles.first();
        largest.is_some_and(|first| tile.size.0 < first.size.0 * 0.99)
    }

    fn word(&self, word: &TileWord, out: &mut String) {
        let value = self.tiles.get(word.on).and_then(|tile| tile.value);
        let class = match value.is_some_and(|value| self.shade(value) >= DARK) {
            true => "tick mid light",
            false => "tick mid dark",
        };
        for (line, down) in word.lines.iter().zip([0.0, super::room::LINE]) {
            text(out, (word.at.0, word.at.1 + down), class, line);
        }
        if let Some(from) = word.leader {
            line(out, from, (word.at.0, word.at.1 - 4.0), "axis");
        }
    }

    /// By equal factors from the least value to the largest.
    fn shade(&self, value: f64) -> usize {
        let values = || self.tiles.iter().filter_map(|tile| tile.value);
        let low = values().fold(f64::INFINITY, f64::min).max(1e-9);
        let high = values().fold(0.0, f64::max).max(low);
        let share = (value.max(low) / low).ln() / (high / low).ln().max(1e-9);
        let shade = (share * SHADES).floor().clamp(0.0, SHADES - 1.0);
        usize::try_from(whole(shade)).unwrap_or(0)
    }
}

fn least(tile: &MapTile) -> &'static str {
    if tile.beyond { "\u{2265} " } else { "" }
}

fn value_of(number: &str) -> f64 {
    number.parse().unwrap_or(0.0)
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
            width: NARROW,
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
        // One too small for its value has it in its title, and a number.
        assert!(svg.contains("2.00 ms</title>") && !svg.contains(">2 ms</text>"));
        assert!(svg.contains(">1</text>"), "{svg}");
        assert_eq!(map.keys(), ["1 = 1,500 and 1,500: 2.00 ms"]);
        assert!(!map.is_short_of_room());
        assert!(!of(Vec::new()).draw().contains("NaN"));
    }
}
