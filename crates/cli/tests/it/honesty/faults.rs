//! What a target does wrong is counted, ends the run as the plan has it, and is said; what was measured
//! until then is kept.

use crate::support::{Done, FileSystem, LEADLINE, Mount, Place, Running, finish, flushes, or_skip};
use std::fs::File;
use std::process::Command;
use std::time::Duration;

const MIB: usize = 1 << 20;
const EIO: i32 = 5;
const ENOSPC: i32 = 28;

/// An error ended the only job: fio's exit code for it, its number in the JSON, its words on stderr,
/// and a finding in the run file.
fn ended_by(place: &Place, done: &Done, errno: i32, words: &str) {
    assert_eq!(done.code, Some(1), "{done:?}");
    assert_eq!(done.job()["error"], errno, "{done:?}");
    assert!(done.stderr.contains(words), "{done:?}");
    let found = place.findings();
    assert!(found.contains(&"io-errors".to_owned()), "{found:?}");
}

fn ios(done: &Done, op: &str) -> u64 {
    done.job()[op]["total_ios"].as_u64().unwrap()
}

/// Reads a file of 4 MiB in a mount, past the page cache, at a depth of 4.
fn read(place: &Place, file: &str, engine: &str, more: &[&str]) -> Done {
    let (file, engine) = (format!("--filename={file}"), format!("--ioengine={engine}"));
    let common = [
        "--name=a",
        &file,
        &engine,
        "--rw=randread",
        "--bs=4k",
        "--direct=1",
        "--iodepth=4",
        "--number_ios=1000",
    ];
    finish(&mut place.fio(&[&common[..], more].concat()))
}

const ENGINES: [&str; 4] = ["io_uring", "libaio", "psync", "pvsync2"];

#[test]
fn an_error_ends_the_job_and_what_was_measured_before_is_kept() {
    let place = Place::new();
    let Some(mount) = or_skip("honesty::eio", Mount::start(&[])) else {
        return;
    };
    let file = mount.file("a", 4 * MIB);
    for engine in ENGINES {
        mount.command("clear\nreset\nerror read EIO at 50");
        let done = read(&place, &file, engine, &[]);
        ended_by(&place, &done, EIO, "Input/output error");
        // Which file, and where in it.
        assert!(done.stderr.contains("read of 4096 bytes at "), "{done:?}");
        assert!(done.stderr.contains(&file), "{done:?}");
        // Those in flight beside it were waited for, and few began before it was known: others may end first.
        let reads = ios(&done, "read");
        assert_eq!(reads, mount.counter("reads"), "{engine}: {done:?}");
        assert!((46..200).contains(&reads), "{engine}: {done:?}");
        assert_eq!(mount.counter("errors"), 1, "{engine}");
        mount.command("reset");
    }
}

#[test]
fn errors_that_are_passed_over_are_all_counted() {
    let place = Place::new();
    let Some(mount) = or_skip("honesty::eio_counted", Mount::start(&[])) else {
        return;
    };
    let file = mount.file("a", 4 * MIB);
    for engine in ENGINES {
        mount.command("clear\nreset\nerror read EIO every 50");
        let done = read(&place, &file, engine, &["--continue_on_error=read"]);
        assert_eq!(done.code, Some(0), "{done:?}");
        let (job, struck) = (done.job(), mount.counter("errors"));
        assert!(struck > 5, "{engine}: {struck} errors");
        assert_eq!(job["total_err"], struck, "{engine}");
        assert_eq!(job["first_error"], EIO, "{engine}");
        // As in fio, those that failed are among them.
        assert_eq!(ios(&done, "read"), mount.counter("reads"));
        assert!(done.stdout.contains("I/Os failed"), "{done:?}");
    }
}

#[test]
fn a_full_file_system_ends_the_job_with_what_fitted() {
    let place = Place::new();
    let args = ["--name=a", "--rw=write", "--bs=64k", "--size=8m"];
    for more in [
        // With a time it is not certain to be filled, and not refused for that.
        &["--direct=0", "--fallocate=none", "--runtime=60"][..],
        &["--direct=1", "--fallocate=none", "--runtime=60"],
        &[],
    ] {
        let mount = Mount::start(&["space 4m"]);
        let Some(mount) = or_skip("honesty::enospc", mount) else {
            return;
        };
        let file = format!("--filename={}", mount.path("a").display());
        let done = finish(&mut place.fio(&[&args[..], &[&file], more].concat()));
        if more.is_empty() {
            // When space is to be claimed first, it is known before anything is made.
            assert_eq!(done.code, Some(1), "{done:?}");
            assert!(done.stderr.contains("4 MiB free"), "{done:?}");
            assert!(done.stderr.contains("hint: "), "{done:?}");
            assert!(!mount.path("a").exists(), "nothing was made");
            continue;
        }
        ended_by(&place, &done, ENOSPC, "No space left on device");
        // Buffered, the kernel takes more than there is room for; then the flush fails. The one that failed counts, its
        // bytes do not.
        assert_eq!(ios(&done, "write"), 65, "{more:?}: {done:?}");
        assert_eq!(done.job()["write"]["io_bytes"], 4 * MIB, "{more:?}");
    }
}

