//! A run as the rest of this crate sees it: everything the events said, in one value. Built from live
//! events or from a run file, by the same function.

use leadline_model::event::{DiskUse, Event, Outcome};
use leadline_model::facts::Fact;
use leadline_model::finding::Finding;
use leadline_model::plan::Plan;
use leadline_model::sample::{Sample, WorkerTotals};
use leadline_model::units::Nanos;

/// Everything known of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// What was to be done; studies add stages while they run.
    pub plan: Option<Plan>,
    /// Wall clock at the start, milliseconds since 1970 UTC.
    pub wall_ms: u64,
    /// Host and targets.
    pub facts: Vec<Fact>,
    /// The stages that were started, in order.
    pub stages: Vec<StageRun>,
    /// What was found, in the order it was said.
    pub findings: Vec<Finding>,
    /// How it ended; `None` = still running, or the process died.
    pub outcome: Option<Outcome>,
    /// Length of the run.
    pub length: Nanos,
}

/// One stage of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageRun {
    /// Number in the plan.
    pub stage: u32,
    /// Start, from the start of the run.
    pub start: Nanos,
    /// End, from the start of the run; `None` = not ended.
    pub end: Option<Nanos>,
    /// Wall clock at the start, milliseconds since 1970 UTC.
    pub wall_ms: u64,
    /// Interval samples in the order they came.
    pub samples: Vec<Sample>,
    /// Workers that ended.
    pub workers: Vec<WorkerTotals>,
    /// What the block devices did.
    pub disks: Vec<DiskUse>,
}

impl Run {
    /// Takes in one event. Histograms are kept packed: a run of hours fits in memory.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::RunStarted { plan, wall_ms } => {
                self.plan = Some((**plan).clone());
                self.wall_ms = *wall_ms;
            }
            Event::Facts(facts) => self.facts.extend_from_slice(facts),
            Event::StageAdded(stage) => {
                if let Some(plan) = &mut self.plan {
                    plan.stages.push((**stage).clone());
                }
            }
            Event::Preparing { .. } | Event::Tick(_) | Event::Host(_) => {}
            Event::StageStarted { stage, at, wall_ms } => self.stages.push(StageRun {
                stage: *stage,
                start: *at,
                wall_ms: *wall_ms,
                ..StageRun::default()
            }),
            Event::Interval(sample) => {
                if let Some(stage) = self.stage_mut(sample.stage) {
                    let mut sample = (**sample).clone();
                    sample.counts.pack();
                    stage.samples.push(sample);
                }
            }
            Event::WorkerEnded(totals) => {
                if let Some(stage) = self.stage_mut(totals.stage) {
                    let mut totals = (**totals).clone();
                    totals.counts.pack();
                    stage.workers.push(totals);
                }
            }
            Event::StageEnded { stage, at, disks } => {
                if let Some(run) = self.stage_mut(*stage) {
                    run.end = Some(*at);
                    run.disks.clone_from(disks);
                }
            }
            Event::Finding(finding) => self.findings.push(finding.clone()),
            Event::RunEnded { at, outcome } => {
                self.length = *at;
                self.outcome = Some(outcome.clone());
            }
        }
    }

    fn stage_mut(&mut self, stage: u32) -> Option<&mut StageRun> {
        self.stages.iter_mut().rev().find(|s| s.stage == stage)
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture;
    use leadline_model::units::Op;

    #[test]
    fn the_fixture_has_samples_that_sum_up_to_its_totals() {
        let run = fixture::run();
        assert_eq!(run.stages.len(), 2);
        for stage in &run.stages {
            let in_window = stage.samples.iter().filter(|s| !s.warmup);
            let sampled: u64 = in_window.map(|s| s.counts.data().ios).sum();
            let total: u64 = stage.workers.iter().map(|w| w.counts.data().ios).sum();
            assert_eq!(sampled, total);
        }
        assert!(run.stages[1].workers[2].counts.op(Op::Sync).is_some());
    }
}
