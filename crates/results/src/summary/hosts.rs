//! Figures by host and by target: which hosts the totals cover, what each did, how even they were.
//!
//! Belongs here: who takes part in a stage, and cutting a stage by host or target. Must never: judge
//! (that is `trust`).

use super::figures::{self, Figures, TimeSeries};
use super::series::{Slice, intervals};
use super::{Part, planned};
use crate::run::{HostPoint, Moments, OpPoint, Run, StageRun};
use crate::stats;
use leadline_model::event::HostState;
use leadline_model::op::OpMap;
use leadline_model::plan::{Stage, Target, Workload};
use leadline_model::sample::{Counts, CpuUse, EndReason, WorkerTotals};
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
    /// Who takes part in `stage`, and who of them came to its end: was not lost before, and had no worker
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
        match workload.host {
            Some(host) => u64::from(self.has(host)),
            None => self.covered.len() as u64,
        }
    }
}

/// Whether a host was lost before its workers had come to the end of a stage.
#[must_use]
pub fn is_lost(run: &Run, stage: &StageRun, host: u32) -> bool {
    let (Some(plan), Some((_, at, _))) = (planned(run, stage.stage), run.loss(host)) else {
        return false;
    };
    let expected: usize = of_host(plan, host).map(|w| w.clones as usize).sum();
    let told = stage.workers.iter().filter(|w| w.host == host).count();
    // What the controller says of the workers of a lost host is an error, too.
    at.is_none_or(|at| at <= stage.stage) && (told < expected || broke_off(stage, host).is_some())
}

/// The first of a host's workers that an error ended, with what failed.
#[must_use]
pub fn broke_off(stage: &StageRun, host: u32) -> Option<(&WorkerTotals, &str)> {
    let failed = stage.workers.iter().filter_map(|w| match &w.end {
        EndReason::Error { what, .. } if w.host == host => Some((w, what.as_str())),
        _ => None,
    });
    failed.min_by_key(|(w, _)| w.window_end)
}

fn takes_part(plan: &Stage, host: u32) -> bool {
    of_host(plan, host).next().is_some()
}

/// The workloads of a stage that a host runs.
fn of_host(plan: &Stage, host: u32) -> impl Iterator<Item = &Workload> {
    let runs = move |w: &&Workload| w.host.is_none_or(|h| h == host);
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
    /// When and by what an error ended a worker of it; `None` = no error did.
    pub broke_off: Option<(Nanos, String)>,
    /// Its workers together, also where an error ended some. Of a host that was lost: what its intervals say, without a histogram
    /// ([`figures::Basis::Intervals`]).
    pub figures: Figures,
    /// Read, write and trim together: means and extremes, known of a lost host too.
    pub data: OpPoint,
    /// Its first I/O from the agreed start, by the controller's clock, in nanoseconds; `None` = not known.
    pub late: Option<i64>,
    /// Course in time, all its workloads together, warm-up included.
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
        // Who broke off has told all its workers did; who was lost has not.
        let complete = !workers.is_empty() && (covered || run.loss(host).is_none());
        let course = TimeSeries {
            samples: &[],
            points,
        };
        let figures = figures::figures(workers, &course, complete);
        let data = if complete {
            OpPoint::of(&figures.data.clone().into_counts())
        } else {
            measured(points)
        };
        HostSummary {
            host,
            label: run.host_label(host).to_owned(),
            covered,
            broke_off: broke_off(stage, host).map(|(w, what)| (w.window_end, what.to_owned())),
            figures,
            data,
            late: late(run, stage.stage, host),
            series: joined(points),
        }
    };
    cover.asked.iter().map(one).collect()
}

