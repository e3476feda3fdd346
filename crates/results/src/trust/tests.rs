//! Each check is made to fire and kept silent.

use super::*;
use crate::fixture::{self, Load};
use leadline_model::cure::{Cure, Knob};
use leadline_model::error_code::ErrorCode;
use leadline_model::event::Outcome;
use leadline_model::facts::{Fact, FactKey, FactValue};
use leadline_model::failure::Failure;
use leadline_model::latency::Latency;
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::{
    Admission, Amount, BorrowableDepth, Fill, OpMix, Pace, Rate, Refresh, ShareWeight, Think,
};
use leadline_model::sample::{Counts, EndReason};
use leadline_model::units::{Bytes, Nanos, Percent};

/// A minute and more of 2000 reads a second of 1 ms at depth 2: nothing to be said but of the tail.
fn sound() -> Run {
    let plan = fixture::workload("w", OpMix::reads(), 4096, 2, 60);
    let load = Load::simple(Op::Read, 2000, 4096, 1_000_000, 61);
    run(plan, &load)
}

fn run(plan: Workload, load: &Load) -> Run {
    let plan = fixture::plan(vec![("s", vec![plan])]);
    fixture::run_of(&fixture::events_of(plan, &[vec![load.clone()]]))
}

fn plan(run: &mut Run) -> &mut Workload {
    &mut run.plan.as_mut().unwrap().stages[0].workloads[0]
}

fn worker(run: &mut Run) -> &mut WorkerTotals {
    &mut run.stages[0].workers[0]
}

fn find(run: &Run, code: &str) -> Option<Finding> {
    findings(run).into_iter().find(|f| f.code == code)
}

/// Changes a sound run so that `code` fires with this severity and these words.
fn fires(code: &str, severity: Severity, words: &str, change: impl FnOnce(&mut Run)) {
    let mut run = sound();
    assert_eq!(find(&run, code), None, "{code} fires on a sound run");
    change(&mut run);
    let Some(finding) = find(&run, code) else {
        panic!("{code} is silent; found {:#?}", findings(&run));
    };
    assert_eq!(finding.severity, severity, "{finding:?}");
    assert!(finding.text.contains(words), "{}", finding.text);
    assert!(!finding.cure.text.is_empty());
    // What its severity means is among what its kind is said to mean.
    let kind = leadline_model::finding::FindingKind::named(code).unwrap();
    assert!(
        kind.effects.contains(&finding.effect()),
        "{code}: {:?}",
        finding.effect()
    );
}

/// Changes a sound run so that `code` nearly fires, and does not.
fn silent(code: &str, change: impl FnOnce(&mut Run)) {
    let mut run = sound();
    change(&mut run);
    assert_eq!(find(&run, code), None);
}

#[test]
fn a_cure_reads_well_alone_and_says_what_to_turn_as_data() {
    use leadline_model::cure::Knob;
    let mut run = fixture::run();
    run.plan.as_mut().unwrap().stages[0].workloads[0]
        .blocks_mut()
        .access
        .seed = Some(0);
    let found = super::findings(&run);
    let finding = found.into_iter().find(|f| f.code == "repeated-offsets");
    let cure = finding.unwrap().cure;
    assert_eq!(cure.text, "For a cold-cache result, use a fresh seed.");
    assert_eq!(cure.knobs, [Knob::FreshSeed]);
}

#[test]
fn a_sound_run_has_nothing_said_but_of_its_far_tail() {
    let codes: Vec<_> = findings(&sound())
        .into_iter()
        .map(|f| (f.code, f.severity))
        .collect();
    assert_eq!(codes, [("tail-undersampled".to_owned(), Severity::Info)]);
}

#[test]
fn what_the_run_holds_already_is_not_repeated() {
    let mut run = sound();
    run.findings = findings(&run);
    assert_eq!(findings(&run), []);
}

#[test]
fn a_failed_run_is_cured_by_what_cures_its_failure() {
    let cure_of = |cure: Cure| {
        let mut run = sound();
        run.outcome = Some(Outcome::Failed(Failure::new(ErrorCode::Io, "what", cure)));
        let found = findings(&run);
        let failed = found.iter().find(|f| f.code == "run-failed");
        failed.unwrap().cure.clone()
    };
    let own = Cure::from(("free some", [Knob::Size]));
    assert_eq!(cure_of(own.clone()), own);
    let general = cure_of(Cure::none()).text;
    assert!(general.starts_with("Figures cover"), "{general}");
}

#[test]
fn outcome() {
    fires("cut-short", Severity::Warn, "after 61.0 s", |r| {
        r.outcome = Some(Outcome::CutShort)
    });
    fires("not-finished", Severity::Warn, "up to 61.0 s", |r| {
        r.outcome = None
    });
    fires("run-failed", Severity::Fail, "no space", |r| {
        r.outcome = Some(Outcome::Failed(Failure::new(
            ErrorCode::NoSpace,
            "no space",
            ("free some", [Knob::Size]),
        )));
    });
}

#[test]
fn nothing_measured() {
    let in_warmup = |r: &mut Run| {
        let worker = worker(r);
        worker.warmup_ios = worker.counts.data_ios();
        worker.counts = Counts::default();
        worker.window_end = Nanos::from_secs(2);
    };
    fires(
        "nothing-measured",
        Severity::Warn,
        "in the warm-up",
        in_warmup,
    );
    fires("nothing-measured", Severity::Warn, "none was due", |r| {
        worker(r).counts = Counts::default();
    });
    silent("nothing-measured", |r| {
        in_warmup(r);
        worker(r).end = EndReason::Interrupted;
    });
    silent("nothing-measured", |r| {
        in_warmup(r);
        plan(r).blocks_mut().prepare.create_only = true;
    });
}

#[test]
fn errors_and_short_io() {
    fires(
        "io-errors",
        Severity::Fail,
        "3 of 122,003 I/Os failed (read: Input/output error 3 times)",
        |r| {
            worker(r).counts.op_mut(Op::Read).errors = 3;
            worker(r).errors = vec![(Op::Read, 5, 2), (Op::Read, 5, 1)];
        },
    );
    fires(
        "io-errors",
        Severity::Fail,
        "0 of 122,000 I/Os failed, and 1 before the measured window (read: Input",
        |r| worker(r).errors = vec![(Op::Read, 5, 1)],
    );
    fires(
        "io-errors",
        Severity::Fail,
        "A worker ended with an error: read of /x failed",
        |r| {
            worker(r).end = EndReason::failed(ErrorCode::Io, 5, "read of /x failed");
        },
    );
    // What keeps a worker from its start is no I/O error, and is not cured like one.
    let refuse = |r: &mut Run| {
        worker(r).end = EndReason::Error {
            code: ErrorCode::EngineLacks,
            errno: 22,
            what: "psync has no atomic writes".into(),
            cure: "turn it off".into(),
        };
    };
    let text = "A worker could not start: psync has no atomic writes.";
    fires("worker-refused", Severity::Fail, text, refuse);
    silent("io-errors", refuse);
    fires("short-io", Severity::Fail, "2 of 122,000", |r| {
        worker(r).counts.op_mut(Op::Read).short = 2;
    });
}

#[test]
fn depth() {
    fires(
        "depth-not-reached",
        Severity::Warn,
        "The average queue depth was 2.04, not the requested 4",
        |r| {
            plan(r).depth = 4;
        },
    );
    silent("depth-not-reached", |r| {
        plan(r).depth = 4;
        plan(r).think = Some(Think {
            pause: Nanos::SECOND,
            spin: Nanos::ZERO,
            every: 1,
            on_submit: false,
            after_busy: Nanos::ZERO,
        });
    });
    // What was lent to others is not missing, and what others lent may be in flight.
    silent("depth-not-reached", |r| {
        plan(r).depth = 8;
        plan(r).admission = lent(4);
    });
    silent("little-mismatch", |r| {
        plan(r).depth = 8;
        plan(r).admission = lent(1);
    });
    fires(
        "little-mismatch",
        Severity::Fail,
        "an average of 2.04 I/Os in flight in the window, but there were never more than 1",
        |r| {
            plan(r).depth = 1;
        },
    );
    // Most of what the latencies hold was spent before the window.
    silent("little-mismatch", |r| {
        plan(r).depth = 1;
        let worker = worker(r);
        let taken = worker.counts.data().service.sum.cast_signed();
        worker.edge = -taken * 6 / 10;
    });
    // Of intervals alone it is not known what was in flight at their edges.
    silent("little-mismatch", |r| {
        plan(r).depth = 1;
        r.stages[0].workers.clear();
    });
}

/// Makes the run an open loop at this rate.
fn at_rate(run: &mut Run, rate: Rate) {
    plan(run).pace = Pace::Open {
        together: None,
        schedule: Vec::new(),
        rates: PerOp {
            read: Some(rate),
            write: None,
            trim: None,
        },
        arrival: leadline_model::plan::Arrival::Constant,
    };
}

#[test]
fn rate() {
    fires(
        "rate-not-reached",
        Severity::Warn,
        "3,000 IOPS requested, 2,000 IOPS reached (67 %)",
        |r| {
            at_rate(r, Rate::Iops(3000.0));
        },
    );
    fires(
        "rate-not-reached",
        Severity::Warn,
        "10 MiB/s requested, 7.81 MiB/s reached",
        |r| {
            at_rate(r, Rate::Bytes(10 << 20));
        },
    );
    silent("rate-not-reached", |r| at_rate(r, Rate::Iops(2010.0)));
}

/// How many starts are drawn in a window is chance, within four standard deviations: 240 and 300 are due here, and
/// 200 were done.
#[test]
fn a_rate_of_drawn_starts_may_be_missed_by_chance() {
    use leadline_model::plan::Arrival;
    let missed = |asked: f64, drawn: Arrival| {
        let load = Load::simple(Op::Read, 10, 4096, 1_000_000, 20);
        let mut run = run(fixture::workload("w", OpMix::reads(), 4096, 1, 19), &load);
        at_rate(&mut run, Rate::Iops(asked));
        if let Pace::Open { arrival, .. } = &mut plan(&mut run).pace {
            *arrival = drawn;
        }
        find(&run, "rate-not-reached").is_some()
    };
    assert!(missed(12.0, Arrival::Constant));
    for drawn in [Arrival::Poisson, Arrival::Even] {
        assert!(!missed(12.0, drawn));
        assert!(missed(15.0, drawn));
    }
}

