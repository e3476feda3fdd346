//! What plans ask for, as the device behind the whole engine sees it.

use super::issued::{self, Issued};
use crate::run::{Interrupt, Session};
use leadline_model::event::Event;
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::access::{AtEnd, Begin, Draws, Order, Position};
use leadline_model::plan::simulated::ServiceTime;
use leadline_model::plan::{
    Admission, Amount, Arrival, BlockSizes, BorrowableDepth, EndsOthers, EngineKind, OpMix, Pace,
    Plan, Rate, Region, ShareWeight, SimDevice, Stage, Stop, Target, Until, Workload,
};
use leadline_model::sample::{EndReason, WorkerTotals};
use leadline_model::units::{Nanos, Percent};

/// A workload of `seconds` on a device of `blocks` blocks of 4 KiB, sequential reads, 100 us each.
fn workload(blocks: u64, seconds: u64) -> Workload {
    let size = blocks * 4096;
    let device = SimDevice {
        size,
        ..SimDevice::default()
    };
    let mut w = Workload::new("w", device.into());
    w.engine.kind = EngineKind::SIMULATED;
    w.blocks_mut().region = Region {
        size: Some(Amount::Bytes(size)),
        ..Region::default()
    };
    w.stop = Stop {
        runtime: Some(Nanos::from_secs(seconds)),
        time_based: true,
        ..Stop::default()
    };
    w.blocks_mut().access.seed = Some(0);
    w
}

/// Runs one stage with intervals of a second.
fn run(stage: Stage) -> (Vec<Issued>, Vec<Event>) {
    let plan = Plan {
        interval: Nanos::SECOND,
        ..leadline_testkit::plan(vec![stage])
    };
    issued::take();
    let mut events = Vec::new();
    let mut session = Session::new(Interrupt::default(), 7);
    session.run(&plan, &mut |event| events.push(event)).unwrap();
    (issued::take(), events)
}

/// Runs these workloads together.
fn run_all(workloads: Vec<Workload>) -> (Vec<Issued>, Vec<Event>) {
    run(Stage {
        name: "s".into(),
        workloads,
        ..Stage::default()
    })
}

/// The totals of the workers, in the order of their ends.
fn totals(events: &[Event]) -> Vec<&WorkerTotals> {
    let mut all: Vec<&WorkerTotals> = Vec::new();
    for event in events {
        if let Event::WorkerEnded(totals) = event {
            all.push(totals);
        }
    }
    all
}

fn blocks(issued: &[Issued]) -> Vec<u64> {
    issued.iter().map(|i| i.request.offset / 4096).collect()
}

#[test]
fn the_stream_of_diskspd_reaches_the_device_unchanged() {
    // -b4K -rs50 -w50 on 64 MiB, what the original gave.
    let mut w = workload(16_384, 1);
    w.blocks_mut().mix = OpMix::mixed(50);
    w.blocks_mut().access.order = Order::Random {
        every: 1,
        identical: false,
    };
    w.blocks_mut().access.random_percent = PerOp::splat(Percent::whole(50));
    w.blocks_mut().access.draws = Draws::Diskspd;
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
        w.blocks_mut().access.position = Position::Workload;
        w.blocks_mut().access.draws = draws;
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
        w.blocks_mut().access.position = Position::EachSlot;
        w.blocks_mut().access.draws = draws;
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
    w.blocks_mut().access.at_end = AtEnd::Stop;
    let (issued, events) = run_all(vec![w.clone()]);
    assert_eq!(blocks(&issued), (0..50).collect::<Vec<u64>>());
    assert_eq!(totals(&events)[0].end, EndReason::Size);
    // All workers together, from a place that is the same for all of them.
    (w.clones, w.depth) = (4, 2);
    w.blocks_mut().access.position = Position::Workload;
    w.blocks_mut().access.begin = Begin::Random;
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
    w.blocks_mut().access.position = Position::Workload;
    let (issued, events) = run_all(vec![w]);
    assert_eq!(blocks(&issued), (0..50).chain(0..50).collect::<Vec<u64>>());
    assert!(totals(&events).iter().all(|t| t.end == EndReason::Size));
}

