//! What is to be done, whatever text it came from: a plan is a sequence of stages, a stage a set of
//! workloads that run together, a workload a pattern of I/O that one or more equal workers follow.
//!
//! Belongs here: the meaning of a job, free of any dialect's spelling and of any host's facts.
//! Nothing here looks at the system: sizes in percent, file names by pattern and "as large as the
//! device" stay as they are until the engine's schedule resolves them against a host.

pub mod access;
pub mod admission;
pub mod data;
pub mod engine;
pub mod host_set;
pub mod hosts;
mod length;
pub mod original;
pub mod pace;
pub mod part;
mod passes;
pub mod powers;
pub mod report;
pub mod server_cache;
pub mod simulated;
pub mod slices;
pub mod study;
pub mod target;
pub mod used;
pub mod work;

pub use access::{
    Access, AtEnd, Begin, BlockSizes, Coverage, Distribution, Draws, FileChoice, Grid, Hits, OpMix,
    Order, Position, Zone,
};
pub use admission::{Admission, BorrowableDepth, ShareWeight};
pub use data::{Fill, Payload, Refresh};
pub use engine::{Engine, MapFlush, OpenMode, Placement, SyncMode};
pub use host_set::HostSet;
pub use hosts::{HostSpec, Launcher};
pub use original::{Kept, Original};
pub use pace::{Arrival, Pace, Rate, Think, UNDECIDED_IOPS};
pub use part::FilePart;
pub use powers::{EngineKind, MediumKind, Polling, Power, Powers};
pub use report::Report;
pub use server_cache::ServerCache;
pub use simulated::{SimDevice, SimTarget};
pub use study::{Study, StudyPoint};
pub use target::{Amount, Fallocate, FileSet, Prepare, Region, Target, Wrap};
pub use used::UsedSizes;
pub use work::{Blocks, Work};

use crate::op::PerOp;
use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// The whole of what is to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the run, for lists and reports.
    pub title: String,
    /// Where the plan came from.
    pub source: Source,
    /// Options given for all workloads (fio's global options): canonical name and text as given.
    pub given: Vec<Given>,
    /// What the front end that made the plan keeps of it for its own report.
    pub original: Original,
    /// Length of an interval: what front ends print by, and how often live views are updated. At least 10 ms.
    pub interval: Nanos,
    /// Into how many equal slices an interval is cut, 1 = it is not: a sample is of a slice ([`Plan::slice`]).
    pub slices: u32,
    /// What runs, one stage after the other.
    pub stages: Vec<Stage>,
    /// Nothing may be written, whatever the workloads say (fio's `--readonly`).
    pub read_only: bool,
    /// Block devices that may be written although they carry data, as the user named them.
    pub destroy: Vec<String>,
    /// How often every worker's totals so far are reported ([`crate::event::Event::PartialTotals`]), in whole
    /// intervals; `None` = never.
    pub partial_totals_every: Option<Nanos>,
    /// The hosts that take part; empty = this one alone.
    pub hosts: Vec<HostSpec>,
    /// The study that its stages are points of, if it is one.
    pub study: Option<Box<Study>>,
}

/// The text a plan was made from, kept so that a result can be reproduced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Whose language it is.
    pub dialect: Dialect,
    /// The command line, one word an element, without the program's name.
    pub args: Vec<String>,
    /// leadline's own switches that were taken out of the command line because the language does not know them
    /// (`--map`, `--hosts`), one word an element; empty for leadline's own verbs, whose `args` contain them.
    pub own: Vec<String>,
    /// The directory that relative paths are below: the working directory of the command. Empty where it is not known, or
    /// where several hosts each have their own.
    pub directory: String,
    /// The files read, as (name, text); `-` and `standard input` are no files.
    pub files: Vec<(String, String)>,
    /// The variables of the environment that the files named, as (name, value), each once. Empty where there are none; one
    /// that was not set is not here.
    pub environment: Vec<(String, String)>,
}

impl Source {
    /// The words that repeat the run: leadline's own switches, then the command line. Without the former, a run of
    /// simulated volumes would be repeated on the real paths, and one of many hosts on this host.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.own.iter().chain(&self.args).map(String::as_str)
    }
}

/// The languages leadline reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// leadline's own verbs and study files.
    #[default]
    Native,
    /// fio job files and command lines.
    Fio,
    /// Vdbench parameter files.
    Vdbench,
    /// DISKSPD command lines and profiles.
    Diskspd,
}

