//! Rules for the papers of the house: ARCHITECTURE.md stays short, every crate has a README of one
//! screen, every dependency has its reason, README.md gives the two commands that a newcomer needs, and
//! what CHANGELOG.md says of releases decides which older data is read.

use super::arrows::Crate;
use super::code::{line_at, line_of_word, only_code, product};
use super::files::is_test;
use super::{Fault, File};
use std::collections::BTreeSet;

/// Papers that may still be missing. Once one is in the tree it is checked; a paper that was taken
/// off this list may not disappear.
const PENDING: &[&str] = &[];

/// The commands the README has to give.
const COMMANDS: &[&str] = &["cargo run --release -- measure demo", "cargo xtask test"];
/// Most bytes of ARCHITECTURE.md: what can be read in fifteen minutes.
const ARCHITECTURE_BYTES: usize = 25_000;
/// One screen: most lines of a crate's README, and most columns of each.
const SCREEN: (usize, usize) = (45, 100);

/// ARCHITECTURE.md is there, and short.
pub(super) fn architecture(text: Option<&str>, faults: &mut Vec<Fault>) {
    const PATH: &str = "ARCHITECTURE.md";
    if let Some(text) = present(PATH, text, faults)
        && text.len() > ARCHITECTURE_BYTES
    {
        let message = format!("{} bytes, at most {ARCHITECTURE_BYTES}", text.len());
        faults.push(Fault::new(PATH, 0, message));
    }
}

/// Every crate has a README.md that fits on a screen.
pub(super) fn screens(files: &[File], crates: &[Crate], faults: &mut Vec<Fault>) {
    for one in crates {
        let path = format!("{}README.md", one.folder());
        let text = files.iter().find(|file| file.path == path);
        let text = text.and_then(|file| file.text.as_deref());
        let Some(text) = present(&path, text, faults) else {
            continue;
        };
        let lines = text.lines().count();
        if lines > SCREEN.0 {
            let message = format!("{lines} lines, at most {}: one screen", SCREEN.0);
            faults.push(Fault::new(&path, 0, message));
        }
        for (number, line) in text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > SCREEN.1 {
                let message = format!("{columns} columns, at most {}", SCREEN.1);
                faults.push(Fault::new(&path, number + 1, message));
            }
        }
    }
}

/// Every crate from outside that is used is in the workspace's manifest below a comment that gives
/// its reason and its exit; and none is there without a use.
pub(super) fn dependencies(text: Option<&str>, crates: &[Crate], faults: &mut Vec<Fault>) {
    const PATH: &str = "Cargo.toml";
    let Some(text) = present(PATH, text, faults) else {
        return;
    };
    let used: BTreeSet<&str> = crates.iter().flat_map(Crate::outside).collect();
    let mut declared = BTreeSet::new();
    let mut reason = String::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
        } else if let Some(words) = line.strip_prefix('#') {
            reason.push_str(words);
            continue;
        } else if inside
            && let Some((name, value)) = line.split_once(" = ")
            && !value.contains("path = ")
        {
            declared.insert(name);
            let wrong = if !used.contains(name) {
                Some("it is not used")
            } else if !reason.contains("Exit: ") {
                Some("no comment above gives its reason and its `Exit: `")
            } else {
                None
            };
            if let Some(wrong) = wrong {
                faults.push(Fault::new(PATH, number + 1, format!("`{name}`: {wrong}")));
            }
        }
        reason.clear();
    }
    for name in used.difference(&declared) {
        let message = format!("`{name}` is used and not in [workspace.dependencies]");
        faults.push(Fault::new(PATH, 0, message));
    }
}

/// The README gives both commands, each as it is typed.
pub(super) fn readme(text: Option<&str>, faults: &mut Vec<Fault>) {
    let Some(text) = present("README.md", text, faults) else {
        return;
    };
    for command in COMMANDS {
        if !text.contains(command) {
            let message = format!("does not give the command `{command}`");
            faults.push(Fault::new("README.md", 0, message));
        }
    }
}

