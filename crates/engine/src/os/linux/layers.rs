//! Which block devices and files are made of the same bytes: a disk and its partitions, a loop device and
//! what backs it, in any number of layers and with offsets.
//!
//! Belongs here: reading sysfs and asking loop devices what they lie on, and following it. Must never:
//! decide what that means. Device mapper, RAID and bcache are not followed: they hold what they lie on, and
//! the kernel reports that.
#![expect(unsafe_code, reason = "an ioctl asks a loop device what it lies on")]

use super::device::number;
use super::twin::is_one_file;
use rustix::fs::{Mode, OFlags, major, minor};
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Layers deeper than this are not followed.
const MOST_LAYERS: usize = 16;

/// Something that bytes lie on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Id {
    /// A block device, by its number.
    BlockDevice(u64),
    /// A regular file, by the number of its file system's device and its inode.
    File(u64, u64),
}

impl Id {
    /// What is at a path, when it is one of both.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let meta = fs::metadata(path).ok()?;
        if meta.file_type().is_block_device() {
            return Some(Self::BlockDevice(meta.rdev()));
        }
        meta.is_file().then(|| Self::File(meta.dev(), meta.ino()))
    }
}

/// A part of something: from its first byte to one after its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByteRange {
    id: Id,
    from: u64,
    to: u64,
}

/// A loop device that is on something.
#[derive(Clone, Debug)]
struct Loop {
    dev: u64,
    /// The file's name, as sysfs has it.
    file: PathBuf,
    /// What it is on, and where that begins and ends for it, in bytes.
    on: ByteRange,
}

/// The loop devices of this host, as they were when they were checked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loops(Vec<Loop>);

impl Loops {
    /// Looks at all of them.
    pub(crate) fn now() -> Self {
        let names = fs::read_dir("/sys/block").into_iter().flatten().flatten();
        let mut all = Self::default();
        for mut found in names.filter_map(|entry| one(&entry.path())) {
            found.on.id = all.known_as(&found.file, found.on.id);
            all.0.push(found);
        }
        all
    }

    /// What is at a path, by the numbers that loop devices know it by, should it be one of their files. A file of
    /// theirs is recognised through an overlay where this mount namespace has its path.
    pub(crate) fn id_of(&self, path: &Path) -> Option<Id> {
        Id::of(path).map(|id| self.known_as(path, id))
    }

    /// The numbers of the file at a path, whose own are `id`: those of a loop device's file, when it is that one.
    fn known_as(&self, path: &Path, id: Id) -> Id {
        if matches!(id, Id::BlockDevice(_)) || self.0.iter().any(|l| l.on.id == id) {
            return id;
        }
        let mut files = self.0.iter().filter(|l| matches!(l.on.id, Id::File(..)));
        let twin = files.find(|l| is_one_file(path, &l.file));
        twin.map_or(id, |l| l.on.id)
    }

    /// Everything that shares bytes with it, each once.
    pub(crate) fn sharing(&self, id: Id) -> Vec<Id> {
        let whole = ByteRange {
            id,
            from: 0,
            to: u64::MAX,
        };
        let mut parts = vec![whole];
        let mut at = whole;
        while let Some(below) = self.below(at).filter(|_| parts.len() < MOST_LAYERS) {
            parts.push(below);
            at = below;
        }
        let mut found: Vec<Id> = Vec::new();
        for part in parts {
            self.above(part, 0, &mut found);
        }
        found
    }

    /// Where a file is that a loop device is on, when it still has that name.
    pub(crate) fn path_of(&self, id: Id) -> Option<&Path> {
        let paths = self
            .0
            .iter()
            .filter(|l| l.on.id == id)
            .map(|l| l.file.as_path());
        paths.into_iter().find(|path| Id::of(path) == Some(id))
    }

    /// What a part is on.
    fn below(&self, part: ByteRange) -> Option<ByteRange> {
        let Id::BlockDevice(dev) = part.id else {
            return None;
        };
        if let Some(found) = self.0.iter().find(|l| l.dev == dev) {
            let at = |offset: u64| found.on.from.saturating_add(offset);
            return Some(ByteRange {
                id: found.on.id,
                from: at(part.from),
                to: at(part.to).min(found.on.to),
            });
        }
        let directory = directory(dev)?;
        let (from, to) = bounds(&directory)?;
        Some(ByteRange {
            id: Id::BlockDevice(whole_of(dev)?),
            from: from.saturating_add(part.from),
            to: from.saturating_add(part.to).min(to),
        })
    }

    /// Notes a part, and all that is on it.
    fn above(&self, part: ByteRange, layer: usize, found: &mut Vec<Id>) {
        if layer > MOST_LAYERS {
            return;
        }
        if !found.contains(&part.id) {
            found.push(part.id);
        }
        for l in self.0.iter().filter(|l| l.on.id == part.id) {
            if let Some(part) = seen_from(part, Id::BlockDevice(l.dev), (l.on.from, l.on.to)) {
                self.above(part, layer + 1, found);
            }
        }
        let Id::BlockDevice(dev) = part.id else {
            return;
        };
        for (dev, bounds) in partitions(dev) {
            if let Some(part) = seen_from(part, Id::BlockDevice(dev), bounds) {
                self.above(part, layer + 1, found);
            }
        }
    }
}