/// An option as the user gave it: shown again in results, never interpreted from here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// Canonical name (aliases resolved).
    pub name: String,
    /// The value's text; empty for a bare flag.
    pub value: String,
}

/// Workloads that run together. The next stage starts when all of them have ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Name of the step, for people.
    pub name: String,
    /// Wait before the stage starts.
    pub pause: Nanos,
    /// What runs.
    pub workloads: Vec<Workload>,
    /// What the front end that made the plan keeps of the step for its own report.
    pub original: Original,
    /// The rate of all workloads together, where the stage has one.
    pub asked: StageRate,
    /// I/Os a second that all workloads together are asked for, above 0; `None` = no rate is asked for, or it
    /// depends on a stage that has not been measured yet.
    pub rate: Option<f64>,
    /// The list of rates it is a point of, if any.
    pub series: Option<Series>,
    /// Where the shares of its workloads come from.
    pub shares: ShareSource,
    /// What ends the stage early, counted over all workloads and hosts after the warm-up.
    pub until: Until,
    /// Commands that mount what the stage works on, for hosts of [`Plan::hosts`]; run by the host's agent
    /// before the stage is prepared.
    pub mounts: Vec<Mount>,
    /// Which point of [`Plan::study`] it is, if any.
    pub point: Option<StudyPoint>,
    /// What is known of caches beyond its targets' mounts and devices.
    pub server_cache: ServerCache,
}

/// A list of stages that differ in rate only: those with equal values are one curve.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Series {
    /// What the user calls it.
    pub name: String,
    /// What was varied beside the rate and its value here (`threads=2`); empty = nothing.
    pub varied: String,
}

/// Where the shares of a stage's workloads ([`Workload::share`]) come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShareSource {
    /// There is no rate to divide.
    #[default]
    None,
    /// The user gave them: whether they were kept is checked.
    Given,
    /// None given: all are equal.
    Equal,
    /// None given, and the rate follows from an earlier stage: the shares measured there are kept.
    Observed,
}

/// A command that mounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// The hosts that run it.
    pub hosts: HostSet,
    /// Text for a shell.
    pub line: String,
    /// Once in a run, however many stages name it.
    pub once: bool,
}

/// How fast all workloads of a stage go together. What depends on an earlier stage is resolved when that
/// has been measured: the rate is then shared out by [`Workload::share`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum StageRate {
    /// Each workload has its own pace.
    #[default]
    PerWorkload,
    /// As fast as possible; the points of a curve that follow refer to it.
    MaxForCurve,
    /// A percentage of the rate of the latest [`StageRate::MaxForCurve`].
    PercentOfMax {
        /// In percent, above 0; may be over 100.
        percent: u32,
        /// The points that follow are skipped when the mean response time of this one reaches this.
        stop_at: Option<Nanos>,
    },
    /// A percentage of the rate of the previous stage.
    PercentOfPrevious(
        /// In percent, above 0.
        u32,
    ),
}

/// What ends a stage early; checked at the end of each interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Until {
    /// This many bytes were transferred.
    pub moved: Option<u64>,
    /// This many bytes were read.
    pub read: Option<u64>,
    /// This many bytes were written.
    pub written: Option<u64>,
    /// This many I/Os failed.
    pub errors: Option<u64>,
    /// The figures of each workload are known this well.
    pub narrow: Option<Narrow>,
}

/// How well the figures of a workload are to be known: its I/Os a second and its mean latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Narrow {
    /// Half of the 95 % interval over the figure, in parts per million, above 0.
    pub half_ppm: u32,
    /// Measured time before which it is not asked, above 0.
    pub least: Nanos,
}

