//! Which of a workload's figures a dialect wants to show. Nothing here changes what is measured: only
//! renders that imitate the original tool's output read it, and the engine keeps what they need.

use serde::{Deserialize, Serialize};

/// What is shown of a workload, where the original tool lets the user choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Percentiles from the submission to the completion (fio's clat).
    pub clat_percentiles: bool,
    /// Percentiles of the whole latency (fio's lat).
    pub lat_percentiles: bool,
    /// Percentiles of the time a submission takes (fio's slat).
    pub slat_percentiles: bool,
    /// Whether the whole latency is shown.
    pub lat: bool,
    /// Whether the completion latency is shown.
    pub clat: bool,
    /// Whether the submission latency is shown.
    pub slat: bool,
    /// Whether the service latency is measured in its two parts, submission and completion, which costs a clock
    /// read a turn and, on io_uring, a call of its own for handing over.
    pub parts: bool,
    /// Whether the series of throughput samples is shown.
    pub bandwidth: bool,
    /// Whether the counters of the disks underneath are shown.
    pub disk_util: bool,
    /// Significant digits of figures in the text form, 1 to 10.
    pub significant_figures: u8,
    /// Bytes in a kilobyte: 1024 or 1000.
    pub kb_base: u32,
    /// Unit of rates: 0 as fits, 8 bytes, 1 bits.
    pub unit_base: u8,
    /// How the kinds of operation are shown.
    pub directions: Directions,
    /// Whether reads, writes and their latencies are kept by worker in each interval (DISKSPD's `-D`).
    pub worker_series: bool,
    /// Whether I/Os are counted by file too, for each worker (DISKSPD's rows by thread and target).
    pub by_file: bool,
    /// Name of all clones after the first, if different from the workload's: fio names those by their section.
    pub clone_name: Option<String>,
}

/// How the kinds of operation are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Directions {
    /// Separate.
    #[default]
    Separate,
    /// Added up.
    Mixed,
    /// Separate and added up.
    Both,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            clat_percentiles: true,
            lat_percentiles: false,
            slat_percentiles: false,
            lat: true,
            clat: true,
            slat: true,
            parts: false,
            bandwidth: true,
            disk_util: true,
            significant_figures: 4,
            kb_base: 1024,
            unit_base: 0,
            directions: Directions::Separate,
            worker_series: false,
            by_file: false,
            clone_name: None,
        }
    }
}
