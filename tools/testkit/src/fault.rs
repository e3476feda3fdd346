//! faultfs, the file system with delay and faults, mounted for a test.
//!
//! Must never: build the program, or outlive the test.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;

/// How long it has for its end, in steps of [`STEP`]: 10 s.
const STEPS: u32 = 2000;
const STEP: Duration = Duration::from_millis(5);

/// A mounted faultfs; it ends when this is dropped, or when the test itself dies.
#[derive(Debug)]
pub struct FaultMount {
    child: Child,
    /// When it is closed, faultfs unmounts, even when the test was killed.
    stdin: Option<ChildStdin>,
    directory: TempDir,
    killed: bool,
}

impl FaultMount {
    /// Mounts `program`, which is faultfs, with the given options and commands.
    ///
    /// # Errors
    /// What this machine lacks.
    ///
    /// # Panics
    /// When it cannot be started, or ends for another reason.
    pub fn start(program: &Path, words: &[&str]) -> Result<Self, String> {
        if !Path::new("/dev/fuse").exists() {
            return Err("there is no /dev/fuse".to_owned());
        }
        let directory = tempfile::tempdir().unwrap();
        let mut child = Command::new(program)
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
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A file of `len` bytes in it, by its path.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn file(&self, name: &str, len: usize) -> String {
        let path = self.path(name);
        std::fs::write(&path, vec![7; len]).unwrap();
        path.display().to_string()
    }

    /// Writes commands to the control file.
    ///
    /// # Panics
    /// When they are refused.
    pub fn command(&self, lines: &str) {
        self.try_command(lines).unwrap();
    }

    /// Writes commands to the control file.
    ///
    /// # Errors
    /// When they are refused.
    pub fn try_command(&self, lines: &str) -> io::Result<()> {
        std::fs::write(self.path(".faultfs"), lines)
    }

    /// One counter of the control file.
    ///
    /// # Panics
    /// When there is none of this name.
    #[must_use]
    pub fn counter(&self, name: &str) -> u64 {
        let report = std::fs::read_to_string(self.path(".faultfs")).unwrap();
        let row = report.lines().find_map(|line| line.strip_prefix(name));
        row.unwrap().trim().parse().unwrap()
    }

    /// Ends it as a crash would: whoever has files open in it gets errors.
    ///
    /// # Panics
    /// When it cannot be killed.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.killed = true;
    }

    /// Ends it and waits; true when it said that all was well.
    pub fn end(&mut self) -> bool {
        drop(self.stdin.take());
        for _ in 0..STEPS {
            match self.child.try_wait() {
                Ok(None) => sleep(STEP),
                Ok(Some(status)) => return status.success(),
                Err(_) => return false,
            }
        }
        self.killed = true;
        let _ = self.child.kill();
        let _ = self.child.wait();
        false
    }
}

impl Drop for FaultMount {
    fn drop(&mut self) {
        self.end();
        // One that was killed leaves a mount whose server has gone.
        if self.killed {
            let _ = Command::new("umount")
                .arg("-l")
                .arg(self.directory.path())
                .status();
        }
    }
}
