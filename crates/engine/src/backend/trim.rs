//! Discards and flushes done in the calling thread, for back ends (and targets) that have no
//! asynchronous way.
//!
//! Must never: be on the path of a read or write.

#![expect(
    unsafe_code,
    reason = "BLKDISCARD is an ioctl; descriptors arrive as numbers"
)]

use super::setup::Done;
use super::{Request, Setup};
use leadline_model::op::Op;
use rustix::io::Errno;
use std::os::fd::{BorrowedFd, RawFd};

/// `_IO(0x12, 119)`: discard a byte range of a block device.
const BLKDISCARD: libc::Ioctl = 0x1277;

/// Trims and syncs that wait to be done in the calling thread, beside an asynchronous back end.
#[derive(Debug)]
pub(crate) struct Aside {
    fds: Box<[RawFd]>,
    queued: Vec<Request>,
    /// What has ended and is not yet reaped.
    pub(crate) done: Done,
}

impl Aside {
    /// For `setup`'s files and depth.
    pub(crate) fn new(setup: &Setup<'_>) -> Self {
        Self {
            fds: setup.handles.fds().into(),
            queued: Vec::with_capacity(setup.depth as usize),
            done: Done::new(setup.depth),
        }
    }

    /// Notes a trim or sync.
    #[cold]
    pub(crate) fn queue(&mut self, request: &Request) {
        self.queued.push(*request);
    }

    /// Does what is queued. Returns how many.
    #[inline]
    pub(crate) fn run(&mut self) -> u32 {
        if self.queued.is_empty() {
            0
        } else {
            self.run_queued()
        }
    }

    /// As [`Aside::run`] when there is something.
    #[cold]
    fn run_queued(&mut self) -> u32 {
        let mut count = 0;
        for request in self.queued.drain(..) {
            let file = request.file as usize;
            let result = if request.op == Op::Trim {
                discard(self.fds[file], request.offset, u64::from(request.len))
            } else {
                flush(self.fds[file], request.data_only)
            };
            self.done.push(request.slot, result);
            count += 1;
        }
        count
    }
}

/// Discards `len` bytes at `offset` of a device: BLKDISCARD. 0 or the negative error number: of anything but a
/// device ENOTTY, as in fio.
pub(crate) fn discard(fd: RawFd, offset: u64, len: u64) -> i32 {
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
