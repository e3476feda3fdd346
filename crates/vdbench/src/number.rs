//! Numbers of Vdbench: binary units, fractions, percentages, times, and numbers shown again.
//!
//! Belongs here: text to number and back. Must never appear here: which keyword takes which number.

pub(crate) use leadline_model::units::whole;

/// Which units a number may carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// `k`, `m`, `g`, `t` and the same with a `b`: powers of 1024. Also `%`.
    Binary,
    /// Seconds; `m` and `h` are minutes and hours.
    Time,
    /// Microseconds; `m` and `s` are milliseconds and seconds.
    Micros,
}

/// A number as it was given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    /// Its value, units applied; finite. Never negative.
    pub(crate) value: f64,
    /// It was `n%`, or negative, which Vdbench takes for the same.
    pub(crate) percent: bool,
}

/// Largest number that is read, above any size and below where a double leaves out integers that
/// matter.
const LARGEST: f64 = 9.2e18;

/// Reads a number, or `None` when the text is none.
pub(crate) fn number(text: &str, unit: Unit) -> Option<Number> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let end = digits
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if !digits.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let base: f64 = digits.parse().ok()?;
    let suffix = suffix.to_ascii_lowercase();
    let percent = negative || (unit == Unit::Binary && suffix == "%");
    let factor = if suffix == "%" && percent {
        1.0
    } else {
        factor(&suffix, unit)?
    };
    let value = base * factor;
    (value <= LARGEST).then_some(Number { value, percent })
}

fn factor(suffix: &str, unit: Unit) -> Option<f64> {
    const KIB: f64 = 1024.0;
    Some(match (unit, suffix) {
        (_, "") | (Unit::Time, "s") | (Unit::Micros, "u" | "us") => 1.0,
        (Unit::Binary, "k" | "kb") => KIB,
        (Unit::Binary, "m" | "mb") => KIB * KIB,
        (Unit::Binary, "g" | "gb") => KIB * KIB * KIB,
        (Unit::Binary, "t" | "tb") => KIB * KIB * KIB * KIB,
        (Unit::Time, "m") => 60.0,
        (Unit::Time, "h") => 3600.0,
        (Unit::Micros, "m" | "ms") => 1e3,
        (Unit::Micros, "s") => 1e6,
        _ => return None,
    })
}

/// The whole number at or below, at most what 32 bits hold.
pub(crate) fn small(value: f64) -> u32 {
    u32::try_from(whole(value)).unwrap_or(u32::MAX)
}

/// A number as the shortest text: `33.3`, `100`.
pub(crate) fn shown(value: f64) -> String {
    format!("{value}")
}

/// A size as Vdbench shows it: `4k`, `1.500k`, `1m`, `1000`.
pub(crate) fn shown_size(value: f64) -> String {
    let bytes = whole(value);
    for (shift, suffix) in [(40, "t"), (30, "g"), (20, "m"), (10, "k")] {
        let unit = 1u64 << shift;
        if bytes >= unit {
            let parts = format!("{:.3}", bytes as f64 / unit as f64);
            return format!("{}{suffix}", parts.trim_end_matches(".000"));
        }
    }
    bytes.to_string()
}

/// A rate as Vdbench shows it: a whole number.
pub(crate) fn shown_rate(rate: f64) -> String {
    format!("{:.0}", rate.round())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_binary_and_times_have_their_own() {
        let value = |text, unit| number(text, unit).map(|n| n.value);
        assert_eq!(value("693g", Unit::Binary), Some(744_103_084_032.0));
        assert_eq!(value("1.5m", Unit::Binary), Some(1_572_864.0));
        assert_eq!(value(".5k", Unit::Binary), Some(512.0));
        assert_eq!(value("10mb", Unit::Binary), value("10M", Unit::Binary));
        assert_eq!(value("5m", Unit::Time), Some(300.0));
        assert_eq!(value("2h", Unit::Time), Some(7200.0));
        assert_eq!(value("2m", Unit::Micros), Some(2000.0));
        for wrong in ["", ".", "1p", "k", "1.2.3", "1kk", "--1", "1e3", "9999999t"] {
            assert_eq!(number(wrong, Unit::Binary), None, "{wrong}");
        }
    }

    #[test]
    fn a_negative_number_is_a_percentage() {
        let one = Number {
            value: 1.0,
            percent: true,
        };
        assert_eq!(number("-1", Unit::Binary), Some(one));
        assert_eq!(number("1%", Unit::Binary), Some(one));
    }

    #[test]
    fn sizes_are_shown_in_the_largest_unit() {
        let sizes = [4096.0, 1000.0, 65536.0, 1_572_864.0, 1_048_577.0, 0.0];
        let texts = sizes.map(shown_size);
        assert_eq!(texts, ["4k", "1000", "64k", "1.500m", "1m", "0"]);
    }
}
