//! A study's options while they are read, from words and from a file.
//!
//! Belongs here: what was read so far, and an option with its value put where it belongs. Must never appear here: the
//! grammar of words or of a file.

use crate::draft::Draft;
use crate::option::OptionSpec;
use crate::request::CallerSwitch;
use crate::table::OPTIONS;
use leadline_dialect::diagnostic::{Diagnostic, Sources, Span, nearest};

/// What is being read.
pub(crate) struct Reading<'a> {
    pub(crate) words: Vec<(&'a str, Span)>,
    pub(crate) callers: &'a [CallerSwitch],
    pub(crate) draft: Draft,
    /// Words of the caller's switches.
    pub(crate) switches: Vec<String>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) sources: Sources,
    /// Where the words end.
    pub(crate) end: Span,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(words: &'a [String], callers: &'a [CallerSwitch]) -> Self {
        let mut line = String::new();
        let mut starts = Vec::with_capacity(words.len());
        for word in words {
            if !line.is_empty() {
                line.push(' ');
            }
            starts.push(line.len());
            line.push_str(word);
        }
        let length = line.len();
        let mut sources = Sources::default();
        let source = sources.add("command line", line);
        let place = |(word, start): (&'a String, usize)| {
            (word.as_str(), Span::new(source, start, start + word.len()))
        };
        Self {
            words: words.iter().zip(starts).map(place).collect(),
            callers,
            draft: Draft::default(),
            switches: Vec::new(),
            diagnostics: Vec::new(),
            sources,
            end: Span::new(source, length, length),
        }
    }

    /// The names of all options.
    pub(crate) fn known_options(&self) -> impl Iterator<Item = &'static str> + '_ {
        let own = OPTIONS.iter().map(|option| option.name);
        own.chain(self.callers.iter().map(|caller| caller.name))
    }

    /// An option with its value, wherever it is.
    pub(crate) fn option(&mut self, name: &str, at: Span, value: Option<(String, Span)>) {
        if let Some(caller) = self.callers.iter().find(|caller| caller.name == name) {
            self.switches.push(match value {
                Some((value, _)) if caller.takes_value => format!("--{name}={value}"),
                _ => format!("--{name}"),
            });
            return;
        }
        let Some(option) = OptionSpec::named(name) else {
            let meant =
                nearest(name, self.known_options()).map(|near| format!("did you mean `{near}`?"));
            self.diagnostics.push(
                Diagnostic::error("no-such-option", format!("studies have no option `{name}`"))
                    .at(at, "")
                    .maybe_hint(meant),
            );
            return;
        };
        self.take(option, at, value);
    }

    fn take(&mut self, option: &'static OptionSpec, at: Span, value: Option<(String, Span)>) {
        let name = option.name;
        let was = self.draft.place(name).filter(|_| !option.repeats);
        if let Some(was) = was {
            self.diagnostics.push(
                Diagnostic::error("given-twice", format!("`{name}` is given twice"))
                    .at(at, "again here")
                    .at(was, "first here"),
            );
            return;
        }
        let (text, place) = match (option.value.is_empty(), value) {
            (true, None) => (String::new(), at),
            (true, Some((_, place))) => {
                let message = format!("`{name}` has no value");
                self.diagnostics
                    .push(Diagnostic::error("no-value", message).at(place, ""));
                return;
            }
            (false, Some(value)) => value,
            (false, None) => {
                let message = format!("`{name}` needs a value");
                self.diagnostics.push(
                    Diagnostic::error("value-missing", message)
                        .at(at, "")
                        .expected(option.value),
                );
                return;
            }
        };
        self.draft.places.push((name, place));
        if let Err(wrong) = (option.take)(&mut self.draft, &text) {
            self.draft.wrong.push(name);
            let sources = &self.sources;
            let each = wrong.lines().map(|why| {
                Diagnostic::error("bad-value", format!("{name}: {why}"))
                    .at(wrong_part(sources, place, why), "")
                    .hint(format!("for example {}", option.example))
            });
            self.diagnostics.extend(each);
        }
    }
}

/// The part of a value that a message quotes, where it occurs there once as a word or as the unit of a number, which is
/// then a part of it; else the whole value.
fn wrong_part(sources: &Sources, value: Span, why: &str) -> Span {
    let text = sources.slice(value);
    let quoted = why.split('\'').nth(1).filter(|word| !word.is_empty());
    let is_edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
    let parts = quoted.into_iter().flat_map(|word| {
        text.match_indices(word).filter_map(move |(start, _)| {
            let end = start + word.len();
            let number = match word.starts_with(char::is_alphabetic) {
                true => text[..start].trim_end_matches(is_of_number).len(),
                false => start,
            };
            let is_word = [
                text[..number].chars().next_back(),
                text[end..].chars().next(),
            ]
            .into_iter()
            .all(is_edge);
            is_word.then_some((number, end))
        })
    });
    let parts: Vec<(usize, usize)> = parts.collect();
    match parts.as_slice() {
        [(start, end)] => value.part(*start, *end),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_dialect::diagnostic::SourceId;

    /// What is underlined of a value for this message.
    fn underlined<'a>(sources: &'a Sources, line: &str, why: &str) -> &'a str {
        let start = line.find('=').unwrap() + 1;
        let value = Span::new(SourceId(0), start, line.len());
        sources.slice(wrong_part(sources, value, why))
    }

    #[test]
    fn the_part_of_a_value_that_a_message_quotes_is_underlined() {
        let line = "--bs=4k,64x,164x";
        let mut sources = Sources::default();
        sources.add("command line", line);
        for (why, part) in [
            ("'64x' is not a size", "64x"),
            ("'4k' is there twice", "4k"),
            ("'8k' is not there", "4k,64x,164x"),
            ("'' is not a size", "4k,64x,164x"),
            ("no size at all", "4k,64x,164x"),
            ("'k' is not a unit", "4k"),
            ("'x' is not a unit", "4k,64x,164x"),
            ("'4' is in a word only", "4k,64x,164x"),
        ] {
            assert_eq!(underlined(&sources, line, why), part, "{why}");
        }
    }
}
