//! Workers that go by priority (`Workload::priority`): they have one number of slots between them, and a slot that is
//! free goes to the one of the lowest number that has I/O to do.
//!
//! Belongs here: who takes a slot, and who leaves it to whom. Must never: take a slot from an I/O in flight, lock, or
//! cost a worker anything that does not go by priority.
//!
//! What is shared is the number of slots that nobody has, and for each worker how many it has and how many more it
//! could fill at once. A worker that looks for slots first leaves so many of its own as those before it want and do
//! not find. Nobody is told that a slot is free: who wants one looks again soon, and its I/Os wait until then from their
//! intended start. All may be read late: a slot then goes to one of a higher number, and no slot is lost or made.

use super::{Place, Worker, couple};
use crate::backend::Backend;
use crate::clock::Clock;
use crate::pace::Turn;
use leadline_model::units::Nanos;
use std::sync::atomic::Ordering::Relaxed;

/// How soon a worker that has nothing in flight and no slot looks again, in nanoseconds.
const STARVED_NS: u64 = 50_000;
/// One of the same number is behind when it is by so many I/Os for each slot, by its share.
const BEHIND_BY_SLOTS: u32 = 2;
/// Slots go to one of the same number this long after each other, in nanoseconds, so that the effect of one is seen
/// before the next; at once to one that has none.
const GIVE_AFTER_NS: u64 = 1_000_000;

impl Place {
    /// Whether it goes by priority.
    pub(super) fn goes_by_priority(&self) -> bool {
        self.coupling.sides[self.side].priority.is_some()
    }

    /// How many slots may be filled now, of so many that could be, with so many in flight.
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
    fn leave_slots(&mut self, in_flight: u32) {
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
        // Of those of its number that are behind: how far, and whether one has nothing at all.
        let (mut ahead, mut starving) = (0, false);
        let tickets = &self.coupling.tickets;
        let here = tickets.place(self.side, 0);
        for (at, other) in self.coupling.sides.iter().enumerate() {
            let wants = other.wants.load(Relaxed);
            if at == self.side
                || wants == 0
                || !tickets.is_live(at)
                || other.priority > own.priority
            {
                continue;
            }
            let paced = (other.rate.is_some(), own.rate.is_some());
            if other.priority < own.priority || paced == (true, false) {
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

    /// About how many I/Os are due when the first of them is late by so much.
    fn due_ios(&self, late: Nanos) -> u32 {
        let rate = self.coupling.sides[self.side].rate.unwrap_or(0.0);
        couple::small(1.0 + rate * late.0 as f64 / 1e9)
    }
}

impl<B: Backend, C: Clock> Worker<B, C> {
    /// The long way, for as many I/Os as there are slots for. Returns when to look again.
    #[inline(never)]
    pub(super) fn fill_by_priority(&mut self) -> Option<u64> {
        if self.open {
            return self.fill_by_priority_at_pace();
        }
        let (in_flight, wanted) = (self.in_flight(), self.free_slots());
        let now_ns = self.clock.nanos(self.now);
        let got = self.coupled.as_mut()?.take_slots(in_flight, wanted, now_ns);
        self.fill_at_most(got.into());
        self.did(in_flight);
        (got < wanted).then(|| self.look_for_slots())
    }

    /// As above at a pace: only what is due takes slots.
    fn fill_by_priority_at_pace(&mut self) -> Option<u64> {
        while !self.free.is_empty() {
            let in_flight = self.in_flight();
            let turn = self.pacer.turn(self.now);
            let place = self.coupled.as_mut()?;
            let due = match turn {
                Turn::Due(_, due) | Turn::AnyDue(due) => due,
                Turn::Free | Turn::FreeOf(_) => self.now,
                Turn::Later(tick) => {
                    place.leave_slots(in_flight);
                    return Some(tick);
                }
            };
            let late = Nanos(self.clock.nanos(self.now.saturating_sub(due)));
            let wanted = place.due_ios(late).min(self.free_slots());
            let now_ns = self.clock.nanos(self.now);
            let place = self.coupled.as_mut()?;
            let got = place.take_slots(in_flight, wanted, now_ns);
            if got == 0 {
                return Some(self.look_for_slots());
            }
            let later = self.fill_at_most(got.into());
            self.did(in_flight);
            if self.in_flight() == in_flight {
                self.coupled.as_mut()?.leave_slots(in_flight);
                return later;
            }
        }
        None
    }

    fn free_slots(&self) -> u32 {
        u32::try_from(self.free.len()).unwrap_or(u32::MAX)
    }

    /// When to look for slots again, if none of its own I/Os ends before.
    fn look_for_slots(&mut self) -> u64 {
        self.held_back = self.in_flight() == 0;
        let nanos = if self.held_back {
            STARVED_NS
        } else {
            couple::LOOK_AGAIN_NS
        };
        self.now + self.clock.span(nanos)
    }
}
