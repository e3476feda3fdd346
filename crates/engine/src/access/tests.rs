//! The generator against what the plan says.

mod cuts;
mod diskspd;
mod edges;
mod laws;

use super::*;
use leadline_model::op::PerOp;
use leadline_model::plan::access::{FileChoice, Position, Sizes, Zone};
use leadline_model::plan::{Amount, BlockSizes, Target};
use leadline_model::units::Percent;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const RANDOM: Order = Order::Random {
    every: 1,
    identical: false,
};

fn workload(mix: OpMix, size: u64, order: Order) -> Workload {
    let mut workload = Workload::new("w", Target::Null { size: 1 << 30 });
    workload.blocks_mut().mix = mix;
    workload.blocks_mut().sizes = BlockSizes::fixed(size);
    workload.blocks_mut().access.order = order;
    workload
}

fn extents(sizes: &[u64]) -> Vec<Extent> {
    sizes
        .iter()
        .map(|&len| Extent {
            start: 1 << 20,
            len,
        })
        .collect()
}

/// The I/Os of one pass, as the worker asks for them, up to `limit`.
fn pass(generator: &mut Generator, limit: usize) -> Vec<Io> {
    std::iter::from_fn(|| {
        let op = generator.pick_op();
        generator.next(op)
    })
    .take(limit)
    .collect()
}

fn offsets(ios: &[Io]) -> Vec<u64> {
    ios.iter().map(|io| io.offset - (1 << 20)).collect()
}

proptest! {
    #[test]
    fn random_once_covers_each_block_once(
        blocks in prop::collection::vec(0u64..300, 1..5),
        tail in 0u64..4096,
        seed: u64,
        choice in 0usize..4,
    ) {
        let mut workload = workload(OpMix::mixed(30), 4096, RANDOM);
        workload.blocks_mut().access.file_choice = [
            FileChoice::RoundRobin { ios: 2 },
            FileChoice::Sequential,
            FileChoice::Random { ios: 3 },
            FileChoice::Zipf { theta: 1.1 },
        ][choice];
        let sizes: Vec<u64> = blocks.iter().map(|b| if *b == 0 { 0 } else { b * 4096 + tail }).collect();
        let mut generator = Generator::new(&workload, &extents(&sizes), seed);
        for _ in 0..2 {
            let ios = pass(&mut generator, usize::MAX);
            let places: BTreeSet<(u32, u64)> = ios.iter().map(|io| (io.file, io.offset)).collect();
            prop_assert_eq!(places.len(), ios.len());
            prop_assert_eq!(ios.len() as u64, blocks.iter().sum::<u64>());
            prop_assert_eq!(ios.len() as u64 * 4096, generator.pass_bytes());
            for io in ios {
                let end = io.offset + u64::from(io.len) - (1 << 20);
                prop_assert!(io.len == 4096 && end.is_multiple_of(4096));
                prop_assert!(end <= sizes[usize::try_from(io.file).unwrap()]);
            }
            generator.start_pass();
        }
    }

    #[test]
    fn every_io_is_aligned_and_inside(
        len in 1u64..10_000_000,
        seed: u64,
        kind in 0usize..8,
        sizes in 0usize..4,
        align in prop::option::of(prop::sample::select(vec![512u64, 4096, 8192])),
    ) {
        let mut workload = workload(OpMix::mixed(50), 8192, RANDOM);
        let access = &mut workload.blocks_mut().access;
        let law = |law| PerOp::splat(law);
        match kind {
            0 => {}
            1 => access.coverage = Coverage::WithRepeats,
            2 => access.distribution = law(Distribution::Zipf { theta: 0.9, center: None }),
            3 => access.distribution = law(Distribution::Pareto { h: 0.2, center: Some(0.3) }),
            4 => access.distribution = law(Distribution::Normal { deviation: 40.0, center: None }),
            5 => access.distribution = law(Distribution::Zoned(vec![
                Zone { access_percent: 80.0, extent: Amount::Percent(20) },
                Zone { access_percent: 20.0, extent: Amount::Bytes(1 << 20) },
            ])),
            6 => access.random_percent = PerOp::splat(Percent::whole(30)),
            _ => access.order = Order::Random { every: 3, identical: true },
        }
        workload.blocks_mut().sizes.by_op = PerOp::splat(match sizes {
            0 => Sizes::Fixed(8192),
            1 => Sizes::Range { min: 4096, max: 65536, unaligned: false },
            2 => Sizes::Range { min: 4096, max: 65536, unaligned: true },
            _ => Sizes::Split(vec![(8192, 60), (65536, 40)]),
        });
        workload.blocks_mut().sizes.align = PerOp::splat(align);
        let unit = align.unwrap_or(workload.blocks().smallest());
        let mut generator = Generator::new(&workload, &extents(&[len]), seed);
        let whole = kind != 6 && kind != 7;
        for io in pass(&mut generator, 500) {
            prop_assert!(io.offset >= 1 << 20);
            prop_assert!(io.len > 0 && io.offset + u64::from(io.len) <= (1 << 20) + len);
            prop_assert!(!whole || (io.offset - (1 << 20)).is_multiple_of(unit));
            prop_assert!(len < 65536 || !whole || io.len >= unit.min(4096).try_into().unwrap());
        }
    }
}

