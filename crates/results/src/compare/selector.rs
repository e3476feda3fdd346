//! Which rows a condition is about.
//!
//! Belongs here: patterns against names of rows. Must never: judge a figure.

use super::subject::RowName;
use leadline_model::op::Op;

/// Which of these rows a pattern picks, by their places. A row has several names: its workload, its stage, both with a
/// slash, each with `.` and an operation, and the operation alone. `*` stands for any characters. A pattern that is none
/// of the names picks the rows that have it as a word of their name. Without an operation, and for an empty pattern,
/// rows of all operations together are picked, or the only one there is.
pub(super) fn picks(pattern: &str, rows: &[RowName]) -> Vec<usize> {
    let leads: Vec<bool> = rows.iter().map(|row| is_lead(row, rows)).collect();
    let of = |hit: &dyn Fn(&str, &RowName) -> bool| -> Vec<usize> {
        let each = rows.iter().enumerate();
        each.filter(|(at, row)| {
            let whole = leads[*at] && hit(pattern, row);
            whole || by_op(pattern, row).is_some_and(|rest| rest.is_empty() || hit(rest, row))
        })
        .map(|(at, _)| at)
        .collect()
    };
    if pattern.is_empty() {
        return (0..rows.len()).filter(|at| leads[*at]).collect();
    }
    match of(&is_named) {
        none if none.is_empty() => of(&has_word),
        some => some,
    }
}

/// Whether a row is of all operations together, or of the only one.
fn is_lead(row: &RowName, all: &[RowName]) -> bool {
    let same = |other: &&RowName| other.stage == row.stage && other.workload == row.workload;
    row.op.is_none() || !all.iter().filter(same).any(|other| other.op.is_none())
}

/// What is left of a pattern without the row's operation at its end; `None` where it names another or none.
fn by_op<'a>(pattern: &'a str, row: &RowName) -> Option<&'a str> {
    let name = row.op.map_or("all", Op::name);
    if pattern == name {
        return Some("");
    }
    pattern.strip_suffix(name)?.strip_suffix('.')
}

fn is_named(pattern: &str, row: &RowName) -> bool {
    let both = format!("{}/{}", row.stage, row.workload);
    let names = [row.workload.as_str(), row.stage.as_str(), both.as_str()];
    names.iter().any(|name| matches(pattern, name)) || matches(pattern, &row.place())
}

fn has_word(pattern: &str, row: &RowName) -> bool {
    let place = row.place();
    let mut words = place.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == pattern)
}

/// Whether a text is that of a pattern in which `*` stands for any characters.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<RowName> {
        let row = |stage: &str, workload: &str, op| RowName {
            stage: stage.into(),
            workload: workload.into(),
            op,
        };
        vec![
            row(
                "latency/4k-randread-qd1",
                "latency/4k-randread-qd1",
                Some(Op::Read),
            ),
            row("mixed", "a.b", None),
            row("mixed", "a.b", Some(Op::Read)),
            row("mixed", "a.b", Some(Op::Write)),
            row("mixed", "log", Some(Op::Write)),
        ]
    }

    #[test]
    fn a_pattern_is_a_name_a_glob_an_operation_or_a_word() {
        let of = |pattern: &str| picks(pattern, &rows());
        assert_eq!(of(""), [0, 1, 4]);
        assert_eq!(of("*"), [0, 1, 4]);
        assert_eq!(of("log"), [4]);
        assert_eq!(of("mixed"), [1, 4]);
        assert_eq!(of("mixed/a.b"), [1]);
        assert_eq!(of("a.b.write"), [3]);
        assert_eq!(of("write"), [3, 4]);
        assert_eq!(of("mixed.write"), [3, 4]);
        assert_eq!(of("all"), [1]);
        assert_eq!(of("latency/*"), [0]);
        assert_eq!(of("*randread*"), [0]);
        assert_eq!(of("randread"), [0]);
        assert_eq!(of("randrea"), [0_usize; 0]);
        assert_eq!(of("log.read"), [0_usize; 0]);
    }

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, text, fits) in [
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "acb", false),
            ("*b*", "abc", true),
            ("a**", "a", true),
            ("ab*ba", "aba", false),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }
}
