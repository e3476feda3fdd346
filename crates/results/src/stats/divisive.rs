//! Change points of a series of few values, one for each run: where its level changes for good.
//!
//! Belongs here: the search, its test of significance, what stands alone. Must never: know what the values are of.
//! The many values within a run are another matter (`shift`): they depend on each other.
//!
//! # Sources
//! - The measure of how far two neighbouring pieces differ, and the search that divides again and again: E-divisive
//!   (Matteson and James, "A nonparametric approach for multiple change point analysis of multivariate data", Journal of
//!   the American Statistical Association 109, 2014), with absolute distances.
//! - Windows, Student's test in the place of permutations, and the removal of the weakest afterwards: Fleming and
//!   others, "Hunter: using change point detection to hunt for performance regressions" (ICPE 2023), as in Apache Otava.
//! - New here: [`lasting`]. A change that hangs on one value is none; Otava reports single outliers, as its authors say.

use super::middle::median;
use super::student::Level;

/// What counts as a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensitivity {
    /// How many values are observed together, at least 2: what is farther away is another time.
    pub window: usize,
    /// The largest probability of a change by chance, above 0 and below 1.
    pub chance: f64,
    /// The smallest change as a share of the smaller level, at least 0.
    pub share: f64,
}

impl Default for Sensitivity {
    /// Window and probability as in Otava (since 2025); of at least 2 %, which clocks and the edges of a run make.
    fn default() -> Self {
        Self {
            window: 50,
            chance: 0.001,
            share: super::QUIET,
        }
    }
}

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// Index of the first value after it, at least 1.
    pub at: usize,
    /// From the change before it, or the start.
    pub before: Level,
    /// To the next, or the end.
    pub after: Level,
    /// How likely as large a difference is by chance, 0 to 1.
    pub chance: f64,
}

impl ChangePoint {
    /// How much higher the level after it is, as a share of the one before: -0.5 = half. 0 where that was 0.
    #[must_use]
    pub fn change(&self) -> f64 {
        let (before, after) = (self.before.mean, self.after.mean);
        if before == 0.0 {
            0.0
        } else {
            after / before - 1.0
        }
    }

    /// The difference as a share of the smaller level; 0 where a level is 0 and says nothing.
    fn size(&self) -> f64 {
        let back = match self.after.mean {
            0.0 => 0.0,
            after => self.before.mean / after - 1.0,
        };
        self.change().abs().max(back.abs())
    }

    /// That of a series at `at`, from the place `from` to the place `to`; `None` where nothing is on one side.
    fn of(series: &[f64], (from, at, to): (usize, usize, usize)) -> Option<Self> {
        let before = Level::of(series.get(from..at)?)?;
        let after = Level::of(series.get(at..to)?)?;
        Some(Self {
            at,
            before,
            after,
            chance: before.chance(&after),
        })
    }

    /// Whether it would still be one without any one of the values between `from` and `to`.
    fn holds(&self, series: &[f64], (from, to): (usize, usize), how: &Sensitivity) -> bool {
        let stands = |before: Option<Level>, after: Option<Level>| {
            let (Some(before), Some(after)) = (before, after) else {
                return false;
            };
            let without = Self {
                at: self.at,
                before,
                after,
                chance: before.chance(&after),
            };
            // Of fewer values less can be shown: ten times the probability, as in the first pass.
            without.chance <= first_pass(how.chance) && without.size() > how.share
        };
        let (before, after) = (self.before, self.after);
        let mut lefts = series[from..self.at].iter();
        let mut rights = series[self.at..to].iter();
        lefts.all(|v| stands(before.without(*v), Some(after)))
            && rights.all(|v| stands(Some(before), after.without(*v)))
    }
}

/// What a series of runs shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lasting {
    /// Its changes of level, ascending; each would be one without any one of the values.
    pub changes: Vec<ChangePoint>,
    /// Indices of values that stand alone, ascending: far from those before and after. They belong to no level. The
    /// last value may be one because nothing follows it yet.
    pub alone: Vec<usize>,
}

