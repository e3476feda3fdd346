//! What a manual says of a language, as data: man pages and completions are made of it.
//!
//! Belongs here: chapters, forms, sentences, words to complete. Must never appear here: the form of a page
//! or of a shell's completions.

use crate::spec::Support;

/// An entry of a manual: an option, a keyword or a switch.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The chapter it is in; entries of one chapter follow one another.
    pub chapter: String,
    /// How it is written, with what its value looks like.
    pub form: String,
    /// What it does, and whatever else its row says, in sentences.
    pub text: String,
    /// Words of a command line, or their beginnings, for completion; a value follows a `=` at the end.
    pub words: Vec<String>,
}

/// How far leadline goes with a thing, as a sentence after others; empty when all the way.
#[must_use]
pub fn sentence(support: Support) -> String {
    match support {
        Support::Full => String::new(),
        Support::NoEffect(reason) => format!(" No effect: {reason}."),
        Support::Refused(reason) => format!(" Refused: {reason}."),
    }
}

/// A label and its values as a sentence after others; empty without values.
#[must_use]
pub fn listed(label: &str, values: &[&str]) -> String {
    match values {
        [] => String::new(),
        values => format!(" {label}: {}.", values.join(", ")),
    }
}
