//! The same plan on many hosts: launchers, the framed protocol, clock offsets, the agreed start, and the
//! controller that makes one stream of events of all hosts'.
//!
//! A host is a worker far away: it gets a plan and gives events. What runs the plan there is handed in
//! ([`agent::EngineApi`]); this crate knows nothing of it. Time is handed in too ([`Clocks`]).
//!
//! Belongs here: starting agents, talking to them, keeping them together, noticing that one is gone. Must
//! never appear here: I/O on a target, a listening socket, a password, the meaning of a workload. May
//! depend on: model only.
#![forbid(unsafe_code)]

pub mod agent;
pub mod build;
pub mod controller;
pub mod frame;
pub mod launch;
pub mod link;
pub mod message;
pub mod offset;
mod places;
pub mod tailor;
mod time;
mod watch;

pub use time::{Clocks, Patience};
