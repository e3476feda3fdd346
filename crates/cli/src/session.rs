//! A run as a user has it: the engine, and everything that listens to its events.

use crate::checks::Checks;
use crate::fleet::{Coming, Conductor, RunOptions, StageError};
use crate::kept;
use crate::knobs::{self, Language};
use crate::live::{Live, TimeAfter};
use crate::out;
use crate::published::Described;
use crate::result_file::{Inputs, NOT_AMONG_DEVICES};
use crate::simulated::SimulatedTargets;
use crate::switches::Accept;
use leadline_engine::os::host::{among_devices, make_folders};
use leadline_engine::os::signals;
use leadline_engine::prepare::Host;
use leadline_engine::run::{Interrupt, RunError, StageEnd};
use leadline_engine::schedule::{AnyHost, Problem, ahead};
use leadline_fleet::controller::NotRun;
use leadline_model::cure::Cure;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::{Event, Outcome};
use leadline_model::failure::Failure;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{Dialect, Plan, Stage};
use leadline_model::sample::WorkerTotals;
use leadline_model::units::Nanos;
use leadline_results::headline::Headline;
use leadline_results::intervals::Intervals;
use leadline_results::run::Run;
use leadline_results::store::{StoreError, Writer};
use leadline_results::study::narrow;
use leadline_results::study::studies::StageCount;
use leadline_results::trust;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

mod control;
mod earlier;
mod so_far;
mod taking_up;

pub(crate) use control::StudyControl;
use so_far::take_so_far;
use taking_up::later;

/// What shows a run.
type ShowRun<'a> = Box<dyn FnMut(&Run) + 'a>;
/// What hears a run.
type Hear<'a> = Box<dyn FnMut(&Event) + 'a>;

/// What listens to the events of a run.
pub(crate) struct Listeners<'a> {
    /// Everything so far.
    pub(crate) run: Run,
    writer: Option<Writer>,
    live: Live,
    so_far: Vec<WorkerTotals>,
    on_so_far: Option<ShowRun<'a>>,
    /// The user requested it.
    asked: Arc<AtomicBool>,
    on_event: Option<Hear<'a>>,
    /// What they hear goes by intervals.
    intervals: Intervals,
    /// What is to be known of the run before it starts.
    notes: Vec<Finding>,
    /// The user named the run file.
    named: bool,
    /// It was, and the run is not in it.
    lost: bool,
    /// The set-up whose published limits the run is compared with at its end.
    setup: Option<Rc<Described>>,
    /// The length of an earlier run that is taken up: what is heard now follows it.
    taken_up: Option<Nanos>,
}

impl<'a> Listeners<'a> {
    /// Listeners without a run file yet.
    pub(crate) fn new(live: Live) -> Self {
        Self {
            run: Run::default(),
            writer: None,
            live,
            so_far: Vec::new(),
            on_so_far: None,
            asked: Arc::default(),
            on_event: None,
            intervals: Intervals::default(),
            notes: Vec::new(),
            named: false,
            lost: false,
            setup: None,
            taken_up: None,
        }
    }

    /// Compares the run at its end with the published limits of a set-up.
    pub(crate) fn compare_with(&mut self, checks: &Checks) {
        self.setup.clone_from(&checks.setup);
    }

    /// Notes that belong to the run's outputs as its findings do: on the text it was read from, on what could
    /// not be done for it.
    pub(crate) fn note(&mut self, notes: impl IntoIterator<Item = Finding>) {
        self.notes.extend(notes);
    }

    /// Adds a listener, which gets each event after the run and its file.
    pub(crate) fn also(&mut self, hear: impl FnMut(&Event) + 'a) {
        self.on_event = Some(Box::new(hear));
    }

    /// Shows the run as if it ended now, whenever the plan asks for totals before the end, and on SIGUSR1, when
    /// the interval is over.
    pub(crate) fn show_so_far(&mut self, show: impl FnMut(&Run) + 'a) {
        self.on_so_far = Some(Box::new(show));
        signals::status_requests(&self.asked);
    }

