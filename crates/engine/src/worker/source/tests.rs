//! A source that looks at each buffer, as verification would.

use super::*;
use crate::access::Cursors;
use crate::backend::{Backend, Request};
use crate::buffer::Layout;
use crate::clock::SimClock;
use crate::pace::Pacer;
use crate::program::Program;
use crate::worker::cell::{CellCounts, Counted};
use crate::worker::link::{CELLS, Link, WorkerEnd, line};
use crate::worker::{Limits, PaceTimer, Parts, Processor, StopFlag, Wait, Worker};
use leadline_model::plan::{EngineKind, OpMix, Target, Workload};
use leadline_model::sample::EndReason;
use leadline_model::units::{Bytes, Nanos};
use libc::EILSEQ;
use std::io;
use std::sync::Arc;

/// Bytes of a task.
const LEN: u32 = 512;
/// Tasks of the source.
const TASKS: u64 = 100;
/// It has no more in flight, whatever the depth.
const AT_ONCE: u32 = 4;

/// Writes that carry their number. Of ten, one carries another one, and one is wanted twice.
#[derive(Debug, Default)]
struct Numbered {
    next: u64,
    in_flight: u32,
    most: u32,
    wanted_twice: Vec<u64>,
    judged: u64,
    /// It says so when all are done, and is not asked to begin again.
    says_done: bool,
    /// Passes that were begun.
    passes: u32,
}

impl Source for Numbered {
    const JUDGES: bool = true;

    fn is_plain(&self) -> bool {
        true
    }

    fn next(&mut self, _slot: u16, _op: Option<Op>) -> Next {
        if self.next == TASKS {
            return if self.says_done {
                Next::Done
            } else {
                Next::PassOver(Op::Write)
            };
        }
        if self.in_flight == AT_ONCE {
            return Next::Wait;
        }
        self.in_flight += 1;
        self.most = self.most.max(self.in_flight);
        self.next += 1;
        Next::Task(Task {
            op: Op::Write,
            file: 0,
            offset: (self.next - 1) * u64::from(LEN),
            len: LEN,
            data_only: false,
        })
    }

    fn load(&mut self, _slot: u16, task: &Task, buffer: &mut [u8]) {
        assert_eq!(buffer.len(), LEN as usize);
        let number = task.offset / u64::from(LEN);
        let written = if number % 10 == 3 { 0 } else { number };
        buffer[..8].copy_from_slice(&written.to_le_bytes());
    }

    fn queued(&mut self, _task: &Task) {}

    fn is_urgent(&self) -> bool {
        false
    }

    fn urgent(&mut self) -> Option<Task> {
        None
    }

    fn end(&mut self) {}

    fn start_pass(&mut self) {
        self.passes += 1;
    }

    fn done(&mut self, _slot: u16, task: &Task, result: i32, buffer: &[u8]) -> Verdict {
        self.judged += 1;
        assert_eq!(buffer.len(), LEN as usize);
        assert_eq!(result, 512);
        let number = task.offset / u64::from(LEN);
        if number % 10 == 7 && !self.wanted_twice.contains(&number) {
            self.wanted_twice.push(number);
            return Verdict::Again;
        }
        self.in_flight -= 1;
        if buffer[..8] == number.to_le_bytes() {
            Verdict::Counted {
                bytes: LEN.into(),
                short: false,
            }
        } else {
            Verdict::Fault(EILSEQ)
        }
    }
}

/// Moves all that is asked for, in the call that hands over.
#[derive(Default)]
struct Whole {
    queued: Vec<(u16, u32)>,
    done: Vec<(u16, u32)>,
}

impl Backend for Whole {
    fn queue(&mut self, request: &Request) {
        self.queued.push((request.slot, request.len));
    }

    fn submit_and_wait(&mut self, _: u32, _: Option<Nanos>) -> io::Result<()> {
        self.done.append(&mut self.queued);
        Ok(())
    }

    fn reap(&mut self, mut each: impl FnMut(u16, i32)) -> u32 {
        let ended = std::mem::take(&mut self.done);
        for &(slot, len) in &ended {
            each(slot, len.cast_signed());
        }
        u32::try_from(ended.len()).unwrap()
    }

    fn last_submitted(&self) -> u32 {
        0
    }
}

/// A worker of the source, to its end: what it was, what it counted, and the source.
fn run(change: impl FnOnce(&mut Workload)) -> (WorkerEnd, CellCounts, Numbered) {
    run_of(Numbered::default(), change)
}

