//! What a chart can show of a point: the figures, their names, units and intervals.
//!
//! Belongs here: which figure of [`OpFigures`] a name means. Must never: compute one.

use crate::render::svg::{ScaleKind, Unit};
use crate::stats::Bracket;
use crate::summary::{OpFigures, Percentile, PointOp};
use crate::words::trim_to;

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlotFigure {
    /// I/Os a second.
    Iops,
    /// MiB a second.
    MibPerS,
    /// MB a second.
    MbPerS,
    /// Mean latency from the intended start.
    Mean,
    /// Latency from the intended start that this share of the I/Os, in percent, stays within: above 0, below 100.
    Tail(f64),
    /// The longest latency.
    Longest,
    /// I/Os in flight on average.
    Queue,
    /// All of the latency: over its percentiles only.
    Latency,
}

/// Names of figures; percentiles besides, as `p99` or `p99.9`.
pub const NAMES: [&str; 11] = [
    "iops", "mibps", "mbps", "mean", "p50", "p95", "p99", "p99.9", "max", "queue", "latency",
];

/// A figure with its 95 % interval, in the unit of its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// The figure.
    pub value: f64,
    /// What else is known of it.
    pub bracket: Bracket,
}

const MIB: f64 = 1_048_576.0;

impl PlotFigure {
    /// The figure of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "iops" => Self::Iops,
            "mibps" => Self::MibPerS,
            "mbps" => Self::MbPerS,
            "mean" => Self::Mean,
            "max" => Self::Longest,
            "queue" => Self::Queue,
            "latency" => Self::Latency,
            other => {
                let percent: f64 = other.strip_prefix('p')?.parse().ok()?;
                (percent > 0.0 && percent < 100.0).then_some(Self::Tail(percent))?
            }
        })
    }

    /// Its name on a command line.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Iops => "iops".to_owned(),
            Self::MibPerS => "mibps".to_owned(),
            Self::MbPerS => "mbps".to_owned(),
            Self::Mean => "mean".to_owned(),
            Self::Tail(percent) => format!("p{}", trim_to(percent, 6)),
            Self::Longest => "max".to_owned(),
            Self::Queue => "queue".to_owned(),
            Self::Latency => "latency".to_owned(),
        }
    }

    /// Whether it is a latency.
    #[must_use]
    pub const fn is_latency(self) -> bool {
        matches!(
            self,
            Self::Mean | Self::Tail(_) | Self::Longest | Self::Latency
        )
    }

    /// The label of its axis, with the unit.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Iops => "IOPS".to_owned(),
            Self::MibPerS => "throughput, MiB/s".to_owned(),
            Self::MbPerS => "throughput, MB/s".to_owned(),
            Self::Mean => "mean latency".to_owned(),
            Self::Tail(percent) => format!("latency p{}", trim_to(percent, 6)),
            Self::Longest => "longest latency".to_owned(),
            Self::Queue => "average queue depth".to_owned(),
            Self::Latency => "latency".to_owned(),
        }
    }

    /// How its values spread, and of what unit they are.
    pub(super) const fn scale(self) -> (ScaleKind, Unit) {
        match self {
            Self::Iops => (ScaleKind::Linear, Unit::Count),
            Self::MibPerS => (ScaleKind::Linear, Unit::MibPerS),
            Self::MbPerS => (ScaleKind::Linear, Unit::MbPerS),
            Self::Queue => (ScaleKind::Linear, Unit::Number),
            _ => (ScaleKind::Log10, Unit::Nanos),
        }
    }

    /// The figure with its interval; `None` where there is none, or too few samples support it.
    pub(super) fn of(self, figures: &OpFigures, queue: Option<f64>) -> Option<Known> {
        let plain = |value: f64| Known {
            value,
            bracket: Bracket::Unknown,
        };
        let latency = figures.response();
        let rate = |value: f64, times: f64, interval: Option<crate::stats::Interval>| Known {
            value: value * times,
            bracket: interval.map_or(Bracket::Unknown, |i| Bracket::of(&i).scaled(times)),
        };
        match self {
            Self::Iops => Some(rate(figures.iops, 1.0, figures.certainty.iops)),
            Self::MibPerS | Self::MbPerS => {
                let unit = if self == Self::MibPerS { MIB } else { 1e6 };
                let interval = figures.certainty.bytes_per_s;
                Some(rate(figures.bytes_per_s, 1.0 / unit, interval))
            }
            Self::Queue => queue.map(plain),
            _ if latency.is_empty() => None,
            Self::Mean => Some(Known {
                value: latency.mean(),
                bracket: figures.mean_bracket(),
            }),
            Self::Tail(percent) => known(figures.response_at(percent)?),
            Self::Longest => Some(Known {
                value: latency.max as f64,
                bracket: match figures.mean_bracket() {
                    Bracket::AtLeast => Bracket::AtLeast,
                    _ => Bracket::Unknown,
                },
            }),
            Self::Latency => None,
        }
    }

    /// The figure of an interval of time; `None` where it has none.
    pub(super) fn over_time(self, point: &PointOp) -> Option<Known> {
        let plain = |value: f64| Known {
            value,
            bracket: Bracket::Unknown,
        };
        let latency = point.from_intended();
        match self {
            Self::Iops => Some(plain(point.iops)),
            Self::MibPerS => Some(plain(point.bytes_per_s / MIB)),
            Self::MbPerS => Some(plain(point.bytes_per_s / 1e6)),
            _ if point.ios == 0 => None,
            Self::Mean => Some(Known {
                value: latency.mean_ns,
                bracket: latency.bracket(),
            }),
            Self::Tail(50.0) => known(latency.p50?),
            Self::Tail(99.0) => known(latency.p99?),
            Self::Longest => Some(Known {
                value: latency.max.0 as f64,
                bracket: latency.bracket(),
            }),
            _ => None,
        }
    }

    /// Whether intervals of time have it.
    pub(super) fn is_over_time(self) -> bool {
        match self {
            Self::Tail(percent) => [50.0, 99.0].contains(&percent),
            Self::Queue | Self::Latency => false,
            _ => true,
        }
    }
}

/// A percentile with its interval, unless it is based on too few samples.
pub(super) fn known(percentile: Percentile) -> Option<Known> {
    let value = percentile.shown()?.0 as f64;
    Some(Known {
        value,
        bracket: percentile.bracket(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_figures_and_back() {
        for name in NAMES {
            assert_eq!(PlotFigure::named(name).unwrap().name(), name);
        }
        assert_eq!(PlotFigure::named("p99.95"), Some(PlotFigure::Tail(99.95)));
        for wrong in ["p", "p0", "p100", "p-1", "pNaN", "bw", ""] {
            assert_eq!(PlotFigure::named(wrong), None, "{wrong}");
        }
    }
}
