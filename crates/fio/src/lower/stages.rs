//! From jobs to stages and groups: which jobs run together, which are reported together.

use super::workload;
use crate::job::Job;
use crate::table::key;
use leadline_dialect::diagnostic::{Diagnostic, Span};
use leadline_dialect::host::Host;
use leadline_model::plan::{Stage, Workload};
use leadline_model::units::Nanos;
use std::collections::BTreeMap;

/// Stages made of jobs in order. A job with `stonewall` opens a stage and a group; one with
/// `new_group` opens a group.
pub(crate) fn stages(jobs: &[Job], host: &dyn Host, sink: &mut Vec<Diagnostic>) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::new();
    let mut group = 0;
    let mut spans = Vec::new();
    for (i, job) in jobs.iter().enumerate() {
        let mut w = workload(job, host, sink);
        let opens_stage = job.flag(&key::STONEWALL) || job.opens_stage;
        if i > 0 && (opens_stage || job.flag(&key::NEW_GROUP)) {
            group += 1;
        }
        w.group = group;
        spans.push(job.span);
        match stages.last_mut() {
            Some(stage) if !opens_stage => stage.workloads.push(w),
            _ => stages.push(Stage {
                name: w.name.clone(),
                pause: Nanos::ZERO,
                workloads: vec![w],
                ..Stage::default()
            }),
        }
    }
    let all: Vec<(&Workload, Span)> = stages
        .iter()
        .flat_map(|s| &s.workloads)
        .zip(spans)
        .collect();
    check_groups(&all, sink);
    check_waits(jobs, &all, sink);
    check_flows(jobs, sink);
    for stage in &mut stages {
        drop_past_waits(stage);
    }
    stages
}

/// A job of an earlier stage has ended when this stage starts: there is nothing to wait for.
fn drop_past_waits(stage: &mut Stage) {
    let names: Vec<String> = stage.workloads.iter().map(|w| w.name.clone()).collect();
    for w in &mut stage.workloads {
        w.start.after = w.start.after.take().filter(|name| names.contains(name));
    }
}

/// A merged group hides what differs within it.
fn check_groups(all: &[(&Workload, Span)], sink: &mut Vec<Diagnostic>) {
    let mut groups: BTreeMap<u32, Vec<&(&Workload, Span)>> = BTreeMap::new();
    for member in all {
        groups.entry(member.0.group).or_default().push(member);
    }
    for members in groups.values() {
        let merged = members.iter().filter(|m| m.0.merge_group).count();
        let [first, others @ ..] = members.as_slice() else {
            continue;
        };
        if merged == 0 || others.is_empty() {
            continue;
        }
        if merged < members.len() {
            let message = "only some jobs of this group set `group_reporting`; fio's output then \
                           has an empty job";
            let plain = members.iter().find(|m| !m.0.merge_group);
            sink.push(
                Diagnostic::warning("group-reporting-partial", message)
                    .at(plain.map_or(first.1, |m| m.1), "this job does not set it")
                    .hint("set it in [global]"),
            );
        }
        let unlike = others
            .iter()
            .find(|m| m.0.merge_group && first.0.merge_group && !alike(first.0, m.0));
        if let Some(unlike) = unlike {
            let message = "`group_reporting` adds up jobs that do different work into one record \
                           under the first job's name";
            sink.push(
                Diagnostic::warning("group-reporting-unlike", message)
                    .at(unlike.1, "this job differs")
                    .at(first.1, "from this one")
                    .hint("separate them with `new_group` or `stonewall`"),
            );
        }
    }
}

fn alike(a: &Workload, b: &Workload) -> bool {
    a.blocks().mix == b.blocks().mix
        && a.blocks().sizes == b.blocks().sizes
        && a.blocks().access.order.is_random() == b.blocks().access.order.is_random()
        && a.pace == b.pace
        && a.depth == b.depth
        && a.blocks().open == b.blocks().open
        && a.engine.kind == b.engine.kind
}

/// A negative share of a flow only means something beside other jobs of that flow; alone, as fio has it, a job is
/// not held back.
fn check_flows(jobs: &[Job], sink: &mut Vec<Diagnostic>) {
    let of = |job: &Job| (job.number(&key::FLOW) != 0).then(|| job.number(&key::FLOW_ID));
    for (i, job) in jobs.iter().enumerate() {
        if job.number(&key::FLOW) >= 0 {
            continue;
        }
        let is_beside = |(other, job): (usize, &Job)| other != i && of(job) == of(&jobs[i]);
        let alone = !jobs.iter().enumerate().any(is_beside);
        let span = job.span_of(&key::FLOW);
        sink.push(if alone {
            let message = "`flow` has no effect: no other job is in this flow";
            Diagnostic::note("no-effect", message).at(span, "")
        } else {
            let message = "`flow` with a negative share next to other jobs is not supported: in \
                           fio it has no bound";
            Diagnostic::error("not-supported", message)
                .at(span, "")
                .expected("a share from 1 to 1000 for each job of the flow")
        });
    }
}

/// `wait_for` names one job that comes before.
fn check_waits(jobs: &[Job], all: &[(&Workload, Span)], sink: &mut Vec<Diagnostic>) {
    for (i, (job, (w, _))) in jobs.iter().zip(all).enumerate() {
        let Some(name) = &w.start.after else { continue };
        let before = all[..i].iter().filter(|(w, _)| w.name == *name).count();
        let message = match before {
            1 => continue,
            0 => format!("`wait_for` names `{name}`, but no job before this one has that name"),
            _ => format!("`wait_for` names `{name}`, but several jobs have that name"),
        };
        sink.push(
            Diagnostic::error("wait-for-unknown", message)
                .at(job.span_of(&key::WAIT_FOR), "")
                .expected("the name of one job above"),
        );
    }
}
