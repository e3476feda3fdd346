//! The stream of I/Os that DISKSPD would make of the same seed: order, offset and kind.
//!
//! Belongs here: DISKSPD's random numbers and what it makes of them (facts of version 2.2, MIT licence).
//! Must never: be better than the original; its quirks are what is asked for.
//!
//! The facts:
//! - The numbers are those of Bob Jenkins's small generator of 64 bits. A worker's seed is the workload's
//!   plus the worker's number.
//! - A random offset is a number rounded down to the stride, modulo the part that is used: its bytes less
//!   one I/O, in whole strides, plus one stride. With a distribution a second number chooses the range.
//! - The kind comes after the offset, from a number of its own, unless there is only one. With a share of
//!   random I/Os below 100 it is drawn with random I/Os only; sequential runs repeat the last.
//! - Sequential I/O continues by the stride (block and skip) until an I/O would not fit, then from the
//!   worker's first offset modulo the stride. There is no end.
//! - Before the first I/O, for each file: a first place, where a share is random, and a kind, where there
//!   are two.
//! - Ranges are in percent or in bytes, never both. Ends are rounded down to the stride; a range that holds
//!   no multiple of it gives its share to the one before, when that is one block only, else to the next. Of two
//!   such in a row the next gets the second's only.
//!
//! - A file that is drawn comes before its offset: from the lower half of a number where all weights are
//!   the same, else from a whole one. A slot with a file of its own draws nothing for it. By other rules
//!   the file is chosen from random numbers of our own.
//! - One generator serves all files of a worker: their numbers interleave as their I/Os do.
//! - With a source buffer each write takes a number more, for its place in it; with random bytes as many as
//!   its bytes are made of (`numbers_of_bytes`). Places and bytes themselves are ours to choose.

use super::Io;
use super::choose::Chooser;
use super::rng::{Purpose, Stream, derive};
use super::shared::Cursors;
use crate::extent::Extent;
use leadline_model::op::Op;
use leadline_model::plan::access::{
    Begin, Distribution, FileChoice, Grid, OpMix, Order, Position, Zone,
};
use leadline_model::plan::{Amount, Fill, Refresh, Workload};
use leadline_model::units::Percent;
use std::sync::Arc;

/// Jenkins's small generator, 64 bits.
#[derive(Clone, Debug)]
struct Jenkins([u64; 4]);

impl Jenkins {
    fn new(seed: u64) -> Self {
        let mut random = Self([0xf1ea_5eed, seed, seed, seed]);
        for _ in 0..20 {
            random.bits();
        }
        random
    }

    #[inline]
    const fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let e = a.wrapping_sub(b.rotate_left(7));
        let a = b ^ c.rotate_left(13);
        let b = c.wrapping_add(d.rotate_left(37));
        let c = d.wrapping_add(e);
        let d = e.wrapping_add(a);
        self.0 = [a, b, c, d];
        d
    }

    /// True in this many of 100 cases, by the lower half of a number.
    #[inline]
    const fn chance(&mut self, percent: u32) -> bool {
        let low = self.bits() & 0xffff_ffff;
        low % 100 < percent as u64
    }
}

/// How an offset comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OffsetMode {
    Sequential,
    /// From a counter that all workers share.
    Together,
    /// Each slot by itself.
    BySlot,
    Random,
    /// This share in percent jumps.
    Mixed(u32),
}

/// A range of a distribution: the shares of it and all before sum to `upto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    upto: u64,
    first: u64,
    len: u64,
}

/// Which file is next.
#[derive(Clone, Debug)]
enum Choice {
    /// There is one.
    Only,
    /// Each its slots, the first file the first ones: the slots up to each.
    BySlot(Box<[usize]>),
    /// Drawn evenly from the stream.
    Evenly,
    /// Drawn from the stream by weight.
    ByWeight(Box<[u32]>),
    /// By another rule.
    Else(Box<(Chooser, Stream)>),
}

impl Choice {
    fn new(workload: &Workload, files: usize, seed: u64) -> Self {
        let access = &workload.blocks().access;
        match &access.file_choice {
            _ if files <= 1 => Self::Only,
            FileChoice::EachSlot => Self::BySlot(bounds(workload, files)),
            FileChoice::Random { .. } => match access.file_weights.as_slice() {
                weights if weights.windows(2).all(|pair| pair[0] == pair[1]) => Self::Evenly,
                weights => Self::ByWeight(weights.into()),
            },
            other => {
                let files = u32::try_from(files).unwrap_or(u32::MAX);
                let chooser = Chooser::new(other, &access.file_weights, files);
                Self::Else(Box::new((chooser, Stream::new(seed))))
            }
        }
    }
}

