//! Snapshots of the block: widths, hosts, nothing yet, a stall, a long stage.

use super::*;
use crate::fixture;
use crate::run::StageRun;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::{CpuInterval, HostNews};
use leadline_model::failure::Failure;
use leadline_model::op::Op;
use leadline_model::plan::{HostSet, HostSpec, OpMix, Plan};
use leadline_model::sample::{Counts, Sample};

/// Reads of 100 to 200 us, a tenth of them of 1 to 2 ms, and from the 20th interval on a few of 40 ms.
fn sample(host: u32, interval: u64, ios: u64) -> Sample {
    let mut counts = Counts::default();
    let read = counts.op_mut(Op::Read);
    read.ios = ios;
    read.bytes = ios * 4096;
    for i in 0..ios {
        let latency = match i % 10 {
            9 if i % 200 == 9 && interval >= 20 => 40_000_000,
            9 => 1_000_000 + i * 100,
            _ => 100_000 + i * 10,
        };
        read.service.record(latency);
    }
    let write = counts.op_mut(Op::Write);
    write.ios = ios / 4;
    write.bytes = ios / 4 * 4096;
    (0..ios / 4).for_each(|i| write.service.record(300_000 + i));
    leadline_testkit::second(host, interval, counts)
}

fn progress(intervals: u64) -> StageProgress {
    let mut progress = StageProgress::default();
    (0..intervals).for_each(|i| progress.take(&sample(0, i, 4000 + 100 * (i % 30))));
    progress
}

fn tick(seconds: u64) -> Tick {
    Tick {
        at: Nanos(seconds * 1_000_000_000 + 100_000_000),
        expected: Some(Nanos::from_secs(60)),
        running: 1,
        span: Nanos::SECOND,
        ..Tick::default()
    }
}

fn hosts(labels: &[&str]) -> Run {
    Run {
        plan: Some(Plan {
            hosts: labels.iter().map(|l| HostSpec::local(l)).collect(),
            ..leadline_testkit::plan(Vec::new())
        }),
        ..Run::default()
    }
}

fn drawn(run: &Run, progress: &StageProgress, tick: &Tick, size: (usize, usize)) -> String {
    let view = LiveBlock {
        run,
        progress,
        tick,
        stage: "latency/4k-randread-qd1",
        point: Some(PointsOfAll {
            number: 3,
            all: 24,
            most: None,
            estimated: true,
        }),
        left: tick.expected.map(|all| all.since(tick.at)),
        after: Some(Nanos::from_secs(250)),
        at_least: false,
    };
    let style = Style {
        color: false,
        unicode: true,
        width: size.0,
    };
    let lines = live_block(&view, size.1, &style);
    assert!(lines.len() < size.1, "{lines:#?}");
    for line in &lines {
        assert!(line.chars().count() < size.0, "{line}");
    }
    // The same without symbols and with colours, as wide.
    for style in [
        Style {
            unicode: false,
            ..style
        },
        Style {
            color: true,
            ..style
        },
    ] {
        let others = live_block(&view, size.1, &style);
        assert_eq!(others.len(), lines.len());
        for (one, other) in lines.iter().zip(&others) {
            let bare = bare(other);
            assert_eq!(bare.chars().count(), one.chars().count(), "{bare}");
            assert_eq!(bare.is_ascii(), !style.unicode || one.is_ascii());
        }
    }
    lines.join("\n")
}

/// A line without its colours.
fn bare(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    first
        + &parts
            .map(|p| p.split_once('m').unwrap().1)
            .collect::<String>()
}

#[test]
fn it_is_as_wide_as_the_terminal() {
    let (run, progress) = (Run::default(), progress(45));
    insta::assert_snapshot!("wide", drawn(&run, &progress, &tick(45), (120, 40)));
    insta::assert_snapshot!("usual", drawn(&run, &progress, &tick(45), (80, 24)));
    insta::assert_snapshot!("narrow", drawn(&run, &progress, &tick(45), (60, 12)));
}