fn with_lag(run: &mut Run, late: u64) {
    let mut lag = Latency::default();
    lag.record(5_000_000);
    worker(run).counts.lag = Some(lag);
    worker(run).counts.late = late;
}

#[test]
fn lateness() {
    fires(
        "late-io",
        Severity::Warn,
        "1.64 % of the I/Os (2,000)",
        |r| with_lag(r, 2000),
    );
    silent("late-io", |r| with_lag(r, 1200));
    fires("unissued-io", Severity::Warn, "1,000 of 123,000", |r| {
        worker(r).unissued = 1000
    });
    silent("unissued-io", |r| worker(r).unissued = 100);
    let of_few = |r: &mut Run, unissued| {
        for worker in r.stages.iter_mut().flat_map(|s| &mut s.workers) {
            worker.counts.op_mut(Op::Read).ios = 100;
            worker.counts.op_mut(Op::Write).ios = 100;
        }
        worker(r).unissued = unissued;
    };
    fires("unissued-io", Severity::Warn, "20 of", |r| of_few(r, 20));
    silent("unissued-io", |r| of_few(r, 1));
}

#[test]
fn mix() {
    fires(
        "mix-drift",
        Severity::Warn,
        "100.0 % of the I/Os were reads, 70 % were requested",
        |r| {
            plan(r).blocks_mut().mix = OpMix::mixed(70);
        },
    );
    silent("mix-drift", |r| {
        plan(r).blocks_mut().mix = OpMix::mixed(100)
    });
    // 122,000 I/Os, of which 2,000 more were reads than asked: 1.6 %, or what was in flight at the edges.
    let more = |depth: u32| {
        move |r: &mut Run| {
            plan(r).blocks_mut().mix = OpMix::mixed(50);
            plan(r).depth = depth;
            let half = 61_000;
            worker(r).counts.op_mut(Op::Read).ios = half + 2000;
            worker(r).counts.op_mut(Op::Write).ios = half - 2000;
        }
    };
    fires("mix-drift", Severity::Warn, "51.6 % of the I/Os", more(2));
    silent("mix-drift", more(2048));
}

#[test]
fn ends() {
    fires("ended-by-size", Severity::Fail, "90.0 s requested", |r| {
        plan(r).stop.runtime = Some(Nanos::from_secs(90));
        worker(r).end = EndReason::Size;
    });
    silent("ended-by-size", |r| worker(r).end = EndReason::Size);
    silent("ended-by-size", |r| {
        plan(r).stop.runtime = Some(Nanos::from_secs(90));
        plan(r).blocks_mut().access.at_end = leadline_model::plan::AtEnd::Stop;
        worker(r).end = EndReason::Size;
    });
    fires(
        "window-short",
        Severity::Info,
        "One point was measured for 30.0 s: effects over a minute or more (burst credits, cache flushes, garbage \
         collection) are not seen in so short a window.",
        |r| {
            worker(r).window_end = Nanos::from_secs(30);
        },
    );
}

#[test]
fn windows_of_less_than_three_cycles() {
    let dips = |at: u64| if at % 25 == 3 { 1000 } else { 2000 + at % 4 };
    // The period is that of two minutes; a second stage was measured for one.
    let two = |run: &mut Run, seconds: u64| {
        over_time(run, dips);
        worker(run).window_end = Nanos::from_secs(120);
        again(run, 100);
        let second = &mut run.stages[1];
        second.samples.truncate(usize::try_from(seconds).unwrap());
        second.workers[0].window_end = Nanos::from_secs(seconds);
    };
    let words =
        "a period of 25.0 s, and one window is shorter than three periods (shortest: 70.0 s)";
    fires("few-cycles", Severity::Warn, words, |run| two(run, 70));
    silent("few-cycles", |run| two(run, 76));
}

#[test]
fn skewed_workers() {
    let skewed = |end: u64| {
        let plan = fixture::workload("w", OpMix::reads(), 4096, 1, 10);
        let mut load = Load::simple(Op::Read, 1000, 4096, 1_000_000, 10);
        load.starts = vec![Nanos::ZERO, Nanos::from_secs(4)];
        let mut run = run(plan, &load);
        run.stages[0].workers[0].window_end = Nanos::from_secs(end);
        find(&run, "skew")
    };
    assert_eq!(skewed(10), None);
    assert_eq!(skewed(9).unwrap().severity, Severity::Warn);
    let hard = skewed(6).unwrap();
    assert_eq!(hard.severity, Severity::Fail);
    assert!(
        hard.text
            .contains("started up to 4.00 s apart and ended up to 4.00 s apart. Rates cover the 2.00 s in which all ran."),
        "{}",
        hard.text
    );
    // With no time that is common to all, rates are of all of it.
    let never = skewed(3).unwrap();
    assert!(
        never.text.contains("at the same time for 0 ns")
            && never
                .text
                .ends_with("Rates cover the 10.0 s from the first start to the last end."),
        "{}",
        never.text
    );
}

#[test]
fn stalled() {
    fires(
        "stall",
        Severity::Warn,
        "stalled 2 times, the first time 7.00 s into the stage, for up to 1.00 s and 2.00 s in all",
        |r| {
            for interval in [7, 9] {
                r.stages[0].samples[interval].counts = leadline_model::sample::Counts::default();
            }
        },
    );
    // A worker that was not at work cannot have stalled.
    silent("stall", |r| {
        r.stages[0].samples[60].counts = leadline_model::sample::Counts::default();
        worker(r).window_end = Nanos::from_millis(60_500);
    });
    // Nor one that only waits for its last I/Os, after the time that was asked for.
    silent("stall", |r| {
        plan(r).stop.runtime = Some(Nanos::from_secs(57));
        for interval in [58, 59] {
            r.stages[0].samples[interval].counts = leadline_model::sample::Counts::default();
        }
    });
}

/// A burst of 32 whose last I/O takes two seconds is no stall, since nothing else was asked for; one of which more take as
/// long is.
#[test]
fn a_burst_that_waits_for_its_slowest_io_has_not_stalled() {
    let waits = |held: u64, pauses: bool| {
        move |run: &mut Run| {
            let plan = plan(run);
            plan.depth = 32;
            plan.think = pauses.then_some(Think {
                pause: Nanos::from_millis(20),
                spin: Nanos::ZERO,
                every: 32,
                on_submit: true,
                after_busy: Nanos::ZERO,
            });
            let samples = &mut run.stages[0].samples;
            for interval in [7, 8] {
                samples[interval].counts = Counts::default();
            }
            let service = &mut samples[9].counts.op_mut(Op::Read).service;
            service.record_many(2_100_000_000, held);
        }
    };
    silent("stall", waits(3, true));
    fires(
        "stall",
        Severity::Warn,
        "stalled once, 7.00 s into the stage, for 2.00 s",
        waits(20, true),
    );
    fires(
        "stall",
        Severity::Warn,
        "stalled once, 7.00 s into the stage, for 2.00 s",
        waits(3, false),
    );
}

/// The place of a warm-up is looked for, so that its beginning differs by more than four standard errors by chance.
#[test]
fn a_beginning_that_is_lower_by_chance_is_no_warm_up() {
    let begins = |until: u64, lower: u64| {
        move |run: &mut Run| {
            let mut random = leadline_model::seed::SplitMix::new(7);
            // Even between 1,500 and 2,500: a standard deviation of 289, and of 121 between six and the rest.
            let noise: Vec<u64> = (0..1000).map(|_| random.bits() % 1001).collect();
            over_time(run, |at| {
                let rate = 1500 + noise[usize::try_from(at).unwrap()];
                if at < until { rate - lower } else { rate }
            });
        }
    };
    silent("warm-up", begins(6, 480));
    fires(
        "warm-up",
        Severity::Warn,
        "were still a warm-up",
        begins(5, 900),
    );
}

/// Multiplies the reads of some intervals.
fn scale(run: &mut Run, intervals: std::ops::Range<usize>, percent: u64) {
    for sample in &mut run.stages[0].samples[intervals] {
        let counts = sample.counts.op_mut(Op::Read);
        counts.ios = counts.ios * percent / 100;
    }
}

#[test]
fn changes_of_level() {
    fires(
        "level-shift",
        Severity::Warn,
        "level 40.0 s into the stage, from 2,000 IOPS +-<0.1 % to 400 IOPS +-<0.1 %",
        |run| scale(run, 40..61, 20),
    );
    fires("level-shift", Severity::Warn, "2 changes in all", |run| {
        scale(run, 20..40, 80);
    });
    // A tenth is the least that is reported; a level lasts ten seconds; a single interval is a stall or noise.
    silent("level-shift", |run| scale(run, 30..61, 92));
    silent("level-shift", |run| scale(run, 30..33, 50));
    silent("level-shift", |run| {
        for at in (1..61).step_by(2) {
            scale(run, at..at + 1, 70);
        }
    });
    // A rate that is set may change.
    silent("level-shift", |run| {
        scale(run, 40..61, 20);
        at_rate(run, Rate::Iops(2000.0));
    });
}

/// At a given rate, gives the intervals from one to another this latency, and all others 200 us.
fn takes(run: &mut Run, slow: std::ops::Range<usize>, share: u64, ns: u64) {
    at_rate(run, Rate::Iops(2000.0));
    for (number, sample) in run.stages[0].samples.iter_mut().enumerate() {
        let counts = sample.counts.op_mut(Op::Read);
        let more = if slow.contains(&number) { share } else { 0 };
        counts.service.clear();
        counts.service.record_many(ns, counts.ios * more / 100);
        let rest = counts.ios - counts.ios * more / 100;
        counts.service.record_many(200_000, rest);
    }
}

