//! How long the next I/O is.
//!
//! Belongs here: the draw of a length from a workload's sizes. Must never: know of offsets; clipping at
//! the end of a region is the lane's.

use super::rng::Stream;
use leadline_model::plan::access::Sizes;

/// A draw of lengths in bytes, compiled from [`Sizes`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SizeDraw {
    /// The one length there is, or 0 for several.
    fixed: u32,
    several: Several,
}

#[derive(Clone, Debug, PartialEq)]
enum Several {
    /// `min + step * (0 .. count)`, those above `max` being `max`.
    Range {
        min: u32,
        step: u32,
        count: u64,
        max: u32,
    },
    /// (length, sum of its weight and of those before it), in the order given; none without a weight.
    Weighted(Box<[(u32, u64)]>),
}

/// Longer I/Os than this do not fit a request; the schedule refuses them before.
const LONGEST: u32 = !4095;

fn fit(size: u64) -> u32 {
    u32::try_from(size).unwrap_or(LONGEST).clamp(1, LONGEST)
}

impl SizeDraw {
    pub(super) fn new(sizes: &Sizes) -> Self {
        let several = match sizes {
            Sizes::Range {
                min,
                max,
                unaligned,
            } if min < max => {
                let (min, max) = (fit(*min), fit(*max));
                // Any byte count: fio adds up to the largest size to the smallest, and what is too much is
                // the largest.
                let (step, count) = match unaligned {
                    true => (1, u64::from(max)),
                    false => (min, u64::from((max - min) / min) + 1),
                };
                let max = if *unaligned { max } else { max - max % min };
                Several::Range {
                    min,
                    step,
                    count,
                    max,
                }
            }
            Sizes::Fixed(size) | Sizes::Range { min: size, .. } => {
                Several::Weighted(Box::new([(fit(*size), 1)]))
            }
            Sizes::Split(parts) => {
                let mut sum = 0;
                let weighty = parts.iter().filter(|(_, weight)| *weight > 0);
                let end = weighty.map(|(size, weight)| {
                    sum += u64::from(*weight);
                    (fit(*size), sum)
                });
                Several::Weighted(end.collect())
            }
        };
        let mut draw = Self { fixed: 0, several };
        if draw.min() == draw.max() {
            draw.fixed = draw.min();
        }
        draw
    }

    /// Smallest length.
    pub(super) fn min(&self) -> u32 {
        match &self.several {
            Several::Range { min, .. } => *min,
            Several::Weighted(ends) => ends.iter().map(|e| e.0).min().unwrap_or(1),
        }
    }

    /// Largest length.
    pub(super) fn max(&self) -> u32 {
        match &self.several {
            Several::Range { max, .. } => *max,
            Several::Weighted(ends) => ends.iter().map(|e| e.0).max().unwrap_or(1),
        }
    }

    /// Mean length.
    pub(super) fn mean(&self) -> f64 {
        match &self.several {
            Several::Range { min, max, .. } => f64::midpoint(f64::from(*min), f64::from(*max)),
            Several::Weighted(ends) => {
                let mut before = 0;
                let sum = ends.iter().map(|(len, end)| {
                    let weight = end - std::mem::replace(&mut before, *end);
                    f64::from(*len) * weight as f64
                });
                sum.sum::<f64>() / ends.last().map_or(1.0, |end| end.1 as f64)
            }
        }
    }

    /// The next length.
    #[inline]
    pub(super) fn draw(&self, random: &mut Stream) -> u32 {
        if self.fixed > 0 {
            return self.fixed;
        }
        self.several.draw(random)
    }
}

impl Several {
    #[inline(never)]
    fn draw(&self, random: &mut Stream) -> u32 {
        match self {
            Self::Range {
                min,
                step,
                count,
                max,
            } => {
                let steps = u32::try_from(random.below(*count)).unwrap_or_default();
                min.saturating_add(steps * step).min(*max)
            }
            Self::Weighted(ends) => {
                let drawn = random.below(ends.last().map_or(1, |e| e.1));
                let i = ends.partition_point(|e| e.1 <= drawn);
                ends.get(i).map_or(1, |e| e.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn counts(sizes: &Sizes) -> BTreeMap<u32, u32> {
        let (draw, mut random) = (SizeDraw::new(sizes), Stream::new(3));
        let mut counts = BTreeMap::new();
        for _ in 0..100_000 {
            *counts.entry(draw.draw(&mut random)).or_default() += 1;
        }
        counts
    }

    #[test]
    fn a_split_has_its_shares() {
        let counts = counts(&Sizes::Split(vec![(4096, 70), (8192, 0), (65536, 30)]));
        assert_eq!(counts.keys().copied().collect::<Vec<_>>(), [4096, 65536]);
        // Six standard deviations of a binomial with n 100,000 and p 0.7 are 870.
        assert!(counts[&4096].abs_diff(70_000) < 870);
    }

    /// The schedule refuses them.
    #[test]
    fn sizes_without_a_share_are_of_one_byte() {
        for parts in [vec![], vec![(4096, 0)]] {
            let draw = SizeDraw::new(&Sizes::Split(parts));
            let drawn = draw.draw(&mut Stream::new(3));
            assert_eq!((draw.min(), draw.max(), drawn), (1, 1, 1));
            assert_eq!(draw.several.draw(&mut Stream::new(3)), 1);
        }
    }

    #[test]
    fn the_mean_is_that_of_what_is_drawn() {
        let several = [
            Sizes::Fixed(4096),
            Sizes::Split(vec![(1000, 1)]),
            Sizes::Split(vec![(1000, 1), (2000, 1), (9000, 2)]),
            Sizes::Split(vec![(9000, 2), (7000, 0), (1000, 3)]),
            Sizes::Range {
                min: 1000,
                max: 5000,
                unaligned: false,
            },
        ];
        for (sizes, mean) in several.iter().zip([4096.0, 1000.0, 5250.0, 4200.0, 3000.0]) {
            assert!(
                (SizeDraw::new(sizes).mean() - mean).abs() < 1e-9,
                "{sizes:?}"
            );
            let drawn: f64 = counts(sizes)
                .iter()
                .map(|(len, count)| f64::from(*len) * f64::from(*count))
                .sum();
            assert!((drawn / 1e5 / mean - 1.0).abs() < 0.02, "{sizes:?}");
        }
    }

    #[test]
    fn shares_below_a_percent_are_kept() {
        let counts = counts(&Sizes::Split(vec![(4096, 9_960), (65536, 40)]));
        // Six standard deviations of a binomial with n 100,000 and p 0.004 are 120.
        assert!(counts[&65536].abs_diff(400) < 120);
    }

    #[test]
    fn a_range_goes_in_steps_of_its_smallest() {
        let counts = counts(&Sizes::Range {
            min: 4096,
            max: 18_000,
            unaligned: false,
        });
        let sizes: Vec<u32> = counts.keys().copied().collect();
        assert_eq!(sizes, [4096, 8192, 12288, 16384]);
        assert!(counts.values().all(|c| c.abs_diff(25_000) < 830));
    }

    #[test]
    fn an_unaligned_range_takes_any_byte_count_and_its_largest_more_often() {
        let counts = counts(&Sizes::Range {
            min: 100,
            max: 109,
            unaligned: true,
        });
        let sizes: Vec<u32> = counts.keys().copied().collect();
        assert_eq!(sizes, (100..110).collect::<Vec<_>>());
        // Of 109 sums from 100 to 208 all but 9 are 109 or more, as fio 3.33 does it: of `bsrange=4k-16k` a
        // quarter are of 16k.
        assert!(counts[&109].abs_diff(91_743) < 530);
    }
}
