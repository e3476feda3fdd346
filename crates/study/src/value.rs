//! Values: bytes, times, lists of numbers, shares of reads.
//!
//! Belongs here: a text to a value, or in words why not. Must never appear here: which option a value is of.

use leadline_dialect::quantity;
use leadline_model::plan::EngineKind;
use leadline_model::plan::{Rate, ServerCache};
use leadline_model::units::{Nanos, whole};

/// All values, or all that is wrong with them, a line each.
pub(crate) fn all<T>(each: impl Iterator<Item = Result<T, String>>) -> Result<Vec<T>, String> {
    let (mut values, mut wrong) = (Vec::new(), Vec::new());
    for one in each {
        match one {
            Ok(value) => values.push(value),
            Err(why) if wrong.contains(&why) => {}
            Err(why) => wrong.push(why),
        }
    }
    match wrong.is_empty() {
        true => Ok(values),
        false => Err(wrong.join("\n")),
    }
}

/// Most values of one list.
const MOST: usize = 10_000;

/// A number of bytes with a binary suffix, above 0: `4k`, `1g`.
///
/// # Errors
/// In words, what is wrong with it.
pub fn bytes(text: &str) -> Result<u64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match &lower[digits.len()..] {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        other => {
            return Err(format!(
                "'{other}' is not a unit; use k, m, g or t (powers of 1024)"
            ));
        }
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| format!("'{digits}' is not a whole number of bytes, such as 4k or 1g"))?;
    match number.checked_mul(1 << shift) {
        Some(0) => Err("must be above 0".to_owned()),
        Some(n) => Ok(n),
        None => Err("larger than 16 EiB".to_owned()),
    }
}

/// `12800`, `12.8k` (I/Os a second), `50MB/s`, `48MiB/s`, both with `/s`: a bare `50m` could be either.
pub(crate) fn rate(text: &str) -> Result<Rate, String> {
    let wrong = || format!("'{text}' is not a rate, such as 12800 (IOPS), 12.8k or 50MB/s");
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '/');
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let rate = match &lower[digits.len()..] {
        "" | "iops" => Rate::Iops(number),
        "k" | "kiops" => Rate::Iops(number * 1e3),
        unit => {
            let bytes = match unit {
                "b/s" => 1.0,
                "kb/s" => 1e3,
                "mb/s" => 1e6,
                "gb/s" => 1e9,
                "kib/s" => 1024.0,
                "mib/s" => 1_048_576.0,
                "gib/s" => 1_073_741_824.0,
                "m" | "mb" | "mib" | "g" | "gb" | "gib" => {
                    return Err(format!("{}; of bytes with /s", wrong()));
                }
                _ => return Err(wrong()),
            };
            Rate::Bytes(whole(number * bytes))
        }
    };
    match rate {
        Rate::Iops(iops) if iops > 0.0 && iops <= 1e12 => Ok(rate),
        Rate::Bytes(bytes) if bytes > 0 => Ok(rate),
        _ => Err(wrong()),
    }
}

/// A time with a unit, of 10 ms at least; a bare number is seconds.
///
/// # Errors
/// In words, what is wrong with it.
pub fn time(text: &str) -> Result<Nanos, String> {
    match quantity::time(text, 1_000_000_000)? {
        n if n.0 >= 10_000_000 => Ok(n),
        _ => Err("must be at least 10 ms".to_owned()),
    }
}

/// A share above 0 and at most 0.5, in percent or as a number below 1, in parts per million: `2%`, `0.5%`, `0.02`.
///
/// # Errors
/// In words, what is wrong with it.
pub fn share_ppm(text: &str) -> Result<u32, String> {
    let wrong = || format!("'{text}' is not a share, such as 2% or 0.02");
    let percent = match text.trim().strip_suffix('%') {
        Some(number) => number.trim().parse().map_err(|_| wrong())?,
        None => match text.trim().parse::<f64>() {
            // `2` may be meant as either.
            Ok(share) if share < 1.0 => share * 100.0,
            _ => return Err(wrong()),
        },
    };
    match percent {
        p if (0.01..=50.0).contains(&p) => {
            let ppm = leadline_model::units::whole((p * 10_000.0).round());
            u32::try_from(ppm).map_err(|_| wrong())
        }
        p if p.is_nan() => Err(wrong()),
        _ => Err("must be 0.01% to 50%".to_owned()),
    }
}

