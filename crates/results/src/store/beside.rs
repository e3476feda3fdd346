//! What is beside the intervals and workers of a stage: processors, what else the kernel counted, figures by worker,
//! counts by file.
//!
//! Belongs here: reading those tables. Must never: read another table.

use super::facts;
use super::fault::Fault;
use super::rows::OpRow;
use leadline_model::event::{CpuInterval, CpuTime};
use leadline_model::facts::Fact;
use leadline_model::sample::Counts;
use leadline_model::units::Nanos;
use rusqlite::Connection;
use std::collections::BTreeMap;

/// What the processors did over the measured window of a stage.
pub(super) fn cpus(db: &Connection, stage_run: i64) -> rusqlite::Result<Vec<CpuTime>> {
    let mut statement = db.prepare(
        "SELECT host, cpu, user_ns, kernel_ns, idle_ns, wait_ns, steal_ns, span_ns
         FROM cpus WHERE stage_run = ? ORDER BY id",
    )?;
    let rows = statement.query_map([stage_run], |row| {
        let time = |index| {
            let value = row.get::<_, i64>(index);
            value.map(|n| Nanos(n.cast_unsigned()))
        };
        Ok(CpuTime {
            host: row.get(0)?,
            cpu: row.get(1)?,
            user: time(2)?,
            kernel: time(3)?,
            idle: time(4)?,
            wait: time(5)?,
            steal: time(6)?,
            span: time(7)?,
        })
    })?;
    rows.collect()
}

/// What else the kernel counted during a stage.
pub(super) fn counted(db: &Connection, stage_run: i64) -> Result<Vec<Fact>, Fault> {
    let columns = facts::COLUMNS;
    let query = db.prepare(&format!(
        "SELECT {columns} FROM counted WHERE stage_run = ? ORDER BY id"
    ))?;
    facts::read(query, [stage_run])
}

/// What the processors did in each interval of a stage, whose number in the plan is `stage`.
pub(super) fn processors(
    db: &Connection,
    stage_run: i64,
    stage: u32,
) -> rusqlite::Result<Vec<CpuInterval>> {
    let mut statement = db.prepare(
        "SELECT host, interval, cpus, user_ns, kernel_ns, idle_ns, wait_ns, steal_ns
         FROM interval_cpus WHERE stage_run = ? ORDER BY id",
    )?;
    let rows = statement.query_map([stage_run], |row| {
        let number = |index| row.get::<_, i64>(index).map(i64::cast_unsigned);
        let time = |index| number(index).map(Nanos);
        Ok(CpuInterval {
            host: row.get(0)?,
            stage,
            interval: number(1)?,
            cpus: row.get(2)?,
            user: time(3)?,
            kernel: time(4)?,
            idle: time(5)?,
            wait: time(6)?,
            steal: time(7)?,
        })
    })?;
    rows.collect()
}

/// What the workers of a stage did by file, by the worker's id, where that was counted.
pub(super) fn files(db: &Connection, stage_run: i64) -> Result<BTreeMap<i64, Vec<Counts>>, Fault> {
    let mut found: BTreeMap<i64, Vec<Counts>> = BTreeMap::new();
    let mut statement = db.prepare(
        "SELECT f.id, f.worker_id FROM worker_files f
         JOIN workers w ON w.id = f.worker_id WHERE w.stage_run = ? ORDER BY f.worker_id, f.file",
    )?;
    // Where the counts of each file stand: worker, and place among its files.
    let mut places = BTreeMap::new();
    let mut rows = statement.query([stage_run])?;
    while let Some(row) = rows.next()? {
        let (file, worker): (i64, i64) = (row.get(0)?, row.get(1)?);
        let files = found.entry(worker).or_default();
        places.insert(file, (worker, files.len()));
        files.push(Counts::default());
    }
    let mut statement = db.prepare(&format!(
        "SELECT worker_file_id, {} FROM worker_file_ops ORDER BY id",
        OpRow::COLUMNS
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let row = OpRow::read(row)?;
        let place = places.get(&row.owner);
        let files = place.and_then(|(worker, at)| found.get_mut(worker)?.get_mut(*at));
        if let Some(counts) = files
            && let Some((op, of_op)) = row.counts()?
        {
            counts.ops.insert(op, of_op);
        }
    }
    Ok(found)
}
