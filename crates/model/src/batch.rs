//! Many samples as few bytes: each is told by what differs from the one before of the same workload and host.
//!
//! Belongs here: the order of the numbers, and what is expected of each. Must never: lose anything of a sample, know
//! where the bytes are kept, or take more from foreign bytes than they are worth.

use crate::bits::{BitsIn, BitsOut, Coder, Scale};
use crate::histogram::{BUCKETS, Histogram, index_of, lower_bound, upper_bound};
use crate::latency::Latency;
use crate::sample::{Counts, Depths, Moments, OpCounts, Parts, Sample};
use crate::units::Nanos;
pub use crate::varint::DecodeError;
use std::collections::HashMap;

/// Writes the samples of one stage.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    out: BitsOut,
    tracks: Tracks,
    samples: u64,
}

impl Encoder {
    /// Adds a sample. Its stage is not written.
    pub fn push(&mut self, sample: &Sample) {
        let told = self.tracks.sample(&mut self.out, sample, None);
        debug_assert!(told.is_ok(), "writing does not fail");
        self.samples += 1;
    }

    /// How many samples were added.
    #[must_use]
    pub const fn samples(&self) -> u64 {
        self.samples
    }

    /// How many workloads they are of, each counted on each host.
    #[must_use]
    pub fn tracks(&self) -> usize {
        self.tracks.all.len()
    }

    /// Bytes so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether nothing was added.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.samples == 0
    }

    /// The bytes, to be given to [`Decoder::new`] with the number of samples.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.out.finish()
    }
}

/// What the samples in foreign bytes may be of.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Their stage, which is not in the bytes.
    pub stage: u32,
    /// How many workloads the stage has.
    pub workloads: u32,
    /// How many hosts.
    pub hosts: u32,
}

/// Reads what an [`Encoder`] wrote, sample by sample. What it holds meanwhile is one sample for each workload and
/// host.
#[derive(Debug)]
pub struct Decoder<'a> {
    bytes: BitsIn<'a>,
    tracks: Tracks,
    known: Known,
    left: u64,
}

impl<'a> Decoder<'a> {
    /// Reads so many samples.
    #[must_use]
    pub fn new(bytes: &'a [u8], samples: u64, known: Known) -> Self {
        Self {
            bytes: BitsIn::new(bytes),
            tracks: Tracks::default(),
            known,
            left: samples,
        }
    }
}

impl Iterator for Decoder<'_> {
    type Item = Result<Sample, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let blank = Sample {
            host: 0,
            stage: self.known.stage,
            workload: 0,
            interval: 0,
            start: Nanos::ZERO,
            length: Nanos::ZERO,
            warmup: false,
            counts: Counts::default(),
            workers: Vec::new(),
            moments: Vec::new(),
        };
        let known = Some(self.known);
        let told = self.tracks.sample(&mut self.bytes, &blank, known);
        if told.is_err() {
            self.left = 0;
        }
        Some(told.cloned())
    }
}

