//! The parts of DISKSPD's stream that are counted, not drawn.

use super::*;
use leadline_model::plan::Target;
use proptest::prelude::*;

fn zone(access_percent: u32, extent: Amount) -> Zone {
    Zone {
        access_percent: access_percent.into(),
        extent,
    }
}

/// The ranges that have a share, with it: first byte and end.
fn parts(ranges: &[Range]) -> Vec<(u64, u64, u64)> {
    let mut before = 0;
    let part = |range: &Range| {
        let share = range.upto - std::mem::replace(&mut before, range.upto);
        (share, range.first, range.first + range.len)
    };
    ranges.iter().map(part).collect()
}

/// Of five numbers come sixteen words, as long as more than sixteen are left; the others are one each.
#[test]
fn random_bytes_take_as_many_numbers_as_their_words_and_a_rest_are_made_of() {
    for bytes in (0..600).chain([4095, 4096, 4097, 65_536, 1 << 20]) {
        let (mut words, mut numbers) = (bytes / 8, u32::from(bytes % 8 > 0));
        while words > 16 {
            (words, numbers) = (words - 16, numbers + 5);
        }
        assert_eq!(numbers_of_bytes(bytes), numbers + words, "{bytes}");
    }
}

#[test]
fn a_write_takes_numbers_for_bytes_that_are_new_each_time_only() {
    let mut w = Workload::new("w", Target::Null { size: 1 << 30 });
    let mut of = |fill, refresh| {
        (w.blocks_mut().payload.fill, w.blocks_mut().payload.refresh) = (fill, refresh);
        numbers_for(&w, 4096)
    };
    let source = || Fill::Source {
        size: 1 << 20,
        file: None,
    };
    assert_eq!(of(source(), Refresh::Each), 1);
    assert_eq!(of(Fill::Random, Refresh::Each), numbers_of_bytes(4096));
    for refresh in [Refresh::Never, Refresh::Stamp] {
        assert_eq!(of(Fill::Random, refresh), 0);
    }
}

#[test]
fn files_have_the_slots_that_they_are_given_or_the_same_number_each() {
    let mut w = Workload::new("w", Target::Null { size: 1 << 30 });
    for (depth, files, expected) in [
        (4, 2, &[2, 4][..]),
        (6, 3, &[2, 4, 6]),
        (1, 1, &[1]),
        // At least one, whatever the depth.
        (1, 3, &[1, 2, 3]),
    ] {
        w.depth = depth;
        assert_eq!(&*bounds(&w, files), expected, "{depth} {files}");
    }
}

#[test]
fn a_random_offset_leaves_room_for_one_io_to_the_last_byte() {
    for len in 1..40 {
        for (block, stride) in [(1, 1), (3, 1), (4, 4), (4, 2), (4, 6), (5, 3)] {
            let mut w = Workload::new("w", Target::Null { size: 1 << 30 });
            w.blocks_mut().sizes = leadline_model::plan::BlockSizes::fixed(block);
            w.blocks_mut().access.grid = Grid::Bytes(stride);
            w.blocks_mut().access.order = Order::Random {
                every: 1,
                identical: false,
            };
            let file = File::new(&w, 0, Extent { start: 0, len }, 0);
            let fits = |at: &u64| at + block <= len;
            let places = (0..len).filter(|at| at.is_multiple_of(stride));
            let places = places.filter(fits).count() as u64;
            assert_eq!(file.wrap, places * stride, "{len} {block} {stride}");
        }
    }
}

/// Three ranges of which the first two lie within the first block: it has the shares of both.
#[test]
fn ranges_within_one_block_give_it_all_their_shares() {
    for (first, second) in [(0, 3), (3, 0), (3, 3), (0, 0), (5, 4)] {
        let zones = [(10, first), (20, second), (70, 100 - first - second)];
        let zones = zones.map(|(share, percent)| zone(share, Amount::Percent(percent)));
        let ranges = ranges_in_percent(&zones, 10 * 4096, 4096);
        let of_first = |part: &&(u64, u64, u64)| part.1 == 0 && part.2 <= 4096;
        let parts = parts(&ranges);
        let shares: u64 = parts.iter().filter(of_first).map(|part| part.0).sum();
        assert_eq!(shares, 30, "{first} {second}: {parts:?}");
        assert_eq!(parts.last(), Some(&(70, 4096, 10 * 4096)), "{parts:?}");
    }
}

