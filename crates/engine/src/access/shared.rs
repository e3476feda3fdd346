//! Positions that all workers of a workload share: one atomic counter for each file.
//!
//! Belongs here: the counters and where they start. Must never: know what they count; that is the lane's.

use super::rng::{high_product, mix};
use std::sync::atomic::{AtomicU64, Ordering};

/// The shared positions of a workload. A counter has a cache line for itself.
#[derive(Debug, Default)]
pub struct Cursors {
    counters: Box<[Counter]>,
    seed: u64,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Counter(AtomicU64);

impl Cursors {
    /// Counters for `files` files, all at 0. `seed` gives random first places, the same for all workers.
    #[must_use]
    pub fn new(files: usize, seed: u64) -> Self {
        Self {
            counters: (0..files).map(|_| Counter::default()).collect(),
            seed,
        }
    }

    /// The present count of a file. Only counts matter, nothing is ordered by them.
    #[inline]
    pub(super) fn now(&self, file: usize) -> u64 {
        self.counters
            .get(file)
            .map_or(u64::MAX, |c| c.0.load(Ordering::Relaxed))
    }

    /// Takes `step` counts of a file; returns the first of them.
    #[inline]
    pub(super) fn take(&self, file: usize, step: u64) -> u64 {
        self.counters
            .get(file)
            .map_or(u64::MAX, |c| c.0.fetch_add(step, Ordering::Relaxed))
    }

    /// One of `n` places of a file, at random but the same for all workers.
    pub(super) fn place(&self, file: usize, n: u64) -> u64 {
        high_product(mix(self.seed ^ mix(file as u64)), n)
    }
}
