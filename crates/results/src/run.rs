//! A run as the rest of this crate sees it: the content of all events in one value. Built from live
//! events or from a run file, by the same function.
//!
//! Belongs here: putting events together. Samples of several hosts become one for each workload and
//! interval, so that a thousand hosts cost the memory of one; what is kept of each host is a row of
//! numbers ([`HostPoint`]). Must never: compute a rate, judge, forget an event that a reader needs.

use crate::groups::first_of;
use crate::held::{self, Held};
use leadline_model::event::{CpuInterval, CpuTime, DiskUse, Event, HostNews, HostState, Outcome};
use leadline_model::facts::Fact;
use leadline_model::failure::Failure;
use leadline_model::finding::Finding;
use leadline_model::latency::Latency;
use leadline_model::op::{Op, OpMap};
use leadline_model::plan::Plan;
use leadline_model::sample::{Counts, OpCounts, Sample, WorkerTotals};
use leadline_model::units::Nanos;
use std::collections::HashMap;

/// Everything known about a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// What was to be done; studies add stages while they run.
    pub plan: Option<Plan>,
    /// Wall clock at the start, milliseconds since 1970 UTC.
    pub wall_ms: u64,
    /// Hosts and targets.
    pub facts: Vec<Fact>,
    /// What happened to the hosts of the plan, in the order of the events.
    pub hosts: Vec<HostNews>,
    /// The stages that were started, in order.
    pub stages: Vec<StageRun>,
    /// What was found, in the order of the events.
    pub findings: Vec<Finding>,
    /// How it ended; `None` = still running, or the process died.
    pub outcome: Option<Outcome>,
    /// Length of the run.
    pub length: Nanos,
    /// Memory of its samples.
    #[doc(hidden)]
    pub held: Held,
}

/// One stage of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageRun {
    /// Number in the plan.
    pub stage: u32,
    /// Start, from the start of the run.
    pub start: Nanos,
    /// End, from the start of the run; `None` = not ended.
    pub end: Option<Nanos>,
    /// Wall clock at the start, milliseconds since 1970 UTC.
    pub wall_ms: u64,
    /// Samples of a slice of an interval each ([`Plan::slice`]) in the order they came; of a run that is too long for
    /// memory, old ones of several. Where the plan names hosts, those of all hosts are one
    /// for each workload, slice and side of the warm-up's end: `host` is 0 then, and
    /// `workers` is empty.
    pub samples: Vec<Sample>,
    /// What each host did in each slice; empty where the plan names no hosts.
    pub points: Vec<HostPoint>,
    /// Workers that ended.
    pub workers: Vec<WorkerTotals>,
    /// What the block devices did.
    pub disks: Vec<DiskUse>,
    /// What the processors did over the measured window.
    pub cpus: Vec<CpuTime>,
    /// What else the kernel counted while it ran.
    pub counted: Vec<Fact>,
    /// What the processors of each host did in each interval, in the order of the events.
    pub processors: Vec<CpuInterval>,
    /// Where the merged sample of (workload, slice, warm-up) is.
    pub(crate) merged: HashMap<(u32, u64, bool), usize>,
    /// Bytes of its samples and points, about.
    pub(crate) held: usize,
    /// Old intervals were joined in groups of two to this power; 0 = each is there.
    pub(crate) level: u32,
}

/// What one host did in one slice of an interval of one workload: sums, no histogram.
#[derive(Clone, Debug, PartialEq)]
pub struct HostPoint {
    /// Its place in the plan's list.
    pub host: u32,
    /// Workload within the stage, from 0.
    pub workload: u32,
    /// Number of the slice, from 0.
    pub interval: u64,
    /// Start, from the start of the stage.
    pub start: Nanos,
    /// Length; the last one may be short.
    pub length: Nanos,
    /// Whether it is in the warm-up.
    pub warmup: bool,
    /// By operation, those that occur.
    pub ops: OpMap<OpPoint>,
    /// I/Os and bytes of each worker of this host, by worker within the workload.
    pub workers: Box<[(u64, u64)]>,
}

impl HostPoint {
    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.ops.heap_bytes() + size_of_val(&*self.workers)
    }
}

