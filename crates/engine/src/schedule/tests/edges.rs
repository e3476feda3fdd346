//! The last value that a plan may have and the first that it may not, and what comes of the smallest regions.

use super::*;
use leadline_model::plan::access::{Draws, Position};
use leadline_model::plan::{Admission, FileChoice, FilePart};

/// What is wrong with a reader of two files of 64 MiB, changed so.
fn wrong(change: &dyn Fn(&mut Workload)) -> Vec<String> {
    let table = Table::with(&[("/f", file(64 * MIB)), ("/g", file(64 * MIB))]);
    let mut w = on(&["/f", "/g"]);
    change(&mut w);
    match run(vec![w], &table) {
        Ok(_) => Vec::new(),
        found => texts(found),
    }
}

type Change = Box<dyn Fn(&mut Workload)>;

/// Words of a problem, a value that has it, and one beside it that has not.
fn edges() -> Vec<(&'static str, Change, Change)> {
    fn edge<T: Copy + 'static>(
        words: &'static str,
        refused: T,
        taken: T,
        set: fn(&mut Workload, T),
    ) -> (&'static str, Change, Change) {
        let with = |value: T| -> Change { Box::new(move |w| set(w, value)) };
        (words, with(refused), with(taken))
    }
    let percent = Amount::Percent;
    let deepest = MAX_DEPTH;
    vec![
        edge("it has no workers", 0, 1, |w, n| w.clones = n),
        edge("queue depth 0 is not", 0, 1, |w, n| w.depth = n),
        edge("is not in 1 to", deepest + 1, deepest, |w, n| w.depth = n),
        edge("it runs 0 loops", 0, 1, |w, n| w.stop.loops = n),
        edge("it does 0 I/Os", 0, 1, |w, n| w.stop.ios = Some(n)),
        edge("it transfers 0 bytes", 0, 1, |w, n| {
            w.stop.io_bytes = Some(Amount::Bytes(n));
        }),
        edge("it transfers 0 bytes", 0, 1, |w, n| {
            w.stop.io_bytes = Some(Amount::Percent(n));
        }),
        edge(
            "amount of I/O is 101 %",
            percent(101),
            percent(100),
            |w, n| w.stop.io_bytes = Some(n),
        ),
        edge("size is 101 %", percent(101), percent(100), |w, n| {
            w.blocks_mut().region.size = Some(n);
        }),
        edge("offset is 101 %", percent(101), percent(99), |w, n| {
            w.blocks_mut().region.offset = n;
        }),
        edge(
            "distance between workers is 101 %",
            percent(101),
            percent(100),
            |w, n| w.blocks_mut().region.offset_step = n,
        ),
        edge("the file size ranges", (0, MIB), (1, MIB), |w, n| {
            // A block of one byte fits into a file of one.
            w.blocks_mut().sizes = BlockSizes::fixed(1);
            w.blocks_mut().region.file_size = Some(n);
        }),
        edge(
            "the file size ranges",
            (MIB + 1, MIB),
            (MIB, MIB),
            |w, n| w.blocks_mut().region.file_size = Some(n),
        ),
        edge(
            "read block sizes from 0 to 0 bytes are not a range",
            0,
            1,
            |w, n| w.blocks_mut().sizes = BlockSizes::fixed(n),
        ),
        edge("it has a cool-down", Nanos(1), Nanos::ZERO, |w, n| {
            w.stop.cooldown = n
        }),
        edge("it has a priority and several workers", 2, 1, |w, n| {
            (w.admission, w.clones) = (Admission::Priority { group: 1, rank: 1 }, n);
        }),
    ]
}

#[test]
fn each_bound_is_where_it_is_said_to_be() {
    for (words, refused, taken) in edges() {
        let found = wrong(&refused);
        assert!(
            found.iter().any(|t| t.contains(words)),
            "{words}: {found:?}"
        );
        assert_eq!(wrong(&taken), [""; 0], "{words}");
    }
}

