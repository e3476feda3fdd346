//! Truth tests: on a simulated device everything is known, so the figures must be too.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use leadline_engine::run::{Interrupt, RunError, Session};
use leadline_model::error_code::ErrorCode;
use leadline_model::event::{Event, Outcome};
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::simulated::{ServiceTime, TokenBucket};
use leadline_model::plan::{
    Access, Amount, Arrival, EngineKind, OpMix, Order, Pace, Plan, Rate, Region, SimDevice, Stage,
    Stop, Target, Think, Until, Workload,
};
use leadline_model::sample::{EndReason, Sample, WorkerTotals};
use leadline_model::units::Nanos;
use std::collections::BTreeMap;

fn workload(device: SimDevice) -> Workload {
    let size = device.size;
    let mut w = Workload::new("w", device.into());
    w.engine.kind = EngineKind::Sim;
    w.blocks_mut().region = Region {
        size: Some(Amount::Bytes(size)),
        ..Region::default()
    };
    w.blocks_mut().access = Access {
        order: Order::Random {
            every: 1,
            identical: false,
        },
        seed: Some(1),
        ..Access::default()
    };
    w.stop = Stop {
        runtime: Some(Nanos::from_secs(10)),
        time_based: true,
        ..Stop::default()
    };
    w
}

fn rate(iops: f64) -> Pace {
    let one = Some(Rate::Iops(iops));
    Pace::Open {
        together: None,
        schedule: Vec::new(),
        rates: PerOp {
            read: one,
            write: one,
            trim: one,
        },
        arrival: Arrival::Constant,
    }
}

fn run(workloads: Vec<Workload>) -> Vec<Event> {
    let (events, result) = try_run(workloads);
    result.unwrap();
    events
}

fn run_with(workloads: Vec<Workload>, interval: Nanos) -> Vec<Event> {
    let (events, result) = try_run_with(workloads, interval);
    result.unwrap();
    events
}

fn try_run(workloads: Vec<Workload>) -> (Vec<Event>, Result<Outcome, RunError>) {
    try_run_with(workloads, Nanos::SECOND)
}

fn try_run_with(
    workloads: Vec<Workload>,
    interval: Nanos,
) -> (Vec<Event>, Result<Outcome, RunError>) {
    let stage = Stage {
        name: "s".into(),
        pause: Nanos::ZERO,
        workloads,
        ..Stage::default()
    };
    let plan = Plan {
        interval,
        ..leadline_testkit::plan(vec![stage])
    };
    let mut events = Vec::new();
    let mut session = Session::new(Interrupt::default(), 7);
    let result = session.run(&plan, &mut |event| events.push(event));
    (events, result)
}

/// The same with intervals of a second in this many slices.
fn run_in(slices: u32, workloads: Vec<Workload>, until: Until) -> Vec<Event> {
    let stage = Stage {
        workloads,
        until,
        ..Stage::default()
    };
    let plan = Plan {
        interval: Nanos::SECOND,
        slices,
        ..leadline_testkit::plan(vec![stage])
    };
    let mut events = Vec::new();
    let mut session = Session::new(Interrupt::default(), 7);
    session.run(&plan, &mut |event| events.push(event)).unwrap();
    events
}

/// I/Os by workload, interval and side of the warm-up's end, of samples of which `cuts` are an interval.
fn by_interval(events: &[Event], cuts: u64) -> BTreeMap<(u32, u64, bool), (u64, u64)> {
    let mut all = BTreeMap::new();
    for sample in samples(events) {
        let key = (sample.workload, sample.interval / cuts, sample.warmup);
        let sums: &mut (u64, u64) = all.entry(key).or_default();
        sums.0 += sample.counts.data_ios();
        sums.1 += sample.length.0;
    }
    all
}