#[test]
fn workers_start_an_offset_step_apart() {
    let mut w: Workload = workload(100, 1);
    w.clones = 3;
    w.blocks_mut().access.begin = Begin::Apart(40 * 4096);
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

#[test]
fn a_window_of_no_length_has_no_ios_whatever_is_in_flight() {
    let seconds = Nanos::from_secs;
    for (warmup, cooldown) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let mut w = workload(100, 0);
        w.depth = 4;
        (w.stop.warmup, w.stop.cooldown) = (seconds(warmup), seconds(cooldown));
        let (issued, events) = run_all(vec![w]);
        // 10,000 I/Os a second and slot, and what is in flight at the end.
        let busy = usize::try_from(warmup + cooldown).unwrap() * 40_000;
        assert!((busy..busy + 9).contains(&issued.len()), "{}", issued.len());
        let total = totals(&events)[0];
        assert_eq!(total.counts.data_ios(), 0, "{warmup} {cooldown}");
        assert_eq!(
            (total.window_start, total.window_end),
            (seconds(warmup), seconds(warmup))
        );
        assert!(total.warmup_ios + 8 > warmup * 40_000);
    }
}

#[test]
fn a_cool_down_does_ios_that_are_not_counted() {
    let mut w = workload(100, 3);
    w.depth = 4;
    w.stop.warmup = Nanos::from_millis(700);
    w.stop.cooldown = Nanos::from_millis(2500);
    let (issued, events) = run_all(vec![w.clone()]);
    let last = issued.last().unwrap().at;
    assert!((6_199_000_000..6_200_000_000).contains(&last), "{last}");
    let worker = totals(&events)[0];
    // Four at once of 100 us each, for 3 s; those under way at the start of the window end in it.
    assert_eq!(worker.counts.data_ios(), 120_000);
    assert_eq!(worker.window_start, Nanos::from_millis(700));
    assert_eq!(worker.window_end, Nanos::from_millis(3700));
    assert_eq!(worker.end, EndReason::Time);
    let intervals = events.iter().filter_map(|e| match e {
        Event::Interval(sample) if !sample.warmup => {
            Some((sample.start.0 + sample.length.0, sample.counts.data_ios()))
        }
        _ => None,
    });
    let seen: Vec<(u64, u64)> = intervals.collect();
    assert_eq!(seen.last().unwrap().0, 3_700_000_000);
    assert_eq!(seen.iter().map(|s| s.1).sum::<u64>(), 120_000);
    // At a rate, what was due in the window and not submitted is known at its end.
    w.pace = Pace::Open {
        rates: PerOp::splat(Some(Rate::Iops(50_000.0))),
        arrival: Arrival::Constant,
        together: None,
        schedule: Vec::new(),
    };
    let (_, events) = run_all(vec![w]);
    let worker = totals(&events)[0];
    let submitted = worker.warmup_ios + worker.counts.data_ios();
    let asked = 50_000 * 37 / 10;
    assert!((submitted + worker.unissued).abs_diff(asked) <= 4);
    assert!(worker.unissued > 30_000, "{}", worker.unissued);
}

#[test]
fn errors_of_a_cool_down_are_not_counted() {
    let mut w = workload(100, 1);
    if let Target::Simulated(target) = &mut w.blocks_mut().target {
        let device = &mut target.volume;
        device.errors = vec![(5000, 5), (15_000, 5)];
    }
    w.on_error.go_on.read = true;
    w.stop.cooldown = Nanos::SECOND;
    let (issued, events) = run_all(vec![w]);
    assert!(issued.len() > 19_000);
    let worker = totals(&events)[0];
    assert_eq!(worker.errors, [(Op::Read, 5, 1)]);
    assert_eq!(worker.counts.op(Op::Read).unwrap().errors, 1);
}

const fn shares(borrowable: Option<BorrowableDepth>) -> Admission {
    Admission::Shares {
        group: 3,
        borrowable,
    }
}

const fn queue(borrowable: Option<BorrowableDepth>) -> Admission {
    Admission::CommonQueue {
        group: 3,
        max_lead: 2000,
        borrowable,
    }
}

