//! Which points make which lines, and what stands in the picture. The runs are made by hand: their sums are known.

use super::*;
use crate::fixture::{self, Load};
use crate::run::Run;
use leadline_model::op::Op;
use leadline_model::plan::study::{Axis as StudyAxis, Coordinate, Role};
use leadline_model::plan::{OpMix, StudyPoint};
use leadline_model::units::Percent;

const MS: u64 = 1_000_000;

/// Reads of 4 KiB with 1, 2, 4 and 8 in flight: 100, 200, 400 and 600 a second of 1 to 4 ms, 16 seconds each.
fn depths(times: u64) -> Run {
    let points = [(1, 100), (2, 200), (4, 400), (8, 600)];
    let stages = points.map(|(depth, _)| {
        let name = format!("d{depth}");
        (
            name,
            vec![fixture::workload("w", OpMix::reads(), 4096, depth, 16)],
        )
    });
    let stages = stages.iter().map(|(name, w)| (name.as_str(), w.clone()));
    let plan = fixture::plan(stages.collect());
    let loads = points.map(|(_, ios)| vec![Load::simple(Op::Read, ios * times, 4096, MS, 16)]);
    fixture::run_of(&fixture::events_of(plan, &loads))
}

/// All reads, half of each, all writes, with 300 a second in all.
fn mix() -> Run {
    let points = [(100_u8, 300, 0), (50, 150, 150), (0, 0, 300)];
    let stages = points.map(|(reads, ..)| {
        let mix = match reads {
            100 => OpMix::reads(),
            0 => OpMix::Only(Op::Write),
            n => OpMix::ReadWrite {
                read_percent: Percent::whole(n),
            },
        };
        (
            format!("m{reads}"),
            vec![fixture::workload("w", mix, 4096, 4, 10)],
        )
    });
    let stages = stages.iter().map(|(name, w)| (name.as_str(), w.clone()));
    let plan = fixture::plan(stages.collect());
    let loads = points.map(|(_, reads, writes)| {
        let mut load = Load::simple(Op::Read, reads, 4096, MS, 10);
        load.ops.push(fixture::OpLoad {
            op: Op::Write,
            ios: writes,
            ..load.ops[0]
        });
        load.ops.retain(|op| op.ios > 0);
        vec![load]
    });
    fixture::run_of(&fixture::events_of(plan, &loads))
}

fn request(x: &str, y: &str) -> Request {
    Request {
        x: PlotX::named(x).unwrap(),
        y: y.split(',')
            .map(|name| PlotFigure::named(name).unwrap())
            .collect(),
        by: None,
        only: Vec::new(),
        published: None,
    }
}

fn picked(runs: &[(&str, &Run)], request: &Request) -> Result<Picked, NoPlot> {
    let runs: Vec<_> = runs
        .iter()
        .map(|(name, run)| ((*name).to_owned(), *run))
        .collect();
    pick(&runs, request)
}

/// (label, points) of each line of the first chart.
fn lines(picked: &Picked) -> Vec<(&str, Vec<(f64, f64)>)> {
    let each = picked.panels[0].lines.iter();
    each.map(|line| {
        let points = line.spots.iter().map(|s| (s.x, s.y.round()));
        (line.label.as_str(), points.collect())
    })
    .collect()
}

#[test]
fn depths_make_a_line_in_their_order_with_the_interval_of_each() {
    let run = depths(1);
    let picked = picked(&[("a", &run)], &request("depth", "iops")).unwrap();
    assert_eq!(
        lines(&picked),
        [(
            "",
            vec![(1.0, 100.0), (2.0, 200.0), (4.0, 400.0), (8.0, 600.0)]
        )]
    );
    // Each interval has as many I/Os as the others: the rate is known exactly.
    for spot in &picked.panels[0].lines[0].spots {
        let (low, high) = spot.within.unwrap();
        assert!(
            low <= spot.y && spot.y <= high && high - low < 0.01 * spot.y,
            "{spot:?}"
        );
    }
    assert_eq!(picked.common, ["a", "reads", "4 KiB", "random"]);
}

#[test]
fn two_runs_are_two_lines_and_only_one_is_left_when_asked_for() {
    let (slow, fast) = (depths(1), depths(3));
    let both = [("before", &slow), ("after", &fast)];
    let all = picked(&both, &request("depth", "iops")).unwrap();
    let rates: Vec<_> = lines(&all).into_iter().map(|l| (l.0, l.1[3].1)).collect();
    assert_eq!(rates, [("before", 600.0), ("after", 1800.0)]);
    let mut one = request("depth", "iops");
    one.only = vec![
        (PlotAxis::Run, "after".to_owned()),
        (PlotAxis::Block, "4k".to_owned()),
    ];
    assert_eq!(lines(&picked(&both, &one).unwrap())[0].1[0], (1.0, 300.0));
    one.only.push((PlotAxis::Depth, "3".to_owned()));
    let none = picked(&both, &one).unwrap_err().to_string();
    let words = "no point of these runs has depth = 3; they have run (before, after), depth (depth 1, depth 2, depth 4, \
                 ...), ";
    assert!(none.starts_with(words), "{none}");
}

