//! A simulated device: what is known exactly, to test pacing, honesty and limits against.

use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// A simulated device. All of its randomness comes from the plan's seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimDevice {
    /// Size in bytes.
    pub size: u64,
    /// Time the device works on one I/O.
    pub service: ServiceTime,
    /// I/Os it processes at once, at least 1; more wait in its queue.
    pub parallel: u32,
    /// Network round trip added to each I/O; does not occupy the device.
    pub round_trip: Nanos,
    /// Most I/Os a second, all workers together.
    pub iops_cap: Option<TokenBucket>,
    /// Most bytes a second, all workers together.
    pub bytes_cap: Option<TokenBucket>,
    /// Most bytes a second over one connection; a worker is one connection.
    pub connection_bytes_per_s: Option<u64>,
    /// A cache in front of it.
    pub cache: Option<SimCache>,
    /// Times at which it stops answering: (from, for how long), counted from the start of the run.
    pub stalls: Vec<(Nanos, Nanos)>,
    /// I/Os that fail: (number of the I/O from 0, error number).
    pub errors: Vec<(u64, i32)>,
}

/// A cap with burst credits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenBucket {
    /// Sustained rate, a second.
    pub rate: f64,
    /// Rate while credits last; equal to `rate` without burst.
    pub burst_rate: f64,
    /// Most credits, all available at the start.
    pub store: f64,
}

/// Distribution of the service time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ServiceTime {
    /// Always the same.
    Fixed(Nanos),
    /// Evenly between the two.
    Uniform(Nanos, Nanos),
    /// Exponential with this mean.
    Exponential(Nanos),
    /// Log-normal with this median and shape sigma.
    LogNormal {
        /// Median.
        median: Nanos,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
}

/// A cache that keeps the blocks read or written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimCache {
    /// Its size in bytes, in units of 4 KiB.
    pub size: u64,
    /// Time of a hit.
    pub hit: Nanos,
}

impl Default for SimDevice {
    /// 1 GiB, 100 us fixed, 32 at once, no caps, no faults.
    fn default() -> Self {
        Self {
            size: 1 << 30,
            service: ServiceTime::Fixed(Nanos::from_micros(100)),
            parallel: 32,
            round_trip: Nanos::ZERO,
            iops_cap: None,
            bytes_cap: None,
            connection_bytes_per_s: None,
            cache: None,
            stalls: Vec::new(),
            errors: Vec::new(),
        }
    }
}
