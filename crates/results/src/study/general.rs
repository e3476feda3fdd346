//! The verdict on any run: what was done, what failed, whether it finished. The survey's
//! sentences come on top where its points are found.

use super::survey::FILL;
use crate::run::Run;
use crate::summary::names::joined;
use crate::summary::{Basis, OpFigures, StageSummary, Summary, WorkloadSummary};
use crate::words::{bytes_within, iops_within};
use leadline_model::event::Outcome;
use leadline_model::op::Op;
use leadline_model::plan::Stage;
use std::collections::BTreeSet;

/// Most stages that get a sentence.
const MOST: usize = 4;
/// The stage in which Vdbench writes its files.
const FORMAT: &str = "SD_format";

/// Whether a stage only writes what later ones read, by its name.
pub(crate) fn writes_first(stage: &Stage) -> bool {
    let family = stage.name.split('/').next().unwrap_or_default();
    family == FILL || stage.name == FORMAT
}

/// Sentences on how the run ended and what failed, the most important first; empty when all is well.
#[must_use]
pub fn troubles(run: &Run, summary: &Summary) -> Vec<String> {
    let mut sentences = Vec::new();
    match &run.outcome {
        Some(Outcome::Complete) => {}
        Some(Outcome::CutShort) => sentences
            .push("The run was interrupted: the figures cover the time until then.".to_owned()),
        Some(Outcome::Failed(failure)) => sentences.push(format!(
            "The run failed: {failure}. The figures cover the time until then."
        )),
        None => sentences.push(
            "The run has no recorded end: it is still running, or its process died. The figures \
             cover what was measured so far."
                .to_owned(),
        ),
    }
    let errors: u64 = summary.stages.iter().map(|s| s.figures.errors()).sum();
    let ios: u64 = summary.stages.iter().map(|s| s.figures.data.ios).sum();
    if errors > 0 {
        let all = crate::words::thousands(errors + ios);
        let failed = crate::words::thousands(errors);
        sentences.push(format!("{failed} of {all} I/Os failed."));
    }
    if ios == 0 && errors == 0 {
        sentences.push("No I/O completed in the measured window.".to_owned());
    }
    sentences
}

/// One sentence for each of the first stages that is not `said` elsewhere (by its number): what it reached, and how long an
/// I/O took.
#[must_use]
pub fn stages(summary: &Summary, said: &dyn Fn(u32) -> bool) -> Vec<String> {
    let all = summary.stages.iter();
    let all: Vec<_> = all.filter(|s| s.figures.data.ios > 0).collect();
    let is_alone = all.len() == 1;
    let busy: Vec<_> = all.into_iter().filter(|s| !said(s.stage)).collect();
    let mut sentences: Vec<String> = busy
        .iter()
        .take(MOST)
        .map(|s| {
            let each = Op::data().filter_map(|op| {
                s.figures.op(op).filter(|f| f.ios > 0)?;
                Some(of_op(s, op))
            });
            let who = match (s.workloads.len(), is_alone) {
                (0 | 1, true) => String::new(),
                (_, true) => format!("{}: ", together(&s.workloads)),
                (_, false) => format!("{}: ", s.label),
            };
            format!("{who}{}.", each.collect::<Vec<_>>().join("; "))
        })
        .collect();
    if busy.len() > MOST {
        sentences.push(match busy.len() - MOST {
            1 => "1 more stage is in the table.".to_owned(),
            more => format!("{more} more stages are in the table."),
        });
    }
    sentences
}

/// Workloads that run at once: by name where they are few and each has its own.
fn together(all: &[WorkloadSummary]) -> String {
    /// Most that are named.
    const NAMED: usize = 4;
    let names: BTreeSet<&str> = all.iter().map(|w| w.label.as_str()).collect();
    let is_named = all.len() <= NAMED && names.len() == all.len() && !names.contains("");
    let names: Vec<&str> = all.iter().map(|w| w.label.as_str()).collect();
    match names.split_last() {
        Some((last, others)) if is_named => {
            let others = joined(others);
            let and = if others.contains(';') {
                "; and"
            } else {
                " and"
            };
            format!("{others}{and} {last} together")
        }
        _ => format!("{} workloads together", all.len()),
    }
}

/// What a stage did of an operation: the figures of the only workload that did some, as its row in the table has them; those
/// of all else, and of which time their rates are where some ran longer than others.
fn of_op(stage: &StageSummary, op: Op) -> String {
    let of = |w: &WorkloadSummary| w.figures.op(op).is_some_and(|f| f.ios + f.errors > 0);
    let mut each = stage.workloads.iter().filter(|w| of(w));
    let of_all = &stage.figures;
    let figures = match (each.next(), each.next()) {
        (Some(only), None) => &only.figures,
        _ => of_all,
    };
    let said = figures.op(op).map_or_else(String::new, |f| one(op, f));
    match figures.basis {
        Basis::Common => format!("{said} (rates over the {} in which all ran)", figures.span),
        // Nothing of it was at once: what is summed up did not load the target together.
        Basis::Union => format!(
            "{said} (rates over the {} from the first start to the last end: not all ran at the same time)",
            figures.span
        ),
        _ => said,
    }
}

fn one(op: Op, figures: &OpFigures) -> String {
    let rate = iops_within(&figures.iops_known()).replacen(" IOPS", &format!(" {op} IOPS"), 1);
    format!(
        "{rate}, {}, {}",
        bytes_within(&figures.bytes_known()),
        figures.latency_words(),
    )
}
