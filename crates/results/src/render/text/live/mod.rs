//! Where a running stage is: in one line, or in a block of lines with the courses of its figures.
//!
//! Belongs here: pure drawing, from what is known to lines that fit. Must never: ask for the size of the terminal,
//! move its cursor.

mod block;
mod sparkline;
mod strip;

pub use block::{LiveBlock, PointsOfAll, live_block};

use super::Style;
use super::table::{percentile_text, span};
use crate::words::compact;
use leadline_model::event::Tick;
use leadline_model::units::{Nanos, number_of};
use std::fmt::Write as _;

/// One line of at most `style.width` columns: how far the stage is, the rate of the last interval, its
/// latency, and the time left (`left` when the caller knows more than this stage, and whether that is the least). In a
/// narrow terminal the name is cut, then figures are left out from the end, then the bar, then the name, then the last
/// figure.
#[must_use]
pub fn live(stage: &str, tick: &Tick, left: Option<(Nanos, bool)>, style: &Style) -> String {
    let mut parts = Vec::new();
    let seconds = tick.span.as_secs_f64();
    let data = tick.counts.data();
    if data.is_empty() || seconds <= 0.0 {
        parts.push("no I/O completed".to_owned());
    } else {
        let mut rates = String::new();
        let ops = tick.counts.ops.iter().filter(|(op, _)| op.is_data());
        for (op, counts) in ops.filter(|(_, counts)| !counts.is_empty()) {
            let sep = if rates.is_empty() { "" } else { " " };
            let _ = write!(rates, "{sep}{op} {}", compact(counts.ios as f64 / seconds));
        }
        parts.push(format!("{rates} IOPS"));
        parts.push(format!(
            "{} MiB/s",
            compact(data.bytes as f64 / seconds / 1_048_576.0)
        ));
        let latency = data.response();
        for (name, percent) in [("p50", 50.0), ("p99", 99.0)] {
            parts.push(format!("{name} {}", percentile_text(latency, percent)));
        }
    }
    if data.errors > 0 {
        parts.insert(0, style.paint("1;31", &number_of(data.errors, "error")));
    }
    let end = left.or_else(|| tick.expected.map(|e| (e.since(tick.at), false)));
    let end = end
        .map(|(left, at_least)| left_words(left, at_least))
        .unwrap_or_default();
    fit((bar::<6>(tick, *style), stage), parts, &end, *style)
}

/// `10 s left`, or `over 10 s left` where that is the least.
fn left_words(left: Nanos, at_least: bool) -> String {
    let over = if at_least { "over " } else { "" };
    format!("{over}{} left", clock(left))
}

/// Fewest columns of a stage's name that say something.
const SHORTEST_NAME: usize = 6;

/// `[====    ]`, or the time since the start when the length is not known; `warm` in the warm-up.
fn bar<const CELLS: usize>(tick: &Tick, style: Style) -> String {
    let by_time = tick
        .expected
        .filter(|e| e.0 > 0)
        .map(|e| tick.at.0 as f64 / e.0 as f64);
    let Some(share) = tick.done.or(by_time) else {
        return span(tick.at.0 as f64);
    };
    let full = crate::words::whole(share.clamp(0.0, 1.0) * CELLS as f64);
    let full = usize::try_from(full).unwrap_or(0);
    let (on, off) = if style.unicode {
        ("\u{2501}", "\u{2500}")
    } else {
        ("=", " ")
    };
    let word = if tick.warmup { " warm-up" } else { "" };
    format!("[{}{}]{word}", on.repeat(full), off.repeat(CELLS - full))
}

