//! Workloads that keep the proportion of their shares although nothing paces them: none gets further
//! ahead of the one that is furthest behind, by shares, than about one queue. Those that are fed by one queue
//! (`Workload::ahead`) keep equal numbers, and may be further ahead: then a look at the others is needed
//! only every some I/Os, and in between nothing is shared.
//!
//! Belongs here: who is how far, and how many I/Os a worker may take. Must never: lock, or wait itself.
//!
//! What is shared is one counter a workload, in a cache line of its own, added to once a batch. Counters
//! may be read late: all that follows is that a workload is some I/Os further ahead than it should be, and
//! waits for longer afterwards. Nothing but counts is read through them, so relaxed order is enough.
//!
//! Workloads of one pool lend each other slots: one that has to wait while it has slots to spare gives one of
//! them to the one of its pool that is furthest behind, and the next not before it has done a queue's worth
//! of I/Os, so that the effect of the first is seen. So the slots come to be where they are needed, and there
//! are never more of them in all.
//!
//! At a pace nobody is held back: there slots go from those in time to those that are late, so that all are
//! equally late where there are too few, as in a common queue.
//!
//! A workload counts from its first worker's start to its last worker's end; one that starts later than
//! others begins where the one furthest behind is.

use crate::schedule::Program;
use leadline_model::plan::{Pace, Rate, Stage, Workload};
use leadline_model::units::Nanos;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How long a worker that may not go on waits before it looks again, in nanoseconds.
pub(super) const LOOK_AGAIN_NS: u64 = 200_000;

/// Most I/Os that a worker fed by a queue takes before it tells of them and looks at the others: a fraction of
/// how far it may be ahead, and enough that the lines of memory that are read by all cost nothing.
const GRAIN: u64 = 32;
/// Slots are lent by such a worker this long after each other, in nanoseconds: so that the effect of one is
/// seen before the next, also where a million I/Os end in a second.
const LEND_AFTER_NS: u64 = 1_000_000;
/// Slots are lent from so many I/Os on for each slot of the pool.
const AHEAD_OF_SLOTS: u64 = 2;
/// At a pace slots go to one whose next I/O is later than one's own by more than this, in nanoseconds.
const LATE_NS: u64 = 1_000_000;
/// The last slot is lent when it is as far ahead as this part of what is allowed.
const LAST_FROM: u64 = 4;

/// The coupled workloads of a stage that name one number.
#[derive(Debug)]
pub struct Coupling {
    pub(super) sides: Box<[Side]>,
    /// Slots that nobody has, of workloads that go by priority.
    pub(super) free: AtomicU32,
}

#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Side {
    /// Its place in the stage.
    workload: u32,
    /// What its progress is measured by.
    share: f64,
    /// Depth of all its workers together.
    queue: u64,
    /// I/Os taken.
    taken: AtomicU64,
    /// Workers at work.
    live: AtomicU32,
    pool: Option<u32>,
    /// I/Os it may have in flight at present, where it is of a pool. Taken from by its own worker alone.
    pub(super) slots: AtomicU32,
    /// The most it can have.
    pub(super) most: u32,
    /// Fed by one queue: I/Os it may be ahead.
    ahead: Option<u64>,
    /// Fed by one queue, at a pace: how late its next I/O is, in nanoseconds.
    late_ns: AtomicU64,
    /// Where workloads go by priority: its number, the lowest first.
    pub(super) priority: Option<u32>,
    /// I/Os a second that it is asked for; `None` = as many as it can.
    pub(super) rate: Option<f64>,
    /// Slots that it could fill at once and does not have.
    pub(super) wants: AtomicU32,
}

