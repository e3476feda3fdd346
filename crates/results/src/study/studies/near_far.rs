//! What distance costs: a depth curve for each group of hosts, alone and together.
//!
//! Belongs here: the points, and the groups side by side at equal depth. Must never: know which host is near.

use super::Search;
use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::combinations::{coordinates, loads};
use super::done::{Measured, known};
use super::spec::{Spec, StudyLoad};
use crate::run::Run;
use crate::stats::Interval;
use crate::summary::Figures;
use crate::words::{about, span};
use leadline_model::facts::FactKey;
use leadline_model::plan::HostSet;
use leadline_model::plan::study::{Axis, Coordinate, HostGroup, Role, Study};

/// What all groups at once are called.
const TOGETHER: &str = "together";

/// The points of one repeat.
pub(super) struct NearFarSearch<'a> {
    pub(super) study: &'a Study,
    pub(super) groups: &'a [HostGroup],
}

impl NearFarSearch<'_> {
    /// A load as one group has it.
    fn of_group(&self, load: &StudyLoad, group: &HostGroup, is_alone: bool) -> StudyLoad {
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

    fn all(&self) -> Vec<Spec> {
        let mut all = Vec::new();
        for load in loads(self.study) {
            let point = |name: &str, loads: Vec<StudyLoad>| {
                let mut at = coordinates(&load);
                at.insert(Axis::Group, Coordinate::Text(name.to_owned()));
                Spec {
                    loads,
                    ..Spec::of(Role::Point, at, load.clone(), self.study)
                }
            };
            let alone = self
                .groups
                .iter()
                .map(|g| point(&g.name, vec![self.of_group(&load, g, true)]));
            all.extend(alone);
            let both = self.groups.iter().map(|g| self.of_group(&load, g, false));
            all.push(point(TOGETHER, both.collect()));
        }
        all
    }
}

impl Search for NearFarSearch<'_> {
    fn next(&self, done: &[&Measured]) -> Option<Spec> {
        super::combinations::first_open(self.all(), done)
    }

    fn outlook(&self) -> Vec<Spec> {
        self.all()
    }

    fn answer(&self, done: &[&Measured]) -> Answer {
        let mut answer = Answer::default();
        let curves: Vec<GroupCurve<'_>> = self
            .groups
            .iter()
            .map(|g| GroupCurve::alone(&g.name, done))
            .collect();
        if let [near, far, ..] = curves.as_slice() {
            compared(near, far, &mut answer);
        }
        let together = self.groups.iter().enumerate();
        let together = together.map(|(at, g)| GroupCurve::together(&g.name, at, done));
        let all: Vec<GroupCurve<'_>> = curves.into_iter().chain(together).collect();
        answer.tables.push(table(&all));
        answer.charts.push(picture(&all));
        answer
    }
}

/// Adds the round trips that TCP saw on the connections to the mounts' servers, and what they leave of the latency of one I/O
/// alone; nothing unless they are known of each group.
pub(super) fn add_round_trips(
    run: &Run,
    groups: &[HostGroup],
    done: &[Measured],
    answer: &mut Answer,
) {
    let done: Vec<&Measured> = done.iter().collect();
    let split = groups.iter().map(|group| {
        let trip = round_trip(run, group)?;
        let alone = GroupCurve::alone(&group.name, &done).alone_ns();
        Some((group, alone, trip, (alone - trip).max(0.0)))
    });
    let Some(split) = split.collect::<Option<Vec<_>>>() else {
        return;
    };
    if let [near, far, ..] = split.as_slice() {
        answer.say(format!(
            "The shortest round trip to the server is {} from {} and {} from {}: of the {} more that an I/O alone takes, {} \
             are distance; without it an I/O takes {} and {}.",
            span(near.2),
            near.0.name,
            span(far.2),
            far.0.name,
            span((far.1 - near.1).max(0.0)),
            span((far.2 - near.2).max(0.0)),
            span(near.3),
            span(far.3),
        ));
        answer.value(
            "round_trip_near",
            AnswerCell::Number(near.2),
            AnswerUnit::Nanos,
        );
        answer.value(
            "round_trip_far",
            AnswerCell::Number(far.2),
            AnswerUnit::Nanos,
        );
    }
    let rows = split.iter().map(|(group, alone, trip, service)| {
        let numbers = [alone, trip, service].map(|ns| AnswerCell::Number(*ns));
        [AnswerCell::text(&group.name)]
            .into_iter()
            .chain(numbers)
            .collect()
    });
    answer.tables.push(AnswerTable {
        title: "Latency of one I/O alone".to_owned(),
        rows: rows.collect(),
        columns: vec![
            Column::new("group", AnswerUnit::Text),
            Column::new("latency", AnswerUnit::Nanos),
            Column::new("round trip", AnswerUnit::Nanos),
            Column::new("service", AnswerUnit::Nanos),
        ],
    });
}

/// The shortest round trip that any host of a group saw, in nanoseconds.
fn round_trip(run: &Run, group: &HostGroup) -> Option<f64> {
    let facts = run.stages.iter().flat_map(|stage| &stage.counted);
    let own = facts.filter(|f| f.key() == FactKey::ROUND_TRIP && group.numbers.contains(&f.host));
    own.filter_map(|f| f.value.nanos()).min_by(f64::total_cmp)
}

/// What a group did, by rising depth.
struct GroupCurve<'m> {
    name: String,
    /// Depth of each worker, I/Os in flight of the group, its figures.
    points: Vec<(f64, f64, &'m Figures)>,
}

