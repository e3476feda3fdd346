//! Numbers and times as fio reads them, including what it reads wrongly: a value is taken from the
//! front of the text and the rest, when it is no unit, is ignored. What was ignored is reported.
//!
//! Belongs here: the law of one number. Must never appear here: lists of numbers, options.

/// Unit of a bare number that means a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Microseconds.
    Micros,
}

/// Something to be said about a number, with the bytes of the text it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    /// Stable name.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: String,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// A number with its unit applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) value: i64,
    /// A `%` followed.
    pub(crate) percent: bool,
    /// A `z` followed: a number of zones.
    pub(crate) zones: bool,
    pub(crate) remarks: Vec<Remark>,
}

/// Why a text is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// It does not start with one.
    NotANumber,
    /// It does not fit into 63 bits.
    TooLarge,
}

/// The digits at the front of a text: value and length in bytes.
fn digits(text: &str) -> Result<(i64, usize), Bad> {
    let blanks = text.len() - text.trim_start().len();
    let body = &text[blanks..];
    let sign = usize::from(body.starts_with(['+', '-']));
    let unsigned = &body[sign..];
    let hex = unsigned.starts_with("0x") || unsigned.starts_with("0X");
    let (radix, skip) = if hex { (16, 2) } else { (10, 0) };
    let number: String = unsigned[skip..]
        .chars()
        .take_while(|c| c.is_digit(radix))
        .collect();
    if number.is_empty() {
        return Err(Bad::NotANumber);
    }
    let value = i64::from_str_radix(&number, radix).map_err(|_| Bad::TooLarge)?;
    let value = if body.starts_with('-') { -value } else { value };
    Ok((value, blanks + sign + skip + number.len()))
}

/// Power of the unit that is in front of `rest`, with the unit's length.
fn unit(rest: &str) -> Option<(u32, usize)> {
    let bytes = rest.as_bytes();
    let power = match bytes.first()?.to_ascii_lowercase() {
        b'k' => 1,
        b'm' => 2,
        b'g' => 3,
        b't' => 4,
        b'p' => 5,
        _ => return None,
    };
    let lower = |i: usize| bytes.get(i).map(u8::to_ascii_lowercase);
    Some((
        power,
        match (lower(1), lower(2)) {
            (Some(b'i'), Some(b'b')) => 3,
            (Some(b'b' | b'i'), _) => 2,
            _ => 1,
        },
    ))
}

/// A number with a unit of bytes.
pub(crate) fn bytes(text: &str, kb_base: u64) -> Result<Number, Bad> {
    let (value, end) = digits(text)?;
    let rest = &text[end..];
    let mut number = Number {
        value,
        percent: false,
        zones: false,
        remarks: Vec::new(),
    };
    if let Some((power, length)) = unit(rest) {
        // `kib` is the other base: decimal with the usual kb_base=1024, binary with 1000.
        let base = match (length == 3, kb_base) {
            (false, 1000) | (true, 1024) => 1000_i64,
            _ => 1024,
        };
        if length == 3 && base == 1000 {
            number.remarks.push(Remark {
                code: "kib-is-decimal",
                message: format!(
                    "fio reads `{}` as a power of 1000 while kb_base is 1024",
                    &rest[..length]
                ),
                hint: format!("write `{}{}` for a power of 1024", &text[..end], &rest[..1]),
                from: end,
                to: end + length,
            });
        }
        number.value = base
            .checked_pow(power)
            .and_then(|factor| value.checked_mul(factor))
            .ok_or(Bad::TooLarge)?;
        left_over(&mut number, text, end + length);
        return Ok(number);
    }
    match rest.as_bytes().first() {
        Some(b'%') => {
            number.percent = true;
            left_over(&mut number, text, end + 1);
        }
        Some(b'z' | b'Z') => {
            number.zones = true;
            left_over(&mut number, text, end + 1);
        }
        Some(b'b' | b'B') => left_over(&mut number, text, end + 1),
        _ => left_over(&mut number, text, end),
    }
    Ok(number)
}

/// Reports text after a number that fio ignores.
fn left_over(number: &mut Number, text: &str, end: usize) {
    let rest = &text[end..];
    let part = rest.split([',', ':', '-']).next().unwrap_or("");
    if part.trim().is_empty() {
        return;
    }
    let (code, message, hint) = if part.starts_with(['*', '/', '+', '^']) {
        (
            "arithmetic-ignored",
            format!("fio does not evaluate expressions here: `{rest}` is ignored"),
            "write the result, or put the expression in parentheses: `(...)`".to_owned(),
        )
    } else {
        (
            "size-unit-ignored",
            format!("fio does not understand `{part}` here and ignores it"),
            if part.trim_start().starts_with("//") {
                "a comment starts with `#` or `;`".to_owned()
            } else {
                "write a whole number with one of the units k, m, g, t, p".to_owned()
            },
        )
    };
    let message = format!("{message}; the value is {}", number.value);
    number.remarks.push(Remark {
        code,
        message,
        hint,
        from: end,
        to: end + part.len(),
    });
}

