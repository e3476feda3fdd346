//! How a worker hands its counts over: it fills a cell, and swaps it for an empty one when an interval
//! is over. Cells are reused; nothing is allocated, locked or shared while I/O runs. A worker that finds
//! no empty cell keeps filling the one it has: counts are then booked to the older interval, and never
//! lost.

use super::cell::{Cell, Counted};
use super::drain::WorkerDrain;
use leadline_model::op::Op;
use leadline_model::sample::{CpuUse, EndReason};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Cells a worker owns: one being filled, the others under way or waiting.
const CELLS: usize = 3;

/// What a worker reports to the collector.
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
    pub(crate) drain: Option<Box<WorkerDrain>>,
    pub(crate) cpu: CpuUse,
    /// The reading at the end of the window, if I/O continues after it.
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
