//! A chart of any figure over any axis, of one run or several: `leadline plot`.
//!
//! Belongs here: which axes and figures there are, which points of which runs make a line, and the picture of them. The
//! points are those of [`crate::summary`], the shapes those of [`super::svg`]. Must never: compute a figure, average a
//! percentile, or leave out a point without saying so.

pub mod axis;
mod distribution;
pub mod draw;
pub mod figure;
mod group;
pub mod lines;
mod looks;
mod observed;
mod pooled;
pub mod published;
pub mod request;
pub mod spot;
mod style;
mod text;
mod timed;
mod walk;

pub use axis::PlotAxis;
pub use draw::svg;
pub use figure::PlotFigure;
pub use lines::{Picked, pick};
pub use request::{NoPlot, PlotX, Request};

#[cfg(test)]
mod tests;
