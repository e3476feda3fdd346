//! Schedules against tables of host facts.

mod edges;
mod laws;
mod means;
mod powers;
mod refused;
mod whole;
mod written;

use super::compile::passes_until_done;
use super::*;
use crate::host_facts::{Bar, Intent};
use leadline_model::error_code::ErrorCode;
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::access::Sizes;
use leadline_model::plan::{
    Amount, BlockSizes, Coverage, Fallocate, FileSet, Fill, OpMix, Order, Plan, Position,
    SimDevice, Stage, Target, Workload, Wrap,
};
use leadline_model::units::Nanos;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Default)]
struct Table {
    kinds: BTreeMap<PathBuf, PathKind>,
    free: u64,
    free_files: Option<u64>,
}

impl Table {
    fn with(entries: &[(&str, PathKind)]) -> Self {
        Self {
            kinds: entries
                .iter()
                .map(|(p, k)| (PathBuf::from(p), k.clone()))
                .collect(),
            free: 1 << 40,
            free_files: None,
        }
    }
}

impl HostFacts for Table {
    fn path_kind(&self, path: &Path) -> PathKind {
        self.kinds.get(path).cloned().unwrap_or(PathKind::Missing)
    }
    fn free_bytes(&self, _: &Path) -> Option<u64> {
        Some(self.free)
    }
    fn free_files(&self, _: &Path) -> Option<u64> {
        self.free_files
    }
    fn file_system(&self, _: &Path) -> Option<u64> {
        Some(1)
    }
    fn direct_align(&self, _: &Path) -> Option<u32> {
        Some(512)
    }
}

const MIB: u64 = 1 << 20;

fn file(size: u64) -> PathKind {
    PathKind::File { size }
}

fn block(size: u64) -> PathKind {
    PathKind::Block {
        size,
        logical_block: 4096,
    }
}

fn plan() -> Plan {
    Plan {
        interval: Nanos::SECOND,
        ..leadline_testkit::plan(vec![])
    }
}

fn on(paths: &[&str]) -> Workload {
    let paths = paths.iter().map(|p| (*p).to_owned()).collect();
    Workload::new("w", Target::Paths(paths))
}

fn null(size: u64) -> Workload {
    let mut w = Workload::new("w", Target::Null { size });
    w.engine.kind = leadline_model::plan::EngineKind::NULL;
    w
}

/// A reader of what is not there: null, or a simulated device.
fn pretended(kind: leadline_model::plan::EngineKind) -> Workload {
    let target = match kind.powers().medium {
        leadline_model::plan::MediumKind::Null => Target::Null { size: 1 << 20 },
        _ => SimDevice::default().into(),
    };
    let mut w = Workload::new("w", target);
    w.engine.kind = kind;
    w
}

fn of_files(pattern: &str, directories: &[&str], count: u32) -> Workload {
    Workload::new(
        "Job",
        Target::Files(FileSet {
            directories: directories.iter().map(|d| (*d).to_owned()).collect(),
            pattern: pattern.into(),
            count,
            name_may_be_device: true,
        }),
    )
}

fn run(workloads: Vec<Workload>, table: &Table) -> Result<Vec<Program>, Vec<Problem>> {
    let stage = Stage {
        name: "s".into(),
        pause: Nanos::ZERO,
        workloads,
        ..Stage::default()
    };
    let compiled = compile(&stage, &plan(), table, 7);
    if let Err(found) = &compiled {
        found.iter().for_each(names_what_to_turn);
    }
    compiled
}

/// Problems of a plan that no [`Knob`] stands for, by words of their texts, each with the reason.
const WITHOUT_KNOB: &[(&str, &str)] = &[
    ("its target is", "kinds of targets have no knob"),
    ("as its target", "kinds of targets have no knob"),
    (
        "divided among its files",
        "an order of files is part of the job, and has no knob",
    ),
    ("strides range", "strides have no knob"),
    ("skew of its offsets", "distributions have no knob"),
    ("hot band is empty", "distributions have no knob"),
    ("have a weight of 0", "weights of files have no knob"),
    ("file weights", "weights of files have no knob"),
    (
        "sequential I/O goes backwards",
        "the order of offsets has no knob",
    ),
    ("has no trims", "kinds of I/O have no knob"),
    (
        "one share of random I/Os",
        "shares of random I/Os have no knob",
    ),
    (
        "out of order or negative",
        "rates that change with time have no knob",
    ),
    ("starts after", "the order of workloads has no knob"),
    ("it does 0 I/Os", "a number of I/Os has no knob"),
    ("names no file", "what is measured is the job itself"),
    (
        "and more problems like these",
        "the cures are those of the problems before",
    ),
];

/// What is wrong with a plan is cured by turning something, which front ends have a word for.
fn names_what_to_turn(problem: &Problem) {
    let of_plan = matches!(problem.code, ErrorCode::PlanValue | ErrorCode::PlanConflict);
    let excepted = WITHOUT_KNOB
        .iter()
        .any(|(words, _)| problem.text.contains(words));
    assert_eq!(
        of_plan && problem.cure.knobs.is_empty(),
        of_plan && excepted,
        "{problem:?}"
    );
}

fn extents(programs: &[Program]) -> Vec<Vec<(u64, u64)>> {
    programs
        .iter()
        .map(|p| p.extents.iter().map(|e| (e.start, e.len)).collect())
        .collect()
}

fn texts(result: Result<Vec<Program>, Vec<Problem>>) -> Vec<String> {
    result
        .unwrap_err()
        .into_iter()
        .map(|p| format!("{}: {} [{}]", p.workload, p.text, p.cure))
        .collect()
}

const DIR: PathKind = PathKind::Missing;

fn directory() -> PathKind {
    PathKind::Other("a directory".into())
}

#[test]
fn files_are_named_by_pattern_and_directories_taken_in_turn() {
    let table = Table::with(&[("/a", directory()), ("/b", directory())]);
    let mut w = of_files("$JobName.$jobnum.$FILENUM", &["/a", "/b"], 2);
    w.clones = 3;
    w.blocks_mut().region.size = Some(Amount::Bytes(8192));
    let names: Vec<String> = run(vec![w], &table)
        .unwrap()
        .iter()
        .flat_map(|p| p.files.iter().map(|f| f.path.display().to_string()))
        .collect();
    let want = [
        "/a/Job.0.0",
        "/a/Job.0.1",
        "/b/Job.1.0",
        "/b/Job.1.1",
        "/a/Job.2.0",
        "/a/Job.2.1",
    ];
    assert_eq!(names, want);
}

#[test]
fn independent_sequential_reads_and_writes_fill_the_whole_size() {
    let table = Table::with(&[("/x", file(10_000))]);
    let mut w = on(&["/x"]);
    w.blocks_mut().mix = OpMix::mixed(50);
    let bytes = |w: &Workload| run(vec![w.clone()], &table).unwrap()[0].total_bytes;
    assert_eq!(bytes(&w), Some(10_000), "the third block reaches it");
    w.blocks_mut().mix = OpMix::reads();
    assert_eq!(bytes(&w), Some(8192), "no room for a third block");
}

