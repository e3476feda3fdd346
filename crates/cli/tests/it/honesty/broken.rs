//! Defects of leadline's own, on command (builds for development only): who breaks is named, and what was
//! measured until then is kept.

use crate::support::{Done, Place, finish};

/// Two jobs of one worker each; the workers are `worker-0` and `worker-1`.
const TWO: [&str; 8] = [
    "--ioengine=null",
    "--size=1t",
    "--runtime=2",
    "--time_based",
    "--bwavgtime=100",
    "--name=a",
    "--name=b",
    "--flow=1",
];

/// Runs jobs of which a worker breaks as `order` says. Without a trace of its stack: to look up the names of one takes longer
/// on a busy machine than the jobs run, and until then the worker has not ended.
fn broken(place: &Place, order: &str, args: &[&str]) -> Done {
    let mut command = place.fio(args);
    command.env("RUST_BACKTRACE", "0");
    finish(command.env("LEADLINE_TEST_PANIC", order))
}

#[test]
fn a_worker_that_panics_is_named_and_what_it_measured_is_kept() {
    let place = Place::new();
    let done = broken(&place, "worker-1:5000", &TWO);
    assert_eq!(done.code, Some(1), "{done:?}");
    let json = done.json();
    let (whole, half) = (&json["jobs"][0], &json["jobs"][1]);
    assert_eq!((&whole["error"], &half["error"]), (&0.into(), &131.into()));
    assert_eq!(half["read"]["total_ios"], 4999, "{done:?}");
    assert!(whole["read"]["runtime"].as_u64().unwrap() >= 1000);
    let kept = place.kept();
    let count_of = |code: &str| kept.findings.iter().filter(|f| f.code == code).count();
    assert_eq!((count_of("worker-failed"), count_of("io-errors")), (1, 0));
    let shown = finish(&mut place.leadline(["show", "run.leadline"]));
    assert!(shown.stdout.contains("broken on command"), "{shown:?}");
    // The other one is as good as a busy machine lets it be.
    assert!(
        shown.stdout.contains("worker-failed at 1 of 2"),
        "{shown:?}"
    );
}

#[test]
fn a_worker_that_breaks_before_its_start_does_not_block_the_others() {
    let place = Place::new();
    let done = broken(&place, "worker-0:0", &TWO);
    assert_eq!(done.code, Some(1), "{done:?}");
    let json = done.json();
    assert_eq!(json["jobs"][0]["error"], 131);
    assert!(json["jobs"][1]["read"]["total_ios"].as_u64() > Some(1000));
    assert!(place.findings().contains(&"worker-failed".to_owned()));
    let alone = [&TWO[..5], &["--name=a"]].concat();
    let done = broken(&place, "worker-0:0", &alone);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("error: leadline itself failed"));
}

#[test]
fn the_share_of_a_worker_that_broke_is_not_waited_for() {
    let place = Place::new();
    let coupled = [&TWO[..], &["--name=c", "--flow=1"]].concat();
    let done = broken(&place, "worker-1:500", &coupled);
    let ios = |job: usize| done.json()["jobs"][job]["read"]["total_ios"].clone();
    assert_eq!(ios(1), 499, "{done:?}");
    assert!(ios(2).as_u64() > Some(50_000), "{done:?}");
}

#[test]
fn a_workload_that_was_kept_from_its_io_fails_the_run_in_every_front_end() {
    let place = Place::new();
    let barred = |words: &[&str]| finish(place.leadline(words).env("LEADLINE_TEST_BAR", "b"));
    let fio = barred(&[&["fio"][..], &TWO, &["--name=c", "--flow=1"]].concat());
    let file = "sd=s,lun=f,size=4m\nwd=a,sd=s,rdpct=100,skew=50\nwd=b,sd=s,rdpct=100,skew=50\n\
                rd=r,wd=(a,b),iorate=max,elapsed=2,interval=1\n";
    std::fs::write(place.join("p.vdb"), file).unwrap();
    let vdbench = barred(&["vdbench", "-f", "p.vdb"]);
    for (done, code) in [(fio, 1), (vdbench, 157)] {
        assert_eq!(done.code, Some(code), "{done:?}");
        let said = "it held its I/O back although nothing limited it";
        let shown = format!("{}{}", done.stdout, done.stderr);
        assert!(shown.contains(said), "{done:?}");
    }
}

#[test]
fn a_process_that_breaks_leaves_what_it_measured() {
    let place = Place::new();
    let mut args = TWO.to_vec();
    // At a rate, and longer than it takes.
    args.splice(2..3, ["--runtime=15", "--rate_iops=1000"]);
    let done = broken(&place, "worker-1:1600:abort", &args);
    assert_eq!(done.signal, Some(6), "{done:?}");
    assert!(place.kept().outcome.is_none());
    let counted: u64 = place.series().iter().map(|i| i.ios).sum();
    // Half a second of 1,000 a second at least: what a second's end had not kept is gone.
    assert!(counted >= 500, "{counted}");
    let shown = finish(&mut place.leadline(["show", "run.leadline"]));
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stdout.contains("not-finished"), "{shown:?}");
}
