//! Workloads that keep the proportion of their shares although nothing paces them: each takes the I/Os that the
//! tickets of all give to it (`tickets`). Those that are fed by one queue (`Admission::CommonQueue`) keep equal
//! numbers, and may be further ahead.
//!
//! Belongs here: a worker's place among the others, and who lends whom a slot. Must never: lock, or wait itself.
//!
//! Workloads of one pool lend each other slots: one that has to wait while it has slots to spare gives one of
//! them to the one of its pool that is furthest behind, and the next not before it has done a queue's worth
//! of I/Os, so that the effect of the first is seen. So the slots move to where they are needed, and there
//! are never more of them in all.
//!
//! At a pace no workload with a common queue is held back: there slots go from those in time to those that are late,
//! so that all are equally late where there are too few, as in a common queue.
//!
//! A workload counts from its first worker's start to its last worker's end; one that starts later than
//! others begins where the one furthest behind is.

use super::admission::{Ask, Grant, LookAgain, Paced};
use super::tickets::Tickets;
use leadline_model::plan::Admission;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How soon a worker that has nothing in flight and no slot looks again, in nanoseconds.
const STARVED_NS: u64 = 50_000;
/// How long a worker that may not continue waits before it checks again, in nanoseconds.
pub(super) const LOOK_AGAIN_NS: u64 = 200_000;
/// As above while I/Os of its own are in flight, whose end is a reason to look too.
pub(super) const LOOK_BESIDE_IO_NS: u64 = 500_000;

/// A worker fed by a queue checks after this many I/Os whether it lends a slot.
const GRAIN: u64 = 32;
/// Slots are lent by such a worker this long after each other, in nanoseconds: so that the effect of one is
/// seen before the next, also where a million I/Os end in a second.
const LEND_AFTER_NS: u64 = 1_000_000;
/// Slots are lent after this many I/Os for each slot of the pool.
const AHEAD_OF_SLOTS: u64 = 2;
/// At a pace slots go to one whose next I/O is later than one's own by more than this, in nanoseconds.
const LATE_NS: u64 = 1_000_000;
/// A worker takes more I/Os at a time where it comes back for more sooner than this, in nanoseconds.
const HELD_NS: u64 = 200_000;
/// It takes this many at the most.
const HELD_MOST: u64 = 64;
/// This many refusals in a row without a reason are not an accident of late threads.
const BARRED_LOOKS: u32 = 100;
/// The last slot is lent once the lead exceeds `max_lead / LAST_FROM`.
const LAST_FROM: u64 = 4;

/// The coupled workloads of a stage that name one group.
#[derive(Debug)]
pub(crate) struct Coupling {
    /// By workload, in the order of `sides`.
    pub(super) tickets: Tickets,
    pub(super) sides: Box<[Side]>,
    /// Free slots, of workloads with priorities.
    pub(super) free: AtomicU32,
}

#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Side {
    /// Its place in the stage.
    workload: u32,
    admission: Admission,
    /// Depth of all its workers together.
    queue: u64,
    pool: Option<u32>,
    /// I/Os it may have in flight at present, where it is of a pool. Taken from by its own worker alone.
    pub(super) slots: AtomicU32,
    /// The most it can have.
    pub(super) most: u32,
    /// Fed by one queue, at a pace: how late its next I/O is, in nanoseconds.
    late_ns: AtomicU64,
    /// I/Os a second that it is asked for; `None` = as many as it can.
    pub(super) rate: Option<f64>,
    /// Slots that it could fill at once and does not have.
    pub(super) wants: AtomicU32,
}

impl Side {
    fn new(member: &CoupledWorkload) -> Self {
        let &CoupledWorkload {
            workload,
            admission,
            weight: _,
            depth,
            clones,
            rate,
        } = member;
        let lends = admission.borrowable();
        let own = lends.map_or(depth, |l| l.own);
        let by_priority = admission.rank().is_some();
        Self {
            workload,
            admission,
            rate,
            wants: AtomicU32::new(0),
            queue: u64::from(clones) * u64::from(own),
            pool: lends.map(|l| l.pool),
            slots: AtomicU32::new(if by_priority { 0 } else { own }),
            most: depth,
            late_ns: AtomicU64::new(0),
        }
    }

    /// Its rank, if workloads have priorities.
    pub(super) const fn rank(&self) -> Option<u32> {
        self.admission.rank()
    }
}

/// A workload among those it is coupled with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoupledWorkload {
    /// Its place in the stage.
    pub(crate) workload: u32,
    pub(crate) admission: Admission,
    /// What its part of the group's I/Os is given by, above 0.
    pub(crate) weight: f64,
    /// I/Os that one of its workers has in flight at most.
    pub(crate) depth: u32,
    /// Its workers.
    pub(crate) clones: u32,
    /// I/Os a second that it is asked for, all kinds together; `None` = as many as it can.
    pub(crate) rate: Option<f64>,
}