proptest! {
    /// The short ways give the very stream of the lanes.
    #[test]
    fn short_ways_equal_the_long_one(
        len in 0u64..3_000_000,
        seed: u64,
        kind in 0usize..3,
        mix in 0usize..3,
        one: bool,
        align in prop::option::of(Just(512u64)),
    ) {
        let mix = [OpMix::reads(), OpMix::mixed(60), OpMix::Only(Op::Trim)][mix];
        let order = if kind == 0 { Order::Sequential { skip: 0 } } else { RANDOM };
        let mut workload = workload(mix, 4096, order);
        workload.blocks_mut().access.position = if one { Position::EachFile } else { Position::EachKind };
        workload.blocks_mut().sizes.align = PerOp::splat(align);
        if kind == 2 {
            workload.blocks_mut().access.coverage = Coverage::WithRepeats;
        }
        let mut short = Generator::new(&workload, &extents(&[len]), seed);
        let mut long = short.clone();
        prop_assert_ne!(short.route, Route::Lanes);
        long.route = Route::Lanes;
        for _ in 0..3 {
            prop_assert_eq!(pass(&mut short, 300), pass(&mut long, 300));
            short.start_pass();
            long.start_pass();
        }
    }

    /// Lent state, given back at any moment, changes nothing.
    #[test]
    fn lent_state_gives_the_same_stream(len in 0u64..300_000, seed: u64, once: bool, turn in 1usize..40) {
        let order = if once { RANDOM } else { Order::Sequential { skip: 0 } };
        let workload = workload(OpMix::reads(), 4096, order);
        let mut by_loan = Generator::new(&workload, &extents(&[len]), seed);
        let mut by_itself = by_loan.clone();
        for at in 0..200 {
            let io = match by_loan.lend(Op::Read) {
                Some(mut lent) if at % turn != 0 => {
                    let io = lent.next();
                    by_loan.take_back(&lent);
                    io
                }
                _ => by_loan.next(Op::Read).map(|io| (io.offset, io.len)),
            };
            prop_assert_eq!(io, by_itself.next(Op::Read).map(|io| (io.offset, io.len)));
        }
    }

    /// Whatever the files are and however they are chosen: an I/O lies in its file, a pass ends, and after
    /// a new start there is an I/O of the kind that had ended.
    #[test]
    fn files_of_any_size_in_any_order(
        sizes in prop::collection::vec(prop_oneof![Just(0u64), 1u64..50_000], 0..6),
        seed: u64,
        choice in 0usize..6,
        which in 0usize..5,
        read_percent in 0u8..=100,
    ) {
        let mut workload = workload(OpMix::mixed(read_percent), 4096, RANDOM);
        let access = &mut workload.blocks_mut().access;
        access.file_choice = [
            FileChoice::RoundRobin { ios: 1 },
            FileChoice::Sequential,
            FileChoice::Random { ios: 5 },
            FileChoice::Zipf { theta: 1.3 },
            FileChoice::Pareto { h: 0.1 },
            FileChoice::Normal { deviation: 20.0 },
        ][choice];
        match which {
            0 => {}
            1 => access.order = Order::Sequential { skip: 0 },
            2 => access.order = Order::Sequential { skip: -12288 },
            3 => access.coverage = Coverage::WithRepeats,
            _ => access.random_percent = PerOp::splat(Percent::whole(20)),
        }
        let mut generator = Generator::new(&workload, &extents(&sizes), seed);
        let units: u64 = sizes.iter().map(|len| len.div_ceil(4096)).sum();
        let mut since = 0;
        for _ in 0..600 {
            let op = generator.pick_op();
            let io = generator.next(op).or_else(|| {
                since = 0;
                generator.start_pass();
                generator.next(op)
            });
            let Some(io) = io else {
                prop_assert_eq!(units, 0);
                return Ok(());
            };
            since += 1;
            prop_assert!(which >= 3 || since <= 2 * units);
            let len = sizes[usize::try_from(io.file).unwrap()];
            prop_assert!(io.op == op && io.len > 0 && io.offset >= 1 << 20);
            prop_assert!(io.offset + u64::from(io.len) <= (1 << 20) + len);
        }
    }
}

