//! Reading back intervals and workers: rows whose counters are in another table.
//!
//! Belongs here: those tables, row by row. Must never: hold all rows of one.

use super::beside;
use super::fault::Fault;
use super::rows::{OpRow, decode_depths, decode_pairs};
use super::values::{Reading, StageRow, from_json, nanos, unsigned};
use leadline_model::codec::{DecodeError, decode_latency, decode_moments};
use leadline_model::event::Event;
use leadline_model::latency::Latency;
use leadline_model::op::Op;
use leadline_model::sample::{Counts, CpuUse, Drain, Sample, Waits, WorkerTotals};
use leadline_model::units::Nanos;
use rusqlite::{Connection, Row, Statement};
use serde::Deserialize;

/// The intervals of a stage that have rows of their own, from one number on and below another.
pub(super) fn intervals(
    db: &Connection,
    stage: &StageRow,
    from: i64,
    below: Option<i64>,
    to: &mut Reading<'_>,
) -> Result<(), Fault> {
    let range = (stage.run, from, below.unwrap_or(i64::MAX));
    let mut statement = db.prepare(
        "SELECT id, workload, interval, start_ns, length_ns, warmup, late, lag, depths, workers, host, moments
         FROM intervals LEFT JOIN interval_moments ON interval_id = id
         WHERE stage_run = ? AND id >= ? AND id < ? ORDER BY id",
    )?;
    let mut rows = statement.query(range)?;
    let mut next = rows.next()?;
    if next.is_none() {
        return Ok(());
    }
    let mut of_ops = Ops::of(
        db,
        "samples",
        "interval_id",
        "intervals WHERE stage_run = ? AND id >= ? AND id < ?",
    )?;
    let mut ops = Ops::begin(&mut of_ops, range)?;
    while let Some(row) = next {
        let counts = counts(row, 6, &mut ops)?;
        let workers: Vec<u8> = row.get(9)?;
        let moments: Option<Vec<u8>> = row.get(11)?;
        let moments = moments.as_deref().map(decode_moments).transpose()?;
        to.apply(&Event::Interval(Box::new(Sample {
            host: row.get(10)?,
            stage: stage.stage,
            workload: row.get(1)?,
            interval: unsigned(row, 2)?,
            start: nanos(row, 3)?,
            length: nanos(row, 4)?,
            warmup: row.get(5)?,
            counts,
            workers: decode_pairs(&workers)?,
            moments: moments.unwrap_or_default(),
        })));
        next = rows.next()?;
    }
    ops.end()
}

/// Rows of operations, taken owner by owner: both tables were written in the same order.
struct Ops<'a> {
    rows: rusqlite::Rows<'a>,
    /// The one that is read next.
    next: Option<OpRow>,
}

impl<'a> Ops<'a> {
    /// The query of the rows whose owners are among these.
    fn of<'c>(
        db: &'c Connection,
        table: &str,
        owner: &str,
        owners: &str,
    ) -> rusqlite::Result<Statement<'c>> {
        let columns = OpRow::COLUMNS;
        db.prepare(&format!(
            "SELECT {owner}, {columns} FROM {table} WHERE {owner} IN (SELECT id FROM {owners})
             ORDER BY {table}.id"
        ))
    }

    fn begin(statement: &'a mut Statement<'_>, of: impl rusqlite::Params) -> Result<Self, Fault> {
        let rows = statement.query(of)?;
        let mut ops = Self { rows, next: None };
        ops.turn()?;
        Ok(ops)
    }

    fn turn(&mut self) -> Result<(), Fault> {
        self.next = self.rows.next()?.map(OpRow::read).transpose()?;
        Ok(())
    }

    fn take(&mut self, owner: i64, counts: &mut Counts) -> Result<(), Fault> {
        while let Some(row) = self.next.take_if(|row| row.owner == owner) {
            if let Some((op, of_op)) = row.counts()? {
                counts.ops.insert(op, of_op);
            }
            self.turn()?;
        }
        Ok(())
    }

    fn end(self) -> Result<(), Fault> {
        match self.next {
            None => Ok(()),
            Some(row) => Err(Fault::What(format!(
                "counters of row {} have no owner",
                row.owner
            ))),
        }
    }
}

