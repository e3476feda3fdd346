//! The one keyword table of Vdbench's language, as data, by object and in the order in which an abbreviation
//! is matched. Parser, lowering, nearest-name hints, manual and the generated reference all read it.
//!
//! Belongs here: names, kinds, defaults, refused values, support, a sentence of help and a test case for each
//! keyword. Must never appear here: what a keyword does to a plan (see `lower`).

/// The keywords of an object: rows, each a static whose name is the keyword's in capitals, with the kind of
/// its values as its type.
macro_rules! keywords {
    ($object:expr, $($key:ident: $kind:ty = $row:expr;)*) => {
        $(
            #[doc = concat!("`", stringify!($key), "` in small letters.")]
            pub(crate) static $key: super::Keyword<$kind> = $row.row(stringify!($key), $object);
        )*

        pub(super) static KEYWORDS: &[&super::KeywordSpec] = &[$(&$key.spec),*];
    };
}

mod fsd;
mod fwd;
pub(crate) mod general;
pub(crate) mod hd;
mod kind;
pub(crate) mod rd;
pub(crate) mod sd;
pub(crate) mod wd;

pub use kind::Kind;
pub(crate) use kind::Typed;
pub use leadline_dialect::spec::Support;

/// The rows, by object and name: what the lowering asks a definition for.
pub(crate) mod row {
    pub(crate) use super::{general, hd, rd, sd, wd};
}

use crate::lex::{self, Value};
use leadline_dialect::diagnostic::SourceId;
use leadline_dialect::text::Text;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::OnceLock;

/// The objects of a parameter file, in the order in which they must come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    /// Before the first object.
    General,
    /// Host definition.
    Hd,
    /// Storage definition.
    Sd,
    /// File system definition.
    Fsd,
    /// Workload definition.
    Wd,
    /// File system workload definition.
    Fwd,
    /// Run definition.
    Rd,
}

/// What a run definition can vary from run to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Varied {
    /// Sizes of I/Os.
    Xfersize,
    /// I/Os in flight for each storage.
    Threads,
    /// Share of reads.
    Rdpct,
    /// Share of reads in the hit area.
    Rhpct,
    /// Share of writes in the hit area.
    Whpct,
    /// Share of random I/Os.
    Seekpct,
    /// Size of the hit area.
    Hitarea,
    /// Ratio of compression.
    Compratio,
    /// Percentage that data compresses to.
    Compression,
}

impl Varied {
    /// The keyword that a list of values is in, as the names of runs show it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xfersize => "xfersize",
            Self::Threads => "threads",
            Self::Rdpct => "rdpct",
            Self::Rhpct => "rhpct",
            Self::Whpct => "whpct",
            Self::Seekpct => "seekpct",
            Self::Hitarea => "hitarea",
            Self::Compratio => "compratio",
            Self::Compression => "compression",
        }
    }

    /// Whether it is a share in percent.
    pub(crate) const fn is_percent(self) -> bool {
        matches!(self, Self::Rdpct | Self::Rhpct | Self::Whpct)
    }
}

/// A keyword.
#[derive(Clone, Copy, Debug)]
pub struct KeywordSpec {
    /// Where it stands.
    pub object: Object,
    /// Its full name.
    pub name: &'static str,
    /// Other full names, matched at the same place.
    pub aliases: &'static [&'static str],
    /// It may not be abbreviated.
    pub exact: bool,
    /// What a value looks like.
    pub kind: Kind,
    /// Default, as text in the keyword's own grammar; `None` when there is none.
    pub default: Option<&'static str>,
    /// How far leadline goes with it.
    pub support: Support,
    /// Words of its values that are refused, each with the reason.
    pub refused: &'static [(&'static str, &'static str)],
    /// What it makes one run for each of its values of.
    pub varies: Option<Varied>,
    /// What it sets: of keywords that set the same the last one holds.
    pub(crate) setting: &'static str,
    /// What it changes; `None` when it changes no plan.
    pub case: Option<Case>,
    /// What it does, in one sentence.
    pub help: &'static str,
}

/// A parameter file in which a keyword matters, or a command line in which a switch does, and what it changes there.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Parameters with blanks between them, the row's own among them: those of its object as they are written,
    /// those of another with `sd.` or the like before them. Of a switch: words of a command line.
    pub words: &'static str,
    /// What a line of the outcome (the plan's short form as in `tests/it/spec/`, without quotes) says that none
    /// says without it; after `- `, what no line says any more.
    pub changes: &'static str,
}

/// A row of the table, with the type of the keyword's values.
#[derive(Debug)]
pub(crate) struct Keyword<K> {
    spec: KeywordSpec,
    kind: PhantomData<fn() -> K>,
}

impl<K> Deref for Keyword<K> {
    type Target = KeywordSpec;

    fn deref(&self) -> &KeywordSpec {
        &self.spec
    }
}

