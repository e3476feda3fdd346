//! preadv2(2) and pwritev2(2): as `psync`, with the flags of single I/Os (RWF_HIPRI, RWF_NOWAIT,
//! RWF_DONTCACHE, RWF_ATOMIC).

#![expect(unsafe_code, reason = "slots are raw memory")]

use super::psync::Inline;
use super::{Backend, Request, Setup, SetupError};
use leadline_model::units::{Nanos, Op};
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

impl Pvsync2 {
    /// Makes one. Flags that a file's file system does not know make its I/Os end with EOPNOTSUPP.
    ///
    /// # Safety
    /// The promises of [`Setup`].
    ///
    /// # Errors
    /// [`SetupError`] when this kernel does not have one of the flags.
    pub unsafe fn new(setup: &Setup<'_>) -> Result<(Self, Vec<String>), SetupError> {
        let (read, write) = rw_flags(setup, setup.engine.poll_completions);
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
            // SAFETY: `data` is the start of a slot at least `len` bytes long that nobody writes
            // while the request is outstanding (promise of `Setup`).
            let bytes = unsafe { std::slice::from_raw_parts(data, len) };
            rustix::io::pwritev2(fd, &[IoSlice::new(bytes)], request.offset, write_flags)
        } else {
            // SAFETY: as above, and nobody reads it either.
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
