//! The effect of network distance: a depth curve for each group of hosts, alone and together; then the same at rates
//! (`near_far_open`).
//!
//! Belongs here: the points, and the groups side by side at equal depth. Must never: know which host is near.

use super::Search;
use super::alone;
use super::answer::{Answer, AnswerCell, AnswerChart, AnswerTable, AnswerUnit, Column};
use super::combinations::{coordinates, loads};
use super::done::{Measured, known};
use super::group::{PointGroup, kind_with};
use super::near_far_open::{self, TOGETHER, is_beside, is_rated, of_group, over_rates};
use super::pacing::Room;
use super::spec::{Spec, StudyLoad};
use crate::run::Run;
use crate::stats::{Bracket, Interval};
use crate::summary::Figures;
use crate::words::{give_or_take, iops_within, rounded_span, span, span_within, whole};
use leadline_model::facts::FactKey;
use leadline_model::plan::Target;
use leadline_model::plan::study::{Axis, Coordinate, Coordinates, HostGroup, Role, Study};

/// What is no more than this share of a difference does not explain it, or is left of it.
const SMALL: f64 = 0.1;
/// A difference below this share of a latency has no practical effect.
const LEAST: f64 = 0.02;

/// The points of one repeat.
pub(super) struct NearFarSearch<'a> {
    pub(super) study: &'a Study,
    pub(super) groups: &'a [HostGroup],
}

impl NearFarSearch<'_> {
    fn all(&self) -> Vec<Spec> {
        let mut all = self.alone();
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
                .map(|g| point(&g.name, vec![of_group(&load, g, true)]));
            all.extend(alone);
            let both = self.groups.iter().map(|g| of_group(&load, g, false));
            all.push(point(TOGETHER, both.collect()));
        }
        all
    }
}

impl NearFarSearch<'_> {
    /// One alone from one host of each group, where the lowest depth of the group has more in flight.
    fn alone(&self) -> Vec<Spec> {
        let all = loads(self.study);
        let mut lone: Vec<Spec> = Vec::new();
        for (load, group) in (all.iter()).flat_map(|l| self.groups.iter().map(move |g| (l, g))) {
            let own = of_group(load, group, true);
            let one = StudyLoad {
                depth: 1,
                jobs: 1,
                ..load.clone()
            };
            let is_in_grid = own.hosts.1 <= 1 && all.contains(&one);
            let mut spec = alone::spec(&own, self.study);
            let name = Coordinate::Text(group.name.clone());
            spec.at.insert(Axis::Group, name);
            spec.at.insert(Axis::Hosts, Coordinate::Number(1.0));
            if !is_in_grid && !lone.iter().any(|known| known.at == spec.at) {
                lone.push(spec);
            }
        }
        lone
    }
}

impl Search for NearFarSearch<'_> {
    fn next(&self, done: &[&Measured], _room: Room) -> Option<Spec> {
        let closed = super::combinations::first_open(self.all(), done);
        closed.or_else(|| {
            super::combinations::first_open(
                near_far_open::specs(self.study, self.groups, done),
                done,
            )
        })
    }

    fn outlook(&self) -> Vec<Spec> {
        let mut all = self.all();
        all.extend(near_far_open::specs(self.study, self.groups, &[]));
        all
    }

    fn answer(&self, done: &[&Measured]) -> Answer {
        let kinds = self.kinds();
        let mut answer = Answer::default();
        for kind in &kinds {
            let own = of_work(&coordinates(kind), done);
            let (same, other): (Vec<&Measured>, Vec<&Measured>) = own
                .into_iter()
                .partition(|m| is_beside(m) || m.number(Axis::Jobs) == Some(f64::from(kind.jobs)));
            let Some(first) = same.iter().copied().find(|m| !is_beside(m)) else {
                continue;
            };
            // One alone of the same work may be a point of a kind with fewer jobs.
            let lone: Vec<&Measured> = same.iter().chain(&other).copied().collect();
            let points = PointGroup {
                points: vec![first],
            };
            let label = match kinds.len() {
                1 => String::new(),
                _ => kind_with(&points, &self.varied()),
            };
            answer.join(&label, self.answer_of(&same, &lone));
        }
        answer
    }
}

