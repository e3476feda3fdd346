//! What a study is: a question, what is varied, where, for how long; and which of its points a stage is.
//!
//! Belongs here: data that the run file keeps, so that a run can be read and taken up by what it was meant to answer.
//! Must never: choose a point, or compute an answer.

use super::pace::{Arrival, Rate};
use super::powers::EngineKind;
use super::server_cache::ServerCache;
use crate::units::Nanos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// What is to be found out.
    pub question: Question,
    /// Where.
    pub scope: StudyScope,
    /// What is varied: every combination is a point.
    pub axes: Axes,
    /// For how long.
    pub timing: Timing,
    /// How often everything is measured, at least 1.
    pub repeats: u32,
    /// States of the system that the whole is measured in; empty = as it is.
    pub arms: Vec<Arm>,
    /// All seeds derive from it.
    pub seed: u64,
    /// It was given: offsets are those of other runs with it.
    pub seeded: bool,
}

/// What a study is to find out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// How long one I/O takes.
    Latency,
    /// How many I/Os a second.
    Iops,
    /// How many bytes a second.
    Throughput,
    /// What reads and writes take from each other.
    Mix,
    /// What more I/Os in flight bring, and cost.
    Depth,
    /// Which limit holds at which block size.
    Size,
    /// Latency at rates up to the maximum.
    Curve {
        /// The rates, in percent of the highest, above 0.
        percents: Vec<u32>,
        /// How the I/Os arrive.
        arrival: Arrival,
    },
    /// The highest rate at which a latency target is met.
    Limit {
        /// The target.
        target: LatencyTarget,
        /// Share of I/Os that may fail or not be issued, 0 to 1.
        loss: f64,
        /// How the I/Os arrive.
        arrival: Arrival,
    },
    /// Two rates of a volume with credits, and how many there are.
    Burst {
        /// The pause in which credits come back.
        rest: Nanos,
    },
    /// What caches add.
    Cache {
        /// Bytes read elsewhere to empty the server's cache; `None` = it is said to hold nothing, or what is read.
        displace: Option<u64>,
    },
    /// Effect of the number of hosts.
    ScaleOut {
        /// Numbers of hosts, rising.
        counts: Vec<u32>,
    },
    /// What distance costs.
    NearFar {
        /// Groups of hosts, by name.
        groups: Vec<HostGroup>,
    },
    /// What one class of I/O at a rate takes from another without.
    Combined {
        /// The class without a rate.
        free: Class,
        /// The class with one.
        rated: Class,
    },
    /// Latency over read rate and write rate.
    Map {
        /// Rates on each axis, at least 2.
        grid: u32,
        /// Points more where latency doubles between neighbours.
        refine: u32,
    },
    /// Whether, and when, rounds stop changing.
    Steady {
        /// What is compared.
        metric: Metric,
        /// How many times the data set is written first.
        precondition: f64,
    },
    /// Which factors matter.
    Screen {
        /// The factors with their two values.
        factors: Vec<Factor>,
    },
}

impl Question {
    /// Its name on a command line.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Iops => "iops",
            Self::Throughput => "throughput",
            Self::Mix => "mix",
            Self::Depth => "depth",
            Self::Size => "size",
            Self::Curve { .. } => "curve",
            Self::Limit { .. } => "limit",
            Self::Burst { .. } => "burst",
            Self::Cache { .. } => "cache",
            Self::ScaleOut { .. } => "scale-out",
            Self::NearFar { .. } => "near-far",
            Self::Combined { .. } => "combined",
            Self::Map { .. } => "map",
            Self::Steady { .. } => "steady",
            Self::Screen { .. } => "screen",
        }
    }
}

/// A latency that is not to be exceeded by more than a share of the I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyTarget {
    /// Of which percentile, above 0 and below 100; `None` = of the mean.
    pub percentile: Option<f64>,
    /// The latency from the intended start.
    pub within: Nanos,
}

/// Hosts with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostGroup {
    /// The name.
    pub name: String,
    /// Labels of hosts.
    pub hosts: Vec<String>,
    /// Their numbers in the plan, rising; empty until the hosts are known.
    pub numbers: Vec<u32>,
    /// Round trip to a simulated volume that they have beside that of its law.
    pub distance: Nanos,
}

/// A class of I/O among others at the same time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// Share of reads, in percent.
    pub reads: u8,
    /// Whether offsets jump.
    pub random: bool,
    /// Of all its workers together; `None` = as fast as possible.
    pub rate: Option<Rate>,
    /// What it works on; `None` = the place of the scope.
    pub place: Option<StudyPlace>,
}

impl Class {
    /// Its rate in I/Os of `block` bytes a second; `None` = as fast as possible.
    #[must_use]
    pub fn iops(&self, block: u64) -> Option<f64> {
        self.rate.map(|rate| match rate {
            Rate::Iops(iops) => iops,
            Rate::Bytes(bytes) => bytes as f64 / block.max(1) as f64,
        })
    }
}

/// Figure by which rounds are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// I/Os a second.
    #[default]
    Iops,
    /// Bytes a second.
    Throughput,
    /// Mean latency.
    Latency,
}

/// What is varied in a screening.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    /// Which setting.
    pub axis: Axis,
    /// Its low and its high value.
    pub values: [Coordinate; 2],
}

/// A state of the system: made and undone by commands, or a target of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// What is worked on in this state; `None` = the place of the scope.
    pub place: Option<StudyPlace>,
    /// Text for a shell that makes it; empty = nothing to do.
    pub prepare: String,
    /// Text for a shell that undoes it, also after half of it; empty = nothing to do.
    pub undo: String,
}

