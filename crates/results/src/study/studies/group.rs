//! The same point over its repeats and tries, and tables of such points.
//!
//! Belongs here: one figure of several measurements; the columns that all studies have. Must never: what a table means.

use super::answer::{
    AnswerAxis, AnswerCell, AnswerChart, AnswerPoint, AnswerSeries, AnswerTable, AnswerUnit, Column,
};
use super::done::Measured;
use super::missing;
use crate::stats::{Bracket, Interval, over_all};
use crate::summary::said::latency_words;
use crate::words::{counted, iops_within, span_within};
use leadline_model::plan::study::{Axis, Coordinate, Coordinates, Study};
use leadline_model::units::Bytes;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The unthrottled class of a combined study alone, as `Axis::Kind` calls it.
pub(super) const FREE: &str = "free";

/// A point with all its measurements.
#[derive(Clone, Debug)]
pub(super) struct PointGroup<'a> {
    /// At least one.
    pub(super) points: Vec<&'a Measured>,
}

impl<'a> PointGroup<'a> {
    /// The points of a study, each with all its measurements, in the order in which they are planned.
    pub(super) fn all(done: &[&'a Measured]) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for point in done {
            match groups.iter_mut().find(|g| g.first().is_same_as(point)) {
                Some(group) => group.points.push(point),
                None => groups.push(Self {
                    points: vec![point],
                }),
            }
        }
        groups
    }

    /// The first measurement.
    pub(super) fn first(&self) -> &'a Measured {
        self.points[0]
    }

    /// Its value of what was varied, where that is a number.
    pub(super) fn number(&self, axis: Axis) -> Option<f64> {
        self.first().number(axis)
    }

    /// What was varied, but for repeats and tries.
    pub(super) fn at(&self) -> Coordinates {
        self.first().at()
    }

    /// The measurements that its figures are of: all, or the one that confirms it as the best of a study, since the
    /// highest of several is high by chance.
    pub(super) fn counted(&self) -> impl Iterator<Item = &'a Measured> {
        let confirmed = self.is_confirmed();
        let all = self.points.iter().copied();
        all.filter(move |m| !confirmed || m.is_once_more())
    }

    /// The group that was chosen as the best of these: the highest before one was measured once more. Its figure is that of
    /// the run that confirms it, though another may then be above it by chance.
    pub(super) fn best<'g>(
        all: impl Iterator<Item = &'g Self>,
        figure: impl Fn(&Measured) -> Interval,
    ) -> Option<&'g Self>
    where
        'a: 'g,
    {
        let chosen_by = |group: &Self| {
            let all = group.points.iter().filter(|m| !m.is_once_more());
            let each: Vec<Interval> = all.map(|m| figure(m)).collect();
            over_all(&each).value
        };
        // Of several that are equal the one that was confirmed, else the first.
        all.reduce(
            |best, group| match chosen_by(group).total_cmp(&chosen_by(best)) {
                Ordering::Greater => group,
                Ordering::Equal if group.is_confirmed() && !best.is_confirmed() => group,
                _ => best,
            },
        )
    }

    /// Whether it was measured once more as the best of a study.
    pub(super) fn is_confirmed(&self) -> bool {
        self.points.iter().any(|m| m.is_once_more())
    }

    /// A figure over all measurements.
    pub(super) fn over(&self, figure: impl Fn(&Measured) -> Interval) -> Interval {
        let each: Vec<Interval> = self.counted().map(figure).collect();
        over_all(&each)
    }

    /// I/Os a second.
    pub(super) fn iops(&self) -> Interval {
        self.over(Measured::iops_within)
    }

    /// Bytes a second.
    pub(super) fn bytes(&self) -> Interval {
        self.over(Measured::bytes_within)
    }

    /// Mean latency from the intended start, in nanoseconds.
    pub(super) fn mean(&self) -> Interval {
        self.over(Measured::mean_within)
    }

    /// The same as a table has it: at least that where one of the measurements is.
    pub(super) fn mean_cell(&self) -> AnswerCell {
        let is_bound = |m: &Measured| m.mean_cell().bracket() == Bracket::AtLeast;
        match self.counted().any(is_bound) {
            true => AnswerCell::AtLeast(self.mean().value),
            false => AnswerCell::Within(self.mean()),
        }
    }

    /// Latency from the intended start at a percentile: of the buckets of all measurements.
    pub(super) fn response_at(&self, percent: f64) -> AnswerCell {
        AnswerCell::percentile(self.percentile(percent))
    }

    /// Its latencies, each by its name and with its interval.
    pub(super) fn latency_words(&self) -> String {
        let tails = [50.0, 99.0].map(|percent| self.percentile(percent));
        latency_words(tails, &span_within(&self.mean()))
    }

    /// `26,600 IOPS +-0.6 %`.
    pub(super) fn iops_words(&self) -> String {
        iops_within(&self.iops())
    }

    /// I/Os in flight on average.
    pub(super) fn in_flight(&self) -> f64 {
        let each = self.counted().map(|p| p.summary.figures.depth_reached);
        each.sum::<f64>() / self.counted().count().max(1) as f64
    }
}

