//! The open loop of near and far hosts: latency over a rate, for each group alone and all together.
//!
//! Belongs here: its points, given the highest rates of the closed loop, and what they say. Must never: the closed loop
//! (that is `near_far`).

use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::combinations::{coordinates, loads};
use super::done::Measured;
use super::open::{is_short, share_of};
use super::spec::{Spec, StudyLoad};
use crate::summary::{Figures, OpFigures};
use crate::words::iops_within;
use leadline_model::plan::study::{Axis, Coordinate, Coordinates, HostGroup, Role, Study};
use leadline_model::plan::{Arrival, HostSet};

/// What all groups at once are called.
pub(super) const TOGETHER: &str = "together";

/// Rates in percent of the highest that a group reached in the closed loop, alone or together.
const PERCENTS: [u32; 4] = [25, 50, 75, 90];
/// The one that a sentence is about.
const MIDDLE: f64 = 50.0;

/// A load as one group has it.
pub(super) fn of_group(load: &StudyLoad, group: &HostGroup, is_alone: bool) -> StudyLoad {
    let numbers = group.numbers.iter().copied();
    let count = u32::try_from(group.numbers.len()).unwrap_or(u32::MAX);
    StudyLoad {
        name: if is_alone {
            String::new()
        } else {
            group.name.clone()
        },
        hosts: (HostSet::only(numbers).unwrap_or(HostSet::ALL), count),
        ..load.clone()
    }
}

/// Whether a point is one alone beside the depths that were asked for.
pub(super) fn is_beside(m: &Measured) -> bool {
    m.number(Axis::Hosts).is_some()
}

/// Whether a point has a rate.
pub(super) fn is_rated(m: &Measured) -> bool {
    m.number(Axis::Percent).is_some()
}

/// The points with a rate, as many at once in flight as the greatest depth has; of unknown rates before the closed loop
/// was measured.
pub(super) fn specs(study: &Study, groups: &[HostGroup], done: &[&Measured]) -> Vec<Spec> {
    let deepest = study.axes.depths.iter().max().copied();
    let kinds = loads(study).into_iter();
    let kinds = kinds.filter(|load| Some(load.depth) == deepest);
    kinds
        .flat_map(|load| of_load((study, groups), &load, done))
        .collect()
}

fn of_load(
    (study, groups): (&Study, &[HostGroup]),
    load: &StudyLoad,
    done: &[&Measured],
) -> Vec<Spec> {
    let mut all = Vec::new();
    for percent in PERCENTS {
        let rated = |load: StudyLoad, highest: Option<f64>| StudyLoad {
            rate: Some((share_of(f64::from(percent), highest), Arrival::Poisson)),
            ..load
        };
        for group in groups {
            let highest = highest(load, &group.name, done).map(Measured::iops);
            let own = rated(of_group(load, group, true), highest);
            all.push(spec(study, load, &group.name, percent, vec![own]));
        }
        let together = highest(load, TOGETHER, done);
        let each = groups.iter().enumerate().map(|(at, group)| {
            let own = together.and_then(|m| m.summary.workloads.get(at));
            let highest = own.map(|w| w.figures.data.iops);
            rated(of_group(load, group, false), highest)
        });
        all.push(spec(study, load, TOGETHER, percent, each.collect()));
    }
    all
}

fn spec(study: &Study, load: &StudyLoad, name: &str, percent: u32, loads: Vec<StudyLoad>) -> Spec {
    let mut at = at_group(load, name);
    at.insert(Axis::Percent, Coordinate::Number(f64::from(percent)));
    Spec {
        loads,
        ..Spec::of(Role::Point, at, load.clone(), study)
    }
}

/// The coordinates of a load of a group, or of all.
fn at_group(load: &StudyLoad, name: &str) -> Coordinates {
    let mut at = coordinates(load);
    at.insert(Axis::Group, Coordinate::Text(name.to_owned()));
    at
}

