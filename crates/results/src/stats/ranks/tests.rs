//! Tests of the intervals of percentiles on series whose distribution is known.

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
    let (low, high) = (found[1].low.unwrap(), found[1].high.unwrap());
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
    // Without an end on one side: a tenth of a sample is beyond.
    assert_eq!(of(&slices, &[0.001]).unwrap()[0].low, None);
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
    assert!(
        half.low.unwrap() < 0.66e6 && half.high.unwrap() > 0.72e6,
        "{half:?}"
    );
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
    let ends = |ranked: &ByRank| {
        let of = |end: Option<SharePlace>| table.value(end.unwrap());
        (of(ranked.low), of(ranked.high))
    };
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
    let ends = |found: &Ranks| (found.low.unwrap(), found.high.unwrap());
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
