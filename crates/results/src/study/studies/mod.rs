//! Studies: a question, the points that answer it, and the answer.
//!
//! Belongs here: the one engine of them all (which point is next, over repeats and states of the system), and a file
//! for each question. All is a pure function of the study and of what was measured, so that an interrupted run can be
//! resumed. Must never: run a stage, read a clock, do I/O.

mod alone;
pub mod answer;
mod bounds;
mod burst;
mod cache;
mod charged;
mod combinations;
mod combined;
mod confirming;
mod curve;
mod depth;
mod done;
mod evidence;
mod fall;
mod fell;
mod flat;
mod flows;
mod found_rate;
mod gaps;
mod grid;
mod group;
mod in_force;
mod kept;
mod knee_words;
mod lone_fall;
mod looked;
mod loss;
mod map;
mod missing;
mod mix;
mod near_far;
mod near_far_open;
mod open;
mod own_depth;
mod pacing;
mod rate_limit;
mod scale_out;
mod screen;
mod series;
mod size;
mod slower;
mod spec;
mod steady;
mod tails;
mod together;
mod two_states;
mod warming;

pub use answer::Answer;
use answer::AnswerTable;
pub(crate) use burst::DRAIN;
pub(crate) use cache::NEW_OFFSETS;
pub use done::{Measured, was_interrupted};
pub(crate) use done::{is_again, shortest_round_trip};
pub(crate) use fell::of_two_states;
pub use found_rate::LimitBounds;
pub(crate) use missing::where_lost;
pub use pacing::{StageCount, beyond_budget, may_add, point_time, stage_count};
pub use spec::{Spec, StudyLoad, short_bytes};

use crate::run::{Run, StageRun};
use crate::summary::{StageSummary, Summary};
use burst::BurstSearch;
use cache::CacheSearch;
use fall::Fall;
use leadline_model::event::Outcome;
use leadline_model::finding::{Effect, Finding};
use leadline_model::plan::study::{Arm, Axis, Coordinate, Question, Role, Study};
use leadline_model::plan::{Stage, StudyPoint};
use leadline_model::sample::EndReason;
use leadline_model::units::Nanos;
use near_far::NearFarSearch;
use own_depth::OwnDepth;
use pacing::{Pacing, Room};
use scale_out::ScaleOutSearch;
use screen::ScreenSearch;
use series::Pass;
use std::collections::BTreeSet;
use steady::SteadySearch;

/// How one question is answered, within one repeat in one state of the system.
trait Search {
    /// The next point, given those that were measured; `None` at the end. A point whose name is among `done` is not
    /// returned again. One that is not in the outlook has to fit into the room.
    fn next(&self, done: &[&Measured], room: Room) -> Option<Spec>;

    /// The points that will be measured as far as that is known before the first, in order; where a search decides, as
    /// many as it usually takes.
    fn outlook(&self) -> Vec<Spec>;

    /// The most points of this repeat, those that it may add by what it measures among them; `None` = that has no bound
    /// that is known before.
    fn most(&self) -> Option<usize> {
        Some(self.outlook().len())
    }

    /// What the points mean, all repeats together.
    fn answer(&self, done: &[&Measured]) -> Answer;

    /// The points whose rate is that of the study's own depth, where an answer would take it for the volume's.
    fn own_depths(&self, _done: &[&Measured]) -> Vec<OwnDepth> {
        Vec::new()
    }

    /// What else its answer leaves open, as findings on points.
    fn doubts(&self, _done: &[&Measured]) -> Vec<Finding> {
        Vec::new()
    }
}

