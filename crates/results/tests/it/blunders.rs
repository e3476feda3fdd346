//! Recorded blunders of the field, each rebuilt as a run: the finding that names it, its cure, and the grade.
//!
//! The first column says where the blunder was recorded: issues of benchmarks and rankings by project and number, else
//! the kind of text in which it keeps coming back. Must never: assert a finding that the run without the blunder has.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use leadline_model::error_code::ErrorCode;
use leadline_model::event::{HostNews, HostState};
use leadline_model::failure::Failure;
use leadline_model::latency::Latency;
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::{
    Amount, Arrival, BlockSizes, Coverage, EngineKind, Fill, OpMix, Order, Pace, Rate, Refresh,
    Target, Workload,
};
use leadline_model::sample::{EndReason, OpCounts, WorkerTotals};
use leadline_model::units::{Bytes, Nanos};
use leadline_results::fixture::{self, Load};
use leadline_results::run::Run;
use leadline_results::trust;
use leadline_results::trust::grade::Grades;

/// A blunder: where it was recorded, what it was, the run with it, the code that names it, words of the cure, the grade.
type Blunder = (
    &'static str,
    &'static str,
    fn() -> Run,
    &'static str,
    &'static str,
    char,
);

/// Two minutes of 2000 direct random reads a second of 4 KiB and 1 ms, two in flight: nothing is wrong with it.
fn sound() -> Run {
    sound_for(120)
}

/// The same for this many seconds.
fn sound_for(seconds: u64) -> Run {
    let plan = fixture::workload("w", OpMix::reads(), 4096, 2, seconds);
    let load = Load::simple(Op::Read, 2000, 4096, 1_000_000, seconds + 1);
    let plan = fixture::plan(vec![("s", vec![plan])]);
    fixture::run_of(&fixture::events_of(plan, &[vec![load]]))
}

/// The sound run, changed.
fn with(change: impl FnOnce(&mut Run)) -> Run {
    let mut run = sound();
    change(&mut run);
    run
}

fn plan(run: &mut Run) -> &mut Workload {
    &mut run.plan.as_mut().unwrap().stages[0].workloads[0]
}

fn worker(run: &mut Run) -> &mut WorkerTotals {
    &mut run.stages[0].workers[0]
}

fn reads(run: &mut Run) -> &mut OpCounts {
    worker(run).counts.op_mut(Op::Read)
}

/// Turns what was read into writes.
fn as_writes(run: &mut Run) {
    plan(run).blocks_mut().mix = OpMix::Only(Op::Write);
    let turn = |counts: &mut leadline_model::sample::Counts| {
        let done = std::mem::take(counts.op_mut(Op::Read));
        *counts.op_mut(Op::Write) = done;
    };
    run.stages[0]
        .workers
        .iter_mut()
        .for_each(|w| turn(&mut w.counts));
    run.stages[0]
        .samples
        .iter_mut()
        .for_each(|s| turn(&mut s.counts));
}

fn at_rate(run: &mut Run, rate: Rate) {
    plan(run).pace = Pace::Open {
        together: None,
        schedule: Vec::new(),
        rates: PerOp {
            read: Some(rate),
            write: None,
            trim: None,
        },
        arrival: Arrival::Constant,
    };
}

fn asked_bytes(times: f64) -> Run {
    with(|run| {
        let asked = Bytes(leadline_model::units::whole(2000.0 * 4096.0 * times));
        at_rate(run, Rate::Bytes(asked.0));
    })
}

/// Gives each interval the reads that `rate` says of it.
fn course(run: &mut Run, rate: fn(u64) -> u64) {
    for (at, sample) in (0..).zip(&mut run.stages[0].samples) {
        sample.counts.op_mut(Op::Read).ios = rate(at);
    }
}

/// Three hosts with the same work, changed.
fn hosts(change: impl FnOnce(&mut Run)) -> Run {
    let mut run = fixture::hosts_run();
    change(&mut run);
    run
}

fn beside_one_alone() -> Run {
    let plan = fixture::plan(vec![
        (
            "alone",
            vec![fixture::workload("a", OpMix::reads(), 4096, 1, 10)],
        ),
        (
            "deep",
            vec![fixture::workload("d", OpMix::reads(), 4096, 3600, 10)],
        ),
    ]);
    let loads = [
        vec![Load::simple(Op::Read, 980, 4096, 1_000_000, 10)],
        vec![Load::simple(Op::Read, 3000, 4096, 1_200_000_000, 10)],
    ];
    fixture::run_of(&fixture::events_of(plan, &loads))
}

