//! The second half of a turn: what completed is counted, and errors are handled.
//! May touch: the cell, the slots, the worker's end. Never submits I/O.

use super::cell::{Cell, CellCounts, of_file};
use super::hand_over::count_parts;
use super::source::{Source, Verdict};
use super::{Slot, Worker};
use crate::backend::Backend;
use crate::clock::Clock;
use crate::op_table::OpTable;
use crate::os::errno::{EILSEQ, EIO, ENOSPC, ETIMEDOUT};
use leadline_model::error_code::ErrorCode;
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::Workload;
use leadline_model::sample::EndReason;

/// Lag beyond which an I/O counts as late, in nanoseconds.
const LATE_NS: u64 = 1_000_000;

/// Class of an in-flight depth: 1, 2, 4, 8, 16, 32, 64 and more.
#[inline]
pub(super) fn level_class(depth: u32) -> usize {
    (depth.max(1).ilog2() as usize).min(6)
}

/// Class of a batch: 0, up to 4, 8, 16, 32, 64, more.
#[inline]
pub(super) fn batch_class(count: u64) -> usize {
    match count {
        0 => 0,
        1..=4 => 1,
        n => ((n - 1).ilog2() as usize).min(6),
    }
}

/// What errors do to this worker, and how often each came.
#[derive(Debug)]
pub(super) struct ErrorPolicy {
    go_on: PerOp<bool>,
    ignore: PerOp<Vec<i32>>,
    full_is_end: bool,
    /// The first one is the end, and no failure of the worker.
    removes: bool,
    /// Slowest allowed I/O in ticks.
    max_ticks: OpTable<u64>,
    tally: Vec<(Op, i32, u64)>,
}

impl ErrorPolicy {
    pub(super) fn new<C: Clock>(workload: &Workload, clock: &C) -> Self {
        let policy = &workload.on_error;
        let limit = |op: Op| {
            policy
                .max_latency
                .get(op)
                .map_or(u64::MAX, |n| clock.span(n.0))
        };
        Self {
            go_on: policy.go_on,
            ignore: policy.ignore.clone(),
            removes: policy.removes.is_some(),
            full_is_end: workload.blocks().region.until_full,
            max_ticks: OpTable::from_fn(limit),
            tally: Vec::with_capacity(16),
        }
    }

    pub(super) fn into_tally(self) -> Vec<(Op, i32, u64)> {
        self.tally
    }

    fn add(&mut self, op: Op, errno: i32) {
        match self.tally.iter_mut().find(|t| t.0 == op && t.1 == errno) {
            Some(entry) => entry.2 += 1,
            None => self.tally.push((op, errno, 1)),
        }
    }
}

/// Counts I/Os of one kind that were submitted and reaped together, and so took equally long: those of the slots
/// in `batch`. At a pace (`OPEN`) each has an intended start of its own.
#[inline(always)]
fn count_batch<C: Clock, const OPEN: bool>(
    counts: &mut CellCounts,
    (slots, batch): (&[Slot], &[u16]),
    bytes: u64,
    now: u64,
    clock: &C,
) {
    let Some(&last) = batch.last() else { return };
    let (last, ios) = (&slots[usize::from(last)], batch.len() as u64);
    if let Some(op) = counts.ops[last.op].as_mut() {
        op.ios += ios;
        op.bytes += bytes;
        let service = clock.nanos(now.saturating_sub(last.submitted));
        op.service.record_many(service, ios);
        if op.parts.is_some() {
            let submission = clock.nanos(last.issued.saturating_sub(last.submitted));
            count_parts(op, submission, service, ios);
        }
        if OPEN && let Some(response) = &mut op.response {
            response.record_all(batch.iter().map(|&slot| {
                let intended = slots[usize::from(slot)].intended;
                clock.nanos(now.saturating_sub(intended))
            }));
        }
    }
}

/// As above, of a batch that another one follows. Not a part of the loop, which keeps its registers.
#[inline(never)]
fn count_batch_apart<C: Clock, const OPEN: bool>(
    counts: &mut CellCounts,
    batch: (&[Slot], &[u16]),
    bytes: u64,
    now: u64,
    clock: &C,
) {
    count_batch::<C, OPEN>(counts, batch, bytes, now, clock);
}

impl<S: Source, B: Backend, C: Clock> Worker<S, B, C> {
    /// Counts everything the back end has ended by `now`.
    #[inline]
    pub(super) fn take_completions(&mut self, now: u64) {
        let count = match (self.one_by_one, self.open) {
            (false, false) => self.reap_by_batch::<false>(now),
            (false, true) => self.reap_by_batch::<true>(now),
            (true, _) => self.reap_carefully(now),
        };
        if count == 0 {
            return;
        }
        self.cell.counts.depths.complete[batch_class(u64::from(count))] += 1;
        self.end.window_end = now;
        if !self.exceptional.is_empty() {
            self.handle_exceptional_completions(now);
        }
        if let Some(think) = &mut self.think {
            think.completed(count, now);
        }
    }

