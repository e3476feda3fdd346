//! A heat strip: a row for each range of latencies, a column for each bin of time, shaded by the share of I/Os.

use super::clock;
use super::sparkline::BEFORE;
use crate::render::text::Style;
use crate::render::text::table::span;
use crate::summary::progress::TimeBin;
use leadline_model::histogram::lower_bound;
use leadline_model::latency::Latency;
use leadline_model::units::Nanos;

/// Ranges of latencies: below 30 ns, from there to 100 ns, to 300 ns, to 1 us, and so on; the last from 3000 s on.
const RANGES: usize = 26;

/// Lower bound of a range in nanoseconds.
fn lower(range: usize) -> f64 {
    if range == 0 {
        return 0.0;
    }
    let decade = i32::try_from(range / 2).unwrap_or(0) + 1;
    let part = if range.is_multiple_of(2) { 1.0 } else { 3.0 };
    part * 10_f64.powi(decade)
}

/// The rows for as many lines as there are (none if they do not show more than one range would), the highest latency
/// first, and a line that says what the shades mean.
pub(super) fn strip(bins: &[TimeBin], interval: Nanos, lines: usize, style: Style) -> Vec<String> {
    let shares: Vec<Option<[f64; RANGES]>> = bins
        .iter()
        .map(|bin| bin.latency.as_ref().map(shares))
        .collect();
    let is_filled = |range: usize| shares.iter().flatten().any(|of| of[range] > 0.0);
    let first = (0..RANGES).find(|&range| is_filled(range));
    let last = (0..RANGES).rev().find(|&range| is_filled(range));
    let (Some(first), Some(last)) = (first, last) else {
        return Vec::new();
    };
    // Half a decade in a row, a whole one, or two.
    let fits = |each: &usize| last / each - first / each + 2 <= lines;
    let Some(each) = [1, 2, 4].into_iter().find(fits) else {
        return Vec::new();
    };
    let intervals = bins.first().map_or(0, |bin| bin.intervals);
    let column = Nanos(interval.0.saturating_mul(intervals));
    let mut all = vec![legend(column, style)];
    for row in (first / each..=last / each).rev() {
        let ranges = row * each..((row + 1) * each).min(RANGES);
        let (from, to) = (lower(ranges.start), lower(ranges.end));
        let label = match (ranges.start, ranges.end) {
            (_, RANGES) => format!("from {}", short(from)),
            (0, _) => format!("below {}", short(to)),
            _ => format!("{} to {}", short(from), short(to)),
        };
        let cells = shares.iter().map(|of| match of {
            Some(of) => of[ranges.clone()].iter().sum(),
            None => 0.0,
        });
        let label = style.quiet(&format!("{label:>width$}", width = BEFORE - 2));
        all.push(format!(
            "{label}  {}",
            cells.map(|share| shade(share, style)).collect::<String>()
        ));
    }
    all
}

/// `100us`, `3ms`.
fn short(ns: f64) -> String {
    span(ns).replace(".00", "").replace(".0", "")
}

/// The share of I/Os in each range.
fn shares(latency: &Latency) -> [f64; RANGES] {
    let mut shares = [0.0; RANGES];
    let mut range = 0;
    // In rising order.
    for (bucket, count) in latency.histogram.nonzero() {
        let value = lower_bound(bucket) as f64;
        while range + 1 < RANGES && value >= lower(range + 1) {
            range += 1;
        }
        shares[range] += count as f64;
    }
    let all = latency.count().max(1) as f64;
    shares.map(|count| count / all)
}

/// From this share of the I/Os on, a cell has the shade.
const SHADES: [(f64, char, char); 4] = [
    (0.5, '\u{2588}', '#'),
    (0.1, '\u{2593}', '+'),
    (0.01, '\u{2592}', '-'),
    (0.0, '\u{2591}', '.'),
];

fn shade(share: f64, style: Style) -> char {
    let found = SHADES.iter().find(|shade| share >= shade.0);
    match found {
        Some(&(_, mark, plain)) if share > 0.0 => {
            if style.unicode {
                mark
            } else {
                plain
            }
        }
        _ => ' ',
    }
}

/// What the shades mean, and how long a column is.
fn legend(column: Nanos, style: Style) -> String {
    let marks = SHADES.map(|(_, mark, plain)| if style.unicode { mark } else { plain });
    let [half, tenth, hundredth, any] = marks;
    let column = match column.0 {
        0..1_000_000_000 => short(column.0 as f64),
        _ => clock(column),
    };
    let name = "latency";
    let blank = BEFORE - name.len();
    let shades = format!("{any}any {hundredth}1% {tenth}10% {half}50%");
    let lines = [
        format!("{shades} of I/Os, column = {column}"),
        format!("{shades}, column {column}"),
        shades,
    ]
    .map(|text| format!("{name}{:blank$}{text}", ""));
    // The last column stays free.
    let fits = |line: &&String| line.chars().count() < style.width;
    let line = lines.iter().find(fits).unwrap_or(&lines[2]);
    style.quiet(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_shades_mean_is_never_cut() {
        let at = |width| {
            let style = Style {
                width,
                ..Style::default()
            };
            legend(Nanos::from_millis(312), style)
        };
        let blank = " ".repeat(11);
        let full = format!("latency{blank}.any -1% +10% #50% of I/Os, column = 312ms");
        assert_eq!(at(80), full);
        assert_eq!(
            at(60),
            format!("latency{blank}.any -1% +10% #50%, column 312ms")
        );
        assert_eq!(at(50), format!("latency{blank}.any -1% +10% #50%"));
    }
}
