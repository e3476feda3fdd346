//! Changes of level in a series.

use super::chance::{best_place, sure};
use super::interval::{Interval, ratio};
use super::middle::median_high;
use leadline_model::units::{Nanos, whole};

/// Where a series changes its level: the first index of each new segment, ascending; empty = one level.
///
/// PELT (Killick, Fearnhead, Eckley, "Optimal detection of changepoints with a linear computational cost", JASA 2012)
/// with the squared distance from a segment's mean as its cost. The penalty of a change is `3 σ² ln n` (half more than that of the
/// Bayesian information criterion, which cuts a tenth of series of noise alone), times
/// `(1 + r) / (1 - r)` for noise of the variance σ² with the autocorrelation `r`: without that factor, a series that
/// wanders is cut into pieces. A segment has at least `least` values, which is at least 1. `floor` is the smallest
/// standard deviation that counts as noise, above 0.
#[must_use]
pub fn level_shifts(series: &[f64], least: usize, floor: f64) -> Vec<usize> {
    let least = least.max(1);
    if series.len() < 2 * least {
        return Vec::new();
    }
    let (variance, r) = noise(series);
    let variance = variance.max(floor * floor);
    let penalty = 3.0 * variance * (series.len() as f64).ln() * (1.0 + r) / (1.0 - r);
    cut(series, least, penalty)
}

/// Variance and autocorrelation of the noise. Of an autoregressive series of order 1, neighbours differ by
/// `2 σ² (1 - r)` and every second value by `2 σ² (1 - r²)` in the variance; by medians, which a few changes of level
/// do not move.
fn noise(series: &[f64]) -> (f64, f64) {
    let (near, far) = (step_variance(series, 1), step_variance(series, 2));
    let r = if near > 0.0 {
        (far / near - 1.0).clamp(0.0, 0.8)
    } else {
        0.0
    };
    (near / (2.0 * (1.0 - r)), r)
}

/// Variance of the differences between values `apart` places from each other, by their median absolute value.
fn step_variance(series: &[f64], apart: usize) -> f64 {
    /// Median absolute value of a standard normal.
    const NORMAL: f64 = 0.674_489_75;
    let pairs = series.iter().zip(series.iter().skip(apart));
    let mut steps: Vec<f64> = pairs.map(|(a, b)| (b - a).abs()).collect();
    steps.sort_by(f64::total_cmp);
    let median = steps.get(steps.len() / 2).copied().unwrap_or_default();
    (median / NORMAL).powi(2)
}

/// Two levels that differ by less than this share of the higher one are not reported.
const APART: f64 = 0.1;
/// Noise below this share of the mean is not looked for: clocks and the edges of intervals make as much.
pub const QUIET: f64 = 0.02;
/// A level lasts at least one part of a short series in this many.
const SHARE: usize = 5;
/// Longer series are looked through in means of several values: without a change, PELT's time grows with their square.
const MOST: usize = 4096;
/// A level lasts at least this long, in a series that is four times as long.
const LASTS: Nanos = Nanos::from_secs(10);

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Index of the first value after it.
    pub at: usize,
    /// The level before it, up to the change before that.
    pub before: f64,
    /// The level after it, up to the next.
    pub after: f64,
    /// How many changes of level there are in all, at least 1.
    pub changes: usize,
    /// Where the level before it begins, and where the one after it ends.
    pub ends: (usize, usize),
}

/// The largest change of level among the rates of intervals of this length, in events a second; `None` where there is
/// none of a tenth or more, or none that is more than chance (`chance::sure`). Intervals without an event are no level.
#[must_use]
pub fn rate_shift(rates: &[f64], interval: Nanos) -> Option<Shift> {
    rate_shift_of_groups(rates, interval, 1.0)
}

