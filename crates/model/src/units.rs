//! Units: bytes and nanoseconds. Values inside are always bytes and nanoseconds;
//! formatting for people happens at the edge, here.

pub use crate::percent::Percent;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A number without its fraction; 0 for what is negative or no number, and the largest there is for what is larger.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
pub const fn whole(value: f64) -> u64 {
    value as u64
}

/// A number with this many decimals, halves away from zero. `format!` rounds a half to the even digit: one figure would be
/// 312 where that prints it, and 313 where it was rounded before.
#[must_use]
pub fn fixed(value: f64, digits: usize) -> String {
    /// Digits that show whether a value is exactly a half, or only next to one.
    const BEYOND: usize = 20;
    let all = format!("{value:.*}", digits + BEYOND);
    let tail = all.get(all.len().saturating_sub(BEYOND)..);
    let is_half = tail.is_some_and(|tail| {
        tail.strip_prefix('5')
            .is_some_and(|rest| rest.chars().all(|c| c == '0'))
    });
    let value = match (is_half, value < 0.0) {
        (true, true) => value.next_down(),
        (true, false) => value.next_up(),
        (false, _) => value,
    };
    format!("{value:.digits$}")
}

/// `1 host`, `3 hosts`: a number of things, by the word for one of them.
#[must_use]
pub fn number_of(count: u64, one: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {one}{s}")
}

/// A span of time, or a point in time counted from the start of the run, in nanoseconds.
/// Range: 0 to 584 years.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// No time.
    pub const ZERO: Self = Self(0);
    /// One second.
    pub const SECOND: Self = Self(1_000_000_000);

    /// `n` seconds, saturating.
    #[must_use]
    pub const fn from_secs(n: u64) -> Self {
        Self(n.saturating_mul(1_000_000_000))
    }

    /// `n` milliseconds, saturating.
    #[must_use]
    pub const fn from_millis(n: u64) -> Self {
        Self(n.saturating_mul(1_000_000))
    }

    /// `n` microseconds, saturating.
    #[must_use]
    pub const fn from_micros(n: u64) -> Self {
        Self(n.saturating_mul(1_000))
    }

    /// The span in seconds.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Whole milliseconds, rounded down.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }

    /// `self - other`, or zero when `other` is later.
    #[must_use]
    pub const fn since(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Nanos {
    /// Three significant digits with the unit that fits: `870 ns`, `1.23 ms`, `12.4 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0 as f64;
        // From where three digits round to 1000 the next unit fits: `1.00 ms` and not `1000 us`.
        let (value, unit) = match self.0 {
            0..1_000 => return write!(f, "{} ns", self.0),
            1_000..999_500 => (ns / 1e3, "us"),
            999_500..999_500_000 => (ns / 1e6, "ms"),
            _ => (ns / 1e9, "s"),
        };
        match value {
            v if v < 9.995 => write!(f, "{} {unit}", fixed(v, 2)),
            v if v < 99.95 => write!(f, "{} {unit}", fixed(v, 1)),
            v => write!(f, "{} {unit}", fixed(v, 0)),
        }
    }
}

