//! A stage and the facts of a host become one program for each worker. Pure: nothing here opens a
//! file; what must be known of the host comes in as [`HostFacts`].
//!
//! Belongs here: file names, sizes, regions, stop amounts, seeds, and every check that can be made
//! before anything is created. Must never: open, create or write anything, read a clock, or draw from
//! a random source other than the seed.

mod check;
mod compile;
mod names;
mod offsets;
mod region;
#[cfg(test)]
mod tests;

pub(crate) use compile::rounds;
pub use compile::{MAX_DEPTH, MAX_WORKERS, compile};
pub use region::{active_ops, needs_data};

use crate::access::Cursors;
pub use crate::worker::Coupling;
use leadline_model::plan::Workload;
use leadline_model::units::Bytes;
use std::path::PathBuf;
use std::sync::Arc;

/// What a path is on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// Nothing there yet; the directory that would hold it may be missing too.
    Missing,
    /// A regular file of this size.
    File {
        /// In bytes.
        size: u64,
    },
    /// A block device.
    Block {
        /// In bytes.
        size: u64,
        /// Smallest unit it can address, in bytes.
        logical_block: u32,
    },
    /// It cannot be looked at, in the kernel's words.
    Unreachable(String),
    /// Anything else, in words (`a directory`, `a character device`).
    Other(String),
}

/// Questions a schedule asks about the host. Tests answer from a table.
pub trait HostFacts {
    /// What is at `path`, symlinks followed.
    fn path_kind(&self, path: &std::path::Path) -> PathKind;
    /// Bytes free to this user in the file system that holds or would hold `path`.
    fn free_bytes(&self, path: &std::path::Path) -> Option<u64>;
    /// A number that is the same for all paths in one file system; `None` = unknown.
    fn file_system(&self, path: &std::path::Path) -> Option<u64> {
        let _ = path;
        None
    }
    /// Bytes that offsets and sizes must be multiples of for O_DIRECT on the regular file that is or
    /// would be at `path`; `None` = unknown, and 512 is assumed.
    fn direct_align(&self, path: &std::path::Path) -> Option<u32> {
        let _ = path;
        None
    }
}

/// One file of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlan {
    /// Where.
    pub path: PathBuf,
    /// What is there now.
    pub kind: PathKind,
    /// Size it must have before the start, in bytes; `None` = leave it as it is.
    pub make_size: Option<u64>,
    /// The part that is used; of a region that goes round, all that it goes round in.
    pub extent: Extent,
    /// How the region goes round, where it does.
    pub turn: Option<Turn>,
}

/// A region that goes round: one extent that reaches behind what there is, and where it is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// As if there was no end.
    pub extent: Extent,
    /// Where it is folded.
    pub fold: Fold,
}

/// A place of a file behind which a region goes on at another place before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Bytes from here on lie elsewhere.
    pub at: u64,
    /// Where they lie, the first of them first.
    pub to: u64,
}

impl FilePlan {
    /// The bytes a worker goes through, which may reach behind the end: see [`FilePlan::turn`].
    #[must_use]
    pub fn walked(&self) -> Extent {
        self.turn.map_or(self.extent, |turn| turn.extent)
    }
}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// First byte.
    pub start: u64,
    /// Number of bytes.
    pub len: u64,
}

/// What one worker does, with all sizes known.
#[derive(Clone, Debug)]
pub struct Program {
    /// Workload within the stage.
    pub workload_index: u32,
    /// Worker within the workload.
    pub worker: u32,
    /// The pattern it follows.
    pub workload: Arc<Workload>,
    /// Its files; empty for null and simulated targets.
    pub files: Vec<FilePlan>,
    /// The part of each file it uses, by file; for null and simulated targets one extent.
    pub extents: Vec<Extent>,
    /// Where the extents are folded, by file; `None` or missing = nowhere.
    pub folds: Vec<Option<Fold>>,
    /// Bytes it moves, reads and writes together, before it is done with all loops; the I/O that
    /// reaches it is the last. `None` = bounded by time alone.
    pub total_bytes: Option<u64>,
    /// I/Os it does before it is done; `None` = not bounded so.
    pub total_ios: Option<u64>,
    /// Seed of all its random choices.
    pub seed: u64,
    /// Size of each I/O buffer.
    pub buffer: Bytes,
    /// Positions that the workers of the workload share, where it asks for that; at the start for each
    /// schedule that is made.
    pub cursors: Arc<Cursors>,
    /// What keeps its workload in proportion with others; `None` = it goes its own way.
    pub coupling: Option<Arc<Coupling>>,
}

impl Program {
    /// Most I/Os it has in flight: the workload's depth, or 1 for a back end that does one at a time.
    #[must_use]
    pub fn depth(&self) -> u32 {
        if self.workload.engine.kind.is_async() {
            self.workload.depth
        } else {
            1
        }
    }
}

/// Why a stage cannot run on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Workload's name.
    pub workload: String,
    /// What is wrong, with path and figures.
    pub text: String,
    /// What to do about it.
    pub cure: String,
    /// The host is in the way (no permission, no space), and not the plan, which may run elsewhere.
    pub host: bool,
}