    /// I/Os that were submitted together and are reaped together took equally long: they are counted
    /// together. The batch is what is put on the free slots.
    #[inline]
    fn reap_by_batch<const OPEN: bool>(&mut self, now: u64) -> u32 {
        let Self {
            backend,
            slots,
            free,
            exceptional,
            cell,
            clock,
            ..
        } = self;
        let (counts, slots): (_, &mut [Slot]) = (&mut cell.counts, slots);
        let mut free = free.pushes();
        let (mut submitted, mut op) = (0, Op::Read);
        let (mut from, mut bytes) = (free.len(), 0);
        let count = backend.reap(|slot, result| {
            let entry = &mut slots[usize::from(slot)];
            // An I/O is shorter than 2 GiB, so that no error number equals a length.
            if S::JUDGES || result.cast_unsigned() != entry.len {
                exceptional.push((slot, result));
                return;
            }
            if OPEN {
                entry.busy = false;
            }
            let (its, kind, len) = (entry.submitted, entry.op, entry.len);
            if its != submitted || kind != op {
                if free.len() > from {
                    let batch = (&*slots, free.since(from));
                    count_batch_apart::<C, OPEN>(counts, batch, bytes, now, clock);
                }
                (submitted, op) = (its, kind);
                (from, bytes) = (free.len(), 0);
            }
            bytes += u64::from(len);
            free.push(slot);
        });
        let batch = (&*slots, free.since(from));
        count_batch::<C, OPEN>(counts, batch, bytes, now, clock);
        count
    }

    /// Completions are handled one by one. Slots that have positions or files of their own are queued:
    /// the one that ended first is reused first, after those that were free before.
    fn reap_carefully(&mut self, now: u64) -> u32 {
        let before = self.free.len();
        let count = match self.cell.files.is_empty() {
            true => self.reap_one_by_one::<false>(now),
            false => self.reap_one_by_one::<true>(now),
        };
        if self.by_slot {
            self.free.queue_up(before);
        }
        count
    }

    /// Each I/O has an intended start or a rule of its own, or the counts of its file (`BY_FILE`).
    fn reap_one_by_one<const BY_FILE: bool>(&mut self, now: u64) -> u32 {
        let Self {
            backend,
            slots,
            free,
            exceptional,
            cell,
            clock,
            errors,
            open,
            ..
        } = self;
        let Cell { counts, files, .. } = &mut **cell;
        backend.reap(|slot, result| {
            let entry: &mut Slot = &mut slots[usize::from(slot)];
            let ticks = now.saturating_sub(entry.submitted);
            let whole = i64::from(result) == i64::from(entry.len);
            if S::JUDGES || !whole || ticks > errors.max_ticks[entry.op] {
                exceptional.push((slot, result));
                return;
            }
            let counts = match BY_FILE {
                true => of_file(files, counts, entry.file),
                false => &mut *counts,
            };
            if let Some(op) = counts.ops[entry.op].as_mut() {
                op.ios += 1;
                op.bytes += u64::from(entry.len);
                let service = clock.nanos(ticks);
                op.service.record(service);
                let submission = clock.nanos(entry.issued.saturating_sub(entry.submitted));
                count_parts(op, submission, service, 1);
                if *open && let Some(response) = &mut op.response {
                    response.record(clock.nanos(now.saturating_sub(entry.intended)));
                }
            }
            entry.busy = false;
            free.push(slot);
        })
    }

    /// What the source has to judge: short, failed and too slow I/Os, or all.
    #[cold]
    fn handle_exceptional_completions(&mut self, now: u64) {
        while let Some((slot, result)) = self.exceptional.pop() {
            let entry = self.slots[usize::from(slot)];
            self.slots[usize::from(slot)].busy = false;
            self.free.push(slot);
            let ticks = now.saturating_sub(entry.submitted);
            let (service, response) = (
                self.clock.nanos(ticks),
                self.clock.nanos(now.saturating_sub(entry.intended)),
            );
            let task = entry.task();
            let buffer = self.arena.data(usize::from(slot), task.op);
            let buffer = &buffer[..buffer.len().min(task.len as usize)];
            match self.source.done(slot, &task, result, buffer) {
                Verdict::Counted { bytes, short } => {
                    let op = self.cell.of_file(entry.file).op_mut(entry.op);
                    op.ios += 1;
                    op.short += u64::from(short);
                    op.bytes += bytes;
                    op.service.record(service);
                    let submission = entry.issued.saturating_sub(entry.submitted);
                    count_parts(op, self.clock.nanos(submission), service, 1);
                    if let Some(latency) = &mut op.response {
                        latency.record(response);
                    }
                    if ticks > self.errors.max_ticks[entry.op] {
                        self.fail(entry.op, ETIMEDOUT, &entry);
                    }
                }
                // Nothing was done; it is submitted again, in the same slot.
                Verdict::Again => {
                    self.free.remove(slot);
                    self.asked_again.push((slot, entry.submitted));
                    self.place(slot, task, entry.intended);
                }
                Verdict::Fault(errno) => {
                    self.note_failed(&entry, now);
                    self.cell.of_file(entry.file).op_mut(entry.op).errors += 1;
                    self.fail(entry.op, errno, &entry);
                }
            }
        }
    }

