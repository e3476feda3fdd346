//! The totals of a plan in words.
//!
//! Belongs here: stages, time and bytes of all. Must never: say as certain what depends on how fast a target is.

use super::count_of;
use super::written::{WrittenBytes, bytes_written, shown};
use leadline_model::op::Op;
use leadline_model::plan::study::Study;
use leadline_model::plan::{Amount, HostSpec, OpMix, Plan, Position, Stage, Target, Workload};
use leadline_model::units::{Bytes, Nanos};
use leadline_results::study::studies::may_add;
use std::collections::BTreeMap;

/// The totals: stages, time, and data written.
pub(super) fn total(plan: &Plan) -> String {
    let all = || plan.stages.iter().flat_map(|stage| &stage.workloads);
    let bytes = |w: &Workload| bytes_written(w, &plan.hosts);
    let again = |stage: &Stage| WrittenBytes {
        bytes: recreated(stage, &plan.hosts),
        is_about: false,
    };
    let each = all().filter_map(bytes).chain(plan.stages.iter().map(again));
    let known = each.fold(WrittenBytes::NONE, WrittenBytes::and);
    let open = all().any(|w| bytes(w).is_none());
    let written = match (known.bytes < 1.0, open) {
        (_, false) => format!("{}{}", known.words(), at_a_gib_per_s(known.bytes)),
        (true, true) => "as much as the targets' speed allows".to_owned(),
        (false, true) => format!(
            "{}{}, plus as much as the targets' speed allows",
            shown(known.bytes),
            at_a_gib_per_s(known.bytes)
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
    let (more_time, more_bytes) = match laid_out(plan) {
        Layout::Nothing => ("", ""),
        Layout::Recreates => (CREATES, ""),
        Layout::Completes => (CREATES, ", plus files that are missing or too short"),
    };
    format!("total: {stages}; time: {length}{more_time}; data written: {written}{more_bytes}\n")
}

/// The time that no stage has in it.
const CREATES: &str = ", plus the time to create files";

/// What happens to files before a stage runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Layout {
    /// Nothing.
    Nothing,
    /// They are re-created with bytes that are known.
    Recreates,
    /// What they lack is written, which depends on what there is.
    Completes,
}

/// What happens to files beside what the stages do: nothing where a stage writes all of them before any is read, as the
/// fill of a survey does, whose time and bytes are counted already.
fn laid_out(plan: &Plan) -> Layout {
    let bytes = |w: &Workload| match w.blocks().region.size {
        Some(Amount::Bytes(bytes)) => Some(bytes.saturating_mul(u64::from(w.clones))),
        _ => None,
    };
    let fills = |w: &Workload| {
        let in_order = !w.blocks().access.order.is_random();
        in_order
            && w.blocks().mix == OpMix::Only(Op::Write)
            && w.stop.runtime.is_none()
            && !w.blocks().prepare.create_only
    };
    let mut filled: Vec<&Workload> = Vec::new();
    let mut most = Layout::Nothing;
    for w in plan.stages.iter().flat_map(|stage| &stage.workloads) {
        let is_its = |full: &&Workload| {
            full.blocks().target == w.blocks().target
                && bytes(w).is_some()
                && bytes(full) >= bytes(w)
        };
        let layout = layout(w);
        // One that overwrites its files writes them twice where they are missing.
        let is_counted = fills(w) && !w.blocks().prepare.overwrite || filled.iter().any(is_its);
        if layout == Layout::Recreates || !is_counted {
            most = most.max(layout);
        }
        if fills(w) {
            filled.push(w);
        }
    }
    most
}

/// What happens to the files of a workload before it runs.
fn layout(w: &Workload) -> Layout {
    match &w.blocks().target {
        Target::Null { size: _ } | Target::Simulated(_) => return Layout::Nothing,
        Target::Paths(_) | Target::Files(_) => {}
    }
    // Without parts, of all files.
    let files = 0..w.blocks().parts.len().max(1);
    let of = |file: usize| {
        let own = w.of_file(file);
        let blocks = own.blocks();
        if blocks.prepare.recreate.is_some() {
            return Layout::Recreates;
        }
        // Only a job of fio's leaves files alone then; others make one that is there as large as they need it.
        let grows = blocks.access.position != Position::EachKind
            && matches!(blocks.region.size, Some(Amount::Bytes(1..)));
        match blocks.prepare.create || grows {
            true => Layout::Completes,
            false => Layout::Nothing,
        }
    };
    files.map(of).max().unwrap_or(Layout::Nothing)
}

/// Bytes of the files that are re-created before a stage, each once, however many workloads of a host name it.
fn recreated(stage: &Stage, hosts: &[HostSpec]) -> f64 {
    let mut named: BTreeMap<&str, f64> = BTreeMap::new();
    let mut own = 0.0;
    for w in &stage.workloads {
        let of = |file: usize| {
            let size = w.of_file(file).blocks().prepare.recreate.unwrap_or(0);
            size as f64 * count_of(w, hosts) as f64
        };
        match &w.blocks().target {
            Target::Paths(paths) => {
                for (file, path) in paths.iter().enumerate() {
                    let bytes = named.entry(path).or_default();
                    *bytes = bytes.max(of(file));
                }
            }
            Target::Files(set) => own += of(0) * f64::from(set.count) * f64::from(w.clones),
            Target::Null { size: _ } | Target::Simulated(_) => {}
        }
    }
    own + named.into_values().sum::<f64>()
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
