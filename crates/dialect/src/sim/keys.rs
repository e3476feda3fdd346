//! The keys of a simulated volume's law: one row each.

use super::{mix, rate, service, size, time};
use crate::errno;
use leadline_model::plan::SimDevice;
use leadline_model::plan::simulated::{Neighbour, SimCache, TokenBucket};
use leadline_model::units::Nanos;

/// A key of the law.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it says, for the documentation.
    pub about: &'static str,
    /// What its value looks like.
    pub form: &'static str,
    /// A value.
    pub example: &'static str,
    pub(super) set: fn(&mut Draft, &str) -> Option<()>,
}

/// All keys but `at`, which changes others.
pub fn keys() -> impl Iterator<Item = &'static Key> {
    KEYS.iter()
}

/// A law that is being read.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    volume: SimDevice,
    pub(super) has_size: bool,
    iops: Cap,
    bytes: Cap,
}

/// A cap that is being read.
#[derive(Clone, Copy, Debug, Default)]
struct Cap {
    rate: Option<f64>,
    burst: Option<f64>,
    store: Option<f64>,
}

impl Cap {
    /// Credits last for ten seconds of the sustained rate, unless the law says otherwise.
    fn bucket(self) -> Option<TokenBucket> {
        let rate = self.rate?;
        let credits = if self.burst.is_some() {
            rate * 10.0
        } else {
            0.0
        };
        Some(TokenBucket {
            rate,
            burst_rate: self.burst.unwrap_or(rate).max(rate),
            store: self.store.unwrap_or(credits),
        })
    }

    fn bursts_alone(self) -> bool {
        self.rate.is_none() && (self.burst.is_some() || self.store.is_some())
    }
}

impl Draft {
    pub(super) fn device(&self) -> SimDevice {
        SimDevice {
            iops_cap: self.iops.bucket(),
            bytes_cap: self.bytes.bucket(),
            ..self.volume.clone()
        }
    }

    pub(super) fn bursts_without_a_cap(&self) -> bool {
        self.iops.bursts_alone() || self.bytes.bursts_alone()
    }
}

const SIZE: &str = "a size such as `1g`";
const TIME: &str = "a time such as `100us`";
const RATE: &str = "a rate above 0";
const SERVICE: &str = "`100us`, `50us-150us`, `exp:100us` or `lognormal:100us:0.5`";