/// The changes of level that last, and the values that stand alone.
#[must_use]
pub fn lasting(series: &[f64], how: &Sensitivity) -> Lasting {
    let alone = alone(series);
    let places: Vec<usize> = (0..series.len()).filter(|i| !alone.contains(i)).collect();
    let rest: Vec<f64> = places.iter().map(|&i| series[i]).collect();
    let mut changes = settle(&rest, merge(&rest, split(&rest, how), how), how);
    for change in &mut changes {
        change.at = places[change.at];
    }
    Lasting { changes, alone }
}

/// Values far from their neighbours, which agree: more than five standard deviations of the neighbours from their median,
/// by the median absolute deviation (Hampel, "The influence curve and its role in robust estimation", 1974), at least of
/// a tenth of the median; and without a neighbour that went half as far, which would be the start of a new level.
fn alone(series: &[f64]) -> Vec<usize> {
    /// Values on either side that count.
    const NEAR: usize = 3;
    /// As a share of the median: what is nearer is spread of any series.
    const FAR: f64 = 0.1;
    let far = |&at: &usize| {
        // At an end, more of the other side.
        let first = at.saturating_sub(NEAR.max((at + 1 + 2 * NEAR).saturating_sub(series.len())));
        let last = (at + NEAR.max(2 * NEAR - at.min(NEAR))).min(series.len() - 1);
        let near: Vec<f64> = (first..=last)
            .filter(|&i| i != at)
            .map(|i| series[i])
            .collect();
        if near.len() < NEAR + 1 {
            return false;
        }
        let middle = median(near.iter().copied()).unwrap_or_default();
        let spread =
            median(near.iter().map(|v| (v - middle).abs())).unwrap_or_default() / 0.674_489_75;
        let distance = series[at] - middle;
        let follows = |i: usize| {
            let other = series.get(i).map(|v| v - middle);
            other.is_some_and(|other| other * distance.signum() > distance.abs() / 2.0)
        };
        let followed = follows(at + 1) || at.checked_sub(1).is_some_and(follows);
        distance.abs() > (5.0 * spread).max(FAR * middle.abs()) && !followed
    };
    (0..series.len()).filter(far).collect()
}

/// The probability of the first pass, which lets candidates through that the last one removes when their neighbours are
/// gone.
fn first_pass(chance: f64) -> f64 {
    match chance {
        p if p < 0.05 => 10.0 * p,
        p if p < 0.5 => 2.0 * p,
        p => p,
    }
}

/// Places of candidates, ascending: what is found in windows that overlap by half.
fn split(series: &[f64], how: &Sensitivity) -> Vec<usize> {
    let window = how.window.max(2);
    let (mut places, mut start) = (Vec::new(), 0);
    while start < series.len() {
        let end = (start + window).min(series.len());
        let found = divide(&series[start..end], first_pass(how.chance));
        let last = found.last().map_or(0, |at| start + at);
        places.extend(found.iter().map(|at| start + at));
        start = last.max(start + window / 2);
    }
    places.sort_unstable();
    places.dedup();
    places
}

/// Divides again where two pieces differ most, as long as that is not by chance.
fn divide(series: &[f64], chance: f64) -> Vec<usize> {
    let mut cuts = vec![0, series.len()];
    loop {
        let pieces = cuts.windows(2).enumerate();
        let farthest = pieces
            .filter(|(_, piece)| piece[1] - piece[0] > 1)
            .map(|(at, piece)| {
                let (cut, distance) = farthest(&series[piece[0]..piece[1]]);
                (at, piece[0] + cut, piece[1], distance)
            })
            .reduce(|a, b| if b.3 > a.3 { b } else { a });
        let point = farthest.and_then(|(at, cut, end, _)| {
            let point = ChangePoint::of(series, (cuts[at], cut, end))?;
            (point.chance <= chance).then_some((at, cut))
        });
        match point {
            Some((at, cut)) => cuts.insert(at + 1, cut),
            None => {
                cuts.pop();
                return cuts.split_off(1);
            }
        }
    }
}