/// The point of the closed loop with the highest rate of a group, at whichever depth: the deepest of those that reach it.
fn highest<'m>(load: &StudyLoad, name: &str, done: &[&'m Measured]) -> Option<&'m Measured> {
    let mut at = at_group(load, name);
    at.remove(&Axis::Depth);
    let is_own = |m: &&&Measured| {
        let mut each = at.iter();
        let has_all = each.all(|(axis, value)| m.point.at.get(axis) == Some(value));
        has_all && !is_rated(m) && !is_beside(m) && !m.is_once_more()
    };
    let own = || done.iter().copied().filter(|m| is_own(&m));
    let most = own().reduce(|most, m| if m.iops() > most.iops() { m } else { most })?;
    let low = most.iops_within().low;
    let depth = |m: &Measured| m.number(Axis::Depth).unwrap_or_default();
    let reach = own().filter(|m| m.iops_within().high >= low);
    reach.max_by(|a, b| depth(a).total_cmp(&depth(b)))
}

/// A group at a rate.
struct RatedPoint<'m> {
    group: String,
    percent: f64,
    asked: f64,
    figures: &'m Figures,
    point: &'m Measured,
}

impl<'m> RatedPoint<'m> {
    /// Those of all groups, by group and rising rate.
    fn all(groups: &[HostGroup], done: &[&'m Measured]) -> Vec<Self> {
        let mut all = Vec::new();
        for (name, together) in [false, true].into_iter().flat_map(|together| {
            let names = groups.iter().map(|group| group.name.as_str());
            names.map(move |name| (name, together))
        }) {
            let group = if together { TOGETHER } else { name };
            let place = groups.iter().position(|g| g.name == name);
            let place = place.filter(|_| together).unwrap_or(0);
            let own = done
                .iter()
                .filter(|m| is_rated(m) && m.text(Axis::Group) == Some(group));
            let label = match together {
                true => format!("{name}, {TOGETHER}"),
                false => name.to_owned(),
            };
            let mut points: Vec<Self> = own.filter_map(|m| Self::of(&label, place, m)).collect();
            points.sort_by(|a, b| a.asked.total_cmp(&b.asked));
            all.extend(points);
        }
        all
    }

    fn of(group: &str, place: usize, point: &'m Measured) -> Option<Self> {
        let workload = point.summary.workloads.get(place)?;
        Some(Self {
            group: group.to_owned(),
            percent: point.number(Axis::Percent)?,
            asked: workload.rates.iter().map(|rate| rate.asked_value()).sum(),
            figures: &workload.figures,
            point,
        })
    }

    fn is_missed(&self) -> bool {
        let seconds = self.figures.span.as_secs_f64();
        is_short(self.asked, self.figures.data.iops, seconds)
    }
}

/// Adds what the open loop says.
pub(super) fn answer(groups: &[HostGroup], done: &[&Measured], answer: &mut Answer) {
    let points = RatedPoint::all(groups, done);
    if points.is_empty() {
        return;
    }
    let middle = |name: &str| {
        let is_it = |p: &&RatedPoint<'_>| p.group == name && (p.percent - MIDDLE).abs() < 0.5;
        points.iter().find(is_it)
    };
    if let [near, far, ..] = groups
        && let (Some(near), Some(far)) = (middle(&near.name), middle(&far.name))
    {
        answer.say(format!(
            "In an open loop at half of each group's highest rate, latency is {} from {} ({}) and {} from {} ({}).",
            near.figures.data.latency_words(),
            near.group,
            iops_within(&near.figures.data.iops_known()),
            far.figures.data.latency_words(),
            far.group,
            iops_within(&far.figures.data.iops_known()),
        ));
    }
    answer.tables.push(table(&points));
    answer.charts.extend(pictures(&points));
}

fn table(points: &[RatedPoint<'_>]) -> AnswerTable {
    let row = |p: &RatedPoint<'_>| {
        let data = &p.figures.data;
        vec![
            AnswerCell::text(&p.group),
            AnswerCell::Number(p.percent / 100.0),
            AnswerCell::Number(p.asked),
            AnswerCell::Within(data.iops_known()),
            AnswerCell::mean(data),
            AnswerCell::percentile(data.response_at(50.0)),
            AnswerCell::percentile(data.response_at(99.0)),
            AnswerCell::text(if p.is_missed() { "saturated" } else { "" }),
        ]
    };
    let table = AnswerTable {
        title: "Latency over rate".to_owned(),
        rows: points.iter().map(row).collect(),
        columns: vec![
            Column::new("group", AnswerUnit::Text),
            Column::new("of highest", AnswerUnit::Share),
            Column::new("requested", AnswerUnit::Iops),
            Column::new("reached", AnswerUnit::Iops),
            Column::new("mean", AnswerUnit::Nanos),
            Column::new("p50", AnswerUnit::Nanos),
            Column::new("p99", AnswerUnit::Nanos),
            Column::new("state", AnswerUnit::Text),
        ],
    };
    let each: Vec<Vec<&Measured>> = points.iter().map(|p| vec![p.point]).collect();
    super::missing::marked(table, &each)
}

/// Latency over the rate, a line for each group: percentiles before the mean.
fn pictures(points: &[RatedPoint<'_>]) -> Vec<AnswerChart> {
    let each = points.iter().map(|p| (p.group.as_str(), p.figures));
    over_rates("the rate of an open loop", each)
}

/// Latencies over the rates of named groups, each in a chart of its own: percentiles before the mean.
pub(super) fn over_rates<'a>(
    over: &str,
    points: impl Iterator<Item = (&'a str, &'a Figures)> + Clone,
) -> Vec<AnswerChart> {
    type Figure = (&'static str, &'static str, fn(&OpFigures) -> AnswerCell);
    const ALL: [Figure; 3] = [
        ("Latency p50", "latency p50", |of| {
            AnswerCell::percentile(of.response_at(50.0))
        }),
        ("Latency p99", "latency p99", |of| {
            AnswerCell::percentile(of.response_at(99.0))
        }),
        ("Mean latency", "mean latency", AnswerCell::mean),
    ];
    let charts = ALL.into_iter().map(|(title, label, figure)| {
        let mut series: Vec<AnswerSeries> = Vec::new();
        for (name, figures) in points.clone() {
            let at = AnswerPoint::or_gap(figures.data.iops, &figure(&figures.data));
            match series.iter_mut().find(|one| one.label == name) {
                Some(one) => one.points.push(at),
                None => series.push(AnswerSeries {
                    label: name.to_owned(),
                    model: false,
                    points: vec![at],
                }),
            }
        }
        AnswerChart {
            title: format!("{title} over {over}"),
            x: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
            y: AnswerAxis::logarithmic(label, AnswerUnit::Nanos),
            series,
            marks: Vec::new(),
        }
    });
    charts.filter(|chart| !chart.series.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::op::Op;
    use leadline_model::plan::StudyPoint;
    use leadline_model::plan::access::OpMix;

    /// Of a group whose rate falls beyond a depth, the open loop has parts of the highest rate, and not of the deepest.
    #[test]
    fn the_rates_of_the_open_loop_are_parts_of_the_highest() {
        let scope = fixture::study_scope();
        let load = StudyLoad {
            depth: 16,
            ..StudyLoad::on(&scope)
        };
        let rates = [(1.0, 400), (4.0, 900), (16.0, 600)];
        let workload = fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let stages = rates.iter().map(|_| ("p", vec![workload.clone()]));
        let mut plan = fixture::plan(stages.collect());
        for (stage, (depth, _)) in plan.stages.iter_mut().zip(rates) {
            let mut at = at_group(&load, "near");
            at.insert(Axis::Depth, Coordinate::Number(depth));
            stage.point = Some(StudyPoint {
                role: Role::Point,
                at,
            });
        }
        let loads = rates.map(|(_, ios)| vec![Load::simple(Op::Read, ios, 4096, 100_000, 10)]);
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        let done = Measured::all(&run, &summarize(&run));
        let done: Vec<&Measured> = done.iter().collect();
        let found = highest(&load, "near", &done).and_then(|m| m.number(Axis::Depth));
        assert_eq!(found, Some(4.0));
        assert!(highest(&load, "far", &done).is_none());
    }
}
