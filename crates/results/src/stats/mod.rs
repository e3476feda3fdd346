//! Statistics: pure functions from numbers to numbers, each with its source.
//!
//! Belongs here: knees, bounds, evenness; tests and intervals once a figure is shown with one. Must
//! never: know what a run is, draw from anything but a given seed, average percentiles.
//!
//! Numbers are expected to be finite. A function whose answer needs more numbers than it was given
//! returns `None`.

mod curve;
mod shift;

pub use curve::{jain, kneedle, useful_concurrency};
pub use shift::level_shifts;
