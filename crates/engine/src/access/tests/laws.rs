//! What only Vdbench's and DISKSPD's plans ask for.

use super::*;
use leadline_model::plan::access::{AtEnd, Begin, Grid, Hits};
use leadline_model::units::Percent;

const SEQUENTIAL: Order = Order::Sequential { skip: 0 };
const START: u64 = 1 << 20;

fn sequential() -> Workload {
    let mut w = workload(OpMix::reads(), 4096, SEQUENTIAL);
    w.blocks_mut().access.position = Position::EachFile;
    w
}

fn worker(w: &Workload, sizes: &[u64], number: u32, cursors: &Arc<Cursors>) -> Generator {
    Generator::seated(w, &extents(sizes), 7, (number, Arc::clone(cursors)))
}

/// Block numbers of a pass.
fn blocks(generator: &mut Generator, limit: usize) -> Vec<u64> {
    offsets(&pass(generator, limit))
        .iter()
        .map(|o| o / 4096)
        .collect()
}

#[test]
fn further_workers_begin_apart_and_wrap_around() {
    let mut w = sequential();
    w.blocks_mut().access.begin = Begin::Apart(3 * 4096);
    let cursors = Arc::default();
    let mut third = worker(&w, &[8 * 4096], 2, &cursors);
    assert_eq!(blocks(&mut third, 99), [6, 7, 0, 1, 2, 3, 4, 5]);
    third.start_pass();
    assert_eq!(blocks(&mut third, 3), [6, 7, 0]);
    w.blocks_mut().access.at_end = AtEnd::Stop;
    let mut third = worker(&w, &[8 * 4096], 2, &cursors);
    assert_eq!(blocks(&mut third, 99), [6, 7]);
}

#[test]
fn a_random_begin_is_a_whole_round_from_anywhere() {
    let mut w = sequential();
    w.blocks_mut().access.begin = Begin::Random;
    let mut firsts = BTreeSet::new();
    for seed in 0..200 {
        let mut generator = Generator::new(&w, &extents(&[10 * 4096]), seed);
        let seen = blocks(&mut generator, 99);
        firsts.insert(seen[0]);
        let round: Vec<u64> = (0..10).map(|i| (seen[0] + i) % 10).collect();
        assert_eq!(seen, round);
    }
    assert_eq!(firsts.len(), 10);
    // With bytes left out in between the second round is from the start.
    w.blocks_mut().access.order = Order::Sequential { skip: 4096 };
    let mut generator = Generator::new(&w, &extents(&[10 * 4096]), 3);
    let first = blocks(&mut generator, 99);
    generator.start_pass();
    assert_eq!(first.last().unwrap() / 2, 4);
    assert_eq!(blocks(&mut generator, 99), [0, 2, 4, 6, 8]);
}

#[test]
fn each_slot_wraps_around_by_itself() {
    let mut w = sequential();
    (w.blocks_mut().access.position, w.depth) = (Position::EachSlot, 2);
    let mut generator = Generator::new(&w, &extents(&[3 * 4096 + 100]), 1);
    let mut seen = Vec::new();
    for slot in [0, 1, 0, 0, 0, 1] {
        generator.for_slot(slot);
        let op = generator.pick_op();
        seen.push((generator.next(op).unwrap().offset - START) / 4096);
    }
    assert_eq!(seen, [0, 0, 1, 2, 0, 1]);
    w.blocks_mut().access.at_end = AtEnd::Stop;
    let mut generator = Generator::new(&w, &extents(&[3 * 4096]), 1);
    assert_eq!(blocks(&mut generator, 99), [0, 1, 2]);
}

#[test]
fn slots_have_a_position_in_each_file() {
    let mut w = sequential();
    (w.blocks_mut().access.position, w.depth) = (Position::EachSlot, 2);
    w.blocks_mut().access.file_choice = FileChoice::RoundRobin { ios: 1 };
    let mut generator = Generator::new(&w, &extents(&[5 * 4096; 2]), 1);
    let mut seen = Vec::new();
    for slot in [0, 0, 0, 1, 1, 1, 0, 0] {
        generator.for_slot(slot);
        let io = generator.next(Op::Read).unwrap();
        seen.push((io.file, (io.offset - START) / 4096));
    }
    let expected = [
        // Slot 0, then slot 1, then slot 0 again.
        [(0, 0), (1, 0), (0, 1)].as_slice(),
        &[(1, 0), (0, 0), (1, 1)],
        &[(0, 2), (1, 1)],
    ];
    assert_eq!(seen, expected.concat());
}

