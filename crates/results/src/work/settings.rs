//! Settings by name, in words.
//!
//! Belongs here: where settings are put. Must never: know which there are.

use super::values::yes;
use std::collections::BTreeMap;

/// Settings by name, as `locked memory`, in words.
pub(super) type Settings = BTreeMap<String, String>;

/// Where settings go: those of a workload, or of one of its files.
pub(super) struct NamedSettings<'a> {
    /// Before each name: `file 2, `; empty for those of all files.
    pub(super) file: String,
    pub(super) all: &'a mut Settings,
}

impl NamedSettings<'_> {
    pub(super) fn add(&mut self, name: &str, value: String) {
        self.all.insert(format!("{}{name}", self.file), value);
    }

    /// Something that is done or not.
    pub(super) fn flag(&mut self, name: &str, is_done: bool) {
        self.add(name, yes(is_done));
    }

    /// A number that has no unit.
    pub(super) fn count(&mut self, name: &str, number: impl ToString) {
        self.add(name, number.to_string());
    }
}
