//! A figure with its interval, as printed. One rule for sentences, tables and tiles: what stands after `+-` is the distance from
//! the figure that is *shown* to the farther end of its interval, so that what was measured never lies outside of what is
//! printed; and a sentence gives a figure as many digits as its interval deserves.

use super::{about, fixed, mib_per_s, rate, span, thousands, to_digits, trim_to, whole};
use crate::stats::Interval;

/// The shortest interval that is printed with its own figure, as a share: below it stands `<0.1 %`.
const LEAST_SHOWN: f64 = 0.0005;

/// The uncertainty of a figure as a share of it: `1.2 %`, with `~` in front where the run was too short to say.
fn share_text(interval: &Interval) -> String {
    let doubt = if interval.settled { "" } else { "~" };
    match 100.0 * interval.reach() {
        x if x < 0.05 => format!("{doubt}<0.1 %"),
        x if x < 9.95 => format!("{doubt}{} %", fixed(x, 1)),
        // Whether it may be wider still says nothing.
        x if x >= 100.0 => ">100 %".to_owned(),
        x => format!("{doubt}{} %", fixed(x, 0)),
    }
}

/// The interval around what is shown of its value.
fn around(shown: f64, known: &Interval) -> Interval {
    match shown {
        // Too little to be shown: the distance is that from what was measured.
        0.0 => *known,
        value => Interval { value, ..*known },
    }
}

/// The distance from what is shown to the farther end of an interval, in one unit: `1.2 %`.
pub(crate) fn distance(shown: f64, known: &Interval) -> String {
    share_text(&around(shown, known))
}

/// The same of I/Os a second as [`rate`] prints them.
#[must_use]
pub fn rate_half_width(known: &Interval) -> String {
    distance(rounded_rate(known.value), known)
}

/// The same of bytes a second as [`mib_per_s`] prints them.
#[must_use]
pub fn bytes_half_width(known: &Interval) -> String {
    distance(rounded_mib(known.value), known)
}

/// The same of latencies and other spans in nanoseconds as [`span`] prints them.
#[must_use]
pub fn span_half_width(known: &Interval) -> String {
    distance(rounded_span(known.value), known)
}

/// What [`rate`] prints, as a number.
pub(crate) fn rounded_rate(x: f64) -> f64 {
    match x {
        x if x >= 99.95 => x.round(),
        x if x >= 9.995 => rounded(x, 1),
        x if x > 0.0 => rounded(x, 2),
        x => x,
    }
}

/// What [`mib_per_s`] prints, in bytes a second.
pub(crate) fn rounded_mib(bytes: f64) -> f64 {
    rounded_rate(bytes / MIB) * MIB
}

/// What [`span`] prints, in nanoseconds.
pub(crate) fn rounded_span(ns: f64) -> f64 {
    match ns.abs() {
        x if x < 1e3 => ns.round(),
        x => to_digits(x, 3, f64::round).copysign(ns),
    }
}

/// With this many decimals.
pub(crate) fn rounded(x: f64, decimals: u8) -> f64 {
    let unit = 10_f64.powi(decimals.into());
    (x * unit).round() / unit
}

const MIB: f64 = 1_048_576.0;

/// A text with the uncertainty of the figure in it: `26,600 IOPS +-0.6 %`, or `0.30 IOPS (+-100 % or more)`; alone where no
/// interval is known. `shown` is the number that the text says, in the interval's unit.
#[must_use]
pub(crate) fn give_or_take(text: &str, shown: f64, known: &Interval) -> String {
    match known.is_known() {
        true if around(shown, known).reach() >= 1.0 => format!("{text} (+-100 % or more)"),
        true => format!("{text} +-{}", distance(shown, known)),
        false => text.to_owned(),
    }
}

/// I/Os a second for a sentence, with their interval.
#[must_use]
pub fn iops_within(known: &Interval) -> String {
    let shown = digits_of(known.value, known);
    with_ends(
        &format!("{} IOPS", rate(shown)),
        shown,
        known,
        about,
        " IOPS",
    )
}

/// A level that was held for a time, in these words; one that lasted for too few slices has no interval, which is said.
pub(crate) fn level_within(level: &Interval, words: fn(&Interval) -> String) -> String {
    let none = if level.is_known() {
        ""
    } else {
        " (no interval: too short)"
    };
    format!("{}{none}", words(level))
}

/// The digits of that alone.
pub(crate) fn rate_known(known: &Interval) -> String {
    rate(digits_of(known.value, known))
}

/// The same without its unit.
pub(crate) fn rate_within(known: &Interval) -> String {
    let shown = digits_of(known.value, known);
    give_or_take(&rate(shown), rounded_rate(shown), known)
}

/// A rate to three digits, or to as many that what is shown differs from it by no more than half its interval: 15,360 of
/// +-0.05 % is not 15,400.
fn digits_of(x: f64, known: &Interval) -> f64 {
    if !known.is_known() || !x.is_finite() || x < 100.0 {
        return rounded_rate(to_digits(x, 3, f64::round));
    }
    let digits = (3..=6).map(|digits| to_digits(x, digits, f64::round));
    let close = digits.into_iter().find(|shown| is_close(*shown, x, known));
    rounded_rate(close.unwrap_or(x))
}

