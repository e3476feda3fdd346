//! The words after `vdbench`: switches with their values, variables, files.
//!
//! Belongs here: which word is what. Must never appear here: what a switch means.

use super::{CommandLine, Given, Overrides, SWITCHES, SwitchSpec, defaults};
use crate::reader::{Reader, Variable};
use crate::table::Support;
use leadline_dialect::diagnostic::{Diagnostic, nearest};
use leadline_dialect::spec::Takes;
use leadline_dialect::text::Text;

/// Programs that Vdbench's launcher also starts.
const UTILITIES: [&str; 10] = [
    "compare",
    "csim",
    "dsim",
    "edit",
    "jstack",
    "parseflat",
    "print",
    "printjournal",
    "sds",
    "showlba",
];

/// Reads the words after `vdbench`.
pub(crate) fn read(reader: &mut Reader<'_>, args: &[String]) -> CommandLine {
    let mut line = CommandLine {
        switches: defaults(),
        overrides: Overrides::default(),
        files: Vec::new(),
        from: None,
        quick: false,
    };
    let texts = words(reader, args);
    let mut words = texts.iter().peekable();
    let mut first = true;
    while let Some(word) = words.next() {
        let text = word.as_str();
        if first && UTILITIES.contains(&text) {
            let message = format!("`vdbench {text}` is not part of leadline");
            let error = Diagnostic::error("not-supported", message).at(word.whole(), "");
            reader.says.push(error);
            break;
        }
        first = false;
        let named = |s: &&SwitchSpec| {
            text == s.name || (s.takes != Takes::Nothing && text.starts_with(s.name))
        };
        let Some(spec) = SWITCHES.iter().find(named) else {
            plain(reader, &mut line, word);
            continue;
        };
        let rest = word.slice(spec.name.len(), word.len());
        let rest = match rest.as_str().strip_prefix('=') {
            Some(_) if spec.name.starts_with("--") => rest.slice(1, rest.len()),
            _ => rest,
        };
        let next = |next: &&Text| match spec.takes {
            Takes::Value => true,
            _ => spec.next.is_some_and(|is_value| is_value(next.as_str())),
        };
        let value = if rest.is_empty() {
            words.next_if(next).cloned()
        } else {
            Some(rest)
        };
        take(reader, &mut line, spec, word, value);
    }
    line
}

/// The words as one text that diagnostics point into.
fn words(reader: &mut Reader<'_>, args: &[String]) -> Vec<Text> {
    let mut starts = Vec::with_capacity(args.len());
    let mut all = String::new();
    for arg in args {
        if !all.is_empty() {
            all.push(' ');
        }
        starts.push(all.len());
        all.push_str(arg);
    }
    let source = reader.sources.add("command line", all);
    let place = |(arg, start): (&String, usize)| Text::new(source, start, arg);
    args.iter().zip(starts).map(place).collect()
}

/// A word without a dash: a variable, or one more file.
fn plain(reader: &mut Reader<'_>, line: &mut CommandLine, word: &Text) {
    let text = word.as_str();
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !text.starts_with('-') => {
            reader.variables.push(Variable {
                name: name.to_owned(),
                value: value.to_owned(),
                at: word.whole(),
                used: false,
            });
        }
        None if !text.starts_with('-') && !line.files.is_empty() => line.files.push(word.clone()),
        _ => {
            let near = nearest(
                text,
                SWITCHES.iter().map(|s| s.name).filter(|n| n.len() > 2),
            );
            let hint = near.map(|n| format!("did you mean `{n}`?"));
            reader.says.push(
                Diagnostic::error("unknown-argument", format!("`{text}` is not understood"))
                    .at(word.whole(), "")
                    .expected("`-f FILE`, a switch, or `name=value`")
                    .maybe_hint(hint),
            );
        }
    }
}

fn take(
    reader: &mut Reader<'_>,
    line: &mut CommandLine,
    spec: &'static SwitchSpec,
    word: &Text,
    value: Option<Text>,
) {
    let at = word.whole();
    let text = value.as_ref().map_or("", |v| v.as_str());
    if let Some(error) = no_switch(spec, word, text) {
        return reader.says.push(error);
    }
    match spec.support {
        Support::Refused(reason) => {
            let message = format!("`{}` is not supported: {reason}", spec.name);
            let error = Diagnostic::error("not-supported", message).at(at, "");
            return reader.says.push(error);
        }
        Support::NoEffect(reason) => {
            let message = format!("`{}` has no effect here: {reason}", spec.name);
            let note = Diagnostic::note("no-effect", message).at(at, "");
            return reader.says.push(note);
        }
        Support::Full => {}
    }
    let mut given = Given {
        name: spec.name,
        value,
        at,
        says: &mut reader.says,
    };
    if spec.takes == Takes::Value && given.text().is_empty() {
        return given.wrong("a value");
    }
    (spec.apply)(line, &mut given);
}

/// A word that only begins as a switch does.
fn no_switch(spec: &SwitchSpec, word: &Text, text: &str) -> Option<Diagnostic> {
    if spec.only.is_none_or(|is_value| is_value(text)) {
        return None;
    }
    let message = format!("`{}` is not understood", word.as_str());
    let error = Diagnostic::error("unknown-argument", message).at(word.whole(), "");
    Some(error.expected(format!("`{}` and a number, or another switch", spec.name)))
}
