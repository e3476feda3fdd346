//! A device whose truth is known: a delay, a stall, a cap. What is measured is that.

use crate::support::{
    CappedGroup, FileSystem, LoopDevice, Mount, Place, Running, finish, or_skip, some_round,
};
use leadline_testkit::fault::FaultMount;
use leadline_testkit::skip;
use serde_json::Value;
use std::path::Path;

const MIB: usize = 1 << 20;

/// A whole number: a time or a count.
fn nanos(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn a_delay_is_measured_as_it_is() {
    let place = Place::new();
    let Some(mount) = or_skip("honesty::delay", Mount::start(&[])) else {
        return;
    };
    let file = format!("--filename={}", mount.file("a", 16 * MIB));
    for (delay, depth) in [(2, 1), (2, 16), (10, 1), (10, 16)] {
        mount.command(&format!("clear\ndelay read {delay}ms"));
        let depth = format!("--iodepth={depth}");
        some_round(4, || {
            let done = finish(&mut place.fio(&[
                "--name=a",
                &file,
                "--rw=randread",
                "--bs=4k",
                "--direct=1",
                "--ioengine=io_uring",
                &depth,
                "--runtime=1",
                "--time_based",
            ]));
            assert_eq!(done.code, Some(0), "{done:?}");
            let read = &done.job()["read"];
            let half = nanos(&read["clat_ns"]["percentile"]["50.000000"]);
            assert!(nanos(&read["lat_ns"]["min"]) >= delay * 1_000_000, "{read}");
            // What the mount and a busy machine add.
            (half <= (delay + 3) * 1_000_000)
                .then(|| eprintln!("delay {delay} ms, {depth}: p50 {half} ns"))
                .ok_or(format!("{delay} ms, {depth}: p50 {half} ns"))
        });
    }
}

/// A job on a mount whose device stalls for 3 s in its midst.
fn stalled(place: &Place, mount: &FaultMount, pace: &[&str]) -> Value {
    let file = format!("--filename={}", mount.file("a", 16 * MIB));
    let common = [
        "--name=a",
        &file,
        "--rw=randread",
        "--bs=4k",
        "--direct=1",
        "--runtime=8",
        "--time_based",
    ];
    let running = Running::start(&mut place.fio(&[&common[..], pace].concat()));
    running.wait_for_intervals(&place.run_file(), 1);
    mount.command("stall 3s");
    let done = running.finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(mount.counter("stalled") > 0, "the stall struck");
    let series = place.series();
    let mut numbers = series.iter().map(|i| i.number);
    let gap = (0..).find(|n| numbers.next() != Some(*n));
    assert_eq!(gap, u64::try_from(series.len()).ok(), "{series:?}");
    // Not counted: a slice the end cut short.
    let whole = series.iter().map(|i| i.length_s).fold(0.0, f64::max);
    let zeros = series
        .iter()
        .filter(|i| i.ios == 0 && i.length_s > 0.8 * whole);
    let dark: f64 = zeros.map(|i| i.length_s).sum();
    // A busy machine takes some more intervals away; on the simulated device it is exact.
    assert!(dark >= 2.3, "{dark} s dark: {series:?}");
    let found = place.findings();
    assert!(found.contains(&"stall".to_owned()), "{found:?}: {series:?}");
    done.job()
}

#[test]
fn a_stall_is_zeros_in_the_series_and_the_longest_wait_in_the_tail() {
    let place = Place::new();
    let Some(mount) = or_skip("honesty::stall", Mount::start(&[])) else {
        return;
    };
    let job = stalled(&place, &mount, &["--ioengine=psync", "--thinktime=500us"]);
    let most = nanos(&job["read"]["clat_ns"]["max"]);
    assert!(most >= 2_950_000_000, "max {most}");
    eprintln!("stall of 3 s: longest wait {most} ns");
    // One I/O of a closed loop is all that ever waited.
    assert!(nanos(&job["read"]["clat_ns"]["percentile"]["99.000000"]) < 100_000_000);
}

#[test]
fn at_a_rate_a_stall_is_in_the_percentiles_too() {
    let place = Place::new();
    let Some(mount) = or_skip("honesty::stall_at_a_rate", Mount::start(&[])) else {
        return;
    };
    let job = stalled(&place, &mount, &["--ioengine=psync", "--rate_iops=500"]);
    let read = &job["read"];
    let most = nanos(&read["response_ns"]["max"]);
    assert!(most >= 2_950_000_000, "max {most}");
    // A third of all were due while it lasted.
    let p90 = nanos(&read["response_ns"]["percentile"]["90.000000"]);
    assert!(p90 > 1_500_000_000, "p90 of the response {p90}");
    let p99 = nanos(&read["clat_ns"]["percentile"]["99.000000"]);
    assert!(p99 < 100_000_000, "p99 of the service {p99}");
    assert!(nanos(&job["late_ios"]) > 1350, "{}", job["late_ios"]);
}

#[test]
fn a_cap_of_2000_iops_is_measured_as_the_kernel_counts_it() {
    let place = Place::new();
    let disk = LoopDevice::over(&place.file("disk", 64 * MIB));
    let Some(disk) = or_skip("honesty::cap", disk) else {
        return;
    };
    let group = CappedGroup::reads(&disk.numbers(), 2000);
    let Some(group) = or_skip("honesty::cap", group) else {
        return;
    };
    let filename = format!("--filename={}", disk.path);
    let before = disk.reads();
    let args = [
        "--name=a",
        &filename,
        "--rw=randread",
        "--bs=4k",
        "--direct=1",
        "--ioengine=libaio",
        "--iodepth=16",
        "--ramp_time=1",
        "--runtime=4",
        "--time_based",
    ];
    let done = finish(&mut place.fio_by(group.runner(), &args));
    assert_eq!(done.code, Some(0), "{done:?}");
    let read = &done.job()["read"];
    // What the kernel counted is what was measured, whether a busy machine got so far as the cap or not.
    let workers = &place.kept().stages[0].workers;
    let warmup: u64 = workers.iter().map(|w| w.warmup_ios).sum();
    let ios = nanos(&read["total_ios"]);
    let counted = disk.reads() - before;
    let ours = ios + warmup;
    assert!((ours..ours + 300).contains(&counted), "{ours} of {counted}");
    // The kernel counts in slices of 100 ms and may let one more of them through at each end, 5 % of 4 s.
    let iops = read["iops"].as_f64().unwrap();
    assert!(iops > 0.0 && iops <= 2100.0, "{iops} IOPS");
    let seconds = nanos(&read["runtime"]) as f64 / 1000.0;
    assert!((ios as f64 / seconds / iops - 1.0).abs() < 0.01, "{read}");
}

/// Past these O_DIRECT leads to memory of this host, whatever the file system says of it.
#[test]
fn what_memory_answers_is_not_called_direct() {
    let test = "honesty::in_memory";
    let place = Place::new();
    let client = |target: &str| {
        let filename = format!("--filename={target}");
        let words = ["--name=a", &filename, "--rw=read", "--bs=4k", "--size=64k"];
        let done = finish(&mut place.fio(&[&words[..], &["--direct=1"]].concat()));
        assert_eq!(done.code, Some(0), "{target}: {done:?}");
        let kept = finish(&mut place.leadline(["report", "run.leadline", "--json"]));
        let report: Value = serde_json::from_str(&kept.stdout).unwrap();
        report["stages"][0]["workloads"][0]["labels"]["client cache"].clone()
    };
    let Some(memory) = or_skip(test, FileSystem::of("96m")) else {
        return;
    };
    let file = |path: &Path| std::fs::write(path, vec![1; 1 << 20]).unwrap();
    file(&memory.path().join("f"));
    let shown = |path: &Path| path.display().to_string();
    assert_eq!(client(&shown(&memory.path().join("f"))), "in memory");
    let folders = ["lower", "upper", "work"].map(|name| memory.path().join(name));
    folders.iter().for_each(|f| std::fs::create_dir(f).unwrap());
    file(&folders[0].join("f"));
    let merged = FileSystem::overlay(folders.each_ref().map(|f| f.as_path()));
    if let Some(merged) = or_skip(test, merged) {
        assert_eq!(client(&shown(&merged.path().join("f"))), "in memory");
    }
    if let Some(disk) = or_skip(test, LoopDevice::over(&memory.path().join("f"))) {
        assert_eq!(client(&disk.path), "in memory");
    }
    let on_disk = place.file("disk", 4 << 20);
    assert_eq!(client(&shown(&on_disk)), "direct");
    if let Some(disk) = or_skip(test, LoopDevice::buffered(&on_disk)) {
        assert_eq!(client(&disk.path), "direct to a buffered loop device");
        let over = LoopDevice::over(Path::new(&disk.path)).unwrap();
        assert_eq!(client(&over.path), "direct to a buffered loop device");
    }
    let past = LoopDevice::over(&on_disk).ok().filter(|d| d.is_direct());
    match past {
        Some(disk) => assert_eq!(client(&disk.path), "direct"),
        None => skip(
            test,
            "this file system has no loop devices past the page cache",
        ),
    }
}

/// Reads of one file, through the page cache that holds it and past it: each has its label, and the two are not compared.
#[test]
fn buffered_and_direct_reads_of_a_file_are_two_things() {
    let place = Place::new();
    let file = format!("--filename={}", place.file("f", 16 * MIB).display());
    let [past, through] = [(1, "past"), (0, "through")].map(|(direct, name)| {
        // Its pages are in memory either way.
        std::fs::read(place.join("f")).unwrap();
        let direct = format!("--direct={direct}");
        let words = ["--name=a", &file, "--size=16m", "--rw=randread", "--bs=4k"];
        let more = [
            direct.as_str(),
            "--invalidate=0",
            "--time_based",
            "--runtime=1",
        ];
        let done = finish(&mut place.fio(&[&words[..], &more].concat()));
        assert_eq!(done.code, Some(0), "{done:?}");
        let kept = place.join(&format!("{name}.leadline"));
        std::fs::rename(place.run_file(), kept).unwrap();
        done.job()["read"]["iops"].as_f64().unwrap()
    });
    eprintln!("direct {past:.0} IOPS, buffered {through:.0} IOPS");
    let files = ["compare", "past.leadline", "through.leadline"];
    let done = finish(&mut place.leadline(files));
    let said = [done.stdout, done.stderr].concat();
    assert!(said.contains("direct yes in A, no in B"), "{said}");
    let shown = finish(&mut place.leadline(["show", "through.leadline"])).stdout;
    assert!(shown.contains("fits-memory"), "{shown}");
    let shown = finish(&mut place.leadline(["show", "past.leadline"])).stdout;
    assert!(!shown.contains("fits-memory"), "{shown}");
}
