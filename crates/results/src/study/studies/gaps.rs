//! Neighbouring points of a curve between which its shape is not known.
//!
//! Belongs here: which neighbours these are, and whether a point between would show more. Must never: choose a point.

use super::done::Measured;
use super::open::is_saturated;
use crate::summary::Trust;
use crate::words::trim_to;
use leadline_model::plan::study::Axis;
use leadline_model::units::Nanos;

/// Neighbours whose p99 differs by this share or more get a point between them.
pub(super) const DIFFERS: f64 = 0.2;
/// Neighbours are never closer than this, in percent of the highest rate.
const CLOSEST: f64 = 1.0;
/// Where the difference is within the uncertainty of both, a point between is looked for only so far apart, in percent:
/// closer ones would show noise.
const CLOSEST_UNSURE: f64 = 2.5;
/// Gaps that a sentence names at the most.
const MOST_GAPS: usize = 4;

/// Neighbours whose p99 differs so much that the curve between them is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CurveGap {
    /// Percent of the highest rate.
    from: f64,
    to: f64,
    /// The higher p99 over the lower.
    pub(super) ratio: f64,
    /// The difference is beyond the uncertainty of both.
    pub(super) is_sure: bool,
}

impl CurveGap {
    /// Those between points that reached their rate.
    pub(super) fn all(own: &[&Measured]) -> Vec<Self> {
        let reached = own.iter().filter(|m| !is_saturated(m));
        let mut points: Vec<TailPoint> = reached.filter_map(|m| TailPoint::of(m)).collect();
        points.sort_by(|a, b| a.percent.total_cmp(&b.percent));
        Self::between(&points)
    }

    fn between(points: &[TailPoint]) -> Vec<Self> {
        let gap = |w: &[TailPoint]| {
            let gap = Self {
                from: w[0].percent,
                to: w[1].percent,
                ratio: w[0].p99.max(w[1].p99) / w[0].p99.min(w[1].p99).max(1.0),
                is_sure: w[0].high < w[1].low || w[1].high < w[0].low,
            };
            (gap.ratio >= 1.0 + DIFFERS).then_some(gap)
        };
        points.windows(2).filter_map(gap).collect()
    }

    /// Whether a point between may show more: its neighbours are far enough apart for that.
    pub(super) fn may_close(&self) -> bool {
        let closest = if self.is_sure {
            CLOSEST
        } else {
            CLOSEST_UNSURE
        };
        self.to - self.from >= 2.0 * closest
    }

    pub(super) fn middle(&self) -> f64 {
        f64::midpoint(self.from, self.to)
    }
}

/// A point of a curve: percent of the highest rate, p99 in nanoseconds, and the ends of its interval where it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TailPoint {
    percent: f64,
    p99: f64,
    low: f64,
    high: f64,
}

impl TailPoint {
    fn of(measured: &Measured) -> Option<Self> {
        let found = measured.response_at(99.0)?;
        let p99 = found.value.0 as f64;
        let end = |end: Option<Nanos>, unknown: f64| end.map_or(unknown, |ns| ns.0 as f64);
        // Without an interval it is known only where it has many samples beyond it.
        let (low, high) = match found.trust {
            Trust::Sure => (p99, p99),
            Trust::Doubtful | Trust::TooFew => (0.0, f64::INFINITY),
        };
        Some(Self {
            percent: measured.number(Axis::Percent)?,
            p99,
            low: end(found.low, low),
            high: end(found.high, high),
        })
    }
}

/// The first gaps in words, and how many more there are; nothing of none.
pub(super) fn named<'g>(gaps: impl Iterator<Item = &'g CurveGap>) -> Option<String> {
    let words = |gap: &CurveGap| format!("{} and {} %", trim_to(gap.from, 2), trim_to(gap.to, 2));
    let all: Vec<String> = gaps.map(words).collect();
    let (first, others) = all.split_at(all.len().min(MOST_GAPS));
    let more = match others.len() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    (!first.is_empty()).then(|| format!("{}{more}", first.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p99 of one server with a queue: ln(100) service times over 1 - load.
    #[test]
    fn neighbours_that_differ_by_a_fifth_are_a_gap() {
        let within = |percent: f64, share: f64| {
            let p99 = 4.605e5 / (1.0 - percent / 100.0);
            let (low, high) = (p99 * (1.0 - share), p99 * (1.0 + share));
            TailPoint {
                percent,
                p99,
                low,
                high,
            }
        };
        let at = |percent: f64| within(percent, 0.0);
        let gaps = CurveGap::between(&[10.0, 20.0, 50.0, 70.0, 71.0].map(at));
        let ends: Vec<(f64, f64)> = gaps.iter().map(|gap| (gap.from, gap.to)).collect();
        // 1/0.8 over 1/0.9 is 1.125; 71 is too near to 70.
        assert_eq!(ends, [(20.0, 50.0), (50.0, 70.0)]);
        assert!(gaps.iter().all(|gap| gap.is_sure && gap.may_close()));
        assert!((gaps[0].ratio - 1.6).abs() < 1e-9 && (gaps[1].ratio - 5.0 / 3.0).abs() < 1e-9);
        // What the noise of both explains may be one: it is open all the same, and filled while it is wide.
        let noisy = [20.0, 50.0].map(|percent| within(percent, 0.25));
        let open = CurveGap::between(&noisy);
        assert!(!open[0].is_sure && open[0].may_close());
        let noisy = [20.0, 24.0].map(|percent| within(percent + 60.0, 0.25));
        let open = CurveGap::between(&noisy);
        assert!(!open[0].is_sure && !open[0].may_close());
    }
}
