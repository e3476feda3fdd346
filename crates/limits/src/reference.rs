//! The reference of limits files in Markdown, made of the tables of keys and of the rows that are built in.
//!
//! Belongs here: text for people. Must never appear here: facts that the tables lack.

use crate::book::Book;
use crate::row::Source;
use crate::sections::{Key, Kind, SECTIONS, SHARED, SOURCE};
use leadline_text::markup::cell;
use std::fmt::Write as _;

/// All sections with their keys, and the sources of the rows that are built in.
#[must_use]
pub fn reference_markdown() -> String {
    let mut text = String::from(
        "# Limits files\n\nGenerated from the tables of keys and rows; do not edit.\n\nThe rows of `leadline limits` are a \
         TOML file, the one that is built in (`crates/limits/src/limits.toml`) and those of `--limits FILE` alike: \
         `[[SECTION]]` for each row, or `SECTION = [ { ... } ]`. Numbers have their unit in the name of the key. A row of \
         a user's file takes the place of those with the same section, name, family, path and class.\n\n## Sources\n\n\
         `[source.NAME]` is what rows name as their `source`.\n\n",
    );
    keys(SOURCE, &mut text);
    text.push_str("\n## All rows\n\n");
    keys(SHARED, &mut text);
    let book = Book::built_in();
    for section in SECTIONS {
        let _ = write!(text, "\n## {}\n\n{}.\n\n", section.name, section.about);
        keys(section.keys, &mut text);
        let names: Vec<String> = book
            .names(section.name)
            .into_iter()
            .map(|name| format!("`{name}`"))
            .collect();
        let _ = match names.is_empty() {
            true => writeln!(text, "\nNone is built in."),
            false => writeln!(text, "\nBuilt in: {}.", names.join(", ")),
        };
    }
    text.push_str("\n## Sources of the rows that are built in\n\n| address | date | rows | read there |\n|---|---|---|---|\n");
    let mut sources: Vec<&Source> = Vec::new();
    for row in &book.rows {
        if !sources.contains(&&row.source) {
            sources.push(&row.source);
        }
    }
    for source in sources {
        let rows = book.rows.iter().filter(|row| row.source == *source).count();
        let read = if source.verified { "yes" } else { "no" };
        let _ = writeln!(
            text,
            "| <{}> | {} | {rows} | {read} |",
            source.address, source.date
        );
    }
    text
}

fn keys(keys: &[Key], text: &mut String) {
    text.push_str("| key | value | meaning |\n|---|---|---|\n");
    for key in keys {
        let kind = match key.kind {
            Kind::Text => "text".to_owned(),
            Kind::Number => "number above 0".to_owned(),
            Kind::Flag => "true or false".to_owned(),
            Kind::Word(words) => words.join(" or "),
            Kind::Date => "date".to_owned(),
        };
        let needed = if key.needed { ", needed" } else { "" };
        let _ = writeln!(
            text,
            "| `{}` | {kind}{needed} | {} |",
            key.name,
            cell(key.about)
        );
    }
}
