//! Whether a point whose figures were to be known within a share is known so.
//!
//! Must never: report figures for which no width was requested; tables show the intervals of all.

use super::{Finding, Severity, Whole};
use crate::words::trim_to;
use leadline_model::cure::Knob;

/// Code `interval-not-reached` (info): the interval of the rate or of the mean latency is wider than the plan wanted, or it
/// is not known, and the longest time of the point is over.
pub(super) fn not_reached(whole: &Whole<'_>) -> Option<Finding> {
    let narrow = whole.plan.until.narrow?;
    let wanted = f64::from(narrow.half_ppm) / 1e6;
    let figures = &whole.summary.figures;
    let mut times = whole.plan.workloads.iter().filter_map(|w| w.stop.runtime);
    let longest = times
        .next()
        .filter(|longest| figures.span.0 as f64 >= 0.99 * longest.0 as f64);
    // What ended earlier was known then; the I/Os that were still in flight are in its figures too.
    longest?;
    let data = &figures.data.certainty;
    let latency = match figures.data.response {
        Some(_) => &data.response,
        None => &data.service,
    };
    let known = [data.iops.as_ref(), latency.mean.as_ref()].map(|interval| {
        let settled = interval.filter(|i| i.settled);
        settled.map(super::super::stats::Interval::relative)
    });
    let widest = match known {
        [Some(rate), Some(mean)] => Some(rate.max(mean)),
        _ => None,
    };
    if widest.is_some_and(|share| share <= wanted) {
        return None;
    }
    let percent = |share: f64| trim_to(share * 100.0, 2);
    let found = match widest {
        Some(share) => format!("are known within {} %", percent(share)),
        None => "are not settled".to_owned(),
    };
    Some(whole.finding(
        "interval-not-reached",
        Severity::Info,
        format!(
            "After {} IOPS and mean latency {found}; {} % was requested.",
            figures.span,
            percent(wanted)
        ),
        (
            "Measure for longer, or accept a wider interval; a rate that changes has none.",
            [Knob::RunTime],
        ),
    ))
}
