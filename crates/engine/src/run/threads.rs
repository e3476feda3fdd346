//! A stage on real threads: one a worker, and this one collecting.

use super::build::{self, WorkerSpec};
use super::gate::Gate;
use super::standstill::Standstill;
use super::{Orders, RunError, StageEnd, When, note, placement, until_of};
use crate::clock::{self, Clock, HostClock};
use crate::collect::{Collector, Consequence, Origin};
use crate::medium::Opened;
use crate::os::cpu::IntervalMeter;
use crate::os::thread::{self, Signals};
use crate::os::{errno, time};
use crate::program::Program;
use crate::worker::cell::Counted;
use crate::worker::link::{Link, Message, WorkerEnd, cells, line};
use crate::worker::{self, StopFlag};
use leadline_model::error_code::ErrorCode;
use leadline_model::event::Event;
use leadline_model::failure::Failure;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Plan;
use leadline_model::plan::target::DRAIN_LIMIT;
use leadline_model::sample::EndReason;
use leadline_model::units::Nanos;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

/// The collector looks at interrupts and stuck workers at least this often.
const LOOK_NS: u64 = 100_000_000;

/// Runs the workers of a stage to their end.
pub(super) fn run(
    stage: u32,
    plan: &Plan,
    programs: Vec<Program>,
    opened: Vec<Opened>,
    mut orders: Orders<'_>,
    sink: &mut dyn FnMut(Event),
) -> Result<StageEnd, RunError> {
    let clock = HostClock::get();
    let counted: Vec<Counted> = programs.iter().map(build::counted).collect();
    let cells: Vec<usize> = counted.iter().map(|c| cells(c, plan.slice())).collect();
    let (out, messages) = line(cells.iter().copied());
    let gate = Arc::new(Gate::new(programs.len()));
    let mut returns = Vec::new();
    let mut last_words = Vec::new();
    let mut stops = Vec::new();
    let mut seats = Vec::new();
    let processors = placement::processors(&programs);
    let couplings = build::couplings(&plan.stages[stage as usize], &programs);
    let sources = crate::prepare::sources(&programs).map_err(RunError::Prepare)?;
    let each = programs.iter().zip(couplings).zip(opened);
    for (worker, ((program, coupling), opened)) in each.enumerate() {
        let (link, back) = Link::new(worker, out.clone(), &counted[worker], cells[worker]);
        returns.push(back);
        last_words.push(PanicReporter::new(worker, &out, &gate));
        let stop = Arc::new(StopFlag::default());
        stops.push(Arc::clone(&stop));
        seats.push((
            worker,
            WorkerSpec {
                program: program.clone(),
                coupling,
                opened,
                link,
                stop,
                interval: plan.slice(),
                processor: processors[worker],
                sources: sources
                    .get(&program.workload_index)
                    .cloned()
                    .unwrap_or_default(),
            },
        ));
    }
    drop(out);
    spawn_workers(seats.into_iter().zip(last_words), &gate)?;
    let mut collector = Collector::new(stage, plan, &programs, returns, sink);
    collector.report_partial_totals(plan.partial_totals_every);
    collector.end_at(until_of(plan, stage));
    let mut runner = StageRunner {
        collector,
        stops,
        gate,
        origin: Origin { clock, tick: 0 },
        stage,
        interval: plan.interval,
        interrupted: false,
        halted: false,
        end_all: false,
        give_up_at: None,
        first_error: None,
        signals: Signals::install(),
        looks_over: 0,
        standstill: Standstill::default(),
        programs,
    };
    let place = OffWorkerCpus::step(&runner.programs);
    runner.start(orders.when.take());
    runner.collect(&messages, &mut orders);
    drop(place);
    if runner.gate.no_worker_is_ready() {
        return Err(no_worker_ready(runner.first_error));
    }
    Ok(match (runner.interrupted, runner.end_all) {
        (true, _) => StageEnd::Interrupted,
        (false, true) => StageEnd::EndAll,
        _ => StageEnd::GoOn,
    })
}

/// Why not one worker began: what the first of them said.
fn no_worker_ready(said: Option<Failure>) -> RunError {
    let unknown = || {
        let cure = "this is a defect of leadline: please report it, with the job that was run";
        Failure::new(ErrorCode::Defect, "no worker started", cure)
    };
    RunError::NoWorkerReady(said.unwrap_or_else(unknown))
}

