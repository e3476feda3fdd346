//! Byte forms: histograms as variable-length integers, for the run file and the wire.
//! Decoding never panics and never allocates by a number it was given.

use crate::histogram::Histogram;
use crate::latency::Latency;
use crate::op::{Op, OpMap};
use crate::sample::Moments;
pub use crate::varint::{DecodeError, put_varint, take_varint};

/// The bytes of a latency: sum, squares, extremes, then (distance to the last bucket, count) pairs of all values,
/// and of those that are unfinished.
#[must_use]
pub fn encode_latency(latency: &Latency) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    put_varint(&mut out, latency.sum);
    out.extend_from_slice(&latency.sum_squares.to_le_bytes());
    put_varint(&mut out, latency.min);
    put_varint(&mut out, latency.max);
    put_histogram(&mut out, Some(&latency.histogram));
    put_histogram(&mut out, latency.unfinished.as_ref());
    out
}

fn put_histogram(out: &mut Vec<u8>, histogram: Option<&Histogram>) {
    let buckets = || histogram.into_iter().flat_map(Histogram::nonzero);
    put_varint(out, buckets().count() as u64);
    let mut last = 0;
    for (index, count) in buckets() {
        put_varint(out, (index - last) as u64);
        put_varint(out, count);
        last = index;
    }
}

fn take_histogram(bytes: &mut &[u8]) -> Result<Histogram, DecodeError> {
    let number = take_varint(bytes)?;
    let mut buckets = Vec::new();
    let mut index = 0_usize;
    for _ in 0..number {
        let step = usize::try_from(take_varint(bytes)?).map_err(|_| DecodeError::OutOfRange)?;
        index = index.checked_add(step).ok_or(DecodeError::OutOfRange)?;
        buckets.push((index, take_varint(bytes)?));
    }
    Histogram::of_buckets(&buckets).ok_or(DecodeError::OutOfRange)
}

/// Reads what [`encode_latency`] wrote.
///
/// # Errors
/// When the bytes end early, name a bucket that does not exist, or have a least value above the greatest.
pub fn decode_latency(mut bytes: &[u8]) -> Result<Latency, DecodeError> {
    let bytes = &mut bytes;
    let sum = take_varint(bytes)?;
    let (squares, rest) = bytes
        .split_first_chunk::<8>()
        .ok_or(DecodeError::Truncated)?;
    let sum_squares = f64::from_le_bytes(*squares);
    *bytes = rest;
    let (min, max) = (take_varint(bytes)?, take_varint(bytes)?);
    let (histogram, unfinished) = (take_histogram(bytes)?, take_histogram(bytes)?);
    if min > max && histogram.total() > 0 {
        return Err(DecodeError::OutOfRange);
    }
    Ok(Latency {
        sum,
        sum_squares,
        min,
        max,
        histogram,
        unfinished: (unfinished.total() > 0).then_some(unfinished),
    })
}