/// The part of a slice, sorted by host, that belongs to one.
fn run_of<T>(sorted: &[T], host: u32, of: impl Fn(&T) -> u32) -> &[T] {
    let start = sorted.partition_point(|t| of(t) < host);
    let end = sorted.partition_point(|t| of(t) <= host);
    &sorted[start..end]
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

/// The points of one host with those of its workloads in the same interval put together.
fn joined(points: &[&HostPoint]) -> Vec<HostPoint> {
    let mut sorted = points.to_vec();
    sorted.sort_by_key(|p| (p.interval, !p.warmup));
    let slice_of = |point: &HostPoint| Slice {
        interval: point.interval,
        warmup: point.warmup,
        span: (point.start, Nanos(point.start.0 + point.length.0)),
    };
    let slices = intervals(&sorted, slice_of);
    slices.iter().filter_map(|slice| join(slice)).collect()
}

/// Several points as one: its workload and workers mean nothing.
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
type Share = (u32, Option<usize>);

/// The targets of a stage, in the order of the plan.
#[must_use]
pub fn targets(plan: &Stage, parts: &[Part<'_>], cover: &Cover) -> Vec<TargetSummary> {
    let mut all: Vec<(String, Vec<Share>)> = Vec::new();
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
    let summary = |(name, shares): (String, Vec<Share>)| {
        let mut workloads: Vec<u32> = shares.iter().map(|share| share.0).collect();
        workloads.dedup();
        TargetSummary {
            figures: of_target(plan, parts, cover, &shares),
            name,
            workloads,
        }
    };
    all.into_iter().map(summary).collect()
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

fn of_target(plan: &Stage, parts: &[Part<'_>], cover: &Cover, shares: &[Share]) -> Figures {
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
    let mut complete = true;
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
            all.samples.extend(&part.samples);
            all.points.extend(&part.points);
        }
    }
    all.figures(cover, complete || by_file)
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
    /// Jain's index of their rates: 1 = all alike, 1/n = one did all.
    pub jain: f64,
    /// Largest rate over smallest; infinite when one did nothing.
    pub max_over_min: f64,
    /// The host with the smallest rate.
    pub least: u32,
    /// The host with the largest rate.
    pub most: u32,
}

/// How even the covered hosts were; `None` for fewer than two, or where they were not asked for the same.
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

/// What a host was asked to do, in a form that is equal for equal work; targets apart.
fn asked_of(plan: &Stage, host: u32) -> Vec<String> {
    if plan.workloads.iter().all(|w| w.host.is_none()) {
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
mod tests {
    use super::*;
    use crate::fixture;
    use crate::summary::{Basis, summarize};
    use leadline_model::error_code::ErrorCode;

    #[test]
    fn each_host_and_target_has_its_figures_and_they_add_up() {
        let summary = summarize(&fixture::hosts_run());
        let shared = &summary.stages[0];
        assert_eq!(shared.cover.asked, [0, 1, 2]);
        assert!(shared.cover.is_whole());
        assert_eq!(shared.depth_asked, 12);
        assert_eq!(shared.figures.data.ios, 3 * 2000);
        assert!((shared.figures.data.iops - 1200.0).abs() < 1.0);
        for host in &shared.hosts {
            assert_eq!((host.figures.data.ios, host.data.ios), (2000, 2000));
            assert_eq!(host.series.len(), 5);
            assert_eq!(host.series[1].data().ios, 400);
        }
        assert_eq!(shared.targets.len(), 1);
        let own = &summary.stages[1];
        let names: Vec<_> = own.targets.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["/data/wa", "/data/wb", "/data/wc"]);
        assert_eq!(own.targets[1].figures.data.ios, 1200);
        let balance = own.balance.unwrap();
        assert!((balance.jain - 1.0).abs() < 1e-9);
        assert!((balance.max_over_min - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_workload_that_counts_by_file_has_a_target_for_each() {
        let run = fixture::files_run();
        let stage = &summarize(&run).stages[1];
        let names: Vec<_> = stage.targets.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names[1..], ["/data/x", "/data/y"]);
        let (x, y) = (&stage.targets[1], &stage.targets[2]);
        assert_eq!(
            (x.workloads.as_slice(), y.workloads.as_slice()),
            (&[1][..], &[1][..])
        );
        let whole = &stage.workloads[1].figures;
        assert_eq!(x.figures.data.ios + y.figures.data.ios, whole.data.ios);
        assert!(x.figures.data.ios > 0 && y.figures.data.ios > x.figures.data.ios);
        let sum = x.figures.data.iops + y.figures.data.iops;
        assert!((sum / whole.data.iops - 1.0).abs() < 1e-9);
        assert_eq!((x.figures.errors(), y.figures.errors()), (0, 1));
        let p99 = crate::summary::percentile(&x.figures.data.service, 99.0).unwrap();
        assert_eq!(p99.value.0.div_ceil(1000), 100);
        // Of a worker that told nothing by file there is one target, as it was named.
        let mut half = run;
        half.stages[1].workers.retain(|w| w.workload == 0);
        let stage = &summarize(&half).stages[1];
        assert_eq!(stage.targets[1].name, "/data/x and 1 more");
        // One workload without its workers' totals is enough for none to be used of the stage.
        assert_eq!(stage.figures.basis, Basis::Intervals);
    }

    #[test]
    fn a_lost_host_is_left_out_of_the_totals_and_keeps_its_own_figures() {
        let summary = summarize(&fixture::hosts_run_with_a_loss());
        assert!(summary.stages[0].cover.is_whole());
        let own = &summary.stages[1];
        assert_eq!(
            (own.cover.asked.len(), own.cover.covered.as_slice()),
            (3, &[0, 2][..])
        );
        assert_eq!(own.figures.basis, Basis::Window);
        assert_eq!(own.figures.data.ios, 2 * 1200);
        assert!((own.figures.data.iops - 600.0).abs() < 1.0);
        let lost = &own.hosts[1];
        assert!(!lost.covered);
        assert_eq!((lost.data.ios, lost.figures.data.ios), (600, 600));
        assert!((lost.figures.data.iops - 300.0).abs() < 1.0);
        assert!(lost.response().mean() > 500_000.0);
    }

    #[test]
    fn the_figures_of_a_lost_host_are_the_sums_of_its_intervals() {
        let run = fixture::hosts_run_with_a_loss();
        let points = run.stages[1].points.iter().filter(|p| p.host == 1);
        let (mut sum, mut squares) = (0, 0.0);
        for (_, op) in points.flat_map(|p| p.ops.iter()) {
            sum += op.service.sum;
            squares += op.service.squares;
        }
        let lost = &summarize(&run).stages[1].hosts[1].figures;
        assert!(sum > 0 && squares > 0.0);
        assert_eq!((lost.data.service.sum, lost.warmup_ios), (sum, 0));
        assert!((lost.data.service.sum_squares / squares - 1.0).abs() < 1e-9);
        // Its two intervals of a second each.
        assert_eq!(lost.span, Nanos::from_secs(2));
        assert!((lost.depth_reached - sum as f64 / 2e9).abs() < 1e-9);
    }

    #[test]
    fn a_host_without_a_workload_in_a_stage_takes_no_part() {
        let mut run = fixture::hosts_run();
        if let Some(plan) = &mut run.plan {
            plan.stages[1].workloads[1].host = Some(0);
        }
        assert_eq!(Cover::of(&run, &run.stages[0]).asked, [0, 1, 2]);
        assert_eq!(Cover::of(&run, &run.stages[1]).asked, [0, 2]);
    }

    #[test]
    fn a_common_window_leaves_out_what_a_lost_host_did() {
        let mut run = fixture::hosts_run_with_a_loss();
        let stage = &mut run.stages[1];
        // The third host started a second late: the common window is not the whole.
        for worker in stage.workers.iter_mut().filter(|w| w.host == 2) {
            worker.first_submit = Some(Nanos::SECOND);
        }
        let own = &summarize(&run).stages[1];
        assert_eq!(own.figures.basis, Basis::Common);
        assert!(
            (own.figures.data.iops - 600.0).abs() < 1.0,
            "{}",
            own.figures.data.iops
        );
        assert!(own.figures.window.start_skew > Nanos::from_millis(990));
    }

    #[test]
    fn the_last_words_that_a_controller_gives_a_lost_host_do_not_make_it_whole() {
        let mut run = fixture::hosts_run_with_a_loss();
        let mut last = run.stages[1].workers[0].clone();
        (last.host, last.workload) = (1, 1);
        last.window_end = Nanos::from_secs(2);
        last.end = EndReason::failed(ErrorCode::HostLost, 112, "the host was lost: killed");
        run.stages[1].workers.push(last);
        let own = &summarize(&run).stages[1];
        assert_eq!(own.cover.covered, [0, 2]);
        assert_eq!(own.figures.data.ios, 2 * 1200);
        assert_eq!(own.hosts[1].data.ios, 600, "what its intervals say");
    }

    #[test]
    fn a_host_that_breaks_off_is_left_out_and_the_others_keep_their_window() {
        let mut run = fixture::hosts_run();
        let full = EndReason::failed(
            ErrorCode::HostLost,
            28,
            "write of 4096 bytes at 0 of /data/wb",
        );
        for worker in run.stages[1].workers.iter_mut().filter(|w| w.host == 1) {
            (worker.end, worker.window_end) = (full.clone(), Nanos::SECOND);
        }
        let own = &summarize(&run).stages[1];
        assert_eq!(own.cover.covered, [0, 2]);
        assert_eq!(own.figures.data.ios, 2 * 1200);
        assert_eq!(own.figures.window.stop_skew, Nanos::ZERO);
        let broken = &own.hosts[1];
        assert_eq!(
            broken.figures.data.ios, 1200,
            "all it did, with its latencies"
        );
        let (at, what) = broken.broke_off.as_ref().unwrap();
        assert_eq!((*at, what.contains("/data/wb")), (Nanos::SECOND, true));
        // Where nobody came to the end there is nothing better than what there is.
        for worker in &mut run.stages[1].workers {
            worker.end = full.clone();
        }
        assert!(summarize(&run).stages[1].cover.is_whole());
    }

    #[test]
    fn when_all_are_lost_their_intervals_are_all_there_is() {
        let mut run = fixture::hosts_run_with_a_loss();
        run.stages[1].workers.clear();
        for host in [0, 2] {
            let mut news = run.hosts.last().unwrap().clone();
            news.host = host;
            run.hosts.push(news);
        }
        let own = &summarize(&run).stages[1];
        assert_eq!(own.figures.basis, Basis::Intervals);
        assert_eq!(own.cover.covered.len(), 3);
        assert_eq!(own.figures.data.ios, 600 + 2 * 1200);
    }

    #[test]
    fn hosts_with_different_work_are_not_compared() {
        let mut run = fixture::hosts_run();
        if let Some(plan) = &mut run.plan {
            plan.stages[1].workloads[2].depth = 7;
        }
        let summary = summarize(&run);
        assert!(summary.stages[0].balance.is_some());
        assert_eq!(summary.stages[1].balance, None);
    }
}