#[test]
fn a_full_tmpfs_ends_the_job_with_what_fitted() {
    let place = Place::new();
    let Some(small) = or_skip("honesty::full_tmpfs", FileSystem::of("4m")) else {
        return;
    };
    let directory = format!("--directory={}", small.path().display());
    let done = finish(&mut place.fio(&[
        "--name=a",
        &directory,
        "--rw=write",
        "--bs=64k",
        "--size=8m",
        "--fallocate=none",
        "--runtime=60",
    ]));
    ended_by(&place, &done, ENOSPC, "No space left on device");
    assert_eq!(ios(&done, "write"), 65, "{done:?}");
    assert_eq!(done.job()["write"]["io_bytes"], 4 * MIB, "{done:?}");
}

/// Not with io_uring: there the kernel itself continues a short I/O, so that leadline never sees one.
#[test]
fn short_reads_and_writes_are_counted_as_short() {
    let place = Place::new();
    let mount = Mount::start(&["--serial", "short all 512 every 10"]);
    let Some(mount) = or_skip("honesty::short", mount) else {
        return;
    };
    let file = format!("--filename={}", mount.file("a", 4 * MIB));
    for (engine, op) in [
        ("psync", "read"),
        ("psync", "write"),
        ("pvsync2", "read"),
        ("libaio", "read"),
        ("libaio", "write"),
    ] {
        mount.command("clear\nreset\nshort all 512 every 10");
        let (engine, rw) = (format!("--ioengine={engine}"), format!("--rw={op}"));
        let done = finish(&mut place.fio(&[
            "--name=a",
            &file,
            &engine,
            &rw,
            "--bs=4k",
            "--size=1m",
            "--direct=1",
        ]));
        let struck = mount.counter("shorts");
        assert!(struck >= 20, "{engine} {op}: {struck}");
        let data = &done.job()[op];
        assert_eq!(data["short_ios"], struck, "{engine} {op}: {done:?}");
        let moved = data["io_bytes"].as_u64().unwrap();
        // No byte is counted that was not moved.
        assert_eq!(moved + struck * (4096 - 512), ios(&done, op) * 4096);
        assert!(
            done.stdout.contains("fewer bytes than requested"),
            "{done:?}"
        );
        assert!(place.findings().contains(&"short-io".to_owned()));
    }
}

#[test]
fn a_file_truncated_during_the_run_is_an_error_and_no_crash() {
    let place = Place::new();
    for engine in ["psync", "io_uring", "libaio", "pvsync2", "mmap"] {
        let path = place.file("t", 8 * MIB);
        let engine = format!("--ioengine={engine}");
        let running = Running::start(&mut place.fio(&[
            "--name=a",
            "--filename=t",
            &engine,
            "--rw=randread",
            "--bs=4k",
            "--runtime=60",
            "--time_based",
        ]));
        running.wait_for_intervals(&place.run_file(), 1);
        let file = File::options().write(true).open(&path).unwrap();
        file.set_len(MIB as u64).unwrap();
        let done = running.finish();
        ended_by(&place, &done, EIO, "Input/output error");
        assert!(ios(&done, "read") > 0, "{engine}: {done:?}");
        assert!(done.wall < Duration::from_secs(30), "{engine}: {done:?}");
        assert!(place.series().iter().any(|i| i.ios > 0), "{engine}");
    }
}

#[test]
fn a_flush_that_fails_is_an_error() {
    let place = Place::new();
    let Some(mount) = or_skip("honesty::fsync", Mount::start(&[])) else {
        return;
    };
    let file = format!("--filename={}", mount.file("a", MIB));
    // No flush before the start: only those of the job are struck.
    let args = [
        "--name=a",
        &file,
        "--rw=write",
        "--bs=64k",
        "--size=1m",
        "--invalidate=0",
    ];
    for (more, rule) in [
        ("--fsync=4", "error fsync EIO at 2"),
        ("--end_fsync=1", "error fsync EIO at 1"),
        ("--fsync_on_close=1", "error fsync EIO at 1"),
    ] {
        mount.command(&format!("clear\n{rule}"));
        let done = finish(&mut place.fio(&[&args[..], &[more]].concat()));
        ended_by(&place, &done, EIO, "Input/output error");
        assert!(ios(&done, "write") >= 8, "{more}: {done:?}");
    }
}

/// Each worker flushes each of its files once when it closes them, and a worker that reads flushes none.
#[test]
fn files_that_are_to_be_flushed_when_closed_are() {
    let two = [
        "--name=a",
        "--directory=.",
        "--size=256k",
        "--bs=64k",
        "--nrfiles=2",
        "--numjobs=2",
    ];
    for (words, expected) in [
        (&["--rw=write"][..], 0),
        (&["--rw=write", "--fsync_on_close=1"], 4),
        (&["--rw=write", "--end_fsync=1"], 4),
        (&["--rw=write", "--fsync_on_close=1", "--end_fsync=1"], 4),
        (&["--rw=read", "--fsync_on_close=1"], 0),
    ] {
        let place = Place::new();
        let done = finish(&mut place.fio(&[&two[..], words].concat()));
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(flushes(&place.run_file()), expected, "{words:?}");
    }
}

