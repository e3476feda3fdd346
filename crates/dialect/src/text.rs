//! A piece of text that remembers where each of its bytes came from, through the expansion of
//! variables. Belongs here: cutting and trimming. Must never appear here: any meaning.

use crate::diagnostic::{SourceId, Span};

/// Text with the origin of each byte.
#[derive(Clone, Debug, Default)]
pub struct Text {
    text: String,
    source: SourceId,
    /// Where each byte came from, and where the text ended: one more entry than bytes.
    origin: Vec<usize>,
}

/// Texts are the same when they read the same, wherever they came from.
impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Text {
    /// Text as it is in a source from `start` on.
    #[must_use]
    pub fn new(source: SourceId, start: usize, text: &str) -> Self {
        Self {
            text: text.to_owned(),
            source,
            origin: (start..=start + text.len()).collect(),
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Where the bytes from `from` to `to` came from.
    #[must_use]
    pub fn span(&self, from: usize, to: usize) -> Span {
        let last = self.origin.len().saturating_sub(1);
        let at = |i: usize| self.origin.get(i.min(last)).copied().unwrap_or(0);
        Span::new(self.source, at(from), at(to))
    }

    /// Where all of it came from.
    #[must_use]
    pub fn whole(&self) -> Span {
        self.span(0, self.len())
    }

    /// The bytes from `from` to `to`; the ends must be at characters, else the result is empty.
    #[must_use]
    pub fn slice(&self, from: usize, to: usize) -> Self {
        let (from, to) = match self.text.get(from..to) {
            Some(_) => (from, to),
            None => (0, 0),
        };
        Self {
            text: self.text[from..to].to_owned(),
            source: self.source,
            origin: self.origin.get(from..=to).unwrap_or(&[]).to_vec(),
        }
    }

    /// The text without the blanks around it.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        let start = self.len() - self.text.trim_start().len();
        self.slice(start, start + self.text.trim().len())
    }

    /// The text without every occurrence of a character.
    #[must_use]
    pub fn without(&self, c: char) -> Self {
        let mut out = Self {
            text: String::with_capacity(self.len()),
            source: self.source,
            origin: Vec::with_capacity(self.origin.len()),
        };
        for (at, found) in self.text.char_indices().filter(|(_, found)| *found != c) {
            out.text.push(found);
            let from = self.origin.get(at..at + found.len_utf8());
            out.origin.extend_from_slice(from.unwrap_or(&[]));
        }
        out.origin.extend(self.origin.last());
        out
    }

    /// The same place with other text, every byte of which came from `from..to` of this one.
    #[must_use]
    pub fn replaced(&self, from: usize, to: usize, by: &str) -> Self {
        let mut text = String::with_capacity(self.len() + by.len());
        text.push_str(&self.text[..from]);
        text.push_str(by);
        text.push_str(&self.text[to..]);
        let start = self.origin.get(from).copied().unwrap_or(0);
        let mut origin = self.origin[..from.min(self.origin.len())].to_vec();
        origin.extend(std::iter::repeat_n(start, by.len()));
        origin.extend_from_slice(self.origin.get(to..).unwrap_or(&[]));
        Self {
            text,
            source: self.source,
            origin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_survive_replacement_and_cutting() {
        let text = Text::new(SourceId(1), 10, "size=${A}k");
        let expanded = text.replaced(5, 9, "123");
        assert_eq!(expanded.as_str(), "size=123k");
        assert_eq!(expanded.span(5, 9), Span::new(SourceId(1), 15, 20));
        let value = expanded.slice(5, 9);
        assert_eq!(value.as_str(), "123k");
        assert_eq!(value.span(3, 4), Span::new(SourceId(1), 19, 20));
        assert_eq!(Text::new(SourceId(0), 0, " a ").trimmed().as_str(), "a");
        let bare = Text::new(SourceId(0), 0, "\"a\"b").without('"');
        assert_eq!(bare.as_str(), "ab");
        assert_eq!(bare.span(1, 2), Span::new(SourceId(0), 3, 4));
    }
}