#[test]
fn slices_add_up_to_the_intervals_and_change_nothing_else() {
    let device = SimDevice {
        parallel: 2,
        service: ServiceTime::Exponential(Nanos::from_millis(1)),
        ..SimDevice::default()
    };
    let mut fast = workload(device.clone());
    fast.depth = 4;
    // Neither the end of the warm-up nor the end is that of a slice.
    (fast.stop.warmup, fast.stop.runtime) =
        (Nanos::from_millis(1270), Some(Nanos::from_millis(3333)));
    let slow = Workload {
        pace: rate(3.0),
        ..workload(device)
    };
    let whole = run_in(1, vec![fast.clone(), slow.clone()], Until::default());
    let cut = run_in(10, vec![fast, slow], Until::default());
    assert_eq!(by_interval(&cut, 10), by_interval(&whole, 1));
    assert_eq!(
        samples(&cut).iter().filter(|s| s.workload == 1).count(),
        100
    );
    let ends = |events| -> Vec<_> {
        let of = |w: &&WorkerTotals| (w.window_start, w.window_end, w.counts.data_ios(), w.edge);
        totals(events).iter().map(of).collect()
    };
    assert_eq!(ends(&cut), ends(&whole));
    // Live views get whole intervals.
    let ticks = |events: &[Event]| -> Vec<_> {
        let tick = |e: &Event| match e {
            Event::Tick(t) => Some((t.at, t.span, t.counts.data_ios())),
            _ => None,
        };
        events.iter().filter_map(tick).collect()
    };
    assert_eq!(ticks(&cut), ticks(&whole));
}

#[test]
fn a_limit_of_the_stage_is_looked_at_when_an_interval_is_over() {
    let until = Until {
        read: Some(12 << 20),
        ..Until::default()
    };
    let ends = [1, 10].map(|slices| {
        let events = run_in(slices, vec![workload(SimDevice::default())], until);
        totals(&events)[0].window_end
    });
    assert_eq!(ends[0], ends[1]);
}

fn totals(events: &[Event]) -> Vec<&WorkerTotals> {
    let mut all = Vec::new();
    for event in events {
        if let Event::WorkerEnded(totals) = event {
            all.push(&**totals);
        }
    }
    all
}

fn samples(events: &[Event]) -> Vec<&Sample> {
    let mut all = Vec::new();
    for event in events {
        if let Event::Interval(sample) = event {
            all.push(&**sample);
        }
    }
    all
}

#[test]
fn a_closed_loop_obeys_littles_law() {
    let mut w = workload(SimDevice {
        parallel: 4,
        ..SimDevice::default()
    });
    w.depth = 16;
    let events = run(vec![w]);
    let reads = totals(&events)[0].counts.op(Op::Read).unwrap().clone();
    // Four servers of 100 us: 40,000 IOPS; sixteen in flight wait 400 us.
    assert!(reads.ios.abs_diff(400_000) <= 16, "{}", reads.ios);
    assert!(
        (reads.service.mean() - 400_000.0).abs() < 100.0,
        "{}",
        reads.service.mean()
    );
    assert!(reads.response.is_none(), "a closed loop has one latency");
}

#[test]
fn a_device_of_which_nothing_is_said_does_32_at_once_in_100_us() {
    let mut w = workload(SimDevice::default());
    (w.depth, w.stop.runtime) = (64, Some(Nanos::SECOND));
    let reads = totals(&run(vec![w]))[0]
        .counts
        .op(Op::Read)
        .unwrap()
        .clone();
    // 320,000 a second; of 64 in flight half wait as long as they take.
    assert!(reads.ios.abs_diff(320_000) <= 64, "{}", reads.ios);
    let mean = reads.service.mean();
    assert!((mean - 200_000.0).abs() < 100.0, "{mean}");
}

