//! The caps of a simulated volume: token buckets, of reads and writes alone and shared. Each is a queue of its own, in
//! order of arrival.

use super::job::DeviceJob;
use super::time::nanos;
use leadline_model::op::Op;
use leadline_model::plan::SimDevice;
use leadline_model::plan::simulated::TokenBucket;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// How many caps there are: of reads (I/Os, bytes), of writes, shared.
pub(super) const CAPS: usize = 6;

/// The first cap that a read, a write and anything else meets.
const FIRST: [usize; 3] = [0, 2, SHARED];

/// The first of the shared caps, which is of I/Os; that of bytes follows.
const SHARED: usize = 4;

/// The first cap that an I/O meets; it goes on to that of bytes, and from there to the shared ones.
pub(super) const fn first_of(op: Op) -> usize {
    match op {
        Op::Read => FIRST[0],
        Op::Write => FIRST[1],
        _ => FIRST[2],
    }
}

/// The cap after cap `number`; `CAPS` = it was the last.
pub(super) const fn after(number: usize) -> usize {
    if number == 1 { SHARED } else { number + 1 }
}

/// All caps of a volume.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Caps {
    all: [CapQueue; CAPS],
    write_cost: f64,
    split: Option<u64>,
    slice: Option<u64>,
}

/// A cap, and what waits for it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct CapQueue {
    bucket: Option<Bucket>,
    waiting: VecDeque<(DeviceJob, f64)>,
    /// The first that waits passes at this time; events of other times have been overtaken by a change.
    due: Option<u64>,
}

impl Caps {
    /// The caps of a law, at `at`.
    pub(super) fn new(law: &SimDevice, at: u64) -> Self {
        let mut caps = Self {
            all: Default::default(),
            write_cost: 1.0,
            split: None,
            slice: None,
        };
        caps.change(law, at);
        caps
    }

    /// Applies a changed law; credits that are left stay, as far as they still fit. When the first I/O passes
    /// each cap must be asked for again, of [`Caps::due`].
    pub(super) fn change(&mut self, law: &SimDevice, at: u64) {
        let steady = |rate: Option<f64>| rate.map(TokenBucket::steady);
        let laws = [
            steady(law.reads.iops),
            steady(law.reads.bytes),
            steady(law.writes.iops),
            steady(law.writes.bytes),
            law.iops_cap,
            law.bytes_cap,
        ];
        for (cap, law) in self.all.iter_mut().zip(laws) {
            match (&mut cap.bucket, law) {
                (Some(bucket), Some(law)) => bucket.change(law, at),
                (bucket, law) => *bucket = law.map(|law| Bucket::new(law, at)),
            }
        }
        (self.write_cost, self.split) = (law.write_cost, law.split);
        self.slice = law.slice.map(|slice| slice.0.max(1));
    }

    /// Takes an I/O that arrives at cap `number` at `now`; false = it has to wait there.
    pub(super) fn passes(&mut self, number: usize, now: u64, job: DeviceJob) -> bool {
        if self.all[number].bucket.is_none() && self.all[number].waiting.is_empty() {
            return true;
        }
        let tokens = self.tokens(number, &job);
        let cap = &mut self.all[number];
        cap.waiting.push_back((job, tokens));
        if cap.waiting.len() == 1 && cap.pop(now, self.slice).is_some() {
            return true;
        }
        false
    }

    /// The first I/O that waits for cap `number`, if it passes at `now`.
    pub(super) fn pop(&mut self, number: usize, now: u64) -> Option<DeviceJob> {
        self.all[number].pop(now, self.slice)
    }

    /// When the first I/O that waits for cap `number` passes, if that is not known yet; `again` = it is to be found
    /// out again.
    pub(super) fn due(&mut self, number: usize, now: u64, again: bool) -> Option<u64> {
        let cap = &mut self.all[number];
        if again {
            cap.due = None;
        }
        if cap.due.is_some() || cap.waiting.is_empty() {
            return None;
        }
        let passes = cap.start(now, self.slice).map(|start| start.passes);
        cap.due = Some(passes.map_or(now, nanos).max(now));
        cap.due
    }

    /// Whether an event of cap `number` at `at` is the one that was planned last.
    pub(super) fn is_due(&mut self, number: usize, at: u64) -> bool {
        let cap = &mut self.all[number];
        let due = cap.due == Some(at);
        if due {
            cap.due = None;
        }
        due
    }