proptest! {
    /// All workers of a workload together do each block once in a pass, whoever does how many of them.
    #[test]
    fn workers_share_a_position(
        sizes in prop::collection::vec(0u64..40, 1..4),
        turns in prop::collection::vec(0usize..3, 400),
        begin in 0usize..2,
        random_choice: bool,
    ) {
        let mut w = sequential();
        w.blocks_mut().access.position = Position::Workload;
        w.blocks_mut().access.begin = [Begin::Start, Begin::Random][begin];
        if random_choice {
            w.blocks_mut().access.file_choice = FileChoice::Sequential;
        }
        let sizes: Vec<u64> = sizes.iter().map(|n| n * 4096).collect();
        let cursors = Arc::new(Cursors::new(sizes.len(), 5));
        let mut all: Vec<Generator> = (0..3).map(|n| worker(&w, &sizes, n, &cursors)).collect();
        let mut over = [false; 3];
        let mut seen = BTreeSet::new();
        let mut turns = turns.into_iter().cycle();
        while !over.iter().all(|&o| o) {
            let turn = turns.next().unwrap();
            let turn = if over[turn] { over.iter().position(|o| !o).unwrap() } else { turn };
            match all[turn].next(Op::Read) {
                Some(io) => prop_assert!(seen.insert((io.file, io.offset))),
                None => over[turn] = true,
            }
        }
        prop_assert_eq!(seen.len() as u64 * 4096, sizes.iter().sum::<u64>());
        // The second pass is as whole as the first.
        all.iter_mut().for_each(Generator::start_pass);
        let mut again = 0;
        for generator in &mut all {
            again += pass(generator, usize::MAX).len();
        }
        prop_assert_eq!(again, seen.len());
    }

    /// On their own grid all I/Os lie at multiples of their length, and the tail is never touched.
    #[test]
    fn own_grids_hold_for_all_patterns(
        len in 40_000u64..2_000_000,
        seed: u64,
        which in 0usize..6,
        split: bool,
    ) {
        let mut w = workload(OpMix::mixed(50), 8192, RANDOM);
        w.blocks_mut().access.grid = Grid::Own;
        if split {
            w.blocks_mut().sizes.by_op = PerOp::splat(Sizes::Split(vec![(4096, 30), (8192, 40), (20_480, 30)]));
        }
        match which {
            0 => {}
            1 => w.blocks_mut().access.coverage = Coverage::WithRepeats,
            2 => w.blocks_mut().access.distribution = PerOp::splat(Distribution::LowEnd(3.0)),
            3 => w.blocks_mut().access.stride = Some((0, 65_536)),
            4 => w.blocks_mut().access.hits = Some(Hits { area: 30_000, read_percent: Percent::whole(40), write_percent: Percent::whole(60) }),
            _ => w.blocks_mut().access.random_percent = PerOp::splat(Percent::whole(50)),
        }
        let most = if split { 20_480 } else { 8192 };
        let mut generator = Generator::new(&w, &extents(&[len]), seed);
        for io in pass(&mut generator, 300) {
            let at = io.offset - START;
            prop_assert!(which > 3 || at.is_multiple_of(io.len.into()), "{at} {}", io.len);
            prop_assert!(at + u64::from(io.len) <= len - len % most);
        }
    }

    /// Whatever is asked for lies in its file.
    #[test]
    fn seldom_ways_stay_inside(
        len in 1u64..300_000,
        seed: u64,
        way in 0usize..8,
        area in 0u64..400_000,
        sizes in 0usize..2,
    ) {
        let mut w = workload(OpMix::mixed(50), 4096, RANDOM);
        if sizes == 1 {
            w.blocks_mut().sizes.by_op = PerOp::splat(Sizes::Range { min: 4096, max: 16_384, unaligned: true });
        }
        let access = &mut w.blocks_mut().access;
        if area % 2 == 0 {
            access.hits = Some(Hits { area, read_percent: Percent::whole(30), write_percent: Percent::whole(100) });
        }
        match way {
            0 => access.stride = Some((area / 2, area)),
            1 => access.grid = Grid::Bytes(512),
            2 => access.grid = Grid::Own,
            _ => access.order = SEQUENTIAL,
        }
        match way {
            3 => access.begin = Begin::Random,
            4 => access.position = Position::EachSlot,
            5 => access.position = Position::Workload,
            6 => (access.position, access.begin) = (Position::Workload, Begin::Random),
            7 => (access.begin, access.at_end) = (Begin::Apart(area), AtEnd::Stop),
            _ => {}
        }
        let cursors = Arc::new(Cursors::new(1, seed));
        let mut generator = worker(&w, &[len], 3, &cursors);
        let mut ios = pass(&mut generator, 300);
        generator.start_pass();
        ios.extend(pass(&mut generator, 300));
        prop_assert!(!ios.is_empty() || way == 7);
        for io in ios {
            prop_assert!(io.len > 0 && io.offset >= START);
            prop_assert!(io.offset + u64::from(io.len) <= START + len);
        }
    }
}

