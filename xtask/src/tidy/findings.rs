//! Codes of findings: each that a crate gives has its row in the model's table of kinds, and each row is given by
//! some crate. What is given is read from the sources, the rows from the table.
//!
//! Belongs here: string literals where a finding is made. Must never: take a code for given because it is in the
//! table.

use super::code::{line_at, product, string_literals};
use super::files::is_test;
use super::{Fault, File};
use leadline_model::finding::KINDS;

/// Where findings are made.
const MAKERS: &[&str] = &[
    "crates/engine/src/",
    "crates/fleet/src/",
    "crates/results/src/",
    "crates/cli/src/",
];
/// The table itself.
const TABLE: &str = "crates/model/src/finding/table.rs";
/// What stands before a code, spaces left out, where a finding is made of it.
const BEFORE: &[&str] = &["code:", ".finding(", "about_the_file("];
/// Readers of jobs, whose notes and warnings become findings of the run.
const READERS: &[&str] = &[
    "crates/dialect/src/",
    "crates/fio/src/",
    "crates/vdbench/src/",
    "crates/diskspd/src/",
];
/// What stands before the code of such a note, spaces left out.
const NOTED: &[&str] = &["::note(", "::warning(", ".note(", ".warn(", "warn("];
/// What stands before the code of a finding that is kept under a name.
const NAMED: &str = ":&str=";
/// What stands before a code that is looked for in findings and not given.
const COMPARED: [&str; 2] = ["==", "!="];
/// What follows the code of a finding that a function makes.
const AFTER: &str = ",Severity::";

/// Checks the codes of all makers.
pub(super) fn check(files: &[File], faults: &mut Vec<Fault>) {
    let codes: Vec<&str> = KINDS.iter().map(|kind| kind.code).collect();
    compare(files, &codes, faults);
}

fn compare(files: &[File], rows: &[&str], faults: &mut Vec<Fault>) {
    let mut literals = Vec::new();
    for file in files {
        let is_of = |folders: &[&str]| folders.iter().any(|f| file.path.starts_with(f));
        let (maker, reader) = (is_of(MAKERS), is_of(READERS));
        let fixture = file.path.contains("/fixture/");
        let wanted = (maker || reader) && !fixture && !is_test(&file.path);
        let Some(text) = file.text.as_deref().filter(|_| wanted) else {
            continue;
        };
        if !file.path.ends_with(".rs") {
            continue;
        }
        let text = product(text);
        if reader {
            notes(file, text, rows, &mut literals, faults);
            continue;
        }
        let makes = text.contains("Finding {") || text.contains(".finding(");
        for (at, literal) in string_literals(text) {
            let code = literal.trim_matches('"');
            let (before, after) = around(text, at, literal);
            let compared = COMPARED.iter().any(|word| before.ends_with(word));
            if (makes && !compared) || before.ends_with(NAMED) {
                literals.push(code);
            }
            let given =
                BEFORE.iter().any(|word| before.ends_with(word)) || after.starts_with(AFTER);
            if makes && given && is_code(code) && !rows.contains(&code) {
                let message = format!("gives `{code}`, which has no row in {TABLE}");
                faults.push(Fault::new(&file.path, line_at(text, at), message));
            }
        }
    }
    for row in rows.iter().filter(|row| !literals.contains(row)) {
        let message = format!("`{row}` is given by no crate: remove its row");
        faults.push(Fault::new(TABLE, 0, message));
    }
}

/// Checks the codes of the notes and warnings of a reader of jobs.
fn notes<'a>(
    file: &File,
    text: &'a str,
    rows: &[&str],
    literals: &mut Vec<&'a str>,
    faults: &mut Vec<Fault>,
) {
    if !text.contains("Diagnostic") && !NOTED.iter().any(|word| text.contains(word)) {
        return;
    }
    for (at, literal) in string_literals(text) {
        let code = literal.trim_matches('"');
        let (before, _) = around(text, at, literal);
        literals.push(code);
        let given = NOTED.iter().any(|word| before.ends_with(word));
        if given && is_code(code) && !rows.contains(&code) {
            let message = format!("notes `{code}`, which has no row in {TABLE}");
            faults.push(Fault::new(&file.path, line_at(text, at), message));
        }
    }
}

