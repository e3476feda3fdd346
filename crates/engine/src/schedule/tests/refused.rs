//! What is refused of a plan's values, and what beside it is not.

use super::*;
use crate::access::Generator;
use leadline_model::plan::access::{AtEnd, Distribution, Draws, Position};
use leadline_model::plan::{Arrival, FileChoice, FilePart, Pace, Rate};
use leadline_model::units::Percent;
use std::sync::Arc;

const MIB: u64 = 1 << 20;

/// A writer of two files of 64 MiB, changed so.
fn found(change: &dyn Fn(&mut Workload)) -> Vec<String> {
    let table = Table::with(&[("/f", file(64 * MIB)), ("/g", file(64 * MIB))]);
    let mut w = on(&["/f", "/g"]);
    w.blocks_mut().mix = OpMix::Only(Op::Write);
    w.blocks_mut().sizes = BlockSizes::fixed(65_536);
    change(&mut w);
    match run(vec![w], &table) {
        Ok(_) => Vec::new(),
        wrong => texts(wrong),
    }
}

fn refused(change: &dyn Fn(&mut Workload), words: &str) {
    let found = found(change);
    assert!(
        found.iter().any(|t| t.contains(words)),
        "{words}: {found:?}"
    );
}

fn taken(change: &dyn Fn(&mut Workload)) {
    assert_eq!(found(change), [""; 0]);
}

fn write_sizes(w: &mut Workload, sizes: Sizes) {
    w.blocks_mut().sizes.by_op.write = sizes;
}

#[test]
fn block_sizes_that_no_io_can_have() {
    let range = |min, max| Sizes::Range {
        min,
        max,
        unaligned: false,
    };
    refused(
        &|w| write_sizes(w, range(8192, 4096)),
        "write block sizes from 8192 to 4096 bytes are not a range",
    );
    refused(
        &|w| write_sizes(w, range(0, 4096)),
        "write block sizes from 0 to 4096 bytes are not a range",
    );
    taken(&|w| write_sizes(w, range(4096, 4096)));
    let weights = |first| Sizes::Split(vec![(4096, first), (8192, 0)]);
    refused(
        &|w| write_sizes(w, weights(0)),
        "all write block sizes have a share of 0",
    );
    taken(&|w| write_sizes(w, weights(1)));
    refused(
        &|w| w.blocks_mut().sizes.align.write = Some(0),
        "write offsets are aligned to 0 bytes",
    );
    taken(&|w| w.blocks_mut().sizes.align.write = Some(1));
    // Of reads, which it does not do, nothing is asked.
    taken(&|w| w.blocks_mut().sizes.by_op.read = range(8192, 4096));
}

#[test]
fn random_offsets_are_multiples_of_less_than_4_gib() {
    let aligned = |align, random| {
        move |w: &mut Workload| {
            w.blocks_mut().sizes.align.write = Some(align);
            if random {
                let (every, identical) = (1, false);
                w.blocks_mut().access.order = Order::Random { every, identical };
            }
        }
    };
    let text = "write offsets are aligned to 4294967296 bytes";
    refused(&aligned(4 << 30, true), text);
    taken(&aligned((4 << 30) - 1, true));
    // In order nothing comes of it.
    taken(&aligned(4 << 30, false));
    refused(&aligned(0, false), "write offsets are aligned to 0 bytes");
}

#[test]
fn one_trim_has_at_most_a_byte_less_than_4_gib() {
    let table = Table::with(&[("/device", block(64 << 30))]);
    let found = |size| {
        let mut w = on(&["/device"]);
        w.blocks_mut().mix = OpMix::Only(Op::Trim);
        w.blocks_mut().sizes = BlockSizes::fixed(size);
        let wrong = run(vec![w], &table).map_or_else(|wrong| wrong, |_| Vec::new());
        let words = "one trim covers at most";
        wrong.iter().filter(|p| p.text.contains(words)).count()
    };
    assert_eq!(found((4 << 30) - 1), 0);
    assert_eq!(found(4 << 30), 1);
    assert_eq!(found(8 << 30), 1);
}

