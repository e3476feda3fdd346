//! A look at targets before anything begins: what is there and may not be written, or cannot be opened or made.
//!
//! Belongs here: what preparing would say of each when its turn comes, found without a hold. Must never: create
//! or change anything, or keep anything open.

use super::{PrepareError, guard, open, own};
use crate::host_facts::{Bar, Intent, PathKind};
use crate::os::access::{self, Wanted};
use crate::os::errno;
use crate::os::file::{Open, block_device};
use crate::os::host;
use crate::os::mount::{self, Mount};
use crate::os::safety::{self, InUse};
use leadline_model::error_code::ErrorCode;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Why targets cannot or may not be used, each with its place among them; `run` is whose own holds and locks are
/// no use by others.
pub(crate) fn bars(targets: &[Intent], destroy: &[String], run: u64) -> Vec<(usize, Bar)> {
    if targets.is_empty() {
        return Vec::new();
    }
    let table = mount::table();
    let look = TargetCheck {
        in_use: InUse::now(run),
        mounts: mount::all(&table),
        destroy,
        run,
    };
    let mut folders = Folders::default();
    let found = targets.iter().enumerate().filter_map(|(index, target)| {
        let why = look.at(target, &mut folders).err()?;
        let refused = matches!(why, PrepareError::Refused { .. });
        Some((
            index,
            Bar {
                text: why.to_string(),
                code: why.code(),
                cure: why.cure(),
                refused,
            },
        ))
    });
    found.collect()
}

/// Folders of targets.
#[derive(Default)]
struct Folders {
    /// Each with its place.
    places: BTreeMap<PathBuf, PathBuf>,
    /// Those that were checked, for files to open with O_DIRECT or without.
    checked: BTreeSet<(PathBuf, bool)>,
}

struct TargetCheck<'a> {
    in_use: InUse,
    mounts: Vec<Mount<'a>>,
    destroy: &'a [String],
    run: u64,
}

impl TargetCheck<'_> {
    /// One target.
    fn at(&self, target: &Intent, folders: &mut Folders) -> Result<(), PrepareError> {
        let path = &target.path;
        if let Some(word) = &target.own {
            own::look_at(path, word, self.run)?;
        }
        let kind = host::path_kind(path);
        let place = host::place_in(path, &mut folders.places);
        if matches!(kind, PathKind::Missing | PathKind::File { .. }) {
            self.is_of_storage(path, &place)?;
        }
        match kind {
            PathKind::Missing => {
                leads_somewhere(path, &place)?;
                makeable(target, &place, &mut folders.checked)
            }
            // What it cannot be is said by the schedule.
            PathKind::Unreachable(_) | PathKind::Other(_) => Ok(()),
            PathKind::File { .. } if target.makes || target.own.is_some() => Ok(()),
            PathKind::File { .. } => {
                let shown = guard::shown(path);
                if target.changes {
                    guard::free(&self.in_use.uses(path), &shown)?;
                } else if target.goes {
                    guard::free_to_go(&self.in_use.uses(path), &shown)?;
                }
                openable(path, target)
            }
            PathKind::Block { .. } if target.changes => self.device(path),
            PathKind::Block { .. } => allowed(path, Wanted::Read, "opening"),
        }
    }

    /// A file that is no interface of the kernel, whose files hold no data and cannot be made.
    fn is_of_storage(&self, path: &Path, place: &Path) -> Result<(), PrepareError> {
        let there = place.ancestors().find(|p| p.exists()).unwrap_or(place);
        let Some(kind) = mount::interface(&self.mounts, there) else {
            return Ok(());
        };
        Err(PrepareError::Environment {
            code: ErrorCode::TargetKind,
            text: format!(
                "{} is on {kind}, an interface of the kernel without data",
                guard::shown(path)
            ),
            cure: "name a file or a device of the storage that is to be measured".into(),
            errno: None,
        })
    }

    /// A device that is to be written.
    fn device(&self, path: &Path) -> Result<(), PrepareError> {
        let shown = guard::shown(path);
        guard::free(&self.in_use.uses(path), &shown)?;
        if block_device(path).is_some_and(safety::is_read_only) {
            return Err(PrepareError::Environment {
 code: ErrorCode::Permission,
                text: format!("{shown} would be written, but it is a read-only device"),
                cure: "make it writable (blockdev --setrw, or attach it without read-only), or use another".into(),
                errno: Some(errno::EROFS),
            });
        }
        allowed(path, Wanted::ReadWrite, "opening")?;
        guard::carries(path, &shown, safety::carried_at(path), self.destroy).map(drop)
    }
}

/// Opens a file as its workers will, and closes it again: whatever is in the way says so, and nothing changes.
fn openable(path: &Path, target: &Intent) -> Result<(), PrepareError> {
    let mut flags = if target.changes {
        Open::READ_WRITE
    } else {
        Open::READ
    };
    if target.direct {
        flags = flags | Open::DIRECT;
    }
    match (flags | Open::NO_WAIT).at(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(open::cannot_open(path, target.direct, &error)),
    }
}

/// A link at the path of a file that is to be made leads into a folder that is there: none is made for it.
fn leads_somewhere(path: &Path, place: &Path) -> Result<(), PrepareError> {
    if !path.is_symlink() || place.parent().is_some_and(Path::is_dir) {
        return Ok(());
    }
    let (shown, place) = (guard::shown(path), place.display());
    Err(PrepareError::Environment {
        code: ErrorCode::TargetMissing,
        text: format!("{shown} is a link to {place}, whose folder does not exist"),
        cure: "make the folder, or name another path".into(),
        errno: Some(errno::ENOENT),
    })
}

/// Whether a file can be made in the nearest folder that is there, and opened as its workers will.
fn makeable(
    target: &Intent,
    place: &Path,
    folders: &mut BTreeSet<(PathBuf, bool)>,
) -> Result<(), PrepareError> {
    let path = &target.path;
    let Some(folder) = place.parent().and_then(host::nearest) else {
        return Ok(());
    };
    if !folder.is_dir() || !folders.insert((folder.clone(), target.direct)) {
        return Ok(());
    }
    access::check(&folder, Wanted::Make).map_err(|e| PrepareError::of("creating", path, &e))?;
    // A file without a name, gone at once; where there are none, it is not known before.
    let nameless = Open::READ_WRITE | Open::NAMELESS;
    if target.direct
        && let Err(error) = (nameless | Open::DIRECT).at(&folder)
        && error.raw_os_error() == Some(errno::EINVAL)
        && nameless.at(&folder).is_ok()
    {
        return Err(open::cannot_open(path, true, &error));
    }
    Ok(())
}

fn allowed(path: &Path, wanted: Wanted, what: &str) -> Result<(), PrepareError> {
    access::check(path, wanted).map_err(|e| PrepareError::of(what, path, &e))
}
