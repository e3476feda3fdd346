//! A small validator of what the schemas of leadline's outputs use.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use serde_json::Value;

/// Everything of `value` that `schema` does not allow.
///
/// # Panics
///
/// When the schema uses a word that is not known here.
#[must_use]
pub fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let mut out = Vec::new();
    check(schema, schema, value, "$", &mut out);
    out
}

/// Words of JSON Schema that [`check`] knows; another one in a schema would be silently unheeded.
const KNOWN: [&str; 16] = [
    "$schema",
    "$id",
    "$defs",
    "$ref",
    "title",
    "description",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "minimum",
    "maximum",
    "oneOf",
];

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("type {other}"),
    }
}

/// Everything of `value` that `schema` does not allow.
fn check(root: &Value, schema: &Value, value: &Value, at: &str, out: &mut Vec<String>) {
    let rules = schema.as_object().unwrap();
    for word in rules.keys() {
        assert!(
            KNOWN.contains(&word.as_str()),
            "the validator does not know {word}"
        );
    }
    if let Some(target) = rules.get("$ref") {
        let pointer = target.as_str().unwrap().trim_start_matches('#');
        check(root, root.pointer(pointer).unwrap(), value, at, out);
    }
    if let Some(forms) = rules.get("oneOf").and_then(Value::as_array) {
        check_forms(root, forms, value, at, out);
    }
    if let Some(types) = rules.get("type") {
        let one = [types.clone()];
        let types = types.as_array().map_or(&one[..], |t| t);
        if !types.iter().any(|t| has_type(value, t.as_str().unwrap())) {
            out.push(format!("{at}: {value} is not {types:?}"));
            return;
        }
    }
    let allowed = rules.get("enum").and_then(Value::as_array);
    if allowed.is_some_and(|all| !all.contains(value))
        || rules.get("const").is_some_and(|c| c != value)
    {
        out.push(format!("{at}: {value} is not one of those allowed"));
    }
    if let (Some(least), Some(number)) = (rules.get("minimum"), value.as_f64())
        && number < least.as_f64().unwrap()
    {
        out.push(format!("{at}: {number} is too small"));
    }
    if let (Some(most), Some(number)) = (rules.get("maximum"), value.as_f64())
        && number > most.as_f64().unwrap()
    {
        out.push(format!("{at}: {number} is too large"));
    }
    if let (Some(items), Some(values)) = (rules.get("items"), value.as_array()) {
        values
            .iter()
            .for_each(|v| check(root, items, v, &format!("{at}[]"), out));
    }
    if let Some(object) = value.as_object() {
        check_object(root, rules, object, at, out);
    }
}

/// What `value` lacks to be of exactly one of these forms: of none, what it lacks for the nearest.
fn check_forms(root: &Value, forms: &[Value], value: &Value, at: &str, out: &mut Vec<String>) {
    let each = forms.iter().map(|form| {
        let mut wrong = Vec::new();
        check(root, form, value, at, &mut wrong);
        wrong
    });
    let each: Vec<Vec<String>> = each.collect();
    match each.iter().filter(|wrong| wrong.is_empty()).count() {
        1 => {}
        0 => out.extend(each.into_iter().min_by_key(Vec::len).unwrap_or_default()),
        several => out.push(format!("{at}: is of {several} forms at once")),
    }
}

fn check_object(
    root: &Value,
    rules: &serde_json::Map<String, Value>,
    object: &serde_json::Map<String, Value>,
    at: &str,
    out: &mut Vec<String>,
) {
    let required = rules.get("required").and_then(Value::as_array);
    for key in required.into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(key) {
            out.push(format!("{at}: {key} is missing"));
        }
    }
    for (key, value) in object {
        let at = format!("{at}.{key}");
        match (
            rules.get("properties").and_then(|p| p.get(key)),
            rules.get("additionalProperties"),
        ) {
            (Some(schema), _) => check(root, schema, value, &at, out),
            (None, Some(Value::Bool(false))) => out.push(format!("{at}: is not in the schema")),
            (None, Some(schema @ Value::Object(_))) => check(root, schema, value, &at, out),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_is_of_exactly_one_form() {
        let schema = json!({
            "oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
            "$defs": {
                "a": {"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}},
                "b": {"type": "object", "required": ["y", "z"]},
            },
        });
        let wrong = |value: Value| violations(&schema, &value);
        assert!(wrong(json!({"x": "1"})).is_empty());
        assert!(wrong(json!({"y": 1, "z": 2})).is_empty());
        assert_eq!(wrong(json!({"x": 1, "w": 2})).len(), 1);
        assert_eq!(wrong(json!({"x": "1", "y": 1, "z": 2})).len(), 1);
    }
}
