//! How many workers of a plan could not be set up here: what fio's exit code reports.
//!
//! Belongs here: looking. Must never: create, open or change anything.

use crate::host_facts::PathKind;
use crate::os::access::{self, Wanted};
use crate::prepare::Host;
use crate::program::FilePlan;
use crate::schedule::compile;
use leadline_model::plan::{Plan, Stage, Workload};
use std::path::Path;

/// Workers of all stages that have a problem of their own, or a file that they may not open or make.
#[must_use]
pub fn out_of_reach(plan: &Plan) -> u32 {
    let workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
    workloads.map(|workload| of_workload(workload, plan)).sum()
}

fn of_workload(workload: &Workload, plan: &Plan) -> u32 {
    let mut alone = workload.clone();
    // Whom it waits for is in its stage, and not here.
    alone.start.after = None;
    let stage = Stage {
        workloads: vec![alone],
        ..Stage::default()
    };
    let Ok(programs) = compile(&stage, plan, &Host::default(), 0) else {
        return workload.clones;
    };
    let cut_off = programs.iter().filter(|program| {
        let mut files = program.files.iter();
        files.any(|file| !is_within_reach(file, workload.writes()))
    });
    u32::try_from(cut_off.count()).unwrap_or(u32::MAX)
}

fn is_within_reach(file: &FilePlan, writes: bool) -> bool {
    let wanted = if writes || file.make_size.is_some() {
        Wanted::ReadWrite
    } else {
        Wanted::Read
    };
    match file.kind {
        PathKind::Missing => can_be_made(&file.path),
        PathKind::File { .. } | PathKind::Block { .. } => access::real_user_may(&file.path, wanted),
        PathKind::Unreachable(_) | PathKind::Other(_) => false,
    }
}

/// Whether the nearest folder that is there takes something new.
fn can_be_made(path: &Path) -> bool {
    let folders = path.ancestors().skip(1);
    let folders = folders.map(|folder| match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    });
    let nearest = folders
        .into_iter()
        .find(|folder| folder.symlink_metadata().is_ok());
    nearest.is_some_and(|folder| folder.is_dir() && access::real_user_may(folder, Wanted::Make))
}
