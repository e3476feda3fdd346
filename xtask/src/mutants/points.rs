//! The changes that can be made to a source file, found in its text.
//!
//! Belongs here: operators, numbers, results and statements as rustfmt writes them. Must never: parse Rust; a change
//! that does not compile is counted as such.

use crate::tidy::code::{is_word, line_at, only_code, product};
use std::fmt;

/// What is written for what, with the spaces that distinguish an operator from a bound or a type.
const OPERATORS: [(&str, &str); 16] = [
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    (" == ", " != "),
    (" != ", " == "),
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " / "),
    (" / ", " * "),
    (" % ", " / "),
    (" && ", " || "),
    (" || ", " && "),
    (" += ", " -= "),
    (" -= ", " += "),
    (" << ", " >> "),
];

/// What a function of this type may return in place of its result.
const RESULTS: [(&str, &[&str]); 7] = [
    ("bool", &["true", "false"]),
    ("u64", &["0", "1"]),
    ("u32", &["0", "1"]),
    ("usize", &["0", "1"]),
    ("f64", &["0.0", "1.0"]),
    ("String", &["String::new()"]),
    ("Nanos", &["Nanos(0)"]),
];

/// Lines that are no statement of their own, or that no test has to notice.
const KEPT: [&str; 17] = [
    "let ",
    "use ",
    "pub",
    "mod ",
    "const ",
    "static ",
    "type ",
    "return",
    "break",
    "continue",
    "fn ",
    "assert",
    "debug_assert",
    "}",
    ")",
    "]",
    "#",
];

/// A change at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Point {
    /// The file, from the root of the workspace.
    pub(super) path: String,
    /// Line from 1.
    line: usize,
    /// Where it begins, in bytes.
    pub(super) at: usize,
    /// What is there.
    old: String,
    /// What is put in its place.
    new: String,
}

impl Point {
    /// The text of its file with the change.
    pub(super) fn changed(&self, text: &str) -> String {
        let (before, rest) = text.split_at(self.at);
        format!("{before}{}{}", self.new, &rest[self.old.len()..])
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (old, new) = (self.old.trim(), self.new.trim());
        write!(f, "{}:{}: `{old}` -> `{new}`", self.path, self.line)
    }
}

/// All changes of the product code of a file, in the order of their places.
pub(super) fn of(path: &str, text: &str) -> Vec<Point> {
    let product = product(text);
    let code = only_code(product);
    let mut found = Vec::new();
    let mut note = |at: usize, old: &str, new: &str| {
        found.push(Point {
            path: path.to_owned(),
            line: line_at(text, at),
            at,
            old: old.to_owned(),
            new: new.to_owned(),
        });
    };
    for (old, new) in OPERATORS {
        let places = code.match_indices(old);
        places.for_each(|(at, _)| note(at, old, new));
    }
    numbers(&code, &mut note);
    results(&code, &mut note);
    statements(&code, product, &mut note);
    found.sort_by(|a, b| (a.at, &a.old, &a.new).cmp(&(b.at, &b.old, &b.new)));
    found
}

/// Whole numbers become the next one, and 1 becomes 0, too.
fn numbers(code: &str, note: &mut impl FnMut(usize, &str, &str)) {
    let mut at = 0;
    while let Some(start) = code[at..].find(is_word).map(|start| at + start) {
        let end = code[start..].find(|c| !is_word(c));
        let end = end.map_or(code.len(), |end| start + end);
        at = end;
        let (before, after) = (&code[..start], &code[end..]);
        let is_range = |text: &str| text.ends_with("..") || text.ends_with("..=");
        let is_part = before.ends_with('.') && !is_range(before);
        let is_float = after.starts_with('.') && !after.starts_with("..");
        let is_exponent = is_exponent(before);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let Ok(number) = code[start..end].parse::<u64>() else {
            continue;
        };
        if is_part || is_float || is_exponent || line.trim_start().starts_with("#[") {
            continue;
        }
        let old = &code[start..end];
        note(start, old, &number.saturating_add(1).to_string());
        if number == 1 {
            note(start, old, "0");
        }
    }
}

/// Whether a number after this is the negative exponent of another: the 6 of 1e-6.
fn is_exponent(before: &str) -> bool {
    let mantissa = before.strip_suffix("e-").unwrap_or_default();
    mantissa.ends_with(|c: char| c.is_ascii_digit())
}

