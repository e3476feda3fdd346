//! One generator as a workload of the plan.
//!
//! Belongs here: pattern, data, opening, end. Must never appear here: how many there are (see
//! `threads`), and where they work (see `region`).

use super::threads::Generator;
use super::{Scene, pace, region, to_the_end};
use crate::number::{small, whole};
use crate::objects::{WorkloadDef, is_raw};
use crate::original::WorkloadOriginal;
use crate::run::Run;
use crate::value::{Flags, Seek, Transfer};
use leadline_dialect::diagnostic::Diagnostic;
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::Original;
use leadline_model::plan::access::Sizes;
use leadline_model::plan::target::Advise;
use leadline_model::plan::{
    Access, Admission, AtEnd, Begin, BlockSizes, BorrowableDepth, Coverage, Distribution,
    EndsOthers, EngineKind, Fallocate, FileChoice, Fill, Grid, Hits, OnError, OpMix, OpenMode,
    Order, Pace, Payload, Position, Prepare, Refresh, ShareWeight, Stop, SyncCadence, SyncMode,
    Target, Workload,
};
use leadline_model::units::{Nanos, Percent};

/// A generator and all that shapes it.
pub(crate) struct WorkloadContext<'a> {
    pub(crate) scene: &'a Scene<'a>,
    pub(crate) run: &'a Run,
    pub(crate) one: &'a Generator,
    /// Of the run's rate, in percent, for all generators of the workload together.
    pub(crate) share: f64,
    /// Generators of the workload.
    pub(crate) alike: usize,
}

impl<'a> WorkloadContext<'a> {
    fn workload(&self) -> &'a WorkloadDef {
        &self.run.workloads[self.one.workload]
    }

    /// The luns on this host.
    fn luns(&self) -> Vec<String> {
        let lun = |s: &usize| {
            let luns = &self.scene.storage[*s].luns;
            let found = luns.iter().find(|(host, _)| *host == self.one.host);
            found.map(|(_, lun)| lun.clone())
        };
        self.one.storage.iter().filter_map(lun).collect()
    }

    fn alike(&self) -> f64 {
        self.alike.max(1) as f64
    }
}

/// The workload.
pub(crate) fn build(place: &WorkloadContext<'_>, says: &mut Vec<Diagnostic>) -> Option<Workload> {
    let def = place.workload();
    let storage = &place.scene.storage[*place.one.storage.first()?];
    let luns = place.luns();
    let mut w = Workload::new(&def.name, Target::Paths(luns.clone()));
    w.blocks_mut().region = region::region(place.scene, storage, (def, luns.first()?), says);
    if place.scene.concatenated && place.one.storage.len() > 1 {
        concatenate(place, &mut w, says);
    }
    w.depth = place.one.depth;
    if let Some(streams) = def.streams {
        w.clones = u32::try_from(streams.0).unwrap_or(u32::MAX);
        w.depth = place.one.depth.div_ceil(w.clones.max(1)).max(1);
        region::cut(&mut w.blocks_mut().region, streams, def, says);
    }
    w.blocks_mut().prepare = prepare(place, &luns, storage.size.is_some());
    let flags = place.run.flags.as_ref().or(def.flags.as_ref());
    let flags = flags
        .or(storage.flags.as_ref())
        .cloned()
        .unwrap_or_default();
    w.blocks_mut().open = open(&flags);
    w.blocks_mut().sync = SyncCadence {
        on_close: flags.fsync,
        ..SyncCadence::default()
    };
    w.blocks_mut().mix = mix(def.rdpct);
    w.blocks_mut().sizes = BlockSizes {
        by_op: PerOp::splat(sizes(def, says)),
        align: PerOp::splat(None),
        by_order: false,
    };
    w.blocks_mut().access = access(place, storage.align);
    w.pace = pace::pace(
        place.run,
        def.iorate,
        place.share,
        place.alike as u64 * u64::from(w.clones.max(1)),
    );
    let share = ShareWeight::new(place.share / place.alike());
    w.share = share.filter(|_| def.iorate.is_none());
    couple(place, &mut w);
    let inside_call = place
        .one
        .storage
        .iter()
        .all(|s| place.scene.inside_call[*s]);
    w.engine.kind = back_end(w.depth, inside_call);
    w.blocks_mut().payload = payload(place, storage.dedupratio);
    w.stop = stop(place.run, def.seek);
    w.on_error = on_error(place.scene, place.one.storage[0]);
    w.hosts = place.scene.hosts_of(place.one.host);
    w.definition = Some(place.workload().name.clone());
    w.target_name = Some(storage_names(place));
    w.original = Original::of(&original(place, &luns, storage.size));
    Some(w)
}

