//! What a class of I/O at a rate takes from another without: each alone, and both at once.
//!
//! Belongs here: the three points and the answer. Must never: how a rate is kept.

use super::Search;
use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::done::{Measured, known};
use super::group::PointGroup;
use super::pacing::Room;
use super::spec::{Spec, StudyLoad};
use crate::stats::Interval;
use crate::summary::{OpFigures, WorkloadSummary};
use crate::words::{about, both_per_s, trim_to};
use leadline_model::plan::Arrival;
use leadline_model::plan::study::{Axis, Class, Coordinate, Coordinates, Question, Role, Study};
use leadline_model::units::Bytes;

/// Its three points, as `Axis::Kind` calls them.
const KINDS: [&str; 3] = ["free", "rated", "both"];

/// The points of one repeat.
pub(super) struct Combined<'a> {
    study: &'a Study,
    free: &'a Class,
    rated: &'a Class,
}

/// Block, jobs and depth of both classes.
type ClassShape = (u64, u32, u32);

impl<'a> Combined<'a> {
    /// The search of a study that asks what one class takes from another.
    pub(super) fn new(study: &'a Study) -> Option<Self> {
        match &study.question {
            Question::Combined { free, rated } => Some(Self { study, free, rated }),
            _ => None,
        }
    }

    fn shapes(&self) -> Vec<ClassShape> {
        let axes = &self.study.axes;
        let mut all = Vec::new();
        for &block in &axes.blocks {
            for &jobs in &axes.jobs {
                all.extend(axes.depths.iter().map(|&depth| (block, jobs, depth)));
            }
        }
        all
    }

    fn load(&self, name: &'static str, class: &Class, shape: ClassShape) -> StudyLoad {
        StudyLoad {
            name: name.to_owned(),
            reads: class.reads,
            random: class.random,
            block: shape.0,
            jobs: shape.1,
            depth: shape.2,
            // As jobs with a rate have it: at equal distances.
            rate: class.iops(shape.0).map(|rate| (rate, Arrival::Constant)),
            place: class.place.clone(),
            ..StudyLoad::on(&self.study.scope)
        }
    }

    fn all(&self) -> Vec<Spec> {
        let mut all = Vec::new();
        for shape in self.shapes() {
            let free = self.load("free", self.free, shape);
            let rated = self.load("rated", self.rated, shape);
            let loads = [vec![free.clone()], vec![rated.clone()], vec![free, rated]];
            for (kind, loads) in KINDS.into_iter().zip(loads) {
                let Some(first) = loads.first().cloned() else {
                    continue;
                };
                all.push(Spec {
                    loads,
                    ..Spec::of(Role::Point, at(kind, shape), first, self.study)
                });
            }
        }
        all
    }
}

fn at(kind: &str, shape: ClassShape) -> Coordinates {
    Coordinates::from([
        (Axis::Kind, Coordinate::Text(kind.to_owned())),
        (Axis::Block, Coordinate::Number(shape.0 as f64)),
        (Axis::Jobs, Coordinate::Number(f64::from(shape.1))),
        (Axis::Depth, Coordinate::Number(f64::from(shape.2))),
    ])
}

impl Search for Combined<'_> {
    fn next(&self, done: &[&Measured], _room: Room) -> Option<Spec> {
        super::combinations::first_open(self.all(), done)
    }

    fn outlook(&self) -> Vec<Spec> {
        self.all()
    }

    fn answer(&self, done: &[&Measured]) -> Answer {
        let groups = PointGroup::all(done);
        let shapes = self.shapes();
        let mut answer = Answer::default();
        for &shape in &shapes {
            let of = |kind: &str| groups.iter().find(|g| g.at() == at(kind, shape));
            let [Some(free), Some(rated), Some(both)] = KINDS.map(of) else {
                continue;
            };
            let found = Found {
                name: words_of(shape),
                block: shape.0,
                free,
                rated,
                both,
            };
            found.say(self, &mut answer);
            if shapes.len() == 1 {
                found.values(self, &mut answer);
            }
            answer.tables.push(found.table());
            answer.charts.push(found.chart());
        }
        answer
    }
}

fn words_of((block, jobs, depth): ClassShape) -> String {
    format!("{}, {jobs} jobs at depth {depth} each", Bytes(block))
}

/// The three points of a shape.
struct Found<'g, 'a> {
    name: String,
    /// Bytes of an I/O.
    block: u64,
    free: &'g PointGroup<'a>,
    rated: &'g PointGroup<'a>,
    both: &'g PointGroup<'a>,
}

/// I/Os a second with their interval.
fn iops(data: &OpFigures) -> Interval {
    data.certainty.iops.unwrap_or(known(data.iops))
}

/// Bytes a second with their interval.
fn bytes(data: &OpFigures) -> Interval {
    let certain = data.certainty.bytes_per_s;
    certain.unwrap_or(known(data.bytes_per_s))
}

impl Found<'_, '_> {
    /// A figure of one class (0 free, 1 rated) while both are at work.
    fn together(&self, class: usize, figure: fn(&OpFigures) -> Interval) -> Interval {
        let of = |w: &WorkloadSummary| figure(&w.figures.data);
        let none = known(0.0);
        self.both
            .over(|m| m.summary.workloads.get(class).map_or(none, of))
    }

