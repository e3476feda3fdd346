//! The run before all others that makes files as large as their storage definitions say.
//!
//! Belongs here: when there is one, and what it writes. Must never appear here: other runs.

use super::region::largest;
use super::{Scene, workload};
use crate::objects::Storage;
use crate::original::{AskedRate, StageOriginal, WorkloadOriginal};
use crate::run::{Rate, Run};
use crate::value::{Flags, Seek, Transfer};
use leadline_dialect::diagnostic::Diagnostic;
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::Original;
use leadline_model::plan::access::Sizes;
use leadline_model::plan::target::Advise;
use leadline_model::plan::{
    Access, Amount, AtEnd, BlockSizes, EndsOthers, Fallocate, OpMix, Position, Prepare, Region,
    Stage, Stop, Target, Until, Workload,
};
use leadline_model::units::Percent;
use std::collections::BTreeSet;

/// Name of the run, and of its workload.
pub(crate) const NAME: &str = "SD_format";

/// What is rounded down to where a file ends: Vdbench continues from a whole MiB.
const STEP: u64 = 1 << 20;

/// The run, unless no file can need it.
pub(crate) fn stage(scene: &Scene<'_>, runs: &[Run], says: &mut Vec<Diagnostic>) -> Option<Stage> {
    let used: BTreeSet<usize> = runs
        .iter()
        .flat_map(|r| &r.workloads)
        .filter_map(|w| w.storage.as_ref())
        .flatten()
        .copied()
        .collect();
    let files: Vec<usize> = used
        .into_iter()
        .filter(|i| scene.storage[*i].size.is_some() && !scene.storage[*i].raw())
        .collect();
    if files.is_empty() || scene.format == Some(false) {
        return None;
    }
    if scene.format.is_none()
        && let Some(first) = runs.first()
        && fills(scene, first, &files)
    {
        let message = format!(
            "`{}` writes all of its storage once: its files are not filled before it",
            first.name
        );
        says.push(
            Diagnostic::note("format-left-out", message)
                .at(first.at, "")
                .hint("Vdbench writes missing files twice here; use `formatsds=yes` for that"),
        );
        return None;
    }
    let one = |i: &usize| fill(scene, &scene.storage[*i]);
    Some(Stage {
        name: NAME.to_owned(),
        workloads: files.iter().filter_map(one).collect(),
        original: Original::of(&StageOriginal {
            run: NAME.to_owned(),
            rate: AskedRate::Max { controlled: false },
            loops: "threads=2 iorate=max".to_owned(),
            ..StageOriginal::default()
        }),
        until: Until {
            errors: Some(scene.errors.limit),
            ..Until::default()
        },
        mounts: super::mounts(scene, None),
        ..Stage::default()
    })
}

/// Whether a run writes every byte of these files, in order and once.
fn fills(scene: &Scene<'_>, run: &Run, files: &[usize]) -> bool {
    let whole = |i: &usize| {
        let storage = &scene.storage[*i];
        storage.range.is_none()
            && storage.offset == 0
            && run.workloads.iter().any(|w| {
                w.storage.as_ref().is_some_and(|s| s.contains(i))
                    && w.seek == Seek::ToEnd
                    && w.rdpct <= 0.0
                    && w.range.is_none()
                    && w.streams.is_none()
                    && w.stride.is_none()
                    && storage
                        .size
                        .is_some_and(|n| n.is_multiple_of(largest(&w.transfer)))
            })
    };
    let until = run.until;
    let bounded = until.moved.is_some() || until.read.is_some() || until.written.is_some();
    run.rate == Rate::Max && !bounded && !scene.concatenated && files.iter().all(whole)
}

/// The workload that fills one file, from the first host that reaches it.
fn fill(scene: &Scene<'_>, storage: &Storage) -> Option<Workload> {
    let (host, lun) = storage.luns.first()?;
    let size = storage.size?;
    let mut w = Workload::new(NAME, Target::Paths(vec![lun.clone()]));
    w.blocks_mut().region = Region {
        size: Some(Amount::Bytes(size)),
        beyond_end: Some(STEP),
        ..Region::default()
    };
    w.blocks_mut().prepare = Prepare {
        fallocate: Fallocate::None,
        drop_cache: false,
        advise: Advise::Nothing,
        ..Prepare::default()
    };
    w.blocks_mut().open = workload::open(storage.flags.as_ref().unwrap_or(&Flags::default()));
    w.blocks_mut().mix = OpMix::Only(Op::Write);
    let block = scene.format_size.clamp(512, size.max(512));
    w.blocks_mut().sizes = BlockSizes {
        by_op: PerOp::splat(Sizes::Fixed(block)),
        align: PerOp::splat(None),
        by_order: false,
    };
    w.blocks_mut().access = Access {
        position: Position::EachFile,
        at_end: AtEnd::Stop,
        ..Access::default()
    };
    w.depth = 2;
    w.stop = Stop {
        ends_others: EndsOthers::StageTogether,
        ..Stop::default()
    };
    let number = scene
        .storage
        .iter()
        .position(|s| std::ptr::eq(s, storage))?;
    w.on_error = workload::on_error(scene, number);
    match &scene.pattern {
        Some(file) => w.blocks_mut().payload = workload::from_file(file, block),
        None => w.blocks_mut().payload.compress_percent = Percent::nearest(scene.compress),
    }
    w.hosts = scene.hosts_of(*host);
    w.definition = Some(NAME.to_owned());
    w.target_name = Some(storage.name.clone());
    w.original = Original::of(&WorkloadOriginal {
        host: scene.hosts[*host].label.clone(),
        lun: lun.clone(),
        size: Some(size),
        transfer: Transfer::One(block),
        threads: 2,
        read_percent: 0.0,
        read_hit_percent: 0.0,
        write_hit_percent: 0.0,
        seek_percent: -1.0,
        compression_ratio: 1.0,
        deduplication_ratio: None,
    });
    Some(w)
}
