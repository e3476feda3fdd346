//! What the tests of all crates share: a skip that is counted, plans to start from, the skeleton of a JSON
//! text, a host and spec files for the front ends, loop devices, mounts, and faultfs.
//!
//! Must never: be used by product code (`cargo xtask tidy` refuses that), start a thread, or hold a
//! test of leadline itself.

pub mod fault;
pub mod machine;
pub mod reading;
pub mod schema;
mod shape;
pub mod spec;

pub use shape::json_shape;

use leadline_model::plan::{Original, Plan, Source, Stage};
use leadline_model::sample::{Counts, Sample};
use leadline_model::units::Nanos;
use std::fs::OpenOptions;
use std::io::Write as _;

/// The variable that names the file `cargo xtask test` reads skips from.
pub const SKIP_LOG: &str = "LEADLINE_SKIP_LOG";

/// Reports that the test `name` (unique in the workspace, `crate::subject`) did not run because of
/// `reason`: one line on stderr, one in the file that [`SKIP_LOG`] names. The caller then returns.
///
/// # Panics
///
/// When that file cannot be written, or `name` has the ": " that ends it there: a skip that is not counted would pass
/// for a test.
pub fn skip(name: &str, reason: &str) {
    assert!(!name.contains(": "), "a name ends at \": \": {name}");
    let reason = reason.replace('\n', "; ");
    // Past the test harness, which swallows what a passing test prints.
    let _ = writeln!(std::io::stderr(), "skipped: {name}: {reason}");
    if let Some(path) = std::env::var_os(SKIP_LOG) {
        let log = OpenOptions::new().create(true).append(true).open(path);
        let written = log.and_then(|mut log| writeln!(log, "{name}: {reason}"));
        assert!(written.is_ok(), "the skip log: {written:?}");
    }
}

/// What `made` holds, or a skip of the test `name` with the reason why it could not be made.
#[must_use]
pub fn or_skip<T>(name: &str, made: Result<T, String>) -> Option<T> {
    made.map_err(|reason| skip(name, &reason)).ok()
}

/// What one host measured in one second of the only workload of the first stage.
#[must_use]
pub fn second(host: u32, interval: u64, counts: Counts) -> Sample {
    Sample {
        host,
        stage: 0,
        workload: 0,
        interval,
        start: Nanos::from_secs(interval),
        length: Nanos::SECOND,
        warmup: false,
        counts,
        workers: Vec::new(),
        moments: Vec::new(),
    }
}

/// A plan of these stages with samples every 100 ms; everything else is as small as it can be.
#[must_use]
pub fn plan(stages: Vec<Stage>) -> Plan {
    Plan {
        title: String::new(),
        source: Source::default(),
        given: Vec::new(),
        original: Original::default(),
        interval: Nanos::from_millis(100),
        stages,
        read_only: false,
        destroy: Vec::new(),
        slices: 1,
        partial_totals_every: None,
        study: None,
        hosts: Vec::new(),
    }
}
