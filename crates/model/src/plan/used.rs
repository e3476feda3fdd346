//! Which operations and block sizes a workload's I/Os have, of all that its plan gives.
//!
//! Belongs here: every answer about "the" block size of a workload. Must never: count a size that no I/O has.

use super::access::Sizes;
use super::{BlockSizes, Blocks, OpMix, Workload};
use crate::op::Op;
use crate::units::Percent;
use std::borrow::Cow;

/// Block sizes that I/Os have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedSizes<'a> {
    /// Of which I/Os: `read`, or `sequential` where the order decides.
    pub what: &'static str,
    /// In bytes.
    pub sizes: &'a Sizes,
    /// Offsets are multiples of this; `None` = of the smallest size.
    pub align: Option<u64>,
}

impl OpMix {
    /// The operations that occur, flushes not among them.
    pub fn ops(self) -> impl Iterator<Item = Op> + Clone {
        Op::BLOCK.into_iter().filter(move |op| self.has(*op))
    }

    /// Share of an operation among the I/Os, 0 to 1.
    #[must_use]
    pub fn share_of(self, op: Op) -> f64 {
        match (self, op) {
            (_, op) if !self.has(op) => 0.0,
            (Self::ReadWrite { read_percent }, Op::Read) => read_percent.of_one(),
            (Self::ReadWrite { read_percent }, _) => read_percent.rest().of_one(),
            (Self::TrimWrite, _) => 0.5,
            (Self::Only(_), _) => 1.0,
        }
    }
}

/// Of files that differ ([`Blocks::parts`]) this is about what holds for all of them: [`Workload::by_file`] has each.
impl Blocks {
    /// The sizes that occur.
    #[must_use]
    pub fn used_sizes(&self) -> Vec<UsedSizes<'_>> {
        let BlockSizes {
            by_op,
            align,
            by_order,
        } = &self.sizes;
        if !*by_order {
            let of = |op: Op| UsedSizes {
                what: op.name(),
                sizes: by_op.get(op),
                align: *align.get(op),
            };
            return self.mix.ops().map(of).collect();
        }
        let sequential = UsedSizes {
            what: "sequential",
            sizes: &by_op.read,
            align: align.read,
        };
        let random = UsedSizes {
            what: "random",
            sizes: &by_op.write,
            align: align.write,
        };
        let percent = &self.access.random_percent;
        let only_jumps = || self.mix.ops().all(|op| *percent.get(op) == Percent::ALL);
        match self.access.order.is_random() {
            true if only_jumps() => vec![random],
            true => vec![sequential, random],
            false => vec![sequential],
        }
    }

    /// The sizes that the I/Os of one operation have; empty = it does not occur.
    #[must_use]
    pub fn used_sizes_of(&self, op: Op) -> Vec<UsedSizes<'_>> {
        let mut all = self.used_sizes();
        all.retain(|used| self.mix.has(op) && (self.sizes.by_order || used.what == op.name()));
        all
    }

    /// Largest size that occurs, in bytes; 0 = none does.
    #[must_use]
    pub fn largest(&self) -> u64 {
        largest(&self.used_sizes())
    }

    /// Largest size that an I/O of this operation has, in bytes; 0 = it does not occur.
    #[must_use]
    pub fn largest_of(&self, op: Op) -> u64 {
        largest(&self.used_sizes_of(op))
    }

    /// Smallest size that occurs, in bytes, at least 1.
    #[must_use]
    pub fn smallest(&self) -> u64 {
        let used = self.used_sizes();
        let least = used.iter().map(|used| used.sizes.min()).min();
        least.unwrap_or(1).max(1)
    }

    /// The only size that occurs, in bytes; `None` = there are several.
    #[must_use]
    pub fn only_size(&self) -> Option<u64> {
        only(&self.used_sizes())
    }

    /// The only size that I/Os of this operation have, in bytes; `None` = there are several, or it does not occur.
    #[must_use]
    pub fn only_size_of(&self, op: Op) -> Option<u64> {
        only(&self.used_sizes_of(op))
    }

    /// Mean size of all I/Os, in bytes: exact of one size and of weighted ones, nearly so of a range.
    #[must_use]
    pub fn mean_size(&self) -> f64 {
        // Exact, whatever the shares add up to.
        if let Some(size) = self.only_size() {
            return size as f64;
        }
        let of = |op: Op| self.mix.share_of(op) * self.mean_size_of(op);
        self.mix.ops().map(of).sum()
    }

    /// The same of the I/Os of one operation; 0 = it does not occur.
    #[must_use]
    pub fn mean_size_of(&self, op: Op) -> f64 {
        let by_op = &self.sizes.by_op;
        if !self.mix.has(op) {
            return 0.0;
        }
        if !self.sizes.by_order {
            return by_op.get(op).mean();
        }
        let jumps = match self.access.order.is_random() {
            true => self.access.random_percent.get(op).of_one(),
            false => 0.0,
        };
        by_op.read.mean() * (1.0 - jumps) + by_op.write.mean() * jumps
    }
}