/// Two workloads on devices of their own: (share, depth, clones, microseconds an I/O).
fn coupled(parts: &[(f64, u32, u32, u64)]) -> Vec<Workload> {
    let one = |(at, &(share, depth, clones, micros)): (usize, &(f64, u32, u32, u64))| {
        let mut w = workload(1000 + at as u64, 10);
        if let Target::Simulated(target) = &mut w.blocks_mut().target {
            let device = &mut target.volume;
            device.service = ServiceTime::Fixed(Nanos::from_micros(micros));
        }
        w.name = format!("w{at}");
        (w.depth, w.clones) = (depth, clones);
        (w.share, w.admission) = (ShareWeight::new(share), shares(None));
        w
    };
    parts.iter().enumerate().map(one).collect()
}

fn ios_of(events: &[Event], workload: u32) -> u64 {
    let own = |t: &&&leadline_model::sample::WorkerTotals| t.workload == workload;
    let all = totals(events);
    all.iter().filter(own).map(|t| t.counts.data_ios()).sum()
}

#[test]
fn coupled_workloads_keep_the_proportion_and_the_slowest_sets_the_speed() {
    // The second is the slowest by its share: 1 ms an I/O, one at a time.
    let parts = [(50.0, 8, 1, 100), (30.0, 1, 1, 1000), (20.0, 4, 2, 50)];
    let (_, events) = run_all(coupled(&parts));
    let ios: Vec<u64> = (0..3).map(|w| ios_of(&events, w)).collect();
    assert!(ios[1].abs_diff(10_000) < 10, "as fast as it can: {ios:?}");
    let all = ios.iter().sum::<u64>() as f64;
    for (ios, share) in ios.iter().zip([50.0, 30.0, 20.0]) {
        assert!((100.0 * *ios as f64 / all - share).abs() < 1.0, "{ios}");
    }
    // All along the way, not in the end only: no further ahead than one in a hundred of all so far.
    let mut sums = [0.0_f64; 3];
    for event in &events {
        if let Event::Interval(sample) = event {
            sums[sample.workload as usize] += sample.counts.data_ios() as f64;
            let seconds = (sample.interval as f64 + 1.0).min(10.0);
            let due = [1666.7, 1000.0, 666.7][sample.workload as usize] * seconds;
            let sum = sums[sample.workload as usize];
            assert!(
                (sum - due).abs() < 33.3 * seconds.max(1.0),
                "{sum} {due} {seconds} {}",
                sample.workload
            );
        }
    }
    // Without coupling each goes as fast as its device.
    let mut apart = coupled(&parts);
    apart
        .iter_mut()
        .for_each(|w| w.admission = Admission::OwnDepth);
    let (_, events) = run_all(apart);
    assert!(ios_of(&events, 2) > 100_000);
}

/// Workloads on one device that does `at_once` I/Os at once, 100 us each; each with `depth` in flight.
fn on_one_device(shares: &[f64], depth: u32, at_once: u32) -> Vec<Workload> {
    let parts: Vec<_> = shares.iter().map(|&s| (s, depth, 1, 100)).collect();
    let mut parts = coupled(&parts);
    let mut target = parts[0].blocks().target.clone();
    if let Target::Simulated(target) = &mut target {
        let device = &mut target.volume;
        device.parallel = at_once;
    }
    parts
        .iter_mut()
        .for_each(|w| w.blocks_mut().target = target.clone());
    parts
}

#[test]
fn shares_are_right_and_the_rate_is_that_of_the_same_workloads_without() {
    // Of real parameter files: an OLTP pattern, two halves, four quarters; fio's flow of 50 and 49.
    let laws: [(&[f64], u32, u32); 7] = [
        (&[10.0, 35.0, 35.0, 5.0, 15.0], 1, 2),
        (&[10.0, 35.0, 35.0, 5.0, 15.0], 8, 8),
        (&[50.0, 50.0], 1, 2),
        (&[49.0, 49.0], 1, 1),
        (&[25.0, 25.0, 25.0, 25.0], 1, 4),
        (&[70.0, 30.0], 16, 16),
        (&[1.0, 2.0, 3.0], 4, 1),
    ];
    for (shares, depth, at_once) in laws {
        let sum: f64 = shares.iter().sum();
        let ios = |all: Vec<Workload>| -> Vec<u64> {
            let (_, events) = run_all(all);
            (0..)
                .take(shares.len())
                .map(|w| ios_of(&events, w))
                .collect()
        };
        let kept = ios(on_one_device(shares, depth, at_once));
        let mut apart = on_one_device(shares, depth, at_once);
        apart
            .iter_mut()
            .for_each(|w| w.admission = Admission::OwnDepth);
        let [all, without] = [&kept, &ios(apart)].map(|ios| ios.iter().sum::<u64>() as f64);
        for (ios, share) in kept.iter().zip(shares) {
            let off = 100.0 * (*ios as f64 / all - share / sum);
            assert!(off.abs() < 1.0, "{shares:?} at depth {depth}: {kept:?}");
        }
        assert!(all > 0.9 * without, "{shares:?} {depth}: {all} {without}");
    }
}