/// Each release in CHANGELOG.md keeps a run file that it wrote, which later versions must read.
pub(super) fn releases(text: Option<&str>, files: &[File], faults: &mut Vec<Fault>) {
    const PATH: &str = "CHANGELOG.md";
    let Some(text) = present(PATH, text, faults) else {
        return;
    };
    for (number, version) in released(text) {
        let kept = format!("crates/results/tests/kept/{version}.leadline");
        if !files.iter().any(|file| file.path == kept) {
            let message = format!("{version} is released and {kept} is missing");
            faults.push(Fault::new(PATH, number, message));
        }
    }
}

/// As long as CHANGELOG.md has no release, no field has a default for older data: there is none.
pub(super) fn defaults(log: Option<&str>, files: &[File], faults: &mut Vec<Fault>) {
    const ATTRIBUTE: &str = "#[serde(";
    if log.is_none_or(|text| released(text).next().is_some()) {
        return;
    }
    for file in files {
        let is_source = file.path.starts_with("crates/") && file.path.ends_with(".rs");
        let Some(text) = file.text.as_deref().filter(|_| is_source) else {
            continue;
        };
        if is_test(&file.path) {
            continue;
        }
        let code = only_code(product(text));
        for (at, _) in code.match_indices(ATTRIBUTE) {
            let end = code[at..].find(")]").map_or(code.len(), |end| at + end);
            if line_of_word(&code[at..end], "default").is_some() {
                let message = "a default before the first release: nothing that is stored lacks \
                               the field; renew the seeds of fuzz/";
                faults.push(Fault::new(&file.path, line_at(&code, at), message));
            }
        }
    }
}

/// The releases in the text of CHANGELOG.md, each with its line.
fn released(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().zip(1..).filter_map(|(line, number)| {
        let (version, _) = line.strip_prefix("## [")?.split_once(']')?;
        (version != "Unreleased").then_some((number, version))
    })
}

