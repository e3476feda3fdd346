//! Everything that looks at Vdbench's front end from outside, in one program.
//!
//! One program links once and runs its tests side by side. A file of tests here is a module; must never
//! hold a test itself.

mod cases;
mod common;
mod engine;
mod never_panics;
mod printed;
mod rows;
mod seeds;
mod series;
mod spec;
mod switches;
