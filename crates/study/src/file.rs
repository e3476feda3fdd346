//! A study file: TOML whose keys are the options' names, with `study` and `target`.
//!
//! Belongs here: TOML to options. Must never appear here: what an option means.

use crate::option::OptionSpec;
use crate::reading::Reading;
use crate::studies::{STUDIES, StudySpec};
use leadline_dialect::diagnostic::{Diagnostic, SourceId, Span, nearest};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads a file.
pub(crate) fn read(reading: &mut Reading<'_>, name: &str, text: &str) {
    let source = reading.sources.add(name, text);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let at = span(source, error.span().unwrap_or(0..0));
        let message = error.message().lines().next().unwrap_or("").to_owned();
        reading
            .diagnostics
            .push(Diagnostic::error("not-toml", message).at(at, ""));
    }
    let mut keys: Vec<_> = table.get_ref().iter().collect();
    keys.sort_by_key(|(key, _)| key.span().start);
    let line = |at: usize| {
        text.get(..at)
            .map_or(0, |before| before.matches('\n').count())
    };
    for (key, value) in keys {
        let mine = line(key.span().start)..=line(value.span().end);
        let broken = |error: &toml::de::Error| {
            error
                .span()
                .is_some_and(|at| mine.contains(&line(at.start)))
        };
        if errors.iter().any(broken) {
            // What is there was not read, whatever its key is.
            continue;
        }
        let at = span(source, key.span());
        match key.get_ref().as_ref() {
            "study" => study(reading, source, value),
            "target" => targets(reading, source, value),
            "arm" => arms(reading, source, at, value),
            key => option(reading, source, (key, at), value),
        }
    }
}

fn span(source: SourceId, range: Range<usize>) -> Span {
    Span::new(source, range.start, range.end)
}

fn study(reading: &mut Reading<'_>, source: SourceId, value: &Spanned<DeValue<'_>>) {
    let at = span(source, value.span());
    let name = text(value.get_ref()).unwrap_or_default();
    match StudySpec::named(&name) {
        Some(study) => reading.draft.study = Some(study),
        None => {
            let names = STUDIES.iter().map(|study| study.name);
            let meant = nearest(&name, names).map(|near| format!("did you mean `{near}`?"));
            reading.diagnostics.push(
                Diagnostic::error("no-such-study", format!("there is no study `{name}`"))
                    .at(at, "")
                    .maybe_hint(meant),
            );
        }
    }
}

fn targets(reading: &mut Reading<'_>, source: SourceId, value: &Spanned<DeValue<'_>>) {
    for (one, at) in each(source, value) {
        match text(one) {
            Some(target) => reading.draft.targets.push(target),
            None => wrong_kind(reading, "target", at, "a path, or a list of paths"),
        }
    }
}

/// `[[arm]]` with `name`, `target`, `prepare` and `undo`.
fn arms(reading: &mut Reading<'_>, source: SourceId, at: Span, value: &Spanned<DeValue<'_>>) {
    const KEYS: [(&str, &str); 4] = [
        ("name", "arm"),
        ("target", "target"),
        ("prepare", "prepare"),
        ("undo", "undo"),
    ];
    for (one, place) in each(source, value) {
        let Some(table) = one.as_table() else {
            wrong_kind(
                reading,
                "arm",
                place,
                "tables: [[arm]] with name, target, prepare and undo",
            );
            continue;
        };
        for (key, option) in KEYS {
            let found = table.iter().find(|(name, _)| name.get_ref() == key);
            match found {
                Some((_, value)) => {
                    let place = span(source, value.span());
                    match text(value.get_ref()) {
                        Some(text) => reading.option(option, place, Some((text, place))),
                        None => wrong_kind(reading, key, place, "a text"),
                    }
                }
                None if key == "name" => {
                    let message = "an arm needs a name".to_owned();
                    reading
                        .diagnostics
                        .push(Diagnostic::error("arm-name", message).at(at, ""));
                }
                None => {}
            }
        }
        for (key, _) in table.iter() {
            let known = KEYS.iter().any(|(name, _)| key.get_ref() == name);
            if !known {
                let message = format!("an arm has no key `{}`", key.get_ref());
                let at = span(source, key.span());
                reading.diagnostics.push(
                    Diagnostic::error("no-such-option", message)
                        .at(at, "")
                        .expected("name, target, prepare or undo"),
                );
            }
        }
    }
}

fn option(
    reading: &mut Reading<'_>,
    source: SourceId,
    (key, at): (&str, Span),
    value: &Spanned<DeValue<'_>>,
) {
    let place = span(source, value.span());
    let row = OptionSpec::named(key);
    let caller = reading.callers.iter().find(|caller| caller.name == key);
    if row.is_none() && caller.is_none() {
        no_such_key(reading, (key, at), value);
        return;
    }
    let takes_value = match (row, caller) {
        (Some(row), _) => !row.value.is_empty(),
        (None, caller) => caller.is_none_or(|caller| caller.takes_value),
    };
    if let (false, Some(given)) = (takes_value, value.get_ref().as_bool()) {
        if given {
            reading.option(key, at, None);
        }
        return;
    }
    if !takes_value {
        wrong_kind(reading, key, place, "true or false");
        return;
    }
    let repeats = row.is_some_and(|row| row.repeats);
    let texts: Option<Vec<(String, Span)>> = each(source, value)
        .into_iter()
        .map(|(one, at)| Some((text(one)?, at)))
        .collect();
    match texts {
        Some(texts) if repeats => {
            for (text, place) in texts {
                reading.option(key, place, Some((text, place)));
            }
        }
        Some(texts) => {
            let all: Vec<String> = texts.into_iter().map(|(text, _)| text).collect();
            reading.option(key, at, Some((all.join(","), place)));
        }
        None => wrong_kind(reading, key, place, "a text, a number, or a list of these"),
    }
}

/// A key, or a table, that a study file does not have.
fn no_such_key(reading: &mut Reading<'_>, (key, at): (&str, Span), value: &Spanned<DeValue<'_>>) {
    let is_table = |value: &DeValue<'_>| value.as_table().is_some();
    let is_table = match value.get_ref() {
        DeValue::Array(list) => list.iter().any(|one| is_table(one.get_ref())),
        one => is_table(one),
    };
    if !is_table {
        reading.option(key, at, None);
        return;
    }
    reading.diagnostics.push(
        Diagnostic::error(
            "no-such-table",
            format!("a study file has no table `{key}`"),
        )
        .at(at, "")
        .expected("[[arm]], the only tables of a study file"),
    );
}

/// The elements of a list, or the value itself.
fn each<'v, 'i>(source: SourceId, value: &'v Spanned<DeValue<'i>>) -> Vec<(&'v DeValue<'i>, Span)> {
    match value.get_ref() {
        DeValue::Array(list) => list
            .iter()
            .map(|one| (one.get_ref(), span(source, one.span())))
            .collect(),
        one => vec![(one, span(source, value.span()))],
    }
}

/// A value as it would be written on a command line.
fn text(value: &DeValue<'_>) -> Option<String> {
    Some(match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(n) => n.as_str().to_owned(),
        DeValue::Float(n) => n.as_str().to_owned(),
        _ => return None,
    })
}

fn wrong_kind(reading: &mut Reading<'_>, key: &str, at: Span, expected: &str) {
    reading.diagnostics.push(
        Diagnostic::error("bad-value", format!("{key}: a value of another kind"))
            .at(at, "")
            .expected(expected),
    );
}