#[test]
fn offsets_are_refused_from_where_they_cannot_be_drawn() {
    taken(&|w| w.blocks_mut().access.stride = Some((4096, 4096)));
    let low_end = |n| {
        move |w: &mut Workload| {
            w.blocks_mut().access.distribution.write = Distribution::LowEnd(n);
        }
    };
    taken(&low_end(3.0));
    for n in [-1.0, f64::INFINITY, f64::NAN] {
        refused(&low_end(n), "low end");
    }
}

#[test]
fn an_empty_mask_of_processors_is_refused() {
    refused(&|w| w.placement.no_cpu = true, "CPU mask is empty");
}

#[test]
fn shares_of_a_rate_schedule_are_numbers_of_0_or_more() {
    let schedule = |share| {
        move |w: &mut Workload| {
            w.pace = Pace::Open {
                rates: PerOp::splat(None),
                arrival: Arrival::Even,
                together: Some(Rate::Iops(1.0)),
                schedule: vec![(Nanos::ZERO, 1.0), (Nanos::SECOND, share)],
            };
        }
    };
    for share in [-0.5, f64::INFINITY, f64::NAN] {
        refused(&schedule(share), "out of order or negative");
    }
    taken(&schedule(0.0));
}

#[test]
fn a_queue_is_divided_among_files_without_a_rest() {
    let divided = |depth, paths: usize| {
        move |w: &mut Workload| {
            let all = ["/f".to_owned(), "/g".to_owned()];
            let blocks = w.blocks_mut();
            blocks.target = Target::Paths(all[..paths].to_vec());
            blocks.access.draws = Draws::Diskspd;
            blocks.access.file_choice = FileChoice::EachSlot;
            (w.engine.kind, w.depth) = (leadline_model::plan::EngineKind::IoUring, depth);
        }
    };
    refused(
        &divided(3, 2),
        "a queue depth of 3 cannot be divided evenly among 2 files",
    );
    taken(&divided(4, 2));
    taken(&divided(3, 1));
    let parts = |slots: [u32; 2]| {
        move |w: &mut Workload| {
            divided(3, 2)(w);
            let part = |slots| FilePart {
                region: w.blocks().region.clone(),
                prepare: w.blocks().prepare.clone(),
                open: w.blocks().open,
                mix: w.blocks().mix,
                sizes: w.blocks().sizes.clone(),
                access: w.blocks().access.clone(),
                slots,
                payload: None,
            };
            let parts = slots.map(part).to_vec();
            w.blocks_mut().parts = parts;
        }
    };
    refused(&parts([1, 1]), "add up to 2, not to the queue depth of 3");
    taken(&parts([1, 2]));
    refused(
        &|w| {
            divided(4, 2)(w);
            w.blocks_mut().access.draws = Draws::Own;
        },
        "its queue is divided among its files",
    );
}

#[test]
fn mixing_real_and_simulated_names_the_simulated_workload() {
    let table = Table::with(&[("/f", file(MIB))]);
    let mut simulated = pretended(leadline_model::plan::EngineKind::SIMULATED);
    simulated.name = "simulated".into();
    for both in [
        vec![on(&["/f"]), simulated.clone()],
        vec![simulated, on(&["/f"])],
    ] {
        let found = texts(run(both, &table));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("simulated: it is simulated"),
            "{found:?}"
        );
    }
}

#[test]
fn workloads_of_a_stage_share_the_counters_that_they_name() {
    let table = Table::with(&[("/f", file(64 * MIB))]);
    let mut w = on(&["/f"]);
    w.blocks_mut().sizes = BlockSizes::fixed(65_536);
    let access = &mut w.blocks_mut().access;
    (access.draws, access.position) = (Draws::Diskspd, Position::Workload);
    access.counters = vec![2];
    let programs = run(vec![w.clone(), w], &table).unwrap();
    let mut both: Vec<Generator> = programs
        .iter()
        .map(|p| {
            let seat = (p.worker, Arc::clone(&p.cursors));
            Generator::seated(&p.workload, &p.extents, p.seed, seat)
        })
        .collect();
    let seen = [0, 1, 1, 0].map(|who| both[who].next(Op::Read).unwrap().offset / 65_536);
    assert_eq!(seen, [0, 1, 2, 3]);
}

