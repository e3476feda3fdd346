//! Making a ring: from the fastest set-up the kernel offers down to the plain one, and a named refusal
//! for what cannot be had.
//!
//! Must never: be called once I/O has started.

#![expect(
    unsafe_code,
    reason = "registering buffers hands addresses to the kernel"
)]

use super::super::setup::{Buffers, Setup, SetupError};
use super::ext::{self, Door};
use io_uring::{Builder, IoUring, Probe, opcode};
use std::io;
use std::os::fd::{AsRawFd, RawFd};

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
pub(super) struct Opened {
    pub(super) ring: IoUring,
    pub(super) door: Door,
    pub(super) buffers: Registered,
    /// Per file: what goes into an entry.
    pub(super) files: Box<[i32]>,
    pub(super) files_registered: bool,
    /// The ring says by a flag when deferred work is waiting.
    pub(super) tells_of_work: bool,
    pub(super) notes: Vec<String>,
}

/// Makes a ring for `setup`.
pub(super) fn open(setup: &Setup<'_>) -> Result<Opened, SetupError> {
    if setup.depth == 0 || setup.depth > MAX_ENTRIES {
        return Err(SetupError::named(
            format!("io_uring with a queue depth of {}", setup.depth),
            format!("take a queue depth of 1 to {MAX_ENTRIES}, with more workers if need be"),
        ));
    }
    let mut notes = Vec::new();
    let (ring, tells_of_work) = build(setup, &mut notes)?;
    if !ring.params().is_feature_ext_arg() {
        return Err(SetupError::named(
            "io_uring without timed waits (this kernel is older than 5.11)",
            "use ioengine libaio or psync, or a newer kernel",
        ));
    }
    probe(&ring)?;
    let (files, files_registered) = register_files(&ring, setup.fds, &mut notes);
    let buffers = register_buffers(&ring, &setup.buffers, &mut notes);
    let mut door = Door {
        fd: ring.as_raw_fd(),
        flags: 0,
    };
    if let Ok(index) = ext::register_ring(ring.as_raw_fd()) {
        door = Door {
            fd: index,
            flags: ext::ENTER_REGISTERED_RING,
        };
    }
    if ring.params().is_feature_no_iowait() {
        door.flags |= ext::ENTER_NO_IOWAIT;
    }
    Ok(Opened {
        ring,
        door,
        buffers,
        files,
        files_registered,
        tells_of_work,
        notes,
    })
}

/// Tries set-ups from the best down. EINVAL means that this kernel does not know one of the flags;
/// anything else is final.
fn build(setup: &Setup<'_>, notes: &mut Vec<String>) -> Result<(IoUring, bool), SetupError> {
    /// How good a set-up is.
    const DEFERRED_NO_ARRAY: u8 = 3;
    const DEFERRED: u8 = 2;
    const COOPERATIVE: u8 = 1;
    const PLAIN: u8 = 0;

    let engine = setup.engine;
    let mut last = io::Error::from_raw_os_error(libc::EINVAL);
    for level in [DEFERRED_NO_ARRAY, DEFERRED, COOPERATIVE, PLAIN] {
        let mut builder: Builder = IoUring::builder();
        builder.setup_cqsize(setup.depth.next_power_of_two() * 2);
        if level >= COOPERATIVE {
            builder.setup_submit_all();
        }
        if level >= DEFERRED {
            builder.setup_single_issuer();
        }
        if level >= DEFERRED_NO_ARRAY {
            builder.setup_no_sqarray();
        }
        if engine.poll_submissions {
            // The kernel's thread does the deferred work itself: the other flags exclude it.
            builder.setup_sqpoll(SUBMIT_THREAD_IDLE_MS);
            if let Some(cpu) = engine.poll_cpu {
                builder.setup_sqpoll_cpu(cpu);
            }
        } else if level >= DEFERRED {
            builder.setup_defer_taskrun().setup_taskrun_flag();
        } else if level >= COOPERATIVE {
            builder.setup_coop_taskrun().setup_taskrun_flag();
        }
        if engine.poll_completions {
            builder.setup_iopoll();
        }
        match builder.build(setup.depth) {
            Ok(ring) => {
                if level < DEFERRED {
                    notes.push("io_uring: no deferred task work (kernel older than 6.1)".into());
                }
                let tells = level >= COOPERATIVE && !engine.poll_submissions;
                return Ok((ring, tells));
            }
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => last = error,
            Err(error) => return Err(refusal(setup, error)),
        }
    }
    Err(refusal(setup, last))
}

/// Why io_uring_setup(2) failed, in the user's terms.
fn refusal(setup: &Setup<'_>, error: io::Error) -> SetupError {
    let disabled = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled")
        .is_ok_and(|text| text.trim() != "0");
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) if disabled => SetupError::os(
            "io_uring is disabled by kernel.io_uring_disabled",
            "run `sysctl -w kernel.io_uring_disabled=0` as root, or use ioengine libaio",
            error,
        ),
        Some(libc::EPERM | libc::EACCES) => SetupError::os(
            "io_uring is forbidden, by a seccomp filter as containers have or by a security module",
            "allow the io_uring system calls (Docker: --security-opt seccomp=unconfined), or use \
             ioengine libaio",
            error,
        ),
        Some(libc::ENOSYS) => SetupError::os(
            "io_uring is not in this kernel, or a seccomp filter hides it",
            "use a kernel with CONFIG_IO_URING (5.11 or newer), or ioengine libaio",
            error,
        ),
        Some(libc::ENOMEM) => SetupError::os(
            format!(
                "io_uring: no memory may be locked for a queue depth of {}",
                setup.depth
            ),
            "raise the limit (`ulimit -l unlimited`), or take a smaller queue depth or fewer workers",
            error,
        ),
        Some(libc::EMFILE | libc::ENFILE) => SetupError::os(
            "io_uring: no file descriptor is left for the ring",
            "raise the limit of open files (`ulimit -n`), or take fewer workers or files",
            error,
        ),
        Some(libc::EINVAL) if setup.engine.poll_cpu.is_some() => SetupError::os(
            "io_uring: the submission thread cannot run on the CPU asked for",
            "take a CPU that is online and allowed for this process",
            error,
        ),
        _ => SetupError::os(
            "io_uring cannot be set up",
            "use ioengine libaio or psync",
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
                "io_uring cannot tell which operations it knows",
                "use ioengine libaio or psync, or a kernel of 5.11 or newer",
                error,
            )
        })?;
    let needed = [
        (opcode::Read::CODE, "read"),
        (opcode::Write::CODE, "write"),
        (opcode::ReadFixed::CODE, "read_fixed"),
        (opcode::WriteFixed::CODE, "write_fixed"),
        (opcode::Fsync::CODE, "fsync"),
        (opcode::Fallocate::CODE, "fallocate"),
    ];
    for (code, name) in needed {
        if !probe.is_supported(code) {
            return Err(SetupError::named(
                format!("io_uring does not know the operation {name} here"),
                "use ioengine libaio or psync, or a kernel of 5.11 or newer",
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
                "io_uring: buffers are not registered, the limit of locked memory is too low for \
                 {len} bytes (cure: `ulimit -l unlimited`)"
            ));
            Registered::No
        }
        Err(error) => {
            notes.push(format!("io_uring: buffers are not registered ({error})"));
            Registered::No
        }
    }
}