impl NearFarSearch<'_> {
    /// What is measured at every depth.
    fn kinds(&self) -> Vec<StudyLoad> {
        let depth = self.study.axes.depths.first();
        let all = loads(self.study).into_iter();
        all.filter(|load| Some(&load.depth) == depth).collect()
    }

    fn varied(&self) -> Vec<Axis> {
        match self.study.axes.jobs.len() {
            1 => Vec::new(),
            _ => vec![Axis::Jobs],
        }
    }

    /// What the points of one kind say; `lone` has those of one alone.
    fn answer_of(&self, done: &[&Measured], lone: &[&Measured]) -> Answer {
        let mut answer = Answer::default();
        let curves: Vec<GroupCurve<'_>> = self
            .groups
            .iter()
            .map(|g| GroupCurve::alone(&g.name, done, lone))
            .collect();
        if let [near, others @ ..] = curves.as_slice() {
            for far in others {
                let both = match others.len() {
                    1 => "Both".to_owned(),
                    _ => format!("{} and {}", near.name, far.name),
                };
                answer.say(alone_words(near, far));
                answer.say(highest_words(&both, near, far));
                answer.sentences.extend(without_equal(near, far));
            }
            // Of three groups none is "far".
            if let [far] = others {
                values_of_two(near, far, &mut answer);
            }
            answer.tables.extend(others.iter().map(|far| AnswerTable {
                title: match others.len() {
                    1 => "At equal depth".to_owned(),
                    _ => format!("At equal depth: {} and {}", near.name, far.name),
                },
                ..equal_depth(near, far)
            }));
        }
        let together = self.groups.iter().enumerate();
        let together = together.map(|(at, g)| GroupCurve::together(&g.name, at, done));
        let all: Vec<GroupCurve<'_>> = curves.into_iter().chain(together).collect();
        answer.tables.push(table(&all));
        answer.charts.extend(pictures(&all));
        near_far_open::answer(self.groups, done, &mut answer);
        answer
    }
}

/// The points with the order, share of reads and block size of these coordinates, whatever is in flight.
fn of_work<'m>(at: &Coordinates, done: &[&'m Measured]) -> Vec<&'m Measured> {
    const WORK: [Axis; 3] = [Axis::Order, Axis::Reads, Axis::Block];
    let is_of = |m: &&&Measured| WORK.iter().all(|axis| m.point.at.get(axis) == at.get(axis));
    done.iter().filter(is_of).copied().collect()
}

/// Adds the round trips to the volume, and what they leave of the latency at depth 1; that the cause of a difference is
/// not known, unless they are known of each group.
pub(super) fn add_round_trips(
    run: &Run,
    groups: &[HostGroup],
    done: &[Measured],
    answer: &mut Answer,
) {
    let done: Vec<&Measured> = done.iter().collect();
    // Of several kinds of work, that which was measured first: distance is the same for all.
    let Some(first) = done.iter().find(|m| alone::is_one(m) && !is_rated(m)) else {
        return;
    };
    let done = of_work(&first.point.at, &done);
    let curves: Vec<GroupCurve<'_>> = groups
        .iter()
        .map(|group| GroupCurve::alone(&group.name, &done, &done))
        .collect();
    let split = groups.iter().zip(&curves).map(|(group, curve)| {
        let trip = round_trip(run, group)?;
        let service = curve.alone_within()?.beyond(trip);
        Some((group, curve.alone?, trip, service))
    });
    let differences = match curves.as_slice() {
        [near, others @ ..] => others.iter().map(|far| difference(near, far)).collect(),
        [] => Vec::new(),
    };
    let Some(split) = split.collect::<Option<Vec<_>>>() else {
        if differences.iter().any(Option::is_some) {
            answer.say(
                "The cause of the difference is not known: round trips to the server were not measured from each \
                 group.",
            );
        }
        return;
    };
    if let [near, others @ ..] = split.as_slice() {
        for (far, more) in others.iter().zip(differences) {
            answer.say(format!(
                "The shortest round trip to the server is {} from {} and {} from {}: {}",
                span(near.2),
                near.0.name,
                span(far.2),
                far.0.name,
                due_to(more, (near.2, &near.3), (far.2, &far.3)),
            ));
        }
        // Of three groups neither is "far".
        if let [far] = others {
            let number = AnswerCell::Number;
            answer.value("round_trip_near", number(near.2), AnswerUnit::Nanos);
            answer.value("round_trip_far", number(far.2), AnswerUnit::Nanos);
            answer.value("distance", number(far.2 - near.2), AnswerUnit::Nanos);
        }
    }
    answer.tables.push(split_table(&split));
}

