//! The survey as a state machine, against a device on paper.

use leadline_model::cure::Cure;
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::Op;
use leadline_model::plan::{EngineKind, OpMix, Target};
use leadline_model::units::{Nanos, Percent};
use leadline_results::fixture::device::{Device, plan, plan_run, survey_points, survey_run};
use leadline_results::study::limit::Deciding;
use leadline_results::study::series::depth_curves;
use leadline_results::study::{
    Cause, Certainty, Confirmation, PointResult, Scope, Setting, Survey, SurveyOptions,
    SurveyTarget, Verdict,
};
use leadline_results::summary::processors::ProcessorLoad;
use std::collections::HashSet;

fn options(scope: Scope) -> SurveyOptions {
    let place = SurveyTarget::Directory("demo".to_owned());
    let mut options = SurveyOptions::new(place, scope);
    options.seed = Some(42);
    // Long points say nothing more here and take longer to make up.
    options.time = options.time.min(Nanos::from_secs(3));
    options
}

fn names(points: &[PointResult]) -> Vec<&str> {
    points.iter().map(|p| p.name.as_str()).collect()
}

fn cause(verdict: &Verdict) -> Option<Cause> {
    verdict
        .limit
        .as_ref()
        .and_then(leadline_results::study::Limit::cause)
}

fn depths(points: &[PointResult], family: &str) -> Vec<u32> {
    let of = points.iter().filter(|p| p.name.starts_with(family));
    of.map(|p| p.setting.depth).collect()
}

#[test]
fn the_standard_survey_measures_what_it_says_in_this_order() {
    let points = survey_points(&Device::default(), options(Scope::Standard));
    assert_eq!(
        names(&points),
        [
            "fill/1m-write-qd32",
            "latency/4k-randwrite-qd1",
            "latency/4k-randread-qd1",
            "iops/4k-randread-qd32",
            "iops/4k-randwrite-qd32",
            "throughput/64k-read-qd32",
            "throughput/64k-write-qd32",
            "depth/4k-randread-qd2",
            "depth/4k-randread-qd4",
            "depth/4k-randread-qd8",
            "depth/4k-randread-qd16",
            "depth/4k-randread-qd64",
            "mix/4k-randrw75-qd32",
            "mix/4k-randrw50-qd32",
            "mix/4k-randrw25-qd32",
            "confirm/4k-randread-qd64",
            "burst/4k-randread-qd1-paused",
            "burst/4k-randread-qd10-paused",
            "burst/4k-randread-qd40-paused",
            "size/16k-randread-qd64",
            "confirm-2/4k-randread-qd64",
        ]
    );
}

#[test]
fn the_scale_up_goes_to_the_cap_when_nothing_stops_it() {
    let device = Device {
        cap: [1e9, 1e9],
        bytes_cap: 1e15,
        ..Device::default()
    };
    let mut options = options(Scope::Quick);
    options.time = Nanos::from_millis(20);
    options.warmup = Nanos::ZERO;
    options.depth_cap = 256;
    let points = survey_points(&device, options);
    assert_eq!(depths(&points, "depth"), [2, 4, 8, 16, 64, 128, 256]);
    let verdict = Verdict::of(&points, &[]);
    assert_eq!(verdict.knee_depth, Some(256));
}

/// A limit just below the largest depth: the experiments need the end of the rise, which is four times as deep at most.
#[test]
fn a_rise_that_bends_at_the_largest_depth_is_followed_to_its_end() {
    let mut options = options(Scope::Quick);
    options.time = Nanos::from_millis(500);
    options.depth_cap = 64;
    let of = |iops: f64| {
        let device = Device {
            cap: [iops, iops],
            bytes_cap: 1e15,
            ..Device::default()
        };
        let points = survey_points(&device, options.clone());
        (depths(&points, "depth"), Verdict::of(&points, &[]))
    };
    let reached = |of: &[u32]| of.last().copied();
    let (depths, verdict) = of(150_000.0);
    assert_eq!(reached(&depths), Some(256), "{depths:?}");
    assert!(verdict.limit.is_some_and(|limit| limit.held > Nanos::ZERO));
    let (depths, _) = of(1e9);
    assert_eq!(reached(&depths), Some(64), "{depths:?}");
}

