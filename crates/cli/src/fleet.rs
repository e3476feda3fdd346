//! Many hosts: the controller's side of a run, and what an agent does with the engine.

mod settle;

use crate::args::GradeLimit;
use crate::checks::Checks;
use crate::cloud;
use crate::exit::Exit;
use crate::host::ThisHost;
use crate::mount;
use crate::out;
use crate::simulated::{self, SimulatedHosts, SimulatedTargets};
use crate::switches::{self, Accept, Given};
use leadline_dialect::diagnostic::{Severity, render};
use leadline_engine::os::place;
use leadline_engine::os::programs::apart_from_the_terminal;
use leadline_engine::os::this_host;
use leadline_engine::prepare::{Holds, MadeFiles};
use leadline_engine::run::{Interrupt, RunError, Session, StageEnd};
use leadline_engine::schedule::Problem;
use leadline_engine::{clock, os};
use leadline_fleet::agent::{EngineApi, Switches, When};
use leadline_fleet::build::Build;
use leadline_fleet::controller::{Controller, ControllerConfig, Loss, NotRun};
use leadline_fleet::link::INBOX;
use leadline_fleet::message::{Ending, FailureKind, HostFailure, Orders};
use leadline_fleet::{Clocks, Patience, launch};
use leadline_model::cure::Cure;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::{Event, Outcome};
use leadline_model::failure::Failure;
use leadline_model::finding::{Finding, Severity as Grade};
use leadline_model::place::Place;
use leadline_model::plan::{HostSpec, Mount, Plan, ServerCache, Stage};
use leadline_results::run::Run;
use leadline_study::server_cache;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

/// What the fleet needs of this machine.
pub(crate) const TOOLS: Clocks = Clocks {
    now: clock::monotonic,
    wall_ms: os::wall::wall_ms,
};

/// What is known of a run before its first stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coming {
    /// The stages that may come.
    pub(crate) stages: Vec<Stage>,
    /// How many of them come before the user's own commands run, which may mount and make what is not there yet.
    pub(crate) sure: usize,
}

/// The hosts a command line asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostsRequest {
    /// The hosts; empty = this one alone.
    pub(crate) hosts: Vec<HostSpec>,
    /// What is accepted of them.
    pub(crate) accept: Accept,
    /// What stands in for targets.
    pub(crate) targets: SimulatedTargets,
    /// What is known of the server's cache.
    pub(crate) server_cache: ServerCache,
    /// The grade from which on a run fails.
    pub(crate) fail_on_grade: Option<GradeLimit>,
    /// The limits that a run has to keep.
    pub(crate) checks: Checks,
    /// The switches as they were written beside a front end's words; empty for leadline's own verbs.
    pub(crate) own: Vec<String>,
}

impl HostsRequest {
    /// What was asked for by switches; what is wrong is said, and `None` comes back.
    pub(crate) fn of(given: &Given) -> Option<Self> {
        Self::graded(given, None)
    }

    /// The same for a verb that has the grade from which on a run fails among its own options.
    pub(crate) fn graded(given: &Given, own: Option<GradeLimit>) -> Option<Self> {
        let mut targets = SimulatedTargets::default();
        targets.fresh = given.fresh;
        let mut wrong: Vec<String> = Vec::new();
        wrong.extend(given.maps.iter().filter_map(|map| targets.map(map).err()));
        if let (None, Some(_)) = (&given.hosts, &given.launcher) {
            wrong.push("error: --launcher needs --hosts".to_owned());
        }
        let grade = given.fail_on_grade.as_deref().map(GradeLimit::read);
        let fail_on_grade = grade.and_then(|grade| grade.map_err(|why| wrong.push(why)).ok());
        let known = given.server_cache.as_deref().map(server_cache);
        let mut say = |why| wrong.push(format!("error: --server-cache: {why}"));
        let server_cache = known.and_then(|known| known.map_err(&mut say).ok());
        for wrong in &wrong {
            out::say(wrong);
        }
        let fail_on_grade = own.or(fail_on_grade);
        let checks = Checks::of(&given.limits, fail_on_grade);
        let read = Self::read(
            given.hosts.as_deref(),
            given.launcher.as_deref(),
            given.accept,
        );
        wrong.is_empty().then_some(Self {
            targets,
            server_cache: server_cache.unwrap_or(ServerCache::Unknown),
            fail_on_grade,
            checks: checks?,
            ..read?
        })
    }