#[test]
fn a_worker_is_done_after_passes_where_its_bytes_do_not_say_it() {
    let of = |change: &dyn Fn(&mut Workload)| {
        let mut w = null(MIB);
        w.stop.loops = 3;
        change(&mut w);
        passes_until_done(&w)
    };
    let several = |w: &mut Workload| {
        let sizes = Sizes::Split(vec![(4096, 50), (8192, 50)]);
        w.blocks_mut().sizes.by_op = PerOp::splat(sizes);
    };
    assert_eq!(of(&|_| {}), None);
    assert_eq!(of(&|w| w.blocks_mut().access.at_end = AtEnd::Stop), Some(1));
    let shared = |w: &mut Workload| w.blocks_mut().access.position = Position::Workload;
    assert_eq!(of(&shared), Some(3));
    // In several sizes only where all is of one kind and nothing is left out.
    assert_eq!(of(&several), Some(3));
    assert_eq!(
        of(&|w| {
            several(w);
            w.blocks_mut().mix = OpMix::mixed(50);
        }),
        None
    );
    assert_eq!(
        of(&|w| {
            several(w);
            w.blocks_mut().access.order = Order::Sequential { skip: 4096 };
        }),
        None
    );
}

#[test]
fn more_bytes_than_there_are_take_whole_passes_when_there_are_loops() {
    let total = |bytes, loops| {
        let mut w = null(MIB);
        w.stop.io_bytes = Some(Amount::Bytes(bytes));
        w.stop.loops = loops;
        run(vec![w], &Table::default()).unwrap()[0].total_bytes
    };
    assert_eq!(total(MIB + MIB / 2, 1), Some(MIB + MIB / 2));
    assert_eq!(total(MIB / 2, 2), Some(MIB));
    assert_eq!(total(MIB, 2), Some(2 * MIB));
    assert_eq!(total(2 * MIB + MIB / 2, 2), Some(3 * MIB));
    assert_eq!(total(2 * MIB + MIB / 2, 4), Some(4 * MIB));
    // Draws with repeats have no passes.
    let mut draws = null(MIB);
    draws.blocks_mut().access.order = Order::Random {
        every: 1,
        identical: false,
    };
    draws.stop.io_bytes = Some(Amount::Bytes(2 * MIB + MIB / 2));
    draws.stop.loops = 4;
    let total_of = |w: &Workload| run(vec![w.clone()], &Table::default()).unwrap()[0].total_bytes;
    assert_eq!(total_of(&draws), Some(4 * MIB));
    draws.blocks_mut().access.coverage = Coverage::WithRepeats;
    assert_eq!(total_of(&draws), Some(10 * MIB));
    // Also over a single byte.
    let mut byte = null(1);
    byte.blocks_mut().sizes = BlockSizes::fixed(1);
    (byte.stop.io_bytes, byte.stop.loops) = (Some(Amount::Bytes(5)), 2);
    let programs = run(vec![byte], &Table::default()).unwrap();
    assert_eq!(programs[0].total_bytes, Some(5));
}

#[test]
fn a_region_of_single_bytes_wraps_at_the_last_of_them() {
    let table = Table::with(&[("/device", block(MIB))]);
    let mut w = on(&["/device"]);
    w.blocks_mut().sizes = BlockSizes::fixed(1);
    w.blocks_mut().region.offset = Amount::Bytes(MIB / 2 + 1);
    w.blocks_mut().region.size = Some(Amount::Bytes(MIB));
    let end = Amount::Percent(100);
    w.blocks_mut().region.wrap = Some(Wrap { start: 0, end });
    let programs = run(vec![w], &table).unwrap();
    assert_eq!(programs[0].wraps, [Some(WrapPoint { at: MIB, to: 0 })]);
}

