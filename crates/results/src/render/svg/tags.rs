//! Where the words at the points of a line stand: its depths on a curve.
//!
//! Belongs here: from points and words to places. Must never: draw, or let a word reach over the axis on the left.

use super::letters::LetterWeight;
use super::parts::{Frame, LEFT, Series, Shape};
use super::shape::crosses;

/// The place of a word: its foot, and the class of its anchor, which is empty where it begins there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TagPlace {
    pub(super) at: (f64, f64),
    pub(super) anchor: &'static str,
}

/// Half the width and height of a marker.
const MARKER: f64 = 4.0;
/// How far a word goes above and below its foot on a phone, where words are largest.
const ABOVE: f64 = 9.5;
const BELOW: f64 = 2.5;

/// A word at a point, before it has a place.
struct Tag<'a> {
    series: usize,
    point: usize,
    at: (f64, f64),
    words: &'a str,
    /// Whether its line climbs there.
    climbs: bool,
    /// Whether it is the first or the last of its line: those are placed before all others and never left out.
    is_end: bool,
}

/// The places of the words at the points of all series; none where there is no word, or no room for it. Words that would
/// lie on others, on markers or on lines move to another side of their point. The first and the last word of each line are placed
/// first.
pub(super) fn tag_places(all: &[Series], f: &Frame) -> Vec<Vec<Option<TagPlace>>> {
    let mut places: Vec<Vec<Option<TagPlace>>> = (all.iter())
        .map(|series| vec![None; series.points.len()])
        .collect();
    let mut tags: Vec<Tag<'_>> = Vec::new();
    for (number, series) in all.iter().enumerate() {
        tags.extend(of_series(number, series, f));
    }
    if tags.is_empty() {
        return places;
    }
    let points = all.iter().flat_map(|series| &series.points);
    let markers: Vec<(f64, f64)> = points.filter_map(|point| pixel(*point, f)).collect();
    let lines = lines(all, f);
    let mut taken: Vec<[f64; 4]> = Vec::new();
    tags.sort_by_key(|tag| (!tag.is_end, tag.series, tag.point));
    for tag in tags {
        let is_free = |place: &TagPlace| {
            let room = room(place, tag.words);
            !taken.iter().any(|other| overlap(&room, other))
        };
        let cost = |place: &TagPlace| {
            let room = room(place, tag.words);
            let others = markers.iter().filter(|at| **at != tag.at);
            let markers = others.filter(|at| overlap(&room, &around(**at))).count();
            let crossed = lines.iter().filter(|(from, to)| crosses(*from, *to, &room));
            2 * markers + crossed.count()
        };
        let candidates = candidates(&tag, f);
        let free = candidates.iter().filter(|place| is_free(place));
        let best = free.min_by_key(|place| cost(place)).copied();
        // A word drawn over another cannot be read, so it is left out; one at the end of a line is kept all the same.
        let first = candidates.first().copied().filter(|_| tag.is_end);
        if let Some(place) = best.or(first) {
            taken.push(room(&place, tag.words));
            places[tag.series][tag.point] = Some(place);
        }
    }
    places
}

/// The lines between the points of all series.
fn lines(all: &[Series], f: &Frame) -> Vec<((f64, f64), (f64, f64))> {
    let is_line = |series: &&Series| matches!(series.shape, Shape::Marked | Shape::Line);
    let pieces = all.iter().filter(is_line).flat_map(|series| {
        let two = series.points.windows(2);
        two.filter_map(|two| Some((pixel(two[0], f)?, pixel(two[1], f)?)))
    });
    pieces.collect()
}

/// The place of a point in pixels, where it is in the frame.
fn pixel((x, y): (f64, f64), f: &Frame) -> Option<(f64, f64)> {
    (f.x.holds(x) && f.y.holds(y)).then(|| (f.x.at(x), f.y.at(y)))
}

/// The words of a series, without those of points that lie on one that has a word.
fn of_series<'a>(number: usize, series: &'a Series, f: &Frame) -> Vec<Tag<'a>> {
    if !matches!(series.shape, Shape::Marked | Shape::Dots) {
        return Vec::new();
    }
    let points = series.points.iter();
    let places: Vec<Option<(f64, f64)>> = points.map(|point| pixel(*point, f)).collect();
    let each = places.iter().zip(&series.tags).enumerate();
    let known = each.filter_map(|(i, (place, words))| {
        let at = (*place).filter(|_| !words.is_empty())?;
        let before = i.checked_sub(1).and_then(|j| places[j]);
        Some(Tag {
            series: number,
            point: i,
            at,
            words,
            climbs: before.is_some_and(|b| (b.0 - at.0).abs() < 24.0),
            is_end: false,
        })
    });
    let mut known: Vec<Tag<'a>> = known.collect();
    if let Some(last) = known.last_mut() {
        last.is_end = true;
    }
    if let Some(first) = known.first_mut() {
        first.is_end = true;
    }
    let mut kept: Vec<Tag<'a>> = Vec::new();
    let last = known.last().map(|tag| tag.at);
    for tag in known {
        let near =
            |at: (f64, f64)| (at.0 - tag.at.0).abs() < 16.0 && (at.1 - tag.at.1).abs() < 12.0;
        let is_near = kept.iter().any(|other| near(other.at)) || last.is_some_and(near);
        if tag.is_end || !is_near {
            kept.push(tag);
        }
    }
    kept
}

