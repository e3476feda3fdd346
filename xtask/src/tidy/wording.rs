//! Wordings that engineers of the field do not use, in comments, documents and names.
//!
//! Belongs here: wordings, each with what to say instead. Must never: judge a sentence.

use super::code::line_at;
use super::{Fault, File};

/// What is refused, and what to say.
const WORDINGS: &[(&str, &str)] = &[
    (concat!("so", " many"), "say `N`, how many, or `enough`"),
    (concat!("in the", " mean"), "say `on average`"),
    (concat!("are in", " no"), "say that something excludes them"),
    (concat!("is in", " no"), "say that something excludes it"),
    (concat!("told", " apart"), "say `distinguished`"),
    (concat!("tells", " of"), "say `reports` or `signals`"),
    (concat!("an", "ew"), "say `again`"),
];

/// A word of a text.
struct Word<'a> {
    at: usize,
    text: &'a str,
    /// No punctuation separates it from the word before.
    follows: bool,
}

/// Checks a source file or a document.
pub(super) fn check(file: &File, faults: &mut Vec<Fault>) {
    let is_ours = [".rs", ".md"].iter().any(|end| file.path.ends_with(end));
    let Some(text) = file.text.as_deref().filter(|_| is_ours) else {
        return;
    };
    let words = words(text);
    for (wording, instead) in WORDINGS {
        let wanted: Vec<&str> = wording.split(' ').collect();
        let is_it = |found: &&[Word<'_>]| {
            let mut pairs = found.iter().zip(&wanted);
            let is_same = pairs.all(|(word, wanted)| word.text.eq_ignore_ascii_case(wanted));
            is_same && found[1..].iter().all(|word| word.follows)
        };
        for found in words.windows(wanted.len()).filter(is_it) {
            let line = line_at(text, found[0].at);
            faults.push(Fault::new(
                &file.path,
                line,
                format!("`{wording}`: {instead}"),
            ));
        }
    }
}

/// The words of a text; those of a name are words, too.
fn words(text: &str) -> Vec<Word<'_>> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '\'';
    let mut words = Vec::new();
    let mut end = 0;
    for text_of in text
        .split(|c: char| !is_letter(c))
        .filter(|word| !word.is_empty())
    {
        let at = text_of.as_ptr().addr() - text.as_ptr().addr();
        let between = &text[end..at];
        words.push(Word {
            at,
            text: text_of,
            // A comment goes on after the marks of its next line.
            follows: between
                .chars()
                .all(|c| c.is_whitespace() || "_/!".contains(c)),
        });
        end = at + text_of.len();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        let file = File {
            path: path.to_owned(),
            len: 0,
            text: Some(text.to_owned()),
        };
        let mut faults = Vec::new();
        check(&file, &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn wordings_are_found_in_sentences_across_lines_and_in_names() {
        for (wording, _) in WORDINGS {
            let capital = format!("{}{}", wording[..1].to_uppercase(), &wording[1..]);
            for text in [
                format!("// One\n// and {wording} of them.\n"),
                format!("//! A.\n/// {capital}.\n"),
                format!("//! A.\nfn a_{}_b() {{}}\n", wording.replace(' ', "_")),
                format!(
                    "//! A.\n/// It is {}.\n",
                    wording.replace(' ', "\n    /// ")
                ),
            ] {
                for path in ["crates/model/src/a.rs", "docs/a.md"] {
                    let found = faults(path, &text);
                    assert_eq!(found.len(), 1, "{text}: {found:?}");
                    assert!(found[0].starts_with(&format!("{path}:2: `{wording}`")));
                }
                assert!(faults("docs/a.txt", &text).is_empty());
            }
        }
    }

    #[test]
    fn other_words_are_free() {
        for text in [
            "And so, many of them; also many, so manylike, meaning in the meantime.",
            "It is in November, and they are in. No one tells. Of these, told; apart.",
        ] {
            assert_eq!(faults("docs/a.md", text), Vec::<String>::new());
        }
    }
}
