//! The controller: one run over many hosts, reported as one stream of events.
//!
//! Belongs here: what each host is doing, when a stage starts, which hosts are lost, what is passed on. Must never:
//! know how a host is reached ([`crate::launch`]), trust a number a host says about itself further than its
//! own figures, or wait for one host longer than its patience.

mod host;
mod look;
mod news;
mod stage;
#[cfg(test)]
mod tests;

use crate::link::{Arrival, Incoming, Link};
use crate::message::{Ending, FailureKind, FromAgent, HostFailure, Orders, ToAgent};
use crate::tailor;
use crate::time::{Clocks, Patience, duration};
use host::{Host, State};
use leadline_model::cure::Cure;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::{Event, HostNews, HostState, Outcome};
use leadline_model::failure::Failure;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{HostSpec, Plan};
use leadline_model::units::{Nanos, number_of};
use look::Look;
use stage::StageProgress;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// What takes the events.
pub type Sink<'a> = dyn FnMut(Event) + 'a;

/// What a run over many hosts is to keep to.
#[derive(Clone, Debug)]
pub struct ControllerConfig {
    /// Stands in for every seed the stages leave open.
    pub seed: u64,
    /// The run's number, as good as no other run has.
    pub run: u64,
    /// Whether files made on the hosts stay when the controller goes away.
    pub keep_if_orphaned: bool,
    /// Raised when the run is to end early.
    pub interrupt: Arc<AtomicBool>,
    /// How long is waited for whom.
    pub patience: Patience,
    /// Hosts that refuse the plan are lost, and the others run it; else none does.
    pub accept_lost: bool,
    /// Targets may lie otherwise on one host than on another.
    pub accept_unlike: bool,
}

/// A host that was lost, or never came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Its label.
    pub label: String,
    /// Why, in words.
    pub why: HostFailure,
}

/// Why a stage did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRun {
    /// There is no host left: all that were lost.
    AllHostsLost(Vec<Loss>),
    /// Hosts refuse it, and none is to go on without them; nothing of it was begun anywhere.
    Refused {
        /// Those that do.
        by: Vec<Loss>,
        /// Whether there are others.
        others: bool,
    },
    /// A target does not lie alike on all hosts; nothing of it was begun anywhere.
    Unlike(HostFailure),
}

impl std::fmt::Display for NotRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let each = |losses: &[Loss]| {
            let each = losses.iter();
            let each = each.map(|loss| format!("{}: {}", loss.label, loss.why.what()));
            each.collect::<Vec<_>>().join("; ")
        };
        match self {
            Self::AllHostsLost(losses) => write!(f, "no host can run it: {}", each(losses)),
            Self::Refused { by, .. } => write!(f, "refused before the first byte: {}", each(by)),
            Self::Unlike(why) => write!(f, "refused before the first byte: {}", why.what()),
        }
    }
}

impl std::error::Error for NotRun {}

impl NotRun {
    /// The kind of failure, when all hosts agree about it; else their surroundings.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        let losses = match self {
            Self::AllHostsLost(losses) | Self::Refused { by: losses, .. } => losses,
            Self::Unlike(why) => return why.kind,
        };
        let mut kinds = losses.iter().map(|loss| loss.why.kind);
        let first = kinds.next().unwrap_or(FailureKind::Environment);
        if kinds.all(|kind| kind == first) {
            first
        } else {
            FailureKind::Environment
        }
    }

    /// All reasons as one.
    #[must_use]
    pub fn failure(&self) -> Failure {
        let each: Vec<&Failure> = match self {
            Self::AllHostsLost(losses) | Self::Refused { by: losses, .. } => {
                losses.iter().flat_map(|loss| &loss.why.reasons).collect()
            }
            Self::Unlike(why) => why.reasons.iter().collect(),
        };
        Failure::of_all(self.to_string(), each)
    }
}

/// A run over many hosts.
pub struct Controller {
    hosts: Vec<Host>,
    inbox: Receiver<Incoming>,
    tools: Clocks,
    terms: ControllerConfig,
    /// Start of the run by our clock.
    start: u64,
    /// The plan as it was begun, for what agents are sent.
    plan: Option<Plan>,
    running_stage: Option<StageProgress>,
    look: Option<Look>,
    /// Commands change what there is on the hosts between stages: each is looked at when it comes.
    unsettled: bool,
    sent_alive: u64,
    /// Raised when the running stage is to end.
    halted_by: Arc<AtomicBool>,
    sent_stop: bool,
}

