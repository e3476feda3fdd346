//! The streams of DISKSPD 2.2, as the original gave them for the same seeds, I/O for I/O.

use super::*;
use leadline_model::plan::access::{Begin, Draws, Grid, Zone};
use leadline_model::plan::{Fill, Refresh};
use leadline_model::units::Percent;

/// A DISKSPD command line's part that matters here, the file's size, and what the original did.
struct Case {
    line: &'static str,
    size: u64,
    seed: u64,
    thread: u32,
    stream: &'static str,
}

const fn case(
    line: &'static str,
    size: u64,
    (seed, thread): (u64, u32),
    stream: &'static str,
) -> Case {
    Case {
        line,
        size,
        seed,
        thread,
        stream,
    }
}

const M64: u64 = 64 << 20;

#[rustfmt::skip]
const CASES: [Case; 16] = [
    case("-b4K -r", M64, (0, 0), "R59752448 R25374720 R16928768 R21401600 R32972800 R13721600 R59117568 R39227392 R65142784 R49598464 R17457152 R12570624"),
    case("-b4K -r", M64, (0, 1), "R17170432 R5648384 R44224512 R1294336 R16584704 R59879424 R782336 R43474944 R21164032 R8638464 R5738496 R31473664"),
    case("-b4K -r", M64, (42, 0), "R67104768 R46637056 R33140736 R43024384 R20979712 R16805888 R30904320 R56557568"),
    case("-b4K -r -w30", M64, (0, 0), "R25374720 W21401600 R13721600 R39227392 R49598464 W12570624 R11141120 W65429504 R66351104 R9482240 R66674688 W43388928"),
    case("-b4K -r -w100", M64, (0, 0), "W59752448 W25374720 W16928768 W21401600 W32972800 W13721600"),
    case("-b4K -r -B16M:16M", M64, (0, 0), "R26198016 R25374720 R16928768 R21401600 R32972800 R30498816 R25563136 R22450176"),
    case("-b4K -rs50 -w50", M64, (0, 0), "R59752448 R32972800 R39227392 R17457152 R11141120 R11145216 R66351104 R55742464 W43388928 W43393024 W24637440 R48484352"),
    case("-b64K -r4K", 1 << 20, (0, 0), "R106496 R671744 R843776 R237568 R221184 R708608 R745472 R696320 R671744 R778240"),
    case("-b64K", 262_144, (0, 0), "R0 R65536 R131072 R196608 R0 R65536 R131072"),
    case("-b64K -T128K", 327_680, (0, 1), "R131072 R196608 R262144 R0 R65536 R131072 R196608"),
    case("-b64K -s96K", 327_680, (0, 0), "R0 R98304 R196608 R0 R98304 R196608 R0"),
    case("-b64K -si", 263_144, (0, 0), "R0 R65536 R131072 R196608 R0 R65536 R131072"),
    case("-b64K -p", 262_144, (0, 0), "R0 R65536 R131072 R196608 R0 R65536"),
    case("-b4K -r -rdpct90/10:0/10:5/20", M64, (0, 0), "R1458176 R3461120 R25432064 R2060288 R2310144 R516096 R5292032 R5902336 R6422528 R3846144"),
    // By the original's source, in which a write's random bytes come from the same numbers.
    case("-b4K -r -w30 -Zr", M64, (0, 0), "R25374720 W21401600 R9846784 W35573760 W17276928 R38035456 R1773568 R364544 R32673792 R24252416 R46755840 R26714112"),
    case("-b512 -r -w30 -Zr", M64, (0, 0), "R25378304 W21402112 R20391424 R64017408 R25775616 R23762944 R47246848 R8509952"),
];

