//! A run as a user has it: the engine, and everything that listens to its events.

use crate::fleet::{Conductor, Keep, Trouble};
use crate::live::Live;
use crate::out;
use leadline_engine::run::{Interrupt, StageEnd};
use leadline_model::event::{Event, Outcome};
use leadline_model::plan::{Plan, Stage};
use leadline_model::sample::WorkerTotals;
use leadline_model::units::Nanos;
use leadline_results::run::Run;
use leadline_results::store::Writer;
use leadline_results::trust;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

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
    on_event: Option<Hear<'a>>,
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
            on_event: None,
        }
    }

    /// Lets somebody hear each event, behind the run and its file.
    pub(crate) fn also(&mut self, hear: impl FnMut(&Event) + 'a) {
        self.on_event = Some(Box::new(hear));
    }

    /// Shows the run as if it ended now, whenever the plan has totals told before their time.
    pub(crate) fn show_so_far(&mut self, show: impl FnMut(&Run) + 'a) {
        self.on_so_far = Some(Box::new(show));
    }

    /// Keeps the run in a file beside which nothing is overwritten. A run that cannot be kept is still
    /// a run: says so and goes on.
    pub(crate) fn keep(&mut self, path: &Path) {
        match Writer::create_beside(path) {
            Ok(writer) => self.writer = Some(writer),
            Err(error) => out::say(&format!("warning: the run is not kept: {error}")),
        }
    }

    /// Keeps the run in a directory of leadline's, under a name made of `name` and the time.
    pub(crate) fn keep_in(&mut self, directory: &Path, name: &str) {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        };
        let name: String = name.chars().map(plain).take(60).collect();
        if let Err(error) = std::fs::create_dir_all(directory) {
            let place = directory.display();
            return out::say(&format!("warning: the run is not kept: {place}: {error}"));
        }
        self.keep(&directory.join(format!("{name}-{}.leadline", crate::time::stamp())));
    }

    /// Takes an event.
    pub(crate) fn take(&mut self, event: &Event) {
        self.run.apply(event);
        if let Some(writer) = &mut self.writer
            && let Err(error) = writer.event(event)
        {
            self.live
                .word(&format!("warning: the run file ends here: {error}"));
            self.writer = None;
        }
        self.live.take(event, &self.run);
        self.take_so_far(event);
        if let Some(hear) = &mut self.on_event {
            hear(event);
        }
        if matches!(event, Event::RunEnded { .. }) {
            for finding in trust::findings(&self.run) {
                self.take(&Event::Finding(finding));
            }
        }
    }

    /// Gathers totals so far; the tick behind them shows them.
    fn take_so_far(&mut self, event: &Event) {
        let Some(show) = &mut self.on_so_far else {
            return;
        };
        match event {
            Event::SoFar(totals) => self.so_far.push((**totals).clone()),
            Event::Tick(_) if !self.so_far.is_empty() => {
                let mut run = self.run.clone();
                for totals in self.so_far.drain(..) {
                    run.apply(&Event::WorkerEnded(Box::new(totals)));
                }
                show(&run);
            }
            _ => {}
        }
    }

    /// What was heard.
    pub(crate) fn into_run(self) -> Run {
        self.run
    }

    /// Closes the run file; its path, if there is one.
    pub(crate) fn close(&mut self) -> Option<PathBuf> {
        self.live.close();
        match self.writer.take()?.finish() {
            Ok(path) => Some(path),
            Err(error) => {
                out::say(&format!("warning: {error}"));
                None
            }
        }
    }
}

/// Ctrl-C and SIGTERM end the run early; a second one ends the process at once.
pub(crate) fn interrupt() -> Interrupt {
    let interrupt = Interrupt::default();
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Registered in this order: the first signal finds the flag down, and only raises it.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, interrupt.flag());
        let _ = signal_hook::flag::register(signal, interrupt.flag());
    }
    interrupt
}

/// A seed nobody has had before.
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
    interrupt: Interrupt,
    listeners: &mut Listeners<'_>,
) -> Result<Outcome, Trouble> {
    run_plan_beside(plan, interrupt, listeners, &mut |_| ())
}

