//! What a worker does on each of its files where these differ.
//!
//! Belongs here: what may differ by file, and a workload as it is on one of them. Must never: anything of a
//! worker as a whole (its back end, memory, pace, time).

use super::{Access, BlockSizes, Blocks, OpMix, OpenMode, Payload, Prepare, Region, Workload};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

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

impl Workload {
    /// The workload as it is on one of its files, from 0.
    #[must_use]
    pub fn of_file(&self, file: usize) -> Cow<'_, Self> {
        let all = self.blocks();
        let Some(part) = all.parts.get(file) else {
            return Cow::Borrowed(self);
        };
        let mut own = self.clone();
        *own.blocks_mut() = Blocks {
            target: all.target.clone(),
            region: part.region.clone(),
            prepare: part.prepare.clone(),
            open: part.open,
            mix: part.mix,
            sizes: part.sizes.clone(),
            access: Access {
                seed: all.access.seed,
                file_choice: all.access.file_choice,
                file_weights: all.access.file_weights.clone(),
                ..part.access.clone()
            },
            sync: all.sync,
            payload: part.payload.as_ref().unwrap_or(&all.payload).clone(),
            parts: Vec::new(),
        };
        Cow::Owned(own)
    }
}
