//! Quantities with their units, as several languages write them: times and rates.
//!
//! Belongs here: a text to a number in base units, or in words why not. Must never appear here: which option a value is of.

use leadline_model::units::{Nanos, whole};

/// A time with a unit; a bare number counts `bare` nanoseconds each, and is an error where that is 0.
///
/// # Errors
/// In words, what is wrong with it.
pub fn time(text: &str, bare: u64) -> Result<Nanos, String> {
    let lower = text.trim().to_ascii_lowercase();
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale: u64 = match &lower[digits.len()..] {
        "" if bare == 0 => return Err("the unit is missing; use us, ms or s".to_owned()),
        "" => bare,
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        other => {
            return Err(format!(
                "'{other}' is not a unit of time; use ns, us, ms, s, m or h"
            ));
        }
    };
    let wrong = || format!("'{digits}' is not a number, such as 5s, 0.5ms or 500ms");
    if let Ok(whole) = digits.parse::<u64>() {
        let nanos = whole.checked_mul(scale);
        return nanos
            .map(Nanos)
            .ok_or_else(|| "longer than 584 years".to_owned());
    }
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let nanos = number * scale as f64;
    if !number.is_finite() || nanos < 0.0 {
        return Err(wrong());
    }
    match nanos <= 1.8e19 {
        true => Ok(Nanos(whole(nanos))),
        false => Err("longer than 584 years".to_owned()),
    }
}

/// I/Os a second, above 0, with a decimal suffix: `500`, `78.3k`, `1.2M`.
///
/// # Errors
/// In words, what is wrong with it.
pub fn iops(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" => 1.0,
        "k" => 1e3,
        "m" => 1e6,
        other => {
            return Err(format!(
                "'{other}' is not a unit of IOPS; use k (1,000) or m (1,000,000)"
            ));
        }
    };
    positive(digits, "a number of IOPS, such as 500, 78.3k or 1.2m").map(|n| n * scale)
}

/// Bytes a second, above 0: `500MiB/s`, `1.2GB/s`; `/s` may be left out.
///
/// # Errors
/// In words, what is wrong with it.
pub fn bytes_per_s(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let short = text.strip_suffix("/s").unwrap_or(text);
    let digits = short.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match short[digits.len()..].to_ascii_lowercase().as_str() {
        "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "kib" => 1024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        other => {
            let said = if other.is_empty() {
                "the unit is missing".to_owned()
            } else {
                format!("'{other}' is not a unit of throughput")
            };
            return Err(format!(
                "{said}; use MiB/s (2^20) or MB/s (10^6), GiB/s or GB/s"
            ));
        }
    };
    positive(digits, "a throughput, such as 500MiB/s").map(|n| n * scale)
}

/// A number above 0 that is none of infinity.
fn positive(digits: &str, expected: &str) -> Result<f64, String> {
    let number: Option<f64> = digits.trim().parse().ok();
    match number.filter(|n| n.is_finite() && *n > 0.0 && *n <= 1e18) {
        Some(number) => Ok(number),
        None => Err(format!("'{}' is not {expected}", digits.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(time("0.5ms", 0), Ok(Nanos(500_000)));
        assert_eq!(time("250us", 0), Ok(Nanos(250_000)));
        assert_eq!(time("800ns", 0), Ok(Nanos(800)));
        assert_eq!(time("5", 1_000_000_000), Ok(Nanos::from_secs(5)));
        assert!(time("2", 0).is_err_and(|why| why.contains("unit is missing")));
        assert!(time("-1ms", 0).is_err() && time("nanms", 0).is_err());
    }

    #[test]
    fn rates_are_in_base_units() {
        let near = |found: Result<f64, String>, wanted: f64| {
            assert!(found.is_ok_and(|x| (x - wanted).abs() < 1e-6));
        };
        near(iops("500"), 500.0);
        near(iops("78.3k"), 78_300.0);
        near(iops("1.2M"), 1_200_000.0);
        near(bytes_per_s("1MiB/s"), 1_048_576.0);
        near(bytes_per_s("1.5GB"), 1.5e9);
        for (text, why) in [
            ("0", "is not a number"),
            ("1q", "not a unit"),
            ("infk", "is not"),
            ("", "is not"),
        ] {
            assert!(iops(text).is_err_and(|e| e.contains(why)), "{text}");
        }
        for (text, why) in [
            ("500", "missing"),
            ("1m", "not a unit"),
            ("-1MB/s", "is not"),
            ("nanMB", "not a unit"),
        ] {
            assert!(
                bytes_per_s(text).is_err_and(|e| e.contains(why)),
                "{text}: {:?}",
                bytes_per_s(text)
            );
        }
    }
}
