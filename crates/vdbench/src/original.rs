//! What Vdbench's own reports show beside the plan: kept with the plan when a parameter file is read, and read
//! again by [`crate::report`] and by leadline's `vdbench` verb.
//!
//! Belongs here: these values, and their form in lines. Must never: change what runs.

use crate::number::{shown, shown_rate};
use crate::value::Transfer;
use leadline_model::plan::{Kept, Plan, Stage, Workload};
use leadline_results::summary::names::stage_name;
use serde::{Deserialize, Serialize};

/// Numbers that Vdbench writes where no rate was asked for.
const REQUESTED_MAX: &str = "9999988";
const REQUESTED_CURVE: &str = "9999977";

/// What is kept of a parameter file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanOriginal {
    /// `histogram=`: upper bounds in microseconds, rising; empty = the usual ones.
    pub(crate) histogram_us: Vec<u64>,
    /// `histogram=`: rows without I/O are left out.
    pub(crate) histogram_suppress: bool,
    /// `report=`: the pages asked for, in full words.
    pub(crate) pages: Vec<String>,
}

impl Kept for PlanOriginal {
    const KIND: &'static str = "vdbench.plan";
}

/// What is kept of a run definition's run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageOriginal {
    /// Its name in lines and lists.
    pub run: String,
    /// The rate it asks for.
    pub rate: AskedRate,
    /// `stopcurve=` as the file has it.
    pub stop_curve: Option<String>,
    /// The rate that `-s` lists, where it is another.
    pub listed: Option<String>,
    /// Measured seconds; `None` = until the work is done.
    pub elapsed: Option<u64>,
    /// Seconds before.
    pub warmup: u64,
    /// The values of its loops; empty = none.
    pub loops: String,
    /// The file has several WDs.
    pub several_definitions: bool,
}

impl Kept for StageOriginal {
    const KIND: &'static str = "vdbench.stage";
}

/// The rate that a run asks for, as its lines show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum AskedRate {
    /// The stage's rate; until that is known, none.
    #[default]
    OfStage,
    /// `iorate=max`.
    Max {
        /// Workloads have rates or priorities of their own.
        controlled: bool,
    },
    /// `iorate=curve`: the run that is as fast as possible.
    Curve {
        /// Workloads have rates or priorities of their own.
        controlled: bool,
    },
    /// Several rates in turn.
    Variable {
        /// The first, I/Os a second.
        first: f64,
    },
}

impl StageOriginal {
    /// What is kept of a stage; for a stage that is not Vdbench's, what follows from the stage.
    #[must_use]
    pub fn of(stage: &Stage) -> Self {
        stage.original.get().unwrap_or_else(|| Self {
            run: stage_name(stage),
            rate: match stage.rate {
                Some(_) => AskedRate::OfStage,
                None => AskedRate::Max { controlled: false },
            },
            ..Self::default()
        })
    }

    /// The loops in words.
    #[must_use]
    pub fn loops(&self) -> &str {
        match self.loops.as_str() {
            "" => "None",
            loops => loops,
        }
    }

    /// The rate of the line that a run begins with.
    #[must_use]
    pub fn rate_line(&self, stage: &Stage) -> String {
        let law = |controlled| {
            if controlled {
                "Controlled"
            } else {
                "Uncontrolled"
            }
        };
        match (self.rate, stage.rate) {
            (AskedRate::Max { controlled }, _) => format!("{} MAX", law(controlled)),
            (AskedRate::Curve { controlled }, _) => format!("{} curve", law(controlled)),
            (AskedRate::Variable { .. }, _) => "Variable".to_owned(),
            (AskedRate::OfStage, Some(rate)) => shown_rate(rate),
            (AskedRate::OfStage, None) => format!("{} MAX", law(false)),
        }
    }

    /// The number of the flat file's column `reqrate`; `n/a` for a stage that is not Vdbench's, whose workloads may each
    /// have a rate of their own.
    pub(crate) fn requested(&self, stage: &Stage) -> String {
        if stage.original.get::<Self>().is_none() && stage.rate.is_none() {
            return "n/a".to_owned();
        }
        match (self.rate, stage.rate) {
            (AskedRate::Curve { .. }, _) => REQUESTED_CURVE.to_owned(),
            (AskedRate::Variable { first }, _) => shown(first),
            (AskedRate::OfStage, Some(rate)) => shown(rate),
            (AskedRate::OfStage, None) | (AskedRate::Max { .. }, _) => REQUESTED_MAX.to_owned(),
        }
    }
}

/// What is kept of a WD on one SD and host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkloadOriginal {
    /// Label of its host.
    pub host: String,
    /// Where its storage is, as the file has it.
    pub lun: String,
    /// Bytes of its storage, where they are known.
    pub size: Option<u64>,
    /// `xfersize=`.
    pub(crate) transfer: Transfer,
    /// Threads of the workload.
    pub(crate) threads: u64,
    /// Percent of reads.
    pub(crate) read_percent: f64,
    /// Percent of reads that hit.
    pub(crate) read_hit_percent: f64,
    /// Percent of writes that hit.
    pub(crate) write_hit_percent: f64,
    /// Percent of I/Os that seek; -1 = in order until the end.
    pub(crate) seek_percent: f64,
    /// How many times smaller the data gets by compression.
    pub(crate) compression_ratio: f64,
    /// How many times smaller it gets without its copies; `None` = nothing is said of that.
    pub(crate) deduplication_ratio: Option<f64>,
}

impl Kept for WorkloadOriginal {
    const KIND: &'static str = "vdbench.workload";
}

impl WorkloadOriginal {
    /// What is kept of a workload; `None` for one that is not Vdbench's.
    #[must_use]
    pub fn of(workload: &Workload) -> Option<Self> {
        workload.original.get()
    }

    /// `xfersize=` as the flat file has it.
    pub(crate) fn transfer(&self) -> String {
        match &self.transfer {
            Transfer::One(n) => n.to_string(),
            Transfer::Shares(all) => {
                let pairs: Vec<String> = all
                    .iter()
                    .map(|(n, p)| format!("{n},{}", shown(*p)))
                    .collect();
                format!("({})", pairs.join(","))
            }
            Transfer::Steps { min, max, step } => format!("({min},{max},{step})"),
        }
    }
}

impl PlanOriginal {
    /// What is kept of a plan; for a plan that is not Vdbench's, what a file says that asks for nothing.
    pub(crate) fn of(plan: &Plan) -> Self {
        plan.original.get().unwrap_or_default()
    }
}
