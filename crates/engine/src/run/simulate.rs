//! A stage on a virtual clock: all workers on this thread, each resumed at the moment it waits for.
//! Deterministic: the same plan and seed give the same events, bit for bit, in a fraction of the time.

use super::build;
use super::{Interrupt, StageEnd};
use crate::backend::sim::{DeviceModel, SimBackend};
use crate::buffer::Arena;
use crate::clock::{Clock, SimClock};
use crate::collect::{Collector, Consequence, Origin};
use crate::payload::Payloads;
use crate::program::Program;
use crate::run::pass::PassBoundary;
use crate::worker::link::{Link, Message, line};
use crate::worker::{
    BlockSource, CouplingHandle, Limits, PaceTimer, Parts, Processor, StopFlag, Wait, Worker,
};
use crate::{backend::Backend, os};
use leadline_model::event::Event;
use leadline_model::plan::{Plan, SimDevice, Target};
use leadline_model::seed::{Purpose, derive};
use leadline_model::units::Nanos;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

type SimWorker = Worker<BlockSource, SimBackend, SimClock>;

/// Runs a stage of simulated workloads. `at` is where it is in the run; `outside` may end the run or the stage
/// early.
pub(super) fn stage(
    plan: &Plan,
    number: u32,
    programs: Vec<Program>,
    at: Nanos,
    outside: (&Interrupt, &Interrupt),
    sink: &mut dyn FnMut(Event),
) -> StageEnd {
    sink(Event::StageStarted {
        stage: number,
        at,
        wall_ms: os::wall::wall_ms(),
    });
    let clock = SimClock::default();
    let (out, messages) = line(programs.len());
    let mut returns = Vec::new();
    let mut stops = Vec::new();
    let mut devices: Vec<(SimDevice, Rc<RefCell<DeviceModel>>)> = Vec::new();
    let mut workers = Vec::new();
    let couplings = build::couplings(&plan.stages[number as usize], &programs);
    for (index, program) in programs.iter().enumerate() {
        let (link, back) = Link::new(index, out.clone(), &build::counted(program));
        let stop = Arc::new(StopFlag::default());
        returns.push(back);
        stops.push(Arc::clone(&stop));
        let device = device_of(program, &mut devices);
        let backend = SimBackend::new(clock.clone(), device);
        let coupled = build::place_of(program, couplings[index].as_ref());
        let seat = (link, stop, coupled);
        workers.push(worker(program, backend, &clock, seat, plan.interval));
    }
    let mut collector = Collector::new(number, plan.interval, &programs, returns, sink);
    collector.report_partial_totals(plan.so_far_every);
    collector.end_at(super::until_of(plan, number));
    let interval = plan.interval.0.max(1);
    let mut world = World {
        clock: clock.clone(),
        origin: Origin {
            clock: clock.clone(),
            tick: 0,
        },
        workers,
        wakes: BinaryHeap::new(),
        collector,
        stops,
        interval,
        next_tick: interval + interval / 8,
        outside,
        interrupted: false,
        halted: false,
        end_all: false,
    };
    for (index, program) in programs.iter().enumerate() {
        if program.workload.start.after.is_none() {
            world.wake(index, build::start_delay(program).0);
        }
    }
    world.run(&programs, &messages);
    let (interrupted, end_all) = (world.interrupted, world.end_all);
    sink(Event::StageEnded {
        stage: number,
        at: Nanos(at.0 + clock.ticks()),
        disks: Vec::new(),
        cpus: Vec::new(),
    });
    match (interrupted, end_all) {
        (true, _) => StageEnd::Interrupted,
        (false, true) => StageEnd::EndAll,
        _ => StageEnd::GoOn,
    }
}

/// Workloads with equal devices share one.
fn device_of(
    program: &Program,
    devices: &mut Vec<(SimDevice, Rc<RefCell<DeviceModel>>)>,
) -> Rc<RefCell<DeviceModel>> {
    let law = match &program.workload.blocks().target {
        Target::Simulated(law) => law.clone(),
        _ => SimDevice::default(),
    };
    if let Some((_, known)) = devices.iter().find(|(l, _)| *l == law) {
        return Rc::clone(known);
    }
    let seed = derive(program.seed, Purpose::Device, 0);
    let device = Rc::new(RefCell::new(DeviceModel::new(&law, seed)));
    devices.push((law, Rc::clone(&device)));
    device
}

