//! A run as one JSON object: complete and typed. `docs/reference/run.schema.json` describes every key;
//! a test holds the two together.
//!
//! Belongs here: names and order of the keys. Must never: leave a figure out because it is awkward,
//! round, or print a percentile of too few samples (its value is null, its trust says why;
//! the buckets are all there).
//!
//! Names end in their unit: `_ns` nanoseconds, `_ms` milliseconds, `_s` seconds, `_per_s` a second,
//! `bytes` bytes.

mod figures;
mod parts;
mod study;
mod verdict;
mod view;

#[cfg(test)]
mod tests;

use crate::run::Run;

/// Version of the form: raised when a reader of the last one could misread it; new keys do not raise it.
pub const FORM: u32 = 1;

/// The JSON Schema of the form (draft 2020-12).
pub const SCHEMA: &str = include_str!("../../../../../docs/reference/run.schema.json");

/// The schema of a plan alone: the part of [`SCHEMA`] that describes the plan of a run.
#[must_use]
pub fn schema_of_plans() -> serde_json::Value {
    let whole: serde_json::Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    let mut plan = whole["properties"]["plan"].clone();
    plan["$schema"] = whole["$schema"].clone();
    plan["title"] = "A leadline plan".into();
    plan["description"] =
        "A plan as `leadline plan` prints it in JSON. Times are in nanoseconds.".into();
    plan["type"] = "object".into();
    plan
}

/// The JSON text of a run, ending with a newline. Its findings are those that the run holds.
///
/// # Errors
/// Never for a run that was read or measured: only if a number could not be written as JSON.
pub fn json(run: &Run) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(&view::of(run))?;
    text.push('\n');
    Ok(text)
}
