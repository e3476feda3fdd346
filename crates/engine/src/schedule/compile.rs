//! The compiler: clones become workers, amounts become bytes, and everything wrong is said at once.

use super::region::{self, Draw, RegionContext, RegionError};
use super::room::Room;
use super::{MAX_WORKERS, check, coupled, means, on_host};
use crate::access::Cursors;
use crate::extent::{Extent, WrapPoint};
use crate::host_facts::{Cached, HostFacts, PathKind};
use crate::medium;
use crate::problem::{Problem, Problems};
use crate::program::{FilePlan, Program};
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::op::Op;
use leadline_model::plan::{Amount, AtEnd, OpMix, Order, Plan, Position, Stage, Target, Workload};
use leadline_model::seed::of_worker;
use leadline_model::units::Bytes;
use std::sync::Arc;

/// Turns a stage into one program for each worker, in the order of the workloads and their clones.
///
/// Seeds come from the workload's seed and the worker's number within the stage, so that a repeated
/// run repeats its choices and no two workers choose alike; sizes of their files that are drawn from a range too, as
/// those of fio follow the number of the thread over all jobs. Where the workload has no seed,
/// `run_seed` takes its place: pass a fresh one for each run and stage.
///
/// # Errors
/// All problems of all workloads at once; nothing was created or changed.
pub fn compile(
    stage: &Stage,
    plan: &Plan,
    facts: &dyn HostFacts,
    run_seed: u64,
) -> Result<Vec<Program>, Vec<Problem>> {
    let mut problems = Problems::default();
    let mut cached = Cached::of(facts);
    for workload in &stage.workloads {
        check::workload(workload, stage, plan, &mut problems);
    }
    check::clocks(stage, &mut problems);
    coupled::groups(stage, &mut problems);
    if too_many(stage, &mut problems) || means::too_many_open(stage, &mut cached, &mut problems) {
        return Err(problems.0);
    }
    let programs = all(stage, 0, run_seed, &mut cached, &mut problems);
    let mut room = Room::default();
    room.take(stage, &programs, &mut cached);
    room.report(&mut problems);
    means::check(stage, &programs, &mut cached, &mut problems);
    check::read_only_layout(&programs, plan, &mut problems);
    if problems.0.is_empty() {
        Ok(programs)
    } else {
        Err(problems.0)
    }
}

/// Notes when a stage has more workers than there can be.
pub(super) fn too_many(stage: &Stage, problems: &mut Problems) -> bool {
    let workers: u64 = stage.workloads.iter().map(|w| u64::from(w.clones)).sum();
    let too_many = workers > u64::from(MAX_WORKERS);
    if too_many {
        problems.add(
            &stage.name,
            ErrorCode::PlanValue,
            format!("{workers} workers in one stage; at most {MAX_WORKERS} run at once"),
            (
                "use fewer, or split the workloads into several stages",
                [Knob::Workers, Knob::Stages],
            ),
        );
    }
    too_many
}

/// The programs of all workers of a stage that can have one, the first of which has the number `first`.
pub(super) fn all(
    stage: &Stage,
    first: u64,
    run_seed: u64,
    cached: &mut Cached<'_>,
    problems: &mut Problems,
) -> Vec<Program> {
    let common = Arc::new(Cursors::new(counters_of(stage), run_seed));
    let mut programs = Vec::new();
    let mut number = first;
    for (index, workload) in stage.workloads.iter().enumerate() {
        on_host::priority(workload, cached.host, problems);
        on_host::sources(workload, cached, problems);
        let shared = Arc::new(workload.clone());
        let base = workload.blocks().access.seed.unwrap_or(run_seed);
        let cursors = match workload.blocks().access.counters.is_empty()
            && workload
                .blocks()
                .parts
                .iter()
                .all(|p| p.access.counters.is_empty())
        {
            true => Arc::new(Cursors::new(workload.blocks().target.files(), base)),
            false => Arc::clone(&common),
        };
        for worker in 0..workload.clones {
            let place = WorkerId {
                index: u32::try_from(index).unwrap_or(u32::MAX),
                worker,
                base,
                seed: of_worker(base, number),
            };
            number += 1;
            if let Some(mut p) = program(&shared, place, cached, problems) {
                p.cursors = Arc::clone(&cursors);
                programs.push(p);
            }
        }
    }
    programs
}

