//! The kinds of values as types: an option's row names one, and the lowering gets that type of it.
//!
//! Belongs here: what a value of each kind is in Rust. Must never appear here: how it is read from text
//! (see `value`).

use super::{Kind, OptionSpec, TimeUnit};
use crate::value::Value;
use leadline_model::op::PerOp as EachOp;
use leadline_model::plan;
use std::marker::PhantomData;
use std::ops::Deref;

/// A row of the table, with the type of the option's values.
#[derive(Debug)]
pub(crate) struct Opt<K> {
    pub(super) spec: OptionSpec,
    kind: PhantomData<fn() -> K>,
}

impl<K> Opt<K> {
    pub(super) const fn new(spec: OptionSpec) -> Self {
        let kind = PhantomData;
        Self { spec, kind }
    }
}

impl<K> Deref for Opt<K> {
    type Target = OptionSpec;

    fn deref(&self) -> &OptionSpec {
        &self.spec
    }
}

/// A kind of values.
pub(crate) trait Typed {
    /// What the lowering gets.
    type Value;

    /// The value, when it is of this kind.
    fn of(value: &Value) -> Option<Self::Value>;
}

/// A kind that needs nothing but its name.
pub(crate) trait Plain: Typed {
    const KIND: Kind;
}

/// Microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Time(pub(crate) u64);

macro_rules! kinds {
    ($($name:ident($form:expr) -> $type:ty: $from:pat => $to:expr;)*) => {$(
        #[derive(Debug)]
        pub(crate) enum $name {}

        impl Typed for $name {
            type Value = $type;

            fn of(value: &Value) -> Option<$type> {
                match value {
                    $from => Some($to),
                    _ => None,
                }
            }
        }

        impl Plain for $name {
            const KIND: Kind = $form;
        }
    )*};
}

kinds! {
    Flag(Kind::Flag) -> bool: Value::Flag(on) => *on;
    Bool(Kind::Bool) -> bool: Value::Flag(on) => *on;
    Number(Kind::Number) -> i64: Value::Number(n) => *n;
    Millis(Kind::Millis) -> i64: Value::Number(n) => *n;
    PerOp(Kind::PerOp) -> EachOp<Option<u64>>: Value::PerOp(each) => *each;
    TimePerOp(Kind::TimePerOp) -> EachOp<Option<u64>>: Value::PerOp(each) => *each;
    Pair(Kind::Pair) -> (u64, u64): Value::Pair(low, high) => (*low, *high);
    TimePair(Kind::TimePair) -> (u64, u64): Value::Pair(low, high) => (*low, *high);
    Amount(Kind::Amount) -> plan::Amount: Value::Amount(amount) => *amount;
    Ranges(Kind::Ranges) -> EachOp<Option<(u64, u64)>>: Value::Ranges(each) => *each;
    Seconds(Kind::Time(TimeUnit::Seconds)) -> Time: Value::Time(us) => Time(*us);
    Micros(Kind::Time(TimeUnit::Micros)) -> Time: Value::Time(us) => Time(*us);
    Floats(Kind::Floats) -> Vec<f64>: Value::Floats(list) => list.clone();
    Text(Kind::Text) -> String: Value::Text(text) => text.clone();
    List(Kind::List) -> String: Value::Text(text) => text.clone();
}

/// One of the row's words.
#[derive(Debug)]
pub(crate) enum Choice {}

impl Typed for Choice {
    type Value = &'static str;

    fn of(value: &Value) -> Option<&'static str> {
        match value {
            Value::Choice(word, _) => Some(word),
            _ => None,
        }
    }
}
