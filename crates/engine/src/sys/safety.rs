//! May this block device be written? Refused when it is mounted, held, swapped on, opened exclusively
//! by someone, or carries anything that looks like data, unless the user named it for destruction.
//!
//! Only looks. Errs on the side of refusing.

use super::device::number;
use super::mount::{self, Mount, unescape};
use super::signature;
use rustix::fs::{Mode, OFlags, major, minor};
use rustix::io::Errno;
use std::fs;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What speaks against writing a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objections {
    /// It is used at this moment: mounted, held, swap, opened exclusively. In words.
    pub in_use: Vec<String>,
    /// It carries these.
    pub carries: Vec<String>,
    /// The device's own path, when the target was a symlink to it.
    pub end: Option<PathBuf>,
}

impl Objections {
    /// Whether nothing speaks against it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.in_use.is_empty() && self.carries.is_empty()
    }

    /// All of them, in words.
    #[must_use]
    pub fn words(&self) -> String {
        let mut parts = self.in_use.clone();
        if !self.carries.is_empty() {
            parts.push(format!("it carries {}", self.carries.join(" and ")));
        }
        parts.join("; ")
    }
}

/// Looks at a block device that is about to be written.
#[must_use]
pub fn objections(path: &Path) -> Objections {
    let mut found = Objections {
        end: real_end(path),
        ..Objections::default()
    };
    let Ok(meta) = fs::metadata(path) else {
        return found;
    };
    let family = family(meta.rdev());
    mounted(&family, &mut found.in_use);
    held(&family, &mut found.in_use);
    swapped(&family, &mut found.in_use);
    if found.in_use.is_empty() && opened_exclusively(path) {
        found
            .in_use
            .push("another program or the kernel has it open exclusively".into());
    }
    match carried(path) {
        Ok(names) => found.carries = names.into_iter().map(String::from).collect(),
        Err(e) => found
            .in_use
            .push(format!("what it carries cannot be read ({e})")),
    }
    found
}

/// Whether the user named the device at `path` among `named`, by this or another name.
#[must_use]
pub fn is_named(path: &Path, named: &[String]) -> bool {
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
pub fn real_end(path: &Path) -> Option<PathBuf> {
    let end = fs::canonicalize(path).ok()?;
    let link = fs::symlink_metadata(path).is_ok_and(|m| m.file_type().is_symlink());
    (link || end.file_name() != path.file_name()).then_some(end)
}

/// A device and its partitions: (number, directory in sysfs, name).
struct Member {
    dev: u64,
    directory: PathBuf,
    name: String,
}

fn family(dev: u64) -> Vec<Member> {
    let link = PathBuf::from(format!("/sys/dev/block/{}:{}", major(dev), minor(dev)));
    let directory = fs::canonicalize(&link).unwrap_or(link);
    let name_of = |d: &Path| {
        d.file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let mut all = vec![Member {
        dev,
        name: name_of(&directory),
        directory: directory.clone(),
    }];
    for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
        let part = entry.path();
        if !part.join("partition").exists() {
            continue;
        }
        if let Some(dev) = fs::read_to_string(part.join("dev"))
            .ok()
            .and_then(|t| number(&t))
        {
            all.push(Member {
                dev,
                name: name_of(&part),
                directory: part,
            });
        }
    }
    all
}

fn mounted(family: &[Member], found: &mut Vec<String>) {
    let table = mount::table();
    for line in table.lines() {
        let Some(mount) = Mount::parse(line) else {
            continue;
        };
        // File systems over several devices (btrfs) have a number of their own; their source has the
        // device's.
        let source = || {
            mount
                .source
                .starts_with("/dev/")
                .then(|| fs::metadata(&mount.source).ok().map(|m| m.rdev()))
                .flatten()
        };
        let dev = number(mount.dev);
        for member in family {
            if dev == Some(member.dev) || (major_of(dev) == 0 && source() == Some(member.dev)) {
                let words = format!("{} is mounted on {}", member.name, mount.point);
                if !found.contains(&words) {
                    found.push(words);
                }
            }
        }
    }
}

fn major_of(dev: Option<u64>) -> u32 {
    dev.map_or(0, major)
}

fn held(family: &[Member], found: &mut Vec<String>) {
    for member in family {
        let holders: Vec<String> = fs::read_dir(member.directory.join("holders"))
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        if !holders.is_empty() {
            found.push(format!(
                "{} is held by {}",
                member.name,
                holders.join(" and ")
            ));
        }
    }
}

fn swapped(family: &[Member], found: &mut Vec<String>) {
    let table = fs::read_to_string("/proc/swaps").unwrap_or_default();
    for line in table.lines().skip(1) {
        let Some(path) = line.split_whitespace().next().map(unescape) else {
            continue;
        };
        let dev = fs::metadata(path)
            .ok()
            .filter(|m| m.file_type().is_block_device())
            .map(|m| m.rdev());
        for member in family.iter().filter(|m| Some(m.dev) == dev) {
            found.push(format!("{} is swapped on", member.name));
        }
    }
}

fn opened_exclusively(path: &Path) -> bool {
    let flags = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NONBLOCK;
    matches!(
        rustix::fs::open(path, flags, Mode::empty()),
        Err(Errno::BUSY)
    )
}

fn carried(path: &Path) -> std::io::Result<Vec<&'static str>> {
    let mut file = fs::File::open(path)?;
    let size = std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))?;
    signature::find(size, |at, buffer| file.read_exact_at(buffer, at))
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
                "engine::sys::mounted_device",
                "none of this host's mounts shows its device",
            );
            return;
        };
        let found = objections(Path::new(&mount.source));
        assert!(!found.in_use.is_empty(), "{found:?}");
        assert!(!found.words().is_empty());
    }

    #[test]
    fn names_count_by_device_not_by_spelling() {
        assert!(!is_named(Path::new("/dev/null"), &["/dev/null".into()]));
        assert!(!is_named(Path::new("/no/such"), &["/no/such".into()]));
    }
}
