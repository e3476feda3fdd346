//! The page cache of open files: dropping it, and counting what is left. Must never: read or write a file.

#![expect(
    unsafe_code,
    reason = "sync_file_range, cachestat, BLKFLSBUF and posix_fadvise by number have no safe wrapper"
)]

use rustix::fs::Advice;
use std::fs::File;
use std::os::fd::{AsRawFd, RawFd};

/// Drops a block device's buffers (linux/fs.h).
const BLKFLSBUF: libc::Ioctl = 0x1261;
/// Number of cachestat(2) (asm-generic/unistd.h; the same on all architectures Rust's libc names it for).
const CACHESTAT: libc::c_long = 451;

/// The share, 0 to 1, that the page cache holds of this many bytes of a file; `None` where the kernel does not say.
pub(crate) fn share(file: &File, bytes: u64) -> Option<f64> {
    let all = bytes.div_ceil(rustix::param::page_size() as u64).max(1);
    pages(file).map(|pages| pages.min(all) as f64 / all as f64)
}

/// Pages of a file in the page cache, as cachestat(2) of Linux 6.5 counts them; `None` where the kernel does not
/// have it, or does not say it to this user.
fn pages(file: &File) -> Option<u64> {
    // First byte and length; a length of 0 is to the end.
    let range = [0u64; 2];
    // Pages cached, dirty, under writeback, evicted, recently evicted.
    let mut pages = [0u64; 5];
    // SAFETY: the kernel reads two and writes five numbers of 64 bits, which live until it returns.
    let done = unsafe {
        libc::syscall(
            CACHESTAT,
            file.as_raw_fd(),
            range.as_ptr(),
            pages.as_mut_ptr(),
            0,
        )
    };
    (done == 0).then_some(pages[0])
}

/// Writes dirty pages back and drops all. What cannot be dropped (mapped elsewhere, no privilege) stays, and is
/// counted by [`share`].
pub(crate) fn drop_all(file: &File, block: bool) {
    let whole = 0;
    if block {
        // SAFETY: BLKFLSBUF takes no argument; the descriptor lives as long as `file`.
        unsafe { libc::ioctl(file.as_raw_fd(), BLKFLSBUF, 0) };
    } else if waits_for_others(file) {
        let _ = file.sync_data();
    } else {
        let flags = libc::SYNC_FILE_RANGE_WAIT_BEFORE
            | libc::SYNC_FILE_RANGE_WRITE
            | libc::SYNC_FILE_RANGE_WAIT_AFTER;
        // Pages clean is all that dropping needs; an fsync would flush the device's cache as well.
        // SAFETY: plain numbers; the descriptor lives as long as `file`.
        unsafe { libc::sync_file_range(file.as_raw_fd(), whole, 0, flags) };
    }
    let _ = rustix::fs::fadvise(file, 0, None, Advice::DontNeed);
}

/// Drops what is clean of the file with this number, if one is open. It is advice: what cannot be dropped stays.
pub(crate) fn drop_clean(file: RawFd) {
    // SAFETY: it takes numbers only, and a descriptor that were closed would give EBADF.
    unsafe {
        libc::posix_fadvise(file, 0, 0, libc::POSIX_FADV_DONTNEED);
    }
}

/// Whether pages stay in the cache until the server has committed them, or the file system decides.
fn waits_for_others(file: &File) -> bool {
    const LOCAL: [i64; 4] = [
        0xef53,      // ext2, ext3, ext4
        0x5846_5342, // xfs
        0x9123_683e, // btrfs
        0x0102_1994, // tmpfs
    ];
    rustix::fs::fstatfs(file).map_or(true, |s| !LOCAL.contains(&s.f_type))
}
