//! The one histogram law of leadline: log-linear, 128 buckets an octave.
//!
//! Values below 256 ns have a bucket each; above, each power of two is cut into 128 equal buckets,
//! so a bucket is never wider than 1/128 of its lower bound (error <= 0.79 %). The range ends at
//! 2^42 ns (73 minutes); longer values are kept in the last bucket, and their exact sum and maximum
//! in [`crate::latency::Latency`]. The bounds equal those of an `HdrHistogram` with two significant
//! digits, and fio's 64-an-octave bins are exact unions of them (tests below hold both).
//!
//! The bucket arithmetic is ours and not a library's because the measuring loop adds to flat arrays
//! without a branch for errors; everything at the edge (HDR V2 files) uses the `hdrhistogram` crate.

use crate::varint::{put_varint, take_varint};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::iter::Peekable;

/// log2 of the buckets in an octave.
const GROUP_BITS: u32 = 7;
/// log2 of the first value beyond the range.
const MAX_BITS: u32 = 42;
/// Number of buckets: 256 exact ones, then 128 for each octave up to 2^42.
pub const BUCKETS: usize =
    (1 << (GROUP_BITS + 1)) + ((MAX_BITS - GROUP_BITS - 1) << GROUP_BITS) as usize;

/// Buckets that are looked at together: a whole stretch of empty ones is one comparison of memory.
const STRETCH: usize = 64;
/// An empty stretch.
const EMPTY: [u64; STRETCH] = [0; STRETCH];

/// Bucket of `value`; values of 2^42 and more share the last one.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "below 256 after the shift")]
pub const fn index_of(value: u64) -> usize {
    let v = if value >= 1 << MAX_BITS {
        (1 << MAX_BITS) - 1
    } else {
        value
    };
    // The octave, counted from the last one in which each value has its own bucket.
    let shift = (63 - (v | (1 << GROUP_BITS)).leading_zeros()) - GROUP_BITS;
    ((shift << GROUP_BITS) as usize) + (v >> shift) as usize
}

/// Smallest value of bucket `index`.
#[must_use]
pub const fn lower_bound(index: usize) -> u64 {
    let linear = 1 << (GROUP_BITS + 1);
    if index < linear {
        return index as u64;
    }
    let shift = (index >> GROUP_BITS) - 1;
    let mantissa = (index & ((1 << GROUP_BITS) - 1)) | (1 << GROUP_BITS);
    (mantissa as u64) << shift
}

/// Largest value of bucket `index`.
#[must_use]
pub const fn upper_bound(index: usize) -> u64 {
    lower_bound(index + 1) - 1
}

/// Counts per bucket: an array of all buckets (36 KiB) while it is recorded into, or only the buckets
/// that are not empty once it is [packed](Histogram::pack) (two to three bytes each, mostly). Both behave
/// alike.
#[derive(Clone)]
pub struct Histogram {
    /// All buckets; empty = packed.
    counts: Box<[u64]>,
    /// When packed: (distance to the bucket before, count) as variable-length integers, no count zero.
    packed: Box<[u8]>,
    total: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for Histogram {
    /// Equal counts are equal, packed or not.
    fn eq(&self, other: &Self) -> bool {
        self.total == other.total && self.nonzero().eq(other.nonzero())
    }
}

impl Eq for Histogram {}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Histogram")
            .field("total", &self.total)
            .finish_non_exhaustive()
    }
}

impl Histogram {
    /// An empty histogram with memory for all buckets: recording never allocates.
    #[must_use]
    pub fn new() -> Self {
        Self {
            counts: vec![0; BUCKETS].into_boxed_slice(),
            packed: Box::default(),
            total: 0,
        }
    }

    /// An empty one without memory for buckets: to be put in place of what is not there.
    #[must_use]
    pub(crate) fn none() -> Self {
        Self {
            counts: Box::default(),
            packed: Box::default(),
            total: 0,
        }
    }

