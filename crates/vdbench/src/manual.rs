//! The manual of Vdbench's language, made of its tables.
//!
//! Belongs here: how a row reads as an entry. Must never appear here: facts about keywords that the table
//! lacks.

use crate::switches::SWITCHES;
use crate::table::{KeywordSpec, Support, keywords};
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
    let keywords = keywords().iter().map(|spec| {
        let whole = if spec.exact { " Never shortened." } else { "" };
        Entry {
            chapter: format!("Parameters: {}", spec.object.name()),
            form: format!("{}=<{}>", spec.name, spec.kind.name()),
            text: spec.help.to_owned()
                + whole
                + &listed("Default", spec.default.as_slice())
                + &listed("Also", spec.aliases)
                + &sentence(spec.support)
                + &refused(spec),
            words: Vec::new(),
        }
    });
    switches.chain(keywords)
}

/// The words of its values that are refused.
fn refused(spec: &KeywordSpec) -> String {
    let one = |(word, reason): &(&str, &str)| format!(" Refused: {word} ({reason}).");
    spec.refused.iter().map(one).collect()
}
