//! A condition on a figure of a result: `randread.p99<2ms`, `iops<-3%`.
//!
//! Belongs here: which figures can be named, of which rows, and what is asked of them. Must never: read one from text
//! (that is a language), or judge a result.

use crate::units::{Nanos, Percent};
use std::fmt;

/// A figure of an operation that can be asserted and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FigureKind {
    /// I/Os a second.
    Iops,
    /// Bytes a second.
    BytesPerS,
    /// Mean latency, in nanoseconds.
    Mean,
    /// Latency below which this share of the I/Os is, in nanoseconds.
    Percentile(Percent),
    /// The largest latency, in nanoseconds.
    Max,
}

impl FigureKind {
    /// The percentile nearest to this many percent, with four decimals.
    #[must_use]
    pub fn percentile(percent: f64) -> Self {
        Self::Percentile(Percent::nearest(percent))
    }

    /// Whether more is better: rates; of latencies less is.
    #[must_use]
    pub const fn is_rate(self) -> bool {
        matches!(self, Self::Iops | Self::BytesPerS)
    }
}

impl fmt::Display for FigureKind {
    /// As it is written in a condition: `iops`, `bw`, `mean`, `p99.9`, `max`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iops => f.write_str("iops"),
            Self::BytesPerS => f.write_str("bw"),
            Self::Mean => f.write_str("mean"),
            Self::Percentile(percent) => write!(f, "p{percent}"),
            Self::Max => f.write_str("max"),
        }
    }
}

/// How a figure has to stand to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
}

impl Relation {
    /// Whether a value stands so to a limit.
    #[must_use]
    pub fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::Below => value < limit,
            Self::AtMost => value <= limit,
            Self::Above => value > limit,
            Self::AtLeast => value >= limit,
        }
    }

    /// Whether it is an upper limit.
    #[must_use]
    pub const fn is_upper(self) -> bool {
        matches!(self, Self::Below | Self::AtMost)
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
        })
    }
}

/// The limit of a condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConditionLimit {
    /// A change in percent, above -100: of B against A.
    Change(f64),
    /// I/Os a second.
    Iops(f64),
    /// Bytes a second.
    BytesPerS(f64),
    /// A time.
    Time(Nanos),
}

impl ConditionLimit {
    /// The limit in the unit of its figure: percent, I/Os or bytes a second, nanoseconds.
    #[must_use]
    pub const fn value(self) -> f64 {
        match self {
            Self::Change(x) | Self::Iops(x) | Self::BytesPerS(x) => x,
            Self::Time(nanos) => nanos.0 as f64,
        }
    }
}

/// A condition on a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The rows that it is about: names of stages, workloads and operations, with `*` for any characters; empty = all.
    pub row: String,
    /// The figure.
    pub figure: FigureKind,
    /// How it has to stand to the limit.
    pub relation: Relation,
    /// The limit.
    pub limit: ConditionLimit,
    /// As the user wrote it, without blanks around it.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_itself_is_within_what_is_at_most_or_at_least_it() {
        use Relation::{Above, AtLeast, AtMost, Below};
        for (relation, sign, [smaller, equal, larger]) in [
            (Below, "<", [true, false, false]),
            (AtMost, "<=", [true, true, false]),
            (Above, ">", [false, false, true]),
            (AtLeast, ">=", [false, true, true]),
        ] {
            let holds = [1.0, 2.0, 3.0].map(|value| relation.holds(value, 2.0));
            assert_eq!(holds, [smaller, equal, larger], "{relation}");
            assert_eq!(relation.is_upper(), smaller, "{relation}");
            assert_eq!(relation.to_string(), sign);
        }
    }
}
