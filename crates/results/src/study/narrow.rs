//! Points that end when their figures are known well enough, instead of after a fixed time.
//!
//! Belongs here: how long such a point may take, and whether a running one may end. Must never: end it, or read a clock.
//!
//! Lancet ends a point in the same way (Kogias, Mallon, Bugnion, "Lancet: a self-correcting latency measuring tool",
//! USENIX ATC 2019): when the interval is narrow, and not before the series is stationary and the arrivals are those that
//! were asked for.

use crate::run::Run;
use crate::stats::ratio;
use crate::summary::planned;
use leadline_model::plan::{Narrow, Pace, Rate, Stage, Workload};
use leadline_model::sample::{OpCounts, Sample};
use leadline_model::units::Nanos;

/// A point is measured for at least its planned time divided by this.
const LEAST: u64 = 4;
/// And for at most its planned time multiplied by this.
const MOST: u64 = 4;
/// Slices of a point at the least: statistics need this many.
const SLICES: u64 = 64;
/// The shortest slice.
const SHORTEST: Nanos = Nanos::from_millis(20);
/// Looks at a running point: when its measured time has grown by this since the last. Whoever looks at each interval ends
/// where the interval is narrow by chance.
const GROWTH: f64 = 1.25;
/// A rate within this share of the requested one is kept.
const KEPT: f64 = 0.01;
/// Arrivals of which a larger share is late are others than the plan's.
const LATE: f64 = 0.01;

/// Measured time of a point before which it does not end.
#[must_use]
pub fn least(time: Nanos) -> Nanos {
    let few = Nanos(SHORTEST.0 * SLICES);
    Nanos(time.0 / LEAST).max(few).min(time)
}

/// The interval of statistics of points of this length: 64 slices at the least of each, however early it ends.
#[must_use]
pub fn slice(time: Nanos, narrow: bool) -> Nanos {
    let shortest = if narrow { least(time) } else { time };
    Nanos(shortest.0 / SLICES).clamp(SHORTEST, Nanos::SECOND)
}

/// The interval of points of this length that are observed for a fall: four times as fine, so that credits which last a
/// second are seen.
#[must_use]
pub fn slice_of_falls(time: Nanos) -> Nanos {
    Nanos(slice(time, false).0 / 4).max(SHORTEST)
}

/// Measured time of a point at the most. `saved` is what earlier points have left of their time in all, in nanoseconds,
/// where there is a budget: it is not exceeded then.
#[must_use]
pub fn longest(time: Nanos, saved: Option<i128>) -> Nanos {
    let most = time.0.saturating_mul(MOST);
    let more = saved.map_or(most, |saved| {
        let with = i128::from(time.0) + saved;
        u64::try_from(with.max(0)).unwrap_or(most)
    });
    Nanos(more.min(most)).max(least(time))
}

/// Lets a stage end when its figures are known; `time` is its measured time without that.
pub fn let_end(stage: &mut Stage, time: Nanos, half_ppm: u32, saved: Option<i128>) {
    stage.until.narrow = Some(Narrow {
        half_ppm,
        least: least(time),
    });
    for workload in &mut stage.workloads {
        workload.stop.runtime = Some(longest(time, saved));
    }
}

/// Whether the running stage of a run may end now: its figures are known as well as its plan wants.
#[must_use]
pub fn may_end(run: &Run) -> bool {
    let Some(stage) = run.stages.last().filter(|stage| stage.end.is_none()) else {
        return false;
    };
    let plan = planned(run, stage.stage);
    let Some((plan, narrow)) = plan.and_then(|plan| Some((plan, plan.until.narrow?))) else {
        return false;
    };
    let measured = || stage.samples.iter().filter(|s| !s.warmup);
    let first = measured().map(|s| s.start).min();
    let last = measured().max_by_key(|s| s.start);
    let (Some(first), Some(last)) = (first, last) else {
        return false;
    };
    let before = last.start.since(first);
    let now = Nanos(before.0 + last.length.0);
    if !is_time_to_look(before, now, narrow.least) {
        return false;
    }
    let mut each = (0_u32..).zip(&plan.workloads);
    each.all(|(number, workload)| {
        let own: Vec<&Sample> = measured().filter(|s| s.workload == number).collect();
        is_known(&own, asked(run, workload), narrow.half_ppm)
    })
}

/// Whether a time to look is after `before` and not after `now`, both measured time: at `least`, and at each growth of it.
fn is_time_to_look(before: Nanos, now: Nanos, least: Nanos) -> bool {
    let looks = |time: Nanos| match time < least {
        true => -1.0,
        false => (time.as_secs_f64() / least.as_secs_f64().max(1e-9))
            .log(GROWTH)
            .floor(),
    };
    looks(now) > looks(before)
}

/// Whether rate and mean latency of a workload are known this well, its series is stationary, and its I/Os arrived as often
/// and when they should.
fn is_known(samples: &[&Sample], asked: Option<f64>, half_ppm: u32) -> bool {
    let sums = samples.iter().map(|sample| {
        let counts = &sample.counts;
        let of_op = |op: &OpCounts| op.response.as_ref().unwrap_or(&op.service).sum as f64;
        let latency: f64 = counts.ops.data().map(of_op).sum();
        (
            counts.data_ios() as f64,
            latency,
            sample.length.as_secs_f64(),
        )
    });
    let sums: Vec<(f64, f64, f64)> = sums.collect();
    let rate = ratio(&sums.iter().map(|s| (s.0, s.2)).collect::<Vec<_>>());
    let mean = ratio(&sums.iter().map(|s| (s.1, s.0)).collect::<Vec<_>>());
    let (Some(rate), Some(mean)) = (rate, mean) else {
        return false;
    };
    let wanted = f64::from(half_ppm) / 1e6;
    let kept = asked.is_none_or(|asked| {
        let room = (rate.high - rate.value).max(KEPT * asked);
        (rate.value - asked).abs() <= room
    });
    let late: u64 = samples.iter().map(|s| s.counts.late).sum();
    let in_time = late as f64 <= LATE * sums.iter().map(|s| s.0).sum::<f64>();
    kept && in_time
        && [rate, mean]
            .iter()
            .all(|figure| figure.settled && figure.value > 0.0 && figure.relative() <= wanted)
}

/// I/Os a second that all workers of a workload are asked for together, where its plan has one rate for all kinds.
fn asked(run: &Run, workload: &Workload) -> Option<f64> {
    let Pace::Open {
        together: Some(Rate::Iops(rate)),
        schedule,
        ..
    } = &workload.pace
    else {
        return None;
    };
    let hosts = run.plan.as_ref().map_or(1, |plan| plan.hosts.len().max(1));
    let own = workload
        .hosts
        .among(u32::try_from(hosts).unwrap_or(u32::MAX));
    let workers = own.count() as f64 * f64::from(workload.clones);
    schedule.is_empty().then_some(rate * workers)
}

#[cfg(test)]
mod tests;
