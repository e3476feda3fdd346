//! What a search for the highest rate within a latency target found: words, values, tables, charts.
//!
//! Belongs here: how bounds and trials are said and drawn. Must never: the search itself (`rate_limit`, `bounds`).

use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::done::Measured;
use super::evidence::{Bounds, Evidence, Trial, TrialFrame};
use super::loss::Loss;
use super::missing;
use super::own_depth::{DEEPER, OwnDepth};
use crate::stats::{Bracket, Interval};
use crate::words::{
    about_at_least, about_at_most, iops_within, rounded_down, rounded_up, span, thousands, trim_to,
};
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::study::LatencyTarget;

/// I/Os above the target that a verdict needs at the least.
pub(super) const ENOUGH: f64 = 100.0;

/// Bounds that are further apart than this share of their middle are no answer to plan with.
const WIDE: f64 = 0.25;

/// A point before the first trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    /// The highest rate.
    Highest,
    /// One I/O alone.
    Alone,
    /// The same with a pause before each.
    Paused,
}

/// How far a search has come.
pub(super) enum State {
    /// A point is to be measured before the first trial.
    Before(First),
    /// Latency at depth 1 is above the target: that latency in nanoseconds.
    Never(f64),
    /// The budget is too short for a verdict: the seconds that are needed.
    TooShort(f64),
    /// Trials are possible.
    Searching(TrialFrame),
}

/// What a search has found.
pub(super) struct FoundRate<'a> {
    /// The kind of load, without its repeat.
    pub(super) load: String,
    pub(super) name: String,
    pub(super) state: State,
    pub(super) bounds: Bounds,
    pub(super) trials: Vec<Trial>,
    pub(super) points: Vec<&'a Measured>,
    /// The highest rate of a closed loop.
    pub(super) highest: Interval,
    /// The stage that it was measured in.
    pub(super) stage: u32,
    /// Where the lowest rate that failed did so for the study's own depth.
    pub(super) own: Option<OwnDepth>,
}

