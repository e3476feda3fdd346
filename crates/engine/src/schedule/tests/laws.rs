//! What only Vdbench's and DISKSPD's plans ask for.

use super::*;
use leadline_model::plan::access::{Begin, Distribution, Draws, Grid, Position};
use leadline_model::plan::{Admission, Pace, Rate, Wrap};

fn writer(path: &str, size: u64) -> Workload {
    let mut w = on(&[path]);
    w.blocks_mut().mix = OpMix::Only(Op::Write);
    w.blocks_mut().sizes = BlockSizes::fixed(65_536);
    w.blocks_mut().region.size = Some(Amount::Bytes(size));
    w
}

#[test]
fn only_the_region_past_the_end_of_a_file_is_used() {
    let table = Table::with(&[
        ("/short", file(10 * MIB + 777)),
        ("/whole", file(64 * MIB)),
        ("/longer", file(65 * MIB)),
        ("/device", block(64 * MIB)),
    ]);
    for (path, start, len) in [
        ("/new", 0, 64 * MIB),
        ("/short", 10 * MIB, 54 * MIB),
        ("/whole", 64 * MIB, 0),
        ("/longer", 65 * MIB, 0),
        ("/device", 64 * MIB, 0),
    ] {
        let mut w = writer(path, 64 * MIB);
        w.blocks_mut().region.beyond_end = Some(MIB);
        let programs = run(vec![w], &table).unwrap();
        assert_eq!(extents(&programs), [[(start, len)]], "{path}");
        assert_eq!(programs[0].total_bytes, Some(len));
        let grows = (len > 0).then_some(64 * MIB);
        assert_eq!(programs[0].files[0].make_size, grows, "{path}");
    }
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let table = Table::with(&[("/f", file(64 * MIB))]);
    let refused = |change: &dyn Fn(&mut Workload), word: &str| {
        let mut w = writer("/f", 64 * MIB);
        change(&mut w);
        let found = texts(run(vec![w], &table));
        assert!(found.len() == 1 && found[0].contains(word), "{found:?}");
    };
    refused(
        &|w| w.blocks_mut().access.grid = Grid::Bytes(0),
        "aligned to 0",
    );
    refused(&|w| w.blocks_mut().access.stride = Some((2, 1)), "strides");
    refused(
        &|w| w.blocks_mut().access.distribution.write = Distribution::LowEnd(0.0),
        "low end",
    );
    refused(
        &|w| {
            w.blocks_mut().access.distribution.write = Distribution::HotBand {
                low: Amount::Percent(30),
                high: Amount::Percent(30),
            };
        },
        "hot band",
    );
    let back = Order::Sequential { skip: -65_536 };
    for position in [Position::EachSlot, Position::Workload] {
        refused(
            &|w| (w.blocks_mut().access.order, w.blocks_mut().access.position) = (back, position),
            "backwards",
        );
    }
    refused(
        &|w| {
            w.blocks_mut().access.draws = Draws::Diskspd;
            w.blocks_mut().sizes.by_op.write = Sizes::Split(vec![(4096, 50), (8192, 50)]);
        },
        "one block size only",
    );
    refused(
        &|w| w.blocks_mut().access.file_weights = vec![1, 2],
        "weights",
    );
    refused(&|w| w.blocks_mut().access.file_weights = vec![0], "weight");
    refused(&|w| w.stop.cooldown = Nanos::SECOND, "cool-down");
    let (group, rank) = (1, 1);
    refused(
        &|w| (w.admission, w.clones) = (Admission::Priority { group, rank }, 2),
        "priority",
    );
    let pace = |together, schedule: Vec<(Nanos, f64)>| Pace::Open {
        rates: PerOp::splat(None),
        arrival: leadline_model::plan::Arrival::Even,
        together,
        schedule,
    };
    refused(
        &|w| w.pace = pace(Some(Rate::Iops(0.0)), Vec::new()),
        "above 0",
    );
    refused(
        &|w| {
            let schedule = vec![(Nanos::SECOND, 1.0), (Nanos::ZERO, 2.0)];
            w.pace = pace(Some(Rate::Iops(1.0)), schedule);
        },
        "out of order",
    );
}

