//! Each key of a simulated volume's law, against what follows from it by arithmetic.

use super::Ready;
use super::device::DeviceModel;
use super::{SimBackend, cache::Cache};
use crate::backend::{Backend, Request};
use crate::clock::{Clock, SimClock};
use leadline_model::op::Op;
use leadline_model::plan::SimDevice;
use leadline_model::plan::simulated::{ClassCaps, Neighbour, ServiceTime, SimCache, TokenBucket};
use leadline_model::units::Nanos;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) const MS: u64 = 1_000_000;
pub(super) const SECOND: u64 = 1000 * MS;

/// Workers of one volume, without the rest of the engine.
pub(super) struct Bench {
    clock: SimClock,
    device: Rc<RefCell<DeviceModel>>,
    workers: Vec<SimBackend>,
    /// Nothing is asked for from this time on.
    pub(super) until: u64,
}

/// What was done: when each I/O ended, by worker.
pub(super) type Ends = Vec<Vec<u64>>;

impl Bench {
    /// Workers of these hosts.
    pub(super) fn new(law: SimDevice, hosts: &[u32]) -> Self {
        let clock = SimClock::default();
        let device = Rc::new(RefCell::new(DeviceModel::new(&law, 1, 0)));
        let workers = hosts.iter().map(|&host| {
            let client = device.borrow_mut().connect(host, vec![0]);
            SimBackend::new(clock.clone(), 0, Rc::clone(&device), client)
        });
        Self {
            workers: workers.collect(),
            until: u64::MAX,
            clock,
            device,
        }
    }

    /// Each worker keeps `depth` of its I/Os in flight until each has done `count`; which is `of(worker, number)`.
    pub(super) fn run(
        &mut self,
        depth: usize,
        count: usize,
        of: &dyn Fn(usize, usize) -> (Op, u64, u32),
    ) -> Ends {
        let mut ends: Ends = vec![Vec::new(); self.workers.len()];
        let mut asked = vec![0; self.workers.len()];
        loop {
            for (number, worker) in self.workers.iter_mut().enumerate() {
                let now = self.clock.ticks();
                worker.reap(|_, _| ends[number].push(now));
                while asked[number] < count && asked[number] < ends[number].len() + depth {
                    let (op, offset, len) = of(number, asked[number]);
                    worker.queue(&request(op, offset, len));
                    asked[number] += 1;
                }
                worker.submit_and_wait(0, None).unwrap();
            }
            let mut next = self.device.borrow().next_event();
            for worker in &mut self.workers {
                if let Ready::At(at) = worker.ready_at(1) {
                    next = Some(next.map_or(at, |next| next.min(at)));
                }
            }
            let goes_on =
                |next: &u64| *next < self.until && ends.iter().any(|ends| ends.len() < count);
            let Some(next) = next.filter(goes_on) else {
                return ends;
            };
            self.clock.advance_to(next);
            self.device.borrow_mut().advance(next);
            while self.device.borrow_mut().next_touched().is_some() {}
        }
    }
}

fn request(op: Op, offset: u64, len: u32) -> Request {
    Request {
        slot: 0,
        op,
        data_only: false,
        file: 0,
        offset,
        len,
    }
}

/// Reads of 4 KiB, each of another block.
pub(super) fn reads(_: usize, number: usize) -> (Op, u64, u32) {
    (Op::Read, 4096 * number as u64, 4096)
}

pub(super) fn writes(_: usize, number: usize) -> (Op, u64, u32) {
    (Op::Write, 4096 * number as u64, 4096)
}

/// I/Os a second over all workers, from the first end on.
fn rate(ends: &Ends) -> f64 {
    let all: Vec<u64> = ends.iter().flatten().copied().collect();
    let (first, last) = (all.iter().min().unwrap(), all.iter().max().unwrap());
    (all.len() - 1) as f64 * 1e9 / (last - first) as f64
}

/// The rate of a law, by one worker and a deep queue.
fn rate_of(law: SimDevice, of: &dyn Fn(usize, usize) -> (Op, u64, u32)) -> f64 {
    rate(&Bench::new(law, &[0]).run(512, 8000, of))
}

pub(super) fn near(got: f64, want: f64, percent: f64) {
    assert!((got / want - 1.0).abs() < percent / 100.0, "{got} {want}");
}

