//! What a later stage cannot or may not do is refused before the first stage writes, and by `leadline plan` too.

use crate::support::{
    Done, FileSystem, LEADLINE, LoopDevice, Place, finish, or_skip, unprivileged,
};
use std::path::Path;
use std::process::Command;

const FIRST: [&str; 6] = [
    "fio",
    "--name=a",
    "--filename=made",
    "--rw=write",
    "--size=1m",
    "--bs=4k",
];

/// The two jobs, the second on `target`.
fn jobs(target: &str) -> Vec<String> {
    let second = ["--name=b", "--stonewall", "--rw=write", "--size=1m"];
    let target = format!("--filename={target}");
    let words = FIRST.iter().chain(&second).copied();
    words.map(str::to_owned).chain([target]).collect()
}

fn run(place: &Place, words: &[String]) -> Done {
    finish(&mut place.leadline(words))
}

/// Both jobs and their plan are refused with these words, and nothing was made.
fn refused(place: &Place, target: &str, why: &str, code: i32) {
    let words = jobs(target);
    let done = run(place, &words);
    assert_eq!(done.code, Some(1), "{target}: {done:?}");
    assert!(done.stderr.contains(why), "{target}: {done:?}");
    assert!(!place.join("made").exists(), "{target}: {done:?}");
    let planned = run(place, &[&["plan".to_owned()], &words[..]].concat());
    assert_eq!(planned.code, Some(code), "{target}: {planned:?}");
    assert!(planned.stderr.contains(why), "{target}: {planned:?}");
}

fn tool(words: &[&str]) -> Result<(), String> {
    let done = Command::new(words[0]).args(&words[1..]).output();
    match done {
        Ok(done) if done.status.success() => Ok(()),
        Ok(done) => Err(String::from_utf8_lossy(&done.stderr).trim().to_owned()),
        Err(error) => Err(format!("{}: {error}", words[0])),
    }
}

/// A device over a new file of zeros.
fn blank(place: &Place, name: &str) -> Result<LoopDevice, String> {
    let path = place.join(name);
    let file = std::fs::File::create(&path).unwrap();
    file.set_len(16 << 20).unwrap();
    LoopDevice::over(&path)
}

#[test]
fn a_later_target_that_is_no_file_or_may_not_be_opened_is_refused_first() {
    let place = Place::new();
    std::fs::create_dir(place.join("folder")).unwrap();
    refused(&place, "folder", "folder is a directory", 2);
    let fixed = place.file("fixed", 1 << 20);
    let shown = fixed.display().to_string();
    if or_skip("honesty::later_immutable", tool(&["chattr", "+i", &shown])).is_some() {
        refused(&place, "fixed", "permission denied", 3);
        tool(&["chattr", "-i", &shown]).unwrap();
    }
    let small = FileSystem::of("4m");
    if let Some(small) = or_skip("honesty::later_read_only", small) {
        let there = small.path().join("there");
        std::fs::write(&there, vec![1; 1 << 20]).unwrap();
        small.read_only().unwrap();
        let new = small.path().join("new");
        for path in [there, new] {
            refused(&place, &path.display().to_string(), "mounted read-only", 3);
        }
    }
    let Some(mut command) = or_skip("honesty::later_rights", unprivileged()) else {
        return;
    };
    // What an unprivileged user may do in a folder of his own; the other file is root's.
    let own = place.join("own");
    std::fs::create_dir(&own).unwrap();
    std::os::unix::fs::chown(&own, Some(65534), Some(65534)).unwrap();
    command.args(jobs("../fixed")).args(["--leadline-run=none"]);
    let done = finish(command.current_dir(&own));
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("permission denied"), "{done:?}");
    assert!(!own.join("made").exists(), "{done:?}");
}

/// As fio 3.33, which ends with 1: nothing is made by a job whose workers may not have their priority.
#[test]
fn a_priority_that_is_refused_is_refused_first() {
    let place = Place::new();
    if or_skip("honesty::later_priority", unprivileged()).is_none() {
        return;
    }
    let own = place.join("own");
    std::fs::create_dir(&own).unwrap();
    std::os::unix::fs::chown(&own, Some(65534), Some(65534)).unwrap();
    for (option, code) in [
        ("--prioclass=1", 1),
        ("--nice=-5", 1),
        ("--prioclass=2", 0),
        ("--nice=5", 0),
    ] {
        let words = [
            "fio",
            "--name=a",
            "--size=64k",
            "--rw=write",
            "--leadline-run=none",
            option,
        ];
        let done = finish(unprivileged().unwrap().current_dir(&own).args(words));
        assert_eq!(done.code, Some(code), "{option}: {done:?}");
        assert_eq!(own.join("a.0.0").exists(), code == 0, "{option}: {done:?}");
        let _ = std::fs::remove_file(own.join("a.0.0"));
    }
    let words = "fio --name=a --size=64k --ioengine=null --nice=-5 --leadline-run=none";
    let done = finish(
        unprivileged()
            .unwrap()
            .current_dir(&own)
            .args(words.split(' ')),
    );
    assert_eq!(done.code, Some(1), "{done:?}");
}

