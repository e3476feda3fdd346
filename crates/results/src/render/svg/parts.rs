//! What a chart of lines is made of: axes, series, the frame in pixels.
//!
//! Belongs here: plain data. Must never: draw.

use super::scale::{Scale, ScaleKind, Unit, exact};
use crate::stats::Bracket;

/// Width of a chart, and where words end on its right at the most.
pub(super) const WIDTH: f64 = 440.0;
pub(super) const END: f64 = 438.0;
/// Where the frame of a chart begins on the left, and at the top.
pub(super) const LEFT: f64 = 50.0;
pub(super) const TOP: f64 = 24.0;

/// One axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows, with the unit where ticks do not carry it.
    pub label: String,
    /// How values spread.
    pub scale: ScaleKind,
    /// What values are.
    pub unit: Unit,
    /// Names in place of numbers: the first is at 0, the second at 1 and so on. Empty = numbers.
    pub names: Vec<String>,
}

impl Axis {
    /// An axis.
    #[must_use]
    pub fn new(label: &str, scale: ScaleKind, unit: Unit) -> Self {
        Self {
            label: label.to_owned(),
            scale,
            unit,
            names: Vec::new(),
        }
    }

    /// A value on it for a tip.
    pub(super) fn words(&self, value: f64) -> String {
        let place = usize::try_from(crate::words::whole(value)).ok();
        let name = place.and_then(|at| self.names.get(at));
        name.cloned().unwrap_or_else(|| exact(self.unit, value))
    }

    /// An axis of names.
    #[must_use]
    pub fn of_names(label: &str, names: Vec<String>) -> Self {
        Self {
            names,
            ..Self::new(label, ScaleKind::Linear, Unit::Whole)
        }
    }
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Straight from point to point.
    Line,
    /// Level until the next point: for a rate of an interval.
    Step,
    /// A line with a marker at each point.
    Marked,
    /// Markers without a line, each with its interval as a whisker.
    Dots,
    /// Bars from 0, this many side by side at each name, each with its interval as a whisker.
    Bars(u8),
}

impl Shape {
    /// Whether each point stands for itself, and its interval is a whisker.
    #[must_use]
    pub const fn is_apart(self) -> bool {
        matches!(self, Self::Dots | Self::Bars(_))
    }

    /// How far one of `count` series at one name is from its place, the first being 0.
    #[must_use]
    pub fn shift(place: u8, count: u8) -> f64 {
        let count = f64::from(count.max(1));
        (f64::from(place) - (count - 1.0) / 2.0) * SIDE_BY_SIDE / count
    }
}

/// The part of the room of a name that what stands side by side there takes.
const SIDE_BY_SIDE: f64 = 0.64;
/// The widest bar, in pixels.
const WIDEST: f64 = 44.0;

/// What is inside the markers of a series: of several runs each has its own, so that its points are recognized without colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MarkerFill {
    /// The colour of the series.
    #[default]
    Full,
    /// Nothing.
    Hollow,
    /// A dot.
    Dotted,
    /// A line from top to bottom.
    Upright,
    /// A line from left to right.
    Level,
}

impl MarkerFill {
    /// How many there are.
    pub const COUNT: usize = 5;

    /// That of a place in turn.
    #[must_use]
    pub const fn of(place: usize) -> Self {
        match place % Self::COUNT {
            0 => Self::Full,
            1 => Self::Hollow,
            2 => Self::Dotted,
            3 => Self::Upright,
            _ => Self::Level,
        }
    }

    /// How markers with it look.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Hollow => "hollow",
            Self::Dotted => "with a dot",
            Self::Upright => "with an upright line",
            Self::Level => "with a level line",
        }
    }
}

/// One series.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name, written at its end.
    pub label: String,
    /// Class that gives the colour: `read`, `write`, `trim`, `sync`, `all`.
    pub class: String,
    /// 0 solid, 1 dashed, 2 dotted, and on below `VARIANTS`; also the marker: circle, square, triangle, ...
    pub variant: u8,
    /// What is inside its markers.
    pub fill: MarkerFill,
    /// How it is drawn.
    pub shape: Shape,
    /// Points; one that is not finite breaks the line.
    pub points: Vec<(f64, f64)>,
    /// A word at each point (its depth), or empty.
    pub tags: Vec<String>,
    /// Points from this one on are drawn with doubt (few samples).
    pub thin_from: Option<usize>,
    /// What is known of each point: an interval is drawn as a part of a band behind the line, of dots as a whisker; what is
    /// at least that has an arrow up. Empty where nothing is known.
    pub brackets: Vec<Bracket>,
}

impl Series {
    /// Width of its bars in pixels; `None` = it is of none.
    pub(super) fn bar(&self, f: &Frame) -> Option<f64> {
        let Shape::Bars(count) = self.shape else {
            return None;
        };
        let room = f.x.at(1.0) - f.x.at(0.0);
        Some((room * SIDE_BY_SIDE / f64::from(count.max(1)) * 0.88).min(WIDEST))
    }

    /// What is known of the point at a place.
    #[must_use]
    pub fn bracket(&self, at: usize) -> Bracket {
        self.brackets.get(at).copied().unwrap_or_default()
    }

    /// Where points have an interval: x, and its ends along y.
    pub fn within(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        let each = self.points.iter().zip(&self.brackets);
        each.filter_map(|(point, known)| {
            let (low, high) = known.ends()?;
            Some((point.0, low, high))
        })
    }

    /// The points with an interval that is drawn, neighbours together: x, and its ends along y. A point without one, or
    /// without a value, parts them.
    pub(super) fn stretches(
        &self,
        is_drawn: impl Fn(&(f64, f64, f64)) -> bool,
    ) -> Vec<Vec<(f64, f64, f64)>> {
        let each = self.points.iter().enumerate().map(|(at, (x, y))| {
            let (low, high) = self.bracket(at).ends().filter(|_| y.is_finite())?;
            Some((*x, low, high)).filter(&is_drawn)
        });
        let each: Vec<_> = each.collect();
        let parts = each.split(Option::is_none);
        let known = parts.map(|part| part.iter().flatten().copied().collect());
        known.filter(|part: &Vec<_>| !part.is_empty()).collect()
    }

    /// Whether an interval of it is a whisker where it could be the part of a band: points that stand for themselves have
    /// whiskers, and so have those that were measured several times at one x, where a band would fold back on itself.
    pub(super) fn has_whiskers(&self) -> bool {
        let same = |two: &[(f64, f64, f64)]| two[0].0.total_cmp(&two[1].0).is_eq();
        let known: Vec<_> = self.within().collect();
        self.shape.is_apart() || known.windows(2).any(same)
    }

    /// Whether a point is at least what is drawn.
    #[must_use]
    pub fn has_bounds(&self) -> bool {
        self.brackets.contains(&Bracket::AtLeast)
    }
}

/// The frame of a chart in pixels, and its scales.
pub(super) struct Frame {
    /// Where the lines end on the right.
    pub(super) right: f64,
    /// Where x is.
    pub(super) floor: f64,
    /// Along x.
    pub(super) x: Scale,
    /// Along y.
    pub(super) y: Scale,
    /// Ticks along x take two lines.
    pub(super) folded: bool,
}