#[test]
fn the_same_seed_repeats_and_another_does_not() {
    let mut workload = workload(OpMix::mixed(70), 4096, RANDOM);
    for coverage in [Coverage::OncePerPass, Coverage::WithRepeats] {
        workload.blocks_mut().access.coverage = coverage;
        let run = |seed| {
            pass(
                &mut Generator::new(&workload, &extents(&[1 << 24]), seed),
                1000,
            )
        };
        assert_eq!(run(5), run(5));
        let same = run(5)
            .iter()
            .zip(run(6))
            .filter(|(a, b)| a.offset == b.offset)
            .count();
        assert!(
            same < 10,
            "{same} of 1000 offsets are the same for another seed"
        );
    }
}

#[test]
fn passes_and_files_have_orders_of_their_own() {
    let workload = workload(OpMix::reads(), 4096, RANDOM);
    let mut generator = Generator::new(&workload, &extents(&[1 << 22, 1 << 22]), 1);
    let first = pass(&mut generator, usize::MAX);
    generator.start_pass();
    let second = pass(&mut generator, usize::MAX);
    let of = |ios: &[Io], file| -> Vec<u64> {
        ios.iter()
            .filter(|io| io.file == file)
            .map(|io| io.offset)
            .collect()
    };
    let same = |a: Vec<u64>, b: Vec<u64>| a.iter().zip(b).filter(|(a, b)| *a == b).count();
    assert!(same(of(&first, 0), of(&second, 0)) < 20);
    assert!(same(of(&first, 0), of(&first, 1)) < 20);
}

#[test]
fn the_mix_has_its_share() {
    // 0.2 and 99.7 differ from 0 and 100 by more than chance.
    for percent in [0.0, 0.2, 1.0, 30.0, 50.0, 83.14, 99.0, 99.7, 100.0] {
        let read_percent = Percent::nearest(percent);
        let workload = workload(OpMix::ReadWrite { read_percent }, 4096, RANDOM);
        let mut generator = Generator::new(&workload, &extents(&[1 << 20]), 9);
        let n = 100_000;
        let reads = (0..n).filter(|_| generator.pick_op() == Op::Read).count() as f64;
        let p = percent / 100.0;
        let deviation = (f64::from(n) * p * (1.0 - p)).sqrt();
        assert!(
            (reads - f64::from(n) * p).abs() <= 5.0 * deviation,
            "{read_percent}: {reads}"
        );
    }
}

#[test]
fn sixteen_exbibytes_are_made_at_once() {
    for size in [512, 4096] {
        let workload = workload(OpMix::reads(), size, RANDOM);
        let extents = [Extent {
            start: 0,
            len: u64::MAX,
        }];
        let mut generator = Generator::new(&workload, &extents, 3);
        let ios = pass(&mut generator, 10_000);
        let places: BTreeSet<u64> = ios.iter().map(|io| io.offset).collect();
        assert_eq!(places.len(), 10_000);
        assert!(places.last().unwrap() > &(u64::MAX / 100 * 98));
    }
}

#[test]
fn sequential_goes_to_the_end_and_leaves_the_tail() {
    let order = Order::Sequential { skip: 0 };
    let workload = workload(OpMix::reads(), 4096, order);
    let mut generator = Generator::new(&workload, &extents(&[4 * 4096 + 100]), 3);
    for _ in 0..2 {
        let ios = pass(&mut generator, usize::MAX);
        assert_eq!(offsets(&ios), [0, 4096, 8192, 12288]);
        assert_eq!(generator.next(Op::Read), None);
        generator.start_pass();
    }
    assert_eq!(generator.pass_bytes(), 16384);
}

#[test]
fn a_file_below_one_block_is_read_whole() {
    for order in [Order::Sequential { skip: 0 }, RANDOM] {
        let workload = workload(OpMix::reads(), 4096, order);
        let mut generator = Generator::new(&workload, &extents(&[100, 0]), 3);
        let ios = pass(&mut generator, usize::MAX);
        assert_eq!(ios.len(), 1);
        assert_eq!(
            (ios[0].file, ios[0].len, generator.pass_bytes()),
            (0, 100, 100)
        );
    }
}

