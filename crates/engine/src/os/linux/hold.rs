//! Holding a block device: while it is held, no process can mount it, make a file system on it or add it to a
//! RAID, and another leadline notices.
//!
//! The hold is the kernel's own claim, which a descriptor opened with O_EXCL has for as long as any process
//! has that descriptor. It carries a lock at a place that is the run's own, so that agents of one run on one
//! host find it, and take the same descriptor from whoever has it: the claim then ends with the last of
//! them, whoever goes first.
//!
//! Belongs here: taking and sharing. Must never: write to the device, or listen for anybody.
#![expect(
    unsafe_code,
    reason = "setting a lock of an open file has no safe wrapper"
)]

use super::locks;
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use std::fs;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

/// Tries after the first: programs that only look (udev, blkid, another agent before it starts) may have it
/// for a moment.
const TRIES: u32 = 25;
/// Time between two tries.
const AGAIN: Duration = Duration::from_millis(20);

/// Why a device is not held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotHeld {
    /// It is another's.
    Busy,
    /// Another agent of this run has it, and this process may not take its descriptor.
    NotShared,
    /// It cannot be opened: the number of the error.
    Failed(i32),
}

impl From<Errno> for NotHeld {
    fn from(error: Errno) -> Self {
        match error {
            Errno::BUSY => Self::Busy,
            error => Self::Failed(error.raw_os_error()),
        }
    }
}

/// A held block device. It is released when this and all that share it are gone.
#[derive(Debug)]
pub(crate) struct Hold {
    fd: OwnedFd,
    dev: u64,
}

impl Hold {
    /// Takes the device at `path`, or shares the hold of another agent of the same run.
    ///
    /// # Errors
    /// Why not; `ENOTBLK` when it is no block device any more.
    pub(crate) fn take(path: &Path, run: u64) -> Result<Self, NotHeld> {
        let mut tries = TRIES;
        loop {
            let flags = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NONBLOCK;
            match rustix::fs::open(path, flags, Mode::empty()) {
                Ok(fd) => {
                    let hold = Self::of(fd)?;
                    // Where there are no locks only sharing is lost.
                    let _ = mark(&hold.fd, run);
                    return Ok(hold);
                }
                Err(Errno::BUSY) => {}
                Err(error) => return Err(error.into()),
            }
            let busy = match shared(path, run) {
                Ok(hold) => return Ok(hold),
                Err(why) => why,
            };
            if tries == 0 {
                return Err(busy);
            }
            tries -= 1;
            std::thread::sleep(AGAIN);
        }
    }

    fn of(fd: OwnedFd) -> Result<Self, Errno> {
        let stat = rustix::fs::fstat(&fd)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::BlockDevice => Ok(Self {
                fd,
                dev: stat.st_rdev,
            }),
            _ => Err(Errno::NOTBLK),
        }
    }

    /// Number of the device.
    pub(crate) const fn dev(&self) -> u64 {
        self.dev
    }

    /// The descriptor that holds it, for reading.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Marks a held device, or an open file, as this run's.
///
/// # Errors
/// Where there are no locks.
pub(crate) fn mark(fd: impl AsFd, run: u64) -> std::io::Result<()> {
    let lock = locks::lock(libc::F_RDLCK, locks::place(run), 1);
    // SAFETY: the kernel reads this one structure, which outlives the call.
    match unsafe { libc::fcntl(fd.as_fd().as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// The descriptor of another process of this run.
fn shared(path: &Path, run: u64) -> Result<Hold, NotHeld> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let plain = rustix::fs::open(path, flags, Mode::empty())?;
    if !matches!(
        locks::first(plain.as_fd(), locks::place(run), 1),
        Ok(Some(_))
    ) {
        return Err(NotHeld::Busy);
    }
    let dev = rustix::fs::fstat(&plain)?.st_rdev;
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .find_map(|pid| from(pid, run, dev))
        .ok_or(NotHeld::NotShared)
}

/// The hold that a process has.
fn from(pid: i32, run: u64, dev: u64) -> Option<Hold> {
    let files = fs::read_dir(format!("/proc/{pid}/fdinfo")).ok()?.flatten();
    files
        .filter(|entry| fs::read_to_string(entry.path()).is_ok_and(|text| has_mark(&text, run)))
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .find_map(|number| {
            let process = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
            let fd = pidfd_getfd(&process, number, PidfdGetfdFlags::empty()).ok()?;
            let hold = Hold::of(fd).ok()?;
            // Numbers may be others' by now. It is the right one when the lock is not in its way,
            // being its own.
            let own = locks::first(hold.fd(), locks::place(run), 1)
                .ok()?
                .is_none();
            (hold.dev == dev && own).then_some(hold)
        })
}

/// Whether an open file has this run's lock, by what the kernel reports of it.
fn has_mark(info: &str, run: u64) -> bool {
    let at = locks::place(run).to_string();
    info.lines().filter_map(|line| line.strip_prefix("lock:")).any(|lock| {
        let words: Vec<&str> = lock.split_whitespace().collect();
        matches!(words[..], [_, "OFDLCK", _, "READ", _, _, start, end] if start == at && end == at)
    })
}

#[cfg(test)]
mod tests {
    use super::super::errno;
    use super::*;

    #[test]
    fn every_run_has_a_place_of_its_own_that_a_lock_can_have() {
        assert_eq!(locks::place(0), locks::FIRST_PLACE);
        assert_ne!(locks::place(1), locks::place(2));
        assert!(locks::place(u64::MAX) > 0 && locks::place(u64::MAX) < i64::MAX);
    }

    #[test]
    fn the_lock_of_a_run_is_recognised_on_an_open_file() {
        let file = tempfile::tempfile().unwrap();
        let other = |run| {
            let text =
                fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd())).unwrap();
            has_mark(&text, run)
        };
        let run = 0x1234_5678_9abc_def0;
        assert!(!other(run));
        mark(&file, run).unwrap();
        assert!(other(run) && !other(!run));
    }

    #[test]
    fn only_block_devices_are_held() {
        assert_eq!(
            Hold::take(Path::new("/dev/null"), 1).unwrap_err(),
            NotHeld::Failed(errno::ENOTBLK)
        );
        assert_eq!(
            Hold::take(Path::new("/no/such"), 1).unwrap_err(),
            NotHeld::Failed(errno::ENOENT)
        );
    }
}
