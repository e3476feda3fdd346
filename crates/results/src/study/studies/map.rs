//! Latency over a rate of reads and a rate of writes.
//!
//! Belongs here: which pair of rates is next, and the answer. A pair of which both rates are at least those of a
//! saturated one is saturated too, and is not measured. Must never: how it is drawn.

mod border;

use super::Search;
use super::answer::{
    Answer, AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable,
    AnswerUnit, Column,
};
use super::done::Measured;
use super::open::{by_repeat, is_queued, is_saturated, is_short, numbers};
use super::own_depth::{DEEPER, Few, OwnDepth};
use super::pacing::Room;
use super::spec::{Spec, StudyLoad};
use crate::stats::Interval;
use crate::words::{about, iops_within, whole};
use leadline_model::plan::study::{Axis, Coordinate, Coordinates, Question, Role, Study};
use leadline_model::plan::{Arrival, UNDECIDED_IOPS};
use leadline_model::units::Bytes;

/// Neighbours whose p99 differs by this factor get a point between them.
const DOUBLES: f64 = 2.0;

/// The points of one repeat.
pub(super) struct Map<'a> {
    study: &'a Study,
    grid: u32,
    refine: u32,
}

/// What all points of a map have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LoadShape {
    random: bool,
    block: u64,
    jobs: u32,
    depth: u32,
}

/// Reads and writes a second.
type Pair = (f64, f64);

/// A pair that was measured.
#[derive(Clone, Copy)]
struct Spot<'a> {
    pair: Pair,
    saturated: bool,
    point: &'a Measured,
}

impl<'a> Spot<'a> {
    fn of(point: &'a Measured) -> Option<Self> {
        let is_missed = |w: &crate::summary::WorkloadSummary| {
            let seconds = w.figures.span.as_secs_f64();
            let mut rates = w.rates.iter();
            rates.any(|rate| is_short(rate.asked_value(), rate.reached, seconds))
        };
        Some(Self {
            pair: (
                point.number(Axis::ReadRate)?,
                point.number(Axis::WriteRate)?,
            ),
            saturated: point.summary.workloads.iter().any(is_missed)
                || is_saturated(point)
                || is_queued(point),
            point,
        })
    }

    /// Its reads (0) or its writes (1).
    fn class(&self, class: usize) -> Option<Few> {
        let workload = self.point.summary.workloads.get(class)?;
        Some(Few::of(&workload.figures))
    }

    fn p99(&self) -> f64 {
        let found = self.point.response_at(99.0);
        found.map_or(0.0, |p| p.value.0 as f64)
    }

    /// The same as tables have it.
    fn p99_cell(&self) -> AnswerCell {
        AnswerCell::percentile(self.point.response_at(99.0))
    }
}