/// The axes on which the points differ, in their order; the number of a repeat or try is none.
pub(super) fn varied(groups: &[PointGroup<'_>]) -> Vec<Axis> {
    let axes: BTreeSet<Axis> = groups.iter().flat_map(|g| g.at().into_keys()).collect();
    let differs = |axis: &Axis| {
        let first = groups.first().and_then(|g| g.at().get(axis).cloned());
        groups.iter().any(|g| g.at().get(axis) != first.as_ref())
    };
    axes.into_iter().filter(differs).collect()
}

/// What all points have in common, in words: `4 KiB random read, depth 32`.
pub(super) fn common(groups: &[PointGroup<'_>]) -> String {
    let Some(first) = groups.first() else {
        return String::new();
    };
    let varied = varied(groups);
    let at = first.at();
    let is_common = |axis: &Axis| at.contains_key(axis) && !varied.contains(axis);
    let mut words = Vec::new();
    let axes = [Axis::Block, Axis::Order, Axis::Reads];
    let kind: Vec<String> = axes
        .iter()
        .filter(|axis| is_common(axis))
        .map(|axis| value_words(*axis, &at[axis]))
        .collect();
    if !kind.is_empty() {
        words.push(kind.join(" "));
    }
    for (axis, before) in [(Axis::Depth, "depth"), (Axis::Jobs, "jobs")] {
        if is_common(&axis) {
            words.push(format!("{before} {}", value_words(axis, &at[&axis])));
        }
    }
    words.join(", ")
}

/// A value of what was varied, as people read it.
pub(super) fn value_words(axis: Axis, value: &Coordinate) -> String {
    match (axis, value) {
        (Axis::Block, Coordinate::Number(n)) => Bytes(crate::words::whole(*n)).to_string(),
        (Axis::Reads, Coordinate::Number(n)) => match crate::words::whole(*n) {
            100 => "read".to_owned(),
            0 => "write".to_owned(),
            share => format!("{share} % reads"),
        },
        (Axis::Direct, Coordinate::Number(n)) => match *n > 0.5 {
            true => "direct".to_owned(),
            false => "buffered".to_owned(),
        },
        (Axis::Dataset, Coordinate::Number(n)) => Bytes(crate::words::whole(*n)).to_string(),
        (Axis::Think, Coordinate::Number(n)) => crate::words::span(*n),
        (Axis::Skew, Coordinate::Number(n)) => crate::words::trim_to(*n, 2),
        (_, Coordinate::Number(n)) => crate::words::trim_to(*n, 1),
        (_, Coordinate::Text(text)) => text.clone(),
    }
}

/// The cell of a value of what was varied.
pub(super) fn value_cell(axis: Axis, value: Option<&Coordinate>) -> AnswerCell {
    match (axis, value) {
        (_, None) => AnswerCell::None,
        (Axis::Reads | Axis::Order | Axis::Direct, Some(value)) => {
            AnswerCell::Text(value_words(axis, value))
        }
        (_, Some(Coordinate::Number(n))) => AnswerCell::Number(*n),
        (_, Some(Coordinate::Text(text))) => AnswerCell::Text(text.clone()),
    }
}

/// What the values of an axis are.
pub(super) const fn unit_of(axis: Axis) -> AnswerUnit {
    match axis {
        Axis::Arm
        | Axis::Group
        | Axis::Kind
        | Axis::Order
        | Axis::Reads
        | Axis::Direct
        | Axis::Engine => AnswerUnit::Text,
        Axis::Block | Axis::Dataset => AnswerUnit::Bytes,
        Axis::Think => AnswerUnit::Nanos,
        Axis::Skew => AnswerUnit::Number,
        Axis::Rate | Axis::ReadRate | Axis::WriteRate => AnswerUnit::Iops,
        _ => AnswerUnit::Count,
    }
}

/// A table of points: what was varied, rate, throughput, latencies, I/Os in flight.
pub(super) fn table(title: &str, groups: &[PointGroup<'_>]) -> AnswerTable {
    let varied = varied(groups);
    let mut columns: Vec<Column> = varied
        .iter()
        .map(|axis| Column::new(axis.name(), unit_of(*axis)))
        .collect();
    columns.extend([
        Column::new("iops", AnswerUnit::Iops),
        Column::new("throughput", AnswerUnit::BytesPerS),
        Column::new("mean", AnswerUnit::Nanos),
        Column::new("p50", AnswerUnit::Nanos),
        Column::new("p99", AnswerUnit::Nanos),
        Column::new("p99.9", AnswerUnit::Nanos),
        Column::new("in flight", AnswerUnit::Number),
    ]);
    let row = |group: &PointGroup<'_>| {
        let at = group.at();
        let mut row: Vec<AnswerCell> = varied
            .iter()
            .map(|axis| value_cell(*axis, at.get(axis)))
            .collect();
        row.extend([
            AnswerCell::Within(group.iops()),
            AnswerCell::Within(group.bytes()),
            group.mean_cell(),
            group.response_at(50.0),
            group.response_at(99.0),
            group.response_at(99.9),
            AnswerCell::Number(group.in_flight()),
        ]);
        row
    };
    let common = common(groups);
    let mut groups: Vec<&PointGroup<'_>> = groups.iter().collect();
    // Repeats are measured in an order of their own each, which is none to read.
    if groups.iter().any(|group| group.points.len() > 1) {
        let number = |group: &PointGroup<'_>, axis: Axis| group.number(axis).unwrap_or_default();
        groups.sort_by(|a, b| {
            let mut each = varied
                .iter()
                .map(|&axis| number(a, axis).total_cmp(&number(b, axis)));
            each.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        });
    }
    let points: Vec<Vec<&Measured>> = groups.iter().map(|group| group.points.clone()).collect();
    let table = AnswerTable {
        title: match common.as_str() {
            "" => title.to_owned(),
            common => format!("{title}: {common}"),
        },
        rows: groups.into_iter().map(row).collect(),
        columns,
    };
    missing::marked(table, &points)
}

/// Points by what else was varied than the axis across, with the words for it.
pub(super) fn lines<'g, 'a>(
    groups: &'g [PointGroup<'a>],
    across: Axis,
) -> Vec<(String, Vec<&'g PointGroup<'a>>)> {
    let others: Vec<Axis> = varied(groups)
        .into_iter()
        .filter(|a| *a != across)
        .collect();
    let label = |group: &PointGroup<'_>| {
        let at = group.at();
        let words = others.iter().filter_map(|axis| {
            let value = value_words(*axis, at.get(axis)?);
            Some(match axis {
                Axis::Depth => format!("depth {value}"),
                Axis::Jobs => counted(&value, "job"),
                Axis::Hosts => counted(&value, "host"),
                _ => value,
            })
        });
        words.collect::<Vec<_>>().join(", ")
    };
    let mut lines: Vec<(String, Vec<&'g PointGroup<'a>>)> = Vec::new();
    for group in groups {
        let label = label(group);
        match lines.iter_mut().find(|line| line.0 == label) {
            Some(line) => line.1.push(group),
            None => lines.push((label, vec![group])),
        }
    }
    let at = |g: &&PointGroup<'_>| g.number(across).unwrap_or_default();
    for (_, line) in &mut lines {
        line.sort_by(|a, b| at(a).total_cmp(&at(b)));
    }
    lines
}

