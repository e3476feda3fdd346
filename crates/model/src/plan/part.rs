//! What a worker does on each of its files where these differ.
//!
//! Belongs here: what may differ by file. Must never: anything of a
//! worker as a whole (its back end, memory, pace, time).

use super::{Access, BlockSizes, OpMix, OpenMode, Payload, Prepare, Region};
use serde::{Deserialize, Serialize};

/// What a worker does on one of its files. Order, offsets and their laws count of `access`; seed and choice of
/// the file are the workload's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilePart {
    /// Which part of the file.
    pub region: Region,
    /// How it is prepared.
    pub prepare: Prepare,
    /// How it is opened.
    pub open: OpenMode,
    /// Read and write in which shares.
    pub mix: OpMix,
    /// Size of the I/Os.
    pub sizes: BlockSizes,
    /// Offsets.
    pub access: Access,
    /// Slots of the queue, where each has a file of its own; the sum is the depth.
    pub slots: u32,
    /// What is written; `None` = what the workload says.
    pub payload: Option<Payload>,
}
