//! Stalls that show in the latencies: what was in flight took far longer than the others, together.
//!
//! Belongs here: distinguishing I/Os that a stall held from a tail, and from a queue that forms by chance. Must never: say what they
//! do to a rate.

use super::delayed::Delayed;
use super::group_spread::{GroupSpread, come_in_groups, comes_and_goes, end_together};
use super::observed::{WorkloadSeries, groups};
use leadline_model::histogram::{Histogram, lower_bound};
use leadline_model::plan::Pace;
use leadline_model::units::Nanos;

/// A shorter wait is no stall of its own.
const LEAST: Nanos = Nanos::from_millis(5);
/// Stalls that take a smaller share of the time are a tail like any other.
const SHARE: f64 = 0.02;
/// Those in most intervals are a tail like any other when they take a smaller one.
const SHARE_OF_MANY: f64 = 0.05;
/// A larger share of the I/Os is a kind of its own.
const MOST: f64 = 0.1;
/// N or more are no chance, if they are more than the tail of the others.
const MANY: usize = 3;

/// The I/Os of a workload that met a stall.
pub(super) struct Slow {
    /// What distinguishes them.
    pub(super) found: Delayed,
    /// Which intervals have some.
    pub(super) hit: Vec<bool>,
    /// They are no tail of I/Os that are slow by themselves.
    pub(super) sure: bool,
}

/// What shows stalls in the latencies of a workload of one kind; `None` where nothing does.
pub(super) fn slow(seen: &WorkloadSeries<'_>) -> Option<Slow> {
    let mix = &seen.plan.blocks().mix;
    let is_one = !(mix.has_reads() && mix.writes()) && seen.plan.think.is_none();
    let latencies = &seen.figures.data.service.histogram;
    match seen.plan.pace == Pace::Closed {
        _ if !is_one => None,
        true => of_few(seen, latencies).or_else(|| of_many(seen, latencies)),
        false => at_a_rate(seen, latencies),
    }
}

/// The intervals with a slow I/O.
fn hit(spread: &[GroupSpread]) -> Vec<bool> {
    spread.iter().map(|each| each.slow > 0.0).collect()
}

fn count(hit: &[bool]) -> usize {
    hit.iter().filter(|hit| **hit).count()
}

/// What was in flight at a few moments and next to no other I/O: at one, in less than one of ten thousand cases by chance; at
/// several, a quarter or more of what was in flight at each.
fn of_few(seen: &WorkloadSeries<'_>, latencies: &Histogram) -> Option<Slow> {
    let found = Delayed::at_most(latencies, LEAST, MOST).filter(|found| found.share >= SHARE)?;
    let spread = seen.spread(found.above);
    let hit = hit(&spread);
    let (times, hits) = (groups(&hit).len() as u64, count(&hit));
    let most = times * (seen.depth + seen.depth / 2);
    let least = times * (seen.depth / 4).max(2);
    let is_event = match times {
        0 => false,
        1 => are_together(found.ios, hits, hit.len()),
        _ => found.ios >= least && hits * 2 <= hit.len() && come_in_groups(&spread),
    };
    (is_event && found.ios <= most).then_some(Slow {
        found,
        hit,
        sure: true,
    })
}

/// Whether slow I/Os fall into so few neighbouring intervals by chance in less than one of ten thousand cases, if each is slow by
/// itself.
fn are_together(ios: u64, intervals: usize, all: usize) -> bool {
    /// The logarithm of ten thousand.
    const SURE: f64 = 9.2;
    let more = ios.saturating_sub(1) as f64;
    more * (all as f64 / intervals as f64).ln() >= SURE
}

/// Fewer than one of a hundred I/Os, three times or more, and more than the tail of the others brings by chance. Where more than half
/// of the intervals have some, or they end one by one, they cannot be distinguished from a tail.
fn of_many(seen: &WorkloadSeries<'_>, latencies: &Histogram) -> Option<Slow> {
    let found = Delayed::of(latencies, LEAST).filter(|found| found.share >= SHARE)?;
    let spread = seen.spread(found.above);
    let hit = hit(&spread);
    let hits = count(&hit);
    let sure = hits * 2 <= hit.len() && end_together(&spread, seen.depth);
    let is_worth_it = match sure {
        true => groups(&hit).len() >= MANY,
        false => hits >= MANY && found.share >= SHARE_OF_MANY,
    };
    (is_worth_it && found.is_no_tail(latencies)).then_some(Slow { found, hit, sure })
}

/// Of a workload at a rate, which it reached: up to a tenth of the I/Os, in groups of two or more on average that fill less than half
/// of the intervals, twice or more, where a queue that forms by chance does not have them.
fn at_a_rate(seen: &WorkloadSeries<'_>, latencies: &Histogram) -> Option<Slow> {
    /// Fewer of them are chance.
    const FEWEST: usize = 2;
    /// With fewer slow I/Os in each interval that has one, they are slow by themselves.
    const EACH: f64 = 2.0;
    let found = Delayed::at_most(latencies, LEAST, MOST)?;
    if seen.disturbed || found.share < SHARE || !is_no_queue(latencies, found.above) {
        return None;
    }
    let each = seen.spread(found.above);
    let hit = hit(&each);
    let hits = count(&hit);
    let is_group = found.ios as f64 >= EACH * hits as f64;
    let is_event = is_group && hits * 2 <= hit.len() && groups(&hit).len() >= FEWEST;
    (is_event && !comes_and_goes(&each) && come_in_groups(&each)).then_some(Slow {
        found,
        hit,
        sure: true,
    })
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
