//! How many I/Os a workload has in flight, alone or with others.
//!
//! Belongs here: words on depths. Must never: add up depths that workloads have in common.

use leadline_model::plan::{Admission, BorrowableDepth, Workload};

/// More others are not named.
const MOST_NAMES: usize = 3;

/// `at depth 8`; `at depth 5 of 6 that it shares with wd2` where they lend each other what they do not use; `at depth 6
/// that it shares with wd2 by priority` where none has any of its own. `all`: the workloads of the stage.
pub(super) fn depth(w: &Workload, all: &[Workload]) -> String {
    let most = w.depth;
    let shared = match w.admission {
        Admission::OwnDepth => None,
        Admission::Shares {
            // Shown by `leadline plan --json`.
            group: _,
            borrowable,
        }
        | Admission::CommonQueue {
            group: _,
            max_lead: _,
            borrowable,
        } => borrowable.map(|BorrowableDepth { pool, own }| {
            let has =
                |other: &Workload| other.admission.borrowable().is_some_and(|b| b.pool == pool);
            (format!("{own} of {most}"), "", others(w, all, &has))
        }),
        Admission::Priority {
            group,
            // Shown by `leadline plan --json`.
            rank: _,
        } => {
            let has = |other: &Workload| {
                other.admission.rank().is_some() && other.admission.group() == Some(group)
            };
            Some((most.to_string(), " by priority", others(w, all, &has)))
        }
    };
    match shared {
        Some((depth, how, others)) if !others.is_empty() => {
            format!(
                "at depth {depth} that it shares with {}{how}",
                named(&others)
            )
        }
        _ => format!("at depth {most}"),
    }
}

/// The names of the others of the stage that share with a workload.
fn others<'a>(
    w: &Workload,
    all: &'a [Workload],
    shares: &dyn Fn(&Workload) -> bool,
) -> Vec<&'a str> {
    let others = all.iter().filter(|other| !std::ptr::eq(*other, w));
    let sharing = others.filter(|other| shares(other));
    sharing.map(|other| other.name.as_str()).collect()
}

/// `a, b and c`, `7 other workloads`.
fn named(names: &[&str]) -> String {
    match names {
        many if many.len() > MOST_NAMES => format!("{} other workloads", many.len()),
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        few => few.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::plan::Target;

    fn stage(admissions: &[Admission]) -> Vec<String> {
        let of = |(number, admission): (usize, &Admission)| {
            let target = Target::Paths(vec!["/mnt/x".into()]);
            let mut w = Workload::new(&format!("wd{}", number + 1), target);
            (w.depth, w.admission) = (6, *admission);
            w
        };
        let all: Vec<Workload> = admissions.iter().enumerate().map(of).collect();
        all.iter().map(|w| depth(w, &all)).collect()
    }

    /// `sd=sd1,threads=6` with `skew=80` of one workload: 6 in flight in all.
    #[test]
    fn a_depth_that_several_have_in_common_is_said_once() {
        let lends = |pool, own| {
            let borrowable = Some(BorrowableDepth { pool, own });
            Admission::Shares {
                group: 0,
                borrowable,
            }
        };
        // The third is on other storage, with as many of its own.
        assert_eq!(
            stage(&[lends(0, 5), lends(0, 1), lends(1, 6)]),
            [
                "at depth 5 of 6 that it shares with wd2",
                "at depth 1 of 6 that it shares with wd1",
                "at depth 6"
            ]
        );
        let queue = |own| Admission::CommonQueue {
            group: 1,
            max_lead: 1,
            borrowable: Some(BorrowableDepth { pool: 0, own }),
        };
        assert_eq!(
            stage(&[queue(2); 3])[0],
            "at depth 2 of 6 that it shares with wd2 and wd3"
        );
        assert_eq!(
            stage(&[queue(1); 5])[4],
            "at depth 1 of 6 that it shares with 4 other workloads"
        );
    }

    #[test]
    fn workloads_by_priority_have_one_depth_and_others_their_own() {
        let priority = |group, rank| Admission::Priority { group, rank };
        assert_eq!(
            stage(&[priority(1, 1), priority(1, 2), priority(2, 1)]),
            [
                "at depth 6 that it shares with wd2 by priority",
                "at depth 6 that it shares with wd1 by priority",
                "at depth 6"
            ]
        );
        let coupled = Admission::Shares {
            group: 0,
            borrowable: None,
        };
        assert_eq!(stage(&[coupled; 2]), ["at depth 6"; 2]);
        let queue = Admission::CommonQueue {
            group: 0,
            max_lead: 1,
            borrowable: None,
        };
        assert_eq!(stage(&[queue; 2]), ["at depth 6"; 2]);
        assert_eq!(stage(&[Admission::OwnDepth; 2]), ["at depth 6"; 2]);
    }
}
