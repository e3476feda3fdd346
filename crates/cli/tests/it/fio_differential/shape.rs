//! The skeleton of the JSON: every key that fio prints is there, at its place, in its order, of its
//! kind; what ours has beside is documented.

use super::pair::{JOB_FILE, Job, at, count, has_direct, has_fio, jobs, pairs, together};
use crate::support::skip;
use leadline_model::histogram::fio_bin_value;
use leadline_testkit::json_shape as shape;
use serde_json::Value;
use std::collections::BTreeSet;

/// Keys that ours adds, and those that fio has had only since a version later than Debian's.
fn is_addition(line: &str) -> bool {
    let last_of = |names: &[&str]| names.iter().any(|name| line.ends_with(name));
    let under = |names: &[&str]| names.iter().any(|name| line.contains(name));
    under(&[".response_ns.", ".jobs[].lag_ns."])
        || line.starts_with(".leadline.")
        || last_of(&[".lat_ns.percentile {}", ".lat_ns.bins {}"])
        || last_of(&[".late_ios i", ".start_skew_ns i", ".unissued_ios i"])
        || last_of(&[
            ".job_start i",
            ".latency_target_ns i",
            ".latency_window_us i",
        ])
        || last_of(&["disk_util[].read_sectors i", "disk_util[].write_sectors i"])
}

/// The first difference that is no addition.
fn difference(fio: &[String], ours: &[String]) -> Option<String> {
    let mut wanted = fio.iter().peekable();
    for line in ours {
        if wanted.peek() == Some(&line) {
            wanted.next();
        } else if !is_addition(line) {
            return Some(format!("ours has {line}, fio {:?}", wanted.peek()));
        }
    }
    wanted.next().map(|line| format!("ours ends before {line}"))
}

/// A job as the only one, so that its skeleton is taken.
fn alone_of(job: &Value) -> Value {
    serde_json::json!({ "jobs": [job] })
}

/// Options with a value. Flags without one are left out by some versions of fio.
fn with_value<'a>(value: &'a Value, key: &str) -> Vec<(&'a String, &'a Value)> {
    pairs(value, key).filter(|(_, text)| *text != "").collect()
}

/// Names of percentiles, by direction.
fn percentiles(job: &Value) -> Vec<Vec<&String>> {
    let sides = ["read", "write", "trim", "mixed"].iter();
    let clat = sides.filter_map(|side| job.get(side)?.get("clat_ns"));
    let sync = job.get("sync").map(|sync| at(sync, &["lat_ns"]));
    clat.chain(sync)
        .map(|latency| pairs(latency, "percentile").map(|p| p.0).collect())
        .collect()
}

/// Runs a job by both and compares the skeletons of the wholes and of each job.
fn same(test: &str, job: Job<'_>) -> Option<[Value; 2]> {
    let [fio, ours] = together(job).fine(test)?.values();
    assert_eq!(difference(&shape(&fio), &shape(&ours)), None);
    assert_eq!(
        with_value(&fio, "global options"),
        with_value(&ours, "global options")
    );
    assert_eq!(jobs(&fio).len(), jobs(&ours).len());
    for (theirs, mine) in jobs(&fio).iter().zip(jobs(&ours)) {
        let skeletons = [theirs, mine].map(|job| shape(&alone_of(job)));
        assert_eq!(difference(&skeletons[0], &skeletons[1]), None);
        for key in ["jobname", "groupid", "error", "eta", "latency_depth"] {
            assert_eq!(at(theirs, &[key]), at(mine, &[key]), "{key}");
        }
        let given = [theirs, mine].map(|job| with_value(job, "job options"));
        assert_eq!(given[0], given[1]);
        assert_eq!(percentiles(theirs), percentiles(mine));
    }
    Some([fio, ours])
}

/// The skeletons of one job on the command line.
fn same_line(test: &str, words: &[&str]) -> Option<[Value; 2]> {
    if !has_fio(test) {
        return None;
    }
    let words = [&["--output-format=json", "--name=a"], words].concat();
    same(test, Job::line(&words))
}

#[test]
fn a_read_by_psync() {
    same_line(
        "fio_differential::shape::psync",
        &["--rw=read", "--bs=64k", "--size=4m", "--ioengine=psync"],
    );
}

#[test]
fn a_mix_by_io_uring() {
    same_line(
        "fio_differential::shape::io_uring",
        &[
            "--rw=randrw",
            "--rwmixread=70",
            "--size=4m",
            "--ioengine=io_uring",
            "--iodepth=8",
        ],
    );
}

