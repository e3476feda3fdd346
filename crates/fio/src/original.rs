//! What fio shows of a job: kept with the plan when a job is read, and read again by [`crate::report`] and
//! [`crate::print`].
//!
//! Belongs here: these values. Must never: change what is measured.

use leadline_model::plan::{Kept, Original, Workload};
use serde::{Deserialize, Serialize};

/// What is shown of a job, by its options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shown {
    /// Percentiles from the submission to the completion (clat).
    pub(crate) clat_percentiles: bool,
    /// Percentiles of the whole latency (lat).
    pub(crate) lat_percentiles: bool,
    /// Percentiles of the time a submission takes (slat).
    pub(crate) slat_percentiles: bool,
    /// Whether the submission latency is shown.
    pub(crate) slat: bool,
    /// Whether the series of throughput samples is shown.
    pub(crate) bandwidth: bool,
    /// Whether the counters of the disks underneath are shown.
    pub(crate) disk_util: bool,
    /// Significant digits of figures in the text form, 1 to 10.
    pub(crate) significant_figures: u8,
    /// Bytes in a kilobyte: 1024 or 1000.
    pub(crate) kb_base: u32,
    /// Unit of rates: 0 as fits, 8 bytes, 1 bits.
    pub(crate) unit_base: u8,
    /// How reads, writes and trims are shown.
    pub(crate) directions: Directions,
    /// Name of all clones after the first, if different from the job's: fio names those by their section.
    pub(crate) clone_name: Option<String>,
}

/// How the kinds of operation are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Directions {
    /// Separate.
    #[default]
    Separate,
    /// Added up.
    Mixed,
    /// Separate and added up.
    Both,
}

impl Kept for Shown {
    const KIND: &'static str = "fio.workload";
}

impl Shown {
    /// What a workload keeps; fio's defaults for one that another front end made.
    pub(crate) fn of(workload: &Workload) -> Self {
        workload.original.get().unwrap_or_default()
    }

    /// Keeps it with a workload.
    pub(crate) fn keep(&self, workload: &mut Workload) {
        workload.original = Original::of(self);
    }
}

impl Default for Shown {
    fn default() -> Self {
        Self {
            clat_percentiles: true,
            lat_percentiles: false,
            slat_percentiles: false,
            slat: true,
            bandwidth: true,
            disk_util: true,
            significant_figures: 4,
            kb_base: 1024,
            unit_base: 0,
            directions: Directions::Separate,
            clone_name: None,
        }
    }
}
