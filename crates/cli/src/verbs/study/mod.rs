//! `leadline study`: one question, answered. Which point comes next and what the points mean is for
//! `leadline_results::study::studies` to say; here it is wired to the engine, the terminal, the user's own commands and
//! the files it leaves.

mod arms;
mod resume;
mod room;

use crate::args::GradeLimit;
use crate::examples;
use crate::exit::Exit;
use crate::fleet::{Coming, HostsRequest, StageError};
use crate::live::Live;
use crate::result_file::{self, Inputs};
use crate::session::{self, Listeners, StudyControl};
use crate::simulated::{are_simulated, is_simulated, wrong_law};
use crate::switches;
use crate::verbs::Refusal;
use crate::verbs::measure::{self, PLACE_CURE, Places};
use crate::verbs::shown::{self, Form};
use crate::verbs::targets::{Targets, no_such_directory};
use crate::{out, time};
use arms::Arms;
use leadline_dialect::diagnostic::Diagnostic;
use leadline_engine::os::kernel_release;
use leadline_model::event::{Event, Outcome};
use leadline_model::plan::study::{Arm, Question, Study, StudyPlace};
use leadline_model::plan::{Dialect, Plan, Source, Stage};
use leadline_model::units::Nanos;
use leadline_results::run::Run;
use leadline_results::study::narrow;
use leadline_results::study::studies::{self, Measured, NoLimit};
use leadline_study::{Beside, Request};
use resume::Earlier;
use std::path::{Path, PathBuf};

/// More points than these are refused without `--yes`.
const MOST_POINTS: usize = 10_000;

