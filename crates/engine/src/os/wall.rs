//! The only place where wall time is read. Measuring never uses it: intervals and latencies come from
//! the engine's clock; this is for dates in results.

/// Milliseconds since 1970 UTC by this host's wall clock; 0 when the clock is before 1970.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one place")]
pub fn wall_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |span| {
        u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
    })
}