/// 1000 servers of 1 ms: a million I/Os a second where nothing else limits them.
pub(super) fn wide() -> SimDevice {
    SimDevice {
        service: ServiceTime::Fixed(Nanos::from_millis(1)),
        parallel: 1000,
        ..SimDevice::default()
    }
}

#[test]
fn a_fixed_service_time_and_its_parallelism_are_exact() {
    let law = SimDevice {
        parallel: 2,
        ..SimDevice::default()
    };
    let ends = Bench::new(law, &[0]).run(4, 4, &reads);
    assert_eq!(ends, [[100_000, 100_000, 200_000, 200_000]]);
}

#[test]
fn a_cap_holds_to_the_token() {
    let law = SimDevice {
        iops_cap: Some(TokenBucket::steady(2000.0)),
        ..SimDevice::default()
    };
    near(rate_of(law, &reads), 2000.0, 0.01);
}

#[test]
fn reads_and_writes_have_caps_of_their_own() {
    let law = SimDevice {
        reads: ClassCaps {
            iops: Some(3000.0),
            bytes: None,
        },
        writes: ClassCaps {
            iops: None,
            bytes: Some(4096.0 * 500.0),
        },
        ..wide()
    };
    near(rate_of(law.clone(), &reads), 3000.0, 0.1);
    near(rate_of(law.clone(), &writes), 500.0, 0.1);
    // Each at its own rate, side by side.
    let ends = Bench::new(law, &[0, 0]).run(16, 3000, &|worker, number| match worker {
        0 => reads(worker, number),
        _ => writes(worker, number / 6),
    });
    near(rate(&vec![ends[0].clone()]), 3000.0, 1.0);
    near(rate(&vec![ends[1].clone()]), 500.0, 1.0);
}

#[test]
fn a_total_and_a_write_cap_give_the_published_mix() {
    // 3,600 in total, 2,400 of writes: what R % of reads reach.
    for (reads_percent, want) in [(100, 3600.0), (50, 3600.0), (25, 3200.0), (0, 2400.0)] {
        let law = SimDevice {
            iops_cap: Some(TokenBucket::steady(3600.0)),
            writes: ClassCaps {
                iops: Some(2400.0),
                bytes: None,
            },
            ..wide()
        };
        let got = rate_of(law, &|worker, number| {
            if number % 4 < reads_percent / 25 {
                reads(worker, number)
            } else {
                writes(worker, number)
            }
        });
        near(got, want, 0.5);
    }
}

#[test]
fn a_write_takes_its_tokens_of_one_resource() {
    // R 460,000 and W 130,000 as one resource: 202,712 at 50 %, 281,412 at 75 %.
    let law = SimDevice {
        iops_cap: Some(TokenBucket::steady(460_000.0)),
        write_cost: 460.0 / 130.0,
        ..wide()
    };
    for (of_four, want) in [(2, 202_712.0), (3, 281_412.0)] {
        let got = rate_of(law.clone(), &|worker, number| {
            if number % 4 < of_four {
                reads(worker, number)
            } else {
                writes(worker, number)
            }
        });
        near(got, want, 0.1);
    }
}

#[test]
fn a_large_io_counts_once_for_each_piece() {
    let law = SimDevice {
        iops_cap: Some(TokenBucket::steady(1000.0)),
        split: Some(256 << 10),
        ..wide()
    };
    for (len, pieces) in [
        (4096, 1.0),
        (256 << 10, 1.0),
        ((256 << 10) + 4096, 2.0),
        (1 << 20, 4.0),
    ] {
        let got = rate_of(law.clone(), &|_, number| (Op::Read, number as u64, len));
        near(got, 1000.0 / pieces, 0.1);
    }
}

#[test]
fn a_cap_in_slices_lets_the_ios_of_a_slice_pass_at_its_start() {
    let law = SimDevice {
        iops_cap: Some(TokenBucket::steady(1000.0)),
        slice: Some(Nanos::from_millis(100)),
        ..wide()
    };
    let ends = &Bench::new(law, &[0]).run(512, 1000, &reads)[0];
    let slice = |end: u64| end / (100 * MS);
    for number in 0..10 {
        let within = ends.iter().filter(|end| slice(**end) == number).count();
        assert_eq!(within, 100, "slice {number}");
    }
    // All of a slice at once: none of them ends in its later half.
    assert!(ends.iter().all(|end| end % (100 * MS) < 50 * MS));
    // One byte cap likewise: 100 of 4 KiB in each slice.
    let law = SimDevice {
        bytes_cap: Some(TokenBucket::steady(4_096_000.0)),
        slice: Some(Nanos::from_millis(100)),
        ..wide()
    };
    let ends = &Bench::new(law, &[0]).run(512, 1000, &reads)[0];
    assert_eq!(ends.iter().filter(|end| slice(**end) == 3).count(), 100);
}

