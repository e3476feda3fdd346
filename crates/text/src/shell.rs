//! Words of a command line.
//!
//! Belongs here: what a shell needs around a word. Must never appear here: what a word means.

use std::borrow::Cow;

/// A word as a shell needs it: in single quotes where the shell would see more in it than its characters.
#[must_use]
pub fn word(text: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", text.replace('\'', "'\\''")))
}

/// Words as one line.
#[must_use]
pub fn line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<Cow<'_, str>> = words.into_iter().map(word).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word() {
        let words = ["", "--a=b:1,2", "a b'c", "$HOME", "~"];
        assert_eq!(line(words), "'' --a=b:1,2 'a b'\\''c' '$HOME' '~'");
    }
}
