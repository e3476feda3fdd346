//! The highest rate at which a latency target is met: bounds from trials.
//!
//! Belongs here: the points before the search, trials as points, and the answer. Must never: the plan of the search
//! (that is `bounds`), verdicts on rates (`evidence`), or words (`found_rate`).

use super::Search;
use super::alone;
use super::answer::Answer;
use super::bounds;
use super::combinations::loads;
use super::done::Measured;
use super::evidence::{Bounds, Trial, TrialFrame, is_same};
use super::found_rate::{ENOUGH, First, FoundRate, State, limits};
use super::group::{PointGroup, name_in};
use super::loss::Loss;
use super::open::{by_rank, by_repeat, missed, of_kind, point, with_role};
use super::own_depth::{Few, OwnDepth};
use super::pacing::Room;
use super::series::Pass;
use super::spec::{Spec, StudyLoad};
use leadline_model::finding::Finding;
use leadline_model::plan::study::{Axis, LatencyTarget, Question, Role, Study};
use leadline_model::plan::{Arrival, UNDECIDED_IOPS};
use leadline_model::units::Nanos;

/// The trials take this multiple of the time of a point where no budget is given: 10 minutes of 5 seconds.
const USUAL: f64 = 120.0;
/// I/Os above the target that a short trial needs at the least.
const FEW: f64 = 30.0;
/// A latency of more than this multiple of the target is far beyond it, where this multiple of the I/Os allowed are.
const FAR: f64 = 3.0;
const BEYOND: f64 = 5.0;
/// This multiple of what is needed at the measured rate, since another try measures another rate.
const MORE: f64 = 1.03;
/// Each of the points before the search has the budget over this at the most.
const FIRST: u64 = 20;
/// A bound has about this share of the budget.
const PART: f64 = 1.0 / 3.0;
/// The highest rate is at most this multiple of what depth 1 reaches on each of the workers where a rate limit, and
/// not the latency, may be what paces it.
const PACED: f64 = 1.25;

/// The points of a kind of load before its search.
#[derive(Clone, Copy)]
struct Firsts<'m> {
    highest: Option<&'m Measured>,
    alone: Option<&'m Measured>,
    /// One alone, with a pause before each.
    paused: Option<&'m Measured>,
}

impl<'m> Firsts<'m> {
    fn of(kind: &StudyLoad, all: &[&'m Measured]) -> Self {
        let lone = of_kind(all, &alone::lone(kind)).into_iter();
        let lone = lone.filter(|m| m.role() == Role::Point && alone::is_one(m));
        let (paused, follows): (Vec<_>, Vec<_>) =
            lone.partition(|m| m.number(Axis::Rate).is_some());
        Self {
            highest: with_role(&of_kind(all, kind), Role::Maximum),
            alone: follows.first().copied(),
            paused: paused.first().copied(),
        }
    }

    /// The highest rate and the latency at depth 1, both measured.
    fn both(&self) -> Option<(&'m Measured, &'m Measured)> {
        self.highest.zip(self.alone)
    }

    /// Whether a rate limit may be what paces depth 1: a volume limited to 1,000 I/Os a second makes each I/O that
    /// immediately follows another wait for a millisecond, however fast it is itself.
    fn may_be_paced(&self, kind: &StudyLoad) -> bool {
        let workers = kind.workers().max(1) as f64;
        let is = |(highest, alone): (&Measured, &Measured)| {
            highest.iops() <= PACED * workers * alone.iops()
        };
        self.both().is_some_and(is)
    }

    /// Depth 1 that no rate limit paces.
    fn unpaced(&self) -> Option<&'m Measured> {
        let alone = self.alone?;
        let quicker = self
            .paused
            .filter(|paused| alone::is_quicker(&paused.mean_within(), &alone.mean_within()));
        Some(quicker.unwrap_or(alone))
    }
}

/// The search in one repeat.
pub(super) struct RateLimit<'a> {
    study: &'a Study,
    target: LatencyTarget,
    loss: f64,
    arrival: Arrival,
}

impl<'a> RateLimit<'a> {
    /// The search of a study that asks for a limit.
    pub(super) fn new(study: &'a Study) -> Option<Self> {
        match study.question {
            Question::Limit {
                target,
                loss,
                arrival,
            } => Some(Self {
                study,
                target,
                loss,
                arrival,
            }),
            _ => None,
        }
    }