#[test]
fn a_workload_starts_after_one_of_its_stage() {
    let table = Table::with(&[("/f", file(MIB)), ("/g", file(MIB))]);
    let after = |before: &str| {
        let mut first = on(&["/f"]);
        first.name = "first".into();
        let mut second = on(&["/g"]);
        second.start.after = Some(before.to_owned());
        run(vec![first, second], &table)
    };
    assert!(after("first").is_ok());
    let found = texts(after("another"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("w: it starts after another, which is not in its stage"));
}

#[test]
fn a_file_may_have_a_single_byte() {
    let mut w = on(&["/new"]);
    w.blocks_mut().sizes = BlockSizes::fixed(1);
    w.blocks_mut().region.file_size = Some((1, 1));
    let programs = run(vec![w], &Table::with(&[])).unwrap();
    assert_eq!(extents(&programs), [[(0, 1)]]);
    assert_eq!(programs[0].total_bytes, Some(1));
}

#[test]
fn a_group_admitted_by_two_rules_is_seen_before_the_run_and_before_its_stage() {
    let of = |path: &str, name: &str, max_lead| {
        let mut w = on(&[path]);
        w.name = name.to_owned();
        w.admission = Admission::CommonQueue {
            group: 1,
            max_lead,
            borrowable: None,
        };
        w
    };
    let table = Table::with(&[("/f", file(MIB)), ("/g", file(MIB))]);
    for (second, count) in [(8, 0), (9, 1)] {
        let workloads = vec![of("/f", "a", 8), of("/g", "b", second)];
        let found = run(workloads.clone(), &table).map_or_else(texts_of, |_| Vec::new());
        assert_eq!(found.len(), count, "{found:?}");
        let stages = vec![Stage {
            workloads,
            ..Stage::default()
        }];
        let seen = texts_of(ahead(&Plan { stages, ..plan() }, &table));
        assert_eq!(seen, found);
        assert!(
            seen.iter().all(|t| t.contains("group 1 with a")),
            "{seen:?}"
        );
    }
}

fn texts_of(problems: Vec<Problem>) -> Vec<String> {
    problems.into_iter().map(|p| p.text).collect()
}

/// Somewhere each of these can be done.
#[test]
fn on_a_host_of_which_nothing_is_known_nothing_of_it_is_refused() {
    let seen = |change: &dyn Fn(&mut Workload)| {
        let mut w = writer("/some/where", MIB);
        w.blocks_mut().open.direct = true;
        change(&mut w);
        let stages = vec![alone(w)];
        texts_of(ahead(&Plan { stages, ..plan() }, &AnyHost))
    };
    assert_eq!(seen(&|_| ()), [""; 0]);
    let sized = |n| move |w: &mut Workload| w.blocks_mut().sizes = BlockSizes::fixed(n);
    assert_eq!(seen(&sized(513)), [""; 0], "direct I/O of odd lengths");
    assert_eq!(seen(&sized(1)), [""; 0]);
    assert_eq!(seen(&|w| w.blocks_mut().prepare.create = false), [""; 0]);
    let huge = |w: &mut Workload| w.blocks_mut().region.size = Some(Amount::Bytes(1 << 60));
    assert_eq!(seen(&huge), [""; 0]);
    // What is wrong on any host is reported.
    assert_eq!(seen(&|w| w.depth = 0).len(), 1);
}

#[test]
fn a_stage_has_the_counters_that_its_workloads_and_their_files_name_and_no_more() {
    let with = |counters: &[u32], of_files: &[&[u32]]| {
        let mut w = on(&["/f"]);
        w.blocks_mut().access.counters = counters.to_vec();
        let part = |counters: &&[u32]| {
            let mut access = w.blocks().access.clone();
            access.counters = counters.to_vec();
            FilePart {
                region: w.blocks().region.clone(),
                prepare: w.blocks().prepare.clone(),
                open: w.blocks().open,
                mix: w.blocks().mix,
                sizes: w.blocks().sizes.clone(),
                access,
                slots: 1,
                payload: None,
            }
        };
        let parts = of_files.iter().map(part).collect();
        w.blocks_mut().parts = parts;
        w
    };
    let count = |workloads| {
        let stage = Stage {
            workloads,
            ..Stage::default()
        };
        super::super::compile::counters_of(&stage)
    };
    assert_eq!(count(vec![]), 0);
    assert_eq!(count(vec![with(&[], &[])]), 0);
    assert_eq!(count(vec![with(&[0], &[])]), 1);
    assert_eq!(count(vec![with(&[0, 3, 1], &[]), with(&[2], &[])]), 4);
    assert_eq!(count(vec![with(&[], &[&[1], &[6], &[]])]), 7);
    assert_eq!(count(vec![with(&[8], &[&[1]]), with(&[], &[])]), 9);
}

#[test]
fn a_workload_that_only_makes_its_files_does_no_io_and_no_host_has_a_number_yet() {
    let mut making = writer("/new", MIB);
    making.blocks_mut().prepare.create_only = true;
    making.stop.ios = Some(7);
    let beside = writer("/f", MIB);
    let table = Table::with(&[("/f", file(MIB))]);
    let programs = run(vec![making, beside], &table).unwrap();
    let done = |p: &Program| (p.total_bytes, p.total_ios, p.host);
    assert_eq!(done(&programs[0]), (Some(0), Some(0), 0));
    assert_eq!(done(&programs[1]), (Some(MIB), None, 0));
}

/// Nothing to do is done at once, however often.
#[test]
fn a_region_of_nothing_takes_no_bytes_in_any_number_of_loops() {
    let table = Table::with(&[("/whole", file(MIB))]);
    for (loops, io_bytes) in [(1, None), (3, None), (1, Some(4096)), (3, Some(4096))] {
        let mut w = writer("/whole", MIB);
        w.blocks_mut().region.beyond_end = Some(4096);
        w.stop.loops = loops;
        w.stop.io_bytes = io_bytes.map(Amount::Bytes);
        let programs = run(vec![w], &table).unwrap();
        assert_eq!(extents(&programs), [[(MIB, 0)]]);
        let expected = if loops == 1 { io_bytes.unwrap_or(0) } else { 0 };
        assert_eq!(
            programs[0].total_bytes,
            Some(expected),
            "{loops} {io_bytes:?}"
        );
    }
}

/// fio takes all of a file for 100 %, and whole blocks of less; it continues to the next block after an offset in
/// percent, where the others begin with the block that the offset is in.
#[test]
fn percent_of_a_file_are_whole_blocks_but_for_all_of_it() {
    let table = Table::with(&[("/f", file(10 * 4096 + 100))]);
    let sized = |percent| {
        let mut w = on(&["/f"]);
        w.blocks_mut().sizes = BlockSizes::fixed(4096);
        w.blocks_mut().region.size = Some(Amount::Percent(percent));
        extents(&run(vec![w], &table).unwrap())
    };
    assert_eq!(sized(100), [[(0, 10 * 4096 + 100)]]);
    assert_eq!(sized(50), [[(0, 5 * 4096)]]);
    let start = |position| {
        let mut w = on(&["/f"]);
        w.blocks_mut().sizes = BlockSizes::fixed(4096);
        w.blocks_mut().access.position = position;
        w.blocks_mut().region.offset = Amount::Percent(33);
        run(vec![w], &table).unwrap()[0].files[0].extent.start
    };
    assert_eq!(start(Position::EachKind), 4 * 4096);
    assert_eq!(start(Position::EachFile), 3 * 4096);
}

/// I/Os of a pass over the first bytes of a file with some left out after each, one by one: each begins in the region
/// and ends in the file. How many, and where the last ends.
fn one_by_one(size: u64, region: u64, block: u64, skip: u64) -> (u64, u64) {
    let fits = |at: &u64| *at < region && *at + block <= size;
    let starts = (0..).map(|i| i * (block + skip)).take_while(fits);
    let starts: Vec<u64> = starts.collect();
    let last = starts.last().copied().unwrap_or(0);
    (starts.len().max(1) as u64, last + block)
}

#[test]
fn a_pass_that_skips_does_the_ios_that_begin_in_its_region_and_end_in_its_file() {
    for (size, region) in (1..24).flat_map(|size| (1..=size).map(move |region| (size, region))) {
        for (block, skip) in [(1, 1), (1, 3), (2, 1), (3, 4), (5, 2)] {
            if block > region {
                continue;
            }
            let mut w = on(&["/x"]);
            w.blocks_mut().sizes = BlockSizes::fixed(block);
            let order = Order::Sequential {
                skip: i64::try_from(skip).unwrap(),
            };
            w.blocks_mut().access.order = order;
            w.blocks_mut().region.size = Some(Amount::Bytes(region));
            let table = Table::with(&[("/x", file(size))]);
            let programs = run(vec![w], &table).unwrap();
            let (ios, end) = one_by_one(size, region, block, skip);
            let text = format!("{block} and {skip} in {region} of {size}");
            assert_eq!(programs[0].extents[0].len, region.max(end), "{text}");
            // It wraps around, and all bytes count, where after the last there is something, but not enough to skip.
            let round = end < size && end + skip >= size;
            let bytes = if round {
                region
            } else {
                (ios * block).min(region)
            };
            assert_eq!(programs[0].total_bytes, Some(bytes), "{text}");
        }
    }
}

#[test]
fn slots_are_shared_out_evenly_or_by_the_sum_of_the_files() {
    let shared = |depth| {
        wrong(&|w| {
            let access = &mut w.blocks_mut().access;
            (access.draws, access.file_choice) = (Draws::Diskspd, FileChoice::EachSlot);
            access.position = Position::EachFile;
            w.depth = depth;
        })
    };
    for depth in 1..=9 {
        assert_eq!(shared(depth).is_empty(), depth % 2 == 0, "{depth}");
    }
}
