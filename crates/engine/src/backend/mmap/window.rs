//! The part of a file that is mapped.
//!
//! Must never: copy; `guard` does.

#![expect(unsafe_code, reason = "mappings are raw memory")]

use rustix::io::Errno;
use rustix::mm::{MapFlags, MsyncFlags, ProtFlags};
use std::os::fd::{BorrowedFd, RawFd};
use std::ptr;

/// Most bytes of a file mapped at a time. 4096 workers with such windows fit in an address space.
const LIMIT: u64 = 32 << 30;
/// Windows start at multiples of this: a page on every machine.
const ALIGN: u64 = 64 << 10;
/// As [`ALIGN`], for addresses.
const FLUSH_FROM: usize = 64 << 10;
/// Smallest window in bytes: holds the longest I/O that plans may ask for (32 MiB) wherever it starts.
const SMALLEST: u64 = 64 << 20;

/// A file and the part of it that is mapped.
#[derive(Debug)]
pub(super) struct Window {
    fd: RawFd,
    size: u64,
    limit: u64,
    writable: bool,
    /// Writes go through to the target before they are done (the file has O_SYNC or O_DSYNC).
    through: bool,
    direct: bool,
    base: *mut u8,
    start: u64,
    len: usize,
}

impl Window {
    /// Maps as much of the file as fits in a window, from its start.
    ///
    /// # Safety
    /// `fd` is open for as long as the window lives.
    pub(super) unsafe fn new(fd: RawFd, size: u64) -> Result<Self, Errno> {
        // SAFETY: the caller's promise.
        let flags = rustix::fs::fcntl_getfl(unsafe { BorrowedFd::borrow_raw(fd) })?;
        let mut window = Self {
            fd,
            size,
            limit: LIMIT,
            writable: flags.contains(rustix::fs::OFlags::RDWR),
            through: flags.contains(rustix::fs::OFlags::DSYNC),
            direct: flags.contains(rustix::fs::OFlags::DIRECT),
            base: ptr::null_mut(),
            start: 0,
            len: 0,
        };
        if size > 0 {
            window.map(0, 0)?;
        }
        Ok(window)
    }

    /// Whether writes are allowed.
    pub(super) fn writable(&self) -> bool {
        self.writable
    }

    /// Whether the file was opened for direct I/O, which a mapping cannot do.
    pub(super) fn direct(&self) -> bool {
        self.direct
    }

    /// Whether each write is to be followed by [`Window::flush`].
    pub(super) fn through(&self) -> bool {
        self.through
    }

    /// How many of `len` bytes at `offset` lie within the file.
    #[inline]
    pub(super) fn within(&self, offset: u64, len: u32) -> usize {
        let left = self.size.saturating_sub(offset);
        usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(len as usize)
    }

    /// The address of `offset` with at least `len` bytes from there on. Moves the window when they are not
    /// in it.
    #[inline]
    pub(super) fn at(&mut self, offset: u64, len: usize) -> Result<*mut u8, Errno> {
        let inside = offset >= self.start && offset + len as u64 <= self.start + self.len as u64;
        if !inside {
            self.map(offset, len)?;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "below the window's length, a usize"
        )]
        let skip = (offset - self.start) as usize;
        // SAFETY: the window holds `offset`.
        Ok(unsafe { self.base.add(skip) })
    }

    /// The mapping.
    #[inline]
    pub(super) fn mapping(&self) -> (*mut u8, usize) {
        (self.base, self.len)
    }

    /// Maps the same part again, after a page of it was lost.
    pub(super) fn renew(&mut self) {
        let start = self.start;
        // Without a mapping the next use makes one, or reports why not.
        let _ = self.map(start, 0);
    }

    /// Writes what was changed in the pages of the range, and waits for it. 0 or the negative error
    /// number.
    pub(super) fn flush(&self, at: *mut u8, len: usize) -> i32 {
        // From a multiple of a page: the mapping starts at one.
        let before = (at.addr() - self.base.addr()) % FLUSH_FROM;
        // SAFETY: the pages of the range belong to the mapping.
        let result =
            unsafe { rustix::mm::msync(at.sub(before).cast(), len + before, MsyncFlags::SYNC) };
        result.map_or_else(|e| -e.raw_os_error(), |()| 0)
    }

    /// Maps a window that holds `wanted` bytes from `offset`; smaller ones when the address space has no room.
    #[cold]
    fn map(&mut self, offset: u64, wanted: usize) -> Result<(), Errno> {
        self.unmap();
        let start = offset - offset % ALIGN;
        if offset - start + wanted as u64 > (self.size - start).min(SMALLEST) {
            return Err(Errno::INVAL);
        }
        let mut protection = ProtFlags::READ;
        protection.set(ProtFlags::WRITE, self.writable);
        loop {
            let len = (self.size - start).min(self.limit);
            let len = usize::try_from(len).map_err(|_| Errno::OVERFLOW)?;
            // SAFETY: a new mapping at an address the kernel chooses; the descriptor is open.
            let answer = unsafe {
                let fd = BorrowedFd::borrow_raw(self.fd);
                rustix::mm::mmap(
                    ptr::null_mut(),
                    len,
                    protection,
                    MapFlags::SHARED,
                    fd,
                    start,
                )
            };
            match answer {
                Ok(base) => {
                    (self.base, self.start, self.len) = (base.cast(), start, len);
                    return Ok(());
                }
                Err(Errno::NOMEM) if self.limit > SMALLEST => self.limit /= 2,
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives the mapping back.
    fn unmap(&mut self) {
        if self.len > 0 {
            // SAFETY: made by `map`; no address in it is kept between two I/Os.
            let _ = unsafe { rustix::mm::munmap(self.base.cast(), self.len) };
            self.len = 0;
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.unmap();
    }
}
