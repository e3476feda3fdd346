//! Numbers for people.
//!
//! Belongs here: how a number is written. Must never appear here: what it is a number of.

use crate::row::{GIB, TIB};

/// With separators, and two decimals where it is not whole: `4,499.84`, `12,800`, `6.25`.
pub(crate) fn grouped(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let (whole, rest) = match text.split_once('.') {
        Some((whole, rest)) => (whole, format!(".{rest}")),
        None => (text, String::new()),
    };
    let (sign, digits) = match whole.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", whole),
    };
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    format!("{sign}{shown}{rest}")
}

/// Bytes as TiB or GiB with up to four decimals: `70.31 TiB`, `35.1563 TiB`, `100 GiB`.
pub(crate) fn sized(bytes: f64) -> String {
    let (value, unit) = in_unit(bytes);
    of_unit(value, unit)
}

/// The same of what has to be enough: its last decimal is rounded up, `35.1563 TiB` for 35.15625.
pub(crate) fn sized_up(bytes: f64) -> String {
    let (value, unit) = in_unit(bytes);
    // 70.3125 that arithmetic made 70.31250000000001 stays.
    of_unit((value * 1e4 - 1e-6).ceil() / 1e4, unit)
}

fn in_unit(bytes: f64) -> (f64, &'static str) {
    match bytes {
        bytes if bytes >= TIB => (bytes / TIB, "TiB"),
        bytes => (bytes / GIB, "GiB"),
    }
}

fn of_unit(value: f64, unit: &str) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_do() {
        assert_eq!(grouped(4499.84), "4,499.84");
        assert_eq!(grouped(12800.0), "12,800");
        assert_eq!(grouped(5_400_000.0), "5,400,000");
        assert_eq!(grouped(6.25), "6.25");
        assert_eq!(grouped(-0.5), "-0.5");
        assert_eq!(sized(70.3125 * TIB), "70.3125 TiB");
        assert_eq!(sized(100.0 * GIB), "100 GiB");
        for (tib, shown) in [
            (35.15625, "35.1563 TiB"),
            (7.03125, "7.0313 TiB"),
            (70.3125, "70.3125 TiB"),
            (281.25, "281.25 TiB"),
            (0.1, "102.4 GiB"),
        ] {
            assert_eq!(sized_up(tib * TIB), shown, "{tib}");
        }
    }
}
