//! preadv2(2) and pwritev2(2): as `psync`, with the flags of single I/Os (RWF_HIPRI, RWF_NOWAIT,
//! RWF_DONTCACHE, RWF_ATOMIC).

#![expect(
    unsafe_code,
    reason = "slots are raw memory; descriptors arrive as numbers"
)]

use super::psync::Inline;
use super::{Backend, Request, Setup, SetupError};
use crate::os::ability;
use crate::problem;
use leadline_model::cure::Cure;
use leadline_model::error_code::ErrorCode;
use leadline_model::op::Op;
use leadline_model::plan::{OpenMode, Power};
use leadline_model::units::Nanos;
use rustix::io::{Errno, ReadWriteFlags};
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::BorrowedFd;

/// preadv2 and pwritev2.
#[derive(Debug)]
pub struct Pvsync2 {
    inline: Inline,
    read_flags: ReadWriteFlags,
    write_flags: ReadWriteFlags,
}

/// The flags an engine asks for: of reads, of writes.
pub(super) fn rw_flags(setup: &Setup<'_>, polled: bool) -> (i32, i32) {
    let engine = setup.engine;
    let mut flags = 0;
    if polled {
        flags |= libc::RWF_HIPRI;
    }
    if engine.nowait {
        flags |= libc::RWF_NOWAIT;
    }
    if engine.uncached {
        flags |= libc::RWF_DONTCACHE;
    }
    let atomic = if setup.atomic { libc::RWF_ATOMIC } else { 0 };
    (flags, flags | atomic)
}

/// A page of its own for a read whose data is not used; aligned for direct I/O.
#[repr(C, align(4096))]
pub(super) struct Page(pub(super) [u8; 4096]);

/// Asks for each mark that I/Os are to have, so that a kernel, file system or device without it is a refusal by name
/// rather than a run full of errors.
pub(super) fn probe_flags(setup: &Setup<'_>, polled: bool) -> Result<(), SetupError> {
    let refused = |text: &str, cure: Cure| {
        let error = io::Error::from_raw_os_error(libc::EOPNOTSUPP);
        SetupError::os(ErrorCode::HostLacks, text, cure, error)
    };
    let open = OpenMode {
        atomic: setup.atomic,
        ..OpenMode::default()
    };
    for &fd in setup.handles.fds() {
        // SAFETY: descriptors are open (promise of `Setup`).
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        for power in Power::ALL {
            if power.is_asked(setup.engine, &open)
                && ability::takes(fd, power) == Some(false)
                && let Some((text, cure)) = problem::not_taken(power)
            {
                return Err(refused(text, cure));
            }
        }
        if polled && !can_be_polled(fd) {
            let cure = "turn it off; it needs O_DIRECT and a device with poll queues";
            let text = "this file system or kernel does not support RWF_HIPRI";
            return Err(refused(text, cure.into()));
        }
    }
    Ok(())
}

/// Whether one read that is polled for is not refused.
fn can_be_polled(fd: BorrowedFd<'_>) -> bool {
    let mut page = Page([0; 4096]);
    let polled = ReadWriteFlags::HIPRI;
    let answer = rustix::io::preadv2(fd, &mut [IoSliceMut::new(&mut page.0)], 0, polled);
    // Other errors, such as that of a file opened for writing only, are not about polling.
    !matches!(answer, Err(Errno::OPNOTSUPP | Errno::NOSYS))
}

impl Pvsync2 {
    /// Makes one. Flags that a file's file system does not know make its I/Os end with EOPNOTSUPP.
    ///
    /// # Safety
    /// The promises of [`Setup`].
    ///
    /// # Errors
    /// [`SetupError`] when this kernel does not have one of the flags.
    pub unsafe fn new(setup: &Setup<'_>) -> Result<(Self, Vec<String>), SetupError> {
        let engine = setup.engine;
        probe_flags(setup, engine.poll_completions)?;
        let (read, write) = rw_flags(setup, engine.poll_completions);
        let this = Self {
            inline: Inline::new(setup),
            read_flags: ReadWriteFlags::from_bits_retain(read.cast_unsigned()),
            write_flags: ReadWriteFlags::from_bits_retain(write.cast_unsigned()),
        };
        Ok((this, Vec::new()))
    }

    /// One I/O.
    #[inline]
    fn transfer(
        (read_flags, write_flags): (ReadWriteFlags, ReadWriteFlags),
        fd: BorrowedFd<'_>,
        request: &Request,
        data: *mut u8,
    ) -> Result<usize, Errno> {
        let len = request.len as usize;
        if request.op == Op::Write {
            // SAFETY: `data` is the start of a slot at least `len` bytes long that nothing writes
            // while the request is outstanding (promise of `Setup`).
            let bytes = unsafe { std::slice::from_raw_parts(data, len) };
            rustix::io::pwritev2(fd, &[IoSlice::new(bytes)], request.offset, write_flags)
        } else {
            // SAFETY: as above, and nothing reads it either.
            let bytes = unsafe { std::slice::from_raw_parts_mut(data, len) };
            rustix::io::preadv2(
                fd,
                &mut [IoSliceMut::new(bytes)],
                request.offset,
                read_flags,
            )
        }
    }
}

impl Backend for Pvsync2 {
    #[inline]
    fn queue(&mut self, request: &Request) {
        self.inline.queue(request);
    }

    #[inline]
    fn submit_and_wait(&mut self, _want: u32, _timeout: Option<Nanos>) -> io::Result<()> {
        let flags = (self.read_flags, self.write_flags);
        self.inline
            .run(|fd, request, data| Self::transfer(flags, fd, request, data));
        Ok(())
    }

    #[inline]
    fn reap(&mut self, each: impl FnMut(u16, i32)) -> u32 {
        self.inline.reap(each)
    }

    fn last_submitted(&self) -> u32 {
        self.inline.last()
    }
}
