#![expect(unsafe_code, reason = "maps memory and hands out parts of the mapping")]
//! The memory I/Os read into and write from: one mapping for all slots of a worker.
//!
//! Belongs here: making that mapping, of whatever kind of pages, and where each slot's buffers are in
//! it. Must never: know what is in the buffers, or which slots are in flight.
//!
//! A workload that reads and writes has two buffers in each slot, one read into and one written from:
//! else each read would replace what the slot's next write is to contain, and every write would have
//! to be refilled. A workload that only reads or only writes has one.

use crate::os::pages::Mapping;
use crate::problem::{LESS_MEMORY, more_huge_pages};
use leadline_model::cure::{Cure, Knob};
use leadline_model::op::Op;
use leadline_model::plan::engine::Memory;
use std::any::Any;
use std::io;
use std::ptr::NonNull;
use std::sync::Arc;

/// The buffers of a worker. Unmapped when it and all its keepers are dropped.
#[derive(Debug)]
pub struct Arena {
    mapping: Arc<Mapping>,
    /// First buffer, aligned.
    base: NonNull<u8>,
    /// All buffers with what is between them.
    len: usize,
    /// From one slot's buffer to the next one's.
    stride: usize,
    /// Bytes of one buffer.
    size: usize,
    slots: usize,
    /// From a slot's read buffer to its write buffer; 0 when they are one.
    write_from: usize,
}

// SAFETY: the buffers are reached through this value alone, and are not tied to the thread that mapped
// them.
unsafe impl Send for Arena {}

/// What buffers are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of slots, at least 1: the worker's depth.
    pub slots: u32,
    /// Bytes of one buffer, at least 1: the largest I/O.
    pub size: u64,
    /// Extra alignment in bytes; 0 = the page's.
    pub align: u32,
    /// What the pages are.
    pub memory: Memory,
    /// The workload reads and writes, so each slot has a buffer for either.
    pub both: bool,
}

/// What follows from a layout, in bytes where not said otherwise.
struct Measures {
    /// One buffer.
    size: usize,
    /// From one slot's buffer to the next one's.
    stride: usize,
    /// Number of slots.
    slots: usize,
    /// All slots of one side.
    region: usize,
    /// Both sides.
    len: usize,
    /// What the first buffer's address is a multiple of.
    start_align: usize,
    /// Room to move the start by.
    slack: usize,
    /// The mapping.
    mapped: usize,
    /// The kernel is asked for huge pages, which it may give.
    huge: bool,
}

