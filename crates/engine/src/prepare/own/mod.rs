//! Files that are leadline's own (`Prepare::own`): each is known by its mark, and locked for the run.
//!
//! Belongs here: refusing a file that has such a name and is not ours, or is ours and in use; making, marking and
//! locking them; removing what an earlier run left. Must never: take a file for ours by its name or size.

mod mark;
pub(super) mod owned;

use super::job::Job;
use super::{Holds, MadeFiles, PrepareError, layout};
use crate::os::file::{self, Handle, Meta, Open, Type};
use crate::os::{errno, hold, locks};
use leadline_model::cure::Cure;
use leadline_model::error_code::ErrorCode;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Target;
use mark::Whose;
use owned::Owned;
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a file may change until the next word: it comes each second while files are laid out.
pub(super) const BRIEF: Duration = Duration::from_secs(10);

const MOVE_IT: &str = "move it away, or name another directory";

/// Looks at what is where files of ours are to be, and beside; nothing is changed.
///
/// # Errors
/// [`PrepareError::Refused`] for the first that is not ours, or is in use.
pub(super) fn look(jobs: &[Job<'_>], holds: &Holds) -> Result<(), PrepareError> {
    let mut places = BTreeSet::new();
    for job in jobs.iter().filter(|job| !holds.owns(job.path)) {
        let Some(word) = &job.workload.blocks().prepare.own else {
            continue;
        };
        // First who is at work there: a file that another survey is writing looks like neither ours nor theirs.
        if places.insert((directory(job.path), word)) {
            refuse_other_runs(directory(job.path), word, holds.run())?;
        }
        ours_or_nothing(job.path)?;
    }
    Ok(())
}

/// The same of one path, before anything begins.
///
/// # Errors
/// As [`look`].
pub(super) fn look_at(path: &Path, word: &str, run: u64) -> Result<(), PrepareError> {
    refuse_other_runs(directory(path), word, run)?;
    ours_or_nothing(path)
}

/// Refuses what is at a path and is not ours.
fn ours_or_nothing(path: &Path) -> Result<(), PrepareError> {
    match fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        Err(e) => Err(PrepareError::of("looking at", path, &e)),
        Ok(_) => open_ours(path).map(drop),
    }
}

/// Makes or opens the files that are to be ours, marks and locks them, and removes what an earlier run left
/// beside them.
///
/// # Errors
/// The first file that cannot be had.
pub(super) fn claim(
    jobs: &[Job<'_>],
    holds: &mut Holds,
    made: &mut MadeFiles,
) -> Result<Option<Finding>, PrepareError> {
    let mut places = BTreeSet::new();
    let mut unlocked = None;
    for job in jobs {
        let Some(word) = &job.workload.blocks().prepare.own else {
            continue;
        };
        if holds.owns(job.path) {
            continue;
        }
        let file = make(job.path, made).or_else(|error| {
            refuse_other_runs(directory(job.path), word, holds.run())?;
            Err(error)
        })?;
        if let Err(error) = hold::mark(&file, holds.run()) {
            unlocked = Some((job.path, error));
        }
        let meta = looked_at(&file, job.path)?;
        holds.own(Owned {
            path: job.path.to_path_buf(),
            file: meta.id,
            lock: file,
        });
        places.insert((directory(job.path), word, stem(job)));
    }
    // Whoever came at the same moment has a lock by now, or sees ours.
    for (directory, word, _) in &places {
        refuse_other_runs(directory, word, holds.run())?;
    }
    for (directory, word, stem) in places {
        if let Some(stem) = stem.filter(|stem| stem.contains(word.as_str())) {
            sweep(directory, stem, jobs, holds);
        }
    }
    Ok(unlocked.map(|(path, error)| not_locked(path, &error)))
}

fn not_locked(path: &Path, error: &std::io::Error) -> Finding {
    Finding {
        code: "own-files-not-locked".into(),
        severity: Severity::Info,
        stage: None,
        workload: None,
        text: format!(
            "{} could not be locked ({error}): a second survey running in its directory would \
             not be noticed",
            path.display()
        ),
        cure: Cure::none(),
    }
}

/// The file at `path`, made and marked when there was none.
fn make(path: &Path, made: &mut MadeFiles) -> Result<Handle, PrepareError> {
    if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        layout::directories(parent, &mut |directory| made.directory(directory))?;
    }
    let new = Open::READ_WRITE | Open::CREATE | Open::NEW | Open::NO_LINK;
    match new.at(path) {
        Ok(file) => {
            made.file(path);
            let note = mark::put(&file, path, BRIEF)
                .map_err(|e| PrepareError::of("marking as leadline's own", path, &e))?;
            if let Some(note) = note {
                made.file(&note);
            }
            Ok(file)
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            let file = open_ours(path)?;
            let _ = mark::put(&file, path, BRIEF);
            made.file(path);
            let note = mark::note(path);
            if mark::is_note(&note) {
                made.file(&note);
            }
            Ok(file)
        }
        Err(e) => Err(PrepareError::of("creating", path, &e)),
    }
}

