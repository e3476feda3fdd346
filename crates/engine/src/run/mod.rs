//! Runs a plan: stage after stage, from schedule to events.
//!
//! Belongs here: the order of things (schedule, prepare, workers, collecting, cleaning up) and the one
//! public way into the engine. What each step does is in its own module.

mod build;
mod doubts;
mod facts;
mod floor;
mod gate;
mod placement;
mod reach;
mod simulate;
mod standstill;
mod threads;
mod virtual_time;

use crate::clock::{Clock, HostClock};
use crate::medium::{self, SeenContents, TimeBase};
use crate::os::{self, counted::StageMeter, cpu::CpuMeter};
use crate::prepare::{self, Holds, Host, MadeFiles, PrepareError};
use crate::program::Program;
use crate::schedule::{self, Problem};
pub use reach::out_of_reach;
pub use simulate::{HostPart, StoredVolumes};

use leadline_model::cure::Cure;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::{Event, Outcome};
use leadline_model::facts::Fact;
use leadline_model::failure::Failure;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{Plan, Stage, Until, Workload};
use leadline_model::seed::of_stage;
use leadline_model::units::Nanos;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The user's wish to end early, set from anywhere (a signal handler, a controller).
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks the run to end; what was measured until then is kept.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Takes the wish back.
    fn lower(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether it was raised.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for signal registration.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// Answers when a stage that is ready starts, in nanoseconds of [`crate::clock::monotonic`]; `None` = not
/// at all.
pub type When<'a> = dyn FnMut() -> Option<u64> + 'a;

/// What the workers of a stage obey.
struct Orders<'a> {
    /// Ends the run.
    interrupt: &'a Interrupt,
    /// Ends the stage.
    halt: &'a Interrupt,
    /// Requests the totals so far.
    totals_wanted: &'a AtomicBool,
    /// What the processors do.
    cpus: &'a mut CpuMeter,
    /// Asked for the start once all are ready; without it they start at once.
    when: Option<&'a mut When<'a>>,
}

/// Why a stage did not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The plan does not fit this host; all reasons at once.
    #[error("the plan cannot run here: {}", .0.iter().map(|p| p.text.as_str()).collect::<Vec<_>>().join("; "))]
    Problems(Vec<Problem>),
    /// Files could not be prepared, or may not be written.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The kernel gave no thread.
    #[error("cannot start a worker thread: {0}")]
    Thread(#[from] std::io::Error),
    /// Not one worker could make itself ready: a back end this host does not allow, no memory. What
    /// the first of them said, and what to do about it.
    #[error("{0}")]
    NoWorkerReady(Failure),
}

impl RunError {
    /// What to do about it, where that is not said with it; empty when there is nothing to say.
    #[must_use]
    pub fn cure(&self) -> Cure {
        match self {
            Self::Thread(_) => crate::problem::MORE_THREADS.into(),
            Self::Prepare(error) => error.cure(),
            Self::NoWorkerReady(why) => why.cure.clone(),
            Self::Problems(_) => Cure::none(),
        }
    }

    /// Each reason with its kind and its cure, the first one first; a problem begins with its workload.
    #[must_use]
    pub fn failures(&self) -> Vec<Failure> {
        let one = |code| vec![Failure::new(code, self.to_string(), self.cure())];
        match self {
            Self::Problems(problems) => {
                let each = problems.iter();
                each.map(Problem::failure).collect()
            }
            Self::Prepare(error) => one(error.code()),
            Self::Thread(_) => one(ErrorCode::Limit),
            Self::NoWorkerReady(why) => vec![why.clone()],
        }
    }

    /// All reasons as one.
    #[must_use]
    pub fn failure(&self) -> Failure {
        Failure::of_all(self.to_string(), &self.failures())
    }
}

/// How a stage ended, when it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageEnd {
    /// The next may follow.
    GoOn,
    /// The plan asked that nothing follows.
    EndAll,
    /// The user ended it.
    Interrupted,
}

/// A run: one or more stages on this host.
pub struct Session {
    clock: HostClock,
    start: u64,
    seed: u64,
    interrupt: Interrupt,
    halt: Interrupt,
    totals_wanted: Arc<AtomicBool>,
    known_targets: BTreeSet<PathBuf>,
    /// What was looked at of contents.
    seen: SeenContents,
    facts_sent: bool,
    /// What others know of this host.
    more_facts: fn() -> Vec<Fact>,
    made: MadeFiles,
    holds: Holds,
    volumes: simulate::Volumes,
    /// A stage ran in real time.
    was_real: bool,
}

