//! Which figures of a workload are kept and shown beyond those of every workload. What a front end alone reads to print
//! its own report is in [`super::Original`].

use serde::{Deserialize, Serialize};

/// What is kept and shown of a workload, by the user's choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Whether the whole latency is shown.
    pub lat: bool,
    /// Whether the completion latency is shown.
    pub clat: bool,
    /// Whether the service latency is measured in its two parts, submission and completion, which costs a clock
    /// read a turn and, on io_uring, a call of its own for handing over.
    pub parts: bool,
    /// Whether reads, writes and their latencies are kept by worker in each interval (DISKSPD's `-D`).
    pub worker_series: bool,
    /// Whether I/Os are counted by file too, for each worker (DISKSPD's rows by thread and target).
    pub by_file: bool,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            lat: true,
            clat: true,
            parts: false,
            worker_series: false,
            by_file: false,
        }
    }
}
