//! Which operation, which offset, which size, in which file: the stream of I/Os of one worker.
//!
//! Belongs here: everything random or in order about the choice of the next I/O. Must never: do I/O,
//! read a clock, allocate after construction, or know who else uses the same files.
//!
//! What each choice means (facts that dialects rely on):
//! - Sequential: each kind of operation has a position of its own in each file, as in fio, unless the
//!   plan asks for one position for all ([`Access::position`]). A pass of a kind ends at the end of
//!   its last file; [`Generator::start_pass`] then sends that kind back to the start and leaves the
//!   others where they are. A negative skip starts at the end and goes backwards.
//! - Random, each block once: reads and writes share one walk when they have the same unit, which is the
//!   alignment, else the smallest size. With several sizes an I/O is cut short where it would meet a block
//!   that is done (`pattern.rs`), so that a pass moves each block once; where random and sequential I/Os are
//!   blended each unit starts one I/O, and blocks may come twice.
//! - Random with repeats, and all uneven spreads: independent draws without an end. Uneven spreads
//!   repeat by their nature, whatever the coverage.
//! - Blocks of Zipf's and Pareto's law are scattered by a permutation, which keeps the law exact; they
//!   are the same for reads and writes and in all passes. A centre gives the most popular block a place;
//!   the others are scattered all the same, as in fio. The bell and zones are where they are said to be.
//! - A share of random I/Os below 100 %: the others continue where the last I/O of that kind in that file
//!   ended, and jump at the end of the region. Share 0 is sequential.
//! - What only some plans ask for (hits, strides, positions of slots, other first places): in
//!   `lane/walks.rs`. The numbers of DISKSPD: in `diskspd.rs`, which takes the place of all lanes.
//! - Several files: a file whose part of the pass is over is left out until the next pass. Files have
//!   their turns for each walk by itself, so with sequential mixes for reads and writes apart.
//! - Trim and write: the write follows its trim with the same file, offset and length. Whether the trim
//!   has ended by then is the worker's business.
//! - A region that wraps around is walked as if it had no end; offsets past the end wrap to the start
//!   (`lane/wraps.rs`).
//! - The same seed gives the same stream for the same calls of [`Generator::next`]; how often
//!   [`Generator::pick_op`] is called has no influence on offsets and sizes.

mod choose;
mod diskspd;
mod lane;
mod pattern;
mod permute;
pub(crate) mod rng;
mod sampler;
mod shared;
mod sizes;

pub use shared::Cursors;

use crate::extent::{Extent, WrapPoint};
use crate::op_table::OpTable;
use diskspd::Diskspd;
use lane::{
    AccessPattern, Blend, BlockRef, First, Lane, LanePlan, OpSizes, SoleLane, SoloMode, Walk,
};
use leadline_model::op::Op;
use leadline_model::plan::Workload;
use leadline_model::plan::access::{
    Access, AtEnd, Begin, Coverage, Distribution, Draws, Grid, OpMix, Order, Position,
};
use leadline_model::units::Percent;
use pattern::Kind;
use rng::{Purpose, Stream, derive, threshold};
use sizes::SizeDraw;
use std::sync::Arc;

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

/// Places for lanes: each operation has at most one of its own, and an index that is masked needs no check.
const LANES: usize = Op::COUNT.next_power_of_two();
/// Makes a lane's number an index below [`LANES`].
const LANE_MASK: usize = LANES - 1;

/// The stream of I/Os of one worker.
#[derive(Clone, Debug)]
pub struct Generator {
    /// Syncs have the write's, as they never get one.
    lane_of: OpTable<u8>,
    route: Route,
    /// By lane, when the route is short.
    solos: [SoleLane; LANES],
    sizes: OpTable<OpSizes>,
    lanes: Vec<Lane>,
    random: Stream,
    op_random: Stream,
    pick: Pick,
    /// The trimmed place that is to be written next.
    trimmed: Option<BlockRef>,
    /// Lanes that ended their pass, by bit.
    ended: u8,
    pass_bytes: u64,
    /// Takes the place of the lanes where DISKSPD's numbers are asked for.
    diskspd: Option<Box<Diskspd>>,
    /// The slot of the next I/O, where slots have positions.
    slot: u16,
}