impl Session {
    /// A run that starts now. `seed` stands in for every seed the plan leaves open.
    #[must_use]
    pub fn new(interrupt: Interrupt, seed: u64) -> Self {
        let clock = HostClock::get();
        Self {
            start: clock.ticks(),
            clock,
            seed,
            interrupt,
            halt: Interrupt::default(),
            totals_wanted: Arc::default(),
            known_targets: BTreeSet::new(),
            seen: SeenContents::default(),
            facts_sent: false,
            more_facts: Vec::new,
            made: MadeFiles::default(),
            holds: Holds::of_run(Holds::new_run()),
            volumes: simulate::Volumes::default(),
            was_real: false,
        }
    }

    /// This is the part of a run that other processes of this host may take part in too: those of one number
    /// share the devices they hold. Before the first stage.
    pub fn part_of(&mut self, run: u64) {
        self.holds = Holds::of_run(run);
    }

    /// Adds facts of this host that the engine does not gather; asked for once, before the first stage.
    pub fn with_facts(&mut self, more: fn() -> Vec<Fact>) {
        self.more_facts = more;
    }

    /// Between two stages: keeps no file open, so that what is below the targets can be taken away (an unmount). The next
    /// stage looks at its files again.
    pub fn let_go(&mut self) {
        self.holds.let_go_of_own_files();
    }

    /// Has `halt` end the running stage, as if another workload's end had ended it; the run continues. It is
    /// taken back when a stage begins.
    pub fn halted_by(&mut self, halt: Interrupt) {
        self.halt = halt;
    }

    /// Has [`Event::PartialTotals`] sent for each worker, once, when the running stage's next interval is over after `wanted`
    /// was set to true; it is set back then.
    pub fn report_partial_totals_when(&mut self, wanted: Arc<AtomicBool>) {
        self.totals_wanted = wanted;
    }

    /// Time since the start of the run: of its virtual clock since a stage was simulated.
    #[must_use]
    pub fn now(&self) -> Nanos {
        let real = || {
            Nanos(
                self.clock
                    .nanos(self.clock.ticks().wrapping_sub(self.start)),
            )
        };
        self.volumes.now.unwrap_or_else(real)
    }

    /// Runs all stages of `plan`, from [`Event::RunStarted`] to [`Event::RunEnded`].
    ///
    /// # Errors
    /// When a stage cannot start; the events until then, and [`Event::RunEnded`], were sent all the same.
    pub fn run(&mut self, plan: &Plan, sink: &mut dyn FnMut(Event)) -> Result<Outcome, RunError> {
        self.begin(plan, sink);
        let mut outcome = Outcome::Complete;
        let mut failure = None;
        for number in 0..plan.stages.len() {
            match self.stage(plan, number, sink) {
                Ok(StageEnd::GoOn) => {}
                Ok(StageEnd::EndAll) => break,
                Ok(StageEnd::Interrupted) => {
                    outcome = Outcome::CutShort;
                    break;
                }
                Err(error) => {
                    outcome = Outcome::Failed(error.failure());
                    failure = Some(error);
                    break;
                }
            }
        }
        self.finish(outcome.clone(), sink);
        failure.map_or(Ok(outcome), Err)
    }

    /// Looks through stages that are to come: what is wrong with any of them as this host is now.
    #[must_use]
    pub fn look_ahead(&self, plan: &Plan, stages: &[Stage]) -> Vec<Problem> {
        let coming = Plan {
            stages: stages.to_vec(),
            ..plan.clone()
        };
        let run = self.holds.run();
        schedule::ahead(&coming, &Host { run })
    }

    /// The same for a host among others.
    ///
    /// # Errors
    /// What is in the way.
    pub fn accepts(&self, plan: &Plan, stages: &[Stage]) -> Result<(), RunError> {
        let wrong = self.look_ahead(plan, stages);
        if !wrong.is_empty() {
            return Err(RunError::Problems(wrong));
        }
        Ok(())
    }

    /// Sends the start of the run. For callers that add stages as they go.
    pub fn begin(&mut self, plan: &Plan, sink: &mut dyn FnMut(Event)) {
        let wall_ms = os::wall::wall_ms();
        self.volumes.wall_ms = Some(wall_ms);
        sink(Event::RunStarted {
            plan: Box::new(plan.clone()),
            wall_ms,
        });
    }

    /// Sends the end of the run.
    pub fn finish(&mut self, outcome: Outcome, sink: &mut dyn FnMut(Event)) {
        sink(Event::RunEnded {
            at: self.now(),
            outcome,
        });
    }

    /// Deletes the files and directories this run created, and nothing else; names those that were moved or hidden.
    pub fn remove_made(&mut self, sink: &mut dyn FnMut(Event)) {
        let mut findings = self.made.remove();
        findings.extend(self.made.left());
        findings
            .into_iter()
            .for_each(|finding| sink(Event::Finding(finding)));
    }