/// Of each group: the latency at depth 1, the round trip in nanoseconds, and what the latency has beyond it.
fn split_table(split: &[(&HostGroup, &Figures, f64, Interval)]) -> AnswerTable {
    let rows = split.iter().map(|(group, alone, trip, service)| {
        let mean = AnswerCell::mean(&alone.data);
        let service = match mean.bracket() {
            Bracket::AtLeast => AnswerCell::AtLeast(service.value),
            Bracket::Within(..) | Bracket::Unknown => AnswerCell::Within(*service),
        };
        let group = AnswerCell::text(&group.name);
        vec![group, mean, AnswerCell::Number(*trip), service]
    });
    AnswerTable {
        title: "Latency at depth 1".to_owned(),
        rows: rows.collect(),
        columns: vec![
            Column::new("group", AnswerUnit::Text),
            Column::new("mean latency", AnswerUnit::Nanos),
            Column::new("round trip", AnswerUnit::Nanos),
            Column::new("service", AnswerUnit::Nanos),
        ],
    }
}

/// How much of the difference at depth 1 is distance, given the round trip of each group and the rest of its latency.
fn due_to(more: Option<f64>, near: (f64, &Interval), far: (f64, &Interval)) -> String {
    let distance = far.0 - near.0;
    let without = format!(
        "without it, mean latency is {} and {}.",
        span_within(near.1),
        span_within(far.1)
    );
    match more {
        None => "depth 1 shows no difference.".to_owned(),
        Some(more) if distance.abs() < SMALL * more.abs() || (distance > 0.0) != (more > 0.0) => {
            format!(
                "distance does not explain why an I/O at depth 1 takes {} {}; {without}",
                span(more.abs()),
                more_or_less(more)
            )
        }
        Some(more) => {
            let rest = more.abs() - distance.abs();
            let rest = match rest > SMALL * more.abs() {
                true => format!(", and the cause of the other {} is not known", span(rest)),
                false => String::new(),
            };
            format!(
                "distance explains {} of the {} {} that an I/O at depth 1 takes{rest}; {without}",
                span(distance.abs().min(more.abs())),
                span(more.abs()),
                more_or_less(more),
            )
        }
    }
}

const fn more_or_less(difference: f64) -> &'static str {
    if difference > 0.0 { "more" } else { "less" }
}

/// The shortest round trip that any host of a group saw, in nanoseconds: on its connections, or by the law of a simulated
/// volume.
fn round_trip(run: &Run, group: &HostGroup) -> Option<f64> {
    let facts = run.stages.iter().flat_map(|stage| &stage.counted);
    let own = facts.filter(|f| f.key() == FactKey::ROUND_TRIP && group.numbers.contains(&f.host));
    let seen = own.filter_map(|f| f.value.nanos()).min_by(f64::total_cmp);
    seen.or_else(|| {
        let stages = &run.plan.as_ref()?.stages;
        let mut loads = stages.iter().flat_map(|stage| &stage.workloads);
        let volume = loads.find_map(|load| match &load.blocks().target {
            Target::Simulated(target) => Some(&target.volume),
            _ => None,
        })?;
        let each = group
            .numbers
            .iter()
            .map(|host| volume.round_trip_of(*host).0);
        each.min().map(|ns| ns as f64)
    })
}

