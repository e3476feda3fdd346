//! Workers that go by priority ([`leadline_model::plan::Admission::Priority`]): they have one number of slots between
//! them, and a slot that is free goes to the one of the lowest number that has I/O to do.
//!
//! Belongs here: who takes a slot, and who leaves it to whom. Must never: take a slot from an I/O in flight, lock, or
//! cost a worker anything that does not go by priority.
//!
//! What is shared is the number of free slots, and for each worker how many it has and how many more it
//! could fill at once. A worker that looks for slots first leaves as many free slots as workers of higher priority
//! still need. No worker is woken when a slot becomes free: one that wants it looks again soon, and its I/Os wait until
//! then from their intended start. All may be read late: a slot then goes to one of a higher number, and no slot is
//! lost or made.

use super::admission::{Ask, Grant, Paced};
use super::{CouplingHandle, couple};
use leadline_model::units::Nanos;
use std::sync::atomic::Ordering::Relaxed;

/// One of the same number lags when it is this many I/Os for each slot short of its share.
const BEHIND_BY_SLOTS: u32 = 2;
/// Slots go to one of the same number this long after each other, in nanoseconds, so that the effect of one is seen
/// before the next; at once to one that has none.
const GIVE_AFTER_NS: u64 = 1_000_000;

impl CouplingHandle {
    /// Whether it is ordered by priority.
    pub(super) fn goes_by_priority(&self) -> bool {
        self.coupling.sides[self.side].rank().is_some()
    }

    /// As many I/Os as there are slots for. At a pace only what is due takes slots.
    pub(super) fn admit_by_priority(&mut self, ask: &Ask) -> Grant {
        let wanted = match ask.pace {
            None => ask.free,
            Some(Paced::Due(late)) => self.due_ios(Nanos(late)).min(ask.free),
            Some(Paced::Later(tick)) => {
                self.leave_slots(ask.in_flight);
                return Grant::Until(tick);
            }
        };
        let got = self.take_slots(ask.in_flight, wanted, ask.now_ns);
        Grant::Room {
            ios: got.into(),
            less: got < wanted,
        }
    }

    /// How many slots may be filled now, of those that could be, with this many in flight.
    fn take_slots(&mut self, in_flight: u32, wanted: u32, now_ns: u64) -> u32 {
        let side = &self.coupling.sides[self.side];
        let held = side.slots.load(Relaxed);
        let spare = held.saturating_sub(in_flight);
        let (owed, before) = self.wanted_before(spare > 0, now_ns);
        let (side, free) = (&self.coupling.sides[self.side], &self.coupling.free);
        let left = spare
            .saturating_sub(wanted)
            .max(owed.saturating_sub(free.load(Relaxed)).min(spare));
        side.slots.store(held - left, Relaxed);
        free.fetch_add(left, Relaxed);
        let has = spare - left;
        let missing = wanted.saturating_sub(has);
        let mut more = 0;
        // Fails where there is none, and is tried again where others took some meanwhile.
        let _ = free.fetch_update(Relaxed, Relaxed, |free| {
            more = missing.min(free.saturating_sub(before));
            (more > 0).then(|| free - more)
        });
        side.slots.fetch_add(more, Relaxed);
        side.wants.store(missing - more, Relaxed);
        has + more
    }

    /// Nothing is to be done now: all slots that are not in use are for others.
    pub(super) fn leave_slots(&mut self, in_flight: u32) {
        let side = &self.coupling.sides[self.side];
        side.wants.store(0, Relaxed);
        let held = side.slots.load(Relaxed);
        side.slots.store(held.min(in_flight), Relaxed);
        self.coupling
            .free
            .fetch_add(held.saturating_sub(in_flight), Relaxed);
    }

    /// How many slots are owed to those that go before it, and how many they want: those of its own number are given
    /// one after the other, and what is free is for them.
    fn wanted_before(&mut self, can_give: bool, now_ns: u64) -> (u32, u32) {
        let own = &self.coupling.sides[self.side];
        let (mut first, mut equal) = (0_u32, 0_u32);
        // Of those of its number that lag: how far, and whether one has no slot at all.
        let (mut ahead, mut starving) = (0, false);
        let tickets = &self.coupling.tickets;
        let here = tickets.place(self.side, 0);
        for (at, other) in self.coupling.sides.iter().enumerate() {
            let wants = other.wants.load(Relaxed);
            if at == self.side || wants == 0 || !tickets.is_live(at) || other.rank() > own.rank() {
                continue;
            }
            let paced = (other.rate.is_some(), own.rate.is_some());
            if other.rank() < own.rank() || paced == (true, false) {
                first = first.saturating_add(wants);
            } else if paced.0 == paced.1
                && tickets.place(at, u64::from(BEHIND_BY_SLOTS * own.most)) < here
            {
                equal = equal.saturating_add(wants);
                ahead = ahead.max(here - tickets.place(at, 0));
                starving |= other.slots.load(Relaxed) == 0;
            }
        }
        let soon = now_ns < self.asked_ns.saturating_add(GIVE_AFTER_NS);
        let mut gives = equal > 0 && starving;
        if equal > 0 && can_give && !soon {
            self.asked_ns = now_ns;
            gives |= ahead > std::mem::replace(&mut self.was_ahead, ahead);
        }
        (
            first.saturating_add(u32::from(gives)),
            first.saturating_add(equal),
        )
    }

    /// About how many I/Os are due when the first of them is late by this much.
    fn due_ios(&self, late: Nanos) -> u32 {
        let rate = self.coupling.sides[self.side].rate.unwrap_or(0.0);
        couple::small(1.0 + rate * late.0 as f64 / 1e9)
    }
}
