//! From a run to figures: per stage, workload, report group and worker.
//!
//! Belongs here: adding up, rates over a window, percentiles with their trust, labels. Must never:
//! judge (that is `trust`), format for people (that is `render`), average percentiles.
//!
//! The way in is [`summarize`]: one [`Summary`] with a [`StageSummary`] for each stage that was started
//! and in it a [`WorkloadSummary`] for each workload. [`group`] sums up a report group over all
//! stages, [`figures::of_worker`] a single worker, [`series::series`] gives the time series.

pub(crate) mod asked;
pub mod certainty;
pub mod delayed;
pub(crate) mod few_slow;
pub mod figures;
pub(crate) mod group_spread;
mod held_time;
pub mod hosts;
pub mod kernel;
pub mod labels;
pub mod measured;
pub mod names;
mod observed;
pub mod op_intervals;
pub(crate) mod passed;
pub mod percentile;
pub mod processors;
pub mod progress;
mod queue;
pub(crate) mod reached;
pub(crate) mod said;
pub mod series;
mod setting;
mod slices;
mod slow;
pub mod stalls;
pub(crate) mod together;
pub mod window;
pub mod workers;

pub use figures::{Basis, CpuFigures, Figures, OpFigures, TimeSeries, of_worker};
pub use held_time::HeldTime;
use hosts::KnownOf;
pub use hosts::{Balance, Cover, HostSummary, TargetSummary, balance, target_name};
pub use labels::Labels;
use measured::PointResult;
use observed::WorkloadSeries;
pub use op_intervals::{LatencyIntervals, OpIntervals};
pub use percentile::{Percentile, Trust, longest_text, mean_text, percentile};
pub use series::{Point, PointOp};
pub use stalls::Stalls;
pub use window::Window;
pub use workers::workers;

use crate::run::{HostPoint, Run, StageRun};
use crate::words::whole;
use leadline_model::op::Op;
use leadline_model::plan::{Pace, Rate, ServerCache, Stage, Workload};
use leadline_model::sample::{Sample, WorkerTotals};
use leadline_model::units::Nanos;
use std::collections::BTreeSet;

/// All figures of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The stages that were started, in order.
    pub stages: Vec<StageSummary>,
}

impl Summary {
    /// The points of the run that it is of: its stages with exactly one workload, in order.
    #[must_use]
    pub fn points(&self, run: &Run) -> Vec<PointResult> {
        let stages = run.stages.iter().zip(&self.stages);
        stages
            .filter_map(|(stage, summary)| PointResult::of_summary(run, stage, summary))
            .collect()
    }
}

/// Figures of one stage.
#[derive(Clone, Debug, PartialEq)]
pub struct StageSummary {
    /// Number in the plan.
    pub stage: u32,
    /// Name in the plan; empty when the plan does not have it.
    pub name: String,
    /// Its label among the others of its run ([`names`]).
    pub label: String,
    /// Which hosts the figures are about.
    pub cover: Cover,
    /// All workloads together, over their common window, on the covered hosts.
    pub figures: Figures,
    /// Most I/Os that could be in flight, all workers together.
    pub depth_asked: u64,
    /// Time series, all workloads together.
    pub series: Vec<Point>,
    /// By workload.
    pub workloads: Vec<WorkloadSummary>,
    /// By host; empty where the plan names none.
    pub hosts: Vec<HostSummary>,
    /// By target.
    pub targets: Vec<TargetSummary>,
    /// How balanced the covered hosts were, if they had the same work.
    pub balance: Option<Balance>,
}

/// Figures of one workload of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadSummary {
    /// Number within the stage.
    pub workload: u32,
    /// Its name.
    pub name: String,
    /// Its label among the others of its run ([`names`]).
    pub label: String,
    /// Its report group.
    pub group: u32,
    /// All its workers together, over their common window.
    pub figures: Figures,
    /// Most I/Os that could be in flight, all its workers on the covered hosts together.
    pub depth_asked: u64,
    /// Requested and reached rates, for each kind of operation that has one.
    pub rates: Vec<RateFigures>,
    /// Cache axes.
    pub labels: Labels,
    /// When its target stood still.
    pub stalls: Option<Stalls>,
    /// For how long all in flight waited at once, by their latencies.
    pub held: HeldTime,
    /// Time series.
    pub series: Vec<Point>,
}

