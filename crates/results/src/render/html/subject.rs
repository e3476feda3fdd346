//! What was measured on what: the lines below the title.
//!
//! Belongs here: choosing from plan and facts what a reader has to know before the first figure. Must never: judge.

use crate::run::Run;
use leadline_model::facts::FactKey;
use leadline_model::op::Op;
use leadline_model::plan::{Amount, Target, Workload};
use leadline_model::units::Bytes;

/// Most values of a kind that are said.
const MOST: usize = 3;

/// Names and values; empty where nothing is known.
pub(super) fn measured_on(run: &Run) -> Vec<(String, String)> {
    let rows = [
        ("target", of_plan(run, target)),
        ("size", of_plan(run, size)),
        ("file system", file_systems(run)),
        ("device", devices(run)),
        ("I/O by", of_plan(run, engine)),
        ("written", written(run)),
        ("host", host(run)),
    ];
    let known = rows.into_iter().filter(|row| !row.1.is_empty());
    known
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// What the workloads of the plan say, each once.
fn of_plan(run: &Run, say: fn(&Workload) -> Option<String>) -> String {
    let stages = run.plan.iter().flat_map(|plan| &plan.stages);
    once(stages.flat_map(|stage| &stage.workloads).filter_map(say))
}

/// Different values, the first of them by name.
fn once(values: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    match more {
        0 => all.join("; "),
        more => format!("{} and {more} more", all.join("; ")),
    }
}

fn target(workload: &Workload) -> Option<String> {
    Some(match &workload.blocks().target {
        Target::Paths(paths) => once(paths.iter().cloned()),
        Target::Files(set) => once(set.directories.iter().cloned()),
        Target::Null { .. } => "none: each I/O completes at once".to_owned(),
        Target::Simulated(target) => format!("simulated: {}", target.law),
    })
}

/// Of a worker's part of its target, where that is set.
fn size(workload: &Workload) -> Option<String> {
    if let Target::Simulated(target) = &workload.blocks().target {
        return Some(Bytes(target.bytes()).to_string());
    }
    match workload.blocks().region.size? {
        Amount::Bytes(0) => None,
        Amount::Bytes(bytes) => Some(match workload.clones {
            1 => Bytes(bytes).to_string(),
            _ => format!("{} of each worker", Bytes(bytes)),
        }),
        Amount::Percent(share) => Some(format!("{share} % of the target")),
    }
}

fn engine(workload: &Workload) -> Option<String> {
    let target = &workload.blocks().target;
    if matches!(target, Target::Simulated(_) | Target::Null { .. }) {
        return None;
    }
    let way = match workload.blocks().open.direct {
        true => "past the page cache (O_DIRECT)",
        false => "through the page cache",
    };
    Some(format!("{}, {way}", workload.engine.kind.name()))
}

/// A fact of a subject, as text.
fn fact(run: &Run, key: FactKey, subject: &str) -> Option<String> {
    let mut all = run.facts.iter();
    let found = all.find(|f| f.key() == key && f.subject == subject);
    found.map(|f| f.value.to_string())
}

fn file_systems(run: &Run) -> String {
    let mounts = run.facts.iter().filter(|f| f.key() == FactKey::FILE_SYSTEM);
    once(mounts.map(|mount| {
        let options = fact(run, FactKey::MOUNT_OPTIONS, &mount.subject);
        let options = options.map_or_else(String::new, |o| format!(" ({o})"));
        format!("{} at {}{options}", mount.value, mount.subject)
    }))
}

fn devices(run: &Run) -> String {
    let kinds = run.facts.iter().filter(|f| f.key() == FactKey::DEVICE_KIND);
    once(kinds.map(|kind| {
        let more = [FactKey::DEVICE_MODEL, FactKey::DEVICE_SIZE];
        let more = more
            .into_iter()
            .filter_map(|key| fact(run, key, &kind.subject));
        let all: Vec<String> = [kind.value.to_string()].into_iter().chain(more).collect();
        format!("{}: {}", kind.subject, all.join(", "))
    }))
}

/// Bytes written in the measured windows.
fn written(run: &Run) -> String {
    let workers = run.stages.iter().flat_map(|stage| &stage.workers);
    let writes = workers.filter_map(|w| w.counts.ops.get(Op::Write));
    match writes.map(|counts| counts.bytes).sum() {
        0 => "nothing while it measured".to_owned(),
        bytes => format!("{} while it measured", Bytes(bytes)),
    }
}

fn host(run: &Run) -> String {
    let hosts = run.plan.as_ref().map_or(0, |plan| plan.hosts.len());
    let keys = [
        FactKey::HOST_NAME,
        FactKey::MACHINE_SIZE,
        FactKey::CPU_MODEL,
        FactKey::KERNEL_RELEASE,
    ];
    let known = keys.into_iter().filter_map(|key| {
        let found = run.facts.iter().find(|f| f.key() == key);
        found.map(|f| f.value.to_string())
    });
    let words = known.collect::<Vec<_>>().join(", ");
    match hosts {
        0 | 1 => words,
        hosts if words.is_empty() => format!("{hosts} hosts"),
        hosts => format!("{hosts} hosts; the first: {words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_reader_sees_what_was_measured_on_what() {
        let run = fixture::run();
        let rows = measured_on(&run);
        let value = |name: &str| {
            let row = rows.iter().find(|row| row.0 == name);
            row.unwrap_or_else(|| panic!("{name}: {rows:?}")).1.clone()
        };
        assert_eq!(value("target"), "demo");
        assert!(
            value("I/O by").ends_with("past the page cache (O_DIRECT)"),
            "{rows:?}"
        );
        let writes = run.stages.iter().flat_map(|s| &s.workers);
        let writes = writes.filter_map(|w| w.counts.ops.get(Op::Write));
        let bytes: u64 = writes.map(|c| c.bytes).sum();
        assert!(bytes > 0);
        assert_eq!(
            value("written"),
            format!("{} while it measured", Bytes(bytes))
        );
        assert!(
            measured_on(&Run::default())
                .iter()
                .all(|row| row.0 == "written")
        );
    }
}
