//! What a stage is certain to write of its files if it ends well, however fast or slow they are.
//!
//! Belongs here: questions to a program and its stage. Must never: count what a time, another workload or an amount may
//! leave out.

use crate::extent::Extent;
use crate::os::errno::ENOSPC;
use crate::program::Program;
use leadline_model::op::Op;
use leadline_model::plan::{
    Access, Admission, Begin, Coverage, Distribution, Draws, EndsOthers, Fill, Grid, OnError,
    OpMix, Order, Pace, Payload, Position, Refresh, Region, Stage, Stop, Until, Workload,
};
use leadline_model::units::Percent;

/// The part of each file that a worker writes for certain; empty = of none.
pub(super) fn certain(program: &Program, stage: &Stage) -> Vec<Extent> {
    let w = &*program.workload;
    let wraps = program.files.iter().any(|file| file.wrap_around.is_some());
    if wraps || !ends_by_itself(program, stage) || !writes_each_once(w) {
        return Vec::new();
    }
    // In several sizes an order may leave out a rest that the largest does not fit into.
    let whole = |len: u64| match w.blocks().only_size() {
        Some(size) => len - len % size,
        None => len.saturating_sub(w.blocks().largest()),
    };
    let of = |extent: Extent| Extent {
        len: whole(extent.len),
        ..extent
    };
    let all: Vec<Extent> = program.files.iter().map(|file| of(file.extent)).collect();
    let sum = all.iter().fold(0u64, |sum, e| sum.saturating_add(e.len));
    let by_ios = program
        .total_ios
        .map(|n| n.saturating_mul(w.blocks().smallest()));
    let bound = [program.total_bytes, by_ios].into_iter().flatten().min();
    let written = bound.unwrap_or(0).min(sum);
    match all.as_slice() {
        _ if written == sum => all,
        // It stops on its way.
        [one] if !w.blocks().access.order.is_random() => vec![Extent {
            len: whole(written),
            ..*one
        }],
        _ => Vec::new(),
    }
}

/// Whether nothing ends a worker but its own last I/O, or an error that fails the run.
fn ends_by_itself(program: &Program, stage: &Stage) -> bool {
    let w = &*program.workload;
    let together = w.stop.ends_others == EndsOthers::StageTogether;
    let alone = |o: &Workload| match o.stop.ends_others {
        EndsOthers::None => true,
        // The last one of them ends the others.
        EndsOthers::StageTogether => together,
        EndsOthers::Group | EndsOthers::Stage | EndsOthers::All => false,
    };
    let own = program.workload_index as usize;
    let each = stage.workloads.iter().enumerate();
    let mut others = each.filter(|(index, w)| *index != own || w.clones > 1);
    others.all(|other| alone(other.1))
        && never_ends(&stage.until)
        && stops_when_done(&w.stop)
        && errors_fail(&w.on_error)
}

/// Whether a stage has no end of its own but errors, which fail it.
const fn never_ends(until: &Until) -> bool {
    let Until {
        moved,
        read,
        written,
        narrow,
        // I/Os have failed then, and with them the stage.
        errors: _,
    } = until;
    moved.is_none() && read.is_none() && written.is_none() && narrow.is_none()
}

/// Whether a worker ends when its work is done, and not by the time.
const fn stops_when_done(stop: &Stop) -> bool {
    let Stop {
        runtime,
        time_based,
        // How much its work is: in the totals of its program.
        io_bytes: _,
        ios: _,
        loops: _,
        // They do not end it.
        warmup: _,
        cooldown: _,
        // `ends_by_itself`.
        ends_others: _,
    } = stop;
    runtime.is_none() && !*time_based
}

/// Whether a write that fails, as one without space does, is an error of the run.
fn errors_fail(errors: &OnError) -> bool {
    let OnError {
        ignore,
        max_latency,
        removes,
        // Of EIO and EILSEQ only: a target without space gives neither.
        go_on: _,
        // Others end too then, and the run has failed.
        end_all: _,
    } = errors;
    !ignore.write.contains(&ENOSPC) && max_latency.write.is_none() && removes.is_none()
}

/// Whether it writes each block of its region before it writes one again.
fn writes_each_once(w: &Workload) -> bool {
    let blocks = w.blocks();
    let Access {
        order,
        random_percent,
        coverage,
        distribution,
        position,
        begin,
        grid,
        hits,
        stride,
        draws,
        counters,
        // Which block comes when, and of which file: each comes once all the same.
        seed: _,
        file_choice: _,
        file_weights: _,
        at_end: _,
        first_worker: _,
    } = &blocks.access;
    let in_turn = match *order {
        Order::Sequential { skip } => skip == 0 && *begin == Begin::Start,
        Order::Random {
            every,
            // What comes between two jumps: nothing, where each I/O is one.
            identical: _,
        } => {
            let size = w.blocks().only_size();
            let align = blocks.sizes.align.write;
            every <= 1
                && size.is_some()
                && (align.is_none() || align == size)
                && *grid == Grid::Sizes
                && *coverage == Coverage::OncePerPass
                && distribution.write == Distribution::Uniform
                && random_percent.write == Percent::ALL
        }
    };
    let steady = match &w.pace {
        Pace::Closed => true,
        Pace::Open {
            schedule,
            // When each I/O begins, and not which.
            rates: _,
            together: _,
            arrival: _,
        } => schedule.is_empty(),
    };
    in_turn
        && steady
        && blocks.mix == OpMix::Only(Op::Write)
        && w.admission == Admission::OwnDepth
        && matches!(position, Position::EachKind | Position::EachFile)
        && *draws == Draws::Own
        && counters.is_empty()
        && hits.is_none()
        && stride.is_none()
        && blocks.parts.is_empty()
        && whole_region(&blocks.region)
}

/// Whether a worker is to write all of the region that its program has resolved.
const fn whole_region(region: &Region) -> bool {
    let Region {
        until_full,
        // Where it begins and ends: in the extents of its program.
        offset: _,
        offset_step: _,
        size: _,
        file_size: _,
        offset_align: _,
        beyond_end: _,
        end: _,
        // `certain`.
        wrap: _,
    } = region;
    !*until_full
}

/// Whether data take as much space as was written, also where the file system compresses or stores equal blocks once.
pub(super) fn cannot_shrink(w: &Workload) -> bool {
    let Payload {
        fill,
        refresh,
        compress_percent,
        dedupe_percent,
        // Of a share that is compressible.
        compress_chunk: _,
    } = &w.blocks().payload;
    *fill == Fill::Random
        && *refresh != Refresh::Never
        && *compress_percent == Percent::NONE
        && *dedupe_percent == Percent::NONE
}

/// Bytes of ranges from `first` on, those of several ranges once.
pub(super) fn bytes_from(first: u64, ranges: &mut [Extent]) -> u64 {
    ranges.sort_unstable_by_key(|range| range.start);
    let (mut bytes, mut from) = (0u64, first);
    for range in ranges {
        let end = range.start.saturating_add(range.len);
        bytes = bytes.saturating_add(end.saturating_sub(range.start.max(from)));
        from = from.max(end);
    }
    bytes
}
