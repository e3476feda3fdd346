//! Figures that others published, to be drawn beside a run: `assets/published.csv`.
//!
//! Belongs here: reading that file. Must never: judge a run by them.

use std::sync::OnceLock;

/// The file: a line for each published figure.
const FILE: &str = include_str!("../../../assets/published.csv");

/// A published figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PublishedRow {
    /// What distinguishes it from others of its table.
    pub(super) line: String,
    /// Along which axis it has a place; empty where it has none.
    pub(super) x: String,
    /// Where along it.
    pub(super) at: Option<f64>,
    /// Which figure.
    pub(super) figure: String,
    /// Its value: I/Os or MiB a second, or nanoseconds.
    pub(super) value: f64,
}

/// A published figure without a place along x.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedLevel {
    /// Its value in the unit of its axis.
    pub value: f64,
    /// What it is of.
    pub label: String,
}

/// A published table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PublishedTable {
    /// Its name on a command line.
    pub(super) name: String,
    /// Who published it, when.
    pub(super) source: String,
    /// Its figures.
    pub(super) rows: Vec<PublishedRow>,
}

impl PublishedTable {
    /// What it has, in words: `iops over reads`.
    pub(super) fn words(&self) -> String {
        let each = self.rows.iter().map(|row| match row.at {
            Some(_) => format!("{} over {}", row.figure, row.x),
            None => format!("{} over anything", row.figure),
        });
        let mut words: Vec<String> = each.collect();
        words.dedup();
        words.join(", ")
    }
}

/// All tables.
pub(super) fn tables() -> &'static [PublishedTable] {
    static TABLES: OnceLock<Vec<PublishedTable>> = OnceLock::new();
    TABLES.get_or_init(|| read(FILE))
}

/// Their names on a command line.
pub fn names() -> impl Iterator<Item = &'static str> {
    tables().iter().map(|table| table.name.as_str())
}

/// The table of a name.
///
/// # Errors
/// That there is none, and which there are.
pub(super) fn table(name: &str) -> Result<&'static PublishedTable, String> {
    let found = tables().iter().find(|table| table.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = names().collect();
        format!(
            "no published table is called {name}; there are {}",
            names.join(", ")
        )
    })
}

/// Columns: table, source, line, x, at, figure, value. A line that is not one is left out, and a test says so.
fn read(text: &str) -> Vec<PublishedTable> {
    let mut tables: Vec<PublishedTable> = Vec::new();
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    for record in reader.records().filter_map(Result::ok) {
        let [table, source, line, x, at, figure, value] =
            [0, 1, 2, 3, 4, 5, 6].map(|column| record.get(column).unwrap_or_default());
        let Ok(value) = value.parse() else { continue };
        let row = PublishedRow {
            line: line.to_owned(),
            x: x.to_owned(),
            at: at.parse().ok(),
            figure: figure.to_owned(),
            value,
        };
        match tables.iter_mut().find(|t| t.name == table) {
            Some(found) => found.rows.push(row),
            None => tables.push(PublishedTable {
                name: table.to_owned(),
                source: source.to_owned(),
                rows: vec![row],
            }),
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::plot::{PlotFigure, PlotX};

    #[test]
    fn each_line_of_the_file_is_a_figure_with_a_source_and_a_date() {
        let rows: usize = tables().iter().map(|t| t.rows.len()).sum();
        let is_row = |line: &&str| !line.starts_with('#') && !line.trim().is_empty();
        assert_eq!(rows, FILE.lines().filter(is_row).count() - 1);
        for table in tables() {
            assert!(table.source.contains("20"), "{}", table.name);
            for row in &table.rows {
                let figure = PlotFigure::named(&row.figure);
                assert!(figure.is_some(), "{}: {row:?}", table.name);
                assert!(row.value > 0.0, "{}: {row:?}", table.name);
                if row.at.is_some() {
                    assert!(PlotX::named(&row.x).is_some(), "{}: {row:?}", table.name);
                }
            }
        }
    }

    #[test]
    fn an_unknown_table_is_answered_with_those_there_are() {
        let error = table("anf").unwrap_err();
        assert!(error.contains("anf-2025-4k-cached"), "{error}");
    }
}
