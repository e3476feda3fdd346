//! Whether what was measured more than once came out the same, and whether it is of one kind.

use super::{Case, level};
use crate::stats::mixture::{Mixture, mixture};
use crate::study::limit::{Cause, is_experiment, limit_of};
use crate::study::series::{SUSTAIN, depth_curves, mixes};
use crate::study::studies::of_two_states;
use crate::study::{RunStates, change_within, is_apart};
use crate::summary::group_spread::{GroupSpread, come_together, comes_and_goes};
use crate::summary::measured::{PointResult, Setting};
use crate::words::{about, iops_within, rate_known, span};
use leadline_model::cure::Knob;
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::Op;
use leadline_model::plan::{Arrival, Pace};
use leadline_model::units::Percent;

/// Code `repeats-differ` (warn): stages with one setting, as fast as it allows, that reached different rates: beyond
/// 5 %, and beyond the noise of their intervals; else writes that a deeper queue or a mix shows to have another rate later. Where
/// the rate went back to what it was, its levels and the points of the lower one.
pub(super) fn differ(points: &[PointResult]) -> Option<Finding> {
    let is_maximum = |p: &&PointResult| {
        // What is looked at for a fall has no one rate.
        let has_one = !p.name.starts_with(SUSTAIN) && p.setting.think.is_none();
        has_one && !p.setting.paced && p.figures.data.ios > 0 && p.can_be_compared()
    };
    if let Some(text) = went_back(points) {
        return Some(of_two_states(text));
    }
    let (all, points) = (points, points.iter().filter(is_maximum).collect::<Vec<_>>());
    let of_equals = largest(&points, |a, b| a.setting == b.setting && is_apart(a, b));
    let found = of_equals.map(|(a, b)| {
        format!(
            "Stages with the same settings reached different rates: {} IOPS in {}, {} IOPS in {}. {}",
            a.iops_digits(),
            a.name,
            b.iops_digits(),
            b.name,
            between(all, &points, (a, b))
        )
    });
    let found = found.or_else(|| deeper_writes(&points));
    found.or_else(|| mixed_writes(&points)).map(of_two_states)
}

/// The levels of a rate that went back, and which points are of the lower one; `None` where credits were spent, which come back.
fn went_back(points: &[PointResult]) -> Option<String> {
    let words = RunStates::of(points).words(points)?;
    let curves = depth_curves(points);
    let limit = curves.first().and_then(|curve| limit_of(points, curve));
    let credits = limit
        .is_some_and(|l| l.credits.is_some() || l.change.is_some_and(|c| c.returned == Some(true)));
    (!credits).then_some(words)
}

/// To which of two rates the points between two belong: known where credits were spent, or the rate of one result changed and
/// that of no other.
fn between(
    all: &[PointResult],
    points: &[&PointResult],
    (first, second): (&PointResult, &PointResult),
) -> String {
    let curves = depth_curves(all);
    let limit = curves.first().and_then(|curve| limit_of(all, curve));
    if let Some(credits) = limit.and_then(|limit| limit.credits) {
        return format!(
            "Burst credits were spent {} into the run: points before that have the first of the two rates, and points \
             after it the second, except where credits came back in a pause or at a low depth.",
            span(credits.fell_at.0 as f64)
        );
    }
    let stages = first.stage..=second.stage;
    let within = points.iter().filter(|p| stages.contains(&p.stage));
    let results = within.filter(|p| !is_experiment(&p.name));
    let changed: Vec<&str> = results
        .filter(|p| change_within(p).is_some())
        .map(|p| p.name.as_str())
        .collect();
    match changed.as_slice() {
        [one] => format!(
            "The rate changed within {one}: points before it have the first of the two rates, and points after it the second."
        ),
        _ => "Points measured in between belong to one of the two states; which one is not known."
            .to_owned(),
    }
}

