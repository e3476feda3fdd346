//! What waits at one place of a simulated volume, and what that does to what does not come there.

use super::laws::{Bench, MS, SECOND, near, reads, wide, writes};
use leadline_model::op::Op;
use leadline_model::plan::SimDevice;
use leadline_model::plan::simulated::{ClassCaps, Neighbour, ServiceTime, SimCache, TokenBucket};
use leadline_model::units::Nanos;

fn steady(rate: u32) -> Option<TokenBucket> {
    Some(TokenBucket::steady(f64::from(rate)))
}

fn iops(rate: u32) -> ClassCaps {
    ClassCaps {
        iops: Some(f64::from(rate)),
        bytes: None,
    }
}

fn mib(rate: u32) -> f64 {
    f64::from(rate) * 1_048_576.0
}

/// A worker that reads and one that writes, each with `depth` I/Os of `len` bytes in flight for `seconds`: I/Os a second
/// of each. No block twice.
fn side_by_side(law: SimDevice, depth: usize, len: u32, seconds: u64) -> [f64; 2] {
    let mut bench = Bench::new(law, &[0, 0]);
    bench.until = seconds * SECOND;
    let place = |number: usize| number as u64 * u64::from(len);
    let ends = bench.run(depth, usize::MAX, &|worker, number| match worker {
        0 => (Op::Read, (1 << 50) + place(number), len),
        _ => (Op::Write, place(number), len),
    });
    [0, 1].map(|worker: usize| ends[worker].len() as f64 / seconds as f64)
}

/// I/Os of one worker that ended between two times.
fn within(ends: &[u64], from: u64, to: u64) -> f64 {
    ends.iter().filter(|t| (from..to).contains(t)).count() as f64
}

/// What one worker does until a time.
fn until(law: SimDevice, depth: usize, end: u64, len: u32, op: Op) -> Vec<u64> {
    let mut bench = Bench::new(law, &[0]);
    bench.until = end;
    let each = |_: usize, number: usize| (op, number as u64 * u64::from(len), len);
    bench.run(depth, usize::MAX, &each).remove(0)
}

#[test]
fn a_cap_of_writes_holds_up_no_read() {
    let law = SimDevice {
        reads: iops(10_000),
        writes: iops(100),
        iops_cap: steady(20_000),
        parallel: 1000,
        ..SimDevice::default()
    };
    let [read, written] = side_by_side(law, 32, 4096, 5);
    near(read, 10_000.0, 0.5);
    near(written, 100.0, 2.0);
    // 32 servers of 100 us.
    let law = SimDevice {
        writes: iops(100),
        ..SimDevice::default()
    };
    let [read, written] = side_by_side(law, 32, 4096, 1);
    near(read, 320_000.0, 0.5);
    near(written, 101.0, 2.0);
    // One read at a time: it waits for the shared cap, and not for what waits before that.
    let law = SimDevice {
        writes: iops(100),
        iops_cap: steady(10_000),
        ..SimDevice::default()
    };
    let mut bench = Bench::new(law, &[0, 0]);
    bench.until = 5 * SECOND;
    let ends = bench.run(32, usize::MAX, &|worker, number| match worker {
        0 => reads(worker, number),
        _ => writes(worker, number),
    });
    near(ends[0].len() as f64 / 5.0, 9900.0, 0.5);
}

#[test]
fn a_share_of_bytes_of_writes_leaves_the_rest_to_reads() {
    let law = SimDevice {
        bytes_cap: Some(TokenBucket::steady(mib(3600))),
        writes: ClassCaps {
            iops: None,
            bytes: Some(mib(1000)),
        },
        parallel: 1024,
        service: ServiceTime::Fixed(Nanos::from_millis(1)),
        ..SimDevice::default()
    };
    // Blocks of 64 KiB: 16 a MiB.
    let [read, written] = side_by_side(law, 256, 65_536, 2);
    near(read, 2600.0 * 16.0, 1.0);
    near(written, 1000.0 * 16.0, 1.0);
}

