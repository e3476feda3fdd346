//! What happens when a worker has been through its region and begins again: the client's cache of its
//! files is dropped, as before the first pass, so that a second pass over a buffered file is measured
//! like the first. fio does so too.

use super::{CachedFiles, Opened};
use crate::program::Program;

/// The files whose cache is dropped.
#[derive(Debug, Default)]
pub(crate) struct PassBoundary(CachedFiles);

impl PassBoundary {
    /// Those of a worker's targets that a cache keeps, when the workload wants it dropped. They must stay open for
    /// as long as this lives.
    pub(crate) fn new(program: &Program, opened: &Opened) -> Self {
        let workload = &program.workload;
        if workload.blocks().open.direct || !workload.blocks().prepare.drop_cache {
            return Self::default();
        }
        Self(opened.cached())
    }

    /// Drops the cache. It is advice: what cannot be dropped stays.
    pub(crate) fn drop_cache(&self) {
        self.0.drop_cache();
    }
}
