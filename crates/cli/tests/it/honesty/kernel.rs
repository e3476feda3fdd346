//! What the kernel counted of a run stands beside what leadline counted, and where the two differ it is said.

use crate::support::{CappedGroup, FileSystem, LoopDevice, Place, finish, or_skip, some_round};
use leadline_testkit::skip;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const MIB: usize = 1 << 20;

/// A run of one job on `target`: the codes of its findings, and the JSON form of its stage.
fn run(target: &Path, words: &[&str]) -> (Vec<String>, Value) {
    let place = Place::new();
    let filename = format!("--filename={}", target.display());
    let done = finish(&mut place.fio(&[&["--name=a", &filename][..], words].concat()));
    assert_eq!(done.code, Some(0), "{done:?}");
    (place.findings(), stage(&place))
}

/// The first stage of a run that was kept.
fn stage(place: &Place) -> Value {
    let kept = finish(&mut place.leadline(["report", "run.leadline", "--json"]));
    let report: Value = serde_json::from_str(&kept.stdout).unwrap();
    report["stages"][0].clone()
}

fn has(findings: &[String], code: &str) -> bool {
    findings.iter().any(|found| found == code)
}

/// Whether this kernel is older than that version.
fn kernel_before(version: (u32, u32)) -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut parts = release
        .split(['.', '-'])
        .map_while(|part| part.parse().ok());
    parts
        .next()
        .zip(parts.next())
        .is_none_or(|found| found < version)
}

/// A loop device over a new file, past the page cache; what it is over must be on a device.
fn loop_device(place: &Place, len: usize) -> Result<LoopDevice, String> {
    let disk = LoopDevice::over(&place.file("disk", len))?;
    match disk.is_direct() {
        true => Ok(disk),
        false => Err("no loop devices past the page cache here".to_owned()),
    }
}

/// A file system with journalled data takes O_DIRECT and reads through the page cache.
#[test]
fn o_direct_that_a_file_system_turns_off_is_found() {
    let test = "honesty::kernel::direct";
    let disk = LoopDevice::of_size(128 << 20, &["mkfs.ext4", "-q"]);
    let Some(disk) = or_skip(test, disk) else {
        return;
    };
    // The second reading of the file is of what the first left in the page cache.
    let words = [
        "--rw=read",
        "--bs=64k",
        "--size=16m",
        "--direct=1",
        "--loops=2",
        "--end_fsync=1",
    ];
    for (options, turned_off) in [("data=journal", true), ("data=ordered", false)] {
        let Some(mounted) = or_skip(test, FileSystem::with(&disk.path, options)) else {
            return;
        };
        let file = mounted.path().join("f");
        std::fs::write(&file, vec![7; 16 * MIB]).unwrap();
        let (found, stage) = run(&file, &words);
        assert_eq!(
            has(&found, "direct-not-in-force"),
            turned_off,
            "{options}: {found:?}"
        );
        let read = stage["own_io"][0]["bytes"][0].as_u64().unwrap();
        assert_eq!(read, 32 << 20);
    }
}

/// Writes to it are in the page cache as well, and are no other program's; of reads that find nothing in the page cache the
/// mount's options say it.
#[test]
fn direct_writes_and_first_reads_of_a_journalled_file_system_are_found() {
    let test = "honesty::kernel::journalled";
    let disk = LoopDevice::of_size(128 << 20, &["mkfs.ext4", "-q"]);
    let Some(disk) = or_skip(test, disk) else {
        return;
    };
    let writes = ["--rw=randwrite", "--bs=16k", "--size=16m", "--loops=8"];
    let reads = ["--rw=randread", "--bs=64k", "--size=16m"];
    for (options, is_off) in [("data=journal", true), ("data=ordered", false)] {
        let Some(mounted) = or_skip(test, FileSystem::with(&disk.path, options)) else {
            return;
        };
        let filename = format!("--filename={}", mounted.path().join("f").display());
        std::fs::write(mounted.path().join("f"), vec![7; 16 * MIB]).unwrap();
        let usual = ["--name=a", &filename, "--direct=1"];
        for (words, expected) in [(&writes[..], " leadline wrote"), (&reads, "data=journal")] {
            let place = Place::new();
            let done = finish(&mut place.fio(&[&usual[..], words].concat()));
            assert_eq!(done.code, Some(0), "{done:?}");
            let findings = place.kept().findings;
            let mut all = findings.iter();
            let text = all.find(|f| f.code == "direct-not-in-force");
            let says = text.is_some_and(|f| f.text.contains(expected));
            assert_eq!(says, is_off, "{options} {words:?}: {findings:?}");
            let mut all = findings.iter();
            let others = all.find(|f| f.code == "neighbours");
            assert!(others.is_none() || !is_off, "{words:?}: {findings:?}");
        }
    }
}

