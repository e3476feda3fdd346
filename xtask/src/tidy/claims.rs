//! What the papers claim of the code: every test they name exists and runs, invariants are numbered
//! without a gap, and a number that is cited belongs to one.
//!
//! Belongs here: `file::test` references of Markdown files and numbers of invariants. Must never: judge
//! whether a test holds what is claimed of it.

use super::code::{line_at, only_code};
use super::{Fault, File};
use std::collections::BTreeMap;

/// Where the invariants are.
const INVARIANTS: &str = "docs/invariants.md";
/// Files in which a number may be cited.
const CITING: &[&str] = &[".md", ".rs", ".toml"];

/// Checks the numbers of the invariants, every citation of one, and every test named in Markdown.
pub(super) fn check(files: &[File], faults: &mut Vec<Fault>) {
    let last = numbered(files, faults);
    let mut known = BTreeMap::new();
    for file in files {
        let Some(text) = file.text.as_deref() else {
            continue;
        };
        if CITING.iter().any(|end| file.path.ends_with(end)) {
            cited(&file.path, text, last, faults);
        }
        if file.path.ends_with(".md") {
            tests(&file.path, text, files, &mut known, faults);
        }
    }
}

/// The number of the last invariant: they are 1, 2, 3 ... in the order of the page.
fn numbered(files: &[File], faults: &mut Vec<Fault>) -> usize {
    let text = files
        .iter()
        .find(|file| file.path == INVARIANTS)
        .and_then(|file| file.text.as_deref());
    let Some(text) = text else {
        faults.push(Fault::new(INVARIANTS, 0, "is missing"));
        return 0;
    };
    let mut last = 0;
    for (line, words) in text.lines().enumerate() {
        let Some(number) = words
            .strip_prefix("**I")
            .and_then(|rest| rest.split_once(". "))
            .and_then(|(digits, _)| digits.parse::<usize>().ok())
        else {
            continue;
        };
        last += 1;
        if number != last {
            let message = format!("I{number} stands where I{last} belongs: number them in order");
            faults.push(Fault::new(INVARIANTS, line + 1, message));
        }
    }
    last
}

/// Numbers that no invariant has. DISKSPD's `-I2` is not one.
fn cited(path: &str, text: &str, last: usize, faults: &mut Vec<Fault>) {
    for (at, _) in text.match_indices('I') {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || "_-/".contains(c)) {
            continue;
        }
        let rest = &text[at + 1..];
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let after = rest[end..].chars().next();
        if after.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        if let Ok(number) = rest[..end].parse::<usize>()
            && !(1..=last).contains(&number)
        {
            let message = format!("I{number} is not an invariant of {INVARIANTS}");
            faults.push(Fault::new(path, line_at(text, at), message));
        }
    }
}

/// Looks up every `file.rs::test` in backticks.
fn tests<'a>(
    path: &str,
    text: &str,
    files: &'a [File],
    known: &mut BTreeMap<&'a str, String>,
    faults: &mut Vec<Fault>,
) {
    let ends = |c: char| c == '`' || c.is_whitespace();
    for (at, sign) in text.match_indices(".rs::") {
        let from = text[..at].rfind(ends).map_or(0, |before| before + 1);
        let name_at = at + sign.len();
        let to = text[name_at..]
            .find(ends)
            .map_or(text.len(), |len| name_at + len);
        if !text[..from].ends_with('`') || !text[to..].starts_with('`') {
            continue;
        }
        let source = &text[from..at + ".rs".len()];
        let name = text[name_at..to].rsplit("::").next().unwrap_or_default();
        let wrong = match files.iter().find(|file| file.path == source) {
            None => Some("there is no such file"),
            Some(file) => {
                let code = known
                    .entry(&file.path)
                    .or_insert_with(|| only_code(file.text.as_deref().unwrap_or_default()));
                not_a_test(code, name)
            }
        };
        if let Some(wrong) = wrong {
            let message = format!("names `{}`: {wrong}", &text[from..to]);
            faults.push(Fault::new(path, line_at(text, from), message));
        }
    }
}

