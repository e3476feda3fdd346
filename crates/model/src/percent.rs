//! Shares of a whole.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A share of a whole, 0 to 100 percent, with four decimals: held as a whole number of millionths, so that shares
/// compare and add without rounding. Written and read as a number of percent (`83.14`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent(u32);

impl Percent {
    /// Nothing of it.
    pub const NONE: Self = Self(0);
    /// All of it.
    pub const ALL: Self = Self(Self::PARTS);
    /// Parts of the whole.
    pub const PARTS: u32 = 1_000_000;

    /// This many percent, at most all.
    #[must_use]
    pub const fn whole(percent: u8) -> Self {
        if percent >= 100 {
            Self::ALL
        } else {
            Self(percent as u32 * 10_000)
        }
    }

    /// The nearest share of this many percent: at least none, at most all.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and a million"
    )]
    pub fn nearest(percent: f64) -> Self {
        Self(
            (percent * 10_000.0)
                .round()
                .clamp(0.0, f64::from(Self::PARTS)) as u32,
        )
    }

    /// Millionths of the whole.
    #[must_use]
    pub const fn parts(self) -> u32 {
        self.0
    }

    /// What is left of the whole.
    #[must_use]
    pub const fn rest(self) -> Self {
        Self(Self::PARTS.saturating_sub(self.0))
    }

    /// Of a whole that is 1.
    #[must_use]
    pub fn of_one(self) -> f64 {
        f64::from(self.0) / f64::from(Self::PARTS)
    }

    /// Of a whole that is 100.
    #[must_use]
    pub fn of_100(self) -> f64 {
        f64::from(self.0) / 10_000.0
    }
}

impl fmt::Display for Percent {
    /// The number alone, as short as it is exact: `50`, `83.14`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.of_100())
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(self.of_100())
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let percent = f64::deserialize(from)?;
        if (0.0..=100.0).contains(&percent) {
            Ok(Self::nearest(percent))
        } else {
            let message = format!("a share of {percent} percent is not in 0 to 100");
            Err(serde::de::Error::custom(message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_keeps_its_fraction_and_its_limits() {
        assert_eq!(Percent::nearest(83.14).parts(), 831_400);
        assert_eq!(Percent::nearest(83.14).to_string(), "83.14");
        assert_eq!(Percent::nearest(83.14).rest().to_string(), "16.86");
        assert_eq!(Percent::whole(50), Percent::nearest(50.0));
        assert_eq!(Percent::nearest(0.1).to_string(), "0.1");
        assert_eq!(Percent::nearest(150.0), Percent::ALL);
        assert_eq!(Percent::whole(150), Percent::ALL);
        assert_eq!(Percent::nearest(-1.0), Percent::NONE);
        assert_eq!(Percent::nearest(f64::NAN), Percent::NONE);
    }

    #[test]
    fn every_share_survives_json() {
        for parts in (0..=Percent::PARTS).step_by(7) {
            let share = Percent(parts);
            let json = serde_json::to_string(&share).expect("a number");
            assert_eq!(
                serde_json::from_str::<Percent>(&json).expect("its own"),
                share
            );
        }
        assert_eq!(
            serde_json::from_str::<Percent>("70").expect("whole"),
            Percent::whole(70)
        );
        for wrong in ["-1", "100.1", "1e300", "null"] {
            assert!(serde_json::from_str::<Percent>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_share_is_one_of_several_wholes() {
        let share = Percent::nearest(12.5);
        assert!((share.of_one() - 0.125).abs() < 1e-12);
        assert!((share.of_100() - 12.5).abs() < 1e-12);
    }
}
