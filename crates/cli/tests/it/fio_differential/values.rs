//! The figures: exact where the job says how much is done, near where a clock does.

use super::pair::{Job, at, count, figure, has_fio, jobs, pairs, together};
use crate::support::{now, side_by_side};
use serde_json::Value;

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
            let values = pairs(latency, "percentile");
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
    let cases: [&[&str]; 17] = [
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
        &["--rw=read", "--io_size=6m", "--loops=2"],
        &["--rw=read", "--io_size=18m", "--loops=2"],
        &["--rw=read", "--io_size=3m", "--loops=3"],
        &[
            "--rw=randread",
            "--norandommap",
            "--io_size=6m",
            "--loops=2",
        ],
        &[
            "--rw=randwrite",
            "--random_distribution=zipf:1.2",
            "--io_size=6m",
            "--loops=3",
        ],
        &[
            "--rw=randwrite",
            "--percentage_random=50",
            "--io_size=6m",
            "--loops=2",
        ],
        &["--rw=write:4k", "--io_size=6m", "--loops=3"],
        &["--rw=rw", "--io_size=6m", "--loops=2"],
        &[
            "--rw=write",
            "--numjobs=2",
            "--group_reporting",
            "--offset_increment=1m",
        ],
    ];
    side_by_side(4, &cases, |case| {
        let words = [&["--output-format=json", "--name=a", "--size=4m"], *case].concat();
        let Some(pair) = together(Job::line(&words)).fine(test) else {
            return;
        };
        let [fio, ours] = pair.values();
        let [theirs, mine] = [&jobs(&fio)[0], &jobs(&ours)[0]];
        assert!(amounts(mine)[0] > 0, "{case:?}");
        assert_eq!(amounts(theirs), amounts(mine), "{case:?}");
        sound(mine);
    });
}

/// Submission latencies: the same engines report them, and the parts add up to the whole.
#[test]
fn the_same_latencies_in_parts() {
    let test = "fio_differential::values::parts";
    if !has_fio(test) {
        return;
    }
    let cases = [
        ("--ioengine=psync", 1),
        ("--ioengine=mmap", 1),
        ("--ioengine=libaio", 1),
        ("--ioengine=libaio", 8),
        ("--ioengine=io_uring", 1),
        ("--ioengine=io_uring", 8),
        ("--ioengine=null", 1),
        ("--ioengine=null", 8),
        ("--ioengine=libaio --rate_iops=5000", 4),
        ("--ioengine=libaio --disable_slat=0 --slat_percentiles=1", 4),
    ];
    side_by_side(4, &cases, |(engine, depth)| {
        let line = format!(
            "--output-format=json --name=a --size=1m --rw=randwrite --iodepth={depth} {engine}"
        );
        let words: Vec<&str> = line.split(' ').collect();
        let Some(pair) = together(Job::line(&words)).fine(test) else {
            return;
        };
        let [theirs, mine] = pair.values().map(|value| jobs(&value)[0].clone());
        let submissions_of = |job: &Value| {
            let side = at(job, &["write"]);
            ["slat_ns", "clat_ns", "lat_ns"].map(|key| count(side, &[key, "N"]))
        };
        assert_eq!(
            submissions_of(&theirs),
            submissions_of(&mine),
            "{engine} {depth}"
        );
        let side = at(&mine, &["write"]);
        let mean = |key: &str| figure(side, &[key, "mean"]);
        let sum = mean("slat_ns") + mean("clat_ns");
        assert!(
            (sum - mean("lat_ns")).abs() < 0.01,
            "{engine} {depth}: {side:?}"
        );
        let submissions = count(side, &["slat_ns", "N"]) > 0;
        // null submits to no device, in less time than the clock can measure.
        let busy = mean("slat_ns") > 0.0 || engine.contains("null");
        assert_eq!(busy && submissions, submissions, "{engine} {depth}");
        let shown = pairs(at(side, &["slat_ns"]), "percentile").next().is_some();
        assert_eq!(
            shown,
            engine.contains("slat_percentiles"),
            "{engine} {depth}"
        );
    });
}

