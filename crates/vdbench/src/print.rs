//! A parameter file as it was understood: files read in, variables and `default` objects resolved, abbreviations in
//! full, what the command line overrides in its place.
//!
//! Belongs here: definitions as text that reads back as the same definitions. Must never appear here: what they
//! mean (see `runs`, `lower`).

use crate::definition::{Definition, Entry, File};
use crate::lex::{Dash, Item, Value};
use crate::switches::Overrides;
use crate::table::row;
use std::fmt::Write as _;

/// The file, an object a line, in the order in which objects must come.
pub(crate) fn parameter_file(file: &File, overrides: Overrides) -> String {
    let mut text = String::new();
    for entry in &file.general.entries {
        let _ = writeln!(text, "{}", pair(entry.spec.name, &entry.value));
    }
    for one in file
        .hosts
        .iter()
        .chain(&file.storage)
        .chain(&file.workloads)
    {
        let _ = writeln!(text, "{}", object(one).join(","));
    }
    for run in &file.runs {
        let mut parts = object(&overridden(run, overrides));
        let set = [
            (row::rd::ELAPSED.name, overrides.elapsed),
            (row::rd::INTERVAL.name, overrides.interval),
            (row::rd::WARMUP.name, overrides.warmup),
        ];
        for (name, seconds) in set {
            parts.extend(seconds.map(|n| format!("{name}={n}")));
        }
        let _ = writeln!(text, "{}", parts.join(","));
    }
    text
}

/// A run without what the command line says in its place.
fn overridden(run: &Definition, overrides: Overrides) -> Definition {
    let mut run = run.clone();
    run.entries.retain(|entry| {
        !(overrides.elapsed.is_some() && entry.spec.is(&row::rd::ELAPSED)
            || overrides.interval.is_some() && entry.spec.is(&row::rd::INTERVAL)
            || overrides.warmup.is_some() && entry.spec.is(&row::rd::WARMUP))
    });
    run
}

/// The parts of an object's line.
fn object(one: &Definition) -> Vec<String> {
    let mut parts = vec![format!(
        "{}={}",
        one.object.word(),
        quoted(&one.name, Dash::None, false)
    )];
    for path in &one.paths {
        let lun = path.lun.iter().map(|v| pair(row::sd::LUN.name, v));
        let hosts = path.hosts.iter().map(|v| pair(row::sd::HOST.name, v));
        parts.extend(lun.chain(hosts));
    }
    for Entry { spec, value, .. } in &one.entries {
        let before = one.list_before.iter().filter(|_| spec.is(&row::rd::IORATE));
        parts.extend(before.map(|list| pair(spec.name, list)));
        parts.push(pair(spec.name, value));
    }
    parts
}

fn pair(name: &str, value: &Value) -> String {
    let items = value.items.iter().map(|item| shown(item, value.list));
    let items: Vec<String> = items.collect();
    match value.list {
        true => format!("{name}=({})", items.join(",")),
        false => format!("{name}={}", items.join(",")),
    }
}

fn shown(item: &Item, in_list: bool) -> String {
    quoted(item.text.as_str(), item.dash, in_list)
}

/// A text with quotes around the characters that would end it or mean a range.
fn quoted(text: &str, dash: Dash, in_list: bool) -> String {
    let mut out = String::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        let is_range = match dash {
            Dash::None => false,
            Dash::One(place) => place == at,
            Dash::Many => true,
        };
        let special = c.is_whitespace()
            || matches!(c, ',' | '(' | ')' | '=')
            || (c == '-' && in_list && !is_range);
        if special != open {
            out.push('"');
            open = special;
        }
        out.push(c);
    }
    if open {
        out.push('"');
    }
    out
}
