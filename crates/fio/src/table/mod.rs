//! The one option table of the fio dialect, as data: the parser, `--cmdhelp`, the nearest-name hints
//! and the generated reference all read it.
//!
//! Belongs here: names, kinds, defaults, ranges, support and a sentence of help for each option.
//! Must never appear here: what an option does to a plan (see `lower`).

/// A chapter of the table: rows, each a static whose name is the option's in capitals, with the kind of its
/// values as its type.
macro_rules! options {
    ($chapter:literal, $($key:ident: $kind:ty = $row:expr;)*) => {
        $(
            #[doc = concat!("`", stringify!($key), "` in small letters.")]
            pub(crate) static $key: super::Opt<$kind> = $row.row(stringify!($key), $chapter);
        )*

        pub(super) static OPTIONS: &[&super::OptionSpec] = &[$(&$key.spec),*];
    };
}

mod foreign;
mod io;
mod kind;
mod output;
mod structure;
mod target;
mod time;
mod verify;

pub(crate) use foreign::{StandIn, engines};
use kind::Plain;
pub(crate) use kind::{Choice, List, Opt, Text, Time, Typed};

/// The rows, by name: what the lowering asks a job for.
pub(crate) mod key {
    pub(crate) use super::foreign::*;
    pub(crate) use super::io::*;
    pub(crate) use super::output::*;
    pub(crate) use super::structure::*;
    pub(crate) use super::target::*;
    pub(crate) use super::time::*;
}

pub use leadline_dialect::spec::Support;
use std::collections::BTreeMap;
use std::sync::OnceLock;

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

/// Unit of a bare number that means a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Microseconds.
    Micros,
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

/// A job in which an option matters, and what it changes there.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Options of a job as words of a command line, without dashes; the row's own is among them.
    pub words: &'static str,
    /// What a line of the plan's short form (as in `tests/it/spec/`, without quotes) says that none says
    /// without it; after `- `, what no line says any more; empty = the plan is the same.
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
    pub(crate) beside: Option<&'static Opt<kind::Micros>>,
}

/// An option that is fully supported and has no default; the rest is added by the methods of [`Opt`].
const fn opt<K: Plain>(name: &'static str, help: &'static str) -> Opt<K> {
    Opt::new(OptionSpec::new(name, K::KIND, help))
}

/// As [`opt`], of these words.
const fn choice(
    name: &'static str,
    words: &'static [&'static str],
    help: &'static str,
) -> Opt<kind::Choice> {
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
    const fn row(mut self, key: &str, category: &'static str) -> Self {
        assert!(
            same_name(key.as_bytes(), self.spec.name.as_bytes()),
            "the key is not the option's name"
        );
        self.spec.category = category;
        self
    }

    const fn alias(mut self, names: &'static [&'static str]) -> Self {
        self.spec.aliases = names;
        self
    }

    const fn or(mut self, default: &'static str) -> Self {
        self.spec.default = Some(default);
        self
    }

    const fn within(mut self, min: i64, max: i64) -> Self {
        self.spec.range = Some((min, max));
        self
    }

    const fn under(mut self, parent: &'static str) -> Self {
        self.spec.parent = Some(parent);
        self
    }

    const fn of(mut self, engines: &'static [&'static str]) -> Self {
        self.spec.engines = engines;
        self
    }

    /// A test: these words change this in a plan.
    const fn case(mut self, words: &'static str, changes: &'static str) -> Self {
        self.spec.case = Some(Case { words, changes });
        self
    }

    const fn idle(mut self, reason: &'static str) -> Self {
        self.spec.support = Support::NoEffect(reason);
        self
    }

    const fn no(mut self, reason: &'static str) -> Self {
        self.spec.support = Support::Refused(reason);
        self
    }

    /// Done at these values only; the others are refused for this reason.
    const fn only(mut self, values: &'static [&'static str], reason: &'static str) -> Self {
        self.spec.only = Some(Only {
            values,
            reason,
            beside: None,
        });
        self
    }

    /// Done, but for values that are no words to list.
    const fn but(self, reason: &'static str) -> Self {
        self.only(&[], reason)
    }

    /// As [`Self::only`], where another option, a time, is in use.
    const fn only_beside(
        mut self,
        values: &'static [&'static str],
        beside: &'static Opt<kind::Micros>,
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

impl Opt<kind::Choice> {
    /// Its words take more after a `:`.
    const fn suffixed(mut self) -> Self {
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
                "full, but for a number of zones (`4z`): zones are not supported yet".to_owned()
            }
            (Support::Full, None) => "full".to_owned(),
            (Support::Full, Some(only)) if only.values.is_empty() => {
                format!("full, but: {}", only.reason)
            }
            (Support::Full, Some(only)) => {
                let values: Vec<String> = only.values.iter().map(|v| format!("`{v}`")).collect();
                let beside = only
                    .beside
                    .map_or_else(String::new, |b| format!(" beside {}", b.name));
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

    /// Place in the order in which a section's options are applied: units first, file names last.
    #[must_use]
    pub(crate) fn priority(&self) -> i32 {
        let first: [&Self; 4] = [
            &key::KB_BASE,
            &key::UNIT_BASE,
            &key::LOCKFILE,
            &key::CPUS_ALLOWED_POLICY,
        ];
        let last: [&Self; 2] = [&key::FILENAME, &key::FILENAME_FORMAT];
        let among = |some: &[&Self]| some.iter().any(|row| self.is(row));
        i32::from(among(&last)) - i32::from(among(&first))
    }
}

/// All options, chapter by chapter.
#[must_use]
pub fn options() -> &'static [&'static OptionSpec] {
    static ALL: OnceLock<Vec<&'static OptionSpec>> = OnceLock::new();
    ALL.get_or_init(|| {
        [
            structure::OPTIONS,
            target::OPTIONS,
            io::OPTIONS,
            time::OPTIONS,
            verify::OPTIONS,
            output::OPTIONS,
            foreign::OPTIONS,
        ]
        .concat()
    })
}

/// The option of this name or alias.
#[must_use]
pub fn find(name: &str) -> Option<&'static OptionSpec> {
    static INDEX: OnceLock<BTreeMap<&'static str, &'static OptionSpec>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let named = |spec: &'static OptionSpec| spec.names().map(move |name| (name, spec));
        options().iter().copied().flat_map(named).collect()
    });
    index.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_described() {
        let mut seen = BTreeSet::new();
        for spec in options() {
            for name in spec.names() {
                assert!(seen.insert(name), "{name} is there twice");
            }
            assert!(spec.help.len() > 10, "{} lacks help", spec.name);
            assert!(!spec.category.is_empty());
            if let Some(parent) = spec.parent {
                assert!(find(parent).is_some(), "{}: no parent {parent}", spec.name);
            }
        }
    }
}