impl HostPoint {
    /// What a sample holds of it.
    #[must_use]
    pub fn of(sample: &Sample) -> Self {
        Self {
            host: sample.host,
            workload: sample.workload,
            interval: sample.interval,
            start: sample.start,
            length: sample.length,
            warmup: sample.warmup,
            ops: sample.counts.ops.map(|_, counts| OpPoint::of(counts)),
            workers: sample.workers.as_slice().into(),
        }
    }

    /// One operation, if it occurs.
    #[must_use]
    pub fn op(&self, op: Op) -> Option<&OpPoint> {
        self.ops.get(op)
    }

    /// All that is part of IOPS together.
    #[must_use]
    pub fn data(&self) -> OpPoint {
        let mut all = OpPoint::default();
        self.ops.data().for_each(|op| all.merge(op));
        all
    }
}

/// Sums of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OpPoint {
    /// I/Os that ended, errors left out.
    pub ios: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// Latency from just before the submitting call to completion.
    pub service: Moments,
    /// Latency from the intended start; `None` in a closed loop, where it equals the service latency.
    pub response: Option<Moments>,
}

impl OpPoint {
    /// The sums of these counters.
    #[must_use]
    pub fn of(counts: &OpCounts) -> Self {
        Self {
            ios: counts.ios,
            bytes: counts.bytes,
            errors: counts.errors,
            service: Moments::of(&counts.service),
            response: counts.response.as_ref().map(Moments::of),
        }
    }

    /// Latency from the intended start, in closed and open loops.
    #[must_use]
    pub fn response(&self) -> Moments {
        self.response.unwrap_or(self.service)
    }

    /// Adds all of `other`, by the law of [`OpCounts::merge`].
    pub fn merge(&mut self, other: &Self) {
        if self.response.is_some() || other.response.is_some() {
            let mut mine = self.response();
            mine.merge(&other.response());
            self.response = Some(mine);
        }
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.errors += other.errors;
        self.service.merge(&other.service);
    }
}

/// What is known about latencies without their histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// How many.
    pub count: u64,
    /// Their sum in nanoseconds.
    pub sum: u64,
    /// The sum of their squares.
    pub squares: f64,
    /// The largest; 0 without any.
    pub max: u64,
}

impl Moments {
    /// Those of a latency.
    #[must_use]
    pub const fn of(latency: &Latency) -> Self {
        Self {
            count: latency.count(),
            sum: latency.sum,
            squares: latency.sum_squares,
            max: latency.max,
        }
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        self.max = self.max.max(other.max);
    }

    /// Arithmetic mean in nanoseconds; 0 without samples.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum as f64 / (self.count as f64).max(1.0)
    }

    /// Standard deviation (divisor n - 1) in nanoseconds; 0 below two.
    #[must_use]
    pub fn stddev(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let (n, mean) = (self.count as f64, self.mean());
        ((self.squares - n * mean * mean).max(0.0) / (n - 1.0)).sqrt()
    }
}

