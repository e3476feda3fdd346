//! What this host does not allow is refused by name, with the cure; nothing is made, nothing measured.

use crate::support::{
    Done, FileSystem, LEADLINE, Place, filtered, finish, or_skip, skip, unprivileged,
};
use std::path::Path;
use std::process::Command;

/// Number of io_uring_setup(2), the same on all architectures.
const IO_URING_SETUP: u32 = 425;

/// Refused with this exit code, these words and a hint.
fn refused(done: &Done, code: i32, words: &[&str]) {
    assert_eq!(done.code, Some(code), "{done:?}");
    for word in words {
        assert!(done.stderr.contains(word), "no '{word}': {done:?}");
    }
}

fn is_empty(directory: &Path) -> bool {
    std::fs::read_dir(directory).unwrap().next().is_none()
}

const SURVEY: [&str; 5] = ["--quick", "--size", "16m", "--time", "100ms"];

#[test]
fn a_read_only_file_system_is_named() {
    let place = Place::new();
    let Some(mount) = or_skip("honesty::read_only", FileSystem::of("32m")) else {
        return;
    };
    crate::support::fill(&mount.path().join("there"), 1 << 20);
    if or_skip("honesty::read_only", mount.read_only()).is_none() {
        return;
    }
    let at = mount.path().display().to_string();
    let directory = format!("--directory={at}");
    for target in [&["--size=1m"][..], &["--filename=there"]] {
        let args = ["--name=a", &directory, "--rw=randwrite", "--bs=4k"];
        let done = finish(&mut place.fio(&[&args[..], target].concat()));
        refused(&done, 1, &["read-only", "hint: "]);
    }
    // What only reads what is there, runs.
    let done = finish(&mut place.fio(&["--name=a", &directory, "--filename=there", "--rw=read"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    let survey = [&["measure", &at], &SURVEY[..]].concat();
    refused(
        &finish(&mut place.leadline(survey)),
        3,
        &["read-only", "hint: "],
    );
}

#[test]
fn a_missing_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let Some(user) = or_skip("honesty::permission", unprivileged()) else {
        return;
    };
    let path = place.file("readable", 1 << 20);
    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(&path, 0o644);
    let closed = place.join("closed");
    std::fs::create_dir(&closed).unwrap();
    mode(&closed, 0o700);
    let again = || {
        let mut command = Command::new(user.get_program());
        command.args(user.get_args());
        command
    };
    let args = ["--name=a", "--bs=4k", "--size=1m", "--leadline-run=none"];
    for target in [
        &["--filename=readable", "--rw=randwrite"][..],
        &["--directory=closed", "--rw=randwrite"],
        &["--directory=closed", "--rw=randread"],
    ] {
        let done = finish(&mut place.fio_by(again(), &[&args[..], target].concat()));
        refused(&done, 1, &["ermission denied", "hint: "]);
    }
    assert!(is_empty(&closed));
    let reads = [&args[..], &["--filename=readable", "--rw=randread"]].concat();
    let done = finish(&mut place.fio_by(again(), &reads));
    assert_eq!(done.code, Some(0), "{done:?}");
    // Its report needs a place as well.
    let open = place.join("open");
    std::fs::create_dir(&open).unwrap();
    mode(&open, 0o777);
    let mut survey = again();
    survey
        .args(["measure", "closed", "--out=open/r"])
        .args(SURVEY);
    let done = finish(survey.current_dir(place.path()));
    refused(&done, 3, &["ermission denied", "hint: "]);
    assert!(is_empty(&closed));
}

#[test]
fn too_many_open_files_are_named_before_any_is_made() {
    let place = Place::new();
    let mut limited = Command::new("sh");
    limited.args(["-c", r#"ulimit -n 64; exec "$0" "$@""#, LEADLINE]);
    let directory = place.join("many");
    std::fs::create_dir(&directory).unwrap();
    let done = finish(&mut place.fio_by(
        limited,
        &[
            "--name=a",
            "--directory=many",
            "--nrfiles=100",
            "--size=4m",
            "--rw=randwrite",
        ],
    ));
    refused(&done, 1, &["open 64", "ulimit", "hint: "]);
    assert!(is_empty(&directory));
}

#[test]
fn a_forbidden_io_uring_is_named_with_the_way_out() {
    let place = Place::new();
    place.file("a", 1 << 20);
    for (errno, cause) in [(1, "seccomp"), (38, "CONFIG_IO_URING")] {
        let Some(runner) = or_skip("honesty::io_uring", filtered(IO_URING_SETUP, errno)) else {
            return;
        };
        let done = finish(&mut place.fio_by(
            runner,
            &[
                "--name=a",
                "--filename=a",
                "--rw=read",
                "--ioengine=io_uring",
            ],
        ));
        refused(&done, 1, &["io_uring", cause, "libaio"]);
    }
    let Some(mut survey) = or_skip("honesty::io_uring", filtered(IO_URING_SETUP, 1)) else {
        return;
    };
    std::fs::create_dir(place.join("survey")).unwrap();
    survey.args(["measure", "survey"]).args(SURVEY);
    let done = finish(survey.current_dir(place.path()));
    refused(&done, 3, &["io_uring", "seccomp", "libaio"]);
    let left = std::fs::read_dir(place.join("survey")).unwrap();
    assert_eq!(left.count(), 0, "its files are gone");
    // The way out is one.
    let Some(mut survey) = or_skip("honesty::io_uring", filtered(IO_URING_SETUP, 1)) else {
        return;
    };
    survey
        .args(["measure", "survey", "--engine=libaio"])
        .args(SURVEY);
    let done = finish(survey.current_dir(place.path()));
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn polling_that_the_kernel_ignores_is_said_with_the_cure() {
    let place = Place::new();
    place.file("f", 1 << 20);
    let release = rustix::system::uname();
    let release = release.release().to_string_lossy().into_owned();
    let mut parts = release.split('.').map(|p| p.parse::<u32>().unwrap_or(0));
    if (parts.next(), parts.next()) < (Some(5), Some(19)) {
        return skip(
            "honesty::polling",
            "this kernel still polls for single calls",
        );
    }
    let job = [
        "--name=a",
        "--filename=f",
        "--rw=randread",
        "--size=1m",
        "--direct=1",
        "--ioengine=pvsync2",
        "--hipri",
    ];
    let done = finish(&mut place.fio(&job));
    let said = format!("{}{}", done.stdout, done.stderr);
    if said.contains("support RWF_HIPRI") {
        return skip("honesty::polling", "this file system refuses to poll");
    }
    assert_eq!(done.code, Some(0), "{done:?}");
    let kept = place.kept();
    let finding = kept.findings.iter().find(|f| f.code == "polling-ignored");
    assert!(
        finding
            .unwrap()
            .cure
            .text
            .contains("use io_uring, which polls")
    );
}

/// A path of Windows names no directory here, and the note says why there is none.
#[test]
fn a_note_on_the_text_is_said_where_a_directory_is_missing() {
    let place = Place::new();
    let words = [
        "--name=a",
        "--directory=Z\\:\\",
        "--rw=randread",
        "--size=1m",
    ];
    let done = finish(&mut place.fio(&words));
    refused(&done, 1, &["does not exist", "[path-of-windows]"]);
}
