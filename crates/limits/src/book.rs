//! The rows that are known: those built in, and those of a user's file.
//!
//! Belongs here: which rows there are, and how one is found. Must never appear here: what a row means for a set-up.

use crate::file;
use crate::row::Row;
use crate::sections::SECTIONS;
use leadline_dialect::diagnostic::{Diagnostic, Sources};
use leadline_model::units::{Bytes, whole};

/// The file that is built in, and the name that its diagnostics have.
pub(crate) const BUILT_IN: (&str, &str) = ("limits.toml", include_str!("limits.toml"));

/// All rows.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// In the order of their files.
    pub rows: Vec<Row>,
}

impl Book {
    /// The rows that are built in.
    #[must_use]
    pub fn built_in() -> Self {
        let (mut sources, mut says) = (Sources::default(), Vec::new());
        Self {
            rows: file::read(BUILT_IN, SECTIONS, &mut sources, &mut says),
        }
    }

    /// Adds the rows of a user's file: each takes the place of those built in that are about the same.
    pub fn add(
        &mut self,
        name: &str,
        text: &str,
        sources: &mut Sources,
        says: &mut Vec<Diagnostic>,
    ) {
        let own = file::read((name, text), SECTIONS, sources, says);
        self.rows
            .retain(|row| own.iter().all(|one| one.identity() != row.identity()));
        self.rows.extend(own);
    }

    /// The rows of a section.
    pub fn of<'a, 's>(&'a self, section: &'s str) -> impl Iterator<Item = &'a Row> + use<'a, 's> {
        self.rows
            .iter()
            .filter(move |row| row.section.name == section)
    }

    /// The rows of a section and a name; case does not matter.
    pub(crate) fn named<'a>(
        &'a self,
        section: &'a str,
        name: &'a str,
    ) -> impl Iterator<Item = &'a Row> {
        self.of(section)
            .filter(move |row| row.text("name").eq_ignore_ascii_case(name))
    }

    /// What is known of the least that can be bought of a service level or a disk.
    pub(crate) fn least<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Row> {
        self.named("least", name)
    }

    /// The kinds of volumes of a service level of which a row says how large they can be.
    pub(crate) fn volumes<'a>(&'a self, level: &'a Row) -> impl Iterator<Item = &'a Row> {
        let own = |row: &&Row| row.text("family") == level.text("family");
        let sized = |row: &&Row| row.number("gib_most").is_some();
        self.of("volume").filter(own).filter(sized)
    }

    /// The first row of a section and a name.
    pub(crate) fn first(&self, section: &str, name: &str) -> Option<&Row> {
        let mut rows = self.of(section);
        rows.find(|row| row.text("name").eq_ignore_ascii_case(name))
    }

    /// The rows about a disk of a name and a size in GiB, where that is said.
    pub(crate) fn disk<'a>(
        &'a self,
        name: &'a str,
        gib: Option<f64>,
    ) -> impl Iterator<Item = &'a Row> {
        self.named("disk", name)
            .filter(move |row| row.is_of_size(gib))
    }

    /// The read cache that the host of a machine of this size has for its disks, where a row says it.
    #[must_use]
    pub fn host_cache(&self, size: &str) -> Option<Bytes> {
        let gib = self
            .named("machine", size)
            .find_map(|row| row.number("cache_gib"))?;
        Some(Bytes(whole(gib * Bytes::GIB as f64)))
    }

    /// The names of a section, each once.
    #[must_use]
    pub fn names(&self, section: &str) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in self.rows.iter().filter(|row| row.section.name == section) {
            let name = row.text("name");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}
