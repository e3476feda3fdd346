//! The first and the last places there are: of a region, of a share, of a pass. Regions of a few bytes, each against
//! the whole list of what it has to give.

use super::*;
use leadline_model::plan::access::{AtEnd, Begin, Draws, Grid, Hits};

const START: u64 = 1 << 20;

fn sequence(block: u64, skip: i64) -> Workload {
    workload(OpMix::reads(), block, Order::Sequential { skip })
}

fn one(w: &Workload, len: u64) -> Generator {
    Generator::new(w, &extents(&[len]), 7)
}

/// Offsets and lengths of a pass.
fn places(generator: &mut Generator) -> Vec<(u64, u64)> {
    let ios = pass(generator, 1000);
    let place = |io: &Io| (io.offset - START, u64::from(io.len));
    ios.iter().map(place).collect()
}

/// All small regions, blocks and distances.
fn small() -> impl Iterator<Item = (u64, u64, u64)> {
    let of_len = |len| (1..=5).map(move |block| (len, block));
    let of_block = |(len, block)| (0..=6).map(move |more| (len, block, more));
    (1..=24).flat_map(of_len).flat_map(of_block)
}

#[test]
fn a_sequence_does_all_blocks_that_fit_and_none_beyond() {
    for (len, block, skip) in small() {
        let w = sequence(block, i64::try_from(skip).unwrap());
        let mut generator = one(&w, len);
        let expected: Vec<_> = match len < block {
            // It is all there is.
            true => vec![(0, len)],
            false => (0..=len - block)
                .step_by(usize::try_from(block + skip).unwrap())
                .map(|at| (at, block))
                .collect(),
        };
        for _ in 0..3 {
            assert_eq!(places(&mut generator), expected, "{len} {block} {skip}");
            assert_eq!(generator.next(Op::Read), None);
            generator.start_pass();
        }
    }
}

#[test]
fn a_sequence_backwards_touches_the_start_then_the_end_and_all_between() {
    for (len, block, beyond) in small().filter(|(len, block, _)| len >= block) {
        let back = block + beyond + 1;
        let w = sequence(block, -i64::try_from(back).unwrap());
        let mut generator = one(&w, len);
        // From so far before the end, each so far before the one before. Back by all there is: the start again.
        let from_end: Vec<_> = (0..)
            .map_while(|i| len.checked_sub(back + i * (back - block)))
            .map(|at| (at, block))
            .collect();
        let first = match len > back {
            true => [vec![(0, block)], from_end.clone()].concat(),
            false => vec![(0, block)],
        };
        assert_eq!(places(&mut generator), first, "{len} {block} {back}");
        for _ in 0..2 {
            generator.start_pass();
            let again = if len > back { &from_end } else { &first };
            assert_eq!(&places(&mut generator), again, "{len} {block} {back}");
        }
    }
}

#[test]
fn a_walk_from_elsewhere_goes_round_once_and_to_the_end_only_where_asked() {
    for (len, block, begin) in small().filter(|(len, block, _)| len >= block) {
        let mut w = sequence(block, 0);
        w.blocks_mut().access.begin = Begin::Apart(begin);
        let usable = len - len % block;
        let first = begin % usable;
        for at_end in [AtEnd::default(), AtEnd::Stop] {
            w.blocks_mut().access.at_end = at_end;
            let bytes = match at_end {
                AtEnd::Stop => usable - first,
                _ => usable,
            };
            let (mut at, mut done, mut expected) = (first, 0, Vec::new());
            while done < bytes {
                let size = block.min(usable - at);
                expected.push((at, size));
                (at, done) = ((at + size) % usable, done + size);
            }
            let seat = (1, Arc::new(Cursors::new(1, 7)));
            let mut generator = Generator::seated(&w, &extents(&[len]), 7, seat);
            for _ in 0..2 {
                assert_eq!(places(&mut generator), expected, "{len} {block} {begin}");
                generator.start_pass();
            }
        }
    }
}

