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
    /// Reads and writes, chosen independently for each I/O.
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

    /// Reads and writes with this percentage of reads.
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
            // Flushes are not part of the mix ([`super::SyncCadence`]).
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
        /// Any byte count instead of multiples of the smallest; the largest is more frequent than others, as in
        /// fio.
        unaligned: bool,
    },
    /// (size, weight): the share of a size is its weight over the sum of all.
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

    /// Smallest size of any operation, in bytes, whether it occurs or not: fio's alignment of starts and its bound of
    /// `size` follow it. What occurs is asked of [`super::Blocks`].
    #[must_use]
    pub fn smallest_of_any_op(&self) -> u64 {
        let PerOp { read, write, trim } = &self.by_op;
        read.min().min(write.min()).min(trim.min())
    }
}

/// Offsets of the I/Os.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// Sequential or random.
    pub order: Order,
    /// For a random order: share of I/Os that jump; the rest continue.
    pub random_percent: PerOp<Percent>,
    /// Whether a block may repeat within one pass.
    pub coverage: Coverage,
    /// Distribution of random offsets.
    pub distribution: PerOp<Distribution>,
    /// Seed of all random choices; `None` = fresh for each run, and recorded.
    pub seed: Option<u64>,
    /// Which file is next.
    pub file_choice: FileChoice,
    /// Whose position a sequential I/O continues from.
    pub position: Position,
    /// Offset of the first sequential I/O.
    pub begin: Begin,
    /// What comes at the end of the region in a sequential order.
    pub at_end: AtEnd,
    /// Alignment of random offsets, counted from the start of the region.
    pub grid: Grid,
    /// A small area that gets a share of the I/Os (Vdbench's hit area).
    pub hits: Option<Hits>,
    /// For a random order: each I/O is a random distance after the previous one, between the two, in
    /// bytes (Vdbench's stride).
    pub stride: Option<(u64, u64)>,
    /// The generator of the random choices.
    pub draws: Draws,
    /// Weights of the files when the choice is [`FileChoice::Random`]; empty = all alike (DISKSPD's
    /// `Weight`).
    pub file_weights: Vec<u32>,
    /// Workers with separate starts are counted from this one (with DISKSPD's numbers): those before it are in
    /// other workloads.
    pub first_worker: u32,
    /// By file, the number of the stage's counter that is its shared position: workloads that name the same
    /// one share it. Empty = the workload has its own.
    pub counters: Vec<u32>,
}

/// Whose position a sequential I/O continues from.
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

/// Offset of the first sequential I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Begin {
    /// At the start of the region.
    #[default]
    Start,
    /// At a random block of it.
    Random,
    /// This many bytes further into the region for each further worker; at the end it continues at
    /// the start of the region (DISKSPD's `-T`).
    Apart(
        /// Bytes.
        u64,
    ),
}

/// What comes at the end of the region in a sequential order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AtEnd {
    /// As the stop rules say: a time-based run starts over.
    #[default]
    AsStopSays,
    /// The worker ends, time-based or not (Vdbench's `seekpct=eof`).
    Stop,
}

/// Alignment of random offsets, counted from the start of the region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Grid {
    /// As [`BlockSizes::align`] says.
    #[default]
    Sizes,
    /// The size of the I/O itself; what is left of the region after a multiple of the largest size is
    /// never accessed (Vdbench).
    Own,
    /// This many bytes. With DISKSPD's numbers also the stride of sequential I/Os.
    Bytes(
        /// At least 1.
        u64,
    ),
}

/// A small area that gets a share of the I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hits {
    /// Its bytes, at the start of the region; the others follow it.
    pub area: u64,
    /// Share of the reads.
    pub read_percent: Percent,
    /// Share of the writes.
    pub write_percent: Percent,
}

/// The generator of the random choices.
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
        /// Bytes skipped after each I/O; negative goes backwards.
        skip: i64,
    },
    /// Jumping.
    Random {
        /// A new random offset only after this many I/Os, at least 1.
        every: u32,
        /// Between two jumps the same offset is repeated, instead of the next ones.
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

/// Whether a block may repeat within one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coverage {
    /// Each block once per pass, in O(1) memory.
    #[default]
    OncePerPass,
    /// Independent draws.
    WithRepeats,
}

/// Distribution of random offsets over the region.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Distribution {
    /// All blocks equally likely.
    #[default]
    Uniform,
    /// The k-th most popular block has weight 1/k^theta.
    Zipf {
        /// Exponent, above 0 and not 1.
        theta: f64,
        /// Position of the most popular block, 0 to 1; `None` = anywhere. The others are scattered over
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
    /// A normal distribution around the centre.
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
    /// In turn, this many I/Os each.
    RoundRobin {
        /// I/Os before the next file, at least 1.
        ios: u32,
    },
    /// One file to its end, then the next.
    Sequential,
    /// Chosen at random, this many I/Os each.
    Random {
        /// I/Os before the next file, at least 1.
        ios: u32,
    },
    /// By Zipf's law.
    Zipf {
        /// Exponent.
        theta: f64,
    },
    /// By Pareto's law.
    Pareto {
        /// Between 0 and 1.
        h: f64,
    },
    /// By a normal distribution.
    Normal {
        /// Standard deviation in percent of the number of files.
        deviation: f64,
    },
    /// The queue is divided: each of n files has an n-th of the depth for itself, the first file the
    /// first slots (DISKSPD's threads over several targets).
    EachSlot,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Op;

    #[test]
    fn a_mix_has_the_operations_that_it_says() {
        for (mix, reads, writes, trims) in [
            (OpMix::reads(), true, false, false),
            (OpMix::Only(Op::Write), false, true, false),
            (OpMix::Only(Op::Trim), false, false, true),
            (OpMix::mixed(70), true, true, false),
            (OpMix::mixed(0), false, true, false),
            (OpMix::mixed(100), true, false, false),
            (OpMix::TrimWrite, false, true, true),
        ] {
            let has = Op::ALL.map(|op| mix.has(op));
            assert_eq!(has, [reads, writes, trims, false], "{mix:?}");
            let said = [mix.has_reads(), mix.writes(), mix.trims()];
            assert_eq!(said, [reads, writes, trims], "{mix:?}");
        }
    }

    #[test]
    fn sizes_have_a_smallest_and_a_largest_and_all_operations_a_smallest() {
        let range = Sizes::Range {
            min: 1024,
            max: 8192,
            unaligned: false,
        };
        let split = Sizes::Split(vec![(4096, 1), (512, 2), (65_536, 1)]);
        assert_eq!((range.min(), range.max()), (1024, 8192));
        assert_eq!((split.min(), split.max()), (512, 65_536));
        let none = Sizes::Split(Vec::new());
        assert_eq!((none.min(), none.max()), (0, 0));
        for place in 0..3 {
            let mut sizes = BlockSizes::fixed(4096);
            assert_eq!(sizes.smallest_of_any_op(), 4096);
            let of = &mut sizes.by_op;
            *[&mut of.read, &mut of.write, &mut of.trim][place] = split.clone();
            assert_eq!(sizes.smallest_of_any_op(), 512, "{place}");
        }
    }

    #[test]
    fn only_a_random_order_jumps() {
        let jumps = |every, identical| Order::Random { every, identical };
        for order in [jumps(1, false), jumps(8, false), jumps(8, true)] {
            assert!(order.is_random(), "{order:?}");
        }
        assert!(!Order::Sequential { skip: 0 }.is_random());
        assert!(!Order::Sequential { skip: -4096 }.is_random());
    }
}