    /// An I/O that is submitted again continues: its wait so far is part of its latency.
    #[cold]
    pub(super) fn keep_first_submission(&mut self) {
        for (slot, submitted) in self.asked_again.drain(..) {
            self.slots[usize::from(slot)].submitted = submitted;
        }
    }

    /// An error, by the rules of the workload: ignored, counted, or the end.
    fn fail(&mut self, op: Op, errno: i32, entry: &Slot) {
        if errno == ENOSPC && self.errors.full_is_end {
            self.drain(EndReason::Full);
            return;
        }
        if self.errors.ignore.get(op).contains(&errno) {
            return;
        }
        if !self.cooling {
            self.errors.add(op, errno);
        }
        if self.errors.removes {
            self.drain(EndReason::Other);
            return;
        }
        if *self.errors.go_on.get(op) && matches!(errno, EIO | EILSEQ) {
            return;
        }
        if !self.draining {
            self.end.failed_file = Some(entry.file);
        }
        let what = match op {
            Op::Sync => op.to_string(),
            _ => format!("{op} of {} bytes at {}", entry.len, entry.offset),
        };
        self.drain(EndReason::failed(ErrorCode::Io, errno, what));
    }

    /// How late what was just queued is, against its intended start.
    pub(super) fn note_lag(&mut self, now: u64) {
        let counts = &mut self.cell.counts;
        let Some(lag) = &mut counts.lag else { return };
        let mut late = 0;
        let fresh = self.fresh.as_slice().iter();
        let fresh = fresh.map(|&slot| &self.slots[usize::from(slot)]);
        // One that is submitted again had its lag noted the first time.
        let first = fresh.filter(|entry| entry.submitted == now);
        lag.record_all(first.map(|entry| {
            let lag = self.clock.nanos(now.saturating_sub(entry.intended));
            late += u64::from(lag > LATE_NS);
            lag
        }));
        counts.late += late;
    }

    /// Stamps what was taken since there were `before` free slots, and notes how late that is: as [`Worker::stamp`]
    /// and [`Worker::note_lag`] in one go through the slots.
    #[inline]
    pub(super) fn stamp_at_pace(&mut self, before: usize) {
        let now = self.clock.ticks();
        self.now = now;
        let Self {
            slots,
            free,
            cell,
            clock,
            ..
        } = self;
        let (slots, mut late): (&mut [Slot], _) = (slots, 0);
        let taken = free.taken_since(before);
        let lags = taken.iter().map(|&slot| {
            let entry = &mut slots[usize::from(slot)];
            entry.submitted = now;
            let lag = clock.nanos(now.saturating_sub(entry.intended));
            late += u64::from(lag > LATE_NS);
            lag
        });
        match &mut cell.counts.lag {
            Some(lag) => lag.record_all(lags),
            None => lags.for_each(drop),
        }
        cell.counts.late += late;
        let count = taken.len() as u64;
        self.note_submitted(count);
    }

    /// An interval (or the warm-up) is over at `now`: hands the cell over and continues with an empty one.
    #[cold]
    pub(super) fn turn_interval(&mut self, now: u64) {
        if self.begin_drain(now) {
            return;
        }
        let leaves_warmup = self.cell.warmup && !self.limits.in_warmup(now);
        let leaves_window = self.limits.cools(now);
        // An empty cell is handed over too: it shows the collector that the interval has passed.
        let empty = if leaves_warmup || leaves_window {
            self.link.wait_empty()
        } else {
            self.link.take_empty()
        };
        let Some(empty) = empty else {
            // The collector lags: what was counted stays with the older interval.
            self.cell_end = self.limits.cell_end(now);
            return;
        };
        if leaves_window {
            self.cell.last = true;
            self.cool();
        }
        self.take_into_drain();
        self.cell.next = self.limits.interval_of(now);
        self.link
            .hand_over(std::mem::replace(&mut self.cell, empty));
        if leaves_warmup {
            self.limits.leave_warmup();
            self.enter_window(self.limits.window_start());
        }
        if leaves_warmup && C::REAL {
            self.end.cpu = self.cpu_so_far();
        }
        self.cell.interval = self.limits.interval_of(now);
        self.cell.warmup = self.limits.in_warmup(now);
        self.cell_end = self.limits.cell_end(now);
        if leaves_warmup {
            // A stall may last from before the window to its end.
            self.begin_drain(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_fio() {
        assert_eq!(
            [1, 2, 3, 4, 31, 32, 63, 64, 5000].map(level_class),
            [0, 1, 1, 2, 4, 5, 5, 6, 6]
        );
        assert_eq!(
            [0, 1, 4, 5, 8, 9, 16, 17, 33, 64, 65, 999].map(batch_class),
            [0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6]
        );
    }
}
