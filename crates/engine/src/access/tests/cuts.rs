//! Random passes with several sizes.

use super::*;

/// Lengths with unit 4096, by number.
fn several(number: usize) -> Sizes {
    let split = |parts: &[(u64, u32)]| Sizes::Split(parts.to_vec());
    let range = |max, unaligned| Sizes::Range {
        min: 4096,
        max,
        unaligned,
    };
    match number {
        0 => split(&[(4096, 10), (65_536, 50), (32_768, 40)]),
        1 => range(16_384, false),
        2 => range(262_144, false),
        3 => range(20_000, true),
        4 => split(&[(4096, 99), (1 << 20, 1)]),
        _ => split(&[(4096, 30), (10_000, 70)]),
    }
}

proptest! {
    /// Whatever the sizes, files, seed and mix: each block of the files is in one I/O of a pass.
    #[test]
    fn a_pass_with_several_sizes_covers_each_block_once(
        lens in prop::collection::vec(prop_oneof![Just(0u64), 1u64..300_000, 4_000_000u64..30_000_000], 1..4),
        seed: u64,
        read in 0usize..6,
        write in prop::option::of(0usize..6),
        read_percent in 0u8..=100,
        choice in 0usize..3,
    ) {
        let mut workload = workload(OpMix::mixed(read_percent), 4096, RANDOM);
        workload.blocks_mut().sizes.by_op = PerOp::splat(several(read));
        workload.blocks_mut().sizes.by_op.write = several(write.unwrap_or(read));
        workload.blocks_mut().access.file_choice = [
            FileChoice::RoundRobin { ios: 2 },
            FileChoice::Sequential,
            FileChoice::Random { ios: 3 },
        ][choice];
        let mut generator = Generator::new(&workload, &extents(&lens), seed);
        let mut orders = BTreeSet::new();
        for _ in 0..2 {
            let mut times: Vec<Vec<u8>> = lens
                .iter()
                .map(|len| vec![0; usize::try_from(len.div_ceil(4096)).unwrap()])
                .collect();
            let ios = pass(&mut generator, usize::MAX);
            for io in &ios {
                let (file, at) = (io.file as usize, io.offset - (1 << 20));
                let end = at + u64::from(io.len);
                prop_assert!(io.len > 0 && end <= lens[file] && at.is_multiple_of(4096));
                prop_assert!(u64::from(io.len) <= workload.blocks().sizes.by_op.get(io.op).max());
                for block in at / 4096..end.div_ceil(4096) {
                    times[file][usize::try_from(block).unwrap()] += 1;
                }
            }
            for (times, len) in times.iter().zip(&lens) {
                // A tail of less than a block is not used, as with one size, unless it is the whole file.
                let whole = usize::try_from((len / 4096).max((*len).min(1))).unwrap();
                prop_assert!(times[..whole].iter().all(|&n| n == 1));
                prop_assert!(times[whole..].iter().all(|&n| n == 0));
            }
            if ios.len() > 50 {
                prop_assert!(orders.insert(offsets(&ios)), "two passes in one order");
            }
            generator.start_pass();
        }
    }
}

/// Reads and writes with unlike sizes of one unit keep their shares until the pass is nearly over.
#[test]
fn reads_and_writes_with_sizes_of_their_own_share_a_pass() {
    let mut workload = workload(OpMix::mixed(70), 4096, RANDOM);
    workload.blocks_mut().sizes.by_op.write = several(0);
    let mut generator = Generator::new(&workload, &extents(&[1 << 30]), 5);
    let ios = pass(&mut generator, usize::MAX);
    assert_eq!(ios.iter().map(|io| u64::from(io.len)).sum::<u64>(), 1 << 30);
    // One in ten and one in two are asked for; some meet what is done already.
    let early = &ios[..ios.len() / 16];
    let share = |ios: &[Io], op: Op, len: u32| {
        let all = ios.iter().filter(|io| io.op == op).count() as f64;
        let these = ios.iter().filter(|io| io.op == op && io.len == len);
        these.count() as f64 / all * 100.0
    };
    assert!(ios.iter().all(|io| io.op == Op::Write || io.len == 4096));
    assert!((share(early, Op::Write, 65_536) - 45.0).abs() < 5.0);
    assert!((share(early, Op::Write, 4096) - 12.0).abs() < 4.0);
}

/// Also one that is no multiple of the smallest: what follows it in its last block is left alone.
#[test]
fn an_io_has_the_whole_length_that_was_drawn_for_it() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    workload.blocks_mut().sizes.by_op.read = several(5);
    let mut generator = Generator::new(&workload, &extents(&[1 << 28]), 5);
    let ios = pass(&mut generator, 1000);
    let of = |len| ios.iter().filter(|io| io.len == len).count();
    // Of ten three are of a block and seven longer, some of which meet what is done already and are cut there.
    assert!(of(10_000) > 600, "{}", of(10_000));
    assert_eq!(of(4096) + of(8192) + of(10_000), ios.len());
}

/// Without a limit on repeats nothing is cut but at the end of the region.
#[test]
fn sizes_of_repeating_draws_stay_as_they_are() {
    let mut workload = workload(OpMix::reads(), 4096, RANDOM);
    workload.blocks_mut().sizes.by_op.read = several(0);
    workload.blocks_mut().access.coverage = Coverage::WithRepeats;
    let mut generator = Generator::new(&workload, &extents(&[1 << 26]), 9);
    let ios = pass(&mut generator, 20_000);
    let odd = ios
        .iter()
        .filter(|io| ![4096, 32_768, 65_536].contains(&io.len))
        .all(|io| io.offset + u64::from(io.len) == (1 << 20) + (1 << 26));
    assert!(odd);
    let starts: BTreeSet<u64> = offsets(&ios).into_iter().collect();
    assert!(starts.len() < ios.len() - 3000, "no start came twice");
    let long = ios.iter().filter(|io| io.len == 65_536).count();
    assert!(long.abs_diff(10_000) < 450, "{long}");
}
