//! A run made by hand, the same every time, for the tests of this crate: each kind of workload the
//! renders must show, with samples and totals that agree with one another.
//!
//! Belongs here: building events from a few figures. Must never: be compiled into the product.

use crate::run::Run;
use leadline_model::event::{CpuInterval, CpuTime, DiskUse, Event, HostNews, HostState, Outcome};
use leadline_model::facts::{Fact, FactKey, FactValue};
use leadline_model::finding::{Finding, Severity};
use leadline_model::latency::Latency;
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::{
    Arrival, Dialect, EngineKind, FileSet, Given, OpMix, Order, Pace, Plan, Rate, Source, Stage,
    Target, Workload,
};
use leadline_model::sample::{
    Counts, CpuUse, EndReason, Moments, OpCounts, Sample, Waits, WorkerTotals,
};
use leadline_model::seed::SplitMix;
use leadline_model::units::{Bytes, Nanos};

/// Wall clock at the start of every fixture: 2026-01-02 03:04:05.678 UTC.
pub(crate) const WALL_MS: u64 = 1_767_323_045_678;

/// Numbers that look random, the same everywhere.
pub(crate) struct Rng(SplitMix);

impl Rng {
    /// The sequence of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix::new(seed))
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0.bits()
    }

    /// From `low` to `high - 1`.
    pub(crate) fn range(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low)
    }
}

/// One kind of operation of a [`Load`].
#[derive(Clone, Copy)]
pub(crate) struct OpLoad {
    /// Which.
    pub(crate) op: Op,
    /// I/Os of each worker in each interval.
    pub(crate) ios: u64,
    /// Bytes of each I/O.
    pub(crate) size: u64,
    /// Typical service latency in nanoseconds; drawn from 0.7 to 1.3 of it, one in 1000 is 20 times.
    pub(crate) typical: u64,
}

/// What the workers of one workload do, as figures.
#[derive(Clone)]
pub(crate) struct Load {
    /// Operations.
    pub(crate) ops: Vec<OpLoad>,
    /// Number of intervals, the warm-up's among them.
    pub(crate) intervals: u64,
    /// How many of them, at the front, are warm-up.
    pub(crate) warmup: u64,
    /// Intervals without any I/O.
    pub(crate) quiet: Vec<u64>,
    /// Whether there is an intended start: response and lag are then kept apart.
    pub(crate) open: bool,
    /// When each worker starts, from the start of the stage.
    pub(crate) starts: Vec<Nanos>,
    /// Changes the totals of every worker before they are sent, for tests of one finding.
    pub(crate) adjust: fn(&mut WorkerTotals),
}

impl Load {
    /// One worker, closed loop, no warm-up, one kind of operation.
    pub(crate) fn simple(op: Op, ios: u64, size: u64, typical: u64, intervals: u64) -> Self {
        Self {
            ops: vec![OpLoad {
                op,
                ios,
                size,
                typical,
            }],
            intervals,
            warmup: 0,
            quiet: Vec::new(),
            open: false,
            starts: vec![Nanos::ZERO],
            adjust: |_| {},
        }
    }
}

fn record(rng: &mut Rng, load: &OpLoad, open: bool, into: &mut Counts) {
    let factor = if rng.range(0, 1000) == 0 {
        20_000
    } else {
        rng.range(700, 1300)
    };
    let service = load.typical * factor / 1000;
    let counts = into.op_mut(load.op);
    counts.ios += 1;
    counts.bytes += load.size;
    counts.service.record(service);
    if open {
        let lag = rng.range(500, 4000);
        counts
            .response
            .get_or_insert_with(Latency::default)
            .record(service + lag);
        into.lag.get_or_insert_with(Latency::default).record(lag);
    }
    into.depths.level[0] += 1;
    into.depths.submit[1] += 1;
    into.depths.complete[1] += 1;
}

