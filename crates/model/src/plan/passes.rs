//! Passes of a workload over its region, and the bytes of its loops.
//!
//! Belongs here: what of that follows from the workload alone, so that a run and what is said of it beforehand agree.
//! Must never: look at a target.

use super::{Blocks, Coverage, Distribution, OpMix, Order, Position, Workload};
use crate::op::Op;
use crate::units::{Percent, whole};

impl Blocks {
    /// Reads and writes go through the target in order, each for itself.
    #[must_use]
    pub fn walks_apart(&self) -> bool {
        self.mix.has_reads()
            && self.mix.writes()
            && self.access.position == Position::EachKind
            && matches!(self.access.order, Order::Sequential { .. })
    }

    /// What the bytes of a pass over a file are a multiple of, for its rest is never met. Draws with repeats, runs
    /// after a jump and what skips have no such pass and continue until all bytes are done; a pass at random ends where
    /// not even the smallest I/O fits, and one in order at the last whole block (each measured with fio 3.33).
    /// `None` = the rest counts.
    #[must_use]
    pub fn pass_grain(&self) -> Option<u64> {
        match self.access.order {
            Order::Random { .. } => self.meets_each_block_once().then(|| self.smallest()),
            Order::Sequential { skip } if skip != 0 && matches!(self.mix, OpMix::Only(_)) => None,
            // Where reads and writes have positions of their own, neither reaches the rest at the end.
            Order::Sequential { .. } => self.only_size().filter(|_| !self.walks_apart()),
        }
    }

    /// At random, a pass meets each block once.
    fn meets_each_block_once(&self) -> bool {
        let alike = |op| *self.access.distribution.get(op) == Distribution::Uniform;
        matches!(self.access.order, Order::Random { every, .. } if every <= 1)
            && self.access.coverage == Coverage::OncePerPass
            && self.mix.ops().all(alike)
    }

    /// Whether a loop ends with a pass that meets all of the region (measured with fio 3.33): not where blocks may
    /// repeat or be left out, and not where reads and writes go through it each for itself.
    fn has_whole_passes(&self) -> bool {
        match self.access.order {
            Order::Random { .. } => {
                let jumps = |op| *self.access.random_percent.get(op) == Percent::ALL;
                self.meets_each_block_once() && self.mix.ops().all(jumps)
            }
            Order::Sequential { skip } => skip == 0 && !self.walks_apart(),
        }
    }

    /// The bytes after which the first of two walks, one of the reads and one of the writes, is expected at the end of
    /// `pass` bytes.
    fn until_first_walk_ends(&self, pass: u64) -> u64 {
        let of = |op: Op| self.mix.share_of(op) * self.mean_size_of(op);
        let (read, write) = (of(Op::Read), of(Op::Write));
        let larger = read.max(write) / (read + write);
        match larger.is_finite() && larger > 0.0 {
            true => whole(pass as f64 / larger),
            false => pass,
        }
    }
}