const CACHES: [Blunder; 7] = [
    (
        "IO500 #109",
        "cached reads in a ranking",
        || {
            with(|run| {
                fixture::on_file_system(run, "nfs4");
                let hits = reads(run).ios;
                reads(run).service.record_many(3_000, hits);
                reads(run).ios += hits;
            })
        },
        "impossible-latency",
        "Use O_DIRECT",
        'F',
    ),
    (
        "IO500 #88",
        "a data set that the memory holds",
        || {
            with(|run| {
                plan(run).blocks_mut().open.direct = false;
                plan(run).blocks_mut().region.size = Some(Amount::Bytes(16 << 30));
            })
        },
        "fits-memory",
        "at least twice the memory",
        'C',
    ),
    (
        "cloud documentation",
        "the offsets of the run before",
        || {
            with(|run| {
                plan(run).blocks_mut().access.seed = Some(0x8989);
            })
        },
        "repeated-offsets",
        "fresh seed",
        'C',
    ),
    (
        "storage reviews",
        "hits and misses as one latency",
        || {
            with(|run| {
                let counts = reads(run);
                let hits = counts.ios * 3 / 10;
                counts.service.clear();
                counts.service.record_many(50_000, hits);
                counts.service.record_many(1_000_000, counts.ios - hits);
            })
        },
        "mixture",
        "several times as large as the cache",
        'B',
    ),
    (
        "vendor papers",
        "a data set of which a hundredth is touched",
        || {
            with(|run| {
                plan(run).blocks_mut().region.size = Some(Amount::Bytes(100 << 30));
                plan(run).blocks_mut().access.coverage = Coverage::WithRepeats;
            })
        },
        "coverage",
        "how much of the data set was accessed",
        'A',
    ),
    (
        "copied dd lines",
        "the page cache as a disk",
        || {
            with(|run| {
                as_writes(run);
                plan(run).blocks_mut().open.direct = false;
            })
        },
        "never-flushed",
        "flush at the end",
        'B',
    ),
    (
        "storage reviews",
        "first writes for overwrites",
        || {
            with(|run| {
                course(run, |at| if at < 40 { 1000 } else { 2000 });
                as_writes(run);
                for sample in &mut run.stages[0].samples {
                    let counts = sample.counts.op_mut(Op::Write);
                    counts.bytes = counts.ios * 4096;
                }
                let blocks = plan(run).blocks_mut();
                blocks.access.order = Order::Sequential { skip: 0 };
                blocks.sizes = BlockSizes::fixed(65_536);
                blocks.region.size = Some(Amount::Bytes(40 * 1000 * 4096));
            })
        },
        "first-pass",
        "Write the whole set once",
        'B',
    ),
];

const DATA: [Blunder; 3] = [
    (
        "default patterns",
        "zeros as payload",
        || {
            with(|run| {
                as_writes(run);
                plan(run).blocks_mut().payload.fill = Fill::Zero;
            })
        },
        "compressible-payload",
        "Use random data",
        'C',
    ),
    (
        "default patterns",
        "one buffer for all writes",
        || {
            with(|run| {
                as_writes(run);
                plan(run).blocks_mut().payload.refresh = Refresh::Never;
            })
        },
        "repeated-payload",
        "new data in each write",
        'C',
    ),
    (
        "forum posts",
        "errors as fast I/O",
        || with(|run| reads(run).errors = 3),
        "io-errors",
        "Check the kernel log",
        'F',
    ),
];

