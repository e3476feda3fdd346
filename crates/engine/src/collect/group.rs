//! A workload as the collector knows it: its equal workers, and the intervals not yet sent.

use crate::program::Program;
use leadline_model::op::OpMap;
use leadline_model::plan::EndsOthers;
use leadline_model::sample::{Counts, Moments};
use leadline_model::units::Nanos;
use std::collections::BTreeMap;

/// A workload.
pub(super) struct Group {
    pub(super) host: u32,
    /// Its number within the stage.
    pub(super) number: u32,
    pub(super) workers: usize,
    pub(super) running: u32,
    /// How many files of a worker have reads and writes kept apart; 0 = nothing is kept by worker.
    pub(super) moments: usize,
    pub(super) warmup: Nanos,
    pub(super) runtime: Option<Nanos>,
    pub(super) cooldown: Nanos,
    pub(super) total_bytes: Option<u64>,
    pub(super) ends_others: EndsOthers,
    pub(super) end_all_on_error: bool,
    pub(super) report_group: u32,
    /// Workloads with this number end with the first error of one of them.
    pub(super) removes: Option<u32>,
    pub(super) name: String,
    /// First interval not yet sent; `None` = no worker has started.
    pub(super) next: Option<u64>,
    /// No worker can add to intervals below this one; `u64::MAX` = all have ended.
    pub(super) bound: u64,
    /// How many workers are no further than that.
    pub(super) at_bound: usize,
    /// (interval, whether measured) -> what is known of it.
    pub(super) pending: BTreeMap<(u64, bool), Part>,
    pub(super) last_end: Nanos,
    pub(super) bytes: u64,
}

/// What is known of an interval.
pub(super) struct Part {
    pub(super) counts: Counts,
    /// I/Os and bytes by worker.
    pub(super) workers: Vec<(u64, u64)>,
    /// By worker and operation, where that is kept.
    pub(super) moments: Vec<OpMap<Moments>>,
}

impl Group {
    /// The workload of a program, without workers yet.
    pub(super) fn of(program: &Program) -> Self {
        let workload = &program.workload;
        Self {
            host: program.host,
            number: program.workload_index,
            workers: 0,
            running: 0,
            moments: if workload.report.worker_series {
                workload.counted_files().min(program.extents.len().max(1))
            } else {
                0
            },
            warmup: workload.stop.warmup,
            runtime: workload.stop.runtime,
            cooldown: workload.stop.cooldown,
            total_bytes: Some(0),
            ends_others: workload.stop.ends_others,
            end_all_on_error: workload.on_error.end_all,
            report_group: workload.group,
            removes: workload.on_error.removes,
            name: workload.name.clone(),
            next: None,
            bound: u64::MAX,
            at_bound: 0,
            pending: BTreeMap::new(),
            last_end: Nanos::ZERO,
            bytes: 0,
        }
    }

    /// One more worker.
    pub(super) fn add(&mut self, program: &Program) {
        self.workers += 1;
        self.running += 1;
        self.total_bytes = match (self.total_bytes, program.total_bytes) {
            (Some(sum), Some(own)) => Some(sum.saturating_add(own)),
            _ => None,
        };
    }

    /// What is known of an interval, made when missing.
    pub(super) fn part(&mut self, interval: u64, measured: bool) -> &mut Part {
        let zero = || Self::zero_of(self.workers, self.moments);
        let entry = self.pending.entry((interval, measured));
        entry.or_insert_with(zero)
    }

    /// An interval in which nothing happened.
    pub(super) fn zero(&self) -> Part {
        Self::zero_of(self.workers, self.moments)
    }

    fn zero_of(workers: usize, files: usize) -> Part {
        let rows = workers * files;
        let by_worker = if rows > 1 { rows } else { 0 };
        Part {
            counts: Counts::default(),
            workers: vec![(0, 0); workers],
            moments: vec![OpMap::default(); by_worker],
        }
    }

    /// One past the last interval that has anything to say, once all workers have ended.
    pub(super) fn last_interval(&self, length: u64) -> u64 {
        let held = self
            .pending
            .last_key_value()
            .map_or(0, |(&(interval, _), _)| interval + 1);
        held.max(self.last_end.0.div_ceil(length))
    }
}
