//! A stage and the facts of a host become one program for each worker. Pure: nothing here opens a
//! file; what must be known of the host comes in as [`HostFacts`].
//!
//! Belongs here: file names, sizes, regions, stop amounts, seeds, and every check that can be made
//! before anything is created. Must never: open, create or write anything, read a clock, or draw from
//! a random source other than the seed.

mod ahead;
mod check;
mod compile;
mod coupled;
mod fields;
mod means;
mod offsets;
mod on_host;
mod powers;
mod region;
mod room;
#[cfg(test)]
mod tests;
mod written;

pub use crate::extent::{Extent, WrapPoint};
pub use crate::host_facts::{Bar, HostFacts, Intent, PathKind};
pub use crate::medium::targets;
pub use crate::problem::Problem;
pub use crate::program::{FilePlan, Program, WrapAround};
pub use ahead::{AnyHost, ahead};
pub use compile::compile;

/// Most workers of one stage.
pub const MAX_WORKERS: u32 = 4096;
/// Most I/Os in flight for one worker.
pub const MAX_DEPTH: u32 = 32768;
