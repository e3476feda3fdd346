//! Priorities of a run's workloads: what of them cannot be meant.
//!
//! Belongs here: what is said of them. Must never appear here: what they mean (see `lower`).

use crate::definition::Definition;
use crate::number::shown;
use crate::objects::WorkloadDef;
use crate::run::{Rates, RunContext};
use crate::table::row;
use leadline_dialect::diagnostic::Diagnostic;

/// Priorities that cannot be meant, or leave nothing for others.
pub(super) fn check(
    scope: &RunContext<'_>,
    rd: &Definition,
    rate: &Rates,
    workloads: &[WorkloadDef],
    says: &mut Vec<Diagnostic>,
) {
    let mut warn = |code, message, hint| {
        says.push(Diagnostic::warning(code, message).at(rd.at, "").hint(hint));
    };
    if scope.file.general.effective(&row::general::CONCATENATESDS) {
        let message = format!("run `{}`: priorities have no effect", rd.name);
        let hint = "with concatenatesds=yes each workload has its own threads, and none waits \
                    for another";
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
        let hint = "Vdbench requires 1, 2, 3 ... without a gap; here only their order counts";
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
            "run `{}`: its workloads with their own rates use {} a second, which leaves nothing \
             of the run's rate",
            rd.name,
            shown(own)
        );
        warn("rate-used-up", message, "the other workloads get no I/O");
    }
    if let Rates::Max | Rates::Curve = rate {
        for (greedy, other) in starved(rd, workloads) {
            let message = format!(
                "run `{}`: `{}` only gets the threads that `{}` leaves free on their storage, \
                 and that one uses all of them",
                rd.name, other.name, greedy.name
            );
            let hint = "give the first its own rate (iorate=), or both the same priority";
            warn("priority-starves", message, hint);
        }
    }
}

/// Workloads of lower priority than one of the same storage that has no rate.
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