#[test]
fn skips_go_forwards_and_backwards() {
    for (skip, expected) in [
        (4096, vec![0, 8192, 16384]),
        (-8192, vec![0, 16384, 12288, 8192, 4096, 0]),
        (-12288, vec![0, 12288, 4096]),
        // Less than a block is left, and not touched.
        (3072, vec![0, 7168, 14336]),
        (2560, vec![0, 6656, 13312, 19968]),
        (
            -2048,
            vec![
                0, 2048, 4096, 6144, 8192, 10240, 12288, 14336, 16384, 18432, 20480,
            ],
        ),
        (1 << 40, vec![0]),
        (i64::MIN, vec![0]),
    ] {
        let workload = workload(OpMix::reads(), 4096, Order::Sequential { skip });
        let mut generator = Generator::new(&workload, &extents(&[6 * 4096]), 3);
        let ios = pass(&mut generator, 100);
        assert_eq!(offsets(&ios), expected, "skip {skip}");
        assert!(ios.iter().all(|io| io.len == 4096), "skip {skip}");
        generator.start_pass();
        // Backwards the second pass continues as if there had been no end.
        let turned = usize::from((-24_576..-4096).contains(&skip));
        let again = &expected[turned..=turned];
        assert_eq!(offsets(&pass(&mut generator, 1)), again);
    }
}

#[test]
fn reads_and_writes_have_positions_of_their_own_unless_shared() {
    let order = Order::Sequential { skip: 0 };
    let mut workload = workload(OpMix::mixed(50), 4096, order);
    let ops = [Op::Read, Op::Write, Op::Write, Op::Read, Op::Read];
    let mut run = |position| {
        workload.blocks_mut().access.position = position;
        let mut generator = Generator::new(&workload, &extents(&[3 * 4096]), 3);
        let ios: Vec<_> = ops
            .iter()
            .map(|&op| generator.next(op).map(|io| io.offset >> 12 & 15))
            .collect();
        assert_eq!(generator.next(Op::Read), None);
        generator.start_pass();
        let next =
            [Op::Read, Op::Write].map(|op| generator.next(op).map(|io| io.offset >> 12 & 15));
        (ios, next)
    };
    // The reads start over, the writes go on.
    assert_eq!(
        run(Position::EachKind),
        (
            vec![Some(0), Some(0), Some(1), Some(1), Some(2)],
            [Some(0), Some(2)]
        )
    );
    assert_eq!(
        run(Position::EachFile),
        (
            vec![Some(0), Some(1), Some(2), None, None],
            [Some(0), Some(1)]
        )
    );
}

#[test]
fn different_units_walk_apart_and_both_cover() {
    let mut workload = workload(OpMix::mixed(50), 4096, RANDOM);
    workload.blocks_mut().sizes.by_op.write = Sizes::Fixed(16384);
    let mut generator = Generator::new(&workload, &extents(&[1 << 18]), 3);
    for (op, count, len) in [(Op::Read, 64, 4096u32), (Op::Write, 16, 16384)] {
        let places: BTreeSet<u64> = std::iter::from_fn(|| generator.next(op))
            .map(|io| (io.offset - (1 << 20)) / u64::from(len))
            .collect();
        assert_eq!(places, (0..count).collect());
    }
}

#[test]
fn sizes_follow_the_order_when_asked() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    workload.blocks_mut().access.coverage = Coverage::WithRepeats;
    workload.blocks_mut().access.random_percent = PerOp::splat(Percent::whole(40));
    workload.blocks_mut().sizes.by_order = true;
    workload.blocks_mut().sizes.by_op.read = Sizes::Fixed(65536);
    let mut generator = Generator::new(&workload, &extents(&[1 << 50]), 3);
    let ios = pass(&mut generator, 20_000);
    let jumps = ios
        .windows(2)
        .filter(|w| w[1].offset != w[0].offset + u64::from(w[0].len))
        .count();
    let random = ios[1..].iter().filter(|io| io.len == 4096).count();
    assert!(ios.iter().all(|io| io.len == 4096 || io.len == 65536));
    assert!(
        jumps.abs_diff(random) <= 2,
        "{jumps} jumps, {random} of the random size"
    );
    // Five standard deviations of a binomial with n 20,000 and p 0.4 are 346.
    assert!(random.abs_diff(8000) < 350, "{random} of 8000");
}