/// Where the two pieces of the start of a series differ most, and by how much: over all starts `0..k` of at least two
/// values and all cuts within them, the first of the largest. The measure is that of Matteson and James: twice the mean
/// distance between the pieces less the mean distance within each, times `m n / (m + n)` for pieces of `m` and `n`.
fn farthest(series: &[f64]) -> (usize, f64) {
    // within[t] = sum of the distances among t..k; of the start 0..t it was within[0] when k was t.
    let mut within = vec![0.0; series.len()];
    let mut starts = vec![0.0; series.len() + 1];
    let mut best = (1, f64::NEG_INFINITY);
    for (last, value) in series.iter().enumerate() {
        let mut reached = 0.0;
        for t in (0..last).rev() {
            reached += (series[t] - value).abs();
            within[t] += reached;
        }
        starts[last + 1] = within[0];
        for (t, right) in within.iter().enumerate().take(last + 1).skip(1) {
            let (left, right) = (starts[t], *right);
            let between = within[0] - left - right;
            let (m, n) = (t as f64, (last + 1 - t) as f64);
            let mean = |sum: f64, n: f64| if n > 1.0 { sum / (n - 1.0) } else { 0.0 };
            let distance = 2.0 / (m + n) * (between - n * mean(left, m) - m * mean(right, n));
            let order = distance.total_cmp(&best.1);
            if order.then(best.0.cmp(&t)).is_gt() {
                best = (t, distance);
            }
        }
    }
    best
}

/// The candidate at this place of all, between its neighbours.
fn between(series: &[f64], places: &[usize], i: usize) -> Option<(ChangePoint, (usize, usize))> {
    let from = i.checked_sub(1).and_then(|i| places.get(i)).copied();
    let to = places.get(i + 1).copied();
    let (from, to) = (from.unwrap_or(0), to.unwrap_or(series.len()));
    Some((
        ChangePoint::of(series, (from, *places.get(i)?, to))?,
        (from, to),
    ))
}

/// The index of the least significant candidate, or else of the smallest; `None` = each is significant and large enough.
fn weakest(points: &[ChangePoint], how: &Sensitivity) -> Option<usize> {
    let likelier =
        |a: &(usize, &ChangePoint), b: &(usize, &ChangePoint)| b.1.chance.total_cmp(&a.1.chance);
    let smaller =
        |a: &(usize, &ChangePoint), b: &(usize, &ChangePoint)| a.1.size().total_cmp(&b.1.size());
    let each = || points.iter().enumerate();
    let likeliest = each().min_by(likelier);
    let likeliest = likeliest.filter(|(_, p)| p.chance >= how.chance);
    let smallest = || {
        each()
            .min_by(smaller)
            .filter(|(_, p)| p.size() <= how.share)
    };
    likeliest.or_else(smallest).map(|(i, _)| i)
}

/// Removes the weakest candidate until none is weak. As in Otava, the two that follow a removed one are compared again with
/// their new neighbours, and the one before it is not: which places are left depends on that.
fn merge(series: &[f64], mut places: Vec<usize>, how: &Sensitivity) -> Vec<usize> {
    let of = |places: &[usize], i| between(series, places, i).map(|found| found.0);
    let mut points: Vec<ChangePoint> = (0..places.len()).filter_map(|i| of(&places, i)).collect();
    while let Some(gone) = weakest(&points, how) {
        places.remove(gone);
        points.remove(gone);
        for i in gone..(gone + 2).min(points.len()) {
            if let Some(point) = of(&places, i) {
                points[i] = point;
            }
        }
    }
    places
}

/// Removes what is weak between the neighbours that are left, and what hangs on one value.
fn settle(series: &[f64], mut places: Vec<usize>, how: &Sensitivity) -> Vec<ChangePoint> {
    loop {
        let found = (0..places.len()).filter_map(|i| between(series, &places, i));
        let (points, ranges): (Vec<_>, Vec<_>) = found.unzip();
        let frail = || {
            let mut each = points.iter().zip(&ranges);
            each.position(|(point, range)| !point.holds(series, *range, how))
        };
        match weakest(&points, how).or_else(frail) {
            Some(gone) => {
                places.remove(gone);
            }
            None => return points,
        }
    }
}

#[cfg(test)]
mod tests;
