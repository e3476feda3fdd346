//! What the elements of a profile share: children by name, each once, with values of a kind.
//!
//! Belongs here: looking things up and saying what is wrong with them. Must never appear here: names of
//! DISKSPD's elements.

use super::place;
use leadline_dialect::diagnostic::{Diagnostic, SourceId, nearest};
use roxmltree::Node;

/// What is said while reading.
pub(super) struct Sink {
    pub(super) source: SourceId,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// An element with children that each may be there once.
pub(super) struct Element<'a, 'input> {
    pub(super) node: Node<'a, 'input>,
    children: Vec<(&'a str, Node<'a, 'input>)>,
}

impl Sink {
    pub(super) fn error(
        &mut self,
        code: &'static str,
        message: String,
        expected: &str,
        node: Node<'_, '_>,
    ) {
        // A long element is marked by its start only.
        let range = node.range();
        let end = range
            .end
            .min(range.start + node.tag_name().name().len() + 1);
        let short = node.is_element() && node.children().any(|child| child.is_element());
        let range = if short { range.start..end } else { range };
        let mut diagnostic = Diagnostic::error(code, message).at(place(self.source, range), "");
        if !expected.is_empty() {
            diagnostic = diagnostic.expected(expected);
        }
        self.diagnostics.push(diagnostic);
    }

    /// The children of an element; those that are not among `known`, or come twice, are errors.
    pub(super) fn open<'a, 'input>(
        &mut self,
        node: Node<'a, 'input>,
        known: &[&str],
    ) -> Element<'a, 'input> {
        let mut children: Vec<(&'a str, Node<'a, 'input>)> = Vec::new();
        for child in node.children().filter(Node::is_element) {
            let name = child.tag_name().name();
            let parent = node.tag_name().name();
            if !known.contains(&name) {
                let near = nearest(name, known.iter().copied());
                let message = format!("`{parent}` has no element `{name}`");
                self.error("unknown-element", message, "", child);
                if let (Some(last), Some(near)) = (self.diagnostics.last_mut(), near) {
                    last.hint = Some(format!("did you mean `{near}`?"));
                }
            } else if children.iter().any(|(seen, _)| *seen == name) {
                let message = format!("`{parent}` contains `{name}` twice");
                self.error("element-twice", message, "", child);
            } else {
                children.push((name, child));
            }
        }
        Element { node, children }
    }

    /// The children of a list, which all have one of the names.
    pub(super) fn list<'a, 'input>(
        &mut self,
        node: Node<'a, 'input>,
        known: &[&str],
    ) -> Vec<Node<'a, 'input>> {
        let mut all = Vec::new();
        for child in node.children().filter(Node::is_element) {
            let name = child.tag_name().name();
            if known.contains(&name) {
                all.push(child);
            } else {
                let message = format!("`{}` has no element `{name}`", node.tag_name().name());
                self.error("unknown-element", message, &known.join(" or "), child);
            }
        }
        all
    }

    /// A number in an element, or in one of its attributes.
    pub(super) fn number(&mut self, node: Node<'_, '_>, text: &str, most: u64) -> Option<u64> {
        let number = text.trim().parse::<u64>().ok().filter(|n| *n <= most);
        if number.is_none() {
            let name = node.tag_name().name();
            self.error(
                "bad-element",
                format!("`{}` in `{name}` is not a number in range", text.trim()),
                &format!("a whole number from 0 to {most}"),
                node,
            );
        }
        number
    }

    /// A number in an attribute that must be there.
    pub(super) fn attribute(&mut self, node: Node<'_, '_>, name: &str, most: u64) -> Option<u64> {
        match node.attribute(name) {
            Some(text) => self.number(node, text, most),
            None => {
                let element = node.tag_name().name();
                let message = format!("`{element}` has no attribute `{name}`");
                self.error("attribute-missing", message, "", node);
                None
            }
        }
    }

    /// One of several words.
    pub(super) fn word<T: Copy>(
        &mut self,
        node: Node<'_, '_>,
        text: &str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let found = words.iter().find(|(word, _)| *word == text.trim());
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.error(
                "bad-element",
                format!(
                    "`{}` in `{}` is unknown",
                    text.trim(),
                    node.tag_name().name()
                ),
                &known.join(", "),
                node,
            );
        }
        found.map(|(_, value)| *value)
    }
}

impl<'a, 'input> Element<'a, 'input> {
    pub(super) fn get(&self, name: &str) -> Option<Node<'a, 'input>> {
        let found = self.children.iter().find(|(known, _)| *known == name);
        found.map(|(_, node)| *node)
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(text)
    }

    pub(super) fn number(&self, sink: &mut Sink, name: &str, most: u64) -> Option<u64> {
        let node = self.get(name)?;
        sink.number(node, &text(node), most)
    }

    pub(super) fn natural(&self, sink: &mut Sink, name: &str) -> Option<u32> {
        let number = self.number(sink, name, u32::MAX.into())?;
        u32::try_from(number).ok()
    }

    pub(super) fn flag(&self, sink: &mut Sink, name: &str) -> Option<bool> {
        const WORDS: [(&str, bool); 4] =
            [("true", true), ("1", true), ("false", false), ("0", false)];
        let node = self.get(name)?;
        sink.word(node, &text(node), &WORDS)
    }

    /// Whether it is there and true.
    pub(super) fn is(&self, sink: &mut Sink, name: &str) -> bool {
        self.flag(sink, name).unwrap_or(false)
    }

    pub(super) fn word<T: Copy>(
        &self,
        sink: &mut Sink,
        name: &str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let node = self.get(name)?;
        sink.word(node, &text(node), words)
    }
}

/// All text in an element, however it is cut up.
pub(super) fn text(node: Node<'_, '_>) -> String {
    let parts = node.children().filter(Node::is_text);
    parts.filter_map(|part| part.text()).collect()
}
