//! The kinds of values: their names, their types, and which grammar each has. A keyword's row names one, and
//! the lowering gets its type.
//!
//! Belongs here: what a value of each kind is in Rust. Must never appear here: how it is read from text
//! (see `value` and `list`).

use crate::fault::Fault;
use crate::lex::Value;
use crate::number::{Number, Unit};
use crate::value::{self, CommandSpec, ErrorSpec, RateSpec, RepeatSpec};
use leadline_dialect::diagnostic::Span;

/// A kind of values as a type.
pub(crate) trait Typed {
    /// What the lowering gets.
    type Value;

    /// The kind as data.
    const KIND: Kind;

    /// Reads a value.
    fn of(value: &Value) -> Result<Self::Value, Fault>;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident($name:literal) -> $type:ty = $read:expr;)*) => {
        /// What a value looks like.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// Name of the kind, for people.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// Whether the value is one of the kind.
            pub(crate) fn check(self, value: &Value) -> Result<(), Fault> {
                match self {
                    $(Self::$kind => $kind::of(value).map(drop),)*
                }
            }
        }

        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub(crate) enum $kind {}

            impl Typed for $kind {
                type Value = $type;

                const KIND: Kind = Kind::$kind;

                fn of(value: &Value) -> Result<$type, Fault> {
                    ($read)(value)
                }
            }
        )*
    };
}

kinds! {
    /// The name of the object that begins here, or `default`.
    Name("name") -> String = value::text;
    /// Names: a list, a range such as `(sd1-sd4)`, one trailing `*`.
    Names("names, a range `(sd1-sd4)`, or a prefix and `*`") -> Vec<(String, Span)> = value::names;
    /// Any text.
    Text("text") -> String = value::text;
    /// Any number of values, not looked at.
    Free("values") -> () = |_: &Value| Ok(());
    /// A whole number.
    Count("whole number") -> u64 = value::count;
    /// A number of bytes, or `(bytes,n)`: the n-th part of them; `None` = 0, as if it were not given.
    Bytes("bytes, or `(bytes,n)`") -> Option<u64> = value::bytes;
    /// A number of bytes that is a multiple of 512.
    Blocks("bytes, a multiple of 512") -> u64 = value::blocks;
    /// 0 to 100; more counts as 100.
    Percent("0 to 100") -> f64 = |value: &Value| Ok(value::single(value, Unit::Binary)?.value);
    /// A number above 0, fractions allowed.
    Ratio("number above 0") -> f64 = value::ratio;
    /// Seconds; `m` and `h` are minutes and hours.
    Time("seconds, or minutes and hours with `m` and `h`") -> u64 = value::time;
    /// `yes` or `no`.
    YesNo("yes or no") -> bool = |value: &Value| Ok(value::choice(value, &["yes", "no"])? == "yes");
    /// What starts the far end.
    Shell("rsh, ssh or vdbench") -> &'static str =
        |value: &Value| value::choice(value, &["rsh", "ssh", "vdbench"]);
    /// A size, `(size,percent,...)` or `(smallest,largest,step)`.
    Transfer("size, `(size,percent,...)` or `(smallest,largest,step)`") -> value::Transfer = value::transfer;
    /// How random: 0 to 100, `random`, `sequential`, `seqnz`, `eof`, `(poisson,n)`.
    Seek("0 to 100, random, sequential, seqnz, eof, `(poisson,n)`") -> value::Seek = value::seek;
    /// A rate, a list or range of rates, `max`, `curve`, `n%`.
    Rate("I/Os a second, a list, a range, max, curve or `n%`") -> RateSpec = value::rate;
    /// Numbers: a list, `(1-10,1)` in steps, `(1-64,d)` doubling.
    Numbers("number, list `(1,2)`, range `(1-10,1)` or `(1-64,d)`") -> Vec<Number> = value::numbers;
    /// Sizes of I/Os in bytes, as numbers are.
    Sizes("multiples of 512 bytes, list `(4k,8k)`, range `(4k-64k,d)`") -> Vec<Number> = value::sizes;
    /// Sizes of areas in bytes, as numbers are.
    Areas("bytes, list `(4k,8k)`, range `(4k-64k,d)`") -> Vec<Number> = value::areas;
    /// A number of streams, or `(number,size)`.
    Streams("number, or `(number,bytes)`") -> (u64, Option<u64>) = value::streams;
    /// A number, 0 or above.
    Limit("number, 0 or above") -> f64 = value::limit;
    /// `(from,to)`: percent up to 200, else bytes.
    Extent("`(from,to)` in percent, or in bytes above 200") -> value::Extent = value::extent;
    /// `(smallest,largest)` in bytes.
    Pair("`(smallest,largest)` in bytes") -> (u64, u64) = value::pair;
    /// `(first,how many)`.
    Series("`(first,number)`") -> (u64, u64) = value::pair;
    /// Flags for opening a file.
    Flags("o_direct, directio, o_sync, o_dsync, o_rsync, fsync or 0xNN") -> value::Flags = value::flags;
    /// How I/Os spread in time, and whether the rate varies.
    Distribution("exponential, uniform, deterministic or variable") -> (&'static str, bool) =
        value::distribution;
    /// How many errors end the run.
    Errors("number of errors, `(errors,seconds)`, `remove`, or a command") -> ErrorSpec = value::errors;
    /// Bounds of a histogram in microseconds; `u`, `m` and `s` are understood.
    Bounds("microseconds in rising order, `default`, `suppress`") -> (Vec<u64>, bool) = value::bounds;
    /// `(command,[cons|sum|log],[master|slave],[abort])`.
    Command("`(command,[cons|sum|log],[master|slave],[abort])`") -> CommandSpec = value::command;
    /// Which pages are written.
    Pages("host_detail, slave_detail, no_sd_detail, no_fsd_detail") -> Vec<&'static str> = value::pages;
    /// A number of rounds, or a time with `s`, `m` or `h`.
    Repeat("number of rounds, or a time with s, m or h") -> RepeatSpec = value::repeat;
}