impl FoundRate<'_> {
    fn certainty(&self) -> &'static str {
        match (&self.state, self.bounds.passed) {
            (State::Never(_), _) => "cannot be met",
            (State::TooShort(_), _) => "cannot be decided",
            (_, None) => "no rate passed",
            _ if self.own.is_some() => "depth too small",
            (_, Some(passed)) if passed.is_confirmed() => "confirmed",
            _ => "not confirmed",
        }
    }

    /// The sentence for a search in which the study's own depth made the lowest failing rate fail.
    fn of_own_depth(&self, own: &OwnDepth, target: &str) -> String {
        let failed = about_at_least(self.bounds.failed.map_or(0.0, |failed| failed.rate));
        let confirmed = match self.bounds.passed.is_some_and(|e| e.is_confirmed()) {
            true => " (confirmed)",
            false => "",
        };
        let holds = match self.bounds.passed {
            Some(passed) => format!(
                "holds at {} IOPS{confirmed} or more",
                about_at_most(passed.rate)
            ),
            None => "held at none of the rates tried".to_owned(),
        };
        format!(
            "{}: {target} {holds}. At {failed} IOPS it failed because I/Os queued within this study: {}. {DEEPER}.",
            self.name,
            own.words()
        )
    }

    /// How certain the lower bound is, and by which trials: those at other rates are on one line with its own, and say with
    /// them what its own may leave open.
    fn certain_words(&self, low: &Evidence) -> String {
        match low.is_confirmed() && !low.passes_alone() {
            true => {
                "confirmed by the trials at all rates together, but not by those at this rate alone"
                    .to_owned()
            }
            false => self.certainty().to_owned(),
        }
    }

    /// Its trials, or those of them that confirm.
    fn count(&self, confirms: bool) -> usize {
        let own = self.trials.iter().filter(|t| t.confirms == confirms);
        own.count()
    }

    /// Trials and confirmations, in words.
    fn counted(&self) -> String {
        let [trials, confirmations] =
            [(false, "trial"), (true, "confirmation")].map(|(confirms, what)| {
                match self.count(confirms) {
                    1 => format!("1 {what}"),
                    n => format!("{n} {what}s"),
                }
            });
        match self.count(true) {
            0 => trials,
            _ => format!("{trials} and {confirmations}"),
        }
    }

    pub(super) fn words(&self, target: &LatencyTarget) -> String {
        let figure = figure_name(target);
        let target = target_words(target);
        let name = &self.name;
        match (&self.state, self.bounds.passed, self.bounds.failed) {
            (State::Never(alone), ..) => {
                format!(
                    "{name}: at depth 1 {figure} is already {}: the target cannot be met at any rate ({target}).",
                    span(*alone)
                )
            }
            (State::TooShort(needed), ..) => format!(
                "{name}: {target} cannot be decided in this time: at {}, {ENOUGH:.0} samples beyond the percentile, \
                 with repeats, need a budget of {} for a first verdict; confirmed bounds take about three times as \
                 long.",
                iops_within(&self.highest),
                span(needed * 1e9)
            ),
            _ if self.own.is_some() => {
                let own = self.own.as_ref();
                own.map_or_else(String::new, |own| self.of_own_depth(own, &target))
            }
            (_, Some(low), Some(high)) => format!(
                "{name}: {target} holds at {} IOPS ({}) and fails at {}; the bounds are {} % apart, after {}.",
                about_at_most(low.rate),
                self.certain_words(&low),
                about_at_least(high.rate),
                trim_to(
                    100.0 * apart(rounded_down(low.rate), rounded_up(high.rate)),
                    1
                ),
                self.counted()
            ),
            (_, Some(low), None) => {
                format!(
                    "{name}: {target} holds at {} IOPS, and no higher rate was found to fail.",
                    about_at_most(low.rate)
                )
            }
            (_, None, Some(high)) if self.is_no_queue() => format!(
                "{name}: {target} fails at each rate that was tried, down to {} IOPS, {} % of the highest. At that \
                 rate I/Os hardly wait for each other: stalls or the latency of single I/Os exceed the target, and no \
                 lower rate is likely to meet it.",
                about_at_least(high.rate),
                trim_to(100.0 * high.rate / self.highest.value, 1)
            ),
            (_, None, Some(high)) => format!(
                "{name}: {target} fails at {} IOPS, and no rate was found to pass within the time; a longer budget \
                 may find one.",
                about_at_least(high.rate)
            ),
            _ => format!(
                "{name}: no trial was long enough for a verdict on {target}; a longer budget allows longer ones."
            ),
        }
    }

    /// Whether the target was missed at a rate so low that no queue explains it.
    fn is_no_queue(&self) -> bool {
        /// Of an exponential service one I/O in twenty waits at this share of the highest rate, and for no longer than one takes.
        const LOW: f64 = 0.05;
        let failed = self.bounds.failed.filter(|e| !e.missed && !e.lost);
        let is_low = |e: Evidence| e.rate <= LOW * self.highest.value;
        self.bounds.passed.is_none() && failed.is_some_and(is_low)
    }

    /// Whether the budget was too short for a verdict.
    pub(super) const fn is_undecided(&self) -> bool {
        matches!(self.state, State::TooShort(_))
    }

    /// Whether latency at depth 1 is above the target.
    pub(super) const fn is_never(&self) -> bool {
        matches!(self.state, State::Never(_))
    }

    /// That there is no answer, or one that is too wide to plan with; nothing of a search that was ended by the study's own
    /// depth, which says so.
    pub(super) fn doubt(&self, target: &LatencyTarget) -> Option<Finding> {
        let is_open = match &self.state {
            State::Before(_) | State::Never(_) => false,
            State::TooShort(_) => true,
            State::Searching(_) if self.is_no_queue() => false,
            State::Searching(_) => self.bounds.share().is_none_or(|share| share > WIDE),
        };
        let cure = match self.state {
            State::TooShort(needed) => {
                format!(
                    "Give the study a budget of {}, or three times as much for confirmed bounds.",
                    span(needed * 1e9)
                )
            }
            _ => "Give the study a longer budget: longer trials distinguish rates that are closer together."
                .to_owned(),
        };
        (is_open && self.own.is_none()).then(|| Finding {
            code: "limit-open".to_owned(),
            severity: Severity::Warn,
            stage: Some(self.stage),
            workload: None,
            text: self.words(target),
            cure: cure.into(),
        })
    }

    /// A sentence that the upper bound is due to lost I/Os, not to latency.
    pub(super) fn of_losses(&self, allowed: f64) -> Option<String> {
        let failed = self.bounds.failed.filter(|e| !e.missed && e.lost)?;
        let Loss { lost, all } = failed.losses;
        Some(format!(
            "{}: at {} IOPS {} of {} I/Os failed or were not issued, more than the allowed share of {allowed}.",
            self.name,
            about_at_least(failed.rate),
            thousands(lost),
            thousands(all)
        ))
    }

    /// Both bounds, and how far they are apart: only the lower where the study's own depth made the upper.
    fn cells(&self) -> [AnswerCell; 3] {
        let rate = |e: Option<Evidence>| e.map(|e| e.rate);
        let number = |n: Option<f64>| n.map_or(AnswerCell::None, AnswerCell::Number);
        // As the sentence has them: a bound is never rounded to the wrong side.
        let passed = rate(self.bounds.passed).map(rounded_down);
        let failed = rate(self.bounds.failed).map(rounded_up);
        let width = passed.zip(failed).map(|(low, high)| apart(low, high));
        match self.own {
            Some(_) => [
                passed.map_or(AnswerCell::None, AnswerCell::AtLeast),
                AnswerCell::None,
                AnswerCell::None,
            ],
            None => [number(passed), number(failed), number(width)],
        }
    }

    pub(super) fn values(&self, answer: &mut Answer) {
        let [passed, failed, width] = self.cells();
        answer.value("passed", passed, AnswerUnit::Iops);
        answer.value("failed", failed, AnswerUnit::Iops);
        answer.value("width", width, AnswerUnit::Share);
        for (name, confirms) in [("trials", false), ("confirmations", true)] {
            let count = AnswerCell::Number(self.count(confirms) as f64);
            answer.value(name, count, AnswerUnit::Count);
        }
        let seconds: f64 = self.trials.iter().map(|t| t.seconds).sum();
        answer.value(
            "trial_time",
            AnswerCell::Number(seconds),
            AnswerUnit::Seconds,
        );
        answer.value(
            "highest",
            AnswerCell::Within(self.highest),
            AnswerUnit::Iops,
        );
        answer.value(
            "certainty",
            AnswerCell::text(self.certainty()),
            AnswerUnit::Text,
        );
        if let State::TooShort(needed) = self.state {
            answer.value(
                "budget_needed",
                AnswerCell::Number(needed),
                AnswerUnit::Seconds,
            );
        }
    }

    pub(super) fn table(&self) -> AnswerTable {
        let rows = self.trials.iter().zip(&self.points).map(|(trial, m)| {
            vec![
                AnswerCell::Number(trial.rate),
                AnswerCell::Within(m.iops_within()),
                AnswerCell::Number(trial.seconds),
                m.mean_cell(),
                AnswerCell::percentile(m.response_at(99.0)),
                AnswerCell::Within(trial.of_target()),
                AnswerCell::text(match trial.confirms {
                    _ if trial.missed => "rate not reached",
                    _ if trial.lost => "I/Os lost",
                    true => "confirms",
                    false => "trial",
                }),
            ]
        });
        let table = AnswerTable {
            title: format!("Trials: {}", self.name),
            columns: vec![
                Column::new("requested", AnswerUnit::Iops),
                Column::new("reached", AnswerUnit::Iops),
                Column::new("time", AnswerUnit::Seconds),
                Column::new("mean", AnswerUnit::Nanos),
                Column::new("p99", AnswerUnit::Nanos),
                Column::new("of target", AnswerUnit::Share),
                Column::new("kind", AnswerUnit::Text),
            ],
            rows: rows.collect(),
        };
        let points: Vec<Vec<&Measured>> = self.points.iter().map(|m| vec![*m]).collect();
        missing::marked(table, &points)
    }

    pub(super) fn chart(&self, target: &LatencyTarget) -> AnswerChart {
        let figure = format!("{} of response time", figure_name(target));
        let within = target.within.0 as f64;
        let point = |(t, m): (&Trial, &&Measured)| AnswerPoint {
            x: t.rate,
            y: t.ratio.exp() * within,
            bracket: match latency_of(target, m).bracket() {
                Bracket::AtLeast => Bracket::AtLeast,
                _ => Bracket::of(&t.of_target()).scaled(within),
            },
        };
        let series = |label: &str, confirms: bool| AnswerSeries {
            label: label.to_owned(),
            model: false,
            points: self
                .trials
                .iter()
                .zip(&self.points)
                .filter(|(t, _)| t.confirms == confirms)
                .map(point)
                .collect(),
        };
        let rates = self.trials.iter().map(|t| t.rate);
        let ends = [rates.clone().reduce(f64::min), rates.reduce(f64::max)];
        let target = AnswerSeries {
            label: "target".to_owned(),
            model: true,
            points: ends
                .into_iter()
                .flatten()
                .map(|x| AnswerPoint::plain(x, within))
                .collect(),
        };
        AnswerChart {
            title: format!("Trials: {}", self.name),
            x: AnswerAxis::near("requested rate", AnswerUnit::Iops),
            y: AnswerAxis::logarithmic(&figure, AnswerUnit::Nanos),
            series: vec![
                series("trials", false),
                series("confirmations", true),
                target,
            ],
            marks: Vec::new(),
        }
    }
}