#[test]
fn direct_writes_by_libaio() {
    let test = "fio_differential::shape::libaio";
    if !has_direct() {
        skip(test, "files here cannot be opened with O_DIRECT");
        return;
    }
    same_line(
        test,
        &[
            "--rw=randwrite",
            "--direct=1",
            "--size=4m",
            "--ioengine=libaio",
            "--iodepth=4",
        ],
    );
}

#[test]
fn clones_apart_and_together() {
    let test = "fio_differential::shape::clones";
    let apart = [
        "--rw=randwrite",
        "--numjobs=2",
        "--size=2m",
        "--ioengine=psync",
    ];
    let Some([fio, _]) = same_line(test, &apart) else {
        return;
    };
    assert_eq!(jobs(&fio).len(), 2);
    let together = [&apart[..], &["--group_reporting"]].concat();
    if let Some([fio, _]) = same_line(test, &together) {
        assert_eq!(jobs(&fio).len(), 1);
    }
}

#[test]
fn two_sections_of_a_file_one_after_the_other() {
    let test = "fio_differential::shape::sections";
    let file = "[global]\nsize=2m\nbs=8k\nioengine=psync\n[fill]\nrw=write\ndescription=first\n\
                [look]\nstonewall\nrw=randread\nnumjobs=2\n";
    if has_fio(test) {
        let words = ["--output-format=json", JOB_FILE];
        let pair = same(
            test,
            Job {
                words: &words,
                file: Some(file),
            },
        );
        let Some([fio, _]) = pair else { return };
        let groups: Vec<u64> = jobs(&fio).iter().map(|j| count(j, &["groupid"])).collect();
        assert_eq!(groups, [0, 1, 1]);
    }
}

#[test]
fn jobs_are_called_by_their_sections() {
    let test = "fio_differential::shape::names";
    let file = "[global]\nname=all\nsize=64k\n[a]\nnumjobs=2\n[b]\nname=own\n[c]\n";
    if has_fio(test) {
        let job = Job {
            words: &["--output-format=json", JOB_FILE],
            file: Some(file),
        };
        // `same` compares names.
        let Some([fio, _]) = same(test, job) else {
            return;
        };
        let names = jobs(&fio).iter().map(|j| at(j, &["jobname"]).clone());
        let names: Vec<Value> = names.collect();
        assert_eq!(names, ["a", "a", "own", "c"].map(Value::from));
    }
}

#[test]
fn syncs_and_bins() {
    let test = "fio_differential::shape::json_plus";
    let words = [
        "--output-format=json+",
        "--rw=write",
        "--size=1m",
        "--fsync=8",
    ];
    let Some(values) = same_line(test, &words) else {
        return;
    };
    let known: BTreeSet<String> = (0..29 * 64).map(|b| fio_bin_value(b).to_string()).collect();
    for value in &values {
        let job = &jobs(value)[0];
        for latency in [at(job, &["write", "clat_ns"]), at(job, &["sync", "lat_ns"])] {
            let bins: Vec<_> = pairs(latency, "bins").collect();
            let stray = bins.iter().find(|(name, _)| !known.contains(*name));
            assert_eq!(stray, None, "all are middles of fio's bins");
            let sum: u64 = bins.iter().map(|(_, n)| count(n, &[])).sum();
            assert_eq!(sum, count(latency, &["N"]));
            assert!(sum > 0);
        }
    }
}

#[test]
fn a_list_of_percentiles() {
    let words = ["--rw=write", "--size=1m", "--percentile_list=50:90:99.9"];
    if let Some([_, ours]) = same_line("fio_differential::shape::percentiles", &words) {
        let names = percentiles(&jobs(&ours)[0]).concat();
        assert_eq!(names[..3], ["50.000000", "90.000000", "99.900000"]);
    }
}

#[test]
fn directions_summed_up() {
    for way in ["1", "both", "0"] {
        let way = format!("--unified_rw_reporting={way}");
        let words = ["--rw=randrw", "--size=1m", &way];
        if same_line("fio_differential::shape::unified", &words).is_none() {
            return;
        }
    }
}

#[test]
fn the_comparison_finds_what_is_missing_moved_of_another_kind_or_too_much() {
    let fio = [".a i", ".b f", ".c s"].map(str::to_owned);
    let ours = |lines: &[&str]| {
        let lines: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
        difference(&fio, &lines)
    };
    assert_eq!(ours(&[".a i", ".jobs[].late_ios i", ".b f", ".c s"]), None);
    assert!(ours(&[".a i", ".b f"]).is_some());
    assert!(ours(&[".b f", ".a i", ".c s"]).is_some());
    assert!(ours(&[".a i", ".b i", ".c s"]).is_some());
    assert!(ours(&[".a i", ".b f", ".c s", ".d i"]).is_some());
}
