//! 95 % intervals of percentiles from the histograms of slices of time, and how many independent samples they are
//! worth.

use super::interval::{enough_events, spread};
use leadline_model::histogram::{BUCKETS, lower_bound, upper_bound};
use leadline_model::latency::Latency;
use leadline_model::seed::{Purpose, SplitMix, derive};
use leadline_model::units::whole as whole_number;
use std::cmp::Ordering;

/// Resampled series for an interval.
const DRAWN: usize = 300;
/// Most slices that are distinguished: neighbours of a longer series are put together.
const SLICES: usize = 320;

/// Effective samples expected above a percentile from which on it has an upper end, and below it for a lower end: with
/// fewer, that there is none in the samples happens in more than 2.5 % of cases (`exp(-3.689)`).
const LEAST_BEYOND: f64 = 3.689;

/// The 95 % interval of a percentile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranks {
    /// Which percentile, 0 to 100.
    pub percent: f64,
    /// Lower end, in the unit of the histogram; `None` = the samples are too few for one.
    pub low: Option<f64>,
    /// Upper end; `None` = the samples are too few for one.
    pub high: Option<f64>,
    /// How many independent samples would place it as well, at most the number of samples.
    pub effective: f64,
    /// Whether the series was long enough for its dependence.
    pub settled: bool,
    /// The least and the most that the sample at this percentile can be, by its bucket and the extremes of the slices.
    pub within: (f64, f64),
}

/// The 95 % intervals of these percentiles (0 to 100), rising, of all samples, `whole`, of which each slice of time has some in
/// one or more sets. `None` for fewer than 8 slices with samples, or fewer than ten samples ([`enough_events`]). The same
/// `seed` gives the same intervals.
///
/// Each is the union of two. The first comes from series that are resampled in blocks of slices of random
/// length (stationary bootstrap; Politis and Romano, "The stationary bootstrap", 1994), with the length that
/// `block_length` finds. It is too narrow for a tail that few blocks have. The second is that of order statistics
/// (ranks `n p` -+ `t sqrt(n p (1 - p))`, with the first correction for skewness of Cornish and Fisher, 1938) with the
/// effective number of samples in the place of `n`: `p (1 - p)` over the variance of the share of samples above the
/// percentile (Woodruff, "Confidence intervals for medians and other position measures", 1952), which comes from batch
/// means ([`super::ratio`]) and is never below that of independent samples.
///
/// Samples of one bucket are not distinguished, so an end in the bucket of the percentile itself lies at the least, or at the
/// most, that a sample of that rank can be (`SliceSums::bounds`): of a fixed latency in all slices that is the latency itself,
/// of other values an interval is never narrower than the bucket.
#[must_use]
pub fn ranks(
    whole: &Latency,
    slices: &[Vec<&Latency>],
    percents: &[f64],
    seed: u64,
) -> Option<Vec<Ranks>> {
    let table = SliceSums::of(whole, slices);
    let counts = (0..table.rows()).map(|row| table.total(&[(row, row + 1)]) as f64);
    let are_spread = enough_events(counts)?;
    let by_rank: Option<Vec<ByRank>> = percents.iter().map(|p| by_rank(&table, *p)).collect();
    let by_rank = by_rank?;
    let drawn = drawn(&table, percents, &by_rank, seed);
    let joined = by_rank.iter().zip(drawn).zip(percents);
    let all = joined.map(|((ranked, (low, high)), &percent)| {
        let own = table.own(whole, percent, ranked.column);
        let low = ranked.low.map(|l| l.least(low));
        let high = ranked.high.map(|h| h.most(high));
        Ranks {
            percent,
            low: low.map(|low| table.low_end(low, own.0)),
            high: high.map(|high| table.high_end(high, own.0)),
            effective: ranked.effective,
            settled: ranked.settled && are_spread,
            within: table.bounds(own.0, own.1),
        }
    });
    let mut all: Vec<Ranks> = all.collect();
    all.sort_by(|a, b| a.percent.total_cmp(&b.percent));
    Some(all)
}

/// Counts of slices by bucket, added up over both, so that a range of slices is a difference of two sums.
struct SliceSums {
    /// The buckets that are columns, rising.
    buckets: Vec<usize>,
    /// Groups of slices.
    rows: usize,
    /// Column after column `rows + 1` sums: what the slices before have in this bucket and those below it. A search looks
    /// at many rows of few columns, so the rows of one are next to each other.
    sums: Vec<u64>,
    /// The smallest and the largest sample of each row.
    extremes: Vec<(u64, u64)>,
    /// The same of all samples, and how many of them are in each column, also those outside of all slices.
    whole: (u64, u64),
    counts: Vec<u64>,
}

