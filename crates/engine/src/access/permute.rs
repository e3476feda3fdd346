//! Each number below n once, in random order, without memory: a keyed permutation.
//!
//! Belongs here: the permutation and nothing else. Must never: know what the numbers stand for.
//!
//! A Feistel network of four rounds permutes the numbers of b bits, where 2^b is the smallest power of
//! two that holds n; the two halves may differ by a bit, so never more than half of the numbers lie
//! outside. A result outside is permuted again until one is inside ("cycle walking"), which keeps it
//! a permutation and takes less than two passes through the network on average.
//!
//! So few rounds on few bits are not quite even: b is 6 at least, and then the chance of a block to come
//! at a place is within some 5 % (root mean square, over keys) of what it should be for n below 64, and
//! not to be distinguished from even above a hundred. Below 33 blocks it takes more passes, 64 / n.

use super::rng::fold_product;

/// A permutation of the numbers below `n`; by default of none. 32 bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Permutation {
    n: u64,
    key: u64,
    high_mask: u32,
    low_mask: u32,
    low_bits: u32,
}

/// Multipliers of the four rounds: odd, half of the bits set.
const ROUNDS: [u64; 4] = [
    0xa076_1d64_78bd_642f,
    0xe703_7ed1_a0b4_28db,
    0x8ebc_6af0_9c88_c6e3,
    0x5899_65cc_7537_4cc3,
];

/// Fewest bits of the network.
const FEWEST_BITS: u32 = 6;

impl Permutation {
    /// The permutation of the numbers below `n` that belongs to `key`. Any `n`, 0 included.
    pub(crate) fn new(n: u64, key: u64) -> Self {
        let bits = (u64::BITS - n.saturating_sub(1).leading_zeros()).max(FEWEST_BITS);
        let low_bits = bits.div_ceil(2);
        let mask = |bits: u32| u32::try_from((1u64 << bits) - 1).unwrap_or(u32::MAX);
        Self {
            n,
            key,
            high_mask: mask(bits - low_bits),
            low_mask: mask(low_bits),
            low_bits,
        }
    }

    /// How many numbers it permutes.
    #[inline]
    pub(crate) const fn len(&self) -> u64 {
        self.n
    }

    /// Another permutation of the same numbers.
    #[inline]
    pub(crate) const fn rekey(&mut self, key: u64) {
        self.key = key;
    }

    /// Where `i` goes. `i` must be below `n`.
    #[inline]
    pub(crate) fn at(&self, i: u64) -> u64 {
        debug_assert!(i < self.n);
        let mut x = self.once(i);
        while x >= self.n {
            x = self.once(x);
        }
        x
    }

    /// One pass through the network.
    #[inline]
    fn once(&self, x: u64) -> u64 {
        let (high_mask, low_mask) = (u64::from(self.high_mask), u64::from(self.low_mask));
        let (mut high, mut low) = (x >> self.low_bits, x & low_mask);
        low ^= fold_product(high ^ self.key, ROUNDS[0]) & low_mask;
        high ^= fold_product(low ^ self.key, ROUNDS[1]) & high_mask;
        low ^= fold_product(high ^ self.key, ROUNDS[2]) & low_mask;
        high ^= fold_product(low ^ self.key, ROUNDS[3]) & high_mask;
        high << self.low_bits | low
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::rng::mix;
    use proptest::prelude::*;

    fn covers_each_once(n: u64, key: u64) -> bool {
        let permutation = Permutation::new(n, key);
        let mut seen = vec![false; usize::try_from(n).unwrap()];
        for i in 0..n {
            let at = usize::try_from(permutation.at(i)).unwrap();
            if at >= seen.len() || std::mem::replace(&mut seen[at], true) {
                return false;
            }
        }
        true
    }

    proptest! {
        #[test]
        fn each_number_comes_once(n in 0u64..20_000, key: u64) {
            prop_assert!(covers_each_once(n, key));
        }
    }

    #[test]
    fn tiny_and_prime_sizes_are_covered() {
        for n in (0..70).chain([127, 251, 257, 509, 1021, 4093, 65_537]) {
            for key in 0..20 {
                assert!(covers_each_once(n, mix(key)), "n {n} key {key}");
            }
        }
    }

    #[test]
    fn the_largest_domains_work() {
        for n in [
            u64::MAX,
            u64::MAX / 512,
            (1 << 63) + 1,
            1 << 32,
            (1 << 33) + 1,
        ] {
            let permutation = Permutation::new(n, 0x1234_5678_9abc_def0);
            let mut seen: Vec<u64> = (0..10_000).map(|i| permutation.at(i)).collect();
            assert!(seen.iter().all(|&x| x < n));
            let mean = seen.iter().map(|&x| x as f64 / n as f64).sum::<f64>() / 1e4;
            assert!((mean - 0.5).abs() < 0.02, "n {n} mean {mean}");
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 10_000);
        }
    }

