//! The paths of one worker, and what is there.
//!
//! Belongs here: names, and what of them cannot be. Must never: open anything, or say which part of a target is used.

use super::names;
use crate::host_facts::{Cached, PathKind};
use crate::problem::Problems;
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::{Amount, FileSet, Position, Target, Workload};
use std::path::{Path, PathBuf};

/// What to do about a device that is missing.
const CHECK_ITS_NAME: &str =
    "check its name (lsblk): a file created here would be in memory, not on a disk";

/// The directories of a file set exist; those for files of leadline's own can be made.
fn directories(
    name: &str,
    (set, own): (&FileSet, bool),
    cached: &mut Cached<'_>,
    problems: &mut Problems,
) {
    for directory in &set.directories {
        let shown = if directory.is_empty() {
            "."
        } else {
            directory.as_str()
        };
        match cached.kind(Path::new(shown)) {
            PathKind::Missing if cached.among_devices(Path::new(shown)) => problems.add(
                name,
                ErrorCode::TargetMissing,
                format!("there is no device {shown}"),
                CHECK_ITS_NAME,
            ),
            PathKind::Missing if own => {}
            PathKind::Missing => problems.add(
                name,
                ErrorCode::TargetMissing,
                format!("the directory {shown} does not exist"),
                format!("mkdir -p {shown}"),
            ),
            PathKind::File { .. } | PathKind::Block { .. } => problems.add(
                name,
                ErrorCode::TargetKind,
                format!("{shown} is not a directory"),
                "give a directory that exists",
            ),
            PathKind::Other(what) if !what.contains("directory") => problems.add(
                name,
                ErrorCode::TargetKind,
                format!("{shown} is {what}, not a directory"),
                "give a directory that exists",
            ),
            PathKind::Unreachable(_) | PathKind::Other(_) => {}
        }
    }
    if set.count == 0 {
        problems.add(
            name,
            ErrorCode::PlanValue,
            "it has 0 files",
            ("give it at least one", [Knob::FileCount]),
        );
    }
}

/// The paths of one worker and what is there.
pub(super) fn of(
    workload: &Workload,
    worker: u32,
    cached: &mut Cached<'_>,
    problems: &mut Problems,
) -> Vec<(PathBuf, PathKind)> {
    let paths = match &workload.blocks().target {
        Target::Paths(paths) => paths.iter().map(PathBuf::from).collect(),
        Target::Files(set) => {
            if is_device(workload, set, cached) {
                vec![PathBuf::from(&workload.name)]
            } else {
                let own = workload.blocks().prepare.own.is_some();
                directories(&workload.name, (set, own), cached, problems);
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
            if kind == PathKind::Missing && cached.among_devices(&path) {
                // Of a folder that is missing the same was said.
                if folder != Some(PathKind::Missing)
                    || matches!(workload.blocks().target, Target::Paths(_))
                {
                    problems.add(
                        &workload.name,
                        ErrorCode::TargetMissing,
                        format!("there is no device {}", path.display()),
                        CHECK_ITS_NAME,
                    );
                }
            } else if kind == PathKind::Missing && is_barred(&workload.of_file(file)) {
                problems.add(
                    &workload.name,
                    ErrorCode::TargetMissing,
                    format!(
                        "{} does not exist, and file creation is off",
                        path.display()
                    ),
                    (
                        "create it first, or turn file creation on",
                        [Knob::Create, Knob::CreateOnOpen],
                    ),
                );
            }
            (path, kind)
        })
        .collect()
}

/// How many files one worker has; `None` = its target is none.
pub(super) fn count(workload: &Workload, cached: &mut Cached<'_>) -> Option<u64> {
    match &workload.blocks().target {
        Target::Paths(paths) => Some(paths.len() as u64),
        Target::Files(set) if is_device(workload, set, cached) => Some(1),
        Target::Files(set) => Some(set.count.into()),
        Target::Null { .. } | Target::Simulated(_) => None,
    }
}

/// Whether the workload is named by the path of a device, which then is its target.
fn is_device(workload: &Workload, set: &FileSet, cached: &mut Cached<'_>) -> bool {
    let named = Path::new(&workload.name);
    set.name_may_be_device && matches!(cached.kind(named), PathKind::Block { .. })
}

/// Whether a missing file is not created although its size is known: one that is created by being opened, only by a
/// workload that writes. Where no size is given, that is said of its size, and giving one creates the file; a job with a
/// position of each kind of operation turns creation off itself, and hears both.
fn is_barred(workload: &Workload) -> bool {
    let blocks = workload.blocks();
    let (prepare, region) = (&blocks.prepare, &blocks.region);
    let creates = prepare.create && (workload.writes() || !prepare.create_on_open);
    let is_sized = matches!(region.size, Some(Amount::Bytes(_)))
        || region.file_size.is_some()
        || region.until_full;
    !creates && (is_sized || blocks.access.position == Position::EachKind)
}
