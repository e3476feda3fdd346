//! What all workers of a workload share: one atomic counter for each file, and the patterns of their sizes.
//!
//! Belongs here: the counters and where they start, patterns already made. Must never: know what is counted;
//! that is the lane's.

use super::pattern::{Kind, Pattern};
use super::rng::{Purpose, derive, high_product};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The shared positions of a workload. A counter has a cache line for itself.
#[derive(Debug, Default)]
pub struct Cursors {
    counters: Box<[Counter]>,
    seed: u64,
    patterns: Mutex<Vec<SharedPattern>>,
}

/// A pattern with what it was made of: kinds, unit and units.
#[derive(Debug)]
struct SharedPattern {
    of: (Vec<Kind>, u32, u64),
    pattern: Arc<Pattern>,
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
            patterns: Mutex::default(),
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

    /// The pattern by which `units` units of `unit` bytes are cut into I/Os of `kinds`: made once.
    pub(super) fn pattern(&self, kinds: &[Kind], unit: u32, units: u64) -> Arc<Pattern> {
        let mut made = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        let known = made
            .iter()
            .find(|made| (made.of.0.as_slice(), made.of.1, made.of.2) == (kinds, unit, units));
        if let Some(known) = known {
            return Arc::clone(&known.pattern);
        }
        let seed = derive(self.seed, Purpose::Cuts, units);
        let pattern = Arc::new(Pattern::new(kinds, unit, units, seed));
        made.push(SharedPattern {
            of: (kinds.to_vec(), unit, units),
            pattern: Arc::clone(&pattern),
        });
        pattern
    }

    /// One of `n` places of a file, at random but the same for all workers.
    pub(super) fn place(&self, file: usize, n: u64) -> u64 {
        first_place(self.seed, file, n)
    }
}

/// One of `n` places of a file, at random.
pub(super) fn first_place(seed: u64, file: usize, n: u64) -> u64 {
    high_product(derive(seed, Purpose::FirstBlock, file as u64), n)
}
