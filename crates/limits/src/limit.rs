//! A limit that applies to a set-up, and its value in another measure.
//!
//! Belongs here: the data of a limit, and its arithmetic. Must never appear here: which limits apply.

use crate::number::grouped;
use crate::row::{Row, Source};
use crate::setup::Setup;
use crate::value::{Class, Figure, Path, Rate};

/// Whose limit it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The volume, for its quota or what was set for it.
    Volume,
    /// Any volume of its kind.
    VolumeMost,
    /// The pool that the volume is in.
    Pool,
    /// The disks.
    Disk,
    /// The machine, to disks past the host's cache.
    Uncached,
    /// The machine, through the host's cache.
    Cached,
    /// The machine and its disks, on both ways at once.
    BothPaths,
    /// What the machine sends.
    Egress,
    /// NFS requests in flight.
    Slots,
    /// A TCP connection.
    Flow,
    /// I/Os in flight, and what one takes.
    Concurrency,
}

impl Scope {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Volume => "volume",
            Self::VolumeMost => "volume-maximum",
            Self::Pool => "pool",
            Self::Disk => "disk",
            Self::Uncached => "vm-uncached",
            Self::Cached => "vm-cached",
            Self::BothPaths => "vm-both",
            Self::Egress => "vm-egress",
            Self::Slots => "nfs-slots",
            Self::Flow => "flow",
            Self::Concurrency => "latency-concurrency",
        }
    }

    /// Its name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Volume => "volume",
            Self::VolumeMost => "volume maximum",
            Self::Pool => "pool",
            Self::Disk => "disks",
            Self::Uncached => "VM uncached",
            Self::Cached => "VM cached",
            Self::BothPaths => "VM cached + uncached",
            Self::Egress => "VM egress",
            Self::Slots => "NFS slots",
            Self::Flow => "TCP connections",
            Self::Concurrency => "latency x concurrency",
        }
    }

    /// Whether all machines share it.
    #[must_use]
    pub const fn is_shared(self) -> bool {
        matches!(self, Self::Volume | Self::VolumeMost | Self::Pool)
    }

    /// What it is one with where two of them are at a figure: the limit of a volume and that of its kind.
    pub(crate) const fn family(self) -> Self {
        match self {
            Self::VolumeMost => Self::Volume,
            other => other,
        }
    }
}

/// What a limit is a number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Bytes per second.
    Bytes,
    /// I/Os per second.
    Iops,
    /// I/Os in flight.
    InFlight,
}

impl Metric {
    /// A value of it as a note has it: `192 MB/s`, `12,800 IOPS`.
    pub(crate) fn noted(self, value: f64) -> String {
        match self {
            Self::Bytes => format!("{} MB/s", grouped(value / 1e6)),
            Self::Iops => format!("{} IOPS", grouped(value)),
            Self::InFlight => format!("{} in flight", grouped(value)),
        }
    }
}

/// Credits that a burst spends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burst {
    /// The rate without credits, in the measure of the limit.
    pub base: f64,
    /// What full credits hold: I/Os or bytes.
    pub bucket: f64,
}

/// A limit that applies.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Whose it is.
    pub scope: Scope,
    /// What exactly: `anf-premium, 70.31 TiB`.
    pub what: String,
    /// What `value` is a number of.
    pub metric: Metric,
    /// Of all machines together, above 0.
    pub value: f64,
    /// The least that can be set, where `value` is the most.
    pub from: Option<f64>,
    /// Of one machine, where each has its own.
    pub each: Option<f64>,
    /// Which I/O counts: any of these.
    pub counts: Vec<(Path, Class)>,
    /// It is the rate of a burst.
    pub burst: Option<Burst>,
    /// Bytes beyond which an I/O counts as several.
    pub io_bytes: Option<f64>,
    /// The highest published result, not a limit of the provider.
    pub measured: bool,
    /// Another, more likely row contradicts it.
    pub disputed: bool,
    /// Where it is from; `None` where it follows from the options or other limits, as `note` says.
    pub source: Option<Source>,
    /// What to know beside the numbers.
    pub note: String,
}

/// The class that a row counts.
pub(crate) fn class_of(row: &Row) -> Class {
    match row.text("counts") {
        "reads" => Class::Reads,
        "writes" => Class::Writes,
        _ => Class::All,
    }
}