#[test]
fn a_pass_with_a_skip_wraps_around_or_ends_as_that_of_fio() {
    // (size of the file, skip, bytes): figures of fio 3.33 at 4 KiB.
    let cases = [
        (1 << 20, 4096, 1 << 20),
        (1 << 20, 4, 255 * 4096),
        (102_400, 4096, 13 * 4096),
        (65_536, 4, 15 * 4096),
    ];
    for (size, skip, bytes) in cases {
        let table = Table::with(&[("/x", file(size))]);
        let mut w = on(&["/x"]);
        w.blocks_mut().access.order = Order::Sequential { skip };
        let programs = run(vec![w], &table).unwrap();
        assert_eq!(programs[0].total_bytes, Some(bytes), "{size} {skip}");
    }
}

#[test]
fn size_is_split_evenly_over_files_as_fio_does() {
    let table = Table::with(&[("/x", file(100)), ("/y", DIR), ("/z", DIR)]);
    let mut w = on(&["/x", "/y", "/z"]);
    w.blocks_mut().region.size = Some(Amount::Bytes(4096 * 7 + 100));
    let programs = run(vec![w], &table).unwrap();
    assert_eq!(extents(&programs), [vec![(0, 9590), (0, 9590), (0, 9590)]]);
    assert_eq!(programs[0].files[0].make_size, Some(9590));
    assert_eq!(programs[0].total_bytes, Some(6 * 4096), "whole blocks only");
    let names: Vec<String> = (0..5000).map(|i| format!("/{i}")).collect();
    let mut many = on(&names.iter().map(String::as_str).collect::<Vec<_>>());
    many.blocks_mut().region.size = Some(Amount::Bytes(5000 * 4096 + 4999));
    let programs = run(vec![many], &table).unwrap();
    assert_eq!(programs[0].extents[0].len, 8192);
    assert_eq!(programs[0].extents[1].len, 4096);
}

#[test]
fn one_file_keeps_its_odd_size_but_only_whole_blocks_are_moved() {
    let mut w = on(&["/x"]);
    w.blocks_mut().region.size = Some(Amount::Bytes(10_001));
    let programs = run(vec![w], &Table::with(&[])).unwrap();
    assert_eq!(extents(&programs), [vec![(0, 10_001)]]);
    assert_eq!(programs[0].total_bytes, Some(8192));
}

#[test]
fn without_a_size_the_whole_of_what_exists_is_used() {
    let table = Table::with(&[("/x", file(1 << 20)), ("/dev/b", block(1 << 30))]);
    let programs = run(vec![on(&["/x", "/dev/b"])], &table).unwrap();
    assert_eq!(extents(&programs), [vec![(0, 1 << 20), (0, 1 << 30)]]);
    assert!(programs[0].files.iter().all(|f| f.make_size.is_none()));
    let wrong = texts(run(vec![on(&["/new"])], &table));
    assert!(wrong[0].contains("/new does not exist yet"), "{wrong:?}");
}

#[test]
fn a_larger_file_is_left_as_it_is_and_a_smaller_one_grows() {
    let table = Table::with(&[("/big", file(1 << 20)), ("/small", file(4096))]);
    let mut w = on(&["/big", "/small"]);
    w.blocks_mut().region.size = Some(Amount::Bytes(1 << 17));
    w.blocks_mut().region.offset = Amount::Bytes(8192);
    let programs = run(vec![w], &table).unwrap();
    assert_eq!(extents(&programs), [vec![(8192, 65536), (8192, 65536)]]);
    let made: Vec<_> = programs[0].files.iter().map(|f| f.make_size).collect();
    assert_eq!(made, [None, Some(65536 + 8192)]);
}

#[test]
fn a_device_is_clipped_to_what_it_has() {
    let table = Table::with(&[("/dev/b", block(1 << 20))]);
    let mut w = on(&["/dev/b"]);
    w.blocks_mut().region.size = Some(Amount::Bytes(1 << 40));
    w.blocks_mut().region.offset = Amount::Bytes(1 << 19);
    let programs = run(vec![w], &table).unwrap();
    assert_eq!(extents(&programs), [vec![(1 << 19, 1 << 19)]]);
    assert_eq!(programs[0].total_bytes, Some(1 << 19));
}

#[test]
fn clones_step_and_percentages_align() {
    let table = Table::with(&[("/x", file(1_000_000))]);
    let mut w = on(&["/x"]);
    w.clones = 3;
    w.blocks_mut().region.offset_step = Amount::Percent(25);
    w.blocks_mut().region.size = Some(Amount::Percent(25));
    assert_eq!(
        extents(&run(vec![w.clone()], &table).unwrap()),
        [
            vec![(0, 249_856)],
            vec![(253_952, 249_856)],
            vec![(503_808, 249_856)]
        ]
    );
    w.blocks_mut().region.offset_step = Amount::Bytes(400_000);
    w.blocks_mut().region.size = None;
    assert_eq!(
        extents(&run(vec![w.clone()], &table).unwrap()),
        [
            vec![(0, 1_000_000)],
            vec![(400_000, 600_000)],
            vec![(800_000, 200_000)]
        ]
    );
    w.clones = 4;
    let wrong = texts(run(vec![w], &table));
    assert_eq!(wrong.len(), 1);
    assert!(wrong[0].contains("offset"), "{wrong:?}");
}

#[test]
fn an_offset_in_percent_may_leave_one_byte() {
    let table = Table::with(&[("/x", file(100))]);
    let mut w = on(&["/x"]);
    w.blocks_mut().sizes = BlockSizes::fixed(1);
    w.blocks_mut().region.offset = Amount::Percent(99);
    assert_eq!(extents(&run(vec![w.clone()], &table).unwrap()), [[(99, 1)]]);
    // One percent of it is as much.
    w.blocks_mut().region.size = Some(Amount::Percent(1));
    assert_eq!(extents(&run(vec![w.clone()], &table).unwrap()), [[(99, 1)]]);
    w.blocks_mut().region.offset = Amount::Percent(100);
    let wrong = texts(run(vec![w], &table));
    assert!(
        wrong.len() == 1 && wrong[0].contains("at or beyond its end"),
        "{wrong:?}"
    );
}