    /// Seconds of all trials of one kind of load, in one repeat.
    fn budget(&self, done: &[&Measured]) -> f64 {
        let timing = &self.study.timing;
        let Some(budget) = timing.budget else {
            return USUAL * timing.time.as_secs_f64();
        };
        let others = done
            .iter()
            .filter(|m| !matches!(m.role(), Role::Trial | Role::Confirmation));
        let series = Pass::all(self.study).len() as f64;
        let kinds = loads(self.study);
        let before: f64 = others.map(|m| m.took.as_secs_f64()).sum();
        // The first points of other kinds are to come.
        let firsts = kinds.iter().flat_map(|kind| self.firsts(kind));
        let is_done = |spec: &Spec| {
            let of_load = of_kind(done, &spec.loads[0]).into_iter();
            of_load.into_iter().any(|m| m.role() == spec.role)
        };
        let ahead = firsts.filter(|spec| !is_done(spec));
        let ahead: f64 = ahead
            .filter_map(|spec| Some(spec.length()?.as_secs_f64()))
            .sum();
        (budget.as_secs_f64() / series - before - ahead).max(1.0) / kinds.len() as f64
    }

    /// Seconds of a budget that is enough for a verdict on each kind of load, for which `needed` seconds are needed:
    /// with what is written first, and the points before the searches at their full length.
    fn whole(&self, needed: f64, done: &[&Measured]) -> f64 {
        let timing = &self.study.timing;
        let kinds = loads(self.study).len() as f64;
        let first = timing.time.as_secs_f64() + timing.warmup.as_secs_f64();
        let fills = done.iter().filter(|m| m.role().prepares());
        let fills: f64 = fills.map(|m| m.took.as_secs_f64()).sum();
        let each = kinds * (needed / PART + 2.0 * first) + fills;
        let whole = MORE * each * Pass::all(self.study).len() as f64;
        (whole / 10.0).ceil() * 10.0
    }

    /// Measured time of the points before the search: almost nothing of a short budget.
    fn first_time(&self) -> Nanos {
        let timing = &self.study.timing;
        let searches = Pass::all(self.study).len() * loads(self.study).len();
        let part = timing
            .budget
            .map(|budget| Nanos(budget.0 / (FIRST * searches as u64).max(1)));
        let part = part.map(|part| part.max(Nanos::SECOND));
        part.unwrap_or(timing.time).min(timing.time)
    }

    /// The points before the search of a kind of load: the highest rate, and one alone.
    fn firsts(&self, kind: &StudyLoad) -> [Spec; 2] {
        let short = |spec: Spec| Spec {
            time: Some(self.first_time()),
            ..spec
        };
        let highest = point(self.study, Role::Maximum, kind, &[], None);
        [short(highest), short(alone::spec(kind, self.study))]
    }

    /// One alone of a kind with a pause before each, given one without.
    fn paused(&self, kind: &StudyLoad, alone: &Measured) -> Spec {
        let [_, without] = self.firsts(kind);
        Spec {
            time: without.time,
            ..alone::paused(kind, self.study, alone.iops())
        }
    }

    /// Latency and half its interval as a logarithm.
    fn latency(&self, measured: &Measured) -> (f64, f64) {
        let Some(percent) = self.target.percentile else {
            let mean = measured.mean_within();
            let half = match mean.settled || mean.high > mean.low {
                true => mean.relative(),
                false => f64::INFINITY,
            };
            return (mean.value, half);
        };
        let Some(found) = measured.response_at(percent) else {
            return (f64::INFINITY, f64::INFINITY);
        };
        let ln = |ns: Nanos| (ns.0.max(1) as f64).ln();
        let half = match (found.low, found.high) {
            (Some(low), Some(high)) => (ln(high) - ln(low)) / 2.0,
            (Some(low), None) => ln(found.value) - ln(low),
            _ => by_rank(measured, percent).unwrap_or(f64::INFINITY),
        };
        (found.value.0 as f64, half)
    }

