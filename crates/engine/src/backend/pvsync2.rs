//! preadv2(2) and pwritev2(2): as `psync`, with the flags of single I/Os (RWF_HIPRI, RWF_NOWAIT,
//! RWF_DONTCACHE, RWF_ATOMIC).

#![expect(
    unsafe_code,
    reason = "slots are raw memory; descriptors arrive as numbers"
)]

use super::psync::Inline;
use super::{Backend, Request, Setup, SetupError};
use leadline_model::error_code::ErrorCode;
use leadline_model::op::Op;
use leadline_model::units::Nanos;
use rustix::fs::{AtFlags, StatxFlags};
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

/// A page of its own for a read whose data nobody wants; aligned for direct I/O.
#[repr(C, align(4096))]
pub(super) struct Page(pub(super) [u8; 4096]);

/// Makes one read with the flags asked for, so that a kernel, file system or device without them is a
/// refusal by name rather than a run full of errors.
pub(super) fn probe_flags(setup: &Setup<'_>, polled: bool) -> Result<(), SetupError> {
    let (flags, _) = rw_flags(setup, polled);
    let mut page = Page([0; 4096]);
    for &fd in setup.handles.fds().iter().filter(|_| flags != 0) {
        // SAFETY: descriptors are open (promise of `Setup`).
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        let bits = ReadWriteFlags::from_bits_retain(flags.cast_unsigned());
        let answer = rustix::io::preadv2(fd, &mut [IoSliceMut::new(&mut page.0)], 0, bits);
        // Other errors, such as that of a file opened for writing only, are not about flags.
        if let Err(error @ (Errno::OPNOTSUPP | Errno::NOSYS)) = answer {
            return Err(SetupError::os(
                ErrorCode::HostLacks,
                format!(
                    "{} cannot be had on this file system or kernel",
                    names(flags)
                ),
                "leave it out; RWF_DONTCACHE needs Linux 6.14 and a file system with it (ext4, XFS, \
                 btrfs), RWF_HIPRI O_DIRECT and a device with poll queues",
                error.into(),
            ));
        }
    }
    if setup.atomic {
        for &fd in setup.handles.fds() {
            // SAFETY: as above.
            atomic_writes(unsafe { BorrowedFd::borrow_raw(fd) })?;
        }
    }
    Ok(())
}

/// Names of RWF flags.
fn names(flags: i32) -> String {
    let known = [
        (libc::RWF_HIPRI, "RWF_HIPRI"),
        (libc::RWF_NOWAIT, "RWF_NOWAIT"),
        (libc::RWF_DONTCACHE, "RWF_DONTCACHE"),
    ];
    let set = known.iter().filter(|(flag, _)| flags & flag != 0);
    set.map(|(_, name)| *name)
        .collect::<Vec<_>>()
        .join(" with ")
}

/// Refuses a file that cannot be written without tearing.
fn atomic_writes(fd: BorrowedFd<'_>) -> Result<(), SetupError> {
    /// STATX_ATTR_WRITE_ATOMIC, since Linux 6.11.
    const WRITE_ATOMIC: u64 = 0x0040_0000;
    let mask = StatxFlags::from_bits_retain(libc::STATX_WRITE_ATOMIC);
    let known = rustix::fs::statx(fd, c"", AtFlags::EMPTY_PATH, mask);
    match known {
        Ok(facts) if facts.stx_attributes.bits() & WRITE_ATOMIC != 0 => Ok(()),
        _ => Err(SetupError::named(
            ErrorCode::HostLacks,
            "the target cannot be written atomically (RWF_ATOMIC)",
            "leave it out; it needs Linux 6.11, O_DIRECT, and a device and file system with atomic \
             writes",
        )),
    }
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