#[test]
fn the_scale_up_of_a_device_that_serves_one_at_a_time_ends_at_once() {
    let device = Device {
        cap: [1.0 / 0.000_21, 1.0 / 0.000_34],
        ..Device::default()
    };
    let points = survey_points(&device, options(Scope::Quick));
    // 1 is known from the latency point; 2 gains a little by the soft knee, 4 and 8 do not.
    assert_eq!(depths(&points, "depth"), [2, 4, 8]);
}

#[test]
fn every_stage_reads_and_writes_the_filled_files_with_a_seed_of_its_own() {
    let run = survey_run(&Device::default(), options(Scope::Quick));
    let stages = run.plan.unwrap().stages;
    let mut seeds = HashSet::new();
    for stage in &stages {
        let [w] = stage.workloads.as_slice() else {
            panic!("one workload a stage");
        };
        assert!(w.blocks().open.direct && w.engine.kind == EngineKind::IoUring);
        assert!(
            seeds.insert(w.blocks().access.seed),
            "{} repeats a seed",
            stage.name
        );
        let Target::Files(files) = &w.blocks().target else {
            panic!("files of its own");
        };
        assert_eq!(files.pattern, "leadline-survey.$jobnum.$filenum");
        assert_eq!(files.directories, ["demo"]);
    }
    assert_eq!(stages[0].workloads[0].blocks().mix, OpMix::Only(Op::Write));
    assert!(
        stages[0].workloads[0].stop.runtime.is_none(),
        "the fill runs to its end"
    );
    assert!(stages[1..].iter().all(|s| s.workloads[0].stop.time_based));
}

#[test]
fn quick_is_shorter_and_full_is_longer() {
    let count = |scope| survey_points(&Device::default(), options(scope)).len();
    // Of which six look for the cause of the limit.
    assert_eq!(count(Scope::Quick), 19);
    assert_eq!(count(Scope::Standard), 21);
    let mut full = options(Scope::Full);
    full.time = Nanos::from_millis(50);
    full.warmup = Nanos::ZERO;
    let points = survey_points(&Device::default(), full);
    assert_eq!(
        points.iter().filter(|p| p.name.starts_with("mix")).count(),
        9
    );
    assert!(names(&points).contains(&"iops/8k-randwrite-qd32"));
    assert!(names(&points).contains(&"throughput/256k-read-qd32"));
    assert!(names(&points).contains(&"depth/4k-randwrite-qd2"));
    // The highest rate of each curve is measured once more: of writes after the experiments, which are about reads.
    let last = names(&points).last().copied();
    assert!(
        last.is_some_and(|name| name.starts_with("confirm/4k-randwrite-qd")),
        "{last:?}"
    );
    let curves = depth_curves(&points);
    assert!(curves.len() == 2 && curves.iter().all(|curve| curve.confirmed.is_some()));
}

#[test]
fn the_standard_survey_is_expected_within_three_minutes_even_to_the_cap() {
    let place = SurveyTarget::Directory("demo".to_owned());
    let standard = Survey::new(SurveyOptions::new(place.clone(), Scope::Standard));
    let estimate = standard.remaining(&[]);
    assert!(estimate < Nanos::from_secs(180), "{estimate}");
    assert!(estimate > Nanos::from_secs(90), "{estimate}");
    let quick = Survey::new(SurveyOptions::new(place, Scope::Quick));
    assert!(quick.remaining(&[]) < Nanos::from_secs(60));
}

/// What is left falls by one point from each to the next: what is at work is neither done nor given up.
#[test]
fn what_is_left_of_a_survey_falls_evenly() {
    what_is_left_falls_evenly(options(Scope::Standard));
    let mut full = options(Scope::Full);
    full.time = Nanos::from_millis(50);
    full.warmup = Nanos::ZERO;
    what_is_left_falls_evenly(full);
}

fn what_is_left_falls_evenly(options: SurveyOptions) {
    let points = survey_points(&Device::default(), options.clone());
    let mut survey = Survey::new(options);
    let mut left = Vec::new();
    for done in 0..=points.len() {
        let Some(stage) = survey.next(&points[..done]) else {
            break;
        };
        left.push((stage.name, survey.remaining(&points[..done]).as_secs_f64()));
    }
    let experiments = |name: &str| !name.starts_with("depth") && !name.starts_with("mix");
    let first = left[1].1;
    for pair in left[1..].windows(2) {
        let fall = pair[0].1 - pair[1].1;
        // A curve that ends earlier than was thought spares two points.
        assert!((-0.1..=0.15 * first).contains(&fall), "{left:?}");
        assert!(pair[0].1 > 0.0 || experiments(&pair[0].0), "{left:?}");
    }
}

