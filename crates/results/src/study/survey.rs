//! The survey: what one volume does, from one I/O at a time to the depth that gains nothing more.
//!
//! A state machine over what was measured: [`Survey::next`] names the next stage. A point whose setting
//! was already measured is not measured again; the curves pick it up by its setting.

use super::point::{PointResult, Setting};
use super::series::knee_of;
use leadline_model::op::Op;
use leadline_model::plan::{
    Access, BlockSizes, EngineKind, FileSet, OpMix, OpenMode, Order, Region, Stage, Stop, Target,
    Workload,
};
use leadline_model::plan::{Amount, SyncCadence};
use leadline_model::seed::{Purpose, derive, number_of};
use leadline_model::units::{Bytes, Nanos};

/// File name pattern of the survey's own files: the worker's number, then the file's.
const FILE_PATTERN: &str = "leadline-survey.$jobnum.$filenum";
/// What is in the names of all of them, on any host.
const FILE_WORD: &str = "leadline-survey";
/// First part of the fill's name.
const FILL: &str = "fill";
/// Block size of the fill.
const FILL_BLOCK: u64 = Bytes::MIB;
/// Assumed fill rate before it was measured, bytes a second.
const FILL_GUESS: u64 = 200 * Bytes::MIB;
/// What a stage takes beside its I/O: opening, dropping the cache, joining.
const OVERHEAD: Nanos = Nanos::from_millis(100);
/// No point is shortened below this.
const SHORTEST: Nanos = Nanos::from_secs(1);

/// Where the survey works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SurveyTarget {
    /// In files of its own in this directory.
    Directory(String),
    /// On these files or block devices; whether they may be written is the caller's check.
    Paths(Vec<String>),
}

/// How much is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Fewer and shorter points: about half a minute.
    Quick,
    /// All of the basic points, within three minutes.
    #[default]
    Standard,
    /// More block sizes, a depth curve for writes too, finer mix, 30 s a point: about 20 minutes.
    Full,
}

/// What the survey measures. Every field is shown in the report.
#[derive(Clone, Debug, PartialEq)]
pub struct SurveyOptions {
    /// Where it works.
    pub place: SurveyTarget,
    /// Bytes of each worker's file, or of each worker's part of a given path. Above 1 MiB it is rounded
    /// down to whole MiB.
    pub size: u64,
    /// Measured time of each point.
    pub time: Nanos,
    /// Warm-up before each point.
    pub warmup: Nanos,
    /// Block sizes of the random points; the first is that of latency, mix and depth.
    pub random_blocks: Vec<u64>,
    /// Block sizes of the sequential points.
    pub sequential_blocks: Vec<u64>,
    /// Depth of the IOPS, throughput and mix points.
    pub depth: u32,
    /// Largest depth of the scale-up.
    pub depth_cap: u32,
    /// Step of the mix in percent, 1 to 100.
    pub mix_step: u8,
    /// Operations that get a depth curve.
    pub curves: Vec<Op>,
    /// Workers of all points but the latency ones.
    pub jobs: u32,
    /// Past the client's page cache.
    pub direct: bool,
    /// Back end.
    pub engine: EngineKind,
    /// Each point's seed derives from it; `None` = fresh ones for each run, recorded by the engine.
    pub seed: Option<u64>,
    /// The whole should end within this: points are shortened when the fill took long.
    pub budget: Option<Nanos>,
}

