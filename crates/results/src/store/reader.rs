//! Reading run files back.

use super::beside;
use super::compacted;
use super::counted;
use super::facts;
use super::fault::Fault;
use super::rows::NewsRow;
use super::schema::{APPLICATION_ID, MAJOR_VERSION};
use super::shape;
use super::values::{Reading, StageRow, from_json, nanos, unsigned};
use super::{EXTENSION, StoreError};
use crate::headline::KeptPoints;
use crate::run::Run;
use leadline_model::cure::{Cure, Knob};
use leadline_model::event::{DiskUse, Event, HostNews, Outcome};
use leadline_model::facts::Fact;
use leadline_model::finding::Finding;
use leadline_model::units::Nanos;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row};
use std::path::{Path, PathBuf};

/// What a list shows of a run file.
#[derive(Clone, Debug, PartialEq)]
pub struct RunHead {
    /// The file.
    pub path: PathBuf,
    /// Name of the run.
    pub title: String,
    /// Wall clock at the start, milliseconds since 1970 UTC; 0 = not known.
    pub wall_ms: u64,
    /// How it ended; `None` = still running, or the process died.
    pub outcome: Option<Outcome>,
    /// Length of the run; zero when it did not end.
    pub length: Nanos,
    /// Number of stages started.
    pub stages: u64,
    /// Version of leadline that wrote it.
    pub writer: String,
    /// The letter of its grade; empty when it did not end.
    pub grade: String,
    /// Its figures in a few words; empty when it did not end.
    pub figures: String,
    /// What it measured at each of its points; none when it did not end.
    pub points: KeptPoints,
    /// The user's tag; `None` = none.
    pub tag: Option<String>,
    /// Why nothing more is known, when the file cannot be read.
    pub problem: Option<String>,
}

/// Reads a run file: the same [`Run`] that the live events made. A file whose writer is at work or
/// died gives what was committed, with no outcome.
///
/// # Errors
/// [`StoreError::NotARun`], [`StoreError::OtherFormat`], [`StoreError::Damaged`], or [`StoreError::Io`] when
/// there is no such file.
pub fn open(path: &Path) -> Result<Run, StoreError> {
    open_as(path, Run::default(), None)
}

/// The same with every interval, however much memory that takes.
///
/// # Errors
/// As [`open`].
pub fn open_whole(path: &Path) -> Result<Run, StoreError> {
    open_as(path, Run::whole(), None)
}

/// The same with each event given to `also` too, in the order in which a run is read.
///
/// # Errors
/// As [`open`].
pub fn replay(path: &Path, also: &mut dyn FnMut(&Event)) -> Result<Run, StoreError> {
    open_as(path, Run::default(), Some(also))
}

fn open_as(path: &Path, run: Run, also: Option<&mut dyn FnMut(&Event)>) -> Result<Run, StoreError> {
    let db = connect(path)?;
    let mut to = Reading { run, also };
    let read = read(&db, &mut to).map_err(|fault| fault.at(path));
    checkpoint(&db);
    read.map(|()| to.run)
}

/// Key of a user's tag.
const TAG: &str = "tag";

/// Gives a run file a tag, or takes it away. One with a tag is never removed by leadline.
///
/// # Errors
/// As [`open`]; [`StoreError::Write`] when the file cannot be written.
pub fn set_tag(path: &Path, tag: Option<&str>) -> Result<(), StoreError> {
    drop(connect(path)?);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let written = Connection::open_with_flags(path, flags).and_then(|db| match tag {
        Some(tag) => db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", [TAG, tag]),
        None => db.execute("DELETE FROM meta WHERE key = ?", [TAG]),
    });
    written.map(|_| ()).map_err(|source| StoreError::Write {
        path: path.to_owned(),
        source,
    })
}

/// Whether a file is a run file without a tag: one that may be removed when there is no room for it.
#[must_use]
pub fn may_go(path: &Path) -> bool {
    connect(path).is_ok_and(|db| matches!(meta::<String>(&db, TAG), Ok(None)))
}