fn fit((bar, stage): (String, &str), mut parts: Vec<String>, end: &str, style: Style) -> String {
    let visible = |text: &str| {
        let text = text.replace("\u{1b}[1;31m", "").replace("\u{1b}[0m", "");
        text.chars().count()
    };
    loop {
        let mut line = String::new();
        for room in [style.width, 26, 20, 16, 12] {
            line = format!("{bar} {}", style.cut(stage, room));
            for part in parts.iter().map(String::as_str).chain([end]) {
                if !part.is_empty() {
                    let _ = write!(line, "  {part}");
                }
            }
            if visible(&line) <= style.width {
                return line;
            }
        }
        if let [figure] = parts.as_slice() {
            let rest = [figure, end].map(str::trim).join("  ");
            let room = style.width.saturating_sub(visible(&rest) + 2);
            let named = format!("{}  {rest}", style.cut(stage, room));
            if room >= SHORTEST_NAME && visible(&named) <= style.width {
                return named.trim_end().to_owned();
            }
            let lines = [format!("{bar} {rest}"), rest];
            let fitting = lines.iter().find(|line| visible(line) <= style.width);
            if let Some(line) = fitting {
                return line.trim_end().to_owned();
            }
        }
        if parts.pop().is_none() {
            return line.chars().take(style.width).collect();
        }
    }
}

/// `45 s`, `3 min 05 s`, `2 h 10 min`; rounded up, so that it ends at 0.
fn clock(time: Nanos) -> String {
    let seconds = time.0.div_ceil(1_000_000_000);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::op::Op;
    use leadline_model::sample::Counts;

    fn tick(ios: u64) -> Tick {
        let mut counts = Counts::default();
        let op = counts.op_mut(Op::Read);
        op.ios = ios;
        op.bytes = ios * 4096;
        (0..ios).for_each(|i| op.service.record(200_000 + i));
        Tick {
            stage: 0,
            at: Nanos::from_secs(2),
            expected: Some(Nanos::from_secs(6)),
            running: 1,
            done: None,
            warmup: false,
            counts,
            span: Nanos::SECOND,
        }
    }

    #[test]
    fn the_line_says_rate_latency_and_time_left() {
        let line = live(
            "latency/4k-randread-qd1",
            &tick(4700),
            None,
            &Style::default(),
        );
        assert_eq!(
            line,
            "[==    ] latenc~d-qd1  read 4.7k IOPS  18 MiB/s  p50 202us  p99 ~205us  4 s left"
        );
    }

    #[test]
    fn a_stall_an_error_and_a_narrow_terminal_are_lines_too() {
        let narrow = Style {
            width: 44,
            ..Style::default()
        };
        let mut bad = tick(4700);
        bad.counts.op_mut(Op::Read).errors = 3;
        let left = Some((Nanos::from_secs(131), false));
        let lines = [
            live("stage", &tick(0), left, &Style::default()),
            live("stage", &bad, left, &Style::default()),
            live("latency/4k-randread-qd1", &tick(4700), left, &narrow),
        ];
        assert_eq!(
            lines[0],
            "[==    ] stage  no I/O completed  2 min 11 s left"
        );
        assert!(
            lines[1].contains("  3 errors  read 4.7k IOPS"),
            "{}",
            lines[1]
        );
        assert!(lines[2].ends_with("  2 min 11 s left"), "{}", lines[2]);
        assert!(lines[2].chars().count() <= 44);
    }

    #[test]
    fn a_narrow_line_has_the_rate_and_a_part_of_the_name() {
        let at = |width| {
            let style = Style {
                width,
                ..Style::default()
            };
            let left = Some((Nanos::from_secs(131), false));
            live("latency/4k-randread-qd1", &tick(4700), left, &style)
        };
        // A terminal of 40 columns has 39 for it.
        for width in [39, 41, 50] {
            let line = at(width);
            let rest = "  read 4.7k IOPS  2 min 11 s left";
            assert!(line.ends_with(rest), "{line}");
            let name = line.strip_suffix(rest).unwrap();
            let name = name.strip_prefix("[==    ] ").unwrap_or(name);
            assert!(name.starts_with("la") && name.ends_with('1'), "{line}");
            assert!(line.chars().count() <= width, "{line}");
        }
        assert_eq!(at(38), "read 4.7k IOPS  2 min 11 s left");
    }

    #[test]
    fn time_that_is_the_least_is_said_to_be_so() {
        let left = Some((Nanos::from_secs(10), true));
        let line = live("curve", &tick(4700), left, &Style::default());
        assert!(line.ends_with("  over 10 s left"), "{line}");
    }
}
