//! What this host has not enough of for a plan, or not at all, is found before anything is made: by `leadline plan`,
//! and by the run before its first stage.

use crate::support::{Done, FileSystem, LEADLINE, Place, filtered, finish, or_skip};
use std::path::Path;
use std::process::Command;

/// Number of io_uring_setup(2), the same on all architectures.
const IO_URING_SETUP: u32 = 425;

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

/// A command line in `place`, by whatever starts it.
fn run(place: &Place, mut runner: Command, words: &str) -> Done {
    runner.args(words.split_whitespace());
    runner.current_dir(place.path()).env("NO_COLOR", "1");
    finish(runner.env("XDG_STATE_HOME", place.join("state")))
}

/// A command line and its plan, `{d}` a folder, are refused with these words and exit codes, and nothing is made in the
/// folder. `j.vdb` is a parameter file for it.
fn refused_in(
    folder: &Path,
    runner: impl Fn() -> Command,
    (words, parameters): (&str, &str),
    why: &[&str],
    (code, of_plan): (i32, i32),
) {
    let place = Place::new();
    let at = folder.display().to_string();
    std::fs::write(place.join("j.vdb"), parameters.replace("{d}", &at)).unwrap();
    let words = words.replace("{d}", &at);
    let before = names(folder);
    for (words, code) in [(words.clone(), code), (format!("plan {words}"), of_plan)] {
        let done = run(&place, runner(), &words);
        assert_eq!(done.code, Some(code), "{words}: {done:?}");
        for why in why {
            assert!(done.stderr.contains(why), "{words}: no '{why}': {done:?}");
        }
        assert_eq!(names(folder), before, "{words}: {done:?}");
    }
}

fn leadline() -> Command {
    Command::new(LEADLINE)
}

/// The same in a folder of its own.
fn refused_by(runner: impl Fn() -> Command, words: &str, why: &[&str], codes: (i32, i32)) {
    let folder = Place::new();
    refused_in(folder.path(), runner, (words, ""), why, codes);
}

/// A fio job that can be run, and one after it that needs more than there is.
fn after_another(more: &str) -> String {
    format!(
        "fio --directory={{d}} --size=1m --name=a --rw=write --name=b --stonewall --rw=randrw {more}"
    )
}

#[test]
fn a_cpu_for_the_submission_thread_that_is_not_there_is_refused_first() {
    let more = "--ioengine=io_uring --sqthread_poll_cpu=60000";
    refused_by(leadline, &after_another(more), &["CPU 60000"], (1, 3));
}

#[test]
fn an_engine_that_is_forbidden_is_refused_first() {
    if or_skip("honesty::means_io_uring", filtered(IO_URING_SETUP, 1)).is_none() {
        return;
    }
    let forbidden = || filtered(IO_URING_SETUP, 1).unwrap();
    let words = after_another("--ioengine=io_uring");
    refused_by(
        forbidden,
        &words,
        &["io_uring", "seccomp", "libaio"],
        (1, 3),
    );
    let words = "measure {d} --size=16m --time=100ms --out=result";
    refused_by(forbidden, words, &["io_uring", "seccomp", "libaio"], (3, 3));
    let words = "diskspd -c1M -o8 -w50 -d1 {d}/f";
    refused_by(forbidden, words, &["io_uring", "seccomp"], (1, 3));
}

/// More than any host has.
#[test]
fn buffers_larger_than_memory_are_refused_first() {
    let why = &["of memory, and ", "hint: "][..];
    let words = after_another("--size=1g --bs=1g --iodepth=32768 --ioengine=io_uring");
    refused_by(leadline, &words, why, (1, 3));
    // The same job that does no I/O at all.
    let words = "fio --name=a --rw=read --size=1t --bs=1g --iodepth=32768 --ioengine=null";
    refused_by(leadline, words, why, (1, 3));
    let words = "diskspd -c1G -b64M -o32768 -w50 -d1 {d}/f";
    refused_by(leadline, words, why, (1, 3));
    let words = "measure {d} --size=1g --depth=32768 --bs=64m --out=result";
    refused_by(leadline, words, why, (3, 3));
    let folder = Place::new();
    let parameters = "sd=a,lun={d}/a,size=1m\nsd=b,lun={d}/b,size=1g\n\
                      wd=a,sd=a,xfersize=4k,rdpct=0\nwd=b,sd=b,xfersize=1g,rdpct=50\n\
                      rd=a,wd=a,iorate=max,elapsed=2,interval=1\n\
                      rd=b,wd=b,iorate=max,elapsed=2,interval=1,threads=30000\n";
    let words = ("vdbench -f j.vdb -o out", parameters);
    refused_in(folder.path(), leadline, words, why, (157, 3));
}

