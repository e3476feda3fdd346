//! The command lines and job files that people measure volumes with, scaled down, run to their end.
//!
//! These need no fio: what they must do is known.

use super::pair::{JOB_FILE, Job, count, figure, jobs, ours, read};
#[cfg(debug_assertions)]
use crate::support::simulated;
use crate::support::{Done, Place, finish, now};
use serde_json::Value;

/// What the command lines share, with the size and the times scaled down.
const COMMON: &str = "--directory=. --ioengine=libaio --size=16m --fallocate=none --direct=1 --runtime=1 \
                      --time_based --output-format=json";

/// Head of the job files.
const GLOBAL: &str =
    "[global]\nsize=4m\ndirect=1\niodepth=128\nioengine=libaio\nbs=4k\nnumjobs=4\n";

/// A run to its good end.
fn run(place: &Place, job: Job<'_>) -> Value {
    let done: Done = finish(&mut ours(place, job));
    assert_eq!(done.code, Some(0), "{done:?}");
    read(&done.stdout)
}

/// The jobs of a command line: `clones` of them, each fully measured in `side` for a second.
fn line(text: &str, clones: usize, side: &str) {
    let place = Place::new();
    let words: Vec<&str> = COMMON.split(' ').chain(text.split(' ')).collect();
    let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
    let start = now();
    let value = run(&place, Job::line(&words));
    // A busy machine may take as long as it likes, and no figure is longer than that.
    let took = start.elapsed().as_millis();
    assert_eq!(jobs(&value).len(), clones);
    for job in jobs(&value) {
        assert_eq!(count(job, &["error"]), 0);
        assert!(count(job, &[side, "total_ios"]) > 0);
        let runtime = count(job, &[side, "runtime"]);
        assert!(
            (500..=took).contains(&runtime.into()),
            "{runtime} ms in {took} ms"
        );
    }
}

#[test]
fn latency() {
    line(
        "--rw=randwrite --bs=4k --iodepth=1 --ramp_time=1 --name=latency",
        1,
        "write",
    );
}

#[test]
fn iops() {
    line(
        "--rw=randread --bs=4k --iodepth=32 --ramp_time=0 --name=iops",
        1,
        "read",
    );
}

#[test]
fn throughput() {
    line(
        "--rw=read --bs=64k --iodepth=32 --numjobs=4 --name=throughput",
        4,
        "read",
    );
}

/// A job file, called as the documents do; the directories in it are there.
fn file(text: &str) -> Value {
    let place = Place::new();
    for name in ["nocache", "readcache"] {
        std::fs::create_dir(place.join(name)).unwrap();
    }
    // A second, or as long as its size takes on a busy machine.
    let seconds = if text.contains("time_based") {
        "1"
    } else {
        "60"
    };
    let words = ["--runtime", seconds, JOB_FILE, "--output-format=json"];
    let text = format!("{GLOBAL}{text}");
    run(
        &place,
        Job {
            words: &words,
            file: Some(&text),
        },
    )
}

/// The four jobs of a name.
fn named<'a>(value: &'a Value, name: &str) -> Vec<&'a Value> {
    let name = Value::from(name);
    let of = |job: &&Value| *job.get("jobname").unwrap() == name;
    let all: Vec<&Value> = jobs(value).iter().filter(of).collect();
    assert_eq!(all.len(), 4);
    all
}

/// The sum of a count over the jobs of a name.
fn total(value: &Value, name: &str, path: &[&str]) -> u64 {
    named(value, name).iter().map(|job| count(job, path)).sum()
}

/// I/Os a second of the jobs of a name together.
fn rate(value: &Value, name: &str, side: &str) -> f64 {
    let all = named(value, name);
    all.iter().map(|job| figure(job, &[side, "iops"])).sum()
}

#[test]
fn the_file_of_writers() {
    let value = file("[writer1]\nrw=randwrite\ndirectory=nocache\n");
    assert_eq!(total(&value, "writer1", &["write", "io_bytes"]), 16 << 20);
}

#[test]
fn the_file_of_readers() {
    let value = file("[reader1]\nrw=randread\ndirectory=readcache\n");
    assert_eq!(total(&value, "reader1", &["read", "total_ios"]), 4 * 1024);
}

const FREE_READERS: &str = "time_based\n[reader1]\nrw=randread\ndirectory=readcache\n\
                            [writer1]\nrw=randwrite\ndirectory=nocache\nrate_iops=200\n";

#[test]
fn the_file_of_free_readers_beside_writers_at_a_rate() {
    let value = file(FREE_READERS);
    assert_eq!(total(&value, "writer1", &["read", "total_ios"]), 0);
    // Four writers, a second: never more than their rate lets through.
    let written = total(&value, "writer1", &["write", "total_ios"]);
    assert!((1..=804).contains(&written), "{written} written");
    assert!(total(&value, "reader1", &["read", "total_ios"]) > written);
}

#[cfg(debug_assertions)]
#[test]
fn the_rate_holds_writers_back_and_them_alone() {
    let place = Place::new();
    let text = format!("{GLOBAL}{FREE_READERS}");
    let job = Job {
        words: &["--runtime", "2", JOB_FILE, "--output-format=json"],
        file: Some(&text),
    };
    for name in ["nocache", "readcache"] {
        std::fs::create_dir(place.join(name)).unwrap();
    }
    // Of 512 places the readers fill all that the writers leave.
    let command = simulated(ours(&place, job), "service=1ms,parallel=512");
    let done = finish(&mut { command });
    assert_eq!(done.code, Some(0), "{done:?}");
    let value = read(&done.stdout);
    assert_eq!(total(&value, "writer1", &["write", "total_ios"]), 1600);
    assert!((rate(&value, "writer1", "write") - 800.0).abs() < 0.1);
    let read = rate(&value, "reader1", "read");
    assert!((508_000.0..=512_000.0).contains(&read), "{read} read");
}
