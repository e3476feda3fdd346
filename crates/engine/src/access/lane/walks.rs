//! The ways through a file that only some plans ask for: from another place than the start, each slot
//! by itself, all workers together, with strides, with hits, on grids of their own.
//!
//! Belongs here: what makes the lane's common modes no slower by being elsewhere. Must never: choose the
//! kind of operation or the file.
//!
//! What each means:
//! - Another first place: the walk wraps at the end of the region and is over where it began; where
//!   the plan asks for an end at the end of the region, there. With bytes left out in between it goes
//!   on from the start of the region after the first pass.
//! - Slots: each wraps around by itself and none ends a pass, unless the end of the region is an end.
//! - All workers together: a counter of I/Os (of bytes, where lengths differ) which all take from. A pass
//!   is one round of it, whoever did how much of it.
//! - Strides: from start to start, rounded down to the grid, but one unit forwards at least. Past the
//!   end the pass is over.
//! - Hits: the area, rounded up to a multiple of the largest length, takes its share at random, evenly
//!   and with repeats; all other I/Os walk through the rest of the region.
//! - Grids of their own: offsets are multiples of the I/O's own length and only multiples of the largest
//!   length are used. With several lengths, draws are independent whatever the coverage; those of a distribution
//!   are rounded down to the grid.

use super::{BlockRef, Cursors, First, Lane, LanePlan, Mode, OpSizes, Stream, Track, Walk, index};
use crate::access::lane::AccessPattern;
use crate::access::shared::first_place;
use crate::extent::Extent;
use leadline_model::plan::access::Distribution;

/// Positions of slots: those of slot 0 in all files, then those of slot 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    next: Box<[u64]>,
    files: usize,
    /// The slot of the next I/O.
    current: usize,
}

impl Slots {
    pub(super) fn new(walk: Walk, files: usize) -> Self {
        let slots = match walk {
            Walk::Slots(slots) => slots as usize,
            Walk::Lane | Walk::Workload => 0,
        };
        Self {
            next: vec![0; slots * files].into(),
            files,
            current: 0,
        }
    }

    pub(super) fn restart(&mut self, tracks: &[Track]) {
        for (next, track) in self.next.iter_mut().zip(tracks.iter().cycle()) {
            *next = track.first;
        }
    }
}

/// Counts of shared positions that were taken too late for their pass, by file.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken(Box<[Option<u64>]>);

impl Taken {
    pub(super) fn new(files: usize) -> Self {
        Self(vec![None; files].into())
    }
}

/// The hit areas and the rest, of all files.
pub(super) fn tracks(
    plan: &LanePlan,
    extents: &[Extent],
    seed: u64,
    cursors: Option<&Cursors>,
) -> (Box<[Track]>, Box<[Track]>) {
    let area = plan.hit_area.next_multiple_of(u64::from(plan.max.max(1)));
    let parts = extents.iter().map(|&e| {
        let hit = if plan.hit_area == 0 {
            0
        } else {
            area.min(e.len)
        };
        // A rest after the area that is too short for an I/O is not used.
        let least = u64::from(if plan.own_grid { plan.max } else { plan.min });
        let rest = e.len - hit;
        let rest = Extent {
            start: e.start + hit,
            len: if hit > 0 && rest < least { 0 } else { rest },
        };
        (Extent { len: hit, ..e }, rest)
    });
    let hits = if plan.hit_area == 0 {
        Box::default()
    } else {
        parts
            .clone()
            .map(|(hit, _)| Track::new(hit, plan))
            .collect()
    };
    let mut rest: Box<[Track]> = parts.map(|(_, rest)| Track::new(rest, plan)).collect();
    for (file, track) in rest.iter_mut().enumerate() {
        let units = track.units.len();
        let unit = u64::from(plan.unit);
        track.first = match (plan.first, cursors) {
            (First::Start, _) => 0,
            (First::Random, Some(cursors)) => cursors.place(file, units) * unit,
            (First::Random, None) => first_place(seed, file, units) * unit,
            (First::After(bytes), _) => bytes % track.usable.max(1),
        };
    }
    (hits, rest)
}

impl Mode {
    /// What a plan's pattern is without its blend and its hits.
    pub(super) fn of(plan: &LanePlan) -> Self {
        let own = plan.own_grid && plan.min != plan.max;
        match &plan.pattern {
            AccessPattern::Sequential { .. } if plan.walk == Walk::Workload => Self::Together,
            AccessPattern::Sequential { .. } if plan.walk != Walk::Lane => Self::BySlot,
            AccessPattern::Sequential { skip: 0 } if plan.first == First::Start => Self::Straight,
            AccessPattern::Sequential { skip: 0 } => Self::Turned,
            AccessPattern::Sequential { .. } => Self::Skipping,
            AccessPattern::Stride { .. } => Self::Striding,
            AccessPattern::Once | AccessPattern::Draws(Distribution::Uniform) if own => {
                Self::OwnGrid
            }
            AccessPattern::Once if plan.min != plan.max && plan.blend.is_none() => {
                Self::OnceBySizes
            }
            AccessPattern::Once => Self::Once,
            AccessPattern::Draws(Distribution::Uniform) => Self::Anywhere,
            AccessPattern::Draws(_) => Self::ByLaw,
        }
    }
}

impl Track {
    /// An I/O of `len` bytes at the multiple of its length below `position` that leaves room for it.
    pub(super) fn on_own_grid(&self, file: usize, position: u64, len: u32) -> BlockRef {
        let grid = u64::from(len);
        let last = (self.usable / grid).saturating_sub(1) * grid;
        self.at(file, (position - position % grid).min(last), len)
    }
}