/// Gives each worker a thread.
fn spawn_workers(
    seats: impl Iterator<Item = ((usize, WorkerSpec), PanicReporter)>,
    gate: &Arc<Gate>,
) -> Result<(), RunError> {
    for ((worker, seat), last_word) in seats {
        let own_gate = Arc::clone(gate);
        let spawned = std::thread::Builder::new()
            .name(format!("worker-{worker}"))
            .stack_size(256 << 10)
            .spawn(move || last_word.of(|| build::work(worker, seat, &own_gate)));
        if let Err(error) = spawned {
            gate.cancel();
            return Err(error.into());
        }
    }
    Ok(())
}

/// Reports for a worker whose thread a defect ended before it could report itself: the others must not wait for
/// it, and its end must be seen.
struct PanicReporter {
    worker: usize,
    out: SyncSender<Message>,
    gate: Arc<Gate>,
}

impl PanicReporter {
    fn new(worker: usize, out: &SyncSender<Message>, gate: &Arc<Gate>) -> Self {
        Self {
            worker,
            out: out.clone(),
            gate: Arc::clone(gate),
        }
    }

    /// Does a worker's work, and reports a panic.
    fn of(self, work: impl FnOnce()) {
        // Nothing of a broken worker is checked any more but what it had handed over.
        let Err(panic) = catch_unwind(AssertUnwindSafe(work)) else {
            return;
        };
        self.gate.give_up(self.worker);
        let end = WorkerEnd {
            window_end: HostClock::get().ticks(),
            reason: Some(worker::defect(&*panic)),
            ..WorkerEnd::default()
        };
        let _ = self.out.send(Message::Ended {
            worker: self.worker,
            end: Box::new(end),
        });
    }
}

/// The collecting thread off the CPUs that all workers are pinned to: it would take them from a worker
/// at the end of each interval, and the worker's next I/O would be late. Undone when dropped.
struct OffWorkerCpus(Option<Vec<u32>>);

impl OffWorkerCpus {
    fn step(programs: &[Program]) -> Self {
        let pinned = programs.iter().map(|p| &p.workload.placement.cpus);
        if pinned.clone().any(Vec::is_empty) {
            return Self(None);
        }
        let Some(before) = thread::cpus() else {
            return Self(None);
        };
        let taken: BTreeSet<u32> = pinned.flatten().copied().collect();
        let rest = before.iter().copied().filter(|cpu| !taken.contains(cpu));
        // With no CPU left the thread stays where it is: the kernel refuses that.
        let moved = thread::pin(rest).is_ok();
        Self(moved.then_some(before))
    }
}

impl Drop for OffWorkerCpus {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = thread::pin(before.iter().copied());
        }
    }
}

/// The collecting side of a stage.
struct StageRunner<'a> {
    collector: Collector<'a>,
    stops: Vec<Arc<StopFlag>>,
    gate: Arc<Gate>,
    origin: Origin<HostClock>,
    stage: u32,
    interval: Nanos,
    programs: Vec<Program>,
    interrupted: bool,
    halted: bool,
    end_all: bool,
    /// When workers that do not end are given up.
    give_up_at: Option<Nanos>,
    /// What ended the first worker that an error ended.
    first_error: Option<Failure>,
    signals: Signals,
    /// Looks since workers should have ended.
    looks_over: u32,
    standstill: Standstill,
}