/// What the command lines of the cases mean.
fn meaning(line: &str, size: u64) -> (Workload, Extent) {
    let sequential = Order::Sequential { skip: 0 };
    let mut w = workload(OpMix::reads(), 4096, sequential);
    let mut extent = Extent {
        start: 0,
        len: size,
    };
    w.blocks_mut().access.coverage = Coverage::WithRepeats;
    w.blocks_mut().access.draws = Draws::Diskspd;
    w.blocks_mut().access.position = Position::EachFile;
    for word in line.split(' ') {
        match word {
            "-b4K" => {}
            "-b64K" => w.blocks_mut().sizes = BlockSizes::fixed(65_536),
            "-b512" => w.blocks_mut().sizes = BlockSizes::fixed(512),
            "-Zr" => {
                (w.blocks_mut().payload.fill, w.blocks_mut().payload.refresh) =
                    (Fill::Random, Refresh::Each)
            }
            "-r" => w.blocks_mut().access.order = RANDOM,
            "-r4K" => {
                (w.blocks_mut().access.order, w.blocks_mut().access.grid) =
                    (RANDOM, Grid::Bytes(4096))
            }
            "-rs50" => {
                (
                    w.blocks_mut().access.order,
                    w.blocks_mut().access.random_percent,
                ) = (RANDOM, PerOp::splat(Percent::whole(50)));
            }
            "-w30" => w.blocks_mut().mix = OpMix::mixed(70),
            "-w50" => w.blocks_mut().mix = OpMix::mixed(50),
            "-w100" => w.blocks_mut().mix = OpMix::Only(Op::Write),
            "-B16M:16M" => {
                extent = Extent {
                    start: 16 << 20,
                    len: 16 << 20,
                }
            }
            "-T128K" => w.blocks_mut().access.begin = Begin::Apart(128 << 10),
            "-s96K" => w.blocks_mut().access.order = Order::Sequential { skip: 32 << 10 },
            "-si" => w.blocks_mut().access.position = Position::Workload,
            "-p" => w.blocks_mut().access.position = Position::EachSlot,
            "-rdpct90/10:0/10:5/20" => {
                let parts = [(90.0, 10), (0.0, 10), (5.0, 20), (5.0, 60)];
                w.blocks_mut().access.distribution = PerOp::splat(zones(&parts));
            }
            other => panic!("{other}"),
        }
    }
    (w, extent)
}

fn zones(parts: &[(f64, u32)]) -> Distribution {
    let zone = |&(access_percent, percent): &(f64, u32)| Zone {
        access_percent,
        extent: Amount::Percent(percent),
    };
    Distribution::Zoned(parts.iter().map(zone).collect())
}

fn generator(w: &Workload, extent: Extent, worker: u32) -> Generator {
    Generator::seated(w, &[extent], 99, (worker, Arc::new(Cursors::new(1, 1))))
}

