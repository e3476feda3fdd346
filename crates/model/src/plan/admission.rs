//! Which workload may start its next I/O, where several share something.
//!
//! Belongs here: what is requested. Must never: say how the workers agree on it.

use serde::{Deserialize, Serialize};

/// What, besides a free slot of its own, lets a workload start its next I/O. Workloads of a stage that name the same
/// group are coupled; all of one group have the same kind of admission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Admission {
    /// Nothing: its own depth is all that counts.
    #[default]
    OwnDepth,
    /// The workloads of the group keep the proportion of their shares ([`super::Workload::share`]), so that the
    /// slowest sets the rate of all (Vdbench's skew, fio's `flow`). For closed loops.
    Shares {
        /// Those that name the same number are coupled.
        group: u32,
        /// Slots of its queue that others may borrow.
        borrowable: Option<BorrowableDepth>,
    },
    /// One queue feeds the workloads of the group (Vdbench's queue of a storage): each gets as many I/Os as the
    /// others, whatever its share. For closed loops without pauses. At a rate it holds no workload back; borrowed slots
    /// then go to the workload that is late.
    CommonQueue {
        /// Those that name the same number are fed by one queue.
        group: u32,
        /// About how many I/Os one may be ahead of the one that lags most.
        max_lead: u32,
        /// Slots of its queue that others may borrow.
        borrowable: Option<BorrowableDepth>,
    },
    /// The workloads of the group, each of one worker, have one number of I/Os in flight between them
    /// ([`super::Workload::depth`] of each) and none of their own: a free slot goes to the lowest rank first, as long
    /// as that has I/O to do. Those of one rank get equal numbers, by their shares or rates; one with a rate
    /// takes precedence over one without.
    Priority {
        /// Those that name the same number compete with each other.
        group: u32,
        /// The lower one is served first.
        rank: u32,
    },
}

impl Admission {
    /// The group that it is coupled with; `None` = none.
    #[must_use]
    pub const fn group(self) -> Option<u32> {
        match self {
            Self::OwnDepth => None,
            Self::Shares { group, .. }
            | Self::CommonQueue { group, .. }
            | Self::Priority { group, .. } => Some(group),
        }
    }

    /// The slots of its queue that others may borrow.
    #[must_use]
    pub const fn borrowable(self) -> Option<BorrowableDepth> {
        match self {
            Self::Shares { borrowable, .. } | Self::CommonQueue { borrowable, .. } => borrowable,
            Self::OwnDepth | Self::Priority { .. } => None,
        }
    }

    /// I/Os that one may be ahead of the others, where one queue feeds them.
    #[must_use]
    pub const fn max_lead(self) -> Option<u32> {
        match self {
            Self::CommonQueue { max_lead, .. } => Some(max_lead),
            _ => None,
        }
    }

    /// Its rank, if workloads have priorities.
    #[must_use]
    pub const fn rank(self) -> Option<u32> {
        match self {
            Self::Priority { rank, .. } => Some(rank),
            _ => None,
        }
    }
}

/// Workloads that have one number of I/Os in flight between them (Vdbench's threads of a storage): one that has to
/// wait for the others lends them the slots that it does not use, one at a time, and keeps one. Only a workload of one
/// worker lends and borrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BorrowableDepth {
    /// Those that name the same number borrow from each other.
    pub pool: u32,
    /// I/Os in flight that are its own at first, at least 1; [`super::Workload::depth`] is the most it can have.
    pub own: u32,
}
