//! The cache of a simulated volume.

use crate::backend::Request;
use leadline_model::plan::simulated::SimCache;
use leadline_model::units::Nanos;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

/// Unit of the cache.
const BLOCK: u64 = 4096;

/// A block: its file and its place in it.
type Key = (u64, u64);

/// Keeps the blocks touched last.
#[derive(Debug)]
pub(super) struct Cache {
    law: SimCache,
    stamp: u64,
    blocks: HashMap<Key, u64>,
    /// Touches in order; those that are not a block's last are ignored when they fall out.
    order: VecDeque<(Key, u64)>,
    /// Writes that the device does not have yet: (when it will, bytes), the earliest first.
    dirty: BinaryHeap<Reverse<(u64, u32)>>,
    dirty_bytes: u64,
    clean_at: u64,
}

impl Cache {
    pub(super) fn new(law: SimCache) -> Self {
        Self {
            law,
            stamp: 0,
            blocks: HashMap::new(),
            order: VecDeque::new(),
            dirty: BinaryHeap::new(),
            dirty_bytes: 0,
            clean_at: 0,
        }
    }

    /// Becomes what another law says; what it holds stays, as far as it fits.
    pub(super) fn change(&mut self, law: SimCache) {
        self.law = law;
        self.shrink();
    }

    pub(super) const fn writes_back(&self) -> bool {
        self.law.write_back
    }

    /// Notes the I/O; the time of a hit when all of it was there.
    pub(super) fn touch(&mut self, file: u64, request: &Request) -> Option<Nanos> {
        let first = request.offset / BLOCK;
        let last = (request.offset + u64::from(request.len).max(1) - 1) / BLOCK;
        let mut all = true;
        for block in first..=last {
            let key = (file, block);
            self.stamp += 1;
            all &= self.blocks.insert(key, self.stamp).is_some();
            self.order.push_back((key, self.stamp));
        }
        self.shrink();
        all.then_some(self.law.hit)
    }

    /// Takes a write at `at` that the device will have at `stored`: when there was room for it and it ends.
    pub(super) fn write(&mut self, at: u64, stored: u64, len: u32) -> u64 {
        let mut room = at;
        while let Some(&Reverse((end, bytes))) = self.dirty.peek() {
            let full = self.dirty_bytes + u64::from(len) > self.law.size;
            if end > at && !full {
                break;
            }
            self.dirty.pop();
            self.dirty_bytes -= u64::from(bytes);
            room = room.max(end);
        }
        self.dirty.push(Reverse((stored, len)));
        self.dirty_bytes += u64::from(len);
        self.clean_at = self.clean_at.max(stored);
        room + self.law.hit.0
    }

    /// When the device has all that was written until `at`.
    pub(super) fn clean_at(&self, at: u64) -> u64 {
        self.clean_at.max(at)
    }

    /// Forgets the oldest blocks until it fits, and touches that count no more when they outnumber the others.
    fn shrink(&mut self) {
        while self.blocks.len() as u64 * BLOCK > self.law.size {
            let Some((key, stamp)) = self.order.pop_front() else {
                break;
            };
            if self.blocks.get(&key) == Some(&stamp) {
                self.blocks.remove(&key);
            }
        }
        if self.order.len() > 2 * self.blocks.len() + 64 {
            let last = &self.blocks;
            self.order
                .retain(|(key, stamp)| last.get(key) == Some(stamp));
        }
    }

    /// How many touches it remembers.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.order.len()
    }
}
