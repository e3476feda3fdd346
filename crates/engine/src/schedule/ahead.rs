//! What is known to be wrong with any stage of a plan before the first begins, so that nothing is written
//! for a plan that cannot be carried through.
//!
//! Belongs here: what no earlier stage can change: what the engine can do, alignment, space. Must never:
//! report what an earlier stage may yet make.

use super::compile::all;
use super::facts::{Cached, HostFacts, PathKind};
use super::problems::{Problem, Problems};
use super::{MAX_WORKERS, check};
use leadline_model::plan::Plan;
use std::collections::BTreeMap;
use std::path::Path;

/// Looks through all stages; each problem is told once, for the first workload that has it.
#[must_use]
pub fn ahead(plan: &Plan, facts: &dyn HostFacts) -> Vec<Problem> {
    let mut problems = Problems::default();
    let mut cached = Cached {
        host: facts,
        kinds: BTreeMap::new(),
    };
    for stage in &plan.stages {
        for workload in &stage.workloads {
            check::workload(workload, stage, plan, &mut problems);
        }
        let workers: u64 = stage.workloads.iter().map(|w| u64::from(w.clones)).sum();
        if workers > u64::from(MAX_WORKERS) {
            // Its own check says so.
            continue;
        }
        // Whatever else is missing, an earlier stage may make it.
        let programs = all(stage, 0, None, &mut cached, &mut Problems::default());
        for program in &programs {
            check::fixed(&program.workload, &program.files, facts, &mut problems);
        }
        check::space(&programs, facts, &mut problems);
    }
    let mut told: Vec<Problem> = Vec::new();
    for problem in problems.0 {
        if !told.iter().any(|t| t.text == problem.text) {
            told.push(problem);
        }
    }
    told
}

/// A host of which nothing is known: what would be wrong on any.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnyHost;

impl HostFacts for AnyHost {
    fn path_kind(&self, _: &Path) -> PathKind {
        PathKind::Missing
    }

    fn free_bytes(&self, _: &Path) -> Option<u64> {
        None
    }

    fn direct_align(&self, _: &Path) -> Option<u32> {
        Some(1)
    }

    fn among_devices(&self, _: &Path) -> bool {
        false
    }
}
