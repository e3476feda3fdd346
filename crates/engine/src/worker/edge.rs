//! How long I/Os were in flight in the measured window. Nearly all of it is the service latency of what was
//! counted; the rest is here: an I/O that was in flight when the window began is counted with all of its
//! latency, and one that was in flight at its end, or failed, with nothing.
//!
//! Belongs here: this sum. Looks at slots when a window begins or ends and when an I/O has failed, never else.

use super::{Slot, Worker};
use crate::backend::Backend;
use crate::clock::Clock;

impl<B: Backend, C: Clock> Worker<B, C> {
    /// The window begins at `tick`: what is in flight took so much before it.
    #[cold]
    pub(super) fn enter_window(&mut self, tick: u64) {
        self.end.edge = self.end.edge.saturating_sub(self.in_flight_until(tick));
    }

    /// The window ends at `tick`: what is in flight is not counted, and took so much until then.
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

    /// Nanoseconds from submission to `tick`, of all I/Os in flight together.
    fn in_flight_until(&self, tick: u64) -> i64 {
        let took = |slot: &Slot| u128::from(tick.saturating_sub(slot.submitted));
        let all: u128 = self.slots.iter().map(took).sum();
        let idle = self.free.as_slice().iter();
        let idle: u128 = idle.map(|&s| took(&self.slots[usize::from(s)])).sum();
        let ticks = u64::try_from(all - idle).unwrap_or(u64::MAX);
        i64::try_from(self.clock.nanos(ticks)).unwrap_or(i64::MAX)
    }
}
