//! Operations: what one task of a worker does, which class each belongs to, and values kept by operation.
//!
//! A new operation is one line of the table below; whoever prints, stores or sums asks its class and never lists the
//! operations. Must never: know how an operation is done, or what it means to a front end.

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;

/// What an operation is to the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpClass {
    /// Moves or discards bytes of a file or device: what IOPS and throughput are made of.
    Data,
    /// Waits until data already written is stable (fsync, fdatasync): never part of IOPS.
    Barrier,
    /// Works on names and attributes of a file system: a rate of its own, never part of IOPS.
    Metadata,
}

/// One line an operation: its code in run files (never used again for another), name and class.
macro_rules! operations {
    ($($(#[$doc:meta])* $op:ident = $code:literal, $name:literal, $class:ident;)*) => {
        /// What one task of a worker does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Op {
            $($(#[$doc])* #[serde(rename = $name)] $op = $code,)*
        }

        impl Op {
            /// All of them, in the order of their codes.
            pub const ALL: [Self; [$($code),*].len()] = [$(Self::$op),*];

            /// Lower-case name, as in run files, JSON and CSV: `read`, `write`, ...
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$op => $name,)*
                }
            }

            /// What it is to the figures.
            #[must_use]
            pub const fn class(self) -> OpClass {
                match self {
                    $(Self::$op => OpClass::$class,)*
                }
            }
        }
    };
}

operations! {
    /// Data from the target.
    Read = 0, "read", Data;
    /// Data to the target.
    Write = 1, "write", Data;
    /// Discard of a range.
    Trim = 2, "trim", Data;
    /// fsync, fdatasync and their like.
    Sync = 3, "sync", Barrier;
}

impl Op {
    /// Those on blocks of a file or device, for which plans have a [`PerOp`] each; fio's data directions.
    pub const BLOCK: [Self; 3] = [Self::Read, Self::Write, Self::Trim];

    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Position in an array of [`Op::COUNT`], which only the table of the hot loop is.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its code in run files.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The operation with this code; `None` for one that this version does not know.
    #[must_use]
    pub fn of_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.code() == code)
    }

    /// The operation of this name; `None` for one that this version does not know.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.name() == name)
    }

    /// Whether it is part of IOPS and throughput.
    #[must_use]
    pub const fn is_data(self) -> bool {
        matches!(self.class(), OpClass::Data)
    }

    /// Those that are part of IOPS and throughput, in the order of their codes.
    pub fn data() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|op| op.is_data())
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Values of those operations that occur, in the order of their codes.
///
/// Serialized as a map by name. A reader of JSON skips operations it does not know; the binary form is read by the
/// same build only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpMap<T>(Vec<(Op, T)>);

impl<T> Default for OpMap<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> OpMap<T> {
    /// The value of `op`, if it occurs.
    #[must_use]
    pub fn get(&self, op: Op) -> Option<&T> {
        // A handful at most: cheaper than a search by halves.
        self.iter().find(|entry| entry.0 == op).map(|entry| entry.1)
    }

    /// The value of `op`, if it occurs.
    pub fn get_mut(&mut self, op: Op) -> Option<&mut T> {
        let entry = self.0.iter_mut().find(|entry| entry.0 == op);
        entry.map(|entry| &mut entry.1)
    }

    /// The value of `op`, made by `make` when it does not occur yet.
    pub fn get_or_insert_with(&mut self, op: Op, make: impl FnOnce() -> T) -> &mut T {
        let place = match self.0.binary_search_by_key(&op, |entry| entry.0) {
            Ok(place) => place,
            Err(place) => {
                self.put(place, (op, make()));
                place
            }
        };
        &mut self.0[place].1
    }

    /// The value of `op`, made when it does not occur yet.
    pub fn entry(&mut self, op: Op) -> &mut T
    where
        T: Default,
    {
        self.get_or_insert_with(op, T::default)
    }

