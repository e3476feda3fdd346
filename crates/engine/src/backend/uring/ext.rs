//! What the io-uring crate leaves out: the entry as plain fields, entering by a registered ring, and
//! a wait with a timeout in the same call.
//!
//! Layouts and numbers are the kernel's (include/uapi/linux/io_uring.h). Must never: keep state.

#![expect(unsafe_code, reason = "system calls and the kernel's memory layout")]

use io_uring::squeue::Entry;
use std::io;
use std::os::fd::RawFd;

/// Wait for completions in the same call.
pub(super) const ENTER_GETEVENTS: u32 = 1 << 0;
/// Wake the submission thread.
pub(super) const ENTER_SQ_WAKEUP: u32 = 1 << 1;
/// The last argument is a [`WaitArgs`].
pub(super) const ENTER_EXT_ARG: u32 = 1 << 3;
/// The descriptor is an index into this thread's registered rings.
pub(super) const ENTER_REGISTERED_RING: u32 = 1 << 4;
/// Do not count the wait as I/O wait of the CPU.
pub(super) const ENTER_NO_IOWAIT: u32 = 1 << 7;
/// io_uring_register(2): register ring descriptors.
const REGISTER_RING_FDS: u32 = 20;
/// io_uring_register(2): take them back.
const UNREGISTER_RING_FDS: u32 = 21;
/// The file is an index into the registered files.
pub(super) const SQE_FIXED_FILE: u8 = 1 << 0;
/// Hand the request to a kernel worker at once.
pub(super) const SQE_ASYNC: u8 = 1 << 4;
/// Flag of a sync entry: data only.
pub(super) const FSYNC_DATASYNC: u32 = 1;

/// A submission entry as the kernel reads it, 64 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct RawEntry {
    pub(super) opcode: u8,
    pub(super) flags: u8,
    pub(super) ioprio: u16,
    pub(super) fd: i32,
    pub(super) off: u64,
    pub(super) addr: u64,
    pub(super) len: u32,
    pub(super) op_flags: u32,
    pub(super) user_data: u64,
    pub(super) buf_index: u16,
    pub(super) personality: u16,
    pub(super) splice_fd_in: i32,
    pub(super) addr3: u64,
    pub(super) reserved: u64,
}

const _: () = assert!(size_of::<RawEntry>() == size_of::<Entry>());
const _: () = assert!(align_of::<RawEntry>() == align_of::<Entry>());

impl RawEntry {
    /// As the crate wants it, without a copy.
    #[inline]
    pub(super) fn entry(&self) -> &Entry {
        // SAFETY: `Entry` is a `repr(C)` wrapper around the kernel's io_uring_sqe, whose layout
        // `RawEntry` repeats; sizes and alignments are checked above, fields by the test below.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }
}

/// struct __kernel_timespec.
#[derive(Debug)]
#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

/// struct io_uring_getevents_arg.
#[derive(Debug)]
#[repr(C)]
struct WaitArgs {
    sigmask: u64,
    sigmask_size: u32,
    min_wait_usec: u32,
    timeout: u64,
}

/// How a ring is entered.
#[derive(Clone, Copy, Debug)]
pub(super) struct RingHandle {
    /// The ring's descriptor or its registered index.
    pub(super) fd: i32,
    /// Flags of every call.
    pub(super) flags: u32,
}

impl RingHandle {
    /// io_uring_enter(2): hands over `submit` entries, then waits for `want` completions when `flags`
    /// has [`ENTER_GETEVENTS`]. Returns how many entries were taken.
    #[inline]
    pub(super) fn enter(self, submit: u32, want: u32, flags: u32) -> io::Result<u32> {
        // SAFETY: without EXT_ARG a null signal mask is allowed; entries were made with valid
        // addresses by `Uring::queue`.
        let result = unsafe {
            libc::syscall(
                libc::SYS_io_uring_enter,
                self.fd,
                submit,
                want,
                self.flags | flags,
                std::ptr::null::<u8>(),
                0_usize,
            )
        };
        taken(result)
    }