/// The counters of a row whose id is its first column and whose columns from `first` on are late, lag,
/// depths.
fn counts(row: &Row<'_>, first: usize, ops: &mut Ops<'_>) -> Result<Counts, Fault> {
    let depths: Vec<u8> = row.get(first + 2)?;
    let mut counts = Counts {
        late: unsigned(row, first)?,
        lag: latency(row.get(first + 1)?)?,
        depths: decode_depths(&depths)?,
        ..Counts::default()
    };
    ops.take(row.get(0)?, &mut counts)?;
    Ok(counts)
}

fn latency(bytes: Option<Vec<u8>>) -> Result<Option<Latency>, DecodeError> {
    bytes.as_deref().map(decode_latency).transpose()
}

/// The workers of a stage that ended.
pub(super) fn workers(
    db: &Connection,
    stage: &StageRow,
    to: &mut Reading<'_>,
) -> Result<(), Fault> {
    let mut statement = db.prepare("SELECT id, workload, worker, thread_id, first_submit_ns, window_start_ns, window_end_ns,
         warmup_ios, unissued, user_ns, system_ns, voluntary, involuntary, major_faults, minor_faults,
         seed, errors, end, late, lag, depths, host, waiting_ns, waits, edge_ns, drain
         FROM workers WHERE stage_run = ? ORDER BY id")?;
    let mut rows = statement.query([stage.run])?;
    let mut of_ops = Ops::of(db, "worker_ops", "worker_id", "workers WHERE stage_run = ?")?;
    let mut ops = Ops::begin(&mut of_ops, [stage.run])?;
    let mut files = beside::files(db, stage.run)?;
    while let Some(row) = rows.next()? {
        let first_submit = row.get::<_, Option<i64>>(4)?;
        to.apply(&Event::WorkerEnded(Box::new(WorkerTotals {
            host: row.get(21)?,
            stage: stage.stage,
            workload: row.get(1)?,
            worker: row.get(2)?,
            thread_id: row.get(3)?,
            first_submit: first_submit.map(|n| Nanos(n.cast_unsigned())),
            window_start: nanos(row, 5)?,
            window_end: nanos(row, 6)?,
            warmup_ios: unsigned(row, 7)?,
            unissued: unsigned(row, 8)?,
            edge: row.get(24)?,
            drain: drain(row.get(25)?)?,
            cpu: CpuUse {
                user: nanos(row, 9)?,
                system: nanos(row, 10)?,
                voluntary: unsigned(row, 11)?,
                involuntary: unsigned(row, 12)?,
                major_faults: unsigned(row, 13)?,
                minor_faults: unsigned(row, 14)?,
                waiting: nanos(row, 22)?,
                waits: match row.get::<_, Option<String>>(23)? {
                    Some(text) => from_json(&text)?,
                    None => Waits::default(),
                },
            },
            seed: unsigned(row, 15)?,
            errors: errors(&row.get::<_, String>(16)?)?,
            end: from_json(&row.get::<_, String>(17)?)?,
            counts: counts(row, 18, &mut ops)?,
            files: files.remove(&row.get(0)?).unwrap_or_default(),
        })));
    }
    ops.end()
}

/// What ended after the end, without operations that this version does not know.
fn drain(json: Option<String>) -> Result<Option<Drain>, Fault> {
    #[derive(Deserialize)]
    struct Stored {
        from: Nanos,
        done: Vec<(String, u64, u64)>,
        in_flight: u64,
    }
    let Some(json) = json else { return Ok(None) };
    let stored: Stored = from_json(&json)?;
    let known = |(op, ios, bytes): (String, u64, u64)| Some((Op::named(&op)?, ios, bytes));
    Ok(Some(Drain {
        from: stored.from,
        done: stored.done.into_iter().filter_map(known).collect(),
        in_flight: stored.in_flight,
    }))
}

/// How often each operation failed with which error number, without operations that this version does not know.
fn errors(json: &str) -> Result<Vec<(Op, i32, u64)>, Fault> {
    let all: Vec<(String, i32, u64)> = from_json(json)?;
    let known = |(op, errno, times): (String, i32, u64)| Some((Op::named(&op)?, errno, times));
    Ok(all.into_iter().filter_map(known).collect())
}