/// Where a study works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyScope {
    /// What it works on.
    pub place: StudyPlace,
    /// Bytes of the whole set, which hosts, workers and files share; above 0.
    pub dataset: u64,
    /// Files of each host, at least 1.
    pub files: u32,
    /// Past the client's page cache.
    pub direct: bool,
    /// Back end.
    pub engine: EngineKind,
    /// Hosts that take part, at least 1.
    pub hosts: u32,
    /// What is known of caches beyond the mount or the device.
    pub server_cache: ServerCache,
    /// Simulated volumes in place of targets, as `PATH=sim:LAW`, in the order of the command line; the targets are
    /// replaced where a stage begins.
    pub maps: Vec<String>,
}

/// What a study works on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StudyPlace {
    /// Files of its own in this directory.
    Directory(String),
    /// These files or block devices; whether they may be written is the caller's check.
    Paths(Vec<String>),
}

/// What is varied. No list is empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axes {
    /// Block sizes in bytes.
    pub blocks: Vec<u64>,
    /// Shares of reads, in percent.
    pub reads: Vec<u8>,
    /// Whether offsets jump.
    pub random: Vec<bool>,
    /// I/Os in flight of each worker.
    pub depths: Vec<u32>,
    /// Workers of each host.
    pub jobs: Vec<u32>,
}

/// For how long a study measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Measured time of a point.
    pub time: Nanos,
    /// Warm-up before each.
    pub warmup: Nanos,
    /// The whole should end within this: points are shortened to one second at the least, searches end.
    pub budget: Option<Nanos>,
    /// A point ends when its figures are known this well, in parts per million ([`super::Narrow::half_ppm`]): earlier
    /// than its time, or later; `None` = after its time.
    pub narrow: Option<u32>,
}

/// Which point of a study a stage is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyPoint {
    /// What it is for.
    pub role: Role,
    /// What was varied, and its value here.
    pub at: Coordinates,
}

/// What a stage of a study is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Writes the data that later stages read.
    Fill,
    /// Brings the target into a state: written over, its cache filled or emptied.
    Condition,
    /// As fast as it goes; others refer to its rate.
    Maximum,
    /// A point of the result.
    Point,
    /// A step of a search.
    Trial,
    /// A trial at full length that confirms a bound.
    Confirmation,
}

impl Role {
    /// Whether a point of it brings the target into a state and is no result.
    #[must_use]
    pub const fn prepares(self) -> bool {
        matches!(self, Self::Fill | Self::Condition)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::Condition => "condition",
            Self::Maximum => "max",
            Self::Point => "point",
            Self::Trial => "trial",
            Self::Confirmation => "confirm",
        }
    }
}

/// Values by what was varied.
pub type Coordinates = BTreeMap<Axis, Coordinate>;

/// What can be varied between the points of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// State of the system, by name.
    Arm,
    /// Which repeat, from 1.
    Repeat,
    /// Group of hosts, by name.
    Group,
    /// Number of hosts.
    Hosts,
    /// Class of I/O, or what a cache held, by name.
    Kind,
    /// `random` or `sequential`.
    Order,
    /// Share of reads, in percent.
    Reads,
    /// Block size, in bytes.
    Block,
    /// I/Os in flight of each worker.
    Depth,
    /// Workers of each host.
    Jobs,
    /// Percent of the highest rate.
    Percent,
    /// I/Os a second that are asked for.
    Rate,
    /// Reads a second that are asked for.
    ReadRate,
    /// Writes a second that are asked for.
    WriteRate,
    /// Round of a gate, or number of a step, from 1.
    Round,
    /// Which try of the same point, from 1.
    Try,
    /// Whether the client's page cache is bypassed, as 1 or 0.
    Direct,
    /// Files of each host.
    Files,
    /// Exponent of Zipf's law by which blocks are chosen; 0 = all alike.
    Skew,
    /// Back end, by name.
    Engine,
    /// Bytes of the whole set.
    Dataset,
    /// Writes between two flushes; 0 = none is flushed.
    Flush,
    /// Pause of each worker after each I/O, in nanoseconds.
    Think,
}

impl Axis {
    /// Its name in tables and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::Repeat => "repeat",
            Self::Group => "group",
            Self::Hosts => "hosts",
            Self::Kind => "kind",
            Self::Order => "order",
            Self::Reads => "reads",
            Self::Block => "block",
            Self::Depth => "depth",
            Self::Jobs => "jobs",
            Self::Percent => "percent",
            Self::Rate => "rate",
            Self::ReadRate => "read-rate",
            Self::WriteRate => "write-rate",
            Self::Round => "round",
            Self::Try => "try",
            Self::Direct => "direct",
            Self::Files => "files",
            Self::Skew => "theta",
            Self::Engine => "engine",
            Self::Dataset => "dataset",
            Self::Flush => "fsync",
            Self::Think => "think",
        }
    }
}

/// A value of what was varied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Coordinate {
    /// In the unit of its axis.
    Number(f64),
    /// A name.
    Text(String),
}

impl Coordinate {
    /// The number; `None` for a name.
    #[must_use]
    pub const fn number(&self) -> Option<f64> {
        match self {
            Self::Number(n) => Some(*n),
            Self::Text(_) => None,
        }
    }

    /// The name; `None` for a number.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Number(_) => None,
            Self::Text(text) => Some(text),
        }
    }
}