#[test]
fn a_slow_fill_shortens_the_points_so_that_the_whole_keeps_its_budget() {
    let slow = Device {
        bytes_cap: 10e6,
        ..Device::default()
    };
    let place = SurveyTarget::Directory("demo".to_owned());
    let run = survey_run(&slow, SurveyOptions::new(place, Scope::Standard));
    assert!(run.stages[0].end.unwrap() > Nanos::from_secs(100));
    assert!(run.length < Nanos::from_secs(180), "{}", run.length);
    let time = run.plan.unwrap().stages[3].workloads[0]
        .stop
        .runtime
        .unwrap();
    assert!(
        time < Nanos::from_secs(5) && time >= Nanos::from_secs(1),
        "{time}"
    );
}

#[test]
fn a_point_without_a_result_is_not_tried_again() {
    let mut survey = Survey::new(options(Scope::Standard));
    let mut seen = HashSet::new();
    while let Some(stage) = survey.next(&[]) {
        assert!(seen.insert(stage.name.clone()), "{} came twice", stage.name);
    }
    assert!(seen.contains("iops/4k-randread-qd32"));
}

#[test]
fn jobs_multiply_all_points_but_the_lone_ones() {
    let mut options = options(Scope::Quick);
    options.jobs = 4;
    let points = survey_points(&Device::default(), options);
    // A burst is that of one worker: those of several would not begin at once.
    let lone = |p: &PointResult| p.name.starts_with("burst") || p.setting.in_flight == 1;
    assert!(points.iter().all(|p| p.setting.jobs == 4 || lone(p)));
    assert!(names(&points).contains(&"depth/4k-randread-qd1-j4"));
}

#[test]
fn the_verdict_names_latency_knee_useful_concurrency_and_limit() {
    let points = survey_points(&Device::default(), options(Scope::Standard));
    let verdict = Verdict::of(&points, &leadline_results::fixture::device::findings());
    insta::assert_snapshot!(verdict.sentences.join("\n"));
    assert_eq!(verdict.knee_depth, Some(16));
    let useful = verdict.useful_concurrency.unwrap().value;
    assert!((9.0..12.0).contains(&useful), "{useful}");
    let limit = verdict.limit.unwrap();
    // One stage that takes as long for each I/O would be the same.
    assert_eq!(limit.possible, [Cause::IopsCap, Cause::Parallelism]);
    assert_eq!(limit.cause(), Some(Cause::IopsCap));
    assert_eq!((limit.certainty, limit.decides), (Certainty::Likely, None));
    assert!((limit.iops / 48_000.0 - 1.0).abs() < 0.01, "{}", limit.iops);
    // Without the experiments nothing shows which of them it is.
    let is_curve = |p: &PointResult| !p.name.starts_with("confirm") && !p.name.contains("size");
    let curve: Vec<_> = points.into_iter().filter(is_curve).collect();
    let verdict = Verdict::of(&curve, &[]);
    let limit = verdict.limit.unwrap();
    assert_eq!(
        (limit.possible.len(), limit.certainty),
        (5, Certainty::Unknown)
    );
    let words = verdict.sentences.join(" ");
    assert!(words.contains("Bottleneck unknown"), "{words}");
}

