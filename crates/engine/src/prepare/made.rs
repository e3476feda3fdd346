//! What this run has created, and its deletion. Nothing that was there before is ever deleted, but by
//! a workload's own wish (fio's `unlink`).

use crate::os::file::FileIdentity;
use crate::program::Program;
use leadline_model::finding::{Finding, Severity};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Files and directories this run has created.
#[derive(Debug, Default)]
pub struct MadeFiles {
    /// One path can have had several, where commands between stages have put another directory there.
    files: BTreeSet<(PathBuf, Option<FileIdentity>)>,
    directories: BTreeSet<(PathBuf, Option<FileIdentity>)>,
}

impl MadeFiles {
    /// Notes a file this run created, which is there.
    pub(super) fn file(&mut self, path: &Path) {
        self.files
            .insert((path.to_path_buf(), FileIdentity::at(path)));
    }

    /// Notes a directory this run created, which is there.
    pub(super) fn directory(&mut self, path: &Path) {
        self.directories
            .insert((path.to_path_buf(), FileIdentity::at(path)));
    }

    /// Forgets a file that is gone.
    pub(super) fn forget(&mut self, path: &Path) {
        self.files.retain(|(known, _)| known != path);
    }

    /// Whether this run created the file.
    #[must_use]
    pub fn has(&self, path: &Path) -> bool {
        self.files.iter().any(|(known, _)| known == path)
    }

    /// The files this run created, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path())
    }

    /// Deletes every file this run created, as far as it is at its path now, then its directories where they are empty; what
    /// is not at its path stays known. Returns a finding for each that could not be deleted.
    pub fn remove(&mut self) -> Vec<Finding> {
        let mut failed = Vec::new();
        let known = std::mem::take(&mut self.files);
        for (path, identity) in known {
            match FileIdentity::at(&path) == identity {
                true => failed.extend(delete(&path)),
                false => drop(self.files.insert((path, identity))),
            }
        }
        // Deepest first. One that holds something of another's stays, silently: it is not ours alone.
        self.directories = std::mem::take(&mut self.directories)
            .into_iter()
            .rev()
            .filter(|(path, identity)| {
                FileIdentity::at(path) != *identity || fs::remove_dir(path).is_err()
            })
            .collect();
        failed
    }

    /// Forgets the files that were not at their paths when they were to be deleted; a finding that names them, if there are
    /// any.
    pub fn left(&mut self) -> Option<Finding> {
        let paths: BTreeSet<PathBuf> = std::mem::take(&mut self.files)
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        let named: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
        let (one, others) = match named.as_slice() {
            [] => return None,
            [only] => (only.clone(), String::new()),
            [first, more @ ..] => (first.clone(), format!(" and {} more", more.len())),
        };
        Some(Finding {
            code: "file-not-deleted".into(),
            severity: Severity::Info,
            stage: None,
            workload: None,
            text: format!(
                "{one}{others}: this run made it, and at its end it was not at its path any more, so it was not deleted: it \
                 was moved, or a command has mounted or linked another directory there since."
            ),
            cure: "mount or link what was there again and delete the file by hand, or measure there again: a file that \
                   leadline made is taken up, and deleted at the end"
                .into(),
        })
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