/// The run files of a directory, oldest first; those that cannot be read are named with the reason.
///
/// # Errors
/// [`StoreError::Io`] when the directory cannot be read.
pub fn list(dir: &Path) -> Result<Vec<RunHead>, StoreError> {
    let failed = |source| StoreError::Io {
        path: dir.to_owned(),
        source,
    };
    let mut heads = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|e| e == EXTENSION) {
            heads.push(head(&path));
        }
    }
    heads.sort_by(|a, b| (a.wall_ms, &a.path).cmp(&(b.wall_ms, &b.path)));
    Ok(heads)
}

fn head(path: &Path) -> RunHead {
    let found = connect(path).and_then(|db| {
        let head = read_head(&db, path).map_err(|fault| fault.at(path));
        checkpoint(&db);
        head
    });
    found.unwrap_or_else(|error| RunHead {
        path: path.to_owned(),
        title: String::new(),
        wall_ms: 0,
        outcome: None,
        length: Nanos::ZERO,
        stages: 0,
        writer: String::new(),
        grade: String::new(),
        figures: String::new(),
        points: KeptPoints::default(),
        tag: None,
        problem: Some(error.to_string()),
    })
}

/// Opens the file read-only; where a log is beside it, so that the log can be read and copied into the file.
pub(super) fn connect(path: &Path) -> Result<Connection, StoreError> {
    let about = std::fs::metadata(path).map_err(|source| StoreError::Io {
        path: path.to_owned(),
        source,
    })?;
    let not_a_run = |reason: &str| StoreError::NotARun {
        path: path.to_owned(),
        reason: reason.to_owned(),
    };
    if !about.is_file() {
        return Err(not_a_run("it is not a file"));
    }
    if about.len() == 0 {
        return Err(not_a_run(
            "it is empty; the program that wrote it ended before the run began",
        ));
    }
    let db = connect_any(path).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => not_a_run("it is not an SQLite file"),
        _ => Fault::Sql(error).at(path),
    })?;
    let pragma =
        |name: &str| db.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let id = pragma("application_id").map_err(|e| Fault::Sql(e).at(path))?;
    if id != APPLICATION_ID {
        return Err(not_a_run("it is an SQLite file from another program"));
    }
    let found = pragma("user_version").map_err(|e| Fault::Sql(e).at(path))?;
    if found != MAJOR_VERSION {
        let writer = meta::<String>(&db, "leadline version").ok().flatten();
        return Err(StoreError::OtherFormat {
            path: path.to_owned(),
            found,
            writer: writer.unwrap_or_else(|| "unknown".to_owned()),
        });
    }
    match shape::fault(&db).map_err(|e| Fault::Sql(e).at(path))? {
        Some(reason) => Err(not_a_run(&reason)),
        None => Ok(db),
    }
}

/// Copies in the log that a dead writer left, so that one plain file remains. A writer at work keeps the
/// file busy, and a file that may not be written stays as it is: both refuse, and lose nothing.
fn checkpoint(db: &Connection) {
    if db.is_readonly("main") == Ok(false) {
        let _ = db.busy_timeout(std::time::Duration::ZERO);
        let _ = db.execute_batch("COMMIT");
        let _ = db.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()));
    }
}

fn connect_any(path: &Path) -> rusqlite::Result<Connection> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let log = Path::new(&log).exists();
    let attempts: &[OpenFlags] = if log {
        &[
            OpenFlags::SQLITE_OPEN_READ_WRITE,
            OpenFlags::SQLITE_OPEN_READ_ONLY,
        ]
    } else {
        &[OpenFlags::SQLITE_OPEN_READ_ONLY]
    };
    let opened = attempts
        .iter()
        .find_map(|&flags| try_connect(path, flags).ok());
    // A directory that may not be written cannot hold the log's index: what was copied into the file is readable.
    opened.map_or_else(|| try_immutable(path), Ok)
}

fn try_connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    probe(Connection::open_with_flags(path, flags)?)
}

