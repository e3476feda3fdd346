//! `leadline study`: one question, answered. Which point comes next and what the points mean is for
//! `leadline_results::study::studies` to say; here it is wired to the engine, the terminal, the user's own commands and
//! the files it leaves.

mod arms;
mod difference;
mod reading;
mod resume;
mod room;

use crate::exit::Exit;
use crate::fleet::{Coming, StageError};
use crate::live::Live;
use crate::live::TimeAfter;
use crate::result_file::{self, Inputs};
use crate::session::{self, Listeners, StudyControl};
use crate::simulated::are_simulated;
use crate::verbs::Refusal;
use crate::verbs::measure::{self, PLACE_CURE, Places};
use crate::verbs::shown::{self, Form};
use crate::{out, time};
use arms::Arms;
use leadline_engine::os::kernel_release;
use leadline_model::event::{Event, Outcome};
use leadline_model::plan::study::{Arm, Axes, Question};
use leadline_model::plan::{Dialect, Plan, Source, Stage};
use leadline_model::units::Nanos;
use leadline_results::run::Run;
use leadline_results::study::narrow;
use leadline_results::study::studies::{self, Measured, NoLimit};
use reading::{Asked, Read, read, title};
use resume::Earlier;
use std::path::{Path, PathBuf};

/// More points than these are refused without `--yes`.
const MOST_POINTS: usize = 10_000;

pub(crate) fn run(words: &[String]) -> Exit {
    let Some(asked) = read(words) else {
        return Exit::Usage;
    };
    let asked = match asked {
        Read::Ended(exit) => return exit,
        Read::Study(asked) => asked,
    };
    match studied(*asked) {
        Ok(exit) => exit,
        Err((text, exit)) => {
            say(&text);
            exit
        }
    }
}

/// Says why, where that was not said yet.
fn say(text: &str) {
    if !text.is_empty() {
        out::say(text);
    }
}

/// `leadline plan study`: every stage that is known before the first. Nothing is made.
pub(crate) fn plan_of(words: &[String], form: Form) -> Exit {
    let mut asked = match read(words) {
        None => return Exit::Usage,
        Some(Read::Ended(exit)) => return exit,
        Some(Read::Study(asked)) => asked,
    };
    match asked.checked(Asked::coming) {
        Ok((earlier, mut stages)) => {
            let done = earlier.map_or_else(Vec::new, |earlier| earlier.stages);
            stages.retain(|stage| done.iter().all(|done| done.name != stage.name));
            let mut plan = asked.plan();
            plan.stages = stages;
            let sure = asked.sure(plan.stages.len());
            if studies::may_add(&asked.study) {
                out::say(
                    "note: adaptive points (refinement, repeats) are not included; --budget limits the total time",
                );
            }
            shown::show(&plan, sure, asked.hosts.accept, form)
        }
        Err((text, exit)) => {
            say(&text);
            exit
        }
    }
}

/// That a study has many points, which was not confirmed.
fn too_many(points: usize) -> String {
    format!(
        "error[too-many-points]: the study has {points} points\n  hint: shorten its lists, or confirm with --yes"
    )
}

impl Asked {
    /// The run that is taken up, which gives its seed.
    fn earlier(&mut self) -> Result<Option<Earlier>, Refusal> {
        let path = self.beside.resume.as_ref();
        let earlier = path.map(|path| resume::earlier(path, &mut self.study));
        earlier.unwrap_or(Ok(None))
    }

    /// The run that is taken up, and the stages that `stages` finds, which are on what it was measured on; what is wrong
    /// with either is said of both.
    fn checked(
        &mut self,
        stages: impl Fn(&Self) -> Result<Vec<Stage>, Refusal>,
    ) -> Result<(Option<Earlier>, Vec<Stage>), Refusal> {
        let earlier = self.earlier();
        match (earlier, stages(self)) {
            (Ok(earlier), Ok(stages)) => {
                let maps = &self.study.scope.maps;
                let is_same =
                    |earlier: &Earlier| earlier.is_of_these(&self.hosts.hosts, maps, &stages);
                earlier.as_ref().map_or(Ok(()), is_same)?;
                Ok((earlier, stages))
            }
            (Err((one, exit)), Err((other, _))) => {
                let both = [one, other].into_iter().filter(|text| !text.is_empty());
                Err((both.collect::<Vec<_>>().join("\n"), exit))
            }
            (Err(wrong), _) | (_, Err(wrong)) => Err(wrong),
        }
    }

