//! One worker's part of a stage, with all sizes known: what a schedule makes, media open and workers run.
//!
//! Belongs here: the types, and what can be read from them alone. Must never: ask the host, or be made elsewhere than
//! in the schedule.

use crate::access::{Cursors, Generator};
use crate::buffer::Layout;
use crate::extent::{Extent, WrapPoint};
use crate::host_facts::PathKind;
use leadline_model::plan::{OpMix, Workload};
use leadline_model::units::Bytes;
use std::path::PathBuf;
use std::sync::Arc;

/// One file of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlan {
    /// Where.
    pub path: PathBuf,
    /// What is there now.
    pub kind: PathKind,
    /// Size it must have before the start, in bytes; `None` = leave it as it is.
    pub make_size: Option<u64>,
    /// The used range; for a region that wraps around, the whole range in which it does.
    pub extent: Extent,
    /// How the region wraps around, if it does.
    pub wrap_around: Option<WrapAround>,
}

/// A region that wraps around: one extent that reaches beyond the end, and where it wraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrapAround {
    /// As if there was no end.
    pub extent: Extent,
    /// Where it wraps.
    pub wrap: WrapPoint,
}

impl FilePlan {
    /// The bytes a worker covers, which may reach beyond the end: see [`FilePlan::wrap_around`].
    #[must_use]
    pub fn walked(&self) -> Extent {
        self.wrap_around.map_or(self.extent, |turn| turn.extent)
    }

    /// The byte after the last used one.
    pub(crate) const fn end(&self) -> u64 {
        self.extent.start.saturating_add(self.extent.len)
    }
}

/// What one worker does, with all sizes known.
#[derive(Clone, Debug)]
pub struct Program {
    /// The host it is of, by its place in the plan's list, where several are simulated in one process; otherwise 0.
    pub host: u32,
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
    /// Where the extents wrap, by file; `None` or missing = nowhere.
    pub wraps: Vec<Option<WrapPoint>>,
    /// Bytes it moves, reads and writes together, before it is done with all loops; the I/O that
    /// reaches it is the last. `None` = bounded by time alone.
    pub total_bytes: Option<u64>,
    /// I/Os it does before it is done; `None` = not bounded so.
    pub total_ios: Option<u64>,
    /// Passes over its region after which it is done; `None` = not bounded so.
    pub passes: Option<u64>,
    /// Seed of all its random choices.
    pub seed: u64,
    /// Size of each I/O buffer.
    pub buffer: Bytes,
    /// Positions that the workers of the workload share, where it asks for that; at the start for each
    /// schedule that is made.
    pub cursors: Arc<Cursors>,
}

impl Program {
    /// The stream of its I/Os, which shares what the workers of its workload share.
    #[must_use]
    pub fn generator(&self) -> Generator {
        let seat = (self.worker, Arc::clone(&self.cursors));
        Generator::seated(&self.workload, &self.extents, self.seed, seat).wrapped(&self.wraps)
    }

    /// Most I/Os it has in flight: the workload's depth, or 1 for a back end that does one at a time.
    #[must_use]
    pub fn depth(&self) -> u32 {
        if self.workload.engine.kind.is_async() {
            self.workload.depth
        } else {
            1
        }
    }

    /// The I/O buffers it needs.
    #[must_use]
    pub fn buffers(&self) -> Layout {
        let mix = self.workload.blocks().mix;
        Layout {
            slots: self.depth(),
            size: self.buffer.0.max(1),
            align: self.workload.placement.buffer_align,
            memory: self.workload.placement.memory,
            both: matches!(mix, OpMix::ReadWrite { .. }) && mix.has_reads() && mix.writes(),
        }
    }
}

/// How many files workers have open at once, and how many descriptors that takes with all else.
pub(crate) fn descriptors<'a>(programs: impl IntoIterator<Item = &'a Program>) -> (u64, u64) {
    let with_files = programs.into_iter().filter(|p| !p.files.is_empty());
    let (mut files, mut workers) = (0, 0);
    for program in with_files {
        files += program.files.len() as u64;
        workers += 1;
    }
    (files, descriptors_of(files, workers))
}

/// How many descriptors this many open files take, with all else that this many workers need.
pub(crate) const fn descriptors_of(files: u64, workers: u64) -> u64 {
    /// Rings, eventfds, the run file, the terminal and the like.
    const OTHERS: u64 = 64;
    let own = workers.saturating_mul(2);
    files.saturating_add(own).saturating_add(OTHERS)
}