/// Work, and its envelope: who does it, how fast, how deep, from when until when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Name, for people and for generated file names. Not unique.
    pub name: String,
    /// The user's description.
    pub description: Option<String>,
    /// Options given for this workload.
    pub given: Vec<Given>,
    /// What the front end that made the plan keeps of it for its own report.
    pub original: Original,
    /// The definition it was made from, where one definition makes several workloads (Vdbench's WD, one for each SD
    /// and host); `None` = the workload itself is the definition.
    pub definition: Option<String>,
    /// What the user calls its target (Vdbench's SD); `None` = it has no name but its path.
    pub target_name: Option<String>,
    /// Report group: workloads of one group are summed up together. Counted over the whole plan.
    pub group: u32,
    /// Whether the group is shown as one record.
    pub merge_group: bool,
    /// Number of equal workers, at least 1.
    pub clones: u32,
    /// What it does.
    pub work: Work,
    /// When the I/Os start.
    pub pace: Pace,
    /// Pauses between I/Os.
    pub think: Option<Think>,
    /// Most I/Os in flight for each worker, at least 1.
    pub depth: u32,
    /// When the worker ends.
    pub stop: Stop,
    /// When the worker starts, within its stage.
    pub start: Start,
    /// What an error does.
    pub on_error: OnError,
    /// Which back end, with which of its powers.
    pub engine: Engine,
    /// Where it runs.
    pub placement: Placement,
    /// Percentiles to print, each above 0 and at most 100.
    pub percentiles: Vec<f64>,
    /// What is kept and shown beyond the usual.
    pub report: Report,
    /// The hosts that run it.
    pub hosts: HostSet,
    /// Its share of a rate that is given for the stage ([`StageRate`]) and of I/Os that are shared out
    /// ([`Admission`]); `None` = as the others, where others have none either.
    pub share: Option<ShareWeight>,
    /// What, besides a free slot of its own, lets it start its next I/O.
    pub admission: Admission,
}

/// Flushes within the stream of writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncCadence {
    /// fsync after this many writes; 0 = never.
    pub fsync_every: u32,
    /// fdatasync after this many writes; 0 = never.
    pub fdatasync_every: u32,
    /// fsync each file when the worker ends, if it writes.
    pub at_end: bool,
    /// fsync each file whenever it is closed, if the worker writes. A worker's files stay open until it ends.
    pub on_close: bool,
}

impl SyncCadence {
    /// Whether each file is flushed when the worker ends, once however many of the fields ask for it.
    #[must_use]
    pub const fn flushes_at_end(self) -> bool {
        self.at_end || self.on_close
    }
}

/// When a worker ends. Whatever comes first counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// Measured time, after the warm-up.
    pub runtime: Option<Nanos>,
    /// Start over at the end of the region until the time is up.
    pub time_based: bool,
    /// Bytes to transfer instead of the region's size: fewer end early, more start over.
    pub io_bytes: Option<Amount>,
    /// Number of I/Os: those of the warm-up count until it is over, then those after it. Does not end a
    /// time-based run, as in fio.
    pub ios: Option<u64>,
    /// How many times the whole is done, at least 1.
    pub loops: u32,
    /// Warm-up before the measured window: its I/Os run and are not counted.
    pub warmup: Nanos,
    /// Ends others too when this workload has ended.
    pub ends_others: EndsOthers,
    /// Cool-down: I/O that continues after the measured window and is not counted.
    pub cooldown: Nanos,
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            runtime: None,
            time_based: false,
            io_bytes: None,
            ios: None,
            loops: 1,
            warmup: Nanos::ZERO,
            ends_others: EndsOthers::None,
            cooldown: Nanos::ZERO,
        }
    }
}

/// What else ends when a workload ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndsOthers {
    /// Nothing else.
    #[default]
    None,
    /// Workloads of the same report group.
    Group,
    /// Workloads of the same stage.
    Stage,
    /// Workloads of the same stage, on all hosts, once every workload with this value has ended.
    StageTogether,
    /// The whole plan.
    All,
}

/// When a worker starts, counted from the start of its stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// Delay; for a range, drawn evenly between the two.
    pub delay: (Nanos, Nanos),
    /// Starts only when the workload of this name has ended.
    pub after: Option<String>,
    /// In stages after the first, the delay counts from the start of the run rather than of the stage
    /// (fio): what the stages before took is part of it.
    pub from_run: bool,
}

/// What an error does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnError {
    /// I/O errors of these operations are counted and ignored: only EIO and EILSEQ, as in fio.
    pub go_on: PerOp<bool>,
    /// Error numbers that are not counted at all.
    pub ignore: PerOp<Vec<i32>>,
    /// An error ends every workload of the plan.
    pub end_all: bool,
    /// The first error takes the target out of the stage: it ends the worker as if its work were done, so that
    /// what it did counts, and so every workload of the stage that has the same number.
    pub removes: Option<u32>,
    /// A single I/O slower than this ends the worker with ETIMEDOUT.
    pub max_latency: PerOp<Option<Nanos>>,
}

