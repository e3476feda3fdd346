//! Memory straight from the kernel. Must never: hand out addresses of anything but a mapping of its own.

#![expect(unsafe_code, reason = "mappings are raw memory")]

use leadline_model::plan::engine::Memory;
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mlock, mmap, mmap_anonymous, munmap};
use std::io;
use std::os::fd::AsFd;
use std::ptr::NonNull;

/// A mapping of zeros, given back when dropped.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: NonNull<u8>,
    len: usize,
}

impl Mapping {
    /// A new one of `len` bytes.
    ///
    /// # Errors
    /// The kernel's.
    pub(crate) fn new(len: usize, memory: Memory) -> io::Result<Self> {
        let flags = match memory {
            Memory::Anonymous => MapFlags::PRIVATE,
            Memory::Huge => MapFlags::PRIVATE | MapFlags::HUGETLB | MapFlags::HUGE_2MB,
            Memory::Shared => MapFlags::SHARED,
        };
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the kernel chooses an address where nothing is mapped.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), len, protection, flags) }?;
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, len })
    }

    /// Its first byte.
    pub(crate) const fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Keeps all of it in memory until it is dropped (mlock(2)).
    ///
    /// # Errors
    /// The kernel's: there is too little memory, or the limit of locked memory is lower.
    pub(crate) fn lock(&self) -> io::Result<()> {
        // SAFETY: the whole of a mapping of ours; its content stays as it is.
        Ok(unsafe { mlock(self.start.as_ptr().cast(), self.len) }?)
    }

    /// Asks for huge pages. Without them all works, only slower, so a refusal is ignored.
    pub(crate) fn ask_for_huge_pages(&self) {
        let start = self.start.as_ptr().cast();
        // SAFETY: the whole of a mapping of ours; the advice does not change its content.
        let _ = unsafe { madvise(start, self.len, Advice::LinuxHugepage) };
    }
}

// SAFETY: munmap may be called by any thread.
unsafe impl Send for Mapping {}
// SAFETY: a shared reference gives no access to the memory.
unsafe impl Sync for Mapping {}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: exactly what was mapped, and the last owner is gone. It cannot fail for a whole
        // mapping, and nothing could be done if it did.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.len) };
    }
}

/// Whether the first page of a file can be mapped; nothing of it stays.
pub(crate) fn map_and_unmap(file: impl AsFd) -> Result<(), Errno> {
    const LEN: usize = 4096;
    let nowhere = std::ptr::null_mut();
    // SAFETY: the kernel chooses an address where nothing is mapped.
    let start = unsafe { mmap(nowhere, LEN, ProtFlags::READ, MapFlags::SHARED, file, 0) }?;
    // SAFETY: exactly what was mapped; no copy of its address is left.
    unsafe { munmap(start, LEN) }
}
