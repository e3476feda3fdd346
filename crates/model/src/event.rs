//! What happened: the one stream from which terminal, run file, report, exports and the fleet's
//! frames all derive. A sink that receives all of it has everything.

use crate::facts::Fact;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::plan::{Plan, Stage};
use crate::sample::{Counts, Sample, WorkerTotals};
use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A run begins.
    RunStarted {
        /// What is to be done. A study adds stages while it runs ([`Event::StageAdded`]).
        plan: Box<Plan>,
        /// Wall clock at the start of the run, milliseconds since 1970 UTC.
        wall_ms: u64,
    },
    /// What is known of this host and its targets; may come in parts.
    Facts(Vec<Fact>),
    /// A stage was added to the plan; its number is the count of the stages before it.
    StageAdded(Box<Stage>),
    /// Files are being prepared.
    Preparing {
        /// Stage, from 0.
        stage: u32,
        /// What is done, in words (`laying out 4 files of 1 GiB`).
        what: String,
        /// Bytes done.
        done: u64,
        /// Total bytes; 0 = unknown.
        total: u64,
    },
    /// All workers of a stage are released.
    StageStarted {
        /// Stage, from 0.
        stage: u32,
        /// From the start of the run.
        at: Nanos,
        /// Wall clock, milliseconds since 1970 UTC.
        wall_ms: u64,
    },
    /// What is known at this moment, for live views only: not stored, superseded by samples.
    Tick(Box<Tick>),
    /// One interval of one workload: final and exact.
    Interval(Box<Sample>),
    /// What a worker that is still at work has counted in its window until now, where the plan asks for
    /// it ([`Plan::partial_totals_every`]); a [`Event::Tick`] follows the last of them. Not stored.
    PartialTotals(Box<WorkerTotals>),
    /// A worker ended.
    WorkerEnded(Box<WorkerTotals>),
    /// What all processors of a host did in one interval, whatever process it was for. Comes before the
    /// samples of the same interval; intervals shorter than the kernel counts have none.
    Processors(Box<CpuInterval>),
    /// A stage has ended completely.
    StageEnded {
        /// Stage, from 0.
        stage: u32,
        /// From the start of the run.
        at: Nanos,
        /// What the underlying block devices did during the stage.
        disks: Vec<DiskUse>,
        /// What the processors of the host did over the measured window, whatever process it was for.
        cpus: Vec<CpuTime>,
        /// What else the kernel counted from the start of the stage to its end, and what it said at that end.
        counted: Vec<Fact>,
    },
    /// Something happened to a host of the plan.
    Host(Box<HostNews>),
    /// Something a reader of the result must know.
    Finding(Finding),
    /// The run ended.
    RunEnded {
        /// From the start of the run.
        at: Nanos,
        /// How.
        outcome: Outcome,
    },
}

/// Where a stage is at this moment, by the workers' published counters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// Stage, from 0.
    pub stage: u32,
    /// From the start of the stage.
    pub at: Nanos,
    /// Expected length of the stage with its warm-up; `None` = unknown.
    pub expected: Option<Nanos>,
    /// Workers still running.
    pub running: u32,
    /// Share of the work done, 0 to 1, by time or by bytes; `None` = unknown.
    pub done: Option<f64>,
    /// Whether every running worker is in its warm-up.
    pub warmup: bool,
    /// What all workers together have counted in the interval that just ended, as far as they have
    /// published them: a stalled worker has not.
    pub counts: Counts,
    /// Length of that interval.
    pub span: Nanos,
}

/// Something that happened to a host of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostNews {
    /// Its place in the plan's list.
    pub host: u32,
    /// From the start of the run.
    pub at: Nanos,
    /// What happened.
    pub what: HostState,
}

/// What can happen to a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostState {
    /// It answers.
    Connected {
        /// What it calls itself.
        hostname: String,
        /// Its clock less the controller's, in nanoseconds.
        clock_offset: i64,
        /// How far that may be off, in nanoseconds: half of the shortest round trip.
        offset_bound: u64,
    },
    /// It released its workers.
    Started {
        /// Stage, from 0.
        stage: u32,
        /// Its first I/O by the controller's clock, from the agreed start of the stage, in nanoseconds.
        late: i64,
    },
    /// It is lost; what it reported until then counts, and nothing more follows.
    Lost {
        /// Stage it was in, from 0; `None` = none yet.
        stage: Option<u32>,
        /// Why.
        why: Failure,
    },
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// As planned.
    Complete,
    /// By the user; what was measured until then stands.
    CutShort,
    /// By an error; what was measured until then stands.
    Failed(Failure),
}

/// What a block device did during a stage; differences of the kernel's counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskUse {
    /// The host it belongs to, by its place in the plan's list; 0 without one.
    pub host: u32,
    /// Name as the kernel has it (`vda`).
    pub name: String,
    /// Completed reads and writes.
    pub ios: [u64; 2],
    /// Merged reads and writes.
    pub merges: [u64; 2],
    /// Sectors of 512 bytes read and written.
    pub sectors: [u64; 2],
    /// Milliseconds spent by reads and writes.
    pub ticks_ms: [u64; 2],
    /// Milliseconds with any I/O in flight.
    pub busy_ms: u64,
    /// Weighted milliseconds in flight.
    pub queue_ms: u64,
    /// Length of the stage in milliseconds.
    pub span_ms: u64,
}

/// Where the time of a processor went over the measured window of a stage, for all processes together;
/// differences of the kernel's counters, which have a resolution of 10 ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTime {
    /// The host it belongs to, by its place in the plan's list; 0 without one.
    pub host: u32,
    /// Number as the kernel has it.
    pub cpu: u32,
    /// In user mode.
    pub user: Nanos,
    /// In the kernel, interrupts included.
    pub kernel: Nanos,
    /// Idle.
    pub idle: Nanos,
    /// Idle while I/O of this processor was in flight (iowait).
    pub wait: Nanos,
    /// Steal time: wanted, but given to another machine by the hypervisor.
    pub steal: Nanos,
    /// Length of the time over which it was counted.
    pub span: Nanos,
}

/// Where the time of all processors of a host together went in one interval of a stage; differences of the
/// kernel's counters, which have a resolution of 10 ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuInterval {
    /// The host they belong to, by its place in the plan's list; 0 without one.
    pub host: u32,
    /// Stage, from 0.
    pub stage: u32,
    /// Number of the interval, from 0 at the start of the stage.
    pub interval: u64,
    /// How many processors were counted.
    pub cpus: u32,
    /// In user mode.
    pub user: Nanos,
    /// In the kernel, interrupts included.
    pub kernel: Nanos,
    /// Idle.
    pub idle: Nanos,
    /// Idle while I/O of that processor was in flight (iowait).
    pub wait: Nanos,
    /// Steal time: wanted, but given to another machine by the hypervisor.
    pub steal: Nanos,
}
