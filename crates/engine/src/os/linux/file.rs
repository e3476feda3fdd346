//! Open files and devices: opening, looking, reading, advice, flushes, extended attributes.
//!
//! Must never: follow what a plan says, or read or write anything else than it is asked to.

use rustix::fs::{FileType, Mode, OFlags, SeekFrom, Stat, XattrFlags};
use rustix::io::Errno;
use std::io;
use std::ops::BitOr;
pub(crate) use std::os::fd::{
    AsFd as AsHandle, AsRawFd as AsRawHandle, BorrowedFd as Borrowed, OwnedFd as Handle,
    RawFd as RawHandle,
};
pub(crate) use std::os::unix::fs::FileExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::time::SystemTime;

/// How to open. Descriptors are never inherited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open(OFlags);

impl Open {
    pub(crate) const READ: Self = Self(OFlags::RDONLY);
    pub(crate) const WRITE: Self = Self(OFlags::WRONLY);
    pub(crate) const READ_WRITE: Self = Self(OFlags::RDWR);
    /// Made when it is not there.
    pub(crate) const CREATE: Self = Self(OFlags::CREATE);
    /// Made, and refused when it is there (with [`Open::CREATE`]).
    pub(crate) const NEW: Self = Self(OFlags::EXCL);
    /// Refused where it is a symbolic link.
    pub(crate) const NO_LINK: Self = Self(OFlags::NOFOLLOW);
    /// Does not wait for the other end (of a pipe).
    pub(crate) const NO_WAIT: Self = Self(OFlags::NONBLOCK);
    /// One without a name in the folder that is opened; it is gone when it is closed.
    pub(crate) const NAMELESS: Self = Self(OFlags::TMPFILE);
    /// Past the page cache.
    pub(crate) const DIRECT: Self = Self(OFlags::DIRECT);
    /// Each write brings down data and metadata.
    pub(crate) const SYNC: Self = Self(OFlags::SYNC);
    /// Each write brings down data.
    pub(crate) const DSYNC: Self = Self(OFlags::DSYNC);
    /// Access times stay; only the owner may ask for it.
    pub(crate) const NO_ACCESS_TIME: Self = Self(OFlags::NOATIME);

    /// Opens a path; what is made may be read and written by all that the umask lets.
    ///
    /// # Errors
    /// The kernel's.
    pub(crate) fn at(self, path: &Path) -> io::Result<Handle> {
        let flags = self.0 | OFlags::CLOEXEC;
        Ok(rustix::fs::open(path, flags, Mode::from_raw_mode(0o666))?)
    }
}

impl BitOr for Open {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Regular,
    Block,
    Other,
}

/// What the kernel keeps about a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meta {
    pub(crate) what: Type,
    /// File system and number in it: the same file has the same.
    pub(crate) id: (u64, u64),
    /// Number of a device; 0 where it is none.
    pub(crate) device: u64,
    /// Bytes of a regular file.
    pub(crate) size: u64,
    /// Names (hard links).
    pub(crate) names: u64,
    /// When anything of it changed last, in nanoseconds since 1970 of its file system's clock.
    pub(crate) changed: i128,
}

impl From<Stat> for Meta {
    #[cfg_attr(
        target_arch = "x86_64",
        expect(
            clippy::useless_conversion,
            reason = "the count of names is shorter on other processors"
        )
    )]
    fn from(stat: Stat) -> Self {
        Self {
            what: match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => Type::Regular,
                FileType::BlockDevice => Type::Block,
                _ => Type::Other,
            },
            id: (stat.st_dev, stat.st_ino),
            device: stat.st_rdev,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            names: stat.st_nlink.into(),
            changed: i128::from(stat.st_ctime) * 1_000_000_000 + i128::from(stat.st_ctime_nsec),
        }
    }
}

/// What an open file is.
///
/// # Errors
/// The kernel's.
pub(crate) fn look(file: impl AsHandle) -> io::Result<Meta> {
    Ok(rustix::fs::fstat(file)?.into())
}

