//! What is written comes back, in few bytes, and foreign bytes cost nothing.

use super::*;
use crate::op::Op;
use crate::seed::SplitMix;
use proptest::prelude::*;

const KNOWN: Known = Known {
    stage: 3,
    workloads: 100,
    hosts: 4,
};

fn sample(workload: u32, host: u32, interval: u64, counts: Counts) -> Sample {
    let data = counts.data();
    Sample {
        host,
        stage: KNOWN.stage,
        workload,
        interval,
        start: Nanos(interval * 500_000_000),
        length: Nanos(500_000_000),
        warmup: interval < 3,
        workers: vec![(data.ios, data.bytes)],
        moments: Vec::new(),
        counts,
    }
}

/// Reads of 4 KiB that take what `latency` says.
fn reads(ios: u64, mut latency: impl FnMut() -> u64) -> Counts {
    let mut counts = Counts::default();
    let op = counts.op_mut(Op::Read);
    (op.ios, op.bytes) = (ios, ios * 4096);
    (0..ios).for_each(|_| op.service.record(latency()));
    counts.depths.level[0] = ios;
    counts
}

fn written(samples: &[Sample]) -> Vec<u8> {
    let mut encoder = Encoder::default();
    samples.iter().for_each(|sample| encoder.push(sample));
    assert_eq!(encoder.samples(), samples.len() as u64);
    let whole = encoder.len();
    let bytes = encoder.finish();
    // The bits that do not make a byte yet become one at the end.
    assert!(whole <= bytes.len() && bytes.len() <= whole + 1, "{whole}");
    bytes
}

fn read(bytes: &[u8], samples: usize) -> Result<Vec<Sample>, DecodeError> {
    Decoder::new(bytes, samples as u64, KNOWN).collect()
}

#[test]
fn a_blank_sample_has_nothing_but_its_stage() {
    let Coded { rest, ops, moments } = Coded::blank(KNOWN.stage);
    let zero = Sample {
        start: Nanos::ZERO,
        length: Nanos::ZERO,
        warmup: false,
        workers: Vec::new(),
        ..sample(0, 0, 0, Counts::default())
    };
    assert_eq!(rest, zero);
    assert!(ops.is_empty() && moments.is_empty());
}

/// All that a sample can hold, in any mixture.
fn anything(random: &mut SplitMix, interval: u64) -> Sample {
    let mut counts = Counts::default();
    for op in Op::ALL {
        if random.bits().is_multiple_of(2) {
            continue;
        }
        let of_op = counts.op_mut(op);
        (of_op.ios, of_op.bytes) = (random.bits() >> 20, random.bits());
        (of_op.short, of_op.errors) = (random.bits() % 3, random.bits() % 3);
        for _ in 0..random.bits() % 40 {
            of_op
                .service
                .record(random.bits() >> (8 + random.bits() % 50));
        }
        if random.bits().is_multiple_of(2) {
            let response = of_op.response.get_or_insert_default();
            response.record(random.bits() >> 30);
            response.record_unfinished(random.bits() >> 25, 3);
        }
        if random.bits().is_multiple_of(2) {
            let parts = of_op.parts.get_or_insert_default();
            parts.submission.record(random.bits() >> 40);
        }
    }
    counts.late = random.bits() % 3;
    if random.bits().is_multiple_of(2) {
        counts.lag.get_or_insert_default().record(17);
    }
    counts.depths.complete[2] = random.bits() % 4;
    let random_workload = u32::try_from(random.bits() % 5).unwrap();
    let mut sample = sample(
        random_workload,
        random_workload % 3,
        interval,
        Counts::default(),
    );
    sample.counts = counts;
    sample.workers = vec![(random.bits(), random.bits() >> 40); 3];
    if random.bits().is_multiple_of(2) {
        sample.workers.pop();
        let mut own = Moments::default();
        (own.ios, own.sum_squares) = (random.bits(), random.bits() as f64 * 0.1);
        let ops = [(Op::Read, own), (Op::Trim, Moments::default())];
        sample.moments = vec![ops.into_iter().collect(), OpMap::default()];
    }
    sample
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn samples_come_back_as_they_were(seed in any::<u64>()) {
        let mut random = SplitMix::new(seed);
        let samples: Vec<_> = (0..60)
            .map(|n| anything(&mut random, n / 3 + u64::from(n > 40)))
            .collect();
        let bytes = written(&samples);
        prop_assert_eq!(read(&bytes, samples.len()), Ok(samples));
    }

    #[test]
    fn foreign_bytes_are_samples_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes, 1 << 20);
    }
}

