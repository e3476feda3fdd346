//! One walk through the files: where the next I/O of one or more kinds of operation starts.
//!
//! Belongs here: the state of each file within a pass, and the step from one offset to the next. Must
//! never: choose the kind of operation, or do I/O.
//!
//! A lane is what kinds of operation share when they share a position. Each has units: offsets are multiples of
//! the unit from the start of the extent. A tail that holds no whole smallest I/O is not used, unless it is all.

use super::choose::Chooser;
use super::pattern::Kind;
use super::permute::Permutation;
use super::rng::{Purpose, Stream, derive, mix};
use super::sampler::Spread;
use super::shared::Cursors;
use super::sizes::SizeDraw;
use crate::extent::{Extent, WrapPoint};
use cuts::Cuts;
use leadline_model::plan::access::{Distribution, FileChoice};
use samplers::Samplers;
use std::sync::Arc;
use walks::{Slots, Taken};

mod cuts;
mod samplers;
mod walks;
mod wraps;

/// How a lane goes from one offset to the next.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AccessPattern {
    /// One after the other, with this many bytes left out in between.
    Sequential { skip: i64 },
    /// Each unit once, in random order.
    Once,
    /// Independent draws. They never end, except when files come one after the other.
    Draws(Distribution),
    /// Forwards, each I/O this many bytes after the start of the one before, drawn between the two.
    Stride { min: u64, max: u64 },
}

/// Whose position a sequential pattern has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    /// The lane's.
    Lane,
    /// Each of this many slots has its own.
    Slots(u32),
    /// All workers of the workload have one.
    Workload,
}

/// Where a sequential pattern begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    Start,
    /// At a random unit.
    Random,
    /// This many bytes after the start, wrapping at the end.
    After(u64),
}

/// Random I/Os with others between them that continue where the last one ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blend {
    /// Share that jumps, of 2^64.
    pub(super) jump_below: u64,
    /// Only one I/O in this many may jump, at least 1.
    pub(super) every: u32,
    /// The others repeat the last offset rather than continue.
    pub(super) identical: bool,
}

/// What a lane is made from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LanePlan {
    pub(super) pattern: AccessPattern,
    pub(super) blend: Option<Blend>,
    /// Offsets are multiples of this, at least 1.
    pub(super) unit: u32,
    /// Smallest and largest length, at least 1.
    pub(super) min: u32,
    pub(super) max: u32,
    /// The lengths of random I/Os of each kind of operation that draws its own, with its share; at most two.
    pub(super) kinds: Vec<Kind>,
    pub(super) walk: Walk,
    pub(super) first: First,
    /// A pass ends at the end of the region, wherever it began.
    pub(super) ends: bool,
    /// Random offsets are multiples of the length, and only multiples of the largest are used.
    pub(super) own_grid: bool,
    /// Bytes at the start that take hits; 0 = there are none.
    pub(super) hit_area: u64,
}

/// Lengths of one kind of operation.
#[derive(Clone, Debug)]
pub(super) struct OpSizes {
    /// When it continues where the last I/O ended.
    pub(super) onward: SizeDraw,
    /// When it jumps.
    pub(super) jump: SizeDraw,
    /// Share that goes to the hit area, of 2^64.
    pub(super) hit_below: u64,
    /// Which of the lane's kinds draws like this.
    pub(super) kind: u8,
}

/// A place for an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockRef {
    pub(super) file: u32,
    pub(super) offset: u64,
    pub(super) len: u32,
}

/// One file's state. A cache line.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct Track {
    /// First byte of the extent.
    start: u64,
    /// Usable bytes.
    usable: u64,
    /// Sequential: the next position, `usable` when done. Random: units drawn in this pass.
    next: u64,
    /// The units that may start an I/O, and their order.
    units: Permutation,
    /// Where a walk begins. Of one that goes backwards: 1 once it went from the start to the end.
    first: u64,
}

/// A file's memory of its last I/O, where random and sequential I/Os are blended.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    start: u64,
    end: u64,
    until_jump: u32,
}

/// One walk through the files.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    mode: Mode,
    /// The mode of the I/Os that are no hits; without a hit area the mode.
    base: Mode,
    /// The mode of the jumps of a blended lane; else the base.
    jump: Mode,
    unit: u64,
    tracks: Box<[Track]>,
    chooser: Chooser,
    skip: i64,
    min: u64,
    /// The length of all I/Os, when they have the same.
    one_len: Option<u32>,
    /// Passes go backwards from this many bytes before the end, the first one after the I/O at the start.
    backwards: Option<u64>,
    blend: Option<Blend>,
    last: Box<[Last]>,
    samplers: Samplers,
    /// With files one after the other, draws of a file end after one for each unit.
    draws_end: bool,
    /// Where I/Os of several sizes lie that cover the files once.
    cuts: Cuts,
    /// Lengths of strides.
    stride: (u64, u64),
    ends: bool,
    own_grid: bool,
    /// The hit areas, by file.
    hits: Box<[Track]>,
    slots: Slots,
    cursors: Option<Arc<Cursors>>,
    /// Where files continue elsewhere; empty = nowhere.
    wraps: Box<[Option<WrapPoint>]>,
    /// What was taken from a shared position and belongs to the next pass.
    taken: Taken,
    seed: u64,
    scatter: u64,
    pass: u64,
}

