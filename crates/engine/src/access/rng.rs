//! Random numbers for the hot path: independent streams out of one seed, and draws without division.
//!
//! Belongs here: what every generator needs of a random source. Must never: know of files or sizes.

pub(crate) use leadline_model::seed::{Purpose, derive, mix};
use leadline_model::units::Percent;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of a seed; SplitMix64 spreads the seed over the state.
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 64 random bits.
    #[inline]
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A stream whose next number is this one.
    #[cfg(test)]
    pub(crate) fn beginning_with(bits: u64) -> Self {
        // The number is the last of four words turned by 23 bits, where the first is 0.
        let mut state = [0; 32];
        state[24..].copy_from_slice(&bits.rotate_right(23).to_le_bytes());
        state[8] = 1;
        Self(Xoshiro256PlusPlus::from_seed(state))
    }

    /// Evenly from 0 to `n` - 1; 0 for `n` = 0. The bias is below `n` / 2^64.
    #[inline]
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        high_product(self.bits(), n)
    }

    /// Evenly in [0, 1), in steps of 2^-53.
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// The upper half of a 128-bit product.
#[inline]
pub(crate) const fn high_product(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

/// Both halves of a 128-bit product folded into one word: a strong mix for one multiplication.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the lower half of the product is what is wanted"
)]
pub(crate) const fn fold_product(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    (product >> 64) as u64 ^ product as u64
}

/// The threshold below which this share of all 64-bit values lies. For 100 % it is the largest value itself.
#[expect(
    clippy::cast_possible_truncation,
    reason = "below 2^64, as the share is below 100"
)]
pub(crate) const fn threshold(share: Percent) -> u64 {
    if share.parts() >= Percent::PARTS {
        return u64::MAX;
    }
    (((share.parts() as u128) << 64) / Percent::PARTS as u128) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_stay_below_and_fill_the_range() {
        let mut stream = Stream::new(7);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[usize::try_from(stream.below(7)).unwrap()] += 1;
        }
        assert!(counts.iter().all(|&c| (9_500..10_500).contains(&c)));
        assert_eq!(stream.below(0), 0);
        assert!(
            (0..1000)
                .map(|_| stream.unit())
                .all(|u| (0.0..1.0).contains(&u))
        );
    }

    #[test]
    fn a_stream_begins_with_any_number() {
        for bits in [0, 1, 1 << 40, u64::MAX] {
            let mut stream = Stream::beginning_with(bits);
            assert_eq!(stream.bits(), bits);
            assert_ne!(stream.bits(), stream.bits());
        }
    }

    #[test]
    fn thresholds_split_the_range() {
        assert_eq!(threshold(Percent::NONE), 0);
        assert_eq!(threshold(Percent::whole(50)), 1 << 63);
        assert_eq!(threshold(Percent::ALL), u64::MAX);
        let below = threshold(Percent::nearest(83.14)) as f64 / 2f64.powi(64);
        assert!((below - 0.8314).abs() < 1e-12, "{below}");
    }
}