/// The bytes of the moments of an interval's workers: their number, then for each worker the number of operations
/// and each operation's code and moments.
#[must_use]
pub fn encode_moments(workers: &[OpMap<Moments>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(workers.len() * 32);
    put_varint(&mut out, workers.len() as u64);
    for ops in workers {
        put_varint(&mut out, ops.len() as u64);
        for (op, moments) in ops.iter() {
            out.push(op.code());
            put_varint(&mut out, moments.ios);
            put_varint(&mut out, moments.sum);
            out.extend_from_slice(&moments.sum_squares.to_le_bytes());
            put_varint(&mut out, moments.min);
            put_varint(&mut out, moments.max);
        }
    }
    out
}

/// Reads what [`encode_moments`] wrote, without operations that this version does not know.
///
/// # Errors
/// When the bytes end early.
pub fn decode_moments(mut bytes: &[u8]) -> Result<Vec<OpMap<Moments>>, DecodeError> {
    let bytes = &mut bytes;
    let workers = take_varint(bytes)?;
    let mut out = Vec::new();
    for _ in 0..workers {
        let mut ops = OpMap::default();
        for _ in 0..take_varint(bytes)? {
            let (&code, rest) = bytes.split_first().ok_or(DecodeError::Truncated)?;
            *bytes = rest;
            let moments = take_moments(bytes)?;
            if let Some(op) = Op::of_code(code) {
                ops.insert(op, moments);
            }
        }
        out.push(ops);
    }
    Ok(out)
}

fn take_moments(bytes: &mut &[u8]) -> Result<Moments, DecodeError> {
    let (ios, sum) = (take_varint(bytes)?, take_varint(bytes)?);
    let (squares, rest) = bytes
        .split_first_chunk::<8>()
        .ok_or(DecodeError::Truncated)?;
    *bytes = rest;
    Ok(Moments {
        ios,
        sum,
        sum_squares: f64::from_le_bytes(*squares),
        min: take_varint(bytes)?,
        max: take_varint(bytes)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn extremes_that_cannot_be_are_an_error() {
        let mut latency = Latency::default();
        assert_eq!(
            decode_latency(&encode_latency(&latency)),
            Ok(latency.clone())
        );
        latency.record(100_000);
        latency.min = 100_001;
        let answer = decode_latency(&encode_latency(&latency));
        assert_eq!(answer, Err(DecodeError::OutOfRange));
    }

    proptest! {
        #[test]
        fn latency_survives_the_round_trip(values in prop::collection::vec(0_u64..1 << 50, 0..100)) {
            let mut latency = Latency::default();
            values.iter().for_each(|&v| latency.record(v));
            values.iter().skip(70).for_each(|&v| latency.record_unfinished(v, 2));
            prop_assert_eq!(decode_latency(&encode_latency(&latency)), Ok(latency));
        }

        #[test]
        fn moments_survive_the_round_trip(
            values in prop::collection::vec((any::<u64>(), any::<u64>(), 0.0..1e20_f64), 0..20)
        ) {
            let of = |&(a, b, sum_squares): &(u64, u64, f64)| Moments { ios: a, sum: b, sum_squares, min: b, max: a };
            let ops = |v| [(Op::Read, of(v)), (Op::Trim, Moments::default())];
            let workers: Vec<_> = values.iter().map(|v| ops(v).into_iter().collect()).collect();
            prop_assert_eq!(decode_moments(&encode_moments(&workers)), Ok(workers));
        }

        #[test]
        fn garbage_is_an_error_and_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode_latency(&bytes);
            let _ = decode_moments(&bytes);
        }
    }

    #[test]
    fn moments_of_operations_of_a_later_version_are_skipped() {
        let workers: Vec<OpMap<Moments>> =
            vec![[(Op::Write, Moments::default())].into_iter().collect()];
        let mut bytes = encode_moments(&workers);
        // One worker, one operation, its code.
        assert_eq!(&bytes[..3], [1, 1, Op::Write.code()]);
        bytes[2] = 200;
        assert_eq!(decode_moments(&bytes), Ok(vec![OpMap::default()]));
    }

    /// One I/O that was not done makes the difference between a latency with a bound and one without.
    #[test]
    fn a_single_unfinished_value_comes_back() {
        for unfinished in 0..3 {
            let mut latency = Latency::default();
            latency.record(7);
            latency.record_unfinished(9, unfinished);
            let back = decode_latency(&encode_latency(&latency)).unwrap();
            assert_eq!(back.unfinished(), unfinished);
            assert_eq!(back.unfinished.is_some(), unfinished > 0);
        }
    }

    #[test]
    fn a_varint_of_too_many_bits_is_refused() {
        // Nine bytes of seven bits, and what a tenth may hold: one bit more.
        let with_tenth = |tenth: u8| {
            let mut bytes = [0xff; 10];
            bytes[9] = tenth;
            take_varint(&mut bytes.as_slice())
        };
        assert_eq!(with_tenth(0), Ok(u64::MAX >> 1));
        assert_eq!(with_tenth(1), Ok(u64::MAX));
        for tenth in [2, 3, 0x7f, 0x81, 0xff] {
            assert_eq!(with_tenth(tenth), Err(DecodeError::OutOfRange), "{tenth}");
        }
        let mut bytes: &[u8] = &[0xff; 11];
        assert_eq!(take_varint(&mut bytes), Err(DecodeError::OutOfRange));
    }
}
