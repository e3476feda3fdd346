//! What one I/O costs before it reaches a back end: the choice of the I/O and the change of its payload.
//!
//! `access_cost` prints nanoseconds for each case. `access_cost CASE COUNT` runs one case COUNT times
//! and nothing else; the slope between two counts under `valgrind --tool=callgrind` is the number of
//! instructions for each I/O.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "an example run by hand that measures"
)]

use leadline_engine::access::Generator;
use leadline_engine::buffer::{Arena, Layout};
use leadline_engine::payload::Payload;
use leadline_engine::schedule::Extent;
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::access::{Coverage, Distribution, FileChoice, OpMix, Order, Sizes};
use leadline_model::plan::data::{Payload as Content, Refresh};
use leadline_model::plan::engine::Memory;
use leadline_model::plan::{BlockSizes, Target, Workload};
use leadline_model::units::Percent;
use std::hint::black_box;
use std::time::Instant;

const ACCESS: [&str; 18] = [
    "sequential",
    "sequential-mix",
    "once",
    "once-odd",
    "once-mix",
    "once-split",
    "repeats",
    "zipf",
    "zipf-scattered",
    "pareto",
    "normal",
    "half-random",
    "files-4",
    "files-100000",
    "files-sequential",
    "trim-write",
    "diskspd",
    "shared",
];
const PAYLOAD: [&str; 5] = [
    "stamp-4k",
    "each-4k",
    "each-64k",
    "each-half-64k",
    "dedupe-4k",
];

fn workload(case: &str) -> (Workload, Vec<Extent>) {
    let mut workload = Workload::new("cost", Target::Null { size: 0 });
    workload.blocks_mut().mix = OpMix::reads();
    workload.blocks_mut().sizes = BlockSizes::fixed(4096);
    let (mut files, mut size) = (1, 1 << 40);
    let access = &mut workload.blocks_mut().access;
    access.order = Order::Random {
        every: 1,
        identical: false,
    };
    match case {
        "once" => {}
        "once-odd" => size = 1_000_204_886_016,
        "once-mix" | "sequential-mix" => workload.blocks_mut().mix = OpMix::mixed(70),
        "once-split" => {
            let split = vec![(4096, 60), (65536, 40)];
            workload.blocks_mut().sizes.by_op = PerOp::splat(Sizes::Split(split));
        }
        "repeats" => access.coverage = Coverage::WithRepeats,
        "half-random" => access.random_percent = PerOp::splat(Percent::whole(50)),
        "files-4" => files = 4,
        "files-100000" => (files, size) = (100_000, 1 << 30),
        "files-sequential" => {
            files = 4;
            access.file_choice = FileChoice::Sequential;
        }
        "trim-write" => workload.blocks_mut().mix = OpMix::TrimWrite,
        "sequential" => {}
        "diskspd" => access.draws = leadline_model::plan::access::Draws::Diskspd,
        "shared" => {
            access.position = leadline_model::plan::access::Position::Workload;
            access.order = Order::Sequential { skip: 0 };
        }
        law => access.distribution = PerOp::splat(distribution(law)),
    }
    if case.starts_with("sequential") {
        workload.blocks_mut().access.order = Order::Sequential { skip: 0 };
    }
    (
        workload,
        vec![
            Extent {
                start: 0,
                len: size
            };
            files
        ],
    )
}

fn distribution(case: &str) -> Distribution {
    let center = (case != "zipf-scattered").then_some(0.0);
    match case {
        "zipf" | "zipf-scattered" => Distribution::Zipf { theta: 1.1, center },
        "pareto" => Distribution::Pareto { h: 0.2, center },
        "normal" => Distribution::Normal {
            deviation: 10.0,
            center,
        },
        _ => panic!("no case of that name"),
    }
}

fn access(case: &str, count: u64) {
    let (workload, extents) = workload(case);
    let mut generator = Generator::new(&workload, &extents, 7);
    for _ in 0..count {
        let op = generator.pick_op();
        match generator.next(op) {
            Some(io) => {
                black_box(io);
            }
            None => generator.start_pass(),
        }
    }
}

fn payload(case: &str, count: u64) -> u64 {
    let mut content = Content {
        refresh: Refresh::Each,
        ..Content::default()
    };
    let mut size = 4096;
    match case {
        "stamp-4k" => content.refresh = Refresh::Stamp,
        "each-4k" => {}
        "each-64k" => size = 65536,
        "each-half-64k" => {
            size = 65536;
            content.compress_percent = Percent::whole(50);
            content.compress_chunk = 4096;
        }
        "dedupe-4k" => content.dedupe_percent = Percent::whole(50),
        _ => panic!("no case of that name"),
    }
    let layout = Layout {
        slots: 32,
        size,
        align: 0,
        memory: Memory::Anonymous,
        both: false,
    };
    let mut arena = Arena::new(&layout).unwrap();
    let mut payload = Payload::new(&content, 7);
    payload.fill_all(&mut arena);
    for i in 0..count {
        let slot = usize::try_from(i % 32).unwrap();
        payload.before_write(black_box(arena.slot_mut(slot)), i * size);
        black_box(arena.slot(slot, Op::Write));
    }
    size
}

fn run(case: &str, count: u64) -> u64 {
    if ACCESS.contains(&case) {
        access(case, count);
        0
    } else {
        payload(case, count)
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [case, count] = args.as_slice() {
        run(case, count.parse().unwrap());
        return;
    }
    for case in ACCESS.iter().chain(&PAYLOAD) {
        // The slope between two counts, so that construction does not count.
        let time = |count| {
            let start = Instant::now();
            let size = run(case, count);
            (start.elapsed().as_secs_f64() * 1e9, size)
        };
        let (short, long) = (100_000, 1_100_000);
        time(short);
        let (few, _) = time(short);
        let (many, size) = time(long);
        let each = (many - few) / 1e6;
        if size == 0 {
            println!("{case:18} {each:7.1} ns");
        } else {
            println!("{case:18} {each:7.1} ns  {:5.1} GB/s", size as f64 / each);
        }
    }
}
