//! What was measured on what: the lines below the title.
//!
//! Belongs here: choosing from plan and facts what a reader has to know before the first figure. Must never: judge.

use crate::run::Run;
use crate::study::general::writes_first;
use crate::summary::measured::Setting;
use crate::summary::planned;
use leadline_model::facts::FactKey;
use leadline_model::op::Op;
use leadline_model::plan::study::{Axis, Question, Role, Study};
use leadline_model::plan::{Amount, Dialect, Stage, Target, Workload};
use leadline_model::sample::Counts;
use leadline_model::units::Bytes;

/// Most values of a kind that are said.
const MOST: usize = 3;

/// Names and values; empty where nothing is known.
pub(super) fn measured_on(run: &Run) -> Vec<(String, String)> {
    let rows = [
        ("target", targets(run)),
        ("work", works(run)),
        ("size", size_of(run)),
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

/// What a page is called: a survey and a study say their target; of other plans, whose names are often one letter or that
/// of a file, what was measured on what too.
pub(super) fn title(run: &Run) -> String {
    let Some(plan) = &run.plan else {
        return "run".to_owned();
    };
    let name = plan.title.trim();
    if plan.source.dialect == Dialect::Native && !name.is_empty() {
        return name.to_owned();
    }
    let target = of_plan(run, target);
    let measured = match (measured_work(run), target.as_str()) {
        (work, "") => work,
        (work, target) => format!("{work} on {target}"),
    };
    match (name, measured.is_empty()) {
        ("", true) => "run".to_owned(),
        (name, true) => name.to_owned(),
        (name, false) if name.is_empty() || name == target => measured,
        (name, false) => format!("{name}: {measured}"),
    }
}

/// What a workload does.
fn work(workload: &Workload) -> Option<String> {
    Some(Setting::of(workload).words())
}

/// What the workloads of the plan say, each once.
fn of_plan(run: &Run, say: fn(&Workload) -> Option<String>) -> String {
    let stages = run.plan.iter().flat_map(|plan| &plan.stages);
    once(stages.flat_map(|stage| &stage.workloads).filter_map(say))
}

/// What was done but to write data for it.
fn measured_work(run: &Run) -> String {
    let stages = run.plan.iter().flat_map(|plan| &plan.stages);
    let measured = stages.filter(|stage| !writes_first(stage));
    once(measured.flat_map(|stage| &stage.workloads).filter_map(work))
}

/// What was done but to fill: of a survey and of a study it is in every chart.
fn works(run: &Run) -> String {
    let native = run.plan.as_ref().map(|plan| plan.source.dialect) == Some(Dialect::Native);
    match native {
        true => String::new(),
        false => measured_work(run),
    }
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

/// The targets, with the absolute path where the given one is relative.
fn targets(run: &Run) -> String {
    let Some(plan) = &run.plan else {
        return String::new();
    };
    let directory = plan.source.directory.trim_end_matches('/');
    let whole = |path: &String| match path.trim_start_matches("./") {
        _ if directory.is_empty() || path.starts_with('/') => path.clone(),
        "." | "" => format!("{path} ({directory})"),
        rest => format!("{path} ({directory}/{rest})"),
    };
    let of = |workload: &Workload| match &workload.blocks().target {
        Target::Paths(paths) => Some(once(paths.iter().map(whole))),
        Target::Files(set) if set.directories.is_empty() => Some(directory.to_owned()),
        Target::Files(set) => Some(once(set.directories.iter().map(whole))),
        _ => target(workload),
    };
    let stages = plan.stages.iter().flat_map(|stage| &stage.workloads);
    once(stages.filter_map(of).filter(|words| !words.is_empty()))
}

fn target(workload: &Workload) -> Option<String> {
    Some(match &workload.blocks().target {
        Target::Paths(paths) => once(paths.iter().cloned()),
        Target::Files(set) => once(set.directories.iter().cloned()),
        Target::Null { .. } => "none: each I/O completes at once".to_owned(),
        Target::Simulated(target) => format!("simulated: {}", target.law),
    })
}

/// The set of a study, whole, as far as it does not vary that; else what the workloads have.
fn size_of(run: &Run) -> String {
    let study = run.plan.as_ref().and_then(|plan| plan.study.as_deref());
    let varies = |study: &Study| match &study.question {
        Question::Screen { factors } => factors.iter().any(|factor| factor.axis == Axis::Dataset),
        _ => false,
    };
    let study = study.filter(|study| study.scope.dataset > 0 && !varies(study));
    study.map_or_else(
        || of_plan(run, size),
        |study| {
            let set = Bytes(study.scope.dataset);
            match study.scope.hosts {
                0 | 1 => set.to_string(),
                hosts => format!("{set} in all, shared by {hosts} hosts"),
            }
        },
    )
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

/// Bytes written: by stages that fill a target or bring it into a state, in the measured windows of the others, and in
/// their warm-ups.
fn written(run: &Run) -> String {
    let bytes = |counts: &Counts| counts.ops.get(Op::Write).map_or(0, |op| op.bytes);
    let (mut filled, mut measured, mut warm) = (0, 0, 0);
    for stage in &run.stages {
        let windows: u64 = stage.workers.iter().map(|w| bytes(&w.counts)).sum();
        let samples = stage.samples.iter().filter(|sample| sample.warmup);
        let before: u64 = samples.map(|sample| bytes(&sample.counts)).sum();
        match planned(run, stage.stage).is_some_and(prepares) {
            true => filled += windows + before,
            false => {
                measured += windows;
                warm += before;
            }
        }
    }
    let parts = [(filled, "to fill it"), (warm, "in warm-ups")];
    let parts = parts.iter().filter(|part| part.0 > 0);
    let mut words: Vec<String> = parts
        .map(|(n, what)| format!("{} {what}", Bytes(*n)))
        .collect();
    let own = match measured {
        0 => "nothing while it measured".to_owned(),
        n => format!("{} while it measured", Bytes(n)),
    };
    words.insert(usize::from(filled > 0), own);
    words.join(", ")
}

/// Whether a stage writes what others read, or brings the target into a state.
fn prepares(stage: &Stage) -> bool {
    let role = stage.point.as_ref().map(|point| point.role);
    role.is_some_and(Role::prepares) || stage.name.starts_with("fill/")
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
    use crate::fixture::{self, Load};
    use leadline_model::plan::OpMix;

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
        let own = format!("{} while it measured", Bytes(bytes));
        assert!(value("written").starts_with(&own), "{rows:?}");
        assert!(
            measured_on(&Run::default())
                .iter()
                .all(|row| row.0 == "written")
        );
    }

    #[test]
    fn what_fills_and_what_warms_up_is_not_what_measured() {
        let write = |bytes| fixture::workload("w", OpMix::Only(Op::Write), bytes, 1, 10);
        let stages = vec![("fill/w", vec![write(1 << 20)]), ("p", vec![write(4096)])];
        let warm = Load {
            warmup: 2,
            ..Load::simple(Op::Write, 256, 4096, 1_000_000, 10)
        };
        let fill = Load::simple(Op::Write, 10, 1 << 20, 1_000_000, 10);
        let events = fixture::events_of(fixture::plan(stages), &[vec![fill], vec![warm]]);
        assert_eq!(
            written(&fixture::run_of(&events)),
            "100 MiB to fill it, 8 MiB while it measured, 2 MiB in warm-ups"
        );
    }
}
