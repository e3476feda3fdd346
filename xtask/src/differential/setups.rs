//! Random jobs that mostly cannot be set up: the exit codes of both tools.
//!
//! Belongs here: what is drawn, and where it is tried. Must never: excuse a difference.

use super::jobs::JobDraw;
use crate::shell;
use anyhow::{Context, Result};
use leadline_model::seed::{Purpose, SplitMix, derive};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command line, and who calls it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Setup {
    pub(super) words: Vec<String>,
    /// Run as the user `nobody`.
    pub(super) nobody: bool,
}

/// Targets; of most of them something is wrong.
const FILES: [&str; 13] = [
    "data",
    "data",
    "absent",
    "secret",
    "readonly",
    "dir",
    "locked/x",
    "closed/x",
    "new/x",
    "loop",
    "data/x",
    "/dev/null/x",
    "closed",
];

const FOLDERS: [&str; 8] = [
    "/no/such",
    "data",
    "closed",
    "locked",
    "dir",
    "/dev/null",
    "dir:no",
    "absent",
];

const OPTIONS: [&str; 32] = [
    "cpumask=0",
    "cpumask=1",
    "cpus_allowed=99999",
    "create_on_open=1",
    "create_on_open=1",
    "allow_file_create=0",
    "direct=1",
    "overwrite=1",
    "bs=128k",
    "offset=64k",
    "filesize=128k",
    "openfiles=1",
    "thread",
    "create_serialize=0",
    "nrfiles=2",
    "unlink=1",
    "pre_read=1",
    "fallocate=none",
    "ioengine=libaio",
    "ioengine=io_uring",
    "ioengine=no-such-engine",
    "ioengine=null",
    "create_only=1",
    "end_fsync=1",
    "time_based",
    "loops=2",
    "number_ios=3",
    "numjobs=2",
    "numjobs=3",
    "iodepth=0",
    "bssplit=x",
    "runtime=x",
];

/// Switches and files that jobs are read from, beside or in place of a job.
const SWITCHES: [&str; 12] = [
    "--output=no/such",
    "--output=dir",
    "--output=locked/o",
    "--status-interval=0",
    "--status-interval=x",
    "--eta=bad",
    "--eta-interval=x",
    "--readonly",
    "--parse-only",
    "--showcmd",
    "--no-such-switch",
    "--output-format=bad",
];

const JOB_FILES: [(&str, &str); 8] = [
    ("good.fio", "[a]\nsize=64k\n"),
    ("includes.fio", "include absent.fio\n[a]\nsize=64k\n"),
    ("bad.fio", "[a]\nsize=64k\nbs=0\n"),
    ("headless.fio", "size=64k\nrw=read\n"),
    ("blank.fio", "\n"),
    ("global.fio", "[global]\nsize=64k\n"),
    (
        "two.fio",
        "[a]\nsize=64k\n[b]\nsize=64k\nfilename=data/below\n",
    ),
    (
        "later.fio",
        "[a]\nsize=64k\n[b]\nstonewall\ncreate_on_open=1\nsize=64k\nnumjobs=2\n",
    ),
];

/// The set-up of this number.
pub(super) fn setup(seed: u64, number: u32) -> Setup {
    let mut draw = JobDraw(SplitMix::new(derive(
        seed,
        Purpose::SetupCase,
        number.into(),
    )));
    loop {
        let setup = drawn(&mut draw);
        if !differs_on_purpose(&setup.words) {
            return setup;
        }
    }
}

/// What the docs name as other than in fio; it is not compared.
fn differs_on_purpose(words: &[String]) -> bool {
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let piece_below_block = has("--size=4k") && has("--nrfiles=2");
    let nothing_parsed = has("--size=0") && has("--parse-only");
    // fio 3.33 reads through a descriptor that it never opened, and crashes.
    let read_of_nothing = has("--ioengine=null") && has("--pre_read=1");
    piece_below_block || nothing_parsed || read_of_nothing
}

