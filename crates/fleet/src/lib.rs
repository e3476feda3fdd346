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
mod watch;

use leadline_model::units::Nanos;
use std::time::Duration;

/// What the fleet needs of its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    /// Nanoseconds of a clock that never jumps, since an arbitrary moment of this host.
    pub now: fn() -> u64,
    /// Milliseconds since 1970 UTC.
    pub wall_ms: fn() -> u64,
}

/// How long is waited for whom.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// An agent, or a controller, that says nothing for this long is gone.
    pub silence: Nanos,
    /// A host that has not answered this long after it was called is not there.
    pub connect: Nanos,
    /// Everybody says something at least this often.
    pub alive: Nanos,
    /// A host that has not said this long after it was asked what it would make of a stage does not take part: a
    /// mount there may hang. Commands that mount have ten times as long.
    pub look: Nanos,
}

impl Default for Patience {
    /// What is promised is ten seconds; one of them is for the way.
    fn default() -> Self {
        Self {
            silence: Nanos::from_secs(9),
            connect: Nanos::from_secs(10),
            alive: Nanos::SECOND,
            look: Nanos::from_secs(30),
        }
    }
}

/// A span as the standard library wants it.
fn duration(span: Nanos) -> Duration {
    Duration::from_nanos(span.0)
}
