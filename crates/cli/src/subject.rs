//! A result by its path, whoever measured it: a run file, a result of fio or DISKSPD, an output folder of Vdbench.
//!
//! Belongs here: which of them it is, by what is in it. Must never: know a format, which is its front end's matter.

use crate::kept;
use crate::out;
use leadline_dialect::diagnostic::{Diagnostic, Sources, render};
use leadline_fio::import::LogName;
use leadline_results::compare::Subject;
use leadline_results::run::Run;
use leadline_results::store;
use std::path::{Path, PathBuf};

/// What a run file begins with: it is one of SQLite.
const SQLITE: &[u8] = b"SQLite format 3\0";
/// A larger text is none of a person's results.
const MOST: u64 = 1 << 30;
/// What is looked for, said of a file that is none of it.
const KNOWN: &str = "a run file of leadline, fio's JSON, normal text or logs (PREFIX_lat.1.log and its like), DISKSPD's XML or \
                     text, an output folder of Vdbench with flatfile.html";

/// Why a result could not be read.
#[derive(Debug)]
pub(crate) enum NoSubject {
    /// In words, with a hint.
    Said(String),
    /// A run file that cannot be read.
    Store(store::StoreError),
    /// A text that is wrong.
    Text(Vec<Diagnostic>, Box<Sources>),
}

/// A result that was found.
#[derive(Debug)]
pub(crate) enum Found {
    /// A run of leadline's own.
    Run(Box<Run>),
    /// What another tool wrote.
    Other(Box<Subject>),
}

impl NoSubject {
    /// In words, with the places of what is wrong with a text.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Said(why) => why.clone(),
            Self::Store(error) => format!("error: {error}"),
            Self::Text(wrong, sources) => {
                let text = render(wrong, sources, false, out::err_width());
                text.trim_end().to_owned()
            }
        }
    }
}

/// Reads the result at `path`, or the latest run for `last`.
///
/// # Errors
/// Why it is none.
pub(crate) fn read(path: &Path) -> Result<Subject, NoSubject> {
    let name = kept::named(path).display().to_string();
    Ok(match found(path)? {
        Found::Run(run) => Subject::from_run(&name, &name, &run),
        Found::Other(subject) => *subject,
    })
}

/// The same, a run of leadline's own as the whole that it is.
///
/// # Errors
/// Why it is none.
pub(crate) fn found(path: &Path) -> Result<Found, NoSubject> {
    let path = kept::named(path);
    let name = path.display().to_string();
    let said = |why: String| NoSubject::Said(format!("error: {name}: {why}"));
    let mut path: PathBuf = path;
    // A folder of leadline's own holds the run itself, which says more than the pages in Vdbench's shape.
    let own = path.join("run.leadline");
    if path.is_dir() && own.is_file() {
        path = own;
    } else if path.is_dir() {
        path = path.join(leadline_vdbench::import::FLAT_FILE);
        if !path.is_file() {
            return Err(said(format!(
                "there is no flatfile.html in this folder\n  hint: known are {KNOWN}"
            )));
        }
    }
    if let Some(log) = log_name(&path) {
        let logs = logs(&path, &log).map_err(|error| match error {
            LogError::Io(error) => said(error.to_string()),
            LogError::Text(wrong, sources) => NoSubject::Text(wrong, sources),
        });
        return logs.map(|logs| Found::Other(Box::new(logs)));
    }
    let bytes = text_of(&path).map_err(|error| said(error.to_string()))?;
    if bytes.starts_with(SQLITE) {
        let run = store::open(&path).map_err(NoSubject::Store)?;
        return Ok(Found::Run(Box::new(run)));
    }
    let mut sources = Sources::default();
    let read = of_text(&path, &decoded(&bytes), &mut sources).ok_or_else(|| {
        said(format!(
            "it is not a result of a known form\n  hint: known are {KNOWN}"
        ))
    })?;
    read.map(|read| Found::Other(Box::new(read.distinguished().with_latencies_judged())))
        .map_err(|wrong| NoSubject::Text(wrong, Box::new(sources)))
}