fn present<'a>(path: &str, text: Option<&'a str>, faults: &mut Vec<Fault>) -> Option<&'a str> {
    if text.is_none() && !PENDING.contains(&path) {
        faults.push(Fault::new(path, 0, "is missing"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::arrows::tests::metadata;
    use super::*;

    fn of_dependencies(manifest: &str) -> Vec<String> {
        let uses = [("clap", false, ""), ("tempfile", false, "dev")];
        let mut faults = Vec::new();
        dependencies(Some(manifest), &metadata("leadline", &uses), &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    const BOTH: &str = "[workspace.dependencies]\nmodel = { path = \"x\" }\n# Words. Exit: ours.\n\
        clap = \"4\"\n# Folders.\n# Exit: a guard.\ntempfile = { version = \"3\" }\n[lints]\na = \"deny\"\n";

    #[test]
    fn a_dependency_without_a_reason_is_found() {
        assert_eq!(of_dependencies(BOTH), Vec::<String>::new());
        let found = of_dependencies(&BOTH.replace("# Exit: a guard.\n", ""));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("Cargo.toml:6: `tempfile`: no comment"));
        // The reason of one is not that of the next.
        let found = of_dependencies(&BOTH.replace("# Folders.\n# Exit: a guard.\n", ""));
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_dependency_that_is_not_used_or_not_declared_is_found() {
        let more = BOTH.replace("[lints]", "# Old. Exit: go.\nold = \"1\"\n[lints]");
        let found = of_dependencies(&more);
        assert_eq!(found, ["Cargo.toml:9: `old`: it is not used"]);
        let less = BOTH.replace("clap = \"4\"\n", "\n");
        let found = of_dependencies(&less);
        assert!(found[0].contains("`clap` is used and not in"), "{found:?}");
    }

    #[test]
    fn a_long_architecture_is_found() {
        let mut faults = Vec::new();
        architecture(Some(&"a".repeat(ARCHITECTURE_BYTES)), &mut faults);
        assert!(faults.is_empty());
        architecture(Some(&"a".repeat(ARCHITECTURE_BYTES + 1)), &mut faults);
        assert_eq!(faults.len(), 1);
    }

    #[test]
    fn a_crate_without_a_readme_of_one_screen_is_found() {
        let crates = metadata("leadline", &[]);
        let of = |path: &str, text: &str| {
            let file = File {
                path: path.to_owned(),
                len: 0,
                text: Some(text.to_owned()),
            };
            let mut faults = Vec::new();
            screens(&[file], &crates, &mut faults);
            faults.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let path = "crates/z/README.md";
        assert!(of(path, &"a\n".repeat(SCREEN.0)).is_empty());
        assert_eq!(of(path, &"a\n".repeat(SCREEN.0 + 1)).len(), 1);
        let wide = format!("a\n{}\n", "é".repeat(SCREEN.1 + 1));
        assert_eq!(
            of(path, &wide),
            ["crates/z/README.md:2: 101 columns, at most 100"]
        );
        assert_eq!(
            of("crates/y/README.md", "a"),
            ["crates/z/README.md: is missing"]
        );
    }

    #[test]
    fn a_release_without_its_run_file_is_found() {
        let of = |log: &str, paths: &[&str]| {
            let file = |path: &&str| File {
                path: (*path).to_owned(),
                len: 1,
                text: None,
            };
            let files: Vec<File> = paths.iter().map(file).collect();
            let mut faults = Vec::new();
            releases(Some(log), &files, &mut faults);
            faults.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let log = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2027-01-02\n\n## [0.1.0]\n";
        let kept = |version: &str| format!("crates/results/tests/kept/{version}.leadline");
        let (first, second) = (kept("0.1.0"), kept("0.2.0"));
        assert!(of(log, &[&first, &second]).is_empty());
        let found = of(log, &[&first]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("CHANGELOG.md:5: 0.2.0"), "{found:?}");
        assert!(of("## [Unreleased]\n", &[]).is_empty());
    }

    #[test]
    fn a_default_is_found_before_the_first_release_only() {
        let of = |log: &str, path: &str, text: &str| {
            let file = File {
                path: path.to_owned(),
                len: 1,
                text: Some(text.to_owned()),
            };
            let mut faults = Vec::new();
            defaults(Some(log), &[file], &mut faults);
            faults.iter().map(|fault| fault.line).collect::<Vec<_>>()
        };
        let (path, log) = ("crates/model/src/a.rs", "## [Unreleased]\n");
        for attribute in [
            "default",
            "default = \"one\"",
            "rename = \"default\", default",
        ] {
            let text =
                format!("//! A.\n\nstruct A {{\n    #[serde({attribute})]\n    a: u8,\n}}\n");
            assert_eq!(of(log, path, &text), [4], "{attribute}");
            assert!(of("## [0.1.0]\n", path, &text).is_empty());
            assert!(of(log, "xtask/src/a.rs", &text).is_empty());
            assert!(of(log, "crates/model/tests/it/a.rs", &text).is_empty());
            let tested = format!("//! A.\n\n#[cfg(test)]\nmod tests {{\n{text}}}\n");
            assert!(of(log, path, &tested).is_empty());
        }
        let others = "// #[serde(default)]\n#[serde(rename = \"default\")]\n#[default]\n";
        assert!(of(log, path, others).is_empty());
    }

    #[test]
    fn a_readme_without_a_command_is_found() {
        let mut faults = Vec::new();
        readme(
            Some("Run `cargo run --release -- measure demo`."),
            &mut faults,
        );
        assert_eq!(faults.len(), 1);
        assert!(faults[0].message.contains("cargo xtask test"));
    }

    #[test]
    fn a_paper_that_is_not_pending_may_not_be_missing() {
        let mut faults = Vec::new();
        assert_eq!(present("LICENSE-MIT", None, &mut faults), None);
        assert_eq!(faults.len(), 1);
    }
}
