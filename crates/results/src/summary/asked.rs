//! What a workload of a run was asked to do: what its plan says, with what only a run knows.
//!
//! Belongs here: properties of the work. Must never: judge or compare figures.

use super::{WorkloadSummary, depth_asked};
use crate::work::{Properties, Property, PropertyValue, planned_work, rates_of};
use leadline_model::plan::Workload;

/// The work of a workload: its plan, the hosts that took part, the rates of all of them, what the files hold.
pub(crate) fn properties(plan: &Workload, summary: &WorkloadSummary) -> Properties {
    let mut all = planned_work(plan);
    // What is written, or what the files hold.
    let [_, _, _, payload] = summary.labels.texts();
    all.insert(Property::Fill, payload.into());
    let span = PropertyValue::Nanos(summary.figures.span);
    all.insert(Property::RunTime, span);
    // Workers that lend each other I/Os have fewer of their own than the depth.
    let hosts = summary.depth_asked.checked_div(depth_asked(plan));
    all.extend(hosts.map(|n| (Property::HostCount, PropertyValue::Count(n))));
    let rates = summary.rates.iter().map(|rate| (rate.what(), rate.asked));
    let rates = rates_of(&rates.collect::<Vec<_>>());
    all.extend(rates.map(|rate| (Property::Rate, rate)));
    all
}
