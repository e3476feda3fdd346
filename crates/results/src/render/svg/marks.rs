//! What is marked in a chart of lines, and where its words stand: where the fewest lines cross them.
//!
//! Belongs here: bands, levels, rings and lines of marks with their words. Must never: draw a series.

use super::labels::{folded, shortened};
use super::letters::{LetterWeight, WordRoom};
use super::parts::{END, Frame, LEFT, Series, Shape, TOP};
use super::shape::{crosses, line, part_of, px, text};
use super::tags::{TagPlace, room};
use crate::stats::Bracket;
use std::fmt::Write as _;

/// Something marked in the chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A vertical line at x, with a word.
    At(f64, String),
    /// A ring around a point, with a word.
    Ring(f64, f64, String),
    /// A band from x to x, with a word.
    Band(f64, f64, String),
    /// A faint level line at y, with a word.
    Level(f64, String),
}

impl Mark {
    /// The band of the warm-ups of what a chart shows, which end between these two times in seconds; `None` = there is none. It
    /// reaches to the longest, and says so where they differ: merged intervals may end a little beside the end of one.
    pub(crate) fn warm_up((shortest, longest): (f64, f64)) -> Option<Self> {
        /// Ends within this share of each other are one.
        const SAME: f64 = 0.05;
        let name = match longest - shortest > SAME * longest {
            true => "longest warm-up",
            false => "warm-up",
        };
        (longest > 0.0).then(|| Self::Band(0.0, longest, name.to_owned()))
    }

    /// What is said of it.
    fn words(&self) -> &str {
        match self {
            Self::At(_, words)
            | Self::Ring(_, _, words)
            | Self::Band(_, _, words)
            | Self::Level(_, words) => words,
        }
    }

    /// The same, shortened where it is wider than a frame.
    fn words_in(&self, f: &Frame) -> String {
        let letters = match self {
            Self::Ring(..) => LetterWeight::Bold,
            Self::At(..) | Self::Band(..) | Self::Level(..) => LetterWeight::Plain,
        };
        let room = WordRoom::Units(f.right - LEFT - 8.0, letters);
        shortened(self.words(), room)
    }
}

/// From a ring to a word beside it.
pub(super) const BESIDE_RING: f64 = 12.0;
/// How far such a word goes above and below its foot.
const ABOVE: f64 = 10.0;
const BELOW: f64 = 3.0;
/// Rows of words of vertical marks at the top, and at the bottom.
const ROWS: u32 = 8;
/// From one line of words to the next.
pub(super) const LINE: f64 = 11.0;
/// From one row, or one place along a level, to the next.
const STEP: f64 = 12.0;
/// Vertical marks that are closer have their words above each other.
const APART: f64 = 90.0;
/// From the middle of a point to the end of its marker, and to the top of the arrow above one that is at least so high.
const MARKER: f64 = 4.0;
const ARROW: f64 = 15.0;
/// Size of a ring.
const RING: f64 = 8.0;
/// What a crossing costs: of another word, of the marker of a point, of a series, of another mark.
const ON_A_WORD: u32 = 1000;
const ON_A_MARKER: u32 = 100;
const ON_A_SERIES: u32 = 10;
const ON_A_MARK: u32 = 1;

/// A place in a picture.
pub(super) type Pixel = (f64, f64);

/// A word in its place: its foot, whether it ends there, and the room that it takes.
#[derive(Clone, Copy)]
struct WordsPlace {
    at: Pixel,
    is_end: bool,
    room: [f64; 4],
    /// The line that belongs to it where it stands there.
    own: Option<(Pixel, Pixel)>,
    /// Of words beside a ring the room in which they are folded, in the margin.
    beside: Option<f64>,
}

impl WordsPlace {
    fn new(words: &str, at: Pixel, is_end: bool, own: Option<(Pixel, Pixel)>) -> Self {
        Self::of((words, LetterWeight::Plain), at, is_end, own)
    }

    /// That of words with such letters.
    fn of(
        (words, letters): (&str, LetterWeight),
        at: Pixel,
        is_end: bool,
        own: Option<(Pixel, Pixel)>,
    ) -> Self {
        let wide = letters.width(words);
        let left = if is_end { at.0 - wide } else { at.0 };
        Self {
            at,
            is_end,
            room: [left, at.1 - ABOVE, left + wide, at.1 + BELOW],
            own,
            beside: None,
        }
    }

