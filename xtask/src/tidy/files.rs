//! Rules for one file: its length, its first comment, words and paths that must not stay, its size.

use super::code::{line_at, line_of_word, only_code, product};
use super::{Fault, File};

/// Longest source file, in lines before its tests.
const MAX_LINES: usize = 600;
/// Most functions a file marked as a table may hold: a table is data.
const MAX_TABLE_FUNCTIONS: usize = 6;
/// Largest file that is not text, and largest file of any kind that is not listed, in bytes.
const MAX_BYTES: u64 = 200 * 1024;
/// Files that may be larger, each with its reason.
const LARGE: &[(&str, &str)] = &[];
/// Words that mark unfinished work. An issue is the place for that.
const UNFINISHED: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];
/// Absolute paths of one machine.
const PRIVATE: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/")];

/// Checks one file of the tree.
pub(super) fn check(file: &File, faults: &mut Vec<Fault>) {
    size(file, faults);
    let Some(text) = &file.text else { return };
    words(&file.path, text, faults);
    if file.path.ends_with(".rs") {
        module_comment(&file.path, text, faults);
        length(&file.path, text, faults);
        unsafety(&file.path, text, faults);
        system(&file.path, text, faults);
    }
}

fn size(file: &File, faults: &mut Vec<Fault>) {
    if file.len > MAX_BYTES && LARGE.iter().all(|(path, _)| *path != file.path) {
        let message = format!(
            "{} bytes, at most {MAX_BYTES} unless listed in tidy",
            file.len
        );
        faults.push(Fault::new(&file.path, 0, message));
    }
}

fn words(path: &str, text: &str, faults: &mut Vec<Fault>) {
    for word in UNFINISHED {
        if let Some(line) = line_of_word(text, word) {
            faults.push(Fault::new(
                path,
                line,
                format!("`{word}`: finish it or open an issue"),
            ));
        }
    }
    for private in PRIVATE {
        let found = text.match_indices(private).find(|(at, _)| {
            // `framework/x` and `./work/x` are no absolute paths.
            let before = text[..*at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || "._-/})>*".contains(c))
        });
        if let Some((at, _)) = found {
            let message = format!("`{private}` is a path of one machine");
            faults.push(Fault::new(path, line_at(text, at), message));
        }
    }
}

/// The comment may stand below inner attributes: a file with `unsafe` opens by saying so.
fn module_comment(path: &str, text: &str, faults: &mut Vec<Fault>) {
    let mut rest = text.trim_start();
    while rest.starts_with("#![") {
        let Some(end) = rest.find("]\n") else { break };
        rest = rest[end + 1..].trim_start();
    }
    if !rest.starts_with("//! ") {
        faults.push(Fault::new(
            path,
            1,
            "starts without `//!`: say what belongs in this file",
        ));
    }
}

/// Tests are exempt, and so are tables: files whose first line starts with `//! Table: `.
fn length(path: &str, text: &str, faults: &mut Vec<Fault>) {
    if is_test(path) {
        return;
    }
    if text.starts_with("//! Table: ") {
        let code = only_code(text);
        let functions = code.split_whitespace().filter(|word| *word == "fn").count();
        if functions > MAX_TABLE_FUNCTIONS {
            let message = format!("a table with {functions} functions, at most 6: move them out");
            faults.push(Fault::new(path, 1, message));
        }
        return;
    }
    let lines = text.lines().collect::<Vec<_>>();
    // `mod tests;` names a file; what stands after it is code like any other.
    let tests = lines
        .windows(2)
        .position(|pair| {
            pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
        })
        .unwrap_or(lines.len());
    if tests > MAX_LINES {
        let message = format!("{tests} lines before its tests, at most {MAX_LINES}");
        faults.push(Fault::new(path, 0, message));
    }
}

/// Only the engine may hold `unsafe`. The lint alone could be switched off in the file itself.
fn unsafety(path: &str, text: &str, faults: &mut Vec<Fault>) {
    if path.starts_with("crates/engine/") {
        return;
    }
    if let Some(line) = line_of_word(&only_code(text), "unsafe") {
        faults.push(Fault::new(path, line, "`unsafe` outside crates/engine"));
    }
}

/// Where an operating system may be named: in the engine's `os`, the one place for all crates, and in back ends, which
/// are such interfaces.
pub(super) fn may_name_the_system(path: &str) -> bool {
    let in_crate = path.starts_with("crates/") && path.contains("/src/");
    !in_crate
        || ["os/", "backend/"].iter().any(|folder| {
            path.strip_prefix("crates/engine/src/")
                .is_some_and(|file| file.starts_with(folder))
        })
}

/// Names of an operating system's interfaces are in `os` and in back ends only, files of the kernel in `os`.
fn system(path: &str, text: &str, faults: &mut Vec<Fault>) {
    let in_crate = path.starts_with("crates/") && path.contains("/src/");
    if !in_crate || path.starts_with("crates/engine/src/os/") || is_test(path) {
        return;
    }
    let product = product(text);
    let code = only_code(product);
    for name in ["rustix", "libc", "signal_hook", "std::os"] {
        if let Some(line) = line_of_word(&code, name).filter(|_| !may_name_the_system(path)) {
            let message =
                format!("`{name}` outside os/ and backend/ of the engine: give os/ a function");
            faults.push(Fault::new(path, line, message));
        }
    }
    for place in ["\"/proc/", "\"/sys/"] {
        if let Some(at) = product.find(place) {
            let message = "a file of the kernel is read outside os/ of the engine";
            faults.push(Fault::new(path, line_at(product, at), message));
        }
    }
}