impl Sizes {
    /// Mean size in bytes.
    fn mean(&self) -> f64 {
        match self {
            Self::Fixed(size) => *size as f64,
            Self::Range {
                min,
                max,
                unaligned: _,
            } => *min as f64 / 2.0 + *max as f64 / 2.0,
            Self::Split(parts) => {
                let weights: f64 = parts.iter().map(|part| f64::from(part.1)).sum();
                let bytes = parts.iter().map(|part| part.0 as f64 * f64::from(part.1));
                bytes.sum::<f64>() / weights.max(1.0)
            }
        }
    }
}

impl Workload {
    /// What it does on each of its files where these differ ([`Blocks::parts`]), else once what it does on all.
    pub fn by_file(&self) -> impl Iterator<Item = Cow<'_, Self>> {
        let files = self.blocks().parts.len().max(1);
        (0..files).map(|file| self.of_file(file))
    }
}

fn largest(used: &[UsedSizes<'_>]) -> u64 {
    let sizes = used.iter().map(|used| used.sizes.max());
    sizes.max().unwrap_or(0)
}

fn only(used: &[UsedSizes<'_>]) -> Option<u64> {
    let first = used.first()?.sizes.min();
    let is_it = |used: &UsedSizes<'_>| (used.sizes.min(), used.sizes.max()) == (first, first);
    (first > 0 && used.iter().all(is_it)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::PerOp;
    use crate::plan::{Order, Target};

    const RANDOM: Order = Order::Random {
        every: 1,
        identical: false,
    };

    /// 4 KiB reads, 64 KiB writes, 1 MiB trims.
    fn blocks(mix: OpMix) -> Blocks {
        let mut blocks = Blocks::new(Target::Null { size: 1 << 30 });
        let [read, write, trim] = [4096, 65_536, 1 << 20].map(Sizes::Fixed);
        blocks.sizes.by_op = PerOp { read, write, trim };
        blocks.mix = mix;
        blocks
    }

    #[test]
    fn sizes_of_operations_that_do_not_occur_do_not_count() {
        let of = |mix| {
            let blocks = blocks(mix);
            (blocks.smallest(), blocks.largest(), blocks.only_size())
        };
        assert_eq!(of(OpMix::reads()), (4096, 4096, Some(4096)));
        assert_eq!(of(OpMix::mixed(100)), (4096, 4096, Some(4096)));
        assert_eq!(of(OpMix::mixed(0)), (65_536, 65_536, Some(65_536)));
        assert_eq!(of(OpMix::mixed(50)), (4096, 65_536, None));
        assert_eq!(of(OpMix::TrimWrite), (65_536, 1 << 20, None));
        let mixed = blocks(OpMix::mixed(50));
        let each = Op::ALL.map(|op| (mixed.largest_of(op), mixed.only_size_of(op)));
        let both = [(4096, Some(4096)), (65_536, Some(65_536))];
        assert_eq!(each, [both[0], both[1], (0, None), (0, None)]);
        // The sizes themselves know no mix.
        assert_eq!(mixed.sizes.smallest_of_any_op(), 4096);
    }

    /// A quarter of the I/Os read.
    #[test]
    fn the_mean_size_is_that_of_the_shares() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
        near(blocks(OpMix::reads()).mean_size(), 4096.0);
        near(blocks(OpMix::mixed(25)).mean_size(), 50_176.0);
        near(blocks(OpMix::TrimWrite).mean_size(), 557_056.0);
        let mut split = blocks(OpMix::reads());
        split.sizes.by_op.read = Sizes::Split(vec![(4096, 90), (65_536, 10)]);
        near(split.mean_size(), 10_240.0);
        near(split.mean_size_of(Op::Write), 0.0);
        split.sizes.by_op.read = Sizes::Range {
            min: 4096,
            max: 8192,
            unaligned: false,
        };
        near(split.mean_size_of(Op::Read), 6144.0);
    }

    #[test]
    fn where_the_order_decides_only_the_sizes_of_that_order_occur() {
        let mut own = blocks(OpMix::Only(Op::Write));
        own.sizes.by_order = true;
        assert_eq!((own.largest(), own.largest_of(Op::Write)), (4096, 4096));
        assert_eq!(own.used_sizes()[0].what, "sequential");
        own.access.order = RANDOM;
        assert_eq!(own.only_size(), Some(65_536));
        own.access.random_percent = PerOp::splat(Percent::whole(25));
        assert_eq!((own.smallest(), own.largest()), (4096, 65_536));
        assert_eq!(own.used_sizes_of(Op::Write).len(), 2);
        assert!(own.used_sizes_of(Op::Read).is_empty());
        let mean = own.mean_size();
        assert!((mean - 19_456.0).abs() < 1e-6, "{mean}");
    }

    #[test]
    fn several_sizes_of_one_operation_are_not_one_size() {
        let mut own = blocks(OpMix::reads());
        own.sizes = BlockSizes::fixed(4096);
        own.sizes.by_op.read = Sizes::Split(vec![(512, 1), (8192, 1)]);
        assert_eq!((own.smallest(), own.largest()), (512, 8192));
        assert_eq!(own.only_size(), None);
    }

    #[test]
    fn files_that_are_alike_are_said_once() {
        let paths = ["a", "b"].map(str::to_owned).to_vec();
        let w = Workload::new("w", Target::Paths(paths));
        assert_eq!(w.by_file().count(), 1);
    }
}