/// I/Os that a workload may be ahead of the others on its storage: as many entries as Vdbench's queue holds.
const MAX_LEAD: u32 = 2000;

/// Workloads of a run without a rate that keep a proportion are coupled throughout. Others that work on one storage
/// of one host are fed by its queue there: without a rate each as often as the other. Both lend each other the
/// threads of a storage that they do not use: the rate is then that of Vdbench's one queue of the storage. Where they
/// go by priority, those on one storage of one host have its threads in common, and nothing else holds them together.
fn couple(place: &WorkloadContext<'_>, w: &mut Workload) {
    let queue = place.one.queue;
    if place.run.goes_by_priority() && !place.scene.concatenated {
        if let Some(queue) = queue {
            w.depth = queue.threads;
            let number = place.workload().priority.unwrap_or(1);
            w.admission = Admission::Priority {
                group: queue.number + 1,
                rank: u32::try_from(number).unwrap_or(u32::MAX),
            };
        }
        return;
    }
    let lender = queue.filter(|q| q.lends && w.clones == 1);
    let borrowable = lender.map(|queue| BorrowableDepth {
        pool: queue.number,
        own: w.depth,
    });
    let proportional = pace::controlled(place.run) && w.pace == Pace::Closed;
    w.admission = match queue {
        _ if proportional => Admission::Shares {
            group: 0,
            borrowable,
        },
        Some(queue) => Admission::CommonQueue {
            group: queue.number + 1,
            max_lead: MAX_LEAD,
            borrowable,
        },
        None => Admission::OwnDepth,
    };
    if let Some(queue) = lender {
        w.depth = queue.threads;
    }
}

/// The back end for this many I/Os in flight of a worker. One alone is a plain system call, as it is with
/// Vdbench: the kernel hands most buffered I/O of io_uring to a thread of its own, on tmpfs all of it, which
/// costs a page-cached I/O up to seven times its time, and direct I/O gains nothing from the ring at this
/// depth (docs/guide/vdbench.md has the figures). Several where the kernel does I/O within the call alone are done
/// by threads, as Vdbench's are.
fn back_end(depth: u32, inside_call: bool) -> EngineKind {
    if depth == 1 {
        EngineKind::PLAIN_CALL
    } else if inside_call {
        EngineKind::PLAIN_CALLS
    } else {
        EngineKind::default()
    }
}

/// All storage of a workload as one range: files of equal size, drawn evenly or one after the other.
fn concatenate(place: &WorkloadContext<'_>, w: &mut Workload, says: &mut Vec<Diagnostic>) {
    let def = place.workload();
    let all: Vec<Option<u64>> = place
        .one
        .storage
        .iter()
        .map(|s| place.scene.storage[*s].size)
        .collect();
    let ranged = def.range.is_some()
        || place.one.storage.iter().any(|s| {
            let one = &place.scene.storage[*s];
            one.range.is_some() || one.offset > 0 || one.raw()
        });
    let equal = all
        .first()
        .copied()
        .flatten()
        .filter(|_| all.windows(2).all(|p| p[0] == p[1]));
    match equal {
        Some(size) if !ranged => {
            let bytes = size.saturating_mul(all.len() as u64);
            w.blocks_mut().region.size = Some(leadline_model::plan::Amount::Bytes(bytes));
        }
        _ => says.push(
            Diagnostic::error(
                "not-supported",
                format!(
                    "`{}`: only files of equal size that are used completely can be concatenated",
                    def.name
                ),
            )
            .at(def.at, "")
            .expected("use storage with the same `size=`, without range= and offset="),
        ),
    }
}

