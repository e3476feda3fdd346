//! Which operation, which offset, which size, in which file: the stream of I/Os of one worker.
//!
//! Belongs here: everything random or in order about the choice of the next I/O. Must never: do I/O,
//! read a clock, allocate after construction, or know who else uses the same files.
//!
//! What is meant by each choice (facts that dialects rely on):
//! - Sequential: each kind of operation has a position of its own in each file, as in fio, unless the
//!   plan asks for one position for all ([`Access::one_position`]). A pass of a kind ends at the end of
//!   its last file; [`Generator::start_pass`] then sends that kind back to the start and leaves the
//!   others where they are. A negative skip starts at the end and goes backwards.
//! - Random, each block once: reads and writes share one walk when they have the same unit. The unit is
//!   the alignment, else the smallest size: with several sizes each unit starts one I/O in a pass, and
//!   an I/O is cut at the region's end, so that a pass moves more than the region's bytes.
//! - Random with repeats, and all uneven spreads: independent draws without an end. Uneven spreads
//!   repeat by their nature, whatever the coverage.
//! - Popular blocks of an uneven spread without a centre are scattered by a permutation, which keeps
//!   the law exact. With a centre the k-th most popular block is the k-th after it, around the end.
//! - A share of random I/Os below 100 %: the others go on where the last I/O of that kind in that file
//!   ended, and jump at the end of the region. Share 0 is sequential.
//! - Several files: a file whose part of the pass is over is left out until the next pass. Files have
//!   their turns for each walk by itself, so with sequential mixes for reads and writes apart.
//! - Trim and write: the write follows its trim with the same file, offset and length.
//! - The same seed gives the same stream for the same calls of [`Generator::next`]; how often
//!   [`Generator::pick_op`] is called has no influence on offsets and sizes.

mod choose;
mod lane;
mod law;
mod permute;
pub(crate) mod rng;
mod sizes;

use crate::schedule::Extent;
use lane::{Blend, Course, Lane, LanePlan, OpSizes, Place};
use leadline_model::plan::Workload;
use leadline_model::plan::access::{Access, Coverage, Distribution, OpMix, Order};
use leadline_model::units::Op;
use rng::{Stream, derive, threshold};
use sizes::SizeDraw;

/// The next I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// What it does.
    pub op: Op,
    /// Index of the file among the extents.
    pub file: u32,
    /// First byte, counted from the start of the file.
    pub offset: u64,
    /// Number of bytes, at least 1.
    pub len: u32,
}

/// The stream of I/Os of one worker.
#[derive(Clone, Debug)]
pub struct Generator {
    /// By [`Op::index`]; syncs have the write's, as they never get one.
    lane_of: [u8; 4],
    sizes: [OpSizes; 4],
    lanes: Vec<Lane>,
    random: Stream,
    op_random: Stream,
    pick: Pick,
    /// The trimmed place that is to be written next.
    trimmed: Option<Place>,
    /// Lanes that ended their pass, by bit.
    ended: u8,
    pass_bytes: u64,
}

#[derive(Clone, Copy, Debug)]
enum Pick {
    Only(Op),
    /// Reads below this share of 2^64.
    Mix(u64),
    TrimWrite,
}

impl Generator {
    /// The stream of a worker of `workload` over `extents`, one for each file, all random choices
    /// taken from `seed`. Memory: at most 180 bytes for each file (68 when all operations share one
    /// position), none of it touched but the chosen file's.
    #[must_use]
    pub fn new(workload: &Workload, extents: &[Extent], seed: u64) -> Self {
        let trim_write = workload.mix == OpMix::TrimWrite;
        // The write of a trimmed block goes where the trim went, so all follow the trims.
        let of = |op: Op| if trim_write { Op::Trim } else { op };
        let mut plans: Vec<LanePlan> = Vec::new();
        let mut lane_of = [0u8; 4];
        for op in Op::ALL {
            if !uses(workload.mix, op) {
                continue;
            }
            let plan = lane_plan(workload, of(op));
            let shared = plans
                .iter_mut()
                .position(|known| share(known, &plan, &workload.access));
            let lane = shared.unwrap_or_else(|| {
                plans.push(plan.clone());
                plans.len() - 1
            });
            plans[lane].min = plans[lane].min.min(plan.min);
            plans[lane].max = plans[lane].max.max(plan.max);
            lane_of[op.index()] = u8::try_from(lane).unwrap_or(0);
        }
        lane_of[Op::Sync.index()] = lane_of[Op::Write.index()];
        let lanes: Vec<Lane> = plans
            .iter()
            .zip(1..)
            .map(|(plan, i)| {
                Lane::new(plan, &workload.access.file_choice, extents, derive(seed, i))
            })
            .collect();
        Self {
            lane_of,
            sizes: Op::ALL.map(|op| op_sizes(workload, of(op))),
            pass_bytes: lanes.iter().map(Lane::usable).max().unwrap_or(0),
            lanes,
            random: Stream::new(derive(seed, 100)),
            op_random: Stream::new(derive(seed, 101)),
            pick: match workload.mix {
                OpMix::Only(op) => Pick::Only(op),
                OpMix::ReadWrite { read_percent: 0 } => Pick::Only(Op::Write),
                OpMix::ReadWrite {
                    read_percent: 100..,
                } => Pick::Only(Op::Read),
                OpMix::ReadWrite { read_percent } => Pick::Mix(threshold(read_percent)),
                OpMix::TrimWrite => Pick::TrimWrite,
            },
            trimmed: None,
            ended: 0,
        }
    }