/// The search of a study's question, in its repeat of this number.
fn search(study: &Study, repeat: u32) -> Box<dyn Search + '_> {
    match &study.question {
        Question::Latency
        | Question::Iops
        | Question::Throughput
        | Question::Mix
        | Question::Depth
        | Question::Size => Box::new(grid::Grid::new(study, repeat)),
        Question::ScaleOut { counts } => Box::new(ScaleOutSearch { study, counts }),
        Question::NearFar { groups } => Box::new(NearFarSearch { study, groups }),
        Question::Burst { rest } => Box::new(BurstSearch { study, rest: *rest }),
        Question::Cache { displace } => Box::new(CacheSearch {
            study,
            displace: *displace,
        }),
        Question::Steady {
            metric,
            precondition,
        } => Box::new(SteadySearch {
            study,
            metric: *metric,
            precondition: *precondition,
        }),
        Question::Screen { factors } => Box::new(ScreenSearch {
            study,
            factors,
            repeat,
        }),
        Question::Curve { .. } => or_grid(curve::Curve::new(study), study, repeat),
        Question::Combined { .. } => or_grid(combined::Combined::new(study), study, repeat),
        Question::Map { .. } => or_grid(map::Map::new(study), study, repeat),
        Question::Limit { .. } => or_grid(rate_limit::RateLimit::new(study), study, repeat),
    }
}

/// A search; the grid where there is none, which its question excludes.
fn or_grid<'a>(
    found: Option<impl Search + 'a>,
    study: &'a Study,
    repeat: u32,
) -> Box<dyn Search + 'a> {
    match found {
        Some(search) => Box::new(search),
        None => Box::new(grid::Grid::new(study, repeat)),
    }
}

/// What a study does next.
#[derive(Clone, Debug, PartialEq)]
pub struct Next {
    /// The stage.
    pub stage: Stage,
    /// What the rest after it will take, as far as that is known.
    pub after: Nanos,
    /// Whether it may take longer: the search adds points by what it measures.
    pub may_go_on: bool,
    /// The state of the system that it is measured in.
    pub arm: Option<Arm>,
}

/// The next stage of a study, given what was measured; `None` at the end. A stage that was begun and brought nothing
/// (`begun` are the names of all) ends the study.
#[must_use]
pub fn next(study: &Study, done: &[Measured], begun: &[String]) -> Option<Next> {
    let pacing = Pacing::of(study, done);
    let spec = next_spec(study, done, &pacing)?;
    let stage = pacing.stage_within(study, done, &spec)?;
    if begun.contains(&stage.name) {
        return None;
    }
    Some(Next {
        after: pacing.after(study, done, &spec),
        may_go_on: pacing.may_go_on(study, done, &spec),
        stage,
        arm: arm_of(study, &spec),
    })
}

/// Every stage that is known before the first, in order, as long as the budget lets it be.
#[must_use]
pub fn outlook(study: &Study) -> Vec<Stage> {
    Pacing::of(study, &[]).stages(study)
}

/// What the study answers, given the points of a run.
#[must_use]
pub fn answer(study: &Study, done: &[Measured]) -> Answer {
    joined(study, done, |answer| answer)
}

/// What was measured, of a study without an answer: its tables of points and its charts.
fn measured_alone(study: &Study, done: &[Measured]) -> Answer {
    // The computed line of a search for a limit is its target.
    let asked = matches!(study.question, Question::Limit { .. });
    joined(study, done, |answer| answer.of_measured_alone(asked))
}

/// The answers of all states together, each as `shown`.
fn joined(study: &Study, done: &[Measured], shown: impl Fn(Answer) -> Answer) -> Answer {
    let states = by_arm(study, done).into_iter();
    let each = states.map(|(arm, points)| (arm, shown(search(study, 1).answer(&points))));
    let mut answer = together::joined(each.collect());
    answer.tables.retain(|table| !table.rows.is_empty());
    answer
}