/// The result of another tool that a text is; `None` where it is none that is known.
fn of_text(
    path: &Path,
    text: &str,
    sources: &mut Sources,
) -> Option<Result<Subject, Vec<Diagnostic>>> {
    let name = path.display().to_string();
    if leadline_vdbench::import::is_flat_file(text) {
        return Some(of_vdbench(path, text, sources));
    }
    if leadline_diskspd::import::is_result(text) {
        return Some(leadline_diskspd::import::read(&name, text, sources));
    }
    let is_fio = leadline_fio::import::is_result(text);
    is_fio.then(|| leadline_fio::import::read(&name, text, sources))
}

/// A folder of Vdbench, by its flat file and what is beside it.
fn of_vdbench(path: &Path, text: &str, sources: &mut Sources) -> Result<Subject, Vec<Diagnostic>> {
    use leadline_vdbench::import;
    let folder = path.parent().unwrap_or(Path::new(""));
    let folder = match folder.as_os_str().is_empty() {
        true => path.display().to_string(),
        false => folder.display().to_string(),
    };
    let mut subject = import::read(&folder, text, sources)?;
    let beside = |name: &str| text_of(&path.with_file_name(name)).map(|bytes| decoded(&bytes));
    let parameters = beside(import::PARAMETER_FILE).unwrap_or_default();
    import::add_parameters(&mut subject, &parameters);
    if let Ok(summary) = beside(import::SUMMARY_FILE) {
        import::add_end(&mut subject, &summary);
    }
    import::add_hosts(&mut subject, &names_beside(path));
    Ok(subject)
}

/// The names of what is in the folder of a file.
fn names_beside(path: &Path) -> Vec<String> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
    let entries = entries.into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.collect()
}

/// What a file is of the logs of a run of fio; `None` where it is no such log.
pub(crate) fn log_name(path: &Path) -> Option<LogName> {
    LogName::of(path.file_name()?.to_str()?)
}

/// Why logs could not be read.
enum LogError {
    Io(std::io::Error),
    Text(Vec<Diagnostic>, Box<Sources>),
}

/// Reads a log with the others of its run: those beside it with the same prefix.
fn logs(path: &Path, log: &LogName) -> Result<Subject, LogError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).map_err(LogError::Io)?;
    let mut paths: Vec<(LogName, PathBuf)> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter_map(|path| Some((log_name(&path)?, path)))
        .filter(|(name, _)| name.prefix == log.prefix)
        .collect();
    paths.sort();
    let mut files = Vec::new();
    for (name, path) in paths {
        let bytes = text_of(&path).map_err(LogError::Io)?;
        let text = decoded(&bytes);
        files.push((name, path.display().to_string(), text));
    }
    let mut sources = Sources::default();
    let name = folder.join(&log.prefix).display().to_string();
    leadline_fio::import::read_logs(&name, &files, &mut sources)
        .map(Subject::distinguished)
        .map_err(|wrong| LogError::Text(wrong, Box::new(sources)))
}

/// The text of a file: UTF-8 with or without its mark, or UTF-16 with it, as PowerShell's `>` writes.
fn decoded(bytes: &[u8]) -> String {
    let units = |of: fn([u8; 2]) -> u16| {
        let pairs = bytes[2..].chunks_exact(2);
        let units: Vec<u16> = pairs.map(|pair| of([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, ..] => units(u16::from_le_bytes),
        [0xfe, 0xff, ..] => units(u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        other => String::from_utf8_lossy(other).into_owned(),
    }
}

/// The bytes of a text; of a run file the start alone.
fn text_of(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    // A pipe would be waited for without end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    let mut file = std::fs::File::open(path)?;
    let mut bytes = vec![0; SQLITE.len()];
    let mut read = 0;
    while read < bytes.len() {
        match file.read(&mut bytes[read..])? {
            0 => break,
            n => read += n,
        }
    }
    bytes.truncate(read);
    if bytes != SQLITE {
        file.take(MOST).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
