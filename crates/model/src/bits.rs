//! Numbers as bits: few bits where a number is near what was expected of it.
//!
//! Belongs here: one number at a time. Must never: know what the numbers mean, panic on bytes from elsewhere.

use crate::varint::DecodeError;

/// How far numbers of one kind have been from what was expected of them lately: a mean, in sixteenths.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scale(u64);

impl Scale {
    /// How many low bits of the next number are written as they are.
    fn low_bits(self) -> u32 {
        (self.0 >> 4).checked_ilog2().unwrap_or(0)
    }

    fn learn(&mut self, number: u64) {
        // An eighth of the way to the new one.
        self.0 = self.0 - self.0 / 8 + number.min(1 << 56) * 2;
    }
}

/// What writes numbers, or reads them: both take the same way, so that one function says the order of all numbers.
/// A writer gives back what it was given; a reader looks only at what was expected.
pub(crate) trait Coder {
    /// A number of this many bits (64 at most), as it is.
    fn bits(&mut self, value: u64, bits: u32) -> Result<u64, DecodeError>;

    /// A number that is most often small.
    fn small(&mut self, scale: &mut Scale, value: u64) -> Result<u64, DecodeError>;

    /// A number that is most often near another.
    fn near(&mut self, scale: &mut Scale, value: u64, expected: u64) -> Result<u64, DecodeError> {
        // Signs in the lowest bit, so that small distances are small numbers in either direction.
        let distance = value.wrapping_sub(expected).cast_signed();
        let folded = (distance << 1 ^ distance >> 63).cast_unsigned();
        let folded = self.small(scale, folded)?;
        let distance = folded >> 1 ^ (folded & 1).wrapping_neg();
        Ok(expected.wrapping_add(distance))
    }

    /// Yes or no.
    fn bit(&mut self, value: bool) -> Result<bool, DecodeError> {
        Ok(self.bits(u64::from(value), 1)? == 1)
    }
}

/// Writes numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitsOut {
    bytes: Vec<u8>,
    /// Bits that do not make a byte yet, lowest first.
    rest: u128,
    filled: u32,
}

impl BitsOut {
    /// Bytes so far.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// All of them.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        if self.filled > 0 {
            self.put(0, 8 - self.filled);
        }
        self.bytes
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lowest eight bits are meant"
    )]
    fn put(&mut self, value: u64, bits: u32) {
        self.rest |= u128::from(value) << self.filled;
        self.filled += bits;
        while self.filled >= 8 {
            self.bytes.push(self.rest as u8);
            self.rest >>= 8;
            self.filled -= 8;
        }
    }
}

/// The lowest bits of a number, 64 at most.
const fn lowest(value: u64, bits: u32) -> u64 {
    match u64::MAX.checked_shr(64 - bits) {
        Some(mask) => value & mask,
        None => 0,
    }
}

impl Coder for BitsOut {
    fn bits(&mut self, value: u64, bits: u32) -> Result<u64, DecodeError> {
        self.put(lowest(value, bits), bits);
        Ok(value)
    }

    /// The length of what is above the low bits as this many zeros and a one, that without its highest bit, then the low
    /// bits (an exponential Golomb code).
    fn small(&mut self, scale: &mut Scale, value: u64) -> Result<u64, DecodeError> {
        let low = scale.low_bits();
        let high = value >> low;
        let length = u64::BITS - high.leading_zeros();
        self.put(0, length);
        self.put(1, 1);
        let below = length.saturating_sub(1);
        self.put(lowest(high, below), below);
        self.put(lowest(value, low), low);
        scale.learn(value);
        Ok(value)
    }
}

/// Reads numbers.
#[derive(Clone, Debug)]
pub(crate) struct BitsIn<'a> {
    bytes: &'a [u8],
    /// The next bit, from the first byte's lowest.
    at: usize,
}