/// The results in each state of the system, with its name; in one without a name where there are none.
fn by_arm<'a>(study: &'a Study, done: &'a [Measured]) -> Vec<(&'a str, Vec<&'a Measured>)> {
    // What was written before a burst shows how full the bucket was, and before a search how long a budget has to be.
    let asks = matches!(
        study.question,
        Question::Burst { .. } | Question::Limit { .. }
    );
    let is_needed = |m: &&Measured| asks || m.role() != Role::Fill;
    let points = || {
        let with_ios = |m: &&Measured| m.summary.figures.data.ios > 0;
        done.iter().filter(is_needed).filter(with_ios)
    };
    if study.arms.is_empty() {
        return vec![("", points().collect())];
    }
    let of = |arm: &'a Arm| {
        let is_its = |m: &&Measured| m.text(Axis::Arm) == Some(arm.name.as_str());
        (arm.name.as_str(), points().filter(is_its).collect())
    };
    study.arms.iter().map(of).collect()
}

/// The bounds of a study that asks for a limit in each state of the system, by its name; nothing of other studies.
#[must_use]
pub fn limits_by_state(study: &Study, done: &[Measured]) -> Vec<(String, Vec<LimitBounds>)> {
    let Some(search) = rate_limit::RateLimit::new(study) else {
        return Vec::new();
    };
    let each = by_arm(study, done).into_iter();
    let bounds = |(arm, points): (&str, Vec<&Measured>)| {
        (arm.to_owned(), LimitBounds::of(&search.found(&points)))
    };
    each.map(bounds).collect()
}

/// The credits of a study of a burst in each state of the system, by its name: the two rates, the size of the bucket and
/// its refill, a row for each load whose rate fell; nothing of other studies.
#[must_use]
pub fn credits_by_state(study: &Study, done: &[Measured]) -> Vec<(String, AnswerTable)> {
    let Question::Burst { rest } = study.question else {
        return Vec::new();
    };
    let search = BurstSearch { study, rest };
    let each = by_arm(study, done).into_iter();
    each.map(|(arm, points)| (arm.to_owned(), search.credits(&points)))
        .collect()
}

/// What is to be said of the points of a run that is a study whose own depth was the limit; `summary` is the run's.
#[must_use]
pub fn own_depths(run: &Run, summary: &Summary) -> Vec<Finding> {
    let Some(study) = run.plan.as_ref().and_then(|plan| plan.study.as_deref()) else {
        return Vec::new();
    };
    let done = Measured::all(run, summary);
    let each = by_arm(study, &done).into_iter();
    let of_answers = each.flat_map(|(_, points)| {
        let search = search(study, 1);
        let own = search.own_depths(&points).into_iter();
        own.map(|own| own.finding())
            .chain(search.doubts(&points))
            .collect::<Vec<_>>()
    });
    let of_states = fell::of_states(study, &done, &summary.points(run));
    of_answers.chain(of_states).collect()
}

/// The answer of a run that is a study; `summary` is the run's. What differs between states of the system is for
/// `between` to add, which is asked where the answer is not withheld.
#[must_use]
pub fn answer_of(
    run: &Run,
    summary: &Summary,
    between: impl FnOnce(&Study, &mut Answer),
) -> Option<Answer> {
    let study = run.plan.as_ref()?.study.as_deref()?;
    let done = Measured::all(run, summary);
    let withheld = why_withheld(run, summary, study, &done);
    let is_answered = withheld.is_none();
    let mut answer = match is_answered {
        true => answer(study, &done),
        false => measured_alone(study, &done),
    };
    if is_answered {
        between(study, &mut answer);
        flows::add(run, study, &done, &mut answer);
        looked::add(study, &done, &mut answer);
    }
    in_force::add(run, study, &mut answer);
    if let Question::NearFar { groups } = &study.question {
        near_far::add_round_trips(run, groups, &done, &mut answer);
    }
    if let Some(why) = withheld {
        // What the rest has added are facts, without their sentences and values.
        (answer.sentences, answer.values) = (vec![why], Vec::new());
    }
    let of_hosts = missing::words(run, &results(&done).collect::<Vec<_>>());
    // What was interrupted did not end with its budget.
    let of_time = match run.outcome {
        Some(Outcome::CutShort) => None,
        _ => pacing::cut_short(study, &done),
    };
    let of_highest = match is_answered {
        true => of_highest(run, study, &done),
        false => Vec::new(),
    };
    let first = answer.sentences.len().min(1);
    let said = of_hosts.into_iter().chain(of_time).chain(of_highest);
    answer.sentences.splice(first..first, said);
    Some(answer)
}

