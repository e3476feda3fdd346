//! The charts of one workload over time: rate, latency, heat map, and its percentile curve.

use super::curves::{DrawnLatency, class_of, figure, line, percentiles, with_points};
use super::view::{Figure, Picture};
use crate::render::svg::{Axis, Chart, Heat, Mark, ScaleKind, Series, Shape, Unit};
use crate::run::StageRun;
use crate::stats::Bracket;
use crate::summary::series::{PointLatency, coarser, merged_words, points_for, series};
use crate::summary::{Percentile, Point, WorkloadSummary};
use crate::words::counted;
use leadline_model::histogram::{lower_bound, upper_bound};
use leadline_model::op::Op;
use leadline_model::sample::Sample;
use leadline_model::units::Nanos;

/// Most points of a line.
pub(super) const MOST_POINTS: usize = 480;
/// Most columns of a heat map; fewer where a page has more maps than [`FEW_MAPS`], as each has the I/Os of all its cells.
const MOST_COLUMNS: usize = 94;
const FEWEST_COLUMNS: usize = 47;
const FEW_MAPS: usize = 16;
/// Height of the charts.
pub(super) const HEIGHT: f64 = 220.0;

/// How much the charts of a workload show at the most.
#[derive(Clone, Copy)]
pub(crate) struct ChartDetail {
    points: usize,
    columns: usize,
}

impl ChartDetail {
    /// On a page of this many workloads: points of a line, and columns of a map.
    pub(crate) fn of(points: usize, workloads: usize) -> Self {
        let columns = MOST_COLUMNS * FEW_MAPS / workloads.max(1);
        Self {
            points,
            columns: columns.clamp(FEWEST_COLUMNS, MOST_COLUMNS),
        }
    }
}

/// The charts of one workload of a stage.
pub(crate) fn figures(
    id: &str,
    stage: &StageRun,
    workload: &WorkloadSummary,
    detail: ChartDetail,
) -> Vec<Figure> {
    let own: Vec<&Sample> = stage
        .samples
        .iter()
        .filter(|s| s.workload == workload.workload)
        .collect();
    let (samples, every) = coarser(&own, detail.points);
    let points = series(&samples, None);
    if points.is_empty() {
        return Vec::new();
    }
    let warm = warm_up_s(&points);
    let note = match every {
        1 => String::new(),
        n => format!("Each point is {n} intervals merged."),
    };
    let tails = Tails::of(&own, workload, (points.len(), detail.points));
    let of_latency = match tails.is_merged {
        true => [note.as_str(), &format!("{}.", merged_words(TAIL))].join(" "),
        false => note.clone(),
    };
    let chart = latency(id, &points, &tails, warm);
    let mut figures = vec![
        figure(&rate(id, &points, warm), note, true),
        figure(&chart, of_latency.trim().to_owned(), true),
    ];
    figures.extend(heat(id, &own, detail.columns));
    let done = workload.figures.ops.iter().filter(|(_, f)| f.ios > 0);
    let named: Vec<_> = done
        .map(|(op, f)| (op.name().to_owned(), class_of(op), f.response()))
        .collect();
    if !named.is_empty() {
        let chart = percentiles(&format!("{id}-p"), "Latency by percentile", named, HEIGHT);
        figures.push(figure(&chart, String::new(), true));
    }
    figures
}

/// The percentile whose line has merged intervals where single ones have too few I/Os.
const TAIL: f64 = 99.0;

/// The points of that line, of each operation.
struct Tails {
    by_op: Vec<(Op, Vec<Point>)>,
    /// Whether they are of more than one point of the other lines.
    is_merged: bool,
}

impl Tails {
    fn of(own: &[&Sample], workload: &WorkloadSummary, (points, most): (usize, usize)) -> Self {
        let done = workload.figures.ops.iter();
        let done = done.filter(|(op, f)| op.is_data() && f.ios > 0);
        let each = done.map(|(op, f)| {
            let most = points_for(f.response().count(), TAIL, most);
            (op, series(&coarser(own, most).0, None))
        });
        let by_op: Vec<_> = each.collect();
        let is_merged = by_op.iter().any(|(_, tail)| tail.len() < points);
        Self { by_op, is_merged }
    }

