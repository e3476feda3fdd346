//! The values of a law's keys: a text to a number within its range, `None` where it is none.
//!
//! Must never: know which key a value is of.

use super::{HOUR, rate, size, time, worked};
use crate::errno;
use leadline_model::plan::simulated::{Neighbour, SimCache};
use leadline_model::units::Nanos;
use std::ops::RangeInclusive;

pub(super) const DAY: Nanos = Nanos::from_secs(24 * 3600);
pub(super) const G: u64 = 1 << 30;
pub(super) const P: f64 = (1_u64 << 60) as f64;

pub(super) fn within(value: Option<f64>, range: RangeInclusive<f64>) -> Option<f64> {
    value.filter(|value| range.contains(value))
}

pub(super) fn iops(value: &str) -> Option<f64> {
    within(rate(value), 0.1..=G as f64)
}

pub(super) fn bytes(value: &str) -> Option<f64> {
    within(rate(value), 1024.0..=(1_u64 << 50) as f64)
}

pub(super) fn link(value: &str) -> Option<u64> {
    size(value).filter(|rate| (1024..=1 << 50).contains(rate))
}

pub(super) fn short(value: &str) -> Option<Nanos> {
    time(value).filter(|time| *time <= HOUR)
}

pub(super) fn above_zero(value: &str) -> Option<u64> {
    size(value).filter(|n| *n > 0)
}

pub(super) fn number(value: &str) -> Option<u32> {
    value.parse().ok().filter(|n| (1..=1 << 20).contains(n))
}

pub(super) fn factor(value: &str) -> Option<f64> {
    let factor: f64 = value.parse().ok()?;
    within(Some(factor), 0.001..=1000.0)
}

pub(super) fn yes_or_no(value: &str) -> Option<bool> {
    match value {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

pub(super) fn name(value: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!value.is_empty() && value.chars().all(plain)).then(|| value.to_owned())
}

/// Nanoseconds with a fraction.
pub(super) fn per_byte(value: &str) -> Option<f64> {
    let value: f64 = value.strip_suffix("ns")?.parse().ok()?;
    within(Some(value), 0.0..=1e6)
}

/// `64m:10us:writes=back`: its size, the time of a hit, and what becomes of writes.
pub(super) fn cache(value: &str) -> Option<SimCache> {
    let mut parts = value.split(':');
    let bytes = size(parts.next()?).filter(|n| (4096..=1 << 50).contains(n))?;
    let hit = parts.next().map_or(Some(Nanos::from_micros(5)), worked)?;
    let write_back = match parts.next() {
        None | Some("writes=through") => false,
        Some("writes=back") => true,
        Some(_) => return None,
    };
    parts.next().is_none().then_some(SimCache {
        size: bytes,
        hit,
        write_back,
    })
}

pub(super) fn wear(value: &str) -> Option<(u64, f64)> {
    let (after, slower) = value.split_once(':')?;
    Some((above_zero(after)?, factor(slower)?))
}

pub(super) fn neighbour(value: &str) -> Option<Neighbour> {
    let (iops, bytes) = value.split_once(':').unwrap_or((value, "4k"));
    Some(Neighbour {
        iops: within(rate(iops), 0.001..=1_048_576.0)?,
        size: u32::try_from(size(bytes).filter(|n| (512..=G).contains(n))?).ok()?,
    })
}

pub(super) fn stall(value: &str) -> Option<(Nanos, Nanos)> {
    let (length, at) = value.split_once('@')?;
    let length = time(length).filter(|time| *time <= DAY)?;
    Some((time(at)?, length))
}

pub(super) fn every(value: &str) -> Option<(Nanos, Nanos)> {
    let (period, length) = value.split_once(':')?;
    let (period, length) = (time(period)?, time(length)?);
    let is_right = (Nanos::from_millis(1)..=DAY).contains(&period);
    (is_right && period > length && length > Nanos::ZERO).then_some((period, length))
}

pub(super) fn error(value: &str) -> Option<(u64, i32)> {
    let (name, at) = value.split_once('@')?;
    Some((at.parse().ok()?, errno::parse(name)?))
}