#[test]
fn changes_of_latency_at_one_rate() {
    fires(
        "latency-shift",
        Severity::Warn,
        "The latency changed 40.0 s into the stage at the same rate: half of the I/Os took 200 us +-0.2 % or less before, \
         and 1.00 ms +-<0.1 % or less after it.",
        |run| takes(run, 40..61, 100, 1_000_000),
    );
    silent("latency-shift", |run| takes(run, 40..61, 100, 280_000));
    // A longer queue makes most I/Os wait, and some not; what goes back is none, and little time is a stall.
    silent("latency-shift", |run| takes(run, 40..61, 85, 1_000_000));
    silent("latency-shift", |run| takes(run, 20..40, 100, 1_000_000));
    silent("latency-shift", |run| takes(run, 58..61, 100, 1_000_000));
    // As fast as it can, the rate changes with it, which is another finding.
    silent("latency-shift", |run| {
        takes(run, 40..61, 100, 1_000_000);
        plan(run).pace = Pace::Closed;
    });
}

/// Gives each interval of a sound run, made longer, the reads that `rate` says of it.
fn over_time(run: &mut Run, rate: impl Fn(u64) -> u64) {
    let first = run.stages[0].samples[0].clone();
    let samples = (0..120).map(|at| {
        let mut sample = first.clone();
        (sample.interval, sample.start) = (at, Nanos::from_secs(at));
        sample.counts.op_mut(Op::Read).ios = rate(at);
        sample
    });
    run.stages[0].samples = samples.collect();
    plan(run).stop.runtime = Some(Nanos::from_secs(120));
}

#[test]
fn a_window_that_begins_with_its_warm_up() {
    let slow = |until: u64| {
        move |at: u64| {
            if at < until {
                1000 + at % 3
            } else {
                2000 + at % 7
            }
        }
    };
    fires(
        "warm-up",
        Severity::Warn,
        "The first 5.00 s of the window were still a warm-up, with 1,000 IOPS (no interval: too short) where the \
         rest has 2,003 IOPS +-<0.1 %. The mean over both is 2.1 % off",
        |run| over_time(run, slow(5)),
    );
    // Its end is that of the lower rate, and not of the five intervals that are looked at together.
    fires("warm-up", Severity::Warn, "The first 3.00 s", |run| {
        over_time(run, slow(3));
    });
    // Two intervals of one hundred and twenty do not move the mean; ten seconds are a level of their own.
    silent("warm-up", |run| over_time(run, slow(2)));
    silent("warm-up", |run| over_time(run, slow(30)));
    silent("warm-up", |run| over_time(run, |at| 2000 + 40 * (at % 5)));
    // A standstill at the start is one, and no warm-up.
    silent("warm-up", |run| {
        over_time(run, |at| if at < 5 { 0 } else { 2000 + at % 7 })
    });
    silent("level-shift", |run| {
        over_time(run, |at| if (40..60).contains(&at) { 0 } else { 2000 })
    });
    fires("warm-up", Severity::Warn, "The first 5.00 s", |run| {
        over_time(run, move |at| match at {
            30..33 => 0,
            _ => slow(5)(at),
        });
    });
    // Nor is a dip of an interval or two.
    silent("warm-up", |run| {
        over_time(run, |at| if at < 2 { 100 } else { 2000 + at % 7 });
    });
    // A rate that is set may begin as it likes, and so may one with pauses.
    silent("warm-up", |run| {
        over_time(run, slow(5));
        at_rate(run, Rate::Iops(2000.0));
    });
}

#[test]
fn a_rate_that_changes_over_the_whole_window() {
    let falling = |by: u64| move |at: u64| 3000 - by * at + 5 * (at % 7);
    fires(
        "drift",
        Severity::Warn,
        "fell steadily over the window of 120 s, by 23.6 % +-1.3 % from 3,014 IOPS +-0.2 % to 2,300 IOPS +-0.3 %",
        |run| over_time(run, falling(6)),
    );
    silent("drift", |run| over_time(run, falling(1)));
    silent("drift", |run| over_time(run, |at| 3000 + 400 * (at % 2)));
}

#[test]
fn a_rate_with_a_period() {
    let dips = |every: u64| move |at: u64| if at % every == 3 { 1000 } else { 2000 + at % 4 };
    fires(
        "period",
        Severity::Warn,
        "with a period of 15.0 s (autocorrelation 0.",
        |run| over_time(run, dips(15)),
    );
    fires(
        "period",
        Severity::Warn,
        "down to 1,000 IOPS +-<0.1 %, typically 2,002 IOPS +-<0.1 %",
        |run| {
            over_time(run, dips(10));
        },
    );
    // Four dips of 120 values are less than a twentieth of them.
    fires("period", Severity::Warn, "down to 1,000 IOPS", |run| {
        over_time(run, dips(30));
    });
    // A steady fall is no spread around a mean: what is left of it is a ripple of 1 %.
    silent("period", |run| {
        over_time(run, |at| 3000 - 6 * at + 5 * (at % 7));
    });
    // Twice in the window is chance, and every second second is the target's everyday.
    silent("period", |run| over_time(run, dips(60)));
    silent("period", |run| over_time(run, |at| 2000 + 200 * (at % 2)));
    // A ripple of less than 2 %.
    silent("period", |run| over_time(run, |at| 2000 + at % 10));
    // Groups of all that is in flight, of a queue that others share: none waited longer for them.
    let groups = |depth: u32| {
        move |run: &mut Run| {
            over_time(run, |at| if at % 3 == 0 { 50 } else { 25 });
            plan(run).depth = depth;
        }
    };
    silent("period", groups(25));
    fires(
        "period",
        Severity::Warn,
        "up to 50.0 IOPS +-<0.1 %, typically 25.0 IOPS",
        groups(4),
    );
}

/// Makes a second stage that is the first again, its rate multiplied.
fn again(run: &mut Run, percent: u64) {
    let plan = run.plan.as_mut().unwrap();
    plan.stages.push(plan.stages[0].clone());
    let mut stage = run.stages[0].clone();
    stage.stage = 1;
    for worker in &mut stage.workers {
        worker.stage = 1;
        let counts = worker.counts.op_mut(Op::Read);
        counts.ios = counts.ios * percent / 100;
    }
    for sample in &mut stage.samples {
        sample.stage = 1;
        let counts = sample.counts.op_mut(Op::Read);
        counts.ios = counts.ios * percent / 100;
    }
    run.stages.push(stage);
}

#[test]
fn stages_of_one_setting_that_differ() {
    fires(
        "repeats-differ",
        Severity::Warn,
        "2,000 IOPS in s, 1,600 IOPS in s",
        |run| again(run, 80),
    );
    silent("repeats-differ", |run| again(run, 97));
    // Another depth is another setting, and a rate that is set is no maximum.
    silent("repeats-differ", |run| {
        again(run, 80);
        run.plan.as_mut().unwrap().stages[1].workloads[0].depth = 3;
    });
    silent("repeats-differ", |run| {
        again(run, 80);
        for stage in &mut run.plan.as_mut().unwrap().stages {
            stage.workloads[0].pace = Pace::Open {
                rates: leadline_model::op::PerOp::splat(Some(Rate::Iops(2000.0))),
                arrival: leadline_model::plan::Arrival::Constant,
                together: None,
                schedule: Vec::new(),
            };
        }
    });
}

/// Of two points with one setting, one is half as fast: of a few milliseconds, and where the intervals are wide, that is chance.
#[test]
fn rates_that_differ_by_chance_are_of_one_state() {
    let mut run = sound();
    again(&mut run, 50);
    let points = PointResult::all(&run);
    let differ = |change: &dyn Fn(&mut PointResult)| {
        let mut points = points.clone();
        points.iter_mut().for_each(change);
        repeats::differ(&points).is_some()
    };
    assert!(differ(&|_| ()));
    let short = |p: &mut PointResult| {
        p.figures.span = Nanos::from_millis(5);
        p.figures.data.certainty.iops = None;
    };
    assert!(!differ(&short));
    let within = |share: f64| {
        move |p: &mut PointResult| {
            let value = p.iops();
            p.figures.data.certainty.iops = Some(crate::stats::Interval {
                value,
                low: value * (1.0 - share),
                high: value * (1.0 + share),
                settled: true,
            });
        }
    };
    assert!(differ(&within(0.1)));
    assert!(!differ(&within(0.35)));
}

/// Of the reads, this share takes 50 us and not 1 ms.
fn hits(run: &mut Run, percent: u64) {
    let counts = worker(run).counts.op_mut(Op::Read);
    let hits = counts.ios * percent / 100;
    counts.service.clear();
    counts.service.record_many(1_000_000, counts.ios - hits);
    counts.service.record_many(50_000, hits);
}

#[test]
fn hits_and_misses_of_a_cache() {
    fires(
        "mixture",
        Severity::Warn,
        "30 % took about 50.0 us",
        |run| {
            hits(run, 30);
        },
    );
    // Of a file of which half was never written the cause is known.
    fires("mixture", Severity::Warn, "never written", |run| {
        hits(run, 50);
        run.findings.push(Finding {
            code: "holes".to_owned(),
            severity: Severity::Fail,
            stage: None,
            workload: Some(0),
            text: String::new(),
            cure: Cure::none(),
        });
    });
    silent("mixture", |run| hits(run, 1));
    silent("mixture", |run| hits(run, 100));
    // The first of a burst waits for no other.
    silent("mixture", |run| {
        hits(run, 30);
        plan(run).think = Some(leadline_model::plan::Think {
            pause: Nanos::from_millis(10),
            spin: Nanos::ZERO,
            every: 4,
            on_submit: true,
            after_busy: Nanos::ZERO,
        });
    });
    // Credits that were spent make the later of them wait.
    silent("mixture", |run| {
        hits(run, 30);
        scale(run, 20..61, 20);
    });
    // Beside writes, some reads wait for a cap that others do not meet.
    silent("mixture", |run| {
        hits(run, 30);
        plan(run).blocks_mut().mix = OpMix::mixed(75);
    });
}

/// A paced workload waits while others use up what all have in common, and not while they do not.
#[test]
fn two_kinds_of_a_paced_workload_beside_others_are_no_cache() {
    let paced = |run: &mut Run| {
        hits(run, 30);
        at_rate(run, Rate::Iops(2000.0));
    };
    fires("mixture", Severity::Warn, "30 % took about 50.0 us", paced);
    // At random arrivals some of them queue, whatever the target.
    fires("mixture", Severity::Info, "With random arrivals", |run| {
        paced(run);
        if let leadline_model::plan::Pace::Open { arrival, .. } = &mut plan(run).pace {
            *arrival = leadline_model::plan::Arrival::Poisson;
        }
    });
    let beside = |run: &mut Run| {
        let other = plan(run).clone();
        run.plan.as_mut().unwrap().stages[0].workloads.push(other);
    };
    silent("mixture", |run| {
        paced(run);
        beside(run);
    });
    // One that runs as fast as it can waits for the target alone.
    fires(
        "mixture",
        Severity::Warn,
        "30 % took about 50.0 us",
        |run| {
            hits(run, 30);
            beside(run);
        },
    );
}

