//! A stack of slot numbers that never grows: what the hot loop takes slots from and notes them in.

/// Slot numbers, last in, first out. Its capacity is fixed.
#[derive(Debug)]
pub(super) struct SlotStack {
    slots: Box<[u16]>,
    len: usize,
}

impl SlotStack {
    /// Empty, with room for `depth` slots.
    pub(super) fn empty(depth: u16) -> Self {
        Self {
            slots: vec![0; usize::from(depth)].into_boxed_slice(),
            len: 0,
        }
    }

    /// With all slots below `depth` in it, the lowest on top.
    pub(super) fn full(depth: u16) -> Self {
        Self {
            slots: (0..depth).rev().collect(),
            len: usize::from(depth),
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Takes the top one.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u16> {
        let below = self.len.checked_sub(1)?;
        let slot = *self.slots.get(below)?;
        self.len = below;
        Some(slot)
    }

    /// Puts one on top. There is room: a slot is in one place at a time.
    #[inline]
    pub(super) fn push(&mut self, slot: u16) {
        if let Some(place) = self.slots.get_mut(self.len) {
            *place = slot;
            self.len += 1;
        }
    }

    /// For putting many on top: their number is written back when this is dropped.
    #[inline]
    pub(super) fn pushes(&mut self) -> Pushes<'_> {
        Pushes {
            at: self.len,
            slots: &mut self.slots,
            len: &mut self.len,
        }
    }

    /// The slot at place `at`, counted from the bottom.
    #[inline]
    pub(super) fn at(&self, at: usize) -> u16 {
        self.slots[at]
    }

    /// Takes all but the lowest `len` out.
    #[inline]
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Those taken since the stack had `before` slots, if none was put back meanwhile.
    #[inline]
    pub(super) fn taken_since(&self, before: usize) -> &[u16] {
        self.slots.get(self.len..before).unwrap_or_default()
    }

    /// Takes one out, wherever it is.
    pub(super) fn remove(&mut self, slot: u16) {
        if let Some(at) = self.as_slice().iter().position(|&s| s == slot) {
            self.slots[at..self.len].rotate_left(1);
            self.len -= 1;
        }
    }

    /// Those put on top since there were `before` go to the bottom, the last of them lowest: first in,
    /// first out.
    pub(super) fn queue_up(&mut self, before: usize) {
        let before = before.min(self.len);
        let all = &mut self.slots[..self.len];
        all[before..].reverse();
        all.rotate_left(before);
    }

    /// Takes all out.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// All of them, the lowest first.
    #[inline]
    pub(super) fn as_slice(&self) -> &[u16] {
        &self.slots[..self.len]
    }
}

/// A stack while many slots are put on it one after the other.
pub(super) struct Pushes<'a> {
    slots: &'a mut [u16],
    at: usize,
    len: &'a mut usize,
}

impl Pushes<'_> {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.at
    }

    /// Those put on top since there were `from`.
    #[inline]
    pub(super) fn since(&self, from: usize) -> &[u16] {
        self.slots.get(from..self.at).unwrap_or_default()
    }

    /// Puts one on top, as [`SlotStack::push`].
    #[inline]
    pub(super) fn push(&mut self, slot: u16) {
        if let Some(place) = self.slots.get_mut(self.at) {
            *place = slot;
            self.at += 1;
        }
    }
}

impl Drop for Pushes<'_> {
    #[inline]
    fn drop(&mut self) {
        *self.len = self.at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_come_back_as_they_went_in() {
        let mut stack = SlotStack::full(3);
        assert_eq!([stack.pop(), stack.pop()], [Some(0), Some(1)]);
        assert_eq!(stack.taken_since(3), [1, 0]);
        stack.push(1);
        stack.push(0);
        assert_eq!((stack.as_slice(), stack.at(1)), ([2, 1, 0].as_slice(), 1));
        stack.remove(1);
        stack.truncate(9);
        assert_eq!(
            (stack.pop(), stack.pop(), stack.pop()),
            (Some(0), Some(2), None)
        );
    }

    #[test]
    fn many_that_are_put_on_top_stay_there() {
        let mut stack = SlotStack::empty(3);
        stack.push(2);
        let mut many = stack.pushes();
        assert_eq!((many.len(), many.since(0)), (1, [2].as_slice()));
        many.push(0);
        many.push(1);
        many.push(7);
        assert_eq!((many.len(), many.since(1)), (3, [0, 1].as_slice()));
        drop(many);
        assert_eq!(stack.as_slice(), [2, 0, 1]);
        assert!(SlotStack::empty(3).pushes().since(0).is_empty());
    }

    #[test]
    fn what_is_queued_comes_out_in_the_order_it_went_in() {
        let mut stack = SlotStack::full(6);
        let taken = [stack.pop(), stack.pop(), stack.pop(), stack.pop()];
        assert_eq!(taken, [Some(0), Some(1), Some(2), Some(3)]);
        for batch in [[2, 0], [3, 1]] {
            let before = stack.len();
            batch.into_iter().for_each(|slot| stack.push(slot));
            stack.queue_up(before);
        }
        let order: Vec<u16> = std::iter::from_fn(|| stack.pop()).collect();
        assert_eq!(order, [4, 5, 2, 0, 3, 1]);
    }
}