const TIME: [Blunder; 8] = [
    (
        "cloud documentation",
        "a burst as sustained",
        || {
            with(|run| {
                course(run, |at| if at < 60 { 3500 } else { 500 });
            })
        },
        "level-shift",
        "Report both levels",
        'B',
    ),
    (
        "cloud documentation",
        "a size that ends in four seconds of ten minutes",
        || {
            with(|run| {
                plan(run).stop.runtime = Some(Nanos::from_secs(600));
                worker(run).end = EndReason::Size;
            })
        },
        "ended-by-size",
        "until the time is up",
        'F',
    ),
    (
        "cloud documentation",
        "thirty seconds",
        || sound_for(29),
        "window-short",
        "several minutes",
        'A',
    ),
    (
        "storage reviews",
        "a warm-up in the window",
        || {
            with(|run| {
                course(run, |at| if at < 5 { 1000 } else { 2000 });
            })
        },
        "warm-up",
        "warm-up that is longer",
        'B',
    ),
    (
        "SSD reviews",
        "a drive that was not preconditioned",
        || {
            with(|run| {
                course(run, |at| 3000 - 5 * at + 5 * (at % 7));
            })
        },
        "drift",
        "written twice over",
        'B',
    ),
    (
        "file system papers",
        "checkpoints averaged away",
        || {
            with(|run| {
                course(run, |at| if at % 15 == 3 { 800 } else { 2000 });
            })
        },
        "period",
        "many of its periods",
        'B',
    ),
    (
        "storage reviews",
        "a standstill averaged away",
        || {
            with(|run| {
                course(run, |at| if at % 60 == 7 { 0 } else { 2000 });
            })
        },
        "stall",
        "chart over time",
        'B',
    ),
    (
        "vendor papers",
        "a percentile without samples",
        || {
            with(|run| {
                plan(run).percentiles = vec![99.999];
            })
        },
        "tail-undersampled",
        "samples above p99.999 take",
        'A',
    ),
];

const LOAD: [Blunder; 11] = [
    (
        "elbencho #103",
        "a latency of 0 us under a rate limit",
        || {
            with(|run| {
                at_rate(run, Rate::Iops(2000.0));
                let counts = reads(run);
                counts.service.clear();
                counts.service.record_many(0, counts.ios);
            })
        },
        "latency-zero",
        "clock runs",
        'F',
    ),
    (
        "kubestr #68",
        "latencies switched off in a published default",
        || {
            with(|run| {
                plan(run).report.lat = false;
                plan(run).report.clat = false;
            })
        },
        "latencies-hidden",
        "together with their latency",
        'A',
    ),
    (
        "copied job files",
        "psync with a depth of 32",
        || {
            with(|run| {
                plan(run).engine.kind = EngineKind::Psync;
                plan(run).depth = 32;
                plan(run).clones = 2;
            })
        },
        "depth-ignored",
        "asynchronous engine",
        'B',
    ),
    (
        "cloud documentation",
        "3,600 in flight where three are enough",
        beside_one_alone,
        "over-deep",
        "Do not quote this latency",
        'B',
    ),
    (
        "cloud documentation",
        "MB for MiB",
        || asked_bytes(1.048_576),
        "unit-slip",
        "same unit",
        'B',
    ),
    (
        "cloud documentation",
        "4.5 GiB for 4,500 MiB",
        || asked_bytes(1.024),
        "unit-slip",
        "same unit",
        'B',
    ),
    (
        "dd lines",
        "throughput in blocks of 4 KiB",
        || {
            with(|run| {
                plan(run).blocks_mut().access.order = Order::Sequential { skip: 0 };
            })
        },
        "small-blocks",
        "64 KiB or more",
        'B',
    ),
    (
        "Azure NetApp Files recommendations",
        "one file for sixteen workers",
        || {
            with(|run| {
                fixture::on_file_system(run, "nfs");
                plan(run).clones = 16;
                plan(run).blocks_mut().target = Target::Paths(vec!["/mnt/f".to_owned()]);
            })
        },
        "single-file",
        "file of its own",
        'B',
    ),
    (
        "Tene 2013",
        "what was submitted late, left out",
        || {
            with(|run| {
                at_rate(run, Rate::Iops(2000.0));
                let mut lag = Latency::default();
                lag.record(5_000_000);
                worker(run).counts.lag = Some(lag);
                worker(run).counts.late = 9000;
            })
        },
        "late-io",
        "use response latency",
        'B',
    ),
    (
        "Schroeder 2006",
        "the latency of a saturated point at a rate",
        || {
            with(|run| {
                at_rate(run, Rate::Iops(3000.0));
            })
        },
        "rate-not-reached",
        "lower the rate",
        'B',
    ),
    (
        "storage reviews",
        "a rate of depth one",
        || {
            with(|run| {
                plan(run).depth = 8;
            })
        },
        "depth-not-reached",
        "more workers",
        'B',
    ),
];

