//! A stage on a virtual clock: all workers on this thread, each resumed at the moment it waits for.
//! Deterministic: the same plan and seed give the same events, bit for bit, in a fraction of the time.

use super::build;
use super::{Interrupt, StageEnd};
use crate::backend::sim::{DeviceModel, Ready, SimBackend};
use crate::buffer::Arena;
use crate::clock::{Clock, SimClock};
use crate::collect::{Collector, Consequence, Origin};
use crate::medium::PassBoundary;
use crate::payload::Payloads;
use crate::program::Program;
use crate::worker::link::{CELLS, Link, Message, line};
use crate::worker::{
    BlockSource, CouplingHandle, Limits, PaceTimer, Parts, Processor, StopFlag, Wait, Worker,
};
use crate::{backend::Backend, os};
use leadline_model::event::Event;
use leadline_model::plan::{Plan, SimDevice, SimTarget, Stage, Target};
use leadline_model::seed::{Purpose, derive, mix, number_of};
use leadline_model::units::Nanos;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

/// How long an interrupted stage waits for what is in flight, in nanoseconds of its own time.
const PATIENCE: u64 = 10_000_000_000;

type SimWorker = Worker<BlockSource, SimBackend, SimClock>;

/// The part of a stage that one host has.
#[derive(Clone, Debug)]
pub struct HostPart {
    /// Its place in the plan's list of hosts.
    pub host: u32,
    /// The stage as the host gets it.
    pub stage: Stage,
    /// The number in the plan's stage of each of its workloads.
    pub workloads: Vec<u32>,
    /// Stands in for every seed that the stage leaves open.
    pub seed: u64,
}

/// A worker of a stage, before it has a back end.
pub(super) struct Planned {
    program: Program,
    coupled: Option<CouplingHandle>,
}

/// The workers of a host's part, with the numbers that the plan gives them. `programs` are those of its stage.
pub(super) fn planned(part: &HostPart, programs: Vec<Program>) -> Vec<Planned> {
    let couplings = build::couplings(&part.stage, &programs);
    let each = programs.into_iter().zip(couplings);
    each.map(|(mut program, coupling)| {
        let coupled = build::place_of(&program, coupling.as_ref());
        program.host = part.host;
        program.workload_index = part.workloads[program.workload_index as usize];
        Planned { program, coupled }
    })
    .collect()
}

/// The volumes of a run, and its virtual time.
#[derive(Default)]
pub(super) struct Volumes {
    /// From the start of the run to the end of its last simulated stage; `None` = there was none yet.
    pub(super) now: Option<Nanos>,
    /// The volumes' own time: of simulated stages and their pauses alone, so that no clock of the host has a part in it.
    pub(super) time: Nanos,
    /// The time of day when the virtual clock was at 0, in milliseconds since 1970.
    pub(super) wall_ms: Option<u64>,
    all: Vec<Volume>,
}

/// The volumes of a run as they are between two stages, and its virtual time, to be stored.
#[derive(Clone, Serialize, Deserialize)]
pub struct StoredVolumes {
    now: Option<Nanos>,
    time: Nanos,
    wall_ms: Option<u64>,
    all: Vec<StoredVolume>,
}

/// A volume among them.
#[derive(Clone, Serialize, Deserialize)]
struct StoredVolume {
    law: SimDevice,
    host: Option<u32>,
    device: DeviceModel,
}

/// A volume of a run.
struct Volume {
    law: SimDevice,
    /// The host whose own it is.
    host: Option<u32>,
    device: Rc<RefCell<DeviceModel>>,
}

/// Volumes that hold more than this (blocks of caches, mostly) are not stored.
const MOST_STORED: usize = 500_000;

impl Volumes {
    /// As they are now; `None` where no stage was simulated, or where they hold too much.
    pub(super) fn stored(&self) -> Option<StoredVolumes> {
        let held = self.all.iter().map(|v| v.device.borrow().held());
        if self.now.is_none() || held.sum::<usize>() > MOST_STORED {
            return None;
        }
        let one = |v: &Volume| StoredVolume {
            law: v.law.clone(),
            host: v.host,
            device: v.device.borrow().clone(),
        };
        Some(StoredVolumes {
            now: self.now,
            time: self.time,
            wall_ms: self.wall_ms,
            all: self.all.iter().map(one).collect(),
        })
    }

    /// The same again.
    pub(super) fn restored(stored: StoredVolumes) -> Self {
        let one = |v: StoredVolume| Volume {
            law: v.law,
            host: v.host,
            device: Rc::new(RefCell::new(v.device)),
        };
        Self {
            now: stored.now,
            time: stored.time,
            wall_ms: stored.wall_ms,
            all: stored.all.into_iter().map(one).collect(),
        }
    }