    /// The same where commands are to follow that may bring to light what is hidden now: returns what could not be deleted
    /// yet, for the caller to [`MadeFiles::remove`] after them.
    pub fn remove_made_before_commands(&mut self, sink: &mut dyn FnMut(Event)) -> MadeFiles {
        let findings = self.made.remove().into_iter();
        findings.for_each(|finding| sink(Event::Finding(finding)));
        std::mem::take(&mut self.made)
    }

    /// Runs stage `number` of the plan.
    ///
    /// # Errors
    /// When it cannot start.
    pub fn stage(
        &mut self,
        plan: &Plan,
        number: usize,
        sink: &mut dyn FnMut(Event),
    ) -> Result<StageEnd, RunError> {
        self.stage_at(plan, number, &mut None, sink)
    }

    /// Runs stage `number` of the plan together with other hosts: when everything is prepared and all
    /// workers are ready, `when` is asked for the agreed start, and may take its time to answer. A start
    /// that has passed is made up for at once; the stage's times count from the agreed start.
    ///
    /// # Errors
    /// When it cannot start; `when` was not asked then.
    pub fn stage_when(
        &mut self,
        plan: &Plan,
        number: usize,
        when: &mut When<'_>,
        sink: &mut dyn FnMut(Event),
    ) -> Result<StageEnd, RunError> {
        self.stage_at(plan, number, &mut Some(when), sink)
    }

    fn stage_at(
        &mut self,
        plan: &Plan,
        number: usize,
        when: &mut Option<&mut When<'_>>,
        sink: &mut dyn FnMut(Event),
    ) -> Result<StageEnd, RunError> {
        self.halt.lower();
        let stage = &plan.stages[number];
        let seed = of_stage(self.seed, number as u64);
        let mut programs = self.compiled(plan, number, seed)?;
        // All of them, or none: they would not share a clock.
        let is_simulated = stage.workloads.iter().any(is_virtual);
        if number > 0 {
            let since = match is_simulated {
                true => self.volumes.time,
                false => self.now(),
            };
            build::count_delays_from_run(&mut programs, since);
        }
        if is_simulated {
            if when.as_mut().is_some_and(|when| when().is_none()) {
                return Ok(StageEnd::Interrupted);
            }
            let part = HostPart {
                host: 0,
                stage: stage.clone(),
                workloads: (0..).take(stage.workloads.len()).collect(),
                seed,
            };
            let planned = simulate::planned(&part, programs);
            return Ok(self.simulated(plan, number, planned, sink));
        }
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        self.real_stage(plan, number, programs, when, sink)
    }

    /// The programs of a stage. What earlier stages had of the host (the space of files that are deleted, memory)
    /// comes back a moment after them: what a ring held is closed after the ring.
    fn compiled(&self, plan: &Plan, number: usize, seed: u64) -> Result<Vec<Program>, RunError> {
        const MOMENTS: u32 = 20;
        const MOMENT: Nanos = Nanos(50_000_000);
        let stage = &plan.stages[number];
        let mut left = if number > 0 { MOMENTS } else { 0 };
        loop {
            match schedule::compile(stage, plan, &Host::default(), seed) {
                Err(wrong) if left > 0 && wrong.iter().all(is_for_now) => self.pause(MOMENT),
                other => return other.map_err(RunError::Problems),
            }
            left -= 1;
        }
    }