impl StageRunner<'_> {
    /// Waits for all workers to be ready and releases those that need no agreed start time.
    fn start(&mut self, when: Option<&mut When<'_>>) {
        self.gate.all_ready();
        let clock = self.origin.clock;
        if let Some(when) = when.filter(|_| !self.gate.no_worker_is_ready()) {
            return self.start_when(when());
        }
        // Time for the threads to wake, so that all of them are there when it begins.
        let lead = (50_000 + 5_000 * self.programs.len() as u64).min(20_000_000);
        self.origin.tick = clock.ticks() + clock.span(lead);
        self.release(|p| p.workload.start.after.is_none(), self.origin.tick);
    }

    /// Releases them for a start that was agreed upon, or not at all.
    fn start_when(&mut self, agreed: Option<u64>) {
        let clock = self.origin.clock;
        let (ticks, now) = (clock.ticks(), clock::monotonic());
        let Some(at) = agreed else {
            self.origin.tick = ticks;
            self.interrupted = true;
            return self.gate.cancel();
        };
        let (ahead, late) = (clock.span(at.saturating_sub(now)), now.saturating_sub(at));
        self.origin.tick = (ticks + ahead).saturating_sub(clock.span(late));
        let start = self.origin.tick.max(ticks);
        self.release(|p| p.workload.start.after.is_none(), start);
    }

    fn release(&mut self, which: impl Fn(&Program) -> bool, tick: u64) {
        let clock = self.origin.clock;
        let mut starts = Vec::new();
        for (worker, program) in self.programs.iter().enumerate().filter(|(_, p)| which(p)) {
            starts.push((worker, tick + clock.span(build::start_delay(program).0)));
        }
        for &(worker, tick) in &starts {
            self.collector.started(worker, self.origin.time(tick));
        }
        self.gate.release(self.origin.tick, starts.into_iter());
    }

    fn now(&self) -> Nanos {
        self.origin.time(self.origin.clock.ticks())
    }

    fn collect(&mut self, messages: &Receiver<Message>, orders: &mut Orders<'_>) {
        let cpus = &mut *orders.cpus;
        // A tick comes a little after the interval's end, when the workers have said what they did.
        let slack = Nanos(self.interval.0 / 8).min(Nanos::from_millis(50));
        let mut next_tick = Nanos(self.interval.0 + slack.0);
        let mut next_look = Nanos(LOOK_NS);
        let mut next_cpus = Nanos::ZERO;
        let mut processors = IntervalMeter::new(self.interval);
        while self.collector.running() > 0 {
            let now = self.now();
            if now >= next_cpus {
                // Seldom, since all workers are checked, and often enough for those that start late.
                let due = cpus.look(now, self.collector.expected_window());
                let seldom = Nanos(now.0 + LOOK_NS);
                next_cpus = due.map_or(seldom, |due| due.min(seldom));
            }
            let mut due = next_cpus.min(next_tick);
            if let Some(processors) = &processors {
                due = due.min(processors.due());
            }
            let (left, began) = (due.since(now).0.min(LOOK_NS), time::since_boot());
            let message = messages.recv_timeout(Duration::from_nanos(left));
            let took = time::since_boot().saturating_sub(began);
            self.standstill.waited(now, left, took);
            // Before the samples of an interval that has ended.
            self.report_processors(processors.as_mut(), message.as_ref().ok());
            match message {
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let now = self.now();
            if now >= next_tick {
                if orders.totals_wanted.swap(false, Ordering::Relaxed) {
                    self.collector.report_partial_totals_once();
                }
                self.collector.tick(now);
                next_tick = Nanos((now.0 / self.interval.0 + 1) * self.interval.0 + slack.0);
            }
            if orders.interrupt.is_raised() && !self.interrupted {
                self.interrupted = true;
                self.stop_all(StopFlag::INTERRUPTED);
            }
            if orders.halt.is_raised() && !self.halted {
                self.halted = true;
                self.stop_all(StopFlag::OTHER);
            }
            if now >= next_look {
                next_look = Nanos(now.0 + LOOK_NS);
                self.look_after_stuck(now);
            }
        }
        // Before the files are closed and removed, which is not part of the window.
        cpus.close(self.now());
        // Cells and ends of workers that were faster than this loop.
        while let Ok(message) = messages.try_recv() {
            self.take(message);
        }
        if let Some(finding) = self.standstill.finding(self.stage) {
            self.collector.send(Event::Finding(finding));
        }
        // Only those are left whose threads are gone without a word.
        self.give_up(&GONE);
    }

    /// Reports the processor time of intervals that are over: with the end of the last worker, all.
    fn report_processors(&mut self, meter: Option<&mut IntervalMeter>, message: Option<&Message>) {
        let Some(meter) = meter else { return };
        let now = self.now();
        let mut known = if now == Nanos::ZERO || now >= meter.due() {
            meter.look(now)
        } else {
            Vec::new()
        };
        if matches!(message, Some(Message::Ended { .. })) && self.collector.running() == 1 {
            known.extend(meter.cut(now));
        }
        for mut interval in known {
            interval.stage = self.stage;
            self.collector.send(Event::Processors(Box::new(interval)));
        }
    }

    fn take(&mut self, message: Message) {
        if let Message::Ended { worker, end } = &message {
            for text in &end.notes {
                self.collector
                    .send(Event::Finding(note(self.stage, "engine-note", text)));
            }
            if let Some(
                reason @ EndReason::Error {
                    code, what, cure, ..
                },
            ) = &end.reason
            {
                self.first_error
                    .get_or_insert_with(|| Failure::new(*code, what.clone(), cure.clone()));
                if reason.is_defect() {
                    self.report_defect(*worker, what);
                }
            }
        }
        let ended = matches!(message, Message::Ended { .. });
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
        if ended {
            self.release_followers();
        }
    }

    /// Releases workloads that waited for others which have now ended.
    fn release_followers(&mut self) {
        let waits = self
            .programs
            .iter()
            .filter_map(|p| p.workload.start.after.clone());
        let over: Vec<String> = waits
            .filter(|name| self.collector.has_ended(0, name))
            .collect();
        for name in over {
            let tick = self.origin.clock.ticks();
            self.release(|p| p.workload.start.after.as_ref() == Some(&name), tick);
            for program in &mut self.programs {
                if program.workload.start.after.as_ref() == Some(&name) {
                    let mut workload = (*program.workload).clone();
                    workload.start.after = None;
                    program.workload = Arc::new(workload);
                }
            }
        }
    }

    fn stop_all(&mut self, why: u8) {
        self.stops.iter().for_each(|stop| stop.raise(why));
        // Those that wait for others start, and end at once.
        let tick = self.origin.clock.ticks();
        self.release(|p| p.workload.start.after.is_some(), tick);
    }

    /// Gets workers out of waits they should have left, and gives up those that never come back.
    fn look_after_stuck(&mut self, now: Nanos) {
        // Often at first, then seldom: on a file system whose slow I/O a signal ends, each would start it
        // again.
        self.looks_over += 1;
        let kick = self.looks_over <= 10 || self.looks_over.is_multiple_of(100);
        let all_stopped = self.interrupted || self.halted || self.end_all;
        let mut over = 0;
        let mut running = 0;
        for worker in (0..self.programs.len()).filter(|&w| self.collector.is_running(w)) {
            running += 1;
            let past = self
                .collector
                .expected_stop(worker)
                .is_some_and(|end| now >= end);
            if past || self.stops[worker].is_raised() {
                over += 1;
                if kick {
                    self.signals.kick(self.gate.thread(worker));
                }
            }
        }
        if over == 0 {
            self.looks_over = 0;
        }
        if over == 0 || over < running && !all_stopped {
            self.give_up_at = None;
            return;
        }
        let limit = *self.give_up_at.get_or_insert(Nanos(now.0 + DRAIN_LIMIT.0));
        if now >= limit {
            self.give_up(&HANGING);
        }
    }

    /// Reports a worker that a defect ended.
    fn report_defect(&mut self, worker: usize, what: &str) {
        self.report_of(
            worker,
            "worker-failed",
            &format!("ended early: {what}; its figures cover the time until then"),
            "this is a defect of leadline: please report it, with the run file",
        );
    }

    fn report_of(&mut self, worker: usize, code: &str, what: &str, cure: &str) {
        let program = &self.programs[worker];
        self.collector.send(Event::Finding(Finding {
            code: code.to_owned(),
            severity: Severity::Fail,
            stage: Some(self.stage),
            workload: Some(program.workload_index),
            text: format!("a worker of '{}' {what}", program.workload.name),
            cure: cure.into(),
        }));
    }

    /// Continues without those that have not ended, and says why.
    fn give_up(&mut self, why: &Missing) {
        for worker in 0..self.programs.len() {
            if !self.collector.is_running(worker) {
                continue;
            }
            self.report_of(worker, why.code, &(why.text)(), why.cure);
            let tick = self.origin.clock.ticks();
            let end = WorkerEnd {
                window_end: tick,
                reason: Some(EndReason::failed(why.kind, why.errno, why.what)),
                ..WorkerEnd::default()
            };
            let _ = self.collector.take(
                Message::Ended {
                    worker,
                    end: Box::new(end),
                },
                &self.origin,
            );
        }
    }
}

/// Why a worker is given up.
struct Missing {
    /// Of the finding.
    code: &'static str,
    /// What the worker did, in words that follow its name.
    text: fn() -> String,
    cure: &'static str,
    kind: ErrorCode,
    errno: i32,
    /// What ended it, in words.
    what: &'static str,
}

/// I/O that does not come back.
const HANGING: Missing = Missing {
    code: "hanging-io",
    text: || {
        format!(
            "has I/O in flight that did not return within {DRAIN_LIMIT} of the end; its figures \
             cover the time until then"
        )
    },
    cure: "check the device and the kernel log",
    kind: ErrorCode::Hanging,
    errno: errno::ETIMEDOUT,
    what: "I/O that never returned",
};

/// A thread that is gone without a word.
const GONE: Missing = Missing {
    code: "worker-failed",
    text: || "ended without reporting; its figures cover the time until then".to_owned(),
    cure: "this is a defect of leadline: please report it, with the run file",
    kind: ErrorCode::Defect,
    errno: EndReason::DEFECT,
    what: "leadline itself failed: a thread disappeared",
};