fn prepare(place: &WorkloadContext<'_>, luns: &[String], sized: bool) -> Prepare {
    Prepare {
        create: sized && !luns.iter().any(|l| is_raw(l)) && place.scene.format != Some(false),
        fallocate: Fallocate::None,
        drop_cache: false,
        advise: Advise::Nothing,
        ..Prepare::default()
    }
}

/// How files are opened.
pub(crate) fn open(flags: &Flags) -> OpenMode {
    OpenMode {
        direct: flags.direct,
        sync: match (flags.sync, flags.dsync) {
            (true, _) => SyncMode::Sync,
            (_, true) => SyncMode::Dsync,
            _ => SyncMode::None,
        },
        ..OpenMode::default()
    }
}

/// Failed I/Os are counted; where a command is to run on the first one, that one ends its workload,
/// which then reports where it was; where a storage is to be left out, that one ends all workloads on it.
pub(crate) fn on_error(scene: &Scene<'_>, storage: usize) -> OnError {
    let removes = u32::try_from(storage).ok();
    OnError {
        go_on: PerOp::splat(scene.errors.command.is_none() && !scene.errors.remove),
        removes: removes.filter(|_| scene.errors.remove),
        ..OnError::default()
    }
}

fn mix(rdpct: f64) -> OpMix {
    match Percent::nearest(rdpct) {
        Percent::ALL => OpMix::Only(Op::Read),
        Percent::NONE => OpMix::Only(Op::Write),
        read_percent => OpMix::ReadWrite { read_percent },
    }
}

/// Most sizes of one workload.
const MOST_SIZES: u64 = 100_000;

/// Sizes of the I/Os.
fn sizes(def: &WorkloadDef, says: &mut Vec<Diagnostic>) -> Sizes {
    match &def.transfer {
        Transfer::One(n) => Sizes::Fixed(*n),
        Transfer::Steps { min, max, step } if min == step => Sizes::Range {
            min: *min,
            max: *max,
            unaligned: false,
        },
        Transfer::Steps { min, max, step } => {
            let count = (max - min) / step + 1;
            if count > MOST_SIZES {
                let message = format!("`{}`: {count} sizes in steps are not supported", def.name);
                says.push(
                    Diagnostic::error("not-supported", message)
                        .at(def.at, "")
                        .expected(format!("at most {MOST_SIZES} sizes")),
                );
                return Sizes::Fixed(*min);
            }
            Sizes::Split((0..count).map(|i| (min + step * i, 1)).collect())
        }
        Transfer::Shares(shares) => Sizes::Split(weights(shares)),
    }
}

/// Parts of a percent that shares are counted in.
const PARTS: f64 = 10_000.0;

/// Shares in percent as weights: percent where all are whole, else parts of a percent. What has a share has a
/// weight, however small.
fn weights(shares: &[(u64, f64)]) -> Vec<(u64, u32)> {
    let whole = shares.iter().all(|(_, percent)| percent.fract() == 0.0);
    let unit = if whole { 1.0 } else { PARTS };
    let weighty = shares.iter().filter(|(_, percent)| *percent > 0.0);
    weighty
        .map(|(size, percent)| (*size, small((percent * unit).round()).max(1)))
        .collect()
}

fn access(place: &WorkloadContext<'_>, align: Option<u64>) -> Access {
    let def = place.workload();
    let storage = &place.scene.storage[place.one.storage[0]];
    let random = Order::Random {
        every: 1,
        identical: false,
    };
    let mut access = Access {
        order: if def.seek.is_sequential() {
            Order::Sequential { skip: 0 }
        } else {
            random
        },
        coverage: Coverage::WithRepeats,
        position: Position::EachFile,
        grid: align.map_or(Grid::Own, Grid::Bytes),
        stride: def.stride,
        ..Access::default()
    };
    match def.seek {
        Seek::Random | Seek::Sequential => {}
        Seek::FromAnywhere => access.begin = Begin::Random,
        Seek::ToEnd => access.at_end = AtEnd::Stop,
        Seek::LowEnd(n) => access.distribution = PerOp::splat(Distribution::LowEnd(n)),
        Seek::Partly(share) => access.random_percent = PerOp::splat(Percent::nearest(share)),
    }
    if let Some(band) = def.hotband {
        let (low, high) = region::amounts(band);
        access.distribution = PerOp::splat(Distribution::HotBand { low, high });
    }
    if def.rhpct > 0.0 || def.whpct > 0.0 {
        access.hits = Some(Hits {
            area: place.run.hitarea.unwrap_or(storage.hitarea),
            read_percent: Percent::nearest(def.rhpct),
            write_percent: Percent::nearest(def.whpct),
        });
    }
    if place.one.storage.len() > 1 {
        access.file_choice = if def.seek.is_sequential() {
            FileChoice::Sequential
        } else {
            FileChoice::Random { ios: 1 }
        };
    }
    access
}