    /// Keeps the run in a file beside which nothing is overwritten.
    pub(crate) fn keep(&mut self, path: &Path) -> Result<(), StoreError> {
        let kept = self.begin(path)?;
        if kept != path {
            let text = format!(
                "{} already exists: the run is kept as {}.",
                path.display(),
                kept.display()
            );
            self.note([about_the_file("run-kept-as", text)]);
        }
        self.named = true;
        Ok(())
    }

    /// The same at a place that is none of `inputs`, by whatever name; why not, in words.
    pub(crate) fn keep_apart(&mut self, path: &Path, inputs: &Inputs) -> Result<(), String> {
        inputs.leave(path)?;
        self.keep(path).map_err(|error| error.to_string())
    }

    /// Begins the run file, beside what is there; its path.
    fn begin(&mut self, path: &Path) -> Result<PathBuf, StoreError> {
        if among_devices(path) {
            return Err(StoreError::Io {
                path: path.to_owned(),
                source: std::io::Error::other(NOT_AMONG_DEVICES),
            });
        }
        let writer = Writer::create_beside(path)?;
        let kept = writer.path().to_owned();
        self.writer = Some(writer);
        Ok(kept)
    }

    /// Whether a run file that the user named could not be written completely.
    pub(crate) const fn has_lost_the_run_file(&self) -> bool {
        self.lost
    }

    /// The run file is incomplete: an error if the user named it, else a note.
    fn lose(&mut self, why: &str) {
        self.writer = None;
        if self.named {
            self.lost = true;
            self.live
                .word(&format!("error: the run file is incomplete: {why}"));
        } else {
            let text = format!("The run file is incomplete: {why}.");
            self.take(&Event::Finding(about_the_file("run-not-kept", text)));
        }
    }

    /// Keeps the run in a directory of leadline's, under a name made of `name` and the time. The user did not ask for
    /// that: a run that cannot be kept is still a run, and has a note.
    pub(crate) fn keep_in(&mut self, directory: &Path, name: &str) {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || c == '-' || c == '.' {
                c
            } else {
                '_'
            }
        };
        let name: String = name.chars().map(plain).take(60).collect();
        kept::prune();
        let made =
            make_folders(directory).map_err(|error| format!("{}: {error}", directory.display()));
        let path = directory.join(format!("{name}-{}.leadline", crate::time::stamp()));
        let kept = made.and_then(|()| self.begin(&path).map_err(|error| error.to_string()));
        if let Err(why) = kept {
            self.note([about_the_file(
                "run-not-kept",
                format!("The run is not kept: {why}."),
            )]);
        }
        self.named = false;
    }

    /// Takes an event.
    pub(crate) fn take(&mut self, event: &Event) {
        if matches!(event, Event::RunStarted { .. }) && self.taken_up.is_some() {
            // It has started before.
            std::mem::take(&mut self.notes)
                .into_iter()
                .for_each(|note| self.take(&Event::Finding(note)));
            return;
        }
        let moved = self
            .taken_up
            .map(|length| later(event, length, &self.run.facts));
        let event = moved.as_ref().unwrap_or(event);
        let said;
        let event = match &self.run.plan {
            Some(plan) => {
                said = knobs::event_in_words(event, Language::of(plan));
                said.as_ref().unwrap_or(event)
            }
            None => event,
        };
        self.run.apply(event);
        if let Some(writer) = &mut self.writer
            && let Err(error) = writer.event(event)
        {
            self.lose(&error.to_string());
        }
        self.show(event);
        if matches!(event, Event::RunStarted { .. }) {
            for note in std::mem::take(&mut self.notes) {
                self.take(&Event::Finding(note));
            }
        }
        if matches!(event, Event::RunEnded { .. }) {
            // First: what is found about a workload here is not said of it again by its plan alone.
            let own = self.writer.as_ref().map(|writer| writer.path().to_owned());
            for finding in earlier::findings(&self.run, own.as_deref()) {
                self.take(&Event::Finding(finding));
            }
            let mut findings = trust::findings(&self.run);
            let setup = self.setup.as_ref();
            findings.extend(setup.and_then(|setup| setup.finding(&self.run)));
            for finding in findings {
                self.take(&Event::Finding(finding));
            }
        }
    }

    /// Passes on what is shown, which goes by intervals.
    fn show(&mut self, event: &Event) {
        let Self {
            run,
            live,
            so_far,
            on_so_far,
            on_event,
            ..
        } = self;
        let plan = run.plan.as_ref();
        self.intervals.pass(plan, event, &mut |event| {
            live.take(event, run);
            if let Some(show) = on_so_far {
                take_so_far(so_far, event, run, show);
            }
            if let Some(hear) = on_event {
                hear(event);
            }
        });
    }

    /// What was heard.
    pub(crate) fn into_run(self) -> Run {
        self.run
    }

    /// Closes the run file; its path, if there is one.
    pub(crate) fn close(&mut self) -> Option<PathBuf> {
        self.live.close(&self.run);
        let mut writer = self.writer.take()?;
        let written = match self.run.outcome {
            Some(_) => writer.headline(&Headline::of(&self.run)),
            None => Ok(()),
        };
        match written.and_then(|()| writer.finish()) {
            Ok(path) => {
                // What was refused before its start is not the latest run.
                if !self.run.stages.is_empty() {
                    kept::note_latest(&path);
                }
                Some(path)
            }
            Err(error) => {
                self.lose(&error.to_string());
                None
            }
        }
    }
}

