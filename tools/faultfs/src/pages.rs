//! The data of one file: sparse pages in memory.
//!
//! Pure. A page exists from the first byte written to it; what does not exist is a hole and reads as
//! zeros.

use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes of a page.
pub(crate) const PAGE: usize = 4096;
const PAGE_BYTES: u64 = 4096;

/// The content of one file.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    pages: BTreeMap<u64, Box<[u8]>>,
    len: u64,
}

impl Pages {
    /// Length of the file in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Bytes that are held, in whole pages.
    pub(crate) fn held(&self) -> u64 {
        PAGE_BYTES.saturating_mul(u64::try_from(self.pages.len()).unwrap_or(u64::MAX))
    }

    /// Bytes of new pages that writing `len` bytes at `offset` would take.
    pub(crate) fn growth(&self, offset: u64, len: u64) -> u64 {
        let range = pages_of(offset, len);
        let there = u64::try_from(self.pages.range(range.clone()).count()).unwrap_or(u64::MAX);
        (range.end - range.start)
            .saturating_sub(there)
            .saturating_mul(PAGE_BYTES)
    }

    /// Up to `len` bytes from `offset`; fewer at the end of the file.
    pub(crate) fn read(&self, offset: u64, len: u32) -> Vec<u8> {
        let left = self.len.saturating_sub(offset).min(u64::from(len));
        let mut data = vec![0; usize::try_from(left).unwrap_or(0)];
        for (number, inside, place) in pieces(offset, data.len()) {
            if let Some(page) = self.pages.get(&number) {
                let from = inside..inside + place.len();
                data[place].copy_from_slice(&page[from]);
            }
        }
        data
    }

    /// Writes `data` at `offset` and lengthens the file when it ends past it.
    pub(crate) fn write(&mut self, offset: u64, data: &[u8]) {
        for (number, inside, place) in pieces(offset, data.len()) {
            let page = self
                .pages
                .entry(number)
                .or_insert_with(|| vec![0; PAGE].into_boxed_slice());
            page[inside..inside + place.len()].copy_from_slice(&data[place]);
        }
        let end = offset.saturating_add(u64::try_from(data.len()).unwrap_or(u64::MAX));
        self.len = self.len.max(end);
    }

    /// Sets the length; what is cut off is gone and comes back as zeros.
    pub(crate) fn resize(&mut self, len: u64) {
        if len < self.len {
            let keep = len.div_ceil(PAGE_BYTES);
            self.pages.split_off(&keep);
            let tail = usize::try_from(len % PAGE_BYTES).unwrap_or(0);
            if tail > 0
                && let Some(page) = self.pages.get_mut(&(len / PAGE_BYTES))
            {
                page[tail..].fill(0);
            }
        }
        self.len = len;
    }

    /// Makes a hole of the whole pages in the range and zeros of the rest of it.
    pub(crate) fn punch(&mut self, offset: u64, len: u64) {
        let end = offset.saturating_add(len).min(self.len);
        let inner = offset.div_ceil(PAGE_BYTES)..end / PAGE_BYTES;
        if inner.start < inner.end {
            let mut tail = self.pages.split_off(&inner.start);
            self.pages.append(&mut tail.split_off(&inner.end));
        }
        let edges = [
            offset..end.min(inner.start * PAGE_BYTES),
            offset.max(inner.end.max(inner.start) * PAGE_BYTES)..end,
        ];
        for edge in edges {
            let len = usize::try_from(edge.end.saturating_sub(edge.start)).unwrap_or(0);
            for (number, inside, place) in pieces(edge.start, len) {
                if let Some(page) = self.pages.get_mut(&number) {
                    page[inside..inside + place.len()].fill(0);
                }
            }
        }
    }

