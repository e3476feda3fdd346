//! The hot loop: one worker, one pattern of I/O, one back end, one clock.
//!
//! A turn has two halves. [`Worker::begin`] fills free slots as the pace allows and stamps them;
//! [`Worker::finish`] takes what has ended, stamps and counts it. Between the two is the wait, which
//! belongs to the caller: a thread waits in its back end ([`drive`]), a simulation moves its clock.
//! The loop is the same with and without a display, local or remote, real or simulated.
//!
//! After its start a worker allocates nothing, locks nothing, formats nothing and makes no system call
//! but its back end's and, between two passes, the dropping of the cache. Two clock reads per turn: one just before submission, one after reaping.

mod admission;
mod blocks;
pub(crate) mod cell;
mod couple;
mod drain;
mod drive;
mod edge;
mod hand_over;
mod limits;
pub(crate) mod link;
mod orders;
mod paced;
mod plain;
mod priority;
mod record;
mod sleep_or_spin;
mod source;
mod stack;
mod tickets;
mod wait;

pub(crate) use blocks::BlockSource;
pub(crate) use couple::Coupling;
pub(crate) use couple::{CoupledWorkload, CouplingHandle};
pub(crate) use drive::{defect, drive};
pub(crate) use limits::Limits;
pub(crate) use orders::StopFlag;
pub(crate) use sleep_or_spin::{PaceTimer, Processor};
pub(crate) use wait::{Due, Wait};

use crate::backend::{Backend, Request};
use crate::buffer::Arena;
use crate::clock::Clock;
use crate::pace::{PaceDecision, Pacer};
use admission::Filling;
use cell::Cell;
use leadline_model::op::Op;
use leadline_model::plan::Workload;
use leadline_model::sample::EndReason;
use link::{Link, WorkerEnd};
use source::{Next, Source, Task};
use stack::SlotStack;
use std::sync::Arc;

/// An I/O in flight.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Slot {
    /// Tick just before submission.
    submitted: u64,
    /// Tick at which the submitting call had returned. Kept where latencies are counted in parts.
    issued: u64,
    /// Tick at which it was due. Kept on the long way only: else it is the submission's.
    intended: u64,
    offset: u64,
    len: u32,
    file: u32,
    op: Op,
    /// In flight. Kept on the long way only.
    busy: bool,
}

impl Slot {
    /// One that was never used.
    const IDLE: Self = Self {
        submitted: 0,
        issued: 0,
        intended: 0,
        offset: 0,
        len: 0,
        file: 0,
        op: Op::Read,
        busy: false,
    };

    /// What was requested.
    const fn task(&self) -> Task {
        Task {
            op: self.op,
            file: self.file,
            offset: self.offset,
            len: self.len,
            data_only: false,
        }
    }
}

/// What a worker is made of, all ready before the start.
pub(crate) struct Parts<S, B, C> {
    pub(crate) source: S,
    pub(crate) backend: B,
    pub(crate) clock: C,
    pub(crate) arena: Arena,
    pub(crate) pacer: Pacer,
    pub(crate) limits: Limits,
    pub(crate) link: Link,
    pub(crate) stop: Arc<StopFlag>,
    pub(crate) workload: Arc<Workload>,
    /// Its place among coupled workloads, where it has one.
    pub(crate) coupled: Option<CouplingHandle>,
    pub(crate) timer: PaceTimer,
}

/// As many slots as there are buffers, whatever depth was asked of a back end that does one at a time.
fn slots_of(workload: &Workload) -> u16 {
    if workload.engine.kind.is_async() {
        u16::try_from(workload.depth).unwrap_or(u16::MAX)
    } else {
        1
    }
}

/// Notes a task in its slot and hands it to the back end.
#[inline(always)]
fn queue<B: Backend>(backend: &mut B, slots: &mut [Slot], slot: u16, task: Task) {
    let Task {
        op,
        file,
        offset,
        len,
        data_only,
    } = task;
    let entry = &mut slots[usize::from(slot)];
    (entry.offset, entry.len, entry.file, entry.op) = (offset, len, file, op);
    backend.queue(&Request {
        slot,
        op,
        data_only,
        file,
        offset,
        len,
    });
}