#[test]
fn ios_of_libaio_beyond_the_hosts_limit_are_refused_first() {
    let limit = std::fs::read_to_string("/proc/sys/fs/aio-max-nr").unwrap();
    let limit: u32 = limit.trim().parse().unwrap();
    let workers = limit / 32_768 + 1;
    if workers > 250 {
        return crate::support::skip("honesty::means_aio", "the limit is out of reach");
    }
    let why = &["fs.aio-max-nr", "hint: "][..];
    let more = format!("--ioengine=libaio --iodepth=32768 --bs=512 --numjobs={workers}");
    // fio's exit code is the number of workers that could not be set up.
    let code = i32::try_from(workers).unwrap();
    refused_by(leadline, &after_another(&more), why, (code, 3));
    let words = format!(
        "measure {{d}} --size=1m --bs=4k --engine=libaio --depth=32768 --jobs={workers} --out=result"
    );
    refused_by(leadline, &words, why, (3, 3));
}

/// More than any host has.
#[test]
fn huge_pages_that_are_not_there_are_refused_first() {
    let why = &["of huge pages, and ", "vm.nr_hugepages="][..];
    for memory in ["mmaphuge", "shmhuge"] {
        let more =
            format!("--size=1g --bs=1g --iodepth=32768 --ioengine=io_uring --iomem={memory}");
        refused_by(leadline, &after_another(&more), why, (1, 3));
    }
    let words = "diskspd -l -c1G -b64M -o32768 -w50 -d1 {d}/f";
    refused_by(leadline, words, why, (1, 3));
}