    /// One of these buckets, packed: (index, count) in rising order, none of them empty. `None` where they are
    /// not, or their sum does not fit.
    #[must_use]
    pub fn of_buckets(filled: &[(usize, u64)]) -> Option<Self> {
        let rising = filled.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let known = filled.last().is_none_or(|last| last.0 < BUCKETS);
        let mut total = 0_u64;
        for &(_, count) in filled {
            total = total.checked_add(count).filter(|_| count > 0)?;
        }
        (rising && known).then(|| Self {
            counts: Box::default(),
            packed: packed(filled.iter().copied()),
            total,
        })
    }

    /// Gives back the memory of empty buckets. For histograms that are kept, not recorded into; the next
    /// change unpacks it.
    pub fn pack(&mut self) {
        if self.counts.is_empty() {
            return;
        }
        self.packed = packed(self.nonzero());
        self.counts = Box::default();
    }

    /// Bytes it holds beside itself.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&*self.counts) + self.packed.len()
    }

    /// The array of all buckets, made when it was packed away.
    #[inline]
    fn dense(&mut self) -> &mut [u64] {
        self.unpack();
        &mut self.counts
    }

    /// Gives all buckets memory: for one that many others are merged into. Two that are packed are put together bucket by
    /// bucket of both, and one with memory for all takes only those of the other.
    #[inline]
    pub fn unpack(&mut self) {
        if self.counts.is_empty() {
            self.take_memory();
        }
    }

    #[cold]
    fn take_memory(&mut self) {
        let packed = std::mem::take(&mut self.packed);
        self.counts = vec![0; BUCKETS].into_boxed_slice();
        for (index, count) in Packed::new(&packed) {
            self.counts[index] = count;
        }
    }

    /// Adds one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.record_many(value, 1);
    }

    /// Adds `count` equal values.
    #[inline]
    pub fn record_many(&mut self, value: u64, count: u64) {
        let index = index_of(value);
        match self.counts.get_mut(index) {
            Some(slot) => *slot += count,
            None => self.record_packed(index, count),
        }
        self.total += count;
    }

    /// Adds each of `values`.
    #[inline]
    pub fn record_all(&mut self, values: impl Iterator<Item = u64>) {
        // A length that is known when it is compiled.
        let Ok(counts) = <&mut [u64; BUCKETS]>::try_from(self.dense()) else {
            return;
        };
        let mut added = 0;
        for value in values {
            counts[index_of(value)] += 1;
            added += 1;
        }
        self.total += added;
    }

    #[cold]
    fn record_packed(&mut self, index: usize, count: u64) {
        self.dense()[index] += count;
    }

    /// Adds `count` values that fall into bucket `index`; buckets that do not exist are ignored.
    pub fn add_bucket(&mut self, index: usize, count: u64) {
        if let Some(slot) = self.dense().get_mut(index) {
            *slot += count;
            self.total += count;
        }
    }

    /// How many values were recorded.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Adds all of `other`: exact, associative, commutative. The only merge there is.
    pub fn merge(&mut self, other: &Self) {
        if self.total == 0 && other.counts.is_empty() {
            // What begins with one that is kept is kept too: nothing is recorded into it.
            *self = other.clone();
            return;
        }
        if self.counts.is_empty() && other.counts.is_empty() {
            // Two that are kept stay small: with a thousand hosts there are many.
            self.packed = packed(Both {
                a: self.nonzero().peekable(),
                b: other.nonzero().peekable(),
            });
            self.total += other.total;
            return;
        }
        let mine = self.dense();
        if other.counts.is_empty() {
            for (index, count) in other.nonzero() {
                mine[index] += count;
            }
        } else {
            for (at, theirs) in stretches(&other.counts) {
                for (mine, theirs) in mine[at..].iter_mut().zip(theirs) {
                    *mine += theirs;
                }
            }
        }
        self.total += other.total;
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.counts.fill(0);
        self.packed = Box::default();
        self.total = 0;
    }

    /// The buckets that are not empty, in rising order: (index, count).
    pub fn nonzero(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let packed = Packed::new(&self.packed);
        let dense =
            stretches(&self.counts).flat_map(|(at, counts)| (at..).zip(counts.iter().copied()));
        packed.chain(dense.filter(|&(_, count)| count > 0))
    }

    /// Where the value at `percent` (0 to 100) by nearest rank lies; `None` when empty.
    #[must_use]
    pub fn ranked(&self, percent: f64) -> Option<Ranked> {
        if self.total == 0 {
            return None;
        }
        let rank = rank_of(percent, self.total);
        let mut seen = 0;
        self.nonzero().find_map(|(bucket, count)| {
            let place = rank - seen;
            seen += count;
            (seen >= rank).then_some(Ranked {
                bucket,
                place,
                count,
            })
        })
    }

    /// How many values lie in buckets entirely above `value`.
    #[must_use]
    pub fn count_above(&self, value: u64) -> u64 {
        let last = index_of(value);
        let above = self.nonzero().filter(|&(index, _)| index > last);
        above.map(|(_, count)| count).sum()
    }

    /// Counts in fio's bins (29 groups of 64; `fio` stat.c bucket arithmetic), lossless: each bucket of
    /// ours is within one of fio's. Values of 2^34 ns and more stay in fio's last bin, as there.
    #[must_use]
    pub fn to_fio_bins(&self) -> Vec<u64> {
        let mut bins = vec![0; 29 * 64];
        for (index, count) in self.nonzero() {
            bins[fio_bin(lower_bound(index))] += count;
        }
        bins
    }
}

