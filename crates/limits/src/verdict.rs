//! Which limit measured figures are at.
//!
//! Belongs here: figures against limits. Must never appear here: how figures were measured, or how this is shown.
//!
//! A cap is a band and no line: published runs that a machine's cap held reached 1.017 to 1.023 of it. Within
//! 0.95 to 1.05 of a limit a figure is at it.

use crate::limit::{Limit, Metric, Scope};
use crate::setup::Setup;
use crate::value::{Cache, Figure, Path};
use std::cmp::Ordering;

/// From here to [`BAND_TO`] a figure is at its limit.
const BAND_FROM: f64 = 0.95;
const BAND_TO: f64 = 1.05;
/// From here to [`BAND_FROM`] it is near enough to be meant where what it is at is disputed.
const NEAR: f64 = 0.9;
/// A generator that reaches this share of the rate that it was held to was held by that rate.
const OWN_RATE_REACHED: f64 = 0.98;

/// How a figure compares with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Within the band.
    At,
    /// Within the band, but its generator was held to a rate that it reached: the limit was not.
    OwnRate,
    /// Below.
    Below,
    /// Above, and the limit is a published result, or that of a base whose burst covers it: no contradiction.
    Passed,
    /// Above: a burst, a cache, or facts that are not these.
    Above,
}

impl Standing {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::At => "at",
            Self::OwnRate => "own-rate",
            Self::Below => "below",
            Self::Passed => "passed",
            Self::Above => "above",
        }
    }
}

/// A limit with what was measured of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// Which limit, by its place among those that were compared.
    pub limit: usize,
    /// What was measured, in the measure of the limit.
    pub measured: f64,
    /// Measured by limit, above 0.
    pub u: f64,
    /// How it compares.
    pub standing: Standing,
}

/// What is said of one way of the I/O, or of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// A limit holds the figure; the first of these is the least, the others say the same.
    At(Vec<usize>),
    /// Several could: they differ too little for the figure, or one of them is disputed.
    NotSeparated {
        /// These.
        limits: Vec<usize>,
        /// Whether a run on two machines would decide: some are of each machine, some of all.
        machines_decide: bool,
    },
    /// It is above limits that should hold it.
    Above(Vec<usize>),
    /// No documented limit is at it.
    None,
}

/// What figures say about limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Each limit that can be compared, nearest first.
    pub compared: Vec<Compared>,
    /// One for all I/O, or one for each way that a limit holds.
    pub conclusions: Vec<Conclusion>,
}

impl Verdict {
    /// The nearest limit of which nothing has been said.
    #[must_use]
    pub fn second(&self) -> Option<&Compared> {
        let named = |at: usize| {
            self.conclusions.iter().any(|conclusion| match conclusion {
                Conclusion::At(limits)
                | Conclusion::Above(limits)
                | Conclusion::NotSeparated { limits, .. } => limits.contains(&at),
                Conclusion::None => false,
            })
        };
        let is_said = |standing| matches!(standing, Standing::Passed | Standing::OwnRate);
        let mut others = self.compared.iter();
        others.find(|compared| !named(compared.limit) && !is_said(compared.standing))
    }

    /// What a limit has.
    #[must_use]
    pub fn of(&self, limit: usize) -> Option<&Compared> {
        self.compared
            .iter()
            .find(|compared| compared.limit == limit)
    }
}

/// Compares what was measured with limits; `None` where nothing was measured.
#[must_use]
pub fn verdict(setup: &Setup, limits: &[Limit]) -> Option<Verdict> {
    if setup.measured.is_empty() {
        return None;
    }
    let figures: Vec<Figure> = setup
        .measured
        .iter()
        .map(|one| on_its_way(setup, one))
        .collect();
    let mut compared: Vec<Compared> = (0..limits.len())
        .filter_map(|at| compare(at, setup, limits, &figures))
        .collect();
    let distance = |one: &Compared| one.u.ln().abs();
    compared.sort_by(|a, b| {
        let by_distance = distance(a).partial_cmp(&distance(b));
        by_distance.unwrap_or(Ordering::Equal)
    });
    let conclusions = conclude(limits, &compared);
    Some(Verdict {
        compared,
        conclusions,
    })
}

/// A figure whose way follows from the disks: all of them are on one.
fn on_its_way(setup: &Setup, figure: &Figure) -> Figure {
    let mut ways = setup.disks.iter().map(|set| set.cache != Cache::None);
    let way = match (figure.path, ways.next()) {
        (Path::Any, Some(cached)) if ways.all(|one| one == cached) => match cached {
            true => Path::Cached,
            false => Path::Uncached,
        },
        (path, _) => path,
    };
    Figure {
        path: way,
        ..*figure
    }
}