#[test]
fn files_beyond_the_limit_of_open_ones_are_refused_first_and_by_plan_too() {
    let limited = || {
        let mut command = Command::new("sh");
        command.args(["-c", r#"ulimit -n 100; exec "$0" "$@""#, LEADLINE]);
        command
    };
    let words = after_another("--nrfiles=100");
    refused_by(limited, &words, &["may open 100", "ulimit -Hn"], (1, 3));
}

#[test]
fn more_files_than_a_file_system_has_room_for_are_not_made() {
    let Some(memory) = or_skip("honesty::means_files", FileSystem::of("64m,nr_inodes=50")) else {
        return;
    };
    let words = "fio --directory={d} --name=a --size=4k --rw=write --name=b --stonewall --nrfiles=100 \
                 --size=400k --rw=write --fallocate=none";
    let why = &["more files would be made", "(inodes)", "nrfiles"];
    refused_in(memory.path(), leadline, (words, ""), why, (1, 3));
}

/// Files in memory take neither mark, are not written without tearing, and cannot be polled.
#[test]
fn marks_that_a_file_system_does_not_take_are_refused_first() {
    let Some(memory) = or_skip("honesty::means_marks", FileSystem::of("64m")) else {
        return;
    };
    std::fs::write(memory.path().join("there"), vec![1; 1 << 20]).unwrap();
    let job = |more: &str| {
        let first = Place::new();
        let words = format!(
            "fio --size=1m --name=a --rw=write --directory={} --name=b --stonewall --rw=randrw \
             --directory={{d}} {more}",
            first.path().display()
        );
        (first, words)
    };
    for (more, why) in [
        ("--nowait=1 --ioengine=pvsync2", "RWF_NOWAIT"),
        ("--nowait=1 --ioengine=io_uring", "RWF_NOWAIT"),
        ("--nowait=1 --ioengine=libaio", "RWF_NOWAIT"),
        ("--uncached=1 --ioengine=pvsync2", "RWF_DONTCACHE"),
        ("--uncached=1 --ioengine=io_uring", "RWF_DONTCACHE"),
        ("--atomic=1 --ioengine=pvsync2", "RWF_ATOMIC"),
        (
            "--hipri=1 --direct=1 --ioengine=io_uring",
            "no device with poll queues",
        ),
    ] {
        for name in ["", "--filename=there"] {
            let (first, words) = job(&format!("{more} {name}"));
            let why = &[why, "hint: "];
            refused_in(memory.path(), leadline, (&words, ""), why, (1, 3));
            assert_eq!(names(first.path()), [""; 0], "{words}");
        }
    }
}

#[test]
fn new_files_that_cannot_be_opened_past_the_cache_are_not_made() {
    let Some(memory) = or_skip("honesty::means_direct", FileSystem::ramfs()) else {
        return;
    };
    let at = memory.path();
    let why = &["does not support direct I/O", "hint: "][..];
    let fio = "fio --name=a --size=1m --rw=write --directory={d} --direct=1";
    refused_in(at, leadline, (fio, ""), why, (1, 3));
    let diskspd = "diskspd -c1M -Su -w50 -d1 {d}/f";
    refused_in(at, leadline, (diskspd, ""), why, (1, 3));
    let measure = "measure {d} --size=1m --time=100ms --out=result";
    refused_in(at, leadline, (measure, ""), why, (3, 3));
    let parameters = "sd=a,lun={d}/a,size=1m,openflags=o_direct\nwd=a,sd=a,xfersize=4k,rdpct=0\n\
                      rd=a,wd=a,iorate=max,elapsed=2,interval=1\n";
    let vdbench = ("vdbench -f j.vdb -o out", parameters);
    refused_in(at, leadline, vdbench, why, (157, 3));
    // Through the cache they can be.
    let place = Place::new();
    let words = fio.replace("--direct=1", "--direct=0 --leadline-run=none");
    let done = run(
        &place,
        leadline(),
        &words.replace("{d}", &at.display().to_string()),
    );
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn a_file_to_write_from_that_may_not_be_read_is_refused_first() {
    let Some(_) = or_skip("honesty::means_source", crate::support::unprivileged()) else {
        return;
    };
    let folder = Place::new();
    std::os::unix::fs::chown(folder.path(), Some(65534), Some(65534)).unwrap();
    let closed = folder.file("closed", 4096);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&closed, mode).unwrap();
    let user = || crate::support::unprivileged().unwrap();
    let words = "diskspd -c1M -b4K -w100 -Z4K,{d}/closed -d1 {d}/f";
    let why = &["closed: permission denied"];
    refused_in(folder.path(), user, (words, ""), why, (1, 3));
}

#[test]
fn memory_that_may_not_be_locked_is_refused_first() {
    let Some(_) = or_skip("honesty::means_locked", crate::support::unprivileged()) else {
        return;
    };
    let folder = Place::new();
    std::os::unix::fs::chown(folder.path(), Some(65534), Some(65534)).unwrap();
    let limited = || {
        let user = crate::support::unprivileged().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", r#"ulimit -l 64; exec "$0" "$@""#]);
        command.arg(user.get_program()).args(user.get_args());
        command
    };
    let words = "fio --name=a --size=1m --rw=write --directory={d} --lockmem=2m \
                 --leadline-run=none";
    let why = &["are to lock 2 MiB of memory", "ulimit -l"];
    refused_in(folder.path(), limited, (words, ""), why, (1, 3));
}

/// What a process has locked, in KiB.
fn locked(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmLck:"));
    line.map_or(0, |rest| {
        rest.trim_end_matches("kB").trim().parse().unwrap()
    })
}

#[test]
fn each_worker_locks_the_memory_it_is_to_lock() {
    let place = Place::new();
    let words =
        "--name=a --ioengine=null --size=1g --time_based --runtime=1 --lockmem=1m --numjobs=2";
    let words: Vec<&str> = words.split(' ').collect();
    let mut run = place.fio(&words).spawn().unwrap();
    let mut most = 0;
    while run.try_wait().unwrap().is_none() {
        most = most.max(locked(run.id()));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(run.wait().unwrap().success());
    assert_eq!(most, 2048);
}

#[test]
fn a_later_target_that_cannot_be_storage_is_refused_first() {
    let folder = Place::new();
    std::os::unix::fs::symlink("/nonexistent/file", folder.join("link")).unwrap();
    let of_kernel = &["an interface of the kernel", "hint: "][..];
    let nowhere = &[
        "link is a link to /nonexistent/file",
        "hint: make the folder",
    ][..];
    for (more, why) in [
        ("--filename=/proc/version --rw=read --size=4k", of_kernel),
        ("--filename=/proc/missing/file", of_kernel),
        ("--filename=/sys/missing", of_kernel),
        ("--filename={d}/link", nowhere),
    ] {
        let words = format!(
            "fio --size=1m --name=a --filename={{d}}/a --rw=write --name=b --stonewall --rw=randrw {more}"
        );
        refused_in(folder.path(), leadline, (&words, ""), why, (1, 3));
    }
    let words = "diskspd -c1M -w50 -d1 {d}/f /proc/missing/file";
    refused_in(folder.path(), leadline, (words, ""), of_kernel, (1, 3));
    let parameters = "sd=a,lun={d}/a,size=1m\nsd=b,lun={d}/link,size=1m\nwd=a,sd=*,xfersize=4k\n\
                      rd=a,wd=a,iorate=max,elapsed=2,interval=1\n";
    let vdbench = ("vdbench -f j.vdb -o out", parameters);
    refused_in(folder.path(), leadline, vdbench, nowhere, (157, 3));
}
