//! The short way of filling slots, for a closed loop without special rules; and the ways of workers that are
//! coupled with others (see `couple`), with and without a pace.
//!
//! Belongs here: those ways of the loop. Must never: look at all others for each I/O, or let a worker pay for others
//! that it is not coupled with.

use super::{Slot, Worker, couple, queue};
use crate::access::Io;
use crate::backend::Backend;
use crate::clock::Clock;
use crate::pace::Turn;
use leadline_model::sample::EndReason;
use leadline_model::units::Op;

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

    /// As the short way beside others, for as many I/Os as they leave it. Returns when to look again where it would
    /// do more.
    #[inline(never)]
    pub(super) fn fill_plain_beside(&mut self) -> Option<u64> {
        let free = self.free.len();
        let got = self.take(free as u64);
        if got > 0 {
            let keep = free - usize::try_from(got).unwrap_or(free);
            self.fill_plain(keep);
            self.give_back(got - (free - self.free.len()) as u64);
        }
        (got < free as u64).then(|| self.look_again())
    }

    /// The long way beside others, one I/O after the other: whether there is one is known when it is asked for.
    #[inline(never)]
    pub(super) fn fill_beside(&mut self) -> Option<u64> {
        while !self.free.is_empty() {
            if self.take(1) == 0 {
                return Some(self.look_again());
            }
            let before = self.free.len();
            let later = self.fill_at_most(1);
            if self.free.len() == before {
                self.give_back(1);
                return later;
            }
        }
        None
    }

    fn take(&mut self, want: u64) -> u64 {
        let (in_flight, clock, now) = (self.in_flight(), &self.clock, self.now);
        let place = self.coupled.as_mut();
        place.map_or(0, |place| place.take(want, in_flight, || clock.nanos(now)))
    }

    fn give_back(&mut self, ios: u64) {
        let place = self.coupled.iter_mut();
        place.for_each(|place| place.give_back(ios));
    }

    /// When to look whether the others have gone on. Nothing is due then: it is no matter of microseconds.
    fn look_again(&mut self) -> u64 {
        self.held_back = true;
        let nanos = if self.in_flight() == 0 {
            couple::LOOK_AGAIN_NS
        } else {
            couple::LOOK_BESIDE_IO_NS
        };
        self.now + self.clock.span(nanos)
    }

    /// The long way at a pace, for as many I/Os as it has slots. One that is in time gives slots that it does not
    /// use to one that is late.
    #[inline(never)]
    pub(super) fn fill_at_pace_from_queue(&mut self) -> Option<u64> {
        let (in_flight, now) = (self.in_flight(), self.clock.nanos(self.now));
        let room = self.coupled.as_mut()?.slots_at_pace(in_flight, now);
        let later = self.fill_at_most(room);
        self.did(in_flight);
        let late = match self.pacer.turn(self.now) {
            Turn::Due(_, due) | Turn::AnyDue(due) => self.clock.nanos(self.now - due),
            Turn::Free | Turn::FreeOf(_) | Turn::Later(_) => 0,
        };
        self.coupled.iter().for_each(|place| place.is_late(late));
        later
    }

    /// Counts what was queued since there were so many in flight, where the others let it do so unasked.
    pub(super) fn did(&self, before: u32) {
        let ios = u64::from(self.in_flight() - before);
        self.coupled.iter().for_each(|place| place.did(ios));
    }
}