#[test]
fn shares_are_right_within_one_point_after_a_thousand_ios() {
    for shares in [
        &[10.0, 35.0, 35.0, 5.0, 15.0][..],
        &[50.0, 50.0],
        &[1.0, 3.0],
    ] {
        let mut parts = on_one_device(shares, 1, 2);
        // 1,000 I/Os of 100 us, two at once.
        parts
            .iter_mut()
            .for_each(|w| w.stop.runtime = Some(Nanos::from_millis(50)));
        let (_, events) = run_all(parts);
        let ios: Vec<u64> = (0..)
            .take(shares.len())
            .map(|w| ios_of(&events, w))
            .collect();
        let (all, sum) = (ios.iter().sum::<u64>() as f64, shares.iter().sum::<f64>());
        assert!(all > 600.0, "{ios:?}");
        for (ios, share) in ios.iter().zip(shares) {
            let off = 100.0 * (*ios as f64 / all - share / sum);
            assert!(off.abs() < 1.0, "{shares:?}: {ios} of {all}");
        }
    }
}

/// Most I/Os of two workloads in flight at once: (microseconds an I/O of each; the second one's are of 8 KiB, so
/// that the log distinguishes them).
fn most_in_flight(issued: &[Issued], micros: [u64; 2]) -> i32 {
    let mut ends: Vec<(u64, i32)> = Vec::new();
    for one in issued {
        let length = 1000 * micros[usize::from(one.request.len == 8192)];
        ends.push((one.at, 1));
        ends.push((one.at + length, -1));
    }
    ends.sort_unstable();
    let mut most = 0;
    let mut now = 0;
    for (_, step) in ends {
        now += step;
        most = most.max(now);
    }
    most
}

/// Ten slots over two workloads of equal shares: (microseconds an I/O of each, lent).
fn ten_slots(micros: [u64; 2], lends: bool) -> (Vec<f64>, Vec<Event>) {
    let mut parts = coupled(&[(50.0, 5, 1, micros[0]), (50.0, 5, 1, micros[1])]);
    parts[1].blocks_mut().sizes = BlockSizes::fixed(8192);
    if lends {
        for w in &mut parts {
            (w.depth, w.admission) = (10, shares(Some(BorrowableDepth { pool: 1, own: 5 })));
        }
    }
    let (issued, events) = run_all(parts);
    let most = most_in_flight(&issued, micros);
    assert!(most <= 10, "{most} in flight");
    let rates = (0..2).map(|w| ios_of(&events, w) as f64 / 10.0);
    (rates.collect(), events)
}

#[test]
fn unused_slots_are_lent_and_the_rate_is_that_of_a_common_queue() {
    // As long as each other: nothing to lend, and 100,000 a second either way.
    for lends in [false, true] {
        let (rates, _) = ten_slots([100, 100], lends);
        assert!(
            rates.iter().all(|r| (r - 50_000.0).abs() < 50.0),
            "{rates:?}"
        );
    }
    // Ten times as long: with slots of their own the slow one sets the speed with five of them, while a
    // queue for both would do one of each in 1.1 ms of ten slots.
    let (rates, _) = ten_slots([100, 1000], false);
    assert!(
        rates.iter().all(|r| (r - 5000.0).abs() < 100.0),
        "{rates:?}"
    );
    let common = 10.0 / (0.000_1 + 0.001);
    for micros in [[100, 1000], [1000, 100]] {
        let (rates, events) = ten_slots(micros, true);
        for (workload, rate) in (0..).zip(&rates) {
            assert!((rate / common - 1.0).abs() < 0.03, "{rates:?} {common}");
            let latency = &totals(&events)
                .into_iter()
                .find(|t| t.workload == workload)
                .unwrap()
                .counts;
            let mean = latency.data().service.mean() / 1000.0;
            let own = micros[workload as usize] as f64;
            assert!((mean / own - 1.0).abs() < 0.01, "{mean} {own}");
        }
        assert!((rates[0] / rates[1] - 1.0).abs() < 0.02, "{rates:?}");
    }
}

