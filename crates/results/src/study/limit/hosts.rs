//! What one host alone shows about a limit of several hosts.
//!
//! A limit that all hosts share (of the volume, or of a path to it that they share) leaves to one host what it left
//! to all, as soon as that has as many I/Os in flight as all had. A limit that each host has (its network, its connections,
//! a quota for each client, its slots) leaves it what it had among the others.

use super::rates::{EVEN, RateRatio};
use crate::summary::measured::PointResult;

/// Most I/Os in flight of a worker.
const DEEPEST: u32 = 1024;
/// One host alone shows something if it can have this multiple of what it has in flight among the others.
const DEEPER: f64 = 1.5;
/// A deeper queue alone may bring this much at a limit of each host, where the best point had not quite reached it.
const FILLED: f64 = 1.05;
/// A gain that the interval does not let reach this is none.
const NO_GAIN: f64 = 1.03;
/// A gain that is known to within this is known well.
const NARROW: f64 = 0.02;
/// With less than this share of what all reach, one host alone is at a limit of its own.
const ALL: f64 = 0.9;

/// The kinds of limit that one host alone leaves possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whose {
    /// A shared limit.
    pub(super) shared: bool,
    /// A limit per host.
    pub(super) own: bool,
    /// One host alone reaches as much as all: what is found of its limit is true of theirs.
    pub(super) as_all: bool,
    /// The interval of its gain is so wide that a longer look may exclude one of the two.
    pub(super) is_wide: bool,
}

/// The host to measure alone, which is the fastest, and its depth; `None` where one has as large a part of the rate
/// that more would say nothing, or cannot have more in flight than it had.
pub(super) fn asked(by_host: &[(u32, f64)], best_depth: u32) -> Option<(u32, u32)> {
    let (host, _) = fastest(by_host)?;
    let hosts = u32::try_from(by_host.len()).unwrap_or(u32::MAX);
    let depth = best_depth.saturating_mul(hosts).min(DEEPEST);
    (f64::from(depth) >= DEEPER * f64::from(best_depth)).then_some((host, depth))
}

/// The fastest host, and its part of the rate of all.
fn fastest(by_host: &[(u32, f64)]) -> Option<(u32, f64)> {
    let all: f64 = by_host.iter().map(|(_, rate)| rate).sum();
    let faster = |a: (u32, f64), b: (u32, f64)| if b.1 > a.1 { b } else { a };
    let (host, rate) = by_host.iter().copied().reduce(faster)?;
    let part = rate / all.max(1e-9);
    (by_host.len() > 1 && part > 0.0 && part * DEEPER <= ALL).then_some((host, part))
}

/// What one host alone shows, where the rate of all is that of `together`; `None` where the point is not of one host,
/// or that did nothing among the others.
pub(super) fn judge(alone: &PointResult, together: &PointResult) -> Option<Whose> {
    let part = match alone.setting.hosts.single() {
        Some(host) => part_of(&together.by_host, host)?,
        None => return None,
    };
    Some(seen(RateRatio::of(alone, together), part))
}

/// The part that a host has of the rate of all.
fn part_of(by_host: &[(u32, f64)], host: u32) -> Option<f64> {
    let all: f64 = by_host.iter().map(|(_, rate)| rate).sum();
    let own = by_host.iter().find(|(number, _)| *number == host)?.1;
    (own > 0.0).then(|| own / all)
}

/// Of the rate alone over that of all, and the part of the host of it. A limit of each host leaves it what it had among the
/// others; any gain beyond the intervals is what the others took from it.
fn seen(alone: RateRatio, part: f64) -> Whose {
    let gain = alone.scaled(1.0 / part);
    Whose {
        shared: gain.value > 1.0 + EVEN || gain.high > NO_GAIN || gain.is_slightly_above_one(),
        own: gain.low <= FILLED,
        as_all: alone.value >= ALL,
        is_wide: gain.high - gain.low > NARROW,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a rate alone as a share of that of all, known to within `off`, and the part of the host.
    fn of(value: f64, off: f64, part: f64) -> (bool, bool, bool) {
        let (low, high) = (value * (1.0 - off), value * (1.0 + off));
        let seen = seen(RateRatio { value, low, high }, part);
        (seen.shared, seen.own, seen.as_all)
    }

    const THIRD: f64 = 1.0 / 3.0;

    #[test]
    fn one_host_that_reaches_what_all_did_is_not_at_its_limit() {
        assert_eq!(of(1.0, 0.01, THIRD), (true, false, true));
        assert_eq!(of(0.95, 0.05, 0.5), (true, false, true));
        // More than among the others and less than all: what they share binds first, and one alone has a limit too.
        assert_eq!(of(0.6, 0.02, THIRD), (true, false, false));
        // Also where its own limit is a tenth above its part: 60 MiB/s shared, 22 of each.
        assert_eq!(of(22.0 / 60.0, 0.001, THIRD), (true, false, false));
    }

    #[test]
    fn one_host_that_reaches_no_more_than_its_part_is_at_its_own_limit() {
        assert_eq!(of(THIRD, 0.001, THIRD), (false, true, false));
        assert_eq!(of(0.5, 0.02, 0.5), (false, true, false));
        // Less than among the others, where the fastest was so by chance.
        assert_eq!(of(0.32, 0.02, THIRD), (false, true, false));
    }

    #[test]
    fn a_gain_of_a_few_percent_or_a_wide_interval_excludes_neither() {
        assert_eq!(of(1.025 * THIRD, 0.001, THIRD), (true, true, false));
        assert_eq!(of(1.05 * THIRD, 0.001, THIRD), (true, true, false));
        assert_eq!(of(THIRD, 0.1, THIRD), (true, true, false));
        assert_eq!(of(1.1 * THIRD, 0.1, THIRD), (true, true, false));
        // Only of the wide one a longer look may say more.
        let is_wide = |off: f64| {
            let (low, high) = (THIRD * (1.0 - off), THIRD * (1.0 + off));
            let value = THIRD;
            seen(RateRatio { value, low, high }, THIRD).is_wide
        };
        assert!(is_wide(0.05) && !is_wide(0.005));
    }

    #[test]
    fn the_fastest_host_is_measured_with_the_depth_of_all() {
        let even = [(0, 10.0), (1, 11.0), (2, 10.0)];
        assert_eq!(asked(&even, 16), Some((1, 48)));
        // As deep as a worker can be, where that is more than it had.
        assert_eq!(asked(&even, 512), Some((1, 1024)));
        assert_eq!(asked(&even, 1000), None);
        // One host, or one that did nearly all: alone it can show nothing.
        assert_eq!(asked(&even[..1], 16), None);
        assert_eq!(asked(&[(0, 90.0), (1, 10.0)], 16), None);
        assert_eq!(asked(&[], 16), None);
    }
}