#[test]
fn each_byte_adds_its_service_time() {
    let law = SimDevice {
        per_byte: 0.5,
        parallel: 1,
        ..SimDevice::default()
    };
    // 100 us and half a nanosecond a byte.
    for len in [4096_u32, 65_536] {
        let got = rate_of(law.clone(), &|_, number| (Op::Read, number as u64, len));
        near(got, 1e9 / (100_000.0 + 0.5 * f64::from(len)), 0.01);
    }
}

#[test]
fn a_mixed_service_time_has_the_shares_of_its_parts() {
    let parts = vec![(0.9, Nanos::from_micros(200)), (0.1, Nanos::from_millis(4))];
    let law = SimDevice {
        service: ServiceTime::Mix(parts),
        parallel: 1,
        ..SimDevice::default()
    };
    let ends = &Bench::new(law, &[0]).run(1, 20_000, &reads)[0];
    let slow = ends.windows(2).filter(|w| w[1] - w[0] == 4 * MS).count();
    let fast = ends.windows(2).filter(|w| w[1] - w[0] == 200_000).count();
    assert_eq!(slow + fast, 19_999);
    // Three standard deviations of the number.
    assert!((slow as f64 - 2000.0).abs() < 3.0 * 42.5, "{slow}");
}

#[test]
fn writes_may_have_a_service_time_of_their_own() {
    let law = SimDevice {
        write_service: Some(ServiceTime::Fixed(Nanos::from_millis(2))),
        ..SimDevice::default()
    };
    assert_eq!(Bench::new(law.clone(), &[0]).run(1, 1, &reads), [[100_000]]);
    assert_eq!(Bench::new(law, &[0]).run(1, 1, &writes), [[2 * MS]]);
}

#[test]
fn a_stall_delays_what_it_meets() {
    let law = SimDevice {
        stalls: vec![(Nanos(150_000), Nanos::from_secs(2))],
        ..SimDevice::default()
    };
    let ends = Bench::new(law, &[0]).run(1, 3, &reads);
    assert_eq!(ends, [[100_000, 2_000_200_000, 2_000_300_000]]);
}

#[test]
fn a_periodic_stall_takes_its_share_of_the_time() {
    let law = SimDevice {
        every: Some((Nanos::from_secs(5), Nanos::from_millis(300))),
        parallel: 1,
        service: ServiceTime::Fixed(Nanos::from_millis(1)),
        ..SimDevice::default()
    };
    let ends = &Bench::new(law, &[0]).run(1, 30_000, &reads)[0];
    let gaps: Vec<(u64, u64)> = ends
        .windows(2)
        .filter(|w| w[1] - w[0] > MS)
        .map(|w| (w[0], w[1] - w[0]))
        .collect();
    // Never at 0; then at each whole multiple of five seconds.
    let due: Vec<(u64, u64)> = (1..=6).map(|n| (n * 5 * SECOND, 301 * MS)).collect();
    assert_eq!(gaps, due);
}

#[test]
fn any_key_changes_at_its_time() {
    let before = SimDevice {
        iops_cap: Some(TokenBucket::steady(5000.0)),
        ..wide()
    };
    let after = SimDevice {
        iops_cap: Some(TokenBucket::steady(1000.0)),
        ..wide()
    };
    let law = SimDevice {
        changes: vec![(Nanos::from_secs(2), after)],
        ..before
    };
    let ends = &Bench::new(law, &[0]).run(8, 13_000, &reads)[0];
    let within = |from: u64, to: u64| ends.iter().filter(|t| (from..to).contains(t)).count() as f64;
    near(within(SECOND, 2 * SECOND), 5000.0, 0.5);
    near(within(3 * SECOND, 5 * SECOND), 2000.0, 0.5);
}

