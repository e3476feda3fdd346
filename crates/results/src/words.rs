//! Numbers as people read them: thousands separated, three significant digits, MiB/s beside MB/s.
//! Every render uses these, so that a figure looks the same wherever it stands.

mod within;

use leadline_model::units::{Bytes, Nanos, fixed};
pub(crate) use within::{
    LARGE, distance, give_or_take, in_flight, in_flight_within, ios_within, level_within,
    mib_within, percent_within, rate_known, rate_within, rounded, rounded_mib, rounded_rate,
    rounded_span,
};
pub use within::{
    bytes_half_width, bytes_within, iops_within, rate_half_width, span_half_width, span_within,
};

/// A whole number with thousands separated: `1,234,567`.
#[must_use]
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A rate to three significant digits or more, thousands separated: `48,213`, `95.2`, `0.52`.
#[must_use]
pub fn rate(x: f64) -> String {
    match x {
        x if !x.is_finite() => "-".to_owned(),
        x if x >= 99.95 => thousands(whole(x)),
        x if x >= 9.995 => fixed(x, 1),
        x if x > 0.0 => fixed(x, 2),
        _ => "0".to_owned(),
    }
}

/// A rate that was asked for, as it was given: `4,875`, `1,234.5`. One with a fraction and more digits than people give was
/// computed, and is printed as [`rate`] prints it.
#[must_use]
pub fn rate_asked(x: f64) -> String {
    /// Digits after the point, and in all.
    const GIVEN: (usize, usize) = (3, 5);
    // A sum of rates has digits of its own far after the point.
    let digits = format!("{x:.6}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    match digits.split_once('.') {
        Some((whole, part))
            if x > 0.0 && part.len() <= GIVEN.0 && whole.len() + part.len() <= GIVEN.1 =>
        {
            format!("{}.{part}", thousands(whole.parse().unwrap_or_default()))
        }
        None if x.is_finite() => thousands(whole(x)),
        _ => rate(x),
    }
}

/// With numbers kept together with their units and their intervals where lines break.
#[must_use]
pub fn unbroken(text: &str) -> String {
    const UNITS: [&str; 13] = [
        "%", "KiB", "MiB", "GiB", "MiB/s", "MB/s", "ns", "us", "ms", "s", "IOPS", "I/Os", "min",
    ];
    let mut out = String::with_capacity(text.len());
    let (mut digit, mut bound) = (false, false);
    for (i, word) in text.split(' ').enumerate() {
        let bare = word.trim_matches(|c: char| "(),.;:".contains(c));
        if i > 0 {
            let joins = bound || (digit && UNITS.contains(&bare)) || bare.starts_with("+-");
            out.push(if joins { '\u{a0}' } else { ' ' });
        }
        out.push_str(word);
        digit = bare.ends_with(|c: char| c.is_ascii_digit());
        bound = matches!(bare, ">=" | "<=");
    }
    out
}

/// What `+-` means, where a sentence has it.
#[must_use]
pub fn legend(sentences: &[String]) -> Option<&'static str> {
    let any = sentences.iter().any(|s| s.contains("+-"));
    any.then_some(
        "+- is the distance to the farther end of the 95 % interval; +-~ means that the time series was too short to be \
         sure of it.",
    )
}

/// `1 host`, `3 hosts`.
#[must_use]
pub(crate) fn counted(count: &str, what: &str) -> String {
    let s = if count == "1" { "" } else { "s" };
    format!("{count} {what}{s}")
}

/// A size with the article that its number has in speech: `a 4 KiB`, `an 8 KiB`.
#[must_use]
pub fn with_article(bytes: u64) -> String {
    let size = Bytes(bytes).to_string();
    let number: String = size.chars().take_while(char::is_ascii_digit).collect();
    let article = match number.starts_with('8') || matches!(number.as_str(), "11" | "18") {
        true => "an",
        false => "a",
    };
    format!("{article} {size}")
}

/// A rate for a sentence: rounded to three significant digits (`48,200`).
#[must_use]
pub fn about(x: f64) -> String {
    rate(to_three_digits(x, f64::round))
}

/// The same of a rate that was reached, never above it: what is reported of it is true of it.
pub(crate) fn about_at_most(x: f64) -> String {
    rate(rounded_down(x))
}

/// The same of a rate that was not reached, never below it.
pub(crate) fn about_at_least(x: f64) -> String {
    rate(rounded_up(x))
}

/// What [`about_at_most`] prints, as a number.
pub(crate) fn rounded_down(x: f64) -> f64 {
    to_three_digits(x, |parts| (parts + ROUNDING).floor())
}

/// What [`about_at_least`] prints, as a number.
pub(crate) fn rounded_up(x: f64) -> f64 {
    to_three_digits(x, |parts| (parts - ROUNDING).ceil())
}

/// A rate that is a millionth of a digit off is that digit.
const ROUNDING: f64 = 1e-6;

fn to_three_digits(x: f64, to_whole: fn(f64) -> f64) -> f64 {
    to_digits(x, 3, to_whole)
}

/// Whole numbers of 100 and more with only N digits that are not 0.
fn to_digits(x: f64, digits: u32, to_whole: fn(f64) -> f64) -> f64 {
    if !x.is_finite() || x < 100.0 {
        return x;
    }
    let unit = 10_f64.powf((x.log10().floor() + 1.0 - f64::from(digits)).max(0.0));
    to_whole(x / unit) * unit
}

/// Bytes a second in MiB/s (2^20).
#[must_use]
pub fn mib_per_s(bytes: f64) -> String {
    rate(bytes / 1_048_576.0)
}

/// Bytes a second in MB/s (10^6).
#[must_use]
pub fn mb_per_s(bytes: f64) -> String {
    rate(bytes / 1e6)
}

