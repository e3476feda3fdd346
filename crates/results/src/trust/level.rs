//! Whether the rate, or at a given rate the latency, stayed on one level.

use super::{Case, cure_of_late};
use crate::stats::{
    Interval, QUIET, Shift, level, level_of_spans, median_high, rate_shift, rate_shift_of_groups,
};
use crate::summary::few_slow::differ_by_few;
use crate::words::{iops_within, level_within, span_within};
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Pace;
use leadline_model::sample::Sample;
use leadline_model::units::Nanos;
use std::ops::Range;

/// The rates of a workload over time.
pub(super) struct RateSeries<'a> {
    /// The whole intervals of its window.
    pub(super) samples: Vec<&'a Sample>,
    /// I/Os a second of each.
    pub(super) values: Vec<f64>,
}

impl<'a> RateSeries<'a> {
    /// The same without the intervals in which nothing was done, and those at their edges, where the workload stalled:
    /// a standstill is a finding of its own, and no level, warm-up or trend.
    fn without_stalls(self, case: &Case<'_>) -> Self {
        if case.summary.stalls.is_none() {
            return self;
        }
        let is_still = |at: usize| self.values.get(at).is_some_and(|&rate| rate <= 0.0);
        let is_near = |at: usize| is_still(at) || is_still(at + 1) || (at > 0 && is_still(at - 1));
        let kept = (0..self.values.len()).filter(|&at| !is_near(at));
        let (samples, values) = kept.map(|at| (self.samples[at], self.values[at])).unzip();
        Self { samples, values }
    }

    /// The rate of a part of it, with the interval of that.
    pub(super) fn level(&self, rate: f64, part: Range<usize>) -> Interval {
        let parts = self.samples.get(part).unwrap_or_default();
        let passed = |s: &&Sample| (s.counts.data_ios() as f64, s.length.as_secs_f64());
        level(rate, &parts.iter().map(passed).collect::<Vec<_>>())
    }

    /// Both levels of a change. In the two intervals at it the rate changed.
    fn levels(&self, shift: &Shift) -> [Interval; 2] {
        let before = shift.ends.0..shift.at.saturating_sub(1);
        let after = shift.at + 1..shift.ends.1;
        [
            self.level(shift.before, before),
            self.level(shift.after, after),
        ]
    }

    /// What differs by chance, as a standard deviation: counts that arrive at random, and the least that is looked for.
    pub(super) fn noise(&self) -> f64 {
        let mean = self.values.iter().sum::<f64>() / self.values.len().max(1) as f64;
        let span = self.samples.first().map_or(1.0, |s| s.length.as_secs_f64());
        ((mean * span).sqrt() / span).max(QUIET * mean)
    }
}

/// The rates of a workload that runs as fast as it can; `None` of others, and without a whole interval. Intervals after its time
/// are none: what is in flight then ends, and nothing new begins.
pub(super) fn rates<'a>(case: &'a Case<'_>) -> Option<RateSeries<'a>> {
    if !matches!(case.plan.pace, Pace::Closed) {
        return None;
    }
    let samples = whole_intervals(case)?;
    let rate = |s: &&Sample| s.counts.data_ios() as f64 / s.length.as_secs_f64();
    let values: Vec<f64> = samples.iter().map(rate).collect();
    (!values.is_empty()).then_some(RateSeries { samples, values })
}

/// The whole intervals of a workload's window; `None` where there is none.
fn whole_intervals<'a>(case: &'a Case<'_>) -> Option<Vec<&'a Sample>> {
    let interval = case.run.unit(case.stage)?.0;
    let whole = |s: &&Sample| !s.warmup && s.length.0 * 10 >= interval * 9;
    let measured = || case.samples.iter().copied().filter(whole);
    let begin = measured().map(|s| s.start).min()?;
    let time = case.plan.stop.runtime;
    let is_within =
        |s: &&Sample| time.is_none_or(|time| s.start.since(begin).0 + s.length.0 / 2 <= time.0);
    Some(measured().filter(is_within).collect())
}

/// [`rates`] without standstills.
pub(super) fn moving<'a>(case: &'a Case<'_>) -> Option<RateSeries<'a>> {
    rates(case).map(|series| series.without_stalls(case))
}

/// Whether the rate fell from one level to a lower one.
pub(super) fn falls(case: &Case<'_>) -> bool {
    let shift = moving(case).and_then(|series| shift_of(case, &series));
    shift.is_some_and(|shift| shift.after < shift.before)
}

/// Whether the rate has more than one level, also where a few slow I/Os make it: a trend is then none either.
pub(super) fn has_several(case: &Case<'_>) -> bool {
    moving(case).is_some_and(|series| any_shift(case, &series).is_some())
}

fn any_shift(case: &Case<'_>, series: &RateSeries<'_>) -> Option<Shift> {
    let group = case.plan.think.map_or(1, |think| think.every.max(1));
    let length = series.samples.first()?.length;
    rate_shift_of_groups(&series.values, length, f64::from(group))
}

