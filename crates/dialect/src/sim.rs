//! The text form of a simulated device, for every dialect:
//! `size=1g,service=100us,parallel=32,rtt=1ms,iops=2000,burst_iops=4000,burst_store=10000,bytes=100m,
//! connection=50m,cache=64m:10us,stall=2s@5s,error=EIO@100`.
//!
//! Belongs here: this grammar. Unlike fio's it is strict: what is not understood is an error.

use crate::diagnostic::nearest;
use crate::errno;
use leadline_model::plan::SimDevice;
use leadline_model::plan::simulated::{ServiceTime, SimCache, TokenBucket};
use leadline_model::units::Nanos;
use std::ops::Range;

/// What is wrong with the text of a simulated device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// One sentence, without a full stop.
    pub message: String,
    /// The bytes of the text it is about.
    pub at: Range<usize>,
    /// What would be right here.
    pub expected: String,
}

const KEYS: [&str; 14] = [
    "size",
    "service",
    "parallel",
    "rtt",
    "iops",
    "burst_iops",
    "burst_store",
    "bytes",
    "burst_bytes",
    "burst_bytes_store",
    "connection",
    "cache",
    "stall",
    "error",
];

#[derive(Default)]
struct Caps {
    iops: Option<f64>,
    burst_iops: Option<f64>,
    store: Option<f64>,
    bytes: Option<f64>,
    burst_bytes: Option<f64>,
    bytes_store: Option<f64>,
}

/// Reads the text of a simulated device; an empty text is the default device.
///
/// # Errors
/// All that is wrong with it, in the order of the text.
pub fn parse(text: &str) -> Result<SimDevice, Vec<Problem>> {
    let mut device = SimDevice::default();
    let mut caps = Caps::default();
    let mut problems = Vec::new();
    let mut start = 0;
    for part in text.split(',') {
        let at = start..start + part.len();
        start = at.end + 1;
        if part.trim().is_empty() {
            continue;
        }
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        if let Err(expected) = set(&mut device, &mut caps, key.trim(), value.trim()) {
            problems.push(Problem {
                message: format!("`{}` is not understood", part.trim()),
                at,
                expected,
            });
        }
    }
    device.iops_cap = bucket(caps.iops, caps.burst_iops, caps.store);
    device.bytes_cap = bucket(caps.bytes, caps.burst_bytes, caps.bytes_store);
    if device.iops_cap.is_none() && (caps.burst_iops.is_some() || caps.store.is_some())
        || device.bytes_cap.is_none() && (caps.burst_bytes.is_some() || caps.bytes_store.is_some())
    {
        problems.push(Problem {
            message: "a burst needs a sustained rate".to_owned(),
            at: 0..text.len(),
            expected: "`iops=` with burst_iops and burst_store, `bytes=` with burst_bytes and \
                       burst_bytes_store"
                .to_owned(),
        });
    }
    if problems.is_empty() {
        Ok(device)
    } else {
        Err(problems)
    }
}

/// Tokens that may burst last for ten seconds of the sustained rate, unless told otherwise.
fn bucket(rate: Option<f64>, burst: Option<f64>, store: Option<f64>) -> Option<TokenBucket> {
    let rate = rate?;
    Some(TokenBucket {
        rate,
        burst_rate: burst.unwrap_or(rate).max(rate),
        store: store.unwrap_or(if burst.is_some() { rate * 10.0 } else { 0.0 }),
    })
}

fn set(device: &mut SimDevice, caps: &mut Caps, key: &str, value: &str) -> Result<(), String> {
    const SIZE: &str = "a size such as `1g`";
    const TIME: &str = "a time such as `100us`";
    const RATE: &str = "a rate above 0";
    let size = |v: &str| size(v).filter(|n| *n > 0).ok_or_else(|| SIZE.to_owned());
    let time = |v: &str| time(v).ok_or_else(|| TIME.to_owned());
    let rate = |v: &str| rate(v).ok_or_else(|| RATE.to_owned());
    match key {
        "size" => device.size = size(value)?,
        "service" => {
            device.service = service(value)
                .ok_or("`100us`, `50us-150us`, `exp:100us` or `lognormal:100us:0.5`".to_owned())?;
        }
        "parallel" => {
            device.parallel = value
                .parse()
                .ok()
                .filter(|n| (1..=1 << 20).contains(n))
                .ok_or("a number of at least 1".to_owned())?;
        }
        "rtt" => device.round_trip = time(value)?,
        "iops" => caps.iops = Some(rate(value)?),
        "burst_iops" => caps.burst_iops = Some(rate(value)?),
        "burst_store" => caps.store = Some(rate(value)?),
        "bytes" => caps.bytes = Some(rate(value)?),
        "burst_bytes" => caps.burst_bytes = Some(rate(value)?),
        "burst_bytes_store" => caps.bytes_store = Some(rate(value)?),
        "connection" => device.connection_bytes_per_s = Some(size(value)?),
        "cache" => {
            let (bytes, hit) = value.split_once(':').unwrap_or((value, "5us"));
            device.cache = Some(SimCache {
                size: size(bytes)?,
                hit: time(hit)?,
            });
        }
        "stall" => {
            let (length, at) = value
                .split_once('@')
                .ok_or("how long and when, such as `2s@5s`".to_owned())?;
            device.stalls.push((time(at)?, time(length)?));
        }
        "error" => {
            let expected = "an error and the number of the I/O, such as `EIO@100`";
            let (name, at) = value.split_once('@').ok_or(expected.to_owned())?;
            let number = errno::parse(name).ok_or_else(|| {
                let near = nearest(name, errno::names()).unwrap_or("EIO");
                format!("the name of an error, such as {near}")
            })?;
            let at = at.parse().map_err(|_| expected.to_owned())?;
            device.errors.push((at, number));
        }
        _ => {
            let near = nearest(key, KEYS).map(|k| format!("; did you mean `{k}`?"));
            return Err(format!(
                "one of {}{}",
                KEYS.join(", "),
                near.unwrap_or_default()
            ));
        }
    }
    Ok(())
}

