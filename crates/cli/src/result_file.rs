//! Files of results: their names, and what they may be written over.
//!
//! Belongs here: the decision whether a file that is there may be replaced. Must never: write over a file of a
//! user's, over an input of the command, or over a device.

use leadline_engine::os::host::{among_devices, place};
use leadline_engine::os::kinds;
use leadline_engine::schedule::targets;
use leadline_model::plan::{Fill, Plan};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// What stands near the beginning of leadline's own pages and JSON.
const MARKS: [&str; 4] = [
    "<meta name=\"generator\" content=\"leadline",
    "\n  \"leadline\":",
    "<!-- made by leadline",
    // The text chunk of a picture.
    "Software\0leadline",
];

/// Bytes of a file that are checked for a mark.
const HEAD: u64 = 4096;

/// How Vdbench's pages begin, and those that leadline makes in their place.
const PAGES: [&str; 2] = ["<title>Vdbench ", "<title>leadline "];

/// Which files that are there may be written over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replace<'a> {
    /// Reports of leadline's, known by a mark in them.
    OwnReports,
    /// Files that begin as the new one does, the given text being how.
    Begins(&'a str),
    /// Results of fio, or of leadline in fio's shapes.
    OfFio,
    /// Pages of Vdbench, or of leadline in their place.
    PagesOfVdbench,
    /// Any file, as the user asks for.
    Any,
}

impl Replace<'_> {
    /// Any file where the user wants that.
    pub(crate) const fn or_any(self, any: bool) -> Self {
        if any { Self::Any } else { self }
    }

    /// Whether a file that begins so may be written over.
    fn allows(self, head: &str) -> bool {
        match self {
            Self::Any => true,
            Self::OwnReports => is_report(head),
            Self::Begins(text) => head.starts_with(text),
            Self::OfFio => is_report(head) || is_of_fio(head),
            Self::PagesOfVdbench => is_report(head) || PAGES.iter().any(|p| head.starts_with(p)),
        }
    }

    /// Who would have to have made it.
    const fn makers(self) -> &'static str {
        match self {
            Self::OfFio => "neither fio nor leadline wrote it",
            Self::PagesOfVdbench => "neither Vdbench nor leadline wrote it",
            _ => "is not a leadline report",
        }
    }
}

fn is_report(head: &str) -> bool {
    MARKS.iter().any(|mark| head.contains(mark))
}

/// Whether a text begins as fio's results do: its JSON, its terse line, or its text for people, each perhaps with
/// remarks before it.
fn is_of_fio(head: &str) -> bool {
    let remark = |line: &&str| line.starts_with("fio: ") || line.starts_with("note: ");
    let lines = || head.lines().map(str::trim_end).filter(|l| !l.is_empty());
    let mut results = lines().skip_while(remark);
    let Some(first) = results.next() else {
        return lines().any(|line| line.starts_with("fio: "));
    };
    if let Some(rest) = first.strip_prefix('{') {
        let key = Some(rest.trim_start()).filter(|rest| !rest.is_empty());
        let key = key.or_else(|| results.next().map(str::trim_start));
        return key.is_some_and(|key| key.starts_with("\"fio version\""));
    }
    let mut fields = first.split(';');
    let terse = matches!(fields.next(), Some("2" | "3" | "4" | "5"));
    let job = first
        .split_once(": (g=")
        .and_then(|(_, rest)| rest.split_once("): rw="));
    let version = first.strip_prefix("fio-").and_then(|v| v.chars().next());
    terse && fields.count() > 40
        || job.is_some_and(|(group, _)| group.bytes().all(|b| b.is_ascii_digit()))
        || version.is_some_and(|c| c.is_ascii_digit())
}

