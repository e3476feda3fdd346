//! The far end: takes stages from a controller on one stream, has them run, and reports what happens on
//! another. It listens on nothing, and ends by itself when the controller is gone.
//!
//! Belongs here: reading, writing, noticing silence, keeping the order of messages. Must never: run I/O on
//! a target itself ([`EngineApi`] does), or keep a worker waiting: only the thread that collects may wait for a
//! full pipe.

mod outbox;

use crate::frame::{self, CONTROLLER_LIMIT};
use crate::message::{Batch, Ending, FromAgent, HostFailure, Orders, Question, ToAgent, cut};
use crate::time::{Clocks, Patience, duration};
use leadline_model::event::Event;
use leadline_model::place::Place;
use leadline_model::plan::Stage;
use leadline_model::sample::EndReason;
use leadline_model::units::Nanos;
use outbox::Outbox;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// Answers when a stage that is ready starts, by this host's clock; `None` = not at all.
pub type When<'a> = dyn FnMut() -> Option<u64> + 'a;

/// What runs the stages.
pub trait EngineApi {
    /// What ends the run, and what ends the running stage: set from other threads.
    fn switches(&self) -> Switches;
    /// A run begins.
    fn begin(&mut self, orders: Orders);
    /// Takes a stage that is to come, and mounts what it mounts; makes nothing else. With the last of them it looks
    /// whether all could run here in their order.
    ///
    /// # Errors
    /// What is in their way.
    fn look(
        &mut self,
        number: u32,
        stage: Stage,
        last: bool,
        sink: &mut dyn FnMut(Event),
    ) -> Result<(), HostFailure>;
    /// Where a target is here, or would be.
    fn place(&mut self, target: &str) -> Place;
    /// Runs a stage: prepares it, asks `when` for its start, gives `sink` what happens.
    ///
    /// # Errors
    /// When it cannot start.
    fn stage(
        &mut self,
        number: u32,
        stage: Stage,
        when: &mut When<'_>,
        sink: &mut dyn FnMut(Event),
    ) -> Result<Ending, HostFailure>;
    /// Deletes the files that were made here.
    fn remove_made(&mut self, sink: &mut dyn FnMut(Event));
}

/// What ends things early.
#[derive(Clone, Debug)]
pub struct Switches {
    /// The run.
    pub stop: Arc<AtomicBool>,
    /// The running stage.
    pub halt: Arc<AtomicBool>,
}

/// Who an agent is.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The build of this program.
    pub build: String,
    /// What this host calls itself.
    pub hostname: String,
    /// Ends the process: called when the controller is long gone and the stage does not end.
    pub last_resort: fn(),
}

/// How an agent's life ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The controller said that the run is over.
    Dismissed,
    /// The controller went away, or said what cannot be understood: everything was stopped.
    Orphaned,
}

/// What the threads of an agent share.
struct Shared {
    outbox: Outbox,
    /// When the controller was last heard.
    heard: AtomicU64,
    /// The controller is gone.
    orphaned: AtomicBool,
    /// This life is over, as it should.
    dismissed: AtomicBool,
    /// Stage that runs, plus one; 0 = none.
    running: AtomicU64,
    switches: Switches,
    tools: Clocks,
}

impl Shared {
    fn orphan(&self) {
        self.orphaned.store(true, Ordering::SeqCst);
        self.switches.stop.store(true, Ordering::SeqCst);
        self.outbox.close();
    }

    fn is_orphaned(&self) -> bool {
        self.orphaned.load(Ordering::SeqCst)
    }
}