#[derive(Clone, Copy, Debug)]
enum Pick {
    /// With the I/O, which is made ahead.
    WithTheIo,
    Only(Op),
    /// Reads below this share of 2^64.
    Mix(u64),
    TrimWrite,
}

impl Pick {
    fn new(mix: OpMix) -> Self {
        match mix {
            OpMix::Only(op) => Self::Only(op),
            OpMix::ReadWrite {
                read_percent: Percent::NONE,
            } => Self::Only(Op::Write),
            OpMix::ReadWrite {
                read_percent: Percent::ALL,
            } => Self::Only(Op::Read),
            OpMix::ReadWrite { read_percent } => Self::Mix(threshold(read_percent)),
            OpMix::TrimWrite => Self::TrimWrite,
        }
    }

    /// Whether it can ask for `op`.
    const fn has(self, op: Op) -> bool {
        match self {
            Self::Only(only) => only.index() == op.index(),
            Self::Mix(_) | Self::WithTheIo => matches!(op, Op::Read | Op::Write),
            Self::TrimWrite => matches!(op, Op::Write | Op::Trim),
        }
    }
}

/// How an I/O is found: the cases that matter most go without the lane's machinery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Lanes,
    /// All lanes have a [`SoleLane`] of this mode.
    Solos(SoloMode),
}

impl Generator {
    /// The stream of a worker of `workload` over `extents`, one for each file, all random choices
    /// taken from `seed`. Memory: 68 bytes for each file and each position that files have (one, or one
    /// for each kind of operation); up to 28 more when random and sequential I/Os are blended.
    #[must_use]
    pub fn new(workload: &Workload, extents: &[Extent], seed: u64) -> Self {
        let cursors = Arc::new(Cursors::new(extents.len(), seed));
        Self::seated(workload, extents, seed, (0, cursors))
    }

    /// With the points at which extents wrap, by file.
    pub(crate) fn wrapped(mut self, wraps: &[Option<WrapPoint>]) -> Self {
        if !wraps.is_empty() {
            self.lanes.iter_mut().for_each(|lane| lane.wrap_at(wraps));
            // The fast path knows nothing of wraps.
            self.route = Route::Lanes;
        }
        self
    }

    /// As [`Generator::new`], of the worker with this number, which shares these positions with others.
    pub(crate) fn seated(
        workload: &Workload,
        extents: &[Extent],
        seed: u64,
        (worker, cursors): (u32, Arc<Cursors>),
    ) -> Self {
        let access = &workload.blocks().access;
        let diskspd = (access.draws == Draws::Diskspd).then(|| {
            let seed = access.seed.unwrap_or(seed);
            Diskspd::new(workload, extents, seed, worker, Arc::clone(&cursors))
        });
        let pick = match Pick::new(workload.blocks().mix) {
            Pick::Mix(_) if diskspd.is_some() => Pick::WithTheIo,
            pick => pick,
        };
        // The write of a trimmed block goes where the trim went, so all follow the trims.
        let of = |op: Op| match pick {
            Pick::TrimWrite => Op::Trim,
            _ => op,
        };
        let mut plans: Vec<LanePlan> = Vec::new();
        let mut lane_of = OpTable::<u8>::default();
        let mut sizes = OpTable::from_fn(|op| op_sizes(workload, of(op)));
        let by_lanes = |op: &Op| pick.has(*op) && diskspd.is_none();
        for op in Op::BLOCK.into_iter().filter(by_lanes) {
            let plan = lane_plan(workload, of(op), worker);
            let shared = plans.iter().position(|known| share(known, &plan, access));
            let lane = shared.unwrap_or_else(|| {
                plans.push(plan.clone());
                plans.len() - 1
            });
            plans[lane].min = plans[lane].min.min(plan.min);
            plans[lane].max = plans[lane].max.max(plan.max);
            lane_of[op] = u8::try_from(lane).unwrap_or_default();
            sizes[op].kind = kind_of(&mut plans[lane].kinds, plan.kinds);
        }
        let choice = (&access.file_choice, access.file_weights.as_slice());
        let lanes: Vec<Lane> = plans
            .iter()
            .zip(0..)
            .map(|(plan, i)| {
                let seeds = (
                    derive(seed, Purpose::Order, i),
                    derive(seed, Purpose::Scatter, 0),
                );
                Lane::new(plan, choice, extents, seeds, &cursors)
            })
            .collect();
        let touched = diskspd.as_ref().map(Diskspd::usable);
        let mut generator = Self {
            lane_of,
            route: route(&lanes, pick),
            solos: Default::default(),
            sizes,
            pass_bytes: touched
                .into_iter()
                .chain(lanes.iter().map(Lane::usable))
                .max()
                .unwrap_or_default(),
            lanes,
            random: Stream::new(derive(seed, Purpose::Choices, 0)),
            op_random: Stream::new(derive(seed, Purpose::Operations, 0)),
            pick,
            trimmed: None,
            ended: 0,
            diskspd: diskspd.map(Box::new),
            slot: 0,
        };
        for lane in 0..generator.lanes.len() {
            generator.load_solo(lane);
        }
        generator
    }

