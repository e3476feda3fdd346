//! Latency of a set of I/Os: exact count, sum, extremes, spread, and the histogram they share.

use crate::histogram::{Histogram, lower_bound, rank_of};
use serde::{Deserialize, Serialize};

/// What is known of the latencies of a set of I/Os, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Sum of all values: exact up to 584 years of waiting.
    pub sum: u64,
    /// Sum of the squares, for the standard deviation; 53 significant bits.
    pub sum_squares: f64,
    /// Smallest value; `u64::MAX` when empty.
    pub min: u64,
    /// Largest value, exact also beyond the histogram's range.
    pub max: u64,
    /// Counts per bucket.
    pub histogram: Histogram,
    /// The values among them of I/Os that were due and had not ended when it was over: each took at least so
    /// long. `None` = there are none.
    pub unfinished: Option<Histogram>,
}

impl Default for Latency {
    fn default() -> Self {
        Self {
            sum: 0,
            sum_squares: 0.0,
            min: u64::MAX,
            max: 0,
            histogram: Histogram::new(),
            unfinished: None,
        }
    }
}

impl Latency {
    /// An empty one without memory for buckets: to be put in place of what is not there.
    pub(crate) fn none() -> Self {
        Self {
            sum: 0,
            sum_squares: 0.0,
            min: u64::MAX,
            max: 0,
            histogram: Histogram::none(),
            unfinished: None,
        }
    }

