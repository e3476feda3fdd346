//! From a program to a worker at work: placement, memory, back end.
#![expect(
    unsafe_code,
    reason = "making a back end promises that the buffers outlive it"
)]

use super::gate::Gate;
use crate::backend::{self, Backend, Buffers, Made};
use crate::buffer::Arena;
use crate::clock::{Clock, HostClock};
use crate::medium::{Opened, PassBoundary};
use crate::os::pages::Mapping;
use crate::os::{errno, thread};
use crate::pace::Pacer;
use crate::payload::Payloads;
use crate::problem::LOCK_LESS;
use crate::program::Program;
use crate::worker::cell::{Cell, Counted};
use crate::worker::link::{Link, WorkerEnd};
use crate::worker::{
    BlockSource, CoupledWorkload, Coupling, CouplingHandle, Limits, PaceTimer, Parts, Processor,
    StopFlag, Worker, drive,
};
use leadline_model::cure::Cure;
use leadline_model::error_code::ErrorCode;
use leadline_model::op::Op;
use leadline_model::plan::engine::Memory;
use leadline_model::plan::{Admission, Pace, Rate, ShareWeight, Stage, Workload};
use leadline_model::sample::EndReason;
use leadline_model::seed::{Purpose, derive};
use leadline_model::units::{Bytes, Nanos};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// What a worker's thread is given.
pub(super) struct WorkerSpec {
    pub(super) program: Program,
    pub(super) coupling: Option<Arc<Coupling>>,
    pub(super) opened: Opened,
    pub(super) link: Link,
    pub(super) stop: Arc<StopFlag>,
    pub(super) interval: Nanos,
    /// Whose processor it runs on.
    pub(super) processor: Processor,
    /// What its writes take parts of: by file where these are not written alike, else one for all.
    pub(super) sources: Vec<Option<Arc<[u8]>>>,
}

/// What a worker counts.
pub(super) fn counted(program: &Program) -> Counted {
    let workload = &program.workload;
    let mut kinds: Vec<Op> = workload.blocks().mix.ops().collect();
    if workload.blocks().sync.fsync_every | workload.blocks().sync.fdatasync_every != 0
        || workload.blocks().sync.flushes_at_end()
    {
        kinds.push(Op::Sync);
    }
    Counted {
        kinds,
        open: matches!(workload.pace, Pace::Open { .. }),
        files: workload.counted_files().min(program.extents.len()),
        parts: workload.report.parts,
    }
}

/// What a workload's part of the I/Os of its group is given by: its rate, where that is one by priority, or its share.
fn weight(w: &Workload) -> f64 {
    let share = w.share.map_or(1.0, ShareWeight::get);
    let weight = match w.admission {
        Admission::OwnDepth | Admission::CommonQueue { .. } => 1.0,
        Admission::Shares { .. } => share,
        Admission::Priority { .. } => rate(w).unwrap_or(share),
    };
    weight.max(f64::MIN_POSITIVE)
}

/// I/Os a second that a workload is asked for, all kinds together; `None` = as many as it can.
fn rate(w: &Workload) -> Option<f64> {
    match w.pace {
        Pace::Open {
            together: Some(Rate::Iops(rate)),
            ..
        } => Some(rate),
        _ => None,
    }
}

/// What each program's workload shares with others, in the order of the programs; `None` = it goes its own way.
pub(super) fn couplings(stage: &Stage, programs: &[Program]) -> Vec<Option<Arc<Coupling>>> {
    let mut groups: BTreeMap<u32, Vec<CoupledWorkload>> = BTreeMap::new();
    for (workload, w) in (0..).zip(&stage.workloads) {
        if let Some(group) = w.admission.group() {
            groups.entry(group).or_default().push(CoupledWorkload {
                workload,
                admission: w.admission,
                weight: weight(w),
                depth: w.depth,
                clones: w.clones,
                rate: rate(w),
            });
        }
    }
    let groups: BTreeMap<u32, Arc<Coupling>> = groups
        .into_iter()
        .map(|(group, members)| (group, Arc::new(Coupling::new(&members))))
        .collect();
    let of = |p: &Program| groups.get(&p.workload.admission.group()?).cloned();
    programs.iter().map(of).collect()
}

