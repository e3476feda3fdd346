//! How far the figures of a run can be trusted.
//!
//! Belongs here: one function for each check, from a run to findings with a stable code, a sentence
//! with its figures and a cure. Must never: change a figure, repeat what the engine found itself
//! (holes, unwritten extents, hanging I/O), warn without a figure.
//!
//! Thresholds are those of the trust table of the method (ARCHITECTURE.md section 6); each
//! check's doc comment states its own.

mod contents;
mod data;
mod generator;
pub mod grade;
pub(crate) mod host;
mod hosts;
mod kernel;
mod latency;
mod level;
mod load;
mod machine;
mod narrow;
mod network;
mod outcome;
mod proportion;
mod queue;
mod reach;
mod repeats;
pub mod reread;
mod stalls;
mod steady;
mod target;
mod time;
mod whole;
mod writes;

#[cfg(test)]
mod tests;

use crate::run::{Run, StageRun};
use crate::study::studies;
use crate::study::survey::FILL;
use crate::summary::measured::PointResult;
use crate::summary::{self, StageSummary, WorkloadSummary};
use leadline_model::cure::Cure;
use leadline_model::finding::{Finding, FindingKind, Severity, Subject};
use leadline_model::plan::study::{Axis, Role};
use leadline_model::plan::{Dialect, Stage, StudyPoint, Target, Workload};
use leadline_model::sample::{Sample, WorkerTotals};
use leadline_model::units::Nanos;
use std::collections::BTreeSet;
use whole::Whole;

/// All findings about how far a run's figures can be trusted, worst first within each stage; findings
/// that the run already holds are not repeated.
#[must_use]
pub fn findings(run: &Run) -> Vec<Finding> {
    let mut found: Vec<Finding> = outcome::of_run(run).into_iter().collect();
    let is_said = |f: &Finding| f.code == "host-lost";
    // What the controller said of each host says it all.
    found.extend(hosts::lost(run).filter(|_| !run.findings.iter().any(is_said)));
    found.extend(hosts::clocks(run));
    found.extend(time::too_short(run));
    let summary = summary::summarize(run);
    let mut periods = Vec::new();
    let points = summary.points(run);
    // What a study of credits was made to see is no difference between repeats.
    let fell = run.stages.iter().zip(&summary.stages);
    let fell = fell.filter(|(stage, of)| studies::credits_ended(run, stage, of));
    let fell: BTreeSet<u32> = fell.map(|(stage, _)| stage.stage).collect();
    let others: Vec<PointResult> = points
        .iter()
        .filter(|p| !fell.contains(&p.stage))
        .cloned()
        .collect();
    found.extend(repeats::differ(&others));
    found.extend(machine::clients_unlike(run));
    found.extend(target::volume_full(run));
    found.extend(repeats::burst(&points));
    found.extend(repeats::cached_set(&points));
    found.extend(queue::depths(run, &points));
    found.extend(studies::own_depths(run, &summary));
    for (stage, summary) in run.stages.iter().zip(&summary.stages) {
        let Some(plan) = summary::planned(run, stage.stage) else {
            continue;
        };
        found.extend(of_stage(run, stage, plan, summary, &mut periods));
    }
    let longest = periods.iter().max();
    found.extend(longest.and_then(|&period| time::few_cycles(run, period)));
    found.retain(|f| {
        !run.findings
            .iter()
            .any(|old| (&old.code, old.stage, old.workload) == (&f.code, f.stage, f.workload))
    });
    found
}