/// The same with the slow ones in every third interval, as those that wait for the next slice of a quota.
#[test]
fn slow_ones_that_come_together_are_no_misses_of_a_cache() {
    let spread = |run: &mut Run, share: fn(usize) -> u64| {
        hits(run, 67);
        plan(run).depth = 1000;
        for (n, sample) in run.stages[0].samples.iter_mut().enumerate() {
            let counts = sample.counts.op_mut(Op::Read);
            let fast = counts.ios * share(n) / 100;
            counts.service.clear();
            counts.service.record_many(50_000, fast);
            counts.service.record_many(1_000_000, counts.ios - fast);
        }
    };
    let together = |run: &mut Run| spread(run, |n| if n % 3 == 0 { 1 } else { 99 });
    fires("short-stalls", Severity::Info, "came in groups", together);
    silent("mixture", together);
    // More of them than what was in flight: a part of the set is in a cache, and the reads of it come in groups.
    let many = |run: &mut Run| {
        together(run);
        plan(run).depth = 100;
    };
    fires("mixture", Severity::Warn, "67 % took about 50.0 us", many);
    silent("short-stalls", many);
    // Evenly spread, or a cache that fills.
    let evenly = |run: &mut Run| spread(run, |_| 67);
    fires(
        "mixture",
        Severity::Warn,
        "so does a quota that is granted in slices",
        evenly,
    );
    let filling = |run: &mut Run| spread(run, |n| 40 + n as u64 * 54 / 61);
    fires(
        "mixture",
        Severity::Warn,
        "67 % took about 50.0 us",
        filling,
    );
    silent("short-stalls", filling);
}

/// leadline itself was paused in the first stage.
fn stood_still() -> Finding {
    Finding {
        code: "stood-still".to_owned(),
        severity: Severity::Warn,
        stage: Some(0),
        workload: None,
        text: String::new(),
        cure: Cure::none(),
    }
}

/// A process that was stopped for a while: its rate is not reached, and the target is not to blame.
#[test]
fn what_leadline_missed_while_it_stood_still_is_not_the_targets() {
    let mut run = sound();
    at_rate(&mut run, Rate::Iops(2100.0));
    let blame = find(&run, "rate-not-reached").unwrap();
    assert!(blame.text.contains("saturated") && blame.cure.text.contains("overloaded"));
    run.findings.push(stood_still());
    let finding = find(&run, "rate-not-reached").unwrap();
    assert!(
        finding.text.contains("IOPS requested") && !finding.text.contains("saturated"),
        "{}",
        finding.text
    );
    assert!(
        !finding.cure.text.contains("overloaded") && finding.cure.text.contains("was paused"),
        "{}",
        finding.cure
    );
}