/// Why a run that is a study has no answer; `None` where it has one, and of other runs.
#[must_use]
pub fn no_answer(run: &Run, summary: &Summary) -> Option<String> {
    let study = run.plan.as_ref()?.study.as_deref()?;
    why_withheld(run, summary, study, &Measured::all(run, summary))
}

fn why_withheld(run: &Run, summary: &Summary, study: &Study, done: &[Measured]) -> Option<String> {
    let of_rates = || fell::withheld(study, done, &summary.points(run));
    withheld(run, done).or_else(of_rates)
}

/// What is to be known of the highest rates that an answer names: which were not confirmed, and which did not repeat.
fn of_highest(run: &Run, study: &Study, done: &[Measured]) -> Vec<String> {
    let unconfirmed = confirming::unconfirmed(run, study, done).into_iter();
    unconfirmed.chain(fell::not_repeated(study, done)).collect()
}

/// Whether the I/Os that failed in a stage are within the share that a study lets be lost, and none ended a worker.
#[must_use]
pub fn loss_is_kept(run: &Run, stage: &Stage, summary: &StageSummary) -> bool {
    let study = run.plan.as_ref().and_then(|plan| plan.study.as_deref());
    let (allowed, target) = match study.map(|study| &study.question) {
        Some(Question::Limit { loss, target, .. }) if *loss > 0.0 => (*loss, *target),
        _ => return false,
    };
    let asked = |p: &StudyPoint| p.at.get(&Axis::Rate).and_then(Coordinate::number);
    let rate = stage.point.as_ref().and_then(asked).unwrap_or_default();
    let is_result = |p: &StudyPoint| !p.role.prepares();
    let workers = run.stages.iter().filter(|own| own.stage == summary.stage);
    let mut workers = workers.flat_map(|own| &own.workers);
    stage.point.as_ref().is_some_and(is_result)
        && !workers.any(|worker| matches!(worker.end, EndReason::Error { .. }))
        && !loss::Loss::of(&summary.figures, rate, target).is_over(allowed)
}

/// Whether a stage is a point of a study of credits in which they ended: that its rate fell is what it was to find out.
#[must_use]
pub fn credits_ended(run: &Run, stage: &StageRun, summary: &StageSummary) -> bool {
    let study = run.plan.as_ref().and_then(|plan| plan.study.as_deref());
    study.is_some_and(|study| matches!(study.question, Question::Burst { .. }))
        && Measured::of(run, stage, || summary.clone()).is_some_and(|m| Fall::of(&m).is_some())
}

/// Why a study of a limit has no rate to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLimit {
    /// The budget was too short for a verdict on the target, in a state of the system.
    BudgetTooShort,
    /// One I/O alone takes longer than the target, of every kind of load in every state of the system.
    BelowAlone,
}

/// Why a study that asks for a limit has none; `None` where it has one, and of other studies.
#[must_use]
pub fn no_limit(study: &Study, done: &[Measured]) -> Option<NoLimit> {
    let search = rate_limit::RateLimit::new(study)?;
    let states = by_arm(study, done);
    let found: Vec<_> = states
        .iter()
        .map(|(_, points)| search.found(points))
        .collect();
    let all = || found.iter().flatten();
    if all().any(found_rate::FoundRate::is_undecided) {
        return Some(NoLimit::BudgetTooShort);
    }
    let is_never =
        found.iter().all(|one| !one.is_empty()) && all().all(found_rate::FoundRate::is_never);
    (is_never && !found.is_empty()).then_some(NoLimit::BelowAlone)
}