    fn state(&self, kind: &StudyLoad, all: &[&Measured]) -> State {
        let firsts = Firsts::of(kind, all);
        let (Some(highest), Some(alone)) = (firsts.highest, firsts.unpaced()) else {
            let missing = firsts.highest.map_or(First::Highest, |_| First::Alone);
            return State::Before(missing);
        };
        if firsts.paused.is_none() && firsts.may_be_paced(kind) {
            return State::Before(First::Paused);
        }
        let within = self.target.within.0 as f64;
        let (latency, half) = self.latency(alone);
        if latency * (-half.min(1.0)).exp() > within {
            return State::Never(latency);
        }
        let budget = self.budget(all);
        let above = 1.0 - self.target.percentile.unwrap_or(50.0) / 100.0;
        let needed = ENOUGH / (above * highest.iops());
        if needed > PART * budget {
            return State::TooShort(self.whole(needed, all));
        }
        State::Searching(TrialFrame {
            alone: (latency / within).min(0.999),
            highest: highest.iops(),
            at_once: highest.iops() * alone.mean_within().value / 1e9,
            loss: self.loss,
            budget,
            warmup: self.study.timing.warmup.as_secs_f64(),
            shortest: (FEW / ENOUGH * needed).max(1.0),
        })
    }

    fn trials(&self, own: &[&Measured]) -> Vec<Trial> {
        let trial = |m: &&Measured| {
            let confirms = match m.role() {
                Role::Trial => false,
                Role::Confirmation => true,
                _ => return None,
            };
            let (latency, half) = self.latency(m);
            let rate = m.number(Axis::Rate)?;
            let (missed, losses) = (
                missed(m, rate),
                Loss::of(&m.summary.figures, rate, self.target),
            );
            Some(Trial {
                beyond: self.is_beyond(m, latency),
                rate,
                seconds: m.summary.figures.span.as_secs_f64().max(1e-3),
                ratio: (latency / self.target.within.0 as f64).max(1e-9).ln(),
                half,
                missed,
                losses,
                lost: missed || losses.is_surely_over(self.loss),
                confirms,
            })
        };
        own.iter().filter_map(trial).collect()
    }

    /// Whether a latency is this multiple of the target, and so is one that many more I/Os exceed, that too many were
    /// beyond it however they came in groups: an overload, whose latency grows and has no interval.
    fn is_beyond(&self, measured: &Measured, latency: f64) -> bool {
        let percent = self.target.percentile.unwrap_or(50.0);
        let lower = (100.0 - BEYOND * (100.0 - percent)).max(percent / 2.0);
        let low = measured.response_at(lower);
        let within = self.target.within;
        latency > FAR * within.0 as f64 && low.is_some_and(|low| low.value > within)
    }

    /// Where what waited before its submission alone made a trial fail: those in flight were as quick as one alone, and
    /// within the target.
    fn own_depth(&self, measured: &Measured, alone: Few) -> Option<OwnDepth> {
        let figures = &measured.summary.figures;
        let service = match self.target.percentile {
            None => figures.data.service.mean(),
            Some(percent) => figures.data.service_at(percent)?.value.0 as f64,
        };
        let is_within = service <= self.target.within.0 as f64 && figures.errors() == 0;
        OwnDepth::without_waiting(measured, alone).filter(|_| is_within)
    }

