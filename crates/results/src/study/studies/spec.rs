//! One point of a study before it is measured: its name, its workloads, its stage.
//!
//! Belongs here: what makes a stage of a point, in any scope. Must never: which point is next, or what it is for.

use leadline_model::op::{Op, PerOp};
use leadline_model::plan::access::{Coverage, Distribution};
use leadline_model::plan::study::{
    Arm, Axis, Coordinate, Coordinates, Question, Role, Study, StudyPlace, StudyScope,
};
use leadline_model::plan::{
    Access, Amount, Arrival, BlockSizes, EngineKind, FileSet, HostSet, OpMix, OpenMode, Order,
    Pace, Rate, Region, ServerCache, Stage, Stop, StudyPoint, SyncCadence, Target, Think, Workload,
};
use leadline_model::seed::{Purpose, derive, number_of};
use leadline_model::units::{Bytes, Nanos};

/// Name of a study's own files: the number of the file. Each worker has its part of all of them.
const FILE_PATTERN: &str = "leadline-study.$filenum";
/// That of files beside the set.
const OTHER_PATTERN: &str = "leadline-study-other.$filenum";
/// What is in the names of all of them, on any host.
const FILE_WORD: &str = "leadline-study";
/// Block size of a fill.
const FILL_BLOCK: u64 = Bytes::MIB;
/// The smallest block of a fill, for sets of which larger ones would leave something out.
const LEAST_FILL_BLOCK: u64 = 4 * Bytes::KIB;
/// Most workers that fill.
const FILL_JOBS: u32 = 16;
/// I/Os in flight of each of them.
const FILL_DEPTH: u32 = 8;

/// One point.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// What it is for.
    pub role: Role,
    /// What is varied, and its value here.
    pub at: Coordinates,
    /// What runs at once.
    pub loads: Vec<StudyLoad>,
    /// Measured time; `None` = until the whole set is done once.
    pub time: Option<Nanos>,
    /// Warm-up before it.
    pub warmup: Nanos,
    /// Pause before that.
    pub pause: Nanos,
    /// What the study knows of caches beyond the target, where it made them so; `None` = what the user said.
    pub server_cache: Option<ServerCache>,
}

/// What some equal workers do.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyLoad {
    /// Its name among the loads of its point; empty where it is alone.
    pub name: String,
    /// Share of reads, in percent.
    pub reads: u8,
    /// Bytes of an I/O.
    pub block: u64,
    /// Whether offsets jump.
    pub random: bool,
    /// Most I/Os in flight of each worker.
    pub depth: u32,
    /// Workers of each host.
    pub jobs: u32,
    /// I/Os a second of all workers on all hosts together, and how they arrive; `None` = unthrottled.
    pub rate: Option<(f64, Arrival)>,
    /// The hosts, and how many these are.
    pub hosts: (HostSet, u32),
    /// Which hosts share the set: its bytes over this number is what each host has.
    pub shared_by: u32,
    /// Past the client's page cache; `None` = as the scope says.
    pub direct: Option<bool>,
    /// Points of the same text here have the same offsets; empty = each has its own.
    pub offsets: &'static str,
    /// I/Os of each worker after which it ends, if not by its time.
    pub ios: Option<u64>,
    /// Whether a random block may come again before all others.
    pub repeats: bool,
    /// Whether the client's page cache is emptied before.
    pub drop_cache: bool,
    /// Files of each host; `None` = as the scope says.
    pub files: Option<u32>,
    /// Not in the set, but in this many bytes beside it.
    pub elsewhere: Option<u64>,
    /// Bytes of the part of the set that all hosts use; `None` = the whole.
    pub dataset: Option<u64>,
    /// Back end; `None` = as the scope says.
    pub engine: Option<EngineKind>,
    /// Exponent of Zipf's law by which blocks are chosen; 0 = all alike.
    pub skew: f64,
    /// Writes between two flushes; 0 = none is flushed.
    pub flush_every: u32,
    /// Pause of each worker after each I/O.
    pub think: Nanos,
    /// What it works on; `None` = as the scope, or its state of the system, says.
    pub place: Option<StudyPlace>,
}