    /// Every stage that is known before the first, with its targets.
    fn coming(&self) -> Result<Vec<Stage>, Refusal> {
        let mut stages = studies::outlook(&self.study);
        let mut wrong = Vec::new();
        if stages.len() > MOST_POINTS && !self.beside.yes {
            wrong.push(too_many(stages.len()));
        }
        wrong.extend(self.hosts.targets.resolve(&mut stages).err());
        wrong.extend(room::too_large(&self.study, &stages, &self.hosts));
        // What limits name in vain they say themselves.
        let more = studies::may_add(&self.study);
        let named = self.hosts.checks.name_what_is_in(&stages, more);
        if !self.hosts.targets.distances.is_empty() && !are_simulated(&stages) {
            let text = "error: --distance: real hosts have their own distance\n  hint: use it for hosts of a \
                        simulated volume (sim:LAW)";
            wrong.push(text.to_owned());
        }
        if let (Some(least), Some(budget)) = (
            studies::beyond_budget(&self.study),
            self.study.timing.budget,
        ) {
            wrong.push(format!(
                "error: --budget {budget} is too short: the points take at least {least} (1 s each with warm-up and \
                 pause), plus the writes before them\n  hint: use a longer --budget, shorter lists, or a shorter {}",
                match self.study.question {
                    Question::Burst { .. } => "--rest or --warmup",
                    _ => "--warmup",
                }
            ));
        }
        if !wrong.is_empty() || !named {
            return Err((wrong.join("\n"), Exit::Usage));
        }
        for warning in arms::too_old_for(&self.study.arms, &kernel_release()) {
            out::say(&warning);
        }
        if let (Some(file), 0) = (
            self.targets.iter().find(|t| t.starts_with("sim:@")),
            self.sure(1),
        ) {
            out::say(&format!(
                "note: {file} is read once, before the first state: commands that change it have no effect\n  hint: give \
                 each state a volume of its own, --arm NAME --target sim:LAW"
            ));
        }
        Ok(stages)
    }

    /// Every stage that is known before the first, where the directories of the study are there; all that is wrong is said.
    fn begins(&self) -> Result<Vec<Stage>, Refusal> {
        let missing = self.missing_directories().join("\n");
        match (missing.is_empty(), self.coming()) {
            (true, coming) => coming,
            (false, Ok(_)) => Err((missing, Exit::Usage)),
            (false, Err((wrong, exit))) => Err((format!("{missing}\n{wrong}"), exit)),
        }
    }

    /// What the lists have together, where that is so far above [`MOST_POINTS`] that their stages would take minutes to make,
    /// and it was not confirmed.
    fn far_too_many(&self) -> Option<usize> {
        let Axes {
            blocks,
            reads,
            random,
            depths,
            jobs,
        } = &self.study.axes;
        let lists = [
            blocks.len(),
            reads.len(),
            random.len(),
            depths.len(),
            jobs.len(),
        ];
        let points = lists.into_iter().fold(1, usize::saturating_mul);
        (points > 10 * MOST_POINTS && !self.beside.yes).then_some(points)
    }

    /// How many of the stages come before any command of the user's.
    fn sure(&self, stages: usize) -> usize {
        let commands = self.study.arms.iter().any(|arm| !arm.prepare.is_empty());
        if commands { 0 } else { stages }
    }

    /// The interval of statistics: of the points as a budget shortens them.
    fn slice(&self) -> Nanos {
        let time = studies::point_time(&self.study);
        match self.study.question {
            Question::Burst { .. } => narrow::slice_of_falls(time),
            _ => narrow::slice(time, self.study.timing.narrow.is_some()),
        }
    }