/// The slots up to each file: those of its own, or the same number for all.
fn bounds(workload: &Workload, files: usize) -> Box<[usize]> {
    let each = (workload.depth as usize / files).max(1);
    let slots = |file: usize| {
        workload
            .blocks()
            .parts
            .get(file)
            .map_or(each, |p| p.slots as usize)
    };
    let upto = (0..files).scan(0, |sum, file| {
        *sum += slots(file);
        Some(*sum)
    });
    upto.collect()
}

/// One file. Offsets are from the start of its extent.
#[derive(Clone, Debug)]
struct File {
    mode: OffsetMode,
    block: u32,
    stride: u64,
    write_percent: u32,
    /// Where a sequential I/O starts over.
    again: u64,
    /// Numbers that each write takes for its bytes.
    for_bytes: u32,
    /// Its shared position.
    counter: usize,
    start: u64,
    len: u64,
    /// Where random offsets and shared positions wrap.
    wrap: u64,
    next: u64,
    ranges: Box<[Range]>,
    /// Sum of the ranges' shares.
    span: u64,
    writes: bool,
}

/// The stream of one worker.
#[derive(Clone, Debug)]
pub(super) struct Diskspd {
    random: Jenkins,
    files: Box<[File]>,
    /// Positions of slots, by slot and file.
    slots: Box<[u64]>,
    cursors: Arc<Cursors>,
    choice: Choice,
    /// Made to know its kind, and not yet asked for.
    ahead: Option<Io>,
}

impl Diskspd {
    /// The stream of worker number `worker` of `workload`, whose seed is `seed` and that of its further
    /// workers one more each.
    pub(super) fn new(
        workload: &Workload,
        extents: &[Extent],
        seed: u64,
        worker: u32,
        cursors: Arc<Cursors>,
    ) -> Self {
        let number = worker.saturating_add(workload.blocks().access.first_worker);
        let files: Box<[File]> = extents
            .iter()
            .enumerate()
            .map(|(file, extent)| File::new(&workload.of_file(file), file, *extent, number))
            .collect();
        let by_slot = files.iter().any(|f| f.mode == OffsetMode::BySlot);
        let slots = if by_slot { workload.depth as usize } else { 0 };
        let firsts: Vec<u64> = files.iter().map(|f| f.next).collect();
        let mut stream = Self {
            random: Jenkins::new(seed.wrapping_add(worker.into())),
            slots: firsts.repeat(slots).into(),
            cursors,
            choice: Choice::new(
                workload,
                files.len(),
                derive(seed, Purpose::FileChoice, worker.into()),
            ),
            files,
            ahead: None,
        };
        for file in 0..stream.files.len() {
            if matches!(stream.files[file].mode, OffsetMode::Mixed(_)) {
                stream.files[file].next = stream.jump(file);
            }
            stream.files[file].writes = stream.draw_kind(file);
        }
        stream
    }

    /// Bytes of the region that I/Os can touch.
    pub(super) fn usable(&self) -> u64 {
        self.files.iter().map(|f| f.len).sum()
    }

    /// The kind of the next I/O, which is made for it.
    #[inline(never)]
    pub(super) fn pick_op(&mut self, slot: usize) -> Op {
        let io = self.make(slot);
        self.ahead = io;
        io.map_or(Op::Read, |io| io.op)
    }

    /// The next I/O; `op` is its kind, whatever was drawn.
    #[inline]
    pub(super) fn next(&mut self, op: Op, slot: usize) -> Option<Io> {
        let io = self.ahead.take().or_else(|| self.make(slot))?;
        Some(Io { op, ..io })
    }

    fn make(&mut self, slot: usize) -> Option<Io> {
        let file = self.choose(slot);
        let rule = self.files.get(file)?;
        let (wrap, stride, counter) = (rule.wrap, rule.stride, rule.counter);
        if wrap == 0 {
            return None;
        }
        let (offset, new_kind) = match rule.mode {
            OffsetMode::Random => (self.jump(file), true),
            OffsetMode::Sequential => (self.go_on(file), true),
            OffsetMode::Together => (self.cursors.take(counter, stride) % wrap, true),
            OffsetMode::BySlot => (self.go_on_by_slot(file, slot), true),
            OffsetMode::Mixed(percent) => {
                if self.random.chance(percent) {
                    let offset = self.jump(file);
                    self.files[file].next = offset + stride;
                    (offset, true)
                } else {
                    (self.go_on(file), false)
                }
            }
        };
        if new_kind {
            let writes = self.draw_kind(file);
            self.files[file].writes = writes;
        }
        let file_state = &self.files[file];
        if file_state.writes {
            for _ in 0..file_state.for_bytes {
                self.random.bits();
            }
        }
        Some(Io {
            op: if file_state.writes {
                Op::Write
            } else {
                Op::Read
            },
            file: u32::try_from(file).unwrap_or_default(),
            offset: file_state.start + offset,
            len: file_state.block,
        })
    }