#[test]
fn slots_are_held_over_the_round_trip() {
    let law = SimDevice {
        slots: Some(4),
        round_trip: Nanos::from_millis(1),
        parallel: 1000,
        ..SimDevice::default()
    };
    // 100 us of service and 1 ms of round trip: four of them at a time for each host, however many workers it has.
    let one = Bench::new(law.clone(), &[0, 0]).run(64, 4000, &reads);
    near(rate(&one), 4.0 / 1.1e-3, 0.5);
    let two = Bench::new(law, &[0, 1]).run(64, 4000, &reads);
    near(rate(&two), 8.0 / 1.1e-3, 0.5);
}

#[test]
fn a_host_may_be_farther_away_than_others() {
    let law = SimDevice {
        round_trip: Nanos::from_micros(100),
        distances: vec![(1, Nanos::from_micros(800))],
        parallel: 1000,
        ..SimDevice::default()
    };
    // 100 us of service each, and 100 us or 900 us on the way.
    let ends = Bench::new(law, &[0, 1]).run(1, 1000, &reads);
    let last = |worker: usize| *ends[worker].last().unwrap();
    assert_eq!((last(0), last(1)), (200 * MS, 1000 * MS));
}

#[test]
fn slots_may_come_and_go_during_a_run() {
    let without = SimDevice {
        service: ServiceTime::Fixed(Nanos::from_millis(1)),
        parallel: 1000,
        ..SimDevice::default()
    };
    let with = SimDevice {
        slots: Some(4),
        ..without.clone()
    };
    // 64 in flight at 1 ms each are 64,000 a second, four are 4,000.
    let law = SimDevice {
        changes: vec![
            (Nanos::from_secs(1), with),
            (Nanos::from_secs(2), without.clone()),
        ],
        ..without
    };
    let ends = &Bench::new(law, &[0]).run(64, 100_000, &reads)[0];
    let within = |from: u64, to: u64| ends.iter().filter(|t| (from..to).contains(t)).count() as f64;
    near(within(0, SECOND), 64_000.0, 0.5);
    near(within(SECOND, 2 * SECOND), 4000.0, 3.0);
    assert_eq!(ends.len(), 100_000, "none waits for ever");
}

#[test]
fn a_host_that_waits_for_its_slots_holds_up_no_other() {
    let law = SimDevice {
        slots: Some(1),
        round_trip: Nanos::from_millis(1),
        iops_cap: Some(TokenBucket::steady(100_000.0)),
        ..wide()
    };
    // 900 of the first host wait for one slot; the other host's I/O is served at once all the same.
    let ends = Bench::new(law, &[0, 1]).run(900, 900, &|worker, number| reads(worker, number));
    // 10 us after that one, by the cap.
    assert_eq!(ends[1][0], 2 * MS + 10_000);
}

#[test]
fn workers_are_spread_over_the_connections_of_their_host() {
    let limited = |connections| SimDevice {
        connection_bytes_per_s: Some(100 << 20),
        connections,
        ..wide()
    };
    let block = |_: usize, number: usize| (Op::Read, number as u64, 65_536);
    let of = |law, hosts: &[u32]| rate(&Bench::new(law, hosts).run(8, 2000, &block));
    // 100 MiB/s are 1600 blocks of 64 KiB a second.
    near(of(limited(None), &[0, 0, 0]), 4800.0, 0.5);
    near(of(limited(Some(1)), &[0, 0, 0]), 1600.0, 0.5);
    near(of(limited(Some(2)), &[0, 0, 0, 0]), 3200.0, 0.5);
    near(of(limited(Some(1)), &[0, 1, 2]), 4800.0, 0.5);
}

#[test]
fn one_connection_does_not_delay_what_comes_over_another() {
    let law = SimDevice {
        connection_bytes_per_s: Some(100 << 20),
        bytes_cap: Some(TokenBucket::steady(4500.0 * 1_048_576.0)),
        ..wide()
    };
    let mut bench = Bench::new(law, &[0, 0]);
    // The first sends 20 ms of blocks at once; the second sends one.
    let ends = bench.run(32, 32, &|worker, number| match worker {
        0 => (Op::Read, number as u64, 65_536),
        _ => (
            Op::Read,
            number as u64,
            if number == 0 { 4096 } else { 65_536 },
        ),
    });
    assert!(ends[1][0] < 2 * MS, "{:?}", ends[1][0]);
}