/// Whether what is shown differs from a figure by no more than half its interval.
fn is_close(shown: f64, x: f64, known: &Interval) -> bool {
    (shown - x).abs() <= x * known.reach().max(LEAST_SHOWN) / 2.0
}

/// A rate of bytes in one unit, with one decimal more where its interval deserves that: its text and what that says.
fn per_s(x: f64, known: &Interval) -> (String, f64) {
    let is_exact =
        known.is_known() && (99.95..1000.0).contains(&x) && !is_close(x.round(), x, known);
    match is_exact {
        true => (fixed(x, 1), rounded(x, 1)),
        false => (rate(x), rounded_rate(x)),
    }
}

/// A rate of I/Os of this block size for a sentence, with their interval: large ones are counted in bytes first.
#[must_use]
pub(crate) fn ios_within(known: &Interval, block: u64) -> String {
    if block < LARGE {
        return iops_within(known);
    }
    let bytes = known.scaled(block as f64);
    let (mib, shown) = per_s(bytes.value / MIB, &bytes);
    let text = format!("{mib} MiB/s ({} IOPS)", rate(digits_of(known.value, known)));
    with_ends(&text, shown * MIB, &bytes, mib_per_s, " MiB/s")
}

/// I/Os of this size in bytes or more are about throughput; smaller ones about IOPS.
pub(crate) const LARGE: u64 = 64 << 10;

/// Bytes a second for a sentence, with their interval.
#[must_use]
pub fn bytes_within(known: &Interval) -> String {
    let (mib, shown) = per_s(known.value / MIB, known);
    let (mb, _) = per_s(known.value / 1e6, known);
    let text = format!("{mib} MiB/s ({mb} MB/s)");
    with_ends(&text, shown * MIB, known, mib_per_s, " MiB/s")
}

/// Bytes a second for a sentence in one unit, with their interval.
pub(crate) fn mib_within(known: &Interval) -> String {
    let (mib, shown) = per_s(known.value / MIB, known);
    let text = format!("{mib} MiB/s");
    with_ends(&text, shown * MIB, known, mib_per_s, " MiB/s")
}

/// Nanoseconds for a sentence, with their interval.
#[must_use]
pub fn span_within(known: &Interval) -> String {
    let shown = rounded_span(known.value);
    with_ends(&span(known.value), shown, known, span, "")
}

/// I/Os in flight for a sentence, with their interval; one where they are fewer.
pub(crate) fn in_flight_within(known: &Interval) -> String {
    let (text, shown) = in_flight(known);
    match known.value < 1.0 {
        true => text,
        false => give_or_take(&text, shown, known),
    }
}

/// I/Os in flight, at least one: below ten with one digit, and above where their interval deserves it. The text and what it
/// says.
pub(crate) fn in_flight(known: &Interval) -> (String, f64) {
    let n = known.value.max(1.0);
    match deserved(n, if n < 9.95 { 1 } else { 0 }, known) {
        0 => (thousands(whole(n)), n.round()),
        decimals => (trim_to(n, decimals.into()), rounded(n, decimals)),
    }
}

/// A share for a sentence, with its interval: in whole percent, and with a decimal where that deserves it.
pub(crate) fn percent_within(share: &Interval) -> String {
    let known = share.scaled(100.0);
    let decimals = deserved(known.value, 0, &known);
    let text = format!("{} %", trim_to(known.value, decimals.into()));
    give_or_take(&text, rounded(known.value, decimals), &known)
}

/// Decimals of a figure: these, or one more where what they show differs from it by more than half its interval; three digits
/// are enough.
fn deserved(x: f64, decimals: u8, known: &Interval) -> u8 {
    let is_exact = known.is_known() && !is_close(rounded(x, decimals), x, known);
    match is_exact && x < 99.95 {
        true => decimals + 1,
        false => decimals,
    }
}