    /// The file of the next I/O.
    #[inline]
    fn choose(&mut self, slot: usize) -> usize {
        let files = self.files.len();
        match &mut self.choice {
            Choice::Only => 0,
            Choice::BySlot(upto) => upto.partition_point(|&end| end <= slot).min(files - 1),
            Choice::Evenly => {
                let low = self.random.bits() & 0xffff_ffff;
                usize::try_from(low % files as u64).unwrap_or_default()
            }
            Choice::ByWeight(weights) => {
                let total: u64 = weights.iter().map(|&w| u64::from(w)).sum();
                let mut left = self.random.bits() % total.max(1);
                for (file, &weight) in weights.iter().enumerate() {
                    match left.checked_sub(weight.into()) {
                        Some(rest) => left = rest,
                        None => return file,
                    }
                }
                0
            }
            Choice::Else(other) => {
                let (chooser, random) = &mut **other;
                let file = chooser.current(random);
                chooser.used();
                file as usize
            }
        }
    }

    /// Whether the next I/O writes.
    #[inline]
    fn draw_kind(&mut self, file: usize) -> bool {
        match self.files[file].write_percent {
            0 => false,
            100.. => true,
            percent => self.random.chance(percent),
        }
    }

    /// A random offset.
    #[inline]
    fn jump(&mut self, file: usize) -> u64 {
        let number = self.random.bits();
        let file = &self.files[file];
        let number = number - number % file.stride;
        if file.ranges.is_empty() {
            return number % file.wrap.max(1);
        }
        let x = self.random.bits() % file.span;
        let range = file.ranges[file.ranges.partition_point(|r| r.upto <= x)];
        // A range of no length is one block.
        range.first + number.checked_rem(range.len).unwrap_or(0)
    }

    /// The next sequential offset.
    #[inline]
    fn go_on(&mut self, file: usize) -> u64 {
        let file = &mut self.files[file];
        let fits = file.next.saturating_add(file.block.into()) <= file.len;
        let offset = if fits { file.next } else { file.again };
        file.next = offset + file.stride;
        offset
    }

    fn go_on_by_slot(&mut self, file: usize, slot: usize) -> u64 {
        let at = slot * self.files.len() + file;
        let file = &self.files[file];
        let Some(next) = self.slots.get_mut(at) else {
            return file.again;
        };
        let fits = next.saturating_add(file.block.into()) <= file.len;
        let offset = if fits { *next } else { file.again };
        *next = offset + file.stride;
        offset
    }
}

/// How offsets come about, and what they are multiples of.
fn mode(workload: &Workload, block: u32) -> (OffsetMode, u64) {
    let access = &workload.blocks().access;
    match access.order {
        Order::Sequential { skip } => {
            let mode = match access.position {
                Position::Workload => OffsetMode::Together,
                Position::EachSlot => OffsetMode::BySlot,
                Position::EachKind | Position::EachFile => OffsetMode::Sequential,
            };
            (mode, u64::from(block).saturating_add_signed(skip).max(1))
        }
        Order::Random { .. } => {
            let stride = match (access.grid, workload.blocks().sizes.align.read) {
                (Grid::Bytes(bytes), _) => bytes,
                (Grid::Sizes, Some(align)) => align,
                (Grid::Sizes, None) | (Grid::Own, _) => block.into(),
            };
            let mode = match access.random_percent.read {
                Percent::ALL => OffsetMode::Random,
                share => OffsetMode::Mixed(whole_percent(share)),
            };
            (mode, stride.max(1))
        }
    }
}

/// How many numbers a write takes for what it writes.
fn numbers_for(workload: &Workload, block: u32) -> u32 {
    match (
        &workload.blocks().payload.fill,
        workload.blocks().payload.refresh,
    ) {
        (Fill::Source { .. }, _) => 1,
        (Fill::Random, Refresh::Each) => numbers_of_bytes(block),
        _ => 0,
    }
}

/// How many numbers this many random bytes are made of, their place in memory being a multiple of eight: of
/// five come sixteen words, as long as more than sixteen are left, and the others are one each.
const fn numbers_of_bytes(bytes: u32) -> u32 {
    let words = bytes / 8;
    let mixed = words.saturating_sub(1) / 16;
    5 * mixed + (words - 16 * mixed) + (!bytes.is_multiple_of(8)) as u32
}

/// Whole percent of a share: DISKSPD knows no others.
const fn whole_percent(share: Percent) -> u32 {
    share.parts() / (Percent::PARTS / 100)
}