impl Limit {
    /// A limit of a row, of `machines`.
    pub(crate) fn of_row(
        row: &Row,
        scope: Scope,
        metric: Metric,
        each: f64,
        machines: f64,
    ) -> Self {
        Self {
            scope,
            what: row.text("name").to_owned(),
            metric,
            value: each * machines,
            from: None,
            each: (!scope.is_shared()).then_some(each),
            counts: vec![(Path::Any, class_of(row))],
            burst: None,
            io_bytes: row.number("io_kib").map(|kib| kib * 1024.0),
            measured: row.is("measured"),
            disputed: row.is("disputed"),
            source: Some(row.source.clone()),
            note: row.text("note").to_owned(),
        }
    }

    /// A limit that follows from others or from the options.
    pub(crate) fn computed(scope: Scope, metric: Metric, value: f64, note: String) -> Self {
        Self {
            scope,
            what: String::new(),
            metric,
            value,
            from: None,
            each: None,
            counts: vec![(Path::Any, Class::All)],
            burst: None,
            io_bytes: None,
            measured: false,
            disputed: false,
            source: None,
            note,
        }
    }

    /// As how many of its I/Os one of `block` bytes counts: 1, or several beyond a size.
    #[must_use]
    pub fn ios_of(&self, block: f64) -> f64 {
        self.io_bytes
            .map_or(1.0, |most| (block / most).ceil().max(1.0))
    }

    /// The share of all I/O that counts, 0 to 1, at a share of reads; 1 where that is not known.
    #[must_use]
    pub fn share(&self, reads: Option<f64>) -> f64 {
        let of = |class| match (class, reads) {
            (Class::Reads, Some(reads)) => reads,
            (Class::Writes, Some(reads)) => 1.0 - reads,
            _ => 1.0,
        };
        self.counts
            .iter()
            .map(|(_, class)| of(*class))
            .fold(0.0, f64::max)
    }

    /// IOPS of all I/O at which this limit is reached, for the block size, mix and latency of a set-up; `None` where
    /// one of them is needed and missing, or none of the I/O counts.
    #[must_use]
    pub fn in_iops(&self, setup: &Setup) -> Option<f64> {
        let share = self.share(setup.reads);
        if share <= 0.0 {
            return None;
        }
        let ios = match self.metric {
            Metric::Bytes => self.value / setup.block?,
            Metric::Iops => self.value / setup.block.map_or(1.0, |block| self.ios_of(block)),
            Metric::InFlight => self.value / setup.latency?,
        };
        Some(ios / share)
    }

    /// A rate of all I/O in the measure of this limit; `None` where block size or latency are needed and missing.
    #[must_use]
    pub fn of_rate(&self, rate: Rate, setup: &Setup) -> Option<f64> {
        let iops = || match rate {
            Rate::Iops(iops) => Some(iops),
            Rate::Bytes(bytes) => setup.block.map(|block| bytes / block),
        };
        match (self.metric, rate) {
            (Metric::Bytes, Rate::Bytes(bytes)) => Some(bytes),
            (Metric::Bytes, Rate::Iops(iops)) => Some(iops * setup.block?),
            (Metric::Iops, _) => {
                Some(iops()? * setup.block.map_or(1.0, |block| self.ios_of(block)))
            }
            (Metric::InFlight, _) => Some(iops()? * setup.latency?),
        }
    }

    /// How far a demand stays below it: 0.25 = a quarter more would do, below 0 = it is not met; `None` where it
    /// cannot be said, or none of the demand counts.
    #[must_use]
    pub fn headroom(&self, demand: Rate, setup: &Setup) -> Option<f64> {
        let need = self.of_rate(demand, setup)? * self.share(setup.reads);
        (need > 0.0).then(|| self.value / need - 1.0)
    }

    /// Of a measured figure what counts here, 0 to 1; `None` where it takes a share of reads that is not known.
    pub(crate) fn counted(&self, figure: &Figure, reads: Option<f64>) -> Option<f64> {
        let mut most = Some(0.0_f64);
        for (path, class) in &self.counts {
            if *path != Path::Any && *path != figure.path {
                continue;
            }
            let share = match (class, figure.class) {
                (Class::All, _) => Some(1.0),
                (class, own) if *class == own => Some(1.0),
                (Class::Reads, Class::All) => reads,
                (Class::Writes, Class::All) => reads.map(|reads| 1.0 - reads),
                _ => Some(0.0),
            };
            most = match (most, share) {
                (Some(most), Some(share)) => Some(most.max(share)),
                _ => None,
            };
        }
        most
    }

    /// Seconds until a demand has spent full credits, in the measure of the limit; `None` where it spends none.
    #[must_use]
    pub fn empty_after(&self, demand: f64) -> Option<f64> {
        let burst = self.burst?;
        let over = demand.min(self.value) - burst.base;
        (over > 0.0).then(|| burst.bucket / over)
    }
}
