//! The results that a comparison is of: run files or results of other tools, folders of them, a baseline by its tag.
//!
//! Belongs here: from a path to what can be compared. Must never: compare.

use super::told_apart;
use crate::args::Compare as Args;
use crate::exit::Exit;
use crate::subject::{self, NoSubject};
use crate::verbs::Refusal;
use crate::{kept, out, place};
use leadline_dialect::diagnostic::render;
use leadline_model::event::Outcome;
use leadline_results::compare::{CompareSide, Subject};
use leadline_results::store;
use leadline_vdbench::import::FLAT_FILE;
use std::path::{Path, PathBuf};

/// A and B, or why not: everything that is wrong, in lines.
pub(super) fn sides(args: &Args) -> Result<(CompareSide, CompareSide), Refusal> {
    let refused = |text: String| (text, Exit::Usage);
    if let Some(tag) = &args.baseline {
        let newest = baseline(tag, &args.results[0]).map_err(refused)?;
        let mut a = side(&newest).map_err(refused)?;
        tag.clone_into(&mut a.name);
        let b = side(&args.results[0]).map_err(refused)?;
        return Ok(told_apart(a, b));
    }
    match args.results.as_slice() {
        [a, b] => match (side(a), side(b)) {
            (Ok(a), Ok(b)) => Ok(told_apart(a, b)),
            (Err(a), Err(b)) => Err(refused(format!("{a}\n{b}"))),
            (Err(why), _) | (_, Err(why)) => Err(refused(why)),
        },
        [one] => arms(one).map_err(refused),
        _ => Err(refused("error: name A and B".to_owned())),
    }
}

/// The two arms of one run.
fn arms(path: &Path) -> Result<(CompareSide, CompareSide), String> {
    let subject = subject(&kept::named(path))?;
    let mut arms = CompareSide::arms(&subject).into_iter();
    let names: Vec<String> = CompareSide::arms(&subject)
        .into_iter()
        .map(|a| a.name)
        .collect();
    match (arms.next(), arms.next(), arms.next()) {
        (Some(a), Some(b), None) => Ok((a, b)),
        _ => Err(format!(
            "error: {}: a result that is compared with itself has two arms, not {}\n  hint: name a second \
             result, or give --baseline",
            path.display(),
            match names.as_slice() {
                [] => "none".to_owned(),
                [one] if one.is_empty() => "none".to_owned(),
                some => format!("{} ({})", some.len(), some.join(", ")),
            }
        )),
    }
}

/// The newest finished run with a tag: here, beside the result that it is compared with, or in leadline's own place.
fn baseline(tag: &str, result: &Path) -> Result<PathBuf, String> {
    let mut places = vec![PathBuf::from("."), place::runs()];
    let result = kept::named(result);
    let beside = match result.is_dir() {
        true => Some(result.as_path()),
        false => result
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty()),
    };
    places.extend(beside.map(Path::to_path_buf));
    let heads = places.iter().filter_map(|place| store::list(place).ok());
    let mut tagged: Vec<store::RunHead> = heads
        .flatten()
        .filter(|head| head.tag.as_deref() == Some(tag) && !is_same_file(&head.path, &result))
        .collect();
    let finished = |head: &&store::RunHead| head.outcome == Some(Outcome::Complete);
    tagged.sort_by_key(|head| head.wall_ms);
    let newest = tagged.iter().rev().find(finished);
    newest.map(|head| head.path.clone()).ok_or_else(|| {
        let looked: Vec<String> = places.iter().map(|p| p.display().to_string()).collect();
        let unfinished = match tagged.len() {
            0 => String::new(),
            n => format!(" ({n} with this tag did not finish)"),
        };
        format!(
            "error: --baseline {tag}: no finished run has this tag in {}{unfinished}\n  hint: leadline tag RUN {tag}",
            looked.join(" or ")
        )
    })
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}

/// Endings of results that are not run files.
const IMPORTED: [&str; 3] = ["json", "xml", "txt"];

/// One side: a result, or every result of a folder.
fn side(path: &Path) -> Result<CompareSide, String> {
    let path = kept::named(path);
    let name = name_of(&path);
    if !path.is_dir() || is_output_folder(&path) {
        let subjects = vec![subject(&path)?];
        return Ok(CompareSide { name, subjects });
    }
    let failed = |error: &dyn std::fmt::Display| format!("error: {}: {error}", path.display());
    let entries = std::fs::read_dir(&path).map_err(|error| failed(&error))?;
    let all: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    let files = repeats(all);
    if files.is_empty() {
        return Err(format!(
            "{}\n  hint: name a result, or a folder that holds those of the repeats: run files, or else files that end in \
             {}, logs of fio and output folders of Vdbench",
            failed(&"there is no result in it"),
            IMPORTED.join(", ")
        ));
    }
    let (mut subjects, mut wrong) = (Vec::new(), Vec::new());
    for file in files {
        match subject(&file) {
            Ok(one) => subjects.push(one),
            Err(why) => wrong.push(why),
        }
    }
    match wrong.is_empty() {
        true => Ok(CompareSide { name, subjects }),
        false => Err(wrong.join("\n")),
    }
}

/// The results among the entries of a folder, in the order of their names: its run files, or else what others made.
fn repeats(mut all: Vec<PathBuf>) -> Vec<PathBuf> {
    all.sort();
    let ends = |path: &PathBuf, endings: &[&str]| {
        let ending = path.extension().and_then(|e| e.to_str());
        ending.is_some_and(|ending| endings.contains(&ending)) && path.is_file()
    };
    let runs = all.iter().filter(|path| ends(path, &[store::EXTENSION]));
    let runs: Vec<PathBuf> = runs.cloned().collect();
    if !runs.is_empty() {
        return runs;
    }
    let known = |path: &&PathBuf| ends(path, &IMPORTED) || is_output_folder(path);
    let others: Vec<PathBuf> = all.iter().filter(known).cloned().collect();
    if !others.is_empty() {
        return others;
    }
    // The logs of one run of fio are one result, whichever of them is named.
    let mut prefixes: Vec<String> = Vec::new();
    all.retain(|path| match subject::log_name(path) {
        Some(log) if !prefixes.contains(&log.prefix) => {
            prefixes.push(log.prefix);
            true
        }
        _ => false,
    });
    all
}

/// Whether it is an output folder of Vdbench.
fn is_output_folder(path: &Path) -> bool {
    path.join(FLAT_FILE).is_file()
}

/// What a file holds, or a folder of one result.
fn subject(path: &Path) -> Result<Subject, String> {
    match subject::read(path) {
        Ok(read) => Ok(Subject {
            name: name_of(path),
            ..read
        }),
        Err(NoSubject::Said(why)) => Err(why),
        Err(NoSubject::Store(error)) => Err(format!("error: {error}")),
        Err(NoSubject::Text(wrong, sources)) => {
            let text = render(&wrong, &sources, false, out::err_width());
            Err(text.trim_end().to_owned())
        }
    }
}

/// A file without its ending, logs of fio by what they begin with, or a folder.
fn name_of(path: &Path) -> String {
    if let Some(log) = subject::log_name(path).filter(|_| path.is_file()) {
        return log.prefix;
    }
    let named = match path.is_dir() {
        true => path.file_name(),
        false => path.file_stem(),
    };
    let named = named.map(|name| name.to_string_lossy().into_owned());
    named.unwrap_or_else(|| path.display().to_string())
}