/// The same of events that come in groups of N: an interval has one group more or less than another by chance.
#[must_use]
pub fn rate_shift_of_groups(rates: &[f64], interval: Nanos, group: f64) -> Option<Shift> {
    let span = interval.as_secs_f64().max(1e-9);
    let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    let lasting = usize::try_from(LASTS.0 / interval.0.max(1)).unwrap_or(usize::MAX);
    let least = match rates.len() / 4 >= lasting {
        true => lasting.max(2),
        false => (rates.len() / SHARE).max(2),
    };
    let together = rates.len().div_ceil(MOST).max(1);
    let parts = rates.chunks(together);
    let means: Vec<f64> = parts
        .map(|part| part.iter().sum::<f64>() / part.len() as f64)
        .collect();
    // That of counts which arrive at random.
    let counting = (group * mean * span * together as f64).sqrt() / (span * together as f64);
    let each = least.div_ceil(together).max(2);
    let floor = counting.max(QUIET * mean);
    let starts = level_shifts(&means, each, floor);
    let starts = sure(&means, starts, each.div_ceil(2).max(2), floor);
    let starts: Vec<usize> = starts.into_iter().map(|start| start * together).collect();
    let levels = levels(rates, &starts);
    let share = |s: &Shift| (s.before - s.after).abs() / s.before.max(s.after).max(1e-9);
    let each = starts.iter().zip(levels.windows(2)).enumerate();
    each.map(|(number, (&at, pair))| {
        let from = number.checked_sub(1).map_or(0, |before| starts[before]);
        let to = starts.get(number + 1).copied().unwrap_or(rates.len());
        let shift = Shift {
            at,
            before: pair[0],
            after: pair[1],
            changes: starts.len(),
            ends: (from, to),
        };
        (shift, (from, to))
    })
    .filter(|(shift, _)| shift.before.min(shift.after) > 0.0)
    .filter(|(shift, _)| share(shift) >= APART)
    .map(|(shift, ends)| shift.moved(rates, ends, least.div_ceil(2).max(2)))
    .filter(|shift| share(shift) >= APART && shift.before.min(shift.after) > 0.0)
    .max_by(|a, b| share(a).total_cmp(&share(b)))
}

/// A level, a median of rates, as the mean of what passed at it with its interval, each slice as (amount, seconds): the median of
/// whole counts is off by up to one of them. Where the mean is another, some of the slices are no part of the level: the median
/// then, with the width of that; alone where there are too few of them.
#[must_use]
pub fn level(median: f64, slices: &[(f64, f64)]) -> Interval {
    /// What the mean may differ at the least, as a share.
    const SAME: f64 = 0.02;
    let Some(mean) = ratio(slices).filter(|mean| mean.value > 0.0) else {
        return Interval::only(median);
    };
    let seconds: f64 = slices.iter().map(|slice| slice.1).sum();
    let each = median * seconds / slices.len() as f64;
    let allowed = SAME.max(1.0 / each.max(1e-9));
    match (mean.value / median - 1.0).abs() < allowed {
        true => mean,
        false => mean.scaled(median / mean.value),
    }
}

/// The level of a latency in nanoseconds, by the rate that one I/O at a time would have and such rates of its parts.
#[must_use]
pub fn level_of_spans(speed: f64, parts: &[f64]) -> Interval {
    let slices: Vec<(f64, f64)> = parts.iter().map(|rate| (*rate, 1.0)).collect();
    let known = level(speed, &slices);
    let span = |rate: f64| 1e9 / rate.max(1e-9);
    Interval {
        value: span(known.value),
        low: span(known.high),
        high: span(known.low),
        settled: known.settled,
    }
}

/// The one step down of a series whose rates before it are above all that come after, but for one of twenty: also one that is
/// too small or too near an end for [`rate_shift`], from a twentieth on. `None` where there is none.
#[must_use]
pub fn step_down(rates: &[f64], interval: Nanos) -> Option<Shift> {
    /// The higher level over the lower one at the least.
    const TIMES: f64 = 1.05;
    /// Values on each side at the least.
    const FEWEST: usize = 8;
    /// Seconds of the lower level at the least: what is shorter may be a stall.
    const LASTS: f64 = 3.0;
    /// Values on the wrong side of the middle between the levels, as a share.
    const STRAY: f64 = 0.05;
    let after = (LASTS / interval.as_secs_f64().max(1e-9)).ceil();
    let after = FEWEST.max(usize::try_from(whole(after)).unwrap_or(usize::MAX));
    let places = FEWEST..(rates.len() + 1).saturating_sub(after);
    let (mut sum, sums) = (0.0, rates.iter());
    let sums: Vec<f64> = sums.map(|rate| (sum += rate, sum).1).collect();
    // Least squares: the farther the means are apart, and the more values each has, the better.
    let between = |place: &usize| {
        let (first, count) = (sums[place - 1], *place as f64);
        let rest = rates.len() as f64 - count;
        (first / count - (sum - first) / rest).powi(2) * count * rest
    };
    let place = places.max_by(|a, b| between(a).total_cmp(&between(b)))?;
    let [high, low] = levels(rates, &[place])[..] else {
        return None;
    };
    let border = f64::midpoint(high, low);
    // In the two at the change the rate fell.
    let (before, after) = (&rates[..place - 1], &rates[place + 1..]);
    let few = |stray: usize, of: &[f64]| stray as f64 <= STRAY * of.len() as f64;
    let stays = few(before.iter().filter(|rate| **rate < border).count(), before)
        && few(after.iter().filter(|rate| **rate > border).count(), after);
    (stays && low > 0.0 && high >= TIMES * low).then_some(Shift {
        at: place,
        before: high,
        after: low,
        changes: 1,
        ends: (0, rates.len()),
    })
}

