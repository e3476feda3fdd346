//! May this device or file be written? What uses it at this moment, and what it carries.
//!
//! Belongs here: mounts, holders, swap and locks, on the target and on all that is made of the same bytes,
//! and the marks on a device that is held. Only looks; errs on the side of refusing. Must never: decide what
//! the user's word lifts.

use super::device::number;
use super::hold::Hold;
use super::host;
use super::layers::{self, Id, Loops};
use super::locks;
use super::mount::{self, Mount, unescape};
use crate::os::signature;
use rustix::fs::{Advice, Mode, OFlags, major};
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What this host was using when it was checked.
pub(crate) struct InUse {
    loops: Loops,
    mounts: String,
    swaps: Vec<Id>,
    run: u64,
}

impl InUse {
    /// Looks at all of it; `run` is whose own holds are no use by others.
    pub(crate) fn now(run: u64) -> Self {
        Self {
            loops: Loops::now(),
            mounts: mount::table(),
            swaps: swaps(),
            run,
        }
    }

    /// What uses the device or file at `path`, in words.
    pub(crate) fn uses(&self, path: &Path) -> Vec<String> {
        let Some(target) = self.loops.id_of(path) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for id in self.loops.sharing(target) {
            let name = named(id, target);
            match id {
                Id::BlockDevice(dev) => {
                    self.mounted(dev, &name, &mut found);
                    held(dev, &name, &mut found);
                }
                Id::File(..) if id != target => {
                    let path = self.loops.path_of(id);
                    found.extend(path.and_then(|p| locks::of_others(p, self.run, false)));
                }
                Id::File(..) => {}
            }
            if self.swaps.contains(&id) {
                found.push(format!("{name} is in use as swap"));
            }
        }
        let device = matches!(target, Id::BlockDevice(_));
        found.extend(locks::of_others(path, self.run, device));
        found
    }

    /// Paths of the devices beside a target and its own disk that are made of the same bytes.
    pub(crate) fn beside(&self, path: &Path) -> Vec<PathBuf> {
        let Some(target) = self.loops.id_of(path) else {
            return Vec::new();
        };
        let all = self.loops.sharing(target);
        let others = all.into_iter().filter(|id| !is_one_disk(*id, target));
        others.filter_map(node).collect()
    }

    fn mounted(&self, dev: u64, name: &str, found: &mut Vec<String>) {
        for mount in self.mounts.lines().filter_map(Mount::parse) {
            // File systems over several devices (btrfs) have a number of their own; their source has the
            // device's.
            let source = || {
                let path = mount.source.starts_with("/dev/").then_some(&mount.source)?;
                fs::metadata(path).ok().map(|m| m.rdev())
            };
            let number = number(mount.dev);
            let no_device = number.is_none_or(|number| major(number) == 0);
            if number == Some(dev) || (no_device && source() == Some(dev)) {
                let words = format!("{name} is mounted on {}", mount.point);
                if !found.contains(&words) {
                    found.push(words);
                }
            }
        }
    }
}

/// Whether both are one device, or a disk and its partition.
fn is_one_disk(a: Id, b: Id) -> bool {
    let (Id::BlockDevice(a), Id::BlockDevice(b)) = (a, b) else {
        return a == b;
    };
    a == b || layers::whole_of(a) == Some(b) || layers::whole_of(b) == Some(a)
}

/// What something is called beside the target.
fn named(id: Id, target: Id) -> String {
    let Id::BlockDevice(dev) = id else {
        return "it".into();
    };
    let name = name_of(dev);
    match target {
        _ if is_one_disk(id, target) => name,
        Id::File(..) => format!("{name}, which is stacked on it,"),
        Id::BlockDevice(_) => format!("{name}, which shares its storage,"),
    }
}