#[test]
fn a_host_has_its_own_share_of_bytes() {
    let law = SimDevice {
        host_bytes_per_s: Some(100 << 20),
        ..wide()
    };
    let block = |_: usize, number: usize| (Op::Write, number as u64, 65_536);
    let of = |hosts: &[u32]| rate(&Bench::new(law.clone(), hosts).run(8, 2000, &block));
    near(of(&[0, 0]), 1600.0, 0.5);
    near(of(&[0, 1, 2]), 4800.0, 0.5);
}

fn cached(write_back: bool) -> SimDevice {
    SimDevice {
        cache: Some(SimCache {
            size: 8192,
            hit: Nanos(1000),
            write_back,
        }),
        parallel: 1,
        ..SimDevice::default()
    }
}

#[test]
fn the_cache_hits_what_it_holds_and_forgets_the_oldest() {
    let offsets = [0, 0, 4096, 8192, 0];
    let ends = &Bench::new(cached(false), &[0]).run(1, 5, &|_, n| (Op::Read, offsets[n], 4096))[0];
    let mut before = 0;
    let took: Vec<u64> = ends
        .iter()
        .map(|end| end - std::mem::replace(&mut before, *end))
        .collect();
    assert_eq!(took, [100_000, 1000, 100_000, 100_000, 100_000]);
}

#[test]
fn a_cache_larger_than_the_set_remembers_no_more_than_the_set() {
    let law = SimCache {
        size: 1 << 30,
        hit: Nanos(1000),
        write_back: false,
    };
    let mut cache = Cache::new(law);
    for round in 0..100_000_u64 {
        cache.touch(0, &request(Op::Read, (round % 100) * 4096, 4096));
    }
    assert_eq!(cache.held(), 100);
}

#[test]
fn a_write_through_ends_on_the_device_and_a_write_back_in_the_cache() {
    let one = |back| Bench::new(cached(back), &[0]).run(1, 1, &writes)[0][0];
    assert_eq!(one(false), 100_000);
    assert_eq!(one(true), 1000);
    // Two writes fit; from the third on each waits until the device has one more.
    let ends = &Bench::new(cached(true), &[0]).run(1, 2000, &writes);
    near(rate(ends), 10_000.0, 0.5);
}

#[test]
fn a_flush_waits_for_what_is_in_the_cache() {
    let law = SimDevice {
        sync: Some(Nanos::from_millis(3)),
        ..cached(true)
    };
    let ends = Bench::new(law, &[0]).run(1, 3, &|worker, number| match number {
        0 => writes(worker, number),
        _ => (Op::Sync, 0, 0),
    });
    // The write is on the device at 100 us.
    assert_eq!(ends, [[1000, 100_000 + 3 * MS, 100_000 + 6 * MS]]);
}

#[test]
fn writes_become_slower_with_wear_and_reads_do_not() {
    let law = SimDevice {
        wear: Some((40_960, 4.0)),
        parallel: 1,
        ..SimDevice::default()
    };
    let mut bench = Bench::new(law, &[0]);
    let ends = &bench.run(1, 13, &writes)[0];
    let last: Vec<u64> = ends.windows(2).map(|w| w[1] - w[0]).collect();
    assert_eq!(last[8..], [100_000, 400_000, 400_000, 400_000]);
    let before = *ends.last().unwrap();
    assert_eq!(bench.run(1, 1, &reads)[0][0] - before, 100_000);
}

#[test]
fn neighbours_take_what_they_ask_for_from_the_caps() {
    let law = SimDevice {
        iops_cap: Some(TokenBucket::steady(5000.0)),
        neighbour: Some(Neighbour {
            iops: 2000.0,
            size: 4096,
        }),
        ..wide()
    };
    // Three standard deviations of the neighbours' number in 2.7 s.
    let ends = Bench::new(law, &[0]).run(64, 8000, &reads);
    near(rate(&ends), 3000.0, 4.5);
}

#[test]
fn the_asked_io_fails_with_the_asked_error() {
    let law = SimDevice {
        errors: vec![(1, 5)],
        ..SimDevice::default()
    };
    let mut bench = Bench::new(law, &[0]);
    let mut results = Vec::new();
    for number in 0..3 {
        let worker = &mut bench.workers[0];
        worker.queue(&request(Op::Read, 4096 * number, 4096));
        worker.submit_and_wait(0, None).unwrap();
        let Ready::At(at) = worker.ready_at(1) else {
            panic!("it is known");
        };
        bench.clock.advance_to(at);
        worker.reap(|_, result| results.push(result));
    }
    assert_eq!(results, [4096, -5, 4096]);
}