    /// Adds one value.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.record_many(ns, 1);
    }

    /// Adds `count` equal values.
    #[inline]
    #[expect(clippy::cast_possible_wrap, reason = "a latency is far below 2^63 ns")]
    pub fn record_many(&mut self, ns: u64, count: u64) {
        // By way of i64: the conversion is then one instruction.
        let (value, times) = (ns as i64 as f64, count as i64 as f64);
        self.sum += ns * count;
        self.sum_squares += value * value * times;
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        self.histogram.record_many(ns, count);
    }

    /// Adds each of `values`, in nanoseconds: what [`Latency::record`] makes of one after the other, bit for bit, in
    /// fewer instructions.
    #[inline]
    #[expect(clippy::cast_possible_wrap, reason = "a latency is far below 2^63 ns")]
    pub fn record_all(&mut self, values: impl Iterator<Item = u64>) {
        let (mut sum, mut sum_squares) = (self.sum, self.sum_squares);
        let (mut min, mut max) = (self.min, self.max);
        self.histogram.record_all(values.inspect(|&ns| {
            let value = ns as i64 as f64;
            sum += ns;
            sum_squares += value * value;
            min = min.min(ns);
            max = max.max(ns);
        }));
        (self.sum, self.sum_squares) = (sum, sum_squares);
        (self.min, self.max) = (min, max);
    }

    /// Adds `count` I/Os that had not ended after `ns`.
    pub fn record_unfinished(&mut self, ns: u64, count: u64) {
        let (value, times) = (ns as f64, count as f64);
        self.sum = self.sum.saturating_add(ns.saturating_mul(count));
        self.sum_squares += value * value * times;
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        self.histogram.record_many(ns, count);
        let unfinished = self.unfinished.get_or_insert_with(Histogram::new);
        unfinished.record_many(ns, count);
    }

    /// How many of the values are those of I/Os that had not ended.
    #[must_use]
    pub fn unfinished(&self) -> u64 {
        self.unfinished.as_ref().map_or(0, Histogram::total)
    }

    /// Whether the value at `percent` is only a bound: had the I/Os that had not ended taken longer than they
    /// had by then, it would be larger.
    #[must_use]
    pub fn is_at_least(&self, percent: f64) -> bool {
        let Some(unfinished) = &self.unfinished else {
            return false;
        };
        self.histogram.ranked(percent).is_some_and(|ranked| {
            let value = lower_bound(ranked.bucket);
            let below = |of: &Histogram| of.total().saturating_sub(of.count_above(value));
            let ended = below(&self.histogram).saturating_sub(below(unfinished));
            ended < rank_of(percent, self.count())
        })
    }

    /// How many values.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.histogram.total()
    }

    /// Whether there is no value.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Adds all of `other`. The only merge there is.
    pub fn merge(&mut self, other: &Self) {
        self.sum = self.sum.saturating_add(other.sum);
        self.sum_squares += other.sum_squares;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.histogram.merge(&other.histogram);
        if let Some(theirs) = &other.unfinished {
            let mine = self.unfinished.get_or_insert_with(Histogram::new);
            mine.merge(theirs);
        }
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.sum = 0;
        self.sum_squares = 0.0;
        self.min = u64::MAX;
        self.max = 0;
        self.histogram.clear();
        self.unfinished = None;
    }

    /// Gives back the memory of empty buckets ([`Histogram::pack`]).
    pub fn pack(&mut self) {
        self.histogram.pack();
        self.unfinished.iter_mut().for_each(Histogram::pack);
    }

    /// Gives all buckets memory ([`Histogram::unpack`]).
    pub fn unpack(&mut self) {
        self.histogram.unpack();
        self.unfinished.iter_mut().for_each(Histogram::unpack);
    }

    /// Arithmetic mean in nanoseconds; 0 when empty.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.is_empty() {
            0.0
        } else {
            self.sum as f64 / self.count() as f64
        }
    }

    /// Standard deviation of the sample (divisor n - 1, as fio prints it); 0 below two values.
    #[must_use]
    pub fn stddev(&self) -> f64 {
        let n = self.count() as f64;
        if n < 2.0 {
            return 0.0;
        }
        let mean = self.mean();
        ((self.sum_squares - n * mean * mean).max(0.0) / (n - 1.0)).sqrt()
    }

    /// Value at `percent` (0 to 100) by nearest rank, interpolated in its bucket ([`Ranked::value`]); the first and the
    /// last are the exact extremes. `None` when empty.
    ///
    /// [`Ranked::value`]: crate::histogram::Ranked::value
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        let ranked = self.histogram.ranked(percent)?;
        Some(match rank_of(percent, self.count()) {
            rank if rank == self.count() => self.max,
            1 => self.min,
            _ => ranked.value(self.min, self.max),
        })
    }

    /// What fio prints at `percent` (0 to 100): the middle of its bin, though never outside the exact extremes, and
    /// as [`Latency::percentile`] where fio has no bin. `None` when empty.
    #[must_use]
    pub fn fio_percentile(&self, percent: f64) -> Option<u64> {
        match self.histogram.ranked(percent)?.fio_value() {
            Some(middle) => Some(middle.max(self.min).min(self.max)),
            None => self.percentile(percent),
        }
    }

    /// How many samples lie beyond `percent`: what a reader needs to trust a tail (fewer than 10: do
    /// not print; fewer than 100: print with doubt).
    #[must_use]
    pub fn samples_beyond(&self, percent: f64) -> f64 {
        self.count() as f64 * (1.0 - percent / 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_is_not_none() {
        let mut one = Latency::default();
        assert!(one.is_empty());
        one.record(0);
        assert!(!one.is_empty());
    }

    #[test]
    fn many_values_at_once_are_those_one_after_the_other_bit_for_bit() {
        let values = [0, 1, 255, 256, 70_001, 3, 1 << 41, 1 << 50, 70_001];
        let (mut one_by_one, mut at_once) = (Latency::default(), Latency::default());
        for round in 0..3 {
            values.iter().for_each(|&v| one_by_one.record(v + round));
            at_once.record_all(values.iter().map(|&v| v + round));
            assert_eq!(at_once, one_by_one);
            // Also where it was packed away meanwhile.
            at_once.pack();
        }
        at_once.record_all(std::iter::empty());
        assert_eq!(at_once, one_by_one);
        assert_eq!(at_once.count(), 27);
    }

    #[test]
    fn figures_of_known_values() {
        let mut l = Latency::default();
        [2, 4, 4, 4, 5, 5, 7, 9]
            .into_iter()
            .for_each(|v| l.record(v));
        assert_eq!((l.count(), l.min, l.max), (8, 2, 9));
        assert!((l.mean() - 5.0).abs() < 1e-9);
        assert!((l.stddev() - 2.138_09).abs() < 1e-4);
        assert_eq!(l.percentile(50.0), Some(4));
        assert_eq!(l.percentile(100.0), Some(9));
    }

    #[test]
    fn the_deviation_of_two_values_is_one_and_that_of_fewer_is_none() {
        let of = |values: &[u64]| {
            let mut latency = Latency::default();
            values.iter().for_each(|&v| latency.record(v));
            latency.stddev()
        };
        // Divisor n - 1: of 10 and 14 it is the root of (4 + 4) / 1.
        for (values, deviation) in [
            (&[][..], 0.0),
            (&[10], 0.0),
            (&[10, 10], 0.0),
            (&[10, 14], 8.0_f64.sqrt()),
            (&[10, 12, 14], 2.0),
        ] {
            let found = of(values);
            assert!((found - deviation).abs() < 1e-9, "{values:?}: {found}");
        }
    }

    #[test]
    fn what_lies_beyond_a_percentile_is_the_rest_of_a_hundred() {
        let mut latency = Latency::default();
        latency.record_many(5, 2000);
        for (percent, beyond) in [
            (0.0, 2000.0),
            (50.0, 1000.0),
            (99.0, 20.0),
            (99.9, 2.0),
            (100.0, 0.0),
        ] {
            let found = latency.samples_beyond(percent);
            assert!((found - beyond).abs() < 1e-9, "{percent}: {found}");
        }
    }

    #[test]
    fn what_is_not_there_is_an_empty_one_without_buckets() {
        assert_eq!(Latency::none(), Latency::default());
        assert_eq!(Latency::none().histogram.heap_bytes(), 0);
    }

    #[test]
    fn packed_latencies_keep_no_array_of_buckets() {
        let mut latency = Latency::default();
        latency.record_unfinished(7, 1);
        latency.pack();
        let kept = [&latency.histogram, latency.unfinished.as_ref().unwrap()];
        assert!(kept.iter().all(|h| h.heap_bytes() < 10));
    }

    #[test]
    fn many_equal_values_count_as_each_by_itself() {
        let (mut one_by_one, mut at_once) = (Latency::default(), Latency::default());
        (0..5).for_each(|_| one_by_one.record(1234));
        at_once.record_many(1234, 5);
        assert_eq!(one_by_one, at_once);
    }

    #[test]
    fn values_beyond_seventeen_seconds_and_beyond_the_range_are_kept() {
        let mut l = Latency::default();
        l.record(94_000_000_000);
        assert_eq!(l.percentile(99.0), Some(94_000_000_000));
        l.record(1 << 60);
        assert_eq!((l.max, l.percentile(100.0)), (1 << 60, Some(1 << 60)));
        assert_eq!(l.percentile(50.0), Some(94_000_000_000));
        // What shares the last bucket has no place of its own.
        (0..8).for_each(|_| l.record(1 << 50));
        assert!(l.percentile(90.0).unwrap() < 1 << 42);
    }

    #[test]
    fn fio_s_percentiles_are_the_middles_of_its_bins() {
        let mut l = Latency::default();
        (0..100).for_each(|k| l.record(16_900 + k));
        l.record(20_000);
        // Bin 16,896 to 17,151; ours are interpolated in half of it (to 17,023), from the exact minimum on.
        assert_eq!(l.fio_percentile(50.0), Some(17_024));
        assert_eq!(l.percentile(50.0), Some(16_962));
        assert_eq!(l.percentile(1.0), Some(16_901));
        assert_eq!(
            (l.percentile(0.0), l.percentile(100.0)),
            (Some(16_900), Some(20_000))
        );
        // Never beyond the exact extremes, though the middle of 19,968 to 20,223 is.
        assert_eq!(l.fio_percentile(100.0), Some(20_000));
        l.record(94_000_000_000);
        assert_eq!(l.fio_percentile(100.0), Some(94_000_000_000));
        assert_eq!(Latency::default().fio_percentile(50.0), None);
    }

    #[test]
    fn sums_that_do_not_fit_stay_at_the_greatest_there_is() {
        let all = |parts: [u64; 3]| {
            let mut merged = Latency::default();
            for sum in parts {
                let mut part = Latency::default();
                part.record(5);
                part.sum = sum;
                merged.merge(&part);
            }
            (merged.sum, merged.count(), merged.mean())
        };
        // In any order, as no merge may depend on it.
        for parts in [[u64::MAX, 1, 7], [7, u64::MAX, 1], [1 << 63, 1 << 63, 0]] {
            assert_eq!(all(parts), (u64::MAX, 3, u64::MAX as f64 / 3.0));
        }
        let barely = all([u64::MAX - 8, 1, 7]);
        assert_eq!(barely.0, u64::MAX);
        assert_eq!(all([u64::MAX - 9, 1, 7]).0, u64::MAX - 1);
    }

    #[test]
    fn percentiles_among_unfinished_values_are_bounds() {
        let mut l = Latency::default();
        (0..900).for_each(|_| l.record(1000));
        assert!(!l.is_at_least(100.0) && l.unfinished() == 0);
        // A tenth is not done after 10 to 1000 us.
        (1..=100).for_each(|k| l.record_unfinished(10_000 * k, 1));
        assert_eq!((l.count(), l.unfinished()), (1000, 100));
        assert!((1000..1008).contains(&l.percentile(90.0).unwrap()));
        assert!(!l.is_at_least(50.0) && !l.is_at_least(90.0));
        assert!(l.is_at_least(90.1) && l.is_at_least(99.0) && l.is_at_least(100.0));
        // One that had hardly begun may be the longest of all, and changes nothing below.
        let mut one = Latency::default();
        (1..1000).for_each(|v| one.record(1000 + v));
        one.record_unfinished(1, 1);
        assert!(one.is_at_least(100.0) && !one.is_at_least(50.0));
        // Kept by merges, in either form.
        one.pack();
        one.merge(&l);
        assert_eq!(one.unfinished(), 101);
        one.clear();
        assert_eq!(one, Latency::default());
    }

    #[test]
    fn an_empty_latency_has_no_percentile_and_merges_as_nothing() {
        let mut a = Latency::default();
        assert_eq!(a.percentile(50.0), None);
        a.record(7);
        let before = a.clone();
        a.merge(&Latency::default());
        assert_eq!(a, before);
    }

    #[test]
    fn what_had_not_ended_counts_from_the_smallest_to_the_largest() {
        let mut latency = Latency::default();
        latency.record(500);
        latency.record_unfinished(200, 2);
        latency.record_unfinished(900, 1);
        assert_eq!((latency.min, latency.max), (200, 900));
        assert_eq!((latency.count(), latency.sum), (4, 1800));
        let squares = 250_000.0 + 2.0 * 40_000.0 + 810_000.0;
        assert!((latency.sum_squares - squares).abs() < 1e-6);
    }
}
