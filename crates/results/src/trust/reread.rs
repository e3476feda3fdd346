//! Whether an earlier run has read the same blocks in the same order.
//!
//! Belongs here: what two runs have in common. Must never: look for a run or open its file; the command does.

use super::is_real;
use crate::run::Run;
use crate::summary;
use leadline_model::cure::Knob;
use leadline_model::facts::FactKey;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{Target, Workload};
use std::path::Path;

/// Whether any workload of a run reads at random places that another run could repeat: with a seed that the plan fixes, on
/// targets whose names are the same in any directory.
#[must_use]
pub fn may_repeat(run: &Run) -> bool {
    let stages = run.plan.iter().flat_map(|plan| &plan.stages);
    stages.flat_map(|stage| &stage.workloads).any(is_fixed)
}

/// Code `repeated-offsets` (warn): for each workload of `run` that reads the same blocks in the same order as one of
/// `earlier`, a run of this name on the same host since its last start. In place of the finding that goes by the plan alone.
#[must_use]
pub fn offsets_of(run: &Run, earlier: &Run, name: &str) -> Vec<Finding> {
    if !since_one_start(run, earlier) {
        return Vec::new();
    }
    let before: Vec<&Workload> = measured(earlier).map(|(_, _, workload)| workload).collect();
    let again = measured(run).filter(|(_, _, now)| before.iter().any(|then| is_same(now, then)));
    let said = again.map(|(stage, workload, plan)| Finding {
        code: "repeated-offsets".to_owned(),
        severity: Severity::Warn,
        stage: Some(stage),
        workload: Some(workload),
        text: format!(
            "The run {name} read the same blocks of {} in the same order (seed {}), and the host was not restarted since: \
             a server or device cache may still hold them.",
            read_from(plan),
            plan.blocks().access.seed.unwrap_or_default()
        ),
        cure: (
            "For a cold-cache result, use a fresh seed.",
            [Knob::FreshSeed],
        )
            .into(),
    });
    said.collect()
}

/// What a workload reads, in words: files that it names after itself are those of their directories.
fn read_from(workload: &Workload) -> String {
    match &workload.blocks().target {
        Target::Files(set) if workload.target_name.is_none() => {
            let files = match set.count > 1 || workload.clones > 1 {
                true => "the files",
                false => "the file",
            };
            format!("{files} in {}", set.directories.join(", "))
        }
        _ => summary::target_name(workload),
    }
}

/// The workloads of the stages that were run, with the numbers of both.
fn measured(run: &Run) -> impl Iterator<Item = (u32, u32, &Workload)> {
    let stages = run.stages.iter().filter(|stage| !stage.workers.is_empty());
    stages.flat_map(|stage| {
        let planned = summary::planned(run, stage.stage).map_or(&[][..], |plan| &plan.workloads);
        (0..)
            .zip(planned)
            .map(|(number, workload)| (stage.stage, number, workload))
    })
}

/// Whether the kernel that one of them ran on is one that the other ran on.
fn since_one_start(run: &Run, earlier: &Run) -> bool {
    let boots = |run: &Run| {
        let facts = run.facts.iter().filter(|f| f.key() == FactKey::BOOT);
        let texts = facts.filter_map(|f| f.value.text().map(str::to_owned));
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>()
    };
    let before = boots(earlier);
    boots(run).iter().any(|boot| before.contains(boot))
}

fn is_fixed(workload: &Workload) -> bool {
    let blocks = workload.blocks();
    let anywhere = |name: &String| Path::new(name).is_absolute();
    let named = match &blocks.target {
        Target::Paths(paths) => paths.iter().all(anywhere),
        Target::Files(set) => !set.directories.is_empty() && set.directories.iter().all(anywhere),
        _ => false,
    };
    named
        && is_real(workload)
        && blocks.mix.has_reads()
        && blocks.access.order.is_random()
        && blocks.access.seed.is_some()
        && blocks.parts.is_empty()
}

/// Whether two workloads read the same blocks in the same order.
fn is_same(now: &Workload, then: &Workload) -> bool {
    let (a, b) = (now.blocks(), then.blocks());
    is_fixed(now)
        && is_fixed(then)
        && now.clones == then.clones
        && (&a.target, &a.region, &a.access) == (&b.target, &b.region, &b.access)
        && (&a.sizes, a.mix) == (&b.sizes, b.mix)
}
