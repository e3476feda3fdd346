//! What can only be seen over all hosts together: rules that end a stage, and where it stands. Pure.

use leadline_model::event::Tick;
use leadline_model::op::Op;
use leadline_model::plan::{EndsOthers, Stage, Until};
use leadline_model::sample::{Counts, Sample, WorkerTotals};
use leadline_model::units::Nanos;
use std::collections::BTreeMap;

/// The rules of a stage that no host can keep alone.
#[derive(Debug)]
pub(crate) struct Rules {
    /// How many samples an interval is.
    cuts: u64,
    until: Until,
    read: u64,
    written: u64,
    moved: u64,
    errors: u64,
    /// Workers that end the stage together, and those of them that are still at work.
    together: Vec<bool>,
    left: BTreeMap<(u32, u32), u32>,
    /// The rule that ended the stage, once.
    met: Option<String>,
}

impl Rules {
    /// The rules of `stage`, whose intervals are `cuts` samples each; `parts` are the hosts that take part with their workloads.
    pub(crate) fn new<'a>(
        cuts: u64,
        stage: &Stage,
        parts: impl Iterator<Item = (u32, &'a [u32])>,
    ) -> Self {
        let ends =
            |w: &leadline_model::plan::Workload| w.stop.ends_others == EndsOthers::StageTogether;
        let together: Vec<bool> = stage.workloads.iter().map(ends).collect();
        let mut left = BTreeMap::new();
        for (host, workloads) in parts {
            for &number in workloads {
                if together[number as usize] {
                    left.insert((host, number), stage.workloads[number as usize].clones);
                }
            }
        }
        Self {
            cuts,
            until: stage.until,
            read: 0,
            written: 0,
            moved: 0,
            errors: 0,
            together,
            left,
            met: None,
        }
    }

    /// Takes a sample; why the stage ends now, if it does, which it may when an interval is over.
    pub(crate) fn sample(&mut self, sample: &Sample) -> Option<String> {
        if sample.warmup {
            return None;
        }
        let bytes = |op| sample.counts.op(op).map_or(0, |c| c.bytes);
        self.read += bytes(Op::Read);
        self.written += bytes(Op::Write);
        self.moved += bytes(Op::Read) + bytes(Op::Write);
        self.errors += sample.counts.ops.values().map(|c| c.errors).sum::<u64>();
        if !(sample.interval + 1).is_multiple_of(self.cuts) {
            return None;
        }
        let reached = |limit: Option<u64>, have: u64| limit.is_some_and(|limit| have >= limit);
        let why = if reached(self.until.moved, self.moved) {
            "the configured number of bytes was transferred"
        } else if reached(self.until.read, self.read) {
            "the configured number of bytes was read"
        } else if reached(self.until.written, self.written) {
            "the configured number of bytes was written"
        } else if reached(self.until.errors, self.errors) {
            "the allowed number of I/Os failed"
        } else {
            return None;
        };
        self.end(why)
    }

    /// Takes the end of a worker.
    pub(crate) fn ended(&mut self, totals: &WorkerTotals) -> Option<String> {
        if !*self.together.get(totals.workload as usize)? {
            return None;
        }
        let left = self.left.get_mut(&(totals.host, totals.workload))?;
        *left = left.saturating_sub(1);
        self.together_over()
    }

    /// A host is gone: its workers are not waited for.
    pub(crate) fn lost(&mut self, host: u32) -> Option<String> {
        self.left.retain(|&(h, _), _| h != host);
        self.together_over()
    }

    fn together_over(&mut self) -> Option<String> {
        let any = self.together.contains(&true);
        if any && self.left.values().all(|&left| left == 0) {
            self.end("every workload that ends the stage has ended")
        } else {
            None
        }
    }

    fn end(&mut self, why: &str) -> Option<String> {
        if self.met.is_some() {
            return None;
        }
        self.met = Some(why.to_owned());
        self.met.clone()
    }
}

/// Where a stage stands over all hosts, for live views.
#[derive(Debug)]
pub(crate) struct Pulse {
    stage: u32,
    interval: u64,
    /// How many samples an interval is.
    cuts: u64,
    expected: Option<Nanos>,
    counts: BTreeMap<u64, (Counts, bool)>,
    next: u64,
}

impl Pulse {
    /// Of a stage with intervals of this length, each of this many samples.
    pub(crate) fn new(number: u32, stage: &Stage, (interval, cuts): (Nanos, u64)) -> Self {
        let is_timed = stage.workloads.iter().any(|w| w.stop.runtime.is_some());
        Self {
            stage: number,
            interval: interval.0.max(1),
            cuts,
            expected: is_timed.then(|| stage.running(Nanos::ZERO)),
            counts: BTreeMap::new(),
            next: 0,
        }
    }

    /// Takes a sample.
    pub(crate) fn sample(&mut self, sample: &Sample) {
        let interval = sample.interval / self.cuts;
        if interval + 3 < self.next {
            return;
        }
        let (counts, warmup) = self
            .counts
            .entry(interval)
            .or_insert_with(|| (Counts::default(), true));
        counts.merge(&sample.counts);
        *warmup &= sample.warmup;
        while self.counts.len() > 6 {
            self.counts.pop_first();
        }
    }

