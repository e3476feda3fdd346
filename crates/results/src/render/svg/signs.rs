//! Which intervals of charts can be seen.
//!
//! Belongs here: what is said below charts of their bands and whiskers. Must never: draw one.

use super::chart::Chart;
use super::parts::{Frame, Series, Shape};
use super::scale::Unit;
use super::series::is_inside;

/// The text below charts about the intervals in them: what those are that can be seen, or that none can; `None` where none
/// is drawn.
#[must_use]
pub fn signs<'a>(all: impl Iterator<Item = &'a Chart>) -> Option<String> {
    let mut found = DrawnSigns::default();
    let mut upright = None;
    for chart in all {
        // What is along a rate has an interval that is not drawn.
        if chart.x.unit == Unit::Count {
            upright = Some(chart.y.label.clone());
        }
        let frame = chart.frame();
        for series in &chart.series {
            series.add_signs(&frame, &mut found);
        }
    }
    let what = match (found.bands, found.whiskers) {
        (false, false) if found.any => {
            return Some(match upright {
                Some(what) => NARROW_INTERVALS.replacen(" are", &format!(" of the {what} are"), 1),
                None => NARROW_INTERVALS.to_owned(),
            });
        }
        (false, false) => return None,
        (true, false) => "Bands",
        (false, true) => "Whiskers",
        (true, true) => "Bands and whiskers",
    };
    Some(format!("{what} are 95 % intervals."))
}

/// What is said where intervals are drawn and none of them can be seen.
const NARROW_INTERVALS: &str = "The 95 % intervals are too narrow to be seen.";

/// A band that is no higher than this is below its line, in pixels.
const BAND_SEEN: f64 = 2.5;
/// A whisker that is no higher than this is behind its marker, and its ends beside it look like a part of that.
const BEHIND_MARKER: f64 = 4.5;
/// A whisker at the end of a bar is seen from here on.
const AT_BAR: f64 = 1.5;

/// Which intervals are drawn.
#[derive(Clone, Copy, Debug, Default)]
struct DrawnSigns {
    /// There are some.
    any: bool,
    /// Bands that can be seen.
    bands: bool,
    /// Whiskers that can be seen.
    whiskers: bool,
}

impl Series {
    /// Adds which of its intervals are drawn in this frame, as [`super::series::draw_within`] does, and which of these can be seen.
    fn add_signs(&self, f: &Frame, to: &mut DrawnSigns) {
        let highest = |part: &[(f64, f64, f64)]| {
            let each = part
                .iter()
                .map(|(_, low, high)| f.y.at(*low) - f.y.at(*high));
            each.map(f64::abs).fold(0.0, f64::max)
        };
        let hides = match self.shape {
            Shape::Bars(_) => AT_BAR,
            _ => BEHIND_MARKER,
        };
        let all_whiskers = self.has_whiskers();
        for part in self.stretches(|one| is_inside(f, one)) {
            if all_whiskers || (part.len() == 1 && self.shape == Shape::Marked) {
                to.any = true;
                to.whiskers |= highest(&part) > hides;
            } else if part.len() > 1 {
                to.any = true;
                to.bands |= highest(&part) > BAND_SEEN;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::svg::{Axis, ScaleKind, Unit};
    use crate::stats::Bracket;

    #[test]
    fn what_is_said_of_intervals_is_what_is_drawn() {
        let along = |x, shape, known: [bool; 4], half: f64| {
            let bracket = |is_known: &bool| match is_known {
                true => Bracket::Within(2.0 - half, 2.0 + half),
                false => Bracket::Unknown,
            };
            let series = Series {
                label: String::new(),
                class: "read".to_owned(),
                variant: 0,
                shape,
                points: (0..4_u8).map(|n| (f64::from(n), 2.0)).collect(),
                tags: Vec::new(),
                thin_from: None,
                brackets: known.iter().map(bracket).collect(),
            };
            let chart = Chart {
                id: String::new(),
                title: String::new(),
                description: String::new(),
                x: Axis::new("", ScaleKind::Linear, x),
                y: Axis::new("latency", ScaleKind::Linear, Unit::Count),
                series: vec![series],
                marks: Vec::new(),
                height: 200.0,
            };
            signs([&chart].into_iter()).unwrap_or_default()
        };
        let of_width = |shape, known, half| along(Unit::Whole, shape, known, half);
        let of = |shape, known| of_width(shape, known, 1.0);
        let bands = "Bands are 95 % intervals.";
        let whiskers = "Whiskers are 95 % intervals.";
        assert_eq!(of(Shape::Marked, [true; 4]), bands);
        assert_eq!(of(Shape::Marked, [true, false, true, false]), whiskers);
        let both = "Bands and whiskers are 95 % intervals.";
        assert_eq!(of(Shape::Marked, [true, true, false, true]), both);
        assert_eq!(of(Shape::Dots, [true; 4]), whiskers);
        assert_eq!(of(Shape::Line, [true, false, true, false]), "");
        assert_eq!(of(Shape::Marked, [false; 4]), "");
        // The axis begins at 0 and ends at 2: a hundredth of it is less than a line, or a marker.
        for shape in [Shape::Marked, Shape::Dots] {
            assert_eq!(of_width(shape, [true; 4], 0.01), NARROW_INTERVALS);
        }
        assert_eq!(of_width(Shape::Dots, [true; 4], 0.1), whiskers);
        // A rate along x has intervals of its own.
        assert_eq!(
            along(Unit::Count, Shape::Marked, [true; 4], 0.01),
            "The 95 % intervals of the latency are too narrow to be seen."
        );
    }
}
