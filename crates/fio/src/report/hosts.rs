//! A run over many hosts in the shape fio's client gives to those of its servers: the jobs of each host,
//! then all of them as one.

use super::record::{Record, join, records};
use leadline_model::plan::{Plan, Source, Workload};
use leadline_model::sample::{Counts, Sample};
use leadline_results::run::{HostPoint, Run, StageRun};
use leadline_results::summary::hosts::{Cover, is_lost};

/// Name of the record of all hosts.
const ALL: &str = "All clients";

/// What one host did: its name and its part of the run.
pub(super) struct Share {
    /// Its place in the plan's list.
    number: u32,
    /// The host's label.
    pub(super) host: String,
    /// The run as this host saw it: intervals without histograms.
    pub(super) run: Run,
}

/// The shares of the hosts that did anything, in the order of the plan, made one by one: a thousand at the same
/// time would take more memory than the run itself. None where the plan names no hosts.
pub(super) fn shares(run: &Run) -> impl Iterator<Item = Share> {
    let count = run.plan.as_ref().map_or(0, |p| p.hosts.len());
    let at_work = |host: &u32| {
        let mut workers = run.stages.iter().flat_map(|s| &s.workers);
        workers.any(|w| w.host == *host)
    };
    let hosts = (0..).take(count).filter(at_work);
    hosts.map(|host| Share {
        number: host,
        host: run.host_label(host).to_owned(),
        run: part(run, host),
    })
}

/// The plan without what no record is made of: its text, and all the hosts.
fn alone(plan: &Plan) -> Plan {
    Plan {
        title: plan.title.clone(),
        source: Source {
            dialect: plan.source.dialect,
            ..Source::default()
        },
        given: plan.given.clone(),
        original: plan.original.clone(),
        interval: plan.interval,
        stages: plan.stages.clone(),
        read_only: plan.read_only,
        destroy: Vec::new(),
        slices: plan.slices,
        partial_totals_every: plan.partial_totals_every,
        study: None,
        hosts: Vec::new(),
    }
}

fn part(run: &Run, host: u32) -> Run {
    let mut part = Run {
        plan: run.plan.as_ref().map(alone),
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
    for (op, sums) in point.ops.iter() {
        let count = counts.op_mut(op);
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
pub(super) fn plan_of_all(run: &Run) -> Option<Workload> {
    let first = shares(run).find_map(|share| {
        let records = records(&share.run);
        records.first().map(|r| r.plan.clone())
    })?;
    Some(Workload {
        name: ALL.to_owned(),
        given: Vec::new(),
        description: None,
        ..first
    })
}

/// Stages, each with a host that was lost in it, though not with all the others.
fn lost(run: &Run) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for stage in &run.stages {
        let hosts = Cover::of(run, stage).asked;
        let gone = |host: &u32| is_lost(run, stage, *host);
        if !hosts.iter().all(gone) {
            let gone = hosts.iter().copied().filter(gone);
            pairs.extend(gone.map(|host| (stage.stage, host)));
        }
    }
    pairs
}

/// All records of all hosts as one, of this pattern. As in fio's client, a host that was lost is in it with
/// the stages that it came to the end of, and one whose jobs failed with what they did. Of a stage in which
/// every host was lost: what is known.
pub(super) fn all<'a>(run: &Run, plan: &'a Workload) -> Option<Record<'a>> {
    let left_out = lost(run);
    let mut sum: Option<Record<'a>> = None;
    for mut share in shares(run) {
        let whole = |part: &StageRun| !left_out.contains(&(part.stage, share.number));
        share.run.stages.retain(whole);
        for record in records(&share.run) {
            match &mut sum {
                Some(sum) => join(sum, record),
                None => sum = Some(record.by(plan)),
            }
        }
    }
    let sum = sum?;
    Some(Record {
        thread_id: 0,
        ..sum
    })
}