impl Shift {
    /// The same between two places where the values before and after differ most. A change near an end is put further from it,
    /// so that a segment is as long as it has to be, and what is then on the wrong side is of neither level: half of a
    /// segment, `least` at the least, is enough here.
    fn moved(self, rates: &[f64], (from, to): (usize, usize), least: usize) -> Self {
        let part = rates.get(from..to).unwrap_or_default();
        best_place(part, least).map_or(self, |place| {
            let levels = levels(part, &[place]);
            Self {
                at: from + place,
                before: levels[0],
                after: levels[1],
                ..self
            }
        })
    }
}

/// Levels of the segments that begin at 0 and at each of `starts`.
fn levels(rates: &[f64], starts: &[usize]) -> Vec<f64> {
    let ends = starts.iter().copied().chain([rates.len()]);
    let mut from = 0;
    ends.map(|end| {
        let part = &rates[from..end];
        from = end;
        level_of(part)
    })
    .collect()
}

/// The median: a stall of some intervals is no level. Where the means of neighbours have another, values alternate around a
/// level that none of them has, as those of a quota do which is given out in slices (Linux's control groups: every 100 ms):
/// an interval holds two of them or three. Then it is the mean, and beside stalls the median of those means.
fn level_of(part: &[f64]) -> f64 {
    /// Neighbours.
    const TOGETHER: usize = 4;
    /// Means of them at the least, to have a median.
    const FEWEST: usize = 4;
    /// Levels that differ by no more are one.
    const SAME: f64 = 0.05;
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
    let same = |a: f64, b: f64| (a - b).abs() <= SAME * a.max(b);
    let middle = |of: &[f64]| median_high(of.iter().copied()).unwrap_or_default();
    let each = middle(part);
    let together = part.chunks_exact(TOGETHER).map(mean).collect::<Vec<_>>();
    if together.len() < FEWEST {
        return each;
    }
    let (together, whole) = (middle(&together), mean(part));
    match (same(each, together), same(together, whole)) {
        (true, _) => each,
        (false, true) => whole,
        (false, false) => together,
    }
}

