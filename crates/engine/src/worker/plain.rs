//! The short way of filling slots, for a closed loop without special rules.
//!
//! Belongs here: that way of the loop. Must never: ask for permission to continue (see `admission`).

use super::source::{Next, Sink, Source, Task};
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
        // For one the state of the source stays where it is.
        if roomy && left - keep > 1 {
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
                other => match self.start_next_pass(slot, other) {
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
            if !self.stamps_after {
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
        let free = &self.free.as_slice()[keep..*left];
        let mut sink = Queue {
            backend: &mut self.backend,
            slots: &mut self.slots,
        };
        let (count, bytes) = self.source.next_batch(free, &mut self.arena, &mut sink);
        *left -= count;
        bytes
    }
}

/// The back end, for as many as there are.
struct Queue<'a, B> {
    backend: &'a mut B,
    slots: &'a mut [Slot],
}

impl<B: Backend> Sink for Queue<'_, B> {
    #[inline(always)]
    fn put(&mut self, slot: u16, task: Task) -> bool {
        queue(self.backend, self.slots, slot, task);
        true
    }
}