impl Side {
    fn new(workload: u32, w: &Workload) -> Self {
        let lends = w.lends.filter(|_| w.clones == 1);
        let own = lends.map_or(w.depth, |l| l.own.clamp(1, w.depth.max(1)));
        let rate = match w.pace {
            Pace::Open {
                together: Some(Rate::Iops(rate)),
                ..
            } => Some(rate),
            _ => None,
        };
        let by_rate = rate.filter(|_| w.priority.is_some());
        Self {
            workload,
            share: match w.ahead {
                None => by_rate.or(w.share).unwrap_or(1.0).max(f64::MIN_POSITIVE),
                Some(_) => 1.0,
            },
            priority: w.priority,
            rate,
            wants: AtomicU32::new(0),
            queue: u64::from(w.clones) * u64::from(own),
            taken: AtomicU64::new(0),
            live: AtomicU32::new(0),
            pool: lends.map(|l| l.pool),
            slots: AtomicU32::new(if w.priority.is_some() { 0 } else { own }),
            most: w.depth,
            ahead: w.ahead.map(|n| u64::from(n).max(1)),
            late_ns: AtomicU64::new(0),
        }
    }

    pub(super) fn is_live(&self) -> bool {
        self.live.load(Ordering::Relaxed) > 0
    }

    /// How far it is, by its share.
    pub(super) fn progress(&self) -> f64 {
        self.taken.load(Ordering::Relaxed) as f64 / self.share
    }

    /// Whether it is further behind than `slack` of its I/Os would make good.
    pub(super) fn is_behind(&self, other: &Self, slack: f64) -> bool {
        self.progress() + slack / self.share < other.progress()
    }
}

impl Coupling {
    /// The couplings of a stage, by the number that its workloads name.
    pub(crate) fn of(stage: &Stage, number: u32) -> Self {
        let sides = (0..)
            .zip(&stage.workloads)
            .filter(|(_, w)| w.coupled == Some(number))
            .map(|(index, w)| Side::new(index, w));
        let sides: Box<[Side]> = sides.collect();
        let by_priority = sides.iter().filter(|s| s.priority.is_some());
        let free = by_priority.map(|s| s.most).max().unwrap_or(0);
        Self {
            sides,
            free: AtomicU32::new(free),
        }
    }

    /// Where the one of those at work that is furthest behind is, `side` left out; `None` = there is none.
    fn furthest_behind(&self, side: usize) -> Option<f64> {
        let others = self.sides.iter().enumerate();
        let others = others.filter(|&(i, other)| i != side && other.is_live());
        others.map(|(_, other)| other.progress()).reduce(f64::min)
    }

    /// Of those of a side's pool that are at work and can have more slots.
    fn furthest_behind_of_pool(&self, side: usize) -> Option<&Side> {
        let others = self.others_of_pool(side);
        others.min_by(|a, b| a.progress().total_cmp(&b.progress()))
    }

    /// As above, the one whose next I/O is the latest.
    fn latest_of_pool(&self, side: usize) -> Option<(&Side, u64)> {
        let others = self.others_of_pool(side);
        let late = others.map(|other| (other, other.late_ns.load(Ordering::Relaxed)));
        late.max_by_key(|(_, late)| *late)
    }

    fn others_of_pool(&self, side: usize) -> impl Iterator<Item = &Side> {
        let pool = self.sides[side].pool;
        let others = self.sides.iter().enumerate();
        let others = others.filter(move |&(i, other)| {
            let has_room = other.slots.load(Ordering::Relaxed) < other.most;
            i != side && pool.is_some() && other.pool == pool && other.is_live() && has_room
        });
        others.map(|(_, other)| other)
    }
}

/// A worker's place in a coupling. It has left when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    pub(super) coupling: Arc<Coupling>,
    pub(super) side: usize,
    joined: bool,
    /// I/Os it had taken when it last lent a slot.
    lent_at: u64,
    queue: Queue,
    /// How far it was ahead of one of its own priority when it last was to give a slot, and when that was, in
    /// nanoseconds.
    pub(super) was_ahead: f64,
    pub(super) asked_ns: u64,
}

/// What a worker that is fed by a queue keeps to itself.
#[derive(Debug, Default)]
struct Queue {
    /// I/Os it may take before it looks again.
    credit: u64,
    /// I/Os it has taken since it told the others.
    untold: u64,
    /// How far it was ahead when it was last asked whether it lends a slot, and when that was, in nanoseconds.
    was_ahead: u64,
    asked_ns: u64,
}