    /// Those of an operation.
    fn points(&self, op: Op) -> &[Point] {
        let found = self.by_op.iter().find(|known| known.0 == op);
        found.map_or(&[], |known| &known.1)
    }
}

/// A step runs from the start of its interval to the end; the last one is drawn out.
pub(super) fn steps(series: &[Point], op: Op) -> Vec<(f64, f64)> {
    let value = |p: &Point| p.op(op).map_or(0.0, |o| o.iops);
    let mut points: Vec<_> = series
        .iter()
        .map(|p| (p.start.as_secs_f64(), value(p)))
        .collect();
    points.extend(series.last().map(|p| (end_s(p), value(p))));
    points
}

/// Rates of the measured intervals, for a small picture.
pub(crate) fn rates(series: &[Point], op: Op, most: usize) -> Vec<f64> {
    let measured: Vec<f64> = series
        .iter()
        .filter(|p| !p.warmup)
        .map(|p| p.op(op).map_or(0.0, |o| o.iops))
        .collect();
    let every = measured.len().div_ceil(most).max(1);
    measured
        .chunks(every)
        .map(|c| c.iter().sum::<f64>() / c.len() as f64)
        .collect()
}

/// When the warm-up ended, in seconds; 0 = there was none.
pub(super) fn warm_up_s(points: &[Point]) -> f64 {
    let warm = points.iter().filter(|p| p.warmup);
    warm.map(end_s).fold(0.0, f64::max)
}

fn end_s(point: &Point) -> f64 {
    Nanos(point.start.0 + point.length.0).as_secs_f64()
}

fn occurs(points: &[Point], op: Op) -> bool {
    points.iter().any(|p| p.op(op).is_some_and(|o| o.ios > 0))
}

fn rate(id: &str, points: &[Point], warm: f64) -> Chart {
    let lines: Vec<Series> = Op::data()
        .filter(|op| occurs(points, *op))
        .zip(0_u8..)
        .map(|(op, variant)| {
            line(
                op.name(),
                class_of(op),
                variant,
                Shape::Step,
                steps(points, op),
            )
        })
        .collect();
    let lines = match lines.is_empty() {
        true => vec![line(
            "none",
            "all",
            0,
            Shape::Step,
            points
                .iter()
                .map(|p| (p.start.as_secs_f64(), 0.0))
                .collect(),
        )],
        false => lines,
    };
    Chart {
        id: format!("{id}-r"),
        title: "IOPS over time".to_owned(),
        description: range_words(points),
        x: Axis::new("time in the stage", ScaleKind::Linear, Unit::Seconds),
        y: Axis::new("IOPS", ScaleKind::Linear, Unit::Count),
        series: lines,
        marks: Mark::warm_up((warm, warm)).into_iter().collect(),
        height: HEIGHT,
    }
}

fn range_words(points: &[Point]) -> String {
    let rates = || points.iter().filter(|p| !p.warmup).map(|p| p.data.iops);
    let low = rates().fold(f64::INFINITY, f64::min);
    let high = rates().fold(0.0, f64::max);
    if low > high {
        return "no measured interval".to_owned();
    }
    format!(
        "{}, from {} to {} IOPS",
        counted(&rates().count().to_string(), "measured interval"),
        crate::words::about(low),
        crate::words::about(high)
    )
}