impl WorkloadSummary {
    /// The stalls of its target, where they are no tail of its latencies.
    #[must_use]
    pub fn sure_stalls(&self) -> Option<&Stalls> {
        self.stalls.as_ref().filter(|stalls| !stalls.unsure)
    }
}

/// A requested rate, all workers of a workload together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateFigures {
    /// Of which operation; `None` = of all that carry data together.
    pub op: Option<Op>,
    /// The requested rate.
    pub asked: Rate,
    /// What was reached, in the same unit: I/Os or bytes a second.
    pub reached: f64,
}

impl RateFigures {
    /// Of which operation, in words: `read`, `all`.
    #[must_use]
    pub const fn what(&self) -> &'static str {
        match self.op {
            Some(op) => op.name(),
            None => "all",
        }
    }

    /// The requested rate, in I/Os or bytes a second.
    #[must_use]
    pub fn asked_value(&self) -> f64 {
        match self.asked {
            Rate::Iops(n) => n,
            Rate::Bytes(n) => n as f64,
        }
    }

    /// Reached over requested; 1 = as requested.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.reached / self.asked_value()
    }
}

/// All figures of a run.
#[must_use]
pub fn summarize(run: &Run) -> Summary {
    let stages = run.stages.iter().map(|s| summarize_stage(run, s));
    let mut stages: Vec<StageSummary> = stages.collect();
    names::give(run, &mut stages);
    Summary { stages }
}

/// The figures of one stage of a run.
#[must_use]
pub fn summarize_stage(run: &Run, stage: &StageRun) -> StageSummary {
    let plan = planned(run, stage.stage);
    let planned = plan.map(|p| p.workloads.as_slice()).unwrap_or_default();
    let parts = by_workload(stage, planned.len());
    let cover = Cover::of(run, stage);
    let server = plan.map(|p| p.server_cache).unwrap_or_default();
    let each = (0_u32..).zip(planned).zip(&parts);
    let mut workloads: Vec<_> = each
        .map(|((index, workload), part)| {
            summarize_workload(
                run,
                (planned, index, server),
                (workload, stage),
                part,
                &cover,
            )
        })
        .collect();
    let all = undivided(stage);
    let complete = all_complete(plan, &parts, &all, &cover);
    let mut figures = all.figures(&cover, complete);
    give_intervals(
        stage.stage,
        &mut figures,
        &mut workloads,
        &cover,
        (&all, &parts),
    );
    let mut hosts = hosts::hosts(run, stage, &cover);
    if let Some(plan) = plan {
        hosts::give_tails(&mut hosts, plan, &parts, number_of(stage.stage, 1 << 30));
    }
    let known = KnownOf {
        stage: &figures,
        workloads: &workloads,
    };
    let targets =
        plan.map(|p| hosts::targets(p, &parts, &cover, (known, number_of(stage.stage, 1 << 31))));
    let targets = targets.unwrap_or_default();
    StageSummary {
        stage: stage.stage,
        name: plan.map(|p| p.name.clone()).unwrap_or_default(),
        label: plan.map(names::stage_name).unwrap_or_default(),
        figures,
        depth_asked: workloads.iter().map(|w| w.depth_asked).sum(),
        series: all.series(&cover),
        workloads,
        balance: plan.and_then(|p| hosts::balance(p, &hosts)),
        hosts,
        targets,
        cover,
    }
}

/// With more workloads, only all of them together have intervals of percentiles: those take their time.
const MOST_TAILS: usize = 32;

/// The number of a set of figures of a stage, by which its resampled series are drawn.
const fn number_of(stage: u32, place: u64) -> u64 {
    (stage as u64) << 32 | place
}

/// Gives a stage and its workloads their intervals.
fn give_intervals(
    stage: u32,
    figures: &mut Figures,
    workloads: &mut [WorkloadSummary],
    cover: &Cover,
    (all, parts): (&Part<'_>, &[Part<'_>]),
) {
    let number = |place| number_of(stage, place);
    all.give_intervals(figures, cover, number(0), true);
    if let [only] = workloads {
        // The same I/Os.
        certainty::copy(figures, &mut only.figures);
        return;
    }
    let tails = workloads.len() <= MOST_TAILS;
    for ((workload, part), place) in workloads.iter_mut().zip(parts).zip(1..) {
        part.give_intervals(&mut workload.figures, cover, number(place), tails);
    }
}