    fn tokens(&self, number: usize, job: &DeviceJob) -> f64 {
        let len = u64::from(job.len);
        let cost = match job.op {
            Op::Write if number >= SHARED => self.write_cost,
            _ => 1.0,
        };
        let of_bytes = number % 2 == 1;
        let pieces = |size: u64| len.div_ceil(size.max(1)).max(1);
        cost * if of_bytes {
            len as f64
        } else {
            self.split.map_or(1, pieces) as f64
        }
    }
}

/// The first that waits for a cap.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// When its tokens are there.
    due: f64,
    /// When it passes: with slices, at the start of the one in which its tokens come.
    passes: f64,
}

impl CapQueue {
    /// When the first that waits may pass; times are multiples of a slice.
    fn start(&self, now: u64, slice: Option<u64>) -> Option<Start> {
        let bucket = self.bucket.as_ref()?;
        let now = now as f64;
        let Some(slice) = slice.map(|slice| slice as f64) else {
            let due = bucket.start(now);
            return Some(Start { due, passes: due });
        };
        let begin = |time: f64| (time / slice).floor() * slice;
        let due = bucket.start(begin(now));
        let passes = begin(due).max(now);
        Some(Start { due, passes })
    }

    fn pop(&mut self, now: u64, slice: Option<u64>) -> Option<DeviceJob> {
        let start = self.start(now, slice);
        if start.is_some_and(|start| nanos(start.passes) > now) {
            return None;
        }
        let (job, tokens) = self.waiting.pop_front()?;
        if let (Some(bucket), Some(start)) = (&mut self.bucket, start) {
            bucket.take(start.due, tokens);
        }
        Some(job)
    }
}

/// A cap with a store: sustained `rate`, up to `burst_rate` while the store lasts. Its times have the fraction of a
/// nanosecond that events do not have.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Bucket {
    law: TokenBucket,
    /// What is left; below 0 it is owed.
    store: f64,
    /// Moment at which `store` was right.
    since: f64,
    /// Earliest start of the next I/O by the burst rate.
    next: f64,
}

impl Bucket {
    fn new(law: TokenBucket, at: u64) -> Self {
        Self {
            store: law.store,
            law,
            since: at as f64,
            next: 0.0,
        }
    }

    /// What is owed is paid at the new rate from now on.
    fn change(&mut self, law: TokenBucket, at: u64) {
        if law == self.law {
            return;
        }
        let at = at as f64;
        self.refill(at);
        let left = (self.next - at).max(0.0);
        self.next = at + left * self.burst() / law.burst_rate.max(law.rate).max(1e-9);
        self.law = law;
        self.store = self.store.min(law.store);
    }

    /// When one that is there at `at` may pass: as soon as nothing is owed, and by the burst rate.
    fn start(&self, at: f64) -> f64 {
        let start = at.max(self.next);
        let store = self.store_at(start);
        match store < 0.0 {
            true => start - store * 1e9 / self.rate(),
            false => start,
        }
    }

    /// `tokens` pass at `start`. They are owed then, so that I/Os of several sizes reach the sustained rate exactly.
    fn take(&mut self, start: f64, tokens: f64) {
        self.refill(start);
        self.store = self.store.max(0.0) - tokens;
        self.next = start + tokens * 1e9 / self.burst();
    }

    fn refill(&mut self, at: f64) {
        self.store = self.store_at(at);
        self.since = self.since.max(at);
    }

    fn store_at(&self, at: f64) -> f64 {
        let span = (at - self.since).max(0.0);
        (self.store + span * self.law.rate / 1e9).min(self.law.store)
    }

    const fn rate(&self) -> f64 {
        self.law.rate.max(1e-9)
    }

    const fn burst(&self) -> f64 {
        self.law.burst_rate.max(self.rate())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_spent_at_the_burst_rate_and_then_the_cap_holds() {
        let cap = TokenBucket {
            rate: 1000.0,
            burst_rate: 5000.0,
            store: 4000.0,
        };
        let mut bucket = Bucket::new(cap, 0);
        let mut times = Vec::new();
        for _ in 0..8000 {
            let start = bucket.start(0.0);
            bucket.take(start, 1.0);
            times.push(nanos(start));
        }
        // 4000 tokens and what flows in while they last: one second at 5000 a second.
        let first_second = times.iter().filter(|&&t| t < 1_000_000_000).count();
        assert!(first_second.abs_diff(5000) <= 2, "{first_second}");
        let third = times
            .iter()
            .filter(|&&t| (2_000_000_000..3_000_000_000_u64).contains(&t))
            .count();
        assert!(third.abs_diff(1000) <= 2, "{third}");
    }
}
