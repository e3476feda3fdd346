//! Numbers as DISKSPD reads them: plain ones by `atoi`, which takes the digits at the front and passes
//! over the rest, sizes strictly.
//!
//! Belongs here: the law of one number. Must never appear here: options.

/// What `atoi` makes of a text: 32 bits, wrapping, 0 without digits.
pub(super) struct Loose {
    /// The number.
    pub(super) value: i32,
    /// The text is more, or less, than this number.
    pub(super) bent: bool,
}

/// The digits at the front.
pub(super) fn loose(text: &str) -> Loose {
    let body = text.trim_start();
    let (negative, digits) = match body.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, body.strip_prefix('+').unwrap_or(body)),
    };
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let (mut value, mut wide) = (0_i32, Some(0_i64));
    for c in digits[..end].bytes() {
        let digit = i32::from(c - b'0');
        value = value.wrapping_mul(10).wrapping_add(digit);
        wide = wide.and_then(|w| w.checked_mul(10)?.checked_add(digit.into()));
    }
    let fits = wide == Some(i64::from(value));
    Loose {
        value: if negative {
            value.wrapping_neg()
        } else {
            value
        },
        bent: !fits || end == 0 || end < digits.len(),
    }
}

/// Digits that must be there, and what follows them. `None` also when they do not fit 64 bits.
pub(super) fn digits(text: &str) -> Option<(u64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// A size, with K, M, G, T or b for blocks; all of the text.
///
/// # Errors
/// What is wrong with it, as DISKSPD says it.
pub(super) fn size(text: &str, block: u32) -> Result<u64, String> {
    let (value, rest) = digits(text).ok_or("Invalid integer")?;
    let (factor, length) = match unit(rest, block) {
        Some(unit) => (unit, 1),
        None if rest.is_empty() => (1, 0),
        None => {
            let c = rest.chars().next().unwrap_or(' ');
            return Err(format!(
                "Invalid size '{c}'. Valid: K - KiB, M - MiB, G - GiB, T - TiB, B - block"
            ));
        }
    };
    if rest.len() > length {
        return Err("Unrecognized characters after size specification".to_owned());
    }
    scaled(value, factor, rest)
}

/// A size at the front of a text, and what follows it.
///
/// # Errors
/// What is wrong with it, as DISKSPD says it.
pub(super) fn size_in_front(text: &str, block: u32) -> Result<(u64, &str), String> {
    let (value, rest) = digits(text).ok_or("Invalid integer")?;
    match unit(rest, block) {
        Some(factor) => Ok((scaled(value, factor, rest)?, &rest[1..])),
        None => Ok((value, rest)),
    }
}

fn unit(rest: &str, block: u32) -> Option<u64> {
    Some(match rest.as_bytes().first()?.to_ascii_lowercase() {
        b'k' => 1 << 10,
        b'm' => 1 << 20,
        b'g' => 1 << 30,
        b't' => 1 << 40,
        b'b' => u64::from(block),
        _ => return None,
    })
}

fn scaled(value: u64, factor: u64, rest: &str) -> Result<u64, String> {
    value.checked_mul(factor).ok_or_else(|| {
        let c = rest.chars().next().unwrap_or(' ').to_ascii_uppercase();
        format!("Overflow applying multiplier '{c}'")
    })
}

/// A seed: decimal, 32 bits; more is cut to the largest, a minus sign wraps round.
pub(super) fn seed(text: &str) -> Option<u32> {
    let body = text.trim_start();
    let (negative, digits) = match body.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, body.strip_prefix('+').unwrap_or(body)),
    };
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    Some(match digits.parse::<u32>() {
        Err(_) => u32::MAX,
        Ok(n) if negative => n.wrapping_neg(),
        Ok(n) => n,
    })
}

/// A size in the unit it fits, as DISKSPD prints it: whole, or with two decimals.
pub(super) fn kmgt(bytes: u64) -> String {
    let (number, unit) = kmgt_parts(bytes);
    format!("{number}{unit}")
}

/// The same in a column of nine characters, the units one below the other.
pub(super) fn kmgt_column(bytes: u64) -> String {
    let (number, unit) = kmgt_parts(bytes);
    format!("{number:>6}{unit:<3}")
}

fn kmgt_parts(bytes: u64) -> (String, &'static str) {
    let (scale, unit) = match bytes {
        0..=1023 => return (bytes.to_string(), ""),
        1024..=0xF_FFFF => (1_u64 << 10, "KiB"),
        0x10_0000..=0x3FFF_FFFF => (1 << 20, "MiB"),
        0x4000_0000..=0xFF_FFFF_FFFF => (1 << 30, "GiB"),
        _ => (1 << 40, "TiB"),
    };
    if bytes.is_multiple_of(scale) {
        ((bytes / scale).to_string(), unit)
    } else {
        (format!("{:.2}", bytes as f64 / scale as f64), unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loose_numbers_are_those_of_atoi() {
        let of = |text: &str| {
            let n = loose(text);
            (n.value, n.bent)
        };
        assert_eq!(of("12"), (12, false));
        assert_eq!(of("-5"), (-5, false));
        assert_eq!(of("1.5"), (1, true));
        assert_eq!(of("abc"), (0, true));
        assert_eq!(of(""), (0, true));
        assert_eq!(of("9999999999"), (1_410_065_407, true));
        assert!(of("99999999999999999999999").1);
    }

    #[test]
    fn sizes_have_one_unit_at_most() {
        assert_eq!(size("4k", 0), Ok(4096));
        assert_eq!(size("2b", 65536), Ok(131_072));
        assert_eq!(
            size("4KB", 1).unwrap_err().split(' ').next(),
            Some("Unrecognized")
        );
        assert!(size("4q", 1).unwrap_err().starts_with("Invalid size 'q'"));
        assert_eq!(size("x", 1), Err("Invalid integer".to_owned()));
        assert!(size("99999999T", 1).unwrap_err().starts_with("Overflow"));
        assert!(size("99999999999999999999", 1).is_err());
        assert_eq!(size_in_front("10g[", 1), Ok((10 << 30, "[")));
    }

    #[test]
    fn seeds_are_cut_and_wrapped() {
        assert_eq!(seed("42"), Some(42));
        assert_eq!(seed("-1"), Some(u32::MAX));
        assert_eq!(seed("4294967296"), Some(u32::MAX));
        assert_eq!(seed("0x10"), None);
        assert_eq!(seed(""), None);
    }

    #[test]
    fn sizes_are_shown_whole_or_with_two_decimals() {
        assert_eq!(kmgt(64 << 20), "64MiB");
        assert_eq!(kmgt(12_341_234), "11.77MiB");
        assert_eq!(kmgt(1000), "1000");
        assert_eq!(kmgt_column(0), "     0   ");
        assert_eq!(kmgt_column(1 << 30), "     1GiB");
    }
}