#[test]
fn a_file_system_in_memory_is_not_a_device() {
    let test = "honesty::kernel::memory";
    let direct = ["--rw=randread", "--bs=4k", "--size=1m", "--direct=1"];
    if let Some(memory) = or_skip(test, FileSystem::of("8m")) {
        let file = memory.path().join("f");
        std::fs::write(&file, vec![1; MIB]).unwrap();
        let (found, _) = run(&file, &direct);
        assert!(has(&found, "kept-in-memory"), "{found:?}");
    }
    let place = Place::new();
    let (found, _) = run(&place.file("f", MIB), &direct);
    assert!(!has(&found, "kept-in-memory"), "{found:?}");
}

#[test]
fn hits_in_a_page_cache_that_was_emptied_are_counted() {
    let test = "honesty::kernel::hits";
    let place = Place::new();
    let file = place.file("f", 8 * MIB);
    let words = ["--rw=randread", "--bs=64k", "--direct=0"];
    let (found, once) = run(&file, &words);
    let Some(share) = once["page_cache_hits"].as_f64() else {
        return skip(test, "the temporary directory is on no block device");
    };
    assert!(share < 0.01, "{share}");
    assert!(!has(&found, "cache-hits"), "{found:?}");
    // Blocks drawn with replacement: of 128, one in e comes again.
    let (found, again) = run(&file, &[&words[..], &["--norandommap"]].concat());
    let share = again["page_cache_hits"].as_f64().unwrap();
    assert!((0.2..0.55).contains(&share), "{share}");
    assert!(has(&found, "cache-hits"), "{found:?}");
}

#[test]
fn writes_that_are_still_in_memory_at_the_end_are_found() {
    let test = "honesty::kernel::unflushed";
    let place = Place::new();
    let file = place.join("f");
    let words = ["--rw=write", "--bs=64k", "--size=32m", "--direct=0"];
    let (found, stage) = run(&file, &words);
    let known = stage["counted"].as_array().unwrap();
    let of = |name: &str| known.iter().any(|fact| fact["name"] == name);
    if !of("read from devices") {
        return skip(test, "the temporary directory is on no block device");
    }
    assert!(has(&found, "unflushed-writes"), "{found:?} {stage}");
    // Others write too, on a busy machine.
    some_round(4, || {
        let (found, _) = run(
            &file,
            &[&words[..], &["--fsync=64", "--end_fsync=1"]].concat(),
        );
        match has(&found, "unflushed-writes") {
            true => Err(format!("{found:?}")),
            false => Ok(()),
        }
    });
}

/// Reads a device past the page cache until stopped.
fn read_beside(device: &str, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let from = format!("if={device}");
        let words = [
            "dd",
            &from,
            "of=/dev/null",
            "bs=64k",
            "count=64",
            "iflag=direct",
        ];
        leadline_testkit::machine::tool(&words).unwrap();
    }
}

#[test]
fn other_users_of_the_device_are_found_and_an_idle_one_has_none() {
    let test = "honesty::kernel::neighbours";
    let place = Place::new();
    let Some(disk) = or_skip(test, loop_device(&place, 64 * MIB)) else {
        return;
    };
    let words = [
        "--rw=randread",
        "--bs=4k",
        "--direct=1",
        "--runtime=2",
        "--time_based",
        "--rate_iops=500",
    ];
    let target = Path::new(&disk.path);
    let (alone, stage) = run(target, &words);
    assert!(!has(&alone, "neighbours"), "{alone:?}");
    assert!(!has(&alone, "requests-split"), "{alone:?}");
    let (ours, theirs) = (&stage["own_io"][0]["ios"][0], &stage["disks"][0]["ios"][0]);
    let apart = theirs.as_u64().unwrap().abs_diff(ours.as_u64().unwrap());
    assert!(apart <= 4, "{ours} of {theirs}");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| read_beside(&disk.path, &stop));
        let (beside, _) = run(target, &words);
        stop.store(true, Ordering::Relaxed);
        assert!(has(&beside, "neighbours"), "{beside:?}");
    });
}

#[test]
fn what_the_kernel_cuts_into_parts_is_said() {
    let test = "honesty::kernel::split";
    let place = Place::new();
    let Some(disk) = or_skip(test, loop_device(&place, 16 * MIB)) else {
        return;
    };
    if or_skip(test, disk.set("max_sectors_kb", "64")).is_none() {
        return;
    }
    let (found, stage) = run(
        Path::new(&disk.path),
        &["--rw=randread", "--bs=256k", "--direct=1", "--io_size=64m"],
    );
    assert!(has(&found, "requests-split"), "{found:?}");
    assert_eq!(stage["own_io"][0]["ios"][0], 256);
    assert_eq!(stage["disks"][0]["ios"][0], 1024);
}

