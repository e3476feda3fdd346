//! The source of block I/O: places and lengths by the workload's access, data by its payload, flushes by its cadence.
//!
//! Belongs here: what ties these together. Must never: read a clock or count.

use super::limits::is_by_slot;
use super::source::{Next, Sink, Source, Task, Verdict};
use crate::access::{Generator, Io, LentGenerator};
use crate::buffer::Arena;
use crate::medium::PassBoundary;
use crate::os::errno::{EINTR, EIO};
use crate::payload::Payloads;
use leadline_model::op::Op;
use leadline_model::plan::{SyncCadence, Workload};

/// Reads, writes and trims of blocks.
#[derive(Debug)]
pub(crate) struct BlockSource {
    generator: Generator,
    payload: Payloads,
    at_pass: PassBoundary,
    /// Slots have positions or files of their own.
    by_slot: bool,
    sync: SyncCadence,
    /// Writes since the last flush, of everything and of data only.
    writes_since_sync: [u32; 2],
    last_written: u32,
    /// A flush is due, of data only or not.
    due_sync: Option<bool>,
}

impl BlockSource {
    /// What `workload` does, at the places of `generator`.
    pub(crate) fn new(
        workload: &Workload,
        generator: Generator,
        payload: Payloads,
        at_pass: PassBoundary,
    ) -> Self {
        Self {
            generator,
            payload,
            at_pass,
            by_slot: is_by_slot(workload),
            sync: workload.blocks().sync,
            writes_since_sync: [0; 2],
            last_written: 0,
            due_sync: None,
        }
    }

    fn cadence(&self) -> [u32; 2] {
        [self.sync.fsync_every, self.sync.fdatasync_every]
    }
}

/// The next tasks of one kind: how many, and their bytes.
#[inline(always)]
fn batch(
    lent: &mut LentGenerator,
    op: Op,
    slots: &[u16],
    (payload, arena): (&mut Payloads, &mut Arena),
    sink: &mut impl Sink,
) -> (usize, u64) {
    let (mut bytes, mut count) = (0, 0);
    for &slot in slots.iter().rev() {
        let Some((offset, len)) = lent.next() else {
            break;
        };
        bytes += u64::from(len);
        count += 1;
        if op == Op::Write {
            let buffer = &mut arena.slot_mut(usize::from(slot))[..len as usize];
            payload.before_write(slot, 0, buffer, offset);
        }
        let task = Task {
            op,
            file: 0,
            offset,
            len,
            data_only: false,
        };
        if !sink.put(slot, task) {
            break;
        }
    }
    (count, bytes)
}

impl From<Io> for Task {
    #[inline]
    fn from(io: Io) -> Self {
        Self {
            op: io.op,
            file: io.file,
            offset: io.offset,
            len: io.len,
            data_only: false,
        }
    }
}

impl Source for BlockSource {
    const JUDGES: bool = false;

    fn is_plain(&self) -> bool {
        !self.by_slot && self.cadence() == [0; 2]
    }

    #[inline(always)]
    fn next(&mut self, slot: u16, op: Option<Op>) -> Next {
        if self.by_slot {
            self.generator.for_slot(slot);
        }
        let op = op.unwrap_or_else(|| self.generator.pick_op());
        match self.generator.next(op) {
            Some(io) => Next::Task(io.into()),
            None => Next::PassOver(op),
        }
    }

    #[inline(always)]
    fn next_batch(
        &mut self,
        slots: &[u16],
        arena: &mut Arena,
        sink: &mut impl Sink,
    ) -> (usize, u64) {
        let Some(op) = self.generator.only_op() else {
            return (0, 0);
        };
        let Some(mut lent) = self.generator.lend(op) else {
            return (0, 0);
        };
        let payload = &mut self.payload;
        // What is known when it is compiled is not decided for each I/O.
        let done = match op {
            Op::Read => batch(&mut lent, Op::Read, slots, (payload, arena), sink),
            op => batch(&mut lent, op, slots, (payload, arena), sink),
        };
        self.generator.take_back(&lent);
        done
    }

    #[inline]
    fn load(&mut self, slot: u16, task: &Task, buffer: &mut [u8]) {
        self.payload
            .before_write(slot, task.file, buffer, task.offset);
    }

    #[inline]
    fn queued(&mut self, task: &Task) {
        if task.op == Op::Write && self.sync.fsync_every | self.sync.fdatasync_every != 0 {
            self.last_written = task.file;
            let cadence = self.cadence().into_iter().enumerate();
            for (kind, every) in cadence.filter(|&(_, every)| every > 0) {
                self.writes_since_sync[kind] += 1;
                if self.writes_since_sync[kind] >= every {
                    self.writes_since_sync[kind] = 0;
                    self.due_sync = Some(kind == 1);
                }
            }
        }
    }

    #[inline]
    fn is_urgent(&self) -> bool {
        self.due_sync.is_some()
    }

    fn urgent(&mut self) -> Option<Task> {
        self.due_sync.take().map(|data_only| Task {
            op: Op::Sync,
            file: self.last_written,
            offset: 0,
            len: 0,
            data_only,
        })
    }

    fn end(&mut self) {
        self.due_sync = None;
    }

    fn start_pass(&mut self) {
        self.at_pass.drop_cache();
        self.generator.start_pass();
    }

    fn done(&mut self, _slot: u16, task: &Task, result: i32, _buffer: &[u8]) -> Verdict {
        let moved = match result {
            n if n == -EINTR => return Verdict::Again,
            n if n < 0 => return Verdict::Fault(-n),
            // Nothing moved where something was asked: the file has become shorter.
            0 if task.len > 0 && task.op != Op::Trim => return Verdict::Fault(EIO),
            n => n.unsigned_abs(),
        };
        if task.op == Op::Trim {
            return Verdict::Counted {
                bytes: task.len.into(),
                short: false,
            };
        }
        Verdict::Counted {
            bytes: moved.into(),
            short: moved < task.len,
        }
    }
}