    /// A stage begins.
    fn begin_stage(&mut self) {
        self.all.retain(|volume| !volume.law.fresh);
        for volume in &self.all {
            volume.device.borrow_mut().begin_stage();
        }
    }

    /// The place of the volume that a program uses; equal laws are one volume, of each host where they are local.
    fn place_of(&mut self, program: &Program, target: &SimTarget, now: Nanos) -> usize {
        let law = &target.volume;
        let host = law.local.then_some(program.host);
        let known = self
            .all
            .iter()
            .position(|v| v.host == host && v.law == *law);
        known.unwrap_or_else(|| {
            let seed = derive(program.seed, Purpose::Device, 0);
            let device = Rc::new(RefCell::new(DeviceModel::new(law, seed, now.0)));
            let law = law.clone();
            self.all.push(Volume { law, host, device });
            self.all.len() - 1
        })
    }
}

/// What a program does I/O to.
fn target_of(program: &Program) -> SimTarget {
    match &program.workload.blocks().target {
        Target::Simulated(target) => target.as_ref().clone(),
        _ => SimTarget::default(),
    }
}

/// The numbers that identify a worker's files on its volume, in the order of the files.
fn files_of(program: &Program, target: &SimTarget) -> Vec<u64> {
    let number = |name: &String| {
        let name = name.replace("$jobname", &program.workload.name);
        number_of(
            name.replace("$jobnum", &program.worker.to_string())
                .as_bytes(),
        )
    };
    match target.files.is_empty() {
        true => vec![0],
        false => target.files.iter().map(number).collect(),
    }
}

/// Runs a stage of simulated workloads, of all hosts on one clock. `outside` may end the run or the stage early.
pub(super) fn stage(
    (plan, number): (&Plan, u32),
    planned: Vec<Planned>,
    volumes: &mut Volumes,
    at: Nanos,
    outside: (&Interrupt, &Interrupt),
    sink: &mut dyn FnMut(Event),
) -> StageEnd {
    let passed_ms = at.0 / 1_000_000;
    let began = *volumes
        .wall_ms
        .get_or_insert_with(|| os::wall::wall_ms().saturating_sub(passed_ms));
    sink(Event::StageStarted {
        stage: number,
        at,
        wall_ms: began + passed_ms,
    });
    volumes.begin_stage();
    let base = volumes.time;
    let mut world = World::new((plan, number), planned, volumes, outside, sink);
    for index in 0..world.workers.len() {
        let program = &world.workers[index].program;
        if program.workload.start.after.is_none() {
            let delay = build::start_delay(program).0;
            world.start_at(index, delay);
        }
    }
    world.run();
    let (interrupted, end_all) = (world.interrupted, world.end_all);
    let passed = world.clock.ticks();
    let over = Nanos(at.0 + passed);
    (volumes.now, volumes.time) = (Some(over), Nanos(base.0 + passed));
    sink(Event::StageEnded {
        stage: number,
        at: over,
        disks: Vec::new(),
        cpus: Vec::new(),
        counted: Vec::new(),
    });
    match (interrupted, end_all) {
        (true, _) => StageEnd::Interrupted,
        (false, true) => StageEnd::EndAll,
        _ => StageEnd::GoOn,
    }
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

/// A worker of the stage.
struct StageWorker {
    program: Program,
    /// `None` = ended.
    worker: Option<SimWorker>,
    stop: Arc<StopFlag>,
    /// When it is resumed, as far as that is known; `u64::MAX` = something must happen before.
    planned: u64,
    /// How many I/Os it waits for.
    wants: Option<u32>,
}

struct World<'a> {
    clock: SimClock,
    origin: Origin<SimClock>,
    workers: Vec<StageWorker>,
    /// How many of them have not ended.
    alive: usize,
    /// Whether all are of one host.
    one_host: bool,
    /// The volumes in use, each with the workers of its clients.
    volumes: Vec<(Rc<RefCell<DeviceModel>>, Vec<usize>)>,
    /// The volumes' time at the start of the stage.
    base: u64,
    /// (tick, turn of the host, number of the worker, whether it starts), the earliest first. Those that are not as planned
    /// are passed over.
    wakes: BinaryHeap<Reverse<(u64, u64, usize, bool)>>,
    collector: Collector<'a>,
    messages: Receiver<Message>,
    interval: u64,
    next_tick: u64,
    /// What ends the run, and what ends the stage.
    outside: (&'a Interrupt, &'a Interrupt),
    interrupted: bool,
    /// From then on nothing is waited for any more.
    give_up: u64,
    halted: bool,
    end_all: bool,
}

