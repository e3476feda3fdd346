//! Honesty of the whole command: what is really so is what it says, and what goes wrong is said.
//!
//! Real parts: stopped processes, a file system with delay and faults, capped and mounted devices, full
//! and read-only file systems, missing rights. What a machine lacks is skipped by name.

mod blunders;
#[cfg(debug_assertions)]
mod broken;
mod caps;
mod cases;
mod device;
mod earlier;
mod ends;
mod faults;
mod guard;
mod holes;
mod kernel;
mod kernel_files;
mod known;
mod later;
mod means;
mod missing;
mod own_files;
mod polled;
mod rate;
mod survey;
