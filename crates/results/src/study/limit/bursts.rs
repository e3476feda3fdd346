//! What a burst of I/Os after an idle moment shows of a limit.
//!
//! A cap without credits lets the I/Os of a burst pass one after another: of `k` at once at the rate `X` the mean
//! wait is `(k - 1) / 2X`. A target that processes `c` at once lets the first `c` pass at once. With `c = N* = X R0`
//! these differ most at `k = N*`, where the cap makes a burst wait for half of R0 on average, and the target not at
//! all; at `k = 4 N*` the target makes it wait for between 9/16 and 3/4 of what the cap does (service times that
//! are exponential, and all alike). A cap with credits lets even that burst pass.

use crate::summary::measured::PointResult;
use leadline_model::histogram::{Histogram, lower_bound, upper_bound};
use leadline_model::units::Nanos;

/// Part of the I/Os of a point whose mean latency is compared: the slowest of the rest are stalls of the host and of
/// the target, which hit few bursts hard.
const KEPT: f64 = 0.95;
/// Rates of two points differ by as much by chance.
const CLOSE: f64 = 0.03;
/// What a limit on concurrency makes of the large burst must be this share of what a cap makes of it, to be
/// distinguished from none.
const SEPARATES: f64 = 0.3;
/// With fewer I/Os at once, one after another and a limit on concurrency are the same law.
pub(super) const ONE: f64 = 1.2;
/// A wait that is known better than this, as a standard error, shows a limit that is little below the cap.
const KNOWN: f64 = 0.01;
/// Most I/Os of a burst.
const LARGEST: f64 = 1024.0;

/// The causes that the bursts leave possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// A cap, with or without credits.
    pub(super) cap: bool,
    /// A limit on concurrency.
    pub(super) at_once: bool,
    /// One stage that serves I/Os serially in constant time, with the rest of their latency before and after
    /// it: whatever its size, a burst passes it as it passes a cap of the same rate.
    pub(super) singly: bool,
    /// Of one of the two: the other is excluded even where it would give nearly the same rate.
    pub(super) exact: bool,
    /// The bursts are nearly those of a cap of the limit's rate, and shown to be none: a cap and a number at once that give
    /// nearly the same rate.
    pub(super) close: bool,
    /// N* is a whole number, as far as it is known, which that number at once would give as well, and the bursts are known too
    /// roughly to say whether that is there beside a cap of nearly its rate.
    pub(super) beside_whole: bool,
}

impl Seen {
    /// Bursts exclude nothing.
    pub(super) const NOTHING: Self = Self {
        cap: true,
        at_once: true,
        singly: true,
        exact: false,
        close: false,
        beside_whole: false,
    };

    /// Two limits within a few percent of each other.
    const CLOSE: Self = Self {
        close: true,
        ..Self::NOTHING
    };

    /// One of the two, whatever the other gives.
    const fn only(cap: bool) -> Self {
        Self {
            cap,
            at_once: !cap,
            singly: false,
            exact: true,
            close: false,
            beside_whole: false,
        }
    }

    /// The same, unless it excludes a limit on concurrency and another look at the same bursts does not.
    fn unless(self, other: Self) -> Self {
        match !self.at_once && other.at_once {
            true => Self::NOTHING,
            false => self,
        }
    }
}

/// The sizes of the two bursts after that of one I/O, for the rate `iops` and the latency `alone_s` of one I/O after
/// an idle moment.
pub(super) fn sizes(iops: f64, alone_s: f64) -> [u32; 2] {
    let useful = iops * alone_s;
    let whole = |n: f64| crate::words::whole(n.clamp(2.0, LARGEST));
    let small = whole((useful + 0.05).floor());
    let large = whole((4.0 * useful).ceil()).max(4).max(2 * small);
    [small, large].map(|n| u32::try_from(n.min(1024)).unwrap_or(1024))
}

/// From one burst to the next: until the last I/O of a burst has ended, whatever the limit is, and half as long again.
pub(super) fn every(size: u32, iops: f64, alone_s: f64) -> Nanos {
    let drained = 2.0 * f64::from(size) / iops.max(1e-3) + 4.0 * alone_s;
    Nanos(crate::words::whole(drained.max(0.001) * 1e9))
}

