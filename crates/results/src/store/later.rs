//! Tables that run files of earlier versions do not have: read as empty where they are missing.

use super::reader::Fault;
use leadline_model::codec::decode_moments;
use leadline_model::event::{CpuInterval, CpuTime};
use leadline_model::sample::Moments;
use leadline_model::units::Nanos;
use rusqlite::Connection;
use std::collections::BTreeMap;

/// Whether the file has a table.
fn has(db: &Connection, table: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?";
    db.query_row(sql, [table], |row| row.get::<_, i64>(0))
        .map(|count| count > 0)
}

/// What the processors did over the measured window of a stage.
pub(super) fn cpus(db: &Connection, stage_run: i64) -> rusqlite::Result<Vec<CpuTime>> {
    if !has(db, "cpus")? {
        return Ok(Vec::new());
    }
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

/// What the processors did in each interval of a stage, whose number in the plan is `stage`.
pub(super) fn processors(
    db: &Connection,
    stage_run: i64,
    stage: u32,
) -> rusqlite::Result<Vec<CpuInterval>> {
    if !has(db, "interval_cpus")? {
        return Ok(Vec::new());
    }
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

/// Reads and writes by worker of the intervals of a stage that have them, by the interval's id.
pub(super) fn moments(
    db: &Connection,
    stage_run: i64,
) -> Result<BTreeMap<i64, Vec<[Moments; 2]>>, Fault> {
    if !has(db, "interval_moments")? {
        return Ok(BTreeMap::new());
    }
    let mut statement = db.prepare(
        "SELECT m.interval_id, m.moments FROM interval_moments m
         JOIN intervals i ON i.id = m.interval_id WHERE i.stage_run = ?",
    )?;
    let mut rows = statement.query([stage_run])?;
    let mut found = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let bytes: Vec<u8> = row.get(1)?;
        found.insert(row.get(0)?, decode_moments(&bytes)?);
    }
    Ok(found)
}
