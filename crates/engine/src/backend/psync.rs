//! pread(2) and pwrite(2): one I/O after the other in the calling thread.
//!
//! The calls are made in [`Backend::submit_and_wait`], so that a clock read just before it is just
//! before the kernel is asked. Meant for depth 1; right, though not parallel, at any.

#![expect(
    unsafe_code,
    reason = "slots are raw memory; descriptors arrive as numbers"
)]

use super::setup::{Buffers, Done};
use super::{Backend, Request, Setup, SetupError, trim};
use leadline_model::op::Op;
use leadline_model::units::Nanos;
use rustix::io::Errno;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};

/// How often a call that a signal broke off before it moved anything is made again.
const INTERRUPTED_TRIES: u32 = 100;

/// The files and buffers of a back end that does its work inside the call.
#[derive(Debug)]
pub(crate) struct Inline {
    fds: Box<[RawFd]>,
    buffers: Buffers,
    queued: Vec<Request>,
    done: Done,
    last: u32,
}

impl Inline {
    /// For `setup`'s files and depth.
    pub(crate) fn new(setup: &Setup<'_>) -> Self {
        Self {
            fds: setup.handles.fds().into(),
            buffers: setup.buffers.clone(),
            queued: Vec::with_capacity(setup.depth as usize),
            done: Done::new(setup.depth),
            last: 0,
        }
    }

    /// Notes a request.
    #[inline]
    pub(crate) fn queue(&mut self, request: &Request) {
        self.queued.push(*request);
    }

    /// Does all that is queued: reads and writes by `transfer`, the rest here.
    #[inline]
    pub(crate) fn run(
        &mut self,
        mut transfer: impl FnMut(BorrowedFd<'_>, &Request, *mut u8) -> Result<usize, Errno>,
    ) {
        self.last = 0;
        for request in &self.queued {
            let result = perform(&self.fds, &self.buffers, request, &mut transfer);
            self.done.push(request.slot, result);
            self.last += 1;
        }
        self.queued.clear();
    }

    /// Hands over the results.
    #[inline]
    pub(crate) fn reap(&mut self, each: impl FnMut(u16, i32)) -> u32 {
        self.done.reap(each)
    }

    /// Requests done in the last [`Inline::run`].
    pub(crate) fn last(&self) -> u32 {
        self.last
    }
}

/// Does one request: reads and writes by `transfer`, the rest here. Bytes moved or the negative error number.
#[inline]
pub(super) fn perform(
    fds: &[RawFd],
    buffers: &Buffers,
    request: &Request,
    mut transfer: impl FnMut(BorrowedFd<'_>, &Request, *mut u8) -> Result<usize, Errno>,
) -> i32 {
    let fd = fds[request.file as usize];
    match request.op {
        Op::Read | Op::Write => {
            let data = buffers.address(request.op, request.slot, request.len);
            // SAFETY: descriptors stay open while the back end lives (promise of `Setup`).
            let fd = unsafe { BorrowedFd::borrow_raw(fd) };
            uninterrupted(|| transfer(fd, request, data))
        }
        Op::Trim => trim::discard(fd, request.offset, u64::from(request.len)),
        Op::Sync => trim::flush(fd, request.data_only),
    }
}

/// A read or write by pread and pwrite. To be called with the data of the request's own slot.
#[inline]
pub(super) fn plain(fd: BorrowedFd<'_>, request: &Request, data: *mut u8) -> Result<usize, Errno> {
    let len = request.len as usize;
    if request.op == Op::Write {
        // SAFETY: `data` is the start of a slot at least `len` bytes long that nothing
        // writes while the request is outstanding (promise of `Setup`).
        let bytes = unsafe { std::slice::from_raw_parts(data, len) };
        rustix::io::pwrite(fd, bytes, request.offset)
    } else {
        // SAFETY: as above, and nothing reads it either.
        let bytes = unsafe { std::slice::from_raw_parts_mut(data, len) };
        rustix::io::pread(fd, bytes, request.offset)
    }
}

/// Bytes moved or the negative error number, beyond signals: a call that was broken off after some
/// bytes reports those, one that moved none is made again.
#[inline]
fn uninterrupted(mut call: impl FnMut() -> Result<usize, Errno>) -> i32 {
    for _ in 0..INTERRUPTED_TRIES {
        match call() {
            // One read or write moves at most 2^31 - 4096 bytes.
            Ok(moved) => return i32::try_from(moved).unwrap_or(i32::MAX),
            Err(Errno::INTR) => {}
            Err(error) => return -error.raw_os_error(),
        }
    }
    -libc::EINTR
}

/// pread and pwrite.
#[derive(Debug)]
pub struct Psync(Inline);

impl Psync {
    /// Makes one.
    ///
    /// # Safety
    /// The promises of [`Setup`].
    ///
    /// # Errors
    /// [`SetupError`] when a power is asked for that only other back ends have.
    pub unsafe fn new(setup: &Setup<'_>) -> Result<(Self, Vec<String>), SetupError> {
        Ok((Self(Inline::new(setup)), Vec::new()))
    }
}

impl Backend for Psync {
    #[inline]
    fn queue(&mut self, request: &Request) {
        self.0.queue(request);
    }

    #[inline]
    fn submit_and_wait(&mut self, _want: u32, _timeout: Option<Nanos>) -> io::Result<()> {
        self.0.run(plain);
        Ok(())
    }

    #[inline]
    fn reap(&mut self, each: impl FnMut(u16, i32)) -> u32 {
        self.0.reap(each)
    }

    fn last_submitted(&self) -> u32 {
        self.0.last()
    }
}