#[test]
fn each_slot_begins_where_its_worker_does_and_again_after_a_pass() {
    for (len, block, begin) in small().filter(|(len, block, _)| len >= block) {
        for (skip, at_end) in [
            (0, AtEnd::default()),
            (0, AtEnd::Stop),
            (2, AtEnd::default()),
        ] {
            let mut w = sequence(block, skip);
            let access = &mut w.blocks_mut().access;
            (access.position, access.begin) = (Position::EachSlot, Begin::Apart(begin));
            (access.at_end, w.depth) = (at_end, 2);
            let seat = (1, Arc::new(Cursors::new(1, 7)));
            let mut generator = Generator::seated(&w, &extents(&[len]), 7, seat);
            // Whole blocks, but where some bytes are left out in between, an I/O may end anywhere.
            let usable = if skip == 0 { len - len % block } else { len };
            let mut next = [begin % usable; 2];
            let mut ended = false;
            for slot in [0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1] {
                generator.for_slot(slot);
                let at = &mut next[usize::from(slot)];
                let fits = *at + block <= usable;
                if !fits && at_end == AtEnd::Stop {
                    assert_eq!(generator.next(Op::Read), None, "{len} {block} {begin}");
                    ended = true;
                    continue;
                }
                *at = if fits { *at } else { 0 };
                let io = generator.next(Op::Read).unwrap();
                assert_eq!(
                    (io.offset - START, u64::from(io.len)),
                    (*at, block),
                    "{len} {block} {begin}"
                );
                *at += block + u64::try_from(skip).unwrap();
            }
            if ended && begin % usable + block <= usable {
                generator.start_pass();
                for slot in [1, 0] {
                    generator.for_slot(slot);
                    let io = generator.next(Op::Read).unwrap();
                    assert_eq!(io.offset - START, begin % usable, "{len} {block} {begin}");
                }
            }
        }
    }
}

#[test]
fn a_shared_position_does_all_blocks_that_fit() {
    for (len, block, skip) in small().filter(|(len, block, _)| len >= block) {
        let mut w = sequence(block, i64::try_from(skip).unwrap());
        w.blocks_mut().access.position = Position::Workload;
        let cursors = Arc::new(Cursors::new(1, 7));
        let seat = |number| (number, Arc::clone(&cursors));
        let mut both = [0, 1].map(|n| Generator::seated(&w, &extents(&[len]), 7, seat(n)));
        let expected: Vec<_> = (0..=len - block)
            .step_by(usize::try_from(block + skip).unwrap())
            .map(|at| (at, block))
            .collect();
        for _ in 0..2 {
            let one = places(&mut both[0]);
            assert!(places(&mut both[1]).is_empty());
            assert_eq!(one, expected, "{len} {block} {skip}");
            both.iter_mut().for_each(Generator::start_pass);
        }
    }
}

#[test]
fn a_shared_random_begin_is_anywhere_and_the_same_for_all_workers() {
    let mut w = sequence(4096, 0);
    let access = &mut w.blocks_mut().access;
    (access.position, access.begin) = (Position::Workload, Begin::Random);
    access.file_choice = FileChoice::RoundRobin { ios: 1 };
    let mut firsts = [BTreeMap::<u64, u32>::new(), BTreeMap::new()];
    let mut alike = 0;
    for seed in 0..1000 {
        let cursors = Arc::new(Cursors::new(2, seed));
        let mut all = [0, 1, 2, 3].map(|number| {
            let seat = (number, Arc::clone(&cursors));
            Generator::seated(&w, &extents(&[10 * 4096; 2]), u64::from(number), seat)
        });
        // The first two I/Os are one in each file, whoever does them; the next two continue.
        let order = [0, 1, 2, 3].map(|n| all[n].next(Op::Read).unwrap());
        let block = |io: &Io| (io.offset - START) / 4096;
        let first = block(&order[0]);
        for (n, io) in (0u64..).zip(&order) {
            assert_eq!(block(io), (first + n) % 10, "seed {seed}");
        }
        *firsts[0].entry(first).or_default() += 1;
        let second = all[0].next(Op::Read).unwrap();
        assert_eq!(second.file, 1);
        *firsts[1].entry(block(&second)).or_default() += 1;
        alike += u32::from(block(&second) == first);
    }
    for of_file in firsts {
        assert_eq!(of_file.len(), 10, "{of_file:?}");
        assert!(of_file.values().all(|n| (60..145).contains(n)));
    }
    assert!((60..145).contains(&alike), "files begin apart: {alike}");
}

fn with_hits(block: u64, area: u64, percent: u8) -> Workload {
    let mut w = sequence(block, 0);
    w.blocks_mut().access.hits = Some(Hits {
        area,
        read_percent: Percent::whole(percent),
        write_percent: Percent::NONE,
    });
    w
}

