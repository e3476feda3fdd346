//! A control group that caps what the command does to a device: the one real target whose limit is known.
//!
//! Must never: leave a group behind, or switch a controller on that the machine does not use.

use super::{LEADLINE, sleep_ms};
use leadline_testkit::machine::need_root;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where the blkio controller of cgroup v1 is.
const V1: &str = "/sys/fs/cgroup/blkio";
/// Where cgroup v2 is: alone, or beside controllers of v1.
const V2: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
/// What names of groups begin with; the test's process and a number follow.
const PREFIX: &str = "leadline-test-";

/// What a group caps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cap {
    /// Reads a second.
    ReadIops,
    /// Writes a second.
    WriteIops,
    /// Bytes read a second.
    ReadBytes,
    /// Bytes written a second.
    WriteBytes,
}

impl Cap {
    /// The middle of its file's name in cgroup v1, and its key in `io.max` of v2.
    const fn names(self) -> [&'static str; 2] {
        match self {
            Self::ReadIops => ["read_iops", "riops"],
            Self::WriteIops => ["write_iops", "wiops"],
            Self::ReadBytes => ["read_bps", "rbps"],
            Self::WriteBytes => ["write_bps", "wbps"],
        }
    }
}

/// A control group that caps I/O to one device.
pub(crate) struct CappedGroup {
    directory: PathBuf,
    /// The device's numbers, `7:0`.
    numbers: String,
}

impl CappedGroup {
    /// Caps reads of the device with these numbers at `iops`.
    pub(crate) fn reads(numbers: &str, iops: u64) -> Result<Self, String> {
        Self::new(numbers, &[(Cap::ReadIops, iops)])
    }

    /// Caps the device with these numbers; `Err` says what the machine lacks.
    pub(crate) fn new(numbers: &str, caps: &[(Cap, u64)]) -> Result<Self, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        need_root("a control group")?;
        let parent = parent()
            .ok_or("there is neither the blkio controller of cgroup v1 nor io.max of v2")?;
        remove_left(&parent);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::create_dir(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
        let group = Self {
            directory,
            numbers: numbers.to_owned(),
        };
        for (cap, value) in caps {
            group.set(*cap, *value)?;
        }
        Ok(group)
    }

    /// Sets one cap, also while a process of the group runs: it is in force after the slice of 0.1 s that the kernel is in.
    pub(crate) fn set(&self, cap: Cap, value: u64) -> Result<(), String> {
        let [old, key] = cap.names();
        let (file, line) = match self.directory.join("io.max").exists() {
            true => (
                "io.max".to_owned(),
                format!("{} {key}={value}", self.numbers),
            ),
            false => (
                format!("blkio.throttle.{old}_device"),
                format!("{} {value}", self.numbers),
            ),
        };
        let file = self.directory.join(file);
        fs::write(&file, line).map_err(|e| format!("{}: {e}", file.display()))
    }

    /// leadline in this group.
    pub(crate) fn runner(&self) -> Command {
        let mut command = Command::new("sh");
        let script = r#"echo $$ > "$0/cgroup.procs" && exec "$@""#;
        command
            .args(["-c", script])
            .arg(&self.directory)
            .arg(LEADLINE);
        command
    }
}

impl Drop for CappedGroup {
    fn drop(&mut self) {
        let removed = remove(&self.directory);
        // A second panic would end the process.
        assert!(
            removed || std::thread::panicking(),
            "{}",
            self.directory.display()
        );
    }
}

/// The folder for groups of the first controller there is.
fn parent() -> Option<PathBuf> {
    let old = Path::new(V1);
    if old.join("blkio.throttle.read_iops_device").exists() {
        return Some(old.to_owned());
    }
    // Groups have io.max where their parent hands the controller on.
    let hands_on = |root: &&str| {
        let file = Path::new(root).join("cgroup.subtree_control");
        fs::read_to_string(file).is_ok_and(|all| all.split_whitespace().any(|one| one == "io"))
    };
    V2.into_iter().find(hands_on).map(PathBuf::from)
}

/// Removes a group; what still runs in it goes to the group above.
fn remove(group: &Path) -> bool {
    for _ in 0..200 {
        let inside = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
        for process in inside.split_whitespace() {
            let above = group.parent().unwrap_or(group).join("cgroup.procs");
            let _ = fs::write(above, process);
        }
        if fs::remove_dir(group).is_ok() || !group.exists() {
            return true;
        }
        // One that has been killed is in it until its I/Os have ended.
        sleep_ms(20);
    }
    false
}

/// Removes the groups of tests that were killed.
fn remove_left(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.split('-').next());
        if process.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            let _ = remove(&entry.path());
        }
    }
}
