//! Requested shares of I/Os beside the shares that were measured.
//!
//! Belongs here: the comparison for one run. Must never: decide what a difference leads to.

use crate::run::{Run, StageRun};
use crate::summary::{planned, summarize_stage};
use leadline_model::plan::ShareSource;

/// One workload's share of the I/Os of a stage, in percent.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The definition it comes from.
    pub name: String,
    /// Asked for.
    pub asked: f64,
    /// Of the I/Os that were done.
    pub done: f64,
}

impl Share {
    /// Their difference in percentage points.
    #[must_use]
    pub fn off(&self) -> f64 {
        (self.asked - self.done).abs()
    }
}

/// The shares of a stage by definition, in the order of the plan. Empty where none was asked for, where a
/// workload has a rate of its own, and where nothing was done.
#[must_use]
pub fn shares(run: &Run, stage: &StageRun) -> Vec<Share> {
    let Some(plan) = planned(run, stage.stage) else {
        return Vec::new();
    };
    if plan.shares != ShareSource::Given {
        return Vec::new();
    }
    let summary = summarize_stage(run, stage);
    let mut all: Vec<Share> = Vec::new();
    for (workload, done) in plan.workloads.iter().zip(&summary.workloads) {
        let Some(asked) = workload.share else {
            return Vec::new();
        };
        let name = workload.definition().to_owned();
        let ios = done.figures.data.ios as f64;
        match all.iter_mut().find(|s| s.name == name) {
            Some(share) => {
                share.asked += asked.get();
                share.done += ios;
            }
            None => all.push(Share {
                name,
                asked: asked.get(),
                done: ios,
            }),
        }
    }
    let (asked, done): (f64, f64) = all
        .iter()
        .fold((0.0, 0.0), |sum, s| (sum.0 + s.asked, sum.1 + s.done));
    if asked <= 0.0 || done <= 0.0 {
        return Vec::new();
    }
    for share in &mut all {
        share.asked *= 100.0 / asked;
        share.done *= 100.0 / done;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use leadline_model::op::Op;
    use leadline_model::plan::{OpMix, ShareWeight, Stage};

    fn run(shares: ShareSource, share: Option<f64>) -> Run {
        let workload = |name: &str, wd: &str, share: Option<f64>| {
            let mut w = fixture::workload(name, OpMix::reads(), 4096, 1, 1);
            w.share = share.and_then(ShareWeight::new);
            w.definition = Some(wd.into());
            w
        };
        let stage = Stage {
            workloads: vec![
                workload("a1", "a", share),
                workload("a2", "a", share),
                workload("b", "b", Some(40.0)),
            ],
            shares,
            ..Stage::default()
        };
        let plan = leadline_model::plan::Plan {
            stages: vec![stage],
            ..fixture::plan(vec![])
        };
        let load = |ios| Load::simple(Op::Read, ios, 4096, 1000, 2);
        let loads = vec![vec![load(100), load(100), load(200)]];
        fixture::run_of(&fixture::events_of(plan, &loads))
    }

    #[test]
    fn shares_are_compared_by_definition() {
        let run = run(ShareSource::Given, Some(30.0));
        let found = shares(&run, &run.stages[0]);
        let names: Vec<_> = found.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert!((found[0].asked - 60.0).abs() < 1e-9 && (found[0].done - 50.0).abs() < 1e-9);
        assert!(found.iter().all(|s| (s.off() - 10.0).abs() < 1e-9));
    }

    #[test]
    fn only_requested_shares_are_compared() {
        for run in [
            run(ShareSource::Observed, Some(30.0)),
            run(ShareSource::Given, None),
        ] {
            assert_eq!(shares(&run, &run.stages[0]), []);
        }
    }
}
