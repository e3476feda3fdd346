//! `cargo xtask generate [--check]`: files that are made from data in the crates.
//!
//! Each generated file has one source of truth; `--check` fails when the file in the tree is not what
//! the source says now. Must never: hold text of its own beyond a heading.

use crate::args::Args;
use crate::shell;
use anyhow::{Context, Result};
use std::path::Path;

/// A file as it should be: path from the root, and content.
type Made = (String, String);

/// Writes all generated files, or compares them; false when a comparison found a difference.
pub(crate) fn run(words: &[String]) -> Result<bool> {
    let mut args = Args::new(words);
    let check = args.flag("--check");
    args.finish()?;
    let made = make()?;
    let mut wrong = 0_usize;
    for (path, content) in &made {
        wrong += usize::from(!settle(&shell::root(), path, content, check)?);
    }
    println!(
        "generate: {} files, {wrong} {}",
        made.len(),
        if check { "stale" } else { "written" }
    );
    Ok(!check || wrong == 0)
}

/// Everything that is generated.
fn make() -> Result<Vec<Made>> {
    let options = leadline_dialect::fio::reference_markdown();
    Ok(vec![("docs/reference/fio-options.md".to_owned(), options)])
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
}
