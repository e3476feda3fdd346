//! Checks of workloads that are coupled: those of one group agree, and only one worker lends and borrows.
//!
//! Belongs here: what the types of [`Admission`] leave open. Must never: repair silently.

use crate::problem::Problems;
use leadline_model::cure::Knob;
use leadline_model::error_code::ErrorCode;
use leadline_model::plan::{Admission, Stage, Workload};
use std::collections::BTreeMap;

/// Checks the groups of a stage, and what each workload may lend.
pub(super) fn groups(stage: &Stage, problems: &mut Problems) {
    let mut first_of: BTreeMap<u32, &Workload> = BTreeMap::new();
    for w in &stage.workloads {
        slots(w, problems);
        let Some(group) = w.admission.group() else {
            continue;
        };
        let first = *first_of.entry(group).or_insert(w);
        if !agree(first.admission, w.admission) {
            problems.add(
                &w.name,
                ErrorCode::PlanConflict,
                format!(
                    "it is in group {group} with {}, and what admits their I/Os differs",
                    first.name
                ),
                ("run them one after the other", [Knob::Stages]),
            );
        }
    }
}

/// Whether two workloads of one group can be admitted by the same rule.
fn agree(a: Admission, b: Admission) -> bool {
    let (a, b) = (rule(a), rule(b));
    a.is_some() && a == b
}

/// Which rule admits I/Os, and what of it all of a group share; `None` = none does.
fn rule(of: Admission) -> Option<(u8, u32)> {
    match of {
        Admission::OwnDepth => None,
        Admission::Shares {
            group: _,
            // `slots`, each by itself.
            borrowable: _,
        } => Some((0, 0)),
        Admission::CommonQueue {
            group: _,
            max_lead,
            borrowable: _,
        } => Some((1, max_lead)),
        Admission::Priority {
            group: _,
            // Each has its own.
            rank: _,
        } => Some((2, 0)),
    }
}

/// Slots are lent and borrowed by a workload of one worker, which has some of its own.
fn slots(w: &Workload, problems: &mut Problems) {
    let Some(borrowable) = w.admission.borrowable() else {
        return;
    };
    if w.clones != 1 {
        problems.add(
            &w.name,
            ErrorCode::PlanConflict,
            format!(
                "it borrows slots of other workloads with {} workers, which only a workload of one worker can",
                w.clones
            ),
            ("use one worker", [Knob::Workers]),
        );
    }
    if borrowable.own == 0 || borrowable.own > w.depth {
        problems.add(
            &w.name,
            ErrorCode::PlanValue,
            format!(
                "{} slots of its own in a queue of {}: it needs at least one and at most the queue's depth",
                borrowable.own, w.depth
            ),
            ("use the queue's depth as the number of its own", [Knob::QueueDepth]),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::plan::{BorrowableDepth, Target};

    fn shares(group: u32) -> Admission {
        Admission::Shares {
            group,
            borrowable: None,
        }
    }

    fn queue(group: u32, max_lead: u32) -> Admission {
        Admission::CommonQueue {
            group,
            max_lead,
            borrowable: None,
        }
    }

    /// Names of the workloads that problems are reported of, where they have these admissions.
    fn refused(admissions: &[Admission], change: impl Fn(&mut Workload)) -> String {
        let workload = |(number, &admission): (usize, &Admission)| {
            let mut w = Workload::new(&format!("w{number}"), Target::Null { size: 1 << 20 });
            (w.admission, w.depth) = (admission, 8);
            change(&mut w);
            w
        };
        let workloads: Vec<Workload> = admissions.iter().enumerate().map(workload).collect();
        let stage = Stage {
            workloads,
            ..Stage::default()
        };
        let mut problems = Problems::default();
        groups(&stage, &mut problems);
        let names: Vec<&str> = problems.0.iter().map(|p| p.workload.as_str()).collect();
        names.join(" ")
    }

    #[test]
    fn workloads_of_one_group_are_admitted_by_one_rule() {
        let priority = |rank| Admission::Priority { group: 1, rank };
        for (admissions, expected) in [
            (vec![shares(1), shares(1), queue(2, 9), queue(2, 9)], ""),
            (vec![priority(1), priority(7), Admission::OwnDepth], ""),
            (vec![shares(1), queue(1, 9)], "w1"),
            (vec![queue(1, 9), queue(1, 8), queue(1, 9)], "w1"),
            (vec![shares(3), priority(2), shares(1)], "w2"),
        ] {
            assert_eq!(refused(&admissions, |_| {}), expected, "{admissions:?}");
        }
    }

    #[test]
    fn slots_are_lent_by_one_worker_that_has_some() {
        let with = |own| Admission::Shares {
            group: 0,
            borrowable: Some(BorrowableDepth { pool: 0, own }),
        };
        for own in [1, 8] {
            assert_eq!(refused(&[with(own)], |_| {}), "");
            assert_eq!(refused(&[with(own)], |w| w.clones = 2), "w0");
        }
        for own in [0, 9] {
            assert_eq!(refused(&[with(own)], |_| {}), "w0");
        }
    }
}
