//! What a DISKSPD command line or XML profile asks for, in DISKSPD's own nouns and units: the same data
//! from both, before any of it means something to leadline.
//!
//! Belongs here: the data, its defaults and what follows from two fields. Must never appear here: any
//! grammar, any check, any meaning in leadline's nouns.

use serde::{Deserialize, Serialize};
/// Bytes of an I/O unless said otherwise.
pub const DEFAULT_BLOCK: u32 = 64 * 1024;

/// Form of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResultFormat {
    /// Text for people.
    #[default]
    Text,
    /// XML.
    Xml,
}

/// When files are created that several time spans use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precreate {
    /// Before the first time span, with the largest size any of them asks for.
    UseMaxSize,
    /// Before the first time span, where all of them ask for one size.
    ConstantSizes,
    /// Before the first time span, where all of them ask for one size or for none.
    ConstantOrZeroSizes,
}

impl Precreate {
    /// All, with their names in XML.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("UseMaxSize", Self::UseMaxSize),
        ("CreateOnlyFilesWithConstantSizes", Self::ConstantSizes),
        (
            "CreateOnlyFilesWithConstantOrZeroSizes",
            Self::ConstantOrZeroSizes,
        ),
    ];
}

/// What the NT kernel logger is to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Etw {
    /// Starts and ends of processes.
    pub process: bool,
    /// Starts and ends of threads.
    pub thread: bool,
    /// Loads of images.
    pub image_load: bool,
    /// Physical disk I/O.
    pub disk_io: bool,
    /// All page faults.
    pub page_faults: bool,
    /// Hard faults.
    pub hard_faults: bool,
    /// TCP/IP and UDP/IP.
    pub network: bool,
    /// Calls to the registry.
    pub registry: bool,
    /// Paged memory.
    pub paged_memory: bool,
    /// The performance counter as clock.
    pub perf_timer: bool,
    /// The system timer as clock.
    pub system_timer: bool,
    /// The cycle counter as clock.
    pub cycles: bool,
}

/// Everything that is to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// What runs, one after the other.
    pub time_spans: Vec<TimeSpan>,
    /// `-v`.
    pub verbose: bool,
    /// `-vs`.
    pub verbose_stats: bool,
    /// `-P`: a dot after this many I/Os of a thread; 0 = none.
    pub progress: u32,
    /// `-:`.
    pub experiment_flags: u32,
    /// `-R`.
    pub result_format: ResultFormat,
    /// When files are created; XML only.
    pub precreate: Option<Precreate>,
    /// `-e`.
    pub etw: Option<Etw>,
}

/// Targets that are driven together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeSpan {
    /// `-d`: measured seconds.
    pub duration: u32,
    /// `-W`: seconds before.
    pub warmup: u32,
    /// `-C`: seconds of cool-down.
    pub cooldown: u32,
    /// `-z`: thread n uses this plus n.
    pub rand_seed: u32,
    /// `-Zr`.
    pub random_write_data: bool,
    /// `-F`: threads in all, each driving all targets; 0 = threads of each target.
    pub thread_count: u32,
    /// `-O`: outstanding I/Os of a thread over all targets, with `-F`; 0 = those of each target.
    pub request_count: u32,
    /// `-a`.
    pub affinity: Affinity,
    /// `-n`.
    pub disable_affinity: bool,
    /// `-x`.
    pub completion_routines: bool,
    /// `-L`.
    pub measure_latency: bool,
    /// `-D`.
    pub iops_std_dev: bool,
    /// `-D`: milliseconds of an interval.
    pub bucket_ms: u32,
    /// `-u`.
    pub io_ring: Option<IoRing>,
    /// `-bs`.
    pub buffer_separation: Option<BufferSeparation>,
    /// `-oc`, 1 to 16.
    pub completion_depth: Option<u32>,
    /// What is driven.
    pub targets: Vec<Target>,
}

impl Default for TimeSpan {
    fn default() -> Self {
        Self {
            duration: 10,
            warmup: 5,
            cooldown: 0,
            rand_seed: 0,
            random_write_data: false,
            thread_count: 0,
            request_count: 0,
            affinity: Affinity::default(),
            disable_affinity: false,
            completion_routines: false,
            measure_latency: false,
            iops_std_dev: false,
            bucket_ms: 1000,
            io_ring: None,
            buffer_separation: None,
            completion_depth: None,
            targets: Vec::new(),
        }
    }
}

impl TimeSpan {
    /// Whether each thread keeps `-O` I/Os over all targets: `-O` counts only with `-F`.
    #[must_use]
    pub fn is_pool(&self) -> bool {
        self.thread_count > 0 && self.request_count > 0
    }

