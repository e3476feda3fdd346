//! The caps of a simulated volume: token buckets, shared and of reads and writes alone.

use super::device::nanos;
use leadline_model::op::Op;
use leadline_model::plan::SimDevice;
use leadline_model::plan::simulated::TokenBucket;

/// All caps of a volume; an I/O is admitted when all that apply to it admit it.
#[derive(Debug)]
pub(super) struct Caps {
    iops: Option<Bucket>,
    bytes: Option<Bucket>,
    /// Of reads, then of writes.
    own_iops: [Option<Bucket>; 2],
    own_bytes: [Option<Bucket>; 2],
    write_cost: f64,
    split: Option<u64>,
}

impl Caps {
    pub(super) fn new(law: &SimDevice) -> Self {
        let mut caps = Self {
            iops: None,
            bytes: None,
            own_iops: [None, None],
            own_bytes: [None, None],
            write_cost: 1.0,
            split: None,
        };
        caps.change(law, 0);
        caps
    }

    /// Becomes what another law says; credits that are left stay, as far as they still fit.
    pub(super) fn change(&mut self, law: &SimDevice, at: u64) {
        let steady = |rate: Option<f64>| rate.map(TokenBucket::steady);
        change(&mut self.iops, law.iops_cap, at);
        change(&mut self.bytes, law.bytes_cap, at);
        let [read_iops, write_iops] = &mut self.own_iops;
        let [read_bytes, write_bytes] = &mut self.own_bytes;
        change(read_iops, steady(law.reads.iops), at);
        change(write_iops, steady(law.writes.iops), at);
        change(read_bytes, steady(law.reads.bytes), at);
        change(write_bytes, steady(law.writes.bytes), at);
        (self.write_cost, self.split) = (law.write_cost, law.split);
    }

    /// When an I/O that arrives at `at` is admitted. I/Os must arrive in the order of time.
    pub(super) fn admit(&mut self, mut at: u64, op: Op, len: u32) -> u64 {
        let len = u64::from(len);
        let pieces = self
            .split
            .map_or(1, |size| len.div_ceil(size.max(1)).max(1)) as f64;
        let writes = op == Op::Write;
        let cost = if writes { self.write_cost } else { 1.0 };
        let own = usize::from(writes);
        let is_data = matches!(op, Op::Read | Op::Write);
        let none = &mut None;
        let (own_iops, own_bytes) = match is_data {
            true => (&mut self.own_iops[own], &mut self.own_bytes[own]),
            false => (&mut None, none),
        };
        for (bucket, tokens) in [
            (own_iops, pieces),
            (own_bytes, len as f64),
            (&mut self.iops, pieces * cost),
            (&mut self.bytes, len as f64 * cost),
        ] {
            if let Some(bucket) = bucket {
                at = bucket.admit(at, tokens);
            }
        }
        at
    }
}

fn change(bucket: &mut Option<Bucket>, law: Option<TokenBucket>, at: u64) {
    match (&mut *bucket, law) {
        (Some(bucket), Some(law)) => bucket.change(law, at),
        (_, law) => *bucket = law.map(|law| Bucket::new(law, at)),
    }
}

/// A cap with a store: sustained `rate`, up to `burst_rate` while the store lasts.
#[derive(Debug)]
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

    fn change(&mut self, law: TokenBucket, at: u64) {
        if law == self.law {
            return;
        }
        self.refill((at as f64).max(self.since));
        self.law = law;
        self.store = self.store.min(law.store);
    }

    /// When `tokens` may pass that arrive at `at`: as soon as nothing is owed, and by the burst rate. What passes is
    /// owed then, so that I/Os of several sizes come to the sustained rate exactly.
    fn admit(&mut self, at: u64, tokens: f64) -> u64 {
        let rate = self.law.rate.max(1e-9);
        let mut start = (at as f64).max(self.next);
        self.refill(start);
        if self.store < 0.0 {
            start -= self.store * 1e9 / rate;
            self.store = 0.0;
            self.since = start;
        }
        self.store -= tokens;
        self.next = start + tokens * 1e9 / self.law.burst_rate.max(rate);
        nanos(start)
    }

    fn refill(&mut self, at: f64) {
        let span = (at - self.since).max(0.0);
        self.store = (self.store + span * self.law.rate / 1e9).min(self.law.store);
        self.since = self.since.max(at);
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
        let times: Vec<u64> = (0..8000).map(|_| bucket.admit(0, 1.0)).collect();
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
