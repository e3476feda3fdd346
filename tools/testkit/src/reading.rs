//! What the tests of all front ends share: a host made of maps, and plans and diagnostics as short text.
//!
//! Must never: know a front end.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use leadline_dialect::diagnostic::{Diagnostic, Sources};
use leadline_dialect::host::Host;
use leadline_model::plan::{Plan, Workload};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A host made of maps: 4 CPUs unless said otherwise, pages of 4096 bytes, 8192 MiB.
#[derive(Default)]
pub struct FakeHost {
    /// Files by name.
    pub files: BTreeMap<String, String>,
    /// Environment variables.
    pub variables: BTreeMap<String, String>,
    /// CPUs; 0 = 4.
    pub cpus: u32,
    /// What is below this folder is in memory; empty = nothing is.
    pub memory: String,
}

impl Host for FakeHost {
    fn read_file(&self, path: &str) -> Result<String, String> {
        self.files.get(path).cloned().ok_or("not there".into())
    }

    fn env(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn cpus(&self) -> u32 {
        if self.cpus == 0 { 4 } else { self.cpus }
    }

    fn exists(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    fn only_inside_call(&self, path: &str) -> bool {
        !self.memory.is_empty() && path.starts_with(&self.memory)
    }

    fn ticks(&self) -> u32 {
        123_456
    }

    fn page_size(&self) -> u64 {
        4096
    }

    fn memory_mb(&self) -> u64 {
        8192
    }
}

/// Words of a command line, with quotes as in a shell.
pub fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The differences of each workload from the first of `base`.
pub fn beside(base: &Plan, plan: &Plan) -> String {
    let interval = base.interval;
    let base = in_json(&base.stages[0].workloads[0]);
    let mut text = String::new();
    if plan.interval != interval {
        let _ = writeln!(text, "interval: {}", plan.interval);
    }
    for (i, stage) in plan.stages.iter().enumerate() {
        for w in &stage.workloads {
            let _ = writeln!(text, "{i} {}", w.name);
            let mut w = w.clone();
            // It follows from the engine; a test of its own says how.
            w.report.parts = false;
            differences(&mut text, "", &base, &in_json(&w));
        }
    }
    text
}

/// A workload as JSON. What fio keeps of a job is for its options like any other field, below `shown`.
fn in_json(workload: &Workload) -> Value {
    let mut value = serde_json::to_value(workload).unwrap();
    let kept = value["original"].take();
    value["shown"] = match kept["kind"].as_str() {
        Some("fio.workload") => kept["value"].clone(),
        _ => Value::Null,
    };
    value
}

/// Without what all work on blocks has in front.
fn short(path: &str) -> &str {
    path.strip_prefix("work.Blocks.").unwrap_or(path)
}

/// The same with its keys in that order.
fn in_order(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let keys = sorted(map).into_iter();
            Value::Object(keys.map(|k| (k.to_owned(), in_order(&map[k]))).collect())
        }
        Value::Array(all) => all.iter().map(in_order).collect(),
        other => other.clone(),
    }
}

/// The keys in one order, whatever the features that other crates ask of serde_json.
fn sorted(map: &serde_json::Map<String, Value>) -> Vec<&str> {
    let mut keys: Vec<&str> = map.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Adds to `text` a line for each value at or below `path` that differs from `base`.
pub fn differences(text: &mut String, path: &str, base: &Value, value: &Value) {
    if base == value || ["name", "given", "original", "definition", "target_name"].contains(&path) {
        return;
    }
    if let (Value::Object(a), Value::Object(b)) = (base, value)
        && sorted(a).into_iter().eq(sorted(b))
    {
        let keys = sorted(b);
        let per_op = keys.iter().eq(["read", "trim", "write"].iter());
        if !(per_op && b["read"] == b["write"] && b["read"] == b["trim"]) {
            for key in keys {
                let value = &b[key];
                let path = if path.is_empty() {
                    key.to_owned()
                } else {
                    format!("{path}.{key}")
                };
                differences(text, &path, &a[key], value);
            }
            return;
        }
        let _ = writeln!(text, "  {}: {}", short(path), in_order(&b["read"]));
        return;
    }
    let _ = writeln!(text, "  {}: {}", short(path), in_order(value));
}

/// The lines of a text that the other lacks, without quotes and what JSON and Rust put before them.
#[must_use]
pub fn new_lines(text: &str, other: &str) -> Vec<String> {
    let new = text.lines().filter(|l| !other.lines().any(|o| o == *l));
    new.map(|line| line.replace(['"', '\\'], "")).collect()
}

/// Whether what a row's case says is what its option changes: a line that there is only with it has this in it, or
/// after `- `, a line that there is only without it.
#[must_use]
pub fn is_changed(with: &str, without: &str, changes: &str) -> bool {
    let (lines, text) = match changes.strip_prefix("- ") {
        Some(gone) => (new_lines(without, with), gone),
        None => (new_lines(with, without), changes),
    };
    lines.iter().any(|line| line.contains(text))
}

/// One line for each diagnostic: severity, code, place, message.
pub fn short_diagnostics(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut text = String::new();
    for d in diagnostics {
        let place = d.labels.first().map_or(String::new(), |label| {
            let (line, column) = sources.position(label.span);
            format!(
                " {}:{line}:{column} `{}`",
                sources
                    .name(label.span.source)
                    .replace("command line", "args"),
                sources.slice(label.span)
            )
        });
        let _ = writeln!(
            text,
            "{}[{}]{place}: {}",
            d.severity.name(),
            d.code,
            d.message
        );
        if let Some(expected) = &d.expected {
            let _ = writeln!(text, "  expected {expected}");
        }
        if let Some(hint) = &d.hint {
            let _ = writeln!(text, "  help: {hint}");
        }
    }
    text
}
