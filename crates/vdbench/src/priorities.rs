//! Priorities of a run's workloads: what of them cannot be meant.
//!
//! Belongs here: what is said of them. Must never appear here: what they come to (see `lower`).

use crate::number::shown;
use crate::objects::WorkloadDef;
use crate::parse::Definition;
use crate::runs::{Rates, RunContext};
use crate::table::row;
use leadline_dialect::diagnostic::Diagnostic;

/// Priorities that cannot be meant, or leave nothing for others.
pub(super) fn check(
    ground: &RunContext<'_>,
    rd: &Definition,
    rate: &Rates,
    workloads: &[WorkloadDef],
    says: &mut Vec<Diagnostic>,
) {
    let mut warn = |code, message, hint| {
        says.push(Diagnostic::warning(code, message).at(rd.at, "").hint(hint));
    };
    if ground.file.general.effective(&row::general::CONCATENATESDS) {
        let message = format!("run `{}`: priorities are not kept", rd.name);
        let hint = "with concatenatesds=yes each workload has threads of its own, and none waits for another";
        warn("priority-not-kept", message, hint);
        return;
    }
    let mut numbers: Vec<u64> = workloads.iter().filter_map(|w| w.priority).collect();
    numbers.sort_unstable();
    numbers.dedup();
    if (1..).zip(&numbers).any(|(due, number)| due != *number) {
        let shown: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let message = format!(
            "the priorities of run `{}` are {}",
            rd.name,
            shown.join(", ")
        );
        let hint = "Vdbench wants them from 1 on without a gap; here their order alone counts";
        warn("priority-gap", message, hint);
    }
    let own: f64 = workloads.iter().filter_map(|w| w.iorate).sum();
    let others = workloads.iter().any(|w| w.iorate.is_none());
    if let Rates::List(list) = rate
        && others
        && own > 0.0
        && list.iter().any(|n| !n.percent && n.value <= own)
    {
        let message = format!(
            "run `{}`: its workloads with rates of their own have {} a second, which leaves nothing of its rate",
            rd.name,
            shown(own)
        );
        warn("rate-used-up", message, "the others do nothing");
    }
    if let Rates::Max | Rates::Curve = rate {
        for (greedy, other) in starved(rd, workloads) {
            let message = format!(
                "run `{}`: `{}` has only what `{}` leaves of the threads on their storage, and that takes all",
                rd.name, other.name, greedy.name
            );
            let hint = "give the first a rate of its own (iorate=), or both the same priority";
            warn("priority-starves", message, hint);
        }
    }
}

/// Workloads behind one of the same storage that has no rate.
fn starved<'a>(
    rd: &Definition,
    workloads: &'a [WorkloadDef],
) -> Vec<(&'a WorkloadDef, &'a WorkloadDef)> {
    let meet = |a: &WorkloadDef, b: &WorkloadDef| match (&a.storage, &b.storage) {
        _ if rd.get(&row::rd::SD).is_some() => true,
        (Some(a), Some(b)) => a.iter().any(|s| b.contains(s)),
        _ => false,
    };
    let first = |w: &'a WorkloadDef| {
        let before = |v: &&WorkloadDef| v.iorate.is_none() && v.priority < w.priority && meet(v, w);
        workloads.iter().find(before).map(|v| (v, w))
    };
    workloads.iter().filter_map(first).collect()
}