/// Mean latency of the I/Os of a point without the slowest 5 %, and its standard error, in seconds.
pub(super) fn typical(point: &PointResult) -> (f64, f64) {
    let burst = Burst::of(point);
    (burst.mean_s, burst.error_s)
}

/// What three points of bursts leave possible, of one I/O, about N*, and more, where the limit is the rate of the point
/// that confirms it.
pub(super) fn judge(points: [&PointResult; 3], confirmed: &PointResult) -> Seen {
    let iops = confirmed.working_iops();
    let bursts = points.map(Burst::of);
    let seen = judged_of(points[0], &bursts, confirmed);
    let [one, small, large] = &bursts;
    let is_rough = [small, large].map(|burst| burst.wholly_beside(one, iops).error > KNOWN);
    Seen {
        beside_whole: is_rough.contains(&true) && is_whole(one, iops),
        ..seen
    }
}

/// The same but for what is beside it.
fn judged_of(one: &PointResult, bursts: &[Burst; 3], confirmed: &PointResult) -> Seen {
    let seen = seen_in(bursts, confirmed.working_iops());
    if seen.at_once || !seen.singly {
        return seen;
    }
    match pinned(one, confirmed) {
        Some(true) => Seen::only(true),
        Some(false) if !seen.exact => Seen::NOTHING,
        _ => seen,
    }
}

/// The same of the latencies alone. A number at once is excluded where it is with the slowest I/Os and without them: they
/// are stalls, which say nothing of the limit, or a part of the service time, without which N* is too small.
fn seen_in(bursts: &[Burst; 3], iops: f64) -> Seen {
    let of = |[alone, few, many]: &[Burst; 3]| judged(alone, few, many, iops);
    of(bursts).unless(of(&bursts.each_ref().map(Burst::with_the_slowest)))
}

/// Whether the rate of a saturated target is steadier than its service times would leave it if these made it: the
/// departures of each of several servers are a renewal process, whose counts have a variance of the squared
/// coefficient of variation times their mean (Cox 1962), or that of chance, their mean, while the interval is no longer
/// than their service times; a cap lets the same number pass in any interval. `None` where service times are all alike,
/// and where something else makes the rate uneven.
fn pinned(alone: &PointResult, saturated: &PointResult) -> Option<bool> {
    /// Below this squared coefficient of variation they are alike.
    const ALIKE: f64 = 0.02;
    /// A smaller share of the variance is no chance, over the intervals of a point.
    const STEADY: f64 = 0.3;
    /// A larger one is not of the service times.
    const UNEVEN: f64 = 2.0;
    let (mean, deviation) = trimmed(&alone.figures.data.service.histogram, 1.0);
    let spread = (deviation / mean.max(1e-9)).powi(2);
    let each = saturated.figures.data.ios as f64 / saturated.rates.len().max(1) as f64;
    let dispersion = saturated.variation()?.powi(2) * each;
    let shows = spread >= ALIKE && dispersion < UNEVEN * spread;
    shows.then_some(dispersion < STEADY * spread.min(1.0))
}

fn judged(alone: &Burst, few: &Burst, many: &Burst, iops: f64) -> Seen {
    let useful = iops * alone.mean_s;
    let exact = 3.0 * alone.error_s / alone.mean_s.max(1e-9);
    if useful < 1.0 - CLOSE - exact {
        // Fewer than one I/O at once cannot be a limit.
        return Seen::only(true);
    }
    let (near, far) = (few.beside(alone, iops), many.beside(alone, iops));
    let one_behind_another = near.can_be(0.7, 1.5) && far.can_be(0.6, 1.5);
    // So much of it is what a limit on concurrency makes of the large burst: with exponential times, and with times alike.
    let waiting = (1.0 - useful / many.size).max(0.0);
    let (least, most) = (waiting * waiting, waiting);
    let credits = near.can_be(-0.5, 0.3) && far.can_be(-0.5, 0.25 * least);
    let at_once = near.can_be(-0.5, 0.3) && far.can_be(0.35 * least, 1.15 * most);
    if useful < ONE || (least < SEPARATES && near.can_be(-0.5, 0.3)) {
        // The second of a burst waits as long for the first as for a token; or the large burst is too small to distinguish
        // credits from a limit on concurrency.
        return Seen::NOTHING;
    }
    match (one_behind_another, credits, at_once) {
        (_, true, false) => Seen::only(true),
        (false, false, true) => Seen::only(false),
        (_, _, false) => {
            let waits = [few, many].map(|burst| burst.wholly_beside(alone, iops));
            as_a_cap(&waits[0], &waits[1], is_whole(alone, iops))
        }
        _ => Seen::NOTHING,
    }
}