    /// Whether it is between the left and the right end of the frame.
    fn is_inside(&self, f: &Frame) -> bool {
        self.room[0] >= LEFT && self.room[2] <= f.right
    }

    /// Whether it is between the left and the right end of the picture.
    fn is_in_picture(&self) -> bool {
        self.room[0] >= 0.0 && self.room[2] <= END
    }

    /// The same moved between these.
    fn between(mut self, (left, right): (f64, f64)) -> Self {
        let over = (self.room[2] - right).max(0.0);
        let by = (left - (self.room[0] - over)).max(0.0) - over;
        self.at.0 += by;
        self.room[0] += by;
        self.room[2] += by;
        self
    }

    /// The same moved into the picture.
    fn in_picture(self) -> Self {
        self.between((0.0, END))
    }
}

/// The places that are inside, and the first, which is the best, where it is in the picture; where there are none, the
/// first moved into the picture.
fn kept(
    all: impl Iterator<Item = WordsPlace>,
    is_inside: impl Fn(&WordsPlace) -> bool,
) -> Vec<WordsPlace> {
    let all: Vec<WordsPlace> = all.collect();
    let is_kept = |(n, place): &(usize, &WordsPlace)| match n {
        0 => place.is_in_picture(),
        _ => is_inside(place),
    };
    let inside: Vec<WordsPlace> = (all.iter().enumerate().filter(is_kept))
        .map(|(_, place)| *place)
        .collect();
    match inside.is_empty() {
        true => all
            .first()
            .map(|first| first.in_picture())
            .into_iter()
            .collect(),
        false => inside,
    }
}

/// The marks of a chart with the places of their words.
pub(super) struct Marked<'a> {
    marks: &'a [Mark],
    /// The words of each mark, shortened where they are wider than the chart.
    said: Vec<String>,
    /// Of each mark its words' place; none where it has no words.
    places: Vec<Option<WordsPlace>>,
    /// What words keep clear of: lines and what crossing them costs, and words.
    lines: Vec<(Pixel, Pixel, u32)>,
    taken: Vec<[f64; 4]>,
    /// The markers of points: a word has a halo in the colour of the paper, which would hide them.
    markers: Vec<[f64; 4]>,
}

