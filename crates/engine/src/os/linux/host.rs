//! What is at a path of this host, and what its file system and device allow. Must never: change anything but by
//! [`make_folders`].

use crate::host_facts::{PathKind, is_among_devices};
use rustix::fs::{AtFlags, CWD, StatxFlags};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Asks statx for the alignment of O_DIRECT (Linux 6.1).
const STATX_DIOALIGN: StatxFlags = StatxFlags::from_bits_retain(0x2000);

/// Magic numbers of file systems whose O_DIRECT has no alignment of its own.
const UNALIGNED_DIRECT: [u64; 4] = [
    0x6969,      // NFS
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB2
    0x6573_5546, // FUSE
];

/// ext2, ext3 and ext4.
const EXT4: i64 = 0xEF53;
const RAMFS: i64 = 0x8584_58F6;
const TMPFS: i64 = 0x0102_1994;
const XFS: i64 = 0x5846_5342;

/// Symlinks that are followed one after the other (as the kernel does).
const MOST_LINKS: u32 = 40;

/// Whether the file system with this magic number is on another machine (FUSE may be either).
#[must_use]
pub fn is_network(magic: i64) -> bool {
    UNALIGNED_DIRECT[..3]
        .iter()
        .any(|m| i64::try_from(*m) == Ok(magic))
}

/// Whether what is or would be at `path` is in a file system in memory (tmpfs) of which this kernel takes no I/O
/// without doing it: io_uring has a thread of the kernel do each one. A file in memory without a name shows it.
#[must_use]
pub fn only_inside_call(path: &Path) -> bool {
    let in_memory = nearest(path)
        .and_then(|near| rustix::fs::statfs(&near).ok())
        .is_some_and(|about| about.f_type == TMPFS);
    in_memory && !memory_takes_nowait().unwrap_or(false)
}

/// Whether a read of a file in memory that may not wait is done rather than refused.
fn memory_takes_nowait() -> rustix::io::Result<bool> {
    use rustix::io::{Errno, ReadWriteFlags, preadv2};
    let file = rustix::fs::memfd_create("probe", rustix::fs::MemfdFlags::CLOEXEC)?;
    rustix::fs::ftruncate(&file, 4096)?;
    let mut byte = [0];
    let mut into = [io::IoSliceMut::new(&mut byte)];
    match preadv2(&file, &mut into, 0, ReadWriteFlags::NOWAIT) {
        Err(Errno::OPNOTSUPP) => Ok(false),
        answer => answer.map(|_| true),
    }
}

/// Bytes of the longest file of a file system, where that is less than some disks have: ext4 numbers the blocks of a
/// file with 32 bits.
fn longest_of(system: rustix::fs::StatFs) -> Option<u64> {
    let block = u64::try_from(system.f_bsize).ok()?;
    (system.f_type == EXT4).then(|| block.saturating_mul(u64::from(u32::MAX)))
}

/// What is at a path, symlinks followed.
#[must_use]
pub fn path_kind(path: &Path) -> PathKind {
    match fs::metadata(path) {
        Ok(meta) => kind_of(path, &meta),
        Err(e) if e.kind() == io::ErrorKind::NotFound => PathKind::Missing,
        Err(e) => PathKind::Unreachable(e.to_string()),
    }
}

/// Bytes free to any user in the file system that holds or would hold a path; `None` = unknown.
#[must_use]
pub fn free_bytes(path: &Path) -> Option<u64> {
    let there = space(path)?;
    Some(there.f_bavail.saturating_mul(there.f_frsize))
}

/// Bytes that this user can write there: of ext4, root can also have what is reserved.
pub(crate) fn bytes_left(path: &Path) -> Option<u64> {
    let there = space(path)?;
    let blocks = match rustix::process::geteuid().is_root() {
        true => there.f_bfree.max(there.f_bavail),
        false => there.f_bavail,
    };
    Some(blocks.saturating_mul(there.f_frsize))
}