/// As fio 3.33: files that are large enough are not opened by a job that only makes files.
#[test]
fn a_job_that_only_makes_files_leaves_alone_what_is_there() {
    let place = Place::new();
    let Some(mut command) = or_skip("honesty::later_only_made", unprivileged()) else {
        return;
    };
    place.file("others", 1 << 20);
    let words =
        "fio --name=a --size=64k --rw=write --filename=others --create_only=1 --leadline-run=none";
    let done = finish(command.current_dir(place.path()).args(words.split(' ')));
    assert_eq!(done.code, Some(0), "{done:?}");
    // It cannot be made larger.
    let mut command = unprivileged().unwrap();
    let words = words.replace("64k", "2m");
    let done = finish(command.current_dir(place.path()).args(words.split(' ')));
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("permission denied"), "{done:?}");
}

#[test]
fn a_later_device_that_carries_data_or_is_in_use_is_refused_first() {
    let place = Place::new();
    let Some(disk) = or_skip("honesty::later_device", blank(&place, "disk")) else {
        return;
    };
    let made = tool(&["mkfs.ext4", "-q", "-F", &disk.path]);
    if or_skip("honesty::later_device", made).is_none() {
        return;
    }
    refused(&place, &disk.path, "ext4 file system", 4);
    {
        let mounted = FileSystem::device(&disk.path).unwrap();
        let why = format!("is mounted on {}", mounted.path().display());
        refused(&place, &disk.path, &why, 4);
        // Named to be destroyed, it is mounted all the same.
        let destroy = format!("--destroy={}", disk.path);
        let done = run(&place, &[jobs(&disk.path), vec![destroy]].concat());
        assert!(done.stderr.contains(&why), "{done:?}");
        assert!(!place.join("made").exists(), "{done:?}");
    }
    let destroy = format!("--destroy={}", disk.path);
    let done = run(&place, &[jobs(&disk.path), vec![destroy]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    std::fs::remove_file(place.join("made")).unwrap();
    let fixed = blank(&place, "fixed").unwrap();
    tool(&["blockdev", "--setro", &fixed.path]).unwrap();
    refused(&place, &fixed.path, "a read-only device", 3);
    // The kernel keeps it for the next file of this device.
    tool(&["blockdev", "--setrw", &fixed.path]).unwrap();
}

#[test]
fn files_of_all_jobs_that_do_not_fit_together_are_refused_first() {
    let place = Place::new();
    let Some(small) = or_skip("honesty::later_room", FileSystem::of("64m")) else {
        return;
    };
    let job = |name: &str, more: &[&str]| {
        let at = small.path().join(name).display().to_string();
        let words = [format!("--name={name}"), format!("--filename={at}")];
        let fixed = ["--stonewall", "--rw=write", "--size=40m", "--bs=1m"];
        let words = words.into_iter().chain(fixed.map(str::to_owned));
        let more = more.iter().map(|&word| word.to_owned());
        words.chain(more).collect::<Vec<_>>()
    };
    let fio = |jobs: &[Vec<String>]| [vec!["fio".to_owned()], jobs.concat()].concat();
    let both = fio(&[job("a", &[]), job("b", &[])]);
    let empty = |path: &Path| std::fs::read_dir(path).unwrap().count() == 0;
    for words in [both.clone(), [vec!["plan".to_owned()], both].concat()] {
        let done = run(&place, &words);
        assert_ne!(done.code, Some(0), "{done:?}");
        assert!(done.stderr.contains("80 MiB more"), "{done:?}");
        assert!(empty(small.path()), "{done:?}");
    }
    let deleted = fio(&[job("a", &["--unlink=1"]), job("b", &["--unlink=1"])]);
    let done = run(&place, &deleted);
    assert_eq!(done.code, Some(0), "{done:?}");
    let same = fio(&[job("a", &[]), job("a", &[])]);
    assert_eq!(run(&place, &same).code, Some(0));
}

/// A file that grows as it is written, of which nothing is claimed first.
#[test]
fn what_is_certain_to_be_written_has_to_fit_before_it_begins() {
    let place = Place::new();
    let Some(small) = or_skip("honesty::later_written", FileSystem::of("64m")) else {
        return;
    };
    let at = small.path().join("a").display().to_string();
    let vdbench = |size: &str| {
        let runs = "wd=w,sd=s,rdpct=100\nrd=r,wd=w,iorate=max,elapsed=2,interval=1\n";
        std::fs::write(
            place.join(size),
            format!("sd=s,lun={at},size={size}\n{runs}"),
        )
        .unwrap();
        ["vdbench", "-f", size, "-o", "out"]
            .map(str::to_owned)
            .to_vec()
    };
    let fio = |more: &[&str]| {
        let file = format!("--filename={at}");
        let words = ["fio", "--name=a", &file, "--bs=1m", "--fallocate=none"];
        let words = words.iter().chain(more);
        words.map(|word| (*word).to_owned()).collect::<Vec<_>>()
    };
    let refused = [
        vdbench("80m"),
        fio(&["--rw=write", "--size=80m"]),
        fio(&["--rw=randwrite", "--size=80m"]),
    ];
    for words in refused {
        for words in [words.clone(), [vec!["plan".to_owned()], words].concat()] {
            let done = run(&place, &words);
            assert_ne!(done.code, Some(0), "{done:?}");
            assert!(
                done.stderr.contains("80 MiB more would be written"),
                "{done:?}"
            );
            assert_eq!(
                std::fs::read_dir(small.path()).unwrap().count(),
                0,
                "{done:?}"
            );
        }
    }
    for words in [
        fio(&["--rw=write", "--size=80m", "--io_size=8m"]),
        fio(&["--rw=write", "--size=80m", "--number_ios=8"]),
        fio(&["--rw=write", "--size=60m"]),
        fio(&["--rw=randwrite", "--size=60m", "--loops=2"]),
        fio(&["--rw=write", "--size=80m", "--rate=1m", "--runtime=1"]),
        vdbench("60m"),
    ] {
        let done = run(&place, &words);
        assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    }
    // Full of holes, as long as it will be.
    std::fs::File::create(&at)
        .unwrap()
        .set_len(80 << 20)
        .unwrap();
    let words = fio(&["--rw=write", "--size=80m", "--io_size=8m"]);
    assert_eq!(run(&place, &words).code, Some(0));
}

#[test]
fn what_commands_have_mounted_is_looked_at_before_anything_is_written() {
    let place = Place::new();
    let Some(small) = or_skip("honesty::later_commands", FileSystem::of("8m")) else {
        return;
    };
    let at = |name: &str| small.path().join(name).display().to_string();
    // The second run's file has no room, which is known when the command has run.
    let parameters = format!(
        "formatsds=no\nsd=a,lun={},size=1m\nsd=b,lun={},size=64m\nwd=a,sd=a,rdpct=0,seekpct=eof\n\
         wd=b,sd=b,rdpct=100\nrd=a,wd=a,iorate=max,elapsed=2,interval=1,startcmd=\"true $output\"\n\
         rd=b,wd=b,iorate=max,elapsed=2,interval=1\n",
        at("a"),
        at("b")
    );
    std::fs::write(place.join("j.vdb"), parameters).unwrap();
    let done = finish(&mut place.leadline(["vdbench", "-f", "j.vdb", "-o", "out"]));
    assert_eq!(done.code, Some(157), "{done:?}");
    assert!(done.stderr.contains("MiB free"), "{done:?}");
    assert_eq!(std::fs::read_dir(small.path()).unwrap().count(), 0);
    let planned = finish(&mut place.leadline(["plan", "vdbench", "-f", "j.vdb"]));
    assert_eq!(planned.code, Some(0), "{planned:?}");
    assert!(planned.stderr.contains("are not known yet"), "{planned:?}");
}

/// ext4 has files of 16 TiB at most, and a process may be allowed less.
#[test]
fn a_later_file_that_can_not_be_so_long_is_refused_first() {
    let place = Place::new();
    let big = "--name=b --stonewall --filename=b --rw=write --fallocate=truncate --size=";
    let jobs = |size: &str| {
        let words = format!("--name=a --filename=made --rw=write --size=64k {big}{size}");
        words.split(' ').map(str::to_owned).collect::<Vec<_>>()
    };
    let limited = |verb: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -f 1000; exec \"$@\"", "sh", LEADLINE]);
        command.args(verb.split(' ')).args(jobs("10m"));
        finish(command.arg("--leadline-run=none").current_dir(place.path()))
    };
    for (verb, code) in [("fio", 1), ("plan fio", 3)] {
        let done = limited(verb);
        assert_eq!(done.code, Some(code), "{done:?}");
        assert!(done.stderr.contains("can be at most"), "{done:?}");
        assert!(done.stderr.contains("ulimit -f"), "{done:?}");
        assert!(!place.join("made").exists(), "{done:?}");
    }
    let kind = format!("stat -f -c %T {} | grep ext", place.path().display());
    if or_skip("honesty::later_ext4", tool(&["sh", "-c", &kind])).is_some() {
        let done = run(&place, &[vec!["fio".to_owned()], jobs("20t")].concat());
        assert_eq!(done.code, Some(1), "{done:?}");
        assert!(done.stderr.contains("can be at most"), "{done:?}");
        assert!(!place.join("made").exists(), "{done:?}");
    }
}
