//! Which part of a storage a workload uses.
//!
//! Belongs here: ranges in bytes and percent, devices' first block, streams. Must never appear here:
//! what is done there.

use super::Scene;
use crate::number::{small, whole};
use crate::objects::{Storage, WorkloadDef, is_raw};
use crate::value::{Extent, Transfer};
use leadline_dialect::diagnostic::Diagnostic;
use leadline_model::plan::{Amount, Region, Wrap};

/// Largest size of an I/O.
pub(crate) fn largest(transfer: &Transfer) -> u64 {
    match transfer {
        Transfer::One(n) => *n,
        Transfer::Shares(shares) => shares.iter().map(|s| s.0).max().unwrap_or(4096),
        Transfer::Steps { max, .. } => *max,
    }
}

/// An amount of an extent's ends.
pub(crate) fn amounts(extent: Extent) -> (Amount, Amount) {
    match extent {
        Extent::Percent(a, b) => (Amount::Percent(small(a)), Amount::Percent(small(b))),
        Extent::Bytes(a, b) => (Amount::Bytes(a), Amount::Bytes(b)),
    }
}

/// The region of a workload on one storage at `lun`.
pub(crate) fn region(
    scene: &Scene<'_>,
    storage: &Storage,
    (workload, lun): (&WorkloadDef, &str),
    says: &mut Vec<Diagnostic>,
) -> Region {
    let block = largest(&workload.transfer);
    let range = workload.range.or(storage.range).map(|range| match range {
        // Past the end from the start on: the same part, wrapped around.
        Extent::Percent(a, b) if a >= 100.0 => Extent::Percent(a - 100.0, b - 100.0),
        other => other,
    });
    let (mut start, mut len) = match (range, storage.size) {
        (None, size) => (Amount::Bytes(0), size.map(Amount::Bytes)),
        (Some(Extent::Bytes(a, b)), size) => {
            let end = size.map_or(b, |s| b.min(s));
            (Amount::Bytes(a), Some(Amount::Bytes(end.saturating_sub(a))))
        }
        (Some(Extent::Percent(a, b)), Some(size)) => {
            let at = |p: f64| whole(size as f64 * p / 100.0);
            let start = at(a) - at(a) % block.max(1);
            (
                Amount::Bytes(start),
                Some(Amount::Bytes(at(b).saturating_sub(start))),
            )
        }
        (Some(Extent::Percent(a, b)), None) => (
            Amount::Percent(small(a)),
            Some(Amount::Percent(small(b) - small(a))),
        ),
    };
    if let Amount::Bytes(bytes) = &mut start {
        *bytes = bytes.saturating_add(storage.offset);
        if is_raw(lun) && *bytes == 0 {
            // Vdbench leaves the block alone that holds a device's label.
            *bytes = block;
            if let Some(Amount::Bytes(len)) = &mut len {
                *len = len.saturating_sub(block);
            }
        }
    } else if storage.offset > 0 {
        let message = format!(
            "`{}`: an offset and a range in percent need size=",
            storage.name
        );
        says.push(Diagnostic::error("size-missing", message).at(storage.at, ""));
    }
    if len.is_some_and(|l| matches!(l, Amount::Bytes(n) if n < block)) {
        let message = format!(
            "`{}`: the used range is smaller than one I/O of {block} bytes",
            storage.name
        );
        let diagnostic = if scene.simulate {
            Diagnostic::warning("storage-too-small", message)
        } else {
            Diagnostic::error("storage-too-small", message)
        };
        says.push(diagnostic.at(storage.at, ""));
    }
    Region {
        offset: start,
        size: len,
        offset_align: Some(block),
        wrap: wrap(storage, range, lun, block),
        ..Region::default()
    }
}

/// The range in which a range over 100 % wraps around: all of the storage but a device's first block.
fn wrap(storage: &Storage, range: Option<Extent>, lun: &str, block: u64) -> Option<Wrap> {
    if !matches!(range, Some(Extent::Percent(_, to)) if to > 100.0) {
        return None;
    }
    let start = match storage.offset {
        0 if is_raw(lun) => block,
        offset => offset,
    };
    let past = |size: u64| Amount::Bytes(size.saturating_add(storage.offset));
    Some(Wrap {
        start,
        end: storage.size.map_or(Amount::Percent(100), past),
    })
}

/// Cuts a region into streams, one for each of `streams` workers: of the size given, else of equal size.
pub(crate) fn cut(
    region: &mut Region,
    (streams, each): (u64, Option<u64>),
    workload: &WorkloadDef,
    says: &mut Vec<Diagnostic>,
) {
    let block = largest(&workload.transfer).max(1);
    let piece = match (each, region.size) {
        (Some(each), _) => Amount::Bytes(each / block * block),
        (None, Some(Amount::Bytes(len))) => Amount::Bytes(len / streams.max(1) / block * block),
        (None, Some(Amount::Percent(all))) => Amount::Percent(part(all, streams)),
        (None, _) => Amount::Percent(part(100, streams)),
    };
    if matches!(piece, Amount::Bytes(0) | Amount::Percent(0)) {
        let message = format!("`{}`: a stream is smaller than one I/O", workload.name);
        says.push(
            Diagnostic::error("storage-too-small", message)
                .at(workload.at, "")
                .expected(
                    "use fewer streams, or `size=` for each storage if there are more than 100",
                ),
        );
        return;
    }
    region.size = Some(piece);
    region.offset_step = piece;
}

/// A whole number of percent for each stream where the size is not known here.
fn part(all: u32, streams: u64) -> u32 {
    all / u32::try_from(streams).unwrap_or(u32::MAX).max(1)
}