    fn plan(&self) -> Plan {
        Plan {
            slices: 1,
            partial_totals_every: None,
            study: Some(Box::new(self.study.clone())),
            hosts: self.hosts.hosts.clone(),
            title: title(self.study.question.name(), &self.targets),
            source: Source {
                dialect: Dialect::Native,
                args: std::env::args_os()
                    .skip(1)
                    .map(|arg| arg.to_string_lossy().into_owned())
                    .collect(),
                own: Vec::new(),
                environment: Vec::new(),
                directory: self.hosts.directory(),
                files: Vec::new(),
            },
            given: Vec::new(),
            original: leadline_model::plan::Original::default(),
            interval: self.slice(),
            stages: Vec::new(),
            read_only: false,
            destroy: self.beside.destroy.clone(),
        }
    }
}

/// Where its results go.
fn places(asked: &Asked, earlier: Option<&Earlier>) -> Result<Places, Refusal> {
    let stamp = || format!("leadline-{}", time::stamp()).into();
    let base: PathBuf = asked.beside.out.clone().map_or_else(stamp, PathBuf::from);
    let inputs = Inputs::of(asked.targets.iter().map(PathBuf::from));
    let mut read = inputs.clone();
    if let Some(earlier) = earlier {
        read.add(earlier.path.clone());
        if asked.beside.force {
            stays(&earlier.path, &base)?;
        }
    }
    if !measure::is_apart(&asked.hosts, &base, &read) {
        return Err((String::new(), Exit::Usage));
    }
    let places = Places::at(&base, asked.beside.force, &inputs);
    places.map_err(|text| (text, Exit::Environment))
}

/// Refuses results in the place of the run that is taken up, by whatever name: that one alone has the points that were
/// measured. Without --force they get a name of their own.
fn stays(earlier: &Path, base: &Path) -> Result<(), Refusal> {
    let run_file = result_file::beside(base, "leadline");
    let kept = Inputs::of([earlier.to_owned()]).leave(&run_file);
    kept.map_err(|_| {
        let text = format!(
            "error: --out {}: the resumed run is not overwritten\n  hint: use another name for --out: the new run \
             file starts with all points of the old one, which may be removed afterwards",
            base.display()
        );
        (text, Exit::Usage)
    })
}

/// Makes the study.
fn studied(mut asked: Asked) -> Result<Exit, Refusal> {
    let (earlier, stages) = asked.checked(Asked::begins)?;
    let places = places(&asked, earlier.as_ref())?;
    let json = asked.beside.json;
    let live = Live::new(!json || out::err_is_terminal()).without_findings();
    let mut listeners = Listeners::new(live.every(Nanos::SECOND));
    listeners.compare_with(&asked.hosts.checks);
    let mut plan = asked.plan();
    let kept = match &earlier {
        Some(earlier) => {
            plan.stages.clone_from(&earlier.stages);
            listeners.take_up_first(&earlier.path, places.run_file(), earlier.stages.len())
        }
        None => listeners.keep(places.run_file()),
    };
    kept.map_err(|error| {
        let text = format!("error: {error}\n  hint: {PLACE_CURE}");
        (text, Exit::Environment)
    })?;
    let killed_in = earlier.as_ref().and_then(|e| e.killed_in.clone());
    let control = StudyControl::default();
    if let Some((stages, (text, volumes))) =
        earlier.and_then(|e| Some((e.stages.len(), e.volumes?)))
    {
        listeners.same_clock();
        listeners.keep_volumes_as(stages - 1, &text);
        control.go_on_with(volumes);
    }
    let running = session::Study {
        plan,
        seed: asked.study.seed,
        coming: Coming {
            sure: asked.sure(stages.len()),
            stages,
        },
        count: studies::stage_count(&asked.study),
        accept: asked.hosts.accept,
        targets: asked.hosts.targets.clone(),
        keep_files: asked.beside.keep,
        leave_nothing: true,
        lets_go: arms::are_undone(&asked.study),
        control: control.clone(),
    };
    let interrupt = session::interrupt_of_what_is_undone();
    let mut arms = Arms::new(&asked.study, control, interrupt.flag());
    let named = |arm: &&Arm| killed_in.as_ref() == Some(&arm.name);
    arms.was_killed_in(asked.study.arms.iter().find(named).cloned());
    let mut steps = StepsInStates {
        asked: &asked,
        arms: &mut arms,
        points: MeasuredPoints::default(),
        begun: Vec::new(),
        arm: None,
    };
    let result = session::run_study(running, interrupt, &mut listeners, &mut steps);
    let points = steps.points;
    Ok(ended(
        &asked,
        places,
        &mut listeners,
        (arms, points),
        result,
    ))
}

