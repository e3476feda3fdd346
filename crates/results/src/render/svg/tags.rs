//! Where the words at the points of a line stand: its depths on a curve.
//!
//! Belongs here: from points and words to places. Must never: draw, or let a word reach over the axis on the left.

use super::parts::{Frame, LEFT, Series, Shape};

/// Width of a letter of such a word, in a wide font.
pub(super) const LETTER: f64 = 5.8;

/// The place of a word: its foot, and the class of its anchor, which is empty where it begins there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TagPlace {
    pub(super) at: (f64, f64),
    pub(super) anchor: &'static str,
}

/// The place of each word at a point of a series; none where there is no word, or one stands there.
pub(super) fn tag_places(series: &Series, f: &Frame) -> Vec<Option<TagPlace>> {
    if !matches!(series.shape, Shape::Marked | Shape::Dots) {
        return Vec::new();
    }
    let points = series.points.iter();
    let places: Vec<Option<(f64, f64)>> = points
        .map(|&(x, y)| (f.x.holds(x) && f.y.holds(y)).then(|| (f.x.at(x), f.y.at(y))))
        .collect();
    let mut tagged: Vec<(f64, f64)> = Vec::new();
    let each = places.iter().zip(&series.tags).enumerate();
    each.map(|(i, (place, tag))| {
        let (x, y) = (*place)?;
        let near = |at: &(f64, f64)| (at.0 - x).abs() < 16.0 && (at.1 - y).abs() < 12.0;
        if tag.is_empty() || tagged.iter().any(near) {
            return None;
        }
        tagged.push((x, y));
        let before = i.checked_sub(1).and_then(|j| places[j]);
        let climbs = before.is_some_and(|b| (b.0 - x).abs() < 24.0);
        Some(placed((x, y), tag, climbs, f))
    })
    .collect()
}

/// Where the line climbs, the word is beside the point: on the left, unless it would reach over the axis. Elsewhere it is
/// below, where no other line runs: words stand on the lowest one.
fn placed((x, y): (f64, f64), tag: &str, climbs: bool, f: &Frame) -> TagPlace {
    let wide = tag.chars().count() as f64 * LETTER;
    let place = |at, anchor| TagPlace { at, anchor };
    if climbs && x - 8.0 - wide > LEFT {
        return place((x - 8.0, y + 4.0), "end");
    }
    if climbs {
        return place((x + 8.0, y + 4.0), "");
    }
    let foot = if y + 16.0 < f.floor {
        y + 15.0
    } else {
        y - 8.0
    };
    match x - wide / 2.0 > LEFT {
        true => place((x, foot), "mid"),
        false => place((LEFT + 3.0, foot), ""),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::render::svg::{Axis, Chart, ScaleKind, Unit};

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
            let wide = words.chars().count() as f64 * LETTER;
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
}