#[test]
fn hits_have_their_share_and_the_rest_goes_its_way() {
    let mut w = workload(OpMix::mixed(50), 4096, SEQUENTIAL);
    w.blocks_mut().access.position = Position::EachFile;
    w.blocks_mut().access.hits = Some(Hits {
        area: 8 * 4096,
        read_percent: Percent::whole(75),
        write_percent: Percent::whole(10),
    });
    let mut generator = Generator::new(&w, &extents(&[1 << 30]), 4);
    let ios = pass(&mut generator, 100_000);
    let (hits, rest): (Vec<_>, Vec<_>) = ios.iter().partition(|io| io.offset < START + 8 * 4096);
    let share = |op: Op| {
        let of = |all: &[&Io]| all.iter().filter(|io| io.op == op).count() as f64;
        of(&hits) / (of(&hits) + of(&rest))
    };
    assert!((share(Op::Read) - 0.75).abs() < 0.01, "{}", share(Op::Read));
    assert!(
        (share(Op::Write) - 0.1).abs() < 0.01,
        "{}",
        share(Op::Write)
    );
    for (i, io) in rest.iter().enumerate() {
        assert_eq!(io.offset, START + (i as u64 + 8) * 4096);
    }
    let places: BTreeSet<u64> = hits.iter().map(|io| io.offset).collect();
    assert_eq!(places.len(), 8, "evenly over the area");
}

#[test]
fn strides_go_forwards_by_what_was_drawn() {
    let mut w = workload(OpMix::reads(), 4096, RANDOM);
    w.blocks_mut().access.stride = Some((8192, 16_384));
    let mut generator = Generator::new(&w, &extents(&[64 << 20]), 4);
    let seen = blocks(&mut generator, usize::MAX);
    let gaps: Vec<u64> = seen.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // 2 to 4 blocks, rounded down: 4 only when the very last byte count is drawn.
    assert!(gaps.iter().all(|gap| (2..=4).contains(gap)));
    let mean = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
    assert!((mean - 2.5).abs() < 0.03, "{mean}");
    assert!(seen[0] == 0 && *seen.last().unwrap() > (64 << 8) - 5);
}

#[test]
fn the_shortest_and_the_longest_stride_are_drawn() {
    let gaps = |stride| {
        let mut w = workload(OpMix::reads(), 1, RANDOM);
        w.blocks_mut().access.stride = Some(stride);
        let mut generator = Generator::new(&w, &extents(&[10_000]), 4);
        let seen = offsets(&pass(&mut generator, usize::MAX));
        let gaps = seen.windows(2).map(|pair| pair[1] - pair[0]);
        let mut counts = BTreeMap::<u64, usize>::new();
        gaps.for_each(|gap| *counts.entry(gap).or_default() += 1);
        counts
    };
    assert_eq!(gaps((1, 1)), [(1, 9999)].into());
    assert_eq!(gaps((7, 7)), [(7, 1428)].into());
    let found = gaps((1, 3));
    assert!(found.keys().eq(&[1, 2, 3]), "{found:?}");
    assert!(
        found.values().all(|n| (1500..1850).contains(n)),
        "{found:?}"
    );
    // Any distance there is: the first I/O, and then the end.
    assert_eq!(gaps((0, u64::MAX)), [].into());
}

