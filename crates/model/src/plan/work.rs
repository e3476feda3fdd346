//! What a workload does, apart from who does it, how fast and for how long.
//!
//! Belongs here: the kinds of work, and all that only one kind knows. Must never: anything that every kind has (the
//! envelope, [`super::Workload`]).

use super::{
    Access, BlockSizes, FilePart, OpMix, OpenMode, Payload, Prepare, Region, SyncCadence, Target,
    Workload,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What a workload does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Work {
    /// Reads, writes and trims of blocks of files and devices.
    Blocks(Blocks),
}

/// I/O on blocks of files and devices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blocks {
    /// What the I/O goes to.
    pub target: Target,
    /// Which part of it.
    pub region: Region,
    /// What is done to the files before the first I/O and after the last.
    pub prepare: Prepare,
    /// How a file is opened.
    pub open: OpenMode,
    /// Read, write, trim in which shares.
    pub mix: OpMix,
    /// Sizes of the I/Os.
    pub sizes: BlockSizes,
    /// Offsets of the I/Os.
    pub access: Access,
    /// When flushes are sent.
    pub sync: SyncCadence,
    /// What is written.
    pub payload: Payload,
    /// By file, where these are not alike (with DISKSPD's numbers only): per-file overrides of region, prepare, open,
    /// mix, sizes, access and, where they name one, payload, which then hold the aggregate. Empty = all files alike.
    pub parts: Vec<FilePart>,
}

impl Blocks {
    /// Sequential buffered reads of 4 KiB over the whole target.
    #[must_use]
    pub fn new(target: Target) -> Self {
        Self {
            target,
            region: Region::default(),
            prepare: Prepare::default(),
            open: OpenMode::default(),
            mix: OpMix::reads(),
            sizes: BlockSizes::fixed(4096),
            access: Access::default(),
            sync: SyncCadence::default(),
            payload: Payload::default(),
            parts: Vec::new(),
        }
    }
}

impl Workload {
    /// Its I/O on blocks.
    #[must_use]
    pub const fn blocks(&self) -> &Blocks {
        match &self.work {
            Work::Blocks(blocks) => blocks,
        }
    }

    /// Its I/O on blocks.
    pub const fn blocks_mut(&mut self) -> &mut Blocks {
        match &mut self.work {
            Work::Blocks(blocks) => blocks,
        }
    }
}

impl Workload {
    /// The workload as it is on one of its files, from 0.
    #[must_use]
    pub fn of_file(&self, file: usize) -> Cow<'_, Self> {
        let all = self.blocks();
        let Some(part) = all.parts.get(file) else {
            return Cow::Borrowed(self);
        };
        // What is added to a part does not compile before it is put in the place of the workload's.
        let FilePart {
            region,
            prepare,
            open,
            mix,
            sizes,
            access,
            payload,
            // Of the depth, which is the worker's over all its files.
            slots: _,
        } = part;
        let mut own = self.clone();
        *own.blocks_mut() = Blocks {
            target: all.target.clone(),
            region: region.clone(),
            prepare: prepare.clone(),
            open: *open,
            mix: *mix,
            sizes: sizes.clone(),
            access: Access {
                seed: all.access.seed,
                file_choice: all.access.file_choice,
                file_weights: all.access.file_weights.clone(),
                ..access.clone()
            },
            sync: all.sync,
            payload: payload.as_ref().unwrap_or(&all.payload).clone(),
            parts: Vec::new(),
        };
        Cow::Owned(own)
    }
}