    /// Reads `--hosts` and `--launcher`; what is wrong is said, and `None` comes back.
    pub(crate) fn read(
        hosts: Option<&str>,
        launcher: Option<&str>,
        accept: Accept,
    ) -> Option<Self> {
        let Some(given) = hosts else {
            // A front end may name hosts of its own.
            return Some(Self {
                accept,
                ..Self::default()
            });
        };
        let read = leadline_dialect::hosts::parse(given, launcher, &ThisHost::REAL);
        if !read.diagnostics.is_empty() {
            let color = out::color(out::err_is_terminal());
            let text = render(&read.diagnostics, &read.sources, color, out::err_width());
            out::raw(&text);
        }
        let wrong = |d: &leadline_dialect::diagnostic::Diagnostic| d.severity == Severity::Error;
        (!read.diagnostics.iter().any(wrong)).then_some(Self {
            hosts: read.hosts,
            accept,
            ..Self::default()
        })
    }

    /// What was asked for among the words of a front end, and its own words; what is wrong is said.
    pub(crate) fn take_from(words: &[String]) -> (Option<Self>, Vec<String>) {
        Self::take_graded(words, None)
    }

    /// The same for a verb that has the grade from which on a run fails among its own options.
    pub(crate) fn take_graded(
        words: &[String],
        own: Option<GradeLimit>,
    ) -> (Option<Self>, Vec<String>) {
        let taken = switches::take_from(words);
        let given = taken.given.map_err(|wrong| out::say(&wrong)).ok();
        let read = given.and_then(|given| Self::graded(&given, own));
        let own = taken.own;
        (read.map(|read| Self { own, ..read }), taken.left)
    }

    /// How a run ends by its grade and its limits.
    pub(crate) fn judged(&self, exit: Exit, run: &Run) -> Exit {
        self.checks
            .judged(exit.or_grade(self.fail_on_grade, run), run)
    }

    /// Whether a run lost hosts, or a host's part broke off, and that was not accepted beforehand.
    pub(crate) fn is_failed_by(&self, run: &Run) -> bool {
        !self.accept.lost && misses_a_host(run)
    }
}

/// Whether a host is in the totals of a run with a part of what was asked of it, or not at all.
pub(crate) fn misses_a_host(run: &Run) -> bool {
    let said = |code: &str| code == "host-lost" || code == "host-failed";
    run.findings.iter().any(|f| said(&f.code))
}

/// What a run is to keep to, here or on many hosts.
pub(crate) struct RunOptions {
    /// Stands in for every seed the plan leaves open.
    pub(crate) seed: u64,
    /// Files the run made go at its end.
    pub(crate) remove: bool,
    /// So do they when nothing was measured.
    pub(crate) leave_nothing: bool,
    /// No file is kept open between stages: commands change what is below the targets.
    pub(crate) lets_go: bool,
    /// What is accepted of hosts.
    pub(crate) accept: Accept,
}

/// Why a stage did not run.
#[derive(Debug)]
pub(crate) enum StageError {
    /// Here.
    Here(RunError),
    /// On any host.
    Fleet(NotRun),
}

impl StageError {
    /// All reasons as one.
    pub(crate) fn failure(&self) -> Failure {
        match self {
            Self::Here(error) => error.failure(),
            Self::Fleet(why) => why.failure(),
        }
    }
}

impl From<&StageError> for Exit {
    fn from(trouble: &StageError) -> Self {
        match trouble {
            StageError::Here(error) => Self::from(error),
            StageError::Fleet(why) => match why.kind() {
                FailureKind::Usage => Self::Usage,
                FailureKind::Environment => Self::Environment,
                FailureKind::Refused => Self::Refused,
                FailureKind::Interrupted => Self::Interrupted,
            },
        }
    }
}