/// Eight are in flight all the time, whatever stalls lie across the edges of the window, whatever fails, and
/// also where the window is shorter than an I/O.
#[test]
fn the_time_in_flight_is_that_within_the_window() {
    let ms = Nanos::from_millis;
    let stalls = [(900, 300), (400, 900), (1900, 500), (950, 2000)];
    for (stall, cooldown) in stalls.into_iter().flat_map(|s| [(s, 0), (s, 1)]) {
        let mut w = workload(SimDevice {
            service: ServiceTime::Fixed(ms(1)),
            parallel: 8,
            stalls: vec![(ms(stall.0), ms(stall.1))],
            errors: vec![(7000, 5), (7203, 5), (7500, 5)],
            ..SimDevice::default()
        });
        w.depth = 8;
        w.on_error.go_on.read = true;
        w.stop.warmup = Nanos::SECOND;
        w.stop.runtime = Some(Nanos::SECOND);
        w.stop.cooldown = Nanos::from_secs(cooldown);
        let events = run(vec![w]);
        let total = totals(&events)[0];
        let counted = total.counts.data().service.sum;
        let in_flight = counted.strict_add_signed(total.edge);
        let window = total.window_end.since(total.window_start);
        if cooldown > 0 {
            assert_eq!(window, Nanos::SECOND);
            assert_eq!(in_flight, 8 * window.0, "{stall:?}");
        } else {
            // What is in flight at the end is waited for, and nothing is added.
            assert!(window >= Nanos::SECOND);
            assert!((8_000_000_000..=8 * window.0).contains(&in_flight));
            // Up to the end that was asked for, all slots are in use.
            let drain = total.drain.as_ref().expect("a drain");
            assert_eq!(in_flight - drain.in_flight, 8_000_000_000, "{stall:?}");
        }
        // Without the edge it is not so.
        assert_ne!(counted, in_flight);
    }
}

/// At 1,000 a second, 64 of each of two workers are in flight at both ends of a second: what ends in it is 1,000, whatever the
/// intervals in which it is counted.
#[test]
fn what_ends_after_the_asked_end_is_counted_apart() {
    let drained = |warmup: Nanos, cooldown: Nanos, interval: Nanos| {
        let mut w = workload(SimDevice {
            iops_cap: Some(TokenBucket {
                rate: 1000.0,
                burst_rate: 1000.0,
                store: 0.0,
            }),
            parallel: 1024,
            ..SimDevice::default()
        });
        (w.depth, w.clones) = (64, 2);
        (w.stop.warmup, w.stop.cooldown) = (warmup, cooldown);
        w.stop.runtime = Some(Nanos::SECOND);
        let events = run_with(vec![w], interval);
        // Looking at the end moves no I/O to another interval.
        let tick = interval.0 / 1_000_000;
        let whole = |s: &&&Sample| s.length == interval && s.start.0 > 0;
        for sample in samples(&events).iter().filter(whole) {
            let ios = sample.counts.data_ios();
            assert!(
                ios.abs_diff(tick) <= 1,
                "{ios} in {interval} at {}",
                sample.start
            );
        }
        let totals = totals(&events);
        let [mut within, mut after] = [0, 0];
        for worker in totals {
            let drain = worker.drain.as_ref()?;
            let (_, ios, bytes) = *drain.done.first()?;
            assert_eq!(bytes, ios * 4096);
            assert_eq!(drain.from.since(worker.window_start), Nanos::SECOND);
            within += worker.counts.data_ios() - ios;
            after += ios;
        }
        Some((within, after))
    };
    for interval in [
        Nanos::SECOND,
        Nanos::from_millis(300),
        Nanos::from_millis(20),
    ] {
        assert_eq!(
            drained(Nanos::SECOND, Nanos::ZERO, interval),
            Some((1000, 128))
        );
    }
    // One that begins with nothing in flight ends with nothing, and one that goes on counts nothing more.
    assert_eq!(drained(Nanos::ZERO, Nanos::ZERO, Nanos::SECOND), None);
    assert_eq!(drained(Nanos::SECOND, Nanos::SECOND, Nanos::SECOND), None);
}