/// The events of one workload of a stage: interval samples, then the workers' ends.
pub(crate) fn workload_events(stage: u32, workload: u32, load: &Load) -> Vec<Event> {
    let mut rng = Rng::new(u64::from(stage) << 32 | u64::from(workload));
    let workers = load.starts.len();
    let mut totals = vec![Counts::default(); workers];
    let mut warm = vec![0_u64; workers];
    let mut events = Vec::new();
    for interval in 0..load.intervals {
        let warmup = interval < load.warmup;
        let mut merged = Counts::default();
        let (mut shares, mut moments) = (Vec::new(), Vec::new());
        for (worker, start) in load.starts.iter().enumerate() {
            let mut counts = Counts::default();
            let runs = start.0 <= interval * Nanos::SECOND.0 && !load.quiet.contains(&interval);
            for op in load.ops.iter().filter(|_| runs) {
                (0..op.ios).for_each(|_| record(&mut rng, op, load.open, &mut counts));
            }
            shares.push((counts.data().ios, counts.data().bytes));
            moments.push(counts.ops.map(|_, counts| {
                let mut own = Moments::default();
                own.add(counts);
                own
            }));
            merged.merge(&counts);
            if warmup {
                warm[worker] += counts.data().ios;
            } else {
                totals[worker].merge(&counts);
            }
        }
        for op in &load.ops {
            merged.op_mut(op.op);
        }
        events.push(Event::Interval(Box::new(Sample {
            host: 0,
            stage,
            workload,
            interval,
            start: Nanos::from_secs(interval),
            length: Nanos::SECOND,
            warmup,
            counts: merged,
            workers: shares,
            moments: if workers > 1 { moments } else { Vec::new() },
        })));
    }
    for (worker, counts) in totals.into_iter().enumerate() {
        let worker_number = u32::try_from(worker).unwrap();
        let mut total = worker_totals(load, stage, workload, worker_number, counts);
        total.warmup_ios = warm[worker];
        (load.adjust)(&mut total);
        events.push(Event::WorkerEnded(Box::new(total)));
    }
    events
}

fn worker_totals(
    load: &Load,
    stage: u32,
    workload: u32,
    worker: u32,
    counts: Counts,
) -> WorkerTotals {
    let start = load.starts[worker as usize];
    WorkerTotals {
        host: 0,
        stage,
        workload,
        worker,
        thread_id: 4200 + i32::try_from(worker).unwrap(),
        first_submit: Some(Nanos(start.0 + 1000)),
        window_start: start.max(Nanos::from_secs(load.warmup)),
        window_end: Nanos::from_secs(load.intervals),
        counts,
        warmup_ios: 0,
        unissued: 0,
        edge: 0,
        cpu: CpuUse {
            user: Nanos::from_millis(120),
            system: Nanos::from_millis(480),
            voluntary: 9000,
            involuntary: 7,
            major_faults: 0,
            minor_faults: 12,
            waiting: Nanos::from_millis(20),
            waits: Waits {
                completions: 300 + u64::from(worker),
                paced: 20,
                sleeps: 3,
                looks: [9, 5, 1, 0, 0, 0, 0, 2],
            },
        },
        seed: 0xfeed_beef_0000_0000 | u64::from(worker),
        errors: Vec::new(),
        end: EndReason::Time,
        files: Vec::new(),
    }
}

/// A workload on files of its own, with a fresh seed, direct, ended by time.
pub(crate) fn workload(name: &str, mix: OpMix, size: u64, depth: u32, seconds: u64) -> Workload {
    let target = Target::Files(FileSet {
        directories: vec!["demo".into()],
        pattern: "$jobname.$jobnum.$filenum".into(),
        count: 1,
        name_may_be_device: true,
    });
    let mut w = Workload::new(name, target);
    w.blocks_mut().mix = mix;
    w.blocks_mut().sizes = leadline_model::plan::BlockSizes::fixed(size);
    w.depth = depth;
    w.blocks_mut().open.direct = true;
    w.blocks_mut().access.order = Order::Random {
        every: 1,
        identical: false,
    };
    w.stop.time_based = true;
    w.stop.runtime = Some(Nanos::from_secs(seconds));
    w.engine.kind = EngineKind::IoUring;
    let given = |name: &str, value: String| Given {
        name: name.into(),
        value,
    };
    w.given = vec![
        given(
            "rw",
            if mix == OpMix::reads() {
                "randread"
            } else {
                "randrw"
            }
            .into(),
        ),
        given("bs", size.to_string()),
        given("iodepth", depth.to_string()),
        given("time_based", String::new()),
        given("runtime", seconds.to_string()),
    ];
    w
}

