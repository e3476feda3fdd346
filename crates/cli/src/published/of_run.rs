//! A run against limits: the figures of each stage, and the stage that comes nearest to a limit.

use leadline_limits::{Answer, Class, Figure, Path as Way, Setup, conclusion};
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::Op;
use leadline_model::plan::Rate;
use leadline_model::units::number_of;
use leadline_results::compare::is_result;
use leadline_results::run::Run;
use leadline_results::summary::{StageSummary, WorkloadSummary, summarize};
use leadline_results::words::{both_per_s, rate};

/// What the stages of a run are at.
pub(crate) struct OfRun {
    /// The answer for the stage that comes nearest to a limit.
    pub(crate) nearest: Answer,
    /// Its number.
    pub(crate) stage: u32,
    /// What is said of it in a line.
    pub(crate) line: String,
    /// A line for each stage, after what is unlike between run and set-up.
    pub(crate) lines: Vec<String>,
}

/// Compares the stages of a run with limits; `None` where no stage has reads or writes.
pub(crate) fn compared(
    run: &Run,
    setup: &Setup,
    answer: &dyn Fn(Setup) -> Answer,
) -> Option<OfRun> {
    let summary = summarize(run);
    let hosts = run.plan.as_ref().map_or(0, |plan| plan.hosts.len());
    let mut lines: Vec<String> = unlike(setup, hosts).into_iter().collect();
    let mut nearest: Option<(f64, Answer, &StageSummary, String)> = None;
    let is_fill = |number: u32| {
        let plan = run.plan.as_ref();
        let stage = plan.and_then(|plan| plan.stages.get(number as usize));
        stage.is_some_and(|stage| !is_result(stage))
    };
    for stage in summary.stages.iter().filter(|s| !is_fill(s.stage)) {
        let Some(own) = measured(stage, &summary.stages, setup) else {
            continue;
        };
        let of_stage = answer(own);
        let data = &stage.figures.data;
        let rates = (Some(data.iops), Some(data.bytes_per_s));
        let doubts = doubts(&run.findings, stage.stage);
        let line = format!("{}{doubts}", line(&stage.label, rates, &of_stage));
        let u = highest(&of_stage);
        if nearest.as_ref().is_none_or(|(best, ..)| u > *best) {
            nearest = Some((u, of_stage, stage, line.clone()));
        }
        lines.push(line);
    }
    let (_, nearest, stage, line) = nearest?;
    if lines.len() > 1 {
        lines.push(table_of(&stage.label));
    }
    Some(OfRun {
        nearest,
        stage: stage.stage,
        line,
        lines,
    })
}

/// What a part of a result did, IOPS and bytes a second as far as they are known, and what it is at.
pub(super) fn line(label: &str, (iops, bytes): (Option<f64>, Option<f64>), at: &Answer) -> String {
    let iops = iops.map(|iops| format!("{} IOPS", rate(iops)));
    let bytes = bytes.map(both_per_s);
    let rates: Vec<String> = iops.into_iter().chain(bytes).collect();
    format!("{label}: {}: {}", rates.join(", "), conclusion(at))
}

/// Which part of a result the table is of.
pub(super) fn table_of(label: &str) -> String {
    format!("The table is of the stage that comes nearest to a limit, {label}.")
}

/// That the set-up has another number of machines than the run has hosts.
fn unlike(setup: &Setup, hosts: usize) -> Option<String> {
    let (machine, count) = setup.machine.as_ref()?;
    let count = usize::try_from(*count).ok()?;
    (hosts > 0 && hosts != count).then(|| {
        format!(
            "the run has {}, and the set-up {}: --vm {machine}:{hosts}?",
            number_of(hosts as u64, "host"),
            number_of(count as u64, "machine")
        )
    })
}

/// The findings that doubt the figures of a stage, each once: a limit that doubtful figures are at is doubtful too.
fn doubts(findings: &[Finding], stage: u32) -> String {
    let mut codes: Vec<&str> = Vec::new();
    let of_stage = |found: &&Finding| found.stage == Some(stage);
    for found in findings.iter().filter(of_stage) {
        if found.severity >= Severity::Warn && !codes.contains(&found.code.as_str()) {
            codes.push(&found.code);
        }
    }
    match codes.as_slice() {
        [] => String::new(),
        codes => format!("; doubted: {}", codes.join(", ")),
    }
}

