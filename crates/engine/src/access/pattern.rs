//! How a region is cut into I/Os of several sizes, so that a random pass covers it once: by a rule, without a
//! map of what is done.
//!
//! Belongs here: the cut of one stretch, and the way from the number of an I/O to its place. Must
//! never: know of files or of what was done so far.
//!
//! What is asked for is what a map of done blocks leads to: an I/O begins at a random free block, at the next
//! one where that is taken, and ends where it meets a block that is taken. Early in a pass the sizes are those
//! of the draw, towards its end more and more are cut short. A stretch of some 25,000 I/Os is filled in
//! just this way, once; what comes of it is its pattern. The region is a row of such stretches, each with the
//! pattern turned so that another I/O of it comes first. The pattern's I/Os keep their time: those of its
//! first sixteenth, in all stretches, are done in random order before those of the second, and so on. So the
//! sizes have at any time in the pass the shares they would have with a map.

use super::permute::Permutation;
use super::rng::{Stream, high_product, mix};
use super::sizes::SizeDraw;
use leadline_model::units::Percent;
use std::collections::BTreeMap;

/// Twice the I/Os that would fill a stretch, were none cut short. Large enough that the shares
/// of sizes differ by only some tenths of a percentage point between patterns; most of that comes from runs of done
/// blocks, which are long.
const STRETCH: u64 = 49_152;

/// Parts of a pass: within one, I/Os come in any order.
const PARTS: u64 = 16;

/// Fewest I/Os of a stretch that are done in any order.
const FEWEST: u64 = 16;

/// The I/Os of a stretch of one or two kinds, each with lengths of its own.
#[derive(Debug)]
pub(super) struct Pattern {
    /// Units of a stretch.
    units: u64,
    /// The pieces in the order of their time, those of the first kind before those of the second.
    pieces: Box<[PatternIo]>,
    /// How many pieces are of the first kind.
    first_kind: u64,
}

#[derive(Clone, Copy, Debug)]
struct PatternIo {
    /// First unit.
    at: u32,
    /// Bytes.
    len: u32,
}

/// A region of this many stretches, with the key of its order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    pub(super) stretches: u64,
    pub(super) key: u64,
}

/// An I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// First unit, from the start of the region. May lie beyond the region's end, in the last stretch.
    pub(super) unit: u64,
    /// Bytes.
    pub(super) len: u32,
}

/// Lengths with the share of the I/Os that draw them.
pub(super) type Kind = (SizeDraw, Percent);

/// Units that a stretch should have for I/Os of `kinds`, in a region of any size.
pub(super) fn stretch(kinds: &[Kind], unit: u32) -> u64 {
    let weight = kinds.iter().map(|kind| kind.1.of_100()).sum::<f64>();
    let bytes = kinds
        .iter()
        .map(|(draw, share)| draw.mean() * share.of_100())
        .sum::<f64>();
    let mean = (bytes / weight.max(1.0) / f64::from(unit)).max(1.0);
    let longest = kinds.iter().map(|kind| kind.0.max()).max().unwrap_or(1);
    let units = STRETCH.saturating_mul(whole(mean)) / 2;
    units
        .max(u64::from(longest.div_ceil(unit)) * 16)
        .min(u64::from(u32::MAX))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "above 0, and the cast saturates"
)]
fn whole(x: f64) -> u64 {
    x.ceil() as u64
}

