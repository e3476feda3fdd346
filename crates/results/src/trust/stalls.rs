//! What is said of a target that stood still.
//!
//! Must never: decide whether it did (`summary::stalls` does).

use super::{Case, cure_of_late, percent};
use crate::summary::Stalls;
use crate::words::{about, thousands};
use leadline_model::cure::{Cure, Knob};
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Pace;
use leadline_model::units::Nanos;

/// Code `stall` (warn): the target stood still for 200 ms or more at once; `short-stalls` (warn) for less, a note where that happened
/// once or twice and took less than a tenth of the time, and where a few I/Os that are slow by themselves look the same.
pub(super) fn stalls(case: &Case<'_>) -> Option<Finding> {
    /// From this share of the time on, the mean is another one.
    const LARGE: f64 = 0.1;
    /// Fewer may be chance.
    const FEW: usize = 3;
    let found = case.summary.stalls.as_ref()?;
    let share = found.share_of(window(case));
    let is_note = found.unsure || !found.are_long() && share < LARGE && found.times < FEW;
    let cure: Cure = match found.are_long() && !found.unsure {
        true => "The target, the network or this host stalled; averages hide this, the chart over time and the maximum latency \
                 show it."
            .into(),
        false => (
            "Look for something that happens as often (a flush, a snapshot, garbage collection, a throttle), measure \
             for more than ten of its periods, and quote the median and the high percentiles with the rate.",
            [Knob::RunTime],
        )
            .into(),
    };
    Some(case.finding(
        match found.are_long() && !found.unsure {
            true => "stall",
            false => "short-stalls",
        },
        if is_note {
            Severity::Info
        } else {
            Severity::Warn
        },
        match found.unsure {
            true => of_slow(case, found),
            false => format!(
                "{}{}{}",
                stood(found, share),
                slow(case, found),
                rates(case, found)
            ),
        },
        cure_of_late(case.held, cure),
    ))
}

/// The time that intervals measured.
fn window(case: &Case<'_>) -> Nanos {
    let measured = case.samples.iter().filter(|s| !s.warmup);
    Nanos(measured.map(|s| s.length.0).sum())
}

/// How often, and for how long.
fn stood(found: &Stalls, share: f64) -> String {
    let share = percent(share);
    let Stalls {
        times,
        longest,
        total,
        first,
        ..
    } = found;
    match times {
        1 => format!(
            "The target stalled once, {first} into the stage, for {longest} ({share} of the time)"
        ),
        n => {
            let every = found
                .every
                .map_or_else(String::new, |every| format!(" about every {every},"));
            format!(
                "The target stalled {n} times,{every} the first time {first} into the stage, for up to {longest} and {total} in all \
                 ({share} of the time)"
            )
        }
    }
}

/// The I/Os that met one.
fn slow(case: &Case<'_>, found: &Stalls) -> String {
    found.delayed.map_or_else(String::new, |slow| {
        format!(
            "; {} of {} I/Os took more than {}, ten times the median or more",
            thousands(slow.ios),
            thousands(case.summary.figures.data.service.count()),
            slow.above
        )
    })
}

/// What that does to the rate.
fn rates(case: &Case<'_>, found: &Stalls) -> String {
    let (mean, between) = (case.summary.figures.data.iops, found.iops);
    match case.plan.pace == Pace::Closed && !found.often && about(mean) != about(between) {
        true => format!(
            ". The mean, {} IOPS, includes that; between the stalls it is {}.",
            about(mean),
            about(between)
        ),
        false => ". The mean and the high percentiles include that.".to_owned(),
    }
}

/// Slow I/Os that most of the intervals have.
fn of_slow(case: &Case<'_>, found: &Stalls) -> String {
    let slow = slow(case, found);
    format!(
        "{}, in {} of {} intervals: short stalls of the target that are more frequent than the intervals, or a few \
         I/Os that are slow by themselves. The mean includes them.",
        slow.trim_start_matches("; "),
        found.hit,
        found.intervals
    )
}
