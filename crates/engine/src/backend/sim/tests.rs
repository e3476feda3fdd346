//! What plans ask for, as the device behind the whole engine sees it.

use super::issued::{Issued, run_all, totals, workload};
use leadline_model::plan::access::{AtEnd, Begin, Draws, Order, Position};
use leadline_model::plan::{OpMix, Workload};
use leadline_model::sample::EndReason;
use leadline_model::units::{Op, PerOp};

fn blocks(issued: &[Issued]) -> Vec<u64> {
    issued.iter().map(|i| i.request.offset / 4096).collect()
}

#[test]
fn the_stream_of_diskspd_reaches_the_device_unchanged() {
    // -b4K -rs50 -w50 on 64 MiB, what the original gave.
    let mut w = workload(16_384, 1);
    w.mix = OpMix::ReadWrite { read_percent: 50 };
    w.access.order = Order::Random {
        every: 1,
        identical: false,
    };
    w.access.random_percent = PerOp::splat(50);
    w.access.draws = Draws::Diskspd;
    let (issued, _) = run_all(vec![w]);
    let stream: Vec<(Op, u64)> = issued
        .iter()
        .take(12)
        .map(|i| (i.request.op, i.request.offset))
        .collect();
    let expected = [
        59_752_448, 32_972_800, 39_227_392, 17_457_152, 11_141_120, 11_145_216, 66_351_104,
        55_742_464, 43_388_928, 43_393_024, 24_637_440, 48_484_352,
    ]
    .map(|offset| {
        let written = [43_388_928, 43_393_024, 24_637_440].contains(&offset);
        (if written { Op::Write } else { Op::Read }, offset)
    });
    assert_eq!(stream, expected);
}

#[test]
fn workers_of_a_workload_do_one_sequence_together() {
    for draws in [Draws::Own, Draws::Diskspd] {
        let mut w = workload(1000, 1);
        (w.clones, w.depth) = (3, 4);
        w.access.position = Position::Workload;
        w.access.draws = draws;
        let (issued, _) = run_all(vec![w]);
        let expected: Vec<u64> = (0..issued.len() as u64).map(|i| i % 1000).collect();
        assert_eq!(blocks(&issued), expected, "{draws:?}");
        assert!((0..3).all(|w| issued.iter().any(|i| i.worker == w)));
        assert!(issued.len() > 30_000, "{}", issued.len());
    }
}

/// The blocks that went through one slot of one worker.
fn of_slot(issued: &[Issued], slot: u16) -> Vec<u64> {
    let own: Vec<Issued> = issued
        .iter()
        .filter(|i| i.request.slot == slot)
        .copied()
        .collect();
    blocks(&own)
}

#[test]
fn slots_have_sequences_of_their_own() {
    for draws in [Draws::Own, Draws::Diskspd] {
        let mut w = workload(100, 1);
        w.depth = 3;
        w.access.position = Position::EachSlot;
        w.access.draws = draws;
        let (issued, _) = run_all(vec![w]);
        for slot in 0..3 {
            let seen = of_slot(&issued, slot);
            let expected: Vec<u64> = (0..seen.len() as u64).map(|i| i % 100).collect();
            assert_eq!(seen, expected);
            assert!(seen.len() > 9000);
        }
    }
}

#[test]
fn the_end_of_the_region_is_an_end_where_that_is_asked() {
    let mut w = workload(50, 10);
    w.access.at_end = AtEnd::Stop;
    let (issued, events) = run_all(vec![w.clone()]);
    assert_eq!(blocks(&issued), (0..50).collect::<Vec<u64>>());
    assert_eq!(totals(&events)[0].end, EndReason::Size);
    // All workers together, from a place that is the same for all of them.
    (w.clones, w.depth) = (4, 2);
    w.access.position = Position::Workload;
    w.access.begin = Begin::Random;
    let (issued, events) = run_all(vec![w]);
    let first = blocks(&issued)[0];
    assert_eq!(blocks(&issued), (first..50).collect::<Vec<u64>>());
    assert!(totals(&events).iter().all(|t| t.end == EndReason::Size));
}

#[test]
fn loops_count_for_all_workers_together() {
    let mut w = workload(50, 10);
    (w.stop.time_based, w.stop.runtime) = (false, None);
    (w.clones, w.depth, w.stop.loops) = (3, 2, 2);
    w.access.position = Position::Workload;
    let (issued, events) = run_all(vec![w]);
    assert_eq!(blocks(&issued), (0..50).chain(0..50).collect::<Vec<u64>>());
    assert!(totals(&events).iter().all(|t| t.end == EndReason::Size));
}

#[test]
fn workers_begin_apart() {
    let mut w: Workload = workload(100, 1);
    w.clones = 3;
    w.access.begin = Begin::Apart(40 * 4096);
    let (issued, _) = run_all(vec![w]);
    for worker in 0..3 {
        let own: Vec<Issued> = issued
            .iter()
            .filter(|i| i.worker == worker)
            .copied()
            .collect();
        let seen = blocks(&own);
        let first = worker as u64 * 40;
        assert!((first..).zip(&seen).all(|(at, &block)| block == at % 100));
    }
}
