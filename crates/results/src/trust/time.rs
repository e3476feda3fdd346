//! Whether the measurement was long enough, whole, and common to all workers.

use super::Case;
use crate::run::{Run, StageRun};
use crate::stats::FEWEST_EVENTS;
use crate::summary::{Basis, Percentile, StageSummary, Trust, Window};
use crate::words::{about, span, thousands};
use leadline_model::cure::Knob;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{AtEnd, Pace, Stage, Target};
use leadline_model::sample::{EndReason, WorkerTotals};
use leadline_model::units::{Nanos, whole as whole_number};

/// A minute: burst credits, flushes, garbage collection and QoS windows often take as long.
const LONG_ENOUGH: Nanos = Nanos::from_secs(60);

/// Code `window-short` (info): measured windows are shorter than a minute. One finding for the run.
pub(super) fn too_short(run: &Run) -> Option<Finding> {
    let simulated = |stage: u32| {
        crate::summary::planned(run, stage).is_some_and(|p| {
            let made_up = |t: &Target| matches!(t, Target::Null { .. } | Target::Simulated(_));
            p.workloads.iter().all(|w| made_up(&w.blocks().target))
        })
    };
    let windows: Vec<Nanos> = run
        .stages
        .iter()
        .filter(|s| !simulated(s.stage))
        .map(|s| Window::of(s.workers.iter()).longest)
        .filter(|&length| length > Nanos::ZERO && length < LONG_ENOUGH)
        .collect();
    let (shortest, longest) = (windows.iter().min()?, windows.iter().max()?);
    let range = if shortest == longest {
        shortest.to_string()
    } else {
        format!("{shortest} to {longest}")
    };
    let points = match windows.len() {
        1 => "One point was".to_owned(),
        n => format!("{n} points were"),
    };
    Some(Finding {
        code: "window-short".to_owned(),
        severity: Severity::Info,
        stage: None,
        workload: None,
        text: format!(
            "{points} measured for {range}: effects over a minute or more (burst credits, cache \
             flushes, garbage collection) are not seen in so short a window."
        ),
        cure: (
            "For sustained figures, measure each point for several minutes, ideally for half an \
             hour.",
            [Knob::RunTime],
        )
            .into(),
    })
}

/// Code `latency-long` (warn): as fast as possible, I/Os took so long that the window does not show a steady queue: rate
/// times latency is off from what was in flight by more than 5 %, or the mean latency is over a quarter of the window.
pub(super) fn latency_long(case: &Case<'_>) -> Option<Finding> {
    let figures = &case.summary.figures;
    if case.plan.pace != Pace::Closed || !figures.is_longer_than_window() {
        return None;
    }
    let mean = figures.data.service.mean();
    Some(case.finding(
        "latency-long",
        Severity::Warn,
        format!(
            "An I/O took {} on average, in a window of {}: rate times latency gives {} in flight, but {} were \
             (Little's law). Few I/Os both start and end within the window, or the queue was still changing.",
            span(mean),
            figures.span,
            about(figures.by_little()),
            about(figures.depth_reached)
        ),
        (
            "Measure for many times the latency, after a warm-up of several times as long; or use a smaller depth.",
            [Knob::RunTime, Knob::WarmUp, Knob::QueueDepth],
        ),
    ))
}

/// Cycles of what comes again that a window has at least: the share of a short one that it takes is chance.
const CYCLES: u64 = 3;

/// Code `few-cycles` (warn): the rate changes with this period in one of the stages: windows are shorter than
/// three cycles of it. One finding for the run.
pub(super) fn few_cycles(run: &Run, period: Nanos) -> Option<Finding> {
    let least = Nanos(period.0.saturating_mul(CYCLES));
    let windows = run.stages.iter();
    let windows = windows.map(|s| Window::of(s.workers.iter()).longest);
    let short = windows.filter(|&length| length > Nanos::ZERO && length < least);
    let lengths: Vec<Nanos> = short.collect();
    let shortest = lengths.iter().min()?;
    let windows = match lengths.len() {
        1 => "one window is".to_owned(),
        n => format!("{n} windows are"),
    };
    Some(Finding {
        code: "few-cycles".to_owned(),
        severity: Severity::Warn,
        stage: None,
        workload: None,
        text: format!(
            "The rate changes with a period of {period}, and {windows} shorter than three periods (shortest: \
             {shortest}): which part of a cycle was measured is a matter of chance.",
        ),
        cure: (
            format!("Measure each point for {least} or more."),
            [Knob::RunTime],
        )
            .into(),
    })
}

