//! The figures: exact where the job says how much is done, near where a clock does.

use super::pair::{Job, at, count, figure, has_fio, in_turn, jobs, pairs, together};
use crate::support::alone;
use leadline_results::render::fio::Value;

const SIDES: [&str; 2] = ["read", "write"];

/// I/Os and bytes of a job, both directions.
fn amounts(job: &Value) -> [u64; 2] {
    ["total_ios", "io_bytes"].map(|key| SIDES.iter().map(|side| count(job, &[side, key])).sum())
}

/// What must be so in any direction with I/O: counted once, ordered, in range.
fn sound(job: &Value) {
    for side in SIDES {
        let side = at(job, &[side]);
        let ios = count(side, &["total_ios"]);
        assert_eq!(
            count(side, &["io_kbytes"]),
            count(side, &["io_bytes"]) / 1024
        );
        for latency in ["clat_ns", "lat_ns", "response_ns"] {
            let latency = at(side, &[latency]);
            assert_eq!(count(latency, &["N"]), ios, "a sample for each I/O");
            let values = pairs(latency, "percentile").iter();
            let values: Vec<u64> = values.map(|(_, v)| count(v, &[])).collect();
            assert_eq!(values.is_empty(), ios == 0);
            assert!(values.is_sorted(), "{values:?}");
            let [min, max] = ["min", "max"].map(|key| count(latency, &[key]));
            assert!(values.iter().all(|v| (min..=max).contains(v)), "{values:?}");
            let mean = figure(latency, &["mean"]);
            assert!((min as f64..=max as f64).contains(&mean), "{mean}");
        }
    }
}

/// Whether `a` and `b` differ by no more than `share` of `b`.
fn near(a: f64, b: f64, share: f64) -> bool {
    (a - b).abs() <= share * b
}

/// Jobs bound by their size do exactly the same amount.
#[test]
fn the_same_amount() {
    let test = "fio_differential::values::amount";
    if !has_fio(test) {
        return;
    }
    let _alone = alone();
    let cases: [&[&str]; 9] = [
        &["--rw=read", "--bs=64k"],
        &["--rw=randwrite", "--ioengine=io_uring", "--iodepth=8"],
        &[
            "--rw=randread",
            "--ioengine=libaio",
            "--iodepth=4",
            "--bs=16k",
        ],
        &["--rw=randrw", "--rwmixread=70"],
        &["--rw=write", "--io_size=1m"],
        &["--rw=write", "--io_size=6m", "--bs=32k"],
        &["--rw=read", "--loops=2"],
        &["--rw=randread", "--number_ios=100"],
        &[
            "--rw=write",
            "--numjobs=2",
            "--group_reporting",
            "--offset_increment=1m",
        ],
    ];
    for case in cases {
        let words = [&["--output-format=json", "--name=a", "--size=4m"], case].concat();
        let Some(pair) = together(Job::line(&words)).fine(test) else {
            continue;
        };
        let [fio, ours] = pair.values();
        let [theirs, mine] = [&jobs(&fio)[0], &jobs(&ours)[0]];
        assert!(amounts(mine)[0] > 0, "{case:?}");
        assert_eq!(amounts(theirs), amounts(mine), "{case:?}");
        sound(mine);
    }
}

#[test]
fn the_same_mix() {
    let test = "fio_differential::values::mix";
    if !has_fio(test) {
        return;
    }
    let _alone = alone();
    for mix in [10, 70] {
        let mix_option = format!("--rwmixread={mix}");
        let words = [
            "--output-format=json",
            "--name=a",
            "--size=16m",
            "--rw=randrw",
            &mix_option,
        ];
        let Some(pair) = together(Job::line(&words)).fine(test) else {
            return;
        };
        let shares = pair.values().map(|value| {
            let job = &jobs(&value)[0];
            figure(job, &["read", "total_ios"]) * 100.0 / amounts(job)[0] as f64
        });
        assert!((shares[0] - shares[1]).abs() < 3.0, "{shares:?}");
        assert!((shares[1] - f64::from(mix)).abs() < 3.0, "{shares:?}");
    }
}

/// Syncs: fio makes one only when another write follows, ours also after the last one.
#[test]
fn the_same_syncs() {
    let test = "fio_differential::values::syncs";
    if !has_fio(test) {
        return;
    }
    let _alone = alone();
    for (option, every) in [("--fsync=8", 8), ("--fdatasync=16", 16)] {
        let words = [
            "--output-format=json",
            "--name=a",
            "--size=1m",
            "--rw=write",
            option,
        ];
        let Some(pair) = together(Job::line(&words)).fine(test) else {
            return;
        };
        let [fio, ours] = pair.values();
        let syncs = [&fio, &ours].map(|value| {
            // fio counts those of fdatasync among the samples alone.
            count(&jobs(value)[0], &["sync", "lat_ns", "N"])
        });
        let counted = count(&jobs(&ours)[0], &["sync", "total_ios"]);
        assert_eq!(counted, syncs[1]);
        assert_eq!(syncs[1], 256 / every);
        assert!((0..=1).contains(&(syncs[1] - syncs[0])), "{syncs:?}");
    }
}

/// Jobs bound by time take the same time, and rates are amounts over it.
#[test]
fn the_same_time() {
    let test = "fio_differential::values::time";
    if !has_fio(test) {
        return;
    }
    let _alone = alone();
    let words = "--output-format=json --name=a --size=16m --rw=randrw --ioengine=io_uring --iodepth=4 \
                 --runtime=1 --time_based";
    let words: Vec<&str> = words.split_whitespace().collect();
    let Some(pair) = in_turn(Job::line(&words)).fine(test) else {
        return;
    };
    let [fio, ours] = pair.values();
    let [theirs, mine] = [&jobs(&fio)[0], &jobs(&ours)[0]];
    sound(mine);
    for side in SIDES {
        let [theirs, mine] = [theirs, mine].map(|job| at(job, &[side]));
        let runtimes = [theirs, mine].map(|side| figure(side, &["runtime"]));
        assert!(near(runtimes[1], runtimes[0], 0.2), "{runtimes:?} ms");
        let seconds = runtimes[1] / 1000.0;
        let get = |key: &str| figure(mine, &[key]);
        assert!(near(get("bw_bytes"), get("io_bytes") / seconds, 0.01));
        assert!(near(get("bw"), get("bw_bytes") / 1024.0, 0.01));
        assert!(near(get("iops"), get("total_ios") / seconds, 0.01));
        assert!(get("iops_min") <= get("iops_mean") && get("iops_mean") <= get("iops_max"));
        assert!(near(get("iops_mean"), get("iops"), 0.2));
    }
    let elapsed = [theirs, mine].map(|job| count(job, &["elapsed"]));
    assert!(elapsed[0].abs_diff(elapsed[1]) <= 1, "{elapsed:?}");
}