impl<'a> World<'a> {
    fn new(
        (plan, number): (&Plan, u32),
        planned: Vec<Planned>,
        volumes: &mut Volumes,
        outside: (&'a Interrupt, &'a Interrupt),
        sink: &'a mut dyn FnMut(Event),
    ) -> Self {
        let base = volumes.time;
        let clock = SimClock::default();
        let (out, messages) = line(planned.iter().map(|_| CELLS));
        let mut returns = Vec::new();
        let mut workers: Vec<StageWorker> = Vec::new();
        let mut used: Vec<(usize, Vec<usize>)> = Vec::new();
        for (index, Planned { program, coupled }) in planned.into_iter().enumerate() {
            let (link, back) = Link::new(index, out.clone(), &build::counted(&program), CELLS);
            let stop = Arc::new(StopFlag::default());
            returns.push(back);
            let target = target_of(&program);
            let place = volumes.place_of(&program, &target, base);
            let device = Rc::clone(&volumes.all[place].device);
            let files = files_of(&program, &target);
            let client = device.borrow_mut().connect(program.host, files);
            match used.iter_mut().find(|(known, _)| *known == place) {
                Some((_, clients)) => clients.push(index),
                None => used.push((place, vec![index])),
            }
            let backend = SimBackend::new(clock.clone(), base.0, device, client);
            let parts = (link, Arc::clone(&stop), coupled);
            workers.push(StageWorker {
                worker: worker(&program, backend, &clock, parts, plan.slice()),
                program,
                stop,
                planned: u64::MAX,
                wants: None,
            });
        }
        let programs = workers.iter().map(|entry| &entry.program);
        let mut collector = Collector::new(number, plan, programs, returns, sink);
        collector.report_partial_totals(plan.partial_totals_every);
        collector.end_at(super::until_of(plan, number));
        let interval = plan.interval.0.max(1);
        Self {
            origin: Origin {
                clock: clock.clone(),
                tick: 0,
            },
            clock,
            volumes: used
                .into_iter()
                .map(|(place, clients)| (Rc::clone(&volumes.all[place].device), clients))
                .collect(),
            base: base.0,
            alive: workers.iter().filter(|w| w.worker.is_some()).count(),
            one_host: workers
                .windows(2)
                .all(|w| w[0].program.host == w[1].program.host),
            workers,
            wakes: BinaryHeap::new(),
            collector,
            messages,
            interval,
            next_tick: interval + interval / 8,
            outside,
            interrupted: false,
            give_up: u64::MAX,
            halted: false,
            end_all: false,
        }
    }

    /// A worker starts at `tick`.
    fn start_at(&mut self, entry: usize, tick: u64) {
        let turn = self.turn(entry, tick);
        self.wakes.push(Reverse((tick, turn, entry, true)));
    }

    /// A worker is resumed at `tick`, and not as it was planned before.
    fn resume_at(&mut self, entry: usize, tick: u64) {
        self.workers[entry].planned = tick;
        if tick != u64::MAX {
            let turn = self.turn(entry, tick);
            self.wakes.push(Reverse((tick, turn, entry, false)));
        }
    }

    /// Which of the hosts is first at a tick: another one each time, or a volume that many share would always serve the same
    /// host first. Workers of one host follow each other by number.
    fn turn(&self, entry: usize, tick: u64) -> u64 {
        let host = self.workers[entry].program.host;
        match self.one_host {
            true => 0,
            false => mix(tick ^ mix(u64::from(host))),
        }
    }

    fn run(&mut self) {
        while self.alive > 0 {
            let wake = self.wakes.peek().map(|wake| wake.0.0);
            let event = self.next_event();
            let next = wake.into_iter().chain(event.map(|event| event.0)).min();
            if next.is_some_and(|next| next > self.give_up) {
                return self.end_all_workers();
            }
            match event {
                // What others do, and changes of a law, go on for ever.
                _ if wake.is_none() && (event.is_none() || !self.is_asked()) => break,
                Some((event, volume)) if wake.is_none_or(|wake| event <= wake) => {
                    if self.pass_to(event) {
                        self.let_happen(volume, event);
                    }
                }
                _ => self.resume_next(),
            }
        }
    }

    fn end_all_workers(&mut self) {
        (0..self.workers.len()).for_each(|index| self.end(index));
    }

    /// Whether any volume has an I/O whose end is not known.
    fn is_asked(&self) -> bool {
        let mut devices = self.volumes.iter().map(|(device, _)| device.borrow());
        devices.any(|device| device.is_asked())
    }

