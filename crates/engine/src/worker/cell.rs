//! The counts that a worker fills while I/O runs: counters by operation at fixed places, those of operations it cannot
//! do left out. Nothing here allocates after the start. Must never: know who takes the counts.

use crate::op_table::OpTable;
use leadline_model::latency::Latency;
use leadline_model::op::Op;
use leadline_model::sample::{Counts, Depths, OpCounts};

/// The counts of one worker in one interval.
#[derive(Debug)]
pub(crate) struct Cell {
    /// Number of the interval, from the start of the stage.
    pub(crate) interval: u64,
    /// Number of the interval in which the worker goes on, when it is handed over.
    pub(crate) next: u64,
    /// Whether the counts belong to the warm-up.
    pub(crate) warmup: bool,
    /// Whether it is the worker's last: its interval is over for this worker, wherever it ended.
    pub(crate) last: bool,
    /// What was counted. Operations that cannot occur have no counters.
    pub(crate) counts: CellCounts,
    /// I/Os by file, where they are counted so; they are no part of `counts` before [`Cell::sum_up`].
    pub(crate) files: Box<[CellCounts]>,
}

/// Counters as the hot loop reaches them; [`Counts`] for everybody else.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellCounts {
    pub(crate) ops: OpTable<Option<OpCounts>>,
    pub(crate) lag: Option<Latency>,
    pub(crate) late: u64,
    pub(crate) depths: Depths,
}

impl CellCounts {
    /// Counters of one operation, made when missing.
    pub(crate) fn op_mut(&mut self, op: Op) -> &mut OpCounts {
        self.ops[op].get_or_insert_default()
    }

    /// Those of operations that the worker can do.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Op, &OpCounts)> {
        let all = self.ops.iter();
        all.filter_map(|(op, counts)| Some((op, counts.as_ref()?)))
    }

    /// Adds all of them to `counts`.
    pub(crate) fn add_to(&self, counts: &mut Counts) {
        for (op, own) in self.each() {
            counts.op_mut(op).merge(own);
        }
        if let Some(lag) = &self.lag {
            counts.lag.get_or_insert_default().merge(lag);
        }
        counts.late += self.late;
        counts.depths.merge(&self.depths);
    }

    /// I/Os and bytes of what is part of IOPS.
    pub(crate) fn data(&self) -> (u64, u64) {
        let data = self.each().filter(|(op, _)| op.is_data());
        data.fold((0, 0), |sum, (_, own)| (sum.0 + own.ios, sum.1 + own.bytes))
    }

    fn is_empty(&self) -> bool {
        self.each().all(|(_, own)| own.is_empty())
            && self.lag.as_ref().is_none_or(Latency::is_empty)
    }
}

/// What a worker counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    /// Operations that can occur.
    pub(crate) kinds: Vec<Op>,
    /// Whether a rate is kept.
    pub(crate) open: bool,
    /// Files that are counted apart; below 2 = none.
    pub(crate) files: usize,
    /// Whether service latencies are counted in their two parts.
    pub(crate) parts: bool,
}

/// The counts that an I/O of this file goes into: its own, or those of all where files are not counted apart.
#[inline]
pub(super) fn of_file<'a>(
    files: &'a mut [CellCounts],
    all: &'a mut CellCounts,
    file: u32,
) -> &'a mut CellCounts {
    files.get_mut(file as usize).unwrap_or(all)
}

impl Cell {
    pub(super) fn new(counted: &Counted) -> Self {
        let mut counts = CellCounts::default();
        for &op in &counted.kinds {
            let response = (counted.open && op.is_data()).then(Default::default);
            let parts = (counted.parts && op.is_data()).then(Default::default);
            counts.ops[op] = Some(OpCounts {
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
            next: 0,
            warmup: false,
            last: false,
            counts,
            files,
        }
    }

    /// Adds what was counted by file to the counts of all, once.
    pub(crate) fn sum_up(&mut self) {
        let Self { files, counts, .. } = self;
        for (op, own) in files.iter().flat_map(CellCounts::each) {
            if !own.is_empty() {
                counts.op_mut(op).merge(own);
            }
        }
    }

    /// The counts that an I/O of this file goes into.
    pub(crate) fn of_file(&mut self, file: u32) -> &mut CellCounts {
        of_file(&mut self.files, &mut self.counts, file)
    }

    /// Whether nothing was counted.
    pub(crate) fn is_empty(&self) -> bool {
        let mut all = self.files.iter().chain([&self.counts]);
        all.all(CellCounts::is_empty)
    }

    /// Forgets the counts, keeping the memory.
    pub(crate) fn clear(&mut self) {
        let all = self.files.iter_mut().chain([&mut self.counts]);
        for op in all.flat_map(|c| c.ops.values_mut().flatten()) {
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
        self.counts.depths = Depths::default();
    }
}
