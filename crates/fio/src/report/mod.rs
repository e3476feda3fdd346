//! A run in the shapes that fio prints: normal text, `json`, `json+`. For the people and programs that
//! read those today.
//!
//! Belongs here: fio's layout, key order and number formats. Must never: leave out or rename what fio
//! has, add a key between fio's own (additions come after them), measure.
//!
//! # What fio's words mean here
//! - `lat_ns` is the service latency: from just before the kernel is asked to the completion. Where an
//!   engine hands over and waits apart (io_uring, libaio, null with a depth), `slat_ns` is the part of it
//!   until the call that hands over came back, which I/Os handed over together share, and `clat_ns` the
//!   rest, as in fio: of an I/O that ends within the call (the page cache) nearly all is slat. Elsewhere
//!   `slat_ns` has no samples (`N` 0) and `clat_ns` is `lat_ns`.
//! - `percentile` is given in `clat_ns` and in `lat_ns`, never above `max`; `bins` are fio's.
//! - `bw_*` and `iops_*` are over all measured intervals, also those without any I/O.
//! - A job that did not outlast its `ramp_time` shows what it did in it, without latencies and without
//!   interval rates, as fio does. Shares of a window of no length are 0.
//! - `drop_ios` is always 0: nothing is dropped.
//! - What the user switched off (`disable_lat` and the like) is left out of the text; JSON keeps it, as
//!   it was measured all the same.
//!
//! # Additions
//! Per direction `response_ns` (from the intended start; equals `lat_ns` in a closed loop); per job
//! `lag_ns` and `late_ios` at a rate, `unissued_ios`, `start_skew_ns`; at the top `leadline`, with all
//! `findings`. The text ends with them, each kind once.

mod dist;
mod hosts;
mod json;
mod number;
mod record;
mod samples;
mod status;
mod text;
mod value;
mod warmup;

pub use json::value;
pub use status::StatusLine;
pub use text::{header, text};

use leadline_model::event::{DiskUse, Outcome};
use leadline_model::plan::Workload;
use leadline_model::units::Nanos;
use leadline_results::run::Run;
use record::{Record, Side, fatal};
use std::collections::BTreeMap;

/// The version shown where fio shows its own: consumers parse the number after `fio-`. It is the
/// version whose shapes these are; leadline's own version is in the `leadline` object.
pub const FIO_VERSION: &str = "fio-3.42";

/// What the outputs depend on beside the run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bins beside the percentiles (`json+`).
    pub bins: bool,
    /// Name of the run file, if one was kept.
    pub run_file: Option<String>,
    /// Time zone of the dates shown.
    pub zone: jiff::tz::TimeZone,
}

impl Default for Options {
    /// No bins, no run file, UTC.
    fn default() -> Self {
        Self {
            bins: false,
            run_file: None,
            zone: jiff::tz::TimeZone::UTC,
        }
    }
}

/// The text of `--output-format=json`, or of `json+` with [`Options::bins`].
#[must_use]
pub fn json(run: &Run, options: &Options) -> String {
    // Its keys are texts: printing cannot fail.
    leadline_text::json::fio(&value(run, options)).unwrap_or_default()
}

/// fio's exit status: how many jobs ended with an error (at most 255, where fio wraps round to 0), 1
/// when the run failed before any did, 128 when it was interrupted.
#[must_use]
pub fn exit_status(run: &Run) -> u8 {
    let workers = run.stages.iter().flat_map(|s| &s.workers);
    let failed = workers.filter(|w| fatal(w) != 0 && run.loss(w.host).is_none());
    let failed = failed.count();
    match &run.outcome {
        Some(Outcome::CutShort) => 128,
        Some(Outcome::Failed(_)) => u8::try_from(failed.max(1)).unwrap_or(u8::MAX),
        _ => u8::try_from(failed).unwrap_or(u8::MAX),
    }
}

/// A point of wall clock time as fio writes it: `Fri Nov 20 05:30:10 2026`.
fn calendar(wall_ms: u64, zone: &jiff::tz::TimeZone) -> String {
    let ms = i64::try_from(wall_ms).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(ms).map_or_else(
        |_| String::from("unknown"),
        |at| {
            let at = at.to_zoned(zone.clone());
            at.strftime("%a %b %e %H:%M:%S %Y").to_string()
        },
    )
}

