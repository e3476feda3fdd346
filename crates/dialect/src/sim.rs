//! The law of a simulated volume as text, for every dialect: keys with values, as in
//! `size=1g,service=100us,parallel=32,iops=2000,burst_iops=4000,burst_store=10000,rtt=1ms`.
//!
//! Belongs here: this grammar, one row a key. Unlike fio's it is strict: what is not understood is an error.

mod keys;
mod values;

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
    /// The text itself.
    pub text: String,
}

/// Reads the text of a simulated volume; an empty text is the default volume.
///
/// # Errors
/// All that is wrong with it, in the order of the text.
pub fn parse(text: &str) -> Result<Law, Vec<Problem>> {
    let mut draft = Draft::default();
    let mut later: Vec<Change> = Vec::new();
    let mut problems = Vec::new();
    let mut known = Vec::new();
    let mut start = 0;
    for part in text.split(',') {
        let at = start..start + part.len();
        start = at.end + 1;
        if part.trim().is_empty() {
            continue;
        }
        let Some(change) = part.trim().strip_prefix("at=") else {
            problems.extend(given_twice(part, &at, &mut known));
            if let Err(expected) = set(&mut draft, part) {
                problems.push(not_understood(part, at, expected));
            }
            continue;
        };
        let change = change.split_once(':');
        match change.and_then(|(when, what)| Some((time(when)?, what))) {
            Some((time, what)) => later.push(Change { time, what, at }),
            None => {
                let expected = "when and what changes, such as `at=600s:iops=1000`";
                problems.push(not_understood(part, at, expected.to_owned()));
            }
        }
    }
    check(&draft, 0..text.len(), &mut problems);
    let volume = changed(&draft, later, &mut problems);
    if problems.is_empty() {
        Ok(Law {
            volume,
            has_size: draft.has_size,
            text: text.to_owned(),
        })
    } else {
        Err(problems)
    }
}

/// What a part says of a later time.
struct Change<'a> {
    time: Nanos,
    what: &'a str,
    /// The bytes of the text.
    at: Range<usize>,
}

/// The volume with what it becomes later.
fn changed(draft: &Draft, mut later: Vec<Change<'_>>, problems: &mut Vec<Problem>) -> SimDevice {
    later.sort_by_key(|change| change.time);
    let mut volume = draft.device();
    let mut now = draft.clone();
    for same in later.chunk_by(|a, b| a.time == b.time) {
        let mut known = Vec::new();
        let before = problems.len();
        for Change { what, at, .. } in same {
            problems.extend(given_twice(what, at, &mut known));
            let key = what.split_once('=').map_or(*what, |pair| pair.0).trim();
            let row = KEYS.iter().find(|row| row.name == key);
            if let Some(why) = row.and_then(Key::stays) {
                problems.push(Problem {
                    message: format!("`{key}` cannot change: {why}"),
                    at: at.clone(),
                    expected: "a key that describes what the volume does".to_owned(),
                });
            } else if let Err(expected) = set(&mut now, what) {
                problems.push(not_understood(what, at.clone(), expected));
            }
        }
        if let Some(last) = same.last()
            && problems.len() == before
        {
            check(&now, last.at.clone(), problems);
            volume.changes.push((last.time, now.device()));
        }
    }
    volume
}

/// That a key has a value already, or another key that says the same.
fn given_twice<'a>(part: &'a str, at: &Range<usize>, known: &mut Vec<&'a str>) -> Option<Problem> {
    let key = part.split_once('=').map_or(part, |pair| pair.0).trim();
    let row = KEYS.iter().find(|row| row.name == key)?;
    if row.repeats() {
        return None;
    }
    let other = match key {
        "service" => "mix",
        "mix" => "service",
        key => key,
    };
    let message = if known.contains(&key) {
        format!("`{key}` is given twice")
    } else if known.contains(&other) {
        "`service` and `mix` both say how long an I/O takes".to_owned()
    } else {
        known.push(key);
        return None;
    };
    Some(Problem {
        message,
        at: at.clone(),
        expected: "one of them".to_owned(),
    })
}

fn not_understood(part: &str, at: Range<usize>, expected: String) -> Problem {
    Problem {
        message: format!("`{}` is not understood", part.trim()),
        at,
        expected,
    }
}