    /// Which slot of the queue the next I/O is for. Only of interest where slots have positions.
    pub fn for_slot(&mut self, slot: u16) {
        self.slot = slot;
        for lane in &mut self.lanes {
            lane.for_slot(slot);
        }
    }

    /// The kind of every I/O, when there is only one.
    #[inline]
    #[must_use]
    pub fn only_op(&self) -> Option<Op> {
        match self.pick {
            Pick::Only(op) => Some(op),
            Pick::Mix(_) | Pick::TrimWrite | Pick::WithTheIo => None,
        }
    }

    /// The kind of the next I/O, by the workload's shares: drawn at each call. For trim and write:
    /// whichever of the two is due.
    #[inline]
    pub fn pick_op(&mut self) -> Op {
        match self.pick {
            Pick::Only(op) => op,
            Pick::Mix(reads) if self.op_random.bits() < reads => Op::Read,
            Pick::Mix(_) => Op::Write,
            Pick::TrimWrite if self.trimmed.is_some() => Op::Write,
            Pick::TrimWrite => Op::Trim,
            Pick::WithTheIo => match &mut self.diskspd {
                Some(diskspd) => diskspd.pick_op(self.slot.into()),
                None => Op::Read,
            },
        }
    }

    /// The next I/O of kind `op`, which must be one that the workload has. `None`: the pass over the
    /// region is complete for this kind; [`Generator::start_pass`] begins the next. Without a byte in
    /// any extent it stays `None`.
    #[inline(always)]
    pub fn next(&mut self, op: Op) -> Option<Io> {
        let Route::Solos(mode) = self.route else {
            return self.next_by_lane(op);
        };
        let lane = self.lane_of[op];
        let solo = &mut self.solos[usize::from(lane) & LANE_MASK];
        let at = solo.next;
        if at >= solo.end {
            return self.end(lane);
        }
        let position = match mode {
            SoloMode::Straight => {
                solo.next = at + u64::from(solo.len);
                at
            }
            SoloMode::Once => {
                solo.next = at + 1;
                solo.units.at(at) * solo.unit
            }
            SoloMode::Anywhere => self.random.below(solo.end) * solo.unit,
        };
        Some(Io {
            op,
            file: 0,
            offset: solo.start + position,
            len: solo.len,
        })
    }

    /// The state of [`Generator::next`] for `op`, where that is so little that a loop can keep it in
    /// registers. To be given back before anything else is asked of the generator.
    #[inline]
    pub(crate) fn lend(&self, op: Op) -> Option<LentGenerator> {
        let lane = self.lane_of[op];
        match self.route {
            Route::Solos(mode @ (SoloMode::Straight | SoloMode::Once)) => Some(LentGenerator {
                lane,
                once: mode == SoloMode::Once,
                solo: self.solos[usize::from(lane) & LANE_MASK].clone(),
            }),
            _ => None,
        }
    }

