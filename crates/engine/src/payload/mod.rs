//! What the written data consists of.
//!
//! Belongs here: filling write buffers before the start, and changing them before each write. Must
//! never: know of slots in flight, of files (`by_file` apart), or of reads (an arena keeps them apart).
//!
//! Each buffer is a row of chunks. The first part of a chunk is the body, which does not compress; the
//! last `compress_percent` are the padding, which compresses away: zeros, or the pattern. The last
//! chunk of a buffer may be shorter and has the same shares.
//!
//! Cost for each write: nothing for `Never`; two stores into one cache line of each 512 bytes for
//! `Stamp`; the body generated again for `Each`, and for any workload that dedupes, as contents can only
//! repeat as a whole; a copy for parts of a source buffer.

mod by_file;
mod fast;

use crate::access::rng::{Purpose, Stream, derive, mix, threshold};
use crate::buffer::Arena;
pub use by_file::Payloads;
use fast::Fast;
use leadline_model::plan::data::{Fill, Payload as Plan, Refresh};
use leadline_model::units::Percent;
use std::sync::Arc;

/// Bytes that get a stamp of their own: the smallest block of any device, so also the smallest unit
/// that a storage system can find equal to another.
pub const STAMPED: usize = 512;

/// Contents that a duplicate may repeat. More than a queue is deep, so that a storage system that
/// merges writes in flight is not the only one to find them.
const REMEMBERED: usize = 64;

/// The maker of written data for one worker.
#[derive(Clone, Debug)]
pub struct Payload {
    mode: FillMode,
    /// What padding consists of, over and over; `None` = zeros.
    pattern: Option<Box<[u8]>>,
    /// Bytes of a chunk; `usize::MAX` = the buffer.
    chunk: usize,
    /// Share of the body in a chunk.
    body_percent: Percent,
    /// Number of the next content or stamp, from a random start.
    serial: u64,
    duplicates_below: u64,
    /// Numbers of the last contents, and how many there were.
    contents: [u64; REMEMBERED],
    made: u64,
    random: Stream,
    /// What parts are taken of.
    source: Option<Arc<[u8]>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FillMode {
    Keep,
    Stamp,
    Redraw,
    /// A random part of the source.
    Part,
}

impl Payload {
    /// Data as `plan` wants it, all random choices taken from `seed`. Workers with different seeds
    /// write different data, except for zeros and patterns.
    #[must_use]
    pub fn new(plan: &Plan, seed: u64) -> Self {
        let compress = plan.compress_percent;
        let (pattern, body_percent) = match &plan.fill {
            // Without its source at hand, the data are as random as a source is.
            Fill::Random | Fill::Source { .. } => (None, compress.rest()),
            Fill::Zero => (None, Percent::NONE),
            Fill::Pattern(bytes) if bytes.is_empty() => (None, Percent::NONE),
            // A pattern alone is all padding; with a share it is what compresses away.
            Fill::Pattern(bytes) if compress == Percent::NONE => {
                (Some(spread(bytes)), Percent::NONE)
            }
            Fill::Pattern(bytes) => (Some(spread(bytes)), compress.rest()),
        };
        let mode = match plan.refresh {
            Refresh::Never => FillMode::Keep,
            Refresh::Stamp
                if body_percent > Percent::NONE && plan.dedupe_percent > Percent::NONE =>
            {
                FillMode::Redraw
            }
            Refresh::Stamp => FillMode::Stamp,
            Refresh::Each if body_percent > Percent::NONE => FillMode::Redraw,
            Refresh::Each => FillMode::Keep,
        };
        Self {
            mode,
            pattern,
            chunk: match usize::try_from(plan.compress_chunk) {
                Ok(chunk) if chunk > 0 && body_percent > Percent::NONE => chunk,
                _ => usize::MAX,
            },
            body_percent,
            serial: derive(seed, Purpose::PayloadStamps, 0),
            duplicates_below: threshold(plan.dedupe_percent),
            contents: [0; REMEMBERED],
            made: 0,
            random: Stream::new(derive(seed, Purpose::PayloadBytes, 0)),
            source: None,
        }
    }

    /// The same, each write being a random part of `source` when there is one.
    #[must_use]
    pub fn with_source(plan: &Plan, seed: u64, source: Option<Arc<[u8]>>) -> Self {
        let mut payload = Self::new(plan, seed);
        payload.source = source.filter(|source| !source.is_empty());
        if payload.source.is_some() {
            payload.mode = FillMode::Part;
        }
        payload
    }

    /// Gives all write buffers their first content.
    pub fn fill_all(&mut self, arena: &mut Arena) {
        for slot in 0..arena.slots() {
            let content = self.new_content();
            self.fill(arena.slot_mut(slot), content);
        }
    }

