//! Charts as static SVG: they show without JavaScript, print, and scale.
//!
//! Belongs here: from numbers to shapes. Colours are classes (`read`, `write`, ...) that the page's style
//! sheet resolves, so that a chart follows light and dark; each series also has a dash or a marker and its
//! name at its end, so that nothing depends on colour alone. Must never: know of runs or plans.
//!
//! All charts are made for a width of about 440 units: they are in columns on a wide page and alone on
//! a phone without the text getting too small.

pub mod bars;
pub mod chart;
mod ends;
pub mod heat;
mod labels;
mod letters;
mod marks;
mod parts;
mod room;
pub mod scale;
mod series;
mod shape;
mod signs;
mod tags;
mod ticks;
pub mod tiles;

pub use bars::{Bar, BarPart, Bars};
pub use chart::Chart;
pub use heat::{Heat, HeatCells};
pub(crate) use labels::{apart, short_works, shortened};
pub(crate) use letters::WordRoom;
pub use marks::Mark;
pub use parts::{Axis, MarkerFill, Series, Shape};
pub use scale::{ScaleKind, Unit};
pub use series::{VARIANTS, key, line_sample, sample, variant_of};
pub use shape::spark;
pub(crate) use signs::DrawnIntervals;
pub use signs::signs;
pub use tiles::{MapTile, NARROW, Tiles, WIDE};
