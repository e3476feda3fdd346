//! Numbers as fio's text shows them: few significant digits and a prefix.

use crate::original::Shown;
use leadline_model::units::whole;

/// Which prefixes, and what follows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// k, M, G: powers of 1000.
    Thousands,
    /// Ki, Mi, Gi: powers of 1024.
    Binary,
}

/// `number` in at most `digits` characters (a decimal point is one of them) and a prefix: 20.5k, 7968Ki.
/// Division stops as soon as the whole part fits.
pub(super) fn short(number: u64, digits: usize, prefix: Prefix) -> String {
    let (base, names) = match prefix {
        Prefix::Thousands => (1000.0, ["", "k", "M", "G", "T", "P"]),
        Prefix::Binary => (1024.0, ["", "Ki", "Mi", "Gi", "Ti", "Pi"]),
    };
    let mut value = number as f64;
    let mut step = 0;
    let whole_digits = |value: f64| format!("{:.0}", value.trunc()).len();
    while whole_digits(value) > digits && step + 1 < names.len() {
        value /= base;
        step += 1;
    }
    let room = digits.saturating_sub(whole_digits(value) + 1);
    let decimals = if step == 0 { 0 } else { room };
    format!("{value:.decimals$}{}", names[step])
}

/// How rates and amounts are written, by the user's choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Significant digits.
    pub(super) digits: usize,
    /// Powers of 1000 first, those of 1024 in parentheses.
    decimal_first: bool,
    /// Rates in bits.
    bits: bool,
}

impl Style {
    /// What the workload asks for.
    pub(super) fn of(shown: &Shown) -> Self {
        Self {
            digits: usize::from(shown.significant_figures),
            decimal_first: shown.kb_base == 1000,
            bits: shown.unit_base == 1,
        }
    }

    /// The prefixes in the order they are written.
    pub(super) const fn prefixes(self) -> [Prefix; 2] {
        if self.decimal_first {
            [Prefix::Thousands, Prefix::Binary]
        } else {
            [Prefix::Binary, Prefix::Thousands]
        }
    }

    /// One rate with one kind of prefix: `80.2MiB/s`.
    pub(super) fn rate(self, bytes_per_s: f64, prefix: Prefix) -> String {
        let (scale, unit) = if self.bits {
            (8.0, "bit/s")
        } else {
            (1.0, "B/s")
        };
        short(whole(bytes_per_s * scale), self.digits, prefix) + unit
    }

    /// A rate in both worlds: `80.2MiB/s (84.1MB/s)`.
    pub(super) fn rates(self, bytes_per_s: f64) -> String {
        let [first, second] = self.prefixes().map(|p| self.rate(bytes_per_s, p));
        format!("{first} ({second})")
    }

    /// An amount of bytes: `7968KiB`.
    pub(super) fn amount(self, bytes: u64, prefix: Prefix) -> String {
        short(bytes, self.digits, prefix) + "B"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_short_as_fio_makes_them() {
        let t = |n| short(n, 4, Prefix::Thousands);
        let b = |n| short(n, 4, Prefix::Binary);
        assert_eq!(
            (t(999), t(1234), t(20_537), t(256_000)),
            ("999".into(), "1234".into(), "20.5k".into(), "256k".into())
        );
        assert_eq!(
            (t(1_234_567), t(8_159_232)),
            ("1235k".into(), "8159k".into())
        );
        assert_eq!(
            (b(8_159_232), b(145_000_000)),
            ("7968Ki".into(), "138Mi".into())
        );
        assert_eq!(b(84_094_976), "80.2Mi");
        assert_eq!(t(84_094_976), "84.1M");
        assert_eq!(short(5_682_937, 6, Prefix::Thousands), "5682.9k");
        assert_eq!(short(288_150, 6, Prefix::Thousands), "288150");
    }
}
