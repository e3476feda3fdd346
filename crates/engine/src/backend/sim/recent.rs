//! Blocks in the order of their last touch.
//!
//! Belongs here: the order, in one look-up a touch, since a simulated cache is touched by each I/O. Must never: know how many
//! blocks fit.

use leadline_model::seed::mix;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// A block: its file and its place in it.
pub(super) type Key = (u64, u64);

/// Before the first block and after the last one.
const ENDS: usize = 0;

/// Blocks, the one touched longest ago first. Stored as a list of them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(from = "Vec<Key>", into = "Vec<Key>")]
pub(super) struct Recent {
    /// A ring: that of [`ENDS`] lies between the last block and the first one.
    nodes: Vec<Node>,
    /// Where each block is in `nodes`.
    places: HashMap<Key, usize, BuildHasherDefault<MixHasher>>,
    /// Nodes without a block.
    free: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    key: Key,
    before: usize,
    after: usize,
}

impl Recent {
    /// Without a block.
    pub(super) fn new() -> Self {
        Self {
            nodes: vec![Node::default()],
            places: HashMap::default(),
            free: Vec::new(),
        }
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Makes this block the last one; whether it was there.
    pub(super) fn touch(&mut self, key: Key) -> bool {
        let (place, known) = match self.places.entry(key) {
            Entry::Occupied(entry) => (*entry.get(), true),
            Entry::Vacant(entry) => {
                let place = self.free.pop().unwrap_or(self.nodes.len());
                (*entry.insert(place), false)
            }
        };
        if known {
            self.unlink(place);
        } else if place == self.nodes.len() {
            self.nodes.push(Node::default());
        }
        let last = self.nodes[ENDS].before;
        self.nodes[place] = Node {
            key,
            before: last,
            after: ENDS,
        };
        self.nodes[last].after = place;
        self.nodes[ENDS].before = place;
        known
    }

    /// Drops the first block; false where there is none.
    pub(super) fn forget_first(&mut self) -> bool {
        let first = self.nodes[ENDS].after;
        if first == ENDS {
            return false;
        }
        self.unlink(first);
        self.places.remove(&self.nodes[first].key);
        self.free.push(first);
        true
    }

    fn unlink(&mut self, place: usize) {
        let Node { before, after, .. } = self.nodes[place];
        self.nodes[before].after = after;
        self.nodes[after].before = before;
    }
}

impl From<Vec<Key>> for Recent {
    fn from(keys: Vec<Key>) -> Self {
        let mut recent = Self::new();
        for key in keys {
            recent.touch(key);
        }
        recent
    }
}

impl From<Recent> for Vec<Key> {
    fn from(recent: Recent) -> Self {
        let mut keys = Self::with_capacity(recent.len());
        let mut place = recent.nodes[ENDS].after;
        while place != ENDS {
            let node = recent.nodes[place];
            keys.push(node.key);
            place = node.after;
        }
        keys
    }
}

/// Hashes numbers by [`mix`]: no one chooses them to collide.
#[derive(Clone, Copy, Debug, Default)]
struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix(self.0 ^ number);
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::seed::SplitMix;

    /// Beside a list that is searched from end to end, over touches and drops in random turns.
    #[test]
    fn the_order_is_that_of_a_plain_list() {
        let mut random = SplitMix::new(7);
        let mut recent = Recent::new();
        let mut list: Vec<Key> = Vec::new();
        for _ in 0..20_000 {
            let drawn = random.bits();
            if drawn.is_multiple_of(5) {
                assert_eq!(recent.forget_first(), !list.is_empty());
                if !list.is_empty() {
                    list.remove(0);
                }
            } else {
                let key = (drawn >> 8 & 1, drawn >> 16 & 31);
                let place = list.iter().position(|other| *other == key);
                assert_eq!(recent.touch(key), place.is_some());
                if let Some(place) = place {
                    list.remove(place);
                }
                list.push(key);
            }
            assert_eq!(recent.len(), list.len());
        }
        assert!(recent.nodes.len() <= 65, "{}", recent.nodes.len());
        assert!(list.len() > 10);
        let again = Recent::from(Vec::from(recent.clone()));
        assert_eq!(Vec::from(again), list);
        assert_eq!(Vec::from(recent), list);
    }
}
