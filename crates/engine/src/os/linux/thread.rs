//! The calling thread: its number, its sleeps and processors, what the kernel counts for it, and the signal that gets
//! another thread of this process out of its wait.
//!
//! Must never: decide when to sleep or where to run.

#![expect(
    unsafe_code,
    reason = "signals, timer slack and getrusage(2) have no safe wrapper"
)]

use leadline_model::sample::{CpuUse, Waits};
use leadline_model::units::Nanos;
use rustix::thread::{
    CpuSet, NanosleepRelativeResult, nanosleep, sched_getaffinity, sched_setaffinity,
};
use std::io;
use std::mem::MaybeUninit;
use std::sync::Once;

/// Kernel id of the calling thread.
pub(crate) fn id() -> i32 {
    // SAFETY: gettid takes nothing and cannot fail.
    unsafe { libc::gettid() }
}

/// Timers of the calling thread fire as exactly as the kernel can.
pub(crate) fn precise_timers() {
    // SAFETY: PR_SET_TIMERSLACK takes a number of nanoseconds and touches no memory.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64);
    }
}

/// Sleeps. False = a signal ended it.
#[inline]
pub(crate) fn sleep(nanos: u64) -> bool {
    let request = rustix::time::Timespec {
        tv_sec: i64::try_from(nanos / 1_000_000_000).unwrap_or(i64::MAX),
        tv_nsec: i64::try_from(nanos % 1_000_000_000).unwrap_or(0),
    };
    matches!(nanosleep(&request), NanosleepRelativeResult::Ok)
}

/// Offers the processor to whoever else is ready to run on it.
#[inline]
pub(crate) fn yield_now() {
    rustix::thread::sched_yield();
}

/// Numbers of the processors that the calling thread may run on; `None` = not to be known.
pub(crate) fn cpus() -> Option<Vec<u32>> {
    let set = sched_getaffinity(None).ok()?;
    let numbers = (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu));
    Some(numbers.filter_map(|cpu| u32::try_from(cpu).ok()).collect())
}

/// Lets the calling thread run on these processors only. Numbers beyond what there can be are ignored.
///
/// # Errors
/// The kernel's, as when none of them is there.
pub(crate) fn pin(cpus: impl IntoIterator<Item = u32>) -> io::Result<()> {
    let mut set = CpuSet::new();
    for cpu in cpus {
        if (cpu as usize) < CpuSet::MAX_CPU {
            set.set(cpu as usize);
        }
    }
    Ok(sched_setaffinity(None, &set)?)
}

/// The signal that gets a worker out of a wait so that it looks at its orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signals;

impl Signals {
    /// Installs the handler, which does nothing: arriving is its whole effect (EINTR).
    pub(crate) fn install() -> Self {
        extern "C" fn nothing(_: libc::c_int) {}
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // SAFETY: the action is fully initialised (all-zero is valid: no flags, empty mask, so no
            // SA_RESTART), and the handler is async-signal-safe because it does nothing.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = nothing as *const () as usize;
                libc::sigaction(libc::SIGURG, &raw const action, std::ptr::null_mut());
            }
        });
        Self
    }

    /// Gets thread `id` of this process out of its wait. A thread that has gone is no error.
    pub(crate) fn kick(self, id: i32) {
        // SAFETY: tgkill takes numbers only; a stale thread id gives ESRCH.
        unsafe {
            libc::syscall(libc::SYS_tgkill, libc::getpid(), id, libc::SIGURG);
        }
    }
}

/// Processor time and events of the calling thread.
pub(crate) fn cpu_use() -> CpuUse {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is a valid place for the result, and all-zero bytes are a valid rusage.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    let time = |t: libc::timeval| {
        let part = |n: i64| u64::try_from(n).unwrap_or(0);
        Nanos(part(t.tv_sec) * 1_000_000_000 + part(t.tv_usec) * 1_000)
    };
    let count = |n: libc::c_long| u64::try_from(n).unwrap_or(0);
    CpuUse {
        user: time(usage.ru_utime),
        system: time(usage.ru_stime),
        voluntary: count(usage.ru_nvcsw),
        involuntary: count(usage.ru_nivcsw),
        major_faults: count(usage.ru_majflt),
        minor_faults: count(usage.ru_minflt),
        waiting: Nanos::ZERO,
        waits: Waits::default(),
    }
}
