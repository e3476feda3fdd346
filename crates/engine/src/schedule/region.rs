//! Which part of which file a worker uses: sizes split over files, offsets, percentages. Arithmetic
//! only; problems are returned in words, never guessed around.

use crate::extent::{Extent, WrapPoint};
use crate::host_facts::PathKind;
use crate::program::{FilePlan, WrapAround};
use leadline_model::cure::{Cure, Knob};
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::access::Position;
use leadline_model::plan::{Amount, Order, Workload, Wrap};
use leadline_model::seed::{Purpose, derive, number_of};
use leadline_model::units::Bytes;
use std::path::{Path, PathBuf};

/// Largest end of a regular file or device: the kernel's file offsets are signed.
pub(super) const MAX_END: u64 = i64::MAX as u64;

/// What starts and sizes in percent are multiples of. In fio's jobs the sizes of operations that do not occur
/// count too: `rw=write, bs=4k,8k` begins at a multiple of 4 KiB (measured with 3.33).
fn percent_unit(workload: &Workload) -> u64 {
    if !as_fio(workload) {
        return workload.blocks().smallest();
    }
    workload.blocks().sizes.smallest_of_any_op().max(1)
}

/// Something wrong with a region.
pub(super) struct RegionError {
    /// What kind of problem.
    pub(super) code: ErrorCode,
    /// What, with path and figures.
    pub(super) text: String,
    /// What to do about it.
    pub(super) cure: Cure,
    /// See [`super::Problem::host`].
    pub(super) host: bool,
}

impl RegionError {
    /// The plan's fault.
    fn plain(code: ErrorCode, text: impl Into<String>, cure: impl Into<Cure>) -> Self {
        Self {
            code,
            text: text.into(),
            cure: cure.into(),
            host: false,
        }
    }
}

fn wrong<T>(
    code: ErrorCode,
    text: impl Into<String>,
    cure: impl Into<Cure>,
) -> Result<T, RegionError> {
    Err(RegionError::plain(code, text, cure))
}

/// A path for a sentence; of a simulated volume it may be empty.
fn name_of(path: &Path) -> String {
    match path.as_os_str().is_empty() {
        true => "the volume".to_owned(),
        false => path.display().to_string(),
    }
}

/// Why a file that is there is not made larger, to end at `end`: a job of fio's says that none is created.
fn stays_small(workload: &Workload, path: &Path, kind: &PathKind, end: u64) -> Option<RegionError> {
    let PathKind::File { size } = kind else {
        return None;
    };
    if workload.blocks().prepare.create || !as_fio(workload) {
        return None;
    }
    let (shown, has, needs) = (name_of(path), Bytes(*size), Bytes(end));
    Some(RegionError::plain(
        ErrorCode::TargetSize,
        format!("{shown} has {has}, {needs} are needed, and file creation is off"),
        (
            "make it larger, use less of it, or turn file creation on",
            [Knob::Size, Knob::Create],
        ),
    ))
}

/// What the sizes of files are drawn from.
#[derive(Clone, Copy)]
pub(super) enum Draw {
    /// The seed of a worker with files of its own.
    Own(u64),
    /// That of the stage: whoever names a file finds it of the same size.
    ByPath(u64),
}

impl Draw {
    fn bits(self, index: usize, path: &Path) -> u64 {
        match self {
            Self::Own(worker) => derive(worker, Purpose::FileSize, index as u64),
            Self::ByPath(stage) => {
                let name = path.as_os_str().as_encoded_bytes();
                derive(stage, Purpose::FileSize, number_of(name))
            }
        }
    }
}

/// What a worker's region is computed from.
pub(super) struct RegionContext<'a> {
    /// The workload.
    pub workload: &'a Workload,
    /// Worker within it.
    pub worker: u32,
    /// Draws sizes from a range.
    pub draw: Draw,
}