/// PELT itself.
fn cut(series: &[f64], least: usize, penalty: f64) -> Vec<usize> {
    let n = series.len();
    let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
    let (mut sum, mut square) = (0.0, 0.0);
    for x in series {
        sum += x;
        square += x * x;
        sums.push(sum);
        squares.push(square);
    }
    let cost = |from: usize, to: usize| {
        let (sum, count) = (sums[to] - sums[from], (to - from) as f64);
        (squares[to] - squares[from] - sum * sum / count).max(0.0)
    };
    // The best cost of the first values, and where its last segment begins.
    let mut best = vec![f64::INFINITY; n + 1];
    best[0] = -penalty;
    let mut last = vec![0; n + 1];
    // Where a last segment may begin, and until when that is looked at: one that is worse than a change here stays for
    // as long as a segment from here is too short.
    let mut candidates = vec![(0, usize::MAX)];
    for to in least..=n {
        candidates.retain(|&(_, until)| to < until);
        for &(from, _) in &candidates {
            let whole = best[from] + cost(from, to) + penalty;
            if whole < best[to] {
                (best[to], last[to]) = (whole, from);
            }
        }
        for (from, until) in &mut candidates {
            if best[*from] + cost(*from, to) > best[to] {
                *until = (*until).min(to + least);
            }
        }
        let next = to + 1 - least;
        if best[next].is_finite() {
            candidates.push((next, usize::MAX));
        }
    }
    let mut starts = Vec::new();
    let mut at = last[n];
    while at > 0 {
        starts.push(at);
        at = last[at];
    }
    starts.reverse();
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::seed::SplitMix;

    /// Normal by the sum of twelve.
    fn normal(random: &mut SplitMix) -> f64 {
        let one = |_| random.unit();
        (0..12).map(one).sum::<f64>() - 6.0
    }

    /// 900 a second in slices of 31.25 ms are 28 or 29 in each: the median is 896.
    #[test]
    fn a_level_of_whole_counts_is_their_mean_and_a_stall_is_no_part_of_it() {
        let counts = |of: &dyn Fn(u32) -> f64| (0..64).map(|i| (of(i), 0.031_25)).collect();
        let whole: Vec<(f64, f64)> = counts(&|i| {
            let until = |i: u32| (28.125 * f64::from(i)).floor();
            until(i + 1) - until(i)
        });
        let found = level(896.0, &whole);
        assert!((found.value - 900.0).abs() < 1e-9 && found.low < 900.0 && found.high > 900.0);
        // 9.4 in each are more than 2 % off.
        let few: Vec<(f64, f64)> = counts(&|i| if i % 8 < 3 { 10.0 } else { 9.0 });
        assert!((level(288.0, &few).value - 300.0).abs() < 1e-9);
        let stalls: Vec<(f64, f64)> = counts(&|i| if i < 4 { 0.0 } else { 1000.0 });
        assert!((level(32_000.0, &stalls).value - 32_000.0).abs() < 1e-6);
        assert_eq!(level(5.0, &whole[..3]), Interval::only(5.0));
    }

    /// Squares, not cubes: a short high beginning is no step where a longer one follows.
    #[test]
    fn a_step_is_where_the_squares_are_least() {
        let of = |count: usize, rate: f64| vec![rate; count];
        let rates = [of(8, 1800.0), of(32, 1000.0), of(64, 400.0)].concat();
        let second = Nanos::from_secs(1);
        let found = step_down(&rates, second).expect("a step");
        assert_eq!(found.at, 40, "{found:?}");
    }

    #[test]
    fn a_step_is_found_at_its_place() {
        let mut alone = 0;
        for seed in 0..100 {
            let mut random = SplitMix::new(seed);
            let level = |i: usize| if i < 40 { 100.0 } else { 80.0 };
            let series: Vec<f64> = (0..100)
                .map(|i| level(i) + 3.0 * normal(&mut random))
                .collect();
            let starts = level_shifts(&series, 10, 1e-9);
            assert!(starts.iter().any(|at| (39..=41).contains(at)), "{starts:?}");
            alone += usize::from(starts.len() == 1);
        }
        assert!(alone >= 90, "{alone} of 100 have this one change");
        let two: Vec<f64> = [5.0, 5.0, 5.0, 1.0, 1.0].into();
        assert_eq!(level_shifts(&two, 2, 0.05), [3]);
        // One value is a level where that is asked for, and none is less.
        let last = [5.0, 5.0, 5.0, 5.0, 1.0];
        for (least, at) in [(0, 4), (1, 4), (2, 3)] {
            assert_eq!(level_shifts(&last, least, 0.05), [at]);
        }
        let back: Vec<f64> = (0..90)
            .map(|i| if i / 30 == 1 { 2.0 } else { 1.0 })
            .collect();
        assert_eq!(level_shifts(&back, 2, 0.01), [30, 60]);
    }

    #[test]
    fn noise_and_noise_that_wanders_are_one_level() {
        let mut cut = [0, 0];
        for seed in 0..200 {
            let mut random = SplitMix::new(seed);
            let white: Vec<f64> = (0..60).map(|_| 100.0 + 3.0 * normal(&mut random)).collect();
            let mut now = 0.0;
            let wander: Vec<f64> = (0..60)
                .map(|_| {
                    now = 0.5 * now + normal(&mut random);
                    100.0 + 3.0 * now
                })
                .collect();
            cut[0] += usize::from(!level_shifts(&white, 5, 1e-9).is_empty());
            cut[1] += usize::from(!level_shifts(&wander, 5, 1e-9).is_empty());
        }
        // The penalty of 3 σ² ln n cuts a few by chance; without the factor, noise that wanders is cut in most.
        assert!(cut[0] <= 10 && cut[1] <= 30, "{cut:?} of 200");
    }

    /// Of a twentieth and more, near an end too; neither noise, nor noise that wanders, nor a rise, nor a stall is one.
    #[test]
    fn a_step_down_is_distinguished_from_noise() {
        let quarter = Nanos::from_millis(250);
        let of = |parts: &[(usize, f64)]| {
            let each = parts.iter();
            let rates: Vec<f64> = each
                .flat_map(|&(n, rate)| std::iter::repeat_n(rate, n))
                .collect();
            step_down(&rates, quarter).map(|step| (step.at, step.before, step.after))
        };
        assert_eq!(of(&[(213, 148.0), (27, 124.0)]), Some((213, 148.0, 124.0)));
        assert_eq!(of(&[(8, 11.0), (232, 10.0)]), Some((8, 11.0, 10.0)));
        for none in [
            &[(230, 148.0), (10, 124.0)][..],
            &[(234, 148.0), (6, 124.0)],
            &[(120, 104.0), (120, 100.0)],
            &[(120, 100.0), (120, 120.0)],
            &[(120, 100.0), (12, 0.0), (108, 100.0)],
            &[(3, 5.0)],
            &[],
        ] {
            assert_eq!(of(none), None, "{none:?}");
        }
        for seed in 0..200 {
            let mut random = SplitMix::new(seed);
            let mut now = 0.0;
            let mut wander = || {
                now = 0.8 * now + normal(&mut random);
                100.0 + 5.0 * now
            };
            let rates: Vec<f64> = (0..240).map(|_| wander()).collect();
            assert_eq!(step_down(&rates, quarter), None, "{seed}");
            let white: Vec<f64> = (0..240)
                .map(|_| 100.0 + 5.0 * normal(&mut random))
                .collect();
            assert_eq!(step_down(&white, quarter), None, "{seed}");
        }
    }

    #[test]
    fn too_few_values_have_one_level() {
        assert!(level_shifts(&[1.0, 9.0, 1.0], 2, 0.1).is_empty());
        assert!(level_shifts(&[], 2, 0.1).is_empty());
    }

    /// All ways to cut a short series: none costs less than the one that is found.
    #[test]
    fn no_other_cuts_cost_less() {
        let cost = |part: &[f64]| {
            let mean = part.iter().sum::<f64>() / part.len() as f64;
            part.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
        };
        let total = |series: &[f64], starts: &[usize], penalty: f64| {
            let mut all = vec![0];
            all.extend(starts);
            all.push(series.len());
            let parts = all.windows(2).map(|ends| cost(&series[ends[0]..ends[1]]));
            parts.sum::<f64>() + penalty * starts.len() as f64
        };
        let mut random = SplitMix::new(4);
        for number in 0..60 {
            let level = |i: usize| if i / 4 == number % 3 { 2.5 } else { 0.0 };
            let series: Vec<f64> = (0..11).map(|i| level(i) + normal(&mut random)).collect();
            for (least, penalty) in [(1, 1.0), (2, 2.0), (3, 3.0)] {
                let found = cut(&series, least, penalty);
                let mut ends = vec![0];
                ends.extend(&found);
                ends.push(series.len());
                assert!(ends.windows(2).all(|ends| ends[1] - ends[0] >= least));
                let best = (0_u32..1 << 10)
                    .map(|bits| (1..11).filter(|i| bits >> (i - 1) & 1 == 1).collect())
                    .filter(|starts: &Vec<usize>| {
                        let mut all = vec![0];
                        all.extend(starts);
                        all.push(11);
                        all.windows(2).all(|ends| ends[1] - ends[0] >= least)
                    })
                    .map(|starts| total(&series, &starts, penalty))
                    .fold(f64::INFINITY, f64::min);
                assert!(
                    (total(&series, &found, penalty) - best).abs() < 1e-9,
                    "{series:?}"
                );
            }
        }
    }

    #[test]
    fn noise_is_distinguished_from_levels_and_from_what_wanders() {
        let mut random = SplitMix::new(6);
        for r in [0.0, 0.5] {
            let mut now = 0.0;
            let series: Vec<f64> = (0..20_000_usize)
                .map(|i| {
                    now = r * now + f64::sqrt(1.0 - r * r) * normal(&mut random);
                    // Levels, of which medians know nothing.
                    3.0 * now + (i / 4000) as f64 * 50.0
                })
                .collect();
            let (variance, found) = noise(&series);
            assert!((found - r).abs() < 0.06, "{r}: {found}");
            assert!((variance / 9.0 - 1.0).abs() < 0.12, "{r}: {variance}");
        }
        assert_eq!(noise(&[1.0; 9]), (0.0, 0.0));
    }

    #[test]
    fn a_shift_has_its_place_its_levels_and_its_number() {
        let steps = |levels: &[(usize, f64)]| -> Vec<f64> {
            let each = levels
                .iter()
                .flat_map(|(count, level)| vec![*level; *count]);
            each.collect()
        };
        let of = |levels: &[(usize, f64)]| rate_shift(&steps(levels), Nanos::SECOND);
        let half = Shift {
            at: 40,
            before: 1e4,
            after: 5e3,
            changes: 1,
            ends: (0, 80),
        };
        assert_eq!(of(&[(40, 1e4), (40, 5e3)]), Some(half));
        // The largest of three as a share: a fall from 8,000 to 4,000.
        let rates = steps(&[(30, 1e4), (30, 8e3), (30, 4e3), (30, 5e3)]);
        let found = rate_shift(&rates, Nanos::SECOND).unwrap();
        assert_eq!((found.at, found.changes), (60, 3), "{found:?}");
        assert_eq!((found.before, found.after), (8e3, 4e3));
        // A stall within a level is no level.
        assert_eq!(
            levels(&[5.0, 5.0, 0.0, 5.0, 9.0, 9.0, 8.0], &[4]),
            [5.0, 9.0]
        );
        // A tenth is one, less is none; four seconds of a long series are no level.
        assert!(of(&[(40, 1e4), (40, 8.9e3)]).is_some());
        assert_eq!(of(&[(40, 1e4), (40, 9.1e3)]), None);
        assert_eq!(of(&[(40, 8.9e3), (40, 1e4)]).map(|s| s.at), Some(40));
        assert_eq!(of(&[(40, 1e4), (4, 5e3), (40, 1e4)]), None);
        // A short one has levels of a fifth of it.
        assert_eq!(of(&[(10, 1e4), (5, 5e3)]).map(|s| s.at), Some(10));
        assert_eq!(of(&[]), None);
        assert_eq!(rate_shift(&[5.0; 9], Nanos::ZERO), None);
    }

    /// A day of seconds takes no longer than its values, and its change is at its place.
    #[test]
    fn a_long_series_has_its_changes_too() {
        let mut random = SplitMix::new(3);
        let noisy = |level: f64, random: &mut SplitMix| level * (1.0 + 0.03 * normal(random));
        let level = |n: usize| if n < 50_003 { 1e4 } else { 8e3 };
        let day: Vec<f64> = (0..86_400).map(|n| noisy(level(n), &mut random)).collect();
        let found = rate_shift(&day, Nanos::SECOND).unwrap();
        assert!(
            found.at.abs_diff(50_003) <= 2 && found.changes == 1,
            "{found:?}"
        );
        assert!(rate_shift(&day[..50_000], Nanos::SECOND).is_none());
        // A minute of it is a level.
        let minute = rate_shift(
            &[&day[..40_000], &day[60_000..60_060], &day[..40_000]].concat(),
            Nanos::SECOND,
        );
        assert!(minute.is_some_and(|found| found.changes == 2), "{minute:?}");
    }

    /// Slices of 500 and of 100 in intervals of two and a half of them.
    #[test]
    fn rates_of_slices_have_the_level_that_no_interval_has() {
        let at = |n: usize, slice: f64| slice * if n.is_multiple_of(2) { 8.0 } else { 12.0 };
        let mut rates: Vec<f64> = (0..48).map(|n| at(n, 500.0)).collect();
        rates.extend((0..48).map(|n| at(n, 100.0)));
        let shift = rate_shift(&rates, Nanos::from_millis(250)).unwrap();
        assert_eq!((shift.at, shift.changes), (48, 1));
        assert!((shift.before / 5000.0 - 1.0).abs() < 0.01, "{shift:?}");
        assert!((shift.after / 1000.0 - 1.0).abs() < 0.01, "{shift:?}");
        // Beside a stall of three intervals as well.
        rates[10..13].fill(0.0);
        let beside = rate_shift(&rates, Nanos::from_millis(250)).unwrap();
        assert!((beside.before / 5000.0 - 1.0).abs() < 0.01, "{beside:?}");
    }

    /// A level lasts ten seconds: of a change six seconds before the end or after the start the place and both levels are
    /// right all the same, and four seconds are no level.
    #[test]
    fn a_change_near_an_end_has_its_own_place_and_levels() {
        for last in [6, 7, 8, 9] {
            let late = rates(&[(60 - last, 5e3), (last, 1e3)]);
            let found = rate_shift(&late, Nanos::SECOND).unwrap();
            assert_eq!((found.at, found.before, found.after), (60 - last, 5e3, 1e3));
            let early = rates(&[(last, 5e3), (60 - last, 1e3)]);
            let found = rate_shift(&early, Nanos::SECOND).unwrap();
            assert_eq!((found.at, found.before, found.after), (last, 5e3, 1e3));
        }
        // In the interval of the change the rate is between both.
        let within = rates(&[(53, 5e3), (1, 3.4e3), (6, 1e3)]);
        let found = rate_shift(&within, Nanos::SECOND).unwrap();
        assert_eq!((found.at, found.before, found.after), (54, 5e3, 1e3));
        assert_eq!(
            rate_shift(&rates(&[(56, 5e3), (4, 1e3)]), Nanos::SECOND),
            None
        );
    }

    /// Rates of N intervals each.
    fn rates(levels: &[(usize, f64)]) -> Vec<f64> {
        let each = levels
            .iter()
            .flat_map(|(count, level)| vec![*level; *count]);
        each.collect()
    }

    /// By hand: half of 10 events a second is a step of 2.5 from the mean of 7.5, squares of 80 x 6.25 = 500. Counts that
    /// arrive at random have a variance of 7.5 over the interval: the penalty of 3 x 4.38 times it is 986 for a tenth of a
    /// second and 9.9 for ten seconds. A thousandth of the rate has a thousandth of the variance.
    #[test]
    fn a_change_is_more_than_counts_vary_that_arrive_at_random() {
        let at = |level: f64, interval: Nanos| {
            rate_shift(&rates(&[(40, level), (40, level / 2.0)]), interval).map(|shift| shift.at)
        };
        assert_eq!(at(10.0, Nanos::from_millis(100)), None);
        assert_eq!(at(10.0, Nanos::from_secs(10)), Some(40));
        assert_eq!(at(0.01, Nanos::from_secs(10)), None);
        assert_eq!(at(1.0, Nanos::from_secs(10)), Some(40));
    }

    /// Five seconds at half the rate are most of a level of eight or nine seconds, and not of one of ten.
    #[test]
    fn a_level_of_forty_seconds_lasts_ten_and_of_fewer_a_fifth() {
        let at = |after: usize| {
            let rates = rates(&[(17, 1e4), (5, 5e3), (after, 1e4)]);
            rate_shift(&rates, Nanos::SECOND).map(|shift| shift.changes)
        };
        assert_eq!((at(17), at(18), at(60)), (Some(2), None, None));
        // Never less than two intervals, however long they are.
        for (before, interval) in [(10, 10), (7, 1)] {
            let rates = rates(&[(before, 1e4), (2, 5e3)]);
            let found = rate_shift(&rates, Nanos::from_secs(interval));
            assert_eq!(found.map(|shift| shift.at), Some(before));
        }
    }

    /// A step of 1 % is 20 x 0.01^2 of the squares of the rate, where clocks and edges ask for 3 x 4.79 x 0.02^2 x 0.7.
    #[test]
    fn what_clocks_make_is_not_counted_as_a_change() {
        let rates = rates(&[(40, 1e6), (40, 1.01e6), (40, 5e5)]);
        let found = rate_shift(&rates, Nanos::SECOND).unwrap();
        assert_eq!((found.at, found.changes), (80, 1), "{found:?}");
    }
}