impl Run {
    /// Takes in one event. Histograms are kept packed, and those of several hosts merged: a run of hours,
    /// or of a thousand hosts, fits in memory; of one of days, old intervals are joined.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::RunStarted { plan, wall_ms } => {
                self.plan = Some((**plan).clone());
                self.wall_ms = *wall_ms;
            }
            Event::Facts(facts) => self.facts.extend_from_slice(facts),
            Event::StageAdded(stage) => {
                if let Some(plan) = &mut self.plan {
                    plan.stages.push((**stage).clone());
                }
            }
            Event::Preparing { .. } | Event::Tick(_) | Event::PartialTotals(_) => {}
            Event::Host(news) => self.hosts.push((**news).clone()),
            Event::StageStarted { stage, at, wall_ms } => self.stages.push(StageRun {
                stage: *stage,
                start: *at,
                wall_ms: *wall_ms,
                ..StageRun::default()
            }),
            Event::Interval(sample) => {
                let (hosts, cuts) = (self.has_hosts(), self.cuts());
                if let Some(stage) = self.stage_mut(sample.stage) {
                    let before = stage.held;
                    stage.sample(sample, hosts, cuts);
                    let more = stage.held.saturating_sub(before);
                    self.hold(more);
                }
            }
            Event::Processors(own) => {
                if let Some(stage) = self.stage_mut(own.stage) {
                    stage.processors.push(**own);
                }
            }
            Event::WorkerEnded(totals) => {
                if let Some(stage) = self.stage_mut(totals.stage) {
                    let mut totals = (**totals).clone();
                    totals.counts.pack();
                    totals.files.iter_mut().for_each(Counts::pack);
                    stage.workers.push(totals);
                }
            }
            Event::StageEnded {
                stage,
                at,
                disks,
                cpus,
                counted,
            } => {
                if let Some(run) = self.stage_mut(*stage) {
                    run.end = Some(*at);
                    run.disks.clone_from(disks);
                    run.cpus.clone_from(cpus);
                    run.counted.clone_from(counted);
                }
                self.put_together(*stage);
            }
            Event::Finding(finding) => self.findings.push(finding.clone()),
            Event::RunEnded { at, outcome } => {
                self.length = *at;
                self.outcome = Some(outcome.clone());
            }
        }
    }

    /// How many samples an interval of its plan is.
    pub(crate) fn cuts(&self) -> u64 {
        self.plan.as_ref().map_or(1, Plan::cuts)
    }

    /// Whether the plan names hosts.
    #[must_use]
    pub fn has_hosts(&self) -> bool {
        self.plan.as_ref().is_some_and(|p| !p.hosts.is_empty())
    }

    /// The name of a host in results; empty where the plan names none.
    #[must_use]
    pub fn host_label(&self, host: u32) -> &str {
        let hosts = self.plan.as_ref().map_or(&[][..], |p| &p.hosts);
        hosts.get(host as usize).map_or("", |h| &h.label)
    }

    /// When and why a host was lost, if it was: the first report counts.
    #[must_use]
    pub fn loss(&self, host: u32) -> Option<(&HostNews, Option<u32>, &Failure)> {
        self.hosts
            .iter()
            .filter(|n| n.host == host)
            .find_map(|news| match &news.what {
                HostState::Lost { stage, why } => Some((news, *stage, why)),
                _ => None,
            })
    }

    /// The first stage that a lost host has no whole part in: that in which it was lost, or the first that had not ended
    /// when it was lost between two.
    #[must_use]
    pub fn lost_from(&self, host: u32) -> Option<u32> {
        let (news, stage, _) = self.loss(host)?;
        let ended = |s: &&StageRun| s.end.is_some_and(|end| end <= news.at);
        let before = self.stages.iter().filter(ended).map(|s| s.stage + 1);
        Some(stage.unwrap_or_else(|| before.max().unwrap_or(0)))
    }

    pub(crate) fn stage_mut(&mut self, stage: u32) -> Option<&mut StageRun> {
        self.stages.iter_mut().rev().find(|s| s.stage == stage)
    }
}

