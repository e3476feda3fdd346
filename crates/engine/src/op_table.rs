//! Values by operation at fixed places, for what the hot loop reaches with every I/O. Everything else keeps its values
//! in an `OpMap`, by the operations that occur.
//!
//! Belongs here: the one array by operation; `cargo xtask tidy` refuses another. Must never: be searched.

use leadline_model::op::Op;
use std::ops::{Index, IndexMut};

/// A value for each operation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpTable<T>([T; Op::COUNT]);

impl<T> OpTable<T> {
    /// The value of each operation by its own rule.
    pub(crate) fn from_fn(of: impl FnMut(Op) -> T) -> Self {
        Self(Op::ALL.map(of))
    }

    /// Each operation with its value.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Op, &T)> {
        Op::ALL.into_iter().zip(&self.0)
    }

    /// The values, in the order of [`Op::ALL`].
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut()
    }
}

impl<T> Index<Op> for OpTable<T> {
    type Output = T;

    #[inline]
    fn index(&self, op: Op) -> &T {
        &self.0[op.index()]
    }
}

impl<T> IndexMut<Op> for OpTable<T> {
    #[inline]
    fn index_mut(&mut self, op: Op) -> &mut T {
        &mut self.0[op.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_has_its_own_place() {
        let mut names = OpTable::from_fn(Op::name);
        assert!(names.iter().all(|(op, name)| *name == op.name()));
        names[Op::Trim] = "discard";
        assert_eq!((names[Op::Trim], names[Op::Sync]), ("discard", "sync"));
        names.values_mut().for_each(|name| *name = "");
        assert!(Op::ALL.iter().all(|op| names[*op].is_empty()));
    }
}
