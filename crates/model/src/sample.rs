//! What was counted: per interval while running, and in total at the end.

use crate::cure::Cure;
use crate::error_code::ErrorCode;
use crate::latency::Latency;
use crate::op::{Op, OpMap};
use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// Counters of one kind of operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpCounts {
    /// I/Os that ended, errors left out.
    pub ios: u64,
    /// Bytes they transferred.
    pub bytes: u64,
    /// I/Os that transferred fewer bytes than requested.
    pub short: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// Latency from just before the kernel was asked to completion.
    pub service: Latency,
    /// Latency from the intended start to completion. `None` in a closed loop, where it equals
    /// [`OpCounts::service`]. I/Os that were due by the end of the window and had not ended are in it as
    /// [`Latency::unfinished`].
    pub response: Option<Latency>,
    /// The service latency in its two parts. `None` where they are not measured.
    pub parts: Option<Parts>,
}

/// A service latency cut where the call that hands over came back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parts {
    /// From just before the kernel was asked until the call that handed over came back. I/Os that one call
    /// handed over share it.
    pub submission: Latency,
    /// From there to the completion; the whole service latency of I/Os whose parts were not measured.
    pub completion: Latency,
}

impl OpCounts {
    /// Adds all of `other`. Where one side has a response latency of its own and the other runs a
    /// closed loop, the other's service latency is its response.
    pub fn merge(&mut self, other: &Self) {
        let open = self.response.is_some() || other.response.is_some();
        if open {
            let mine = self.response.get_or_insert_with(|| self.service.clone());
            mine.merge(other.response.as_ref().unwrap_or(&other.service));
        }
        if self.parts.is_some() || other.parts.is_some() {
            let mine = self.parts.get_or_insert_with(|| Parts {
                submission: Latency::default(),
                completion: self.service.clone(),
            });
            match &other.parts {
                Some(theirs) => {
                    mine.submission.merge(&theirs.submission);
                    mine.completion.merge(&theirs.completion);
                }
                None => mine.completion.merge(&other.service),
            }
        }
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.short += other.short;
        self.errors += other.errors;
        self.service.merge(&other.service);
    }

    /// Latency from the return of the call that handed over to completion; where that is not measured, all of
    /// the service latency.
    #[must_use]
    pub fn completion(&self) -> &Latency {
        self.parts.as_ref().map_or(&self.service, |p| &p.completion)
    }

    /// Latency from the intended start.
    #[must_use]
    pub fn response(&self) -> &Latency {
        self.response.as_ref().unwrap_or(&self.service)
    }

    /// Whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let unfinished = self.response.as_ref().map_or(0, Latency::unfinished);
        self.ios == 0 && self.errors == 0 && unfinished == 0
    }
}

/// Everything counted for a set of I/Os.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// By operation, those that occur.
    pub ops: OpMap<OpCounts>,
    /// How late I/Os were submitted after their intended start. `None` in a closed loop.
    pub lag: Option<Latency>,
    /// I/Os submitted more than 1 ms after their intended start.
    pub late: u64,
    /// In-flight depth and batch sizes.
    pub depths: Depths,
}

impl Counts {
    /// Counters of one operation, if it occurs.
    #[must_use]
    pub fn op(&self, op: Op) -> Option<&OpCounts> {
        self.ops.get(op)
    }

    /// Counters of one operation, made when missing.
    pub fn op_mut(&mut self, op: Op) -> &mut OpCounts {
        self.ops.entry(op)
    }

    /// Adds all of `other`. The only merge there is.
    pub fn merge(&mut self, other: &Self) {
        for (op, theirs) in other.ops.iter() {
            self.op_mut(op).merge(theirs);
        }
        if let Some(theirs) = &other.lag {
            self.lag.get_or_insert_default().merge(theirs);
        }
        self.late += other.late;
        self.depths.merge(&other.depths);
    }

    /// Frees the memory of empty buckets: for counters that are kept, not added to.
    pub fn pack(&mut self) {
        self.each_latency(Latency::pack);
    }

    /// Gives the buckets memory again: for counters that many others are added to.
    pub fn unpack(&mut self) {
        self.each_latency(Latency::unpack);
    }

    fn each_latency(&mut self, change: fn(&mut Latency)) {
        for op in self.ops.values_mut() {
            change(&mut op.service);
            op.response.iter_mut().for_each(change);
            if let Some(parts) = &mut op.parts {
                change(&mut parts.submission);
                change(&mut parts.completion);
            }
        }
        self.lag.iter_mut().for_each(change);
    }

