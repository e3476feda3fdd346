//! What is counted beside the I/O: processor time over the measured window, reads and writes by
//! worker where a dialect asks for them, and I/Os by file.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use leadline_engine::run::{Interrupt, RunError, Session};
use leadline_model::event::{CpuInterval, CpuTime, Event};
use leadline_model::op::{Op, OpMap, PerOp};
use leadline_model::plan::{
    Arrival, Draws, EngineKind, FileChoice, OpMix, Order, Pace, Plan, Rate, SimDevice, Stage, Stop,
    Target, Workload,
};
use leadline_model::sample::{Counts, Moments, Sample, WorkerTotals};
use leadline_model::units::Nanos;

fn run(workload: Workload) -> Vec<Event> {
    run_in(Nanos::from_millis(200), workload)
}

fn run_in(interval: Nanos, workload: Workload) -> Vec<Event> {
    try_run(interval, workload).unwrap()
}

fn try_run(interval: Nanos, workload: Workload) -> Result<Vec<Event>, RunError> {
    let plan = Plan {
        interval,
        ..leadline_testkit::plan(vec![Stage {
            workloads: vec![workload],
            ..Stage::default()
        }])
    };
    let mut events = Vec::new();
    let mut session = Session::new(Interrupt::default(), 7);
    session.run(&plan, &mut |event| events.push(event))?;
    Ok(events)
}

fn timed(target: Target, kind: EngineKind, warmup_ms: u64, runtime_ms: u64) -> Workload {
    let mut w = Workload::new("w", target);
    w.engine.kind = kind;
    w.stop = Stop {
        runtime: Some(Nanos::from_millis(runtime_ms)),
        warmup: Nanos::from_millis(warmup_ms),
        time_based: true,
        ..Stop::default()
    };
    w
}

fn cpus(events: &[Event]) -> &[CpuTime] {
    let ended = events.iter().find_map(|event| match event {
        Event::StageEnded { cpus, .. } => Some(cpus),
        _ => None,
    });
    ended.unwrap()
}

#[test]
fn processor_time_is_that_of_the_measured_window() {
    let target = Target::Null { size: 1 << 20 };
    let events = run(timed(target, EngineKind::Null, 700, 600));
    let cpus = cpus(&events);
    assert!(!cpus.is_empty());
    for cpu in cpus {
        let span = cpu.span.as_millis();
        assert!((590..3000).contains(&span), "{span} ms");
        // The counters go in ticks of 10 ms, and a processor may have been slow to write them up.
        let sum = cpu.user.0 + cpu.kernel.0 + cpu.idle.0 + cpu.wait.0 + cpu.steal.0;
        assert!(Nanos(sum).as_millis() < 2 * span + 100, "{cpu:?}");
    }
    // The worker never waits: one processor's worth of time at least, but for what others took.
    let busy: u64 = cpus.iter().map(|c| c.user.0 + c.kernel.0 + c.steal.0).sum();
    assert!(Nanos(busy).as_millis() > 300, "{cpus:?}");
}

fn processors(events: &[Event]) -> Vec<CpuInterval> {
    let each = events.iter().filter_map(|event| match event {
        Event::Processors(own) => Some(**own),
        _ => None,
    });
    each.collect()
}

#[test]
fn each_interval_has_its_processor_time_before_its_samples() {
    let target = Target::Null { size: 1 << 20 };
    // The last interval is cut in the middle.
    let events = run(timed(target, EngineKind::Null, 400, 700));
    let reported = processors(&events);
    let numbers: Vec<u64> = reported.iter().map(|c| c.interval).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5], "of a warm-up too");
    let cpus = u32::try_from(cpus(&events).len()).unwrap();
    for own in &reported {
        assert_eq!((own.stage, own.cpus), (0, cpus));
        let sum = own.user.0 + own.kernel.0 + own.idle.0 + own.wait.0 + own.steal.0;
        assert!(sum > 0, "{own:?}");
    }
    // The worker never waits: one processor's worth of time at least, but for what others took.
    let busy: u64 = reported
        .iter()
        .map(|c| c.user.0 + c.kernel.0 + c.steal.0)
        .sum();
    assert!(Nanos(busy).as_millis() > 600, "{reported:?}");
    let mut known = 0;
    for event in &events {
        match event {
            Event::Processors(_) => known += 1,
            Event::Interval(sample) => assert!(sample.interval < known, "{sample:?}"),
            _ => {}
        }
    }
}