/// A figure (`text`, which says `shown`) with the distance to the farther end of its interval, or with both ends in one unit
/// where one of them may be several times the figure. They go into the figure's own brackets where it has some.
fn with_ends(
    text: &str,
    shown: f64,
    known: &Interval,
    end: impl Fn(f64) -> String,
    unit: &str,
) -> String {
    if !known.is_known() || around(shown, known).reach() < 1.0 {
        return give_or_take(text, shown, known);
    }
    let [low, high] = [known.low, known.high].map(|x| end(x.max(0.0)));
    match text.strip_suffix(')') {
        Some(open) => format!("{open}; {low} to {high}{unit})"),
        None => format!("{text} ({low} to {high}{unit})"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::legend;
    use super::*;

    fn narrow(value: f64, share: f64) -> Interval {
        Interval {
            value,
            low: value * (1.0 - share),
            high: value * (1.0 + share),
            settled: true,
        }
    }

    /// Measured 15,360 with an interval of less than 0.1 %: 15,400 would be outside of it. And measured 10,653 of 4.9 %, shown
    /// as 10,700: its lower end is 5.3 % below what is shown.
    #[test]
    fn what_is_shown_lies_within_its_interval() {
        for (value, share, text) in [
            (15_360.0, 0.0002, "15,360 IOPS +-<0.1 %"),
            (15_360.0, 0.004, "15,360 IOPS +-0.4 %"),
            (15_360.0, 0.006, "15,400 IOPS +-0.9 %"),
            (32_005.0, 0.0001, "32,000 IOPS +-<0.1 %"),
            (1_234_567.0, 0.0001, "1,234,600 IOPS +-<0.1 %"),
            (10_653.0, 0.049, "10,700 IOPS +-5.3 %"),
            (95.24, 0.0001, "95.2 IOPS +-0.1 %"),
        ] {
            assert_eq!(iops_within(&narrow(value, share)), text);
        }
        for (value, share, text) in [
            (131.6, 0.0002, "131.6 MiB/s (138 MB/s) +-<0.1 %"),
            (131.6, 0.02, "132 MiB/s (138 MB/s) +-2.3 %"),
        ] {
            assert_eq!(bytes_within(&narrow(value * MIB, share)), text);
        }
        // Latencies have three digits everywhere.
        assert_eq!(span_within(&narrow(1_041_700.0, 0.0002)), "1.04 ms +-0.2 %");
        assert_eq!(span_half_width(&narrow(1_041_700.0, 0.0002)), "0.2 %");
        assert_eq!(span_within(&narrow(300_000.0, 0.0002)), "300 us +-<0.1 %");
        assert_eq!(span_within(&narrow(812.4, 0.001)), "812 ns +-0.1 %");
        // In tables, with the digits that stand there.
        assert_eq!(rate_half_width(&narrow(312.5, 0.001)), "0.3 %");
        assert_eq!(bytes_half_width(&narrow(312.5 * MIB, 0.001)), "0.3 %");
        assert_eq!(rate_half_width(&narrow(15_360.4, 0.001)), "0.1 %");
        for (value, share, text) in [
            (15.6, 0.0002, "15.6 +-<0.1 %"),
            (15.6, 0.06, "16 +-8.4 %"),
            (4.12, 0.001, "4.12 +-0.1 %"),
            (4.14, 0.03, "4.1 +-4.0 %"),
            (4.0, 0.001, "4 +-0.1 %"),
            (0.4, 0.1, "1"),
        ] {
            assert_eq!(in_flight_within(&narrow(value, share)), text);
        }
    }

    /// Any figure, any interval: both ends of what was measured are within what is printed (to the digits of the distance).
    #[test]
    fn the_interval_as_printed_holds_the_one_that_was_measured() {
        for step in 0..4000 {
            let value = 10_f64.powf(f64::from(step) / 800.0 + 1.0);
            for share in [0.0001, 0.0012, 0.013, 0.049, 0.2] {
                let known = narrow(value, share);
                let said = rate_within(&known);
                let (shown, distance) = said.split_once(" +-").expect("both");
                let shown: f64 = shown.replace(',', "").parse().expect("a number");
                let percent: f64 = distance
                    .trim_start_matches('<')
                    .trim_end_matches(" %")
                    .parse()
                    .expect("percent");
                let digit = if percent < 9.95 { 0.0501 } else { 0.501 };
                let reach = shown * (percent + digit) / 100.0;
                assert!(
                    shown - reach <= known.low && known.high <= shown + reach,
                    "{said} of {known:?}"
                );
            }
        }
    }

    #[test]
    fn wide_intervals_have_their_ends() {
        let wide = |value, low, high| Interval {
            value,
            low,
            high,
            settled: true,
        };
        assert_eq!(span_within(&wide(200e3, 190e3, 210e3)), "200 us +-5.0 %");
        let ends = span_within(&wide(201e3, 20e3, 40e6));
        assert_eq!(ends, "201 us (20.0 us to 40.0 ms)");
        assert_eq!(
            iops_within(&wide(10.0, -5.0, 25.0)),
            "10.0 IOPS (0 to 25.0 IOPS)"
        );
        // The second unit is said once.
        assert_eq!(
            bytes_within(&wide(0.06 * MIB, -MIB, 0.15 * MIB)),
            "0.06 MiB/s (0.06 MB/s; 0 to 0.15 MiB/s)"
        );
        assert_eq!(
            ios_within(&wide(10.0, 1.0, 30.0), 1 << 20),
            "10.0 MiB/s (10.0 IOPS; 1.00 to 30.0 MiB/s)"
        );
        let doubtful = give_or_take("0.3", 0.3, &wide(0.3, 0.0, 0.9));
        assert_eq!(doubtful, "0.3 (+-100 % or more)");
        assert!(legend(&[doubtful]).is_some());
        assert_eq!(span_half_width(&wide(201e3, 20e3, 80e6)), ">100 %");
        // 300 us in a bucket of 1.2 us: half the width would exclude it.
        assert_eq!(
            span_half_width(&wide(301_000.0, 300_000.0, 301_200.0)),
            "0.3 %"
        );
    }
}
