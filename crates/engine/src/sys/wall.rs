//! The only place where wall time is read. Measuring never uses it: intervals and latencies come from
//! the engine's clock; this is for dates in results.

/// Milliseconds since 1970 UTC by this host's wall clock; 0 when the clock is before 1970.
#[must_use]
pub fn wall_ms() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    let millis = u64::try_from(now.tv_nsec).unwrap_or(0) / 1_000_000;
    seconds.saturating_mul(1000).saturating_add(millis)
}
