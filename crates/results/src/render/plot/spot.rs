//! Points of a chart, and lines of them. Must never: know where they come from.

use crate::stats::Bracket;

/// A point that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotSpot {
    /// Where along x; of names their place, from 0.
    pub x: f64,
    /// The figure.
    pub y: f64,
    /// What else is known of it.
    pub bracket: Bracket,
    /// How many points stand behind it.
    pub count: usize,
    /// A check failed: the figures are not to be used.
    pub failed: bool,
    /// A word at it: the depth on a curve over a figure; or empty.
    pub tag: String,
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotLine {
    /// What distinguishes it.
    pub label: String,
    /// What gives its colour: the value of the axis that colours stand for.
    pub colour: String,
    /// Points in the order they are joined.
    pub spots: Vec<PlotSpot>,
    /// They are joined: what lies between two of them is on the way from one to the other.
    pub joined: bool,
    /// From where on few samples support it.
    pub thin_from: Option<usize>,
}
