//! The parallel servers of a simulated volume: service times, stalls, and when others come.

use super::device::nanos;
use leadline_model::op::Op;
use leadline_model::plan::SimDevice;
use leadline_model::plan::simulated::ServiceTime;
use leadline_model::units::Nanos;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Servers that take I/Os in the order of their admission.
#[derive(Debug)]
pub(super) struct Servers {
    /// When each is free, the earliest first.
    free: BinaryHeap<Reverse<u64>>,
    random: Xoshiro256PlusPlus,
    /// What draws the arrivals of others, so that they change no service time.
    others: Xoshiro256PlusPlus,
    next_other: Option<f64>,
    service: ServiceTime,
    write_service: Option<ServiceTime>,
    per_byte: f64,
    stalls: Vec<(Nanos, Nanos)>,
    every: Option<(Nanos, Nanos)>,
}

impl Servers {
    pub(super) fn new(law: &SimDevice, seed: u64) -> Self {
        let mut servers = Self {
            free: BinaryHeap::new(),
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            others: Xoshiro256PlusPlus::seed_from_u64(!seed),
            next_other: None,
            service: law.service.clone(),
            write_service: None,
            per_byte: 0.0,
            stalls: Vec::new(),
            every: None,
        };
        servers.change(law, 0);
        servers
    }

    /// Becomes what another law says; I/Os that are being worked on end as they would have.
    pub(super) fn change(&mut self, law: &SimDevice, at: u64) {
        let wanted = law.parallel.max(1) as usize;
        while self.free.len() < wanted {
            self.free.push(Reverse(at));
        }
        while self.free.len() > wanted {
            self.free.pop();
        }
        self.service.clone_from(&law.service);
        self.write_service.clone_from(&law.write_service);
        self.per_byte = law.per_byte;
        self.stalls.clone_from(&law.stalls);
        self.every = law.every;
    }

    /// When an I/O that is admitted at `at` ends; `slower` multiplies its service time.
    pub(super) fn work(&mut self, at: u64, op: Op, len: u32, slower: Option<f64>) -> u64 {
        let free = self.free.pop().map_or(0, |r| r.0);
        let mut start = at.max(free);
        let mut service = self.draw(op);
        if self.per_byte > 0.0 {
            service += nanos(f64::from(len) * self.per_byte);
        }
        if let Some(slower) = slower {
            service = nanos(service as f64 * slower);
        }
        let mut end = start + service;
        for &(from, length) in &self.stalls {
            (start, end) = delayed((start, end), from.0, length.0);
        }
        if let Some((period, length)) = self.every {
            let mut from = start / period.0.max(1) * period.0;
            while from < end && period.0 > length.0 {
                if from > 0 {
                    (start, end) = delayed((start, end), from, length.0);
                }
                from += period.0;
            }
        }
        self.free.push(Reverse(end));
        end
    }

    /// When an I/O of others comes next, if that is until `now`; they come at random, `iops` a second.
    pub(super) fn next_neighbour(&mut self, iops: f64, now: u64) -> Option<u64> {
        let next = match self.next_other {
            Some(next) => next,
            None => self.gap(iops),
        };
        self.next_other = Some(next);
        if next > now as f64 {
            return None;
        }
        self.next_other = Some(next + self.gap(iops));
        Some(nanos(next))
    }

    fn gap(&mut self, iops: f64) -> f64 {
        -uniform(&mut self.others).ln() * 1e9 / iops.max(1e-9)
    }

    fn draw(&mut self, op: Op) -> u64 {
        let of_writes = self.write_service.as_ref().filter(|_| op == Op::Write);
        let random = &mut self.random;
        match of_writes.unwrap_or(&self.service) {
            ServiceTime::Fixed(time) => time.0,
            ServiceTime::Uniform(lo, hi) => {
                let (lo, hi) = (lo.0.min(hi.0), lo.0.max(hi.0));
                lo + nanos(uniform(random) * (hi - lo) as f64)
            }
            ServiceTime::Exponential(mean) => nanos(-uniform(random).ln() * mean.0 as f64),
            ServiceTime::LogNormal { median, sigma } => {
                // Box and Muller 1958.
                let radius = (-2.0 * uniform(random).ln()).sqrt();
                let normal = radius * (std::f64::consts::TAU * uniform(random)).cos();
                nanos(median.0 as f64 * (sigma * normal).exp())
            }
            ServiceTime::Mix(parts) => {
                let mut left = uniform(random);
                for &(share, time) in parts {
                    left -= share;
                    if left <= 0.0 {
                        return time.0;
                    }
                }
                parts.last().map_or(0, |part| part.1.0)
            }
        }
    }
}

/// A span of work that meets a stall: it begins after it, or takes longer by it.
const fn delayed((start, end): (u64, u64), from: u64, length: u64) -> (u64, u64) {
    let over = from + length;
    if start >= from && start < over {
        (over, over + (end - start))
    } else if start < from && end > from {
        (start, end + length)
    } else {
        (start, end)
    }
}

/// Between 0 and 1, neither included.
fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}