#[test]
fn intervals_shorter_than_the_kernel_counts_have_no_processor_time() {
    let target = Target::Null { size: 1 << 20 };
    let events = run_in(
        Nanos::from_millis(90),
        timed(target, EngineKind::Null, 0, 300),
    );
    assert!(processors(&events).is_empty());
    assert!(!samples(&events).is_empty());
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

fn workers(events: &[Event]) -> Vec<&WorkerTotals> {
    let mut all = Vec::new();
    for event in events {
        if let Event::WorkerEnded(totals) = event {
            all.push(&**totals);
        }
    }
    all
}

fn simulated(clones: u32, series: bool) -> Vec<Event> {
    let device = SimDevice::default();
    let mut w = timed(device.into(), EngineKind::Sim, 300, 2000);
    w.clones = clones;
    w.blocks_mut().mix = OpMix::mixed(70);
    w.report.worker_series = series;
    run(w)
}

#[test]
fn reads_and_writes_of_each_worker_sum_up_to_its_totals() {
    let events = simulated(3, true);
    let mut sums = vec![OpMap::<Moments>::default(); 3];
    for sample in samples(&events).into_iter().filter(|s| !s.warmup) {
        assert_eq!(sample.moments.len(), 3);
        for (worker, moments) in sample.moments.iter().enumerate() {
            let ios: u64 = moments.values().map(|m| m.ios).sum();
            assert_eq!(ios, sample.workers[worker].0);
            for (op, moments) in moments.iter() {
                sums[worker].entry(op).merge(moments);
            }
        }
    }
    for totals in workers(&events) {
        for op in [Op::Read, Op::Write] {
            let counts = totals.counts.op(op).unwrap();
            let sum = sums[totals.worker as usize].get(op).unwrap();
            assert!(counts.ios > 100);
            assert_eq!(
                (sum.ios, sum.sum, sum.min, sum.max),
                (
                    counts.ios,
                    counts.service.sum,
                    counts.service.min,
                    counts.service.max
                )
            );
        }
    }
}

#[test]
fn nothing_is_kept_by_worker_where_it_is_not_asked_for() {
    for events in [simulated(3, false), simulated(1, true)] {
        assert!(samples(&events).iter().all(|s| s.moments.is_empty()));
        assert!(cpus(&events).is_empty(), "a simulated run has no processor");
        assert!(processors(&events).is_empty());
    }
}

/// Two workers on two files, all I/Os counted by file.
fn by_file(choice: FileChoice) -> Vec<Event> {
    let dir = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|name| {
        let path = dir.path().join(name);
        std::fs::write(&path, vec![7; 1 << 20]).unwrap();
        path.display().to_string()
    });
    let mut w = timed(Target::Paths(paths.to_vec()), EngineKind::IoUring, 100, 500);
    (w.clones, w.depth) = (2, 6);
    w.blocks_mut().mix = OpMix::mixed(70);
    w.blocks_mut().access.order = Order::Random {
        every: 1,
        identical: false,
    };
    w.blocks_mut().access.draws = Draws::Diskspd;
    w.blocks_mut().access.file_choice = choice;
    (w.report.by_file, w.report.worker_series) = (true, true);
    run(w)
}

