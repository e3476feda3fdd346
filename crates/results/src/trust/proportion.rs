//! Which workload holds another back, where several keep a proportion.
//!
//! Belongs here: who sets the rate of a workload that keeps its share. Must never: make a finding of it.

use crate::summary::reached::{arrival_of, is_missed as is_below};
use crate::summary::{StageSummary, WorkloadSummary, is_missed};
use leadline_model::plan::{Admission, Pace, ShareWeight, Stage, Workload};

/// Of a full queue at least this share is in flight on average.
const FULL: f64 = 0.9;

/// The name of the workload that holds workload `index` of a stage back: both keep the proportion of their shares, the
/// one has done its share of what the other did, with slots of its queue free, and the other could do no more.
pub(super) fn holder<'a>(plan: &Stage, summary: &'a StageSummary, index: usize) -> Option<&'a str> {
    let all = || plan.workloads.iter().zip(&summary.workloads);
    let (held, figures) = all().nth(index)?;
    let (group, share) = proportion(held)?;
    if is_full(figures) {
        return None;
    }
    let seconds = figures.figures.span.as_secs_f64();
    let did_its_share = |other: &WorkloadSummary, of: ShareWeight| {
        let allowed = other.figures.data.iops * share.get() / of.get();
        !is_below(
            arrival_of(held),
            allowed,
            figures.figures.data.iops,
            seconds,
        )
    };
    let others = all().enumerate().filter(|(at, _)| *at != index);
    let mut holders = others.filter_map(|(_, (other, of_other))| {
        let (its_group, its_share) = proportion(other)?;
        let holds = its_group == group
            && did_its_share(of_other, its_share)
            && does_all_it_can(other, of_other);
        holds.then_some(of_other.name.as_str())
    });
    holders.next()
}

/// The group whose proportion a workload keeps, and its share.
fn proportion(workload: &Workload) -> Option<(u32, ShareWeight)> {
    match workload.admission {
        Admission::Shares { group, .. } => Some((group, workload.share?)),
        Admission::OwnDepth | Admission::CommonQueue { .. } | Admission::Priority { .. } => None,
    }
}

/// Whether a workload does not wait for others: it has reached its rate, its queue is full, or it pauses.
fn does_all_it_can(plan: &Workload, summary: &WorkloadSummary) -> bool {
    let missed = |rate| is_missed(plan, &summary.figures, rate);
    let reached = match plan.pace {
        Pace::Open { .. } => !summary.rates.iter().any(missed),
        Pace::Closed => plan.think.is_some(),
    };
    reached || is_full(summary)
}

fn is_full(summary: &WorkloadSummary) -> bool {
    summary.figures.depth_reached >= FULL * summary.depth_asked as f64
}