/// A part of what is below, as the one above it sees it; `None` where they have nothing in common.
fn seen_from(below: ByteRange, above: Id, (from, to): (u64, u64)) -> Option<ByteRange> {
    let (first, end) = (below.from.max(from), below.to.min(to));
    (first < end).then(|| ByteRange {
        id: above,
        from: first - from,
        to: end - from,
    })
}

/// Where sysfs describes a device.
pub(crate) fn directory(dev: u64) -> Option<PathBuf> {
    fs::canonicalize(format!("/sys/dev/block/{}:{}", major(dev), minor(dev))).ok()
}

/// The disk that a partition belongs to.
pub(crate) fn whole_of(dev: u64) -> Option<u64> {
    let directory = directory(dev).filter(|d| d.join("partition").exists())?;
    number(&fs::read_to_string(directory.parent()?.join("dev")).ok()?)
}

/// Partitions of a disk, with where they begin and end on it in bytes.
fn partitions(dev: u64) -> Vec<(u64, (u64, u64))> {
    let Some(directory) = directory(dev) else {
        return Vec::new();
    };
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let part = entry.path();
            let bounds = bounds(&part)?;
            Some((number(&text(&part.join("dev"))?)?, bounds))
        })
        .collect()
}

/// Where a partition begins and ends on its disk, in bytes.
fn bounds(directory: &Path) -> Option<(u64, u64)> {
    if !directory.join("partition").exists() {
        return None;
    }
    let sectors = |name: &str| text(&directory.join(name))?.parse::<u64>().ok();
    let from = sectors("start")?.saturating_mul(512);
    Some((
        from,
        from.saturating_add(sectors("size")?.saturating_mul(512)),
    ))
}

fn text(path: &Path) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

/// A loop device by its directory in sysfs; `None` when it is none, or is on nothing.
fn one(directory: &Path) -> Option<Loop> {
    let file = text(&directory.join("loop/backing_file"))?;
    let dev = number(&text(&directory.join("dev"))?)?;
    let value = |name: &str| text(&directory.join(name)).and_then(|t| t.parse::<u64>().ok());
    let from = value("loop/offset").unwrap_or(0);
    let size = value("size").map_or(u64::MAX, |sectors| sectors.saturating_mul(512));
    // The name may be another file's by now, or of another mount namespace; the device itself knows, and
    // answers those who may open it.
    let name = directory.file_name()?;
    let id = ask(&Path::new("/dev").join(name)).or_else(|| Id::of(Path::new(&file)))?;
    let to = from.saturating_add(size);
    Some(Loop {
        dev,
        file: PathBuf::from(file),
        on: ByteRange { id, from, to },
    })
}

/// Asks the device itself.
fn ask(path: &Path) -> Option<Id> {
    /// Reads the state of a loop device.
    const LOOP_GET_STATUS64: libc::c_ulong = 0x4c05;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let fd = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    // Three numbers of 64 bits that are of interest, of 232 bytes in all.
    let mut status = [0u64; 29];
    // SAFETY: the kernel writes 232 bytes, which is what there is.
    let done = unsafe { libc::ioctl(fd.as_raw_fd(), LOOP_GET_STATUS64 as _, status.as_mut_ptr()) };
    if done != 0 {
        return None;
    }
    let [device, inode, own, ..] = status;
    Some(if own == 0 {
        Id::File(device, inode)
    } else {
        Id::BlockDevice(own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: Id = Id::File(1, 2);
    const MIB: u64 = 1 << 20;

    fn device(n: u32) -> u64 {
        // No host has a major number like this, so nothing of it comes from sysfs.
        rustix::fs::makedev(4000, n)
    }

    fn on(n: u32, id: Id, from: u64, to: u64) -> Loop {
        Loop {
            dev: device(n),
            file: PathBuf::new(),
            on: ByteRange { id, from, to },
        }
    }

    #[test]
    fn layers_are_followed_up_and_down() {
        let (a, b) = (Id::BlockDevice(device(0)), Id::BlockDevice(device(1)));
        let loops = Loops(vec![on(0, FILE, 0, 64 * MIB), on(1, a, MIB, 64 * MIB)]);
        assert_eq!(loops.sharing(FILE), [FILE, a, b]);
        assert_eq!(loops.sharing(a), [a, b, FILE]);
        assert_eq!(loops.sharing(b), [b, a, FILE]);
        assert_eq!(loops.sharing(Id::File(1, 3)), [Id::File(1, 3)]);
    }

    #[test]
    fn parts_beside_each_other_share_nothing() {
        let (a, b) = (Id::BlockDevice(device(0)), Id::BlockDevice(device(1)));
        let beside = Loops(vec![on(0, FILE, 0, MIB), on(1, FILE, MIB, 2 * MIB)]);
        assert_eq!(beside.sharing(a), [a, FILE]);
        let over = Loops(vec![on(0, FILE, 0, MIB + 512), on(1, FILE, MIB, 2 * MIB)]);
        assert_eq!(over.sharing(a), [a, FILE, b]);
    }

    #[test]
    fn a_circle_of_layers_ends() {
        let (a, b) = (Id::BlockDevice(device(0)), Id::BlockDevice(device(1)));
        let loops = Loops(vec![on(0, b, 0, MIB), on(1, a, 0, MIB)]);
        assert_eq!(loops.sharing(a), [a, b]);
    }
}