/// What a group did, by rising depth.
struct GroupCurve<'m> {
    name: String,
    /// One alone, where that was measured.
    alone: Option<&'m Figures>,
    /// What was measured, by rising depth.
    points: Vec<GroupPoint<'m>>,
}

/// Depth of each worker, I/Os in flight of the group, its figures, and the point they are of.
type GroupPoint<'m> = (f64, f64, &'m Figures, &'m Measured);

impl<'m> GroupCurve<'m> {
    fn alone(name: &str, done: &[&'m Measured], lone: &[&'m Measured]) -> Self {
        let is_lone = |m: &&&Measured| {
            let is_own = m.text(Axis::Group) == Some(name) && !is_rated(m);
            is_own && alone::is_one(m)
        };
        let lone = lone.iter().find(is_lone);
        let curve = Self::of(name.to_owned(), done, name, |m| {
            Some((m.summary.depth_asked, &m.summary.figures))
        });
        Self {
            alone: lone.map(|m| &m.summary.figures),
            ..curve
        }
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
        let is_own = |m: &&&Measured| {
            let is_asked = !is_rated(m) && !is_beside(m);
            m.text(Axis::Group) == Some(group) && is_asked
        };
        // The figures of a best point are those of the run that confirms it.
        let is_confirmed = |m: &&&Measured| {
            let again = |other: &&Measured| other.is_once_more() && other.is_same_as(m);
            !m.is_once_more() && done.iter().any(again)
        };
        let own = done.iter().filter(is_own).filter(|m| !is_confirmed(m));
        let mut points: Vec<GroupPoint<'_>> = own
            .filter_map(|m| {
                let (in_flight, figures) = figures(m)?;
                Some((m.number(Axis::Depth)?, in_flight as f64, figures, *m))
            })
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self {
            name,
            alone: None,
            points,
        }
    }

    /// The mean latency at depth 1 in nanoseconds; `None` where that was not measured.
    fn alone_within(&self) -> Option<Interval> {
        Some(self.alone?.data.mean_known())
    }

    /// The highest rate of a group alone with its interval: that of the run which confirms it, where there is one, or of all
    /// repeats of a depth.
    fn highest_within(&self) -> Interval {
        let points: Vec<&Measured> = self.points.iter().map(|p| p.3).collect();
        let groups = PointGroup::all(&points);
        let confirmed = groups.iter().find(|group| group.is_confirmed());
        let highest = confirmed.or_else(|| PointGroup::best(groups.iter(), Measured::iops_within));
        highest.map_or(known(0.0), PointGroup::iops)
    }
}

/// How much longer one I/O alone takes from far than from near, in nanoseconds; `None` where that is not shown.
fn difference(near: &GroupCurve<'_>, far: &GroupCurve<'_>) -> Option<f64> {
    let (near, far) = (near.alone_within()?, far.alone_within()?);
    let is_shown = far.low > near.high || far.high < near.low;
    let more = far.value - near.value;
    (is_shown && more.abs() > LEAST * near.value).then_some(more)
}

/// How long one alone takes from each of two groups, as values.
fn values_of_two(near: &GroupCurve<'_>, far: &GroupCurve<'_>, answer: &mut Answer) {
    let within = |figure: Option<Interval>| figure.map_or(AnswerCell::None, AnswerCell::Within);
    let (one, other) = (near.alone_within(), far.alone_within());
    let apart = one.zip(other).map(|(near, far)| far.less(&near));
    answer.value("alone_near", within(one), AnswerUnit::Nanos);
    answer.value("alone_far", within(other), AnswerUnit::Nanos);
    answer.value("alone_difference", within(apart), AnswerUnit::Nanos);
}