#[test]
fn on_their_own_grid_all_places_are_equally_likely() {
    let mut w = workload(OpMix::reads(), 4096, RANDOM);
    w.blocks_mut().access.grid = Grid::Own;
    w.blocks_mut().sizes.by_op = PerOp::splat(Sizes::Split(vec![(4096, 50), (16_384, 50)]));
    let mut generator = Generator::new(&w, &extents(&[4 * 16_384 + 8192]), 4);
    let mut places: BTreeMap<(u32, u64), u32> = BTreeMap::new();
    for io in pass(&mut generator, 80_000) {
        *places.entry((io.len, io.offset - START)).or_default() += 1;
    }
    assert_eq!(places.len(), 16 + 4);
    for ((len, at), count) in places {
        let expected = if len == 4096 { 2500 } else { 10_000 };
        assert!(
            count.abs_diff(expected) < expected / 10,
            "{len} at {at}: {count}"
        );
    }
}

#[test]
fn on_their_own_grid_files_come_one_after_the_other_and_pieces_are_whole() {
    let mut w = workload(OpMix::reads(), 4096, RANDOM);
    w.blocks_mut().access.grid = Grid::Own;
    w.blocks_mut().access.coverage = Coverage::WithRepeats;
    w.blocks_mut().access.file_choice = FileChoice::Sequential;
    w.blocks_mut().sizes.by_op = PerOp::splat(Sizes::Split(vec![(4096, 50), (16_384, 50)]));
    let mut generator = Generator::new(&w, &extents(&[4 * 16_384; 2]), 4);
    let seen = pass(&mut generator, 1000);
    assert!(seen.is_sorted_by_key(|io| io.file));
    let of = |file| seen.iter().filter(|io| io.file == file).count();
    // One I/O for each place at which the smallest can begin.
    assert_eq!((of(0), of(1)), (16, 16));
    // From a file that is alone there is nothing to go on to.
    let mut generator = Generator::new(&w, &extents(&[4 * 16_384]), 4);
    assert_eq!(pass(&mut generator, 1000).len(), 1000);
    // From a distribution: all of the region, each at a multiple of its own length and not cut at the end.
    w.blocks_mut().access.distribution = PerOp::splat(Distribution::LowEnd(0.5));
    for (small, large) in [(4096, 16_384), (8192, 12_288)] {
        let sizes = Sizes::Split(vec![(small, 50), (large, 50)]);
        w.blocks_mut().sizes.by_op = PerOp::splat(sizes);
        let mut generator = Generator::new(&w, &extents(&[41 * large + 2048]), 4);
        let mut last = 0;
        for io in pass(&mut generator, 20_000) {
            let (at, len) = (io.offset - START, u64::from(io.len));
            assert!([small, large].contains(&len) && at.is_multiple_of(len));
            last = last.max(at + len);
        }
        assert!(last > 40 * large, "{last}");
    }
}

#[test]
fn strides_of_several_sizes_are_multiples_of_the_least_unless_each_has_its_grid() {
    let mut w = workload(OpMix::reads(), 4096, RANDOM);
    w.blocks_mut().access.stride = Some((4096, 40_960));
    w.blocks_mut().sizes.by_op = PerOp::splat(Sizes::Split(vec![(4096, 50), (16_384, 50)]));
    let mut apart = |grid| {
        w.blocks_mut().access.grid = grid;
        let mut generator = Generator::new(&w, &extents(&[64 << 20]), 4);
        let ios = pass(&mut generator, usize::MAX);
        assert!(ios.len() > 1000);
        let places = ios.iter().map(|io| (io.offset - START, u64::from(io.len)));
        let apart = places.filter(|(at, len)| !at.is_multiple_of(*len)).count();
        // Also after a large one.
        let next = |pair: &&[Io]| {
            pair[0].len == 16_384 && !(pair[1].offset - START).is_multiple_of(16_384)
        };
        (apart, ios.windows(2).filter(next).count())
    };
    assert_eq!(apart(Grid::Own).0, 0);
    let found = apart(Grid::default());
    assert!(found.0 > 100 && found.1 > 100, "{found:?}");
}