/// A keyword that is fully supported and has no default; the rest is added by the methods of [`Keyword`].
const fn key<K: Typed>(name: &'static str, help: &'static str) -> Keyword<K> {
    Keyword {
        spec: KeywordSpec {
            object: Object::General,
            name,
            aliases: &[],
            exact: false,
            kind: K::KIND,
            default: None,
            support: Support::Full,
            refused: &[],
            varies: None,
            setting: name,
            case: None,
            help,
        },
        kind: PhantomData,
    }
}

impl<K> Keyword<K> {
    /// Ends a row: what the macro knows of it.
    const fn row(mut self, key: &str, object: Object) -> Self {
        assert!(
            key.eq_ignore_ascii_case(self.spec.name),
            "the key is not the keyword's name"
        );
        self.spec.object = object;
        self
    }

    const fn also(mut self, aliases: &'static [&'static str]) -> Self {
        self.spec.aliases = aliases;
        self
    }

    const fn whole(mut self) -> Self {
        self.spec.exact = true;
        self
    }

    const fn or(mut self, default: &'static str) -> Self {
        self.spec.default = Some(default);
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

    /// Done, but for these words.
    const fn but(mut self, refused: &'static [(&'static str, &'static str)]) -> Self {
        self.spec.refused = refused;
        self
    }

    /// A run for each of its values.
    const fn varies(mut self, what: Varied) -> Self {
        self.spec.varies = Some(what);
        self.spec.setting = what.name();
        self
    }

    /// Another way to set what this keyword sets.
    const fn in_place_of(mut self, name: &'static str) -> Self {
        self.spec.setting = name;
        self
    }

    /// A test: these words change this in a plan.
    const fn case(mut self, words: &'static str, changes: &'static str) -> Self {
        self.spec.case = Some(Case { words, changes });
        self
    }
}

impl<K: Typed> Keyword<K> {
    /// The default as a value.
    pub(crate) fn default(&self) -> Option<K::Value> {
        K::of(&self.default_value()?).ok()
    }
}

impl KeywordSpec {
    /// All full names, the canonical one first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Whether it is this keyword.
    pub(crate) fn is(&self, other: &Self) -> bool {
        (self.object, self.name) == (other.object, other.name)
    }

    /// Whether it sets what another one sets.
    pub(crate) fn sets_as(&self, other: &Self) -> bool {
        (self.object, self.setting) == (other.object, other.setting)
    }

    /// What of a value is refused, with the reason.
    pub(crate) fn refused_in(
        &self,
        value: &Value,
    ) -> impl Iterator<Item = (&'static str, &'static str)> {
        let asked = |word: &str| {
            let mut items = value.items.iter();
            items.any(|item| lex::word(item.text.as_str(), &[word]).is_some())
        };
        self.refused
            .iter()
            .copied()
            .filter(move |(word, _)| asked(word))
    }

    /// The default as it would be written in a file.
    pub(crate) fn default_value(&self) -> Option<Value> {
        let text = format!("{}={}", self.name, self.default?);
        let line = Text::new(SourceId::default(), 0, &text);
        let token = lex::tokens(&[line], &mut Vec::new()).into_iter().next();
        token.map(|token| token.value)
    }

    /// How far leadline goes with it, as the reference says it.
    #[must_use]
    pub fn support_word(&self) -> String {
        let mut text = match self.support {
            Support::Full => "full".to_owned(),
            Support::NoEffect(reason) => format!("no effect: {reason}"),
            Support::Refused(reason) => format!("refused: {reason}"),
        };
        for (word, reason) in self.refused {
            text += &format!(", except `{word}`: {reason}");
        }
        text
    }
}

const WHY_FILES: &str = "file system workloads (FSD, FWD) are not supported yet; raw workloads are";
const WHY_VALIDATE: &str = "data validation and journals are not supported yet";
const WHY_REPLAY: &str = "replaying a trace is not supported yet";
const WHY_JAVA: &str = "leadline does not use Java: one process does the work of a host";
const WHY_SOLARIS: &str = "it is for Solaris";
const WHY_DEDUP: &str =
    "only dedupratio and dedupunit shape the data; the distribution of duplicates cannot be set";

/// All keywords. Within an object, an abbreviation means the first keyword that begins with it.
#[must_use]
pub fn keywords() -> &'static [&'static KeywordSpec] {
    static ALL: OnceLock<Vec<&'static KeywordSpec>> = OnceLock::new();
    ALL.get_or_init(|| {
        [
            general::KEYWORDS,
            hd::KEYWORDS,
            sd::KEYWORDS,
            fsd::KEYWORDS,
            wd::KEYWORDS,
            fwd::KEYWORDS,
            rd::KEYWORDS,
        ]
        .concat()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_of_its_kind() {
        let mut seen = 0;
        for spec in keywords() {
            if let Some(value) = spec.default_value() {
                assert!(spec.kind.check(&value).is_ok(), "{}", spec.name);
                seen += 1;
            }
        }
        assert!(seen > 20, "{seen}");
    }
}
