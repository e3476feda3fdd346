//! Random passes with several sizes, each block once: the cuts of each file.
//!
//! Belongs here: which I/Os of a file's pattern are done in this pass. Must never: know how a pattern is made.
//!
//! Kinds of operation with lengths of their own have pieces of their own in the pattern. Which kind is asked for
//! is the workload's affair, so that one may be through while the other still has pieces: it then takes those,
//! no more at a time than its own longest I/O has, and what is left of a piece is the next I/O.
//!
//! Memory: a pattern (some 300 KiB), one for each power of two among the sizes of files, for all workers of a
//! workload; 56 bytes a file.

use super::{BlockRef, LanePlan, OpSizes, Track, index};
use crate::access::pattern::{Cut, Pattern, Row, stretch};
use crate::access::rng::mix;
use crate::access::shared::Cursors;
use std::collections::HashMap;
use std::sync::Arc;

/// The cuts of a lane's files.
#[derive(Clone, Debug, Default)]
pub(super) struct Cuts {
    patterns: Vec<Arc<Pattern>>,
    files: Box<[FileCuts]>,
}

/// A file's part of a pass.
#[derive(Clone, Copy, Debug, Default)]
struct FileCuts {
    /// Index of its pattern.
    pattern: u32,
    row: Row,
    /// The next number of each kind.
    next: [u64; 2],
    /// What is left of a piece of the other kind: position and bytes.
    left: (u64, u32),
}

impl Cuts {
    pub(super) fn new(plan: &LanePlan, tracks: &[Track], shared: &Cursors) -> Self {
        let mut cuts = Self::default();
        let unit = u64::from(plan.unit);
        let most = stretch(&plan.kinds, plan.unit);
        let sizes = |track: &Track| track.usable.div_ceil(unit).max(1);
        let alike = tracks
            .windows(2)
            .all(|two| sizes(&two[0]) == sizes(&two[1]));
        let mut known = HashMap::new();
        cuts.files = tracks
            .iter()
            .map(|track| {
                let units = sizes(track);
                let length = if alike {
                    // Stretches of one length that fill the region up to a unit each.
                    units.div_ceil(units.div_ceil(most))
                } else {
                    units.min(most).next_power_of_two().min(most)
                };
                let pattern = *known.entry(length).or_insert_with(|| {
                    let pattern = shared.pattern(&plan.kinds, plan.unit, length);
                    cuts.patterns.push(pattern);
                    cuts.patterns.len() - 1
                });
                FileCuts {
                    pattern: u32::try_from(pattern).unwrap_or_default(),
                    row: Row {
                        stretches: units.div_ceil(cuts.patterns[pattern].units()),
                        ..Row::default()
                    },
                    ..FileCuts::default()
                }
            })
            .collect();
        cuts
    }

    /// A new pass.
    pub(super) fn restart(&mut self, key: u64) {
        for (file, i) in self.files.iter_mut().zip(0u64..) {
            file.row.key = mix(key ^ i);
            (file.next, file.left) = Default::default();
        }
    }

    /// The next I/O of the kind of `sizes` in a file; `None` when all of it is done in this pass.
    pub(super) fn next(
        &mut self,
        file: usize,
        track: &Track,
        unit: u64,
        sizes: &OpSizes,
    ) -> Option<BlockRef> {
        let cuts = self.files.get_mut(file)?;
        let pattern = self.patterns.get(cuts.pattern as usize)?;
        let own = usize::from(sizes.kind);
        let (mut position, mut len) = cuts.left;
        let mut foreign = true;
        if len == 0 {
            let (kind, cut) = cuts
                .draw(pattern, own, track.usable, unit)
                .map(|cut| (own, cut))
                .or_else(|| {
                    let cut = cuts.draw(pattern, 1 - own, track.usable, unit)?;
                    Some((1 - own, cut))
                })?;
            foreign = kind != own;
            position = cut.unit * unit;
            let room = u32::try_from(track.usable - position).unwrap_or(u32::MAX);
            len = cut.len.min(room);
        }
        // What is left begins at a whole unit.
        let longest = sizes.jump.max();
        let grain = u32::try_from(unit).unwrap_or(longest).min(longest);
        let most = if foreign {
            longest - longest % grain
        } else {
            len
        };
        cuts.left = (position + u64::from(most), len.saturating_sub(most));
        Some(BlockRef {
            file: index(file),
            offset: track.start + position,
            len: len.min(most),
        })
    }
}