impl Lane {
    /// The slot that the next I/O is for.
    pub(in crate::access) fn for_slot(&mut self, slot: u16) {
        self.slots.current = slot.into();
    }

    /// The next I/O by one of the seldom modes.
    #[inline(never)]
    pub(super) fn walk(
        &mut self,
        mode: Mode,
        file: usize,
        sizes: &OpSizes,
        random: &mut Stream,
    ) -> Option<BlockRef> {
        match mode {
            Mode::Turned => self.turned(file, sizes, random),
            Mode::BySlot => self.by_slot(file, sizes, random),
            Mode::Together => self.together(file, sizes, random),
            Mode::Striding => self.striding(file, sizes, random),
            Mode::OwnGrid => self.on_own_grid(file, sizes, random),
            Mode::Hitting => {
                let area = self.hits.get(file)?;
                let rest = self.tracks.get(file)?.usable;
                if area.usable > 0 && (rest == 0 || random.bits() < sizes.hit_below) {
                    return Some(self.hit(file, sizes, random));
                }
                self.step_by(self.base, file, sizes, random)
            }
            Mode::Straight
            | Mode::Skipping
            | Mode::Once
            | Mode::OnceBySizes
            | Mode::Anywhere
            | Mode::ByLaw
            | Mode::Blended => None,
        }
    }

    /// Evenly within the hit area.
    fn hit(&self, file: usize, sizes: &OpSizes, random: &mut Stream) -> BlockRef {
        let area = &self.hits[file];
        let len = sizes.jump.draw(random);
        if self.own_grid {
            let blocks = area.usable / u64::from(len);
            return area.at(file, random.below(blocks) * u64::from(len), len);
        }
        area.at(file, random.below(area.units.len()) * self.unit, len)
    }

    fn turned(&mut self, file: usize, sizes: &OpSizes, random: &mut Stream) -> Option<BlockRef> {
        let track = self.tracks.get_mut(file)?;
        let limit = if self.ends {
            track.usable - track.first
        } else {
            track.usable
        };
        if track.next >= limit {
            return None;
        }
        let position = track.first + track.next;
        let position = if position >= track.usable {
            position - track.usable
        } else {
            position
        };
        let place = track.at(file, position, sizes.onward.draw(random));
        track.next += u64::from(place.len);
        Some(place)
    }

    fn by_slot(&mut self, file: usize, sizes: &OpSizes, random: &mut Stream) -> Option<BlockRef> {
        let track = self.tracks.get(file)?;
        let at = self.slots.current * self.slots.files + file;
        let next = self.slots.next.get_mut(at)?;
        if *next + self.min.min(track.usable).max(1) > track.usable {
            if self.ends || track.usable == 0 {
                return None;
            }
            *next = 0;
        }
        let len = sizes.onward.draw(random);
        let place = track.at(file, *next, len);
        let step = i64::from(len).saturating_add(self.skip);
        *next = next.saturating_add_signed(step);
        Some(place)
    }

    fn together(&mut self, file: usize, sizes: &OpSizes, random: &mut Stream) -> Option<BlockRef> {
        let track = self.tracks.get(file)?;
        let cursors = self.cursors.as_ref()?;
        if track.usable == 0 {
            return None;
        }
        let len = sizes.onward.draw(random);
        let step = u64::from(len).saturating_add_signed(self.skip).max(1);
        // In I/Os where all have one length, else in bytes: what is taken, what a round has, and what one
        // count stands for.
        let (take, round, worth) = match self.one_len {
            Some(len) => {
                let room = track.usable.saturating_sub(u64::from(len));
                (1, room / step + 1, step)
            }
            None => (step, track.usable, 1),
        };
        let first = track.first / worth;
        let end = match self.ends {
            true => round.saturating_sub(first),
            false => round.saturating_mul(self.pass),
        };
        let kept = self.taken.0[file].take();
        if kept.is_none() && cursors.now(file) >= end {
            return None;
        }
        let count = kept.unwrap_or_else(|| cursors.take(file, take));
        if count >= end {
            // Another worker was faster: this is the next pass's.
            self.taken.0[file] = Some(count);
            return None;
        }
        let position = (first + count) % round * worth;
        Some(track.at(file, position, len))
    }

    fn striding(&mut self, file: usize, sizes: &OpSizes, random: &mut Stream) -> Option<BlockRef> {
        let track = self.tracks.get_mut(file)?;
        let len = sizes.jump.draw(random);
        if track.next + self.min.min(track.usable).max(1) > track.usable {
            return None;
        }
        let place = if self.own_grid {
            track.on_own_grid(file, track.next, len)
        } else {
            track.at(file, track.next, len)
        };
        let (least, most) = self.stride;
        let distance = least.saturating_add(random.below((most - least).saturating_add(1)));
        let grid = if self.own_grid { len.into() } else { self.unit };
        let next = track.next.saturating_add(distance);
        let next = (next - next % grid).max(place.offset - track.start + grid);
        track.next = next.min(track.usable);
        Some(place)
    }

    pub(super) fn on_own_grid(
        &mut self,
        file: usize,
        sizes: &OpSizes,
        random: &mut Stream,
    ) -> Option<BlockRef> {
        let track = self.tracks.get_mut(file)?;
        let units = track.units.len();
        if units == 0 || (self.draws_end && track.next >= units) {
            return None;
        }
        track.next += 1;
        let len = sizes.jump.draw(random);
        let blocks = track.usable / u64::from(len);
        Some(BlockRef {
            file: index(file),
            offset: track.start + random.below(blocks) * u64::from(len),
            len: len.min(u32::try_from(track.usable).unwrap_or(u32::MAX)),
        })
    }
}