/// The place of one sample of a histogram by its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// The bucket it is in.
    pub bucket: usize,
    /// Which of the bucket's samples in rising order, 1 to `count`.
    pub place: u64,
    /// How many samples the bucket has, at least 1.
    pub count: u64,
}

impl Ranked {
    /// Its value by interpolation: the bucket's samples are taken to lie evenly between the bucket's bounds, each in
    /// the middle of its share, so that no side is favoured. `least` and `most`, the exact extremes of all samples,
    /// make the first and the last bucket narrower.
    #[must_use]
    pub fn value(&self, least: u64, most: u64) -> u64 {
        let low = lower_bound(self.bucket).max(least);
        let high = upper_bound(self.bucket).min(most);
        let values = u128::from(high.saturating_sub(low)) + 1;
        let (place, count) = (u128::from(self.place), u128::from(self.count));
        let above = (2 * place).saturating_sub(1) * values / (2 * count).max(1);
        low + u64::try_from(above).unwrap_or(0)
    }

    /// What fio prints for it: the middle of fio's bin. `None` where fio has no bin: from 2^34 ns on.
    #[must_use]
    pub fn fio_value(&self) -> Option<u64> {
        let low = lower_bound(self.bucket);
        (low < 1 << 34).then(|| fio_bin_value(fio_bin(low)))
    }
}

/// The stretches of an array of buckets in which a value was counted, each with the index of its first bucket.
fn stretches(counts: &[u64]) -> impl Iterator<Item = (usize, &[u64])> {
    let all = (0..).step_by(STRETCH).zip(counts.chunks(STRETCH));
    all.filter(|(_, counts)| **counts != EMPTY[..counts.len()])
}

/// The bytes of filled buckets that come in rising order.
fn packed(filled: impl Iterator<Item = (usize, u64)>) -> Box<[u8]> {
    let mut bytes = Vec::new();
    let mut last = 0;
    for (index, count) in filled {
        put_varint(&mut bytes, (index - last) as u64);
        put_varint(&mut bytes, count);
        last = index;
    }
    bytes.into_boxed_slice()
}

/// The buckets in the bytes of [`packed`].
struct Packed<'a> {
    bytes: &'a [u8],
    index: usize,
}

impl<'a> Packed<'a> {
    const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, index: 0 }
    }
}

