//! A sparkline of one figure over a stage: its present value, a bar for each bin of time, and its range.

use crate::render::text::Style;
use crate::render::text::table::{bars, percentile_text, span};
use crate::summary::percentile;
use crate::summary::progress::TimeBin;
use crate::words::{compact, mib_per_s, rate, whole};
use leadline_model::units::Nanos;

/// Columns of what stands before the bars: a name and the present value.
pub(super) const BEFORE: usize = 18;

/// Columns of what follows them.
const AFTER: usize = 18;

/// With fewer columns there is no room for text after the bars.
const WIDE: usize = 79;

/// How many bars fit in `width` columns.
pub(super) fn room(width: usize) -> usize {
    let after = if width >= WIDE { AFTER } else { 0 };
    width.saturating_sub(BEFORE + after).max(1)
}

/// The lines of all figures: rate, throughput and three percentiles; intervals are `interval` long.
pub(super) fn sparklines(
    now: &TimeBin,
    bins: &[TimeBin],
    interval: Nanos,
    width: usize,
    style: Style,
) -> Vec<String> {
    let per_second = |bin: &TimeBin, count: u64| {
        let seconds = bin.intervals as f64 * interval.as_secs_f64();
        (seconds > 0.0).then(|| count as f64 / seconds)
    };
    let ios = |bin: &TimeBin| per_second(bin, bin.ios());
    let bytes = |bin: &TimeBin| per_second(bin, bin.bytes());
    let text = |value: Option<f64>, text: fn(f64) -> String| value.map_or("-".to_owned(), text);
    let rates = Sparkline::of_rates(bins.iter().map(ios).collect(), style);
    let throughputs = Sparkline::of_rates(bins.iter().map(bytes).collect(), style);
    let mut all = vec![
        ("IOPS", text(ios(now), rate), rates, compact as InFewChars),
        ("MiB/s", text(bytes(now), mib_per_s), throughputs, mib),
    ];
    for (name, percent) in [("p50", 50.0), ("p99", 99.0), ("p99.9", 99.9)] {
        let latency = now.latency.as_ref();
        let present = latency.map_or("-".to_owned(), |l| percentile_text(l, percent));
        let each = bins.iter().map(|bin| {
            let found = percentile(bin.latency.as_ref()?, percent)?;
            found.shown().map(|value| value.0 as f64)
        });
        let line = Sparkline::of_latencies(each.collect(), style);
        all.push((name, present, line, span));
    }
    all.into_iter()
        .map(|(name, present, line, text)| line.text(name, &present, text, width, style))
        .collect()
}

/// A value in few characters.
type InFewChars = fn(f64) -> String;

fn mib(bytes: f64) -> String {
    compact(bytes / 1_048_576.0)
}

/// The bars of a figure, and its extremes.
struct Sparkline {
    bars: String,
    extremes: Option<(f64, f64)>,
}

impl Sparkline {
    /// From 0 to the largest value. Nothing at all has the lowest bar for itself, so that a stall is not taken for
    /// a low rate.
    fn of_rates(values: Vec<Option<f64>>, style: Style) -> Self {
        Self::of(values, style, |value, (_, most)| {
            if value > 0.0 {
                1.0 + 6.0 * value / most
            } else {
                0.0
            }
        })
    }

    /// From the smallest to the largest value by their logarithms, over a factor of 2 at least: what hardly differs
    /// looks flat.
    fn of_latencies(values: Vec<Option<f64>>, style: Style) -> Self {
        Self::of(values, style, |value, (least, most)| {
            let (least, most) = (least.max(1.0).ln(), most.max(1.0).ln());
            let wider = (std::f64::consts::LN_2 - (most - least)).max(0.0) / 2.0;
            let range = most - least + 2.0 * wider;
            7.0 * (value.max(1.0).ln() - least + wider) / range
        })
    }

    fn of(values: Vec<Option<f64>>, style: Style, step: fn(f64, (f64, f64)) -> f64) -> Self {
        let known = || values.iter().flatten().copied();
        let extremes = (
            known().fold(f64::INFINITY, f64::min),
            known().fold(0.0, f64::max),
        );
        let bar = |value: Option<f64>| {
            let Some(value) = value else {
                return ' ';
            };
            let step = usize::try_from(whole(step(value, extremes))).unwrap_or(0);
            bars(style)[step.min(7)]
        };
        Self {
            extremes: known().next().map(|_| extremes),
            bars: values.iter().copied().map(bar).collect(),
        }
    }

    fn text(&self, name: &str, now: &str, short: InFewChars, width: usize, style: Style) -> String {
        let bars = &self.bars;
        let blank = BEFORE.saturating_sub(name.len() + now.len() + 2);
        let now = style.bold(now);
        let line = format!("{}{:blank$}{now}  {bars}", style.quiet(name), "");
        let Some((least, most)) = self.extremes.filter(|_| width >= WIDE) else {
            return line;
        };
        let blank = room(width).saturating_sub(bars.chars().count()) + 2;
        let between = match (short(least), short(most)) {
            (least, most) if least == most => least,
            (least, most) => format!("{least} to {most}"),
        };
        format!("{line}{:blank$}{}", "", style.quiet(&between))
    }
}
