//! What a rate-limited class of I/O takes from an unthrottled one: each alone, and both together.
//!
//! Belongs here: the three points and the answer. Must never: how a rate is kept, or that the first is measured once more at the
//! end (`confirming` does).

use super::Search;
use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::done::{Measured, known};
use super::group::{FREE, PointGroup};
use super::pacing::Room;
use super::spec::{Spec, StudyLoad};
use super::tails;
use crate::stats::Interval;
use crate::summary::{OpFigures, Percentile, Point, WorkloadSummary};
use crate::words::{about, bytes_within, counted, rate_within, span_within, trim_to};
use leadline_model::plan::Arrival;
use leadline_model::plan::study::{Axis, Class, Coordinate, Coordinates, Question, Role, Study};
use leadline_model::units::Bytes;

/// Its three points, by the same axis.
const KINDS: [&str; 3] = [FREE, "rated", "both"];
/// What the two classes are called in tables and charts.
const NAMES: [&str; 2] = ["unthrottled", "rate-limited"];

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
            answer.charts.extend([found.chart(), found.tails()]);
        }
        answer
    }
}

fn words_of((block, jobs, depth): ClassShape) -> String {
    let jobs = counted(&jobs.to_string(), "job");
    format!("{}, {jobs} at depth {depth} each", Bytes(block))
}

/// What one class takes from the other, in words: of less than nothing it takes no rate.
fn effect_words(taken: &Interval) -> String {
    let percent = |share: f64| trim_to(100.0 * share, 1);
    let (low, high) = (percent(taken.low), percent(taken.high));
    match taken.low <= 0.0 {
        true => format!("takes no measurable rate (95 %: {low} to {high} %) from"),
        false => format!(
            "takes {} % (95 %: {low} to {high} %) of the rate of",
            percent(taken.value)
        ),
    }
}

/// Whether a class did clearly more beside another than alone.
const fn is_more(taken: &Interval) -> bool {
    /// Up to this share it is no difference.
    const NONE: f64 = 0.05;
    taken.high < -NONE
}

/// The p99 of a class in a part of a point.
fn tail_point(part: &Point) -> AnswerPoint {
    let shown = part.data.from_intended().p99.and_then(|p99| p99.shown());
    let y = shown.map_or(f64::NAN, |ns| ns.0 as f64);
    AnswerPoint::plain(part.middle_s(), y)
}

