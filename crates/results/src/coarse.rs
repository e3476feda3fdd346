//! Bounds the memory of a run: when its samples hold too much, neighbouring intervals become one. The run file keeps
//! each of them.
//!
//! Belongs here: which samples become one, and what they hold. Must never: lose an I/O, join the warm-up with the
//! window, or hide an interval without I/O among others.

use crate::held::bytes_of;
use crate::run::{HostPoint, Run, StageRun};
use leadline_model::op::OpMap;
use leadline_model::sample::{OpCounts, Sample};
use leadline_model::units::Nanos;
use std::collections::HashMap;

/// This many bytes of samples a run holds, about. At half a second an interval that is all of a run of one quiet
/// workload for ten hours, or the last minutes of a hundred workloads after a coarser time series.
const MOST_BYTES: usize = 128 << 20;

/// Where one interval in this many or more is without I/O, that is how the workload is: they are joined like others.
const IDLE_SHARE: usize = 8;

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
        let largest = self.stages.iter_mut().max_by_key(|stage| stage.held);
        largest.map(StageRun::coarsen);
        self.held.bytes = self.stages.iter().map(|stage| stage.held).sum();
        // What cannot become less is not looked at with each sample.
        self.held.limit = self.held.bytes / 4 * 5;
    }
}

impl StageRun {
    /// Joins intervals until half the memory is free: first the newest as the others were, then all further.
    fn coarsen(&mut self) {
        let before = self.held;
        self.join();
        while self.held > before / 2 && self.level < MOST_LEVEL {
            self.level += 1;
            self.join();
        }
    }

    fn join(&mut self) {
        let idle = self.samples.iter().filter(|s| is_idle(s)).count();
        let apart = idle * IDLE_SHARE < self.samples.len();
        let level = self.level;
        let mut joined: Vec<Sample> = Vec::new();
        let mut last = HashMap::new();
        for sample in std::mem::take(&mut self.samples) {
            let place = (sample.workload, sample.warmup);
            let before = last.get(&place).and_then(|&at: &usize| joined.get_mut(at));
            let before = before.filter(|old| {
                let same = old.interval >> level == sample.interval >> level;
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
        self.join_points();
        let samples: usize = self.samples.iter().map(bytes_of).sum();
        let points: usize = self.points.iter().map(HostPoint::bytes).sum();
        self.held = samples + points;
    }

    fn join_points(&mut self) {
        let level = self.level;
        let mut joined: Vec<HostPoint> = Vec::new();
        let mut last = HashMap::new();
        for point in std::mem::take(&mut self.points) {
            let place = (point.host, point.workload, point.warmup);
            let before = last.get(&place).and_then(|&at: &usize| joined.get_mut(at));
            let before = before.filter(|old| old.interval >> level == point.interval >> level);
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

fn absorb(old: &mut Sample, new: &Sample) {
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

fn absorb_point(old: &mut HostPoint, new: &HostPoint) {
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
            let ios: u64 = own.iter().map(|s| s.counts.data().ios).sum();
            assert_eq!(ios, (intervals - intervals / 1000) * 40);
            // Each standstill is still seen.
            let idle = own.iter().filter(|s| is_idle(s));
            assert_eq!(idle.count() as u64, intervals / 1000);
            // The newest are as they came.
            assert_eq!(own.last().map(|s| s.length), Some(Nanos(500_000_000)));
        }
    }

    #[test]
    fn a_run_asked_for_whole_keeps_each_interval() {
        let run = long(2, 40_000, Run::whole());
        assert_eq!(run.stages[0].samples.len(), 80_000);
    }
}
