//! What was set for a measured point.
//!
//! Belongs here: the settings that curves, mixes and repeats are found by. Must never: look at what was measured.

mod alike;

use super::depth_asked;
use crate::words::with_article;
use crate::work::{TRIM_WRITE, block_sizes};
use leadline_model::op::Op;
use leadline_model::plan::study::Coordinates;
use leadline_model::plan::{Amount, EngineKind, FilePart, HostSet, OpMix, Pace, Think, Workload};
use leadline_model::units::{Bytes, Percent};
use std::sync::Arc;

/// What was set for a point: two points with equal settings are the same measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Share of reads; `None` for trims.
    pub read_percent: Option<Percent>,
    /// Block size in bytes (the largest that occurs when there are several).
    pub block: u64,
    /// Mean block size in bytes: what a rate of I/Os is multiplied by for bytes.
    pub mean_block: f64,
    /// The block sizes in words, when there are several.
    pub blocks: Option<String>,
    /// How many targets have work of their own, unlike that of the others; 0 = all have the same.
    pub unlike_targets: usize,
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
            block: workload.blocks().largest(),
            mean_block: workload.blocks().mean_size(),
            blocks: match workload.blocks().only_size() {
                Some(_) => None,
                None => Some(block_sizes(workload.blocks())),
            },
            unlike_targets: unlike_targets(workload),
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
        if let Some(unlike) = self.unlike_words() {
            return unlike;
        }
        let op = match self.read_percent {
            Some(Percent::ALL) => "read".to_owned(),
            Some(Percent::NONE) => "write".to_owned(),
            Some(p) => format!("{p} % reads, {} % writes", p.rest()),
            None if self.is_trim_write() => TRIM_WRITE.to_owned(),
            None => "trim".to_owned(),
        };
        format!("{} {} {op}", self.block_words(), self.order())
    }

    /// Its I/Os as the subject of a sentence: `4 KiB random reads`.
    #[must_use]
    pub fn ios_words(&self) -> String {
        if self.unlike_targets > 0 {
            return format!(
                "I/Os that differ on each of {} targets",
                self.unlike_targets
            );
        }
        let ios = match self.read_percent {
            Some(Percent::ALL) => "reads",
            Some(Percent::NONE) => "writes",
            Some(_) => "mixed reads and writes",
            None if self.is_trim_write() => TRIM_WRITE,
            None => "trims",
        };
        format!("{} {} {ios}", self.block_words(), self.order())
    }

    /// The block size, or all of them with their shares: `4 KiB`, `4 KiB (90 %), 64 KiB (10 %)`.
    #[must_use]
    pub fn block_words(&self) -> String {
        let several = self.blocks.clone();
        several.unwrap_or_else(|| Bytes(self.block).to_string())
    }

    /// One I/O of it, with its article: `a 4 KiB random read`.
    #[must_use]
    pub fn one_io(&self, op: Op) -> String {
        let order = self.order();
        match &self.blocks {
            None => format!("{} {order} {op}", with_article(self.block)),
            Some(sizes) => format!("a {order} {op} of {sizes}"),
        }
    }

    /// That targets differ, where they do: nothing else is true of all of them.
    pub(crate) fn unlike_words(&self) -> Option<String> {
        let targets = self.unlike_targets;
        (targets > 0).then(|| format!("different work on each of {targets} targets"))
    }

    const fn order(&self) -> &'static str {
        if self.random { "random" } else { "sequential" }
    }

    fn is_trim_write(&self) -> bool {
        self.work.blocks().mix == OpMix::TrimWrite
    }
}

