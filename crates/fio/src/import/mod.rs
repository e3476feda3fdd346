//! Results of fio as something that can be compared: its JSON (`json`, `json+`), its normal text and its logs.
//!
//! Belongs here: fio's keys and units, by version. Must never: compute what fio did not print, or read a file.

mod json;
mod latency_lines;
mod log_lines;
mod logs;
mod text;
mod work;

pub use log_lines::{LogKind, LogName};
pub use logs::read_logs;

use leadline_dialect::diagnostic::{Diagnostic, SourceId, Sources, Span};
use leadline_results::compare::{Property, Subject, SubjectRow, summed};

type JsonMap = serde_json::Map<String, serde_json::Value>;

/// Whether a text begins as a result of fio: an object with its version, or the head of a job, each perhaps with remarks
/// before it.
#[must_use]
pub fn is_result(text: &str) -> bool {
    let head: String = text.chars().take(4096).collect();
    json::start(&head).is_some_and(|at| head[at..].contains("\"fio version\""))
        || json::inside(&head).is_some()
        || head.contains(": (groupid=") && head.contains("jobs=")
        || head.contains(": (g=") && head.contains("): rw=")
}

/// Reads a result; `name` is its path.
///
/// # Errors
/// All that keeps it from being read, with its line.
pub fn read(name: &str, text: &str, sources: &mut Sources) -> Result<Subject, Vec<Diagnostic>> {
    let source = sources.add(name, text);
    match json::start(text).or_else(|| json::inside(text)) {
        Some(at) => json::read(name, text, at, source),
        None => text::read(name, text, source),
    }
}

/// Entries of a result, each with its group, as rows: clones of a job, and jobs of one name that ran at once and did the
/// same, are one row.
fn one_a_name(entries: Vec<(Option<u64>, SubjectRow)>) -> Vec<SubjectRow> {
    let mut all: Vec<(Option<u64>, Vec<SubjectRow>)> = Vec::new();
    for (group, row) in entries {
        let is_one = |(known, rows): &&mut (Option<u64>, Vec<SubjectRow>)| {
            group.is_some() && *known == group && rows.first().is_some_and(|one| are_one(one, &row))
        };
        match all.iter_mut().find(is_one) {
            Some((_, rows)) => rows.push(row),
            None => all.push((group, vec![row])),
        }
    }
    all.into_iter()
        .filter_map(|(_, rows)| summed(rows))
        .collect()
}

/// Whether two rows of one group are of one name and did the same.
fn are_one(one: &SubjectRow, other: &SubjectRow) -> bool {
    let same = |key: Property| match (one.properties.get(&key), other.properties.get(&key)) {
        (Some(a), Some(b)) => a.is_same_as(b),
        (a, b) => a.is_none() && b.is_none(),
    };
    one.name() == other.name()
        && [Property::Mix, Property::BlockSize, Property::Order]
            .into_iter()
            .all(same)
}

/// Something wrong at a place of the text.
fn wrong(
    code: &'static str,
    message: impl Into<String>,
    (source, from, to): (SourceId, usize, usize),
    hint: &str,
) -> Vec<Diagnostic> {
    let said = Diagnostic::error(code, message).at(Span::new(source, from, to), "");
    vec![said.hint(hint)]
}

#[cfg(test)]
mod tests;
