//! Many samples as few bytes: each is written as what differs from the one before of the same workload and host.
//!
//! Belongs here: whose sample comes next, and how it follows the last; `fields` has the numbers inside. Must never:
//! lose anything of a sample, know where the bytes are kept, or take more from foreign bytes than they are worth.
//!
//! Values by operation carry the operation's code, so that a reader skips operations that it does not know.

mod fields;

use crate::bits::{BitsIn, BitsOut, Coder, Scale};
use crate::op::{Op, OpMap};
use crate::sample::{Counts, Moments, OpCounts, Sample};
use crate::units::Nanos;
pub use crate::varint::DecodeError;
use fields::Scales;
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
        let done = self.tracks.sample(&mut self.out, &Coded::of(sample), None);
        debug_assert!(done.is_ok(), "writing does not fail");
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
    /// Reads this many samples.
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
        let blank = Coded::blank(self.known.stage);
        let known = Some(self.known);
        let read = self.tracks.sample(&mut self.bytes, &blank, known);
        if read.is_err() {
            self.left = 0;
        }
        Some(read.map(Coded::sample))
    }
}

/// A sample as it is in the bytes: what is kept by operation has the operation's code, which may be one that this
/// version does not know.
#[derive(Clone, Debug, PartialEq)]
struct Coded {
    /// All but what is kept by operation.
    rest: Sample,
    /// Counts, in the order of the codes.
    ops: Vec<(u8, OpCounts)>,
    /// Moments of each worker, in the order of the codes.
    moments: Vec<Vec<(u8, Moments)>>,
}

impl Coded {
    /// With everything zero.
    fn blank(stage: u32) -> Self {
        Self {
            rest: Sample {
                host: 0,
                stage,
                workload: 0,
                interval: 0,
                start: Nanos::ZERO,
                length: Nanos::ZERO,
                warmup: false,
                counts: Counts::default(),
                workers: Vec::new(),
                moments: Vec::new(),
            },
            ops: Vec::new(),
            moments: Vec::new(),
        }
    }

    fn of(sample: &Sample) -> Self {
        let codes = |map: &OpMap<Moments>| map.iter().map(|(op, m)| (op.code(), *m)).collect();
        let counts = &sample.counts;
        let ops = counts.ops.iter();
        Self {
            rest: Sample {
                counts: Counts {
                    ops: OpMap::default(),
                    lag: counts.lag.clone(),
                    late: counts.late,
                    depths: counts.depths.clone(),
                },
                workers: sample.workers.clone(),
                moments: Vec::new(),
                ..*sample
            },
            ops: ops
                .map(|(op, counts)| (op.code(), counts.clone()))
                .collect(),
            moments: sample.moments.iter().map(codes).collect(),
        }
    }

    /// The sample, without operations that this version does not know.
    fn sample(&self) -> Sample {
        fn known<T: Clone>(entries: &[(u8, T)]) -> OpMap<T> {
            let known = |(code, value): &(u8, T)| Some((Op::of_code(*code)?, value.clone()));
            entries.iter().filter_map(known).collect()
        }
        let mut sample = self.rest.clone();
        sample.counts.ops = known(&self.ops);
        sample.moments = self.moments.iter().map(|entries| known(entries)).collect();
        sample
    }
}

/// The samples of one workload on one host.
#[derive(Clone, Debug)]
struct Track {
    /// The last of them, packed; `None` = none yet.
    last: Option<Coded>,
    /// Of samples that stand for themselves, and of those that follow the last.
    scales: [Scales; 2],
    /// The track whose sample came after the last of this one.
    next: usize,
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
        new: &Coded,
        known: Option<Known>,
    ) -> Result<&Coded, DecodeError> {
        let whose = (new.rest.workload, new.rest.host);
        let (place, (workload, host)) = self.place(coder, whose, known)?;
        if let Some(before) = self.all.get_mut(self.last) {
            before.next = place;
        }
        self.last = place;
        let track = self.all.get_mut(place).ok_or(DecodeError::OutOfRange)?;
        let mut sample = track.sample(coder, new)?;
        (sample.rest.workload, sample.rest.host) = (workload, host);
        Ok(track.last.insert(sample))
    }

    /// Whose sample it is: most often the one that followed it the last time as well.
    fn place<C: Coder>(
        &mut self,
        coder: &mut C,
        new: (u32, u32),
        known: Option<Known>,
    ) -> Result<(usize, (u32, u32)), DecodeError> {
        let next = self.all.get(self.last).map(|track| track.next);
        let of = |track: &Track| {
            let last = track.last.as_ref();
            last.map(|sample| (sample.rest.workload, sample.rest.host))
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
            scales: [Scales::default(), Scales::default()],
            next: 0,
        });
        Ok((count, key))
    }
}

impl Track {
    fn sample<C: Coder>(&mut self, coder: &mut C, new: &Coded) -> Result<Coded, DecodeError> {
        // What follows the last without a gap is written as what differs; all else stands for itself, so that foreign
        // bytes cannot make much of little: samples that follow one another are joined where memory ends.
        let follows = self.last.as_ref().is_some_and(|last| {
            let (new, last) = (&new.rest, &last.rest);
            new.interval == last.interval.wrapping_add(1)
                && new.start.0 == last.start.0.wrapping_add(last.length.0)
                && (new.length, new.warmup) == (last.length, last.warmup)
        });
        let follows = coder.bit(follows)?;
        let scales = &mut self.scales[usize::from(follows)];
        let last = if follows { self.last.as_ref() } else { None };
        if follows && last.is_none() {
            return Err(DecodeError::OutOfRange);
        }
        let (interval, start, length, warmup) =
            time(coder, &new.rest, last.map(|last| &last.rest))?;
        let blank = Coded::blank(new.rest.stage);
        let last = last.unwrap_or(&blank);
        let ops = fields::ops(coder, scales, &new.ops, &last.ops)?;
        let counts = fields::counts(coder, scales, &new.rest.counts, &last.rest.counts)?;
        let workers = fields::workers(coder, scales, &ops, &new.rest.workers, &last.rest.workers)?;
        let moments = fields::moments(coder, scales, &new.moments, &last.moments)?;
        Ok(Coded {
            rest: Sample {
                host: new.rest.host,
                stage: new.rest.stage,
                workload: new.rest.workload,
                interval,
                start: Nanos(start),
                length: Nanos(length),
                warmup,
                counts,
                workers,
                moments: Vec::new(),
            },
            ops,
            moments,
        })
    }
}

/// Number, start, length and warm-up of an interval: those after `last`, or its own.
fn time<C: Coder>(
    coder: &mut C,
    new: &Sample,
    last: Option<&Sample>,
) -> Result<(u64, u64, u64, bool), DecodeError> {
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
        None => {
            let interval = coder.small(&mut Scale::default(), new.interval)?;
            let start = coder.small(&mut Scale::default(), new.start.0)?;
            let length = coder.small(&mut Scale::default(), new.length.0)?;
            (interval, start, length, coder.bit(new.warmup)?)
        }
    };
    start.checked_add(length).ok_or(DecodeError::OutOfRange)?;
    Ok((interval, start, length, warmup))
}

#[cfg(test)]
mod tests;
