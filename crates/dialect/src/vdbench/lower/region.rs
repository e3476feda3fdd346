//! Which part of a storage a workload uses.
//!
//! Belongs here: ranges in bytes and percent, devices' first block, streams. Must never appear here:
//! what is done there.

use super::super::number::{small, whole};
use super::super::objects::{Storage, WorkloadDef, is_raw};
use super::super::value::{Extent, Transfer};
use crate::diagnostic::Diagnostic;
use leadline_model::plan::{Amount, Region, Round};

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
    storage: &Storage,
    workload: &WorkloadDef,
    lun: &str,
    says: &mut Vec<Diagnostic>,
) -> Region {
    let block = largest(&workload.transfer);
    let range = workload.range.or(storage.range).map(|range| match range {
        // Behind the end from the beginning on: the same part, once round.
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
            "`{}`: what is used of it is smaller than one I/O of {block} bytes",
            storage.name
        );
        says.push(Diagnostic::error("storage-too-small", message).at(storage.at, ""));
    }
    Region {
        offset: start,
        size: len,
        offset_align: Some(block),
        round: round(storage, range, lun, block),
        ..Region::default()
    }
}

/// What a range over 100 % goes round in: all of the storage but a device's first block.
fn round(storage: &Storage, range: Option<Extent>, lun: &str, block: u64) -> Option<Round> {
    if !matches!(range, Some(Extent::Percent(_, to)) if to > 100.0) {
        return None;
    }
    let start = match storage.offset {
        0 if is_raw(lun) => block,
        offset => offset,
    };
    let behind = |size: u64| Amount::Bytes(size.saturating_add(storage.offset));
    Some(Round {
        start,
        end: storage.size.map_or(Amount::Percent(100), behind),
    })
}

/// Cuts a region into equal streams, one for each of `streams` workers.
pub(crate) fn cut(
    region: &mut Region,
    streams: u64,
    workload: &WorkloadDef,
    says: &mut Vec<Diagnostic>,
) {
    let block = largest(&workload.transfer).max(1);
    let Some(Amount::Bytes(len)) = region.size else {
        let message = format!(
            "the streams of `{}` need the size of the storage",
            workload.name
        );
        says.push(
            Diagnostic::error("size-missing", message)
                .at(workload.at, "")
                .expected("`size=` of each storage"),
        );
        return;
    };
    let piece = len / streams.max(1) / block * block;
    if piece == 0 {
        let message = format!("`{}`: a stream is smaller than one I/O", workload.name);
        says.push(Diagnostic::error("storage-too-small", message).at(workload.at, ""));
        return;
    }
    region.size = Some(Amount::Bytes(piece));
    region.offset_step = Amount::Bytes(piece);
}
