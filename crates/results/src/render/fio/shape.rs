//! The skeleton of a JSON text: which keys, in which order, with which kind of value. What must be
//! equal between fio's output and ours, whatever the figures are.

use super::value::Value;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Objects whose keys depend on the data or the user.
const OPEN: [&str; 4] = ["percentile", "bins", "job options", "global options"];

/// The skeleton of a value: one line a key, with its path and `i` (integer), `f` (float), `s` (text) or
/// `{}` (an object whose keys depend on the data: percentiles, bins, options). Of an array, the first
/// element stands for all.
///
/// ```
/// let value: leadline_results::render::fio::Value =
///     serde_json::from_str(r#"{"jobs": [{"iops": 1.5, "runtime": 7}]}"#).unwrap();
/// let shape = leadline_results::render::fio::shape(&value);
/// assert_eq!(shape, [".jobs[].iops f", ".jobs[].runtime i"]);
/// ```
#[must_use]
pub fn shape(value: &Value) -> Vec<String> {
    let mut out = Vec::new();
    walk(value, "", &mut out);
    out
}

fn walk(value: &Value, path: &str, out: &mut Vec<String>) {
    let kind = match value {
        Value::Int(_) | Value::Uint(_) => "i",
        Value::Float(_) => "f",
        Value::Text(_) => "s",
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

impl<'de> Deserialize<'de> for Value {
    /// Keeps the order of the keys, and integers and floats apart.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text, an array or an object")
    }

    fn visit_u64<E>(self, n: u64) -> Result<Value, E> {
        Ok(Value::Uint(n))
    }

    fn visit_i64<E>(self, n: i64) -> Result<Value, E> {
        Ok(Value::Int(n))
    }

    fn visit_f64<E>(self, n: f64) -> Result<Value, E> {
        Ok(Value::Float(n))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element()? {
            out.push(item);
        }
        Ok(Value::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(pair) = pairs.next_entry()? {
            out.push(pair);
        }
        Ok(Value::Object(out))
    }
}