/// The space of the file system of a path; `None` = one that counts no blocks (ramfs) has no bound of its own.
fn space(path: &Path) -> Option<rustix::fs::StatVfs> {
    let there = rustix::fs::statvfs(&nearest(path)?).ok()?;
    (there.f_blocks > 0).then_some(there)
}

/// Files that this user can still make there; `None` = unknown, or the file system makes room for them as it goes.
#[must_use]
pub fn free_files(path: &Path) -> Option<u64> {
    let there = rustix::fs::statvfs(&nearest(path)?).ok()?;
    (there.f_files > 0).then_some(there.f_favail)
}

/// The number of the file system that holds or would hold a path; `None` = unknown.
pub(crate) fn file_system(path: &Path) -> Option<u64> {
    Some(fs::metadata(nearest(path)?).ok()?.dev())
}

/// Bytes of the blocks that a file has; `None` = unknown.
pub(crate) fn allocated(path: &Path) -> Option<u64> {
    /// Of what `st_blocks` counts, whatever the file system's blocks are.
    const SECTOR: u64 = 512;
    Some(fs::metadata(path).ok()?.blocks().saturating_mul(SECTOR))
}

/// Whether the file system of a path stores data as they are written, by its kind.
pub(crate) fn keeps_all(path: &Path) -> bool {
    let there = nearest(path).and_then(|near| rustix::fs::statfs(&near).ok());
    there.is_some_and(|about| [EXT4, TMPFS, XFS].contains(&about.f_type))
}

/// Bytes that a file can have at most, by the file system and the limits of this process; `None` = no limit known.
pub(crate) fn longest_file(path: &Path) -> Option<u64> {
    let near = nearest(path);
    let there = near.and_then(|near| rustix::fs::statfs(&near).ok());
    let limits = [super::limits::file_bytes(), there.and_then(longest_of)];
    limits.into_iter().flatten().min()
}

/// Whether what is or would be made at a path, by whatever way, is in the memory that holds the device nodes.
#[must_use]
pub fn among_devices(path: &Path) -> bool {
    is_among_devices(&place(path)) || is_among_devices(path)
}

/// Whether the device below a path can be polled for completions, which no file in memory has; `None` = unknown.
pub(crate) fn polls(path: &Path) -> Option<bool> {
    let near = nearest(path)?;
    let meta = fs::metadata(&near).ok()?;
    let block = meta.file_type().is_block_device();
    let dev = if block { meta.rdev() } else { meta.dev() };
    if !block && rustix::fs::statfs(&near).is_ok_and(|about| [TMPFS, RAMFS].contains(&about.f_type))
    {
        return Some(false);
    }
    let (major, minor) = (rustix::fs::major(dev), rustix::fs::minor(dev));
    let base = format!("/sys/dev/block/{major}:{minor}");
    let own = fs::read_to_string(format!("{base}/queue/io_poll"));
    let text = own.or_else(|_| fs::read_to_string(format!("{base}/../queue/io_poll")));
    text.ok().map(|text| text.trim() != "0")
}

/// Bytes that offsets and sizes must be multiples of for O_DIRECT; `None` = unknown.
pub(crate) fn direct_align(path: &Path) -> Option<u32> {
    if let Ok(x) = rustix::fs::statx(CWD, path, AtFlags::empty(), STATX_DIOALIGN)
        && x.stx_mask & STATX_DIOALIGN.bits() != 0
        && x.stx_dio_offset_align > 0
    {
        return Some(x.stx_dio_offset_align);
    }
    let near = nearest(path)?;
    let magic = rustix::fs::statfs(&near).ok()?.f_type;
    if UNALIGNED_DIRECT
        .iter()
        .any(|m| i64::try_from(*m) == Ok(magic))
    {
        return Some(1);
    }
    block_sizes(fs::metadata(near).ok()?.dev()).map(|(_, logical)| logical)
}

/// Makes a folder and those above it that are missing; none below /dev, where it would be in memory.
///
/// # Errors
/// Why it cannot or must not be made.
pub fn make_folders(path: &Path) -> io::Result<()> {
    if !path.is_dir() && among_devices(path) {
        return Err(io::Error::other(NO_FOLDERS));
    }
    fs::create_dir_all(path)
}