/// Undoes the last state, says what came of the study, and with which code it ends.
fn ended(
    asked: &Asked,
    places: Places,
    listeners: &mut Listeners<'_>,
    (mut arms, mut points): (Arms, MeasuredPoints),
    mut result: Result<Outcome, StageError>,
) -> Exit {
    let (had_failed, undone) = (arms.has_failed(), arms.leave());
    for left in arms.remove_hidden() {
        listeners.take(&Event::Finding(left));
    }
    if let (false, false, Some(failure)) = (undone, had_failed, arms.failed()) {
        // The run has ended by now, and its findings are said: this is one more.
        listeners.take(&Event::Finding(arms::not_undone(failure)));
    }
    if let (Ok(_), Some(failure)) = (&result, arms.failure()) {
        out::say(&format!("error: {failure}"));
        result = Ok(Outcome::Failed(failure));
    }
    let exit = measure::end(asked.beside.json, &asked.hosts, places, listeners, result);
    let no_limit = studies::no_limit(&asked.study, points.of(&listeners.run));
    let exit = match (arms.has_failed() || !undone, exit) {
        (true, Exit::Fine | Exit::IoErrors) => Exit::Environment,
        (false, Exit::Fine | Exit::IoErrors) if arms.is_interrupted() => Exit::Interrupted,
        (false, Exit::Fine) if no_limit.is_some() => {
            no_limit
                .into_iter()
                .for_each(|why| out::say(without_limit(why)));
            Exit::Usage
        }
        (_, exit) => exit,
    };
    asked.hosts.judged(exit, &listeners.run)
}

/// That the target or the budget allows no limit.
const fn without_limit(why: NoLimit) -> &'static str {
    match why {
        NoLimit::BudgetTooShort => {
            "error[budget-too-short]: the budget is too short for a verdict on the latency target\n  hint: the answer \
             says which budget is long enough"
        }
        NoLimit::BelowAlone => {
            "error[below-alone]: a single I/O takes longer than the latency target, so no rate can meet it\n  hint: \
             the answer says how long a single I/O takes: --slo has to be above that"
        }
    }
}

/// The stages of a study, each in its state of the system.
struct StepsInStates<'a> {
    asked: &'a Asked,
    arms: &'a mut Arms,
    points: MeasuredPoints,
    begun: Vec<String>,
    /// The state of the next stage.
    arm: Option<Arm>,
}

impl session::Steps for StepsInStates<'_> {
    fn next(&mut self, run: &Run) -> Option<(Stage, TimeAfter)> {
        let next = studies::next(&self.asked.study, self.points.of(run), &self.begun)?;
        self.begun.push(next.stage.name.clone());
        self.arms.leave_for(next.arm.as_ref())?;
        self.arm = next.arm;
        let after = TimeAfter {
            time: next.after,
            at_least: next.may_go_on,
        };
        Some((next.stage, after))
    }

    fn begin(&mut self, stage: &Stage) -> Option<()> {
        self.arms.make(self.arm.as_ref(), stage)?;
        let Some(arm) = &self.arm else {
            return Some(());
        };
        let missing = self.asked.missing_of(arm);
        missing.map_or(Some(()), |directory| {
            self.arms.lacks(arm, &directory);
            None
        })
    }
}

/// The points of a run that grows, each summarised once.
#[derive(Default)]
struct MeasuredPoints {
    done: Vec<Measured>,
    /// How many stages were looked at.
    seen: usize,
}

impl MeasuredPoints {
    /// Those of all stages that have ended.
    fn of(&mut self, run: &Run) -> &[Measured] {
        self.done.extend(Measured::later(run, self.seen));
        self.seen = run.stages.len();
        &self.done
    }
}