/// The same of this source, which may go through its tasks five times.
fn run_of(
    source: Numbered,
    change: impl FnOnce(&mut Workload),
) -> (WorkerEnd, CellCounts, Numbered) {
    let mut workload = Workload::new("numbered", Target::Null { size: 1 << 20 });
    workload.blocks_mut().mix = OpMix::Only(Op::Write);
    workload.engine.kind = EngineKind::Null;
    workload.depth = 8;
    workload.on_error.go_on.write = true;
    change(&mut workload);
    let workload = Arc::new(workload);
    let clock = SimClock::default();
    let program = Program {
        host: 0,
        workload_index: 0,
        worker: 0,
        extents: Vec::new(),
        files: Vec::new(),
        wraps: Vec::new(),
        total_bytes: None,
        passes: Some(5),
        total_ios: None,
        seed: 1,
        buffer: Bytes(LEN.into()),
        cursors: Arc::<Cursors>::default(),
        workload: Arc::clone(&workload),
    };
    let layout = Layout {
        slots: 8,
        size: LEN.into(),
        align: 0,
        memory: workload.placement.memory,
        both: false,
    };
    let (out, _messages) = line([CELLS]);
    let counted = Counted {
        kinds: vec![Op::Write],
        ..Counted::default()
    };
    let (link, _returns) = Link::new(0, out, &counted, CELLS);
    let parts = Parts {
        source,
        backend: Whole::default(),
        clock: clock.clone(),
        arena: Arena::new(&layout).unwrap(),
        pacer: Pacer::new(&workload.pace, workload.blocks().mix, 1e9, 1),
        limits: Limits::new(&program, Nanos::SECOND, 0, &clock),
        link,
        stop: Arc::new(StopFlag::default()),
        workload,
        coupled: None,
        timer: PaceTimer::new(Processor::Enough, false),
    };
    let mut worker = Worker::new(parts);
    worker.start(0);
    for turn in 1..=1000 {
        if worker.begin() == Wait::Done {
            let source = std::mem::take(&mut worker.source);
            let (end, _, cell) = worker.into_end();
            return (end, cell.counts, source);
        }
        worker.backend.submit_and_wait(0, None).unwrap();
        clock.advance_to(turn * 1000);
        worker.finish();
    }
    panic!("it does not end");
}

#[test]
fn a_source_counts_asks_again_and_finds_faults_by_what_is_in_the_buffer() {
    let (end, counts, source) = run(|_| {});
    assert_eq!(end.reason, Some(EndReason::Size));
    let writes = counts.ops[Op::Write].as_ref().unwrap();
    assert_eq!((writes.ios, writes.errors, writes.short), (90, 10, 0));
    assert_eq!(writes.bytes, 90 * u64::from(LEN));
    assert_eq!(writes.service.count(), 90);
    assert_eq!(end.errors, [(Op::Write, EILSEQ, 10)]);
    // Ten were wanted twice, and took two turns from the first time they were asked for.
    assert_eq!((source.judged, source.wanted_twice.len()), (110, 10));
    assert_eq!((writes.service.min, writes.service.max), (1000, 2000));
    assert_eq!(source.most, AT_ONCE);
}

#[test]
fn a_source_that_is_done_is_not_asked_for_another_pass() {
    for says_done in [false, true] {
        for by_law in [false, true] {
            let source = Numbered {
                says_done,
                ..Numbered::default()
            };
            let (end, counts, source) = run_of(source, |w| w.engine.serialize_overlap = by_law);
            assert_eq!(end.reason, Some(EndReason::Size));
            assert_eq!(counts.ops[Op::Write].as_ref().unwrap().ios, 90);
            assert_eq!(source.passes, u32::from(!says_done), "{says_done} {by_law}");
        }
    }
}

#[test]
fn the_long_way_asks_the_source_as_the_short_one_does() {
    let (end, counts, source) = run(|w| w.engine.serialize_overlap = true);
    assert_eq!(end.reason, Some(EndReason::Size));
    let writes = counts.ops[Op::Write].as_ref().unwrap();
    assert_eq!((writes.ios, writes.errors), (90, 10));
    assert_eq!((source.judged, source.most), (110, AT_ONCE));
}

#[test]
fn a_fault_that_is_not_passed_over_ends_the_worker() {
    let (end, counts, _) = run(|w| w.on_error.go_on.write = false);
    let Some(EndReason::Error { errno, what, .. }) = &end.reason else {
        panic!("{:?}", end.reason);
    };
    assert_eq!(
        (*errno, what.as_str()),
        (EILSEQ, "write of 512 bytes at 1536")
    );
    assert_eq!(counts.ops[Op::Write].as_ref().unwrap().errors, 1);
}
