//! Whether the target stalled again and again while a workload had a rate.
//!
//! Belongs here: distinguishing a stall from a queue that forms by chance, at a rate that was reached. Must never: judge what runs as fast
//! as it can (`short_stalls` does).

use super::short_stalls::{LEAST, SHARE, beginnings, period};
use super::together::{GroupSpread, come_in_groups, comes_and_goes};
use super::{Case, cure_of_late, level, load, percent, time};
use crate::summary::delayed::Delayed;
use crate::words::thousands;
use leadline_model::cure::Knob;
use leadline_model::finding::{Finding, Severity};
use leadline_model::histogram::{Histogram, lower_bound};
use leadline_model::plan::Pace;
use leadline_model::sample::{OpCounts, Sample};
use leadline_model::units::Nanos;

/// A larger share of the I/Os is a kind of its own.
const MOST: f64 = 0.1;
/// Fewer of them are chance.
const FEWEST: usize = 2;
/// With fewer slow I/Os in each interval that has one, they are slow by themselves.
const EACH: f64 = 2.0;

/// Code `short-stalls` (warn) of a workload at a rate, which it reached: up to a tenth of the I/Os took more than ten times the
/// median and 5 ms, in groups of two or more on average that fill less than half of the intervals, twice or more, and together 2 %
/// or more of all time that I/Os took, where a queue that forms by chance does not have them (`is_no_queue`).
pub(super) fn at_a_rate(case: &Case<'_>) -> Option<Finding> {
    let blocks = case.plan.blocks();
    let is_one = !(blocks.mix.has_reads() && blocks.mix.writes()) && case.plan.think.is_none();
    if case.plan.pace == Pace::Closed || !is_one || case.is_beside_others() {
        return None;
    }
    let latencies = &case.summary.figures.data.service.histogram;
    let found = Delayed::at_most(latencies, LEAST, MOST)?;
    let is_other = time::stalls(case).is_some()
        || level::shift(case).is_some()
        || load::rate_not_reached(case).is_some();
    if found.share < SHARE || is_other || !is_no_queue(latencies, found.above) {
        return None;
    }
    let (hit, each) = spread(case, found.above);
    let starts = beginnings(&hit);
    let is_group = found.ios as f64 >= EACH * hit.len() as f64;
    let is_event = is_group && hit.len() * 2 <= each.len() && starts.len() >= FEWEST;
    if !is_event || comes_and_goes(&each) || !come_in_groups(&each) {
        return None;
    }
    let every = period(&starts, hit[0].length);
    let every = every.map_or_else(String::new, |period| format!(", about every {period}"));
    Some(case.finding(
        "short-stalls",
        Severity::Warn,
        format!(
            "{} of {} I/Os took more than {}, ten times the median or more, and {} of all the time that I/Os took, together in {} of \
             {} intervals{every}: the target stalled, or a limit held them up. The mean and the high percentiles include these \
             I/Os.",
            thousands(found.ios),
            thousands(latencies.total()),
            found.above,
            percent(found.share),
            hit.len(),
            each.len(),
        ),
        cure_of_late(
            case.held,
            (
                "Look for what comes as often (a flush, a snapshot, garbage collection, a throttle), and measure longer than ten of \
                 its periods.",
                [Knob::RunTime],
            ),
        ),
    ))
}

/// Whether the I/Os slower than `above` are none that a queue has which forms by chance. Its waits are exponential (Kingman, "The
/// single server queue in heavy traffic", 1961): most are short, and of those that are long as large a share is longer still as of
/// all. More above than between twice the median and that, or a share of longer ones three times as large, are something else.
fn is_no_queue(latencies: &Histogram, above: Nanos) -> bool {
    /// From fewer nothing is said of their share.
    const ENOUGH: f64 = 10.0;
    const TIMES: f64 = 3.0;
    let median = latencies.ranked(50.0).map_or(0, |m| lower_bound(m.bucket));
    let least = median.saturating_mul(2);
    let further = (2 * above.0).saturating_sub(least);
    let [all, long, longer] =
        [least, above.0, further].map(|level| latencies.count_above(level) as f64);
    let is_long = 2.0 * long > all;
    let goes_on = longer >= ENOUGH && longer * all > TIMES * long * long;
    is_long || goes_on
}

/// The intervals with an I/O slower than `above`, and how many each interval has.
fn spread<'a>(case: &Case<'a>, above: Nanos) -> (Vec<&'a Sample>, Vec<GroupSpread>) {
    let slow = |op: &OpCounts| op.service.histogram.count_above(above.0);
    let measured = case.samples.iter().copied().filter(|s| !s.warmup);
    let counted = measured.map(|sample| {
        let each = GroupSpread {
            ios: sample.counts.data_ios() as f64,
            slow: sample.counts.ops.data().map(slow).sum::<u64>() as f64,
        };
        (sample, each)
    });
    let counted: Vec<_> = counted.collect();
    let hit = counted.iter().filter(|(_, each)| each.slow > 0.0);
    (
        hit.map(|(sample, _)| *sample).collect(),
        counted.into_iter().map(|(_, each)| each).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::units::whole;

    /// Of 10,000 I/Os of 100 us a part waits for `mean` ns on average, as in a queue, and a part up to 100 ms, as in a stall.
    fn set((queued, mean): (u32, f64), stalled: u32) -> Histogram {
        let mut latencies = Histogram::new();
        latencies.record_many(100_000, u64::from(10_000 - queued - stalled));
        let share = |at: u32, of: u32| (f64::from(at) + 0.5) / f64::from(of);
        for at in 0..queued {
            latencies.record(whole(1e5 - mean * share(at, queued).ln()));
        }
        for at in 0..stalled {
            latencies.record(whole(1e5 + 1e8 * share(at, stalled)));
        }
        latencies
    }

    #[test]
    fn a_queue_is_distinguished_from_a_stall_with_and_without_one() {
        let above = Nanos::from_millis(5);
        let is = |queue, stalled| is_no_queue(&set(queue, stalled), above);
        assert!(!is((2000, 2.5e6), 0) && !is((4500, 2.5e6), 0), "a queue");
        assert!(is((0, 1.0), 300), "stalls alone");
        assert!(is((2000, 1e6), 300) && is((4000, 1e6), 400), "both");
        // Fewer that are slower still are chance.
        assert!(!is((4000, 1e6), 8));
    }
}