impl StudyLoad {
    /// A load on all hosts of a scope.
    #[must_use]
    pub fn on(scope: &StudyScope) -> Self {
        Self {
            name: String::new(),
            reads: 100,
            block: 4096,
            random: true,
            depth: 1,
            jobs: 1,
            rate: None,
            hosts: (HostSet::ALL, scope.hosts),
            shared_by: scope.hosts,
            direct: None,
            offsets: "",
            ios: None,
            repeats: false,
            drop_cache: false,
            files: None,
            elsewhere: None,
            dataset: None,
            engine: None,
            skew: 0.0,
            flush_every: 0,
            think: Nanos::ZERO,
            place: None,
        }
    }

    /// Workers on all its hosts.
    #[must_use]
    pub const fn workers(&self) -> u64 {
        self.jobs as u64 * self.hosts.1 as u64
    }

    /// What it does, in words: `4 KiB random read, depth 32`.
    #[must_use]
    pub fn words(&self) -> String {
        let order = if self.random { "random" } else { "sequential" };
        let what = match self.reads {
            100 => "read".to_owned(),
            0 => "write".to_owned(),
            reads => format!("{reads} % reads, {} % writes", 100_u8.saturating_sub(reads)),
        };
        let jobs = match self.jobs {
            1 => String::new(),
            jobs => format!(", {jobs} jobs"),
        };
        format!(
            "{} {order} {what}, depth {}{jobs}",
            Bytes(self.block),
            self.depth
        )
    }

    /// Bytes of each worker: its part of its host's part of the set, the same whole blocks in each of its files, one block
    /// at the least.
    fn part(&self, scope: &StudyScope, files: u64) -> u64 {
        let host = match self.elsewhere {
            Some(bytes) => bytes / u64::from(scope.hosts.max(1)),
            None => self.dataset.unwrap_or(scope.dataset) / u64::from(self.shared_by.max(1)),
        };
        let part = host / u64::from(self.jobs.max(1));
        let grain = grain(part / files, self.block);
        let of_all = grain.saturating_mul(files);
        let grain = if part >= of_all { of_all } else { grain };
        (part - part % grain).max(self.block)
    }
}

/// A worker's part of a file is a multiple of this: of a MiB, or of less where that would leave out more than a
/// hundredth of the part; a block at the least.
fn grain(part: u64, block: u64) -> u64 {
    let halves = std::iter::successors(Some(Bytes::MIB), |grain| Some(grain / 2));
    let mut halves = halves.take_while(|grain| *grain >= block.max(1));
    let leaves_little = |grain: &u64| part >= *grain && part % grain <= part / 100;
    halves.find(leaves_little).unwrap_or(block)
}

/// What each host has to hold where their number grows: the share of the smallest number with which it takes part, since
/// with fewer hosts each has more of the set.
fn shares(counts: &[u32], load: &StudyLoad) -> Vec<StudyLoad> {
    let mut counts = counts.to_vec();
    counts.sort_unstable();
    counts.dedup();
    let mut first = 0;
    let mut all = Vec::new();
    for count in counts {
        if let Some(hosts) = HostSet::only(first..count) {
            all.push(StudyLoad {
                name: format!("of-{count}"),
                hosts: (hosts, count - first),
                shared_by: count,
                ..load.clone()
            });
        }
        first = count;
    }
    all
}

impl Spec {
    /// A point of one load.
    #[must_use]
    pub fn of(role: Role, at: Coordinates, load: StudyLoad, study: &Study) -> Self {
        Self {
            role,
            at,
            loads: vec![load],
            time: Some(study.timing.time),
            warmup: study.timing.warmup,
            pause: Nanos::ZERO,
            server_cache: None,
        }
    }

