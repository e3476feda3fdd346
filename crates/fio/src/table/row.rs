//! A row of the table: what it says of an option, and the kind of its values as a type, which the lowering gets.
//!
//! Belongs here: what a row can say, and what a value of each kind is in Rust. Must never appear here: a row, or how a
//! value is read from text (see `value`).

use crate::number::TimeUnit;
use leadline_dialect::spec::Support;
use leadline_dialect::text::Text as Words;
use leadline_model::op::PerOp as EachOp;
use leadline_model::plan;
use std::marker::PhantomData;
use std::ops::Deref;

/// A typed value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Flag(bool),
    Number(i64),
    /// A value for those of read, write and trim that were named.
    PerOp(EachOp<Option<u64>>),
    Pair(u64, u64),
    Amount(plan::Amount),
    Ranges(EachOp<Option<(u64, u64)>>),
    /// Microseconds.
    Time(u64),
    /// The word, and the text after its `:`.
    Choice(&'static str, Option<Words>),
    Floats(Vec<f64>),
    Text(String),
}

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

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Given alone, or with `=0` or `=1`.
    Flag,
    /// 0 or 1.
    Bool,
    /// A number with an optional unit: k, m, g, t, p.
    Number,
    /// Up to three numbers, for reads, writes and trims.
    PerOp,
    /// One number, or two with `-` between them.
    Pair,
    /// A number of bytes, or a share in percent.
    Amount,
    /// Up to three ranges of sizes, for reads, writes and trims.
    Ranges,
    /// A time; a bare number is in this unit.
    Time(TimeUnit),
    /// One time, or two with `-` between them; a bare number is in seconds.
    TimePair,
    /// Up to three times, for reads, writes and trims; a bare number is in microseconds.
    TimePerOp,
    /// A number of milliseconds; no unit is understood.
    Millis,
    /// One of these words; some take more after a `:`.
    Choice(&'static [&'static str]),
    /// Fractions with `:` between them.
    Floats,
    /// Any text.
    Text,
    /// A list with a grammar of its own.
    List,
}

impl Kind {
    /// Name of the kind, for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Bool => "0 or 1",
            Self::Number => "number",
            Self::PerOp => "numbers for read,write,trim",
            Self::Pair => "number or range",
            Self::Amount => "bytes or percent",
            Self::Ranges => "ranges for read,write,trim",
            Self::Time(TimeUnit::Seconds) => "time (s)",
            Self::Time(TimeUnit::Micros) => "time (us)",
            Self::TimePair => "time or range (s)",
            Self::TimePerOp => "times for read,write,trim (us)",
            Self::Millis => "milliseconds",
            Self::Choice(_) => "one of the values",
            Self::Floats => "fractions",
            Self::Text => "text",
            Self::List => "list",
        }
    }
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// Canonical name: the one results show.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What a value looks like.
    pub kind: Kind,
    /// Default, as text in the option's own grammar; `None` when there is none.
    pub default: Option<&'static str>,
    /// Smallest and largest number accepted, both included.
    pub range: Option<(i64, i64)>,
    /// The option this one refines.
    pub parent: Option<&'static str>,
    /// Engines it belongs to; empty = any.
    pub engines: &'static [&'static str],
    /// How far leadline goes with it.
    pub support: Support,
    /// The only values that are done, and why no others are; `None` = all.
    pub only: Option<Only>,
    /// Its words take more after a `:`.
    pub suffix: bool,
    /// What it changes; `None` when it changes no plan.
    pub case: Option<Case>,
    /// Chapter of the reference.
    pub category: &'static str,
    /// What it does, in one sentence.
    pub help: &'static str,
}

/// A job in which an option matters, or a command line in which a switch does, and what it changes there.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Options of a job as words of a command line, without dashes; the row's own is among them. Of a switch:
    /// words of a command line with their dashes.
    pub words: &'static str,
    /// What a line of the plan's short form (as in `tests/it/spec/`, without quotes), or of what is asked
    /// beside the plan, says that none says without it; after `- `, what no line says any more; empty = the
    /// plan is the same.
    pub changes: &'static str,
}

/// Which values of an option are done. The same fact refuses the others and makes the reference's word, so
/// that neither can be without the other.
#[derive(Clone, Copy, Debug)]
pub struct Only {
    /// The values, as they are written; empty = all but those of which `reason` speaks.
    pub values: &'static [&'static str],
    /// Why others are refused.
    pub reason: &'static str,
    /// Where others are refused; `None` = everywhere.
    pub(crate) beside: Option<&'static Opt<Micros>>,
}

