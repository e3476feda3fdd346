//! Which rows a condition is about.
//!
//! Belongs here: patterns against names of rows. Must never: judge a figure.

use super::subject::RowName;
use leadline_model::op::Op;

/// Which rows a pattern without an operation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PickedOps {
    /// Those of all operations together, or the only one there is.
    Together,
    /// Those and the ones of each operation.
    Each,
}

/// Which of these rows a pattern picks, by their places. A row has several names: its workload, its stage, both with a
/// slash, each with `.` and an operation, and the operation alone; a stage that is distinguished from others of its name
/// (`run1, depth 4`) goes by that name too. `*` matches any characters. A pattern that is none
/// of the names picks the rows that have it as a word of their name. Without an operation, and for an empty pattern,
/// the rows of `ops` are picked.
pub(super) fn picks(pattern: &str, rows: &[RowName], ops: PickedOps) -> Vec<usize> {
    let is_picked = |row| ops == PickedOps::Each || is_lead(row, rows);
    let leads: Vec<bool> = rows.iter().map(is_picked).collect();
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
        // What all workloads of a stage do together is kept by what each does.
        let is_whole = |row: &RowName| rows.iter().any(|part| row.is_sum_with(part));
        let is_meant = |at: &usize| leads[*at] && !is_whole(&rows[*at]);
        return (0..rows.len()).filter(is_meant).collect();
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
    let stages = [
        Some(row.stage.as_str()),
        row.stage.split_once(", ").map(|(name, _)| name),
    ];
    let mut stages = stages.into_iter().flatten();
    let is_stage = |stage: &str| {
        matches(pattern, stage) || matches(pattern, &format!("{stage}/{}", row.workload))
    };
    stages.any(is_stage) || matches(pattern, &row.workload) || matches(pattern, &row.place())
}

fn has_word(pattern: &str, row: &RowName) -> bool {
    let place = row.place();
    let mut words = place.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| matches(pattern, word))
}

/// Whether a text is that of a pattern in which `*` matches any characters.
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
            row("run1, depth 4", "wd", Some(Op::Read)),
            row("run1, depth 8", "wd", Some(Op::Read)),
        ]
    }

    #[test]
    fn a_pattern_is_a_name_a_glob_an_operation_or_a_word() {
        let of = |pattern: &str| picks(pattern, &rows(), PickedOps::Together);
        assert_eq!(of(""), [0, 1, 4, 5, 6]);
        assert_eq!(of("*"), [0, 1, 4, 5, 6]);
        assert_eq!(of("run1"), [5, 6]);
        assert_eq!(of("run1/wd.read"), [5, 6]);
        assert_eq!(of("run1, depth 8"), [6]);
        assert_eq!(of("*depth 4"), [5]);
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
        assert_eq!(of("qd*"), [0]);
        assert_eq!(of("log.read"), [0_usize; 0]);
        let each = |pattern: &str| picks(pattern, &rows(), PickedOps::Each);
        assert_eq!(each(""), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(each("mixed"), [1, 2, 3, 4]);
        assert_eq!(each("mixed.write"), [3, 4]);
        assert_eq!(each("all"), [1]);
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
