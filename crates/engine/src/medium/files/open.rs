//! Files and devices of this host, open for one worker.
//!
//! Belongs here: what is done to them as a whole, before, between and after the I/Os. Must never: do a worker's I/O.

use crate::os::cache;
use crate::os::file::{self, AsRawHandle, RawHandle};
use crate::prepare::{FileKind, OpenFile};
use std::io;

/// The files of one worker, in the order of its program.
#[derive(Debug)]
pub(crate) struct OpenFiles(pub(super) Vec<OpenFile>);

/// Files that the page cache keeps. Those they were taken from stay open for as long as this lives.
#[derive(Debug, Default)]
pub(crate) struct CachedFiles(Box<[RawHandle]>);

impl OpenFiles {
    pub(in crate::medium) const fn len(&self) -> usize {
        self.0.len()
    }

    pub(in crate::medium) fn flush(&self, target: usize) -> io::Result<()> {
        file::flush(&self.0[target].handle)
    }

    /// Not where I/O goes through the page cache, nor where there is no device: there threads do the work, and want
    /// a processor for it.
    pub(in crate::medium) fn end_by_interrupt(&self) -> bool {
        let mut files = self.0.iter();
        files.all(|file| file.direct && file::has_device(&file.handle))
    }

    pub(in crate::medium) fn cached(&self) -> CachedFiles {
        let regular = self.0.iter().filter(|file| file.kind == FileKind::Regular);
        CachedFiles(regular.map(|file| file.handle.as_raw_fd()).collect())
    }

    /// What back ends ask the kernel with, and the sizes in bytes.
    pub(in crate::medium) fn handles(&self) -> (Vec<RawHandle>, Vec<u64>) {
        let each = self.0.iter();
        each.map(|file| (file.handle.as_raw_fd(), file.size))
            .unzip()
    }
}

impl CachedFiles {
    /// Drops the cache. It is advice: what the kernel cannot drop stays.
    pub(crate) fn drop_cache(&self) {
        for &file in &self.0 {
            cache::drop_clean(file);
        }
    }
}