/// Workloads that are fed by one queue with this many slots: (microseconds an I/O) of each.
fn fed_by_one_queue(micros: &[u64], slots: u32) -> Vec<Workload> {
    let own = slots / u32::try_from(micros.len()).unwrap();
    // Shares that the queue does not care for.
    let parts: Vec<_> = micros.iter().map(|&m| (m as f64, slots, 1, m)).collect();
    let mut parts = coupled(&parts);
    for w in &mut parts {
        w.admission = queue(Some(BorrowableDepth { pool: 1, own }));
    }
    parts
}

/// What a queue for all would do each second of every workload, with this many slots that are never idle.
fn of_a_common_queue(micros: &[u64], slots: u32) -> f64 {
    f64::from(slots) * 1e6 / micros.iter().sum::<u64>() as f64
}

#[test]
fn one_queue_gives_each_workload_as_many_ios_and_has_the_rate_of_a_common_queue() {
    let cases: [(&[u64], u32); 7] = [
        (&[100, 100], 8),
        (&[100, 1000], 8),
        (&[1000, 100], 8),
        // Less than one slot is needed for the fast one.
        (&[100, 1000], 4),
        (&[100, 10_000], 8),
        (&[100, 300, 2000], 9),
        (&[20, 25], 32),
    ];
    for (micros, slots) in cases {
        let (_, events) = run_all(fed_by_one_queue(micros, slots));
        let common = of_a_common_queue(micros, slots);
        for workload in 0..micros.len() {
            let ios = ios_of(&events, u32::try_from(workload).unwrap()) as f64;
            // Where the last slot goes back and forth, one is up to a quarter of 2,000 ahead.
            let off = (ios - 10.0 * common).abs();
            assert!(
                off < 0.01 * 10.0 * common + 600.0,
                "{micros:?} {slots}: {ios} of {}",
                10.0 * common
            );
        }
    }
}

/// I/Os of two workloads at these rates that are fed by a queue of eight slots, in ten seconds.
fn at_paces(micros: [u64; 2], rates: [f64; 2]) -> [u64; 2] {
    let mut parts = fed_by_one_queue(&micros, 8);
    parts[1].blocks_mut().sizes = BlockSizes::fixed(8192);
    for (w, rate) in parts.iter_mut().zip(rates) {
        w.pace = Pace::Open {
            rates: PerOp::splat(None),
            arrival: Arrival::Poisson,
            together: Some(Rate::Iops(rate)),
            schedule: Vec::new(),
        };
    }
    let (issued, events) = run_all(parts);
    let most = most_in_flight(&issued, micros);
    assert!(most <= 8, "{most} in flight");
    [0, 1].map(|w| ios_of(&events, w))
}

#[test]
fn at_a_rate_borrowed_slots_go_to_the_late_workload() {
    let near = |ios: u64, due: f64, part: f64| (ios as f64 / due - 1.0).abs() < part;
    for turned in [false, true] {
        let order = |mut micros: [u64; 2]| {
            micros.rotate_left(usize::from(turned));
            micros
        };
        // Six slots are needed for the slow one, and it has four at first.
        let ios = at_paces(order([100, 2000]), [3000.0, 3000.0]);
        assert!(ios.iter().all(|&n| near(n, 30_000.0, 0.02)), "{ios:?}");
        // More than there are slots for: 8 / 2.5 ms between them, each as late as the other.
        let ios = at_paces(order([500, 2000]), [5000.0, 5000.0]);
        assert!(ios.iter().all(|&n| near(n, 32_000.0, 0.03)), "{ios:?}");
    }
    // One that asks for little is in time, and the other has the rest.
    let ios = at_paces([100, 2000], [100.0, 9000.0]);
    assert!(near(ios[0], 1000.0, 0.1) && ios[1] > 34_000, "{ios:?}");
}

/// One of several workloads that go by priority: (priority, microseconds an I/O, rate).
type Ranked = (u32, u64, Option<f64>);

