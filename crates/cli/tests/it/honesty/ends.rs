//! Ended from outside: what was measured until then is reported and marked as cut short.

use crate::support::{Mount, Place, Running, finish, or_skip, sleep_ms};
use rustix::process::Signal;
use std::time::Duration;

/// What the list of run files says of them.
fn listed(place: &Place) -> String {
    finish(&mut place.leadline(["list", "."])).stdout
}

/// A job that would go on for a minute, with intervals of 100 ms.
const LONG: [&str; 6] = [
    "--name=a",
    "--ioengine=null",
    "--size=1g",
    "--runtime=60",
    "--time_based",
    "--bwavgtime=100",
];

#[test]
fn an_interrupted_job_reports_what_it_measured() {
    let place = Place::new();
    for signal in [Signal::INT, Signal::TERM] {
        let running = Running::start(&mut place.fio(&LONG));
        running.wait_for_intervals(&place.run_file(), 2);
        running.signal(signal);
        let done = running.finish();
        assert_eq!(done.code, Some(128), "{done:?}");
        assert!(done.wall < Duration::from_secs(30), "{done:?}");
        let read = &done.job()["read"];
        assert!(read["total_ios"].as_u64().unwrap() > 0, "{done:?}");
        let runtime = read["runtime"].as_u64().unwrap();
        assert!((200..30_000).contains(&runtime), "{runtime} ms");
        assert!(place.findings().contains(&"cut-short".to_owned()));
        assert!(listed(&place).contains("cut short"), "{}", listed(&place));
        let series = place.series();
        let counted: u64 = series.iter().map(|i| i.ios).sum();
        assert_eq!(read["total_ios"], counted, "intervals and total agree");
    }
}

#[test]
fn an_interrupt_while_files_are_laid_out_ends_that_too() {
    let place = Place::new();
    // A slow target: 64 MiB in writes of a mebibyte or less, each 100 ms late, one after the other.
    let Some(mount) = or_skip("honesty::layout", Mount::start(&["delay write 100ms"])) else {
        return;
    };
    let directory = format!("--directory={}", mount.path("").display());
    let args = ["--name=a", &directory, "--size=64m", "--rw=randread"];
    let running = Running::start(&mut place.fio(&args));
    running.wait_for(&place.run_file());
    sleep_ms(500);
    running.signal(Signal::INT);
    let done = running.finish();
    assert_eq!(done.code, Some(128), "{done:?}");
    assert!(done.wall < Duration::from_secs(30), "{done:?}");
    assert!(listed(&place).contains("cut short"), "{}", listed(&place));
}

#[test]
fn a_second_interrupt_quits_at_once() {
    let place = Place::new();
    // Two that arrive together, so that the first has no time to end the run: two kinds of them, since
    // a process has at most one of each kind waiting.
    let running = Running::start(&mut place.fio(&LONG));
    running.wait_for(&place.run_file());
    sleep_ms(300);
    running.stop();
    running.signal(Signal::INT);
    running.signal(Signal::TERM);
    running.signal(Signal::CONT);
    let done = running.finish();
    assert_eq!(done.code, Some(130), "{done:?}");
    assert_eq!(done.stdout, "", "it takes no time to report");
    assert!(done.wall < Duration::from_secs(30), "{done:?}");
    assert!(
        listed(&place).contains("not finished"),
        "{}",
        listed(&place)
    );
}

#[test]
fn a_killed_run_leaves_a_run_file_that_says_so() {
    let place = Place::new();
    let running = Running::start(&mut place.fio(&LONG));
    running.wait_for_intervals(&place.run_file(), 2);
    running.signal(Signal::KILL);
    let done = running.finish();
    assert_eq!(done.signal, Some(9), "{done:?}");
    assert!(place.kept().outcome.is_none());
    let series = place.series();
    assert!(series.len() >= 2, "{series:?}");
    assert!(series.iter().any(|i| i.ios > 0), "{series:?}");
    assert!(
        listed(&place).contains("not finished"),
        "{}",
        listed(&place)
    );
    let shown = finish(&mut place.leadline(["show", "run.leadline"]));
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stdout.contains("not-finished"), "{shown:?}");
}

#[test]
fn an_interrupted_survey_reports_what_it_measured() {
    let place = Place::new();
    std::fs::create_dir(place.join("here")).unwrap();
    let args = [
        "measure",
        "here",
        "--quick",
        "--size=16m",
        "--time=2s",
        "--out=cut",
    ];
    let running = Running::start(&mut place.leadline(args));
    running.wait_for_intervals(&place.join("cut.leadline"), 2);
    running.signal(Signal::INT);
    let done = running.finish();
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(done.stdout.contains("IOPS"), "{done:?}");
    assert!(done.stdout.contains("cut-short"), "{done:?}");
    assert!(listed(&place).contains("cut short"), "{}", listed(&place));
    let page = std::fs::read_to_string(place.join("cut.html")).unwrap();
    assert!(page.contains("cut short"), "the report says it too");
    let left = std::fs::read_dir(place.join("here")).unwrap();
    assert_eq!(
        left.count(),
        0,
        "its files are gone, and so is the directory made for them"
    );
}
