//! Which operation, which offset, which size, in which file.

use crate::op::PerOp;
use crate::units::Percent;
use serde::{Deserialize, Serialize};

/// Shares of read, write and trim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpMix {
    /// One kind only.
    Only(
        /// The kind; never `Op::Sync`.
        crate::op::Op,
    ),
    /// Reads and writes, drawn independently for each I/O.
    ReadWrite {
        /// Share of reads.
        read_percent: Percent,
    },
    /// Each block is trimmed, then written.
    TrimWrite,
}

impl OpMix {
    /// Reads only.
    #[must_use]
    pub const fn reads() -> Self {
        Self::Only(crate::op::Op::Read)
    }

    /// Reads and writes, so many percent of them reads.
    #[must_use]
    pub const fn mixed(reads: u8) -> Self {
        Self::ReadWrite {
            read_percent: Percent::whole(reads),
        }
    }

    /// Whether it reads.
    #[must_use]
    pub const fn has_reads(self) -> bool {
        match self {
            Self::Only(op) => matches!(op, crate::op::Op::Read),
            Self::ReadWrite { read_percent } => read_percent.parts() > 0,
            Self::TrimWrite => false,
        }
    }

    /// Whether it writes.
    #[must_use]
    pub const fn writes(self) -> bool {
        match self {
            Self::Only(op) => matches!(op, crate::op::Op::Write),
            Self::ReadWrite { read_percent } => read_percent.rest().parts() > 0,
            Self::TrimWrite => true,
        }
    }

    /// Whether this operation is among its I/Os.
    #[must_use]
    pub const fn has(self, op: crate::op::Op) -> bool {
        match op {
            crate::op::Op::Read => self.has_reads(),
            crate::op::Op::Write => self.writes(),
            crate::op::Op::Trim => self.trims(),
            // It comes beside the mix ([`super::SyncCadence`]).
            crate::op::Op::Sync => false,
        }
    }

    /// Whether it trims.
    #[must_use]
    pub const fn trims(self) -> bool {
        matches!(self, Self::Only(crate::op::Op::Trim) | Self::TrimWrite)
    }
}

/// Sizes of the I/Os of one kind of operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sizes {
    /// Always the same.
    Fixed(u64),
    /// Evenly between the two, in steps of the smaller unless unaligned.
    Range {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
        /// Any byte count rather than multiples of the smallest; the largest comes more often than others, as in
        /// fio.
        unaligned: bool,
    },
    /// (size, weight): a size has its weight of the sum of all as its share.
    Split(Vec<(u64, u32)>),
}

impl Sizes {
    /// Smallest size.
    #[must_use]
    pub fn min(&self) -> u64 {
        match self {
            Self::Fixed(n) => *n,
            Self::Range { min, .. } => *min,
            Self::Split(parts) => parts.iter().map(|p| p.0).min().unwrap_or(0),
        }
    }

    /// Largest size.
    #[must_use]
    pub fn max(&self) -> u64 {
        match self {
            Self::Fixed(n) => *n,
            Self::Range { max, .. } => *max,
            Self::Split(parts) => parts.iter().map(|p| p.0).max().unwrap_or(0),
        }
    }
}

/// Sizes for each kind of operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockSizes {
    /// By operation.
    pub by_op: PerOp<Sizes>,
    /// Offsets are multiples of this; `None` = of the smallest size.
    pub align: PerOp<Option<u64>>,
    /// The first size is for sequential I/O, the second for random, whatever the operation.
    pub by_order: bool,
}

impl BlockSizes {
    /// One size for all.
    #[must_use]
    pub fn fixed(size: u64) -> Self {
        Self {
            by_op: PerOp::splat(Sizes::Fixed(size)),
            align: PerOp::splat(None),
            by_order: false,
        }
    }