/// I/Os a second of each with this many slots for all, the mean of the I/Os that were not started, and all
/// events. There are never more in flight than slots.
fn by_priority(all: &[Ranked], slots: u32) -> (Vec<f64>, Vec<Event>) {
    let parts: Vec<_> = all.iter().map(|r| (50.0, slots, 1, r.1)).collect();
    let mut parts = coupled(&parts);
    for (number, (w, (priority, _, rate))) in parts.iter_mut().zip(all).enumerate() {
        w.admission = Admission::Priority {
            group: 3,
            rank: *priority,
        };
        // So that the log distinguishes them.
        w.blocks_mut().sizes = BlockSizes::fixed(4096 << number);
        if let Some(rate) = rate {
            w.share = None;
            w.pace = Pace::Open {
                rates: PerOp::splat(None),
                arrival: Arrival::Poisson,
                together: Some(Rate::Iops(*rate)),
                schedule: Vec::new(),
            };
        }
    }
    let (issued, events) = run_all(parts);
    let mut steps: Vec<(u64, i32)> = Vec::new();
    for one in &issued {
        let number = (one.request.len / 4096).trailing_zeros() as usize;
        steps.push((one.at, 1));
        steps.push((one.at + 1000 * all[number].1, -1));
    }
    steps.sort_unstable();
    let mut now = 0;
    for (_, step) in steps {
        now += step;
        assert!(now <= i32::try_from(slots).unwrap(), "{now} in flight");
    }
    let rates = (0..)
        .take(all.len())
        .map(|w| ios_of(&events, w) as f64 / 10.0);
    (rates.collect(), events)
}

/// What each has: as much as it is asked for, or of what those before it leave, less what goes by while a free slot
/// waits for somebody to look.
fn as_due(rates: &[f64], due: &[f64], all: f64) {
    let lost = 0.04 * all;
    for (rate, due) in rates.iter().zip(due) {
        // Arrivals are random: three standard deviations of the number in ten seconds.
        let chance = 0.3 * (10.0 * due).sqrt();
        let (least, most) = (due - chance - lost, 1.01 * due + chance + 5.0);
        assert!(least < *rate && *rate < most, "{rates:?} {due:?}");
    }
    let chance = 0.3 * (10.0 * due[0]).sqrt();
    assert!(
        (rates[0] - due[0]).abs() < chance + 0.01 * due[0],
        "{rates:?} {due:?}"
    );
}

#[test]
fn the_lowest_priority_number_is_served_first_and_the_next_gets_the_rest() {
    // Slots of 1 ms each.
    for slots in [1, 8] {
        let all = f64::from(slots) * 1000.0;
        let asked = |priority, part: f64| (priority, 1000, Some(part * all));
        let cases: [(&[Ranked], &[f64]); 6] = [
            // Without a rate the first has all.
            (&[(1, 1000, None), (2, 1000, None)], &[1.0, 0.0]),
            // With one the second has the rest, or its own rate, whatever is less.
            (&[asked(1, 0.4), (2, 1000, None)], &[0.4, 0.6]),
            (&[asked(1, 0.4), asked(2, 0.3)], &[0.4, 0.3]),
            (&[asked(1, 0.7), asked(2, 0.7)], &[0.7, 0.3]),
            // More than two numbers: the last has nothing where the others ask for all there is.
            (
                &[asked(1, 0.4), asked(2, 0.8), (3, 1000, None)],
                &[0.4, 0.6, 0.0],
            ),
            (
                &[asked(1, 0.2), asked(2, 0.3), (3, 1000, None)],
                &[0.2, 0.3, 0.5],
            ),
        ];
        for (ranked, parts) in cases {
            let due: Vec<f64> = parts.iter().map(|part| part * all).collect();
            let (rates, _) = by_priority(ranked, slots);
            as_due(&rates, &due, all);
            // Their order in the plan is nothing to them.
            let turned: Vec<Ranked> = ranked.iter().rev().copied().collect();
            let (mut rates, _) = by_priority(&turned, slots);
            rates.reverse();
            as_due(&rates, &due, all);
        }
    }
}

