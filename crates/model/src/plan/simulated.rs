//! A simulated volume: what is known exactly, to test pacing, honesty and limits against.

use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// What a workload does I/O to where that is simulated: a volume, or files on one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimTarget {
    /// The volume. Targets with equal volumes share one: its caps, credits, cache and clock.
    pub volume: SimDevice,
    /// The files on it, with `$jobname` and `$jobnum` (worker within the workload) in their names; none = the volume
    /// itself. Workers that name one file read and write the same bytes.
    pub files: Vec<String>,
    /// Each host has files of its own of these names.
    pub own_files: bool,
    /// Size in bytes of each file, or of the used start of the volume; `None` = that of the volume.
    pub size: Option<u64>,
    /// The volume's law as it was written, for people; empty = not known.
    pub law: String,
}

impl SimTarget {
    /// Whether the law as it was written gives the volume a size; without one it has as much room as is used.
    #[must_use]
    pub fn has_given_size(&self) -> bool {
        let mut keys = self.law.split([',', '\n']);
        keys.any(|key| key.trim_start().starts_with("size="))
    }

    /// Size of each of its files in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.size.unwrap_or(self.volume.size)
    }
}

impl From<SimDevice> for SimTarget {
    /// The volume itself.
    fn from(volume: SimDevice) -> Self {
        Self {
            volume,
            ..Self::default()
        }
    }
}

/// A simulated volume. All of its randomness comes from the run's seed. Times count from the start of the run, on
/// the run's virtual clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimDevice {
    /// Volumes of one law and different names are different volumes.
    pub name: String,
    /// Each host has one of its own; otherwise all hosts share it.
    pub local: bool,
    /// Each stage begins with a new one; otherwise it lives for the whole run.
    pub fresh: bool,
    /// Size in bytes.
    pub size: u64,
    /// Time the device works on one I/O; none takes longer than a day.
    pub service: ServiceTime,
    /// The same of a write; `None` = as of a read.
    pub write_service: Option<ServiceTime>,
    /// Nanoseconds of service time that each byte of a read or write adds; 0 or more.
    pub per_byte: f64,
    /// I/Os it processes at once, at least 1; more wait in its queue.
    pub parallel: u32,
    /// Network round trip added to each I/O; does not occupy the device.
    pub round_trip: Nanos,
    /// Round trips that hosts have beside that one: (number of the host, how much more).
    pub distances: Vec<(u32, Nanos)>,
    /// I/Os that one host may have outstanding, over the round trip, at least 1; more wait in the host.
    pub slots: Option<u32>,
    /// Connections of each host, over which its workers are spread, at least 1; `None` = one each worker.
    pub connections: Option<u32>,
    /// Most bytes a second over one connection.
    pub connection_bytes_per_s: Option<u64>,
    /// Most bytes a second of one host.
    pub host_bytes_per_s: Option<u64>,
    /// Most I/Os a second, all hosts together.
    pub iops_cap: Option<TokenBucket>,
    /// Most bytes a second, all hosts together.
    pub bytes_cap: Option<TokenBucket>,
    /// Caps of reads alone, beside the shared ones.
    pub reads: ClassCaps,
    /// Caps of writes alone, beside the shared ones.
    pub writes: ClassCaps,
    /// Cost of a write under the shared caps, where a read costs 1; above 0.
    pub write_cost: f64,
    /// An I/O counts as one for each piece of this many bytes begun, by the caps of I/Os; `None` = always as one.
    pub split: Option<u64>,
    /// Caps give out what passes in a slice of this length at its start, as those of Linux's cgroups do, and what is left is lost
    /// with its end; `None` = as time passes.
    pub slice: Option<Nanos>,
    /// A cache in front of it.
    pub cache: Option<SimCache>,
    /// Time of a flush beyond what it waits for; `None` = a flush is an I/O without bytes.
    pub sync: Option<Nanos>,
    /// After N bytes were written, the service time of writes is multiplied by this factor, above 0.
    pub wear: Option<(u64, f64)>,
    /// What others do on it meanwhile.
    pub neighbour: Option<Neighbour>,
    /// Times at which it stops answering: (from, for how long).
    pub stalls: Vec<(Nanos, Nanos)>,
    /// It stops answering periodically: at each whole multiple of the first, for the second, which is shorter.
    pub every: Option<(Nanos, Nanos)>,
    /// I/Os that fail: (number of the I/O from 0, error number).
    pub errors: Vec<(u64, i32)>,
    /// What it is from these times on, in their order.
    pub changes: Vec<(Nanos, SimDevice)>,
}

/// Caps of reads or of writes alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassCaps {
    /// Most I/Os a second.
    pub iops: Option<f64>,
    /// Most bytes a second.
    pub bytes: Option<f64>,
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

impl TokenBucket {
    /// A cap without credits.
    #[must_use]
    pub const fn steady(rate: f64) -> Self {
        Self {
            rate,
            burst_rate: rate,
            store: 0.0,
        }
    }
}

/// I/Os of others: reads that arrive at random moments (Poisson). They ask for no more while 4,096 of them wait.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Neighbour {
    /// I/Os a second, above 0.
    pub iops: f64,
    /// Bytes of each.
    pub size: u32,
}

/// Distribution of the service time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// One of several, each with its share of the I/Os; the shares sum to 1.
    Mix(Vec<(f64, Nanos)>),
}

/// A cache that keeps the blocks read or written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimCache {
    /// Its size in bytes, in units of 4 KiB.
    pub size: u64,
    /// Time of a hit.
    pub hit: Nanos,
    /// A write ends when it is in the cache, and goes to the device later; otherwise it ends when the device has it.
    pub write_back: bool,
}

impl SimDevice {
    /// The network round trip of a host.
    #[must_use]
    pub fn round_trip_of(&self, host: u32) -> Nanos {
        let own = self.distances.iter().find(|(number, _)| *number == host);
        let more = own.map_or(0, |(_, more)| more.0);
        Nanos(self.round_trip.0.saturating_add(more))
    }
}

impl Default for SimDevice {
    /// 1 GiB, 100 us fixed, 32 at once, no caps, no faults.
    fn default() -> Self {
        Self {
            name: String::new(),
            local: false,
            fresh: false,
            size: 1 << 30,
            service: ServiceTime::Fixed(Nanos::from_micros(100)),
            write_service: None,
            per_byte: 0.0,
            parallel: 32,
            round_trip: Nanos::ZERO,
            distances: Vec::new(),
            slots: None,
            connections: None,
            connection_bytes_per_s: None,
            host_bytes_per_s: None,
            iops_cap: None,
            bytes_cap: None,
            reads: ClassCaps::default(),
            writes: ClassCaps::default(),
            write_cost: 1.0,
            split: None,
            slice: None,
            cache: None,
            sync: None,
            wear: None,
            neighbour: None,
            stalls: Vec::new(),
            every: None,
            errors: Vec::new(),
            changes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the reference of simulated volumes has it: 1 GiB, 100 us for each I/O, 32 at once, no caps.
    #[test]
    fn a_volume_of_which_nothing_is_said_is_that_of_the_reference() {
        let volume = SimDevice::default();
        assert_eq!((volume.size, volume.parallel), (1_073_741_824, 32));
        assert_eq!(volume.service, ServiceTime::Fixed(Nanos(100_000)));
        assert_eq!((volume.iops_cap, volume.bytes_cap), (None, None));
        // A write costs as much as a read, however long.
        assert!((volume.write_cost - 1.0).abs() < 1e-12 && volume.per_byte.abs() < 1e-12);
        assert_eq!(SimTarget::from(volume).bytes(), 1_073_741_824);
    }
}
