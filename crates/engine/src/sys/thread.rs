//! What the kernel counts for the calling thread.
//!
//! Belongs here: getrusage of one thread. Must never: look at other threads, or keep anything.

#![expect(unsafe_code, reason = "getrusage(2) writes into a place that is given")]

use leadline_model::sample::{CpuUse, Waits};
use leadline_model::units::Nanos;
use std::mem::MaybeUninit;

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
