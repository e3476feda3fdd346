//! An option of a study: what its row in the table has, and what is read from it.
//!
//! Belongs here: how rows are written, and which default is of which study. Must never appear here: a row.

use crate::draft::Draft;
use crate::studies::{Asks, StudySpec};

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// Its name: `--name` on a command line, a key in a file.
    pub name: &'static str,
    /// What its value looks like; empty = it has none.
    pub value: &'static str,
    /// Whether it may be given several times; in a file it is a list then.
    pub repeats: bool,
    /// The studies that have it; empty = all.
    pub studies: &'static [&'static str],
    /// What it means, a sentence without its full stop.
    pub help: &'static str,
    /// What holds without it; empty = nothing, or what the study's row says.
    pub default: &'static str,
    /// Studies in which something else holds without it.
    pub default_in: &'static [(&'static [&'static str], &'static str)],
    /// A value, as it would be given; what it changes is tested.
    pub example: &'static str,
    /// Puts a value where it belongs, or says what is wrong with it.
    pub(crate) take: fn(&mut Draft, &str) -> Result<(), String>,
}

/// A study of the same name as an option's study list has it; empty lists have all.
impl OptionSpec {
    /// Whether a study has it.
    #[must_use]
    pub fn is_of(&self, study: &StudySpec) -> bool {
        self.studies.is_empty() || self.studies.contains(&study.name)
    }

    /// What holds without it in one study; empty = nothing.
    #[must_use]
    pub fn default_of(&self, study: &StudySpec) -> &'static str {
        if study.asks == Asks::Arms && !self.default_in.is_empty() {
            return "that of the study in each arm";
        }
        let own = self.default_in.iter();
        let own = own.clone().find(|(names, _)| names.contains(&study.name));
        own.map_or(self.default, |(_, default)| default)
    }

    /// What holds without it, in words: that of all other studies first, then those of some under their names.
    #[must_use]
    pub fn defaults(&self) -> String {
        let mut words = self.default.to_owned();
        for (names, default) in self.default_in {
            let names = match names {
                [rest @ .., last] if !rest.is_empty() => {
                    format!("{} and {last}", rest.join(", "))
                }
                names => names.concat(),
            };
            words += &format!("; {names} {default}");
        }
        words
    }
}

pub(crate) const fn option(
    name: &'static str,
    value: &'static str,
    help: &'static str,
    example: &'static str,
    take: fn(&mut Draft, &str) -> Result<(), String>,
) -> OptionSpec {
    OptionSpec {
        name,
        value,
        repeats: false,
        studies: &[],
        help,
        default: "",
        default_in: &[],
        example,
        take,
    }
}

impl OptionSpec {
    pub(crate) const fn of(mut self, studies: &'static [&'static str]) -> Self {
        self.studies = studies;
        self
    }

    pub(crate) const fn default(mut self, default: &'static str) -> Self {
        self.default = default;
        self
    }

    pub(crate) const fn but(
        mut self,
        default_in: &'static [(&'static [&'static str], &'static str)],
    ) -> Self {
        self.default_in = default_in;
        self
    }

    pub(crate) const fn repeated(mut self) -> Self {
        self.repeats = true;
        self
    }
}
