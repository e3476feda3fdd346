//! An XML document, element by element.
//!
//! Belongs here: the form: one element a line, two spaces a level. Must never appear here: the names of
//! any document.

use crate::markup;
use std::fmt::{Display, Write as _};

/// The attributes of an element: names and values. Values are escaped here.
pub type Attributes<'a> = &'a [(&'a str, &'a dyn Display)];

/// A document under construction.
#[derive(Debug, Default)]
pub struct Writer {
    text: String,
    level: usize,
}

impl Writer {
    /// The document, each line with its end.
    #[must_use]
    pub fn finish(self) -> String {
        self.text
    }

    /// Begins an element that holds others.
    pub fn open(&mut self, name: &str) {
        self.open_with(name, &[]);
    }

    /// Begins an element with attributes that holds others.
    pub fn open_with(&mut self, name: &str, attributes: Attributes<'_>) {
        self.begin(name, attributes);
        self.text.push_str(">\n");
        self.level += 1;
    }

    /// Ends an element that holds others.
    pub fn close(&mut self, name: &str) {
        self.level = self.level.saturating_sub(1);
        self.indent();
        self.push(format_args!("</{name}>\n"));
    }

    /// An element with text.
    pub fn value(&mut self, name: &str, value: impl Display) {
        self.value_with(name, &[], value);
    }

    /// An element with attributes and text.
    pub fn value_with(&mut self, name: &str, attributes: Attributes<'_>, value: impl Display) {
        self.begin(name, attributes);
        let value = markup::content(&value.to_string());
        self.push(format_args!(">{value}</{name}>\n"));
    }

    /// An element with attributes and without content.
    pub fn empty(&mut self, name: &str, attributes: Attributes<'_>) {
        self.begin(name, attributes);
        self.text.push_str("/>\n");
    }

    /// Another document as an element of this one.
    pub fn document(&mut self, xml: &str) {
        for line in xml.trim().lines() {
            self.indent();
            self.push(format_args!("{line}\n"));
        }
    }

    fn begin(&mut self, name: &str, attributes: Attributes<'_>) {
        self.indent();
        self.push(format_args!("<{name}"));
        for (name, value) in attributes {
            let value = markup::attribute(&value.to_string());
            self.push(format_args!(" {name}=\"{value}\""));
        }
    }

    fn indent(&mut self) {
        self.push(format_args!("{:1$}", "", self.level * 2));
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a String cannot fail.
        let _ = self.text.write_fmt(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_indented_and_their_values_escaped() {
        let mut xml = Writer::default();
        xml.open("a");
        xml.open_with("b", &[("c", &1), ("d", &"<\"")]);
        xml.value("e", "x & y");
        xml.value_with("f", &[("g", &true)], 2.5);
        xml.empty("h", &[]);
        xml.document("<i>\n  <j/>\n</i>\n");
        xml.close("b");
        xml.close("a");
        assert_eq!(
            xml.finish(),
            "<a>\n  <b c=\"1\" d=\"&lt;&quot;\">\n    <e>x &amp; y</e>\n    <f g=\"true\">2.5</f>\n    \
             <h/>\n    <i>\n      <j/>\n    </i>\n  </b>\n</a>\n"
        );
    }
}