#[test]
fn a_jump_every_few_ios() {
    for identical in [false, true] {
        let order = Order::Random {
            every: 4,
            identical,
        };
        let workload = workload(OpMix::reads(), 4096, order);
        let mut generator = Generator::new(&workload, &extents(&[1 << 30]), 3);
        let ios = pass(&mut generator, 4000);
        let step = if identical { 0 } else { 4096 };
        for run in ios.chunks(4) {
            assert!(run.windows(2).all(|w| w[1].offset == w[0].offset + step));
        }
        // Between them it jumps, to a place of its own each time.
        let starts: Vec<u64> = ios.chunks(4).map(|run| run[0].offset).collect();
        let jumps = ios.chunks(4).zip(&starts[1..]);
        let jumps = jumps.filter(|(run, next)| **next != run[3].offset + step);
        assert!(jumps.count() > 990, "{identical}");
        assert_eq!(starts.iter().collect::<BTreeSet<_>>().len(), 1000);
        let back = starts.windows(2).filter(|pair| pair[1] < pair[0]).count();
        assert!((400..600).contains(&back), "{back} of 999 go back");
    }
}

#[test]
fn share_zero_is_sequential_and_ends() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    workload.blocks_mut().access.random_percent = PerOp::splat(Percent::whole(0));
    let mut generator = Generator::new(&workload, &extents(&[3 * 4096]), 3);
    assert_eq!(offsets(&pass(&mut generator, 10)), [0, 4096, 8192]);
}

#[test]
fn a_blend_covers_the_units_by_its_jumps() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    workload.blocks_mut().access.random_percent = PerOp::splat(Percent::whole(50));
    let mut generator = Generator::new(&workload, &extents(&[1 << 20]), 3);
    let ios = pass(&mut generator, 100_000);
    assert!((400..700).contains(&ios.len()), "{} I/Os", ios.len());
    let starts: BTreeSet<u64> = offsets(&ios).into_iter().collect();
    assert_eq!(starts.len(), 256);
}

#[test]
fn popular_blocks_are_scattered_and_stay() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    let law = Distribution::Zipf {
        theta: 1.2,
        center: None,
    };
    workload.blocks_mut().access.distribution = PerOp::splat(law);
    let mut generator = Generator::new(&workload, &extents(&[1000 * 4096]), 3);
    let mut top = || {
        let mut counts = BTreeMap::<u64, u32>::new();
        for offset in offsets(&pass(&mut generator, 50_000)) {
            *counts.entry(offset / 4096).or_default() += 1;
        }
        generator.start_pass();
        let mut counts: Vec<_> = counts.into_iter().map(|(block, n)| (n, block)).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
            .into_iter()
            .take(5)
            .map(|(_, block)| block)
            .collect::<Vec<_>>()
    };
    let first = top();
    assert_eq!(first[..3], top()[..3]);
    assert!(
        first.windows(2).all(|w| w[0].abs_diff(w[1]) > 1),
        "{first:?}"
    );
}

#[test]
fn a_center_gives_the_most_popular_block_its_place() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    for n in [1u64, 2, 50] {
        for (at, expected) in [(0.0, 0), (0.5, n / 2), (1.0, n - 1)] {
            let center = Some(at);
            let law = Distribution::Zipf { theta: 1.2, center };
            workload.blocks_mut().access.distribution = PerOp::splat(law);
            let mut generator = Generator::new(&workload, &extents(&[n * 4096]), 3);
            let mut counts = BTreeMap::<u64, u32>::new();
            for offset in offsets(&pass(&mut generator, 100_000)) {
                *counts.entry(offset / 4096).or_default() += 1;
            }
            // All blocks are there, and their counts are those of the distribution, rank by rank.
            assert_eq!(
                counts.keys().copied().collect::<Vec<_>>(),
                (0..n).collect::<Vec<_>>()
            );
            assert_eq!(
                counts.iter().max_by_key(|(_, n)| **n).map(|(b, _)| *b),
                Some(expected)
            );
            let mut ranked: Vec<f64> = counts.values().map(|&n| f64::from(n)).collect();
            ranked.sort_by(|a, b| b.total_cmp(a));
            let sum: f64 = (1..=n).map(|k| (k as f64).powf(-1.2)).sum();
            for (count, k) in ranked.iter().zip(1u32..).take(5) {
                let wanted = 1e5 * f64::from(k).powf(-1.2) / sum;
                assert!(
                    (count - wanted).abs() <= 6.0 * wanted.sqrt(),
                    "rank {k}: {count}, {wanted}"
                );
            }
        }
    }
}