    /// Continues where the lent state ended.
    #[inline]
    pub(crate) fn take_back(&mut self, lent: &LentGenerator) {
        self.solos[usize::from(lent.lane) & LANE_MASK].next = lent.solo.next;
    }

    /// [`Generator::next`] by the general way.
    #[inline(never)]
    fn next_by_lane(&mut self, op: Op) -> Option<Io> {
        if let Some(diskspd) = &mut self.diskspd {
            return diskspd.next(op, self.slot.into());
        }
        let trims = matches!(self.pick, Pick::TrimWrite);
        if trims
            && op == Op::Write
            && let Some(place) = self.trimmed.take()
        {
            return Some(place.with(op));
        }
        let lane = self.lane_of[op];
        let sizes = &self.sizes[op];
        let place = self
            .lanes
            .get_mut(usize::from(lane))?
            .next(sizes, &mut self.random);
        let Some(place) = place else {
            return self.end(lane);
        };
        if trims && op == Op::Trim {
            self.trimmed = Some(place);
        }
        Some(place.with(op))
    }

    /// A lane's pass is over.
    #[cold]
    const fn end(&mut self, lane: u8) -> Option<Io> {
        self.ended |= 1 << lane;
        None
    }

    fn load_solo(&mut self, lane: usize) {
        if let Some((_, solo)) = self.lanes[lane].solo() {
            self.solos[lane] = solo;
        }
    }

