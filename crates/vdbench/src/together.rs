//! The workloads of one run, taken together: priorities, steps of sizes, streams and skews.
//!
//! Belongs here: what must hold of them. Must never appear here: what they mean (see `lower`).

use crate::definition::Definition;
use crate::number::shown;
use crate::objects::WorkloadDef;
use crate::priorities;
use crate::run::{Rates, RunContext};
use crate::table::row;
use crate::value::Transfer;
use leadline_dialect::diagnostic::Diagnostic;

/// What must hold of the workloads of one run together.
pub(super) fn check(
    scope: &RunContext<'_>,
    rd: &Definition,
    rate: &Rates,
    workloads: &[WorkloadDef],
    says: &mut Vec<Diagnostic>,
) {
    let with = workloads.iter().filter(|w| w.priority.is_some()).count();
    if with > 0 && with < workloads.len() {
        let message = format!(
            "run `{}`: either all its workloads have a priority, or none",
            rd.name
        );
        says.push(Diagnostic::error("priority-missing", message).at(rd.at, ""));
    }
    if with > 1 {
        priorities::check(scope, rd, rate, workloads, says);
    }
    let aligned = |w: &&WorkloadDef| match (&w.transfer, &w.storage) {
        (Transfer::Steps { step, .. }, Some(storage)) => {
            (storage.iter()).all(|s| scope.storage.get(*s).is_none_or(|s| s.align == Some(*step)))
        }
        _ => true,
    };
    let sized = rd.get(&row::rd::XFERSIZE).is_some();
    if let Some(one) = workloads.iter().find(|w| !sized && !aligned(w)) {
        let message = format!(
            "the sizes of `{}` have a step to which its storage is not aligned",
            one.name
        );
        says.push(
            Diagnostic::error("align-of-steps", message)
                .at(one.at, "")
                .expected("`align=` for each of its storage, equal to the step"),
        );
    }
    if workloads.len() > 1 && workloads.iter().any(|w| w.streams.is_some()) {
        let message = format!("run `{}`: a workload with streams runs alone", rd.name);
        says.push(Diagnostic::error("streams-not-alone", message).at(rd.at, ""));
    }
    skews(scope, rd, workloads, says);
}

/// What skews may be in sum. Vdbench refuses 99.999, and takes 99.9999.
const SKEW_SUM: std::ops::RangeInclusive<f64> = 99.9999..=100.0001;

/// Shares of workloads that all have one make up a hundred; where one has none, something is left for it.
fn skews(
    scope: &RunContext<'_>,
    rd: &Definition,
    workloads: &[WorkloadDef],
    says: &mut Vec<Diagnostic>,
) {
    let sum: f64 = workloads.iter().filter_map(|w| w.skew).sum();
    let open = workloads.iter().any(|w| w.skew.is_none());
    let own_rates = workloads.iter().any(|w| w.iorate.is_some());
    if !open && !own_rates && !SKEW_SUM.contains(&sum) {
        let message = format!(
            "the skews of run `{}` add up to {}, but must add up to 100",
            rd.name,
            shown(sum)
        );
        says.push(
            Diagnostic::error("skew-not-100", message)
                .at(rd.at, "")
                .expected("a total of 100, or one workload without a skew: it gets the rest"),
        );
    } else if open && sum > 100.0 - 1e-6 {
        let message = format!("the skews of run `{}` add up to {}", rd.name, shown(sum));
        let diagnostic = if scope.simulate {
            Diagnostic::warning("skew-over-100", message)
        } else {
            Diagnostic::error("skew-over-100", message)
        };
        says.push(
            diagnostic
                .at(rd.at, "")
                .expected("at most 100, and less if a workload has no skew")
                .hint("Vdbench runs this with shares other than those requested"),
        );
    }
}
