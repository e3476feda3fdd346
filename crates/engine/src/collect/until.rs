//! What ends a stage early: sums over all its workloads.
//!
//! Belongs here: the sums and the limits. Must never: count the warm-up, which is the caller's to leave out.

use crate::worker::cell::CellCounts;
use leadline_model::op::Op;
use leadline_model::plan::Until;

/// The limits of a stage and how near they are.
#[derive(Debug, Default)]
pub(super) struct Sums {
    limits: Until,
    read: u64,
    written: u64,
    /// All bytes, trims too.
    moved: u64,
    errors: u64,
    over: bool,
}

impl Sums {
    pub(super) fn new(limits: Until) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// More was counted.
    pub(super) fn add(&mut self, counts: &CellCounts) {
        for (op, own) in counts.each() {
            self.errors += own.errors;
            self.moved += own.bytes;
            match op {
                Op::Read => self.read += own.bytes,
                Op::Write => self.written += own.bytes,
                _ => {}
            }
        }
    }

    /// Whether a limit was reached, true once.
    pub(super) fn is_reached(&mut self) -> bool {
        let pairs = [
            (self.limits.moved, self.moved),
            (self.limits.read, self.read),
            (self.limits.written, self.written),
            (self.limits.errors, self.errors),
        ];
        let reached = pairs
            .into_iter()
            .any(|(limit, sum)| limit.is_some_and(|limit| sum >= limit));
        reached && !std::mem::replace(&mut self.over, true)
    }
}
