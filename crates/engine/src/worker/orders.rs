//! Orders to a worker from outside. Must never: be more than a flag that it reads.

use leadline_model::sample::EndReason;
use std::sync::atomic::{AtomicU8, Ordering};

/// Orders from outside, seen once a turn.
#[derive(Debug, Default)]
pub(crate) struct StopFlag(AtomicU8);

impl StopFlag {
    pub(crate) const OTHER: u8 = 1;
    pub(crate) const INTERRUPTED: u8 = 2;

    /// Asks the worker to end; an interrupt outranks another workload's end.
    pub(crate) fn raise(&self, why: u8) {
        self.0.fetch_max(why, Ordering::Relaxed);
    }

    /// Whether it was asked to end.
    pub(crate) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    pub(super) fn reason(&self) -> Option<EndReason> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            Self::INTERRUPTED => Some(EndReason::Interrupted),
            _ => Some(EndReason::Other),
        }
    }
}
