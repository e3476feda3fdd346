//! What a compressor and a store that keeps equal blocks once would make of some blocks.
//!
//! Belongs here: counts over blocks that were looked at. Must never: read a target, or know whose the blocks are.

use leadline_model::facts::{Fact, FactKey, FactValue};
use leadline_model::units::Percent;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Bytes of a block: what storage compresses and deduplicates by, and what O_DIRECT can read of nearly every device.
pub(super) const SIZE: u64 = BLOCK as u64;
/// The same, as a length of memory.
pub(super) const BLOCK: usize = 4096;

/// Bytes that are compressed, of all blocks together: the first ones.
const COMPRESSED: u64 = 32 * SIZE;

/// Counts over the blocks that were looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Estimate {
    /// Blocks.
    pub(super) sampled: u64,
    /// Of them, those of zeros.
    pub(super) zeros: u64,
    /// Bytes of the first of them, and those that are left when each block is compressed by itself.
    bytes: u64,
    compressed: f64,
    /// How often each content other than zeros was seen, by its hash.
    contents: BTreeMap<u64, u64>,
}

impl Estimate {
    /// Counts one more block.
    pub(super) fn add(&mut self, block: &[u8]) {
        self.sampled += 1;
        let zeros = block.iter().all(|byte| *byte == 0);
        if self.bytes < COMPRESSED {
            self.bytes += block.len() as u64;
            self.compressed += if zeros { 1.0 } else { compressed(block) };
        }
        if zeros {
            self.zeros += 1;
            return;
        }
        let mut hasher = DefaultHasher::new();
        block.hash(&mut hasher);
        *self.contents.entry(hasher.finish()).or_default() += 1;
    }

    /// Blocks other than zeros that equal another one.
    pub(super) fn repeated(&self) -> u64 {
        self.contents.values().filter(|count| **count > 1).sum()
    }

    /// Blocks other than zeros that equal an earlier one: what a store that keeps equal blocks once does not keep.
    pub(super) fn copies(&self) -> u64 {
        self.contents.values().map(|count| count - 1).sum()
    }

    /// The share of the bytes that compression would save.
    pub(super) fn compressible(&self) -> Percent {
        let left = self.compressed / self.bytes.max(1) as f64;
        Percent::nearest((1.0 - left.min(1.0)) * 100.0)
    }

    /// Facts of `subject`: how many blocks, and which shares of them are zeros, alike (`alike` of them) and compressible.
    pub(super) fn facts(
        &self,
        keys: [FactKey<'static>; 4],
        alike: u64,
        subject: &str,
    ) -> Vec<Fact> {
        let [sampled, zeros, repeated, compressible] = keys;
        let share = |part: u64| Percent::nearest(part as f64 * 100.0 / self.sampled.max(1) as f64);
        let count = FactValue::Count(self.sampled);
        let mut facts = vec![Fact::new(sampled, subject, count)];
        if self.sampled > 0 {
            facts.push(Fact::new(zeros, subject, share(self.zeros)));
            facts.push(Fact::new(repeated, subject, share(alike)));
            facts.push(Fact::new(compressible, subject, self.compressible()));
        }
        facts
    }
}

/// Bytes that a compressor of the LZ77 family with entropy coding of literals (as zlib and zstd) makes of `block`, at most its
/// length: copies of what came before cost three bytes each, the other bytes their entropy (Shannon 1948, corrected for few
/// samples as in Miller, "Note on the bias of information estimates", 1955).
fn compressed(block: &[u8]) -> f64 {
    const COPY_BYTES: f64 = 3.0;
    const ROOM: u32 = 12;
    // Where four bytes of this hash were seen last, counted from 1.
    let mut seen = [0_usize; 1 << ROOM];
    let mut literals = [0_u32; 256];
    let (mut at, mut copies) = (0, 0_u32);
    while let Some([a, b, c, d]) = block.get(at..at + 4) {
        let word = u32::from_le_bytes([*a, *b, *c, *d]);
        let place = word.wrapping_mul(0x9e37_79b1) >> (32 - ROOM);
        let from = std::mem::replace(&mut seen[place as usize], at + 1);
        let before = from.checked_sub(1).map_or(&[][..], |from| &block[from..]);
        let pairs = block[at..].iter().zip(before);
        match pairs.take_while(|(a, b)| a == b).count() {
            0..4 => {
                literals[usize::from(block[at])] += 1;
                at += 1;
            }
            same => {
                at += same;
                copies += 1;
            }
        }
    }
    for byte in &block[at..] {
        literals[usize::from(*byte)] += 1;
    }
    let size = f64::from(copies) * COPY_BYTES + entropy(&literals) / 8.0;
    size.clamp(1.0, block.len().max(1) as f64)
}

/// Bits that these bytes take, by their counts.
fn entropy(counts: &[u32; 256]) -> f64 {
    let all = f64::from(counts.iter().sum::<u32>());
    let used = counts.iter().filter(|count| **count > 0);
    let (mut bits, mut kinds) = (0.0, 0_u32);
    for count in used {
        let count = f64::from(*count);
        bits -= count * (count / all).log2();
        kinds += 1;
    }
    let unseen = f64::from(kinds.saturating_sub(1)) / (2.0 * std::f64::consts::LN_2);
    (bits + unseen).min(all * 8.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::seed::SplitMix;

    fn noise(seed: u64, bytes: usize) -> Vec<u8> {
        let mut random = SplitMix::new(seed);
        let words = (0..bytes.div_ceil(8)).flat_map(|_| random.bits().to_le_bytes());
        words.take(bytes).collect()
    }

    /// The share saved, in percent.
    fn saved(block: &[u8]) -> f64 {
        let mut estimate = Estimate::default();
        estimate.add(block);
        f64::from(estimate.compressible().parts()) * 100.0 / f64::from(Percent::PARTS)
    }

    #[test]
    fn noise_does_not_compress_and_what_is_known_of_other_bytes_is_saved() {
        for (seed, bytes) in [(1, 4096), (2, 4096), (3, 512), (4, 1000)] {
            let noise = saved(&noise(seed, bytes));
            assert!(noise < 4.0, "{bytes} {noise}");
        }
        assert!(saved(&[0; 4096]) > 99.0);
        assert!(saved(&b"leadline!".repeat(455)) > 99.0);
        // Half zeros; hexadecimal digits of noise, which have four bits of eight; ten bytes of which one is new.
        let half = saved(&[noise(5, 2048), vec![0; 2048]].concat());
        assert!((48.0..52.0).contains(&half), "{half}");
        let digit = |byte: &u8| b"0123456789abcdef"[usize::from(byte & 15)];
        let digits: Vec<u8> = noise(6, 4096).iter().map(digit).collect();
        let hex = saved(&digits);
        assert!((45.0..52.0).contains(&hex), "{hex}");
        let tenth: Vec<u8> = noise(7, 410)
            .chunks(41)
            .flat_map(|part| [part.to_vec(), vec![b' '; 369]].concat())
            .collect();
        let tenth = saved(&tenth[..4096]);
        assert!((87.0..91.0).contains(&tenth), "{tenth}");
    }

    #[test]
    fn equal_blocks_are_counted_and_zeros_apart() {
        let mut estimate = Estimate::default();
        for block in [
            noise(1, 64),
            noise(2, 64),
            noise(1, 64),
            vec![0; 64],
            vec![0; 64],
        ] {
            estimate.add(&block);
        }
        assert_eq!(
            (estimate.sampled, estimate.zeros, estimate.repeated()),
            (5, 2, 2)
        );
        assert_eq!(estimate.copies(), 1);
    }
}