/// Those of a stage; the periods with which rates of its workloads change are added to `periods`.
fn of_stage(
    run: &Run,
    stage: &StageRun,
    plan: &Stage,
    summary: &StageSummary,
    periods: &mut Vec<Nanos>,
) -> Vec<Finding> {
    let stood_still = |f: &Finding| f.code == "stood-still" && f.stage == Some(stage.stage);
    let busy = match plan.workloads.iter().any(is_real) {
        true => host::busy(run, stage),
        false => None,
    };
    let held = match (run.findings.iter().any(stood_still), &busy) {
        (true, _) => HeldUp::Paused,
        (false, Some(_)) => HeldUp::Busy,
        (false, None) => HeldUp::No,
    };
    let mut found: Vec<Finding> = time::skew(stage, plan, summary).into_iter().collect();
    found.extend(hosts::imbalance(run, summary));
    found.extend(hosts::late(run, summary));
    found.extend(hosts::percentiles_apart(summary));
    found.extend(host::steal(run, stage));
    found.extend(busy);
    let parts = summary::by_workload(stage, plan.workloads.len());
    let workloads = plan.workloads.iter().zip(&summary.workloads);
    for ((workload, figures), part) in workloads.zip(parts) {
        let case = Case {
            run,
            stage: stage.stage,
            held,
            held_to_share: proportion::holder(plan, summary, figures.workload as usize),
            plan: workload,
            summary: figures,
            workers: part.workers,
            samples: part.samples,
        };
        for check in CHECKS {
            found.extend(check(&case));
        }
        periods.extend(steady::period_of(&case));
    }
    if found.iter().any(|f| f.code == "host-busy") {
        // Waiting for a processor makes two kinds of I/O too.
        found.retain(|f| f.code != "mixture");
    }
    if let Some(all) = load::stage_rate_not_reached(plan, summary, held) {
        // One word on the whole in place of one on each part.
        found.retain(|f| f.code != all.code);
        found.push(all);
    }
    found.extend(load::shares_not_kept(plan, summary));
    let whole = Whole::new(run, stage, plan, summary);
    found.extend(STAGE_CHECKS.iter().filter_map(|check| check(&whole)));
    if may_miss(plan) {
        let expected = found
            .iter_mut()
            .filter(|f| OF_MISSING.contains(&f.code.as_str()));
        expected.for_each(|f| f.severity = Severity::Info);
    }
    if studies::credits_ended(run, stage, summary) {
        // The answer is about both levels.
        found.retain(|f| !OF_A_FALL.contains(&f.code.as_str()));
    }
    if studies::loss_is_kept(run, plan, summary) {
        // How many may fail is what was asked.
        let failed = found.iter_mut().filter(|f| f.code == "io-errors");
        for finding in failed {
            finding.severity = Severity::Info;
            finding
                .text
                .push_str(" That is within the share that may be lost in this study.");
        }
    }
    if writes_the_set(run, plan) {
        found.retain(says_what_was_written);
    }
    found.sort_by_key(|f| std::cmp::Reverse(f.severity));
    found
}

/// Whether a stage writes the set of a survey or a study: none of its rates and latencies is a result.
fn writes_the_set(run: &Run, plan: &Stage) -> bool {
    match &plan.point {
        Some(point) => point.role == Role::Fill,
        None => is_native(run) && plan.name.starts_with(FILL),
    }
}

/// Whether a finding is about what a stage wrote, and not about how fast.
fn says_what_was_written(finding: &Finding) -> bool {
    const OF_TIME: [&str; 2] = ["first-write", "first-pass"];
    let subject = FindingKind::named(&finding.code).map(|kind| kind.subject);
    let of_what = matches!(
        subject,
        None | Some(Subject::Run | Subject::Data | Subject::Environment | Subject::Job)
    );
    of_what && !OF_TIME.contains(&finding.code.as_str())
}

/// Codes of what a rate above the target's brings.
const OF_MISSING: [&str; 3] = ["rate-not-reached", "late-io", "unissued-io"];

/// Codes of what a fall from one level to another brings.
const OF_A_FALL: [&str; 4] = ["level-shift", "warm-up", "drift", "mixture"];

/// Whether a stage is a point of a study that looks for the rate from which on less is done: that it was not reached is
/// what it was to find out.
fn may_miss(plan: &Stage) -> bool {
    let axes = [Axis::Percent, Axis::Rate, Axis::ReadRate];
    let searches = |point: &StudyPoint| {
        let is_varied = axes.iter().any(|axis| point.at.contains_key(axis));
        is_varied && matches!(point.role, Role::Trial | Role::Point)
    };
    plan.point.as_ref().is_some_and(searches)
}

/// What held leadline itself up in a stage, so that what came late there is not the target's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeldUp {
    No,
    /// The whole process stood still for a time.
    Paused,
    /// It waited for processors.
    Busy,
}

/// What to do about what came late in a stage: where leadline itself was held up, nothing of it is attributed to the
/// target.
fn cure_of_late(held: HeldUp, cure: impl Into<Cure>) -> Cure {
    match held {
        HeldUp::Paused => "leadline itself was paused in this stage (see stood-still): this says nothing about the \
             target. Repeat the run."
            .into(),
        HeldUp::Busy => "The processors of the host were busy in this stage (see host-busy), which may be the whole \
                         cause. Repeat on a host that is not busy."
            .into(),
        HeldUp::No => cure.into(),
    }
}

