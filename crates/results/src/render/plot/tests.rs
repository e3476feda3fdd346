//! Which points make which lines, and what is in the picture. The runs are made by hand: their sums are known.

use super::*;
use crate::fixture::{self, Load};
use crate::run::Run;
use leadline_model::op::Op;
use leadline_model::plan::study::{Axis as StudyAxis, Coordinate, Role};
use leadline_model::plan::{Amount, Dialect, HostSet, HostSpec, OpMix, StudyPoint, Workload};
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
        let (low, high) = spot.bracket.ends().unwrap();
        assert!(
            low <= spot.y && spot.y <= high && high - low < 0.01 * spot.y,
            "{spot:?}"
        );
    }
    assert_eq!(picked.common, ["a", "reads", "4 KiB", "random"]);
}

/// `depths`, and once more 8 in flight at 5,000 a second on a part of the target, as a smaller set that a cache holds.
fn with_a_smaller_set() -> Run {
    let points = [
        ("d1", 1, 100),
        ("d4", 4, 400),
        ("d8", 8, 600),
        ("smaller", 8, 5000),
    ];
    let stages = points.map(|(name, depth, _)| {
        let mut workload = fixture::workload("w", OpMix::reads(), 4096, depth, 16);
        if name == "smaller" {
            workload.blocks_mut().region.size = Some(Amount::Bytes(64 << 20));
        }
        (name, vec![workload])
    });
    let plan = fixture::plan(stages.to_vec());
    let loads = points.map(|(_, _, ios)| vec![Load::simple(Op::Read, ios, 4096, MS, 16)]);
    fixture::run_of(&fixture::events_of(plan, &loads))
}

#[test]
fn a_part_of_the_set_is_not_averaged_with_all_of_it() {
    let run = with_a_smaller_set();
    for x in ["depth", "p50"] {
        let found = picked(&[("a", &run)], &request(x, "iops")).unwrap();
        let all = lines(&found);
        let rates: Vec<f64> = all
            .iter()
            .flat_map(|line| line.1.iter().map(|p| p.1))
            .collect();
        assert_eq!(rates, [100.0, 400.0, 600.0], "{x}: {all:?}");
        let note = "left out, with one point only: first 64 MiB";
        assert!(
            found.notes.iter().any(|n| n == note),
            "{x}: {:?}",
            found.notes
        );
    }
    // Lines of their own where it is asked for.
    let mut by = request("depth", "iops");
    by.by = Some(PlotAxis::Part);
    by.only = vec![(PlotAxis::Part, "first 64 MiB".to_owned())];
    assert_eq!(
        lines(&picked(&[("a", &run)], &by).unwrap())[0].1,
        [(8.0, 5000.0)]
    );
}

