//! The simulated device: given an I/O and the moment it is handed over, when it ends and how.
//! Pure and deterministic: the same plan and seed give the same times, bit for bit.

use crate::backend::Request;
use leadline_model::op::Op;
use leadline_model::plan::SimDevice;
use leadline_model::plan::simulated::{ServiceTime, SimCache, TokenBucket};
use leadline_model::units::Nanos;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

/// Unit of the cache.
const CACHE_BLOCK: u64 = 4096;

/// A device at work. I/Os must be handed over in the order of time.
pub(crate) struct DeviceModel {
    law: SimDevice,
    random: Xoshiro256PlusPlus,
    /// When each of the parallel servers is free.
    servers: BinaryHeap<Reverse<u64>>,
    iops: Option<Bucket>,
    bytes: Option<Bucket>,
    /// When each connection is free.
    connections: Vec<u64>,
    cache: Option<Cache>,
    served: u64,
}

impl DeviceModel {
    pub(crate) fn new(law: &SimDevice, seed: u64) -> Self {
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            servers: (0..law.parallel.max(1)).map(|_| Reverse(0)).collect(),
            iops: law.iops_cap.map(Bucket::new),
            bytes: law.bytes_cap.map(Bucket::new),
            connections: Vec::new(),
            cache: law.cache.map(Cache::new),
            served: 0,
            law: law.clone(),
        }
    }

    /// A new connection; its number.
    pub(super) fn connect(&mut self) -> usize {
        self.connections.push(0);
        self.connections.len() - 1
    }

    /// Takes an I/O at `now`: when it ends, and its result as a back end gives it.
    pub(super) fn serve(&mut self, now: u64, connection: usize, request: &Request) -> (u64, i32) {
        #[cfg(test)]
        super::issued::note(now, connection, *request);
        let number = self.served;
        self.served += 1;
        let half_trip = self.law.round_trip.0 / 2;
        let mut at = self.transfer(now + half_trip, connection, request.len);
        let hit = match &mut self.cache {
            Some(cache) if matches!(request.op, Op::Read | Op::Write) => cache.touch(request),
            _ => None,
        };
        at = match hit.filter(|_| request.op == Op::Read) {
            Some(time) => at + time.0,
            None => self.work(at, request.len),
        };
        let failure = self.law.errors.iter().find(|e| e.0 == number);
        let result = match failure {
            Some(&(_, errno)) => -errno.abs(),
            None if matches!(request.op, Op::Sync | Op::Trim) => 0,
            None => i32::try_from(request.len).unwrap_or(i32::MAX),
        };
        (at + half_trip, result)
    }

    /// The connection moves the bytes at its own rate.
    fn transfer(&mut self, at: u64, connection: usize, len: u32) -> u64 {
        let Some(rate) = self.law.connection_bytes_per_s else {
            return at;
        };
        let free = &mut self.connections[connection];
        let start = at.max(*free);
        *free = start + nanos(f64::from(len) * 1e9 / rate.max(1) as f64);
        *free
    }

    /// Caps, a free server, the service time, stalls.
    fn work(&mut self, mut at: u64, len: u32) -> u64 {
        if let Some(bucket) = &mut self.iops {
            at = bucket.admit(at, 1.0);
        }
        if let Some(bucket) = &mut self.bytes {
            at = bucket.admit(at, f64::from(len));
        }
        let free = self.servers.pop().map_or(0, |r| r.0);
        let mut start = at.max(free);
        let service = self.draw();
        let mut end = start + service;
        for &(from, length) in &self.law.stalls {
            let over = from.0 + length.0;
            if start >= from.0 && start < over {
                start = over;
                end = start + service;
            } else if start < from.0 && end > from.0 {
                end += length.0;
            }
        }
        self.servers.push(Reverse(end));
        end
    }

    fn draw(&mut self) -> u64 {
        match self.law.service {
            ServiceTime::Fixed(time) => time.0,
            ServiceTime::Uniform(lo, hi) => {
                let (lo, hi) = (lo.0.min(hi.0), lo.0.max(hi.0));
                lo + nanos(self.uniform() * (hi - lo) as f64)
            }
            ServiceTime::Exponential(mean) => nanos(-self.uniform().ln() * mean.0 as f64),
            ServiceTime::LogNormal { median, sigma } => {
                // Box and Muller 1958.
                let radius = (-2.0 * self.uniform().ln()).sqrt();
                let normal = radius * (std::f64::consts::TAU * self.uniform()).cos();
                nanos(median.0 as f64 * (sigma * normal).exp())
            }
        }
    }

    /// Between 0 and 1, neither included.
    fn uniform(&mut self) -> f64 {
        ((self.random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }
}

/// A non-negative time, far below the range's end.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of f64 saturates, and times are not negative"
)]
fn nanos(value: f64) -> u64 {
    value as u64
}

/// A cap with a store: sustained `rate`, up to `burst_rate` while the store lasts.
#[derive(Debug)]
struct Bucket {
    law: TokenBucket,
    store: f64,
    /// Moment at which `store` was right.
    since: u64,
    /// Earliest start of the next I/O by the burst rate.
    next: f64,
}

impl Bucket {
    fn new(law: TokenBucket) -> Self {
        Self {
            store: law.store,
            law,
            since: 0,
            next: 0.0,
        }
    }