/// A failed check withholds the answer of the points that it is about, and no other.
#[test]
fn what_failed_is_no_part_of_an_answer_and_other_answers_stay() {
    let points = survey_points(&Device::default(), options(Scope::Standard));
    let failed = |of: &dyn Fn(&PointResult) -> bool| -> Vec<Finding> {
        let one = |p: &PointResult| Finding {
            code: "io-errors".to_owned(),
            severity: Severity::Fail,
            stage: Some(p.stage),
            workload: None,
            text: String::new(),
            cure: Cure::none(),
        };
        points.iter().filter(|p| of(p)).map(one).collect()
    };
    let whole = Verdict::of(&points, &[]);
    assert!(whole.limit.is_some() && whole.mix.is_some());
    // A mix: its law is withheld.
    let verdict = Verdict::of(&points, &failed(&|p| p.name.starts_with("mix")));
    assert_eq!(verdict.mix, None);
    assert_eq!(
        (&verdict.limit, verdict.knee_depth),
        (&whole.limit, whole.knee_depth)
    );
    let words = verdict.sentences.join(" ");
    assert!(
        words.contains("Mix of reads and writes unknown: a check failed on "),
        "{words}"
    );
    assert!(words.contains("(io-errors)"), "{words}");
    // An experiment: the limit, the knee and what is made of them.
    let verdict = Verdict::of(&points, &failed(&|p| p.name.starts_with("size")));
    assert_eq!(
        (
            &verdict.limit,
            verdict.knee_depth,
            verdict.useful_concurrency
        ),
        (&None, None, None)
    );
    assert_eq!(verdict.mix, whole.mix);
    let words = verdict.sentences.join(" ");
    assert!(
        words.contains("Bottleneck unknown: a check failed on 1 of the "),
        "{words}"
    );
    // A depth that ended before its window: the curve stops short of it.
    let mut short = points.clone();
    let deepest = short.iter_mut().find(|p| p.name == "iops/4k-randread-qd32");
    deepest.unwrap().figures.data.ios = 0;
    let of_it = failed(&|p| p.name == "iops/4k-randread-qd32");
    let verdict = Verdict::of(&short, &of_it);
    assert_eq!((&verdict.limit, verdict.knee_depth), (&None, None));
    assert!(
        verdict.sentences.join(" ").contains("Bottleneck unknown"),
        "{:?}",
        verdict.sentences
    );
    assert!(Verdict::of(&short, &[]).limit.is_some());
    // One I/O alone at a time: its latency is not said.
    let verdict = Verdict::of(
        &points,
        &failed(&|p| p.name.contains("latency/4k-randwrite")),
    );
    let first = &verdict.sentences[0];
    assert!(
        first.contains("random read takes") && !first.contains("write"),
        "{first}"
    );
    assert_eq!(verdict.limit, whole.limit);
    // All of them: no answer at all.
    let verdict = Verdict::of(&points, &failed(&|_| true));
    assert_eq!((&verdict.limit, &verdict.mix), (&None, &None));
    assert!(
        verdict.sentences.iter().all(|s| s.contains("unknown")),
        "{:?}",
        verdict.sentences
    );
}

/// The same work by one worker, one I/O at a time.
fn one_of(setting: &Setting) -> Setting {
    Setting {
        depth: 1,
        jobs: 1,
        in_flight: 1,
        ..setting.clone()
    }
}

/// With eight jobs the curve begins at eight in flight: one alone is what the latency points measured.
#[test]
fn useful_concurrency_uses_the_latency_at_depth_1_of_one_job() {
    let mut options = options(Scope::Standard);
    options.jobs = 8;
    let points = survey_points(&Device::default(), options);
    let curve = &depth_curves(&points)[0];
    assert!(curve.points.iter().all(|p| p.setting.in_flight >= 8));
    let alone = points
        .iter()
        .find(|p| p.name.starts_with("latency") && p.setting == one_of(&curve.setting));
    let confirmed = points.iter().rfind(|p| p.name.starts_with("confirm"));
    let expected = confirmed.unwrap().iops() * alone.unwrap().mean_latency_s();
    let useful = Verdict::of(&points, &[]).useful_concurrency.unwrap().value;
    assert!(
        (useful / expected - 1.0).abs() < 1e-9,
        "{useful} {expected}"
    );
    // To the nearest: 20,000 a second of 500 us are 10 and not 11.
    let words = Verdict::of(&points, &[]).sentences.join(" ");
    let whole = format!("At least {expected:.0} in flight");
    assert!(words.contains(&whole), "{words}");
}

/// A quota of 1,000 a second leaves a volume of 208 us idle most of the time: N* is 0.2, and no number in flight.
#[test]
fn a_rate_that_less_than_one_in_flight_would_reach_needs_one() {
    let device = Device {
        cap: [1000.0, 1000.0],
        ..Device::default()
    };
    let verdict = Verdict::of(&survey_points(&device, options(Scope::Standard)), &[]);
    assert!(verdict.useful_concurrency.unwrap().value < 1.0);
    let words = verdict.sentences.join(" ");
    let least = "The minimum number of I/Os in flight for 999 IOPS";
    assert!(words.contains(least), "{words}");
    assert!(words.contains("is less than one on average"), "{words}");
    assert!(
        words.contains("of an I/O after a pause; Little's law)"),
        "{words}"
    );
    assert!(!words.contains("At least 1 in flight"), "{words}");
}