#[test]
fn a_repeated_run_is_the_same_bit_for_bit() {
    let mut w = workload(SimDevice {
        service: leadline_model::plan::simulated::ServiceTime::LogNormal {
            median: Nanos::from_micros(200),
            sigma: 0.5,
        },
        ..SimDevice::default()
    });
    w.depth = 8;
    w.clones = 3;
    let strip = |events: Vec<Event>| -> Vec<Event> {
        let timeless = |e: &Event| matches!(e, Event::Interval(_) | Event::WorkerEnded(_));
        events.into_iter().filter(timeless).collect()
    };
    assert_eq!(strip(run(vec![w.clone()])), strip(run(vec![w])));
}

#[test]
fn at_a_rate_a_stall_shows_in_the_response_and_in_the_intervals() {
    let stalls = vec![(Nanos::from_secs(4), Nanos::from_secs(2))];
    let mut w = workload(SimDevice {
        stalls,
        ..SimDevice::default()
    });
    w.pace = rate(1000.0);
    w.depth = 1;
    let events = run(vec![w]);
    let worker = totals(&events)[0];
    let reads = worker.counts.op(Op::Read).unwrap();
    assert_eq!(
        reads.ios + worker.unissued,
        10_000,
        "no late I/O is skipped"
    );
    assert!(reads.response().max >= 2_000_000_000);
    // About as many I/Os as the stall was long, and those the drain of the backlog delayed.
    assert!(worker.counts.late > 1990, "{} late", worker.counts.late);
    // One I/O met the stall itself: closed-loop statistics would have hidden the rest.
    assert!(reads.service.percentile(99.9).unwrap() < 1_000_000);
    assert!(reads.response().percentile(99.0).unwrap() > 1_500_000_000);
    let series: Vec<u64> = samples(&events)
        .iter()
        .map(|s| s.counts.data_ios())
        .collect();
    assert_eq!(
        series[5], 0,
        "an interval without I/O is an interval with zero: {series:?}"
    );
    assert_eq!(series.len(), 10, "{series:?}");
}

#[test]
fn a_cap_is_measured_as_what_it_is() {
    let cap = TokenBucket {
        rate: 2000.0,
        burst_rate: 2000.0,
        store: 0.0,
    };
    let mut w = workload(SimDevice {
        iops_cap: Some(cap),
        ..SimDevice::default()
    });
    w.depth = 32;
    let events = run(vec![w]);
    let reads = totals(&events)[0].counts.op(Op::Read).unwrap();
    assert!(reads.ios.abs_diff(20_000) <= 32, "{}", reads.ios);
}

#[test]
fn a_number_of_ios_counts_those_after_the_warm_up() {
    let mut w = workload(SimDevice::default());
    w.stop = Stop {
        ios: Some(1000),
        warmup: Nanos::from_millis(50),
        ..Stop::default()
    };
    let events = run(vec![w.clone()]);
    let worker = totals(&events)[0];
    assert_eq!(worker.end, EndReason::Ios);
    // 100 us each; the one under way at the cut counts after it, and was asked for before.
    assert_eq!((worker.warmup_ios, worker.counts.data_ios()), (499, 1001));
    // It ends by its number within a warm-up that is longer, too.
    w.stop.warmup = Nanos::from_secs(5);
    let events = run(vec![w]);
    let worker = totals(&events)[0];
    assert_eq!((worker.warmup_ios, worker.counts.data_ios()), (1000, 0));
}

#[test]
fn the_warm_up_is_cut_exactly_and_not_counted() {
    let mut w = workload(SimDevice::default());
    w.stop.warmup = Nanos::from_millis(2500);
    let events = run(vec![w]);
    let worker = totals(&events)[0];
    assert_eq!(worker.warmup_ios, 24_999);
    assert_eq!(
        worker.counts.data_ios(),
        100_001,
        "the one under way at the cut ends after it"
    );
    let cut: Vec<_> = samples(&events)
        .into_iter()
        .filter(|s| s.interval == 2)
        .collect();
    assert_eq!(cut.len(), 2);
    assert_eq!(
        (cut[0].warmup, cut[0].length),
        (true, Nanos::from_millis(500))
    );
    assert_eq!(
        (cut[1].warmup, cut[1].start),
        (false, Nanos::from_millis(2500))
    );
    let counted: u64 = samples(&events)
        .iter()
        .filter(|s| !s.warmup)
        .map(|s| s.counts.data_ios())
        .sum();
    assert_eq!(
        counted,
        worker.counts.data_ios(),
        "intervals and totals agree"
    );
}