/// Whether intervals of a point are merged for its p99.
fn is_merged(measured: &Measured) -> bool {
    let mut each = measured.summary.workloads.iter().zip(&measured.tails);
    each.any(|(workload, tails)| tails.len() < workload.series.len())
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

impl Found<'_, '_> {
    /// A figure of one class (0 free, 1 rated) while both are at work.
    fn together(&self, class: usize, figure: fn(&OpFigures) -> Interval) -> Interval {
        let of = |w: &WorkloadSummary| figure(&w.figures.data);
        let none = known(0.0);
        self.both
            .over(|m| m.summary.workloads.get(class).map_or(none, of))
    }

    /// The same class's latency from the intended start at a percentile: of the buckets of all repeats.
    fn tail_together(&self, class: usize, percent: f64) -> Option<Percentile> {
        let of_class = self
            .both
            .points
            .iter()
            .filter_map(|m| m.summary.workloads.get(class));
        let each: Vec<&OpFigures> = of_class.map(|w| &w.figures.data).collect();
        let tails = each.iter().map(|data| data.response_at(percent)).collect();
        tails::together(percent, tails, each.iter().map(|data| data.response()))
    }

    /// What a class's latencies are alone and with the other: `p99 2.35 ms +-1.2 % alone and 137 ms +-4 % together (58
    /// times)`.
    fn slower(&self, class: usize) -> String {
        let alone = self.alone(class);
        let times = |alone: f64, together: f64, mark: &str| match alone > 0.0 {
            true => format!(" ({mark}{} times)", about(together / alone)),
            false => String::new(),
        };
        let tails = [50.0, 99.0].into_iter().filter_map(|percent| {
            let (one, both) = (
                alone.percentile(percent)?,
                self.tail_together(class, percent)?,
            );
            let mark = if both.at_least { ">= " } else { "" };
            let ratio = times(one.shown()?.0 as f64, both.shown()?.0 as f64, mark);
            let (one, both) = (one.words(), both.words());
            Some(format!("p{percent} {one} alone and {both} together{ratio}"))
        });
        let (one, both) = (alone.mean(), self.together(class, OpFigures::mean_known));
        let mean = format!(
            "mean {} alone and {} together{}",
            span_within(&one),
            span_within(&both),
            times(one.value, both.value, "")
        );
        tails.chain([mean]).collect::<Vec<_>>().join(", ")
    }

    fn alone(&self, class: usize) -> &PointGroup<'_> {
        if class == 0 { self.free } else { self.rated }
    }

    /// The share of its rate alone that the free class loses, with its interval: the errors of both rates add as squares.
    fn taken(&self) -> Interval {
        let (alone, together) = (self.free.iops(), self.together(0, OpFigures::iops_known));
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
        let effect = effect_words(&taken);
        let class = |class: usize| {
            let rate = self.together(class, OpFigures::iops_known);
            rate_within(&rate)
        };
        answer.say(format!(
            "{}: together {} ({}): {} unthrottled, and {} of {} rate-limited. At this depth the rate-limited class \
             {effect} the unthrottled one, which reaches {} alone.",
            self.name,
            self.both.iops_words(),
            bytes_within(&self.both.bytes()),
            class(0),
            class(1),
            about(search.rated.iops(self.block).unwrap_or_default()),
            self.free.iops_words(),
        ));
        answer.say(format!(
            "{}: response time of the unthrottled class: {}. Of the rate-limited class: {}.",
            self.name,
            self.slower(0),
            self.slower(1)
        ));
        if is_more(&taken) {
            answer.say(format!(
                "{}: the unthrottled class did more beside the rate-limited one than alone: something that sleeps between \
                 I/Os was kept awake, a cache filled, or the volume changed before both were measured.",
                self.name
            ));
        }
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
        let of = |class| AnswerCell::Within(self.together(class, OpFigures::iops_known));
        let tails = [
            (["free_p50_alone", "free_p50_together"], 0, 50.0),
            (["free_p99_alone", "free_p99_together"], 0, 99.0),
            (["rated_p50_alone", "rated_p50_together"], 1, 50.0),
            (["rated_p99_alone", "rated_p99_together"], 1, 99.0),
        ];
        for ([alone, together], class, percent) in tails {
            let one = self.alone(class).response_at(percent);
            answer.value(alone, one, AnswerUnit::Nanos);
            let both = AnswerCell::percentile(self.tail_together(class, percent));
            answer.value(together, both, AnswerUnit::Nanos);
        }
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
        for (class, name) in NAMES.into_iter().enumerate() {
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
                alone.mean_cell(),
                alone.response_at(99.0),
            ]);
            let of = |m: &Measured| {
                m.summary
                    .workloads
                    .get(class)
                    .map(|w| w.figures.data.clone())
            };
            rows.push(vec![
                AnswerCell::text(name),
                AnswerCell::text("together"),
                AnswerCell::Within(self.together(class, OpFigures::iops_known)),
                AnswerCell::Within(self.together(class, OpFigures::bytes_known)),
                moved(&|m| of(m).map_or(0, |data| data.bytes), self.both),
                AnswerCell::Within(self.together(class, OpFigures::mean_known)),
                AnswerCell::percentile(self.tail_together(class, 99.0)),
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

    /// The response time of each class over time, alone and together. A single interval has too few I/Os of a rate-limited class
    /// for p99, so that intervals are merged; a point that still has too few is a gap.
    fn tails(&self) -> AnswerChart {
        let line = |measured: &Measured, class: usize, label: &str| {
            let parts = measured.tails.get(class).into_iter().flatten();
            let parts = parts.filter(|part| !part.warmup);
            AnswerSeries {
                label: label.to_owned(),
                model: false,
                points: parts.map(tail_point).collect(),
            }
        };
        let together = NAMES.into_iter().enumerate();
        let together = together.map(|(class, name)| line(self.both.first(), class, name));
        let alone = [
            (self.free, format!("{} alone", NAMES[0])),
            (self.rated, format!("{} alone", NAMES[1])),
        ];
        let alone = alone.map(|(group, name)| line(group.first(), 0, &name));
        let each = together.chain(alone);
        let measured = [self.free, self.rated, self.both].map(PointGroup::first);
        let label = match measured.into_iter().any(is_merged) {
            true => "p99 of response time, intervals merged",
            false => "p99 of response time",
        };
        AnswerChart {
            title: format!("Response time of both classes: {}", self.name),
            series: each.filter(|series| !series.points.is_empty()).collect(),
            x: AnswerAxis::linear("time", AnswerUnit::Seconds),
            y: AnswerAxis::logarithmic(label, AnswerUnit::Nanos),
            marks: Vec::new(),
        }
    }

    /// Both classes over time, in the first point that has both.
    fn chart(&self) -> AnswerChart {
        let workloads = self.both.first().summary.workloads.iter();
        let series = workloads.zip(NAMES).map(|(workload, label)| {
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
            marks: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::summary::Trust;
    use crate::summary::series::series;

    #[test]
    fn a_class_takes_no_rate_from_one_that_did_more_beside_it() {
        let of = |low: f64, value: f64, high: f64| Interval {
            value,
            low,
            high,
            settled: true,
        };
        let (some, none) = (of(0.2, 0.3, 0.4), of(-0.01, 0.0, 0.01));
        let (few, more) = (of(-0.03, -0.02, -0.01), of(-3.0, -2.94, -2.9));
        assert_eq!(
            effect_words(&some),
            "takes 30 % (95 %: 20 to 40 %) of the rate of"
        );
        let each = [some, none, few, more];
        let is_none =
            |taken: &Interval| effect_words(taken).starts_with("takes no measurable rate");
        assert_eq!(each.each_ref().map(is_none), [false, true, true, true]);
        assert_eq!(each.each_ref().map(is_more), [false, false, false, true]);
    }

    #[test]
    fn a_p99_of_too_few_is_a_gap() {
        let run = fixture::run();
        let points = series(&run.stages[0].samples, Some(0));
        let mut part = points[4].clone();
        let of = |part: &Point| tail_point(part).y;
        part.data.response_mean_ns = None;
        let mut p99 = part.data.p99.unwrap();
        p99.trust = Trust::Doubtful;
        part.data.p99 = Some(p99);
        assert!((of(&part) - p99.value.0 as f64).abs() < 1e-9);
        p99.trust = Trust::TooFew;
        part.data.p99 = Some(p99);
        assert!(of(&part).is_nan());
        part.data.p99 = None;
        assert!(of(&part).is_nan());
    }
}
