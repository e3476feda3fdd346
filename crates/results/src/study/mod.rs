//! Studies: which points to measure next, given what was measured, and what the points mean in words.
//!
//! Belongs here: pure decisions and their sentences. Must never: run a stage, read a clock, do I/O; the
//! caller runs each stage on the engine and feeds the result back.

pub mod general;
pub mod point;
pub mod response;
pub mod sequence;
pub mod series;
pub mod several;
pub mod shares;
pub mod survey;
pub mod verdict;

pub use point::{PointResult, Setting};
pub use sequence::{CurveEnd, Sequence};
pub use survey::{Scope, Survey, SurveyOptions, SurveyTarget};
pub use verdict::{Limit, Verdict};