/// Smallest buffer of data taken from a file: as large as Vdbench's.
const PATTERN_BUFFER: u64 = 1 << 20;

/// Data from a file, for writes of at most this size.
pub(crate) fn from_file(file: &str, largest: u64) -> Payload {
    Payload {
        fill: Fill::Source {
            size: largest.max(PATTERN_BUFFER),
            file: Some(file.to_owned()),
        },
        refresh: Refresh::Each,
        compress_percent: Percent::NONE,
        ..Payload::default()
    }
}

fn payload(place: &WorkloadContext<'_>, dedup: Option<f64>) -> Payload {
    if let Some(file) = &place.scene.pattern {
        return from_file(file, region::largest(&place.workload().transfer));
    }
    let compress = place.run.compress.unwrap_or(place.scene.compress);
    let dedup = dedup.unwrap_or(place.scene.dedup).max(1.0);
    Payload {
        compress_percent: Percent::nearest(compress),
        dedupe_percent: Percent::nearest(100.0 - 100.0 / dedup),
        ..Payload::default()
    }
}

/// When it ends. Without a warm-up Vdbench leaves the first interval out of a run's figures, but for
/// runs that end where their storage ends: those are counted whole here.
fn stop(run: &Run, seek: Seek) -> Stop {
    let times = run.times;
    let unasked = times.warmup == 0 && !to_the_end(run);
    let (warmup, elapsed) = if unasked {
        (times.interval, times.elapsed - times.interval)
    } else {
        (times.warmup, times.elapsed)
    };
    Stop {
        runtime: Some(Nanos::from_secs(elapsed)),
        time_based: seek != Seek::ToEnd,
        warmup: Nanos::from_secs(warmup),
        ends_others: if seek == Seek::ToEnd {
            EndsOthers::StageTogether
        } else {
            EndsOthers::None
        },
        ..Stop::default()
    }
}

/// What the user calls its storage.
fn storage_names(place: &WorkloadContext<'_>) -> String {
    let storage = place.one.storage.iter();
    let names: Vec<&str> = storage
        .map(|s| place.scene.storage[*s].name.as_str())
        .collect();
    names.join(",")
}

/// What reports show of it.
fn original(place: &WorkloadContext<'_>, luns: &[String], size: Option<u64>) -> WorkloadOriginal {
    let def = place.workload();
    let compress = place.run.compress.unwrap_or(place.scene.compress);
    let ratio = whole(100.0 / (100.0 - compress).max(1.0) * 100.0 + 0.5) as f64 / 100.0;
    let dedup = place.scene.dedup;
    WorkloadOriginal {
        host: place.scene.hosts[place.one.host].label.clone(),
        lun: luns.join(","),
        size,
        transfer: def.transfer.clone(),
        threads: place.one.threads,
        read_percent: def.rdpct,
        read_hit_percent: def.rhpct,
        write_hit_percent: def.whpct,
        seek_percent: match def.seek {
            Seek::Random | Seek::LowEnd(_) => 100.0,
            Seek::Sequential | Seek::FromAnywhere => 0.0,
            Seek::ToEnd => -1.0,
            Seek::Partly(share) => share,
        },
        compression_ratio: ratio,
        deduplication_ratio: (dedup > 1.0).then_some(dedup),
    }
}