/// The finding on I/Os that failed.
const IO_ERRORS: &str = "io-errors";

/// Why there is no answer: checks failed on points that it depends on.
fn withheld(run: &Run, done: &[Measured]) -> Option<String> {
    let study = run.plan.as_ref().and_then(|plan| plan.study.as_deref());
    // They are a part of what it asks.
    let counts_errors = study.is_some_and(|s| matches!(s.question, Question::Limit { .. }));
    let is_result = |m: &&Measured| !m.role().prepares();
    let failures = |m: &Measured| {
        let stage = m.summary.stage;
        let own = run.findings.iter().filter(move |f| f.covers(stage, 0));
        own.filter(|f| f.effect() == Effect::Unusable && !(counts_errors && f.code == IO_ERRORS))
    };
    let points: Vec<&Measured> = done.iter().filter(is_result).collect();
    let codes: BTreeSet<&str> = points
        .iter()
        .flat_map(|m| failures(m).map(|f| f.code.as_str()))
        .collect();
    let failed = points
        .iter()
        .filter(|m| failures(m).next().is_some())
        .count();
    (failed > 0).then(|| {
        let codes: Vec<&str> = codes.into_iter().collect();
        format!(
            "No answer: a check failed on {failed} of {} points ({}). What was measured is in the tables.",
            points.len(),
            codes.join(", ")
        )
    })
}

/// The points that are results: all but fills and what brings the target into a state.
fn results(done: &[Measured]) -> impl Iterator<Item = &Measured> {
    let of = |m: &&Measured| !matches!(m.role(), Role::Fill) && m.summary.figures.data.ios > 0;
    done.iter().filter(of)
}

/// The next point.
fn next_spec(study: &Study, done: &[Measured], pacing: &Pacing) -> Option<Spec> {
    let (room, before) = (
        pacing.room(study, done),
        pacing.room_before_confirmations(study, done),
    );
    // A best point for which there is no time now; at the end it is what the budget was too short for.
    let mut left_out = None;
    for series in Pass::all(study) {
        let own: Vec<&Measured> = done.iter().filter(|m| series.has(m)).collect();
        let fill = series.begins_arm.then(|| series.mark(Spec::fill(study)));
        let is_filled = |fill: &Spec| done.iter().any(|m| m.name == fill.name(study));
        if let Some(fill) = fill.filter(|fill| !is_filled(fill)) {
            return Some(fill);
        }
        let search = search(study, series.repeat);
        if let Some(spec) = search.next(&own, before) {
            return Some(series.mark(spec));
        }
        if let Some(again) = confirming::next(study, &search.outlook(), &own) {
            let again = series.mark(again);
            match room.fitted(&again) {
                Some(spec) => return Some(spec),
                None => left_out = left_out.or(Some(again)),
            }
        }
    }
    left_out
}

/// The points that are known before the first.
fn specs(study: &Study) -> Vec<Spec> {
    let mut all = Vec::new();
    for series in Pass::all(study) {
        let fill = series.begins_arm.then(|| Spec::fill(study));
        let points = search(study, series.repeat).outlook();
        let own = fill.into_iter().chain(points);
        all.extend(own.map(|spec| series.mark(spec)));
    }
    all
}

fn arm_of(study: &Study, spec: &Spec) -> Option<Arm> {
    let name = spec.at.get(&Axis::Arm)?.text()?;
    study.arms.iter().find(|arm| arm.name == name).cloned()
}

/// The prefix of a sentence or a title about one of several; empty if there is only one.
fn label(of: &str) -> String {
    match of {
        "" => String::new(),
        of => format!("{of}: "),
    }
}

/// A title of a table with what it is of after it, as the charts that are made of the table expect: `Hosts: 4 KiB, depth 8`.
fn title_with(title: &str, of: &str) -> String {
    match of {
        "" => title.to_owned(),
        of => format!("{title}: {of}"),
    }
}
