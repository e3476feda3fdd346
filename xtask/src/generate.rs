//! `cargo xtask generate [--check]`: files that are made from data in the crates.
//!
//! Each generated file has one source of truth; `--check` fails when the file in the tree is not what
//! the source says now. Must never: hold text of its own beyond a heading.

mod engines;
mod findings;
mod simulated;

use crate::args::Args;
use crate::shell;
use anyhow::{Context, Result, bail};
use std::path::Path;

/// A file as it should be: path from the root, and content.
type Made = (String, String);

const MAN: &str = "docs/man";
const COMPLETIONS: &str = "docs/completions";

/// Writes all generated files, or compares them; false when a comparison found a difference.
pub(crate) fn run(words: &[String]) -> Result<bool> {
    let mut args = Args::new(words);
    let check = args.flag("--check");
    args.finish()?;
    let made = make()?;
    let root = shell::root();
    let mut wrong = 0_usize;
    for (path, content) in &made {
        wrong += usize::from(!settle(&root, path, content, check)?);
    }
    for dir in [MAN, COMPLETIONS] {
        wrong += sweep(&root, dir, &made, check)?;
    }
    let verdict = if check { "stale" } else { "changed" };
    println!("generate: {} files, {wrong} {verdict}", made.len());
    Ok(!check || wrong == 0)
}

/// Everything that is generated.
fn make() -> Result<Vec<Made>> {
    let options = leadline_fio::reference_markdown();
    let vdbench = leadline_vdbench::reference_markdown();
    let diskspd = leadline_diskspd::reference_markdown();
    let mut made = vec![
        ("docs/reference/fio-options.md".to_owned(), options),
        ("docs/reference/vdbench.md".to_owned(), vdbench),
        ("docs/reference/diskspd.md".to_owned(), diskspd),
        (
            "docs/reference/studies.md".to_owned(),
            leadline_study::reference_markdown(),
        ),
        (
            "docs/reference/limits.md".to_owned(),
            leadline_limits::reference_markdown(),
        ),
        ("docs/reference/engines.md".to_owned(), engines::reference()),
        (
            "docs/reference/findings.md".to_owned(),
            findings::reference(),
        ),
        (
            "docs/reference/simulated.md".to_owned(),
            simulated::reference(),
        ),
    ];
    made.extend(assets()?);
    Ok(made)
}

/// Man pages and completions, which the program itself derives from its command line.
fn assets() -> Result<Vec<Made>> {
    let dir = shell::target_dir().join("assets");
    if dir.exists() {
        std::fs::remove_dir_all(&dir).with_context(|| format!("cannot empty {}", dir.display()))?;
    }
    let mut command = shell::cargo(&[
        "run",
        "--quiet",
        "--package",
        "leadline",
        "--",
        "generate-assets",
    ]);
    shell::stdout_of(command.arg(&dir))?;
    let mut made = Vec::new();
    for name in names(&dir)? {
        let place = if name.ends_with(".1") {
            MAN
        } else {
            COMPLETIONS
        };
        let content = std::fs::read_to_string(dir.join(&name))
            .with_context(|| format!("cannot read the generated {name}"))?;
        made.push((format!("{place}/{name}"), content));
    }
    if made.is_empty() {
        bail!("`leadline generate-assets` wrote nothing");
    }
    Ok(made)
}

/// The names in a directory, in order; none when there is no such directory.
fn names(dir: &Path) -> Result<Vec<String>> {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return Ok(Vec::new());
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// Removes what `dir` holds beside generated files, or with `check` only counts it.
fn sweep(root: &Path, dir: &str, made: &[Made], check: bool) -> Result<usize> {
    let mut left_over = 0;
    for name in names(&root.join(dir))? {
        let path = format!("{dir}/{name}");
        if made.iter().any(|(known, _)| *known == path) {
            continue;
        }
        left_over += 1;
        println!(
            "{}: {path}",
            if check {
                "no longer generated"
            } else {
                "removed"
            }
        );
        if !check {
            std::fs::remove_file(root.join(&path))
                .with_context(|| format!("cannot remove {path}"))?;
        }
    }
    Ok(left_over)
}

/// Makes one file right, or with `check` only says whether it is; false when it was not right.
fn settle(root: &Path, path: &str, content: &str, check: bool) -> Result<bool> {
    let full = root.join(path);
    let right = std::fs::read_to_string(&full).is_ok_and(|now| now == content);
    if right {
        return Ok(true);
    }
    if check {
        println!("stale: {path}: run `cargo xtask generate`");
        return Ok(false);
    }
    if let Some(dir) = full.parent() {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    }
    std::fs::write(&full, content).with_context(|| format!("cannot write {path}"))?;
    println!("wrote {path}");
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_file_is_found_and_then_written() {
        let root = shell::target_dir().join("generate-test");
        std::fs::remove_dir_all(&root).ok();
        assert!(!settle(&root, "docs/a.md", "new", true).unwrap());
        assert!(!root.join("docs/a.md").exists(), "a check writes nothing");
        assert!(!settle(&root, "docs/a.md", "new", false).unwrap());
        assert!(settle(&root, "docs/a.md", "new", true).unwrap());
        std::fs::write(root.join("docs/a.md"), "edited").unwrap();
        assert!(!settle(&root, "docs/a.md", "new", true).unwrap());
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn what_is_no_longer_generated_is_found_and_removed() {
        let root = shell::target_dir().join("sweep-test");
        std::fs::remove_dir_all(&root).ok();
        std::fs::create_dir_all(root.join("d")).unwrap();
        std::fs::write(root.join("d/kept"), "").unwrap();
        std::fs::write(root.join("d/old"), "").unwrap();
        let made = [("d/kept".to_owned(), String::new())];
        assert_eq!(sweep(&root, "d", &made, true).unwrap(), 1);
        assert_eq!(sweep(&root, "d", &made, false).unwrap(), 1);
        assert_eq!(sweep(&root, "d", &made, true).unwrap(), 0);
        assert!(root.join("d/kept").exists());
        assert_eq!(sweep(&root, "none", &made, true).unwrap(), 0);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