/// Why the function `name` is not a test that runs; `None` when it is one.
fn not_a_test(code: &str, name: &str) -> Option<&'static str> {
    let define = format!("fn {name}");
    let mut wrong = "there is no such function in the file";
    for (at, _) in code.match_indices(&define) {
        if !code[at + define.len()..].starts_with(['(', '<']) {
            continue;
        }
        let start = code[..at].rfind('{').map_or(0, |end| end + 1);
        let attributes = &code[start..at];
        if attributes.contains("#[ignore") {
            wrong = "the test is ignored";
        } else if attributes.contains("#[test]") || is_case(code, name) {
            return None;
        } else {
            wrong = "the function is not a test";
        }
    }
    Some(wrong)
}

/// Whether a macro of the file that makes tests is given this function as a case.
fn is_case(code: &str, name: &str) -> bool {
    let makes_tests = code.match_indices("macro_rules!").any(|(at, _)| {
        let body = &code[at..];
        let end = body.find("\n}").unwrap_or(body.len());
        body[..end].contains("#[test]")
    });
    let mentions = code
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| *word == name)
        .count();
    makes_tests && mentions > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! A.\nmod cases { pub fn case<T>() {} fn lone() {} }\n\
        macro_rules! table { ($c:ident) => { #[test]\nfn $c() { cases::$c::<u8>(); } }\n}\n\
        table!(case);\n\
        #[test]\n#[expect(lint, reason = \"a; b\")]\nfn good() {}\n\
        #[test]\n#[ignore = \"a tool\"]\nfn ignored() {}\n\
        fn helper() {}\nproptest! {\n#[test]\nfn any(a in 0..1) {}\n}\n";

    /// Faults of a tree of one source file and one paper, which is the page of the invariants.
    fn faults(paper: &str) -> Vec<String> {
        let file = |path: &str, text: &str| File {
            path: path.to_owned(),
            len: 0,
            text: Some(text.to_owned()),
        };
        let mut faults = Vec::new();
        check(
            &[file("crates/a/src/a.rs", SOURCE), file(INVARIANTS, paper)],
            &mut faults,
        );
        faults.iter().map(ToString::to_string).collect()
    }

    fn of_test(name: &str) -> Vec<String> {
        faults(&format!("- `crates/a/src/a.rs::{name}`\n"))
    }

    #[test]
    fn a_test_that_does_not_exist_is_found() {
        let found = of_test("gone");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("docs/invariants.md:1: names `crates/a/src/a.rs::gone`"));
        assert!(found[0].ends_with("no such function in the file"));
        let found = faults("one\n- `crates/a/src/b.rs::good`\n");
        assert!(found[0].contains(":2:") && found[0].ends_with("there is no such file"));
        assert!(of_test("goo").len() == 1 && of_test("good_").len() == 1);
    }

    #[test]
    fn a_function_that_is_no_test_is_found() {
        assert!(of_test("helper")[0].ends_with("the function is not a test"));
        assert!(of_test("lone")[0].ends_with("the function is not a test"));
        assert!(of_test("ignored")[0].ends_with("the test is ignored"));
    }

    #[test]
    fn tests_of_every_kind_are_known() {
        for name in ["good", "any", "case", "tests::good"] {
            assert_eq!(of_test(name), Vec::<String>::new());
        }
    }

    #[test]
    fn gaps_and_disorder_in_the_numbers_are_found() {
        assert!(faults("**I1. A.** B.\n\n**I2. C.**\n").is_empty());
        let found = faults("**I1. A.**\n**I3. C.**\n");
        assert!(
            found[0].contains(":2: I3 stands where I2 belongs"),
            "{found:?}"
        );
        assert!(!faults("**I2. A.**\n**I1. C.**\n").is_empty());
        assert!(!faults("**I1. A.**\n**I1. C.**\n").is_empty());
    }

    #[test]
    fn a_number_without_an_invariant_is_found_anywhere() {
        for (path, count) in [("a.md", 1), ("a.rs", 1), ("a.toml", 1), ("a.txt", 0)] {
            let file = File {
                path: path.to_owned(),
                len: 0,
                text: Some("see I1,\nor I2; not -I9, AI9, I9th".replace('2', "20")),
            };
            let page = File {
                path: INVARIANTS.to_owned(),
                len: 0,
                text: Some("**I1. A.**\n".to_owned()),
            };
            let mut faults = Vec::new();
            check(&[file, page], &mut faults);
            assert_eq!(faults.len(), count, "{faults:?}");
            assert!(faults.iter().all(|fault| fault.line == 2));
        }
    }
}
