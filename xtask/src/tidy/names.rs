//! One meaning a type name: no crate has two types of one name, public or private, outside its tests; and the options
//! a user wrote are matched by name in their own front end only.
//!
//! Belongs here: words of the code, compared. Must never: resolve a name.

use super::code::{line_at, only_code, product};
use super::files::is_test;
use super::{Fault, File};
use std::collections::BTreeMap;

/// What begins a type that has a name.
const TYPES: &[&str] = &["struct", "enum", "trait", "type", "union"];

/// Crates that may look into the options a user gave: the model that has them, fio, which prints them again, and the
/// made-up runs of tests.
const READ_GIVEN: &[&str] = &[
    "crates/model/",
    "crates/fio/",
    "crates/results/src/fixture/",
];

/// Checks every file of the crates and the tools.
pub(super) fn check(files: &[File], faults: &mut Vec<Fault>) {
    let mut seen: BTreeMap<(String, String), String> = BTreeMap::new();
    for file in files {
        let Some(text) = file.text.as_deref() else {
            continue;
        };
        let ours = ["crates/", "tools/", "xtask/"]
            .iter()
            .any(|folder| file.path.starts_with(folder));
        if !ours || !file.path.ends_with(".rs") || is_test(&file.path) {
            continue;
        }
        let code = only_code(product(text));
        given(&file.path, &code, faults);
        let folder: String = file
            .path
            .splitn(3, '/')
            .take(2)
            .collect::<Vec<_>>()
            .join("/");
        for (at, name) in types(&code) {
            let key = (folder.clone(), name.to_owned());
            match seen.get(&key) {
                Some(first) => {
                    let message = format!(
                        "`{name}` is the name of another type in {first}: one meaning a name"
                    );
                    faults.push(Fault::new(&file.path, line_at(&code, at), message));
                }
                None => {
                    seen.insert(key, file.path.clone());
                }
            }
        }
    }
}

/// Types of a file, with their place. Indented ones are associated types or types of one function, and not meant.
fn types(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let mut words = words_after_scope(line).filter(|word| *word != "unsafe");
        if words.next().is_some_and(|word| TYPES.contains(&word))
            && let Some(name) = words.next()
        {
            found.push((at, name));
        }
        at += line.len();
    }
    found
}

/// The words of a line without its `pub` or `pub(...)`; none of an indented line.
fn words_after_scope(line: &str) -> impl Iterator<Item = &str> {
    let rest = match line.strip_prefix("pub") {
        Some(rest) => match rest.strip_prefix('(') {
            Some(scope) => scope.split_once(')').map_or("", |(_, rest)| rest),
            None => rest,
        },
        None if line.starts_with(char::is_whitespace) => "",
        None => line,
    };
    rest.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

fn given(path: &str, code: &str, faults: &mut Vec<Fault>) {
    if READ_GIVEN.iter().any(|allowed| path.starts_with(allowed)) {
        return;
    }
    if let Some(at) = code.find(".given.iter()") {
        let message = "reads options as they were given: let the front end keep a typed value (`plan::Original`)";
        faults.push(Fault::new(path, line_at(code, at), message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files
            .iter()
            .map(|(path, text)| File {
                path: (*path).to_owned(),
                len: 0,
                text: Some((*text).to_owned()),
            })
            .collect();
        let mut faults = Vec::new();
        check(&files, &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_second_type_of_a_name_is_refused_within_a_crate_only() {
        let one = "//! A.\npub struct Reader;\n";
        let two = "//! B.\n\npub(crate) enum Reader {}\n";
        assert_eq!(
            faults(&[("crates/a/src/a.rs", one), ("crates/a/src/b.rs", two)]),
            [
                "crates/a/src/b.rs:3: `Reader` is the name of another type in crates/a/src/a.rs: one meaning a name"
            ]
        );
        assert!(faults(&[("crates/a/src/a.rs", one), ("crates/b/src/b.rs", two)]).is_empty());
        assert_eq!(
            faults(&[("xtask/src/a.rs", one), ("xtask/src/b.rs", two)]).len(),
            1
        );
        let private = "//! C.\nstruct Reader;\n";
        assert_eq!(
            faults(&[("crates/a/src/a.rs", one), ("crates/a/src/c.rs", private)]),
            [
                "crates/a/src/c.rs:2: `Reader` is the name of another type in crates/a/src/a.rs: one meaning a name"
            ]
        );
        let inner = "//! C.\n// struct Reader\nfn f() {\n    struct Reader;\n}\nimpl Writer {}\n";
        let tests = "//! D.\n#[cfg(test)]\nmod tests {\npub struct Reader;\n}\n";
        assert!(
            faults(&[
                ("crates/a/src/a.rs", one),
                ("crates/a/src/c.rs", inner),
                ("crates/a/src/d.rs", tests),
                ("crates/a/tests/it/e.rs", one),
            ])
            .is_empty()
        );
    }

    #[test]
    fn options_as_given_are_read_by_their_front_end_only() {
        let text = "//! A.\nfn f(w: &W) { w.given.iter().find(|g| g.name == \"sd\"); }\n";
        assert_eq!(faults(&[("crates/results/src/a.rs", text)]).len(), 1);
        assert!(faults(&[("crates/fio/src/a.rs", text)]).is_empty());
    }
}