/// What is known of a server's cache: its size, `none`, `ro`, `warmed`.
///
/// # Errors
/// In words, what is wrong with it.
pub fn server_cache(text: &str) -> Result<ServerCache, String> {
    Ok(match text {
        "none" => ServerCache::Absent,
        "ro" => ServerCache::ReadOnly,
        "warmed" => ServerCache::Warmed,
        size => {
            let read = bytes(size);
            let wrong = |_| format!("'{size}' is neither a size such as 2g nor none, ro or warmed");
            ServerCache::Size(leadline_model::units::Bytes(read.map_err(wrong)?))
        }
    })
}

/// A list of numbers, each given once: `1,4,16`, `1..64` (doubling, with both ends), `10..100:10` (in steps).
///
/// # Errors
/// In words, what is wrong with it.
pub fn numbers(text: &str) -> Result<Vec<u64>, String> {
    list(text, |one| match one.trim().parse::<u64>() {
        Ok(0) => Err("must be above 0".to_owned()),
        Ok(n) => Ok(n),
        Err(_) => Err(format!("'{}' is not a whole number", one.trim())),
    })
}

/// A list of bytes: `4k,64k`, `512..1m`.
pub(crate) fn sizes(text: &str) -> Result<Vec<u64>, String> {
    list(text, bytes)
}

fn list(text: &str, one: impl Fn(&str) -> Result<u64, String>) -> Result<Vec<u64>, String> {
    let of = |item: &str| match item.split_once("..") {
        None => Ok(vec![one(item)?]),
        Some((from, to)) => {
            let (to, step) = match to.split_once(':') {
                Some((to, step)) => (to, Some(one(step)?)),
                None => (to, None),
            };
            range(one(from)?, one(to)?, step)
        }
    };
    let mut known: Vec<u64> = Vec::new();
    let each = text.split(',').map(|item| {
        let new = of(item)?;
        if known.len() + new.len() > MOST {
            return Err(format!("more than {MOST} values"));
        }
        if new.iter().any(|value| known.contains(value)) {
            return Err(format!("{} is there twice", item.trim()));
        }
        known.extend(new);
        Ok(())
    });
    all(each)?;
    Ok(known)
}

/// Both ends, and between them doublings of the first, or steps.
fn range(from: u64, to: u64, step: Option<u64>) -> Result<Vec<u64>, String> {
    if from > to {
        return Err(format!("{from} is above {to}; a range rises"));
    }
    let next = |n: &u64| match step {
        Some(step) => n.checked_add(step),
        None => n.checked_mul(2),
    };
    let inner = std::iter::successors(Some(from), next).take_while(|n| *n < to);
    let mut all: Vec<u64> = inner.take(MOST + 1).collect();
    if all.len() > MOST {
        return Err(format!("more than {MOST} values"));
    }
    all.push(to);
    Ok(all)
}

/// Shares of reads in percent, in steps: `0..100:25`.
pub(crate) fn shares(text: &str) -> Result<Vec<u8>, String> {
    let wrong = || {
        format!(
            "'{}' is no range of shares of reads with a step, such as 0..100:25",
            text.trim()
        )
    };
    let number = |text: &str| match text.trim().trim_end_matches('%').parse::<u8>() {
        Ok(share) if share <= 100 => Ok(share),
        _ => Err(wrong()),
    };
    let (from, rest) = text.split_once("..").ok_or_else(wrong)?;
    let (to, step) = rest.split_once(':').ok_or_else(wrong)?;
    let (from, to, step) = (number(from)?, number(to)?, number(step)?);
    if from > to || step == 0 {
        return Err(wrong());
    }
    let mut all: Vec<u8> = (from..to).step_by(usize::from(step)).collect();
    all.push(to);
    Ok(all)
}

