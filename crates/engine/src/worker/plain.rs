//! The short way of filling slots, for a closed loop without special rules.
//!
//! Belongs here: that way of the loop. Must never: ask anybody whether it may go on (see `admission`).

use super::source::{Next, Source};
use super::{Slot, Worker, queue};
use crate::backend::Backend;
use crate::clock::Clock;
use leadline_model::op::Op;
use leadline_model::sample::EndReason;

impl<S: Source, B: Backend, C: Clock> Worker<S, B, C> {
    /// The short way: every free slot but the lowest `keep` gets the next I/O, intended for now.
    #[inline(always)]
    pub(super) fn fill_plain(&mut self, keep: usize) {
        if self.now >= self.limits.end() {
            return self.drain(EndReason::Time);
        }
        let before = self.free.len();
        let roomy = self.limits.has_room(before as u64, self.fill_bytes);
        let (mut left, mut bytes) = (before, 0);
        let mut reason = None;
        if roomy {
            bytes = self.fill_batch(&mut left, keep);
        }
        while left > keep {
            if !roomy {
                reason = self.limits.spent_after((before - left) as u64, bytes);
                if reason.is_some() {
                    break;
                }
            }
            let slot = self.free.at(left - 1);
            let task = match self.source.next(slot, None) {
                Next::Task(task) => task,
                other => match self.next_pass(slot, other) {
                    Some(task) => task,
                    None => break,
                },
            };
            bytes += u64::from(task.len);
            left -= 1;
            if task.op == Op::Write {
                self.load(slot, &task);
            }
            self.queue(slot, task);
        }
        self.free.truncate(left);
        let count = (before - left) as u64;
        self.limits.took(count, bytes);
        if count > 0 {
            let now = self.clock.ticks();
            self.now = now;
            if !self.stamps_behind {
                let slots: &mut [Slot] = &mut self.slots;
                for &slot in self.free.taken_since(before) {
                    slots[usize::from(slot)].submitted = now;
                }
            }
            self.note_submitted(count);
        }
        if let Some(reason) = reason {
            self.drain(reason);
        }
    }

    /// The shortest way, for as long as it goes: what the source gives without a decision. Returns the bytes.
    #[inline]
    fn fill_batch(&mut self, left: &mut usize, keep: usize) -> u64 {
        let Self {
            backend,
            slots,
            free,
            arena,
            source,
            ..
        } = self;
        let slots: &mut [Slot] = slots;
        let free = &free.as_slice()[keep..*left];
        let (count, bytes) =
            source.next_batch(free, arena, |slot, task| queue(backend, slots, slot, task));
        *left -= count;
        bytes
    }
}