/// As measured with fio 3.33 on a file of 4 MiB.
#[test]
fn an_offset_in_percent_is_rounded_up_and_the_last_io_is_whole() {
    let table = Table::with(&[("/x", file(4 << 20))]);
    let region = |block: u64, change: fn(&mut Workload)| {
        let mut w = on(&["/x"]);
        w.blocks_mut().sizes = BlockSizes::fixed(block);
        change(&mut w);
        let programs = run(vec![w], &table).unwrap();
        let extent = programs[0].extents[0];
        (extent.start, extent.len, programs[0].total_bytes)
    };
    let third = |w: &mut Workload| w.blocks_mut().region.offset = Amount::Percent(33);
    assert_eq!(region(65_536, third).0, 1_441_792);
    let mib = |w: &mut Workload| {
        w.blocks_mut().region.offset = Amount::Percent(33);
        w.blocks_mut().region.offset_align = Some(1 << 20);
    };
    assert_eq!(region(65_536, mib).0, 2 << 20);
    // 22 I/Os of 48 KiB: after 21 less than the size is done, and the file continues.
    let one = |w: &mut Workload| w.blocks_mut().region.size = Some(Amount::Bytes(1 << 20));
    assert_eq!(region(49_152, one), (0, 22 * 49_152, Some(1 << 20)));
    let random = |w: &mut Workload| {
        w.blocks_mut().region.size = Some(Amount::Bytes(1 << 20));
        w.blocks_mut().access.order = Order::Random {
            every: 1,
            identical: false,
        };
    };
    assert_eq!(region(49_152, random), (0, 1 << 20, Some(21 * 49_152)));
    let all = |_: &mut Workload| {};
    assert_eq!(region(49_152, all), (0, 4 << 20, Some(85 * 49_152)));
}

/// As measured with fio 3.33 on a file of 3,145,000 bytes: `rw=read, bs=8k,4k, offset=10%` reads from 315392, and
/// `size=33%` gives 127 blocks of 8 KiB, of which the last begins before the end; `bs=8k` alone 319488 and 126.
#[test]
fn a_percentage_goes_by_the_sizes_of_other_operations_too() {
    let table = Table::with(&[("/x", file(3_145_000))]);
    for (write, start, len) in [(4096, 315_392, 127), (8192, 319_488, 126)] {
        let mut w = on(&["/x"]);
        w.blocks_mut().sizes = BlockSizes::fixed(8192);
        w.blocks_mut().sizes.by_op.write = Sizes::Fixed(write);
        w.blocks_mut().region.offset = Amount::Percent(10);
        let programs = run(vec![w.clone()], &table).unwrap();
        assert_eq!(programs[0].extents[0].start, start, "{write}");
        w.blocks_mut().region.offset = Amount::Bytes(0);
        w.blocks_mut().region.size = Some(Amount::Percent(33));
        let programs = run(vec![w], &table).unwrap();
        assert_eq!(programs[0].extents[0].len, len * 8192, "{write}");
    }
}

#[test]
fn a_file_that_is_too_small_does_not_grow_where_creating_is_off() {
    let table = Table::with(&[("/x", file(4 << 20))]);
    let sized = |size: u64| {
        let mut w = on(&["/x"]);
        w.blocks_mut().prepare.create = false;
        w.blocks_mut().region.size = Some(Amount::Bytes(size));
        run(vec![w], &table)
    };
    assert!(sized(4 << 20).is_ok());
    let wrong = texts(sized(6 << 20));
    assert!(wrong[0].contains("file creation is off"), "{wrong:?}");
}

#[test]
fn of_a_missing_file_without_a_size_one_thing_is_said() {
    let missing = |size: Option<u64>, position| {
        let mut w = on(&["/x"]);
        w.blocks_mut().prepare.create = false;
        w.blocks_mut().region.size = size.map(Amount::Bytes);
        w.blocks_mut().access.position = position;
        texts(run(vec![w], &Table::default()))
    };
    let (off, no_size) = ("file creation is off", "no size in bytes is given");
    let wrong = missing(None, Position::EachFile);
    assert!(
        wrong.len() == 1 && wrong[0].contains(no_size) && wrong[0].contains("give a size"),
        "{wrong:?}"
    );
    let wrong = missing(Some(1 << 20), Position::EachFile);
    let of_size = |wrong: &[String]| wrong.iter().any(|one| one.contains(no_size));
    assert!(wrong[0].contains(off) && !of_size(&wrong), "{wrong:?}");
    // Jobs that have a position of each kind of operation turn creation off themselves.
    let wrong = missing(None, Position::EachKind);
    assert!(
        wrong.len() == 2 && wrong[0].contains(off) && wrong[1].contains(no_size),
        "{wrong:?}"
    );
}

/// As measured with fio 3.33, with `filesize=4m` and blocks of 64 KiB, on a file of 6 MiB and where there is none.
#[test]
fn a_percentage_is_one_of_the_file_size_that_is_given() {
    let table = Table::with(&[("/x", file(6 << 20))]);
    for path in ["/x", "/new"] {
        for (size, offset, blocks) in [
            (50, 0, 32),
            (50, 1, 32),
            (50, 3, 16),
            (100, 1, 48),
            (33, 0, 21),
        ] {
            let mut w = on(&[path]);
            w.blocks_mut().mix = OpMix::Only(Op::Write);
            w.blocks_mut().sizes = BlockSizes::fixed(65_536);
            w.blocks_mut().region.file_size = Some((4 << 20, 4 << 20));
            w.blocks_mut().region.size = Some(Amount::Percent(size));
            w.blocks_mut().region.offset = Amount::Bytes(offset << 20);
            let programs = run(vec![w], &table).unwrap();
            assert_eq!(
                programs[0].extents[0].len,
                blocks * 65_536,
                "{path} {size} {offset}"
            );
        }
    }
}

/// As measured with fio 3.33: a pass that leaves bytes out wraps around only where the file ends.
#[test]
fn a_pass_that_skips_ends_with_the_region_where_the_file_is_longer() {
    let table = Table::with(&[("/x", file(4 << 20))]);
    for (size, skip, bytes) in [
        (1 << 20, 65_536, 8 * 65_536),
        (1 << 20, 32_768, 11 * 65_536),
        (1 << 20, 196_608, 4 * 65_536),
        (4 << 20, 65_536, 4 << 20),
    ] {
        let mut w = on(&["/x"]);
        w.blocks_mut().sizes = BlockSizes::fixed(65_536);
        w.blocks_mut().access.order = Order::Sequential { skip };
        w.blocks_mut().region.size = Some(Amount::Bytes(size));
        let programs = run(vec![w], &table).unwrap();
        assert_eq!(programs[0].total_bytes, Some(bytes), "{size} {skip}");
    }
}

/// As measured with fio 3.33: 64 KiB in the first 1,000,000 bytes of files of these sizes.
#[test]
fn the_last_io_of_a_pass_that_skips_needs_room_in_the_file_only() {
    for (there, skip, bytes, reach) in [
        (1_000_000, 32_768, 10 * 65_536, 950_272),
        (1_000_000, 65_536, 1_000_000, 983_040),
        (1_048_576, 32_768, 11 * 65_536, 1_048_576),
        (1_048_576, 131_072, 6 * 65_536, 1_048_576),
        (1_050_000, 32_768, 1_000_000, 1_048_576),
        (1_050_000, 131_072, 1_000_000, 1_048_576),
        (2_000_000, 131_072, 6 * 65_536, 1_048_576),
    ] {
        let table = Table::with(&[("/x", file(there))]);
        let mut w = on(&["/x"]);
        w.blocks_mut().sizes = BlockSizes::fixed(65_536);
        w.blocks_mut().access.order = Order::Sequential { skip };
        w.blocks_mut().region.size = Some(Amount::Bytes(1_000_000));
        let programs = run(vec![w], &table).unwrap();
        assert_eq!(programs[0].total_bytes, Some(bytes), "{there} {skip}");
        let end = programs[0].extents[0].len;
        assert!(end >= reach, "{there} {skip}: {end}");
    }
}