impl<'a> Marked<'a> {
    /// Places all words: clear of the series, of each other, of what is `taken` by others, and of the label of the axis
    /// above the frame.
    pub(super) fn of(
        (marks, series): (&'a [Mark], &[Series]),
        (tags, taken): (&[Vec<Option<TagPlace>>], Vec<[f64; 4]>),
        label: &str,
        f: &Frame,
    ) -> Self {
        let wide = LetterWeight::Plain.width(label);
        let mut own = Self {
            marks,
            said: marks.iter().map(|mark| mark.words_in(f)).collect(),
            places: vec![None; marks.len()],
            lines: Vec::new(),
            taken,
            markers: series.iter().flat_map(|one| markers(one, f)).collect(),
        };
        own.taken.push([4.0, 3.0, 4.0 + wide, 16.0]);
        series.iter().for_each(|one| pieces(one, f, &mut own.lines));
        own.taken
            .extend(series.iter().flat_map(|one| values(one, f)));
        for (places, one) in tags.iter().zip(series) {
            let placed = places.iter().zip(&one.tags);
            own.taken
                .extend(placed.filter_map(|(place, tag)| Some(room(place.as_ref()?, tag))));
        }
        for mark in marks {
            if let Mark::Ring(x, y, _) = mark {
                let (x, y) = (f.x.at(*x), f.y.at(*y));
                own.taken.push([x - RING, y - RING, x + RING, y + RING]);
            }
        }
        for (n, mark) in marks.iter().enumerate() {
            let words = own.said[n].clone();
            own.places[n] = match mark {
                Mark::Ring(x, y, _) => {
                    let (at, is_last) = ((f.x.at(*x), f.y.at(*y)), is_last(series, *x));
                    own.take(ring_words(&words, at, is_last, f))
                }
                Mark::Band(from, to, _) => {
                    let ends = (f.x.at(*from), f.x.at(*to));
                    let place = band_words(&words, ends, marks, f);
                    own.take(vec![place.in_picture()])
                }
                Mark::Level(y, _) => {
                    let y = f.y.at(*y);
                    own.lines.push(((LEFT, y), (f.right, y), ON_A_MARK));
                    None
                }
                Mark::At(..) => None,
            };
        }
        own.vertical(f);
        own.level(f);
        own
    }

    /// The words of vertical marks, from the ends of the frame to its middle: a word is above the lines that come after it,
    /// which begin at their own words.
    fn vertical(&mut self, f: &Frame) {
        let mut all: Vec<(usize, f64, String)> = Vec::new();
        for (n, (mark, words)) in self.marks.iter().zip(&self.said).enumerate() {
            if let Mark::At(x, _) = mark {
                all.push((n, f.x.at(*x), words.clone()));
            }
        }
        let middle = f64::midpoint(LEFT, f.right);
        all.sort_by(|a, b| (b.1 - middle).abs().total_cmp(&(a.1 - middle).abs()));
        let far = |two: &(f64, f64)| (two.0 - two.1).abs() >= APART;
        let pairs = all.iter().enumerate();
        let pairs = pairs.flat_map(|(n, one)| all[..n].iter().map(|other| (one.1, other.1)));
        // Of several they are at the top, where a curve that rises late leaves room.
        let at_top = all.len() > 2 || !pairs.into_iter().all(|two| far(&two));
        for (n, x, words) in all {
            let place = self.take(at_words(&words, x, at_top, f));
            let top = place.map_or(TOP, |place| start(&place, f));
            self.lines.push(((x, top), (x, f.floor), ON_A_MARK));
            self.places[n] = place;
        }
    }

    /// The words of levels: on the left where nothing crosses them there, as rates have not risen to it yet; else further
    /// to the right, or below the line.
    fn level(&mut self, f: &Frame) {
        for (n, mark) in self.marks.iter().enumerate() {
            let (Mark::Level(at, _), words) = (mark, &self.said[n]) else {
                continue;
            };
            let y = f.y.at(*at);
            let every = || (0..32).map(|n| LEFT + 4.0 + STEP * f64::from(n));
            let above = every().map(|x| WordsPlace::new(words, (x, y - 6.0), false, None));
            let below = every().map(|x| WordsPlace::new(words, (x, y + 13.0), false, None));
            let is_inside = |place: &WordsPlace| {
                let is_within = place.at.1 < f.floor - 2.0 && place.room[1] > TOP;
                place.is_inside(f) && is_within
            };
            // Above the values of bars that end at the level.
            let higher = every().map(|x| WordsPlace::new(words, (x, y - 22.0), false, None));
            let places = above.chain(below).chain(higher);
            self.places[n] = self.take(kept(places, is_inside));
        }
    }

    /// The first of the places that the fewest lines cross; it is taken from then on.
    fn take(&mut self, places: Vec<WordsPlace>) -> Option<WordsPlace> {
        let best = places.into_iter().min_by_key(|place| self.cost(place))?;
        self.taken.push(best.room);
        Some(best)
    }

    fn cost(&self, place: &WordsPlace) -> u32 {
        let room = &place.room;
        let overlaps = |other: &&[f64; 4]| {
            room[0] < other[2] && other[0] < room[2] && room[1] < other[3] && other[1] < room[3]
        };
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let words = count(self.taken.iter().filter(overlaps).count());
        let markers = count(self.markers.iter().filter(overlaps).count());
        let all = self.lines.iter();
        let crossed = all.filter(|(from, to, _)| crosses(*from, *to, room));
        let crossed: u32 = crossed.map(|(_, _, cost)| *cost).sum();
        let through = place.own.map_or(0, |(from, to)| {
            self.taken
                .iter()
                .filter(|room| crosses(from, to, room))
                .count()
        });
        words
            .saturating_mul(ON_A_WORD)
            .saturating_add(markers.saturating_mul(ON_A_MARKER))
            .saturating_add(crossed + ON_A_MARK * count(through))
    }
}

/// The room of the values above the bars of a series.
fn values<'a>(series: &'a Series, f: &'a Frame) -> impl Iterator<Item = [f64; 4]> + 'a {
    let tagged = series.points.iter().zip(&series.tags).enumerate();
    let tagged = tagged.filter(|(_, (_, tag))| series.bar(f).is_some() && !tag.is_empty());
    tagged.map(|(n, ((x, y), tag))| {
        let top = series.bracket(n).ends().map_or(*y, |ends| ends.1.max(*y));
        let half = LetterWeight::Plain.width(tag) / 2.0;
        let (x, foot) = (f.x.at(*x), f.y.at(top) - 5.0);
        [x - half, foot - ABOVE, x + half, foot + BELOW]
    })
}

/// The room of the markers of a series that has one at each point.
fn markers<'a>(series: &'a Series, f: &'a Frame) -> impl Iterator<Item = [f64; 4]> + 'a {
    let is_marked = matches!(series.shape, Shape::Marked | Shape::Dots);
    let points = series.points.iter().enumerate();
    let points = points.filter(move |(_, (x, y))| is_marked && f.x.holds(*x) && f.y.holds(*y));
    points.map(|(n, (x, y))| {
        let (x, y) = (f.x.at(*x), f.y.at(*y));
        let above = match series.bracket(n) {
            Bracket::AtLeast => ARROW,
            Bracket::Within(..) | Bracket::Unknown => MARKER,
        };
        [x - MARKER, y - above, x + MARKER, y + MARKER]
    })
}

/// The lines that a series is made of.
fn pieces(series: &Series, f: &Frame, out: &mut Vec<(Pixel, Pixel, u32)>) {
    let mut last: Option<Pixel> = None;
    for (x, y) in &series.points {
        if !(f.x.holds(*x) && f.y.holds(*y)) {
            last = None;
            continue;
        }
        let at = (f.x.at(*x), f.y.at(*y));
        let mut add = |from, to| out.push((from, to, ON_A_SERIES));
        match (series.shape, last) {
            // Words on a bar are hard to read: it is as many lines.
            (Shape::Bars(_), _) => {
                let wide = series.bar(f).unwrap_or_default() / 2.0;
                for x in [-wide, 0.0, wide] {
                    add((at.0 + x, f.floor), (at.0 + x, at.1));
                }
                add((at.0 - wide, at.1), (at.0 + wide, at.1));
            }
            (Shape::Dots, _) | (_, None) => add((at.0 - 4.0, at.1), (at.0 + 4.0, at.1)),
            (Shape::Step, Some(from)) => {
                add(from, (at.0, from.1));
                add((at.0, from.1), at);
            }
            (Shape::Line | Shape::Marked, Some(from)) => add(from, at),
        }
        last = Some(at);
    }
}

/// Whether x is close to the right end of what is drawn.
pub(super) fn is_last(series: &[Series], x: f64) -> bool {
    let most = series.iter().flat_map(|s| &s.points).map(|p| p.0);
    x >= most.filter(|v| v.is_finite()).fold(0.0, f64::max) * 0.93
}

/// Where the line of a vertical mark begins: at its word, of one at the top.
fn start(place: &WordsPlace, f: &Frame) -> f64 {
    let is_high = place.at.1 < f64::midpoint(TOP, f.floor);
    if is_high { place.at.1 - ABOVE } else { TOP }
}

/// Places for the word of a vertical mark: beside its line, at the top or the bottom first.
fn at_words(words: &str, x: f64, at_top: bool, f: &Frame) -> Vec<WordsPlace> {
    if words.is_empty() {
        return Vec::new();
    }
    let is_right = x > f64::midpoint(LEFT, f.right);
    let rows = (0..ROWS).map(|row| STEP * f64::from(row));
    let high = rows.clone().map(|row| TOP + STEP + row);
    let low = rows.map(|row| f.floor - 6.0 - row);
    let heights: Vec<f64> = match at_top {
        true => high.chain(low).collect(),
        false => low.chain(high).collect(),
    };
    let beside = |is_end: bool, y: f64| {
        let foot = (if is_end { x - 4.0 } else { x + 4.0 }, y);
        let place = WordsPlace::new(words, foot, is_end, None);
        let own = ((x, start(&place, f)), (x, f.floor));
        WordsPlace {
            own: Some(own),
            ..place
        }
    };
    let near = heights.iter().map(|y| beside(is_right, *y));
    let far = heights.iter().map(|y| beside(!is_right, *y));
    kept(near.chain(far), |place| place.is_inside(f))
}

/// Places for the word of a ring. At the right end there is room beside it; elsewhere below, as curves level off. Near the
/// floor it is left of the ring, as a curve that turns there climbs to the right. Where another word stands there, it is
/// further below or above, or on the other side.
fn ring_words(words: &str, (x, y): Pixel, is_last: bool, f: &Frame) -> Vec<WordsPlace> {
    let first = match y > f.floor - 30.0 {
        true => ((x - 8.0, y - 9.0), true),
        false => ((x - 4.0, y + 22.0), false),
    };
    let rows = || (0..ROWS).map(|row| STEP * f64::from(row));
    let below = rows().flat_map(|row| {
        [(x - 4.0, false), (x + 4.0, true)].map(|(x, is_end)| ((x, y + 22.0 + row), is_end))
    });
    let above = rows().flat_map(|row| {
        [(x + 4.0, true), (x - 4.0, false)].map(|(x, is_end)| ((x, y - 12.0 - row), is_end))
    });
    let beside = [(BESIDE_RING, false), (-BESIDE_RING, true)];
    let beside = beside.map(|(far, is_end)| ((x + far, y + 4.0), is_end));
    let all = std::iter::once(first).chain(below).chain(above);
    let all = all.chain(beside);
    let bold = (words, LetterWeight::Bold);
    // Of long words neither end may have room for the whole.
    let all = all.map(|(at, is_end)| {
        WordsPlace::of(bold, at, is_end, None).between((LEFT + 1.0, f.right - 1.0))
    });
    let in_margin = in_margin(words, (x, y)).filter(|_| is_last);
    kept(in_margin.into_iter().chain(all), |place| {
        let is_within = place.room[1] > TOP - 6.0 && place.room[3] < f.floor;
        place.is_inside(f) && is_within
    })
}

/// The words of a ring at the right end: beside it, in the margin, where they have room there.
fn in_margin(words: &str, (x, y): Pixel) -> Option<WordsPlace> {
    let left = x + BESIDE_RING;
    let lines = beside_ring(words, END - left)?;
    let wide = lines.iter().map(|line| LetterWeight::Bold.width(line));
    let down = lines.len().saturating_sub(1) as f64 * LINE;
    let foot = y + 4.0 - down / 2.0;
    let right = left + wide.fold(0.0, f64::max);
    Some(WordsPlace {
        room: [left, foot - ABOVE, right, foot + down + BELOW],
        beside: Some(END - left),
        ..WordsPlace::new("", (left, foot), false, None)
    })
}

/// The words of a ring on the lines that they take beside it; `None` = there is no room for them.
pub(super) fn beside_ring(words: &str, wide: f64) -> Option<Vec<String>> {
    let lines = folded(words, WordRoom::Units(wide, LetterWeight::Bold), 2);
    let is_cut = lines.iter().any(|line| line.contains('\u{2026}'));
    (!is_cut).then_some(lines)
}

fn band_words(words: &str, (from, to): (f64, f64), marks: &[Mark], f: &Frame) -> WordsPlace {
    // A level at the top has its own words there.
    let is_top = |y: f64| f.y.at(y) < TOP + 18.0;
    let is_high = |m: &Mark| matches!(m, Mark::Level(y, _) if is_top(*y));
    let (at, is_end) = match marks.iter().any(is_high) {
        true => ((to - 4.0, TOP + 34.0), true),
        false => ((from + 3.0, TOP + 10.0), false),
    };
    WordsPlace::new(words, at, is_end, None)
}

impl Marked<'_> {
    /// Bands, and the lines of vertical marks: they stand behind the series.
    pub(super) fn behind(&self, f: &Frame, out: &mut String) {
        for (mark, place) in self.marks.iter().zip(&self.places) {
            match mark {
                Mark::Band(from, to, _) => {
                    let (x, to) = (f.x.at(*from), f.x.at(*to));
                    let (left, top) = (px(x), px(TOP));
                    let (wide, high) = (px(to - x), px(f.floor - TOP));
                    let _ = write!(
                        out,
                        "<rect class=\"band\" x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\"/>"
                    );
                }
                Mark::At(at, _) => {
                    let x = f.x.at(*at);
                    let top = place.as_ref().map_or(TOP, |place| start(place, f));
                    line(out, (x, top), (x, f.floor), "mark");
                }
                Mark::Ring(..) | Mark::Level(..) => {}
            }
        }
    }