/// Code `skew` (warn below 0.9, fail below 0.5): workers that were to run together shared only a part
/// of the shortest window. A delay that was asked for is no excuse: the rates of what it keeps apart do not add up. What
/// begins when another has ended is not meant to run with it.
pub(super) fn skew(stage: &StageRun, plan: &Stage, summary: &StageSummary) -> Option<Finding> {
    let together = |index: u32| {
        plan.workloads
            .get(index as usize)
            .is_some_and(|w| w.start.after.is_none())
    };
    let counted = |w: &&WorkerTotals| summary.cover.has(w.host) && together(w.workload);
    let window = Window::of(stage.workers.iter().filter(counted));
    let share = window.common_share();
    if share >= 0.9 {
        return None;
    }
    Some(Finding {
        code: "skew".to_owned(),
        severity: if share < 0.5 {
            Severity::Fail
        } else {
            Severity::Warn
        },
        stage: Some(summary.stage),
        workload: None,
        text: format!(
            "The workers ran at the same time for {} of the shortest window of {}: they started \
             up to {} apart and ended up to {} apart. {}",
            window.common(),
            window.shortest,
            window.start_skew,
            window.stop_skew,
            covered(plan, summary)
        ),
        cure: (
            "Give all workers the same run time, longer than the skew and than any delay of their start; or run them one after \
             the other, in stages of their own.",
            [Knob::RunTime],
        )
            .into(),
    })
}

/// What time the rates of a stage are of, where its workers did not run together.
fn covered(plan: &Stage, summary: &StageSummary) -> String {
    let (what, each) = match plan.workloads.len() {
        0 | 1 => ("Rates", ""),
        _ => (
            "Rates of all workloads together",
            "; those of each cover its own time",
        ),
    };
    let span = summary.figures.span;
    match summary.figures.basis {
        Basis::Common => format!("{what} cover the {span} in which all ran{each}."),
        Basis::Union => {
            format!("{what} cover the {span} from the first start to the last end{each}.")
        }
        Basis::Intervals => {
            format!("{what} cover intervals of {span} in total, as the run was interrupted{each}.")
        }
        Basis::Window => {
            format!("{what} are the sum of each worker's rate over its own time{each}.")
        }
    }
}

/// Code `ended-by-size` (fail): a run time was requested, and the region or number of I/Os was done before
/// 0.95 of it had passed.
pub(super) fn ended_by_size(case: &Case<'_>) -> Option<Finding> {
    if case.plan.blocks().access.at_end == AtEnd::Stop {
        // Its end is the region's; the time is a cap.
        return None;
    }
    if case.is_study_point() && !case.plan.stop.time_based {
        // A fill within a budget, what repeats another point: its end is that of its work.
        return None;
    }
    let asked = case.plan.stop.runtime?;
    let early = case.workers.iter().find(|w| {
        let done = matches!(w.end, EndReason::Size | EndReason::Ios);
        let lasted = w.window_end.since(w.window_start);
        done && (lasted.0 as f64) < 0.95 * asked.0 as f64
    })?;
    let lasted = early.window_end.since(early.window_start);
    Some(case.finding(
        "ended-by-size",
        Severity::Fail,
        format!(
            "{asked} requested, but all the work was done after {lasted} ({} I/Os of one worker).",
            thousands(early.counts.data_ios())
        ),
        (
            "Repeat the region until the time is up, or make it larger.",
            [Knob::WholeTime, Knob::Size],
        ),
    ))
}