impl Controller {
    /// A run that starts now, over hosts that are being called.
    #[must_use]
    pub fn new(
        specs: &[HostSpec],
        links: Vec<Link>,
        inbox: Receiver<Incoming>,
        tools: Clocks,
        terms: ControllerConfig,
    ) -> Self {
        let start = (tools.now)();
        let hosts = specs.iter().zip(links);
        Self {
            hosts: hosts
                .map(|(spec, link)| Host::new(spec, link, start))
                .collect(),
            inbox,
            tools,
            terms,
            start,
            plan: None,
            running_stage: None,
            look: None,
            unsettled: false,
            sent_alive: start,
            halted_by: Arc::default(),
            sent_stop: false,
        }
    }

    /// Time since the start of the run.
    #[must_use]
    pub fn now(&self) -> Nanos {
        self.since_start((self.tools.now)())
    }

    fn since_start(&self, at: u64) -> Nanos {
        Nanos(at.saturating_sub(self.start))
    }

    /// Has `halt` end the running stage on all hosts, as if a workload's end had ended it; the run continues. It is taken
    /// back when a stage begins.
    pub fn halted_by(&mut self, halt: Arc<AtomicBool>) {
        self.halted_by = halt;
    }

    fn interrupted(&self) -> bool {
        self.terms.interrupt.load(Ordering::Relaxed)
    }

    /// The hosts that were lost until now.
    #[must_use]
    pub fn losses(&self) -> Vec<Loss> {
        let lost = self.hosts.iter().filter_map(|host| match &host.state {
            State::Lost(why) => Some(Loss {
                label: host.label.clone(),
                why: why.clone(),
            }),
            _ => None,
        });
        lost.collect()
    }

    /// Sends the start of the run, and waits until each host has answered or is lost.
    pub fn begin(&mut self, plan: &Plan, sink: &mut Sink<'_>) {
        sink(Event::RunStarted {
            plan: Box::new(plan.clone()),
            wall_ms: (self.tools.wall_ms)(),
        });
        self.plan = Some(plan.clone());
        while self.hosts.iter().any(|h| h.state.is_calling()) {
            self.turn(sink);
            if self.interrupted() {
                return;
            }
        }
    }

    /// Says goodbye to all hosts; whether files they made are to go.
    pub fn dismiss(&mut self, remove: bool, sink: &mut Sink<'_>) {
        for host in &mut self.hosts {
            if host.state.is_lost() {
                continue;
            }
            if host.state.is_calling() {
                host.link.cut();
                host.state = State::Left;
                continue;
            }
            host.link.send(ToAgent::Bye { remove });
            host.state = State::Leaving;
        }
        let limit = (self.tools.now)() + self.terms.patience.silence.0;
        while self.hosts.iter().any(|h| matches!(h.state, State::Leaving)) {
            self.turn(sink);
            if (self.tools.now)() > limit {
                break;
            }
        }
    }

    /// Sends the end of the run.
    pub fn finish(&mut self, outcome: Outcome, sink: &mut Sink<'_>) {
        sink(Event::RunEnded {
            at: self.now(),
            outcome,
        });
    }