/// The files of a worker with their extents.
pub(super) fn files(
    context: &RegionContext<'_>,
    targets: Vec<(PathBuf, PathKind)>,
) -> (Vec<FilePlan>, Vec<RegionError>) {
    let shares = shares(context.workload, targets.len());
    let mut plans = Vec::with_capacity(targets.len());
    let mut wrongs = Vec::new();
    for (index, (path, kind)) in targets.into_iter().enumerate() {
        let share = shares.as_ref().map(|all| all[index]);
        let own = context.workload.of_file(index);
        let context = &RegionContext {
            workload: &own,
            ..*context
        };
        match one(context, index, &path, &kind, share) {
            Ok((extent, wrap_around)) => {
                let end = extent.start.saturating_add(extent.len);
                let short = matches!(kind, PathKind::Missing)
                    || matches!(kind, PathKind::File { size } if size < end);
                // What is made by being opened is not laid out; a mapping has its size from the start.
                let mapped = own.engine.kind.powers().mapped;
                let grows = short && (mapped || !own.blocks().prepare.create_on_open);
                if grows && let Some(wrong) = stays_small(&own, &path, &kind, end) {
                    wrongs.push(wrong);
                    continue;
                }
                plans.push(FilePlan {
                    make_size: grows.then_some(end),
                    path,
                    kind,
                    extent,
                    wrap_around,
                });
            }
            Err(w) => wrongs.push(w),
        }
    }
    (plans, wrongs)
}

/// A size in bytes split evenly over the files, as fio splits it (files laid out by either fit the
/// other): whole bytes each, and where a whole block is over, one more block for the first files.
/// `None` when the size is not given in bytes.
fn shares(workload: &Workload, count: usize) -> Option<Vec<u64>> {
    let region = &workload.blocks().region;
    let Some(Amount::Bytes(size @ 1..)) = region.size else {
        return None;
    };
    if count <= 1 {
        return Some(vec![size]);
    }
    let block = workload.blocks().smallest();
    let n = u64::try_from(count).unwrap_or(u64::MAX);
    let each = size / n;
    let over = (size - each * n) / block;
    Some((0..n).map(|i| each + u64::from(i < over) * block).collect())
}

/// One file of a worker, and from where on the worker uses it.
struct Piece<'a> {
    /// Its place among the worker's files.
    index: usize,
    path: &'a std::path::Path,
    /// Bytes it has now.
    there: u64,
    /// It cannot grow.
    fixed: bool,
    /// First byte used.
    start: u64,
    /// Its part of a size that was given for all files.
    share: Option<u64>,
}

/// The part of one file, and how it wraps around.
fn one(
    context: &RegionContext<'_>,
    index: usize,
    path: &std::path::Path,
    kind: &PathKind,
    share: Option<u64>,
) -> Result<(Extent, Option<WrapAround>), RegionError> {
    let shown = name_of(path);
    let (there, fixed) = match kind {
        PathKind::Missing => (0, false),
        PathKind::File { size } => (*size, false),
        PathKind::Block { size, .. } => (*size, true),
        PathKind::Unreachable(what) => {
            return Err(RegionError {
                code: ErrorCode::TargetMissing,
                text: format!("{shown} is not accessible: {what}"),
                cure: "correct the path, or run as a user with access to it".into(),
                host: true,
            });
        }
        PathKind::Other(what) => {
            return wrong(
                ErrorCode::TargetKind,
                format!("{shown} is {what}"),
                "name a regular file, a block device, or a path that does not exist yet",
            );
        }
    };
    if fixed && there == 0 {
        return wrong(
            ErrorCode::TargetSize,
            format!("{shown} is a block device of 0 bytes"),
            "attach a medium or a backing file to it",
        );
    }
    let start = start_of(context, if there > 0 { there } else { share.unwrap_or(0) })?;
    let piece = Piece {
        index,
        path,
        there,
        fixed,
        start,
        share,
    };
    if let Some(wrap) = context.workload.blocks().region.wrap {
        return around(context, wrap, &piece).map_err(|what| {
            RegionError::plain(
                ErrorCode::TargetSize,
                format!("{shown}: {what}"),
                (
                    "use a smaller range of it, or make it larger",
                    [Knob::Range, Knob::Size],
                ),
            )
        });
    }
    straight(context, &piece).map(|extent| (extent, None))
}