impl Workload {
    /// A workload with the defaults all dialects share: one worker, 4 KiB sequential reads, depth 1,
    /// buffered, until the region is done.
    #[must_use]
    pub fn new(name: &str, target: Target) -> Self {
        Self {
            name: name.to_owned(),
            description: None,
            given: Vec::new(),
            original: Original::default(),
            definition: None,
            target_name: None,
            group: 0,
            merge_group: false,
            clones: 1,
            work: Work::Blocks(Blocks::new(target)),
            pace: Pace::Closed,
            think: None,
            depth: 1,
            stop: Stop::default(),
            start: Start::default(),
            on_error: OnError::default(),
            engine: Engine::default(),
            placement: Placement::default(),
            percentiles: DEFAULT_PERCENTILES.to_vec(),
            report: Report::default(),
            hosts: HostSet::ALL,
            share: None,
            admission: Admission::OwnDepth,
        }
    }

    /// The definition it was made from, or its own name.
    #[must_use]
    pub fn definition(&self) -> &str {
        self.definition.as_deref().unwrap_or(&self.name)
    }

    /// How many files each worker counts apart: 1 = it does not.
    #[must_use]
    pub fn counted_files(&self) -> usize {
        if self.report.by_file {
            self.blocks().target.files()
        } else {
            1
        }
    }

    /// Whether any of its I/O changes the target.
    #[must_use]
    pub fn writes(&self) -> bool {
        let mix = self.blocks().mix;
        mix.writes() || mix.trims()
    }
}

/// The percentiles printed when none are asked for; fio's list.
pub const DEFAULT_PERCENTILES: [f64; 17] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_survives_json() {
        let plan = Plan {
            partial_totals_every: None,
            study: None,
            hosts: Vec::new(),
            title: "t".into(),
            source: Source::default(),
            original: Original::default(),
            given: vec![Given {
                name: "bs".into(),
                value: "4k".into(),
            }],
            interval: Nanos::SECOND,
            slices: 4,
            stages: vec![Stage {
                name: "s".into(),
                pause: Nanos::ZERO,
                workloads: vec![Workload::new("w", Target::Null { size: 1 << 20 })],
                ..Stage::default()
            }],
            read_only: false,
            destroy: vec![],
        };
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
    }

    /// What every front end begins with: see [`Workload::new`].
    #[test]
    fn a_new_workload_reads_one_block_after_the_other_once() {
        let w = Workload::new("w", Target::Null { size: 1 << 20 });
        assert_eq!((w.clones, w.depth, w.group), (1, 1, 0));
        assert_eq!(w.pace, Pace::Closed);
        assert_eq!((w.stop.loops, w.stop.warmup), (1, Nanos::ZERO));
        assert_eq!(
            (w.stop.runtime, w.stop.ios, w.stop.io_bytes),
            (None, None, None)
        );
        let blocks = w.blocks();
        assert_eq!(blocks.access.order, Order::Sequential { skip: 0 });
        assert_eq!(blocks.access.file_choice, FileChoice::RoundRobin { ios: 1 });
        assert_eq!(blocks.only_size(), Some(4096));
        assert!(!w.writes() && !blocks.open.direct);
        // Several workloads are distinguished by their names alone.
        assert_eq!(w.definition(), "w");
        let of_another = Workload {
            definition: Some("d".into()),
            ..w
        };
        assert_eq!(of_another.definition(), "d");
    }

    #[test]
    fn files_are_counted_apart_where_that_is_asked_for() {
        let paths = ["a", "b", "c"].map(str::to_owned);
        let mut w = Workload::new("w", Target::Paths(paths.to_vec()));
        assert_eq!(w.counted_files(), 1);
        w.report.by_file = true;
        assert_eq!(w.counted_files(), 3);
    }

    #[test]
    fn a_workload_writes_where_anything_of_it_changes_the_target() {
        use crate::op::Op;
        for (mix, writes) in [
            (OpMix::reads(), false),
            (OpMix::Only(Op::Write), true),
            (OpMix::Only(Op::Trim), true),
            (OpMix::mixed(70), true),
            (OpMix::TrimWrite, true),
        ] {
            let mut w = Workload::new("w", Target::Null { size: 4096 });
            w.blocks_mut().mix = mix;
            assert_eq!(w.writes(), writes, "{mix:?}");
        }
    }

    #[test]
    fn a_simulated_target_has_its_own_size_or_that_of_its_volume() {
        let volume = SimDevice {
            size: 1 << 20,
            ..SimDevice::default()
        };
        let mut target = SimTarget::from(volume);
        assert_eq!(target.bytes(), 1 << 20);
        target.size = Some(4096);
        assert_eq!(target.bytes(), 4096);
    }
}
