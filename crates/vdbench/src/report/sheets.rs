//! The files of an output directory as they grow.
//!
//! Belongs here: which text is still to be appended to which file. Must never: know what a file contains.

use std::collections::BTreeMap;

/// What is to be appended to each file.
#[derive(Debug, Default)]
pub(super) struct Sheets {
    pub(super) texts: Vec<(String, String)>,
    places: BTreeMap<String, usize>,
}

impl Sheets {
    /// The text still to be appended to a file.
    pub(super) fn of(&mut self, name: &str) -> &mut String {
        let next = self.texts.len();
        let place = *self.places.entry(name.to_owned()).or_insert(next);
        if place == next {
            self.texts.push((name.to_owned(), String::new()));
        }
        &mut self.texts[place].1
    }
}
