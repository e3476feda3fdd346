//! Files of results: their names, and what they may be written over.
//!
//! Belongs here: the decision whether a file that is there may be replaced. Must never: write over a file of a
//! user's, over an input of the command, or over a device.

use leadline_engine::schedule::HostFacts;
use leadline_engine::sys::host::Host;
use leadline_model::plan::{Plan, Target};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What stands near the beginning of leadline's own pages and JSON.
const MARKS: [&str; 2] = [
    "<meta name=\"generator\" content=\"leadline",
    "\n  \"leadline\":",
];

/// So much of a file is looked at for a mark.
const HEAD: u64 = 1024;

/// Which files that are there may be written over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replace<'a> {
    /// Reports of leadline's, known by a mark in them.
    OwnReports,
    /// Files that begin as the new one does, the given text being how.
    Begins(&'a str),
    /// Any file, as the original of a front end does or the user asks for.
    Any,
}

/// Why no file of results is made there.
pub(crate) const NOT_AMONG_DEVICES: &str =
    "there is no such device, and a file made below /dev would be in memory";

/// A file of results that can be written: what was there still stands until [`ResultFile::write`].
#[derive(Debug)]
pub(crate) struct ResultFile {
    path: PathBuf,
    file: File,
    /// It was made here: it goes when nothing is written.
    made: bool,
    written: bool,
}

impl ResultFile {
    /// Opens or makes `path`. It is none of `inputs`, files that this command reads or measures.
    ///
    /// # Errors
    /// Why it cannot or must not be written, in words with the path.
    pub(crate) fn open(
        path: &Path,
        replace: Replace<'_>,
        inputs: &[PathBuf],
    ) -> Result<Self, String> {
        let failed = |error: io::Error| format!("{}: {error}", path.display());
        if !path.exists() && Host.among_devices(path) {
            return Err(failed(io::Error::other(NOT_AMONG_DEVICES)));
        }
        let (file, made) = match File::create_new(path) {
            Ok(file) => (file, true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                check(path, replace, inputs)?;
                let mut options = OpenOptions::new();
                options.write(true).create(true).truncate(false);
                (options.open(path).map_err(failed)?, false)
            }
            Err(error) => return Err(failed(error)),
        };
        Ok(Self {
            path: path.to_owned(),
            file,
            made,
            written: false,
        })
    }

    /// Adds text. With the first, what was there before is gone.
    ///
    /// # Errors
    /// Why it could not be written, in words with the path.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), String> {
        let failed = |error: io::Error| format!("writing {}: {error}", self.path.display());
        if !self.written && !self.made && self.file.metadata().is_ok_and(|m| m.is_file()) {
            self.file.set_len(0).map_err(failed)?;
        }
        self.written = true;
        self.file.write_all(text.as_bytes()).map_err(failed)
    }

    /// Writes all there is.
    ///
    /// # Errors
    /// As [`ResultFile::write`] and [`ResultFile::finish`].
    pub(crate) fn write_whole(mut self, text: &str) -> Result<(), String> {
        self.write(text)?;
        self.finish()
    }

    /// The file is whole: some file systems say only now that there was no room.
    ///
    /// # Errors
    /// Why it is not, in words with the path.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        self.written = true;
        match self.file.sync_all() {
            // What is no file has nothing to sync.
            Err(error) if error.kind() != ErrorKind::InvalidInput => {
                Err(format!("writing {}: {error}", self.path.display()))
            }
            _ => Ok(()),
        }
    }
}

