//! Whether the slow I/Os of a workload come in groups of what is in flight, as at a standstill, or one by one.
//!
//! Belongs here: how slow ones are spread over the intervals. Must never: say which I/Os are slow.

use leadline_model::units::whole;

/// From fewer intervals nothing is said of how the slow ones are spread.
const FEWEST: usize = 8;
/// Nor of how regular they are, from fewer of these intervals put together.
const FEWEST_REGULAR: usize = 16;
/// This many times the squares expected by chance: they come in groups. This many times fewer: they come regularly.
const TOGETHER: f64 = 3.0;
/// At most this many standstills end in an interval that is short enough to show them.
const STANDSTILLS: f64 = 2.0;
/// Intervals are merged until each has this many standstills, whose number says how regular they are.
const EXPECTED: f64 = 2.0;
/// Most intervals: the rest has a group that their border cuts in two.
const MOST: f64 = 0.9;

/// What ended in one interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupSpread {
    /// I/Os in all.
    pub(crate) ios: f64,
    /// The slow ones among them.
    pub(crate) slow: f64,
}

/// Whether the slow part comes in groups of what was in flight (`depth`), as at a standstill: no interval has more of it than
/// two standstills leave, and its share changes more from interval to interval than chance makes it, or its numbers are
/// those of whole groups, or they are more regular than those of chance. A share that changes slowly, as that of a cache that
/// fills, is none; misses that come in groups, where a part of the set is in a cache, are many more.
pub(crate) fn come_together(each: &[GroupSpread], depth: f64) -> bool {
    let is_few = each.iter().all(|s| s.slow <= STANDSTILLS * depth);
    is_few && (come_in_groups(each) || are_whole_groups(each, depth) || are_regular(each, depth))
}

/// Whether the share of the slow part rises and falls slowly: neighbouring intervals have more than half of what distinguishes
/// an interval from the mean in common, as where a queue that is nearly full grows and shrinks. Hits and misses of a cache that is
/// neither filled nor emptied do not.
pub(crate) fn comes_and_goes(each: &[GroupSpread]) -> bool {
    let active = each.iter().filter(|s| s.ios > 0.0);
    let shares: Vec<f64> = active.map(|s| s.slow / s.ios).collect();
    let count = shares.len().max(1) as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let variance = shares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / count;
    let steps = shares.windows(2).map(|two| (two[1] - two[0]).powi(2));
    // Half the mean square of a step is the variance where neighbours are independent.
    let of_steps = steps.sum::<f64>() / (2.0 * (count - 1.0).max(1.0));
    shares.len() >= FEWEST_REGULAR && of_steps < variance / 2.0
}

/// Whether the slow part comes in groups, however many were in flight: its share changes by more than chance makes it: von Neumann's squares of successive differences, over those of a
/// binomial share.
pub(crate) fn come_in_groups(each: &[GroupSpread]) -> bool {
    let active: Vec<&GroupSpread> = each.iter().filter(|s| s.ios > 0.0).collect();
    let sum = |of: fn(&GroupSpread) -> f64| active.iter().map(|s| of(s)).sum::<f64>();
    let slow = sum(|s| s.slow) / sum(|s| s.ios).max(1.0);
    let (mut changes, mut by_chance) = (0.0, 0.0);
    for pair in active.windows(2) {
        let (before, after) = (pair[0], pair[1]);
        changes += (after.slow / after.ios - before.slow / before.ios).powi(2);
        by_chance += slow * (1.0 - slow) * (1.0 / before.ios + 1.0 / after.ios);
    }
    active.len() >= FEWEST && changes > TOGETHER * by_chance
}

/// Whether slow ones end with others that were in flight (`depth` of them), as at a standstill. Slow by themselves, they end one by
/// one: where at most half of the intervals have some, these have 1.4 each by chance (Poisson), and neighbouring ones together as
/// many where a fifth has some. One in flight is alone in either case.
pub(super) fn end_together(each: &[GroupSpread], depth: u64) -> bool {
    let slow: f64 = each.iter().map(|s| s.slow).sum();
    let hit: Vec<bool> = each.iter().map(|s| s.slow > 0.0).collect();
    let hits = hit.iter().filter(|hit| **hit).count();
    let goes_on = hit.windows(2).filter(|two| two[0] && two[1]).count();
    let times = match hits * 5 <= hit.len() {
        true => hits - goes_on,
        false => hits,
    };
    depth < 2 || slow >= times as f64 * (depth as f64 / 2.0).clamp(1.5, 2.0)
}

/// Whether the intervals with slow ones have as many as there are in flight, or twice as many.
fn are_whole_groups(each: &[GroupSpread], depth: f64) -> bool {
    let with: Vec<f64> = each.iter().map(|s| s.slow).filter(|n| *n > 0.0).collect();
    let is_whole = |slow: &&f64| {
        let groups = (**slow / depth).round().max(1.0);
        (**slow - groups * depth).abs() <= depth / 8.0
    };
    let whole = with.iter().filter(is_whole).count() as f64;
    depth >= 2.0 && with.len() >= FEWEST_REGULAR && whole >= MOST * with.len() as f64
}

