//! Ends that are not leadline's own: signals, limits of the process, names that cannot be read. Each has words and an
//! exit code, and what was measured is kept.

use crate::support::{LEADLINE, Place, Running, finish, or_skip, sleep_ms, unprivileged};
use rustix::process::Signal;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

/// `leadline ARGS` after a shell command.
fn after_shell(line: &str, place: &Place, args: &[&str]) -> Command {
    let mut shell = Command::new("sh");
    let line = format!("{line}; exec \"$@\"");
    shell.args(["-c", &line, "sh", LEADLINE]).args(args);
    shell.current_dir(place.path());
    shell.env("XDG_STATE_HOME", place.join("state"));
    shell
}

const SURVEY: [&str; 9] = [
    "measure",
    "dir",
    "--size",
    "1m",
    "--time",
    "2s",
    "--buffered",
    "--out",
    "s",
];

/// As fio does: in the forms and the place of the results, as if the run ended there.
#[test]
fn sigusr1_shows_fios_status() {
    let place = Place::new();
    for (format, to, mark) in [
        ("normal", "", "Run status group 0"),
        ("json", "", "\"fio version\""),
        ("normal", "--output=o", "Run status group 0"),
    ] {
        let format = format!("--output-format={format}");
        let mut words = vec![
            "fio",
            "--name=a",
            "--size=1m",
            "--rate_iops=100",
            "--time_based",
            "--runtime=2",
            "--leadline-run=run.leadline",
            &format,
        ];
        words.extend(Some(to).filter(|to| !to.is_empty()));
        let _ = std::fs::remove_file(place.run_file());
        let running = Running::start(&mut place.leadline(words));
        running.wait_for(&place.run_file());
        sleep_ms(900);
        running.signal(Signal::USR1);
        let done = running.finish();
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
        let shown = match to {
            "" => done.stdout.clone(),
            _ => std::fs::read_to_string(place.join("o")).unwrap(),
        };
        assert_eq!(shown.matches(mark).count(), 2, "{shown}");
    }
}

#[test]
fn a_terminal_that_goes_away_ends_a_survey_with_its_report() {
    for signal in [Signal::HUP, Signal::QUIT] {
        let place = Place::new();
        std::fs::create_dir(place.join("dir")).unwrap();
        // Whoever runs this test may ignore both.
        let heard = "set -- env --default-signal=HUP,QUIT \"$@\"";
        let running = Running::start(&mut after_shell(heard, &place, &SURVEY));
        running.wait_for_intervals(&place.join("s.leadline"), 2);
        running.signal(signal);
        if signal == Signal::HUP {
            // Shells send it too.
            running.signal(signal);
        }
        let done = running.finish();
        assert_eq!(done.code, Some(130), "{done:?}");
        assert!(std::fs::metadata(place.join("s.html")).unwrap().len() > 0);
        let left = std::fs::read_dir(place.join("dir")).unwrap();
        assert_eq!(left.count(), 0, "files of the survey are left");
    }
}

#[test]
fn nohup_is_respected() {
    let place = Place::new();
    let job = "--name=a --ioengine=null --size=1g --rw=read --time_based --runtime=2";
    let args: Vec<&str> = ["fio"].into_iter().chain(job.split(' ')).collect();
    let running = Running::start(&mut after_shell("trap '' HUP", &place, &args));
    sleep_ms(700);
    running.signal(Signal::HUP);
    let done = running.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.wall.as_millis() > 1800, "{done:?}");
}

#[test]
fn a_file_beyond_the_limit_of_the_process_is_an_error_in_words() {
    let place = Place::new();
    let job = ["fio", "--name=a", "--filename=f", "--rw=read", "--size=8m"];
    let done = finish(&mut after_shell("ulimit -f 2000", &place, &job));
    assert_eq!((done.code, done.signal), (Some(1), None), "{done:?}");
    assert!(done.stderr.contains("can be at most 1000 KiB"), "{done:?}");
    assert!(done.stderr.contains("ulimit -f"), "{done:?}");
    // Where nothing is made first, the write that goes beyond it fails.
    let job = "fio --name=a --filename=g --rw=write --size=8m --fallocate=none";
    let job: Vec<&str> = job.split(' ').collect();
    let done = finish(&mut after_shell("ulimit -f 2000", &place, &job));
    assert_eq!((done.code, done.signal), (Some(1), None), "{done:?}");
    assert!(done.stderr.contains("File too large"), "{done:?}");
}