impl SurveyOptions {
    /// The defaults of a scope.
    #[must_use]
    pub fn new(place: SurveyTarget, scope: Scope) -> Self {
        let standard = Self {
            place,
            size: Bytes::GIB,
            time: Nanos::from_secs(5),
            warmup: Nanos::from_secs(1),
            random_blocks: vec![4 * Bytes::KIB],
            sequential_blocks: vec![64 * Bytes::KIB],
            depth: 32,
            depth_cap: 1024,
            mix_step: 25,
            curves: vec![Op::Read],
            jobs: 1,
            direct: true,
            engine: EngineKind::default(),
            seed: None,
            budget: Some(Nanos::from_secs(170)),
        };
        match scope {
            Scope::Standard => standard,
            Scope::Quick => Self {
                size: 256 * Bytes::MIB,
                time: Nanos::from_secs(2),
                warmup: Nanos::from_millis(500),
                depth_cap: 128,
                mix_step: 50,
                budget: Some(Nanos::from_secs(60)),
                ..standard
            },
            Scope::Full => Self {
                time: Nanos::from_secs(30),
                warmup: Nanos::from_secs(5),
                random_blocks: vec![4 * Bytes::KIB, 8 * Bytes::KIB],
                sequential_blocks: vec![64 * Bytes::KIB, 256 * Bytes::KIB],
                mix_step: 10,
                curves: vec![Op::Read, Op::Write],
                budget: None,
                ..standard
            },
        }
    }
}

/// The survey's state.
#[derive(Clone, Debug)]
pub struct Survey {
    options: SurveyOptions,
    /// Names of the stages handed out; one that brought no result is not tried again.
    issued: Vec<String>,
    /// Measured time of each point, once the fill's cost is known.
    time: Option<Nanos>,
}

/// One point that could be measured.
#[derive(Clone, Debug)]
struct PlannedPoint {
    family: &'static str,
    read_percent: u8,
    block: u64,
    random: bool,
    depth: u32,
    jobs: u32,
}

impl Survey {
    /// A survey before its first stage.
    #[must_use]
    pub fn new(mut options: SurveyOptions) -> Self {
        if options.size > FILL_BLOCK {
            // The fill writes whole blocks; what it left out would be read as a hole.
            options.size -= options.size % FILL_BLOCK;
        }
        Self {
            options,
            issued: Vec::new(),
            time: None,
        }
    }

    /// What is measured.
    #[must_use]
    pub const fn options(&self) -> &SurveyOptions {
        &self.options
    }

    /// The next stage, given the points measured so far; `None` when the survey is complete.
    pub fn next(&mut self, done: &[PointResult]) -> Option<Stage> {
        if self.issued.is_empty() {
            let fill = self.fill();
            self.issued.push(fill.name.clone());
            return Some(fill);
        }
        if self.time.is_none() {
            self.time = Some(self.time_after_fill(done));
        }
        let point = self.next_point(done)?;
        self.issued.push(point.name());
        Some(self.stage(&point))
    }

    /// Every stage that the survey may come to, in order: a depth curve that has stopped rising ends earlier.
    #[must_use]
    pub fn outlook(mut self) -> Vec<Stage> {
        self.time = Some(self.options.time);
        let mut stages = vec![self.fill()];
        let points = self.open_points(&[]);
        stages.extend(points.iter().map(|point| self.stage(point)));
        stages
    }

    /// What the rest of the survey will take, given the points measured so far: an upper bound, but for
    /// the fill, which is taken to run at 200 MiB/s.
    #[must_use]
    pub fn remaining(&self, done: &[PointResult]) -> Nanos {
        let fill = if done.iter().any(is_fill) {
            0
        } else {
            let bytes = u128::from(self.options.size) * u128::from(self.options.jobs);
            u64::try_from(bytes * 1_000_000_000 / u128::from(FILL_GUESS)).unwrap_or(u64::MAX)
        };
        let each = self.time.unwrap_or(self.options.time).0 + self.options.warmup.0 + OVERHEAD.0;
        Nanos(fill.saturating_add(each.saturating_mul(self.open_points(done).len() as u64)))
    }

    /// The points that may still be measured, in order.
    fn open_points(&self, done: &[PointResult]) -> Vec<PlannedPoint> {
        let mut open = self.fixed_points();
        for &op in &self.options.curves {
            open.extend(self.curve_points(op, done));
        }
        let mut kept: Vec<PlannedPoint> = Vec::new();
        for point in open {
            let setting = self.setting(&point);
            let known = done.iter().any(|d| d.setting == setting && !is_fill(d))
                || self.issued.contains(&point.name())
                || kept.iter().any(|k| self.setting(k) == setting);
            if !known {
                kept.push(point);
            }
        }
        kept
    }

