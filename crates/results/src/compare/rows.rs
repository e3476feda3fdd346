//! Which rows of two results belong together, and what differs between them beside their figures.
//!
//! Belongs here: rows by name, else by what was done; differences of properties. Must never: compare figures.

use super::subject::{LatencyFrom, RowName, Subject, SubjectRow};
use crate::work::{Properties, Property, PropertyValue};

/// One side of a comparison: repeats of one measurement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompareSide {
    /// What it is called.
    pub name: String,
    /// Its results, at least one.
    pub subjects: Vec<Subject>,
}

impl CompareSide {
    /// The parts of a run that was measured in several states of the system, in the order of their first row; one
    /// without a name where there are no states.
    #[must_use]
    pub fn arms(subject: &Subject) -> Vec<Self> {
        let mut names: Vec<&str> = Vec::new();
        for row in &subject.rows {
            if !names.contains(&row.arm.as_str()) {
                names.push(&row.arm);
            }
        }
        let of = |arm: &&str| {
            let own = subject.rows.iter().filter(|row| row.arm == **arm);
            Self {
                name: (**arm).to_owned(),
                subjects: vec![Subject {
                    rows: own.cloned().collect(),
                    ..subject.clone()
                }],
            }
        };
        names.iter().map(of).collect()
    }

    /// Without copies: results with the same figures and the same start are one, however many files they are in. With it,
    /// what was left out.
    pub(super) fn without_copies(&self) -> (Self, Vec<String>) {
        let mut kept: Vec<Subject> = Vec::new();
        let mut said = Vec::new();
        for subject in &self.subjects {
            match kept.iter().find(|one| one.is_copy_of(subject)) {
                Some(one) => said.push(format!(
                    "{} has the same figures as {}: it is counted once",
                    subject.source, one.source
                )),
                None => kept.push(subject.clone()),
            }
        }
        let side = Self {
            name: self.name.clone(),
            subjects: kept,
        };
        (side, said)
    }

    /// The results of it that the other side has too.
    pub(super) fn shared_with(&self, other: &Self) -> Vec<String> {
        let is_there =
            |subject: &&Subject| other.subjects.iter().any(|one| one.is_copy_of(subject));
        let shared = self.subjects.iter().filter(is_there);
        shared
            .map(|subject| format!("{} is in A too", subject.source))
            .collect()
    }

    /// The names of its rows, in the order of their first.
    pub(super) fn names(&self) -> Vec<RowName> {
        let mut names = Vec::new();
        for row in self.subjects.iter().flat_map(|s| &s.rows) {
            let name = row.name();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// All rows of a name, each with what it was measured with.
    pub(super) fn rows(&self, name: &RowName) -> Vec<KnownRow<'_>> {
        let each = self
            .subjects
            .iter()
            .enumerate()
            .flat_map(|(number, subject)| {
                let own = subject.rows.iter().filter(|row| row.name() == *name);
                own.map(move |row| KnownRow {
                    row,
                    subject: number,
                    properties: subject
                        .properties
                        .iter()
                        .chain(&row.properties)
                        .map(owned)
                        .collect(),
                })
            });
        each.collect()
    }
}

fn owned((key, value): (&Property, &PropertyValue)) -> (Property, PropertyValue) {
    (*key, value.clone())
}

/// A row with all that it was measured with.
#[derive(Clone, Debug)]
pub(super) struct KnownRow<'a> {
    pub(super) row: &'a SubjectRow,
    /// Which result of its side it is of.
    pub(super) subject: usize,
    pub(super) properties: Properties,
}

/// A property that is not the same on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyDifference {
    /// Which one.
    pub property: Property,
    /// Its values in A, each once; empty = it does not apply or is not known there.
    pub a: Vec<PropertyValue>,
    /// Those in B.
    pub b: Vec<PropertyValue>,
}

impl PropertyDifference {
    /// In words: `depth 8 in A, 32 in B`.
    #[must_use]
    pub fn words(&self) -> String {
        let list = |values: &[PropertyValue]| match values {
            [] => "none".to_owned(),
            some => some
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" or "),
        };
        format!(
            "{} {} in A, {} in B",
            self.property.name(),
            list(&self.a),
            list(&self.b)
        )
    }
}

/// Rows of both sides that belong together.
#[derive(Clone, Debug)]
pub(super) struct MatchedRows<'a> {
    /// What they are called in A.
    pub(super) name: RowName,
    /// What they are called in B, where that is another name.
    pub(super) other: Option<RowName>,
    pub(super) a: Vec<KnownRow<'a>>,
    pub(super) b: Vec<KnownRow<'a>>,
}