/// Who runs the stages: the engine here, or a controller of many.
pub(crate) enum Conductor {
    /// This host.
    Here(Box<Session>),
    /// The hosts of the plan.
    Fleet(Box<Controller>),
    /// The hosts of the plan, in this process: all targets are simulated.
    Simulated(Box<SimulatedHosts>),
}

impl Conductor {
    /// For the hosts of the plan; this one when it names none.
    pub(crate) fn new(
        plan: &Plan,
        coming: &Coming,
        interrupt: Interrupt,
        keep: &RunOptions,
    ) -> Result<Self, StageError> {
        if plan.hosts.is_empty() {
            let mut session = Session::new(interrupt, keep.seed);
            session.with_facts(cloud::facts);
            return Ok(Self::Here(Box::new(session)));
        }
        if simulated::are_simulated(&coming.stages) {
            let session = Session::new(interrupt, keep.seed);
            let hosts = SimulatedHosts::new(session, keep.seed);
            return Ok(Self::Simulated(Box::new(hosts)));
        }
        let build = own_build().map_err(|why| {
            StageError::Fleet(NotRun::AllHostsLost(vec![Loss {
                label: "this host".to_owned(),
                why: HostFailure::environment(
                    ErrorCode::System,
                    format!("cannot read leadline's own program file: {why}"),
                    "",
                ),
            }]))
        })?;
        let (inbox, arrivals) = mpsc::sync_channel(INBOX);
        let links = launch::start(
            &plan.hosts,
            &Arc::new(build),
            &inbox,
            TOOLS.now,
            apart_from_the_terminal,
        );
        let terms = ControllerConfig {
            seed: keep.seed,
            run: Holds::new_run(),
            keep_if_orphaned: false,
            interrupt: interrupt.flag(),
            patience: Patience::default(),
            accept_lost: keep.accept.lost,
            accept_unlike: keep.accept.unlike,
        };
        let controller = Controller::new(&plan.hosts, links, arrivals, TOOLS, terms);
        Ok(Self::Fleet(Box::new(controller)))
    }

    /// What runs the stages, where that is in this process.
    pub(crate) fn session(&mut self) -> Option<&mut Session> {
        match self {
            Self::Here(session) => Some(session),
            Self::Simulated(hosts) => Some(hosts.session()),
            Self::Fleet(_) => None,
        }
    }

    /// Between two stages: keeps no file open on this host.
    pub(crate) fn let_go(&mut self) {
        if let Self::Here(session) = self {
            session.let_go();
        }
    }

    /// What ends the running stage and not the run.
    pub(crate) fn halt(&mut self) -> Interrupt {
        let halt = Interrupt::default();
        match self {
            Self::Here(session) => session.halted_by(halt.clone()),
            Self::Simulated(hosts) => hosts.session().halted_by(halt.clone()),
            Self::Fleet(controller) => controller.halted_by(halt.flag()),
        }
        halt
    }

    /// What is wrong with stages to come on this host; other hosts are not looked at from here.
    pub(crate) fn look_ahead(&self, plan: &Plan, stages: &[Stage]) -> Vec<Problem> {
        match self {
            Self::Here(session) if !stages.is_empty() => session.look_ahead(plan, stages),
            _ => Vec::new(),
        }
    }

    /// Has the totals so far reported when the flag is raised; on this host only.
    pub(crate) fn report_when(&mut self, asked: &Arc<AtomicBool>) {
        if let Self::Here(session) = self {
            session.report_partial_totals_when(Arc::clone(asked));
        }
    }

    /// Sends the start of the run.
    pub(crate) fn begin(&mut self, plan: &Plan, sink: &mut dyn FnMut(Event)) {
        match self {
            Self::Here(session) => session.begin(plan, sink),
            Self::Simulated(hosts) => hosts.begin(plan, sink),
            Self::Fleet(controller) => controller.begin(plan, sink),
        }
    }

