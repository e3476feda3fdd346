//! Laws that hold between threads and against the host's clock, without a device.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use leadline_engine::run::{Interrupt, Session};
use leadline_model::event::Event;
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::{
    Admission, Amount, Arrival, BlockSizes, BorrowableDepth, EngineKind, OpMix, Pace, Plan,
    Position, Rate, Region, ShareWeight, Stage, Stop, Target, Until, Workload,
};
use leadline_model::sample::{EndReason, WorkerTotals};
use leadline_model::units::Nanos;

fn workload(name: &str, millis: u64) -> Workload {
    let mut w = Workload::new(name, Target::Null { size: 1 << 40 });
    w.engine.kind = EngineKind::Null;
    w.depth = 16;
    w.blocks_mut().region = Region {
        size: Some(Amount::Bytes(1 << 40)),
        ..Region::default()
    };
    w.stop = Stop {
        runtime: Some(Nanos::from_millis(millis)),
        time_based: true,
        ..Stop::default()
    };
    w
}

fn run(workloads: Vec<Workload>, until: Until) -> Vec<WorkerTotals> {
    let plan = Plan {
        interval: Nanos::from_millis(20),
        ..leadline_testkit::plan(vec![Stage {
            name: "s".into(),
            workloads,
            until,
            ..Stage::default()
        }])
    };
    let mut all = Vec::new();
    Session::new(Interrupt::default(), 7)
        .run(&plan, &mut |event| {
            if let Event::WorkerEnded(totals) = event {
                all.push(*totals);
            }
        })
        .unwrap();
    all.sort_by_key(|t| (t.workload, t.worker));
    all
}

#[test]
fn coupled_threads_keep_their_proportion() {
    let mut parts = [workload("a", 400), workload("b", 400), workload("c", 400)];
    for (w, share) in parts.iter_mut().zip([60.0, 30.0, 10.0]) {
        let (group, borrowable) = (0, None);
        w.admission = Admission::Shares { group, borrowable };
        w.share = ShareWeight::new(share);
    }
    parts[1].clones = 2;
    let all = run(parts.into(), Until::default());
    let of = |workload| {
        let own = all.iter().filter(|t| t.workload == workload);
        own.map(|t| t.counts.data_ios() as f64).sum::<f64>()
    };
    let total = of(0) + of(1) + of(2);
    assert!(total > 2000.0, "{total}");
    for (workload, share) in [(0, 0.6), (1, 0.3), (2, 0.1)] {
        // About one queue of slack; some hundred I/Os where the host took a thread away at the end. In virtual
        // time it is exact.
        let far = (of(workload) / total - share).abs();
        assert!(far < 0.05, "{workload}: {} of {total}", of(workload));
    }
}

#[test]
fn threads_that_are_fed_by_one_queue_do_equal_numbers() {
    let mut parts = [workload("a", 400), workload("b", 400)];
    for (number, w) in (0_u32..).zip(&mut parts) {
        w.share = ShareWeight::new(1.0 + f64::from(number));
        w.admission = Admission::CommonQueue {
            group: 0,
            max_lead: 2000,
            borrowable: Some(BorrowableDepth { pool: 0, own: 8 }),
        };
    }
    // Three times the work: it is refilled for each write.
    parts[1].blocks_mut().mix = OpMix::Only(Op::Write);
    parts[1].blocks_mut().sizes = BlockSizes::fixed(16384);
    let all = run(parts.into(), Until::default());
    let of = |workload| {
        let own = all.iter().filter(|t| t.workload == workload);
        own.map(|t| t.counts.data_ios()).sum::<u64>()
    };
    let (fast, slow) = (of(0), of(1));
    assert!(slow > 2200, "{slow}");
    assert!(fast.abs_diff(slow) < 2200, "{fast} {slow}");
}

#[test]
fn of_two_threads_the_lower_priority_number_goes_first() {
    let mut parts = [workload("a", 400), workload("b", 400), workload("c", 400)];
    for (number, w) in (1_u32..).zip(&mut parts) {
        w.admission = Admission::Priority {
            group: 0,
            rank: number,
        };
    }
    parts[0].pace = Pace::Open {
        rates: PerOp::splat(None),
        arrival: Arrival::Poisson,
        together: Some(Rate::Iops(20_000.0)),
        schedule: Vec::new(),
    };
    let all = run(parts.into(), Until::default());
    let ios: Vec<u64> = all.iter().map(|t| t.counts.data_ios()).collect();
    // The second leaves the third nothing, and the first has its rate of 8,000, but for what its thread overslept
    // (in virtual time: nothing).
    assert!((1..8800).contains(&ios[0]), "{ios:?}");
    assert!(ios[2] < ios[1] / 3, "{ios:?}");
}

#[test]
fn a_cool_down_ends_on_its_own_and_is_not_counted() {
    let mut w = workload("w", 100);
    w.stop.cooldown = Nanos::from_millis(300);
    let all = run(vec![w], Until::default());
    assert_eq!(all[0].end, EndReason::Time);
    let window = all[0].window_end.0 - all[0].window_start.0;
    assert!(window.abs_diff(100_000_000) < 1000, "{window}");
    assert!(all[0].counts.data_ios() > 0);
    assert!(all[0].cpu.user.0 + all[0].cpu.system.0 < 200_000_000);
}

#[test]
fn a_stage_ends_when_enough_was_moved() {
    let until = Until {
        read: Some(64 << 20),
        ..Until::default()
    };
    let all = run(vec![workload("a", 20_000), workload("b", 20_000)], until);
    let bytes: u64 = all.iter().map(|t| t.counts.data_bytes()).sum();
    assert!(bytes >= 64 << 20);
    assert!(all.iter().all(|t| t.end == EndReason::Other));
}

#[test]
fn threads_share_a_position_to_its_end() {
    let mut w = workload("w", 0);
    w.stop = Stop::default();
    (w.clones, w.blocks_mut().access.position) = (4, Position::Workload);
    w.blocks_mut().region.size = Some(Amount::Bytes(4096 * 1_000_003));
    w.blocks_mut().target = Target::Null {
        size: 4096 * 1_000_003,
    };
    let all = run(vec![w], Until::default());
    let ios: u64 = all.iter().map(|t| t.counts.data_ios()).sum();
    assert_eq!(ios, 1_000_003);
    assert!(all.iter().all(|t| t.end == EndReason::Size));
}