/// A running worker.
pub(crate) struct Worker<S, B, C> {
    // Read and written for each I/O.
    slots: Box<[Slot]>,
    free: SlotStack,
    /// Queued since the last stamp.
    fresh: SlotStack,
    cell: Box<Cell>,
    cell_end: u64,
    /// The last tick read; what "now" means while filling.
    now: u64,
    batch: u32,
    want: u32,
    open: bool,
    /// A closed loop without pauses, flushes and other special rules.
    plain: bool,
    filling: Filling,
    /// It has I/O to do and may not start it yet: the others or their slots hold it back.
    held_back: bool,
    /// Each completion is handled individually.
    one_by_one: bool,
    /// Latencies are counted in their two parts.
    in_parts: bool,
    /// I/Os queued by the fast path get both time stamps after the submitting call.
    stamps_after: bool,
    /// Slots have positions or files of their own.
    by_slot: bool,
    /// Most bytes that filling all slots can take.
    fill_bytes: u64,
    /// No new I/O: what is in flight is waited for.
    draining: bool,
    backend: B,
    clock: C,
    arena: Arena,
    source: S,
    pacer: Pacer,
    limits: Limits,
    stop: Arc<StopFlag>,
    // Rarely accessed.
    think: Option<limits::ThinkState>,
    /// Once full, the queue is refilled only when it has fallen to this.
    low_depth: Option<u32>,
    /// It has fallen to that, and is not full again.
    refills: bool,
    no_overlap: bool,
    held: Option<(Task, u64)>,
    exceptional: Vec<(u16, i32)>,
    /// I/Os to submit again, with the tick of their first submission.
    asked_again: Vec<(u16, u64)>,
    errors: record::ErrorPolicy,
    coupled: Option<CouplingHandle>,
    timer: PaceTimer,
    /// The measured window is over, and I/O continues uncounted.
    cooling: bool,
    link: Link,
    end: WorkerEnd,
    drained_at: u64,
    /// What ends after the end that was asked for.
    drain: Option<Box<drain::WorkerDrain>>,
    /// Size of the last I/O, for counting what a rate in bytes left undone.
    last_len: u32,
}

impl<S: Source, B: Backend, C: Clock> Worker<S, B, C> {
    /// Puts a worker together. The start tick is set by [`Worker::start`].
    pub(crate) fn new(parts: Parts<S, B, C>) -> Self {
        let Parts {
            source,
            backend,
            clock,
            arena,
            pacer,
            limits,
            link,
            stop,
            workload,
            coupled,
            timer,
        } = parts;
        let engine = &workload.engine;
        let depth = slots_of(&workload);
        let regular = source.is_plain() && limits::is_regular(&workload);
        let one_by_one = limits::is_careful(&workload);
        let cell = link
            .take_empty()
            .unwrap_or_else(|| unreachable!("a new link has its cells"));
        Self {
            plain: regular && !pacer.is_open(),
            filling: Filling::of(coupled.is_some(), regular, &pacer),
            held_back: false,
            coupled,
            timer,
            cooling: false,
            slots: vec![Slot::IDLE; usize::from(depth)].into_boxed_slice(),
            free: SlotStack::full(depth),
            fresh: SlotStack::empty(depth),
            exceptional: Vec::with_capacity(usize::from(depth)),
            asked_again: Vec::with_capacity(usize::from(depth)),
            cell,
            cell_end: 0,
            now: 0,
            batch: engine.batch_submit.unwrap_or(u32::MAX).max(1),
            want: engine.batch_wait.unwrap_or(1).max(1),
            open: pacer.is_open(),
            one_by_one,
            in_parts: workload.report.parts,
            stamps_after: false,
            fill_bytes: u64::from(depth).saturating_mul(workload.blocks().largest()),
            by_slot: limits::is_by_slot(&workload),
            draining: false,
            think: workload.think.map(|t| limits::ThinkState::new(t, &clock)),
            low_depth: engine.low_depth,
            refills: true,
            no_overlap: engine.serialize_overlap,
            held: None,
            errors: record::ErrorPolicy::new(&workload, &clock),
            end: WorkerEnd::default(),
            drained_at: 0,
            drain: None,
            last_len: 0,
            backend,
            clock,
            arena,
            source,
            pacer,
            limits,
            stop,
            link,
        }
    }

    /// Starts the worker's time at `tick`.
    pub(crate) fn start(&mut self, tick: u64) {
        self.now = tick;
        self.drained_at = tick;
        self.limits.start_at(tick);
        self.coupled.iter_mut().for_each(CouplingHandle::join);
        self.pacer.start_at(tick, self.limits.stage_start());
        self.cell.interval = self.limits.interval_of(tick);
        self.cell.warmup = self.limits.in_warmup(tick);
        self.cell_end = self.limits.cell_end(tick);
        self.end.window_start = self.limits.window_start();
        self.cool_where_nothing_is_measured(tick);
    }

