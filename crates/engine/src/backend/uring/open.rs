//! Making a ring: from the fastest set-up the kernel offers down to the plain one, and a named refusal
//! for what cannot be had.
//!
//! Must never: be called once I/O has started.

#![expect(
    unsafe_code,
    reason = "registering and probing hand addresses to the kernel"
)]

use super::super::INSTEAD_OF_URING;
use super::super::pvsync2::{Page, probe_flags};
use super::super::setup::{Buffers, Setup, SetupError};
use super::ext::{self, RingHandle};
use crate::os::ability;
use io_uring::types::Fd;
use io_uring::{Builder, IoUring, Probe, opcode};
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::Engine;
use rustix::fs::OFlags;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

/// Most entries a ring can have.
const MAX_ENTRIES: u32 = 32768;
/// Longest region the kernel registers as one buffer, in bytes.
const MAX_REGISTERED: usize = 1 << 30;
/// Milliseconds without work after which the kernel's submission thread sleeps.
const SUBMIT_THREAD_IDLE_MS: u32 = 1000;

/// Where the kernel finds the data of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registered {
    /// By address.
    No,
    /// One region for reads and writes.
    One,
    /// Region 0 for reads, region 1 for writes.
    Two,
}

/// A ring that is ready, and how it is to be used.
pub(super) struct OpenRing {
    pub(super) ring: IoUring,
    pub(super) handle: RingHandle,
    pub(super) buffers: Registered,
    /// Per file: what goes into an entry.
    pub(super) files: Box<[i32]>,
    pub(super) files_registered: bool,
    /// The ring says by a flag when deferred work is waiting.
    pub(super) signals_work: bool,
    pub(super) notes: Vec<String>,
}

/// How much of the newer set-up flags a ring has, from the best down. Older kernels know fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// As `Deferred`, and the kernel takes entries without an array of their numbers (6.6).
    NoArray,
    /// Completions are worked on only when this thread asks for them (6.1).
    Deferred,
    /// Completions do not interrupt this thread (5.19).
    Cooperative,
    /// None of it.
    Plain,
}

impl Level {
    /// All, from the best down.
    pub(super) const ALL: [Self; 4] = [
        Self::NoArray,
        Self::Deferred,
        Self::Cooperative,
        Self::Plain,
    ];
}

/// Makes a ring for `setup`, at `best` or the next level that this kernel knows.
pub(super) fn open(setup: &Setup<'_>, best: Level) -> Result<OpenRing, SetupError> {
    if setup.depth == 0 || setup.depth > MAX_ENTRIES {
        return Err(SetupError::named(
            ErrorCode::PlanValue,
            format!("io_uring: a queue depth of {} is out of range", setup.depth),
            format!("use a queue depth of 1 to {MAX_ENTRIES}, and more workers if needed"),
        ));
    }
    let mut notes = Vec::new();
    let (mut ring, signals_work) = bare(setup.engine, setup.depth, best, &mut notes)?;
    let (files, files_registered) = register_files(&ring, setup.handles.fds(), &mut notes);
    let buffers = register_buffers(&ring, &setup.buffers, &mut notes);
    let mut handle = RingHandle {
        fd: ring.as_raw_fd(),
        flags: 0,
    };
    if let Ok(index) = ext::register_ring(ring.as_raw_fd()) {
        handle = RingHandle {
            fd: index,
            flags: ext::ENTER_REGISTERED_RING,
        };
    }
    if ring.params().is_feature_no_iowait() {
        handle.flags |= ext::ENTER_NO_IOWAIT;
    }
    probe_flags(setup, false)?;
    if setup.engine.poll_completions {
        probe_polling(&mut ring, handle, setup)?;
    }
    Ok(OpenRing {
        ring,
        handle,
        buffers,
        files,
        files_registered,
        signals_work,
        notes,
    })
}

/// A ring without files and buffers, which knows all that will be asked of it. Whether it signals when deferred work
/// waits.
pub(super) fn bare(
    engine: &Engine,
    depth: u32,
    best: Level,
    notes: &mut Vec<String>,
) -> Result<(IoUring, bool), SetupError> {
    let (ring, signals_work) = build(engine, depth, best, notes)?;
    if !ring.params().is_feature_ext_arg() {
        return Err(SetupError::named(
            ErrorCode::HostLacks,
            "io_uring: no timed waits (this kernel is older than 5.11)",
            ("use a newer kernel", INSTEAD_OF_URING),
        ));
    }
    probe(&ring)?;
    Ok((ring, signals_work))
}

