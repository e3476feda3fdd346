//! Figures by host and by target: which hosts the totals cover, what each did, how even they were.
//!
//! Belongs here: who takes part in a stage, and cutting a stage by host or target. Must never: judge
//! (that is `trust`).

use super::figures::{self, Figures, TimeSeries};
use super::series::intervals;
use super::slices::{SliceShare, run_of, slice_of_point};
use super::{MOST_TAILS, Part, WorkloadSummary, certainty, planned, workers};
use crate::run::{HostPoint, Moments, OpPoint, Run, StageRun};
use crate::stats;
use leadline_model::event::HostState;
use leadline_model::op::OpMap;
use leadline_model::plan::{Stage, Target, Workload};
use leadline_model::sample::{Counts, CpuUse, EndReason, Sample, WorkerTotals};
use leadline_model::units::Nanos;

/// Which hosts the figures of a stage are about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cover {
    /// Hosts that were to take part, by their place in the plan's list; empty where the plan names none.
    pub asked: Vec<u32>,
    /// Those of them that the totals hold. Where every host was lost: all, with what is known of them.
    pub covered: Vec<u32>,
}

impl Cover {
    /// Which hosts take part in `stage`, and which of them finished it: were not lost before, and had no worker
    /// that an error ended (a full disk, a device that is gone).
    #[must_use]
    pub fn of(run: &Run, stage: &StageRun) -> Self {
        let Some(plan) = planned(run, stage.stage) else {
            return Self::default();
        };
        let all = run.plan.as_ref().map_or(0, |p| p.hosts.len());
        let hosts = (0..u32::try_from(all).unwrap_or(u32::MAX)).filter(|h| takes_part(plan, *h));
        let asked: Vec<u32> = hosts.collect();
        let missing = |host: &u32| is_lost(run, stage, *host) || broke_off(stage, *host).is_some();
        let mut covered = asked.clone();
        if !asked.iter().all(missing) {
            covered.retain(|host| !missing(host));
        }
        Self { asked, covered }
    }

    /// Whether the figures hold this host. Always where the plan names none.
    #[must_use]
    pub fn has(&self, host: u32) -> bool {
        self.asked.is_empty() || self.covered.binary_search(&host).is_ok()
    }

    /// Whether the figures hold all hosts that were to take part.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.covered.len() == self.asked.len()
    }

    /// How many of the covered hosts run this workload; 1 where the plan names no hosts.
    #[must_use]
    pub fn running(&self, workload: &Workload) -> u64 {
        if self.asked.is_empty() {
            return 1;
        }
        let runs = |host: &&u32| workload.hosts.contains(**host);
        self.covered.iter().filter(runs).count() as u64
    }
}

/// Whether a host was lost before its workers reached the end of a stage.
#[must_use]
pub fn is_lost(run: &Run, stage: &StageRun, host: u32) -> bool {
    let (Some(plan), Some((_, at, _))) = (planned(run, stage.stage), run.loss(host)) else {
        return false;
    };
    let expected: usize = of_host(plan, host).map(|w| w.clones as usize).sum();
    let reported = stage.workers.iter().filter(|w| w.host == host).count();
    // What the controller reports of the workers of a lost host is an error, too.
    at.is_none_or(|at| at <= stage.stage)
        && (reported < expected || broke_off(stage, host).is_some())
}

/// When an error ended a worker of a host, the first of them.
#[must_use]
pub fn broke_off(stage: &StageRun, host: u32) -> Option<Nanos> {
    let failed = |w: &&WorkerTotals| w.host == host && matches!(w.end, EndReason::Error { .. });
    let ends = stage.workers.iter().filter(failed).map(|w| w.window_end);
    ends.min()
}

fn takes_part(plan: &Stage, host: u32) -> bool {
    of_host(plan, host).next().is_some()
}

/// The workloads of a stage that a host runs.
fn of_host(plan: &Stage, host: u32) -> impl Iterator<Item = &Workload> {
    let runs = move |w: &&Workload| w.hosts.contains(host);
    plan.workloads.iter().filter(runs)
}