    /// What every search has found.
    pub(super) fn found<'m>(&self, done: &[&'m Measured]) -> Vec<FoundRate<'m>> {
        let mut found = Vec::new();
        for repeat in by_repeat(done) {
            for kind in loads(self.study) {
                found.extend(self.found_of(&kind, &repeat));
            }
        }
        found
    }

    /// What the search for a kind of load has found.
    fn found_of<'m>(&self, kind: &StudyLoad, all: &[&'m Measured]) -> Option<FoundRate<'m>> {
        let own = of_kind(all, kind);
        let firsts = Firsts::of(kind, all);
        let highest = firsts.highest?;
        let trials = self.trials(&own);
        let is_trial = |m: &&Measured| matches!(m.role(), Role::Trial | Role::Confirmation);
        let group = PointGroup {
            points: vec![highest],
        };
        let state = self.state(kind, all);
        let bounds = match &state {
            State::Searching(frame) => Bounds::of(frame, &trials),
            _ => Bounds::default(),
        };
        let points: Vec<&Measured> = own.into_iter().filter(is_trial).collect();
        let alone = Few::of(&firsts.unpaced()?.summary.figures);
        let failed = bounds.failed.map_or(f64::NAN, |failed| failed.rate);
        let failed = trials
            .iter()
            .zip(&points)
            .filter(|at| is_same(at.0.rate, failed));
        let each: Option<Vec<OwnDepth>> = failed.map(|(_, m)| self.own_depth(m, alone)).collect();
        let repeat = highest.number(Axis::Repeat);
        let repeat = repeat.map_or_else(String::new, |n| format!(", repeat {n:.0}"));
        let load = name_in(&group, self.study);
        Some(FoundRate {
            name: format!("{load}{repeat}"),
            load,
            state,
            bounds,
            own: each.and_then(|each| each.first().copied()),
            points,
            highest: highest.iops_within(),
            stage: highest.summary.stage,
            trials,
        })
    }

    /// The point that a kind of load needs next.
    fn next_of(&self, kind: &StudyLoad, all: &[&Measured]) -> Option<Spec> {
        let own = of_kind(all, kind);
        match self.state(kind, all) {
            State::Before(First::Highest) => self.firsts(kind).into_iter().next(),
            State::Before(First::Alone) => self.firsts(kind).into_iter().nth(1),
            State::Before(First::Paused) => Some(self.paused(kind, Firsts::of(kind, all).alone?)),
            State::Never(_) | State::TooShort(_) => None,
            State::Searching(frame) => {
                let trials = self.trials(&own);
                let plan = bounds::next(&frame, &trials)?;
                let role = match plan.confirms {
                    true => Role::Confirmation,
                    false => Role::Trial,
                };
                Some(self.trial(kind, role, plan.rate, plan.seconds, trials.len() + 1))
            }
        }
    }

    fn trial(&self, kind: &StudyLoad, role: Role, rate: f64, seconds: f64, number: usize) -> Spec {
        let more = [(Axis::Rate, rate), (Axis::Round, number as f64)];
        let asked = Some((rate, self.arrival));
        Spec {
            time: Some(Nanos(crate::words::whole(seconds * 1e9))),
            ..point(self.study, role, kind, &more, asked)
        }
    }
}

impl Search for RateLimit<'_> {
    fn next(&self, done: &[&Measured], _room: Room) -> Option<Spec> {
        loads(self.study)
            .iter()
            .find_map(|kind| self.next_of(kind, done))
    }

    fn outlook(&self) -> Vec<Spec> {
        let mut all: Vec<Spec> = Vec::new();
        for kind in loads(self.study) {
            all.extend(self.firsts(&kind));
            // What a search usually does; the rates are not known yet, and neither are their names.
            let budget = self.budget(&[]);
            let shares = [0.03, 0.06, 0.17, 0.18, 0.22];
            let trials = shares.map(|share| (Role::Trial, share));
            let confirmations = [0.17, 0.17].map(|share| (Role::Confirmation, share));
            let steps = trials.into_iter().chain(confirmations).enumerate();
            all.extend(steps.map(|(n, (role, share))| {
                let mut spec = self.trial(&kind, role, UNDECIDED_IOPS, share * budget, n + 1);
                spec.at.remove(&Axis::Rate);
                spec
            }));
        }
        all.dedup_by(|a, b| a.at == b.at && a.role == b.role);
        all
    }

    fn most(&self) -> Option<usize> {
        None
    }

    fn answer(&self, done: &[&Measured]) -> Answer {
        let mut answer = Answer::default();
        let found = self.found(done);
        for one in &found {
            answer.say(one.words(&self.target));
            answer.sentences.extend(one.of_losses(self.loss));
            if let [only] = found.as_slice() {
                only.values(&mut answer);
            }
        }
        answer.tables.push(limits(&found));
        for one in &found {
            answer.tables.push(one.table());
            answer.charts.push(one.chart(&self.target));
        }
        answer
    }

    fn own_depths(&self, done: &[&Measured]) -> Vec<OwnDepth> {
        let found = self.found(done).into_iter();
        found.filter_map(|one| one.own).collect()
    }

    fn doubts(&self, done: &[&Measured]) -> Vec<Finding> {
        let found = self.found(done).into_iter();
        found.filter_map(|one| one.doubt(&self.target)).collect()
    }
}
