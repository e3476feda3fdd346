//! The cache of a simulated volume, and what of it the device does not have yet.

use super::job::{Answer, Stored};
use super::recent::{Key, Recent};
use crate::backend::Request;
use leadline_model::plan::simulated::SimCache;
use leadline_model::units::Nanos;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::RangeInclusive;

/// Unit of the cache.
const BLOCK: u64 = 4096;

/// Keeps the blocks touched last.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Cache {
    law: SimCache,
    blocks: Recent,
    /// Blocks that were written and that the device does not have yet.
    #[serde(with = "super::stored::pairs")]
    dirty: HashMap<Key, Dirty>,
    /// Numbers of what goes to the device.
    under_way: BTreeSet<u64>,
    number: u64,
    /// Writes for which there is no room yet.
    waiting: VecDeque<(u64, Request, Answer)>,
    /// Flushes, each with the last number that it waits for.
    flushes: VecDeque<(u64, Answer)>,
}

/// A block that the device does not have yet.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Dirty {
    /// How many times it is on its way to the device.
    copies: u32,
    /// The last of them has not begun: it takes along what is written until then.
    waits: bool,
}

impl Cache {
    pub(super) fn new(law: SimCache) -> Self {
        Self {
            law,
            blocks: Recent::new(),
            dirty: HashMap::new(),
            under_way: BTreeSet::new(),
            number: 0,
            waiting: VecDeque::new(),
            flushes: VecDeque::new(),
        }
    }

    /// How many blocks it remembers.
    pub(super) fn held(&self) -> usize {
        self.blocks.len() + self.dirty.len()
    }

    /// Applies a changed law; what it holds stays, as far as it fits.
    pub(super) fn change(&mut self, law: SimCache) {
        self.law = law;
        self.shrink();
    }

    pub(super) const fn writes_back(&self) -> bool {
        self.law.write_back
    }

    /// Time of a hit.
    pub(super) const fn hit(&self) -> Nanos {
        self.law.hit
    }

    /// Notes the I/O; whether all of it was there.
    pub(super) fn touch(&mut self, file: u64, request: &Request) -> bool {
        let mut all = true;
        for block in blocks(request) {
            let key = (file, block);
            let known = self.blocks.touch(key);
            all &= known || self.dirty.contains_key(&key);
        }
        self.shrink();
        all
    }

    /// Takes a write, which waits until there is room for it.
    pub(super) fn write(&mut self, file: u64, request: &Request, answer: Answer) {
        self.waiting.push_back((file, *request, answer));
    }

    /// The next write that has room, and into `out` what goes to the device because of it: each with its bytes.
    pub(super) fn take(&mut self, out: &mut Vec<(Stored, u32)>) -> Option<Answer> {
        let &(file, request, answer) = self.waiting.front()?;
        let clean = |block: &u64| !self.dirty.contains_key(&(file, *block));
        let more = blocks(&request).filter(clean).count() as u64;
        let held = self.dirty.len() as u64;
        if held > 0 && (held + more) * BLOCK > self.law.size {
            return None;
        }
        self.waiting.pop_front();
        let mut run: Option<Stored> = None;
        for block in blocks(&request) {
            let state = self.dirty.entry((file, block)).or_default();
            if state.waits {
                self.give(run.take(), &request, out);
                continue;
            }
            (state.waits, state.copies) = (true, state.copies + 1);
            let fresh = Stored {
                number: 0,
                file,
                first: block,
                blocks: 0,
            };
            run.get_or_insert(fresh).blocks += 1;
        }
        self.give(run, &request, out);
        Some(answer)
    }

    fn give(&mut self, run: Option<Stored>, request: &Request, out: &mut Vec<(Stored, u32)>) {
        let Some(mut run) = run else { return };
        self.number += 1;
        run.number = self.number;
        self.under_way.insert(self.number);
        let len = u32::try_from(run.blocks * BLOCK).unwrap_or(u32::MAX);
        out.push((run, len.min(request.len)));
    }

    /// The device begins with these blocks: what is written from now on goes to it once more.
    pub(super) fn begun(&mut self, stored: &Stored) {
        for block in stored.first..stored.first + stored.blocks {
            if let Some(state) = self.dirty.get_mut(&(stored.file, block)) {
                // Copies begin in the order in which they were given, and one at most has not.
                state.waits = false;
            }
        }
    }

    /// The device has these blocks.
    pub(super) fn stored(&mut self, stored: &Stored) {
        self.under_way.remove(&stored.number);
        for block in stored.first..stored.first + stored.blocks {
            let key = (stored.file, block);
            if let Some(state) = self.dirty.get_mut(&key) {
                state.copies -= 1;
                if state.copies == 0 {
                    self.dirty.remove(&key);
                }
            }
        }
    }

    /// Takes a flush: it waits until the device has all that was written before.
    pub(super) fn flush(&mut self, answer: Answer) {
        self.flushes.push_back((self.number, answer));
    }

    /// The next flush that waits for nothing more.
    pub(super) fn take_flush(&mut self) -> Option<Answer> {
        let first = self.under_way.first().copied().unwrap_or(u64::MAX);
        let &(last, answer) = self.flushes.front()?;
        if first <= last {
            return None;
        }
        self.flushes.pop_front();
        Some(answer)
    }

    /// Whether the device lacks anything.
    pub(super) fn is_dirty(&self) -> bool {
        !self.under_way.is_empty()
    }

    /// Forgets the oldest blocks until it fits.
    fn shrink(&mut self) {
        while self.blocks.len() as u64 * BLOCK > self.law.size {
            self.blocks.forget_first();
        }
    }
}

/// The blocks of an I/O.
fn blocks(request: &Request) -> RangeInclusive<u64> {
    let last = request.offset + u64::from(request.len).max(1) - 1;
    request.offset / BLOCK..=last / BLOCK
}