fn try_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte));
            }
            other => uri.push_str(&format!("%{other:02x}")),
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    probe(Connection::open_with_flags(uri, flags)?)
}

/// Whether anything can be read at all.
fn probe(db: Connection) -> rusqlite::Result<Connection> {
    db.busy_timeout(std::time::Duration::from_secs(5))?;
    db.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")?;
    db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(db)
}

pub(super) fn meta<T: rusqlite::types::FromSql>(
    db: &Connection,
    key: &str,
) -> rusqlite::Result<Option<T>> {
    db.query_row("SELECT value FROM meta WHERE key = ?", [key], |row| {
        row.get(0)
    })
    .optional()
}

fn read_head(db: &Connection, path: &Path) -> Result<RunHead, Fault> {
    let number = |key| meta::<i64>(db, key).map(|n| n.unwrap_or(0).cast_unsigned());
    let text = |key| meta::<String>(db, key).map(Option::unwrap_or_default);
    let stages: i64 = db.query_row("SELECT count(*) FROM stages", [], |row| row.get(0))?;
    Ok(RunHead {
        path: path.to_owned(),
        title: text("title")?,
        wall_ms: number("wall ms")?,
        outcome: outcome(db)?,
        length: Nanos(number("length ns")?),
        stages: stages.cast_unsigned(),
        writer: text("leadline version")?,
        grade: text("grade")?,
        figures: text("figures")?,
        points: match meta::<String>(db, "points")? {
            Some(text) => serde_json::from_str(&text)?,
            None => KeptPoints::default(),
        },
        tag: meta(db, TAG)?,
        problem: None,
    })
}

fn outcome(db: &Connection) -> Result<Option<Outcome>, Fault> {
    let text = meta::<String>(db, "outcome json")?;
    Ok(text.map(|t| serde_json::from_str(&t)).transpose()?)
}

fn read(db: &Connection, to: &mut Reading<'_>) -> Result<(), Fault> {
    // One transaction: a writer at work does not change what is seen in between.
    db.execute_batch("BEGIN")?;
    let plan: Option<String> = db
        .query_row("SELECT json FROM plan WHERE id = 0", [], |row| row.get(0))
        .optional()?;
    if let Some(text) = plan {
        let plan = Box::new(serde_json::from_str(&text)?);
        let wall_ms = meta::<i64>(db, "wall ms")?.unwrap_or(0).cast_unsigned();
        to.apply(&Event::RunStarted { plan, wall_ms });
    }
    to.apply(&Event::Facts(facts_of(db)?));
    for news in host_news(db)? {
        to.apply(&Event::Host(Box::new(news)));
    }
    for stage in stages(db)? {
        read_stage(db, &stage, to)?;
    }
    for finding in findings(db)? {
        to.apply(&Event::Finding(finding?));
    }
    if let Some(outcome) = outcome(db)? {
        let at = Nanos(meta::<i64>(db, "length ns")?.unwrap_or(0).cast_unsigned());
        to.apply(&Event::RunEnded { at, outcome });
    }
    Ok(())
}

/// All rows of a query, each made by `read`.
fn rows<T>(
    db: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let mut statement = db.prepare(sql)?;
    statement.query_map(parameters, read)?.collect()
}

fn facts_of(db: &Connection) -> Result<Vec<Fact>, Fault> {
    let columns = facts::COLUMNS;
    let query = db.prepare(&format!("SELECT {columns} FROM facts ORDER BY id"))?;
    facts::read(query, [])
}

fn host_news(db: &Connection) -> rusqlite::Result<Vec<HostNews>> {
    let news = rows(
        db,
        "SELECT host, at_ns, what, stage, hostname, clock_offset_ns, offset_bound_ns, late_ns, why
         FROM host_news ORDER BY id",
        [],
        |row| {
            let (host, at) = (row.get(0)?, nanos(row, 1)?);
            let row = NewsRow {
                what: row.get(2)?,
                stage: row.get(3)?,
                hostname: row.get(4)?,
                clock_offset: row.get(5)?,
                offset_bound: row.get(6)?,
                late: row.get(7)?,
                why: row.get(8)?,
            };
            Ok(row.state().map(|what| HostNews { host, at, what }))
        },
    )?;
    Ok(news.into_iter().flatten().collect())
}