#[test]
fn operations_of_a_mix_are_lines_and_their_sum_another() {
    let run = mix();
    let whole = picked(&[("a", &run)], &request("reads", "iops")).unwrap();
    assert_eq!(
        lines(&whole),
        [("", vec![(0.0, 300.0), (50.0, 300.0), (100.0, 300.0)])]
    );
    let mut by_op = request("reads", "iops");
    by_op.by = Some(PlotAxis::Op);
    let split = picked(&[("a", &run)], &by_op).unwrap();
    assert_eq!(
        lines(&split),
        [
            ("total", vec![(0.0, 300.0), (50.0, 300.0), (100.0, 300.0)]),
            ("read", vec![(50.0, 150.0), (100.0, 300.0)]),
            ("write", vec![(0.0, 300.0), (50.0, 150.0)]),
        ]
    );
}

#[test]
fn repeats_are_one_point_from_the_lowest_to_the_highest() {
    let points =
        [90_u64, 110, 100].map(|ios| (ios, fixture::workload("w", OpMix::reads(), 4096, 1, 10)));
    let stages = points.iter().map(|(_, w)| ("r", vec![w.clone()])).collect();
    let mut plan = fixture::plan(stages);
    for (stage, n) in plan.stages.iter_mut().zip(1_u8..) {
        stage.point = Some(StudyPoint {
            role: Role::Point,
            at: [
                (StudyAxis::Repeat, Coordinate::Number(f64::from(n))),
                (StudyAxis::Arm, Coordinate::Text("on".to_owned())),
            ]
            .into(),
        });
    }
    let loads: Vec<_> = points
        .iter()
        .map(|(ios, _)| vec![Load::simple(Op::Read, *ios, 4096, MS, 10)])
        .collect();
    let run = fixture::run_of(&fixture::events_of(plan.clone(), &loads));
    let of_arm = picked(&[("a", &run)], &request("arm", "iops")).unwrap();
    assert_eq!(of_arm.names, ["on"]);
    let spot = &of_arm.panels[0].lines[0].spots[0];
    assert_eq!((spot.y.round(), spot.count), (100.0, 3));
    assert_eq!(
        spot.within.map(|w| (w.0.round(), w.1.round())),
        Some((90.0, 110.0))
    );
    // What only prepares is no point.
    plan.stages[1].point.as_mut().unwrap().role = Role::Fill;
    let run = fixture::run_of(&fixture::events_of(plan, &loads));
    let of_repeat = picked(&[("a", &run)], &request("repeat", "iops")).unwrap();
    assert_eq!(lines(&of_repeat)[0].1, [(1.0, 90.0), (3.0, 100.0)]);
}

#[test]
fn latency_over_iops_keeps_the_order_of_depths_and_says_them() {
    let run = depths(1);
    let picked = picked(&[("a", &run)], &request("iops", "mean,p50")).unwrap();
    let spots = &picked.panels[0].lines[0].spots;
    let tags: Vec<&str> = spots.iter().map(|s| s.tag.as_str()).collect();
    assert_eq!(tags, ["1", "2", "4", "8"]);
    assert!(
        (spots[3].x - 600.0).abs() < 0.1 && spots[3].y > 0.9e6,
        "{spots:?}"
    );
    assert_eq!(picked.panels.len(), 2);
}

#[test]
fn a_percentile_with_too_few_samples_is_left_out_with_a_note() {
    let run = depths(1);
    // 1,600 I/Os at depth 1: eight beyond 99.5 %.
    let picked = picked(&[("a", &run)], &request("depth", "p99.5")).unwrap();
    let depths: Vec<f64> = lines(&picked)[0].1.iter().map(|p| p.0).collect();
    assert_eq!(depths, [2.0, 4.0, 8.0]);
    assert_eq!(
        picked.notes,
        ["p99.5: 1 point has too few samples, or none"]
    );
}

