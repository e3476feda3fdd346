//! Tables of response times in Vdbench's classes, from the exact buckets of leadline.

use crate::study::words::{thousands, whole};
use leadline_model::histogram::lower_bound;
use leadline_model::latency::Latency;
use std::fmt::Write as _;

/// Upper ends of the classes in microseconds; the last class has none.
pub(super) const BOUNDS: [u64; 26] = [
    20, 40, 60, 80, 100, 200, 400, 600, 800, 1000, 2000, 4000, 6000, 8000, 10_000, 20_000, 40_000,
    60_000, 80_000, 100_000, 200_000, 400_000, 600_000, 800_000, 1_000_000, 2_000_000,
];

/// How many values lie in each class. A bucket belongs to the class its lower end is in: at most the
/// width of one bucket (0.8 %) is on the wrong side of a bound, and nothing is lost.
pub(super) fn classes(latency: &Latency) -> [u64; BOUNDS.len() + 1] {
    let mut counts = [0; BOUNDS.len() + 1];
    for (bucket, count) in latency.histogram.nonzero() {
        let ns = lower_bound(bucket);
        let class = BOUNDS.partition_point(|bound| bound * 1000 <= ns);
        counts[class] += count;
    }
    counts
}

/// The tables of reads, writes and both; one table where there was only one kind.
pub(super) fn tables([read, write]: &[Latency; 2]) -> String {
    if write.is_empty() {
        return table("Only reads done for this workload:", read);
    }
    if read.is_empty() {
        return table("Only writes done for this workload:", write);
    }
    let mut both = read.clone();
    both.merge(write);
    [
        table("Reads and writes:", &both),
        table("Reads:", read),
        table("Writes:", write),
    ]
    .concat()
}

fn table(title: &str, latency: &Latency) -> String {
    let mut out = format!(
        "{title}\n  min(ms) <     max(ms)         count       %%    cum%%  '+': Individual%; '+-': \
         Cumulative%\n\n"
    );
    let all = (latency.count() as f64).max(1.0);
    let (mut low, mut done) = (0.0, 0);
    for (class, count) in classes(latency).into_iter().enumerate() {
        done += count;
        let high = BOUNDS.get(class).map(|b| *b as f64 / 1000.0);
        let end = high.map_or_else(|| "max".to_owned(), |h| format!("{h:.3}"));
        let percent = count as f64 * 100.0 / all;
        let sum = done as f64 * 100.0 / all;
        let times = |x: f64| usize::try_from(whole((x / 2.0).floor())).unwrap_or(0);
        let _ = writeln!(
            out,
            "{low:>9.3} < {end:>11} {:>13} {percent:>8.4} {sum:>8.4}  {}{}",
            thousands(count),
            "+".repeat(times(percent)),
            "-".repeat(times(sum - percent)),
        );
        low = high.unwrap_or(low);
    }
    out.push('\n');
    out
}