/// What is read and written: a share of reads in percent, and the order where the word says it.
pub(crate) fn kind(text: &str) -> Result<(u8, Option<bool>), String> {
    let lower = text.trim().to_ascii_lowercase();
    let named = match lower.as_str() {
        "read" | "r" => Some((100, None)),
        "write" | "w" => Some((0, None)),
        "randread" => Some((100, Some(true))),
        "randwrite" => Some((0, Some(true))),
        "rw" => Some((50, None)),
        "randrw" => Some((50, Some(true))),
        _ => None,
    };
    if let Some(named) = named {
        return Ok(named);
    }
    let (digits, order) = match (lower.strip_prefix("randrw"), lower.strip_prefix("rw")) {
        (Some(rest), _) => (rest, Some(true)),
        (None, Some(rest)) => (rest, None),
        (None, None) => (lower.trim_end_matches('%'), None),
    };
    match digits.parse::<u8>() {
        Ok(share) if share <= 100 => Ok((share, order)),
        _ => Err(format!(
            "'{}' is not read, write, randread, randwrite, or a share of reads in percent (70)",
            text.trim()
        )),
    }
}

/// A back end that asks storage.
pub(crate) fn engine(text: &str) -> Result<EngineKind, String> {
    let is_it = |engine: &EngineKind| engine.powers().asks_storage() && engine.name() == text;
    let named = EngineKind::ALL.into_iter().find(is_it);
    named.ok_or_else(|| {
        format!(
            "'{text}' is not a back end with I/O to storage; io_uring, libaio, psync and others are"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_values_and_ranges() {
        assert_eq!(numbers("1..8").unwrap(), [1, 2, 4, 8]);
        assert_eq!(numbers("1..6").unwrap(), [1, 2, 4, 6]);
        assert_eq!(numbers("1,4,16").unwrap(), [1, 4, 16]);
        assert_eq!(numbers("10..40:10").unwrap(), [10, 20, 30, 40]);
        assert_eq!(
            sizes("512..4k,64k").unwrap(),
            [512, 1024, 2048, 4096, 65536]
        );
        for (text, why) in [
            ("8..1", "a range rises"),
            ("0", "above 0"),
            ("1,1", "twice"),
            ("1,1,1", "twice"),
            ("x", "not a whole number"),
            ("1..18446744073709551615:1", "more than 10000"),
            ("", "not a whole number"),
        ] {
            let wrong = numbers(text).unwrap_err();
            assert!(wrong.contains(why), "{text}: {wrong}");
        }
    }

    #[test]
    fn rates_are_of_ios_or_of_bytes() {
        assert_eq!(rate("12.8k").unwrap(), Rate::Iops(12_800.0));
        assert_eq!(rate("52428800B/s").unwrap(), Rate::Bytes(50 << 20));
        assert_eq!(rate("50MB/s").unwrap(), Rate::Bytes(50_000_000));
        assert!(rate("50m").unwrap_err().contains("of bytes with /s"));
    }

    #[test]
    fn times_have_units() {
        assert_eq!(time("5").unwrap(), Nanos::from_secs(5));
        assert!(time("1ms").is_err());
    }

    #[test]
    fn shares_may_be_a_range_with_a_step() {
        assert_eq!(shares("0..100:25").unwrap(), [0, 25, 50, 75, 100]);
        assert_eq!(shares("10..90:30%").unwrap(), [10, 40, 70, 90]);
        assert_eq!(shares("50..50:10").unwrap(), [50]);
        for wrong in ["0..100", "90..10:10", "0..101:10", "0..100:0", "a..b:c"] {
            assert!(shares(wrong).unwrap_err().contains("0..100:25"), "{wrong}");
        }
    }

    #[test]
    fn kinds_are_words_or_shares() {
        assert_eq!(kind("randread").unwrap(), (100, Some(true)));
        assert_eq!(kind("70").unwrap(), (70, None));
        assert_eq!(kind("randrw30").unwrap(), (30, Some(true)));
        assert!(kind("101").is_err() && kind("trim").is_err());
    }
}