/// The figures of all workloads of a stage together, alone, without intervals: quicker than [`summarize_stage`].
#[must_use]
pub fn stage_figures(run: &Run, stage: &StageRun) -> Figures {
    let plan = planned(run, stage.stage);
    let parts = by_workload(stage, plan.map_or(0, |p| p.workloads.len()));
    let cover = Cover::of(run, stage);
    let all = undivided(stage);
    all.figures(&cover, all_complete(plan, &parts, &all, &cover))
}

fn undivided(stage: &StageRun) -> Part<'_> {
    Part {
        workers: stage.workers.iter().collect(),
        samples: stage.samples.iter().collect(),
        points: stage.points.iter().collect(),
    }
}

/// Whether all workers of a stage on the covered hosts have ended.
fn all_complete(plan: Option<&Stage>, parts: &[Part<'_>], all: &Part<'_>, cover: &Cover) -> bool {
    let Some(plan) = plan else {
        return !all.workers.is_empty();
    };
    let mut each = plan.workloads.iter().zip(parts);
    each.all(|(workload, part)| is_complete(workload, part, cover))
}

fn summarize_workload(
    run: &Run,
    (stage, index, server): (&[Workload], u32, ServerCache),
    (plan, of): (&Workload, &StageRun),
    part: &Part<'_>,
    cover: &Cover,
) -> WorkloadSummary {
    let figures = part.figures(cover, is_complete(plan, part, cover));
    let hosts = cover.running(plan);
    let of_plan = Labels::of(plan, server, &run.facts);
    let depth_asked = depth_asked(plan) * hosts;
    let rates = rates(plan, &figures, hosts);
    let end = part.workers.iter().map(|w| w.window_start);
    let end = plan.stop.runtime.zip(end.max());
    let begins = |s: &&Sample| end.is_none_or(|(asked, from)| s.start.0 < from.0 + asked.0);
    let measured = part.samples.iter().copied().filter(|s| !s.warmup);
    let (samples, rest) = measured.partition(begins);
    let observed = run.unit(of.stage).map(|interval| WorkloadSeries {
        plan,
        samples,
        rest,
        workers: &part.workers,
        figures: &figures,
        depth: depth_asked,
        interval,
        disturbed: stage.len() > 1 || rates.iter().any(|rate| is_missed(plan, &figures, rate)),
    });
    WorkloadSummary {
        workload: index,
        name: plan.name.clone(),
        label: plan.name.clone(),
        group: plan.group,
        depth_asked,
        stalls: observed.as_ref().and_then(Stalls::of),
        held: observed.as_ref().map(HeldTime::of).unwrap_or_default(),
        rates,
        labels: Labels {
            client: labels::after(of_plan.client, index as usize, stage, figures.data.bytes),
            ..of_plan
        },
        series: part.series(cover),
        figures,
    }
}

/// Whether a workload did not reach a rate, by more I/Os than chance explains.
pub(crate) fn is_missed(plan: &Workload, figures: &Figures, rate: &RateFigures) -> bool {
    let size = match (rate.asked, rate.op) {
        (Rate::Iops(_), _) => 1.0,
        (Rate::Bytes(_), Some(op)) => plan.blocks().largest_of(op).max(1) as f64,
        (Rate::Bytes(_), None) => plan.blocks().largest().max(1) as f64,
    };
    let (asked, reached) = (rate.asked_value() / size, rate.reached / size);
    let seconds = figures.span.as_secs_f64();
    reached::is_missed(reached::arrival_of(plan), asked, reached, seconds)
}

/// The figures of a report group over all stages; `None` when no workload of it was started.
/// Stages run one after the other: rates are then over the sum of their spans, and the windows are
/// those of the first.
#[must_use]
pub fn group(run: &Run, group: u32) -> Option<Figures> {
    let mut parts = run.stages.iter().filter_map(|stage| {
        let plan = planned(run, stage.stage)?;
        let member = |w: u32| {
            plan.workloads
                .get(w as usize)
                .is_some_and(|w| w.group == group)
        };
        let workers: Vec<_> = stage
            .workers
            .iter()
            .filter(|w| member(w.workload))
            .collect();
        let samples: Vec<_> = stage
            .samples
            .iter()
            .filter(|s| member(s.workload))
            .collect();
        let points = stage.points.iter().filter(|p| member(p.workload));
        let part = Part {
            workers,
            samples,
            points: points.collect(),
        };
        let any = !part.workers.is_empty() || !part.samples.is_empty();
        let ended = !part.workers.is_empty();
        any.then(|| part.figures(&Cover::of(run, stage), ended))
    });
    let first = parts.next()?;
    Some(parts.fold(first, figures::in_sequence))
}

/// What the plan says of a stage.
#[must_use]
pub fn planned(run: &Run, stage: u32) -> Option<&Stage> {
    run.plan.as_ref()?.stages.get(stage as usize)
}

/// I/Os a workload is to have in flight on one host: its workers' depths, 1 each for a synchronous engine. It
/// may borrow more from others, or lend them some.
#[must_use]
pub fn depth_asked(workload: &Workload) -> u64 {
    let depth = if workload.engine.kind.is_async() {
        workload
            .admission
            .borrowable()
            .map_or(workload.depth, |depth| depth.own)
    } else {
        1
    };
    u64::from(depth) * u64::from(workload.clones)
}

/// What a stage holds of one of its workloads.
#[derive(Clone, Debug, Default)]
pub struct Part<'a> {
    /// Workers that ended, in the order they did.
    pub workers: Vec<&'a WorkerTotals>,
    /// Interval samples in the order they came.
    pub samples: Vec<&'a Sample>,
    /// What each host did in each interval, where the plan names hosts.
    pub points: Vec<&'a HostPoint>,
}

