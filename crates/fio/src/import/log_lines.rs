//! Lines of fio's logs: names of files, columns, and which job and direction each line is of.
//!
//! Belongs here: names and columns of logs. Must never: compute a figure.

use super::wrong;
use leadline_dialect::diagnostic::{Diagnostic, SourceId};
use leadline_model::histogram::{Histogram, fio_bin_value};
use leadline_model::op::Op;
use std::collections::BTreeMap;

/// Bins of a histogram log that is as fine as it can be.
const BINS: usize = 1856;
/// No time is later than this, in milliseconds since 1970.
const LATEST: f64 = 1e14;

/// What a log is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogKind {
    /// Throughput.
    Bw,
    /// IOPS.
    Iops,
    /// Latency from the start of an I/O.
    Lat,
    /// Latency from when it had been submitted.
    Clat,
    /// The time that submitting took.
    Slat,
    /// Histogram of completion latencies.
    ClatHist,
}

/// The name of a log: `PREFIX_lat.2.log`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogName {
    /// What all logs of a run begin with.
    pub prefix: String,
    /// Number of the job, from 1; 0 where the jobs share a log (`per_job_logs=0`).
    pub job: u32,
    /// What it is of.
    pub kind: LogKind,
}

impl LogName {
    /// The parts of the name of a file; `None` where it is no log that is known.
    #[must_use]
    pub fn of(file: &str) -> Option<Self> {
        const KINDS: [(&str, LogKind); 6] = [
            ("_clat_hist", LogKind::ClatHist),
            ("_bw", LogKind::Bw),
            ("_iops", LogKind::Iops),
            ("_clat", LogKind::Clat),
            ("_slat", LogKind::Slat),
            ("_lat", LogKind::Lat),
        ];
        let stem = file.strip_suffix(".log")?;
        let (stem, job) = match stem.rsplit_once('.') {
            Some((stem, number)) if number.bytes().all(|b| b.is_ascii_digit()) => {
                (stem, number.parse().ok()?)
            }
            _ => (stem, 0),
        };
        let (prefix, kind) = KINDS
            .iter()
            .find_map(|(end, kind)| Some((stem.strip_suffix(end)?, *kind)))?;
        Some(Self {
            prefix: prefix.to_owned(),
            job,
            kind,
        })
    }
}

/// A line of a log that is no histogram.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogLine {
    /// Milliseconds since the start of the job.
    pub(super) at: f64,
    pub(super) value: f64,
    /// Bytes of the I/O; 0 = a window.
    pub(super) block: f64,
}

/// The logs of one operation of one job.
#[derive(Default)]
pub(super) struct OfOne {
    pub(super) lines: BTreeMap<LogKind, Vec<LogLine>>,
    pub(super) histogram: Option<Histogram>,
}

/// The logs of one prefix so far.
#[derive(Default)]
pub(super) struct LogReader {
    /// By job and direction.
    pub(super) all: BTreeMap<(u32, usize), OfOne>,
    /// What keeps a log from being read.
    pub(super) faults: Vec<Diagnostic>,
    /// Logs whose last line is cut.
    pub(super) cut: Vec<String>,
    /// What else a reader must know of them.
    pub(super) doubts: Vec<String>,
}

impl LogReader {
    /// Reads a log.
    pub(super) fn file(&mut self, log: &LogName, path: &str, text: &str, source: SourceId) {
        // A log that fio could not end stops in a line, of which no cell can be trusted.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let (text, rest) = text.split_at(whole);
        if !rest.trim().is_empty() {
            self.cut
                .push(format!("the last line of {path} is cut and left out"));
        }
        // Nothing is submitted apart by many engines, and then this log has no line.
        if text.trim().is_empty() && log.kind != LogKind::Slat {
            self.doubts.push(format!("{path} is empty"));
        }
        let mut place = SharedLog::default();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let from = at;
            at += line.len();
            if line.trim().is_empty() || add(log, &mut place, line, &mut self.all).is_some() {
                continue;
            }
            let at_line = (source, from, from + line.trim_end().len());
            let what = match log.kind {
                LogKind::ClatHist => "a line is `time, direction, block size`, and 1,856 counts",
                _ => "a line is `time, value, direction, block size`",
            };
            let cure = "was fio ended while it wrote? the line may be cut";
            self.faults
                .extend(wrong("no-log-line", what, at_line, cure));
            // One line a file is enough to know.
            break;
        }
    }
}

/// Where in a log that jobs share a line is: fio writes it job by job, each from the start of its time.
#[derive(Default)]
struct SharedLog {
    /// The job that the last line was of, from 1; 0 = there was none.
    job: u32,
    /// The time of the last line, in milliseconds.
    at: f64,
}

impl SharedLog {
    /// The job that a line of a window is of.
    fn job_at(&mut self, at: f64) -> u32 {
        if self.job == 0 || at < self.at {
            self.job += 1;
        }
        self.at = at;
        self.job
    }
}

/// Directions as logs number them.
pub(super) const OPS: [Op; 3] = [Op::Read, Op::Write, Op::Trim];

/// Adds a line to its operation; `None` where it is none.
fn add(
    log: &LogName,
    place: &mut SharedLog,
    line: &str,
    all: &mut BTreeMap<(u32, usize), OfOne>,
) -> Option<()> {
    let mut cells = line
        .trim_end()
        .trim_end_matches(',')
        .split(',')
        .map(str::trim);
    let number = |cell: Option<&str>| {
        let number: f64 = cell?.parse().ok()?;
        (number.is_finite() && number >= 0.0).then_some(number)
    };
    let at = number(cells.next()).filter(|at| *at < LATEST)?;
    let value = match log.kind {
        LogKind::ClatHist => 0.0,
        _ => number(cells.next())?,
    };
    // Directions are 0 for reads, 1 for writes, 2 for trims.
    let op: usize = cells.next()?.parse().ok().filter(|op| *op < OPS.len())?;
    let block = number(cells.next())?;
    let job = match log.job {
        0 if block <= 0.0 => place.job_at(at),
        job => job,
    };
    let of = all.entry((job, op)).or_default();
    if log.kind != LogKind::ClatHist {
        let lines = of.lines.entry(log.kind).or_default();
        lines.push(LogLine { at, value, block });
        return Some(());
    }
    let counts: Vec<u64> = cells.map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
    // Coarser logs have each bin of several, a power of two of them.
    let each = BINS.checked_div(counts.len())?;
    if each * counts.len() != BINS || !each.is_power_of_two() {
        return None;
    }
    let histogram = of.histogram.get_or_insert_with(Histogram::new);
    for (bin, count) in counts.into_iter().enumerate().filter(|(_, n)| *n > 0) {
        histogram.record_many(fio_bin_value(bin * each + each / 2), count);
    }
    Some(())
}
