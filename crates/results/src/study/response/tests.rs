//! The tests of the curves that are drawn and put into tables, and the runs that they are made of.

use super::*;
use crate::fixture::{self, Load};
use leadline_model::cure::Cure;
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::study::{Axes, Question, Role, Study, StudyPlace, StudyScope, Timing};
use leadline_model::plan::{EngineKind, OpMix, Plan, Rate, Series, ServerCache, StudyPoint};
use leadline_model::units::Nanos;

/// The curves of a run.
pub(crate) fn curves_of(run: &Run) -> Vec<ResponseCurve> {
    curves(run, &summarize(run))
}

/// A curve of one reader and a list of two rates: (rate asked, I/Os a second, latency in us).
pub(crate) fn curve_run() -> Run {
    let stage = |name: &str, loops: &str, asked, rate: Option<u64>| {
        let mut w = fixture::workload("w", OpMix::reads(), 4096, 8, 2);
        if let Some(rate) = rate {
            w.pace = Pace::Open {
                rates: PerOp::splat(None),
                arrival: Arrival::Constant,
                together: Some(Rate::Iops(rate as f64)),
                schedule: Vec::new(),
            };
        }
        Stage {
            name: name.into(),
            workloads: vec![w],
            asked,
            rate: rate.map(|rate| rate as f64),
            series: Some(Series {
                name: name.into(),
                varied: loops.into(),
            }),
            ..Stage::default()
        }
    };
    let point = |percent| StageRate::PercentOfMax {
        percent,
        stop_at: None,
    };
    let rates = [
        (10, 300, 100),
        (50, 1500, 110),
        (80, 2400, 150),
        (90, 2700, 600),
        (100, 3000, 3000),
    ];
    let mut stages = vec![stage("c", "", StageRate::MaxForCurve, None)];
    let mut loads = vec![(3000, 2_600)];
    for (percent, rate, us) in rates {
        let name = format!("c_({percent}%)");
        stages.push(stage(&name, "", point(percent), Some(rate)));
        loads.push((if percent == 100 { 2900 } else { rate }, us));
    }
    for rate in [200, 100] {
        stages.push(stage("l", "", StageRate::PerWorkload, Some(rate)));
        loads.push((rate, 100));
    }
    stages.push(stage("alone", "", StageRate::PerWorkload, None));
    loads.push((50, 100));
    let plan = Plan {
        stages,
        ..fixture::plan(vec![])
    };
    let loads: Vec<_> = loads
        .into_iter()
        .map(|(ios, us)| vec![Load::simple(Op::Read, ios, 4096, us * 1000, 2)])
        .collect();
    fixture::run_of(&fixture::events_of(plan, &loads))
}

/// A study of depths in which 400 I/Os a second are reached from depth 4 on; that depth did `again` when it was measured
/// once more.
pub(crate) fn depth_study(again: u64) -> Run {
    let mut points = [(1, 100), (2, 200), (4, 400), (8, 400), (16, 400)]
        .map(|of| (of, Role::Point))
        .to_vec();
    points.push(((4, again), Role::Confirmation));
    let stage = |((depth, _), role): &((u32, u64), Role)| {
        let mut at = Coordinates::from([(Axis::Depth, Coordinate::Number(f64::from(*depth)))]);
        let name = match role {
            Role::Confirmation => {
                at.insert(Axis::Try, Coordinate::Number(2.0));
                format!("depth/confirm-4k-qd{depth}-t2")
            }
            _ => format!("depth/4k-qd{depth}"),
        };
        Stage {
            name,
            workloads: vec![fixture::workload("w", OpMix::reads(), 4096, *depth, 10)],
            point: Some(StudyPoint { role: *role, at }),
            ..Stage::default()
        }
    };
    let plan = Plan {
        stages: points.iter().map(stage).collect(),
        study: Some(Box::new(study())),
        ..fixture::plan(vec![])
    };
    let load = |((depth, ios), _): &((u32, u64), Role)| {
        let latency = u64::from(*depth) * 1_000_000_000 / ios;
        vec![Load::simple(Op::Read, *ios, 4096, latency, 10)]
    };
    let loads: Vec<_> = points.iter().map(load).collect();
    fixture::run_of(&fixture::events_of(plan, &loads))
}

fn study() -> Study {
    Study {
        question: Question::Depth,
        scope: StudyScope {
            place: StudyPlace::Directory("demo".to_owned()),
            dataset: 1 << 30,
            files: 1,
            direct: true,
            engine: EngineKind::default(),
            hosts: 1,
            server_cache: ServerCache::Unknown,
            maps: Vec::new(),
        },
        axes: Axes {
            blocks: vec![4096],
            reads: vec![100],
            random: vec![true],
            depths: vec![1, 2, 4, 8, 16],
            jobs: vec![1],
        },
        timing: Timing {
            time: Nanos::from_secs(10),
            warmup: Nanos::ZERO,
            budget: None,
            narrow: None,
        },
        repeats: 1,
        arms: Vec::new(),
        seed: 1,
        seeded: false,
    }
}

