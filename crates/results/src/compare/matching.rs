//! Which rows of two results belong together.
//!
//! Belongs here: pairs of rows by name, else by what was done. Must never: compare figures.

use super::called::LoneRow;
use super::rows::{CompareSide, MatchedRows, NamedRows};
use super::subject::RowName;
use crate::work::Properties;
use std::collections::{BTreeMap, BTreeSet};

/// Rows of both sides, and what only one of them has.
pub(super) struct Matching<'a> {
    pub(super) rows: Vec<MatchedRows<'a>>,
    pub(super) only: [Vec<LoneRow>; 2],
}

/// A name in each of the two sides.
type NamePair = (RowName, RowName);

/// What of a row of a side has to be equal to that of its partner; without it, it has none by this rule.
type KeyOf<'k> = dyn Fn(&NamedRows<'_>, &RowName) -> Option<String> + 'k;

/// Puts rows together: those of one name, written as people read it, of one workload, or of one stage; of the others those
/// that do the same, then those that the same words say what they do, where there is one such row on each side; then those
/// that are the only one of their operation on each side; at last all that one side did of an operation with all that the other did.
pub(super) fn matching<'a>(a: &'a CompareSide, b: &'a CompareSide) -> Matching<'a> {
    let (a, b) = (a.by_name(), b.by_name());
    let (mut left, mut right) = (a.order.clone(), b.order.clone());
    let known: BTreeSet<&RowName> = b.order.iter().collect();
    let same = a.order.iter().filter(|name| known.contains(name));
    let mut pairs: Vec<NamePair> = same.map(|name| (name.clone(), name.clone())).collect();
    take(&mut left, &mut right, &pairs);
    let op = |name: &RowName| format!("{:?}", name.op);
    let done = |rows: &NamedRows<'_>, name: &RowName| {
        let first = rows.of(name).first().map(|row| row.properties.clone());
        let mut own: Properties = first.unwrap_or_default();
        own.retain(|property, _| property.must_be_equal());
        Some(format!("{:?} {own:?}", name.op))
    };
    let words = |rows: &NamedRows<'_>, name: &RowName| {
        let first = rows.of(name).first().map(|known| known.row.words.clone());
        first.filter(|words| !words.is_empty())
    };
    let by: [&KeyOf<'_>; 5] = [
        &|_, name| Some(name.label()),
        &|_, name| {
            let workload = &name.workload;
            (!workload.is_empty()).then(|| format!("{} {workload}", op(name)))
        },
        &|_, name| Some(format!("{} {}", op(name), name.stage)),
        &done,
        // What is called the same is no row of one side alone: what is not equal is said at the pair.
        &words,
    ];
    for key in by {
        let found = alike(
            (&left, &|name| key(&a, name)),
            (&right, &|name| key(&b, name)),
        );
        take(&mut left, &mut right, &found);
        pairs.extend(found);
    }
    let rest: Vec<RowName> = left.iter().chain(&right).cloned().collect();
    let found = {
        let (of_a, of_b): (Vec<_>, Vec<_>) = pairs.iter().map(|(a, b)| (a, b)).unzip();
        let alone =
            |found: &[&RowName], name: &RowName| is_alone(&rest, found, name).then(|| op(name));
        alike(
            (&left, &|name| alone(&of_a, name)),
            (&right, &|name| alone(&of_b, name)),
        )
    };
    take(&mut left, &mut right, &found);
    pairs.extend(found);
    let whole = |all: &[RowName], name: &RowName| is_whole(all, name).then(|| op(name));
    let found = alike(
        (&left, &|name| whole(&a.order, name)),
        (&right, &|name| whole(&b.order, name)),
    );
    take(&mut left, &mut right, &found);
    pairs.extend(found);
    without_sums(&mut left, &pairs);
    without_sums(&mut right, &pairs);
    let rows = in_order(pairs, (&a, &b));
    let repeats: Vec<bool> = rows
        .iter()
        .map(|row| is_repeat(row, &rows, [&left, &right]))
        .collect();
    let rows = rows.into_iter().zip(repeats);
    let rows = rows.filter(|(_, is_repeat)| !is_repeat);
    Matching {
        rows: rows.map(|(row, _)| row).collect(),
        only: [lone(&a, left), lone(&b, right)],
    }
}

