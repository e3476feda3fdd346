//! From values to places: linear and logarithmic scales, their ticks, and the text of a tick.

use crate::words::{compact, thousands, trim_to, whole};
use leadline_model::units::{Bytes, Nanos};

/// How values spread over the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScaleKind {
    /// From 0.
    Linear,
    /// Equal steps, equal distances, over the values alone: for what lies close together and far from 0.
    Near,
    /// Equal steps from the first value, for what is counted: hosts, rounds; ticks at whole numbers.
    Counted,
    /// Equal ratios, equal distances; ticks at 1, 2, 5.
    Log10,
    /// Equal ratios, equal distances; ticks at powers of two.
    Log2,
    /// The value is 1/(1-p) of a percentile p: ticks at p50, p90, p99, ...
    Nines,
}

impl ScaleKind {
    /// Whether equal steps have equal distances.
    const fn is_linear(self) -> bool {
        matches!(self, Self::Linear | Self::Near | Self::Counted)
    }
}

/// What the values are; decides the text of ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number, `48k`.
    Count,
    /// Nanoseconds, `200 us`.
    Nanos,
    /// Seconds.
    Seconds,
    /// MiB/s.
    MibPerS,
    /// MB/s.
    MbPerS,
    /// Bytes, `64 KiB`.
    Bytes,
    /// Percent, `75 %`.
    Percent,
    /// A small whole number.
    Whole,
    /// A number without a unit, with its fraction.
    Number,
    /// 1/(1-p), as `p99.9`.
    Nines,
}

impl Unit {
    /// Text of a tick.
    #[must_use]
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Count | Self::Number | Self::MibPerS | Self::MbPerS if is_small(value) => {
                small(value)
            }
            Self::Count | Self::Number | Self::MibPerS | Self::MbPerS => compact(value),
            Self::Nanos => short(value, 1),
            Self::Seconds if is_small(value) => format!("{} s", small(value)),
            Self::Seconds => format!("{} s", trim(value)),
            Self::Bytes => Bytes(whole(value)).to_string(),
            Self::Percent => format!("{} %", trim(value)),
            Self::Whole => thousands(whole(value)),
            Self::Nines => format!("p{}", trim_to(100.0 - 100.0 / value, 6)),
        }
    }
}

/// Whether two digits after the point would say little of a value, or nothing.
fn is_small(value: f64) -> bool {
    value != 0.0 && value.abs() < 0.1
}

/// A small value with two significant digits: `0.0015`.
fn small(value: f64) -> String {
    let zeros = whole(-value.abs().log10().floor()).min(12);
    trim_to(value, usize::try_from(zeros).unwrap_or_default() + 1)
}

/// A span with at most this many digits after the point, without trailing zeros: `200 us`, `1.5 ms`.
pub(super) fn short(ns: f64, digits: usize) -> String {
    let (value, unit) = match ns {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "us"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    if value == 0.0 {
        return "0".to_owned();
    }
    format!("{} {unit}", trim_to(value, digits))
}

fn trim(value: f64) -> String {
    trim_to(value, 2)
}

/// A span as people say it, for tool tips.
#[must_use]
pub fn exact(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Nanos => Nanos(whole(value)).to_string(),
        Unit::Count => format!("{} IOPS", crate::words::rate(value)),
        Unit::MibPerS => crate::words::both_per_s(value * 1_048_576.0),
        Unit::MbPerS => crate::words::both_per_s(value * 1e6),
        other => other.text(value),
    }
}