/// They are kept in run files: what one version wrote, each later one reads as the same.
#[test]
fn the_bytes_of_known_samples_are_these() {
    let mut random = SplitMix::new(5);
    let samples: Vec<_> = (0..3).map(|n| anything(&mut random, n)).collect();
    let bytes = written(&samples);
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let known = "\
        0e000000000000001800000004286bee14000000000020d01676724b0000000000000040c55d01aa8f271e900232001208f0\
        1a187f208c3a77f1917f793b9d96156dac3d6fd2e0429b55cce91d16000000000000407b1da9465f704b000000000000009a\
        ffd263a9271e2300000000000080cc7a41d85d76712200903c02006cf60200000000007fe0d2d36e29001026000061826f04\
        14df461e0500000000000000f85070f06a8ba5d60500005070001c00d77d283878b5c552f0820300008379536bb78e6af800\
        00000000e6f4f1c4030ec48a09000000000000004000000010a0acb90100004080b2e68e010204000000000040ef1ee929d5\
        0100000000000000c823b51215e63ccd8c006a2008d8855f20f0c33a952a47d58e6b912d69b2a0ea923fd554c1b519a515f2\
        fe70936d36f10f03000000000080a0ac89d07478050000000000005018f6968481533700000000000004d9e262fbf1091100\
        08140100d2c30100000000000130a9ab49170000e5e101009487f701000000002014bdb98f8900000000000000c02f61beb0\
        c71cf644a100d0ac01a40be42200000070f12ae5020000000000e64d2d33432700d05400000010bfd01a000000000000f99d\
        2269120900000000000000f0a38fe4addf282e88001280d47001cc09b566c2f5c99303d57c0a31a863b76e1b708385af0900\
        0000000000a0d6851cfcdda50100000000000080a25b90342417a90200000000000052a9cf278c0c38420040fd0da0370100\
        00001c5543bc00000000000093ca6271d100000000912e14020000400295e7460020ee9311507c1b7d140000000000000070\
        7ca5c78f1a31e30200001063d70780b8c6577afca811330cc6ae07c0ea55f6fb7b516e260000000080f35137d98573e1cd08\
        00000008a0acb90100004080b2e6ce01000000000050b8b8f1643300000000000000003745a56daf4762b5810a901c0073c8\
        86dbb15e478d460c1e67f767e9da071400000000000090311989c599640700000000000020bc938ead62369b000000000000\
        40a829e7783cf72d040074da009442000000809dbc7f330000000000587e4cbe02bc0000009a0aaf030000803c80311a0180\
        f44f1100f46a80110000000000feff39b58204806c07806cf7b5d14701ce4a6f55211aa2c3fc941f00000000e0acf45615a2\
        213acc4ff90100000000d430cbde98254c5802e06a906131b7d72311";
    assert_eq!(text, known);
    assert_eq!(read(&bytes, samples.len()), Ok(samples));
}