    /// Begins a new pass for the kinds of operation that got `None` since the last start, or for all when
    /// none did: a new random order, sequential from the start. Takes time in proportion to the number of files.
    pub fn start_pass(&mut self) {
        let ended = if self.ended == 0 { u8::MAX } else { self.ended };
        for lane in 0..self.lanes.len() {
            if ended & (1 << lane) != 0 {
                self.lanes[lane].restart();
                self.load_solo(lane);
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

/// What [`Generator::lend`] gives.
pub(crate) struct LentGenerator {
    lane: u8,
    once: bool,
    solo: SoleLane,
}

impl LentGenerator {
    /// Offset and length of the next I/O, in the first file. `None`: the generator knows how to continue.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<(u64, u32)> {
        let solo = &mut self.solo;
        let at = solo.next;
        if at >= solo.end {
            return None;
        }
        let position = if self.once {
            solo.next = at + 1;
            solo.units.at(at) * solo.unit
        } else {
            solo.next = at + u64::from(solo.len);
            at
        };
        Some((solo.start + position, solo.len))
    }
}

impl BlockRef {
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

/// The shortest way that all lanes allow.
fn route(lanes: &[Lane], pick: Pick) -> Route {
    let mut modes = lanes.iter().map(|lane| lane.solo().map(|(mode, _)| mode));
    match modes.next() {
        Some(Some(mode))
            if !matches!(pick, Pick::TrimWrite) && modes.all(|other| other == Some(mode)) =>
        {
            Route::Solos(mode)
        }
        _ => Route::Lanes,
    }
}

/// Lengths of `op` when it jumps and when it continues.
fn op_sizes(workload: &Workload, op: Op) -> OpSizes {
    let sizes = &workload.blocks().sizes;
    let (onward, jump) = if sizes.by_order {
        (&sizes.by_op.read, &sizes.by_op.write)
    } else {
        (sizes.by_op.get(op), sizes.by_op.get(op))
    };
    OpSizes {
        onward: SizeDraw::new(onward),
        jump: SizeDraw::new(jump),
        hit_below: threshold(match (workload.blocks().access.hits, op) {
            (Some(hits), Op::Read) => hits.read_percent,
            (Some(hits), _) => hits.write_percent,
            (None, _) => Percent::NONE,
        }),
        // Numbered with the lane's.
        kind: u8::default(),
    }
}

/// The pattern of `op`, and what is between its jumps.
fn pattern(workload: &Workload, op: Op) -> (AccessPattern, Option<Blend>) {
    let access = &workload.blocks().access;
    let jump_percent = *access.random_percent.get(op);
    let distribution = access.distribution.get(op);
    match (access.order, access.stride) {
        (Order::Sequential { skip }, _) => (AccessPattern::Sequential { skip }, None),
        (Order::Random { .. }, _) if jump_percent == Percent::NONE => {
            (AccessPattern::Sequential { skip: 0 }, None)
        }
        (Order::Random { .. }, Some((min, max))) => (AccessPattern::Stride { min, max }, None),
        (Order::Random { every, identical }, None) => {
            let once =
                *distribution == Distribution::Uniform && access.coverage == Coverage::OncePerPass;
            let pattern = if once {
                AccessPattern::Once
            } else {
                AccessPattern::Draws(distribution.clone())
            };
            let blend = Blend {
                jump_below: threshold(jump_percent),
                every: every.max(1),
                identical,
            };
            (
                pattern,
                (jump_percent < Percent::ALL || every > 1).then_some(blend),
            )
        }
    }
}

/// The lane that `op` would have for itself, in worker number `worker`.
fn lane_plan(workload: &Workload, op: Op, worker: u32) -> LanePlan {
    let access = &workload.blocks().access;
    let (pattern, blend) = pattern(workload, op);
    let sizes = op_sizes(workload, op);
    let (size, align_of) = match (&pattern, workload.blocks().sizes.by_order) {
        (AccessPattern::Sequential { .. }, true) => (&sizes.onward, Op::Read),
        (AccessPattern::Sequential { .. }, false) => (&sizes.onward, op),
        (_, true) => (&sizes.jump, Op::Write),
        (_, false) => (&sizes.jump, op),
    };
    let sequential = matches!(pattern, AccessPattern::Sequential { .. });
    let align = match access.grid {
        Grid::Sizes => *workload.blocks().sizes.align.get(align_of),
        Grid::Own => None,
        Grid::Bytes(_) if sequential => None,
        Grid::Bytes(bytes) => Some(bytes),
    };
    LanePlan {
        pattern,
        blend,
        unit: align
            .and_then(|a| u32::try_from(a).ok())
            .unwrap_or(size.min())
            .max(1),
        min: size.min(),
        max: size.max(),
        kinds: vec![(size.clone(), share_of(workload.blocks().mix, op))],
        walk: match access.position {
            Position::EachSlot => Walk::Slots(workload.depth),
            Position::Workload => Walk::Workload,
            Position::EachKind | Position::EachFile => Walk::Lane,
        },
        first: match access.begin {
            Begin::Start => First::Start,
            Begin::Random => First::Random,
            Begin::Apart(bytes) => First::After(bytes.saturating_mul(worker.into())),
        },
        ends: access.at_end == AtEnd::Stop && sequential,
        own_grid: access.grid == Grid::Own,
        hit_area: access.hits.map_or(0, |hits| hits.area),
    }
}

/// In which share of the I/Os an operation is asked for.
const fn share_of(mix: OpMix, op: Op) -> Percent {
    match (mix, op) {
        (OpMix::ReadWrite { read_percent }, Op::Read) => read_percent,
        (OpMix::ReadWrite { read_percent }, _) => read_percent.rest(),
        _ => Percent::ALL,
    }
}

/// The index of a plan's only kind among `kinds`, which it is added to unless one there draws alike.
fn kind_of(kinds: &mut Vec<Kind>, of: Vec<Kind>) -> u8 {
    let mut index = 0;
    for kind in of {
        let known = kinds.iter().position(|other| other.0 == kind.0);
        index = known.unwrap_or_else(|| {
            kinds.push(kind);
            kinds.len() - 1
        });
    }
    u8::try_from(index).unwrap_or_default()
}

/// Whether two kinds of operation walk together.
fn share(a: &LanePlan, b: &LanePlan, access: &Access) -> bool {
    if a.pattern != b.pattern || a.blend != b.blend {
        return false;
    }
    match a.pattern {
        AccessPattern::Sequential { .. } | AccessPattern::Stride { .. } => {
            access.position != Position::EachKind
        }
        _ if a.unit != b.unit => false,
        AccessPattern::Once if a.blend.is_none() => true,
        _ => access.position != Position::EachKind,
    }
}

#[cfg(test)]
mod tests;
