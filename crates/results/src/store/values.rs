//! Values of a run file's rows as the model has them.
//!
//! Belongs here: what several readers of tables need. Must never: read a table.

use super::fault::Fault;
use leadline_model::units::Nanos;
use rusqlite::Row;
use serde::de::DeserializeOwned;

/// A row of `stages`.
pub(super) struct StageRow {
    pub(super) run: i64,
    pub(super) stage: u32,
    pub(super) start: Nanos,
    pub(super) end: Option<Nanos>,
    pub(super) wall_ms: u64,
}

pub(super) fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    Ok(serde_json::from_str(text)?)
}

pub(super) fn unsigned(row: &Row<'_>, index: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(index).map(i64::cast_unsigned)
}

pub(super) fn nanos(row: &Row<'_>, index: usize) -> rusqlite::Result<Nanos> {
    unsigned(row, index).map(Nanos)
}
