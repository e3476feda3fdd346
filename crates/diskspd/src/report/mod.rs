//! A run in the shapes of DISKSPD 2.2: the text report and the XML that people's scripts read.
//!
//! Belongs here: layout, column widths, element names and their order. Must never: compute a rate or a
//! percentile by a law of its own, leave out what a script looks for, say less than DISKSPD does.
//!
//! # What is as in DISKSPD, and what is not
//! - Tables, dashes, widths, names of elements and attributes, and their order, are DISKSPD's. XML is
//!   escaped, which DISKSPD's is not; its first line is exactly `<Results>`.
//! - **Tails.** A percentile with fewer than ten samples beyond it is the value of its rank, most often
//!   the maximum, as in DISKSPD: scripts find a number where they look for one. It is marked where they
//!   do not look: in a note below the table, and in XML by an attribute `Thin` of the `Bucket`, which
//!   names the kinds it holds for (`read write total`). The elements inside stay plain, since a script
//!   that reads them by name would get an object in place of the number if they had attributes.
//! - **Rates** are I/Os and bytes over the test time. That is the time over which leadline's own rates
//!   are counted, so `bytes / test time` is the throughput, for the reader and for leadline alike. Where
//!   workers did not run together for all of it, a note gives the whole time.
//! - **Standard deviations of IOPS** are those of the population, over all buckets of the asked time: a
//!   stall at the end counts as buckets of zero, which DISKSPD leaves out. I/Os that were in flight when
//!   the time was up are in the totals and in no bucket.
//! - **Latency distributions by target** come in the order of the command line.
//! - **CPU**: usage is of the time the host had; what a hypervisor took is reported in a note. Waiting for
//!   I/O is idle, as in DISKSPD.
//! - `Wait Statistics` (`-vs`) have the completion waits, and what has no like here is zero or missing:
//!   see `waits`.
//! - After the last table comes what DISKSPD does not report: the average queue depth, the response latency
//!   where a rate was asked for, and every finding. No line there has a `|`. In XML it is the element
//!   `Leadline`, the last one.
//!
//! What only the dialect knows is read from `given`: of the plan `profile-xml`, `command-line`,
//! `Verbose`, `VerboseStats`; of a stage `input-parameters`, `Duration`, `MeasureLatency`,
//! `CalculateIopsStdDev`, `IoBucketDuration`, `ThreadCount`, `RequestCount`; of a workload `Path`,
//! `FirstThread`, `FileSize`. All may be missing: a run of another dialect has a report too. For the
//! deviations by thread, [`leadline_model::plan::Report::worker_series`] must have been on.

mod notes;
mod number;
mod span;
mod table;
mod text;
mod topology;
mod waits;
mod xml;

#[cfg(test)]
mod tests;

pub use text::text;
pub use xml::xml;

use leadline_model::facts::{FactKey, FactValue};
use leadline_results::run::Run;

/// A fact of the host.
fn fact<'a>(run: &'a Run, key: FactKey<'_>) -> Option<&'a FactValue> {
    let mut facts = run.facts.iter();
    let found = facts.find(|f| f.key() == key && f.subject.is_empty())?;
    Some(&found.value)
}

/// A fact of the host that is a text.
fn said<'a>(run: &'a Run, key: FactKey<'_>) -> Option<&'a str> {
    fact(run, key)?.text()
}

/// Wall clock as DISKSPD writes it: `2026/11/20 05:49:03 UTC`.
fn utc(wall_ms: u64) -> String {
    let ms = i64::try_from(wall_ms).unwrap_or(0);
    let time = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    time.strftime("%Y/%m/%d %H:%M:%S UTC").to_string()
}
