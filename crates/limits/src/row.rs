//! A row: values of known keys, and where they are from.
//!
//! Belongs here: a row as data. Must never appear here: what it means for a set-up.

use crate::sections::Section;
use leadline_dialect::diagnostic::Span;

/// Where a row is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Address of the page or document.
    pub address: String,
    /// Its date, or the month in which it was read: `2026-08-11`, `2026-11`, `2026`.
    pub date: String,
    /// Whether the row was read there.
    pub verified: bool,
}

impl Source {
    /// Whether both are one place in one state; whether it was read there is a matter of each row.
    pub(crate) fn is_place_of(&self, other: &Self) -> bool {
        self.address == other.address && self.date == other.date
    }
}

/// Where rows are from, each place once; it counts as read where each of its rows was.
pub(crate) fn sources_of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<Source> {
    let mut all: Vec<Source> = Vec::new();
    for row in rows {
        match all.iter_mut().find(|known| known.is_place_of(&row.source)) {
            Some(known) => known.verified &= row.source.verified,
            None => all.push(row.source.clone()),
        }
    }
    all
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Number(f64),
    Flag(bool),
}

/// A row.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its section.
    pub section: &'static Section,
    /// Where it is from.
    pub source: Source,
    /// Its place in its file.
    pub(crate) at: Span,
    pub(crate) values: Vec<(&'static str, Value)>,
}

impl Row {
    /// The number of a key, in the unit that its name has.
    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        self.values.iter().find_map(|(name, value)| match value {
            Value::Number(number) if *name == key => Some(*number),
            _ => None,
        })
    }

    /// The text of a key; empty where it has none.
    #[must_use]
    pub fn text(&self, key: &str) -> &str {
        let found = self.values.iter().find_map(|(name, value)| match value {
            Value::Text(text) if *name == key => Some(text.as_str()),
            _ => None,
        });
        found.unwrap_or("")
    }

    /// Whether a flag is set.
    pub(crate) fn is(&self, key: &str) -> bool {
        let set = |(name, value): &(&str, Value)| *name == key && *value == Value::Flag(true);
        self.values.iter().any(set)
    }

    /// MB/s or MiB/s of keys that end in `suffix`, as bytes per second: `mb`, `mib`, `mbit`, or `mib_max` for `_max`.
    pub(crate) fn rate(&self, suffix: &str) -> Option<f64> {
        const UNITS: [(&str, f64); 3] = [("mb", 1e6), ("mib", MIB), ("mbit", 125_000.0)];
        UNITS.into_iter().find_map(|(unit, bytes)| {
            self.number(&format!("{unit}{suffix}"))
                .map(|number| number * bytes)
        })
    }

    /// Whether it is about a disk of this size in GiB, or of one that is not said.
    pub(crate) fn is_of_size(&self, gib: Option<f64>) -> bool {
        gib.is_none_or(|gib| {
            self.number("gib_least").is_none_or(|least| gib >= least)
                && self.number("gib_most").is_none_or(|most| gib <= most)
                && self.number("gib_above").is_none_or(|above| gib > above)
        })
    }

    /// The most IOPS that can be set for a disk of a size in GiB; infinite where nothing says so.
    pub(crate) fn iops_most(&self, gib: Option<f64>) -> f64 {
        let most = self.number("iops_most").unwrap_or(f64::INFINITY);
        let for_size = self.number("iops_most_per_gib").zip(gib);
        let for_size = for_size.map_or(f64::INFINITY, |(iops, gib)| iops * gib);
        most.min(for_size.max(self.number("iops").unwrap_or(0.0)))
    }

    /// The most bytes per second that can be set for a disk with these IOPS; infinite where nothing says so.
    pub(crate) fn rate_most(&self, iops: Option<f64>) -> f64 {
        let per_iops = self.rate("_per_iops").zip(iops);
        let per_iops = per_iops.map_or(f64::INFINITY, |(bytes, iops)| bytes * iops);
        let included = self.rate("").unwrap_or(0.0);
        let most = self.rate("_most").unwrap_or(f64::INFINITY);
        most.min(per_iops.max(included))
    }

    /// What identifies rows of a section: a row of a user's file replaces those with the same.
    pub(crate) fn identity(&self) -> (&'static str, [&str; 4]) {
        let keys = ["name", "family", "path", "counts"];
        (self.section.name, keys.map(|key| self.text(key)))
    }
}

/// Bytes in a MiB.
pub(crate) const MIB: f64 = 1_048_576.0;
/// Bytes in a GiB.
pub(crate) const GIB: f64 = 1024.0 * MIB;
/// Bytes in a TiB.
pub(crate) const TIB: f64 = 1024.0 * GIB;