/// Of two hosts whose processors were counted, the busier one; a busy one is marked.
#[test]
fn busy_processors_are_shown_where_they_were_counted() {
    let of = |busy: [u64; 2]| {
        let mut run = hosts(&["a", "b"]);
        let each = (0..30).flat_map(|interval| {
            (0..2_u32)
                .zip(busy)
                .map(move |(host, percent)| CpuInterval {
                    host,
                    interval,
                    user: Nanos(percent * 4),
                    kernel: Nanos(percent * 6),
                    idle: Nanos(1000 - percent * 10),
                    ..CpuInterval::default()
                })
        });
        let stage = StageRun {
            processors: each.collect(),
            ..StageRun::default()
        };
        run.stages.push(stage);
        let shown = drawn(&run, &progress(30), &tick(30), (120, 24));
        shown.lines().nth(2).unwrap().to_owned()
    };
    assert!(
        of([20, 63]).ends_with("   processors 63 %"),
        "{}",
        of([20, 63])
    );
    assert!(of([97, 63]).ends_with("   processors 97 %"));
    // Below 85 % nothing is marked.
    let marked = |percent: u64| {
        let mut run = Run::default();
        let own = CpuInterval {
            interval: 29,
            user: Nanos(percent),
            idle: Nanos(100 - percent),
            ..CpuInterval::default()
        };
        let stage = StageRun {
            processors: vec![own],
            ..StageRun::default()
        };
        run.stages.push(stage);
        let progress = progress(30);
        let tick = tick(30);
        let view = LiveBlock {
            run: &run,
            progress: &progress,
            tick: &tick,
            stage: "s",
            point: None,
            left: None,
            after: None,
            at_least: false,
        };
        let style = Style {
            color: true,
            unicode: true,
            width: 120,
        };
        live_block(&view, 24, &style)[2].contains("\u{1b}[1;33mprocessors")
    };
    assert!(marked(85) && !marked(84));
}

#[test]
fn hosts_without_work_in_the_stage_are_not_waited_for() {
    let mut run = hosts(&["a", "b", "c", "d"]);
    let mut progress = StageProgress::default();
    for interval in 0..30 {
        progress.take(&sample(0, interval, 1000));
        progress.take(&sample(1, interval, 800));
    }
    let shown = drawn(&run, &progress, &tick(30), (80, 24));
    assert!(shown.contains("2 of 4 hosts report"), "{shown}");
    let mut workload = fixture::workload("a", OpMix::Only(Op::Read), 1 << 20, 1, 60);
    workload.hosts = HostSet::only([0, 1]).unwrap();
    let staged = fixture::plan(vec![("latency/4k-randread-qd1", vec![workload])]);
    run.plan.as_mut().unwrap().stages = staged.stages;
    let shown = drawn(&run, &progress, &tick(30), (80, 24));
    assert!(shown.contains("2 of 2 hosts report"), "{shown}");
    assert!(!shown.contains("no report"), "{shown}");
}

/// What has no room is left out, and no figure is cut.
#[test]
fn a_figure_is_shown_whole_or_not_at_all() {
    let line = "3 of 3 hosts report   slowest c 13.8k IOPS   a 13.9k, b 14k";
    let whole: Vec<&str> = line.split(' ').collect();
    for width in 0..=line.len() {
        let shown = super::cut(line, width);
        let is_whole = |word: &str| {
            word.is_empty() || whole.contains(&word) || !word.contains(|c: char| c.is_ascii_digit())
        };
        assert!(shown.split(' ').all(is_whole), "{width}: {shown}");
    }
    let run = hosts(&["client-a", "client-b", "client-c", "client-d"]);
    let mut progress = StageProgress::default();
    for host in 0..4 {
        (0..30).for_each(|at| progress.take(&sample(host, at, 400 + u64::from(host))));
    }
    for width in 20..140 {
        let shown = drawn(&run, &progress, &tick(30), (width, 24));
        let line = shown.lines().find(|line| line.contains("hosts"));
        let line = line.unwrap_or_default().trim_end();
        let ends = ["IOPS", "more", "report", "client-d 503"];
        assert!(
            width < 24 || ends.iter().any(|end| line.ends_with(end)),
            "{width}: {line}"
        );
        if line.contains("slowest") && !line.ends_with("IOPS") {
            assert!(
                line.ends_with("more") || line.contains("client-b 501, client-c 502, client-d 503"),
                "{line}"
            );
        }
    }
}