/// The place of a program's worker among those it is coupled with.
pub(super) fn place_of(
    program: &Program,
    coupling: Option<&Arc<Coupling>>,
) -> Option<CouplingHandle> {
    let start = &program.workload.start;
    let at_once = start.after.is_none() && start.delay.1 == Nanos::ZERO;
    let workload = (program.workload_index, program.workload.name.as_str());
    CouplingHandle::of(coupling?, workload, at_once)
}

/// How long after its stage a worker starts; within a range by its seed.
pub(super) fn start_delay(program: &Program) -> Nanos {
    let (low, high) = program.workload.start.delay;
    let span = high.since(low).0;
    // The upper half of the product is an even draw from 0..=span.
    let draw =
        (u128::from(derive(program.seed, Purpose::StartDelay, 0)) * (u128::from(span) + 1)) >> 64;
    Nanos(low.0 + u64::try_from(draw).unwrap_or(0))
}

/// Takes the time since the start of the run off the delays that count from there.
pub(super) fn count_delays_from_run(programs: &mut [Program], since: Nanos) {
    for program in programs {
        let start = &program.workload.start;
        if start.from_run && start.delay != (Nanos::ZERO, Nanos::ZERO) {
            let (low, high) = start.delay;
            let workload = std::sync::Arc::make_mut(&mut program.workload);
            workload.start.delay = (low.since(since), high.since(since));
        }
    }
}

/// Everything of a worker but its back end.
pub(super) fn pacer_of<C: Clock>(program: &Program, clock: &C) -> Pacer {
    let per_second = clock.span(1_000_000_000) as f64;
    let seed = derive(program.seed, Purpose::Pace, 0);
    Pacer::new(
        &program.workload.pace,
        program.workload.blocks().mix,
        per_second,
        seed,
    )
}

/// What a worker knows of its sleeps before its start, which only matters where I/Os are due at times.
fn timer_of(
    processor: Processor,
    opened: &Opened,
    workload: &Workload,
    clock: HostClock,
) -> PaceTimer {
    let mut timer = PaceTimer::new(processor, opened.ends_by_interrupt());
    if matches!(workload.pace, Pace::Open { .. }) {
        timer.try_out(clock);
    }
    timer
}

/// The life of a worker's thread.
pub(super) fn work(worker: usize, seat: WorkerSpec, gate: &Gate) {
    let mut life = WorkerThread {
        thread: thread::id(),
        worker,
        gate,
        notes: Vec::new(),
    };
    thread::precise_timers();
    let placement = &seat.program.workload.placement;
    life.notes
        .extend(super::placement::apply(placement, seat.program.worker));
    // Held for as long as the worker is there, so that less is left for the page cache.
    let _locked = match lock(placement.lock_memory) {
        Ok(locked) => locked,
        Err(refusal) => return life.refuse(&seat.link, refusal),
    };
    let arena = match Arena::new(&seat.program.buffers()) {
        Ok(arena) => arena,
        Err(error) => {
            let refusal = Refusal {
                code: ErrorCode::NoMemory,
                errno: errno::ENOMEM,
                what: error.to_string(),
                cure: error.cure(),
            };
            return life.refuse(&seat.link, refusal);
        }
    };
    let WorkerSpec {
        program,
        coupling,
        opened,
        link,
        stop,
        interval,
        processor,
        sources,
    } = seat;
    let workload = Arc::clone(&program.workload);
    let depth = program.depth();
    let at_end = workload.blocks().sync.flushes_at_end() && workload.writes();
    let flush = Flush(at_end.then_some(&opened));
    let at_pass = PassBoundary::new(&program, &opened);
    let timer = timer_of(processor, &opened, &workload, HostClock::get());
    let buffers = buffers_of(&arena, depth);
    let parts = WorkerParts {
        coupled: place_of(&program, coupling.as_ref()),
        program,
        link,
        stop,
        interval,
        timer,
        arena,
        flush,
        at_pass,
        sources,
    };
    let ready = ReadyWorker { life, parts };
    // SAFETY: the buffers are the arena's, kept mapped by their owner for as long as the back end lives; only this
    // thread's worker touches them; `opened` is dropped at the end of this function, after the worker.
    unsafe { opened.back_end(&workload, (buffers, depth), ready) }
}