impl<'a> Part<'a> {
    /// The figures of the covered hosts.
    fn figures(&self, cover: &Cover, complete: bool) -> Figures {
        let workers = self.workers.iter().filter(|w| cover.has(w.host));
        let series = TimeSeries {
            samples: match self.is_mixed(cover) {
                true => &[],
                false => &self.samples,
            },
            points: &self.covered(cover),
        };
        figures::figures(&workers.copied().collect::<Vec<_>>(), &series, complete)
    }

    /// Gives figures of the covered hosts their intervals, as [`certainty::give`] does: of rates and means alone where the
    /// samples hold other hosts too, as points have no histogram.
    fn give_intervals(&self, figures: &mut Figures, cover: &Cover, number: u64, tails: bool) {
        if self.is_mixed(cover) {
            let points = hosts::joined(&self.covered(cover));
            certainty::give_points(figures, points.iter());
        } else {
            certainty::give(figures, &self.samples, number, tails);
        }
    }

    /// The time series of the covered hosts: without percentiles in the intervals in which others did something too.
    fn series(&self, cover: &Cover) -> Vec<Point> {
        if !self.is_mixed(cover) {
            return series::of_samples(self.samples.clone());
        }
        let others = self.points.iter().filter(|p| !cover.has(p.host));
        let others: BTreeSet<(u64, bool)> = others.map(|p| (p.interval, p.warmup)).collect();
        let alone = |interval: u64, warmup: bool| !others.contains(&(interval, warmup));
        let samples = self.samples.iter().copied();
        let mut all = series::of_samples(samples.filter(|s| alone(s.interval, s.warmup)).collect());
        let mut points = self.covered(cover);
        points.retain(|p| !alone(p.interval, p.warmup));
        all.extend(hosts::joined(&points).iter().map(Point::of_hosts));
        all.sort_by_key(|point| (point.interval, !point.warmup));
        all
    }

    /// Whether the samples hold hosts that are covered and others: those of several hosts are one.
    fn is_mixed(&self, cover: &Cover) -> bool {
        let any = |covered: bool| self.points.iter().any(|p| cover.has(p.host) == covered);
        !cover.is_whole() && any(true) && any(false)
    }

    /// The points of the covered hosts.
    fn covered(&self, cover: &Cover) -> Vec<&'a HostPoint> {
        let own = self.points.iter().filter(|p| cover.has(p.host));
        own.copied().collect()
    }
}

/// A stage cut into its first `count` workloads, in one pass: there may be thousands.
#[must_use]
pub fn by_workload(stage: &StageRun, count: usize) -> Vec<Part<'_>> {
    let mut parts = vec![Part::default(); count];
    for worker in &stage.workers {
        if let Some(part) = parts.get_mut(worker.workload as usize) {
            part.workers.push(worker);
        }
    }
    for sample in &stage.samples {
        if let Some(part) = parts.get_mut(sample.workload as usize) {
            part.samples.push(sample);
        }
    }
    for point in &stage.points {
        if let Some(part) = parts.get_mut(point.workload as usize) {
            part.points.push(point);
        }
    }
    parts
}