/// Where a word may stand, best first. Where the line climbs, the word is beside the point: on the left, unless it would
/// reach over the axis. Elsewhere it is below, where no other line runs: words are above the lowest one.
fn candidates(tag: &Tag<'_>, f: &Frame) -> Vec<TagPlace> {
    let (x, y) = tag.at;
    let wide = width(tag.words);
    let place = |at, anchor| TagPlace { at, anchor };
    let left = place((x - 8.0, y + 4.0), "end");
    let right = place((x + 8.0, y + 4.0), "");
    let level = |foot: f64| match x - wide / 2.0 > LEFT {
        true => place((x, foot), "mid"),
        false => place((LEFT + 3.0, foot), ""),
    };
    let (below, above) = (level(y + 15.0), level(y - 8.0));
    let order = match (tag.climbs, y + 16.0 < f.floor) {
        (true, _) => [left, right, below, above],
        (false, true) => [below, above, left, right],
        (false, false) => [above, below, left, right],
    };
    let is_inside = |place: &&TagPlace| {
        let from = match place.anchor {
            "end" => place.at.0 - wide,
            "mid" => place.at.0 - wide / 2.0,
            _ => place.at.0,
        };
        from > LEFT && place.at.1 + 1.0 < f.floor && place.at.1 - ABOVE > 14.0
    };
    // Names of lines are to the right of the frame.
    let is_free = |place: &&TagPlace| {
        !place.anchor.is_empty() || x < LEFT + 24.0 || place.at.0 + wide < f.right + 4.0
    };
    let all = order.iter().filter(is_inside).filter(is_free);
    all.copied().collect()
}

fn width(words: &str) -> f64 {
    LetterWeight::Plain.width(words)
}

/// The room of a word.
pub(super) fn room(place: &TagPlace, words: &str) -> [f64; 4] {
    let wide = width(words);
    let left = match place.anchor {
        "end" => place.at.0 - wide,
        "mid" => place.at.0 - wide / 2.0,
        _ => place.at.0,
    };
    let y = place.at.1;
    [left, y - ABOVE, left + wide, y + BELOW]
}

fn around((x, y): (f64, f64)) -> [f64; 4] {
    [x - MARKER, y - MARKER, x + MARKER, y + MARKER]
}

fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::render::svg::{Axis, Chart, MarkerFill, ScaleKind, Unit};

    /// A chart of one line of reads through points, on axes from whole numbers.
    pub(in crate::render::svg) fn of_one(points: Vec<(f64, f64)>) -> Chart {
        Chart {
            id: "c".to_owned(),
            title: "t".to_owned(),
            description: String::new(),
            x: Axis::new("x", ScaleKind::Linear, Unit::Whole),
            y: Axis::new("y", ScaleKind::Linear, Unit::Whole),
            series: vec![Series {
                label: "read".to_owned(),
                class: "read".to_owned(),
                variant: 0,
                fill: MarkerFill::Full,
                shape: Shape::Marked,
                points,
                tags: Vec::new(),
                thin_from: None,
                brackets: Vec::new(),
            }],
            marks: Vec::new(),
            height: 264.0,
        }
    }

    #[test]
    fn no_word_reaches_over_the_axis() {
        // The first two points are at the left end, where the line climbs.
        let mut chart = of_one(vec![(1.0, 1.0), (2.0, 50.0), (3.0, 100.0), (100.0, 100.0)]);
        chart.series[0].tags = ["1024", "16", "2048", "4096"].map(str::to_owned).to_vec();
        let svg = chart.draw();
        let mut seen = 0;
        for text in svg
            .split("<text ")
            .filter(|text| text.contains("class=\"tag"))
        {
            let (_, rest) = text.split_once("x=\"").unwrap();
            let x: f64 = rest.split('"').next().unwrap().parse().unwrap();
            let (_, words) = text.split_once('>').unwrap();
            let words = words.split('<').next().unwrap();
            let wide = width(words);
            let left = match (text.contains("tag end"), text.contains("tag mid")) {
                (true, _) => x - wide,
                (_, true) => x - wide / 2.0,
                _ => x,
            };
            assert!(left > LEFT, "{words}: {left}");
            seen += 1;
        }
        assert_eq!(seen, 4, "{svg}");
    }

    #[test]
    fn words_of_two_lines_close_together_move_apart_and_those_at_ends_stay() {
        let points = |up: f64| {
            let at = |n: u32| (f64::from(n * n), 10.0 + up + f64::from(n));
            (1..=8).map(at).collect::<Vec<_>>()
        };
        let mut chart = of_one(points(0.0));
        chart.series.push(chart.series[0].clone());
        chart.series[1].points = points(0.4);
        for series in &mut chart.series {
            series.tags = (1..=8).map(|n: u32| (n * 100).to_string()).collect();
        }
        let frame = chart.frame();
        let places = tag_places(&chart.series, &frame);
        let mut rooms = Vec::new();
        for (series, places) in chart.series.iter().zip(&places) {
            assert!(places.first().is_some_and(Option::is_some));
            assert!(places.last().is_some_and(Option::is_some));
            let placed = places.iter().zip(&series.tags);
            rooms.extend(placed.filter_map(|(place, tag)| Some(room(&(*place)?, tag))));
        }
        for (n, one) in rooms.iter().enumerate() {
            assert!(
                !rooms[..n].iter().any(|other| overlap(one, other)),
                "{one:?}"
            );
        }
        assert!(rooms.len() >= 8, "{rooms:?}");
    }

    #[test]
    fn of_points_on_one_spot_the_last_keeps_its_word() {
        let mut chart = of_one(vec![(1.0, 1.0), (9.0, 9.0), (9.1, 9.0), (9.2, 9.0)]);
        chart.series[0].tags = ["1", "2", "3", "4"].map(str::to_owned).to_vec();
        let places = tag_places(&chart.series, &chart.frame());
        let placed: Vec<bool> = places[0].iter().map(Option::is_some).collect();
        assert_eq!(placed, [true, false, false, true]);
    }
}