/// A job that only makes its files does no I/O beside one that does.
#[test]
fn the_same_where_one_job_only_makes_its_files() {
    let test = "fio_differential::values::create_only";
    if !has_fio(test) {
        return;
    }
    let line = "--output-format=json --size=64k --name=a --create_only=1 --name=b";
    let words: Vec<&str> = line.split(' ').collect();
    let Some(pair) = together(Job::line(&words)).fine(test) else {
        return;
    };
    let [theirs, mine] = pair.values().map(|value| {
        let each = jobs(&value)
            .iter()
            .map(|job| (amounts(job), count(job, &["error"])));
        each.collect::<Vec<_>>()
    });
    assert_eq!(mine, [([0, 0], 0), ([16, 65536], 0)]);
    assert_eq!(theirs, mine);
}

/// A job that does not outlast its warm-up reports what it did in it, without latencies; a number of I/Os is one
/// of those after it.
#[test]
fn the_same_amount_after_a_warm_up() {
    let test = "fio_differential::values::warm_up";
    if !has_fio(test) {
        return;
    }
    let cases = [
        ("--ramp_time=5", 256, 0),
        ("--ramp_time=5 --numjobs=2 --group_reporting", 512, 0),
        ("--ramp_time=1 --rate_iops=100 --number_ios=50", 50, 0),
        (
            "--ramp_time=1 --rate_iops=200 --number_ios=220 --size=4m",
            220,
            220,
        ),
    ];
    side_by_side(cases.len(), &cases, |&(case, counted, measured)| {
        let line = format!("--output-format=json --name=a --size=1m --rw=write {case}");
        let words: Vec<&str> = line.split(' ').collect();
        let Some(pair) = together(Job::line(&words)).fine(test) else {
            return;
        };
        for value in pair.values() {
            let job = &jobs(&value)[0];
            assert_eq!(amounts(job), [counted, counted * 4096], "{case}");
            let latencies = ["clat_ns", "lat_ns"].map(|key| count(job, &["write", key, "N"]));
            assert_eq!(latencies, [measured; 2], "{case}");
            assert!(count(job, &["write", "runtime"]) > 0, "{case}");
            for share in ["usr_cpu", "sys_cpu"] {
                assert!(figure(job, &[share]) < 500.0, "{case}: {share} {job:?}");
            }
        }
    });
}

#[test]
fn the_same_mix() {
    let test = "fio_differential::values::mix";
    if !has_fio(test) {
        return;
    }
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
    let words = "--output-format=json --name=a --size=16m --rw=randrw --ioengine=io_uring --iodepth=4 \
                 --runtime=1 --time_based";
    let words: Vec<&str> = words.split_whitespace().collect();
    let start = now();
    let Some(pair) = together(Job::line(&words)).fine(test) else {
        return;
    };
    // No time of either is longer than the commands took, however busy the machine is.
    let took = start.elapsed().as_secs_f64() * 1000.0;
    let [fio, ours] = pair.values();
    let [theirs, mine] = [&jobs(&fio)[0], &jobs(&ours)[0]];
    sound(mine);
    for side in SIDES {
        let [theirs, mine] = [theirs, mine].map(|job| at(job, &[side]));
        let runtimes = [theirs, mine].map(|side| figure(side, &["runtime"]));
        assert!(
            runtimes.iter().all(|ms| (500.0..=took).contains(ms)),
            "{runtimes:?} ms in {took} ms"
        );
        let seconds = runtimes[1] / 1000.0;
        let get = |key: &str| figure(mine, &[key]);
        assert!(near(get("bw_bytes"), get("io_bytes") / seconds, 0.01));
        assert!(near(get("bw"), get("bw_bytes") / 1024.0, 0.01));
        assert!(near(get("iops"), get("total_ios") / seconds, 0.01));
        assert!(get("iops_min") <= get("iops_mean") && get("iops_mean") <= get("iops_max"));
        assert!(near(get("iops_mean"), get("iops"), 0.5));
    }
    // Whole seconds, rounded up, from the start of the command, or a second more.
    for job in [theirs, mine] {
        let elapsed = 1000.0 * figure(job, &["elapsed"]);
        let runtime = figure(at(job, &["read"]), &["runtime"]);
        assert!(
            (runtime.floor()..took + 2000.0).contains(&elapsed),
            "{elapsed} ms for {runtime} ms in {took} ms"
        );
    }
}
