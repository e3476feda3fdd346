//! The warm-up of a cache: rounds of random offsets until the rate is stable.
//!
//! Belongs here: when a warm-up has ended, and what it says. Must never: what a point of it reads (that is `cache`).

use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerUnit,
};
use super::combinations::{coordinates, loads};
use super::done::Measured;
use super::label;
use super::series::Pass;
use super::spec::StudyLoad;
use crate::stats::Interval;
use crate::words::{iops_within, span, trim_to};
use leadline_model::plan::study::{Axis, Study};
use leadline_model::units::Nanos;

/// What a round is called.
pub(super) const WARM_UP: &str = "warm-up";
/// What the point after them is called.
pub(super) const WARMED_UP: &str = "direct, warmed up";
/// Rounds among which a rate stands.
pub(super) const ROUNDS: usize = 4;
/// It stands when they differ by no more than this share of their mean.
const STANDS: f64 = 0.05;
/// Before this share of the set was touched, a cache that holds it would hardly show.
const TOUCHED: f64 = 0.5;
/// Three draws for each block touch 95 % of them: what is not there then never will be.
const DRAWS: f64 = 3.0;
/// From this many times the rate at the start on, it has risen.
const ROSE: f64 = 1.25;
/// Most rounds, whatever the budget.
pub(super) const MOST_ROUNDS: usize = 60;

/// How a warm-up ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WarmEnd {
    /// The rate stands.
    Stands,
    /// As much was read as the computation says, and then as many rounds as would stand.
    Done,
    /// As many rounds were made as may be.
    OutOfRounds,
}

/// How long a round is: with a budget as long as lets the most rounds use the part of it that each load has, since with
/// shorter ones the rounds would be over long before the budget.
pub(super) fn round_time(study: &Study) -> Nanos {
    let time = study.timing.time;
    let warmed = Pass::all(study).len() * loads(study).iter().filter(|load| load.random).count();
    let rounds = (MOST_ROUNDS * warmed).max(1) as u64;
    let part = study.timing.budget.map(|budget| Nanos(budget.0 / rounds));
    part.map_or(time, |part| part.max(time))
}

/// The warm-up of a load, as far as it has come.
pub(super) struct Warming {
    /// I/Os a second of each round.
    pub(super) rates: Vec<f64>,
    /// The same with their intervals.
    within: Vec<Interval>,
    /// Seconds of each round.
    lengths: Vec<f64>,
    /// It has a budget.
    is_budgeted: bool,
    /// I/Os of all rounds, and of those before the last [`ROUNDS`].
    ios: f64,
    before: f64,
    blocks: f64,
}

impl Warming {
    pub(super) fn of(study: &Study, load: &StudyLoad, done: &[&Measured]) -> Self {
        let at = coordinates(load);
        let is_round = |m: &&&Measured| {
            let own = |(axis, value)| m.point.at.get(axis) == Some(value);
            m.text(Axis::Kind) == Some(WARM_UP) && at.iter().all(own)
        };
        let rounds: Vec<&&Measured> = done.iter().filter(is_round).collect();
        let ios = rounds.iter().map(|m| m.summary.figures.data.ios as f64);
        let ios: Vec<f64> = ios.collect();
        let length = |m: &&&Measured| m.summary.figures.span.as_secs_f64().max(1e-3);
        Self {
            rates: rounds.iter().map(|m| m.iops()).collect(),
            within: rounds.iter().map(|m| m.iops_within()).collect(),
            ios: ios.iter().sum(),
            before: ios.iter().rev().skip(ROUNDS).sum(),
            blocks: study.scope.dataset as f64 / load.block as f64,
            lengths: rounds.iter().map(length).collect(),
            is_budgeted: study.timing.budget.is_some(),
        }
    }

    /// Whether it has ended, and how; `None` = another round follows.
    pub(super) fn end(&self) -> Option<WarmEnd> {
        let last = self
            .rates
            .len()
            .checked_sub(ROUNDS)
            .map(|from| &self.rates[from..]);
        let stands = last.is_some_and(|last| {
            let mean = last.iter().sum::<f64>() / ROUNDS as f64;
            let high = last.iter().copied().fold(0.0, f64::max);
            let low = last.iter().copied().fold(f64::INFINITY, f64::min);
            high - low <= STANDS * mean
        });
        if stands && touched(self.ios, self.blocks) >= TOUCHED {
            Some(WarmEnd::Stands)
        } else if self.before >= DRAWS * self.blocks {
            Some(WarmEnd::Done)
        } else if self.rates.len() >= MOST_ROUNDS {
            Some(WarmEnd::OutOfRounds)
        } else {
            None
        }
    }

