//! When the I/Os start.

use crate::op::PerOp;
use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// The rule by which I/Os are started.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Pace {
    /// Closed loop: the next I/O starts when one has ended.
    #[default]
    Closed,
    /// Open loop: each I/O has an intended start, kept whatever the target does. A late I/O is never
    /// skipped, and its response latency counts from the intended start.
    Open {
        /// Rate of each kind for each worker; a kind without one runs free.
        rates: PerOp<Option<Rate>>,
        /// Distribution of intended starts.
        arrival: Arrival,
        /// Rate of all kinds together, each I/O's kind then being drawn by the mix; `rates` are empty then.
        together: Option<Rate>,
        /// Rates that change: after each such time from the start of the stage, the rates are this share
        /// of the ones above, 1 = the same. In order of time; empty = they stay.
        schedule: Vec<(Nanos, f64)>,
    },
}

/// A rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Rate {
    /// I/Os a second, above 0.
    Iops(f64),
    /// Bytes a second, above 0.
    Bytes(u64),
}

impl Rate {
    /// Stands for a rate in the plan of a study that points before it decide: nothing ever runs at it.
    pub const UNDECIDED: Self = Self::Iops(UNDECIDED_IOPS);

    /// Whether it is [`Rate::UNDECIDED`].
    #[must_use]
    pub fn is_undecided(self) -> bool {
        matches!(self, Self::Iops(iops) if iops <= UNDECIDED_IOPS)
    }
}

/// I/Os a second of [`Rate::UNDECIDED`]: one in twelve days.
pub const UNDECIDED_IOPS: f64 = 1e-6;

/// Distribution of intended starts in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arrival {
    /// Equal intervals.
    #[default]
    Constant,
    /// Independent arrivals: exponential intervals.
    Poisson,
    /// Intervals distributed uniformly between zero and twice the mean.
    Even,
}

/// A pause after a number of I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Think {
    /// Length of the pause.
    pub pause: Nanos,
    /// How much of it is spent busy rather than asleep.
    pub spin: Nanos,
    /// I/Os between pauses, at least 1.
    pub every: u32,
    /// Counted when submitted rather than when completed.
    pub on_submit: bool,
    /// Pause only after this much time of I/O; zero = by count alone.
    pub after_busy: Nanos,
}