    /// The first byte of data (or with `hole`, of a hole) at or after `offset`, as for lseek(2);
    /// `None` beyond the end, and for data when there is none left.
    pub(crate) fn seek(&self, offset: u64, hole: bool) -> Option<u64> {
        if offset >= self.len {
            return None;
        }
        let mut number = offset / PAGE_BYTES;
        if !hole {
            let (found, _) = self.pages.range(number..).next()?;
            let start = found.saturating_mul(PAGE_BYTES).max(offset);
            return (start < self.len).then_some(start);
        }
        while self.pages.contains_key(&number) {
            number += 1;
        }
        Some(number.saturating_mul(PAGE_BYTES).clamp(offset, self.len))
    }
}

/// Numbers of the pages that `len` bytes at `offset` touch.
fn pages_of(offset: u64, len: u64) -> Range<u64> {
    let start = offset / PAGE_BYTES;
    if len == 0 {
        start..start
    } else {
        start..offset.saturating_add(len).div_ceil(PAGE_BYTES)
    }
}

/// Cuts `len` bytes at `offset` into pages: number of the page, first byte in it, place in the buffer.
fn pieces(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done >= len {
            return None;
        }
        let at = offset.checked_add(u64::try_from(done).ok()?)?;
        let inside = usize::try_from(at % PAGE_BYTES).ok()?;
        let step = (PAGE - inside).min(len - done);
        let piece = (at / PAGE_BYTES, inside, done..done + step);
        done += step;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_back_across_pages() {
        let mut file = Pages::default();
        let data: Vec<u8> = (0..10_000_u32)
            .map(|i| u8::try_from(i % 251).unwrap())
            .collect();
        file.write(5_000, &data);
        assert_eq!(file.len(), 15_000);
        assert_eq!(file.held(), 3 * 4096);
        assert_eq!(file.read(5_000, 10_000), data);
        assert_eq!(file.read(0, 5_000), vec![0; 5_000]);
        assert_eq!(file.read(14_999, 100).len(), 1);
        assert_eq!(file.read(15_000, 100).len(), 0);
    }

    #[test]
    fn growth_is_what_is_not_there_yet() {
        let mut file = Pages::default();
        file.write(4096, &[1]);
        assert_eq!(file.growth(0, 3 * 4096), 2 * 4096);
        assert_eq!(file.growth(4097, 10), 0);
        assert_eq!(file.growth(0, 0), 0);
    }

    #[test]
    fn a_shortened_file_forgets() {
        let mut file = Pages::default();
        file.write(0, &[7; 9000]);
        file.resize(5000);
        file.resize(9000);
        assert_eq!(file.read(4999, 2), [7, 0]);
        assert_eq!(file.held(), 2 * 4096);
        file.resize(0);
        assert_eq!(file.held(), 0);
    }

    #[test]
    fn holes_are_found_and_made() {
        let mut file = Pages::default();
        file.write(0, &[7; 5 * 4096]);
        file.punch(100, 3 * 4096);
        assert_eq!(file.held(), 3 * 4096);
        assert_eq!(
            (file.read(99, 2), file.read(12_387, 2)),
            (vec![7, 0], vec![0, 7])
        );
        assert_eq!(file.seek(0, true), Some(4096));
        assert_eq!(file.seek(4096, false), Some(3 * 4096));
        assert_eq!(file.seek(4 * 4096, true), Some(5 * 4096));
        assert_eq!(file.seek(5 * 4096, true), None);
        file.resize(10 * 4096);
        assert_eq!(file.seek(5 * 4096, false), None);
    }

    #[test]
    fn a_hole_inside_one_page_keeps_the_page() {
        let mut file = Pages::default();
        file.write(0, &[7; 4096]);
        file.punch(10, 10);
        assert_eq!(file.read(9, 12), [7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
    }

    #[test]
    fn offsets_near_the_end_of_the_world_are_no_trouble() {
        let mut file = Pages::default();
        file.write(1 << 62, &[1, 2]);
        assert_eq!(file.read(1 << 62, 10), [1, 2]);
        assert_eq!(file.held(), 4096);
        assert_eq!(file.read(u64::MAX - 1, 10).len(), 0);
    }
}