/// Whether a pair asks at least as much as a saturated one.
fn is_beyond(spots: &[Spot<'_>], pair: Pair) -> bool {
    let at_least = |s: &Spot<'_>| pair.0 >= s.pair.0 - 0.5 && pair.1 >= s.pair.1 - 0.5;
    spots.iter().any(|s| s.saturated && at_least(s))
}

fn is_at(a: Pair, b: Pair) -> bool {
    (a.0 - b.0).abs() < 0.5 && (a.1 - b.1).abs() < 0.5
}

impl<'a> Map<'a> {
    /// The search of a study that asks for a map.
    pub(super) fn new(study: &'a Study) -> Option<Self> {
        match study.question {
            Question::Map { grid, refine } => Some(Self {
                study,
                grid: grid.max(2),
                refine,
            }),
            _ => None,
        }
    }

    fn shapes(&self) -> Vec<LoadShape> {
        let axes = &self.study.axes;
        let mut all = Vec::new();
        for &random in &axes.random {
            for &block in &axes.blocks {
                for &jobs in &axes.jobs {
                    all.extend(axes.depths.iter().map(|&depth| LoadShape {
                        random,
                        block,
                        jobs,
                        depth,
                    }));
                }
            }
        }
        all
    }

    fn load(
        &self,
        shape: LoadShape,
        reads: u8,
        name: &'static str,
        rate: Option<f64>,
    ) -> StudyLoad {
        StudyLoad {
            name: name.to_owned(),
            reads,
            random: shape.random,
            block: shape.block,
            jobs: shape.jobs,
            depth: shape.depth,
            rate: rate.map(|rate| (rate, Arrival::Poisson)),
            ..StudyLoad::on(&self.study.scope)
        }
    }

    fn maximum(&self, shape: LoadShape, kind: &'static str) -> Spec {
        let reads = if kind == "reads" { 100 } else { 0 };
        let mut at = shape.at();
        at.insert(Axis::Kind, Coordinate::Text(kind.to_owned()));
        Spec::of(
            Role::Maximum,
            at,
            self.load(shape, reads, "", None),
            self.study,
        )
    }

    fn pair(&self, shape: LoadShape, pair: Pair) -> Spec {
        let reads = self.load(shape, 100, "reads", Some(pair.0));
        let writes = self.load(shape, 0, "writes", Some(pair.1));
        let mut at = shape.at();
        at.extend(numbers(&[
            (Axis::ReadRate, pair.0),
            (Axis::WriteRate, pair.1),
        ]));
        Spec {
            loads: vec![reads.clone(), writes],
            ..Spec::of(Role::Point, at, reads, self.study)
        }
    }

    /// The pairs of the grid in their order, given the highest rates of reads and of writes alone.
    fn grid(&self, highest: Pair) -> Vec<Pair> {
        let part = |n: u32, of: f64| (of * f64::from(n) / f64::from(self.grid)).round().max(1.0);
        let rows = 1..=self.grid;
        rows.flat_map(|r| (1..=self.grid).map(move |w| (part(r, highest.0), part(w, highest.1))))
            .collect()
    }

    fn next_of(&self, shape: LoadShape, done: &[&Measured], room: Room) -> Option<Spec> {
        let own = of_shape(done, shape);
        let [Some(reads), Some(writes)] = ["reads", "writes"].map(|kind| maximum_of(&own, kind))
        else {
            let missing = match maximum_of(&own, "reads") {
                None => "reads",
                Some(_) => "writes",
            };
            return Some(self.maximum(shape, missing));
        };
        let spots: Vec<Spot<'_>> = own.iter().filter_map(|m| Spot::of(m)).collect();
        let grid = self.grid((reads, writes));
        let is_open =
            |pair: &Pair| !is_beyond(&spots, *pair) && !spots.iter().any(|s| is_at(s.pair, *pair));
        let open = grid.iter().copied().find(is_open);
        let more = || {
            let of_grid = |s: &&Spot<'_>| grid.iter().any(|pair| is_at(*pair, s.pair));
            let refined = spots.len() - spots.iter().filter(of_grid).count();
            let between = || halfway(&spots, is_open);
            (refined < self.refine as usize).then(between).flatten()
        };
        let open = open.map(|pair| self.pair(shape, pair));
        open.or_else(|| Some(self.pair(shape, more()?)).filter(|spec| room.holds(spec)))
    }
}

impl Map<'_> {
    /// The map of each shape in each repeat.
    fn found<'m>(&self, done: &[&'m Measured]) -> Vec<FoundMap<'m>> {
        let repeats = by_repeat(done);
        let mut found = Vec::new();
        for (number, repeat) in (1..).zip(&repeats) {
            for shape in self.shapes() {
                let own = of_shape(repeat, shape);
                let highest = ["reads", "writes"].map(|kind| maximum_of(&own, kind));
                let [Some(reads), Some(writes)] = highest else {
                    continue;
                };
                let name = match repeats.len() {
                    1 => shape.words(),
                    _ => format!("{}, repeat {number}", shape.words()),
                };
                found.push(FoundMap::of(self, name, (reads, writes), &own));
            }
        }
        found
    }
}