/// The answer of a study says its highest rate by the run that confirms it, and so does this curve.
#[test]
fn the_curve_of_a_study_has_the_second_measurement_of_its_best_point() {
    let of = |again| curves_or_depths(&depth_study(again)).remove(0);
    let rates = |curve: &ResponseCurve| {
        let both = [curve.largest(), curve.points[2].iops()];
        both.map(crate::words::whole)
    };
    let agrees = of(398);
    assert_eq!(rates(&agrees), [398, 398], "{agrees:?}");
    assert_eq!((&agrees.against, &agrees.withheld), (&None, &None));
    let other = of(340);
    assert_eq!(rates(&other), [340, 340], "{other:?}");
    let n = other.useful_concurrency().unwrap();
    assert!((3.2..3.7).contains(&n), "{n}");
    let said = other.sentence();
    assert!(
        said.contains("up to 340 IOPS") && said.ends_with("did not repeat."),
        "{said}"
    );
}

#[test]
fn nothing_is_concluded_from_a_study_without_an_answer() {
    let fell = curves_or_depths(&depth_study(100)).remove(0);
    assert!(fell.withheld.is_some(), "{fell:?}");
    let places = (fell.knee(), fell.power(), fell.within_twice());
    assert_eq!(places, (None, None, None));
    assert_eq!(fell.useful_concurrency(), None);
    assert!(
        fell.sentence().contains(": No answer: the rate fell"),
        "{}",
        fell.sentence()
    );
}

/// The table of its points and the lines through them are left: no row, mark or value says what they mean.
#[test]
fn a_study_without_an_answer_shows_what_was_measured_alone() {
    let of = |again| {
        let run = depth_study(again);
        crate::states::answer_of(&run, &summarize(&run)).unwrap()
    };
    let shown = |answer: &studies::Answer| {
        let tables = answer.tables.iter().map(|table| table.title.as_str());
        let has_curves = tables.clone().any(|title| title == "Curves");
        let has_points = tables.clone().any(|title| title.starts_with("Depths"));
        let marks = answer.charts.iter().map(|chart| chart.marks.len());
        let lines: usize = answer.charts.iter().map(|chart| chart.series.len()).sum();
        (has_curves, has_points, marks.sum::<usize>() > 0, lines > 0)
    };
    let (agrees, fell) = (of(398), of(100));
    assert_eq!(shown(&agrees), (true, true, true, true), "{agrees:?}");
    assert_eq!(shown(&fell), (false, true, false, true), "{fell:?}");
    assert!(!agrees.values.is_empty() && fell.values.is_empty());
    assert_eq!(agrees.charts.len(), fell.charts.len());
}

#[test]
fn a_curve_has_its_points_in_order_and_lists_are_curves_too() {
    let curves = curves_of(&curve_run());
    let labels: Vec<_> = curves.iter().map(ResponseCurve::label).collect();
    assert_eq!(labels, ["c", "l"]);
    let asked: Vec<_> = curves[0].points.iter().map(|p| p.asked.unwrap()).collect();
    assert_eq!(asked, [300.0, 1500.0, 2400.0, 2700.0, 3000.0]);
    assert!(curves[0].most.as_ref().unwrap().asked.is_none());
    let list: Vec<_> = curves[1].points.iter().map(|p| p.asked.unwrap()).collect();
    assert_eq!(list, [100.0, 200.0]);
    let saturated: Vec<_> = curves[0]
        .points
        .iter()
        .map(ResponsePoint::saturated)
        .collect();
    assert_eq!(saturated, [false, false, false, false, true]);
}

#[test]
fn knees_by_three_definitions_and_useful_concurrency() {
    let all = curves_of(&curve_run());
    let curve = &all[0];
    assert_eq!(curve.power(), Some(2));
    assert_eq!(curve.within_twice(), Some(2));
    assert!(curve.knee().is_some_and(|k| k >= 2), "{:?}", curve.knee());
    // 3000 a second of about 0.1 ms: less than one I/O at a time.
    let n = curve.useful_concurrency().unwrap();
    assert!((0.28..0.34).contains(&n), "{n}");
    let words = curve.sentence();
    assert!(words.starts_with("c: up to 3,000 IOPS; "), "{words}");
    assert!(words.ends_with("; N* = 1."), "{words}");
}

/// What missed its rate is no knee, however the latency turns there; nor is what comes after a curve that
/// goes backwards.
#[test]
fn a_point_that_missed_its_rate_is_no_knee() {
    let curve = |asked: &[f64], reached: &[(f64, u64)]| {
        let mut curve = curves_of(&curve_run()).remove(0);
        curve.points.truncate(asked.len());
        for ((point, asked), (iops, us)) in curve.points.iter_mut().zip(asked).zip(reached) {
            point.asked = Some(*asked);
            point.figures.data.iops = *iops;
            let service = &mut point.figures.data.service;
            service.clear();
            service.record(us * 1000);
            point.figures.data.response = None;
        }
        curve
    };
    let asked = [1000.0, 2000.0, 3000.0, 4000.0, 5000.0];
    // The bend is at 4,000, of which 3,500 were reached.
    let bend = [
        (1000.0, 100),
        (2000.0, 100),
        (3000.0, 100),
        (3500.0, 110),
        (3600.0, 9000),
    ];
    assert_eq!(curve(&asked, &bend).knee(), None);
    let reached = [
        (1000.0, 100),
        (2000.0, 100),
        (3000.0, 100),
        (4000.0, 110),
        (4100.0, 9000),
    ];
    assert_eq!(curve(&asked, &reached).knee(), Some(3));
    let backwards = [
        (1000.0, 100),
        (2000.0, 110),
        (1900.0, 900),
        (1800.0, 2000),
        (1700.0, 9000),
    ];
    let curve = curve(&asked, &backwards);
    assert_eq!(
        (curve.knee(), curve.power(), curve.within_twice()),
        (None, Some(1), Some(1))
    );
}

