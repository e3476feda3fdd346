//! What tests with a real mount share: starting faultfs, ending it, and skipping by name.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

pub(crate) use leadline_testkit::skip;

/// A mounted faultfs; it ends when this is dropped, or when the test itself dies.
pub(crate) struct Mount {
    child: Child,
    /// When it is closed, faultfs unmounts, even when the test was killed.
    stdin: Option<ChildStdin>,
    directory: tempfile::TempDir,
}

impl Mount {
    /// Mounts with the given options and commands; `Err` says what this machine lacks.
    pub(crate) fn start(commands: &[&str]) -> Result<Self, String> {
        if !Path::new("/dev/fuse").exists() {
            return Err("there is no /dev/fuse".to_owned());
        }
        let directory = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_faultfs"))
            .arg(directory.path())
            .arg("--stdin")
            .args(commands)
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
        })
    }

    /// A path in the mount.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes commands to the control file.
    pub(crate) fn command(&self, lines: &str) -> std::io::Result<()> {
        std::fs::write(self.path(".faultfs"), lines)
    }

    /// One counter of the control file.
    pub(crate) fn counter(&self, name: &str) -> u64 {
        let report = std::fs::read_to_string(self.path(".faultfs")).unwrap();
        let row = report
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        row.trim().parse().unwrap()
    }

    /// Ends it and waits; true when it said that all was well.
    pub(crate) fn end(&mut self) -> bool {
        drop(self.stdin.take());
        self.child.wait().unwrap().success()
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        self.end();
    }
}