/// A region that wraps around; in words what is wrong with it.
fn around(
    context: &RegionContext<'_>,
    wrap: Wrap,
    piece: &Piece<'_>,
) -> Result<(Extent, Option<WrapAround>), String> {
    let Piece {
        there,
        fixed,
        start,
        share,
        ..
    } = *piece;
    let end = wrap.end.of(there);
    let end = if fixed { end.min(there) } else { end };
    let all = end.saturating_sub(wrap.start);
    if all == 0 || end > MAX_END {
        return Err(format!(
            "the range to wrap around in, up to byte {end}, is empty"
        ));
    }
    let asked = match context.workload.blocks().region.size {
        Some(Amount::Percent(_)) if there == 0 => return Err("its size is not known".to_owned()),
        Some(size @ Amount::Percent(_)) => size.of(there),
        _ => share.unwrap_or(all),
    };
    // Past the end from the start on, as later ones of equal pieces are.
    let start = match start.checked_sub(end) {
        Some(beyond) => wrap.start + beyond % all,
        None => start,
    };
    let workload = context.workload;
    let grid = workload.blocks().region.offset_align.unwrap_or(0);
    let grid = grid.max(workload.blocks().largest()).max(1);
    let first = end - start - (end - start) % grid;
    let whole = Extent {
        start: wrap.start,
        len: all,
    };
    if asked <= first {
        return Ok((Extent { start, len: asked }, None));
    }
    let wrap_around = WrapAround {
        extent: Extent {
            start,
            len: asked.min(first.saturating_add(all)),
        },
        wrap: WrapPoint {
            at: start + first,
            to: wrap.start,
        },
    };
    Ok((whole, Some(wrap_around)))
}

/// A region that does not wrap around.
fn straight(context: &RegionContext<'_>, piece: &Piece<'_>) -> Result<Extent, RegionError> {
    let Piece {
        there,
        fixed,
        start,
        ..
    } = *piece;
    let shown = name_of(piece.path);
    let room = if fixed { there } else { MAX_END };
    if start >= room {
        return wrong(
            ErrorCode::TargetSize,
            format!(
                "{shown}: the offset {} is at or beyond its end ({})",
                Bytes(start),
                Bytes(room)
            ),
            ("use a lower offset", [Knob::Offset, Knob::OffsetStep]),
        );
    }
    let len = length(context, piece)?;
    let len = if fixed { len.min(there - start) } else { len };
    let len = with_last_io(context.workload, start, len, there);
    let len = match context.workload.blocks().region.end {
        None => len,
        Some(end) if end > start => len.min(end - start),
        Some(end) => {
            return wrong(
                ErrorCode::TargetSize,
                format!(
                    "{shown}: the offset {} is at or beyond the end of the used range ({})",
                    Bytes(start),
                    Bytes(end)
                ),
                (
                    "use a lower offset, or a later end",
                    [Knob::Range, Knob::Size],
                ),
            );
        }
    };
    if let Some(grain) = context.workload.blocks().region.beyond_end {
        let end = there - there.checked_rem(grain).unwrap_or(0);
        let beyond = start.saturating_add(len).saturating_sub(end.max(start));
        return Ok(Extent {
            start: end.max(start),
            len: beyond.min(MAX_END),
        });
    }
    match start.checked_add(len) {
        Some(end) if fixed || end <= MAX_END => Ok(Extent { start, len }),
        _ => wrong(
            ErrorCode::TargetSize,
            format!("{shown}: offset plus size exceeds 8 EiB, the largest file offset"),
            (
                "use a smaller range, or a lower offset",
                [Knob::Size, Knob::Range],
            ),
        ),
    }
}

/// First byte for this worker, in a file of `whole` bytes.
fn start_of(context: &RegionContext<'_>, whole: u64) -> Result<u64, RegionError> {
    let region = &context.workload.blocks().region;
    let step = region
        .offset_step
        .of(whole)
        .checked_mul(u64::from(context.worker));
    let sum = step.and_then(|s| region.offset.of(whole).checked_add(s));
    let Some(start) = sum else {
        return wrong(
            ErrorCode::TargetSize,
            format!(
                "the offset of worker {} does not fit in 64 bits",
                context.worker
            ),
            (
                "use a smaller distance between workers, or fewer workers",
                [Knob::OffsetStep, Knob::Workers],
            ),
        );
    };
    let relative = matches!(region.offset, Amount::Percent(_))
        || matches!(region.offset_step, Amount::Percent(_));
    let align = region
        .offset_align
        .unwrap_or_else(|| percent_unit(context.workload));
    match (relative && align > 1, as_fio(context.workload)) {
        (false, _) => Ok(start),
        // fio continues to the next multiple (measured with 3.33), also where only the distance is in percent.
        (true, true) => Ok(start.checked_next_multiple_of(align).unwrap_or(start)),
        (true, false) => Ok(start - start % align),
    }
}

