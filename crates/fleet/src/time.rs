//! What the fleet asks of time: the clocks it is given, and how long it waits for whom.
//!
//! Belongs here: clocks and spans. Must never: read a clock of its own.

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
pub(crate) fn duration(span: Nanos) -> Duration {
    Duration::from_nanos(span.0)
}
