//! Parts of a simulated volume in a form that can be stored and read back to the last bit.
//!
//! Belongs here: forms that the usual ones of serde do not have. Must never: decide what is stored, or where.

/// A number by its bits: infinite ones too.
pub(super) mod bits {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(value.to_bits())
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<f64, D::Error> {
        u64::deserialize(from).map(f64::from_bits)
    }
}

/// A map whose keys are no words, as a list of pairs in order.
pub(super) mod pairs {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::HashMap;
    use std::hash::Hash;

    pub(crate) fn serialize<S, K, V>(map: &HashMap<K, V>, to: S) -> Result<S::Ok, S::Error>
    where
        S: Serializer,
        K: Serialize + Ord,
        V: Serialize,
    {
        let mut all: Vec<(&K, &V)> = map.iter().collect();
        all.sort_unstable_by(|a, b| a.0.cmp(b.0));
        to.collect_seq(all)
    }

    pub(crate) fn deserialize<'d, D, K, V>(from: D) -> Result<HashMap<K, V>, D::Error>
    where
        D: Deserializer<'d>,
        K: Deserialize<'d> + Eq + Hash,
        V: Deserialize<'d>,
    {
        let all = Vec::<(K, V)>::deserialize(from)?;
        Ok(all.into_iter().collect())
    }
}
