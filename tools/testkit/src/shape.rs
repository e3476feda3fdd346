//! The skeleton of a JSON text: which keys, in which order, with which kind of value. What must be
//! equal between fio's output and ours, whatever the figures are.

use serde_json::Value;

/// Objects whose keys depend on the data or the user.
const OPEN: [&str; 4] = ["percentile", "bins", "job options", "global options"];

/// The skeleton of a value: one line a key, with its path and `i` (integer), `f` (float), `s` (text) or
/// `{}` (an object whose keys depend on the data: percentiles, bins, options). Of an array, the first
/// element stands for all.
///
/// # Panics
///
/// There is a value that fio's JSON does not have: a truth value, or null.
#[must_use]
pub fn json_shape(value: &Value) -> Vec<String> {
    let mut out = Vec::new();
    walk(value, "", &mut out);
    out
}

fn walk(value: &Value, path: &str, out: &mut Vec<String>) {
    let kind = match value {
        Value::Number(number) if number.is_f64() => "f",
        Value::Number(_) => "i",
        Value::String(_) => "s",
        Value::Bool(_) | Value::Null => panic!("{path} is {value}"),
        Value::Array(items) => {
            if let Some(first) = items.first() {
                walk(first, &format!("{path}[]"), out);
            }
            return;
        }
        Value::Object(pairs) => {
            let key = path.rsplit('.').next().unwrap_or_default();
            if OPEN.contains(&key) {
                out.push(format!("{path} {{}}"));
            } else {
                pairs
                    .iter()
                    .for_each(|(k, v)| walk(v, &format!("{path}.{k}"), out));
            }
            return;
        }
    };
    out.push(format!("{path} {kind}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_their_order_and_kind() {
        let text = r#"{"jobs": [{"iops": 1.5, "runtime": 7, "bins": {"1": 2}, "desc": "a"}, {}]}"#;
        let shape = json_shape(&serde_json::from_str(text).unwrap());
        let keys = [".iops f", ".runtime i", ".bins {}", ".desc s"];
        assert_eq!(shape, keys.map(|key| format!(".jobs[]{key}")));
    }
}
