//! The tool's own floor on this host: what a clock reading and a statistic cost, and how fast the whole
//! loop goes without a device. Stored beside every result, so that a reader can separate the tool's
//! part from the target's. Takes about 3 ms.

use crate::access::Generator;
use crate::backend::{Backend, Request};
use crate::buffer::{Arena, Layout};
use crate::clock::{Clock, HostClock};
use crate::extent::Extent;
use crate::medium::PassBoundary;
use crate::pace::Pacer;
use crate::payload::Payloads;
use crate::program::Program;
use crate::worker::cell::Counted;
use crate::worker::link::{CELLS, Link, line};
use crate::worker::{BlockSource, Limits, PaceTimer, Parts, Processor, StopFlag, Worker, drive};
use leadline_model::facts::{Fact, FactKey, FactValue};
use leadline_model::latency::Latency;
use leadline_model::op::Op;
use leadline_model::plan::{Stop, Target, Workload};
use leadline_model::units::{Bytes, Nanos};
use std::sync::Arc;

/// I/Os of the empty loop.
const LOOP_IOS: u64 = 20_000;

/// Measures the floor.
pub(super) fn measure(clock: HostClock) -> Vec<Fact> {
    let per_call = |count: u64, mut each: Box<dyn FnMut(u64)>| {
        let before = clock.ticks();
        (0..count).for_each(&mut each);
        clock.nanos(clock.ticks() - before) as f64 / count as f64
    };
    let reading = per_call(
        10_000,
        Box::new(move |_| {
            std::hint::black_box(clock.ticks());
        }),
    );
    let mut latency = Latency::default();
    let record = per_call(
        10_000,
        Box::new(move |n| latency.record(std::hint::black_box(n * 37))),
    );
    let source = if clock.uses_counter() {
        "time stamp counter"
    } else {
        "CLOCK_MONOTONIC"
    };
    let mut facts = vec![
        Fact::new(("floor", "clock"), "", source),
        Fact::new(
            ("floor", "clock reading"),
            "",
            FactValue::from_nanos(reading),
        ),
        Fact::new(
            ("floor", "statistics of one I/O"),
            "",
            FactValue::from_nanos(record),
        ),
    ];
    if let Some(each) = null_loop(clock) {
        facts.push(Fact::new(FactKey::FLOOR, "", FactValue::from_nanos(each)));
    }
    facts
}

/// Nanoseconds an I/O takes when nothing is done for it, with all statistics kept.
fn null_loop(clock: HostClock) -> Option<f64> {
    let mut workload = Workload::new("floor", Target::Null { size: 1 << 30 });
    workload.stop = Stop {
        ios: Some(LOOP_IOS),
        ..Stop::default()
    };
    let program = Program {
        host: 0,
        workload_index: 0,
        worker: 0,
        extents: vec![Extent {
            start: 0,
            len: 1 << 30,
        }],
        files: Vec::new(),
        wraps: Vec::new(),
        total_bytes: None,
        passes: None,
        total_ios: Some(LOOP_IOS),
        seed: 1,
        buffer: Bytes(4096),
        cursors: Arc::default(),
        workload: Arc::new(workload),
    };
    let workload = Arc::clone(&program.workload);
    let (out, _messages) = line([CELLS]);
    let counted = Counted {
        kinds: vec![Op::Read],
        ..Counted::default()
    };
    let (link, _returns) = Link::new(0, out, &counted, CELLS);
    let layout = Layout {
        slots: 1,
        size: 4096,
        align: 0,
        memory: workload.placement.memory,
        both: false,
    };
    let start = clock.ticks();
    let parts = Parts {
        backend: Nothing(None),
        clock,
        arena: Arena::new(&layout).ok()?,
        source: BlockSource::new(
            &workload,
            Generator::new(&workload, &program.extents, 1),
            Payloads::new(&workload, 1, &[]),
            PassBoundary::default(),
        ),
        pacer: Pacer::new(&workload.pace, workload.blocks().mix, 1e9, 1),
        limits: Limits::new(&program, Nanos::SECOND, start, &clock),
        link,
        stop: Arc::new(StopFlag::default()),
        workload,
        coupled: None,
        timer: PaceTimer::new(Processor::Enough, false),
    };
    let (end, _, cell) = drive(Worker::new(parts), start);
    let (ios, _) = cell.counts.data();
    (ios > 0).then(|| clock.nanos(end.window_end - start) as f64 / ios as f64)
}

/// The emptiest back end: one I/O, done as soon as it is asked for.
struct Nothing(Option<(u16, u32)>);

impl Backend for Nothing {
    #[inline]
    fn queue(&mut self, request: &Request) {
        self.0 = Some((request.slot, request.len));
    }

    #[inline]
    fn submit_and_wait(&mut self, _: u32, _: Option<Nanos>) -> std::io::Result<()> {
        Ok(())
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u16, i32)) -> u32 {
        self.0.take().map_or(0, |(slot, len)| {
            each(slot, i32::try_from(len).unwrap_or(i32::MAX));
            1
        })
    }

    fn last_submitted(&self) -> u32 {
        1
    }
}
