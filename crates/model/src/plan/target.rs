//! What the I/O goes to, which part of it, and how it is prepared.

use super::simulated::{SimDevice, SimTarget};
use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// What the I/O goes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Target {
    /// These files or block devices, shared by all workers of the workload.
    Paths(Vec<String>),
    /// Files named by a pattern, each worker its own.
    Files(FileSet),
    /// Nothing: each I/O completes at once. Measures leadline itself.
    Null {
        /// Size it pretends to have, in bytes.
        size: u64,
    },
    /// A simulated volume on a virtual clock, or a file on one.
    Simulated(Box<SimTarget>),
}

impl Target {
    /// How many files each worker has; a device, and what is no file, counts as one. At least 1.
    #[must_use]
    pub fn files(&self) -> usize {
        let files = match self {
            Self::Paths(paths) => paths.len(),
            Self::Files(set) => set.count as usize,
            Self::Simulated(target) => target.files.len(),
            Self::Null { .. } => 1,
        };
        files.max(1)
    }
}

impl From<SimDevice> for Target {
    fn from(volume: SimDevice) -> Self {
        Self::Simulated(Box::new(volume.into()))
    }
}

/// Files named by a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSet {
    /// Directories, used in turn by worker number; empty = the current one. Each must exist.
    pub directories: Vec<String>,
    /// Name with `$jobname`, `$jobnum` (worker within the workload) and `$filenum` in it.
    pub pattern: String,
    /// Number of files for each worker, at least 1.
    pub count: u32,
    /// When the workload's name is the path of an existing device, that is the target (fio).
    pub name_may_be_device: bool,
}

/// A quantity that may depend on the target's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Amount {
    /// A number of bytes.
    Bytes(u64),
    /// A share of the target, 0 to 100.
    Percent(u32),
}

impl Default for Amount {
    fn default() -> Self {
        Self::Bytes(0)
    }
}

impl Amount {
    /// The bytes it stands for on a target of `whole` bytes.
    #[must_use]
    pub fn of(self, whole: u64) -> u64 {
        match self {
            Self::Bytes(n) => n,
            Self::Percent(p) => {
                u64::try_from(u128::from(whole) * u128::from(p) / 100).unwrap_or(u64::MAX)
            }
        }
    }
}

/// Which part of the target is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// First byte.
    pub offset: Amount,
    /// Added for each further worker of the workload.
    pub offset_step: Amount,
    /// Bytes of each worker over all its files; `None` = all there is.
    pub size: Option<Amount>,
    /// Size of each file, or a range it is drawn from.
    pub file_size: Option<(u64, u64)>,
    /// Offsets in percent are rounded to this, in fio's jobs up, else down; `None` = the smallest block size.
    pub offset_align: Option<u64>,
    /// Write until the file system is full; ENOSPC is the end, not an error.
    pub until_full: bool,
    /// Only what is beyond the present end of each file, that end rounded down to a multiple of this
    /// many bytes: a file that is large enough already leaves nothing to do (Vdbench's format run).
    pub beyond_end: Option<u64>,
    /// Nothing of a file at or beyond this byte, however large it is (DISKSPD's `-f`). Extends no file.
    pub end: Option<u64>,
    /// The region wraps around: see [`Wrap`].
    pub wrap: Option<Wrap>,
}

/// The range in which a region wraps around: what would be at or beyond its end continues at its start, in the same
/// order (Vdbench's ranges over 100 %). The first piece ends at the last multiple of the largest size, counted
/// from the region's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrap {
    /// First byte.
    pub start: u64,
    /// The byte after the last; a percentage is of the target, which must exist then.
    pub end: Amount,
}

/// How space for a file is allocated before the first I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fallocate {
    /// Not at all.
    None,
    /// fallocate(2); skipped where it is not supported.
    #[default]
    Native,
    /// posix_fallocate(3): writes where the file system cannot reserve.
    Posix,
    /// fallocate(2) without changing the size.
    Keep,
    /// ftruncate(2): a hole of the full size.
    Truncate,
}

/// What is done to the files before the first I/O and after the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepare {
    /// Create what is missing.
    pub create: bool,
    /// Only prepare; no I/O is measured.
    pub create_only: bool,
    /// Create a file when it is first used rather than before the start.
    pub create_on_open: bool,
    /// Workers prepare one after the other.
    pub one_by_one: bool,
    /// fsync what was written while preparing.
    pub fsync: bool,
    /// How space is allocated.
    pub fallocate: Fallocate,
    /// Write real data first even for a workload that only writes.
    pub overwrite: bool,
    /// Drop the client's cache of the files before the start.
    pub drop_cache: bool,
    /// Read the files into the cache before the start.
    pub pre_read: bool,
    /// Advise the kernel of the access pattern: POSIX_FADV_RANDOM or _SEQUENTIAL.
    pub advise: Advise,
    /// Delete the files at the end.
    pub unlink: bool,
    /// The files were to be deleted after each loop. They stay: only loops that would read them again are refused.
    pub unlink_each_loop: bool,
    /// Most files open at once; `None` = all.
    pub open_files: Option<u32>,
    /// Recreate each regular file before the stage with this many bytes of data, whatever it contained
    /// (DISKSPD's `-c`). Devices stay as they are.
    pub recreate: Option<u64>,
    /// The files are leadline's own, and this is a word that is in the name of each: their directories are
    /// created too, each file has a mark and is locked, a file of such a name without the mark is not touched,
    /// and what an earlier run left is removed. `None` = they are the user's.
    pub own: Option<String>,
}

/// Advice to the kernel about the access pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Advise {
    /// None.
    Nothing,
    /// By the workload's order.
    #[default]
    ByOrder,
    /// Random, whatever the order.
    Random,
    /// Sequential, whatever the order.
    Sequential,
}

impl Default for Prepare {
    fn default() -> Self {
        Self {
            create: true,
            create_only: false,
            create_on_open: false,
            one_by_one: true,
            fsync: true,
            fallocate: Fallocate::Native,
            overwrite: false,
            drop_cache: true,
            pre_read: false,
            advise: Advise::ByOrder,
            unlink: false,
            unlink_each_loop: false,
            open_files: None,
            recreate: None,
            own: None,
        }
    }
}

/// How long a stalled device may keep the end of a run waiting before it is reported as hanging.
pub const DRAIN_LIMIT: Nanos = Nanos::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_of_a_huge_target_does_not_overflow() {
        assert_eq!(Amount::Percent(100).of(u64::MAX), u64::MAX);
        assert_eq!(Amount::Percent(50).of(1001), 500);
        assert_eq!(Amount::Bytes(7).of(1), 7);
    }
}
