//! Everything that looks at DISKSPD's front end from outside, in one program.
//!
//! One program links once and runs its tests side by side. A file of tests here is a module; must never
//! hold a test itself.

mod cases;
mod common;
mod fields;
mod large;
mod plans;
mod rows;
mod spec;