#[test]
fn hosts_that_lag_and_are_lost_are_named() {
    let mut run = hosts(&["a", "b", "c", "d"]);
    run.hosts.push(HostNews {
        host: 3,
        at: Nanos::SECOND,
        what: HostState::Lost {
            stage: Some(0),
            why: Failure::new(ErrorCode::HostLost, "gone", ""),
        },
    });
    let mut progress = StageProgress::default();
    for interval in 0..30 {
        progress.take(&sample(0, interval, 1000));
        progress.take(&sample(1, interval, 800));
        if interval < 12 {
            progress.take(&sample(2, interval, 900));
        }
    }
    insta::assert_snapshot!("hosts", drawn(&run, &progress, &tick(30), (100, 24)));
}

#[test]
fn no_figures_yet_and_a_stall_are_shown() {
    let run = Run::default();
    let mut none = tick(0);
    none.expected = None;
    let shown = drawn(&run, &StageProgress::default(), &none, (80, 24));
    insta::assert_snapshot!("nothing_yet", shown);
    let mut stalled = progress(20);
    (20..27).for_each(|i| stalled.take(&sample(0, i, 0)));
    let mut failed = sample(0, 27, 0);
    failed.counts.op_mut(Op::Read).errors = 1234;
    stalled.take(&failed);
    insta::assert_snapshot!("stall", drawn(&run, &stalled, &tick(28), (80, 24)));
}

#[test]
fn a_long_stage_is_shown_from_its_start() {
    let mut progress = StageProgress::default();
    (0..3000).for_each(|i| progress.take(&sample(0, i, 100 + i / 10)));
    let mut late = tick(3000);
    late.expected = Some(Nanos::from_secs(7200));
    insta::assert_snapshot!("long", drawn(&Run::default(), &progress, &late, (80, 24)));
}

#[test]
fn what_is_in_a_name_stays_in_its_line() {
    assert_eq!(plain("a\n\u{1b}[2J\tb"), "a\\u{a}\\u{1b}[2J\\u{9}b");
    assert_eq!(cut("\u{1b}[1mabc\u{1b}[0mdef", 2), "\u{1b}[1mab\u{1b}[0m");
    assert_eq!(cut("\u{1b}[1mabc\u{1b}[0mdef", 4), "\u{1b}[1mabc\u{1b}[0md");
}

#[test]
fn a_point_beyond_those_that_were_expected_is_of_the_most_that_may_be_or_of_at_least_its_number() {
    let words = |number, most| {
        let point = PointsOfAll {
            number,
            all: 24,
            most,
            estimated: true,
        };
        (point.words(), point.numbers())
    };
    let said = |words: &str, numbers: &str| (words.to_owned(), numbers.to_owned());
    assert_eq!(words(24, None), said("point 24 of about 24", "24/24"));
    assert_eq!(words(25, None), said("point 25 of at least 25", "25"));
    assert_eq!(words(24, Some(30)), said("point 24 of 24 to 30", "24/30"));
    assert_eq!(words(25, Some(30)), said("point 25 of up to 30", "25/30"));
    // No bound of a search is below what it does.
    assert_eq!(words(31, Some(30)), said("point 31 of at least 31", "31"));
}

#[test]
fn time_that_is_the_least_is_said_to_be_so() {
    let (run, progress, tick) = (hosts(&[]), StageProgress::default(), tick(30));
    let of = |after: u64, at_least: bool| {
        let view = LiveBlock {
            run: &run,
            progress: &progress,
            tick: &tick,
            stage: "curve/added",
            point: None,
            left: Some(Nanos::from_secs(30)),
            after: Some(Nanos::from_secs(after)),
            at_least,
        };
        let style = Style {
            color: false,
            unicode: true,
            width: 100,
        };
        live_block(&view, 24, &style).remove(1)
    };
    assert!(of(250, false).ends_with("30 s left, 4 min 40 s left in all"));
    assert!(of(250, true).ends_with("30 s left, over 4 min 40 s left in all"));
    assert!(of(0, true).ends_with("30 s left, over 30 s left in all"));
    assert!(of(0, false).ends_with(", 30 s left"));
}