/// How many positions workloads of the stage share.
pub(super) fn counters_of(stage: &Stage) -> usize {
    let of_parts = |w: &Workload| {
        w.blocks()
            .parts
            .iter()
            .flat_map(|p| p.access.counters.clone())
            .max()
    };
    let of = |w: &Workload| {
        w.blocks()
            .access
            .counters
            .iter()
            .copied()
            .max()
            .max(of_parts(w))
    };
    let most = stage.workloads.iter().filter_map(of).max();
    most.map_or(0, |n| n as usize + 1)
}

/// Which worker a program is for.
#[derive(Clone, Copy)]
struct WorkerId {
    index: u32,
    worker: u32,
    base: u64,
    seed: u64,
}

/// The program of one worker, unless something is wrong with it.
fn program(
    workload: &Arc<Workload>,
    place: WorkerId,
    cached: &mut Cached<'_>,
    problems: &mut Problems,
) -> Option<Program> {
    let name = &workload.name;
    let draw = if has_own_files(workload) {
        Draw::Own(place.seed)
    } else {
        Draw::ByPath(place.base)
    };
    let ground = RegionContext {
        workload,
        worker: place.worker,
        draw,
    };
    let places = medium::of(workload).places(workload, place.worker, cached, problems)?;
    let (files, wrongs) = region::files(&ground, places.at);
    let whole = wrongs.is_empty() && !files.is_empty();
    for wrong in wrongs {
        let RegionError {
            code,
            text,
            cure,
            host,
        } = wrong;
        problems.note(name, code, text, cure, host);
    }
    on_host::against(workload, &files, places.made_up, problems);
    medium::of(workload).check(workload, &files, cached, problems);
    if !whole {
        return None;
    }
    let extents: Vec<Extent> = files.iter().map(FilePlan::walked).collect();
    let wraps: Vec<Option<WrapPoint>> = files
        .iter()
        .map(|f| f.wrap_around.map(|t| t.wrap))
        .collect();
    let wraps = if wraps.iter().any(Option::is_some) {
        wraps
    } else {
        Vec::new()
    };
    let (total_bytes, total_ios) = totals(workload, &files, &extents);
    let extents = walked(workload, &files);
    Some(Program {
        host: 0,
        workload_index: place.index,
        worker: place.worker,
        workload: Arc::clone(workload),
        files: if places.made_up { vec![] } else { files },
        extents,
        wraps,
        total_bytes,
        total_ios,
        passes: passes_until_done(workload),
        seed: place.seed,
        buffer: Bytes(buffer_size(workload)),
        cursors: Arc::default(),
    })
}

/// Whether no two workers have a file in common: its name has their number in it.
fn has_own_files(workload: &Workload) -> bool {
    match &workload.blocks().target {
        Target::Files(set) => set.pattern.to_ascii_lowercase().contains("$jobnum"),
        _ => false,
    }
}

/// After how many ignores the region a worker is done, where it is not its own bytes that say so: an
/// end of the region that is an end whatever else is asked, and a position that all workers share.
pub(super) fn passes_until_done(workload: &Workload) -> Option<u64> {
    let stop = &workload.stop;
    if workload.blocks().access.order.is_random() {
        return None;
    }
    if workload.blocks().access.at_end == AtEnd::Stop {
        return Some(1);
    }
    let shared = workload.blocks().access.position == Position::Workload;
    // No I/O fits into the rest of a pass in several sizes, and none begins another for it (measured with
    // fio 3.33).
    let several = workload.blocks().access.order == (Order::Sequential { skip: 0 })
        && matches!(workload.blocks().mix, OpMix::Only(_))
        && workload.blocks().only_size().is_none();
    ((shared || several) && !stop.time_based && stop.io_bytes.is_none())
        .then(|| stop.loops.max(1).into())
}