/// A scale over a range of pixels; `from` may lie below or above `to`.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    kind: ScaleKind,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale that has room for all `values`, over the pixels `from`..`to`.
    #[must_use]
    pub fn fit(kind: ScaleKind, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let positive = !kind.is_linear();
        let good = values.filter(|v| v.is_finite() && (!positive || *v > 0.0));
        let (low, high) = good.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
            (l.min(v), h.max(v))
        });
        let (low, high) = if low > high { (1.0, 1.0) } else { (low, high) };
        let (low, high) = match kind {
            ScaleKind::Linear => (low.min(0.0), if high > 0.0 { high } else { 1.0 }),
            ScaleKind::Near => rounded_near(low, high),
            ScaleKind::Counted => (low.floor(), high.max(low.floor() + 1.0)),
            ScaleKind::Log10 => rounded_log(low, high),
            ScaleKind::Log2 => (low, high.max(low * 2.0)),
            ScaleKind::Nines => (1.0, high.max(100.0)),
        };
        Self {
            kind,
            low,
            high,
            from,
            to,
        }
    }

    /// A scale for this many names, the first of which is at 0, the second at 1 and so on.
    #[must_use]
    pub fn named(names: usize, from: f64, to: f64) -> Self {
        Self {
            kind: ScaleKind::Linear,
            low: -0.5,
            high: names as f64 - 0.5,
            from,
            to,
        }
    }

    /// The same, ending at a tick: for axes on which a bar or a line should not touch the frame.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        if self.kind == ScaleKind::Linear {
            let step = step_of(self.high - self.low, 4.0);
            self.high = (self.high / step).ceil() * step;
        }
        self
    }

    /// The lowest and the highest value, and the pixels where they are.
    #[must_use]
    pub const fn ends(&self) -> [f64; 4] {
        [self.low, self.high, self.from, self.to]
    }

    /// Pixel of a value; values outside are clamped.
    #[must_use]
    pub fn at(&self, value: f64) -> f64 {
        let share = match self.kind {
            kind if kind.is_linear() => (value - self.low) / (self.high - self.low),
            _ => (value.max(self.low).ln() - self.low.ln()) / (self.high.ln() - self.low.ln()),
        };
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Whether a value can be drawn.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        value.is_finite() && (self.kind.is_linear() || value > 0.0)
    }

    /// Values to draw ticks at, about four.
    #[must_use]
    pub fn ticks(&self) -> Vec<f64> {
        match self.kind {
            ScaleKind::Linear | ScaleKind::Near => {
                let step = step_of(self.high - self.low, 4.0);
                (0_u32..12)
                    .map(|i| self.low + f64::from(i) * step)
                    .take_while(|v| *v <= self.high * 1.0001)
                    .collect()
            }
            ScaleKind::Counted => counted(self.low, self.high),
            ScaleKind::Log2 => self.thinned(powers(2.0, self.low, self.high), 13),
            ScaleKind::Nines => powers(10.0, 1.0, self.high)
                .into_iter()
                .map(|v| if v <= 1.5 { 2.0 } else { v })
                .collect(),
            ScaleKind::Log10 => {
                let decades = powers(10.0, self.low, self.high);
                if decades.len() >= 4 {
                    return self.thinned(decades, 6);
                }
                let of = |parts: &[f64]| {
                    let all = powers(10.0, self.low / 10.0, self.high).into_iter();
                    let all = all.flat_map(|d| parts.iter().map(move |p| p * d));
                    let mut all: Vec<f64> = all
                        .filter(|v| *v >= self.low * 0.999 && *v <= self.high * 1.001)
                        .collect();
                    all.dedup();
                    all
                };
                let fine = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0];
                let near = self.high / self.low < 4.0;
                let usual = [1.0, 2.0, 5.0];
                // Two do not say how the axis spreads, and one says nothing.
                match of(&usual) {
                    few if near || few.len() < FEWEST_TICKS => of(&fine),
                    enough => enough,
                }
            }
        }
    }

    fn thinned(&self, ticks: Vec<f64>, most: usize) -> Vec<f64> {
        let every = ticks.len().div_ceil(most).max(1);
        ticks.into_iter().step_by(every).collect()
    }
}

/// Each whole number where these are few, else the first and round ones after it.
fn counted(low: f64, high: f64) -> Vec<f64> {
    let step = match high - low {
        few if few <= 12.0 => 1.0,
        many => step_of(many, 5.0).ceil(),
    };
    let round = (1_u32..20).map(|i| ((low / step).floor() + f64::from(i)) * step);
    let apart = round.filter(|v| *v - low > step * 0.6 && *v <= high * 1.0001);
    std::iter::once(low).chain(apart).collect()
}

/// Whole ticks around the values.
fn rounded_near(low: f64, high: f64) -> (f64, f64) {
    let span = match high - low {
        span if span > 0.0 => span,
        _ => (low.abs() * 0.02).max(1.0),
    };
    let step = step_of(span, 4.0);
    // One at an end is inside the frame.
    let below = ((low - step * 0.1) / step).floor() * step;
    let above = ((high + step * 0.1) / step).ceil() * step;
    (below, above)
}

/// A little room at both ends; whole ticks where the values lie so close that none would be inside.
fn rounded_log(low: f64, high: f64) -> (f64, f64) {
    if high / low >= 2.5 {
        return (low * 0.88, high * 1.12);
    }
    // A value on the frame would hide under it, so that the tick is the next one.
    let below = |v: f64| {
        let d = 10_f64.powf((v / NEXT).log10().floor());
        [5.0, 2.0, 1.0]
            .into_iter()
            .map(|m| m * d)
            .find(|x| *x <= v / NEXT * 1.0001)
    };
    let above = |v: f64| {
        let d = 10_f64.powf((v * NEXT).log10().floor());
        [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|m| m * d)
            .find(|x| *x >= v * NEXT * 0.9999)
    };
    (below(low).unwrap_or(low), above(high).unwrap_or(high))
}

/// Fewer ticks are too few for an axis.
const FEWEST_TICKS: usize = 3;

/// How near to a value the end of a logarithmic axis may be.
const NEXT: f64 = 1.03;

fn powers(base: f64, low: f64, high: f64) -> Vec<f64> {
    let first = (low.ln() / base.ln() - 1e-9).ceil();
    (0_u32..64)
        .map(|i| base.powf(first + f64::from(i)))
        .take_while(|v| *v <= high * 1.0001)
        .collect()
}

