//! Tables of response times in Vdbench's classes, from the exact buckets of leadline.

use crate::original::PlanOriginal;
use leadline_model::histogram::lower_bound;
use leadline_model::latency::Latency;
use leadline_results::words::{thousands, whole};
use std::fmt::Write as _;

/// Upper ends of the classes where none are given, in microseconds.
pub(super) const DEFAULT: [u64; 26] = [
    20, 40, 60, 80, 100, 200, 400, 600, 800, 1000, 2000, 4000, 6000, 8000, 10_000, 20_000, 40_000,
    60_000, 80_000, 100_000, 200_000, 400_000, 600_000, 800_000, 1_000_000, 2_000_000,
];

/// The classes of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Upper ends of the classes in microseconds, rising; the last class has none.
    us: Vec<u64>,
    /// Empty classes are left out.
    suppress: bool,
}

impl Bounds {
    /// As given: microseconds and `suppress`, parted by commas. Those of Vdbench where nothing is given,
    /// or something that is no list of rising numbers.
    pub(super) fn of(plan: &PlanOriginal) -> Self {
        let us = &plan.histogram_us;
        let rising = !us.is_empty() && us.is_sorted_by(|a, b| a < b);
        Self {
            us: if rising { us.clone() } else { DEFAULT.to_vec() },
            suppress: plan.histogram_suppress,
        }
    }

    /// How many values lie in each class. A bucket belongs to the class its lower end is in: at most the
    /// width of one bucket (0.8 %) is on the wrong side of a bound, and nothing is lost.
    pub(super) fn classes(&self, latency: &Latency) -> Vec<u64> {
        let mut counts = vec![0; self.us.len() + 1];
        for (bucket, count) in latency.histogram.nonzero() {
            let ns = lower_bound(bucket);
            let class = self.us.partition_point(|us| us.saturating_mul(1000) <= ns);
            counts[class] += count;
        }
        counts
    }

    /// The tables of reads, writes and both; one table where there was only one kind.
    pub(super) fn tables(&self, [read, write]: &[Latency; 2]) -> String {
        if write.is_empty() {
            return self.table("Only reads done for this workload:", read);
        }
        if read.is_empty() {
            return self.table("Only writes done for this workload:", write);
        }
        let mut both = read.clone();
        both.merge(write);
        [
            self.table("Reads and writes:", &both),
            self.table("Reads:", read),
            self.table("Writes:", write),
        ]
        .concat()
    }

    fn table(&self, title: &str, latency: &Latency) -> String {
        let mut out = format!(
            "{title}\n  min(ms) <     max(ms)         count       %%    cum%%  '+': Individual%; \
             '+-': Cumulative%\n\n"
        );
        let all = (latency.count() as f64).max(1.0);
        let (mut low, mut done) = (0.0, 0);
        for (class, count) in self.classes(latency).into_iter().enumerate() {
            done += count;
            let high = self.us.get(class).map(|us| *us as f64 / 1000.0);
            let from = low;
            low = high.unwrap_or(low);
            if count == 0 && self.suppress {
                continue;
            }
            let end = high.map_or_else(|| "max".to_owned(), |h| format!("{h:.3}"));
            let percent = count as f64 * 100.0 / all;
            let sum = done as f64 * 100.0 / all;
            let times = |x: f64| usize::try_from(whole((x / 2.0).floor())).unwrap_or(0);
            let _ = writeln!(
                out,
                "{from:>9.3} < {end:>11} {:>13} {percent:>8.4} {sum:>8.4}  {}{}",
                thousands(count),
                "+".repeat(times(percent)),
                "-".repeat(times(sum - percent)),
            );
        }
        out.push('\n');
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values_us: &[u64]) -> Latency {
        let mut latency = Latency::default();
        values_us.iter().for_each(|us| latency.record(us * 1000));
        latency
    }

    fn asked(us: &[u64], suppress: bool) -> PlanOriginal {
        PlanOriginal {
            histogram_us: us.to_vec(),
            histogram_suppress: suppress,
            ..PlanOriginal::default()
        }
    }

    #[test]
    fn the_bounds_are_those_given_and_empty_rows_are_left_out_where_asked() {
        let some = of(&[10, 60, 70, 5000]);
        assert_eq!(
            Bounds::of(&asked(&[50, 1000], false)).classes(&some),
            [1, 2, 1]
        );
        let table = Bounds::of(&asked(&[50, 1000, 2000], true)).tables(&[some, Latency::default()]);
        let rows: Vec<&str> = table.lines().skip(3).filter(|l| !l.is_empty()).collect();
        assert_eq!(
            rows,
            [
                "    0.000 <       0.050             1  25.0000  25.0000  ++++++++++++",
                "    0.050 <       1.000             2  50.0000  75.0000  +++++++++++++++++++++++++------------",
                "    2.000 <         max             1  25.0000 100.0000  ++++++++++++-------------------------------------",
            ]
        );
    }

    #[test]
    fn without_bounds_they_are_those_of_vdbench() {
        let count = |us: &[u64], suppress| {
            let bounds = Bounds::of(&asked(us, suppress));
            bounds.classes(&of(&[])).len()
        };
        assert_eq!(count(&[], false), 27);
        assert_eq!(count(&[], true), 27);
        assert_eq!(count(&[20, 10], false), 27);
    }
}
