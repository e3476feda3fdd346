//! One point of a survey before it is measured: its name, its workload, its stage.

use super::options::{SurveyOptions, SurveyTarget};
use crate::study::limit::{Experiment, SUSTAINED};
use crate::summary::measured::Setting;
use leadline_model::op::Op;
use leadline_model::plan::{
    Access, Amount, BlockSizes, FileSet, HostSet, OpMix, OpenMode, Order, Region, Stage, Stop,
    Target, Think, Workload,
};
use leadline_model::seed::{Purpose, derive, number_of};
use leadline_model::units::{Bytes, Nanos, Percent};

/// File name pattern of the survey's own files: the worker's number, then the file's.
const FILE_PATTERN: &str = "leadline-survey.$jobnum.$filenum";
/// That of the first worker's, for workers that share it.
const FIRST_FILE_PATTERN: &str = "leadline-survey.0.$filenum";
/// What is in the names of all of them, on any host.
const FILE_WORD: &str = "leadline-survey";

/// One point that could be measured.
#[derive(Clone, Debug)]
pub(super) struct PlannedPoint {
    /// First part of its name.
    pub(super) family: &'static str,
    /// 1 for the first of this name, 2 for the second.
    pub(super) round: u32,
    pub(super) read_percent: u8,
    pub(super) block: u64,
    pub(super) random: bool,
    pub(super) depth: u32,
    pub(super) jobs: u32,
    pub(super) manner: Manner,
    /// The hosts that run it.
    pub(super) hosts: HostSet,
    /// How many times as long as the others it is measured, at least 1.
    pub(super) times: u32,
}

/// How the I/Os of a point are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// As fast as the depth allows; each worker in its own file or part.
    Steady,
    /// The same, all workers in what the first one filled.
    OnePart,
    /// The same, each worker in a part that the survey does not fill.
    Cold,
    /// The same, each worker in a file or part that is several times as large.
    Larger,
    /// The same, each worker in the beginning of its file or part.
    Smaller,
    /// As many as the depth at once, then a pause of this length from their submission on; one worker.
    Bursts(Nanos),
    /// As fast as the depth allows, after a pause of this length and without a warm-up.
    Rested(Nanos),
}

impl PlannedPoint {
    /// An experiment on what limits the depth curve of a setting, whose best point and
    /// whose saturation are at these depths.
    pub(super) fn of_experiment(
        experiment: &Experiment,
        round: u32,
        setting: &Setting,
        depths: (u32, u32),
    ) -> Self {
        let (best, saturating) = depths;
        let at = |family, depth, jobs| Self {
            family,
            round,
            read_percent: if setting.read_percent == Some(Percent::NONE) {
                0
            } else {
                100
            },
            block: setting.block,
            random: setting.random,
            depth,
            jobs,
            times: 1,
            manner: Manner::Steady,
            hosts: HostSet::ALL,
        };
        let plain = at(experiment.family(), best, setting.jobs);
        let full = at(experiment.family(), saturating, setting.jobs);
        match *experiment {
            Experiment::Confirm { times } => Self { times, ..plain },
            Experiment::Curve => plain,
            Experiment::OneHost { host, depth } => Self {
                hosts: HostSet::one(host),
                ..at(experiment.family(), depth, setting.jobs)
            },
            Experiment::Burst {
                size,
                every,
                times,
                host,
            } => Self {
                manner: Manner::Bursts(every),
                times,
                hosts: host.map_or(HostSet::ALL, HostSet::one),
                ..at(experiment.family(), size, 1)
            },
            Experiment::Block(block) => Self { block, ..full },
            Experiment::BlockAlone(block) => Self {
                block,
                ..at(experiment.family(), 1, 1)
            },
            Experiment::Connections => Self {
                jobs: setting.jobs.saturating_mul(2),
                manner: Manner::OnePart,
                ..full
            },
            Experiment::Cold => Self {
                manner: Manner::Cold,
                ..plain
            },
            Experiment::Larger => Self {
                manner: Manner::Larger,
                ..plain
            },
            Experiment::Smaller => Self {
                manner: Manner::Smaller,
                ..plain
            },
            Experiment::Rest { pause, depth } => Self {
                manner: Manner::Rested(pause),
                depth: depth.max(best),
                ..plain
            },
        }
    }