#[test]
fn a_grid_of_bytes_is_for_random_offsets() {
    let mut w = workload(OpMix::reads(), 65_536, RANDOM);
    w.blocks_mut().access.grid = Grid::Bytes(4096);
    w.blocks_mut().access.coverage = Coverage::WithRepeats;
    let mut generator = Generator::new(&w, &extents(&[1 << 20]), 4);
    let seen: BTreeSet<u64> = blocks(&mut generator, 20_000).into_iter().collect();
    assert_eq!(seen, (0..=240).collect());
    w.blocks_mut().access.order = SEQUENTIAL;
    let mut generator = Generator::new(&w, &extents(&[1 << 20]), 4);
    assert_eq!(blocks(&mut generator, 3), [0, 16, 32]);
}

#[test]
fn low_ends_and_hot_bands_are_dense_where_they_say() {
    let share = |law: Distribution, upto: u64| {
        let mut w = workload(OpMix::reads(), 4096, RANDOM);
        w.blocks_mut().access.distribution = PerOp::splat(law);
        let mut generator = Generator::new(&w, &extents(&[1000 * 4096]), 4);
        let seen = blocks(&mut generator, 100_000);
        seen.iter().filter(|&&b| b < upto).count() as f64 / 1e5
    };
    let half = share(Distribution::LowEnd(3.0), 200);
    assert!(
        (half - 0.5).abs() < 0.01,
        "half of the I/Os in the first fifth: {half}"
    );
    assert!(share(Distribution::LowEnd(1.0), 200) < share(Distribution::LowEnd(2.0), 200));
    let band = Distribution::HotBand {
        low: Amount::Percent(40),
        high: Amount::Bytes(600 * 4096),
    };
    assert!(share(band.clone(), 400) < 1e-9 && share(band.clone(), 600) > 0.999_999);
    let first_fifth = share(band, 440);
    assert!((first_fifth - 0.5).abs() < 0.01, "{first_fifth}");
}

/// Twelve blocks from the seventh of ten on, which begin after two blocks that are no part of it.
fn round(w: &Workload, seed: u64) -> Generator {
    let extent = Extent {
        start: START + 6 * 4096,
        len: 12 * 4096,
    };
    let wrap = WrapPoint {
        at: START + 10 * 4096,
        to: START,
    };
    Generator::new(w, &[extent], seed).wrapped(&[Some(wrap)])
}

/// Blocks that lie in [`round`], in the order of its walk.
const ROUND: [u64; 12] = [6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7];

#[test]
fn a_region_that_wraps_around_continues_at_its_start_in_the_same_order() {
    let at = |g: &mut Generator| -> Vec<u64> {
        let ios = pass(g, 99);
        assert!(ios.iter().all(|io| io.len == 4096));
        ios.iter().map(|io| (io.offset - START) / 4096).collect()
    };
    let mut w = sequential();
    let mut generator = round(&w, 1);
    assert_eq!(at(&mut generator), ROUND);
    generator.start_pass();
    assert_eq!(at(&mut generator), ROUND);
    // Not as one file that is as large: what lies past the wrap is never touched.
    w.blocks_mut().access.order = Order::Random {
        every: 1,
        identical: false,
    };
    let mut seen = at(&mut round(&w, 5));
    seen.sort_unstable();
    let mut all = ROUND;
    all.sort_unstable();
    assert_eq!(seen, all);
    // A hot area at the start of the region lies across the wrap as well.
    w.blocks_mut().access.hits = Some(Hits {
        area: 6 * 4096,
        read_percent: Percent::whole(100),
        write_percent: Percent::whole(100),
    });
    w.blocks_mut().access.coverage = leadline_model::plan::Coverage::WithRepeats;
    let mut generator = round(&w, 5);
    let ios: Vec<Io> = (0..500).filter_map(|_| generator.next(Op::Read)).collect();
    let places = |ios: &[Io]| -> BTreeSet<u64> {
        let all = ios.iter().map(|io| (io.offset - START) / 4096);
        all.collect()
    };
    assert_eq!(places(&ios), [6, 7, 8, 9, 0, 1].into());
}

