//! JSON as fio prints it: two spaces a level, a space before each colon, keys in the order they were
//! put in, floats with six decimals. Consumers depend on integers and floats staying apart.

use std::fmt::Write as _;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// An integer that is never negative.
    Uint(u64),
    /// A float; what is not finite is printed as 0.
    Float(f64),
    /// A text.
    Text(String),
    /// Values in order.
    Array(Vec<Value>),
    /// Keys and values in order.
    Object(Vec<(String, Value)>),
}

impl From<u64> for Value {
    fn from(n: u64) -> Self {
        Self::Uint(n)
    }
}

impl From<u32> for Value {
    fn from(n: u32) -> Self {
        Self::Uint(u64::from(n))
    }
}

impl From<i32> for Value {
    fn from(n: i32) -> Self {
        Self::Int(i64::from(n))
    }
}

impl From<f64> for Value {
    fn from(n: f64) -> Self {
        Self::Float(n)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Builds an object key by key.
#[derive(Debug, Default)]
pub(super) struct Object(Vec<(String, Value)>);

impl Object {
    /// Adds a key.
    pub(super) fn put(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        self.0.push((key.to_owned(), value.into()));
        self
    }

    /// The object.
    pub(super) fn done(self) -> Value {
        Value::Object(self.0)
    }
}

impl Value {
    /// The value of a key, when this is an object that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(pairs) => pairs.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The text, ending with a newline.
    #[must_use]
    pub fn print(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out.push('\n');
        out
    }

    fn write(&self, out: &mut String, level: usize) {
        match self {
            // Writing into a String cannot fail.
            Self::Int(n) => drop(write!(out, "{n}")),
            Self::Uint(n) => drop(write!(out, "{n}")),
            Self::Float(n) if n.is_finite() => drop(write!(out, "{n:.6}")),
            Self::Float(_) => out.push_str("0.000000"),
            Self::Text(text) => write_text(out, text),
            Self::Array(values) => {
                let items = values.iter().map(|v| (None, v));
                write_items(out, level, ('[', ']'), items);
            }
            Self::Object(pairs) => {
                let items = pairs.iter().map(|(k, v)| (Some(k.as_str()), v));
                write_items(out, level, ('{', '}'), items);
            }
        }
    }
}

fn write_items<'a>(
    out: &mut String,
    level: usize,
    brackets: (char, char),
    items: impl Iterator<Item = (Option<&'a str>, &'a Value)>,
) {
    out.push(brackets.0);
    for (index, (key, value)) in items.enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(level + 1));
        if let Some(key) = key {
            write_text(out, key);
            out.push_str(" : ");
        }
        value.write(out, level + 1);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(level));
    out.push(brackets.1);
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if u32::from(c) < 0x20 => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_prints_as_fio_does_and_any_json_reader_reads_it() {
        let mut inner = Object::default();
        inner
            .put("a \"quoted\"\u{1}", "x\\y\n")
            .put("f", 1.5)
            .put("n", f64::NAN);
        let value = Value::Array(vec![Value::Int(-1), inner.done(), Object::default().done()]);
        let text = value.print();
        assert_eq!(
            text,
            "[\n  -1,\n  {\n    \"a \\\"quoted\\\"\\u0001\" : \"x\\\\y\\n\",\n    \"f\" : 1.500000,\n    \
             \"n\" : 0.000000\n  },\n  {\n  }\n]\n"
        );
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }
}