impl MatchedRows<'_> {
    /// How many repeats each side has: results, or rows of the only one.
    pub(super) fn repeats(&self) -> (usize, usize) {
        let of = |rows: &[KnownRow<'_>]| match subjects(rows) {
            0 | 1 => rows.len(),
            several => several,
        };
        (of(&self.a), of(&self.b))
    }

    /// What differs between the two sides, in the order of the properties.
    pub(super) fn differences(&self) -> Vec<PropertyDifference> {
        let mut all = Vec::new();
        for property in Property::ALL {
            let (a, b) = (values(&self.a, property), values(&self.b, property));
            let known = |value: &PropertyValue, other: &[PropertyValue]| {
                other.iter().any(|o| o.is_same_as(value))
            };
            if a.iter().chain(&b).any(|v| *v == PropertyValue::Unknown) {
                continue;
            }
            let same = a.iter().all(|v| known(v, &b)) && b.iter().all(|v| known(v, &a));
            // What one side does not say is no difference, but for what is absent where it does not apply.
            let applies = matches!(property, Property::Rate | Property::Sync | Property::Think);
            let said = !a.is_empty() && !b.is_empty();
            if !same && (said || applies) && property != Property::RunTime {
                all.push(PropertyDifference { property, a, b });
            }
        }
        all
    }

    /// Why latencies cannot be compared, if they cannot.
    pub(super) fn unlike_latencies(&self) -> Option<String> {
        let kinds = |rows: &[KnownRow<'_>]| rows.first().map(|r| r.row.latency_from);
        let (a, b) = (kinds(&self.a)?, kinds(&self.b)?);
        let unknown = a == LatencyFrom::Unknown || b == LatencyFrom::Unknown;
        (a != b || unknown)
            .then(|| format!("latencies of A are {}, those of B {}", a.words(), b.words()))
    }
}

/// Of how many results rows are.
pub(super) fn subjects(rows: &[KnownRow<'_>]) -> usize {
    let mut all: Vec<usize> = rows.iter().map(|row| row.subject).collect();
    all.dedup();
    all.len()
}

/// The different values of a property.
fn values(rows: &[KnownRow<'_>], property: Property) -> Vec<PropertyValue> {
    let mut all: Vec<PropertyValue> = Vec::new();
    for value in rows.iter().filter_map(|row| row.properties.get(&property)) {
        if !all.iter().any(|known| known.is_same_as(value)) {
            all.push(value.clone());
        }
    }
    all
}

/// Rows of both sides, and what only one of them has.
pub(super) struct Matching<'a> {
    pub(super) rows: Vec<MatchedRows<'a>>,
    pub(super) only: [Vec<RowName>; 2],
}

/// More rows without a partner of their name stay alone: each would be looked at with each.
const MOST_ALIKE: usize = 100;

/// Whether two rows do the same.
type AreAlike<'a> = dyn Fn(&RowName, &RowName) -> bool + 'a;

/// Puts rows together: those of one name, written as people read it, of one workload, or of one stage; of the others those
/// that do the same, where there is one such row on each side; then those that are the only one of their operation on each
/// side.
pub(super) fn matching<'a>(a: &'a CompareSide, b: &'a CompareSide) -> Matching<'a> {
    let (mut left, mut right) = (a.names(), b.names());
    let mut pairs: Vec<(RowName, RowName)> = Vec::new();
    let same: Vec<RowName> = left.iter().filter(|n| right.contains(n)).cloned().collect();
    pairs.extend(same.into_iter().map(|name| (name.clone(), name)));
    take(&mut left, &mut right, &pairs);
    let work = |side: &CompareSide, name: &RowName| {
        let rows = side.rows(name);
        let first = rows.first().map(|row| row.properties.clone());
        let mut own = first.unwrap_or_default();
        own.retain(|key, _| key.must_be_equal());
        own
    };
    let names: Vec<RowName> = left.iter().chain(&right).cloned().collect();
    let is_sum = |of: &RowName| names.iter().any(|part| of.is_sum_with(part));
    let alike: [&AreAlike<'_>; 5] = [
        &|x, y| x.label() == y.label(),
        &|x, y| x.op == y.op && x.workload == y.workload && !x.workload.is_empty(),
        &|x, y| x.op == y.op && x.stage == y.stage,
        &|x, y| x.op == y.op && work(a, x) == work(b, y),
        &|x, y| x.op == y.op && !is_sum(x) && !is_sum(y),
    ];
    for is_alike in alike {
        if left.len().max(right.len()) > MOST_ALIKE {
            break;
        }
        let of = |x: &RowName| right.iter().filter(|y| is_alike(x, y)).collect::<Vec<_>>();
        let mut found: Vec<(RowName, RowName)> = Vec::new();
        for x in &left {
            let [y] = of(x)[..] else { continue };
            let rivals = left.iter().filter(|other| is_alike(other, y)).count();
            if rivals == 1 {
                found.push((x.clone(), y.clone()));
            }
        }
        take(&mut left, &mut right, &found);
        pairs.extend(found);
    }
    // What all operations together did follows from what each did: one side alone says it, and nothing is missing.
    let has_ops = |name: &RowName| {
        let each = pairs
            .iter()
            .filter(|(x, y)| x.op.is_some() && (x.is_of(name) || y.is_of(name)));
        name.op.is_none() && each.count() > 1
    };
    left.retain(|name| !has_ops(name));
    right.retain(|name| !has_ops(name));
    let order = a.names();
    pairs.sort_by_key(|pair| order.iter().position(|name| *name == pair.0));
    let rows = pairs.into_iter().map(|(x, y)| MatchedRows {
        a: a.rows(&x),
        b: b.rows(&y),
        other: (x.label() != y.label()).then_some(y),
        name: x,
    });
    Matching {
        rows: rows.collect(),
        only: [left, right],
    }
}

fn take(left: &mut Vec<RowName>, right: &mut Vec<RowName>, pairs: &[(RowName, RowName)]) {
    left.retain(|name| !pairs.iter().any(|pair| pair.0 == *name));
    right.retain(|name| !pairs.iter().any(|pair| pair.1 == *name));
}