/// Locks this much memory, filled with zeros.
fn lock(bytes: u64) -> Result<Option<Mapping>, Refusal> {
    if bytes == 0 {
        return Ok(None);
    }
    let length = usize::try_from(bytes).unwrap_or(usize::MAX);
    let locked = Mapping::new(length, Memory::Anonymous)
        .and_then(|mapping| mapping.lock().map(|()| mapping));
    locked.map(Some).map_err(|error| Refusal {
        code: ErrorCode::NoMemory,
        errno: error.raw_os_error().unwrap_or(errno::ENOMEM),
        what: format!("{} of memory cannot be locked: {error}", Bytes(bytes)),
        cure: LOCK_LESS.into(),
    })
}

/// What a back end gets to know of the buffers.
fn buffers_of(arena: &Arena, depth: u32) -> Buffers {
    Buffers {
        base: arena.slot(0, Op::Read),
        slot_stride: arena.stride(),
        slots: u16::try_from(depth).unwrap_or(u16::MAX),
        write_base: arena.slot(0, Op::Write),
        owner: Some(arena.keeper()),
    }
}

/// Everything of a worker but its back end.
struct WorkerParts<'a> {
    coupled: Option<CouplingHandle>,
    program: Program,
    link: Link,
    stop: Arc<StopFlag>,
    interval: Nanos,
    timer: PaceTimer,
    arena: Arena,
    flush: Flush<'a>,
    at_pass: PassBoundary,
    sources: Vec<Option<Arc<[u8]>>>,
}

/// Files to flush when the worker has ended.
struct Flush<'a>(Option<&'a Opened>);

/// Why a worker cannot work.
struct Refusal {
    code: ErrorCode,
    errno: i32,
    what: String,
    cure: Cure,
}

/// A worker's thread, from the making of its back end to its end.
struct WorkerThread<'a> {
    thread: i32,
    worker: usize,
    gate: &'a Gate,
    notes: Vec<String>,
}

/// A worker that lacks nothing but its back end.
struct ReadyWorker<'a> {
    life: WorkerThread<'a>,
    parts: WorkerParts<'a>,
}

impl backend::User for ReadyWorker<'_> {
    fn run<B: Backend>(self, made: Made<B>) {
        self.life.go(made, self.parts);
    }
}

impl WorkerThread<'_> {
    fn go<B: Backend>(mut self, made: Made<B>, rest: WorkerParts<'_>) {
        let (backend, notes) = match made {
            Ok(made) => made,
            Err(error) => {
                let errno = error.source.as_ref().and_then(io::Error::raw_os_error);
                let refusal = Refusal {
                    code: error.code,
                    errno: errno.unwrap_or(errno::EINVAL),
                    what: error.to_string(),
                    cure: error.cure,
                };
                return self.refuse(&rest.link, refusal);
            }
        };
        self.notes.extend(notes);
        let clock = HostClock::get();
        let WorkerParts {
            coupled,
            program,
            link,
            stop,
            interval,
            timer,
            mut arena,
            flush,
            at_pass,
            sources,
        } = rest;
        let paths: Vec<PathBuf> = program.files.iter().map(|f| f.path.clone()).collect();
        let workload = Arc::clone(&program.workload);
        let mut payload = Payloads::new(
            &workload,
            derive(program.seed, Purpose::Payload, 0),
            &sources,
        );
        if workload.writes() {
            payload.fill_all(&mut arena);
        }
        let source = BlockSource::new(&workload, program.generator(), payload, at_pass);
        let pacer = pacer_of(&program, &clock);
        let Some((start, stage_start)) = self.gate.wait(self.worker, self.thread) else {
            return link.end(WorkerEnd {
                notes: self.notes,
                ..WorkerEnd::default()
            });
        };
        let limits = Limits::new(&program, interval, stage_start, &clock);
        let parts = Parts {
            backend,
            clock,
            arena,
            source,
            pacer,
            limits,
            link,
            stop,
            workload,
            coupled,
            timer,
        };
        let (mut end, link, cell) = drive(Worker::new(parts), start);
        name_the_file(&mut end, &paths);
        let cell = flush.run(&mut end, cell, clock);
        link.hand_over(cell);
        end.thread_id = self.thread;
        end.notes = self.notes;
        link.end(end);
    }

    /// The worker cannot work: says why, so that the stage continues without it.
    fn refuse(self, link: &Link, refusal: Refusal) {
        self.gate.give_up(self.worker);
        let Refusal {
            code,
            errno,
            what,
            cure,
        } = refusal;
        let reason = EndReason::Error {
            code,
            errno,
            what,
            cure,
        };
        let (thread_id, notes) = (self.thread, self.notes);
        link.end(WorkerEnd {
            thread_id,
            reason: Some(reason),
            notes,
            ..WorkerEnd::default()
        });
    }
}

