//! One tree of seeds: from the seed of a run to those of its hosts, stages, workers, and of each purpose
//! of a worker.
//!
//! Belongs here: the arithmetic and the list of purposes. Must never appear here: a random source, or a
//! draw from one.

/// What a seed is for: two purposes of one parent have streams of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// A host of the run, by its number.
    Host = 1,
    /// A stage of a host, by its number in the plan.
    Stage,
    /// A worker of a stage, by its number over all its workloads.
    Worker,
    /// How large a file is whose size is drawn from a range: of a worker by the file's number, of a stage by its path
    /// ([`number_of`]).
    FileSize,
    /// The order of a direction's offsets, by the direction's number.
    Order,
    /// Where popular blocks lie, the same for all directions.
    Scatter,
    /// One pass over the files, by its number.
    Pass,
    /// The first block of sequential I/O that starts anywhere, by the file's number.
    FirstBlock,
    /// Which file is next, by the worker's number.
    FileChoice,
    /// Block sizes and all that has no stream of its own.
    Choices,
    /// Which operation is next.
    Operations,
    /// How long after its stage a worker starts.
    StartDelay,
    /// Intended times.
    Pace,
    /// A worker's data.
    Payload,
    /// The data of one file, by its number.
    PayloadOfFile,
    /// The numbers stamped into blocks.
    PayloadStamps,
    /// The bytes of blocks.
    PayloadBytes,
    /// A simulated device.
    Device,
    /// A point of a study, by its name ([`number_of`]).
    Point,
    /// How a stretch of the region is cut into I/Os of several sizes, by its length.
    Cuts,
    /// A case of a test that draws jobs, by its number.
    JobCase,
    /// A case of a test that draws what is there before a run, by its number.
    SetupCase,
    /// Resampled series for the interval of a figure, by the figure's number.
    Resampling,
    /// A simulated volume whose limit is known, by its number.
    VolumeCase,
    /// The order of a study's points, by the number of the repeat.
    StudyOrder,
}

/// `SplitMix64`'s output function (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators",
/// 2014): spreads any 64 bits over all 64 bits, one to one.
#[inline]
#[must_use]
pub const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(SplitMix::STEP);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The seed below `parent` for a purpose and a number (a host, a stage, a file ...; 0 where there is one).
///
/// Each step is mixed before the next is added, so that the order of steps counts: host 1 in stage 2 and
/// host 2 in stage 1 have nothing in common.
#[must_use]
pub const fn derive(parent: u64, purpose: Purpose, number: u64) -> u64 {
    mix(mix(mix(parent) ^ (purpose as u64)) ^ number)
}

/// The seed of a host. The first host has that of the run: it does what this machine would do alone.
#[must_use]
pub const fn of_host(run: u64, host: u32) -> u64 {
    if host == 0 {
        run
    } else {
        derive(run, Purpose::Host, host as u64)
    }
}

/// The seed of a stage of a host, by its number in the plan.
#[must_use]
pub const fn of_stage(host: u64, stage: u64) -> u64 {
    derive(host, Purpose::Stage, stage)
}

/// The seed of a worker of a stage, by its number over all workloads of the stage. `stage` is the seed of the stage or
/// one that the plan gives in its place.
#[must_use]
pub const fn of_worker(stage: u64, worker: u64) -> u64 {
    derive(stage, Purpose::Worker, worker)
}

/// The number of a name, where seeds go by names: its FNV-1a hash.
#[must_use]
pub fn number_of(name: &[u8]) -> u64 {
    name.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A small generator for what is not measured: samples of statistics, data of tests.
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// The sequence of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    #[inline]
    pub const fn bits(&mut self) -> u64 {
        let bits = mix(self.0);
        self.0 = self.0.wrapping_add(Self::STEP);
        bits
    }

    /// The next number between 0 and 1, neither of them: the middle of one of 2^53 equal parts.
    #[inline]
    pub const fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_first_host_alone_does_what_the_run_does() {
        assert_eq!(of_host(7, 0), 7);
        assert!((1..64).all(|host| of_host(7, host) != 7));
    }

    #[test]
    fn no_two_workers_of_any_host_and_stage_share_a_seed() {
        for root in [0, 1, 0x9e37_79b9_7f4a_7c15, u64::MAX] {
            let mut seen = HashSet::new();
            for host in 0..64 {
                for stage in 0..64 {
                    let stage = of_stage(of_host(root, host), stage);
                    for worker in 0..256 {
                        assert!(seen.insert(of_worker(stage, worker)));
                    }
                }
            }
            assert_eq!(seen.len(), 1 << 20);
        }
    }

    #[test]
    fn purposes_have_seeds_of_their_own() {
        assert_ne!(derive(1, Purpose::Order, 0), derive(1, Purpose::Scatter, 0));
        assert_ne!(derive(1, Purpose::Order, 0), derive(2, Purpose::Order, 0));
        assert_ne!(derive(1, Purpose::Order, 0), derive(1, Purpose::Order, 1));
    }

    #[test]
    fn the_sequence_is_that_of_the_paper() {
        // Of the reference implementation in the public domain (Vigna, 2015), seed 1234567.
        let mut source = SplitMix::new(1_234_567);
        let drawn: [u64; 3] = std::array::from_fn(|_| source.bits());
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn the_number_of_a_name_is_its_published_hash() {
        // FNV-1a, 64 bits: test vectors of Noll.
        assert_eq!(number_of(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(number_of(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(number_of(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