#[test]
fn a_target_that_goes_away_ends_the_run() {
    let place = Place::new();
    for engine in ["psync", "io_uring"] {
        let Some(mount) = or_skip("honesty::gone", Mount::start(&[])) else {
            return;
        };
        let file = format!("--filename={}", mount.file("a", MIB));
        let engine = format!("--ioengine={engine}");
        let running = Running::start(&mut place.fio(&[
            "--name=a",
            &file,
            &engine,
            "--rw=randread",
            "--bs=4k",
            "--direct=1",
            "--runtime=60",
            "--time_based",
        ]));
        running.wait_for_intervals(&place.run_file(), 1);
        mount.kill();
        let done = running.finish();
        assert_eq!(done.code, Some(1), "{done:?}");
        assert!(ios(&done, "read") > 0, "{done:?}");
        assert!(done.stderr.contains("I/Os failed"), "{done:?}");
        assert!(done.wall < Duration::from_secs(30), "{done:?}");
    }
}

#[test]
fn an_interrupted_call_is_asked_again_and_its_time_is_all_counted() {
    let place = Place::new();
    let Some(mount) = or_skip("honesty::eintr", Mount::start(&[])) else {
        return;
    };
    let file = format!("--filename={}", mount.file("a", MIB));
    for engine in ENGINES {
        let engine = format!("--ioengine={engine}");
        mount.command("clear\nreset\ndelay write 50ms\nerror write EINTR every 2");
        let done = finish(&mut place.fio(&[
            "--name=a",
            &file,
            &engine,
            "--rw=randwrite",
            "--bs=4k",
            "--direct=1",
            "--number_ios=5",
            "--rate_iops=1000",
        ]));
        assert_eq!(done.code, Some(0), "{done:?}");
        let job = done.job();
        assert_eq!(ios(&done, "write"), 5, "{done:?}");
        assert_eq!(mount.counter("writes"), 9, "4 were asked for twice");
        // The first takes 50 ms, each of the others twice that.
        let half = job["write"]["clat_ns"]["percentile"]["50.000000"].as_u64();
        assert!(half.unwrap() >= 100_000_000, "{engine}: {done:?}");
        assert_eq!(job["lag_ns"]["N"], 5, "one lag for each: {done:?}");
    }
}

#[test]
fn a_file_that_cannot_be_laid_out_is_named() {
    let place = Place::new();
    let mount = Mount::start(&["error write EIO at 3"]);
    let Some(mount) = or_skip("honesty::layout_error", mount) else {
        return;
    };
    let file = mount.path("a").display().to_string();
    let filename = format!("--filename={file}");
    let args = ["--name=a", &filename, "--rw=randread", "--size=8m"];
    let done = finish(&mut place.fio(&args));
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains(&file), "{done:?}");
    assert!(done.stderr.contains("input/output error"), "{done:?}");
    assert_eq!(done.stdout, "", "nothing was measured");
}

#[test]
fn a_job_that_cannot_start_does_not_take_the_others_with_it() {
    let place = Place::new();
    place.file("a", MIB);
    // There is memory for buffers of 32 x 64 MiB, and no room for them among the addresses of this process.
    let mut limited = Command::new("sh");
    limited.args(["-c", r#"ulimit -v 1500000; exec "$0" "$@""#, LEADLINE]);
    let huge = [
        "--name=huge",
        "--filename=a",
        "--rw=read",
        "--bs=64m",
        "--iodepth=32",
        "--ioengine=io_uring",
        "--size=64m",
        "--name=small",
        "--filename=a",
        "--rw=read",
        "--bs=4k",
        "--size=1m",
    ];
    let done = finish(&mut place.fio_by(limited, &huge));
    assert_eq!(done.code, Some(1), "{done:?}");
    let json = done.json();
    assert_eq!(json["jobs"][0]["error"], 12, "{done:?}");
    assert_eq!(json["jobs"][0]["read"]["total_ios"], 0, "{done:?}");
    assert_eq!(json["jobs"][1]["error"], 0, "{done:?}");
    assert_eq!(json["jobs"][1]["read"]["total_ios"], 256, "{done:?}");
    assert!(done.stderr.contains("no memory for"), "{done:?}");
}

#[test]
fn a_run_that_cannot_be_kept_is_still_a_run() {
    let place = Place::new();
    let Some(small) = or_skip("honesty::run_file_full", FileSystem::of("256k")) else {
        return;
    };
    let kept = format!(
        "--leadline-run={}",
        small.path().join("r.leadline").display()
    );
    let done = finish(&mut place.leadline([
        "fio",
        "--output-format=json",
        &kept,
        "--name=a",
        "--ioengine=null",
        "--size=1g",
        "--runtime=1",
        "--time_based",
        "--bwavgtime=10",
    ]));
    // It is shown, and what was asked for by name is not there.
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(ios(&done, "read") > 1000, "{done:?}");
    assert!(done.stderr.contains("run file"), "{done:?}");
    assert!(done.stderr.contains("full"), "{done:?}");
}
