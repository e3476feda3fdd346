//! Whether, and when, rounds stop changing.
//!
//! Belongs here: what precedes the first round, and when rounds end. Must never: the gate itself (`stats`).

use super::Search;
use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::combinations::{coordinates, loads};
use super::done::Measured;
use super::pacing::Room;
use super::spec::{Spec, StudyLoad};
use crate::stats::gate::{MOST_ROUNDS, ROUNDS, slope, steady_at};
use crate::stats::{Interval, of_repeats};
use crate::words::{bytes_within, iops_within, span, span_within, trim_to};
use leadline_model::plan::study::{Axis, Coordinate, Metric, Role, Study};

/// The rounds of one repeat.
pub(super) struct SteadySearch<'a> {
    pub(super) study: &'a Study,
    pub(super) metric: Metric,
    /// How many times the set is written first.
    pub(super) precondition: f64,
}

impl SteadySearch<'_> {
    /// The set written over, for this time.
    fn conditioning(&self) -> impl Iterator<Item = Spec> {
        // The fill has written it once.
        let times = crate::words::whole(self.precondition.ceil()).saturating_sub(1);
        (1..=times).map(|number| {
            let mut spec = Spec::fill(self.study);
            spec.role = Role::Condition;
            spec.at
                .insert(Axis::Round, Coordinate::Number(number as f64));
            spec
        })
    }

    fn round(&self, load: StudyLoad, number: usize) -> Spec {
        let mut at = coordinates(&load);
        at.insert(Axis::Round, Coordinate::Number(number as f64));
        Spec::of(Role::Point, at, load, self.study)
    }

    /// The rounds of a load that were measured, in order.
    fn rounds<'m>(&self, load: &StudyLoad, done: &[&'m Measured]) -> Vec<&'m Measured> {
        let at = coordinates(load);
        let is_of = |m: &&&Measured| {
            m.role() == Role::Point
                && at
                    .iter()
                    .all(|(axis, value)| m.point.at.get(axis) == Some(value))
        };
        done.iter().filter(is_of).copied().collect()
    }

    /// What rounds are compared by.
    fn value(&self, m: &Measured) -> Interval {
        match self.metric {
            Metric::Iops => m.iops_within(),
            Metric::Throughput => m.bytes_within(),
            Metric::Latency => m.mean_within(),
        }
    }

    const fn unit(&self) -> AnswerUnit {
        match self.metric {
            Metric::Iops => AnswerUnit::Iops,
            Metric::Throughput => AnswerUnit::BytesPerS,
            Metric::Latency => AnswerUnit::Nanos,
        }
    }
}

impl Search for SteadySearch<'_> {
    fn next(&self, done: &[&Measured], room: Room) -> Option<Spec> {
        let is_done = |spec: &Spec| {
            let alike = |m: &&&Measured| {
                m.role() == Role::Condition
                    && m.number(Axis::Round)
                        == spec.at.get(&Axis::Round).and_then(Coordinate::number)
            };
            done.iter().any(|m| alike(&m))
        };
        if let Some(open) = self.conditioning().find(|spec| !is_done(spec)) {
            return Some(open);
        }
        loads(self.study).into_iter().find_map(|load| {
            let rounds = self.rounds(&load, done);
            let values: Vec<f64> = rounds.iter().map(|m| self.value(m).value).collect();
            let ended = rounds.len() >= MOST_ROUNDS || steady_at(&values).is_some();
            let more = (!ended).then(|| self.round(load, rounds.len() + 1));
            more.filter(|spec| rounds.len() < ROUNDS || room.holds(spec))
        })
    }

    fn outlook(&self) -> Vec<Spec> {
        let mut all: Vec<Spec> = self.conditioning().collect();
        for load in loads(self.study) {
            all.extend((1..=ROUNDS).map(|number| self.round(load.clone(), number)));
        }
        all
    }

    fn most(&self) -> Option<usize> {
        Some(self.conditioning().count() + loads(self.study).len() * MOST_ROUNDS)
    }

    fn answer(&self, done: &[&Measured]) -> Answer {
        let mut answer = Answer::default();
        let mut series = Vec::new();
        let loads = loads(self.study);
        for load in &loads {
            let rounds = self.rounds(load, done);
            let values: Vec<Interval> = rounds.iter().map(|m| self.value(m)).collect();
            let plain: Vec<f64> = values.iter().map(|v| v.value).collect();
            let label = if loads.len() > 1 {
                load.words()
            } else {
                String::new()
            };
            let at = steady_at(&plain);
            let window = at.map_or(plain.as_slice(), |at| &plain[at + 1 - ROUNDS..=at]);
            let mean = window.iter().sum::<f64>() / window.len().max(1) as f64;
            let line = slope(window).map(|s| s.scaled(1.0 / mean.max(1e-9)));
            answer.say(format!(
                "{}{}",
                super::label(&label),
                words(at.map(|at| (at, self.level(window))), plain.len(), line)
            ));
            if let Some(at) = at {
                answer.say(beyond(&rounds[..=at]));
            }
            if loads.len() == 1 {
                let cell = at.map_or(AnswerCell::text("never"), |at| {
                    AnswerCell::Number((at + 1) as f64)
                });
                answer.value("steady_round", cell, AnswerUnit::Count);
                answer.value(
                    "slope",
                    line.map_or(AnswerCell::None, AnswerCell::Within),
                    AnswerUnit::Share,
                );
                let level = of_repeats(window).map_or(AnswerCell::Number(mean), AnswerCell::Within);
                answer.value("level", level, self.unit());
            }
            answer.tables.push(self.table(&label, &rounds));
            let points = values
                .iter()
                .enumerate()
                .map(|(at, v)| AnswerPoint::within((at + 1) as f64, *v));
            series.push(AnswerSeries {
                label,
                model: false,
                points: points.collect(),
            });
        }
        answer.charts.push(AnswerChart {
            title: format!("{} over rounds", name(self.metric)),
            x: AnswerAxis::linear("round", AnswerUnit::Count),
            y: AnswerAxis::linear(name(self.metric), self.unit()),
            series,
            marks: Vec::new(),
        });
        answer
    }
}