    /// All that is part of IOPS together.
    #[must_use]
    pub fn data(&self) -> OpCounts {
        let mut all = OpCounts::default();
        self.ops.data().for_each(|counts| all.merge(counts));
        all
    }

    /// I/Os that are part of IOPS, without what [`Self::data`] merges.
    #[must_use]
    pub fn data_ios(&self) -> u64 {
        self.ops.data().map(|counts| counts.ios).sum()
    }

    /// Bytes of the I/Os that are part of IOPS, without what [`Self::data`] merges.
    #[must_use]
    pub fn data_bytes(&self) -> u64 {
        self.ops.data().map(|counts| counts.bytes).sum()
    }
}

/// How many I/Os saw which depth, and how many were submitted or reaped together.
/// Classes are those of fio: level 1, 2, 4, 8, 16, 32, >=64; batches 0, 4, 8, 16, 32, 64, >=64.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Depths {
    /// I/Os by the depth reached when they were submitted.
    pub level: [u64; 7],
    /// Submit calls by the number of I/Os handed over.
    pub submit: [u64; 7],
    /// Reaps by the number of I/Os that had ended.
    pub complete: [u64; 7],
}

impl Depths {
    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in [
            (&mut self.level, &other.level),
            (&mut self.submit, &other.submit),
            (&mut self.complete, &other.complete),
        ] {
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        }
    }
}

/// One interval of one workload, all its workers merged. Final and exact: an I/O belongs to the
/// interval in which it completed, by its own time stamp.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The host it was counted on, by its place in the plan's list; 0 without one.
    pub host: u32,
    /// Stage, from 0.
    pub stage: u32,
    /// Workload within the stage, from 0.
    pub workload: u32,
    /// Number of the interval, from 0 at the start of the stage. None is left out: an interval
    /// without I/O is a sample of zeros.
    pub interval: u64,
    /// Start, from the start of the stage.
    pub start: Nanos,
    /// Length; the last one may be short.
    pub length: Nanos,
    /// Whether it is in the warm-up; an interval that the end of the warm-up cuts is two samples.
    pub warmup: bool,
    /// What was counted.
    pub counts: Counts,
    /// Data I/Os and bytes of each worker in the interval, by worker within the workload.
    pub workers: Vec<(u64, u64)>,
    /// What each worker did in the interval, by worker within the workload; where the plan counts by file, by
    /// worker and then by file. Only what is part of IOPS. Kept where
    /// [`crate::plan::Report::worker_series`] asks for it and there are several, else empty.
    pub moments: Vec<OpMap<Moments>>,
}

/// Service latencies of one kind of operation without their distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// How many I/Os.
    pub ios: u64,
    /// Sum of their latencies in nanoseconds.
    pub sum: u64,
    /// Sum of the squares.
    pub sum_squares: f64,
    /// Shortest, in nanoseconds; `u64::MAX` when there is none.
    pub min: u64,
    /// Longest, in nanoseconds.
    pub max: u64,
}

impl Default for Moments {
    fn default() -> Self {
        Self {
            ios: 0,
            sum: 0,
            sum_squares: 0.0,
            min: u64::MAX,
            max: 0,
        }
    }
}

impl Moments {
    /// Adds all of `counts`.
    pub fn add(&mut self, counts: &OpCounts) {
        self.merge(&Self {
            ios: counts.ios,
            sum: counts.service.sum,
            sum_squares: counts.service.sum_squares,
            min: counts.service.min,
            max: counts.service.max,
        });
    }