pub(super) const KEYS: [Key; 33] = [
    Key {
        name: "name",
        about: "tells volumes of one law apart",
        form: "a name of letters, digits, `-`, `_` and `.`",
        example: "b",
        set: |d, v| {
            d.volume.name = name(v)?;
            Some(())
        },
    },
    Key {
        name: "local",
        about: "each host has a volume of its own; otherwise all hosts share it",
        form: "`yes` or `no`",
        example: "yes",
        set: |d, v| {
            d.volume.local = yes_or_no(v)?;
            Some(())
        },
    },
    Key {
        name: "fresh",
        about: "each stage begins with a new volume; otherwise it lives for the whole run",
        form: "`yes` or `no`",
        example: "yes",
        set: |d, v| {
            d.volume.fresh = yes_or_no(v)?;
            Some(())
        },
    },
    Key {
        name: "size",
        about: "its size",
        form: SIZE,
        example: "2g",
        set: |d, v| {
            d.volume.size = above_zero(v)?;
            d.has_size = true;
            Some(())
        },
    },
    Key {
        name: "service",
        about: "service time of an I/O: fixed, even, exponential (mean), or log-normal (median, sigma)",
        form: SERVICE,
        example: "exp:1ms",
        set: |d, v| {
            d.volume.service = service(v)?;
            Some(())
        },
    },
    Key {
        name: "mix",
        about: "service times of an I/O, each with its share",
        form: "shares that sum to 100 % and their times, such as `90%:200us/10%:4ms`",
        example: "90%:200us/10%:4ms",
        set: |d, v| {
            d.volume.service = mix(v)?;
            Some(())
        },
    },
    Key {
        name: "write_service",
        about: "service time of a write, where it differs",
        form: SERVICE,
        example: "2ms",
        set: |d, v| {
            d.volume.write_service = Some(service(v)?);
            Some(())
        },
    },
    Key {
        name: "per_byte",
        about: "service time that each byte adds",
        form: "a time in nanoseconds such as `0.5ns`",
        example: "0.5ns",
        set: |d, v| {
            d.volume.per_byte = per_byte(v)?;
            Some(())
        },
    },
    Key {
        name: "parallel",
        about: "I/Os it processes at once",
        form: "a number from 1 to 1048576",
        example: "8",
        set: |d, v| {
            d.volume.parallel = number(v)?;
            Some(())
        },
    },
    Key {
        name: "rtt",
        about: "network round trip, which does not occupy the device",
        form: TIME,
        example: "1ms",
        set: |d, v| {
            d.volume.round_trip = time(v)?;
            Some(())
        },
    },
    Key {
        name: "slots",
        about: "I/Os that one host may have outstanding, over the round trip",
        form: "a number from 1 to 1048576",
        example: "64",
        set: |d, v| {
            d.volume.slots = Some(number(v)?);
            Some(())
        },
    },
    Key {
        name: "connections",
        about: "connections of a host, over which its workers are spread; otherwise each worker has one",
        form: "a number from 1 to 1048576",
        example: "4",
        set: |d, v| {
            d.volume.connections = Some(number(v)?);
            Some(())
        },
    },
    Key {
        name: "connection",
        about: "most bytes a second over one connection",
        form: SIZE,
        example: "50m",
        set: |d, v| {
            d.volume.connection_bytes_per_s = Some(above_zero(v)?);
            Some(())
        },
    },
    Key {
        name: "host_bytes",
        about: "most bytes a second of one host",
        form: SIZE,
        example: "1g",
        set: |d, v| {
            d.volume.host_bytes_per_s = Some(above_zero(v)?);
            Some(())
        },
    },
    Key {
        name: "iops",
        about: "most I/Os a second",
        form: RATE,
        example: "2000",
        set: |d, v| {
            d.iops.rate = some(rate(v))?;
            Some(())
        },
    },
    Key {
        name: "burst_iops",
        about: "I/Os a second while credits last",
        form: RATE,
        example: "4000",
        set: |d, v| {
            d.iops.burst = some(rate(v))?;
            Some(())
        },
    },
    Key {
        name: "burst_store",
        about: "credits at the start, in I/Os",
        form: RATE,
        example: "10000",
        set: |d, v| {
            d.iops.store = some(rate(v))?;
            Some(())
        },
    },
    Key {
        name: "bytes",
        about: "most bytes a second",
        form: RATE,
        example: "100m",
        set: |d, v| {
            d.bytes.rate = some(rate(v))?;
            Some(())
        },
    },
    Key {
        name: "burst_bytes",
        about: "bytes a second while credits last",
        form: RATE,
        example: "200m",
        set: |d, v| {
            d.bytes.burst = some(rate(v))?;
            Some(())
        },
    },
    Key {
        name: "burst_bytes_store",
        about: "credits at the start, in bytes",
        form: RATE,
        example: "1g",
        set: |d, v| {
            d.bytes.store = some(rate(v))?;
            Some(())
        },
    },
    Key {
        name: "read_iops",
        about: "most reads a second; `iops` limits reads and writes together",
        form: RATE,
        example: "2000",
        set: |d, v| {
            d.volume.reads.iops = some(rate(v))?;
            Some(())
        },
    },
    Key {
        name: "write_iops",
        about: "most writes a second; `iops` limits reads and writes together",
        form: RATE,
        example: "1000",
        set: |d, v| {
            d.volume.writes.iops = some(rate(v))?;
            Some(())
        },
    },
    Key {
        name: "read_bytes",
        about: "most bytes read a second; `bytes` limits reads and writes together",
        form: RATE,
        example: "100m",
        set: |d, v| {
            d.volume.reads.bytes = some(rate(v))?;
            Some(())
        },
    },
    Key {
        name: "write_bytes",
        about: "most bytes written a second; `bytes` limits reads and writes together",
        form: RATE,
        example: "50m",
        set: |d, v| {
            d.volume.writes.bytes = some(rate(v))?;
            Some(())
        },
    },
    Key {
        name: "write_cost",
        about: "cost of a write against the limits `iops` and `bytes`, where a read costs 1",
        form: "a number above 0",
        example: "2.5",
        set: |d, v| {
            d.volume.write_cost = factor(v)?;
            Some(())
        },
    },
    Key {
        name: "split",
        about: "a larger I/O counts against the IOPS limits once for each piece of this size, as on cloud volumes",
        form: SIZE,
        example: "256k",
        set: |d, v| {
            d.volume.split = Some(above_zero(v)?);
            Some(())
        },
    },
    Key {
        name: "cache",
        about: "a cache: size, latency of a hit, and write-back or write-through",
        form: "a size, a time and what becomes of writes, such as `64m:10us:writes=back`",
        example: "64m:10us:writes=back",
        set: |d, v| {
            d.volume.cache = Some(cache(v)?);
            Some(())
        },
    },
    Key {
        name: "fsync",
        about: "latency of a flush, added to the wait for cached writes",
        form: TIME,
        example: "1ms",
        set: |d, v| {
            d.volume.sync = Some(time(v)?);
            Some(())
        },
    },
    Key {
        name: "wear",
        about: "sustained writes become slower: bytes written until then, and the factor of their service time after that",
        form: "bytes and a factor, such as `100g:4`",
        example: "100g:4",
        set: |d, v| {
            d.volume.wear = Some(wear(v)?);
            Some(())
        },
    },
    Key {
        name: "neighbour",
        about: "reads of others, a second, and their size",
        form: "a rate and a size, such as `2000:4k`",
        example: "2000:8k",
        set: |d, v| {
            d.volume.neighbour = Some(neighbour(v)?);
            Some(())
        },
    },
    Key {
        name: "stall",
        about: "it does not answer once: for how long, and when",
        form: "how long and when, such as `2s@5s`",
        example: "2s@5s",
        set: |d, v| {
            d.volume.stalls.push(stall(v)?);
            Some(())
        },
    },
    Key {
        name: "every",
        about: "it does not answer periodically: how often, and for how long",
        form: "a period and a shorter time, such as `5s:300ms`",
        example: "5s:300ms",
        set: |d, v| {
            d.volume.every = Some(every(v)?);
            Some(())
        },
    },
    Key {
        name: "error",
        about: "an I/O fails: the error, and the I/O's number from 0",
        form: "an error and the number of the I/O, such as `EIO@100`",
        example: "EIO@100",
        set: |d, v| {
            d.volume.errors.push(error(v)?);
            Some(())
        },
    },
];