/// A plan of these stages, with a name for each.
pub(crate) fn plan(stages: Vec<(&str, Vec<Workload>)>) -> Plan {
    Plan {
        so_far_every: None,
        hosts: Vec::new(),
        title: "fixture".into(),
        source: Source {
            dialect: Dialect::Fio,
            args: vec!["--direct=1".into(), "fixture job.fio".into()],
            files: vec![("fixture job.fio".into(), "[latency]\nrw=randread\n".into())],
        },
        given: vec![Given {
            name: "direct".into(),
            value: "1".into(),
        }],
        interval: Nanos::SECOND,
        stages: stages
            .into_iter()
            .map(|(name, workloads)| Stage {
                name: name.into(),
                pause: Nanos::ZERO,
                workloads,
                ..Stage::default()
            })
            .collect(),
        read_only: false,
        destroy: Vec::new(),
    }
}

/// All events of a run of `plan` in which each workload does its `loads` (by stage, by workload).
pub(crate) fn events_of(plan: Plan, loads: &[Vec<Load>]) -> Vec<Event> {
    let mut events = vec![
        Event::RunStarted {
            plan: Box::new(plan),
            wall_ms: WALL_MS,
        },
        Event::Facts(facts()),
    ];
    let mut at = Nanos::from_millis(5);
    for (stage, loads) in (0_u32..).zip(loads) {
        let wall_ms = WALL_MS + at.as_millis();
        events.push(Event::StageStarted { stage, at, wall_ms });
        let length = loads.iter().map(|l| l.intervals).max().unwrap_or(0);
        for (workload, load) in (0_u32..).zip(loads) {
            events.extend(workload_events(stage, workload, load));
        }
        at = Nanos(at.0 + length * Nanos::SECOND.0);
        let disks = vec![disk(length)];
        events.push(Event::StageEnded {
            stage,
            at,
            disks,
            cpus: cpus(length),
        });
    }
    events.push(Event::RunEnded {
        at,
        outcome: Outcome::Complete,
    });
    events
}

/// Two processors, half and three quarters busy.
fn cpus(seconds: u64) -> Vec<CpuTime> {
    let cpu = |number, user, kernel| CpuTime {
        cpu: number,
        user: Nanos::from_millis(user * seconds),
        kernel: Nanos::from_millis(kernel * seconds),
        idle: Nanos::from_millis((900 - user - kernel) * seconds),
        wait: Nanos::from_millis(99 * seconds),
        steal: Nanos::from_millis(seconds),
        span: Nanos::from_secs(seconds),
        host: 0,
    };
    vec![cpu(0, 100, 400), cpu(1, 250, 500)]
}

/// One second of the two, all in all 2 s: busier from interval to interval, by 1 % in user mode.
pub(crate) fn processors(host: u32, stage: u32, interval: u64) -> Event {
    let user = 100 + 20 * interval;
    Event::Processors(Box::new(CpuInterval {
        host,
        stage,
        interval,
        cpus: 2,
        user: Nanos::from_millis(user),
        kernel: Nanos::from_millis(900),
        idle: Nanos::from_millis(800 - user),
        wait: Nanos::from_millis(198),
        steal: Nanos::from_millis(102),
    }))
}

fn disk(seconds: u64) -> DiskUse {
    DiskUse {
        host: 0,
        name: "vda".into(),
        ios: [1000 * seconds, 300 * seconds],
        merges: [0, 5],
        sectors: [8000 * seconds, 2400 * seconds],
        ticks_ms: [700 * seconds, 200 * seconds],
        busy_ms: 950 * seconds,
        queue_ms: 900 * seconds,
        span_ms: 1000 * seconds,
    }
}

