//! A run against limits: the figures of each stage, and the stage that comes nearest to a limit.

use leadline_limits::{Answer, Class, Figure, Path as Way, Setup, conclusion};
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::Op;
use leadline_model::plan::study::{Axis, Coordinates};
use leadline_model::plan::{Rate, Stage};
use leadline_model::units::number_of;
use leadline_results::run::Run;
use leadline_results::stats::{Interval, over_all};
use leadline_results::study::Replaced;
use leadline_results::study::studies::no_answer;
use leadline_results::summary::{OpFigures, StageSummary, Summary, WorkloadSummary, summarize};
use leadline_results::words::{bytes_within, iops_within};

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

/// Measurements of a point, of which the mean is compared: one, or its repeats.
struct Point<'s> {
    label: String,
    stages: Vec<&'s StageSummary>,
    /// It is the second measurement of the best of several.
    is_second: bool,
    /// When it was measured, where the rate changed after it; else empty.
    remark: &'static str,
}

impl Point<'_> {
    /// Of its stages.
    fn numbers(&self) -> Vec<u32> {
        self.stages.iter().map(|stage| stage.stage).collect()
    }
}

/// How near a point comes to a limit: whether it could be compared, whether its figure is sure, and the highest share.
type Nearness = (bool, bool, f64);

/// Compares the points of a run with limits; `None` where none has reads or writes. A point that was measured once more is
/// compared by that run alone, and the highest of several repeats is high by chance: their mean is compared.
pub(crate) fn compared(
    run: &Run,
    setup: &Setup,
    answer: &dyn Fn(Setup) -> Answer,
) -> Option<OfRun> {
    let summary = summarize(run);
    let hosts = run.plan.as_ref().map_or(0, |plan| plan.hosts.len());
    let mut lines: Vec<String> = unlike(setup, hosts).into_iter().collect();
    let mut nearest: Option<(Nearness, Answer, &Point<'_>, String)> = None;
    let no_answer = no_answer(run, &summary);
    lines.extend(no_answer.clone());
    let points = points(run, &summary);
    for point in &points {
        let Some(own) = measured(point, &points, setup) else {
            continue;
        };
        let of_point = answer(own);
        let line = format!(
            "{}{}",
            line(&called(point), &rates(point), &of_point),
            doubts(&run.findings, &point.numbers())
        );
        // What was measured before the rate changed, or paid with credits, counts where there is nothing else, and so does, where
        // it may have changed, what was not measured once more.
        let is_sure = point.remark.is_empty() && (point.is_second || no_answer.is_none());
        let is_compared = is_compared(&of_point);
        let place = (is_compared, is_sure, highest(&of_point));
        if nearest.as_ref().is_none_or(|(best, ..)| place > *best) {
            nearest = Some((place, of_point, point, line.clone()));
        }
        lines.push(line);
    }
    let (_, nearest, point, line) = nearest?;
    if lines.len() > 1 && is_compared(&nearest) {
        lines.push(table_of(&point.label));
    }
    Some(OfRun {
        nearest,
        stage: point.stages.first()?.stage,
        line,
        lines,
    })
}

/// The points of a run that are measured for their figures, each with its repeats.
fn points<'s>(run: &Run, summary: &'s Summary) -> Vec<Point<'s>> {
    let replaced = Replaced::of(run, summary);
    let stages = || summary.stages.iter();
    let planned = |number: u32| {
        let plan = run.plan.as_ref()?;
        plan.stages.get(number as usize)
    };
    let mut points: Vec<(Option<Coordinates>, Point<'s>)> = Vec::new();
    for stage in stages() {
        let first = replaced.first_of(stage.stage);
        let plan = planned(stage.stage);
        if !replaced.is_figure(stage.stage, plan) {
            continue;
        }
        let at = plan.and_then(without_repeat);
        let known = points
            .iter_mut()
            .find(|(other, _)| at.is_some() && *other == at);
        match known {
            Some((_, point)) => point.stages.push(stage),
            None => {
                let named = first.and_then(|first| stages().find(|s| s.stage == first));
                let label = &named.unwrap_or(stage).label;
                let repeat =
                    plan.and_then(|plan| plan.point.as_ref()?.at.get(&Axis::Repeat)?.number());
                let point = Point {
                    label: match repeat {
                        Some(number) => label.replacen(&format!("-r{number}"), "", 1),
                        None => label.clone(),
                    },
                    stages: vec![stage],
                    is_second: first.is_some(),
                    remark: replaced.remark(stage.stage),
                };
                points.push((at, point));
            }
        }
    }
    points.into_iter().map(|(_, point)| point).collect()
}

