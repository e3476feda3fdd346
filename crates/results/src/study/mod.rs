//! Studies: which points to measure next, given what was measured, and what the points mean in words.
//!
//! Belongs here: pure decisions and their sentences. Must never: run a stage, read a clock, do I/O; the
//! caller runs each stage on the engine and feeds the result back.

mod alike;
mod before;
mod beyond;
mod bottleneck;
mod credit_words;
mod curve_words;
pub mod general;
mod knees;
mod levels;
pub mod limit;
mod lone;
pub mod mix;
pub mod narrow;
mod replaced;
pub mod response;
mod run_states;
mod second;
pub mod sequence;
pub mod series;
pub mod several;
pub mod shares;
mod sound;
pub mod studies;
pub mod survey;
pub mod verdict;

pub use crate::summary::measured::{PointResult, Setting};
pub(crate) use alike::is_confirmation;
pub(crate) use before::mixes_both_rates;
pub(crate) use levels::{change_within, fallen_to, is_apart};
pub use limit::{Cause, Certainty, Limit};
pub use replaced::{Replaced, is_result};
pub(crate) use run_states::RunStates;
pub use run_states::curves_of_one_state;
pub use sequence::{CurveEnd, Sequence};
pub use sound::usable;
pub use survey::{Confirmation, Scope, Survey, SurveyOptions, SurveyTarget};
pub use verdict::Verdict;
