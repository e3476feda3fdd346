//! Wall time for people: the user's zone, dates for names and lists.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The user's time zone.
pub(crate) fn zone() -> TimeZone {
    TimeZone::system()
}

/// `2026-11-20 07:55:03` in the user's zone; empty when the time is not known.
pub(crate) fn shown(wall_ms: u64) -> String {
    format(wall_ms, "%Y-%m-%d %H:%M:%S")
}

/// `20261120-075503` now, for names of files.
pub(crate) fn stamp() -> String {
    format(leadline_engine::os::wall::wall_ms(), "%Y%m%d-%H%M%S")
}

fn format(wall_ms: u64, pattern: &str) -> String {
    let known = i64::try_from(wall_ms).ok().filter(|&ms| ms > 0);
    let Some(time) = known.and_then(|ms| Timestamp::from_millisecond(ms).ok()) else {
        return String::new();
    };
    time.to_zoned(zone()).strftime(pattern).to_string()
}