#[test]
fn a_limit_of_processes_is_an_error_in_words() {
    let name = "leadline::a_limit_of_processes_is_an_error_in_words";
    if or_skip(name, unprivileged()).is_none() {
        return;
    }
    let place = Place::new();
    std::fs::write(place.join("f"), vec![1; 1 << 20]).unwrap();
    // A user with no other process, so that the limit is for this one alone.
    let mut runner = Command::new("prlimit");
    runner.args(["--nproc=1:1", "setpriv", "--reuid=64123", "--regid=65534"]);
    runner.args(["--clear-groups", LEADLINE]);
    runner.args([
        "fio",
        "--name=a",
        "--filename=f",
        "--rw=read",
        "--leadline-run=none",
    ]);
    runner.current_dir(place.path());
    let done = finish(&mut runner);
    assert_eq!((done.code, done.signal), (Some(1), None), "{done:?}");
    assert!(done.stderr.contains("cannot start a"), "{done:?}");
    assert!(done.stderr.contains("ulimit -u"), "{done:?}");
}

#[test]
fn a_name_that_is_no_utf_8_is_refused_and_no_other_file_is_made() {
    let bytes = |bytes: &'static [u8]| OsStr::from_bytes(bytes).to_owned();
    let words = |all: &[&str]| all.iter().map(OsString::from).collect::<Vec<_>>();
    let fio = words(&["fio", "--name=a", "--rw=write", "--size=64k"]);
    let place = Place::new();
    std::fs::write(
        place.join("j.fio"),
        b"[a]\nrw=write\nsize=64k\nfilename=bad\xff\xfe\n",
    )
    .unwrap();
    std::fs::write(
        place.join("j.vdb"),
        b"sd=s,lun=/tmp/bad\xff,size=1m\nwd=w,sd=s\nrd=r,wd=w,iorate=max,elapsed=2,interval=1\n",
    )
    .unwrap();
    // The name of a job is the name of its file.
    std::fs::write(place.join("n.fio"), b"[a\xff]\nrw=write\nsize=64k\n").unwrap();
    let before = std::fs::read_dir(place.path()).unwrap().count();
    for (args, code) in [
        (words(&["fio", "n.fio"]), 1),
        ([&fio[..], &[bytes(b"--filename=bad\xff\xfe")]].concat(), 1),
        (words(&["fio", "j.fio"]), 1),
        (words(&["vdbench", "-f", "j.vdb"]), 157),
        (words(&["plan", "fio", "j.fio"]), 2),
        (
            [&words(&["plan", "fio"])[..], &[bytes(b"--filename=\xff")]].concat(),
            2,
        ),
        (
            [&words(&["diskspd", "-c1M"])[..], &[bytes(b"bad\xff")]].concat(),
            3,
        ),
        (
            [&words(&["measure", "--quick"])[..], &[bytes(b"dir\xff")]].concat(),
            2,
        ),
    ] {
        let done = finish(&mut place.leadline(&args));
        assert_eq!(
            (done.code, done.signal),
            (Some(code), None),
            "{args:?} {done:?}"
        );
        assert!(done.stderr.contains("UTF-8"), "{done:?}");
        let names = std::fs::read_dir(place.path()).unwrap().flatten();
        let names: Vec<_> = names
            .map(|e| e.file_name())
            .filter(|n| n != "state")
            .collect();
        assert_eq!(names.len(), before, "{args:?} {names:?}");
    }
}

#[test]
fn a_report_has_any_name_that_a_file_can_have() {
    let place = Place::new();
    let name = |end: &[u8]| OsStr::from_bytes(&[b"r\xff", end].concat()).to_owned();
    let run = [
        "fio",
        "--name=a",
        "--ioengine=sim",
        "--size=64k",
        "--leadline-run=r.leadline",
    ];
    assert_eq!(finish(&mut place.leadline(run)).code, Some(0));
    let other = place.path().join(name(b".leadline"));
    std::fs::rename(place.join("r.leadline"), other).unwrap();
    let args = [OsString::from("report"), name(b".leadline")];
    let done = finish(&mut place.leadline(args));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(place.path().join(name(b".html")).is_file());
}

/// What a verb says of its exit statuses is so of each: 4 for a file that is not its own, also where it only shows what it
/// would do, and 2 for a target that is not there. A plan may be shown before its directory is mounted.
#[test]
fn a_file_of_others_ends_with_4_and_a_missing_directory_with_2() {
    let place = Place::new();
    std::fs::write(place.join("mine"), "text").unwrap();
    for verb in [
        &["measure"][..],
        &["plan", "measure"],
        &["study", "depth", "--quick"],
        &["study", "latency", "--quick"],
        &["plan", "study", "latency"],
    ] {
        let done = finish(&mut place.leadline([verb, &["mine"]].concat()));
        assert_eq!(done.code, Some(4), "{verb:?}: {done:?}");
        assert!(done.stderr.contains("refused: "), "{verb:?}: {done:?}");
        assert_eq!(std::fs::read_to_string(place.join("mine")).unwrap(), "text");
        let done = finish(&mut place.leadline([verb, &["nowhere"]].concat()));
        let expected = if verb[0] == "plan" { 0 } else { 2 };
        assert_eq!(done.code, Some(expected), "{verb:?}: {done:?}");
        assert!(!place.join("nowhere").exists(), "{verb:?}");
    }
}