impl Drop for ResultFile {
    fn drop(&mut self) {
        if self.made && !self.written {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Whether what is at `path` may be written over; why not, in words.
fn check(path: &Path, replace: Replace<'_>, inputs: &[PathBuf]) -> Result<(), String> {
    let shown = path.display();
    // A link that leads nowhere is followed when it is opened.
    let Ok(there) = std::fs::metadata(path) else {
        return Ok(());
    };
    let same = |other: &Metadata| (other.dev(), other.ino()) == (there.dev(), there.ino());
    if let Some(input) = inputs
        .iter()
        .find(|input| std::fs::metadata(input).is_ok_and(|m| same(&m)))
    {
        return Err(format!(
            "{shown} is {}, which this command reads or measures: results are not written over it",
            input.display()
        ));
    }
    if there.file_type().is_block_device() {
        return Err(format!(
            "{shown} is a block device: results are not written over it"
        ));
    }
    let own = match replace {
        _ if !there.is_file() || there.len() == 0 => true,
        Replace::Any => true,
        Replace::OwnReports => MARKS.iter().any(|mark| head(path).contains(mark)),
        Replace::Begins(text) => head(path).starts_with(text),
    };
    if own {
        return Ok(());
    }
    Err(format!("{shown} is there, and is no report of leadline's"))
}

/// The beginning of a file; empty when it cannot be read.
fn head(path: &Path) -> String {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut bytes));
    read.map_or_else(
        |_| String::new(),
        |_| String::from_utf8_lossy(&bytes).into_owned(),
    )
}

/// Files that a plan was read from or is about: no result is written over them.
pub(crate) fn inputs(plan: &Plan) -> Vec<PathBuf> {
    let texts = plan.source.files.iter().map(|(name, _)| name.into());
    let targets = plan.stages.iter().flat_map(|stage| &stage.workloads);
    let targets = targets.filter_map(|workload| match &workload.target {
        Target::Paths(paths) => Some(paths.iter().map(PathBuf::from)),
        _ => None,
    });
    texts.chain(targets.flatten()).collect()
}

/// The name of what belongs to a run: `.leadline` at its end gives way to `ending`, and all else stays, dots too.
pub(crate) fn beside(run: &Path, ending: &str) -> PathBuf {
    let name = run.as_os_str().as_encoded_bytes();
    let stem = match run.extension() {
        Some(extension) if extension == leadline_results::store::EXTENSION => {
            run.with_extension("").into_os_string()
        }
        _ if name.ends_with(b"/") => run.components().as_path().as_os_str().to_owned(),
        _ => run.as_os_str().to_owned(),
    };
    let mut named = stem;
    named.push(".");
    named.push(ending);
    named.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_dots() {
        let named = |run: &str| beside(Path::new(run), "html").display().to_string();
        assert_eq!(named("vol-10.0.0.5"), "vol-10.0.0.5.html");
        assert_eq!(named("a.b/vol-10.0.0.5.leadline"), "a.b/vol-10.0.0.5.html");
        assert_eq!(named("x"), "x.html");
        assert_eq!(named("out/"), "out.html");
    }

    #[test]
    fn only_what_leadline_made_is_written_over() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let tried = |name: &str, replace| {
            ResultFile::open(&at(name), replace, &[at("input")])
                .map(|file| file.write_whole("new").unwrap())
        };
        for name in ["mine", "page", "json", "csv", "input"] {
            std::fs::write(at(name), format!("the user's {name}")).unwrap();
        }
        std::fs::write(at("page"), format!("<head>\n{} 9\">", MARKS[0])).unwrap();
        std::fs::write(at("json"), "{\n  \"leadline\": \"9\",").unwrap();
        std::fs::write(at("csv"), "host,stage\n1,2\n").unwrap();
        std::os::unix::fs::symlink("input", at("link")).unwrap();
        let own = Replace::OwnReports;
        for name in ["page", "json", "fresh"] {
            assert_eq!(tried(name, own), Ok(()), "{name}");
            assert_eq!(std::fs::read_to_string(at(name)).unwrap(), "new");
        }
        assert_eq!(tried("csv", Replace::Begins("host,stage\n")), Ok(()));
        for (name, replace) in [
            ("mine", own),
            ("mine", Replace::Begins("host")),
            ("input", Replace::Any),
            ("link", Replace::Any),
        ] {
            let before = std::fs::read_to_string(at(name)).unwrap();
            assert!(tried(name, replace).is_err(), "{name}");
            assert_eq!(std::fs::read_to_string(at(name)).unwrap(), before);
        }
        assert_eq!(tried("mine", Replace::Any), Ok(()));
        // What was opened and not written is as it was.
        drop(ResultFile::open(&at("mine"), Replace::Any, &[]).unwrap());
        drop(ResultFile::open(&at("gone"), Replace::Any, &[]).unwrap());
        assert_eq!(std::fs::read_to_string(at("mine")).unwrap(), "new");
        assert!(!at("gone").exists());
    }
}