/// A control group holds I/Os back above the device, whose own queue is empty meanwhile.
#[test]
fn a_queue_above_the_device_is_distinguished_from_one_in_it() {
    let test = "honesty::kernel::depth";
    let place = Place::new();
    let Some(disk) = or_skip(test, loop_device(&place, 64 * MIB)) else {
        return;
    };
    let Some(group) = or_skip(test, CappedGroup::reads(&disk.numbers(), 300)) else {
        return;
    };
    let filename = format!("--filename={}", disk.path);
    let words = [
        "--name=a",
        &filename,
        "--rw=randread",
        "--bs=4k",
        "--direct=1",
        "--ioengine=libaio",
        "--iodepth=16",
        "--runtime=2",
        "--time_based",
    ];
    let done = finish(&mut place.fio_by(group.runner(), &words));
    assert_eq!(done.code, Some(0), "{done:?}");
    let found = place.findings();
    assert!(has(&found, "depth-not-on-device"), "{found:?}");
    // With one I/O in flight there is nothing to report.
    let (found, _) = run(
        Path::new(&disk.path),
        &["--rw=randread", "--bs=4k", "--direct=1", "--io_size=4m"],
    );
    assert!(!has(&found, "depth-not-on-device"), "{found:?}");
}

/// Both views stand in the text, and a note says what the page cache served.
#[test]
fn the_kernels_view_is_shown_beside_ours() {
    let place = Place::new();
    let file = place.file("f", 4 * MIB);
    let filename = format!("--filename={}", file.display());
    let words = [
        "--name=a",
        &filename,
        "--rw=randread",
        "--bs=64k",
        "--direct=0",
        "--norandommap",
    ];
    let done = finish(&mut place.fio(&words));
    assert_eq!(done.code, Some(0), "{done:?}");
    if stage(&place)["disks"].as_array().unwrap().is_empty() {
        let why = "the temporary directory is on no block device";
        return skip("honesty::kernel::shown", why);
    }
    let shown = finish(&mut place.leadline(["show", "run.leadline"])).stdout;
    assert!(
        shown.contains("Block devices, as the kernel counted"),
        "{shown}"
    );
    assert!(shown.contains("page cache: at least"), "{shown}");
    let made = finish(&mut place.leadline(["report", "run.leadline", "--html"]));
    assert_eq!(made.code, Some(0), "{made:?}");
}

#[test]
fn a_file_system_that_is_nearly_full_is_said() {
    let test = "honesty::kernel::full";
    let disk = LoopDevice::of_size(64 << 20, &["mkfs.ext4", "-q", "-m", "0"]);
    let Some(disk) = or_skip(test, disk) else {
        return;
    };
    let Some(mounted) = or_skip(test, FileSystem::with(&disk.path, "rw")) else {
        return;
    };
    let file = mounted.path().join("f");
    std::fs::write(&file, vec![7; MIB]).unwrap();
    let words = ["--rw=randread", "--bs=4k", "--size=1m", "--direct=1"];
    let (found, _) = run(&file, &words);
    assert!(!has(&found, "volume-full"), "{found:?}");
    std::fs::write(mounted.path().join("g"), vec![7; 52 * MIB]).unwrap();
    let (found, _) = run(&file, &words);
    assert!(has(&found, "volume-full"), "{found:?}");
}

/// Reads of 512 bytes on a disk whose blocks are eight times as long.
#[test]
fn what_does_not_fit_a_disks_blocks_is_said() {
    let place = Place::new();
    let file = place.file("f", MIB);
    let (found, stage) = run(&file, &["--rw=randread", "--bs=4k", "--direct=1"]);
    assert!(!has(&found, "unaligned"), "{found:?}");
    let disk = stage["disks"][0]["name"].as_str().unwrap_or_default();
    let sizes = ["physical", "logical"].map(|kind| {
        let file = format!("/sys/block/{disk}/queue/{kind}_block_size");
        std::fs::read_to_string(file)
            .unwrap_or_default()
            .trim()
            .to_owned()
    });
    if sizes != ["4096", "512"] {
        return skip(
            "honesty::kernel::unaligned",
            "no disk of 4096 bytes that takes 512",
        );
    }
    let (found, _) = run(&file, &["--rw=randread", "--bs=512", "--direct=1"]);
    assert!(has(&found, "unaligned"), "{found:?}");
}

#[test]
fn what_was_in_the_page_cache_before_the_start_is_said() {
    let test = "honesty::kernel::resident";
    let place = Place::new();
    let file = place.file("f", MIB);
    let read = || drop(std::fs::read(&file).unwrap());
    let words = ["--rw=randread", "--bs=4k", "--direct=0"];
    read();
    let (found, _) = run(&file, &words);
    assert!(!has(&found, "resident-at-start"), "{found:?}");
    read();
    let (found, stage) = run(&file, &[&words[..], &["--invalidate=0"]].concat());
    if stage["page_cache_hits"].is_null() || kernel_before((6, 5)) {
        return skip(test, "the kernel does not say what the page cache holds");
    }
    assert!(has(&found, "resident-at-start"), "{found:?}");
}

#[test]
fn the_first_write_of_a_file_is_distinguished_from_the_second() {
    let place = Place::new();
    let file = place.join("f");
    let words = ["--rw=write", "--bs=64k", "--size=1m", "--direct=1"];
    let (first, _) = run(&file, &words);
    assert!(has(&first, "first-write"), "{first:?}");
    let (second, _) = run(&file, &words);
    assert!(!has(&second, "first-write"), "{second:?}");
}
