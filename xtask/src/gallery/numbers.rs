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

/// The published figures of these tables as bars, each table with its source; `None` where there are none. Bars of one
/// table and one kind of figure have one scale.
pub(super) fn picture(tables: &[&str]) -> Option<String> {
    let rows = FILE.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<PublishedNumber> = rows
        .map(|line| PublishedNumber { cells: cells(line) })
        .collect();
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
            let same = own.iter().filter(|other| other.cell(5) == row.cell(5));
            let most = same.map(|other| other.value()).fold(1.0, f64::max);
            let _ = write!(
                out,
                "<tr><th scope=\"row\">{}</th><td><i style=\"width:{:.1}%\"></i></td><td>{}</td></tr>",
                attribute(&row.name()),
                100.0 * row.value() / most,
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
        assert_eq!(picture(&[]), None);
        assert_eq!(picture(&["none"]), None);
    }
}