impl Coupling {
    /// What the members of a group share.
    pub(crate) fn new(members: &[CoupledWorkload]) -> Self {
        let sides: Box<[Side]> = members.iter().map(Side::new).collect();
        let weights: Vec<f64> = members.iter().map(|m| m.weight).collect();
        let by_priority = sides.iter().filter(|s| s.rank().is_some());
        let free = by_priority.map(|s| s.most).max().unwrap_or(0);
        let ahead = members.iter().find_map(|m| m.admission.max_lead());
        Self {
            tickets: Tickets::new(&weights, ahead),
            sides,
            free: AtomicU32::new(free),
        }
    }

    /// Of those of a side's pool that are at work and can have more slots.
    fn furthest_behind_of_pool(&self, side: usize) -> Option<usize> {
        let others = self.others_of_pool(side).map(|(at, _)| at);
        others.min_by_key(|&at| self.tickets.place(at, 0))
    }

    /// As above, the one whose next I/O is the latest.
    fn latest_of_pool(&self, side: usize) -> Option<(&Side, u64)> {
        let others = self.others_of_pool(side);
        let late = others.map(|(_, other)| (other, other.late_ns.load(Ordering::Relaxed)));
        late.max_by_key(|(_, late)| *late)
    }

    fn others_of_pool(&self, side: usize) -> impl Iterator<Item = (usize, &Side)> {
        let pool = self.sides[side].pool;
        let others = self.sides.iter().enumerate();
        others.filter(move |&(i, other)| {
            let has_room = other.slots.load(Ordering::Relaxed) < other.most;
            let is_other = i != side && pool.is_some() && other.pool == pool;
            is_other && self.tickets.is_live(i) && has_room
        })
    }
}

/// A worker's place in a coupling. It has left when this is dropped.
#[derive(Debug)]
pub(crate) struct CouplingHandle {
    pub(super) coupling: Arc<Coupling>,
    pub(super) side: usize,
    joined: bool,
    /// I/Os it has taken and not begun.
    held: u64,
    /// How many it takes at a time, and when it last did, in nanoseconds.
    at_a_time: u64,
    filled_ns: u64,
    /// I/Os it had taken when it last lent a slot.
    lent_at: u64,
    /// I/Os it has taken from a queue since it last looked whether it lends a slot.
    unseen: u64,
    /// How far it was ahead of one of its own priority, or of its queue, when it last was to give a slot, and when
    /// that was, in nanoseconds.
    pub(super) was_ahead: u64,
    pub(super) asked_ns: u64,
    /// How often in a row it was refused with nothing in flight and nothing to wait for.
    refused: u32,
    /// It is always refused, on command.
    #[cfg(debug_assertions)]
    barred: bool,
}

impl CouplingHandle {
    /// The place of a worker of a workload that has a side there. To be taken before anybody starts: one that
    /// starts `at_once`, with its stage, counts from here, so that none gets ahead before the last has started.
    pub(crate) fn of(
        coupling: &Arc<Coupling>,
        workload: (u32, &str),
        at_once: bool,
    ) -> Option<Self> {
        let (index, _name) = workload;
        let is_mine = |side: &Side| side.workload == index;
        let mut place = Self {
            coupling: Arc::clone(coupling),
            side: coupling.sides.iter().position(is_mine)?,
            joined: false,
            held: 0,
            at_a_time: 1,
            filled_ns: 0,
            lent_at: 0,
            unseen: 0,
            was_ahead: 0,
            asked_ns: 0,
            refused: 0,
            #[cfg(debug_assertions)]
            barred: std::env::var("LEADLINE_TEST_BAR").is_ok_and(|w| w == _name),
        };
        if at_once {
            place.join();
        }
        Some(place)
    }

    /// What lets its I/Os start.
    pub(super) fn admission(&self) -> Admission {
        self.coupling.sides[self.side].admission
    }

    /// The worker starts.
    pub(super) fn join(&mut self) {
        if !self.joined {
            self.coupling.tickets.join(self.side);
        }
        self.joined = true;
    }

    /// The worker takes no more I/O.
    pub(super) fn leave(&mut self) {
        if !std::mem::take(&mut self.joined) {
            return;
        }
        let side = &self.coupling.sides[self.side];
        let held = std::mem::take(&mut self.held);
        self.coupling.tickets.give_back(self.side, held);
        let last = self.coupling.tickets.leave(self.side);
        if side.rank().is_some() {
            side.wants.store(0, Ordering::Relaxed);
            let slots = side.slots.swap(0, Ordering::Relaxed);
            self.coupling.free.fetch_add(slots, Ordering::Relaxed);
            return;
        }
        if let Some(heir) = self
            .coupling
            .furthest_behind_of_pool(self.side)
            .filter(|_| last)
        {
            let slots = side.slots.swap(0, Ordering::Relaxed);
            let heir = &self.coupling.sides[heir];
            heir.slots.fetch_add(slots, Ordering::Relaxed);
        }
    }