    /// Adds all of `other`. The only merge there is.
    pub fn merge(&mut self, other: &Self) {
        self.ios = self.ios.saturating_add(other.ios);
        self.sum = self.sum.saturating_add(other.sum);
        self.sum_squares += other.sum_squares;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

/// What ended after the end that was asked for, of a worker with a warm-up. Its window begins with as many I/Os in flight as
/// that end has, so that rates are of what ended between the two; latencies have these as well.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drain {
    /// The end that was asked for, from the start of the stage.
    pub from: Nanos,
    /// I/Os that ended without error, and their bytes, by operation.
    pub done: Vec<(Op, u64, u64)>,
    /// How long I/Os were in flight after it, together, in nanoseconds.
    pub in_flight: u64,
}

/// What one worker did in its measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerTotals {
    /// The host it ran on, by its place in the plan's list; 0 without one.
    pub host: u32,
    /// Stage, from 0.
    pub stage: u32,
    /// Workload within the stage, from 0.
    pub workload: u32,
    /// Worker within the workload, from 0.
    pub worker: u32,
    /// Kernel thread id.
    pub thread_id: i32,
    /// First submission, from the start of the stage; `None` = it never did I/O.
    pub first_submit: Option<Nanos>,
    /// Start of the measured window (end of the warm-up), from the start of the stage.
    pub window_start: Nanos,
    /// End of the measured window: last completion, or the asked end if that is later.
    pub window_end: Nanos,
    /// What was counted in the window.
    pub counts: Counts,
    /// What was counted in the warm-up.
    pub warmup_ios: u64,
    /// I/Os due by the end of the window that were never submitted (open loop).
    pub unissued: u64,
    /// What the service latencies of `counts` lack of the time that I/Os were in flight in the window, in
    /// nanoseconds: that of I/Os still in flight at its end, or failed, less what I/Os in flight at its start
    /// had taken before it.
    pub edge: i64,
    /// What of `counts` ended after the end that was asked for; `None` without a warm-up, or where it did not end by its time.
    pub drain: Option<Drain>,
    /// Processor time and events of the thread over the window.
    pub cpu: CpuUse,
    /// Seed in force.
    pub seed: u64,
    /// Errors: (kind, error number, how often).
    pub errors: Vec<(Op, i32, u64)>,
    /// Why it ended.
    pub end: EndReason,
    /// What it did by file, in the order of the target's files. Kept where
    /// [`crate::plan::Report::by_file`] asks for it and there are several files, else empty.
    pub files: Vec<Counts>,
}

impl WorkerTotals {
    /// Whether an I/O of the window failed, or transferred fewer bytes than requested.
    #[must_use]
    pub fn had_faults(&self) -> bool {
        let data = self.counts.data();
        !self.errors.is_empty() || data.errors > 0 || data.short > 0
    }
}

/// Processor time and events of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuUse {
    /// In user mode.
    pub user: Nanos,
    /// In the kernel.
    pub system: Nanos,
    /// Voluntary context switches.
    pub voluntary: u64,
    /// Involuntary context switches: it was preempted.
    pub involuntary: u64,
    /// Page faults that needed I/O.
    pub major_faults: u64,
    /// Other page faults.
    pub minor_faults: u64,
    /// Of `user` and `system`, the part in which it only looked whether its next I/O was due: not work,
    /// and not missing from anybody's rate.
    pub waiting: Nanos,
    /// What it waited for.
    pub waits: Waits,
}

impl CpuUse {
    /// Adds that of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.user.0 += other.user.0;
        self.system.0 += other.system.0;
        self.voluntary += other.voluntary;
        self.involuntary += other.involuntary;
        self.major_faults += other.major_faults;
        self.minor_faults += other.minor_faults;
        self.waiting.0 += other.waiting.0;
        self.waits.merge(&other.waits);
    }
}

/// How often a worker waited, and for what. All zero where that was not counted (a simulated run).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// Calls that waited for completions while nothing could be submitted before one.
    pub completions: u64,
    /// Calls that waited for completions until an I/O was due.
    pub paced: u64,
    /// Waits until an I/O was due with none in flight.
    pub sleeps: u64,
    /// Looks for completions, without waiting, shortly before an I/O was due: by how many had ended, the last
    /// for seven and more.
    pub looks: [u64; 8],
}

impl Waits {
    /// Adds all of `other`. The only merge there is.
    pub fn merge(&mut self, other: &Self) {
        self.completions += other.completions;
        self.paced += other.paced;
        self.sleeps += other.sleeps;
        let looks = self.looks.iter_mut().zip(other.looks);
        looks.for_each(|(mine, theirs)| *mine += theirs);
    }

    /// What came since `before`, an earlier count of the same worker.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let mut looks = self.looks;
        let earlier = looks.iter_mut().zip(before.looks);
        earlier.for_each(|(now, then)| *now = now.saturating_sub(then));
        Self {
            completions: self.completions.saturating_sub(before.completions),
            paced: self.paced.saturating_sub(before.paced),
            sleeps: self.sleeps.saturating_sub(before.sleeps),
            looks,
        }
    }
}

/// Why a worker ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndReason {
    /// The asked time is up.
    Time,
    /// The region, bytes or loops are done.
    Size,
    /// The asked number of I/Os is done.
    Ios,
    /// The file system is full, as asked for or not.
    Full,
    /// Another workload's end ended it.
    Other,
    /// Ctrl-C or a signal.
    Interrupted,
    /// An error ended it.
    Error {
        /// What kind of error.
        code: ErrorCode,
        /// Error number.
        errno: i32,
        /// What failed, with the target, in words.
        what: String,
        /// What to do about this one; empty where there is nothing to say of it alone.
        cure: Cure,
    },
}