    /// Puts a value in place of the one there was.
    pub fn insert(&mut self, op: Op, value: T) {
        match self.0.binary_search_by_key(&op, |entry| entry.0) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.put(place, (op, value)),
        }
    }

    /// Room for one more and no other: most often there is one, of a few hundred bytes, in each of many thousands.
    fn put(&mut self, place: usize, entry: (Op, T)) {
        self.0.reserve_exact(1);
        self.0.insert(place, entry);
    }

    /// Whether none occurs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many occur.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// All that occur, in the order of their codes.
    pub fn iter(&self) -> impl Iterator<Item = (Op, &T)> {
        self.0.iter().map(|(op, value)| (*op, value))
    }

    /// The values, in the order of the codes.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|entry| &entry.1)
    }

    /// The values, in the order of the codes.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|entry| &mut entry.1)
    }

    /// The values of what is part of IOPS and throughput.
    pub fn data(&self) -> impl Iterator<Item = &T> {
        let data = self.iter().filter(|(op, _)| op.is_data());
        data.map(|(_, value)| value)
    }

    /// Bytes of memory that the entries take, without what the values hold elsewhere.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<(Op, T)>()
    }

    /// A value made of each.
    pub fn map<U>(&self, mut of: impl FnMut(Op, &T) -> U) -> OpMap<U> {
        OpMap(self.iter().map(|(op, value)| (op, of(op, value))).collect())
    }
}