    fn next_point(&self, done: &[PointResult]) -> Option<PlannedPoint> {
        self.open_points(done).into_iter().next()
    }

    /// The points that do not depend on results: latency, IOPS, throughput, mix.
    fn fixed_points(&self) -> Vec<PlannedPoint> {
        let o = &self.options;
        let mut points = Vec::new();
        let mut add = |family, read_percent, block, random, depth, jobs| {
            points.push(PlannedPoint {
                family,
                read_percent,
                block,
                random,
                depth,
                jobs,
            });
        };
        if let Some(&block) = o.random_blocks.first() {
            add("latency", 0, block, true, 1, 1);
            add("latency", 100, block, true, 1, 1);
        }
        for &block in &o.random_blocks {
            add("iops", 100, block, true, o.depth, o.jobs);
            add("iops", 0, block, true, o.depth, o.jobs);
        }
        for &block in &o.sequential_blocks {
            add("throughput", 100, block, false, o.depth, o.jobs);
            add("throughput", 0, block, false, o.depth, o.jobs);
        }
        if let Some(&block) = o.random_blocks.first() {
            let step = usize::from(o.mix_step.clamp(1, 100));
            for share in (0..=100_u8).rev().step_by(step).chain([0]) {
                add("mix", share, block, true, o.depth, o.jobs);
            }
        }
        points
    }

    /// The depths of a curve that are worth measuring, given its points so far.
    fn curve_points(&self, op: Op, done: &[PointResult]) -> Vec<PlannedPoint> {
        let Some(&block) = self.options.random_blocks.first() else {
            return Vec::new();
        };
        if !self.options.engine.is_async() {
            return Vec::new();
        }
        let mut rates = Vec::new();
        let mut unbroken = true;
        let mut points = Vec::new();
        for depth in doublings(self.options.depth_cap) {
            let point = PlannedPoint {
                family: "depth",
                read_percent: if op == Op::Read { 100 } else { 0 },
                block,
                random: true,
                depth,
                jobs: self.options.jobs,
            };
            let setting = self.setting(&point);
            let known = done.iter().find(|d| d.setting == setting);
            // The curve is judged only as far as it is known without a gap.
            match known.filter(|_| unbroken) {
                Some(known) => rates.push(known.iops()),
                None => unbroken = false,
            }
            if stopped_rising(&rates) {
                break;
            }
            if known.is_none() {
                if self.issued.contains(&point.name()) {
                    // It was tried and failed: deeper ones would fail too.
                    break;
                }
                points.push(point);
            }
        }
        points
    }

    fn setting(&self, point: &PlannedPoint) -> Setting {
        Setting::of(&self.workload(point))
    }

    fn time_after_fill(&self, done: &[PointResult]) -> Nanos {
        let (Some(budget), Some(fill)) = (self.options.budget, done.iter().find(|p| is_fill(p)))
        else {
            return self.options.time;
        };
        let points = (self.open_points(done).len() as u64).max(1);
        let each = budget.since(fill.took).0 / points;
        let spare = Nanos(each).since(Nanos(self.options.warmup.0 + OVERHEAD.0));
        spare.max(SHORTEST).min(self.options.time)
    }

    fn base(&self, name: &str, jobs: u32) -> Workload {
        let o = &self.options;
        let (target, step) = match &o.place {
            // Workers that share a path get a part of it each.
            SurveyTarget::Paths(paths) => (Target::Paths(paths.clone()), o.size),
            SurveyTarget::Directory(dir) => {
                let files = FileSet {
                    directories: vec![dir.clone()],
                    pattern: FILE_PATTERN.to_owned(),
                    count: 1,
                    name_may_be_device: false,
                };
                (Target::Files(files), 0)
            }
        };
        let mut workload = Workload::new(name, target);
        workload.clones = jobs;
        workload.blocks_mut().region = Region {
            size: Some(Amount::Bytes(o.size)),
            offset_step: Amount::Bytes(step),
            ..Region::default()
        };
        workload.blocks_mut().open = OpenMode {
            direct: o.direct,
            ..OpenMode::default()
        };
        if matches!(o.place, SurveyTarget::Directory(_)) {
            workload.blocks_mut().prepare.own = Some(FILE_WORD.to_owned());
        }
        workload.engine.kind = o.engine;
        workload.blocks_mut().access = Access {
            seed: o.seed.map(|seed| seed_of(seed, name)),
            ..Access::default()
        };
        workload
    }

