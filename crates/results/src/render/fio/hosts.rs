//! A run over many hosts in the shape fio's client gives to those of its servers: the jobs of each host,
//! then all of them as one.

use super::record::{Record, join, records};
use crate::run::{HostPoint, Run, StageRun};
use leadline_model::plan::Workload;
use leadline_model::sample::{Counts, Sample};

/// Name of the record of all hosts.
const ALL: &str = "All clients";

/// What one host did: its name and its part of the run.
pub(super) struct Share {
    /// The host's label.
    pub(super) host: String,
    /// The run as this host saw it: intervals without histograms.
    pub(super) run: Run,
}

/// The shares of the hosts that did anything, in the order of the plan; none where it names no hosts.
pub(super) fn shares(run: &Run) -> Vec<Share> {
    let count = run.plan.as_ref().map_or(0, |p| p.hosts.len());
    let hosts = (0..).take(count);
    let shares = hosts.map(|host| Share {
        host: run.host_label(host).to_owned(),
        run: part(run, host),
    });
    shares
        .filter(|s| s.run.stages.iter().any(|stage| !stage.workers.is_empty()))
        .collect()
}

fn part(run: &Run, host: u32) -> Run {
    let mut part = Run {
        plan: run.plan.clone(),
        wall_ms: run.wall_ms,
        outcome: run.outcome.clone(),
        length: run.length,
        ..Run::default()
    };
    for stage in &run.stages {
        let mut own = StageRun::default();
        (own.stage, own.start, own.end) = (stage.stage, stage.start, stage.end);
        own.wall_ms = stage.wall_ms;
        let points = stage.points.iter().filter(|p| p.host == host);
        own.samples = points.map(|p| sample(p, stage.stage)).collect();
        let workers = stage.workers.iter().filter(|w| w.host == host);
        own.workers = workers.cloned().collect();
        let disks = stage.disks.iter().filter(|d| d.host == host);
        own.disks = disks.cloned().collect();
        part.stages.push(own);
    }
    part
}

/// An interval of one host: I/Os and bytes, which is all that interval rates are made of.
fn sample(point: &HostPoint, stage: u32) -> Sample {
    let mut counts = Counts::default();
    for (op, sums) in &point.ops {
        let count = counts.op_mut(*op);
        (count.ios, count.bytes) = (sums.ios, sums.bytes);
    }
    counts.pack();
    Sample {
        host: point.host,
        stage,
        workload: point.workload,
        interval: point.interval,
        start: point.start,
        length: point.length,
        warmup: point.warmup,
        counts,
        workers: point.workers.to_vec(),
        moments: Vec::new(),
    }
}

/// The pattern that the record of all hosts goes by: the first one's, by another name.
pub(super) fn plan_of_all(shares: &[Share]) -> Option<Workload> {
    let first = shares.iter().find_map(|s| {
        let records = records(&s.run);
        records.first().map(|r| r.plan.clone())
    })?;
    Some(Workload {
        name: ALL.to_owned(),
        given: Vec::new(),
        description: None,
        ..first
    })
}

/// All records of all hosts as one.
pub(super) fn all<'a>(shares: &'a [Share], plan: &'a Workload) -> Option<Record<'a>> {
    let mut every = shares.iter().flat_map(|s| records(&s.run));
    let mut sum = every.next()?;
    every.for_each(|record| join(&mut sum, record));
    sum.plan = plan;
    sum.thread_id = 0;
    Some(sum)
}
