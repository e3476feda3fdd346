//! The manual of DISKSPD's language, made of its table.
//!
//! Belongs here: how a row reads as an entry. Must never appear here: facts about options that the table
//! lacks.

use crate::table::{Support, options};
use leadline_dialect::manual::{Entry, listed, sentence};
use leadline_dialect::spec;

/// Every option.
pub fn manual() -> impl Iterator<Item = Entry> {
    options().map(|row| {
        let default = [row.default];
        let default = if row.default.is_empty() {
            &[][..]
        } else {
            &default[..]
        };
        let support = match row.support {
            Support::Full => spec::Support::Full,
            Support::NoEffect(reason) => spec::Support::NoEffect(reason),
        };
        let word = row.form.split(['<', '[', ',', ' ']).next();
        Entry {
            chapter: row.category.to_owned(),
            form: row.form.to_owned(),
            text: row.help.to_owned() + &listed("Default", default) + &sentence(support),
            words: word.into_iter().map(str::to_owned).collect(),
        }
    })
}
