//! Space for files: claiming it, and writing back what was written. Must never: choose how much.

#![expect(
    unsafe_code,
    reason = "sync_file_range and posix_fallocate have no safe wrapper"
)]

use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Claims space from `there` to `end` by fallocate(2), which sets the size too unless it is to stay; `false` where
/// the file system cannot.
///
/// # Errors
/// The kernel's.
pub(crate) fn claim(file: &File, keep_size: bool, there: u64, end: u64) -> io::Result<bool> {
    let flags = if keep_size {
        FallocateFlags::KEEP_SIZE
    } else {
        FallocateFlags::empty()
    };
    loop {
        return match rustix::fs::fallocate(file, flags, there, end - there) {
            Ok(()) => Ok(true),
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(false),
            Err(Errno::INTR) => continue,
            Err(e) => Err(e.into()),
        };
    }
}

/// The same by the C library, which writes where the file system cannot.
///
/// # Errors
/// The kernel's.
pub(crate) fn claim_or_write(file: &File, there: u64, end: u64) -> io::Result<()> {
    let too_big = |_| io::Error::from(Errno::FBIG);
    let from = i64::try_from(there).map_err(too_big)?;
    let len = i64::try_from(end - there).map_err(too_big)?;
    // SAFETY: plain numbers and a descriptor that lives as long as `file`.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), from, len) } {
        0 => Ok(()),
        e => Err(io::Error::from_raw_os_error(e)),
    }
}

/// Starts writing back what is from `from` to `to`, and waits for what is from `before` to `from`. A failure of
/// the device shows in the fsync that follows.
pub(crate) fn write_back(file: &File, before: u64, from: u64, to: u64) {
    for (start, end, flags) in [
        (from, to, libc::SYNC_FILE_RANGE_WRITE),
        (before, from, libc::SYNC_FILE_RANGE_WAIT_BEFORE),
    ] {
        let (Ok(start), Ok(len)) = (i64::try_from(start), i64::try_from(end - start)) else {
            return;
        };
        if len > 0 {
            // SAFETY: plain numbers and a descriptor that lives as long as `file`.
            unsafe { libc::sync_file_range(file.as_raw_fd(), start, len, flags) };
        }
    }
}
