//! Discards and flushes done in the calling thread, for back ends (and targets) that have no
//! asynchronous way.
//!
//! Must never: be on the path of a read or write.

#![expect(
    unsafe_code,
    reason = "BLKDISCARD is an ioctl; descriptors arrive as numbers"
)]

use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use std::os::fd::{BorrowedFd, RawFd};

/// `_IO(0x12, 119)`: discard a byte range of a block device.
const BLKDISCARD: libc::Ioctl = 0x1277;

/// Mode of the hole that a trim of a regular file makes.
pub(crate) const PUNCH: FallocateFlags =
    FallocateFlags::PUNCH_HOLE.union(FallocateFlags::KEEP_SIZE);

/// Discards `len` bytes at `offset`: a hole in a regular file, BLKDISCARD on a device. 0 or the
/// negative error number.
pub(crate) fn discard(fd: RawFd, regular: bool, offset: u64, len: u64) -> i32 {
    if regular {
        // SAFETY: the descriptor is open for as long as the back end lives (promise of `Setup`).
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        return code(rustix::fs::fallocate(fd, PUNCH, offset, len));
    }
    let range = [offset, len];
    // SAFETY: BLKDISCARD reads two u64 from the address, which live until the call returns.
    let result = unsafe { libc::ioctl(fd, BLKDISCARD, range.as_ptr()) };
    if result < 0 {
        return -std::io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or(libc::EIO);
    }
    0
}

/// fsync(2), or fdatasync(2) when only the data matters. 0 or the negative error number.
pub(crate) fn flush(fd: RawFd, data_only: bool) -> i32 {
    // SAFETY: the descriptor is open for as long as the back end lives (promise of `Setup`).
    let fd = unsafe { BorrowedFd::borrow_raw(fd) };
    code(if data_only {
        rustix::fs::fdatasync(fd)
    } else {
        rustix::fs::fsync(fd)
    })
}

/// 0 or the negative error number.
fn code(result: Result<(), Errno>) -> i32 {
    result.map_or_else(|e| -e.raw_os_error(), |()| 0)
}