/// The hot part of an [`AccessPattern`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Sequential without a skip.
    Straight,
    Skipping,
    Once,
    /// Each block once, with several lengths.
    OnceBySizes,
    /// Uniform, with repeats.
    Anywhere,
    ByLaw,
    /// Any random mode with a [`Blend`].
    Blended,
    /// Sequential from another place than the start, round the end.
    Turned,
    /// Sequential, each slot by itself.
    BySlot,
    /// Sequential, all workers together.
    Together,
    Striding,
    /// Uniform, each I/O on the grid of its own length.
    OwnGrid,
    /// Any other mode, with hits.
    Hitting,
}

/// The whole state of a lane that has one file and one length, and no more to decide than this. What
/// fits in a few loads and stores; the lane itself is left as it was at the start of the pass. By default one
/// that has nothing to do.
#[derive(Clone, Debug, Default)]
pub(super) struct SoleLane {
    /// First byte of the extent.
    pub(super) start: u64,
    /// Straight: the next position; once: units drawn.
    pub(super) next: u64,
    /// The pass is over when `next` gets there.
    pub(super) end: u64,
    pub(super) unit: u64,
    pub(super) units: Permutation,
    pub(super) len: u32,
}

/// Which steps a [`SoleLane`] takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SoloMode {
    Straight,
    Once,
    Anywhere,
}

impl Track {
    /// Which bytes of `extent` a lane uses, and which units start an I/O.
    fn new(extent: Extent, plan: &LanePlan) -> Self {
        let (unit, min) = (u64::from(plan.unit), u64::from(plan.min));
        let grain = match plan.pattern {
            _ if plan.own_grid => u64::from(plan.max),
            // Where it skips, an I/O may end anywhere.
            AccessPattern::Sequential { skip } if skip != 0 && plan.min == plan.max => 1,
            AccessPattern::Sequential { .. } => min,
            _ => unit.min(min),
        };
        let whole = extent.len - extent.len % grain;
        let (usable, units) = if whole < min {
            (extent.len, u64::from(extent.len > 0))
        } else {
            (whole, (whole - min) / unit + 1)
        };
        Self {
            start: extent.start,
            usable,
            // Each pass has a key of its own.
            units: Permutation::new(units, extent.start),
            ..Self::default()
        }
    }

    /// Where the unit of this rank is: anywhere, but the first one at `center`, which changes places
    /// with it.
    fn scattered(&self, rank: u64, center: Option<u64>) -> u64 {
        let unit = self.units.at(rank);
        match center {
            Some(center) if rank == 0 => center,
            Some(center) if unit == center => self.units.at(0),
            _ => unit,
        }
    }

    /// An I/O of at most `len` bytes at unit `unit`, cut at the end of the usable part.
    #[inline]
    fn at(&self, file: usize, position: u64, len: u32) -> BlockRef {
        let room = u32::try_from(self.usable - position).unwrap_or(u32::MAX);
        BlockRef {
            file: index(file),
            offset: self.start + position,
            len: len.min(room),
        }
    }
}

/// Files are counted in 32 bits; the schedule makes no more.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "made from a u32 in Lane::next"
)]
const fn index(file: usize) -> u32 {
    file as u32
}