fn step_of(span: f64, about: f64) -> f64 {
    let raw = span / about;
    let decade = 10_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .find(|m| m * decade >= raw * 0.999);
    step.unwrap_or(10.0) * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let linear =
            Scale::fit(ScaleKind::Linear, [0.0, 47_812.0].into_iter(), 0.0, 100.0).rounded();
        let text: Vec<_> = linear
            .ticks()
            .iter()
            .map(|t| Unit::Count.text(*t))
            .collect();
        assert_eq!(text, ["0", "20k", "40k", "60k"]);
        let log = Scale::fit(ScaleKind::Log10, [210e3, 1.4e6].into_iter(), 0.0, 100.0);
        let text: Vec<_> = log.ticks().iter().map(|t| Unit::Nanos.text(*t)).collect();
        assert_eq!(text, ["200 us", "500 us", "1 ms"]);
        let two = Scale::fit(ScaleKind::Log2, [1.0, 64.0].into_iter(), 0.0, 100.0);
        assert_eq!(two.ticks(), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
        let nines = Scale::fit(ScaleKind::Nines, [1000.0].into_iter(), 0.0, 100.0);
        let text: Vec<_> = nines.ticks().iter().map(|t| Unit::Nines.text(*t)).collect();
        assert_eq!(text, ["p50", "p90", "p99", "p99.9"]);
    }

    #[test]
    fn a_logarithmic_axis_has_three_ticks_at_least() {
        for low in [100e3, 139e3, 1.24e6, 2.1e6, 4.9e6, 9.99e6] {
            for ratio in [
                1.0, 1.3, 2.4, 2.6, 3.4, 3.9, 4.29, 5.0, 7.0, 9.0, 11.0, 30.0, 2000.0,
            ] {
                let scale =
                    Scale::fit(ScaleKind::Log10, [low, low * ratio].into_iter(), 0.0, 100.0);
                let ticks = scale.ticks();
                assert!(
                    (3..=12).contains(&ticks.len()),
                    "{low} * {ratio}: {ticks:?}"
                );
                let words: Vec<_> = ticks.iter().map(|t| Unit::Nanos.text(*t)).collect();
                assert!(words.windows(2).all(|two| two[0] != two[1]), "{words:?}");
            }
        }
    }

    #[test]
    fn values_that_are_all_the_same_stand_inside_of_a_logarithmic_axis() {
        for value in [200e3, 5.33e6, 1e6, 999e3, 4.9e6] {
            let scale = Scale::fit(ScaleKind::Log10, [value, value].into_iter(), 0.0, 100.0);
            let at = scale.at(value);
            assert!(at > 1.0 && at < 99.0, "{value}: {at}");
            assert!(scale.ticks().len() > 1, "{value}");
        }
    }

    #[test]
    fn values_close_together_and_far_from_zero_fill_their_axis() {
        let near = |values: &[f64]| {
            let scale = Scale::fit(ScaleKind::Near, values.iter().copied(), 0.0, 100.0);
            let wide = scale.at(values[values.len() - 1]) - scale.at(values[0]);
            (scale.ticks(), wide)
        };
        let (ticks, wide) = near(&[10_651.0, 10_966.0]);
        assert_eq!(ticks, [10_600.0, 10_700.0, 10_800.0, 10_900.0, 11_000.0]);
        assert!(wide > 70.0, "{wide}");
        let (ticks, _) = near(&[5_000.0]);
        assert!(ticks[0] < 5_000.0 && ticks[ticks.len() - 1] > 5_000.0);
    }

    #[test]
    fn what_is_counted_begins_at_its_first_value_and_has_whole_ticks() {
        let ticks = |values: &[f64]| {
            Scale::fit(ScaleKind::Counted, values.iter().copied(), 0.0, 100.0).ticks()
        };
        assert_eq!(ticks(&[1.0, 2.0, 6.0]), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(ticks(&[1.0, 64.0]), [1.0, 20.0, 40.0, 60.0]);
        assert_eq!(ticks(&[4.0, 5.0]), [4.0, 5.0]);
        assert_eq!(ticks(&[1.0]), [1.0, 2.0]);
    }

    #[test]
    fn nothing_and_zeros_have_a_scale_too() {
        for kind in [
            ScaleKind::Linear,
            ScaleKind::Near,
            ScaleKind::Counted,
            ScaleKind::Log10,
            ScaleKind::Log2,
            ScaleKind::Nines,
        ] {
            for values in [vec![], vec![0.0], vec![f64::NAN], vec![5.0]] {
                let scale = Scale::fit(kind, values.into_iter(), 10.0, 90.0);
                assert!(scale.at(3.0).is_finite(), "{kind:?}");
                assert!(scale.ticks().len() < 20, "{kind:?}");
            }
        }
    }

    #[test]
    fn a_scale_runs_from_one_end_to_the_other() {
        let scale = Scale::fit(ScaleKind::Linear, [0.0, 10.0].into_iter(), 200.0, 0.0);
        assert!((scale.at(0.0) - 200.0).abs() < 1e-9);
        assert!((scale.at(5.0) - 100.0).abs() < 1e-9);
        assert!((scale.at(99.0) - 0.0).abs() < 1e-9);
    }
}