/// Why no folder is made there.
const NO_FOLDERS: &str = "there is no such directory, and none is created under /dev";

/// The one name of what is or would be made at a path: absolute, without symlinks, those that lead to nothing yet
/// among them.
#[must_use]
pub fn place(path: &Path) -> PathBuf {
    // The folder of a bare name is an empty path.
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    let mut at = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    for _ in 0..MOST_LINKS {
        if let Ok(real) = fs::canonicalize(&at) {
            return real;
        }
        let Ok(to) = fs::read_link(&at) else { break };
        at = at.parent().map_or_else(|| to.clone(), |p| p.join(&to));
    }
    match (at.parent(), at.file_name()) {
        (Some(parent), Some(name)) => place(parent).join(name),
        _ => at,
    }
}

/// As [`place`]; `folders` are folders with their places, and that of the path is looked for where it is not among
/// them.
pub(crate) fn place_in(path: &Path, folders: &mut BTreeMap<PathBuf, PathBuf>) -> PathBuf {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return place(path);
    };
    // Without what may follow the name, which would have a link followed.
    let own = fs::symlink_metadata(folder.join(name));
    if own.is_ok_and(|meta| meta.is_symlink()) {
        return place(path);
    }
    if let Some(known) = folders.get(folder) {
        return known.join(name);
    }
    let of_folder = place(folder);
    let found = of_folder.join(name);
    folders.insert(folder.to_path_buf(), of_folder);
    found
}

/// The path itself or the nearest directory above it that exists.
#[must_use]
pub fn nearest(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    absolute
        .ancestors()
        .find(|p| fs::metadata(p).is_ok())
        .map(Path::to_path_buf)
}

fn kind_of(path: &Path, meta: &fs::Metadata) -> PathKind {
    let kind = meta.file_type();
    if kind.is_file() {
        return PathKind::File { size: meta.len() };
    }
    if kind.is_block_device() {
        return match block_sizes(meta.rdev()).or_else(|| by_opening(path)) {
            Some((size, logical_block)) => PathKind::Block {
                size,
                logical_block,
            },
            None => PathKind::Other("a block device whose size cannot be read".into()),
        };
    }
    let words = if kind.is_dir() {
        "a directory"
    } else if kind.is_char_device() {
        "a character device"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "neither a file nor a block device"
    };
    PathKind::Other(words.into())
}

/// Size and logical block of the block device with this number, from sysfs: needs no permission.
#[must_use]
pub fn block_sizes(dev: u64) -> Option<(u64, u32)> {
    let (major, minor) = (rustix::fs::major(dev), rustix::fs::minor(dev));
    if major == 0 {
        return None;
    }
    let base = format!("/sys/dev/block/{major}:{minor}");
    let number = |name: &str| -> Option<u64> {
        let text = fs::read_to_string(format!("{base}/{name}")).ok()?;
        text.trim().parse().ok()
    };
    let sectors = number("size")?;
    let logical = number("queue/logical_block_size")
        .or_else(|| number("../queue/logical_block_size"))
        .and_then(|n| u32::try_from(n).ok())
        .unwrap_or(512);
    Some((sectors.checked_mul(512)?, logical))
}