/// Lives as an agent until the controller has no more use for it, or is gone.
pub fn serve(
    identity: &Identity,
    mut input: impl Read + Send + 'static,
    mut output: impl Write + Send + 'static,
    hands: &mut dyn EngineApi,
    tools: Clocks,
    patience: Patience,
) -> End {
    let shared = Arc::new(Shared {
        outbox: Outbox::default(),
        heard: AtomicU64::new((tools.now)()),
        orphaned: AtomicBool::new(false),
        dismissed: AtomicBool::new(false),
        running: AtomicU64::new(0),
        switches: hands.switches(),
        tools,
    });
    let greeting = frame::greeting(&identity.build);
    if output.write_all(greeting.as_bytes()).is_err() {
        return End::Orphaned;
    }
    let hostname = identity.hostname.clone();
    shared.outbox.control(&FromAgent::Hello { hostname });
    let writer = Arc::clone(&shared);
    let alive = duration(patience.alive);
    spawn("writer", move || {
        if !writer.outbox.write_to(&mut output, alive) {
            writer.orphan();
        }
    });
    let (commands, orders) = mpsc::channel();
    let reader = Arc::clone(&shared);
    spawn("reader", move || {
        if !listen(&mut input, &reader, &commands) {
            reader.orphan();
        }
    });
    let guard = Arc::clone(&shared);
    let last_resort = identity.last_resort;
    spawn("guard", move || {
        watch_silence(&guard, patience);
        std::thread::sleep(duration(patience.silence));
        if !guard.dismissed.load(Ordering::SeqCst) {
            last_resort();
        }
    });
    let mut agent = Agent {
        shared: &shared,
        orders,
        keep_if_orphaned: false,
        cuts: 1,
    };
    let end = agent.live(hands);
    shared.dismissed.store(true, Ordering::SeqCst);
    shared.outbox.close();
    end
}

/// A thread for a stream. One that cannot be had is as good as a stream that ends: the guard sees to it.
fn spawn(name: &str, work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(256 << 10);
    let _ = thread.spawn(work);
}

/// Answers what needs an answer at once; the rest is done in order by the agent's own thread. True when the
/// controller said that the run is over.
fn listen(input: &mut dyn Read, shared: &Shared, commands: &mpsc::Sender<ToAgent>) -> bool {
    while let Ok(Some(message)) = frame::read::<ToAgent>(input, CONTROLLER_LIMIT) {
        let at = (shared.tools.now)();
        shared.heard.store(at, Ordering::SeqCst);
        match message {
            ToAgent::Ping { sent } => shared.outbox.control(&FromAgent::Pong { sent, at }),
            ToAgent::Alive => {}
            ToAgent::Stop => shared.switches.stop.store(true, Ordering::SeqCst),
            ToAgent::Halt { number } => {
                if shared.running.load(Ordering::SeqCst) == u64::from(number) + 1 {
                    shared.switches.halt.store(true, Ordering::SeqCst);
                }
            }
            other => {
                let last = matches!(other, ToAgent::Bye { .. });
                if commands.send(other).is_err() || last {
                    return last;
                }
            }
        }
    }
    false
}

/// A controller that says nothing is gone, even if the stream stays open (a link that is down, a relay
/// that outlives it).
fn watch_silence(shared: &Shared, patience: Patience) {
    while !shared.is_orphaned() && !shared.dismissed.load(Ordering::SeqCst) {
        let heard = shared.heard.load(Ordering::SeqCst);
        if (shared.tools.now)().saturating_sub(heard) > patience.silence.0 {
            return shared.orphan();
        }
        std::thread::sleep(duration(patience.silence).min(Duration::from_secs(1)) / 4);
    }
}

/// The agent's own thread.
struct Agent<'a> {
    shared: &'a Shared,
    orders: Receiver<ToAgent>,
    keep_if_orphaned: bool,
    /// How many samples an interval of the plan is.
    cuts: u64,
}