#[test]
fn a_split_of_block_sizes_has_a_place_of_its_own() {
    let whole = fixture::workload("w", OpMix::reads(), 65_536, 1, 10);
    let mut split = whole.clone();
    let sizes = vec![(4096, 90), (65_536, 10)];
    split.blocks_mut().sizes.by_op.read = leadline_model::plan::access::Sizes::Split(sizes);
    let plan = fixture::plan(vec![("a", vec![whole]), ("b", vec![split])]);
    let loads = [100, 200].map(|ios| vec![Load::simple(Op::Read, ios, 4096, MS, 10)]);
    let run = fixture::run_of(&fixture::events_of(plan, &loads));
    let over = picked(&[("a", &run)], &request("block", "iops")).unwrap();
    assert_eq!(over.names, ["64 KiB", "4 KiB (90 %), 64 KiB (10 %)"]);
    assert_eq!(lines(&over)[0].1, [(0.0, 100.0), (1.0, 200.0)]);
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
fn repeats_are_one_point_by_the_rule_of_the_report() {
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
    // Each is known exactly and no two agree: what a fourth would be is not known, but that it may be any of these.
    let (low, high) = spot.bracket.ends().unwrap();
    assert_eq!((low.round(), high.round()), (90.0, 110.0), "{spot:?}");
    // The one that confirms the point is its figure.
    let mut confirmed = plan.clone();
    let last = confirmed.stages[2].point.as_mut().unwrap();
    last.role = Role::Confirmation;
    last.at.insert(StudyAxis::Try, Coordinate::Number(2.0));
    confirmed.stages[1]
        .point
        .as_mut()
        .unwrap()
        .at
        .remove(&StudyAxis::Repeat);
    let again = fixture::run_of(&fixture::events_of(confirmed, &loads));
    let drawn = picked(&[("a", &again)], &request("arm", "iops")).unwrap();
    let best = drawn.panels[0].lines[0].spots.iter().map(|s| s.y.round());
    assert!(best.collect::<Vec<_>>().contains(&100.0));
    // What only prepares is no point.
    plan.stages[1].point.as_mut().unwrap().role = Role::Fill;
    let run = fixture::run_of(&fixture::events_of(plan, &loads));
    let of_repeat = picked(&[("a", &run)], &request("repeat", "iops")).unwrap();
    assert_eq!(lines(&of_repeat)[0].1, [(1.0, 90.0), (3.0, 100.0)]);
}

/// A survey's best point, and the two that confirm it.
#[test]
fn of_a_survey_the_last_point_that_confirms_the_best_is_drawn() {
    let of = |names: [&str; 3]| {
        let loads = [90_u64, 110, 120];
        let own = || fixture::workload("w", OpMix::reads(), 4096, 8, 10);
        let mut plan = fixture::plan(names.map(|name| (name, vec![own()])).to_vec());
        plan.source.dialect = Dialect::Native;
        let loads = loads.map(|ios| vec![Load::simple(Op::Read, ios, 4096, MS, 10)]);
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        let found = picked(&[("a", &run)], &request("depth", "iops")).unwrap();
        (lines(&found)[0].1[0].1, svg(&found).contains("confirms it"))
    };
    assert_eq!(of(["iops/4k", "confirm/4k", "confirm-2/4k"]), (120.0, true));
    assert_eq!(of(["a", "b", "c"]), (107.0, false));
}

/// Half of the I/Os of four repeats take 0.8 to 1.2 ms: 1 ms, and as that of another four may be.
#[test]
fn a_percentile_of_repeats_has_the_interval_of_their_spread() {
    let typical = [1000_u64, 1200, 800, 1000];
    let of = |count: usize| {
        let own = || fixture::workload("w", OpMix::reads(), 4096, 1, 10);
        let stages = (0..count).map(|_| ("r", vec![own()]));
        let mut plan = fixture::plan(stages.collect());
        for (stage, n) in plan.stages.iter_mut().zip(1_u8..) {
            let at = [(StudyAxis::Repeat, Coordinate::Number(f64::from(n)))];
            stage.point = Some(StudyPoint {
                role: Role::Point,
                at: at.into(),
            });
        }
        let each = typical.iter().take(count);
        let each = each.map(|us| vec![Load::simple(Op::Read, 500, 4096, us * 1000, 10)]);
        let run = fixture::run_of(&fixture::events_of(plan, &each.collect::<Vec<_>>()));
        let found = picked(&[("a", &run)], &request("depth", "p50")).unwrap();
        found.panels[0].lines[0].spots[0].clone()
    };
    let four = of(4);
    assert!(
        (four.y / 1e6 - 1.0).abs() < 0.05 && four.count == 4,
        "{four:?}"
    );
    let (low, high) = four.bracket.ends().unwrap();
    // Student's t of three degrees of freedom: 3.18 x 0.163 ms / 2.
    assert!((four.y - low - 0.26e6).abs() < 0.04e6, "{four:?}");
    assert!((high - four.y - 0.26e6).abs() < 0.04e6, "{four:?}");
    // Of two that do not agree, both.
    let two = of(2);
    let (low, high) = two.bracket.ends().unwrap();
    assert!((0.16e6..0.24e6).contains(&(high - low)), "{two:?}");
    assert!(low < two.y && two.y < high, "{two:?}");
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
fn the_band_of_warm_ups_is_named_after_the_longest_where_they_differ() {
    let of = |warmups: [u64; 2]| {
        let own = ["a", "b"].map(|name| fixture::workload(name, OpMix::reads(), 4096, 4, 20));
        let loads = warmups.map(|warmup| Load {
            warmup,
            ..Load::simple(Op::Read, 4000, 4096, MS, 20)
        });
        let plan = fixture::plan(vec![("s", own.to_vec())]);
        let run = fixture::run_of(&fixture::events_of(plan, &[loads.to_vec()]));
        let mut request = request("time", "iops");
        request.by = Some(PlotAxis::Workload);
        let found = picked(&[("a", &run)], &request).unwrap();
        assert_eq!(found.panels[0].lines.len(), 2);
        let chart = svg(&found);
        (found.warmups_s, chart.contains("longest warm-up"))
    };
    assert_eq!(of([5, 2]), ((2.0, 5.0), true));
    assert_eq!(of([5, 5]), ((5.0, 5.0), false));
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
fn published_figures_stand_where_they_hold() {
    let run = mix();
    let mut with = request("reads", "iops");
    with.published = Some("anf-2025-8k".to_owned());
    let beside = picked(&[("a", &run)], &with).unwrap();
    let line = &beside.panels[0].published[0];
    let points: Vec<_> = line.spots.iter().map(|s| (s.x, s.y)).collect();
    assert_eq!(points, [(0.0, 111_000.0), (100.0, 293_000.0)]);
    let drawn = svg(&beside);
    assert!(drawn.contains("published total") && beside.source.contains("2025-01-27"));
    // Reads alone and writes alone are two figures: nothing published lies between them.
    assert!(
        !drawn.contains("class=\"line v2 published\" data-n"),
        "{drawn}"
    );
    // Reads alone say nothing of mixes.
    with.published = Some("azure-disk-2021-both".to_owned());
    let ends = picked(&[("a", &run)], &with).unwrap();
    assert!(ends.panels[0].levels.is_empty());
    let published = ends.panels[0].published.iter().flat_map(|line| &line.spots);
    let published: Vec<_> = published.map(|s| (s.x, s.y)).collect();
    assert_eq!(published, [(100.0, 78_300.0), (0.0, 12_600.0)]);
    // Over the depth, which is not known of it, it is a level.
    let mut deep = request("depth", "iops");
    deep.published = Some("azure-disk-2021-read".to_owned());
    let level = picked(&[("a", &depths(1))], &deep).unwrap();
    assert!((level.panels[0].levels[0].value - 78_600.0).abs() < 0.5);
    with.published = Some("anf-2025-64k".to_owned());
    let error = picked(&[("a", &run)], &with).unwrap_err().to_string();
    assert_eq!(
        error,
        "anf-2025-64k has nothing to draw over reads: it has mibps over reads"
    );
}

#[test]
fn many_lines_are_thin_and_numbered_and_too_many_refused_with_what_differs() {
    let run = depths(1);
    let names: Vec<String> = (0..49).map(|n| format!("r{n}")).collect();
    let runs: Vec<_> = names.iter().map(|name| (name.as_str(), &run)).collect();
    let some = svg(&picked(&runs[..13], &request("depth", "iops")).unwrap());
    assert!(some.contains("class=\"line v0 k0 many\""), "{some}");
    assert!(texts(&some).contains(&"13: r12".to_owned()));
    // As many as are drawn all differ in colour, dash or marker.
    let most = svg(&picked(&runs[..48], &request("depth", "iops")).unwrap());
    let looks = most.match_indices("<path class=\"line v").map(|(at, _)| {
        let look = most[at + 19..].split_once("\"").unwrap().0;
        look.trim_end_matches(" many").to_owned()
    });
    let looks: std::collections::BTreeSet<String> = looks.collect();
    assert_eq!(looks.len(), 48, "{looks:?}");
    assert!(!most.contains("looks repeat"));
    let error = picked(&runs, &request("depth", "iops")).unwrap_err();
    assert!(
        error.to_string().contains("49 lines")
            && error.to_string().contains("run (r0, r1, r2, ...)"),
        "{error}"
    );
}

/// Two workloads side by side at three depths, of stages that are named after their points.
fn side_by_side(names: [&str; 2]) -> Run {
    let depths = [(1, 100), (2, 200), (4, 400)];
    let stages = depths.map(|(depth, _)| {
        let own = names.map(|name| {
            let name = name.replace('*', &depth.to_string());
            fixture::workload(&name, OpMix::reads(), 4096, depth, 10)
        });
        (format!("d{depth}"), own.to_vec())
    });
    let stages = stages.iter().map(|(name, w)| (name.as_str(), w.clone()));
    let mut plan = fixture::plan(stages.collect());
    for stage in &mut plan.stages {
        // Only what they work on differs.
        stage.workloads[1].blocks_mut().region.offset =
            leadline_model::plan::Amount::Bytes(1 << 20);
    }
    let loads = depths.map(|(_, ios)| {
        [1, 2]
            .map(|times| Load::simple(Op::Read, ios * times, 4096, MS, 10))
            .to_vec()
    });
    fixture::run_of(&fixture::events_of(plan, &loads))
}

#[test]
fn names_of_points_make_no_lines_but_workloads_side_by_side_do() {
    let by_place = side_by_side(["w-*-near", "w-*-far"]);
    let found = picked(&[("a", &by_place)], &request("depth", "iops")).unwrap();
    let rates = [(1.0, 100.0), (2.0, 200.0), (4.0, 400.0)];
    let twice = rates.map(|(x, y)| (x, 2.0 * y));
    assert_eq!(
        lines(&found),
        [
            ("workload 1", rates.to_vec()),
            ("workload 2", twice.to_vec())
        ]
    );
    let by_name = side_by_side(["near", "far"]);
    let found = picked(&[("a", &by_name)], &request("depth", "iops")).unwrap();
    let labels: Vec<&str> = lines(&found).iter().map(|line| line.0).collect();
    assert_eq!(labels, ["near", "far"]);
}

#[test]
fn closed_and_open_loops_are_lines_of_their_own() {
    let run = crate::study::response::tests::curve_run();
    let found = picked(&[("a", &run)], &request("iops", "mean")).unwrap();
    let labels: Vec<&str> = lines(&found).iter().map(|line| line.0).collect();
    assert_eq!(labels, ["closed loop", "open loop"]);
    let open = &found.panels[0].lines[1].spots;
    assert!(open.windows(2).all(|two| two[0].x <= two[1].x), "{open:?}");
}

#[test]
fn rates_at_several_depths_are_a_line_for_each_depth() {
    let steps = [(4, 100), (8, 100), (4, 200), (8, 200)];
    let stages = steps.map(|(depth, rate)| {
        let mut own = fixture::workload("w", OpMix::reads(), 4096, depth, 10);
        own.pace = leadline_model::plan::Pace::Open {
            rates: leadline_model::op::PerOp::splat(None),
            arrival: leadline_model::plan::Arrival::Poisson,
            together: Some(leadline_model::plan::Rate::Iops(rate as f64)),
            schedule: Vec::new(),
        };
        ("r", vec![own])
    });
    let loads = steps.map(|(_, rate)| vec![Load::simple(Op::Read, rate, 4096, MS, 10)]);
    let plan = fixture::plan(stages.to_vec());
    let run = fixture::run_of(&fixture::events_of(plan, &loads));
    for x in ["iops", "rate"] {
        let found = picked(&[("a", &run)], &request(x, "mean")).unwrap();
        let labels: Vec<&str> = lines(&found).iter().map(|line| line.0).collect();
        assert_eq!(labels, ["depth 4", "depth 8"], "{x}");
    }
}

#[test]
fn what_is_long_is_wrapped_and_no_word_is_wider_than_the_picture() {
    let run = depths(1);
    let law = format!("sim:{}", "service=exp:300us,".repeat(8));
    let name = format!("{law} after the change of the mount options");
    let picture = svg(&picked(&[(&name, &run)], &request("depth", "iops")).unwrap());
    assert!(texts(&picture).iter().all(|t| t.chars().count() <= 78));
    assert!(
        texts(&picture)
            .iter()
            .any(|t| t.ends_with("mount options, reads, 4 KiB, random"))
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
            &["latency", "percentile", "p50", "p99"],
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

#[test]
fn runs_of_one_point_each_are_joined_along_what_they_differ_in() {
    let of = |depth: u32, ios: u64| {
        let workload = fixture::workload("w", OpMix::reads(), 4096, depth, 16);
        let plan = fixture::plan(vec![("s", vec![workload])]);
        let load = Load::simple(Op::Read, ios, 4096, MS, 16);
        fixture::run_of(&fixture::events_of(plan, &[vec![load]]))
    };
    let (one, four, again) = (of(1, 100), of(4, 300), of(4, 310));
    let both = [("d1", &one), ("d4", &four)];
    let found = picked(&both, &request("depth", "iops")).unwrap();
    assert_eq!(lines(&found), [("", vec![(1.0, 100.0), (4.0, 300.0)])]);
    assert!(
        found.notes[0].ends_with("a run of its own: 2 runs, d1, d4"),
        "{:?}",
        found.notes
    );
    // Each operation has its line.
    let mut by_op = request("depth", "iops");
    by_op.by = Some(PlotAxis::Op);
    let split = picked(&both, &by_op).unwrap();
    let labels: Vec<&str> = lines(&split).iter().map(|line| line.0).collect();
    assert_eq!(labels, ["total", "read"]);
    // Two at one place are not of one line, and runs that are asked for are lines.
    let three = [("d1", &one), ("d4", &four), ("e4", &again)];
    assert_eq!(
        lines(&picked(&three, &request("depth", "iops")).unwrap()).len(),
        3
    );
    let mut by_run = request("depth", "iops");
    by_run.by = Some(PlotAxis::Run);
    assert_eq!(lines(&picked(&both, &by_run).unwrap()).len(), 2);
}

/// `rate=4m bs=4k,64k rw=randread`: the I/Os that are asked for are of 4 KiB.
#[test]
fn a_rate_in_bytes_is_of_ios_of_the_size_that_occurs() {
    use leadline_model::plan::access::Sizes;
    use leadline_model::plan::{Arrival, Pace, Rate};
    let of = |mib: u64| {
        let mut workload = fixture::workload("w", OpMix::reads(), 4096, 4, 16);
        workload.blocks_mut().sizes.by_op.write = Sizes::Fixed(65_536);
        workload.pace = Pace::Open {
            rates: leadline_model::op::PerOp {
                read: Some(Rate::Bytes(mib << 20)),
                write: None,
                trim: None,
            },
            arrival: Arrival::Constant,
            together: None,
            schedule: Vec::new(),
        };
        let plan = fixture::plan(vec![("s", vec![workload])]);
        let load = Load::simple(Op::Read, mib * 256, 4096, MS, 16);
        fixture::run_of(&fixture::events_of(plan, &[vec![load]]))
    };
    let (slow, fast) = (of(1), of(2));
    let both = [("slow", &slow), ("fast", &fast)];
    let found = picked(&both, &request("rate", "iops")).unwrap();
    let asked: Vec<f64> = lines(&found)[0].1.iter().map(|point| point.0).collect();
    assert_eq!(asked, [256.0, 512.0]);
}

#[test]
fn a_name_that_counts_jobs_is_not_said_of_some_of_them() {
    let run = depths(1);
    let common = |name| {
        picked(&[(name, &run)], &request("depth", "iops"))
            .unwrap()
            .common
    };
    assert_eq!(common("nightly")[0], "nightly");
    assert!(
        !common("seq-read and 5 more")
            .iter()
            .any(|c| c.contains("more"))
    );
    assert_eq!(common("one and more")[0], "one and more");
}

#[test]
fn a_figure_without_samples_has_no_empty_chart() {
    let run = depths(1);
    let mut asked = request("depth", "iops,p99");
    asked.y.push(PlotFigure::named("p99.9999").unwrap());
    let found = picked(&[("a", &run)], &asked).unwrap();
    assert_eq!(found.panels.len(), 2);
    let said = "p99.9999 is not drawn: too few samples".to_owned();
    assert!(found.notes.contains(&said), "{:?}", found.notes);
    let picture = svg(&found);
    assert!(
        texts(&picture)
            .iter()
            .any(|t| t.starts_with("p99.9999 is not"))
    );
}

/// Intervals with too few I/Os for p99 are merged until they have enough, as on the page of the run, and the chart says so.
#[test]
fn short_intervals_are_merged_for_a_percentile_over_time() {
    let reader = fixture::workload("w", OpMix::reads(), 4096, 4, 100);
    let plan = fixture::plan(vec![("r", vec![reader])]);
    let load = vec![Load::simple(Op::Read, 400, 4096, MS, 100)];
    let run = fixture::run_of(&fixture::events_of(plan, &[load]));
    let known = |figure: &str| {
        let found = picked(&[("a", &run)], &request("time", figure)).unwrap();
        let spots = found.panels[0].lines[0].spots.iter();
        (spots.filter(|s| s.y.is_finite()).count(), found.notes)
    };
    let (points, notes) = known("p99");
    assert_eq!(points, 20, "2,000 I/Os each");
    let words = "p99: intervals are merged until a point has enough I/Os for it";
    assert_eq!(notes, [words]);
    assert_eq!(known("mean"), (100, Vec::new()));
}

/// A workload of two hosts of Vdbench, each with a line of its own.
#[test]
fn workloads_of_one_name_are_named_by_their_hosts() {
    let on = |host: u32| Workload {
        target_name: Some("sd1".to_owned()),
        hosts: HostSet::one(host),
        ..fixture::workload("wd1", OpMix::reads(), 4096, 4, 10)
    };
    let plan = fixture::plan(vec![("run1", vec![on(0), on(1)])]);
    let load = Load::simple(Op::Read, 3000, 4096, MS, 10);
    let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load.clone(), load]]));
    run.plan.as_mut().unwrap().hosts = ["h1", "h2"].map(HostSpec::local).into();
    for figure in ["iops", "p99"] {
        let found = picked(&[("a", &run)], &request("time", figure)).unwrap();
        let lines = found.panels[0].lines.iter();
        let labels: Vec<&str> = lines.map(|line| line.label.as_str()).collect();
        assert_eq!(labels, ["wd1 on sd1 from h1", "wd1 on sd1 from h2"]);
    }
}

/// Reads enough for a percentile in each interval, beside writes of too few.
#[test]
fn a_line_over_time_without_a_point_is_left_out_by_name_and_has_no_entry() {
    let reader = fixture::workload("w", OpMix::reads(), 4096, 4, 10);
    let writer = fixture::workload("w", OpMix::Only(Op::Write), 4096, 4, 10);
    let stages = vec![
        ("r", vec![reader.clone()]),
        ("w", vec![writer]),
        ("s", vec![reader]),
    ];
    let load = |op, ios| vec![Load::simple(op, ios, 4096, MS, 10)];
    let mut gaps = load(Op::Read, 2000);
    gaps[0].quiet = vec![4, 6];
    let loads = [load(Op::Read, 3000), load(Op::Write, 20), gaps];
    let run = fixture::run_of(&fixture::events_of(fixture::plan(stages), &loads));
    let mut of = request("time", "p99");
    of.by = Some(PlotAxis::Stage);
    let found = picked(&[("a", &run)], &of).unwrap();
    let notes = [
        "p99: a gap is an interval with too few samples, or none",
        "p99: left out, with too few samples: w, writes",
    ];
    assert_eq!(found.notes, notes);
    let picture = svg(&found);
    let entries = texts(&picture)
        .into_iter()
        .filter(|words| words.contains("reads"));
    assert_eq!(entries.count(), 2, "{picture}");
    // The point between two gaps is seen; the entries of lines have no markers.
    assert_eq!(picture.matches("class=\"dot").count(), 1, "{picture}");
}

#[test]
fn reads_and_writes_have_their_colours_in_any_order() {
    let run = mix();
    for only in [None, Some("0"), Some("100"), Some("50")] {
        let mut of = request("depth", "iops");
        of.by = Some(PlotAxis::Reads);
        of.only = only
            .map(|reads| (PlotAxis::Reads, reads.to_owned()))
            .into_iter()
            .collect();
        let picture = svg(&picked(&[("a", &run)], &of).unwrap());
        let has = |class: &str| picture.contains(&format!("class=\"dot {class}\""));
        let alone = |reads| only.is_none_or(|own| own == reads);
        // What all have in common takes no colour for itself.
        if only.is_none() {
            assert!(has("read") && has("write") && has("k4"), "{picture}");
        }
        assert!(alone("100") || !has("read"), "{picture}");
        assert!(alone("0") || !has("write"), "{picture}");
    }
}

#[test]
fn colours_of_what_is_not_known_are_said_to_be_nothing() {
    let run = depths(1);
    let mut asked = request("depth", "iops");
    asked.by = Some(PlotAxis::Nconnect);
    let found = picked(&[("a", &run)], &asked).unwrap();
    assert_eq!(
        found.notes,
        ["the nconnect of these runs is not known: it cannot distinguish lines"]
    );
}

#[test]
fn several_figures_of_a_title_are_listed() {
    let run = depths(1);
    let picture = svg(&picked(&[("a", &run)], &request("depth", "iops,p50,p99")).unwrap());
    assert!(
        picture.contains("<title id=\"plot-t\">IOPS, latency p50 and latency p99 by queue depth")
    );
}

/// Reads of 4 KiB at depths and numbers of workers, with this many I/Os a second.
fn loads(points: &[(u32, u32, u64)]) -> Run {
    let stages = points.iter().map(|&(depth, jobs, _)| {
        let mut own = fixture::workload("w", OpMix::reads(), 4096, depth, 10);
        own.clones = jobs;
        ("s", vec![own])
    });
    let plan = fixture::plan(stages.collect());
    let each = points
        .iter()
        .map(|&(_, _, ios)| vec![Load::simple(Op::Read, ios, 4096, MS, 10)]);
    fixture::run_of(&fixture::events_of(plan, &each.collect::<Vec<_>>()))
}

#[test]
fn a_grid_of_depths_and_workers_is_a_line_for_each_number_of_workers() {
    let grid = loads(&[(1, 1, 100), (8, 1, 700), (1, 8, 650), (8, 8, 900)]);
    for x in ["iops", "in-flight"] {
        let found = picked(&[("a", &grid)], &request(x, "iops")).unwrap();
        let labels: Vec<&str> = lines(&found).iter().map(|line| line.0).collect();
        assert_eq!(labels, ["1 job", "8 jobs"], "{x}");
    }
    // First deeper, then wider: each load has its place.
    let way = loads(&[(1, 1, 100), (8, 1, 700), (8, 2, 900)]);
    for x in ["iops", "in-flight"] {
        let found = picked(&[("a", &way)], &request(x, "iops")).unwrap();
        assert_eq!(lines(&found).len(), 1, "{x}");
    }
}

#[test]
fn pairs_of_rates_are_dots_over_a_figure_and_steps_of_one_rate_a_line() {
    let at = |pairs: &[(u64, u64)]| {
        let stages = pairs.iter().map(|_| {
            let mut own = fixture::workload("w", OpMix::reads(), 4096, 8, 10);
            own.pace = leadline_model::plan::Pace::Open {
                rates: leadline_model::op::PerOp::splat(None),
                arrival: leadline_model::plan::Arrival::Poisson,
                together: Some(leadline_model::plan::Rate::Iops(100.0)),
                schedule: Vec::new(),
            };
            ("s", vec![own])
        });
        let mut plan = fixture::plan(stages.collect());
        for (stage, (reads, writes)) in plan.stages.iter_mut().zip(pairs) {
            let number = |n: &u64| Coordinate::Number(*n as f64);
            stage.point = Some(StudyPoint {
                role: Role::Point,
                at: [
                    (StudyAxis::ReadRate, number(reads)),
                    (StudyAxis::WriteRate, number(writes)),
                ]
                .into(),
            });
        }
        let each = pairs
            .iter()
            .map(|(reads, writes)| vec![Load::simple(Op::Read, reads + writes, 4096, MS, 10)]);
        fixture::run_of(&fixture::events_of(plan, &each.collect::<Vec<_>>()))
    };
    let grid = at(&[(100, 100), (100, 300), (300, 100), (300, 300)]);
    let found = picked(&[("a", &grid)], &request("iops", "mean")).unwrap();
    let line = &found.panels[0].lines[0];
    assert_eq!((line.joined, line.spots.len()), (false, 4));
    let picture = svg(&found);
    assert!(!picture.contains("class=\"line"), "{picture}");
    let said = "Points are joined only along one setting: those of a grid are not.";
    assert!(texts(&picture).contains(&said.to_owned()), "{picture}");
    // With one of the two rates along x the other distinguishes lines.
    let by_rate = picked(&[("a", &grid)], &request("read-rate", "mean")).unwrap();
    assert_eq!(by_rate.panels[0].lines.len(), 2);
    assert!(by_rate.panels[0].lines.iter().all(|line| line.joined));
    // A row of the grid has an order, and no point of it is taken for another once more.
    let row = at(&[(100, 300), (100, 100), (100, 200)]);
    let found = picked(&[("a", &row)], &request("iops", "mean")).unwrap();
    let rates: Vec<f64> = lines(&found)[0].1.iter().map(|p| p.0.round()).collect();
    assert_eq!(rates, [200.0, 300.0, 400.0]);
    assert!(found.panels[0].lines[0].joined);
}

#[test]
fn rates_by_name_are_bars_with_whiskers_and_latencies_dots() {
    let named = [("seq-read", 300), ("seq-write", 200)];
    let stages = named.map(|(name, _)| {
        let own = fixture::workload("w", OpMix::reads(), 65_536, 4, 10);
        (name, vec![own])
    });
    let plan = |format: &str| {
        let own = fixture::workload("w", OpMix::reads(), 65_536, 4, 10);
        let all = std::iter::once((format, vec![own])).chain(stages.clone());
        fixture::plan(all.collect())
    };
    let load = |ios| vec![Load::simple(Op::Read, ios, 65_536, MS, 10)];
    let loads = [load(900), load(300), load(200)];
    let run = |format| fixture::run_of(&fixture::events_of(plan(format), &loads));
    let bars = svg(&picked(&[("a", &run("x"))], &request("stage", "iops")).unwrap());
    assert_eq!(bars.matches("class=\"bar side k0\"").count(), 3);
    assert_eq!(bars.matches("class=\"whisker k0\"").count(), 9);
    assert!(texts(&bars).contains(&"900".to_owned()), "{bars}");
    assert!(texts(&bars).contains(&"The 95 % intervals are too narrow to be seen.".to_owned()));
    let latency = svg(&picked(&[("a", &run("x"))], &request("stage", "p99")).unwrap());
    assert!(!latency.contains("class=\"bar") && latency.contains("class=\"dot k0\""));
    // What only writes the data is no category.
    for format in ["SD_format", "fill/all"] {
        let without = picked(&[("a", &run(format))], &request("stage", "iops")).unwrap();
        assert_eq!(without.names, ["seq-read", "seq-write"], "{format}");
    }
}

#[test]
fn bars_of_several_runs_stand_side_by_side_with_a_legend() {
    let (slow, fast) = (depths(1), depths(3));
    let mut by_stage = request("stage", "iops");
    by_stage.by = Some(PlotAxis::Run);
    let both = [("before", &slow), ("after", &fast)];
    let picture = svg(&picked(&both, &by_stage).unwrap());
    for class in ["k0", "k1"] {
        let bar = format!("class=\"bar side {class}\"");
        assert_eq!(picture.matches(&bar).count(), 4, "{picture}");
        assert!(picture.contains(&format!("class=\"dot {class}\"")));
    }
    let words = texts(&picture);
    assert!(words.contains(&"before".to_owned()) && words.contains(&"after".to_owned()));
}
