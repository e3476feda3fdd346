//! Everything that reads a language from outside, in one program.
//!
//! One program links once and runs its tests side by side. A file of tests here is a module; must never
//! hold a test itself.

mod common;
mod differential;
mod diskspd;
mod diskspd_cases;
mod large;
mod never_panics;
mod options;
mod render;
mod spec;
mod vdbench_cases;
mod vdbench_engine;
mod vdbench_seeds;
mod vdbench_spec;