/// The same of I/Os that were late or never submitted, and of a stall.
#[test]
fn delays_while_leadline_stood_still_are_not_the_targets() {
    type Delay = (&'static str, fn(&mut Run));
    let delays: [Delay; 3] = [
        ("late-io", |run| with_lag(run, 2000)),
        ("unissued-io", |run| worker(run).unissued = 1000),
        ("stall", |run| {
            run.stages[0].samples[7].counts = leadline_model::sample::Counts::default();
        }),
    ];
    for (code, delay) in delays {
        let mut run = sound();
        delay(&mut run);
        let blame = find(&run, code).unwrap();
        assert!(!blame.cure.text.contains("was paused"), "{code}");
        run.findings.push(stood_still());
        let finding = find(&run, code).unwrap();
        assert!(
            finding.cure.text.contains("was paused"),
            "{code}: {}",
            finding.cure
        );
    }
}

/// What falls and stays down was no warm-up.
#[test]
fn a_rate_that_falls_early_changed_its_level() {
    fires(
        "level-shift",
        Severity::Warn,
        "level 5.00 s into the stage, from 8,000 IOPS (no interval: too short) to 2,003 IOPS +-<0.1 %",
        |run| over_time(run, |at| if at < 5 { 8000 } else { 2000 + at % 7 }),
    );
    silent("warm-up", |run| {
        over_time(run, |at| if at < 5 { 8000 } else { 2000 + at % 7 });
    });
}

/// After a run of 80 s, what was in flight ends over 40 s.
#[test]
fn what_ends_after_the_window_is_no_level_and_no_trend() {
    let drained = |run: &mut Run| {
        over_time(run, |at| if at < 80 { 2000 } else { 16 });
        plan(run).stop.runtime = Some(Nanos::from_secs(80));
    };
    silent("level-shift", drained);
    silent("drift", drained);
    fires("level-shift", Severity::Warn, "level 80.0 s", |run| {
        drained(run);
        plan(run).stop.runtime = Some(Nanos::from_secs(120));
    });
}

/// An interval without an I/O is a standstill, and no level of 0.
#[test]
fn nothing_is_no_level() {
    silent("level-shift", |run| {
        over_time(run, |at| if at < 60 { 15 } else { 0 })
    });
    let words = "from 15.0 IOPS +-<0.1 % to 2.00 IOPS +-<0.1 %";
    fires("level-shift", Severity::Warn, words, |run| {
        over_time(run, |at| if at < 60 { 15 } else { 2 });
    });
}

/// In groups of 500 between pauses, an interval has one more or one less by chance.
#[test]
fn groups_between_pauses_are_no_levels() {
    let grouped = |every: u32| {
        move |run: &mut Run| {
            over_time(run, |at| {
                7000 + 500 * u64::from((30..60).contains(&at)) * (at % 3) / 2
            });
            plan(run).think = Some(leadline_model::plan::Think {
                pause: Nanos::from_millis(60),
                spin: Nanos::ZERO,
                every,
                on_submit: false,
                after_busy: Nanos::ZERO,
            });
        }
    };
    silent("level-shift", grouped(500));
    fires(
        "level-shift",
        Severity::Warn,
        "changed to another level 30.0 s",
        |run| {
            grouped(500)(run);
            over_time(run, |at| if at < 30 { 7000 } else { 3500 });
        },
    );
}

/// By hand: 20,000 reads, of which 200 are above p99 and 20 above p99.9; all 20 ended in one of 40 intervals.
#[test]
fn samples_that_came_together_are_counted_and_fewer_are_said_to_be_independent() {
    let many = fixture::workload("w", OpMix::reads(), 4096, 1, 1);
    let mut run = run(many, &Load::simple(Op::Read, 500, 4096, 1_000_000, 40));
    plan(&mut run).percentiles = vec![99.9];
    let mut slow = Latency::default();
    slow.record_many(1_000_000, 478);
    slow.record_many(90_000_000, 22);
    let mut all = slow.clone();
    all.record_many(1_000_000, 39 * 500);
    run.stages[0].samples[20].counts.op_mut(Op::Read).service = slow;
    run.stages[0].workers[0].counts.op_mut(Op::Read).service = all;
    let text = find(&run, "tail-undersampled").unwrap().text;
    assert!(text.contains("groups"), "{text}");
    assert!(
        text.contains("p99.9 has 20 (about 1 independent, doubtful)"),
        "{text}"
    );
    // Nor has a lower percentile fewer than a higher one, whatever is estimated of each.
    plan(&mut run).percentiles = vec![99.0, 99.5, 99.9];
    let text = find(&run, "tail-undersampled").unwrap().text;
    let independent: Vec<u64> = text
        .split("(about ")
        .skip(1)
        .filter_map(|rest| rest.split(' ').next()?.parse().ok())
        .collect();
    assert!(
        independent.is_sorted_by(|a, b| a >= b) && !independent.is_empty(),
        "{text}"
    );
}

/// By hand: 120 above p99.9 in 40 intervals of 3,000, none to six in each: little more than chance makes of three.
#[test]
fn samples_that_may_have_come_together_are_not_said_to_have() {
    let many = fixture::workload("w", OpMix::reads(), 4096, 1, 1);
    let mut run = run(many, &Load::simple(Op::Read, 3000, 4096, 1_000_000, 40));
    plan(&mut run).percentiles = vec![99.9];
    let (mut all, mut draws) = (Latency::default(), fixture::Rng::new(3));
    for sample in &mut run.stages[0].samples {
        let count = draws.range(0, 7);
        let mut own = Latency::default();
        own.record_many(1_000_000, 3000 - count);
        own.record_many(90_000_000, count);
        all.merge(&own);
        sample.counts.op_mut(Op::Read).service = own;
    }
    run.stages[0].workers[0].counts.op_mut(Op::Read).service = all;
    let text = find(&run, "tail-undersampled").unwrap().text;
    assert!(text.contains("fewer of them may be independent"), "{text}");
    assert!(!text.contains("groups"), "{text}");
}

#[test]
fn tails() {
    let few = |ios: u64| {
        let plan = fixture::workload("w", OpMix::reads(), 4096, 1, 1);
        find(
            &run(plan, &Load::simple(Op::Read, ios, 4096, 1_000_000, 1)),
            "tail-undersampled",
        )
    };
    let finding = few(900).unwrap();
    assert_eq!(finding.severity, Severity::Info);
    assert!(
        finding.text.contains("p99 has 9 (too few)"),
        "{}",
        finding.text
    );
    assert!(
        finding.cure.text.contains("above p99 take 12.0 s"),
        "{}",
        finding.cure
    );
    let mut run = sound();
    plan(&mut run).percentiles = vec![50.0, 99.0, 99.9];
    assert_eq!(find(&run, "tail-undersampled"), None);
}

#[test]
fn generator() {
    fires(
        "generator-cpu",
        Severity::Fail,
        "A worker used 94 % of a core (99.21 % of it in the kernel",
        |r| {
            worker(r).cpu.system = Nanos::from_millis(56_700);
            worker(r).cpu.user = Nanos::from_millis(450);
        },
    );
    fires(
        "preempted",
        Severity::Warn,
        "20,000 times (328 a second)",
        |r| {
            worker(r).cpu.involuntary = 20_000;
        },
    );
    silent("preempted", |r| worker(r).cpu.involuntary = 6000);
    let floor = |ns| Fact::new(FactKey::FLOOR, "", FactValue::from_nanos(ns));
    fires("near-floor", Severity::Warn, "the loop does 5000", |r| {
        r.facts.push(floor(200_000.0));
    });
    silent("near-floor", |r| r.facts.push(floor(90.0)));
}

#[test]
fn payloads() {
    let writes = |r: &mut Run| plan(r).blocks_mut().mix = OpMix::Only(Op::Write);
    fires(
        "compressible-payload",
        Severity::Warn,
        "zeros: compression removes 100 % of them.",
        |r| {
            writes(r);
            plan(r).blocks_mut().payload.fill = Fill::Zero;
        },
    );
    fires(
        "repeated-payload",
        Severity::Warn,
        "100 % of the written blocks",
        |r| {
            writes(r);
            plan(r).blocks_mut().payload.refresh = Refresh::Never;
        },
    );
    silent("compressible-payload", |r| {
        plan(r).blocks_mut().payload.fill = Fill::Zero
    });
    silent("repeated-payload", writes);
    // Samples decide where there are some: of this workload, or of its place where its name is not enough.
    let sampled = |subject: &str, repeated: u8, compressible: u8| {
        let subject = subject.to_owned();
        move |r: &mut Run| {
            use leadline_model::units::Percent;
            writes(r);
            r.facts.extend([
                Fact::new(FactKey::WRITES_SAMPLED, &subject, FactValue::Count(64)),
                Fact::new(FactKey::WRITES_ZEROS, &subject, Percent::NONE),
                Fact::new(FactKey::WRITES_REPEATED, &subject, Percent::whole(repeated)),
                Fact::new(
                    FactKey::WRITES_COMPRESSIBLE,
                    &subject,
                    Percent::whole(compressible),
                ),
            ]);
        }
    };
    let name = "w".to_owned();
    fires(
        "compressible-payload",
        Severity::Warn,
        "compression removes 61 % of them (estimated from 64 sampled blocks)",
        sampled(&name, 0, 61),
    );
    fires(
        "repeated-payload",
        Severity::Warn,
        "8 of 64 sampled blocks of the written data (12 %) had the contents of an earlier one, and others",
        sampled(&name, 12, 9),
    );
    fires(
        "repeated-payload",
        Severity::Warn,
        "All 64 sampled blocks of the written data are the same.",
        sampled(&name, 99, 9),
    );
    silent("compressible-payload", sampled(&name, 0, 9));
    silent("compressible-payload", sampled("another", 0, 61));
    silent("compressible-payload", |r| {
        sampled(&name, 0, 0)(r);
        plan(r).blocks_mut().payload.fill = Fill::Pattern(vec![1; 4096]);
    });
    let placed = leadline_model::facts::placed(&name, 0, 0);
    silent("compressible-payload", |r| {
        sampled(&name, 0, 61)(r);
        sampled(&placed, 0, 0)(r);
    });
}

#[test]
fn caches() {
    fires(
        "fits-memory",
        Severity::Warn,
        "on 30 GiB with 24 GiB of memory",
        |r| {
            plan(r).blocks_mut().open.direct = false;
            plan(r).blocks_mut().region.size = Some(Amount::Bytes(30 << 30));
        },
    );
    silent("fits-memory", |r| {
        plan(r).blocks_mut().open.direct = false;
        plan(r).blocks_mut().region.size = Some(Amount::Bytes(49 << 30));
    });
    silent("fits-memory", |r| {
        plan(r).blocks_mut().region.size = Some(Amount::Bytes(1 << 30))
    });
    fires(
        "repeated-offsets",
        Severity::Warn,
        "fixes the seed (137)",
        |r| {
            plan(r).blocks_mut().access.seed = Some(137);
        },
    );
    silent("repeated-offsets", |r| {
        plan(r).blocks_mut().access.seed = Some(137);
        plan(r).blocks_mut().mix = OpMix::Only(Op::Write);
    });
}

#[test]
fn numbers_read_well() {
    assert_eq!(
        (percent(0.5), percent(0.999), percent(0.0123)),
        ("50 %".into(), "99.90 %".into(), "1.23 %".into())
    );
}

/// A run over three equal hosts, changed: whether `code` is found, and its words.
fn of_hosts(code: &str, change: impl FnOnce(&mut Run)) -> Option<String> {
    let mut run = fixture::hosts_run();
    change(&mut run);
    find(&run, code).map(|f| f.text)
}

fn say(run: &mut Run, host: u32, what: leadline_model::event::HostState) {
    run.hosts.push(leadline_model::event::HostNews {
        host,
        at: Nanos::from_secs(3),
        what,
    });
}

#[test]
fn hosts_that_are_lost() {
    use leadline_model::event::HostState::Lost;
    assert_eq!(of_hosts("host-lost", |_| {}), None);
    let text = of_hosts("host-lost", |run| {
        let killed = |cure| Failure::new(ErrorCode::HostLost, "killed", cure);
        let (stage, why) = (Some(0), killed("use less memory"));
        say(run, 1, Lost { stage, why });
        let why = Failure::new(ErrorCode::HostLost, "no route", "");
        say(run, 2, Lost { stage: None, why });
    });
    let text = text.unwrap();
    assert!(
        text.starts_with(
            "2 of 3 hosts were lost: b in shared at 3.00 s (killed (use less memory)); c before the first"
        ),
        "{text}"
    );
    // Where the controller said it, it is not said again, and no worker of it ended with an error.
    let mut run = fixture::hosts_run();
    let why = Failure::new(ErrorCode::HostLost, "killed", "");
    say(
        &mut run,
        1,
        Lost {
            stage: Some(0),
            why,
        },
    );
    run.stages[0].workers[1].end = EndReason::failed(ErrorCode::HostLost, 112, "the host was lost");
    assert!(find(&run, "host-lost").is_some());
    assert_eq!(find(&run, "io-errors"), None);
    let said = find(&run, "host-lost").unwrap();
    run.findings.push(Finding {
        stage: Some(0),
        ..said
    });
    assert_eq!(find(&run, "host-lost"), None);
    let of_one = |hosts: usize| {
        let text = of_hosts("host-lost", |run| {
            run.plan.as_mut().unwrap().hosts.truncate(hosts);
            let why = Failure::new(ErrorCode::HostLost, "killed", "");
            say(run, 0, Lost { stage: None, why });
        });
        text.unwrap()
    };
    assert!(of_one(1).starts_with("The one host was lost: a before the first"));
    assert!(of_one(2).starts_with("1 of 2 hosts was lost: a before the first"));
    assert!(of_one(2).ends_with("The totals of a stage cover only the hosts that finished it."));
    let of_all = of_hosts("host-lost", |run| {
        for host in 0..3 {
            let why = Failure::new(ErrorCode::HostLost, "killed", "");
            say(run, host, Lost { stage: None, why });
        }
    });
    let of_all = of_all.unwrap();
    assert!(
        of_all.starts_with("All 3 hosts were lost: a before"),
        "{of_all}"
    );
    assert!(
        of_all.ends_with("From then on, there are no totals."),
        "{of_all}"
    );
}

#[test]
fn hosts_that_are_uneven_late_or_have_unsure_clocks() {
    use leadline_model::event::HostState::{Connected, Started};
    for code in ["imbalance", "start-late", "clock-bound", "skew"] {
        assert_eq!(of_hosts(code, |_| {}), None, "{code}");
    }
    let text = of_hosts("imbalance", |run| {
        for worker in run.stages[0].workers.iter_mut().filter(|w| w.host == 2) {
            worker.counts.op_mut(Op::Read).ios /= 2;
        }
    });
    let text = text.unwrap();
    assert!(
        text.contains("c had 200 IOPS") && text.contains("2.00 times"),
        "{text}"
    );
    assert!(text.contains("Jain's index 0.926"), "{text}");
    let text = of_hosts("start-late", |run| {
        say(
            run,
            1,
            Started {
                stage: 0,
                late: 99_000_000,
            },
        );
        say(
            run,
            2,
            Started {
                stage: 0,
                late: 250_000_000,
            },
        );
    });
    let text = text.unwrap();
    assert!(
        text.contains("c by 250 ms after the agreed start"),
        "{text}"
    );
    let text = of_hosts("clock-bound", |run| {
        let (hostname, clock_offset) = (String::new(), 5);
        let offset_bound = 150_000_000;
        say(
            run,
            0,
            Connected {
                hostname,
                clock_offset,
                offset_bound,
            },
        );
    });
    assert!(text.unwrap().contains("that of a may be off by 150 ms"));
    let text = of_hosts("skew", |run| {
        for worker in run.stages[0].workers.iter_mut().filter(|w| w.host == 1) {
            worker.first_submit = Some(Nanos::from_secs(2));
        }
        for worker in run.stages[0].workers.iter_mut().filter(|w| w.host == 2) {
            worker.window_end = Nanos::from_secs(4);
        }
    });
    assert!(
        text.unwrap()
            .contains("started up to 2.00 s apart and ended up to 1.00 s")
    );
}

#[test]
fn rates_of_what_a_study_writes_before_it_measures_are_no_result() {
    let of_a_fill = of_hosts("imbalance", |run| {
        for worker in run.stages[0].workers.iter_mut().filter(|w| w.host == 2) {
            worker.counts.op_mut(Op::Read).ios /= 2;
        }
        let at = std::collections::BTreeMap::new();
        let role = Role::Fill;
        run.plan.as_mut().unwrap().stages[0].point = Some(StudyPoint { role, at });
    });
    assert_eq!(of_a_fill, None);
}

#[test]
fn percentiles_of_hosts_that_do_not_average() {
    let slow = |nanos: u64| {
        of_hosts("percentiles-apart", |run| {
            for worker in run.stages[0].workers.iter_mut().filter(|w| w.host == 2) {
                let counts = worker.counts.op_mut(Op::Read);
                counts.service.clear();
                counts.service.record_many(nanos, counts.ios);
            }
        })
    };
    assert_eq!(slow(2_500_000), None);
    // 2.9 ms on two hosts and 25 ms on the third: 10.4 ms is no percentile of anything.
    let text = slow(25_000_000).unwrap();
    assert!(
        text.starts_with("The p95 of all I/Os together is 2"),
        "{text}"
    );
    assert!(
        text.contains("the mean of the hosts' own is 10.4 ms, -58 %"),
        "{text}"
    );
}

#[test]
fn stolen_time_is_reported() {
    use leadline_model::event::CpuTime;
    let cpus = |steal: u64| {
        let cpu = |cpu, steal| CpuTime {
            cpu,
            user: Nanos::from_millis(1000),
            kernel: Nanos::from_millis(2000),
            idle: Nanos::from_millis(56_000 - steal),
            wait: Nanos::from_millis(1000),
            steal: Nanos::from_millis(steal),
            span: Nanos::from_secs(60),
            ..CpuTime::default()
        };
        vec![cpu(0, 0), cpu(1, steal)]
    };
    fires(
        "host-steal",
        Severity::Warn,
        "took 1.50 % of the processor time in the measured window, 1.80 s in total; CPU 1 lost \
         most with 3.00 %",
        |r| r.stages[0].cpus = cpus(1800),
    );
    silent("host-steal", |r| r.stages[0].cpus = cpus(1100));
    // Four ticks of a short run say nothing.
    silent("host-steal", |r| {
        r.stages[0].cpus = vec![CpuTime {
            idle: Nanos::from_millis(960),
            steal: Nanos::from_millis(40),
            ..CpuTime::default()
        }];
    });
}

#[test]
fn a_full_host_is_reported_whatever_fills_it() {
    let full = |idle: u64| {
        move |r: &mut Run| {
            for cpu in &mut r.stages[0].cpus {
                (cpu.user, cpu.kernel) = (Nanos(60 * (1000 - idle) * 1_000_000), Nanos::ZERO);
                (cpu.idle, cpu.wait) = (Nanos(60 * idle * 1_000_000), Nanos::ZERO);
                cpu.steal = Nanos::ZERO;
            }
        }
    };
    fires(
        "host-busy",
        Severity::Fail,
        "The processors were busy for 90 % of the measured window",
        full(100),
    );
    let mut run = sound();
    full(100)(&mut run);
    let busy = findings(&run).into_iter().find(|f| f.code == "host-busy");
    assert_eq!(busy.unwrap().cure.knobs, [Knob::Workers, Knob::BlockSize]);
    // What came late there is not the target's.
    at_rate(&mut run, Rate::Iops(3000.0));
    let missed = find(&run, "rate-not-reached").unwrap();
    assert!(!missed.text.contains("saturated"), "{missed:?}");
    assert!(missed.cure.text.contains("see host-busy"), "{missed:?}");
    silent("host-busy", full(160));
    // No latency depends on it where only the loop is measured.
    silent("host-busy", |r| {
        full(100)(r);
        plan(r).blocks_mut().target = Target::Null { size: 1 << 30 };
    });
    // Waiting for the next I/O of a rate is no work.
    silent("host-busy", |r| {
        full(100)(r);
        let all = 2 * 60 * Nanos::SECOND.0;
        r.stages[0].workers[0].cpu.user = Nanos(all / 5);
        r.stages[0].workers[0].cpu.waiting = Nanos(all / 5);
    });
}

#[test]
fn a_tail_that_no_io_reaches() {
    use leadline_model::plan::Grid;
    let words = "The last 1 KiB of w were never accessed";
    fires("tail-untouched", Severity::Info, words, |r| {
        plan(r).blocks_mut().access.grid = Grid::Own;
        plan(r).blocks_mut().region.size = Some(Amount::Bytes(4096 * 10 + 1024));
    });
    silent("tail-untouched", |r| {
        plan(r).blocks_mut().access.grid = Grid::Own;
        plan(r).blocks_mut().region.size = Some(Amount::Bytes(4096 * 10));
    });
    silent("tail-untouched", |r| {
        plan(r).blocks_mut().region.size = Some(Amount::Bytes(4096 * 10 + 1024));
    });
}

/// Two workloads of 1000 I/Os a second each, with a rate and a share.
fn pair(rate: f64, shares: [f64; 2]) -> Run {
    let one = |name: &str, share| {
        let mut w = fixture::workload(name, OpMix::reads(), 4096, 4, 60);
        w.share = ShareWeight::new(share);
        w.pace = Pace::Open {
            rates: PerOp::splat(None),
            arrival: leadline_model::plan::Arrival::Poisson,
            together: Some(Rate::Iops(rate)),
            schedule: Vec::new(),
        };
        w
    };
    let mut plan = fixture::plan(vec![("s", vec![one("a", shares[0]), one("b", shares[1])])]);
    plan.stages[0].shares = leadline_model::plan::ShareSource::Given;
    let mut load = Load::simple(Op::Read, 1000, 4096, 1_000_000, 60);
    load.open = true;
    fixture::run_of(&fixture::events_of(plan, &[vec![load.clone(), load]]))
}

#[test]
fn a_rate_and_shares_of_several_workloads() {
    assert_eq!(find(&pair(1000.0, [50.0, 50.0]), "rate-not-reached"), None);
    let found = find(&pair(1250.0, [50.0, 50.0]), "rate-not-reached").unwrap();
    assert_eq!((found.severity, found.workload), (Severity::Warn, None));
    let words = "2,500 IOPS requested of 2 workloads together, 2,000 reached (80 %)";
    assert!(found.text.contains(words), "{}", found.text);
    let all = findings(&pair(1250.0, [50.0, 50.0]));
    let said = all.iter().filter(|f| f.code == "rate-not-reached");
    assert_eq!(said.count(), 1);
    assert_eq!(find(&pair(1000.0, [52.0, 48.0]), "shares-not-kept"), None);
    let found = find(&pair(1000.0, [80.0, 20.0]), "shares-not-kept").unwrap();
    assert!(found.text.contains("should have had"), "{}", found.text);
    assert!(found.text.contains("but had 50 %"), "{}", found.text);
}

#[test]
fn workloads_fed_by_one_queue_were_not_to_keep_their_shares() {
    let shared = |admission| {
        let mut run = pair(1000.0, [80.0, 20.0]);
        let stage = &mut run.plan.as_mut().unwrap().stages[0];
        stage.shares = leadline_model::plan::ShareSource::None;
        for w in &mut stage.workloads {
            w.admission = admission;
        }
        find(&run, "shares-not-kept").is_some()
    };
    let (group, max_lead, borrowable) = (0, 2000, None);
    assert!(shared(Admission::Shares { group, borrowable }));
    assert!(!shared(Admission::CommonQueue {
        group,
        max_lead,
        borrowable
    }));
}

/// A workload whose rate is 100, beside `other`, which does `iops` of 100 us: two shares of the other's to one of its own,
/// of which it did 50 a second.
fn held_to_its_share(iops: u64, other: impl FnOnce(&mut Workload), us: u64) -> Run {
    let reads = |name: &str, share| {
        let mut w = fixture::workload(name, OpMix::reads(), 4096, 8, 60);
        w.share = ShareWeight::new(share);
        w.admission = Admission::Shares {
            group: 0,
            borrowable: None,
        };
        w
    };
    let mut plan = fixture::plan(vec![("s", vec![reads("b", 1.0), reads("a", 2.0)])]);
    other(&mut plan.stages[0].workloads[1]);
    let loads = [(50, us), (iops, 100)].map(|(iops, us)| {
        let mut load = Load::simple(Op::Read, iops, 4096, us * 1000, 60);
        load.open = true;
        load
    });
    let mut run = fixture::run_of(&fixture::events_of(plan, &[loads.to_vec()]));
    at_rate(&mut run, Rate::Iops(100.0));
    with_lag(&mut run, 2000);
    worker(&mut run).unissued = 3000;
    run
}

#[test]
fn a_workload_that_keeps_its_share_of_another_does_not_blame_the_target() {
    let at_100 = |w: &mut Workload| {
        w.pace = Pace::Open {
            rates: PerOp {
                read: Some(Rate::Iops(100.0)),
                write: None,
                trim: None,
            },
            arrival: leadline_model::plan::Arrival::Constant,
            together: None,
            schedule: Vec::new(),
        };
    };
    let of_b = |run: &Run, code: &str| {
        let found = findings(run);
        let mut of = found.into_iter().filter(|f| f.workload == Some(0));
        of.find(|f| f.code == code).unwrap()
    };
    let is_held = |run: &Run| {
        let held = ["rate-not-reached", "late-io", "unissued-io"].map(|code| {
            let cure = of_b(run, code).cure;
            cure.text.contains("proportion of its share to that of a") && cure.knobs == [Knob::Rate]
        });
        assert!(held == [true; 3] || held == [false; 3], "{held:?}");
        let missed = of_b(run, "rate-not-reached").text;
        assert_eq!(
            missed.contains("held it to the pace of a"),
            held[0],
            "{missed}"
        );
        assert_eq!(missed.contains("saturated"), !held[0], "{missed}");
        held[0]
    };
    let held = held_to_its_share(100, at_100, 100);
    assert!(is_held(&held));
    // A pause sets the other's pace as well.
    let pause = Think {
        pause: Nanos::from_millis(10),
        spin: Nanos::ZERO,
        every: 1,
        on_submit: false,
        after_busy: Nanos::ZERO,
    };
    assert!(is_held(&held_to_its_share(
        100,
        |w| w.think = Some(pause),
        100
    )));
    // Nothing limits the other but this one.
    assert!(!is_held(&held_to_its_share(100, |_| (), 100)));
    // It is behind its share, its own queue is full, or the other is of another group.
    assert!(!is_held(&held_to_its_share(120, at_100, 100)));
    assert!(!is_held(&held_to_its_share(100, at_100, 160_000)));
    let apart = |w: &mut Workload| {
        at_100(w);
        w.admission = Admission::Shares {
            group: 1,
            borrowable: None,
        };
    };
    assert!(!is_held(&held_to_its_share(100, apart, 100)));
    // Where leadline was paused, that comes first.
    let mut paused = held;
    paused.findings.push(stood_still());
    let cure = of_b(&paused, "rate-not-reached").cure;
    assert!(cure.text.contains("was paused"), "{cure}");
}

/// With this many slots of its own, which others may borrow.
const fn lent(own: u32) -> Admission {
    Admission::Shares {
        group: 0,
        borrowable: Some(BorrowableDepth { pool: 0, own }),
    }
}

/// A run of two stages: one read of 1 ms alone at a time, then `depth` in flight with `iops` reads of `latency_us`.
fn beside_one_alone(depth: u32, iops: u64, latency_us: u64) -> Run {
    let plan = fixture::plan(vec![
        (
            "alone",
            vec![fixture::workload("a", OpMix::reads(), 4096, 1, 10)],
        ),
        (
            "deep",
            vec![fixture::workload("d", OpMix::reads(), 4096, depth, 10)],
        ),
    ]);
    let loads = [
        vec![Load::simple(Op::Read, 980, 4096, 1_000_000, 10)],
        vec![Load::simple(Op::Read, iops, 4096, latency_us * 1000, 10)],
    ];
    fixture::run_of(&fixture::events_of(plan, &loads))
}

#[test]
fn depths_that_are_far_from_useful() {
    // 2,000 a second of 1 ms each: two are useful, and 64 take 32 ms each.
    let deep = find(&beside_one_alone(64, 2000, 32_000), "over-deep").unwrap();
    assert_eq!((deep.severity, deep.stage), (Severity::Warn, Some(1)));
    assert!(
        deep.text
            .contains("64 in flight, where 2 are enough for 2,000 IOPS"),
        "{}",
        deep.text
    );
    assert_eq!(find(&beside_one_alone(8, 2000, 4000), "over-deep"), None);
    // 16 at once, each as quick as one alone.
    let flat = find(&beside_one_alone(16, 15_500, 1000), "under-deep").unwrap();
    assert_eq!((flat.severity, flat.stage), (Severity::Info, Some(1)));
    assert!(flat.text.contains("With 16 in flight"), "{}", flat.text);
    assert_eq!(find(&beside_one_alone(16, 8000, 2000), "under-deep"), None);
    // A survey's verdict says both, and without R0 neither is known.
    let mut survey = beside_one_alone(64, 2000, 32_000);
    survey.plan.as_mut().unwrap().source.dialect = leadline_model::plan::Dialect::Native;
    assert_eq!(find(&survey, "over-deep"), None);
    let mut other = beside_one_alone(64, 2000, 32_000);
    let sizes = leadline_model::plan::BlockSizes::fixed(8192);
    other.plan.as_mut().unwrap().stages[0].workloads[0]
        .blocks_mut()
        .sizes = sizes;
    assert_eq!(find(&other, "over-deep"), None);
}

#[test]
fn latencies_that_are_long_for_their_window() {
    // 3.2 s of 10.
    let long = find(&beside_one_alone(64, 20, 3_200_000), "latency-long").unwrap();
    assert_eq!((long.severity, long.stage), (Severity::Warn, Some(1)));
    assert!(
        long.text.contains("on average, in a window of 10.0 s"),
        "{}",
        long.text
    );
    assert_eq!(
        find(&beside_one_alone(64, 2000, 32_000), "latency-long"),
        None
    );
}

#[test]
fn depth_without_an_engine_for_it() {
    let psync = |depth: u32| {
        move |run: &mut Run| {
            plan(run).engine.kind = leadline_model::plan::EngineKind::Psync;
            plan(run).depth = depth;
        }
    };
    let words = "A depth of 32 was requested of psync";
    fires("depth-ignored", Severity::Warn, words, psync(32));
    silent("depth-ignored", psync(1));
    silent("depth-ignored", |run| plan(run).depth = 32);
}

/// Cuts each service latency in two: this share of it, in percent, was spent handing over.
fn handing_over(run: &mut Run, percent: u64) {
    let counts = worker(run).counts.op_mut(Op::Read);
    let mut parts = leadline_model::sample::Parts::default();
    parts.submission.record_many(10_000 * percent, counts.ios);
    parts
        .completion
        .record_many(10_000 * (100 - percent), counts.ios);
    counts.parts = Some(parts);
}

#[test]
fn a_submission_that_waits() {
    let words = "Submission took 5";
    fires("blocking-submit", Severity::Warn, words, |run| {
        handing_over(run, 60)
    });
    silent("blocking-submit", |run| handing_over(run, 20));
    // One at a time waits anyway.
    silent("blocking-submit", |run| {
        handing_over(run, 60);
        plan(run).depth = 1;
    });
}

#[test]
fn units_that_were_taken_for_each_other() {
    let asked = |times: f64| {
        move |run: &mut Run| {
            at_rate(
                run,
                Rate::Bytes(leadline_model::units::whole(2000.0 * 4096.0 * times)),
            );
        }
    };
    fires(
        "unit-slip",
        Severity::Info,
        "as many MB/s",
        asked(1.048_576),
    );
    fires(
        "unit-slip",
        Severity::Info,
        "thousands of MiB/s",
        asked(1.024),
    );
    silent("unit-slip", |run| {
        asked(1.048_576)(run);
        // A study chose the rate.
        run.plan.as_mut().unwrap().stages[0].point = Some(leadline_model::plan::StudyPoint {
            role: leadline_model::plan::study::Role::Trial,
            at: leadline_model::plan::study::Coordinates::new(),
        });
    });
    silent("unit-slip", asked(1.035));
    silent("unit-slip", asked(1.0));
}

#[test]
fn latencies_that_no_network_has() {
    let fast = |kind: &'static str, share: u64| {
        move |run: &mut Run| {
            fixture::on_file_system(run, kind);
            let counts = worker(run).counts.op_mut(Op::Read);
            let hits = counts.ios * share / 100;
            counts.service.record_many(3_000, hits);
            counts.ios += hits;
        }
    };
    let words = "1 % of the reads took at most 3.0";
    fires("impossible-latency", Severity::Fail, words, fast("nfs4", 5));
    silent("impossible-latency", fast("ext4", 5));
    silent("impossible-latency", fast("nfs4", 0));
}

