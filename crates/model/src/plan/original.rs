//! What a front end keeps beside the plan, to print its own report from: a value whose type only that front end
//! has.
//!
//! Belongs here: the value's way through run files and between hosts. Must never: know what is in it.

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A type that a front end keeps.
pub trait Kept: Serialize + DeserializeOwned {
    /// Name of the type, one for all plans ever written: front end and noun (`vdbench.stage`).
    const KIND: &'static str;
}

/// A value of one front end, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Original {
    /// [`Kept::KIND`]; empty = there is no value.
    kind: String,
    /// The value as JSON.
    json: String,
}

impl Original {
    /// Keeps a value.
    ///
    /// # Panics
    ///
    /// When the type cannot be JSON (a map with keys that are no text): a fault of the type, not of the value.
    #[must_use]
    pub fn of<T: Kept>(value: &T) -> Self {
        let json = serde_json::to_string(value).expect("a kept type is plain data");
        Self {
            kind: T::KIND.to_owned(),
            json,
        }
    }

    /// The value, where it is of this type; `None` for another front end's, and for one that is damaged.
    #[must_use]
    pub fn get<T: Kept>(&self) -> Option<T> {
        if self.kind != T::KIND {
            return None;
        }
        serde_json::from_str(&self.json).ok()
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }
}

/// The form in JSON: the value as it is, so that people and tools can read it.
#[derive(Serialize, Deserialize)]
struct Shown {
    kind: String,
    value: serde_json::Value,
}

impl Serialize for Original {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return (&self.kind, &self.json).serialize(serializer);
        }
        let shown = if self.is_empty() {
            None
        } else {
            let value = serde_json::from_str(&self.json).map_err(S::Error::custom)?;
            let kind = self.kind.clone();
            Some(Shown { kind, value })
        };
        shown.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Original {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            let (kind, json) = Deserialize::deserialize(deserializer)?;
            return Ok(Self { kind, json });
        }
        let Some(Shown { kind, value }) = Deserialize::deserialize(deserializer)? else {
            return Ok(Self::default());
        };
        let json = serde_json::to_string(&value).map_err(D::Error::custom)?;
        Ok(Self { kind, json })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Bread {
        slices: u32,
        crust: Option<f64>,
    }

    impl Kept for Bread {
        const KIND: &'static str = "test.bread";
    }

    #[derive(Serialize, Deserialize)]
    struct Cake;

    impl Kept for Cake {
        const KIND: &'static str = "test.cake";
    }

    #[test]
    fn a_value_comes_back_to_its_own_type_only() {
        let bread = Bread {
            slices: 3,
            crust: Some(0.1),
        };
        let kept = Original::of(&bread);
        assert_eq!(kept.get::<Bread>(), Some(bread));
        assert!(kept.get::<Cake>().is_none());
        assert!(!kept.is_empty());
        assert!(Original::default().is_empty());
        assert!(Original::default().get::<Bread>().is_none());
    }

    #[test]
    fn in_json_it_is_data_and_not_text() {
        let bread = Bread {
            slices: 3,
            crust: None,
        };
        let kept = Original::of(&bread);
        let json = serde_json::to_value(&kept).unwrap();
        assert_eq!(json["kind"], "test.bread");
        assert_eq!(json["value"]["slices"], 3);
        let back: Original = serde_json::from_value(json).unwrap();
        assert_eq!(back.get::<Bread>(), Some(bread));
        let none = serde_json::to_string(&Original::default()).unwrap();
        assert_eq!(none, "null");
        assert_eq!(
            serde_json::from_str::<Original>(&none).unwrap(),
            Original::default()
        );
    }
}
