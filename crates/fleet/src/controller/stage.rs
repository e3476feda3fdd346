//! A stage over all hosts: ready, agreed start, end.

use super::host::State;
use super::{Controller, NotRun, Sink};
use crate::message::{Ending, ToAgent};
use crate::tailor::{self, Part};
use crate::watch::{Pulse, Rules};
use leadline_model::event::{CpuTime, DiskUse, Event, HostNews, HostState};
use leadline_model::facts::Fact;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{Plan, Stage};
use leadline_model::sample::Counts;
use leadline_model::units::Nanos;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

/// A stage under way.
pub(super) struct StageProgress {
    pub(super) number: u32,
    pub(super) interval: Nanos,
    /// Length of a sample: an interval, or a slice of it.
    pub(super) slice: Nanos,
    /// What each host does; `None` = nothing.
    pub(super) parts: Vec<Option<Part>>,
    /// Workers of each workload.
    pub(super) clones: Vec<u32>,
    /// Files that each worker of it counts apart; 1 = it does not.
    pub(super) files: Vec<usize>,
    pub(super) rules: Rules,
    pub(super) pulse: Pulse,
    /// The agreed start by our clock; `None` = not yet.
    pub(super) start: Option<u64>,
    pub(super) disks: Vec<DiskUse>,
    pub(super) cpus: Vec<CpuTime>,
    pub(super) counted: Vec<Fact>,
    /// By host and workload: what its workers are known to have done.
    pub(super) known: BTreeMap<(u32, u32), Known>,
    /// By host: the latest interval whose processor time was reported.
    pub(super) processors: BTreeMap<u32, u64>,
    /// By host: first I/O of all its workers, later than planned.
    pub(super) first: BTreeMap<u32, i64>,
    /// What it prepares: by host, (words, bytes done, bytes in all).
    pub(super) preparing: BTreeMap<u32, (String, u64, u64)>,
    pub(super) preparing_reported: u64,
    pub(super) preparing_new: bool,
    halted: bool,
    /// Hosts with a worker that an error ended.
    pub(super) broken: BTreeSet<u32>,
}

impl StageProgress {
    /// Takes in what a host counted until the end of its stage.
    pub(super) fn host_ended(&mut self, host: u32, ended: Event) {
        let Event::StageEnded {
            disks,
            cpus,
            counted,
            ..
        } = ended
        else {
            return;
        };
        let disks = disks.into_iter().map(|disk| DiskUse { host, ..disk });
        self.disks.extend(disks);
        let cpus = cpus.into_iter().map(|cpu| CpuTime { host, ..cpu });
        self.cpus.extend(cpus);
        let counted = counted.into_iter().map(|fact| Fact { host, ..fact });
        self.counted.extend(counted);
    }
}

/// What the workers of a workload on a host are known to have done.
#[derive(Default)]
pub(super) struct Known {
    /// All measured intervals.
    pub(super) counts: Counts,
    /// I/Os of the warm-up.
    pub(super) warmup_ios: u64,
    /// Start and end of the measured intervals.
    pub(super) window: Option<(Nanos, Nanos)>,
    /// What workers that ended have counted.
    pub(super) ended: Counts,
    /// Which of them have ended.
    pub(super) gone: Vec<u32>,
    /// Number of the latest interval, and how many samples it had.
    pub(super) latest: Option<(u64, u8)>,
}

impl StageProgress {
    fn new(plan: &Plan, number: u32, stage: &Stage, talking: impl Fn(usize) -> bool) -> Self {
        let part = |(host, spec)| {
            let index = u32::try_from(host).unwrap_or(u32::MAX);
            let part = tailor::part(stage, index, spec);
            (talking(host) && !part.workloads.is_empty()).then_some(part)
        };
        let parts: Vec<Option<Part>> = plan.hosts.iter().enumerate().map(part).collect();
        let taking = (0_u32..).zip(&parts);
        let taking = taking.filter_map(|(h, p)| Some((h, p.as_ref()?.workloads.as_slice())));
        Self {
            number,
            interval: plan.interval,
            slice: plan.slice(),
            rules: Rules::new(plan.cuts(), stage, taking),
            pulse: Pulse::new(number, stage, (plan.interval, plan.cuts())),
            parts,
            clones: stage.workloads.iter().map(|w| w.clones).collect(),
            files: stage
                .workloads
                .iter()
                .map(leadline_model::plan::Workload::counted_files)
                .collect(),
            start: None,
            disks: Vec::new(),
            cpus: Vec::new(),
            counted: Vec::new(),
            known: BTreeMap::new(),
            processors: BTreeMap::new(),
            first: BTreeMap::new(),
            preparing: BTreeMap::new(),
            preparing_reported: 0,
            preparing_new: false,
            halted: false,
            broken: BTreeSet::new(),
        }
    }
}