/// Functions return at once, unless that is all they do.
fn results(code: &str, note: &mut impl FnMut(usize, &str, &str)) {
    for (kind, values) in RESULTS {
        let head = format!("-> {kind} {{");
        for (at, _) in code.match_indices(&head) {
            let body = code[at + head.len()..].trim_start();
            let rest = |value: &str| body.strip_prefix(value).map(str::trim_start);
            let is_all = |value: &&&str| rest(value).is_some_and(|rest| rest.starts_with('}'));
            for value in values.iter().filter(|value| !is_all(value)) {
                note(at, &head, &format!("{head} return {value};"));
            }
        }
    }
    for (at, _) in code.match_indices("-> Option<") {
        let line = code[at..].lines().next().unwrap_or_default();
        if line.ends_with("> {") {
            note(at, line, &format!("{line} return None;"));
        }
    }
}

/// Statements on one line are left out.
fn statements(code: &str, product: &str, note: &mut impl FnMut(usize, &str, &str)) {
    let mut at = 0;
    let mut open = true;
    for line in code.split_inclusive('\n') {
        let text = line.trim();
        let begins = open;
        open = text.is_empty() || text.ends_with([';', '{', '}']);
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let is_inside = line.starts_with("        ");
        let is_kept = KEPT.iter().any(|kept| text.starts_with(kept));
        if begins && is_inside && text.ends_with(';') && !is_kept {
            let written = product[start..at].trim_end();
            let end = written.find(';').map_or(written.len(), |end| end + 1);
            note(start, &written[..end.max(text.len())], "");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let points = of("a.rs", text);
        for point in &points {
            assert_ne!(point.changed(text), text, "{point}");
        }
        points.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn operators_and_numbers_are_changed_one_at_a_time() {
        let text = "const A: u64 = x.0 + 0.5 * 1; // 7 < 8\nfn f<T: A + B>() { \"1 < 2\" }\n";
        let found = shown(text);
        let expected = [
            "a.rs:1: `+` -> `-`",
            "a.rs:1: `*` -> `/`",
            "a.rs:1: `1` -> `0`",
            "a.rs:1: `1` -> `2`",
            // Which does not compile.
            "a.rs:2: `+` -> `-`",
        ];
        assert_eq!(found, expected);
        let changed = of("a.rs", text)[3].changed(text);
        assert!(changed.starts_with("const A: u64 = x.0 + 0.5 * 2; // 7 < 8\n"));
    }

    #[test]
    fn results_and_statements_are_replaced() {
        let text = "fn f(&mut self) -> bool {\n    if a {\n        self.go(b);\n        let c = d;\n        \
                    self.far(\n            e,\n        );\n    }\n    g\n}\nfn h() -> Option<u8> {\n}\n";
        let expected = [
            "a.rs:1: `-> bool {` -> `-> bool { return false;`",
            "a.rs:1: `-> bool {` -> `-> bool { return true;`",
            "a.rs:3: `self.go(b);` -> ``",
            "a.rs:11: `-> Option<u8> {` -> `-> Option<u8> { return None;`",
        ];
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn what_says_the_same_is_no_change() {
        let text = "fn f() -> bool {\n    false\n}\nfn g() -> u64 {\n    a.max(0)\n}\n";
        let expected = [
            "a.rs:1: `-> bool {` -> `-> bool { return true;`",
            "a.rs:4: `-> u64 {` -> `-> u64 { return 0;`",
            "a.rs:4: `-> u64 {` -> `-> u64 { return 1;`",
            "a.rs:5: `0` -> `1`",
        ];
        assert_eq!(shown(text), expected);
        assert_eq!(shown("const A: f64 = 1e-6;\n"), Vec::<String>::new());
        let difference = ["a.rs:1: `-` -> `+`", "a.rs:1: `6` -> `7`"];
        assert_eq!(shown("const A: u8 = e - 6;\n"), difference);
    }

    #[test]
    fn tests_and_attributes_are_left_alone() {
        let text = "#[a(1)]\n\n#[cfg(test)]\nmod tests {\n    const A: u8 = 1;\n}\n";
        assert_eq!(shown(text), Vec::<String>::new());
    }
}