fn alone_words(near: &GroupCurve<'_>, far: &GroupCurve<'_>) -> String {
    let Some((one, other)) = near.alone_within().zip(far.alone_within()) else {
        return format!(
            "Depth 1 was not measured from {} and {}, so what distance adds is not known.",
            near.name, far.name
        );
    };
    let apart = other.less(&one);
    let more = difference(near, far).map(|more| {
        let text = format!("{} {}", span(more.abs()), more_or_less(more));
        give_or_take(&text, rounded_span(more), &apart)
    });
    let latency = |curve: &GroupCurve<'_>| {
        let words = curve.alone.map(|alone| alone.data.latency_words());
        format!("{} from {}", words.unwrap_or_default(), curve.name)
    };
    let more = more.map_or_else(
        || "no difference shown".to_owned(),
        |more| format!("{more} on average"),
    );
    format!(
        "Latency at depth 1 is {} and {}: {more}.",
        latency(near),
        latency(far)
    )
}

fn highest_words(both: &str, near: &GroupCurve<'_>, far: &GroupCurve<'_>) -> String {
    let (one, other) = (near.highest_within(), far.highest_within());
    // Rates that differ beyond their intervals are no evidence that distance costs nothing.
    if one.low.max(other.low) > one.high.min(other.high) {
        return format!(
            "{} reaches {}, {} reaches {} at the measured depths.",
            near.name,
            iops_within(&one),
            far.name,
            iops_within(&other)
        );
    }
    let costs = match difference(near, far) {
        Some(_) => ": the longer latency needs more queue depth but costs no IOPS",
        None => "",
    };
    format!(
        "{both} reach {} at the measured depths{costs}.",
        iops_within(&other)
    )
}

/// Both groups with the same number of I/Os in flight, and N / (R0 + d): what the latency at depth 1 from far would leave.
/// Groups of as many hosts have that at each depth, others at some depths or at none.
fn equal_depth(near: &GroupCurve<'_>, far: &GroupCurve<'_>) -> AnswerTable {
    let taken = far.alone_within();
    // What is in flight is exact.
    let expected = |in_flight: f64, taken: Interval| {
        let in_flight = Interval {
            settled: true,
            ..known(in_flight * 1e9)
        };
        AnswerCell::Within(in_flight.over(&taken))
    };
    let pairs = near.points.iter().filter_map(|point| {
        let is_same = |p: &&GroupPoint<'_>| (p.1 - point.1).abs() < 0.5;
        Some((point, far.points.iter().find(is_same)?))
    });
    let pairs: Vec<_> = pairs.collect();
    let is_one = pairs
        .iter()
        .all(|(one, other)| (one.0 - other.0).abs() < 0.5);
    let row = |(one, other): &(&GroupPoint<'_>, &GroupPoint<'_>)| {
        let mut row = vec![AnswerCell::Number(one.0)];
        row.extend((!is_one).then_some(AnswerCell::Number(other.0)));
        row.extend([
            AnswerCell::Number(one.1),
            AnswerCell::Within(rate(one.2)),
            AnswerCell::Within(rate(other.2)),
            AnswerCell::Within(rate(other.2).over(&rate(one.2))),
            taken.map_or(AnswerCell::None, |taken| expected(one.1, taken)),
        ]);
        row
    };
    let depths = match is_one {
        true => vec![Column::new("depth", AnswerUnit::Count)],
        false => [near, far]
            .map(|group| Column::new(&format!("depth, {}", group.name), AnswerUnit::Count))
            .to_vec(),
    };
    let columns = [
        Column::new("in flight", AnswerUnit::Count),
        Column::new(&near.name, AnswerUnit::Iops),
        Column::new(&far.name, AnswerUnit::Iops),
        Column::concluded(&format!("{}/{}", far.name, near.name), AnswerUnit::Share),
        Column::concluded("expected far", AnswerUnit::Iops),
    ];
    AnswerTable {
        title: "At equal depth".to_owned(),
        rows: pairs.iter().map(row).collect(),
        columns: depths.into_iter().chain(columns).collect(),
    }
}

