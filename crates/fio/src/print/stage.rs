//! What a stage and a plan say that no job of fio's says: it becomes remarks.
//!
//! Every field of both is named here: one that is added does not compile before it is printed or known not to be
//! fio's.

use leadline_model::plan::{Mount, Narrow, Plan, Stage, StageRate, Until};
use leadline_model::units::Nanos;

/// What the first job of a stage says about it.
pub(super) fn remarks(stage: &Stage) -> Vec<&'static str> {
    let Stage {
        pause,
        asked,
        until,
        mounts,
        // Printed by `super`.
        workloads: _,
        // What the tool shows that the plan came from.
        name: _,
        original: _,
        series: _,
        shares: _,
        // The jobs have rates of their own that sum to it.
        rate: _,
        // A job is no point of a study.
        point: _,
        // A label.
        server_cache: _,
    } = stage;
    let Until {
        moved,
        read,
        written,
        errors,
        narrow,
    } = until;
    let ends = [moved, read, written, errors];
    let mut all = vec![(*pause > Nanos::ZERO, "there is a pause before these jobs")];
    let (of_earlier, skips) = match asked {
        // The jobs have the rates that there are.
        StageRate::PerWorkload | StageRate::MaxForCurve => (false, false),
        StageRate::PercentOfMax {
            percent: _,
            stop_at,
        } => (true, stop_at.is_some()),
        StageRate::PercentOfPrevious(_) => (true, false),
    };
    let is_narrow = matches!(
        narrow,
        Some(Narrow {
            half_ppm: _,
            least: _
        })
    );
    let has_mounts = matches!(
        mounts.as_slice(),
        [
            Mount {
                hosts: _,
                line: _,
                once: _
            },
            ..
        ]
    );
    all.extend([
        (of_earlier, "the rate is a percentage of an earlier step's"),
        (
            skips,
            "the steps after these jobs are skipped once their response time reaches a limit",
        ),
        (
            ends.iter().any(|end| end.is_some()),
            "a limit of bytes or errors over all jobs ends these jobs early",
        ),
        (
            is_narrow,
            "these jobs end when their figures are known well enough",
        ),
        (has_mounts, "file systems are mounted before these jobs"),
    ]);
    let said = all.into_iter().filter(|remark| remark.0);
    said.map(|remark| remark.1).collect()
}

/// What the first job says about the whole run.
pub(super) fn of_plan(plan: &Plan) -> Vec<&'static str> {
    let Plan {
        hosts,
        // Printed by `super`.
        stages: _,
        // Options of the command line, not of a job.
        read_only: _,
        slices: _,
        partial_totals_every: _,
        interval: _,
        // A job is no point of a study.
        study: _,
        // fio does not ask before it writes.
        destroy: _,
        // What the tool shows that the plan came from.
        title: _,
        source: _,
        given: _,
        original: _,
    } = plan;
    if hosts.is_empty() {
        Vec::new()
    } else {
        vec!["several hosts run these jobs (fio: --client)"]
    }
}
