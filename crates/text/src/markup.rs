//! Text within markup: XML, SVG and HTML have one escape.
//!
//! Belongs here: what a character becomes. Must never appear here: elements.

use std::fmt::Write as _;

/// Text as the content of an element. Reading it gives the same text again; line ends and tabs stay as
/// they are. What XML 1.0 cannot hold becomes U+FFFD, and control characters become numbers, so that
/// they steer no terminal that shows the markup.
#[must_use]
pub fn content(text: &str) -> String {
    escaped(text, false)
}

/// Text as the value of an attribute in quotes of either kind. Reading it gives the same text again, its
/// line ends and tabs included.
#[must_use]
pub fn attribute(text: &str) -> String {
    escaped(text, true)
}

/// Text as a cell of a table in Markdown.
#[must_use]
pub fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn escaped(text: &str, attribute: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if attribute => out.push_str("&quot;"),
            '\'' if attribute => out.push_str("&#39;"),
            '\n' | '\t' if !attribute => out.push(c),
            '\n' | '\t' | '\r' | '\u{7f}'..='\u{9f}' => {
                // Writing into a String cannot fail.
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_steers_or_cannot_be_held_is_replaced() {
        let text = "a&<b>\"c'\n\t\r\u{1b}[2J\u{9b}\u{ffff}";
        assert_eq!(
            content(text),
            "a&amp;&lt;b&gt;\"c'\n\t&#13;\u{fffd}[2J&#155;\u{fffd}"
        );
        assert_eq!(
            attribute(text),
            "a&amp;&lt;b&gt;&quot;c&#39;&#10;&#9;&#13;\u{fffd}[2J&#155;\u{fffd}"
        );
    }

    proptest! {
        #[test]
        fn any_text_reads_back_the_same(text in "(\\PC|[\t\n\r\u{7f}-\u{9f}&<>\"'\\]])*") {
            let markup = format!("<a b=\"{}\">{}</a>", attribute(&text), content(&text));
            let document = roxmltree::Document::parse(&markup).unwrap();
            let root = document.root_element();
            prop_assert_eq!(root.attribute("b"), Some(text.as_str()));
            prop_assert_eq!(root.text().unwrap_or_default(), text.as_str());
        }
    }
}
