//! Whole numbers of variable length, and why bytes could not be read back.
//!
//! Belongs here: one number at a time. Must never: know what the numbers mean.

/// Why bytes could not be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes end in the middle of a value.
    Truncated,
    /// A number does not fit its place (a bucket beyond the last, more than 64 bits).
    OutOfRange,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Truncated => "bytes end in the middle of a value",
            Self::OutOfRange => "a number is out of range",
        })
    }
}

impl std::error::Error for DecodeError {}

/// Appends `value` in LEB128: seven bits a byte, lowest first.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the low seven bits are meant"
)]
pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a LEB128 number off the front of `bytes`.
///
/// # Errors
/// [`DecodeError::Truncated`] at the end of the bytes, [`DecodeError::OutOfRange`] beyond 64 bits.
pub fn take_varint(bytes: &mut &[u8]) -> Result<u64, DecodeError> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(DecodeError::Truncated)?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        if shift == 63 && part > 1 {
            return Err(DecodeError::OutOfRange);
        }
        value |= part << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(DecodeError::OutOfRange)
}
