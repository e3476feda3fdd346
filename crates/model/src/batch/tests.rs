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
    encoder.finish()
}

fn read(bytes: &[u8], samples: usize) -> Result<Vec<Sample>, DecodeError> {
    Decoder::new(bytes, samples as u64, KNOWN).collect()
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