/// How many I/Os a worker with so many in flight may take, and whether it is the others that hold it back.
pub(super) fn room(place: Option<&mut Place>, in_flight: u32) -> (u64, bool) {
    let Some(place) = place else {
        return (u64::MAX, false);
    };
    let ahead = place.room();
    let side = &place.coupling.sides[place.side];
    if side.pool.is_none() {
        return (ahead, true);
    }
    let free = u64::from(side.slots.load(Ordering::Relaxed).saturating_sub(in_flight));
    if ahead < free {
        place.lend();
    }
    (ahead.min(free), ahead <= free)
}

impl Place {
    /// The place of a program's worker, where it is coupled. To be taken before anybody starts: one that
    /// starts with its stage counts from here, so that nobody runs away before the last has awoken.
    pub(crate) fn of(program: &Program) -> Option<Self> {
        let coupling = program.coupling.as_ref()?;
        let is_mine = |side: &Side| side.workload == program.workload_index;
        let mut place = Self {
            coupling: Arc::clone(coupling),
            side: coupling.sides.iter().position(is_mine)?,
            joined: false,
            lent_at: 0,
            queue: Queue::default(),
            was_ahead: 0.0,
            asked_ns: 0,
        };
        let start = &program.workload.start;
        if start.after.is_none() && start.delay.1 == Nanos::ZERO {
            place.join();
        }
        Some(place)
    }

    /// The worker starts.
    pub(super) fn join(&mut self) {
        let side = &self.coupling.sides[self.side];
        if !self.joined && side.live.fetch_add(1, Ordering::Relaxed) == 0 {
            let begin = self.coupling.furthest_behind(self.side).unwrap_or(0.0);
            side.taken
                .fetch_max(whole(begin * side.share), Ordering::Relaxed);
        }
        self.joined = true;
    }

    /// The worker takes no more I/O.
    pub(super) fn leave(&mut self) {
        if !std::mem::take(&mut self.joined) {
            return;
        }
        let side = &self.coupling.sides[self.side];
        let last = side.live.fetch_sub(1, Ordering::Relaxed) == 1;
        if side.priority.is_some() {
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
            heir.slots.fetch_add(slots, Ordering::Relaxed);
        }
    }

    /// Gives a slot that is not used to the one of the pool that is furthest behind.
    fn lend(&mut self) {
        let side = &self.coupling.sides[self.side];
        let taken = side.taken.load(Ordering::Relaxed);
        let slots = side.slots.load(Ordering::Relaxed);
        if slots <= 1 || taken < self.lent_at.saturating_add(side.queue) {
            return;
        }
        let behind = self.coupling.furthest_behind_of_pool(self.side);
        if let Some(behind) = behind.filter(|b| b.progress() < side.progress()) {
            side.slots.fetch_sub(1, Ordering::Relaxed);
            behind.slots.fetch_add(1, Ordering::Relaxed);
            self.lent_at = taken;
        }
    }

    /// How many I/Os may be taken now.
    pub(super) fn room(&self) -> u64 {
        let side = &self.coupling.sides[self.side];
        let Some(behind) = self.coupling.furthest_behind(self.side) else {
            return u64::MAX;
        };
        let ahead = side.ahead.unwrap_or(side.queue);
        let limit = whole(behind * side.share).saturating_add(ahead);
        limit.saturating_sub(side.taken.load(Ordering::Relaxed))
    }

    /// Whether it is fed by one queue together with the others.
    pub(super) fn has_queue(&self) -> bool {
        self.coupling.sides[self.side].ahead.is_some()
    }

    /// How many I/Os of the queue a worker with so many in flight may take. `now_ns` is asked for at a look only.
    pub(super) fn room_in_queue(&mut self, in_flight: u32, now_ns: impl FnOnce() -> u64) -> u64 {
        let side = &self.coupling.sides[self.side];
        let slots = side.slots.load(Ordering::Relaxed);
        let free = u64::from(slots.saturating_sub(in_flight));
        // All that are free are filled at once, or the rest would wait until another I/O has ended.
        if self.queue.credit < free.max(1) {
            self.look(free, now_ns());
        }
        self.queue.credit.min(free)
    }

