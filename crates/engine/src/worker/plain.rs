//! The short way of filling slots, for a closed loop without special rules.
//!
//! Belongs here: that way of the loop. Must never: ask anybody whether it may go on (see `admission`).

use super::{Slot, Worker, queue};
use crate::access::Io;
use crate::backend::Backend;
use crate::clock::Clock;
use leadline_model::op::Op;
use leadline_model::sample::EndReason;

impl<B: Backend, C: Clock> Worker<B, C> {
    /// The short way: every free slot but the lowest `keep` gets the next I/O, intended for now.
    #[inline(always)]
    pub(super) fn fill_plain(&mut self, keep: usize) {
        if self.now >= self.limits.end() {
            return self.drain(EndReason::Time);
        }
        let before = self.free.len();
        let roomy = self.limits.has_room(before as u64, self.fill_bytes);
        let only = self.generator.only_op();
        let (mut left, mut bytes) = (before, 0);
        let mut reason = None;
        if let (Some(op), true) = (only, roomy) {
            bytes = self.fill_lent(op, &mut left, keep);
        }
        while left > keep {
            if !roomy {
                reason = self.limits.spent_after((before - left) as u64, bytes);
                if reason.is_some() {
                    break;
                }
            }
            let op = only.unwrap_or_else(|| self.generator.pick_op());
            let io = match self.generator.next(op) {
                Some(io) => io,
                None => match self.next_pass(op) {
                    Some(io) => io,
                    None => break,
                },
            };
            bytes += u64::from(io.len);
            left -= 1;
            let slot = self.free.at(left);
            if only != Some(Op::Read) && io.op == Op::Write {
                self.fill_buffer(slot, &io);
            }
            self.queue(slot, io, false);
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

    /// The shortest way, for as long as it goes: one kind of I/O, and nothing that could end it. Returns
    /// the bytes.
    #[inline]
    fn fill_lent(&mut self, op: Op, left: &mut usize, keep: usize) -> u64 {
        let Some(mut lent) = self.generator.lend(op) else {
            return 0;
        };
        let Self {
            backend,
            slots,
            free,
            arena,
            payload,
            ..
        } = self;
        let slots: &mut [Slot] = slots;
        let (mut bytes, mut count) = (0, 0);
        for &slot in free.as_slice()[keep..*left].iter().rev() {
            let Some((offset, len)) = lent.next() else {
                break;
            };
            bytes += u64::from(len);
            count += 1;
            let file = 0;
            let io = Io {
                op,
                file,
                offset,
                len,
            };
            if op == Op::Write {
                let buffer = &mut arena.slot_mut(usize::from(slot))[..len as usize];
                payload.before_write(slot, file, buffer, offset);
            }
            queue(backend, slots, slot, io, false);
        }
        *left -= count;
        self.generator.take_back(&lent);
        bytes
    }
}