    /// Largest size of any operation.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.by_op
            .read
            .max()
            .max(self.by_op.write.max())
            .max(self.by_op.trim.max())
    }

    /// Smallest size of any operation.
    #[must_use]
    pub fn min(&self) -> u64 {
        self.by_op
            .read
            .min()
            .min(self.by_op.write.min())
            .min(self.by_op.trim.min())
    }
}

/// Offsets of the I/Os.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// Sequential or random.
    pub order: Order,
    /// For a random order: share of I/Os that really jump; the rest continue.
    pub random_percent: PerOp<Percent>,
    /// Whether a block may come twice in one pass.
    pub coverage: Coverage,
    /// How random offsets spread.
    pub distribution: PerOp<Distribution>,
    /// Seed of all random choices; `None` = fresh for each run, and recorded.
    pub seed: Option<u64>,
    /// Which file is next.
    pub file_choice: FileChoice,
    /// Whose position a sequential I/O goes on from.
    pub position: Position,
    /// Where the first sequential I/O lies.
    pub begin: Begin,
    /// What comes at the end of the region in a sequential order.
    pub at_end: AtEnd,
    /// What random offsets are multiples of, counted from the start of the region.
    pub grid: Grid,
    /// A small area that takes a share of the I/Os (Vdbench's hit area).
    pub hits: Option<Hits>,
    /// For a random order: each I/O lies a random distance behind the one before, between the two, in
    /// bytes (Vdbench's stride).
    pub stride: Option<(u64, u64)>,
    /// Which numbers the random choices are made of.
    pub draws: Draws,
    /// Weights of the files when the choice is [`FileChoice::Random`]; empty = all alike (DISKSPD's
    /// `Weight`).
    pub file_weights: Vec<u32>,
    /// Workers that begin apart are counted from this one (with DISKSPD's numbers): those before it are in
    /// other workloads.
    pub first_worker: u32,
    /// By file, the number of the stage's counter that is its shared position: workloads that name the same
    /// one share it. Empty = the workload has its own.
    pub counters: Vec<u32>,
}

/// Whose position a sequential I/O goes on from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Position {
    /// Each kind of operation has its own in each file (fio).
    #[default]
    EachKind,
    /// One for all kinds in each file (Vdbench, DISKSPD).
    EachFile,
    /// Each slot of the queue has its own in each file, all from the same start (DISKSPD's `-p`).
    EachSlot,
    /// One for all workers of the workload in each file: an atomic counter (DISKSPD's `-si`).
    Workload,
}

/// Where the first sequential I/O lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Begin {
    /// At the start of the region.
    #[default]
    Start,
    /// At a random block of it.
    Random,
    /// So many bytes behind the start of the region for each further worker; at the end it goes on at
    /// the start of the region (DISKSPD's `-T`).
    Apart(
        /// Bytes.
        u64,
    ),
}

/// What comes at the end of the region in a sequential order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AtEnd {
    /// As the stop rules say: a time-based run goes round again.
    #[default]
    AsStopSays,
    /// The worker ends, time-based or not (Vdbench's `seekpct=eof`).
    Stop,
}

/// What random offsets are multiples of, counted from the start of the region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Grid {
    /// As [`BlockSizes::align`] says.
    #[default]
    Sizes,
    /// The size of the I/O itself; what is left of the region behind a multiple of the largest size is
    /// never touched (Vdbench).
    Own,
    /// This many bytes. With DISKSPD's numbers also the distance of I/Os that go on sequentially.
    Bytes(
        /// At least 1.
        u64,
    ),
}

/// A small area that takes a share of the I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hits {
    /// Its bytes, at the start of the region; the others lie behind it.
    pub area: u64,
    /// Share of the reads.
    pub read_percent: Percent,
    /// Share of the writes.
    pub write_percent: Percent,
}

/// Which numbers the random choices are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Draws {
    /// leadline's own.
    #[default]
    Own,
    /// Those of DISKSPD for the same seed, I/O for I/O: order, offset and kind.
    Diskspd,
}

