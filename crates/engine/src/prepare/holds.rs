//! The block devices that a run holds, from before anything is laid out to its end, and its own files.
//!
//! Belongs here: one hold for each device and process, whichever stage or worker needs it first, and what
//! covers what: who holds a disk holds its partitions. Must never: decide whether a device or file may be
//! taken.

use super::own::owned::{self, Owned};
use crate::os::errno;
use crate::os::file::{Meta, block_device as device};
use crate::os::hold::{Hold, NotHeld};
use crate::os::layers;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::time::Duration;

/// What a run holds. Runs with one number, on one host, share their holds: agents of one run.
#[derive(Debug)]
pub struct Holds {
    run: u64,
    held: Vec<Hold>,
    files: Vec<Owned>,
}

impl Holds {
    /// Nothing is held yet.
    #[must_use]
    pub const fn of_run(run: u64) -> Self {
        Self {
            run,
            held: Vec::new(),
            files: Vec::new(),
        }
    }

    /// A number for a run, as good as no other run has.
    #[must_use]
    pub fn new_run() -> u64 {
        RandomState::new().hash_one(std::process::id())
    }

    /// The run's number.
    pub(crate) const fn run(&self) -> u64 {
        self.run
    }

    /// Whether the device with this number, or the disk it is a part of, is held.
    pub(super) fn has(&self, dev: u64) -> bool {
        let whole = layers::whole_of(dev);
        self.held
            .iter()
            .any(|h| h.dev() == dev || Some(h.dev()) == whole)
    }

    /// Numbers of all devices that are held.
    pub(super) fn all(&self) -> Vec<u64> {
        self.held.iter().map(Hold::dev).collect()
    }

    /// The hold of a device, by the path to it.
    pub(super) fn of(&self, path: &Path) -> Option<&Hold> {
        let dev = device(path)?;
        self.held.iter().find(|h| h.dev() == dev)
    }

    /// Keeps a file of leadline's own to the end of the run.
    pub(super) fn own(&mut self, file: Owned) {
        self.files.push(file);
    }

    /// The files of leadline's own may change for so long from now on.
    pub(crate) fn own_files_change_for(&self, length: Duration) {
        self.files
            .iter()
            .for_each(|file| file.may_change_for(length));
    }

    /// Keeps no file of leadline's own any more: each is sealed, and claimed again by the next stage.
    pub(crate) fn let_go_of_own_files(&mut self) {
        owned::seal(&self.files);
        self.files.clear();
    }

    /// Whether the file at a path is kept as leadline's own.
    pub(super) fn owns(&self, path: &Path) -> bool {
        self.files.iter().any(|file| file.is_at(path))
    }

    /// Whether an open file is one of those.
    pub(super) fn owns_this(&self, meta: &Meta) -> bool {
        self.files.iter().any(|file| file.is(meta))
    }

    /// Takes a device that is not held yet.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn take(&mut self, path: &Path) -> Result<(), NotHeld> {
        let dev = device(path).ok_or(NotHeld::Failed(errno::ENOTBLK))?;
        if self.has(dev) {
            return Ok(());
        }
        // The kernel refuses a disk to every opener while one of its partitions is held, even to us.
        self.held.retain(|h| layers::whole_of(h.dev()) != Some(dev));
        self.held.push(Hold::take(path, self.run)?);
        Ok(())
    }
}

impl Drop for Holds {
    fn drop(&mut self) {
        owned::seal(&self.files);
    }
}