/// A number that means milliseconds: units are not understood, those of bytes apply.
pub(crate) fn millis(text: &str) -> Result<Number, Bad> {
    let mut number = bytes(text, 1024)?;
    let (_, end) = digits(text)?;
    number.remarks.clear();
    let rest = text[end..].split([',', ':', '-']).next().unwrap_or("");
    if !rest.trim().is_empty() {
        number.remarks.push(Remark {
            code: "time-unit-ignored",
            message: format!(
                "this option counts in milliseconds and fio does not understand `{rest}` here; \
                 the value is {} ms",
                number.value
            ),
            hint: "write the number of milliseconds without a unit".to_owned(),
            from: end,
            to: end + rest.len(),
        });
    }
    Ok(number)
}

/// A time, in microseconds.
pub(crate) fn time(text: &str, default: TimeUnit) -> Result<Number, Bad> {
    const SECOND: i64 = 1_000_000;
    let (value, end) = digits(text)?;
    let rest = text[end..].split(',').next().unwrap_or("");
    let lower = rest.trim_end().to_ascii_lowercase();
    let bare = match default {
        TimeUnit::Seconds => SECOND,
        TimeUnit::Micros => 1,
    };
    let separator = lower.starts_with([':', '-']);
    let letter = lower.starts_with(|c: char| c.is_ascii_alphabetic());
    let (factor, understood) = match lower.as_str() {
        "" => (bare, true),
        _ if separator => (bare, true),
        "s" => (SECOND, true),
        "m" => (60 * SECOND, true),
        "h" => (3600 * SECOND, true),
        "d" => (86_400 * SECOND, true),
        u if u.starts_with("us") => (1, true),
        u if u.starts_with("ms") => (1000, true),
        _ if letter => (1, false),
        _ => (bare, false),
    };
    let value = value.checked_mul(factor).ok_or(Bad::TooLarge)?;
    let mut remarks = Vec::new();
    if !understood {
        let code = if lower.starts_with(['*', '/', '+', '^']) {
            "arithmetic-ignored"
        } else {
            "time-unit-ignored"
        };
        remarks.push(Remark {
            code,
            message: format!(
                "fio does not understand `{rest}` here; the value is {}",
                leadline_model::units::Nanos(
                    u64::try_from(value).unwrap_or(0).saturating_mul(1000)
                )
            ),
            hint: meant(&lower).map_or_else(
                || "write a whole number with one of the units d, h, m, s, ms, us".to_owned(),
                |unit| format!("write `{}{unit}`", &text[..end]),
            ),
            from: end,
            to: end + rest.len(),
        });
    }
    Ok(Number {
        value,
        percent: false,
        zones: false,
        remarks,
    })
}

/// The unit most likely meant by a word that is none.
fn meant(word: &str) -> Option<&'static str> {
    Some(match word {
        "sec" | "secs" | "second" | "seconds" => "s",
        "min" | "mins" | "minute" | "minutes" => "m",
        "hr" | "hrs" | "hour" | "hours" => "h",
        "day" | "days" => "d",
        "microseconds" => "us",
        "milliseconds" => "ms",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> (i64, Vec<&'static str>) {
        let n = bytes(text, 1024).unwrap();
        (n.value, n.remarks.iter().map(|r| r.code).collect())
    }

    #[test]
    fn sizes_are_read_as_fio_reads_them() {
        assert_eq!(value("4k"), (4096, vec![]));
        assert_eq!(value("4K"), (4096, vec![]));
        assert_eq!(value("4kB"), (4096, vec![]));
        assert_eq!(value("4ki"), (4096, vec![]));
        assert_eq!(value("0x10"), (16, vec![]));
        assert_eq!(value("512b"), (512, vec![]));
        assert_eq!(value("4KiB"), (4000, vec!["kib-is-decimal"]));
        assert_eq!(value("4.5k"), (4, vec!["size-unit-ignored"]));
        assert_eq!(value("4q"), (4, vec!["size-unit-ignored"]));
        assert_eq!(value("8*1024"), (8, vec!["arithmetic-ignored"]));
        assert_eq!(bytes("4KiB", 1000).unwrap().value, 4096);
        assert_eq!(bytes("4k", 1000).unwrap().value, 4000);
        assert_eq!(bytes("abc", 1024), Err(Bad::NotANumber));
        assert_eq!(bytes("99999999p", 1024), Err(Bad::TooLarge));
        assert!(bytes("70%", 1024).unwrap().percent);
    }

    #[test]
    fn times_are_read_as_fio_reads_them() {
        let us = |text: &str| time(text, TimeUnit::Seconds).unwrap();
        assert_eq!(us("30").value, 30_000_000);
        assert_eq!(us("30S").value, 30_000_000);
        assert_eq!(us("2m").value, 120_000_000);
        assert_eq!(us("5msec").value, 5000);
        assert_eq!(us("10x").value, 10);
        assert_eq!(us("1min").value, 1);
        assert_eq!(us("1.5s").value, 1_000_000);
        assert_eq!(us("1min").remarks[0].code, "time-unit-ignored");
        assert_eq!(us("30*2").remarks[0].code, "arithmetic-ignored");
        assert_eq!(time("5", TimeUnit::Micros).unwrap().value, 5);
        assert_eq!(millis("1s").unwrap().value, 1);
        assert_eq!(millis("1s").unwrap().remarks.len(), 1);
    }
}
