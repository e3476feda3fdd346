//! Bounds the memory of a run: when its samples hold too much, neighbouring ones become one. First the slices of an
//! interval, then intervals. The run file keeps each of them.
//!
//! Belongs here: which samples become one, and what they hold. Must never: lose an I/O, join the warm-up with the
//! window, or hide a sample without I/O among others.

use crate::groups::first_of;
use crate::held::bytes_of;
use crate::run::{HostPoint, Run, StageRun};
use leadline_model::op::OpMap;
use leadline_model::sample::{OpCounts, Sample};
use leadline_model::units::Nanos;
use std::collections::HashMap;

/// A run holds about this many bytes of samples. At half a second an interval that is all of a run of one quiet
/// workload for ten hours, or the last minutes of a hundred workloads after a coarser time series.
const MOST_BYTES: usize = 128 << 20;

/// If one interval in this many or more is without I/O, that is normal for the workload: such intervals are joined like
/// others.
const IDLE_SHARE: usize = 8;

/// From this number of intervals on, a stage has enough for its statistics: slices of them are put together when it has
/// ended, so that a run of hours is not several times as large, and as slow to compute, for being cut.
const ENOUGH: u64 = 128;

/// No group of intervals is larger than two to this power.
const MOST_LEVEL: u32 = 40;

impl Run {
    /// A run that keeps every interval, however much memory that takes.
    #[must_use]
    pub fn whole() -> Self {
        let mut run = Self::default();
        run.held.whole = true;
        run
    }

    /// Takes in that a stage holds this many bytes more, and makes room.
    pub(crate) fn hold(&mut self, more: usize) {
        self.held.bytes += more;
        if self.held.whole || self.held.bytes <= self.held.limit.max(MOST_BYTES) {
            return;
        }
        let cuts = self.cuts();
        let largest = self.stages.iter_mut().max_by_key(|stage| stage.held);
        if let Some(stage) = largest {
            stage.coarsen(cuts);
        }
        self.held.bytes = self.stages.iter().map(|stage| stage.held).sum();
        // What cannot become less is not looked at with each sample.
        self.held.limit = self.held.bytes / 4 * 5;
    }

    /// Length of a sample of a stage, above 0: that of a slice, or that of an interval where slices were joined.
    pub(crate) fn unit(&self, stage: u32) -> Option<Nanos> {
        let plan = self.plan.as_ref()?;
        let of_stage = self.stages.iter().rev().find(|run| run.stage == stage);
        Some(match of_stage.is_some_and(|run| run.level > 0) {
            true => Nanos(plan.interval.0.max(1)),
            false => plan.slice(),
        })
    }

    /// Joins the slices of the intervals of a stage that has ended, where there are enough intervals without them:
    /// evenly, so that it is as if they had not been cut.
    pub(crate) fn put_together(&mut self, stage: u32) {
        let cuts = self.cuts();
        let enough = cuts.saturating_mul(ENOUGH);
        // What memory made coarser stays as it is.
        let is_long =
            |run: &StageRun| run.level == 0 && run.samples.iter().any(|s| s.interval >= enough);
        if cuts == 1 || self.held.whole {
            return;
        }
        if let Some(stage) = self.stage_mut(stage).filter(|run| is_long(run)) {
            stage.level = 1;
            stage.join(cuts, false);
        }
        self.held.bytes = self.stages.iter().map(|stage| stage.held).sum();
    }
}

impl StageRun {
    /// Joins samples until half the memory is free: first the newest as the others were, then all further.
    fn coarsen(&mut self, cuts: u64) {
        let before = self.held;
        let apart = |stage: &Self| {
            let idle = stage.samples.iter().filter(|s| is_idle(s)).count();
            idle * IDLE_SHARE < stage.samples.len()
        };
        self.join(cuts, apart(self));
        while self.held > before / 2 && self.level < MOST_LEVEL {
            self.level += 1;
            self.join(cuts, apart(self));
        }
    }