const HOSTS: [Blunder; 7] = [
    (
        "ior #356",
        "slow clients in a total",
        || {
            hosts(|run| {
                for worker in run.stages[0].workers.iter_mut().filter(|w| w.host == 2) {
                    worker.counts.op_mut(Op::Read).ios /= 2;
                }
            })
        },
        "imbalance",
        "differences in processor",
        'B',
    ),
    (
        "dashboards",
        "an averaged p95",
        || {
            hosts(|run| {
                let slow = run.stages[0].workers.iter_mut().filter(|w| w.host == 2);
                for worker in slow {
                    let counts = worker.counts.op_mut(Op::Read);
                    counts.service.clear();
                    counts.service.record_many(25_000_000, counts.ios);
                }
            })
        },
        "percentiles-apart",
        "merged histograms",
        'B',
    ),
    (
        "scripts with ssh",
        "hosts that ran one after the other",
        || {
            hosts(|run| {
                for worker in &mut run.stages[0].workers {
                    let start = Nanos::from_secs(5 * u64::from(worker.host));
                    worker.first_submit = Some(start);
                    worker.window_start = start;
                    worker.window_end = Nanos(start.0 + Nanos::from_secs(5).0);
                }
            })
        },
        "skew",
        "same run time",
        'B',
    ),
    (
        "scripts with ssh",
        "a client that began late",
        || {
            hosts(|run| {
                run.hosts.push(HostNews {
                    host: 2,
                    at: Nanos::from_secs(1),
                    what: HostState::Started {
                        stage: 0,
                        late: 250_000_000,
                    },
                });
            })
        },
        "start-late",
        "longer run",
        'B',
    ),
    (
        "IO500 submissions",
        "a client that was lost",
        || {
            hosts(|run| {
                let (stage, why) = (Some(0), Failure::new(ErrorCode::HostLost, "killed", ""));
                run.hosts.push(HostNews {
                    host: 1,
                    at: Nanos::from_secs(3),
                    what: HostState::Lost { stage, why },
                });
            })
        },
        "host-lost",
        "same hosts",
        'F',
    ),
    (
        "storage reviews",
        "the generator's processor as the target",
        || {
            with(|run| {
                worker(run).cpu.system = Nanos::from_secs(118);
            })
        },
        "generator-cpu",
        "more workers on more cores",
        'F',
    ),
    (
        "shared machines",
        "a full host",
        || {
            with(|run| {
                for cpu in &mut run.stages[0].cpus {
                    (cpu.user, cpu.kernel) = (Nanos::from_secs(115), Nanos::ZERO);
                    (cpu.idle, cpu.wait) = (Nanos::from_secs(5), Nanos::ZERO);
                    cpu.steal = Nanos::ZERO;
                }
            })
        },
        "host-busy",
        "Stop other programs",
        'F',
    ),
];

#[test]
fn each_blunder_is_named_with_its_cure_and_graded() {
    let all: Vec<Blunder> = CACHES
        .into_iter()
        .chain(DATA)
        .chain(TIME)
        .chain(LOAD)
        .chain(HOSTS)
        .collect();
    assert!(all.len() >= 25);
    let mut wrong = Vec::new();
    for (source, what, build, code, cure, letter) in all {
        let run = build();
        let clean = match run.plan.as_ref().unwrap().hosts.is_empty() {
            true => sound(),
            false => fixture::hosts_run(),
        };
        // Of a minute and more, the far tail alone is thin in any case.
        let is_always =
            code == "tail-undersampled" || (code == "window-short" && !run.hosts.is_empty());
        let before = trust::findings(&clean);
        assert!(
            is_always || before.iter().all(|f| f.code != code),
            "{source}: {code} is said of a sound run"
        );
        let found = trust::findings(&run);
        let grade = Grades::of_findings(&run, &found).run;
        let named = found.iter().find(|f| f.code == code);
        let cured = named.is_some_and(|f| f.cure.text.contains(cure));
        if !cured || grade.letter != letter {
            let codes: Vec<&str> = found.iter().map(|f| f.code.as_str()).collect();
            wrong.push(format!(
                "{source}: {what}: {code} is {named:?} among {codes:?}, grade {} ({})",
                grade.letter, grade.reason
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