/// A sentence that two groups never had the same number of I/Os in flight, if so.
fn without_equal(near: &GroupCurve<'_>, far: &GroupCurve<'_>) -> Option<String> {
    let (one, other) = (near.points.first()?, far.points.first()?);
    // I/Os in flight for each one of depth: what the group's workers are.
    let [near_each, far_each] = [one, other].map(|p| whole(p.1 / p.0.max(1.0)).max(1));
    let common = common_divisor(near_each, far_each);
    equal_depth(near, far).rows.is_empty().then(|| {
        format!(
            "{} and {} have different numbers of hosts, and no two of these depths give both the same number of I/Os \
             in flight, so their rates at equal N are not compared: give depths such as {} and {}.",
            near.name,
            far.name,
            far_each / common,
            near_each / common
        )
    })
}

/// The greatest number that both are multiples of.
const fn common_divisor(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        b => common_divisor(b, a % b),
    }
}

fn rate(figures: &Figures) -> Interval {
    figures.data.iops_known()
}

fn table(curves: &[GroupCurve<'_>]) -> AnswerTable {
    let rows = curves.iter().flat_map(|curve| {
        curve.points.iter().map(|(depth, _, figures, _)| {
            vec![
                AnswerCell::text(&curve.name),
                AnswerCell::Number(*depth),
                AnswerCell::Within(rate(figures)),
                AnswerCell::Within(figures.data.bytes_known()),
                AnswerCell::mean(&figures.data),
                AnswerCell::percentile(figures.data.response_at(99.0)),
            ]
        })
    });
    let points = curves.iter().flat_map(|curve| &curve.points);
    let points: Vec<Vec<&Measured>> = points.map(|point| vec![point.3]).collect();
    let table = AnswerTable {
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
    };
    super::missing::marked(table, &points)
}

/// Latency over IOPS, a line for each group: percentiles before the mean.
fn pictures<'c>(curves: &'c [GroupCurve<'_>]) -> Vec<AnswerChart> {
    let of = |curve: &'c GroupCurve<'_>| curve.points.iter().map(|p| (curve.name.as_str(), p.2));
    over_rates("IOPS", curves.iter().flat_map(of))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::op::Op;
    use leadline_model::plan::StudyPoint;
    use leadline_model::plan::access::OpMix;

    /// The highest of several repeats is high by chance, and those of a study with repeats are not measured once more.
    #[test]
    fn the_highest_rate_of_a_group_is_the_mean_of_the_repeats_of_a_depth() {
        let rates = [(1.0, 400), (4.0, 900), (1.0, 400), (4.0, 1000)];
        let workload = fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let stages = rates.iter().map(|_| ("p", vec![workload.clone()]));
        let mut plan = fixture::plan(stages.collect());
        for (place, (stage, (depth, _))) in plan.stages.iter_mut().zip(rates).enumerate() {
            let repeat = if place < 2 { 1.0 } else { 2.0 };
            let numbers = [(Axis::Depth, depth), (Axis::Repeat, repeat)];
            let numbers = numbers.map(|(axis, n)| (axis, Coordinate::Number(n)));
            let group = (Axis::Group, Coordinate::Text("near".to_owned()));
            stage.point = Some(StudyPoint {
                role: Role::Point,
                at: numbers.into_iter().chain([group]).collect(),
            });
        }
        let loads = rates.map(|(_, ios)| vec![Load::simple(Op::Read, ios, 4096, 100_000, 10)]);
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        let done = Measured::all(&run, &summarize(&run));
        let done: Vec<&Measured> = done.iter().collect();
        let highest = GroupCurve::alone("near", &done, &done).highest_within();
        let share = highest.value / done[3].iops();
        assert!((share - 0.95).abs() < 0.01, "{share}");
    }
}
