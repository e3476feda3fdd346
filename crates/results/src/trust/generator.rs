//! Whether leadline and its host were the bottleneck.

use super::{Case, percent};
use crate::summary::figures::per_second;
use crate::words::thousands;
use leadline_model::cure::Knob;
use leadline_model::facts::FactKey;
use leadline_model::finding::{Finding, Severity};
use leadline_model::units::Nanos;

/// Code `generator-cpu` (fail): a worker used 0.9 or more of a core over its window.
pub(super) fn processor(case: &Case<'_>) -> Option<Finding> {
    let cpu = &case.summary.figures.cpu;
    if !case.is_real() || cpu.busiest < 0.9 {
        return None;
    }
    let total = cpu.sum.user.0 + cpu.sum.system.0;
    let kernel = cpu.sum.system.0 as f64 / (total as f64).max(1.0);
    Some(case.finding(
        "generator-cpu",
        Severity::Fail,
        format!(
            "A worker used {} of a core ({} of it in the kernel, {} per I/O): the rate is \
             limited by this processor, not by the target.",
            percent(cpu.busiest),
            percent(kernel),
            cpu.per_io.unwrap_or(Nanos::ZERO)
        ),
        (
            "Use more workers on more cores, or larger block sizes.",
            [Knob::Workers, Knob::BlockSize],
        ),
    ))
}

/// Code `preempted` (warn): more than 100 involuntary context switches a second, and more than 10 for
/// each 100 I/Os.
pub(super) fn preempted(case: &Case<'_>) -> Option<Finding> {
    let figures = &case.summary.figures;
    let switches = figures.cpu.sum.involuntary;
    let rate = per_second(switches as f64, figures.span);
    (case.is_real() && rate > 100.0 && switches * 10 > figures.data.ios).then(|| {
        case.finding(
            "preempted",
            Severity::Warn,
            format!(
                "Workers were preempted {} times ({rate:.0} a second) for {} I/Os: waiting for a \
                 core is part of the latency.",
                thousands(switches),
                thousands(figures.data.ios)
            ),
            (
                "Stop other load on the host, use fewer workers than cores, or pin them.",
                [Knob::Workers, Knob::Processors],
            ),
        )
    })
}

/// Code `near-floor` (warn): a worker's rate is over a third of what the whole loop reaches on this
/// host without a target.
pub(super) fn near_floor(case: &Case<'_>) -> Option<Finding> {
    let mut facts = case.run.facts.iter();
    let each = facts
        .find(|f| f.key() == FactKey::FLOOR)?
        .value
        .nanos()
        .filter(|each| *each > 0.0)?;
    let figures = &case.summary.figures;
    let worker = figures.data.iops / f64::from(figures.workers.max(1));
    let ceiling = 1e9 / each;
    (case.is_real() && ceiling < 3.0 * worker).then(|| {
        case.finding(
            "near-floor",
            Severity::Warn,
            format!(
                "A worker did {worker:.0} I/Os a second; without a target the loop does \
                 {ceiling:.0} on this host: leadline's own overhead of {each:.0} ns per I/O is \
                 {} of the time.",
                percent(worker / ceiling)
            ),
            (
                "Use more workers at a lower rate each, or larger block sizes.",
                [Knob::Workers, Knob::Rate, Knob::BlockSize],
            ),
        )
    })
}