fn facts() -> Vec<Fact> {
    vec![
        Fact::new(FactKey::HOST_NAME, "", "pelican"),
        Fact::new(("kernel", "release"), "", "6.18.0"),
        Fact::new(("cpu", "model"), "", "Example 9000"),
        Fact::new(FactKey::CPU_COUNT, "", FactValue::Count(2)),
        Fact::new(FactKey::MEMORY, "", Bytes(24 << 30)),
        Fact::new(FactKey::FILE_SYSTEM, "demo", "ext4"),
        Fact::new(("mount", "options"), "demo", "rw,relatime"),
        Fact::new(("device", "scheduler"), "vda", "none"),
        Fact::new(FactKey::VERSION, "", "0.1.0"),
    ]
}

/// The run every render is tested on: `latency` (one reader at depth 1, with a warm-up second and a
/// second of stall) and `mixed` (two rate-limited writers beside a free mixed workload at depth 8
/// that has syncs).
pub(crate) fn events() -> Vec<Event> {
    let latency = workload("latency", OpMix::reads(), 4096, 1, 7);
    let mut paced = workload("paced", OpMix::Only(Op::Write), 16384, 4, 5);
    paced.group = 1;
    paced.clones = 2;
    paced.merge_group = true;
    paced.given[0].value = "randwrite".into();
    paced.pace = Pace::Open {
        together: None,
        course: Vec::new(),
        rates: PerOp {
            read: None,
            write: Some(Rate::Iops(500.0)),
            trim: None,
        },
        arrival: Arrival::Constant,
    };
    let mut free = workload("free", OpMix::mixed(70), 4096, 8, 5);
    free.group = 2;
    free.description = Some("a free <reader> & writer".into());
    free.blocks_mut().sync.fsync_every = 100;
    let plan = plan(vec![
        ("latency", vec![latency]),
        ("mixed", vec![paced, free]),
    ]);

    let mut first = Load::simple(Op::Read, 2500, 4096, 380_000, 8);
    first.warmup = 1;
    first.quiet = vec![5];
    let mut writers = Load::simple(Op::Write, 500, 16384, 900_000, 5);
    writers.open = true;
    writers.starts = vec![Nanos::ZERO, Nanos::ZERO];
    writers.adjust = |w| w.counts.late = 3;
    let mut mixed = Load::simple(Op::Read, 2800, 4096, 2_000_000, 5);
    mixed.ops.push(OpLoad {
        op: Op::Write,
        ios: 1200,
        size: 4096,
        typical: 1_700_000,
    });
    mixed.ops.push(OpLoad {
        op: Op::Sync,
        ios: 12,
        size: 0,
        typical: 5_000_000,
    });
    let mut events = events_of(plan, &[vec![first], vec![writers, mixed]]);
    let last = events.len() - 1;
    events.insert(
        last,
        Event::Finding(Finding {
            code: "holes".into(),
            severity: Severity::Warn,
            stage: Some(0),
            workload: Some(0),
            text: "12 % of demo/latency.0.0 are unwritten extents: reading them asks no device"
                .into(),
            cure: "Let leadline lay out the file, or write it once before reading.".into(),
        }),
    );
    events
}

/// The run of [`events`].
pub(crate) fn run() -> Run {
    run_of(&events())
}

