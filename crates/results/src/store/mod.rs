//! The run file: one SQLite file a run, `NAME.leadline`.
//!
//! Belongs here: its schema, writing events as they come, reading them back to the same
//! [`crate::run::Run`], listing a directory. Must never: interpret figures, overwrite a file, change a
//! file it reads (but for copying in what a dead writer left beside it).
//!
//! # What is promised
//! - Any SQLite tool reads the file, while it is written and after. While it is written, `NAME-wal` and
//!   `NAME-shm` lie beside it and belong to it; [`Writer::finish`] copies them in.
//! - [`open`] gives exactly the `Run` that [`crate::run::Run::apply`] makes of the live events.
//! - The writing process may die at any time: what was committed stays, and the file opens with no
//!   outcome ("not finished"). Events are committed when a stage starts and ends and once a second of
//!   the run's time in between, so at most the last second is lost.
//! - The file of a long run grows slowly: when 16,384 intervals have rows of their own, these are compacted into one
//!   row of bytes, and rows of figures for SQL, in the transaction that deletes them. So no reader and no kill sees
//!   an interval twice or not at all, and the newest are always plain rows.
//! - Reading takes no more memory than the run took: rows come one by one, compacted ones a batch at a time, and
//!   [`crate::run::Run::apply`] joins old intervals as it did in the run.
//! - The machine may die at any time: a run longer than a second loses no more than what the kernel had
//!   not written back by itself, and is never left unreadable (write-ahead log, synchronous NORMAL; it
//!   is synced when the log is copied in, at the end or every 16 MiB). A run shorter than a second is
//!   written without any sync, which costs more than the whole run would: after a power failure within
//!   the kernel's write-back time (30 s), such a file may be empty or unreadable.
//! - Where a write-ahead log cannot be had (some network and FUSE mounts), a rollback journal is used:
//!   readers may then wait for a commit.
//!
//! # Schema
//! `PRAGMA application_id` is [`APPLICATION_ID`] (`LEAD`), `PRAGMA user_version` the major version:
//! a reader refuses every other, and a file whose tables are not those of [`schema::SCHEMA`] to the letter:
//! views, triggers or computed columns in their place run what their author wrote. Until a release there is
//! one version, and files of other builds may be refused. Times are nanoseconds; 64-bit unsigned numbers are kept by
//! their bits. See [`schema::SCHEMA`] for tables and columns.

mod beside;
mod compact;
mod compacted;
mod compacted_series;
mod counted;
mod facts;
mod fault;
mod reader;
mod rows;
pub mod schema;
mod shape;
#[cfg(test)]
mod tests;
mod values;
mod volumes;
mod writer;

pub use reader::{RunHead, list, may_go, open, open_whole, replay, set_tag};
pub use schema::{APPLICATION_ID, MAJOR_VERSION};
pub use volumes::volumes;
pub use writer::Writer;

use std::path::PathBuf;

/// Extension of run files.
pub const EXTENSION: &str = "leadline";

/// Why a run file could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is a file of that name.
    #[error("{0} already exists; a run file is never overwritten")]
    Exists(
        /// The path.
        PathBuf,
    ),
    /// The file could not be made or opened.
    #[error("{path}: {source}")]
    Io {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not a run file.
    #[error("{path} is not a leadline run file: {reason}")]
    NotARun {
        /// The path.
        path: PathBuf,
        /// What is wrong, in words.
        reason: String,
    },
    /// The file was written in another format.
    #[error(
        "{path} has format {found}, written by leadline {writer}; this version reads format \
         {MAJOR_VERSION}: use the version that wrote it"
    )]
    OtherFormat {
        /// The path.
        path: PathBuf,
        /// Its major version.
        found: i64,
        /// The version of leadline that wrote it, `unknown` when it does not say.
        writer: String,
    },
    /// The file is damaged.
    #[error("{path} is damaged: {what}")]
    Damaged {
        /// The path.
        path: PathBuf,
        /// What could not be read, in words.
        what: String,
    },
    /// SQLite could not write: most often a full disk.
    #[error("{path}: cannot write the run file: {source}")]
    Write {
        /// The path.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}
