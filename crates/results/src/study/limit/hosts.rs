//! What one host alone shows of a limit of several.
//!
//! A limit that all hosts share (of the volume, or of a way to it that they have in common) leaves to one host what it left
//! to all, as soon as that has as many I/Os in flight as all had. A limit that each host has (its network, its connections,
//! a quota for each client, its slots) leaves it what it had among the others.

use crate::summary::measured::PointResult;

/// Most I/Os in flight of a worker.
const DEEPEST: u32 = 1024;
/// One host alone that does this much more than among the others was held up by what they share; less than the second, not.
const MORE: [f64; 2] = [1.5, 1.15];
/// With less than the first share of what all reach, one host alone is at a limit of its own.
const ALL: f64 = 0.9;

/// What one host alone leaves possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whose {
    /// A limit that all share.
    pub(super) shared: bool,
    /// One of each.
    pub(super) own: bool,
    /// One host alone reaches as much as all: what is found of its limit is true of theirs.
    pub(super) as_all: bool,
}

/// The host to ask, which is the fastest, and its depth; `None` where one has as large a part of the rate that more would
/// say nothing, or cannot have more in flight than it had.
pub(super) fn asked(by_host: &[(u32, f64)], best_depth: u32) -> Option<(u32, u32)> {
    let (host, _) = fastest(by_host)?;
    let hosts = u32::try_from(by_host.len()).unwrap_or(u32::MAX);
    let depth = best_depth.saturating_mul(hosts).min(DEEPEST);
    (f64::from(depth) >= MORE[0] * f64::from(best_depth)).then_some((host, depth))
}

/// The fastest host, and its part of the rate of all.
fn fastest(by_host: &[(u32, f64)]) -> Option<(u32, f64)> {
    let all: f64 = by_host.iter().map(|(_, rate)| rate).sum();
    let faster = |a: (u32, f64), b: (u32, f64)| if b.1 > a.1 { b } else { a };
    let (host, rate) = by_host.iter().copied().reduce(faster)?;
    let part = rate / all.max(1e-9);
    (by_host.len() > 1 && part > 0.0 && part * MORE[0] <= ALL).then_some((host, part))
}

/// What one host alone shows, where the rate of all is that of `together`; `None` where its processors were full or it is
/// not the fastest of them.
pub(super) fn judge(alone: &PointResult, together: &PointResult) -> Option<Whose> {
    let part = match alone.setting.hosts.single() {
        Some(host) => part_of(&together.by_host, host)?,
        None => return None,
    };
    Some(seen(
        alone.working_iops() / together.working_iops().max(1e-9),
        part,
    ))
}

/// The part that a host has of the rate of all.
fn part_of(by_host: &[(u32, f64)], host: u32) -> Option<f64> {
    let all: f64 = by_host.iter().map(|(_, rate)| rate).sum();
    let own = by_host.iter().find(|(number, _)| *number == host)?.1;
    (own > 0.0).then(|| own / all)
}

/// Of the rate alone and the part of the host, both as shares of the rate of all.
fn seen(alone: f64, part: f64) -> Whose {
    let [shared, own] = MORE;
    Whose {
        shared: alone >= own * part,
        own: alone <= shared * part,
        as_all: alone >= ALL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_host_that_reaches_what_all_did_is_not_at_its_limit() {
        let third = 1.0 / 3.0;
        let of_all = Whose {
            shared: true,
            own: false,
            as_all: true,
        };
        assert_eq!(seen(1.0, third), of_all);
        assert_eq!(seen(0.95, 0.5), of_all);
        // More than among the others and less than all: what they share binds first, and one alone has a limit too.
        let less = Whose {
            as_all: false,
            ..of_all
        };
        assert_eq!(seen(0.6, third), less);
    }

    #[test]
    fn one_host_that_reaches_no_more_than_its_part_is() {
        let own = Whose {
            shared: false,
            own: true,
            as_all: false,
        };
        assert_eq!(seen(0.33, 1.0 / 3.0), own);
        assert_eq!(seen(0.52, 0.5), own);
        // A little more excludes neither.
        let both = Whose {
            shared: true,
            ..own
        };
        assert_eq!(seen(0.43, 1.0 / 3.0), both);
    }

    #[test]
    fn the_fastest_host_is_asked_with_as_much_as_all_had() {
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