    /// Where it stands `at` so long after the start, when a new interval has had time to come in from all
    /// hosts.
    pub(crate) fn tick(&mut self, at: Nanos, running: u32) -> Option<Tick> {
        // Agents send what they have when an interval is over, which takes them a tenth of a second.
        let slack = (self.interval / 4).clamp(150_000_000, 500_000_000);
        let through = at.0.saturating_sub(slack) / self.interval;
        if through <= self.next {
            return None;
        }
        self.next = through;
        let (counts, warmup) = self.counts.get(&(through - 1)).cloned().unwrap_or_default();
        let share = |length: Nanos| (at.as_secs_f64() / length.as_secs_f64().max(1e-9)).min(1.0);
        Some(Tick {
            stage: self.stage,
            at,
            expected: self.expected,
            running,
            done: self.expected.map(share),
            warmup,
            counts,
            span: Nanos(self.interval),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::plan::{Target, Workload};

    fn stage(together: &[bool]) -> Stage {
        let workload = |&together: &bool| {
            let mut w = Workload::new("w", Target::Null { size: 1 });
            w.clones = 2;
            if together {
                w.stop.ends_others = EndsOthers::StageTogether;
            }
            w
        };
        Stage {
            workloads: together.iter().map(workload).collect(),
            ..Stage::default()
        }
    }

    fn ended(host: u32, workload: u32) -> WorkerTotals {
        WorkerTotals {
            host,
            stage: 0,
            workload,
            worker: 0,
            thread_id: 1,
            first_submit: None,
            window_start: Nanos::ZERO,
            window_end: Nanos::ZERO,
            counts: Counts::default(),
            warmup_ios: 0,
            unissued: 0,
            edge: 0,
            drain: None,
            cpu: leadline_model::sample::CpuUse::default(),
            seed: 0,
            errors: Vec::new(),
            end: leadline_model::sample::EndReason::Size,
            files: Vec::new(),
        }
    }

    #[test]
    fn the_stage_ends_with_the_last_of_those_that_end_it_on_all_hosts() {
        let stage = stage(&[true, false]);
        let parts = [(0, [0, 1].as_slice()), (1, &[0, 1]), (2, &[0])];
        let mut rules = Rules::new(1, &stage, parts.into_iter());
        for (host, workload) in [(0, 0), (0, 0), (1, 0), (0, 1), (0, 1)] {
            assert_eq!(rules.ended(&ended(host, workload)), None);
        }
        assert_eq!(rules.lost(2), None);
        assert!(rules.ended(&ended(1, 0)).is_some());
        assert_eq!(rules.ended(&ended(1, 0)), None, "said once");
        let mut nobody = Rules::new(1, &self::stage(&[false]), parts[..0].iter().copied());
        assert_eq!(nobody.lost(0), None);
    }

    #[test]
    fn what_is_counted_is_counted_over_all_hosts_after_the_warm_up() {
        let mut stage = stage(&[false]);
        stage.until.moved = Some(100);
        let mut rules = Rules::new(1, &stage, std::iter::empty());
        let sample = |host: u32, bytes: u64, warmup: bool| {
            let mut counts = Counts::default();
            counts.op_mut(Op::Write).bytes = bytes;
            Sample {
                host,
                stage: 0,
                workload: 0,
                interval: 0,
                start: Nanos::ZERO,
                length: Nanos::SECOND,
                warmup,
                counts,
                workers: Vec::new(),
                moments: Vec::new(),
            }
        };
        assert_eq!(rules.sample(&sample(0, 1000, true)), None);
        assert_eq!(rules.sample(&sample(0, 60, false)), None);
        assert!(rules.sample(&sample(1, 40, false)).is_some());
        let mut pulse = Pulse::new(0, &stage, (Nanos::SECOND, 1));
        pulse.sample(&sample(0, 60, false));
        pulse.sample(&sample(1, 40, false));
        assert!(pulse.tick(Nanos::from_millis(1100), 2).is_none());
        let tick = pulse.tick(Nanos::from_millis(1300), 2).unwrap();
        assert_eq!(tick.counts.data_bytes(), 100);
        assert!(pulse.tick(Nanos::from_millis(1400), 2).is_none());
    }

    #[test]
    fn a_stage_is_expected_to_end_with_those_that_wait_for_others() {
        let expected = |stage: &Stage| {
            let mut pulse = Pulse::new(0, stage, (Nanos::SECOND, 1));
            pulse.tick(Nanos::from_secs(2), 1).unwrap().expected
        };
        let mut stage = stage(&[false, false]);
        assert_eq!(expected(&stage), None);
        for w in &mut stage.workloads {
            w.stop.runtime = Some(Nanos::from_secs(10));
        }
        stage.workloads[1].name = "last".into();
        assert_eq!(expected(&stage), Some(Nanos::from_secs(10)));
        stage.workloads[1].start.after = Some("w".into());
        assert_eq!(expected(&stage), Some(Nanos::from_secs(20)));
    }
}
