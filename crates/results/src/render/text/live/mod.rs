//! Where a running stage is: in one line, or in a block of lines with its figures over time.
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

/// One line of at most `style.width` columns: how far the run is with its running `point`, or the stage where it is the only one,
/// the rate of the time that its counts are of, its latency, and the time left (`left` when the caller knows more than this stage, and whether that is the least). In a
/// narrow terminal the name is cut, then figures are left out from the end, then the bar, then the name, then which point of
/// how many it is, then the last figure.
#[must_use]
pub fn live(
    (stage, point): (&str, Option<PointsOfAll>),
    tick: &Tick,
    left: Option<(Nanos, bool)>,
    style: &Style,
) -> String {
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
    fit(&front(point, tick, *style), stage, parts, (&end, *style))
}

/// The bar, and which point of how many runs: of several points the bar is that of all, or it would look as if the run were
/// nearly done at the end of each.
fn front(point: Option<PointsOfAll>, tick: &Tick, style: Style) -> (String, String) {
    /// A line of as many columns has room for words.
    const ROOM: usize = 100;
    let Some(point) = point else {
        return (bar::<6>(tick, style), String::new());
    };
    let before = point.number.saturating_sub(1) as f64;
    let share = (before + share_of(tick).unwrap_or(0.0)) / point.all.max(1) as f64;
    let bar = drawn::<6>(share, tick.warmup, style);
    match style.width >= ROOM {
        true => (bar, format!("{} ", point.words())),
        false => (bar, format!("{} ", point.numbers())),
    }
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
    match share_of(tick) {
        Some(share) => drawn::<CELLS>(share, tick.warmup, style),
        None => span(tick.at.0 as f64),
    }
}

/// How much of the stage is done, where its length is known.
fn share_of(tick: &Tick) -> Option<f64> {
    let expected = tick.expected.filter(|e| e.0 > 0);
    let by_time = expected.map(|e| tick.at.0 as f64 / e.0 as f64);
    tick.done.or(by_time).map(|share| share.clamp(0.0, 1.0))
}

fn drawn<const CELLS: usize>(share: f64, warmup: bool, style: Style) -> String {
    let full = crate::words::whole(share.clamp(0.0, 1.0) * CELLS as f64);
    let full = usize::try_from(full).unwrap_or(0);
    let (on, off) = if style.unicode {
        ("\u{2501}", "\u{2500}")
    } else {
        ("=", " ")
    };
    let word = if warmup { " warm-up" } else { "" };
    format!("[{}{}]{word}", on.repeat(full), off.repeat(CELLS - full))
}

/// The line with all that has room; `front` is the bar, and which point it is.
fn fit(
    (bar, point): &(String, String),
    stage: &str,
    mut parts: Vec<String>,
    (end, style): (&str, Style),
) -> String {
    let visible = |text: &str| {
        let text = text.replace("\u{1b}[1;31m", "").replace("\u{1b}[0m", "");
        text.chars().count()
    };
    loop {
        let mut line = String::new();
        for room in [style.width, 26, 20, 16, 12] {
            line = format!("{bar} {point}{}", style.cut(stage, room));
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
            let rest = rest.trim_end();
            let name = |room| style.cut(stage, room);
            let room = style
                .width
                .saturating_sub(visible(rest) + visible(point) + 2);
            let with_name =
                (room >= SHORTEST_NAME).then(|| format!("{point}{}  {rest}", name(room)));
            let lines = [
                Some(format!("{bar} {point}{}  {rest}", name(SHORTEST_NAME))),
                with_name,
                Some(match point.as_str() {
                    "" => format!("{bar} {rest}"),
                    point => format!("{}  {rest}", point.trim_end()),
                }),
                Some(rest.to_owned()),
            ];
            let mut lines = lines.into_iter().flatten();
            if let Some(line) = lines.find(|line| visible(line) <= style.width) {
                return line;
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
            ("latency/4k-randread-qd1", None),
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
            live(("stage", None), &tick(0), left, &Style::default()),
            live(("stage", None), &bad, left, &Style::default()),
            live(
                ("latency/4k-randread-qd1", None),
                &tick(4700),
                left,
                &narrow,
            ),
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
            live(("latency/4k-randread-qd1", None), &tick(4700), left, &style)
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

    /// A third of the fourth of 24 points.
    #[test]
    fn a_line_of_several_points_has_the_bar_and_the_number_of_all() {
        let point = |estimated| {
            Some(PointsOfAll {
                number: 4,
                all: 24,
                most: None,
                estimated,
            })
        };
        let at = |width, estimated| {
            let style = Style {
                width,
                ..Style::default()
            };
            live(
                ("latency/4k-randread-qd1", point(estimated)),
                &tick(4700),
                None,
                &style,
            )
        };
        // 3.33 of 24 are 0.83 of six cells.
        assert!(
            at(120, true).starts_with("[=     ] point 4 of about 24 latency/4k-randread-qd1  read")
        );
        for width in [50, 60, 80] {
            let line = at(width, false);
            assert!(line.starts_with("[=     ] 4/24 lat"), "{line}");
        }
        // In a narrower one the bar goes first, then the name: the number says how far the run is.
        let rest = "read 4.7k IOPS  4 s left";
        assert_eq!(at(39, false), format!("4/24 late~qd1  {rest}"));
        for width in [31, 36] {
            assert_eq!(at(width, false), format!("4/24  {rest}"));
        }
        assert_eq!(at(28, false), rest);
    }

    #[test]
    fn time_that_is_the_least_is_said_to_be_so() {
        let left = Some((Nanos::from_secs(10), true));
        let line = live(("curve", None), &tick(4700), left, &Style::default());
        assert!(line.ends_with("  over 10 s left"), "{line}");
    }
}