fn write_percent(mix: OpMix) -> u32 {
    match mix {
        OpMix::Only(Op::Read) => 0,
        OpMix::ReadWrite { read_percent } => whole_percent(read_percent.rest()),
        OpMix::Only(_) | OpMix::TrimWrite => 100,
    }
}

impl File {
    /// The rule of a file: `workload` is what it is on this one, `number` that of the worker among all that
    /// begin apart.
    fn new(workload: &Workload, file: usize, extent: Extent, number: u32) -> Self {
        let access = &workload.blocks().access;
        let bytes = u32::try_from(workload.blocks().largest())
            .unwrap_or(u32::MAX)
            .max(1);
        let (mode, stride) = mode(workload, bytes);
        let base = match access.begin {
            Begin::Apart(bytes) => bytes.saturating_mul(number.into()),
            Begin::Start | Begin::Random => 0,
        };
        let block = u64::from(bytes);
        let wrap = match extent.len.checked_sub(block) {
            Some(room) => room / stride * stride + stride,
            None => 0,
        };
        let counter = access.counters.get(file).map_or(file, |&n| n as usize);
        let ranges = match &access.distribution.read {
            Distribution::Zoned(zones) => {
                if zones.iter().any(|z| matches!(z.extent, Amount::Bytes(_))) {
                    ranges_in_bytes(zones, extent.len, block)
                } else {
                    ranges_in_percent(zones, wrap, stride)
                }
            }
            _ => Vec::new(),
        };
        Self {
            mode,
            block: bytes,
            stride,
            write_percent: write_percent(workload.blocks().mix),
            again: base % stride,
            for_bytes: numbers_for(workload, bytes),
            counter,
            start: extent.start,
            len: extent.len,
            wrap,
            next: base,
            span: ranges.last().map_or(1, |r| r.upto.max(1)),
            ranges: ranges.into(),
            writes: false,
        }
    }
}

/// A zone's share: DISKSPD knows whole percents only.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates; shares are 0 to 100"
)]
fn share(zone: &Zone) -> u64 {
    zone.access_percent.round() as u64
}

/// Ranges by their shares: (share, first, length) with the shares summed up.
fn summed(parts: Vec<(u64, u64, u64)>) -> Vec<Range> {
    let mut upto = 0;
    let range = |(share, first, len)| {
        upto += share;
        Range { upto, first, len }
    };
    parts.into_iter().map(range).collect()
}

/// Ranges in bytes: what is beyond the end loses its share, the last is cut.
fn ranges_in_bytes(zones: &[Zone], whole: u64, block: u64) -> Vec<Range> {
    let mut parts = Vec::new();
    let mut first = 0_u64;
    for zone in zones {
        let len = zone.extent.of(whole);
        let end = first.saturating_add(len);
        if share(zone) > 0 {
            let room = whole.saturating_sub(first);
            if room == 0 || (end > whole && room < block) {
                break;
            }
            parts.push((share(zone), first, len.min(room)));
        }
        first = end;
    }
    summed(parts)
}

/// Ranges in percent of `whole`, which is a multiple of `stride`.
fn ranges_in_percent(zones: &[Zone], whole: u64, stride: u64) -> Vec<Range> {
    let part = |percent: u64| {
        u64::try_from(u128::from(whole) * u128::from(percent) / 100).unwrap_or(u64::MAX)
    };
    let mut parts: Vec<(u64, u64, u64)> = Vec::new();
    let mut begins = 0_u64;
    let mut carry = 0;
    for zone in zones {
        let percent = match zone.extent {
            Amount::Percent(percent) => u64::from(percent),
            Amount::Bytes(_) => 0,
        };
        let (low, ends) = (part(begins), begins + percent);
        begins = ends;
        let share = share(zone);
        if share == 0 {
            continue;
        }
        let high = if ends >= 100 {
            whole
        } else {
            low + part(percent)
        };
        let high = high - high % stride;
        if high < low {
            // No multiple of the stride is in it.
            match parts.last_mut() {
                Some(last) if last.1 == high => last.0 += share,
                _ => carry = share,
            }
            continue;
        }
        let mut low = low - low % stride;
        if low < high
            && let Some(last) = parts.last_mut()
            && last.1 == low
        {
            // The one before has this block for itself.
            low += stride;
            last.2 += stride;
            if low == whole {
                carry = share;
                continue;
            }
            if low == high {
                last.0 += share;
                continue;
            }
        }
        match parts.last_mut() {
            Some(last) if carry > 0 && last.0 < share => last.0 += std::mem::take(&mut carry),
            _ => {}
        }
        parts.push((share + std::mem::take(&mut carry), low, high - low));
    }
    if let Some(last) = parts.last_mut().filter(|_| carry > 0) {
        last.0 += carry;
        last.2 = whole - last.1;
    }
    summed(parts)
}

#[cfg(test)]
mod tests;
