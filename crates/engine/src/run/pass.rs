//! What happens when a worker has been through its region and begins again: the client's cache of its
//! files is dropped, as before the first pass, so that a second pass over a buffered file is measured
//! like the first. fio does so too.

use crate::os::cache;
use crate::os::file::RawHandle;
use crate::schedule::Program;

/// The files whose cache is dropped.
#[derive(Debug, Default)]
pub(crate) struct PassBoundary(Box<[RawHandle]>);

impl PassBoundary {
    /// Those of a worker's files that the page cache keeps, when the workload wants it dropped. The
    /// descriptors must stay open for as long as this lives.
    pub(super) fn new(program: &Program, fds: &[RawHandle], regular: &[bool]) -> Self {
        let workload = &program.workload;
        if workload.blocks().open.direct || !workload.blocks().prepare.drop_cache {
            return Self::default();
        }
        let kept = fds.iter().zip(regular).filter(|&(_, &regular)| regular);
        Self(kept.map(|(&fd, _)| fd).collect())
    }

    /// Drops the cache. It is advice: what the kernel cannot drop stays.
    pub(crate) fn drop_cache(&self) {
        for &fd in &self.0 {
            cache::drop_clean(fd);
        }
    }
}