#[test]
fn time_has_the_warm_up_and_each_interval_and_percentiles_end_where_samples_do() {
    let run = fixture::run();
    let mut of = request("time", "iops");
    of.only = vec![(PlotAxis::Workload, "latency".to_owned())];
    let over_time = picked(&[("a", &run)], &of).unwrap();
    let stage = &run.stages[0];
    assert_eq!(
        over_time.panels[0].lines[0].spots.len(),
        stage.samples.len() + 1
    );
    let run = depths(1);
    let mut of = request("percentile", "latency");
    of.only = vec![(PlotAxis::Depth, "1".to_owned())];
    let over = picked(&[("a", &run)], &of).unwrap();
    let last = over.panels[0].lines[0].spots.last().unwrap().x;
    // 1,600 I/Os: ten of them are beyond 1 - 1/160.
    assert!(last <= 160.0 && last > 120.0, "{last}");
}

#[test]
fn figures_that_do_not_exist_there_are_refused_with_those_that_do() {
    let run = depths(1);
    for (x, y, words) in [
        (
            "percentile",
            "p99",
            "p99 over percentile does not exist: over percentile there is latency",
        ),
        (
            "time",
            "p99.9",
            "p99.9 over time does not exist: over time there are iops, ",
        ),
        (
            "depth",
            "latency",
            "latency over depth does not exist: all of the latency is drawn over percentile",
        ),
    ] {
        let error = picked(&[("a", &run)], &request(x, y))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(words), "{error}");
    }
    let error = picked(&[("a", &run)], &request("rate", "iops")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a value of rate; they have depth"),
        "{error}"
    );
}

#[test]
fn published_figures_stand_at_their_place_and_limits_are_levels() {
    let run = mix();
    let mut with = request("reads", "iops");
    with.published = Some("anf-2025-8k".to_owned());
    let beside = picked(&[("a", &run)], &with).unwrap();
    let line = &beside.panels[0].published[0];
    let points: Vec<_> = line.spots.iter().map(|s| (s.x, s.y)).collect();
    assert_eq!(points, [(0.0, 111_000.0), (100.0, 293_000.0)]);
    assert!(svg(&beside).contains("published total") && beside.source.contains("2025-01-27"));
    with.published = Some("azure-disk-2021-read".to_owned());
    let level = picked(&[("a", &run)], &with).unwrap();
    assert!((level.panels[0].levels[0].value - 78_600.0).abs() < 0.5);
    with.published = Some("anf-2025-64k".to_owned());
    let error = picked(&[("a", &run)], &with).unwrap_err().to_string();
    assert_eq!(
        error,
        "anf-2025-64k has nothing to draw over reads: it has mibps over reads"
    );
}

#[test]
fn too_many_lines_are_refused_and_what_differs_is_named() {
    let run = depths(1);
    let names: Vec<String> = (0..13).map(|n| format!("r{n}")).collect();
    let runs: Vec<_> = names.iter().map(|name| (name.as_str(), &run)).collect();
    let error = picked(&runs, &request("depth", "iops")).unwrap_err();
    assert!(
        error.to_string().contains("13 lines")
            && error.to_string().contains("run (r0, r1, r2, ...)"),
        "{error}"
    );
}

/// Texts of an SVG document.
fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let all = document.descendants().filter(|n| n.has_tag_name("text"));
    all.map(|n| n.text().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn units_and_percentiles_are_named_in_the_picture() {
    let run = depths(1);
    for (x, y, expected) in [
        (
            "depth",
            "iops,p99",
            &["IOPS", "latency p99", "queue depth of each worker", "1 ms"][..],
        ),
        ("depth", "mibps", &["throughput, MiB/s"]),
        ("depth", "mbps", &["throughput, MB/s"]),
        ("block", "p50", &["latency p50", "block size", "4 KiB"]),
        (
            "percentile",
            "latency",
            &["latency", "percentile", "50 %", "99 %"],
        ),
        ("time", "iops", &["time in the stage", "10 s"]),
    ] {
        let picture = svg(&picked(&[("a", &run)], &request(x, y)).unwrap());
        let texts = texts(&picture);
        for word in expected {
            assert!(
                texts.iter().any(|t| t == word),
                "{x} {y}: {word} in {texts:?}"
            );
        }
    }
    let of_mix = svg(&picked(&[("a", &mix())], &request("reads", "p50")).unwrap());
    let texts = texts(&of_mix);
    assert!(
        texts.iter().any(|t| t == "share of reads, % of the I/Os"),
        "{texts:?}"
    );
    assert!(texts.iter().any(|t| t == "50 %"), "{texts:?}");
    assert!(!texts.iter().any(|t| t.contains("read 50 %")), "{texts:?}");
}

#[test]
fn a_picture_stands_alone() {
    let (slow, fast) = (depths(1), depths(3));
    let both = [("before", &slow), ("after", &fast)];
    let picture = svg(&picked(&both, &request("depth", "iops,p99")).unwrap());
    assert!(picture.starts_with(draw::BEGIN));
    assert!(!picture.contains("var(--") && !picture.contains("NaN") && !picture.contains("href"));
    insta::assert_snapshot!("plot", picture);
}
