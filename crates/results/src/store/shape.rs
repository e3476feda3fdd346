//! Whether the tables of a file are those that a writer of this version makes.
//!
//! Belongs here: comparing its schema with [`SCHEMA`]. Must never: read a row.

use super::schema::SCHEMA;
use rusqlite::Connection;
use std::collections::BTreeMap;

/// What is wrong with the tables of the file, in words. A view, a computed column or a trigger in place of
/// a table or beside it runs what its author wrote when the file is used, so each statement that made a
/// table must be ours to the letter. Tables, indexes and views that a user added are not looked at.
pub(super) fn fault(db: &Connection) -> rusqlite::Result<Option<String>> {
    let found = objects(db)?;
    let own = Connection::open_in_memory()?;
    own.execute_batch(SCHEMA)?;
    for (name, object) in objects(&own)? {
        let problem = match found.get(&name) {
            Some(theirs) if *theirs == object => continue,
            Some(_) => "does not match this version's schema",
            None => "is missing",
        };
        return Ok(Some(format!(
            "its {} {name:?} {problem}; another build of leadline or another program wrote it",
            object.kind
        )));
    }
    let trigger = found.iter().find(|(_, other)| other.kind == "trigger");
    Ok(trigger.map(|(name, _)| {
        format!("it has a trigger, {name:?}, which no version of leadline creates")
    }))
}

/// An object of a schema.
#[derive(PartialEq, Eq)]
struct Object {
    /// `table`, `index`, `view` or `trigger`.
    kind: String,
    /// The statement that made it; none of what SQLite makes by itself.
    sql: Option<String>,
}

/// All objects by name.
fn objects(db: &Connection) -> rusqlite::Result<BTreeMap<String, Object>> {
    let mut statement = db.prepare("SELECT name, type, sql FROM sqlite_schema")?;
    let rows = statement.query_map([], |row| {
        let (kind, sql) = (row.get(1)?, row.get(2)?);
        Ok((row.get(0)?, Object { kind, sql }))
    })?;
    rows.collect()
}