impl Workload {
    /// The bytes that a worker does in all its loops, where each is to do `amount` bytes over a region of which a pass
    /// meets `pass` bytes.
    ///
    /// One loop does the amount, whatever the region. Of more than the region holds several loops are whole passes, as
    /// many as the amount takes, where there are such passes; where reads and writes go through the region each for
    /// itself, a pass ends with the first of them that is at the end; all others do the amount in each loop (each
    /// measured with fio 3.33).
    #[must_use]
    pub fn bytes_of_loops(&self, amount: u64, pass: u64) -> u64 {
        let loops = u64::from(self.stop.loops.max(1));
        let blocks = self.blocks();
        let skips = matches!(blocks.access.order, Order::Sequential { skip } if skip != 0);
        let pass = match blocks.walks_apart() && !skips {
            _ if loops == 1 => return amount,
            true => blocks.until_first_walk_ends(pass),
            false if pass == 0 => return 0,
            false if !blocks.has_whole_passes() => return amount.saturating_mul(loops),
            false => pass,
        };
        let passes = amount.div_ceil(pass.max(1)).max(loops);
        amount.min(pass).saturating_mul(passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::PerOp;
    use crate::plan::Target;

    const MIB: u64 = 1 << 20;

    /// 8 MiB in blocks of 4 KiB, with loops of 12 MiB.
    fn total(loops: u32, change: &dyn Fn(&mut Blocks)) -> u64 {
        let mut w = Workload::new("w", Target::Paths(vec!["/mnt/x".into()]));
        w.stop.loops = loops;
        change(w.blocks_mut());
        w.bytes_of_loops(12 * MIB, 8 * MIB)
    }

    const fn zipf() -> Distribution {
        Distribution::Zipf {
            theta: 1.2,
            center: None,
        }
    }

    const RANDOM: Order = Order::Random {
        every: 1,
        identical: false,
    };

    /// Each figure was measured with fio 3.33.
    #[test]
    fn loops_of_more_than_there_is_are_passes_only_where_there_are_passes() {
        assert_eq!(total(1, &|_| {}), 12 * MIB);
        assert_eq!(total(3, &|_| {}), 24 * MIB);
        assert_eq!(total(3, &|b| b.access.order = RANDOM), 24 * MIB);
        let mixed = |b: &mut Blocks| (b.access.order, b.mix) = (RANDOM, OpMix::mixed(50));
        assert_eq!(total(3, &mixed), 24 * MIB);
        let without: [&dyn Fn(&mut Blocks); 6] = [
            &|b| b.access.coverage = Coverage::WithRepeats,
            &|b| b.access.distribution = PerOp::splat(zipf()),
            &|b| b.access.random_percent = PerOp::splat(Percent::whole(50)),
            &|b| {
                b.access.order = Order::Random {
                    every: 8,
                    identical: false,
                }
            },
            &|b| b.access.order = Order::Sequential { skip: 4096 },
            &|b| b.access.order = Order::Sequential { skip: -8192 },
        ];
        for (number, change) in without.into_iter().enumerate() {
            let of = |b: &mut Blocks| {
                b.access.order = RANDOM;
                change(b);
            };
            assert_eq!(total(3, &of), 36 * MIB, "{number}");
        }
    }

    /// `rw=rw`: 80 % are the walk of 8 MiB after 10 MiB, and two of these are more than the amount.
    #[test]
    fn a_pass_of_two_walks_ends_with_the_first() {
        assert_eq!(total(3, &|b| b.mix = OpMix::mixed(50)), 36 * MIB);
        assert_eq!(total(3, &|b| b.mix = OpMix::mixed(80)), 30 * MIB);
        assert_eq!(total(2, &|b| b.mix = OpMix::mixed(80)), 20 * MIB);
        // All of it is one walk, so that the amount takes two, and with 90 % four of 20 MiB.
        assert_eq!(total(2, &|b| b.mix = OpMix::mixed(100)), 16 * MIB);
        let mut w = Workload::new("w", Target::Paths(vec!["/mnt/x".into()]));
        (w.stop.loops, w.blocks_mut().mix) = (2, OpMix::mixed(90));
        let (amount, pass) = (10 * MIB, 4 * MIB);
        let reads = w.bytes_of_loops(amount, pass) * 9 / 10;
        assert!(reads.abs_diff(12 * MIB) < 4096, "{reads}");
        assert_eq!(total(1, &|b| b.mix = OpMix::mixed(80)), 12 * MIB);
        // One position for both is one walk.
        let one = |b: &mut Blocks| {
            b.mix = OpMix::mixed(80);
            b.access.position = Position::EachFile;
        };
        assert_eq!(total(3, &one), 24 * MIB);
    }

    #[test]
    fn a_region_of_nothing_has_no_bytes_in_several_loops() {
        for order in [RANDOM, Order::Sequential { skip: 0 }] {
            for coverage in [Coverage::OncePerPass, Coverage::WithRepeats] {
                let mut w = Workload::new("w", Target::Paths(vec!["/mnt/x".into()]));
                (w.stop.loops, w.blocks_mut().access.order) = (2, order);
                w.blocks_mut().access.coverage = coverage;
                assert_eq!(w.bytes_of_loops(MIB, 0), 0);
            }
        }
    }
}
