//! `-rd`: parts of the target with their shares of the I/Os.
//!
//! Belongs here: the grammar of `-rd`, and what must hold of the parts together. Must never appear here:
//! the size of a target.

use crate::number;
use crate::profile::{Distribution, Range};
use crate::reader::{Opt, Reader};
use leadline_dialect::diagnostic::Diagnostic;

/// Reads one `-rd`. The last one counts.
pub(super) fn read(reader: &mut Reader<'_>, opt: &Opt) {
    match parse(opt.tail(1), reader.target.block_size) {
        Ok(distribution) => reader.target.distribution = Some(distribution),
        Err(message) => reader.say(
            Diagnostic::error("bad-distribution", message)
                .at(opt.value_span(), "")
                .expected("parts as in `-rdpct90/10:5/20` or `-rdabs90/10G:5/20G`"),
        ),
    }
}

fn parse(text: &str, block: u32) -> Result<Distribution, String> {
    let (percent, mut rest) = match (text.strip_prefix("pct"), text.strip_prefix("abs")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return Err("Unrecognized random distribution type".to_owned()),
    };
    let (mut io_before, mut span_before) = (0_u32, 0_u64);
    let mut ranges = Vec::new();
    loop {
        let (io, after) = share(rest, io_before)?;
        let Some(after) = after.strip_prefix('/') else {
            return Err(format!("Expected / separator after {io}"));
        };
        let (span, after) = if percent {
            part(after, span_before)?
        } else {
            number::size_in_front(after, block)?
        };
        if span == 0 {
            return Err("Invalid zero length target range".to_owned());
        }
        ranges.push(Range { io, span });
        io_before = io_before.saturating_add(io);
        span_before = span_before.saturating_add(span);
        rest = match after.strip_prefix(':') {
            Some(next) => next,
            None if after.is_empty() => return Ok(Distribution::filled(percent, ranges)),
            None => {
                return Err(format!("Unexpected characters in specification '{after}'"));
            }
        };
    }
}

fn share(text: &str, before: u32) -> Result<(u32, &str), String> {
    let left = 100_u32.wrapping_sub(before);
    let Some((io, after)) = number::digits(text) else {
        return Err(format!("Invalid integer IO%: must be > 0 and <= {left}"));
    };
    match u32::try_from(io) {
        Ok(io @ 0..=100) => Ok((io, after)),
        _ => Err(format!("Invalid IO% {io}: must be >= 0 and <= {left}")),
    }
}

fn part(text: &str, before: u64) -> Result<(u64, &str), String> {
    let left = 100_u64.wrapping_sub(before);
    let Some((span, after)) = number::digits(text) else {
        return Err(format!(
            "Invalid integer Target%: must be > 0 and <= {left}"
        ));
    };
    if span == 0 || span > 100 {
        return Err(format!("Invalid Target% {span}: must be > 0 and <= {left}"));
    }
    Ok((span, after))
}

/// All that is wrong with the parts together, in DISKSPD's words.
pub(super) fn faults(distribution: &Distribution, block: u32) -> Vec<String> {
    let mut faults = Vec::new();
    let (mut io, mut span) = (0_u32, 0_u64);
    // A part of no length in bytes goes to the end of the target: the last one may.
    let mut open = None;
    for (i, range) in distribution.ranges.iter().enumerate() {
        let opens = !distribution.percent && range.span == 0 && open.is_none();
        if opens {
            open = Some(i);
        }
        let fault = if distribution.percent {
            share_fault(*range, io).or_else(|| part_fault(*range, (io, span)))
        } else {
            length_fault(*range, block)
                .filter(|_| !opens)
                .or_else(|| share_fault(*range, io))
        };
        if let Some(fault) = fault {
            faults.push(fault);
            break;
        }
        io = io.saturating_add(range.io);
        span = span.saturating_add(range.span);
    }
    if distribution.percent && span != 100 {
        faults.push(format!(
            "invalid random distribution span: Target% ({span}%) must total 100%"
        ));
    }
    if faults.is_empty() && open.is_some_and(|i| i + 1 < distribution.ranges.len()) {
        faults.push(format!(
            "invalid zero target range in random distribution - must be a minimum of the specified \
             block size ({block} bytes)"
        ));
    }
    if faults.is_empty() && io == 0 {
        faults.push("invalid random distribution: no part gets any IO".to_owned());
    }
    faults
}

fn share_fault(range: Range, before: u32) -> Option<String> {
    (before.saturating_add(range.io) > 100).then(|| {
        format!(
            "invalid random distribution IO% {}: can be at most {} - total must be <= 100%",
            range.io,
            100 - before
        )
    })
}

fn length_fault(range: Range, block: u32) -> Option<String> {
    (range.span < u64::from(block)).then(|| {
        format!(
            "invalid random distribution target range {} - must be a minimum of the specified block \
             size ({block} bytes)",
            range.span
        )
    })
}

/// Of a part in percent, the shares and lengths before it being known to be at most 100.
fn part_fault(range: Range, (io, span): (u32, u64)) -> Option<String> {
    let end = span.saturating_add(range.span);
    if end > 100 {
        return Some(format!(
            "invalid random distribution Target% {}: can be at most {} - total must be <= 100%",
            range.span,
            100_u64.saturating_sub(span)
        ));
    }
    (end == 100 && io + range.io < 100).then(|| {
        format!(
            "invalid random distribution: the target is covered with {}% IO left to distribute",
            100 - io - range.io
        )
    })
}