impl Lane {
    /// `seed` is the lane's own; popular blocks lie by `scatter`, which lanes may share. `shared` is with lanes
    /// of other workers.
    pub(super) fn new(
        plan: &LanePlan,
        (choice, weights): (&FileChoice, &[u32]),
        extents: &[Extent],
        (seed, scatter): (u64, u64),
        shared: &Arc<Cursors>,
    ) -> Self {
        let cursors = (plan.walk == Walk::Workload).then(|| Arc::clone(shared));
        let (hits, tracks) = walks::tracks(plan, extents, seed, cursors.as_deref());
        let unit = u64::from(plan.unit);
        let jump = Mode::of(plan);
        let samplers = Samplers::for_pattern(&plan.pattern, unit, &tracks);
        let (skip, stride) = match plan.pattern {
            AccessPattern::Sequential { skip } => (skip, (0, 0)),
            AccessPattern::Stride { min, max } => (0, (min, max)),
            AccessPattern::Once | AccessPattern::Draws(_) => (0, (0, 0)),
        };
        let base = match (jump, plan.blend) {
            (Mode::Once | Mode::Anywhere | Mode::ByLaw | Mode::OwnGrid, Some(_)) => Mode::Blended,
            (mode, _) => mode,
        };
        let mode = if hits.is_empty() { base } else { Mode::Hitting };
        let blended = base == Mode::Blended;
        let by_slot = if base == Mode::BySlot {
            plan.walk
        } else {
            Walk::Lane
        };
        let cuts = match jump {
            Mode::OnceBySizes => Cuts::new(plan, &tracks, shared),
            _ => Cuts::default(),
        };
        let mut lane = Self {
            mode,
            base,
            jump,
            unit,
            chooser: Chooser::new(
                choice,
                weights,
                u32::try_from(tracks.len()).unwrap_or(u32::MAX),
            ),
            skip,
            min: u64::from(plan.min),
            one_len: (plan.min == plan.max).then_some(plan.min),
            backwards: (skip + i64::from(plan.max) < 0).then_some(skip.unsigned_abs()),
            blend: plan.blend,
            last: vec![Last::default(); if blended { tracks.len() } else { 0 }].into(),
            samplers,
            cuts,
            draws_end: *choice == FileChoice::Sequential && tracks.len() > 1,
            stride,
            ends: plan.ends,
            own_grid: plan.own_grid,
            hits,
            slots: Slots::new(by_slot, tracks.len()),
            cursors,
            wraps: Box::default(),
            taken: Taken::new(tracks.len()),
            tracks,
            seed,
            scatter,
            pass: 0,
        };
        lane.restart();
        lane
    }

    /// Begins a pass: all files from their start, in a new random order.
    pub(super) fn restart(&mut self) {
        let pass_seed = derive(self.seed, Purpose::Pass, self.pass);
        // Scattered popular blocks stay where they are in all passes.
        let key = match self.jump {
            Mode::ByLaw => self.scatter,
            _ => pass_seed,
        };
        for (track, i) in self.tracks.iter_mut().zip(0u64..) {
            track.units.rekey(mix(key ^ i));
            track.next = match (self.backwards, self.base) {
                (Some(_), _) if self.pass == 0 => 0,
                (Some(before), _) => track.usable.saturating_sub(before),
                (None, Mode::Skipping | Mode::Striding) if self.pass == 0 => track.first,
                (None, _) => 0,
            };
        }
        self.cuts.restart(pass_seed);
        self.slots.restart(&self.tracks);
        self.last.fill(Last::default());
        self.chooser
            .restart(u32::try_from(self.tracks.len()).unwrap_or(u32::MAX));
        self.pass += 1;
    }

    /// The short cut through this lane at the start of a pass, when there is one.
    pub(super) fn solo(&self) -> Option<(SoloMode, SoleLane)> {
        let ([track], Some(len)) = (&*self.tracks, self.one_len) else {
            return None;
        };
        let units = track.units.len();
        let (mode, end) = match self.mode {
            Mode::Straight => (SoloMode::Straight, track.usable),
            Mode::Once => (SoloMode::Once, units),
            Mode::Anywhere => (SoloMode::Anywhere, units),
            _ => return None,
        };
        // With one length no I/O reaches beyond the usable part, unless that is shorter than one.
        let len = len.min(u32::try_from(track.usable).unwrap_or(u32::MAX));
        let solo = SoleLane {
            start: track.start,
            next: 0,
            end,
            unit: self.unit,
            units: track.units,
            len,
        };
        Some((mode, solo))
    }

    /// Bytes of all files a pass can touch.
    pub(super) fn usable(&self) -> u64 {
        self.tracks
            .iter()
            .fold(0, |sum: u64, track| sum.saturating_add(track.usable))
    }

    /// Where the next I/O is; `None` when all files are done in this pass.
    #[inline]
    pub(super) fn next(&mut self, sizes: &OpSizes, random: &mut Stream) -> Option<BlockRef> {
        loop {
            let file = self.chooser.current(random) as usize;
            if let Some(place) = self.step(file, sizes, random) {
                self.chooser.used();
                return Some(if self.wraps.is_empty() {
                    place
                } else {
                    self.wrapped(place)
                });
            }
            if !self.chooser.retire() {
                return None;
            }
        }
    }

    /// The next I/O in `file`; `None` when it is done in this pass.
    #[inline]
    fn step(&mut self, file: usize, sizes: &OpSizes, random: &mut Stream) -> Option<BlockRef> {
        self.step_by(self.mode, file, sizes, random)
    }

