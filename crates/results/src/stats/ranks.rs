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

/// Effective samples expected beyond a percentile from which on it has an upper end: with fewer, that there is none in
/// the samples happens in more than 2.5 % of cases (`exp(-3.689)`).
const LEAST_BEYOND: f64 = 3.689;

/// The 95 % interval of a percentile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranks {
    /// Which percentile, 0 to 100.
    pub percent: f64,
    /// Lower end, in the unit of the histogram.
    pub low: f64,
    /// Upper end; `None` = the samples are too few for one.
    pub high: Option<f64>,
    /// How many independent samples would place it as well, at most the number of samples.
    pub effective: f64,
    /// Whether the series was long enough for its dependence.
    pub settled: bool,
    /// The least and the most that the sample at this percentile can be, by its bucket and the extremes of the slices.
    pub within: (f64, f64),
}

/// The 95 % intervals of these percentiles (0 to 100) of all samples, `whole`, of which each slice of time has some in
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
        let low = ranked.low.least(low);
        let high = ranked.high.map(|h| h.most(high));
        Ranks {
            percent,
            low: table.low_end(low, own.0),
            high: high.map(|high| table.high_end(high, own.0)),
            effective: ranked.effective,
            settled: ranked.settled && are_spread,
            within: table.bounds(own.0, own.1),
        }
    });
    Some(all.collect())
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
    /// The same of all samples, and how many of them are in each column, also those that are in no slice.
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
    low: SharePlace,
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
        low: at(most),
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
    let mut share = || ((source.bits() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
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
mod tests {
    use super::*;
    use crate::stats::draws::Draws;

    fn whole(slices: &[Latency]) -> Latency {
        let mut whole = Latency::default();
        slices.iter().for_each(|s| whole.merge(s));
        whole
    }

    fn of(slices: &[Latency], percents: &[f64]) -> Option<Vec<Ranks>> {
        let parts: Vec<_> = slices.iter().map(|s| vec![s]).collect();
        ranks(&whole(slices), &parts, percents, 7)
    }

    /// Slices of exponential latencies of 1 ms on average: the number of slices, and of latencies in each.
    fn independent(slices: usize, each: usize) -> Vec<Latency> {
        let mut draws = Draws::new(1);
        let slice = |_| {
            let mut slice = Latency::default();
            (0..each).for_each(|_| slice.record(nanos(draws.exponential())));
            slice
        };
        (0..slices).map(slice).collect()
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive and far below 2^63"
    )]
    fn nanos(ms: f64) -> u64 {
        (ms * 1e6) as u64
    }

    #[test]
    fn eight_slices_have_intervals_and_seven_have_none() {
        assert!(of(&independent(8, 500), &[50.0]).is_some());
        assert!(of(&independent(7, 500), &[50.0]).is_none());
        assert!(of(&independent(8, 0), &[50.0]).is_none());
        // Nor have slices in which nothing was.
        let empty = Latency::default();
        let slices = vec![vec![&empty]; 8];
        assert!(ranks(&whole(&independent(1, 9)), &slices, &[50.0], 7).is_none());
        assert!(ranks(&empty, &[], &[50.0], 7).is_none());
        // Nor has one sample, nor have many in one slice.
        let mut one = vec![Latency::default(); 8];
        one[3].record(5);
        assert!(of(&one, &[50.0]).is_none());
        one[3].record_many(5, 1000);
        assert!(of(&one, &[50.0]).is_none());
        one.iter_mut().for_each(|slice| slice.record(5));
        assert!(of(&one, &[50.0]).is_some_and(|found| !found[0].settled));
    }

    #[test]
    fn independent_samples_count_in_full_and_order_statistics_give_the_interval() {
        let slices = independent(100, 500);
        let found = of(&slices, &[50.0, 99.0]).unwrap();
        for ranks in &found {
            assert!(ranks.settled);
            assert!(
                (25_000.0..=50_000.0).contains(&ranks.effective),
                "{ranks:?}"
            );
        }
        // p99 of 50,000: ranks 49,456 to 49,544; tails of 544 and 456.
        let at = |beyond: f64| 1e6 * (50_000.0 / beyond).ln();
        let (low, high) = (found[1].low, found[1].high.unwrap());
        assert!((low / at(544.0) - 1.0).abs() < 0.02, "{low}");
        assert!((high / at(456.0) - 1.0).abs() < 0.02, "{high}");
        assert!(low < 1e6 * 100_f64.ln() && 1e6 * 100_f64.ln() < high);
    }

    #[test]
    fn the_same_seed_gives_the_same_and_few_slices_give_none() {
        let slices = independent(64, 100);
        assert_eq!(of(&slices, &[99.0]), of(&slices, &[99.0]));
        assert_eq!(of(&slices[..7], &[99.0]), None);
        assert_eq!(of(&vec![Latency::default(); 64], &[99.0]), None);
        // Without an upper end: a tenth of a sample is beyond.
        assert_eq!(of(&slices, &[99.999]).unwrap()[0].high, None);
    }

    /// All samples of a slice are alike: they count as one.
    #[test]
    fn samples_that_depend_on_each_other_count_as_fewer() {
        let mut draws = Draws::new(5);
        let slices: Vec<Latency> = (0..300)
            .map(|_| {
                let mut slice = Latency::default();
                slice.record_many(nanos(draws.exponential()), 100);
                slice
            })
            .collect();
        let found = of(&slices, &[50.0, 90.0]).unwrap();
        for ranks in &found {
            assert!((150.0..=600.0).contains(&ranks.effective), "{ranks:?}");
        }
        let half = &found[0];
        assert!(half.low < 0.66e6 && half.high.unwrap() > 0.72e6, "{half:?}");
    }

    #[test]
    fn a_long_series_is_the_same_in_coarser_slices() {
        let slices = independent(1000, 20);
        let found = &of(&slices, &[90.0]).unwrap()[0];
        assert!(
            (10_000.0..=20_000.0).contains(&found.effective),
            "{found:?}"
        );
        let parts: Vec<_> = slices.iter().map(|s| vec![s]).collect();
        let table = SliceSums::of(&whole(&slices), &parts);
        assert_eq!((table.rows(), table.total(&table.all())), (250, 20_000));
    }

    #[test]
    fn blocks_are_as_long_as_the_dependence() {
        let mean = |r: f64| {
            let lengths = (0..40).map(|seed| block_length(&Draws::new(seed).wander(r, 600)));
            lengths.sum::<f64>() / 40.0
        };
        // The optimum of the paper for AR(1): (2 r / (1 - r^2))^(2/3) n^(1/3).
        let best = |r: f64| (2.0 * r / (1.0 - r * r)).powf(2.0 / 3.0) * 600_f64.cbrt();
        for r in [0.5, 0.8] {
            let (found, best) = (mean(r), best(r));
            assert!(
                (found / best - 1.0).abs() < 0.25,
                "{r}: {found}, not {best}"
            );
        }
        assert!(mean(0.0) < 3.0, "{}", mean(0.0));
        assert!((block_length(&[2.0; 64]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn drawn_blocks_have_the_mean_length_requested_and_fill_the_series() {
        let mut source = SplitMix::new(3);
        let (mut blocks, mut values) = (0, 0);
        for _ in 0..200 {
            let drawn = draw_blocks(&mut source, 100, 5.0);
            assert!(drawn.iter().all(|&(from, to)| from < to && to <= 100));
            let length: usize = drawn.iter().map(|(from, to)| to - from).sum();
            assert_eq!(length, 100);
            // One that begins again at the front is one block.
            blocks += drawn.iter().filter(|s| s.0 > 0).count();
            values += length;
        }
        let mean = values as f64 / blocks as f64;
        assert!((4.5..5.5).contains(&mean), "{mean}");
    }

    /// Buckets of one value each, all with as many samples in each slice: no slice shows anything, so samples count in
    /// full, and a value lies as far up as its rank. By hand for the 99th and the 1st percentile of 25,600: 256 samples
    /// beyond; with t = 1.9842 of 99 degrees of freedom a skewness of (t^2 - 1) / 6 x 0.98 = 0.480 and a half of t
    /// sqrt(256 x 0.99) = 31.59, so that 224.9 to 288.1 may be beyond.
    #[test]
    fn order_statistics_of_a_skewed_share_are_those_of_cornish_and_fisher() {
        let slices: Vec<Latency> = (0..100)
            .map(|_| {
                let mut slice = Latency::default();
                slice.record_all(0..256);
                slice
            })
            .collect();
        let parts: Vec<_> = slices.iter().map(|s| vec![s]).collect();
        let table = SliceSums::of(&whole(&slices), &parts);
        let found = [99.0, 1.0, 50.0].map(|percent| by_rank(&table, percent).unwrap());
        let all = found.iter().map(|ranked| ranked.effective);
        assert!(all.into_iter().all(|of| (of - 25_600.0).abs() < 1e-6));
        let (skew, half) = (0.4796, 31.588);
        let ends = |ranked: &ByRank| (table.value(ranked.low), table.value(ranked.high.unwrap()));
        let near = |(low, high): (f64, f64), truth: (f64, f64)| {
            let off = (low - truth.0 / 100.0)
                .abs()
                .max((high - truth.1 / 100.0).abs());
            assert!(off < 1e-3, "{low} to {high}, not {truth:?}");
        };
        // A hundred samples in each value: value times 100 is the rank.
        let expected = 25_600.0 - 256.0;
        near(
            ends(&found[0]),
            (expected - skew - half, expected - skew + half),
        );
        // The other way round at the other end.
        near(ends(&found[1]), (256.0 + skew - half, 256.0 + skew + half));
        // In the middle nothing is skewed: 12,800 -+ 1.9842 x 80.
        near(ends(&found[2]), (12_800.0 - 158.74, 12_800.0 + 158.74));
    }

    #[test]
    fn a_search_finds_the_same_column_from_wherever_it_starts() {
        let slices = independent(40, 30);
        let parts: Vec<_> = slices.iter().map(|s| vec![s]).collect();
        let table = SliceSums::of(&whole(&slices), &parts);
        let of = [(3, 17), (20, 40), (0, 2)];
        let total = table.total(&of) as f64;
        for share in [0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0] {
            let rank = share * total;
            let columns = 0..table.buckets.len();
            let is_enough = |column: &usize| table.below(&of, *column) as f64 >= rank;
            let first = columns.clone().find(is_enough).unwrap();
            for near in columns.chain([usize::MAX]) {
                assert_eq!(table.column(&of, rank, near), first, "{share} {near}");
            }
        }
    }

    /// By hand: the first column holds 10 of 40, the second 30.
    #[test]
    fn a_share_of_the_samples_has_its_place_and_its_value() {
        let mut slice = Latency::default();
        slice.record_many(20, 10);
        slice.record_many(30, 30);
        let parts = vec![vec![&slice]];
        let table = SliceSums::of(&slice, &parts);
        let all = table.all();
        for (share, value) in [
            (0.0, 20.0),
            (0.125, 20.5),
            (0.25, 21.0),
            (0.625, 30.5),
            (1.0, 31.0),
        ] {
            let found = table.value(table.place(&all, share, 0));
            assert!((found - value).abs() < 1e-12, "{share}: {found}");
        }
        assert_eq!(table.around(&all, 0), (0.0, 10.0));
        assert_eq!(table.around(&all, 1), (10.0, 30.0));
    }

    /// With one value in each, slices of a series that turns every five have covariances that are known.
    #[test]
    fn blocks_of_a_series_do_not_depend_on_its_unit_or_its_level() {
        let series = Draws::new(9).wander(0.7, 300);
        let moved: Vec<f64> = series.iter().map(|x| 1e3 - 20.0 * x).collect();
        let (a, b) = (block_length(&series), block_length(&moved));
        assert!((a / b - 1.0).abs() < 1e-6, "{a} {b}");
        // Never more than a third of a short one.
        let trend: Vec<f64> = (0..30).map(f64::from).collect();
        assert!((1.0..=10.0).contains(&block_length(&trend)));
    }

    /// Each of six values once: half of its bucket is below it.
    #[test]
    fn every_sample_has_the_place_of_its_rank() {
        for count in 1..=6_u32 {
            let mut slice = Latency::default();
            (0..count).for_each(|k| slice.record(u64::from(10 * k)));
            let parts = vec![vec![&slice]];
            let table = SliceSums::of(&slice, &parts);
            for k in 0..count {
                let share = (f64::from(k) + 0.5) / f64::from(count);
                let found = table.value(table.place(&table.all(), share, 1));
                assert!((found - f64::from(10 * k) - 0.5).abs() < 1e-9, "{found}");
            }
        }
    }

    /// By hand, at the 75th percentile: of 32 samples the last half are at 20 ns, and 24 lie below the middle of them.
    /// Slices have 3 and 1 or 1 and 3 at both places, so half a sample or one and a half beyond, where one is expected
    /// of 4.
    #[test]
    fn what_a_slice_has_above_a_percentile_counts_by_its_expected_number() {
        let slices: Vec<Latency> = (0..8)
            .map(|number| {
                let low = if number % 2 == 0 { 3 } else { 1 };
                let mut slice = Latency::default();
                slice.record_many(10, low);
                slice.record_many(20, 4 - low);
                slice
            })
            .collect();
        let parts: Vec<_> = slices.iter().map(|s| vec![s]).collect();
        let table = SliceSums::of(&whole(&slices), &parts);
        let found = by_rank(&table, 75.0).unwrap();
        for (number, above) in found.above.iter().enumerate() {
            let truth = if number % 2 == 0 { -0.125 } else { 0.125 };
            assert!((above - truth).abs() < 1e-12, "{:?}", found.above);
        }
        assert!((found.effective - 32.0).abs() < 1e-9);
    }

    /// By hand: two blocks of 1, 1, 1 and 0.1, the second below 0, far apart in a hundred values. Products at distances of
    /// 0 to 4 are 3.01, 2.1, 1.1, 0.1 and 0 for each; 0.1 is small, so that two distances count in full and the third in
    /// half.
    #[test]
    fn blocks_follow_from_the_distances_at_which_values_depend_on_each_other() {
        let mut series = vec![0.0; 100];
        for (place, value) in [1.0, 1.0, 1.0, 0.1].into_iter().enumerate() {
            series[place] = value;
            series[50 + place] = -value;
        }
        let sum: f64 = 3.01 + 2.0 * (2.1 + 1.1 + 0.1 / 2.0);
        let moment = 2.0 * (2.1 + 2.0 * 1.1 + 3.0 * 0.1 / 2.0);
        let truth = (moment / sum).powf(2.0 / 3.0) * 100_f64.cbrt();
        let found = block_length(&series);
        assert!((found - truth).abs() < 1e-9, "{found}, not {truth}");
    }

    #[test]
    fn more_than_320_slices_are_put_together() {
        for (slices, rows) in [(320, 320), (321, 161), (640, 320), (641, 214)] {
            let slices = independent(slices, 1);
            let parts: Vec<_> = slices.iter().map(|s| vec![s]).collect();
            assert_eq!(SliceSums::of(&whole(&slices), &parts).rows(), rows);
        }
    }

    /// 2.5 % of 300 are seven and a half.
    #[test]
    fn an_interval_ends_at_the_eighth_of_300_drawn_series_from_either_end() {
        let slices = independent(60, 200);
        let parts: Vec<_> = slices.iter().map(|s| vec![s]).collect();
        let table = SliceSums::of(&whole(&slices), &parts);
        let ranked = by_rank(&table, 90.0).unwrap();
        let length = block_length(&ranked.above);
        let (low, high) = drawn(&table, &[90.0], &[ranked], 7)[0];
        let mut source = SplitMix::new(derive(7, Purpose::Resampling, 0));
        let all = (0..300).map(|_| table.place(&draw_blocks(&mut source, 60, length), 0.9, 0));
        let mut sorted: Vec<SharePlace> = all.collect();
        sorted.sort_by(SharePlace::order);
        assert_eq!((low, high), (sorted[7], sorted[292]));
    }

    /// The largest and the least sample have no share of samples beyond them.
    #[test]
    fn at_either_end_all_samples_count() {
        let slices = independent(64, 100);
        for ranks in of(&slices, &[0.0, 100.0]).unwrap() {
            assert!((ranks.effective - 6400.0).abs() < 1e-9, "{ranks:?}");
        }
    }

    /// Of length 1, a block is one value: each of ten is drawn 2,000 times, give or take five standard deviations of 42.
    #[test]
    fn every_value_is_as_likely_the_first_of_a_block() {
        let mut source = SplitMix::new(8);
        let mut begun = [0_usize; 10];
        for _ in 0..2000 {
            let drawn = draw_blocks(&mut source, 10, 1.0);
            assert!(drawn.len() == 10 && drawn.iter().all(|(from, to)| to - from == 1));
            drawn.iter().for_each(|(from, _)| begun[*from] += 1);
        }
        assert!(begun.iter().all(|n| (1790..=2210).contains(n)), "{begun:?}");
    }

    /// Covariances that are never small: of a straight line, and of squares of eight values. By a program of its own in
    /// Python, from the steps of the paper with windows of twice `isqrt(n) + 6`.
    #[test]
    fn blocks_of_what_depends_on_itself_throughout_are_those_of_the_paper() {
        let line = |n: u32| (0..n).map(f64::from).collect::<Vec<f64>>();
        let turns = |n: u32, half: u32| -> Vec<f64> {
            let side = |k: u32| {
                if (k / half).is_multiple_of(2) {
                    1.0
                } else {
                    -1.0
                }
            };
            (0..n).map(side).collect()
        };
        for (series, length) in [
            (line(64), 14.800_758_046),
            (line(100), 21.254_281_552),
            (line(400), 52.212_453_806),
            (turns(144, 4), 18.906_342_356),
            (turns(400, 4), 47.737_183_151),
            // A third of a short series, and of a long one three times its root.
            (turns(30, 1), 10.0),
            (turns(100, 1), 30.0),
        ] {
            let found = block_length(&series);
            assert!((found - length).abs() < 1e-6, "{found}, not {length}");
        }
    }

    /// 800,000 ns lie in the upper half of a bucket of 4,096 ns.
    #[test]
    fn a_fixed_latency_is_known_to_the_nanosecond_and_others_to_their_bucket() {
        let fixed = |each: &dyn Fn(u64, &mut Latency)| -> Vec<Latency> {
            let slice = |number| {
                let mut slice = Latency::default();
                slice.record_many(800_000, 1000);
                each(number, &mut slice);
                slice
            };
            (0..64).map(slice).collect()
        };
        let ends = |found: &Ranks| (found.low, found.high.unwrap());
        // Also beside a ramp in the first slice and a stall in one.
        for slices in [
            fixed(&|_, _| ()),
            fixed(&|number, slice| match number {
                0 => slice.record_many(200_000, 8),
                40 => slice.record_many(3_000_000_000, 32),
                _ => (),
            }),
        ] {
            let found = &of(&slices, &[50.0]).unwrap()[0];
            assert_eq!(ends(found), (800_000.0, 800_000.0));
            assert_eq!(found.within, (800_000.0, 800_000.0));
        }
        // Where each slice has shorter and longer ones, the bucket is all that is known.
        let among = fixed(&|_, slice| {
            slice.record_many(200_000, 100);
            slice.record_many(1_600_000, 100);
        });
        let found = &of(&among, &[50.0]).unwrap()[0];
        let bucket = leadline_model::histogram::index_of(800_000);
        let bounds = (lower_bound(bucket) as f64, upper_bound(bucket) as f64);
        assert_eq!((ends(found), found.within), (bounds, bounds));
    }

    /// By hand: 3 samples at 800,000 ns in one slice, 2 anywhere in the bucket in another, and one in none.
    #[test]
    fn a_sample_lies_between_the_least_and_the_most_that_all_can_be() {
        let mut exact = Latency::default();
        exact.record_many(800_000, 3);
        let mut wide = Latency::default();
        wide.record_many(800_100, 2);
        (wide.min, wide.max) = (5, 900_000);
        let mut whole = exact.clone();
        whole.merge(&wide);
        whole.record(800_000);
        let table = SliceSums::of(&whole, &[vec![&exact], vec![&wide]]);
        let bucket = leadline_model::histogram::index_of(800_000);
        let (from, to) = (lower_bound(bucket) as f64, upper_bound(bucket) as f64);
        for (place, bounds) in [
            (1, (from, 800_000.0)),
            (3, (from, 800_000.0)),
            (4, (800_000.0, to)),
            (6, (800_000.0, to)),
        ] {
            assert_eq!(table.bounds(0, place), bounds, "{place}");
        }
    }
}