impl SteadySearch<'_> {
    /// The mean of some rounds with its interval, in words.
    fn level(&self, window: &[f64]) -> String {
        let mean = window.iter().sum::<f64>() / window.len().max(1) as f64;
        let level = of_repeats(window).unwrap_or(Interval::only(mean));
        match self.metric {
            Metric::Iops => iops_within(&level),
            Metric::Throughput => bytes_within(&level),
            Metric::Latency => format!("a mean latency of {}", span_within(&level)),
        }
    }

    fn table(&self, label: &str, rounds: &[&Measured]) -> AnswerTable {
        let row = |m: &&Measured| {
            vec![
                AnswerCell::Number(m.number(Axis::Round).unwrap_or_default()),
                AnswerCell::Within(m.iops_within()),
                AnswerCell::Within(m.bytes_within()),
                m.mean_cell(),
                AnswerCell::percentile(m.response_at(99.0)),
            ]
        };
        let table = AnswerTable {
            title: super::title_with("Rounds", label),
            columns: vec![
                Column::new("round", AnswerUnit::Count),
                Column::new("iops", AnswerUnit::Iops),
                Column::new("throughput", AnswerUnit::BytesPerS),
                Column::new("mean", AnswerUnit::Nanos),
                Column::new("p99", AnswerUnit::Nanos),
            ],
            rows: rounds.iter().map(row).collect(),
        };
        let points: Vec<Vec<&Measured>> = rounds.iter().map(|m| vec![*m]).collect();
        super::missing::marked(table, &points)
    }
}

const fn name(metric: Metric) -> &'static str {
    match metric {
        Metric::Iops => "IOPS",
        Metric::Throughput => "throughput",
        Metric::Latency => "mean latency",
    }
}

/// What rounds up to the steady one leave open: credits that outlast them, of which the gate can see nothing.
fn beyond(rounds: &[&Measured]) -> String {
    let took = rounds.iter().map(|m| m.took.0 as f64).sum();
    format!(
        "The rounds took {}. A rate that burst credits sustain for longer counts as steady too, and falls when they \
         run out: `leadline study burst` looks for that.",
        span(took)
    )
}

/// What the gate said after this number of rounds, with the level of those that passed it, and their slope.
fn words(at: Option<(usize, String)>, rounds: usize, line: Option<Interval>) -> String {
    let percent = |share: f64| trim_to(share * 100.0, 1);
    let slope = line.map_or(String::new(), |s| {
        format!(
            " Over these rounds the fitted line changes by {} % a round (95 %: {} to {}).",
            percent(s.value),
            percent(s.low),
            percent(s.high)
        )
    });
    match at {
        Some((at, level)) => format!(
            "Steady at round {}, at {level}: the last five rounds differ by at most 20 % of their mean, and the fitted line \
             changes by at most 10 % of it over them.{slope}",
            at + 1
        ),
        None if rounds >= MOST_ROUNDS => {
            format!("Never steady: no five of {rounds} rounds passed the gate.{slope}")
        }
        None => format!("Not steady after {rounds} rounds, at which the study ended.{slope}"),
    }
}
