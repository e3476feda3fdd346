//! What the sentences of a survey rest on: points of one level of the volume, and rates that were confirmed.

use leadline_model::cure::Cure;
use leadline_model::event::{Event, Outcome};
use leadline_model::finding::{Finding, Severity};
use leadline_model::units::Nanos;
use leadline_results::fixture::device::{Device, plan, survey_points};
use leadline_results::run::Run;
use leadline_results::stats::Interval;
use leadline_results::study::series::{Rise, depth_curves};
use leadline_results::study::{PointResult, Scope, Survey, SurveyOptions, SurveyTarget, Verdict};
use leadline_results::trust::findings;

/// The points of a survey of a device.
fn points(device: &Device) -> Vec<PointResult> {
    points_of(device, Scope::Quick)
}

/// The same of a survey of this extent.
fn points_of(device: &Device, scope: Scope) -> Vec<PointResult> {
    let place = SurveyTarget::Directory("demo".to_owned());
    let mut options = SurveyOptions::new(place, scope);
    options.seed = Some(42);
    options.time = Nanos::from_secs(3);
    survey_points(device, options)
}

fn named<'a>(points: &'a mut [PointResult], name: &str) -> &'a mut PointResult {
    let is = |p: &&mut PointResult| p.name.starts_with(name);
    points.iter_mut().find(is).expect("a point of this name")
}

/// The highest of several points is high by chance: what a depth reaches is a share of what the confirming run did.
#[test]
fn a_depth_reaches_a_share_of_the_confirmed_rate() {
    let mut points = points(&Device::default());
    let best = depth_curves(&points)[0].best_point().name.clone();
    named(&mut points, &best).figures.data.iops *= 1.03;
    let confirmed = points.iter().rfind(|p| p.name.starts_with("confirm"));
    let confirmed = confirmed.unwrap().iops();
    let curve = depth_curves(&points).remove(0);
    assert_eq!(curve.best_point().name, best);
    for point in &curve.points {
        let share = (point.iops() / confirmed).min(1.0);
        assert!((curve.share(point) - share).abs() < 1e-9, "{}", point.name);
    }
    let range = Verdict::of(&points, &[]).range.unwrap();
    assert!(range.to_use.share >= 0.9, "{range:?}");
    // More than all of it is chance.
    assert!((curve.share(curve.best_point()) - 1.0).abs() < 1e-9);
}

/// A survey that was interrupted before it measured its highest rate once more, or a job, says that this is not confirmed.
#[test]
fn a_highest_rate_that_was_measured_once_is_said_to_be() {
    let mut points = points(&Device::default());
    let said = |points: &[PointResult]| {
        let sentences = Verdict::of(points, &[]).sentences;
        let once = |s: &&String| s.starts_with("The highest rate was not measured once more");
        sentences.iter().filter(once).count()
    };
    assert_eq!(said(&points), 0, "it was");
    let first = points.iter().position(|p| p.name.starts_with("confirm"));
    points.truncate(first.unwrap());
    assert_eq!(said(&points), 1);
    // Of a rate that still rises the deepest is no highest of several.
    let rising = |p: &PointResult| p.setting.in_flight <= 8 && p.setting.random;
    points.retain(rising);
    assert_eq!(depth_curves(&points)[0].rise(), Rise::GoesOn);
    assert_eq!(said(&points), 0);
}

