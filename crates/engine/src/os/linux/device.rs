//! Which block devices are under a path, and what they are stacked on.

use super::mount;
use rustix::fs::{major, makedev, minor};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Stacks deeper than this (crypt on volume on RAID on partition ...) are not followed.
const MOST_LEVELS: usize = 8;

/// A block device as sysfs shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockDevice {
    /// Name as the kernel has it (`vda`).
    pub name: String,
    /// Its directory in sysfs.
    pub directory: PathBuf,
    /// Name of the device stacked on it that led here; `None` for the one directly under the path.
    pub under: Option<String>,
}

/// `8:1` as a device number.
pub(super) fn number(text: &str) -> Option<u64> {
    let (a, b) = text.trim().split_once(':')?;
    Some(makedev(a.parse().ok()?, b.parse().ok()?))
}

/// Number of the block device that is at `path`, or that holds the file system `path` is or would be
/// in. `None` for network, memory and other file systems without a device.
#[must_use]
pub fn number_under(path: &Path, mounts: &str) -> Option<u64> {
    let near = super::host::nearest(path)?;
    let meta = fs::metadata(&near).ok()?;
    if meta.file_type().is_block_device() {
        return Some(meta.rdev());
    }
    if major(meta.dev()) != 0 {
        return Some(meta.dev());
    }
    // File systems over several devices have a number of their own.
    let mount = mount::holding(mounts, &fs::canonicalize(near).ok()?)?;
    let source = fs::metadata(mount.source).ok()?;
    source.file_type().is_block_device().then(|| source.rdev())
}

/// The whole device under a path (a partition's disk), then all it is stacked on, each once.
#[must_use]
pub fn stack(path: &Path, mounts: &str) -> Vec<BlockDevice> {
    let mut found = Vec::new();
    if let Some(dev) = number_under(path, mounts) {
        let link = format!("/sys/dev/block/{}:{}", major(dev), minor(dev));
        if let Ok(directory) = fs::canonicalize(link) {
            descend(&directory, None, 0, &mut found);
        }
    }
    found
}

fn descend(directory: &Path, under: Option<&str>, level: usize, found: &mut Vec<BlockDevice>) {
    let whole = if directory.join("partition").exists() {
        directory.parent().unwrap_or(directory)
    } else {
        directory
    };
    let Some(name) = whole.file_name().map(|n| n.to_string_lossy().into_owned()) else {
        return;
    };
    if level >= MOST_LEVELS || found.iter().any(|d| d.name == name) {
        return;
    }
    found.push(BlockDevice {
        name: name.clone(),
        directory: whole.to_path_buf(),
        under: under.map(str::to_owned),
    });
    let mut slaves: Vec<PathBuf> = fs::read_dir(whole.join("slaves"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|e| fs::canonicalize(e.path()).ok())
        .collect();
    slaves.sort();
    for slave in slaves {
        descend(&slave, Some(&name), level + 1, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_a_device_have_no_stack() {
        assert!(stack(Path::new("/proc/self/stat"), &mount::table()).is_empty());
    }

    #[test]
    fn a_stack_names_each_device_once_and_starts_at_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let found = stack(&dir.path().join("missing"), &mount::table());
        if found.is_empty() {
            leadline_testkit::skip(
                "engine::os::device_stack",
                "the temporary directory is on no block device",
            );
            return;
        }
        assert_eq!(found[0].under, None);
        assert!(found[0].directory.join("queue").exists());
        let mut names: Vec<_> = found.iter().map(|d| &d.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), found.len());
    }
}