fn drawn(draw: &mut JobDraw) -> Setup {
    let mut words = Vec::new();
    if draw.one_in(6) {
        words.push(draw.of(&SWITCHES).to_owned());
    }
    if draw.one_in(6) {
        let names = JOB_FILES.map(|(name, _)| name);
        let name = match draw.below(4) {
            0 => draw.of(&["absent.fio", "dir", "secret", "closed/x.fio"]),
            _ => draw.of(&names),
        };
        words.push(name.to_owned());
    } else {
        job(draw, &mut words);
    }
    Setup {
        words,
        nobody: draw.one_in(3),
    }
}

fn job(draw: &mut JobDraw, words: &mut Vec<String>) {
    let mut add = |option: String| words.push(format!("--{option}"));
    add("name=a".to_owned());
    add(format!("size={}", draw.of(&["64k", "64k", "4k", "0"])));
    let rw = draw.of(&["read", "write", "randrw", "randread", "trim", "trimwrite"]);
    add(format!("rw={rw}"));
    match draw.below(6) {
        0..=2 => add(format!("filename={}", draw.of(&FILES))),
        3 => add(format!("directory={}", draw.of(&FOLDERS))),
        _ => {}
    }
    for _ in 0..draw.below(3) {
        add(draw.of(&OPTIONS).to_owned());
    }
    // Short, whatever was drawn.
    add("runtime=1".to_owned());
}

/// Makes the place that the words are about.
fn furnish(dir: &Path) -> Result<()> {
    clear(dir);
    std::fs::create_dir_all(dir)?;
    let mode = |name: &str, mode| {
        let path = if name.is_empty() {
            dir.to_owned()
        } else {
            dir.join(name)
        };
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
    };
    for (name, text) in JOB_FILES {
        std::fs::write(dir.join(name), text)?;
    }
    for name in ["data", "secret", "readonly"] {
        std::fs::write(dir.join(name), vec![0x5a_u8; 1 << 20])?;
    }
    for name in ["dir", "locked", "closed"] {
        std::fs::create_dir(dir.join(name))?;
    }
    symlink("loop", dir.join("loop"))?;
    for (name, bits) in [
        ("", 0o777),
        ("secret", 0),
        ("readonly", 0o444),
        ("dir", 0o777),
        ("locked", 0o555),
        ("closed", 0),
    ] {
        mode(name, bits)?;
    }
    Ok(())
}

/// Deletes a directory, also one that `nobody` may not read.
pub(super) fn clear(dir: &Path) {
    for name in ["locked", "closed"] {
        let open = std::fs::Permissions::from_mode(0o755);
        let _ = std::fs::set_permissions(dir.join(name), open);
    }
    let _ = std::fs::remove_dir_all(dir);
}

/// Both tools, fio first: their exit codes and last words.
pub(super) fn codes(setup: &Setup, leadline: &Path, dir: &Path) -> Result<[(i32, String); 2]> {
    let fio = PathBuf::from("fio");
    Ok([
        code(setup, &fio, &[], dir)?,
        code(setup, leadline, &["fio"], dir)?,
    ])
}

fn code(setup: &Setup, tool: &Path, verb: &[&str], dir: &Path) -> Result<(i32, String)> {
    furnish(dir)?;
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5s", "30s"]);
    if setup.nobody {
        command.args([
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
        ]);
    }
    command.arg(tool).args(verb).args(&setup.words);
    command
        .current_dir(dir)
        .env("XDG_STATE_HOME", dir.join("state"));
    let output = command.output().context("timeout")?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().next().unwrap_or_default().to_owned();
    Ok((output.status.code().unwrap_or(-1), last))
}

/// Whether cases can be run as the user `nobody`.
pub(super) fn has_nobody() -> bool {
    is_root() && shell::find_program("setpriv").is_some()
}

fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("Uid:"));
    line.is_some_and(|line| line.split_whitespace().nth(2) == Some("0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_set_ups() {
        assert_eq!(setup(3, 17), setup(3, 17));
        assert_ne!(setup(3, 17), setup(4, 17));
    }

    /// Nothing outside of the place may be made: as root that would be.
    #[test]
    fn what_is_drawn_stays_in_its_place() {
        for word in FILES.iter().chain(&FOLDERS) {
            let outside =
                word.starts_with('/') && !word.starts_with("/dev/null") && *word != "/no/such";
            assert!(!outside && !word.contains(".."), "{word}");
        }
    }
}
