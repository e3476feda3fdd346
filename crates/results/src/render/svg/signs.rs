//! Which intervals of charts can be seen.
//!
//! Belongs here: what is said below charts of their bands and whiskers. Must never: draw one.

use super::bars::{Bar, Bars};
use super::chart::Chart;
use super::parts::{Frame, Series, Shape};
use super::scale::Unit;
use super::series::is_inside;
use crate::summary::names::in_short;

/// The text below charts about the intervals in them: what those are that can be seen, or that none can and which lines have
/// none; `None` where none is drawn.
#[must_use]
pub fn signs<'a>(all: impl Iterator<Item = &'a Chart>) -> Option<String> {
    let all: Vec<&Chart> = all.collect();
    let mut found = DrawnSigns::default();
    for chart in &all {
        let frame = chart.frame();
        for series in &chart.series {
            series.add_signs(&frame, &mut found);
        }
    }
    let what = match (found.bands, found.whiskers) {
        (false, false) if found.any => return Some(too_narrow(&all)),
        (false, false) => return None,
        (true, false) => "Bands",
        (false, true) => "Whiskers",
        (true, true) => "Bands and whiskers",
    };
    Some(format!("{what} are 95 % intervals."))
}

/// What is said where intervals are drawn and none of them can be seen: a line that has none is not one of those.
fn too_narrow(all: &[&Chart]) -> String {
    // What is along a rate has an interval that is not drawn.
    let upright = all.iter().find(|chart| chart.x.unit == Unit::Count);
    let what = upright.map(|chart| format!(" of the {}", chart.y.label));
    let mut without = Vec::new();
    for chart in all {
        let lacking = chart.series.iter().filter(|one| one.lacks_intervals());
        without.extend(lacking.map(|one| match (all.len(), one.label.as_str()) {
            (1, label) => label.to_owned(),
            (_, "") => chart.y.label.clone(),
            (_, label) => format!("{label} ({})", chart.y.label),
        }));
    }
    narrow_words(what.as_deref().unwrap_or_default(), &without)
}

/// That intervals are too narrow: of what they are, and what has none.
fn narrow_words(what: &str, without: &[String]) -> String {
    let names: Vec<&str> = without.iter().map(String::as_str).collect();
    let none = match names.is_empty() {
        true => String::new(),
        false => format!("; none is known for {}", in_short(names)),
    };
    format!("The 95 % intervals{what} are too narrow to be seen{none}.")
}

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
    /// Whether a line that could have intervals has none at all.
    fn lacks_intervals(&self) -> bool {
        let has_points = self.points.iter().any(|point| point.1.is_finite());
        let could = !matches!(self.shape, Shape::Line | Shape::Step);
        could && has_points && self.within().next().is_none()
    }

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

/// An interval of less than this share of the longest bar cannot be seen beside the end of its own.
const SEEN: f64 = 0.005;

/// How the intervals at bars look.
pub(crate) enum DrawnIntervals {
    /// There are none.
    Absent,
    /// None is long enough to be seen: what is said of that.
    Narrow(String),
    /// One or more can be seen.
    Seen,
}

impl DrawnIntervals {
    /// What is said of them.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Absent => String::new(),
            Self::Narrow(words) => words,
            Self::Seen => "With 95 % intervals.".to_owned(),
        }
    }

    /// Those of a chart.
    pub(crate) fn of(bars: &Bars) -> Self {
        let widths = bars.bars.iter().filter_map(|bar| bar.within);
        let widest = widths.map(|(low, high)| high - low).reduce(f64::max);
        let sum = |bar: &Bar| bar.parts.iter().map(|part| part.value).sum::<f64>();
        let longest = bars.bars.iter().map(sum).fold(0.0, f64::max);
        match widest {
            None => Self::Absent,
            Some(width) if width < SEEN * longest => {
                let without = bars.bars.iter().filter(|bar| bar.within.is_none());
                let without: Vec<String> = without.map(|bar| bar.label.clone()).collect();
                Self::Narrow(narrow_words("", &without))
            }
            Some(_) => Self::Seen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::svg::{Axis, BarPart, MarkerFill, ScaleKind, Unit};
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
                fill: MarkerFill::Full,
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
            assert_eq!(of_width(shape, [true; 4], 0.01), narrow_words("", &[]));
        }
        assert_eq!(of_width(Shape::Dots, [true; 4], 0.1), whiskers);
        // A rate along x has intervals of its own.
        assert_eq!(
            along(Unit::Count, Shape::Marked, [true; 4], 0.01),
            "The 95 % intervals of the latency are too narrow to be seen."
        );
    }

    #[test]
    fn a_line_without_intervals_is_not_called_narrow() {
        let series = |label: &str, known: Bracket| Series {
            label: label.to_owned(),
            class: "read".to_owned(),
            variant: 0,
            fill: MarkerFill::Full,
            shape: Shape::Marked,
            points: (0..4_u8).map(|n| (f64::from(n), 2.0)).collect(),
            tags: Vec::new(),
            thin_from: None,
            brackets: vec![known; 4],
        };
        let narrow = Bracket::Within(1.999, 2.001);
        let chart = |y: &str, series: Vec<Series>| Chart {
            id: String::new(),
            title: String::new(),
            description: String::new(),
            x: Axis::new("depth", ScaleKind::Linear, Unit::Whole),
            y: Axis::new(y, ScaleKind::Linear, Unit::Count),
            series,
            marks: Vec::new(),
            height: 200.0,
        };
        let first = chart(
            "IOPS",
            vec![series("A", narrow), series("B", Bracket::Unknown)],
        );
        assert_eq!(
            signs([&first].into_iter()).unwrap(),
            "The 95 % intervals are too narrow to be seen; none is known for B."
        );
        let second = chart("latency p99", vec![series("", Bracket::Unknown)]);
        assert_eq!(
            signs([&first, &second].into_iter()).unwrap(),
            "The 95 % intervals are too narrow to be seen; none is known for B (IOPS), latency p99."
        );
        assert_eq!(signs([&second].into_iter()), None);
    }

    #[test]
    fn intervals_are_announced_only_where_they_can_be_seen() {
        let bar = |within| Bar {
            label: "64 KiB read".to_owned(),
            parts: vec![BarPart {
                name: "read".to_owned(),
                class: "read".to_owned(),
                value: 1000.0,
                within: None,
            }],
            within,
        };
        let bars = |bars| Bars {
            id: "t".to_owned(),
            title: String::new(),
            description: String::new(),
            label: String::new(),
            below: String::new(),
            unit: Unit::MibPerS,
            bars,
            height: 200.0,
        };
        let of = |within: &[Option<(f64, f64)>]| {
            DrawnIntervals::of(&bars(within.iter().copied().map(bar).collect()))
        };
        assert!(matches!(of(&[None]), DrawnIntervals::Absent));
        let narrow = Some((999.0, 1001.0));
        let said = "The 95 % intervals are too narrow to be seen; none is known for 64 KiB read.";
        assert!(matches!(of(&[None, narrow]), DrawnIntervals::Narrow(words) if words == said));
        let wide = Some((950.0, 1050.0));
        assert!(matches!(of(&[narrow, wide]), DrawnIntervals::Seen));
    }
}