fn words(generator: &mut Generator, count: usize) -> String {
    let word = |_| {
        let op = generator.pick_op();
        let io = generator.next(op).unwrap();
        assert_eq!(io.op, op);
        format!("{}{}", if op == Op::Read { "R" } else { "W" }, io.offset)
    };
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn streams_are_those_of_the_original_bit_for_bit() {
    for c in &CASES {
        let (mut w, extent) = meaning(c.line, c.size);
        w.blocks_mut().access.seed = Some(c.seed);
        let mut generator = generator(&w, extent, c.thread);
        let count = c.stream.split(' ').count();
        assert_eq!(words(&mut generator, count), c.stream, "{}", c.line);
    }
}

#[test]
fn an_io_whose_kind_was_not_asked_for_has_the_same_offset() {
    let (mut w, extent) = meaning("-b4K -r -w30", M64);
    w.blocks_mut().access.seed = Some(0);
    let mut by_force = generator(&w, extent, 0);
    let offsets: Vec<u64> = (0..3)
        .map(|_| by_force.next(Op::Write).unwrap().offset)
        .collect();
    assert_eq!(offsets, [25_374_720, 21_401_600, 13_721_600]);
}

#[test]
fn slots_and_workers_share_or_do_not_as_asked() {
    let (mut w, extent) = meaning("-b64K -p", 262_144);
    w.depth = 3;
    let mut by_slot = generator(&w, extent, 0);
    let mut seen = Vec::new();
    for slot in [0, 1, 2, 1, 1, 0, 1, 1] {
        by_slot.for_slot(slot);
        seen.push(by_slot.next(Op::Read).unwrap().offset / 65_536);
    }
    assert_eq!(seen, [0, 0, 0, 1, 2, 1, 3, 0]);

    let (w, extent) = meaning("-b64K -si", 262_144);
    let cursors = Arc::new(Cursors::new(1, 1));
    let mut both =
        [0, 1].map(|worker| Generator::seated(&w, &[extent], 99, (worker, Arc::clone(&cursors))));
    let seen: Vec<u64> = [0, 1, 1, 0, 1]
        .iter()
        .map(|&worker| both[worker].next(Op::Read).unwrap().offset / 65_536)
        .collect();
    assert_eq!(seen, [0, 1, 2, 3, 0]);
}

/// Share of I/Os by block, of 60,000.
fn by_block(parts: Distribution, blocks: u64) -> Vec<f64> {
    let (mut w, extent) = meaning("-b4K -r", blocks * 4096);
    w.blocks_mut().access.distribution = PerOp::splat(parts);
    w.blocks_mut().access.seed = Some(5);
    let mut generator = generator(&w, extent, 0);
    let mut counts = vec![0.0; usize::try_from(blocks).unwrap()];
    for _ in 0..60_000 {
        let io = generator.next(Op::Read).unwrap();
        assert!(io.offset.is_multiple_of(4096), "{}", io.offset);
        counts[usize::try_from(io.offset / 4096).unwrap()] += 1.0 / 600.0;
    }
    counts
}

fn near(found: &[f64], expected: &[f64]) {
    let far = |(f, e): (&f64, &f64)| (f - e).abs() > 1.0;
    assert!(
        !found.iter().zip(expected).any(far),
        "{found:?} {expected:?}"
    );
}

#[test]
fn ranges_too_small_for_a_block_give_their_share_away() {
    // Of 10 blocks the first range has 9 and the third the last; the second has none, and gives its share
    // to the smaller one beside it.
    let found = by_block(zones(&[(10.0, 96), (10.0, 3), (80.0, 1)]), 10);
    let mut expected = [20.0 / 9.0; 10];
    expected[9] = 80.0;
    near(&found, &expected);
    // The first two ranges are within block 0.
    let found = by_block(zones(&[(30.0, 5), (30.0, 5), (40.0, 90)]), 10);
    let mut expected = [40.0 / 9.0; 10];
    expected[0] = 60.0;
    near(&found, &expected);
}

#[test]
fn ranges_begin_and_end_at_blocks() {
    // A quarter of ten blocks is two whole ones; what follows has the rest.
    let found = by_block(zones(&[(50.0, 25), (50.0, 75)]), 10);
    let mut expected = [50.0 / 8.0; 10];
    expected[..2].fill(25.0);
    near(&found, &expected);
    // The first range lies within block 0 and has it for itself; the next begins after it.
    let found = by_block(zones(&[(30.0, 5), (30.0, 25), (40.0, 70)]), 10);
    let mut expected = [40.0 / 7.0; 10];
    expected[..3].copy_from_slice(&[30.0, 15.0, 15.0]);
    near(&found, &expected);
}

#[test]
fn one_file_has_the_same_offsets_whatever_chooses_among_files() {
    let offsets = |choice: FileChoice| {
        let (mut w, extent) = meaning("-b4K -r", M64);
        w.blocks_mut().access.seed = Some(0);
        w.blocks_mut().access.file_choice = choice;
        words(&mut generator(&w, extent, 0), 12)
    };
    for choice in [
        FileChoice::Random { ios: 1 },
        FileChoice::RoundRobin { ios: 1 },
        FileChoice::EachSlot,
        FileChoice::Sequential,
    ] {
        assert_eq!(offsets(choice), CASES[0].stream, "{choice:?}");
    }
}

#[test]
fn ranges_in_bytes_are_cut_at_the_end() {
    let part = |access_percent, blocks: u64| Zone {
        access_percent,
        extent: Amount::Bytes(blocks.saturating_mul(4096)),
    };
    let found = by_block(
        Distribution::Zoned(vec![part(60.0, 2), part(0.0, 1), part(40.0, u64::MAX)]),
        5,
    );
    near(&found, &[30.0, 30.0, 0.0, 20.0, 20.0]);
    // One in bytes is enough: a share of the whole is then as many bytes.
    let percent = |access_percent, percent| Zone {
        access_percent,
        extent: Amount::Percent(percent),
    };
    let found = by_block(
        Distribution::Zoned(vec![part(60.0, 2), percent(40.0, 40)]),
        5,
    );
    near(&found, &[30.0, 30.0, 20.0, 20.0, 0.0]);
    // What lies past the end loses its share: 10 to 10 remain.
    let found = by_block(
        Distribution::Zoned(vec![part(10.0, 1), part(10.0, 1), part(80.0, 9)]),
        2,
    );
    near(&found, &[50.0, 50.0]);
}

#[test]
fn files_are_drawn_by_their_weights() {
    for (weights, shares) in [
        (vec![], [1.0, 1.0, 1.0]),
        (vec![5, 5, 5], [1.0, 1.0, 1.0]),
        (vec![10, 0, 20], [1.0, 0.0, 2.0]),
        // Where only some are alike.
        (vec![10, 10, 20], [0.75, 0.75, 1.5]),
        (vec![20, 10, 10], [1.5, 0.75, 0.75]),
    ] {
        for draws in [Draws::Own, Draws::Diskspd] {
            let (mut w, extent) = meaning("-b4K -r", M64);
            w.blocks_mut().access.draws = draws;
            w.blocks_mut().access.file_choice = FileChoice::Random { ios: 1 };
            w.blocks_mut().access.file_weights.clone_from(&weights);
            let mut generator = Generator::new(&w, &[extent; 3], 6);
            let mut counts = [0.0; 3];
            for _ in 0..30_000 {
                counts[generator.next(Op::Read).unwrap().file as usize] += 1e-4;
            }
            for (count, share) in counts.into_iter().zip(shares) {
                let far: f64 = count - share;
                assert!(far.abs() < 0.04, "{counts:?} {shares:?} {draws:?}");
            }
        }
    }
}

/// A stream of bytes, each an I/O of its own: an offset is then the lower half of a number.
fn of_bytes() -> (Workload, Extent) {
    let (mut w, extent) = meaning("-b4K -r", 1 << 32);
    w.blocks_mut().sizes = BlockSizes::fixed(1);
    w.blocks_mut().access.seed = Some(0);
    (w, extent)
}

#[test]
fn a_file_takes_the_lower_half_of_the_number_before_its_offset() {
    let (mut w, extent) = of_bytes();
    let mut alone = generator(&w, extent, 0);
    let numbers: Vec<u64> = (0..200)
        .map(|_| alone.next(Op::Read).unwrap().offset)
        .collect();
    assert!(numbers.iter().any(|n| n % 2 == 1));
    w.blocks_mut().access.file_choice = FileChoice::Random { ios: 1 };
    let mut three = Generator::new(&w, &[extent; 3], 6);
    for two in numbers.chunks(2) {
        let io = three.next(Op::Read).unwrap();
        assert_eq!((u64::from(io.file), io.offset), (two[0] % 3, two[1]));
    }
}

#[test]
fn single_bytes_come_one_after_the_other() {
    let (mut w, extent) = of_bytes();
    w.blocks_mut().access.order = Order::Sequential { skip: 0 };
    assert_eq!(words(&mut generator(&w, extent, 0), 4), "R0 R1 R2 R3");
}

#[test]
fn a_file_without_weight_is_never_drawn() {
    let (mut w, extent) = meaning("-b4K -r", M64);
    w.blocks_mut().access.file_choice = FileChoice::Random { ios: 1 };
    w.blocks_mut().access.file_weights = vec![0, 1, 0];
    let mut generator = Generator::new(&w, &[extent; 3], 6);
    for _ in 0..100 {
        assert_eq!(generator.next(Op::Read).unwrap().file, 1);
    }
}

#[test]
fn slots_are_divided_among_files() {
    let (mut w, extent) = meaning("-b64K", 262_144);
    w.blocks_mut().access.file_choice = FileChoice::EachSlot;
    let mut files = |depth, count| -> Vec<u32> {
        w.depth = depth;
        let mut generator = Generator::new(&w, &vec![extent; count], 6);
        let slots = 0..u16::try_from(depth).unwrap();
        let file = |slot| {
            generator.for_slot(slot);
            generator.next(Op::Read).unwrap().file
        };
        slots.map(file).collect()
    };
    assert_eq!(files(3, 3), [0, 1, 2]);
    assert_eq!(files(6, 2), [0, 0, 0, 1, 1, 1]);
}

#[test]
fn a_file_shorter_than_a_block_gets_no_io() {
    for line in ["-b4K -r", "-b4K -rs50", "-b64K", "-b64K -si", "-b64K -p"] {
        let (w, extent) = meaning(line, 4095);
        assert_eq!(generator(&w, extent, 0).next(Op::Read), None, "{line}");
    }
}

#[test]
fn a_share_that_no_block_takes_goes_to_the_smaller_one_beside_it() {
    // As in the case above, but that the range before has the larger share.
    let found = by_block(zones(&[(60.0, 96), (10.0, 3), (30.0, 1)]), 10);
    let mut expected = [60.0 / 9.0; 10];
    expected[9] = 40.0;
    near(&found, &expected);
}

#[test]
fn one_percent_that_no_block_takes_goes_to_a_neighbour() {
    let exactly = |parts: &[(f64, u32)], block: usize, expected: f64| {
        let found = by_block(zones(parts), 10)[block];
        assert!((found - expected).abs() < 0.3, "{parts:?}: {found}");
    };
    // To the smaller one before it, of nine blocks; else to the next.
    exactly(&[(10.0, 96), (1.0, 3), (89.0, 1)], 9, 89.0);
    exactly(&[(89.0, 96), (1.0, 3), (10.0, 1)], 9, 11.0);
    // At the end there is none but the one before: it lies in the last block, as the one without a block does.
    exactly(&[(98.0, 90), (1.0, 5), (1.0, 5)], 9, 2.0);
}

#[test]
fn a_range_within_a_block_has_that_block_where_nothing_comes_after_it() {
    let found = by_block(zones(&[(30.0, 5), (0.0, 25), (70.0, 70)]), 10);
    let mut expected = [10.0; 10];
    expected[..3].copy_from_slice(&[30.0, 0.0, 0.0]);
    near(&found, &expected);
}

#[test]
fn a_pass_has_the_bytes_of_all_files() {
    let (w, extent) = meaning("-b4K -r", M64);
    assert_eq!(generator(&w, extent, 0).pass_bytes(), M64);
    let two = [extent, Extent { start: 0, len: 777 }];
    assert_eq!(Generator::new(&w, &two, 6).pass_bytes(), M64 + 777);
}

#[test]
fn what_has_no_share_is_left_alone() {
    let found = by_block(zones(&[(50.0, 20), (50.0, 30), (0.0, 50)]), 10);
    let mut expected = [0.0; 10];
    expected[..2].fill(25.0);
    expected[2..5].fill(50.0 / 3.0);
    near(&found, &expected);
}

#[test]
fn ranges_in_bytes_count_from_one_percent_and_one_block_on() {
    let part = |access_percent, bytes| Zone {
        access_percent,
        extent: Amount::Bytes(bytes),
    };
    let found = by_block(
        Distribution::Zoned(vec![part(99.0, 4096), part(1.0, 4096)]),
        2,
    );
    assert!((0.5..1.5).contains(&found[1]), "{found:?}");
    // After the first range comes half a block, and no room for an I/O.
    let (mut w, extent) = meaning("-b4K -r", 3 * 4096 + 2048);
    let law = Distribution::Zoned(vec![part(50.0, 3 * 4096), part(50.0, 1 << 20)]);
    w.blocks_mut().access.distribution = PerOp::splat(law);
    w.blocks_mut().access.seed = Some(5);
    let mut generator = generator(&w, extent, 0);
    for _ in 0..200 {
        let io = generator.next(Op::Read).unwrap();
        assert!(io.offset + u64::from(io.len) <= extent.len, "{io:?}");
    }
}