    /// One number more than fits in a power of two needs a bit more: with too few the last one stays where it is.
    #[test]
    fn the_last_of_a_power_of_two_and_one_goes_anywhere() {
        for bits in FEWEST_BITS..64 {
            let last = 1u64 << bits;
            let stays = |key: &u64| Permutation::new(last + 1, mix(*key)).at(last) == last;
            let staying = (0..100).filter(stays).count();
            assert!(staying < 10, "2^{bits} + 1: {staying} of 100 keys");
        }
    }

    /// What is permuted again until it is inside costs time: nothing is where a power of two is permuted, and fewer
    /// than half are of any other number.
    #[test]
    fn a_power_of_two_is_permuted_in_one_go_and_others_in_less_than_two() {
        for bits in FEWEST_BITS..40 {
            for n in [(1u64 << bits) - 1, 1 << bits, (1 << bits) + 1] {
                let permutation = Permutation::new(n, mix(n));
                let outside = |i: &u64| permutation.once(*i) >= n;
                let outside = (0..n.min(1000)).filter(outside).count();
                if n.is_power_of_two() {
                    assert_eq!(outside, 0, "{n}");
                }
                assert!(outside < 600, "{n}: {outside} of 1000 are outside");
            }
        }
    }

    /// Over many keys, where the i-th number goes must be anyone's guess.
    #[test]
    fn every_position_is_nearly_equally_likely() {
        for n in [2u64, 3, 5, 8, 9, 17, 33, 64, 100] {
            let mut counts = vec![0f64; usize::try_from(n * n).unwrap()];
            let keys = 400_000 / n;
            for key in 0..keys {
                let permutation = Permutation::new(n, mix(key));
                for i in 0..n {
                    counts[usize::try_from(i * n + permutation.at(i)).unwrap()] += 1.0;
                }
            }
            // What chance alone would give is taken off the spread that is found.
            let expected = keys as f64 / n as f64;
            let squares: f64 = counts.iter().map(|c| (c / expected - 1.0).powi(2)).sum();
            let chance = ((n - 1) * (n - 1)) as f64 / expected;
            let spread = ((squares - chance).max(0.0) / (n * n) as f64).sqrt();
            assert!(spread < 0.07, "n {n}: spread {spread}");
        }
    }

    /// Neighbours in time must not be neighbours in space: pairs of successive results fill a 16 x 16
    /// grid evenly.
    #[test]
    fn successive_numbers_are_unrelated() {
        for (n, key) in [(1u64 << 17, 1u64), (1 << 18, 2), (100_003, 3), (262_145, 4)] {
            let permutation = Permutation::new(n, mix(key));
            let cell = |x: u64| usize::try_from(x * 16 / n).unwrap();
            let mut counts = [0f64; 256];
            for i in 1..n {
                counts[cell(permutation.at(i - 1)) * 16 + cell(permutation.at(i))] += 1.0;
            }
            let expected = (n - 1) as f64 / 256.0;
            let chi: f64 = counts
                .iter()
                .map(|c| (c - expected).powi(2) / expected)
                .sum();
            assert!(chi < 255.0 + 6.0 * 510f64.sqrt(), "n {n}: chi square {chi}");
        }
    }
}