    /// Most I/Os that a thread driving these targets has in flight: the queue that a batch of `-u` is a share of.
    #[must_use]
    pub fn queue_of<'a>(&self, targets: impl IntoIterator<Item = &'a Target>) -> u32 {
        if self.is_pool() {
            return self.request_count;
        }
        let own = targets.into_iter().map(|t| t.request_count.max(1));
        own.fold(0, u32::saturating_add).max(1)
    }

    /// Threads that drive a target.
    #[must_use]
    pub fn threads_of(&self, target: &Target) -> u32 {
        if self.thread_count > 0 {
            self.thread_count
        } else {
            target.threads_per_file
        }
    }
}

/// Which CPUs threads run on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Affinity {
    /// (group, CPU) in turn; no CPU = all of the group. Empty = all CPUs in their order.
    pub assignments: Vec<(u16, Option<u8>)>,
    /// `-ac`: one CPU of each core first.
    pub core_aware: bool,
    /// `-as`: groups in turn rather than one filled after the other.
    pub span: bool,
    /// `-ap`, `-aP`, `-ae`, `-aE`, `-aup`.
    pub efficiency: Option<Efficiency>,
}

impl Affinity {
    /// Whether anything but the default was asked for.
    #[must_use]
    pub fn is_given(&self) -> bool {
        *self != Self::default()
    }
}

/// Order of cores that are not alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Efficiency {
    /// `-ap`: fast cores first (the default).
    PFirst,
    /// `-aP`: fast cores of all groups first.
    FillPFirst,
    /// `-ae`: slow cores first.
    EFirst,
    /// `-aE`: slow cores of all groups first.
    FillEFirst,
    /// `-aup`: as they are numbered.
    Unordered,
}

impl Efficiency {
    /// All, with their names in XML.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("PFirst", Self::PFirst),
        ("FillPFirst", Self::FillPFirst),
        ("EFirst", Self::EFirst),
        ("FillEFirst", Self::FillEFirst),
        ("Unordered", Self::Unordered),
    ];
}

/// `-u`: I/O by a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoRing {
    /// Registered buffers; not with `-un`.
    pub registered: bool,
    /// I/Os to gather.
    pub batch: Batch,
}

/// I/Os that are handed over and waited for at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Batch {
    /// This many, 1 to 65536.
    Count(u32),
    /// Its share of the queue, 1 to 100.
    Percent(u32),
}

impl Batch {
    /// What it is where none is named.
    pub const UNNAMED: Self = Self::Percent(25);

    /// I/Os for a queue of `depth`, 1 to `depth`.
    #[must_use]
    pub fn of(self, depth: u32) -> u32 {
        let depth = depth.max(1);
        let n = match self {
            Self::Count(n) => n,
            Self::Percent(p) => {
                u32::try_from(u64::from(depth) * u64::from(p) / 100).unwrap_or(depth)
            }
        };
        n.clamp(1, depth)
    }
}

/// `-bs`: how far apart the buffers of threads lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BufferSeparation {
    /// `-bsn`.
    SystemDefault,
    /// `-bsp`.
    PdeCacheLine,
}

/// Which caches are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cache {
    /// `-Sb`: all.
    #[default]
    Cached,
    /// `-Sr`: not that of an SMB client.
    DisableLocal,
    /// `-Su`: not that of the system.
    DisableOs,
}

/// `-N`: how mapped writes come down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Flush {
    /// `-Nv`.
    ViewOfFile,
    /// `-Nn`.
    NonVolatile,
    /// `-Ni`.
    NonVolatileNoDrain,
}

impl Flush {
    /// All, with their names in XML.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("ViewOfFile", Self::ViewOfFile),
        ("NonVolatileMemory", Self::NonVolatile),
        ("NonVolatileMemoryNoDrain", Self::NonVolatileNoDrain),
    ];
}

/// `-Sy`, `-SY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bypass {
    /// As far as it goes.
    Partial,
    /// All the way.
    Full,
}

impl Bypass {
    /// All, with their names in XML.
    pub const NAMES: [(&'static str, Self); 2] = [("Partial", Self::Partial), ("Full", Self::Full)];
}

/// `-Z<size>`: where writes take their bytes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteBuffer {
    /// Its bytes, above 0.
    pub size: u64,
    /// What it is filled from; `None` = random.
    pub path: Option<String>,
}

/// `-g`: a limit for each thread and target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Throughput {
    /// Bytes a millisecond, above 0.
    BytesPerMs(u32),
    /// I/Os a second, above 0.
    Iops(u32),
}

/// A thread of a pool that drives a target, with the target's weight for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadTarget {
    /// Its number, from 0.
    pub thread: u32,
    /// 0 = the target's own.
    pub weight: u32,
}