/// Also of one I/O alone: its latency is the shortest and the longest.
#[test]
fn what_is_read_from_damaged_bytes_has_no_shortest_above_the_longest() {
    let bytes = written(&[sample(0, 0, 0, reads(1, || 50_000))]);
    let mut refused = 0;
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        match read(&damaged, 1) {
            Ok(samples) => {
                for of_op in samples[0].counts.ops.values() {
                    let (min, max) = (of_op.service.min, of_op.service.max);
                    assert!(min <= max || of_op.service.count() == 0, "bit {bit}");
                }
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 0);
}

#[test]
fn what_does_not_change_takes_a_few_bytes() {
    let mut samples = Vec::new();
    for interval in 0..400 {
        for workload in 0..10 {
            samples.push(sample(workload, 0, interval, reads(10, || 50_000_000)));
        }
    }
    let bytes = written(&samples);
    assert!(bytes.len() < samples.len() * 5, "{}", bytes.len());
    assert_eq!(read(&bytes, samples.len()), Ok(samples));
}

#[test]
fn noise_takes_less_than_a_byte_and_a_half_a_bucket() {
    let mut random = SplitMix::new(7);
    let samples: Vec<_> = (0..200)
        .map(|interval| {
            // About a bell: the sum of four.
            let value = || (0..4).map(|_| 20_000 + random.bits() % 20_000).sum();
            sample(0, 0, interval, reads(2000, value))
        })
        .collect();
    let service = |s: &Sample| s.counts.data().service;
    let buckets: usize = samples
        .iter()
        .map(|s| service(s).histogram.nonzero().count())
        .sum();
    let before: usize = samples
        .iter()
        .map(|s| crate::codec::encode_latency(&service(s)).len())
        .sum();
    let bytes = written(&samples);
    println!(
        "{buckets} buckets: {} bytes, each by itself {before}",
        bytes.len()
    );
    assert!(
        bytes.len() * 2 < buckets * 3,
        "{} of {buckets}",
        bytes.len()
    );
    assert!(bytes.len() * 3 < before * 2, "{} of {before}", bytes.len());
    assert_eq!(read(&bytes, samples.len()), Ok(samples));
}

#[test]
fn samples_of_workloads_and_hosts_that_are_not_there_are_refused() {
    for (workload, host) in [(100, 0), (0, 4)] {
        let bytes = written(&[sample(workload, host, 0, Counts::default())]);
        assert_eq!(read(&bytes, 1), Err(DecodeError::OutOfRange));
    }
    let bytes = written(&[sample(99, 3, 0, Counts::default())]);
    assert_eq!(read(&bytes, 1).map(|samples| samples.len()), Ok(1));
    assert_eq!(read(&bytes, 1000), Err(DecodeError::Truncated));
}

#[test]
fn an_operation_comes_once_in_a_sample() {
    let mut coded = Coded::of(&sample(0, 0, 0, reads(3, || 9_000)));
    let read = coded.ops[0].clone();
    coded.ops.push(read);
    let Encoder { out, tracks, .. } = &mut Encoder::default();
    let answer = tracks.sample(out, &coded, None).map(|_| ());
    assert_eq!(answer, Err(DecodeError::OutOfRange));
}

#[test]
fn a_histogram_may_have_something_in_each_bucket() {
    let mut bucket = 0;
    let all = reads(crate::histogram::BUCKETS as u64, || {
        bucket += 1;
        crate::histogram::lower_bound(bucket - 1)
    });
    let samples = [sample(0, 0, 0, all)];
    assert_eq!(read(&written(&samples), 1).as_deref(), Ok(&samples[..]));
}

#[test]
fn after_what_cannot_be_read_nothing_follows() {
    let bytes = written(&[sample(0, 0, 0, reads(3, || 9_000))]);
    let mut decoder = Decoder::new(&bytes, 1000, KNOWN);
    assert!(decoder.next().is_some_and(|sample| sample.is_ok()));
    assert!(decoder.next().is_some_and(|sample| sample.is_err()));
    assert!(decoder.next().is_none());
}

#[test]
fn what_was_written_so_far_is_counted() {
    let mut encoder = Encoder::default();
    assert!(encoder.is_empty());
    assert_eq!(
        (encoder.len(), encoder.samples(), encoder.tracks()),
        (0, 0, 0)
    );
    // Random numbers, of which each takes its eight bytes.
    let mut random = SplitMix::new(2);
    let mut noisy = sample(0, 0, 0, Counts::default());
    noisy.workers = (0..100).map(|_| (random.bits(), random.bits())).collect();
    encoder.push(&noisy);
    let first = encoder.len();
    assert!((1600..2000).contains(&first), "{first}");
    encoder.push(&sample(0, 1, 0, Counts::default()));
    encoder.push(&sample(0, 1, 1, Counts::default()));
    assert!(!encoder.is_empty() && encoder.len() > first);
    assert_eq!((encoder.samples(), encoder.tracks()), (3, 2));
}

/// What differs from the sample before in any of its times stands for itself.
#[test]
fn samples_that_do_not_follow_one_another_come_back_as_they_were() {
    let first = sample(0, 0, 0, reads(3, || 9_000));
    let second = sample(0, 0, 1, reads(3, || 9_000));
    let changes: [fn(&mut Sample); 4] = [
        |sample| sample.interval += 1,
        |sample| sample.start.0 += 1,
        |sample| sample.length.0 += 1,
        |sample| sample.warmup ^= true,
    ];
    for change in changes {
        let mut samples = [first.clone(), second.clone()];
        change(&mut samples[1]);
        assert_eq!(read(&written(&samples), 2).as_deref(), Ok(&samples[..]));
    }
}

/// What a later version, which knows an operation of code 200, writes.
fn written_later(samples: &[Sample]) -> Vec<u8> {
    let mut encoder = Encoder::default();
    for sample in samples {
        let mut coded = Coded::of(sample);
        let mut more = OpCounts::default();
        (more.ios, more.bytes) = (sample.interval * 3, 7);
        more.service.record(5_000);
        coded.ops.push((200, more));
        for worker in &mut coded.moments {
            worker.push((200, Moments::default()));
        }
        let Encoder { out, tracks, .. } = &mut encoder;
        tracks.sample(out, &coded, None).unwrap();
    }
    encoder.finish()
}

#[test]
fn operations_of_a_later_version_are_skipped_and_all_else_is_read() {
    let mut random = SplitMix::new(11);
    let samples: Vec<_> = (0..60).map(|n| anything(&mut random, n / 3)).collect();
    let bytes = written_later(&samples);
    assert!(bytes.len() > written(&samples).len());
    assert_eq!(read(&bytes, samples.len()), Ok(samples));
}
