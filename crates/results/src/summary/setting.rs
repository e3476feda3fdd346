//! What was set for a measured point.
//!
//! Belongs here: the settings that curves, mixes and repeats are found by. Must never: look at what was measured.

mod alike;

use super::depth_asked;
use leadline_model::op::Op;
use leadline_model::plan::study::Coordinates;
use leadline_model::plan::{Amount, EngineKind, HostSet, OpMix, Pace, Think, Workload};
use leadline_model::units::{Bytes, Percent};
use std::sync::Arc;

/// What was set for a point: two points with equal settings are the same measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Share of reads; `None` for trims.
    pub read_percent: Option<Percent>,
    /// Block size in bytes (the largest when there are several).
    pub block: u64,
    /// Offsets jump rather than follow each other.
    pub random: bool,
    /// Most I/Os in flight of each worker, at least 1.
    pub depth: u32,
    /// Equal workers, at least 1.
    pub jobs: u32,
    /// Bypasses the client's page cache.
    pub direct: bool,
    /// Back end.
    pub engine: EngineKind,
    /// A rate is set: the point is not a maximum.
    pub paced: bool,
    /// Pauses between I/Os: the point is not a maximum either.
    pub think: Option<Think>,
    /// I/Os in flight over all workers of one host, at most.
    pub in_flight: u64,
    /// The hosts that do it.
    pub hosts: HostSet,
    /// The first byte that is used of each target, and the bytes of each worker.
    pub part: (Amount, Option<Amount>),
    /// What a study varied, but for repeats; empty in other runs.
    pub varied: Coordinates,
    /// All else of the plan that decides what is measured: what is alike in all is its default here.
    pub work: Arc<Workload>,
}

impl Setting {
    /// The setting of a workload.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        Self {
            read_percent: match workload.blocks().mix {
                OpMix::Only(Op::Read) => Some(Percent::ALL),
                OpMix::Only(Op::Write) => Some(Percent::NONE),
                OpMix::ReadWrite { read_percent } => Some(read_percent),
                _ => None,
            },
            block: workload.blocks().sizes.max(),
            random: workload.blocks().access.order.is_random(),
            depth: workload.depth,
            jobs: workload.clones,
            direct: workload.blocks().open.direct,
            engine: workload.engine.kind,
            paced: workload.pace != Pace::Closed,
            think: workload.think,
            in_flight: depth_asked(workload),
            hosts: workload.hosts.clone(),
            part: (
                workload.blocks().region.offset,
                workload.blocks().region.size,
            ),
            varied: Coordinates::new(),
            work: Arc::new(alike::of(workload)),
        }
    }

    /// Whether it equals another that has all else alike: of one survey, whose points before they run name a volume that is
    /// looked up then.
    #[must_use]
    pub fn is_of_work(&self, planned: &Self) -> bool {
        let planned = Self {
            work: Arc::clone(&self.work),
            ..planned.clone()
        };
        *self == planned
    }

    /// In words, shortest first: `4 KiB random read, depth 32, 4 jobs`.
    #[must_use]
    pub fn words(&self) -> String {
        let jobs = match self.jobs {
            1 => String::new(),
            n => format!(", {n} jobs"),
        };
        format!("{}, depth {}{jobs}", self.without_depth(), self.depth)
    }

    /// The work without its depth: `4 KiB random read`.
    #[must_use]
    pub fn without_depth(&self) -> String {
        let order = if self.random { "random" } else { "sequential" };
        let op = match self.read_percent {
            Some(Percent::ALL) => "read".to_owned(),
            Some(Percent::NONE) => "write".to_owned(),
            Some(p) => format!("{p} % reads, {} % writes", p.rest()),
            None => "trim".to_owned(),
        };
        let block = Bytes(self.block);
        format!("{block} {order} {op}")
    }
}