impl Iterator for Packed<'_> {
    type Item = (usize, u64);

    fn next(&mut self) -> Option<Self::Item> {
        // The bytes are our own: they end between two buckets.
        let step = take_varint(&mut self.bytes).ok()?;
        let count = take_varint(&mut self.bytes).ok()?;
        self.index += usize::try_from(step).ok()?;
        Some((self.index, count))
    }
}

/// Two rising rows of buckets as one.
struct Both<A: Iterator, B: Iterator> {
    a: Peekable<A>,
    b: Peekable<B>,
}

impl<A, B> Iterator for Both<A, B>
where
    A: Iterator<Item = (usize, u64)>,
    B: Iterator<Item = (usize, u64)>,
{
    type Item = (usize, u64);

    fn next(&mut self) -> Option<Self::Item> {
        match (self.a.peek().copied(), self.b.peek().copied()) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                self.a.next();
                self.b.next();
                Some((a.0, a.1 + b.1))
            }
            (Some(a), Some(b)) if b.0 < a.0 => self.b.next(),
            (None, _) => self.b.next(),
            _ => self.a.next(),
        }
    }
}

/// Nearest rank (1-based) of `percent` among `total` values.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 1..=total; a rank beyond 2^53 samples is exact to a part in 10^15"
)]
pub(crate) fn rank_of(percent: f64, total: u64) -> u64 {
    // A hair is taken off first so that 99.9 % of 1000 is rank 999 and not, by rounding, 1000.
    let exact = percent / 100.0 * total as f64;
    ((exact - exact * 1e-12).ceil() as u64).clamp(1, total)
}

/// fio's bin of a value.
#[must_use]
pub fn fio_bin(value: u64) -> usize {
    let msb = 63 - (value | 1).leading_zeros();
    if msb <= 6 {
        return usize::try_from(value).unwrap_or(0);
    }
    let shift = msb - 6;
    let base = ((shift + 1) << 6) as usize;
    let offset = usize::try_from((value >> shift) & 63).unwrap_or(0);
    (base + offset).min(29 * 64 - 1)
}

/// The value fio prints for a bin: its middle.
#[must_use]
pub fn fio_bin_value(bin: usize) -> u64 {
    if bin < 128 {
        return bin as u64;
    }
    let shift = (bin >> 6) - 1;
    let base = 1_u64 << (shift + 6);
    base + (((bin & 63) as u64) << shift) + (1 << (shift - 1))
}

impl Serialize for Histogram {
    /// As pairs of bucket index and count, empty buckets left out.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // With its length ahead: byte forms without an end mark need it.
        let mut sequence = serializer.serialize_seq(Some(self.nonzero().count()))?;
        for bucket in self.nonzero() {
            sequence.serialize_element(&bucket)?;
        }
        sequence.end()
    }
}