    fn alone(&self, class: usize) -> &PointGroup<'_> {
        if class == 0 { self.free } else { self.rated }
    }

    /// The share of its rate alone that the free class loses, with its interval: the errors of both rates add as squares.
    fn taken(&self) -> Interval {
        let (alone, together) = (self.free.iops(), self.together(0, iops));
        let left = together.value / alone.value.max(1e-9);
        let half = left * alone.relative().hypot(together.relative());
        Interval {
            value: 1.0 - left,
            low: 1.0 - left - half,
            high: 1.0 - left + half,
            settled: alone.settled && together.settled,
        }
    }

    fn say(&self, search: &Combined<'_>, answer: &mut Answer) {
        let taken = self.taken();
        let percent = |share: f64| trim_to(100.0 * share, 1);
        let effect = match taken.low <= 0.0 && taken.high >= 0.0 {
            true => "at this depth it has no measurable effect on".to_owned(),
            false => format!("it takes {} % from", percent(taken.value)),
        };
        answer.say(format!(
            "{}: together {} IOPS ({}): {} without a rate and {} of {} at a rate; {effect} the class without a rate, which \
             alone has {} IOPS (95 %: {} to {} %).",
            self.name,
            about(self.both.iops().value),
            both_per_s(self.both.bytes().value),
            about(self.together(0, iops).value),
            about(self.together(1, iops).value),
            about(search.rated.iops(self.block).unwrap_or_default()),
            about(self.free.iops().value),
            percent(taken.low),
            percent(taken.high),
        ));
    }

    fn values(&self, search: &Combined<'_>, answer: &mut Answer) {
        let asked = search
            .rated
            .iops(self.block)
            .map_or(AnswerCell::None, AnswerCell::Number);
        answer.value(
            "combined",
            AnswerCell::Within(self.both.iops()),
            AnswerUnit::Iops,
        );
        let all = self.both.bytes();
        answer.value(
            "combined_bytes",
            AnswerCell::Within(all),
            AnswerUnit::BytesPerS,
        );
        answer.value(
            "free_alone",
            AnswerCell::Within(self.free.iops()),
            AnswerUnit::Iops,
        );
        let of = |class| AnswerCell::Within(self.together(class, iops));
        answer.value("free_together", of(0), AnswerUnit::Iops);
        answer.value("rated_asked", asked, AnswerUnit::Iops);
        answer.value(
            "rated_alone",
            AnswerCell::Within(self.rated.iops()),
            AnswerUnit::Iops,
        );
        answer.value("rated_together", of(1), AnswerUnit::Iops);
        answer.value("taken", AnswerCell::Within(self.taken()), AnswerUnit::Share);
    }

    fn table(&self) -> AnswerTable {
        let mut rows = Vec::new();
        for (class, name) in ["free", "rated"].into_iter().enumerate() {
            let alone = self.alone(class);
            let moved = |of: &dyn Fn(&Measured) -> u64, group: &PointGroup<'_>| {
                let sum: u64 = group.points.iter().map(|m| of(m)).sum();
                AnswerCell::Number(sum as f64 / group.points.len() as f64)
            };
            rows.push(vec![
                AnswerCell::text(name),
                AnswerCell::text("alone"),
                AnswerCell::Within(alone.iops()),
                AnswerCell::Within(alone.bytes()),
                moved(&|m| m.summary.figures.data.bytes, alone),
                AnswerCell::Within(alone.mean()),
                alone.response_at(99.0),
            ]);
            let of = |m: &Measured| {
                m.summary
                    .workloads
                    .get(class)
                    .map(|w| w.figures.data.clone())
            };
            let first = of(self.both.first()).unwrap_or_default();
            rows.push(vec![
                AnswerCell::text(name),
                AnswerCell::text("together"),
                AnswerCell::Within(self.together(class, iops)),
                AnswerCell::Within(self.together(class, bytes)),
                moved(&|m| of(m).map_or(0, |data| data.bytes), self.both),
                AnswerCell::Within(
                    first
                        .response_mean()
                        .unwrap_or(known(first.response().mean())),
                ),
                AnswerCell::percentile(first.response_at(99.0)),
            ]);
        }
        let table = AnswerTable {
            title: format!("Alone and together: {}", self.name),
            columns: vec![
                Column::new("class", AnswerUnit::Text),
                Column::new("when", AnswerUnit::Text),
                Column::new("iops", AnswerUnit::Iops),
                Column::new("throughput", AnswerUnit::BytesPerS),
                Column::new("bytes", AnswerUnit::Bytes),
                Column::new("mean", AnswerUnit::Nanos),
                Column::new("p99", AnswerUnit::Nanos),
            ],
            rows,
        };
        let classes = [self.free, self.rated].into_iter();
        let points = classes.flat_map(|alone| [alone, self.both]);
        let points: Vec<Vec<&Measured>> = points.map(|group| group.points.clone()).collect();
        super::missing::marked(table, &points)
    }

    /// Both classes over time, in the first point that has both.
    fn chart(&self) -> AnswerChart {
        let workloads = self.both.first().summary.workloads.iter();
        let series = workloads.zip(["free", "rated"]).map(|(workload, label)| {
            let measured = workload.series.iter().filter(|point| !point.warmup);
            AnswerSeries {
                label: label.to_owned(),
                model: false,
                points: measured
                    .map(|point| AnswerPoint::plain(point.middle_s(), point.data.iops))
                    .collect(),
            }
        });
        AnswerChart {
            title: format!("Both classes over time: {}", self.name),
            series: series.collect(),
            x: AnswerAxis::linear("time", AnswerUnit::Seconds),
            y: AnswerAxis::linear("IOPS", AnswerUnit::Iops),
        }
    }
}