    /// Makes `buffer` what the next write is to carry: exactly the bytes to be written, in a buffer
    /// that [`Payload::fill_all`] has filled. `offset` is where they go in their file; a stamp contains it.
    #[inline]
    pub fn before_write(&mut self, buffer: &mut [u8], offset: u64) {
        match self.mode {
            FillMode::Keep => {}
            FillMode::Stamp => self.stamp(buffer, offset),
            FillMode::Part => self.part(buffer),
            FillMode::Redraw => {
                let content = self.next_content(1);
                self.fill(buffer, content);
            }
        }
    }

    /// Whether [`Payload::before_write`] does anything at all.
    #[inline]
    #[must_use]
    pub fn changes(&self) -> bool {
        self.mode != FillMode::Keep
    }

    /// Bytes from a random place of the source; from its start again should it be shorter.
    fn part(&mut self, buffer: &mut [u8]) {
        let Some(source) = &self.source else { return };
        let room = source.len().saturating_sub(buffer.len());
        let places = u64::try_from(room).unwrap_or(0) + 1;
        let mut from = usize::try_from(self.random.below(places)).unwrap_or(0);
        let mut rest = buffer;
        while !rest.is_empty() {
            let len = rest.len().min(source.len() - from);
            let (part, after) = rest.split_at_mut(len);
            part.copy_from_slice(&source[from..from + len]);
            (rest, from) = (after, 0);
        }
    }

    /// Each 512 bytes begin with a number that never comes again and with their place: no two blocks
    /// are equal, and a misplaced one can be recognized. Places are left out where contents are to repeat.
    fn stamp(&mut self, buffer: &mut [u8], offset: u64) {
        let blocks = buffer.len().div_ceil(STAMPED) as u64;
        let (mut serial, mut place) = (self.serial, offset);
        let mut step = STAMPED as u64;
        if self.duplicates_below > 0 {
            serial = self.next_content(blocks);
            (place, step) = (0, 0);
        } else {
            self.serial = serial.wrapping_add(blocks);
        }
        let mut rows = buffer.chunks_exact_mut(STAMPED);
        for row in &mut rows {
            row[..8].copy_from_slice(&serial.wrapping_mul(SCATTER).to_le_bytes());
            row[8..16].copy_from_slice(&place.to_le_bytes());
            serial = serial.wrapping_add(1);
            place = place.wrapping_add(step);
        }
        let last = serial.wrapping_mul(SCATTER).to_le_bytes();
        for (byte, stamp) in rows.into_remainder().iter_mut().zip(last) {
            *byte = stamp;
        }
    }

    /// The number of a content never written before.
    fn new_content(&mut self) -> u64 {
        let content = self.serial;
        self.serial = content.wrapping_add(1);
        content
    }

    /// The number of the next content, which takes up `numbers` of them: an earlier one by the
    /// duplicates' share, else a new one.
    fn next_content(&mut self, numbers: u64) -> u64 {
        if self.made > 0 && self.random.bits() < self.duplicates_below {
            let known = self.made.min(REMEMBERED as u64);
            let i = usize::try_from(self.random.below(known)).unwrap_or(0);
            return self.contents.get(i).copied().unwrap_or(0);
        }
        let content = self.serial;
        self.serial = content.wrapping_add(numbers);
        let at = usize::try_from(self.made).unwrap_or(0) % REMEMBERED;
        self.contents[at] = content;
        self.made += 1;
        content
    }

    /// The content of this number, whole.
    fn fill(&self, buffer: &mut [u8], content: u64) {
        let mut random = Fast::new(mix(content));
        if self.body_percent == Percent::ALL {
            return random.fill(buffer);
        }
        for chunk in buffer.chunks_mut(self.chunk) {
            let body = share(chunk.len(), self.body_percent);
            let (body, padding) = chunk.split_at_mut(body);
            random.fill(body);
            match &self.pattern {
                None => padding.fill(0),
                Some(pattern) => {
                    for part in padding.chunks_mut(pattern.len()) {
                        part.copy_from_slice(&pattern[..part.len()]);
                    }
                }
            }
        }
    }
}

/// Odd and with half of its bits set: spreads a count over 64 bits, one to one.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

/// `share` of `len`, to the nearest byte.
const fn share(len: usize, share: Percent) -> usize {
    const WHOLE: usize = Percent::PARTS as usize;
    let parts = share.parts() as usize;
    len / WHOLE * parts + (len % WHOLE * parts + WHOLE / 2) / WHOLE
}

/// A pattern repeated until copies of it are worth their calls.
fn spread(bytes: &[u8]) -> Box<[u8]> {
    bytes.repeat(4096usize.div_ceil(bytes.len())).into()
}

#[cfg(test)]
mod tests;