/// What stands before a literal and after it, without spaces.
fn around(text: &str, at: usize, literal: &str) -> (String, String) {
    /// Characters that are looked at on each side.
    const NEAR: usize = 80;
    let squeezed = |part: Vec<char>| part.into_iter().filter(|c| !c.is_whitespace()).collect();
    let mut before: Vec<char> = text[..at].chars().rev().take(NEAR).collect();
    before.reverse();
    let after = text[at + literal.len()..].chars().take(NEAR).collect();
    (squeezed(before), squeezed(after))
}

/// Whether a text has the form of a code.
fn is_code(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !text.is_empty() && text.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str, rows: &[&str]) -> Vec<String> {
        let file = File {
            path: path.to_owned(),
            len: 0,
            text: Some(text.to_owned()),
        };
        let mut faults = Vec::new();
        compare(&[file], rows, &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_code_without_a_row_is_found_however_the_finding_is_made() {
        let made = [
            "fn a() -> Finding { Finding { code: \"new-one\".into() } }",
            "fn a() { case.finding(\n        \"new-one\",\n        Severity::Warn) }",
            "fn a() -> Finding { let (c, s) = (\"new-one\", Severity::Warn); Finding { code: c } }",
            "struct Finding { a: u8 }\nfn a() { self.note([about_the_file(\n    \"new-one\", text)]); }",
        ];
        for text in made {
            let found = faults("crates/results/src/trust/a.rs", text, &[]);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].contains("gives `new-one`"), "{found:?}");
            assert!(faults("crates/results/src/trust/a.rs", text, &["new-one"]).is_empty());
        }
    }

    #[test]
    fn a_row_that_nothing_gives_is_found_whatever_tests_and_other_crates_say() {
        let made = "fn a() -> Finding { Finding { code: \"old-one\".into() } }";
        let in_tests = format!("//! A.\n#[cfg(test)]\nmod tests {{ {made} }}");
        for (path, text) in [
            ("crates/results/src/trust/tests.rs", made),
            ("crates/results/src/fixture/mod.rs", made),
            ("crates/results/src/trust/a.rs", in_tests.as_str()),
            ("crates/fio/src/a.rs", made),
            (
                "crates/engine/src/a.rs",
                "// code: \"old-one\" of a Finding {",
            ),
            (
                "crates/results/src/trust/a.rs",
                "fn a() { found.retain(|f| f.code != \"old-one\"); Finding { code } }",
            ),
        ] {
            let found = faults(path, text, &["old-one"]);
            assert_eq!(found.len(), 1, "{path}: {found:?}");
            assert!(
                found[0].contains("`old-one` is given by no crate"),
                "{found:?}"
            );
        }
        assert!(faults("crates/engine/src/a.rs", made, &["old-one"]).is_empty());
        // A file whose tests are in another one says so at its top.
        let apart = format!("//! A.\n#[cfg(test)]\nmod tests;\n{made}");
        assert!(faults("crates/engine/src/a.rs", &apart, &["old-one"]).is_empty());
        let named = "pub(crate) const OLD: &str = \"old-one\";";
        assert!(faults("crates/cli/src/a.rs", named, &["old-one"]).is_empty());
    }

    /// A note on a job's text is a finding of its run.
    #[test]
    fn a_note_of_a_reader_of_jobs_without_a_row_is_found() {
        for text in [
            "fn a() { self.note(\n    \"new-one\", message, &key::A); }",
            "fn a() { says.push(Diagnostic::warning(\"new-one\", message)); }",
            "fn a() { self.warn(\"new-one\", \"text\", \"hint\", 'X'); }",
        ] {
            let found = faults("crates/fio/src/lower/a.rs", text, &[]);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].contains("notes `new-one`"), "{found:?}");
            assert!(faults("crates/fio/src/lower/a.rs", text, &["new-one"]).is_empty());
        }
        // What ends the run is no finding.
        let error = "fn a() { says.push(Diagnostic::error(\"new-one\", message)); }";
        assert!(faults("crates/fio/src/lower/a.rs", error, &[]).is_empty());
    }

    #[test]
    fn other_literals_are_no_codes() {
        let text = "fn a() -> Finding { say(\"new-one\"); Finding { code: c, text: \"a-b\" } }";
        assert!(faults("crates/cli/src/a.rs", text, &[]).is_empty());
    }
}
