//! Written data of a worker whose files are not written alike.
//!
//! Belongs here: which maker a write's file has, and what a slot's buffer holds at present. Must never: know
//! what data is made of.

use super::{FillMode, Payload};
use crate::access::rng::{Purpose, derive};
use crate::buffer::Arena;
use leadline_model::plan::Workload;
use std::sync::Arc;

/// The makers of a worker's written data: one for all of its files, or one for each.
#[derive(Clone, Debug)]
pub struct Payloads {
    all: Payload,
    /// By file; empty where one serves all.
    own: Box<[Payload]>,
    /// By slot: whose content its buffer holds, and in how many bytes.
    held: Box<[(u32, usize)]>,
}

impl Payloads {
    /// Data as `workload` wants it for each of its files, from `seed`. Writes that take parts of a source
    /// take them of the one in `sources`: by file, or one for all.
    #[must_use]
    pub fn new(workload: &Workload, seed: u64, sources: &[Option<Arc<[u8]>>]) -> Self {
        let source = |file: usize| sources.get(file).cloned().flatten();
        let own: Box<[Payload]> = if workload.blocks().parts.iter().any(|p| p.payload.is_some()) {
            let maker = |file| {
                let own = workload.of_file(file);
                let plan = &own.blocks().payload;
                let number = u64::try_from(file).unwrap_or(0);
                Payload::with_source(
                    plan,
                    derive(seed, Purpose::PayloadOfFile, number),
                    source(file),
                )
            };
            (0..workload.blocks().parts.len()).map(maker).collect()
        } else {
            Box::default()
        };
        Self {
            all: Payload::with_source(&workload.blocks().payload, seed, source(0)),
            own,
            held: Box::default(),
        }
    }

    /// Gives all write buffers a first content.
    pub fn fill_all(&mut self, arena: &mut Arena) {
        match self.own.first_mut() {
            Some(first) => {
                first.fill_all(arena);
                self.held = vec![(0, arena.size()); arena.slots()].into();
            }
            None => self.all.fill_all(arena),
        }
    }

    /// Makes `buffer`, which is the whole of what `slot` is to write, what a write to `file` at `offset`
    /// carries.
    #[inline]
    pub fn before_write(&mut self, slot: u16, file: u32, buffer: &mut [u8], offset: u64) {
        if self.own.is_empty() {
            return self.all.before_write(buffer, offset);
        }
        self.by_file(slot, file, buffer, offset);
    }

    #[cold]
    #[inline(never)]
    fn by_file(&mut self, slot: u16, file: u32, buffer: &mut [u8], offset: u64) {
        let Some(own) = self.own.get_mut(file as usize) else {
            return;
        };
        if let Some(held) = self.held.get_mut(usize::from(slot)) {
            // What stays as it is must be there first.
            let kept = matches!(own.mode, FillMode::Keep | FillMode::Stamp);
            if held.0 != file || held.1 < buffer.len() {
                *held = (file, buffer.len());
                if kept {
                    let content = own.new_content();
                    own.fill(buffer, content);
                }
            }
        }
        own.before_write(buffer, offset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Layout;
    use leadline_model::plan::engine::Memory;
    use leadline_model::plan::{
        Access, BlockSizes, FilePart, Fill, OpMix, OpenMode, Payload as Plan, Prepare, Refresh,
        Region, Target,
    };

    fn part(fill: Fill, refresh: Refresh) -> FilePart {
        FilePart {
            region: Region::default(),
            prepare: Prepare::default(),
            open: OpenMode::default(),
            mix: OpMix::reads(),
            sizes: BlockSizes::fixed(4096),
            access: Access::default(),
            slots: 1,
            payload: Some(Plan {
                fill,
                refresh,
                ..Plan::default()
            }),
        }
    }

    #[test]
    fn a_slot_carries_what_its_file_is_written_with_whoever_had_it_before() {
        let mut workload = Workload::new("w", Target::Null { size: 1 << 20 });
        let source = Fill::Source {
            size: 8192,
            file: None,
        };
        workload.blocks_mut().parts = vec![
            part(Fill::Pattern((0..=255).collect()), Refresh::Never),
            part(Fill::Zero, Refresh::Never),
            part(Fill::Random, Refresh::Each),
            part(source, Refresh::Each),
        ];
        let mut arena = Arena::new(&Layout {
            slots: 2,
            size: 8192,
            align: 0,
            memory: Memory::Anonymous,
            both: false,
        })
        .unwrap();
        let sevens: Arc<[u8]> = vec![7; 8192].into();
        let mut payloads = Payloads::new(&workload, 1, &[None, None, None, Some(sevens)]);
        payloads.fill_all(&mut arena);
        // Slot, file and bytes of one write after the other: shorter and longer, each after any other.
        for (slot, file, len) in [
            (0, 0, 4096),
            (0, 1, 512),
            (0, 1, 8192),
            (0, 0, 4096),
            (0, 2, 4096),
            (0, 1, 4096),
            (0, 3, 8192),
            (0, 0, 8192),
            (1, 0, 8192),
            (1, 3, 512),
            (1, 0, 4096),
        ] {
            let buffer = &mut arena.slot_mut(slot)[..len];
            payloads.before_write(u16::try_from(slot).unwrap(), file, buffer, 0);
            let pattern = buffer.iter().zip((0..=255_u8).cycle());
            let is = [
                pattern.clone().all(|(a, b)| *a == b),
                buffer.iter().all(|b| *b == 0),
                buffer.iter().filter(|b| **b == 0).count() < len / 64,
                buffer.iter().all(|b| *b == 7),
            ];
            assert!(is[file as usize], "{slot} {file} {len}");
        }
    }
}
