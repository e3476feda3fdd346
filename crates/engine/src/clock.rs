//! Time. The hot loop reads raw ticks; they become nanoseconds by one multiplication.
//!
//! On x86-64 with an invariant time stamp counter that the kernel itself trusts as its clock source,
//! ticks are that counter, calibrated against `CLOCK_MONOTONIC`; otherwise they are the nanoseconds of
//! `CLOCK_MONOTONIC`. Simulated runs have a clock of their own ([`SimClock`]).
#![expect(unsafe_code, reason = "reads the time stamp counter")]

use crate::os::time::counter_is_trusted;
pub use crate::os::time::monotonic;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::OnceLock;

/// A source of ticks. Cheap to copy; monotonic on one host.
pub trait Clock: Clone {
    /// Whether time passes by itself.
    const REAL: bool;
    /// Now, in ticks since an arbitrary moment.
    fn ticks(&self) -> u64;
    /// Nanoseconds in a span of ticks.
    fn nanos(&self, ticks: u64) -> u64;
    /// Ticks in a span of nanoseconds.
    fn span(&self, nanos: u64) -> u64;
}

/// How long the counter is watched to learn its rate, in nanoseconds. The reading error of about 25 ns
/// over this span is 13 parts in a million: far below what any rate here is quoted to.
const CALIBRATION_NS: u64 = 2_000_000;

/// The clock of this host. All copies agree.
#[derive(Clone, Copy, Debug)]
pub struct HostClock {
    /// Nanoseconds in a tick, as a 32.32 fixed-point number.
    nanos_per_tick: u64,
    /// Ticks in a nanosecond, likewise.
    ticks_per_nano: u64,
    counter: bool,
}

impl HostClock {
    /// The host's clock; calibrated on the first call, which takes about 2 ms.
    #[must_use]
    pub fn get() -> Self {
        static CLOCK: OnceLock<HostClock> = OnceLock::new();
        *CLOCK.get_or_init(Self::calibrate)
    }

    /// Whether ticks are the processor's time stamp counter.
    #[must_use]
    pub const fn uses_counter(self) -> bool {
        self.counter
    }

    fn calibrate() -> Self {
        if !counter_is_trusted() {
            return Self {
                nanos_per_tick: 1 << 32,
                ticks_per_nano: 1 << 32,
                counter: false,
            };
        }
        let (start_ns, start) = paired_reading();
        let (mut end_ns, mut end) = (start_ns, start);
        while end_ns - start_ns < CALIBRATION_NS {
            (end_ns, end) = paired_reading();
        }
        let (ns, ticks) = (
            u128::from(end_ns - start_ns),
            u128::from((end - start).max(1)),
        );
        let fixed = |n: u128, d: u128| u64::try_from((n << 32) / d).unwrap_or(1 << 32);
        Self {
            nanos_per_tick: fixed(ns, ticks),
            ticks_per_nano: fixed(ticks, ns),
            counter: true,
        }
    }
}

impl Clock for HostClock {
    const REAL: bool = true;

    #[inline]
    fn ticks(&self) -> u64 {
        if self.counter { counter() } else { monotonic() }
    }

    #[inline]
    fn nanos(&self, ticks: u64) -> u64 {
        scale(ticks, self.nanos_per_tick)
    }

    #[inline]
    fn span(&self, nanos: u64) -> u64 {
        scale(nanos, self.ticks_per_nano)
    }
}

/// `value` times a 32.32 fixed-point factor.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "spans of a run fit: 584 years"
)]
const fn scale(value: u64, factor: u64) -> u64 {
    ((value as u128 * factor as u128) >> 32) as u64
}

/// A reading of both clocks; of five tries the one with the least time between them.
fn paired_reading() -> (u64, u64) {
    let mut best = (u64::MAX, 0, 0);
    for _ in 0..5 {
        let before = counter();
        let ns = monotonic();
        let gap = counter() - before;
        if gap < best.0 {
            best = (gap, ns, before + gap / 2);
        }
    }
    (best.1, best.2)
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn counter() -> u64 {
    // SAFETY: RDTSC is part of every x86-64 processor and reads a register; it touches no memory.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> u64 {
    monotonic()
}

/// The clock of a simulation: it stands still until it is set. One tick is one nanosecond.
#[derive(Clone, Debug, Default)]
pub struct SimClock(Rc<Cell<u64>>);

impl SimClock {
    /// Moves the clock to `ticks`; never backwards.
    pub fn advance_to(&self, ticks: u64) {
        self.0.set(self.0.get().max(ticks));
    }
}

impl Clock for SimClock {
    const REAL: bool = false;

    #[inline]
    fn ticks(&self) -> u64 {
        self.0.get()
    }
    #[inline]
    fn nanos(&self, ticks: u64) -> u64 {
        ticks
    }
    #[inline]
    fn span(&self, nanos: u64) -> u64 {
        nanos
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_clock_agrees_with_the_kernels() {
        let clock = HostClock::get();
        let (kernel, ours) = (monotonic(), clock.ticks());
        std::thread::sleep(std::time::Duration::from_millis(50));
        let spent_ours = clock.nanos(clock.ticks() - ours);
        let spent = monotonic() - kernel;
        assert!(
            spent.abs_diff(spent_ours) < spent / 1000,
            "kernel {spent} ns, ours {spent_ours} ns"
        );
    }

    #[test]
    fn spans_survive_the_round_trip_to_a_part_in_a_million() {
        let clock = HostClock::get();
        let hour = 3_600_000_000_000;
        assert!(clock.nanos(clock.span(hour)).abs_diff(hour) < hour / 1_000_000);
    }

    #[test]
    fn a_simulated_clock_only_moves_forwards() {
        let clock = SimClock::default();
        clock.advance_to(5);
        clock.advance_to(3);
        assert_eq!(clock.ticks(), 5);
    }
}