#[test]
fn hits_and_the_rest_share_the_region_to_the_last_byte() {
    for (len, block, area) in small().filter(|(_, _, area)| *area > 0) {
        let hit = area.next_multiple_of(block).min(len);
        let rest = len - hit;
        let text = format!("{len} {block} {area}");
        // Without hits the rest is walked through, unless no I/O fits.
        let expected: Vec<u64> = (0..rest / block).map(|i| hit + i * block).collect();
        if !expected.is_empty() {
            let seen = places(&mut one(&with_hits(block, area, 0), len));
            assert_eq!(seen.iter().map(|p| p.0).collect::<Vec<_>>(), expected);
            assert!(seen.iter().all(|p| p.1 == block), "{text}");
        }
        // Where there is no rest all are hits, whatever their share, and the pass has no end.
        for percent in [0, 30, 100] {
            if percent < 100 && !expected.is_empty() {
                continue;
            }
            let seen = places(&mut one(&with_hits(block, area, percent), len));
            assert_eq!(seen.len(), 1000, "{text} {percent}");
            let seen: BTreeSet<_> = seen.into_iter().collect();
            let in_area: BTreeSet<_> = match hit < block {
                true => [(0, hit)].into(),
                false => (0..hit / block).map(|i| (i * block, block)).collect(),
            };
            assert_eq!(seen, in_area, "{text} {percent}");
        }
    }
}

#[test]
fn hits_on_their_own_grid_fill_the_area() {
    for (area, seen) in [(1, 1), (4096, 1), (4097, 2), (16_384, 4)] {
        let mut w = with_hits(4096, area, 100);
        w.blocks_mut().access.grid = Grid::Own;
        let found: BTreeSet<u64> = offsets(&pass(&mut one(&w, 1 << 20), 500))
            .into_iter()
            .collect();
        assert_eq!(found, (0..seen).map(|i| i * 4096).collect(), "{area}");
    }
}

/// Every way there is to go through files.
fn ways() -> Vec<(&'static str, Workload)> {
    let random = || workload(OpMix::reads(), 2, RANDOM);
    let with = |name, mut w: Workload, change: &dyn Fn(&mut Workload)| {
        change(&mut w);
        (name, w)
    };
    let several = |w: &mut Workload| {
        w.blocks_mut().sizes.by_op = PerOp::splat(Sizes::Split(vec![(1, 50), (2, 50)]));
    };
    let law = |law: Distribution| {
        move |w: &mut Workload| w.blocks_mut().access.distribution = PerOp::splat(law.clone())
    };
    let center = Some(0.5);
    vec![
        with("straight", sequence(2, 0), &|_| ()),
        with("straight, sizes", sequence(2, 0), &several),
        with("skipping", sequence(2, 3), &|_| ()),
        with("backwards", sequence(2, -4), &|_| ()),
        with("turned", sequence(2, 0), &|w| {
            w.blocks_mut().access.begin = Begin::Random;
        }),
        with("by slot", sequence(2, 0), &|w| {
            w.blocks_mut().access.position = Position::EachSlot;
        }),
        with("together", sequence(2, 0), &|w| {
            w.blocks_mut().access.position = Position::Workload;
        }),
        with("once", random(), &|_| ()),
        with("once, sizes", random(), &several),
        with("anywhere", random(), &|w| {
            w.blocks_mut().access.coverage = Coverage::WithRepeats;
        }),
        with(
            "zipf",
            random(),
            &law(Distribution::Zipf { theta: 1.1, center }),
        ),
        with(
            "pareto",
            random(),
            &law(Distribution::Pareto { h: 0.2, center }),
        ),
        with("bell", random(), &|w| {
            let deviation = 30.0;
            law(Distribution::Normal { deviation, center })(w);
        }),
        with("zones", random(), &|w| {
            let zone = |access_percent, percent| Zone {
                access_percent,
                extent: Amount::Percent(percent),
            };
            law(Distribution::Zoned(vec![zone(50.0, 50), zone(50.0, 50)]))(w);
        }),
        with("low end", random(), &law(Distribution::LowEnd(1.0))),
        with("blended", random(), &|w| {
            w.blocks_mut().access.random_percent = PerOp::splat(Percent::whole(50));
        }),
        with("strides", random(), &|w| {
            w.blocks_mut().access.stride = Some((1, 4));
        }),
        with("own grid", random(), &|w| {
            several(w);
            w.blocks_mut().access.grid = Grid::Own;
        }),
        with("hits", sequence(2, 0), &|w| {
            *w = with_hits(2, 2, 50);
        }),
    ]
}

