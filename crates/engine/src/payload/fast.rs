//! Bytes that do not compress, as fast as memory takes them.
//!
//! Belongs here: the generator and its filling of slices. Must never: be used for choices; its lanes
//! are good enough to look random to a compressor, not for statistics.
//!
//! Sixteen xorshift128+ generators side by side, written so that a compiler makes vectors of them.

use leadline_model::seed::SplitMix;

const LANES: usize = 16;
const ROW: usize = LANES * 8;

/// A generator of incompressible bytes.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    a: [u64; LANES],
    b: [u64; LANES],
}

impl Fast {
    /// The generator of a seed: the same seed, the same bytes.
    pub(super) fn new(seed: u64) -> Self {
        let mut source = SplitMix::new(seed);
        let mut draw = || source.bits();
        // A state of zeros would stay zero. Of 128 random bits that is no concern, but costs nothing.
        Self {
            a: std::array::from_fn(|_| draw() | 1),
            b: std::array::from_fn(|_| draw()),
        }
    }

    #[inline(always)]
    fn row(&mut self) -> [u64; LANES] {
        let mut out = [0; LANES];
        for (out, (a, b)) in out.iter_mut().zip(self.a.iter_mut().zip(&mut self.b)) {
            let (mut x, y) = (*a, *b);
            *out = x.wrapping_add(y);
            x ^= x << 23;
            *a = y;
            *b = x ^ y ^ (x >> 18) ^ (y >> 5);
        }
        out
    }

    /// Fills `buffer` with the next bytes.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) {
        let mut rows = buffer.chunks_exact_mut(ROW);
        for row in &mut rows {
            for (bytes, word) in row.chunks_exact_mut(8).zip(self.row()) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
        }
        let rest = rows.into_remainder();
        if rest.is_empty() {
            return;
        }
        for (bytes, word) in rest.chunks_mut(8).zip(self.row()) {
            bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_length_is_filled_with_unlike_bytes() {
        for len in [0usize, 1, 7, 8, 127, 128, 129, 4096, 100_001] {
            let mut buffer = vec![0; len];
            Fast::new(5).fill(&mut buffer);
            let zeros = buffer.iter().filter(|&&byte| byte == 0).count();
            assert!(zeros <= 3 + len / 128, "{zeros} zeros in {len}");
        }
    }

    #[test]
    fn bytes_are_evenly_spread() {
        let mut buffer = vec![0; 1 << 20];
        Fast::new(1).fill(&mut buffer);
        let mut counts = [0f64; 256];
        buffer
            .iter()
            .for_each(|&byte| counts[usize::from(byte)] += 1.0);
        let expected = 4096.0;
        let chi: f64 = counts
            .iter()
            .map(|c| (c - expected) * (c - expected) / expected)
            .sum();
        assert!((150.0..400.0).contains(&chi), "chi square {chi} of 255");
    }
}
