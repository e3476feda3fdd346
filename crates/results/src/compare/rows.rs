//! The rows of a side by name, and what differs between rows that belong together beside their figures.
//!
//! Belongs here: rows by name; differences of properties. Must never: compare figures, or put rows together.

use super::subject::{LatencyFrom, RowName, Subject, SubjectRow};
use crate::work::{Properties, Property, PropertyValue, without_what_follows};
use leadline_model::condition::FigureKind;
use std::collections::{BTreeMap, BTreeSet};

/// Most rows that are named where a difference is not one of all.
const MOST_ROWS: usize = 3;

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

    /// With its rows distinguished by the state of the system, where they are of several.
    pub(super) fn with_states_apart(self) -> Self {
        let subjects = self.subjects.into_iter();
        Self {
            name: self.name,
            subjects: subjects.map(Subject::with_states_apart).collect(),
        }
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

    /// Its rows by their names, in the order of the first of each.
    pub(super) fn by_name(&self) -> NamedRows<'_> {
        let mut order = Vec::new();
        let mut rows: BTreeMap<RowName, Vec<KnownRow<'_>>> = BTreeMap::new();
        for (number, subject) in self.subjects.iter().enumerate() {
            for row in &subject.rows {
                let own = rows.entry(row.name()).or_insert_with(|| {
                    order.push(row.name());
                    Vec::new()
                });
                let properties = subject.properties.iter().chain(&row.properties);
                own.push(KnownRow {
                    row,
                    subject: number,
                    properties: properties.map(owned).collect(),
                });
            }
        }
        NamedRows { order, rows }
    }
}

/// The rows of a side by their names.
pub(super) struct NamedRows<'a> {
    /// The names, in the order of their first row.
    pub(super) order: Vec<RowName>,
    rows: BTreeMap<RowName, Vec<KnownRow<'a>>>,
}

impl<'a> NamedRows<'a> {
    /// All rows of a name, each with what it was measured with.
    pub(super) fn of(&self, name: &RowName) -> &[KnownRow<'a>] {
        self.rows.get(name).map_or(&[], Vec::as_slice)
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
    /// The rows in which it differs; empty = in all, or in that which it is said of.
    pub rows: Vec<String>,
}

impl PropertyDifference {
    /// In words: `depth 8 in A, 32 in B`.
    #[must_use]
    pub fn words(&self) -> String {
        self.words_of(["A", "B"])
    }

    /// The same with what the sides are called.
    #[must_use]
    pub fn words_of(&self, [a, b]: [&str; 2]) -> String {
        let (name, [own, other]) = match self.option() {
            Some((option, values)) => (format!("{option}:"), values),
            None => (self.property.name().to_owned(), self.values()),
        };
        // A value that has commas is not taken for several.
        let quoted = |text: String| match text.contains(", ") {
            true => format!("\"{text}\""),
            false => text,
        };
        let (own, other, rows) = (quoted(own), quoted(other), self.where_not_all());
        format!("{name} {own} in {a}, {other} in {b}{rows}")
    }

    /// The values of A and of B in words, with all digits where they would be the same without.
    fn values(&self) -> [String; 2] {
        let list = |values: &[PropertyValue], words: fn(&PropertyValue) -> String| match values {
            [] => "none".to_owned(),
            some => some.iter().map(words).collect::<Vec<_>>().join(" or "),
        };
        let both = |words| [list(&self.a, words), list(&self.b, words)];
        let words = |value: &PropertyValue| match value {
            PropertyValue::Percent(_) | PropertyValue::PercentAbout(..) => format!("{value} reads"),
            other => other.to_string(),
        };
        match both(words) {
            [own, other] if own == other => both(PropertyValue::exact),
            words => words,
        }
    }

    /// The name of the one option that it is about, which it goes by, with its values in A and in B.
    fn option(&self) -> Option<(&str, [String; 2])> {
        let only = |values: &[PropertyValue]| -> Option<Vec<(String, String)>> {
            let each = values.iter().map(|value| match value {
                PropertyValue::Named(all) if all.len() == 1 => {
                    let (name, value) = all.first_key_value()?;
                    Some((name.clone(), value.clone()))
                }
                _ => None,
            });
            each.collect()
        };
        let [PropertyValue::Named(all), ..] = self.a.as_slice() else {
            return None;
        };
        let name = all.keys().next()?;
        let (own, other) = (only(&self.a)?, only(&self.b)?);
        let is_one = own.iter().chain(&other).all(|(of, _)| of == name);
        let list = |all: Vec<(String, String)>| {
            let values: Vec<String> = all.into_iter().map(|(_, value)| value).collect();
            values.join(" or ")
        };
        (is_one && self.property == Property::Options)
            .then(|| (name.as_str(), [list(own), list(other)]))
    }

    /// ` (4 KiB reads, 64 KiB reads)`: the rows in which it differs, nothing where it does in all.
    pub(crate) fn where_not_all(&self) -> String {
        match self.rows.len().saturating_sub(MOST_ROWS) {
            _ if self.rows.is_empty() => String::new(),
            0 => format!(" ({})", self.rows.join(", ")),
            more => format!(" ({} and {more} more)", self.rows[..MOST_ROWS].join(", ")),
        }
    }

