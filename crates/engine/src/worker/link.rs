//! How a worker hands its counts over: it fills a cell, and swaps it for an empty one when an interval
//! is over. Cells go round; nothing is allocated, locked or shared while I/O runs. A worker that finds
//! no empty cell keeps filling the one it has: counts are then booked to the older interval, and never
//! lost.

use leadline_model::sample::{Counts, CpuUse, EndReason, OpCounts};
use leadline_model::units::Op;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Cells a worker owns: one being filled, the others under way or waiting.
const CELLS: usize = 3;

/// The counts of one worker in one interval.
#[derive(Debug)]
pub(crate) struct Cell {
    /// Number of the interval, from the start of the stage.
    pub(crate) interval: u64,
    /// Whether the counts belong to the warm-up.
    pub(crate) warmup: bool,
    /// Whether it is the worker's last: its interval is over for this worker, wherever it ended.
    pub(crate) last: bool,
    /// What was counted. Kinds that cannot occur have no counters.
    pub(crate) counts: Counts,
    /// I/Os by file, where they are counted so; they are no part of `counts` before [`Cell::sum_up`].
    pub(crate) files: Box<[Counts]>,
}

/// What a worker counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    /// Kinds of operation that can occur.
    pub(crate) kinds: Vec<Op>,
    /// Whether a rate is kept.
    pub(crate) open: bool,
    /// Files that are counted apart; below 2 = none.
    pub(crate) files: usize,
    /// Whether service latencies are counted in their two parts.
    pub(crate) parts: bool,
}

/// What a worker tells the collector.
#[derive(Debug)]
pub(crate) enum Message {
    /// An interval is over.
    Cell {
        /// Which worker of the stage.
        worker: usize,
        /// Its counts, to be sent back when they are taken out.
        cell: Box<Cell>,
    },
    /// The worker has ended; nothing follows.
    Ended {
        /// Which worker of the stage.
        worker: usize,
        /// How it went.
        end: Box<WorkerEnd>,
    },
}

/// How a worker's life went, beside its counts. Times are ticks.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkerEnd {
    pub(crate) thread_id: i32,
    pub(crate) first_submit: Option<u64>,
    pub(crate) window_start: u64,
    pub(crate) window_end: u64,
    pub(crate) unissued: u64,
    /// [`leadline_model::sample::WorkerTotals::edge`], in nanoseconds.
    pub(crate) edge: i64,
    pub(crate) cpu: CpuUse,
    /// The reading at the end of the window, where I/O goes on behind it.
    pub(crate) cpu_end: Option<CpuUse>,
    pub(crate) errors: Vec<(Op, i32, u64)>,
    pub(crate) reason: Option<EndReason>,
    /// The file whose I/O was the error that ended it, by its number.
    pub(crate) failed_file: Option<u32>,
    pub(crate) notes: Vec<String>,
}

/// The worker's end of the line.
#[derive(Debug)]
pub(crate) struct Link {
    worker: usize,
    out: SyncSender<Message>,
    empty: Receiver<Box<Cell>>,
}

/// The collector's end: where empty cells go back.
pub(crate) type Returns = SyncSender<Box<Cell>>;

impl Link {
    /// A line for worker number `worker`, with its empty cells waiting.
    pub(crate) fn new(
        worker: usize,
        out: SyncSender<Message>,
        counted: &Counted,
    ) -> (Self, Returns) {
        let (back, empty) = sync_channel(CELLS);
        for _ in 0..CELLS {
            // The channel has room for all cells there are.
            let _ = back.try_send(Box::new(Cell::new(counted)));
        }
        (Self { worker, out, empty }, back)
    }

    /// An empty cell, or `None` when all are under way.
    pub(crate) fn take_empty(&self) -> Option<Box<Cell>> {
        self.empty.try_recv().ok()
    }

    /// An empty cell, waiting for one if need be; `None` when the collector is gone.
    pub(crate) fn wait_empty(&self) -> Option<Box<Cell>> {
        self.empty.recv().ok()
    }

    /// Hands a full cell over. A collector that is gone takes no counts any more.
    pub(crate) fn hand_over(&self, cell: Box<Cell>) {
        let _ = self.out.send(Message::Cell {
            worker: self.worker,
            cell,
        });
    }

    /// Says that the worker has ended.
    pub(crate) fn end(&self, end: WorkerEnd) {
        let _ = self.out.send(Message::Ended {
            worker: self.worker,
            end: Box::new(end),
        });
    }
}

/// The line all workers of a stage share. It has room for every cell there is, so that sending never
/// waits.
pub(crate) fn line(workers: usize) -> (SyncSender<Message>, Receiver<Message>) {
    sync_channel(workers * (CELLS + 1))
}

impl Cell {
    fn new(counted: &Counted) -> Self {
        let mut counts = Counts::default();
        for &op in &counted.kinds {
            let response = (counted.open && op != Op::Sync).then(Default::default);
            let parts = (counted.parts && op != Op::Sync).then(Default::default);
            counts.ops[op.index()] = Some(OpCounts {
                response,
                parts,
                ..OpCounts::default()
            });
        }
        let files = if counted.files > 1 { counted.files } else { 0 };
        let files = vec![counts.clone(); files].into_boxed_slice();
        counts.lag = counted.open.then(Default::default);
        Self {
            interval: 0,
            warmup: false,
            last: false,
            counts,
            files,
        }
    }

    /// Adds what was counted by file to the counts of all, once.
    pub(crate) fn sum_up(&mut self) {
        for file in self
            .files
            .iter()
            .filter(|f| f.ops.iter().flatten().any(|o| !o.is_empty()))
        {
            self.counts.merge(file);
        }
    }

    /// The counts that an I/O of this file goes into.
    pub(crate) fn of_file(&mut self, file: u32) -> &mut Counts {
        match self.files.get_mut(file as usize) {
            Some(counts) => counts,
            None => &mut self.counts,
        }
    }

    /// Whether nothing was counted.
    pub(crate) fn is_empty(&self) -> bool {
        let all = self.files.iter().chain([&self.counts]);
        all.flat_map(|c| c.ops.iter().flatten())
            .all(OpCounts::is_empty)
            && self
                .counts
                .lag
                .as_ref()
                .is_none_or(leadline_model::latency::Latency::is_empty)
    }

    /// Forgets the counts, keeping the memory.
    pub(crate) fn clear(&mut self) {
        let all = self.files.iter_mut().chain([&mut self.counts]);
        for op in all.flat_map(|c| c.ops.iter_mut().flatten()) {
            if op.is_empty() && op.service.is_empty() {
                continue;
            }
            (op.ios, op.bytes, op.short, op.errors) = (0, 0, 0, 0);
            op.service.clear();
            if let Some(response) = &mut op.response {
                response.clear();
            }
            if let Some(parts) = &mut op.parts {
                parts.submission.clear();
                parts.completion.clear();
            }
        }
        if let Some(lag) = &mut self.counts.lag {
            lag.clear();
        }
        self.counts.late = 0;
        self.counts.depths = leadline_model::sample::Depths::default();
    }
}