/// As measured with fio 3.33: of 1,100,000 bytes draws with repeats do all, a pass what the smallest I/O divides.
#[test]
fn the_rest_of_a_random_job_counts_only_where_blocks_repeat() {
    let table = Table::with(&[("/x", file(1_100_000))]);
    let of = |coverage, sizes, every| {
        let mut w = on(&["/x"]);
        w.blocks_mut().sizes = sizes;
        w.blocks_mut().access.coverage = coverage;
        w.blocks_mut().access.order = Order::Random {
            every,
            identical: false,
        };
        run(vec![w], &table).unwrap()[0].total_bytes
    };
    let bytes = |coverage, sizes| of(coverage, sizes, 1);
    let (one, several) = (
        || BlockSizes::fixed(65_536),
        || BlockSizes {
            by_op: PerOp::splat(Sizes::Range {
                min: 4096,
                max: 16_384,
                unaligned: false,
            }),
            ..BlockSizes::fixed(4096)
        },
    );
    assert_eq!(bytes(Coverage::WithRepeats, one()), Some(1_100_000));
    assert_eq!(bytes(Coverage::WithRepeats, several()), Some(1_100_000));
    assert_eq!(bytes(Coverage::OncePerPass, one()), Some(16 * 65_536));
    assert_eq!(bytes(Coverage::OncePerPass, several()), Some(268 * 4096));
    // Runs after a jump, the shortest included, reach the rest.
    for every in [2, 3] {
        let found = of(Coverage::OncePerPass, one(), every);
        assert_eq!(found, Some(1_100_000), "{every}");
    }
}

/// As measured with fio 3.33: of 1,148,576 bytes in 4 to 64 KiB one pass, whatever its rest.
#[test]
fn a_pass_in_order_in_several_sizes_begins_no_other_for_its_rest() {
    let mut w = on(&["/x"]);
    w.blocks_mut().access.order = Order::Sequential { skip: 0 };
    assert_eq!(passes_until_done(&w), None, "bytes end it");
    w.blocks_mut().sizes.by_op = PerOp::splat(Sizes::Split(vec![(4096, 10), (65_536, 90)]));
    assert_eq!(passes_until_done(&w), Some(1));
    w.stop.loops = 2;
    assert_eq!(passes_until_done(&w), Some(2));
    w.stop.io_bytes = Some(Amount::Bytes(1 << 20));
    assert_eq!(passes_until_done(&w), None);
}

#[test]
fn file_sizes_are_drawn_from_the_seed() {
    let draw = |seed| {
        let mut w = of_files("f.$jobnum.$filenum", &[], 20);
        w.clones = 2;
        w.blocks_mut().region.file_size = Some((1 << 20, 1 << 24));
        w.blocks_mut().access.seed = Some(seed);
        run(vec![w], &Table::with(&[])).unwrap()
    };
    let (a, b, c) = (draw(1), draw(1), draw(2));
    assert_eq!(extents(&a), extents(&b));
    assert_ne!(extents(&a), extents(&c));
    assert_ne!(a[0].extents, a[1].extents, "each worker has its own files");
    let lens: Vec<u64> = a[0].extents.iter().map(|e| e.len).collect();
    assert!(lens.iter().all(|l| (1 << 20..=1 << 24).contains(l)));
    assert!(lens.iter().all(|l| l % 4096 == 0));
    assert!(lens.iter().max() > lens.iter().min());
}

#[test]
fn workers_sharing_files_agree_on_drawn_sizes() {
    let mut w = on(&["/x", "/y"]);
    w.clones = 4;
    w.blocks_mut().region.file_size = Some((1 << 20, 1 << 24));
    let programs = run(vec![w], &Table::with(&[])).unwrap();
    assert!(programs.iter().all(|p| p.extents == programs[0].extents));
}

#[test]
fn an_existing_file_within_the_range_keeps_its_size() {
    let table = Table::with(&[("/x", file(5 << 20)), ("/y", file(1))]);
    let mut w = on(&["/x", "/y"]);
    w.blocks_mut().region.file_size = Some((4 << 20, 4 << 20));
    let programs = run(vec![w.clone()], &table).unwrap();
    assert_eq!(extents(&programs), [vec![(0, 4 << 20), (0, 4 << 20)]]);
    assert_eq!(programs[0].files[0].make_size, None);
    w.blocks_mut().region.file_size = Some((4 << 20, 6 << 20));
    let programs = run(vec![w], &table).unwrap();
    assert_eq!(programs[0].extents[0].len, 5 << 20);
}

#[test]
fn size_bounds_the_bytes_over_sized_files() {
    let mut w = on(&["/x", "/y"]);
    w.blocks_mut().region.file_size = Some((1 << 20, 1 << 20));
    w.blocks_mut().region.size = Some(Amount::Bytes(1 << 20));
    let programs = run(vec![w], &Table::with(&[])).unwrap();
    assert_eq!(programs[0].total_bytes, Some(1 << 20));
    assert_eq!(extents(&programs), [vec![(0, 1 << 20), (0, 1 << 20)]]);
}

#[test]
fn totals_follow_loops_io_size_time_and_count() {
    let totals = |f: &dyn Fn(&mut Workload)| {
        let mut w = null(1 << 20);
        f(&mut w);
        let p = run(vec![w], &Table::default()).unwrap().remove(0);
        (p.total_bytes, p.total_ios)
    };
    assert_eq!(totals(&|_| {}), (Some(1 << 20), None));
    assert_eq!(totals(&|w| w.stop.loops = 3), (Some(3 << 20), None));
    assert_eq!(
        totals(&|w| w.stop.io_bytes = Some(Amount::Bytes(4 << 20))),
        (Some(4 << 20), None)
    );
    assert_eq!(
        totals(&|w| w.stop.io_bytes = Some(Amount::Percent(50))),
        (Some(1 << 19), None)
    );
    assert_eq!(
        totals(&|w| {
            w.stop.ios = Some(10);
            w.stop.loops = 2;
        }),
        (Some(2 << 20), Some(20))
    );
    assert_eq!(
        totals(&|w| {
            w.stop.ios = Some(10);
            w.stop.time_based = true;
            w.stop.runtime = Some(Nanos::SECOND);
        }),
        (None, None)
    );
    assert_eq!(
        totals(&|w| w.blocks_mut().mix = OpMix::TrimWrite),
        (Some(2 << 20), None)
    );
}