/// Whether errors are ignored, so that their number is shown.
fn goes_on(plan: &Workload) -> bool {
    let go_on = plan.on_error.go_on;
    go_on.read || go_on.write || go_on.trim
}

/// The block devices of all stages, each with the sum over the stages; none when every workload was set
/// not to show them.
fn disks(run: &Run, records: &[Record<'_>]) -> Vec<DiskUse> {
    let mut all: Vec<DiskUse> = Vec::new();
    if !records.iter().any(|r| r.shown.disk_util) {
        return all;
    }
    for disk in run.stages.iter().flat_map(|s| &s.disks) {
        let Some(sum) = all.iter_mut().find(|d| d.name == disk.name) else {
            all.push(disk.clone());
            continue;
        };
        for side in 0..2 {
            sum.ios[side] += disk.ios[side];
            sum.merges[side] += disk.merges[side];
            sum.sectors[side] += disk.sectors[side];
            sum.ticks_ms[side] += disk.ticks_ms[side];
        }
        sum.busy_ms += disk.busy_ms;
        sum.queue_ms += disk.queue_ms;
        sum.span_ms += disk.span_ms;
    }
    all
}

/// Percent of the time in which a device had any I/O in flight.
fn utilisation(disk: &DiskUse) -> f64 {
    if disk.span_ms == 0 {
        return 0.0;
    }
    (disk.busy_ms as f64 * 100.0 / disk.span_ms as f64).min(100.0)
}

/// A record's mean interval bandwidth as percent of its group's bandwidth, at most 100.
fn share_of_group(record: &Record<'_>, side: Side, groups: &Groups) -> f64 {
    let group = groups.get(record.plan.group, side);
    let mean = record.spreads[side.index()].bw.mean * 1024.0;
    if mean <= 0.0 || group.bytes_per_s <= 0.0 {
        return 0.0;
    }
    (mean * 100.0 / group.bytes_per_s).min(100.0)
}

/// The sum over a report group in one direction.
#[derive(Clone, Copy)]
struct Group {
    /// Bytes moved.
    bytes: u64,
    /// All bytes over the longest window.
    bytes_per_s: f64,
    /// Smallest and largest rate of a record.
    slowest: f64,
    fastest: f64,
    /// Shortest and longest window, in milliseconds; the longest is 0 when there was no I/O.
    shortest_ms: u64,
    longest_ms: u64,
    longest: Nanos,
}

impl Group {
    const EMPTY: Self = Self {
        bytes: 0,
        bytes_per_s: 0.0,
        slowest: f64::INFINITY,
        fastest: 0.0,
        shortest_ms: u64::MAX,
        longest_ms: 0,
        longest: Nanos::ZERO,
    };

    fn add(&mut self, record: &Record<'_>, side: Side) {
        let runtime = record.runtime_ms(side);
        if runtime == 0 {
            return;
        }
        self.bytes += record.amount(side).1;
        self.slowest = self.slowest.min(record.bytes_per_s(side));
        self.fastest = self.fastest.max(record.bytes_per_s(side));
        self.shortest_ms = self.shortest_ms.min(runtime);
        self.longest_ms = self.longest_ms.max(runtime);
        self.longest = self.longest.max(record.window);
        self.bytes_per_s = record::per_second(self.bytes, self.longest);
    }
}

/// The sums of all report groups, by direction.
struct Groups(BTreeMap<u32, record::BySide<Group>>);

impl Groups {
    fn of(records: &[Record<'_>]) -> Self {
        let mut groups = BTreeMap::new();
        for record in records {
            let sums = groups
                .entry(record.plan.group)
                .or_insert([Group::EMPTY; Side::ALL.len()]);
            Side::ALL
                .iter()
                .for_each(|&side| sums[side.index()].add(record, side));
        }
        Self(groups)
    }

    fn get(&self, group: u32, side: Side) -> Group {
        self.0
            .get(&group)
            .map_or(Group::EMPTY, |sums| sums[side.index()])
    }
}

#[cfg(test)]
mod tests;