#[test]
fn direct_io_is_aligned_where_grids_and_beginnings_are_not_those_of_the_sizes() {
    let table = Table::with(&[("/f", file(64 * MIB))]);
    let mut w = writer("/f", 64 * MIB);
    w.blocks_mut().open.direct = true;
    w.blocks_mut().access.order = Order::Random {
        every: 1,
        identical: false,
    };
    w.blocks_mut().access.grid = Grid::Bytes(1000);
    w.blocks_mut().access.begin = Begin::Apart(100);
    let found = texts(run(vec![w.clone()], &table));
    assert!(found[0].contains("alignment 1000"), "{found:?}");
    w.blocks_mut().access.order = Order::Sequential { skip: 0 };
    let found = texts(run(vec![w.clone()], &table));
    assert!(
        found[0].contains("distance between workers 100"),
        "{found:?}"
    );
    w.blocks_mut().access.begin = Begin::Apart(512);
    assert!(run(vec![w], &table).is_ok());
}

#[test]
fn workers_of_a_workload_share_what_they_share_and_others_do_not() {
    let table = Table::with(&[("/f", file(64 * MIB))]);
    let mut w = writer("/f", 64 * MIB);
    w.clones = 2;
    let p = run(vec![w.clone(), w], &table).unwrap();
    assert!(std::sync::Arc::ptr_eq(&p[0].cursors, &p[1].cursors));
    assert!(!std::sync::Arc::ptr_eq(&p[0].cursors, &p[2].cursors));
}

#[test]
fn a_region_wraps_around_in_what_there_is() {
    let table = Table::with(&[("/f", file(100 * MIB)), ("/device", block(50 * MIB))]);
    let round = |path: &str, offset, size, start, end, clones| {
        let mut w = writer(path, 0);
        w.blocks_mut().region.offset = offset;
        w.blocks_mut().region.size = Some(size);
        w.blocks_mut().region.wrap = Some(Wrap { start, end });
        w.blocks_mut().region.offset_step = Amount::Bytes(30 * MIB);
        w.clones = clones;
        run(vec![w], &table)
    };
    let mib = |n: u64| Amount::Bytes(n * MIB);
    // Missing, and of the size that is given; three workers with a piece each, of which one wraps around and
    // the last lies past the end from its start on.
    let programs = round("/new", mib(40), mib(30), MIB, mib(90), 3).unwrap();
    assert_eq!(
        extents(&programs),
        [
            [(40 * MIB, 30 * MIB)],
            [(70 * MIB, 30 * MIB)],
            [(11 * MIB, 30 * MIB)]
        ]
    );
    let wrap = WrapPoint {
        at: 90 * MIB,
        to: MIB,
    };
    assert!(programs[0].wraps.is_empty() && programs[2].wraps.is_empty());
    assert_eq!(programs[1].wraps, [Some(wrap)]);
    assert_eq!(programs[1].files[0].make_size, Some(90 * MIB));
    assert_eq!(programs[1].total_bytes, Some(30 * MIB));
    // By the size that is found; the first piece ends at a whole I/O.
    let part = Amount::Percent(70);
    let programs = round(
        "/f",
        Amount::Bytes(50 * MIB + 512),
        part,
        0,
        Amount::Percent(100),
        1,
    );
    let programs = programs.unwrap();
    assert_eq!(extents(&programs), [[(50 * MIB + 512, 70 * MIB)]]);
    let at = 100 * MIB - 65_536 + 512;
    assert_eq!(programs[0].wraps, [Some(WrapPoint { at, to: 0 })]);
    assert_eq!(programs[0].files[0].make_size, None);
    // A device has an end of its own.
    let programs = round("/device", mib(40), mib(30), 0, mib(90), 1).unwrap();
    assert_eq!(
        programs[0].wraps,
        [Some(WrapPoint {
            at: 50 * MIB,
            to: 0
        })]
    );
    for (offset, start) in [(mib(1), 90), (mib(1), 95)] {
        let found = texts(round("/new", offset, mib(5), start * MIB, mib(90), 1));
        assert!(found[0].contains("wrap around"), "{found:?}");
    }
    let found = texts(round("/new", mib(1), part, 0, mib(90), 1));
    assert!(found[0].contains("not known"), "{found:?}");
}
