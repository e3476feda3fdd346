//! A file of leadline's own, locked by this run.
//!
//! Must never: look for files, or make them.

use super::mark;
use crate::os::file::{self, Handle, Meta};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file of leadline's own that this run has locked.
#[derive(Debug)]
pub(crate) struct Owned {
    pub(super) path: PathBuf,
    pub(super) file: (u64, u64),
    /// Keeps the lock.
    pub(super) lock: Handle,
}

impl Owned {
    /// Whether it is this path.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        self.path == path
    }

    /// It may change for so long from now on: what changes later was not this run. Where that cannot be noted, the
    /// file is not taken for its own again.
    pub(crate) fn may_change_for(&self, length: Duration) {
        let _ = mark::put(&self.lock, &self.path, length);
    }

    /// This run writes to it no more. Whether it is still there.
    fn seal(&self) -> bool {
        let there = file::look(&self.lock).is_ok_and(|meta| meta.names > 0);
        there && mark::seal(&self.lock, &self.path).is_ok()
    }

    /// Whether it is this open file.
    pub(crate) fn is(&self, meta: &Meta) -> bool {
        self.file == meta.id
    }
}

/// Marks files that a run is done with, so that whoever changes them from now on is known.
pub(crate) fn seal(files: &[Owned]) {
    let left = files.iter().filter(|file| file.seal()).count();
    if left > 0 {
        std::thread::sleep(mark::SETTLED);
    }
}