    /// [`Lane::step`], by one of the modes.
    #[inline]
    fn step_by(
        &mut self,
        mode: Mode,
        file: usize,
        sizes: &OpSizes,
        random: &mut Stream,
    ) -> Option<BlockRef> {
        let track = self.tracks.get_mut(file)?;
        match mode {
            Mode::Straight => {
                if track.next >= track.usable {
                    return None;
                }
                let place = track.at(file, track.next, sizes.onward.draw(random));
                track.next += u64::from(place.len);
                Some(place)
            }
            Mode::Once => self.once(file, sizes, random),
            Mode::OnceBySizes => self.cuts.next(file, track, self.unit, sizes),
            Mode::Anywhere => self.anywhere(file, sizes, random),
            Mode::Skipping => self.skip(file, sizes, random),
            Mode::ByLaw => self.by_law(file, sizes, random),
            Mode::Blended => self.blended(file, sizes, random),
            _ => self.walk(mode, file, sizes, random),
        }
    }

    #[inline]
    fn once(&mut self, file: usize, sizes: &OpSizes, random: &mut Stream) -> Option<BlockRef> {
        let track = self.tracks.get_mut(file)?;
        if track.next >= track.units.len() {
            return None;
        }
        let position = track.units.at(track.next) * self.unit;
        track.next += 1;
        Some(track.at(file, position, sizes.jump.draw(random)))
    }

    #[inline]
    fn anywhere(&mut self, file: usize, sizes: &OpSizes, random: &mut Stream) -> Option<BlockRef> {
        let track = self.tracks.get_mut(file)?;
        let units = track.units.len();
        if units == 0 || (self.draws_end && track.next >= units) {
            return None;
        }
        track.next += 1;
        let position = random.below(units) * self.unit;
        Some(track.at(file, position, sizes.jump.draw(random)))
    }

    #[inline(never)]
    fn by_law(&mut self, file: usize, sizes: &OpSizes, random: &mut Stream) -> Option<BlockRef> {
        let sampler = self.samplers.of(file)?;
        let track = self.tracks.get_mut(file)?;
        let units = track.units.len();
        if units == 0 || (self.draws_end && track.next >= units) {
            return None;
        }
        track.next += 1;
        let drawn = sampler.draw(random);
        let unit = match sampler.spread() {
            Spread::Placed => drawn,
            Spread::Ranked(center) => track.scattered(drawn, center),
        };
        let len = sizes.jump.draw(random);
        let position = unit * self.unit;
        if self.own_grid {
            return Some(track.on_own_grid(file, position, len));
        }
        Some(track.at(file, position, len))
    }

    #[inline(never)]
    fn skip(&mut self, file: usize, sizes: &OpSizes, random: &mut Stream) -> Option<BlockRef> {
        let track = self.tracks.get_mut(file)?;
        if track.usable - track.next < self.min.min(track.usable).max(1) {
            return None;
        }
        let len = sizes.onward.draw(random);
        let place = track.at(file, track.next, len);
        let step = i64::from(len).saturating_add(self.skip);
        // Past either end the file is done, but in a first pass that goes backwards.
        if let (Some(before), 0, 1, 0) = (self.backwards, track.next, self.pass, track.first)
            && before < track.usable
        {
            track.first = 1;
            track.next = track.usable - before;
            return Some(place);
        }
        track.next = track
            .next
            .checked_add_signed(step)
            .map_or(track.usable, |next| next.min(track.usable));
        Some(place)
    }

    #[inline(never)]
    fn blended(&mut self, file: usize, sizes: &OpSizes, random: &mut Stream) -> Option<BlockRef> {
        let blend = self.blend?;
        let usable = self.tracks.get(file)?.usable;
        let last = *self.last.get(file)?;
        let may_jump = last.until_jump == 0;
        let until_jump = if may_jump {
            blend.every - 1
        } else {
            last.until_jump - 1
        };
        let jumps = if may_jump {
            random.bits() <= blend.jump_below
        } else {
            false
        };
        let position = if blend.identical && !may_jump {
            last.start
        } else {
            last.end
        };
        let place = if jumps || position >= usable {
            match self.jump {
                Mode::Anywhere => self.anywhere(file, sizes, random)?,
                Mode::ByLaw => self.by_law(file, sizes, random)?,
                Mode::OwnGrid => self.on_own_grid(file, sizes, random)?,
                _ => self.once(file, sizes, random)?,
            }
        } else {
            self.tracks
                .get(file)?
                .at(file, position, sizes.onward.draw(random))
        };
        let start = place.offset - self.tracks.get(file)?.start;
        let end = start + u64::from(place.len);
        *self.last.get_mut(file)? = Last {
            start,
            end,
            until_jump,
        };
        Some(place)
    }
}
