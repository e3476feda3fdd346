//! Wall time as the files have it.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Writes moments in one time zone.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    zone: TimeZone,
}

impl Clock {
    pub(super) const fn new(zone: TimeZone) -> Self {
        Self { zone }
    }

    fn format(&self, wall_ms: u64, pattern: &str) -> String {
        let ms = i64::try_from(wall_ms).unwrap_or(0);
        let at = Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH);
        at.to_zoned(self.zone.clone()).strftime(pattern).to_string()
    }

    /// `05:34:20.100`.
    pub(super) fn time(&self, wall_ms: u64) -> String {
        format!("{}.{:03}", self.format(wall_ms, "%H:%M:%S"), wall_ms % 1000)
    }

    /// `Nov 20, 2026`.
    pub(super) fn date(&self, wall_ms: u64) -> String {
        self.format(wall_ms, "%b %d, %Y")
    }

    /// `11/20/2026-05:34:20-UTC`.
    pub(super) fn stamp(&self, wall_ms: u64) -> String {
        self.format(wall_ms, "%m/%d/%Y-%H:%M:%S-%Z")
    }

    /// `05:34:15 Nov 20 2026 UTC`.
    pub(super) fn long(&self, wall_ms: u64) -> String {
        self.format(wall_ms, "%H:%M:%S %b %d %Y %Z")
    }
}