    /// The point that writes the whole set once, so that all later reads find real data.
    #[must_use]
    pub fn fill(study: &Study) -> Self {
        let jobs = study.axes.jobs.iter().copied().max().unwrap_or(1);
        let host = study.scope.dataset / u64::from(study.scope.hosts);
        let most = (host / FILL_BLOCK).max(1);
        let jobs = jobs
            .min(FILL_JOBS)
            .min(u32::try_from(most).unwrap_or(u32::MAX));
        let files = u64::from(study.scope.files.max(1));
        let load = StudyLoad {
            reads: 0,
            // Its parts are whole blocks too, and hold what the points read.
            block: grain(host / u64::from(jobs) / files, LEAST_FILL_BLOCK)
                .min(study.scope.dataset.max(1)),
            random: false,
            depth: FILL_DEPTH,
            jobs,
            ..StudyLoad::on(&study.scope)
        };
        let loads = match &study.question {
            Question::ScaleOut { counts } => shares(counts, &load),
            Question::Combined { rated, .. } if rated.place.is_some() => {
                let rated = StudyLoad {
                    name: "rated".to_owned(),
                    place: rated.place.clone(),
                    ..load.clone()
                };
                vec![load.clone(), rated]
            }
            _ => vec![load.clone()],
        };
        Self {
            time: None,
            warmup: Nanos::ZERO,
            loads,
            ..Self::of(Role::Fill, Coordinates::new(), load, study)
        }
    }

    /// The same in a state of the system, and for the so-manieth time.
    #[must_use]
    pub(super) fn in_series(mut self, arm: Option<&Arm>, repeat: Option<u32>) -> Self {
        if let Some(arm) = arm {
            let name = Coordinate::Text(arm.name.clone());
            self.at.insert(Axis::Arm, name);
        }
        if let Some(repeat) = repeat {
            let number = Coordinate::Number(f64::from(repeat));
            self.at.insert(Axis::Repeat, number);
        }
        self
    }

    /// The name of its stage: unique in its study.
    #[must_use]
    pub fn name(&self, study: &Study) -> String {
        let mut words = vec![match self.role {
            Role::Point => String::new(),
            role => role.name().to_owned(),
        }];
        if self.role != Role::Fill {
            words.push(kind(&self.loads));
        }
        let said = [Axis::Block, Axis::Order, Axis::Reads];
        let others = self.at.iter().filter(|(axis, _)| !said.contains(axis));
        words.extend(others.map(|(axis, value)| coordinate(*axis, value)));
        words.retain(|word| !word.is_empty());
        format!("{}/{}", study.question.name(), words.join("-"))
    }

    /// Whether it is a best point, to be measured once more to confirm it.
    pub(super) fn is_once_more(&self) -> bool {
        self.role == Role::Confirmation && self.at.contains_key(&Axis::Try)
    }

    /// Its stage.
    #[must_use]
    pub fn stage(&self, study: &Study) -> Stage {
        let name = self.name(study);
        Stage {
            workloads: self
                .loads
                .iter()
                .map(|load| self.workload(load, &name, study))
                .collect(),
            pause: self.pause,
            point: Some(StudyPoint {
                role: self.role,
                at: self.at.clone(),
            }),
            server_cache: self.server_cache.unwrap_or(study.scope.server_cache),
            name,
            ..Stage::default()
        }
    }

    /// How long it takes with its pause and warm-up; `None` = until its work is done.
    #[must_use]
    pub fn length(&self) -> Option<Nanos> {
        let time = self.time?;
        Some(Nanos(time.0 + self.warmup.0 + self.pause.0))
    }

    /// What a load works on: its own target, or that of its state of the system, where there is one.
    fn place<'s>(&self, load: &'s StudyLoad, study: &'s Study) -> &'s StudyPlace {
        let name = self.at.get(&Axis::Arm).and_then(Coordinate::text);
        let arm = (study.arms.iter()).find(|arm| Some(arm.name.as_str()) == name);
        let of_arm = || arm.and_then(|arm| arm.place.as_ref());
        let own = load.place.as_ref().or_else(of_arm);
        own.unwrap_or(&study.scope.place)
    }

