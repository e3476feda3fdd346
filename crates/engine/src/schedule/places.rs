//! What a worker does I/O to, by the medium of its back end: paths with what is there, or something made up.
//!
//! Belongs here: one function for each medium. Must never: open anything, or say which part of a target is used.

use super::facts::{Cached, PathKind};
use super::problems::Problems;
use super::{names, on_host};
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::{Amount, MediumKind, Target, Workload};
use std::path::{Path, PathBuf};

/// What one worker does I/O to.
pub(super) struct Places {
    /// Each place, with what is there.
    pub(super) at: Vec<(PathBuf, PathKind)>,
    /// There is nothing: it is looked at by nobody, and not opened.
    pub(super) made_up: bool,
}

/// The places of a worker; `None` where a problem was noted instead.
pub(super) fn of(
    workload: &Workload,
    worker: u32,
    cached: &mut Cached<'_>,
    problems: &mut Problems,
) -> Option<Places> {
    let size = match (&workload.blocks().target, medium(workload)) {
        (Target::Null { size }, _) => *size,
        (Target::Simulated(device), _) => device.size,
        (Target::Paths(_) | Target::Files(_), MediumKind::Null) => null(workload, problems)?,
        (Target::Paths(_) | Target::Files(_), MediumKind::Simulated) => {
            problems.add(
                &workload.name,
                ErrorCode::PlanConflict,
                "the sim engine has files as its target",
                "give it a simulated device, or choose another engine",
            );
            return None;
        }
        (Target::Paths(_) | Target::Files(_), MediumKind::Files) => {
            return Some(Places {
                at: on_host(workload, worker, cached, problems),
                made_up: false,
            });
        }
    };
    let whole = PathKind::Block {
        size,
        logical_block: 1,
    };
    Some(Places {
        at: vec![(PathBuf::new(), whole)],
        made_up: true,
    })
}

fn medium(workload: &Workload) -> MediumKind {
    workload.engine.kind.powers().medium
}

/// Bytes of files that nobody opens.
fn null(workload: &Workload, problems: &mut Problems) -> Option<u64> {
    let files = match &workload.blocks().target {
        Target::Paths(paths) => u64::try_from(paths.len()).unwrap_or(1),
        Target::Files(set) => u64::from(set.count),
        _ => 1,
    };
    let region = &workload.blocks().region;
    let size = match (region.size, region.file_size) {
        (Some(Amount::Bytes(n @ 1..)), _) => n,
        (_, Some((_, high))) => high.saturating_mul(files),
        _ => {
            problems.add(
                &workload.name,
                ErrorCode::TargetSize,
                "the null engine opens no file, so its size must be given in bytes",
                ("give one", [Knob::Size]),
            );
            return None;
        }
    };
    let steps = region.offset_step.of(size);
    let last = steps.saturating_mul(u64::from(workload.clones));
    Some(
        size.saturating_add(region.offset.of(size))
            .saturating_add(last),
    )
}

/// The paths of one worker and what is there.
fn on_host(
    workload: &Workload,
    worker: u32,
    cached: &mut Cached<'_>,
    problems: &mut Problems,
) -> Vec<(PathBuf, PathKind)> {
    let paths = match &workload.blocks().target {
        Target::Paths(paths) => paths.iter().map(PathBuf::from).collect(),
        Target::Files(set) => {
            let named = Path::new(&workload.name);
            if set.name_may_be_device && matches!(cached.kind(named), PathKind::Block { .. }) {
                vec![named.to_path_buf()]
            } else {
                let own = workload.blocks().prepare.own.is_some();
                on_host::directories(&workload.name, (set, own), cached, problems);
                (0..set.count)
                    .map(|file| {
                        let job = &workload.name;
                        names::path(set, names::Naming { job, worker, file })
                    })
                    .collect()
            }
        }
        Target::Null { .. } | Target::Simulated(_) => vec![],
    };
    if paths.is_empty() {
        problems.add(
            &workload.name,
            ErrorCode::PlanValue,
            "the target names no file",
            "name at least one file or device",
        );
    }
    paths
        .into_iter()
        .enumerate()
        .map(|(file, path)| {
            let kind = cached.kind(&path);
            let folder = path.parent().map(|parent| cached.kind(parent));
            if kind == PathKind::Missing && cached.host.among_devices(&path) {
                // Of a folder that is missing the same was said.
                if folder != Some(PathKind::Missing)
                    || matches!(workload.blocks().target, Target::Paths(_))
                {
                    problems.add(
                        &workload.name,
                        ErrorCode::TargetMissing,
                        format!("there is no device {}", path.display()),
                        on_host::CHECK_ITS_NAME,
                    );
                }
            } else if kind == PathKind::Missing && !creates(&workload.of_file(file)) {
                problems.add(
                    &workload.name,
                    ErrorCode::TargetMissing,
                    format!("{} does not exist, and creating is off", path.display()),
                    (
                        "create it first, or have it created",
                        [Knob::Create, Knob::CreateOnOpen],
                    ),
                );
            }
            (path, kind)
        })
        .collect()
}

/// Whether files that are not there are made: those that come with being opened are only by who writes.
fn creates(workload: &Workload) -> bool {
    let prepare = &workload.blocks().prepare;
    prepare.create && (workload.writes() || !prepare.create_on_open)
}