#[test]
fn what_each_file_got_sums_up_to_all() {
    for choice in [FileChoice::EachSlot, FileChoice::Random { ios: 1 }] {
        let events = by_file(choice);
        let mut series = [0_u64; 4];
        for sample in samples(&events).into_iter().filter(|s| !s.warmup) {
            assert_eq!(sample.moments.len(), 4, "by worker and file");
            for (sum, moments) in series.iter_mut().zip(&sample.moments) {
                *sum += moments.values().map(|m| m.ios).sum::<u64>();
            }
        }
        for totals in workers(&events) {
            assert_eq!(totals.files.len(), 2);
            let mut sum = Counts::default();
            totals.files.iter().for_each(|file| sum.merge(file));
            assert!(totals.files.iter().all(|f| f.data().ios > 50), "{choice:?}");
            for (own, all) in sum.ops.values_mut().zip(totals.counts.ops.values()) {
                // Beyond 2^53 a sum of squares depends on its order: latencies of a busy machine are that long.
                let (own, all) = (&mut own.service.sum_squares, all.service.sum_squares);
                assert!((*own / all - 1.0).abs() < 1e-12, "{own} {all}");
                *own = all;
            }
            assert_eq!(sum.ops, totals.counts.ops);
            let ios = totals.files.iter().map(|f| f.data().ios);
            let own = 2 * totals.worker as usize;
            assert!(ios.eq(series[own..own + 2].iter().copied()));
            // The sum of all latencies over the time is the mean depth: never more than asked for.
            let busy = totals.counts.data().service.sum as f64;
            let depth = busy / totals.window_end.since(totals.window_start).0 as f64;
            assert!((1.0..6.2).contains(&depth), "{choice:?}: {depth}");
        }
    }
}

#[test]
fn a_queue_that_cannot_be_shared_out_is_refused() {
    let mut w = timed(
        Target::Paths(vec!["/a".into(), "/b".into()]),
        EngineKind::IoUring,
        0,
        1,
    );
    (w.depth, w.blocks_mut().access.file_choice) = (3, FileChoice::EachSlot);
    let refused = try_run(Nanos::from_millis(200), w).unwrap_err().to_string();
    assert!(refused.contains("a queue depth of 3 cannot be divided evenly among 2 files"));
    assert!(
        refused.contains("only the DISKSPD access pattern supports"),
        "{refused}"
    );
}

/// What one worker on a file waited for.
fn waited(adjust: impl Fn(&mut Workload)) -> (WorkerTotals, u64) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    std::fs::write(&path, vec![7; 1 << 20]).unwrap();
    let target = Target::Paths(vec![path.display().to_string()]);
    let mut w = timed(target, EngineKind::IoUring, 200, 600);
    w.depth = 2;
    adjust(&mut w);
    let events = run(w);
    let totals = workers(&events)[0].clone();
    let ios = totals.counts.data_ios();
    (totals, ios)
}

#[test]
fn what_a_worker_waits_for_is_counted_over_its_window() {
    let (full, ios) = waited(|_| {});
    let waits = full.cpu.waits;
    assert!(
        (1..=ios + 2).contains(&waits.completions),
        "{waits:?} of {ios}"
    );
    assert_eq!((waits.paced, waits.sleeps, waits.looks), (0, 0, [0; 8]));
    let (paced, ios) = waited(|w| {
        w.pace = Pace::Open {
            rates: PerOp::splat(None),
            arrival: Arrival::Constant,
            together: Some(Rate::Iops(200.0)),
            schedule: Vec::new(),
        };
    });
    let waits = paced.cpu.waits;
    assert!((50..=125).contains(&ios), "{ios}");
    // Between two I/Os, 5 ms apart, the worker has none in flight, unless the file was slow for once; those of
    // the warm-up (40) are not counted.
    assert!(
        (ios / 2..=ios + 2).contains(&waits.sleeps),
        "{waits:?} of {ios}"
    );
    let looks: u64 = waits.looks.iter().sum();
    let (found, beside) = (looks - waits.looks[0], waits.paced + waits.completions);
    assert!(beside + found >= ios / 2, "{waits:?} of {ios}");
    assert!(waits.completions < ios / 2, "{waits:?} of {ios}");
}