    /// How many slots a worker at a pace may fill, after it gave up what another needs more: one slot where both
    /// are late, half of those that are free where it is in time, and never the last.
    pub(super) fn slots_at_pace(&mut self, in_flight: u32, now_ns: u64) -> u64 {
        let side = &self.coupling.sides[self.side];
        let slots = side.slots.load(Ordering::Relaxed);
        let free = slots.saturating_sub(in_flight);
        let soon = now_ns < self.queue.asked_ns.saturating_add(LEND_AFTER_NS);
        let own = side.late_ns.load(Ordering::Relaxed);
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
            self.queue.asked_ns = now_ns;
        }
        (free - given).into()
    }

    /// How late its next I/O is, 0 = none is due.
    pub(super) fn is_late(&self, late_ns: u64) {
        let side = &self.coupling.sides[self.side];
        side.late_ns.store(late_ns, Ordering::Relaxed);
    }

    /// So many I/Os of the queue were taken.
    pub(super) fn took_from_queue(&mut self, ios: u64) {
        self.queue.credit = self.queue.credit.saturating_sub(ios);
        self.queue.untold += ios;
    }

    /// Tells the others how far it is, and looks how far they are.
    #[cold]
    fn look(&mut self, free: u64, now_ns: u64) {
        let untold = std::mem::take(&mut self.queue.untold);
        self.took(untold);
        let room = self.room();
        self.queue.credit = room.min(GRAIN.max(2 * free));
        if free > 0 {
            self.lend_from_queue(now_ns, room == 0);
        }
    }

    /// Gives a slot to the one of the pool that is furthest behind, if that falls further behind. So the slots
    /// come to be where the queue's I/Os take longest, and the last one goes back and forth where less than one
    /// is needed. Only a slot that is free can be given. `held`: it may take nothing now.
    fn lend_from_queue(&mut self, now_ns: u64, held: bool) {
        let side = &self.coupling.sides[self.side];
        let slots = side.slots.load(Ordering::Relaxed);
        let (Some(ahead), Some(behind)) =
            (side.ahead, self.coupling.furthest_behind_of_pool(self.side))
        else {
            return;
        };
        let taken = side.taken.load(Ordering::Relaxed);
        let by = taken.saturating_sub(behind.taken.load(Ordering::Relaxed));
        let starving = behind.slots.load(Ordering::Relaxed) == 0;
        let queue = &mut self.queue;
        let soon = now_ns < queue.asked_ns.saturating_add(LEND_AFTER_NS);
        if slots == 0 || by == 0 || (soon && !starving) {
            return;
        }
        queue.asked_ns = now_ns;
        let grows = by > std::mem::replace(&mut queue.was_ahead, by);
        let enough = if slots == 1 {
            ahead / LAST_FROM
        } else if starving {
            0
        } else {
            AHEAD_OF_SLOTS * u64::from(side.most)
        };
        if by > enough && (grows || held || starving) {
            side.slots.fetch_sub(1, Ordering::Relaxed);
            behind.slots.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// So many I/Os were taken.
    pub(super) fn took(&self, ios: u64) {
        let side = &self.coupling.sides[self.side];
        side.taken.fetch_add(ios, Ordering::Relaxed);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.leave();
    }
}

/// A number of I/Os.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and progress is never negative"
)]
fn whole(ios: f64) -> u64 {
    ios as u64
}

/// As above, of a few.
pub(super) fn small(ios: f64) -> u32 {
    u32::try_from(whole(ios)).unwrap_or(u32::MAX)
}

/// Gives each program of a coupled workload what it shares with others.
pub(crate) fn couple(stage: &Stage, programs: &mut [Program]) {
    let mut known: BTreeMap<u32, Arc<Coupling>> = BTreeMap::new();
    for program in programs {
        let Some(number) = program.workload.coupled else {
            continue;
        };
        let coupling = known
            .entry(number)
            .or_insert_with(|| Arc::new(Coupling::of(stage, number)));
        program.coupling = Some(Arc::clone(coupling));
    }
}
