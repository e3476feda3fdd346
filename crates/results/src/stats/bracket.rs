//! What is known of a figure besides its value.
//!
//! Belongs here: the kinds of that. Must never: compute an interval (that is `interval`).

use super::Interval;

/// What is known of a figure besides its value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Bracket {
    /// Nothing.
    #[default]
    Unknown,
    /// Lower and upper end of its 95 % interval, in the unit of the figure.
    Within(f64, f64),
    /// It is at least the value.
    AtLeast,
}

impl Bracket {
    /// That of an interval; nothing where it is a value alone.
    #[must_use]
    pub fn of(interval: &Interval) -> Self {
        match interval.is_known() {
            true => Self::Within(interval.low, interval.high),
            false => Self::Unknown,
        }
    }

    /// The ends of the interval, lower first; `None` where there is none.
    #[must_use]
    pub const fn ends(self) -> Option<(f64, f64)> {
        match self {
            Self::Within(low, high) => Some((low, high)),
            Self::Unknown | Self::AtLeast => None,
        }
    }

    /// The same in another unit, of which one is `1 / by` of this.
    #[must_use]
    pub fn scaled(self, by: f64) -> Self {
        match self {
            Self::Within(low, high) => Self::Within(low * by, high * by),
            other => other,
        }
    }

    /// What stands before a value in words: `>= ` where it is at least that.
    #[must_use]
    pub const fn mark(self) -> &'static str {
        match self {
            Self::AtLeast => ">= ",
            Self::Unknown | Self::Within(..) => "",
        }
    }
}