/// Tries set-ups from `best` down. EINVAL means that this kernel does not know one of the flags;
/// anything else is final. Whether the ring signals when deferred work waits.
fn build(
    engine: &Engine,
    depth: u32,
    best: Level,
    notes: &mut Vec<String>,
) -> Result<(IoUring, bool), SetupError> {
    let mut last = io::Error::from_raw_os_error(libc::EINVAL);
    for level in Level::ALL.into_iter().filter(|&level| level >= best) {
        let mut builder: Builder = IoUring::builder();
        builder.setup_cqsize(depth.next_power_of_two() * 2);
        if level <= Level::Cooperative {
            builder.setup_submit_all();
        }
        if level <= Level::Deferred {
            builder.setup_single_issuer();
        }
        if level == Level::NoArray {
            builder.setup_no_sqarray();
        }
        if engine.poll_submissions {
            // The kernel's thread does the deferred work itself: the other flags exclude it.
            builder.setup_sqpoll(SUBMIT_THREAD_IDLE_MS);
            if let Some(cpu) = engine.poll_cpu {
                builder.setup_sqpoll_cpu(cpu);
            }
        } else if level <= Level::Deferred {
            builder.setup_defer_taskrun().setup_taskrun_flag();
        } else if level == Level::Cooperative {
            builder.setup_coop_taskrun().setup_taskrun_flag();
        }
        if engine.poll_completions {
            builder.setup_iopoll();
        }
        match builder.build(depth) {
            Ok(ring) => {
                if level > Level::Deferred {
                    notes.push("io_uring: no deferred task work (kernel older than 6.1)".into());
                }
                let signals = level <= Level::Cooperative && !engine.poll_submissions;
                return Ok((ring, signals));
            }
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => last = error,
            Err(error) => return Err(refusal(engine, depth, error)),
        }
    }
    Err(refusal(engine, depth, last))
}

/// Why io_uring_setup(2) failed, in the user's terms.
fn refusal(engine: &Engine, depth: u32, error: io::Error) -> SetupError {
    let disabled = ability::is_uring_disabled();
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) if disabled => SetupError::os(
            ErrorCode::HostLacks,
            "io_uring is disabled by kernel.io_uring_disabled",
            (
                "run `sysctl -w kernel.io_uring_disabled=0` as root",
                INSTEAD_OF_URING,
            ),
            error,
        ),
        Some(libc::EPERM | libc::EACCES) => SetupError::os(
            ErrorCode::HostLacks,
            "io_uring is blocked by a seccomp filter (usual in containers) or a security module",
            (
                "allow the io_uring system calls, in Docker with --security-opt \
                 seccomp=unconfined",
                INSTEAD_OF_URING,
            ),
            error,
        ),
        Some(libc::ENOSYS) => SetupError::os(
            ErrorCode::HostLacks,
            "this kernel has no io_uring, or a seccomp filter hides it",
            (
                "use a kernel of 5.11 or newer with CONFIG_IO_URING",
                INSTEAD_OF_URING,
            ),
            error,
        ),
        Some(libc::ENOMEM) => SetupError::os(
            ErrorCode::Limit,
            format!("io_uring: the locked memory limit is too low for a queue depth of {depth}"),
            (
                "raise the limit (`ulimit -l unlimited`), or use a smaller queue depth or fewer \
                 workers",
                [Knob::QueueDepth, Knob::Workers],
            ),
            error,
        ),
        Some(libc::EMFILE | libc::ENFILE) => SetupError::os(
            ErrorCode::Limit,
            "io_uring: no file descriptor is left for the ring",
            (
                "raise the limit of open files (`ulimit -n`), or use fewer workers or files",
                [Knob::Workers, Knob::FewerFiles],
            ),
            error,
        ),
        Some(libc::EINVAL) if let Some(cpu) = engine.poll_cpu => SetupError::os(
            ErrorCode::PlanValue,
            format!("io_uring: the submission thread cannot run on CPU {cpu}"),
            (
                "choose a CPU that is online and allowed for this process",
                [Knob::Processors],
            ),
            error,
        ),
        _ => SetupError::os(
            ErrorCode::HostLacks,
            "io_uring cannot be set up",
            (
                "use another kernel, or run outside the container or sandbox that blocks it",
                INSTEAD_OF_URING,
            ),
            error,
        ),
    }
}