    fn workload(&self, load: &StudyLoad, stage: &str, study: &Study) -> Workload {
        let scope = &study.scope;
        let name = match load.name.as_str() {
            "" => stage.to_owned(),
            own => format!("{stage}-{own}"),
        };
        let mut workload = Workload::new(&name, target(load, scope, self.place(load, study)));
        workload.clones = load.jobs;
        workload.depth = load.depth;
        workload.hosts = load.hosts.0.clone();
        workload.engine.kind = load.engine.unwrap_or(scope.engine);
        workload.think = (load.think > Nanos::ZERO).then_some(Think {
            pause: load.think,
            spin: Nanos::ZERO,
            every: 1,
            on_submit: false,
            after_busy: Nanos::ZERO,
        });
        let is_result = !self.role.prepares();
        if is_result && matches!(study.question, Question::Limit { .. }) {
            // How many may fail is what it asks: the others are still measured.
            workload.on_error.go_on = PerOp::splat(true);
        }
        if !is_result {
            // No figure of it is a result.
            workload.percentiles = Vec::new();
        }
        workload.stop = Stop {
            runtime: self.time,
            // Where the region has fewer I/Os they are done once more, with time or without.
            time_based: self.time.is_some() && load.ios.is_none(),
            ios: load.ios,
            warmup: self.warmup,
            ..Stop::default()
        };
        if let Some((rate, arrival)) = load.rate {
            workload.pace = Pace::Open {
                rates: PerOp::splat(None),
                arrival,
                together: Some(match Rate::Iops(rate).is_undecided() {
                    true => Rate::UNDECIDED,
                    false => Rate::Iops(rate / load.workers().max(1) as f64),
                }),
                schedule: Vec::new(),
            };
        }
        self.settle_blocks(load, &name, study, &mut workload);
        workload
    }

    /// What the I/Os of a load are, and where.
    fn settle_blocks(&self, load: &StudyLoad, name: &str, study: &Study, workload: &mut Workload) {
        let scope = &study.scope;
        // Without one the run gives each stage fresh offsets.
        let seed = match (load.offsets, study.seeded) {
            ("", false) => None,
            ("", true) => Some(name),
            (own, _) => Some(own),
        };
        let place = self.place(load, study);
        let files = match place {
            StudyPlace::Paths(paths) => paths.len() as u64,
            StudyPlace::Directory(_) => u64::from(load.files.unwrap_or(scope.files)),
        };
        let part = load.part(scope, files.max(1));
        let blocks = workload.blocks_mut();
        blocks.mix = match load.reads {
            100 => OpMix::Only(Op::Read),
            0 => OpMix::Only(Op::Write),
            reads => OpMix::mixed(reads),
        };
        blocks.sizes = BlockSizes::fixed(load.block);
        blocks.region = Region {
            // Of a path, what is beside the set is beyond it.
            offset: match (place, load.elsewhere) {
                (StudyPlace::Paths(_), Some(_)) => Amount::Bytes(scope.dataset),
                _ => Amount::Bytes(0),
            },
            size: Some(Amount::Bytes(part)),
            // In each file, where all of them together have its part.
            offset_step: Amount::Bytes(part / files.max(1)),
            ..Region::default()
        };
        blocks.open = OpenMode {
            direct: load.direct.unwrap_or(scope.direct),
            ..OpenMode::default()
        };
        blocks.access = Access {
            seed: seed.map(|of| derive(study.seed, Purpose::Point, number_of(of.as_bytes()))),
            ..Access::default()
        };
        if load.random {
            blocks.access.order = Order::Random {
                every: 1,
                identical: false,
            };
        }
        if load.random && load.repeats {
            blocks.access.coverage = Coverage::WithRepeats;
        }
        if load.random && load.skew > 0.0 {
            blocks.access.distribution = PerOp::splat(Distribution::Zipf {
                theta: load.skew,
                center: None,
            });
        }
        blocks.sync = SyncCadence {
            fsync_every: load.flush_every,
            at_end: self.role == Role::Fill,
            ..SyncCadence::default()
        };
        blocks.prepare.drop_cache = load.drop_cache;
        if matches!(place, StudyPlace::Directory(_)) {
            blocks.prepare.own = Some(FILE_WORD.to_owned());
        }
    }
}

