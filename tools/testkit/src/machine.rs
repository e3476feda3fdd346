//! Parts of the machine that only root can have: loop devices, mounted file systems.
//!
//! Each gives back what it took when it is dropped. Must never: leave a device or mount behind, or fail where the
//! machine merely lacks something: that is a reason to skip.

use std::fs::{File, metadata, read_to_string};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Whether this process may do all.
#[must_use]
pub fn is_root() -> bool {
    metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Nothing for root.
///
/// # Errors
/// That it needs root, for everybody else.
pub fn need_root(for_what: &str) -> Result<(), String> {
    if is_root() {
        Ok(())
    } else {
        Err(format!("{for_what} needs root"))
    }
}

/// Runs a tool; what it wrote to stdout, without the blanks at its ends.
///
/// # Errors
/// What it wrote to stderr, after its words, or why it could not be started.
pub fn tool(words: &[&str]) -> Result<String, String> {
    let Some((program, args)) = words.split_first() else {
        return Err("no tool is named".to_owned());
    };
    let output = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(format!("{}: {said}", words.join(" ")))
}

/// A loop device over a file or another device, detached at the end.
#[derive(Debug)]
pub struct LoopDevice {
    /// `/dev/loopN`.
    pub path: String,
    /// The folder of an image that was made for it.
    own: Option<TempDir>,
}

impl LoopDevice {
    /// One over `file`, past the page cache where the file system allows it.
    ///
    /// # Errors
    /// What the machine lacks.
    pub fn over(file: &Path) -> Result<Self, String> {
        let direct = Self::attach(file, &["--direct-io=on"]);
        direct.or_else(|_| Self::attach(file, &[]))
    }

    /// One over `file`, through the page cache.
    ///
    /// # Errors
    /// What the machine lacks.
    pub fn buffered(file: &Path) -> Result<Self, String> {
        Self::attach(file, &["--direct-io=off"])
    }

    /// One over `file` from this byte on.
    ///
    /// # Errors
    /// What the machine lacks.
    pub fn from_offset(file: &Path, offset: u64) -> Result<Self, String> {
        Self::attach(file, &["--offset", &offset.to_string()])
    }

    /// One over a new file of `size` bytes that the tool `make` has filled (`mkfs.ext4 -q`; empty = nothing has), with
    /// its partitions.
    ///
    /// # Errors
    /// What the machine lacks.
    pub fn of_size(size: u64, make: &[&str]) -> Result<Self, String> {
        need_root("a loop device")?;
        let own = tempfile::tempdir().map_err(|error| error.to_string())?;
        let image = own.path().join("image");
        let file = File::create(&image).map_err(|error| error.to_string())?;
        file.set_len(size).map_err(|error| error.to_string())?;
        if !make.is_empty() {
            tool(&[make, &[&image.display().to_string()]].concat())?;
        }
        let mut device = Self::attach(&image, &["--partscan"])?;
        device.own = Some(own);
        Ok(device)
    }

    fn attach(file: &Path, options: &[&str]) -> Result<Self, String> {
        need_root("a loop device")?;
        let file = file.display().to_string();
        let path = tool(&[&["losetup", "--find", "--show"], options, &[&file]].concat())?;
        Ok(Self { path, own: None })
    }

    /// The file that was made for it, if one was.
    #[must_use]
    pub fn image(&self) -> Option<PathBuf> {
        Some(self.own.as_ref()?.path().join("image"))
    }

    /// Whether it goes past the page cache.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        self.fact("loop/dio") == "1"
    }

    /// How many reads the kernel has counted, those it merged with others included.
    #[must_use]
    pub fn reads(&self) -> u64 {
        let stat = self.fact("stat");
        let numbers = stat.split_whitespace().take(2);
        numbers
            .filter_map(|number| number.parse::<u64>().ok())
            .sum()
    }

    /// Major and minor number, `7:0`.
    #[must_use]
    pub fn numbers(&self) -> String {
        self.fact("dev")
    }

    /// Sets a limit of its queue (`max_sectors_kb`).
    ///
    /// # Errors
    /// What the kernel said.
    pub fn set(&self, limit: &str, value: &str) -> Result<(), String> {
        let name = self.path.trim_start_matches("/dev/");
        let file = format!("/sys/block/{name}/queue/{limit}");
        std::fs::write(&file, value).map_err(|error| format!("{file}: {error}"))
    }

    /// A small file of the kernel about it; empty where there is none.
    fn fact(&self, file: &str) -> String {
        let name = self.path.trim_start_matches("/dev/");
        let text = read_to_string(format!("/sys/block/{name}/{file}")).unwrap_or_default();
        text.trim().to_owned()
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = tool(&["losetup", "--detach", &self.path]);
    }
}

/// A mounted file system, unmounted at the end.
#[derive(Debug)]
pub struct FileSystem {
    directory: TempDir,
}

impl FileSystem {
    /// A file system in memory with room for `size` (`4m`, or `4m,nr_inodes=50`).
    ///
    /// # Errors
    /// What the machine lacks.
    pub fn of(size: &str) -> Result<Self, String> {
        let options = format!("size={size},mode=755");
        Self::mount(&["-t", "tmpfs", "-o", &options, "none"])
    }

    /// A file system in memory of which O_DIRECT is not taken.
    ///
    /// # Errors
    /// What the machine lacks.
    pub fn ramfs() -> Result<Self, String> {
        Self::mount(&["-t", "ramfs", "none"])
    }

    /// An overlay of two folders of one file system, with a third for its own use.
    ///
    /// # Errors
    /// What the machine lacks.
    pub fn overlay([lower, upper, work]: [&Path; 3]) -> Result<Self, String> {
        let folders = format!(
            "lowerdir={},upperdir={},workdir={}",
            lower.display(),
            upper.display(),
            work.display()
        );
        Self::mount(&["-t", "overlay", "-o", &folders, "overlay"])
    }

    /// What is on a device, to be read only.
    ///
    /// # Errors
    /// What the machine lacks.
    pub fn device(device: &str) -> Result<Self, String> {
        Self::mount(&["-o", "ro", device])
    }

    /// What is on a device, with these options.
    ///
    /// # Errors
    /// What the machine lacks.
    pub fn with(device: &str, options: &str) -> Result<Self, String> {
        Self::mount(&["-o", options, device])
    }

    fn mount(words: &[&str]) -> Result<Self, String> {
        need_root("mounting")?;
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        let at = directory.path().display().to_string();
        tool(&[&["mount"], words, &[&at]].concat())?;
        Ok(Self { directory })
    }

    /// Where it is mounted.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Allows no more writing.
    ///
    /// # Errors
    /// What `mount` said.
    pub fn read_only(&self) -> Result<(), String> {
        let at = self.path().display().to_string();
        tool(&["mount", "-o", "remount,ro", &at]).map(drop)
    }
}

impl Drop for FileSystem {
    fn drop(&mut self) {
        let _ = tool(&["umount", "-l", &self.path().display().to_string()]);
    }
}