#[test]
fn reads_and_writes_have_the_same_popular_blocks() {
    let mut workload = workload(OpMix::mixed(50), 4096, RANDOM);
    let law = Distribution::Pareto {
        h: 0.1,
        center: None,
    };
    workload.blocks_mut().access.distribution = PerOp::splat(law);
    let mut generator = Generator::new(&workload, &extents(&[1000 * 4096]), 3);
    let mut counts = BTreeMap::<(Op, u64), u32>::new();
    for io in pass(&mut generator, 100_000) {
        *counts.entry((io.op, io.offset)).or_default() += 1;
    }
    let top = |op| {
        let of_op = counts.iter().filter(|((of, _), _)| *of == op);
        of_op
            .max_by_key(|(_, n)| **n)
            .map(|((_, offset), _)| *offset)
    };
    assert_eq!(top(Op::Read), top(Op::Write));
}

#[test]
fn one_position_serves_different_sizes() {
    let order = Order::Sequential { skip: 0 };
    let mut workload = workload(OpMix::mixed(50), 4096, order);
    workload.blocks_mut().access.position = Position::EachFile;
    workload.blocks_mut().sizes.by_op.write = Sizes::Fixed(8192);
    let mut generator = Generator::new(&workload, &extents(&[5 * 4096]), 3);
    let ops = [Op::Read, Op::Write, Op::Read, Op::Write, Op::Read];
    let ios: Vec<_> = ops.iter().map_while(|&op| generator.next(op)).collect();
    assert_eq!(offsets(&ios), [0, 4096, 12288, 16384]);
    assert_eq!(ios[3].len, 4096);
    // Whichever is the smaller: what holds one of those is used.
    workload.blocks_mut().sizes.by_op.read = Sizes::Fixed(16_384);
    let mut generator = Generator::new(&workload, &extents(&[3 * 8192 + 100]), 3);
    let ops = [Op::Read, Op::Write, Op::Write];
    let ios: Vec<_> = ops.iter().map_while(|&op| generator.next(op)).collect();
    assert_eq!(offsets(&ios), [0, 16_384]);
    assert_eq!(generator.pass_bytes(), 3 * 8192);
}

#[test]
fn files_take_turns() {
    let order = Order::Sequential { skip: 0 };
    let mut workload = workload(OpMix::reads(), 4096, order);
    let mut files = |choice, sizes: &[u64]| -> Vec<u32> {
        workload.blocks_mut().access.file_choice = choice;
        let mut generator = Generator::new(&workload, &extents(sizes), 3);
        pass(&mut generator, usize::MAX)
            .iter()
            .map(|io| io.file)
            .collect()
    };
    let sizes = [8192, 4096, 16384];
    assert_eq!(
        files(FileChoice::RoundRobin { ios: 1 }, &sizes),
        [0, 1, 2, 0, 2, 2, 2]
    );
    assert_eq!(
        files(FileChoice::RoundRobin { ios: 3 }, &sizes),
        [0, 0, 1, 2, 2, 2, 2]
    );
    assert_eq!(files(FileChoice::Sequential, &sizes), [0, 0, 1, 2, 2, 2, 2]);
    let random = files(FileChoice::Random { ios: 2 }, &[1 << 20; 3]);
    assert_eq!(random.len(), 768);
    assert!(random[..700].chunks(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn files_are_chosen_by_law() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    workload.blocks_mut().access.coverage = Coverage::WithRepeats;
    let mut counts = |choice| {
        workload.blocks_mut().access.file_choice = choice;
        let mut generator = Generator::new(&workload, &extents(&[1 << 20; 10]), 3);
        let mut counts = [0u32; 10];
        for io in pass(&mut generator, 50_000) {
            counts[usize::try_from(io.file).unwrap()] += 1;
        }
        counts
    };
    let zipf = counts(FileChoice::Zipf { theta: 1.0001 });
    // 1/k over the sum of 1/1 to 1/10, which is 2.929.
    assert!(
        zipf[0].abs_diff(17_071) < 600 && zipf[9].abs_diff(1_707) < 250,
        "{zipf:?}"
    );
    let pareto = counts(FileChoice::Pareto { h: 0.2 });
    assert!((pareto[0] + pareto[1]).abs_diff(40_000) < 600, "{pareto:?}");
    let bell = counts(FileChoice::Normal { deviation: 10.0 });
    assert!(
        bell[5] > bell[4] && bell[5] > bell[6] && bell[0] < 50,
        "{bell:?}"
    );
    let even = counts(FileChoice::Random { ios: 1 });
    assert!(even.iter().all(|n| n.abs_diff(5_000) < 400), "{even:?}");
}

#[test]
fn one_file_after_the_other_with_repeats() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    workload.blocks_mut().access.coverage = Coverage::WithRepeats;
    workload.blocks_mut().access.file_choice = FileChoice::Sequential;
    let mut generator = Generator::new(&workload, &extents(&[4 * 4096; 2]), 3);
    let files: Vec<u32> = pass(&mut generator, 100).iter().map(|io| io.file).collect();
    assert_eq!(files, [0, 0, 0, 0, 1, 1, 1, 1]);
    // There is nothing to go on to from a file that is alone.
    let mut generator = Generator::new(&workload, &extents(&[4 * 4096]), 3);
    assert_eq!(pass(&mut generator, 100).len(), 100);
}

#[test]
fn each_file_has_the_distribution_of_its_own_size() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    let theta = 1.1;
    workload.blocks_mut().access.distribution = PerOp::splat(Distribution::Zipf {
        theta,
        center: None,
    });
    let sizes = [50 * 4096, 2000 * 4096];
    let mut generator = Generator::new(&workload, &extents(&sizes), 3);
    let mut seen = [BTreeSet::new(), BTreeSet::new()];
    for io in pass(&mut generator, 40_000) {
        seen[io.file as usize].insert((io.offset - (1 << 20)) / 4096);
    }
    // The blocks of the small one are all of it, and those of the large one many more.
    assert_eq!((seen[0].len(), seen[0].last()), (50, Some(&49)));
    assert!(seen[1].len() > 1000, "{}", seen[1].len());
}