#[test]
fn stop_rules_are_exact_at_the_io() {
    let mut by_ios = workload(SimDevice::default());
    by_ios.depth = 7;
    by_ios.stop = Stop {
        ios: Some(1001),
        ..Stop::default()
    };
    let mut by_bytes = workload(SimDevice::default());
    by_bytes.stop = Stop {
        io_bytes: Some(Amount::Bytes(4096 * 333)),
        ..Stop::default()
    };
    let mut by_size = workload(SimDevice {
        size: 4096 * 50,
        ..SimDevice::default()
    });
    by_size.stop = Stop {
        loops: 3,
        ..Stop::default()
    };
    let events = run(vec![by_ios, by_bytes, by_size]);
    let of = |workload| {
        totals(&events)
            .into_iter()
            .find(|t| t.workload == workload)
            .unwrap()
            .clone()
    };
    assert_eq!((of(0).counts.data_ios(), of(0).end), (1001, EndReason::Ios));
    assert_eq!((of(1).counts.data_ios(), of(1).end), (333, EndReason::Size));
    assert_eq!((of(2).counts.data_ios(), of(2).end), (150, EndReason::Size));
}

#[test]
fn an_error_ends_the_worker_and_is_counted() {
    let mut w = workload(SimDevice {
        errors: vec![(100, 5)],
        ..SimDevice::default()
    });
    let events = run(vec![w.clone()]);
    let worker = totals(&events)[0];
    assert_eq!(worker.errors, [(Op::Read, 5, 1)]);
    assert!(matches!(worker.end, EndReason::Error { errno: 5, .. }));
    assert_eq!(worker.counts.data_ios(), 100);
    w.on_error.go_on.read = true;
    let events = run(vec![w]);
    assert_eq!(
        totals(&events)[0].counts.data_ios(),
        99_999,
        "one of 100,000 failed"
    );
}

#[test]
fn several_paces_run_side_by_side() {
    let mut free = workload(SimDevice::default());
    free.name = "reader".into();
    free.depth = 4;
    let mut paced = free.clone();
    paced.name = "writer".into();
    paced.pace = rate(320.0);
    paced.clones = 4;
    let events = run(vec![free, paced]);
    let all = totals(&events);
    assert_eq!(all.len(), 5);
    assert!(all[0].counts.data_ios() > 300_000);
    for writer in all.iter().filter(|t| t.workload == 1) {
        assert!(writer.counts.data_ios().abs_diff(3200) <= 1);
    }
}

#[test]
fn start_delays_and_followers_keep_their_order() {
    let mut first = workload(SimDevice::default());
    first.name = "first".into();
    first.stop.runtime = Some(Nanos::from_secs(1));
    let mut second = first.clone();
    second.name = "second".into();
    second.start.after = Some("first".into());
    second.start.delay = (Nanos::from_millis(250), Nanos::from_millis(250));
    let events = run(vec![first, second]);
    let all = totals(&events);
    assert_eq!(all[0].window_end, Nanos(1_000_000_000));
    assert_eq!(all[1].first_submit, Some(Nanos(1_250_000_000)));
}

#[test]
fn a_pause_after_each_io_sets_the_rate() {
    let mut w = workload(SimDevice::default());
    w.think = Some(Think {
        pause: Nanos::from_micros(900),
        spin: Nanos::ZERO,
        every: 1,
        on_submit: false,
        after_busy: Nanos::ZERO,
    });
    let events = run(vec![w]);
    assert!(totals(&events)[0].counts.data_ios().abs_diff(10_000) <= 1);
}