/// A chart of one figure over an axis; `None` where that was not varied.
pub(super) fn chart(
    title: &str,
    groups: &[PointGroup<'_>],
    across: (Axis, AnswerAxis),
    up: (AnswerAxis, fn(&PointGroup<'_>) -> AnswerCell),
) -> Option<AnswerChart> {
    if !varied(groups).contains(&across.0) {
        return None;
    }
    let series = lines(groups, across.0).into_iter().map(|(label, line)| {
        let points = line.iter().filter_map(|group| {
            let x = group.number(across.0)?;
            Some(AnswerPoint::or_gap(x, &(up.1)(group)))
        });
        AnswerSeries {
            label,
            model: false,
            points: points.collect(),
        }
    });
    Some(AnswerChart {
        title: title.to_owned(),
        series: series.collect(),
        x: across.1,
        y: up.0,
        marks: Vec::new(),
    })
}

/// A latency with its name.
type NamedLatency = (&'static str, fn(&PointGroup<'_>) -> AnswerCell);

/// Latency over an axis, percentiles before the mean: of one line in one chart, else each in its own.
pub(super) fn latencies(
    groups: &[PointGroup<'_>],
    (axis, across): (Axis, AnswerAxis),
    over: &str,
) -> Vec<AnswerChart> {
    const ALL: [NamedLatency; 3] = [
        ("p50", |g| g.response_at(50.0)),
        ("p99", |g| g.response_at(99.0)),
        ("mean", |g| g.mean_cell()),
    ];
    let each = ALL.into_iter().filter_map(|(name, figure)| {
        let label = match name {
            "mean" => "mean latency".to_owned(),
            percentile => format!("latency {percentile}"),
        };
        let title = match name {
            "mean" => format!("Mean latency over {over}"),
            percentile => format!("Latency {percentile} over {over}"),
        };
        let up = AnswerAxis::logarithmic(&label, AnswerUnit::Nanos);
        let chart = chart(&title, groups, (axis, across.clone()), (up, figure))?;
        Some((name, chart))
    });
    let mut each: Vec<(&str, AnswerChart)> = each.collect();
    for (_, chart) in &mut each {
        chart.series.retain(|series| !series.points.is_empty());
    }
    if each.iter().any(|(_, chart)| chart.series.len() > 1) {
        each.retain(|(_, chart)| !chart.series.is_empty());
        return each.into_iter().map(|(_, chart)| chart).collect();
    }
    let named = each.into_iter().flat_map(|(name, chart)| {
        chart.series.into_iter().map(|series| AnswerSeries {
            label: name.to_owned(),
            ..series
        })
    });
    let series: Vec<AnswerSeries> = named.collect();
    if series.is_empty() {
        return Vec::new();
    }
    vec![AnswerChart {
        title: format!("Latency over {over}"),
        x: across,
        y: AnswerAxis::logarithmic("latency", AnswerUnit::Nanos),
        series,
        marks: Vec::new(),
    }]
}

/// `4k random read` of a point.
pub(super) fn kind_words(group: &PointGroup<'_>) -> String {
    let at = group.at();
    let word = |axis: Axis| at.get(&axis).map(|value| value_words(axis, value));
    let words = [Axis::Block, Axis::Order, Axis::Reads].into_iter();
    words.filter_map(word).collect::<Vec<_>>().join(" ")
}

/// The same with depth and jobs where they are among the axes that were varied: `4k random read, depth 8, 2 jobs`.
pub(super) fn kind_with(group: &PointGroup<'_>, varied: &[Axis]) -> String {
    let at = group.at();
    let more = [Axis::Depth, Axis::Jobs].into_iter();
    let more = more.filter(|axis| varied.contains(axis));
    let more = more.filter_map(|axis| Some((axis, value_words(axis, at.get(&axis)?))));
    let words = more.map(|(axis, value)| match axis {
        Axis::Jobs => counted(&value, "job"),
        _ => format!("depth {value}"),
    });
    let all = std::iter::once(kind_words(group)).chain(words);
    all.collect::<Vec<_>>().join(", ")
}

/// The name of a group among others.
pub(super) fn name_among(group: &PointGroup<'_>, groups: &[PointGroup<'_>]) -> String {
    kind_with(group, &varied(groups))
}

/// The name of a kind of load among all of a study.
pub(super) fn name_in(group: &PointGroup<'_>, study: &Study) -> String {
    let lists = [
        (Axis::Depth, study.axes.depths.len()),
        (Axis::Jobs, study.axes.jobs.len()),
    ];
    let varied = lists.into_iter().filter(|list| list.1 > 1);
    kind_with(group, &varied.map(|list| list.0).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::run::Run;
    use crate::summary::summarize;
    use leadline_model::op::Op;
    use leadline_model::plan::study::Role;
    use leadline_model::plan::{OpMix, StudyPoint};

    /// A run of a point for each of these coordinates.
    fn run_of(points: Vec<(Role, Coordinates, Load)>) -> Run {
        let workload = || fixture::workload("w", OpMix::reads(), 4096, 4, 10);
        let stages = points.iter().map(|_| ("p", vec![workload()]));
        let mut plan = fixture::plan(stages.collect());
        let mut loads = Vec::new();
        for (stage, (role, at, load)) in plan.stages.iter_mut().zip(points) {
            stage.point = Some(StudyPoint { role, at });
            loads.push(vec![load]);
        }
        fixture::run_of(&fixture::events_of(plan, &loads))
    }

    fn at<const N: usize>(pairs: [(Axis, f64); N]) -> Coordinates {
        let number = |(axis, n)| (axis, Coordinate::Number(n));
        pairs.map(number).into()
    }

    fn depth_axis() -> (Axis, AnswerAxis) {
        let across = AnswerAxis::logarithmic("depth", AnswerUnit::Count);
        (Axis::Depth, across)
    }

    #[test]
    fn a_chart_has_the_bounds_of_the_table() {
        let load = || Load::simple(Op::Read, 2000, 4096, 1_000_000, 10);
        // At the highest depth a tenth of the I/Os never ended.
        let stuck = Load {
            adjust: |worker| {
                let counts = worker.counts.op_mut(Op::Read);
                counts.service.record_unfinished(50_000_000, 4000);
            },
            ..load()
        };
        let loads = [(1.0, load()), (2.0, load()), (4.0, stuck)];
        let points = loads.map(|(depth, load)| (Role::Point, at([(Axis::Depth, depth)]), load));
        let run = run_of(points.into());
        let all = Measured::all(&run, &summarize(&run));
        let all: Vec<&Measured> = all.iter().collect();
        let groups = PointGroup::all(&all);
        let [chart] = &latencies(&groups, depth_axis(), "depth")[..] else {
            panic!()
        };
        let labels: Vec<&str> = chart.series.iter().map(|s| s.label.as_str()).collect();
        assert_eq!(labels, ["p50", "p99", "mean"]);
        let table = table("Depths", &groups);
        for series in &chart.series[1..] {
            let column = table.columns.iter().position(|c| c.name == series.label);
            for (point, row) in series.points.iter().zip(&table.rows) {
                let cell = &row[column.unwrap()];
                assert_eq!(Some(point.y), cell.number());
                assert_eq!(point.bracket, cell.bracket(), "{}", series.label);
            }
            assert_eq!(series.points[2].bracket, Bracket::AtLeast);
        }
        let mut all = chart.series.iter().flat_map(|series| &series.points);
        assert!(all.any(|p| p.bracket.ends().is_some()), "{chart:?}");
    }

    #[test]
    fn a_percentile_of_too_few_samples_is_a_gap_of_its_line() {
        let load = |ios| Load::simple(Op::Read, ios, 4096, 1_000_000, 10);
        // Of 500 I/Os five are beyond p99.
        let loads = [(1.0, load(50)), (2.0, load(500))];
        let points = loads.map(|(depth, load)| (Role::Point, at([(Axis::Depth, depth)]), load));
        let run = run_of(points.into());
        let all = Measured::all(&run, &summarize(&run));
        let all: Vec<&Measured> = all.iter().collect();
        let groups = PointGroup::all(&all);
        let charts = latencies(&groups, depth_axis(), "depth");
        let mut lines = charts.iter().flat_map(|chart| &chart.series);
        let line = lines.find(|line| line.label == "p99").unwrap();
        let known: Vec<bool> = line.points.iter().map(|p| p.y.is_finite()).collect();
        assert_eq!(known, [false, true], "{line:?}");
    }

    #[test]
    fn of_many_lines_percentiles_have_charts_of_their_own() {
        let blocks = (0..12_u32).map(|n| 512.0 * 2_f64.powi(i32::try_from(n).unwrap()));
        let load = || Load::simple(Op::Read, 200, 4096, 1_000_000, 10);
        let points = blocks.flat_map(|block| {
            let of = move |depth| at([(Axis::Block, block), (Axis::Depth, depth)]);
            [1.0, 2.0].map(|depth| (Role::Point, of(depth), load()))
        });
        let run = run_of(points.collect());
        let all = Measured::all(&run, &summarize(&run));
        let all: Vec<&Measured> = all.iter().collect();
        let charts = latencies(&PointGroup::all(&all), depth_axis(), "depth");
        let titles: Vec<&str> = charts.iter().map(|c| c.title.as_str()).collect();
        assert_eq!(
            titles,
            [
                "Latency p50 over depth",
                "Latency p99 over depth",
                "Mean latency over depth"
            ]
        );
        assert!(charts.iter().all(|chart| chart.series.len() == 12));
    }

    #[test]
    fn of_equal_bests_the_one_that_was_confirmed_is_named() {
        let load = |ios| Load::simple(Op::Read, ios, 4096, 1_000_000, 10);
        let of = |reads: f64| at([(Axis::Reads, reads)]);
        let mut again = of(75.0);
        again.insert(Axis::Try, Coordinate::Number(2.0));
        let points = vec![
            (Role::Point, of(50.0), load(450)),
            (Role::Point, of(75.0), load(450)),
            (Role::Point, of(100.0), load(350)),
            (Role::Confirmation, again, load(380)),
        ];
        let run = run_of(points);
        let all = Measured::all(&run, &summarize(&run));
        let all: Vec<&Measured> = all.iter().collect();
        let groups = PointGroup::all(&all);
        let best = PointGroup::best(groups.iter(), Measured::iops_within).unwrap();
        assert_eq!(best.number(Axis::Reads), Some(75.0));
    }

    #[test]
    fn reads_and_writes_are_of_the_measurements_of_their_total() {
        let load = |reads: u64, writes: u64| {
            let mut load = Load::simple(Op::Read, reads, 4096, 1_000_000, 10);
            load.ops.push(fixture::OpLoad {
                op: Op::Write,
                ios: writes,
                ..load.ops[0]
            });
            load
        };
        let half = at([(Axis::Reads, 50.0)]);
        let mut again = half.clone();
        again.insert(Axis::Try, Coordinate::Number(2.0));
        let points = vec![
            (Role::Point, half, load(300, 300)),
            (Role::Confirmation, again, load(200, 210)),
        ];
        let run = run_of(points);
        let all = Measured::all(&run, &summarize(&run));
        let all: Vec<&Measured> = all.iter().collect();
        let [group] = &PointGroup::all(&all)[..] else {
            panic!()
        };
        let of = |op| group.over(|m| m.iops_of(op));
        assert_eq!(
            [of(Op::Read), of(Op::Write), group.iops()].map(|i| crate::words::whole(i.value)),
            [200, 210, 410]
        );
    }
}
