//! Links between the papers, and the paths they name: each leads to a file of the tree, and the index of
//! each folder of docs/ leads to each of its pages.
//!
//! Belongs here: relative links with their anchors, and paths in backticks. Must never: open a
//! connection to look at other links.

use super::code::line_at;
use super::{Fault, File};

/// A path in backticks that begins with one of these has to exist.
const ROOTS: &[&str] = &["crates/", "docs/", "fuzz/", "tools/", "xtask/"];
/// Documents about the past, where paths may be gone.
const HISTORY: &[&str] = &["CHANGELOG.md"];

/// Checks all papers; cases and snapshots of tests are none.
pub(super) fn check(files: &[File], faults: &mut Vec<Fault>) {
    for file in files {
        let Some(text) = file.text.as_deref() else {
            continue;
        };
        if !file.path.ends_with(".md") || file.path.contains("/tests/") {
            continue;
        }
        links(&file.path, text, files, faults);
        indexed(&file.path, files, faults);
        if !HISTORY.contains(&file.path.as_str()) {
            paths(&file.path, text, files, faults);
        }
    }
}

/// A page of docs/ is named by the README.md of its folder.
fn indexed(path: &str, files: &[File], faults: &mut Vec<Fault>) {
    let Some((folder, page)) = path.rsplit_once('/') else {
        return;
    };
    let index = format!("{folder}/README.md");
    if !path.starts_with("docs/") || path == index {
        return;
    }
    let named = files
        .iter()
        .filter(|file| file.path == index)
        .filter_map(|file| file.text.as_deref())
        .any(|text| text.contains(&format!("]({page})")));
    if !named {
        faults.push(Fault::new(path, 0, format!("{index} has no link to it")));
    }
}

/// Every `](target)` that is not an address.
fn links(path: &str, text: &str, files: &[File], faults: &mut Vec<Fault>) {
    for (at, sign) in text.match_indices("](") {
        let rest = &text[at + sign.len()..];
        let Some(target) = rest.find(')').map(|end| &rest[..end]) else {
            continue;
        };
        if target.contains("://") || target.contains(char::is_whitespace) {
            continue;
        }
        let (name, anchor) = target.split_once('#').unwrap_or((target, ""));
        let to = resolve(path, name);
        let wrong = if !exists(&to, files) {
            Some(format!("links to `{target}`, which does not exist"))
        } else if !anchor.is_empty() && !has_heading(&to, anchor, files) {
            Some(format!("links to `{target}`: there is no such heading"))
        } else {
            None
        };
        if let Some(message) = wrong {
            faults.push(Fault::new(path, line_at(text, at), message));
        }
    }
}

/// Every path in backticks, without what follows `::`.
fn paths(path: &str, text: &str, files: &[File], faults: &mut Vec<Fault>) {
    for root in ROOTS {
        for (at, _) in text.match_indices(&format!("`{root}")) {
            let rest = &text[at + 1..];
            let Some(span) = rest.find('`').map(|end| &rest[..end]) else {
                continue;
            };
            let named = span.split("::").next().unwrap_or_default();
            // With a blank it is a command; with a star or a name in capitals it stands for several.
            let plain =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/._-".contains(c);
            let stem = named.strip_suffix("README.md").unwrap_or(named);
            let stem = stem.strip_suffix("Cargo.toml").unwrap_or(stem);
            if stem.chars().all(plain) && !exists(named.trim_end_matches('/'), files) {
                let message = format!("names `{named}`, which does not exist");
                faults.push(Fault::new(path, line_at(text, at), message));
            }
        }
    }
}

/// A path beside the file `from`, as one from the root of the tree.
fn resolve(from: &str, target: &str) -> String {
    if target.is_empty() {
        return from.to_owned();
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Whether a file or folder of the tree has this path; the empty path is the root.
fn exists(path: &str, files: &[File]) -> bool {
    path.is_empty()
        || files.iter().any(|file| {
            file.path
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
}

fn has_heading(path: &str, anchor: &str, files: &[File]) -> bool {
    files
        .iter()
        .find(|file| file.path == path)
        .and_then(|file| file.text.as_deref())
        .is_some_and(|text| {
            text.lines()
                .filter(|line| line.starts_with('#'))
                .any(|line| anchor_of(line.trim_start_matches('#')) == anchor)
        })
}

/// The anchor that GitHub gives a heading.
fn anchor_of(heading: &str) -> String {
    heading
        .trim()
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let file = |path: &str, text: &str| File {
            path: path.to_owned(),
            len: 0,
            text: Some(text.to_owned()),
        };
        let files = [
            file("docs/a.md", text),
            file("docs/README.md", "[a](a.md)"),
            file("docs/guide/README.md", "[b](b.md)"),
            file("docs/guide/b.md", "# One, `two`: three\n"),
            file("crates/a/src/lib.rs", ""),
            file("crates/a/tests/it/case.md", "[x](gone.md)"),
        ];
        let mut faults = Vec::new();
        check(&files, &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        assert!(
            faults("[a](guide/b.md) [b](../crates/a/) [c](https://x.y/z) [d](guide)").is_empty()
        );
        let found = faults("one\n[a](b.md)");
        assert_eq!(
            found,
            ["docs/a.md:2: links to `b.md`, which does not exist"]
        );
    }

    #[test]
    fn anchors_that_no_heading_has_are_found() {
        assert!(faults("# Here\n[a](guide/b.md#one-two-three) [b](#here)").is_empty());
        assert_eq!(faults("[a](guide/b.md#one) [b](#there)").len(), 2);
    }

    #[test]
    fn a_page_that_no_index_names_is_found() {
        let file = |path: &str, text: &str| File {
            path: path.to_owned(),
            len: 0,
            text: Some(text.to_owned()),
        };
        let index = file("docs/README.md", "[a](a.md), c.md");
        let files = ["docs/a.md", "docs/c.md", "docs/x/a.md", "b.md"].map(|path| file(path, ""));
        let files: Vec<File> = files.into_iter().chain([index]).collect();
        let mut faults = Vec::new();
        check(&files, &mut faults);
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            faults,
            [
                "docs/c.md: docs/README.md has no link to it",
                "docs/x/a.md: docs/x/README.md has no link to it"
            ]
        );
    }

    #[test]
    fn paths_that_do_not_exist_are_found() {
        assert!(
            faults("`crates/a/src/lib.rs`, `crates/a/`, `crates/*/src`, `docs/NAME.md`").is_empty()
        );
        let found = faults("`crates/a/src/lib.rs::a_test`, `crates/a/src/main.rs`");
        assert_eq!(
            found,
            ["docs/a.md:1: names `crates/a/src/main.rs`, which does not exist"]
        );
        assert_eq!(faults("`crates/b/README.md`").len(), 1);
        assert_eq!(faults("[a](guid) [b](../crates/a/src/lib.r)").len(), 2);
    }
}