/// The checks on a whole stage that compare it with facts about hosts, devices and networks.
const STAGE_CHECKS: [fn(&Whole<'_>) -> Option<Finding>; 23] = [
    narrow::not_reached,
    kernel::direct_not_in_force,
    kernel::cache_hits,
    kernel::unflushed_writes,
    kernel::neighbours,
    kernel::requests_split,
    kernel::depth_not_on_device,
    network::direct_not_in_force,
    network::neighbours,
    network::single_flow,
    network::nconnect_ignored,
    network::slots_short,
    network::retransmits,
    network::read_ahead_small,
    network::window_small,
    network::calls_split,
    network::above_link,
    machine::slowed_for_heat,
    machine::power_saving,
    machine::far_processors,
    target::not_preconditioned,
    target::cache_not_warmed,
    target::host_cache,
];

/// The checks on one workload.
const CHECKS: [fn(&Case<'_>) -> Option<Finding>; 44] = [
    outcome::errors,
    outcome::refused,
    outcome::nothing_measured,
    outcome::short,
    load::depth_not_reached,
    load::little_mismatch,
    load::rate_not_reached,
    load::late,
    load::unissued,
    load::mix_drift,
    time::ended_by_size,
    stalls::stalls,
    level::shift,
    level::latency_shift,
    steady::unsteady,
    steady::periodic,
    repeats::mixed,
    time::tail,
    time::few_ios,
    time::latency_long,
    generator::processor,
    generator::preempted,
    generator::near_floor,
    queue::depth_ignored,
    queue::blocking_submit,
    queue::unit_slip,
    latency::impossible,
    latency::zero,
    latency::hidden,
    writes::never_flushed,
    writes::first_pass,
    reach::coverage,
    reach::single_file,
    reach::small_blocks,
    reach::one_in_flight,
    contents::payload,
    data::kept_in_memory,
    data::fits_memory,
    data::repeated_offsets,
    data::untouched_tail,
    contents::alike,
    target::unaligned,
    target::resident_at_start,
    target::first_write,
];

/// One workload of a stage with all that a check may use.
struct Case<'a> {
    run: &'a Run,
    stage: u32,
    /// What held leadline itself up in this stage.
    held: HeldUp,
    /// The workload that holds this one back, as both keep the proportion of their shares.
    held_to_share: Option<&'a str>,
    plan: &'a Workload,
    summary: &'a WorkloadSummary,
    workers: Vec<&'a WorkerTotals>,
    samples: Vec<&'a Sample>,
}

impl Case<'_> {
    /// A finding about this workload.
    fn finding(
        &self,
        code: &str,
        severity: Severity,
        text: String,
        cure: impl Into<Cure>,
    ) -> Finding {
        Finding {
            code: code.to_owned(),
            severity,
            stage: Some(self.stage),
            workload: Some(self.summary.workload),
            text,
            cure: cure.into(),
        }
    }

    /// Whether it is a point of a study, which says itself when it has ended.
    fn is_study_point(&self) -> bool {
        let plan = self.run.plan.as_ref();
        let stage = plan.and_then(|plan| plan.stages.get(self.stage as usize));
        stage.is_some_and(|stage| stage.point.is_some())
    }

    /// Whether other workloads run at the same time.
    fn is_beside_others(&self) -> bool {
        summary::planned(self.run, self.stage).is_some_and(|stage| stage.workloads.len() > 1)
    }

    /// Whether a file, device or anything else that is not made up is measured.
    fn is_real(&self) -> bool {
        is_real(self.plan)
    }
}

/// Whether leadline's own verbs made the plan of a run.
fn is_native(run: &Run) -> bool {
    run.plan.as_ref().map(|p| p.source.dialect) == Some(Dialect::Native)
}

/// Whether a workload does I/O on files or devices.
const fn is_real(workload: &Workload) -> bool {
    matches!(
        workload.blocks().target,
        Target::Paths(_) | Target::Files(_)
    )
}

/// A share as percent, with as many digits as it needs to be distinguished from 0 and 100.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if (10.0..99.0).contains(&percent) {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.2} %")
    }
}
