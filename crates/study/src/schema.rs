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
            key["default"] = option.defaults().into();
        }
        keys.insert(option.name.into(), key);
    }
    let of_arm = |name: &str| {
        let row = OPTIONS.iter().find(|option| option.name == name);
        json!({"type": "string", "description": row.map_or("", |row| row.help)})
    };
    let of_each = ["target", "prepare", "undo"].map(|name| (name.to_owned(), of_arm(name)));
    let mut of_arms = Map::from_iter(of_each);
    of_arms.insert(
        "name".into(),
        json!({"type": "string", "description": "Its name in the results"}),
    );
    let arm = json!({"type": "object", "additionalProperties": false, "required": ["name"], "properties": of_arms});
    keys.insert(
        "arm".into(),
        json!({"type": "array", "items": arm, "description": "States of the system: made and undone by commands, or with a target of their own"}),
    );
    for caller in callers {
        let mut kind = if caller.takes_value {
            list.clone()
        } else {
            json!({"type": "boolean"})
        };
        kind["description"] = caller.help.into();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys of an object's properties, and of those within it, that have no description.
    fn without_meaning(of: &Value, found: &mut Vec<String>) {
        let Some(all) = of.as_object() else {
            return;
        };
        for (name, value) in all
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let text = value["description"].as_str().unwrap_or_default();
            if text.is_empty() {
                found.push(name.clone());
            }
        }
        all.values().for_each(|value| without_meaning(value, found));
    }

    #[test]
    fn every_key_has_its_meaning() {
        let caller = crate::request::CallerSwitch {
            name: "map",
            takes_value: true,
            help: "Replace PATH with a simulated volume",
        };
        let schema = schema(&[caller]);
        let mut found = Vec::new();
        without_meaning(&schema, &mut found);
        assert_eq!(found, Vec::<String>::new());
        assert_eq!(schema["properties"]["map"]["description"], caller.help);
        let arm = &schema["properties"]["arm"]["items"]["properties"];
        assert!(
            arm["undo"]["description"]
                .as_str()
                .is_some_and(|text| text.contains("undoes"))
        );
    }
}