/// An option that is fully supported and has no default; the rest is added by the methods of [`Opt`].
pub(super) const fn opt<K: Plain>(name: &'static str, help: &'static str) -> Opt<K> {
    Opt::new(OptionSpec::new(name, K::KIND, help))
}

/// As [`opt`], of these words.
pub(super) const fn choice(
    name: &'static str,
    words: &'static [&'static str],
    help: &'static str,
) -> Opt<Choice> {
    Opt::new(OptionSpec::new(name, Kind::Choice(words), help))
}

/// Whether a key is an option's name in capitals, `_` for `-`.
const fn same_name(key: &[u8], name: &[u8]) -> bool {
    let mut i = 0;
    while i < key.len() && i < name.len() {
        let c = if name[i] == b'-' { b'_' } else { name[i] };
        if key[i] != c.to_ascii_uppercase() {
            return false;
        }
        i += 1;
    }
    key.len() == name.len()
}

impl<K> Opt<K> {
    /// Ends a row: what the macro knows of it.
    pub(super) const fn row(mut self, key: &str, category: &'static str) -> Self {
        assert!(
            same_name(key.as_bytes(), self.spec.name.as_bytes()),
            "the key is not the option's name"
        );
        self.spec.category = category;
        self
    }

    pub(super) const fn alias(mut self, names: &'static [&'static str]) -> Self {
        self.spec.aliases = names;
        self
    }

    pub(super) const fn or(mut self, default: &'static str) -> Self {
        self.spec.default = Some(default);
        self
    }

    pub(super) const fn within(mut self, min: i64, max: i64) -> Self {
        self.spec.range = Some((min, max));
        self
    }

    pub(super) const fn under(mut self, parent: &'static str) -> Self {
        self.spec.parent = Some(parent);
        self
    }

    pub(super) const fn of(mut self, engines: &'static [&'static str]) -> Self {
        self.spec.engines = engines;
        self
    }

    /// A test: these words change this in a plan.
    pub(super) const fn case(mut self, words: &'static str, changes: &'static str) -> Self {
        self.spec.case = Some(Case { words, changes });
        self
    }

    pub(super) const fn idle(mut self, reason: &'static str) -> Self {
        self.spec.support = Support::NoEffect(reason);
        self
    }

    pub(super) const fn no(mut self, reason: &'static str) -> Self {
        self.spec.support = Support::Refused(reason);
        self
    }

    /// Done at these values only; the others are refused for this reason.
    pub(super) const fn only(
        mut self,
        values: &'static [&'static str],
        reason: &'static str,
    ) -> Self {
        self.spec.only = Some(Only {
            values,
            reason,
            beside: None,
        });
        self
    }

    /// Done, but for values that are no words to list.
    pub(super) const fn but(self, reason: &'static str) -> Self {
        self.only(&[], reason)
    }

    /// As [`Self::only`], where another option, a time, is in use.
    pub(super) const fn only_beside(
        mut self,
        values: &'static [&'static str],
        beside: &'static Opt<Micros>,
        reason: &'static str,
    ) -> Self {
        self.spec.only = Some(Only {
            values,
            reason,
            beside: Some(beside),
        });
        self
    }
}

impl Opt<Choice> {
    /// Its words take more after a `:`.
    pub(super) const fn suffixed(mut self) -> Self {
        self.spec.suffix = true;
        self
    }
}

impl OptionSpec {
    const fn new(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self {
            name,
            aliases: &[],
            kind,
            default: None,
            range: None,
            parent: None,
            engines: &[],
            support: Support::Full,
            only: None,
            suffix: false,
            case: None,
            category: "",
            help,
        }
    }

    /// How far leadline goes with it, as the reference says it.
    #[must_use]
    pub fn support_word(&self) -> String {
        match (self.support, self.only) {
            (Support::NoEffect(reason), _) => format!("no effect: {reason}"),
            (Support::Refused(reason), _) => format!("refused: {reason}"),
            (Support::Full, None) if self.kind == Kind::Amount => {
                "full, except for a number of zones (`4z`): zones are not supported yet".to_owned()
            }
            (Support::Full, None) => "full".to_owned(),
            (Support::Full, Some(only)) if only.values.is_empty() => {
                format!("full, except: {}", only.reason)
            }
            (Support::Full, Some(only)) => {
                let values: Vec<String> = only.values.iter().map(|v| format!("`{v}`")).collect();
                let beside = only
                    .beside
                    .map_or_else(String::new, |b| format!(" with {}", b.name));
                format!("only {}{beside}: {}", values.join(", "), only.reason)
            }
        }
    }

    /// Whether it is this option.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.name == other.name
    }

    /// All names, the canonical one first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}
