//! What the workloads of a stage did side by side: one line for each workload and operation.

use super::curves::{class_of, figure, line, percentiles, with_points};
use super::timeline::{HEIGHT, MOST_POINTS, good, steps, warm_up_s};
use super::view::{Figure, Section};
use crate::render::svg::{
    Axis, Chart, Mark, ScaleKind, Series, Shape, Unit, WordRoom, apart, shortened,
};
use crate::run::StageRun;
use crate::summary::series::{coarser, merged_words, points_for, series};
use crate::summary::{Point, StageSummary, WorkloadSummary};
use leadline_model::latency::Latency;
use leadline_model::op::Op;
use leadline_model::sample::Sample;
use std::collections::{BTreeMap, BTreeSet};

/// Most lines of a chart.
const MOST_LINES: usize = 6;

/// A workload with one of its operations, and how its line looks.
struct OpLine<'a> {
    label: String,
    class: &'static str,
    variant: u8,
    op: Op,
    series: Vec<Point>,
    /// The same with as many intervals merged as a p99 needs.
    merged: Vec<Point>,
    latency: &'a Latency,
}

impl<'a> OpLine<'a> {
    /// What a workload of a stage did of an operation; the look is name, class and dash.
    fn of(
        stage: &StageRun,
        workload: u32,
        (label, class, variant): (String, &'static str, u8),
        (op, latency): (Op, &'a Latency),
    ) -> Self {
        let own = stage.samples.iter().filter(|s| s.workload == workload);
        let own: Vec<&Sample> = own.collect();
        let most = points_for(latency.count(), 99.0, MOST_POINTS);
        OpLine {
            label,
            class,
            variant,
            op,
            series: series(&coarser(&own, MOST_POINTS).0, None),
            merged: series(&coarser(&own, most).0, None),
            latency,
        }
    }
}

/// Rate and p99 over time of these; without the second where nothing of it can be drawn, which the first says.
fn over_time(id: &str, parts: &[OpLine<'_>]) -> Vec<Figure> {
    let marked = |chart: Chart| Chart {
        marks: Mark::warm_up(warm_ups_s(parts)).into_iter().collect(),
        ..chart
    };
    let tails = tails(id, parts);
    let mut values = tails.series.iter().flat_map(|s| &s.points);
    let has_tails = values.any(|point| point.1.is_finite());
    let without = match has_tails {
        true => String::new(),
        false => format!("{} is not drawn: too few samples.", tails.title),
    };
    let mut figures = vec![figure(&marked(rates(id, parts)), without, true)];
    if has_tails {
        figures.push(figure(&marked(tails), said_of(parts), true));
    }
    figures
}

/// When the shortest and the longest warm-up of these ended, in seconds.
fn warm_ups_s(parts: &[OpLine<'_>]) -> (f64, f64) {
    let ends = || parts.iter().map(|p| warm_up_s(&p.series));
    (ends().fold(f64::MAX, f64::min), ends().fold(0.0, f64::max))
}

/// What each point of p99 is of, where that is not an interval.
fn said_of(parts: &[OpLine<'_>]) -> String {
    let is_merged = |p: &OpLine<'_>| p.merged.len() < p.series.len();
    match parts.iter().any(is_merged) {
        true => format!("{}.", merged_words(99.0)),
        false => String::new(),
    }
}

/// The charts of a stage; `None` when nothing was done in it.
pub(super) fn overview(stage: &StageRun, summary: &StageSummary) -> Option<Section> {
    let (parts, all) = parts(stage, summary);
    if parts.is_empty() {
        return None;
    }
    let id = format!("o-{}", summary.stage);
    let mut figures = over_time(&id, &parts);
    let named = parts
        .iter()
        .map(|p| (p.label.clone(), p.class, p.latency))
        .collect();
    let curve = percentiles(&format!("{id}-p"), "Latency by percentile", named, HEIGHT);
    figures.push(figure(&curve, String::new(), true));
    let lede = match all {
        n if n > MOST_LINES => {
            format!("The {MOST_LINES} busiest of {n} combinations of workload and operation.")
        }
        _ => String::new(),
    };
    // One workload alone is compared with nothing.
    let what = match summary.workloads.len() {
        1 => "Charts",
        _ => "Workloads side by side",
    };
    let title = format!("{what}: {}", summary.label);
    Some(Section {
        id,
        title,
        lede,
        figures,
    })
}

/// The busiest workloads and operations in the order of the plan, and how many there are in all.
fn parts<'a>(stage: &StageRun, summary: &'a StageSummary) -> (Vec<OpLine<'a>>, usize) {
    let mut found: Vec<(&WorkloadSummary, Op, u64, &Latency)> = Vec::new();
    for workload in &summary.workloads {
        let data = workload.figures.ops.iter().filter(|(op, _)| op.is_data());
        for (op, f) in data.filter(|(_, f)| f.ios > 0) {
            found.push((workload, op, f.ios, f.response()));
        }
    }
    let all = found.len();
    found.sort_by_key(|f| std::cmp::Reverse(f.2));
    found.truncate(MOST_LINES);
    found.sort_by_key(|f| (f.0.workload, f.1.index()));
    let names = short_names(found.iter().map(|f| f.0.name.as_str()));
    let part =
        |((workload, op, _, latency), variant): ((&WorkloadSummary, Op, u64, &'a Latency), u8)| {
            let name = names.get(workload.name.as_str()).unwrap_or(&workload.name);
            let look = (short_label(name, op), class_of(op), variant);
            OpLine::of(stage, workload.workload, look, (op, latency))
        };
    (
        found.into_iter().zip((0_u8..3).cycle()).map(part).collect(),
        all,
    )
}

fn chart(id: String, title: &str, y: Axis, series: Vec<Series>) -> Chart {
    let has_point = |s: &&Series| s.points.iter().any(|point| point.1.is_finite());
    let drawn = series.iter().filter(has_point);
    Chart {
        id,
        title: title.to_owned(),
        description: format!("{} lines over the time of the stage", drawn.count()),
        x: Axis::new("time in the stage", ScaleKind::Linear, Unit::Seconds),
        y,
        series,
        marks: Vec::new(),
        height: HEIGHT,
    }
}

fn rates(id: &str, parts: &[OpLine<'_>]) -> Chart {
    let lines = parts.iter().map(|p| {
        line(
            &p.label,
            p.class,
            p.variant,
            Shape::Step,
            steps(&p.series, p.op),
        )
    });
    let y = Axis::new("IOPS", ScaleKind::Linear, Unit::Count);
    chart(format!("{id}-r"), "IOPS over time", y, lines.collect())
}

fn tails(id: &str, parts: &[OpLine<'_>]) -> Chart {
    let tail = |point: &Point, op: Op| {
        let done = point.op(op).filter(|o| o.ios > 0);
        good(done.and_then(|o| o.from_intended().p99))
    };
    let lines: Vec<Series> = parts
        .iter()
        .map(|p| {
            let points = p.merged.iter().map(|at| (at.middle_s(), tail(at, p.op)));
            let one = line(&p.label, p.class, p.variant, Shape::Line, Vec::new());
            with_points(one, points)
        })
        .collect();
    let y = Axis::new("latency", ScaleKind::Log10, Unit::Nanos);
    chart(format!("{id}-t"), "Latency p99 over time", y, lines)
}

/// Letters of a name beside a line: the operation follows.
const LETTERS: WordRoom = WordRoom::Letters(11);

/// What each name is beside a line: long ones without what all have in common, as files of one folder have their path; whole
/// where cutting would make two of them equal.
fn short_names<'a>(all: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, String> {
    let names: BTreeSet<&str> = all.collect();
    let names: Vec<&str> = names.into_iter().collect();
    let short = apart(&names, LETTERS);
    let cut: BTreeSet<String> = short.iter().map(|name| shortened(name, LETTERS)).collect();
    let are_distinct = cut.len() == names.len();
    let each = names.iter().zip(short);
    each.map(|(name, short)| match are_distinct {
        true => (*name, shortened(&short, LETTERS)),
        false => (*name, short),
    })
    .collect()
}

/// A name with the operation, where it does not say it.
fn short_label(name: &str, op: Op) -> String {
    match name.contains(op.name()) {
        true => name.to_owned(),
        false => format!("{name} {op}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_and_name_the_operation() {
        assert_eq!(short_label("reader1", Op::Read), "reader1");
        assert_eq!(short_label("job1", Op::Read), "job1 read");
        assert_eq!(short_label("randread", Op::Read), "randread");
        let of = |names: &[&'static str]| -> Vec<String> {
            let short = short_names(names.iter().copied());
            names
                .iter()
                .map(|name| short_label(&short[name], Op::Write))
                .collect()
        };
        assert_eq!(of(&["a-very-long-name"]), ["a-ver\u{2026}-name write"]);
        // Files of one folder, and names that differ in the middle only.
        let files = of(&["/mnt/volume/a.dat", "/mnt/volume/b.dat"]);
        assert_eq!(files, ["a.dat write", "b.dat write"]);
        let names = [
            "thread-pool-1-of-the-first-kind-x",
            "thread-pool-2-of-the-first-kind-x",
        ];
        let middle = of(&names);
        assert_ne!(middle[0], middle[1]);
    }

    #[test]
    fn a_warm_up_is_marked_on_both_charts_and_named_after_the_longest_where_they_differ() {
        use crate::fixture::{self, Load};
        use crate::render::html::view::Picture;
        use leadline_model::plan::OpMix;
        let marks = |warmups: [u64; 2]| -> Vec<Vec<Mark>> {
            let own = ["a", "b"].map(|name| fixture::workload(name, OpMix::reads(), 4096, 4, 20));
            let loads = warmups.map(|warmup| Load {
                warmup,
                ..Load::simple(Op::Read, 4000, 4096, 200_000, 20)
            });
            let plan = fixture::plan(vec![("s", own.to_vec())]);
            let run = fixture::run_of(&fixture::events_of(plan, &[loads.to_vec()]));
            let all = crate::summary::summarize(&run);
            let (parts, _) = parts(&run.stages[0], &all.stages[0]);
            let figures = over_time("x", &parts);
            let each = figures.iter().map(|figure| match &figure.picture {
                Picture::Lines(chart, _) => chart.marks.clone(),
                _ => Vec::new(),
            });
            each.collect()
        };
        let band = |name: &str| vec![Mark::Band(0.0, 5.0, name.to_owned())];
        assert_eq!(marks([5, 5]), vec![band("warm-up"); 2]);
        assert_eq!(marks([5, 2]), vec![band("longest warm-up"); 2]);
        assert_eq!(marks([0, 0]), vec![Vec::new(); 2]);
    }
}
