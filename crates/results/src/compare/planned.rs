//! What two plans would be compared of: whether it is the same work is known before anything runs.
//!
//! Belongs here: rows of a plan without figures. Must never: guess what only a run can say (what the files hold, how many
//! hosts took part).

use super::rows::CompareSide;
use super::subject::{Subject, SubjectRow};
use super::{CompareOptions, compare};
use crate::study::is_result;
use crate::work::of_plan;
use leadline_model::op::Op;
use leadline_model::plan::{OpMix, Plan, Stage, Workload};

/// Why a comparison of what two plans measure would say nothing: no workload of one does what one of the other does.
/// `None` = at least one can be compared.
#[must_use]
pub fn nothing_in_common(a: &Plan, b: &Plan, options: &CompareOptions) -> Option<String> {
    let side = |name: &str, plan| CompareSide {
        name: name.to_owned(),
        subjects: vec![subject(name, plan)],
    };
    let found = compare(&side("A", a), &side("B", b), options);
    if found.rows.iter().any(|row| row.unlike.is_empty()) {
        return None;
    }
    let unlike = found.rows.iter().map(|row| {
        let each = row.unlike.iter().map(|difference| difference.words());
        format!(
            "{}: {}",
            row.name.label(),
            each.collect::<Vec<_>>().join("; ")
        )
    });
    let alone = found.only.iter().zip(["A", "B"]).flat_map(|(only, side)| {
        only.iter()
            .map(move |row| format!("{}: in {side} only", row.called()))
    });
    Some(unlike.chain(alone).collect::<Vec<_>>().join("\n  "))
}

/// A plan as a result without figures.
fn subject(name: &str, plan: &Plan) -> Subject {
    let stages = plan.stages.iter().filter(|stage| is_result(stage));
    let rows = stages.flat_map(|stage| {
        let workloads = stage.workloads.iter();
        workloads.flat_map(move |workload| rows(stage, workload))
    });
    Subject {
        name: name.to_owned(),
        source: name.to_owned(),
        rows: rows.collect(),
        ..Subject::default()
    }
    .distinguished()
}

/// One row an operation; with several, one of all of them together before.
fn rows(stage: &Stage, workload: &Workload) -> Vec<SubjectRow> {
    let ops: Vec<Option<Op>> = match workload.blocks().mix {
        OpMix::Only(op) => vec![Some(op)],
        OpMix::ReadWrite { .. } => vec![None, Some(Op::Read), Some(Op::Write)],
        OpMix::TrimWrite => vec![None, Some(Op::Trim), Some(Op::Write)],
    };
    let properties = of_plan(workload);
    let row = |op| SubjectRow {
        stage: stage.name.clone(),
        workload: workload.name.clone(),
        op,
        properties: properties.clone(),
        ..SubjectRow::default()
    };
    ops.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::work::Property;
    use leadline_model::op::PerOp;
    use leadline_model::plan::{Arrival, Pace, Rate};

    /// What is said of a plan of 4 KiB random reads and one that was changed.
    fn said(change: &dyn Fn(&mut Workload), across: &[Property]) -> Option<String> {
        let workload = || fixture::workload("w", OpMix::reads(), 4096, 8, 5);
        let plan = |workload| fixture::plan(vec![("s", vec![workload])]);
        let mut other = workload();
        change(&mut other);
        let options = CompareOptions {
            across: across.to_vec(),
            ..CompareOptions::default()
        };
        nothing_in_common(&plan(workload()), &plan(other), &options)
    }

    #[test]
    fn other_work_is_known_before_it_runs() {
        assert_eq!(said(&|_| {}, &[]), None);
        let jobs = |w: &mut Workload| w.clones += 1;
        let found = said(&jobs, &[]).expect("another number of jobs");
        assert!(found.contains("jobs 1 in A, 2 in B"), "{found}");
        assert_eq!(said(&jobs, &[Property::Jobs]), None);
        let rated = |w: &mut Workload| {
            let mut rates = PerOp::splat(None);
            rates.read = Some(Rate::Iops(500.0));
            w.pace = Pace::Open {
                rates,
                arrival: Arrival::Constant,
                together: None,
                schedule: Vec::new(),
            };
        };
        let found = said(&rated, &[]).expect("another rate");
        assert!(found.contains("rate none in A, 500 IOPS in B"), "{found}");
        let arrivals = |arrival| {
            let mut workload = fixture::workload("w", OpMix::reads(), 4096, 8, 5);
            rated(&mut workload);
            if let Pace::Open { arrival: own, .. } = &mut workload.pace {
                *own = arrival;
            }
            fixture::plan(vec![("s", vec![workload])])
        };
        let (even, poisson) = (arrivals(Arrival::Constant), arrivals(Arrival::Poisson));
        let found = nothing_in_common(&even, &poisson, &CompareOptions::default());
        let found = found.expect("other arrivals");
        assert!(
            found.contains("arrivals at equal intervals in A, Poisson in B"),
            "{found}"
        );
        let writes = |w: &mut Workload| w.blocks_mut().mix = OpMix::Only(Op::Write);
        let found = said(&writes, &[]).expect("another operation");
        assert!(
            found.contains("in A only") && found.contains("in B only"),
            "{found}"
        );
    }

    /// A mix beside a plain read: the reads of both are not of the same work.
    #[test]
    fn a_mix_has_a_row_for_each_operation() {
        let mixed = |w: &mut Workload| w.blocks_mut().mix = OpMix::mixed(70);
        let found = said(&mixed, &[]).expect("another mix");
        assert!(
            found.contains("mix 100 % reads in A, 70 % reads in B"),
            "{found}"
        );
    }
}