/// The independent samples above a percentile: at least those above a higher one, as these lie above it too.
fn worth_beyond(percent: f64, thin: &[Percentile]) -> f64 {
    let higher = thin.iter().filter(|other| other.percent >= percent);
    higher.map(|other| other.beyond).fold(0.0, f64::max)
}

/// Code `tail-undersampled` (info): a percentile that is printed has fewer than 100 samples beyond it, or is worth no more
/// independent ones. It is marked where it is printed, and the other figures are not affected. With fewer than ten samples it
/// is not printed; slow I/Os that came together are what was measured all the same, and are worth few.
pub(super) fn tail(case: &Case<'_>) -> Option<Finding> {
    /// Independent samples for each that was counted, from which on they are the same.
    const FEWER: f64 = 0.9;
    /// Below which samples are shown to come in groups: of independent ones in 8 batches, the fewest there are, the variance
    /// is 2.6 times as large as it should be in one of a hundred cases (chi-squared, 7 degrees of freedom).
    const GROUPED: f64 = 1.0 / 2.6;
    let data = &case.summary.figures.data;
    let thin: Vec<_> = case
        .plan
        .percentiles
        .iter()
        .filter(|p| (99.0..100.0).contains(*p))
        .filter_map(|&p| data.response_at(p))
        .filter(|p| p.trust < Trust::Sure)
        .collect();
    let first = thin.first()?;
    let (mut fewer, mut grouped) = (false, false);
    let list: Vec<String> = thin
        .iter()
        .map(|p| {
            let trust = if p.trust == Trust::TooFew {
                "too few"
            } else {
                "doubtful"
            };
            // Rounding, as in `Trust::of`.
            let counted = data.response().samples_beyond(p.percent) + 1e-3;
            let beyond = worth_beyond(p.percent, &thin);
            let is_fewer = p.trust == Trust::Doubtful && beyond < FEWER * counted;
            let independent = match is_fewer {
                true => format!("about {:.0} independent, ", beyond.floor().max(1.0)),
                false => String::new(),
            };
            fewer |= is_fewer;
            grouped |= is_fewer && beyond < GROUPED * counted;
            let counted = thousands(whole_number(counted));
            format!("p{} has {counted} ({independent}{trust})", p.percent)
        })
        .collect();
    let how = match (fewer, grouped) {
        (_, true) => " (slow I/Os came in groups, so that fewer of them are independent)",
        (true, false) => " (by the time series, fewer of them may be independent)",
        (false, false) => "",
    };
    let measured = data.ios as f64 / data.iops;
    let needed = Nanos::from_secs(whole_seconds(measured * 100.0 / first.beyond));
    let cure = match grouped {
        // How many groups come in a longer run is not known.
        true => "Measure for longer, over many more of these groups.".to_owned(),
        false => format!(
            "At this rate, 100 samples above p{} take {needed}.",
            first.percent
        ),
    };
    Some(case.finding(
        "tail-undersampled",
        Severity::Info,
        format!(
            "{} I/Os were measured; samples above the high percentiles{how}: {}.",
            thousands(data.ios),
            list.join(", ")
        ),
        cure,
    ))
}

/// Code `few-ios` (warn): fewer than ten I/Os were measured.
pub(super) fn few_ios(case: &Case<'_>) -> Option<Finding> {
    /// The relative error of a count of ten that come at random is a third.
    const LEAST: u64 = FEWEST_EVENTS;
    let data = &case.summary.figures.data;
    if data.ios == 0 || data.ios >= LEAST {
        return None;
    }
    let needed = Nanos::from_secs(whole_seconds(LEAST as f64 / data.iops));
    let count = match data.ios {
        1 => "1 I/O was".to_owned(),
        n => format!("{n} I/Os were"),
    };
    Some(case.finding(
        "few-ios",
        Severity::Warn,
        format!("{count} measured: rate and latency are those of these few."),
        format!("At this rate, {LEAST} I/Os take {needed}, and 100 ten times as long."),
    ))
}

/// Rounded up; a rate of zero gives the largest number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and a cast saturates"
)]
fn whole_seconds(seconds: f64) -> u64 {
    seconds.ceil() as u64
}