#[test]
fn latencies_that_are_not_there() {
    fires(
        "latency-zero",
        Severity::Fail,
        "Every I/O took 0 ns",
        |run| {
            let counts = worker(run).counts.op_mut(Op::Read);
            counts.service.clear();
            counts.service.record_many(0, counts.ios);
        },
    );
    silent("latency-zero", |run| hits(run, 100));
    let words = "They were measured: 1.0";
    fires("latencies-hidden", Severity::Info, words, |run| {
        plan(run).report.lat = false;
        plan(run).report.clat = false;
    });
    silent("latencies-hidden", |run| plan(run).report.lat = false);
}

/// Makes the run one of buffered writes.
fn buffered_writes(run: &mut Run) {
    plan(run).blocks_mut().mix = OpMix::Only(Op::Write);
    plan(run).blocks_mut().open.direct = false;
    for worker in &mut run.stages[0].workers {
        let counts = worker.counts.op_mut(Op::Read).clone();
        *worker.counts.op_mut(Op::Read) = leadline_model::sample::OpCounts::default();
        *worker.counts.op_mut(Op::Write) = counts;
    }
}

#[test]
fn writes_that_stay_in_memory() {
    let words = "476.56 MiB were written to this host's page cache, and nothing flushed them: all of it may still be there";
    fires("never-flushed", Severity::Warn, words, buffered_writes);
    // More than the memory: a part of it was on its way.
    fires("never-flushed", Severity::Warn, "up to 24 GiB", |run| {
        buffered_writes(run);
        worker(run).counts.op_mut(Op::Write).bytes = 60 << 30;
    });
    // Written again and again: what was there before is no longer.
    fires(
        "never-flushed",
        Severity::Warn,
        "up to 1 GiB, the data set",
        |run| {
            buffered_writes(run);
            plan(run).blocks_mut().region.size = Some(Amount::Bytes(1 << 30));
            worker(run).counts.op_mut(Op::Write).bytes = 60 << 30;
        },
    );
    let flushed: [fn(&mut Workload); 4] = [
        |w| w.blocks_mut().open.direct = true,
        |w| w.blocks_mut().sync.at_end = true,
        |w| w.blocks_mut().sync.fsync_every = 32,
        |w| w.blocks_mut().open.sync = leadline_model::plan::SyncMode::Dsync,
    ];
    for flush in flushed {
        silent("never-flushed", |run| {
            buffered_writes(run);
            flush(plan(run));
        });
    }
}

