//! How long I/Os were in flight in the measured window. Nearly all of it is the service latency of what was
//! counted; the rest is here: an I/O that was in flight when the window began is counted with all of its
//! latency, and one that was in flight at its end, or failed, with nothing.
//!
//! At a pace, I/Os that were due by the end of the window and had not ended, submitted or not, count in the
//! response latency as at least so long.
//!
//! Belongs here: these sums. Looks at slots when a window begins or ends and when an I/O has failed, never else.

use super::source::Source;
use super::{Slot, Worker};
use crate::backend::Backend;
use crate::clock::Clock;
use leadline_model::op::Op;
use leadline_model::sample::EndReason;

impl<S: Source, B: Backend, C: Clock> Worker<S, B, C> {
    /// The window begins at `tick`: what is in flight took this long before it.
    #[cold]
    pub(super) fn enter_window(&mut self, tick: u64) {
        self.end.edge = self.end.edge.saturating_sub(self.in_flight_until(tick));
    }

    /// The window ends at `tick`: what is in flight is not counted, and took this long until then.
    #[cold]
    pub(super) fn leave_window(&mut self, tick: u64) {
        self.end.edge = self.end.edge.saturating_add(self.in_flight_until(tick));
    }

    /// An I/O has failed at `now`.
    #[cold]
    pub(super) fn note_failed(&mut self, entry: &Slot, now: u64) {
        if !self.cell.warmup && !self.cooling {
            let took = self.clock.nanos(now.saturating_sub(entry.submitted));
            self.end.edge = self.end.edge.saturating_add_unsigned(took);
        }
    }

    /// At a pace: what was due by `tick`, the end of the window, and had not ended counts as at least so long.
    #[cold]
    pub(super) fn note_unfinished(&mut self, tick: u64) {
        if !self.open || self.cell.warmup {
            return;
        }
        let more_was_due = self.more_was_due();
        let Self {
            slots,
            pacer,
            cell,
            clock,
            held,
            last_len,
            ..
        } = self;
        let mut note = |op: Op, waits: u64, ios: u64| {
            let counts = cell.counts.ops[op].as_mut();
            if let Some(response) = counts.and_then(|c| c.response.as_mut())
                && ios > 0
            {
                response.record_unfinished(clock.nanos(waits), ios);
            }
        };
        for slot in slots.iter().filter(|s| s.busy) {
            note(slot.op, tick.saturating_sub(slot.intended), 1);
        }
        if !more_was_due {
            return;
        }
        if let Some((io, intended)) = held {
            note(io.op, tick.saturating_sub(*intended), 1);
        }
        pacer.each_missed(tick, *last_len, note);
    }

    /// Whether the worker did not end because all that was asked for was done.
    pub(super) fn more_was_due(&self) -> bool {
        !matches!(
            self.end.reason,
            Some(EndReason::Size | EndReason::Ios | EndReason::Full)
        )
    }

    /// I/Os that were due by `tick` and were never submitted.
    pub(super) fn unissued_by(&self, tick: u64) -> u64 {
        if self.open && self.more_was_due() {
            self.pacer.missed(tick, self.last_len) + u64::from(self.held.is_some())
        } else {
            0
        }
    }

    /// Nanoseconds from submission to `tick`, of all I/Os in flight together.
    pub(super) fn in_flight_until(&self, tick: u64) -> i64 {
        let took = |slot: &Slot| u128::from(tick.saturating_sub(slot.submitted));
        let all: u128 = self.slots.iter().map(took).sum();
        let idle = self.free.as_slice().iter();
        let idle: u128 = idle.map(|&s| took(&self.slots[usize::from(s)])).sum();
        let ticks = u64::try_from(all - idle).unwrap_or(u64::MAX);
        i64::try_from(self.clock.nanos(ticks)).unwrap_or(i64::MAX)
    }
}