/// A word on the run file: no figure is the worse for it.
fn about_the_file(code: &str, text: String) -> Finding {
    Finding {
        code: code.to_owned(),
        severity: Severity::Info,
        stage: None,
        workload: None,
        text,
        cure: Cure::none(),
    }
}

/// Ends the run early on Ctrl-C and the like ([`signals::interrupts`]).
pub(crate) fn interrupt() -> Interrupt {
    interrupt_heard_by(signals::interrupts)
}

/// The same of a run that may have something to undo ([`signals::hold_on`]).
pub(crate) fn interrupt_of_what_is_undone() -> Interrupt {
    interrupt_heard_by(signals::interrupts_of_what_is_undone)
}

fn interrupt_heard_by(hear: fn(&Arc<AtomicBool>)) -> Interrupt {
    let interrupt = Interrupt::default();
    hear(&interrupt.flag());
    // Heard by those who show the run so far ([`Listeners::show_so_far`]); it ends no run of any front end.
    signals::status_requests(&Arc::default());
    interrupt
}

/// A seed that was not used before.
pub(crate) fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library seeds its hasher from the system's random source.
    std::collections::hash_map::RandomState::new()
        .build_hasher()
        .finish()
}

/// Runs a whole plan, here or on its hosts.
pub(crate) fn run_plan(
    plan: &Plan,
    accept: Accept,
    interrupt: Interrupt,
    listeners: &mut Listeners<'_>,
) -> Result<Outcome, StageError> {
    run_plan_beside((plan, accept), interrupt, listeners, &mut |_| ())
}

/// The same, each event passed to `beside` first.
pub(crate) fn run_plan_beside(
    (plan, accept): (&Plan, Accept),
    interrupt: Interrupt,
    listeners: &mut Listeners<'_>,
    beside: &mut dyn FnMut(&Event),
) -> Result<Outcome, StageError> {
    let mut number = 0;
    let keep = RunOptions {
        seed: fresh_seed(),
        remove: false,
        leave_nothing: false,
        lets_go: false,
        accept,
    };
    let coming = Coming {
        stages: plan.stages.clone(),
        sure: plan.stages.len(),
    };
    let all = StageCount::known(coming.stages.len());
    listeners.live.set_stages(all, false);
    let mut next = |_: &mut Plan, _: &mut Listeners<'_>| {
        number += 1;
        Some(number - 1).filter(|&n| n < coming.stages.len())
    };
    conduct(
        plan.clone(),
        &coming,
        interrupt,
        &keep,
        (listeners, beside),
        &StudyControl::default(),
        &mut next,
    )
}

