//! The parallel servers of a simulated volume: service times, what waits for them, and when others come.

use super::job::DeviceJob;
use super::time::nanos;
use leadline_model::op::Op;
use leadline_model::plan::SimDevice;
use leadline_model::plan::simulated::{Neighbour, ServiceTime};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// No I/O is worked on for longer, in nanoseconds: a day.
const LONGEST: u64 = 24 * 3600 * 1_000_000_000;

/// I/Os that others have outstanding at most; they ask for no more meanwhile.
const MOST_OF_OTHERS: usize = 4096;

/// Servers that take I/Os in the order of arrival.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Servers {
    busy: usize,
    parallel: usize,
    waiting: VecDeque<DeviceJob>,
    random: Xoshiro256PlusPlus,
    service: ServiceTime,
    write_service: Option<ServiceTime>,
    per_byte: f64,
    wear: Option<(u64, f64)>,
    /// Bytes that were written on the device.
    written: u64,
}

impl Servers {
    pub(super) fn new(law: &SimDevice, seed: u64) -> Self {
        let mut servers = Self {
            busy: 0,
            parallel: 1,
            waiting: VecDeque::new(),
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            service: law.service.clone(),
            write_service: None,
            per_byte: 0.0,
            wear: None,
            written: 0,
        };
        servers.change(law);
        servers
    }

    /// Applies a changed law; I/Os that are being worked on end as they would have.
    pub(super) fn change(&mut self, law: &SimDevice) {
        self.parallel = law.parallel.max(1) as usize;
        self.service.clone_from(&law.service);
        self.write_service.clone_from(&law.write_service);
        self.per_byte = law.per_byte;
        self.wear = law.wear;
    }

    /// An I/O is there.
    pub(super) fn queue(&mut self, job: DeviceJob) {
        self.waiting.push_back(job);
    }

    /// A server has done its I/O.
    pub(super) fn freed(&mut self) {
        self.busy -= 1;
    }

    /// The next I/O that a server begins, where one is free, and how long that works on it.
    pub(super) fn begin(&mut self) -> Option<(DeviceJob, u64)> {
        if self.busy >= self.parallel {
            return None;
        }
        let job = self.waiting.pop_front()?;
        self.busy += 1;
        let mut service = self.draw(job.op) as f64 + f64::from(job.len) * self.per_byte;
        if job.op == Op::Write {
            self.written = self.written.saturating_add(u64::from(job.len));
            if let Some((_, slower)) = self.wear.filter(|(after, _)| self.written > *after) {
                service *= slower;
            }
        }
        Some((job, nanos(service).min(LONGEST)))
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

/// When others come: at random, at the law's rate.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Others {
    /// Of its own, so that they change no service time.
    random: Xoshiro256PlusPlus,
    law: Option<Neighbour>,
    /// When the next comes; without others it is infinite, which only its bits say in every form.
    #[serde(with = "super::stored::bits")]
    next: f64,
    outstanding: usize,
}

impl Others {
    /// Those of a law, from `at` on.
    pub(super) fn new(law: &SimDevice, seed: u64, at: u64) -> Self {
        let mut others = Self {
            random: Xoshiro256PlusPlus::seed_from_u64(!seed),
            law: None,
            next: f64::INFINITY,
            outstanding: 0,
        };
        others.change(law, at);
        others
    }

    /// Applies a changed law; where that changes them, arrivals are drawn again from `at` on.
    pub(super) fn change(&mut self, law: &SimDevice, at: u64) {
        if self.law != law.neighbour {
            self.law = law.neighbour;
            self.next = at as f64;
            self.step();
        }
    }

    /// When the next comes; `None` = never.
    pub(super) fn next_at(&self) -> Option<u64> {
        self.law.map(|_| nanos(self.next))
    }

    /// One comes at its time: the bytes of its read, if there are not too many of them.
    pub(super) fn come(&mut self) -> Option<u32> {
        let law = self.law?;
        self.step();
        let comes = self.outstanding < MOST_OF_OTHERS;
        self.outstanding += usize::from(comes);
        comes.then_some(law.size)
    }

    /// One has its answer.
    pub(super) fn done(&mut self) {
        self.outstanding -= 1;
    }

    fn step(&mut self) {
        if let Some(law) = self.law {
            self.next += -uniform(&mut self.random).ln() * 1e9 / law.iops.max(1e-9);
        }
    }
}

/// Between 0 and 1, neither included.
fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}