/// The samples of one workload on one host.
#[derive(Clone, Debug)]
struct Track {
    /// The last of them, packed; `None` = none yet.
    last: Option<Sample>,
    /// Of samples that stand for themselves, and of those that follow the last.
    scales: [Scales; 2],
    /// The track whose sample came behind the last of this one.
    next: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Scales {
    ops: [OpScales; 4],
    late: Scale,
    lag: LatencyScales,
    depths: Scale,
    workers: [Scale; 3],
    moments: [Scale; 6],
}

#[derive(Clone, Copy, Debug, Default)]
struct OpScales {
    ios: Scale,
    bytes: Scale,
    short: Scale,
    errors: Scale,
    /// Service, response, submission, completion.
    latencies: [LatencyScales; 4],
}

#[derive(Clone, Copy, Debug, Default)]
struct LatencyScales {
    sum: Scale,
    squares: Scale,
    min: Scale,
    max: Scale,
    histogram: HistogramScales,
    unfinished: HistogramScales,
}

#[derive(Clone, Copy, Debug, Default)]
struct HistogramScales {
    filled: Scale,
    first: Scale,
    step: Scale,
    count: Scale,
}

/// All tracks, in the order they came first.
#[derive(Clone, Debug, Default)]
struct Tracks {
    all: Vec<Track>,
    /// Where each (workload, host) is.
    places: HashMap<(u32, u32), usize>,
    place: Scale,
    /// Whose sample came last.
    last: usize,
}

impl Tracks {
    /// One sample, to or from the coder. `known` says what foreign bytes may name.
    fn sample<C: Coder>(
        &mut self,
        coder: &mut C,
        new: &Sample,
        known: Option<Known>,
    ) -> Result<&Sample, DecodeError> {
        let (place, (workload, host)) = self.place(coder, (new.workload, new.host), known)?;
        if let Some(before) = self.all.get_mut(self.last) {
            before.next = place;
        }
        self.last = place;
        let track = self.all.get_mut(place).ok_or(DecodeError::OutOfRange)?;
        let sample = track.sample(coder, new)?;
        let sample = Sample {
            workload,
            host,
            ..sample
        };
        Ok(track.last.insert(sample))
    }

