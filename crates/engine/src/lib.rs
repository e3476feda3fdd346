//! Plan in, events out: the part of leadline that does I/O and takes time stamps.
//!
//! The way through: [`schedule`] turns a stage and host facts into one [`schedule::Program`] for each
//! worker (pure); `medium` prepares the targets and opens them; `worker` runs the hot loop over a [`backend::Backend`] and
//! a [`clock::Clock`]; `collect` turns what the workers hand over into events.
//!
//! The only crate with `unsafe`: files that need it say so in their first lines, and each block states
//! why it is sound. Must never: parse a dialect, print, or know of reports.
//! May depend on: model, io-uring, libc, rustix, rand_xoshiro, thiserror.

pub mod access;
pub mod backend;
mod blocks;
pub mod buffer;
pub mod clock;
mod collect;
mod extent;
mod host_facts;
mod medium;
mod op_table;
pub mod os;
mod pace;
pub mod payload;
pub mod prepare;
mod problem;
mod program;
pub mod run;
pub mod schedule;
mod worker;
