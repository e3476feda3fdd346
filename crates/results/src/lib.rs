//! Everything after the last sample: the run file, statistics, limits, trust checks, pictures.
//!
//! Belongs here: functions from a [`run::Run`] to numbers, findings, text and pictures, and the file a
//! run is kept in. Must never: do the I/O that is measured, read a clock, print.
//! May depend on: model, SQLite, serde, askama, csv, base64, jiff.
#![forbid(unsafe_code)]

mod coarse;
pub mod compare;
#[cfg(any(test, feature = "fixture"))]
pub mod fixture;
mod groups;
pub mod headline;
mod held;
pub mod history;
pub mod intervals;
pub mod render;
pub mod run;
pub mod states;
pub mod stats;
pub mod store;
pub mod study;
pub mod summary;
pub mod trust;
pub mod words;
pub mod work;
