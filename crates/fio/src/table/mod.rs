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
            pub(crate) static $key: super::row::Opt<$kind> = $row.row(stringify!($key), $chapter);
        )*

        pub(super) static OPTIONS: &[&super::row::OptionSpec] = &[$(&$key.spec),*];
    };
}

mod foreign;
mod io;
mod output;
mod row;
mod structure;
mod target;
mod time;
mod verify;

pub(crate) use foreign::{StandIn, engines};
pub use row::{Case, Kind, Only, OptionSpec};
pub(crate) use row::{Choice, List, Opt, Text, Time, Typed, Value};

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

impl OptionSpec {
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