#[test]
fn the_limit_is_what_was_busy() {
    let limit = |device: Device| {
        cause(&Verdict::of(
            &survey_points(&device, options(Scope::Quick)),
            &[],
        ))
    };
    let busy = Device {
        cpu: 100_000.0 / 48_000.0,
        ..Device::default()
    };
    assert_eq!(limit(busy), Some(Cause::Generator));
    let uneven = Device {
        noise: 0.12,
        ..Device::default()
    };
    // Noise may hide the cause; it does not make it another.
    let noisy = Verdict::of(&survey_points(&uneven, options(Scope::Quick)), &[]);
    assert!(noisy.limit.unwrap().possible.contains(&Cause::IopsCap));
    // Others fill the host: no worker is busy, and no limit can be determined.
    let mut points = survey_points(&uneven, options(Scope::Quick));
    for point in &mut points {
        point.load = Some(ProcessorLoad {
            host: 0,
            busy: 0.97,
            own: 0.2,
        });
    }
    let verdict = Verdict::of(&points, &[]);
    assert_eq!(cause(&verdict), Some(Cause::Host));
    assert!(verdict.sentences.join(" ").contains("Bottleneck unknown"));
    let wide = Device {
        cap: [1e7, 1e7],
        cpu: 0.001,
        ..Device::default()
    };
    let mut small = options(Scope::Quick);
    small.depth_cap = 8;
    small.depth = 8;
    small.time = Nanos::from_millis(500);
    let possible = |options: SurveyOptions| {
        let verdict = Verdict::of(&survey_points(&wide, options), &[]);
        verdict.limit.unwrap().possible
    };
    // All of the set may be in a cache, unless what is beside it is as fast.
    assert_eq!(possible(small.clone()), [Cause::Concurrency, Cause::Cache]);
    small.place = SurveyTarget::Paths(vec!["disk".to_owned()]);
    small.target_size = Some(small.size * 2 - 1);
    assert_eq!(possible(small.clone()), [Cause::Concurrency, Cause::Cache]);
    small.target_size = Some(small.size * 2);
    assert_eq!(possible(small), [Cause::Concurrency]);
}

/// What was left open is decided by the old evidence and the new together.
#[test]
fn a_continued_survey_runs_the_experiment_that_decides() {
    let options = options(Scope::Quick);
    let mut points = survey_points(&Device::default(), options.clone());
    let end = points.len();
    points.retain(|p| !p.name.starts_with("burst"));
    let limit = Verdict::of(&points, &[]).limit.unwrap();
    let left = [Cause::IopsCap, Cause::Parallelism, Cause::Slots];
    assert_eq!(
        (limit.possible.as_slice(), limit.decides),
        (left.as_slice(), Some(Deciding::Bursts))
    );
    let mut again = Confirmation::new(options, Deciding::Bursts, &points).unwrap();
    let before = points.len();
    while let Some(stage) = again.next(&points) {
        let plan = plan("again", vec![stage]);
        points.extend(PointResult::all(&plan_run(&Device::default(), plan)));
        assert!(points.len() < end + 10, "it does not end");
    }
    assert_eq!(
        names(&points[before..]),
        [
            "fill-3/1m-write-qd32",
            "confirm-3/4k-randread-qd32",
            "burst-3/4k-randread-qd1-paused",
            "burst-3/4k-randread-qd10-paused",
            "burst-3/4k-randread-qd40-paused",
            "confirm-4/4k-randread-qd32",
        ]
    );
    let limit = Verdict::of(&points, &[]).limit.unwrap();
    assert_eq!(
        (limit.possible.as_slice(), limit.certainty, limit.decides),
        (
            [Cause::IopsCap, Cause::Parallelism].as_slice(),
            Certainty::Likely,
            None
        )
    );
    let named = |part: &str| limit.evidence.iter().any(|e| e.starts_with(part));
    assert!(named("size/") && named("burst-3/"), "{:?}", limit.evidence);
    // Where they had shown nothing, the same experiment is not recommended again.
    points.retain(|p| !p.name.starts_with("burst-3") || p.setting.depth == 1);
    let verdict = Verdict::of(&points, &[]);
    let words = verdict.sentences.join(" ");
    let limit = verdict.limit.unwrap();
    assert_eq!(
        (limit.possible.as_slice(), limit.decides),
        (left.as_slice(), None)
    );
    assert!(
        words.contains("none left that would decide")
            && !words.contains("runs the experiment that would decide"),
        "{words}"
    );
}

