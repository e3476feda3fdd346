//! `-P`: a dot on standard error for every N I/Os of a thread, as the intervals end.
//!
//! Belongs here: how many dots are due. Must never: end or delay anything.

use leadline_diskspd::original::PlanOriginal;
use leadline_model::plan::Plan;
use leadline_model::sample::Sample;
use std::collections::BTreeMap;

/// I/Os of each thread that make no dot yet.
#[derive(Debug)]
pub(super) struct Dots {
    every: u64,
    /// By host, stage, workload and worker.
    left: BTreeMap<(u32, u32, u32, usize), u64>,
}

impl Dots {
    /// `None` = not requested.
    pub(super) fn of(plan: &Plan) -> Option<Self> {
        let every = PlanOriginal::of(plan)?.profile.progress;
        (every > 0).then(|| Self {
            every: u64::from(every),
            left: BTreeMap::new(),
        })
    }

    /// The dots that an interval brings.
    pub(super) fn of_interval(&mut self, sample: &Sample) -> u64 {
        let mut dots = 0;
        for (worker, (ios, _)) in sample.workers.iter().enumerate() {
            let place = (sample.host, sample.stage, sample.workload, worker);
            let left = self.left.entry(place).or_default();
            let all = left.saturating_add(*ios);
            dots += all / self.every;
            *left = all % self.every;
        }
        dots
    }
}
