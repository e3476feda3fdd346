//! Statistics: pure functions from numbers to numbers, each with its source.
//!
//! Belongs here: knees, bounds, evenness, changes of level within a run and between runs, intervals. Must never: know what
//! a run is, draw from anything but a given seed, average percentiles.
//!
//! Numbers are expected to be finite. A function whose answer needs more numbers than it was given
//! returns `None`.

mod bracket;
mod chance;
#[cfg(test)]
mod coverage;
mod curve;
pub mod divisive;
#[cfg(test)]
pub(crate) mod draws;
pub mod enough;
pub mod families;
pub mod gate;
mod interval;
pub mod log_ratio;
mod middle;
pub mod mix_law;
pub mod mixture;
pub mod pairs;
mod products;
mod ranks;
mod repeated;
pub mod screen;
mod shift;
mod steady;
pub mod student;
mod tails;
mod tethered;
pub mod two_samples;
pub mod usl;

pub use bracket::Bracket;
pub use curve::{jain, kneedle, useful_concurrency};
pub use interval::{FEWEST_EVENTS, Interval, OF_MANY, enough_events, of_repeats, ratio};
pub use middle::{median, median_high};
pub use ranks::{Ranks, ranks};
pub(crate) use repeated::ENOUGH;
pub use repeated::over_all;
pub use shift::{
    QUIET, Shift, level, level_of_spans, level_shifts, rate_shift, rate_shift_of_groups, step_down,
};
pub use steady::{Period, Trend, dependence, mser5, period, trend, warm_up_end};
pub use two_samples::{Chance, Difference, mann_whitney};