impl LoadShape {
    fn at(self) -> Coordinates {
        let order = if self.random { "random" } else { "sequential" };
        let mut at = numbers(&[
            (Axis::Block, self.block as f64),
            (Axis::Jobs, f64::from(self.jobs)),
            (Axis::Depth, f64::from(self.depth)),
        ]);
        at.insert(Axis::Order, Coordinate::Text(order.to_owned()));
        at
    }

    fn words(self) -> String {
        let order = if self.random { "random" } else { "sequential" };
        format!("{} {order}, depth {}", Bytes(self.block), self.depth)
    }
}

fn of_shape<'a>(done: &[&'a Measured], shape: LoadShape) -> Vec<&'a Measured> {
    let wanted = shape.at();
    let is_of = |m: &&&Measured| {
        wanted
            .iter()
            .all(|(axis, at)| m.point.at.get(axis) == Some(at))
    };
    done.iter().filter(is_of).copied().collect()
}

fn maximum_of(own: &[&Measured], kind: &str) -> Option<f64> {
    let is_it = |m: &&&Measured| m.role() == Role::Maximum && m.text(Axis::Kind) == Some(kind);
    own.iter().find(is_it).map(|m| m.iops())
}

/// The middle of the two neighbours in a row or a column whose p99 differs most, by a factor of two at least.
fn halfway(spots: &[Spot<'_>], is_open: impl Fn(&Pair) -> bool) -> Option<Pair> {
    let mut best: Option<(f64, Pair)> = None;
    for a in spots {
        for across in [true, false] {
            let of = |pair: Pair| if across { pair } else { (pair.1, pair.0) };
            let (x, y) = of(a.pair);
            let after = spots.iter().filter(|b| {
                let (bx, by) = of(b.pair);
                (by - y).abs() < 0.5 && bx > x + 2.0
            });
            let Some(b) = after.min_by(|b, c| of(b.pair).0.total_cmp(&of(c.pair).0)) else {
                continue;
            };
            let ratio = a.p99().max(b.p99()) / a.p99().min(b.p99()).max(1.0);
            let middle = of((f64::midpoint(x, of(b.pair).0).round(), y));
            let is_better = best.is_none_or(|(most, _)| ratio > most);
            if ratio >= DOUBLES && is_better && !(a.saturated && b.saturated) && is_open(&middle) {
                best = Some((ratio, middle));
            }
        }
    }
    best.map(|best| best.1)
}

impl Search for Map<'_> {
    fn next(&self, done: &[&Measured], room: Room) -> Option<Spec> {
        let mut shapes = self.shapes().into_iter();
        shapes.find_map(|shape| self.next_of(shape, done, room))
    }

    fn outlook(&self) -> Vec<Spec> {
        let mut all = Vec::new();
        for shape in self.shapes() {
            all.push(self.maximum(shape, "reads"));
            all.push(self.maximum(shape, "writes"));
            // The highest rates are not known yet: pairs have the numbers of their places as coordinates.
            let places = f64::from(self.grid);
            let pairs = self.grid((places, places)).into_iter();
            all.extend(pairs.map(|pair| {
                let mut spec = self.pair(shape, pair);
                let rates = spec.loads.iter_mut().filter_map(|l| l.rate.as_mut());
                rates.for_each(|rate| rate.0 = UNDECIDED_IOPS);
                spec
            }));
        }
        all
    }

    fn most(&self) -> Option<usize> {
        None
    }

    fn answer(&self, done: &[&Measured]) -> Answer {
        let mut answer = Answer::default();
        let found = self.found(done);
        for one in &found {
            if found.len() == 1 {
                one.values(&mut answer);
            }
            one.say(&mut answer);
        }
        answer
    }

    fn own_depths(&self, done: &[&Measured]) -> Vec<OwnDepth> {
        let found = self.found(done).into_iter();
        found.flat_map(|one| one.own).collect()
    }
}

