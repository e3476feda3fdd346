//! For tests: what was asked of simulated devices, I/O for I/O, beside the events of the run.

use crate::backend::Request;
use crate::run::{Interrupt, Session};
use leadline_model::event::Event;
use leadline_model::plan::{Amount, EngineKind, Plan, Region, SimDevice, Stage, Stop, Workload};
use leadline_model::sample::WorkerTotals;
use leadline_model::units::Nanos;
use std::cell::RefCell;

/// An I/O as a device was asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Issued {
    /// Nanoseconds from the start of the stage.
    pub(crate) at: u64,
    /// Worker, where all have one device.
    pub(crate) worker: usize,
    pub(crate) request: Request,
}

thread_local! {
    /// A simulated stage runs on the thread of its test.
    static LOG: RefCell<Vec<Issued>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn note(at: u64, worker: usize, request: Request) {
    LOG.with_borrow_mut(|log| {
        log.push(Issued {
            at,
            worker,
            request,
        });
    });
}

/// A workload of `seconds` on a device of `blocks` blocks of 4 KiB, sequential reads, 100 us each.
pub(crate) fn workload(blocks: u64, seconds: u64) -> Workload {
    let size = blocks * 4096;
    let device = SimDevice {
        size,
        ..SimDevice::default()
    };
    let mut w = Workload::new("w", device.into());
    w.engine.kind = EngineKind::SIMULATED;
    w.blocks_mut().region = Region {
        size: Some(Amount::Bytes(size)),
        ..Region::default()
    };
    w.stop = Stop {
        runtime: Some(Nanos::from_secs(seconds)),
        time_based: true,
        ..Stop::default()
    };
    w.blocks_mut().access.seed = Some(0);
    w
}

/// Runs one stage with intervals of a second.
pub(crate) fn run(stage: Stage) -> (Vec<Issued>, Vec<Event>) {
    let plan = Plan {
        interval: Nanos::SECOND,
        ..leadline_testkit::plan(vec![stage])
    };
    LOG.take();
    let mut events = Vec::new();
    let mut session = Session::new(Interrupt::default(), 7);
    session.run(&plan, &mut |event| events.push(event)).unwrap();
    (LOG.take(), events)
}

/// Runs these workloads together.
pub(crate) fn run_all(workloads: Vec<Workload>) -> (Vec<Issued>, Vec<Event>) {
    run(Stage {
        name: "s".into(),
        workloads,
        ..Stage::default()
    })
}

/// The totals of the workers, in the order of their ends.
pub(crate) fn totals(events: &[Event]) -> Vec<&WorkerTotals> {
    let mut all: Vec<&WorkerTotals> = Vec::new();
    for event in events {
        if let Event::WorkerEnded(totals) = event {
            all.push(totals);
        }
    }
    all
}