    /// Writes every byte of every file once, so that all later reads find real data.
    fn fill(&self) -> Stage {
        let point = PlannedPoint {
            family: FILL,
            read_percent: 0,
            block: FILL_BLOCK.min(self.options.size.max(1)),
            random: false,
            depth: 32,
            jobs: self.options.jobs,
        };
        let mut workload = self.workload(&point);
        workload.stop = Stop::default();
        workload.blocks_mut().sync = SyncCadence {
            at_end: true,
            ..SyncCadence::default()
        };
        stage_of(point.name(), workload)
    }

    fn workload(&self, point: &PlannedPoint) -> Workload {
        let mut workload = self.base(&point.name(), point.jobs);
        workload.blocks_mut().mix = match point.read_percent {
            100 => OpMix::Only(Op::Read),
            0 => OpMix::Only(Op::Write),
            reads => OpMix::mixed(reads),
        };
        workload.blocks_mut().sizes = BlockSizes::fixed(point.block);
        workload.depth = point.depth;
        if point.random {
            workload.blocks_mut().access.order = Order::Random {
                every: 1,
                identical: false,
            };
        }
        workload.stop = Stop {
            runtime: Some(self.time.unwrap_or(self.options.time)),
            time_based: true,
            warmup: self.options.warmup,
            ..Stop::default()
        };
        workload
    }

    fn stage(&self, point: &PlannedPoint) -> Stage {
        stage_of(point.name(), self.workload(point))
    }
}

impl PlannedPoint {
    fn name(&self) -> String {
        let kind = match (self.read_percent, self.random) {
            (100, true) => "randread".to_owned(),
            (100, false) => "read".to_owned(),
            (0, true) => "randwrite".to_owned(),
            (0, false) => "write".to_owned(),
            (p, true) => format!("randrw{p}"),
            (p, false) => format!("rw{p}"),
        };
        let jobs = match self.jobs {
            1 => String::new(),
            n => format!("-j{n}"),
        };
        let block = short_bytes(self.block);
        format!("{}/{block}-{kind}-qd{}{jobs}", self.family, self.depth)
    }
}

fn is_fill(point: &PointResult) -> bool {
    point.name.starts_with(FILL)
}

fn stage_of(name: String, workload: Workload) -> Stage {
    Stage {
        name,
        pause: Nanos::ZERO,
        workloads: vec![workload],
        ..Stage::default()
    }
}

/// 1, 2, 4 ... up to `cap`.
fn doublings(cap: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(1_u32), |d| d.checked_mul(2)).take_while(move |d| *d <= cap)
}

/// Two steps on end gained less than 5 %, or nothing was done at all.
fn stopped_rising(rates: &[f64]) -> bool {
    rates.len() >= knee_of(rates) + 3 || rates.last().is_some_and(|last| *last <= 0.0)
}

/// `4k`, `64k`, `1m`, or plain bytes.
fn short_bytes(n: u64) -> String {
    match n {
        n if n >= Bytes::MIB && n.is_multiple_of(Bytes::MIB) => format!("{}m", n / Bytes::MIB),
        n if n >= Bytes::KIB && n.is_multiple_of(Bytes::KIB) => format!("{}k", n / Bytes::KIB),
        n => n.to_string(),
    }
}

/// A seed for each point. A point has its seed by name, not by turn, so that
/// it stays the same when others are left out.
fn seed_of(seed: u64, name: &str) -> u64 {
    derive(seed, Purpose::Point, number_of(name.as_bytes()))
}