fn latency(id: &str, points: &[Point], tails: &Tails, warm: f64) -> Chart {
    let ops: Vec<Op> = Op::data().filter(|op| occurs(points, *op)).collect();
    let alone = ops.len() == 1;
    // Where I/Os start at a rate they wait before they are submitted, and that is part of what is drawn.
    let is_open = points
        .iter()
        .flat_map(|p| p.ops.iter())
        .any(|(_, o)| o.response_max.is_some());
    let (title, at) = match is_open {
        true => ("Latency over time (response)", "response time"),
        false => ("Latency over time", "latency"),
    };
    let mut lines = Vec::new();
    for op in ops {
        let of = |points: &[Point], f: fn(&PointLatency) -> DrawnLatency| {
            let value = |p: &Point| {
                let done = p.op(op).filter(|o| o.ios > 0);
                done.map_or((f64::NAN, Bracket::Unknown), |o| f(&o.from_intended()))
            };
            let each = points.iter().map(|p| (p.middle_s(), value(p)));
            each.collect::<Vec<_>>().into_iter()
        };
        let name = |what: &str| {
            if alone {
                what.to_owned()
            } else {
                format!("{op} {what}")
            }
        };
        let class = class_of(op);
        let named = |words: &str, variant| line(words, class, variant, Shape::Line, Vec::new());
        let middle = of(points, |o| good(o.p50));
        let tail = of(tails.points(op), |o| good(o.p99));
        lines.push(with_points(named(&name("p50"), 0), middle));
        lines.push(with_points(named(&name("p99"), 1), tail));
        if alone {
            let longest = of(points, PointLatency::longest);
            lines.push(with_points(named("max", 2), longest));
        }
    }
    Chart {
        id: format!("{id}-l"),
        title: title.to_owned(),
        description: "Percentiles of each interval; a gap is an interval with too few I/Os."
            .to_owned(),
        x: Axis::new("time in the stage", ScaleKind::Linear, Unit::Seconds),
        y: Axis::new(at, ScaleKind::Log10, Unit::Nanos),
        series: lines,
        marks: Mark::warm_up((warm, warm)).into_iter().collect(),
        height: HEIGHT,
    }
}

/// A percentile of an interval, where it may be shown.
pub(super) fn good(percentile: Option<Percentile>) -> DrawnLatency {
    let shown = percentile.filter(|p| p.shown().is_some());
    shown.map_or((f64::NAN, Bracket::Unknown), |p| {
        (p.value.0 as f64, p.bracket())
    })
}

