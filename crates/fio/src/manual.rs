//! The manual of fio's language, made of its tables.
//!
//! Belongs here: how a row reads as an entry. Must never appear here: facts about options that the table
//! lacks.

use crate::switches::SWITCHES;
use crate::table::{Kind, OptionSpec, Support, options};
use leadline_dialect::manual::{Entry, listed, sentence};
use leadline_dialect::spec::Takes;

/// Every switch of the command line, then every option of a job.
pub fn manual() -> impl Iterator<Item = Entry> {
    let switches = SWITCHES.iter().map(|switch| {
        let value = if switch.takes == Takes::Value {
            "="
        } else {
            ""
        };
        let done = !matches!(switch.support, Support::Refused(_));
        Entry {
            chapter: "Command line".to_owned(),
            form: format!("--{}{}", switch.name, switch.takes.shown('=')),
            text: switch.help.to_owned() + &sentence(switch.support),
            words: done
                .then(|| format!("--{}{value}", switch.name))
                .into_iter()
                .collect(),
        }
    });
    switches.chain(options().iter().map(|spec| entry(spec)))
}

fn entry(spec: &OptionSpec) -> Entry {
    let form = match spec.kind {
        Kind::Flag => spec.name.to_owned(),
        Kind::Choice(_) => format!("{}=WORD", spec.name),
        kind => format!("{}=<{}>", spec.name, kind.name()),
    };
    let mut text = spec.help.to_owned();
    if let Kind::Choice(words) = spec.kind {
        text += &listed("Values", words);
    }
    if let Some((min, max)) = spec.range {
        text += &match max {
            i64::MAX => format!(" At least {min}."),
            _ => format!(" From {min} to {max}."),
        };
    }
    text += &listed("Default", spec.default.as_slice());
    text += &listed("Also", spec.aliases);
    text += &listed("Engines", spec.engines);
    let word = spec.support_word();
    if word != "full" {
        let (first, rest) = word.split_at(1);
        text += &format!(" {}{rest}.", first.to_uppercase());
    }
    Entry {
        chapter: spec.category.to_owned(),
        form,
        text,
        words: words(spec),
    }
}

/// Words of a command line: the option, and each of its values that is done.
fn words(spec: &OptionSpec) -> Vec<String> {
    if spec.support != Support::Full {
        return Vec::new();
    }
    let name = spec.name;
    let own = match spec.kind {
        Kind::Flag => format!("--{name}"),
        _ => format!("--{name}="),
    };
    let values = match (spec.only, spec.kind) {
        (Some(only), _) if only.beside.is_none() => only.values,
        (_, Kind::Choice(words)) => words,
        _ => &[],
    };
    let values = values.iter().map(|value| format!("--{name}={value}"));
    std::iter::once(own).chain(values).collect()
}