/// What one host did in a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSummary {
    /// Its place in the plan's list.
    pub host: u32,
    /// Its name.
    pub label: String,
    /// Whether the stage's totals hold it.
    pub covered: bool,
    /// When an error ended a worker of it; `None` = no error did.
    pub broke_off: Option<Nanos>,
    /// Its workers together, also where an error ended some. Of a host that was lost: what its intervals say, without
    /// a histogram ([`figures::Basis::Intervals`]).
    pub figures: Figures,
    /// Read, write and trim together: means and extremes, known of a lost host too.
    pub data: OpPoint,
    /// Its first I/O from the agreed start, by the controller's clock, in nanoseconds; `None` = not known.
    pub late: Option<i64>,
    /// Time series, all its workloads together, warm-up included.
    pub series: Vec<HostPoint>,
}

/// The hosts of a stage, in the plan's order; empty where the plan names none.
#[must_use]
pub fn hosts(run: &Run, stage: &StageRun, cover: &Cover) -> Vec<HostSummary> {
    let mut points: Vec<&HostPoint> = stage.points.iter().collect();
    points.sort_by_key(|p| p.host);
    let mut workers: Vec<_> = stage.workers.iter().collect();
    workers.sort_by_key(|w| w.host);
    let one = |&host: &u32| {
        let points = run_of(&points, host, |p| p.host);
        let workers = run_of(&workers, host, |w| w.host);
        let covered = cover.has(host);
        // A host that broke off has reported all that its workers did; a lost one has not.
        let complete = !workers.is_empty() && (covered || run.loss(host).is_none());
        let series = TimeSeries {
            samples: &[],
            points,
        };
        let mut figures = figures::figures(workers, &series, complete);
        let series = joined(points);
        certainty::give_points(&mut figures, series.iter());
        let data = if complete {
            OpPoint::of(&figures.data.clone().into_counts())
        } else {
            measured(points)
        };
        HostSummary {
            host,
            label: run.host_label(host).to_owned(),
            covered,
            broke_off: broke_off(stage, host),
            figures,
            data,
            late: late(run, stage.stage, host),
            series,
        }
    };
    cover.asked.iter().map(one).collect()
}

/// Gives hosts whose workloads are all theirs alone the intervals of percentiles too: the samples of those are of one
/// host, with their histograms. Those of a workload that several hosts share are merged.
pub(super) fn give_tails(hosts: &mut [HostSummary], plan: &Stage, parts: &[Part<'_>], seed: u64) {
    if hosts.len() > MOST_TAILS {
        return;
    }
    for host in hosts {
        let own = plan.workloads.iter().zip(parts);
        let own = own.filter(|(workload, _)| workload.hosts.contains(host.host));
        let own: Vec<_> = own.collect();
        let is_alone = |w: &Workload| w.hosts.single() == Some(host.host);
        if own.iter().all(|(workload, _)| is_alone(workload)) {
            let samples: Vec<&Sample> = own.iter().flat_map(|(_, p)| &p.samples).copied().collect();
            let number = seed | u64::from(host.host);
            certainty::give(&mut host.figures, &samples, number, true);
        }
    }
}

fn measured(points: &[&HostPoint]) -> OpPoint {
    let mut all = OpPoint::default();
    let counted = points.iter().filter(|p| !p.warmup);
    counted.for_each(|p| all.merge(&p.data()));
    all
}

fn late(run: &Run, stage: u32, host: u32) -> Option<i64> {
    let news = run.hosts.iter().rev().filter(|n| n.host == host);
    news.filter_map(|n| match &n.what {
        HostState::Started { stage: s, late } if *s == stage => Some(*late),
        _ => None,
    })
    .next()
}

/// The points of one host, or several, with those of the same interval combined.
pub(super) fn joined(points: &[&HostPoint]) -> Vec<HostPoint> {
    let mut sorted = points.to_vec();
    sorted.sort_by_key(|p| (p.interval, !p.warmup));
    let slices = intervals(&sorted, slice_of_point);
    slices.iter().filter_map(|slice| join(slice)).collect()
}

/// Several points as one: its workload and workers have no meaning.
#[must_use]
pub fn join(points: &[&HostPoint]) -> Option<HostPoint> {
    let first = points.first()?;
    let start = points.iter().map(|p| p.start).min()?;
    let end = points.iter().map(|p| p.start.0 + p.length.0).max()?;
    let mut ops = OpMap::<OpPoint>::default();
    for (op, point) in points.iter().flat_map(|p| p.ops.iter()) {
        ops.entry(op).merge(point);
    }
    Some(HostPoint {
        host: first.host,
        workload: first.workload,
        interval: first.interval,
        start,
        length: Nanos(end).since(start),
        warmup: first.warmup,
        ops,
        workers: Box::default(),
    })
}

/// What all workloads of one target did in a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetSummary {
    /// Its name: Vdbench's SD, or the path.
    pub name: String,
    /// The workloads that go to it.
    pub workloads: Vec<u32>,
    /// All their workers together, on the hosts that the totals cover. Of a workload that is counted by file:
    /// what went to this one, over each worker's own window, without what is a worker's alone (processor time,
    /// depth classes, lag, the warm-up).
    pub figures: Figures,
}