fn worker(
    program: &Program,
    backend: SimBackend,
    clock: &SimClock,
    (link, stop, coupled): (Link, Arc<StopFlag>, Option<CouplingHandle>),
    interval: Nanos,
) -> Option<SimWorker> {
    let arena = Arena::new(&program.buffers()).ok()?;
    let parts = Parts {
        backend,
        clock: clock.clone(),
        arena,
        source: BlockSource::new(
            &program.workload,
            program.generator(),
            Payloads::new(&program.workload, program.seed, &[]),
            PassBoundary::default(),
        ),
        pacer: build::pacer_of(program, clock),
        limits: Limits::new(program, interval, 0, clock),
        link,
        stop,
        workload: Arc::clone(&program.workload),
        coupled,
        // Of no use where time does not pass by itself.
        timer: PaceTimer::new(Processor::Enough, false),
    };
    Some(Worker::new(parts))
}

struct World<'a> {
    clock: SimClock,
    origin: Origin<SimClock>,
    /// `None` = ended.
    workers: Vec<Option<SimWorker>>,
    /// (tick, worker, whether it starts), the earliest first; equal ticks by worker.
    wakes: BinaryHeap<Reverse<(u64, usize, bool)>>,
    collector: Collector<'a>,
    stops: Vec<Arc<StopFlag>>,
    interval: u64,
    next_tick: u64,
    /// What ends the run, and what ends the stage.
    outside: (&'a Interrupt, &'a Interrupt),
    interrupted: bool,
    halted: bool,
    end_all: bool,
}

impl World<'_> {
    /// A worker starts at `tick`.
    fn wake(&mut self, worker: usize, tick: u64) {
        self.wakes.push(Reverse((tick, worker, true)));
    }

    fn run(&mut self, programs: &[Program], messages: &Receiver<Message>) {
        while let Some(Reverse((tick, index, starts))) = self.wakes.pop() {
            self.tell_ticks(tick);
            self.clock.advance_to(tick);
            self.heed();
            let Some(worker) = &mut self.workers[index] else {
                continue;
            };
            if starts {
                worker.start(tick);
                self.collector.started(index, Nanos(tick));
            } else {
                worker.finish();
            }
            match worker.begin() {
                Wait::Done => self.end(index, programs, messages),
                Wait::Sleep { until } | Wait::Rest { until } => {
                    self.wakes.push(Reverse((until, index, false)))
                }
                Wait::Io { want, due } => {
                    let backend = worker.backend();
                    // A simulated device takes everything and never fails as such.
                    let _ = backend.submit_and_wait(0, None);
                    let ready = backend.ready_at(want).unwrap_or(tick);
                    let wake = due.map_or(ready, |due| ready.min(due.tick)).max(tick);
                    self.wakes.push(Reverse((wake, index, false)));
                }
            }
            self.take(messages);
        }
    }

    /// Says where the stage is, a little after the end of each interval until `now`, as a real stage does.
    fn tell_ticks(&mut self, now: u64) {
        while self.next_tick <= now {
            self.collector.tick(Nanos(self.next_tick));
            self.next_tick += self.interval;
        }
    }

    /// Has the workers stop when somebody outside wants an end.
    fn heed(&mut self) {
        if self.outside.0.is_raised() && !self.interrupted {
            self.interrupted = true;
            self.stop_all(StopFlag::INTERRUPTED);
        }
        if self.outside.1.is_raised() && !self.halted {
            self.halted = true;
            self.stop_all(StopFlag::OTHER);
        }
    }

    fn stop_all(&self, why: u8) {
        self.stops.iter().for_each(|stop| stop.raise(why));
    }

    fn end(&mut self, index: usize, programs: &[Program], messages: &Receiver<Message>) {
        let Some(worker) = self.workers[index].take() else {
            return;
        };
        let (end, link, cell) = worker.into_end();
        link.hand_over(cell);
        link.end(end);
        self.take(messages);
        let now = self.clock.ticks();
        for (other, program) in programs.iter().enumerate() {
            let waits_for = program.workload.start.after.as_deref();
            let waiting = self.workers[other].is_some() && !self.collector.has_started(other);
            if waiting && waits_for.is_some_and(|name| self.collector.has_ended(name)) {
                self.wake(other, now + build::start_delay(program).0);
            }
        }
    }

    fn take(&mut self, messages: &Receiver<Message>) {
        while let Ok(message) = messages.try_recv() {
            match self.collector.take(message, &self.origin) {
                Consequence::None => {}
                Consequence::Stop(workers) => {
                    workers
                        .into_iter()
                        .for_each(|w| self.stops[w].raise(StopFlag::OTHER));
                }
                Consequence::StopAll => {
                    self.end_all = true;
                    self.stop_all(StopFlag::OTHER);
                }
            }
        }
    }
}
