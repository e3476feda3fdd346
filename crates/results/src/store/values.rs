//! Values of a run file's rows as the model has them.
//!
//! Belongs here: what several readers of tables need. Must never: read a table.

use super::fault::Fault;
use crate::run::Run;
use leadline_model::event::Event;
use leadline_model::units::Nanos;
use rusqlite::Row;
use serde::de::DeserializeOwned;

/// What a run file is read to.
pub(super) struct Reading<'a> {
    pub(super) run: Run,
    /// Who gets each event as well.
    pub(super) also: Option<&'a mut dyn FnMut(&Event)>,
}

impl Reading<'_> {
    pub(super) fn apply(&mut self, event: &Event) {
        self.run.apply(event);
        if let Some(also) = &mut self.also {
            also(event);
        }
    }
}

/// A row of `stages`.
pub(super) struct StageRow {
    pub(super) run: i64,
    pub(super) stage: u32,
    pub(super) start: Nanos,
    pub(super) end: Option<Nanos>,
    pub(super) wall_ms: u64,
}

/// The JSON text of a value.
pub(super) fn json(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))
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
