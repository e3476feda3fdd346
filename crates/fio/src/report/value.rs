//! An object of fio's JSON, key by key.

use serde_json::{Map, Value};

/// Keys and values in the order in which they are put in.
#[derive(Debug, Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    /// Adds a key. A float that is not finite is 0, as fio has it.
    pub(super) fn put(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        let value = match value.into() {
            Value::Null => Value::from(0.0),
            value => value,
        };
        self.0.insert(key.to_owned(), value);
        self
    }

    /// The object.
    pub(super) fn done(self) -> Value {
        Value::Object(self.0)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        object.done()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_floats_are_finite() {
        let mut object = Object::default();
        object.put("b", f64::NAN).put("a", 2_u64).put("c", 2.0);
        let text = leadline_text::json::fio(&object.done()).unwrap();
        assert_eq!(
            text,
            "{\n  \"b\" : 0.000000,\n  \"a\" : 2,\n  \"c\" : 2.000000\n}\n"
        );
    }
}