/// Whether a row without a partner is the only one of its operation: neither a sum nor a part of one that has none either,
/// and no other point of a series whose points have partners, such as a refined point of a curve.
fn is_alone(rest: &[RowName], found: &[&RowName], name: &RowName) -> bool {
    let is_within = |other: &RowName| name.is_sum_with(other) || other.is_sum_with(name);
    let is_sum = rest.iter().any(|part| name.is_sum_with(part));
    // What the other side has alone is rather the sum.
    let mut sums = rest.iter().filter(|sum| sum.op == name.op);
    let is_part = sums.any(|sum| sum.is_sum_with(name));
    let mut points = found.iter().filter(|point| point.op == name.op);
    let is_point = points.any(|point| point.stage != name.stage && !is_within(point));
    !is_sum && !is_part && !is_point
}

/// Whether a row is a sum of one part on both sides: what one workload of a stage did alone of an operation has the same
/// data under a second name, and would be judged twice. `lone` are the names of each side without a partner.
fn is_repeat(row: &MatchedRows<'_>, all: &[MatchedRows<'_>], lone: [&Vec<RowName>; 2]) -> bool {
    fn in_b<'r>(row: &'r MatchedRows<'_>) -> &'r RowName {
        row.other.as_ref().unwrap_or(&row.name)
    }
    let op = row.name.op;
    let own = all.iter().filter(|part| part.name.op == op);
    let parts: Vec<_> = own
        .filter(|part| row.name.is_sum_with(&part.name))
        .collect();
    let has_lone = |sum: &RowName, names: &[RowName]| {
        let mut parts = names.iter().filter(|name| name.op == op);
        parts.any(|part| sum.is_sum_with(part))
    };
    let is_one = matches!(parts.as_slice(), [one] if in_b(row).is_sum_with(in_b(one)));
    let others = has_lone(&row.name, lone[0]) || has_lone(in_b(row), lone[1]);
    op.is_some() && is_one && !others
}

/// Rows of one side that have no partner.
fn lone(rows: &NamedRows<'_>, names: Vec<RowName>) -> Vec<LoneRow> {
    let each = names.into_iter().map(|name| LoneRow {
        words: (rows.of(&name).first()).map_or_else(String::new, |known| known.row.words.clone()),
        name,
    });
    each.collect()
}

/// Whether a row is all that its side has of its operation: the only one, or the sum of the others.
fn is_whole(all: &[RowName], name: &RowName) -> bool {
    let mut others = all
        .iter()
        .filter(|other| other.op == name.op && *other != name);
    others.all(|part| name.is_sum_with(part))
}

/// Names of one side, and what of each has to be equal to that of its partner; without it, it has none.
type KeyedNames<'k> = (&'k [RowName], &'k dyn Fn(&RowName) -> Option<String>);

/// The names with one key, where there is one of it on each side.
fn alike(left: KeyedNames<'_>, right: KeyedNames<'_>) -> Vec<NamePair> {
    let by_key = |(names, key): KeyedNames<'_>| {
        let mut all: BTreeMap<String, Vec<RowName>> = BTreeMap::new();
        for name in names {
            if let Some(key) = key(name) {
                all.entry(key).or_default().push(name.clone());
            }
        }
        all
    };
    let (left, right) = (by_key(left), by_key(right));
    let pair =
        |(key, own): (String, Vec<RowName>)| match (own.as_slice(), right.get(&key)?.as_slice()) {
            ([x], [y]) => Some((x.clone(), y.clone())),
            _ => None,
        };
    left.into_iter().filter_map(pair).collect()
}

/// What all operations together did follows from what each did: one side alone says it, and nothing is missing.
fn without_sums(names: &mut Vec<RowName>, pairs: &[NamePair]) {
    names.retain(|name| {
        let is_part = |(x, y): &&NamePair| x.op.is_some() && (x.is_of(name) || y.is_of(name));
        name.op.is_some() || pairs.iter().filter(is_part).count() <= 1
    });
}

/// The rows of pairs, in the order of A.
fn in_order<'a>(
    mut pairs: Vec<NamePair>,
    (a, b): (&NamedRows<'a>, &NamedRows<'a>),
) -> Vec<MatchedRows<'a>> {
    let places: BTreeMap<&RowName, usize> = a.order.iter().zip(0..).collect();
    pairs.sort_by_key(|pair| places.get(&pair.0));
    let rows = pairs.into_iter().map(|(x, y)| MatchedRows {
        a: a.of(&x).to_vec(),
        b: b.of(&y).to_vec(),
        other: (x.label() != y.label()).then_some(y),
        name: x,
    });
    rows.collect()
}

fn take(left: &mut Vec<RowName>, right: &mut Vec<RowName>, pairs: &[NamePair]) {
    let taken: [BTreeSet<&RowName>; 2] = [
        pairs.iter().map(|pair| &pair.0).collect(),
        pairs.iter().map(|pair| &pair.1).collect(),
    ];
    left.retain(|name| !taken[0].contains(name));
    right.retain(|name| !taken[1].contains(name));
}