#[test]
fn what_was_lent_of_one_kind_continues_where_it_was_given_back() {
    let order = Order::Sequential { skip: 0 };
    let mut workload = workload(OpMix::mixed(50), 4096, order);
    workload.blocks_mut().access.position = Position::EachKind;
    let mut generator = Generator::new(&workload, &extents(&[64 * 4096]), 3);
    let next = |generator: &mut Generator, op| {
        let io = generator.next(op).unwrap();
        (io.offset - (1 << 20)) / 4096
    };
    for (op, other) in [(Op::Write, Op::Read), (Op::Read, Op::Write)] {
        let (own, others) = (next(&mut generator, op), next(&mut generator, other));
        let mut lent = generator.lend(op).unwrap();
        for block in own + 1..own + 4 {
            assert_eq!(lent.next(), Some(((1 << 20) + block * 4096, 4096)));
        }
        generator.take_back(&lent);
        assert_eq!(next(&mut generator, op), own + 4);
        assert_eq!(next(&mut generator, other), others + 1);
    }
}

#[test]
fn each_block_is_trimmed_then_written() {
    for order in [RANDOM, Order::Sequential { skip: 0 }] {
        let workload = workload(OpMix::TrimWrite, 4096, order);
        let mut generator = Generator::new(&workload, &extents(&[64 * 4096]), 3);
        let ios = pass(&mut generator, usize::MAX);
        assert_eq!(ios.len(), 128);
        for pair in ios.chunks(2) {
            assert_eq!((pair[0].op, pair[1].op), (Op::Trim, Op::Write));
            assert_eq!((pair[0].offset, pair[0].len), (pair[1].offset, pair[1].len));
        }
        // Who trims twice trims two blocks.
        generator.start_pass();
        let two = [0, 1].map(|_| generator.next(Op::Trim).unwrap().offset);
        assert_ne!(two[0], two[1]);
        assert_eq!(generator.next(Op::Write).unwrap().offset, two[1]);
    }
}

#[test]
fn many_files_are_cheap() {
    let workload = workload(OpMix::reads(), 4096, RANDOM);
    let mut generator = Generator::new(&workload, &extents(&vec![16384; 100_000]), 3);
    assert_eq!(pass(&mut generator, usize::MAX).len(), 400_000);
    generator.start_pass();
    assert_eq!(pass(&mut generator, usize::MAX).len(), 400_000);
}

#[test]
fn nothing_to_do_stays_nothing() {
    let workload = workload(OpMix::reads(), 4096, RANDOM);
    for sizes in [vec![], vec![0], vec![0, 0]] {
        let mut generator = Generator::new(&workload, &extents(&sizes), 3);
        assert_eq!(generator.next(Op::Read), None);
        generator.start_pass();
        assert_eq!(generator.next(Op::Read), None);
    }
}