/// An error that ended a worker names the path where it happened, which the hot loop knows by its number only.
fn name_the_file(end: &mut WorkerEnd, paths: &[PathBuf]) {
    let path = end.failed_file.and_then(|f| paths.get(f as usize));
    if let (Some(EndReason::Error { what, .. }), Some(path)) = (&mut end.reason, path) {
        *what = format!("{what} of {}", path.display());
    }
}

impl Flush<'_> {
    /// fsyncs the files and counts each as a sync of the last interval. Its time is part of the window:
    /// data that is not on the device yet was not written.
    fn run(&self, end: &mut WorkerEnd, mut cell: Box<Cell>, clock: HostClock) -> Box<Cell> {
        let Some(opened) = self.0 else {
            return cell;
        };
        for target in 0..opened.len() {
            let before = clock.ticks();
            let answer = opened.flush(target);
            let now = clock.ticks();
            let counts = cell.counts.op_mut(Op::Sync);
            if let Err(error) = answer {
                counts.errors += 1;
                let errno = error.raw_os_error().unwrap_or(errno::EIO);
                end.errors.push((Op::Sync, errno, 1));
                let what = "fsync at the end".to_owned();
                end.reason = Some(EndReason::failed(ErrorCode::Io, errno, what));
            } else {
                counts.ios += 1;
                counts.service.record(clock.nanos(now - before));
            }
            end.window_end = end.window_end.max(now);
        }
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::Host;
    use crate::schedule::compile;
    use leadline_model::plan::Target;

    fn workload() -> Workload {
        let mut w = Workload::new("w", Target::Null { size: 1 << 20 });
        w.engine.kind = leadline_model::plan::EngineKind::NULL;
        w
    }

    #[test]
    fn weights_are_shares_or_rates_by_the_kind_of_admission() {
        let (group, borrowable) = (1, None);
        let mut w = workload();
        w.share = ShareWeight::new(3.0);
        let mut of = |admission, pace: Option<f64>| {
            w.admission = admission;
            w.pace = pace.map_or(Pace::Closed, |rate| Pace::Open {
                rates: leadline_model::op::PerOp::splat(None),
                arrival: leadline_model::plan::Arrival::Constant,
                together: Some(Rate::Iops(rate)),
                schedule: Vec::new(),
            });
            weight(&w)
        };
        let same = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(same(of(Admission::Shares { group, borrowable }, None), 3.0));
        let queue = Admission::CommonQueue {
            group,
            max_lead: 9,
            borrowable,
        };
        assert!(same(of(queue, None), 1.0));
        let by_rank = Admission::Priority { group, rank: 5 };
        assert!(same(of(by_rank, None), 3.0));
        // A rate says more than a share.
        assert!(same(of(by_rank, Some(70.0)), 70.0));
    }

    #[test]
    fn workloads_of_one_group_share_one_coupling_and_others_have_their_own() {
        let of = |clones, group: Option<u32>| Workload {
            clones,
            admission: group.map_or(Admission::OwnDepth, |group| Admission::Shares {
                group,
                borrowable: None,
            }),
            ..workload()
        };
        let stage = Stage {
            workloads: vec![of(2, Some(7)), of(1, Some(7)), of(1, Some(8)), of(1, None)],
            ..Stage::default()
        };
        let plan = leadline_testkit::plan(vec![stage.clone()]);
        let programs = compile(&stage, &plan, &Host::default(), 1).unwrap();
        let couplings = couplings(&stage, &programs);
        let at = |i: usize| couplings[i].as_ref().map(Arc::as_ptr);
        let place_of = |i: usize| place_of(&programs[i], couplings[i].as_ref());
        assert!(at(0).is_some() && at(0) == at(1) && at(1) == at(2));
        assert!(at(3).is_some() && at(3) != at(0));
        assert_eq!(at(4), None);
        assert!((0..4).all(|i| place_of(i).is_some()));
        assert!(place_of(4).is_none());
    }
}