/// Whether the number of slow ones with one in flight, each of which is a group, varies less than that of what comes by chance,
/// over times in which two are to be expected.
fn are_regular(each: &[GroupSpread], depth: f64) -> bool {
    let mean = each.iter().map(|s| s.slow).sum::<f64>() / each.len().max(1) as f64;
    let together = (EXPECTED / mean.max(1e-9)).ceil().min(each.len() as f64);
    let parts = each.chunks_exact(
        usize::try_from(whole(together))
            .unwrap_or(usize::MAX)
            .max(1),
    );
    let sums: Vec<f64> = parts
        .map(|part| part.iter().map(|s| s.slow).sum())
        .collect();
    let mean = sums.iter().sum::<f64>() / sums.len().max(1) as f64;
    let squares: f64 = sums.iter().map(|n| (n - mean).powi(2)).sum();
    let variance = squares / sums.len().saturating_sub(1).max(1) as f64;
    depth < 2.0 && sums.len() >= FEWEST_REGULAR && variance * TOGETHER < mean
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `many` intervals of `length` ms have of a quota that lets `quota` I/Os pass each 100 ms, with `depth` in flight.
    fn quota(many: usize, length: f64, quota: f64, depth: f64) -> Vec<GroupSpread> {
        let one = |n: usize| {
            let groups =
                ((n + 1) as f64 * length / 100.0).floor() - (n as f64 * length / 100.0).floor();
            GroupSpread {
                ios: groups * quota,
                slow: groups * depth,
            }
        };
        (0..many).map(one).collect()
    }

    /// The same number of I/Os in each, the slow ones by chance.
    fn chance(many: usize, ios: u32, share: f64, seed: u64) -> Vec<GroupSpread> {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let one = |_| GroupSpread {
            ios: f64::from(ios),
            slow: (0..ios).filter(|_| next() < share).count() as f64,
        };
        (0..many).map(one).collect()
    }

    #[test]
    fn what_waits_for_the_next_slice_of_a_quota_is_known_at_any_depth() {
        for depth in [1.0, 2.0, 4.0, 7.0, 32.0] {
            for length in [50.0, 77.0, 78.9, 95.0, 100.0] {
                let each = quota(128, length, 50.0, depth);
                assert!(come_together(&each, depth), "{depth} {length}");
            }
        }
        // Too few intervals to judge.
        assert!(!come_together(&quota(20, 77.0, 50.0, 1.0), 1.0));
        // Longer ones hold too many slices.
        assert!(!come_together(&quota(128, 500.0, 50.0, 4.0), 4.0));
    }

    #[test]
    fn what_a_standstill_held_ends_together() {
        let of = |slow: &[f64], depth| {
            let one = |slow: &f64| GroupSpread {
                ios: 100.0,
                slow: *slow,
            };
            end_together(&slow.iter().map(one).collect::<Vec<_>>(), depth)
        };
        assert!(of(&[0.0, 4.0, 0.0, 4.0, 3.0], 4) && of(&[2.0, 0.0, 1.0], 2));
        assert!(!of(&[1.0, 2.0, 0.0, 1.0, 3.0], 4) && !of(&[1.0, 1.0, 0.0, 2.0], 2));
        assert!(of(&[1.0, 0.0, 1.0], 1), "one in flight is always alone");
        let mut border = [0.0; 20];
        (border[7], border[8]) = (1.0, 1.0);
        assert!(
            of(&border, 2),
            "the end of an interval cut the group in two"
        );
        let alone = (1..=200).filter(|seed| {
            let each: Vec<f64> = chance(64, 100, 0.006, *seed)
                .iter()
                .map(|s| s.slow)
                .collect();
            of(&each, 4)
        });
        assert!(alone.count() <= 4);
    }

    #[test]
    fn a_queue_that_wanders_comes_and_goes_and_chance_does_not() {
        let taken = (1..=200).filter(|seed| comes_and_goes(&chance(64, 100, 0.3, *seed)));
        assert_eq!(taken.count(), 0);
        let slow = |n: usize| match (n / 9).is_multiple_of(2) {
            true => 5.0,
            false => 90.0,
        };
        let one = |n| GroupSpread {
            ios: 100.0,
            slow: slow(n),
        };
        assert!(comes_and_goes(&(0..64).map(one).collect::<Vec<_>>()));
        // Too few intervals to say.
        assert!(!comes_and_goes(&(0..15).map(one).collect::<Vec<_>>()));
    }

    #[test]
    fn what_comes_by_chance_is_seldom_taken_for_groups() {
        let mut taken = 0;
        for seed in 1..=200 {
            for (ios, share, depth) in [(36, 0.03, 1.0), (36, 0.02, 2.0), (100, 0.03, 4.0)] {
                taken += u32::from(come_together(&chance(64, ios, share, seed), depth));
            }
        }
        assert!(taken <= 12, "{taken} of 600");
    }
}
