//! Everything that looks at fio's front end from outside, in one program.
//!
//! One program links once and runs its tests side by side. A file of tests here is a module; must never
//! hold a test itself.

mod cases;
mod common;
mod differential;
mod large;
mod never_panics;
mod options;
mod print;
mod render;
mod round_trip;
mod spec;
mod switches;