    /// As [`RingHandle::enter`] with [`ENTER_GETEVENTS`], for at most `nanos`: the kernel answers ETIME after
    /// that when it took no entries.
    pub(super) fn enter_for(
        self,
        submit: u32,
        want: u32,
        flags: u32,
        nanos: u64,
    ) -> io::Result<u32> {
        const SECOND: u64 = 1_000_000_000;
        let timeout = Timespec {
            seconds: i64::try_from(nanos / SECOND).unwrap_or(i64::MAX),
            nanoseconds: (nanos % SECOND).cast_signed(),
        };
        let args = WaitArgs {
            sigmask: 0,
            sigmask_size: 0,
            min_wait_usec: 0,
            timeout: (&raw const timeout).expose_provenance() as u64,
        };
        // SAFETY: the arguments and the timeout they point to live until the call returns; their
        // layout is the kernel's; entries as in `enter`.
        let result = unsafe {
            libc::syscall(
                libc::SYS_io_uring_enter,
                self.fd,
                submit,
                want,
                self.flags | flags | ENTER_GETEVENTS | ENTER_EXT_ARG,
                &raw const args,
                size_of::<WaitArgs>(),
            )
        };
        taken(result)
    }
}

/// The system call's answer.
#[inline]
fn taken(result: libc::c_long) -> io::Result<u32> {
    u32::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// struct io_uring_rsrc_update.
#[derive(Debug)]
#[repr(C)]
struct Update {
    offset: u32,
    reserved: u32,
    data: u64,
}

/// io_uring_register(2) with one [`Update`].
fn register(fd: RawFd, code: u32, update: &mut Update) -> io::Result<()> {
    // SAFETY: the kernel reads and writes one `Update`, which lives until the call returns.
    let result = unsafe {
        libc::syscall(
            libc::SYS_io_uring_register,
            fd,
            code,
            std::ptr::from_mut(update),
            1_u32,
        )
    };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Registers the ring with the calling thread and returns its index, which spares the kernel the
/// look-up of the descriptor in every call. Since Linux 5.18; at most 16 in a thread.
pub(super) fn register_ring(fd: RawFd) -> io::Result<i32> {
    let mut update = Update {
        offset: u32::MAX,
        reserved: 0,
        data: u64::from(fd.cast_unsigned()),
    };
    register(fd, REGISTER_RING_FDS, &mut update)?;
    i32::try_from(update.offset).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

/// Takes a registered ring back: until then the thread keeps the ring and all that it pins.
pub(super) fn unregister_ring(fd: RawFd, index: i32) {
    let mut update = Update {
        offset: index.cast_unsigned(),
        reserved: 0,
        data: 0,
    };
    // It can only fail when nothing is registered there.
    let _ = register(fd, UNREGISTER_RING_FDS, &mut update);
}

#[cfg(test)]
mod tests {
    use super::*;
    use io_uring::{opcode, types};

    /// The bytes of an entry.
    fn raw(entry: Entry) -> RawEntry {
        // SAFETY: same size and alignment (checked above); every bit pattern is a `RawEntry`.
        unsafe { std::mem::transmute(entry) }
    }

    #[test]
    fn fields_lie_where_the_crate_puts_them() {
        let buffer = std::ptr::without_provenance_mut::<u8>(0x1234_5000);
        let built = opcode::ReadFixed::new(types::Fixed(7), buffer, 4096, 3)
            .offset(1 << 40)
            .rw_flags(8)
            .ioprio(5)
            .build()
            .user_data(99);
        let ours = RawEntry {
            opcode: opcode::ReadFixed::CODE,
            flags: SQE_FIXED_FILE,
            ioprio: 5,
            fd: 7,
            off: 1 << 40,
            addr: 0x1234_5000,
            len: 4096,
            op_flags: 8,
            user_data: 99,
            buf_index: 3,
            ..RawEntry::default()
        };
        assert_eq!(raw(built), ours);
        assert_eq!(raw(ours.entry().clone()), ours);

        let sync = opcode::Fsync::new(types::Fd(4))
            .flags(types::FsyncFlags::DATASYNC)
            .build();
        assert_eq!(raw(sync).op_flags, FSYNC_DATASYNC);
    }
}
