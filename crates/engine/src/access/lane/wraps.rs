//! Regions that wrap around: a lane walks them as if they had no end, and each offset is wrapped here.
//!
//! Belongs here: where an I/O past the wrap really is, and what becomes of one that crosses it. Must
//! never: choose where a walk goes.
//!
//! An I/O across the wrap, which there is only where sizes differ: one that is part of a sequence is cut and
//! the sequence continues at the wrap; a random one ends there.

use super::{BlockRef, Lane, Mode, WrapPoint};

impl Lane {
    /// Sets where the files wrap.
    pub(in crate::access) fn wrap_at(&mut self, wraps: &[Option<WrapPoint>]) {
        self.wraps = wraps.into();
    }

    /// Where an I/O really is.
    #[inline(never)]
    pub(super) fn wrapped(&mut self, place: BlockRef) -> BlockRef {
        let Some(&Some(wrap)) = self.wraps.get(place.file as usize) else {
            return place;
        };
        if place.offset >= wrap.at {
            let offset = wrap.to + (place.offset - wrap.at);
            return BlockRef { offset, ..place };
        }
        let room = wrap.at - place.offset;
        match u32::try_from(room) {
            Ok(room) if room < place.len => self.across(place, room),
            _ => place,
        }
    }

    /// An I/O of which only `room` bytes lie before the wrap.
    fn across(&mut self, place: BlockRef, room: u32) -> BlockRef {
        let file = place.file as usize;
        let back = u64::from(place.len - room);
        let track = &mut self.tracks[file];
        let end = (place.offset + u64::from(place.len)).wrapping_sub(track.start);
        let walked = track.first + track.next;
        match self.base {
            Mode::Straight if track.next == end => track.next -= back,
            Mode::Turned if walked == end || walked == end.wrapping_add(track.usable) => {
                track.next -= back;
            }
            Mode::Blended if self.last[file].end == end => self.last[file].end -= back,
            Mode::Together | Mode::BySlot | Mode::Skipping => {}
            // The first piece has room for the largest I/O, or there is none.
            _ => {
                let offset = place.offset.saturating_sub(back);
                return BlockRef { offset, ..place };
            }
        }
        BlockRef { len: room, ..place }
    }
}