impl FileCuts {
    /// The next I/O of a kind that is in the file.
    #[inline]
    fn draw(&mut self, pattern: &Pattern, kind: usize, usable: u64, unit: u64) -> Option<Cut> {
        let numbers = pattern.numbers(kind, self.row);
        let next = self.next.get_mut(kind)?;
        while *next < numbers {
            let cut = pattern.cut(kind, *next, self.row);
            *next += 1;
            if cut.unit.checked_mul(unit).is_some_and(|at| at < usable) {
                return Some(cut);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Extent;
    use crate::access::lane::{AccessPattern, First, Walk};
    use crate::access::sizes::SizeDraw;
    use leadline_model::plan::access::Sizes;
    use leadline_model::units::Percent;

    const UNIT: u64 = 4096;

    /// Of files of this many units: the units of the stretches of each, how many it has, and how many patterns there are.
    fn stretches(units: &[u64]) -> (Vec<(u64, u64)>, usize) {
        let draw = SizeDraw::new(&Sizes::Split(vec![(UNIT, 50), (4 * UNIT, 50)]));
        let plan = LanePlan {
            pattern: AccessPattern::Once,
            blend: None,
            unit: draw.min(),
            min: draw.min(),
            max: draw.max(),
            kinds: vec![(draw, Percent::ALL)],
            walk: Walk::Lane,
            first: First::Start,
            ends: false,
            own_grid: false,
            hit_area: 0,
        };
        let track = |&units: &u64| {
            let len = units * UNIT;
            Track::new(Extent { start: 0, len }, &plan)
        };
        let tracks: Vec<Track> = units.iter().map(track).collect();
        let cuts = Cuts::new(&plan, &tracks, &Cursors::new(units.len(), 1));
        let of = |file: &FileCuts| {
            let pattern = &cuts.patterns[file.pattern as usize];
            (pattern.units(), file.row.stretches)
        };
        (cuts.files.iter().map(of).collect(), cuts.patterns.len())
    }

    /// Units of the longest stretch.
    fn most() -> u64 {
        let (found, _) = stretches(&[1 << 40, 1 << 41]);
        found[0].0
    }

    #[test]
    fn files_of_one_size_are_cut_into_equal_stretches_of_hardly_more_than_they_have() {
        let most = most();
        for units in [
            1,
            2,
            3,
            100,
            most - 1,
            most,
            most + 1,
            3 * most - 1,
            3 * most,
        ] {
            let (found, patterns) = stretches(&[units; 3]);
            assert_eq!(patterns, 1, "{units}");
            for (length, count) in found {
                assert_eq!(count, units.div_ceil(most), "{units}");
                let beyond = length * count - units;
                assert!(
                    length <= most && beyond < count,
                    "{units}: {length} {count}"
                );
            }
        }
    }

    #[test]
    fn files_of_many_sizes_have_a_pattern_for_each_power_of_two() {
        let most = most();
        let sizes: Vec<u64> = (1..=300)
            .chain([most - 1, most, most + 1, 9 * most])
            .collect();
        let (found, patterns) = stretches(&sizes);
        // 1, 2, 4 to 512, and the longest.
        assert_eq!(patterns, 11);
        for (units, (length, count)) in sizes.iter().zip(found) {
            assert!(length == most || (length.is_power_of_two() && length < 2 * units));
            assert_eq!(count, units.div_ceil(length), "{units}");
        }
    }

    #[test]
    fn an_empty_file_has_a_stretch_that_gives_nothing() {
        assert_eq!(stretches(&[0]), (vec![(1, 1)], 1));
    }
}