impl<'m> GroupCurve<'m> {
    fn alone(name: &str, done: &[&'m Measured]) -> Self {
        Self::of(name.to_owned(), done, name, |m| {
            Some((m.summary.depth_asked, &m.summary.figures))
        })
    }

    fn together(name: &str, at: usize, done: &[&'m Measured]) -> Self {
        Self::of(format!("{name}, {TOGETHER}"), done, TOGETHER, |m| {
            let own = m.summary.workloads.get(at)?;
            Some((own.depth_asked, &own.figures))
        })
    }

    fn of(
        name: String,
        done: &[&'m Measured],
        group: &str,
        figures: impl Fn(&'m Measured) -> Option<(u64, &'m Figures)>,
    ) -> Self {
        let own = done.iter().filter(|m| m.text(Axis::Group) == Some(group));
        let mut points: Vec<(f64, f64, &Figures)> = own
            .filter_map(|m| {
                let (in_flight, figures) = figures(m)?;
                Some((m.number(Axis::Depth)?, in_flight as f64, figures))
            })
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { name, points }
    }

    /// The mean latency at the lowest depth, in nanoseconds.
    fn alone_ns(&self) -> f64 {
        self.points
            .first()
            .map_or(0.0, |p| p.2.data.response().mean())
    }

    fn highest(&self) -> f64 {
        self.points
            .iter()
            .map(|p| p.2.data.iops)
            .fold(0.0, f64::max)
    }
}

/// Two groups at equal depth, and what the difference of their latencies alone explains.
fn compared(near: &GroupCurve<'_>, far: &GroupCurve<'_>, answer: &mut Answer) {
    let distance = far.alone_ns() - near.alone_ns();
    answer.say(format!(
        "One I/O alone takes {} from {} and {} from {}: {} more, which is due to distance if hosts and mounts are alike.",
        span(near.alone_ns()),
        near.name,
        span(far.alone_ns()),
        far.name,
        span(distance.max(0.0)),
    ));
    let plateau = (far.highest() / near.highest().max(1e-9) - 1.0).abs();
    answer.say(match plateau < 0.05 {
        true => format!(
            "Both reach {} IOPS with enough I/Os in flight: distance needs more queue depth and costs no IOPS.",
            about(far.highest())
        ),
        false => format!(
            "{} reaches {} IOPS, {} reaches {} at the depths that were measured.",
            near.name,
            about(near.highest()),
            far.name,
            about(far.highest())
        ),
    });
    answer.value(
        "alone_near",
        AnswerCell::Number(near.alone_ns()),
        AnswerUnit::Nanos,
    );
    answer.value(
        "alone_far",
        AnswerCell::Number(far.alone_ns()),
        AnswerUnit::Nanos,
    );
    answer.value("distance", AnswerCell::Number(distance), AnswerUnit::Nanos);
    let rows = near
        .points
        .iter()
        .filter_map(|(depth, in_flight, figures)| {
            let other = far.points.iter().find(|p| (p.0 - depth).abs() < 0.5)?;
            // N / (R + d), R what an I/O takes from near at this depth.
            let taken = figures.data.response().mean() + distance;
            Some(vec![
                AnswerCell::Number(*depth),
                AnswerCell::Number(*in_flight),
                AnswerCell::Within(rate(figures)),
                AnswerCell::Within(rate(other.2)),
                AnswerCell::Number(other.2.data.iops / figures.data.iops.max(1e-9)),
                AnswerCell::Number(in_flight * 1e9 / taken.max(1.0)),
            ])
        });
    answer.tables.push(AnswerTable {
        title: "At equal depth".to_owned(),
        rows: rows.collect(),
        columns: vec![
            Column::new("depth", AnswerUnit::Count),
            Column::new("in flight", AnswerUnit::Count),
            Column::new(&near.name, AnswerUnit::Iops),
            Column::new(&far.name, AnswerUnit::Iops),
            Column::new("far/near", AnswerUnit::Share),
            Column::new("N/(R+d)", AnswerUnit::Iops),
        ],
    });
}

fn rate(figures: &Figures) -> Interval {
    figures
        .data
        .certainty
        .iops
        .unwrap_or(known(figures.data.iops))
}

fn table(curves: &[GroupCurve<'_>]) -> AnswerTable {
    let rows = curves.iter().flat_map(|curve| {
        curve.points.iter().map(|(depth, _, figures)| {
            vec![
                AnswerCell::text(&curve.name),
                AnswerCell::Number(*depth),
                AnswerCell::Within(rate(figures)),
                AnswerCell::Number(figures.data.bytes_per_s),
                AnswerCell::Number(figures.data.response().mean()),
                AnswerCell::percentile(figures.data.response_at(99.0)),
            ]
        })
    });
    AnswerTable {
        title: "Groups".to_owned(),
        rows: rows.collect(),
        columns: vec![
            Column::new("group", AnswerUnit::Text),
            Column::new("depth", AnswerUnit::Count),
            Column::new("iops", AnswerUnit::Iops),
            Column::new("throughput", AnswerUnit::BytesPerS),
            Column::new("mean", AnswerUnit::Nanos),
            Column::new("p99", AnswerUnit::Nanos),
        ],
    }
}

fn picture(curves: &[GroupCurve<'_>]) -> AnswerChart {
    let series = |curve: &GroupCurve<'_>| AnswerSeries {
        label: curve.name.clone(),
        model: false,
        points: curve
            .points
            .iter()
            .map(|p| AnswerPoint::plain(p.2.data.iops, p.2.data.response().mean()))
            .collect(),
    };
    AnswerChart {
        title: "Mean latency over IOPS".to_owned(),
        x: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
        y: AnswerAxis::logarithmic("mean latency", AnswerUnit::Nanos),
        series: curves.iter().map(series).collect(),
    }
}