/// What bursts leave possible whose I/Os wait for one another: the small one for as long as a cap of the limit's rate
/// makes them, or less.
///
/// Below a cap that is a little higher than the rate that a limit on concurrency gives, N* pass at the rate of the cap,
/// and more at that of the number: the larger the burst, the less it is ahead. The same is so where most of N* is on
/// the path to a target with a limit on concurrency. Of a cap that is shared with others, bursts of any size are ahead
/// by the same share.
///
/// Where N* is a whole number, that number at once gives the rate as well (`may_be_at_once`): it is excluded only where the
/// bursts are exactly those of a cap of that rate. Of a cap that is 1 % higher they are 1 % ahead, or later where the number
/// delays them too.
fn as_a_cap(near: &Wait, far: &Wait, may_be_at_once: bool) -> Seen {
    /// A wait that is shorter by less is that of a cap of the limit's rate.
    const SAME: f64 = 0.015;
    /// Bursts distinguish a cap from one that is higher by more than this.
    const RESOLVED: f64 = 0.05;
    /// The large burst may be ahead by so much of what the small one is, where others share a cap.
    const ALIKE: f64 = 0.6;
    /// Of a cap that is shared, this much remains.
    const SHARED: f64 = 0.3;
    /// Waits of one cap differ by less beyond their errors.
    const ONE_CAP: f64 = 0.003;
    let cap = Seen {
        at_once: false,
        ..Seen::NOTHING
    };
    let is_off = |wait: &Wait| wait.error <= KNOWN && !wait.can_be(1.0 - ONE_CAP, 1.0 + ONE_CAP);
    if near.can_be(1.0 - SAME, 1.5) {
        if may_be_at_once && (is_off(near) || is_off(far)) {
            return Seen::CLOSE;
        }
        return Seen {
            exact: 2.0 * near.error <= RESOLVED,
            ..cap
        };
    }
    let ahead = (1.0 - near.share, 1.0 - far.share);
    let error = 2.0 * (far.error.hypot(ALIKE * near.error));
    let is_shared = ahead.1 - error > ALIKE * ahead.0 && near.share > SHARED;
    if is_shared { cap } else { Seen::NOTHING }
}

/// Whether N* is a whole number of two or more, as far as it is known, and is known well enough to mean something: a cap has
/// any N*.
fn is_whole(alone: &Burst, iops: f64) -> bool {
    /// N* is known to within this at the least, as a share.
    const KNOWN: f64 = 0.005;
    /// N* that may be anywhere in a larger part of what lies between two whole numbers is no whole number.
    const PART: f64 = 0.3;
    let (mean, error) = alone.whole_s;
    let useful = iops * mean;
    let off = useful * (2.0 * error / mean.max(1e-9)).max(KNOWN);
    let is_near = (useful - useful.round()).abs() <= off;
    useful.round() >= 2.0 && 2.0 * off <= PART && is_near
}

/// Whether a whole number of I/Os at once gives the rate of a point, of the latency of one I/O after an idle moment.
pub(super) fn may_be_at_once(one: &PointResult, saturated: &PointResult) -> bool {
    is_whole(&Burst::of(one), saturated.working_iops())
}

/// The latency of the I/Os of a burst.
struct Burst {
    size: f64,
    mean_s: f64,
    /// Standard error of the mean: the I/Os of a burst share their luck.
    error_s: f64,
    /// Mean and standard error over all I/Os, the slowest too, from the time series.
    whole_s: (f64, f64),
}

/// Wait in a burst as a share of what a cap without credits would make of it, and its standard error.
struct Wait {
    share: f64,
    error: f64,
}