/// Which shares are kept of ranges without a block: a quirk of the original.
#[test]
fn of_two_ranges_in_a_row_without_a_block_the_first_loses_its_share() {
    let of = |parts: &[(u32, u32)]| {
        let zone = |&(share, percent): &(u32, u32)| zone(share, Amount::Percent(percent));
        let zones: Vec<Zone> = parts.iter().map(zone).collect();
        super::tests::parts(&ranges_in_percent(&zones, 10 * 4096, 4096))
    };
    // Within the last of ten blocks, after one that has the nine before and a part of it.
    let (nine, ten) = (9 * 4096, 10 * 4096);
    assert_eq!(
        of(&[(10, 96), (20, 1), (30, 1), (40, 2)]),
        [(40, 0, nine), (40, nine, ten)]
    );
    assert_eq!(
        of(&[(60, 96), (10, 1), (30, 3)]),
        [(60, 0, nine), (40, nine, ten)]
    );
}

/// Numbers above 0 that sum up to 100.
fn hundred() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::btree_set(1u32..100, 0..6).prop_map(|cuts| {
        let ends = cuts.iter().copied().chain([100]);
        let begins = [0].into_iter().chain(cuts.iter().copied());
        ends.zip(begins).map(|(end, begin)| end - begin).collect()
    })
}

proptest! {
    /// Where ranges end at blocks each has just its blocks and its share.
    #[test]
    fn ranges_that_end_at_blocks_are_what_they_are_said_to_be(
        extents in hundred(),
        shares in prop::collection::vec(0u32..50, 6),
        stride in 1u64..5000,
    ) {
        let both = || extents.iter().zip(&shares);
        let zones: Vec<Zone> = both().map(|(e, s)| zone(*s, Amount::Percent(*e))).collect();
        let mut begin = 0;
        let mut expected = Vec::new();
        for (extent, share) in both() {
            let end = begin + u64::from(*extent) * stride;
            if *share > 0 {
                expected.push((u64::from(*share), begin, end));
            }
            begin = end;
        }
        prop_assert_eq!(parts(&ranges_in_percent(&zones, 100 * stride, stride)), expected);
    }

    /// Whatever they are, each share goes to whole blocks of the region, one range after the other. None is lost where
    /// each range has a block.
    #[test]
    fn ranges_lie_in_the_region_and_lose_no_share_where_each_has_a_block(
        extents in hundred(),
        shares in prop::collection::vec(0u32..50, 6),
        stride in 1u64..5000,
        blocks in prop_oneof![1u64..40, 100u64..300],
    ) {
        let both = || extents.iter().zip(&shares);
        let zones: Vec<Zone> = both().map(|(e, s)| zone(*s, Amount::Percent(*e))).collect();
        let ranges = parts(&ranges_in_percent(&zones, blocks * stride, stride));
        let all: u64 = both().map(|(_, share)| u64::from(*share)).sum();
        let kept: u64 = ranges.iter().map(|part| part.0).sum();
        prop_assert!(kept == all || (kept < all && blocks < 100), "{ranges:?}");
        let mut before = 0;
        for (share, first, end) in ranges {
            prop_assert!(share > 0 && first.is_multiple_of(stride) && end.is_multiple_of(stride));
            prop_assert!(first >= before && first < blocks * stride && end >= first);
            prop_assert!(end <= blocks * stride);
            before = end;
        }
    }

    /// In bytes: what begins beyond the end is lost, and what ends there is cut.
    #[test]
    fn ranges_in_bytes_are_those_of_the_region(
        extents in prop::collection::vec(0u64..100, 1..5),
        shares in prop::collection::vec(0u32..50, 5),
        whole in 1u64..300,
        block in 1u64..20,
    ) {
        let both = || extents.iter().zip(&shares);
        let zones: Vec<Zone> = both().map(|(e, s)| zone(*s, Amount::Bytes(*e))).collect();
        let mut begin = 0;
        let mut expected = Vec::new();
        for (extent, share) in both() {
            let end = begin + extent;
            let cut = end > whole;
            let lost = begin >= whole || (cut && whole - begin < block);
            if *share > 0 && lost {
                break;
            }
            if *share > 0 {
                expected.push((u64::from(*share), begin, end.min(whole)));
            }
            begin = end;
        }
        prop_assert_eq!(parts(&ranges_in_bytes(&zones, whole, block)), expected);
    }
}