    /// Has all hosts look at what is to come, before anything is made; this one has looked.
    pub(crate) fn look(
        &mut self,
        plan: &Plan,
        coming: &Coming,
        sink: &mut dyn FnMut(Event),
    ) -> Result<(), StageError> {
        match self {
            Self::Here(_) | Self::Simulated(_) => Ok(()),
            Self::Fleet(controller) => controller
                .look(
                    plan,
                    &coming.stages,
                    coming.sure < coming.stages.len(),
                    sink,
                )
                .map_err(StageError::Fleet),
        }
    }

    /// Runs a stage of the plan.
    pub(crate) fn stage(
        &mut self,
        plan: &Plan,
        number: usize,
        sink: &mut dyn FnMut(Event),
    ) -> Result<StageEnd, StageError> {
        match self {
            Self::Here(session) => session.stage(plan, number, sink).map_err(StageError::Here),
            Self::Simulated(hosts) => hosts.stage(plan, number, sink).map_err(StageError::Here),
            Self::Fleet(controller) => match controller.stage(plan, number, sink) {
                Ok(Ending::GoOn) => Ok(StageEnd::GoOn),
                Ok(Ending::EndAll) => Ok(StageEnd::EndAll),
                Ok(Ending::Interrupted) => Ok(StageEnd::Interrupted),
                Err(why) => Err(StageError::Fleet(why)),
            },
        }
    }

    /// The hosts that were lost until now.
    pub(crate) fn losses(&self) -> Vec<Loss> {
        match self {
            Self::Here(_) | Self::Simulated(_) => Vec::new(),
            Self::Fleet(controller) => controller.losses(),
        }
    }

    /// Deletes the files that the run made on this host, as far as they are at their paths: what is left may come to light by
    /// commands that follow.
    pub(crate) fn remove_before_commands(&mut self, sink: &mut dyn FnMut(Event)) -> MadeFiles {
        match self {
            Self::Here(session) => session.remove_made_before_commands(sink),
            Self::Simulated(_) | Self::Fleet(_) => MadeFiles::default(),
        }
    }

    /// Ends the run: files it made go when that was asked for.
    pub(crate) fn finish(&mut self, outcome: Outcome, remove: bool, sink: &mut dyn FnMut(Event)) {
        match self {
            Self::Here(session) => {
                if remove {
                    session.remove_made(sink);
                }
                session.finish(outcome, sink);
            }
            Self::Simulated(hosts) => hosts.session().finish(outcome, sink),
            Self::Fleet(controller) => {
                controller.dismiss(remove, sink);
                controller.finish(outcome, sink);
            }
        }
    }
}

/// This program, as it can be sent to others.
pub(crate) fn own_build() -> std::io::Result<Build> {
    // The link stays right when the file was replaced meanwhile; its name is for starting it again.
    if let Ok(mut build) = Build::of(this_host::own_program()) {
        build.path = std::env::current_exe()?;
        return Ok(build);
    }
    // A host may be so bare that it has no /proc; an agent is called by its full path.
    match std::env::args_os().next() {
        Some(called) if Path::new(&called).is_absolute() => Build::of(Path::new(&called)),
        _ => Err(std::io::Error::other(
            "/proc is not mounted, and leadline was not started by its full path",
        )),
    }
}

/// The engine that an agent runs on its host.
pub(crate) struct LocalEngine {
    interrupt: Interrupt,
    halt: Interrupt,
    run: Option<(Session, Plan)>,
    /// Stages to be checked together.
    coming: Vec<Stage>,
    /// Commands of this run that mounted and need not again.
    mounted: BTreeSet<String>,
}

impl LocalEngine {
    /// Hands that have nothing to do yet.
    pub(crate) fn new(interrupt: Interrupt) -> Self {
        Self {
            interrupt,
            halt: Interrupt::default(),
            run: None,
            coming: Vec::new(),
            mounted: BTreeSet::new(),
        }
    }

