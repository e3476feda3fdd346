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

/// What a workload has beside others, by weight: finite and above 0, so that every weight can be divided by the sum.
/// Weights need not sum to anything.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct ShareWeight(f64);

impl ShareWeight {
    /// This weight; `None` = it is not finite, or not above 0.
    #[must_use]
    pub fn new(weight: f64) -> Option<Self> {
        (weight.is_finite() && weight > 0.0).then_some(Self(weight))
    }

    /// The weight: finite and above 0.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for ShareWeight {
    type Error = &'static str;

    fn try_from(weight: f64) -> Result<Self, Self::Error> {
        Self::new(weight).ok_or("the weight of a share is finite and above 0")
    }
}

impl From<ShareWeight> for f64 {
    fn from(weight: ShareWeight) -> Self {
        weight.0
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_finite_and_above_0_wherever_it_comes_from() {
        for wrong in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(ShareWeight::new(wrong), None, "{wrong}");
            assert!(ShareWeight::try_from(wrong).is_err(), "{wrong}");
        }
        assert_eq!(ShareWeight::new(1.0), Some(ShareWeight(1.0)));
        assert_eq!(ShareWeight::try_from(0.25), Ok(ShareWeight(0.25)));
    }

    #[test]
    fn each_kind_has_its_group_slots_lead_and_rank() {
        let slots = BorrowableDepth { pool: 5, own: 2 };
        let (group, borrowable) = (3, Some(slots));
        let shares = Admission::Shares { group, borrowable };
        let queue = Admission::CommonQueue {
            group,
            max_lead: 9,
            borrowable,
        };
        let priority = Admission::Priority { group, rank: 4 };
        for (admission, group, borrowable, lead, rank) in [
            (Admission::OwnDepth, None, None, None, None),
            (shares, Some(3), Some(slots), None, None),
            (queue, Some(3), Some(slots), Some(9), None),
            (priority, Some(3), None, None, Some(4)),
        ] {
            assert_eq!(admission.group(), group);
            assert_eq!(admission.borrowable(), borrowable);
            assert_eq!(admission.max_lead(), lead);
            assert_eq!(admission.rank(), rank);
        }
    }
}
