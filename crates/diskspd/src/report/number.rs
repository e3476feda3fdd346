//! Numbers as DISKSPD writes them.

/// A size: `64MiB` when it is exact, `1.60MiB` when not.
pub(super) fn size(bytes: u64) -> String {
    let (number, unit) = parts(bytes);
    format!("{number}{unit}")
}

/// The same in nine characters, units one below the other.
pub(super) fn size_column(bytes: u64) -> String {
    let (number, unit) = parts(bytes);
    format!("{number:>6}{unit:<3}")
}

fn parts(bytes: u64) -> (String, &'static str) {
    const UNITS: [&str; 5] = ["", "KiB", "MiB", "GiB", "TiB"];
    let power = (bytes.max(1).ilog2() / 10).min(4);
    let scale = 1_u64 << (10 * power);
    let unit = UNITS[power as usize];
    if bytes.is_multiple_of(scale) {
        ((bytes / scale).to_string(), unit)
    } else {
        (format!("{:.2}", bytes as f64 / scale as f64), unit)
    }
}

/// Nanoseconds in milliseconds with three decimals.
pub(super) fn ms(ns: f64) -> String {
    format!("{:.3}", ns / 1e6)
}

/// A count over a time, a second; 0 without time.
pub(super) fn rate(count: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { count / seconds } else { 0.0 }
}

/// Standard deviation of a population from count, sum and sum of squares; 0 below two.
pub(super) fn deviation(count: f64, sum: f64, squares: f64) -> f64 {
    if count < 2.0 {
        return 0.0;
    }
    let mean = sum / count;
    (squares / count - mean * mean).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_exact_or_have_two_decimals() {
        for (bytes, text) in [
            (0, "0"),
            (1023, "1023"),
            (1024, "1KiB"),
            (1536, "1.50KiB"),
            (64 << 20, "64MiB"),
            (1_677_721, "1.60MiB"),
            (200 << 30, "200GiB"),
            (3 << 40, "3TiB"),
            (5000 << 40, "5000TiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        assert_eq!(size_column(0), "     0   ");
        assert_eq!(size_column(1_677_721), "  1.60MiB");
        assert_eq!(size_column(16 << 20), "    16MiB");
    }

    #[test]
    fn deviations_are_those_of_a_population() {
        // 2 4 4 4 5 5 7 9
        assert!((deviation(8.0, 40.0, 232.0) - 2.0).abs() < 1e-12);
        assert_eq!(deviation(1.0, 3.0, 9.0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(rate(5.0, 0.0).to_bits(), 0.0_f64.to_bits());
    }
}