impl Controller {
    /// Runs stage `number` of `plan` on all hosts that are left.
    ///
    /// # Errors
    /// When no host can run it, or it was not looked at yet and is refused now.
    pub fn stage(
        &mut self,
        plan: &Plan,
        number: usize,
        sink: &mut Sink<'_>,
    ) -> Result<Ending, NotRun> {
        let Some(stage) = plan.stages.get(number) else {
            return Ok(Ending::GoOn);
        };
        if self.unsettled {
            self.look_at(plan, (number, std::slice::from_ref(stage)), sink)?;
        }
        if self.interrupted() {
            return Ok(Ending::Interrupted);
        }
        self.halted_by.store(false, Ordering::Relaxed);
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let idle = |host: usize| matches!(self.hosts[host].state, State::Idle);
        let running_stage = StageProgress::new(plan, number, stage, idle);
        for (host, part) in self.hosts.iter_mut().zip(&running_stage.parts) {
            if let Some(part) = part {
                let stage = Box::new(part.stage.clone());
                host.link.send(ToAgent::Stage { number, stage });
                host.state = State::Preparing;
            }
        }
        self.running_stage = Some(running_stage);
        // As on one machine: when all is ready, so that it is a rest for the targets too.
        let started = self.gather(sink) && self.rest(stage.pause, sink);
        if started {
            self.start_all(sink);
        }
        while self.hosts.iter().any(|h| h.state.is_at_work()) {
            self.turn(sink);
        }
        let end = self.settle(started, sink);
        self.running_stage = None;
        end
    }

    /// A pause in which the hosts are still looked after; whether any is still ready afterwards.
    fn rest(&mut self, length: Nanos, sink: &mut Sink<'_>) -> bool {
        if length == Nanos::ZERO {
            return true;
        }
        let until = (self.tools.now)() + length.0;
        while (self.tools.now)() < until && !self.interrupted() {
            self.turn(sink);
        }
        let now = (self.tools.now)();
        let ready = |h: &&mut super::Host| matches!(h.state, State::Ready);
        for host in self.hosts.iter_mut().filter(ready) {
            host.refresh_time(now);
        }
        self.gather(sink)
    }

    /// Waits until all that take part are ready and their clocks are known; whether any is.
    fn gather(&mut self, sink: &mut Sink<'_>) -> bool {
        loop {
            let waiting = |h: &super::Host| {
                matches!(h.state, State::Preparing) || h.state.is_at_work() && h.is_asked()
            };
            if !self.hosts.iter().any(waiting) {
                break;
            }
            self.turn(sink);
        }
        let ready = self.hosts.iter().any(|h| matches!(h.state, State::Ready));
        ready && !self.interrupted()
    }

    /// Agrees upon a start that everybody can still hear of.
    fn start_all(&mut self, sink: &mut Sink<'_>) {
        let Some(running_stage) = &mut self.running_stage else {
            return;
        };
        let ready = |h: &&mut super::Host| matches!(h.state, State::Ready);
        let slowest = self
            .hosts
            .iter_mut()
            .filter(ready)
            .map(|h| h.offset.bound)
            .max();
        let lead = 50_000_000 + 6 * slowest.unwrap_or(0) + 200_000 * self.hosts.len() as u64;
        let now = (self.tools.now)();
        let at = now + lead;
        running_stage.start = Some(at);
        let number = running_stage.number;
        for host in self.hosts.iter_mut().filter(ready) {
            let theirs = Some(host.offset.theirs(at));
            host.link.send(ToAgent::Start { number, at: theirs });
            host.state = State::Running;
        }
        sink(Event::StageStarted {
            stage: number,
            at: self.since_start(at),
            wall_ms: (self.tools.wall_ms)() + lead / 1_000_000,
        });
    }

    /// Ends the running stage on all hosts.
    pub(super) fn halt(&mut self) {
        let Some(running_stage) = &mut self.running_stage else {
            return;
        };
        if std::mem::replace(&mut running_stage.halted, true) {
            return;
        }
        let number = running_stage.number;
        for host in self.hosts.iter().filter(|h| h.state.is_at_work()) {
            host.link.send(ToAgent::Halt { number });
        }
    }

    /// A host's part of the stage is over: what its end means for the others.
    pub(super) fn host_done(&mut self, end: Ending) {
        if end == Ending::EndAll {
            self.halt();
        }
    }