/// What was measured of a limit; `None` where it cannot be said, or none of it counts.
fn compare(at: usize, setup: &Setup, limits: &[Limit], figures: &[Figure]) -> Option<Compared> {
    let limit = &limits[at];
    let mut measured = 0.0;
    let mut own = true;
    let mut unknown = false;
    for figure in figures {
        let Some(counted) = counted(limit, setup, figure) else {
            unknown = true;
            continue;
        };
        if counted <= 0.0 {
            continue;
        }
        measured += value_of(limit, setup, figure)? * counted;
        let iops = figure.iops.or(figure
            .bytes
            .zip(setup.block)
            .map(|(bytes, block)| bytes / block));
        let held = iops.zip(figure.own);
        own &= held.is_some_and(|(iops, own)| iops >= own * OWN_RATE_REACHED);
    }
    if measured <= 0.0 {
        return None;
    }
    let u = measured / limit.value;
    if unknown && u < BAND_FROM {
        // The figures of which it is not known how much counts may bring it to the limit.
        return None;
    }
    let covered = limits.iter().any(|other| {
        let same = other.scope == limit.scope && other.metric == limit.metric;
        let burst = other.burst.is_some() && limit.burst.is_none();
        same && burst && other.what == limit.what && measured <= other.value * BAND_TO
    });
    let standing = match u {
        u if u < BAND_FROM => Standing::Below,
        u if u <= BAND_TO && own => Standing::OwnRate,
        u if u <= BAND_TO => Standing::At,
        _ if covered || limit.measured || limit.disputed => Standing::Passed,
        _ => Standing::Above,
    };
    Some(Compared {
        limit: at,
        measured,
        u,
        standing,
    })
}

/// Of a figure what counts for a limit, 0 to 1; `None` where it takes a share of reads that is not known. Where all disks
/// are cached, what went past the cache is what reached the disks.
fn counted(limit: &Limit, setup: &Setup, figure: &Figure) -> Option<f64> {
    let cached = !setup.disks.is_empty() && setup.disks.iter().all(|set| set.cache != Cache::None);
    let reaches = matches!(limit.scope, Scope::Disk | Scope::Uncached);
    match figure.path == Path::Uncached && cached && reaches {
        true => Some(1.0),
        false => limit.counted(figure, setup.reads),
    }
}

/// A figure in the measure of a limit.
fn value_of(limit: &Limit, setup: &Setup, figure: &Figure) -> Option<f64> {
    let iops = || figure.iops.or_else(|| Some(figure.bytes? / setup.block?));
    match limit.metric {
        Metric::Bytes => figure.bytes.or_else(|| Some(figure.iops? * setup.block?)),
        Metric::Iops => Some(iops()? * setup.block.map_or(1.0, |block| limit.ios_of(block))),
        Metric::InFlight => Some(iops()? * setup.latency?),
    }
}

/// The limits at which figures are, for each way of the I/O; or what else is to be said.
fn conclude(limits: &[Limit], compared: &[Compared]) -> Vec<Conclusion> {
    let with = |standing: Standing| {
        let of = compared.iter().filter(move |one| one.standing == standing);
        of.map(|one| one.limit).collect::<Vec<usize>>()
    };
    let all_at = with(Standing::At);
    let sure: Vec<usize> = all_at
        .iter()
        .copied()
        .filter(|at| !limits[*at].disputed)
        .collect();
    if sure.is_empty() && !all_at.is_empty() {
        return vec![disputed(limits, compared, all_at)];
    }
    let above = with(Standing::Above);
    let mut conclusions = by_way(limits, sure);
    if !above.is_empty() {
        // It comes first: a set-up that cannot hold the figure casts doubt on what else it seems to be at.
        conclusions.insert(0, Conclusion::Above(above));
    }
    if conclusions.is_empty() {
        conclusions.push(Conclusion::None);
    }
    conclusions
}

/// Limits at which figures are: one conclusion for each way of the I/O.
fn by_way(limits: &[Limit], at: Vec<usize>) -> Vec<Conclusion> {
    let way = |at: usize| {
        limits[at]
            .counts
            .first()
            .map_or(Path::Any, |(path, _)| *path)
    };
    let one_way = at.iter().any(|at| way(*at) != Path::Any);
    let mut conclusions = Vec::new();
    for path in [Path::Any, Path::Uncached, Path::Cached] {
        let mut own: Vec<usize> = at.iter().copied().filter(|at| way(*at) == path).collect();
        // The sum of two ways is explained by the one that is held.
        own.retain(|at| !(one_way && limits[*at].scope == Scope::BothPaths));
        let value = |at: &usize| limits[*at].value;
        own.sort_by(|a, b| value(a).partial_cmp(&value(b)).unwrap_or(Ordering::Equal));
        let Some(first) = own.first() else { continue };
        let family = limits[*first].scope.family();
        if own.iter().all(|at| limits[*at].scope.family() == family) {
            conclusions.push(Conclusion::At(own));
        } else {
            conclusions.push(not_separated(limits, own));
        }
    }
    conclusions
}

/// All that a figure is at is disputed: what contradicts it, and what is near, may be meant as well.
fn disputed(limits: &[Limit], compared: &[Compared], at: Vec<usize>) -> Conclusion {
    let mut all = at.clone();
    for one in compared {
        let limit = &limits[one.limit];
        let near = (NEAR..BAND_FROM).contains(&one.u);
        let rival = at.iter().any(|at| {
            limits[*at].scope == limit.scope
                && limits[*at].metric == limit.metric
                && limit.burst.is_none()
        });
        if (near || rival) && !all.contains(&one.limit) {
            all.push(one.limit);
        }
    }
    not_separated(limits, all)
}

fn not_separated(limits: &[Limit], at: Vec<usize>) -> Conclusion {
    let shared = at
        .iter()
        .filter(|at| limits[**at].scope.is_shared())
        .count();
    Conclusion::NotSeparated {
        machines_decide: shared > 0 && shared < at.len(),
        limits: at,
    }
}