/// Two points, in their order, that do not agree and are furthest apart among those for which `is` holds.
fn largest<'a>(
    points: &[&'a PointResult],
    is: impl Fn(&PointResult, &PointResult) -> bool,
) -> Option<(&'a PointResult, &'a PointResult)> {
    let pairs = points.iter().enumerate().flat_map(|(i, a)| {
        let later = points[i + 1..].iter();
        later.map(move |b| (*a, *b))
    });
    let apart = |(a, b): &(&PointResult, &PointResult)| (a.iops() / b.iops().max(1e-9)).ln().abs();
    pairs
        .filter(|(a, b)| is(a, b) && !a.agrees_with(b))
        .max_by(|x, y| apart(x).total_cmp(&apart(y)))
}

/// Less than this share of an earlier rate of writes is of another state.
const SLOWER: f64 = 0.75;

/// Writes alone, and later the same with more in flight, at less than three quarters of the rate: a deeper queue gives no less.
/// Reads are a curve, whose end says what more depth does.
fn deeper_writes(points: &[&PointResult]) -> Option<String> {
    let is_slower = |a: &PointResult, b: &PointResult| {
        let deeper = Setting {
            depth: b.setting.depth,
            in_flight: b.setting.in_flight,
            ..a.setting.clone()
        };
        let is_one = a.setting.read_percent == Some(Percent::NONE) && deeper == b.setting;
        is_one && b.in_flight > a.in_flight && b.working_iops() < SLOWER * a.working_iops()
    };
    largest(points, is_slower).map(|(a, b)| {
        format!(
            "Writes reached {} IOPS in {}, but {} IOPS in {}, later and with more in flight: the rate of writes fell \
             in between. Each point belongs to one of the two states.",
            a.iops_digits(),
            a.name,
            b.iops_digits(),
            b.name
        )
    })
}

/// Writes alone, and mixes that were measured later in which one I/O of each kind costs the same throughout, but a write more
/// than it did alone. Where reads `r` and writes `w` share one resource, `r/R + w/W = 1`: with the rate `R` of reads alone,
/// each mix gives a rate `W` of writes. Where two mixes or more agree on it within 5 % and it is less than three quarters of
/// what writes alone reached, that was in another state. Separate or total caps give no such `W`: a write costs less in a mix.
fn mixed_writes(points: &[&PointResult]) -> Option<String> {
    /// The rates that the mixes give differ by this factor at most.
    const ALIKE: f64 = 1.05;
    /// In a mix whose reads alone take more than this share of the resource, nothing is known of the writes.
    const MOSTLY: f64 = 0.9;
    let own: Vec<PointResult> = points.iter().map(|p| (*p).clone()).collect();
    let series = mixes(&own).into_iter().next()?;
    let end = |share: Percent| {
        let is = |p: &&PointResult| p.setting.read_percent == Some(share);
        series.points.iter().find(is)
    };
    let (reads, writes) = (end(Percent::ALL)?, end(Percent::NONE)?);
    let cost = |p: &PointResult| {
        let of_reads = p.iops_of(Op::Read) / reads.iops().max(1e-9);
        (of_reads < MOSTLY).then(|| p.iops_of(Op::Write) / (1.0 - of_reads))
    };
    let between = series.points.iter().filter(|p| {
        p.stage > writes.stage && p.iops_of(Op::Read) > 0.0 && p.iops_of(Op::Write) > 0.0
    });
    let given: Vec<f64> = between.filter_map(cost).collect();
    let least = given.iter().copied().fold(f64::INFINITY, f64::min);
    let most = given.iter().copied().fold(0.0, f64::max);
    let is_one = given.len() >= 2 && most <= ALIKE * least && most < SLOWER * writes.iops();
    is_one.then(|| {
        format!(
            "Writes reached {} IOPS in {}. Mixes of reads and writes that were measured later agree on {} IOPS for \
             writes alone: the rate of writes fell in between. Each point belongs to one of the two states.",
            writes.iops_digits(),
            writes.name,
            about(f64::midpoint(least, most))
        )
    })
}