    /// What runs a stage, with the stage in its plan, and its number.
    fn at(
        &mut self,
        number: u32,
        stage: Stage,
    ) -> Result<(&mut Session, &mut Plan, usize), HostFailure> {
        let Some((session, plan)) = &mut self.run else {
            return Err(no_plan());
        };
        let number = number as usize;
        if number > MOST_STAGES {
            let text = format!("stage {number} exceeds the limit");
            return Err(HostFailure::environment(ErrorCode::Limit, text, ""));
        }
        if plan.stages.len() <= number {
            plan.stages.resize_with(number + 1, Stage::default);
        }
        plan.stages[number] = stage;
        Ok((session, plan, number))
    }

    /// Mounts what a stage works on, and reports what the commands printed.
    fn mount(
        &mut self,
        number: u32,
        mounts: &[Mount],
        sink: &mut dyn FnMut(Event),
    ) -> Result<(), HostFailure> {
        let stop = self.interrupt.flag();
        for one in mounts {
            if one.once && self.mounted.contains(&one.line) {
                continue;
            }
            let said = mount::once(&one.line, &|| stop.load(Ordering::SeqCst))
                .map_err(|why| HostFailure::environment(ErrorCode::Command, why, ""))?;
            sink(Event::Finding(Finding {
                code: mount::MOUNTED.to_owned(),
                severity: Grade::Info,
                stage: Some(number),
                workload: None,
                text: mount::note(&said),
                cure: Cure::none(),
            }));
            self.mounted.insert(one.line.clone());
        }
        Ok(())
    }
}

impl EngineApi for LocalEngine {
    fn switches(&self) -> Switches {
        Switches {
            stop: self.interrupt.flag(),
            halt: self.halt.flag(),
        }
    }

    fn begin(&mut self, orders: Orders) {
        let mut session = Session::new(self.interrupt.clone(), orders.seed);
        session.with_facts(cloud::facts);
        session.halted_by(self.halt.clone());
        session.part_of(orders.run);
        self.run = Some((session, orders.plan));
        self.mounted.clear();
        self.coming.clear();
    }

    fn look(
        &mut self,
        number: u32,
        stage: Stage,
        last: bool,
        sink: &mut dyn FnMut(Event),
    ) -> Result<(), HostFailure> {
        self.mount(number, &stage.mounts, sink)?;
        if !stage.workloads.is_empty() {
            self.coming.push(stage);
        }
        if !last {
            return Ok(());
        }
        let coming = std::mem::take(&mut self.coming);
        let Some((session, plan)) = &self.run else {
            return Err(no_plan());
        };
        let seen = session.accepts(plan, &coming);
        seen.map_err(|error| failure(&error))
    }

    fn place(&mut self, target: &str) -> Place {
        place::of(Path::new(target))
    }

    fn stage(
        &mut self,
        number: u32,
        stage: Stage,
        when: &mut When<'_>,
        sink: &mut dyn FnMut(Event),
    ) -> Result<Ending, HostFailure> {
        let (session, plan, number) = self.at(number, stage)?;
        let end = session.stage_when(plan, number, when, sink);
        // What is over is not kept.
        plan.stages[number] = Stage::default();
        match end {
            Ok(StageEnd::GoOn) => Ok(Ending::GoOn),
            Ok(StageEnd::EndAll) => Ok(Ending::EndAll),
            Ok(StageEnd::Interrupted) => Ok(Ending::Interrupted),
            Err(error) => Err(failure(&error)),
        }
    }

    fn remove_made(&mut self, sink: &mut dyn FnMut(Event)) {
        if let Some((session, _)) = &mut self.run {
            session.remove_made(sink);
        }
    }
}

/// Stages a run can have on many hosts.
const MOST_STAGES: usize = 1_000_000;

fn no_plan() -> HostFailure {
    HostFailure::environment(ErrorCode::Defect, "a stage arrived before its plan", "")
}

/// Why a stage did not run, for the controller.
fn failure(error: &RunError) -> HostFailure {
    let kind = match Exit::from(error) {
        Exit::Usage => FailureKind::Usage,
        Exit::Refused => FailureKind::Refused,
        Exit::Interrupted => FailureKind::Interrupted,
        _ => FailureKind::Environment,
    };
    let reasons = error.failures();
    HostFailure { kind, reasons }
}
