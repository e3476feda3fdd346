//! The same plan on many hosts. Nothing is here yet: the crate holds its place in the star, so that
//! the engine's and the results' independence of it is checked from the first day.
//!
//! Will hold: launchers, framed protocol, clock offsets, the start barrier, merging. May depend on:
//! model only.
#![forbid(unsafe_code)]
