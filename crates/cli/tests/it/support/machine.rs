//! Parts of the machine that only root can have: loop devices, small file systems, caps; and running a
//! command with fewer rights.
//!
//! Each gives back what it took when it is dropped.

use super::LEADLINE;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Whether this process may do all.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs a tool; `Err` says what came of it.
fn tool(words: &[&str]) -> Result<String, String> {
    let output = Command::new(words[0])
        .args(&words[1..])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", words[0]))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(format!("{}: {said}", words.join(" ")))
}

fn need_root(for_what: &str) -> Result<(), String> {
    if is_root() {
        Ok(())
    } else {
        Err(format!("{for_what} needs root"))
    }
}

/// A loop device over a file.
pub(crate) struct LoopDevice {
    /// `/dev/loopN`.
    pub(crate) path: String,
}

impl LoopDevice {
    /// One over `file`, past the page cache where the file system allows it.
    pub(crate) fn over(file: &Path) -> Result<Self, String> {
        need_root("a loop device")?;
        let file = file.display().to_string();
        let direct = tool(&["losetup", "--find", "--show", "--direct-io=on", &file]);
        let path = direct.or_else(|_| tool(&["losetup", "--find", "--show", &file]))?;
        Ok(Self { path })
    }

    /// One over `file`, through the page cache.
    pub(crate) fn buffered(file: &Path) -> Result<Self, String> {
        need_root("a loop device")?;
        let file = file.display().to_string();
        let path = tool(&["losetup", "--find", "--show", "--direct-io=off", &file])?;
        Ok(Self { path })
    }

    /// Whether it goes past the page cache.
    pub(crate) fn is_direct(&self) -> bool {
        let name = self.path.trim_start_matches("/dev/");
        let text = std::fs::read_to_string(format!("/sys/block/{name}/loop/dio"));
        text.is_ok_and(|text| text.trim() == "1")
    }

    /// How many reads the kernel has counted, those it merged with others included.
    pub(crate) fn reads(&self) -> u64 {
        let name = self.path.trim_start_matches("/dev/");
        let text = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
        let mut numbers = text.split_whitespace().map(|n| n.parse::<u64>().unwrap());
        numbers.next().unwrap() + numbers.next().unwrap()
    }

    /// Major and minor number, `7:0`.
    pub(crate) fn numbers(&self) -> String {
        let name = self.path.trim_start_matches("/dev/");
        let text = std::fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap();
        text.trim().to_owned()
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = tool(&["losetup", "--detach", &self.path]);
    }
}

/// A mounted file system, unmounted at the end.
pub(crate) struct FileSystem {
    directory: tempfile::TempDir,
}

impl FileSystem {
    /// A file system in memory with room for `size` (`4m`).
    pub(crate) fn of(size: &str) -> Result<Self, String> {
        Self::mount(&[
            "-t",
            "tmpfs",
            "-o",
            &format!("size={size},mode=755"),
            "none",
        ])
    }

    /// A file system in memory of which O_DIRECT is not taken.
    pub(crate) fn ramfs() -> Result<Self, String> {
        Self::mount(&["-t", "ramfs", "none"])
    }

    /// An overlay of two folders of one file system, with a third for its own use.
    pub(crate) fn overlay([lower, upper, work]: [&Path; 3]) -> Result<Self, String> {
        let folders = format!(
            "lowerdir={},upperdir={},workdir={}",
            lower.display(),
            upper.display(),
            work.display()
        );
        Self::mount(&["-t", "overlay", "-o", &folders, "overlay"])
    }

    /// What is on a device, to be read only.
    pub(crate) fn device(device: &str) -> Result<Self, String> {
        Self::mount(&["-o", "ro", device])
    }

    fn mount(words: &[&str]) -> Result<Self, String> {
        need_root("mounting")?;
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().display().to_string();
        tool(&[&["mount"], words, &[&at]].concat())?;
        Ok(Self { directory })
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Allows no more writing.
    pub(crate) fn read_only(&self) -> Result<(), String> {
        let at = self.path().display().to_string();
        tool(&["mount", "-o", "remount,ro", &at]).map(|_| ())
    }
}

impl Drop for FileSystem {
    fn drop(&mut self) {
        let _ = tool(&["umount", "-l", &self.path().display().to_string()]);
    }
}

/// A control group that caps reads of a device.
pub(crate) struct CappedGroup {
    directory: PathBuf,
}

impl CappedGroup {
    /// Caps reads of the device with these numbers at `iops`.
    pub(crate) fn reads(numbers: &str, iops: u32) -> Result<Self, String> {
        need_root("a control group")?;
        let root = Path::new("/sys/fs/cgroup/blkio");
        if !root.join("blkio.throttle.read_iops_device").exists() {
            return Err("there is no blkio controller of cgroup v1".to_owned());
        }
        let directory = root.join(format!("leadline-test-{}", std::process::id()));
        std::fs::create_dir(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
        let group = Self { directory };
        let file = group.directory.join("blkio.throttle.read_iops_device");
        std::fs::write(&file, format!("{numbers} {iops}"))
            .map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(group)
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
        let _ = std::fs::remove_dir(&self.directory);
    }
}

/// leadline as a user without rights.
pub(crate) fn unprivileged() -> Result<Command, String> {
    let words = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    need_root("giving up rights")?;
    tool(&[&["setpriv"], &words[..], &["true"]].concat())?;
    // The command lies wherever cargo puts it, which may be closed to others.
    tool(&[&["setpriv"], &words[..], &[LEADLINE, "--version"]].concat())?;
    let mut command = Command::new("setpriv");
    command.args(words).arg(LEADLINE);
    Ok(command)
}

/// leadline behind a filter that answers one system call with an error, as containers do. The filter
/// is the process's own: nothing else on the machine is affected.
pub(crate) fn filtered(call: u32, error: i32) -> Result<Command, String> {
    let prctl = match std::env::consts::ARCH {
        "x86_64" => 157,
        "aarch64" => 167,
        other => return Err(format!("the number of prctl on {other} is not known here")),
    };
    // Load the number of the call; is it the one: answer with the error; let all others pass.
    let script = format!(
        r#"my $f = pack("SCCL" x 4, 0x20,0,0,0, 0x15,0,1,{call}, 0x06,0,0,{answer}, 0x06,0,0,0x7fff0000);
           my $p = pack("Sx6P", 4, $f);
           syscall({prctl}, 38, 1, 0, 0, 0) == 0 or die "no_new_privs: $!";
           syscall({prctl}, 22, 2, $p) == 0 or die "filter: $!";
           exec @ARGV or die "exec: $!";"#,
        answer = 0x0005_0000 | error
    );
    tool(&["perl", "-e", &script, "true"])?;
    let mut command = Command::new("perl");
    command.args(["-e", &script, LEADLINE]);
    Ok(command)
}