#[test]
fn equal_priority_numbers_share_the_slots_by_weight() {
    let ranked = |micros, rate| (1, micros, rate);
    // As many I/Os, however long they take; by their rates, however much is asked for.
    let cases: [(&[Ranked], &[f64]); 4] = [
        (&[ranked(1000, None), ranked(1000, None)], &[4000.0, 4000.0]),
        (&[ranked(100, None), ranked(1000, None)], &[7273.0, 7273.0]),
        (
            &[ranked(1000, Some(4000.0)), ranked(1000, Some(12_000.0))],
            &[2000.0, 6000.0],
        ),
        // A rate goes before none.
        (
            &[ranked(1000, Some(3000.0)), ranked(1000, None)],
            &[3000.0, 5000.0],
        ),
    ];
    for (ranked, due) in cases {
        let (rates, _) = by_priority(ranked, 8);
        let (sum, all): (f64, f64) = (rates.iter().sum(), due.iter().sum());
        assert!(sum > 0.94 * all && sum < 1.02 * all, "{rates:?} {due:?}");
        for (rate, due) in rates.iter().zip(due) {
            assert!((rate / due - 1.0).abs() < 0.08, "{rates:?} {due:?}");
        }
    }
}

#[test]
fn waiting_for_a_slot_is_part_of_the_response_time_of_the_first_priority() {
    let (rates, events) = by_priority(&[(1, 1000, Some(500.0)), (2, 4000, None)], 8);
    assert!((rates[0] / 500.0 - 1.0).abs() < 0.05, "{rates:?}");
    let first = totals(&events)
        .into_iter()
        .find(|t| t.workload == 0)
        .unwrap();
    let data = first.counts.data();
    let (service, response) = (
        data.service.mean() / 1e6,
        data.response.as_ref().unwrap().mean() / 1e6,
    );
    assert!((service - 1.0).abs() < 0.01, "{service}");
    // Until the first of eight I/Os of 4 ms ends, and it looks.
    assert!(response > 1.2 && response < 5.2, "{response}");
}

#[test]
fn no_workload_of_a_queue_leads_by_more_than_max_lead() {
    // Nothing is lent: the fast one could do ten times as much.
    let mut parts = fed_by_one_queue(&[100, 1000], 8);
    for w in &mut parts {
        (w.admission, w.depth) = (queue(None), 4);
    }
    let (_, events) = run_all(parts);
    let [fast, slow] = [0, 1].map(|w| ios_of(&events, w));
    assert!(slow.abs_diff(40_000) < 10, "as fast as it can: {slow}");
    assert!(fast > slow + 1900 && fast < slow + 2100, "{fast} {slow}");
}

#[test]
fn coupling_ends_and_begins_with_the_workers() {
    // The slow one ends after 2 s: the other is free then.
    let mut parts = coupled(&[(50.0, 8, 1, 100), (50.0, 1, 1, 1000)]);
    parts[1].stop.runtime = Some(Nanos::from_secs(2));
    let (_, events) = run_all(parts);
    assert!(ios_of(&events, 0) > 8 * 8 * 9900, "{}", ios_of(&events, 0));
    // It begins after 5 s: the other was free until then, and is not held back for it.
    let mut parts = coupled(&[(50.0, 8, 1, 100), (50.0, 1, 1, 1000)]);
    parts[1].start.delay = (Nanos::from_secs(5), Nanos::from_secs(5));
    parts[1].stop.runtime = Some(Nanos::from_secs(5));
    let (_, events) = run_all(parts);
    let by_second = |second: u64| {
        let of = |e: &Event| match e {
            Event::Interval(s) if s.workload == 0 && s.interval == second => {
                Some(s.counts.data_ios())
            }
            _ => None,
        };
        events.iter().find_map(of).unwrap()
    };
    assert!(by_second(3) > 79_000);
    assert!(by_second(7).abs_diff(1000) < 20, "{}", by_second(7));
}

#[test]
fn a_coupled_workload_with_a_rate_is_held_back_too() {
    let mut parts = coupled(&[(50.0, 8, 1, 100), (50.0, 1, 1, 1000)]);
    parts[0].pace = Pace::Open {
        rates: PerOp::splat(Some(Rate::Iops(3000.0))),
        arrival: Arrival::Constant,
        together: None,
        schedule: Vec::new(),
    };
    let (_, events) = run_all(parts);
    assert!(ios_of(&events, 0).abs_diff(10_000) < 200);
    let paced = totals(&events);
    let paced = paced.iter().find(|t| t.workload == 0).unwrap();
    assert!(paced.unissued.abs_diff(20_000) < 200 && paced.counts.late > 9000);
}

