//! The JSON Schema of a study file, made of the two tables.

use crate::studies::STUDIES;
use crate::table::OPTIONS;
use serde_json::{Map, Value, json};

/// The schema; `callers` are the names of the caller's switches with whether each has a value.
#[must_use]
pub fn schema(callers: &[crate::request::CallerSwitch]) -> Value {
    let text = json!({"type": ["string", "number"]});
    let list = json!({"anyOf": [text, {"type": "array", "items": text}]});
    let mut keys = Map::new();
    let names: Vec<&str> = STUDIES.iter().map(|study| study.name).collect();
    keys.insert(
        "study".into(),
        json!({"enum": names, "description": "The study"}),
    );
    keys.insert(
        "target".into(),
        json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
               "description": "A directory, or files and devices that `destroy` names too; not needed where each arm has a target"}),
    );
    for option in OPTIONS
        .iter()
        .filter(|o| !matches!(o.name, "study" | "arm" | "target" | "prepare" | "undo"))
    {
        let mut key = match option.value {
            "" => json!({"type": "boolean"}),
            _ => list.clone(),
        };
        let studies = match option.studies {
            [] => String::new(),
            some => format!(" (of {})", some.join(", ")),
        };
        key["description"] = format!("{}{studies}", option.help).into();
        if !option.default.is_empty() {
            key["default"] = option.default.into();
        }
        keys.insert(option.name.into(), key);
    }
    let arm = json!({"type": "object", "additionalProperties": false, "required": ["name"],
        "properties": {"name": {"type": "string"}, "target": {"type": "string"}, "prepare": {"type": "string"}, "undo": {"type": "string"}}});
    keys.insert(
        "arm".into(),
        json!({"type": "array", "items": arm, "description": "States of the system: made and undone by commands, or with a target of their own"}),
    );
    for caller in callers {
        let kind = if caller.takes_value {
            list.clone()
        } else {
            json!({"type": "boolean"})
        };
        keys.entry(caller.name).or_insert(kind);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study file of leadline (TOML)",
        "type": "object",
        "required": ["study"],
        "additionalProperties": false,
        "properties": keys,
    })
}
