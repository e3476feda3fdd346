//! Whether the target stalled for less than an interval, again and again.

use super::{Case, cure_of_late, level, percent, time};
use crate::summary::delayed::Delayed;
use crate::words::thousands;
use leadline_model::cure::Knob;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Pace;
use leadline_model::sample::{OpCounts, Sample};
use leadline_model::units::Nanos;

/// A shorter wait is no stall of its own.
pub(super) const LEAST: Nanos = Nanos::from_millis(5);
/// Stalls that take a smaller share of the time are a tail like any other.
pub(super) const SHARE: f64 = 0.02;
/// Those in most intervals are a tail like any other when they take a smaller one.
const SHARE_OF_MANY: f64 = 0.05;
/// Fewer of them are chance.
const FEWEST: usize = 3;

/// Code `short-stalls`: what was in flight at one moment took more than ten times the median and 5 ms, together 2 % or more of
/// all time that I/Os took (a note; a warning from 10 % on), and next to no other I/O did: one stall of the target, that
/// the window may end in. Of workloads that run as fast as they can, on one level, where no `stall` is reported.
pub(super) fn once(case: &Case<'_>) -> Option<Finding> {
    /// From this share of the time on, the mean is another one.
    const LARGE: f64 = 0.1;
    if !runs_freely(case) {
        return None;
    }
    let latencies = &case.summary.figures.data.service.histogram;
    let found = Delayed::at_most(latencies, LEAST, MOST_AT_ONCE)?;
    let depth = case.summary.depth_asked;
    let is_worth_it = found.share >= SHARE && found.ios <= depth + depth / 2;
    if !is_worth_it || time::stalls(case).is_some() || level::shift(case).is_some() {
        return None;
    }
    let hit = hit(case, found.above);
    let many = case.samples.iter().filter(|s| !s.warmup).count();
    if beginnings(&hit).len() != 1 || !are_together(found.ios, hit.len(), many) {
        return None;
    }
    let mean = match found.share < LARGE {
        true => "",
        false => " The mean includes it.",
    };
    Some(case.finding(
        "short-stalls",
        if found.share < LARGE { Severity::Info } else { Severity::Warn },
        format!(
            "{} of {} I/Os took more than {}, ten times the median or more, and {} of all the time that I/Os took, all of them \
             {} into the stage: the target stalled once.{mean}",
            thousands(found.ios),
            thousands(latencies.total()),
            found.above,
            percent(found.share),
            hit[0].start,
        ),
        cure_of_late(
            case.held,
            (
                "Measure longer, to see whether it comes again, and quote the median and the high percentiles with the rate.",
                [Knob::RunTime],
            ),
        ),
    ))
}

/// A larger share of the I/Os is no single stall.
const MOST_AT_ONCE: f64 = 0.1;

/// Whether slow I/Os fall into so few neighbouring intervals by chance in less than one of ten thousand cases, if each is slow by
/// itself.
fn are_together(ios: u64, intervals: usize, all: usize) -> bool {
    /// The logarithm of ten thousand.
    const SURE: f64 = 9.2;
    let more = ios.saturating_sub(1) as f64;
    more * (all as f64 / intervals as f64).ln() >= SURE
}

/// Whether a workload of one kind runs as fast as it can.
fn runs_freely(case: &Case<'_>) -> bool {
    let blocks = case.plan.blocks();
    let is_one = !(blocks.mix.has_reads() && blocks.mix.writes());
    case.plan.pace == Pace::Closed && case.plan.think.is_none() && is_one
}

/// The intervals that have an I/O slower than `above`.
fn hit<'a>(case: &Case<'a>, above: Nanos) -> Vec<&'a Sample> {
    let is_slow = |op: &OpCounts| op.service.histogram.count_above(above.0) > 0;
    let has_one = |s: &&Sample| s.counts.ops.data().any(is_slow);
    let measured = case.samples.iter().copied().filter(|s| !s.warmup);
    measured.filter(has_one).collect()
}

/// Code `short-stalls` (warn): fewer than one of a hundred I/Os took more than ten times the median and 5 ms, three times
/// or more in the window, together 2 % or more of all time that I/Os took, and more than the tail of the others brings by
/// chance; a note where they are in more than half of
/// the intervals, which cannot tell an event from a tail, and 5 % or more. Of workloads of one kind that run as fast as they can, on one
/// level, and where no `stall` is reported: whole intervals without I/O that are shorter in all than that needs are stalls too.
pub(super) fn short(case: &Case<'_>) -> Option<Finding> {
    if !runs_freely(case) {
        return None;
    }
    let latencies = &case.summary.figures.data.service.histogram;
    let found = Delayed::of(latencies, LEAST).filter(|found| found.share >= SHARE)?;
    if !found.is_no_tail(latencies) || time::stalls(case).is_some() || level::shift(case).is_some()
    {
        return None;
    }
    let hit = hit(case, found.above);
    let many = case.samples.iter().filter(|s| !s.warmup).count();
    let starts = beginnings(&hit);
    let is_event = hit.len() * 2 <= many;
    let is_worth_it = match is_event {
        true => starts.len() >= FEWEST,
        false => hit.len() >= FEWEST && found.share >= SHARE_OF_MANY,
    };
    if !is_worth_it {
        return None;
    }
    let what = match is_event {
        true => {
            let every = period(&starts, hit[0].length);
            let every = every.map_or_else(String::new, |period| format!(", about every {period}"));
            format!(
                "the target stalled in {} of {many} intervals{every}. The mean includes the stalls.",
                hit.len()
            )
        }
        false => format!(
            "in {} of {many} intervals: short stalls of the target that come more often than the intervals, or a few I/Os that \
             are slow by themselves. The mean is that of these too.",
            hit.len()
        ),
    };
    Some(case.finding(
        "short-stalls",
        if is_event { Severity::Warn } else { Severity::Info },
        format!(
            "{} of {} I/Os took more than {}, ten times the median or more, and {} of all the time that I/Os took: {what}",
            thousands(found.ios),
            thousands(latencies.total()),
            found.above,
            percent(found.share),
        ),
        cure_of_late(
            case.held,
            (
                "Look for what comes as often (a flush, a snapshot, garbage collection, a throttle), and quote the median and the high \
                 percentiles with the rate.",
                [Knob::RunTime],
            ),
        ),
    ))
}

/// The first of each group of neighbouring intervals: a stall that ends in the next one is one.
pub(super) fn beginnings(hit: &[&Sample]) -> Vec<Nanos> {
    let mut starts = Vec::new();
    let mut end = None;
    for sample in hit {
        if end != Some(sample.start) {
            starts.push(sample.start);
        }
        end = Some(Nanos(sample.start.0 + sample.length.0));
    }
    starts
}

/// The distance of stalls that come at equal ones, as far as intervals of this length show it.
pub(super) fn period(starts: &[Nanos], interval: Nanos) -> Option<Nanos> {
    let gaps = starts.windows(2).map(|pair| pair[1].since(pair[0]).0);
    let (least, most) = (gaps.clone().min()?, gaps.max()?);
    let whole = starts.last()?.since(*starts.first()?);
    let mean = whole.0 / (starts.len() as u64 - 1);
    (most - least <= 2 * interval.0).then_some(Nanos(mean))
}