    /// Whose sample it is: most often the one whose came behind it the last time as well.
    fn place<C: Coder>(
        &mut self,
        coder: &mut C,
        new: (u32, u32),
        known: Option<Known>,
    ) -> Result<(usize, (u32, u32)), DecodeError> {
        let next = self.all.get(self.last).map(|track| track.next);
        let of = |track: &Track| {
            let last = track.last.as_ref();
            last.map(|sample| (sample.workload, sample.host))
        };
        let expected = next.and_then(|place| self.all.get(place)).and_then(of);
        if coder.bit(expected == Some(new))? {
            return Ok((
                next.ok_or(DecodeError::OutOfRange)?,
                expected.ok_or(DecodeError::OutOfRange)?,
            ));
        }
        let count = self.all.len();
        let place = self.places.get(&new).copied().unwrap_or(count);
        let place = coder.small(&mut self.place, place as u64)?;
        let place = usize::try_from(place).map_err(|_| DecodeError::OutOfRange)?;
        if let Some(key) = self.all.get(place).and_then(of) {
            return Ok((place, key));
        }
        let number = |value: u64| u32::try_from(value).map_err(|_| DecodeError::OutOfRange);
        let key = (
            number(coder.bits(u64::from(new.0), 32)?)?,
            number(coder.bits(u64::from(new.1), 32)?)?,
        );
        let fits = known.is_none_or(|k| key.0 < k.workloads && key.1 < k.hosts);
        if place != count || !fits || self.places.insert(key, count).is_some() {
            return Err(DecodeError::OutOfRange);
        }
        self.all.push(Track {
            last: None,
            scales: [Scales::default(); 2],
            next: 0,
        });
        Ok((count, key))
    }
}

impl Track {
    fn sample<C: Coder>(&mut self, coder: &mut C, new: &Sample) -> Result<Sample, DecodeError> {
        // What follows the last without a gap is told by what differs; all else stands for itself, so that foreign
        // bytes cannot make much of little: samples that follow one another are joined where memory ends.
        let follows = self.last.as_ref().is_some_and(|last| {
            new.interval == last.interval.wrapping_add(1)
                && new.start.0 == last.start.0.wrapping_add(last.length.0)
                && (new.length, new.warmup) == (last.length, last.warmup)
        });
        let follows = coder.bit(follows)?;
        let scales = &mut self.scales[usize::from(follows)];
        let last = if follows { self.last.as_ref() } else { None };
        let (interval, start, length, warmup) = match last {
            Some(last) => {
                let start = last.start.0.checked_add(last.length.0);
                let interval = last.interval.checked_add(1);
                (
                    interval.ok_or(DecodeError::OutOfRange)?,
                    start.ok_or(DecodeError::OutOfRange)?,
                    last.length.0,
                    last.warmup,
                )
            }
            None if follows => return Err(DecodeError::OutOfRange),
            None => {
                let interval = coder.small(&mut Scale::default(), new.interval)?;
                let start = coder.small(&mut Scale::default(), new.start.0)?;
                let length = coder.small(&mut Scale::default(), new.length.0)?;
                (interval, start, length, coder.bit(new.warmup)?)
            }
        };
        start.checked_add(length).ok_or(DecodeError::OutOfRange)?;
        let none = (Counts::default(), Vec::new(), Vec::new());
        let (last_counts, last_workers, last_moments) = last
            .map_or((&none.0, &none.1, &none.2), |last| {
                (&last.counts, &last.workers, &last.moments)
            });
        let counts = counts(coder, scales, &new.counts, last_counts)?;
        let workers = workers(coder, scales, &counts, &new.workers, last_workers)?;
        let moments = moments(coder, &mut scales.moments, &new.moments, last_moments)?;
        Ok(Sample {
            host: new.host,
            stage: new.stage,
            workload: new.workload,
            interval,
            start: Nanos(start),
            length: Nanos(length),
            warmup,
            counts,
            workers,
            moments,
        })
    }
}

/// What may be missing.
fn option<C: Coder, T>(
    coder: &mut C,
    new: Option<&T>,
    last: Option<&T>,
    blank: &T,
    of: impl FnOnce(&mut C, &T, &T) -> Result<T, DecodeError>,
) -> Result<Option<T>, DecodeError> {
    Ok(match coder.bit(new.is_some())? {
        true => Some(of(coder, new.unwrap_or(blank), last.unwrap_or(blank))?),
        false => None,
    })
}

fn counts<C: Coder>(
    coder: &mut C,
    scales: &mut Scales,
    new: &Counts,
    last: &Counts,
) -> Result<Counts, DecodeError> {
    let blank = OpCounts {
        ios: 0,
        bytes: 0,
        short: 0,
        errors: 0,
        service: Latency::none(),
        response: None,
        parts: None,
    };
    let mut counts = Counts::default();
    let of_ops = scales.ops.iter_mut().zip(new.ops.iter().zip(&last.ops));
    for (mine, (scales, (new, last))) in counts.ops.iter_mut().zip(of_ops) {
        *mine = option(
            coder,
            new.as_ref(),
            last.as_ref(),
            &blank,
            |c, new, last| op(c, scales, new, last),
        )?;
    }
    counts.late = coder.near(&mut scales.late, new.late, last.late)?;
    let (lag, last_lag) = (new.lag.as_ref(), last.lag.as_ref());
    let scale = &mut scales.lag;
    counts.lag = option(coder, lag, last_lag, &blank.service, |c, new, last| {
        latency(c, scale, new, last)
    })?;
    counts.depths = Depths {
        level: classes(coder, scales, &new.depths.level, &last.depths.level)?,
        submit: classes(coder, scales, &new.depths.submit, &last.depths.submit)?,
        complete: classes(coder, scales, &new.depths.complete, &last.depths.complete)?,
    };
    Ok(counts)
}

fn classes<C: Coder>(
    coder: &mut C,
    scales: &mut Scales,
    new: &[u64; 7],
    last: &[u64; 7],
) -> Result<[u64; 7], DecodeError> {
    if coder.bit(new == last)? {
        return Ok(*last);
    }
    let mut classes = [0; 7];
    for (mine, (&new, &last)) in classes.iter_mut().zip(new.iter().zip(last)) {
        *mine = coder.near(&mut scales.depths, new, last)?;
    }
    Ok(classes)
}

fn op<C: Coder>(
    coder: &mut C,
    scales: &mut OpScales,
    new: &OpCounts,
    last: &OpCounts,
) -> Result<OpCounts, DecodeError> {
    let ios = coder.near(&mut scales.ios, new.ios, last.ios)?;
    // I/Os are mostly of one size.
    let size = last.bytes.checked_div(last.ios).unwrap_or(0);
    let bytes = coder.near(&mut scales.bytes, new.bytes, ios.wrapping_mul(size))?;
    let short = coder.near(&mut scales.short, new.short, last.short)?;
    let errors = coder.near(&mut scales.errors, new.errors, last.errors)?;
    let [of_service, of_response, of_submission, of_completion] = &mut scales.latencies;
    let service = latency(coder, of_service, &new.service, &last.service)?;
    let none = Latency::none();
    let (answer, last_answer) = (new.response.as_ref(), last.response.as_ref());
    let response = option(coder, answer, last_answer, &none, |c, new, last| {
        latency(c, of_response, new, last)
    })?;
    let nothing = Parts {
        submission: Latency::none(),
        completion: Latency::none(),
    };
    let (parts, last_parts) = (new.parts.as_ref(), last.parts.as_ref());
    let parts = option(coder, parts, last_parts, &nothing, |c, new, last| {
        Ok(Parts {
            submission: latency(c, of_submission, &new.submission, &last.submission)?,
            completion: latency(c, of_completion, &new.completion, &last.completion)?,
        })
    })?;
    Ok(OpCounts {
        ios,
        bytes,
        short,
        errors,
        service,
        response,
        parts,
    })
}

/// What the buckets alone say of a latency.
struct Estimate {
    sum: u64,
    squares: f64,
    min: u64,
    max: u64,
}

impl Estimate {
    fn of(histogram: &Histogram, last: &Latency) -> Self {
        let mut estimate = Self {
            sum: 0,
            squares: 0.0,
            min: u64::MAX,
            max: 0,
        };
        let mut ends = None;
        for (index, count) in histogram.nonzero() {
            let middle = lower_bound(index).midpoint(upper_bound(index));
            let (value, times) = (middle as f64, count as f64);
            estimate.sum = estimate.sum.wrapping_add(middle.wrapping_mul(count));
            estimate.squares += value * value * times;
            ends = Some((ends.map_or(index, |(first, _)| first), index));
        }
        let within = |value, index| match index_of(value) == index {
            true => value,
            false => lower_bound(index),
        };
        if let Some((first, end)) = ends {
            estimate.min = within(last.min, first);
            estimate.max = within(last.max, end);
        }
        estimate
    }
}

fn latency<C: Coder>(
    coder: &mut C,
    scales: &mut LatencyScales,
    new: &Latency,
    last: &Latency,
) -> Result<Latency, DecodeError> {
    let (all, same) = histogram(
        coder,
        &mut scales.histogram,
        &new.histogram,
        &last.histogram,
    )?;
    let mut near = Estimate::of(&all, last);
    if same {
        (near.sum, near.squares) = (last.sum, last.sum_squares);
    }
    let sum = coder.near(&mut scales.sum, new.sum, near.sum)?;
    let squares = coder.near(
        &mut scales.squares,
        new.sum_squares.to_bits(),
        near.squares.to_bits(),
    )?;
    let min = coder.near(&mut scales.min, new.min, near.min)?;
    let max = coder.near(&mut scales.max, new.max, near.max)?;
    if min > max && all.total() > 0 {
        return Err(DecodeError::OutOfRange);
    }
    let none = Histogram::none();
    let (rest, last_rest) = (new.unfinished.as_ref(), last.unfinished.as_ref());
    let unfinished = option(coder, rest, last_rest, &none, |c, new, last| {
        Ok(histogram(c, &mut scales.unfinished, new, last)?.0)
    })?;
    Ok(Latency {
        sum,
        sum_squares: f64::from_bits(squares),
        min,
        max,
        histogram: all,
        unfinished,
    })
}

/// The buckets, and whether they are those of the last.
fn histogram<C: Coder>(
    coder: &mut C,
    scales: &mut HistogramScales,
    new: &Histogram,
    last: &Histogram,
) -> Result<(Histogram, bool), DecodeError> {
    if coder.bit(new == last)? {
        return Ok((last.clone(), true));
    }
    let filled = coder.near(
        &mut scales.filled,
        new.nonzero().count() as u64,
        last.nonzero().count() as u64,
    )?;
    if filled > BUCKETS as u64 {
        return Err(DecodeError::OutOfRange);
    }
    let first = last.nonzero().next().map_or(0, |bucket| bucket.0 as u64);
    let mut buckets: Vec<(usize, u64)> = Vec::new();
    let mut new = new.nonzero();
    for _ in 0..filled {
        let (index, count) = new.next().unwrap_or((0, 1));
        let index = index as u64;
        let index = match buckets.last() {
            None => coder.near(&mut scales.first, index, first)?,
            Some(&(before, _)) => {
                let next = before as u64 + 1;
                let step = coder.small(&mut scales.step, index.wrapping_sub(next))?;
                next.checked_add(step).ok_or(DecodeError::OutOfRange)?
            }
        };
        let count = coder.small(&mut scales.count, count.wrapping_sub(1))?;
        let index = usize::try_from(index).map_err(|_| DecodeError::OutOfRange)?;
        buckets.push((index, count.checked_add(1).ok_or(DecodeError::OutOfRange)?));
    }
    let histogram = Histogram::of_buckets(&buckets).ok_or(DecodeError::OutOfRange)?;
    Ok((histogram, false))
}

/// I/Os and bytes of each worker. What the others leave of the sums is the last one's.
fn workers<C: Coder>(
    coder: &mut C,
    scales: &mut Scales,
    counts: &Counts,
    new: &[(u64, u64)],
    last: &[(u64, u64)],
) -> Result<Vec<(u64, u64)>, DecodeError> {
    let [of_number, of_ios, of_bytes] = &mut scales.workers;
    let number = coder.near(of_number, new.len() as u64, last.len() as u64)?;
    let mut left = (0_u64, 0_u64);
    for op in counts.ops.iter().flatten() {
        left.0 = left.0.wrapping_add(op.ios);
        left.1 = left.1.wrapping_add(op.bytes);
    }
    let mut workers = Vec::new();
    for worker in 0..number {
        let place = usize::try_from(worker).map_err(|_| DecodeError::OutOfRange)?;
        let (ios, bytes) = new.get(place).copied().unwrap_or_default();
        let expected = match worker + 1 == number {
            true => left,
            false => last.get(place).copied().unwrap_or_default(),
        };
        let ios = coder.near(of_ios, ios, expected.0)?;
        let bytes = coder.near(of_bytes, bytes, expected.1)?;
        left = (left.0.wrapping_sub(ios), left.1.wrapping_sub(bytes));
        workers.push((ios, bytes));
    }
    Ok(workers)
}

fn moments<C: Coder>(
    coder: &mut C,
    scales: &mut [Scale; 6],
    new: &[[Moments; 2]],
    last: &[[Moments; 2]],
) -> Result<Vec<[Moments; 2]>, DecodeError> {
    let [of_number, of_ios, of_sum, of_squares, of_min, of_max] = scales;
    let number = coder.near(of_number, new.len() as u64, last.len() as u64)?;
    let mut all = Vec::new();
    for worker in 0..number {
        let place = usize::try_from(worker).map_err(|_| DecodeError::OutOfRange)?;
        let new = new.get(place).copied().unwrap_or_default();
        let last = last.get(place).copied().unwrap_or_default();
        let mut own = [Moments::default(); 2];
        for (mine, (new, last)) in own.iter_mut().zip(new.iter().zip(&last)) {
            let squares = new.sum_squares.to_bits();
            *mine = Moments {
                ios: coder.near(of_ios, new.ios, last.ios)?,
                sum: coder.near(of_sum, new.sum, last.sum)?,
                sum_squares: f64::from_bits(coder.near(
                    of_squares,
                    squares,
                    last.sum_squares.to_bits(),
                )?),
                min: coder.near(of_min, new.min, last.min)?,
                max: coder.near(of_max, new.max, last.max)?,
            };
        }
        all.push(own);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::SplitMix;
    use crate::units::Op;
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
            sample.moments = vec![[own, Moments::default()]; 2];
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
}
