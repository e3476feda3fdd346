//! What is `pub` in a crate of the product and not used: rustc cannot see it, since no crate here is
//! published and a public name counts as used.
//!
//! Belongs here: words of the code, counted. Must never: resolve a name. One that is a word of something
//! else, too, is not found; one that is found has no user.

use super::code::{is_word, line_at, only_code};
use super::files::is_test;
use super::{Fault, File};
use std::collections::BTreeMap;

/// Names that need no user, each with its reason.
const KEPT: &[(&str, &str)] = &[];
/// What stands above a module that only tests see, those of other crates among them.
const TESTS: &[&str] = &["#[cfg(test)]", "#[cfg(any(test, feature = \"fixture\"))]"];
/// What begins an item that has a name.
const ITEMS: &[&str] = &["fn", "struct", "enum", "const", "static", "trait", "type"];

/// Checks every public name of the product.
pub(super) fn check(files: &[File], faults: &mut Vec<Fault>) {
    let tested = test_modules(files);
    let sources: Vec<(&str, String)> = files
        .iter()
        .filter(|file| !is_test(&file.path) && !file.path.starts_with("tools/testkit/"))
        .filter(|file| !tested.iter().any(|start| file.path.starts_with(start)))
        .filter_map(|file| {
            Some((
                file.path.as_str(),
                product(&file.path, file.text.as_deref()?)?,
            ))
        })
        .collect();
    let (mut seen, mut defined) = (BTreeMap::new(), BTreeMap::new());
    for (_, text) in &sources {
        let words = words(text);
        for pair in words.windows(2) {
            *seen.entry(pair[1].1).or_insert(0_usize) += 1;
            if ITEMS.contains(&pair[0].1) {
                *defined.entry(pair[1].1).or_insert(0_usize) += 1;
            }
        }
    }
    for (path, text) in sources
        .iter()
        .filter(|(path, _)| path.starts_with("crates/"))
    {
        for (at, name) in public(text) {
            let unused = seen.get(name) <= defined.get(name);
            if unused && KEPT.iter().all(|(kept, _)| *kept != name) {
                let message = format!("`{name}` is used by tests at most: remove it or use it");
                faults.push(Fault::new(path, line_at(text, at), message));
            }
        }
    }
    for (name, _) in KEPT {
        if !defined.contains_key(name) {
            let message = format!("`{name}` is listed but does not exist");
            faults.push(Fault::new("xtask/src/tidy/unused.rs", 0, message));
        }
    }
}

/// The code of a file, without its tests and without what only makes a name known elsewhere; all words
/// of a template. `None` for other files.
fn product(path: &str, text: &str) -> Option<String> {
    if path.ends_with(".html") {
        return Some(text.to_owned());
    }
    if !path.ends_with(".rs") {
        return None;
    }
    let code = only_code(text);
    let mut kept = String::with_capacity(code.len());
    let mut importing = false;
    let mut lines = code.lines().zip(text.lines()).peekable();
    while let Some((line, written)) = lines.next() {
        let start = line.trim_start();
        let next = lines.peek().map_or("", |(next, _)| *next);
        if line == "#[cfg(test)]" && next.starts_with("mod ") && next.ends_with('{') {
            break;
        }
        let item = start.strip_prefix("pub").map_or(start, |rest| {
            let rest = rest.trim_start();
            let scoped = rest.strip_prefix('(').and_then(|r| r.split_once(')'));
            scoped.map_or(rest, |(_, rest)| rest.trim_start())
        });
        importing |= item.starts_with("use ");
        if start.starts_with("#[") {
            // serde and the like name functions in strings.
            kept.push_str(written);
        } else if !importing {
            kept.push_str(line);
        }
        kept.push('\n');
        importing &= !line.contains(';');
    }
    Some(kept)
}

/// The paths at which modules begin that are built for tests only.
pub(super) fn test_modules(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        let text = file.text.as_deref().unwrap_or_default();
        let folder = ["/mod.rs", "/lib.rs", "/main.rs", ".rs"]
            .iter()
            .find_map(|end| file.path.strip_suffix(end))
            .unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        for pair in lines.windows(2).filter(|pair| TESTS.contains(&pair[0])) {
            let name = pair[1].split_once("mod ").map(|(_, name)| name);
            if let Some(name) = name.and_then(|name| name.strip_suffix(';')) {
                found.push(format!("{folder}/{name}.rs"));
                found.push(format!("{folder}/{name}/"));
            }
        }
    }
    found
}

/// The words of a text, each with its place; the first is empty, so that each has one before it.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut words = vec![(0, "")];
    let mut rest = 0;
    while let Some(start) = text[rest..].find(is_word) {
        let start = rest + start;
        let length = text[start..].find(|c| !is_word(c));
        rest = length.map_or(text.len(), |length| start + length);
        words.push((start, &text[start..rest]));
    }
    words
}

/// The names that are public without bounds, each with its place.
fn public(text: &str) -> Vec<(usize, &str)> {
    let words = words(text);
    let mut found = Vec::new();
    for (number, (at, word)) in words.iter().enumerate() {
        if *word != "pub" || text[at + word.len()..].starts_with('(') {
            continue;
        }
        let mut rest = words[number + 1..].iter().copied().peekable();
        while let Some((_, word)) = rest.next() {
            let next = rest.peek().copied();
            let function = next.is_some_and(|(_, next)| matches!(next, "fn" | "unsafe" | "extern"));
            if matches!(word, "unsafe" | "async" | "extern") || word == "const" && function {
                continue;
            }
            found.extend(next.filter(|_| ITEMS.contains(&word)));
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files
            .iter()
            .map(|(path, text)| File {
                path: (*path).to_owned(),
                len: text.len() as u64,
                text: Some((*text).to_owned()),
            })
            .collect();
        let mut faults = Vec::new();
        check(&files, &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    const LIB: &str = "//! It.\nmod a;\npub use a::{one, two};\n#[cfg(test)]\nmod fixture;\n";

    #[test]
    fn what_only_tests_and_words_about_it_use_is_found() {
        let a = "//! one\n/// one\npub const fn one() { two(\"one\") }\npub fn two() {}\n\
                 #[cfg(test)]\nmod tests {\n    fn it() { one() }\n}\n";
        let files = [
            ("crates/x/src/lib.rs", LIB),
            ("crates/x/src/a.rs", a),
            ("crates/x/src/fixture.rs", "fn it() { one() }\n"),
            ("crates/x/tests/it/main.rs", "fn it() { one() }\n"),
            ("tools/testkit/src/lib.rs", "fn it() { one() }\n"),
        ];
        let message = "`one` is used by tests at most: remove it or use it";
        assert_eq!(found(&files), [format!("crates/x/src/a.rs:3: {message}")]);
    }

    #[test]
    fn a_user_anywhere_is_enough() {
        let a =
            "pub struct One;\npub fn two() {}\npub unsafe fn three() {}\npub(crate) fn four() {}\n";
        let b = "fn it() { One; }\n#[serde(default = \"two\")]\nfn b() {}\n";
        let files = [
            ("crates/x/src/a.rs", a),
            ("xtask/src/b.rs", b),
            ("crates/x/templates/c.html", "{{ it.three() }}"),
        ];
        assert_eq!(found(&files), Vec::<String>::new());
        let twice = [(
            "crates/x/src/a.rs",
            "pub fn a() {}\nmod b {\n    pub fn a() {}\n}\n",
        )];
        assert_eq!(found(&twice).len(), 2);
    }
}