/// Arrivals that are drawn: 1,000 a second for 2 s are 2,000, give or take 45.
#[test]
fn a_rate_that_was_missed_by_chance_ends_nothing() {
    let mut curve = curves_of(&curve_run()).remove(0);
    curve.points.truncate(3);
    let reached = [(500.0, 513.0), (1000.0, 970.0), (2000.0, 2040.0)];
    for (point, (asked, iops)) in curve.points.iter_mut().zip(reached) {
        (point.asked, point.figures.data.iops) = (Some(asked), iops);
        point.arrival = Arrival::Poisson;
    }
    assert_eq!(curve.within_twice(), Some(2), "{curve:?}");
    curve.points[1].arrival = Arrival::Constant;
    assert_eq!(curve.within_twice(), Some(0), "{curve:?}");
}

/// One point of it was measured beside other programs: the highest rate is a fact, and nothing follows from the curve.
#[test]
fn of_a_curve_on_which_a_check_failed_nothing_is_concluded() {
    let mut run = curve_run();
    let sound = curves_of(&run).remove(0);
    assert!(sound.power().is_some() && sound.useful_concurrency().is_some());
    run.findings.push(Finding {
        code: "host-busy".to_owned(),
        severity: Severity::Fail,
        stage: Some(sound.points[1].stage),
        workload: None,
        text: String::new(),
        cure: Cure::default(),
    });
    let curve = curves_of(&run).remove(0);
    let places = (curve.knee(), curve.power(), curve.within_twice());
    assert_eq!(places, (None, None, None));
    assert_eq!(curve.useful_concurrency(), None);
    let (before, after) = (sound.sentence(), curve.sentence());
    let highest = before.split(';').next().unwrap();
    let all = curve.points.len() + curve.most.iter().count();
    let said = format!(
        "{highest}; a check failed on 1 of these {all} points, so nothing is concluded from them."
    );
    assert_eq!(after, said);
}

/// The errors of its factors, 1 % each, in whatever units these are: a rate a second, and nanoseconds.
#[test]
fn useful_concurrency_is_as_far_off_as_its_two_factors() {
    let mut curve = curves_of(&curve_run()).remove(0);
    let within = |value: f64| {
        Some(Interval {
            value,
            low: 0.99 * value,
            high: 1.01 * value,
            settled: true,
        })
    };
    let alone = &mut curve.points[0].figures.data;
    alone.certainty.service.mean = within(alone.service.mean());
    let n = curve.useful_concurrency().unwrap();
    let of_one = curve.useful_within().unwrap();
    assert!(!of_one.is_known(), "{of_one:?}");
    for point in curve.points.iter_mut().chain(&mut curve.most) {
        point.figures.data.certainty.iops = within(point.iops());
    }
    let found = curve.useful_within().unwrap();
    assert!((found.value / n - 1.0).abs() < 1e-9, "{found:?}");
    for end in [found.low, found.high] {
        let off = (end / found.value - 1.0).abs();
        assert!((off - 0.01 * 2.0_f64.sqrt()).abs() < 1e-6, "{found:?}");
    }
}

/// Several in flight at the lowest rate: that latency is not one alone.
#[test]
fn useful_concurrency_needs_the_latency_at_depth_1() {
    let mut curve = curves_of(&curve_run()).remove(0);
    curve.points[0].figures.depth_reached = 5.6;
    assert_eq!(curve.useful_concurrency(), None);
    assert!(!curve.sentence().contains("N*"));
}

/// A table of several runs has the N* that the charts of each have.
#[test]
fn useful_concurrency_of_depths_is_that_of_their_curve() {
    use crate::fixture::device::{Device, survey_run};
    use crate::study::{Scope, SurveyOptions, SurveyTarget};
    let place = SurveyTarget::Directory("demo".to_owned());
    let run = survey_run(&Device::default(), SurveyOptions::new(place, Scope::Quick));
    let found = curves_or_depths(&run);
    let wanted = depth_curves(&PointResult::all(&run));
    let wanted: Vec<_> = wanted.iter().map(|c| c.useful_concurrency()).collect();
    assert!(wanted[0].is_some());
    let found: Vec<_> = found
        .iter()
        .map(ResponseCurve::useful_concurrency)
        .collect();
    assert_eq!(found, wanted);
}