/// Opens what is at `path`, which has to be a file of ours and nothing else.
fn open_ours(path: &Path) -> Result<Handle, PrepareError> {
    let shown = path.display();
    let refused = |why: &str| PrepareError::Refused {
        code: ErrorCode::ForeignData,
        text: format!("{shown} would be written, but {why}"),
        cure: MOVE_IT.into(),
    };
    let file = match (Open::READ_WRITE | Open::NO_LINK | Open::NO_WAIT).at(path) {
        Ok(file) => file,
        Err(e) => {
            return Err(match e.raw_os_error() {
                Some(errno::ELOOP) => refused("it is a symbolic link"),
                Some(errno::EISDIR | errno::ENXIO | errno::ENODEV) => refused("it is not a file"),
                _ => PrepareError::of("opening", path, &e),
            });
        }
    };
    let meta = looked_at(&file, path)?;
    if meta.what != Type::Regular {
        return Err(refused("it is not a regular file"));
    }
    if meta.names > 1 {
        let why = format!("it has {} names (hard links)", meta.names);
        return Err(refused(&why));
    }
    match mark::whose(&file, path) {
        Whose::Own => Ok(file),
        Whose::Changed => Err(refused(
            "it was changed after the survey that created it, so it may hold somebody's data",
        )),
        Whose::Others => Err(refused("it is not marked as created by a survey")),
    }
}

fn looked_at(file: &Handle, path: &Path) -> Result<Meta, PrepareError> {
    file::look(file).map_err(|e| PrepareError::of("looking at", path, &e))
}

/// Refuses a directory in which another run works on files of its own.
fn refuse_other_runs(directory: &Path, word: &str, run: u64) -> Result<(), PrepareError> {
    for path in named(directory, |name| name.contains(word)) {
        if let Some(who) = locks::of_others(&path, run, false) {
            return Err(PrepareError::Refused {
                code: ErrorCode::InUse,
                text: format!(
                    "another survey is running in {} ({}: {who})",
                    directory.display(),
                    path.display()
                ),
                cure: "wait until it ends, or name another directory".into(),
            });
        }
    }
    Ok(())
}

/// Removes what an earlier run left and this one does not use. What is not ours, or cannot be removed, stays.
fn sweep(directory: &Path, stem: &str, jobs: &[Job<'_>], holds: &Holds) {
    let used = |path: &Path| holds.owns(path) || jobs.iter().any(|job| job.path == path);
    for path in named(directory, |name| name.starts_with(stem)) {
        let left = mark::noted(&path).filter(|_| mark::is_note(&path));
        if let Some(file) = left {
            // A note goes with its file; one whose file is gone goes alone.
            if fs::symlink_metadata(&file).is_err() {
                let _ = fs::remove_file(&path);
            }
        } else if !used(&path) && open_ours(&path).is_ok() {
            let note = mark::note(&path);
            let noted = mark::is_note(&note);
            if fs::remove_file(&path).is_ok() && noted {
                let _ = fs::remove_file(note);
            }
        }
    }
}

/// Paths of what is in a directory under such a name.
fn named(directory: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.filter(|entry| entry.file_name().to_str().is_some_and(&wanted));
    names
        .map(|entry| directory.join(entry.file_name()))
        .collect()
}

fn directory(path: &Path) -> &Path {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// What the names of a job's files begin with.
fn stem<'a>(job: &Job<'a>) -> Option<&'a str> {
    let Target::Files(files) = &job.workload.blocks().target else {
        return None;
    };
    files.pattern.split('$').next()
}