/// How many targets have work of their own where their mix, sizes or order differ, else 0.
fn unlike_targets(workload: &Workload) -> usize {
    let parts = &workload.blocks().parts;
    let of = |part: &FilePart| {
        let FilePart {
            mix,
            sizes,
            access,
            // Where it is done, and how it is prepared, do not change its name.
            region: _,
            prepare: _,
            open: _,
            slots: _,
            payload: _,
        } = part;
        (*mix, sizes.clone(), access.order.is_random())
    };
    let differ = |pair: &[FilePart]| of(&pair[0]) != of(&pair[1]);
    match parts.windows(2).any(differ) {
        true => parts.len(),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use leadline_model::plan::access::Sizes;
    use leadline_model::plan::{BlockSizes, Order, Target};

    fn workload(mix: OpMix) -> Workload {
        fixture::workload("w", mix, 4096, 4, 1)
    }

    /// `bs=4k,64k`, `bssplit=4k/90:64k/10`.
    #[test]
    fn the_block_size_is_that_of_what_is_done() {
        let mut w = workload(OpMix::reads());
        w.blocks_mut().sizes.by_op.write = Sizes::Fixed(65_536);
        let setting = Setting::of(&w);
        assert_eq!((setting.block, &setting.blocks), (4096, &None));
        assert_eq!(setting.words(), "4 KiB random read, depth 4");
        assert_eq!(setting.one_io(Op::Read), "a 4 KiB random read");
        w.blocks_mut().mix = OpMix::mixed(50);
        assert_eq!(
            Setting::of(&w).without_depth(),
            "4 KiB (reads) and 64 KiB (writes) random 50 % reads, 50 % writes"
        );
        let mut split = workload(OpMix::reads());
        split.blocks_mut().sizes.by_op.read = Sizes::Split(vec![(4096, 90), (65_536, 10)]);
        let setting = Setting::of(&split);
        let sizes = "4 KiB (90 %), 64 KiB (10 %)";
        assert_eq!(setting.without_depth(), format!("{sizes} random read"));
        assert_eq!(
            setting.one_io(Op::Read),
            format!("a random read of {sizes}")
        );
        assert_eq!(setting.block, 65_536);
        assert!((setting.mean_block - 10_240.0).abs() < 1e-6, "{setting:?}");
        split.blocks_mut().sizes = BlockSizes::fixed(65_536);
        assert_ne!(Setting::of(&split).words(), setting.words());
    }

    #[test]
    fn trims_that_are_followed_by_writes_are_neither_trims_nor_mixed() {
        let of = |mix| Setting::of(&workload(mix)).ios_words();
        let both = "4 KiB random trims followed by writes of the same blocks";
        assert_eq!(of(OpMix::TrimWrite), both);
        assert_eq!(of(OpMix::Only(Op::Trim)), "4 KiB random trims");
        assert_eq!(of(OpMix::mixed(50)), "4 KiB random mixed reads and writes");
        assert_eq!(of(OpMix::Only(Op::Write)), "4 KiB random writes");
        let one = Setting::of(&workload(OpMix::TrimWrite)).without_depth();
        assert_eq!(one, both);
    }

    /// Of files that differ in mix, size or order, what their workload says as a whole is true of none.
    #[test]
    fn targets_with_work_of_their_own_are_not_said_as_one() {
        let mut w = workload(OpMix::mixed(50));
        w.blocks_mut().target = Target::Paths(vec!["a".to_owned(), "b".to_owned()]);
        let blocks = w.blocks().clone();
        let part = |mix, size| FilePart {
            region: blocks.region.clone(),
            prepare: blocks.prepare.clone(),
            open: blocks.open,
            mix,
            sizes: BlockSizes::fixed(size),
            access: blocks.access.clone(),
            slots: 2,
            payload: None,
        };
        let said = |parts: [FilePart; 2]| {
            let mut own = w.clone();
            own.blocks_mut().parts = parts.to_vec();
            Setting::of(&own).words()
        };
        let unlike = "different work on each of 2 targets, depth 4";
        let reads = || part(OpMix::reads(), 4096);
        assert_eq!(said([reads(), part(OpMix::Only(Op::Write), 4096)]), unlike);
        assert_eq!(said([reads(), part(OpMix::reads(), 8192)]), unlike);
        let mut in_order = reads();
        in_order.access.order = Order::Sequential { skip: 0 };
        assert_eq!(said([reads(), in_order]), unlike);
        let mut elsewhere = reads();
        elsewhere.region.offset = Amount::Bytes(1 << 20);
        assert!(!said([reads(), elsewhere]).contains("different"));
    }
}
