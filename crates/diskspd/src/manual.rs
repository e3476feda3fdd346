//! The manual of DISKSPD's language, made of its table.
//!
//! Belongs here: how a row reads as an entry. Must never appear here: facts about options that the table
//! lacks.

use crate::table::options;
use leadline_dialect::manual::{Entry, listed, sentence};

/// Every option.
pub fn manual() -> impl Iterator<Item = Entry> {
    options().map(|row| {
        let default = [row.default];
        let default = if row.default.is_empty() {
            &[][..]
        } else {
            &default[..]
        };
        let word = row.form.split(['<', '[', ',', ' ']).next();
        Entry {
            chapter: row.category.to_owned(),
            form: row.form.to_owned(),
            text: row.help.to_owned() + &listed("Default", default) + &sentence(row.support),
            words: word.into_iter().map(str::to_owned).collect(),
        }
    })
}
