//! The output directory: its name, and text at the end of its files.
//!
//! Belongs here: names and writing. Must never: know what a file holds.

use crate::out;
use crate::result_file::{self, Inputs, Replace, ResultFile};
use leadline_engine::os::host::make_folders;
use leadline_vdbench::{Naming, OutputDirectory};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The directory of a run.
pub(super) struct Directory {
    path: PathBuf,
    /// Files of this run: what an earlier one left is written over once.
    begun: BTreeSet<String>,
    /// Whatever is there may go.
    force: bool,
    /// Why a file could not be written: the first reason.
    failure: Option<String>,
}

/// What pages are not written over.
pub(super) struct Taken {
    /// Files that the run reads or measures.
    pub(super) inputs: Inputs,
    /// The names of the pages it writes.
    pub(super) pages: Vec<String>,
    /// What is there may go, but for the inputs.
    pub(super) force: bool,
}

/// leadline's own page.
const REPORT: &str = "report.html";

impl Taken {
    /// The files of an output directory whose name is known beforehand; those of others are new.
    pub(super) fn files_of(&self, wanted: &OutputDirectory) -> Vec<PathBuf> {
        if !matches!(wanted.naming, Naming::AsGiven) {
            return Vec::new();
        }
        let own = [REPORT, "run.leadline"].into_iter();
        let names = own.chain(self.pages.iter().map(String::as_str));
        names
            .map(|name| Path::new(&wanted.path).join(name))
            .collect()
    }

    /// Whether all pages can be written in a directory; the first that cannot, in words.
    fn leaves(&self, directory: &Path) -> Result<(), String> {
        let own = [(REPORT, Replace::OwnReports)].into_iter();
        let pages = self.pages.iter();
        let pages = pages.map(|name| (name.as_str(), Replace::PagesOfVdbench));
        own.chain(pages).try_for_each(|(name, replace)| {
            let page = directory.join(name);
            self.inputs.leave(&page)?;
            result_file::check(&page, replace.or_any(self.force))
        })
    }
}

impl Directory {
    /// Makes the directory, in which nothing that is `taken` is written over.
    pub(super) fn make(wanted: &OutputDirectory, taken: &Taken) -> Result<Self, String> {
        let path = match wanted.naming {
            Naming::AsGiven => PathBuf::from(&wanted.path),
            Naming::Numbered => numbered(&wanted.path)?,
            Naming::Dated => PathBuf::from(format!("{}.{}", wanted.path, crate::time::stamp())),
        };
        taken.leaves(&path)?;
        make_folders(&path)
            .map_err(|error| format!("the output directory {}: {error}", path.display()))?;
        let directory = Self {
            path: std::path::absolute(&path).unwrap_or(path),
            begun: BTreeSet::new(),
            force: taken.force,
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
        let replace = Replace::OwnReports.or_any(self.force);
        let written = ResultFile::open(&self.path.join(REPORT), replace, &Inputs::default())
            .and_then(|file| file.write_whole(text));
        if let Err(why) = written {
            out::say(&format!("error: {why}"));
            self.failure.get_or_insert(why);
        }
    }

    /// Adds text to a file; a run continues without a file that cannot be written, says so once, and has failed.
    pub(super) fn append(&mut self, name: &str, text: &str) {
        let new = !self.begun.contains(name);
        let path = self.path.join(name);
        // By its title a page is known, and may be written over.
        let shown = self.path.display();
        let title = format!("<title>leadline {shown}/{name}</title><pre>\n");
        let title = if new && !text.starts_with("<title>") {
            title.as_str()
        } else {
            ""
        };
        let opened = std::fs::File::options()
            .create(true)
            .write(true)
            .append(!new)
            .truncate(new)
            .open(&path);
        if new {
            self.begun.insert(name.to_owned());
        }
        let written = opened.and_then(|mut file| {
            file.write_all(title.as_bytes())?;
            file.write_all(text.as_bytes())
        });
        let Err(error) = written else { return };
        // A page that has nothing in it is none.
        if std::fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() == 0) {
            let _ = std::fs::remove_file(&path);
        }
        if self.failure.is_none() {
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
        .ok_or_else(|| format!("{name}001 to {name}999 all exist"))
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
            let mut directory = Directory::make(&wanted, &nothing()).unwrap();
            directory.append("a.html", "1");
            directory.append("a.html", "2");
            let text = std::fs::read_to_string(directory.path().join("a.html")).unwrap();
            assert!(text.ends_with("</title><pre>\n12"), "{text}");
        }
    }

    fn nothing() -> Taken {
        Taken {
            inputs: Inputs::default(),
            pages: vec!["a.html".into(), "b.html".into()],
            force: false,
        }
    }

    #[test]
    fn what_neither_vdbench_nor_leadline_made_is_not_written_over() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let wanted = OutputDirectory {
            path: place.path().display().to_string(),
            naming: Naming::AsGiven,
        };
        let made = |taken: &Taken| Directory::make(&wanted, taken).map(|_| ());
        std::fs::write(at("notes.html"), "mine, and no page's name").unwrap();
        std::fs::write(at("a.html"), "<title>Vdbench output/a.html</title><pre>").unwrap();
        assert_eq!(made(&nothing()), Ok(()));
        for name in ["b.html", "report.html"] {
            std::fs::write(at(name), "<html>mine</html>").unwrap();
            let why = made(&nothing()).unwrap_err();
            assert!(why.contains(name), "{why}");
            let force = Taken {
                force: true,
                ..nothing()
            };
            assert_eq!(made(&force), Ok(()));
            let inputs = Inputs::of([at(name)]);
            assert!(made(&Taken { inputs, ..force }).is_err());
            std::fs::remove_file(at(name)).unwrap();
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
            let directory = Directory::make(&wanted, &nothing()).unwrap();
            assert_eq!(directory.path(), place.path().join(name));
        }
    }
}