#[test]
fn an_empty_file_gets_no_io_whatever_the_way() {
    for (way, mut w) in ways() {
        for choice in [FileChoice::RoundRobin { ios: 1 }, FileChoice::Sequential] {
            w.blocks_mut().access.file_choice = choice;
            for sizes in [&[0][..], &[0, 0], &[0, 12, 0]] {
                let cursors = Arc::new(Cursors::new(sizes.len(), 7));
                let mut generator = Generator::seated(&w, &extents(sizes), 7, (0, cursors));
                for _ in 0..2 {
                    let ios = pass(&mut generator, 200);
                    assert_eq!(ios.is_empty(), sizes.len() < 3, "{way}");
                    for io in ios {
                        assert!(io.file == 1 && io.len > 0, "{way}: {io:?}");
                    }
                    generator.start_pass();
                }
            }
        }
    }
}

#[test]
fn the_first_and_the_last_byte_of_a_file_are_reached_whatever_the_way() {
    for (way, w) in ways() {
        // Strides and what is left out miss some; a jump backwards begins at the start.
        let partly = ["skipping", "backwards", "strides"].contains(&way);
        for len in [2, 4, 6, 20] {
            let mut seen = BTreeSet::new();
            for seed in 0..40 {
                let cursors = Arc::new(Cursors::new(1, seed));
                let mut generator = Generator::seated(&w, &extents(&[len]), seed, (0, cursors));
                for io in pass(&mut generator, 400) {
                    let at = io.offset - START;
                    assert!(at + u64::from(io.len) <= len, "{way} {len}: {io:?}");
                    seen.extend(at..at + u64::from(io.len));
                }
            }
            assert!(seen.contains(&0), "{way} {len}: {seen:?}");
            let all = seen.len() as u64 == len;
            assert!(partly || all, "{way} {len}: {seen:?}");
        }
    }
}

#[test]
fn a_pass_that_is_over_stays_over() {
    for choice in [
        FileChoice::RoundRobin { ios: 1 },
        FileChoice::RoundRobin { ios: 3 },
        FileChoice::Sequential,
        FileChoice::Random { ios: 1 },
        FileChoice::Random { ios: 4 },
        FileChoice::Zipf { theta: 1.2 },
        FileChoice::Normal { deviation: 20.0 },
    ] {
        for (way, mut w) in ways() {
            w.blocks_mut().access.file_choice = choice;
            let mut generator = Generator::new(&w, &extents(&[4, 8, 2]), 7);
            let ios = pass(&mut generator, 2000).len();
            // Some have no end, and a blend can go on where it was as long as it need not jump.
            if ios == 2000 || way == "blended" {
                continue;
            }
            for _ in 0..9 {
                assert_eq!(generator.next(Op::Read), None, "{way} {choice:?}");
            }
            generator.start_pass();
            assert!(generator.next(Op::Read).is_some(), "{way} {choice:?}");
        }
    }
}

/// Reads of one block and writes of several, which take what the others leave at the end of a pass.
fn two_kinds() -> Workload {
    let mut w = workload(OpMix::mixed(90), 1, RANDOM);
    w.blocks_mut().sizes.by_op.write = Sizes::Split(vec![(1, 10), (7, 90)]);
    w
}

#[test]
fn a_pass_that_begins_in_the_middle_of_another_is_a_whole_one() {
    let whole = ["straight", "straight, sizes", "once", "once, sizes"];
    let ways = ways().into_iter().filter(|(way, _)| whole.contains(way));
    for (way, w) in ways.chain([("two kinds", two_kinds())]) {
        for (seed, ios) in (0..60).map(|n| (n, usize::try_from(n).unwrap() * 3)) {
            let mut generator = Generator::new(&w, &extents(&[90, 30]), seed);
            for _ in 0..2 {
                let _part = pass(&mut generator, ios);
                generator.start_pass();
                let mut times = [[0u32; 90]; 2];
                for io in pass(&mut generator, 1000) {
                    let at = usize::try_from(io.offset - START).unwrap();
                    let bytes = &mut times[io.file as usize][at..at + io.len as usize];
                    bytes.iter_mut().for_each(|n| *n += 1);
                }
                assert_eq!(times[0], [1; 90], "{way} {seed} {ios}");
                assert_eq!(times[1][..30], [1; 30], "{way} {seed} {ios}");
                generator.start_pass();
            }
        }
    }
}