/// A number of bytes, printed with binary units (`64 KiB`, `1.5 GiB`).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    /// Bytes in a KiB.
    pub const KIB: u64 = 1 << 10;
    /// Bytes in a MiB.
    pub const MIB: u64 = 1 << 20;
    /// Bytes in a GiB.
    pub const GIB: u64 = 1 << 30;
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        if self.0 < 1024 {
            return write!(f, "{} B", self.0);
        }
        let mut value = self.0 as f64 / 1024.0;
        let mut unit = 0;
        // No number of 64 bits has 1024 of the last unit.
        while value >= 1024.0 {
            value /= 1024.0;
            unit += 1;
        }
        if value.fract().abs() < 1e-9 {
            write!(f, "{value:.0} {}", UNITS[unit])
        } else {
            write!(f, "{} {}", fixed(value, 2), UNITS[unit])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_away_from_zero_and_nothing_else_moves() {
        for (value, digits, text) in [
            (312.5, 0, "313"),
            (313.5, 0, "314"),
            (-0.5, 0, "-1"),
            (0.125, 2, "0.13"),
            (0.375, 2, "0.38"),
            // Next to a half, not one: 4.35 is stored as 4.3499...
            (4.35, 1, "4.3"),
            (1.005, 2, "1.00"),
            (0.0, 1, "0.0"),
            (1e15 + 0.5, 0, "1000000000000001"),
        ] {
            assert_eq!(fixed(value, digits), text, "{value}");
        }
        assert_eq!(fixed(f64::INFINITY, 1), "inf");
        assert_eq!(Nanos(312_500).to_string(), "313 us");
    }

    #[test]
    fn one_of_a_thing_has_no_plural() {
        let hosts = [0, 1, 2, 21].map(|count| number_of(count, "host"));
        assert_eq!(hosts, ["0 hosts", "1 host", "2 hosts", "21 hosts"]);
    }

    #[test]
    fn units_print_as_people_write_them() {
        assert_eq!(Nanos(870).to_string(), "870 ns");
        assert_eq!(Nanos(1_234_567).to_string(), "1.23 ms");
        assert_eq!(Nanos::from_secs(12).to_string(), "12.0 s");
        assert_eq!(Bytes(512).to_string(), "512 B");
        assert_eq!(Bytes(1023).to_string(), "1023 B");
        assert_eq!(Bytes(1024).to_string(), "1 KiB");
        assert_eq!(Bytes(1 << 20).to_string(), "1 MiB");
        assert_eq!(Bytes(65536).to_string(), "64 KiB");
        assert_eq!(Bytes(3 * Bytes::GIB / 2).to_string(), "1.50 GiB");
        assert_eq!(Bytes(u64::MAX).to_string(), "16 EiB");
        for (power, said) in [(40, "1 TiB"), (50, "1 PiB"), (60, "1 EiB"), (63, "8 EiB")] {
            assert_eq!(Bytes(1 << power).to_string(), said);
        }
    }

    #[test]
    fn spans_are_the_same_in_each_unit() {
        assert_eq!(Nanos::from_secs(3), Nanos(3_000_000_000));
        assert_eq!(Nanos::from_millis(3_000), Nanos::from_secs(3));
        assert_eq!(Nanos::from_micros(3_000), Nanos::from_millis(3));
        assert_eq!(Nanos::from_secs(u64::MAX), Nanos(u64::MAX));
        assert!((Nanos(2_500_000_000).as_secs_f64() - 2.5).abs() < 1e-12);
        assert_eq!(Nanos(2_999_999).as_millis(), 2);
        assert_eq!(Nanos(7).since(Nanos(3)), Nanos(4));
        assert_eq!(Nanos(3).since(Nanos(7)), Nanos::ZERO);
    }

    #[test]
    fn a_number_without_its_fraction_is_between_nothing_and_the_largest() {
        for (value, number) in [
            (2.99, 2),
            (-3.0, 0),
            (f64::NAN, 0),
            (1e30, u64::MAX),
            (f64::INFINITY, u64::MAX),
        ] {
            assert_eq!(whole(value), number, "{value}");
        }
    }

    #[test]
    fn times_have_three_digits_on_both_sides_of_each_unit() {
        for (ns, said) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1000, "1.00 us"),
            (9_990, "9.99 us"),
            (10_000, "10.0 us"),
            (10_500, "10.5 us"),
            (99_900, "99.9 us"),
            (100_000, "100 us"),
            (999_000, "999 us"),
            (1_000_000, "1.00 ms"),
            (999_000_000, "999 ms"),
            (999_499, "999 us"),
            (999_500, "1.00 ms"),
            (9_994, "9.99 us"),
            (9_995, "10.0 us"),
            (99_949, "99.9 us"),
            (99_950, "100 us"),
            (999_500_000, "1.00 s"),
            (1_000_000_000, "1.00 s"),
        ] {
            assert_eq!(Nanos(ns).to_string(), said);
        }
    }
}