    fn real_stage(
        &mut self,
        plan: &Plan,
        number: u32,
        programs: Vec<Program>,
        when: &mut Option<&mut When<'_>>,
        sink: &mut dyn FnMut(Event),
    ) -> Result<StageEnd, RunError> {
        let stage = &plan.stages[number as usize];
        self.leave_virtual_time();
        self.send_facts(&programs, sink);
        let opened = match self.open(plan, number, &programs, sink) {
            Err(PrepareError::Interrupted) => return Ok(StageEnd::Interrupted),
            other => other?,
        };
        self.pause(stage.pause);
        sink(Event::StageStarted {
            stage: number,
            at: self.now(),
            wall_ms: os::wall::wall_ms(),
        });
        let doubts = doubts::of(number, stage, &os::kernel_release());
        doubts.into_iter().map(Event::Finding).for_each(&mut *sink);
        let paths: Vec<PathBuf> = targets(&programs).into_iter().collect();
        let mut meter = StageMeter::start(&paths);
        let mut began = self.clock.ticks();
        // What the disks do while the other hosts make themselves ready is not this stage's.
        let (holds, longest) = (&self.holds, longest(stage));
        let mut waited = when.as_mut().map(|when| {
            || {
                let at = when();
                holds.own_files_change_for(longest);
                (meter, began) = (StageMeter::start(&paths), self.clock.ticks());
                at
            }
        });
        holds.own_files_change_for(longest);
        let (mut cpus, mut sound) = (CpuMeter::default(), true);
        let end = if only_prepares(stage) {
            let go = waited.as_mut().is_none_or(|when| when().is_some());
            Ok(if go {
                StageEnd::GoOn
            } else {
                StageEnd::Interrupted
            })
        } else {
            let orders = Orders {
                interrupt: &self.interrupt,
                halt: &self.halt,
                totals_wanted: &self.totals_wanted,
                cpus: &mut cpus,
                when: waited.as_mut().map(|when| when as &mut When<'_>),
            };
            let programs = programs.clone();
            let mut watched = |event| {
                sound &= !matches!(&event, Event::WorkerEnded(totals) if totals.had_faults());
                sink(event);
            };
            threads::run(number, plan, programs, opened, orders, &mut watched)
        };
        let passed = Nanos(self.clock.nanos(self.clock.ticks() - began));
        let (cpus, (disks, counted)) = (cpus.finish(passed), meter.finish(passed));
        if sound && matches!(end, Ok(StageEnd::GoOn)) {
            self.send_contents(number, &programs, sink);
        }
        for mut finding in medium::clean_up(&programs, &mut self.made) {
            finding.stage = Some(number);
            sink(Event::Finding(finding));
        }
        sink(Event::StageEnded {
            stage: number,
            at: self.now(),
            disks,
            cpus,
            counted,
        });
        end
    }

    /// Makes and opens the targets of a stage.
    fn open(
        &mut self,
        plan: &Plan,
        stage: u32,
        programs: &[Program],
        emit: &mut dyn FnMut(Event),
    ) -> Result<Vec<medium::Opened>, PrepareError> {
        let cancel = self.interrupt.flag();
        let mut context = prepare::PrepareContext {
            plan,
            stage,
            cancel: &cancel,
            made: &mut self.made,
            holds: &mut self.holds,
            emit,
        };
        medium::open(programs, &mut context)
    }

    fn pause(&self, length: Nanos) {
        let until = self.clock.ticks() + self.clock.span(length.0);
        while self.clock.ticks() < until && !self.interrupt.is_raised() {
            let left = self.clock.nanos(until.saturating_sub(self.clock.ticks()));
            std::thread::sleep(std::time::Duration::from_nanos(left.min(100_000_000)));
        }
    }
}

/// Whether a workload runs in virtual time.
fn is_virtual(workload: &Workload) -> bool {
    medium::of(workload).time() == TimeBase::Virtual
}

/// Whether it is about something that others give back.
fn is_for_now(problem: &Problem) -> bool {
    use leadline_model::error_code::ErrorCode::{Limit, NoMemory, NoSpace};
    matches!(problem.code, Limit | NoMemory | NoSpace)
}

/// The longest that workers of a stage write, from its start on.
fn longest(stage: &Stage) -> Duration {
    /// Those that no time ends.
    const OTHERS: Nanos = Nanos(24 * 3600 * 1_000_000_000);
    /// Starting and ending.
    const AROUND: u64 = 2_000_000_000;
    Duration::from_nanos(stage.running(OTHERS).0.saturating_add(AROUND))
}

/// What ends a stage early.
fn until_of(plan: &Plan, stage: u32) -> Until {
    let stage = plan.stages.get(stage as usize);
    stage.map_or_else(Until::default, |s| s.until)
}

/// The paths the programs use, none twice.
fn targets(programs: &[Program]) -> BTreeSet<PathBuf> {
    programs
        .iter()
        .flat_map(|p| &p.files)
        .map(|f| f.path.clone())
        .collect()
}

/// A finding of the engine's that is only worth knowing.
fn note(stage: u32, code: &str, text: impl Into<String>) -> Finding {
    Finding {
        code: code.to_owned(),
        severity: Severity::Info,
        stage: Some(stage),
        workload: None,
        text: text.into(),
        cure: Cure::none(),
    }
}

/// Whether a stage makes its files and does nothing with them.
fn only_prepares(stage: &Stage) -> bool {
    let mut all = stage.workloads.iter();
    all.all(|w| w.blocks().prepare.create_only)
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::plan::Target;

    #[test]
    fn the_longest_that_a_stage_writes_has_what_waits_for_others_in_it() {
        let workload = |name: &str, seconds: Option<u64>, after: Option<&str>| {
            let mut w = Workload::new(name, Target::Null { size: 1 });
            w.stop.runtime = seconds.map(Nanos::from_secs);
            w.start.after = after.map(str::to_owned);
            w
        };
        let of = |workloads| {
            let stage = Stage {
                workloads,
                pause: Nanos::from_secs(100),
                ..Stage::default()
            };
            longest(&stage).as_secs()
        };
        let two = vec![
            workload("a", Some(5), None),
            workload("b", Some(5), Some("a")),
        ];
        assert_eq!(of(two), 12);
        assert_eq!(of(vec![workload("a", None, None)]), 24 * 3600 + 2);
    }
}
