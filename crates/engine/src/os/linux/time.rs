//! Clocks of the kernel, in nanoseconds. Must never: read wall time.

#![expect(
    unsafe_code,
    reason = "clock_gettime(2) writes into a place that is given"
)]

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of `CLOCK_MONOTONIC`. By the C library: rustix 1.1 finds the vDSO in a way that
/// crashes under valgrind 3.19, and instruction counts are taken there.
#[must_use]
pub fn monotonic() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a valid place for the result; this clock always exists.
    unsafe {
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now);
    }
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

/// Nanoseconds of a clock that continues while the machine is suspended.
pub(crate) fn since_boot() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    let part = |n: i64| u64::try_from(n).unwrap_or(0);
    part(now.tv_sec) * 1_000_000_000 + part(now.tv_nsec)
}

/// The kernel uses the processor's counter as its own clock source, so it is invariant and synchronous over CPUs.
pub(crate) fn counter_is_trusted() -> bool {
    cfg!(target_arch = "x86_64")
        && std::fs::read_to_string(
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        )
        .is_ok_and(|source| source.trim() == "tsc")
}