/// Why no file of results is made there.
pub(crate) const NOT_AMONG_DEVICES: &str =
    "there is no such device, and a file created under /dev would be in memory";

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
    pub(crate) fn open(path: &Path, replace: Replace<'_>, inputs: &Inputs) -> Result<Self, String> {
        let failed = |error: io::Error| format!("{}: {error}", path.display());
        inputs.leave(path)?;
        if !path.exists() && among_devices(path) {
            return Err(failed(io::Error::other(NOT_AMONG_DEVICES)));
        }
        let (file, made) = match File::create_new(path) {
            Ok(file) => (file, true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                check(path, replace)?;
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

    /// Adds text. With the first, what was there before is gone, and with an error all of it: a part of a result is
    /// none.
    ///
    /// # Errors
    /// Why it could not be written, in words with the path.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), String> {
        self.write_bytes(text.as_bytes())
    }

    /// The same of bytes.
    ///
    /// # Errors
    /// As [`ResultFile::write`].
    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), String> {
        let first = !std::mem::replace(&mut self.written, true);
        let emptied = if first && !self.made && self.is_regular() {
            self.file.set_len(0)
        } else {
            Ok(())
        };
        let written = emptied.and_then(|()| self.file.write_all(bytes));
        written.map_err(|error| self.fail(&error))
    }

    fn is_regular(&self) -> bool {
        self.file.metadata().is_ok_and(|m| m.is_file())
    }

    /// Why it could not be written; what is there of it goes.
    fn fail(&self, error: &io::Error) -> String {
        if self.is_regular() {
            let _ = std::fs::remove_file(place(&self.path));
        }
        format!("writing {}: {error}", self.path.display())
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
            Err(error) if error.kind() != ErrorKind::InvalidInput => Err(self.fail(&error)),
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
///
/// # Errors
/// Why not, with the path.
pub(crate) fn check(path: &Path, replace: Replace<'_>) -> Result<(), String> {
    let shown = path.display();
    let Ok(there) = std::fs::metadata(path) else {
        return leads_to_folder(path);
    };
    if there.is_dir() {
        return Err(format!("{shown} is a folder: name a file in it"));
    }
    if kinds::is_block_device(&there) {
        return Err(format!(
            "{shown} is a block device: results do not overwrite it"
        ));
    }
    if !there.is_file() || there.len() == 0 || replace.allows(&head(path)) {
        return Ok(());
    }
    Err(format!("{shown} exists, and {}", replace.makers()))
}

/// Whether a file can be made at the end of a link that leads to none yet: it is followed when the file is opened.
fn leads_to_folder(path: &Path) -> Result<(), String> {
    let Ok(end) = std::fs::read_link(path) else {
        return Ok(());
    };
    let beside = path.parent().unwrap_or(Path::new(""));
    let end = beside.join(end);
    match end.parent().is_none_or(|folder| folder.is_dir()) {
        true => Ok(()),
        false => Err(format!(
            "{} is a link to {}, and there is no such folder",
            path.display(),
            end.display()
        )),
    }
}

/// Files that a command reads, writes or measures, known by whatever name, whether they are there or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    there: BTreeMap<kinds::FileId, PathBuf>,
    to_come: BTreeMap<PathBuf, PathBuf>,
}

impl Inputs {
    /// These.
    pub(crate) fn of(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut all = Self::default();
        let mut folders = BTreeMap::new();
        for path in paths {
            all.add_in(path, &mut folders);
        }
        all
    }

    /// And this one.
    pub(crate) fn add(&mut self, path: PathBuf) {
        self.add_in(path, &mut BTreeMap::new());
    }

    /// `folders` are the places of folders that were asked for.
    fn add_in(&mut self, path: PathBuf, folders: &mut BTreeMap<PathBuf, PathBuf>) {
        match std::fs::metadata(&path) {
            Ok(there) if there.is_file() => {
                self.there.insert(kinds::identity(&there), path);
            }
            // What is no file is not written over.
            Ok(_) => {}
            Err(_) => {
                let at = match (path.parent(), path.file_name()) {
                    (Some(parent), Some(name)) if !path.is_symlink() => {
                        let folder = folders.entry(parent.to_owned());
                        folder.or_insert_with(|| place(parent)).join(name)
                    }
                    _ => place(&path),
                };
                self.to_come.insert(at, path);
            }
        }
    }

    /// Refuses a place for results that is one of them.
    ///
    /// # Errors
    /// Which one, in words.
    pub(crate) fn leave(&self, path: &Path) -> Result<(), String> {
        let found = match std::fs::metadata(path) {
            Ok(there) => self.there.get(&kinds::identity(&there)),
            Err(_) => self.to_come.get(&place(path)),
        };
        match found {
            None => Ok(()),
            Some(input) => Err(format!(
                "{} is {}, which this command reads, writes or measures: results do not \
                 overwrite it",
                path.display(),
                input.display()
            )),
        }
    }
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

/// Files that a plan was read from or is about, those among them that it will make: no result is written over them.
pub(crate) fn inputs(plan: &Plan) -> Inputs {
    let texts = plan.source.files.iter().map(|(name, _)| name.into());
    let workloads = || plan.stages.iter().flat_map(|stage| &stage.workloads);
    let parts =
        workloads().flat_map(|w| w.blocks().parts.iter().filter_map(|p| p.payload.as_ref()));
    let sources = workloads().map(|w| &w.blocks().payload).chain(parts);
    let sources = sources.filter_map(|payload| match &payload.fill {
        Fill::Source { file, .. } => file.as_ref().map(PathBuf::from),
        _ => None,
    });
    let targets: BTreeSet<PathBuf> = workloads().flat_map(targets).collect();
    Inputs::of(texts.chain(sources).chain(targets))
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
    fn results_of_fio_are_known_by_how_they_begin() {
        let terse = format!("3;fio-3.33;a;0;0{}", ";1".repeat(120));
        for text in [
            "{\n  \"fio version\" : \"fio-3.33\",",
            "{ \"fio version\" : \"fio-3.42\" }",
            "note: both iodepth >= 1 and synchronous I/O engine are selected\n{\n  \"fio version\" : \"fio-3\"",
            "a b: (g=0): rw=randread, bs=(R) 4096B-4096B",
            "fio-3.33\nStarting 1 process\n",
            "fio: failed parsing rw=x\n",
            terse.as_str(),
        ] {
            assert!(is_of_fio(text), "{text}");
        }
        for text in [
            "{\"name\": \"fio version\"}",
            "{\n  \"results\": [\n",
            "note: buy milk",
            "[global]\nrw=read\n",
            "My notes. fio said:\na: (g=0): rw=read",
            "a: (g=x): rw=read",
            "3;4;5",
            "fio-notes",
            "",
        ] {
            assert!(!is_of_fio(text), "{text}");
        }
    }

    #[test]
    fn a_place_where_no_file_can_be_is_known_before_anything_runs() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, at(name)).unwrap();
        link("nowhere/x", "astray");
        link("new", "link");
        let said = |name: &str| check(&at(name), Replace::OwnReports);
        assert!(
            said(".")
                .unwrap_err()
                .ends_with("is a folder: name a file in it")
        );
        assert!(
            said("astray")
                .unwrap_err()
                .contains("there is no such folder")
        );
        assert_eq!((said("new"), said("link")), (Ok(()), Ok(())));
    }

    #[test]
    fn a_place_is_known_by_whatever_name_before_anything_is_there() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, at(name)).unwrap();
        std::fs::create_dir(at("d")).unwrap();
        link("new", "link");
        link("d", "e");
        for (result, input) in [
            ("new", "new"),
            ("new", "./d/../new"),
            ("link", "new"),
            ("new", "link"),
            ("e/x", "d/x"),
        ] {
            let found = ResultFile::open(&at(result), Replace::Any, &Inputs::of([at(input)]));
            assert!(found.is_err(), "{result} {input}");
            assert!(!at("new").exists() && !at("d/x").exists());
        }
        std::fs::write(at("a"), "1").unwrap();
        std::fs::hard_link(at("a"), at("b")).unwrap();
        assert!(Inputs::of([at("a")]).leave(&at("b")).is_err());
        assert!(Inputs::of([at("a"), at("d")]).leave(&at("d/a")).is_ok());
    }

    #[test]
    fn only_what_leadline_made_is_written_over() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let tried = |name: &str, replace| {
            ResultFile::open(&at(name), replace, &Inputs::of([at("input")]))
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
            ("mine", Replace::OfFio),
            ("mine", Replace::PagesOfVdbench),
            ("input", Replace::Any),
            ("link", Replace::Any),
        ] {
            let before = std::fs::read_to_string(at(name)).unwrap();
            assert!(tried(name, replace).is_err(), "{name}");
            assert_eq!(std::fs::read_to_string(at(name)).unwrap(), before);
        }
        assert_eq!(tried("mine", Replace::Any), Ok(()));
        // What was opened and not written is as it was.
        drop(ResultFile::open(&at("mine"), Replace::Any, &Inputs::default()).unwrap());
        drop(ResultFile::open(&at("gone"), Replace::Any, &Inputs::default()).unwrap());
        assert_eq!(std::fs::read_to_string(at("mine")).unwrap(), "new");
        assert!(!at("gone").exists());
    }
}
