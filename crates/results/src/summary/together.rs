//! Several workloads of a stage as one: what a report group, or the jobs of one name, did together.
//!
//! Belongs here: adding up the workers of some workloads. Must never: choose which belong together.

use super::{Cover, Figures, Part, Point, by_workload, is_complete, planned};
use crate::run::{Run, StageRun};

/// Figures of some workloads of a stage over their common window.
#[derive(Clone, Debug)]
pub(crate) struct Together {
    /// Their figures, with intervals.
    pub(crate) figures: Figures,
    /// Their time series.
    pub(crate) series: Vec<Point>,
}

/// The figures of these workloads of a stage together, by their numbers within it.
pub(crate) fn together(run: &Run, stage: &StageRun, members: &[u32]) -> Together {
    let plan = planned(run, stage.stage);
    let workloads = plan.map(|p| p.workloads.as_slice()).unwrap_or_default();
    let cover = Cover::of(run, stage);
    let parts = by_workload(stage, workloads.len());
    let own = |number: &u32| {
        let at = *number as usize;
        Some((workloads.get(at)?, parts.get(at)?))
    };
    let each: Vec<_> = members.iter().filter_map(own).collect();
    let complete = each
        .iter()
        .all(|(plan, part)| is_complete(plan, part, &cover));
    // In the order they came: a series is of the samples of a stage as they are kept.
    let is_own = |workload: u32| members.contains(&workload);
    let all = Part {
        workers: stage
            .workers
            .iter()
            .filter(|w| is_own(w.workload))
            .collect(),
        samples: stage
            .samples
            .iter()
            .filter(|s| is_own(s.workload))
            .collect(),
        points: stage.points.iter().filter(|p| is_own(p.workload)).collect(),
    };
    let mut figures = all.figures(&cover, complete);
    let place = members
        .iter()
        .fold(1_u64 << 31, |at, one| at ^ u64::from(*one));
    let number = u64::from(stage.stage) << 32 | place;
    all.give_intervals(&mut figures, &cover, number, true);
    Together {
        series: all.series(&cover),
        figures,
    }
}