/// A workload's part in a target: its number, and which of its files that is; `None` = all of it.
type TargetUse = (u32, Option<usize>);

/// The targets of a stage, in the order of the plan.
#[must_use]
pub(super) fn targets(
    plan: &Stage,
    parts: &[Part<'_>],
    cover: &Cover,
    (known, seed): (KnownOf<'_>, u64),
) -> Vec<TargetSummary> {
    let mut all: Vec<(String, Vec<TargetUse>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for ((number, workload), part) in (0_u32..).zip(&plan.workloads).zip(parts) {
        for (file, name) in names(workload, part) {
            let place = *places.entry(name.clone()).or_insert(all.len());
            match all.get_mut(place) {
                Some(target) => target.1.push((number, file)),
                None => all.push((name, vec![(number, file)])),
            }
        }
    }
    let tails = all.len() <= MOST_TAILS;
    let summary = |(number, (name, uses)): (u64, (String, Vec<TargetUse>))| {
        let mut workloads: Vec<u32> = uses.iter().map(|of| of.0).collect();
        workloads.dedup();
        let (mut figures, over_time) = of_target(plan, parts, cover, &uses);
        match known
            .of(&workloads)
            .filter(|_| !over_time.samples.is_empty())
        {
            Some(same) => certainty::copy(same, &mut figures),
            None if over_time.samples.is_empty() => {
                certainty::give_share(&mut figures, shares_of(parts, &uses));
            }
            None => over_time.give_intervals(&mut figures, cover, seed | number, tails),
        }
        TargetSummary {
            figures,
            name,
            workloads,
        }
    };
    (0..).zip(all).map(summary).collect()
}

/// What is known of a stage and its workloads.
#[derive(Clone, Copy)]
pub(super) struct KnownOf<'a> {
    pub(super) stage: &'a Figures,
    pub(super) workloads: &'a [WorkloadSummary],
}

impl<'a> KnownOf<'a> {
    /// The figures of just these workloads, which are in order, where there are some.
    fn of(self, workloads: &[u32]) -> Option<&'a Figures> {
        match workloads {
            all if all.len() == self.workloads.len() => Some(self.stage),
            [one] => self.workloads.get(*one as usize).map(|w| &w.figures),
            _ => None,
        }
    }
}

/// What was done to the files that are a target, by slice; empty where that is not known of all of it.
fn shares_of(parts: &[Part<'_>], uses: &[TargetUse]) -> Vec<SliceShare> {
    let samples = uses.iter().filter_map(|&(number, file)| {
        let part = parts.get(number as usize)?;
        let own = part.samples.iter().copied();
        Some(own.map(move |sample| (sample, file.unwrap_or(usize::MAX))))
    });
    workers::of_files(samples.flatten())
}

/// The targets of a workload: each of its files where all its workers counted them apart.
fn names(workload: &Workload, part: &Part<'_>) -> Vec<(Option<usize>, String)> {
    match &workload.blocks().target {
        Target::Paths(paths)
            if paths.len() > 1
                && !part.workers.is_empty()
                && part.workers.iter().all(|w| w.files.len() == paths.len()) =>
        {
            paths
                .iter()
                .cloned()
                .enumerate()
                .map(|(i, p)| (Some(i), p))
                .collect()
        }
        _ => vec![(None, target_name(workload))],
    }
}

/// The figures of a target, and what of the stage was counted of it over time: nothing where files were counted apart.
fn of_target<'a>(
    plan: &Stage,
    parts: &[Part<'a>],
    cover: &Cover,
    shares: &[TargetUse],
) -> (Figures, Part<'a>) {
    let known = |number: u32| {
        let at = number as usize;
        plan.workloads.get(at).zip(parts.get(at))
    };
    let mut of_files = Vec::new();
    for &(number, file) in shares {
        if let (Some(file), Some((_, part))) = (file, known(number)) {
            let counts = |w: &WorkerTotals| w.files.get(file).cloned().unwrap_or_default();
            of_files.extend(part.workers.iter().map(|w| of_file(w, counts(w))));
        }
    }
    let mut all = Part {
        workers: of_files.iter().collect(),
        ..Part::default()
    };
    let by_file = !of_files.is_empty();
    let (mut complete, mut over_time) = (true, Part::default());
    for &(number, file) in shares {
        let Some((workload, part)) = known(number) else {
            continue;
        };
        complete &= super::is_complete(workload, part, cover);
        if file.is_none() {
            all.workers.extend(&part.workers);
        }
        // Intervals are not kept by file.
        if !by_file {
            over_time.samples.extend(&part.samples);
            over_time.points.extend(&part.points);
        }
    }
    all.samples.extend(&over_time.samples);
    all.points.extend(&over_time.points);
    (all.figures(cover, complete || by_file), over_time)
}

/// A worker as if it had done nothing but what these counts of one of its files say.
#[must_use]
pub fn of_file(worker: &WorkerTotals, counts: Counts) -> WorkerTotals {
    WorkerTotals {
        counts,
        files: Vec::new(),
        errors: Vec::new(),
        cpu: CpuUse::default(),
        warmup_ios: 0,
        unissued: 0,
        // Which file it was is not known.
        edge: if worker.files.is_empty() {
            worker.edge
        } else {
            0
        },
        drain: match worker.files.is_empty() {
            true => worker.drain.clone(),
            false => None,
        },
        end: worker.end.clone(),
        ..*worker
    }
}

/// What a workload's target is called: the name the user gave it, else its path.
#[must_use]
pub fn target_name(workload: &Workload) -> String {
    if let Some(name) = &workload.target_name {
        return name.clone();
    }
    match &workload.blocks().target {
        Target::Paths(paths) => match paths.as_slice() {
            [] => workload.name.clone(),
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        },
        Target::Files(_) => workload.name.clone(),
        Target::Null { .. } => "null".to_owned(),
        Target::Simulated(_) => "simulated".to_owned(),
    }
}

/// How even the hosts of a stage were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// Jain's index of their rates: 1 = all equal, 1/n = one did all.
    pub jain: f64,
    /// Largest rate over smallest; infinite when one did nothing.
    pub max_over_min: f64,
    /// The host with the smallest rate.
    pub least: u32,
    /// The host with the largest rate.
    pub most: u32,
}

/// How balanced the covered hosts were; `None` for fewer than two, or if they did not have the same work.
#[must_use]
pub fn balance(plan: &Stage, hosts: &[HostSummary]) -> Option<Balance> {
    let covered: Vec<&HostSummary> = hosts.iter().filter(|h| h.covered).collect();
    let rate = |h: &HostSummary| h.figures.data.iops;
    let by_rate = |a: &&&HostSummary, b: &&&HostSummary| rate(a).total_cmp(&rate(b));
    let least = covered.iter().min_by(by_rate)?;
    let most = covered.iter().max_by(by_rate)?;
    let first = asked_of(plan, least.host);
    if covered.len() < 2 || covered.iter().any(|h| asked_of(plan, h.host) != first) {
        return None;
    }
    let rates: Vec<f64> = covered.iter().map(|h| rate(h)).collect();
    Some(Balance {
        jain: stats::jain(&rates)?,
        max_over_min: rate(most) / rate(least),
        least: least.host,
        most: most.host,
    })
}

/// A host's work, in a form that is equal for equal work; without targets.
fn asked_of(plan: &Stage, host: u32) -> Vec<String> {
    if plan.workloads.iter().all(|w| w.hosts.is_all()) {
        return Vec::new();
    }
    let words = |w: &Workload| {
        format!(
            "{:?}",
            (
                &w.blocks().mix,
                &w.blocks().sizes,
                &w.blocks().access.order,
                &w.pace,
                w.depth,
                w.clones,
                w.share
            )
        )
    };
    let mut asked: Vec<String> = of_host(plan, host).map(words).collect();
    asked.sort();
    asked
}

impl HostSummary {
    /// Mean latency from the intended start.
    #[must_use]
    pub fn response(&self) -> Moments {
        self.data.response()
    }
}

#[cfg(test)]
mod tests;