/// What block devices took of buffered writes is in the finding, and where they took all of it there is none.
#[test]
fn writes_that_devices_took_are_not_said_to_be_in_memory() {
    let taken = |share: u64, set: u64, left: u64| {
        move |run: &mut Run| {
            buffered_writes(run);
            plan(run).blocks_mut().region.size = Some(Amount::Bytes(set));
            for sample in &mut run.stages[0].samples {
                let counts = sample.counts.op_mut(Op::Read).clone();
                *sample.counts.op_mut(Op::Read) = leadline_model::sample::OpCounts::default();
                *sample.counts.op_mut(Op::Write) = counts;
            }
            let own = run.stages[0].samples.iter();
            let own = own.map(|s| s.counts.op(Op::Write).map_or(0, |op| op.bytes));
            let sectors = own.sum::<u64>() / 512 * share / 100;
            let left = Fact::new(FactKey::UNFLUSHED_AFTER, "", Bytes(left));
            run.stages[0].counted = vec![left];
            run.stages[0].disks = vec![leadline_model::event::DiskUse {
                host: 0,
                name: "vda".to_owned(),
                ios: [0, 1000],
                merges: [0, 0],
                sectors: [0, sectors],
                ticks_ms: [0, 1000],
                busy_ms: 1000,
                queue_ms: 1000,
                span_ms: 120_000,
            }];
        }
    };
    let words = |left: &str| {
        format!(
            "block devices wrote 75 % as much while the stage ran, and up to {left} of it may still be there"
        )
    };
    let of = |set, left| taken(75, set, left);
    let some = of(16 << 20, 1 << 30);
    fires("never-flushed", Severity::Warn, &words("16 MiB"), some);
    let some = of(16 << 20, 8 << 20);
    fires("never-flushed", Severity::Warn, &words("8 MiB"), some);
    // Others may have written as much: what was left to write says whether it was all.
    let words = "and up to 8 MiB of it may still be there";
    let all = taken(100, 1 << 30, 8 << 20);
    fires("never-flushed", Severity::Warn, words, all);
    silent("never-flushed", taken(100, 1 << 30, 1 << 20));
}