impl<T> IntoIterator for OpMap<T> {
    type Item = (Op, T);
    type IntoIter = std::vec::IntoIter<(Op, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<T> FromIterator<(Op, T)> for OpMap<T> {
    fn from_iter<I: IntoIterator<Item = (Op, T)>>(entries: I) -> Self {
        let mut map = Self::default();
        entries
            .into_iter()
            .for_each(|(op, value)| map.insert(op, value));
        map
    }
}

impl<T: Serialize> Serialize for OpMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (op, value) in self.iter() {
            map.serialize_entry(&op, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OpMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let by_name = deserializer.is_human_readable();
        deserializer.deserialize_map(MapVisitor(by_name, PhantomData))
    }
}

/// Reads a map, by names of which some may be unknown or by the numbers of the same build.
struct MapVisitor<T>(bool, PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for MapVisitor<T> {
    type Value = OpMap<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map by operation")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<OpMap<T>, A::Error> {
        let mut map = OpMap::default();
        if !self.0 {
            while let Some((op, value)) = access.next_entry()? {
                map.insert(op, value);
            }
            return Ok(map);
        }
        while let Some(name) = access.next_key::<String>()? {
            match Op::named(&name) {
                Some(op) => map.insert(op, access.next_value()?),
                None => {
                    access.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(map)
    }
}

/// A setting for each of read, write and trim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerOp<T> {
    /// For reads.
    pub read: T,
    /// For writes.
    pub write: T,
    /// For trims.
    pub trim: T,
}

impl<T> PerOp<T> {
    /// The value for `op`; syncs have none of their own and share the write's.
    pub fn get(&self, op: Op) -> &T {
        match op {
            Op::Read => &self.read,
            Op::Write | Op::Sync => &self.write,
            Op::Trim => &self.trim,
        }
    }

    /// The value for each.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Op, &mut T)> {
        let Self { read, write, trim } = self;
        Op::BLOCK.into_iter().zip([read, write, trim])
    }

    /// The same value three times.
    pub fn splat(value: T) -> Self
    where
        T: Clone,
    {
        Self {
            read: value.clone(),
            write: value.clone(),
            trim: value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::value;

    #[test]
    fn codes_and_names_are_unique_and_lead_back() {
        for (place, op) in Op::ALL.into_iter().enumerate() {
            assert_eq!(op.index(), place);
            assert_eq!(Op::of_code(op.code()), Some(op));
            assert_eq!(Op::named(op.name()), Some(op));
            let json = serde_json::to_string(&op).unwrap();
            assert_eq!(json, format!("\"{}\"", op.name()));
        }
        assert_eq!((Op::of_code(255), Op::named("sing")), (None, None));
    }

    /// Codes and classes are kept in run files and decide what IOPS are: a change is a change of format.
    #[test]
    fn codes_and_classes_are_those_of_the_first_run_files() {
        let known = [
            ("read", 0, OpClass::Data),
            ("write", 1, OpClass::Data),
            ("trim", 2, OpClass::Data),
            ("sync", 3, OpClass::Barrier),
        ];
        for (name, code, class) in known {
            let op = Op::named(name).unwrap();
            assert_eq!((op.code(), op.class()), (code, class), "{name}");
        }
    }

    #[test]
    fn a_map_is_in_the_order_of_codes_however_it_was_filled() {
        let mut map: OpMap<u32> = [(Op::Sync, 7), (Op::Write, 2)].into_iter().collect();
        map.insert(Op::Read, 1);
        *map.entry(Op::Write) += 10;
        *map.entry(Op::Trim) += 3;
        let all: Vec<(Op, u32)> = map.iter().map(|(op, &value)| (op, value)).collect();
        let expected = [(Op::Read, 1), (Op::Write, 12), (Op::Trim, 3), (Op::Sync, 7)];
        assert_eq!(all, expected);
        assert_eq!(map.data().sum::<u32>(), 16);
        assert_eq!(map.get(Op::Sync), Some(&7));
        assert_eq!(OpMap::<u32>::default().get(Op::Read), None);
        assert!(OpMap::<u32>::default().is_empty() && !map.is_empty());
    }

    /// A binary form: the operations by their numbers.
    struct ByNumber(Vec<(u32, u32)>);

    impl<'de> Deserializer<'de> for ByNumber {
        type Error = value::Error;

        fn is_human_readable(&self) -> bool {
            false
        }

        fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, value::Error> {
            visitor.visit_map(value::MapDeserializer::new(self.0.into_iter()))
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
        }
    }

    #[test]
    fn a_binary_form_holds_the_operations_by_number_and_none_that_is_unknown() {
        let map = OpMap::<u32>::deserialize(ByNumber(vec![(2, 7), (0, 5)]));
        assert_eq!(
            map,
            Ok([(Op::Read, 5), (Op::Trim, 7)].into_iter().collect())
        );
        assert!(OpMap::<u32>::deserialize(ByNumber(vec![(0, 5), (200, 7)])).is_err());
    }

    /// Each entry has some hundred bytes, and there are many thousand maps.
    #[test]
    fn a_map_has_room_for_what_occurs_and_no_more() {
        let mut map = OpMap::default();
        for (number, op) in (1..).zip([Op::Write, Op::Read, Op::Trim]) {
            *map.entry(op) = [number; 8];
            assert_eq!((map.len(), map.0.capacity()), (number, number));
        }
    }

    #[test]
    fn a_reader_of_json_skips_operations_it_does_not_know() {
        let json = r#"{"rename": {"deep": [1]}, "write": 2, "read": 1}"#;
        let map: OpMap<u32> = serde_json::from_str(json).unwrap();
        assert_eq!(map, [(Op::Read, 1), (Op::Write, 2)].into_iter().collect());
        assert_eq!(
            serde_json::to_string(&map).unwrap(),
            r#"{"read":1,"write":2}"#
        );
        assert!(serde_json::from_str::<OpMap<u32>>(r#"{"read": "x"}"#).is_err());
    }

    #[test]
    fn a_value_that_is_changed_is_that_of_its_operation() {
        let mut map: OpMap<u32> = [(Op::Read, 1), (Op::Trim, 2)].into_iter().collect();
        *map.get_mut(Op::Trim).unwrap() += 5;
        assert_eq!(map.get_mut(Op::Write), None);
        assert_eq!(map, [(Op::Read, 1), (Op::Trim, 7)].into_iter().collect());
        assert_eq!(OpMap::<u32>::default().heap_bytes(), 0);
        assert_eq!(map.heap_bytes() % size_of::<(Op, u32)>(), 0);
        assert!(map.heap_bytes() >= 2 * size_of::<(Op, u32)>());
    }
}