/// What was varied for a point of a study but for its repeats; `None` of one that has none.
fn without_repeat(stage: &Stage) -> Option<Coordinates> {
    let mut at = stage.point.as_ref()?.at.clone();
    at.remove(&Axis::Repeat)?;
    Some(at)
}

/// What a point is called, with how its figures came about.
fn called(point: &Point<'_>) -> String {
    let of_several = match point.stages.len() {
        1 => String::new(),
        count => format!(", mean of {count} repeats"),
    };
    let remark = match point.remark {
        "" => String::new(),
        remark => format!(", {remark}"),
    };
    format!("{}{of_several}{remark}", point.label)
}

/// IOPS and bytes a second of a point, with their intervals.
fn rates(point: &Point<'_>) -> Vec<String> {
    let over = |of: fn(&OpFigures) -> Interval| {
        let each = point.stages.iter().map(|s| of(&s.figures.data));
        over_all(&each.collect::<Vec<_>>())
    };
    vec![
        iops_within(&over(OpFigures::iops_known)),
        bytes_within(&over(OpFigures::bytes_known)),
    ]
}

/// What a part of a result did and what it is at.
pub(super) fn line(label: &str, rates: &[String], at: &Answer) -> String {
    // Doubts may follow.
    let conclusion = conclusion(at);
    let concluded = conclusion.trim_end_matches('.');
    format!("{label}: {}: {concluded}", rates.join(", "))
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

/// The findings that doubt the figures of some stages, each once: a limit that doubtful figures are at is doubtful too.
fn doubts(findings: &[Finding], stages: &[u32]) -> String {
    let mut codes: Vec<&str> = Vec::new();
    let of_stage = |found: &&Finding| found.stage.is_some_and(|n| stages.contains(&n));
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

/// Whether a limit could be compared with what was measured.
fn is_compared(answer: &Answer) -> bool {
    let verdict = answer.verdict.as_ref();
    verdict.is_some_and(|verdict| !verdict.compared.is_empty())
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

/// The set-up with what a point measured; `None` where it has neither reads nor writes. What the user said of block
/// size, mix, latency and I/Os in flight stays.
fn measured(point: &Point<'_>, all: &[Point<'_>], setup: &Setup) -> Option<Setup> {
    let stage = *point.stages.first()?;
    let each = point.stages.iter();
    let each: Vec<Vec<Figure>> = each
        .map(|stage| stage.workloads.iter().flat_map(figures).collect())
        .collect();
    let figures = mean(&each);
    let block = block(stage)?;
    let alike = |other: &&Point<'_>| {
        let Some(other) = other.stages.first() else {
            return false;
        };
        let same = |a: Option<f64>, b: Option<f64>| {
            a.zip(b)
                .is_some_and(|(a, b)| (a - b).abs() < 0.01 * b.abs() + 1e-9)
        };
        let reads = same(other.figures.read_share(), stage.figures.read_share());
        let hosts = other.hosts.len().max(1) as u64;
        other.depth_asked == hosts && reads && same(self::block(other), Some(block))
    };
    // What an I/O takes when it is alone: of a point of the same kind with one in flight on each host, and of the same state
    // of the volume where there is one.
    let mut alone: Vec<&Point<'_>> = all.iter().filter(alike).collect();
    alone.sort_by_key(|alone| alone.remark != point.remark);
    let latency = alone.first().map(|alone| {
        let each = alone.stages.iter().map(|s| s.figures.data.service.mean());
        each.sum::<f64>() / alone.stages.len() as f64 / 1e9
    });
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

/// The figures of repeats as one: the mean of each.
fn mean(repeats: &[Vec<Figure>]) -> Vec<Figure> {
    let Some((first, rest)) = repeats.split_first() else {
        return Vec::new();
    };
    let over = |at: usize, of: fn(&Figure) -> Option<f64>| {
        let all = rest.iter().filter_map(|figures| of(figures.get(at)?));
        let all: Vec<f64> = of(first.get(at)?).into_iter().chain(all).collect();
        let count = all.len();
        (count > 0).then(|| all.iter().sum::<f64>() / count as f64)
    };
    let each = first.iter().enumerate().map(|(at, figure)| Figure {
        bytes: over(at, |f| f.bytes),
        iops: over(at, |f| f.iops),
        ..*figure
    });
    each.collect()
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
        assert_eq!(doubts(&findings, &[1]), "; doubted: host-busy, errors");
        assert_eq!(
            doubts(&findings, &[1, 2]),
            "; doubted: host-busy, errors, drift"
        );
        assert_eq!(doubts(&findings, &[0]), "");
    }
}
