//! The output directory: its name, and text at the end of its files.
//!
//! Belongs here: names and writing. Must never: know what a file holds.

use crate::out;
use leadline_dialect::vdbench::{Naming, OutputDirectory};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The directory of a run.
pub(super) struct Directory {
    path: PathBuf,
    /// Files of this run: what an earlier one left is written over once.
    begun: BTreeSet<String>,
    failed: bool,
}

impl Directory {
    /// Makes the directory.
    pub(super) fn make(wanted: &OutputDirectory) -> Result<Self, String> {
        let path = match wanted.naming {
            Naming::AsGiven => PathBuf::from(&wanted.path),
            Naming::Numbered => numbered(&wanted.path)?,
            Naming::Dated => PathBuf::from(format!("{}.{}", wanted.path, crate::time::stamp())),
        };
        std::fs::create_dir_all(&path)
            .map_err(|error| format!("the output directory {}: {error}", path.display()))?;
        Ok(Self {
            path: std::path::absolute(&path).unwrap_or(path),
            begun: BTreeSet::new(),
            failed: false,
        })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds text to a file; a run goes on without a file that cannot be written, and says so once.
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
            && !std::mem::replace(&mut self.failed, true)
        {
            out::say(&format!("warning: {}: {error}", path.display()));
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
            let mut directory = Directory::make(&wanted).unwrap();
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
            let directory = Directory::make(&wanted).unwrap();
            assert_eq!(directory.path(), place.path().join(name));
        }
    }
}