#[test]
fn reads_and_writes_start_passes_independently() {
    let order = Order::Sequential { skip: 0 };
    let mut workload = workload(OpMix::mixed(50), 4096, order);
    workload.blocks_mut().access.position = Position::EachKind;
    let mut generator = Generator::new(&workload, &extents(&[3 * 4096]), 3);
    let blocks = |generator: &mut Generator, op, count| -> Vec<u64> {
        let ios = (0..count).filter_map(|_| generator.next(op));
        ios.map(|io| (io.offset - (1 << 20)) / 4096).collect()
    };
    for _ in 0..3 {
        assert_eq!(blocks(&mut generator, Op::Read, 4), [0, 1, 2]);
        assert_eq!(blocks(&mut generator, Op::Write, 4), [0, 1, 2]);
        generator.start_pass();
    }
    // Writes end: the reads continue.
    assert_eq!(blocks(&mut generator, Op::Read, 1), [0]);
    assert_eq!(blocks(&mut generator, Op::Write, 4), [0, 1, 2]);
    generator.start_pass();
    assert_eq!(blocks(&mut generator, Op::Write, 1), [0]);
    assert_eq!(blocks(&mut generator, Op::Read, 1), [1]);
    // Neither did: both start over.
    generator.start_pass();
    assert_eq!(blocks(&mut generator, Op::Read, 1), [0]);
    assert_eq!(blocks(&mut generator, Op::Write, 1), [0]);
}

#[test]
fn a_file_is_drawn_for_each_io() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    workload.blocks_mut().access.coverage = Coverage::WithRepeats;
    for choice in [
        FileChoice::Zipf { theta: 1.1 },
        FileChoice::Pareto { h: 0.2 },
        FileChoice::Normal { deviation: 10.0 },
        FileChoice::Random { ios: 1 },
    ] {
        workload.blocks_mut().access.file_choice = choice;
        let mut generator = Generator::new(&workload, &extents(&[1 << 20; 10]), 3);
        let ios = pass(&mut generator, 50_000);
        let share = |file| ios.iter().filter(|io| io.file == file).count() as f64 / 50_000.0;
        let twice = ios.windows(2).filter(|two| two[0].file == two[1].file);
        let twice = twice.count() as f64 / 50_000.0;
        // Independent draws are alike as often as the squares of the shares sum up to.
        let expected: f64 = (0..10).map(|file| share(file) * share(file)).sum();
        assert!(
            (twice - expected).abs() < 0.02,
            "{choice:?}: {twice} {expected}"
        );
    }
}

#[test]
fn files_are_equally_likely_again_in_each_pass() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    workload.blocks_mut().access.file_choice = FileChoice::Random { ios: 1 };
    // One I/O of the second file and it is done; no pass comes to the end of the first.
    let mut generator = Generator::new(&workload, &extents(&[1 << 20, 4096]), 3);
    let mut first = [0u32; 2];
    for _ in 0..400 {
        first[pass(&mut generator, 8)[0].file as usize] += 1;
        generator.start_pass();
    }
    assert!(first[0].abs_diff(200) < 60, "{first:?}");
}

#[test]
fn a_distribution_does_as_many_ios_of_a_file_as_it_has_before_the_next() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    let access = &mut workload.blocks_mut().access;
    access.file_choice = FileChoice::Sequential;
    access.distribution = PerOp::splat(Distribution::Zipf {
        theta: 1.1,
        center: None,
    });
    let mut generator = Generator::new(&workload, &extents(&[3 * 4096, 2 * 4096]), 3);
    let files: Vec<u32> = pass(&mut generator, 100).iter().map(|io| io.file).collect();
    assert_eq!(files, [0, 0, 0, 1, 1]);
}

#[test]
fn zones_in_bytes_are_exact_where_any_byte_may_be_the_first() {
    let zone = |access_percent, bytes| Zone {
        access_percent,
        extent: Amount::Bytes(bytes),
    };
    let mut workload = workload(OpMix::reads(), 1, RANDOM);
    let zones = Distribution::Zoned(vec![zone(0.0, 20), zone(100.0, 10), zone(0.0, 70)]);
    workload.blocks_mut().access.distribution = PerOp::splat(zones);
    let mut generator = Generator::new(&workload, &extents(&[100]), 3);
    let seen: BTreeSet<u64> = offsets(&pass(&mut generator, 500)).into_iter().collect();
    assert_eq!(seen, (20..30).collect());
}
