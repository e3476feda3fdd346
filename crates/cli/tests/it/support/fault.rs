//! faultfs, the file system with delay and faults, mounted for a test.

use super::{LEADLINE, now};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Once;
use std::time::SystemTime;

/// A mounted faultfs; it ends when this is dropped, or when the test itself dies.
pub(crate) struct Mount {
    child: Child,
    /// When it is closed, faultfs unmounts, even when the test was killed.
    stdin: Option<ChildStdin>,
    directory: tempfile::TempDir,
    killed: bool,
}

impl Mount {
    /// Mounts with the given options and commands; `Err` says what this machine lacks.
    pub(crate) fn start(words: &[&str]) -> Result<Self, String> {
        if !Path::new("/dev/fuse").exists() {
            return Err("there is no /dev/fuse".to_owned());
        }
        let directory = tempfile::tempdir().unwrap();
        let mut child = Command::new(program())
            .arg(directory.path())
            .arg("--stdin")
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        if line != "ready\n" {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            // Not being allowed is the machine's; anything else is a fault of ours.
            assert!(
                said.contains("permitted") || said.contains("ermission"),
                "{said}"
            );
            return Err(format!("mounting is not allowed here: {said}"));
        }
        let stdin = child.stdin.take();
        Ok(Self {
            child,
            stdin,
            directory,
            killed: false,
        })
    }

    /// A path in the mount.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A file of `len` bytes in it.
    pub(crate) fn file(&self, name: &str, len: usize) -> String {
        let path = self.path(name);
        std::fs::write(&path, vec![7; len]).unwrap();
        path.display().to_string()
    }

    /// Writes commands to the control file.
    pub(crate) fn command(&self, lines: &str) {
        std::fs::write(self.path(".faultfs"), lines).unwrap();
    }

    /// Ends it as a crash would: whoever has files open in it gets errors.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.killed = true;
    }

    /// One counter of the control file.
    pub(crate) fn counter(&self, name: &str) -> u64 {
        let report = std::fs::read_to_string(self.path(".faultfs")).unwrap();
        let row = report.lines().find_map(|line| line.strip_prefix(name));
        row.unwrap().trim().parse().unwrap()
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let until = now() + std::time::Duration::from_secs(10);
        while !matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
            if now() > until {
                let _ = self.child.kill();
            }
            super::sleep_ms(5);
        }
        // One that was killed leaves a mount whose server has gone.
        if self.killed {
            let _ = Command::new("umount")
                .arg("-l")
                .arg(self.directory.path())
                .status();
        }
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
