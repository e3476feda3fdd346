//! A fall of the rate of one I/O alone, right after a point without a fall.
//!
//! Belongs here: whether credits ended then, and the sentence on it. Must never: find the fall (`fall` does).
//!
//! A cap slows each I/O that waits for it, so that the median latency of one alone rises by the factor by which the rate falls. Where
//! a cache has fewer hits, each hit and each miss takes as long as before, and the median is either of them.

use super::done::Measured;
use super::fall::Fall;
use crate::stats::median_high;
use crate::summary::Point;
use crate::words::{iops_within, span};

/// What a fall of one I/O alone says, after this point without one; `None` where it did not fall.
pub(super) fn words(alone: &Measured, drain: &Measured) -> Option<String> {
    let fall = Fall::of(alone)?;
    let medians = medians(alone, fall.after);
    let looked = drain.summary.figures.span.as_secs_f64() + fall.after;
    let longer = span((1.5 * looked).ceil() * 1e9);
    let fell = format!(
        "At depth 1 right after it, the rate fell from {} to {} within {}",
        iops_within(&fall.levels[0]),
        iops_within(&fall.levels[1]),
        span(fall.after * 1e9)
    );
    if medians.is_some_and(|medians| is_of_each(medians, fall.high / fall.low)) {
        return Some(format!(
            "{fell}: there are credits, and they lasted longer than the point. A point of {longer} would show both rates \
             and the size of the bucket."
        ));
    }
    let median = medians.map_or_else(String::new, |[before, after]| {
        format!(
            ", and the median latency was {} before and {} after",
            span(before),
            span(after)
        )
    });
    Some(format!(
        "{fell}{median}: either credits were spent, or a cache had fewer hits. If it was credits, a point of {longer} would \
         show both rates and the size of the bucket."
    ))
}

/// The median latency before this time from a point's start and after it, in nanoseconds; `None` where it is not known, as of
/// hosts of which sums alone are kept.
fn medians(alone: &Measured, after: f64) -> Option<[f64; 2]> {
    let start = alone.summary.series.first()?.start;
    let median = |is: &dyn Fn(f64, f64) -> bool| {
        let from = |p: &Point| p.start.since(start).as_secs_f64();
        let own = alone.summary.series.iter();
        let own = own.filter(|p| is(from(p), from(p) + p.length.as_secs_f64()));
        median_high(own.filter_map(|p| Some(p.data.p50?.value.0 as f64)))
    };
    Some([
        median(&|_, until| until <= after)?,
        median(&|from, _| from >= after)?,
    ])
}

/// Whether most I/Os became slower by about as much as the rate fell.
fn is_of_each([before, after]: [f64; 2], times: f64) -> bool {
    /// A rate that falls by less may do it because a cache has fewer hits: where the service time is random, the median of hits and
    /// misses rises by about as much as the rate falls.
    const LEAST: f64 = 1.5;
    /// Less than this share of it is not that of each.
    const LESS: f64 = 0.9;
    /// More than this: latencies that spread as those of a random service have their median at 0.7 of the mean, and those that
    /// wait for a cap have it at the mean.
    const MORE: f64 = 1.6;
    let slower = after / before.max(1.0);
    times >= LEAST && (LESS * times..=MORE * times).contains(&slower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_slows_each_and_a_cache_does_not() {
        let rates = 2540.0 / 2290.0;
        assert!(!is_of_each([499_800.0, 499_830.0], rates));
        // Hits were the most, and now misses are.
        assert!(!is_of_each([20_000.0, 500_000.0], 1.3));
        assert!(is_of_each([371_000.0, 1_381_000.0], 2697.0 / 724.0));
        assert!(!is_of_each([250_000.0, 290_000.0], 3890.0 / 3410.0));
        // Of a random service before.
        assert!(is_of_each([260_000.0, 1_381_000.0], 2697.0 / 724.0));
    }
}