/// A file or device, and the I/O to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Path.
    pub path: String,
    /// `-b`: bytes of an I/O.
    pub block_size: u32,
    /// `-r`, `-s`: what random offsets are multiples of, or the distance of sequential ones; `None` or
    /// 0 = the block size.
    pub alignment: Option<u64>,
    /// `-r`, `-rs`: share of I/Os that jump; 0 = sequential.
    pub random_percent: u32,
    /// `-si`.
    pub interlocked: bool,
    /// `-B`: first byte.
    pub base: u64,
    /// `-f`, `-B`: end of what is used; 0 = that of the target.
    pub max: u64,
    /// `-fs`.
    pub sequential_scan: bool,
    /// `-fr`.
    pub random_access: bool,
    /// `-ft`.
    pub temporary: bool,
    /// `-l`.
    pub large_pages: bool,
    /// `-o`: outstanding I/Os of a thread.
    pub request_count: u32,
    /// `-S`.
    pub cache: Cache,
    /// `-Sw`.
    pub write_through: bool,
    /// `-Sm`.
    pub memory_mapped: bool,
    /// `-N`.
    pub flush: Option<Flush>,
    /// `-Sy`, `-SY`.
    pub bypass: Option<Bypass>,
    /// `-Z`: zeros are written.
    pub zero: bool,
    /// `-Z<size>`.
    pub write_buffer: Option<WriteBuffer>,
    /// `-i`: I/Os of a burst.
    pub burst: Option<u32>,
    /// `-j`: milliseconds between bursts.
    pub think_ms: Option<u32>,
    /// `-g`.
    pub throughput: Option<Throughput>,
    /// `-t`.
    pub threads_per_file: u32,
    /// `-c`.
    pub file_size: Option<u64>,
    /// `-w`: share of writes.
    pub write_percent: u32,
    /// `-p`.
    pub parallel: bool,
    /// `-T`.
    pub thread_stride: u64,
    /// `-I`: 1 very low, 2 low, 3 normal.
    pub io_priority: u32,
    /// How often a pool's thread takes it; XML only.
    pub weight: u32,
    /// Threads of a pool that take it; empty = all. XML only.
    pub thread_targets: Vec<ThreadTarget>,
    /// `-rd`.
    pub distribution: Option<Distribution>,
}

impl Target {
    /// A target as it is without any option.
    #[must_use]
    pub fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            block_size: DEFAULT_BLOCK,
            alignment: None,
            random_percent: 0,
            interlocked: false,
            base: 0,
            max: 0,
            sequential_scan: false,
            random_access: false,
            temporary: false,
            large_pages: false,
            request_count: 2,
            cache: Cache::Cached,
            write_through: false,
            memory_mapped: false,
            flush: None,
            bypass: None,
            zero: false,
            write_buffer: None,
            burst: None,
            think_ms: None,
            throughput: None,
            threads_per_file: 1,
            file_size: None,
            write_percent: 0,
            parallel: false,
            thread_stride: 0,
            io_priority: 3,
            weight: 1,
            thread_targets: Vec::new(),
            distribution: None,
        }
    }

    /// The alignment or stride in force.
    #[must_use]
    pub fn step(&self) -> u64 {
        match self.alignment {
            Some(step @ 1..) => step,
            _ => u64::from(self.block_size),
        }
    }
}

/// `-rd`: parts of the target with their shares of the random I/Os.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distribution {
    /// Parts are in percent of the target rather than in bytes.
    pub percent: bool,
    /// One after the other.
    pub ranges: Vec<Range>,
}

/// A part of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// Share of the I/Os, 0 to 100; 0 = a hole.
    pub io: u32,
    /// Its length in percent or bytes; 0 for the last one in bytes = to the end of the target.
    pub span: u64,
}

impl Distribution {
    /// Of the parts that were given: what is left of the I/Os goes to what is left of the target.
    #[must_use]
    pub fn filled(percent: bool, mut ranges: Vec<Range>) -> Self {
        let io: u32 = ranges.iter().fold(0, |sum, r| sum.saturating_add(r.io));
        let span = ranges
            .iter()
            .fold(0_u64, |sum, r| sum.saturating_add(r.span));
        if io < 100 && !ranges.is_empty() {
            ranges.push(Range {
                io: 100 - io,
                span: if percent {
                    100_u64.saturating_sub(span)
                } else {
                    0
                },
            });
        }
        Self { percent, ranges }
    }

    /// Each part with the sum of the shares, and of the lengths, before it.
    pub fn placed(&self) -> impl Iterator<Item = (u32, u64, Range)> + '_ {
        self.ranges.iter().scan((0_u32, 0_u64), |at, range| {
            let before = *at;
            at.0 = at.0.saturating_add(range.io);
            at.1 = at.1.saturating_add(range.span);
            Some((before.0, before.1, *range))
        })
    }
}
