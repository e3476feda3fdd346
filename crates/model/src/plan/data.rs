//! What is written.

use crate::units::Percent;
use serde::{Deserialize, Serialize};

/// Content of the written data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    /// What a buffer holds.
    pub fill: Fill,
    /// When it changes.
    pub refresh: Refresh,
    /// Compressible share of each chunk.
    pub compress_percent: Percent,
    /// Size of such a chunk in bytes; 0 = the whole buffer.
    pub compress_chunk: u32,
    /// Share of buffers equal to an earlier one.
    pub dedupe_percent: Percent,
}

impl Default for Payload {
    /// Random, and no two writes alike.
    fn default() -> Self {
        Self {
            fill: Fill::Random,
            refresh: Refresh::Stamp,
            compress_percent: Percent::NONE,
            compress_chunk: 512,
            dedupe_percent: Percent::NONE,
        }
    }
}

/// What a buffer holds at first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fill {
    /// Random bytes: neither compresses nor dedupes.
    Random,
    /// Zeros.
    Zero,
    /// These bytes repeated; never empty.
    Pattern(Vec<u8>),
    /// Each write takes its bytes from a random place of a buffer that all workers of the workload
    /// share and that stays as it is (DISKSPD's `-Z<size>`).
    Source {
        /// Bytes of the buffer, at least those of the largest write.
        size: u64,
        /// The file it is filled from, repeated if it is shorter; `None` = random bytes.
        file: Option<String>,
    },
}

/// When the content of a buffer changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refresh {
    /// Never.
    Never,
    /// Each write changes a few bytes in every 512, so that no two blocks are equal.
    Stamp,
    /// Each write has entirely new data.
    Each,
}