impl Pattern {
    /// A stretch of `units` units of `unit` bytes, filled with I/Os of one or two `kinds`.
    pub(super) fn new(kinds: &[Kind], unit: u32, units: u64, seed: u64) -> Self {
        let units = units.clamp(1, u64::from(u32::MAX));
        let mut random = Stream::new(seed);
        let mut free = BTreeMap::from([(0, units)]);
        let mut pieces: [Vec<PatternIo>; 2] = [Vec::new(), Vec::new()];
        // The first is at 0, so that no other reaches over the end.
        let mut wish = 0;
        while let Some((at, start, end)) = room(&free, wish) {
            let kind = kind(kinds, &mut random);
            let drawn = kinds.get(kind).map_or(1, |k| k.0.draw(&mut random));
            let taken = u64::from(drawn.div_ceil(unit)).min(end - at);
            let most = u32::try_from(taken * u64::from(unit)).unwrap_or(u32::MAX);
            free.remove(&start);
            if start < at {
                free.insert(start, at);
            }
            if at + taken < end {
                free.insert(at + taken, end);
            }
            pieces[kind].push(PatternIo {
                at: u32::try_from(at).unwrap_or(u32::MAX),
                len: drawn.min(most),
            });
            wish = random.below(units);
        }
        let first_kind = pieces[0].len() as u64;
        let pieces: Box<[PatternIo]> = pieces.concat().into();
        Self {
            units,
            pieces,
            first_kind,
        }
    }

    /// Units of a stretch.
    pub(super) const fn units(&self) -> u64 {
        self.units
    }

    /// Pieces of a kind in a stretch, and how many there are before them.
    const fn of(&self, kind: usize) -> (u64, u64) {
        match kind {
            0 => (self.first_kind, 0),
            _ => (self.pieces.len() as u64 - self.first_kind, self.first_kind),
        }
    }

    /// I/Os of a kind in a region, those beyond its end included: they are numbered from 0.
    pub(super) const fn numbers(&self, kind: usize, row: Row) -> u64 {
        self.of(kind).0.saturating_mul(row.stretches)
    }

    /// The pieces of a kind that are done before all later ones: how many of a stretch, and which of those
    /// parts the rank is in.
    const fn part(of: u64, rank: u64) -> (u64, u64) {
        let size = of.div_ceil(PARTS);
        let size = if size < FEWEST { FEWEST } else { size };
        (size, rank / size)
    }

    /// The order of a part of this many I/Os.
    fn order(row: Row, kind: usize, part: u64, ios: u64) -> Permutation {
        Permutation::new(ios, mix(row.key ^ (part << 1 | kind as u64)))
    }

    /// By how many units the pattern is turned in a stretch.
    fn turn(&self, row: Row, stretch: u64) -> u64 {
        let first = high_product(mix(!row.key ^ mix(stretch)), self.pieces.len() as u64);
        self.piece(first).at.into()
    }

    fn piece(&self, index: u64) -> PatternIo {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        self.pieces
            .get(index)
            .copied()
            .unwrap_or(PatternIo { at: 0, len: 0 })
    }

    /// The I/O of a kind with this number, which must be below [`Pattern::numbers`].
    #[inline]
    pub(super) fn cut(&self, kind: usize, number: u64, row: Row) -> Cut {
        let (of, before) = self.of(kind);
        let (size, part) = Self::part(of, number / row.stretches);
        let first = part * size;
        let ranks = size.min(of - first);
        let order = Self::order(row, kind, part, ranks * row.stretches);
        let drawn = order.at(number - first * row.stretches);
        let (stretch, rank) = (drawn / ranks, drawn % ranks);
        let piece = self.piece(before + first + rank);
        let turn = self.turn(row, stretch);
        let at = u64::from(piece.at);
        let within = if at >= turn {
            at - turn
        } else {
            at + self.units - turn
        };
        Cut {
            unit: stretch * self.units + within,
            len: piece.len,
        }
    }
}

/// Where an I/O that would begin at `wish` can: there, else at the next free unit, else at the first. With the
/// free units around it.
fn room(free: &BTreeMap<u64, u64>, wish: u64) -> Option<(u64, u64, u64)> {
    let here = free.range(..=wish).next_back();
    if let Some((&start, &end)) = here.filter(|run| wish < *run.1) {
        return Some((wish, start, end));
    }
    let next = free.range(wish..).next().or_else(|| free.iter().next());
    next.map(|(&start, &end)| (start, start, end))
}

/// Which kind the next I/O is.
fn kind(kinds: &[Kind], random: &mut Stream) -> usize {
    match kinds {
        [first, second, ..] => {
            let first = u64::from(first.1.parts());
            usize::from(random.below(first + u64::from(second.1.parts())) >= first)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
