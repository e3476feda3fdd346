//! How the run ended, and I/Os that failed or were short.

use super::Case;
use crate::run::Run;
use crate::words::{error_text, thousands};
use leadline_model::cure::{Cure, Knob};
use leadline_model::error_code::ErrorCode;
use leadline_model::event::Outcome;
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::Op;
use leadline_model::sample::{EndReason, WorkerTotals};
use leadline_model::units::{Nanos, number_of};

/// Codes `cut-short`, `not-finished` (warn) and `run-failed` (fail): the run did not finish.
pub(super) fn of_run(run: &Run) -> Option<Finding> {
    let last = run.stages.iter().flat_map(|s| &s.samples).last();
    let known = last.map_or(Nanos::ZERO, |s| Nanos(s.start.0 + s.length.0));
    let mut cure =
        Cure::from("Figures cover the time until then; run it again for complete results.");
    let (code, severity, text) = match &run.outcome {
        Some(Outcome::Complete) => return None,
        Some(Outcome::CutShort) => (
            "cut-short",
            Severity::Warn,
            format!("The user interrupted the run after {}.", run.length),
        ),
        Some(Outcome::Failed(failure)) => {
            if !failure.cure.text.is_empty() {
                cure.clone_from(&failure.cure);
            }
            (
                "run-failed",
                Severity::Fail,
                format!("The run failed after {}: {failure}.", run.length),
            )
        }
        None => (
            "not-finished",
            Severity::Warn,
            format!("The run did not finish; its last stage is recorded up to {known}."),
        ),
    };
    Some(Finding {
        code: code.to_owned(),
        severity,
        stage: None,
        workload: None,
        text,
        cure,
    })
}

/// Code `nothing-measured` (warn): a worker ended without an error and without one I/O that counts.
pub(super) fn nothing_measured(case: &Case<'_>) -> Option<Finding> {
    let idle = |w: &&&WorkerTotals| {
        let done = w.counts.ops.values().any(|op| !op.is_empty());
        let cut = matches!(w.end, EndReason::Error { .. } | EndReason::Interrupted);
        !done && !cut
    };
    let idle: Vec<_> = case.workers.iter().filter(idle).collect();
    let first = idle.first()?;
    if case.plan.blocks().prepare.create_only {
        return None;
    }
    let who = match (idle.len(), case.workers.len()) {
        (some, all) if some == all => "No I/O was measured".to_owned(),
        (some, all) => format!("No I/O of {some} of {all} workers was measured"),
    };
    let warm: u64 = idle.iter().map(|w| w.warmup_ios).sum();
    let warmup = case.plan.stop.warmup;
    let ran = first
        .window_end
        .since(first.first_submit.unwrap_or_default());
    let were = if warm == 1 { "I/O was" } else { "I/Os were" };
    let (text, cure): (String, Cure) = if warm > 0 && ran > warmup {
        (
            format!("{who}: {warm} {were} done in the warm-up of {warmup}, and none after it."),
            (
                "Check the rate, the pauses, the size and the run time.",
                [Knob::Rate, Knob::Pauses, Knob::Size, Knob::RunTime],
            )
                .into(),
        )
    } else if warm > 0 {
        (
            format!(
                "{who}: all {warm} {were} done after {ran}, before the end of the warm-up of \
                 {warmup}."
            ),
            (
                "Use a shorter warm-up, or more work.",
                [Knob::WarmUp, Knob::Size, Knob::WholeTime],
            )
                .into(),
        )
    } else {
        (
            format!("{who}: none was due within the run time."),
            (
                "Check the size, the rate, the pauses and the run time.",
                [Knob::Size, Knob::Rate, Knob::Pauses, Knob::RunTime],
            )
                .into(),
        )
    };
    Some(case.finding("nothing-measured", Severity::Warn, text, cure))
}