/// Code `cached-set` (warn): each point of a survey that read the data that the survey had written, where a cache served all
/// of that: the same reads of data that it had not written were slower, by a tenth and beyond the intervals.
pub(super) fn cached_set(points: &[PointResult]) -> Vec<Finding> {
    let curves = depth_curves(points);
    let shown = curves.first().and_then(|curve| {
        let limit = limit_of(points, curve)?;
        // Hits and misses side by side are `mixture`.
        let is_all = limit.cause() == Some(Cause::Cache) && limit.mixture.is_none();
        Some((&curve.setting.part, limit.cold.filter(|_| is_all)?))
    });
    let Some((part, cold)) = shown else {
        return Vec::new();
    };
    let reads = |point: &&PointResult| {
        let share = point.setting.read_percent;
        share.is_some_and(|share| share > Percent::NONE) && point.setting.part == *part
    };
    let one = |point: &PointResult| Finding {
        code: "cached-set".to_owned(),
        severity: Severity::Warn,
        stage: Some(point.stage),
        workload: None,
        text: format!(
            "A cache holds the data that was read here. Random reads of data that the survey had not written reach {}.",
            iops_within(&cold)
        ),
        cure: (
            "Use a data set several times as large as the cache.",
            [Knob::Size],
        )
            .into(),
    };
    points.iter().filter(reads).map(one).collect()
}

/// Code `burst-credits` (warn): the rate of a survey's curve fell, and after an idle pause the higher one was back.
pub(super) fn burst(points: &[PointResult]) -> Option<Finding> {
    let curves = depth_curves(points);
    let limit = limit_of(points, curves.first()?)?;
    let change = limit.change.filter(|c| c.returned == Some(true));
    let (high, low) = match (limit.credits, change) {
        (Some(credits), _) => (credits.high, credits.low),
        (None, Some(change)) if change.before.value < change.after.value => {
            (change.after, change.before)
        }
        (None, Some(change)) => (change.before, change.after),
        (None, None) => return None,
    };
    Some(Finding {
        code: "burst-credits".to_owned(),
        severity: Severity::Warn,
        stage: None,
        workload: None,
        text: format!(
            "The rate fell from {} to {} IOPS, and rose again after an idle \
             pause: the higher rate is paid for with burst credits, and lasts as long as they do.",
            rate_known(&high),
            rate_known(&low)
        ),
        cure: (
            "Report the lower rate as the sustained one, and measure until the credits are spent.",
            [Knob::RunTime],
        )
            .into(),
    })
}

