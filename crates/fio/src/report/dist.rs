//! Shares in percent, by classes, as fio prints them: depth and batch classes, latency classes.

use leadline_model::histogram::lower_bound;
use leadline_model::sample::Counts;

/// Names of the depth classes.
pub(super) const LEVELS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];
/// Names of the batch classes.
pub(super) const BATCHES: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];
/// Upper ends of the latency classes below one thousand, in ns, us or ms.
pub(super) const CLASSES: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

/// Shares of the I/Os by service latency. A value is in the class whose upper end it is below.
pub(super) struct LatencyShares {
    /// Below 1 us.
    pub(super) ns: [f64; 10],
    /// Below 1 ms.
    pub(super) us: [f64; 10],
    /// From 1 ms; the last two are 1 s to 2 s, and 2 s and more.
    pub(super) ms: [f64; 12],
}

/// Percent of each class; a class that is not empty is at least `floor`, as fio shows it.
fn percent<const N: usize>(counts: [u64; N], total: u64, floor: f64) -> [f64; N] {
    counts.map(|n| match n {
        0 => 0.0,
        n => (n as f64 * 100.0 / (total as f64).max(1.0)).max(floor),
    })
}

/// Shares of depth or batch classes.
pub(super) fn shares(classes: [u64; 7]) -> [f64; 7] {
    percent(classes, classes.iter().sum(), 0.1)
}

/// Latency classes over reads, writes and trims.
pub(super) fn latency_shares(counts: &Counts) -> LatencyShares {
    let (mut ns, mut us, mut ms) = ([0; 10], [0; 10], [0; 12]);
    for (bucket, count) in counts
        .ops
        .data()
        .flat_map(|op| op.service.histogram.nonzero())
    {
        let value = lower_bound(bucket);
        let class = |value: u64| CLASSES.iter().position(|&end| value < end);
        match (value, value / 1000, value / 1_000_000) {
            (v, 0, _) => ns[class(v).unwrap_or(9)] += count,
            (_, v, 0) => us[class(v).unwrap_or(9)] += count,
            (.., v) if v < 1000 => ms[class(v).unwrap_or(9)] += count,
            (.., v) => ms[if v < 2000 { 10 } else { 11 }] += count,
        }
    }
    let total = counts.data_ios();
    LatencyShares {
        ns: percent(ns, total, 0.01),
        us: percent(us, total, 0.01),
        ms: percent(ms, total, 0.01),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::op::Op;

    #[test]
    fn a_latency_falls_into_the_class_it_is_below() {
        let mut counts = Counts::default();
        let op = counts.op_mut(Op::Read);
        op.ios = 8;
        for ns in [
            1,
            2,
            900,
            1000,
            3_000,
            999_000_000,
            1_500_000_000,
            3_000_000_000,
        ] {
            op.service.record(ns);
        }
        let shares = latency_shares(&counts);
        let seen = [
            shares.ns[0],
            shares.ns[1],
            shares.ns[9],
            shares.us[0],
            shares.us[1],
        ];
        let slow = [shares.ms[9], shares.ms[10], shares.ms[11]];
        let each = |share: &f64| (share - 12.5).abs() < 1e-9;
        assert!(
            seen.iter().all(each) && slow.iter().all(each),
            "{seen:?} {slow:?}"
        );
    }

    #[test]
    fn small_shares_are_shown_and_no_share_is_zero() {
        let text = |classes| shares(classes).map(|s| format!("{s:.2}")).join(" ");
        assert_eq!(
            text([1, 0, 0, 9999, 0, 0, 0]),
            "0.10 0.00 0.00 99.99 0.00 0.00 0.00"
        );
        assert_eq!(text([0; 7]), "0.00 0.00 0.00 0.00 0.00 0.00 0.00");
    }
}
