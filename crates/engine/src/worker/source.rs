//! Where a worker's I/O comes from, and who says what became of it.
//!
//! A source gives the next task and judges each that did not simply do what it was asked for. The worker knows of
//! pace, limits, depth, admission and counting, a source of nothing else than its tasks: so block I/O, a tree of
//! files or a trace can be measured by one loop. Sources are compiled in, and what one does not need costs nothing.

use crate::buffer::Arena;
use leadline_model::op::Op;

/// One thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    /// What it is, and what it is counted as.
    pub(crate) op: Op,
    /// Index into the worker's open files.
    pub(crate) file: u32,
    /// First byte, counted from the start of the file.
    pub(crate) offset: u64,
    /// Number of bytes.
    pub(crate) len: u32,
    /// For [`Op::Sync`]: data only.
    pub(crate) data_only: bool,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// This.
    Task(Task),
    /// All has been gone through once for this kind of operation: begins again, if the limits have another pass.
    PassOver(Op),
    /// Nothing more, whatever the limits have room for.
    #[cfg_attr(
        not(test),
        expect(
            dead_code,
            reason = "as `Wait`; block I/O goes through its region again"
        )
    )]
    Done,
    /// Nothing before one of its tasks in flight has ended.
    #[cfg_attr(
        not(test),
        expect(
            dead_code,
            reason = "part of what a source may answer; block I/O never waits for itself"
        )
    )]
    Wait,
}

/// What became of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It counts, with this many bytes. `short`: fewer than requested.
    Counted { bytes: u64, short: bool },
    /// It is to be asked for again, in its slot.
    Again,
    /// It failed with this error number.
    Fault(i32),
}

/// Where a source puts tasks when it gives several at once. A trait and not a closure, which cannot be marked to become
/// part of the loop.
pub(crate) trait Sink {
    /// Takes a task for a slot. Whether there may be another one.
    fn put(&mut self, slot: u16, task: Task) -> bool;
}

/// What a worker does I/O for.
pub(crate) trait Source {
    /// Each task is judged. Else only those are that did not move exactly what they were asked for.
    const JUDGES: bool;

    /// Whether the short way of the loop is enough: no task takes precedence, and none depends on its slot.
    fn is_plain(&self) -> bool;

    /// The next task for `slot`, of kind `op` where the pace says which.
    fn next(&mut self, slot: u16, op: Option<Op>) -> Next;

    /// The next tasks for `slots`, the last slot first, as far as that needs no decision: how many, and their
    /// bytes. What they carry is in the arena when `sink` gets them.
    /// Where there is one kind only.
    #[inline]
    fn next_batch(
        &mut self,
        slots: &[u16],
        arena: &mut Arena,
        sink: &mut impl Sink,
    ) -> (usize, u64) {
        let _ = (slots, arena, sink);
        (0, 0)
    }

    /// Puts into the buffer what a write carries: exactly as many bytes.
    fn load(&mut self, slot: u16, task: &Task, buffer: &mut [u8]);

    /// A task was queued. Not called on the short way.
    fn queued(&mut self, task: &Task);

    /// Whether a task takes precedence over the next one, whatever the pace says.
    fn is_urgent(&self) -> bool;

    /// That one.
    fn urgent(&mut self) -> Option<Task>;

    /// No more tasks will be asked for.
    fn end(&mut self);

    /// Begins the next pass.
    fn start_pass(&mut self);

    /// Judges what became of a task: `result` is the number of bytes moved, or the negative error number. `buffer`
    /// is what was read or written.
    fn done(&mut self, slot: u16, task: &Task, result: i32, buffer: &[u8]) -> Verdict;
}

#[cfg(test)]
mod tests;