/// Code `mixture` (warn), or `short-stalls` (a note) where the slower part comes in groups or regularly: the latencies of
/// I/Os of one kind and size have two parts, as hits and misses of a cache do; two log-normal distributions fit better (BIC
/// above 10), at least three times apart, each at least 2 %, with a valley between them. A note at random arrivals, some of which queue at any target. Of workloads of one kind; not at a
/// rate where the slower part rises and falls slowly, as a queue close to the highest rate does; and not
/// where the rate fell to another level, as it does when credits are spent: where reads and writes have caps of their own,
/// what waits for one of them and what waits for nothing are two parts as well.
pub(super) fn mixed(case: &Case<'_>) -> Option<Finding> {
    if !is_of_one_kind(case) || level::falls(case) {
        return None;
    }
    let is_one = |op: Op| case.plan.blocks().only_size_of(op).is_some();
    // The first I/Os of a deep queue wait less than all that follow.
    let first = 4.0 * case.summary.depth_asked as f64;
    let of = |op: Op| {
        let figures = case.summary.figures.op(op).filter(|_| is_one(op))?;
        let found = mixture(&figures.service.histogram)?;
        let fewer = found.low_share.min(1.0 - found.low_share) * figures.ios as f64;
        (fewer >= first).then_some((op, found))
    };
    let (op, found) = of(Op::Read).or_else(|| of(Op::Write))?;
    let parts = format!(
        "The {op}s are of two kinds: {:.0} % took about {}, the others about {}",
        found.low_share * 100.0,
        span(found.low),
        span(found.high)
    );
    let spread = spread(case, op, &found);
    if case.plan.pace != Pace::Closed && comes_and_goes(&spread) {
        // A queue close to the highest rate: I/Os wait while it is long.
        return None;
    }
    if come_together(&spread, case.summary.depth_asked as f64) {
        // Of what the target is known to have stalled for, the finding on that says more.
        if case.summary.stalls.is_some() {
            return None;
        }
        return Some(case.finding(
            "short-stalls",
            Severity::Info,
            format!(
                "{parts}, and the slow ones came in groups: short stalls of the target, or a quota that is granted \
                 in slices of time. The mean includes them."
            ),
            "Compare the rate with the quotas that apply, and quote the median and the high percentiles with the rate.",
        ));
    }
    if op == Op::Read && super::contents::has_holes(case) {
        return Some(case.finding(
            "mixture",
            Severity::Warn,
            format!(
                "{parts}. Parts that were never written are read without the media (see the finding on them), which \
                 looks like this; the mean and the rate hold for this mixture only."
            ),
            ("Write the whole target once, and measure then.", [Knob::WriteOnce]),
        ));
    }
    if let Pace::Open { arrival, .. } = &case.plan.pace
        && *arrival != Arrival::Constant
    {
        return Some(of_a_queue(case, &parts));
    }
    // With one in flight a single I/O of each slice waits, which is too few to be a kind.
    let or_slices = match case.summary.depth_asked > 1 {
        true => ", and so does a quota that is granted in slices of time",
        false => "",
    };
    Some(case.finding(
        "mixture",
        Severity::Warn,
        format!(
            "{parts}. Hits and misses of a cache look like this{or_slices}; the mean and the rate hold for this \
             mixture only."
        ),
        "Use a data set several times as large as the cache, or one that fits in it, and say which.",
    ))
}

/// Whether all I/Os of a workload are alike, but for what the target makes of them.
fn is_of_one_kind(case: &Case<'_>) -> bool {
    let mix = &case.plan.blocks().mix;
    // The first of a burst has no others before it. What has a rate waits while others use up a limit that all have in
    // common, and does not where they do not.
    let waits_for_others = case.plan.pace != Pace::Closed && case.is_beside_others();
    case.plan.think.is_none() && !(mix.has_reads() && mix.writes()) && !waits_for_others
}

/// The two parts of I/Os that start at random moments: those that find others waiting for a limit on the rate are slower, at
/// any target.
fn of_a_queue(case: &Case<'_>, parts: &str) -> Finding {
    case.finding(
        "mixture",
        Severity::Info,
        format!(
            "{parts}. With random arrivals, I/Os that queue for a limited rate look like this, and so do hits and \
             misses of a cache; the mean holds for this mixture only."
        ),
        "Measure one I/O at a time, without a requested rate: if there are two kinds then, they are those of a cache.",
    )
}

/// The slower part in the intervals of the first host.
fn spread(case: &Case<'_>, op: Op, found: &Mixture) -> Vec<GroupSpread> {
    let host = case.samples.first().map(|s| s.host);
    let measured = case
        .samples
        .iter()
        .filter(|s| !s.warmup && Some(s.host) == host);
    let each = measured.map(|sample| {
        let latencies = sample.counts.op(op).map(|counts| &counts.service.histogram);
        let ios = latencies.map_or(0, |l| l.total()) as f64;
        let slow = latencies.map_or(0.0, |l| 1.0 - found.share_of_low(l));
        GroupSpread {
            ios,
            slow: (ios * slow).round(),
        }
    });
    each.collect()
}
