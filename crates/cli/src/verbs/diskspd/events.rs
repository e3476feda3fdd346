//! DISKSPD's events as paths: a named pipe that is there carries a byte for each set, any other event is
//! set when a file of its name exists.
//!
//! Belongs here: setting, waiting, and the thread that does both while a run continues. Must never: decide
//! what a run is.

use super::spoken::{Spoken, due};
use crate::out;
use leadline_diskspd::Events;
use leadline_engine::clock::monotonic;
use leadline_engine::os::kinds::{is_pipe, open_pipe};
use leadline_engine::run::Interrupt;
use leadline_model::event::Event;
use leadline_model::plan::Plan;
use leadline_model::units::Nanos;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often events are checked.
const LOOK: Duration = Duration::from_millis(10);

/// Sets an event.
///
/// # Errors
/// Why it cannot be set, for people.
pub(super) fn set(path: &str) -> Result<(), String> {
    let mut options = OpenOptions::new();
    if !is_pipe(path) {
        let made = options.append(true).create(true).open(path);
        return made.map(drop).map_err(|error| format!("{path}: {error}"));
    }
    let pipe = open_pipe(options.write(true), path);
    let sent = pipe.and_then(|mut pipe| pipe.write_all(b"1"));
    sent.map_err(|error| format!("{path}: {error} (maybe no program is waiting for it)"))
}

/// An event that is waited for.
pub(super) struct Waited {
    path: String,
    pipe: Option<File>,
}

impl Waited {
    pub(super) fn new(path: &str) -> Self {
        let mut waited = Self {
            path: path.to_owned(),
            pipe: None,
        };
        waited.open();
        waited
    }

    fn open(&mut self) {
        if self.pipe.is_none() && is_pipe(&self.path) {
            let mut options = OpenOptions::new();
            let pipe = open_pipe(options.read(true), &self.path);
            self.pipe = pipe.ok();
        }
    }

    /// Whether it was set.
    pub(super) fn is_set(&mut self) -> bool {
        self.open();
        match &mut self.pipe {
            Some(pipe) => pipe.read(&mut [0]).is_ok_and(|n| n > 0),
            None => !is_pipe(&self.path) && std::fs::metadata(&self.path).is_ok(),
        }
    }

    /// Waits for it; false when the user ended the waiting.
    pub(super) fn wait(&mut self, interrupt: &Interrupt) -> bool {
        while !self.is_set() {
            if interrupt.is_raised() {
                return false;
            }
            std::thread::sleep(LOOK);
        }
        true
    }
}

/// What the thread and the run know of each other.
#[derive(Default)]
struct Shared {
    /// When the first stage started, and the last one; 0 = not yet.
    first: AtomicU64,
    last: AtomicU64,
    /// Number of the stage that started last, from 1, and when.
    stage: AtomicU64,
    begun: AtomicU64,
    over: AtomicBool,
}

/// Sets and heeds events while a run continues.
pub(super) struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    last_stage: u32,
}

impl Watch {
    /// Begins; without events there is no thread.
    pub(super) fn start(events: &Events, plan: &Plan, interrupt: &Interrupt) -> Self {
        let shared = Arc::new(Shared::default());
        let last_stage = u32::try_from(plan.stages.len().saturating_sub(1)).unwrap_or(0);
        let idle = events.started.is_empty() && events.finished.is_empty() && events.stop.is_none();
        let spoken = Spoken::of(plan);
        let idle = idle && spoken.is_none();
        let thread = (!idle).then_some(()).and_then(|()| {
            let watcher = Watcher {
                shared: Arc::clone(&shared),
                warmup: warmup(plan.stages.first()),
                measured_end: measured_end(plan.stages.last()),
                started: events.started.clone(),
                finished: events.finished.clone(),
                stop: events.stop.as_deref().map(Waited::new),
                interrupt: interrupt.clone(),
                spoken,
            };
            let spawned = std::thread::Builder::new().spawn(move || watcher.run());
            let no_thread =
                |error| out::say(&format!("warning: events are not monitored: {error}"));
            spawned.map_err(no_thread).ok()
        });
        Self {
            shared,
            thread,
            last_stage,
        }
    }

    /// Takes an event of the run.
    pub(super) fn take(&self, event: &Event) {
        if let Event::StageStarted { stage, .. } = event {
            let now = monotonic().max(1);
            if *stage == 0 {
                self.shared.first.store(now, Ordering::Relaxed);
            }
            // The time first: who sees the number has the time that goes with it, or a later one.
            self.shared.begun.store(now, Ordering::Release);
            let number = u64::from(*stage) + 1;
            self.shared.stage.store(number, Ordering::Release);
            if *stage == self.last_stage {
                self.shared.last.store(now, Ordering::Relaxed);
            }
        }
    }

    /// The run is over: what was not set by then is set now.
    pub(super) fn finish(mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            out::say("warning: the thread that monitors events has failed");
        }
    }
}

fn stop(stage: Option<&leadline_model::plan::Stage>) -> Option<&leadline_model::plan::Stop> {
    Some(&stage?.workloads.first()?.stop)
}

fn warmup(stage: Option<&leadline_model::plan::Stage>) -> u64 {
    stop(stage).map_or(0, |stop| stop.warmup.0)
}

fn measured_end(stage: Option<&leadline_model::plan::Stage>) -> u64 {
    let runtime = stop(stage).and_then(|stop| stop.runtime);
    warmup(stage).saturating_add(runtime.unwrap_or(Nanos::ZERO).0)
}

struct Watcher {
    shared: Arc<Shared>,
    warmup: u64,
    measured_end: u64,
    started: Vec<String>,
    finished: Vec<String>,
    stop: Option<Waited>,
    interrupt: Interrupt,
    spoken: Option<Spoken>,
}

impl Watcher {
    fn run(mut self) {
        loop {
            let over = self.shared.over.load(Ordering::Relaxed);
            if self.stop.as_mut().is_some_and(Waited::is_set) {
                self.interrupt.raise();
                self.stop = None;
            }
            let first = self.shared.first.load(Ordering::Relaxed);
            let last = self.shared.last.load(Ordering::Relaxed);
            if let Some(spoken) = &mut self.spoken {
                let stage = self.shared.stage.load(Ordering::Acquire);
                let begun = self.shared.begun.load(Ordering::Acquire);
                spoken.say_what_is_due(stage, begun, over);
            }
            if due(first, self.warmup) {
                set_all(&mut self.started);
            }
            if over || due(last, self.measured_end) {
                set_all(&mut self.finished);
            }
            if over {
                return;
            }
            std::thread::sleep(LOOK);
        }
    }
}

fn set_all(events: &mut Vec<String>) {
    for path in events.drain(..) {
        if let Err(error) = set(&path) {
            out::say(&format!("warning: the event cannot be set: {error}"));
        }
    }
}
