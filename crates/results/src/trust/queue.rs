//! Whether the depth fits the target: far more in flight than it can use, or too few to say what it can do; and
//! settings of the queue that do nothing.

use super::{Case, is_native, percent};
use crate::run::Run;
use crate::study::series::depth_curves;
use crate::summary::measured::{PointResult, Setting};
use crate::summary::planned;
use crate::words::{rate, span, thousands, whole};
use leadline_model::cure::Knob;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Rate;

/// A depth above N* by this factor is too deep.
const OVER: f64 = 4.0;
/// Latency that is at most this many times that of one I/O alone is no waiting.
const FREE: f64 = 1.5;
/// A submission that takes more than this share of the latency waits for the target.
const WAITS: f64 = 0.3;

/// Codes `over-deep` (warn) and `under-deep` (info): more than four times the useful concurrency N* = X R0 was in
/// flight; or so few that the latency stayed within 1.5 times that of one alone, at the deepest point of a setting. Of
/// points whose R0 was measured in the same run, and which are no part of a depth curve: that shows both.
pub(super) fn depths(run: &Run, points: &[PointResult]) -> Vec<Finding> {
    if is_native(run) {
        // The survey's verdict says it.
        return Vec::new();
    }
    let curves = depth_curves(points);
    let in_curve = |p: &PointResult| {
        let of = curves.iter().flat_map(|curve| &curve.points);
        of.into_iter().any(|own| own.stage == p.stage)
    };
    let asked = points.iter().filter(|p| {
        let plain = !p.setting.paced && p.setting.think.is_none();
        plain && p.setting.in_flight > 1 && p.figures.data.ios > 0 && !in_curve(p)
    });
    let judged = asked.filter_map(|p| {
        let alone = points.iter().find(|a| is_alone(&a.setting, &p.setting))?;
        let deepest = points
            .iter()
            .filter(|other| is_same_work(&other.setting, &p.setting))
            .all(|other| other.setting.in_flight <= p.setting.in_flight);
        of_point(p, alone.mean_latency_s(), deepest)
    });
    judged.collect()
}

/// Whether two settings differ in depth and jobs only.
fn is_same_work(one: &Setting, other: &Setting) -> bool {
    *one == Setting {
        depth: one.depth,
        jobs: one.jobs,
        in_flight: one.in_flight,
        ..other.clone()
    }
}

/// Whether a setting is one I/O alone of another.
fn is_alone(one: &Setting, of: &Setting) -> bool {
    one.in_flight == 1 && is_same_work(one, of)
}

/// What is to be said of a point, where one I/O alone takes `alone_s` seconds.
fn of_point(point: &PointResult, alone_s: f64, deepest: bool) -> Option<Finding> {
    let (depth, mean_s) = (point.setting.in_flight, point.mean_latency_s());
    let useful = point.iops() * alone_s;
    if useful <= 0.0 {
        return None;
    }
    let finding = |code: &str, severity, text, cure: &str| {
        Some(Finding {
            code: code.to_owned(),
            severity,
            stage: Some(point.stage),
            workload: None,
            text,
            cure: (cure, [Knob::QueueDepth, Knob::Workers]).into(),
        })
    };
    if depth as f64 > OVER * useful.max(1.0) {
        let text = format!(
            "{} in flight, where {} are enough for {} IOPS at the {} that one I/O alone takes (Little's law): \
             most of the {} that each took here is waiting in this run's own queue.",
            thousands(depth),
            // 4.0002 are four: the interval of the rate alone is wider than that.
            thousands(whole((0.99 * useful).ceil()).max(1)),
            point.iops_digits(),
            span(alone_s * 1e9),
            span(mean_s * 1e9)
        );
        let cure = "Do not quote this latency as the target's: use a depth near the number that is enough.";
        return finding("over-deep", Severity::Warn, text, cure);
    }
    let reached = point.figures.depth_reached >= 0.95 * depth as f64;
    if deepest && reached && mean_s <= FREE * alone_s {
        let text = format!(
            "With {} in flight, an I/O took {}, hardly longer than one alone with {}: the rate of {} IOPS \
             is limited by the depth, and the target can do more.",
            thousands(depth),
            span(mean_s * 1e9),
            span(alone_s * 1e9),
            point.iops_digits()
        );
        let cure = "Add depth or workers until latency rises; do not quote this rate as the target's limit.";
        return finding("under-deep", Severity::Info, text, cure);
    }
    None
}