fn name_of(dev: u64) -> String {
    let directory = layers::directory(dev);
    let name = directory.as_deref().and_then(Path::file_name);
    name.map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Where a device is found below /dev.
fn node(id: Id) -> Option<PathBuf> {
    let Id::BlockDevice(dev) = id else {
        return None;
    };
    let path = Path::new("/dev").join(name_of(dev).replace('!', "/"));
    (Id::of(&path) == Some(id)).then_some(path)
}

fn held(dev: u64, name: &str, found: &mut Vec<String>) {
    let Some(directory) = layers::directory(dev) else {
        return;
    };
    let holders: Vec<String> = fs::read_dir(directory.join("holders"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    if !holders.is_empty() {
        found.push(format!("{name} is held by {}", holders.join(" and ")));
    }
}

/// Devices and files that are swapped on.
fn swaps() -> Vec<Id> {
    let table = fs::read_to_string("/proc/swaps").unwrap_or_default();
    let paths = table.lines().skip(1).filter_map(|line| {
        let path = line.split_whitespace().next()?;
        Id::of(Path::new(&unescape(path)))
    });
    paths.collect()
}

/// Names of the marks that a held device carries.
///
/// # Errors
/// When its ends cannot be read.
pub(crate) fn carried(hold: &Hold) -> io::Result<Vec<&'static str>> {
    marks(hold.fd(), hold.dev())
}

/// The same of a device that is not held.
///
/// # Errors
/// When it cannot be opened or read.
pub(crate) fn carried_at(path: &Path) -> io::Result<Vec<&'static str>> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let fd = rustix::fs::open(path, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&fd)?;
    marks(fd.as_fd(), stat.st_rdev)
}

fn marks(fd: BorrowedFd<'_>, dev: u64) -> io::Result<Vec<&'static str>> {
    let size = match host::block_sizes(dev) {
        Some((size, _)) => size,
        None => rustix::fs::seek(fd, rustix::fs::SeekFrom::End(0))?,
    };
    let found = signature::find(size, |at, buffer| read_at(fd, at, buffer));
    // What was checked is not to be found in the cache by what is measured.
    let _ = rustix::fs::fadvise(fd, 0, None, Advice::DontNeed);
    found
}

fn read_at(fd: BorrowedFd<'_>, mut at: u64, mut buffer: &mut [u8]) -> io::Result<()> {
    while !buffer.is_empty() {
        match rustix::io::pread(fd, &mut *buffer, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                at += n as u64;
                buffer = &mut buffer[n..];
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Whether a device is read-only: its driver or `blockdev --setro` says so.
pub(crate) fn is_read_only(dev: u64) -> bool {
    let ro = layers::directory(dev).map(|d| fs::read_to_string(d.join("ro")));
    matches!(ro, Some(Ok(text)) if text.trim() == "1")
}

/// Whether the user named the device at `path` among `named`, by this or another name.
#[must_use]
pub(crate) fn is_named(path: &Path, named: &[String]) -> bool {
    let Ok(target) = fs::metadata(path) else {
        return false;
    };
    named.iter().any(|name| {
        fs::metadata(name)
            .is_ok_and(|m| m.file_type().is_block_device() && m.rdev() == target.rdev())
    })
}

/// The canonical path when it differs from the path given.
#[must_use]
pub(crate) fn real_end(path: &Path) -> Option<PathBuf> {
    let end = fs::canonicalize(path).ok()?;
    let link = fs::symlink_metadata(path).is_ok_and(|m| m.file_type().is_symlink());
    (link || end.file_name() != path.file_name()).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_under_a_mount_is_in_use() {
        let table = mount::table();
        let on_device = table
            .lines()
            .filter_map(Mount::parse)
            .find(|m| Path::new(&m.source).is_absolute() && m.source.starts_with("/dev/"));
        let Some(mount) = on_device.filter(|m| fs::metadata(&m.source).is_ok()) else {
            leadline_testkit::skip(
                "engine::os::mounted_device",
                "none of this host's mounts shows its device",
            );
            return;
        };
        let found = InUse::now(1).uses(Path::new(&mount.source));
        assert!(
            found.iter().any(|words| words.contains("is mounted on")),
            "{found:?}"
        );
    }

    #[test]
    fn a_file_that_is_not_in_use_is_free() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let host = InUse::now(1);
        assert_eq!(host.uses(file.path()), [""; 0]);
        assert!(host.beside(file.path()).is_empty());
    }

    #[test]
    fn names_count_by_device_not_by_spelling() {
        assert!(!is_named(Path::new("/dev/null"), &["/dev/null".into()]));
        assert!(!is_named(Path::new("/no/such"), &["/no/such".into()]));
    }
}
