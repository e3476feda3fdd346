//! The manual of Vdbench's language, made of its tables.
//!
//! Belongs here: how a row reads as an entry. Must never appear here: facts about keywords that the table
//! lacks.

use crate::switches::SWITCHES;
use crate::table::{KEYWORDS, Kind, Support};
use leadline_dialect::manual::{Entry, listed, sentence};

/// Every switch of the command line, then every keyword of a parameter file.
pub fn manual() -> impl Iterator<Item = Entry> {
    let switches = SWITCHES.iter().map(|switch| Entry {
        chapter: "Command line".to_owned(),
        form: format!("{}{}", switch.name, switch.takes.shown(' ')),
        text: switch.help.to_owned() + &sentence(switch.support),
        words: match switch.support {
            Support::Refused(_) => Vec::new(),
            _ => vec![switch.name.to_owned()],
        },
    });
    let keywords = KEYWORDS.iter().map(|spec| {
        let value = match spec.kind {
            Kind::Choice(words) => words.join("|"),
            kind => format!("<{}>", kind.name()),
        };
        let whole = if spec.exact { " Never shortened." } else { "" };
        Entry {
            chapter: format!("Parameters: {}", spec.object.name()),
            form: format!("{}={value}", spec.name),
            text: spec.help.to_owned()
                + whole
                + &listed("Default", spec.default.as_slice())
                + &listed("Also", spec.aliases)
                + &sentence(spec.support),
            words: Vec::new(),
        }
    });
    switches.chain(keywords)
}