/// A set that was never written, and then written many times over: few of the writes were first ones.
#[test]
fn first_writes_are_counted_against_all_writes() {
    let of = |set: u64, is_random: bool| {
        move |run: &mut Run| {
            taken_over(run);
            let blocks = plan(run).blocks_mut();
            blocks.region.size = Some(Amount::Bytes(set));
            if !is_random {
                blocks.access.order = leadline_model::plan::Order::Sequential { skip: 0 };
            }
        }
    };
    // 476.56 MiB are written in all.
    let words = "100.0 % of the written range of f had never been written before";
    fires("first-write", Severity::Warn, words, of(1 << 30, true));
    let words = "Up to 47.50 MiB of the 476.56 MiB written (9.97 %) were first writes";
    fires(
        "first-write",
        Severity::Warn,
        words,
        of(47 << 20 | 1 << 19, true),
    );
    silent("first-write", of(4 << 20, true));
    silent("first-write", of(4 << 20, false));
    // What the first stage wrote is new in no later one.
    let mut run = sound();
    of(47 << 20, true)(&mut run);
    again(&mut run, 100);
    let all = findings(&run);
    let of_writes = all.iter().filter(|f| f.code == "first-write");
    let stages: Vec<_> = of_writes.map(|f| f.stage).collect();
    assert_eq!(stages, [Some(0)]);
    // Another file's is.
    plan(&mut run).blocks_mut().target = Target::Paths(vec!["g".to_owned()]);
    let all = findings(&run);
    assert!(
        all.iter()
            .any(|f| f.code == "first-write" && f.stage == Some(1))
    );
}

/// Direct writes to a file that had never been written.
fn taken_over(run: &mut Run) {
    buffered_writes(run);
    plan(run).blocks_mut().open.direct = true;
    plan(run).blocks_mut().target = Target::Paths(vec!["f".to_owned()]);
    for sample in &mut run.stages[0].samples {
        let counts = sample.counts.op_mut(Op::Read).clone();
        *sample.counts.op_mut(Op::Read) = leadline_model::sample::OpCounts::default();
        *sample.counts.op_mut(Op::Write) = counts;
    }
    let all = Percent::ALL;
    run.facts.push(Fact::new(FactKey::NEVER_WRITTEN, "f", all));
}

#[test]
fn first_writes_and_overwrites() {
    use leadline_model::plan::Order;
    // 120 s: the first 40 s are the first pass.
    let passes = |first: u64| {
        move |run: &mut Run| {
            let blocks = plan(run).blocks_mut();
            blocks.mix = OpMix::Only(Op::Write);
            blocks.access.order = Order::Sequential { skip: 0 };
            blocks.region.size = Some(Amount::Bytes(40 * first * 4096));
            over_time(run, |at| if at < 40 { first } else { 2000 });
            for sample in &mut run.stages[0].samples {
                let mut counts = sample.counts.op_mut(Op::Read).clone();
                counts.bytes = counts.ios * 4096;
                *sample.counts.op_mut(Op::Read) = leadline_model::sample::OpCounts::default();
                *sample.counts.op_mut(Op::Write) = counts;
            }
        }
    };
    let words = "The first pass over the 156.25 MiB wrote 3.91 MiB/s (4.10 MB/s), those after it 7.81 MiB/s";
    fires("first-pass", Severity::Info, words, passes(1000));
    silent("first-pass", passes(1900));
    silent("first-pass", |run| {
        passes(1000)(run);
        plan(run).blocks_mut().mix = OpMix::reads();
    });
}

#[test]
fn a_data_set_that_was_hardly_touched() {
    use leadline_model::plan::Coverage;
    let of = |gib: u64, coverage| {
        move |run: &mut Run| {
            plan(run).blocks_mut().region.size = Some(Amount::Bytes(gib << 30));
            plan(run).blocks_mut().access.coverage = coverage;
        }
    };
    // 122,000 of 262,144 blocks, each once; of four times as many, 11 % are touched by independent draws.
    silent("coverage", of(1, Coverage::OncePerPass));
    let once = of(4, Coverage::OncePerPass);
    fires(
        "coverage",
        Severity::Info,
        "12 % of the blocks of 4 GiB were touched",
        once,
    );
    let drawn = of(4, Coverage::WithRepeats);
    fires(
        "coverage",
        Severity::Info,
        "11 % of the blocks of 4 GiB",
        drawn,
    );
    silent("coverage", |run| {
        of(4, Coverage::OncePerPass)(run);
        plan(run).blocks_mut().access.order = leadline_model::plan::Order::Sequential { skip: 0 };
    });
}

#[test]
fn one_file_for_many_workers() {
    let shared = |kind: &'static str, paths: usize| {
        move |run: &mut Run| {
            fixture::on_file_system(run, kind);
            plan(run).clones = 8;
            let paths = (0..paths).map(|n| format!("/mnt/{n}")).collect();
            plan(run).blocks_mut().target = Target::Paths(paths);
        }
    };
    fires(
        "single-file",
        Severity::Warn,
        "8 workers share one file on nfs4",
        shared("nfs4", 1),
    );
    fires(
        "single-file",
        Severity::Warn,
        "8 workers share 3 files",
        shared("nfs4", 3),
    );
    silent("single-file", shared("nfs4", 4));
    silent("single-file", shared("xfs", 1));
}

#[test]
fn throughput_in_small_blocks() {
    use leadline_model::plan::access::Sizes;
    use leadline_model::plan::{BlockSizes, Order};
    let of = |size: u64| {
        move |run: &mut Run| {
            plan(run).blocks_mut().access.order = Order::Sequential { skip: 0 };
            plan(run).blocks_mut().sizes = BlockSizes::fixed(size);
        }
    };
    fires(
        "small-blocks",
        Severity::Warn,
        "sequential blocks of 4 KiB",
        of(4096),
    );
    silent("small-blocks", of(65_536));
    // `bs=4k,64k` of reads only.
    fires(
        "small-blocks",
        Severity::Warn,
        "sequential blocks of 4 KiB",
        |run| {
            of(4096)(run);
            plan(run).blocks_mut().sizes.by_op.write = Sizes::Fixed(65_536);
        },
    );
    fires(
        "small-blocks",
        Severity::Warn,
        "sequential blocks of at most 8 KiB",
        |run| {
            of(4096)(run);
            plan(run).blocks_mut().sizes.by_op.read = Sizes::Split(vec![(4096, 1), (8192, 1)]);
        },
    );
    silent("small-blocks", |run| {
        of(4096)(run);
        at_rate(run, Rate::Iops(2000.0));
    });
}

#[test]
fn one_sequential_io_at_a_time() {
    use leadline_model::plan::Order;
    use leadline_model::plan::access::Sizes;
    let of = |depth: u32| {
        move |run: &mut Run| {
            plan(run).blocks_mut().access.order = Order::Sequential { skip: 0 };
            plan(run).depth = depth;
        }
    };
    fires(
        "one-in-flight",
        Severity::Info,
        "divided by the latency of one I/O",
        of(1),
    );
    // Its size is that of reads; where there are several, it is the mean of what was done.
    let text = |read: Sizes| {
        let mut run = sound();
        of(1)(&mut run);
        let by_op = &mut plan(&mut run).blocks_mut().sizes.by_op;
        (by_op.read, by_op.write) = (read, Sizes::Fixed(65_536));
        find(&run, "one-in-flight").unwrap().text
    };
    let (one, several) = (
        text(Sizes::Fixed(4096)),
        text(Sizes::Split(vec![(512, 1), (65_536, 1)])),
    );
    assert!(one.contains("is the block size of 4 KiB divided"), "{one}");
    let mean = "is the mean block size of 4 KiB divided";
    assert!(several.contains(mean), "{several}");
    silent("one-in-flight", of(2));
    silent("one-in-flight", |run| {
        of(1)(run);
        plan(run).clones = 2;
    });
    silent("one-in-flight", |run| {
        of(1)(run);
        at_rate(run, Rate::Iops(2000.0));
    });
    silent("one-in-flight", |run| plan(run).depth = 1);
}

#[test]
fn contents_that_need_no_media() {
    use leadline_model::units::Percent;
    let holds = |sampled: u64, zeros: u8, repeated: u8| {
        move |run: &mut Run| {
            plan(run).blocks_mut().target = Target::Paths(vec!["/v".to_owned()]);
            run.facts.extend([
                Fact::new(FactKey::SAMPLED, "/v", FactValue::Count(sampled)),
                Fact::new(FactKey::ZEROS, "/v", Percent::whole(zeros)),
                Fact::new(FactKey::REPEATED, "/v", Percent::whole(repeated)),
            ]);
        }
    };
    let code = "same-contents";
    fires(
        code,
        Severity::Fail,
        "50 % of 64 sampled blocks of",
        holds(64, 50, 0),
    );
    fires(code, Severity::Warn, "are zeros", holds(64, 10, 90));
    fires(
        code,
        Severity::Warn,
        "have the same contents as another one",
        holds(8, 9, 25),
    );
    silent(code, holds(64, 9, 24));
    let compresses = |share: u8| {
        move |run: &mut Run| {
            holds(64, 0, 0)(run);
            let share = Percent::whole(share);
            run.facts
                .push(Fact::new(FactKey::COMPRESSIBLE, "/v", share));
        }
    };
    fires(
        code,
        Severity::Warn,
        "64 sampled blocks of /v compress by 90 % (estimated)",
        compresses(90),
    );
    silent(code, compresses(49));
    silent(code, holds(7, 100, 0));
    silent(code, |run| {
        holds(64, 100, 0)(run);
        plan(run).blocks_mut().mix = OpMix::Only(Op::Write);
    });
    silent(code, |run| {
        holds(64, 100, 0)(run);
        run.findings.push(Finding {
            code: "holes".to_owned(),
            severity: Severity::Fail,
            stage: Some(0),
            workload: Some(0),
            text: String::new(),
            cure: Cure::none(),
        });
    });
}
