//! What a result means: verdicts, doubts, limits.

use crate::cure::Cure;
use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// The figure needs this beside it.
    Warn,
    /// The figure must not be used as it stands.
    Fail,
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable short name (`depth-not-reached`).
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// Stage it is about; `None` = the whole run.
    pub stage: Option<u32>,
    /// Workload within the stage; `None` = all of it.
    pub workload: Option<u32>,
    /// What was found, one sentence with its figures.
    pub text: String,
    /// What to do about it; empty when there is nothing to do.
    pub cure: Cure,
}
