//! The output directory: its name, and text at the end of its files.
//!
//! Belongs here: names and writing. Must never: know what a file holds.

use crate::out;
use crate::result_file::{Replace, ResultFile};
use leadline_dialect::vdbench::{Naming, OutputDirectory};
use leadline_engine::sys::host::make_folders;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The directory of a run.
pub(super) struct Directory {
    path: PathBuf,
    /// Files of this run: what an earlier one left is written over once.
    begun: BTreeSet<String>,
    /// Why a file could not be written: the first reason.
    failure: Option<String>,
}

impl Directory {
    /// Makes the directory, for pages that write over none of `inputs`.
    pub(super) fn make(wanted: &OutputDirectory, inputs: &[PathBuf]) -> Result<Self, String> {
        let path = match wanted.naming {
            Naming::AsGiven => PathBuf::from(&wanted.path),
            Naming::Numbered => numbered(&wanted.path)?,
            Naming::Dated => PathBuf::from(format!("{}.{}", wanted.path, crate::time::stamp())),
        };
        make_folders(&path)
            .map_err(|error| format!("the output directory {}: {error}", path.display()))?;
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let page = |input: &&PathBuf| {
            let input = input.canonicalize().unwrap_or_default();
            input.parent() == Some(&real) && input.extension().is_some_and(|e| e == "html")
        };
        if let Some(input) = inputs.iter().find(page) {
            let input = input.display();
            return Err(format!(
                "{input} lies in the output directory, where pages of this run are written"
            ));
        }
        let directory = Self {
            path: std::path::absolute(&path).unwrap_or(path),
            begun: BTreeSet::new(),
            failure: None,
        };
        directory.try_writing()?;
        Ok(directory)
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether files can be made in the directory is known before anything runs.
    fn try_writing(&self) -> Result<(), String> {
        let path = self.path.join(format!(".leadline-{}", std::process::id()));
        let tried = std::fs::write(&path, [0; 4096]);
        let _ = std::fs::remove_file(&path);
        tried.map_err(|error| format!("the output directory {}: {error}", self.path.display()))
    }

    /// Whether a file could not be written.
    pub(super) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// leadline's own page, which replaces only an earlier one.
    pub(super) fn report(&mut self, text: &str) {
        let written = ResultFile::open(&self.path.join("report.html"), Replace::OwnReports, &[])
            .and_then(|file| file.write_whole(text));
        if let Err(why) = written {
            out::say(&format!("error: {why}"));
            self.failure.get_or_insert(why);
        }
    }

    /// Adds text to a file; a run goes on without a file that cannot be written, says so once, and has failed.
    pub(super) fn append(&mut self, name: &str, text: &str) {
        let new = !self.begun.contains(name);
        let path = self.path.join(name);
        let opened = std::fs::File::options()
            .create(true)
            .write(true)
            .append(!new)
            .truncate(new)
            .open(&path);
        if new {
            self.begun.insert(name.to_owned());
        }
        let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
        if let Err(error) = written
            && self.failure.is_none()
        {
            let why = format!("{}: {error}", path.display());
            out::say(&format!("error: {why}"));
            self.failure = Some(why);
        }
    }
}

/// The first of `name001` and on that is free.
fn numbered(name: &str) -> Result<PathBuf, String> {
    (1..1000)
        .map(|n| PathBuf::from(format!("{name}{n:03}")))
        .find(|path| !path.exists())
        .ok_or_else(|| format!("{name}001 to {name}999 are all there"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_an_earlier_run_is_written_over_and_then_added_to() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("o").display().to_string();
        let wanted = OutputDirectory {
            path,
            naming: Naming::AsGiven,
        };
        for _ in 0..2 {
            let mut directory = Directory::make(&wanted, &[]).unwrap();
            directory.append("a", "1");
            directory.append("a", "2");
            let text = std::fs::read_to_string(directory.path().join("a")).unwrap();
            assert_eq!(text, "12");
        }
    }

    #[test]
    fn a_plus_takes_the_next_free_number() {
        let place = tempfile::tempdir().unwrap();
        let wanted = OutputDirectory {
            path: place.path().join("o").display().to_string(),
            naming: Naming::Numbered,
        };
        for name in ["o001", "o002"] {
            let directory = Directory::make(&wanted, &[]).unwrap();
            assert_eq!(directory.path(), place.path().join(name));
        }
    }
}