impl Agent<'_> {
    fn live(&mut self, hands: &mut dyn EngineApi) -> End {
        loop {
            match self.next() {
                Some(ToAgent::Plan(orders)) => {
                    self.keep_if_orphaned = orders.keep_if_orphaned;
                    self.cuts = orders.plan.cuts();
                    hands.begin(*orders);
                }
                Some(ToAgent::Look(question)) => self.look(hands, *question),
                Some(ToAgent::Stage { number, stage }) => self.stage(hands, number, *stage),
                Some(ToAgent::Bye { remove }) => {
                    self.leave(hands, remove);
                    return End::Dismissed;
                }
                // A start of a stage that is over already.
                Some(_) => {}
                None => {
                    if !self.keep_if_orphaned {
                        hands.remove_made(&mut |_| ());
                    }
                    return End::Orphaned;
                }
            }
        }
    }

    /// What comes next; `None` = nothing will, the controller is gone.
    fn next(&self) -> Option<ToAgent> {
        loop {
            match self.orders.recv_timeout(Duration::from_millis(100)) {
                Ok(message) => return Some(message),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.shared.is_orphaned() => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn reporter(&self) -> Reporter<'_> {
        Reporter {
            outbox: &self.shared.outbox,
            now: self.shared.tools.now,
            batch: Batch::default(),
            interval: None,
            cuts: self.cuts,
            waited: 0,
        }
    }

    fn look(&self, hands: &mut dyn EngineApi, question: Question) {
        let Question {
            number,
            stage,
            last,
            targets,
        } = question;
        let mut reporter = self.reporter();
        let verdict = hands.look(number, stage, last, &mut |event| reporter.take(event));
        reporter.flush();
        let places = targets.iter().map(|target| short(hands.place(target)));
        self.shared.outbox.last(&FromAgent::Looked {
            number,
            refusal: verdict.err().map(HostFailure::short),
            places: places.collect(),
        });
    }

    fn stage(&self, hands: &mut dyn EngineApi, number: u32, stage: Stage) {
        let outbox = &self.shared.outbox;
        let mut reporter = self.reporter();
        let mut when = || {
            outbox.control(&FromAgent::Ready { number });
            self.start_of(number)
        };
        self.shared
            .running
            .store(u64::from(number) + 1, Ordering::SeqCst);
        let result = hands.stage(number, stage, &mut when, &mut |event| reporter.take(event));
        self.shared.running.store(0, Ordering::SeqCst);
        reporter.flush();
        let waited = Nanos(reporter.waited);
        outbox.last(&match result {
            Ok(end) => FromAgent::StageDone {
                number,
                end,
                waited,
            },
            Err(failure) => FromAgent::Failed(failure.short()),
        });
    }

    /// The agreed start of a stage.
    fn start_of(&self, wanted: u32) -> Option<u64> {
        loop {
            match self.orders.recv_timeout(Duration::from_millis(50)) {
                Ok(ToAgent::Start { number, at }) if number == wanted => return at,
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.shared.switches.stop.load(Ordering::SeqCst) {
                return None;
            }
        }
    }

    fn leave(&self, hands: &mut dyn EngineApi, remove: bool) {
        let mut batch = Batch::default();
        if remove {
            // What has no byte form is not sent in any other way either.
            hands.remove_made(&mut |event| drop(batch.push(&event)));
        }
        if !batch.is_empty() {
            self.shared.outbox.last(&FromAgent::Events(batch));
        }
        self.shared.outbox.last(&FromAgent::Bye);
        self.shared.outbox.drain(Duration::from_secs(5));
    }
}

/// A place in so few bytes that a thousand of them are a frame.
fn short(mut place: Place) -> Place {
    for text in [
        &mut place.file_system,
        &mut place.mounted_at,
        &mut place.source,
    ] {
        cut(text, 1000);
    }
    place
}

/// Gathers the events of an interval into one frame.
struct Reporter<'a> {
    outbox: &'a Outbox,
    now: fn() -> u64,
    batch: Batch,
    /// Interval of the samples that are gathered.
    interval: Option<u64>,
    /// How many samples an interval is.
    cuts: u64,
    /// Nanoseconds spent waiting for room.
    waited: u64,
}

impl Reporter<'_> {
    fn take(&mut self, mut event: Event) {
        let at_once = match &mut event {
            // Where it stands, and what it is to show, is made of the samples by the controller.
            Event::Tick(_) => return self.flush(),
            Event::StageStarted { .. } => return,
            Event::Interval(sample) => {
                sample.counts.pack();
                self.turn_to(sample.interval / self.cuts)
            }
            Event::Processors(own) => self.turn_to(own.interval),
            Event::WorkerEnded(totals) => {
                totals.counts.pack();
                // That a host breaks off is known at once, however long its intervals are.
                matches!(totals.end, EndReason::Error { .. })
            }
            Event::StageEnded {
                disks,
                cpus,
                counted,
                ..
            } => {
                // A machine with tens of thousands of them must not be unable to say so.
                disks.truncate(10_000);
                cpus.truncate(10_000);
                counted.truncate(10_000);
                true
            }
            _ => true,
        };
        // Every event has a byte form; one without is not sent.
        drop(self.batch.push(&event));
        if at_once || self.batch.is_full() {
            self.flush();
        }
    }

    /// What follows is of this interval: sends what is of another one. Is not to be sent at once itself.
    fn turn_to(&mut self, interval: u64) -> bool {
        if self.interval.replace(interval) != Some(interval) {
            self.flush();
        }
        false
    }

    fn flush(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let batch = std::mem::take(&mut self.batch);
        let before = (self.now)();
        if self.outbox.data(&FromAgent::Events(batch)) {
            self.waited += (self.now)().saturating_sub(before);
        }
    }
}