/// The bounds of all searches.
pub(super) fn limits(found: &[FoundRate<'_>]) -> AnswerTable {
    let row = |one: &FoundRate<'_>| {
        let [passed, failed, width] = one.cells();
        vec![
            AnswerCell::text(&one.name),
            passed,
            failed,
            width,
            AnswerCell::Within(one.highest),
            AnswerCell::text(one.certainty()),
        ]
    };
    AnswerTable {
        title: "Highest rate that meets the target".to_owned(),
        columns: vec![
            Column::new("load", AnswerUnit::Text),
            Column::concluded("passed", AnswerUnit::Iops),
            Column::concluded("failed", AnswerUnit::Iops),
            Column::concluded("apart", AnswerUnit::Share),
            Column::concluded("highest", AnswerUnit::Iops),
            Column::concluded("certainty", AnswerUnit::Text),
        ],
        rows: found.iter().map(row).collect(),
    }
}

/// Of which figure a target is: `p99`, `mean`.
fn figure_name(target: &LatencyTarget) -> String {
    let percent = target.percentile;
    percent.map_or_else(|| "mean".to_owned(), |percent| format!("p{percent}"))
}

/// The latency of a point that the target is about.
fn latency_of(target: &LatencyTarget, m: &Measured) -> AnswerCell {
    match target.percentile {
        Some(percent) => AnswerCell::percentile(m.response_at(percent)),
        None => m.mean_cell(),
    }
}