fn heat(id: &str, own: &[&Sample], most: usize) -> Option<Figure> {
    let (samples, _) = coarser(own, most);
    let mut edges = vec![0.0];
    let mut columns = Vec::new();
    for sample in &samples {
        let start = sample.start.as_secs_f64();
        // Nothing was done before it began, or between two of its intervals.
        if edges.last().is_some_and(|last| start > last + 1e-9) {
            edges.push(start);
            columns.push(Vec::new());
        }
        edges.push(Nanos(sample.start.0 + sample.length.0).as_secs_f64());
        let mut column = std::collections::BTreeMap::new();
        for op in sample.counts.ops.data() {
            for (index, count) in op.response().histogram.nonzero() {
                // The bucket's middle: its ends could lie in two rows.
                let middle = lower_bound(index).midpoint(upper_bound(index));
                *column.entry(middle).or_insert(0_u64) += count;
            }
        }
        columns.push(column.into_iter().collect::<Vec<_>>());
    }
    columns.iter().any(|c| !c.is_empty()).then(|| {
        let heat = Heat {
            id: format!("{id}-h"),
            title: "Latency heat map".to_owned(),
            description: "Share of the I/Os by latency, interval by interval.".to_owned(),
            class: "all".to_owned(),
            edges,
            columns,
            height: HEIGHT,
        };
        let caption = "Stronger colour: a larger share of the interval's I/Os. The faintest cells hold one or a few I/Os.";
        Figure::of(Picture::Heat(heat), caption.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use crate::summary::summarize;
    use leadline_model::plan::OpMix;

    #[test]
    fn maps_of_many_workloads_have_fewer_columns() {
        let of = |workloads| ChartDetail::of(MOST_POINTS, workloads).columns;
        assert_eq!([1, 16, 24, 32, 200].map(of), [94, 94, 62, 47, 47]);
    }

    #[test]
    fn one_interval_is_counted_as_one() {
        let of = |seconds| {
            let workload = fixture::workload("w", OpMix::reads(), 4096, 4, seconds);
            let load = Load::simple(Op::Read, 1000, 4096, 200_000, seconds);
            let plan = fixture::plan(vec![("s", vec![workload])]);
            let run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
            let own: Vec<&Sample> = run.stages[0].samples.iter().collect();
            range_words(&series(&coarser(&own, MOST_POINTS).0, None))
        };
        assert!(of(1).starts_with("1 measured interval, from "), "{}", of(1));
        assert!(
            of(3).starts_with("3 measured intervals, from "),
            "{}",
            of(3)
        );
    }

    /// A job that begins four seconds after the others: the map is empty until then, as the other charts are.
    #[test]
    fn a_heat_map_begins_when_its_workload_does() {
        let workload = fixture::workload("w", OpMix::reads(), 4096, 4, 20);
        let load = Load::simple(Op::Read, 1000, 4096, 200_000, 20);
        let plan = fixture::plan(vec![("s", vec![workload])]);
        let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
        for sample in &mut run.stages[0].samples {
            sample.start.0 += 4_000_000_000;
        }
        let own: Vec<&Sample> = run.stages[0].samples.iter().collect();
        let Some(Picture::Heat(map)) = heat("w", &own, MOST_COLUMNS).map(|figure| figure.picture)
        else {
            panic!()
        };
        assert_eq!(map.edges.len(), map.columns.len() + 1);
        assert_eq!((map.edges[1], map.columns[0].len()), (4.0, 0));
        assert!(map.columns[1..].iter().all(|column| !column.is_empty()));
    }

    /// A line of p99 has points where single intervals have too few I/Os, and its chart says how.
    #[test]
    fn intervals_are_merged_where_they_have_too_few_for_p99() {
        let of = |ios: u64| {
            let workload = fixture::workload("w", OpMix::reads(), 4096, 4, 100);
            let load = Load::simple(Op::Read, ios, 4096, 200_000, 100);
            let plan = fixture::plan(vec![("s", vec![workload])]);
            let run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
            let summary = summarize(&run);
            let mut found = figures(
                "w",
                &run.stages[0],
                &summary.stages[0].workloads[0],
                ChartDetail::of(MOST_POINTS, 1),
            );
            let latency = found.remove(1);
            let Picture::Lines(chart, _) = latency.picture else {
                panic!()
            };
            let known = |line: &Series| {
                let points = line.points.iter();
                points.filter(|p| p.1.is_finite()).count()
            };
            let counts: Vec<usize> = chart.series.iter().map(known).collect();
            (counts, latency.caption)
        };
        let words = "p99: intervals are merged until a point has enough I/Os for it.";
        assert_eq!(of(400), (vec![100, 20, 100], words.to_owned()));
        assert_eq!(of(4000), (vec![100, 100, 100], String::new()));
    }

    /// All latencies of a chart are of one kind: where I/Os wait 100 times as long as they take, so does half of them.
    #[test]
    fn percentiles_of_a_chart_over_time_are_all_from_the_intended_start() {
        let workload = fixture::workload("w", OpMix::reads(), 4096, 4, 10);
        let mut load = Load::simple(Op::Read, 2000, 4096, 200_000, 10);
        load.open = true;
        let plan = fixture::plan(vec![("s", vec![workload])]);
        let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
        for sample in &mut run.stages[0].samples {
            let counts = sample.counts.ops.get_mut(Op::Read).unwrap();
            let mut response = leadline_model::latency::Latency::default();
            response.record_many(20_000_000, counts.ios);
            counts.response = Some(response);
        }
        let summary = summarize(&run);
        let found = figures(
            "w",
            &run.stages[0],
            &summary.stages[0].workloads[0],
            ChartDetail::of(MOST_POINTS, 1),
        );
        let Picture::Lines(chart, _) = &found[1].picture else {
            panic!()
        };
        assert_eq!(
            (chart.title.as_str(), chart.y.label.as_str()),
            ("Latency over time (response)", "response time")
        );
        assert_eq!(chart.series.len(), 3);
        // True in the dark, too, where fuller cells are lighter.
        assert!(
            found[2]
                .caption
                .starts_with("Stronger colour: a larger share")
        );
        for line in &chart.series {
            let all = line.points.iter();
            assert!(
                all.clone().count() > 5 && all.clone().all(|p| (p.1 / 20e6 - 1.0).abs() < 0.02),
                "{line:?}"
            );
        }
    }
}