/// By 3.5 standard errors a second measurement may agree, and still lie outside of the first one's interval: that is said.
#[test]
fn a_second_measurement_outside_of_the_interval_of_the_first_is_said() {
    let mut points = points(&Device::default());
    let words = |points: &[PointResult]| Verdict::of(points, &[]).sentences.join(" ");
    let best = depth_curves(&points)[0].to_confirm().name.clone();
    let last = points.iter().rfind(|p| p.name.starts_with("confirm"));
    let last = last.unwrap().name.clone();
    let rate = named(&mut points, &best).iops();
    let set = |point: &mut PointResult, share: f64, half: f64| {
        set_rate(point, rate * share, half);
    };
    set(named(&mut points, &best), 1.0, 0.001);
    set(named(&mut points, &last), 0.975, 0.001);
    let apart = words(&points);
    assert!(apart.contains("Measured once more, depth "), "{apart}");
    assert!(
        apart.contains(": the 95 % intervals do not overlap."),
        "{apart}"
    );
    assert!(depth_curves(&points)[0].confirmed.is_some());
    set(named(&mut points, &last), 0.975, 0.04);
    let wide = words(&points);
    assert!(!wide.contains("Measured once more"), "{wide}");
    // By less than 1 % is no difference.
    set(named(&mut points, &last), 0.995, 0.001);
    let near = words(&points);
    assert!(!near.contains("Measured once more"), "{near}");
}

/// Gives a point a rate whose interval reaches this share to either side.
fn set_rate(point: &mut PointResult, iops: f64, half: f64) {
    let data = &mut point.figures.data;
    data.iops = iops;
    data.certainty.iops = Some(Interval {
        value: iops,
        low: iops * (1.0 - half),
        high: iops * (1.0 + half),
        settled: true,
    });
}

/// The curve of writes is drawn beside that of reads: its highest rate may be as unconfirmed, or confirmed as little.
#[test]
fn the_second_measurement_of_each_curve_is_said() {
    const ONCE: &str = "4 KiB random write: the highest rate was not measured once more, so it may";
    const AGAIN: &str = "4 KiB random write: measured once more, depth ";
    let mut points = points_of(&Device::default(), Scope::Full);
    let words = |points: &[PointResult]| Verdict::of(points, &[]).sentences.join(" ");
    let curve = depth_curves(&points).remove(1);
    let best = curve.to_confirm().name.clone();
    let last = points.last().unwrap().name.clone();
    assert!(last.starts_with("confirm/4k-randwrite"), "{last}");
    let rate = named(&mut points, &best).iops();
    set_rate(named(&mut points, &best), rate, 0.001);
    set_rate(named(&mut points, &last), rate, 0.001);
    let agreed = words(&points);
    assert!(
        !agreed.contains(ONCE) && !agreed.contains(AGAIN),
        "{agreed}"
    );
    set_rate(named(&mut points, &last), rate * 0.975, 0.001);
    let apart = words(&points);
    assert!(apart.contains(AGAIN), "{apart}");
    assert!(
        apart.contains(": the 95 % intervals do not overlap."),
        "{apart}"
    );
    points.pop();
    let once = words(&points);
    assert!(once.contains(ONCE), "{once}");
    // That of reads is confirmed all the same.
    assert!(!once.contains("The highest rate was not"), "{once}");
    // A check that failed on one of its points withholds what rests on it.
    let failed = Finding {
        code: "host-busy".to_owned(),
        severity: Severity::Fail,
        stage: Some(curve.points[1].stage),
        workload: None,
        text: String::new(),
        cure: Cure::default(),
    };
    let withheld = Verdict::of(&points, &[failed]).sentences.join(" ");
    assert!(!withheld.contains(ONCE), "{withheld}");
}

/// A survey of a device that is another one from the stage of this name on.
fn changing(first: &Device, until: &str, later: &Device) -> Run {
    let place = SurveyTarget::Directory("demo".to_owned());
    let mut options = SurveyOptions::new(place, Scope::Standard);
    options.seed = Some(42);
    options.time = Nanos::from_secs(3);
    let (mut run, mut survey) = (Run::default(), Survey::new(options));
    run.apply(&Event::RunStarted {
        plan: Box::new(plan("survey of demo", Vec::new())),
        wall_ms: 1_790_000_000_000,
    });
    let (mut at, mut device) = (Nanos::ZERO, first);
    for number in 0..200 {
        let Some(stage) = survey.next(&PointResult::all(&run)) else {
            break;
        };
        if stage.name.starts_with(until) {
            device = later;
        }
        let mut events = vec![Event::StageAdded(Box::new(stage.clone()))];
        at = device.run(number, &stage, at, &mut events);
        events.iter().for_each(|e| run.apply(e));
    }
    run.apply(&Event::RunEnded {
        at,
        outcome: Outcome::Complete,
    });
    run
}

