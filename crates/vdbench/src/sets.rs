//! The sets of storage that a run is made for: `sd=single`, `sd=range`, `sd=setsof2`, or the names given.
//!
//! Belongs here: which sets there are, their order and names. Must never appear here: what is done to them.

use crate::definition::Definition;
use crate::java::JavaRandom;
use crate::objects::{Storage, pick};
use crate::table::row;
use leadline_dialect::diagnostic::Diagnostic;

/// A name for a set of storage, and the set; `None` = as the workloads say.
pub(crate) type Set = (String, Option<Vec<usize>>);

/// The order in which Vdbench makes sets of storage: mixed, and the same in each run. Two places are exchanged
/// eight times for each storage, drawn by Java's generator from the seed 0.
fn mixed(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut draw = JavaRandom::seeded(0);
    for _ in 0..8 * count {
        let (one, other) = (draw.below(count), draw.below(count));
        order.swap(one, other);
    }
    order
}

/// The sets of storage that a run is made for.
pub(crate) fn sets(
    storage: &[Storage],
    rd: &Definition,
    says: &mut Vec<Diagnostic>,
) -> Option<Vec<Set>> {
    let Some(entry) = rd.get(&row::rd::SD) else {
        return Some(vec![(String::new(), None)]);
    };
    let names: Vec<&str> = storage.iter().map(|s| s.name.as_str()).collect();
    let all = || (0..names.len()).collect::<Vec<_>>();
    let named = |from: usize, to: usize| format!("_{}-{}", names[from], names[to]);
    let listed = |set: &[usize]| set.iter().map(|i| format!("_{}", names[*i])).collect();
    let word = entry.value.first();
    let several = match (word, word.strip_prefix("setsof")) {
        ("single", _) => Some(
            all()
                .iter()
                .map(|i| (format!("_{}", names[*i]), vec![*i]))
                .collect(),
        ),
        ("range", _) => {
            let growing = |i: &usize| (named(0, *i), (0..=*i).collect());
            Some(all().iter().map(growing).collect())
        }
        (_, Some(n)) => {
            let Some(many) = n.parse().ok().filter(|n| *n > 0) else {
                let error = Diagnostic::error("value-not-understood", "how many in a set?");
                says.push(error.at(entry.value.span, "").expected("`setsof2`"));
                return None;
            };
            let set = |of: &[usize]| (listed(of), of.to_vec());
            let order = if many == 1 { all() } else { mixed(names.len()) };
            Some(order.chunks(many).map(set).collect::<Vec<_>>())
        }
        _ => None,
    };
    if let Some(several) = several {
        return Some(
            several
                .into_iter()
                .map(|(name, set)| (name, Some(set)))
                .collect(),
        );
    }
    let set = pick(&entry.value, &names, "storage definition", says)?;
    Some(vec![(String::new(), Some(set))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_mixed_as_vdbench_mixes_them() {
        // The runs that Vdbench 5.04.07 lists for 4 and for 5 of them, taken in twos, numbered from 0.
        assert_eq!(mixed(4), [1, 2, 0, 3]);
        assert_eq!(mixed(5), [4, 3, 0, 2, 1]);
    }
}