/// A map that was measured.
struct FoundMap<'a> {
    name: String,
    /// The highest rates of reads and of writes alone.
    alone: [Interval; 2],
    spots: Vec<Spot<'a>>,
    /// Pairs that were not measured because others were saturated.
    skipped: Vec<Pair>,
    /// Reads or writes alone of which the study's own depth was the limit.
    own: Vec<OwnDepth>,
    /// Saturated pairs of which it was not.
    full: Vec<Pair>,
}

impl<'a> FoundMap<'a> {
    fn of(map: &Map<'_>, name: String, highest: Pair, own: &[&'a Measured]) -> Self {
        let mut spots: Vec<Spot<'a>> = own.iter().filter_map(|m| Spot::of(m)).collect();
        spots.sort_by(|a, b| {
            a.pair
                .partial_cmp(&b.pair)
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let is_skipped =
            |pair: &Pair| is_beyond(&spots, *pair) && !spots.iter().any(|s| is_at(s.pair, *pair));
        let skipped = map.grid(highest).into_iter().filter(is_skipped).collect();
        // At the lowest rates almost nothing waits.
        let few = [0, 1].map(|class| {
            let each = spots.iter().filter_map(|s| s.class(class));
            each.min_by(|a, b| a.mean.total_cmp(&b.mean))
        });
        let maximum = |kind: &str| {
            let mut maxima = own.iter().filter(|m| m.role() == Role::Maximum);
            maxima.find(|m| m.text(Axis::Kind) == Some(kind))
        };
        // The figures of a highest rate are those of the run that confirms it.
        let confirmed = |kind: &str| {
            let mut again = own.iter().filter(|m| m.is_once_more());
            again.find(|m| m.text(Axis::Kind) == Some(kind))
        };
        let known = |kind: &str, highest: f64| {
            let point = confirmed(kind).or_else(|| maximum(kind));
            point.map_or(Interval::only(highest), |m| m.iops_within())
        };
        let alone = [known("reads", highest.0), known("writes", highest.1)];
        let maxima = ["reads", "writes"].into_iter().zip(few);
        let own = maxima.filter_map(|(kind, few)| OwnDepth::of(maximum(kind)?, few?));
        let own: Vec<OwnDepth> = own.collect();
        let is_quick = |s: &Spot<'_>, class: usize| {
            let both = few[class].zip(s.class(class));
            both.is_some_and(|(few, own)| few.is_as_quick(own.mean))
        };
        let is_free = |s: &Spot<'_>| !own.is_empty() && is_quick(s, 0) && is_quick(s, 1);
        let is_full = |s: &&Spot<'_>| s.saturated && !is_free(s);
        let full = spots.iter().filter(is_full).map(|s| s.pair).collect();
        Self {
            name,
            alone,
            own,
            full,
            spots,
            skipped,
        }
    }

    /// Whether a pair asks at least as much as one that the volume did not do.
    fn is_beyond_the_volume(&self, pair: Pair) -> bool {
        let at_least = |full: &Pair| pair.0 >= full.0 - 0.5 && pair.1 >= full.1 - 0.5;
        self.full.iter().any(at_least)
    }

    fn values(&self, answer: &mut Answer) {
        let alone = |rate: Interval| match self.own.is_empty() {
            true => AnswerCell::Within(rate),
            false => AnswerCell::AtLeast(rate.value),
        };
        answer.value("reads_alone", alone(self.alone[0]), AnswerUnit::Iops);
        answer.value("writes_alone", alone(self.alone[1]), AnswerUnit::Iops);
        let measured = self.spots.len() as f64;
        answer.value("measured", AnswerCell::Number(measured), AnswerUnit::Count);
        let skipped = self.skipped.len() as f64;
        answer.value("skipped", AnswerCell::Number(skipped), AnswerUnit::Count);
    }

    fn say(&self, answer: &mut Answer) {
        let saturated = self.spots.iter().filter(|s| s.saturated).count();
        let reached = match saturated {
            0 => ", and all were reached".to_owned(),
            some => format!(
                "; {some} of them were not reached, and {} with even higher rates were skipped",
                self.skipped.len()
            ),
        };
        answer.say(format!(
            "{}: {} of reads alone, {} of writes alone; {} pairs of rates were measured{reached}.",
            self.name,
            iops_within(&self.alone[0]),
            iops_within(&self.alone[1]),
            self.spots.len(),
        ));
        if let Some(own) = self.own.first() {
            answer.say(format!(
                "{}: {}. {DEEPER}; pairs missed for lack of depth are not part of the border.",
                self.name,
                own.words()
            ));
        }
        answer.sentences.extend(self.border_words());
        answer.tables.push(self.border_table());
        answer.charts.extend(self.border_chart());
        answer.tables.push(self.table());
        answer.charts.push(self.chart());
    }

    fn table(&self) -> AnswerTable {
        let row = |spot: &Spot<'_>| {
            vec![
                AnswerCell::Number(spot.pair.0),
                AnswerCell::Number(spot.pair.1),
                AnswerCell::Within(spot.point.iops_within()),
                AnswerCell::percentile(spot.point.response_at(50.0)),
                spot.p99_cell(),
                AnswerCell::text(match self.full.iter().any(|pair| is_at(*pair, spot.pair)) {
                    true => "saturated",
                    false if spot.saturated => "own depth",
                    false => "",
                }),
            ]
        };
        let beyond = |pair: &Pair| {
            vec![
                AnswerCell::Number(pair.0),
                AnswerCell::Number(pair.1),
                AnswerCell::None,
                AnswerCell::None,
                AnswerCell::None,
                AnswerCell::text(match self.is_beyond_the_volume(*pair) {
                    true => "saturated, not measured",
                    false => "own depth, not measured",
                }),
            ]
        };
        let rows = self.spots.iter().map(row);
        let table = AnswerTable {
            title: format!("Pairs of rates: {}", self.name),
            columns: vec![
                Column::new("reads", AnswerUnit::Iops),
                Column::new("writes", AnswerUnit::Iops),
                Column::new("reached", AnswerUnit::Iops),
                Column::new("p50", AnswerUnit::Nanos),
                Column::new("p99", AnswerUnit::Nanos),
                Column::new("state", AnswerUnit::Text),
            ],
            rows: rows.chain(self.skipped.iter().map(beyond)).collect(),
        };
        let points: Vec<Vec<&Measured>> = self.spots.iter().map(|s| vec![s.point]).collect();
        super::missing::marked(table, &points)
    }

    /// p99 over the rate of reads, a line for each rate of writes.
    fn chart(&self) -> AnswerChart {
        let mut writes: Vec<u64> = self.spots.iter().map(|s| whole(s.pair.1)).collect();
        writes.sort_unstable();
        writes.dedup();
        let line = |writes: u64| {
            let own = self
                .spots
                .iter()
                .filter(|s| whole(s.pair.1) == writes && !s.saturated);
            AnswerSeries {
                label: format!("{} writes a second", about(writes as f64)),
                model: false,
                points: own
                    .filter_map(|s| AnswerPoint::of(s.pair.0, &s.p99_cell()))
                    .collect(),
            }
        };
        let lines = writes.into_iter().map(line);
        AnswerChart {
            title: format!("p99 over reads a second: {}", self.name),
            x: AnswerAxis::linear("reads a second", AnswerUnit::Iops),
            y: AnswerAxis::logarithmic("p99", AnswerUnit::Nanos),
            series: lines.filter(|line| line.points.len() >= 2).collect(),
            marks: Vec::new(),
        }
    }
}