    /// Faint level lines, which are for all of x.
    pub(super) fn levels(&self, f: &Frame, out: &mut String) {
        for mark in self.marks {
            if let Mark::Level(at, _) = mark {
                let y = f.y.at(*at);
                line(out, (LEFT, y), (f.right, y), "published");
            }
        }
    }

    /// Rings around points, and the words of all that is at a place along x, before the series.
    pub(super) fn before(&self, f: &Frame, out: &mut String) {
        for mark in self.marks {
            if let Mark::Ring(at, y, _) = mark {
                let (x, y) = (px(f.x.at(*at)), px(f.y.at(*y)));
                let _ = write!(
                    out,
                    "<circle class=\"ring\" cx=\"{x}\" cy=\"{y}\" r=\"{RING}\"/>"
                );
            }
        }
        self.words(false, out);
    }

    /// The words of levels, or of all others.
    pub(super) fn words(&self, of_levels: bool, out: &mut String) {
        let placed = self.marks.iter().zip(&self.said).zip(&self.places);
        for ((mark, words), place) in placed {
            let (Some(place), true) = (place, matches!(mark, Mark::Level(..)) == of_levels) else {
                continue;
            };
            let class = match mark {
                Mark::Ring(..) => "strong",
                Mark::At(..) | Mark::Band(..) | Mark::Level(..) => "note",
            };
            let class = if place.is_end {
                format!("{class} end")
            } else {
                class.to_owned()
            };
            let folded = place.beside.and_then(|wide| beside_ring(words, wide));
            for (line, down) in folded.iter().flatten().zip(0_u32..) {
                let at = (place.at.0, place.at.1 + LINE * f64::from(down));
                text(out, at, &class, line);
            }
            if folded.is_none() {
                part_of(out, place.at, &class, (words, mark.words()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::svg::tags::tests::of_one;
    use crate::render::svg::{Axis, Chart, MarkerFill, ScaleKind, Unit};

    /// A chart of one line through points, with marks.
    fn drawn(points: Vec<Pixel>, marks: Vec<Mark>) -> String {
        let chart = Chart {
            marks,
            ..of_one(points)
        };
        chart.draw()
    }

    /// Where the words stand.
    fn room_of(svg: &str, words: &str) -> [f64; 4] {
        let (before, _) = svg.split_once(&format!(">{words}</text>")).unwrap();
        let element = before.rsplit("<text ").next().unwrap();
        let of = |key: &str| {
            let (_, rest) = element.split_once(key).unwrap();
            rest.split('"').next().unwrap().parse::<f64>().unwrap()
        };
        let letters = match element.contains("class=\"strong") {
            true => LetterWeight::Bold,
            false => LetterWeight::Plain,
        };
        let wide = letters.width(words);
        let (x, y) = (of("x=\""), of("y=\""));
        let left = if element.contains(" end\"") {
            x - wide
        } else {
            x
        };
        [left, y - 9.5, left + wide, y + 2.5]
    }

    /// The points of the line as they were drawn.
    fn line_of(svg: &str) -> Vec<Pixel> {
        let (_, rest) = svg.split_once("class=\"line v0 read\"").unwrap();
        let (_, d) = rest.split_once(" d=\"M").unwrap();
        points_of(d)
    }

    /// Those of a path from its first place to its end.
    fn points_of(d: &str) -> Vec<Pixel> {
        let d = d.split('"').next().unwrap();
        let point = |text: &str| {
            let (x, y) = text.split_once(' ').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        };
        d.split('L').map(point).collect()
    }

    #[test]
    fn no_line_crosses_the_words_of_a_level() {
        let level = || Mark::Level(20.0, "published: without (derived, / 2.3)".to_owned());
        // Over the left end of the level, where its words stand first.
        let steep = vec![(0.0, 0.0), (1.0, 40.0), (10.0, 40.0)];
        let late = vec![(0.0, 0.0), (9.0, 10.0), (10.0, 40.0)];
        for (points, is_moved) in [(steep, true), (late, false)] {
            let svg = drawn(points, vec![level()]);
            let room = room_of(&svg, "published: without (derived, / 2.3)");
            let line = line_of(&svg);
            let is_crossed = line.windows(2).any(|two| crosses(two[0], two[1], &room));
            assert!(!is_crossed, "{room:?} {line:?}");
            assert_eq!(room[0] > LEFT + 4.0, is_moved, "{room:?}");
        }
    }

    #[test]
    fn the_words_of_a_level_keep_clear_of_the_values_of_bars() {
        let words = "published: sequential reads of 64 KiB";
        let series = Series {
            label: String::new(),
            class: "k0".to_owned(),
            variant: 0,
            fill: MarkerFill::Full,
            shape: Shape::Bars(1),
            points: vec![(0.0, 45.0), (1.0, 45.0), (2.0, 45.0)],
            tags: ["4.5k", "4.5k", "4.5k"].map(str::to_owned).to_vec(),
            thin_from: None,
            brackets: Vec::new(),
        };
        let names = ["read", "write", "mix"].map(str::to_owned).to_vec();
        let chart = Chart {
            id: "c".to_owned(),
            title: "t".to_owned(),
            description: String::new(),
            x: Axis::of_names("stage", names),
            y: Axis::new("y", ScaleKind::Linear, Unit::Count),
            series: vec![series],
            marks: vec![
                Mark::Level(45.0, words.to_owned()),
                Mark::Level(60.0, String::new()),
            ],
            height: 264.0,
        };
        let svg = chart.draw();
        let foot = |words: &str| {
            let (before, _) = svg.split_once(&format!(">{words}</text>")).unwrap();
            let (_, y) = before.rsplit_once(" y=\"").unwrap();
            y.split('"').next().unwrap().parse::<f64>().unwrap()
        };
        assert!(foot(words) < foot("4.5k") - ABOVE, "{svg}");
    }

    /// As of two runs, of which the later knee is marked where the line of the other ends: that line crosses each place of the
    /// words, and covering its last point is worse.
    #[test]
    fn no_word_covers_the_marker_of_a_point() {
        let names = ["A: sharp rise", "B: sharp rise, twice the lowest"];
        for x in [4.0, 5.0, 6.0] {
            for y in [35.0, 36.0, 37.0, 38.0, 39.0, 40.0] {
                let points = vec![(0.0, 0.0), (x, 0.0), (x, y)];
                let at = [6.5, 8.5].into_iter().zip(names);
                let marks = at.map(|(at, words)| Mark::At(at, words.to_owned()));
                let chart = Chart {
                    marks: marks.collect(),
                    ..of_one(points.clone())
                };
                let (f, svg) = (chart.frame(), chart.draw());
                for (words, (px, py)) in names
                    .iter()
                    .flat_map(|w| points.iter().map(move |p| (w, p)))
                {
                    let room = room_of(&svg, words);
                    let (left, top) = (f.x.at(*px), f.y.at(*py));
                    let is_beside = left + 3.0 < room[0] || left - 3.0 > room[2];
                    let is_apart = top + 3.0 < room[1] || top - 3.0 > room[3];
                    assert!(is_beside || is_apart, "{words}, {x} {y}: {room:?}");
                }
            }
        }
    }

    #[test]
    fn no_mark_crosses_the_words_of_another() {
        let at = |x, words: &str| Mark::At(x, words.to_owned());
        let close = [
            vec![at(1.6, "N* = 2.4"), at(2.2, "knee")],
            vec![
                at(8.6, "best rate / latency"),
                at(8.9, "twice the lowest"),
                at(9.4, "sharp rise"),
            ],
            vec![
                at(1.3, "a: N* = 2.4"),
                at(2.0, "a: knee"),
                at(1.4, "b: N* = 2.7"),
                at(2.0, "b: knee"),
            ],
        ];
        let apart = (1..8).map(|far| {
            let other = 2.0 + f64::from(far);
            vec![at(2.0, "N* = 8.2"), at(other, "knee, at most")]
        });
        for marks in close.into_iter().chain(apart) {
            let names: Vec<&str> = marks.iter().map(Mark::words).collect();
            let points = vec![(0.0, 5.0), (2.0, 12.0), (10.0, 12.0)];
            let mut chart = Chart {
                marks: marks.clone(),
                ..of_one(points)
            };
            // Without markers, which cost more than a crossing.
            chart.series[0].shape = Shape::Line;
            let svg = chart.draw();
            let rooms: Vec<[f64; 4]> = names.iter().map(|name| room_of(&svg, name)).collect();
            let drawn = svg.split("class=\"mark\" d=\"M").skip(1);
            let drawn: Vec<Vec<Pixel>> = drawn.map(points_of).collect();
            assert_eq!(drawn.len(), marks.len());
            for (room, name) in rooms.iter().zip(&names) {
                for line in &drawn {
                    let is_crossed = crosses(line[0], line[1], room);
                    assert!(!is_crossed, "{name}: {room:?} {line:?}");
                }
                let others = rooms.iter().filter(|other| !std::ptr::eq(*other, room));
                let touched = others.filter(|o| {
                    room[0] < o[2] && o[0] < room[2] && room[1] < o[3] && o[1] < room[3]
                });
                assert_eq!(touched.count(), 0, "{name}: {rooms:?}");
                let line = line_of(&svg);
                let is_crossed = line.windows(2).any(|two| crosses(two[0], two[1], room));
                assert!(!is_crossed, "{name}: {room:?} {line:?}");
            }
        }
    }

    #[test]
    fn the_words_of_rings_that_are_close_stand_apart() {
        let ring = |x: f64, words: &str| Mark::Ring(x, 12.0, words.to_owned());
        for (a, b) in [(2.0, 2.3), (5.0, 5.0), (9.0, 9.2), (9.9, 10.0)] {
            let marks = vec![ring(a, "A: stops rising: 8"), ring(b, "B: stops rising: 8")];
            let svg = drawn(vec![(0.0, 5.0), (2.0, 12.0), (10.0, 12.0)], marks);
            let [a, b] = ["A: stops rising: 8", "B: stops rising: 8"].map(|w| room_of(&svg, w));
            let is_apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
            assert!(is_apart, "{a:?} {b:?}");
        }
    }

    #[test]
    fn long_words_of_rings_that_are_close_stand_apart_in_the_chart() {
        let names = [
            "near-the-one: stops rising: 16",
            "far-from-all: stops rising: 16",
        ];
        for x in [2.0, 5.0, 8.0] {
            let marks = names.map(|words| Mark::Ring(x, 12.0, words.to_owned()));
            let chart = Chart {
                marks: marks.to_vec(),
                ..of_one(vec![(0.0, 5.0), (2.0, 12.0), (10.0, 12.0)])
            };
            let right = chart.frame().right;
            let svg = chart.draw();
            let [a, b] = names.map(|words| room_of(&svg, words));
            assert!(a[3] <= b[1] || b[3] <= a[1], "{x}: {a:?} {b:?}");
            for room in [a, b] {
                assert!(room[0] > LEFT && room[2] < right, "{x}: {room:?} {right}");
            }
        }
    }

    #[test]
    fn a_line_crosses_what_it_goes_through() {
        let room = [10.0, 10.0, 20.0, 20.0];
        assert!(crosses((0.0, 15.0), (30.0, 15.0), &room));
        assert!(crosses((15.0, 0.0), (15.0, 30.0), &room));
        assert!(crosses((0.0, 0.0), (30.0, 30.0), &room));
        assert!(crosses((12.0, 12.0), (14.0, 14.0), &room));
        assert!(!crosses((0.0, 25.0), (30.0, 25.0), &room));
        assert!(!crosses((0.0, 12.0), (8.0, 12.0), &room));
        assert!(!crosses((0.0, 20.0), (10.0, 30.0), &room));
    }
}