/// `p99 within 10.0 ms`.
fn target_words(target: &LatencyTarget) -> String {
    let within = span(target.within.0 as f64);
    format!("{} within {within}", figure_name(target))
}

/// The bounds of a kind of load over all repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitBounds {
    /// The kind of load, in words.
    pub load: String,
    /// The lowest of the rates that passed, in I/Os a second; `None` where a search found none.
    pub passed: Option<f64>,
    /// The highest of those that failed; `None` where a search found none, or the study's own depth made it fail.
    pub failed: Option<f64>,
}

impl LimitBounds {
    /// Those of each kind of load, over the searches of all repeats.
    pub(super) fn of(found: &[FoundRate<'_>]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for one in found {
            let passed = one.bounds.passed.map(|e| e.rate);
            let failed = one.bounds.failed.map(|e| e.rate);
            let failed = failed.filter(|_| one.own.is_none());
            match all.iter_mut().find(|known| known.load == one.load) {
                Some(known) => {
                    known.passed = known.passed.zip(passed).map(|(a, b)| a.min(b));
                    known.failed = known.failed.zip(failed).map(|(a, b)| a.max(b));
                }
                None => all.push(Self {
                    load: one.load.clone(),
                    passed,
                    failed,
                }),
            }
        }
        all
    }
}

/// How far bounds are apart, as a share of their middle.
fn apart(low: f64, high: f64) -> f64 {
    (high - low) / f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::studies::evidence::CONFIRMATIONS;
    use leadline_model::units::Nanos;

    /// A rate whose trials are all at `ratio` of the target (a logarithm), each to within `half`, confirmed as often as it
    /// has to be.
    fn words(ratio: f64, half: f64) -> String {
        let frame = TrialFrame {
            alone: 0.4605,
            highest: 1000.0,
            at_once: 1.0,
            loss: 0.0,
            budget: 588.0,
            warmup: 1.0,
            shortest: 3.0,
        };
        let trial = |rate: f64, ratio: f64, half: f64, confirms: bool| Trial {
            rate,
            seconds: 100.0,
            ratio,
            half,
            beyond: false,
            missed: false,
            losses: Loss::default(),
            lost: false,
            confirms,
        };
        let mut trials = vec![
            trial(480.0, ratio - 0.1, 0.02, false),
            trial(500.0, ratio, half, false),
            trial(600.0, 0.3, 0.02, false),
        ];
        trials.extend([trial(500.0, ratio, half, true)].repeat(CONFIRMATIONS));
        let found = FoundRate {
            load: String::new(),
            name: "read".to_owned(),
            bounds: Bounds::of(&frame, &trials),
            state: State::Searching(frame),
            trials,
            points: Vec::new(),
            highest: Interval::only(1000.0),
            stage: 0,
            own: None,
        };
        found.words(&LatencyTarget {
            percentile: Some(99.0),
            within: Nanos::from_millis(2),
        })
    }

    #[test]
    fn a_limit_that_its_own_trials_leave_open_is_said_to_be_confirmed_by_all() {
        let clear = words(-0.2, 0.02);
        assert!(
            clear.contains("IOPS (confirmed) and fails at 600"),
            "{clear}"
        );
        // Those at 480 let it pass.
        let around = words(-0.04, 0.2);
        let said =
            "(confirmed by the trials at all rates together, but not by those at this rate alone)";
        assert!(around.contains(said), "{around}");
    }
}