/// The change of level of a series, unless a few slow I/Os make it. Groups between two pauses end together.
fn shift_of(case: &Case<'_>, series: &RateSeries<'_>) -> Option<Shift> {
    let shift = any_shift(case, series)?;
    let before = series.samples.get(shift.ends.0..shift.at)?;
    let after = series.samples.get(shift.at..shift.ends.1)?;
    (!differ_by_few(before, after)).then_some(shift)
}

/// Code `level-shift` (warn): the rate of a workload changed its level within the measured window, by a tenth or
/// more. Of workloads that run as fast as they can; the changes are those of PELT over the intervals without
/// standstills that are more than chance: one of 100,000 points of normal noise has one, whatever the number of places looked
/// at; of noise with a longer tail up to one in 1,000. A change that a few I/Os make, which took far longer than the others, is
/// the tail of a distribution and none of level.
pub(super) fn shift(case: &Case<'_>) -> Option<Finding> {
    let series = moving(case)?;
    let samples = &series.samples;
    let shift = shift_of(case, &series)?;
    Some(changed(
        case,
        samples[shift.at].start,
        series.levels(&shift),
        shift.changes,
    ))
}

/// The finding of a rate that changed its level at this time from the start of the stage on, one of as many changes.
pub(super) fn changed(
    case: &Case<'_>,
    at: Nanos,
    levels: [Interval; 2],
    changes: usize,
) -> Finding {
    let more = match changes {
        1 => String::new(),
        n => format!(" ({n} changes in all)"),
    };
    let [before, after] = levels.map(|level| level_within(&level, iops_within));
    case.finding(
        "level-shift",
        Severity::Warn,
        format!(
            "The rate changed to another level {at} into the stage, from {before} to {after}{more}. The mean over both is \
             a rate that the target never had."
        ),
        cure_of_late(
            case.held,
            "Report both levels. A fall that comes again after a rest is a burst credit: measure \
             beyond it for the sustained rate. A rise is often a cache that fills: add a longer \
             warm-up.",
        ),
    )
}

/// Code `latency-shift` (warn): the latency of a workload at a given rate changed once within the measured window, to half as
/// much again or more, and stayed there. The tenth percentile has to change as the median does: a queue that is longer for
/// a time makes most I/Os wait, but some find the target idle. A point of a study is compared with its other points.
pub(super) fn latency_shift(case: &Case<'_>) -> Option<Finding> {
    if matches!(case.plan.pace, Pace::Closed) || case.is_study_point() {
        return None;
    }
    let samples = whole_intervals(case)?;
    let shift = LatencyShift::of(&samples)?;
    let [before, after] = shift
        .medians
        .map(|median| level_within(&median, span_within));
    Some(case.finding(
        "latency-shift",
        Severity::Warn,
        format!(
            "The latency changed {} into the stage at the same rate: half of the I/Os took {before} or less before, and \
             {after} or less after it. The percentiles of the whole window are those of neither.",
            shift.at,
        ),
        cure_of_late(
            case.held,
            "Report both parts of the time, and look for what changed on the target then: a cache that filled, a rebuild, \
             a path that failed over, other clients. Repeat the run.",
        ),
    ))
}

/// A change of the latency.
#[derive(Debug, PartialEq)]
struct LatencyShift {
    /// From the start of the stage.
    at: Nanos,
    /// Before and after it, in nanoseconds.
    medians: [Interval; 2],
}

impl LatencyShift {
    fn of(samples: &[&Sample]) -> Option<Self> {
        /// One latency over the other at the least.
        const TIMES: f64 = 1.5;
        /// I/Os of an interval that has a tenth percentile.
        const FEWEST: u64 = 10;
        let known = samples.iter().filter_map(|sample| {
            let service = sample.counts.data().service;
            let at = |percent| Some(service.percentile(percent)?.max(1) as f64);
            (service.count() >= FEWEST).then_some(())?;
            Some((*sample, at(10.0)?, at(50.0)?))
        });
        let known: Vec<(&Sample, f64, f64)> = known.collect();
        // One I/O at a time would have this rate.
        let speeds: Vec<f64> = known.iter().map(|(_, _, median)| 1e9 / median).collect();
        let shift = rate_shift(&speeds, known.first()?.0.length)?;
        let (before, after) = known.split_at(shift.at);
        let quick = |part: &[(&Sample, f64, f64)]| {
            median_high(part.iter().map(|(_, quick, _)| *quick)).unwrap_or_default()
        };
        let changed = |(before, after): (f64, f64)| after / before;
        let all = changed((1e9 / shift.before, 1e9 / shift.after));
        let some = changed((quick(before), quick(after)));
        let is_large = |times: f64| times >= TIMES || times <= 1.0 / TIMES;
        let is_one = (all > 1.0) == (some > 1.0) && is_large(all) && is_large(some);
        (is_one && shift.changes == 1).then_some(Self {
            at: after.first()?.0.start,
            medians: [
                level_of_spans(shift.before, &speeds[shift.ends.0..shift.at]),
                level_of_spans(shift.after, &speeds[shift.at..shift.ends.1]),
            ],
        })
    }
}