#[test]
fn seeds_differ_by_worker_repeat_with_the_plan_and_follow_the_run_without_one() {
    let stage = |seed| {
        let mut w = pretended(leadline_model::plan::EngineKind::SIMULATED);
        w.clones = 3;
        w.blocks_mut().access.seed = seed;
        Stage {
            name: "s".into(),
            pause: Nanos::ZERO,
            workloads: vec![w.clone(), w],
            ..Stage::default()
        }
    };
    let seeds = |seed, run_seed| -> Vec<u64> {
        compile(&stage(seed), &plan(), &Table::default(), run_seed)
            .unwrap()
            .iter()
            .map(|p| p.seed)
            .collect()
    };
    let mut all = seeds(Some(1), 0);
    assert_eq!(all, seeds(Some(1), 99));
    assert_ne!(seeds(None, 0), seeds(None, 1));
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 6);
}

#[test]
fn no_two_workers_of_any_host_and_stage_are_given_a_seed() {
    use leadline_model::seed::{of_host, of_stage};
    let stage = |workers| {
        let mut w = null(MIB);
        w.clones = workers;
        Stage {
            workloads: vec![w.clone(), w],
            ..Stage::default()
        }
    };
    let stage_of_all = stage(128);
    let mut seen = std::collections::HashSet::new();
    for host in 0..64 {
        for number in 0..64 {
            let seed = of_stage(of_host(1, host), number);
            let programs = compile(&stage_of_all, &plan(), &Table::default(), seed).unwrap();
            seen.extend(programs.iter().map(|p| p.seed));
        }
    }
    assert_eq!(seen.len(), 1 << 20);
}

/// Sizes from a range: of the private files of all workers of these jobs, by name.
fn drawn_sizes(
    jobs: &[(&str, &str, u32)],
    seed: Option<u64>,
    run_seed: u64,
) -> BTreeMap<String, u64> {
    let table = Table::with(&[("/d", directory())]);
    let job = |&(name, pattern, clones): &(&str, &str, u32)| {
        let mut w = of_files(pattern, &["/d"], 2);
        w.name = name.to_owned();
        w.clones = clones;
        w.blocks_mut().access.seed = seed;
        w.blocks_mut().region.file_size = Some((MIB, 64 * MIB));
        w
    };
    let stage = Stage {
        workloads: jobs.iter().map(job).collect(),
        ..Stage::default()
    };
    let programs = compile(&stage, &plan(), &table, run_seed).unwrap();
    let files = programs.iter().flat_map(|p| &p.files);
    let size = |file: &FilePlan| (file.path.display().to_string(), file.make_size.unwrap());
    files.map(size).collect()
}

#[test]
fn each_private_file_has_a_size_of_its_own() {
    let own = "$jobname.$JobNum.$filenum";
    for seed in [None, Some(5)] {
        let jobs = [("a", own, 2), ("b", own, 3)];
        let sizes = drawn_sizes(&jobs, seed, 1);
        let distinct: std::collections::BTreeSet<u64> = sizes.values().copied().collect();
        assert_eq!((sizes.len(), distinct.len()), (10, 10), "{sizes:?}");
        assert_eq!(sizes, drawn_sizes(&jobs, seed, 1));
        let other = drawn_sizes(&jobs, seed, 2);
        assert_eq!(sizes == other, seed.is_some(), "{other:?}");
    }
}

/// Whoever names a file, by whatever place among his own, finds the size that others find.
#[test]
fn files_that_workers_share_are_drawn_once() {
    let shared = "all.$filenum";
    let sizes = drawn_sizes(&[("a", shared, 3), ("b", shared, 2)], None, 1);
    assert_eq!(sizes.len(), 2);
    let ranged = |paths: &[&str]| {
        let mut w = on(paths);
        w.blocks_mut().region.file_size = Some((MIB, 64 * MIB));
        w
    };
    let programs = run(
        vec![ranged(&["/x", "/y"]), ranged(&["/y"])],
        &Table::with(&[]),
    )
    .unwrap();
    let [first, second] = [&programs[0].files, &programs[1].files];
    assert_eq!(first[1].make_size, second[0].make_size);
    assert_ne!(first[0].make_size, first[1].make_size);
}

/// A seed that the plan gives: what is reported ahead of the run is what is used.
#[test]
fn sizes_are_drawn_ahead_as_they_are_by_the_stage() {
    let table = Table {
        free: 0,
        ..Table::with(&[("/d", directory())])
    };
    let job = |name: &str| {
        let mut w = of_files("$jobname.$jobnum", &["/d"], 1);
        w.name = name.to_owned();
        w.blocks_mut().access.seed = Some(9);
        w.blocks_mut().region.file_size = Some((MIB, 64 * MIB));
        w
    };
    let stage = Stage {
        workloads: vec![job("a"), job("b"), job("c")],
        ..Stage::default()
    };
    let by_stage = compile(&stage, &plan(), &table, 1).unwrap_err();
    let stages = vec![stage];
    assert_eq!(ahead(&Plan { stages, ..plan() }, &table), by_stage);
}

#[test]
fn all_problems_come_at_once_and_each_once() {
    let mut a = on(&["/dev/b"]);
    a.name = "a".into();
    a.depth = 40_000;
    a.clones = 50;
    a.blocks_mut().open.direct = true;
    a.blocks_mut().sizes = BlockSizes::fixed(1000);
    let mut b = of_files("x", &["/missing"], 1);
    b.blocks_mut().mix = OpMix::Only(Op::Write);
    b.stop.time_based = true;
    let wrong = texts(run(
        vec![a, b],
        &Table::with(&[("/dev/b", block(1 << 20)), ("/f", file(1))]),
    ));
    let all = wrong.join("\n");
    for part in [
        "a: queue depth 40000",
        "a: /dev/b: read block size 1000 is not a multiple of its logical block size of 4096 \
         bytes",
        "Job: the directory /missing does not exist [mkdir -p /missing]",
        "Job: it is time-based",
        "Job: /missing/x does not exist yet or is empty, and no size",
    ] {
        assert!(all.contains(part), "{part} not in\n{all}");
    }
    assert_eq!(wrong.len(), 5, "{all}");
}

#[test]
fn directories_and_character_devices_are_refused_in_words() {
    let table = Table::with(&[
        ("/d", directory()),
        ("/dev/null", PathKind::Other("a character device".into())),
    ]);
    let wrong = texts(run(vec![on(&["/d", "/dev/null"])], &table));
    assert!(wrong[0].contains("/d is a directory"));
    assert!(wrong[1].contains("/dev/null is a character device"));
}

#[test]
fn a_mistyped_device_does_not_become_a_file_in_memory() {
    let sized = |path| {
        let mut w = on(&[path]);
        w.blocks_mut().region.size = Some(Amount::Bytes(1 << 20));
        run(vec![w], &Table::with(&[]))
    };
    assert!(texts(sized("/dev/nvme9n1"))[0].contains("there is no device /dev/nvme9n1"));
    assert!(sized("/dev/shm/file").is_ok());
    assert!(sized("/devices").is_ok());
}

#[test]
fn a_workload_named_like_a_device_uses_it() {
    let table = Table::with(&[("/dev/b", block(1 << 30))]);
    let mut w = of_files("$jobname.$jobnum.$filenum", &[], 1);
    w.name = "/dev/b".into();
    let programs = run(vec![w], &table).unwrap();
    assert_eq!(programs[0].files[0].path, Path::new("/dev/b"));
    assert_eq!(extents(&programs), [vec![(0, 1 << 30)]]);
}