impl<'de> Deserialize<'de> for Histogram {
    /// Packed, so that what is read takes no more memory than what was written says; buckets that do not
    /// exist, are empty or out of order are an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wrong = <D::Error as serde::de::Error>::custom;
        let filled = Vec::<(u32, u64)>::deserialize(deserializer)?;
        let filled: Vec<_> = filled.into_iter().map(|(i, n)| (i as usize, n)).collect();
        Self::of_buckets(&filled)
            .ok_or_else(|| wrong("buckets are out of order, empty, too large, or do not exist"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_that_is_put_together_of_packed_ones_takes_no_more_than_they_do() {
        let mut one = Histogram::new();
        one.record(5_000);
        one.pack();
        let mut sum = Histogram::default();
        sum.merge(&one);
        sum.merge(&one);
        assert!(
            sum.counts.is_empty(),
            "no array of all buckets is made for it"
        );
        assert_eq!((sum.total(), sum.nonzero().count()), (2, 1));
        sum.record(5_000);
        assert_eq!(sum.total(), 3);
    }

    /// At the ends of stretches, in the last of which the last bucket is.
    #[test]
    fn buckets_are_found_and_merged_wherever_they_are_in_a_stretch() {
        let mut sum = Histogram::new();
        let places = [0, STRETCH - 1, STRETCH, 5 * STRETCH + 7, BUCKETS - 1];
        for (count, index) in (1..).zip(places) {
            let mut one = Histogram::new();
            one.add_bucket(index, count);
            assert_eq!(one.nonzero().collect::<Vec<_>>(), [(index, count)]);
            sum.merge(&one);
        }
        let all: Vec<_> = places.into_iter().zip(1..).collect();
        assert_eq!(sum.nonzero().collect::<Vec<_>>(), all);
        sum.pack();
        assert_eq!(sum.nonzero().collect::<Vec<_>>(), all);
        assert_eq!(BUCKETS % STRETCH, 0, "none is cut off");
    }

    #[test]
    fn there_are_as_many_buckets_as_the_law_says() {
        assert_eq!(BUCKETS, 4608);
        assert_eq!(index_of((1 << MAX_BITS) - 1), BUCKETS - 1);
        for beyond in [1 << MAX_BITS, (1 << MAX_BITS) + 1, u64::MAX] {
            assert_eq!(index_of(beyond), BUCKETS - 1);
        }
        assert_eq!(Histogram::new().to_fio_bins().len(), 29 * 64);
    }

    #[test]
    fn bounds_and_index_agree_over_every_bucket() {
        for index in 0..BUCKETS {
            assert_eq!(index_of(lower_bound(index)), index);
            assert_eq!(index_of(upper_bound(index)), index);
            let width = upper_bound(index) - lower_bound(index);
            assert!(width as f64 <= lower_bound(index) as f64 / 128.0);
        }
    }

    #[test]
    fn every_bucket_lies_within_one_fio_bin() {
        for index in 0..BUCKETS {
            assert_eq!(
                fio_bin(lower_bound(index)),
                fio_bin(upper_bound(index)),
                "bucket {index}"
            );
        }
        assert_eq!(fio_bin(63), 63);
        assert_eq!(fio_bin(128), 128);
        assert_eq!(fio_bin_value(fio_bin(17_000)), 17_024);
    }

    /// By hand: below 128 each value has a bin; 17,000 is in that from 16,896 to 17,151, the fourth of its group.
    #[test]
    fn fio_s_bins_hold_as_much_as_ours() {
        let mut h = Histogram::new();
        for (value, times) in [
            (0, 2),
            (63, 3),
            (128, 5),
            (129, 7),
            (17_000, 11),
            (1 << 41, 13),
        ] {
            h.record_many(value, times);
        }
        let bins = h.to_fio_bins();
        let filled: Vec<_> = (0..bins.len())
            .filter(|&bin| bins[bin] > 0)
            .map(|bin| (bin, bins[bin]))
            .collect();
        let last = 29 * 64 - 1;
        assert_eq!(filled, [(0, 2), (63, 3), (128, 12), (578, 11), (last, 13)]);
    }

    #[test]
    fn a_histogram_holds_eight_bytes_a_bucket_or_when_packed_a_few_in_all() {
        let mut h = Histogram::new();
        h.record(5_000);
        assert_eq!(h.heap_bytes(), 8 * 4608);
        h.pack();
        // Two bytes for the place of the bucket, one for its count.
        assert_eq!(h.heap_bytes(), 3);
        assert_eq!(Histogram::none().heap_bytes(), 0);
    }

    #[test]
    fn what_is_added_to_a_bucket_is_in_it_and_what_has_none_is_nowhere() {
        let mut h = Histogram::new();
        h.add_bucket(300, 4);
        h.add_bucket(BUCKETS - 1, 1);
        h.add_bucket(BUCKETS, 7);
        h.add_bucket(300, 2);
        let filled: Vec<_> = h.nonzero().collect();
        assert_eq!(filled, [(300, 6), (BUCKETS - 1, 1)]);
        assert_eq!(h.total(), 7);
    }

    #[test]
    fn percentiles_are_nearest_rank() {
        let mut h = Histogram::new();
        (1..=1000).for_each(|v| h.record(v));
        let at = |percent| h.ranked(percent).map(|r| (r.bucket, r.place, r.count));
        assert_eq!(at(0.1), Some((index_of(1), 1, 1)));
        assert_eq!(at(10.0), Some((index_of(100), 1, 1)));
        // Bucket 996 to 999: of its four values the last but one, and the last.
        assert_eq!(at(99.8), Some((index_of(999), 3, 4)));
        assert_eq!(at(99.9), Some((index_of(999), 4, 4)));
        assert_eq!(Histogram::new().ranked(50.0), None);
    }

    #[test]
    fn a_value_is_interpolated_in_its_bucket_and_within_the_extremes() {
        let bucket = index_of(1_000_000);
        let (low, width) = (lower_bound(bucket), 4096);
        assert_eq!(upper_bound(bucket) - low + 1, width);
        let ranked = |place, count| Ranked {
            bucket,
            place,
            count,
        };
        let free = |place, count| ranked(place, count).value(0, u64::MAX) - low;
        assert_eq!([free(1, 1), free(1, 4), free(4, 4)], [2048, 512, 3584]);
        assert_eq!(free(u64::MAX, u64::MAX), width - 1);
        // The extremes cut the bucket, on either side or both.
        assert_eq!(ranked(1, 1).value(low + 2048, u64::MAX), low + 3072);
        assert_eq!(ranked(1, 1).value(0, low + 2047), low + 1024);
        assert_eq!(ranked(1, 2).value(1_000_000, 1_000_000), 1_000_000);
        // A bucket of one value is that value.
        let one = Ranked {
            bucket: 77,
            place: 3,
            count: 9,
        };
        assert_eq!(one.value(0, u64::MAX), 77);
    }

    /// Every value from 1 to 2^20 once: the truth is known at each percentile.
    #[test]
    fn percentiles_of_even_values_have_no_bias() {
        let mut h = Histogram::new();
        let n = 1_u64 << 20;
        h.record_all(1..=n);
        let (mut sum, mut worst) = (0.0, 0.0_f64);
        for permille in 1..1000 {
            let percent = f64::from(permille) / 10.0;
            let truth = rank_of(percent, n) as f64;
            let found = h.ranked(percent).map_or(0, |r| r.value(1, n)) as f64;
            sum += found / truth - 1.0;
            worst = worst.max((found / truth - 1.0).abs());
        }
        // At most the value beside the true one.
        assert!(worst < 1e-3 && (sum / 999.0).abs() < 1e-5, "{worst} {sum}");
    }

    #[test]
    fn fio_prints_the_middle_of_its_bin() {
        let mut h = Histogram::new();
        h.record(17_000);
        let value = |h: &Histogram| h.ranked(50.0).and_then(|r| r.fio_value());
        assert_eq!(value(&h), Some(17_024));
        let mut h = Histogram::new();
        h.record((1 << 34) - 1);
        assert_eq!(value(&h), Some(fio_bin_value(29 * 64 - 1)));
        let mut h = Histogram::new();
        h.record(1 << 34);
        assert_eq!(value(&h), None);
    }

    /// By hand from fio's stat.h: above 127, 64 bins for each power of two, up to 2^34.
    #[test]
    fn the_bin_of_a_value_is_that_of_fio() {
        for (value, bin) in [
            (0, 0),
            (1, 1),
            (127, 127),
            (255, 191),
            (256, 192),
            (1 << 20, 960),
            (3 << 19, 992),
            ((1 << 34) - 1, 1855),
            (1 << 34, 1855),
        ] {
            assert_eq!(fio_bin(value), bin, "{value}");
        }
    }

    #[test]
    fn a_rank_is_from_the_first_to_the_last_and_is_rounded_up() {
        for (percent, total, rank) in [
            (0.0, 10, 1),
            (10.0, 10, 1),
            (10.1, 10, 2),
            (50.0, 1, 1),
            (99.9, 1000, 999),
            (99.9, 1001, 1000),
            (100.0, 7, 7),
        ] {
            assert_eq!(rank_of(percent, total), rank, "{percent} of {total}");
        }
    }

    #[test]
    fn a_packed_histogram_behaves_like_the_one_it_was() {
        let mut dense = Histogram::new();
        [3, 3, 5000, 1 << 50]
            .into_iter()
            .for_each(|v| dense.record(v));
        let mut packed = dense.clone();
        packed.pack();
        packed.pack();
        assert!(packed.counts.is_empty() && packed.nonzero().count() == 3);
        assert_eq!(packed, dense);
        assert_eq!(packed.ranked(75.0), dense.ranked(75.0));
        assert_eq!((packed.count_above(3), dense.count_above(3)), (2, 2));
        assert_eq!(packed.to_fio_bins(), dense.to_fio_bins());
        for change in [
            |h: &mut Histogram| h.record(7),
            |h: &mut Histogram| h.add_bucket(9, 2),
            |h: &mut Histogram| h.add_bucket(BUCKETS, 2),
            |h: &mut Histogram| h.merge(&h.clone()),
            Histogram::clear,
        ] {
            let (mut a, mut b) = (packed.clone(), dense.clone());
            change(&mut a);
            change(&mut b);
            assert_eq!(a, b);
        }
        let mut small = packed.clone();
        small.merge(&packed);
        assert!(small.counts.is_empty());
        let mut large = dense.clone();
        large.merge(&dense);
        assert_eq!(small, large);
        let mut sum = dense.clone();
        sum.merge(&packed);
        assert_eq!(sum.total(), 8);
        assert_eq!(sum.nonzero().map(|(_, n)| n).collect::<Vec<_>>(), [4, 2, 2]);
    }

    #[test]
    fn it_is_read_back_packed_and_nonsense_is_refused() {
        let mut histogram = Histogram::new();
        [3, 3, 5000].into_iter().for_each(|v| histogram.record(v));
        let text = serde_json::to_string(&histogram).unwrap();
        let back: Histogram = serde_json::from_str(&text).unwrap();
        assert_eq!(back, histogram);
        assert!(back.counts.is_empty());
        for nonsense in [
            "[[4608,1]]",
            "[[3,0]]",
            "[[4,1],[3,1]]",
            "[[3,1],[3,1]]",
            "[[3,18446744073709551615],[4,1]]",
        ] {
            assert!(
                serde_json::from_str::<Histogram>(nonsense).is_err(),
                "{nonsense}"
            );
        }
    }

    proptest! {
        #[test]
        fn bounds_equal_those_of_hdr_with_two_digits(value in 0_u64..1 << 42) {
            let hdr = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 1 << 42, 2).unwrap();
            prop_assert_eq!(lower_bound(index_of(value)), hdr.lowest_equivalent(value));
            prop_assert_eq!(upper_bound(index_of(value)), hdr.highest_equivalent(value));
        }

        #[test]
        fn merge_is_associative_and_equals_one_histogram(
            values in prop::collection::vec((0_usize..3, any::<u64>()), 0..200)
        ) {
            let mut parts = [Histogram::new(), Histogram::new(), Histogram::new()];
            let mut whole = Histogram::new();
            for &(part, value) in &values {
                parts[part].record(value);
                whole.record(value);
            }
            let [a, b, c] = parts.clone();
            let (mut left, mut right) = (a.clone(), b.clone());
            left.merge(&b);
            left.merge(&c);
            right.merge(&c);
            let mut outer = a;
            outer.merge(&right);
            prop_assert_eq!(&left, &outer);
            prop_assert_eq!(&left, &whole);
            let mut small = Histogram::new();
            small.pack();
            for part in &parts {
                let mut part = part.clone();
                part.pack();
                small.merge(&part);
            }
            prop_assert!(small.counts.is_empty());
            prop_assert_eq!(&small, &whole);
        }
    }
}
