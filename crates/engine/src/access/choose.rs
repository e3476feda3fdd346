//! Which file is next.
//!
//! Belongs here: the order in which files take turns, and which of them still have something to do in
//! this pass. Must never: know of offsets or sizes.
//!
//! Memory: at most 4 bytes a file. Files that are done are unlinked when they are met, so a pass over
//! many files costs a constant a file.

use super::rng::Stream;
use super::sampler::Sampler;
use leadline_model::plan::Amount;
use leadline_model::plan::access::{Distribution, FileChoice, Zone};

/// The choice among a lane's files.
#[derive(Clone, Debug, Default)]
pub(super) struct Chooser {
    turn: FileTurn,
    /// The file of this turn.
    current: u32,
    /// Further I/Os to the current file before another one is chosen.
    left: u32,
    /// I/Os of a turn.
    ios: u32,
}

#[derive(Clone, Debug, Default)]
enum FileTurn {
    /// There is only one.
    #[default]
    Single,
    Ring(Ring),
    Pool(Pool),
}

/// A ring: `next[i]` follows file i; `before` is the file before the current one.
#[derive(Clone, Debug, Default)]
struct Ring {
    next: Box<[u32]>,
    before: u32,
}

/// The files not yet done, in any order; `at` is where the current one stands.
#[derive(Clone, Debug, Default)]
struct Pool {
    alive: Vec<u32>,
    at: usize,
    sampler: Option<Sampler>,
    misses: u32,
}

/// Files by weight: zones of one file each.
fn weighted(weights: &[u32]) -> Distribution {
    let zone = |&weight: &u32| Zone {
        access_percent: weight.into(),
        extent: Amount::Bytes(1),
    };
    Distribution::Zoned(weights.iter().map(zone).collect())
}

/// A turn that lasts until the file is done.
const ENDLESS: u32 = u32::MAX;

/// The current file was drawn from a distribution, so its place in the pool is not known.
const UNPLACED: usize = usize::MAX;

/// Draws from a distribution that met a file already done, in a row, before any file still alive is taken.
const PATIENCE: u32 = 16;

impl Chooser {
    /// `weights` count where files are drawn evenly: as many as there are files, or none.
    pub(super) fn new(choice: &FileChoice, weights: &[u32], files: u32) -> Self {
        let pool = |distribution: Option<Distribution>| {
            FileTurn::Pool(Pool {
                alive: Vec::with_capacity(files as usize),
                sampler: distribution.map(|d| Sampler::new(&d, files.into(), 1)),
                ..Pool::default()
            })
        };
        let ring = || {
            FileTurn::Ring(Ring {
                next: (0..files).collect(),
                ..Ring::default()
            })
        };
        let (turn, ios) = match *choice {
            _ if files <= 1 => (FileTurn::Single, ENDLESS),
            FileChoice::RoundRobin { ios } => (ring(), ios),
            // The schedule lets it pass where DISKSPD's numbers are asked for only, which do without.
            FileChoice::EachSlot => (ring(), 1),
            FileChoice::Sequential => (ring(), ENDLESS),
            FileChoice::Random { ios } if weights.is_empty() => (pool(None), ios),
            FileChoice::Random { ios } => (pool(Some(weighted(weights))), ios),
            FileChoice::Zipf { theta } => {
                let center = Some(0.0);
                (pool(Some(Distribution::Zipf { theta, center })), 1)
            }
            FileChoice::Pareto { h } => {
                let center = Some(0.0);
                (pool(Some(Distribution::Pareto { h, center })), 1)
            }
            FileChoice::Normal { deviation } => {
                let center = None;
                (pool(Some(Distribution::Normal { deviation, center })), 1)
            }
        };
        let mut chooser = Self {
            turn,
            ios: ios.max(1),
            ..Self::default()
        };
        chooser.restart(files);
        chooser
    }

    /// All `files` have something to do again, and the first turn begins.
    pub(super) fn restart(&mut self, files: u32) {
        self.left = 0;
        match &mut self.turn {
            FileTurn::Single => {}
            FileTurn::Ring(Ring { next, .. }) => {
                for (next, i) in next.iter_mut().zip(1..) {
                    *next = if i == files { 0 } else { i };
                }
                // The first turn steps forward from the last file to the first.
                self.current = files - 1;
            }
            FileTurn::Pool(Pool { alive, misses, .. }) => {
                *misses = 0;
                alive.clear();
                alive.extend(0..files);
            }
        }
    }

    /// The file of the next I/O. It stays the same until [`Chooser::used`] or [`Chooser::retire`].
    #[inline]
    pub(super) fn current(&mut self, random: &mut Stream) -> u32 {
        if self.left == 0 {
            self.turn(random);
        }
        self.current
    }

    /// An I/O went to the current file.
    #[inline]
    pub(super) fn used(&mut self) {
        if self.ios != ENDLESS {
            self.left -= 1;
            if let FileTurn::Pool(Pool { misses, .. }) = &mut self.turn {
                *misses = 0;
            }
        }
    }

    /// The current file is done for this pass. False when it was the last one.
    pub(super) fn retire(&mut self) -> bool {
        self.left = 0;
        match &mut self.turn {
            FileTurn::Single => false,
            FileTurn::Ring(Ring { next, before }) => {
                let (current, previous) = (self.current as usize, *before as usize);
                if current == previous {
                    return false;
                }
                next[previous] = next[current];
                self.current = *before;
                true
            }
            FileTurn::Pool(Pool {
                at: UNPLACED,
                misses,
                ..
            }) => {
                *misses += 1;
                true
            }
            FileTurn::Pool(Pool { alive, at, .. }) => {
                if *at < alive.len() {
                    alive.swap_remove(*at);
                }
                !alive.is_empty()
            }
        }
    }

    #[inline(never)]
    fn turn(&mut self, random: &mut Stream) {
        self.left = self.ios;
        match &mut self.turn {
            FileTurn::Single => {}
            FileTurn::Ring(Ring { next, before }) => {
                *before = self.current;
                self.current = next[self.current as usize];
            }
            FileTurn::Pool(Pool {
                sampler: Some(sampler),
                misses: 0..PATIENCE,
                at,
                ..
            }) => {
                *at = UNPLACED;
                self.current = u32::try_from(sampler.draw(random)).unwrap_or_default();
            }
            FileTurn::Pool(Pool { alive, at, .. }) => {
                *at = usize::try_from(random.below(alive.len() as u64)).unwrap_or_default();
                // Where none is left it stays the last one, which is done.
                self.current = alive.get(*at).copied().unwrap_or(self.current);
            }
        }
    }
}