#[test]
fn read_only_refuses_writers_and_layout() {
    let mut plan = plan();
    plan.read_only = true;
    let mut writer = on(&["/x"]);
    writer.blocks_mut().mix = OpMix::mixed(99);
    let mut reader = on(&["/new"]);
    reader.name = "r".into();
    reader.blocks_mut().region.size = Some(Amount::Bytes(4096));
    let stage = Stage {
        name: "s".into(),
        pause: Nanos::ZERO,
        workloads: vec![writer, reader],
        ..Stage::default()
    };
    let table = Table::with(&[("/x", file(1 << 20))]);
    let wrong = compile(&stage, &plan, &table, 0).unwrap_err();
    assert!(wrong[0].text.contains("writes or trims"));
    let mut only_reader = stage.clone();
    only_reader.workloads.remove(0);
    let wrong = compile(&only_reader, &plan, &table, 0).unwrap_err();
    assert!(wrong[0].text.contains("/new would have to be created"));
}

#[test]
fn free_space_is_summed_over_files_and_shared_files_count_once() {
    let mut table = Table::with(&[("/old", file(1 << 20))]);
    table.free = 4 << 20;
    let sized =
        |w: &mut Workload, mib: u64| w.blocks_mut().region.size = Some(Amount::Bytes(mib << 20));
    let mut shared = on(&["/old", "/new"]);
    shared.clones = 8;
    sized(&mut shared, 4);
    assert!(run(vec![shared.clone()], &table).is_ok());
    sized(&mut shared, 6);
    let wrong = texts(run(vec![shared.clone()], &table));
    assert!(
        wrong[0].contains("5 MiB more") && wrong[0].contains("4 MiB free"),
        "{wrong:?}"
    );
    shared.blocks_mut().mix = OpMix::Only(Op::Write);
    shared.blocks_mut().prepare.fallocate = Fallocate::Truncate;
    // How much of it is written depends on how fast that is.
    shared.stop.runtime = Some(Nanos::SECOND);
    assert!(run(vec![shared.clone()], &table).is_ok());
    shared.blocks_mut().prepare.fallocate = Fallocate::Native;
    assert!(run(vec![shared.clone()], &table).is_err());
    shared.blocks_mut().region.until_full = true;
    assert!(run(vec![shared], &table).is_ok());
}

#[test]
fn until_full_uses_all_a_file_could_ever_hold() {
    let mut w = on(&["/x", "/dev/b"]);
    w.blocks_mut().mix = OpMix::Only(Op::Write);
    w.blocks_mut().region.until_full = true;
    let table = Table::with(&[("/dev/b", block(1 << 20))]);
    let programs = run(vec![w], &table).unwrap();
    let e = &programs[0].extents;
    assert!(e[0].len > u64::MAX / 2 - 8192 && e[0].len.is_multiple_of(4096));
    assert_eq!(e[1].len, 1 << 20);
}

#[test]
fn offsets_of_16_eib_do_not_overflow() {
    let size = u64::MAX;
    let mut w = null(size);
    assert!(run(vec![w.clone()], &Table::default()).is_ok());
    w.blocks_mut().region.offset = Amount::Bytes(u64::MAX - 4096);
    let programs = run(vec![w.clone()], &Table::default()).unwrap();
    assert_eq!(extents(&programs), [vec![(u64::MAX - 4096, 4096)]]);
    w.blocks_mut().region.offset_step = Amount::Bytes(u64::MAX);
    w.clones = 2;
    assert!(run(vec![w], &Table::default()).is_err());
    let mut real = on(&["/x"]);
    real.blocks_mut().region.size = Some(Amount::Bytes(u64::MAX));
    let wrong = texts(run(vec![real], &Table::default()));
    assert!(wrong[0].contains("8 EiB"), "{wrong:?}");
}

#[test]
fn up_to_4096_workers() {
    let mut w = null(1 << 20);
    w.clones = 4096;
    assert_eq!(run(vec![w.clone()], &Table::default()).unwrap().len(), 4096);
    w.clones = 4097;
    assert!(texts(run(vec![w], &Table::default()))[0].contains("4097 workers"));
}

#[test]
fn buffers_fit_the_largest_read_or_write_but_not_trims() {
    let size = |mix: OpMix| {
        let mut w = null(1 << 30);
        w.blocks_mut().mix = mix;
        w.blocks_mut().sizes.by_op = PerOp {
            read: Sizes::Fixed(4096),
            write: Sizes::Range {
                min: 512,
                max: 65536,
                unaligned: false,
            },
            trim: Sizes::Fixed(1 << 26),
        };
        run(vec![w], &Table::default()).unwrap()[0].buffer.0
    };
    assert_eq!(size(OpMix::reads()), 4096);
    assert_eq!(size(OpMix::mixed(50)), 65536);
    assert_eq!(size(OpMix::TrimWrite), 65536);
}

#[test]
fn direct_alignment_is_checked_for_offset_and_skip_too() {
    let mut w = on(&["/x"]);
    w.blocks_mut().open.direct = true;
    w.blocks_mut().region.offset = Amount::Bytes(100);
    w.blocks_mut().access.order = Order::Sequential { skip: 300 };
    let wrong = texts(run(vec![w.clone()], &Table::with(&[("/x", file(1 << 20))])));
    assert!(
        wrong[0].contains("offset 100, skip 300 is not a multiple"),
        "{wrong:?}"
    );
    w.blocks_mut().open.direct = false;
    assert!(run(vec![w], &Table::with(&[("/x", file(1 << 20))])).is_ok());
}

#[test]
fn sync_engines_have_one_io_in_flight() {
    let table = Table::with(&[("/x", file(1 << 20))]);
    let mut w = on(&["/x"]);
    w.depth = 16;
    let p = run(vec![w.clone()], &table).unwrap().remove(0);
    assert_eq!(p.depth(), 16);
    w.engine.kind = leadline_model::plan::EngineKind::PLAIN_CALL;
    let p = run(vec![w], &table).unwrap().remove(0);
    assert_eq!(p.depth(), 1);
}

#[test]
fn a_target_goes_with_its_engine() {
    use leadline_model::plan::EngineKind;
    let made_up = [null(1 << 20), pretended(EngineKind::SIMULATED)];
    for kind in EngineKind::ALL {
        for mut w in made_up.clone() {
            let own = w.engine.kind;
            w.engine.kind = kind;
            let verdict = run(vec![w], &Table::default());
            let goes = kind == own;
            assert_eq!(
                verdict.is_ok(),
                goes,
                "{kind:?} on what is {own:?}'s: {verdict:?}"
            );
        }
    }
}