/// Which stage of the plan is next; it may add one first.
type Pick<'a> = dyn FnMut(&mut Plan, &mut Listeners<'_>) -> Option<usize> + 'a;

/// What is wrong with any stage, as far as that is known before the first. Before those that are not `sure` the
/// user's own commands will run, which may mount and make what is not there yet: of these only what is wrong on
/// any host is reported, and they are checked when the commands have run ([`StudyControl::look_at`]).
pub(crate) fn wrong_ahead(plan: &Plan, coming: &Coming) -> Vec<Problem> {
    let (stages, sure) = (&coming.stages, coming.sure);
    let of = |stages: &[Stage]| Plan {
        stages: stages.to_vec(),
        ..plan.clone()
    };
    let here = if plan.hosts.is_empty() { sure } else { 0 };
    let here = here.min(stages.len());
    let mut wrong = ahead(&of(&stages[..here]), &Host::default());
    if here < stages.len() {
        let anywhere = ahead(&of(stages), &AnyHost).into_iter();
        let new: Vec<Problem> = anywhere
            .filter(|p| !wrong.iter().any(|w| w.text == p.text))
            .collect();
        wrong.extend(new);
    }
    wrong
}

/// Asks the hosts of a plan whether they would run what is to come, as far as they can know; nothing is made there
/// but, where it lacks, a copy of this program.
pub(crate) fn ask_hosts(plan: &Plan, coming: &Coming, accept: Accept) -> Result<(), StageError> {
    if plan.hosts.is_empty() {
        return Ok(());
    }
    let keep = RunOptions {
        seed: 0,
        remove: true,
        leave_nothing: true,
        lets_go: false,
        accept,
    };
    let mut conductor = Conductor::new(plan, coming, interrupt(), &keep)?;
    let mut say = |event: Event| {
        if let Event::Finding(found) = event
            && found.severity < Severity::Fail
        {
            out::say(&found.text);
        }
    };
    conductor.begin(plan, &mut say);
    let looked = conductor.look(plan, coming, &mut say);
    let lost = conductor.losses();
    conductor.finish(Outcome::Complete, true, &mut say);
    looked?;
    if lost.is_empty() || accept.lost {
        return Ok(());
    }
    let others = plan.hosts.len() > lost.len();
    Err(StageError::Fleet(NotRun::Refused { by: lost, others }))
}

fn conduct(
    mut plan: Plan,
    coming: &Coming,
    interrupt: Interrupt,
    keep: &RunOptions,
    (listeners, beside): (&mut Listeners<'_>, &mut dyn FnMut(&Event)),
    control: &StudyControl,
    pick: &mut Pick<'_>,
) -> Result<Outcome, StageError> {
    if plan.source.dialect != Dialect::Native {
        plan.slices = plan.slices_for(&coming.stages);
    }
    let wrong = wrong_ahead(&plan, coming);
    let mut conductor = Conductor::new(&plan, coming, interrupt, keep)?;
    control.0.borrow_mut().halt = Some(conductor.halt());
    conductor.report_when(&listeners.asked);
    let (mut intervals, planned) = (Intervals::default(), plan.clone());
    let mut report = |event: Event, listeners: &mut Listeners<'_>| {
        intervals.pass(Some(&planned), &event, beside);
        listeners.take(&event);
        if matches!(event, Event::Tick(_)) && narrow::may_end(&listeners.run) {
            control.end_stage();
        }
    };
    conductor.begin(&plan, &mut |event| report(event, listeners));
    control.restore(&mut conductor);
    let looked = if wrong.is_empty() {
        conductor.look(&plan, coming, &mut |event| report(event, listeners))
    } else {
        Err(StageError::Here(RunError::Problems(wrong)))
    };
    let mut result = looked.map(|()| Outcome::Complete);
    while result.is_ok()
        && let Some(number) = pick(&mut plan, listeners)
    {
        let next = control.take_to_look_at();
        let wrong = conductor.look_ahead(&plan, &next);
        if !wrong.is_empty() {
            result = Err(StageError::Here(RunError::Problems(wrong)));
            break;
        }
        match conductor.stage(&plan, number, &mut |event| report(event, listeners)) {
            Ok(StageEnd::GoOn) => {
                listeners.keep_volumes(number, &mut conductor);
                if keep.lets_go {
                    conductor.let_go();
                }
            }
            Ok(StageEnd::EndAll) => break,
            Ok(StageEnd::Interrupted) => {
                result = Ok(Outcome::CutShort);
                break;
            }
            Err(error) => {
                result = Err(error);
                break;
            }
        }
    }
    let outcome = match (&result, control.failure()) {
        (Err(error), _) => Outcome::Failed(error.failure()),
        (_, Some(why)) => Outcome::Failed(why),
        (Ok(outcome), None) => outcome.clone(),
    };
    let remove = keep.remove || (keep.leave_nothing && listeners.run.stages.is_empty());
    if remove && keep.lets_go {
        let hidden = conductor.remove_before_commands(&mut |event| report(event, listeners));
        control.keep_hidden(hidden);
    }
    conductor.finish(outcome, remove, &mut |event| report(event, listeners));
    result
}

