//! By which means and where the I/O is done.

use super::{EngineKind, Polling, Power};
use serde::{Deserialize, Serialize};

/// The back end and its powers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Engine {
    /// Which one.
    pub kind: EngineKind,
    /// Completions are polled for, not interrupted for (IOPOLL, RWF_HIPRI).
    pub poll_completions: bool,
    /// A kernel thread takes the submissions (SQPOLL).
    pub poll_submissions: bool,
    /// CPU of that kernel thread.
    pub poll_cpu: Option<u32>,
    /// Most I/Os submitted in one call; `None` = all that are ready.
    pub batch_submit: Option<u32>,
    /// Completions to wait for in one call, at least 1; fewer only at the end. `None` = 1.
    pub batch_wait: Option<u32>,
    /// Once full, let the queue fall to this depth before filling it again.
    pub low_depth: Option<u32>,
    /// Do not start an I/O that overlaps one in flight.
    pub serialize_overlap: bool,
    /// Each I/O is marked RWF_NOWAIT.
    pub nowait: bool,
    /// Each I/O is marked RWF_DONTCACHE.
    pub uncached: bool,
    /// Every n-th I/O is forced to a kernel worker (IOSQE_ASYNC); 0 = none.
    pub force_async: u32,
    /// Memory mapped writes: what flushes each of them.
    pub map_flush: MapFlush,
    /// I/O priority of each file's I/Os: class (0 = the worker's own) and level, as in
    /// [`Placement::io_priority`]. io_uring only. Empty = the worker's for all.
    pub file_priorities: Vec<(u8, u8)>,
}

impl Engine {
    /// Whether it polls a queue of the device for completions.
    #[must_use]
    pub fn polls_queue(&self) -> bool {
        self.poll_completions && self.kind.powers().polling == Some(Polling::Queue)
    }
}

/// What flushes a memory mapped write to the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MapFlush {
    /// Nothing: the kernel writes back when it chooses to.
    #[default]
    Nothing,
    /// msync(MS_SYNC) of its pages.
    Sync,
    /// The cache lines are flushed and drained: enough for persistent memory only.
    Lines,
    /// The cache lines are flushed, without draining.
    LinesNoDrain,
}

/// How files are opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenMode {
    /// O_DIRECT: bypasses the client's page cache.
    pub direct: bool,
    /// O_SYNC or O_DSYNC.
    pub sync: SyncMode,
    /// O_ATOMIC-like writes (RWF_ATOMIC).
    pub atomic: bool,
}

/// Write-through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SyncMode {
    /// No.
    #[default]
    None,
    /// O_SYNC: data and metadata.
    Sync,
    /// O_DSYNC: data.
    Dsync,
}

/// Where workers run and what their memory is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// CPUs the workers may use; empty = any.
    pub cpus: Vec<u32>,
    /// No CPU may be used: the kernel refuses that to a worker.
    pub no_cpu: bool,
    /// Each worker gets one CPU of the list, in turn, rather than all of them.
    pub split_cpus: bool,
    /// Nice value, -20 to 19.
    pub nice: Option<i32>,
    /// I/O priority class (0 none, 1 real time, 2 best effort, 3 idle) and level 0 to 7.
    pub io_priority: Option<(u8, u8)>,
    /// What buffers are made of.
    pub memory: Memory,
    /// Extra alignment of the buffers in bytes; 0 = the page.
    pub buffer_align: u32,
    /// Bytes to lock in memory, so that the cache is smaller.
    pub lock_memory: u64,
}

/// What buffers are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Memory {
    /// Ordinary pages, huge ones when the kernel gives them (THP).
    #[default]
    Anonymous,
    /// Pages of hugetlbfs; refused with the cure when there are none.
    Huge,
    /// A shared mapping.
    Shared,
}

impl Power {
    /// Whether it is asked for.
    #[must_use]
    pub fn is_asked(self, engine: &Engine, open: &OpenMode) -> bool {
        match self {
            Self::PolledCompletions => engine.poll_completions,
            Self::SubmissionThread => engine.poll_submissions,
            Self::ForceAsync => engine.force_async > 0,
            Self::Nowait => engine.nowait,
            Self::Uncached => engine.uncached,
            Self::AtomicWrites => open.atomic,
            Self::MapFlushes => engine.map_flush != MapFlush::Nothing,
            Self::FilePriorities => !engine.file_priorities.is_empty(),
        }
    }
}