#[test]
fn others_that_wait_for_their_cap_hold_up_no_write() {
    let law = SimDevice {
        reads: iops(1000),
        neighbour: Some(Neighbour {
            iops: 2000.0,
            size: 4096,
        }),
        ..SimDevice::default()
    };
    // 32 servers of 100 us, of which a thousand reads a second take a tenth of one.
    let ends = until(law, 32, SECOND, 4096, Op::Write);
    near(ends.len() as f64, 319_000.0, 0.5);
}

fn write_back(size: u64, hit: Nanos) -> Option<SimCache> {
    Some(SimCache {
        size,
        hit,
        write_back: true,
    })
}

#[test]
fn what_a_cache_writes_back_holds_up_no_read() {
    let law = SimDevice {
        cache: write_back(64 << 20, Nanos::from_micros(10)),
        writes: ClassCaps {
            iops: None,
            bytes: Some(mib(10)),
        },
        ..SimDevice::default()
    };
    // The cache is full after 0.2 s; the rate of writes is then 10 MiB/s, which are 2,560 blocks.
    let [read, written] = side_by_side(law, 1, 4096, 10);
    near(read, 10_000.0, 0.5);
    near(written, 2560.0 + 1638.4, 1.0);
}

#[test]
fn a_flush_without_a_time_of_its_own_holds_up_no_read() {
    let law = SimDevice {
        cache: write_back(64 << 20, Nanos::from_micros(10)),
        write_service: Some(ServiceTime::Fixed(Nanos::SECOND)),
        parallel: 256,
        iops_cap: steady(100_000),
        ..SimDevice::default()
    };
    let mut bench = Bench::new(law, &[0, 0]);
    bench.until = 5 * SECOND;
    let ends = bench.run(1, usize::MAX, &|worker, number| match worker {
        0 => (Op::Read, (1 << 50) + 4096 * number as u64, 4096),
        _ if number % 65 == 64 => (Op::Sync, 0, 0),
        _ => writes(worker, number),
    });
    near(ends[0].len() as f64 / 5.0, 10_000.0, 1.0);
    // 64 writes of 10 us, a second on the device, and the flush of 100 us.
    let flush = ends[1][64];
    assert!(flush > SECOND && flush < SECOND + 3 * MS, "{flush}");
}

#[test]
fn a_block_that_is_written_again_is_dirty_once() {
    // Room for two blocks; the device takes 100 us for each.
    let law = SimDevice {
        cache: write_back(8192, Nanos(1000)),
        parallel: 1,
        ..SimDevice::default()
    };
    let again = |_: usize, number: usize| match number {
        1000 => (Op::Sync, 0, 0),
        n => (Op::Write, 4096 * (n as u64 % 2), 4096),
    };
    let ends = &Bench::new(law, &[0]).run(1, 1001, &again)[0];
    assert_eq!(ends[999], 1_000_000);
    // Each is on its way once and waits once at most: two are being worked on, and then these two.
    assert!(ends[1000] <= 1_000_000 + 500_000, "{}", ends[1000]);
    assert!(ends[1000] >= 1_000_000 + 100_000, "{}", ends[1000]);
}

#[test]
fn what_waits_sees_the_law_that_has_changed() {
    let changed = |before: SimDevice, at: u64, after: SimDevice| SimDevice {
        changes: vec![(Nanos::from_secs(at), after)],
        ..before
    };
    let capped = |rate| SimDevice {
        iops_cap: steady(rate),
        ..wide()
    };
    let law = changed(capped(10), 10, capped(1000));
    let ends = until(law, 128, 20 * SECOND, 4096, Op::Read);
    near(ends.len() as f64, 10_100.0, 0.05);
    let slow = |time| SimDevice {
        service: ServiceTime::Fixed(time),
        parallel: 1,
        ..SimDevice::default()
    };
    let law = changed(
        slow(Nanos::from_millis(100)),
        10,
        slow(Nanos::from_micros(100)),
    );
    let ends = until(law, 32, 20 * SECOND, 4096, Op::Read);
    near(ends.len() as f64, 100_100.0, 0.05);
    let linked = |rate: u64| SimDevice {
        host_bytes_per_s: Some(rate << 20),
        ..wide()
    };
    let law = changed(linked(1), 5, linked(100));
    let ends = until(law, 64, 10 * SECOND, 65_536, Op::Read);
    near(ends.len() as f64, 80.0 + 8000.0, 0.3);
    let slots = |number| SimDevice {
        slots: Some(number),
        ..wide()
    };
    let ends = until(
        changed(slots(64), 1, slots(4)),
        128,
        2 * SECOND,
        4096,
        Op::Read,
    );
    near(within(&ends, SECOND + 2 * MS, 2 * SECOND), 3992.0, 0.5);
    // And slots that come: the first four seconds have one, the fifth has eight.
    let ends = until(
        changed(slots(1), 4, slots(8)),
        128,
        5 * SECOND,
        4096,
        Op::Read,
    );
    near(within(&ends, 0, 4 * SECOND), 4000.0, 0.1);
    near(within(&ends, 4 * SECOND, 5 * SECOND), 8000.0, 0.5);
}

