//! Everything that drives the engine from outside, in one program; refusals.rs is apart, since limits belong to processes.
//!
//! One program links once and runs its tests side by side. A file of tests here is a module; must never
//! hold a test itself.

mod agreed_start;
mod backends;
mod device_marks;
mod laws_on_threads;
mod prepare_system;
mod simulated;
mod start_delay;
mod window_counters;