impl Burst {
    fn of(point: &PointResult) -> Self {
        let latency = &point.figures.data.service;
        let size = f64::from(point.setting.depth);
        let bursts = (latency.count() as f64 / size).max(1.0);
        let (mean, deviation) = trimmed(&latency.histogram, KEPT);
        let error_s = deviation / bursts.sqrt() / 1e9;
        // A 95 % interval is two standard errors to either side.
        let interval = point.figures.data.certainty.service.mean;
        let whole_error = interval.map_or_else(
            || trimmed(&latency.histogram, 1.0).1 / bursts.sqrt() / 1e9,
            |i| (i.high - i.low) / 4e9,
        );
        Self {
            size,
            mean_s: mean / 1e9,
            error_s,
            whole_s: (latency.mean() / 1e9, whole_error),
        }
    }

    /// The same burst by the mean over all its I/Os.
    const fn with_the_slowest(&self) -> Self {
        Self {
            mean_s: self.whole_s.0,
            error_s: self.whole_s.1,
            ..*self
        }
    }

    fn beside(&self, alone: &Self, iops: f64) -> Wait {
        let of_a_cap = (self.size - 1.0) / (2.0 * iops);
        Wait {
            share: (self.mean_s - alone.mean_s) / of_a_cap,
            error: self.error_s.hypot(alone.error_s) / of_a_cap,
        }
    }

    /// The same over all I/Os.
    fn wholly_beside(&self, alone: &Self, iops: f64) -> Wait {
        let of_a_cap = (self.size - 1.0) / (2.0 * iops);
        Wait {
            share: (self.whole_s.0 - alone.whole_s.0) / of_a_cap,
            error: self.whole_s.1.hypot(alone.whole_s.1) / of_a_cap,
        }
    }
}

impl Wait {
    /// Whether the true share can be between the two, two standard errors allowed for.
    fn can_be(&self, low: f64, high: f64) -> bool {
        self.share + 2.0 * self.error >= low && self.share - 2.0 * self.error <= high
    }
}