fn target(load: &StudyLoad, scope: &StudyScope, place: &StudyPlace) -> Target {
    match place {
        StudyPlace::Paths(paths) => Target::Paths(paths.clone()),
        StudyPlace::Directory(directory) => Target::Files(FileSet {
            directories: vec![directory.clone()],
            pattern: match load.elsewhere {
                Some(_) => OTHER_PATTERN.to_owned(),
                None => FILE_PATTERN.to_owned(),
            },
            count: load.files.unwrap_or(scope.files),
            name_may_be_device: false,
        }),
    }
}

/// `4k-randread`; of several loads at once that read and write otherwise the block, and the order where it is not random:
/// each has a name of its own.
fn kind(loads: &[StudyLoad]) -> String {
    let Some(load) = loads.first() else {
        return String::new();
    };
    let block = short_bytes(load.block);
    if loads.iter().any(|other| other.reads != load.reads) {
        return match loads.iter().any(|load| load.random) {
            true => block,
            false => format!("{block}-sequential"),
        };
    }
    let kind = match (load.reads, load.random) {
        (100, true) => "randread".to_owned(),
        (100, false) => "read".to_owned(),
        (0, true) => "randwrite".to_owned(),
        (0, false) => "write".to_owned(),
        (p, true) => format!("randrw{p}"),
        (p, false) => format!("rw{p}"),
    };
    format!("{block}-{kind}")
}

/// `qd32`, `j4`, `h2`, `r1`.
fn coordinate(axis: Axis, value: &Coordinate) -> String {
    let value = match value {
        Coordinate::Number(n) => crate::words::trim_to(*n, 3),
        Coordinate::Text(text) => text.clone(),
    };
    let before = match axis {
        Axis::Depth => "qd",
        Axis::Jobs => "j",
        Axis::Hosts => "h",
        Axis::Repeat => "r",
        Axis::Try => "t",
        Axis::Round => "n",
        Axis::Percent => "p",
        Axis::Rate => "iops",
        Axis::ReadRate => "reads",
        Axis::WriteRate => "writes",
        Axis::Direct => "direct",
        Axis::Files => "files",
        Axis::Skew => "theta",
        Axis::Dataset => "set",
        Axis::Flush => "fsync",
        Axis::Think => "think",
        Axis::Engine
        | Axis::Arm
        | Axis::Group
        | Axis::Kind
        | Axis::Order
        | Axis::Reads
        | Axis::Block => "",
    };
    format!("{before}{value}")
}

/// `4k`, `64k`, `1m`, or plain bytes.
#[must_use]
pub fn short_bytes(n: u64) -> String {
    match n {
        n if n >= Bytes::MIB && n.is_multiple_of(Bytes::MIB) => format!("{}m", n / Bytes::MIB),
        n if n >= Bytes::KIB && n.is_multiple_of(Bytes::KIB) => format!("{}k", n / Bytes::KIB),
        n => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A set is not silently smaller: parts leave out a hundredth of it at the most, as long as a part has a hundred
    /// blocks.
    #[test]
    fn the_parts_of_workers_and_files_are_the_whole_set() {
        for dataset in [10, 64, 100, 1000].map(|mib| mib * Bytes::MIB) {
            for (jobs, files) in [(1, 1), (3, 2), (5, 3), (7, 1), (3, 7), (16, 5)] {
                let part = dataset / jobs / files;
                for block in [4, 16].map(|kib| kib * Bytes::KIB) {
                    let grain = grain(part, block);
                    assert_eq!(grain % block, 0);
                    let whole = part / grain * grain * jobs * files;
                    let left = dataset - whole;
                    let most = dataset / 100 + block * jobs * files;
                    assert!(
                        left <= most,
                        "{left} of {dataset}: {jobs} jobs, {files} files"
                    );
                }
            }
        }
        assert_eq!(grain(Bytes::GIB, 4096), Bytes::MIB);
        assert_eq!(grain(Bytes::GIB, 4 * Bytes::MIB), 4 * Bytes::MIB);
        assert_eq!(grain(100, 4096), 4096);
    }
}