    /// The kind of the next I/O, by the workload's shares: drawn anew at each call. For trim and write:
    /// whichever of the two is due.
    #[inline]
    pub fn pick_op(&mut self) -> Op {
        match self.pick {
            Pick::Only(op) => op,
            Pick::Mix(reads) if self.op_random.bits() < reads => Op::Read,
            Pick::Mix(_) => Op::Write,
            Pick::TrimWrite if self.trimmed.is_some() => Op::Write,
            Pick::TrimWrite => Op::Trim,
        }
    }

    /// The next I/O of kind `op`, which must be one that the workload has. `None`: the pass over the
    /// region is complete for this kind; [`Generator::start_pass`] begins the next. Without a byte in
    /// any extent it stays `None`.
    #[inline]
    pub fn next(&mut self, op: Op) -> Option<Io> {
        if let Pick::TrimWrite = self.pick
            && op == Op::Write
            && let Some(place) = self.trimmed.take()
        {
            return Some(place.with(op));
        }
        let lane = self.lane_of[op.index()];
        let sizes = &self.sizes[op.index()];
        let place = self
            .lanes
            .get_mut(usize::from(lane))?
            .next(sizes, &mut self.random);
        if let (Pick::TrimWrite, Op::Trim) = (self.pick, op) {
            self.trimmed = place;
        }
        if place.is_none() {
            self.ended |= 1 << lane;
        }
        place.map(|place| place.with(op))
    }

    /// Begins a new pass for the kinds of operation that ended theirs, or for all when none did: a new
    /// random order, sequential from the start. Takes time in proportion to the number of files.
    pub fn start_pass(&mut self) {
        let ended = if self.ended == 0 { u8::MAX } else { self.ended };
        for (lane, i) in self.lanes.iter_mut().zip(0..) {
            if ended & (1 << i) != 0 {
                lane.restart();
            }
        }
        self.ended = 0;
        self.trimmed = None;
    }

    /// Bytes of the region that a pass can touch, all files together: what one pass moves when there is
    /// one block size and nothing is skipped.
    #[must_use]
    pub const fn pass_bytes(&self) -> u64 {
        self.pass_bytes
    }
}

impl Place {
    #[inline]
    const fn with(self, op: Op) -> Io {
        Io {
            op,
            file: self.file,
            offset: self.offset,
            len: self.len,
        }
    }
}

/// Whether a mix can ask for `op`.
const fn uses(mix: OpMix, op: Op) -> bool {
    match (mix, op) {
        (OpMix::Only(only), op) => only.index() == op.index(),
        (OpMix::ReadWrite { .. }, op) => matches!(op, Op::Read | Op::Write),
        (OpMix::TrimWrite, op) => matches!(op, Op::Write | Op::Trim),
    }
}

/// Lengths of `op` when it jumps and when it goes on.
fn op_sizes(workload: &Workload, op: Op) -> OpSizes {
    let sizes = &workload.sizes;
    let (onward, jump) = if sizes.by_order {
        (&sizes.by_op.read, &sizes.by_op.write)
    } else {
        (sizes.by_op.get(op), sizes.by_op.get(op))
    };
    OpSizes {
        onward: SizeDraw::new(onward),
        jump: SizeDraw::new(jump),
    }
}

/// The lane that `op` would have for itself.
fn lane_plan(workload: &Workload, op: Op) -> LanePlan {
    let access = &workload.access;
    let jump_percent = *access.random_percent.get(op);
    let distribution = access.distribution.get(op);
    let (course, blend) = match access.order {
        Order::Sequential { skip } => (Course::Sequential { skip }, None),
        Order::Random { .. } if jump_percent == 0 => (Course::Sequential { skip: 0 }, None),
        Order::Random { every, identical } => {
            let once =
                *distribution == Distribution::Uniform && access.coverage == Coverage::OncePerPass;
            let course = if once {
                Course::Once
            } else {
                Course::Draws(distribution.clone())
            };
            let blend = Blend {
                jump_below: threshold(jump_percent),
                every: every.max(1),
                identical,
            };
            (course, (jump_percent < 100 || every > 1).then_some(blend))
        }
    };
    let sizes = op_sizes(workload, op);
    let (size, align_of) = match (&course, workload.sizes.by_order) {
        (Course::Sequential { .. }, true) => (&sizes.onward, Op::Read),
        (Course::Sequential { .. }, false) => (&sizes.onward, op),
        (_, true) => (&sizes.jump, Op::Write),
        (_, false) => (&sizes.jump, op),
    };
    let align = *workload.sizes.align.get(align_of);
    LanePlan {
        course,
        blend,
        unit: align
            .and_then(|a| u32::try_from(a).ok())
            .unwrap_or(size.min())
            .max(1),
        min: size.min(),
        max: size.max(),
    }
}

/// Whether two kinds of operation walk together.
fn share(a: &LanePlan, b: &LanePlan, access: &Access) -> bool {
    if a.course != b.course || a.blend != b.blend {
        return false;
    }
    match a.course {
        Course::Sequential { .. } => access.one_position,
        _ if a.unit != b.unit => false,
        Course::Once if a.blend.is_none() => true,
        _ => access.one_position,
    }
}

#[cfg(test)]
mod tests;
