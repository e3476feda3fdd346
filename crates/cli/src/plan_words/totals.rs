//! The totals of a plan in words.
//!
//! Belongs here: stages, time and bytes of all. Must never: say as certain what depends on how fast a target is.

use super::{bytes_written, shown};
use leadline_model::op::Op;
use leadline_model::plan::study::Study;
use leadline_model::plan::{Amount, OpMix, Plan, Stage, Workload};
use leadline_model::units::{Bytes, Nanos};
use leadline_results::study::studies::may_add;

/// The totals: stages, time, and data written.
pub(super) fn total(plan: &Plan) -> String {
    let all = || plan.stages.iter().flat_map(|stage| &stage.workloads);
    let bytes = |w: &Workload| bytes_written(w, &plan.hosts);
    let known: f64 = all().filter_map(bytes).sum();
    let open = all().any(|w| bytes(w).is_none());
    let written = match (known < 1.0, open) {
        (true, false) => "nothing".to_owned(),
        (false, false) => format!("{} at most{}", shown(known), at_a_gib_per_s(known)),
        (true, true) => "as much as the targets' speed allows".to_owned(),
        (false, true) => format!(
            "{}{}, plus as much as the targets' speed allows",
            shown(known),
            at_a_gib_per_s(known)
        ),
    };
    let times: Vec<Option<Nanos>> = plan.stages.iter().map(Stage::length).collect();
    let sum = |all: u64, time: &Nanos| all.saturating_add(time.0);
    let known = times.iter().flatten().fold(0, sum);
    let known = bound(known, plan.study.as_deref());
    let length = match times.iter().filter(|time| time.is_none()).count() {
        0 => known,
        open if open == times.len() => "as long as the targets take".to_owned(),
        1 => format!("{known}, and 1 stage until it is done"),
        open => format!("{known}, and {open} stages until they are done"),
    };
    let stages = match plan.stages.len() {
        1 => "1 stage".to_owned(),
        n => format!("{n} stages"),
    };
    match creates_files(plan) {
        true => format!(
            "total: {stages}; time: {length}, plus the time to create files; data written: \
             {written}, plus files that are missing or too short\n"
        ),
        false => format!("total: {stages}; time: {length}; data written: {written}\n"),
    }
}

/// Whether files may have to be created beside what the stages do: not where a stage writes all of them before any is read, as the
/// fill of a survey does, whose time and bytes are counted already.
fn creates_files(plan: &Plan) -> bool {
    let bytes = |w: &Workload| match w.blocks().region.size {
        Some(Amount::Bytes(bytes)) => Some(bytes.saturating_mul(u64::from(w.clones))),
        _ => None,
    };
    let fills = |w: &Workload| {
        let in_order = !w.blocks().access.order.is_random();
        in_order && w.blocks().mix == OpMix::Only(Op::Write) && w.stop.runtime.is_none()
    };
    let mut filled: Vec<&Workload> = Vec::new();
    for w in plan.stages.iter().flat_map(|stage| &stage.workloads) {
        let is_its = |full: &&Workload| {
            full.blocks().target == w.blocks().target
                && bytes(w).is_some()
                && bytes(full) >= bytes(w)
        };
        if fills(w) {
            filled.push(w);
        } else if !filled.iter().any(is_its) {
            return true;
        }
    }
    filled.is_empty()
}

/// How long that many bytes take at a known rate, where that is worth a thought: the targets' own is not known before.
pub(super) fn at_a_gib_per_s(bytes: f64) -> String {
    const LEAST: f64 = 64.0;
    let seconds = bytes / Bytes::GIB as f64;
    match seconds < LEAST {
        true => String::new(),
        false => {
            let nanos = leadline_results::words::whole(seconds * 1e9);
            format!(" ({} at 1 GiB/s)", length(nanos))
        }
    }
}

/// What is known of the time of all: of a study that chooses more points by what it measures no bound but its budget.
fn bound(known: u64, study: Option<&Study>) -> String {
    match study.filter(|study| may_add(study)) {
        None => format!("{} at most", length(known)),
        Some(study) => match study.timing.budget {
            Some(budget) => format!("{} at most, the budget", length(budget.0)),
            None => format!("{} without adaptive points", length(known)),
        },
    }
}

/// `12 min 30 s`.
fn length(ns: u64) -> String {
    let seconds = ns / 1_000_000_000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, _) => Nanos(ns).to_string(),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
