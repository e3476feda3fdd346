//! The words of a study's command line: options with their values, the rest its name and its targets.
//!
//! Belongs here: the grammar of words. Must never appear here: what an option means.

use crate::file;
use crate::option::OptionSpec;
use crate::reading::Reading;
use crate::studies::{STUDIES, StudySpec};
use leadline_dialect::diagnostic::{Diagnostic, Span, nearest};

/// Whether a word is a name, = and what a group has: no path, and no law of a simulated volume.
fn is_of_group(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| {
        !name.is_empty() && !name.starts_with(['-', '.']) && name.chars().all(plain)
    })
}

/// Whether a word after an unknown option is its value: it is hardly a target, and would be a second error of one mistake.
fn may_be_value(word: &str) -> bool {
    !word.starts_with("--") && !word.contains(['/', ':'])
}

impl<'a> Reading<'a> {
    /// Whether help is asked for, of which study.
    pub(crate) fn take_help(&self) -> Option<Option<&'static StudySpec>> {
        let asked = |word: &str| matches!(word, "--help" | "-h");
        let first = self.words.first().map(|w| w.0);
        let any = self.words.iter().any(|w| asked(w.0));
        (any || first.is_none()).then(|| first.and_then(StudySpec::named))
    }

    /// Reads all words, and the file that the first of them names.
    pub(crate) fn read(&mut self, read: &dyn Fn(&str) -> Result<String, String>) {
        let words = std::mem::take(&mut self.words);
        let mut rest = words.into_iter().peekable();
        let mut is_first = true;
        while let Some((word, at)) = rest.next() {
            let Some(option) = word.strip_prefix("--").filter(|o| !o.is_empty()) else {
                if word.starts_with('-') {
                    self.one_dash(word, at);
                    rest.next_if(|(word, _)| may_be_value(word) && !word.starts_with('-'));
                    continue;
                }
                match std::mem::take(&mut is_first) {
                    true => self.name(word, at, read),
                    false => self.draft.targets.push(word.to_owned()),
                }
                continue;
            };
            let (name, mut value) = match option.split_once('=') {
                Some((name, value)) => {
                    let from = word.len() - value.len();
                    (name, Some((value.to_owned(), at.part(from, word.len()))))
                }
                None => (option, None),
            };
            if self.takes_value(name) && value.is_none() {
                value = rest.next().map(|(word, at)| (word.to_owned(), at));
            } else if value.is_none() && self.may_take_value(name) {
                value = rest
                    .next_if(|(word, _)| may_be_value(word))
                    .map(|(word, at)| (word.to_owned(), at));
            }
            self.option(name, at.part(2, 2 + name.len()), value);
            // Groups, and their distances, may be several words.
            while matches!(name, "groups" | "distance")
                && let Some((word, at)) = rest.next_if(|(word, _)| is_of_group(word))
            {
                self.option(name, at, Some((word.to_owned(), at)));
            }
        }
    }

    /// Reports a word with one dash, which no option has; a target would be written with a path.
    fn one_dash(&mut self, word: &str, at: Span) {
        let name = word.trim_start_matches('-');
        let long = match name {
            "o" => Some("out"),
            name => nearest(name, self.known_options()),
        };
        let meant = match long {
            Some(long) => format!("did you mean `--{long}`?"),
            None => format!("a target of that name is written ./{word}"),
        };
        self.diagnostics.push(
            Diagnostic::error("no-such-option", format!("studies have no option `{word}`"))
                .at(at, "")
                .hint(meant),
        );
    }

    fn takes_value(&self, name: &str) -> bool {
        let own = OptionSpec::named(name).is_some_and(|option| !option.value.is_empty());
        let caller = self.callers.iter().find(|caller| caller.name == name);
        own || caller.is_some_and(|caller| caller.takes_value)
    }

    /// Whether an unknown option may be one with a value: what it resembles has one, or it resembles none.
    fn may_take_value(&self, name: &str) -> bool {
        let is_known = |own: &str| own == name;
        let mut own = self.known_options();
        if own.any(is_known) {
            return false;
        }
        nearest(name, self.known_options()).is_none_or(|near| self.takes_value(near))
    }

    /// The first word: a study, or a file.
    fn name(&mut self, word: &str, at: Span, read: &dyn Fn(&str) -> Result<String, String>) {
        if let Some(study) = StudySpec::named(word) {
            self.draft.study = Some(study);
            return;
        }
        let is_path = word.contains(['.', '/']);
        match read(word) {
            Ok(text) => file::read(self, word, &text),
            Err(why) if is_path => self
                .diagnostics
                .push(Diagnostic::error("no-study-file", format!("{word}: {why}")).at(at, "")),
            Err(_) => {
                let names = STUDIES.iter().map(|study| study.name);
                let list: Vec<&str> = names.clone().collect();
                let meant = nearest(word, names).map(|near| format!("did you mean `{near}`?"));
                self.diagnostics.push(
                    Diagnostic::error(
                        "no-such-study",
                        format!("`{word}` is neither a study nor a file"),
                    )
                    .at(at, "")
                    .expected(format!(
                        "one of {}, or the path of a study file",
                        list.join(", ")
                    ))
                    .maybe_hint(meant),
                );
            }
        }
    }
}
