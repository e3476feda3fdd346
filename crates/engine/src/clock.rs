//! Time. The hot loop reads raw ticks; they become nanoseconds by one multiplication.
//!
//! On x86-64 with an invariant time stamp counter that the kernel itself trusts as its clock source,
//! ticks are that counter, calibrated against `CLOCK_MONOTONIC`; otherwise they are the nanoseconds of
//! `CLOCK_MONOTONIC`. Simulated runs have a clock of their own.

/// A source of ticks. Cheap to copy; monotonic on one host.
pub trait Clock: Clone {
    /// Now, in ticks since an arbitrary moment.
    fn ticks(&self) -> u64;
    /// Nanoseconds in a span of ticks.
    fn nanos(&self, ticks: u64) -> u64;
    /// Ticks in a span of nanoseconds.
    fn span(&self, nanos: u64) -> u64;
}