fn some(value: Option<f64>) -> Option<Option<f64>> {
    value.map(Some)
}

fn above_zero(value: &str) -> Option<u64> {
    size(value).filter(|n| *n > 0)
}

fn number(value: &str) -> Option<u32> {
    value.parse().ok().filter(|n| (1..=1 << 20).contains(n))
}

fn factor(value: &str) -> Option<f64> {
    let factor: f64 = value.parse().ok()?;
    (factor.is_finite() && factor > 0.0).then_some(factor)
}

fn yes_or_no(value: &str) -> Option<bool> {
    match value {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

fn name(value: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!value.is_empty() && value.chars().all(plain)).then(|| value.to_owned())
}

/// Nanoseconds with a fraction.
fn per_byte(value: &str) -> Option<f64> {
    let value: f64 = value.strip_suffix("ns")?.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value)
}

/// `64m:10us:writes=back`: its size, the time of a hit, and what becomes of writes.
fn cache(value: &str) -> Option<SimCache> {
    let mut parts = value.split(':');
    let bytes = above_zero(parts.next()?)?;
    let hit = parts.next().map_or(Some(Nanos::from_micros(5)), time)?;
    let write_back = match parts.next() {
        None | Some("writes=through") => false,
        Some("writes=back") => true,
        Some(_) => return None,
    };
    parts.next().is_none().then_some(SimCache {
        size: bytes,
        hit,
        write_back,
    })
}

fn wear(value: &str) -> Option<(u64, f64)> {
    let (after, slower) = value.split_once(':')?;
    Some((above_zero(after)?, factor(slower)?))
}

fn neighbour(value: &str) -> Option<Neighbour> {
    let (iops, bytes) = value.split_once(':').unwrap_or((value, "4k"));
    Some(Neighbour {
        iops: rate(iops)?,
        size: u32::try_from(above_zero(bytes)?).ok()?,
    })
}

fn stall(value: &str) -> Option<(Nanos, Nanos)> {
    let (length, at) = value.split_once('@')?;
    Some((time(at)?, time(length)?))
}

fn every(value: &str) -> Option<(Nanos, Nanos)> {
    let (period, length) = value.split_once(':')?;
    let (period, length) = (time(period)?, time(length)?);
    (period > length && length > Nanos::ZERO).then_some((period, length))
}

fn error(value: &str) -> Option<(u64, i32)> {
    let (name, at) = value.split_once('@')?;
    Some((at.parse().ok()?, errno::parse(name)?))
}
