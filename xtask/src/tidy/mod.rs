//! `cargo xtask tidy`: rules of the tree that no lint knows. Also a unit test, so `cargo test` runs it.
//!
//! Belongs here: checks that read the tree and name file, line and cure. Must never: repeat what
//! rustfmt, clippy or cargo-deny already enforce, or change a file.
//! Each check is a pure function with a unit test whose input fails.

mod arrows;
mod circles;
mod claims;
pub(crate) mod code;
mod files;
mod findings;
mod links;
mod modules;
mod names;
mod neutral;
mod papers;
mod places;
mod unused;
mod wording;

use crate::shell;
use anyhow::{Context, Result, bail};
use std::fmt;
use std::path::Path;
use std::process::Command;

/// One breach of a rule.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    /// Path from the root of the workspace, with `/`.
    path: String,
    /// Line from 1; 0 for the whole file.
    line: usize,
    /// What is wrong and what to do.
    message: String,
}

impl Fault {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

/// One file of the tree.
struct File {
    /// Path from the root of the workspace, with `/`.
    path: String,
    /// Its length in bytes.
    len: u64,
    /// Its text, or `None` when it is not UTF-8.
    text: Option<String>,
}

/// Runs all checks; true when none found anything.
pub(crate) fn run(words: &[String]) -> Result<bool> {
    if let Some(word) = words.first() {
        bail!("tidy takes no options, got `{word}`");
    }
    let (files, faults) = check(&shell::root())?;
    for fault in &faults {
        println!("{fault}");
    }
    println!("tidy: {} files, {} faults", files, faults.len());
    Ok(faults.is_empty())
}

/// All faults of the tree at `root`, and how many files were checked.
fn check(root: &Path) -> Result<(usize, Vec<Fault>)> {
    let files = tree(root)?;
    let mut faults = Vec::new();
    for file in &files {
        files::check(file, &mut faults);
        wording::check(file, &mut faults);
    }
    modules::check(&files, &mut faults);
    circles::check(&files, &mut faults);
    names::check(&files, &mut faults);
    neutral::check(&files, &mut faults);
    findings::check(&files, &mut faults);
    places::check(&files, &mut faults);
    unused::check(&files, &mut faults);
    let metadata = shell::stdout_of(&mut shell::cargo(&[
        "metadata",
        "--no-deps",
        "--offline",
        "--format-version=1",
    ]))?;
    let crates = arrows::read(&metadata)?;
    arrows::check(&crates, &mut faults);
    let text = |path: &str| files.iter().find(|file| file.path == path)?.text.as_deref();
    claims::check(&files, &mut faults);
    links::check(&files, &mut faults);
    papers::architecture(text("ARCHITECTURE.md"), &mut faults);
    papers::screens(&files, &crates, &mut faults);
    papers::dependencies(text("Cargo.toml"), &crates, &mut faults);
    papers::readme(text("README.md"), &mut faults);
    papers::releases(text("CHANGELOG.md"), &files, &mut faults);
    papers::defaults(text("CHANGELOG.md"), &files, &mut faults);
    Ok((files.len(), faults))
}

/// The paths of all files of the tree, and of its source files without those that hold tests only.
pub(crate) fn sources(root: &Path) -> Result<(Vec<String>, Vec<String>)> {
    let files = tree(root)?;
    let tested = unused::test_modules(&files);
    let is_product = |path: &&String| {
        let is_tested = || tested.iter().any(|start| path.starts_with(start));
        path.ends_with(".rs") && !files::is_test(path) && !is_tested()
    };
    let all: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    let product = all.iter().filter(is_product).cloned().collect();
    Ok((all, product))
}

/// The files of the tree: those git knows or would add, since what is built, measured or ignored is
/// not our text; without a usable git, those in the directory apart from what is built.
fn tree(root: &Path) -> Result<Vec<File>> {
    let mut command = Command::new("git");
    command
        .current_dir(root)
        .args(["ls-files", "-z", "-co", "--exclude-standard"]);
    let paths = match shell::stdout_of(&mut command) {
        Ok(names) => names
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
        Err(_) => {
            let mut paths = Vec::new();
            walk(root, "", &mut paths)?;
            paths
        }
    };
    let mut files = Vec::new();
    for path in paths {
        let full = root.join(&path);
        // A file deleted but not yet committed is listed too.
        let Ok(data) = full.symlink_metadata() else {
            continue;
        };
        if !data.is_file() {
            continue;
        }
        let bytes = std::fs::read(&full).with_context(|| format!("cannot read {path}"))?;
        files.push(File {
            path,
            len: data.len(),
            text: String::from_utf8(bytes).ok(),
        });
    }
    Ok(files)
}

/// Collects the paths of files below `root/inside`, in order of name.
fn walk(root: &Path, inside: &str, paths: &mut Vec<String>) -> Result<()> {
    let dir = root.join(inside);
    let read = || format!("cannot read {}", dir.display());
    let mut entries = std::fs::read_dir(&dir)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(read)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = if inside.is_empty() {
            name
        } else {
            format!("{inside}/{name}")
        };
        if !entry.file_type().with_context(read)?.is_dir() {
            paths.push(path);
        } else if !["target", ".git", "demo"].contains(&path.as_str()) {
            walk(root, &path, paths)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_found_without_git_too() {
        let mut walked = Vec::new();
        walk(&shell::root(), "", &mut walked).unwrap();
        assert!(walked.iter().any(|path| path == "xtask/src/tidy/mod.rs"));
        assert!(walked.iter().all(|path| !path.starts_with("target/")));
    }

    #[test]
    fn the_tree_is_tidy() {
        let (files, faults) = check(&shell::root()).unwrap();
        assert!(files > 20, "git lists only {files} files");
        let report: String = faults.iter().map(|fault| format!("{fault}\n")).collect();
        assert!(faults.is_empty(), "\n{report}");
    }
}
