//! The system calls of Linux native AIO and the ring of completions that the kernel shares.
//!
//! Layouts and numbers are the kernel's (include/uapi/linux/aio_abi.h, fs/aio.c). Must never: know of
//! requests or slots.

#![expect(unsafe_code, reason = "system calls and memory shared with the kernel")]

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

/// Read at an offset.
pub(super) const CMD_PREAD: u16 = 0;
/// Write at an offset.
pub(super) const CMD_PWRITE: u16 = 1;
/// fsync(2).
pub(super) const CMD_FSYNC: u16 = 2;
/// fdatasync(2).
pub(super) const CMD_FDSYNC: u16 = 3;
/// What the shared ring starts with when its layout is the one known here.
const RING_MAGIC: u32 = 0xa10a_10a1;

/// struct iocb.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct ControlBlock {
    pub(super) data: u64,
    #[cfg(target_endian = "little")]
    pub(super) key: u32,
    pub(super) rw_flags: i32,
    #[cfg(target_endian = "big")]
    pub(super) key: u32,
    pub(super) opcode: u16,
    pub(super) priority: i16,
    pub(super) fd: u32,
    pub(super) buffer: u64,
    pub(super) len: u64,
    pub(super) offset: i64,
    pub(super) reserved: u64,
    pub(super) flags: u32,
    pub(super) event_fd: u32,
}

/// struct io_event.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Event {
    pub(super) data: u64,
    pub(super) object: u64,
    pub(super) result: i64,
    pub(super) result2: i64,
}

const _: () = assert!(size_of::<ControlBlock>() == 64);
const _: () = assert!(size_of::<Event>() == 32);
const _: () = assert!(size_of::<RingHead>() == 32);

/// struct aio_ring, which the context's number is the address of.
#[repr(C)]
struct RingHead {
    id: u32,
    entries: u32,
    head: AtomicU32,
    tail: AtomicU32,
    magic: u32,
    compat_features: u32,
    incompat_features: u32,
    header_length: u32,
}

/// An AIO context of the calling process.
#[derive(Debug)]
pub(super) struct AioContext {
    id: usize,
    /// The ring's layout is known: completions can be taken without a call.
    shared: bool,
}

impl AioContext {
    /// io_setup(2), for `depth` operations at a time.
    pub(super) fn new(depth: u32) -> io::Result<Self> {
        let mut id = 0_usize;
        // SAFETY: the kernel writes one word, the context's number.
        check(unsafe { libc::syscall(libc::SYS_io_setup, depth, &raw mut id) })?;
        let mut context = Self { id, shared: false };
        // SAFETY: the number of a context is the address of its ring, which the kernel maps
        // readable and writable; the first page is larger than the head.
        let head = unsafe { &*context.head() };
        context.shared = head.magic == RING_MAGIC
            && head.incompat_features == 0
            && head.header_length as usize == size_of::<RingHead>();
        Ok(context)
    }

    /// Address of the ring.
    #[inline]
    fn head(&self) -> *const RingHead {
        std::ptr::with_exposed_provenance(self.id)
    }

    /// io_submit(2): how many of the control blocks were taken.
    ///
    /// # Safety
    /// The pointers lead to control blocks whose buffers stay valid until their events came.
    #[inline]
    pub(super) unsafe fn submit(&self, blocks: &[*const ControlBlock]) -> io::Result<usize> {
        // SAFETY: the caller's promise; the kernel copies the blocks inside the call.
        check(unsafe { libc::syscall(libc::SYS_io_submit, self.id, blocks.len(), blocks.as_ptr()) })
    }

    /// io_getevents(2): waits for at least `want` events for at most `nanos`, and stores them in
    /// `events`. Returns how many there are.
    pub(super) fn events(
        &self,
        want: usize,
        events: &mut [Event],
        nanos: Option<u64>,
    ) -> io::Result<usize> {
        const SECOND: u64 = 1_000_000_000;
        let timeout = nanos.map(|nanos| libc::timespec {
            tv_sec: libc::time_t::try_from(nanos / SECOND).unwrap_or(libc::time_t::MAX),
            tv_nsec: (nanos % SECOND).cast_signed(),
        });
        let timeout = timeout
            .as_ref()
            .map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: the kernel writes at most `events.len()` events; the timeout lives until the call
        // returns.
        check(unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.id,
                want,
                events.len(),
                events.as_mut_ptr(),
                timeout,
            )
        })
    }

    /// Events in the shared ring; 0 when its layout is not known.
    #[inline]
    pub(super) fn waiting(&self) -> u32 {
        if !self.shared {
            return 0;
        }
        // SAFETY: as in `new`.
        let ring = unsafe { &*self.head() };
        let (head, tail) = (
            ring.head.load(Ordering::Relaxed),
            ring.tail.load(Ordering::Acquire),
        );
        // Both stay below the number of entries.
        if tail >= head {
            tail - head
        } else {
            tail + ring.entries - head
        }
    }

    /// Takes all events out of the shared ring without a call. Returns how many there were.
    #[inline]
    pub(super) fn take(&mut self, mut each: impl FnMut(&Event)) -> u32 {
        let count = self.waiting();
        if count == 0 {
            return 0;
        }
        let start = self.head();
        // SAFETY: as in `new`.
        let ring = unsafe { &*start };
        let mut head = ring.head.load(Ordering::Relaxed);
        for _ in 0..count {
            // SAFETY: events follow the head, `entries` of them; `head` is below that, and the
            // kernel does not touch events between head and tail.
            let event = unsafe { *start.add(1).cast::<Event>().add(head as usize) };
            each(&event);
            head += 1;
            if head == ring.entries {
                head = 0;
            }
        }
        ring.head.store(head, Ordering::Release);
        count
    }

    /// io_destroy(2), which waits for all that is outstanding.
    pub(super) fn destroy(&mut self) {
        // SAFETY: the context and its ring are not used after this.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.id) };
        self.shared = false;
    }
}

/// The system call's answer.
#[inline]
fn check(result: libc::c_long) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}