/// Code `depth-ignored` (warn): a depth above 1 was requested of an engine that does one I/O at a time.
pub(super) fn depth_ignored(case: &Case<'_>) -> Option<Finding> {
    let depth = case.plan.depth;
    let kind = case.plan.engine.kind;
    // A survey says it of all its points.
    let survey = is_native(case.run);
    let idle = case.summary.figures.data.ios == 0;
    if depth <= 1 || kind.is_async() || !case.is_real() || survey || idle {
        return None;
    }
    Some(case.finding(
        "depth-ignored",
        Severity::Warn,
        format!(
            "A depth of {depth} was requested of {}, which does one I/O at a time: the figures are those of \
             depth 1 for each worker.",
            kind.name()
        ),
        (
            "Use an asynchronous engine, or as many workers as the depth requested.",
            [Knob::Workers],
        ),
    ))
}

/// Code `blocking-submit` (warn): of an asynchronous engine with more than one I/O in flight, the call that hands over
/// takes more than 0.3 of the latency.
pub(super) fn blocking_submit(case: &Case<'_>) -> Option<Finding> {
    if !case.plan.engine.kind.is_async() || case.plan.depth <= 1 || !case.is_real() {
        return None;
    }
    let (mut handing, mut whole, mut ios) = (0.0, 0.0, 0);
    for counts in case.workers.iter().flat_map(|w| w.counts.ops.values()) {
        if let Some(parts) = &counts.parts {
            handing += parts.submission.sum as f64;
            whole += counts.service.sum as f64;
            ios += counts.ios;
        }
    }
    let share = handing / f64::max(whole, 1.0);
    (ios >= 100 && share > WAITS).then(|| {
        case.finding(
            "blocking-submit",
            Severity::Warn,
            format!(
                "Submission took {} of the latency: {} blocks in the submitting call, so that fewer I/Os \
                 are in flight than the depth allows.",
                percent(share),
                case.plan.engine.kind.name()
            ),
            (
                "Use O_DIRECT on a file that has all its blocks, or one worker for each I/O in flight.",
                [Knob::Direct, Knob::Workers],
            ),
        )
    })
}

/// Code `unit-slip` (info): a requested number of bytes a second is 1.0486 or 1.024 times what was reached, within
/// 0.5 %: MiB for MB, or GiB for thousands of MiB. The same of requested IOPS of one size, where what was reached is a
/// round number of MB or MiB a second. Not at a rate of a study, which is of I/Os and is none that a limit was taken for.
pub(super) fn unit_slip(case: &Case<'_>) -> Option<Finding> {
    /// What is taken for what, and how much more it is.
    const SLIPS: [(f64, &str); 2] = [
        (
            1.048_576,
            "MiB/s were requested, and the target gives as many MB/s",
        ),
        (
            1.024,
            "GiB/s were requested, and the target gives as many thousands of MiB/s",
        ),
    ];
    if planned(case.run, case.stage).is_some_and(|stage| stage.point.is_some()) {
        return None;
    }
    let of = |ratio: f64| {
        SLIPS
            .iter()
            .find(|slip| (ratio / slip.0 - 1.0).abs() <= 0.005)
    };
    let mut rates = case.summary.rates.iter().filter(|rate| rate.reached > 0.0);
    let (scale, rate_of, slip) = rates.find_map(|rate| {
        let slip = of(rate.asked_value() / rate.reached)?;
        let size = match rate.asked {
            Rate::Bytes(_) => 1.0,
            Rate::Iops(_) => {
                let blocks = case.plan.blocks();
                let only = rate
                    .op
                    .map_or_else(|| blocks.only_size(), |op| blocks.only_size_of(op));
                let size = only? as f64;
                let in_unit = rate.reached * size / if slip.0 > 1.03 { 1e6 } else { 1_048_576.0 };
                is_round(in_unit).then_some(size)?
            }
        };
        Some((size, rate, slip))
    })?;
    Some(case.finding(
        "unit-slip",
        Severity::Info,
        format!(
            "{} bytes a second were requested and {} reached, {} of it: it looks as if {}.",
            rate(scale * rate_of.asked_value()),
            rate(scale * rate_of.reached),
            percent(rate_of.share()),
            slip.1
        ),
        (
            "Compare the limit with the rate in the same unit: 1 MiB is 1.0486 MB.",
            [Knob::Rate],
        ),
    ))
}

/// Whether a number is within 0.5 % of one that limits have: 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times a power of ten.
fn is_round(number: f64) -> bool {
    const ROUND: [f64; 11] = [1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    let first = number / 10_f64.powf(number.log10().floor());
    ROUND
        .iter()
        .any(|round| (first / round - 1.0).abs() <= 0.005)
}