    fn seconds(&self) -> f64 {
        self.lengths.iter().sum()
    }

    /// The rates at the start and at the end, where that at the end is higher beyond their intervals.
    pub(super) fn rose(&self) -> Option<[Interval; 2]> {
        let ends = [*self.within.first()?, *self.within.last()?];
        let [first, last] = &ends;
        let ratio = last.over(first);
        let is_known = first.is_known() && last.is_known();
        (is_known && ratio.value > ROSE && ratio.low > 1.0).then_some(ends)
    }

    /// What is stable: all of it, or the end where that differs from the start beyond their intervals.
    fn stable(&self) -> &'static str {
        let (Some(first), Some(last)) = (self.within.first(), self.within.last()) else {
            return "stable";
        };
        let ratio = last.over(first);
        let is_other = ratio.low > 1.0 || ratio.high < 1.0;
        match is_other && (ratio.value - 1.0).abs() > STANDS {
            true => "stable at the end",
            false => "stable",
        }
    }

    pub(super) fn words(&self, warmed: Option<&Measured>) -> String {
        let percent = |share: f64| trim_to(share * 100.0, 0);
        let ends = [self.within.first(), self.within.last()];
        let [at_first, at_last] = ends.map(|rate| rate.map_or_else(String::new, iops_within));
        let last = self.rates.last().copied().unwrap_or_default();
        let read = format!(
            "{} of random offsets touched {} % of the set, at {at_first} at the start and {at_last} at the end",
            span(self.seconds() * 1e9),
            percent(touched(self.ios, self.blocks)),
        );
        let after = warmed.map_or(String::new(), |m| {
            format!(
                " Warmed up, random offsets reach {}.",
                iops_within(&m.iops_within())
            )
        });
        match self.end() {
            Some(WarmEnd::Stands) => {
                format!("Warm-up, measured: {read}: {}.{after}", self.stable())
            }
            Some(WarmEnd::Done) => format!(
                "Warm-up, measured: {read}. The rate still varies, but the cache already holds all that it will hold \
                 of the set.{after}"
            ),
            _ => format!(
                "Warm-up, not finished: {read}. Touching half of the set, the least for a meaningful rate, takes {} \
                 at the last rate; {}.{after}",
                span(2.0_f64.ln() * self.blocks / last.max(1e-9) * 1e9),
                if self.is_budgeted {
                    "a longer budget allows that"
                } else {
                    "a budget of several times that gives the rounds enough time"
                }
            ),
        }
    }

    pub(super) fn values(&self, answer: &mut Answer) {
        let number = AnswerCell::Number;
        answer.value("warm_up", number(self.seconds()), AnswerUnit::Seconds);
        let share = touched(self.ios, self.blocks);
        answer.value("warm_up_touched", number(share), AnswerUnit::Share);
        let stands = self.end() == Some(WarmEnd::Stands);
        let stands = AnswerCell::text(if stands { "yes" } else { "no" });
        answer.value("warm_up_stands", stands, AnswerUnit::Text);
    }

    /// The rate over time.
    pub(super) fn picture(&self, name: &str) -> AnswerChart {
        let before = |round: usize| self.lengths[..round].iter().sum::<f64>();
        let middle = |round: usize| before(round) + self.lengths[round] / 2.0;
        let points = self.within.iter().enumerate();
        AnswerChart {
            title: format!("{}IOPS while warming up", label(name)),
            x: AnswerAxis::linear("time", AnswerUnit::Seconds),
            y: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
            series: vec![AnswerSeries {
                label: WARM_UP.to_owned(),
                model: false,
                points: points
                    .map(|(round, rate)| AnswerPoint::within(middle(round), *rate))
                    .collect(),
            }],
            marks: Vec::new(),
        }
    }
}

/// Whether a point is of a warm-up: one of its rounds, or what was measured after them.
pub(super) fn is_of_warm_up(m: &Measured) -> bool {
    matches!(m.text(Axis::Kind), Some(WARM_UP | WARMED_UP))
}

/// The share of its blocks that a reader touches who draws each at random, with repeats.
pub(super) fn touched(ios: f64, blocks: f64) -> f64 {
    1.0 - (-ios / blocks.max(1.0)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 GiB of random 4 KiB at 5,000 IOPS: two hours touch half.
    #[test]
    fn two_hours_of_a_large_set_touch_half() {
        let blocks = 200.0 * 1024.0 * 1024.0 / 4.0;
        let share = touched(5_000.0 * 7_200.0, blocks);
        assert!((share - 0.497).abs() < 0.001, "{share}");
    }
}