#[test]
fn ten_simulated_minutes_take_well_under_a_second() {
    let mut w = workload(SimDevice::default());
    w.pace = rate(1000.0);
    w.depth = 8;
    w.stop.runtime = Some(Nanos::from_secs(600));
    let events = run(vec![w]);
    assert_eq!(totals(&events)[0].counts.data_ios(), 600_000);
    let Some(Event::RunEnded { .. }) = events.last() else {
        panic!("no end")
    };
}

#[test]
fn a_run_that_is_refused_ends_with_the_reasons_and_their_cures() {
    let mut odd = workload(SimDevice::default());
    odd.name = "odd".into();
    odd.depth = 0;
    let missing = Workload::new("gone", Target::Paths(vec!["/none/such/f".into()]));
    let (events, result) = try_run(vec![odd, missing]);
    let error = result.unwrap_err();
    let Some(Event::RunEnded {
        outcome: Outcome::Failed(failure),
        ..
    }) = events.last()
    else {
        panic!("{events:?}");
    };
    assert_eq!(*failure, error.failure());
    assert_eq!(failure.what, error.to_string());
    let each = error.failures();
    let known: Vec<_> = each
        .iter()
        .map(|f| (f.code, f.what.split(':').next().unwrap()))
        .collect();
    assert_eq!(
        known,
        [
            (ErrorCode::PlanValue, "odd"),
            (ErrorCode::PlanConflict, "odd"),
            (ErrorCode::TargetSize, "gone"),
        ]
    );
    assert_eq!(failure.code, ErrorCode::PlanValue);
    for one in &each {
        assert!(!one.cure.text.is_empty(), "{one:?}");
        assert!(failure.cure.text.contains(&one.cure.text), "{failure:?}");
    }
}

/// One rate for all kinds of a workload that reads 70 %.
fn together(arrival: Arrival, schedule: Vec<(Nanos, f64)>) -> Workload {
    let mut w = workload(SimDevice::default());
    w.depth = 64;
    w.blocks_mut().mix = OpMix::mixed(70);
    w.pace = Pace::Open {
        rates: PerOp::splat(None),
        together: Some(Rate::Iops(1000.0)),
        arrival,
        schedule,
    };
    w
}

fn ios_by_interval(events: &[Event]) -> Vec<u64> {
    let of = |s: &&Sample| s.counts.data_ios();
    samples(events).iter().map(of).collect()
}

#[test]
fn one_rate_for_all_kinds_is_exact_and_the_mix_is_drawn() {
    let events = run(vec![together(Arrival::Constant, Vec::new())]);
    let worker = totals(&events)[0];
    assert_eq!(worker.counts.data_ios(), 10_000);
    let reads = worker.counts.op(Op::Read).unwrap().ios;
    // Five standard deviations of a binomial with n 10,000 and p 0.7 are 230.
    assert!(reads.abs_diff(7000) < 230, "{reads}");
    assert_eq!(worker.unissued, 0);
    let lag = worker.counts.lag.as_ref().unwrap();
    assert_eq!((lag.count(), lag.max), (10_000, 0), "all on their time");
    // The device stalls: what was due meanwhile is not lost, whatever its kind.
    let mut w = together(Arrival::Constant, Vec::new());
    w.depth = 1;
    w.blocks_mut().target = SimDevice {
        stalls: vec![(Nanos::from_secs(4), Nanos::from_secs(2))],
        ..SimDevice::default()
    }
    .into();
    let events = run(vec![w]);
    let worker = totals(&events)[0];
    assert_eq!(worker.counts.data_ios() + worker.unissued, 10_000);
    assert!(worker.counts.late > 1990, "{}", worker.counts.late);
}