/// Bytes and I/Os after which a worker is done with all its loops.
fn totals(
    workload: &Workload,
    files: &[FilePlan],
    extents: &[Extent],
) -> (Option<u64>, Option<u64>) {
    let stop = &workload.stop;
    if workload.blocks().prepare.create_only {
        // Beside others that do I/O it is there, and does none.
        return (Some(0), Some(0));
    }
    if stop.time_based {
        return (None, None);
    }
    let shared = workload.blocks().access.position == Position::Workload;
    if shared && stop.io_bytes.is_none() && passes_until_done(workload).is_some() {
        return (None, stop.ios.map(|n| n.saturating_mul(stop.loops.into())));
    }
    let loops = u64::from(stop.loops.max(1));
    let grain = workload.blocks().pass_grain();
    let there = extents.iter().fold(0u64, |sum, e| {
        let usable = grain.map_or(e.len, |g| e.len - e.len % g);
        sum.saturating_add(usable)
    });
    let bounded = match workload.blocks().region.size {
        Some(Amount::Bytes(size @ 1..)) => size.min(there),
        _ => there,
    };
    let once = match stop.io_bytes {
        Some(amount) => {
            return (
                Some(workload.bytes_of_loops(amount.of(bounded), bounded)),
                stop.ios.map(|n| n.saturating_mul(loops)),
            );
        }
        // Each block is trimmed and written.
        None if workload.blocks().mix == OpMix::TrimWrite => bounded.saturating_mul(2),
        None => ends_between(workload, files).map_or(bounded, |n| n.min(bounded)),
    };
    (
        Some(once.saturating_mul(loops)),
        stop.ios.map(|n| n.saturating_mul(loops)),
    )
}

/// Block and skip of a walk of one kind that leaves out bytes after each I/O.
fn skips(workload: &Workload) -> Option<(u64, u64)> {
    let (Order::Sequential { skip }, OpMix::Only(_)) =
        (workload.blocks().access.order, workload.blocks().mix)
    else {
        return None;
    };
    let skip = u64::try_from(skip).ok().filter(|n| *n > 0)?;
    Some((workload.blocks().only_size()?, skip))
}

/// The I/Os of a pass that skips: all that begin in the region and end in the file, the last of them perhaps
/// beyond the region (measured with fio 3.33). How many, and where the last ends, from the region's start.
fn skipping(file: &FilePlan, (block, skip): (u64, u64)) -> Option<(u64, u64)> {
    let Extent { start, len } = file.extent;
    let begun = len.div_ceil(block + skip);
    let whole = file_end(file).checked_sub(start + block)? / (block + skip) + 1;
    let ios = begun.min(whole).max(1);
    Some((ios, (ios - 1) * (block + skip) + block))
}

/// Where the file ends once it is laid out.
fn file_end(file: &FilePlan) -> u64 {
    let there = match file.kind {
        PathKind::File { size } | PathKind::Block { size, .. } => size,
        _ => 0,
    };
    there.max(file.end())
}

/// Bytes of a pass that skips after each I/O and ends for good: fio wraps around where the
/// last I/O ends before the end of the file and the place after the skip does not (measured with fio 3.33).
/// `None` = it wraps around, or it is not such a pass.
fn ends_between(workload: &Workload, files: &[FilePlan]) -> Option<u64> {
    let (block, skip) = skips(workload)?;
    let mut bytes = 0u64;
    for file in files {
        let (ios, end) = skipping(file, (block, skip))?;
        let file_end = file_end(file);
        // fio counts the first from the start of the file and the second from that of the region.
        if file.extent.start.saturating_add(end) < file_end && end.saturating_add(skip) >= file_end
        {
            return None;
        }
        bytes = bytes.saturating_add(ios * block);
    }
    Some(bytes)
}

/// What a worker walks over in each file: the region, and where it skips all of the last I/O.
fn walked(workload: &Workload, files: &[FilePlan]) -> Vec<Extent> {
    let walk = |file: &FilePlan| {
        let extent = file.walked();
        let skips = skips(workload).filter(|_| file.wrap_around.is_none());
        let end = skips.and_then(|s| Some(skipping(file, s)?.1));
        Extent {
            len: extent.len.max(end.unwrap_or(0)),
            ..extent
        }
    };
    files.iter().map(walk).collect()
}

/// Bytes of one I/O buffer: the largest read or write; trims need none.
fn buffer_size(workload: &Workload) -> u64 {
    let sizes = &workload.blocks().sizes;
    if sizes.by_order {
        return sizes.by_op.read.max().max(sizes.by_op.write.max());
    }
    workload
        .blocks()
        .mix
        .ops()
        .filter(|op| *op != Op::Trim)
        .map(|op| sizes.by_op.get(op).max())
        .max()
        .unwrap_or(512)
        .max(512)
}