impl Layout {
    /// Bytes of memory that the buffers take; of pages of hugetlbfs, with what is lost in the last.
    ///
    /// # Errors
    /// [`ArenaError::TooLarge`].
    pub fn bytes(&self) -> Result<u64, ArenaError> {
        let measures = self.measures()?;
        let bytes = match self.memory {
            Memory::Huge => measures.mapped,
            Memory::Anonymous | Memory::Shared => measures.len,
        };
        Ok(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    fn measures(&self) -> Result<Measures, ArenaError> {
        let too_large = || ArenaError::TooLarge {
            slots: self.slots,
            size: self.size,
        };
        let align = (self.align as usize).next_power_of_two().max(PAGE);
        let size = usize::try_from(self.size).map_err(|_| too_large())?.max(1);
        let slots = self.slots.max(1) as usize;
        let stride = size.checked_next_multiple_of(align).ok_or_else(too_large)?;
        let region = stride.checked_mul(slots).ok_or_else(too_large)?;
        let len = region
            .checked_mul(1 + usize::from(self.both))
            .filter(|&len| isize::try_from(len).is_ok())
            .ok_or_else(too_large)?;
        // mmap aligns to a page only: room to move the start, also for huge pages to fit.
        let huge = len >= HUGE && self.memory != Memory::Huge;
        let start_align = if huge { align.max(HUGE) } else { align };
        let page = if self.memory == Memory::Huge {
            HUGE
        } else {
            PAGE
        };
        let slack = if start_align > page { start_align } else { 0 };
        let mapped = len
            .checked_add(slack)
            .and_then(|n| n.checked_next_multiple_of(page))
            .ok_or_else(too_large)?;
        Ok(Measures {
            size,
            stride,
            slots,
            region,
            len,
            start_align,
            slack,
            mapped,
            huge,
        })
    }
}

/// Why there are no buffers.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// Depth times size is more than an address space.
    #[error("{slots} buffers of {size} bytes exceed the address space")]
    TooLarge {
        /// Buffers.
        slots: u32,
        /// Bytes of each.
        size: u64,
    },
    /// The kernel has not enough pages of hugetlbfs.
    #[error("no huge pages for {bytes} bytes of buffers: {source}")]
    NoHugePages {
        /// Bytes wanted.
        bytes: usize,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The kernel refused ordinary memory.
    #[error("no memory for {bytes} bytes of buffers: {source}")]
    NoMemory {
        /// Bytes wanted.
        bytes: usize,
        /// The kernel's answer.
        source: io::Error,
    },
}

impl ArenaError {
    /// What to do about it.
    #[must_use]
    pub fn cure(&self) -> Cure {
        match self {
            Self::TooLarge { .. } => {
                let knobs = [Knob::QueueDepth, Knob::BlockSize];
                ("lower the queue depth or the block size", knobs).into()
            }
            Self::NoHugePages { bytes, .. } => {
                more_huge_pages(u64::try_from(*bytes).unwrap_or(u64::MAX)).into()
            }
            Self::NoMemory { .. } => LESS_MEMORY.into(),
        }
    }
}

/// Buffers are aligned to this at least: what O_DIRECT asks for anywhere.
pub const PAGE: usize = 4096;

/// Size of a huge page.
const HUGE: usize = 2 << 20;

impl Arena {
    /// Maps the buffers and touches every page, so that no I/O meets a page fault.
    ///
    /// # Errors
    /// [`ArenaError`] says what is missing.
    pub fn new(layout: &Layout) -> Result<Self, ArenaError> {
        let Measures {
            size,
            stride,
            slots,
            region,
            len,
            start_align,
            slack,
            mapped,
            huge,
        } = layout.measures()?;
        let mapping = map(mapped, layout.memory)?;
        if huge {
            mapping.ask_for_huge_pages();
        }
        let skipped = mapping
            .start()
            .as_ptr()
            .align_offset(start_align)
            .min(slack);
        // SAFETY: `skipped` is at most the slack, which is part of the mapping.
        let base = unsafe { mapping.start().add(skipped) };
        let arena = Self {
            mapping: Arc::new(mapping),
            base,
            len,
            stride,
            size,
            slots,
            write_from: if layout.both { region } else { 0 },
        };
        arena.touch();
        Ok(arena)
    }

    /// Keeps the memory mapped for as long as it lives, whatever happens to the arena: for a kernel that
    /// has not ended an I/O.
    #[must_use]
    pub fn keeper(&self) -> Arc<dyn Any + Send + Sync> {
        self.mapping.clone()
    }

    /// The first byte of the first buffer, for registering.
    #[must_use]
    pub const fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// Bytes from [`Arena::base`] to the end of the last buffer, all readable and writable.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Number of slots.
    #[must_use]
    pub const fn slots(&self) -> usize {
        self.slots
    }

    /// Bytes of one buffer.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// Bytes from one slot's buffer to the next one's; the same for both sides.
    #[must_use]
    pub const fn stride(&self) -> usize {
        self.stride
    }

    /// The buffer of `slot` for `op`: what a back end passes to the kernel. Valid for
    /// [`Arena::size`] bytes as long as the arena lives.
    ///
    /// # Panics
    /// When there is no such slot.
    #[inline]
    #[must_use]
    pub fn slot(&self, slot: usize, op: Op) -> *mut u8 {
        assert!(slot < self.slots, "no such slot");
        let side = if op == Op::Read { 0 } else { self.write_from };
        // SAFETY: below `slots` strides into a region of that many, of which there are two when
        // `write_from` is the length of one.
        unsafe { self.base.as_ptr().add(slot * self.stride + side) }
    }

    /// What `slot` has read, or its write carries. The slot must not be in flight.
    ///
    /// # Panics
    /// When there is no such slot.
    #[inline]
    #[must_use]
    pub fn data(&self, slot: usize, op: Op) -> &[u8] {
        // SAFETY: `size` bytes from there belong to this slot and are initialised (mapped as zeros); the shared
        // borrow of the arena keeps exclusive slices away, and the caller keeps the kernel away.
        unsafe { std::slice::from_raw_parts(self.slot(slot, op), self.size) }
    }

    /// The content that the next write of `slot` carries. The slot must not be in flight.
    ///
    /// # Panics
    /// When there is no such slot.
    #[inline]
    pub fn slot_mut(&mut self, slot: usize) -> &mut [u8] {
        // SAFETY: `size` bytes from there belong to this slot alone; the exclusive borrow of the arena
        // keeps other slices away, and the caller keeps the kernel away.
        unsafe { std::slice::from_raw_parts_mut(self.slot(slot, Op::Write), self.size) }
    }

    /// Writes to each page, so that the kernel gives it now.
    fn touch(&self) {
        for at in (0..self.len).step_by(PAGE) {
            // SAFETY: inside the buffers; volatile so that it is not left out.
            unsafe { self.base.add(at).as_ptr().write_volatile(0) };
        }
    }
}

/// A new mapping of zeros.
fn map(bytes: usize, memory: Memory) -> Result<Mapping, ArenaError> {
    Mapping::new(bytes, memory).map_err(|source| match memory {
        Memory::Huge => ArenaError::NoHugePages { bytes, source },
        _ => ArenaError::NoMemory { bytes, source },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(slots: u32, size: u64) -> Layout {
        Layout {
            slots,
            size,
            align: 0,
            memory: Memory::Anonymous,
            both: false,
        }
    }

    #[test]
    fn buffers_are_aligned_apart_and_zero() {
        for memory in [Memory::Anonymous, Memory::Shared] {
            for (slots, size, align) in [
                (1, 1, 0),
                (3, 512, 0),
                (32, 4096, 8192),
                (7, 1 << 20, 1 << 21),
            ] {
                for both in [false, true] {
                    let layout = Layout {
                        align,
                        memory,
                        both,
                        ..layout(slots, size)
                    };
                    let mut arena = Arena::new(&layout).unwrap();
                    let (base, len) = (arena.base() as usize, arena.len());
                    let mut starts = Vec::new();
                    for slot in 0..arena.slots() {
                        for op in [Op::Read, Op::Write] {
                            let start = arena.slot(slot, op) as usize;
                            assert!(start.is_multiple_of(PAGE.max(align as usize)));
                            assert!(start >= base && start + arena.size() <= base + len);
                            starts.push(start);
                        }
                        assert!(arena.slot_mut(slot).iter().all(|&byte| byte == 0));
                        arena.slot_mut(slot).fill(1);
                    }
                    starts.sort_unstable();
                    starts.dedup();
                    assert_eq!(starts.len(), slots as usize * (1 + usize::from(both)));
                    assert!(starts.windows(2).all(|w| w[1] - w[0] >= arena.size()));
                }
            }
        }
    }

    #[test]
    fn reads_do_not_touch_what_is_written() {
        let mut arena = Arena::new(&Layout {
            both: true,
            ..layout(2, 4096)
        })
        .unwrap();
        arena.slot_mut(1).fill(7);
        // SAFETY: 4096 bytes of the read buffer of a live arena.
        unsafe { arena.slot(1, Op::Read).write_bytes(9, 4096) };
        assert!(arena.slot_mut(1).iter().all(|&byte| byte == 7));
    }

    #[test]
    fn too_much_is_refused_in_words() {
        let error = Arena::new(&layout(u32::MAX, u64::MAX)).unwrap_err();
        let cure = error.cure();
        assert!(cure.text.contains("queue depth"), "{error}: {cure}");
        assert_eq!(cure.knobs, [Knob::QueueDepth, Knob::BlockSize]);
        let error = Arena::new(&layout(1, 1 << 60)).unwrap_err().to_string();
        assert!(error.contains("no memory"), "{error}");
    }

    #[test]
    fn huge_pages_work_or_are_refused_with_the_cure() {
        // More than any host reserves, so the refusal is certain.
        let huge = Layout {
            memory: Memory::Huge,
            ..layout(1, 1 << 45)
        };
        let cure = Arena::new(&huge).unwrap_err().cure();
        assert!(cure.text.contains("vm.nr_hugepages=16777216"), "{cure}");
        assert_eq!(cure.knobs, [Knob::OrdinaryMemory]);
        match Arena::new(&Layout {
            memory: Memory::Huge,
            ..layout(4, 4096)
        }) {
            Ok(mut arena) => arena.slot_mut(3).fill(1),
            Err(error) => leadline_testkit::skip("engine::huge_pages", &error.to_string()),
        }
    }

    /// Kilobytes of huge pages in the mapping that holds `address`.
    fn huge_kilobytes(address: usize) -> u64 {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut inside = false;
        for line in maps.lines() {
            let range = line
                .split(' ')
                .next()
                .and_then(|range| range.split_once('-'));
            let hex = |text: &str| usize::from_str_radix(text, 16).ok();
            if let Some((Some(from), Some(to))) = range.map(|(from, to)| (hex(from), hex(to))) {
                inside = (from..to).contains(&address);
            } else if inside && let Some(rest) = line.strip_prefix("AnonHugePages:") {
                return rest.trim().trim_end_matches(" kB").parse().unwrap();
            }
        }
        0
    }

    #[test]
    fn large_buffers_get_huge_pages() {
        let thp = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
        if !thp.as_ref().is_ok_and(|thp| !thp.contains("[never]")) {
            let reason = format!("transparent huge pages are off: {thp:?}");
            return leadline_testkit::skip("engine::transparent_huge_pages", &reason);
        }
        let arena = Arena::new(&layout(16, 1 << 20)).unwrap();
        let kilobytes = huge_kilobytes(arena.base() as usize);
        // Fragmented memory may not give all.
        assert!(kilobytes > 0, "no huge page in 16 MiB");
    }

    #[test]
    fn a_keeper_outlives_the_arena() {
        let mut arena = Arena::new(&layout(2, 4096)).unwrap();
        arena.slot_mut(1).fill(5);
        let (keeper, address) = (arena.keeper(), arena.slot(1, Op::Read));
        drop(arena);
        // SAFETY: the keeper keeps it mapped.
        assert_eq!(unsafe { address.read() }, 5);
        drop(keeper);
    }

    #[test]
    fn an_arena_may_move_to_another_thread() {
        let mut arena = Arena::new(&layout(2, 4096)).unwrap();
        std::thread::spawn(move || arena.slot_mut(0).fill(3))
            .join()
            .unwrap();
    }
}
