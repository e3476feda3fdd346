//! faultfs beside the command under test, mounted for a test.

use super::LEADLINE;
use leadline_testkit::fault::FaultMount;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;
use std::time::SystemTime;

/// Where faultfs is mounted.
pub(crate) struct Mount;

impl Mount {
    /// Mounts with the given options and commands; `Err` says what this machine lacks.
    pub(crate) fn start(words: &[&str]) -> Result<FaultMount, String> {
        FaultMount::start(&program(), words)
    }
}

/// The program, beside the command under test; made when it is not there or older than its source.
fn program() -> PathBuf {
    static MADE: Once = Once::new();
    let directory = Path::new(LEADLINE).parent().unwrap();
    let program = directory.join("faultfs");
    MADE.call_once(|| {
        if !is_fresh(&program) {
            make(directory);
        }
    });
    program
}

fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).ok()?.modified().ok()
}

fn is_fresh(program: &Path) -> bool {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/faultfs/src");
    let newest = std::fs::read_dir(source)
        .unwrap()
        .filter_map(|entry| changed(&entry.unwrap().path()))
        .max();
    changed(program) > newest
}

fn make(directory: &Path) {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "faultfs"]);
    if directory.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo
        .arg("--target-dir")
        .arg(directory.parent().unwrap())
        .status()
        .unwrap();
    assert!(status.success(), "faultfs could not be built");
}
