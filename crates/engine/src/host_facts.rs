//! What a schedule asks the host.
//!
//! Belongs here: the questions, the answers, and a memory of them. Must never: ask the host itself.

use leadline_model::cure::Cure;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::Placement;
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
    /// Bytes that a file at `path` can have at most; `None` = unknown, or no limit.
    fn longest_file(&self, path: &Path) -> Option<u64> {
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
    /// What of a worker's priorities this process is refused, in words.
    fn priority_refused(&self, placement: &Placement) -> Option<String> {
        let _ = placement;
        None
    }
    /// Bytes that offsets and sizes must be multiples of for O_DIRECT on the regular file that is or
    /// would be at `path`; `None` = unknown, and 512 is assumed.
    fn direct_align(&self, path: &Path) -> Option<u32> {
        let _ = path;
        None
    }
    /// The one name of what is or would be at `path`: every spelling of it, and every symlink to it, gives the
    /// same.
    fn place(&self, path: &Path) -> PathBuf {
        path.to_path_buf()
    }
    /// Why targets may not or cannot be used as is meant, of those that are there now or would be made: the place
    /// of the target among `targets`, and why. `destroy` are devices that may lose what they carry.
    fn bars(&self, targets: &[Intent], destroy: &[String]) -> Vec<(usize, Bar)> {
        let _ = (targets, destroy);
        Vec::new()
    }
    /// Whether the answers are about a host; else only what holds on any host is told.
    fn is_known(&self) -> bool {
        true
    }
}

/// What a plan means to do with a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// Where.
    pub path: PathBuf,
    /// It is to be made: there is nothing yet, or an earlier stage deletes what is there.
    pub makes: bool,
    /// Its bytes change: it is written, trimmed, extended or filled.
    pub changes: bool,
    /// It is deleted afterwards (`Prepare::unlink`).
    pub goes: bool,
    /// It is opened with O_DIRECT.
    pub direct: bool,
    /// It is to be a file of leadline's own, with this word in its name.
    pub own: Option<String>,
}

/// Why a target is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// What kind of obstacle.
    pub code: ErrorCode,
    /// What was found, with the path.
    pub text: String,
    /// What to do about it.
    pub cure: Cure,
    /// See [`crate::problem::Problem::refused`].
    pub refused: bool,
}

/// Whether something made at this absolute path would lie in the memory that holds the device nodes.
pub(crate) fn is_among_devices(path: &Path) -> bool {
    path.starts_with("/dev") && !path.starts_with("/dev/shm")
}

/// Answers of the host, each asked for once, and what stages before have made of it.
pub(crate) struct Cached<'a> {
    pub(crate) host: &'a dyn HostFacts,
    kinds: BTreeMap<PathBuf, PathKind>,
    /// What is at a place once the stages before are over.
    coming: BTreeMap<PathBuf, Coming>,
    /// A path was asked for of which that is not known for sure.
    pub(crate) unsure: bool,
}

/// What is at a place once a stage is over.
#[derive(Clone, Debug)]
pub(crate) struct Coming {
    pub(crate) kind: PathKind,
    /// That is not certain: what the workers write decides.
    pub(crate) unsure: bool,
}

impl<'a> Cached<'a> {
    pub(crate) fn of(host: &'a dyn HostFacts) -> Self {
        Self {
            host,
            kinds: BTreeMap::new(),
            coming: BTreeMap::new(),
            unsure: false,
        }
    }

    /// What is at `path`.
    pub(crate) fn kind(&mut self, path: &Path) -> PathKind {
        if !self.coming.is_empty() {
            let place = self.host.place(path);
            if let Some(coming) = self.coming.get(&place) {
                self.unsure |= coming.unsure;
                return coming.kind.clone();
            }
            let made = |above: &Path| self.coming.get(above).map(|coming| &coming.kind);
            let mut above = place.ancestors().skip(1);
            if above.any(|above| matches!(made(above), Some(PathKind::File { .. }))) {
                return PathKind::Unreachable("a part of its path is a file".into());
            }
        }
        if let Some(kind) = self.kinds.get(path) {
            return kind.clone();
        }
        let kind = self.host.path_kind(path);
        self.kinds.insert(path.to_path_buf(), kind.clone());
        kind
    }

    /// From now on this is at `place`; folders above it that were missing are there.
    pub(crate) fn becomes(&mut self, place: PathBuf, coming: Coming) {
        let folders: Vec<PathBuf> = match coming.kind {
            PathKind::Missing => Vec::new(),
            _ => place.ancestors().skip(1).map(Path::to_path_buf).collect(),
        };
        for folder in folders {
            if folder.as_os_str().is_empty() || self.kind(&folder) != PathKind::Missing {
                break;
            }
            let made = Coming {
                kind: PathKind::Other("a directory".into()),
                unsure: false,
            };
            self.coming.insert(folder, made);
        }
        self.coming.insert(place, coming);
    }
}