#[test]
fn no_io_lies_across_a_wrap() {
    let mut w = sequential();
    w.blocks_mut().sizes.by_op =
        PerOp::splat(Sizes::Split(vec![(512, 40), (1536, 30), (4096, 30)]));
    for seed in 0..50 {
        // A sequence leaves nothing out: the next I/O begins where the last one ended.
        let ios = pass(&mut round(&w, seed), 999);
        let mut next = START + 6 * 4096;
        for io in &ios {
            if next == START + 10 * 4096 {
                next = START;
            }
            assert_eq!(io.offset, next);
            next += u64::from(io.len);
        }
        assert_eq!(next, START + 8 * 4096);
    }
    for order in [
        Order::Random {
            every: 1,
            identical: false,
        },
        Order::Random {
            every: 3,
            identical: false,
        },
    ] {
        w.blocks_mut().access.order = order;
        w.blocks_mut().access.grid = Grid::Own;
        w.blocks_mut().access.coverage = leadline_model::plan::Coverage::WithRepeats;
        let mut generator = round(&w, 3);
        let mut lens = BTreeSet::new();
        for _ in 0..5000 {
            let io = generator.next(Op::Read).unwrap();
            lens.insert(io.len);
            let end = io.offset + u64::from(io.len);
            assert!(io.offset >= START && end <= START + 10 * 4096, "{io:?}");
        }
        // In a sequence between two jumps one may be cut; a jump has its size.
        let jumps_only = order
            == Order::Random {
                every: 1,
                identical: false,
            };
        assert!(!jumps_only || lens == [512, 1536, 4096].into(), "{lens:?}");
    }
}

/// Where the byte of the walk in [`round`] lies.
fn in_round(at: u64) -> u64 {
    match at.checked_sub(4 * 4096) {
        Some(beyond) => START + beyond,
        None => START + 6 * 4096 + at,
    }
}

#[test]
fn a_walk_that_begins_elsewhere_is_cut_at_the_wrap_and_leaves_nothing_out() {
    let mut w = sequential();
    w.blocks_mut().sizes.by_op =
        PerOp::splat(Sizes::Split(vec![(512, 40), (1536, 30), (4096, 30)]));
    // Before the wrap, and past it so that the walk reaches it after the end of the region.
    for blocks in [2, 7] {
        w.blocks_mut().access.begin = Begin::Apart(blocks * 4096);
        let mut cut = 0;
        for seed in 0..50 {
            let extent = Extent {
                start: START + 6 * 4096,
                len: 12 * 4096,
            };
            let wrap = WrapPoint {
                at: START + 10 * 4096,
                to: START,
            };
            let seat = (1, Arc::new(Cursors::new(1, seed)));
            let generator = Generator::seated(&w, &[extent], seed, seat);
            let mut at = blocks * 4096;
            for io in pass(&mut generator.wrapped(&[Some(wrap)]), 999) {
                assert_eq!(io.offset, in_round(at), "{blocks}");
                at += u64::from(io.len);
                cut += u32::from(at == 4 * 4096 && ![512, 1536, 4096].contains(&io.len));
                at %= 12 * 4096;
            }
            // The last I/O is not cut where the walk began.
            let begin = blocks * 4096;
            assert!((begin..begin + 4096).contains(&at), "{blocks}: {at}");
        }
        assert!(cut > 0, "{blocks}");
    }
}

#[test]
fn a_sequence_between_jumps_continues_after_the_wrap() {
    let mut w = sequential();
    w.blocks_mut().sizes.by_op =
        PerOp::splat(Sizes::Split(vec![(512, 40), (1536, 30), (4096, 30)]));
    w.blocks_mut().access.order = Order::Random {
        every: 3,
        identical: false,
    };
    w.blocks_mut().access.grid = Grid::Own;
    w.blocks_mut().access.coverage = leadline_model::plan::Coverage::WithRepeats;
    let ios = pass(&mut round(&w, 3), 9000);
    let mut wrapped = 0;
    for three in ios.chunks(3) {
        for two in three.windows(2) {
            let end = two[0].offset + u64::from(two[0].len);
            // The end of the region, and a place within it too: the next may be a jump.
            if end == START + 8 * 4096 {
                continue;
            }
            let at_wrap = end == START + 10 * 4096;
            wrapped += u32::from(at_wrap);
            let next = if at_wrap { START } else { end };
            assert_eq!(two[1].offset, next, "{two:?}");
        }
    }
    assert!(wrapped > 100, "{wrapped}");
}