/// Whether a file holds tests only, by its name.
pub(super) fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs") || path.ends_with("_tests.rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        let file = File {
            path: path.to_owned(),
            len: text.len().try_into().unwrap(),
            text: Some(text.to_owned()),
        };
        let mut faults = Vec::new();
        check(&file, &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    fn long(first: &str) -> String {
        format!("{first}\n{}", "const A: u8 = 1;\n".repeat(600))
    }

    #[test]
    fn interfaces_of_the_system_are_found_outside_os_and_back_ends() {
        let uses = [
            "use rustix::fs;",
            "const A: i32 = libc::EIO;",
            "use std::os::fd::RawFd;",
            "const A: &str = \"/proc/stat\";",
        ];
        for text in uses {
            let text = format!("//! Good.\n\n{text}\n");
            for place in ["run/a.rs", "worker/a.rs", "prepare/own/a.rs", "clock.rs"] {
                let found = faults(&format!("crates/engine/src/{place}"), &text);
                assert_eq!(found.len(), 1, "{place}: {text}: {found:?}");
            }
            for path in [
                "crates/engine/src/os/linux/a.rs",
                "crates/engine/src/run/tests.rs",
                "xtask/src/a.rs",
            ] {
                assert!(faults(path, &text).is_empty(), "{path}: {text}");
            }
            let in_back_end = faults("crates/engine/src/backend/uring/a.rs", &text);
            assert_eq!(
                in_back_end.len(),
                usize::from(text.contains("/proc")),
                "{text}"
            );
            for file in ["cli/src/a.rs", "cli/src/os/a.rs", "fleet/src/os/linux.rs"] {
                let path = format!("crates/{file}");
                assert_eq!(faults(&path, &text).len(), 1, "{path}: {text}");
            }
            let in_tests = format!("//! Good.\n\n#[cfg(test)]\nmod tests {{\n{text}}}\n");
            assert!(faults("crates/engine/src/run/a.rs", &in_tests).is_empty());
        }
        assert!(
            faults(
                "crates/engine/src/run/a.rs",
                "//! Of libc.\n\nfn libcs() {}\n"
            )
            .is_empty()
        );
    }

    #[test]
    fn a_good_file_has_no_faults() {
        assert!(faults("crates/model/src/a.rs", "//! Good.\n\nfn a() {}\n").is_empty());
    }

    #[test]
    fn long_files_are_found_and_tables_and_tests_are_exempt() {
        let found = faults("crates/model/src/a.rs", &long("//! Long."));
        assert_eq!(
            found,
            ["crates/model/src/a.rs: 601 lines before its tests, at most 600"]
        );
        assert!(faults("crates/model/src/a.rs", &long("//! Table: a.")).is_empty());
        assert!(faults("crates/model/tests/a.rs", &long("//! Tests.")).is_empty());
        let tested = format!(
            "//! Short.\n#[cfg(test)]\nmod tests {{\n{}}}\n",
            long("// a")
        );
        assert!(faults("crates/model/src/a.rs", &tested).is_empty());
        // Its tests are in another file: all that follows counts.
        let named = format!("//! Long.\n#[cfg(test)]\nmod tests;\n{}", long("// a"));
        assert_eq!(faults("crates/model/src/a.rs", &named).len(), 1);
    }

    #[test]
    fn a_table_is_data() {
        let text = format!("//! Table: not really.\n{}", "fn a() {}\n".repeat(7));
        assert_eq!(faults("crates/model/src/a.rs", &text).len(), 1);
    }

    #[test]
    fn a_file_without_a_module_comment_is_found() {
        let found = faults("crates/model/src/a.rs", "// Not one.\nfn a() {}\n");
        assert!(
            found[0].starts_with("crates/model/src/a.rs:1: starts without"),
            "{found:?}"
        );
    }

    #[test]
    fn unfinished_work_is_found_as_a_word() {
        for word in UNFINISHED {
            assert_eq!(faults("a.md", &format!("one\n{word}: later\n")).len(), 1);
            assert!(faults("a.md", &format!("mkstemp {word}{word}\n")).is_empty());
        }
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for path in PRIVATE {
            assert_eq!(faults("a.toml", &format!("dir = \"{path}x\"")).len(), 1);
            assert!(faults("a.toml", &format!("dir = \"frame{path}x\"")).is_empty());
        }
    }

    #[test]
    fn unsafe_code_is_found_outside_the_engine_only() {
        let text = "//! Not unsafe here.\nfn a() { unsafe { b() } } // unsafe\n";
        let found = faults("crates/cli/src/a.rs", text);
        assert_eq!(
            found,
            ["crates/cli/src/a.rs:2: `unsafe` outside crates/engine"]
        );
        assert!(faults("crates/engine/src/a.rs", text).is_empty());
        let forbids = "//! Good.\n#![forbid(unsafe_code)]\nconst A: &str = \"unsafe\";\n";
        assert!(faults("crates/cli/src/a.rs", forbids).is_empty());
    }

    #[test]
    fn large_files_are_found() {
        let file = File {
            path: "a.png".to_owned(),
            len: MAX_BYTES + 1,
            text: None,
        };
        let mut faults = Vec::new();
        check(&file, &mut faults);
        assert_eq!(faults.len(), 1);
    }
}