/// Whether the region follows fio's rules: each kind of operation has a position of its own, as only fio's
/// jobs have.
fn as_fio(workload: &Workload) -> bool {
    workload.blocks().access.position == Position::EachKind
}

/// The bytes of a region of `len` with its last I/O whole, where the file continues beyond the region: in order,
/// fio begins an I/O wherever less than the size is done (measured with 3.33).
fn with_last_io(workload: &Workload, start: u64, len: u64, there: u64) -> u64 {
    let in_order = matches!(
        workload.blocks().access.order,
        Order::Sequential { skip: 0 }
    );
    let block = workload
        .blocks()
        .only_size()
        .filter(|_| in_order && as_fio(workload));
    let whole = block.and_then(|block| len.checked_next_multiple_of(block));
    match whole {
        Some(whole) if start.saturating_add(whole) <= there => whole,
        _ => len,
    }
}

/// Bytes used of one file from its start on.
fn length(context: &RegionContext<'_>, piece: &Piece<'_>) -> Result<u64, RegionError> {
    let Piece {
        index,
        path,
        there,
        fixed,
        start,
        share,
    } = *piece;
    let region = &context.workload.blocks().region;
    let shown = name_of(path);
    let past = |end: u64| -> Result<u64, RegionError> {
        match end.checked_sub(start) {
            Some(len @ 1..) => Ok(len),
            _ => wrong(
                ErrorCode::TargetSize,
                format!(
                    "{shown}: the offset {} is at or beyond its end ({})",
                    Bytes(start),
                    Bytes(end)
                ),
                ("use a lower offset", [Knob::Offset, Knob::OffsetStep]),
            ),
        }
    };
    let percent = match region.size {
        Some(Amount::Percent(p)) => Some(p),
        _ => None,
    };
    // Of a file of `whole` bytes, of which `room` are beyond the offset.
    let part = |whole: u64, room: u64| {
        let block = percent_unit(context.workload);
        percent.map_or(room, |p| {
            let part = Amount::Percent(p).of(whole).min(room);
            if p == 100 { part } else { part - part % block }
        })
    };
    if let Some((low, high)) = region.file_size {
        let as_it_is = there >= low && there <= high && there > 0;
        let whole = if as_it_is {
            there
        } else {
            drawn(context, context.draw.bits(index, path), low, high)
        };
        return Ok(part(whole, past(whole)?));
    }
    if let Some(share) = share {
        return Ok(share);
    }
    if there == 0 {
        if region.until_full && percent.is_none() {
            let block = context.workload.blocks().smallest();
            return Ok((MAX_END - start) / block * block);
        }
        return wrong(
            ErrorCode::TargetSize,
            format!("{shown} does not exist yet or is empty, and no size in bytes is given"),
            ("name a target that exists, or give a size", [Knob::Size]),
        );
    }
    if region.until_full && !fixed && percent.is_none() {
        let block = context.workload.blocks().smallest();
        return Ok((MAX_END - start) / block * block);
    }
    Ok(part(there, past(there)?))
}

/// A file size from the range, in whole blocks when the range has more than one value.
fn drawn(context: &RegionContext<'_>, random: u64, low: u64, high: u64) -> u64 {
    if low >= high {
        return low;
    }
    let span = u128::from(high - low) + 1;
    let part = u64::try_from((u128::from(random) * span) >> 64).unwrap_or(0);
    let size = low + part;
    let block = context.workload.blocks().smallest();
    let rounded = size - size % block;
    if rounded < low { low } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_without_a_path_has_a_name() {
        assert_eq!(name_of(Path::new("")), "the volume");
        assert_eq!(name_of(Path::new("/dev/v")), "/dev/v");
    }
}