    /// Fills free slots as far as the pace allows, stamps them, and says what to wait for.
    #[inline]
    pub(crate) fn begin(&mut self) -> Wait {
        let (before, mut idle) = (self.free.len(), self.fresh.is_empty());
        let later = self.fill();
        idle &= self.free.len() == before;
        if !self.fresh.is_empty() {
            self.stamp();
        }
        let in_flight = self.in_flight();
        if in_flight > 0 {
            // With a free slot and an I/O due later, the wait must not outlast it.
            return Wait::Io {
                want: self.want.min(in_flight),
                due: later.map(|tick| Due {
                    tick,
                    idle,
                    held_back: self.held_back,
                }),
            };
        }
        if self.draining {
            return Wait::Done;
        }
        let until = later.unwrap_or(self.now).min(self.limits.end());
        if self.held_back {
            return Wait::Rest { until };
        }
        Wait::Sleep { until }
    }

    /// Takes free slots and fills them. Returns the tick at which the next I/O is due, when it is the
    /// pace or a pause, and not the depth, that holds it back.
    #[inline]
    fn fill(&mut self) -> Option<u64> {
        if self.draining {
            return None;
        }
        if self.filling == Filling::Plain {
            self.fill_plain(0);
            return None;
        }
        if self.filling == Filling::Paced {
            return self.fill_paced();
        }
        if self.low_depth.is_some() && !self.may_refill() {
            return None;
        }
        match self.filling {
            Filling::Admitted => self.fill_admitted(),
            Filling::ByLaw | Filling::Plain | Filling::Paced => self.fill_by_law(u64::MAX),
        }
    }

    /// The long way for at most this many I/Os, with rates, pauses, flushes and whatever else the workload needs.
    #[inline(always)]
    fn fill_by_law(&mut self, mut room: u64) -> Option<u64> {
        while !self.free.is_empty() && room > 0 {
            if self.fresh.len() >= self.batch as usize {
                return None;
            }
            room -= 1;
            let slot = self.free.at(self.free.len() - 1);
            let (task, intended) = match self.next_task(slot) {
                Ok(next) => next,
                Err(later) => return later,
            };
            if let Some(slot) = self.free.pop() {
                self.place(slot, task, intended);
            }
        }
        None
    }

    /// The next task for a slot and its intended start, or why there is none now: a later tick, or the end
    /// (`None`), which also starts the draining.
    #[inline]
    fn next_task(&mut self, slot: u16) -> Result<(Task, u64), Option<u64>> {
        let irregular = self.think.is_some() || self.source.is_urgent() || self.held.is_some();
        if irregular && let Some(answer) = self.out_of_turn() {
            return answer;
        }
        let (op, intended) = match self.pacer.turn(self.now) {
            PaceDecision::Free => (None, self.now),
            PaceDecision::Due(op, due) => (Some(op), due),
            PaceDecision::AnyDue(due) => (None, due),
            PaceDecision::FreeOf(op) => (Some(op), self.now),
            PaceDecision::Later(tick) => {
                // The clock may have moved since it was last read.
                self.now = self.clock.ticks();
                if tick > self.now {
                    return Err(Some(tick));
                }
                return self.next_task(slot);
            }
        };
        if intended >= self.limits.end() {
            self.drain(EndReason::Time);
            return Err(None);
        }
        if let Some(reason) = self.limits.spent_after(0, 0) {
            self.drain(reason);
            return Err(None);
        }
        let task = match self.source.next(slot, op) {
            Next::Task(task) => task,
            other => self.start_next_pass(slot, other).ok_or(None)?,
        };
        self.limits.took(1, u64::from(task.len));
        self.pacer.took(task.op, task.len);
        if self.no_overlap && self.overlaps(&task) {
            self.held = Some((task, intended));
            return Err(None);
        }
        Ok((task, intended))
    }

    /// There is no next task. Where that is because all has been done once: begins again, or ends.
    #[cold]
    fn start_next_pass(&mut self, slot: u16, why: Next) -> Option<Task> {
        let op = match why {
            Next::Task(task) => return Some(task),
            Next::PassOver(op) => op,
            Next::Done => {
                self.drain(EndReason::Size);
                return None;
            }
            Next::Wait => return None,
        };
        if self.limits.allow_next_pass() {
            self.source.start_pass();
            if let Next::Task(task) = self.source.next(slot, Some(op)) {
                return Some(task);
            }
        }
        self.drain(EndReason::Size);
        None
    }

