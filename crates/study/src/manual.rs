//! The manual of studies, made of the two tables.
//!
//! Belongs here: how a row reads as an entry. Must never appear here: facts that the tables lack.

use crate::help::form;
use crate::studies::STUDIES;
use crate::table::OPTIONS;
use leadline_dialect::manual::{Entry, listed};

/// Every study, then every option.
pub fn manual() -> impl Iterator<Item = Entry> {
    let studies = STUDIES.iter().map(|study| Entry {
        chapter: "Studies".to_owned(),
        form: study.name.to_owned(),
        text: format!("{}. {}", study.about, study.answers),
        words: vec![study.name.to_owned()],
    });
    let options = OPTIONS.iter().map(|option| {
        let default = option.defaults();
        let default = [default.as_str()];
        let default = match option.default {
            "" => &[][..],
            _ => &default[..],
        };
        Entry {
            chapter: "Options".to_owned(),
            form: form(option),
            text: format!(
                "{}.{}{}",
                option.help,
                listed("Default", default),
                listed("Of the studies", option.studies)
            ),
            words: vec![format!("--{}", option.name)],
        }
    });
    studies.chain(options)
}
