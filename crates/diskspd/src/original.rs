//! What DISKSPD's own results show beside the plan: kept with the plan when a command line or profile is read, and
//! read again by [`crate::report`] and by leadline's `diskspd` verb.
//!
//! Belongs here: these values. Must never: change what runs.

use crate::profile::{Profile, TimeSpan};
use leadline_model::plan::{Kept, Plan, Stage, Workload};
use serde::{Deserialize, Serialize};

/// What is kept of a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanOriginal {
    /// What was asked for.
    pub profile: Profile,
    /// The words it was asked with, the program's name first.
    pub(crate) words: Vec<String>,
}

impl Kept for PlanOriginal {
    const KIND: &'static str = "diskspd.plan";
}

impl PlanOriginal {
    /// What is kept of a plan; `None` for one that is not DISKSPD's.
    #[must_use]
    pub fn of(plan: &Plan) -> Option<Self> {
        plan.original.get()
    }

    /// The time span of a stage.
    pub(crate) fn span(&self, stage: &Stage) -> Option<&TimeSpan> {
        let StageOriginal { span } = stage.original.get()?;
        self.profile.time_spans.get(span)
    }
}

/// What is kept of a time span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StageOriginal {
    /// Its place in the profile.
    pub(crate) span: usize,
}

impl Kept for StageOriginal {
    const KIND: &'static str = "diskspd.stage";
}

/// What is kept of a target, or of threads that drive several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WorkloadOriginal {
    /// DISKSPD's number of its first thread.
    pub(crate) first_thread: u32,
    /// `-c`: bytes of the first target's file, where it is created.
    pub(crate) file_size: Option<u64>,
}

impl Kept for WorkloadOriginal {
    const KIND: &'static str = "diskspd.workload";
}

impl WorkloadOriginal {
    pub(crate) fn of(workload: &Workload) -> Option<Self> {
        workload.original.get()
    }
}