/// Below what some samples lie: a column, and which part of its samples.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SharePlace {
    column: usize,
    inside: f64,
}

impl SharePlace {
    fn order(&self, other: &Self) -> Ordering {
        let columns = self.column.cmp(&other.column);
        columns.then(self.inside.total_cmp(&other.inside))
    }

    fn least(self, other: Self) -> Self {
        match self.order(&other) {
            Ordering::Greater => other,
            _ => self,
        }
    }

    fn most(self, other: Self) -> Self {
        match self.order(&other) {
            Ordering::Less => other,
            _ => self,
        }
    }
}

/// Blocks of slices, each from one row up to another, which is excluded.
type SliceBlocks = [(usize, usize)];

impl SliceSums {
    fn of(whole: &Latency, slices: &[Vec<&Latency>]) -> Self {
        let (buckets, in_whole): (Vec<usize>, Vec<u64>) = whole.histogram.nonzero().unzip();
        let mut column = vec![None; BUCKETS];
        for (place, &bucket) in buckets.iter().enumerate() {
            column[bucket] = Some(place);
        }
        let together = slices.len().div_ceil(SLICES).max(1);
        let rows = slices.len().div_ceil(together);
        let mut counts = vec![0; buckets.len()];
        let mut sums = vec![0; (rows + 1) * buckets.len()];
        for (row, group) in (1..).zip(slices.chunks(together)) {
            let all = group.iter().flatten();
            for (bucket, count) in all.flat_map(|latency| latency.histogram.nonzero()) {
                // What only the edge of the window has is no part of the whole.
                if let Some(place) = column[bucket] {
                    counts[place] += count;
                }
            }
            let mut below = 0;
            for (place, count) in counts.iter().enumerate() {
                below += count;
                sums[place * (rows + 1) + row] = below;
            }
        }
        let extremes = slices.chunks(together).map(|group| {
            let all = group
                .iter()
                .flatten()
                .map(|latency| (latency.min, latency.max));
            all.fold((u64::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)))
        });
        Self {
            buckets,
            rows,
            sums,
            extremes: extremes.collect(),
            whole: (whole.min, whole.max),
            counts: in_whole,
        }
    }

    /// The groups of slices; none without a sample.
    const fn rows(&self) -> usize {
        match self.buckets.is_empty() {
            true => 0,
            false => self.rows,
        }
    }

    fn all(&self) -> [(usize, usize); 1] {
        [(0, self.rows())]
    }

    /// Samples of these slices in this column and those below.
    fn below(&self, of: &SliceBlocks, column: usize) -> u64 {
        let start = column * (self.rows + 1);
        let sums = &self.sums[start..=start + self.rows];
        of.iter().map(|&(from, to)| sums[to] - sums[from]).sum()
    }

    fn total(&self, of: &SliceBlocks) -> u64 {
        let last = self.buckets.len().checked_sub(1);
        last.map_or(0, |last| self.below(of, last))
    }

    /// First column at which at least `rank` samples are in it and below; `near` = one that is likely close to it.
    fn column(&self, of: &SliceBlocks, rank: f64, near: usize) -> usize {
        let last = self.buckets.len() - 1;
        let is_enough = |column: usize| self.below(of, column) as f64 >= rank;
        // Steps that double, away from `near`, until it lies between two columns.
        let (mut low, mut high, mut step) = (0, last, 1);
        let near = near.min(last);
        if is_enough(near) {
            high = near;
            while high > 0 {
                let column = high.saturating_sub(step);
                if !is_enough(column) {
                    low = column + 1;
                    break;
                }
                (high, step) = (column, 2 * step);
            }
        } else {
            low = (near + 1).min(last);
            while low < last {
                let column = (low + step).min(last);
                if is_enough(column) {
                    high = column;
                    break;
                }
                (low, step) = ((column + 1).min(last), 2 * step);
            }
        }
        while low < high {
            let middle = usize::midpoint(low, high);
            if is_enough(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// Samples of these slices in columns before this one, and in it.
    fn around(&self, of: &SliceBlocks, column: usize) -> (f64, f64) {
        let before = match column {
            0 => 0,
            _ => self.below(of, column - 1),
        };
        let count = self.below(of, column) - before;
        (before as f64, count as f64)
    }

    /// Below what this share (0 to 1) of the samples of these slices lies: a column, and which part of its samples.
    /// `near` = a column that is likely close to it.
    fn place(&self, of: &SliceBlocks, share: f64, near: usize) -> SharePlace {
        let rank = share.clamp(0.0, 1.0) * self.total(of) as f64;
        let column = self.column(of, rank, near);
        let (before, count) = self.around(of, column);
        SharePlace {
            column,
            inside: ((rank - before) / count.max(1.0)).clamp(0.0, 1.0),
        }
    }

    /// The value of a place, interpolated in its bucket.
    fn value(&self, place: SharePlace) -> f64 {
        let bucket = self.buckets[place.column];
        let (from, to) = (lower_bound(bucket) as f64, lower_bound(bucket + 1) as f64);
        from + (to - from) * place.inside
    }

    /// The column of this percentile of all samples, and which of the column's samples it is, from 1; `near` where there is
    /// none.
    fn own(&self, whole: &Latency, percent: f64, near: usize) -> (usize, u64) {
        let ranked = whole.histogram.ranked(percent);
        let found =
            ranked.and_then(|r| Some((self.buckets.binary_search(&r.bucket).ok()?, r.place)));
        found.unwrap_or((near, 1))
    }

    /// The least and the most that one of the samples of a column can be; `place` = which of them in rising order, from 1.
    ///
    /// A sample of a slice lies between the bounds of the bucket and between the extremes of that slice. So the sample at a
    /// place is not below the one at this place among the least values that all can have, and not above that among the most.
    /// Samples in no slice lie anywhere between the bounds.
    fn bounds(&self, column: usize, place: u64) -> (f64, f64) {
        let bucket = self.buckets[column];
        let between = |(least, most): (u64, u64)| {
            let (from, to) = (lower_bound(bucket), upper_bound(bucket));
            let (low, high) = (from.max(least), to.min(most));
            if low <= high { (low, high) } else { (from, to) }
        };
        let mut each = Vec::with_capacity(self.rows + 1);
        let mut rest = self.counts[column];
        for (row, extremes) in self.extremes.iter().enumerate() {
            let (_, count) = self.around(&[(row, row + 1)], column);
            let count = whole_number(count);
            rest = rest.saturating_sub(count);
            each.push((between(*extremes), count));
        }
        each.push((between(self.whole), rest));
        let mut at = |of: fn(&(u64, u64)) -> u64| {
            each.sort_by_key(|(bounds, _)| of(bounds));
            let mut seen = 0;
            let found = each.iter().find(|(_, count)| {
                seen += count;
                seen >= place
            });
            found
                .or(each.last())
                .map_or(0.0, |(bounds, _)| of(bounds) as f64)
        };
        (at(|bounds| bounds.0), at(|bounds| bounds.1))
    }

    /// The bounds of the sample at a place.
    fn bounds_at(&self, place: SharePlace) -> (f64, f64) {
        let count = self.counts[place.column];
        let rank = whole_number((place.inside * count as f64).ceil());
        self.bounds(place.column, rank.clamp(1, count.max(1)))
    }

    /// The lower end of an interval of a percentile that is in the column `own`.
    fn low_end(&self, place: SharePlace, own: usize) -> f64 {
        let (low, high) = self.bounds_at(place);
        match place.column == own {
            true => low,
            false => self.value(place).clamp(low, high + 1.0),
        }
    }

    /// The upper end, likewise.
    fn high_end(&self, place: SharePlace, own: usize) -> f64 {
        let (low, high) = self.bounds_at(place);
        match place.column == own {
            true => high,
            false => self.value(place).clamp(low, high + 1.0),
        }
    }
}

/// What the ranks of one percentile say.
struct ByRank {
    low: Option<SharePlace>,
    high: Option<SharePlace>,
    effective: f64,
    settled: bool,
    /// By slice: samples above the percentile, less their expected number, over the mean number of samples.
    above: Vec<f64>,
    /// The column that the percentile of all slices is in.
    column: usize,
}

fn by_rank(table: &SliceSums, percent: f64) -> Option<ByRank> {
    let (all, share) = (table.all(), (percent / 100.0).clamp(0.0, 1.0));
    let total = table.total(&all) as f64;
    let SharePlace { column, inside } = table.place(&all, share, table.buckets.len() / 2);
    let mean = total / table.rows() as f64;
    let above = |row| {
        let slice = [(row, row + 1)];
        let (before, count) = table.around(&slice, column);
        let samples = table.total(&slice) as f64;
        let above = samples - before - inside * count;
        (above - (1.0 - share) * samples) / mean
    };
    let above: Vec<f64> = (0..table.rows()).map(above).collect();
    let spread = spread(&above)?;
    let independent = share * (1.0 - share) / total;
    let variance = (spread.error * spread.error).max(independent);
    let effective = if variance > 0.0 {
        share * (1.0 - share) / variance
    } else {
        total
    };
    // In effective samples beyond the percentile: how many there may be.
    let expected = effective * (1.0 - share);
    let skew = (spread.times * spread.times - 1.0) / 6.0 * (2.0 * share - 1.0);
    let half = spread.times * (expected * share).sqrt();
    let (most, fewest) = (expected + skew + half, expected + skew - half);
    let at = |beyond: f64| table.place(&all, 1.0 - beyond / effective.max(1.0), column);
    Some(ByRank {
        low: (effective * share >= LEAST_BEYOND).then(|| at(most)),
        high: (expected >= LEAST_BEYOND).then(|| at(fewest.max(0.0))),
        effective,
        settled: spread.settled,
        above,
        column,
    })
}

/// Low and high of each percentile among resampled series.
fn drawn(
    table: &SliceSums,
    percents: &[f64],
    by_rank: &[ByRank],
    seed: u64,
) -> Vec<(SharePlace, SharePlace)> {
    let each = (0_u64..).zip(percents).zip(by_rank);
    let of = |((number, percent), ranked): ((u64, &f64), &ByRank)| {
        let mut source = SplitMix::new(derive(seed, Purpose::Resampling, number));
        let length = block_length(&ranked.above);
        let mut places: Vec<SharePlace> = (0..DRAWN)
            .map(|_| {
                let blocks = draw_blocks(&mut source, table.rows(), length);
                table.place(&blocks, percent / 100.0, ranked.column)
            })
            .collect();
        places.sort_by(SharePlace::order);
        // 2.5 % of them are on either side.
        let beyond = DRAWN / 40;
        (places[beyond], places[DRAWN - 1 - beyond])
    };
    each.map(of).collect()
}

/// Blocks of a circular series (the first value follows the last) that together are as long as it: each begins
/// anywhere, and each of its values is the last with the chance `1 / length`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "below the number of values, and not negative"
)]
pub(super) fn draw_blocks(
    source: &mut SplitMix,
    values: usize,
    length: f64,
) -> Vec<(usize, usize)> {
    let mut share = || source.unit();
    let log_of_on = (length > 1.0).then(|| (1.0 - 1.0 / length).ln());
    let (mut drawn, mut left) = (Vec::with_capacity(values + 1), values);
    while left > 0 {
        let from = ((share() * values as f64) as usize).min(values - 1);
        let more = log_of_on.map_or(0.0, |log| share().ln() / log);
        let count = (more as usize).saturating_add(1).min(left);
        left -= count;
        let end = from + count;
        drawn.push((from, end.min(values)));
        if end > values {
            drawn.push((0, end - values));
        }
    }
    drawn
}