/// Code `io-errors` (fail): any I/O failed, or an error ended a worker. Of a defect of leadline's own the
/// engine reports.
pub(super) fn errors(case: &Case<'_>) -> Option<Finding> {
    let ended = ends(case).find(|(_, cure)| cure.text.is_empty());
    let failed = case.summary.figures.errors();
    let listed = case.workers.iter().any(|w| !w.errors.is_empty());
    if failed == 0 && ended.is_none() && !listed {
        return None;
    }
    let done = case.summary.figures.data.ios;
    let mut kinds: Vec<(Op, i32, u64)> = Vec::new();
    for &(op, number, times) in case.workers.iter().flat_map(|w| &w.errors) {
        match kinds.iter_mut().find(|k| (k.0, k.1) == (op, number)) {
            Some(kind) => kind.2 += times,
            None => kinds.push((op, number, times)),
        }
    }
    let mut sentences = Vec::new();
    if failed > 0 || !kinds.is_empty() {
        sentences.push(failures(failed, done, &kinds));
    }
    sentences.extend(ended.map(|(what, _)| format!("A worker ended with an error: {what}.")));
    if case.plan.on_error.removes.is_some() {
        let name = crate::summary::target_name(case.plan);
        sentences.push(format!(
            "After the first one, {name} was excluded from the run."
        ));
    }
    Some(case.finding(
        "io-errors",
        Severity::Fail,
        sentences.join(" "),
        "Check the kernel log and the target; failed I/Os are excluded from rates and latencies.",
    ))
}

/// Code `worker-refused` (fail): a worker could not begin, and the stage ran without it.
pub(super) fn refused(case: &Case<'_>) -> Option<Finding> {
    let (what, cure) = ends(case).find(|(_, cure)| !cure.text.is_empty())?;
    let text = format!("A worker could not start: {what}. The others ran without it.");
    Some(case.finding("worker-refused", Severity::Fail, text, cure.clone()))
}

/// What ended workers by an error, and what is to be done about that one; defects of leadline's own apart.
fn ends<'a>(case: &'a Case<'_>) -> impl Iterator<Item = (&'a str, &'a Cure)> {
    case.workers.iter().filter_map(|w| match &w.end {
        // Of a lost host there is a finding of its own.
        EndReason::Error { code, .. } if *code == ErrorCode::HostLost => None,
        EndReason::Error { what, cure, .. } if !w.end.is_defect() => Some((what.as_str(), cure)),
        _ => None,
    })
}

/// How many failed, and in which ways. A worker's list of errors holds those of the warm-up too, which
/// its counts of the window do not.
fn failures(failed: u64, done: u64, kinds: &[(Op, i32, u64)]) -> String {
    let counted: u64 = kinds.iter().map(|k| k.2).sum();
    let early = match counted.saturating_sub(failed) {
        0 => String::new(),
        n => format!(", and {} before the measured window", thousands(n)),
    };
    let ways: Vec<String> = kinds
        .iter()
        .map(|(op, number, times)| {
            let often = number_of(*times, "time");
            format!("{op}: {} {often}", error_text(*number))
        })
        .collect();
    let ways = if ways.is_empty() {
        String::new()
    } else {
        format!(" ({})", ways.join(", "))
    };
    format!(
        "{} of {} I/Os failed{early}{ways}.",
        thousands(failed),
        thousands(done + failed)
    )
}

/// Code `short-io` (fail): any I/O transferred fewer bytes than requested.
pub(super) fn short(case: &Case<'_>) -> Option<Finding> {
    let ops = || case.summary.figures.ops.values();
    let short: u64 = ops().map(|op| op.short).sum();
    (short > 0).then(|| {
        let all: u64 = ops().map(|op| op.ios).sum();
        case.finding(
            "short-io",
            Severity::Fail,
            format!(
                "{} of {} I/Os transferred fewer bytes than requested.",
                thousands(short),
                thousands(all)
            ),
            "The file may have been truncated, or the file system may be full; check size and \
             free space.",
        )
    })
}