/// What identifies a file or directory at its path, also when its file system is mounted again, which then has
/// another number itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileIdentity {
    /// Its number in its file system; new ones give their first files the same.
    number: u64,
    /// When it was made, where that is known.
    made: Option<SystemTime>,
}

impl FileIdentity {
    /// Of what is at a path; `None` = nothing is.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        let meta = std::fs::symlink_metadata(path).ok()?;
        Some(Self {
            number: meta.ino(),
            made: meta.created().ok(),
        })
    }
}

/// Number of the block device at a path.
pub(crate) fn block_device(path: &Path) -> Option<u64> {
    let meta = std::fs::metadata(path).ok()?;
    meta.file_type().is_block_device().then(|| meta.rdev())
}

/// Bytes that are stored of a file.
///
/// # Errors
/// The kernel's.
pub(crate) fn stored(file: &std::fs::File) -> io::Result<u64> {
    Ok(file.metadata()?.blocks().saturating_mul(512))
}

/// Bytes of an open device.
///
/// # Errors
/// The kernel's.
pub(crate) fn device_size(file: impl AsHandle) -> io::Result<u64> {
    Ok(rustix::fs::seek(file, SeekFrom::End(0))?)
}

/// Whether an open file is on a file system of another machine.
pub(crate) fn is_remote(file: impl AsHandle) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|about| super::host::is_network(about.f_type))
}

/// Whether a device of its own ends I/O to it by an interrupt. Not in file systems in memory, remote ones and those
/// in user space, nor on loop devices: there threads do the work.
pub(crate) fn has_device(file: impl AsHandle) -> bool {
    const NO_DEVICE: u32 = 0;
    const LOOP: u32 = 7;
    let Ok(stat) = rustix::fs::fstat(file) else {
        return false;
    };
    let device = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => stat.st_dev,
        _ => stat.st_rdev,
    };
    !matches!(rustix::fs::major(device), NO_DEVICE | LOOP)
}

/// How a file will be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advice {
    Random,
    Sequential,
    /// Not soon: what is clean leaves the cache.
    DontNeed,
}

/// Advises on the whole file. A file system that takes no advice is as good.
pub(crate) fn advise(file: impl AsHandle, advice: Advice) {
    let advice = match advice {
        Advice::Random => rustix::fs::Advice::Random,
        Advice::Sequential => rustix::fs::Advice::Sequential,
        Advice::DontNeed => rustix::fs::Advice::DontNeed,
    };
    let _ = rustix::fs::fadvise(file, 0, None, advice);
}

/// Brings data and metadata down.
///
/// # Errors
/// The kernel's.
pub(crate) fn flush(file: impl AsHandle) -> io::Result<()> {
    Ok(rustix::fs::fsync(file)?)
}

/// Reads at an offset; how many bytes.
///
/// # Errors
/// The kernel's.
pub(crate) fn read_at(file: impl AsHandle, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    Ok(rustix::io::pread(file, buffer, at)?)
}

/// Where data continues at or after an offset; `None` = a hole to the end.
///
/// # Errors
/// Where the file system does not report holes.
pub(crate) fn next_data(file: impl AsHandle, at: u64) -> io::Result<Option<u64>> {
    match rustix::fs::seek(file, SeekFrom::Data(at)) {
        Ok(data) => Ok(Some(data)),
        Err(Errno::NXIO) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Sets an extended attribute.
///
/// # Errors
/// Where the file system keeps none, or the user may not.
pub(crate) fn set_attribute(file: impl AsHandle, name: &str, value: &[u8]) -> io::Result<()> {
    Ok(rustix::fs::fsetxattr(
        file,
        name,
        value,
        XattrFlags::empty(),
    )?)
}

/// Reads one into a buffer; its length.
pub(crate) fn attribute(file: impl AsHandle, name: &str, value: &mut [u8]) -> Option<usize> {
    rustix::fs::fgetxattr(file, name, value).ok()
}