    /// Joins the samples of each group; `apart`: except those without I/O.
    fn join(&mut self, cuts: u64, apart: bool) {
        let level = self.level;
        let mut joined: Vec<Sample> = Vec::new();
        let mut last = HashMap::new();
        for sample in std::mem::take(&mut self.samples) {
            let place = (sample.workload, sample.warmup);
            let before = last.get(&place).and_then(|&at: &usize| joined.get_mut(at));
            let before = before.filter(|old| {
                let group = |number| first_of(number, level, cuts);
                let same = group(old.interval) == group(sample.interval);
                let next = sample.start.0 <= old.start.0 + old.length.0;
                same && next && !(apart && is_idle(old) != is_idle(&sample))
            });
            if let Some(old) = before {
                absorb(old, &sample);
            } else {
                last.insert(place, joined.len());
                joined.push(sample);
            }
        }
        joined.shrink_to_fit();
        self.samples = joined;
        let all = self.samples.iter().enumerate();
        self.merged = match self.merged.is_empty() {
            true => HashMap::new(),
            false => all
                .map(|(at, s)| ((s.workload, s.interval, s.warmup), at))
                .collect(),
        };
        self.join_points(cuts);
        let samples: usize = self.samples.iter().map(bytes_of).sum();
        let points: usize = self.points.iter().map(HostPoint::bytes).sum();
        self.held = samples + points;
    }

    fn join_points(&mut self, cuts: u64) {
        let level = self.level;
        let mut joined: Vec<HostPoint> = Vec::new();
        let mut last = HashMap::new();
        for point in std::mem::take(&mut self.points) {
            let place = (point.host, point.workload, point.warmup);
            let before = last.get(&place).and_then(|&at: &usize| joined.get_mut(at));
            let group = |number| first_of(number, level, cuts);
            let before = before.filter(|old| group(old.interval) == group(point.interval));
            if let Some(old) = before {
                absorb_point(old, &point);
            } else {
                last.insert(place, joined.len());
                joined.push(point);
            }
        }
        joined.shrink_to_fit();
        self.points = joined;
    }
}

fn is_idle(sample: &Sample) -> bool {
    sample.counts.ops.values().all(OpCounts::is_empty)
}

/// From the earlier start to the later end.
fn span(a: (Nanos, Nanos), b: (Nanos, Nanos)) -> (Nanos, Nanos) {
    let start = a.0.min(b.0);
    let end = (a.0.0 + a.1.0).max(b.0.0 + b.1.0);
    (start, Nanos(end).since(start))
}

fn add(mine: &mut [(u64, u64)], theirs: &[(u64, u64)]) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        mine.0 += theirs.0;
        mine.1 += theirs.1;
    }
}

pub(crate) fn absorb(old: &mut Sample, new: &Sample) {
    (old.start, old.length) = span((old.start, old.length), (new.start, new.length));
    old.counts.merge(&new.counts);
    old.counts.pack();
    if old.workers.len() < new.workers.len() {
        old.workers.resize(new.workers.len(), (0, 0));
    }
    add(&mut old.workers, &new.workers);
    if old.moments.len() < new.moments.len() {
        old.moments.resize(new.moments.len(), OpMap::default());
    }
    for (mine, theirs) in old.moments.iter_mut().zip(&new.moments) {
        for (op, moments) in theirs.iter() {
            mine.entry(op).merge(moments);
        }
    }
}