/// Both units: `3,125 MiB/s (3,277 MB/s)`.
#[must_use]
pub fn both_per_s(bytes: f64) -> String {
    format!("{} MiB/s ({} MB/s)", mib_per_s(bytes), mb_per_s(bytes))
}

/// A span given in nanoseconds as a float.
#[must_use]
pub fn span(ns: f64) -> String {
    Nanos(whole(ns)).to_string()
}

/// How much of a mean latency of `mean_ns` nanoseconds at depth 1 is the shortest round trip to the volume; `None` if
/// there is none, or if it is longer than an I/O took. Where the rest was spent is not known.
pub(crate) fn round_trip_words(trip: Nanos, mean_ns: f64, what: &str) -> Option<String> {
    let share = trip.0 as f64 / mean_ns;
    (trip.0 > 0 && share <= 1.0).then(|| {
        format!(
            "The shortest round trip to the volume is {}, {:.0} % of the mean latency of {what}; the remaining {} are \
             spent in client and server.",
            span(trip.0 as f64),
            share * 100.0,
            span(mean_ns - trip.0 as f64),
        )
    })
}

/// `950`, `1.2k`, `48k`, `1.5M`.
#[must_use]
pub fn compact(value: f64) -> String {
    match value.abs() {
        v if v >= 999_500_000.0 => format!("{}G", trim_to(value / 1e9, 1)),
        v if v >= 999_500.0 => format!("{}M", trim_to(value / 1e6, 1)),
        v if v >= 999.5 => format!("{}k", trim_to(value / 1e3, 1)),
        v if v >= 10.0 => trim_to(value, 0),
        _ => trim_to(value, 2),
    }
}

/// With at most this many decimals, without trailing zeros.
#[must_use]
pub fn trim_to(value: f64, digits: usize) -> String {
    let text = fixed(value, digits);
    if text.contains('.') {
        let text = text.trim_end_matches('0').trim_end_matches('.');
        return if text == "-0" { "0" } else { text }.to_owned();
    }
    text
}

/// A mean number of I/Os in flight, at least one: below ten with one digit, else whole.
#[must_use]
pub fn in_flight_words(n: f64) -> String {
    match n.max(1.0) {
        few if few < 9.95 => trim_to(few, 1),
        many => thousands(whole(many)),
    }
}

/// Rounds to a whole number; negative and not-a-number become 0.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the range of u64 first"
)]
pub fn whole(x: f64) -> u64 {
    x.round().clamp(0.0, 1.8e19) as u64
}

/// The text of an error number, without the number.
#[must_use]
pub fn error_text(number: i32) -> String {
    let text = std::io::Error::from_raw_os_error(number).to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A volume of 312.5 MiB/s: its rate in a sentence, in a table, at a bar and at a tick of an axis.
    #[test]
    fn a_figure_is_rounded_in_one_way_wherever_it_stands() {
        for (value, text) in [
            (312.5, "313"),
            (314.5, "315"),
            (0.125, "0.13"),
            (12.25, "12.3"),
        ] {
            assert_eq!(rate(value), text);
        }
        for half in [100.5, 312.5, 313.5, 998.5] {
            assert_eq!(compact(half), rate(half));
            assert_eq!(trim_to(half, 0), rate(half));
            let nanos = Nanos(whole(half * 1e3)).to_string();
            assert_eq!(nanos, format!("{} us", rate(half)));
        }
    }

    #[test]
    fn a_few_in_flight_have_a_digit() {
        let each = [0.2, 1.0, 1.5, 9.94, 9.96, 215.3, 1234.0].map(in_flight_words);
        assert_eq!(each, ["1", "1", "1.5", "9.9", "10", "215", "1,234"]);
    }

    #[test]
    fn numbers_look_as_people_write_them() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(rate(48_213.4), "48,213");
        assert_eq!(rate(95.24), "95.2");
        assert_eq!(rate(0.516), "0.52");
        assert_eq!(rate(f64::NAN), "-");
        assert_eq!(about(48_213.4), "48,200");
        let asked = [
            4875.0,
            1234.5,
            0.1 + 0.2,
            4_827.517_32,
            1e6 / 3.0,
            12.0,
            0.25,
            7_886.175,
            0.125,
            f64::NAN,
        ];
        let words = [
            "4,875", "1,234.5", "0.3", "4,828", "333,333", "12", "0.25", "7,886", "0.125", "-",
        ];
        assert_eq!(asked.map(rate_asked), words);
        assert_eq!(about(999_999.0), "1,000,000");
        assert_eq!(both_per_s(1_048_576.0), "1.00 MiB/s (1.05 MB/s)");
    }

    #[test]
    fn a_rate_that_was_reached_is_rounded_down_and_one_that_was_not_up() {
        let both = |x: f64| (about_at_most(x), about(x), about_at_least(x));
        let words = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(both(17_359.0), words("17,300", "17,400", "17,400"));
        assert_eq!(both(17_606.0), words("17,600", "17,600", "17,700"));
        assert_eq!(both(10_000.0), words("10,000", "10,000", "10,000"));
        assert_eq!(both(9_999.999_999), words("10,000", "10,000", "10,000"));
        assert_eq!(both(359.6), words("359", "360", "360"));
        assert_eq!(both(42.21), words("42.2", "42.2", "42.2"));
    }

    #[test]
    fn a_figure_stays_on_its_line() {
        let text = unbroken("26,600 IOPS +-0.6 % (p99 >= 98.0 s), then more");
        let parts: Vec<&str> = text.split(' ').collect();
        let joined = [
            "26,600\u{a0}IOPS\u{a0}+-0.6\u{a0}%",
            "(p99",
            ">=\u{a0}98.0\u{a0}s),",
            "then",
            "more",
        ];
        assert_eq!(parts, joined);
    }
}