#[test]
fn a_curve_that_rises_only_by_waiting_is_not_bound_by_concurrency() {
    // A device whose rate grows by a tenth with each doubling: latency nearly doubles each time.
    let mut options = options(Scope::Quick);
    options.depth_cap = 8;
    options.depth = 8;
    let mut points = survey_points(&Device::default(), options);
    for point in points
        .iter_mut()
        .filter(|p| p.setting.read_percent == Some(Percent::ALL) && p.setting.random)
    {
        let doublings = f64::from(point.setting.depth).log2();
        let stretched = 0.000_2 * 1.8_f64.powf(doublings);
        point.figures.data.iops = f64::from(point.setting.depth) / stretched;
        let service = &mut point.figures.data.service;
        service.clear();
        service.record(format!("{:.0}", stretched * 1e9).parse().expect("digits"));
    }
    let verdict = Verdict::of(&points, &[]);
    assert_eq!(cause(&verdict), None);
    assert!(
        verdict
            .sentences
            .join(" ")
            .contains("Most of the latency is queueing")
    );
    assert_eq!(verdict.knee_depth, Some(8));
    // One step of less than 5 % is not yet the end of the rise: the deepest is reported, not the one before.
    let mut slower = points.clone();
    for point in slower.iter_mut().filter(|p| p.setting.depth == 8) {
        point.figures.data.iops *= 0.93;
    }
    assert_eq!(Verdict::of(&slower, &[]).knee_depth, Some(8));
    assert!(
        verdict
            .sentences
            .iter()
            .any(|s| s.contains("still rising: the last step gained 11 %"))
    );
}

#[test]
fn a_rate_that_fell_or_stayed_at_the_last_step_is_not_rising() {
    let mut options = options(Scope::Quick);
    options.depth_cap = 8;
    options.depth = 8;
    let wide = Device {
        cap: [1e7, 1e7],
        cpu: 0.001,
        ..Device::default()
    };
    let points = survey_points(&wide, options);
    let verdict_of = |of_depth_4: f64| {
        let mut points = points.clone();
        let at = |points: &[PointResult], depth| {
            let curve = |p: &&PointResult| p.name.starts_with("depth") && p.setting.depth == depth;
            points.iter().find(curve).map(PointResult::iops)
        };
        let four = at(&points, 4).unwrap();
        let deepest = |p: &&mut PointResult| p.setting.depth == 8 && p.setting.random;
        for point in points.iter_mut().filter(deepest) {
            point.figures.data.iops = four * of_depth_4;
        }
        Verdict::of(&points, &[])
    };
    // A gain within the intervals of both depths is not shown, in the verdict as on the page; nor is a cause.
    let mut noisy = points.clone();
    for point in noisy.iter_mut().filter(|p| p.setting.depth >= 4) {
        let rate = point.figures.data.iops;
        point.figures.data.certainty.iops = Some(leadline_results::stats::Interval {
            value: rate,
            low: 0.5 * rate,
            high: 1.5 * rate,
            settled: true,
        });
    }
    let noisy = Verdict::of(&noisy, &[]);
    let words = noisy.sentences.join(" ");
    assert!(
        words.contains("whether they still rise is not shown") && noisy.limit.is_none(),
        "{words}"
    );
    let fell = verdict_of(0.7);
    assert_eq!(fell.knee_depth, Some(4));
    assert!(fell.sentences.join(" ").contains("stop rising at depth 4"));
    // The page says so once, and nothing else of the rise.
    let stood = verdict_of(0.99);
    let words = stood.sentences.join(" ");
    assert!(
        !words.contains("still rising") && !words.contains("still brings"),
        "{words}"
    );
    assert_eq!(stood.knee_depth, Some(8));
    assert!(
        stood
            .sentences
            .join(" ")
            .contains("the last step gained nothing")
    );
    assert!(
        verdict_of(1.5)
            .sentences
            .join(" ")
            .contains("the last step gained 50 %")
    );
}

#[test]
fn nothing_measured_has_no_verdict() {
    assert_eq!(Verdict::of(&[], &[]), Verdict::default());
}