/// The same by opening the device, where sysfs is not mounted.
fn by_opening(path: &Path) -> Option<(u64, u32)> {
    let mut file = fs::File::open(path).ok()?;
    let size = io::Seek::seek(&mut file, io::SeekFrom::End(0)).ok()?;
    let logical = rustix::fs::ioctl_blksszget(&file).unwrap_or(512);
    Some((size, logical))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_distinguished() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        fs::write(&file, [0u8; 100]).unwrap();
        let link = dir.path().join("l");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(path_kind(&file), PathKind::File { size: 100 });
        assert_eq!(path_kind(&link), PathKind::File { size: 100 });
        assert_eq!(path_kind(&dir.path().join("no/where")), PathKind::Missing);
        let words = |p: &str| match path_kind(Path::new(p)) {
            PathKind::Other(w) => w,
            k => format!("{k:?}"),
        };
        assert_eq!(words("/dev/null"), "a character device");
        assert_eq!(words("/"), "a directory");
        assert!(matches!(
            path_kind(Path::new("/dev/null/x")),
            PathKind::Unreachable(_)
        ));
    }

    #[test]
    fn every_way_to_a_file_has_one_name_before_there_is_one() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("d")).unwrap();
        std::os::unix::fs::symlink("d/new", at("link")).unwrap();
        std::os::unix::fs::symlink("link", at("second")).unwrap();
        std::os::unix::fs::symlink("d", at("folder")).unwrap();
        std::os::unix::fs::symlink("circle", at("circle")).unwrap();
        let name = fs::canonicalize(dir.path()).unwrap().join("d/new");
        let ways = ["d/new", "link", "second", "folder/new", "d/../d/./new"];
        for made in [false, true] {
            let mut folders = BTreeMap::new();
            for way in ways {
                assert_eq!(place(&at(way)), name, "{way}");
                for _ in 0..2 {
                    assert_eq!(place_in(&at(way), &mut folders), name, "{way}");
                }
            }
            fs::write(at("d/new"), "").unwrap();
            assert!(made || at("second").is_file());
        }
        assert!(place(&at("circle")).ends_with("circle"));
        let here = fs::canonicalize(".").unwrap();
        assert_eq!(place(Path::new("")), here);
        assert_eq!(place(Path::new("no-such")), here.join("no-such"));
        let new = fs::canonicalize(dir.path()).unwrap().join("no/where");
        assert_eq!(place(&at("no/where")), new);
    }

    #[test]
    fn no_folder_is_made_among_devices_by_whatever_name() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/dev/leadline-none", &link).unwrap();
        std::os::unix::fs::symlink("/dev", dir.path().join("dev")).unwrap();
        let below = dir.path().join("dev/leadline-none/below");
        let ways = [Path::new("/dev/leadline-none/below"), &below, &link];
        for way in ways {
            assert!(among_devices(way), "{}", way.display());
            assert!(make_folders(way).is_err(), "{}", way.display());
        }
        assert!(!Path::new("/dev/leadline-none").exists());
        // What is there is fine, and elsewhere they are made.
        make_folders(Path::new("/dev")).unwrap();
        make_folders(&dir.path().join("a/b")).unwrap();
        assert!(dir.path().join("a/b").is_dir());
    }

    #[test]
    fn files_in_memory_have_no_device_to_poll() {
        let memory = Path::new("/dev/shm");
        if !rustix::fs::statfs(memory).is_ok_and(|about| about.f_type == TMPFS) {
            leadline_testkit::skip("engine::host::polls", "/dev/shm is no tmpfs");
            return;
        }
        assert_eq!(polls(memory), Some(false));
        assert_eq!(polls(&memory.join("leadline-none/f")), Some(false));
    }

    /// Of many files in one folder its place is looked for once.
    #[test]
    fn a_folder_is_looked_for_once() {
        let dir = tempfile::tempdir().unwrap();
        let mut folders = BTreeMap::new();
        for name in ["a", "b"] {
            place_in(&dir.path().join(name), &mut folders);
        }
        assert_eq!(folders.len(), 1);
        let elsewhere = PathBuf::from("/elsewhere");
        folders.insert(dir.path().to_path_buf(), elsewhere.clone());
        assert_eq!(
            place_in(&dir.path().join("c"), &mut folders),
            elsewhere.join("c")
        );
    }

    #[test]
    fn missing_paths_belong_to_the_file_system_above_them() {
        let dir = tempfile::tempdir().unwrap();
        let below = dir.path().join("a/b/c");
        assert_eq!(file_system(&below), file_system(dir.path()));
        assert!(free_bytes(&below).unwrap() > 0);
        assert_eq!(nearest(&below).unwrap(), dir.path());
    }
}
