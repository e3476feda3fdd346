//! What was published as numbers, as a picture beside leadline's: the figures of `crates/results/assets/published.csv`.
//!
//! Belongs here: reading that file, and its rows as bars. Must never: hold a figure itself, or draw what nobody published as
//! a number.

use leadline_text::markup::attribute;
use std::fmt::Write as _;

/// The file: a line for each published figure.
const FILE: &str = include_str!("../../../crates/results/assets/published.csv");

/// A row of the file: table, source, line, x, at, figure, value.
struct PublishedNumber {
    cells: Vec<String>,
}

impl PublishedNumber {
    fn cell(&self, place: usize) -> &str {
        self.cells.get(place).map_or("", String::as_str)
    }

    fn value(&self) -> f64 {
        self.cell(6).parse().unwrap_or(0.0)
    }

    /// What it is of: `total, 100 % reads`.
    fn name(&self) -> String {
        let place = match self.cell(3) {
            "" => return self.cell(2).to_owned(),
            "reads" => format!("{} % reads", self.cell(4)),
            "percentile" => format!("p{}", self.cell(4)),
            x => format!("{x} {}", self.cell(4)),
        };
        format!("{}, {place}", self.cell(2))
    }

    /// Its value with its unit.
    fn text(&self) -> String {
        let value = self.value();
        match self.cell(5) {
            "iops" => format!("{value} IOPS"),
            "mibps" => format!("{value} MiB/s"),
            _ => format!("{} us", value / 1000.0),
        }
    }
}

/// The cells of a line; one in quotes may have commas.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match (letter, cells.last_mut()) {
            ('"', _) => quoted = !quoted,
            (',', _) if !quoted => cells.push(String::new()),
            (letter, Some(cell)) => cell.push(letter),
            _ => {}
        }
    }
    cells
}

/// The rows of the file, its head among them.
fn rows() -> Vec<PublishedNumber> {
    let rows = FILE.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| PublishedNumber { cells: cells(line) })
        .collect()
}

/// The names of the figures of a table that have no place along an axis: a chart has them as level lines.
pub(super) fn levels(table: &str) -> Vec<String> {
    let own = rows().into_iter().filter(|row| row.cell(0) == table);
    let levels = own.filter(|row| row.cell(3).is_empty());
    levels.map(|row| row.cell(2).to_owned()).collect()
}

/// The published figures of these tables as bars, each table with its source; `None` where there are none. Bars of one
/// kind of figure have one scale in all tables; a figure that is the only one of its kind has no bar, as there is nothing
/// to compare its length with.
pub(super) fn picture(tables: &[&str]) -> Option<String> {
    let rows = rows();
    let shown = |row: &&PublishedNumber| tables.contains(&row.cell(0));
    let mut out = String::new();
    for table in tables {
        let own: Vec<&PublishedNumber> = rows.iter().filter(|row| row.cell(0) == *table).collect();
        let Some(first) = own.first() else { continue };
        let _ = write!(
            out,
            "<table class=\"numbers\"><caption>As published: {} ({})</caption>",
            attribute(first.cell(1)),
            attribute(table)
        );
        for row in &own {
            let same = rows.iter().filter(shown);
            let same = same.filter(|other| other.cell(5) == row.cell(5));
            let same: Vec<f64> = same.map(PublishedNumber::value).collect();
            let share = 100.0 * row.value() / same.iter().copied().fold(1.0, f64::max);
            let bar = match same.len() {
                0 | 1 => String::new(),
                _ => format!("<i style=\"width:{share:.1}%\"></i>"),
            };
            let _ = write!(
                out,
                "<tr><th scope=\"row\">{}</th><td>{bar}</td><td>{}</td></tr>",
                attribute(&row.name()),
                attribute(&row.text())
            );
        }
        out.push_str("</table>");
    }
    (!out.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_table_is_bars_with_its_source() {
        let found = picture(&["anf-2025-4k-cached", "anf-2025-4k"]).unwrap();
        assert_eq!(found.matches("<table").count(), 2);
        assert!(
            found.contains("regular volumes on Linux, 2025-01-27"),
            "{found}"
        );
        let half = "total, 0 % reads</th><td><i style=\"width:28.3%\"></i></td><td>130000 IOPS";
        assert!(found.contains(half), "{found}");
        let latency = picture(&["gcnv-2022"]).unwrap();
        assert!(
            latency.contains("p50</th>") && latency.contains("<td>482 us</td>"),
            "{latency}"
        );
        // One scale for both tables, and no bar for the only figure of a unit.
        let less = "total, 100 % reads</th><td><i style=\"width:84.3%\"></i></td><td>388000 IOPS";
        assert!(found.contains(less), "{found}");
        let alone = picture(&["anf-2019"]).unwrap();
        assert!(alone.contains("<td></td><td>4500 MiB/s</td>"), "{alone}");
        assert!(!alone.contains("<i "), "{alone}");
        assert_eq!(picture(&[]), None);
        assert_eq!(picture(&["none"]), None);
    }
}