/// What `repeats-differ` says of a run.
fn differs(run: &Run) -> String {
    let found = findings(run);
    let one = found.iter().find(|f| f.code == "repeats-differ");
    one.map_or_else(String::new, |f| f.text.clone())
}

/// The writes of one kind are measured once, the mixes of them later: these say at which rate of writes.
#[test]
fn writes_are_compared_with_what_mixes_make_of_them() {
    let fast = Device::default();
    let [reads, writes] = fast.cap;
    let worn = Device {
        cap: [reads, writes / 4.0],
        ..fast
    };
    let text = differs(&changing(&fast, "throughput/64k-write", &worn));
    assert!(
        text.contains("agree on 5,5") && text.contains("0 IOPS for writes alone"),
        "{text}"
    );
    assert_eq!(differs(&changing(&fast, "throughput/64k-write", &fast)), "");
    assert_eq!(differs(&changing(&worn, "throughput/64k-write", &worn)), "");
    // By a tenth is no other level.
    let nearly = Device {
        cap: [reads, writes * 0.9],
        ..fast
    };
    assert_eq!(
        differs(&changing(&fast, "throughput/64k-write", &nearly)),
        ""
    );
}

/// With a knee beyond depth 32, writes are measured at a deeper queue once more.
#[test]
fn writes_of_a_deeper_queue_are_no_slower() {
    let fast = Device {
        cap: [250_000.0, 90_000.0],
        bytes_cap: 1e12,
        ..Device::default()
    };
    let worn = Device {
        cap: [250_000.0, 20_000.0],
        ..fast
    };
    let text = differs(&changing(&fast, "throughput/64k-write", &worn));
    assert!(text.contains("later and with more in flight"), "{text}");
    assert_eq!(differs(&changing(&fast, "throughput/64k-write", &fast)), "");
}

/// The latency of one I/O alone is of the level that the curve has, or there is no N*.
#[test]
fn useful_concurrency_is_of_one_level() {
    let fast = Device {
        cap: [200_000.0, 22_000.0],
        ..Device::default()
    };
    let slow = Device {
        alone: [0.001, 0.001],
        ..fast
    };
    let of = |first: &Device, later: &Device| {
        let run = changing(first, "iops/", later);
        let points = PointResult::all(&run);
        (depth_curves(&points).remove(0), Verdict::of(&points, &[]))
    };
    for (first, later) in [(&fast, &slow), (&slow, &fast)] {
        let (curve, verdict) = of(first, later);
        assert!(curve.alone_of_another && curve.alone.is_none());
        assert!(verdict.useful_concurrency.is_none());
        let words = verdict.sentences.join(" ");
        assert!(
            words.contains("is not known: one I/O at a time was measured while"),
            "{words}"
        );
    }
    let (curve, verdict) = of(&fast, &fast);
    assert!(!curve.alone_of_another && verdict.useful_concurrency.is_some());
}

/// A check that says the rate moved while it was confirmed is believed.
#[test]
fn what_moved_was_not_held() {
    let points = points(&Device::default());
    let confirmed = points
        .iter()
        .rfind(|p| p.name.starts_with("confirm"))
        .unwrap();
    let drift = |stage: u32| Finding {
        code: "drift".to_owned(),
        severity: Severity::Warn,
        stage: Some(stage),
        workload: None,
        text: String::new(),
        cure: Cure::none(),
    };
    let words = |findings: &[Finding]| Verdict::of(&points, findings).sentences.join(" ");
    assert!(words(&[]).contains("without a fall"));
    let moved = words(&[drift(confirmed.stage)]);
    assert!(
        !moved.contains("without a fall") && moved.contains("(see drift)"),
        "{moved}"
    );
    // Of another stage it says nothing of this rate.
    assert!(words(&[drift(confirmed.stage - 1)]).contains("without a fall"));
}
