//! What is to be said about a text: where, what was expected, and what to do.
//!
//! Belongs here: the data of a diagnostic, the named texts it points into, and its rendering for
//! people. Must never appear here: the meaning of any language's option.

mod nearest;
mod render;

pub use nearest::nearest;
pub use render::render;

/// How much a diagnostic weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; changes nothing.
    Note,
    /// Accepted, but probably not what was meant. An error under `--strict`.
    Warning,
    /// Nothing runs.
    Error,
}

impl Severity {
    /// Lower-case name: `note`, `warning`, `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Which text of [`Sources`] is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub usize);

/// A stretch of a text, in bytes; `start <= end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Which text.
    pub source: SourceId,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A span, its ends put in order.
    #[must_use]
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        Self {
            source,
            start,
            end: end.max(start),
        }
    }

    /// The part of this span from `from` to `to`, counted from its start and kept within it.
    #[must_use]
    pub fn part(self, from: usize, to: usize) -> Self {
        let start = (self.start + from).min(self.end);
        Self::new(self.source, start, (self.start + to).min(self.end))
    }
}

/// A place with a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
}

/// One thing to be said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it weighs.
    pub severity: Severity,
    /// Stable name, such as `size-unit-ignored`: for tests, for filters, for the documentation.
    pub code: &'static str,
    /// One sentence, without a full stop.
    pub message: String,
    /// Where; the first is the place itself, the others belong to it.
    pub labels: Vec<Label>,
    /// What would be right here.
    pub expected: Option<String>,
    /// What to do.
    pub hint: Option<String>,
}

impl Diagnostic {
    fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity,
            code,
            message: message.into(),
            labels: Vec::new(),
            expected: None,
            hint: None,
        }
    }

    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// A note.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// Points to a place.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Says what would be right.
    #[must_use]
    pub fn expected(mut self, text: impl Into<String>) -> Self {
        self.expected = Some(text.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }

    /// Says what to do, when there is something to say.
    #[must_use]
    pub fn maybe_hint(mut self, text: Option<String>) -> Self {
        self.hint = text.or(self.hint);
        self
    }
}

/// The texts diagnostics point into. The command line is one of them: its words joined by blanks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    texts: Vec<(String, String)>,
}

impl Sources {
    /// Adds a text under a name.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.texts.push((name.into(), text.into()));
        SourceId(self.texts.len() - 1)
    }

    /// Name of a text; empty when there is no such text.
    #[must_use]
    pub fn name(&self, id: SourceId) -> &str {
        self.texts.get(id.0).map_or("", |t| &t.0)
    }

    /// A text; empty when there is no such text.
    #[must_use]
    pub fn text(&self, id: SourceId) -> &str {
        self.texts.get(id.0).map_or("", |t| &t.1)
    }

    /// The spanned text; empty when the span is not within it.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.source)
            .get(span.start..span.end)
            .unwrap_or("")
    }

    /// Line and column of the start of a span, both from 1; the column counts characters.
    #[must_use]
    pub fn position(&self, span: Span) -> (usize, usize) {
        let text = self.text(span.source);
        let before = text.get(..span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        (
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        )
    }

    /// All texts as (name, text), in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|t| (t.0.as_str(), t.1.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let mut sources = Sources::default();
        let id = sources.add("f", "a\nbä=c\n");
        let at = |start| sources.position(Span::new(id, start, start));
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (2, 1));
        assert_eq!(at(5), (2, 3));
        assert_eq!(at(999), (3, 1));
        assert_eq!(sources.slice(Span::new(id, 2, 3)), "b");
        assert_eq!(sources.slice(Span::new(id, 3, 4)), "", "half a character");
    }

    #[test]
    fn a_part_stays_within_its_span() {
        let span = Span::new(SourceId(0), 10, 14);
        assert_eq!(span.part(1, 3), Span::new(SourceId(0), 11, 13));
        assert_eq!(span.part(3, 99), Span::new(SourceId(0), 13, 14));
        assert_eq!(span.part(99, 1), Span::new(SourceId(0), 14, 14));
    }
}