#[test]
fn others_that_begin_later_begin_then() {
    let law = SimDevice {
        iops_cap: steady(5000),
        ..wide()
    };
    let after = SimDevice {
        neighbour: Some(Neighbour {
            iops: 2000.0,
            size: 4096,
        }),
        ..law.clone()
    };
    let law = SimDevice {
        changes: vec![(Nanos::from_secs(5), after)],
        ..law
    };
    let ends = until(law, 64, 10 * SECOND, 4096, Op::Read);
    near(within(&ends, 0, 5 * SECOND), 25_000.0, 0.1);
    // Three standard deviations of the others' number in five seconds.
    near(within(&ends, 5 * SECOND, 10 * SECOND), 15_000.0, 3.0);
}

#[test]
fn nothing_ends_while_it_does_not_answer() {
    let stall = |at: u64| (Nanos::from_secs(at), Nanos::SECOND);
    let slow = |stalls| SimDevice {
        stalls,
        service: ServiceTime::Fixed(Nanos::from_millis(700)),
        parallel: 1,
        ..SimDevice::default()
    };
    // The sixth begins at 3.5 s and has worked for half a second when the first stall begins; the second follows it.
    let want = [700, 1400, 2100, 2800, 3500, 6200].map(|ms| ms * MS);
    for stalls in [vec![stall(4), stall(5)], vec![stall(5), stall(4)]] {
        assert_eq!(Bench::new(slow(stalls), &[0]).run(1, 6, &reads), [want]);
    }
    // So are hits and flushes.
    let law = SimDevice {
        stalls: vec![(Nanos(150_000), Nanos::SECOND)],
        cache: write_back(1 << 20, Nanos::from_micros(60)),
        sync: Some(Nanos::from_micros(10)),
        ..SimDevice::default()
    };
    let same = |_: usize, number: usize| match number {
        3 => (Op::Sync, 0, 0),
        _ => (Op::Read, 0, 4096),
    };
    let hits = Bench::new(law.clone(), &[0]).run(1, 4, &same);
    let end = SECOND + 160_000;
    assert_eq!(hits, [[100_000, end, end + 60_000, end + 70_000]]);
    let law = SimDevice {
        stalls: vec![(Nanos(5000), Nanos::SECOND)],
        ..law
    };
    let flush = Bench::new(law, &[0]).run(1, 1, &|_, _| (Op::Sync, 0, 0));
    assert_eq!(flush, [[SECOND + 10_000]]);
}

#[test]
fn a_link_is_exact_below_a_nanosecond() {
    let law = SimDevice {
        host_bytes_per_s: Some(100 << 30),
        service: ServiceTime::Fixed(Nanos(100)),
        ..wide()
    };
    // 512 bytes at 100 GiB/s: 4.77 ns.
    let ends = &Bench::new(law, &[0]).run(512, 20_000, &|_, n| (Op::Read, n as u64 * 512, 512))[0];
    let rate = 19_999.0 * 1e9 / (ends.last().unwrap() - ends[0]) as f64;
    near(rate, 209_715_200.0, 0.1);
}