/// What only all keys together show, at a place of the text.
fn check(draft: &Draft, at: Range<usize>, problems: &mut Vec<Problem>) {
    let mut problem = |message: &str, expected: &str| {
        problems.push(Problem {
            message: message.to_owned(),
            at: at.clone(),
            expected: expected.to_owned(),
        });
    };
    if draft.bursts_without_a_cap() {
        problem(
            "a burst needs a sustained rate",
            "`iops=` with burst_iops and burst_store, `bytes=` with burst_bytes and \
             burst_bytes_store",
        );
    }
    if draft.bursts_slowly() {
        problem(
            "a burst is below the sustained rate",
            "burst_iops of `iops` or more, burst_bytes of `bytes` or more",
        );
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
    (row.set)(draft, value).ok_or_else(|| row.expected())
}

/// The longest that an I/O, a flush or a round trip may take by the law.
const HOUR: Nanos = Nanos::from_secs(3600);

/// A time that something works: with less, or more, a run would not end.
fn worked(value: &str) -> Option<Nanos> {
    time(value).filter(|time| (Nanos(100)..=HOUR).contains(time))
}

fn service(value: &str) -> Option<ServiceTime> {
    if let Some(mean) = value.strip_prefix("exp:") {
        return worked(mean).map(ServiceTime::Exponential);
    }
    if let Some(rest) = value.strip_prefix("lognormal:") {
        let (median, sigma) = rest.split_once(':')?;
        let sigma: f64 = sigma.parse().ok()?;
        return (sigma.is_finite() && sigma > 0.0 && sigma <= 3.0)
            .then(|| worked(median))?
            .map(|median| ServiceTime::LogNormal { median, sigma });
    }
    match value.split_once('-') {
        Some((low, high)) => {
            let (low, high) = (worked(low)?, worked(high)?);
            Some(ServiceTime::Uniform(low.min(high), low.max(high)))
        }
        None => worked(value).map(ServiceTime::Fixed),
    }
}

/// `90%:200us/10%:4ms`: shares that sum to 100 % and their times.
fn mix(value: &str) -> Option<ServiceTime> {
    let parts: Option<Vec<(f64, Nanos)>> = value
        .split('/')
        .map(|part| {
            let (share, of) = part.split_once(':')?;
            let share: f64 = share.strip_suffix('%')?.parse().ok()?;
            (share > 0.0).then(|| Some((share / 100.0, worked(of)?)))?
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
                    "burst_bytes" | "burst_bytes_store" => "bytes=10k,",
                    _ => "",
                };
                format!("{needs}{}={value}", key.name)
            };
            let read = parse(&text(key.example)).unwrap_or_else(|e| panic!("{}: {e:?}", key.name));
            let without = parse(&text("").replace(&format!("{}=", key.name), "")).unwrap();
            assert_ne!(read.volume, without.volume, "{} changes nothing", key.name);
            let wrong = parse(&text("=")).unwrap_err();
            assert_eq!(wrong[0].expected, key.expected(), "{}", key.name);
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
        // What changes at one time changes together.
        let volume = parse("at=5s:burst_iops=20,at=5s:iops=10").unwrap().volume;
        assert_eq!(volume.changes.len(), 1);
        assert!(volume.changes[0].1.iops_cap.is_some());
    }

    /// The one message about a text.
    fn wrong(text: &str) -> String {
        let problems = parse(text).expect_err(text);
        assert_eq!(problems.len(), 1, "{text}: {problems:?}");
        problems[0].message.clone() + "; " + &problems[0].expected
    }

    #[test]
    fn what_would_be_passed_over_is_refused() {
        for (text, part) in [
            ("iops=1000,iops=2000", "`iops` is given twice"),
            ("service=1ms,mix=50%:1ms/50%:2ms", "`service` and `mix`"),
            ("iops=1000,burst_iops=500", "below the sustained rate"),
            ("bytes=2k,burst_bytes=1k", "below the sustained rate"),
            ("at=5s:burst_iops=20", "needs a sustained rate"),
            ("iops=10,burst_iops=20,at=5s:iops=30", "below the sustained"),
            ("at=5s:iops=1,at=5s:iops=2", "`iops` is given twice"),
            ("at=5s:size=1g", "`size` cannot change"),
            ("at=5s:name=b", "`name` cannot change"),
            ("at=5s:local=yes", "`local` cannot change"),
            ("at=5s:fresh=yes", "`fresh` cannot change"),
            ("at=5s:connections=2", "spread over them when they begin"),
        ] {
            assert!(wrong(text).contains(part), "{text}: {}", wrong(text));
        }
        assert!(parse("stall=1s@5s,stall=1s@9s,error=EIO@1,error=EIO@2").is_ok());
    }

    #[test]
    fn a_value_beyond_its_range_is_refused_with_the_range() {
        for text in [
            "service=0us",
            "service=50ns",
            "service=1000000000s",
            "service=1ns-1us",
            "service=exp:2h",
            "service=lognormal:1s:10",
            "write_service=61m",
            "mix=50%:0us/50%:1ms",
            "per_byte=1e12ns",
            "per_byte=1e300ns",
            "write_cost=1e9",
            "write_cost=1e300",
            "iops=0.01",
            "bytes=1",
            "host_bytes=1",
            "cache=64m:0us",
            "neighbour=1g:4k",
            "neighbour=10:8g",
            "wear=1k:1e12",
            "wear=1k:1e20",
            "every=1us:1ns",
            "stall=1441m@0s",
            "rtt=61m",
            "fsync=61m",
            "size=1",
            "split=1",
            "slice=1us",
        ] {
            let key = text.split_once('=').unwrap().0;
            let row = keys().find(|row| row.name == key).unwrap();
            assert!(!row.range.is_empty(), "{key}");
            assert!(wrong(text).contains(row.range), "{text}: {}", wrong(text));
        }
        for text in [
            "service=100ns",
            "service=60m",
            "iops=0.1",
            "write_cost=1000",
        ] {
            assert!(parse(text).is_ok(), "{text}");
        }
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