/// The same, each event first told to `beside`.
pub(crate) fn run_plan_beside(
    plan: &Plan,
    interrupt: Interrupt,
    listeners: &mut Listeners<'_>,
    beside: &mut dyn FnMut(&Event),
) -> Result<Outcome, Trouble> {
    let mut number = 0;
    let keep = Keep {
        seed: fresh_seed(),
        remove: false,
    };
    let mut next = |_: &mut Plan, _: &mut Listeners<'_>| {
        number += 1;
        Some(number - 1).filter(|&n| n < plan.stages.len())
    };
    conduct(
        plan.clone(),
        interrupt,
        &keep,
        (listeners, beside),
        &Reins::default(),
        &mut next,
    )
}

/// Which stage of the plan is next; it may add one first.
type Pick<'a> = dyn FnMut(&mut Plan, &mut Listeners<'_>) -> Option<usize> + 'a;

fn conduct(
    mut plan: Plan,
    interrupt: Interrupt,
    keep: &Keep,
    (listeners, beside): (&mut Listeners<'_>, &mut dyn FnMut(&Event)),
    reins: &Reins,
    pick: &mut Pick<'_>,
) -> Result<Outcome, Trouble> {
    let mut conductor = Conductor::new(&plan, interrupt, keep)?;
    reins.0.borrow_mut().halt = conductor.halt();
    let mut tell = |event: Event, listeners: &mut Listeners<'_>| {
        beside(&event);
        listeners.take(&event);
    };
    conductor.begin(&plan, &mut |event| tell(event, listeners));
    let mut result = Ok(Outcome::Complete);
    while let Some(number) = pick(&mut plan, listeners) {
        match conductor.stage(&plan, number, &mut |event| tell(event, listeners)) {
            Ok(StageEnd::GoOn) => {}
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
    let outcome = match (&result, reins.failure()) {
        (Err(error), _) => Outcome::Failed(error.to_string()),
        (_, Some(why)) => Outcome::Failed(why),
        (Ok(outcome), None) => outcome.clone(),
    };
    conductor.finish(outcome, keep.remove, &mut |event| tell(event, listeners));
    result
}

/// A study: stages are decided one by one.
pub(crate) struct Study {
    /// The plan, without stages.
    pub(crate) plan: Plan,
    /// Stands in for every seed the stages leave open.
    pub(crate) seed: u64,
    /// Files the study created stay.
    pub(crate) keep_files: bool,
    /// What the caller may do while it goes on.
    pub(crate) reins: Reins,
}

/// What may be done to a study that goes on.
#[derive(Clone, Default)]
pub(crate) struct Reins(Rc<RefCell<Held>>);

#[derive(Default)]
struct Held {
    halt: Option<Interrupt>,
    failure: Option<String>,
}

impl Reins {
    /// Ends the running stage; the next follows. False where that cannot be done: on many hosts.
    pub(crate) fn end_stage(&self) -> bool {
        let held = self.0.borrow();
        held.halt.as_ref().map(Interrupt::raise).is_some()
    }

    /// The study has failed, and this is why; the first reason stands.
    pub(crate) fn fail(&self, why: &str) {
        self.0
            .borrow_mut()
            .failure
            .get_or_insert_with(|| why.to_owned());
    }

    /// Why it has failed.
    pub(crate) fn failure(&self) -> Option<String> {
        self.0.borrow().failure.clone()
    }
}

/// What a study runs next, and how long it will go on after that.
pub(crate) type Next<'a> = dyn FnMut(&Run) -> Option<(Stage, Nanos)> + 'a;

/// Runs a study: `next` sees what was measured until then.
pub(crate) fn run_study(
    study: Study,
    interrupt: Interrupt,
    listeners: &mut Listeners<'_>,
    next: &mut Next<'_>,
) -> Result<Outcome, Trouble> {
    let keep = Keep {
        seed: study.seed,
        remove: !study.keep_files,
    };
    let mut next = |plan: &mut Plan, listeners: &mut Listeners<'_>| {
        let (stage, after) = next(&listeners.run)?;
        listeners.take(&Event::StageAdded(Box::new(stage.clone())));
        listeners.live.set_time_after_stage(Some(after));
        plan.stages.push(stage);
        Some(plan.stages.len() - 1)
    };
    let mut nobody = |_: &Event| ();
    let tell = (listeners, &mut nobody as &mut dyn FnMut(&Event));
    conduct(study.plan, interrupt, &keep, tell, &study.reins, &mut next)
}