impl EndReason {
    /// Error number of a worker that a defect of leadline's own ended: ENOTRECOVERABLE of Linux, which no
    /// I/O gives.
    pub const DEFECT: i32 = 131;

    /// The end by an error of which there is no more to say than what failed.
    #[must_use]
    pub fn failed(code: ErrorCode, errno: i32, what: impl Into<String>) -> Self {
        Self::Error {
            code,
            errno,
            what: what.into(),
            cure: Cure::none(),
        }
    }

    /// Whether a defect of leadline's own ended the worker.
    #[must_use]
    pub fn is_defect(&self) -> bool {
        matches!(self, Self::Error { code, .. } if *code == ErrorCode::Defect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[(u64, u64)], in_parts: bool) -> OpCounts {
        let mut counts = OpCounts::default();
        let mut parts = Parts::default();
        for &(submission, completion) in values {
            counts.ios += 1;
            counts.service.record(submission + completion);
            parts.submission.record(submission);
            parts.completion.record(completion);
        }
        counts.parts = in_parts.then_some(parts);
        counts
    }

    /// In any order: where one side was measured in parts, the other's latencies are completions.
    #[test]
    fn counts_with_and_without_parts_merge_as_if_all_were_one() {
        let (some, others) = ([(3, 40), (5, 60)], [(0, 100)]);
        let mut one = of(&some, true);
        one.merge(&of(&others, false));
        let mut two = of(&others, false);
        two.merge(&of(&some, true));
        assert_eq!(one, two);
        let parts = one.parts.as_ref().unwrap();
        assert_eq!((parts.submission.count(), parts.submission.sum), (2, 8));
        assert_eq!((parts.completion.count(), parts.completion.sum), (3, 200));
        assert_eq!(one.service.sum, parts.submission.sum + parts.completion.sum);
        assert_eq!(of(&others, false).completion().sum, 100);
    }

    #[test]
    fn numbers_of_two_sides_add_up() {
        let of = |n: u64| OpCounts {
            ios: n,
            bytes: 20 * n,
            short: 3 * n,
            errors: 4 * n,
            ..OpCounts::default()
        };
        let mut sum = of(1);
        sum.merge(&of(10));
        assert_eq!(sum, of(11));
    }

    #[test]
    fn a_failed_and_a_short_io_are_faults() {
        let of = |errors: u64, short: u64| {
            let mut counts = Counts::default();
            let ops = OpCounts {
                ios: 10,
                errors,
                short,
                ..OpCounts::default()
            };
            *counts.op_mut(Op::Read) = ops;
            WorkerTotals {
                host: 0,
                stage: 0,
                workload: 0,
                worker: 0,
                thread_id: 1,
                first_submit: None,
                window_start: Nanos(0),
                window_end: Nanos(1),
                counts,
                warmup_ios: 0,
                unissued: 0,
                edge: 0,
                drain: None,
                cpu: CpuUse::default(),
                seed: 1,
                errors: Vec::new(),
                end: EndReason::Ios,
                files: Vec::new(),
            }
        };
        assert!(!of(0, 0).had_faults());
        assert!(of(1, 0).had_faults());
        assert!(of(0, 1).had_faults());
        let outside = WorkerTotals {
            errors: vec![(Op::Write, 5, 1)],
            ..of(0, 0)
        };
        assert!(outside.had_faults());
    }

    /// In a closed loop an I/O is meant to start when it starts.
    #[test]
    fn counts_of_open_and_closed_loops_merge_as_if_all_were_open() {
        let closed = of(&[(0, 100)], false);
        let mut open = of(&[(0, 40)], false);
        open.response.get_or_insert_default().record(70);
        let mut one = open.clone();
        one.merge(&closed);
        let mut two = closed.clone();
        two.merge(&open);
        assert_eq!(one, two);
        let response = one.response.as_ref().unwrap();
        assert_eq!((response.count(), response.sum), (2, 170));
        let mut both = closed.clone();
        both.merge(&closed);
        assert_eq!(both.response, None);
        assert_eq!(both.response().sum, 200);
    }

    #[test]
    fn depths_are_merged_class_by_class() {
        let depths = |first| Depths {
            level: [first, 2, 3, 4, 5, 6, 7],
            submit: [0, first, 0, 0, 0, 0, 1],
            complete: [9, 0, 0, 0, 0, 0, first],
        };
        let mut one = Counts {
            depths: depths(1),
            ..Counts::default()
        };
        one.merge(&Counts {
            depths: depths(100),
            ..Counts::default()
        });
        let both = Depths {
            level: [101, 4, 6, 8, 10, 12, 14],
            submit: [0, 101, 0, 0, 0, 0, 2],
            complete: [18, 0, 0, 0, 0, 0, 101],
        };
        assert_eq!(one.depths, both);
    }

    #[test]
    fn moments_are_those_of_all_that_was_added() {
        let mut moments = Moments::default();
        for values in [[(0, 30), (0, 50)], [(0, 10), (0, 40)]] {
            moments.add(&of(&values, false));
        }
        let all = Moments {
            ios: 4,
            sum: 130,
            sum_squares: 900.0 + 2500.0 + 100.0 + 1600.0,
            min: 10,
            max: 50,
        };
        assert_eq!(moments, all);
    }

    #[test]
    fn waits_merge_and_their_difference_is_what_came_since() {
        let before = Waits {
            completions: 3,
            paced: 5,
            sleeps: 7,
            looks: [1, 0, 0, 0, 0, 0, 0, 2],
        };
        let since = Waits {
            completions: 10,
            paced: 20,
            sleeps: 30,
            looks: [40, 1, 0, 0, 0, 0, 0, 50],
        };
        let mut both = before;
        both.merge(&since);
        let sums = Waits {
            completions: 13,
            paced: 25,
            sleeps: 37,
            looks: [41, 1, 0, 0, 0, 0, 0, 52],
        };
        assert_eq!(both, sums);
        assert_eq!(both.since(&before), since);
    }

    #[test]
    fn processor_time_and_events_of_workers_add_up() {
        let of = |n: u64| CpuUse {
            user: Nanos(n),
            system: Nanos(2 * n),
            voluntary: 3 * n,
            involuntary: 4 * n,
            major_faults: 5 * n,
            minor_faults: 6 * n,
            waiting: Nanos(7 * n),
            waits: Waits {
                completions: 8 * n,
                paced: 9 * n,
                sleeps: 10 * n,
                looks: [n; 8],
            },
        };
        let mut sum = of(1);
        sum.merge(&of(10));
        assert_eq!(sum, of(11));
    }

    #[test]
    fn only_a_defect_is_one() {
        assert!(EndReason::failed(ErrorCode::Defect, EndReason::DEFECT, "a").is_defect());
        assert!(!EndReason::failed(ErrorCode::Io, 5, "a").is_defect());
        assert!(!EndReason::Time.is_defect());
    }

    #[test]
    fn moments_of_nothing_are_none_and_take_the_first_as_it_is() {
        let mut moments = Moments::default();
        let nothing = moments;
        moments.add(&OpCounts::default());
        assert_eq!(moments, nothing);
        moments.add(&of(&[(3, 40), (5, 60)], false));
        assert_eq!((moments.ios, moments.sum), (2, 108));
        assert_eq!((moments.min, moments.max), (43, 65));
    }

    #[test]
    fn counts_add_up_by_operation_and_are_empty_of_nothing_only() {
        let reads = of(&[(3, 40)], false);
        let mut one = Counts::default();
        *one.op_mut(Op::Read) = reads.clone();
        let mut other = Counts::default();
        *other.op_mut(Op::Read) = reads.clone();
        *other.op_mut(Op::Write) = of(&[(1, 1), (1, 1)], true);
        one.merge(&other);
        assert_eq!(one.op(Op::Read).unwrap().ios, 2);
        assert_eq!(one.op(Op::Write), other.op(Op::Write));
        assert_eq!(one.op(Op::Trim), None);

        assert!(OpCounts::default().is_empty() && !reads.is_empty());
        let failed = OpCounts {
            errors: 1,
            ..OpCounts::default()
        };
        assert!(!failed.is_empty());
        let mut due = OpCounts::default();
        due.response.get_or_insert_default().record_unfinished(7, 1);
        assert!(!due.is_empty());
    }

    #[test]
    fn packed_counts_keep_no_array_of_buckets_and_no_count_changes() {
        let mut counts = Counts::default();
        let op = counts.op_mut(Op::Read);
        *op = of(&[(3, 40), (5, 60)], true);
        op.response = Some(op.service.clone());
        counts.lag = Some(op.service.clone());
        let before = counts.clone();
        counts.pack();
        assert_eq!(counts, before);
        let op = counts.op(Op::Read).unwrap();
        let parts = op.parts.as_ref().unwrap();
        let kept = [
            &op.service,
            op.response.as_ref().unwrap(),
            &parts.submission,
            &parts.completion,
            counts.lag.as_ref().unwrap(),
        ];
        for latency in kept {
            let bytes = latency.histogram.heap_bytes();
            assert!(bytes < 100, "{bytes} bytes");
        }
    }
}