    /// As many I/Os as it has slots and tickets for: all that it could begin at once, or one where it is known only
    /// when it is asked for whether there is one.
    pub(super) fn admit_by_tickets(&mut self, ask: &Ask) -> Grant {
        let want = if ask.plain { ask.free.into() } else { 1 };
        let got = self.take(want, ask);
        self.refused = if got > 0 || ask.in_flight > 0 || self.waits_for_another() {
            0
        } else {
            self.refused.saturating_add(1)
        };
        Grant::Room {
            ios: got,
            less: got < want,
        }
    }

    /// When to check whether the others have progressed, with this many in flight.
    pub(super) fn look_again(&self, in_flight: u32) -> LookAgain {
        let idle = in_flight == 0;
        if self.goes_by_priority() {
            return LookAgain {
                after_ns: if idle { STARVED_NS } else { LOOK_AGAIN_NS },
                held_back: idle,
            };
        }
        LookAgain {
            after_ns: if idle {
                LOOK_AGAIN_NS
            } else {
                LOOK_BESIDE_IO_NS
            },
            held_back: true,
        }
    }

    /// Takes up to `want` I/Os. What is not done of them is to be given back.
    fn take(&mut self, want: u64, ask: &Ask) -> u64 {
        #[cfg(debug_assertions)]
        if self.barred {
            return 0;
        }
        let side = &self.coupling.sides[self.side];
        let mut want = want;
        if side.pool.is_some() {
            let slots = side.slots.load(Ordering::Relaxed);
            want = want.min(slots.saturating_sub(ask.in_flight).into());
        }
        if self.held < want {
            self.fill_up(want, ask.now_ns);
        }
        let got = want.min(self.held);
        self.held -= got;
        let side = &self.coupling.sides[self.side];
        if side.pool.is_none() {
            return got;
        }
        if side.admission.max_lead().is_none() {
            if got < want {
                self.lend();
            }
            return got;
        }
        self.unseen += got;
        if got < want || self.unseen >= GRAIN {
            self.unseen = 0;
            let given = self.lend_from_queue(ask.now_ns, want, got);
            self.give_back(given);
            return got - given;
        }
        got
    }

    /// Takes what is wanted beyond what it holds, and more than that where it was here a moment ago: the counters are
    /// in the caches of other processors, and touching them for each of a million I/Os a second takes a tenth of
    /// the time. One that does fewer takes them one by one, so that the others continue as evenly as it does.
    #[inline(never)]
    fn fill_up(&mut self, want: u64, now_ns: u64) {
        let soon = now_ns < self.filled_ns.saturating_add(HELD_NS);
        self.at_a_time = if soon {
            (self.at_a_time * 2).min(HELD_MOST)
        } else {
            (self.at_a_time / 2).max(1)
        };
        self.filled_ns = now_ns;
        let tickets = &self.coupling.tickets;
        self.held += tickets.take_more(self.side, want - self.held, self.at_a_time);
    }

    /// This many I/Os that were taken are not done yet.
    pub(super) const fn give_back(&mut self, ios: u64) {
        self.held += ios;
    }

    /// Whether it waits for another worker that lags more, or for a slot that others have.
    fn waits_for_another(&self) -> bool {
        let side = &self.coupling.sides[self.side];
        let has_slot = side.pool.is_none() || side.slots.load(Ordering::Relaxed) > 0;
        !has_slot || self.coupling.tickets.waits_for_another(self.side)
    }

    /// Whether it is kept from all I/O for no reason.
    pub(super) const fn is_barred(&self) -> bool {
        self.refused >= BARRED_LOOKS
    }

    /// Gives an unused slot to the worker of the pool that lags most.
    fn lend(&mut self) {
        let side = &self.coupling.sides[self.side];
        let tickets = &self.coupling.tickets;
        let taken = tickets.taken(self.side);
        let slots = side.slots.load(Ordering::Relaxed);
        if slots <= 1 || taken < self.lent_at.saturating_add(side.queue) {
            return;
        }
        let behind = self.coupling.furthest_behind_of_pool(self.side);
        let own = tickets.place(self.side, 0);
        if let Some(behind) = behind.filter(|b| tickets.place(*b, 0) < own) {
            let behind = &self.coupling.sides[behind];
            side.slots.fetch_sub(1, Ordering::Relaxed);
            behind.slots.fetch_add(1, Ordering::Relaxed);
            self.lent_at = taken;
        }
    }