#[test]
fn a_blend_starts_over_with_its_pass() {
    for identical in [false, true] {
        let w = workload(
            OpMix::reads(),
            1,
            Order::Random {
                every: 50,
                identical,
            },
        );
        for ios in [1, 30, 50, 99] {
            let mut generator = one(&w, 1 << 40);
            pass(&mut generator, ios);
            generator.start_pass();
            // It begins with a jump, and this many I/Os before the next.
            let seen = offsets(&pass(&mut generator, 51));
            let step = u64::from(!identical);
            assert!(seen[..50].windows(2).all(|two| two[1] == two[0] + step));
            assert!(seen[50].abs_diff(seen[49]) > 1, "{identical} {ios}");
        }
    }
}

#[test]
fn of_one_file_nothing_is_drawn_to_choose_it() {
    let of = |choice, way: &Workload| {
        let mut w = way.clone();
        w.blocks_mut().access.file_choice = choice;
        pass(&mut one(&w, 1 << 12), 300)
    };
    for (way, w) in ways() {
        let expected = of(FileChoice::RoundRobin { ios: 1 }, &w);
        for choice in [
            FileChoice::Random { ios: 1 },
            FileChoice::Zipf { theta: 1.2 },
            FileChoice::Pareto { h: 0.2 },
            FileChoice::Normal { deviation: 20.0 },
        ] {
            assert_eq!(of(choice, &w), expected, "{way} {choice:?}");
        }
    }
}

#[test]
fn a_file_has_its_turn_for_as_many_ios_as_asked_and_then_the_next() {
    for draws in [Draws::Own, Draws::Diskspd] {
        // None is one.
        for ios in [0, 1, 2, 3] {
            let mut w = workload(OpMix::reads(), 4096, Order::Sequential { skip: 0 });
            let access = &mut w.blocks_mut().access;
            (access.draws, access.position) = (draws, Position::EachFile);
            access.file_choice = FileChoice::RoundRobin { ios };
            let mut generator = Generator::new(&w, &extents(&[1 << 20; 3]), 7);
            let files = pass(&mut generator, 18);
            for (number, io) in (0..).zip(&files) {
                assert_eq!(
                    io.file,
                    number / ios.max(1) % 3,
                    "{draws:?} {ios}: {files:?}"
                );
            }
        }
    }
}

#[test]
fn the_only_kind_of_io_is_known_where_there_is_one() {
    let of = |mix| {
        let generator = one(&workload(mix, 4096, RANDOM), 1 << 20);
        generator.only_op()
    };
    for op in [Op::Read, Op::Write, Op::Trim] {
        assert_eq!(of(OpMix::Only(op)), Some(op));
    }
    assert_eq!(of(OpMix::mixed(0)), Some(Op::Write));
    assert_eq!(of(OpMix::mixed(100)), Some(Op::Read));
    for mix in [OpMix::mixed(1), OpMix::mixed(99), OpMix::TrimWrite] {
        assert_eq!(of(mix), None);
    }
}

/// Files of these blocks, of which those at the front are favoured: each gets its share of the I/Os, by its place.
fn favoured(blocks: &[u64]) -> Generator {
    let mut w = workload(OpMix::reads(), 4096, RANDOM);
    w.blocks_mut().access.file_choice = FileChoice::Zipf { theta: 3.0 };
    let sizes: Vec<u64> = blocks.iter().map(|n| n * 4096).collect();
    Generator::new(&w, &extents(&sizes), 7)
}

#[test]
fn files_that_are_left_keep_their_shares_when_the_favourite_is_done() {
    let ios = pass(&mut favoured(&[1, 1 << 20, 1 << 20]), 20_000);
    let of = |file| ios.iter().filter(|io| io.file == file).count();
    assert_eq!(of(0), 1);
    // 1/8 to 1/27; what is drawn in vain too often in a row is taken evenly, which is seldom.
    let share = of(1) as f64 / (of(1) + of(2)) as f64;
    assert!((0.7..0.79).contains(&share), "{share}");
}

