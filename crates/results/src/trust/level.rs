//! Whether the rate stayed on one level.

use super::{Case, cure_of_late};
use crate::stats::rate_shift;
use crate::words::about;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Pace;
use leadline_model::sample::Sample;

/// Code `level-shift` (warn): the rate of a workload changed its level within the measured window, by a tenth or
/// more. Of workloads that run as fast as they can; the changes are those of PELT over the intervals.
pub(super) fn shift(case: &Case<'_>) -> Option<Finding> {
    if !matches!(case.plan.pace, Pace::Closed) {
        return None;
    }
    let interval = case.run.plan.as_ref()?.interval.0.max(1);
    let whole = |s: &&&Sample| !s.warmup && s.length.0 * 10 >= interval * 9;
    let samples: Vec<&&Sample> = case.samples.iter().filter(whole).collect();
    let rate = |s: &&&Sample| s.counts.data().ios as f64 / s.length.as_secs_f64();
    let rates: Vec<f64> = samples.iter().map(rate).collect();
    let shift = rate_shift(&rates, samples.first()?.length)?;
    let more = match shift.changes {
        1 => String::new(),
        n => format!(" ({n} changes in all)"),
    };
    Some(case.finding(
        "level-shift",
        Severity::Warn,
        format!(
            "The rate changed its level {} into the stage, from {} to {} IOPS{more}. The mean over \
             both is a rate that the target never had.",
            samples[shift.at].start,
            about(shift.before),
            about(shift.after)
        ),
        cure_of_late(
            case.paused,
            "Report both levels. A fall that comes again after a rest is a burst credit: measure \
             beyond it for the sustained rate. A rise is often a cache that fills: add a longer \
             warm-up.",
        ),
    ))
}