/// Checks that the ring knows the operations that will be asked of it.
fn probe(ring: &IoUring) -> Result<(), SetupError> {
    let mut probe = Probe::new();
    ring.submitter()
        .register_probe(&mut probe)
        .map_err(|error| {
            SetupError::os(
                ErrorCode::HostLacks,
                "io_uring cannot report which operations it supports",
                ("use a kernel of 5.11 or newer", INSTEAD_OF_URING),
                error,
            )
        })?;
    let needed = [
        (opcode::Read::CODE, "read"),
        (opcode::Write::CODE, "write"),
        (opcode::ReadFixed::CODE, "read_fixed"),
        (opcode::WriteFixed::CODE, "write_fixed"),
        (opcode::Fsync::CODE, "fsync"),
    ];
    for (code, name) in needed {
        if !probe.is_supported(code) {
            return Err(SetupError::named(
                ErrorCode::HostLacks,
                format!("io_uring of this kernel does not support the operation {name}"),
                ("use a kernel of 5.11 or newer", INSTEAD_OF_URING),
            ));
        }
    }
    Ok(())
}

/// Makes one read of each file through a polled ring, since only the device knows whether it can be
/// polled.
fn probe_polling(
    ring: &mut IoUring,
    handle: RingHandle,
    setup: &Setup<'_>,
) -> Result<(), SetupError> {
    let mut page = Page([0; 4096]);
    for &fd in setup.handles.fds() {
        // SAFETY: descriptors are open (promise of `Setup`).
        let flags = rustix::fs::fcntl_getfl(unsafe { BorrowedFd::borrow_raw(fd) });
        if flags.is_ok_and(|flags| !flags.contains(OFlags::DIRECT)) {
            return Err(SetupError::named(
                ErrorCode::PlanConflict,
                "io_uring polls for completions of direct I/O only",
                (
                    "open the files with O_DIRECT, or turn polling off",
                    [Knob::Direct, Knob::NoPolling],
                ),
            ));
        }
        let read = opcode::Read::new(Fd(fd), page.0.as_mut_ptr(), 4096).build();
        // SAFETY: the page lives until the read has ended, which is waited for below.
        if unsafe { ring.submission().push(&read) }.is_err() {
            continue;
        }
        let mut submit = 1;
        let result = loop {
            match handle.enter(submit, 1, ext::ENTER_GETEVENTS) {
                Ok(taken) => submit -= taken,
                Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
                Err(error) => return Err(refusal(setup.engine, setup.depth, error)),
            }
            if let Some(completion) = ring.completion().next() {
                break completion.result();
            }
        };
        // Other errors, such as that of a file opened for writing only, are not about polling.
        if result == -libc::EOPNOTSUPP {
            return Err(SetupError::os(
                ErrorCode::HostLacks,
                "io_uring cannot poll this device or file system for completions",
                (
                    "turn polling off; it needs a driver with poll queues (nvme.poll_queues=N or \
                     virtio_blk.num_poll_queues=N at boot)",
                    [Knob::NoPolling],
                ),
                io::Error::from_raw_os_error(libc::EOPNOTSUPP),
            ));
        }
    }
    Ok(())
}

/// Registers the files; entries then name them by index. Otherwise by descriptor, which costs a
/// look-up an I/O.
fn register_files(ring: &IoUring, fds: &[RawFd], notes: &mut Vec<String>) -> (Box<[i32]>, bool) {
    match ring.submitter().register_files(fds) {
        Ok(()) => ((0..).take(fds.len()).collect(), true),
        Err(error) => {
            notes.push(format!("io_uring: files are not registered ({error})"));
            (fds.into(), false)
        }
    }
}

/// Registers the buffers, which spares pinning their pages in every direct I/O.
fn register_buffers(ring: &IoUring, buffers: &Buffers, notes: &mut Vec<String>) -> Registered {
    let len = buffers.region_len();
    if len == 0 || len > MAX_REGISTERED {
        notes.push("io_uring: buffers are not registered (more than 1 GiB in one worker)".into());
        return Registered::No;
    }
    let region = |base: *mut u8| libc::iovec {
        iov_base: base.cast(),
        iov_len: len,
    };
    let (regions, registered) = if buffers.writes_apart() {
        (
            vec![region(buffers.base), region(buffers.write_base)],
            Registered::Two,
        )
    } else {
        (vec![region(buffers.base)], Registered::One)
    };
    // SAFETY: the regions are valid memory that outlives the back end (promise of `Setup`).
    match unsafe { ring.submitter().register_buffers(&regions) } {
        Ok(()) => registered,
        Err(error) if error.raw_os_error() == Some(libc::ENOMEM) => {
            notes.push(format!(
                "io_uring: buffers are not registered, the locked memory limit is too low for \
                 {len} bytes (raise it: `ulimit -l unlimited`)"
            ));
            Registered::No
        }
        Err(error) => {
            notes.push(format!("io_uring: buffers are not registered ({error})"));
            Registered::No
        }
    }
}
