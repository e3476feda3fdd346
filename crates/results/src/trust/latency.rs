//! Whether the latencies can be those of the target.

use super::Case;
use crate::summary::labels::{file_systems, is_remote};
use crate::summary::percentile;
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::Op;
use leadline_model::units::Nanos;

/// No network answers faster.
const NETWORK: Nanos = Nanos::from_micros(20);
/// Fewer I/Os say nothing of the fastest hundredth.
const LEAST: u64 = 100;

/// Code `impossible-latency` (fail): a hundredth of the reads or writes of a file on another host took less than 20 us.
pub(super) fn impossible(case: &Case<'_>) -> Option<Finding> {
    let kinds = file_systems(case.plan, &case.run.facts);
    if !case.is_real() || !is_remote(case.plan, &case.run.facts) {
        return None;
    }
    let fast = |op: Op| {
        let figures = case.summary.figures.op(op).filter(|f| f.ios >= LEAST)?;
        let p1 = percentile(&figures.service, 1.0)?.value;
        (p1 < NETWORK).then_some((op, p1))
    };
    let (op, p1) = fast(Op::Read).or_else(|| fast(Op::Write))?;
    Some(case.finding(
        "impossible-latency",
        Severity::Fail,
        format!(
            "1 % of the {op}s took at most {p1}, on {}: no network answers in less than {NETWORK}, so a cache \
             on this host did.",
            kinds[0]
        ),
        (
            "Use O_DIRECT, and a data set that this host cannot hold.",
            [leadline_model::cure::Knob::Direct],
        ),
    ))
}

/// Code `latency-zero` (fail): I/Os were counted, and none took any time.
pub(super) fn zero(case: &Case<'_>) -> Option<Finding> {
    let data = &case.summary.figures.data;
    (data.ios > 0 && data.service.count() > 0 && data.service.max == 0 && case.is_real()).then(
        || {
            case.finding(
                "latency-zero",
                Severity::Fail,
                "Every I/O took 0 ns: the clock did not advance, or latencies were not measured."
                    .to_owned(),
                "Use a host whose clock runs, and do not compare rates without latencies.",
            )
        },
    )
}

/// Code `latencies-hidden` (info): the job switches the latencies off in its own output; they were measured all the
/// same.
pub(super) fn hidden(case: &Case<'_>) -> Option<Finding> {
    let data = &case.summary.figures.data;
    let shown = case.plan.report.lat || case.plan.report.clat;
    (!shown && data.ios > 0).then(|| {
        case.finding(
            "latencies-hidden",
            Severity::Info,
            format!(
                "The job leaves latencies out of its output. They were measured: {} on average.",
                crate::summary::mean_text(data.response())
            ),
            "Quote rates together with their latency and depth: the report of the run has them.",
        )
    })
}