    /// Queues a task in a slot, by the long way.
    fn place(&mut self, slot: u16, task: Task, intended: u64) {
        if task.op == Op::Write {
            self.load(slot, &task);
        }
        self.source.queued(&task);
        self.last_len = task.len;
        self.queue(slot, task);
        let entry = &mut self.slots[usize::from(slot)];
        (entry.intended, entry.busy) = (intended, true);
        self.fresh.push(slot);
    }

    /// What a write carries.
    #[inline]
    fn load(&mut self, slot: u16, task: &Task) {
        let buffer = &mut self.arena.slot_mut(usize::from(slot))[..task.len as usize];
        self.source.load(slot, task, buffer);
    }

    /// Notes a task in its slot and hands it to the back end.
    #[inline(always)]
    fn queue(&mut self, slot: u16, task: Task) {
        queue(&mut self.backend, &mut self.slots, slot, task);
    }

    /// I/Os handed to the back end and not yet reaped.
    #[inline]
    fn in_flight(&self) -> u32 {
        // At most the depth, which is a u16.
        u32::try_from(self.slots.len() - self.free.len()).unwrap_or(u32::MAX)
    }

    /// Stamps what was queued: the clock is read just before submission.
    #[inline]
    fn stamp(&mut self) {
        let now = self.clock.ticks();
        self.now = now;
        for &slot in self.fresh.as_slice() {
            self.slots[usize::from(slot)].submitted = now;
        }
        if !self.asked_again.is_empty() {
            self.keep_first_submission();
        }
        if self.open {
            self.note_lag(now);
        }
        let count = self.fresh.len() as u64;
        self.fresh.clear();
        self.note_submitted(count);
    }

    /// Counts I/Os that are submitted together.
    #[inline]
    fn note_submitted(&mut self, count: u64) {
        if self.end.first_submit.is_none() {
            self.end.first_submit = Some(self.now);
        }
        let level = record::level_class(self.in_flight());
        let depths = &mut self.cell.counts.depths;
        depths.level[level] += count;
        depths.submit[record::batch_class(count)] += 1;
    }

    /// The second half of a turn: what has ended is stamped and counted.
    #[inline]
    pub(crate) fn finish(&mut self) {
        let now = self.clock.ticks();
        self.now = now;
        if now >= self.cell_end {
            self.turn_interval(now);
        }
        self.take_completions(now);
        if now >= self.limits.end() && !self.draining {
            self.drain(EndReason::Time);
        }
        if let Some(reason) = self.stop.reason().filter(|_| !self.draining) {
            self.drain(reason);
        }
    }

    /// No new I/O from here on. The first reason stays.
    #[cold]
    fn drain(&mut self, reason: EndReason) {
        if self.draining {
            return;
        }
        let reason = self.unless_barred(reason);
        self.draining = true;
        self.source.end();
        self.coupled = None;
        if self.cooling {
            // The window is over: only an error is still a reason of its own.
            let failed = matches!(reason, EndReason::Error { .. });
            self.end.reason = Some(if failed { reason } else { EndReason::Time });
            return;
        }
        let by_time = matches!(reason, EndReason::Time);
        let cut = if by_time { self.limits.end() } else { self.now };
        self.drained_at = cut;
        self.end.reason = Some(reason);
        self.end.unissued = self.unissued_by(cut);
    }

    /// The back end, for whoever moves the clock.
    pub(crate) fn backend(&mut self) -> &mut B {
        &mut self.backend
    }

    /// What the worker was, for its thread to complete and send.
    pub(crate) fn into_end(mut self) -> (WorkerEnd, Link, Box<Cell>) {
        self.end.window_end = if self.cooling {
            self.cell.clear();
            self.drained_at
        } else {
            let end = self.end.window_end.max(self.drained_at);
            if !self.cell.warmup {
                self.leave_window(end);
            }
            self.note_unfinished(self.drained_at);
            end
        };
        self.take_into_drain();
        self.end.drain = self.drain.take();
        self.end.window_start = self.end.window_start.min(self.end.window_end);
        self.end.errors = self.errors.into_tally();
        self.cell.last = true;
        (self.end, self.link, self.cell)
    }
}