    /// Of several options one by one, all else as it is.
    fn each(self) -> Vec<Self> {
        if self.property != Property::Options {
            return vec![self];
        }
        let names = self.a.iter().chain(&self.b).flat_map(|value| match value {
            PropertyValue::Named(all) => all.keys().cloned().collect(),
            _ => Vec::new(),
        });
        let names: BTreeSet<String> = names.collect();
        let only = |values: &[PropertyValue], name: &String| {
            let mut all: Vec<PropertyValue> = Vec::new();
            for value in values {
                let PropertyValue::Named(options) = value else {
                    continue;
                };
                let Some(own) = options.get(name) else {
                    continue;
                };
                let one = PropertyValue::Named([(name.clone(), own.clone())].into());
                if !all.contains(&one) {
                    all.push(one);
                }
            }
            all
        };
        let one = |name: &String| Self {
            a: only(&self.a, name),
            b: only(&self.b, name),
            ..self.clone()
        };
        names.iter().map(one).collect()
    }
}

/// Without other options of the plan that follow from a property that differs.
fn without_repeats(mut all: Vec<PropertyDifference>) -> Vec<PropertyDifference> {
    let known: Vec<Property> = all.iter().map(|one| one.property).collect();
    for one in &mut all {
        for value in one.a.iter_mut().chain(&mut one.b) {
            if let (Property::Options, PropertyValue::Named(options)) = (one.property, value) {
                without_what_follows(options, |property| known.contains(&property));
            }
        }
    }
    let is_empty =
        |value: &PropertyValue| matches!(value, PropertyValue::Named(all) if all.is_empty());
    all.retain(|one| {
        !one.a.iter().chain(&one.b).all(is_empty) || one.a.is_empty() && one.b.is_empty()
    });
    all
}

/// What differs in rows and says nothing against comparing them: what is the same in all of them first, then the rest with
/// its rows.
pub(super) fn notes(rows: &[MatchedRows<'_>]) -> Vec<PropertyDifference> {
    let mut found: Vec<PropertyDifference> = Vec::new();
    for row in rows {
        let all = row.differences().into_iter();
        for one in all
            .filter(|one| !one.property.must_be_equal())
            .flat_map(PropertyDifference::each)
        {
            let of = row.name.label();
            let is_same = |known: &&mut PropertyDifference| {
                (known.property, &known.a, &known.b) == (one.property, &one.a, &one.b)
            };
            match found.iter_mut().find(is_same) {
                Some(known) => known.rows.push(of),
                None => found.push(PropertyDifference {
                    rows: vec![of],
                    ..one
                }),
            }
        }
    }
    // A sum of unlike workloads has no options of its own.
    let count = |property| {
        let knows = |of: &[KnownRow<'_>]| !values(of, property).is_empty();
        let known = rows.iter().filter(|row| knows(&row.a) && knows(&row.b));
        known.count()
    };
    for one in &mut found {
        if one.rows.len() >= count(one.property) {
            one.rows.clear();
        }
    }
    found.sort_by_key(|one| (!one.rows.is_empty(), one.property));
    found
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
            let both = || a.iter().chain(&b);
            if both().any(|v| *v == PropertyValue::Unknown) {
                continue;
            }
            // Of reads and writes each at its rate the share that was counted follows from the rates.
            let is_counted = both().any(|v| matches!(v, PropertyValue::PercentAbout(..)));
            if is_counted && self.is_paced() && both().all(PropertyValue::is_part) {
                continue;
            }
            let same = a.iter().all(|v| known(v, &b)) && b.iter().all(|v| known(v, &a));
            // What one side does not say is no difference, but for what is absent where it does not apply.
            let applies = matches!(property, Property::Rate | Property::Sync | Property::Think);
            let said = !a.is_empty() && !b.is_empty();
            if !same && (said || applies) && property != Property::RunTime {
                let unlike = |of: &[PropertyValue], other: &[PropertyValue]| {
                    of.iter().map(|value| value.unlike(other)).collect()
                };
                let (a, b) = (unlike(&a, &b), unlike(&b, &a));
                all.push(PropertyDifference {
                    property,
                    a,
                    b,
                    rows: Vec::new(),
                });
            }
        }
        without_repeats(all)
    }

    /// Whether its rate may be what was asked for, and so says nothing of what is measured: one is asked for, or a side
    /// does not say whether.
    pub(super) fn may_be_paced(&self) -> bool {
        let mut rows = self.a.iter().chain(&self.b);
        rows.any(|row| row.properties.contains_key(&Property::Rate))
    }

    /// Whether a rate is asked for on a side.
    fn is_paced(&self) -> bool {
        let rates = values(&self.a, Property::Rate)
            .into_iter()
            .chain(values(&self.b, Property::Rate));
        rates.into_iter().any(|rate| rate != PropertyValue::Unknown)
    }

    /// Why a latency cannot be compared, if it cannot.
    pub(super) fn unlike_latencies(&self, kind: FigureKind) -> Option<String> {
        let kinds = |rows: &[KnownRow<'_>]| rows.first().map(|r| r.row.counts_from(kind));
        let (a, b) = (kinds(&self.a)?, kinds(&self.b)?);
        let unknown = a == LatencyFrom::Unknown || b == LatencyFrom::Unknown;
        // Without a rate an I/O is to start when it is issued.
        let from_issue = |from| matches!(from, LatencyFrom::Start | LatencyFrom::Issued);
        let same = a == b || from_issue(a) && from_issue(b) && !self.is_paced();
        (!same || unknown)
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