impl Default for Access {
    fn default() -> Self {
        Self {
            order: Order::Sequential { skip: 0 },
            random_percent: PerOp::splat(Percent::ALL),
            coverage: Coverage::OncePerPass,
            distribution: PerOp::splat(Distribution::Uniform),
            seed: None,
            file_choice: FileChoice::RoundRobin { ios: 1 },
            position: Position::default(),
            begin: Begin::default(),
            at_end: AtEnd::default(),
            grid: Grid::default(),
            hits: None,
            stride: None,
            draws: Draws::default(),
            file_weights: Vec::new(),
            first_worker: 0,
            counters: Vec::new(),
        }
    }
}

/// Sequential or random.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// One after the other.
    Sequential {
        /// Bytes left out after each I/O; negative goes backwards.
        skip: i64,
    },
    /// Jumping.
    Random {
        /// A new random offset only every so many I/Os, at least 1.
        every: u32,
        /// Between two jumps the same offset is used again, rather than the next ones.
        identical: bool,
    },
}

impl Order {
    /// Whether offsets jump.
    #[must_use]
    pub const fn is_random(self) -> bool {
        matches!(self, Self::Random { .. })
    }
}

/// Whether a block may come twice in one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coverage {
    /// Each block once per pass, in O(1) memory.
    #[default]
    OncePerPass,
    /// Independent draws.
    WithRepeats,
}

/// How random offsets spread over the region.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Distribution {
    /// All blocks alike.
    #[default]
    Uniform,
    /// The k-th most popular block has weight 1/k^theta.
    Zipf {
        /// Exponent, above 0 and not 1.
        theta: f64,
        /// Where the most popular block lies, 0 to 1; `None` = anywhere. The others are scattered over
        /// the region.
        center: Option<f64>,
    },
    /// Self-similar: a share h of the blocks gets 1-h of the I/O.
    Pareto {
        /// Between 0 and 1.
        h: f64,
        /// As for Zipf.
        center: Option<f64>,
    },
    /// A bell around the centre.
    Normal {
        /// Standard deviation in percent of the region.
        deviation: f64,
        /// Centre, 0 to 1; `None` = the middle.
        center: Option<f64>,
    },
    /// Zones by share.
    Zoned(Vec<Zone>),
    /// Dense at the low end: more so with a larger number, above 0 (Vdbench's `(poisson,n)`: with 3, half
    /// of the I/Os go to the first fifth).
    LowEnd(
        /// The number.
        f64,
    ),
    /// A hot band between two places of the region, dense at its low end (Vdbench's `hotband`).
    HotBand {
        /// Where it begins.
        low: super::target::Amount,
        /// Where it ends.
        high: super::target::Amount,
    },
}

/// A part of the region with its share of the I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Zone {
    /// Share of the I/Os in percent; all zones sum to 100.
    pub access_percent: f64,
    /// Extent of the zone, following the zone before it.
    pub extent: super::target::Amount,
}

/// Which file the next I/O goes to, when there are several.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum FileChoice {
    /// In turn, so many I/Os each.
    RoundRobin {
        /// I/Os before the next file, at least 1.
        ios: u32,
    },
    /// One file to its end, then the next.
    Sequential,
    /// Drawn evenly, so many I/Os each.
    Random {
        /// I/Os before the next file, at least 1.
        ios: u32,
    },
    /// Drawn by Zipf's law.
    Zipf {
        /// Exponent.
        theta: f64,
    },
    /// Drawn by Pareto's law.
    Pareto {
        /// Between 0 and 1.
        h: f64,
    },
    /// Drawn by a bell.
    Normal {
        /// Standard deviation in percent of the number of files.
        deviation: f64,
    },
    /// The queue is shared out: of n files each has an n-th of the depth for itself, the first file the
    /// first slots (DISKSPD's threads over several targets).
    EachSlot,
}