/// Mean and standard deviation of the smallest `kept` of the values, by the middles of their buckets; 0 without
/// values.
fn trimmed(histogram: &Histogram, kept: f64) -> (f64, f64) {
    let wanted = histogram.total() as f64 * kept;
    let (mut seen, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for (bucket, count) in histogram.nonzero() {
        let taken = (count as f64).min(wanted - seen);
        let middle = (lower_bound(bucket) as f64 + upper_bound(bucket) as f64) / 2.0;
        sum += middle * taken;
        squares += middle * middle * taken;
        seen += taken;
        if seen >= wanted {
            break;
        }
    }
    if seen <= 0.0 {
        return (0.0, 0.0);
    }
    let mean = sum / seen;
    (mean, (squares / seen - mean * mean).max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What three bursts of a target with N* in flight leave possible, whose waits beyond the first are these shares
    /// of what a cap would make of them.
    fn seen(useful: f64, waits: [f64; 2], deviation: f64) -> Seen {
        let (iops, alone_s) = (useful / 1e-3, 1e-3);
        let [small, large] = sizes(iops, alone_s);
        let burst = |size: u32, share: f64| {
            let wait = share * (f64::from(size) - 1.0) / (2.0 * iops);
            Burst {
                size: f64::from(size),
                mean_s: alone_s + wait,
                error_s: deviation * alone_s,
                whole_s: (alone_s + wait, deviation * alone_s),
            }
        };
        judged(
            &burst(1, 0.0),
            &burst(small, waits[0]),
            &burst(large, waits[1]),
            iops,
        )
    }

    const CAP: Seen = Seen::only(true);
    const AT_ONCE: Seen = Seen::only(false);
    /// I/Os pass one after another, as with a cap or one stage.
    const ONE_BY_ONE: Seen = Seen {
        singly: true,
        ..CAP
    };
    /// The same, as far as the bursts show.
    const RATHER_A_CAP: Seen = Seen {
        exact: false,
        ..ONE_BY_ONE
    };

    #[test]
    fn a_cap_delays_a_burst_and_internal_parallelism_does_not() {
        for useful in [2.0, 7.3, 16.0, 200.0] {
            assert_eq!(seen(useful, [1.0, 1.0], 0.001), ONE_BY_ONE, "{useful}");
            // Service times all alike, and exponential.
            assert_eq!(seen(useful, [0.0, 0.75], 0.001), AT_ONCE, "{useful}");
            assert_eq!(seen(useful, [0.0, 0.5625], 0.001), AT_ONCE, "{useful}");
            // Credits for the whole burst; and for a part of it, which a target far away looks like.
            assert_eq!(seen(useful, [0.0, 0.0], 0.001), CAP, "{useful}");
            assert_eq!(seen(useful, [0.5, 0.9], 0.001), Seen::NOTHING, "{useful}");
        }
        // Less than one at once is a cap; about one is either, however it waits; noise excludes nothing.
        assert_eq!(seen(0.4, [1.0, 1.0], 0.001), CAP);
        assert_eq!(seen(1.05, [1.0, 1.0], 0.001), Seen::NOTHING);
        assert_eq!(seen(1.06, [0.61, 0.61], 0.001), Seen::NOTHING);
        assert_eq!(seen(2.0, [0.0, 0.75], 0.2), Seen::NOTHING);
        // Of 800 at once a burst of 1024 makes few wait, as credits do.
        assert_eq!(seen(800.0, [0.0, 0.05], 0.001), Seen::NOTHING);
    }

    /// A number at once that gives a few per cent less than a cap lets N* pass at the cap's rate, and more at its own.
    #[test]
    fn a_cap_just_above_the_concurrency_limit_is_distinguished_from_a_shared_cap() {
        for above in [1.02, 1.06, 1.1] {
            let near = 1.0 / above;
            let far = 1.0 - (1.0 - near) / 4.2;
            assert_eq!(seen(16.0, [near, far], 0.0005), Seen::NOTHING, "{above}");
            // What is shared lets bursts of any size pass faster.
            let shared = seen(16.0, [near - 0.1, near - 0.1], 0.0005);
            assert_eq!(shared, RATHER_A_CAP, "{above}");
        }
        assert_eq!(seen(16.0, [1.0, 1.0], 0.01), RATHER_A_CAP);
        assert_eq!(seen(352.0, [0.83, 0.95], 0.001), Seen::NOTHING);
    }

    /// Two at once with a service time of 200 us or, one of twenty, 6 ms: without the slowest, N* is below one.
    #[test]
    fn a_concurrency_limit_with_some_slow_services_is_no_cap() {
        let burst = |size: f64, mean_s: f64, whole_s: f64| Burst {
            size,
            mean_s,
            error_s: 1e-7,
            whole_s: (whole_s, 2e-5),
        };
        let three = |wait_s: f64| {
            [
                burst(1.0, 200e-6, 490e-6),
                burst(2.0, 200e-6, 490e-6),
                burst(4.0, 200e-6 + wait_s, 490e-6 + wait_s),
            ]
        };
        assert_eq!(seen_in(&three(100e-6), 4080.0), Seen::NOTHING);
        // What is below one with the slowest too is a cap.
        assert_eq!(seen_in(&three(100e-6), 1000.0), CAP);
    }

    /// One of about one at once with exponential times: without the slowest its latency is less than it is.
    #[test]
    fn a_parallelism_of_one_looks_like_a_cap_with_any_service_time() {
        let burst = |size: f64| {
            let wait_s = (size - 1.0) / 2.0 * 1e-3;
            Burst {
                size,
                mean_s: 0.84e-3 + 0.95 * wait_s,
                error_s: 1e-6,
                whole_s: (1e-3 + wait_s, 1e-6),
            }
        };
        assert_eq!(
            seen_in(&[burst(1.0), burst(2.0), burst(4.0)], 1000.0),
            Seen::NOTHING
        );
    }

    #[test]
    fn bursts_are_of_the_useful_concurrency_and_four_times_it() {
        assert_eq!(sizes(20_000.0, 0.0005), [10, 40]);
        assert_eq!(sizes(2000.0, 0.0002), [2, 4]);
        assert_eq!(sizes(1e6, 0.01), [1024, 1024]);
        // 41 at 20,000 a second take 2.05 ms, whatever holds them up; then as long again, and four service times.
        assert_eq!(every(40, 20_000.0, 0.0005), Nanos::from_millis(6));
    }

    #[test]
    fn the_slowest_do_not_count() {
        let mut histogram = Histogram::new();
        histogram.record_many(1000, 96);
        histogram.record_many(1_000_000, 4);
        let (mean, deviation) = trimmed(&histogram, KEPT);
        assert!(
            (mean / 1000.0 - 1.0).abs() < 0.01 && deviation < 1.0,
            "{mean} {deviation}"
        );
        assert_eq!(trimmed(&Histogram::new(), KEPT), (0.0, 0.0));
    }
}
