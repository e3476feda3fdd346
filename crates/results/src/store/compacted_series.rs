//! What SQL users see of intervals whose rows were compacted: rows of one operation in intervals that follow one another,
//! stored as their differences to the first.
//!
//! Belongs here: that form; see [`super::schema::SCHEMA`]. Must never: be read back by leadline.

use super::rows::{Columns, OpColumns};
use leadline_model::op::Op;
use leadline_model::sample::Sample;
use leadline_model::units::Nanos;
use rusqlite::{Connection, params};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The compacted intervals of a stage.
#[derive(Debug, Default)]
pub(super) struct AllCompactedSeries {
    /// Those that may continue, by workload, host and operation.
    open: BTreeMap<(u32, u32, usize), CompactedSeries>,
    done: Vec<CompactedSeries>,
    bytes: usize,
}

/// One operation of a workload on a host in intervals that follow one another.
#[derive(Debug)]
struct CompactedSeries {
    workload: u32,
    host: u32,
    op: Op,
    warmup: bool,
    interval: u64,
    start: Nanos,
    length: Nanos,
    /// How many intervals it has.
    intervals: u64,
    /// Figures of the first.
    first: OpColumns,
    /// JSON, without the bracket at its end.
    differences: String,
}

impl AllCompactedSeries {
    /// Adds one operation of a sample.
    pub(super) fn add(&mut self, sample: &Sample, op: Op, figures: &OpColumns) {
        let key = (sample.workload, sample.host, op.index());
        if let Some(series) = self.open.get_mut(&key).filter(|c| c.goes_on(sample)) {
            let before = series.differences.len();
            series.add(figures);
            self.bytes += series.differences.len() - before;
            return;
        }
        self.bytes += size_of::<CompactedSeries>();
        let series = CompactedSeries {
            workload: sample.workload,
            host: sample.host,
            op,
            warmup: sample.warmup,
            interval: sample.interval,
            start: sample.start,
            length: sample.length,
            intervals: 1,
            first: *figures,
            differences: "[0".to_owned(),
        };
        self.done.extend(self.open.insert(key, series));
    }

    /// Bytes held, about.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Writes all of them.
    pub(super) fn write(&self, db: &Connection, stage_run: i64) -> rusqlite::Result<()> {
        let mut statement = db.prepare_cached(
            "INSERT INTO compacted VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        )?;
        for series in self.done.iter().chain(self.open.values()) {
            let first = &series.first;
            let (service, response) = (&first.service, &first.response);
            statement.execute(params![
                stage_run,
                series.workload,
                series.host,
                series.warmup,
                series.interval.cast_signed(),
                series.intervals.cast_signed(),
                series.start.0.cast_signed(),
                series.length.0.cast_signed(),
                series.op.name(),
                first.counts[0],
                first.counts[1],
                first.counts[2],
                first.counts[3],
                service.min,
                service.mean,
                service.p50,
                service.p99,
                service.max,
                response.min,
                response.mean,
                response.p50,
                response.p99,
                response.max,
                format!("{}]", series.differences),
            ])?;
        }
        Ok(())
    }
}

impl CompactedSeries {
    /// Whether the sample's interval follows the last.
    fn goes_on(&self, sample: &Sample) -> bool {
        sample.interval == self.interval.wrapping_add(self.intervals)
            && sample.length == self.length
            && sample.warmup == self.warmup
            && sample.start.0 == self.start.0 + self.length.0.saturating_mul(self.intervals)
    }

    fn add(&mut self, figures: &OpColumns) {
        self.intervals += 1;
        let text = &mut self.differences;
        if *figures == self.first {
            text.push_str(",0");
            return;
        }
        text.push_str(",[");
        for (value, first) in figures.counts.iter().zip(self.first.counts) {
            put(text, Some(*value), Some(first));
        }
        latency(text, &figures.service, &self.first.service);
        if figures.response.min.is_some() {
            latency(text, &figures.response, &self.first.response);
        }
        // After the last comes a comma.
        text.pop();
        text.push(']');
    }
}

fn latency(text: &mut String, columns: &Columns, first: &Columns) {
    put(text, columns.min, first.min);
    match columns.mean {
        // In whole nanoseconds, as all else here.
        Some(mean) => {
            let difference = (mean - first.mean.unwrap_or(0.0)).round();
            let _ = write!(
                text,
                "{:.0},",
                if difference == 0.0 { 0.0 } else { difference }
            );
        }
        None => text.push_str("null,"),
    }
    put(text, columns.p50, first.p50);
    put(text, columns.p99, first.p99);
    put(text, columns.max, first.max);
}

fn put(text: &mut String, value: Option<i64>, first: Option<i64>) {
    // Writing into a text does not fail.
    let _ = match value {
        Some(value) => write!(text, "{},", value.wrapping_sub(first.unwrap_or(0))),
        None => write!(text, "null,"),
    };
}