fn stage(workloads: Vec<Workload>, until: Until) -> Stage {
    Stage {
        name: "s".into(),
        workloads,
        until,
        ..Stage::default()
    }
}

#[test]
fn a_stage_ends_after_its_bytes_without_those_of_the_warm_up() {
    let mut w = workload(100, 60);
    w.blocks_mut().mix = OpMix::mixed(50);
    w.stop.warmup = Nanos::from_secs(2);
    (w.clones, w.depth) = (2, 2);
    // 40,000 I/Os a second, all together; half of them are reads.
    let second = 40_000 * 4096;
    let cases = [
        (
            Until {
                moved: Some(second * 5 / 2),
                ..Until::default()
            },
            3,
        ),
        (
            Until {
                read: Some(second * 3 / 4),
                ..Until::default()
            },
            2,
        ),
        (
            Until {
                written: Some(second * 7 / 4),
                ..Until::default()
            },
            4,
        ),
        (
            Until {
                errors: Some(1),
                ..Until::default()
            },
            60,
        ),
    ];
    for (until, seconds) in cases {
        let (_, events) = run(stage(vec![w.clone()], until));
        for worker in totals(&events) {
            let length = worker.window_end.0 - worker.window_start.0;
            assert!(
                length.abs_diff(seconds * 1_000_000_000) < 1_000_000,
                "{until:?}: {length}"
            );
            let reason = if seconds == 60 {
                EndReason::Time
            } else {
                EndReason::Other
            };
            assert_eq!(worker.end, reason);
        }
    }
}

#[test]
fn a_stage_ends_after_its_number_of_errors() {
    let mut w = workload(100, 60);
    if let Target::Simulated(target) = &mut w.blocks_mut().target {
        let device = &mut target.volume;
        device.errors = (0..100).map(|i| (i * 1000, 5)).collect();
    }
    w.on_error.go_on.read = true;
    let until = Until {
        errors: Some(25),
        ..Until::default()
    };
    let (_, events) = run(stage(vec![w], until));
    let worker = totals(&events)[0];
    // 10,000 I/Os a second, one of 1000 fails: the 25th in the third second.
    assert!(worker.window_end.0.abs_diff(3_000_000_000) < 1_000_000);
    // And one that was under way.
    assert!((30..=31).contains(&worker.errors[0].2));
}

#[test]
fn workloads_that_end_the_stage_together_wait_for_each_other() {
    let together = |seconds| {
        let mut w = workload(100, seconds);
        w.stop.ends_others = EndsOthers::StageTogether;
        w
    };
    let mut last = together(3);
    last.blocks_mut().access.at_end = AtEnd::Stop;
    last.clones = 2;
    let (_, events) = run_all(vec![together(1), together(4), workload(100, 60), last]);
    let of = |workload| {
        let all = totals(&events);
        let one = all.into_iter().find(|t| t.workload == workload).unwrap();
        (one.window_end.0, one.end.clone())
    };
    assert_eq!(of(0), (1_000_000_000, EndReason::Time));
    assert_eq!(of(1), (4_000_000_000, EndReason::Time));
    assert_eq!(of(2).1, EndReason::Other);
    assert!(
        of(2).0.abs_diff(4_000_000_000) < 1_000_000,
        "with the last of them"
    );
    assert_eq!(of(3).1, EndReason::Size);
}

#[test]
fn the_last_of_them_that_an_error_removes_ends_the_stage() {
    let together = |seconds| {
        let mut w = workload(100, seconds);
        w.stop.ends_others = EndsOthers::StageTogether;
        w
    };
    let mut fails = together(60);
    fails.on_error.removes = Some(1);
    if let Target::Simulated(target) = &mut fails.blocks_mut().target {
        let device = &mut target.volume;
        // 10,000 I/Os a second: after two seconds.
        device.errors = vec![(20_000, 5)];
    }
    let (_, events) = run_all(vec![together(1), fails, workload(100, 60)]);
    let all = totals(&events);
    let of = |workload| all.iter().find(|t| t.workload == workload).unwrap();
    assert_eq!(of(1).errors, [(Op::Read, 5, 1)]);
    assert_eq!(of(2).end, EndReason::Other);
    assert!(of(2).window_end.0.abs_diff(2_000_000_000) < 10_000_000);
}
