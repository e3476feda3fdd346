//! The keys of a simulated volume's law: one row each.

use super::values::{
    G, P, bytes, cache, error, every, factor, iops, link, name, neighbour, number, per_byte, short,
    stall, wear, within, yes_or_no,
};
use super::{mix, rate, service, size, time};
use leadline_model::plan::SimDevice;
use leadline_model::plan::simulated::TokenBucket;
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
    /// What it may be, in words; empty = all of that form.
    pub range: &'static str,
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

    fn bursts_slowly(self) -> bool {
        let both = self.rate.zip(self.burst);
        both.is_some_and(|(rate, burst)| burst < rate)
    }

    fn bursts_alone(self) -> bool {
        self.rate.is_none() && (self.burst.is_some() || self.store.is_some())
    }
}

impl Key {
    /// What is expected of its value, in words.
    pub(super) fn expected(&self) -> String {
        match self.range {
            "" => self.form.to_owned(),
            range => format!("{}: {range}", self.form),
        }
    }

    /// It may be given several times, and each counts.
    pub(super) fn repeats(&self) -> bool {
        matches!(self.name, "stall" | "error")
    }

    /// Why it cannot change during a run; `None` = it can.
    pub(super) fn stays(&self) -> Option<&'static str> {
        Some(match self.name {
            "name" | "local" => "it says which volume this is",
            "fresh" => "it says with what each stage begins",
            "size" => "the places of I/O are chosen by it beforehand",
            "connections" => "workers are spread over them when they begin",
            _ => return None,
        })
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

    /// Whether a burst is slower than what it is a burst of.
    pub(super) fn bursts_slowly(&self) -> bool {
        self.iops.bursts_slowly() || self.bytes.bursts_slowly()
    }
}

const SIZE: &str = "a size such as `1g`";
const TIME: &str = "a time such as `100us`";
const RATE: &str = "a rate above 0";
const WORKED: &str = "100ns to 60m; sigma above 0 to 3";
const IOPS: &str = "0.1 to 1g";
const BYTES: &str = "1k to 1024t";
const STORE: &str = "up to 1024p";
const FACTOR: &str = "0.001 to 1000";
const SERVICE: &str = "`100us`, `50us-150us`, `exp:100us` or `lognormal:100us:0.5`";