/// The file that a stage lays out is certain to be there afterwards; one that it does not lay out is not.
#[test]
fn a_file_has_the_size_it_was_laid_out_with_for_later_stages() {
    let first = |change: &dyn Fn(&mut Workload)| {
        let mut w = on(&["/new"]);
        w.blocks_mut().region.size = Some(Amount::Bytes(MIB));
        w.blocks_mut().prepare.fallocate = Fallocate::None;
        change(&mut w);
        w
    };
    let mut later = on(&["/new"]);
    later.blocks_mut().region.offset = Amount::Bytes(2 * MIB);
    let seen = |w: Workload| seen_ahead(&Table::with(&[]), vec![w, later.clone()]);
    let mapped = leadline_model::plan::EngineKind::MAPPED;
    for sure in [
        first(&|_| {}),
        first(&|w| w.engine.kind = mapped),
        first(&|w| (w.engine.kind, w.blocks_mut().mix) = (mapped, OpMix::Only(Op::Write))),
    ] {
        let found = seen(sure);
        assert!(
            found.len() == 1 && found[0].contains("at or beyond its end"),
            "{found:?}"
        );
    }
    let unsure = first(&|w| w.blocks_mut().mix = OpMix::Only(Op::Write));
    assert_eq!(seen(unsure), [""; 0]);
}

#[test]
fn loops_are_at_least_one_and_read_nothing_that_is_to_be_deleted() {
    refused(&|w| w.stop.loops = 0, "it runs 0 loops");
    taken(&|w| w.stop.loops = 1);
    let deleting = |mix, loops| {
        move |w: &mut Workload| {
            w.blocks_mut().mix = OpMix::Only(mix);
            w.blocks_mut().prepare.unlink_each_loop = true;
            w.stop.loops = loops;
        }
    };
    refused(
        &deleting(Op::Read, 2),
        "asks for its files to be deleted after each loop, which is not done here; a second loop of \
         reads would have no files then",
    );
    taken(&deleting(Op::Write, 2));
    taken(&deleting(Op::Read, 1));
}

#[test]
fn a_rate_is_above_0() {
    let at = |rate| {
        move |w: &mut Workload| {
            w.pace = Pace::Open {
                rates: PerOp::splat(None),
                arrival: Arrival::Constant,
                together: Some(rate),
                schedule: Vec::new(),
            };
        }
    };
    for none in [Rate::Bytes(0), Rate::Iops(0.0), Rate::Iops(f64::NAN)] {
        refused(&at(none), "its rate is not above 0");
    }
    taken(&at(Rate::Bytes(1)));
    taken(&at(Rate::Iops(0.5)));
}

#[test]
fn a_block_fits_into_what_is_used_of_a_file() {
    let of = |end| move |w: &mut Workload| w.blocks_mut().region.end = Some(end);
    refused(
        &of(65_535),
        "the write block size 64 KiB is larger than the used range",
    );
    taken(&of(65_536));
}

#[test]
fn diskspds_draws_have_one_share_of_random_ios() {
    let shares = |read, write| {
        move |w: &mut Workload| {
            let blocks = w.blocks_mut();
            blocks.mix = OpMix::ReadWrite {
                read_percent: Percent::whole(50),
            };
            let access = &mut blocks.access;
            access.draws = Draws::Diskspd;
            access.order = Order::Random {
                every: 1,
                identical: false,
            };
            access.random_percent.read = Percent::whole(read);
            access.random_percent.write = Percent::whole(write);
        }
    };
    refused(&shares(30, 40), "one share of random I/Os");
    let found = found(&shares(30, 30));
    assert!(!found.iter().any(|t| t.contains("one share")), "{found:?}");
}

#[test]
fn a_buffer_has_512_bytes_at_least() {
    let table = Table::with(&[("/f", file(MIB))]);
    let size = |bytes| {
        let mut w = on(&["/f"]);
        w.blocks_mut().sizes = BlockSizes::fixed(bytes);
        run(vec![w], &table).unwrap()[0].buffer.0
    };
    assert_eq!((size(1), size(512), size(513)), (512, 512, 513));
}

#[test]
fn an_offset_in_percent_keeps_to_units_of_two_bytes() {
    let table = Table::with(&[("/f", file(500))]);
    let start = |align| {
        let mut w = on(&["/f"]);
        w.blocks_mut().sizes = BlockSizes::fixed(2);
        w.blocks_mut().region.offset = Amount::Percent(1);
        w.blocks_mut().region.offset_align = Some(align);
        run(vec![w], &table).unwrap()[0].files[0].extent.start
    };
    assert_eq!(start(1), 5);
    assert_eq!(start(2) % 2, 0);
}