pub(crate) fn run(words: &[String]) -> Exit {
    let Some(asked) = read(words) else {
        return Exit::Usage;
    };
    let asked = match asked {
        Read::Help(exit) => return exit,
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
        Some(Read::Help(exit)) => return exit,
        Some(Read::Study(asked)) => asked,
    };
    let earlier = asked.earlier();
    match earlier.and_then(|earlier| Ok((earlier, asked.coming()?))) {
        Ok((earlier, mut stages)) => {
            let done = earlier.map_or_else(Vec::new, |earlier| earlier.stages);
            stages.retain(|stage| done.iter().all(|done| done.name != stage.name));
            let mut plan = asked.plan();
            plan.stages = stages;
            let sure = asked.sure(plan.stages.len());
            if studies::may_add(&asked.study) {
                out::say(
                    "note: points that are chosen by what was measured (between others, once more) are not among these; \
                     --budget keeps the whole within a time",
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

/// What the words are.
enum Read {
    /// Help, which was shown.
    Help(Exit),
    /// A study.
    Study(Box<Asked>),
}

/// A study with all that is asked beside it.
struct Asked {
    study: Study,
    targets: Vec<String>,
    beside: Beside,
    hosts: HostsRequest,
}

/// Reads the words; `None` where something is wrong, which was said.
fn read(words: &[String]) -> Option<Read> {
    let callers = switches::of_studies();
    let file = |name: &str| std::fs::read_to_string(name).map_err(|error| error.to_string());
    let parsed = leadline_study::parse(words, &callers, &file);
    if let Some(help) = parsed.help {
        let example = help.map_or_else(
            || examples::end("study"),
            |study| format!("Example:\n  {}\n", study.example),
        );
        let more = format!("{}\n{example}", switches::help_of_studies());
        let text = leadline_study::usage(help, &more);
        if words.is_empty() {
            // Nothing was asked, not even for help.
            out::say(&text);
            return None;
        }
        out::help(&text);
        return Some(Read::Help(Exit::Fine));
    }
    let fine = super::say_diagnostics(&parsed.diagnostics, &parsed.sources);
    // What is wrong with the switches that every verb has is said as well.
    let own = parsed.request.as_ref();
    let limit = own.and_then(|request| GradeLimit::of(request.beside.fail_on_grade?));
    let (hosts, _) = HostsRequest::take_graded(&parsed.switches, limit);
    if !fine {
        let elsewhere = |h: &HostsRequest| !h.hosts.is_empty() || h.targets.has_maps();
        // A state's own command may make a directory, and a file may have states.
        let may_come = |word: &String| word.contains("prepare") || word.ends_with(".toml");
        let here = !hosts.as_ref().is_some_and(elsewhere) && !words.iter().any(may_come);
        wrong_targets(&parsed.targets, here)
            .iter()
            .for_each(|wrong| out::say(wrong));
        return None;
    }
    let (request, hosts) = (parsed.request?, hosts?);
    if !super::say_diagnostics(&of_hosts(&request, &hosts), &parsed.sources) {
        return None;
    }
    settled(request, hosts)
        .map_err(|(text, _)| out::say(&text))
        .ok()
        .map(|asked| Read::Study(Box::new(asked)))
}

/// What the run is called: a target that several states have is named once.
fn title(study: &str, targets: &[String]) -> String {
    let mut named: Vec<&str> = Vec::new();
    for target in targets {
        if !named.contains(&target.as_str()) {
            named.push(target);
        }
    }
    format!("{study} study of {}", named.join(" "))
}

/// What is wrong with targets, whatever else is: the law of a simulated volume, and a directory that is not `here`, on this
/// machine.
fn wrong_targets(targets: &[String], here: bool) -> Vec<String> {
    let wrong = |target: &String| match is_simulated(target) {
        true => wrong_law(target),
        false if here => no_such_directory(target).map(|(text, _)| text),
        false => None,
    };
    targets.iter().filter_map(wrong).collect()
}

/// A study on its scope: what is known of hosts and targets put into it.
fn settled(request: Request, hosts: HostsRequest) -> Result<Asked, Refusal> {
    let mut study = request.study;
    let place_of = |named: &[String]| {
        let targets = Targets {
            named,
            destroy: &request.beside.destroy,
            elsewhere: !hosts.hosts.is_empty(),
            writer: "the study",
        };
        targets.place()
    };
    let mut targets = request.targets.clone();
    let rated = match &mut study.question {
        Question::Combined { rated, .. } => rated.place.as_mut(),
        _ => None,
    };
    let arms = study.arms.iter_mut().filter_map(|arm| arm.place.as_mut());
    for place in arms.chain(rated) {
        if let StudyPlace::Paths(named) = place {
            let named = std::mem::take(named);
            *place = place_of(&named)?;
            targets.extend(named);
        }
    }
    study.scope.place = match (request.targets.is_empty(), study.arms.first()) {
        (true, Some(first)) => first.place.clone().unwrap_or(study.scope.place),
        _ => place_of(&request.targets)?,
    };
    study.scope.hosts = u32::try_from(hosts.hosts.len()).unwrap_or(u32::MAX).max(1);
    if !study.seeded {
        study.seed = session::fresh_seed();
    }
    let mut asked = Asked {
        study,
        targets,
        beside: request.beside,
        hosts,
    }
    .filled();
    if !request.sized {
        room::make_fit(&mut asked.study, request.least, &asked.hosts);
    }
    Ok(asked)
}

/// What of a study does not go with its hosts.
fn of_hosts(request: &Request, hosts: &HostsRequest) -> Vec<Diagnostic> {
    let labels: Vec<&str> = hosts.hosts.iter().map(|h| h.label.as_str()).collect();
    let at = |option| request.place(option).unwrap_or_default();
    match &request.study.question {
        Question::ScaleOut { counts } => {
            let count = labels.len().max(1);
            let is_above = |n: &&u32| usize::try_from(**n).is_ok_and(|n| n > count);
            let above = counts.iter().find(is_above).map(|most| {
                let there = match count {
                    1 => "is 1 host".to_owned(),
                    more => format!("are {more} hosts"),
                };
                let message = format!("counts: {most} are asked for, and there {there}");
                Diagnostic::error("counts-above-hosts", message)
                    .at(at("counts"), "")
                    .hint("lower --counts, or name more in --hosts, for example --hosts 'vm[1-8]'")
            });
            above.into_iter().collect()
        }
        Question::NearFar { groups } => {
            let named = groups.iter().flat_map(|group| &group.hosts);
            let unknown = named.filter(|host| !labels.contains(&host.as_str()));
            let each = unknown.map(|host| {
                let message = format!("groups: {host} is not among the hosts");
                let wrong = Diagnostic::error("no-such-host", message).at(at("groups"), "");
                match labels.is_empty() {
                    true => wrong.hint("name the hosts of all groups in --hosts"),
                    false => wrong
                        .expected(labels.join(", "))
                        .hint("name it in --hosts too, or correct it"),
                }
            });
            each.collect()
        }
        _ => Vec::new(),
    }
}

impl Asked {
    /// The same, its question filled with what follows from the hosts.
    fn filled(mut self) -> Self {
        let count = self.study.scope.hosts;
        self.hosts.targets.parts = count;
        match &mut self.study.question {
            Question::ScaleOut { counts } if counts.is_empty() => *counts = doublings(count),
            Question::NearFar { groups } => {
                for group in groups {
                    let numbers = (0_u32..).zip(&self.hosts.hosts);
                    let own = numbers.filter(|(_, h)| group.hosts.contains(&h.label));
                    group.numbers = own.map(|(number, _)| number).collect();
                    let far = group.numbers.iter().map(|host| (*host, group.distance));
                    let far = far.filter(|(_, distance)| *distance > Nanos::ZERO);
                    self.hosts.targets.distances.extend(far);
                }
            }
            _ => {}
        }
        self
    }

    /// Refuses a directory that is not there: a name with a mistake, or a mount that is missing, would be measured as if it
    /// were meant. A state's own command may make it, and what is on other hosts or simulated is not looked for here.
    fn directories_are_there(&self) -> Result<(), Refusal> {
        let made = self.study.arms.iter().any(|arm| !arm.prepare.is_empty());
        if made || !self.hosts.hosts.is_empty() || self.hosts.targets.has_maps() {
            return Ok(());
        }
        let own = self.study.arms.iter().filter_map(|arm| arm.place.as_ref());
        let missing = own
            .chain([&self.study.scope.place])
            .find_map(|place| match place {
                StudyPlace::Directory(name) => no_such_directory(name),
                StudyPlace::Paths(_) => None,
            });
        missing.map_or(Ok(()), Err)
    }

    /// The run that is taken up, which gives its seed.
    fn earlier(&mut self) -> Result<Option<Earlier>, Refusal> {
        let path = self.beside.resume.as_ref();
        path.map(|path| resume::earlier(path, &mut self.study))
            .transpose()
    }

    /// Every stage that is known before the first, with its targets.
    fn coming(&self) -> Result<Vec<Stage>, Refusal> {
        let mut stages = studies::outlook(&self.study);
        let mut wrong = Vec::new();
        if stages.len() > MOST_POINTS && !self.beside.yes {
            wrong.push(format!(
                "error[too-many-points]: the study has {} points\n  hint: fewer values in its lists, or --yes if that is meant",
                stages.len()
            ));
        }
        wrong.extend(self.hosts.targets.resolve(&mut stages).err());
        wrong.extend(room::too_large(&self.study, &stages, &self.hosts));
        // What limits name in vain they say themselves.
        let more = studies::may_add(&self.study);
        let named = self.hosts.checks.name_what_is_in(&stages, more);
        if !self.hosts.targets.distances.is_empty() && !are_simulated(&stages) {
            let text = "error: --distance: the distance of real hosts is theirs\n  hint: it is for hosts of a simulated \
                        volume (sim:LAW)";
            wrong.push(text.to_owned());
        }
        if let (Some(least), Some(budget)) = (
            studies::beyond_budget(&self.study),
            self.study.timing.budget,
        ) {
            wrong.push(format!(
                "error: --budget {budget} cannot be kept: the points take {least} at the least, 1 s each with warm-up and \
                 pause, and what is written before them comes on top\n  hint: a longer --budget, fewer values in its lists, \
                 or a shorter {}",
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
        Ok(stages)
    }

    /// Every stage that is known before the first, where the directories of the study are there; all that is wrong is said.
    fn begins(&self) -> Result<Vec<Stage>, Refusal> {
        match (self.directories_are_there(), self.coming()) {
            (Err((missing, _)), Err((wrong, exit))) => Err((format!("{missing}\n{wrong}"), exit)),
            (there, coming) => there.and(coming),
        }
    }

    /// How many of the stages come before any command of the user's.
    fn sure(&self, stages: usize) -> usize {
        let commands = self.study.arms.iter().any(|arm| !arm.prepare.is_empty());
        if commands { 0 } else { stages }
    }

    fn plan(&self) -> Plan {
        Plan {
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
                files: Vec::new(),
            },
            given: Vec::new(),
            original: leadline_model::plan::Original::default(),
            interval: match (&self.study.question, &self.study.timing) {
                (Question::Burst { .. }, timing) => narrow::slice_of_falls(timing.time),
                (_, timing) => narrow::slice(timing.time, timing.narrow.is_some()),
            },
            stages: Vec::new(),
            read_only: false,
            destroy: self.beside.destroy.clone(),
        }
    }
}

/// 1, 2, 4 and on, and all.
fn doublings(all: u32) -> Vec<u32> {
    let powers = std::iter::successors(Some(1_u32), |n| n.checked_mul(2));
    powers.take_while(|n| *n < all).chain([all]).collect()
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
            "error: --out {}: the run that is taken up is not written over\n  hint: another name for --out: the new run file \
             begins with all points of the old one, which may be removed when it has ended",
            base.display()
        );
        (text, Exit::Usage)
    })
}

/// Makes the study.
fn studied(mut asked: Asked) -> Result<Exit, Refusal> {
    let earlier = asked.earlier()?;
    let stages = asked.begins()?;
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
        study: &asked.study,
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
            "error[budget-too-short]: the budget cannot hold a verdict on the target of latency\n  hint: the answer says \
             which budget can"
        }
        NoLimit::BelowAlone => {
            "error[below-alone]: one I/O alone takes longer than the target of latency, so no rate can meet it\n  hint: the \
             answer says how long one alone takes: give --slo more than that"
        }
    }
}

/// The stages of a study, each in its state of the system.
struct StepsInStates<'a> {
    study: &'a Study,
    arms: &'a mut Arms,
    points: MeasuredPoints,
    begun: Vec<String>,
    /// The state of the next stage.
    arm: Option<Arm>,
}

impl session::Steps for StepsInStates<'_> {
    fn next(&mut self, run: &Run) -> Option<(Stage, Nanos)> {
        let next = studies::next(self.study, self.points.of(run), &self.begun)?;
        self.begun.push(next.stage.name.clone());
        self.arms.leave_for(next.arm.as_ref())?;
        self.arm = next.arm;
        Some((next.stage, next.after))
    }

    fn begin(&mut self, stage: &Stage) -> Option<()> {
        self.arms.make(self.arm.as_ref(), stage)
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

#[cfg(test)]
mod title_tests {
    #[test]
    fn a_target_of_several_states_is_named_once() {
        let targets = ["/mnt/a", "/mnt/b", "/mnt/a"].map(str::to_owned);
        let title = super::title("iops", &targets);
        assert_eq!(title, "iops study of /mnt/a /mnt/b");
    }
}
