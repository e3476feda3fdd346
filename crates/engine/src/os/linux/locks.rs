//! Locks that others have on a file or device: how programs that use an image (QEMU, for one) warn each
//! other to keep away.
//!
//! Only looks, and takes none to find out. A lock of this process, or of one that started it, is no
//! other's.
#![expect(
    unsafe_code,
    reason = "asking for locks of open files has no safe wrapper"
)]

use super::mount;
use rustix::fs::{Mode, OFlags, major, minor};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Our locks lie past this offset, far past all that other programs lock.
pub(super) const FIRST_PLACE: i64 = 1 << 60;

/// Where a run puts its lock.
pub(super) const fn place(run: u64) -> i64 {
    FIRST_PLACE + (run & (FIRST_PLACE as u64 - 1)) as i64
}

/// Who has a lock on it, in words; `None` when there is none, or it cannot be found out. Locks of `run`
/// (`hold`) are left out. Shared locks on a `device` are not counted: programs that only probe it take those.
pub(crate) fn of_others(path: &Path, run: u64, device: bool) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let fd = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let own = place(run);
    let (before, after) = ((0, own), (own + 1, 0));
    for (start, length) in [before, after] {
        if let Ok(Some(lock)) = first(fd.as_fd(), start, length) {
            return Some(words(&lock));
        }
    }
    whole_file(path, device)
}

fn words(lock: &libc::flock) -> String {
    if lock.l_start >= FIRST_PLACE {
        return "another run of leadline is using it".into();
    }
    match u32::try_from(lock.l_pid).ok().filter(|pid| *pid > 0) {
        Some(pid) => format!("{} has locked it", process(pid)),
        None => "another program has locked it, as a hypervisor locks the disk image of a \
                 running guest"
            .into(),
    }
}

/// A lock of a kind from `start` on, counted from the file's start; a `length` of 0 goes to the end.
pub(super) fn lock(kind: libc::c_int, start: i64, length: i64) -> libc::flock {
    // SAFETY: a structure of plain numbers, for which zeros are values; 0 is also the start of the file.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::c_short::try_from(kind).unwrap_or_default();
    lock.l_start = start;
    lock.l_len = length;
    lock
}

/// The first lock in the way of one that would be alone; a `length` of 0 goes to the end. A lock of this
/// process of the old kind is none.
///
/// # Errors
/// Where the file system has no locks.
pub(super) fn first(
    fd: BorrowedFd<'_>,
    start: i64,
    length: i64,
) -> io::Result<Option<libc::flock>> {
    let mut lock = lock(libc::F_WRLCK, start, length);
    // SAFETY: the kernel reads and writes this one structure, which outlives the call.
    let done = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_OFD_GETLK, &raw mut lock) };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    let own = i64::from(lock.l_pid) == i64::from(std::process::id());
    let free = i32::from(lock.l_type) == libc::F_UNLCK || own;
    Ok((!free).then_some(lock))
}

/// Locks on the whole file, of flock(2), which only the table of all locks shows.
fn whole_file(path: &Path, device: bool) -> Option<String> {
    let meta = fs::metadata(path).ok()?;
    let table = fs::read_to_string("/proc/locks").ok()?;
    let mut numbers = vec![format!(
        "{:02x}:{:02x}",
        major(meta.dev()),
        minor(meta.dev())
    )];
    // File systems over several devices give each file another number than the table has.
    let mounts = mount::table();
    let end = fs::canonicalize(path).ok()?;
    if let Some(mount) = mount::holding(&mounts, &end)
        && let Some(dev) = super::device::number(mount.dev)
    {
        numbers.push(format!("{:02x}:{:02x}", major(dev), minor(dev)));
    }
    let pid = table.lines().find_map(|line| {
        let lock = Listed::parse(line)?;
        let here = numbers.iter().any(|n| n == lock.device) && lock.inode == meta.ino();
        let counts = lock.alone || !device;
        (here && counts && !is_ours(lock.pid)).then_some(lock.pid)
    })?;
    Some(format!("{} has locked it", process(pid)))
}

/// A line of /proc/locks about a lock on a whole file.
#[derive(Debug, PartialEq, Eq)]
struct Listed<'a> {
    alone: bool,
    pid: u32,
    /// Number of the file system's device, in hexadecimal digits.
    device: &'a str,
    inode: u64,
}

impl<'a> Listed<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.split_whitespace().skip(1);
        // What only waits for a lock has an arrow before it.
        if words.next()? != "FLOCK" {
            return None;
        }
        let (_, alone, pid, place) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let (device, inode) = place.rsplit_once(':')?;
        Some(Self {
            alone: alone == "WRITE",
            pid: pid.parse().ok()?,
            device,
            inode: inode.parse().ok()?,
        })
    }
}

/// Whether it is this process or one that started it: `flock FILE leadline ...` locks for us.
fn is_ours(pid: u32) -> bool {
    let mut at = std::process::id();
    for _ in 0..64 {
        if at == pid {
            return true;
        }
        match parent(at) {
            Some(above) if above > 1 => at = above,
            _ => return false,
        }
    }
    false
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything, brackets and blanks too.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

fn process(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    match name.trim() {
        "" => format!("process {pid}"),
        name => format!("process {pid} ({name})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{FlockOperation, flock};

    #[test]
    fn lines_of_the_table_are_read() {
        let line = "3: FLOCK  ADVISORY  WRITE 812 fd:01:1311 0 EOF";
        let lock = Listed::parse(line).unwrap();
        let expected = Listed {
            alone: true,
            pid: 812,
            device: "fd:01",
            inode: 1311,
        };
        assert_eq!(lock, expected);
        assert_eq!(
            Listed::parse("3: -> FLOCK  ADVISORY  WRITE 812 fd:01:1311 0 EOF"),
            None
        );
        assert_eq!(
            Listed::parse("1: POSIX  ADVISORY  READ 1 00:06:5 0 EOF"),
            None
        );
        assert_eq!(Listed::parse(""), None);
    }

    #[test]
    fn locks_of_this_process_and_its_starters_are_no_others() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(of_others(file.path(), 1, false), None);
        flock(file.as_file(), FlockOperation::LockExclusive).unwrap();
        assert_eq!(of_others(file.path(), 1, false), None);
        assert!(is_ours(std::process::id()) && !is_ours(u32::MAX));
        if let Some(above) = parent(std::process::id()).filter(|pid| *pid > 1) {
            assert!(is_ours(above));
        }
    }
}
