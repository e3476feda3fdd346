//! What a schedule asks the host.
//!
//! Belongs here: the questions, the answers, and a memory of them. Must never: ask the host itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
    fn path_kind(&self, path: &Path) -> PathKind;
    /// Bytes free to this user in the file system that holds or would hold `path`.
    fn free_bytes(&self, path: &Path) -> Option<u64>;
    /// A number that is the same for all paths in one file system; `None` = unknown.
    fn file_system(&self, path: &Path) -> Option<u64> {
        let _ = path;
        None
    }
    /// Whether something made at `path` would lie in the memory that holds the device nodes.
    fn among_devices(&self, path: &Path) -> bool {
        is_among_devices(path)
    }
    /// Whether the device below `path` can be polled for completions; `None` = unknown.
    fn polls(&self, path: &Path) -> Option<bool> {
        let _ = path;
        None
    }
    /// Bytes that offsets and sizes must be multiples of for O_DIRECT on the regular file that is or
    /// would be at `path`; `None` = unknown, and 512 is assumed.
    fn direct_align(&self, path: &Path) -> Option<u32> {
        let _ = path;
        None
    }
}

/// Whether something made at this absolute path would lie in the memory that holds the device nodes.
pub(crate) fn is_among_devices(path: &Path) -> bool {
    path.starts_with("/dev") && !path.starts_with("/dev/shm")
}

/// Answers of the host, each asked for once.
pub(super) struct Cached<'a> {
    pub(super) host: &'a dyn HostFacts,
    pub(super) kinds: BTreeMap<PathBuf, PathKind>,
}

impl Cached<'_> {
    /// What is at `path`.
    pub(super) fn kind(&mut self, path: &Path) -> PathKind {
        if let Some(kind) = self.kinds.get(path) {
            return kind.clone();
        }
        let kind = self.host.path_kind(path);
        self.kinds.insert(path.to_path_buf(), kind.clone());
        kind
    }
}