    /// What happens next on any volume by itself: when, and on which.
    fn next_event(&self) -> Option<(u64, usize)> {
        let each = self.volumes.iter().enumerate();
        each.filter_map(|(number, (device, _))| {
            let at = device.borrow().next_event()?;
            Some((at.saturating_sub(self.base), number))
        })
        .min()
    }

    /// The clock goes on to `tick`; false = it did not, as the user wants an end.
    fn pass_to(&mut self, tick: u64) -> bool {
        // As a real stage does, a little after the end of each interval.
        while self.next_tick <= tick {
            self.clock.advance_to(self.next_tick);
            self.collector.tick(Nanos(self.next_tick));
            self.next_tick += self.interval;
            self.heed();
            if self.next_tick > self.give_up {
                return false;
            }
        }
        self.clock.advance_to(tick);
        self.heed();
        true
    }

    fn let_happen(&mut self, volume: usize, tick: u64) {
        self.volumes[volume]
            .0
            .borrow_mut()
            .advance(self.base + tick);
        loop {
            let (device, clients) = &self.volumes[volume];
            let Some(client) = device.borrow_mut().next_touched() else {
                break;
            };
            let entry = clients[client];
            self.look_again(entry, tick);
        }
    }

    /// A worker that waits for I/Os may now know when they end.
    fn look_again(&mut self, index: usize, now: u64) {
        let entry = &mut self.workers[index];
        let (Some(worker), Some(want)) = (&mut entry.worker, entry.wants) else {
            return;
        };
        if let Ready::At(ready) = worker.backend().ready_at(want)
            && ready < entry.planned
        {
            self.resume_at(index, ready.max(now));
        }
    }

    fn resume_next(&mut self) {
        let Some(Reverse((tick, _, index, starts))) = self.wakes.pop() else {
            return;
        };
        let entry = &mut self.workers[index];
        if entry.worker.is_none() || !starts && entry.planned != tick {
            return;
        }
        if !self.pass_to(tick) {
            return;
        }
        let entry = &mut self.workers[index];
        (entry.planned, entry.wants) = (u64::MAX, None);
        let Some(worker) = &mut entry.worker else {
            return;
        };
        if starts {
            worker.start(tick);
            self.collector.started(index, Nanos(tick));
        } else {
            worker.finish();
        }
        match worker.begin() {
            Wait::Done => self.end(index),
            Wait::Sleep { until } | Wait::Rest { until } => self.resume_at(index, until),
            Wait::Io { want, due } => {
                let backend = worker.backend();
                // A simulated volume takes everything and never fails as such.
                let _ = backend.submit_and_wait(0, None);
                let ready = match backend.ready_at(want) {
                    Ready::At(ready) => ready,
                    Ready::Later => u64::MAX,
                    Ready::Never => tick,
                };
                entry.wants = Some(want);
                let wake = due.map_or(ready, |due| ready.min(due.tick)).max(tick);
                self.resume_at(index, wake);
            }
        }
        self.take();
    }

    /// Has the workers stop when the user or a study asks for an end.
    fn heed(&mut self) {
        if self.outside.0.is_raised() && !self.interrupted {
            self.interrupted = true;
            self.give_up = self.clock.ticks().saturating_add(PATIENCE);
            self.stop_all(StopFlag::INTERRUPTED);
        }
        if self.outside.1.is_raised() && !self.halted {
            self.halted = true;
            self.stop_all(StopFlag::OTHER);
        }
    }

    fn stop_all(&self, why: u8) {
        self.workers.iter().for_each(|entry| entry.stop.raise(why));
    }

    fn end(&mut self, index: usize) {
        let Some(worker) = self.workers[index].worker.take() else {
            return;
        };
        self.alive -= 1;
        let (end, link, cell) = worker.into_end();
        link.hand_over(cell);
        link.end(end);
        self.take();
        let now = self.clock.ticks();
        for other in 0..self.workers.len() {
            let entry = &self.workers[other];
            let Some(name) = entry.program.workload.start.after.as_deref() else {
                continue;
            };
            let waiting = entry.worker.is_some() && !self.collector.has_started(other);
            if waiting && self.collector.has_ended(entry.program.host, name) {
                let delay = build::start_delay(&entry.program).0;
                self.start_at(other, now + delay);
            }
        }
    }

    fn take(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            match self.collector.take(message, &self.origin) {
                Consequence::None => {}
                Consequence::Stop(workers) => {
                    workers
                        .into_iter()
                        .for_each(|w| self.workers[w].stop.raise(StopFlag::OTHER));
                }
                Consequence::StopAll => {
                    self.end_all = true;
                    self.stop_all(StopFlag::OTHER);
                }
            }
        }
    }
}