#[test]
fn the_favourite_is_as_likely_to_begin_any_pass_as_the_first() {
    let mut generator = favoured(&[1, 3]);
    let mut first = 0;
    for _ in 0..1000 {
        let ios = pass(&mut generator, 99);
        assert_eq!(ios.len(), 4);
        first += u32::from(ios[0].file == 0);
        generator.start_pass();
    }
    // 1 to 1/8: of 1000 are 889, and ten is a standard deviation.
    assert!(first.abs_diff(889) < 50, "{first}");
}

#[test]
fn a_share_is_that_of_all_numbers_to_the_last() {
    // Reads are the numbers below a threshold, so that as many are reads as are below it.
    let read_percent = Percent::whole(50);
    let half = threshold(read_percent);
    for (number, op) in [
        (0, Op::Read),
        (half - 1, Op::Read),
        (half, Op::Write),
        (u64::MAX, Op::Write),
    ] {
        let w = workload(OpMix::ReadWrite { read_percent }, 4096, RANDOM);
        let mut generator = one(&w, 1 << 20);
        generator.op_random = Stream::beginning_with(number);
        assert_eq!(generator.pick_op(), op, "{number}");
    }
    // Where all that may jump do, the largest number does as well.
    let every = Order::Random {
        every: 2,
        identical: false,
    };
    let mut generator = one(&workload(OpMix::reads(), 4096, every), 1 << 40);
    generator.random = Stream::beginning_with(u64::MAX);
    assert_ne!(generator.next(Op::Read).unwrap().offset, START);
    // Where none are hits, the smallest number is none.
    let mut generator = one(&with_hits(4096, 4096, 0), 1 << 20);
    generator.random = Stream::beginning_with(0);
    assert_eq!(generator.next(Op::Read).unwrap().offset, START + 4096);
}

#[test]
fn sizes_of_what_a_workload_does_not_do_count_for_nothing() {
    for op in [Op::Read, Op::Write, Op::Trim] {
        let mut w = workload(OpMix::Only(op), 1, Order::Sequential { skip: 0 });
        w.blocks_mut().access.position = Position::EachFile;
        let by_op = &mut w.blocks_mut().sizes.by_op;
        let own = match op {
            Op::Read => &mut by_op.read,
            Op::Write => &mut by_op.write,
            _ => &mut by_op.trim,
        };
        *own = Sizes::Fixed(8);
        // A rest that holds only what the others would do is left alone.
        let mut generator = one(&w, 8 + 7);
        assert_eq!(generator.pass_bytes(), 8, "{op:?}");
        assert_eq!(places(&mut generator), [(0, 8)], "{op:?}");
    }
}

#[test]
fn a_jump_every_0_ios_is_one_at_each() {
    for percent in [30, 100] {
        let of = |every| {
            let identical = false;
            let mut w = workload(OpMix::reads(), 4096, Order::Random { every, identical });
            w.blocks_mut().access.random_percent = PerOp::splat(Percent::whole(percent));
            pass(&mut one(&w, 1 << 20), 100)
        };
        assert_eq!(of(0), of(1), "{percent}");
    }
}

/// The schedule refuses both; here they only must not bring anything down.
#[test]
fn a_grid_of_no_bytes_is_one_of_single_bytes() {
    let mut w = workload(OpMix::reads(), 4, RANDOM);
    w.blocks_mut().access.coverage = Coverage::WithRepeats;
    let seen = |w: &Workload| -> BTreeSet<u64> {
        let ios = pass(&mut one(w, 8), 200);
        offsets(&ios).into_iter().collect()
    };
    assert_eq!(seen(&w), [0, 4].into());
    w.blocks_mut().access.grid = Grid::Bytes(0);
    assert_eq!(seen(&w), (0..=4).collect());
    w.blocks_mut().access.grid = Grid::Sizes;
    w.blocks_mut().sizes.align = PerOp::splat(Some(0));
    assert_eq!(seen(&w), (0..=4).collect());
}

#[test]
fn a_pass_has_the_bytes_of_all_whole_blocks() {
    for (len, block, _) in small() {
        let usable = if len < block { len } else { len - len % block };
        for w in [sequence(block, 0), workload(OpMix::reads(), block, RANDOM)] {
            let generator = Generator::new(&w, &extents(&[len, 0, len]), 7);
            assert_eq!(generator.pass_bytes(), 2 * usable, "{len} {block}");
        }
    }
}