/// A study: stages are decided one by one.
pub(crate) struct Study {
    /// The plan, without stages.
    pub(crate) plan: Plan,
    /// Stands in for every seed the stages leave open.
    pub(crate) seed: u64,
    /// What may come, to be looked through before the first stage.
    pub(crate) coming: Coming,
    /// How many stages it has.
    pub(crate) count: StageCount,
    /// What is accepted of hosts.
    pub(crate) accept: Accept,
    /// What stands in for the targets of stages that are decided later.
    pub(crate) targets: SimulatedTargets,
    /// Files the study created stay.
    pub(crate) keep_files: bool,
    /// But for what it made when nothing was measured.
    pub(crate) leave_nothing: bool,
    /// No file is kept open between stages.
    pub(crate) lets_go: bool,
    /// What the caller may do while it runs.
    pub(crate) control: StudyControl,
}

/// What decides the stages of a study.
pub(crate) trait Steps {
    /// What it runs next, and how long it will take after that; it sees what was measured until then.
    fn next(&mut self, run: &Run) -> Option<(Stage, TimeAfter)>;

    /// Called before a stage, when it is in the run file; `None` = it cannot begin, and the study ends.
    fn begin(&mut self, _: &Stage) -> Option<()> {
        Some(())
    }
}

impl<F: FnMut(&Run) -> Option<(Stage, Nanos)>> Steps for F {
    fn next(&mut self, run: &Run) -> Option<(Stage, TimeAfter)> {
        let (stage, after) = self(run)?;
        Some((stage, after.into()))
    }
}

/// Runs a study.
pub(crate) fn run_study(
    study: Study,
    interrupt: Interrupt,
    listeners: &mut Listeners<'_>,
    steps: &mut dyn Steps,
) -> Result<Outcome, StageError> {
    let keep = RunOptions {
        seed: study.seed,
        remove: !study.keep_files,
        leave_nothing: study.leave_nothing,
        lets_go: study.lets_go,
        accept: study.accept,
    };
    listeners.live.set_stages(study.count, true);
    let mut next = |plan: &mut Plan, listeners: &mut Listeners<'_>| {
        let (mut stage, after) = steps.next(&listeners.run)?;
        let stages = std::slice::from_mut(&mut stage);
        let resolved = study.targets.resolve_part(stages);
        let cure = "give each workload one simulated volume, and leave its file as it is";
        let failure = |why| Failure::new(ErrorCode::PlanConflict, why, cure);
        resolved
            .map_err(|why: String| study.control.fail(failure(why)))
            .ok()?;
        listeners.take(&Event::StageAdded(Box::new(stage.clone())));
        listeners.live.set_time_after_stage(after);
        steps.begin(&stage)?;
        plan.stages.push(stage);
        Some(plan.stages.len() - 1)
    };
    let mut nobody = |_: &Event| ();
    let report = (listeners, &mut nobody as &mut dyn FnMut(&Event));
    conduct(
        study.plan,
        &study.coming,
        interrupt,
        &keep,
        report,
        &study.control,
        &mut next,
    )
}
