//! How a worker hands its counts over: it fills a cell, and swaps it for an empty one when an interval
//! is over. Cells are reused; nothing is allocated, locked or shared while I/O runs. A worker that finds
//! no empty cell keeps filling the one it has: counts are then booked to the older interval, and never
//! lost.

use super::cell::{Cell, Counted};
use super::drain::WorkerDrain;
use leadline_model::op::Op;
use leadline_model::sample::{CpuUse, EndReason};
use leadline_model::units::Nanos;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Cells a worker owns at the least: one being filled, the others under way or waiting.
pub(crate) const CELLS: usize = 3;
/// A collector that is behind by this, since a disk or a terminal keeps it waiting, has lumped no intervals together.
const BEHIND: Nanos = Nanos::from_millis(300);
/// Most further counts that a worker has for it, of all its files: 36 KiB or more each.
const FURTHER: usize = 32;

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

/// How many cells a worker that counts this has, where one is handed over every `slice`.
pub(crate) fn cells(counted: &Counted, slice: Nanos) -> usize {
    let behind = usize::try_from(BEHIND.0 / slice.0.max(1)).unwrap_or(FURTHER);
    CELLS + behind.min(FURTHER / counted.files.max(1))
}

impl Link {
    /// A line for worker number `worker`, with its empty cells waiting: `cells` of them, above 0.
    pub(crate) fn new(
        worker: usize,
        out: SyncSender<Message>,
        counted: &Counted,
        cells: usize,
    ) -> (Self, Returns) {
        let (back, empty) = sync_channel(cells);
        for _ in 0..cells {
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

/// The line all workers of a stage share, which have this many cells each. It has room for every cell there is and for the end
/// of each worker, so that sending never waits.
pub(crate) fn line(
    cells: impl IntoIterator<Item = usize>,
) -> (SyncSender<Message>, Receiver<Message>) {
    sync_channel(cells.into_iter().map(|cells| cells + 1).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_may_be_behind_by_as_long_whatever_the_slice() {
        let of = |files, ms| {
            let counted = Counted {
                files,
                ..Counted::default()
            };
            cells(&counted, Nanos::from_millis(ms))
        };
        assert_eq!([of(1, 1000), of(1, 500), of(1, 300)], [3, 3, 4]);
        assert_eq!([of(1, 100), of(1, 50), of(1, 20), of(1, 5)], [6, 9, 18, 35]);
        // Many files take much memory each time.
        assert_eq!([of(4, 20), of(1000, 20)], [11, 3]);
    }
}
