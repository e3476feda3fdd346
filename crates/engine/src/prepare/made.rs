//! What this run has created, and its deletion. Nothing that was there before is ever deleted, but by
//! a workload's own wish (fio's `unlink`).

use crate::program::Program;
use leadline_model::finding::{Finding, Severity};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Files and directories this run has created.
#[derive(Debug, Default)]
pub struct MadeFiles {
    files: BTreeSet<PathBuf>,
    directories: BTreeSet<PathBuf>,
}

impl MadeFiles {
    /// Notes a file this run created.
    pub(super) fn file(&mut self, path: &Path) {
        self.files.insert(path.to_path_buf());
    }

    /// Notes a directory this run created.
    pub(super) fn directory(&mut self, path: &Path) {
        self.directories.insert(path.to_path_buf());
    }

    /// Forgets a file that is gone.
    pub(super) fn forget(&mut self, path: &Path) {
        self.files.remove(path);
    }

    /// Whether this run created the file.
    #[must_use]
    pub fn has(&self, path: &Path) -> bool {
        self.files.contains(path)
    }

    /// The files this run created, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(PathBuf::as_path)
    }

    /// Deletes every file this run created, then its directories where they are empty. Returns a
    /// finding for each that could not be deleted.
    pub fn remove_all(&mut self) -> Vec<Finding> {
        let mut left = Vec::new();
        for path in std::mem::take(&mut self.files) {
            left.extend(delete(&path));
        }
        // Deepest first. One that holds something of another's stays, silently: it is not ours alone.
        for directory in std::mem::take(&mut self.directories).iter().rev() {
            let _ = fs::remove_dir(directory);
        }
        left
    }
}

/// Deletes the files of the workloads that ask for it (`unlink`). Block devices stay. Returns a
/// finding for each file that could not be deleted. Close the files first, or their space stays taken
/// until then.
pub fn cleanup(programs: &[&Program], made: &mut MadeFiles) -> Vec<Finding> {
    let asked: BTreeSet<&PathBuf> = programs
        .iter()
        .filter(|p| p.workload.blocks().prepare.unlink)
        .flat_map(|p| p.files.iter().map(|f| &f.path))
        .collect();
    let mut left = Vec::new();
    for path in asked {
        match fs::metadata(path) {
            Ok(meta) if meta.is_file() => left.extend(delete(path)),
            _ => {}
        }
        made.forget(path);
    }
    left
}

/// Deletes one file; what stays is worth a word.
fn delete(path: &Path) -> Option<Finding> {
    match fs::remove_file(path) {
        Ok(()) => None,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => Some(Finding {
            code: "file-not-deleted".into(),
            severity: Severity::Info,
            stage: None,
            workload: None,
            text: format!("{} could not be deleted: {e}", path.display()),
            cure: "delete it by hand".into(),
        }),
    }
}
