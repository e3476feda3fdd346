//! Recorded blunders of the field that no run of some seconds makes wherever the tests run, each made by hand from a sound
//! run: the finding that names it, its cure, and the grade. Those that a run makes are in
//! `crates/cli/tests/it/honesty/blunders.rs`.
//!
//! The first column says in what kind of text the blunder keeps coming back. Must never: assert a finding that the run
//! without the blunder has.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use leadline_model::event::{HostNews, HostState};
use leadline_model::op::Op;
use leadline_model::plan::{Amount, BlockSizes, EngineKind, OpMix, Order, Workload};
use leadline_model::sample::{OpCounts, WorkerTotals};
use leadline_model::units::Nanos;
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
    let seconds = 120;
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

/// Gives each interval the reads that `rate` says of it.
fn over_time(run: &mut Run, rate: fn(u64) -> u64) {
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

const BLUNDERS: [Blunder; 6] = [
    (
        "rankings",
        "reads faster than a network",
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
        "storage reviews",
        "first writes for overwrites",
        || {
            with(|run| {
                over_time(run, |at| if at < 40 { 1000 } else { 2000 });
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
];

#[test]
fn each_blunder_is_named_with_its_cure_and_graded() {
    let mut wrong = Vec::new();
    for (source, what, build, code, cure, letter) in BLUNDERS {
        let run = build();
        let clean = match run.plan.as_ref().unwrap().hosts.is_empty() {
            true => sound(),
            false => fixture::hosts_run(),
        };
        let before = trust::findings(&clean);
        assert!(
            before.iter().all(|f| f.code != code),
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
