//! Comparing results: whether one is better than another, by how much, and how far that is certain.
//!
//! Belongs here: what can be compared ([`Subject`]), which rows and figures belong together, and the verdict on each.
//! Must never: read a file, know who wrote a result, show anything (that is `render`).

mod of_run;
mod property;
mod subject;

pub use property::{Properties, Property, PropertyValue};
pub use subject::{LatencyFrom, SeriesPart, Subject, SubjectFigure, SubjectRow};