/// The mean length of blocks for which the stationary bootstrap has the smallest error: Politis and White, "Automatic
/// block-length selection for the dependent bootstrap" (2004), corrected by Patton, Politis, White (2009). From 1 to a
/// third of the series.
pub(super) fn block_length(series: &[f64]) -> f64 {
    let n = series.len();
    let count = n as f64;
    let mean = series.iter().sum::<f64>() / count;
    let product = |lag: usize| {
        let pairs = series.iter().zip(&series[lag..]);
        pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / count
    };
    // Autocorrelations are nothing from the first lag on after which five in a row are small.
    const IN_A_ROW: usize = 5;
    let root = n.isqrt() + 1;
    let lags = (2 * (root + IN_A_ROW)).min(n.saturating_sub(1));
    let covariances: Vec<f64> = (0..=lags).map(product).collect();
    if covariances[0] <= 0.0 {
        return 1.0;
    }
    let small = 2.0 * (count.log10() / count).sqrt() * covariances[0];
    let quiet = |lag: &usize| {
        let next = covariances.iter().skip(lag + 1).take(IN_A_ROW);
        next.copied().all(|c| c.abs() < small)
    };
    let last = (1..root + IN_A_ROW).find(quiet).unwrap_or(root + IN_A_ROW);
    let window = (2 * last).min(lags);
    // The window is flat to its half and falls to zero at its end.
    let (mut moment, mut sum) = (0.0, covariances[0]);
    for (lag, covariance) in covariances.iter().enumerate().take(window + 1).skip(1) {
        let at = lag as f64 / window as f64;
        let weight = (2.0 * (1.0 - at)).min(1.0);
        moment += 2.0 * weight * lag as f64 * covariance;
        sum += 2.0 * weight * covariance;
    }
    if sum == 0.0 {
        return 1.0;
    }
    let best = (moment * moment / (sum * sum)).cbrt() * count.cbrt();
    let most = (3.0 * count.sqrt()).min(count / 3.0).max(1.0);
    best.clamp(1.0, most)
}

#[cfg(test)]
mod tests;