impl StageRun {
    fn sample(&mut self, sample: &Sample, hosts: bool, cuts: u64) {
        let mut sample = sample.clone();
        sample.counts.pack();
        if !hosts {
            self.held += held::bytes_of(&sample);
            self.samples.push(sample);
            return;
        }
        let point = HostPoint::of(&sample);
        self.held += point.bytes();
        self.points.push(point);
        sample.workers.clear();
        sample.moments.clear();
        // It is of all of them, whichever reports first.
        sample.host = 0;
        let key = (sample.workload, sample.interval, sample.warmup);
        let group = (key.0, first_of(key.1, self.level, cuts), key.2);
        let known = self.merged.get(&key).or_else(|| {
            // One that comes late, when its neighbours were joined; where nothing was, it is the same key.
            let joined = self.merged.get(&group)?;
            let end = self.samples.get(*joined).map(|s| s.start.0 + s.length.0)?;
            (sample.start.0 < end).then_some(joined)
        });
        let known = known.copied();
        if let Some(merged) = known.and_then(|at| self.samples.get_mut(at)) {
            let end = merged.start.0 + merged.length.0;
            let end = end.max(sample.start.0 + sample.length.0);
            merged.start = merged.start.min(sample.start);
            merged.length = Nanos(end).since(merged.start);
            merged.counts.merge(&sample.counts);
            merged.counts.pack();
        } else {
            self.held += held::bytes_of(&sample);
            self.merged.insert(key, self.samples.len());
            self.samples.push(sample);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn the_fixture_has_samples_that_sum_up_to_its_totals() {
        for run in [fixture::run(), fixture::hosts_run()] {
            assert_eq!(run.stages.len(), 2);
            for stage in &run.stages {
                let in_window = stage.samples.iter().filter(|s| !s.warmup);
                let sampled: u64 = in_window.map(|s| s.counts.data_ios()).sum();
                let total: u64 = stage.workers.iter().map(|w| w.counts.data_ios()).sum();
                assert_eq!(sampled, total);
            }
        }
        let run = fixture::run();
        assert!(run.stages[1].workers[2].counts.op(Op::Sync).is_some());
    }

    #[test]
    fn samples_of_several_hosts_are_one_and_each_host_keeps_its_sums() {
        let run = fixture::hosts_run();
        let stage = &run.stages[0];
        // Three hosts, five intervals of one workload.
        assert_eq!((stage.samples.len(), stage.points.len()), (5, 15));
        for sample in &stage.samples {
            let of = |p: &&HostPoint| p.interval == sample.interval;
            let points = stage.points.iter().filter(of);
            let mut sum = OpPoint::default();
            points.for_each(|p| sum.merge(&p.data()));
            let all = OpPoint::of(&sample.counts.data());
            assert_eq!(
                (sum.ios, sum.bytes, sum.errors),
                (all.ios, all.bytes, all.errors)
            );
            assert_eq!(sum.service.count, sample.counts.data().service.count());
            assert_eq!(
                (sum.service.sum, sum.service.max),
                (all.service.sum, all.service.max)
            );
            assert!(sample.workers.is_empty());
        }
        assert_eq!(run.host_label(1), "b");
        assert_eq!(run.loss(0), None);
    }

    #[test]
    fn the_histogram_of_many_hosts_is_that_of_the_same_samples_on_one() {
        let events = fixture::hosts_events();
        let run = fixture::run_of(&events);
        let mut one = Latency::default();
        for event in &events {
            if let Event::Interval(sample) = event
                && sample.stage == 0
            {
                one.merge(&sample.counts.data().service);
            }
        }
        let mut merged = Latency::default();
        let samples = run.stages[0].samples.iter();
        samples.for_each(|s| merged.merge(&s.counts.data().service));
        assert_eq!(merged.histogram, one.histogram);
        assert_eq!(
            (merged.sum, merged.min, merged.max),
            (one.sum, one.min, one.max)
        );
    }

    /// A thousand hosts for a minute: what the samples of a run hold.
    #[test]
    fn a_minute_of_a_thousand_hosts_fits() {
        let mut run = Run::default();
        let mut plan = fixture::plan(vec![(
            "s",
            vec![fixture::workload(
                "w",
                leadline_model::plan::OpMix::reads(),
                4096,
                1,
                60,
            )],
        )]);
        plan.hosts = (0..1000)
            .map(|n| leadline_model::plan::HostSpec::local(&format!("h{n}")))
            .collect();
        run.apply(&Event::RunStarted {
            plan: Box::new(plan),
            wall_ms: 0,
        });
        run.apply(&Event::StageStarted {
            stage: 0,
            at: Nanos::ZERO,
            wall_ms: 0,
        });
        let load = fixture::Load::simple(Op::Read, 300, 4096, 200_000, 60);
        let events = fixture::workload_events(0, 0, &load);
        for event in &events {
            for host in 0..1000 {
                let Event::Interval(sample) = event else {
                    continue;
                };
                let mut sample = sample.clone();
                sample.host = host;
                run.apply(&Event::Interval(sample));
            }
        }
        let stage = &run.stages[0];
        assert_eq!((stage.samples.len(), stage.points.len()), (60, 60_000));
        let ios: u64 = stage.samples.iter().map(|s| s.counts.data_ios()).sum();
        assert_eq!(ios, 300 * 60 * 1000);
        // A point with all it owns, and a packed sample of some thousand buckets at most.
        let point = size_of::<HostPoint>() + size_of::<(Op, OpPoint)>() + size_of::<(u64, u64)>();
        assert!(point * 60_000 < 32 << 20, "{point} bytes a point");
    }
}