fn service(value: &str) -> Option<ServiceTime> {
    if let Some(mean) = value.strip_prefix("exp:") {
        return time(mean).map(ServiceTime::Exponential);
    }
    if let Some(rest) = value.strip_prefix("lognormal:") {
        let (median, sigma) = rest.split_once(':')?;
        let sigma: f64 = sigma.parse().ok()?;
        return (sigma.is_finite() && sigma > 0.0 && sigma <= 10.0)
            .then(|| time(median))?
            .map(|median| ServiceTime::LogNormal { median, sigma });
    }
    match value.split_once('-') {
        Some((low, high)) => {
            let (low, high) = (time(low)?, time(high)?);
            Some(ServiceTime::Uniform(low.min(high), low.max(high)))
        }
        None => time(value).map(ServiceTime::Fixed),
    }
}

/// A whole number, or one with a fraction, with a unit after it.
fn scaled(value: &str, unit: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    let end = value
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(value.len());
    let number: f64 = value[..end].parse().ok()?;
    Some(number * unit(&value[end..].to_ascii_lowercase())?)
}

fn binary(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1_048_576.0,
        "g" | "gib" => 1_073_741_824.0,
        "t" | "tib" => 1_099_511_627_776.0,
        "p" | "pib" => 1_125_899_906_842_624.0,
        _ => return None,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be within 0 and 2^62"
)]
fn whole(value: f64) -> Option<u64> {
    (0.0..4.6e18).contains(&value).then(|| value.round() as u64)
}

fn size(value: &str) -> Option<u64> {
    scaled(value, binary).and_then(whole)
}

fn rate(value: &str) -> Option<f64> {
    scaled(value, binary).filter(|v| v.is_finite() && *v > 0.0)
}

fn time(value: &str) -> Option<Nanos> {
    scaled(value, |unit| {
        Some(match unit {
            "ns" => 1.0,
            "us" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "m" => 60e9,
            _ => return None,
        })
    })
    .and_then(whole)
    .map(Nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_read() {
        let device = parse(
            "size=2g,service=50us-150us,parallel=8,rtt=1ms,iops=2000,burst_iops=4000,burst_store=100,\
             bytes=100m,connection=50m,cache=64m:10us,stall=2s@5s,error=EIO@100,error=28@7",
        )
        .unwrap();
        assert_eq!(device.size, 2 << 30);
        assert_eq!(
            device.service,
            ServiceTime::Uniform(Nanos::from_micros(50), Nanos::from_micros(150))
        );
        assert_eq!(
            (device.parallel, device.round_trip),
            (8, Nanos::from_millis(1))
        );
        let cap = device.iops_cap.unwrap();
        assert!((cap.rate - 2000.0).abs() < 1e-9 && (cap.burst_rate - 4000.0).abs() < 1e-9);
        assert_eq!(device.connection_bytes_per_s, Some(50 << 20));
        assert_eq!(device.cache.unwrap().size, 64 << 20);
        assert_eq!(device.stalls, [(Nanos::from_secs(5), Nanos::from_secs(2))]);
        assert_eq!(device.errors, [(100, 5), (7, 28)]);
        assert_eq!(parse(""), Ok(SimDevice::default()));
        assert!(matches!(
            parse("service=lognormal:100us:0.5").unwrap().service,
            ServiceTime::LogNormal { .. }
        ));
    }

    #[test]
    fn all_that_is_wrong_is_told() {
        let problems = parse("size=1g,servce=1ms,rtt=1,error=EIQ@1").unwrap_err();
        assert_eq!(problems.len(), 3);
        assert_eq!(problems[0].at, 8..18);
        assert!(problems[0].expected.contains("did you mean `service`?"));
        assert!(problems[2].expected.contains("EIO"));
        assert!(parse("burst_iops=5").is_err());
    }

    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn any_text_is_read_and_problems_have_a_place(text in "[a-z_=0-9@:,.-]{0,60}") {
            if let Err(problems) = parse(&text) {
                for problem in problems {
                    prop_assert!(text.get(problem.at).is_some());
                }
            }
        }
    }
}