pub(crate) fn absorb_point(old: &mut HostPoint, new: &HostPoint) {
    (old.start, old.length) = span((old.start, old.length), (new.start, new.length));
    for (op, theirs) in new.ops.iter() {
        old.ops.entry(op).merge(theirs);
    }
    add(&mut old.workers, &new.workers);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use leadline_model::event::Event;
    use leadline_model::op::Op;
    use leadline_model::sample::Counts;

    /// A run of `workloads`, half a second an interval, with a histogram of many buckets in each.
    fn long(workloads: u32, intervals: u64, mut run: Run) -> Run {
        let reads = leadline_model::plan::OpMix::reads();
        let one = fixture::workload("w", reads, 4096, 1, 60);
        let plan = fixture::plan(vec![("s", vec![one; workloads as usize])]);
        run.apply(&Event::RunStarted {
            plan: Box::new(plan),
            wall_ms: 0,
        });
        run.apply(&Event::StageStarted {
            stage: 0,
            at: Nanos::ZERO,
            wall_ms: 0,
        });
        fill(workloads, intervals, run)
    }

    /// Adds the samples.
    fn fill(workloads: u32, intervals: u64, mut run: Run) -> Run {
        for interval in 0..intervals {
            for workload in 0..workloads {
                let mut counts = Counts::default();
                // The device stands still in one interval of a thousand.
                if interval % 1000 != 777 {
                    let op = counts.op_mut(Op::Read);
                    for n in 0..40 {
                        op.service
                            .record(1000 + (n * 7919 + interval * 31) % 1_000_000);
                    }
                    (op.ios, op.bytes) = (40, 40 * 4096);
                }
                run.apply(&Event::Interval(Box::new(Sample {
                    host: 0,
                    stage: 0,
                    workload,
                    interval,
                    start: Nanos(interval * 500_000_000),
                    length: Nanos(500_000_000),
                    warmup: interval < 10,
                    counts,
                    workers: vec![(40, 40 * 4096)],
                    moments: Vec::new(),
                })));
            }
        }
        run
    }

    #[test]
    fn a_long_run_is_coarser_and_whole() {
        let (workloads, intervals) = (20, 20_000);
        let run = long(workloads, intervals, Run::default());
        let stage = &run.stages[0];
        let held: usize = stage.samples.iter().map(bytes_of).sum();
        assert!(held <= MOST_BYTES, "{held}");
        assert!(stage.samples.len() > 2000, "{}", stage.samples.len());
        for workload in 0..workloads {
            let own: Vec<_> = stage
                .samples
                .iter()
                .filter(|s| s.workload == workload)
                .collect();
            // No gap, no overlap, the warm-up for itself.
            assert!(
                own.windows(2)
                    .all(|w| w[0].start.0 + w[0].length.0 == w[1].start.0)
            );
            assert_eq!(
                own.last().map(|s| s.start.0 + s.length.0),
                Some(intervals * 500_000_000)
            );
            assert!(
                own.iter()
                    .all(|s| !s.warmup || s.start.0 + s.length.0 <= 5_000_000_000)
            );
            let ios: u64 = own.iter().map(|s| s.counts.data_ios()).sum();
            assert_eq!(ios, (intervals - intervals / 1000) * 40);
            // Each standstill is still seen.
            let idle = own.iter().filter(|s| is_idle(s));
            assert_eq!(idle.count() as u64, intervals / 1000);
            // The newest are as they came.
            assert_eq!(own.last().map(|s| s.length), Some(Nanos(500_000_000)));
        }
    }

    #[test]
    fn slices_of_many_intervals_are_put_together_at_the_end() {
        let slices = |intervals: u64, mut run: Run| {
            run = long(1, 0, run);
            let plan = run.plan.as_mut().unwrap();
            (plan.interval, plan.slices) = (Nanos::from_secs(2), 4);
            let mut run = fill(1, 4 * intervals, run);
            run.apply(&Event::StageEnded {
                stage: 0,
                at: Nanos::from_secs(2 * intervals),
                disks: Vec::new(),
                cpus: Vec::new(),
                counted: Vec::new(),
            });
            let stage = &run.stages[0];
            assert_eq!(run.held.bytes, stage.held);
            let ios: u64 = stage.samples.iter().map(|s| s.counts.data_ios()).sum();
            (stage.samples.len(), ios)
        };
        // The warm-up ends within an interval.
        assert_eq!(slices(128, Run::default()), (512, 512 * 40));
        assert_eq!(slices(129, Run::default()), (130, 516 * 40));
        assert_eq!(slices(129, Run::whole()), (516, 516 * 40));
        assert_eq!(slices(250, Run::default()), (251, 999 * 40));
    }

    #[test]
    fn a_run_requested_in_full_keeps_each_interval() {
        let run = long(2, 40_000, Run::whole());
        assert_eq!(run.stages[0].samples.len(), 80_000);
    }
}