    /// After the end of a stage: what is to be said of it, and how it ended.
    fn settle(&mut self, started: bool, sink: &mut Sink<'_>) -> Result<Ending, NotRun> {
        let at = self.now();
        let mut ends = Vec::new();
        let mut waited = Vec::new();
        for host in &mut self.hosts {
            if let State::Done(end) = host.state {
                ends.push(end);
                host.state = State::Idle;
                let span = std::mem::take(&mut host.waited);
                if span > Nanos::ZERO {
                    waited.push((host.label.clone(), span));
                }
            }
        }
        let anybody = self.hosts.iter().any(|h| !h.state.is_lost());
        let Some(running_stage) = &mut self.running_stage else {
            return Ok(Ending::GoOn);
        };
        let (number, interval) = (running_stage.number, running_stage.interval);
        if started {
            let disks = std::mem::take(&mut running_stage.disks);
            let cpus = std::mem::take(&mut running_stage.cpus);
            let counted = std::mem::take(&mut running_stage.counted);
            let first = std::mem::take(&mut running_stage.first);
            let start = running_stage
                .start
                .map_or(at, |start| self.since_start(start));
            self.report_starts(number, &first, at.since(start), sink);
            self.report_clocks(number, interval, sink);
            report_waits(number, &waited, interval, sink);
            sink(Event::StageEnded {
                stage: number,
                at,
                disks,
                cpus,
                counted,
            });
        }
        if ends.is_empty() && !anybody {
            return Err(NotRun::AllHostsLost(self.losses()));
        }
        Ok(if self.interrupted() {
            Ending::Interrupted
        } else if ends.contains(&Ending::EndAll) {
            Ending::EndAll
        } else {
            Ending::GoOn
        })
    }

    /// When each host's first I/O was, and a word when they were far apart.
    fn report_starts(
        &self,
        stage: u32,
        first: &BTreeMap<u32, i64>,
        length: Nanos,
        sink: &mut Sink<'_>,
    ) {
        for (&host, &late) in first {
            sink(Event::Host(Box::new(HostNews {
                host,
                at: self.now(),
                what: HostState::Started { stage, late },
            })));
        }
        let earliest = first.iter().min_by_key(|(_, late)| **late);
        let latest = first.iter().max_by_key(|(_, late)| **late);
        let (Some((early, a)), Some((late, b))) = (earliest, latest) else {
            return;
        };
        let apart = Nanos(b.abs_diff(*a));
        let much = (length.0 / 100).max(20_000_000);
        if apart.0 <= much {
            return;
        }
        let label = |host: u32| {
            self.hosts
                .get(host as usize)
                .map_or("", |h| h.label.as_str())
        };
        sink(Event::Finding(Finding {
            code: "start-skew".to_owned(),
            severity: Severity::Warn,
            stage: Some(stage),
            workload: None,
            text: format!(
                "the first I/O of {} was {apart} after that of {}, in a stage of {length}",
                label(*late),
                label(*early)
            ),
            cure: "use the figures of the common window; check why that host starts late".into(),
        }));
    }

    /// A word when clocks are known too badly to lay intervals beside each other.
    fn report_clocks(&self, stage: u32, interval: Nanos, sink: &mut Sink<'_>) {
        let there = self.hosts.iter().filter(|h| h.state.is_talking());
        let Some(worst) = there.max_by_key(|h| h.offset.bound) else {
            return;
        };
        if worst.offset.bound <= interval.0 / 10 {
            return;
        }
        sink(Event::Finding(Finding {
            code: "clock-bound".to_owned(),
            severity: Severity::Warn,
            stage: Some(stage),
            workload: None,
            text: format!(
                "the clock offset of {} is uncertain by {}: more than a tenth of an interval",
                worst.label,
                Nanos(worst.offset.bound)
            ),
            cure: "use a longer interval, or a faster connection to that host".into(),
        }));
    }
}

/// Hosts that had to wait before they could send their intervals.
fn report_waits(stage: u32, waited: &[(String, Nanos)], interval: Nanos, sink: &mut Sink<'_>) {
    for (label, span) in waited {
        sink(Event::Finding(Finding {
            code: "host-waited".to_owned(),
            severity: if *span > interval {
                Severity::Warn
            } else {
                Severity::Info
            },
            stage: Some(stage),
            workload: None,
            text: format!(
                "{label} had to wait {span} for the controller to accept its samples; none is \
                 missing, but counts may appear in earlier intervals"
            ),
            cure: "use a longer interval, a faster connection or a faster controller".into(),
        }));
    }
}
