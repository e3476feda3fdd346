//! The law of a simulated volume as text, for every dialect: keys with values, as in
//! `size=1g,service=100us,parallel=32,iops=2000,burst_iops=4000,burst_store=10000,rtt=1ms`.
//!
//! Belongs here: this grammar, one row a key. Unlike fio's it is strict: what is not understood is an error.

mod keys;

use crate::diagnostic::nearest;
use keys::{Draft, KEYS};
pub use keys::{Key, keys};
use leadline_model::plan::SimDevice;
use leadline_model::plan::simulated::ServiceTime;
use leadline_model::units::Nanos;
use std::ops::Range;

/// What is wrong with the text of a simulated volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// One sentence, without a full stop.
    pub message: String,
    /// The bytes of the text it is about.
    pub at: Range<usize>,
    /// What would be right here.
    pub expected: String,
}

/// A law that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// The volume.
    pub volume: SimDevice,
    /// Whether the text says how large it is.
    pub has_size: bool,
}

/// Reads the text of a simulated volume; an empty text is the default volume.
///
/// # Errors
/// All that is wrong with it, in the order of the text.
pub fn parse(text: &str) -> Result<Law, Vec<Problem>> {
    let mut draft = Draft::default();
    let mut later: Vec<(Nanos, &str, Range<usize>)> = Vec::new();
    let mut problems = Vec::new();
    let mut start = 0;
    for part in text.split(',') {
        let at = start..start + part.len();
        start = at.end + 1;
        if part.trim().is_empty() {
            continue;
        }
        let wrong = match part.trim().strip_prefix("at=") {
            Some(change) => match change
                .split_once(':')
                .and_then(|(t, c)| Some((time(t)?, c)))
            {
                Some((time, change)) => {
                    later.push((time, change, at));
                    continue;
                }
                None => Err("when and what changes, such as `at=600s:iops=1000`".to_owned()),
            },
            None => set(&mut draft, part),
        };
        if let Err(expected) = wrong {
            problems.push(not_understood(part, at, expected));
        }
    }
    check(&draft, text, &mut problems);
    let volume = changed(&draft, later, &mut problems);
    if problems.is_empty() {
        Ok(Law {
            volume,
            has_size: draft.has_size,
        })
    } else {
        Err(problems)
    }
}

/// The volume with what it becomes later.
fn changed(
    draft: &Draft,
    mut later: Vec<(Nanos, &str, Range<usize>)>,
    problems: &mut Vec<Problem>,
) -> SimDevice {
    later.sort_by_key(|change| change.0);
    let mut volume = draft.device();
    let mut now = draft.clone();
    for (at, change, place) in later {
        match set(&mut now, change) {
            Ok(()) => volume.changes.push((at, now.device())),
            Err(expected) => problems.push(not_understood(change, place, expected)),
        }
    }
    volume
}

fn not_understood(part: &str, at: Range<usize>, expected: String) -> Problem {
    Problem {
        message: format!("`{}` is not understood", part.trim()),
        at,
        expected,
    }
}

/// What only all keys together show.
fn check(draft: &Draft, text: &str, problems: &mut Vec<Problem>) {
    if draft.bursts_without_a_cap() {
        problems.push(Problem {
            message: "a burst needs a sustained rate".to_owned(),
            at: 0..text.len(),
            expected: "`iops=` with burst_iops and burst_store, `bytes=` with burst_bytes and \
                       burst_bytes_store"
                .to_owned(),
        });
    }
}

/// Sets what a part says; what was expected where it is not understood.
fn set(draft: &mut Draft, part: &str) -> Result<(), String> {
    let (key, value) = part.split_once('=').unwrap_or((part, ""));
    let (key, value) = (key.trim(), value.trim());
    let Some(row) = KEYS.iter().find(|row| row.name == key) else {
        let names = KEYS.iter().map(|row| row.name);
        let near = nearest(key, names.clone()).map(|k| format!("; did you mean `{k}`?"));
        let names: Vec<&str> = names.collect();
        return Err(format!(
            "one of {}, at{}",
            names.join(", "),
            near.unwrap_or_default()
        ));
    };
    (row.set)(draft, value).ok_or_else(|| row.form.to_owned())
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

/// `90%:200us/10%:4ms`: shares that sum to 100 % and their times.
fn mix(value: &str) -> Option<ServiceTime> {
    let parts: Option<Vec<(f64, Nanos)>> = value
        .split('/')
        .map(|part| {
            let (share, of) = part.split_once(':')?;
            let share: f64 = share.strip_suffix('%')?.parse().ok()?;
            (share > 0.0).then(|| Some((share / 100.0, time(of)?)))?
        })
        .collect();
    let parts = parts?;
    let sum: f64 = parts.iter().map(|part| part.0).sum();
    ((sum - 1.0).abs() < 1e-6).then_some(ServiceTime::Mix(parts))
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
        .unwrap()
        .volume;
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
        assert_eq!(parse("").unwrap().volume, SimDevice::default());
        assert!(matches!(
            parse("service=lognormal:100us:0.5").unwrap().volume.service,
            ServiceTime::LogNormal { .. }
        ));
    }

    #[test]
    fn all_mistakes_are_reported() {
        let problems = parse("size=1g,servce=1ms,rtt=1,error=EIQ@1").unwrap_err();
        assert_eq!(problems.len(), 3);
        assert_eq!(problems[0].at, 8..18);
        assert!(problems[0].expected.contains("did you mean `service`?"));
        assert!(problems[2].expected.contains("EIO"));
        assert!(parse("burst_iops=5").is_err());
    }

    #[test]
    fn each_row_reads_its_example_and_refuses_another_value() {
        for key in keys() {
            let text = |value: &str| {
                let needs = match key.name {
                    "burst_iops" | "burst_store" => "iops=10,",
                    "burst_bytes" | "burst_bytes_store" => "bytes=10,",
                    _ => "",
                };
                format!("{needs}{}={value}", key.name)
            };
            let read = parse(&text(key.example)).unwrap_or_else(|e| panic!("{}: {e:?}", key.name));
            let without = parse(&text("").replace(&format!("{}=", key.name), "")).unwrap();
            assert_ne!(read.volume, without.volume, "{} changes nothing", key.name);
            let wrong = parse(&text("=")).unwrap_err();
            assert_eq!(wrong[0].expected, key.form, "{}", key.name);
        }
    }

    #[test]
    fn a_change_keeps_what_it_does_not_name() {
        let volume =
            parse("iops=500,burst_iops=3500,rtt=1ms,at=20s:rtt=2ms,at=10s:iops=100").unwrap();
        let [(first, one), (second, two)] = &volume.volume.changes[..] else {
            panic!("{volume:?}");
        };
        assert_eq!(
            (*first, *second),
            (Nanos::from_secs(10), Nanos::from_secs(20))
        );
        let cap = one.iops_cap.unwrap();
        assert!((cap.rate - 100.0).abs() < 1e-9 && (cap.burst_rate - 3500.0).abs() < 1e-9);
        assert_eq!(one.round_trip, Nanos::from_millis(1));
        assert_eq!(
            (two.round_trip, two.iops_cap),
            (Nanos::from_millis(2), one.iops_cap)
        );
        assert!(parse("at=10s").is_err() && parse("at=10s:iop=5").is_err());
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
