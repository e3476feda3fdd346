//! Numbers as fio's text shows them: few significant digits and a prefix.

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

/// A rate in both worlds: `80.2MiB/s (84.1MB/s)`.
pub(super) fn both_rates(bytes_per_s: f64) -> String {
    format!(
        "{} ({})",
        binary_rate(bytes_per_s),
        decimal_rate(bytes_per_s)
    )
}

/// `80.2MiB/s`.
pub(super) fn binary_rate(bytes_per_s: f64) -> String {
    format!("{}B/s", short(whole(bytes_per_s), 4, Prefix::Binary))
}

/// `84.1MB/s`.
pub(super) fn decimal_rate(bytes_per_s: f64) -> String {
    format!("{}B/s", short(whole(bytes_per_s), 4, Prefix::Thousands))
}

/// The number without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and a cast saturates"
)]
pub(super) fn whole(value: f64) -> u64 {
    value as u64
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
