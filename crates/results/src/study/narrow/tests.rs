//! When a point ends: series of which the interval is known by arithmetic.

use super::*;
use crate::fixture::{plan, workload};
use leadline_model::event::Event;
use leadline_model::op::Op;
use leadline_model::plan::{Arrival, OpMix};
use leadline_model::sample::Counts;
use leadline_model::seed::SplitMix;

const SECOND: Nanos = Nanos::SECOND;

/// A run of one point of 20 s that may end when its figures are known within 2 %, before its first interval.
fn begun(pace: Option<f64>) -> Run {
    let mut read = workload("read", OpMix::reads(), 4096, 8, 20);
    if let Some(rate) = pace {
        read.pace = Pace::Open {
            rates: leadline_model::op::PerOp::splat(None),
            arrival: Arrival::Constant,
            together: Some(Rate::Iops(rate)),
            schedule: Vec::new(),
        };
    }
    let mut plan = plan(vec![("point", vec![read])]);
    let_end(&mut plan.stages[0], Nanos::from_secs(20), 20_000, None);
    let mut run = Run::default();
    run.apply(&Event::RunStarted {
        plan: Box::new(plan),
        wall_ms: 0,
    });
    run.apply(&Event::StageStarted {
        stage: 0,
        at: Nanos::ZERO,
        wall_ms: 0,
    });
    run
}

/// Slices of a tenth of a second, each with this many I/Os of 1 ms; how many there are when the point may end.
fn ends_after(run: &mut Run, slices: impl Iterator<Item = u64>) -> Option<usize> {
    ends_with_late(run, slices, 0)
}

/// The same where in each slice this many of the I/Os were submitted late.
fn ends_with_late(run: &mut Run, slices: impl Iterator<Item = u64>, late: u64) -> Option<usize> {
    for (number, ios) in slices.enumerate() {
        let mut counts = Counts {
            late,
            ..Counts::default()
        };
        (0..ios).for_each(|_| counts.op_mut(Op::Read).service.record(1_000_000));
        counts.op_mut(Op::Read).ios = ios;
        run.apply(&Event::Interval(Box::new(Sample {
            host: 0,
            stage: 0,
            workload: 0,
            interval: number as u64,
            start: Nanos(number as u64 * 100_000_000),
            length: Nanos::from_millis(100),
            warmup: false,
            counts,
            workers: Vec::new(),
            moments: Vec::new(),
        })));
        if may_end(run) {
            return Some(number + 1);
        }
    }
    None
}

/// Independent values around `mean`, each with equal chance within `half` of it.
fn noise(seed: u64, mean: u64, half: u64) -> impl Iterator<Item = u64> {
    let mut random = SplitMix::new(seed);
    std::iter::repeat_with(move || mean - half + random.bits() % (2 * half + 1))
}

#[test]
fn a_point_takes_a_quarter_of_its_time_to_four_times_as_long() {
    let time = Nanos::from_secs(20);
    assert_eq!(least(time), Nanos::from_secs(5));
    assert_eq!(longest(time, None), Nanos::from_secs(80));
    // With a budget it takes what others left, and gives back what others took.
    assert_eq!(longest(time, Some(0)), time);
    assert_eq!(longest(time, Some(7_000_000_000)), Nanos::from_secs(27));
    assert_eq!(longest(time, Some(i128::MAX / 2)), Nanos::from_secs(80));
    assert_eq!(longest(time, Some(-9_000_000_000)), Nanos::from_secs(11));
    assert_eq!(longest(time, Some(i128::MIN / 2)), least(time));
    // A short one has 64 slices of 20 ms at the least.
    assert_eq!(least(Nanos::from_secs(2)), Nanos::from_millis(1280));
    assert_eq!(least(SECOND), SECOND);
}

#[test]
fn the_shortest_point_has_64_slices() {
    assert_eq!(slice(Nanos::from_secs(64), false), SECOND);
    assert_eq!(slice(Nanos::from_secs(64), true), Nanos::from_millis(250));
    assert_eq!(slice(Nanos::from_secs(2), true), Nanos::from_millis(20));
}

#[test]
fn a_running_point_is_checked_after_each_quarter_more() {
    let at = |n: u64| Nanos::from_millis(n * 100);
    let looks = (1..=1000).filter(|n| is_time_to_look(at(n - 1), at(*n), at(50)));
    let looks: Vec<u64> = looks.collect();
    // 50, 62.5, 78.1, 97.7, ... rounded up.
    assert_eq!(looks[..5], [50, 63, 79, 98, 123]);
    assert_eq!(looks.len(), 14, "{looks:?}");
}

#[test]
fn a_steady_point_ends_at_the_first_look() {
    assert_eq!(
        ends_after(&mut begun(None), std::iter::repeat_n(100, 800)),
        Some(50)
    );
}

#[test]
fn noise_takes_the_time_that_its_width_needs() {
    // Equal chance within 60 of 100: a standard deviation of 35 %. Within 2 % is 1.98 * 35 / sqrt(n): 1,180 slices of
    // independent values, which 800 do not hold; within 20 of 100 (11.8 %) it is 137.
    assert_eq!(
        ends_after(&mut begun(None), noise(1, 100, 60).take(800)),
        None
    );
    let narrow: Vec<usize> = (0..20)
        .filter_map(|seed| ends_after(&mut begun(None), noise(seed, 100, 20).take(800)))
        .collect();
    assert_eq!(narrow.len(), 20);
    let mut sorted = narrow;
    sorted.sort_unstable();
    assert!((98..=240).contains(&sorted[10]), "{sorted:?}");
}

#[test]
fn a_point_that_drifts_or_is_idle_does_not_end_early() {
    // From 100 to 200: never independent of what was before.
    assert_eq!(
        ends_after(&mut begun(None), (0..800).map(|n| 100 + n / 8)),
        None
    );
    assert_eq!(
        ends_after(&mut begun(None), std::iter::repeat_n(0, 800)),
        None
    );
}

#[test]
fn a_point_whose_arrivals_differ_from_the_plan_does_not_end_early() {
    // 100 in a tenth of a second are 1,000 a second.
    assert_eq!(
        ends_after(&mut begun(Some(1000.0)), std::iter::repeat_n(100, 800)),
        Some(50)
    );
    assert_eq!(
        ends_after(&mut begun(Some(1030.0)), std::iter::repeat_n(100, 800)),
        None
    );
    let with_late = |late| {
        let slices = std::iter::repeat_n(100, 800);
        ends_with_late(&mut begun(Some(1000.0)), slices, late)
    };
    assert_eq!(with_late(1), Some(50));
    assert_eq!(with_late(2), None);
}

#[test]
fn a_point_that_has_its_time_does_not_end_early() {
    let mut run = begun(None);
    let plan = run.plan.as_mut().unwrap();
    plan.stages[0].until.narrow = None;
    assert_eq!(ends_after(&mut run, std::iter::repeat_n(100, 800)), None);
}