/// A run over three hosts, `a`, `b` and `c`: `shared` is a reader on each of them, `own` a writer on each
/// with a target of its own.
pub(crate) fn hosts_events() -> Vec<Event> {
    let shared = workload("shared", OpMix::reads(), 4096, 4, 5);
    let own = |name: &str, host| {
        let mut w = workload(name, OpMix::Only(Op::Write), 8192, 2, 4);
        w.blocks_mut().target = Target::Paths(vec![format!("/data/{name}")]);
        w.host = Some(host);
        w
    };
    let mut plan = plan(vec![
        ("shared", vec![shared]),
        ("own", vec![own("wa", 0), own("wb", 1), own("wc", 2)]),
    ]);
    plan.hosts = ["a", "b", "c"]
        .map(leadline_model::plan::HostSpec::local)
        .to_vec();
    let loads = [
        vec![Load::simple(Op::Read, 400, 4096, 2_500_000, 5)],
        (0..3)
            .map(|_| Load::simple(Op::Write, 300, 8192, 900_000, 4))
            .collect(),
    ];
    let mut events = Vec::new();
    for event in events_of(plan, &loads) {
        spread(&event, &mut events);
    }
    let names = (0_u32..).zip(["a", "b", "c"]);
    let connected = names.map(|(host, name)| HostState::Connected {
        hostname: format!("{name}.example"),
        clock_offset: -1500 * i64::from(host),
        offset_bound: 40_000,
    });
    for (host, what) in (0_u32..).zip(connected) {
        let at = Nanos::from_millis(1);
        let news = HostNews { host, at, what };
        events.insert(2 + host as usize, Event::Host(Box::new(news)));
    }
    events
}

/// An event of one host as that of each host it is about.
fn spread(event: &Event, out: &mut Vec<Event>) {
    let (stage, workload) = match event {
        Event::Interval(s) => (s.stage, s.workload),
        Event::WorkerEnded(w) => (w.stage, w.workload),
        other => return out.push(other.clone()),
    };
    let hosts = if stage == 0 {
        0..3
    } else {
        workload..workload + 1
    };
    for host in hosts {
        let mut event = event.clone();
        match &mut event {
            Event::Interval(sample) => sample.host = host,
            Event::WorkerEnded(totals) => totals.host = host,
            _ => {}
        }
        out.push(event);
    }
}

/// The run of [`hosts_events`].
pub(crate) fn hosts_run() -> Run {
    run_of(&hosts_events())
}

/// As [`hosts_run`], and host `b` is lost after two of four intervals of the second stage.
pub(crate) fn hosts_run_with_a_loss() -> Run {
    let mut events = hosts_events();
    events.retain(|event| match event {
        Event::Interval(s) => s.stage == 0 || s.host != 1 || s.interval < 2,
        Event::WorkerEnded(w) => w.stage == 0 || w.host != 1,
        _ => true,
    });
    let lost = HostNews {
        host: 1,
        at: Nanos::from_secs(8),
        what: HostState::Lost {
            stage: Some(1),
            why: "killed".into(),
        },
    };
    events.push(Event::Host(Box::new(lost)));
    run_of(&events)
}

/// As [`run`], and all workers of the second stage's second workload count by the files `/data/x` and
/// `/data/y`: a quarter of the reads went to the first, all else to the other, with an error.
pub(crate) fn files_run() -> Run {
    let mut run = run();
    if let Some(plan) = &mut run.plan {
        let workload = &mut plan.stages[1].workloads[1];
        workload.blocks_mut().target = Target::Paths(vec!["/data/x".into(), "/data/y".into()]);
        workload.report.by_file = true;
    }
    for worker in run.stages[1].workers.iter_mut().filter(|w| w.workload == 1) {
        let (mut first, mut second) = (Counts::default(), worker.counts.clone());
        let read = second.op_mut(Op::Read);
        let mut quarter = OpCounts {
            ios: read.ios / 4,
            bytes: read.bytes / 4,
            ..OpCounts::default()
        };
        (0..quarter.ios).for_each(|_| quarter.service.record(100_000));
        read.ios -= quarter.ios;
        read.bytes -= quarter.bytes;
        read.errors = 1;
        *first.op_mut(Op::Read) = quarter;
        worker.files = vec![first, second];
    }
    run
}

/// What these events make.
pub(crate) fn run_of(events: &[Event]) -> Run {
    let mut run = Run::default();
    events.iter().for_each(|event| run.apply(event));
    run
}
