//! What a survey measures, and how much of it.

use crate::study::limit::{Means, larger_part};
use leadline_model::op::Op;
use leadline_model::plan::{EngineKind, ServerCache};
use leadline_model::units::{Bytes, Nanos};

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
    /// Bytes of a given volume or device, of which the survey reads what it does not fill; `None` where there is none
    /// that must hold data, or that is not known.
    pub target_size: Option<u64>,
    /// Measured time of each point.
    pub time: Nanos,
    /// Warm-up before each point.
    pub warmup: Nanos,
    /// Block sizes of the random points; the first is that of latency, mix and depth.
    pub random_blocks: Vec<u64>,
    /// Block sizes of the sequential points.
    pub sequential_blocks: Vec<u64>,
    /// Depth of the IOPS and throughput points, and the least of the mix, which is measured where the target is saturated.
    pub depth: u32,
    /// Largest depth of the scale-up.
    pub depth_cap: u32,
    /// Step of the mix in percent, 1 to 100.
    pub mix_step: u8,
    /// Operations that get a depth curve.
    pub curves: Vec<Op>,
    /// Workers of all points but the latency ones.
    pub jobs: u32,
    /// Bypass the client's page cache (O_DIRECT).
    pub direct: bool,
    /// Back end.
    pub engine: EngineKind,
    /// Each point's seed derives from it; `None` = fresh ones for each run, recorded by the engine.
    pub seed: Option<u64>,
    /// The whole should end within this: points are shortened when the fill took long.
    pub budget: Option<Nanos>,
    /// What is known of caches beyond the target.
    pub server_cache: ServerCache,
    /// A point ends when its figures are known this well, in parts per million ([`leadline_model::plan::Narrow`]);
    /// `None` = after its time. What is observed for a fall, and experiments, take their time.
    pub narrow: Option<u32>,
    /// How many hosts take part, where these are named; 0 = this one alone.
    pub hosts: u32,
}

impl SurveyOptions {
    /// Bytes that all workers fill of a given path.
    pub(super) const fn filled(&self) -> u64 {
        self.size.saturating_mul(self.jobs as u64)
    }

    /// Bytes of each worker's part of what is only read, in whole MiB.
    pub(super) fn cold_part(&self) -> u64 {
        let beyond = self.target_size.unwrap_or(0).saturating_sub(self.filled());
        let part = beyond / u64::from(self.jobs.max(1));
        part - part % Bytes::MIB
    }

    /// Bytes of each worker's file or part in a set that is larger than the survey's: four times, or as much as there is.
    pub(super) fn larger(&self) -> u64 {
        larger_part(self.size, self.jobs, self.target_size)
    }

    /// Bytes that each worker reads of its file or part in a set that a cache of a part of the survey's holds: a
    /// sixteenth, in whole MiB.
    pub(super) fn smaller(&self) -> u64 {
        let part = self.size / 16;
        (part - part % Bytes::MIB).max(Bytes::MIB).min(self.size)
    }

    /// Whether there is room for a set that is at least twice as large, as far as that is known.
    #[must_use]
    pub fn has_room_for_more(&self) -> bool {
        self.larger() >= self.size.saturating_mul(2)
    }

    /// What the targets allow beside the points that every survey has.
    pub(super) fn means(&self) -> Means {
        let one_path = matches!(&self.place, SurveyTarget::Paths(paths) if paths.len() == 1);
        Means {
            cold: one_path && self.cold_part() >= self.size,
            hosts: self.hosts,
        }
    }

    /// The defaults of a scope.
    #[must_use]
    pub fn new(place: SurveyTarget, scope: Scope) -> Self {
        let standard = Self {
            place,
            size: Bytes::GIB,
            target_size: None,
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
            server_cache: ServerCache::Unknown,
            narrow: None,
            hosts: 0,
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