impl<'a> BitsIn<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next bits, 120 at least, with zeros beyond the end.
    fn ahead(&self) -> u128 {
        let from = self.bytes.get(self.at / 8..).unwrap_or_default();
        let mut window = [0; 16];
        let len = from.len().min(16);
        window[..len].copy_from_slice(&from[..len]);
        u128::from_le_bytes(window) >> (self.at % 8)
    }

    fn skip(&mut self, bits: u32) -> Result<(), DecodeError> {
        let at = self.at + bits as usize;
        if at > self.bytes.len() * 8 {
            return Err(DecodeError::Truncated);
        }
        self.at = at;
        Ok(())
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lowest 64 bits are meant"
    )]
    fn take(&mut self, bits: u32) -> Result<u64, DecodeError> {
        let value = lowest(self.ahead() as u64, bits);
        self.skip(bits)?;
        Ok(value)
    }
}

impl Coder for BitsIn<'_> {
    fn bits(&mut self, _: u64, bits: u32) -> Result<u64, DecodeError> {
        self.take(bits)
    }

    fn small(&mut self, scale: &mut Scale, _: u64) -> Result<u64, DecodeError> {
        let low = scale.low_bits();
        let length = self.ahead().trailing_zeros();
        if length + low > u64::BITS {
            let rest = self.bytes.len() * 8 - self.at;
            return Err(if rest <= u64::BITS as usize {
                DecodeError::Truncated
            } else {
                DecodeError::OutOfRange
            });
        }
        self.skip(length + 1)?;
        let below = length.saturating_sub(1);
        let top = if length == 0 { 0 } else { 1 << below };
        let high = self.take(below)? | top;
        let value = high << low | self.take(low)?;
        scale.learn(value);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers of all sizes, and some near the ends.
    fn number() -> impl Strategy<Value = u64> {
        prop_oneof![
            (0_u32..64, any::<u64>()).prop_map(|(bits, n)| n >> bits),
            0_u64..3,
            Just(u64::MAX),
        ]
    }

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec((number(), number(), 0_u32..=64), 0..200)) {
            let mut out = BitsOut::default();
            let (mut a, mut b) = (Scale::default(), Scale::default());
            for &(value, other, bits) in &numbers {
                out.small(&mut a, value).unwrap();
                out.near(&mut b, value, other).unwrap();
                out.bits(value, bits).unwrap();
                out.bit(value % 2 == 0).unwrap();
            }
            let bytes = out.finish();
            let mut back = BitsIn::new(&bytes);
            let (mut a, mut b) = (Scale::default(), Scale::default());
            for &(value, other, bits) in &numbers {
                prop_assert_eq!(back.small(&mut a, 0), Ok(value));
                prop_assert_eq!(back.near(&mut b, 0, other), Ok(value));
                prop_assert_eq!(back.bits(0, bits), Ok(lowest(value, bits)));
                prop_assert_eq!(back.bit(false), Ok(value % 2 == 0));
            }
        }

        #[test]
        fn any_bytes_are_numbers_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut back = BitsIn::new(&bytes);
            let mut scale = Scale::default();
            // Each takes a bit at least, so that there is an end.
            let taken = (0..=bytes.len() * 8).take_while(|_| back.small(&mut scale, 0).is_ok()).count();
            prop_assert!(taken <= bytes.len() * 8);
        }
    }

    #[test]
    fn zeros_may_be_cut_off_a_number_up_to_its_longest_start() {
        // A number of 64 bits begins with 64 zeros and a one.
        for (zeros, why) in [(8, DecodeError::Truncated), (9, DecodeError::OutOfRange)] {
            let bytes = vec![0; zeros];
            let mut back = BitsIn::new(&bytes);
            assert_eq!(back.small(&mut Scale::default(), 0), Err(why), "{zeros}");
        }
    }

    #[test]
    fn what_is_expected_takes_one_bit() {
        let mut out = BitsOut::default();
        let mut scale = Scale::default();
        for _ in 0..8000 {
            out.near(&mut scale, 50_000_000, 50_000_000).unwrap();
        }
        assert_eq!(out.finish().len(), 1000);
    }

    #[test]
    fn numbers_of_one_size_take_little_more_than_their_bits() {
        let mut out = BitsOut::default();
        let mut scale = Scale::default();
        for n in 0..8000_u64 {
            let noise = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
            out.near(&mut scale, 1_000_000 + noise, 1_000_512).unwrap();
        }
        // Ten bits of noise.
        assert!(out.len() < 8000 * 12 / 8, "{}", out.len());
    }
}