#[test]
fn what_was_due_and_not_done_counts_as_at_least_so_long() {
    for (cooldown, ended) in [(0, 400), (5, 399)] {
        // 100 a second; from 4 s on nothing ends before 12 s.
        let mut w = workload(SimDevice {
            stalls: vec![(Nanos::from_secs(4), Nanos::from_secs(8))],
            ..SimDevice::default()
        });
        w.blocks_mut().mix = OpMix::mixed(70);
        w.pace = Pace::Open {
            together: Some(Rate::Iops(100.0)),
            rates: PerOp::splat(None),
            arrival: Arrival::Constant,
            schedule: Vec::new(),
        };
        w.stop.cooldown = Nanos::from_secs(cooldown);
        let events = run(vec![w]);
        let total = totals(&events)[0];
        let all = total.counts.data();
        let response = all.response();
        // The one in flight is waited for, but not where I/O continues.
        assert!((ended..=ended + 2).contains(&all.ios), "{}", all.ios);
        assert_eq!(all.ios + response.unfinished(), 1000);
        assert_eq!(response.count(), 1000);
        // They had waited evenly up to 6 s.
        let p80 = response.percentile(80.0).unwrap();
        assert!(p80.abs_diff(4_000_000_000) < 60_000_000, "{p80}");
        assert!(response.is_at_least(80.0) && !response.is_at_least(39.0));
        let of = |op| total.counts.op(op).map_or(0, |c| c.response().count());
        assert!(of(Op::Read).abs_diff(700) < 50, "{}", of(Op::Read));
        // The last sample of the window has them too.
        let reported: u64 = samples(&events)
            .iter()
            .map(|s| s.counts.data().response().unfinished())
            .sum();
        assert_eq!(reported, response.unfinished());
    }
}

/// What ends because all was done that was asked for has nothing more due.
#[test]
fn a_number_of_ios_that_is_done_leaves_nothing_undone() {
    let mut w = workload(SimDevice {
        stalls: vec![(Nanos::from_secs(1), Nanos::from_secs(3))],
        ..SimDevice::default()
    });
    w.pace = rate(100.0);
    w.stop = Stop {
        ios: Some(150),
        ..Stop::default()
    };
    let events = run(vec![w]);
    let total = totals(&events)[0];
    assert_eq!(
        (total.counts.data_ios(), total.end.clone()),
        (150, EndReason::Ios)
    );
    assert_eq!(
        (total.unissued, total.counts.data().response().unfinished()),
        (0, 0)
    );
}

#[test]
fn a_rate_that_changes_is_exact_in_each_part() {
    let schedule = vec![
        (Nanos::from_secs(3), 2.5),
        (Nanos::from_secs(5), 0.0),
        (Nanos::from_secs(7), 0.1),
    ];
    let ios = |arrival| ios_by_interval(&run(vec![together(arrival, schedule.clone())]));
    let exact = [1000, 1000, 1000, 2500, 2500, 0, 0, 100, 100, 100];
    // An I/O belongs to the interval in which it ended, 100 us after it was due: none is cut here.
    assert_eq!(ios(Arrival::Constant), exact);
    for arrival in [Arrival::Poisson, Arrival::Even] {
        for (found, expected) in ios(arrival).into_iter().zip(exact) {
            // One that was due at the very end of an interval ends in the next.
            let far = 6.0 * (expected as f64).sqrt() + 3.0;
            assert!(
                (found as f64 - expected as f64).abs() <= far,
                "{found} {expected}"
            );
        }
    }
}

#[test]
fn a_rate_schedule_counts_from_the_start_of_the_stage_for_late_workers_too() {
    let mut w = together(Arrival::Constant, vec![(Nanos::from_secs(3), 2.0)]);
    w.start.delay = (Nanos::from_secs(2), Nanos::from_secs(2));
    w.stop.runtime = Some(Nanos::from_secs(3));
    let events = run(vec![w]);
    assert_eq!(ios_by_interval(&events), [1000, 2000, 2000]);
}

#[test]
fn even_arrivals_have_the_asked_mean() {
    let mut w = together(Arrival::Even, Vec::new());
    w.stop.runtime = Some(Nanos::from_secs(100));
    let worker_ios = totals(&run(vec![w]))[0].counts.data_ios();
    // The spread of a sum of n such distances is sqrt(n / 3) of their mean: 183 here.
    assert!(worker_ios.abs_diff(100_000) < 5 * 183, "{worker_ios}");
}
