//! The short way of filling slots at one rate, without special rules: as `plain`, and each I/O has the start that
//! its rate intends for it.
//!
//! Belongs here: that way of the loop. Must never: skip an I/O that is late, or begin one before it is due.

use super::source::{Next, Sink, Source, Task};
use super::{Slot, Worker, queue};
use crate::backend::Backend;
use crate::clock::Clock;
use crate::pace::LentRate;
use leadline_model::op::Op;
use leadline_model::sample::EndReason;

impl<S: Source, B: Backend, C: Clock> Worker<S, B, C> {
    /// Fills free slots with what is due. Returns the tick at which the next I/O is due, when it is that which holds
    /// it back.
    pub(super) fn fill_paced(&mut self) -> Option<u64> {
        let (before, end) = (self.free.len(), self.limits.end());
        let roomy = self.limits.has_room(before as u64, self.fill_bytes);
        let (mut left, mut bytes) = (before, 0);
        let (mut later, mut reason) = (None, None);
        while left > 0 {
            let due = self.pacer.due();
            if due > self.now {
                // The clock may have moved since it was last read.
                self.now = self.clock.ticks();
                if due > self.now {
                    later = Some(due);
                    break;
                }
            }
            if due >= end {
                reason = Some(EndReason::Time);
                break;
            }
            if roomy {
                let (count, moved) = self.fill_due(left, end);
                (left, bytes) = (left - count, bytes + moved);
                if count > 0 {
                    continue;
                }
            } else {
                reason = self.limits.spent_after((before - left) as u64, bytes);
                if reason.is_some() {
                    break;
                }
            }
            let slot = self.free.at(left - 1);
            let task = match self.source.next(slot, self.pacer.only_op()) {
                Next::Task(task) => task,
                other => match self.start_next_pass(slot, other) {
                    Some(task) => task,
                    None => break,
                },
            };
            if task.op == Op::Write {
                self.load(slot, &task);
            }
            self.queue(slot, task);
            let entry = &mut self.slots[usize::from(slot)];
            (entry.intended, entry.busy) = (due, true);
            self.pacer.took_one(task.len);
            self.last_len = task.len;
            (left, bytes) = (left - 1, bytes + u64::from(task.len));
        }
        self.free.truncate(left);
        if left < before {
            self.limits.took((before - left) as u64, bytes);
            self.stamp_at_pace(before);
        }
        if let Some(reason) = reason {
            self.drain(reason);
        }
        later
    }

    /// What the source gives without a decision, as far as it is due: how many of the lowest `left` free slots were
    /// filled, and the bytes.
    #[inline]
    fn fill_due(&mut self, left: usize, end: u64) -> (usize, u64) {
        let Some(stream) = self.pacer.lend() else {
            return (0, 0);
        };
        let mut sink = DueSink {
            backend: &mut self.backend,
            slots: &mut self.slots,
            due: stream.due(),
            until: self.now.saturating_add(1).min(end),
            last_len: 0,
            stream,
        };
        let free = &self.free.as_slice()[..left];
        let done = self.source.next_batch(free, &mut self.arena, &mut sink);
        if done.0 > 0 {
            self.last_len = sink.last_len;
        }
        sink.stream.give_back();
        done
    }
}

/// The back end, for what is due.
struct DueSink<'a, B> {
    backend: &'a mut B,
    slots: &'a mut [Slot],
    stream: LentRate<'a>,
    /// The intended start of the next I/O.
    due: u64,
    /// Those before this tick may begin.
    until: u64,
    last_len: u32,
}

impl<B: Backend> Sink for DueSink<'_, B> {
    #[inline(always)]
    fn put(&mut self, slot: u16, task: Task) -> bool {
        queue(self.backend, self.slots, slot, task);
        let entry = &mut self.slots[usize::from(slot)];
        (entry.intended, entry.busy) = (self.due, true);
        self.last_len = task.len;
        self.stream.took(task.len);
        self.due = self.stream.due();
        self.due < self.until
    }
}