    /// How many I/Os a worker at a pace may begin that is fed by one queue together with the others, after it gave
    /// up slots that another needs more: one slot where both are late, half of those that are free where it is in
    /// time, and never the last.
    pub(super) fn admit_at_pace(&mut self, ask: &Ask, pace: Paced) -> Grant {
        let late = match pace {
            Paced::Due(late) => late,
            Paced::Later(_) => 0,
        };
        self.is_late(late);
        Grant::Room {
            ios: self.slots_at_pace(ask.in_flight, ask.now_ns, late).into(),
            less: false,
        }
    }

    fn slots_at_pace(&mut self, in_flight: u32, now_ns: u64, own: u64) -> u32 {
        let side = &self.coupling.sides[self.side];
        let slots = side.slots.load(Ordering::Relaxed);
        let free = slots.saturating_sub(in_flight);
        let soon = now_ns < self.asked_ns.saturating_add(LEND_AFTER_NS);
        let mut given = 0;
        if free > 0
            && slots > 1
            && !soon
            && let Some((other, late)) = self.coupling.latest_of_pool(self.side)
            && late > own + own / 32 + LATE_NS
        {
            given = if own == 0 { free.div_ceil(2) } else { 1 }.min(slots - 1);
            side.slots.fetch_sub(given, Ordering::Relaxed);
            other.slots.fetch_add(given, Ordering::Relaxed);
            self.asked_ns = now_ns;
        }
        free - given
    }

    /// How late its next I/O is, 0 = none is due.
    pub(super) fn is_late(&self, late_ns: u64) {
        let side = &self.coupling.sides[self.side];
        side.late_ns.store(late_ns, Ordering::Relaxed);
    }

    /// Gives a slot to the one of the pool that is furthest behind, if that falls further behind. So the slots
    /// come to be where the queue's I/Os take longest, and the last one goes back and forth where less than one
    /// is needed. Only a slot that is free can be given: says how many of those for `got` I/Os it was. `got` < `want`:
    /// it is held back.
    fn lend_from_queue(&mut self, now_ns: u64, want: u64, got: u64) -> u64 {
        let (coupling, tickets) = (&self.coupling, &self.coupling.tickets);
        let side = &coupling.sides[self.side];
        let slots = side.slots.load(Ordering::Relaxed);
        let (Some(ahead), Some(behind)) = (
            side.admission.max_lead(),
            coupling.furthest_behind_of_pool(self.side),
        ) else {
            return 0;
        };
        let by = tickets
            .taken(self.side)
            .saturating_sub(tickets.taken(behind));
        let behind = &coupling.sides[behind];
        let starving = behind.slots.load(Ordering::Relaxed) == 0;
        let soon = now_ns < self.asked_ns.saturating_add(LEND_AFTER_NS);
        if want == 0 || slots == 0 || by == 0 || (soon && !starving) {
            return 0;
        }
        self.asked_ns = now_ns;
        let grows = by > std::mem::replace(&mut self.was_ahead, by);
        let enough = if slots == 1 {
            u64::from(ahead) / LAST_FROM
        } else if starving {
            0
        } else {
            AHEAD_OF_SLOTS * u64::from(side.most)
        };
        if by <= enough || !(grows || got == 0 || starving) {
            return 0;
        }
        side.slots.fetch_sub(1, Ordering::Relaxed);
        behind.slots.fetch_add(1, Ordering::Relaxed);
        u64::from(got == want)
    }

    /// This many I/Os were done without being taken before.
    pub(super) fn did(&self, ios: u64) {
        self.coupling.tickets.did(self.side, ios);
    }
}

impl CouplingHandle {
    /// How many I/Os may begin now.
    pub(super) fn admit(&mut self, ask: &Ask) -> Grant {
        match (self.admission(), ask.pace) {
            (Admission::Priority { .. }, _) => self.admit_by_priority(ask),
            (Admission::CommonQueue { .. }, Some(pace)) => self.admit_at_pace(ask, pace),
            _ => self.admit_by_tickets(ask),
        }
    }

    /// This many of the admitted I/Os were started.
    pub(super) fn began(&mut self, ask: &Ask, begun: u64, room: u64) {
        match (self.admission(), ask.pace) {
            (Admission::Priority { .. }, _) => {
                self.did(begun);
                if begun < room {
                    let begun = u32::try_from(begun).unwrap_or(u32::MAX);
                    self.leave_slots(ask.in_flight.saturating_add(begun));
                }
            }
            (Admission::CommonQueue { .. }, Some(_)) => {
                self.did(begun);
                if begun < room {
                    self.is_late(0);
                }
            }
            _ => self.give_back(room - begun),
        }
    }
}

impl Drop for CouplingHandle {
    fn drop(&mut self) {
        self.leave();
    }
}

/// A small number of I/Os.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and a number of I/Os is never negative"
)]
pub(super) fn small(ios: f64) -> u32 {
    ios as u32
}