    /// Takes what has come, or waits a little for it; then does what is due.
    fn turn(&mut self, sink: &mut Sink<'_>) {
        /// Messages after which it looks up from the inbox.
        const MANY: usize = 512;
        let mut emptied = false;
        match self.inbox.recv_timeout(Duration::from_millis(20)) {
            Ok(first) => {
                self.take(first, sink);
                for _ in 0..MANY {
                    let Ok(next) = self.inbox.try_recv() else {
                        emptied = true;
                        break;
                    };
                    self.take(next, sink);
                }
            }
            Err(RecvTimeoutError::Timeout) => emptied = true,
            Err(RecvTimeoutError::Disconnected) => {
                // No host can send anything any more.
                emptied = true;
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        if self.halted_by.load(Ordering::Relaxed) {
            self.halt();
        }
        let now = (self.tools.now)();
        if now.saturating_sub(self.sent_alive) >= self.terms.patience.alive.0 {
            self.sent_alive = now;
            let talking = self.hosts.iter().filter(|h| h.state.is_talking());
            talking.for_each(|host| host.link.send(ToAgent::Alive));
        }
        // Which host is silent is known only after all that was received has been read.
        if emptied {
            self.look_for_silence(now, sink);
        }
        if self.interrupted() && !self.sent_stop {
            self.sent_stop = true;
            let talking = self.hosts.iter().filter(|h| h.state.is_talking());
            talking.for_each(|host| host.link.send(ToAgent::Stop));
        }
        self.progress(now, sink);
    }

    fn look_for_silence(&mut self, now: u64, sink: &mut Sink<'_>) {
        let patience = self.terms.patience;
        let many = 20_000_000 * self.hosts.len() as u64;
        for number in 0..self.hosts.len() {
            let host = &self.hosts[number];
            let limit = match host.state {
                State::Lost(_) | State::Left => continue,
                State::Calling => Nanos(host.slow_start.unwrap_or(patience.connect).0 + many),
                _ => patience.silence,
            };
            if now.saturating_sub(host.heard) > limit.0 {
                let why = match host.state {
                    State::Calling => format!("no answer for {limit}"),
                    _ => format!("no message from it for {limit}"),
                };
                let cure = "check that the host is up, reachable and not overloaded";
                self.lose(number, lost_by(why, cure), sink);
            }
        }
    }

    fn take(&mut self, incoming: Incoming, sink: &mut Sink<'_>) {
        let number = incoming.host as usize;
        let Some(host) = self.hosts.get_mut(number) else {
            return;
        };
        if host.state.is_lost() || matches!(host.state, State::Left) {
            return;
        }
        // Now, not when it came: what waited in the inbox waited for us.
        host.heard = (self.tools.now)();
        match incoming.what {
            Arrival::Progress => {}
            Arrival::Word(text) => sink(Event::Finding(Finding {
                code: "program-copied".to_owned(),
                severity: Severity::Info,
                stage: None,
                workload: None,
                text,
                cure: Cure::none(),
            })),
            Arrival::Gone(_) if matches!(host.state, State::Leaving) => host.state = State::Left,
            Arrival::Gone(why) => {
                let cure = match host.state {
                    State::Calling => {
                        "it never answered: check its name and that it can be reached the same way by hand"
                    }
                    _ => "the host or its agent was stopped, or the connection was lost",
                };
                self.lose(number, lost_by(why, cure), sink);
            }
            Arrival::Message(message) => {
                if let Err(why) = self.message(number, incoming.at, *message, sink) {
                    let text = format!("it sent an invalid message: {why}");
                    let cure = "check which program answers there instead of leadline";
                    self.lose(number, lost_by(text, cure), sink);
                }
            }
        }
    }

    /// A message of a host; what is wrong with it, if anything.
    fn message(
        &mut self,
        number: usize,
        at: u64,
        message: FromAgent,
        sink: &mut Sink<'_>,
    ) -> Result<(), String> {
        let current = self.running_stage.as_ref().map(|c| c.number);
        let stopping = self.interrupted() || self.sent_stop;
        let host = &mut self.hosts[number];
        match (message, &host.state) {
            (FromAgent::Alive, _) => {}
            (FromAgent::Hello { hostname }, State::Calling) => {
                host.hostname = hostname.chars().take(255).collect();
                host.state = State::Greeted;
                host.ask_time();
            }
            (FromAgent::Pong { sent, at: theirs }, _) => {
                if host.take_time(sent, theirs, at)? && matches!(host.state, State::Greeted) {
                    self.connected(number, sink);
                }
            }
            (
                FromAgent::Looked {
                    number: n,
                    refusal,
                    places,
                },
                State::Looking,
            ) => self.looked(number, n, refusal, places)?,
            // It is no longer waited for.
            (FromAgent::Looked { .. }, State::Leaving) => {}
            (FromAgent::Ready { number: n }, State::Preparing) if current == Some(n) => {
                host.state = State::Ready;
                host.refresh_time(at);
            }
            (FromAgent::Events(batch), state) if !state.is_calling() => {
                for event in batch.events() {
                    self.event(number, event.map_err(|e| e.to_string())?, sink)?;
                }
            }
            (
                FromAgent::StageDone {
                    number: n,
                    end,
                    waited,
                },
                state,
            ) if state.is_at_work() && current == Some(n) => {
                host.waited = waited;
                if end == Ending::Interrupted && !stopping {
                    let cure = "a signal, or the end of its allocation";
                    host.link.send(ToAgent::Bye { remove: true });
                    let why = lost_by("the agent was stopped on that host", cure);
                    self.lose_softly(number, why, sink);
                } else {
                    host.state = State::Done(end);
                    self.host_done(end);
                }
            }
            (FromAgent::Failed(failure), state) if state.is_at_work() => {
                if failure.kind == FailureKind::Interrupted {
                    host.state = State::Done(Ending::Interrupted);
                } else {
                    // It takes back what it had begun to make.
                    host.link.send(ToAgent::Bye { remove: true });
                    self.lose_softly(number, failure, sink);
                }
            }
            (FromAgent::Bye, State::Leaving) => host.state = State::Left,
            (other, state) => return Err(format!("{} while {state}", news::name(&other))),
        }
        Ok(())
    }

    /// A host has answered and its clock is known.
    fn connected(&mut self, number: usize, sink: &mut Sink<'_>) {
        let at = self.now();
        let Some(plan) = &self.plan else { return };
        let host = &mut self.hosts[number];
        let index = u32::try_from(number).unwrap_or(u32::MAX);
        if let Some(spec) = plan.hosts.get(number) {
            host.link.send(ToAgent::Plan(Box::new(Orders {
                plan: tailor::plan(plan, spec),
                seed: leadline_model::seed::of_host(self.terms.seed, index),
                run: self.terms.run,
                keep_if_orphaned: self.terms.keep_if_orphaned,
            })));
        }
        host.state = State::Idle;
        sink(Event::Host(Box::new(HostNews {
            host: index,
            at,
            what: HostState::Connected {
                hostname: host.hostname.clone(),
                clock_offset: host.offset.offset,
                offset_bound: host.offset.bound,
            },
        })));
    }

    /// A host failed: its connection is closed, and the run continues without it.
    fn lose(&mut self, number: usize, why: HostFailure, sink: &mut Sink<'_>) {
        self.hosts[number].link.cut();
        self.lose_softly(number, why, sink);
    }

    fn lose_softly(&mut self, number: usize, why: HostFailure, sink: &mut Sink<'_>) {
        let at = self.now();
        let host = &mut self.hosts[number];
        let label = host.label.clone();
        let worked = host.state.is_at_work();
        host.state = State::Lost(why.clone());
        let index = u32::try_from(number).unwrap_or(u32::MAX);
        let stage = self
            .running_stage
            .as_ref()
            .filter(|_| worked)
            .map(|c| c.number);
        sink(Event::Host(Box::new(HostNews {
            host: index,
            at,
            what: HostState::Lost {
                stage,
                why: why.failure(),
            },
        })));
        if worked {
            self.part_lost(index, &why.line(), sink);
        }
        let left = self.hosts.iter().filter(|h| !h.state.is_lost()).count();
        // Stages are counted from 1 for people.
        let (apart, totals) = match stage.map(|stage| stage + 1) {
            Some(stage) => (
                format!("its figures for stage {stage} are shown separately; "),
                "the totals of this stage and the following ones",
            ),
            None => (String::new(), "the totals of the following stages"),
        };
        sink(Event::Finding(Finding {
            code: "host-lost".to_owned(),
            severity: Severity::Fail,
            stage,
            workload: None,
            text: format!(
                "host {label} was lost after {at}: {}; {apart}{}",
                why.line(),
                match left {
                    0 => "from then on, there are no totals: no host is left".to_owned(),
                    _ => format!(
                        "{totals} cover {left} of {}",
                        number_of(self.hosts.len() as u64, "host")
                    ),
                }
            ),
            cure:
                "check that host and the connection to it; compare only with runs on the same hosts"
                    .into(),
        }));
    }
}

/// Why a host is of no more use that did not say so itself.
fn lost_by(what: impl Into<String>, cure: &str) -> HostFailure {
    HostFailure::environment(ErrorCode::HostLost, what, cure)
}

impl Drop for Controller {
    fn drop(&mut self) {
        // Those that said goodbye have a moment to end by themselves.
        if self.hosts.iter().any(|h| !matches!(h.state, State::Left)) {
            std::thread::sleep(duration(Nanos::from_millis(20)));
        }
        for host in &self.hosts {
            host.link.cut();
        }
    }
}