    /// When `tokens` may pass that arrive at `at`.
    fn admit(&mut self, at: u64, tokens: f64) -> u64 {
        let rate = self.law.rate.max(1e-9);
        let mut start = (at as f64).max(self.next);
        self.refill(start, rate, tokens);
        if self.store < tokens {
            start += (tokens - self.store) * 1e9 / rate;
            self.refill(start, rate, tokens);
        }
        self.store -= tokens;
        self.next = start + tokens * 1e9 / self.law.burst_rate.max(rate);
        nanos(start)
    }

    fn refill(&mut self, at: f64, rate: f64, tokens: f64) {
        let span = (at - self.since as f64).max(0.0);
        // An I/O larger than the store must pass one day.
        let room = self.law.store.max(tokens);
        self.store = (self.store + span * rate / 1e9).min(room);
        self.since = self.since.max(nanos(at));
    }
}

/// Keeps the blocks touched last.
#[derive(Debug)]
struct Cache {
    law: SimCache,
    stamp: u64,
    blocks: HashMap<(u32, u64), u64>,
    /// Touches in order; those that are not a block's last are ignored when they fall out.
    order: VecDeque<((u32, u64), u64)>,
}

impl Cache {
    fn new(law: SimCache) -> Self {
        Self {
            law,
            stamp: 0,
            blocks: HashMap::new(),
            order: VecDeque::new(),
        }
    }

    /// Notes the I/O; the time of a hit when all of it was there.
    fn touch(&mut self, request: &Request) -> Option<Nanos> {
        let first = request.offset / CACHE_BLOCK;
        let last = (request.offset + u64::from(request.len).max(1) - 1) / CACHE_BLOCK;
        let mut all = true;
        for block in first..=last {
            let key = (request.file, block);
            self.stamp += 1;
            all &= self.blocks.insert(key, self.stamp).is_some();
            self.order.push_back((key, self.stamp));
        }
        while self.blocks.len() as u64 * CACHE_BLOCK > self.law.size {
            let Some((key, stamp)) = self.order.pop_front() else {
                break;
            };
            if self.blocks.get(&key) == Some(&stamp) {
                self.blocks.remove(&key);
            }
        }
        all.then_some(self.law.hit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(offset: u64) -> Request {
        Request {
            slot: 0,
            op: Op::Read,
            data_only: false,
            file: 0,
            offset,
            len: 4096,
        }
    }

    #[test]
    fn a_fixed_service_time_and_its_parallelism_are_exact() {
        let law = SimDevice {
            parallel: 2,
            ..SimDevice::default()
        };
        let mut device = DeviceModel::new(&law, 1);
        let c = device.connect();
        let ends: Vec<u64> = (0..4)
            .map(|i| device.serve(0, c, &read(i * 4096)).0)
            .collect();
        assert_eq!(ends, [100_000, 100_000, 200_000, 200_000]);
    }

    #[test]
    fn a_cap_holds_to_the_token() {
        let cap = TokenBucket {
            rate: 2000.0,
            burst_rate: 2000.0,
            store: 0.0,
        };
        let law = SimDevice {
            iops_cap: Some(cap),
            ..SimDevice::default()
        };
        let mut device = DeviceModel::new(&law, 1);
        let c = device.connect();
        let last = (0..10_000)
            .map(|i| device.serve(0, c, &read(i * 4096)).0)
            .max()
            .unwrap();
        let rate = 10_000.0 / (last as f64 / 1e9);
        assert!((rate - 2000.0).abs() < 1.0, "{rate}");
    }

    #[test]
    fn a_store_is_spent_at_the_burst_rate_and_then_the_cap_holds() {
        let cap = TokenBucket {
            rate: 1000.0,
            burst_rate: 5000.0,
            store: 4000.0,
        };
        let mut bucket = Bucket::new(cap);
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

    #[test]
    fn a_stall_delays_what_it_meets() {
        let stalls = vec![(Nanos(50_000), Nanos::from_secs(2))];
        let mut device = DeviceModel::new(
            &SimDevice {
                stalls,
                ..SimDevice::default()
            },
            1,
        );
        let c = device.connect();
        assert_eq!(device.serve(0, c, &read(0)).0, 2_000_100_000);
        assert_eq!(device.serve(60_000, c, &read(0)).0, 2_000_150_000);
    }

    #[test]
    fn the_cache_hits_what_it_holds_and_forgets_the_oldest() {
        let cache = SimCache {
            size: 8192,
            hit: Nanos(1000),
        };
        let mut device = DeviceModel::new(
            &SimDevice {
                cache: Some(cache),
                ..SimDevice::default()
            },
            1,
        );
        let c = device.connect();
        let mut took = |offset| device.serve(0, c, &read(offset)).0;
        assert_eq!(
            [took(0), took(0), took(4096), took(8192)],
            [100_000, 1000, 100_000, 100_000]
        );
        assert_eq!(took(0), 100_000, "the third block pushed it out");
    }

    #[test]
    fn the_asked_io_fails_with_the_asked_error() {
        let mut device = DeviceModel::new(
            &SimDevice {
                errors: vec![(1, 5)],
                ..SimDevice::default()
            },
            1,
        );
        let c = device.connect();
        assert_eq!(
            [0, 1, 2].map(|_| device.serve(0, c, &read(0)).1),
            [4096, -5, 4096]
        );
    }
}