fn findings(db: &Connection) -> rusqlite::Result<Vec<Result<Finding, Fault>>> {
    rows(
        db,
        "SELECT code, severity, stage, workload, text, cure, knobs FROM findings ORDER BY id",
        [],
        |row| {
            let severity: String = row.get(1)?;
            let (code, text) = (row.get(0)?, row.get(4)?);
            let cure = Cure {
                text: row.get(5)?,
                knobs: knobs(&row.get::<_, String>(6)?),
            };
            let (stage, workload) = (row.get(2)?, row.get(3)?);
            Ok(
                from_json(&format!("\"{severity}\"")).map(|severity| Finding {
                    code,
                    severity,
                    stage,
                    workload,
                    text,
                    cure,
                }),
            )
        },
    )
}

/// The knobs of a cure that this build knows.
fn knobs(text: &str) -> Vec<Knob> {
    let all: Vec<serde_json::Value> = serde_json::from_str(text).unwrap_or_default();
    let known = |knob| serde_json::from_value(knob).ok();
    all.into_iter().filter_map(known).collect()
}

fn stages(db: &Connection) -> rusqlite::Result<Vec<StageRow>> {
    rows(
        db,
        "SELECT stage_run, stage, start_ns, end_ns, wall_ms FROM stages ORDER BY stage_run",
        [],
        |row| {
            Ok(StageRow {
                run: row.get(0)?,
                stage: row.get(1)?,
                start: nanos(row, 2)?,
                end: row
                    .get::<_, Option<i64>>(3)?
                    .map(|n| Nanos(n.cast_unsigned())),
                wall_ms: unsigned(row, 4)?,
            })
        },
    )
}

fn read_stage(db: &Connection, stage: &StageRow, to: &mut Reading<'_>) -> Result<(), Fault> {
    to.apply(&Event::StageStarted {
        stage: stage.stage,
        at: stage.start,
        wall_ms: stage.wall_ms,
    });
    for own in beside::processors(db, stage.run, stage.stage)? {
        to.apply(&Event::Processors(Box::new(own)));
    }
    // In the order they came: what was compacted, and the rows that stayed, by the number of the interval.
    let mut from = i64::MIN;
    for batch in compacted::batches(db, stage.run)? {
        counted::intervals(db, stage, from, Some(batch.first), to)?;
        batch.read(db, stage.stage, to)?;
        from = batch.first;
    }
    counted::intervals(db, stage, from, None, to)?;
    counted::workers(db, stage, to)?;
    if let Some(at) = stage.end {
        let disks = disks(db, stage.run)?;
        let cpus = beside::cpus(db, stage.run)?;
        let counted = beside::counted(db, stage.run)?;
        let stage = stage.stage;
        to.apply(&Event::StageEnded {
            stage,
            at,
            disks,
            cpus,
            counted,
        });
    }
    Ok(())
}

fn disks(db: &Connection, stage_run: i64) -> rusqlite::Result<Vec<DiskUse>> {
    rows(
        db,
        "SELECT name, read_ios, write_ios, read_merges, write_merges, read_sectors, write_sectors,
             read_ms, write_ms, busy_ms, queue_ms, span_ms, host FROM disks WHERE stage_run = ?
             ORDER BY id",
        [stage_run],
        |row| {
            let pair = |first| {
                Ok::<_, rusqlite::Error>([unsigned(row, first)?, unsigned(row, first + 1)?])
            };
            Ok(DiskUse {
                host: row.get(12)?,
                name: row.get(0)?,
                ios: pair(1)?,
                merges: pair(3)?,
                sectors: pair(5)?,
                ticks_ms: pair(7)?,
                busy_ms: unsigned(row, 9)?,
                queue_ms: unsigned(row, 10)?,
                span_ms: unsigned(row, 11)?,
            })
        },
    )
}