#[test]
fn the_null_engine_needs_no_files() {
    let mut w = of_files("x", &["/nowhere"], 4);
    w.engine.kind = leadline_model::plan::EngineKind::NULL;
    w.blocks_mut().region.size = Some(Amount::Bytes(1 << 20));
    let p = run(vec![w], &Table::default()).unwrap().remove(0);
    assert!(p.files.is_empty());
    assert_eq!(
        p.extents,
        [Extent {
            start: 0,
            len: 1 << 20
        }]
    );
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    fn amount() -> impl Strategy<Value = Amount> {
        prop_oneof![
            (0..1u64 << 24).prop_map(Amount::Bytes),
            any::<u64>().prop_map(Amount::Bytes),
            (0..150u32).prop_map(Amount::Percent),
        ]
    }

    fn kind() -> impl Strategy<Value = PathKind> {
        prop_oneof![
            Just(PathKind::Missing),
            (0..1u64 << 24).prop_map(file),
            (0..1u64 << 24).prop_map(block),
            Just(directory()),
        ]
    }

    proptest! {
        #[test]
        fn whatever_is_asked_is_refused_or_fits(
            kinds in prop::collection::vec(kind(), 1..5),
            offset in amount(),
            step in amount(),
            size in prop::option::of(amount()),
            file_size in prop::option::of((any::<u64>(), any::<u64>())),
            io_bytes in prop::option::of(amount()),
            block_size in prop_oneof![Just(0u64), Just(512), Just(4096), any::<u64>()],
            clones in 0..6u32,
            until_full in any::<bool>(),
            direct in any::<bool>(),
            round in prop::option::of((0..1u64 << 25, amount())),
        ) {
            let names: Vec<String> = (0..kinds.len()).map(|i| format!("/f{i}")).collect();
            let mut table = Table { free: u64::MAX, ..Table::default() };
            for (name, kind) in names.iter().zip(&kinds) {
                table.kinds.insert(name.into(), kind.clone());
            }
            let mut w = Workload::new("w", Target::Paths(names));
            w.blocks_mut().region.offset = offset;
            w.blocks_mut().region.offset_step = step;
            w.blocks_mut().region.size = size;
            w.blocks_mut().region.file_size = file_size;
            w.blocks_mut().region.until_full = until_full;
            w.blocks_mut().region.wrap = round.map(|(start, end)| Wrap { start, end });
            w.stop.io_bytes = io_bytes;
            w.blocks_mut().sizes = BlockSizes::fixed(block_size);
            w.clones = clones;
            w.blocks_mut().open.direct = direct;
            match run(vec![w], &table) {
                Err(problems) => prop_assert!(!problems.is_empty()),
                Ok(programs) => {
                    prop_assert_eq!(programs.len(), clones as usize);
                    for p in &programs {
                        prop_assert!(p.buffer.0 >= block_size);
                        for f in &p.files {
                            let end = f.extent.start.checked_add(f.extent.len).unwrap();
                            prop_assert!(f.extent.len >= block_size);
                            if let Some(turn) = f.wrap_around {
                                let (e, wrap) = (turn.extent, turn.wrap);
                                let beyond = e.start.checked_add(e.len).unwrap() - wrap.at;
                                prop_assert!(e.len >= block_size && wrap.at >= e.start);
                                prop_assert!(wrap.at <= end && wrap.to + beyond <= end);
                                prop_assert_eq!(wrap.to, f.extent.start);
                            }
                            prop_assert!(end <= i64::MAX as u64);
                            match f.kind {
                                PathKind::Block { size, .. } => {
                                    prop_assert!(end <= size && f.make_size.is_none());
                                }
                                PathKind::File { size } => {
                                    prop_assert_eq!(f.make_size, (end > size).then_some(end));
                                }
                                PathKind::Missing => prop_assert_eq!(f.make_size, Some(end)),
                                PathKind::Unreachable(_) | PathKind::Other(_) => prop_assert!(false),
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A stage in which this runs alone.
fn alone(workload: Workload) -> Stage {
    Stage {
        workloads: vec![workload],
        ..Stage::default()
    }
}

fn writer(path: &str, size: u64) -> Workload {
    let mut w = on(&[path]);
    w.blocks_mut().mix = OpMix::Only(Op::Write);
    w.blocks_mut().region.size = Some(Amount::Bytes(size));
    w
}

fn seen_ahead(table: &Table, stages: Vec<Workload>) -> Vec<String> {
    let stages = stages.into_iter().map(alone).collect();
    let plan = Plan { stages, ..plan() };
    ahead(&plan, table).into_iter().map(|p| p.text).collect()
}

#[test]
fn what_a_later_stage_needs_may_be_made_by_an_earlier_one() {
    let table = Table::with(&[("/d", PathKind::Other("a directory".into()))]);
    let mut reader = on(&["/d/new/f"]);
    reader.blocks_mut().prepare.create = false;
    let first = writer("/d/new/f", 1 << 20);
    let none: Vec<String> = Vec::new();
    assert_eq!(
        seen_ahead(&table, vec![first.clone(), reader.clone()]),
        none
    );
    // It is not made.
    assert_eq!(seen_ahead(&table, vec![reader.clone()]).len(), 2);
    // It is no folder.
    let below = writer("/d/new/f/below", 1 << 20);
    let found = seen_ahead(&table, vec![first.clone(), below]);
    assert!(found[0].contains("is a file"), "{found:?}");
    // It is deleted again.
    let mut deleted = first.clone();
    deleted.blocks_mut().prepare.unlink = true;
    assert_eq!(seen_ahead(&table, vec![deleted, reader.clone()]).len(), 2);
    // How large it gets is not known: what follows from its size is not reported.
    let mut as_written = first;
    as_written.blocks_mut().prepare.fallocate = Fallocate::None;
    reader.blocks_mut().region.offset = Amount::Bytes(1 << 30);
    assert_eq!(seen_ahead(&table, vec![as_written, reader.clone()]), none);
    let sure = writer("/d/new/f", 1 << 20);
    let found = seen_ahead(&table, vec![sure, reader]);
    assert!(found[0].contains("at or beyond its end"), "{found:?}");
}

#[test]
fn a_later_stage_on_what_is_no_target_is_seen() {
    let table = Table::with(&[("/d", PathKind::Other("a directory".into()))]);
    let found = seen_ahead(&table, vec![writer("/f", 4096), writer("/d", 4096)]);
    assert_eq!(found, ["/d is a directory"]);
    let mut simulated = writer("/f", 4096);
    simulated.blocks_mut().target = SimDevice::default().into();
    simulated.engine.kind = leadline_model::plan::EngineKind::SIMULATED;
    let mixed = Stage {
        workloads: vec![writer("/f", 4096), simulated],
        ..Stage::default()
    };
    let stages = vec![alone(writer("/g", 4096)), mixed];
    let found = ahead(&Plan { stages, ..plan() }, &table);
    assert!(found[0].text.contains("have no common clock"), "{found:?}");
}

#[test]
fn the_space_of_all_stages_is_summed_up_and_what_is_deleted_is_free_again() {
    const MIB: u64 = 1 << 20;
    let mut table = Table::with(&[("/old", file(40 * MIB))]);
    table.free = 64 * MIB;
    let stages = |names: &[(&str, bool)]| {
        let of = |&(name, unlink): &(&str, bool)| {
            let mut w = writer(name, 40 * MIB);
            w.blocks_mut().prepare.unlink = unlink;
            w
        };
        seen_ahead(&table, names.iter().map(of).collect())
    };
    let fits: [&[(&str, bool)]; 4] = [
        &[("/a", false), ("/a", false)],
        &[("/a", true), ("/b", true), ("/c", false)],
        &[("/old", false), ("/a", false)],
        &[("/old", true), ("/a", false), ("/b", false)],
    ];
    for names in fits {
        assert_eq!(stages(names), [""; 0], "{names:?}");
    }
    let full: [&[(&str, bool)]; 3] = [
        &[("/a", false), ("/b", false)],
        &[("/a", true), ("/b", false), ("/c", true)],
        &[("/old", true), ("/a", false), ("/b", false), ("/c", false)],
    ];
    for names in full {
        let found = stages(names);
        assert_eq!(found.len(), 1, "{names:?} {found:?}");
        assert!(found[0].contains("which has 64 MiB free"), "{found:?}");
    }
    // Grown step by step it counts once, with its largest size.
    let steps = [10, 20, 60, 30].map(|n| writer("/a", n * MIB)).to_vec();
    assert_eq!(seen_ahead(&table, steps), [""; 0]);
    let steps = [10, 20, 70].map(|n| writer("/a", n * MIB)).to_vec();
    assert!(seen_ahead(&table, steps)[0].starts_with("70 MiB more"));
}

/// Also where nothing is claimed for them.
#[test]
fn files_that_are_made_are_counted_over_all_stages() {
    let mut table = Table::with(&[("/old", file(MIB))]);
    table.free_files = Some(2);
    let job = |name: &str, unlink: bool| {
        let mut w = writer(name, MIB);
        w.blocks_mut().prepare.fallocate = Fallocate::None;
        w.blocks_mut().prepare.unlink = unlink;
        w
    };
    let found = |jobs: &[(&str, bool)]| {
        let jobs = jobs.iter().map(|&(name, unlink)| job(name, unlink));
        seen_ahead(&table, jobs.collect())
    };
    for fits in [
        &[("/a", false), ("/b", false), ("/a", false), ("/old", false)][..],
        &[("/a", true), ("/b", false), ("/c", false)],
        &[("/old", true), ("/a", false), ("/b", false), ("/c", false)],
    ] {
        assert_eq!(found(fits), [""; 0], "{fits:?}");
    }
    let text = "3 more files would be made in the file system of /c, which has room for 2 (inodes)";
    assert_eq!(
        found(&[("/a", false), ("/b", false), ("/c", false)]),
        [text]
    );
}

#[test]
fn a_file_that_is_made_by_being_opened_grows_as_it_is_written() {
    let opened = |mix| {
        let mut w = on(&["/new"]);
        w.blocks_mut().mix = mix;
        w.blocks_mut().region.size = Some(Amount::Bytes(1 << 20));
        w.blocks_mut().prepare.create_on_open = true;
        w
    };
    let seen = |first| seen_ahead(&Table::with(&[]), vec![first, on(&["/new"])]);
    // How far it was written is not known before.
    assert_eq!(seen(opened(OpMix::Only(Op::Write))), [""; 0]);
    // It is not written to: it stays empty.
    let found = seen(opened(OpMix::reads()));
    assert!(found.iter().any(|t| t.contains("is empty")), "{found:?}");
}

/// Files, and what was said to be intended with them.
struct Guarded {
    table: Table,
    intents: RefCell<Vec<Intent>>,
}

impl HostFacts for Guarded {
    fn path_kind(&self, path: &Path) -> PathKind {
        self.table.path_kind(path)
    }
    fn free_bytes(&self, path: &Path) -> Option<u64> {
        self.table.free_bytes(path)
    }
    fn file_system(&self, path: &Path) -> Option<u64> {
        self.table.file_system(path)
    }
    fn direct_align(&self, path: &Path) -> Option<u32> {
        self.table.direct_align(path)
    }
    fn bars(&self, targets: &[Intent], _: &[String]) -> Vec<(usize, Bar)> {
        self.intents.borrow_mut().extend_from_slice(targets);
        Vec::new()
    }
}

#[test]
fn what_is_intended_with_each_file_is_asked_about_before_anything_is_made() {
    let intended = |workloads: &[Workload]| {
        let facts = Guarded {
            table: Table::with(&[("/old", file(1 << 20))]),
            intents: RefCell::default(),
        };
        let stages = workloads.iter().cloned().map(alone).collect();
        assert_eq!(ahead(&Plan { stages, ..plan() }, &facts), []);
        facts.intents.into_inner()
    };
    let with = |path: &str, change: fn(&mut Workload)| {
        let mut w = writer(path, 1 << 20);
        change(&mut w);
        w
    };
    let reads: fn(&mut Workload) = |w| w.blocks_mut().mix = OpMix::reads();
    let old = Intent::of(Path::new("/old"), false);
    let new = Intent::of(Path::new("/new"), true);
    let changes = |of: &Intent| Intent {
        changes: true,
        ..of.clone()
    };
    assert_eq!(intended(&[with("/old", reads)]), std::slice::from_ref(&old));
    assert_eq!(intended(&[with("/old", |_| ())]), [changes(&old)]);
    // It is filled first.
    assert_eq!(intended(&[with("/new", reads)]), [changes(&new)]);
    let unlinks = |w: &mut Workload| w.blocks_mut().prepare.unlink = true;
    let direct = |w: &mut Workload| w.blocks_mut().open.direct = true;
    let of_both = Intent {
        goes: true,
        direct: true,
        ..changes(&old)
    };
    // With the word of the first workload that has one.
    let named = |w: &mut Workload| w.blocks_mut().prepare.own = Some("first".into());
    let again = |w: &mut Workload| w.blocks_mut().prepare.own = Some("second".into());
    let own = Intent {
        own: Some("first".into()),
        ..changes(&old)
    };
    let stages = [
        with("/old", |_| ()),
        with("/old", named),
        with("/old", again),
    ];
    assert_eq!(intended(&stages), [own]);
    // One entry for all stages, with all that any of them does.
    let stages = [
        with("/old", direct),
        with("/old", reads),
        with("/old", unlinks),
    ];
    assert_eq!(intended(&stages), [of_both]);
    // A file that is only to be there, and is, is left alone; one that is not is made.
    let only_made = |w: &mut Workload| w.blocks_mut().prepare.create_only = true;
    assert_eq!(intended(&[with("/old", only_made)]), []);
    assert_eq!(intended(&[with("/new", only_made)]), [changes(&new)]);
    // What an earlier stage makes was asked about there.
    let again = [with("/new", reads), with("/new", reads)];
    assert_eq!(intended(&again), [changes(&new)]);
    // What writes take their data from is read.
    let source = |w: &mut Workload| {
        w.blocks_mut().payload.fill = Fill::Source {
            size: 1 << 20,
            file: Some("/old".into()),
        };
    };
    assert_eq!(intended(&[with("/new", source)]), [changes(&new), old]);
}