pub(super) const KEYS: [Key; 34] = [
    Key {
        name: "name",
        about: "distinguishes volumes of the same law",
        form: "a name of letters, digits, `-`, `_` and `.`",
        range: "",
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
        range: "",
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
        range: "",
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
        range: "512 bytes to 1024p",
        example: "2g",
        set: |d, v| {
            d.volume.size = size(v).filter(|n| (512..=1 << 60).contains(n))?;
            d.has_size = true;
            Some(())
        },
    },
    Key {
        name: "service",
        about: "service time of an I/O: fixed, uniform, exponential (mean), or log-normal (median, sigma)",
        form: SERVICE,
        range: WORKED,
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
        range: "each time 100ns to 60m",
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
        range: WORKED,
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
        range: "0 to 1000000ns",
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
        range: "",
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
        range: "up to 60m",
        example: "1ms",
        set: |d, v| {
            d.volume.round_trip = short(v)?;
            Some(())
        },
    },
    Key {
        name: "slots",
        about: "I/Os that one host may have outstanding, over the round trip",
        form: "a number from 1 to 1048576",
        range: "",
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
        range: "",
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
        range: BYTES,
        example: "50m",
        set: |d, v| {
            d.volume.connection_bytes_per_s = Some(link(v)?);
            Some(())
        },
    },
    Key {
        name: "host_bytes",
        about: "most bytes a second of one host",
        form: SIZE,
        range: BYTES,
        example: "1g",
        set: |d, v| {
            d.volume.host_bytes_per_s = Some(link(v)?);
            Some(())
        },
    },
    Key {
        name: "iops",
        about: "most I/Os a second",
        form: RATE,
        range: IOPS,
        example: "2000",
        set: |d, v| {
            d.iops.rate = Some(iops(v)?);
            Some(())
        },
    },
    Key {
        name: "burst_iops",
        about: "I/Os a second while credits last",
        form: RATE,
        range: IOPS,
        example: "4000",
        set: |d, v| {
            d.iops.burst = Some(iops(v)?);
            Some(())
        },
    },
    Key {
        name: "burst_store",
        about: "credits at the start, in I/Os",
        form: RATE,
        range: STORE,
        example: "10000",
        set: |d, v| {
            d.iops.store = Some(within(rate(v), 0.0..=P)?);
            Some(())
        },
    },
    Key {
        name: "bytes",
        about: "most bytes a second",
        form: RATE,
        range: BYTES,
        example: "100m",
        set: |d, v| {
            d.bytes.rate = Some(bytes(v)?);
            Some(())
        },
    },
    Key {
        name: "burst_bytes",
        about: "bytes a second while credits last",
        form: RATE,
        range: BYTES,
        example: "200m",
        set: |d, v| {
            d.bytes.burst = Some(bytes(v)?);
            Some(())
        },
    },
    Key {
        name: "burst_bytes_store",
        about: "credits at the start, in bytes",
        form: RATE,
        range: STORE,
        example: "1g",
        set: |d, v| {
            d.bytes.store = Some(within(rate(v), 0.0..=P)?);
            Some(())
        },
    },
    Key {
        name: "read_iops",
        about: "most reads a second; `iops` limits reads and writes together",
        form: RATE,
        range: IOPS,
        example: "2000",
        set: |d, v| {
            d.volume.reads.iops = Some(iops(v)?);
            Some(())
        },
    },
    Key {
        name: "write_iops",
        about: "most writes a second; `iops` limits reads and writes together",
        form: RATE,
        range: IOPS,
        example: "1000",
        set: |d, v| {
            d.volume.writes.iops = Some(iops(v)?);
            Some(())
        },
    },
    Key {
        name: "read_bytes",
        about: "most bytes read a second; `bytes` limits reads and writes together",
        form: RATE,
        range: BYTES,
        example: "100m",
        set: |d, v| {
            d.volume.reads.bytes = Some(bytes(v)?);
            Some(())
        },
    },
    Key {
        name: "write_bytes",
        about: "most bytes written a second; `bytes` limits reads and writes together",
        form: RATE,
        range: BYTES,
        example: "50m",
        set: |d, v| {
            d.volume.writes.bytes = Some(bytes(v)?);
            Some(())
        },
    },
    Key {
        name: "write_cost",
        about: "cost of a write against the limits `iops` and `bytes`, where a read costs 1",
        form: "a number above 0",
        range: FACTOR,
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
        range: "512 bytes to 1g",
        example: "256k",
        set: |d, v| {
            d.volume.split = Some(size(v).filter(|n| (512..=G).contains(n))?);
            Some(())
        },
    },
    Key {
        name: "slice",
        about: "the limits give out what passes in this time at its start, as those of Linux's cgroups do",
        form: "a time, such as `100ms`",
        range: "1ms to 10s",
        example: "100ms",
        set: |d, v| {
            let range = Nanos::from_millis(1)..=Nanos::from_secs(10);
            d.volume.slice = Some(time(v).filter(|slice| range.contains(slice))?);
            Some(())
        },
    },
    Key {
        name: "cache",
        about: "a cache: size, latency of a hit, and write-back or write-through",
        form: "a size, a time and what becomes of writes, such as `64m:10us:writes=back`",
        range: "4k to 1024t; a hit 100ns to 60m",
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
        range: "up to 60m",
        example: "1ms",
        set: |d, v| {
            d.volume.sync = Some(short(v)?);
            Some(())
        },
    },
    Key {
        name: "wear",
        about: "sustained writes become slower: bytes written until then, and the factor of their service time after that",
        form: "bytes and a factor, such as `100g:4`",
        range: "from 1 byte on; the factor 0.001 to 1000",
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
        range: "0.001 to 1m a second; 512 bytes to 1g",
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
        range: "for up to 1440m",
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
        range: "a period of 1ms to 1440m",
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
        range: "",
        example: "EIO@100",
        set: |d, v| {
            d.volume.errors.push(error(v)?);
            Some(())
        },
    },
];