/// Whether all workers of a workload on the covered hosts have ended.
fn is_complete(plan: &Workload, part: &Part<'_>, cover: &Cover) -> bool {
    let ended = part.workers.iter().filter(|w| cover.has(w.host)).count() as u64;
    ended >= u64::from(plan.clones) * cover.running(plan)
}

fn rates(plan: &Workload, figures: &Figures, hosts: u64) -> Vec<RateFigures> {
    let Pace::Open {
        rates,
        together,
        schedule,
        ..
    } = &plan.pace
    else {
        return Vec::new();
    };
    let times = (u64::from(plan.clones) * hosts) as f64 * mean_share(schedule, &figures.window);
    let figure = |op: Option<Op>, rate: Rate, done: Option<&OpFigures>| {
        let (asked, reached) = match rate {
            Rate::Iops(n) => (Rate::Iops(n * times), done.map_or(0.0, |o| o.iops)),
            Rate::Bytes(n) => (
                Rate::Bytes(whole(n as f64 * times)),
                done.map_or(0.0, |o| o.bytes_per_s),
            ),
        };
        RateFigures { op, asked, reached }
    };
    let of = |op: Op| {
        let rate = (*rates.get(op)).filter(|_| plan.blocks().mix.has(op))?;
        Some(figure(Some(op), rate, figures.op(op)))
    };
    let all = together.map(|rate| figure(None, rate, Some(&figures.data)));
    Op::BLOCK.into_iter().filter_map(of).chain(all).collect()
}

/// The mean of the shares of a rate that changes, over the measured window; 1 where it does not.
fn mean_share(schedule: &[(Nanos, f64)], window: &Window) -> f64 {
    let (start, end) = (window.first, window.last);
    if schedule.is_empty() || end <= start {
        return 1.0;
    }
    let (mut from, mut share, mut sum) = (Nanos::ZERO, 1.0, 0.0);
    for &(at, next) in schedule.iter().chain([&(Nanos(u64::MAX), 1.0)]) {
        sum += share * window::overlap((from, at), (start, end)).0 as f64;
        (from, share) = (at, next);
    }
    sum / end.since(start).0 as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_summary_has_each_stage_and_workload() {
        let summary = summarize(&fixture::run());
        let names: Vec<_> = summary
            .stages
            .iter()
            .flat_map(|s| {
                s.workloads
                    .iter()
                    .map(|w| (s.name.as_str(), w.name.as_str()))
            })
            .collect();
        assert_eq!(
            names,
            [
                ("latency", "latency"),
                ("mixed", "paced"),
                ("mixed", "free")
            ]
        );
        let mixed = &summary.stages[1];
        assert_eq!(mixed.depth_asked, 2 * 4 + 8);
        let sum: f64 = mixed.workloads.iter().map(|w| w.figures.data.iops).sum();
        assert!((mixed.figures.data.iops - sum).abs() < 0.01 * sum);
        assert_eq!(mixed.figures.workers, 3);
    }

    #[test]
    fn requested_rates_are_those_of_all_workers() {
        let summary = summarize(&fixture::run());
        let rates = &summary.stages[1].workloads[0].rates;
        assert_eq!(rates.len(), 1);
        assert_eq!(rates[0].asked, Rate::Iops(1000.0));
        assert!((rates[0].share() - 1.0).abs() < 1e-3);
        assert!(summary.stages[0].workloads[0].rates.is_empty());
    }

    #[test]
    fn a_group_spans_stages_and_an_unknown_one_is_none() {
        let mut run = fixture::run();
        assert_eq!(group(&run, 7), None);
        assert_eq!(group(&run, 0).unwrap().data.ios, 15_000);
        if let Some(plan) = &mut run.plan {
            plan.stages[1].workloads[0].group = 0;
        }
        let both = group(&run, 0).unwrap();
        assert_eq!(both.data.ios, 15_000 + 5000);
        assert!((both.data.iops - 20_000.0 / 12.0).abs() < 1.0);
    }

    #[test]
    fn a_stage_without_its_workers_is_summed_from_intervals() {
        let mut run = fixture::run();
        run.stages[1].workers.truncate(1);
        let summary = summarize(&run);
        assert_eq!(
            summary.stages[1].workloads[0].figures.basis,
            Basis::Intervals
        );
        assert!(summary.stages[1].figures.data.iops > 4000.0);
    }
}