/// The highest share of a published limit that was reached. What follows from the run's own latency is none: a point with
/// one I/O in flight is always at that.
pub(super) fn highest(answer: &Answer) -> f64 {
    let verdict = answer.verdict.iter();
    let all = verdict.flat_map(|verdict| &verdict.compared);
    let published = all.filter(|one| {
        let limit = answer.limits.get(one.limit);
        limit.is_some_and(|limit| limit.source.is_some() && !limit.measured)
    });
    published.map(|one| one.u).fold(0.0, f64::max)
}

/// The set-up with what a stage measured; `None` where it has neither reads nor writes. What the user said of block
/// size, mix, latency and I/Os in flight stays.
fn measured(stage: &StageSummary, all: &[StageSummary], setup: &Setup) -> Option<Setup> {
    let figures: Vec<Figure> = stage.workloads.iter().flat_map(figures).collect();
    let block = block(stage)?;
    let alike = |other: &&StageSummary| {
        let same = |a: Option<f64>, b: Option<f64>| {
            a.zip(b)
                .is_some_and(|(a, b)| (a - b).abs() < 0.01 * b.abs() + 1e-9)
        };
        let reads = same(other.figures.read_share(), stage.figures.read_share());
        let hosts = other.hosts.len().max(1) as u64;
        other.depth_asked == hosts && reads && same(self::block(other), Some(block))
    };
    // What an I/O takes when it is alone: of a stage of the same kind with one in flight on each host.
    let alone = all.iter().find(alike);
    let latency = alone.map(|alone| alone.figures.data.service.mean() / 1e9);
    let depth = u32::try_from(stage.depth_asked)
        .ok()
        .filter(|depth| *depth > 0);
    Some(Setup {
        block: setup.block.or(Some(block)),
        reads: setup.reads.or(stage.figures.read_share()),
        latency: setup.latency.or(latency),
        in_flight: setup.in_flight.or(depth),
        measured: figures,
        ..setup.clone()
    })
}

/// Mean bytes of a stage's I/O.
fn block(stage: &StageSummary) -> Option<f64> {
    let data = &stage.figures.data;
    (data.ios > 0 && data.bytes > 0).then(|| data.bytes as f64 / data.ios as f64)
}

/// Reads and writes of a workload.
fn figures(workload: &WorkloadSummary) -> Vec<Figure> {
    let both = [(Op::Read, Class::Reads), (Op::Write, Class::Writes)];
    let of = |(op, class): (Op, Class)| {
        let figures = workload.figures.op(op).filter(|figures| figures.ios > 0)?;
        let share = match workload.figures.read_share()? {
            share if op == Op::Read => share,
            share => 1.0 - share,
        };
        let own = workload
            .rates
            .iter()
            .find_map(|rate| match (rate.op, rate.asked) {
                (Some(of), Rate::Iops(iops)) if of == op => Some(iops),
                (None, Rate::Iops(iops)) => Some(iops * share),
                _ => None,
            });
        Some(Figure {
            class,
            path: Way::Any,
            bytes: Some(figures.bytes_per_s),
            iops: Some(figures.iops),
            own,
        })
    };
    both.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_doubts_a_stage_is_said_once() {
        let found = |code: &str, severity, stage| Finding {
            code: code.to_owned(),
            severity,
            stage,
            workload: None,
            text: String::new(),
            cure: String::new().into(),
        };
        let findings = [
            found("host-busy", Severity::Warn, Some(1)),
            found("tail-undersampled", Severity::Info, Some(1)),
            found("host-busy", Severity::Warn, Some(1)),
            found("errors", Severity::Fail, Some(1)),
            found("drift", Severity::Warn, Some(2)),
        ];
        assert_eq!(doubts(&findings, 1), "; doubted: host-busy, errors");
        assert_eq!(doubts(&findings, 0), "");
    }
}