    /// The name of its stage.
    pub(super) fn name(&self) -> String {
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
        let round = match self.round {
            1 => String::new(),
            n => format!("-{n}"),
        };
        // Its rate is that of its pauses.
        let paused = match self.manner {
            Manner::Bursts(_) => "-paused",
            _ => "",
        };
        let block = short_bytes(self.block);
        format!(
            "{}{round}/{block}-{kind}-qd{}{jobs}{paused}",
            self.family, self.depth
        )
    }

    /// Its workload, measured for `time`.
    pub(super) fn workload(&self, o: &SurveyOptions, time: Nanos) -> Workload {
        let mut workload = self.base(o);
        workload.blocks_mut().mix = match self.read_percent {
            100 => OpMix::Only(Op::Read),
            0 => OpMix::Only(Op::Write),
            reads => OpMix::mixed(reads),
        };
        workload.blocks_mut().sizes = BlockSizes::fixed(self.block);
        workload.depth = self.depth;
        workload.hosts = self.hosts.clone();
        if self.random {
            workload.blocks_mut().access.order = Order::Random {
                every: 1,
                identical: false,
            };
        }
        let time = match self.manner {
            // What came back is there at once.
            Manner::Rested(_) => time.min(SUSTAINED),
            _ => time,
        };
        workload.stop = Stop {
            runtime: Some(Nanos(time.0.saturating_mul(u64::from(self.times)))),
            time_based: true,
            warmup: match self.manner {
                Manner::Rested(_) => Nanos::ZERO,
                _ => o.warmup,
            },
            ..Stop::default()
        };
        if let Manner::Bursts(pause) = self.manner {
            workload.think = Some(Think {
                pause,
                spin: Nanos::ZERO,
                every: self.depth,
                on_submit: true,
                after_busy: Nanos::ZERO,
            });
        }
        workload
    }

    /// The stage of a workload.
    pub(super) fn stage(&self, workload: Workload, o: &SurveyOptions) -> Stage {
        Stage {
            name: self.name(),
            pause: match self.manner {
                Manner::Rested(pause) => pause,
                _ => Nanos::ZERO,
            },
            workloads: vec![workload],
            server_cache: o.server_cache,
            ..Stage::default()
        }
    }

    /// Where it works, and by which means.
    fn base(&self, o: &SurveyOptions) -> Workload {
        let one_part = matches!(self.manner, Manner::OnePart);
        let (target, step) = match &o.place {
            // Workers that share a path get a part of it each.
            SurveyTarget::Paths(paths) => (Target::Paths(paths.clone()), o.size),
            SurveyTarget::Directory(dir) => {
                let pattern = match one_part {
                    true => FIRST_FILE_PATTERN,
                    false => FILE_PATTERN,
                };
                let files = FileSet {
                    directories: vec![dir.clone()],
                    pattern: pattern.to_owned(),
                    count: 1,
                    name_may_be_device: false,
                };
                (Target::Files(files), 0)
            }
        };
        let name = self.name();
        let mut workload = Workload::new(&name, target);
        workload.clones = self.jobs;
        let (start, step, size) = match self.manner {
            Manner::OnePart => (0, 0, o.size),
            Manner::Cold => (o.filled(), o.cold_part(), o.cold_part()),
            Manner::Larger if step > 0 => (0, o.larger(), o.larger()),
            Manner::Larger => (0, 0, o.larger()),
            Manner::Smaller => (0, step, o.smaller()),
            _ => (0, step, o.size),
        };
        workload.blocks_mut().region = Region {
            offset: Amount::Bytes(start),
            size: Some(Amount::Bytes(size)),
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
            seed: o.seed.map(|seed| seed_of(seed, &name)),
            ..Access::default()
        };
        workload
    }
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
